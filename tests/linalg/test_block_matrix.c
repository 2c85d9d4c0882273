/* Block matrices against dense ones, and what can't be. */
#include "linalg/block_matrix.h"

#include "base/isa.h"
#include "block_sheet.h"

enum { POINTS = 700, ELEMENTS = 300, DENSE = 40 };

/* Random elements of one size with a random symmetric matrix each. */
typedef struct random_elements {
    size_t corners;
    uint32_t points[ELEMENTS * BLOCK_MOST_CORNERS];
} random_elements;

static void random_element(const void *user, size_t element, mat3 *blocks) {
    const random_elements *r = user;
    test_random random = {element + 1000 * r->corners};
    for (size_t a = 0; a < r->corners; a++)
        for (size_t b = a; b < r->corners; b++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    mat3 *block = &blocks[r->corners * a + b];
                    double value = random_between(&random, -1, 1);
                    if (a != b || k >= i) block->at[i][k] = value;
                    if (a == b && k >= i) block->at[k][i] = value;
                }
}

static void random_points(random_elements *r, size_t corners, size_t point_count) {
    test_random random = {77 + corners};
    r->corners = corners;
    for (size_t e = 0; e < ELEMENTS; e++)
        for (size_t k = 0; k < corners; k++) {
            int again = 1;
            while (again) {
                r->points[corners * e + k] = (uint32_t)(random_bits(&random) % point_count);
                again = 0;
                for (size_t before = 0; before < k; before++)
                    again |= r->points[corners * e + k] == r->points[corners * e + before];
            }
        }
}

static block_matrix *random_matrix(ruga_context *context, random_elements sets[3], size_t point_count) {
    block_pattern *pattern;
    block_matrix *matrix;
    assert_ok(context, block_pattern_create(context, point_count, &pattern));
    for (size_t k = 0; k < 3; k++) {
        random_points(&sets[k], k + 2, point_count);
        assert_ok(context, block_pattern_add_elements(pattern, &sets[k], 5, k + 2, ELEMENTS, sets[k].points));
    }
    assert_ok(context, block_matrix_create(pattern, &matrix));
    block_pattern_destroy(pattern);
    for (size_t k = 0; k < 3; k++) block_matrix_add_elements(matrix, &sets[k], 5, 0.5, random_element, &sets[k]);
    return matrix;
}

static void the_product_is_that_of_the_dense_sum_of_elements(void **state) {
    ruga_context *context = *state;
    static random_elements sets[3];
    static double dense[3 * DENSE][3 * DENSE];
    block_matrix *matrix = random_matrix(context, sets, DENSE);
    mat3 blocks[16];
    memset(dense, 0, sizeof dense);
    for (size_t k = 0; k < 3; k++)
        for (size_t e = 0; e < ELEMENTS; e++) {
            random_element(&sets[k], e, blocks);
            const uint32_t *p = sets[k].points + (k + 2) * e;
            for (size_t a = 0; a < k + 2; a++)
                for (size_t b = 0; b < k + 2; b++)
                    for (size_t i = 0; i < 9; i++)
                        dense[3 * p[a] + i / 3][3 * p[b] + i % 3] +=
                            0.5 * (a <= b ? blocks[(k + 2) * a + b].at[i / 3][i % 3]
                                          : blocks[(k + 2) * b + a].at[i % 3][i / 3]);
        }
    vec3 in[DENSE], out[DENSE];
    test_random random = {5};
    for (size_t i = 0; i < DENSE; i++) in[i] = random_vec3(&random, -1, 1);
    block_matrix_multiply(matrix, in, out);
    for (size_t i = 0; i < 3 * DENSE; i++) {
        double sum = 0;
        for (size_t j = 0; j < 3 * DENSE; j++) sum += dense[i][j] * (&in[j / 3].x)[j % 3];
        assert_near((&out[i / 3].x)[i % 3], sum, 1e-11);
    }
    block_matrix_destroy(matrix);
}

static void rows_rise_and_have_their_diagonal(void **state) {
    static random_elements sets[3];
    block_matrix *matrix = random_matrix(*state, sets, POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        assert_int_equal(matrix->columns[matrix->diagonals[i]], i);
        for (size_t e = matrix->offsets[i]; e < matrix->offsets[i + 1]; e++) {
            if (e > matrix->offsets[i]) assert_less_case(matrix->columns[e - 1], matrix->columns[e], "row %zu", i);
            assert_int_equal(block_matrix_entry(matrix, i, matrix->columns[e]), e);
        }
    }
    block_matrix_destroy(matrix);
}

