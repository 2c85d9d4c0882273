/* MINRES against dense solves, on definite and indefinite systems and on saddle points. */
#include <math.h>

#include "linalg/minres.h"
#include "support/support.h"

typedef struct dense_system {
    size_t n;
    double *a, *diagonal; /* (n x n), and (n) of the preconditioner's inverse; NULL: none */
    long applied, fails_at;
    ruga_context *context;
} dense_system;

static ruga_status apply(void *user, const double *in, double *out) {
    dense_system *s = user;
    if (s->applied++ == s->fails_at) return RUGA_ERROR_MEMORY;
    for (size_t i = 0; i < s->n; i++) {
        out[i] = 0;
        for (size_t j = 0; j < s->n; j++) out[i] += s->a[i * s->n + j] * in[j];
    }
    return RUGA_OK;
}

static void divide(void *user, const double *in, double *out) {
    const dense_system *s = user;
    for (size_t i = 0; i < s->n; i++) out[i] = in[i] / s->diagonal[i];
}

/* [K Hᵀ; H 0] with K definite of n rows, and c constraints; c = 0: K - shift, indefinite where shift is large. */
static dense_system make_saddle(size_t n, size_t c, double shift, uint64_t seed) {
    dense_system s = {.n = n + c, .fails_at = -1};
    s.a = calloc(s.n * s.n, sizeof *s.a);
    s.diagonal = calloc(s.n, sizeof *s.diagonal);
    test_random random = {seed};
    for (size_t k = 0; k < 3 * n; k++) {
        size_t i = random_bits(&random) % n, j = random_bits(&random) % n;
        double w = random_between(&random, 0.1, 10);
        s.a[i * s.n + i] += w;
        s.a[j * s.n + j] += w;
        s.a[i * s.n + j] -= w;
        s.a[j * s.n + i] -= w;
    }
    for (size_t i = 0; i < n; i++) s.a[i * s.n + i] += 1 - shift;
    for (size_t r = n; r < s.n; r++)
        for (size_t k = 0; k < 5; k++) {
            size_t j = (size_t)(7 * r + k) % n;
            s.a[r * s.n + j] = s.a[j * s.n + r] = random_between(&random, 0.1, 1);
        }
    for (size_t i = 0; i < s.n; i++) s.diagonal[i] = fmax(fabs(s.a[i * s.n + i]), 0.5);
    return s;
}

static void release(dense_system *s) {
    free(s->a);
    free(s->diagonal);
}

/* x becomes A⁻¹ x by Gaussian elimination with row pivots. */
static void solve_densely(const dense_system *s, double *x) {
    size_t n = s->n;
    double *a = malloc(n * n * sizeof *a);
    memcpy(a, s->a, n * n * sizeof *a);
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (size_t j = 0; j <= n; j++) {
            double *p = j < n ? &a[k * n + j] : &x[k], *q = j < n ? &a[best * n + j] : &x[best], held = *p;
            *p = *q;
            *q = held;
        }
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
    free(a);
}

static double *random_numbers(size_t count, uint64_t seed) {
    double *x = malloc(count * sizeof *x);
    test_random random = {seed};
    for (size_t i = 0; i < count; i++) x[i] = random_between(&random, -1, 1);
    return x;
}

static minres_report solve(ruga_context *context, dense_system *s, int preconditioned, int most, const double *b,
                           double *x) {
    minres_scratch scratch;
    minres_report report;
    minres_system system = {context, s->n, apply, preconditioned ? divide : NULL, s, 0};
    assert_ok(context, minres_scratch_make(context, s->n, &scratch));
    assert_ok(context, minres_solve(&system, &scratch, b, 1e-12, most, x, &report));
    minres_scratch_release(context, &scratch);
    return report;
}

/* Definite, indefinite, saddle points; with and without a preconditioner; from zero and from elsewhere. */
static void solutions_are_those_of_dense_elimination(void **state) {
    ruga_context *context = *state;
    const size_t constraints[] = {0, 0, 9, 20};
    const double shifts[] = {0, 7.3, 0, 0};
    for (size_t t = 0; t < 4; t++)
        for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
            dense_system s = make_saddle(80, constraints[t], shifts[t], t);
            double *b = random_numbers(s.n, 1), *expected = random_numbers(s.n, 1);
            double *x = preconditioned ? random_numbers(s.n, 2) : calloc(s.n, sizeof *x);
            minres_report report = solve(context, &s, preconditioned, 4000, b, x);
            assert_true(report.converged);
            assert_at_most(report.residual, 1e-12);
            solve_densely(&s, expected);
            for (size_t i = 0; i < s.n; i++) assert_near_case(x[i], expected[i], 1e-8, "case %zu, unknown %zu", t, i);
            free(b);
            free(x);
            free(expected);
            release(&s);
        }
}

