/* The two-level preconditioner inside steps of `implicit`: the same solutions as block Jacobi, with pins, contact,
 * drags and further energies; what their tolerance bounds; where it is chosen; bits, allocations. */
#include "base/isa.h"
#include "energy/spring_hessian.h"
#include "energy/well.h"
#include "solve/spring_run.h"

#define H (1.0 / 60)
enum { SIDE = 30 };

static spring_sheet sheet;

static integrator_def def_by(integrator_preconditioner preconditioner) {
    integrator_def def = def_of(INTEGRATOR_IMPLICIT);
    def.preconditioner = preconditioner;
    return def;
}

/* A sheet that is waved, pinned at two corners. */
static void hang(spring_run *r, ruga_context *context, const integrator_def *def, double stiffness) {
    sheet_make(&sheet, SIDE, 0.9 / SIDE, stiffness, 0.01, 1);
    run_make(r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.3 / (SIDE * SIDE), def);
    r->gravity = (vec3){0, -9.81, 0};
    r->pin_count = 2;
    r->pins[1] = SIDE - 1;
    r->pin_velocities[0] = (vec3){0.3, 0, 1};
    for (size_t i = 0; i < r->count; i++) {
        r->x[i].z = 0.05 * sin(9 * r->x[i].x);
        r->v[i] = (vec3){0, 0, 0.5 * cos(9 * r->x[i].x + r->x[i].y)};
    }
}

static double difference(const spring_run *a, const spring_run *b) {
    double most = 0;
    for (size_t i = 0; i < a->count; i++) most = fmax(most, vec3_distance(a->next[i], b->next[i]));
    return most;
}

static void both_preconditioners_give_one_solution(void **state) {
    integrator_def one = def_by(PRECONDITION_BLOCKS), other = def_by(PRECONDITION_TWO_LEVEL);
    spring_run a, b;
    hang(&a, *state, &one, 5000);
    hang(&b, *state, &other, 5000);
    for (int step = 0; step < 3; step++) {
        run_solve(&a, H);
        run_solve(&b, H);
        assert_less(difference(&a, &b), 1e-8);
        assert_true(b.report.is_two_level && !a.report.is_two_level && b.report.converged);
        assert_less_case(3 * b.report.iterations, a.report.iterations, "step %d", step);
        run_advance(&a, H);
        memcpy(b.x, a.x, a.count * sizeof *a.x);
        memcpy(b.v, a.v, a.count * sizeof *a.v);
    }
    run_release(&a);
    run_release(&b);
}

/* eᵀAe of a difference of two velocities, for A at the start of the step. */
static double energy_square(spring_run *r, const vec3 *a, const vec3 *b) {
    static vec3 e[SIDE * SIDE], product[SIDE * SIDE];
    spring_hessian hessian;
    double sum = 0;
    for (size_t i = 0; i < r->count; i++) e[i] = vec3_sub(a[i], b[i]);
    assert_ok(r->context, spring_hessian_make(r->network, &hessian));
    spring_hessian_linearise(&hessian, r->x, (energy_weights){H * H, H}, 1);
    spring_hessian_multiply(&(spring_product_pass){&hessian, r->masses, 1, e, product});
    for (size_t i = 0; i < r->count; i++) sum += vec3_dot(e[i], product[i]);
    spring_hessian_release(&hessian);
    return sum;
}

/* A sheet that hangs from its upper border, stretched. */
static void pull(spring_run *r, ruga_context *context, const integrator_def *def, size_t side, double stiffness,
                 double stretch) {
    sheet_make(&sheet, side, 0.9 / (double)side, stiffness, 0.01, 1);
    run_make(r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.3 / (double)(side * side), def);
    r->gravity = (vec3){0, -9.81, 0};
    r->pin_count = side;
    for (uint32_t i = 0; i < side; i++) r->pins[i] = i;
    for (size_t i = 0; i < r->count; i++) r->x[i].y *= stretch;
}

