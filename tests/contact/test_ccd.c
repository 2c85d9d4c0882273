/* Continuous collision against rational arithmetic: nothing is missed, no time is late, no false alarm goes beyond
 * what is promised, thousands of times for every degenerate kind. */
#include "contact/ccd_truth.h"
#include "contact/pair_queries.h"

/* Stretches of a proof that parts stay apart; few pairs slide by so closely that it takes more. */
#define PROOF 16

static ccd_tally check_many(query_maker *make, size_t count) {
    test_random random = {11};
    ccd_tally tally = {0};
    for (size_t n = 0; n < count; n++) {
        pair_query q = make(&random);
        check_query(&q, PROOF, 1, &tally);
    }
    /* All kinds of answers were there, and most are proved. */
    assert_less(count / 10, tally.hits);
    assert_less(tally.unproved, count / 2);
    return tally;
}

static void random_pairs_agree_with_rational_arithmetic(void **state) {
    (void)state;
    skip_when_sanitized();
    ccd_tally tally = check_many(random_query, 400);
    assert_less(40, tally.touching);
    assert_true(tally.given_up == 0);
}

static void pairs_on_few_points_agree(void **state) {
    (void)state;
    ccd_tally tally = check_many(lattice_query, 800);
    assert_less(80, tally.touching);
    assert_true(tally.given_up == 0);
}

static void parallel_pairs_agree(void **state) {
    (void)state;
    ccd_tally tally = check_many(parallel_query, 800);
    assert_less(80, tally.touching);
    assert_true(tally.given_up == 0);
}

static void coplanar_pairs_agree(void **state) {
    (void)state;
    skip_when_sanitized();
    ccd_tally tally = check_many(coplanar_query, 500);
    assert_less(166, tally.touching);
    assert_true(tally.given_up == 0);
}

static void elements_without_length_agree(void **state) {
    (void)state;
    ccd_tally tally = check_many(zero_length_query, 1000);
    assert_less(250, tally.touching);
    assert_true(tally.given_up == 0);
}

static void pairs_that_touch_once_are_never_missed(void **state) {
    (void)state;
    ccd_tally tally = check_many(touching_query, 800);
    assert_int_equal(tally.touching, 800);
    assert_int_equal(tally.hits, 800);
}

static void pairs_that_nearly_touch_agree(void **state) {
    (void)state;
    skip_when_sanitized();
    ccd_tally tally = check_many(nearly_touching_query, 400);
    assert_less(80, tally.touching);
    assert_less(tally.touching, 360);
}

static void nearly_degenerate_pairs_agree(void **state) {
    (void)state;
    ccd_tally tally = check_many(nearly_degenerate_query, 400);
    assert_less(40, tally.touching);
    assert_less(tally.given_up, 10);
}

static void thin_and_short_elements_agree(void **state) {
    (void)state;
    skip_when_sanitized();
    ccd_tally tally = check_many(thin_query, 500);
    assert_less(66, tally.touching);
    assert_less(tally.given_up, 27);
}

static void grazing_pairs_agree(void **state) {
    (void)state;
    ccd_tally tally = check_many(grazing_query, 1000);
    assert_true(tally.touching == 0 && tally.given_up == 0);
}

static void pairs_far_away_agree(void **state) {
    (void)state;
    ccd_tally tally = check_many(far_query, 600);
    assert_less(200, tally.touching);
    assert_true(tally.given_up == 0);
}

static void huge_and_tiny_pairs_agree(void **state) {
    (void)state;
    skip_when_sanitized();
    ccd_tally tally = check_many(scaled_query, 400);
    assert_less(133, tally.touching);
    assert_true(tally.given_up == 0);
}

/* ---- Motion in common. */

static void pairs_that_move_together_never_alarm(void **state) {
    (void)state;
    test_random random = {5};
    for (int n = 0; n < FEWER(20000); n++) {
        pair_query q = lattice_query(&random);
        double far = ldexp(1, random_below(&random, 40));
        ruga_vec3 move = vec3_scale(random_lattice(&random, 8), far);
        for (int k = 0; k < 4; k++) q.to[k] = vec3_add(q.from[k], move);
        double time, distance = gap_of(q.kind, q.from).distance;
        assert_int_equal(ccd_pair(q.kind, q.from, q.to, q.separation, &time), distance < 1e-12);
    }
}

/* A pair that turns as a whole by up to half a right angle: its straight trajectories bring it nearer by less than a
 * tenth. */
