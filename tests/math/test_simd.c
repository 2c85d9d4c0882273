/* Short vectors and vec3. A test program is built without an instruction set of its own, so this is the array path;
 * tests/geom checks that the others give the same bits. */
#include "math/simd.h"
#include "math/vec3.h"
#include "support/support.h"

static void min_and_max_drop_a_nan_in_front(void **state) {
    (void)state;
    const double x[4] = {1, NAN, -3, NAN}, y[4] = {2, 5, -4, NAN};
    double low[4], high[4];
    f64x4_store(low, f64x4_min(f64x4_load(x), f64x4_load(y)));
    f64x4_store(high, f64x4_max(f64x4_load(x), f64x4_load(y)));
    assert_equal(low[0], 1);
    assert_equal(low[1], 5);
    assert_equal(low[2], -4);
    assert_true(isnan(low[3]));
    assert_equal(high[0], 2);
    assert_equal(high[1], 5);
    assert_equal(high[2], -3);
    assert_true(isnan(high[3]));
}

static void lanes_are_computed_one_by_one(void **state) {
    (void)state;
    const double x[4] = {1, 2, 3, 4}, y[4] = {4, 3, 2, 1};
    double r[4];
    f64x4 a = f64x4_load(x), b = f64x4_load(y);
    f64x4_store(r, f64x4_add(f64x4_mul(a, b), f64x4_div(a, f64x4_sub(b, f64x4_set(5)))));
    for (int i = 0; i < 4; i++) assert_equal_case(r[i], x[i] * y[i] + x[i] / (y[i] - 5), "i %d", i);
    m64x4 less = f64x4_lt(a, b), at_most_three = f64x4_le(a, f64x4_set(3));
    f64x4_store(r, f64x4_sqrt(a));
    for (int i = 0; i < 4; i++) assert_equal_case(r[i], sqrt(x[i]), "i %d", i);
    r[3] = -1;
    f64x4_store3(r, b);
    assert_equal(r[0], 4);
    assert_equal(r[1], 3);
    assert_equal(r[2], 2);
    assert_equal(r[3], -1);
    assert_int_equal(m64x4_bits(less), 3);
    assert_int_equal(m64x4_bits(at_most_three), 7);
    assert_int_equal(m64x4_bits(m64x4_and(less, at_most_three)), 3);
    f64x4_store(r, f64x4_select(less, a, b));
    for (int i = 0; i < 4; i++) assert_equal_case(r[i], fmin(x[i], y[i]), "i %d", i);
}

static void points_are_turned_into_coordinates(void **state) {
    (void)state;
    const vec3 points[4] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    f64x4 x, y, z;
    f64x4_transpose3(f64x4_load3(&points[0].x), f64x4_load3(&points[1].x), f64x4_load3(&points[2].x),
                     f64x4_load3(&points[3].x), &x, &y, &z);
    double r[3][4];
    f64x4_store(r[0], x);
    f64x4_store(r[1], y);
    f64x4_store(r[2], z);
    for (int i = 0; i < 4; i++) {
        assert_equal_case(r[0][i], points[i].x, "i %d", i);
        assert_equal_case(r[1][i], points[i].y, "i %d", i);
        assert_equal_case(r[2][i], points[i].z, "i %d", i);
    }
    double t[4][4];
    f64x4 rows[4];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) t[i][k] = 10 * i + k;
        rows[i] = f64x4_load(t[i]);
    }
    f64x4_transpose4(&rows[0], &rows[1], &rows[2], &rows[3]);
    for (int i = 0; i < 4; i++) f64x4_store(t[i], rows[i]);
    for (int i = 0; i < 16; i++) assert_equal_case(t[i / 4][i % 4], 10 * (i % 4) + i / 4, "i %d", i);
}

static void lanes_of_three_are_summed_in_pairs(void **state) {
    (void)state;
    /* In any other order the small numbers are lost. */
    const double x[4] = {1e-17, 1e-17, 1, -1}, y[4] = {1, -1, 1e-17, 2e-17}, z[4] = {1, 2, 3, 4};
    double r[4];
    f64x4_store(r, f64x4_sums3(f64x4_load(x), f64x4_load(y), f64x4_load(z)));
    assert_equal(r[0], 1e-17 + 1e-17);
    assert_equal(r[1], 1e-17 + 2e-17);
    assert_equal(r[2], 10);
    f64x4_store(r, f64x4_turn(f64x4_load(z)));
    const double turned[4] = {2, 3, 1, 4};
    assert_memory_equal(r, turned, sizeof r);
}

static void floats_transpose_and_compare(void **state) {
    (void)state;
    float rows[4][4], columns[4][4];
    for (int i = 0; i < 16; i++) rows[i / 4][i % 4] = (float)i;
    f32x4 a = f32x4_load(rows[0]), b = f32x4_load(rows[1]), c = f32x4_load(rows[2]), d = f32x4_load(rows[3]);
    f32x4_transpose(&a, &b, &c, &d);
    f32x4_store(columns[0], a);
    f32x4_store(columns[1], b);
    f32x4_store(columns[2], c);
    f32x4_store(columns[3], d);
    for (int i = 0; i < 16; i++) assert_equal_case(columns[i % 4][i / 4], rows[i / 4][i % 4], "i %d", i);

    const float x[8] = {0, 1, 2, 3, 4, 5, 6, NAN};
    assert_int_equal(f32x8_le_bits(f32x8_load(x), f32x8_set(3)), 15);
    assert_int_equal(f32x4_le_bits(f32x4_load(x + 4), f32x4_set(5)), 3);
    const uint32_t whole[8] = {7, 1, 2, 7, 4, 5, 6, 7};
    assert_int_equal(u32x8_eq_bits(u32x8_load(whole), u32x8_set(7)), 0x89);
    float r[8];
    f32x8_store(r, f32x8_min(f32x8_add(f32x8_load(x), f32x8_set(1)), f32x8_set(4)));
    for (int i = 0; i < 8; i++) assert_equal_case(r[i], i < 3 ? (float)(i + 1) : 4, "i %d", i);
}

