/* Integrators on energies beside springs, and on stiff forces of parts. */
#include "energy/well.h"
#include "solve/spring_run.h"

enum { POINTS = 40 };

static const spring_phases plain_phases = {1, 1, 0};

static ruga_status create_for(const integrator_def *def, ruga_context *context, size_t points, const double *masses,
                              energy_term *const *energies, size_t count, integrator **out) {
    integrator_system system = {
        .context = context, .point_count = points, .masses = masses, .energy_count = count, .energies = energies};
    return integrator_create(def, &system, out);
}

static const integrator_kind general[3] = {INTEGRATOR_EXPLICIT, INTEGRATOR_SEMI_IMPLICIT, INTEGRATOR_IMPLICIT};

/* A mass m in a quadratic well κ with damping c, distance x: v' = (m v - h κ x - [explicit: h c v]) / (m + [h c] + [h²
 * κ]). */
static void a_mass_in_a_well_moves_by_theory(void **state) {
    const vec3 places[2] = {{0, 0, 0}, {5, 5, 5}};
    const double masses[2] = {3, 0.5}, kappa = 5000, c = 20, h = 0.5;
    const vec3 x[2] = {{2, 0, 0}, {5, 4, 5}}, v[2] = {{1, 0, 0}, {0, 0, -2}};
    well wells = well_make(*state, 2, places, kappa, 0, c);
    energy_term *term = &wells.base;
    for (int k = 0; k < 3; k++) {
        integrator_def def = def_of(general[k]);
        integrator *solver;
        integrator_report report;
        vec3 next[2];
        assert_ok(*state, create_for(&def, *state, 2, masses, &term, 1, &solver));
        integrator_step step = {.dt = h, .positions = x, .velocities = v};
        assert_ok(*state, integrator_solve(solver, &step, next, &report));
        for (int i = 0; i < 2; i++) {
            vec3 pull = vec3_scale(vec3_sub(x[i], places[i]), -h * kappa), m_v = vec3_scale(v[i], masses[i]);
            if (general[k] == INTEGRATOR_EXPLICIT) m_v = vec3_add_scaled(m_v, v[i], -h * c);
            double mass = masses[i] + (general[k] == INTEGRATOR_EXPLICIT ? 0 : h * c) +
                          (general[k] == INTEGRATOR_IMPLICIT ? h * h * kappa : 0);
            vec3 expected = vec3_scale(vec3_add(m_v, pull), 1 / mass);
            assert_less(vec3_distance(next[i], expected), 1e-12 * (1 + vec3_length(expected)));
        }
        assert_near(report.elastic_energy, kappa * (4 + 1) / 2, 1e-9);
        integrator_destroy(solver);
    }
    well_release(&wells);
}

/* A stiff double well at a large step: the implicit step never gains energy from the definite Hessian's side and
 * settles. */
static void implicit_is_stable_in_a_stiff_well_at_any_step(void **state) {
    vec3 places[POINTS], x[POINTS], v[POINTS], next[POINTS];
    double masses[POINTS];
    test_random random = {4};
    for (size_t i = 0; i < POINTS; i++) {
        places[i] = random_vec3(&random, -1, 1);
        x[i] = vec3_add(places[i], random_vec3(&random, -1, 1));
        v[i] = random_vec3(&random, -1, 1);
        masses[i] = random_between(&random, 0.1, 1);
    }
    well wells = well_make(*state, POINTS, places, 1e7, 0.5, 0);
    energy_term *term = &wells.base;
    integrator_def def = def_of(INTEGRATOR_IMPLICIT);
    integrator *solver;
    integrator_report report;
    assert_ok(*state, create_for(&def, *state, POINTS, masses, &term, 1, &solver));
    for (int k = 0; k < 300; k++) {
        integrator_step step = {.dt = 0.1, .positions = x, .velocities = v};
        assert_ok(*state, integrator_solve(solver, &step, next, &report));
        assert_true(report.converged);
        for (size_t i = 0; i < POINTS; i++) {
            v[i] = next[i];
            x[i] = vec3_add_scaled(x[i], v[i], 0.1);
        }
    }
    for (size_t i = 0; i < POINTS; i++) assert_near(vec3_distance(x[i], places[i]), 0.5, 1e-6);
    integrator_destroy(solver);
    well_release(&wells);
}

