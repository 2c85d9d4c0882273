/* The supernodal factor against dense ones, on random matrices and on those of sheets. */
#include <math.h>

#include "base/isa.h"
#include "linalg/block_llt.h"
#include "linalg/block_llt_schur.h"
#include "linalg/block_sheet.h"
#include "support/support.h"

/* ---- Random matrices. */

/* A symmetric matrix of 3 x 3 blocks, dense: (3 n)², with a pattern of its own. */
typedef struct random_matrix {
    size_t n;
    uint32_t *offsets, *columns;
    double *blocks, *dense;
} random_matrix;

static int is_coupled(size_t i, size_t j, unsigned density, uint64_t seed) {
    test_random random = {seed + (i < j ? i * 1000 + j : j * 1000 + i)};
    return i == j || random_bits(&random) % 100 < density;
}

/* Σ v vᵀ over coupled pairs, which is semidefinite, and `least` on the diagonal. */
static random_matrix make_random(size_t n, unsigned density, double least, uint64_t seed) {
    random_matrix m = {.n = n};
    size_t side = 3 * n, entries = 0;
    m.offsets = calloc(n + 1, sizeof *m.offsets);
    m.columns = calloc(n * n, sizeof *m.columns);
    m.blocks = calloc(9 * n * n, sizeof *m.blocks);
    m.dense = calloc(side * side, sizeof *m.dense);
    test_random random = {seed};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            if (!is_coupled(i, j, density, seed)) continue;
            double v[6];
            for (int k = 0; k < 6; k++) v[k] = random_between(&random, -1, 1);
            for (size_t a = 0; a < 6; a++)
                for (size_t b = 0; b < 6; b++)
                    m.dense[(3 * (a < 3 ? i : j) + a % 3) * side + 3 * (b < 3 ? i : j) + b % 3] += v[a] * v[b];
        }
    for (size_t k = 0; k < side; k++) m.dense[k * side + k] += least;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (!is_coupled(i, j, density, seed)) continue;
            for (size_t k = 0; k < 9; k++) m.blocks[9 * entries + k] = m.dense[(3 * i + k % 3) * side + 3 * j + k / 3];
            m.columns[entries++] = (uint32_t)j;
        }
        m.offsets[i + 1] = (uint32_t)entries;
    }
    return m;
}

static void release_random(random_matrix *m) {
    free(m->offsets);
    free(m->columns);
    free(m->blocks);
    free(m->dense);
}

/* x becomes A⁻¹ x by a plain Cholesky factor. */
static void solve_densely(const double *a, size_t n, double *x) {
    double *l = calloc(n * n, sizeof *l);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
    free(l);
}

static void solutions_are_those_of_a_dense_factor(void **state) {
    ruga_context *context = *state;
    const size_t sizes[] = {1, 2, 3, 7, 20, 60, 60, 60, 130};
    const unsigned densities[] = {0, 100, 50, 30, 0, 2, 10, 100, 4};
    for (size_t t = 0; t < 9; t++) {
        random_matrix m = make_random(sizes[t], densities[t], 0.1, t);
        size_t side = 3 * m.n;
        double *x = malloc(side * sizeof *x), *expected = malloc(side * sizeof *x);
        test_random random = {100 + t};
        for (size_t k = 0; k < side; k++) x[k] = expected[k] = random_between(&random, -1, 1);
        block_llt *f;
        assert_ok(context, block_llt_create(context, m.n, m.offsets, m.columns, &f));
        assert_true(block_llt_factor(f, m.blocks, 0, NULL));
        block_llt_solve(f, (vec3 *)x);
        solve_densely(m.dense, side, expected);
        for (size_t k = 0; k < side; k++)
            assert_near_case(x[k], expected[k], 1e-10 * (1 + fabs(expected[k])), "case %zu, unknown %zu", t, k);
        block_llt_destroy(f);
        free(x);
        free(expected);
        release_random(&m);
    }
}

/* ---- Sheets. */

static double residual_of(const block_matrix *matrix, const vec3 *x, const vec3 *b) {
    vec3 *product = malloc(matrix->point_count * sizeof *product);
    double worst = 0;
    block_matrix_multiply(matrix, x, product);
    for (size_t i = 0; i < matrix->point_count; i++) worst = fmax(worst, vec3_distance(product[i], b[i]));
    free(product);
    return worst;
}

