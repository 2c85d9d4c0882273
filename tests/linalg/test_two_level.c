/* The two-level preconditioner and its parts: aggregates, factors of blocks, cycles. */
#include "linalg/two_level.h"

#include "base/isa.h"
#include "block_sheet.h"
#include "linalg/aggregate.h"
#include "linalg/block_ldl.h"
#include "linalg/cg.h"

static void random_points(size_t count, uint64_t seed, vec3 *out) {
    test_random random = {seed};
    for (size_t i = 0; i < count; i++) out[i] = random_vec3(&random, -1, 1);
}

/* ---- Aggregates. */

static void aggregates_are_connected_and_of_the_size_asked_for(void **state) {
    block_sheet *s = block_sheet_make(*state, 60, 10);
    uint32_t *group = malloc(s->count * sizeof *group), *queue = malloc(s->count * sizeof *queue);
    unsigned char *seen = calloc(s->count, 1);
    size_t count = 0, smallest = SIZE_MAX, largest = 0;
    assert_ok(*state, aggregate_graph(*state, s->count, s->matrix->offsets, s->matrix->columns, 30, group, &count));
    assert_less(s->count / 60, count);
    assert_less(count, s->count / 20);
    for (size_t a = 0; a < count; a++) {
        /* All members are reached from the first. */
        size_t head = 0, tail = 0, members = 0;
        for (size_t i = 0; i < s->count; i++) {
            if (group[i] != a) continue;
            if (members++ > 0) continue;
            queue[tail++] = (uint32_t)i;
            seen[i] = 1;
        }
        for (; head < tail; head++)
            for (size_t e = s->matrix->offsets[queue[head]]; e < s->matrix->offsets[queue[head] + 1]; e++) {
                uint32_t other = s->matrix->columns[e];
                if (group[other] != a || seen[other]) continue;
                queue[tail++] = other;
                seen[other] = 1;
            }
        assert_int_equal(tail, members);
        smallest = members < smallest ? members : smallest;
        largest = members > largest ? members : largest;
    }
    assert_at_most(5, smallest);
    assert_at_most(largest, 90);
    free(group);
    free(queue);
    free(seen);
    block_sheet_release(s);
}

static void points_without_neighbours_are_aggregates_of_their_own(void **state) {
    const uint32_t offsets[6] = {0, 0, 1, 2, 2, 2}, columns[2] = {2, 1};
    uint32_t group[5];
    size_t count = 0;
    assert_ok(*state, aggregate_graph(*state, 5, offsets, columns, 30, group, &count));
    assert_int_equal(count, 4);
    assert_int_equal(group[1], group[2]);
}

/* ---- Factors. */

/* A grid of 6 x 6 blocks: D + Σ (e_i - e_j)(e_i - e_j)ᵀ ⊗ w wᵀ. */
typedef struct block_grid {
    size_t side, count;
    uint32_t *offsets, *columns;
    double *values;
} block_grid;

static block_grid grid_make(size_t side, double diagonal) {
    block_grid g = {side, side * side, calloc(side * side + 1, sizeof(uint32_t)), calloc(5 * side * side, 4),
                    calloc(5 * side * side * LDL_NUMBERS, sizeof(double))};
    for (size_t i = 0; i < g.count; i++) {
        size_t at = g.offsets[i], own = at;
        const size_t x = i % side, y = i / side;
        const int there[4] = {x > 0, x + 1 < side, y > 0, y + 1 < side};
        const size_t others[4] = {i - 1, i + 1, i - side, i + side};
        g.columns[at++] = (uint32_t)i;
        for (size_t k = 0; k < LDL_SIDE; k++) g.values[LDL_NUMBERS * own + (LDL_STRIDE + 1) * k] = diagonal;
        for (int k = 0; k < 4; k++) {
            if (!there[k]) continue;
            test_random random = {(i < others[k] ? i : others[k]) * 2 + (k > 1)};
            double w[LDL_SIDE];
            for (int r = 0; r < LDL_SIDE; r++) w[r] = random_between(&random, -1, 1);
            for (size_t r = 0; r < 36; r++) {
                double value = w[r / 6] * w[r % 6];
                g.values[LDL_NUMBERS * own + LDL_STRIDE * (r / 6) + r % 6] += value;
                g.values[LDL_NUMBERS * at + LDL_STRIDE * (r / 6) + r % 6] -= value;
            }
            g.columns[at++] = (uint32_t)others[k];
        }
        g.offsets[i + 1] = (uint32_t)at;
    }
    return g;
}

