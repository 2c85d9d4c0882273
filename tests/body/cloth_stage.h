/* A cloth on its own, stepped without a world. */
#ifndef TESTS_CLOTH_STAGE_H
#define TESTS_CLOTH_STAGE_H

#include <math.h>

#include "body/cloth.h"
#include "support/shapes.h"

/* An upright sheet of 1 m by 1 m of side x side points, in the plane z = 0. */
static inline ruga_mesh *upright_sheet(ruga_context *context, size_t side) {
    double cells = (double)side - 1, values[8] = {1, 1, cells, cells, 0, 0, 1, 1};
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sheet", values, &mesh));
    return mesh;
}

/* Vertices within 1 nm of the greatest value along a direction; returns how many. */
static inline size_t border_of(const ruga_mesh *mesh, vec3 direction, uint32_t *vertices) {
    double most = -INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) most = fmax(most, vec3_dot(direction, mesh->positions[i]));
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (vec3_dot(direction, mesh->positions[i]) > most - 1e-9) vertices[count++] = (uint32_t)i;
    return count;
}

static inline void cloth_predict_at(body *b, const environment *e, double time, double dt) {
    substep s = {.time = time, .dt = dt, .blend = 1, .environment = e};
    assert_ok(b->context, b->interface->predict(b, &s));
}

static inline void cloth_accept_at(body *b, const environment *e, double time, double dt) {
    substep s = {.time = time, .dt = dt, .blend = 1, .environment = e};
    assert_ok(b->context, b->interface->accept(b, &s, b->interface->surface(b)));
}

/* How much further than its mesh a cloth reaches down, m. */
static inline double sag_of(const body *b) {
    double rest = INFINITY, now = INFINITY;
    for (size_t i = 0; i < b->point_count; i++) {
        rest = fmin(rest, b->mesh->positions[i].y);
        now = fmin(now, b->positions[i].y);
    }
    return rest - now;
}

/* Of a sheet that hangs by its top after some steps of 1/60 s in still air. */
static inline double hanging_sag(ruga_context *context, size_t side, int sweeps, int steps) {
    ruga_mesh *mesh = upright_sheet(context, side);
    uint32_t *held = malloc(mesh->vertex_count * sizeof *held);
    cloth_pin_def pins = {.count = border_of(mesh, (vec3){0, 1, 0}, held), .vertices = held};
    cloth_def def = cloth_def_default();
    def.values.integrator = INTEGRATOR_APPROXIMATE_IMPLICIT;
    def.values.sweeps = sweeps;
    def.pins = &pins;
    def.pin_def_count = 1;
    body *b;
    assert_ok(context, cloth_create(mesh, &def, &b));
    const environment still = {.gravity = {0, -9.81, 0}};
    for (int k = 1; k <= steps; k++) {
        cloth_predict_at(b, &still, k / 60.0, 1 / 60.0);
        cloth_accept_at(b, &still, k / 60.0, 1 / 60.0);
    }
    double sag = sag_of(b);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
    free(held);
    return sag;
}

#endif