static vec3 *random_vectors(size_t count, uint64_t seed) {
    vec3 *x = malloc(count * sizeof *x);
    test_random random = {seed};
    for (size_t i = 0; i < count; i++) x[i] = random_vec3(&random, -1, 1);
    return x;
}

static block_llt *factor_of(ruga_context *context, const block_matrix *matrix) {
    block_llt *f;
    assert_ok(context, block_llt_create(context, matrix->point_count, matrix->offsets, matrix->columns, &f));
    assert_true(block_llt_factor(f, matrix->blocks, 0, NULL));
    return f;
}

/* Twice, with other values: the pattern is kept. */
static void values_may_change(void **state) {
    ruga_context *context = *state;
    block_sheet *sheet = block_sheet_make(context, 40, 1);
    block_llt *f = factor_of(context, sheet->matrix);
    for (int round = 0; round < 2; round++) {
        vec3 *b = random_vectors(sheet->count, 1), *x = random_vectors(sheet->count, 1);
        sheet->stiffness *= 3;
        block_sheet_fill(sheet, sheet->matrix);
        assert_true(block_llt_factor(f, sheet->matrix->blocks, 0, NULL));
        block_llt_solve(f, x);
        assert_less(residual_of(sheet->matrix, x, b), 1e-10);
        free(b);
        free(x);
    }
    block_llt_destroy(f);
    block_sheet_release(sheet);
}

/* A shift at the factorisation is the same as one in the matrix. */
static void a_shift_needs_no_new_matrix(void **state) {
    ruga_context *context = *state;
    block_sheet *sheet = block_sheet_make(context, 20, 1);
    block_llt *f = factor_of(context, sheet->matrix);
    double *weights = malloc(sheet->count * sizeof *weights), *added = malloc(sheet->count * sizeof *added);
    for (size_t i = 0; i < sheet->count; i++) {
        weights[i] = 1 + (double)(i % 7);
        added[i] = 0.3 * weights[i];
    }
    vec3 *b = random_vectors(sheet->count, 1), *x = random_vectors(sheet->count, 1);
    assert_true(block_llt_factor(f, sheet->matrix->blocks, 0.3, weights));
    block_llt_solve(f, x);
    block_matrix_add_diagonal(sheet->matrix, added, NULL);
    assert_less(residual_of(sheet->matrix, x, b), 1e-11);

    /* Without weights it is that of the identity. */
    for (size_t i = 0; i < sheet->count; i++) added[i] = 0.5;
    memcpy(x, b, sheet->count * sizeof *x);
    assert_true(block_llt_factor(f, sheet->matrix->blocks, 0.5, NULL));
    block_llt_solve(f, x);
    block_matrix_add_diagonal(sheet->matrix, added, NULL);
    assert_less(residual_of(sheet->matrix, x, b), 1e-11);
    free(weights);
    free(added);
    free(b);
    free(x);
    block_llt_destroy(f);
    block_sheet_release(sheet);
}

static void many_sides_are_solved_as_one(void **state) {
    ruga_context *context = *state;
    block_sheet *sheet = block_sheet_make(context, 24, 1);
    block_llt *f = factor_of(context, sheet->matrix);
    const size_t counts[] = {1, 3, 8, 17};
    for (size_t t = 0; t < 4; t++) {
        vec3 *all = random_vectors(counts[t] * sheet->count, t), *one = random_vectors(counts[t] * sheet->count, t);
        block_llt_solve_many(f, counts[t], &all->x);
        for (size_t s = 0; s < counts[t]; s++) {
            block_llt_solve(f, one + s * sheet->count);
            for (size_t i = s * sheet->count; i < (s + 1) * sheet->count; i++)
                assert_less_case(vec3_distance(all[i], one[i]), 1e-12, "%zu sides, side %zu", counts[t], s);
        }
        free(all);
        free(one);
    }
    block_llt_destroy(f);
    block_sheet_release(sheet);
}

/* ---- Indefinite matrices. */