static void grid_release(block_grid *g) {
    free(g->offsets);
    free(g->columns);
    free(g->values);
}

static void block_factors_solve_their_system(void **state) {
    block_grid g = grid_make(30, 0.5);
    block_ldl *f;
    assert_ok(*state, block_ldl_create(*state, g.count, g.offsets, g.columns, &f));
    assert_less(2 * g.count, block_ldl_entry_count(f));
    float *b = calloc(g.count * LDL_STRIDE, sizeof *b), *x = calloc(g.count * LDL_STRIDE, sizeof *x);
    test_random random = {9};
    for (int round = 0; round < 2; round++) {
        assert_true(block_ldl_factor(f, g.values, NULL));
        for (size_t k = 0; k < g.count * LDL_STRIDE; k++)
            x[k] = b[k] = k % LDL_STRIDE < LDL_SIDE ? (float)random_between(&random, -1, 1) : 1e30f;
        block_ldl_solve(f, x);
        for (size_t i = 0; i < g.count; i++)
            for (size_t r = 0; r < LDL_SIDE; r++) {
                double sum = -(double)b[LDL_STRIDE * i + r];
                for (size_t e = g.offsets[i]; e < g.offsets[i + 1]; e++)
                    for (size_t c = 0; c < LDL_SIDE; c++)
                        sum +=
                            g.values[LDL_NUMBERS * e + LDL_STRIDE * r + c] * (double)x[LDL_STRIDE * g.columns[e] + c];
                assert_less(fabs(sum), 2e-5);
            }
    }
    /* A matrix that is not definite is refused, and a good one is factored again after it. */
    double good = g.values[LDL_NUMBERS * (size_t)g.offsets[400]];
    g.values[LDL_NUMBERS * (size_t)g.offsets[400]] = -3;
    assert_false(block_ldl_factor(f, g.values, NULL));
    g.values[LDL_NUMBERS * (size_t)g.offsets[400]] = good;
    float *again = malloc(g.count * LDL_STRIDE * sizeof *again);
    memcpy(again, b, g.count * LDL_STRIDE * sizeof *again);
    assert_true(block_ldl_factor(f, g.values, NULL));
    block_ldl_solve(f, again);
    for (size_t k = 0; k < g.count * LDL_STRIDE; k++)
        if (k % LDL_STRIDE < LDL_SIDE) assert_memory_equal(&again[k], &x[k], sizeof *x);
    /* Where one row has changed, making only what follows from it gives the same bits. */
    unsigned char changed[30 * 30] = {0};
    for (size_t k = 0; k < LDL_SIDE; k++) g.values[LDL_NUMBERS * (size_t)g.offsets[123] + (LDL_STRIDE + 1) * k] += 1;
    changed[123] = 1;
    for (int whole = 0; whole < 2; whole++) {
        float *to = whole ? x : again;
        memcpy(to, b, g.count * LDL_STRIDE * sizeof *to);
        assert_true(block_ldl_factor(f, g.values, whole ? NULL : changed));
        block_ldl_solve(f, to);
    }
    for (size_t k = 0; k < g.count * LDL_STRIDE; k++)
        if (k % LDL_STRIDE < LDL_SIDE) assert_memory_equal(&again[k], &x[k], sizeof *x);
    free(b);
    free(x);
    free(again);
    block_ldl_destroy(f);
    grid_release(&g);
}

/* ---- Cycles. */

static two_level *levels_of(const block_sheet *s, two_level_hold_function *holds) {
    two_level *levels;
    assert_ok(s->context, two_level_create(s->matrix, NULL, 0, &levels));
    assert_true(two_level_refresh(levels, s->x, holds, s));
    return levels;
}

