/* Flesh for tests: bars that are held at one end, and steps of a body alone. */
#ifndef TESTS_FLESH_STAGE_H
#define TESTS_FLESH_STAGE_H

#include <math.h>

#include "body/flesh.h"
#include "support/support.h"

enum { MOST_HELD = 2000 };

typedef struct flesh_bar {
    ruga_mesh *mesh;
    body *b;
    uint32_t held[MOST_HELD];
    cloth_pin_def pins;
    flesh_def def;
} flesh_bar;

static inline ruga_mesh *solid_bar(ruga_context *context, vec3 size, int along, int across) {
    const double values[6] = {size.x, size.y, size.z, along, across, 1};
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, "bar", values, &mesh));
    return mesh;
}

/* A bar of the model, not made a body yet, whose vertices at the least x are held. */
static inline flesh_bar *bar_begin(ruga_context *context, vec3 size, int along, int across) {
    flesh_bar *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->mesh = solid_bar(context, size, along, across);
    vec3 low, high;
    vec3_bounds(r->mesh->positions, r->mesh->vertex_count, &low, &high);
    for (size_t v = 0; v < r->mesh->vertex_count; v++)
        if (r->mesh->positions[v].x < low.x + 1e-9 * size.x) r->held[r->pins.count++] = (uint32_t)v;
    assert_at_most(r->pins.count, MOST_HELD);
    r->pins.vertices = r->held;
    r->def = flesh_def_default();
    r->def.pins = &r->pins;
    r->def.pin_def_count = 1;
    return r;
}

static inline void bar_make(flesh_bar *r) { assert_ok(r->mesh->context, flesh_create(r->mesh, &r->def, &r->b)); }

static inline void bar_release(flesh_bar *r) {
    if (r->b) r->b->interface->destroy(r->b);
    ruga_mesh_destroy(r->mesh);
    free(r);
}

static inline void flesh_step_from(body *b, const environment *e, double time, int steps, double dt) {
    for (int k = 1; k <= steps; k++) {
        substep s = {.time = time + k * dt, .dt = dt, .blend = 1, .environment = e, .is_last = 1};
        assert_ok(b->context, b->interface->predict(b, &s));
        assert_ok(b->context, b->interface->accept(b, &s, b->interface->surface(b)));
    }
}

static inline void flesh_steps(body *b, const environment *e, int steps, double dt) {
    flesh_step_from(b, e, 0, steps, dt);
}

static inline double flesh_worst(const body *b, const vec3 *expected) {
    double worst = 0;
    for (size_t i = 0; i < b->point_count; i++) worst = fmax(worst, vec3_distance(b->positions[i], expected[i]));
    return worst;
}

#endif