static void the_failing_row_is_named(void **state) {
    ruga_context *context = *state;
    /* Uncoupled points: the one wrong pivot is known. */
    enum { POINTS = 30 };
    uint32_t offsets[POINTS + 1], columns[POINTS];
    double blocks[9 * POINTS];
    for (uint32_t i = 0; i < POINTS; i++) {
        offsets[i] = columns[i] = i;
        for (uint32_t k = 0; k < 9; k++) blocks[9 * i + k] = k % 4 == 0 ? 1 + i : 0.1;
    }
    offsets[POINTS] = POINTS;
    block_llt *f;
    assert_ok(context, block_llt_create(context, POINTS, offsets, columns, &f));
    assert_true(block_llt_factor(f, blocks, 0, NULL));
    const double wrong[] = {-1, 0, NAN, INFINITY, 1e-16};
    for (size_t k = 0; k < 5; k++)
        for (uint32_t row = 0; row < 3 * POINTS; row += 7) {
            double *at = &blocks[9 * (row / 3) + 4 * (row % 3)], before = *at;
            *at = wrong[k];
            assert_false(block_llt_factor(f, blocks, 0, NULL));
            assert_int_equal(block_llt_failed_row(f) / 3, row / 3);
            *at = before;
        }
    assert_true(block_llt_factor(f, blocks, 0, NULL));
    block_llt_destroy(f);
}

/* A matrix with a known least eigenvalue: refused just below it, taken just above. */
static void a_shift_makes_it_definite(void **state) {
    ruga_context *context = *state;
    random_matrix m = make_random(50, 100, 0, 3);
    size_t side = 3 * m.n;
    for (size_t e = 0; e < m.offsets[m.n]; e++)
        for (size_t k = 0; k < 9; k++) m.blocks[9 * e + k] = (k % 4 == 0 && e / m.n == e % m.n) - 0.1;
    /* I - 0.1 e eᵀ has the eigenvalue 1 - 0.1 side along e, and 1 else. */
    double least = 1 - 0.1 * (double)side;
    block_llt *f;
    assert_ok(context, block_llt_create(context, m.n, m.offsets, m.columns, &f));
    assert_false(block_llt_factor(f, m.blocks, 0, NULL));
    assert_false(block_llt_factor(f, m.blocks, -least * (1 - 1e-9), NULL));
    assert_true(block_llt_factor(f, m.blocks, -least * (1 + 1e-9), NULL));
    block_llt_destroy(f);
    release_random(&m);
}

/* Nothing is made where the work is not below the limit, but the work is known. */
static void a_factor_that_costs_too_much_is_not_made(void **state) {
    block_sheet *sheet = block_sheet_make(*state, 20, 1);
    const block_matrix *m = sheet->matrix;
    double work = 0, again = 0;
    block_llt *f;
    assert_ok(*state, block_llt_create_below(*state, m->point_count, m->offsets, m->columns, 1, &work, &f));
    assert_null(f);
    assert_less(1, work);
    assert_ok(*state, block_llt_create_below(*state, m->point_count, m->offsets, m->columns, work, &again, &f));
    assert_null(f);
    assert_ok(*state, block_llt_create_below(*state, m->point_count, m->offsets, m->columns, 2 * work, &again, &f));
    assert_non_null(f);
    assert_true(again == work && block_llt_measure(f).work == work);
    assert_true(block_llt_factor(f, m->blocks, 0, NULL));
    block_llt_destroy(f);
    block_sheet_release(sheet);
}

static void no_points_are_no_work(void **state) {
    ruga_context *context = *state;
    uint32_t offsets[] = {0};
    block_llt *f;
    block_llt_schur *schur;
    assert_ok(context, block_llt_create(context, 0, offsets, offsets, &f));
    assert_true(block_llt_factor(f, NULL, 0, NULL));
    assert_ok(context, block_llt_schur_create(f, 0, offsets, offsets, &schur));
    double out[1] = {7};
    block_llt_schur_make(schur, NULL, out);
    assert_equal(out[0], 7);
    block_llt_schur_destroy(schur);
    block_llt_destroy(f);
}

static void a_row_without_its_diagonal_is_refused(void **state) {
    ruga_context *context = *state;
    uint32_t offsets[] = {0, 2, 3}, columns[] = {0, 1, 0};
    block_llt *f = NULL;
    assert_status(block_llt_create(context, 2, offsets, columns, &f), RUGA_ERROR_INPUT);
    assert_message_has(context, "row 1");
    assert_null(f);
}

