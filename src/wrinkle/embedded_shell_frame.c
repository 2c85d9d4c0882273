/* One frame: the start of the skin, and the steps that a large motion of the carrier is divided into. */
#include <math.h>

#include "base/sort.h"
#include "base/threads.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell.h"

#define NOISE 1e-3        /* of the thickness: what a flat skin starts to buckle from */
#define LEAST_STRAIN 1e-9 /* compression of an edge that is more than rounding */
#define FULL_STRAIN 1e-4  /* that gets all of the noise */
#define LEAST_FORCE 1e-11 /* strain whose forces count as none */
#define ROOT_STEP 2.0     /* by which the square root of the load may change at once */
#define MOST_SUBSTEPS 50
#define QUANTILE 0.99 /* of the vertices decides about substeps */
#define NEARLY 100    /* times the tolerance: a solve that stalled there is as good as at rest */
#define LOOSE 30      /* times the tolerance: that of substeps before the last */
#define LEAST_STEPS 5 /* of Newton's method in such a substep, of those that they share */
#define VERTEX_BLOCK 1024

/* ---- The start of a frame: the wrinkles of the last one, turned with the carrier. */

/* A direction in the surface that moves with it: towards the first neighbour. */
static vec3 tangent_at(const ruga_embedded_shell *shell, const vec3 *positions, size_t v, vec3 normal) {
    const uint32_t begin = shell->topo->ring_offsets[v];
    if (begin == shell->topo->ring_offsets[v + 1]) return (vec3){0, 0, 0};
    vec3 edge = vec3_sub(positions[shell->topo->ring_vertices[begin]], positions[v]);
    return vec3_normalise(vec3_add_scaled(edge, normal, -vec3_dot(edge, normal)));
}

typedef struct transport_task {
    ruga_embedded_shell *shell;
    const vec3 *positions; /* of the carrier */
} transport_task;

/* Offsets in the frame of each vertex, from the carrier of the last frame. */
static void take_offsets(void *argument, size_t begin, size_t end) {
    const transport_task *task = argument;
    ruga_embedded_shell *shell = task->shell;
    for (size_t v = begin; v < end; v++) {
        vec3 n = shell->normals[v], t = tangent_at(shell, task->positions, v, n), b = vec3_cross(n, t);
        vec3 d = vec3_sub(shell->x[v], task->positions[v]);
        shell->offsets[v] = (vec3){vec3_dot(d, t), vec3_dot(d, b), vec3_dot(d, n)};
    }
}

/* The same offsets on the new carrier. */
static void put_offsets(void *argument, size_t begin, size_t end) {
    const transport_task *task = argument;
    ruga_embedded_shell *shell = task->shell;
    for (size_t v = begin; v < end; v++) {
        vec3 n = shell->normals[v], t = tangent_at(shell, task->positions, v, n), b = vec3_cross(n, t);
        vec3 o = shell->offsets[v], d = vec3_add_scaled(vec3_scale(t, o.x), b, o.y);
        shell->x[v] = vec3_add(task->positions[v], vec3_add_scaled(d, n, o.z));
    }
}

static void move_offsets(ruga_embedded_shell *shell, const vec3 *carrier) {
    transport_task task = {shell, shell->carrier};
    mesh_normals(shell->mesh, shell->carrier, shell->normal_scratch, shell->normals);
    parallel_for(shell->context, shell->count, VERTEX_BLOCK, take_offsets, &task);
    memcpy(shell->carrier, carrier, shell->count * sizeof *carrier);
    mesh_normals(shell->mesh, carrier, shell->normal_scratch, shell->normals);
    parallel_for(shell->context, shell->count, VERTEX_BLOCK, put_offsets, &task);
}

/* The greatest compression of an edge at a vertex. */
static double compression_at(const ruga_embedded_shell *shell, size_t v) {
    const vec3 *rest = shell->mesh->positions, *now = shell->carrier;
    double most = 0;
    for (uint32_t e = shell->topo->ring_offsets[v]; e < shell->topo->ring_offsets[v + 1]; e++) {
        const uint32_t u = shell->topo->ring_vertices[e];
        most = fmax(most, 1 - vec3_distance(now[v], now[u]) / vec3_distance(rest[v], rest[u]));
    }
    return most;
}

/* The most noise at a vertex, m. Noise a bends the hinges of short edges e by a / e, which is unstable by D a / e³.
 * From a = e⁵ k⁴ on that is more than the stiffness D k⁴ A of waves, and no shift of the factor makes up for it. */
