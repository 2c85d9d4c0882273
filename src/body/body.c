/* What bodies share: their arrays of points, the way impulses come back to them, and the sum of their hooks' forces. */
#include "body/body.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "math/vec3.h"

#define POINT_BLOCK 4096

/* ---- The arrays of points. */

typedef struct point_arrays {
    vec3 *positions, *velocities, *candidate_positions, *candidate_velocities;
} point_arrays;

static void release_arrays(ruga_context *context, const point_arrays *arrays) {
    memory_release(context, arrays->positions);
    memory_release(context, arrays->velocities);
    memory_release(context, arrays->candidate_positions);
    memory_release(context, arrays->candidate_velocities);
}

static ruga_status allocate_arrays(ruga_context *context, size_t count, point_arrays *out) {
    point_arrays arrays = {ALLOCATE(context, vec3, count), ALLOCATE_ZEROED(context, vec3, count),
                           ALLOCATE(context, vec3, count), ALLOCATE_ZEROED(context, vec3, count)};
    if (!arrays.positions || !arrays.velocities || !arrays.candidate_positions || !arrays.candidate_velocities) {
        release_arrays(context, &arrays);
        return fail_memory(context, count * sizeof(vec3));
    }
    *out = arrays;
    return RUGA_OK;
}

static point_arrays arrays_of(const body *b) {
    return (point_arrays){b->positions, b->velocities, b->candidate_positions, b->candidate_velocities};
}

static void set_arrays(body *b, size_t count, const point_arrays *arrays) {
    b->point_count = count;
    b->positions = arrays->positions;
    b->velocities = arrays->velocities;
    b->candidate_positions = arrays->candidate_positions;
    b->candidate_velocities = arrays->candidate_velocities;
}

ruga_status body_init(body *b, const body_interface *interface, ruga_context *context, const char *kind,
                      const ruga_mesh *mesh, size_t point_count, const ruga_vec3 *positions) {
    point_arrays arrays;
    TRY(allocate_arrays(context, point_count, &arrays));
    *b = (body){
        .interface = interface, .context = context, .kind = kind, .mesh = mesh, .touch = {.collides = 1, .self = 1}};
    set_arrays(b, point_count, &arrays);
    const vec3 *at_rest = positions ? positions : mesh->positions;
    if (point_count > 0) {
        memcpy(b->positions, at_rest, point_count * sizeof *at_rest);
        memcpy(b->candidate_positions, at_rest, point_count * sizeof *at_rest);
    }
    return RUGA_OK;
}

void body_release(body *b) {
    point_arrays arrays = arrays_of(b);
    release_arrays(b->context, &arrays);
    set_arrays(b, 0, &(point_arrays){0});
}

ruga_status body_rebuild_points(body *b, const ruga_mesh *mesh, const ruga_map *from_old) {
    if (from_old->columns != b->point_count)
        return fail_with(b->context, RUGA_ERROR_ARGUMENT,
                         "a %s body of %zu points can't be rebuilt by a map that takes %zu", b->kind, b->point_count,
                         from_old->columns);
    point_arrays old = arrays_of(b), arrays;
    TRY(allocate_arrays(b->context, from_old->rows, &arrays));
    ruga_map_apply(from_old, old.positions, arrays.positions);
    ruga_map_apply(from_old, old.velocities, arrays.velocities);
    ruga_map_apply(from_old, old.candidate_positions, arrays.candidate_positions);
    ruga_map_apply(from_old, old.candidate_velocities, arrays.candidate_velocities);
    release_arrays(b->context, &old);
    set_arrays(b, from_old->rows, &arrays);
    b->mesh = mesh;
    return RUGA_OK;
}

/* ---- Accepting. */

typedef struct hand_back_task {
    body *b;
    const vec3 *impulses; /* (points) N s */
    const vec3
        *positions; /* (points) m, that the impulses are part of already; NULL: the candidates, which they move */
    double dt;
} hand_back_task;

/* impulses may be the array of accepted positions, which is written last. */
static void hand_back(void *argument, size_t begin, size_t end) {
    const hand_back_task *task = argument;
    body *b = task->b;
    for (size_t i = begin; i < end; i++) {
        double inverse_mass = b->masses[i] > 0 ? 1 / b->masses[i] : 0;
        vec3 change = vec3_scale(task->impulses[i], inverse_mass);
        b->velocities[i] = vec3_add(b->candidate_velocities[i], change);
        b->positions[i] =
            task->positions ? task->positions[i] : vec3_add_scaled(b->candidate_positions[i], change, task->dt);
    }
}

static void take_candidates(body *b) {
    if (b->point_count == 0) return;
    memcpy(b->positions, b->candidate_positions, b->point_count * sizeof *b->positions);
    memcpy(b->velocities, b->candidate_velocities, b->point_count * sizeof *b->velocities);
}

ruga_status body_accept_impulses(body *b, const contact_surface *surface, double dt) {
    if (!surface || !b->masses) {
        take_candidates(b);
        return RUGA_OK;
    }
    hand_back_task task = {b, surface->impulses, surface->candidate, dt};
    if (surface->map) {
        /* The accepted positions are about to be replaced: until then they hold the points' impulses. */
        if (b->point_count > 0) memset(b->positions, 0, b->point_count * sizeof *b->positions);
        ruga_map_apply_transpose_add(surface->map, surface->impulses, b->positions);
        task.impulses = b->positions;
        task.positions = NULL;
    }
    parallel_for(b->context, b->point_count, POINT_BLOCK, hand_back, &task);
    return RUGA_OK;
}

ruga_status body_hook_forces(body *b, const substep *s, const ruga_vec3 *positions, const ruga_vec3 *velocities,
                             ruga_vec3 *forces) {
    for (size_t i = 0; i < b->hook_count; i++) {
        hook *h = b->hooks[i];
        if (h->interface->force) TRY(h->interface->force(h, b, s, positions, velocities, forces));
    }
    return RUGA_OK;
}