/* ---- Schur complements. */

/* Squares of the sheet's points: each constrains the mean of its own; the last row is empty. */
typedef struct constraints {
    size_t rows;
    uint32_t *offsets, *points;
    double *weights;
} constraints;

static constraints make_constraints(const block_sheet *sheet, size_t side) {
    size_t across = (sheet->n + side - 1) / side;
    constraints c = {.rows = across * across + 1};
    c.offsets = calloc(c.rows + 1, sizeof *c.offsets);
    c.points = calloc(4 * sheet->count, sizeof *c.points);
    c.weights = calloc(4 * sheet->count, sizeof *c.weights);
    for (size_t k = 0, filled = 0; k < c.rows - 1; k++) {
        /* They overlap by a point on each border. */
        size_t x0 = k % across * side, y0 = k / across * side;
        for (size_t y = y0; y <= y0 + side && y < sheet->n; y++)
            for (size_t x = x0; x <= x0 + side && x < sheet->n; x++) {
                c.points[filled] = (uint32_t)(y * sheet->n + x);
                c.weights[filled++] = 1 + 0.1 * (double)((x + 3 * y) % 5);
            }
        c.offsets[k + 1] = (uint32_t)filled;
    }
    c.offsets[c.rows] = c.offsets[c.rows - 1];
    return c;
}

static void release_constraints(constraints *c) {
    free(c->offsets);
    free(c->points);
    free(c->weights);
}

static double *schur_of(ruga_context *context, block_llt *f, const constraints *h) {
    double *s = malloc(9 * h->rows * h->rows * sizeof *s);
    block_llt_schur *schur;
    assert_ok(context, block_llt_schur_create(f, h->rows, h->offsets, h->points, &schur));
    for (int round = 0; round < 2; round++) block_llt_schur_make(schur, h->weights, s);
    block_llt_schur_destroy(schur);
    return s;
}

/* Each column of S by a solve of its own. */
static void schur_complements_are_those_of_solves(void **state) {
    ruga_context *context = *state;
    block_sheet *sheet = block_sheet_make(context, 45, 1);
    block_llt *f = factor_of(context, sheet->matrix);
    const size_t sides[] = {5, 20, 45};
    for (size_t t = 0; t < 3; t++) {
        constraints h = make_constraints(sheet, sides[t]);
        double *s = schur_of(context, f, &h), *x = malloc(3 * sheet->count * sizeof *x), largest = 0;
        for (size_t k = 0; k < 9 * h.rows * h.rows; k++) largest = fmax(largest, fabs(s[k]));
        for (size_t j = 0; j < h.rows; j += t == 0 ? 7 : 1)
            for (size_t axis = 0; axis < 3; axis++) {
                memset(x, 0, 3 * sheet->count * sizeof *x);
                for (size_t e = h.offsets[j]; e < h.offsets[j + 1]; e++) x[3 * h.points[e] + axis] += h.weights[e];
                block_llt_solve(f, (vec3 *)x);
                for (size_t i = 0; i < 3 * h.rows; i++) {
                    double expected = 0;
                    for (size_t e = h.offsets[i / 3]; e < h.offsets[i / 3 + 1]; e++)
                        expected += h.weights[e] * x[3 * h.points[e] + i % 3];
                    assert_near_case(s[9 * (i / 3 * h.rows + j) + 3 * axis + i % 3], expected, 1e-11 * largest,
                                     "constraint %zu, side %zu", i, j);
                }
            }
        free(s);
        free(x);
        release_constraints(&h);
    }
    block_llt_destroy(f);
    block_sheet_release(sheet);
}

