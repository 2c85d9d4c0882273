/* The plain loop: laws of single projections, of limits, and of what comes of many. */
#include "sweeps_cases.h"

static void one_projection_meets_the_length_and_keeps_the_midpoint(void **state) {
    (void)state;
    test_random random = {3};
    for (int round = 0; round < 100; round++) {
        float p[8] = {0}, before[8];
        for (int k = 0; k < 8; k++) p[k] = k % 4 == 3 ? 0 : (float)random_between(&random, -1, 1);
        memcpy(before, p, sizeof p);
        sweep_constraint c = {{0, 1}, (float)random_unit(&random), 1};
        sweeps_plain(&(sweep_terms){1, &c, 0, NULL}, NULL, 1, p, 2);
        assert_float_equal(distance_of(p, p + 4), c.length, 1e-6);
        for (int k = 0; k < 3; k++) assert_float_equal(p[k] + p[k + 4], before[k] + before[k + 4], 1e-6);
        assert_true(p[3] == 0 && p[7] == 0);
    }
}

static void stiffness_is_the_part_of_the_error_that_goes(void **state) {
    (void)state;
    for (int k = 0; k <= 4; k++) {
        float p[8] = {0, 0, 0, 0, 2, 0, 0, 0};
        sweep_constraint c = {{0, 1}, 1, 0.25f * (float)k};
        sweeps_plain(&(sweep_terms){1, &c, 0, NULL}, NULL, 1, p, 2);
        assert_float_equal(distance_of(p, p + 4), 2 - c.stiffness, 1e-6);
    }
}

static void no_iterations_change_nothing(void **state) {
    (void)state;
    network net = network_sheet(4, 4, 1, 0.5f, 0.5f);
    test_limits t = limits_make(&net, LIMITS_ALL);
    float *before = malloc(4 * net.count * sizeof(float));
    memcpy(before, net.points, 4 * net.count * sizeof(float));
    sweep_terms terms = network_terms(&net);
    sweeps_plain(&terms, &t.limits, 0, net.points, net.count);
    assert_memory_equal(before, net.points, 4 * net.count * sizeof(float));
    free(before);
    limits_release(&t);
    network_release(&net);
}

static void constraints_move_no_centre(void **state) {
    (void)state;
    network net = network_sheet(10, 10, 1, 0.5f, 0.5f);
    for (size_t i = 0; i < net.count; i++) net.points[4 * i] *= 0.8f, net.points[4 * i + 2] = 0.1f * (float)(i % 3);
    double before[3] = {0}, after[3] = {0};
    for (size_t i = 0; i < 4 * net.count; i++)
        if (i % 4 < 3) before[i % 4] += net.points[i];
    sweep_terms terms = network_terms(&net);
    sweeps_plain(&terms, NULL, 20, net.points, net.count);
    for (size_t i = 0; i < 4 * net.count; i++)
        if (i % 4 < 3) after[i % 4] += net.points[i];
    for (int k = 0; k < 3; k++) assert_float_equal(before[k], after[k], 1e-3);
    network_release(&net);
}

/* ---- Limits. */

static float along(const float *p, const float *a, const float *n) {
    return (p[0] - a[0]) * n[0] + (p[1] - a[1]) * n[1] + (p[2] - a[2]) * n[2];
}

static void assert_within(const test_limits *t, limits_kind kind, size_t i, const float *p) {
    const float *a = t->anchors + 4 * i, *n = t->normals + 4 * i, slack = 1e-5f;
    if (kind != LIMITS_NONE && kind != LIMITS_PLANES) assert_at_most(distance_of(p, a), a[3] + slack);
    if (kind != LIMITS_PLANES && kind != LIMITS_NONE && a[3] == 0)
        assert_true(p[0] == a[0] && p[1] == a[1] && p[2] == a[2]);
    if (t->limits.one_sided && kind != LIMITS_ALL) assert_at_most(-slack, along(p, a, n));
    if (t->limits.along_normals) {
        float h = along(p, a, n);
        for (int k = 0; k < 3; k++) assert_float_equal(p[k], a[k] + h * n[k], slack);
    }
    /* The last of a point's planes holds; when there is one, the ball holds as well, since the anchor is outside. */
    for (uint32_t e = t->offsets[i]; t->limits.planes && e < t->offsets[i + 1]; e++) {
        const float *plane = t->planes + 4 * (size_t)e;
        if (e + 1 == t->offsets[i + 1])
            assert_at_most(plane[3] - slack, p[0] * plane[0] + p[1] * plane[1] + p[2] * plane[2]);
    }
}

