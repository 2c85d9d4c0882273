/* Maps obey the laws of matrices. */
#include "linalg/map.h"

#include <math.h>

#include "math/vec3.h"
#include "support/support.h"

/* A random map with rows of up to `most` entries in any order, columns repeated now and then. */
static ruga_map *random_map(ruga_context *context, test_random *random, size_t rows, size_t columns, size_t most) {
    map_builder builder;
    assert_ok(context, map_builder_make(context, rows, rows * most, &builder));
    for (size_t r = 0; r < rows; r++) {
        for (size_t count = random_bits(random) % (most + 1); count > 0; count--) {
            uint32_t column = (uint32_t)(random_bits(random) % columns);
            map_builder_put(&builder, column, random_between(random, -1, 1));
        }
        map_builder_end_row(&builder);
    }
    ruga_map *map;
    assert_ok(context, map_builder_finish(&builder, columns, &map));
    return map;
}

static ruga_vec3 *random_points(test_random *random, size_t count) {
    ruga_vec3 *points = malloc((count + 1) * sizeof *points);
    for (size_t i = 0; i < count; i++) points[i] = random_vec3(random, -1, 1);
    return points;
}

static double inner(const ruga_vec3 *a, const ruga_vec3 *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += vec3_dot(a[i], b[i]);
    return sum;
}

static void assert_same_map(const ruga_map *a, const ruga_map *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof(size_t));
    assert_memory_equal(a->indices, b->indices, a->offsets[a->rows] * sizeof(uint32_t));
    for (size_t i = 0; i < a->offsets[a->rows]; i++) assert_near(a->weights[i], b->weights[i], 1e-12);
}

static void rows_are_sorted_and_repeated_columns_added(void **state) {
    ruga_context *context = *state;
    test_random random = {3};
    const size_t sizes[2] = {6, 300};
    for (size_t s = 0; s < 2; s++) {
        enum { rows = 20, columns = 50 };
        size_t most = sizes[s];
        double dense[rows][columns] = {{0}};
        map_builder builder;
        assert_ok(context, map_builder_make(context, rows, rows * most, &builder));
        for (size_t i = 0; i < rows * most; i++) {
            uint32_t column = (uint32_t)(random_bits(&random) % columns);
            double weight = random_between(&random, -1, 1);
            dense[i / most][column] += weight;
            map_builder_put(&builder, column, weight);
            if (i % most == most - 1) map_builder_end_row(&builder);
        }
        ruga_map *map;
        assert_ok(context, map_builder_finish(&builder, columns, &map));
        for (size_t r = 0; r < rows; r++) {
            for (size_t i = map->offsets[r]; i < map->offsets[r + 1]; i++) {
                if (i > map->offsets[r]) assert_less(map->indices[i - 1], map->indices[i]);
                assert_true(map->weights[i] == dense[r][map->indices[i]]);
                dense[r][map->indices[i]] = 0;
            }
            for (size_t c = 0; c < columns; c++) assert_true(dense[r][c] == 0);
        }
        ruga_map_destroy(map);
    }
    ruga_map_destroy(NULL);
}

static void points_and_numbers_are_mapped_alike(void **state) {
    test_random random = {5};
    ruga_map *map = random_map(*state, &random, 40, 30, 7);
    ruga_vec3 *x = random_points(&random, 30), y[40], z[40];
    ruga_map_apply(map, x, y);
    ruga_map_apply_scalars(map, (const double *)x, 3, (double *)z);
    assert_memory_equal(y, z, sizeof y);
    free(x);
    ruga_map_destroy(map);
}

/* (W x) · y = x · (Wᵀ y), by apply_transpose_add and by the transpose itself. */
static void the_transpose_is_the_adjoint(void **state) {
    test_random random = {9};
    ruga_map *map = random_map(*state, &random, 60, 45, 9), *transpose;
    assert_ok(*state, ruga_map_transpose(map, &transpose));
    ruga_vec3 *x = random_points(&random, 45), *y = random_points(&random, 60), wx[60], sum[45] = {{0, 0, 0}}, wty[45];
    ruga_map_apply(map, x, wx);
    ruga_map_apply_transpose_add(map, y, sum);
    ruga_map_apply(transpose, y, wty);
    assert_near(inner(wx, y, 60), inner(x, sum, 45), 1e-12);
    for (size_t i = 0; i < 45; i++) assert_less(vec3_distance(sum[i], wty[i]), 1e-13);
    ruga_map_apply_transpose_add(map, y, sum);
    for (size_t i = 0; i < 45; i++) assert_less(vec3_distance(sum[i], vec3_scale(wty[i], 2)), 1e-12);
    free(x);
    free(y);
    ruga_map_destroy(map);
    ruga_map_destroy(transpose);
}

static void the_transpose_of_the_transpose_is_the_map(void **state) {
    test_random random = {13};
    ruga_map *map = random_map(*state, &random, 33, 12, 40), *once, *twice;
    assert_ok(*state, ruga_map_transpose(map, &once));
    assert_ok(*state, ruga_map_transpose(once, &twice));
    assert_int_equal(once->rows, 12);
    assert_same_map(map, twice);
    ruga_map_destroy(map);
    ruga_map_destroy(once);
    ruga_map_destroy(twice);
}

