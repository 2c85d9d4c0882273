/* Creased cloth under every integrator that binds: one rest state, the same bits for every number of threads, folds
 * that neither lock nor open. */
#include "wrinkle/crease_stage.h"

static const integrator_kind kinds[] = {INTEGRATOR_IMPLICIT, INTEGRATOR_FILTER, INTEGRATOR_EXPLICIT,
                                        INTEGRATOR_SEMI_IMPLICIT};
static const drawing arc[] = {
    {8, {0, 0.4, 0.14, 0.4857, 0.29, 0.5518, 0.43, 0.5804, 0.57, 0.5804, 0.71, 0.5518, 0.86, 0.4857, 1, 0.4}, 0}};
static const drawing pleats[] = {LINE(0.3, 0, 0.32, 1), LINE(0.45, 0, 0.44, 1), LINE(0.58, 0, 0.57, 1),
                                 LINE(0.7, 0, 0.72, 1)};

/* Damped springs that hang at rest: steps from rest settle in equilibrium. */
static void settle(stage *st) {
    for (int k = 1; k <= 1500; k++) {
        stage_step(st, &earth, k, 1.0 / 20);
        memset(st->b->velocities, 0, st->b->point_count * sizeof(vec3));
    }
}

/* In equilibrium no point gets an acceleration, by no integrator and in no step, with or without damping. */
static void the_rest_state_is_that_of_every_integrator_and_step(void **state) {
    static const double steps[] = {1.0 / 60, 1e-3, 1e-5};
    stage rest;
    stage_make_drawn(*state, 6, stage_cross, 2, INTEGRATOR_IMPLICIT, CLOTH_SPRINGS, 1, 1, &rest);
    settle(&rest);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t h = 0; h < 2 * sizeof steps / sizeof steps[0]; h++) {
            stage st;
            stage_make_drawn(*state, 6, stage_cross, 2, kinds[k], CLOTH_SPRINGS, 1, 1, &st);
            if (h % 2 == 1) stage_damp(&st, 2e-3);
            memcpy(st.b->positions, rest.b->positions, st.b->point_count * sizeof(vec3));
            double dt = steps[h / 2];
            cloth_predict_at(st.b, &earth, dt, dt);
            double most = 0;
            for (size_t i = 0; i < st.b->point_count; i++)
                most = fmax(most, vec3_length(st.b->candidate_velocities[i]) / dt);
            assert_less_case(most, 1e-3 * 9.81, "%s, dt %g, case %zu", integrator_name(kinds[k]), dt, h);
            stage_release(&st);
        }
    stage_release(&rest);
}

/* ---- The paper's form, whose projection follows the solve of the damping. */

/* A part of forces that the equations bear alone: W_new times numbers. */
typedef struct bearing {
    part base;
    crease_exact *equations;
} bearing;

static ruga_status bear(part *p, const body *b, const substep *s, const vec3 *positions, const vec3 *velocities,
                        vec3 *forces) {
    (void)b, (void)s, (void)positions, (void)velocities;
    crease_exact_add_held(((bearing *)p)->equations, forces);
    return RUGA_OK;
}

/* How far a free sheet in the exact form has gone from rest after 3000 steps with these forces, m. */
static double moved_by_borne_forces(ruga_context *context, int is_held) {
    static const part_interface interface = {.force = bear};
    stage st;
    stage_make_drawn(context, 6, stage_cross, 2, INTEGRATOR_SEMI_IMPLICIT, CLOTH_SPRINGS, 0, 1, &st);
    st.def.simulated.bound = NULL;
    stage_damp(&st, 2e-3);
    const crease *c = &st.s.c;
    crease_fold *folds;
    size_t fold_count;
    assert_ok(context, crease_folds_make(c, &fold_count, &folds));
    const crease_target targets[2] = {{.active = -INFINITY, .set = NAN}, {.active = -INFINITY, .set = NAN}};
    const crease_rig rig = {.curve_count = 2,
                            .fold_count = fold_count,
                            .node_count = c->nodes.embedded_count,
                            .folds = folds,
                            .nodes = c->nodes.embedded,
                            .visible = c->cut.mesh,
                            .form = CREASE_EXACT,
                            .point_count = st.b->point_count};
    part *joins = NULL;
    bearing forces = {.base = {.interface = &interface, .context = context, .kind = "test"}};
    assert_ok(context, crease_part_create(context, &rig, targets, &joins));
    assert_ok(context, crease_exact_create(c, st.b->masses, &forces.equations));
    test_random random = {11};
    for (size_t i = 0; i < crease_exact_count(forces.equations); i++)
        crease_exact_held(forces.equations)[i] = random_vec3(&random, -0.1, 0.1);
    part *parts[2] = {&forces.base, joins};
    st.b->parts = parts;
    st.b->part_count = is_held ? 2 : 1;
    double most = 0;
    for (int k = 1; k <= 3000; k++) {
        substep s = {.time = k * 2e-4, .dt = 2e-4, .blend = 1, .environment = &space};
        assert_ok(context, st.b->interface->predict(st.b, &s));
        /* Without the part's forces this is the projection alone. */
        assert_ok(context, joins->interface->before_contact(joins, st.b, &s));
        assert_ok(context, st.b->interface->accept(st.b, &s, NULL));
        assert_ok(context, joins->interface->after_velocities(joins, st.b, &s));
    }
    for (size_t i = 0; i < st.b->point_count; i++)
        most = fmax(most, vec3_distance(st.b->positions[i], c->nodes.simulated->positions[i]));
    st.b->part_count = 0;
    crease_exact_destroy(forces.equations);
    joins->interface->destroy(joins);
    memory_release(context, folds);
    stage_release(&st);
    return most;
}

