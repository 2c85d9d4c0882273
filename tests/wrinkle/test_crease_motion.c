/* Cloth with creases that moves: it stays in the bound space, keeps its momentum, and hangs the same for every step. */
#include "wrinkle/crease_stage.h"

static double measure_of(const body *b, const char *name) {
    for (size_t i = 0; i < b->measures.count; i++)
        if (strcmp(b->measures.items[i].name, name) == 0) return b->measures.items[i].value;
    fail_msg("no measure %s", name);
    return 0;
}

static void a_swinging_sheet_neither_opens_nor_drifts(void **state) {
    stage st;
    stage_make(*state, 10, INTEGRATOR_IMPLICIT, 1, 1, &st);
    const crease *c = &st.s.c;
    double e = c->lines.edge, off = 0, gap = 0, over = 0, iterations = 0;
    vec3 *y = malloc(c->bound->columns * sizeof *y);
    for (int k = 1; k <= 180; k++) {
        stage_step(&st, &earth, k, 1.0 / 60);
        iterations = measure_of(st.b, "iterations");
        if (k % 6) continue;
        off = fmax(off, fit_unknowns(c, st.b->masses, st.b->positions, y));
        double now = crease_gap(c, st.b->positions);
        gap = fmax(gap, now);
        over = fmax(over, now / crease_gap_bound(c, y));
    }
    assert_less(off, 1e-10);
    assert_at_most(over, 1);
    assert_less(iterations / 180, 300); /* conjugate gradients, at a tolerance of 1e-8 */
    assert_less(1e-4, gap / e);
    assert_less(gap / e, 0.05);
    free(y);
    stage_release(&st);
}

/* Steps from rest, again and again, settle in equilibrium. */
static void settle(stage *st, double dt, int steps) {
    for (int k = 1; k <= steps; k++) {
        stage_step(st, &earth, k, dt);
        memset(st->b->velocities, 0, st->b->point_count * sizeof(vec3));
    }
}

static void the_rest_state_does_not_depend_on_the_step(void **state) {
    skip_when_sanitized();
    stage a, b;
    stage_make(*state, 8, INTEGRATOR_IMPLICIT, 1, 1, &a);
    stage_make(*state, 8, INTEGRATOR_IMPLICIT, 1, 1, &b);
    settle(&a, 1.0 / 10, 200);
    settle(&b, 1.0 / 30, 1800);
    double apart = 0;
    for (size_t i = 0; i < a.b->point_count; i++)
        apart = fmax(apart, vec3_distance(a.b->positions[i], b.b->positions[i]));
    assert_less(apart, 1e-5 * a.s.c.lines.edge);
    stage_release(&a);
    stage_release(&b);
}

typedef struct momentum {
    vec3 linear, angular;
} momentum;

static momentum momentum_of(const body *b) {
    momentum m = {{0, 0, 0}, {0, 0, 0}};
    for (size_t i = 0; i < b->point_count; i++) {
        vec3 p = vec3_scale(b->velocities[i], b->masses[i]);
        m.linear = vec3_add(m.linear, p);
        m.angular = vec3_add(m.angular, vec3_cross(b->positions[i], p));
    }
    return m;
}

/* The bound step is the stabilisation of the default form. */
static void keep_both_momenta(ruga_context *context, integrator_kind kind, double damping) {
    stage st;
    stage_make(context, 8, kind, 0, 1, &st);
    if (damping > 0) stage_damp(&st, damping);
    const crease *c = &st.s.c;
    vec3 *y = calloc(c->bound->columns, sizeof *y);
    for (size_t i = 0; i < st.s.mesh->vertex_count; i++) {
        vec3 at = st.s.mesh->positions[i];
        y[i] = vec3_add(vec3_cross((vec3){0.5, 1, 1.5}, at), (vec3){0.3, sin(5 * at.x) * cos(4 * at.z), 0.1});
    }
    ruga_map_apply(c->bound, y, st.b->velocities);
    momentum before = momentum_of(st.b);
    double off = 0;
    for (int k = 1; k <= 1000; k++) stage_step(&st, &space, k, 2e-4);
    momentum after = momentum_of(st.b);
    off = fit_unknowns(c, st.b->masses, st.b->positions, y);
    double dp = vec3_distance(after.linear, before.linear) / vec3_length(before.linear),
           dl = vec3_distance(after.angular, before.angular) / vec3_length(before.angular);
    assert_less_case(dp, 1e-11, "%s", integrator_name(kind));
    assert_less_case(dl, 1e-11, "%s", integrator_name(kind));
    assert_less_case(off, 1e-10, "%s", integrator_name(kind));
    free(y);
    stage_release(&st);
}

static void explicit_steps_keep_both_momenta(void **state) { keep_both_momenta(*state, INTEGRATOR_EXPLICIT, 0); }
static void semi_implicit_steps_keep_both_momenta(void **state) {
    keep_both_momenta(*state, INTEGRATOR_SEMI_IMPLICIT, 0);
    keep_both_momenta(*state, INTEGRATOR_SEMI_IMPLICIT, 2e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_swinging_sheet_neither_opens_nor_drifts),
        cmocka_unit_test(the_rest_state_does_not_depend_on_the_step),
        cmocka_unit_test(explicit_steps_keep_both_momenta),
        cmocka_unit_test(semi_implicit_steps_keep_both_momenta),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