/* Every seventh point slides on a tilted plane with drag, every eleventh is fixed. */
static void some_holds(const void *user, size_t point, two_level_hold *out) {
    (void)user;
    if (point % 7 == 0)
        *out = (two_level_hold){TWO_LEVEL_PLANE, vec3_scale((vec3){1, 2, 2}, 1.0 / 3), point % 2 ? 5 : 0};
    if (point % 11 == 0) out->freedom = TWO_LEVEL_FIXED;
}

static vec3 free_part(size_t point, vec3 v) {
    two_level_hold hold = {0};
    some_holds(NULL, point, &hold);
    if (hold.freedom == TWO_LEVEL_FIXED) return (vec3){0, 0, 0};
    if (hold.freedom == TWO_LEVEL_PLANE) return vec3_add_scaled(v, hold.normal, -vec3_dot(hold.normal, v));
    return v;
}

static void assert_symmetric_and_definite(ruga_context *context, two_level *levels, size_t count) {
    vec3 *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    vec3 *pa = malloc(count * sizeof *a), *pb = malloc(count * sizeof *b);
    for (uint64_t round = 0; round < 10; round++) {
        random_points(count, 2 * round + 1, a);
        random_points(count, 2 * round + 2, b);
        two_level_apply(levels, a, pa);
        two_level_apply(levels, b, pb);
        double ab = cg_dot(context, count, a, pb), ba = cg_dot(context, count, b, pa);
        double aa = cg_dot(context, count, a, pa), bb = cg_dot(context, count, b, pb);
        assert_less_case(0, fmin(aa, bb), "round %d", (int)round);
        assert_near_case(ab, ba, 2e-4 * sqrt(aa * bb), "round %d", (int)round);
    }
    free(a);
    free(b);
    free(pa);
    free(pb);
}

static void the_cycle_is_symmetric_and_positive_definite(void **state) {
    for (int round = 0; round < 3; round++) {
        const int held = round > 0;
        block_sheet *s = block_sheet_make(*state, 70, 100);
        two_level *levels = levels_of(s, held ? some_holds : NULL);
        if (round > 1) {
            two_level_bound_by_numbers(levels);
            assert_true(two_level_refresh(levels, s->x, held ? some_holds : NULL, s));
        }
        assert_symmetric_and_definite(*state, levels, s->count);
        vec3 *in = malloc(s->count * sizeof *in), *out = malloc(s->count * sizeof *out);
        random_points(s->count, 3, in);
        two_level_apply(levels, in, out);
        for (size_t i = 0; held && i < s->count; i++)
            assert_less(vec3_distance(out[i], free_part(i, out[i])), 1e-5 * vec3_length(out[i]) + 1e-10);
        free(in);
        free(out);
        two_level_destroy(levels);
        block_sheet_release(s);
    }
}

static void fewer_holds(const void *user, size_t point, two_level_hold *out) {
    if (point % 3 == 0 || point > 2000) some_holds(user, point, out);
    out->drag *= 2;
}

static void changing_holds_gives_the_bits_of_a_refresh(void **state) {
    block_sheet *s = block_sheet_make(*state, 70, 100);
    two_level *levels = levels_of(s, some_holds), *fresh = levels_of(s, NULL);
    vec3 *in = malloc(s->count * sizeof *in), *out = malloc(s->count * sizeof *in),
         *same = malloc(s->count * sizeof *in);
    two_level_hold_function *const holds[3] = {fewer_holds, some_holds, NULL};
    random_points(s->count, 5, in);
    for (int k = 0; k < 3; k++) {
        assert_true(two_level_change(levels, k % 2, holds[k], NULL));
        assert_true(two_level_refresh(fresh, s->x, holds[k], NULL));
        two_level_apply(levels, in, out);
        two_level_apply(fresh, in, same);
        assert_memory_equal(out, same, s->count * sizeof *out);
    }
    free(in);
    free(out);
    free(same);
    two_level_destroy(levels);
    two_level_destroy(fresh);
    block_sheet_release(s);
}

