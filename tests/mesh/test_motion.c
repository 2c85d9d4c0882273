/* Motions are exact at stored samples and linear in between. */
#include "mesh/motion.h"

#include <math.h>

#include "math/vec3.h"
#include "support/shapes.h"

static ruga_status fly(void *user, double time, ruga_vec3 *positions) {
    if (time > *(double *)user) return RUGA_ERROR_FILE;
    for (int v = 0; v < 2; v++) positions[v] = (ruga_vec3){time, time * time, v};
    return RUGA_OK;
}

static void a_function_is_called_within_its_time(void **state) {
    double limit = 5;
    ruga_motion *motion;
    ruga_vec3 p[2];
    assert_ok(*state, ruga_motion_from_function(*state, 2, 1, 4, fly, &limit, &motion));
    ruga_motion_info info = ruga_motion_get_info(motion);
    assert_true(info.vertex_count == 2);
    assert_equal(info.start, 1);
    assert_equal(info.end, 4);
    assert_true(info.sample_count == 0);
    assert_equal(info.rate, 0);
    assert_ok(*state, ruga_motion_sample(motion, 3, p));
    assert_equal(p[1].x, 3);
    assert_equal(p[1].y, 9);
    assert_equal(p[1].z, 1);
    assert_ok(*state, ruga_motion_sample(motion, 100, p));
    assert_equal(p[0].x, 4);
    assert_ok(*state, ruga_motion_sample(motion, -INFINITY, p));
    assert_equal(p[0].x, 1);
    assert_status(ruga_motion_sample(motion, NAN, p), RUGA_ERROR_ARGUMENT);
    limit = 2;
    assert_status(ruga_motion_sample(motion, 3, p), RUGA_ERROR_FILE);
    assert_message_has(*state, "at 3 s");
    ruga_motion_destroy(motion);
    ruga_motion_destroy(NULL);
}

enum { vertex_count = 3, sample_count = 50 };

static ruga_motion *random_motion(ruga_context *context, ruga_vec3 *samples, double start, double rate) {
    test_random random = {41};
    for (int i = 0; i < vertex_count * sample_count; i++) samples[i] = random_vec3(&random, -1, 1);
    ruga_motion *motion;
    assert_ok(context, ruga_motion_from_samples(context, vertex_count, sample_count, samples, start, rate, &motion));
    return motion;
}

/* However the caller computes the time of sample i. */
static void the_time_of_a_sample_gives_that_sample_exactly(void **state) {
    const double rates[6] = {24, 30, 29.97, 1e-3, 1000, 29.97}, starts[6] = {-0.7, -0.7, -0.7, -0.7, 1e6, -1e8};
    for (int r = 0; r < 6; r++) {
        ruga_vec3 samples[vertex_count * sample_count], p[vertex_count];
        ruga_motion *motion = random_motion(*state, samples, starts[r], rates[r]);
        double time = starts[r];
        for (int i = 0; i < sample_count; i++, time += 1 / rates[r]) {
            assert_ok(*state, ruga_motion_sample(motion, starts[r] + i / rates[r], p));
            assert_memory_equal(p, samples + i * vertex_count, sizeof p);
            assert_ok(*state, ruga_motion_sample(motion, ruga_motion_sample_time(motion, (size_t)i), p));
            assert_memory_equal(p, samples + i * vertex_count, sizeof p);
            if (starts[r] != -0.7) continue; /* far from 0 a sum of steps loses precision */
            assert_ok(*state, ruga_motion_sample(motion, time, p));
            assert_memory_equal(p, samples + i * vertex_count, sizeof p);
        }
        assert_equal_case(ruga_motion_sample_time(motion, sample_count), ruga_motion_get_info(motion).end, "r %d", r);
        ruga_motion_destroy(motion);
    }
}

static void motion_is_linear_between_samples_and_constant_outside(void **state) {
    ruga_vec3 samples[vertex_count * sample_count], p[vertex_count];
    ruga_motion *motion = random_motion(*state, samples, 2, 10);
    for (int i = 0; i + 1 < sample_count; i++) {
        assert_ok(*state, ruga_motion_sample(motion, 2 + (i + 0.25) / 10, p));
        for (int v = 0; v < vertex_count; v++) {
            vec3 expected = vec3_mix(samples[i * vertex_count + v], samples[(i + 1) * vertex_count + v], 0.25);
            assert_less_case(vec3_distance(p[v], expected), 1e-12, "i %d, v %d", i, v);
        }
    }
    assert_ok(*state, ruga_motion_sample(motion, 0, p));
    assert_memory_equal(p, samples, sizeof p);
    assert_ok(*state, ruga_motion_sample(motion, 1e9, p));
    assert_memory_equal(p, samples + (sample_count - 1) * vertex_count, sizeof p);
    ruga_motion_info info = ruga_motion_get_info(motion);
    assert_true(info.sample_count == sample_count);
    assert_equal(info.rate, 10);
    assert_near(info.end, 6.9, 1e-15);
    ruga_motion_destroy(motion);
}

static void a_single_sample_does_not_move(void **state) {
    const ruga_vec3 sample = {1, 2, 3};
    ruga_vec3 p;
    ruga_motion *motion;
    assert_ok(*state, ruga_motion_from_samples(*state, 1, 1, &sample, 0, 24, &motion));
    assert_ok(*state, ruga_motion_sample(motion, 0.5, &p));
    assert_memory_equal(&p, &sample, sizeof p);
    ruga_motion_destroy(motion);
}

static void mixing_is_exact_at_both_ends(void **state) {
    (void)state;
    const ruga_vec3 a = {0.1, INFINITY, -0.0}, b = {1e300, 7, NAN};
    ruga_vec3 p;
    motion_mix(1, &a, &b, 0, &p);
    assert_memory_equal(&p, &a, sizeof p);
    motion_mix(1, &a, &b, 1, &p);
    assert_memory_equal(&p, &b, sizeof p);
}

static void invalid_motions_are_refused(void **state) {
    const ruga_vec3 sample = {1, 2, 3};
    ruga_motion *motion = NULL;
    assert_status(ruga_motion_from_function(*state, 1, 2, 1, fly, NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "from 2 s to 1 s");
    assert_status(ruga_motion_from_function(*state, 1, NAN, 1, fly, NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_motion_from_function(*state, 1, 0, 1, NULL, NULL, &motion), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_motion_from_samples(*state, 1, 0, &sample, 0, 24, &motion), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_motion_from_samples(*state, 1, 1, &sample, 0, 0, &motion), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_motion_from_samples(*state, 1, 1, &sample, INFINITY, 24, &motion), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_motion_from_samples(*state, SIZE_MAX / 2, 3, &sample, 0, 24, &motion), RUGA_ERROR_MEMORY);
    assert_null(motion);
}

static ruga_status make_motions(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 sample = {1, 2, 3};
    ruga_motion *a = NULL, *b = NULL;
    ruga_status status = ruga_motion_from_function(context, 1, 0, 1, fly, NULL, &a);
    if (!RUGA_FAILED(status)) status = ruga_motion_from_samples(context, 1, 1, &sample, 0, 24, &b);
    ruga_motion_destroy(a);
    ruga_motion_destroy(b);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_at_most(3, assert_every_allocation_may_fail(make_motions, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_called_within_its_time),
        cmocka_unit_test(the_time_of_a_sample_gives_that_sample_exactly),
        cmocka_unit_test(motion_is_linear_between_samples_and_constant_outside),
        cmocka_unit_test(a_single_sample_does_not_move),
        cmocka_unit_test(mixing_is_exact_at_both_ends),
        cmocka_unit_test(invalid_motions_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
