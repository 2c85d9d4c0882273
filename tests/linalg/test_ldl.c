/* Sparse factors and conjugate gradients against the systems they solve. */
#include <math.h>

#include "linalg/cg.h"
#include "linalg/dissect.h"
#include "linalg/ldl.h"
#include "linalg/separator.h"
#include "support/support.h"

/* A grid graph with random weights: A = diagonal + Laplacian, definite. */
typedef struct linear_system {
    size_t n;
    uint32_t *offsets, *columns;
    double *values, *diagonal;
} linear_system;

static void link_points(linear_system *s, size_t i, size_t j, double weight) {
    s->columns[s->offsets[i + 1]] = (uint32_t)j;
    s->values[s->offsets[i + 1]++] = -weight;
    s->diagonal[i] += weight;
}

static double weight_of(size_t i, size_t j) {
    size_t low = i < j ? i : j, high = i < j ? j : i;
    return 1 + (double)((low * 7919 + high * 104729) % 1000) / 100;
}

static linear_system make_grid(size_t w, size_t h) {
    linear_system s = {.n = w * h};
    s.offsets = calloc(s.n + 1, sizeof *s.offsets);
    s.columns = calloc(6 * s.n, sizeof *s.columns);
    s.values = calloc(6 * s.n, sizeof *s.values);
    s.diagonal = calloc(s.n, sizeof *s.diagonal);
    for (size_t i = 0; i < s.n; i++) {
        size_t x = i % w, y = i / w;
        s.offsets[i + 1] = s.offsets[i];
        s.diagonal[i] = 0.01;
        if (x > 0) link_points(&s, i, i - 1, weight_of(i, i - 1));
        if (x + 1 < w) link_points(&s, i, i + 1, weight_of(i, i + 1));
        if (y > 0) link_points(&s, i, i - w, weight_of(i, i - w));
        if (y + 1 < h) link_points(&s, i, i + w, weight_of(i, i + w));
        /* One entry to itself, and one edge twice. */
        s.columns[s.offsets[i + 1]] = (uint32_t)i;
        s.values[s.offsets[i + 1]++] = 123;
        if (x == 0 && w > 1) link_points(&s, i, i + 1, 2);
        if (x == 1) link_points(&s, i, i - 1, 2);
    }
    return s;
}

static void release_system(linear_system *s) {
    free(s->offsets);
    free(s->columns);
    free(s->values);
    free(s->diagonal);
}

static ruga_status multiply(void *user, const vec3 *in, vec3 *out) {
    const linear_system *s = user;
    for (size_t i = 0; i < s->n; i++) {
        out[i] = vec3_scale(in[i], s->diagonal[i]);
        for (size_t e = s->offsets[i]; e < s->offsets[i + 1]; e++)
            if (s->columns[e] != i) out[i] = vec3_add_scaled(out[i], in[s->columns[e]], s->values[e]);
    }
    return RUGA_OK;
}

static void divide_by_diagonal(void *user, const vec3 *in, vec3 *out) {
    const linear_system *s = user;
    for (size_t i = 0; i < s->n; i++) out[i] = vec3_scale(in[i], 1 / s->diagonal[i]);
}

static void a_solution_gives_back_the_right_hand_side(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    const size_t sizes[][2] = {{1, 1}, {5, 1}, {7, 9}, {40, 25}, {3, 400}};
    for (size_t k = 0; k < 5; k++) {
        linear_system s = make_grid(sizes[k][0], sizes[k][1]);
        vec3 *b = malloc(s.n * sizeof *b), *x = malloc(s.n * sizeof *x), *back = malloc(s.n * sizeof *back);
        vec3 *y = calloc(s.n, sizeof *y);
        test_random random = {k};
        ldl *f;
        assert_ok(context, ldl_create(context, s.n, s.offsets, s.columns, &f));
        /* Twice, with other values: the pattern is kept. */
        for (int round = 0; round < 2; round++) {
            for (size_t i = 0; i < s.n; i++) {
                b[i] = x[i] = random_vec3(&random, -1, 1);
                s.diagonal[i] += round;
            }
            assert_ok(context, ldl_factor(f, s.values, s.diagonal));
            ldl_solve(f, x);
            multiply(&s, x, back);
            for (size_t i = 0; i < s.n; i++) assert_less(vec3_distance(back[i], b[i]), 1e-9);
        }
        /* Conjugate gradients agree. */
        cg_scratch scratch;
        assert_ok(context, cg_scratch_make(context, s.n, &scratch));
        memcpy(scratch.residual, b, s.n * sizeof *b);
        cg_report report;
        cg_system system = {context, s.n, multiply, divide_by_diagonal, &s, NULL, 0};
        assert_ok(context, cg_solve(&system, &scratch, 0, 1e-12, 10000, y, &report));
        assert_true(report.converged);
        assert_at_most(report.residual, 1e-12);
        for (size_t i = 0; i < s.n; i++) assert_less(vec3_distance(x[i], y[i]), 1e-9);
        cg_scratch_release(context, &scratch);
        ldl_destroy(f);
        free(b);
        free(x);
        free(y);
        free(back);
        release_system(&s);
    }
    ruga_context_destroy(context);
}

