/* The paper's form over 10,000 steps of a sheet that swings: what its two stabilisations keep, and what one alone does
 * not (Patkar et al. 2015, figure 6). */
#include "wrinkle/crease_support.h"

enum { STEPS = 10000 };
static const drawing cross[] = {LINE(0, 0.4201, 1, 0.6327), LINE(0.5314, 0, 0.4086, 1)};

/* Symplectic Euler with the sheet's own forces, held at two corners by their masses; gravity. */
typedef struct swing {
    creased s;
    plate p;
    crease_exact *exact;
    vec3 *forces;
    double gap, apart; /* greatest so far, m and m/s */
} swing;

static void swing_make(ruga_context *context, swing *w) {
    creased_make(context, 8, 0.15, cross, 2, &w->s);
    const crease *c = &w->s.c;
    plate_make(c->nodes.simulated, c->nodes.shares, c->bound, 300, 1e-4, NULL, &w->p);
    for (size_t i = 0; i < w->s.mesh->vertex_count; i++) {
        vec3 at = w->s.mesh->positions[i];
        if (at.z < -1 + 1e-9 && (at.x < 0.1 || at.x > 0.9)) w->p.masses[i] = 1e6;
    }
    assert_ok(context, crease_exact_create(c, w->p.masses, &w->exact));
    w->forces = malloc(c->bound->rows * sizeof *w->forces);
    memset(w->p.v, 0, c->bound->rows * sizeof *w->p.v);
    w->gap = w->apart = 0;
}

static void swing_release(swing *w) {
    crease_exact_destroy(w->exact);
    plate_release(&w->p);
    creased_release(&w->s);
    free(w->forces);
}

static void swing_step(swing *w, double dt, int with_pre) {
    plate *p = &w->p;
    size_t count = w->s.c.bound->rows;
    energy_term *terms[2] = {&p->stretch->base, &p->bend->base};
    memset(w->forces, 0, count * sizeof *w->forces);
    for (int k = 0; k < 2; k++) terms[k]->interface->add_gradient(terms[k], p->x, 1, w->forces);
    for (size_t i = 0; i < count; i++) {
        p->v[i] = vec3_add_scaled(vec3_scale(p->v[i], 1 - dt), w->forces[i], -dt / p->masses[i]);
        if (p->masses[i] < 1e5) p->v[i].y -= 9.81 * dt;
    }
    if (with_pre) crease_exact_pre(w->exact, p->x, dt, p->v);
    for (size_t i = 0; i < count; i++) p->x[i] = vec3_add_scaled(p->x[i], p->v[i], dt);
    w->gap = fmax(w->gap, crease_gap(&w->s.c, p->x));
    crease_exact_post(w->exact, p->v);
    w->apart = fmax(w->apart, crease_gap(&w->s.c, p->v));
}

static void both_stabilisations_leave_neither_gap_nor_relative_velocity(void **state) {
    swing w;
    swing_make(*state, &w);
    vec3 lowest = w.p.x[0];
    for (int k = 0; k < STEPS; k++) {
        swing_step(&w, 2e-4, 1);
        for (size_t i = 0; i < w.s.mesh->vertex_count; i++)
            if (w.p.x[i].y < lowest.y) lowest = w.p.x[i];
    }
    assert_less(lowest.y, -0.5); /* it does swing */
    assert_less(w.gap / w.s.c.lines.edge, 1e-10);
    assert_less(w.apart / w.s.c.lines.edge, 1e-10);
    swing_release(&w);
}

static void post_stabilisation_alone_drifts(void **state) {
    swing w;
    swing_make(*state, &w);
    for (int k = 0; k < STEPS; k++) swing_step(&w, 2e-4, 0);
    assert_less(1e-6, crease_gap(&w.s.c, w.p.x) / w.s.c.lines.edge);
    assert_less(w.apart / w.s.c.lines.edge, 1e-10);
    swing_release(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_stabilisations_leave_neither_gap_nor_relative_velocity),
        cmocka_unit_test(post_stabilisation_alone_drifts),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