static double noise_at(const ruga_embedded_shell *shell, size_t v) {
    const vec3 *rest = shell->mesh->positions;
    double shortest = INFINITY;
    for (uint32_t e = shell->topo->ring_offsets[v]; e < shell->topo->ring_offsets[v + 1]; e++)
        shortest = fmin(shortest, vec3_distance(rest[v], rest[shell->topo->ring_vertices[e]]));
    return fmin(NOISE * shell->thickness[v], shortest * pow(2 * SHELL_PI * shortest / shell->wavelengths[v], 4));
}

/* In a flat skin nothing says to which side it should buckle. Where the carrier is compressed and the skin still lies
 * on it, noise along the normal decides; elsewhere the skin keeps every bit. */
static void add_noise(ruga_embedded_shell *shell) {
    for (size_t v = 0; v < shell->count; v++) {
        const double size = NOISE * shell->thickness[v];
        if (vec3_length2(shell->offsets[v]) > size * size) continue;
        const double strain = compression_at(shell, v);
        if (strain < LEAST_STRAIN) continue;
        const double noise = shell_noise((uint32_t)v ^ (uint32_t)shell->def.seed * 7919u);
        const double part = noise * fmin(1, strain / FULL_STRAIN);
        shell->x[v] = vec3_add_scaled(shell->x[v], shell->normals[v], noise_at(shell, v) * part);
    }
}

/* ---- Substeps. A wave that has grown beyond buckling is as high as the square root of the load, the compression over
 * the critical strain h² k² / 12, says: a step of 1 in that root is about half of the thickness. That is the scale on
 * which the skin's energy changes its form, and under a sudden load beyond it waves become too short. */

static double root_of_load(double compression, double critical) { return sqrt(fmax(1, compression / critical)); }

/* Uses the offsets as scratch. */
static int count_substeps(ruga_embedded_shell *shell, const vec3 *from, const vec3 *to) {
    const vec3 *rest = shell->mesh->positions;
    uint64_t *steps = (uint64_t *)(void *)shell->offsets; /* bits of numbers that are not negative rise as they do */
    double most;
    for (size_t v = 0; v < shell->count; v++) {
        const double hk = 2 * SHELL_PI * shell->thickness[v] / shell->wavelengths[v], critical = hk * hk / 12;
        most = 0;
        for (uint32_t e = shell->topo->ring_offsets[v]; e < shell->topo->ring_offsets[v + 1]; e++) {
            const uint32_t u = shell->topo->ring_vertices[e];
            const double length = vec3_distance(rest[v], rest[u]);
            const double before = root_of_load(1 - vec3_distance(from[v], from[u]) / length, critical),
                         after = root_of_load(1 - vec3_distance(to[v], to[u]) / length, critical);
            most = fmax(most, fabs(after - before));
        }
        memcpy(&steps[v], &most, sizeof most);
    }
    sort_keys(steps, shell->count);
    memcpy(&most, &steps[(size_t)(QUANTILE * (double)(shell->count - 1))], sizeof most);
    return (int)fmin(MOST_SUBSTEPS, fmax(1, ceil(most / ROOT_STEP)));
}

/* ---- Moving. */

/* Forces that count as none, N. */
static double no_force(const ruga_embedded_shell *shell) {
    return LEAST_FORCE * shell->mean_stretch * shell->mean_edge * sqrt((double)shell->count);
}

/* To a carrier at once. start: the residual that tolerances are relative to, N. */
static ruga_status advance(ruga_embedded_shell *shell, const vec3 *carrier, double start, double tolerance) {
    const double none = no_force(shell);
    const size_t size = shell->count * sizeof *shell->x;
    shell->report.residual = 0;
    shell->report.contacts = 0;
    shell_yield_none(shell);
    memcpy(shell->last, shell->x, size);
    if (shell->reference)
        memcpy(shell->kept, shell->x, size); /* the paper starts where the skin was */
    else
        shell_carry_skin(shell, shell->carry, shell->carrier, carrier, shell->x, shell->kept);
    move_offsets(shell, carrier);
    /* A skin without stress, on a carrier that is as long as at rest everywhere, stays as it is. */
    if (!shell->reference && shell_residual(shell, shell->x, NULL, shell->forces, shell->constraints) <= none &&
        shell_contact_is_free(shell, shell->x))
        return shell_contact_status(shell);
    if (!shell->reference) memcpy(shell->moved, shell->x, size);
    memcpy(shell->x, shell->kept, size);
    add_noise(shell);
    shell->target = fmax(tolerance * start, none);
    return shell->reference ? shell_solve_reference(shell, start) : shell_solve(shell, start);
}

