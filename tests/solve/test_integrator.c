/* Integrators of springs against each other, under pins, threads, changes, and what can't be. */
#include "base/isa.h"
#include "energy/spring_mesh.h"
#include "solve/spring_run.h"
#include "support/shapes.h"

static spring_sheet sheet;

static void hang_sheet(spring_run *r, ruga_context *context, const integrator_def *def, size_t n, double k, double c) {
    sheet_make(&sheet, n, 0.9 / (double)n, k, c, 1);
    run_make(r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.3 / (double)(n * n), def);
    r->gravity = (vec3){0, -9.81, 0};
    r->pin_count = 2;
    r->pins[0] = 0;
    r->pins[1] = (uint32_t)n - 1;
}

/* A wave that runs along the sheet. */
static void wave(spring_run *r) {
    for (size_t i = 0; i < r->count; i++) {
        r->x[i].z = 0.05 * sin(9 * r->x[i].x);
        r->v[i] = (vec3){0, 0, 0.5 * cos(9 * r->x[i].x + r->x[i].y)};
    }
}

/* ---- Against each other. */

static void many_sweeps_are_the_filter(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    integrator_def filter = def_of(INTEGRATOR_FILTER);
    double before = 1e300, residual = 1;
    for (int sweeps = 2; sweeps <= 512; sweeps *= 2) {
        integrator_def def = def_sweeps(sweeps);
        spring_run a, b;
        hang_sheet(&a, context, &filter, 8, 100, 0.05);
        hang_sheet(&b, context, &def, 8, 100, 0.05);
        a.pin_velocities[0] = b.pin_velocities[0] = (vec3){0.3, 0, 1};
        wave(&a);
        wave(&b);
        run_solve(&a, 1.0 / 60);
        run_solve(&b, 1.0 / 60);
        double error = 0;
        for (size_t i = 0; i < a.count; i++) error = fmax(error, vec3_distance(a.next[i], b.next[i]));
        assert_less_case(error, fmax(before, 1e-12), "%d sweeps", sweeps);
        if (sweeps > 4) assert_less_case(b.report.residual, fmax(0.9 * residual, 1e-14), "%d sweeps", sweeps);
        if (sweeps > 2) residual = b.report.residual;
        if (sweeps == 512) assert_less(error, 1e-12);
        before = error;
        run_release(&a);
        run_release(&b);
    }
    ruga_context_destroy(context);
}

/* First order: half the step, half the error. The fine explicit run is as good as exact. */
static void implicit_converges_to_a_fine_explicit_run(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double errors[2], length = 0.2;
    integrator_def fine = def_of(INTEGRATOR_EXPLICIT), implicit = def_of(INTEGRATOR_IMPLICIT);
    spring_run exact;
    hang_sheet(&exact, context, &fine, 6, 40, 0.02);
    wave(&exact);
    for (int step = 0; step < 25600; step++) run_advance(&exact, length / 25600);
    for (int k = 0; k < 2; k++) {
        int steps = 800 << k;
        spring_run r;
        hang_sheet(&r, context, &implicit, 6, 40, 0.02);
        wave(&r);
        for (int step = 0; step < steps; step++) run_advance(&r, length / steps);
        errors[k] = 0;
        for (size_t i = 0; i < r.count; i++) errors[k] = fmax(errors[k], vec3_distance(r.x[i], exact.x[i]));
        run_release(&r);
    }
    assert_less(errors[0], 2e-3);
    assert_less(1.7, errors[0] / errors[1]);
    assert_less(errors[0] / errors[1], 2.5);
    run_release(&exact);
    ruga_context_destroy(context);
}

static void semi_implicit_without_damping_is_explicit_and_bears_any_damping(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    integrator_def one = def_of(INTEGRATOR_EXPLICIT), other = def_of(INTEGRATOR_SEMI_IMPLICIT);
    spring_run a, b;
    hang_sheet(&a, context, &one, 5, 10, 0);
    hang_sheet(&b, context, &other, 5, 10, 0);
    wave(&a);
    wave(&b);
    run_solve(&a, 0.002);
    run_solve(&b, 0.002);
    for (size_t i = 0; i < a.count; i++) assert_less(vec3_distance(a.next[i], b.next[i]), 1e-12);
    run_release(&a);
    run_release(&b);

    hang_sheet(&b, context, &other, 5, 10, 1000);
    wave(&b);
    for (int step = 0; step < 500; step++) run_advance(&b, 0.002);
    assert_less(run_energy(&b), 10);
    run_release(&b);
    ruga_context_destroy(context);
}