/* Forces without a part that the creases leave free are in equilibrium with the sheet at rest. A projection alone moves
 * it, since the damping has spread them before. */
static void forces_that_the_equations_bear_move_nothing_at_rest(void **state) {
    assert_less(1e-5, moved_by_borne_forces(*state, 0));
    assert_less(moved_by_borne_forces(*state, 1), 1e-9);
}

static double iterations_of(const body *b) {
    for (size_t k = 0; k < b->measures.count; k++)
        if (strcmp(b->measures.items[k].name, "iterations") == 0) return b->measures.items[k].value;
    return NAN;
}

/* One step of a damped sheet that moves at random, with looser and tighter tolerances: after any number of
 * iterations the velocities are in the bound space, and more iterations come nearer to the solution. */
static void a_semi_implicit_step_is_bound_after_any_number_of_iterations(void **state) {
    int seen[4] = {0, 0, 0, 0};
    double before = INFINITY;
    vec3 *solution = NULL;
    for (int k = 0; k <= 24; k++) {
        stage st;
        test_random random = {4};
        stage_make_drawn(*state, 8, stage_cross, 2, INTEGRATOR_SEMI_IMPLICIT, CLOTH_SPRINGS, 1, 1, &st);
        st.def.values.tolerance = k == 0 ? 1e-13 : pow(10, -0.25 * k);
        stage_damp(&st, 2e-4);
        const crease *c = &st.s.c;
        size_t points = st.b->point_count;
        vec3 *y = malloc(c->bound->columns * sizeof *y);
        for (size_t j = 0; j < c->bound->columns; j++) y[j] = random_vec3(&random, -1, 1);
        ruga_map_apply(c->bound, y, st.b->velocities);
        for (size_t j = 0; j < st.pins.count; j++) st.b->velocities[st.held[j]] = (vec3){0, 0, 0};
        cloth_predict_at(st.b, &earth, 1e-3, 1e-3);
        int iterations = (int)iterations_of(st.b);
        seen[iterations < 3 ? iterations : 3]++;
        assert_less(fit_unknowns(c, st.b->masses, st.b->candidate_velocities, y), 1e-10);
        if (k == 0) {
            solution = malloc(points * sizeof *solution);
            memcpy(solution, st.b->candidate_velocities, points * sizeof *solution);
        } else {
            double off = 0;
            for (size_t i = 0; i < points; i++)
                off += st.b->masses[i] * vec3_length2(vec3_sub(st.b->candidate_velocities[i], solution[i]));
            assert_at_most_case(off, before * (1 + 1e-9), "%d iterations", iterations);
            before = off;
        }
        free(y);
        stage_release(&st);
    }
    assert_less(before, 1e-8);
    for (int i = 1; i <= 3; i++) assert_less_case(0, seen[i], "%d iterations", i);
    free(solution);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    for (size_t k = 0; k <= sizeof kinds / sizeof kinds[0]; k++) { /* the last with damping */
        integrator_kind kind = k < sizeof kinds / sizeof kinds[0] ? kinds[k] : INTEGRATOR_SEMI_IMPLICIT;
        vec3 *first = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            ruga_context *context = context_plain(threads);
            stage st;
            stage_make_drawn(context, 24, stage_cross, 2, kind, CLOTH_SPRINGS, 1, 1, &st);
            if (k == sizeof kinds / sizeof kinds[0]) stage_damp(&st, 2e-4);
            for (int i = 1; i <= 10; i++) stage_step(&st, &earth, i, 1e-4);
            size_t size = st.b->point_count * sizeof(vec3);
            if (threads == 1) {
                first = malloc(size);
                memcpy(first, st.b->positions, size);
            }
            fail_if(memcmp(first, st.b->positions, size) != 0, "%s: other bits with %d threads", integrator_name(kind),
                    threads);
            stage_release(&st);
            ruga_context_destroy(context);
        }
        free(first);
    }
}