/* Also where chunks cut the elements: the smallest eigenvalue of P A is positive, the largest near 1, as sqrt(xᵀAPAx /
 * xᵀAx) after the power method shows. A V-cycle with a symmetric smoother never exceeds 1. */
static void assert_no_overshoot(ruga_context *context, int by_numbers) {
    block_sheet *s = block_sheet_make(context, by_numbers ? 50 : 90, 3000);
    two_level *levels = levels_of(s, NULL);
    if (by_numbers) {
        two_level_bound_by_numbers(levels);
        assert_true(two_level_refresh(levels, s->x, NULL, s));
    }
    vec3 *x = malloc(s->count * sizeof *x), *ax = malloc(s->count * sizeof *x);
    random_points(s->count, 4, x);
    double largest = 0;
    for (int round = 0; round < 40; round++) {
        double size = 1 / sqrt(cg_dot(context, s->count, x, x));
        for (size_t i = 0; i < s->count; i++) x[i] = vec3_scale(x[i], size);
        block_matrix_multiply(s->matrix, x, ax);
        double energy = cg_dot(context, s->count, x, ax);
        two_level_apply(levels, ax, x);
        largest = cg_dot(context, s->count, ax, x) / energy;
    }
    assert_less(0.9, largest);
    assert_less(largest, 1.001);
    free(x);
    free(ax);
    two_level_destroy(levels);
    block_sheet_release(s);
}

static void the_cycle_never_overshoots(void **state) {
    for (int by_numbers = 0; by_numbers < 2; by_numbers++) assert_no_overshoot(*state, by_numbers);
}

/* One point has a force beyond single precision, its neighbours next to none. */
static void a_single_large_force_does_not_overflow(void **state) {
    block_sheet *s = block_sheet_make(*state, 20, 3000);
    two_level *levels = levels_of(s, NULL);
    vec3 *in = malloc(s->count * sizeof *in), *out = malloc(s->count * sizeof *out);
    for (size_t large = 100; large < 116; large++) {
        random_points(s->count, 4, in);
        for (size_t i = 0; i < s->count; i++) in[i] = vec3_scale(in[i], i == large ? 1e40 : 1e-20);
        two_level_apply(levels, in, out);
        for (size_t i = 0; i < s->count; i++) assert_true(vec3_is_finite(out[i]));
        assert_less(0, cg_dot(*state, s->count, in, out));
    }
    free(in);
    free(out);
    two_level_destroy(levels);
    block_sheet_release(s);
}

static void the_coarse_level_is_exact_for_rigid_motions(void **state) {
    block_sheet *s = block_sheet_make(*state, 50, 10);
    two_level *levels = levels_of(s, NULL);
    vec3 *u = malloc(s->count * sizeof *u), *r = malloc(s->count * sizeof *u), *z = malloc(s->count * sizeof *u);
    const vec3 move = {0.3, -1, 0.5}, turn = {1, 0.2, -0.7};
    for (size_t i = 0; i < s->count; i++)
        u[i] =
            (vec3){move.x + turn.y * s->x[i].z - turn.z * s->x[i].y, move.y + turn.z * s->x[i].x - turn.x * s->x[i].z,
                   move.z + turn.x * s->x[i].y - turn.y * s->x[i].x};
    block_matrix_multiply(s->matrix, u, r);
    two_level_apply_coarse(levels, r, z);
    for (size_t i = 0; i < s->count; i++) assert_less(vec3_distance(u[i], z[i]), 1e-3);
    free(u);
    free(r);
    free(z);
    two_level_destroy(levels);
    block_sheet_release(s);
}

/* ---- As a preconditioner. */

typedef struct preconditioned {
    const block_sheet *sheet;
    two_level *levels; /* NULL: the diagonal alone */
} preconditioned;

static ruga_status apply(void *user, const vec3 *in, vec3 *out) {
    block_matrix_multiply(((preconditioned *)user)->sheet->matrix, in, out);
    return RUGA_OK;
}

