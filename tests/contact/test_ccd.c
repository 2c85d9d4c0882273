/* Continuous collision: nothing is missed. */
#include "contact/ccd.h"

#include <math.h>

#include "math/vec3.h"
#include "support/support.h"

static void a_hit_is_told_before_the_parts_are_too_near(void **state) {
    (void)state;
    test_random random = {3};
    int hits = 0;
    for (int n = 0; n < 20000; n++) {
        ruga_vec3 from[4], to[4];
        for (int k = 0; k < 4; k++) from[k] = random_vec3(&random, -1, 1), to[k] = random_vec3(&random, -1, 1);
        for (int kind = 0; kind < 2; kind++) {
            double time = 2, start = gap_of((pair_kind)kind, from).distance;
            double separation = fmin(1e-3, start / 2);
            int hit = ccd_pair((pair_kind)kind, from, to, 1e-3, &time);
            hits += hit;
            for (int i = 0; i <= 100; i++) {
                double t = i / 100.0;
                ruga_vec3 x[4];
                for (int k = 0; k < 4; k++) x[k] = vec3_mix(from[k], to[k], t);
                if (!hit || t <= time) assert_true(gap_of((pair_kind)kind, x).distance >= separation - 1e-14);
            }
            if (!hit) continue;
            ruga_vec3 x[4];
            for (int k = 0; k < 4; k++) x[k] = vec3_mix(from[k], to[k], time);
            assert_true(gap_of((pair_kind)kind, x).distance <= 1.25 * separation + 1e-14);
        }
    }
    assert_true(hits > 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hit_is_told_before_the_parts_are_too_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