/* Before the first frame there is nothing that they could pass through. Raises the residual that tolerances are
 * relative to by what they do to the skin. */
static void move_surfaces(ruga_embedded_shell *shell, double part, double *start) {
    const size_t passing = shell_contact_move_surfaces(shell, part);
    if (shell->is_fresh && passing) shell_contact_ignore_penetrating(shell, NULL);
    if (!shell->is_fresh) shell->report.passing_vertices += passing;
    if (!shell_contact_has_surfaces(shell)) return;
    const double residual = shell_residual(shell, shell->x, shell->multipliers, shell->forces, shell->constraints);
    if (isfinite(residual)) *start = fmax(*start, residual);
}

/* In one step or several. */
static ruga_status advance_slowly(ruga_embedded_shell *shell, const vec3 *carrier, double start) {
    ruga_embedded_shell_report *r = &shell->report;
    const double tolerance = shell->def.tolerance;
    r->substeps = shell->reference ? 1 : count_substeps(shell, shell->carrier, carrier);
    if (!shell->is_fresh) r->substeps = (int)fmax(r->substeps, shell_contact_substeps(shell, carrier));
    memcpy(shell->origin, shell->carrier, shell->count * sizeof *shell->origin);
    shell->most_steps = (int)fmax(LEAST_STEPS, shell->def.iterations / r->substeps);
    for (int k = 1; k < r->substeps; k++) {
        shell_carry_between(shell, shell->carry, shell->origin, carrier, (double)k / r->substeps, shell->goal);
        move_surfaces(shell, (double)k / r->substeps, &start);
        TRY(advance(shell, shell->goal, start, LOOSE * tolerance));
        r->stalled = NULL; /* the last one counts */
    }
    move_surfaces(shell, 1, &start);
    shell->most_steps = shell->def.iterations;
    return advance(shell, carrier, start, tolerance);
}

/* After a solve that stalled far from rest: the wrinkles of the last frame, moved with the carrier. Where these would
 * intersect, the skin stays where its last step led, which does not. */
static void keep_wrinkles(ruga_embedded_shell *shell, const vec3 *carrier) {
    const size_t size = shell->count * sizeof *shell->x;
    memcpy(shell->last, shell->x, size);
    memcpy(shell->x, shell->before, size);
    memcpy(shell->carrier, shell->origin, size);
    move_offsets(shell, carrier);
    if (shell_contact_is_free(shell, shell->x)) return;
    double farthest = 0;
    for (size_t v = 0; v < shell->count; v++) farthest = fmax(farthest, vec3_distance(shell->x[v], shell->last[v]));
    if (farthest > shell->report.wavelength) /* left behind by a jump of the carrier: it would never arrive */
        shell->report.passing_vertices = shell_contact_ignore_penetrating(shell, shell->x);
    else
        memcpy(shell->x, shell->last, size);
}

ruga_status shell_move(ruga_embedded_shell *shell, const vec3 *carrier) {
    ruga_embedded_shell_report *r = &shell->report;
    const size_t size = shell->count * sizeof *shell->x;
    r->newton_steps = r->linear_iterations = r->factorisations = 0;
    r->stalled = NULL;
    r->residual = 0;
    shell_yield_none(shell);
    shell_contact_forget(shell);
    shell->is_fresh = memcmp(shell->x, shell->mesh->positions, size) == 0;
    r->passing_vertices = shell_contact_ignore_penetrating(shell, shell->is_fresh ? NULL : shell->x);
    /* The residual of the last frame's skin on the new carrier: what the paper starts from. */
    memcpy(shell->before, shell->x, size);
    memcpy(shell->origin, shell->carrier, size);
    memcpy(shell->carrier, carrier, size);
    const double start = shell_residual(shell, shell->x, NULL, shell->forces, shell->constraints);
    memcpy(shell->carrier, shell->origin, size);
    ruga_status status = advance_slowly(shell, carrier, start);
    if (RUGA_FAILED(status)) {
        memcpy(shell->x, shell->before, size);
        memcpy(shell->carrier, shell->origin, size);
        shell_contact_return_surfaces(shell);
    } else if (r->stalled && r->residual > NEARLY * shell->def.tolerance) {
        keep_wrinkles(shell, carrier);
    }
    return status;
}