/* Springs in two networks are those of one. */
static void energies_add_up(void **state) {
    static spring_sheet sheet;
    sheet_make(&sheet, 6, 0.1, 80, 0.02, 1);
    spring_network *whole, *halves[2];
    spring parts[2][6 * 36];
    size_t counts[2] = {0, 0};
    for (size_t e = 0; e < sheet.spring_count; e++) parts[e % 2][counts[e % 2]++] = sheet.springs[e];
    assert_ok(*state,
              spring_network_create(*state, 36, sheet.springs, sheet.spring_count, plain_phases, NULL, 0, &whole));
    for (int k = 0; k < 2; k++)
        assert_ok(*state, spring_network_create(*state, 36, parts[k], counts[k], plain_phases, NULL, 0, &halves[k]));
    double masses[36];
    vec3 x[36], v[36], next[2][36];
    test_random random = {8};
    for (size_t i = 0; i < 36; i++) {
        masses[i] = random_between(&random, 0.01, 0.1);
        x[i] = vec3_add(sheet.x[i], random_vec3(&random, -0.02, 0.02));
        v[i] = random_vec3(&random, -1, 1);
    }
    const uint32_t pins[2] = {0, 5};
    const vec3 pin_velocities[2] = {{0, 0, 0}, {0, 0.3, 0}};
    for (int k = 0; k < 3; k++) {
        integrator_def def = def_of(general[k]);
        double elastic[2];
        for (int split = 0; split < 2; split++) {
            energy_term *terms[2] = {split ? &halves[0]->base : &whole->base, &halves[1]->base};
            integrator *solver;
            integrator_report report;
            assert_ok(*state, create_for(&def, *state, 36, masses, terms, split ? 2 : 1, &solver));
            integrator_step step = {.dt = 0.01,
                                    .gravity = {0, -9.81, 0},
                                    .positions = x,
                                    .velocities = v,
                                    .pin_count = 2,
                                    .pins = pins,
                                    .pin_velocities = pin_velocities};
            assert_ok(*state, integrator_solve(solver, &step, next[split], &report));
            elastic[split] = report.elastic_energy;
            integrator_destroy(solver);
        }
        for (size_t i = 0; i < 36; i++) assert_less(vec3_distance(next[0][i], next[1][i]), 1e-11);
        assert_near(elastic[0], elastic[1], 1e-12 * elastic[0]);
    }
    spring_network_destroy(whole);
    for (int k = 0; k < 2; k++) spring_network_destroy(halves[k]);
}

/* ---- Parts' forces. */

/* A row of points, each tethered by a stiffness of its own. */
typedef struct tethers {
    double stiffness[POINTS];
    int product_count;
} tethers;

static ruga_status tether_product(void *user, const vec3 *direction, vec3 *product) {
    tethers *t = user;
    t->product_count++;
    for (int i = 0; i < POINTS; i++) product[i] = vec3_add_scaled(product[i], direction[i], -t->stiffness[i]);
    return RUGA_OK;
}

static ruga_status tether_blocks(void *user, mat3 *blocks) {
    const tethers *t = user;
    for (int i = 0; i < POINTS; i++) mat3_add_identity(&blocks[i], -t->stiffness[i]);
    return RUGA_OK;
}

/* v' = (m v - h κ x) / (m + h² κ) for every point. Without blocks, conjugate gradients need an iteration for each
 * stiffness; with them the preconditioner is exact, as the springs between the points have next to no stiffness. */
static void stiff_forces_of_parts_are_implicit_with_blocks_in_the_preconditioner(void **state) {
    spring springs[POINTS];
    vec3 x[POINTS], v[POINTS], pushed[POINTS], next[POINTS];
    double masses[POINTS], h = 0.5;
    tethers t = {.product_count = 0};
    for (uint32_t i = 0; i < POINTS; i++) {
        springs[i] = (spring){i, (i + 1) % POINTS, SPRING_EDGE, 0, 1e-9, 0};
        x[i] = (vec3){1 + i, 2, 0};
        v[i] = (vec3){1, 0, 3};
        masses[i] = 0.3;
        t.stiffness[i] = 10 * pow(1.2, i);
        pushed[i] = vec3_add_scaled(v[i], x[i], -h * t.stiffness[i] / masses[i]);
    }
    spring_network *network;
    assert_ok(*state, spring_network_create(*state, POINTS, springs, POINTS, plain_phases, NULL, 0, &network));
    integrator_def def = def_of(INTEGRATOR_IMPLICIT);
    integrator *solver;
    integrator_report reports[2];
    assert_ok(*state, create_for_springs(&def, network, masses, &solver));
    for (int k = 0; k < 2; k++) {
        integrator_step step = {.dt = h,
                                .positions = x,
                                .velocities = pushed,
                                .force_product = tether_product,
                                .force_blocks = k ? tether_blocks : NULL,
                                .user = &t};
        assert_ok(*state, integrator_solve(solver, &step, next, &reports[k]));
    }
    for (int i = 0; i < POINTS; i++) {
        vec3 expected = vec3_scale(vec3_add_scaled(vec3_scale(v[i], masses[i]), x[i], -h * t.stiffness[i]),
                                   1 / (masses[i] + h * h * t.stiffness[i]));
        assert_less(vec3_distance(next[i], expected), 1e-9);
    }
    assert_true(reports[1].converged);
    assert_at_most(reports[1].iterations, 3);
    assert_less(10 * reports[1].iterations, reports[0].iterations);
    assert_less(0, t.product_count);
    integrator_destroy(solver);
    spring_network_destroy(network);
}

