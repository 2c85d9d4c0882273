/* Two triangles against rational arithmetic, thousands of every kind: apart, crossing, touching, in one plane, on one
 * line, without area, with common vertices, of all scales, and all of these up to rounding. */
#include "geom/triangle_pair.h"

#include "geom/intersections.h"
#include "geom/rational_triangles.h"
#include "support/support.h"

typedef struct tally {
    long meet, apart, quick; /* quick: those apart that the fast test found */
} tally;

static triangle_pair make(const vec3 a[3], const vec3 b[3], int common) {
    triangle_pair pair = {.common = common};
    for (int i = 0; i < 3; i++) pair.a[i] = a[i], pair.b[i] = i < common ? a[i] : b[i];
    return pair;
}

static double extent(const vec3 t[3]) {
    double largest = 0;
    for (int i = 0; i < 3; i++) largest = fmax(largest, vec3_length(vec3_sub(t[i], t[(i + 1) % 3])));
    return largest;
}

/* The reported point is within the size of the triangles from both. */
static void check_point(const triangle_pair *pair, vec3 point) {
    double reach = extent(pair->a) + extent(pair->b);
    if (reach > 1e100 || reach < 1e-100) return;
    double slack = reach + 1e-12 * (vec3_length(pair->a[0]) + vec3_length(pair->b[0]));
    assert_at_most(vec3_length(vec3_sub(point, pair->a[0])), slack);
    assert_at_most(vec3_length(vec3_sub(point, pair->b[0])), slack);
}

static void check(const triangle_pair *pair, tally *t) {
    vec3 point = {0, 0, 0};
    int meet = rational_pair_intersects(pair);
    rational_release_all();
    assert_int_equal(pair_intersects(pair, &point), meet);
    if (meet) check_point(pair, point);

    /* In either order, and from any corner. */
    triangle_pair other = *pair;
    memcpy(other.a, pair->b, sizeof other.a);
    memcpy(other.b, pair->a, sizeof other.b);
    for (int i = pair->common, k = 2; i < k; i++, k--) {
        vec3 p = other.a[i];
        other.a[i] = other.a[k];
        other.a[k] = p;
    }
    assert_int_equal(pair_intersects(&other, &point), meet);
    if (pair->common == 0) assert_int_equal(triangles_intersect(other.a, other.b), meet);

    int apart = pair_is_apart(pair);
    assert_false(apart && meet);
    assert_false(pair_is_apart(&other) && meet);
    t->meet += meet;
    t->apart += !meet;
    t->quick += apart;
}

static vec3 grid_point(test_random *random, unsigned size) {
    uint64_t bits = random_bits(random) >> 8;
    return vec3_make((double)(bits % size), (double)(bits / size % size), (double)(bits / size / size % size));
}

static void random_triangles_agree_with_rational_arithmetic(void **state) {
    (void)state;
    test_random random = {1};
    for (int common = 0; common < 4; common++) {
        tally t = {0};
        for (int i = 0; i < FEWER(1500); i++) {
            vec3 a[3], b[3];
            for (int k = 0; k < 3; k++) a[k] = random_vec3(&random, -1, 1), b[k] = random_vec3(&random, -1, 1);
            triangle_pair pair = make(a, b, common);
            check(&pair, &t);
        }
        if (common == 2)
            assert_equal(t.meet, 0);
        else
            assert_less_case(FEWER(100), t.meet, "common %d", common);
        if (common != 3) assert_less_case(t.apart, 2 * t.quick, "common %d", common);
    }
}

/* Corners on a few points of a grid: most of these touch, lie in a plane or on a line, or have no area. */
static void triangles_in_every_special_position_agree(void **state) {
    (void)state;
    test_random random = {2};
    for (int common = 0; common < 4; common++) {
        tally t = {0};
        for (int i = 0; i < FEWER(6000); i++) {
            unsigned size = 2 + (unsigned)i % 3;
            vec3 a[3], b[3];
            for (int k = 0; k < 3; k++) a[k] = grid_point(&random, size), b[k] = grid_point(&random, size);
            if (i % 4 == 1) a[0].z = a[1].z = a[2].z = b[0].z = b[1].z = b[2].z = 1; /* in one plane */
            if (i % 8 == 2)                                                          /* on one line */
                for (int k = 0; k < 3; k++) a[k].y = a[k].z = a[k].x, b[k].y = b[k].z = b[k].x;
            triangle_pair pair = make(a, b, common);
            check(&pair, &t);
        }
        assert_less_case(FEWER(500), t.meet, "common %d", common);
        assert_less_case(FEWER(500), t.apart, "common %d", common);
    }
}

/* The same, rotated, scaled and moved: triangles that touched do so up to rounding. */
static void positions_that_are_special_but_for_a_rounding_agree(void **state) {
    (void)state;
    test_random random = {3};
    for (int common = 0; common < 3; common++) {
        tally t = {0};
        for (int i = 0; i < FEWER(3000); i++) {
            vec3 axes[3], a[3], b[3], far = random_vec3(&random, -10, 10);
            for (int k = 0; k < 3; k++) axes[k] = random_vec3(&random, -1, 1);
            for (int k = 0; k < 6; k++) {
                vec3 g = grid_point(&random, 3);
                if (i % 3 == 0) g.z = 1;
                vec3 p = vec3_make(vec3_dot(axes[0], g), vec3_dot(axes[1], g), vec3_dot(axes[2], g));
                *(k < 3 ? &a[k] : &b[k - 3]) = i % 2 ? p : vec3_add(p, far);
            }
            triangle_pair pair = make(a, b, common);
            check(&pair, &t);
        }
        assert_less_case(FEWER(100), t.meet, "common %d", common);
        assert_less_case(FEWER(100), t.apart, "common %d", common);
    }
}