/* The tolerance bounds the error in the norm of A, relative to the effect of gravity and the error of the first guess,
 * which is free fall: a pinned sheet has 20 times the former, a stretched one 120 times. So both preconditioners give
 * one solution up to twice that bound, for small sheets and large ones. */
static void the_tolerance_bounds_the_error_with_both(void **state) {
    static const struct {
        size_t side;
        double stiffness, stretch;
    } cases[] = {{6, 5, 1}, {6, 5, 2}, {6, 5000, 1.01}, {SIDE, 50, 2}, {SIDE, 5000, 1}};
    static vec3 exact[SIDE * SIDE], guess[SIDE * SIDE];
    const double tolerances[] = {1e-12, 1e-3, 1e-5, 1e-7};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int k = 1; k < 8; k++) {
            integrator_def def = def_by(k % 2 ? PRECONDITION_BLOCKS : PRECONDITION_TWO_LEVEL);
            spring_run r;
            double scale = 0, tolerance = def.tolerance = tolerances[k / 2];
            def.most_iterations = 5000;
            pull(&r, *state, &def, cases[c].side, cases[c].stiffness, cases[c].stretch);
            run_solve(&r, H);
            assert_true(r.report.converged && r.report.is_two_level == (k % 2 == 0));
            if (k == 1) memcpy(exact, r.next, r.count * sizeof *exact);
            for (size_t i = 0; i < r.count; i++) {
                guess[i] = i < r.pin_count ? (vec3){0, 0, 0} : vec3_scale(r.gravity, H);
                scale += r.masses[i] * vec3_length2(vec3_scale(r.gravity, H));
            }
            double whole = scale + energy_square(&r, guess, exact);
            assert_less_case(energy_square(&r, r.next, exact), 4 * tolerance * tolerance * whole,
                             "case %zu, tolerance %g, %s", c, tolerance, k % 2 ? "blocks" : "two levels");
            run_release(&r);
        }
}

/* Half of the sheet lies on a plane, with friction that lets some points slide. */
static void contact_inside_the_solve_is_the_same(void **state) {
    for (int grip = 0; grip < 2; grip++) {
        integrator_def defs[2] = {def_by(PRECONDITION_BLOCKS), def_by(PRECONDITION_TWO_LEVEL)};
        static contact_hold holds[SIDE * SIDE];
        static vec3 impulses[2][SIDE * SIDE];
        spring_run runs[2];
        double most = 0;
        size_t held = 0;
        for (int k = 0; k < 2; k++) {
            defs[k].tolerance = 1e-10;
            hang(&runs[k], *state, &defs[k], 500);
            for (size_t i = 0; i < runs[k].count; i++)
                holds[i] = i % SIDE > SIDE / 2 && i > SIDE ? (contact_hold){{0, 0.6, 0.8}, {0.1, 0, 0}, 0.3 * grip}
                                                           : (contact_hold){0};
            integrator_step step = run_step(&runs[k], H);
            step.holds = holds;
            step.hold_impulses = impulses[k];
            assert_ok(*state, integrator_solve(runs[k].solver, &step, runs[k].next, &runs[k].report));
            assert_int_equal(runs[k].report.is_two_level, k);
            for (size_t i = 0; i < runs[k].count; i++) {
                double in = vec3_dot(holds[i].normal, vec3_sub(runs[k].next[i], holds[i].velocity));
                held += vec3_length2(holds[i].normal) > 0;
                if (vec3_length2(holds[i].normal) > 0) assert_less_case(-1e-7, in, "grip %d, k %d, i %zu", grip, k, i);
                most = fmax(most, vec3_length(impulses[k][i]));
            }
        }
        assert_less(0, most);
        assert_ran(held, 100);
        /* Without friction the solution is one; with it the rounds stop where each is settled to a few per cent. */
        assert_less(difference(&runs[0], &runs[1]), grip == 0 ? 1e-6 : 0.05);
        for (int k = 0; k < 2; k++) run_release(&runs[k]);
    }
}

