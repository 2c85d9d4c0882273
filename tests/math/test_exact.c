/* Signs of determinants against rational arithmetic: random points, points on one plane or line or nearly so, and
 * coordinates of every size that doubles have. */
#include "math/exact.h"

#include <float.h>

#include "support/rational.h"
#include "support/support.h"

static int rational_orient3d(vec3 a, vec3 b, vec3 c, vec3 d) {
    rational3 o = rational3_from(a), p = rational3_sub(rational3_from(b), o), q = rational3_sub(rational3_from(c), o);
    return rational_sign(rational3_determinant(p, q, rational3_sub(rational3_from(d), o)));
}

static int rational_orient_along(int axis, vec3 a, vec3 b, vec3 c) {
    rational3 o = rational3_from(a);
    rational3 n = rational3_cross(rational3_sub(rational3_from(b), o), rational3_sub(rational3_from(c), o));
    return rational_sign(axis == 0 ? n.x : axis == 1 ? n.y : n.z);
}

/* Holds all signs of four points against the rational ones. Returns that of orient3d. */
static int check(const vec3 p[4]) {
    int sign = rational_orient3d(p[0], p[1], p[2], p[3]), level = 1;
    assert_int_equal(orient3d(p[0], p[1], p[2], p[3]), sign);
    assert_int_equal(orient3d(p[1], p[0], p[2], p[3]), -sign);
    assert_int_equal(orient3d(p[3], p[1], p[2], p[0]), -sign);
    for (int axis = 0; axis < 3; axis++) {
        int along = rational_orient_along(axis, p[0], p[1], p[2]);
        assert_int_equal(orient_along(axis, p[0], p[1], p[2]), along);
        assert_int_equal(orient_along(axis, p[1], p[2], p[0]), along);
        assert_int_equal(orient_along(axis, p[0], p[2], p[1]), -along);
        level = level && along == 0;
    }
    assert_int_equal(are_collinear(p[0], p[1], p[2]), level);
    rational_release_all();
    return sign;
}

/* Any finite double: random bits. */
static double any_double(test_random *random) {
    for (;;) {
        uint64_t bits = random_bits(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) return value;
    }
}

static vec3 any_point(test_random *random) {
    double x = any_double(random), y = any_double(random);
    return (vec3){x, y, any_double(random)};
}

static void random_points_have_the_sign_of_rational_arithmetic(void **state) {
    (void)state;
    test_random random = {1};
    for (int i = 0; i < 4000; i++) {
        vec3 p[4];
        for (int k = 0; k < 4; k++) p[k] = random_vec3(&random, -1, 1);
        check(p);
    }
}

/* d = a + s (b - a) + t (c - a), rounded: on the plane up to the last bits, where plain doubles guess. */
static void points_on_a_plane_up_to_rounding_are_decided(void **state) {
    (void)state;
    test_random random = {2};
    int seen[3] = {0};
    for (int i = 0; i < 4000; i++) {
        vec3 p[4];
        for (int k = 0; k < 3; k++) p[k] = random_vec3(&random, -1, 1);
        double s = random_between(&random, -2, 2), t = random_between(&random, -2, 2);
        p[3] = vec3_add_scaled(vec3_add_scaled(p[0], vec3_sub(p[1], p[0]), s), vec3_sub(p[2], p[0]), t);
        if (i % 2) p[2] = vec3_mix(p[0], p[1], s); /* nearly on a line */
        seen[check(p) + 1]++;
    }
    assert_less(500, seen[0]);
    assert_less(500, seen[2]);
}

static void points_exactly_on_a_plane_or_a_line_give_zero(void **state) {
    (void)state;
    test_random random = {3};
    int zeros = 0;
    for (int i = 0; i < 4000; i++) {
        /* Few digits, so that all of this is exact; far from the origin, so that differences are not. */
        vec3 far = vec3_scale(vec3_make(3, 5, -7), i % 3 ? 0 : 0x1p40);
        vec3 p[4];
        for (int k = 0; k < 3; k++)
            p[k] = vec3_make((double)(random_bits(&random) % 1000), (double)(random_bits(&random) % 1000),
                             (double)(random_bits(&random) % 1000));
        double s = (double)(random_bits(&random) % 16), t = i % 2 ? (double)(random_bits(&random) % 16) : 0;
        p[3] = vec3_add_scaled(vec3_add_scaled(p[0], vec3_sub(p[1], p[0]), s), vec3_sub(p[2], p[0]), t);
        for (int k = 0; k < 4; k++) p[k] = vec3_add(p[k], far);
        zeros += check(p) == 0;
        vec3 line[4] = {p[0], p[1], t == 0 ? p[3] : p[0], p[2]};
        check(line);
        assert_true(are_collinear(line[0], line[1], line[2]));
    }
    assert_int_equal(zeros, 4000);
}

static void coordinates_of_any_finite_size_are_decided(void **state) {
    (void)state;
    test_random random = {4};
    for (int i = 0; i < 4000; i++) {
        vec3 p[4];
        for (int k = 0; k < 4; k++) p[k] = any_point(&random);
        if (i % 4 == 1) p[3] = p[0];
        if (i % 4 == 2) p[3].z = p[2].z = p[1].z = p[0].z;
        if (i % 4 == 3) p[2] = vec3_scale(p[1], -1);
        check(p);
    }
}

/* Overflow and underflow of sums and products: the largest, the least, and powers of two between them. */
static void scaling_by_powers_of_two_keeps_every_sign(void **state) {
    (void)state;
    test_random random = {5};
    for (int i = 0; i < 2000; i++) {
        vec3 p[4], q[4];
        for (int k = 0; k < 4; k++) p[k] = random_vec3(&random, -1, 1);
        if (i % 2) p[3] = vec3_mix(p[0], vec3_mix(p[1], p[2], random_unit(&random)), random_unit(&random));
        int sign = check(p);
        double scale = ldexp(1, (int)(random_bits(&random) % 1950) - 950);
        for (int k = 0; k < 4; k++) q[k] = vec3_scale(p[k], scale);
        assert_int_equal(orient3d(q[0], q[1], q[2], q[3]), sign);
    }
    const double extremes[] = {DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN, DBL_MIN, 0, -0.0, 1};
    for (int i = 0; i < 4000; i++) {
        vec3 p[4];
        for (int k = 0; k < 4; k++) {
            uint64_t bits = random_bits(&random);
            p[k] = vec3_make(extremes[bits % 8], extremes[bits / 8 % 8], extremes[bits / 64 % 8]);
        }
        check(p);
    }
}

static void a_positive_sign_is_the_side_that_the_normal_points_to(void **state) {
    (void)state;
    vec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0};
    assert_int_equal(orient3d(a, b, c, vec3_make(0.3, 0.3, DBL_TRUE_MIN)), 1);
    assert_int_equal(orient3d(a, b, c, vec3_make(0.3, 0.3, -1)), -1);
    assert_int_equal(orient_along(2, a, b, c), 1);
    assert_int_equal(orient2d((double[]){0, 0}, (double[]){1, 0}, (double[]){1, 1}), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points_have_the_sign_of_rational_arithmetic),
        cmocka_unit_test(points_on_a_plane_up_to_rounding_are_decided),
        cmocka_unit_test(points_exactly_on_a_plane_or_a_line_give_zero),
        cmocka_unit_test(coordinates_of_any_finite_size_are_decided),
        cmocka_unit_test(scaling_by_powers_of_two_keeps_every_sign),
        cmocka_unit_test(a_positive_sign_is_the_side_that_the_normal_points_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
