#include "body/lattice_estimate.h"

#include <math.h>
#include <string.h>

#include "linalg/block_llt.h"
#include "linalg/bounded.h"
#include "math/rigid_motion.h"
#include "mesh/mesh.h"

#define FREE_SHIFT 1e-8    /* of the stiffness: holds a lattice without pins */
#define PENALTY 1e-9       /* of the responses: chooses among muscles that do the same */
#define SETTLE_STEPS 40    /* of Newton's method */
#define SETTLED 1e-8       /* of the forces of the muscles */
#define MOST_HALVINGS 20   /* of a Newton step */
#define MOST_SWEEPS 20000  /* of the bounded problem */
#define LEAST_CHANGE 1e-10 /* of activations */

typedef struct estimate {
    const lattice_fit *fit;
    ruga_context *context;
    size_t nodes, count, muscles;
    double *areas; /* (vertices) m² */
    block_matrix *matrix;
    block_llt *factor;
    double shift;
    vec3 *q, *trial, *gradient, *other; /* (nodes) */
    vec3 *steps;                        /* (muscles x nodes) dq/da */
    vec3 *responses;                    /* (muscles x count) of the surface */
    vec3 *wanted;                       /* (count) */
    vec3 *seen;                         /* (vertices) */
    vec3 *rigid;                        /* (6 x count) orthonormal motions as a whole; NULL: pinned */
    double *normal, *side;              /* (muscles x muscles), (muscles) */
} estimate;

static void release(estimate *e) {
    block_llt_destroy(e->factor);
    block_matrix_destroy(e->matrix);
    RELEASE_ALL(e->context, e->areas, e->q, e->trial, e->gradient, e->other, e->steps, e->responses, e->wanted, e->seen,
                e->rigid, e->normal, e->side);
}

/* ---- Equilibrium. */

static double energy_of(const estimate *e, const vec3 *q) {
    const lattice_fit *fit = e->fit;
    return lattice_energy_interface.value(&fit->energy->base, q) +
           (fit->anchors ? anchors_interface.value(&fit->anchors->base, q) : 0);
}

/* Returns the norm, N. */
static double gradient_of(const estimate *e, const vec3 *q, vec3 *out) {
    const lattice_fit *fit = e->fit;
    double sum = 0;
    memset(out, 0, e->nodes * sizeof *out);
    lattice_energy_interface.add_gradient(&fit->energy->base, q, 1, out);
    if (fit->anchors) anchors_interface.add_gradient(&fit->anchors->base, q, 1, out);
    for (size_t i = 0; i < e->nodes; i++) sum += vec3_length2(out[i]);
    return sqrt(sum);
}

/* The true Hessian, or where it is not definite the one that is. */
static ruga_status factor_at(estimate *e, const vec3 *q) {
    const lattice_fit *fit = e->fit;
    for (int definite = 0; definite < 2; definite++) {
        TRY(lattice_energy_interface.linearise(&fit->energy->base, q, (energy_weights){1, 0}, definite));
        block_matrix_clear(e->matrix);
        lattice_energy_interface.add_matrix(&fit->energy->base, 1, e->matrix);
        if (fit->anchors) anchors_add_matrix(fit->anchors, e->matrix);
        if (block_llt_factor(e->factor, e->matrix->blocks, e->shift, fit->masses)) return RUGA_OK;
    }
    return fail_input(e->context, "muscles: the lattice has parts without stiffness; choose a larger spacing");
}

/* q becomes the equilibrium near it, by Newton's method. force: N, of the muscles. */
static ruga_status settle(estimate *e, double force) {
    double energy = energy_of(e, e->q);
    for (int k = 0; k < SETTLE_STEPS && gradient_of(e, e->q, e->gradient) > SETTLED * force; k++) {
        TRY(factor_at(e, e->q));
        block_llt_solve(e->factor, e->gradient);
        double step = 1, now = INFINITY;
        for (int half = 0; half < MOST_HALVINGS && !(now <= energy); half++, step /= 2) {
            for (size_t i = 0; i < e->nodes; i++) e->trial[i] = vec3_add_scaled(e->q[i], e->gradient[i], -step);
            now = energy_of(e, e->trial);
        }
        if (!(now <= energy)) break;
        energy = now;
        memcpy(e->q, e->trial, e->nodes * sizeof *e->q);
    }
    return RUGA_OK;
}

