/* Drag and lift (Kang et al. 2001, equations 15 to 19).
 *
 * Since (Ñ × v̂) × v̂ = (Ñ · v̂) v̂ − Ñ, U points away from the side that meets the air, as pressure on a plate does,
 * and |U| = cos θ.
 *
 * On triangles two passes keep the sums in one order whatever the number of threads: each triangle finds its force,
 * then each point gathers a third of those around it.
 */
#include "energy/air.h"

#include "base/threads.h"
#include "math/vec3.h"

#define AIR_BLOCK 1024 /* triangles or points */

/* g(θ) / |U|, given sin θ and |U| = cos θ. */
static double lift_per_direction(air_lift form, double sine, double cosine) {
    switch (form) {
        case AIR_LIFT_SMOOTH: return sine;
        case AIR_LIFT_PRINTED: return cosine;
        case AIR_LIFT_UNIT: break;
    }
    return 1;
}

ruga_vec3 air_force(const air_law *law, ruga_vec3 area, ruga_vec3 velocity) {
    double size = vec3_length(area), speed = vec3_length(velocity);
    if (!(size > 0) || !(speed > 0)) return (vec3){0, 0, 0};
    vec3 heading = vec3_scale(velocity, 1 / speed), normal = vec3_scale(area, 1 / size);
    double along = vec3_dot(normal, heading), sine = fmin(fabs(along), 1);
    vec3 across = vec3_add_scaled(vec3_scale(heading, along), normal, -1); /* U for N instead of Ñ */
    if (!(along > 0)) across = vec3_scale(across, -1);
    double pressure = size * speed * speed, lift = lift_per_direction(law->form, sine, vec3_length(across));
    return vec3_add(vec3_scale(heading, -law->drag * sine * pressure), vec3_scale(across, law->lift * lift * pressure));
}

typedef struct air_task {
    const air_law *law;
    const air_surface *surface;
    air_wind *wind;
    void *user;
    const vec3 *positions, *velocities;
    vec3 *forces;
} air_task;

static vec3 triangle_area(const air_task *task, const uint32_t *v) {
    const vec3 *p = task->positions;
    return vec3_scale(vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]])), 0.5);
}

static size_t triangles_at(const air_surface *surface, size_t point) {
    return surface->topo->fan_offsets[point + 1] - surface->topo->fan_offsets[point];
}

static vec3 relative_velocity(const air_task *task, vec3 velocity, vec3 point) {
    return task->wind ? vec3_sub(velocity, task->wind(task->user, point)) : velocity;
}

/* The force, held back for a piece of this mass. A linearised implicit step of −c v divides by 1 + h c / m. */
static vec3 held_back_force(const air_task *task, vec3 area, vec3 velocity, double mass) {
    vec3 force = air_force(task->law, area, velocity);
    if (!task->surface->masses) return force;
    double rate = (fabs(task->law->drag) + fabs(task->law->lift)) * vec3_length(area) * vec3_length(velocity) / mass;
    return vec3_scale(force, 1 / (1 + task->surface->dt * rate));
}

/* So that all triangles at a point together do not weigh more than the point. */
static double triangle_mass(const air_surface *surface, const uint32_t *v) {
    if (!surface->masses) return 0;
    double least = INFINITY;
    for (size_t k = 0; k < 3; k++) least = fmin(least, surface->masses[v[k]] / (double)triangles_at(surface, v[k]));
    return 3 * least;
}

/* ---- On triangles. */

static void find_triangle_forces(void *argument, size_t begin, size_t end) {
    const air_task *task = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *v = task->surface->triangles + 3 * t;
        const vec3 *p = task->positions, *u = task->velocities;
        vec3 centre = vec3_scale(vec3_add(vec3_add(p[v[0]], p[v[1]]), p[v[2]]), 1.0 / 3);
        vec3 velocity = vec3_scale(vec3_add(vec3_add(u[v[0]], u[v[1]]), u[v[2]]), 1.0 / 3);
        vec3 area = triangle_area(task, v);
        if (task->surface->shares) area = vec3_scale(area, task->surface->shares[t]);
        task->surface->scratch[t] =
            held_back_force(task, area, relative_velocity(task, velocity, centre), triangle_mass(task->surface, v));
    }
}

/* The sum of scratch over the triangles at a point, in their order. */
static vec3 sum_at_point(const air_surface *surface, size_t point) {
    vec3 sum = {0, 0, 0};
    const topology *topo = surface->topo;
    for (uint32_t k = topo->fan_offsets[point]; k < topo->fan_offsets[point + 1]; k++)
        sum = vec3_add(sum, surface->scratch[topo->fan_triangles[k]]);
    return sum;
}

static void gather_triangle_forces(void *argument, size_t begin, size_t end) {
    const air_task *task = argument;
    for (size_t i = begin; i < end; i++)
        task->forces[i] = vec3_add_scaled(task->forces[i], sum_at_point(task->surface, i), 1.0 / 3);
}

/* ---- On points. */

static void find_triangle_areas(void *argument, size_t begin, size_t end) {
    const air_task *task = argument;
    for (size_t t = begin; t < end; t++)
        task->surface->scratch[t] = triangle_area(task, task->surface->triangles + 3 * t);
}

/* The mean share of the triangles at a point, weighted by their areas, which are in scratch. */
static double share_at_point(const air_surface *surface, size_t point) {
    const topology *topo = surface->topo;
    double sum = 0, areas = 0;
    for (uint32_t k = topo->fan_offsets[point]; k < topo->fan_offsets[point + 1]; k++) {
        double area = vec3_length(surface->scratch[topo->fan_triangles[k]]);
        sum += area * surface->shares[topo->fan_triangles[k]];
        areas += area;
    }
    return areas > 0 ? sum / areas : 0;
}

static void add_point_forces(void *argument, size_t begin, size_t end) {
    const air_task *task = argument;
    for (size_t i = begin; i < end; i++) {
        vec3 normal = vec3_normalise(sum_at_point(task->surface, i));
        if (task->surface->shares) normal = vec3_scale(normal, share_at_point(task->surface, i));
        vec3 velocity = relative_velocity(task, task->velocities[i], task->positions[i]);
        double mass = task->surface->masses ? task->surface->masses[i] : 0;
        task->forces[i] = vec3_add(task->forces[i], held_back_force(task, normal, velocity, mass));
    }
}

void air_add_forces(ruga_context *context, const air_law *law, const air_surface *surface, air_wind *wind, void *user,
                    const ruga_vec3 *positions, const ruga_vec3 *velocities, ruga_vec3 *forces) {
    air_task task = {law, surface, wind, user, positions, velocities, forces};
    const topology *topo = surface->topo;
    parallel_for(context, topo->triangle_count, AIR_BLOCK,
                 surface->on_points ? find_triangle_areas : find_triangle_forces, &task);
    parallel_for(context, topo->vertex_count, AIR_BLOCK, surface->on_points ? add_point_forces : gather_triangle_forces,
                 &task);
}
