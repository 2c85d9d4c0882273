/* Wind: gusts are smooth, bounded, without a mean of their own, carried along, and the same on every machine. */
#include "body/environment.h"

#include <math.h>

#include "base/state.h"
#include "math/vec3.h"
#include "support/support.h"

static const environment gusty = {
    .wind = {.velocity = {3, 0.5, -1}, .gust = 0.7, .gust_size = 0.8, .gust_time = 1.5, .seed = 42}};

static ruga_vec3 gust_at(const environment *e, ruga_vec3 point, double time) {
    return vec3_sub(environment_wind(e, point, time), e->wind.velocity);
}

static double bound(const environment *e) { return e->wind.gust * vec3_length(e->wind.velocity); }

static void without_gusts_the_wind_is_steady(void **state) {
    (void)state;
    environment e = gusty;
    e.wind.gust = 0;
    ruga_vec3 v = environment_wind(&e, (ruga_vec3){1, 2, 3}, 4);
    assert_memory_equal(&v, &e.wind.velocity, sizeof v);
    const environment still = {.wind = {.gust = 1, .gust_size = 1, .gust_time = 1}};
    v = environment_wind(&still, (ruga_vec3){1, 2, 3}, 4);
    assert_true(vec3_length(v) == 0);
}

static void gusts_are_bounded_and_have_no_mean(void **state) {
    (void)state;
    test_random random = {1};
    enum { samples = 200000 };
    ruga_vec3 mean = {0, 0, 0}, square = {0, 0, 0}, highest = {0, 0, 0};
    for (int i = 0; i < samples; i++) {
        ruga_vec3 p = random_vec3(&random, -300, 300);
        ruga_vec3 g = vec3_scale(gust_at(&gusty, p, random_between(&random, -500, 500)), 1 / bound(&gusty));
        ruga_vec3 size = {fabs(g.x), fabs(g.y), fabs(g.z)};
        highest = vec3_max(highest, size);
        mean = vec3_add_scaled(mean, g, 1.0 / samples);
        square = vec3_add_scaled(square, (ruga_vec3){g.x * g.x, g.y * g.y, g.z * g.z}, 1.0 / samples);
    }
    const double means[3] = {mean.x, mean.y, mean.z}, squares[3] = {square.x, square.y, square.z};
    const double most[3] = {highest.x, highest.y, highest.z};
    for (int k = 0; k < 3; k++) {
        /* Within five standard errors of zero. */
        assert_near(means[k], 0, 5 * sqrt(squares[k] / samples));
        assert_at_most(most[k], 1 + 1e-12);
        /* Not so little that nobody would notice: each component swings by a third of the bound, root mean square. */
        assert_less(0.25, sqrt(squares[k]));
        assert_less(sqrt(squares[k]), 0.45);
        assert_less(0.75, most[k]);
    }
}

/* The same place at two sizes of step: a difference quotient that converges; and its change is continuous, across the
 * cells of the lattice too. */
static void gusts_are_smooth(void **state) {
    (void)state;
    environment e = gusty;
    double h = 1e-5;
    for (int axis = 0; axis < 4; axis++) {
        double steepest = 0, sharpest = 0, before = 0;
        for (int i = 0; i < 40000; i++) {
            double s = -2 + i * 1e-4;
            ruga_vec3 p = {0.31, -0.22, 0.57}, q = p;
            double t = 0.4, u = t;
            double *low[4] = {&p.x, &p.y, &p.z, &t}, *high[4] = {&q.x, &q.y, &q.z, &u};
            *low[axis] = s - h / 2;
            *high[axis] = s + h / 2;
            ruga_vec3 slope = vec3_scale(vec3_sub(environment_wind(&e, q, u), environment_wind(&e, p, t)), 1 / h);
            double now = slope.x;
            steepest = fmax(steepest, fabs(now));
            if (i > 0) sharpest = fmax(sharpest, fabs(now - before));
            before = now;
        }
        /* A mixture over a cell of size s by the quintic fade is at most 15/8 of its ends' difference over s steep. */
        double cell = axis < 3 ? e.wind.gust_size
                               : 1 / (vec3_length(e.wind.velocity) * 2 / e.wind.gust_size + 1 / e.wind.gust_time);
        double limit = 2 * bound(&e) * 15 / 8 / cell;
        assert_less(0.01 * limit, steepest);
        assert_less(steepest, limit);
        /* The slope itself changes little over a ten-thousandth: no kink. */
        assert_less(sharpest, 0.01 * limit);
    }
}