/* From the smallest numbers to the largest, with triangles of very different sizes. */
static void scales_from_tiny_to_huge_agree(void **state) {
    (void)state;
    test_random random = {4};
    const double scales[] = {0x1p-1070, 0x1p-1000, 1e-200, 1e-160, 1e-107, 1e-90,
                             1e-30,     1e90,      1e104,  1e156,  1e200,  1e300};
    for (int common = 0; common < 3; common++) {
        tally t = {0};
        for (int i = 0; i < FEWER(3000); i++) {
            double scale = scales[i % 12], other = i / 12 % 3 ? scale : scales[i / 36 % 12];
            vec3 a[3], b[3];
            for (int k = 0; k < 3; k++) {
                vec3 p = i % 3 ? grid_point(&random, 3) : random_vec3(&random, -1, 1);
                vec3 q = i % 3 ? grid_point(&random, 3) : random_vec3(&random, -1, 1);
                a[k] = vec3_scale(p, scale);
                b[k] = vec3_scale(q, other);
            }
            triangle_pair pair = make(a, b, common);
            check(&pair, &t);
        }
        assert_less_case(FEWER(100), t.meet, "common %d", common);
        assert_less_case(FEWER(100), t.apart, "common %d", common);
    }
}

/* A corner of one on the other, on its side or just off it, by one step of a double. */
static void a_step_of_one_double_decides_between_touching_and_not(void **state) {
    (void)state;
    test_random random = {5};
    tally t = {0};
    for (int i = 0; i < FEWER(3000); i++) {
        vec3 a[3], b[3];
        for (int k = 0; k < 3; k++) a[k] = random_vec3(&random, -1, 1), b[k] = random_vec3(&random, -1, 1);
        double u = i % 2 ? 0 : random_between(&random, 0, 0.5), v = random_between(&random, 0, 0.5);
        b[0] = vec3_add_scaled(vec3_add_scaled(a[0], vec3_sub(a[1], a[0]), u), vec3_sub(a[2], a[0]), v);
        /* The rest of b beyond the plane of a. */
        vec3 normal = vec3_cross(vec3_sub(a[1], a[0]), vec3_sub(a[2], a[0]));
        for (int k = 1; k < 3; k++)
            if (vec3_dot(normal, vec3_sub(b[k], a[0])) < 0) b[k] = vec3_sub(vec3_scale(a[0], 2), b[k]);
        if (i % 3 == 0) b[0].x = nextafter(b[0].x, b[1].x);
        triangle_pair pair = make(a, b, 0);
        check(&pair, &t);
    }
    assert_less(FEWER(500), t.meet);
    assert_less(FEWER(500), t.apart);
}

/* Point reflections of each other that meet in a single corner: a plane between them separates up to rounding. */
static void corners_that_meet_up_to_a_rounding_agree(void **state) {
    (void)state;
    test_random random = {7};
    tally t = {0};
    for (int i = 0; i < FEWER(3000); i++) {
        vec3 a[3], b[3];
        for (int k = 0; k < 3; k++) a[k] = random_vec3(&random, -1, 1);
        for (int k = 0; k < 3; k++) b[k] = vec3_sub(vec3_scale(a[1], 2), a[k]);
        if (i % 2) b[1] = vec3_mix(b[1], b[0], random_between(&random, -1e-16, 1e-16));
        if (i % 3 == 0) b[1].y = nextafter(b[1].y, b[0].y);
        triangle_pair pair = make(a, b, 0);
        check(&pair, &t);
    }
    assert_less(FEWER(500), t.meet);
    assert_less(FEWER(100), t.apart);
}

/* Most pairs are neighbours of a smooth sheet: the fast test must decide them. */
static void neighbours_on_a_smooth_surface_are_found_apart_quickly(void **state) {
    (void)state;
    test_random random = {6};
    for (int common = 0; common < 3; common++) {
        tally t = {0};
        for (int i = 0; i < 1000; i++) {
            vec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {-1, 0.5, 0}, {-1, -1, 0}};
            for (int k = 0; k < 6; k++)
                corner[k] = vec3_add_scaled(corner[k], random_vec3(&random, -1, 1), i % 2 ? 0.05 : 0);
            vec3 a[3] = {corner[0], corner[2], corner[1]};
            vec3 b[3] = {corner[common == 0 ? 3 : 0], corner[common == 2 ? 2 : 5], corner[common == 2 ? 3 : 4]};
            triangle_pair pair = make(a, b, common);
            check(&pair, &t);
        }
        assert_int_equal(t.meet, 0);
        assert_int_equal(t.quick, 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_triangles_agree_with_rational_arithmetic),
        cmocka_unit_test(triangles_in_every_special_position_agree),
        cmocka_unit_test(positions_that_are_special_but_for_a_rounding_agree),
        cmocka_unit_test(scales_from_tiny_to_huge_agree),
        cmocka_unit_test(a_step_of_one_double_decides_between_touching_and_not),
        cmocka_unit_test(corners_that_meet_up_to_a_rounding_agree),
        cmocka_unit_test(neighbours_on_a_smooth_surface_are_found_apart_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