static void constraints_of_points_that_are_not_there_are_refused(void **state) {
    ruga_context *context = *state;
    block_sheet *sheet = block_sheet_make(context, 5, 1);
    block_llt *f = factor_of(context, sheet->matrix);
    uint32_t offsets[] = {0, 1, 2}, points[] = {3, 25};
    block_llt_schur *schur = NULL;
    assert_status(block_llt_schur_create(f, 2, offsets, points, &schur), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 25 of 25");
    assert_null(schur);
    const block_llt_rows rows = {2, offsets, points};
    block_llt *saddle = NULL;
    assert_status(block_llt_create_saddle(context, 25, sheet->matrix->offsets, sheet->matrix->columns, &rows, &saddle),
                  RUGA_ERROR_INPUT);
    assert_null(saddle);
    block_llt_destroy(f);
    block_sheet_release(sheet);
}

/* ---- Saddle points. */

/* The greatest error of A x + Hᵀy = b, H x - ε y = d, relative to the largest number of x and y. */
static double saddle_error(const block_sheet *sheet, const constraints *h, double softness, const vec3 *x,
                           const vec3 *y, const vec3 *b, const vec3 *d) {
    vec3 *product = malloc(sheet->count * sizeof *product);
    double worst = 0, largest = 0;
    block_matrix_multiply(sheet->matrix, x, product);
    for (size_t k = 0; k < h->rows; k++) {
        vec3 sum = vec3_scale(y[k], -softness);
        for (size_t e = h->offsets[k]; e < h->offsets[k + 1]; e++) {
            sum = vec3_add_scaled(sum, x[h->points[e]], h->weights[e]);
            product[h->points[e]] = vec3_add_scaled(product[h->points[e]], y[k], h->weights[e]);
        }
        worst = fmax(worst, vec3_distance(sum, d[k]));
        largest = fmax(largest, vec3_length(y[k]));
    }
    for (size_t i = 0; i < sheet->count; i++) {
        worst = fmax(worst, vec3_distance(product[i], b[i]));
        largest = fmax(largest, vec3_length(x[i]));
    }
    free(product);
    return worst / largest;
}

static block_llt *saddle_of(ruga_context *context, const block_matrix *matrix, const constraints *h) {
    const block_llt_rows rows = {h->rows, h->offsets, h->points};
    block_llt *f = NULL;
    assert_ok(context,
              block_llt_create_saddle(context, matrix->point_count, matrix->offsets, matrix->columns, &rows, &f));
    return f;
}

/* With masses that are negative, A alone is not definite: the constraints hold it. */
static void saddle_points_are_solved(void **state) {
    ruga_context *context = *state;
    const double masses[] = {1, -1e-5, -1e-3};
    for (size_t t = 0; t < 3; t++) {
        block_sheet *sheet = block_sheet_make(context, 30, 1);
        for (size_t i = 0; i < sheet->count; i++) sheet->masses[i] = masses[t];
        block_sheet_fill(sheet, sheet->matrix);
        constraints h = make_constraints(sheet, 4 + t);
        h.rows--; /* without the empty one */
        block_llt *f = saddle_of(context, sheet->matrix, &h), *plain = NULL;
        assert_ok(context,
                  block_llt_create(context, sheet->count, sheet->matrix->offsets, sheet->matrix->columns, &plain));
        assert_int_equal(block_llt_factor(plain, sheet->matrix->blocks, 0, NULL), t == 0);
        for (int soft = 0; soft < 2; soft++) {
            const double softness = soft ? 1e-3 : 0;
            vec3 *x = random_vectors(sheet->count, t), *y = random_vectors(h.rows, t + 9),
                 *b = random_vectors(sheet->count, t), *d = random_vectors(h.rows, t + 9);
            assert_true(block_llt_factor_saddle(f, sheet->matrix->blocks, 0, NULL, h.weights, softness));
            block_llt_solve_saddle(f, x, y);
            assert_less_case(saddle_error(sheet, &h, softness, x, y, b, d), 1e-10, "case %zu, softness %g", t,
                             softness);
            free(x);
            free(y);
            free(b);
            free(d);
        }
        block_llt_destroy(plain);
        block_llt_destroy(f);
        release_constraints(&h);
        block_sheet_release(sheet);
    }
}

/* Pivots that are negative in the dense factor of [A + shift Hᵀ; H 0], without any exchange of rows. */
static size_t count_negative(const block_matrix *m, double shift, const constraints *h) {
    size_t points = 3 * m->point_count, n = points + 3 * h->rows, count = 0;
    double *a = calloc(n * n, sizeof *a);
    for (size_t i = 0; i < m->point_count; i++)
        for (size_t e = m->offsets[i]; e < m->offsets[i + 1]; e++)
            for (size_t k = 0; k < 9; k++) a[(3 * i + k % 3) * n + 3 * m->columns[e] + k / 3] = m->blocks[9 * e + k];
    for (size_t i = 0; i < points; i++) a[i * n + i] += shift;
    for (size_t k = 0; k < h->rows; k++)
        for (size_t e = h->offsets[k]; e < h->offsets[k + 1]; e++)
            for (size_t axis = 0; axis < 3; axis++) {
                const size_t row = points + 3 * k + axis, column = 3 * h->points[e] + axis;
                a[row * n + column] = a[column * n + row] = h->weights[e];
            }
    for (size_t k = 0; k < n; k++) {
        count += a[k * n + k] < 0;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    free(a);
    return count;
}

/* It is factored exactly where it is definite on the null space of H: where the number of negative pivots is that of
 * the constraints. Before that, pivots of either sign may occur. */
static void a_saddle_point_is_factored_where_the_rest_is_definite(void **state) {
    ruga_context *context = *state;
    block_sheet *sheet = block_sheet_make(context, 8, 1);
    block_llt *plain = factor_of(context, sheet->matrix);
    const double growth = SANITIZED ? 4.8 : 1.8;
    int factored = 0, mixed = 0, refused = 0;
    for (size_t side = 2; side < 6; side++) {
        constraints h = make_constraints(sheet, side);
        h.rows--;
        block_llt *f = saddle_of(context, sheet->matrix, &h);
        for (double excess = 1e-5; excess < 1; excess *= growth) {
            const double shift = 1 + excess;
            const int is_definite = count_negative(sheet->matrix, -shift, &h) == 3 * h.rows;
            assert_int_equal(block_llt_factor_saddle(f, sheet->matrix->blocks, -shift, NULL, h.weights, 0),
                             is_definite);
            factored += is_definite;
            refused += !is_definite;
            mixed += is_definite && !block_llt_factor(plain, sheet->matrix->blocks, -shift, NULL);
        }
        block_llt_destroy(f);
        release_constraints(&h);
    }
    assert_ran(factored, FEWER(20));
    assert_ran(refused, FEWER(20));
    assert_ran(mixed, FEWER(5));
    block_llt_destroy(plain);
    block_sheet_release(sheet);
}

/* ---- Bits. */

typedef struct solved {
    vec3 *one, *many, *saddle;
    double *schur;
    size_t count, tasks, rows;
} solved;

static solved solve_with(int threads, ruga_isa isa) {
    ruga_context *context = context_plain(threads);
    context->isa = isa;
    block_sheet *sheet = block_sheet_make(context, SANITIZED ? 40 : 64, 1);
    block_llt *f = factor_of(context, sheet->matrix);
    constraints h = make_constraints(sheet, 11);
    solved s = {.one = random_vectors(sheet->count, 5),
                .many = random_vectors(9 * sheet->count, 6),
                .saddle = random_vectors(sheet->count + h.rows, 7),
                .schur = schur_of(context, f, &h),
                .count = sheet->count,
                .tasks = block_llt_measure(f).tasks,
                .rows = h.rows};
    block_llt *saddle = saddle_of(context, sheet->matrix, &h);
    assert_true(block_llt_factor_saddle(saddle, sheet->matrix->blocks, 0, NULL, h.weights, 1e-6));
    block_llt_solve_saddle(saddle, s.saddle, s.saddle + sheet->count);
    block_llt_destroy(saddle);
    block_llt_solve(f, s.one);
    block_llt_solve_many(f, 9, &s.many->x);
    release_constraints(&h);
    block_llt_destroy(f);
    block_sheet_release(sheet);
    ruga_context_destroy(context);
    return s;
}

static int same_bits(const solved *a, const solved *b) {
    return !memcmp(a->one, b->one, a->count * sizeof *a->one) &&
           !memcmp(a->many, b->many, 9 * a->count * sizeof *a->many) &&
           !memcmp(a->saddle, b->saddle, (a->count + a->rows) * sizeof *a->saddle) &&
           !memcmp(a->schur, b->schur, 9 * a->rows * a->rows * sizeof *a->schur);
}

static void release_solved(solved *s) {
    free(s->one);
    free(s->many);
    free(s->saddle);
    free(s->schur);
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    skip_when_sanitized();
    solved one = solve_with(1, isa_choose(RUGA_ISA_AUTO));
    assert_less(4, one.tasks); /* else nothing runs side by side */
    for (int threads = 2; threads <= 3; threads++) {
        solved other = solve_with(threads, isa_choose(RUGA_ISA_AUTO));
        assert_true(same_bits(&one, &other));
        release_solved(&other);
    }
    release_solved(&one);
}

/* With fused products and without: two groups of instruction sets. */
static void bits_do_not_depend_on_the_width_of_vectors(void **state) {
    skip_when_sanitized();
    (void)state;
    const ruga_isa pairs[2][2] = {{RUGA_ISA_SCALAR, RUGA_ISA_SSE4}, {RUGA_ISA_AVX2, RUGA_ISA_AVX512}};
    for (size_t p = 0; p < 2; p++) {
        if (isa_choose(pairs[p][0]) != pairs[p][0] || isa_choose(pairs[p][1]) != pairs[p][1]) continue;
        solved a = solve_with(1, pairs[p][0]), b = solve_with(1, pairs[p][1]);
        assert_true(same_bits(&a, &b));
        release_solved(&a);
        release_solved(&b);
    }
}

/* ---- Memory. */

static ruga_status build_factor(ruga_context *context, void *user) {
    const block_matrix *matrix = user;
    block_llt *f = NULL;
    block_llt_schur *schur = NULL;
    uint32_t offsets[] = {0, 2, 3, 4}, points[] = {3, 25, 26, 399};
    ruga_status status = block_llt_create(context, matrix->point_count, matrix->offsets, matrix->columns, &f);
    if (!RUGA_FAILED(status)) status = block_llt_schur_create(f, 3, offsets, points, &schur);
    block_llt_schur_destroy(schur);
    block_llt_destroy(f);
    TRY(status);
    const block_llt_rows rows = {3, offsets, points};
    status = block_llt_create_saddle(context, matrix->point_count, matrix->offsets, matrix->columns, &rows, &f);
    if (!RUGA_FAILED(status)) block_llt_destroy(f);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_context *context = *state;
    block_sheet *sheet = block_sheet_make(context, 20, 1);
    assert_every_allocation_may_fail(build_factor, sheet->matrix);
    block_sheet_release(sheet);
}

static void factors_and_solves_do_not_allocate(void **state) {
    ruga_context *plain = *state;
    block_sheet *sheet = block_sheet_make(plain, 20, 1);
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    block_llt *f = factor_of(context, sheet->matrix);
    vec3 *x = random_vectors(4 * sheet->count, 1);
    constraints h = make_constraints(sheet, 10);
    double *s = malloc(9 * h.rows * h.rows * sizeof *s);
    block_llt_schur *schur;
    assert_ok(context, block_llt_schur_create(f, h.rows, h.offsets, h.points, &schur));
    long before = counter.allocations;
    assert_true(block_llt_factor(f, sheet->matrix->blocks, 1, NULL));
    block_llt_solve(f, x);
    block_llt_solve_many(f, 4, &x->x);
    block_llt_schur_make(schur, h.weights, s);
    assert_int_equal(counter.allocations, before);
    free(x);
    free(s);
    release_constraints(&h);
    block_llt_schur_destroy(schur);
    block_llt_destroy(f);
    ruga_context_destroy(context);
    block_sheet_release(sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_those_of_a_dense_factor),
        cmocka_unit_test(values_may_change),
        cmocka_unit_test(a_shift_needs_no_new_matrix),
        cmocka_unit_test(many_sides_are_solved_as_one),
        cmocka_unit_test(the_failing_row_is_named),
        cmocka_unit_test(a_shift_makes_it_definite),
        cmocka_unit_test(a_factor_that_costs_too_much_is_not_made),
        cmocka_unit_test(no_points_are_no_work),
        cmocka_unit_test(a_row_without_its_diagonal_is_refused),
        cmocka_unit_test(schur_complements_are_those_of_solves),
        cmocka_unit_test(constraints_of_points_that_are_not_there_are_refused),
        cmocka_unit_test(saddle_points_are_solved),
        cmocka_unit_test(a_saddle_point_is_factored_where_the_rest_is_definite),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(bits_do_not_depend_on_the_width_of_vectors),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(factors_and_solves_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