static double residual_size(const dense_system *s, int preconditioned, const double *b, const double *x) {
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        double r = b[i];
        for (size_t j = 0; j < s->n; j++) r -= s->a[i * s->n + j] * x[j];
        sum += r * r / (preconditioned ? s->diagonal[i] : 1);
    }
    return sqrt(sum);
}

/* The residual that is reported is the true one, and no iteration makes it larger. */
static void residuals_never_rise(void **state) {
    ruga_context *context = *state;
    for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
        dense_system s = make_saddle(60, 15, 0, 9);
        double *b = random_numbers(s.n, 1), *x = malloc(s.n * sizeof *x), before = INFINITY;
        for (int most = 0; most < 60; most += 3) {
            memset(x, 0, s.n * sizeof *x);
            minres_report report = solve(context, &s, preconditioned, most, b, x);
            assert_equal(report.iterations, most);
            assert_near(report.residual * report.start, residual_size(&s, preconditioned, b, x), 1e-9);
            assert_at_most(report.residual, before);
            before = report.residual;
        }
        assert_less(before, 0.1);
        free(b);
        free(x);
        release(&s);
    }
}

/* Each of k different eigenvalues takes one iteration. */
static void few_eigenvalues_take_few_iterations(void **state) {
    ruga_context *context = *state;
    dense_system s = make_saddle(40, 0, 0, 1);
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++) s.a[i * s.n + j] = i == j ? (double)(i % 5) - 1.5 : 0;
    double *b = random_numbers(s.n, 1), *x = calloc(s.n, sizeof *x);
    minres_report report = solve(context, &s, 0, 100, b, x);
    assert_true(report.converged);
    assert_at_most(report.iterations, 5);
    free(b);
    free(x);
    release(&s);
}

static void a_singular_system_without_solution_is_reported(void **state) {
    ruga_context *context = *state;
    dense_system s = make_saddle(10, 0, 0, 1);
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++) s.a[i * s.n + j] = i == j && i > 0;
    double b[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, x[10] = {0};
    minres_report report = solve(context, &s, 0, 50, b, x);
    assert_false(report.converged);
    assert_near(report.residual, sqrt(0.1), 1e-9);
    /* Nothing to solve: no iterations. */
    double nothing[10] = {0}, y[10] = {0};
    report = solve(context, &s, 0, 50, nothing, y);
    assert_true(report.converged);
    assert_int_equal(report.iterations, 0);
    release(&s);
}

static void a_failing_product_ends_the_solve(void **state) {
    ruga_context *context = *state;
    dense_system s = make_saddle(20, 3, 0, 1);
    double *b = random_numbers(s.n, 1), *x = calloc(s.n, sizeof *x);
    minres_scratch scratch;
    minres_report report;
    minres_system system = {context, s.n, apply, NULL, &s, 1};
    assert_ok(context, minres_scratch_make(context, s.n, &scratch));
    s.fails_at = 5;
    assert_status(minres_solve(&system, &scratch, b, 1e-9, 100, x, &report), RUGA_ERROR_MEMORY);
    minres_scratch_release(context, &scratch);
    free(b);
    free(x);
    release(&s);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    dense_system s = make_saddle(500, 60, 0, 4);
    double *b = random_numbers(s.n, 1), *x[3];
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        x[threads - 1] = calloc(s.n, sizeof *x[0]);
        solve(context, &s, 1, 50, b, x[threads - 1]);
        assert_memory_equal(x[threads - 1], x[0], s.n * sizeof *x[0]);
        ruga_context_destroy(context);
    }
    for (int k = 0; k < 3; k++) free(x[k]);
    free(b);
    release(&s);
}

static ruga_status make_scratch(ruga_context *context, void *user) {
    (void)user;
    minres_scratch scratch;
    TRY(minres_scratch_make(context, 10, &scratch));
    minres_scratch_release(context, &scratch);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_int_equal(assert_every_allocation_may_fail(make_scratch, NULL), MINRES_VECTORS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_those_of_dense_elimination),
        cmocka_unit_test(residuals_never_rise),
        cmocka_unit_test(few_eigenvalues_take_few_iterations),
        cmocka_unit_test(a_singular_system_without_solution_is_reported),
        cmocka_unit_test(a_failing_product_ends_the_solve),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