static void limits_hold_after_every_iteration(void **state) {
    (void)state;
    for (limits_kind kind = LIMITS_BALLS; kind < LIMITS_KINDS; kind++) {
        network net = network_sheet(12, 9, 1, 0.5f, 0.3f);
        test_limits t = limits_make(&net, kind);
        sweep_terms terms = network_terms(&net);
        for (size_t k = 0; k < net.constraint_count; k++) net.constraints[k].length *= 1.2f;
        for (int iteration = 0; iteration < 8; iteration++) {
            sweeps_plain(&terms, &t.limits, 1, net.points, net.count);
            for (size_t i = 0; i < net.count; i++) assert_within(&t, kind, i, net.points + 4 * i);
        }
        limits_release(&t);
        network_release(&net);
    }
}

static void points_within_their_limits_keep_their_bits(void **state) {
    (void)state;
    network net = network_random(50, 0);
    test_limits t = limits_make(&net, LIMITS_BALLS);
    float *before = malloc(4 * net.count * sizeof(float));
    memcpy(before, net.points, 4 * net.count * sizeof(float));
    for (size_t i = 0; i < net.count; i++) t.anchors[4 * i + 3] = i % 2 ? 1 : INFINITY;
    sweep_terms terms = network_terms(&net);
    sweeps_plain(&terms, &t.limits, 3, net.points, net.count);
    assert_memory_equal(before, net.points, 4 * net.count * sizeof(float));
    free(before);
    limits_release(&t);
    network_release(&net);
}

/* ---- Hinges. */

static void random_hinge(test_random *random, float *p) {
    static const float flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.4f, 1, 0}, {0.6f, -1, 0}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) p[4 * i + k] = k == 3 ? 0 : flat[i][k] + (float)random_between(random, -0.3, 0.3);
}

static void hinges_turn_to_their_angle(void **state) {
    (void)state;
    test_random random = {7};
    for (int round = 0; round < 50; round++) {
        float p[16];
        random_hinge(&random, p);
        sweep_hinge h = {{0, 1, 2, 3}, (float)random_between(&random, -2, 2), 1};
        sweeps_plain(&(sweep_terms){0, NULL, 1, &h}, NULL, 40, p, 4);
        assert_float_equal(sweep_hinge_angle(h.points, p), h.rest_angle, 1e-4);
    }
}

/* The sum of what points moved, and of its moments about the origin. */
static void moments(const float *p, const float *before, double sum[3], double turn[3]) {
    for (int k = 0; k < 3; k++) sum[k] = turn[k] = 0;
    for (int i = 0; i < 4; i++) {
        double m[3];
        for (int k = 0; k < 3; k++) m[k] = p[4 * i + k] - before[4 * i + k], sum[k] += m[k];
        for (int k = 0; k < 3; k++)
            turn[k] += before[4 * i + (k + 1) % 3] * m[(k + 2) % 3] - before[4 * i + (k + 2) % 3] * m[(k + 1) % 3];
    }
}

static void hinges_neither_shift_nor_turn_the_whole(void **state) {
    (void)state;
    test_random random = {9};
    for (int round = 0; round < 50; round++) {
        float p[16], before[16];
        random_hinge(&random, p);
        memcpy(before, p, sizeof p);
        sweep_hinge h = {{0, 1, 2, 3}, 0.8f, 0.5f};
        sweeps_plain(&(sweep_terms){0, NULL, 1, &h}, NULL, 1, p, 4);
        double sum[3], turn[3];
        moments(p, before, sum, turn);
        for (int k = 0; k < 3; k++) {
            assert_float_equal(sum[k], 0, 2e-6);
            assert_float_equal(turn[k], 0, 2e-6);
        }
    }
}