/* Wells have no matrix: the step falls back. A second network of springs has one. */
static void energies_without_a_matrix_fall_back_and_others_are_assembled(void **state) {
    ruga_context *context = *state;
    integrator_def blocks = def_by(PRECONDITION_BLOCKS), levels = def_by(PRECONDITION_TWO_LEVEL);
    spring_run r;
    hang(&r, context, &blocks, 800);
    spring_network *second;
    assert_ok(context, spring_network_create(context, r.count, sheet.springs, sheet.spring_count / 2,
                                             (spring_phases){1, 1, 0}, NULL, 0, &second));
    well wells = well_make(context, r.count, sheet.x, 3, 0, 0.1);
    energy_term *lists[2][2] = {{&r.network->base, &wells.base}, {&r.network->base, &second->base}};
    vec3 *first = malloc(r.count * sizeof *first);
    for (int k = 0; k < 4; k++) {
        integrator_system system = {.context = context,
                                    .point_count = r.count,
                                    .masses = r.masses,
                                    .energy_count = 2,
                                    .energies = lists[k / 2]};
        integrator_destroy(r.solver);
        r.solver = NULL;
        assert_ok(context, integrator_create(k % 2 ? &levels : &blocks, &system, &r.solver));
        run_solve(&r, H);
        assert_int_equal(r.report.is_two_level, k == 3);
        if (k % 2 == 0) memcpy(first, r.next, r.count * sizeof *first);
        for (size_t i = 0; i < r.count; i++) assert_less(vec3_distance(first[i], r.next[i]), 1e-8);
    }
    free(first);
    well_release(&wells);
    spring_network_destroy(second);
    run_release(&r);
}

/* Weak bending is left out of the preconditioner of springs alone. With a further energy the matrix multiplies, too. */
static void weak_bending_is_in_the_solve(void **state) {
    ruga_context *context = *state;
    integrator_def defs[2] = {def_by(PRECONDITION_BLOCKS), def_by(PRECONDITION_TWO_LEVEL)};
    static vec3 found[2][SIDE * SIDE];
    spring_run r;
    spring_network *weak, *second;
    hang(&r, context, &defs[0], 5000);
    for (size_t k = 0; k < sheet.spring_count; k++)
        if (sheet.springs[k].kind == SPRING_BEND) sheet.springs[k].stiffness *= 0.009;
    assert_ok(context, spring_network_create(context, r.count, sheet.springs, sheet.spring_count,
                                             (spring_phases){1, 1, 0}, NULL, 0, &weak));
    assert_ok(context,
              spring_network_create(context, r.count, sheet.springs, 5, (spring_phases){1, 1, 0}, NULL, 0, &second));
    energy_term *list[2] = {&weak->base, &second->base};
    for (size_t energies = 1; energies <= 2; energies++) {
        for (int k = 0; k < 2; k++) {
            integrator_system system = {.context = context,
                                        .point_count = r.count,
                                        .masses = r.masses,
                                        .energy_count = energies,
                                        .energies = list};
            integrator_destroy(r.solver);
            assert_ok(context, integrator_create(&defs[k], &system, &r.solver));
            run_solve(&r, H);
            assert_int_equal(r.report.is_two_level, k);
            memcpy(found[k], r.next, sizeof found[k]);
        }
        for (size_t i = 0; i < r.count; i++)
            assert_less_case(vec3_distance(found[0][i], found[1][i]), 1e-8, "%zu energies, point %zu", energies, i);
    }
    run_release(&r); /* with the integrator, which reads them */
    spring_network_destroy(weak);
    spring_network_destroy(second);
}

/* ---- Forces of parts, as a sum of squares. */

enum { TIES = SIDE / 2 };

/* Ties pull the sheet's first line to its last, in three directions each. */
typedef struct tied {
    uint32_t points[2 * 3 * TIES];
    vec3 vectors[2 * 3 * TIES];
} tied;