static void corners_in_other_parts_are_counted(void **state) {
    /* A hinge whose points are in parts 0 0 1 2, and a pair within part 2. */
    const uint32_t hinge[4] = {0, 1, 2, 3}, pair[2] = {3, 4}, part_of[6] = {0, 0, 1, 2, 2, 0};
    static const unsigned char expected[6] = {2, 2, 3, 3, 0, 1};
    const uint32_t offsets[7] = {0, 1, 1, 2, 2, 2, 4}, others[4] = {5, 5, 0, 2};
    block_pattern *pattern;
    block_matrix *matrix;
    unsigned char counts[6];
    assert_ok(*state, block_pattern_create(*state, 6, &pattern));
    assert_ok(*state, block_pattern_add_elements(pattern, hinge, 0, 4, 1, hinge));
    assert_ok(*state, block_pattern_add_elements(pattern, pair, 0, 2, 1, pair));
    assert_ok(*state, block_pattern_add_rows(pattern, offsets, offsets + 1, others));
    assert_ok(*state, block_matrix_create(pattern, &matrix));
    block_pattern_destroy(pattern);
    block_matrix_count_elsewhere(matrix, part_of, counts);
    assert_memory_equal(counts, expected, sizeof counts);
    block_matrix_destroy(matrix);
}

static void threads_and_instruction_sets_change_no_bit(void **state) {
    (void)state;
    static const int threads[3] = {1, 2, 5};
    static random_elements sets[3];
    static vec3 in[POINTS], out[POINTS], first[POINTS];
    test_random random = {6};
    size_t ran = 0;
    for (size_t i = 0; i < POINTS; i++) in[i] = random_vec3(&random, -1, 1);
    for (int k = 0; k < 3; k++)
        for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
            if (isa_choose(isa) != isa) continue;
            ruga_context *context = context_plain(threads[k]);
            context->isa = isa;
            block_matrix *matrix = random_matrix(context, sets, POINTS);
            block_matrix_multiply(matrix, in, out);
            if (ran++ == 0) memcpy(first, out, sizeof first);
            assert_memory_equal(first, out, sizeof first);
            block_matrix_destroy(matrix);
            ruga_context_destroy(context);
        }
    assert_ran(ran, 3);
}

static void a_matrix_that_is_cleared_and_filled_again_has_the_same_bits(void **state) {
    block_sheet *s = block_sheet_make(*state, 20, 10);
    size_t numbers = BLOCK_NUMBERS * (size_t)s->matrix->offsets[s->count];
    double *before = malloc(numbers * sizeof *before);
    memcpy(before, s->matrix->blocks, numbers * sizeof *before);
    block_sheet_fill(s, s->matrix);
    assert_memory_equal(before, s->matrix->blocks, numbers * sizeof *before);
    free(before);
    block_sheet_release(s);
}

static void elements_that_can_not_be_are_named(void **state) {
    ruga_context *context = *state;
    const uint32_t points[6] = {0, 1, 2, 9, 4, 3};
    block_pattern *pattern;
    assert_ok(context, block_pattern_create(context, 5, &pattern));
    assert_status(block_pattern_add_elements(pattern, NULL, 0, 6, 1, points), RUGA_ERROR_INPUT);
    assert_message_has(context, "of 6 points");
    assert_status(block_pattern_add_elements(pattern, NULL, 0, 1, 1, points), RUGA_ERROR_INPUT);
    assert_status(block_pattern_add_elements(pattern, NULL, 0, 2, 2, points), RUGA_ERROR_INPUT);
    assert_message_has(context, "element 1 of a matrix names point 9 of 5");
    block_pattern_destroy(pattern);
}

static ruga_status make_matrix(ruga_context *context, void *user) {
    block_matrix *matrix;
    TRY(block_sheet_pattern(user, context, &matrix));
    block_matrix_destroy(matrix);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    block_sheet *s = block_sheet_make(*state, 5, 10);
    assert_less(8, assert_every_allocation_may_fail(make_matrix, s));
    block_sheet_release(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_that_of_the_dense_sum_of_elements),
        cmocka_unit_test(rows_rise_and_have_their_diagonal),
        cmocka_unit_test(corners_in_other_parts_are_counted),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(a_matrix_that_is_cleared_and_filled_again_has_the_same_bits),
        cmocka_unit_test(elements_that_can_not_be_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
