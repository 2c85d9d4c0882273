/* TᵀAT of block matrices against products with T, A and Tᵀ one after the other. */
#include "linalg/block_congruence.h"

#include "linalg/map.h"
#include "support/support.h"

enum { POINTS = 90, UNKNOWNS = 70, SQUARES = 12, CORNERS = 6 };

/* A chain of triangles with random numbers. */
static uint32_t corners_of[3 * (POINTS - 2)];

static void random_triangle(const void *user, size_t element, mat3 *blocks) {
    test_random random = {element + 5};
    (void)user;
    for (size_t a = 0; a < 3; a++)
        for (size_t b = a; b < 3; b++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    double value = random_between(&random, -1, 1);
                    if (a != b || k >= i) blocks[3 * a + b].at[i][k] = value;
                    if (a == b && k >= i) blocks[3 * a + b].at[k][i] = value;
                }
}

static block_matrix *chain_matrix(ruga_context *context) {
    block_pattern *pattern;
    block_matrix *matrix;
    for (uint32_t t = 0; t < POINTS - 2; t++)
        for (uint32_t k = 0; k < 3; k++) corners_of[3 * t + k] = t + k;
    assert_ok(context, block_pattern_create(context, POINTS, &pattern));
    assert_ok(context, block_pattern_add_elements(pattern, corners_of, 0, 3, POINTS - 2, corners_of));
    assert_ok(context, block_matrix_create(pattern, &matrix));
    block_pattern_destroy(pattern);
    block_matrix_add_elements(matrix, corners_of, 0, 1, random_triangle, NULL);
    return matrix;
}

/* Most points are unknowns of their own; the others depend on up to four. */
static ruga_map *random_map(ruga_context *context) {
    map_builder rows;
    ruga_map *map;
    test_random random = {3};
    assert_ok(context, map_builder_make(context, POINTS, 4 * POINTS, &rows));
    for (uint32_t i = 0; i < POINTS; i++) {
        if (i < UNKNOWNS) map_builder_put(&rows, i, 1);
        for (int k = 0; i >= UNKNOWNS && k < 4; k++)
            map_builder_put(&rows, (uint32_t)(random_bits(&random) % UNKNOWNS), random_between(&random, -1, 1));
        map_builder_end_row(&rows);
    }
    assert_ok(context, map_builder_finish(&rows, UNKNOWNS, &map));
    return map;
}

static void random_squares(uint32_t *points, vec3 *vectors) {
    test_random random = {9};
    for (size_t k = 0; k < SQUARES * CORNERS; k++) {
        points[k] = (uint32_t)(random_bits(&random) % POINTS);
        vectors[k] = random_vec3(&random, -1, 1);
    }
}

/* out = Tᵀ (A + scale Σ v vᵀ) T in. */
static void apply_one_by_one(const block_matrix *a, const ruga_map *t, const block_squares *squares, double scale,
                             const vec3 *in, vec3 *out) {
    vec3 x[POINTS], product[POINTS];
    ruga_map_apply(t, in, x);
    block_matrix_multiply(a, x, product);
    for (; squares; squares = squares->next)
        for (size_t e = 0; e < squares->count; e++) {
            double along = 0;
            for (size_t k = squares->corners * e; k < squares->corners * (e + 1); k++)
                along += vec3_dot(squares->vectors[k], x[squares->points[k]]);
            for (size_t k = squares->corners * e; k < squares->corners * (e + 1); k++) {
                vec3 *at = &product[squares->points[k]];
                *at = vec3_add_scaled(*at, squares->vectors[k], scale * along);
            }
        }
    memset(out, 0, UNKNOWNS * sizeof *out);
    ruga_map_apply_transpose_add(t, product, out);
}

static void the_matrix_multiplies_as_its_factors_do(void **state) {
    ruga_context *context = *state;
    block_matrix *a = chain_matrix(context);
    ruga_map *t = random_map(context);
    uint32_t points[SQUARES * CORNERS];
    vec3 vectors[SQUARES * CORNERS], in[UNKNOWNS], out[UNKNOWNS], wanted[UNKNOWNS];
    random_squares(points, vectors);
    /* The same numbers as one list, and as two with different corners. */
    const block_squares one = {SQUARES, CORNERS, points, vectors, NULL};
    const block_squares second = {SQUARES * CORNERS / 3 - 1, 3, points + 3, vectors, NULL};
    const block_squares two = {SQUARES, CORNERS, points, vectors, &second};
    const block_squares *const lists[3] = {NULL, &one, &two};
    test_random random = {11};
    for (int with = 0; with < 3; with++) {
        const block_squares *given = lists[with];
        block_congruence *b;
        assert_ok(context, block_congruence_create(a, t, given, &b));
        /* Twice: a refresh forgets the numbers before it. */
        for (int round = 0; round < 2; round++) block_congruence_refresh(b, 0.7, given);
        for (int k = 0; k < 10; k++) {
            for (size_t j = 0; j < UNKNOWNS; j++) in[j] = random_vec3(&random, -1, 1);
            apply_one_by_one(a, t, given, 0.7, in, wanted);
            block_matrix_multiply(block_congruence_matrix(b), in, out);
            for (size_t j = 0; j < UNKNOWNS; j++)
                assert_less_case(vec3_distance(out[j], wanted[j]), 1e-12, "squares %d, row %zu", with, j);
        }
        block_congruence_destroy(b);
    }
    ruga_map_destroy(t);
    block_matrix_destroy(a);
}

/* A Gauss-Seidel sweep between chunks is safe only if it knows how many unknowns elsewhere a row is coupled with. */
static void rows_count_all_their_neighbours_elsewhere(void **state) {
    ruga_context *context = *state;
    block_matrix *a = chain_matrix(context);
    ruga_map *t = random_map(context);
    block_congruence *b;
    uint32_t parts[UNKNOWNS];
    unsigned char counts[UNKNOWNS];
    assert_ok(context, block_congruence_create(a, t, NULL, &b));
    const block_matrix *m = block_congruence_matrix(b);
    for (uint32_t j = 0; j < UNKNOWNS; j++) parts[j] = j / 10;
    block_matrix_count_elsewhere(m, parts, counts);
    size_t most = 0;
    for (size_t j = 0; j < UNKNOWNS; j++) {
        size_t count = 0;
        for (size_t e = m->offsets[j]; e < m->offsets[j + 1]; e++) count += parts[m->columns[e]] != parts[j];
        assert_int_equal(counts[j], count);
        if (count > most) most = count;
    }
    assert_less(3, most);
    block_congruence_destroy(b);
    ruga_map_destroy(t);
    block_matrix_destroy(a);
}

static void a_map_that_does_not_fit_is_refused(void **state) {
    ruga_context *context = *state;
    block_matrix *a = chain_matrix(context);
    map_builder rows;
    ruga_map *t;
    block_congruence *b = NULL;
    assert_ok(context, map_builder_make(context, 2, 2, &rows));
    map_builder_copy_rows(&rows, 2);
    assert_ok(context, map_builder_finish(&rows, 2, &t));
    assert_int_equal(block_congruence_create(a, t, NULL, &b), RUGA_ERROR_INPUT);
    assert_null(b);
    ruga_map_destroy(t);
    block_matrix_destroy(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_multiplies_as_its_factors_do),
        cmocka_unit_test(rows_count_all_their_neighbours_elsewhere),
        cmocka_unit_test(a_map_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