static void tie(tied *t, double stiffness) {
    static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (uint32_t e = 0; e < 3 * TIES; e++)
        for (uint32_t c = 0; c < 2; c++) {
            t->points[2 * e + c] = 2 * (e / 3) + 1 + c * SIDE * (SIDE - 1);
            t->vectors[2 * e + c] = vec3_scale(axes[e % 3], (c ? -1 : 1) * sqrt(stiffness * (1 + e % 3)));
        }
}

static ruga_status tie_product(void *user, const vec3 *direction, vec3 *product) {
    const tied *t = user;
    for (size_t e = 0; e < 3 * TIES; e++) {
        double along = 0;
        for (size_t c = 2 * e; c < 2 * e + 2; c++) along += vec3_dot(t->vectors[c], direction[t->points[c]]);
        for (size_t c = 2 * e; c < 2 * e + 2; c++)
            product[t->points[c]] = vec3_add_scaled(product[t->points[c]], t->vectors[c], -along);
    }
    return RUGA_OK;
}

static ruga_status tie_blocks(void *user, mat3 *blocks) {
    const tied *t = user;
    for (size_t c = 0; c < 2 * 3 * TIES; c++) mat3_add_outer(&blocks[t->points[c]], -1, t->vectors[c], t->vectors[c]);
    return RUGA_OK;
}

static ruga_status tie_squares(void *user, block_squares *out) {
    const tied *t = user;
    *out = (block_squares){3 * TIES, 2, t->points, t->vectors, NULL};
    return RUGA_OK;
}

/* Springs alone multiply by their own lists, and with a second network by the matrix. Squares that are only a part of
 * the derivative leave block Jacobi. */
static void forces_of_parts_that_are_squares_are_in_the_matrix(void **state) {
    ruga_context *context = *state;
    integrator_def blocks = def_by(PRECONDITION_BLOCKS), levels = def_by(PRECONDITION_TWO_LEVEL);
    static tied ties;
    spring_run r;
    spring_network *second;
    vec3 *first = malloc(SIDE * SIDE * sizeof *first);
    tie(&ties, 20000);
    hang(&r, context, &blocks, 5000);
    assert_ok(context, spring_network_create(context, r.count, sheet.springs, sheet.spring_count / 2,
                                             (spring_phases){1, 1, 0}, NULL, 0, &second));
    energy_term *list[2] = {&r.network->base, &second->base};
    for (size_t energies = 1; energies <= 2; energies++) {
        int iterations[3];
        for (int k = 0; k < 3; k++) {
            integrator_system system = {.context = context,
                                        .point_count = r.count,
                                        .masses = r.masses,
                                        .energy_count = energies,
                                        .energies = list};
            integrator_destroy(r.solver);
            assert_ok(context, integrator_create(k == 0 ? &blocks : &levels, &system, &r.solver));
            integrator_step step = run_step(&r, H);
            step.force_product = tie_product;
            step.force_blocks = tie_blocks;
            step.force_squares = tie_squares;
            step.squares_are_whole = k < 2;
            step.user = &ties;
            assert_ok(context, integrator_solve(r.solver, &step, r.next, &r.report));
            assert_int_equal(r.report.is_two_level, k == 1);
            assert_true(r.report.converged);
            iterations[k] = r.report.iterations;
            for (size_t i = 0; k > 0 && i < r.count; i++) assert_less(vec3_distance(r.next[i], first[i]), 1e-6);
            if (k == 0) memcpy(first, r.next, r.count * sizeof *first);
        }
        assert_less_case(2 * iterations[1], iterations[0], "%zu energies", energies);
    }
    free(first);
    run_release(&r);
    spring_network_destroy(second);
}