/* A point on an outer spring alone: v' = (m v - h κ x) / (m + h² κ). */
static ruga_status outer_product(void *user, const vec3 *direction, vec3 *product) {
    for (int i = 0; i < 2; i++) product[i] = vec3_add_scaled(product[i], direction[i], -*(double *)user);
    return RUGA_OK;
}

static void implicit_takes_the_derivative_of_outer_forces(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const spring one = {0, 1, SPRING_EDGE, 0, 1e-9, 0};
    const vec3 x[2] = {{2, 0, 0}, {2, 0, 0}};
    integrator_def def = def_of(INTEGRATOR_IMPLICIT);
    spring_run r;
    run_make(&r, context, 2, x, &one, 1, 3, &def);
    double kappa = 50, h = 0.5;
    for (int i = 0; i < 2; i++) {
        r.forces[i] = vec3_scale(x[i], -kappa);
        r.v[i] = (vec3){1, 0, 0};
    }
    integrator_step step = run_step(&r, h);
    step.force_product = outer_product;
    step.user = &kappa;
    assert_ok(context, integrator_solve(r.solver, &step, r.next, &r.report));
    assert_near(r.next[0].x, (3 * 1 - h * kappa * 2) / (3 + h * h * kappa), 1e-12);
    run_release(&r);
    ruga_context_destroy(context);
}

/* Near rest, where no spring is compressed much, M (v' - v) = h F(x + h v', v') up to squares: for flat and curved
 * meshes, with axial springs and both phases of compression. */
static void implicit_has_the_forces_of_the_end_of_the_step(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int round = 0; round < 3; round++) {
        ruga_mesh *mesh = round == 1 ? shape_cylinder(context, 12, 4) : shape_sheet(context, 5, 5);
        spring_material material = {
            .stretch = 50, .bend = 0.1, .damping_time = 0.01, .phases = {1, round == 2 ? 2 : 1, 0.1}, .axial = 1};
        spring_network *network;
        integrator *solver;
        assert_ok(context, spring_network_of_mesh(mesh, &material, &network));
        size_t n = mesh->vertex_count;
        double *masses = malloc(n * sizeof *masses), h = 0.05, size = 1e-6, error = 0, most = 0;
        vec3 *x = malloc(n * sizeof *x), *v = malloc(n * sizeof *v), *next = malloc(n * sizeof *next);
        vec3 *force = malloc(n * sizeof *force);
        test_random random = {21};
        for (size_t i = 0; i < n; i++) {
            masses[i] = random_between(&random, 0.01, 0.05);
            x[i] = vec3_add(mesh->positions[i], random_vec3(&random, -size, size));
            v[i] = random_vec3(&random, -size / h, size / h);
        }
        integrator_def def = def_of(INTEGRATOR_IMPLICIT);
        assert_ok(context, create_for_springs(&def, network, masses, &solver));
        integrator_step step = {.dt = h, .positions = x, .velocities = v};
        integrator_report report;
        assert_ok(context, integrator_solve(solver, &step, next, &report));
        assert_true(report.converged);
        for (size_t i = 0; i < n; i++) x[i] = vec3_add_scaled(x[i], next[i], h);
        spring_force_pass pass = {.positions = x, .velocities = next, .damped = 1, .gain = 1, .out = force};
        spring_network_forces(network, &pass);
        for (size_t i = 0; i < n; i++) {
            vec3 change = vec3_scale(vec3_sub(next[i], v[i]), masses[i]);
            error = fmax(error, vec3_distance(change, vec3_scale(force[i], h)));
            most = fmax(most, vec3_length(change));
        }
        assert_less(error, 1e-3 * most);
        integrator_destroy(solver);
        spring_network_destroy(network);
        ruga_mesh_destroy(mesh);
        free(masses);
        free(x);
        free(v);
        free(next);
        free(force);
    }
    ruga_context_destroy(context);
}

