/* Quaternions: turns as matrices and back, and turns between frames. */
#include "math/quaternion.h"

#include "support/support.h"

static quaternion random_turn(test_random *random) {
    quaternion q = {random_between(random, -1, 1), random_between(random, -1, 1), random_between(random, -1, 1),
                    random_between(random, -1, 1)};
    return quaternion_add(q, 1 / quaternion_length(q), q, 0);
}

/* Every component is the largest in turn, half turns included. */
static void the_columns_of_a_turn_give_it_back(void **state) {
    (void)state;
    test_random random = {5};
    for (int round = 0; round < 400; round++) {
        quaternion q = random_turn(&random);
        if (round % 4 == 0) q = quaternion_about((vec3){round % 12 == 0, round % 12 == 4, round % 12 == 8}, 3.14159265);
        vec3 columns[3];
        quaternion_columns(q, columns);
        assert_near_case(fabs(quaternion_dot(quaternion_from_columns(columns), q)), 1, 1e-14, "round %d", round);
    }
}

static void a_turn_between_frames_takes_each_axis_to_its_own(void **state) {
    (void)state;
    test_random random = {8};
    for (int round = 0; round < 200; round++) {
        vec3 from[3], to[3];
        quaternion_columns(random_turn(&random), from);
        quaternion_columns(random_turn(&random), to);
        const quaternion turn = quaternion_between(from, to);
        for (int k = 0; k < 3; k++)
            assert_less_case(vec3_distance(quaternion_turn(turn, from[k]), to[k]), 1e-14, "round %d, axis %d", round,
                             k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_columns_of_a_turn_give_it_back),
        cmocka_unit_test(a_turn_between_frames_takes_each_axis_to_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