/* A sheet that sways by two corners: every crease has folds that take many angles, and the sides stay together. */
static void check_sway(ruga_context *context, const drawing *drawings, size_t count, integrator_kind kind,
                       double damping) {
    stage st;
    stage_make_drawn(context, 10, drawings, count, kind, CLOTH_MEMBRANE, 1, 1, &st);
    if (damping > 0) stage_damp(&st, damping);
    const crease *c = &st.s.c;
    vec3 *y = malloc(c->bound->columns * sizeof *y);
    crease_fold *folds;
    size_t fold_count;
    double over = 0, gap = 0;
    assert_ok(context, crease_folds_make(c, &fold_count, &folds));
    assert_int_equal(c->lines.line_count, count);
    double *most = calloc(fold_count, sizeof *most), *least = calloc(fold_count, sizeof *least);
    for (int k = 1; k <= 3000; k++) {
        stage_step(&st, &earth, k, 4e-4);
        if (k % 100) continue;
        assert_less(fit_unknowns(c, st.b->masses, st.b->positions, y), 1e-10);
        double now = crease_gap(c, st.b->positions);
        gap = fmax(gap, now);
        over = fmax(over, now / crease_gap_bound(c, y));
        for (size_t i = 0; i < fold_count; i++) {
            double angle = crease_fold_angle(&folds[i], st.b->positions, NULL);
            most[i] = fmax(most[i], angle);
            least[i] = fmin(least[i], angle);
        }
    }
    assert_at_most(over, 1);
    assert_less(gap / c->lines.edge, 0.1);
    for (size_t l = 0; l < count; l++) {
        double range = 0;
        for (size_t i = 0; i < fold_count; i++)
            if (folds[i].line == l) range = fmax(range, most[i] - least[i]);
        assert_less_case(0.35, range, "crease %zu", l); /* 20 degrees */
    }
    memory_release(context, folds);
    free(most);
    free(least);
    free(y);
    stage_release(&st);
}

static void a_curved_crease_and_pleats_neither_lock_nor_open(void **state) {
    check_sway(*state, arc, 1, INTEGRATOR_EXPLICIT, 0);
    check_sway(*state, pleats, 4, INTEGRATOR_SEMI_IMPLICIT, 2e-4);
}

static void cuts_change_neither_mass_nor_area(void **state) {
    for (int is_pleated = 0; is_pleated < 2; is_pleated++) {
        stage whole, cut;
        const drawing *drawings = is_pleated ? pleats : arc;
        stage_make_drawn(*state, 10, drawings, is_pleated ? 4 : 1, INTEGRATOR_EXPLICIT, CLOTH_MEMBRANE, 0, 0, &whole);
        stage_make_drawn(*state, 10, drawings, is_pleated ? 4 : 1, INTEGRATOR_EXPLICIT, CLOTH_MEMBRANE, 0, 1, &cut);
        double masses[2] = {0, 0}, area = 0;
        for (size_t i = 0; i < whole.b->point_count; i++) masses[0] += whole.b->masses[i];
        for (size_t i = 0; i < cut.b->point_count; i++) masses[1] += cut.b->masses[i];
        const ruga_mesh *mesh = cut.s.c.nodes.simulated;
        for (size_t t = 0; t < mesh->triangle_count; t++)
            area += cut.s.c.nodes.shares[t] * vec3_length(area_vector(mesh->positions, mesh->triangles + 3 * t)) / 2;
        assert_near(masses[1], masses[0], 1e-13);
        assert_near(area, 1, 1e-12);
        stage_release(&whole);
        stage_release(&cut);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_state_is_that_of_every_integrator_and_step),
        cmocka_unit_test(forces_that_the_equations_bear_move_nothing_at_rest),
        cmocka_unit_test(a_semi_implicit_step_is_bound_after_any_number_of_iterations),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_curved_crease_and_pleats_neither_lock_nor_open),
        cmocka_unit_test(cuts_change_neither_mass_nor_area),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