/* ---- Stability. */

static void stiff_springs_at_60_hz_stay_bounded_for_10000_steps(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    integrator_def def = integrator_def_default(), plain_explicit = def_of(INTEGRATOR_EXPLICIT);
    spring_run r;
    hang_sheet(&r, context, &def, 6, 1e6, 0);
    wave(&r);
    for (int step = 0; step < 10000; step++) run_advance(&r, 1.0 / 60);
    for (size_t i = 0; i < r.count; i++) assert_less(vec3_length(r.x[i]), 1e3);
    run_release(&r);

    hang_sheet(&r, context, &plain_explicit, 6, 1e6, 0);
    wave(&r);
    for (int step = 0; step < 10; step++) run_advance(&r, 1.0 / 60);
    assert_false(run_energy(&r) < 1e20);
    run_release(&r);
    ruga_context_destroy(context);
}

/* Still air drags a little. */
static void drag(spring_run *r) {
    for (size_t i = 0; i < r->count; i++) r->forces[i] = vec3_scale(r->v[i], -0.5 * r->masses[i]);
}

static void a_hanging_sheet_settles_with_every_integrator(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind < INTEGRATOR_COUNT; kind++) {
        integrator_def def = def_of((integrator_kind)kind);
        def.tolerance = 1e-6;
        spring_run r;
        hang_sheet(&r, context, &def, 5, 60, 0.3);
        wave(&r);
        int is_explicit = kind == INTEGRATOR_EXPLICIT || kind == INTEGRATOR_SEMI_IMPLICIT;
        double h = is_explicit ? 1.0 / 500 : 1.0 / 60, start = run_kinetic(&r);
        for (double t = 0; t < 40; t += h) {
            drag(&r);
            run_advance(&r, h);
        }
        assert_less(run_kinetic(&r), 1e-6 * start);
        run_release(&r);
    }
    ruga_context_destroy(context);
}

/* ---- Pins, threads, changes. */

static void pinned_points_have_the_velocity_they_are_given(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind <= INTEGRATOR_COUNT; kind++) {
        integrator_def def = kind < INTEGRATOR_COUNT ? def_of((integrator_kind)kind) : def_sweeps(10);
        spring_run r;
        hang_sheet(&r, context, &def, 5, 20, 0.1);
        r.pin_velocities[1] = (vec3){1, 2, 3};
        for (int step = 0; step < 3; step++) {
            run_advance(&r, 0.001);
            assert_true(vec3_length(r.v[0]) == 0 && vec3_distance(r.v[4], r.pin_velocities[1]) == 0);
        }
        assert_true(r.v[3].z > 0 || kind == INTEGRATOR_EXPLICIT || kind == INTEGRATOR_SEMI_IMPLICIT);
        run_release(&r);
    }
    ruga_context_destroy(context);
}

static void results_are_bit_identical_for_any_number_of_threads(void **state) {
    (void)state;
    for (int kind = 0; kind <= INTEGRATOR_COUNT; kind++) {
        vec3 *first = NULL;
        for (int threads = 1; threads <= 7; threads = threads == 1 ? 2 : threads + 5) {
            ruga_context *context = context_plain(threads);
            integrator_def def = kind < INTEGRATOR_COUNT ? def_of((integrator_kind)kind) : def_sweeps(10);
            def.conserve = 1;
            spring_run r;
            hang_sheet(&r, context, &def, 30, 50, 0.02);
            wave(&r);
            for (int step = 0; step < 3; step++) run_advance(&r, 0.002);
            if (first) assert_memory_equal(first, r.x, r.count * sizeof *r.x);
            if (!first) {
                first = malloc(r.count * sizeof *first);
                memcpy(first, r.x, r.count * sizeof *first);
            }
            run_release(&r);
            ruga_context_destroy(context);
        }
        free(first);
    }
}

