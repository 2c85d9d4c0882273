/* Creased plates that are driven by the part "crease". */
#ifndef TESTS_CREASE_DRIVEN_H
#define TESTS_CREASE_DRIVEN_H

#include "body/body.h"
#include "wrinkle/crease_support.h"

#define DEGREE (3.14159265358979323846 / 180)

typedef struct rigged {
    creased s;
    crease_fold *folds;
    crease_rig rig;
} rigged;

static inline void rigged_make(ruga_context *context, size_t n, const drawing *drawings, size_t count, rigged *out) {
    creased_make(context, n, 0.15, drawings, count, &out->s);
    size_t folds;
    assert_ok(context, crease_folds_make(&out->s.c, &folds, &out->folds));
    out->rig = (crease_rig){.curve_count = count,
                            .fold_count = folds,
                            .node_count = out->s.c.nodes.embedded_count,
                            .folds = out->folds,
                            .nodes = out->s.c.nodes.embedded,
                            .visible = out->s.c.cut.mesh};
}

static inline void rigged_release(rigged *r) {
    memory_release(r->s.mesh->context, r->folds);
    creased_release(&r->s);
}

/* A plate whose creases are driven by the part, stepped until it is at rest. */
typedef struct driven {
    rigged r;
    plate p;
    part *made;
    body b;
    substep s;
    vec3 *forces, *start;
} driven;

static inline ruga_status product(void *user, const vec3 *direction, vec3 *out) {
    driven *d = user;
    return d->made->interface->force_product(d->made, &d->b, &d->s, d->p.x, direction, out);
}

static inline ruga_status blocks(void *user, mat3 *out) {
    driven *d = user;
    return d->made->interface->force_blocks(d->made, &d->b, &d->s, d->p.x, out);
}

static inline void driven_make(ruga_context *context, const drawing *drawings, size_t count,
                               const crease_target *targets, driven *d) {
    *d = (driven){.s = {.blend = 1}};
    rigged_make(context, 8, drawings, count, &d->r);
    const crease *c = &d->r.s.c;
    plate_make(c->nodes.simulated, c->nodes.shares, c->bound, 1000, 0.02, NULL, &d->p);
    assert_ok(context, crease_part_create(context, &d->r.rig, targets, &d->made));
    d->b = (body){.positions = d->p.x, .point_count = c->bound->rows, .stiffness_factor = 1};
    d->forces = malloc(c->bound->rows * sizeof(vec3));
    d->start = malloc(c->bound->rows * sizeof(vec3));
    for (uint32_t i = 0; i < d->r.s.mesh->vertex_count; i++)
        if (d->r.s.mesh->positions[i].z > -0.14) { /* one border is held */
            d->p.targets[d->p.pin_count] = d->r.s.mesh->positions[i];
            d->p.pins[d->p.pin_count++] = i;
        }
}

static inline void driven_release(driven *d) {
    d->made->interface->destroy(d->made);
    plate_release(&d->p);
    rigged_release(&d->r);
    free(d->forces);
    free(d->start);
}

static inline void driven_settle(driven *d, double time, int steps) {
    const double dt = 0.05;
    size_t count = d->b.point_count;
    d->s.time = time;
    for (int k = 0; k < steps; k++) {
        memset(d->forces, 0, count * sizeof(vec3));
        memset(d->p.pin_velocities, 0, d->p.pin_count * sizeof(vec3));
        assert_ok(d->p.context, d->made->interface->force(d->made, &d->b, &d->s, d->p.x, d->p.zero, d->forces));
        for (size_t i = 0; i < count; i++) d->start[i] = vec3_scale(d->forces[i], dt / d->p.masses[i]);
        integrator_step step = {.dt = dt,
                                .positions = d->p.x,
                                .velocities = d->start,
                                .bound_velocities = d->p.zero,
                                .pin_count = d->p.pin_count,
                                .pins = d->p.pins,
                                .pin_velocities = d->p.pin_velocities,
                                .force_product = product,
                                .force_blocks = blocks,
                                .user = d};
        integrator_report report;
        assert_ok(d->p.context, integrator_solve(d->p.solver, &step, d->p.v, &report));
        for (size_t i = 0; i < count; i++) d->p.x[i] = vec3_add_scaled(d->p.x[i], d->p.v[i], dt);
        assert_ok(d->p.context, d->made->interface->after_velocities(d->made, &d->b, &d->s));
    }
}

#endif