static void gusts_are_carried_by_the_mean_wind(void **state) {
    (void)state;
    environment e = gusty;
    e.wind.gust_time = 1e9;
    test_random random = {3};
    for (int i = 0; i < 200; i++) {
        ruga_vec3 p = random_vec3(&random, -5, 5);
        double t = random_between(&random, -5, 5), later = t + random_between(&random, 0, 3);
        ruga_vec3 moved = vec3_add_scaled(p, e.wind.velocity, later - t);
        assert_less(vec3_distance(gust_at(&e, p, t), gust_at(&e, moved, later)), 1e-6);
    }
}

static void seeds_give_other_gusts(void **state) {
    (void)state;
    environment e = gusty;
    int different = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        e.wind.seed = seed;
        ruga_vec3 a = gust_at(&e, (ruga_vec3){0.3, 0.4, 0.5}, 1);
        e.wind.seed = seed + 1;
        different += vec3_distance(a, gust_at(&e, (ruga_vec3){0.3, 0.4, 0.5}, 1)) > 1e-3;
    }
    assert_int_equal(different, 50);
}

static void odd_sizes_do_no_harm(void **state) {
    (void)state;
    environment e = gusty;
    e.wind.gust_size = 0;
    e.wind.gust_time = 0;
    ruga_vec3 a = environment_wind(&e, (ruga_vec3){1, 2, 3}, 4), b = environment_wind(&e, (ruga_vec3){4, 5, 6}, 7);
    assert_memory_equal(&a, &b, sizeof a);
    e = gusty;
    const double extremes[4] = {1e300, -1e300, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        ruga_vec3 v = environment_wind(&e, (ruga_vec3){extremes[i], 0, 0}, 1);
        assert_true(vec3_is_finite(v));
    }
}

static ruga_vec3 whirl(void *user, ruga_vec3 point, double time) {
    const double *strength = user;
    return (ruga_vec3){-*strength * point.z, time, *strength * point.x};
}

static void the_callers_own_wind_replaces_all(void **state) {
    (void)state;
    double strength = 2;
    environment e = gusty;
    e.wind.function = whirl;
    e.wind.user = &strength;
    ruga_vec3 v = environment_wind(&e, (ruga_vec3){1, 2, 3}, 4);
    assert_true(v.x == -6 && v.y == 4 && v.z == 2);
}

/* The number was made once, by this code: it may differ on no machine, with no compiler and no instruction set. */
static void gusts_are_the_same_everywhere(void **state) {
    (void)state;
    test_random random = {11};
    uint64_t hash = 0;
    for (int i = 0; i < 1000; i++) {
        ruga_vec3 p = random_vec3(&random, -9, 9), v = environment_wind(&gusty, p, random_between(&random, -9, 9));
        hash = state_hash(&v, sizeof v, hash);
    }
    assert_true(hash == 0xeafce06b6235d219u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_gusts_the_wind_is_steady),
        cmocka_unit_test(gusts_are_bounded_and_have_no_mean),
        cmocka_unit_test(gusts_are_smooth),
        cmocka_unit_test(gusts_are_carried_by_the_mean_wind),
        cmocka_unit_test(seeds_give_other_gusts),
        cmocka_unit_test(odd_sizes_do_no_harm),
        cmocka_unit_test(the_callers_own_wind_replaces_all),
        cmocka_unit_test(gusts_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