/* ---- Threads, memory, refusals. */

/* Steps of a sheet in wells with a part; returns whether all went well. */
static ruga_status run_all(ruga_context *context, integrator_kind kind, int steps, counting_allocator *counter,
                           vec3 *out) {
    static spring_sheet sheet;
    sheet_make(&sheet, 6, 0.1, 80, 0.02, 1);
    spring_network *network = NULL;
    integrator *solver = NULL;
    vec3 x[36], v[36], next[36];
    double masses[36];
    well wells = well_make(context, 36, sheet.x, 50, 0.1, 0.1);
    tethers t = {.product_count = 0};
    for (size_t i = 0; i < 36; i++) {
        x[i] = vec3_add(sheet.x[i], (vec3){0, 0, 0.1 * sin((double)i)});
        v[i] = (vec3){0, 0, 0};
        masses[i] = 0.01 * (double)(1 + i % 3);
        t.stiffness[i] = 0.1;
    }
    integrator_def def = def_of(kind);
    ruga_status status =
        spring_network_create(context, 36, sheet.springs, sheet.spring_count, plain_phases, NULL, 0, &network);
    energy_term *terms[2] = {&wells.base, network ? &network->base : NULL};
    if (!RUGA_FAILED(status)) status = create_for(&def, context, 36, masses, terms, 2, &solver);
    long before = 0;
    for (int k = 0; k < steps && !RUGA_FAILED(status); k++) {
        integrator_step step = {.dt = 0.002, .gravity = {0, -9.81, 0}, .positions = x, .velocities = v, .user = &t};
        integrator_report report;
        if (k == 1 && counter) before = counter->allocations;
        status = integrator_solve(solver, &step, next, &report);
        for (size_t i = 0; i < 36; i++) {
            v[i] = next[i];
            x[i] = vec3_add_scaled(x[i], v[i], 0.002);
        }
    }
    if (counter && steps > 1) assert_int_equal(counter->allocations, before);
    if (out) memcpy(out, x, sizeof x);
    integrator_destroy(solver);
    spring_network_destroy(network);
    well_release(&wells);
    return status;
}

static void results_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        vec3 x[2][36];
        for (int threads = 1; threads <= 2; threads++) {
            ruga_context *context = context_plain(threads == 1 ? 1 : 5);
            assert_ok(context, run_all(context, general[k], 10, NULL, x[threads - 1]));
            ruga_context_destroy(context);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
}

static void a_step_allocates_only_the_first_time(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        assert_ok(context, run_all(context, general[k], 4, &counter, NULL));
        ruga_context_destroy(context);
    }
}

static ruga_status run_once(ruga_context *context, void *user) {
    return run_all(context, *(const integrator_kind *)user, 1, NULL, NULL);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) assert_every_allocation_may_fail(run_once, (void *)&general[k]);
}

static void integrators_of_springs_alone_refuse_other_energies(void **state) {
    const vec3 places[2] = {{0, 0, 0}, {0, 0, 0}};
    const double masses[2] = {1, 1};
    well wells = well_make(*state, 2, places, 1, 0, 0);
    energy_term *term = &wells.base;
    const integrator_kind kinds[2] = {INTEGRATOR_APPROXIMATE_IMPLICIT, INTEGRATOR_FILTER};
    integrator *solver = NULL;
    for (int k = 0; k < 2; k++) {
        integrator_def def = def_of(kinds[k]);
        assert_status(create_for(&def, *state, 2, masses, &term, 1, &solver), RUGA_ERROR_INPUT);
        assert_message_has(*state, "wells");
        assert_message_has(*state, "use implicit");
    }
    integrator_def def = def_of(INTEGRATOR_IMPLICIT);
    assert_status(create_for(&def, *state, 1, masses, &term, 1, &solver), RUGA_ERROR_INPUT);
    assert_message_has(*state, "is over 2 points, but there are 1");
    assert_null(solver);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_in_a_well_moves_by_theory),
        cmocka_unit_test(implicit_is_stable_in_a_stiff_well_at_any_step),
        cmocka_unit_test(energies_add_up),
        cmocka_unit_test(stiff_forces_of_parts_are_implicit_with_blocks_in_the_preconditioner),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_step_allocates_only_the_first_time),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(integrators_of_springs_alone_refuse_other_energies),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
