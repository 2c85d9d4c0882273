/* Two triangles against rational arithmetic, a million of every kind. */
#include "geom/rational_triangles.h"
#include "support/support.h"

static void hold_against_rationals(const triangle_pair *pair) {
    vec3 point;
    int meet = rational_pair_intersects(pair);
    rational_release_all();
    if (pair_intersects(pair, &point) != meet || (meet && pair_is_apart(pair)))
        for (int i = 0; i < 3; i++)
            print_message("a (%a, %a, %a), b (%a, %a, %a)\n", pair->a[i].x, pair->a[i].y, pair->a[i].z, pair->b[i].x,
                          pair->b[i].y, pair->b[i].z);
    assert_int_equal(pair_intersects(pair, &point), meet);
    assert_false(meet && pair_is_apart(pair));
}

/* On a grid of few points, so that most positions are special; rotated, scaled and moved, so that they are special up
 * to rounding; or anywhere. */
static vec3 random_corner(test_random *random, int kind, const vec3 axes[3], double scale, vec3 far) {
    uint64_t bits = random_bits(random) >> 8;
    vec3 grid = {(double)(bits % 3), (double)(bits / 3 % 3), (double)(bits / 9 % 4 / 2)};
    vec3 turned = {vec3_dot(axes[0], grid), vec3_dot(axes[1], grid), vec3_dot(axes[2], grid)};
    vec3 p = kind == 0 ? grid : kind == 1 ? turned : kind == 2 ? vec3_add(turned, far) : random_vec3(random, -1, 1);
    return vec3_scale(p, scale);
}

static void a_million_pairs_agree_with_rational_arithmetic(void **state) {
    (void)state;
    test_random random = {99};
    for (int i = 0; i < 1000000; i++) {
        vec3 axes[3], far = random_vec3(&random, -100, 100);
        for (int k = 0; k < 3; k++) axes[k] = random_vec3(&random, -1, 1);
        double scale = i % 7 ? 1 : ldexp(1, (int)(random_bits(&random) % 1900) - 950);
        triangle_pair pair = {.common = i / 4 % 4};
        for (int k = 0; k < 3; k++) {
            pair.a[k] = random_corner(&random, i % 4, axes, scale, far);
            pair.b[k] = k < pair.common ? pair.a[k] : random_corner(&random, i % 4, axes, scale, far);
        }
        hold_against_rationals(&pair);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_pairs_agree_with_rational_arithmetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