static void conjugate_gradients_are_bit_identical_for_any_instruction_set(void **state) {
    (void)state;
    for (int kind = INTEGRATOR_SEMI_IMPLICIT; kind <= INTEGRATOR_IMPLICIT; kind++) {
        vec3 first[19 * 19];
        for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
            if (isa_choose(isa) != isa) continue;
            ruga_context *context = context_plain(1);
            context->isa = isa;
            integrator_def def = def_of((integrator_kind)kind);
            spring_run r;
            hang_sheet(&r, context, &def, 19, 50, 0.02);
            wave(&r);
            for (int step = 0; step < 3; step++) run_advance(&r, 0.002);
            if (isa == RUGA_ISA_SCALAR) memcpy(first, r.x, sizeof first);
            assert_memory_equal(first, r.x, sizeof first);
            run_release(&r);
            ruga_context_destroy(context);
        }
    }
}

/* Stiffness, masses, step and pins change between steps: as if it had been made so. */
static void changes_between_steps_count_at_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind < INTEGRATOR_COUNT; kind++) {
        integrator_def def = def_of((integrator_kind)kind);
        spring_run a, b;
        hang_sheet(&a, context, &def, 5, 10, 0.1);
        hang_sheet(&b, context, &def, 5, 30, 0.3);
        wave(&a);
        wave(&b);
        run_solve(&a, 0.001);
        assert_ok(context, spring_network_set_factor(a.network, 3));
        for (size_t i = 0; i < a.count; i++) a.masses[i] = b.masses[i] = 0.02;
        a.pin_count = b.pin_count = 1;
        integrator_masses_changed(a.solver);
        run_solve(&a, 0.002);
        run_solve(&b, 0.002);
        for (size_t i = 0; i < a.count; i++) assert_less(vec3_distance(a.next[i], b.next[i]), 1e-12);
        run_release(&a);
        run_release(&b);
    }
    ruga_context_destroy(context);
}

enum { CHANGE_STIFFNESS, CHANGE_MASSES, CHANGE_PINS, CHANGE_STEP, CHANGES };

static double change_one(spring_run *r, int which) {
    if (which == CHANGE_STIFFNESS) assert_ok(r->context, spring_network_set_factor(r->network, 3));
    for (size_t i = 0; i < r->count && which == CHANGE_MASSES; i++) r->masses[i] *= 2;
    if (which == CHANGE_MASSES) integrator_masses_changed(r->solver);
    if (which == CHANGE_PINS) r->pins[0] = 7;
    return which == CHANGE_STEP ? 0.002 : 0.001;
}

/* Data that an integrator keeps from step to step depends on each of these alone. */
static void each_change_alone_counts_at_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind < INTEGRATOR_COUNT; kind++)
        for (int which = 0; which < CHANGES; which++) {
            integrator_def def = def_of((integrator_kind)kind);
            spring_run changed, fresh;
            hang_sheet(&changed, context, &def, 5, 1000, 0.1);
            hang_sheet(&fresh, context, &def, 5, 1000, 0.1);
            wave(&changed);
            wave(&fresh);
            run_solve(&changed, 0.001);
            run_solve(&changed, change_one(&changed, which));
            run_solve(&fresh, change_one(&fresh, which));
            for (size_t i = 0; i < fresh.count; i++)
                assert_at_most(vec3_distance(changed.next[i], fresh.next[i]), 1e-12 * (1 + vec3_length(fresh.next[i])));
            run_release(&changed);
            run_release(&fresh);
        }
    ruga_context_destroy(context);
}

/* Damping that is not in proportion to the stiffness. */
static void each_spring_may_have_its_own_damping(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind < INTEGRATOR_COUNT; kind++) {
        spring_run r[2];
        for (int k = 0; k < 2; k++) {
            integrator_def def = def_of((integrator_kind)kind);
            sheet_make(&sheet, 4, 0.1, 10, 0.1, 1);
            for (size_t e = 0; e < sheet.spring_count; e++) {
                sheet.springs[e].stiffness *= (double)(1 + e % 3);
                sheet.springs[e].damping *= k == 0 ? 1 : (double)(1 + e % 3);
            }
            run_make(&r[k], context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.1, &def);
            wave(&r[k]);
        }
        assert_non_null(r[0].network->damping);
        assert_null(r[1].network->damping);
        /* More damping takes more energy. */
        double before = run_energy(&r[0]);
        for (int step = 0; step < 20; step++) {
            run_advance(&r[0], 0.001);
            run_advance(&r[1], 0.001);
        }
        assert_less(run_energy(&r[1]), run_energy(&r[0]));
        assert_less(run_energy(&r[0]), before);
        run_release(&r[0]);
        run_release(&r[1]);
    }
    ruga_context_destroy(context);
}