static void an_order_of_elimination_names_every_row_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    linear_system s = make_grid(30, 31);
    /* Two pieces that do not touch, and points alone. */
    for (size_t i = 0; i < s.n; i++)
        for (size_t e = s.offsets[i]; e < s.offsets[i + 1]; e++) {
            int here = i < 400 || i > 700, there = s.columns[e] < 400 || s.columns[e] > 700;
            if (!here || !there) s.columns[e] = (uint32_t)i;
        }
    uint32_t *order = malloc(s.n * sizeof *order);
    char *seen = calloc(s.n, 1);
    assert_ok(context, dissect_graph(context, s.n, s.offsets, s.columns, order));
    for (size_t k = 0; k < s.n; k++) {
        assert_less(order[k], s.n);
        assert_true(!seen[order[k]]);
        seen[order[k]] = 1;
    }
    free(order);
    free(seen);
    release_system(&s);
    ruga_context_destroy(context);
}

/* Entries of L grow as n log n in the plane: four times the points have less than six times the entries, where an order
 * by rows would have eight. */
static void dissection_keeps_the_factor_sparse(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    size_t entries[2];
    for (size_t k = 0; k < 2; k++) {
        linear_system s = make_grid((size_t)60 << k, (size_t)60 << k);
        ldl *f;
        assert_ok(context, ldl_create(context, s.n, s.offsets, s.columns, &f));
        entries[k] = ldl_entry_count(f);
        ldl_destroy(f);
        release_system(&s);
    }
    assert_less(entries[1], 6 * entries[0]);
    /* METIS 5 has 20.7 a point on this grid, AMD 21.3. */
    assert_less(entries[1], 23 * 120 * 120);
    ruga_context_destroy(context);
}

/* Separators of graphs that are no meshes: a complete one, one without edges, a star, two pieces with one edge. */
static void separators_part_any_graph(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    enum { COUNT = 300 };
    static uint32_t offsets[COUNT + 1], others[COUNT * COUNT];
    unsigned char sides[COUNT];
    for (int kind = 0; kind < 4; kind++) {
        uint32_t filled = 0;
        size_t counts[3] = {0, 0, 0};
        for (uint32_t i = 0; i < COUNT; i++) {
            for (uint32_t j = 0; j < COUNT; j++) {
                int joined = kind == 0 || (kind == 2 && (i == 0 || j == 0)) ||
                             (kind == 3 && (i / 150 == j / 150 || i + j == COUNT - 1) && (i + j) % 3 == 0);
                if (i != j && joined) others[filled++] = j;
            }
            offsets[i + 1] = filled;
        }
        weighted_graph graph = {COUNT, offsets, others, NULL, NULL};
        assert_ok(context, separate_graph(context, &graph, sides));
        for (uint32_t i = 0; i < COUNT; i++) {
            counts[sides[i]]++;
            for (uint32_t e = offsets[i]; e < offsets[i + 1]; e++)
                assert_false(sides[i] != SIDE_BETWEEN && sides[others[e]] == 1 - sides[i]);
        }
        assert_at_most_case(counts[SIDE_LEFT], 0.6 * COUNT, "kind %d", kind);
        assert_at_most_case(counts[SIDE_RIGHT], 0.6 * COUNT, "kind %d", kind);
        if (kind == 1) assert_int_equal(counts[SIDE_BETWEEN], 0);
        if (kind == 2) assert_int_equal(counts[SIDE_BETWEEN], 1);
    }
    ruga_context_destroy(context);
}

static void what_is_not_definite_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    linear_system s = make_grid(4, 4);
    s.diagonal[5] = -1;
    ldl *f;
    assert_ok(context, ldl_create(context, s.n, s.offsets, s.columns, &f));
    assert_status(ldl_factor(f, s.values, s.diagonal), RUGA_ERROR_INPUT);
    assert_message_has(context, "not positive definite");
    ldl_destroy(f);

    /* Conjugate gradients stop where the curvature is not positive, and say so. */
    vec3 x[16] = {{0, 0, 0}};
    cg_scratch scratch;
    assert_ok(context, cg_scratch_make(context, 16, &scratch));
    for (int i = 0; i < 16; i++) scratch.residual[i] = (vec3){i == 5, 0, 0};
    cg_report report;
    for (size_t i = 0; i < 16; i++) s.diagonal[i] = i == 5 ? -1e-9 : 1;
    cg_system system = {context, 16, multiply, divide_by_diagonal, &s, NULL, 0};
    assert_ok(context, cg_solve(&system, &scratch, 0, 1e-9, 100, x, &report));
    assert_false(report.converged && report.iterations > 0);
    cg_scratch_release(context, &scratch);
    release_system(&s);
    ruga_context_destroy(context);
}

static ruga_status build_factor(ruga_context *context, void *user) {
    linear_system *s = user;
    ldl *f = NULL;
    cg_scratch scratch;
    TRY(cg_scratch_make(context, s->n, &scratch));
    ruga_status status = ldl_create(context, s->n, s->offsets, s->columns, &f);
    ldl_destroy(f);
    cg_scratch_release(context, &scratch);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    linear_system s = make_grid(10, 10);
    assert_every_allocation_may_fail(build_factor, &s);
    release_system(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_gives_back_the_right_hand_side),
        cmocka_unit_test(an_order_of_elimination_names_every_row_once),
        cmocka_unit_test(dissection_keeps_the_factor_sparse),
        cmocka_unit_test(separators_part_any_graph),
        cmocka_unit_test(what_is_not_definite_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