/* By itself: only for systems that are large and stiff, and never for semi_implicit. */
static void small_or_soft_systems_keep_block_jacobi(void **state) {
    integrator_def automatic = def_by(PRECONDITION_AUTO), blocks = def_by(PRECONDITION_BLOCKS);
    integrator_def semi = def_by(PRECONDITION_TWO_LEVEL);
    semi.kind = INTEGRATOR_SEMI_IMPLICIT;
    spring_run a, b;
    hang(&a, *state, &automatic, 5000);
    hang(&b, *state, &blocks, 5000);
    run_solve(&a, H);
    run_solve(&b, H);
    assert_false(a.report.is_two_level);
    assert_memory_equal(a.next, b.next, a.count * sizeof *a.next);
    run_release(&a);
    run_release(&b);
    hang(&a, *state, &semi, 1);
    run_solve(&a, 0.001);
    assert_false(a.report.is_two_level);
    run_release(&a);
}

static void threads_and_instruction_sets_change_no_bit(void **state) {
    (void)state;
    static const int threads[3] = {1, 2, 5};
    static vec3 first[SIDE * SIDE];
    integrator_def def = def_by(PRECONDITION_TWO_LEVEL);
    def.tolerance = 1e-4;
    size_t ran = 0;
    for (int k = 0; k < 3; k++)
        for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
            if (isa_choose(isa) != isa) continue;
            ruga_context *context = context_plain(threads[k]);
            context->isa = isa;
            spring_run r;
            hang(&r, context, &def, 5000);
            for (int step = 0; step < 3; step++) run_advance(&r, H);
            assert_true(r.report.is_two_level);
            if (ran++ == 0) memcpy(first, r.x, sizeof first);
            assert_memory_equal(first, r.x, sizeof first);
            run_release(&r);
            ruga_context_destroy(context);
        }
    assert_ran(ran, 3);
}

static void steps_after_the_first_allocate_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    integrator_def def = def_by(PRECONDITION_TWO_LEVEL);
    def.tolerance = 1e-4;
    spring_run r;
    hang(&r, context, &def, 5000);
    run_advance(&r, H);
    long before = counter.allocations;
    for (int step = 0; step < 3; step++) run_advance(&r, H / (step + 1));
    assert_true(r.report.is_two_level);
    assert_int_equal(counter.allocations, before);
    run_release(&r);
    ruga_context_destroy(context);
}

static ruga_status make_and_step(ruga_context *context, void *user) {
    (void)user;
    enum { N = 6 };
    static vec3 v[N * N], out[N * N];
    static double masses[N * N];
    const integrator_def def = def_by(PRECONDITION_TWO_LEVEL);
    spring_network *network;
    integrator *solver = NULL;
    integrator_report report;
    sheet_make(&sheet, N, 0.1, 100, 0.01, 1);
    for (size_t i = 0; i < sheet.count; i++) masses[i] = 0.01;
    TRY(spring_network_create(context, sheet.count, sheet.springs, sheet.spring_count, (spring_phases){1, 1, 0}, NULL,
                              0, &network));
    ruga_status status = create_for_springs(&def, network, masses, &solver);
    integrator_step step = {.dt = H, .gravity = {0, -9.81, 0}, .positions = sheet.x, .velocities = v};
    if (!RUGA_FAILED(status)) status = integrator_solve(solver, &step, out, &report);
    /* A step that failed can be taken again. */
    if (status == RUGA_ERROR_MEMORY && solver) {
        ruga_status again = integrator_solve(solver, &step, out, &report);
        assert_true(again == RUGA_OK || again == RUGA_ERROR_MEMORY);
    }
    integrator_destroy(solver);
    spring_network_destroy(network);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(50, assert_every_allocation_may_fail(make_and_step, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_preconditioners_give_one_solution),
        cmocka_unit_test(the_tolerance_bounds_the_error_with_both),
        cmocka_unit_test(contact_inside_the_solve_is_the_same),
        cmocka_unit_test(energies_without_a_matrix_fall_back_and_others_are_assembled),
        cmocka_unit_test(weak_bending_is_in_the_solve),
        cmocka_unit_test(forces_of_parts_that_are_squares_are_in_the_matrix),
        cmocka_unit_test(small_or_soft_systems_keep_block_jacobi),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(steps_after_the_first_allocate_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
