/* Rigid motions: eigenvectors, pseudo-inverses, and fits that give back what was done. */
#include "math/rigid_motion.h"

#include "support/support.h"

static void eigenvectors_diagonalise_symmetric_matrices(void **state) {
    (void)state;
    test_random random = {7};
    for (int round = 0; round < 200; round++) {
        int n = 2 + round % 3;
        double a[4][4] = {{0}}, kept[4][4], v[4][4];
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++) a[i][k] = a[k][i] = round == 0 ? 0 : random_between(&random, -2, 2);
        memcpy(kept, a, sizeof a);
        symmetric_eigen(n, a, v);
        /* A v = lambda v, column by column. */
        for (int c = 0; c < n; c++)
            for (int r = 0; r < n; r++) {
                double sum = 0;
                for (int k = 0; k < n; k++) sum += kept[r][k] * v[k][c];
                assert_near_case(sum, a[c][c] * v[r][c], 1e-12, "round %d, c %d, r %d", round, c, r);
            }
    }
}

static symmetric3 inertia_of(const vec3 *points, int count) {
    symmetric3 sum = {0};
    for (int i = 0; i < count; i++) symmetric3_add_inertia(&sum, 1, points[i]);
    return sum;
}

static void the_pseudo_inverse_gives_turns_back_that_points_determine(void **state) {
    (void)state;
    test_random random = {3};
    for (int round = 0; round < 200; round++) {
        vec3 points[4], turn = random_vec3(&random, -1, 1), moment;
        for (int i = 0; i < 4; i++) points[i] = random_vec3(&random, -1, 1);
        symmetric3 inertia = inertia_of(points, 4), inverse = symmetric3_pseudo_inverse(&inertia);
        moment = symmetric3_apply(&inertia, turn);
        assert_less_case(vec3_distance(symmetric3_apply(&inverse, moment), turn), 1e-9, "round %d", round);
        /* On a line, the turn about the line is none. */
        for (int i = 1; i < 4; i++) points[i] = vec3_scale(points[0], i);
        inertia = inertia_of(points, 4);
        inverse = symmetric3_pseudo_inverse(&inertia);
        vec3 axis = vec3_normalise(points[0]), across = vec3_add_scaled(turn, axis, -vec3_dot(turn, axis));
        assert_less_case(vec3_distance(symmetric3_apply(&inverse, symmetric3_apply(&inertia, turn)), across), 1e-9,
                         "round %d", round);
    }
    const symmetric3 nothing = {0};
    symmetric3 inverse = symmetric3_pseudo_inverse(&nothing);
    assert_equal(vec3_length(symmetric3_apply(&inverse, (vec3){1, 2, 3})), 0);
}

static vec3 turned(vec3 axis, double angle, vec3 x) {
    vec3 along = vec3_scale(axis, vec3_dot(axis, x)), across = vec3_sub(x, along);
    return vec3_add(along, vec3_add_scaled(vec3_scale(across, cos(angle)), vec3_cross(axis, across), sin(angle)));
}

static void a_fit_gives_back_the_motion(void **state) {
    (void)state;
    test_random random = {11};
    for (int round = 0; round < 300; round++) {
        vec3 from[6], to[6], axis = vec3_normalise(random_vec3(&random, -1, 1)), shift = random_vec3(&random, -5, 5);
        const uint32_t chosen[3] = {0, 2, 5};
        double angle = random_between(&random, 0, 3);
        for (int i = 0; i < 6; i++) {
            from[i] = random_vec3(&random, -1, 1);
            to[i] = vec3_add(shift, turned(axis, angle, from[i]));
        }
        rigid_motion all, some;
        assert_near_case(rigid_motion_fit(6, NULL, from, to, &all), cos(angle / 2), 1e-8, "round %d", round);
        rigid_motion_fit(3, chosen, from, to, &some);
        for (int i = 0; i < 6; i++) {
            assert_less_case(vec3_distance(rigid_motion_apply(&all, from[i]), to[i]), 1e-8, "round %d, i %d", round, i);
            assert_less_case(vec3_distance(rigid_motion_apply(&some, from[i]), to[i]), 1e-6, "round %d, i %d", round,
                             i);
        }
    }
}

/* One point, or two: there are many turns that fit. */
static void a_fit_turns_no_more_than_it_must(void **state) {
    (void)state;
    const vec3 from[2] = {{1, 0, 0}, {-1, 0, 0}}, to[2] = {{0, 1, 3}, {0, -1, 3}};
    rigid_motion motion;
    assert_equal(rigid_motion_fit(1, NULL, from, to, &motion), 1);
    assert_less(vec3_distance(rigid_motion_apply(&motion, (vec3){1, 2, 0}), (vec3){0, 3, 3}), 1e-12);
    assert_near(rigid_motion_fit(2, NULL, from, to, &motion), sqrt(0.5), 1e-6);
    assert_less(vec3_distance(rigid_motion_apply(&motion, (vec3){0, 0, 1}), (vec3){0, 0, 4}), 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors_diagonalise_symmetric_matrices),
        cmocka_unit_test(the_pseudo_inverse_gives_turns_back_that_points_determine),
        cmocka_unit_test(a_fit_gives_back_the_motion),
        cmocka_unit_test(a_fit_turns_no_more_than_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