static void precondition(void *user, const vec3 *in, vec3 *out) {
    const preconditioned *p = user;
    const block_matrix *m = p->sheet->matrix;
    if (p->levels) {
        two_level_apply(p->levels, in, out);
        return;
    }
    for (size_t i = 0; i < m->point_count; i++) {
        const double *d = m->blocks + BLOCK_NUMBERS * (size_t)m->diagonals[i];
        out[i] = (vec3){in[i].x / d[0], in[i].y / d[4], in[i].z / d[8]};
    }
}

static double square(void *user, const vec3 *r) {
    const block_sheet *s = ((preconditioned *)user)->sheet;
    return cg_dot(s->context, s->count, r, r);
}

/* Solves for a smooth load and returns the iterations. */
static int solve(const block_sheet *s, two_level *levels, double tolerance, vec3 *x) {
    preconditioned p = {s, levels};
    cg_system system = {s->context, s->count, apply, precondition, &p, square, 0};
    cg_scratch scratch;
    cg_report report;
    assert_ok(s->context, cg_scratch_make(s->context, s->count, &scratch));
    for (size_t i = 0; i < s->count; i++) {
        x[i] = (vec3){0, 0, 0};
        scratch.residual[i] = (vec3){s->x[i].y, -1 + s->x[i].x, s->x[i].x * s->x[i].y};
    }
    assert_ok(s->context, cg_solve(&system, &scratch, 0, tolerance, 20000, x, &report));
    assert_true(report.converged);
    cg_scratch_release(s->context, &scratch);
    return report.iterations;
}

static void iterations_hardly_grow_with_resolution(void **state) {
    skip_unless_long();
    int with[2], without[2];
    for (int k = 0; k < 2; k++) {
        block_sheet *s = block_sheet_make(*state, k == 0 ? 32 : 128, 1);
        two_level *levels = levels_of(s, NULL);
        vec3 *x = malloc(s->count * sizeof *x);
        with[k] = solve(s, levels, 1e-3, x);
        without[k] = solve(s, NULL, 1e-3, x);
        free(x);
        two_level_destroy(levels);
        block_sheet_release(s);
    }
    assert_less(3 * without[0], without[1]);
    assert_less(with[1], 1.6 * with[0] + 5);
    assert_less(8 * with[1], without[1]);
}

/* Points of a corner of the sheet press against a wall across x: of other points each time. */
static void press(block_sheet *s, two_level *levels, size_t every, double stiffness) {
    for (size_t i = 0; i < s->count / 3; i++) {
        if (i % every > 0) continue;
        s->matrix->blocks[BLOCK_NUMBERS * (size_t)s->matrix->diagonals[i]] += stiffness;
        two_level_change_diagonal(levels, i);
    }
}

static void blocks_on_the_diagonal_may_change_without_a_refresh(void **state) {
    block_sheet *s = block_sheet_make(*state, 70, 100);
    two_level *levels = levels_of(s, some_holds), *fresh = levels_of(s, NULL);
    vec3 *in = malloc(s->count * sizeof *in), *x = malloc(s->count * sizeof *x), *y = malloc(s->count * sizeof *y);
    random_points(s->count, 5, in);
    press(s, levels, 5, 3000);
    assert_true(two_level_change(levels, 1, NULL, s));
    assert_symmetric_and_definite(*state, levels, s->count);
    assert_true(two_level_refresh(fresh, s->x, NULL, s));
    int iterations = solve(s, fresh, 1e-3, y);
    assert_less(solve(s, levels, 1e-3, x), 2 * iterations);
    /* The coarse level follows all changes when it is asked to. */
    press(s, levels, 3, 3000);
    assert_true(two_level_change(levels, 0, NULL, s));
    assert_true(two_level_refresh(fresh, s->x, NULL, s));
    two_level_apply(levels, in, x);
    two_level_apply(fresh, in, y);
    assert_memory_equal(x, y, s->count * sizeof *x);
    free(in);
    free(x);
    free(y);
    two_level_destroy(levels);
    two_level_destroy(fresh);
    block_sheet_release(s);
}