static void halves_of_eight_lanes_are_points(void **state) {
    (void)state;
    const float p[4] = {1, 2, 3, 4}, q[4] = {5, 6, 7, -8};
    float r[8], s[8];
    f32x8 a = f32x8_load2(p, q);
    f32x8_store(r, f32x8_turn(a));
    const float turned[8] = {2, 3, 1, 4, 6, 7, 5, -8};
    assert_memory_equal(r, turned, sizeof r);
    f32x4_store(s, f32x4_turn(f32x4_load(p)));
    assert_memory_equal(s, turned, sizeof p);
    f32x8_store2(r, r + 4, f32x8_fourth(f32x8_set(0), a));
    f32x8_store(s, f32x8_sums4(a));
    for (int i = 0; i < 8; i++) {
        assert_equal_case(r[i], i % 4 < 3 ? 0 : i < 4 ? 4 : -8, "i %d", i);
        assert_equal_case(s[i], 10, "i %d", i);
    }
    f32x8_store(r, f32x8_add(f32x8_spread_x(a), f32x8_mul(f32x8_set(10), f32x8_spread_y(a))));
    f32x8_store(s, f32x8_div(f32x8_sqrt(f32x8_mul(a, a)), f32x8_spread_z(a)));
    for (int i = 0; i < 8; i++) {
        assert_equal_case(r[i], i < 4 ? 21 : 65, "i %d", i);
        assert_equal_case(s[i], fabsf(i < 4 ? p[i] : q[i - 4]) / (i < 4 ? 3 : 7), "i %d", i);
    }
    f32x8_store(r, f32x8_where_negative(a, f32x8_set(1), f32x8_set(2)));
    for (int i = 0; i < 8; i++) assert_equal_case(r[i], i == 7 ? 1 : 2, "i %d", i);

    float rows[4][8], columns[4][8];
    for (int i = 0; i < 32; i++) rows[i / 8][i % 8] = (float)i;
    f32x8 v[4];
    for (int i = 0; i < 4; i++) v[i] = f32x8_load(rows[i]);
    f32x8_transpose4(&v[0], &v[1], &v[2], &v[3]);
    for (int i = 0; i < 4; i++) f32x8_store(columns[i], v[i]);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 8; k++) assert_equal_case(columns[i][k], rows[k % 4][(k & 4) + i], "i %d, k %d", i, k);
}

static void the_least_key_holds_its_lane(void **state) {
    (void)state;
    const float x[8] = {9, 7, 0.5f, 3, INFINITY, 2, 8, 0.25f};
    u32x8 keys = u32x8_drop_from(u32x8_keys(f32x8_load(x)), 7);
    const uint32_t order[7] = {2, 5, 3, 1, 6, 0, 4};
    for (int i = 0; i < 7; i++) {
        uint32_t least = u32x8_least(keys);
        assert_int_equal(least & 7, order[i]);
        keys = u32x8_drop(keys, least & 7);
    }
    assert_int_equal(u32x8_least(keys), UINT32_MAX);
}

static void vectors_of_three_obey_their_laws(void **state) {
    (void)state;
    test_random random = {1};
    for (int i = 0; i < 100; i++) {
        vec3 a = random_vec3(&random, -1, 1), b = random_vec3(&random, -1, 1), n = vec3_cross(a, b);
        assert_near_case(vec3_dot(n, a), 0, 1e-15, "i %d", i);
        assert_near_case(vec3_dot(n, b), 0, 1e-15, "i %d", i);
        // Lagrange's identity.
        double d = vec3_dot(a, b);
        assert_near_case(vec3_length2(n) + d * d, vec3_length2(a) * vec3_length2(b), 1e-14, "i %d", i);
        assert_near_case(vec3_length(vec3_normalise(a)), 1, 1e-15, "i %d", i);
        assert_near_case(vec3_distance(vec3_mix(a, b, 0.25), a), 0.25 * vec3_distance(a, b), 1e-15, "i %d", i);
    }
    assert_equal(vec3_length(vec3_normalise((vec3){0, 0, 0})), 0);
    assert_true(vec3_is_finite(vec3_make(1, 2, 3)) && !vec3_is_finite(vec3_make(1, NAN, 3)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(min_and_max_drop_a_nan_in_front),    cmocka_unit_test(lanes_are_computed_one_by_one),
        cmocka_unit_test(points_are_turned_into_coordinates), cmocka_unit_test(floats_transpose_and_compare),
        cmocka_unit_test(lanes_of_three_are_summed_in_pairs), cmocka_unit_test(halves_of_eight_lanes_are_points),
        cmocka_unit_test(the_least_key_holds_its_lane),       cmocka_unit_test(vectors_of_three_obey_their_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