static void pairs_that_turn_together_do_not_alarm(void **state) {
    (void)state;
    test_random random = {6};
    int count = 0;
    for (int n = 0; n < FEWER(20000); n++) {
        pair_query q = random_query(&random);
        ruga_vec3 axis = vec3_normalise(random_vec3(&random, -1, 1));
        double angle = random_between(&random, 0, 0.78), distance = gap_of(q.kind, q.from).distance;
        if (distance < 1e-4) continue;
        for (int k = 0; k < 4; k++) {
            ruga_vec3 x = q.from[k], along = vec3_scale(axis, vec3_dot(axis, x));
            q.to[k] = vec3_add(along, vec3_scale(vec3_sub(x, along), cos(angle)));
            q.to[k] = vec3_add_scaled(q.to[k], vec3_cross(axis, x), sin(angle));
        }
        double time;
        assert_int_equal(ccd_pair(q.kind, q.from, q.to, 0.7 * distance, &time), 0);
        count++;
    }
    assert_less(FEWER(15000), count);
}

/* ---- Where a pair starts. */

static void resting_contact_is_no_collision(void **state) {
    (void)state;
    /* A vertex over a triangle at a part of the separation: it may come down to half of that, and not much lower. */
    const ruga_vec3 from[4] = {{0.2, 0.3, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int hits = 0;
    for (double end = 0; end < 2; end += 0.01) {
        ruga_vec3 to[4] = {from[0], from[1], from[2], from[3]};
        to[0].z = end * from[0].z;
        double time = 2;
        int hit = ccd_pair(PAIR_VERTEX_TRIANGLE, from, to, 1, &time);
        if (end > 0.51) assert_int_equal(hit, 0);
        if (end < 0.49) assert_int_equal(hit, 1);
        hits += hit;
        if (hit) assert_near(1 - time + time * end, 0.5, 0.13);
    }
    assert_ran(hits, 49);
}

static void parts_that_start_touching_collide_at_time_zero(void **state) {
    (void)state;
    test_random random = {8};
    for (int n = 0; n < FEWER(5000); n++) {
        /* The middle of the trajectories of parts that touch there; apart in any direction, or not at all. */
        pair_query q = touching_query(&random);
        for (int k = 0; k < 4; k++) {
            q.from[k] = vec3_scale(vec3_add(q.from[k], q.to[k]), 0.5);
            if (n % 2) q.to[k] = q.from[k];
        }
        double time = 2;
        assert_int_equal(ccd_pair(q.kind, q.from, q.to, q.separation, &time), 1);
        assert_true(time == 0);
    }
}

/* The two edges, or the vertices of the triangle, in another order: the same answer, but for roundings of the time. */
static void the_order_of_the_parts_does_not_matter(void **state) {
    (void)state;
    test_random random = {9};
    static const int orders[2][4] = {{0, 2, 3, 1}, {3, 2, 0, 1}};
    int hits = 0;
    for (int n = 0; n < FEWER(20000); n++) {
        pair_query q = random_query(&random), other = q;
        q.separation = other.separation = ldexp(1, -8);
        for (int k = 0; k < 4; k++) {
            other.from[k] = q.from[orders[q.kind][k]];
            other.to[k] = q.to[orders[q.kind][k]];
        }
        double times[2] = {2, 2};
        int hit = ccd_pair(q.kind, q.from, q.to, q.separation, &times[0]);
        assert_int_equal(ccd_pair(other.kind, other.from, other.to, other.separation, &times[1]), hit);
        hits += hit;
        if (hit) assert_near(times[0], times[1], 1e-9);
    }
    assert_ran(hits, FEWER(1000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_agree_with_rational_arithmetic),
        cmocka_unit_test(pairs_on_few_points_agree),
        cmocka_unit_test(parallel_pairs_agree),
        cmocka_unit_test(coplanar_pairs_agree),
        cmocka_unit_test(elements_without_length_agree),
        cmocka_unit_test(pairs_that_touch_once_are_never_missed),
        cmocka_unit_test(pairs_that_nearly_touch_agree),
        cmocka_unit_test(nearly_degenerate_pairs_agree),
        cmocka_unit_test(thin_and_short_elements_agree),
        cmocka_unit_test(grazing_pairs_agree),
        cmocka_unit_test(pairs_far_away_agree),
        cmocka_unit_test(huge_and_tiny_pairs_agree),
        cmocka_unit_test(pairs_that_move_together_never_alarm),
        cmocka_unit_test(pairs_that_turn_together_do_not_alarm),
        cmocka_unit_test(resting_contact_is_no_collision),
        cmocka_unit_test(parts_that_start_touching_collide_at_time_zero),
        cmocka_unit_test(the_order_of_the_parts_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