static void activate(const estimate *e, const double *activations) {
    for (size_t m = 0; m < e->muscles; m++) lattice_energy_activate(e->fit->energy, m, activations[m]);
}

/* steps = dq/da at q; returns the greatest force of a muscle at activation 1, N. */
static ruga_status find_steps(estimate *e, const double *activations, double *force) {
    *force = 0;
    TRY(factor_at(e, e->q));
    gradient_of(e, e->q, e->gradient);
    for (size_t m = 0; m < e->muscles; m++) {
        vec3 *step = e->steps + m * e->nodes;
        double sum = 0;
        lattice_energy_activate(e->fit->energy, m, activations[m] + 1);
        gradient_of(e, e->q, e->other);
        lattice_energy_activate(e->fit->energy, m, activations[m]);
        for (size_t i = 0; i < e->nodes; i++) {
            step[i] = vec3_sub(e->gradient[i], e->other[i]);
            sum += vec3_length2(step[i]);
        }
        *force = fmax(*force, sqrt(sum));
        block_llt_solve(e->factor, step);
    }
    return RUGA_OK;
}

/* ---- The surface. Displacements are scaled by the roots of areas, so that plain sums are integrals. */

static void see(const estimate *e, const vec3 *q, vec3 *out) {
    ruga_map_apply(e->fit->embedding, q, e->seen);
    for (size_t v = 0; v < e->count; v++) out[v] = vec3_scale(e->seen[v], sqrt(e->areas[v]));
}

static double dot(const estimate *e, const vec3 *a, const vec3 *b) {
    double sum = 0;
    for (size_t v = 0; v < e->count; v++) sum += vec3_dot(a[v], b[v]);
    return sum;
}

static void add_scaled(const estimate *e, vec3 *x, const vec3 *d, double scale) {
    for (size_t v = 0; v < e->count; v++) x[v] = vec3_add_scaled(x[v], d[v], scale);
}

/* Without what moves it as a whole. */
static void remove_rigid(const estimate *e, vec3 *x) {
    for (size_t k = 0; e->rigid && k < 6; k++) {
        const vec3 *motion = e->rigid + k * e->count;
        add_scaled(e, x, motion, -dot(e, x, motion));
    }
}

/* Three shifts and three turns, one by one orthogonal to those before. */
static void make_rigid(estimate *e) {
    for (size_t k = 0; k < 6; k++) {
        vec3 *motion = e->rigid + k * e->count, axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        for (size_t v = 0; v < e->count; v++)
            motion[v] = vec3_scale(k < 3 ? axis : vec3_cross(axis, e->fit->mesh->positions[v]), sqrt(e->areas[v]));
        for (size_t j = 0; j < k; j++)
            add_scaled(e, motion, e->rigid + j * e->count, -dot(e, motion, e->rigid + j * e->count));
        const double length = sqrt(dot(e, motion, motion));
        for (size_t v = 0; v < e->count; v++) motion[v] = length > 0 ? vec3_scale(motion[v], 1 / length) : motion[v];
    }
}

/* wanted = the target, brought as near as a motion as a whole can if the lattice is free, less where the surface is. */
static void find_wanted(const estimate *e, const vec3 *target) {
    rigid_motion motion;
    ruga_map_apply(e->fit->embedding, e->q, e->seen);
    if (e->rigid) rigid_motion_fit(e->count, NULL, target, e->seen, &motion);
    for (size_t v = 0; v < e->count; v++) {
        const vec3 at = e->rigid ? rigid_motion_apply(&motion, target[v]) : target[v];
        e->wanted[v] = vec3_scale(vec3_sub(at, e->seen[v]), sqrt(e->areas[v]));
    }
    remove_rigid(e, e->wanted);
}

/* ---- A round. */