static void a_ridge_has_a_positive_angle(void **state) {
    (void)state;
    /* The normal of the first triangle points up; the edge is above the opposite points. */
    float p[16] = {0, 0, 0.5f, 0, 1, 0, 0.5f, 0, 0.5f, 0.5f, 0, 0, 0.5f, -0.5f, 0, 0};
    const uint32_t h[4] = {0, 1, 2, 3};
    assert_float_equal(sweep_hinge_angle(h, p), 1.5707963, 1e-6);
    for (int i = 0; i < 2; i++) p[4 * i + 2] = -0.5f;
    assert_float_equal(sweep_hinge_angle(h, p), -1.5707963, 1e-6);
    for (int i = 0; i < 2; i++) p[4 * i + 2] = 0;
    assert_float_equal(sweep_hinge_angle(h, p), 0, 1e-6);
}

static void hinges_turn_by_the_smaller_angle(void **state) {
    (void)state;
    /* From almost folded to one side to almost folded to the other, through the fold and not through the flat state. */
    float p[16] = {0, 0, 0, 0, 1, 0, 0, 0, 0.5f, 1, 0.05f, 0, 0.5f, 1, -0.05f, 0};
    const uint32_t points[4] = {0, 1, 2, 3};
    float angle = sweep_hinge_angle(points, p);
    assert_less(3, fabsf(angle));
    sweep_hinge h = {{0, 1, 2, 3}, -angle, 0.3f};
    sweeps_plain(&(sweep_terms){0, NULL, 1, &h}, NULL, 1, p, 4);
    assert_less(3, fabsf(sweep_hinge_angle(points, p)));
}

/* ---- Degenerate terms. */

static void nothing_degenerate_gives_nan(void **state) {
    (void)state;
    static const uint32_t points[8][4] = {{0, 1, 2, 3}, {0, 0, 1, 2}, {0, 1, 0, 1}, {4, 4, 4, 4},
                                          {0, 4, 5, 6}, {4, 5, 6, 7}, {7, 6, 5, 0}, {1, 2, 3, 3}};
    /* Coincident points, points on one line, points 1e-30 m apart. */
    float p[32] = {0};
    for (int i = 4; i < 8; i++) p[4 * i] = (float)(i - 4);
    p[12] = 1e-30f;
    sweep_hinge hinges[8];
    sweep_constraint constraints[24];
    for (uint32_t k = 0; k < 8; k++) {
        hinges[k] = (sweep_hinge){.rest_angle = 1, .stiffness = (float)(k % 2)};
        memcpy(hinges[k].points, points[k], sizeof points[k]);
        for (uint32_t c = 0; c < 3; c++)
            constraints[3 * k + c] =
                (sweep_constraint){{points[k][c], points[k][c + 1]}, c == 0 ? 0 : 1e6f * (float)c, c == 1 ? 0 : 1};
    }
    float anchors[32] = {0}, normals[32] = {0};
    sweep_limits limits = {.anchors = anchors, .normals = normals, .one_sided = 1};
    for (int along_normals = 0; along_normals < 2; along_normals++) {
        limits.along_normals = along_normals;
        sweeps_plain(&(sweep_terms){24, constraints, 8, hinges}, NULL, 3, p, 8);
        for (int i = 0; i < 32; i++) assert_true(isfinite(p[i]));
        sweeps_plain(&(sweep_terms){24, constraints, 8, hinges}, &limits, 3, p, 8);
        for (int i = 0; i < 32; i++) assert_true(p[i] == 0);
    }
    assert_true(sweep_hinge_angle(points[3], p) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_projection_meets_the_length_and_keeps_the_midpoint),
        cmocka_unit_test(stiffness_is_the_part_of_the_error_that_goes),
        cmocka_unit_test(no_iterations_change_nothing),
        cmocka_unit_test(constraints_move_no_centre),
        cmocka_unit_test(limits_hold_after_every_iteration),
        cmocka_unit_test(points_within_their_limits_keep_their_bits),
        cmocka_unit_test(hinges_turn_to_their_angle),
        cmocka_unit_test(hinges_neither_shift_nor_turn_the_whole),
        cmocka_unit_test(a_ridge_has_a_positive_angle),
        cmocka_unit_test(hinges_turn_by_the_smaller_angle),
        cmocka_unit_test(nothing_degenerate_gives_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
