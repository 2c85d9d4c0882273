/* Gaps of pairs: the nearest points, whatever the parts look like. */
#include "contact/pairs.h"

#include <math.h>

#include "math/vec3.h"
#include "support/support.h"

static ruga_vec3 gap_vector(const pair_gap *gap, const ruga_vec3 x[4]) {
    ruga_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) sum = vec3_add_scaled(sum, x[k], gap->weights[k]);
    return sum;
}

static void no_points_of_the_parts_are_nearer(void **state) {
    (void)state;
    test_random random = {7};
    for (int n = 0; n < 20000; n++) {
        ruga_vec3 x[4];
        for (int k = 0; k < 4; k++) x[k] = random_vec3(&random, -1, 1);
        for (int kind = 0; kind < 2; kind++) {
            pair_gap gap = gap_of((pair_kind)kind, x);
            ruga_vec3 vector = gap_vector(&gap, x);
            assert_true(vec3_distance(vector, vec3_scale(gap.direction, gap.distance)) < 1e-14);
            for (int i = 0; i < 20; i++) {
                double s = random_unit(&random), t = random_unit(&random);
                if (kind == PAIR_VERTEX_TRIANGLE && s + t > 1) s = 1 - s, t = 1 - t;
                pair_gap other = {.weights = {1 - s, s, t - 1, -t}};
                if (kind == PAIR_VERTEX_TRIANGLE) other = (pair_gap){.weights = {1, s + t - 1, -s, -t}};
                assert_true(vec3_length(gap_vector(&other, x)) >= gap.distance - 1e-14);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_points_of_the_parts_are_nearer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