/* The activations whose linear response from q comes closest. */
static void fit_activations(estimate *e, double limit, double *activations) {
    const size_t n = e->muscles;
    double trace = 0;
    for (size_t m = 0; m < n; m++) {
        vec3 *response = e->responses + m * e->count;
        see(e, e->steps + m * e->nodes, response);
        remove_rigid(e, response);
        add_scaled(e, e->wanted, response, activations[m]); /* from where no muscle acts */
    }
    for (size_t m = 0; m < n; m++) {
        e->side[m] = dot(e, e->responses + m * e->count, e->wanted);
        for (size_t k = 0; k <= m; k++)
            e->normal[m * n + k] = e->normal[k * n + m] =
                dot(e, e->responses + m * e->count, e->responses + k * e->count);
        trace += e->normal[m * n + m];
    }
    for (size_t m = 0; m < n; m++) e->normal[m * n + m] += PENALTY * trace + 1e-300;
    bounded_minimum(n, e->normal, e->side, 0, limit, LEAST_CHANGE * limit, MOST_SWEEPS, activations);
}

static ruga_status run(estimate *e, const vec3 *target, double limit, int rounds, double *activations,
                       double *residual) {
    double force = 0;
    memset(activations, 0, e->muscles * sizeof *activations);
    activate(e, activations);
    find_wanted(e, target);
    const double all = sqrt(dot(e, e->wanted, e->wanted));
    *residual = all > 0;
    for (int k = 0; k < rounds && all > 0; k++) {
        TRY(find_steps(e, activations, &force));
        fit_activations(e, limit, activations);
        activate(e, activations);
        TRY(settle(e, force));
        find_wanted(e, target);
        *residual = sqrt(dot(e, e->wanted, e->wanted)) / all;
    }
    return RUGA_OK;
}

static ruga_status make(estimate *e) {
    const lattice_fit *fit = e->fit;
    ruga_context *context = e->context;
    block_pattern *pattern = NULL;
    double mass = 0;
    TRY(NEW(context, &e->areas, fit->mesh->vertex_count));
    TRY(ruga_mesh_masses(fit->mesh, 1, e->areas));
    TRY(NEW_EACH(context, e->nodes, &e->trial, &e->gradient, &e->other));
    TRY(NEW_COPY(context, &e->q, fit->rest, e->nodes));
    TRY(NEW(context, &e->steps, e->muscles * e->nodes));
    TRY(NEW(context, &e->responses, e->muscles * e->count));
    TRY(NEW(context, &e->wanted, e->count));
    TRY(NEW(context, &e->seen, fit->mesh->vertex_count));
    TRY(NEW(context, &e->normal, e->muscles * e->muscles));
    TRY(NEW(context, &e->side, e->muscles));
    if (!fit->anchors) {
        TRY(NEW(context, &e->rigid, 6 * e->count));
        make_rigid(e);
    }
    TRY(block_pattern_create(context, e->nodes, &pattern));
    ruga_status status = lattice_energy_interface.add_pattern(&fit->energy->base, pattern);
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &e->matrix);
    block_pattern_destroy(pattern);
    TRY(status);
    for (size_t i = 0; i < e->nodes; i++) mass += fit->masses[i] / (double)e->nodes;
    const double size = cbrt(fit->energy->elements.weights[0]);
    e->shift = FREE_SHIFT * fit->energy->material.young * size / mass;
    return block_llt_create(context, e->nodes, e->matrix->offsets, e->matrix->columns, &e->factor);
}

ruga_status lattice_estimate(const lattice_fit *fit, size_t count, const vec3 *target, double limit, int rounds,
                             double *activations, double *residual) {
    estimate e = {.fit = fit,
                  .context = fit->mesh->context,
                  .nodes = fit->embedding->columns,
                  .count = count,
                  .muscles = fit->energy->muscle_count};
    for (size_t v = 0; v < count; v++)
        if (!vec3_is_finite(target[v]))
            return fail_input(e.context, "muscles: vertex %zu of the shape is not finite", v);
    ruga_status status = make(&e);
    if (!RUGA_FAILED(status)) status = run(&e, target, limit, rounds, activations, residual);
    release(&e);
    return status;
}