/* ---- Memory and bad input. */

static void a_step_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    for (int kind = 0; kind <= INTEGRATOR_COUNT; kind++) {
        integrator_def def = kind < INTEGRATOR_COUNT ? def_of((integrator_kind)kind) : def_sweeps(10);
        def.conserve = 1;
        spring_run r;
        hang_sheet(&r, context, &def, 8, 20, 0.1);
        long before = counter.allocations;
        for (int step = 0; step < 3; step++) run_advance(&r, 0.001 * (step + 1));
        assert_int_equal(counter.allocations, before);
        run_release(&r);
    }
    ruga_context_destroy(context);
}

static void what_can_not_be_is_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    integrator_def good = integrator_def_default(), bad[4] = {good, good, good, good};
    const char *parts[4] = {"sweeps is 3", "sweeps is 0", "tolerance is 0", "0 iterations"};
    bad[0].sweeps = 3;
    bad[1].sweeps = 0;
    bad[2].tolerance = 0;
    bad[3].most_iterations = 0;
    spring_run r;
    hang_sheet(&r, context, &good, 4, 20, 0.1);
    integrator *other;
    for (int k = 0; k < 4; k++) {
        assert_status(create_for_springs(&bad[k], r.network, r.masses, &other), RUGA_ERROR_INPUT);
        assert_message_has(context, parts[k]);
    }
    r.masses[7] = 0;
    assert_status(create_for_springs(&good, r.network, r.masses, &other), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 7 has a mass of 0 kg");
    integrator_step step = run_step(&r, -1);
    assert_status(integrator_solve(r.solver, &step, r.next, &r.report), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "step is -1 s");
    run_release(&r);
    ruga_context_destroy(context);
}

static ruga_status make_all(ruga_context *context, void *user) {
    (void)user;
    sheet_make(&sheet, 4, 0.1, 1, 0, 1);
    spring_network *network;
    double masses[16];
    for (int i = 0; i < 16; i++) masses[i] = 1;
    TRY(spring_network_create(context, sheet.count, sheet.springs, sheet.spring_count, (spring_phases){1, 1, 0}, NULL,
                              0, &network));
    ruga_status status = RUGA_OK;
    for (int kind = 0; kind < INTEGRATOR_COUNT && !RUGA_FAILED(status); kind++) {
        integrator_def def = def_of((integrator_kind)kind);
        def.sweeps = 4;
        def.conserve = 1;
        integrator *solver = NULL;
        status = create_for_springs(&def, network, masses, &solver);
        integrator_destroy(solver);
    }
    spring_network_destroy(network);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(make_all, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sweeps_are_the_filter),
        cmocka_unit_test(implicit_converges_to_a_fine_explicit_run),
        cmocka_unit_test(semi_implicit_without_damping_is_explicit_and_bears_any_damping),
        cmocka_unit_test(implicit_takes_the_derivative_of_outer_forces),
        cmocka_unit_test(implicit_has_the_forces_of_the_end_of_the_step),
        cmocka_unit_test(stiff_springs_at_60_hz_stay_bounded_for_10000_steps),
        cmocka_unit_test(a_hanging_sheet_settles_with_every_integrator),
        cmocka_unit_test(pinned_points_have_the_velocity_they_are_given),
        cmocka_unit_test(results_are_bit_identical_for_any_number_of_threads),
        cmocka_unit_test(conjugate_gradients_are_bit_identical_for_any_instruction_set),
        cmocka_unit_test(changes_between_steps_count_at_once),
        cmocka_unit_test(each_change_alone_counts_at_once),
        cmocka_unit_test(each_spring_may_have_its_own_damping),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(what_can_not_be_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