/* (B A) x = B (A x) and (B A)ᵀ = Aᵀ Bᵀ. */
static void products_apply_one_after_the_other(void **state) {
    test_random random = {17};
    ruga_map *a = random_map(*state, &random, 25, 20, 6), *b = random_map(*state, &random, 30, 25, 6);
    ruga_map *ba, *at, *bt, *bat, *atbt;
    assert_ok(*state, ruga_map_compose(b, a, &ba));
    assert_int_equal(ba->rows, 30);
    assert_int_equal(ba->columns, 20);
    ruga_vec3 *x = random_points(&random, 20), ax[25], bax[30], both[30];
    ruga_map_apply(a, x, ax);
    ruga_map_apply(b, ax, bax);
    ruga_map_apply(ba, x, both);
    for (size_t i = 0; i < 30; i++) assert_less(vec3_distance(bax[i], both[i]), 1e-13);
    assert_ok(*state, ruga_map_transpose(a, &at));
    assert_ok(*state, ruga_map_transpose(b, &bt));
    assert_ok(*state, ruga_map_transpose(ba, &bat));
    assert_ok(*state, ruga_map_compose(at, bt, &atbt));
    assert_same_map(bat, atbt);
    free(x);
    ruga_map *all[] = {a, b, ba, at, bt, bat, atbt};
    for (size_t i = 0; i < 7; i++) ruga_map_destroy(all[i]);
}

static void products_are_associative(void **state) {
    test_random random = {19};
    ruga_map *a = random_map(*state, &random, 9, 8, 4), *b = random_map(*state, &random, 10, 9, 4);
    ruga_map *c = random_map(*state, &random, 11, 10, 4), *ba, *cb, *left, *right;
    assert_ok(*state, ruga_map_compose(b, a, &ba));
    assert_ok(*state, ruga_map_compose(c, b, &cb));
    assert_ok(*state, ruga_map_compose(c, ba, &left));
    assert_ok(*state, ruga_map_compose(cb, a, &right));
    assert_same_map(left, right);
    ruga_map *all[] = {a, b, c, ba, cb, left, right};
    for (size_t i = 0; i < 7; i++) ruga_map_destroy(all[i]);
}

static void maps_that_do_not_fit_are_refused(void **state) {
    test_random random = {23};
    ruga_map *a = random_map(*state, &random, 5, 4, 3), *out = NULL;
    assert_status(ruga_map_compose(a, a, &out), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "takes 4 points, but the first gives 5");
    assert_null(out);
    ruga_map_destroy(a);
}

static void empty_maps_map_nothing(void **state) {
    test_random random = {29};
    ruga_map *none = random_map(*state, &random, 0, 4, 3), *transpose, *product;
    assert_ok(*state, ruga_map_transpose(none, &transpose));
    assert_int_equal(transpose->rows, 4);
    assert_int_equal(transpose->offsets[4], 0);
    assert_ok(*state, ruga_map_compose(transpose, none, &product));
    ruga_vec3 x[4] = {{1, 2, 3}}, y[4];
    ruga_map_apply(product, x, y);
    for (size_t i = 0; i < 4; i++) assert_true(vec3_length(y[i]) == 0);
    ruga_map_destroy(none);
    ruga_map_destroy(transpose);
    ruga_map_destroy(product);
}

static void results_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    enum { rows = 20000, columns = 5000 };
    ruga_vec3 *results[2];
    for (int i = 0; i < 2; i++) {
        ruga_context *context = context_plain(i ? 3 : 1);
        test_random random = {31};
        ruga_map *map = random_map(context, &random, rows, columns, 6);
        ruga_vec3 *x = random_points(&random, columns);
        results[i] = malloc(rows * sizeof(ruga_vec3));
        ruga_map_apply(map, x, results[i]);
        free(x);
        ruga_map_destroy(map);
        ruga_context_destroy(context);
    }
    assert_memory_equal(results[0], results[1], rows * sizeof(ruga_vec3));
    free(results[0]);
    free(results[1]);
}

static ruga_status multiply_and_release(ruga_context *context, void *user) {
    ruga_map a = *(const ruga_map *)user, *transpose = NULL, *product = NULL;
    a.context = context;
    ruga_status status = ruga_map_transpose(&a, &transpose);
    if (!RUGA_FAILED(status)) status = ruga_map_compose(transpose, &a, &product);
    ruga_map_destroy(transpose);
    ruga_map_destroy(product);
    return status;
}

static void every_allocation_may_fail(void **state) {
    test_random random = {37};
    ruga_map *map = random_map(*state, &random, 40, 200, 150);
    assert_at_most(9, assert_every_allocation_may_fail(multiply_and_release, map));
    ruga_map_destroy(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_repeated_columns_added),
        cmocka_unit_test(points_and_numbers_are_mapped_alike),
        cmocka_unit_test(the_transpose_is_the_adjoint),
        cmocka_unit_test(the_transpose_of_the_transpose_is_the_map),
        cmocka_unit_test(products_apply_one_after_the_other),
        cmocka_unit_test(products_are_associative),
        cmocka_unit_test(maps_that_do_not_fit_are_refused),
        cmocka_unit_test(empty_maps_map_nothing),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
