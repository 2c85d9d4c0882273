/* A creased sheet as a cloth body, stepped without a world. */
#ifndef TESTS_CREASE_STAGE_H
#define TESTS_CREASE_STAGE_H

#include "body/cloth_stage.h"
#include "wrinkle/crease_support.h"

static const drawing stage_cross[] = {LINE(0, 0.4201, 1, 0.6327), LINE(0.5314, 0, 0.4086, 1)};
static const environment earth = {.gravity = {0, -9.81, 0}}, space = {.gravity = {0, 0, 0}};

typedef struct stage {
    creased s;
    cloth_def def;
    cloth_pin_def pins;
    uint32_t held[64];
    body *b;
} stage;

/* A sheet of fabric that hangs by two corners, or free. */
static inline void stage_make_drawn(ruga_context *context, size_t n, const drawing *drawings, size_t count,
                                    integrator_kind kind, int elements, int is_held, int is_creased, stage *out) {
    *out = (stage){.def = cloth_def_default()};
    creased_make(context, n, 0.15, drawings, count, &out->s);
    for (uint32_t i = 0; i < out->s.mesh->vertex_count && is_held; i++) {
        vec3 at = out->s.mesh->positions[i];
        if (at.z < -1 + 1e-9 && (at.x < 0.12 || at.x > 0.88)) out->held[out->pins.count++] = i;
    }
    out->pins.vertices = out->held;
    out->def.pins = &out->pins;
    out->def.pin_def_count = is_held ? 1 : 0;
    out->def.material.stretch = 300;
    out->def.material.bend = 1e-4;
    out->def.material.density = 0.1;
    out->def.material.strain_limit = 0;
    out->def.values.drag = out->def.values.lift = 0;
    out->def.values.elements = elements;
    if (elements == CLOTH_SPRINGS) out->def.values.bending = BENDING_SPRINGS; /* which every integrator has */
    out->def.values.warp = (vec3){1, 0, 0};
    out->def.values.integrator = (int)kind;
    out->def.values.tolerance = 1e-8;
    out->def.values.iterations = 5000;
    out->def.damping_time = 0;
    const crease *c = &out->s.c;
    if (is_creased)
        out->def.simulated = (body_simulated){
            .mesh = c->nodes.simulated, .visible = c->nodes.visible, .shares = c->nodes.shares, .bound = c->bound};
    assert_ok(context, cloth_create(is_creased ? c->cut.mesh : out->s.mesh, &out->def, &out->b));
}

static inline void stage_make(ruga_context *context, size_t n, integrator_kind kind, int is_held, int is_creased,
                              stage *out) {
    stage_make_drawn(context, n, stage_cross, 2, kind, CLOTH_MEMBRANE, is_held, is_creased, out);
}

/* Makes the body again, with damping that follows stiffness, s, and the other values of the def as they are now. */
static inline void stage_damp(stage *st, double time) {
    ruga_context *context = st->b->context;
    const ruga_mesh *mesh = st->b->mesh;
    st->b->interface->destroy(st->b);
    st->def.damping_time = time;
    assert_ok(context, cloth_create(mesh, &st->def, &st->b));
}

static inline void stage_release(stage *st) {
    st->b->interface->destroy(st->b);
    creased_release(&st->s);
}

static inline void stage_step(stage *st, const environment *e, int k, double dt) {
    cloth_predict_at(st->b, e, k * dt, dt);
    cloth_accept_at(st->b, e, k * dt, dt);
}

#endif