static void the_solution_is_that_of_the_diagonal_preconditioner(void **state) {
    block_sheet *s = block_sheet_make(*state, 40, 30);
    two_level *levels = levels_of(s, NULL);
    vec3 *x = malloc(s->count * sizeof *x), *y = malloc(s->count * sizeof *y);
    solve(s, levels, 1e-10, x);
    solve(s, NULL, 1e-10, y);
    double error = 0, size = 0;
    for (size_t i = 0; i < s->count; i++) {
        error = fmax(error, vec3_distance(x[i], y[i]));
        size = fmax(size, vec3_length(y[i]));
    }
    assert_less(error, 1e-6 * size);
    free(x);
    free(y);
    two_level_destroy(levels);
    block_sheet_release(s);
}

static void threads_and_instruction_sets_change_no_bit(void **state) {
    (void)state;
    static const int threads[3] = {1, 2, 5};
    enum { SIDE = 80 };
    static vec3 in[SIDE * SIDE], out[SIDE * SIDE], first[SIDE * SIDE];
    size_t ran = 0;
    random_points(SIDE * SIDE, 8, in);
    for (int k = 0; k < 3; k++)
        for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
            if (isa_choose(isa) != isa) continue;
            ruga_context *context = context_plain(threads[k]);
            context->isa = isa;
            block_sheet *s = block_sheet_make(context, SIDE, 50);
            two_level *levels = levels_of(s, some_holds);
            two_level_apply(levels, in, out);
            if (ran++ == 0) memcpy(first, out, sizeof first);
            assert_memory_equal(first, out, sizeof first);
            two_level_destroy(levels);
            block_sheet_release(s);
            ruga_context_destroy(context);
        }
    assert_ran(ran, 3);
}

static void a_matrix_that_is_not_definite_is_refused(void **state) {
    block_sheet *s = block_sheet_make(*state, 20, 10);
    two_level *levels;
    assert_ok(*state, two_level_create(s->matrix, NULL, 0, &levels));
    for (size_t i = 0; i < s->count; i++) s->masses[i] = -1;
    block_sheet_fill(s, s->matrix);
    assert_false(two_level_refresh(levels, s->x, NULL, NULL));
    for (size_t i = 0; i < s->count; i++) s->masses[i] = 1;
    block_sheet_fill(s, s->matrix);
    assert_true(two_level_refresh(levels, s->x, NULL, NULL));
    two_level_destroy(levels);
    block_sheet_release(s);
}

static ruga_status make_levels(ruga_context *context, void *user) {
    block_matrix *matrix;
    two_level *levels = NULL;
    TRY(block_sheet_pattern(user, context, &matrix));
    ruga_status status = two_level_create(matrix, NULL, 0, &levels);
    two_level_destroy(levels);
    block_matrix_destroy(matrix);
    return status;
}

static void every_allocation_may_fail(void **state) {
    block_sheet *s = block_sheet_make(*state, 12, 10);
    assert_less(30, assert_every_allocation_may_fail(make_levels, s));
    block_sheet_release(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aggregates_are_connected_and_of_the_size_asked_for),
        cmocka_unit_test(points_without_neighbours_are_aggregates_of_their_own),
        cmocka_unit_test(block_factors_solve_their_system),
        cmocka_unit_test(the_cycle_is_symmetric_and_positive_definite),
        cmocka_unit_test(changing_holds_gives_the_bits_of_a_refresh),
        cmocka_unit_test(the_cycle_never_overshoots),
        cmocka_unit_test(a_single_large_force_does_not_overflow),
        cmocka_unit_test(the_coarse_level_is_exact_for_rigid_motions),
        cmocka_unit_test(iterations_hardly_grow_with_resolution),
        cmocka_unit_test(blocks_on_the_diagonal_may_change_without_a_refresh),
        cmocka_unit_test(the_solution_is_that_of_the_diagonal_preconditioner),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(a_matrix_that_is_not_definite_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
