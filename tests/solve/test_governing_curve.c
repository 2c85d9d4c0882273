#include <math.h>
#include <stdio.h>

#include "solve/governing_model.h"
#include "support/support.h"

#define COUNT 50
static const double pi = 3.14159265358979323846;

/* A curve of particles on a surface: straight along x, or an arc of a circle whose normals point outwards. */
typedef struct test_curve {
    ruga_vec3 points[COUNT], normals[COUNT];
    double deflections[COUNT];
    governing_curve curve;
} test_curve;

static void curve_finish(test_curve *t) {
    t->curve = (governing_curve){.def = governing_def_default(),
                                 .count = COUNT,
                                 .points = t->points,
                                 .normals = t->normals,
                                 .deflections = t->deflections};
}

static void make_straight(test_curve *t, double length) {
    for (size_t i = 0; i < COUNT; i++) {
        t->points[i] = (ruga_vec3){length * (double)i / (COUNT - 1), 0, 0};
        t->normals[i] = (ruga_vec3){0, 1, 0};
    }
    curve_finish(t);
}

static void make_arc(test_curve *t, double radius, double angle) {
    for (size_t i = 0; i < COUNT; i++) {
        double a = angle * (double)i / (COUNT - 1);
        t->normals[i] = (ruga_vec3){sin(a), cos(a) * 0.8, cos(a) * 0.6};
        t->points[i] = vec3_scale(t->normals[i], radius);
    }
    curve_finish(t);
}

static void minimise(test_curve *t) {
    ruga_context *context = context_plain(1);
    assert_ok(context, governing_minimise(context, &t->curve, 1, NULL, 0));
    ruga_context_destroy(context);
}

/* ---- The energy. */

static void a_straight_curve_has_no_energy(void **state) {
    (void)state;
    test_curve t;
    double heights[COUNT] = {0}, gradient[COUNT], length;
    make_straight(&t, 0.15);
    t.curve.def.length = 1;
    governing_model model = governing_model_make(&t.curve);
    assert_less(governing_model_energy(&model, heights, gradient, &length), 1e-20);
    assert_float_equal(length, GOVERNING_LENGTH, 1e-9);
    /* Asked for more length it has that of equation 4, and none of bending. */
    t.curve.def.length = 1.5;
    assert_float_equal(governing_model_energy(&model, heights, gradient, NULL),
                       0.25 * GOVERNING_LENGTH * GOVERNING_LENGTH, 1e-6);
}

static void a_curved_curve_is_at_rest_only_by_its_own_angles(void **state) {
    (void)state;
    test_curve t;
    double heights[COUNT] = {0};
    make_arc(&t, 0.1, 2);
    t.curve.def.length = 1;
    governing_model model = governing_model_make(&t.curve);
    assert_less(governing_model_energy(&model, heights, NULL, NULL), 1e-12);
    t.curve.def.rest_angles = 0;
    assert_less(0.01, governing_model_energy(&model, heights, NULL, NULL));
}

/* Equations 1 to 3 written as they are printed, without the smoothing, for angles that are far from straight. */
static void the_energy_is_the_papers(void **state) {
    (void)state;
    test_curve t;
    double heights[COUNT], printed = 0;
    make_straight(&t, 1);
    t.curve.def.rest_angles = 0;
    t.curve.def.stiffness = 1;
    t.curve.def.ends = GOVERNING_PRINTED;
    for (size_t i = 0; i < COUNT; i++) heights[i] = i % 2 ? 2 : -2;
    double step = GOVERNING_LENGTH / (COUNT - 1), theta = pi - 2 * atan2(4, step);
    for (size_t i = 3; i <= COUNT - 2; i++) printed += 3 * (exp(-theta) - exp(-pi));
    double missing = 1.3 * GOVERNING_LENGTH - (COUNT - 1) * hypot(4, step);
    governing_model model = governing_model_make(&t.curve);
    double energy = governing_model_energy(&model, heights, NULL, NULL) - missing * missing;
    assert_less(0.88 * printed, energy); /* e^-δ and less */
    assert_less(energy, printed);
}

static double bending_of(const governing_model *model, const double *heights) {
    double length, energy = governing_model_energy(model, heights, NULL, &length);
    double missing = model->curve->def.length * GOVERNING_LENGTH - length;
    return energy - missing * missing;
}

/* With soft ends a curve has half of the bending of itself and its image in a mirror that stands where it leaves the
 * surface. */
static void a_soft_end_is_a_mirror(void **state) {
    (void)state;
    enum { BOTH = 2 * COUNT - 3 };
    test_curve t;
    ruga_vec3 points[BOTH], normals[BOTH];
    double heights[COUNT], mirrored[BOTH], grown = (double)(COUNT - 1) / (BOTH - 1);
    test_random random = {5};
    make_straight(&t, 1);
    for (size_t i = 0; i < COUNT; i++) heights[i] = i < 2 || i + 2 >= COUNT ? 0 : random_between(&random, -1, 1);
    governing_curve both = t.curve;
    both.count = BOTH;
    both.points = points;
    both.normals = normals;
    for (size_t i = 0; i < BOTH; i++) {
        size_t from = i + 2 < COUNT ? COUNT - 1 - i : i + 3 - COUNT;
        points[i] = (ruga_vec3){(double)i / (BOTH - 1), 0, 0};
        normals[i] = (ruga_vec3){0, 1, 0};
        mirrored[i] = heights[from] * grown;
    }
    governing_model model = governing_model_make(&t.curve), model_of_both = governing_model_make(&both);
    assert_near(bending_of(&model_of_both, mirrored), 2 * bending_of(&model, heights), 1e-9);
}

static void assert_gradient(governing_model *model, const char *what) {
    double heights[COUNT], gradient[COUNT];
    test_random random = {7};
    for (size_t i = 0; i < COUNT; i++) heights[i] = random_between(&random, -2, 2);
    governing_model_energy(model, heights, gradient, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        double keep = heights[i], step = 1e-5;
        heights[i] = keep + step;
        double above = governing_model_energy(model, heights, NULL, NULL);
        heights[i] = keep - step;
        double below = governing_model_energy(model, heights, NULL, NULL);
        heights[i] = keep;
        double difference = (above - below) / (2 * step);
        fail_if(fabs(difference - gradient[i]) > 1e-5 * (1 + fabs(difference)),
                "%s: particle %zu: %g, by differences %g", what, i, gradient[i], difference);
    }
}

static void the_gradient_is_that_of_differences(void **state) {
    (void)state;
    test_curve t;
    size_t ends[] = {11, 30, COUNT - 1};
    for (int i = 0; i < 4; i++) {
        make_arc(&t, 3, 1.5);
        t.curve.def.rest_angles = i % 2;
        t.curve.def.ends = i < 2 ? GOVERNING_SOFT : GOVERNING_PRINTED;
        governing_model model = governing_model_make(&t.curve);
        assert_gradient(&model, "one span");
        model.span_count = 3;
        model.span_ends = ends;
        assert_gradient(&model, "three spans");
        make_straight(&t, 1);
        t.curve.def.ends = i < 2 ? GOVERNING_SOFT : GOVERNING_PRINTED;
        model = governing_model_make(&t.curve);
        assert_gradient(&model, "straight");
    }
}

/* ---- Minima. */

/* The sum of the energies of two curves, that may cross, after so many iterations; 0: at the end. done: how many there
 * were. */
static double energy_after(test_curve *t, const governing_crossing *crossing, int iterations, int *done) {
    ruga_context *context = context_plain(1);
    governing_room room = {.stop_after = iterations};
    governing_curve curves[] = {t[0].curve, t[1].curve};
    assert_ok(context, governing_minimise_in(context, &room, curves, 2, crossing, crossing ? 1 : 0));
    governing_room_release(context, &room);
    ruga_context_destroy(context);
    *done = curves[0].iterations;
    return curves[0].energy + curves[1].energy;
}

/* Iteration by iteration, from the start to the end. */
static void the_energy_never_rises(void **state) {
    (void)state;
    test_curve t[2];
    const governing_crossing crossing = {.curves = {0, 1}, .segments = {20, 13}, .fractions = {0.3, 0.75}, .level = 1};
    for (int seed = 0; seed < 6; seed++) {
        int last, done;
        make_arc(&t[0], 1, 0.1 + 0.3 * seed);
        make_straight(&t[1], 0.7);
        for (int k = 0; k < 2; k++) {
            t[k].curve.def.seed = seed + k;
            t[k].curve.def.stiffness = 2 + 10 * seed;
            t[k].curve.def.rest_angles = seed % 3 > 0;
        }
        const governing_crossing *crossed = seed % 2 ? &crossing : NULL;
        double end = energy_after(t, crossed, 0, &last), now = INFINITY;
        assert_less(5, last);
        for (int i = 1; i <= last; i += i < 40 || i + 9 > last ? 1 : 9) {
            double before = now;
            now = energy_after(t, crossed, i, &done);
            assert_int_equal(done, i);
            assert_at_most(now, before);
            assert_at_most(end, now);
        }
        assert_true(now == end);
    }
}

static void minimising_lowers_the_energy_of_the_start(void **state) {
    (void)state;
    test_curve t;
    double heights[COUNT];
    size_t ends[COUNT];
    for (int seed = 0; seed < 40; seed++) {
        make_arc(&t, 1, 0.1 + 0.05 * seed);
        t.curve.def.seed = seed;
        t.curve.def.stiffness = 5 + seed;
        t.curve.def.ends = seed % 4 == 3 ? GOVERNING_PRINTED : GOVERNING_SOFT;
        governing_model model = governing_model_make(&t.curve);
        model.span_ends = ends;
        governing_start_band(&model, seed, heights);
        double start = governing_model_energy(&model, heights, NULL, NULL);
        minimise(&t);
        assert_at_most(t.curve.energy, start);
        assert_int_equal(t.curve.wrinkles, model.span_count);
    }
}

/* No small change of heights that keeps the nodes lowers the energy: it is a minimum, not where an iteration
 * stopped. */
static void what_is_found_is_a_minimum(void **state) {
    (void)state;
    test_curve t;
    double heights[COUNT];
    size_t ends[COUNT];
    test_random random = {3};
    make_straight(&t, 1);
    t.curve.def.start = GOVERNING_COUNT;
    t.curve.def.wrinkles = 4;
    minimise(&t);
    governing_model model = governing_model_make(&t.curve);
    model.span_ends = ends;
    governing_start_count(&model, 4, heights);
    for (int trial = 0; trial < 2000; trial++) {
        double size = pow(10, random_between(&random, -4, -1));
        int waves = 1 + trial % 20;
        double phase = random_between(&random, 0, 2 * pi);
        for (size_t i = 0; i < COUNT; i++) {
            int held = i < 2 || i + 2 >= COUNT;
            for (size_t s = 0; s + 1 < model.span_count; s++) held |= i == ends[s];
            double change = sin(waves * pi * (double)i / COUNT + phase) * random_between(&random, 0.5, 1);
            heights[i] = t.deflections[i] * model.scale + (held ? 0 : size * change);
        }
        assert_at_most(t.curve.energy - 1e-6, governing_model_energy(&model, heights, NULL, NULL));
    }
}

static void the_length_reached_approaches_the_target_as_stiffness_falls(void **state) {
    (void)state;
    test_curve t;
    double last = 0;
    const double stiffness[] = {70, 40, 20, 10, 5, 1, 0.1};
    for (size_t i = 0; i < 7; i++) {
        make_straight(&t, 1);
        t.curve.def.start = GOVERNING_COUNT;
        t.curve.def.wrinkles = 3;
        t.curve.def.stiffness = stiffness[i];
        minimise(&t);
        assert_less(last, t.curve.reached);
        assert_less(t.curve.reached, 1.3 + 1e-6);
        last = t.curve.reached;
    }
    assert_float_equal(last, 1.3, 1e-4);
}

static double mean_wrinkles(double stiffness, governing_ends ends) {
    test_curve t;
    double sum = 0;
    for (int seed = 1; seed <= 50; seed++) {
        make_straight(&t, 0.15);
        t.curve.def.stiffness = stiffness;
        t.curve.def.ends = ends;
        t.curve.def.seed = seed;
        minimise(&t);
        sum += (double)governing_extrema(t.deflections, COUNT);
    }
    return sum / 50;
}

/* Figure 5. */
static void assert_counts_fall(governing_ends ends, const char *what) {
    const double stiffness[] = {5, 10, 20, 40, 70};
    double counts[5];
    for (size_t i = 0; i < 5; i++) {
        counts[i] = mean_wrinkles(stiffness[i], ends);
        print_message("%s ends, k_r %g: %.2f wrinkles\n", what, stiffness[i], counts[i]);
        if (i > 0) assert_less_case(counts[i], counts[i - 1], "%s ends, k_r %g", what, stiffness[i]);
    }
    assert_at_most(4, counts[0]);
    assert_at_most(counts[0], 6);
    assert_at_most(2, counts[4]);
    assert_at_most(counts[4], 5);
}

static void stiff_curves_have_fewer_wrinkles(void **state) {
    (void)state;
    assert_counts_fall(GOVERNING_SOFT, "soft");
    assert_counts_fall(GOVERNING_PRINTED, "printed");
}

/* ---- Ends. */

/* The turn where a curve leaves the surface, as large as its mirror image makes it, over the greatest one elsewhere;
 * the larger of both ends. */
static double end_turn(const test_curve *t) {
    double turns[COUNT] = {0}, inner = 0;
    for (size_t i = 1; i + 1 < COUNT; i++) {
        vec3 p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = vec3_add_scaled(t->points[i + k - 1], t->normals[i + k - 1], t->deflections[i + k - 1]);
        vec3 u = vec3_sub(p[1], p[0]), v = vec3_sub(p[2], p[1]);
        turns[i] = atan2(vec3_length(vec3_cross(u, v)), vec3_dot(u, v));
        if (i > 3 && i + 4 < COUNT) inner = fmax(inner, turns[i]);
    }
    return fmax(fmax(2 * turns[1], turns[2]), fmax(2 * turns[COUNT - 2], turns[COUNT - 3])) / inner;
}

/* G1: what is a corner with the printed weights is a bend like any other. */
static void soft_ends_turn_no_more_than_crests(void **state) {
    (void)state;
    const double stiffness[] = {5, 10, 20, 40, 70}, lengths[] = {1.2, 1.3, 1.5};
    double softest = INFINITY, sharpest = 0;
    for (int i = 0; i < 60; i++) {
        test_curve t;
        for (int printed = 0; printed < 2; printed++) {
            make_straight(&t, 1);
            t.curve.def.stiffness = stiffness[i % 5];
            t.curve.def.length = lengths[i % 3];
            t.curve.def.seed = i;
            t.curve.def.ends = printed ? GOVERNING_PRINTED : GOVERNING_SOFT;
            minimise(&t);
            double turn = end_turn(&t);
            if (printed)
                softest = fmin(softest, turn);
            else
                sharpest = fmax(sharpest, turn);
        }
    }
    print_message("turns of ends over those of crests: at most %.2f, as printed at least %.2f\n", sharpest, softest);
    assert_less(sharpest, 1.2);
    assert_less(1.6, softest);
}

/* The slope of the first free segment of three wrinkles. */
static double first_slope(size_t count) {
    enum { MOST = 400 };
    static ruga_vec3 points[MOST], normals[MOST];
    static double deflections[MOST];
    for (size_t i = 0; i < count; i++) {
        points[i] = (ruga_vec3){(double)i / (double)(count - 1), 0, 0};
        normals[i] = (ruga_vec3){0, 1, 0};
    }
    governing_curve curve = {.def = governing_def_default(),
                             .count = count,
                             .points = points,
                             .normals = normals,
                             .deflections = deflections};
    curve.def.start = GOVERNING_COUNT;
    ruga_context *context = context_plain(1);
    assert_ok(context, governing_minimise(context, &curve, 1, NULL, 0));
    assert_less(1.25, curve.reached);
    ruga_context_destroy(context);
    return fabs(deflections[2]) * (double)(count - 1);
}

/* In proportion to the segment's length: the curvature has a limit, so the slope's is 0. */
static void ends_have_no_slope_in_the_limit_of_many_particles(void **state) {
    (void)state;
    double slopes[4];
    for (size_t i = 0; i < 4; i++) {
        slopes[i] = first_slope((size_t)50 << i);
        print_message("%d particles: slope %g\n", 50 << i, slopes[i]);
        if (i > 0) assert_less_case(slopes[i], 0.65 * slopes[i - 1], "%d particles", 50 << i);
    }
    assert_less(slopes[3], 0.03);
}

static void a_span_at_an_end_is_wider(void **state) {
    (void)state;
    test_curve t;
    double heights[COUNT];
    size_t ends[COUNT];
    for (int wrinkles = 2; wrinkles <= 12; wrinkles++) {
        make_straight(&t, 1);
        governing_model model = governing_model_make(&t.curve);
        model.span_ends = ends;
        governing_start_count(&model, wrinkles, heights);
        assert_int_equal(model.span_count, wrinkles);
        assert_int_equal(ends[model.span_count - 1], COUNT - 1);
        size_t first = ends[0], second = ends[1] - ends[0];
        for (size_t s = 1; s < model.span_count; s++) assert_at_most(4, ends[s] - ends[s - 1]);
        if (wrinkles > 2 && wrinkles < 10) assert_in_range(2 * first, 3 * second - 3, 3 * second + 3);
        assert_at_most(4, first);
    }
}

static void as_many_wrinkles_as_asked_for(void **state) {
    (void)state;
    test_curve t;
    for (int wrinkles = 1; wrinkles <= 7; wrinkles++) {
        make_straight(&t, 1);
        t.curve.def.start = GOVERNING_COUNT;
        t.curve.def.wrinkles = wrinkles;
        minimise(&t);
        assert_int_equal(governing_extrema(t.deflections, COUNT), wrinkles);
        assert_less(1.25, t.curve.reached);
    }
}

/* The first bump is up for an odd seed, and its mirror image for an even one. */
static void a_seed_says_on_which_side_wrinkles_begin(void **state) {
    (void)state;
    test_curve odd, even;
    make_straight(&odd, 1);
    make_straight(&even, 1);
    odd.curve.def.start = even.curve.def.start = GOVERNING_COUNT;
    odd.curve.def.seed = 3;
    even.curve.def.seed = 4;
    minimise(&odd);
    minimise(&even);
    assert_less(0, odd.deflections[5]);
    for (size_t i = 0; i < COUNT; i++) assert_less(fabs(odd.deflections[i] + even.deflections[i]), 1e-9);
}

static void the_search_finds_the_single_bump(void **state) {
    (void)state;
    test_curve t;
    make_straight(&t, 1);
    t.curve.def.start = GOVERNING_SEARCH;
    minimise(&t);
    assert_int_equal(governing_extrema(t.deflections, COUNT), 1);
    double least = t.curve.energy;
    for (int wrinkles = 1; wrinkles <= 5; wrinkles++) {
        make_straight(&t, 1);
        t.curve.def.start = GOVERNING_COUNT;
        t.curve.def.wrinkles = wrinkles;
        minimise(&t);
        assert_at_most(least - 1e-9, t.curve.energy);
    }
}

static void ends_and_their_neighbours_stay(void **state) {
    (void)state;
    test_curve t;
    make_arc(&t, 0.3, 1);
    minimise(&t);
    const size_t fixed[] = {0, 1, COUNT - 2, COUNT - 1};
    for (size_t i = 0; i < 4; i++) assert_true(t.deflections[fixed[i]] == 0);
    assert_less(0, fabs(t.deflections[COUNT / 2]) + fabs(t.deflections[COUNT / 3]));
}

static void a_thousand_times_the_size_gives_a_thousand_times_the_shape(void **state) {
    (void)state;
    test_curve small, large;
    make_arc(&small, 0.1, 1);
    make_arc(&large, 100, 1);
    minimise(&small);
    minimise(&large);
    double greatest = 0;
    for (size_t i = 0; i < COUNT; i++) greatest = fmax(greatest, fabs(small.deflections[i]));
    for (size_t i = 0; i < COUNT; i++)
        assert_near(large.deflections[i], 1000 * small.deflections[i], 1e-3 * 1000 * greatest);
}

static void no_more_length_means_no_wrinkle(void **state) {
    (void)state;
    test_curve t;
    for (int i = 0; i < 2; i++) {
        make_arc(&t, 0.3, 1);
        t.curve.def.length = i == 0 ? 1 : 0.7;
        minimise(&t);
        for (size_t k = 0; k < COUNT; k++) assert_true(t.deflections[k] == 0);
    }
}

/* ---- Crossings. */

static double height_at(const test_curve *t, size_t segment, double fraction) {
    return (1 - fraction) * t->deflections[segment] + fraction * t->deflections[segment + 1];
}

static void curves_that_cross_meet(void **state) {
    (void)state;
    test_curve t[3];
    for (size_t i = 0; i < 3; i++) {
        make_straight(&t[i], 1 + 0.2 * (double)i);
        t[i].curve.def.seed = (int)i + 1;
    }
    t[2].curve.def.length = 1;
    const governing_crossing crossings[] = {{{0, 1}, {20, 13}, {0.3, 0.75}, 0}, {{1, 2}, {33, 24}, {0, 1}, 0}};
    governing_curve curves[] = {t[0].curve, t[1].curve, t[2].curve};
    ruga_context *context = context_plain(1);
    assert_ok(context, governing_minimise(context, curves, 3, crossings, 2));
    assert_float_equal(height_at(&t[0], 20, 0.3), height_at(&t[1], 13, 0.75), 1e-12);
    assert_float_equal(height_at(&t[1], 33, 0), height_at(&t[2], 24, 1), 1e-12);
    assert_less(1e-3, fabs(height_at(&t[0], 20, 0.3)));
    assert_less(1.2, curves[0].reached);
    assert_less(1.2, curves[1].reached);
    ruga_context_destroy(context);
}

static void a_level_crossing_has_no_slope(void **state) {
    (void)state;
    test_curve t[2];
    make_straight(&t[0], 1);
    make_straight(&t[1], 0.7);
    t[1].curve.def.seed = 2;
    const governing_crossing crossing = {{0, 1}, {20, 13}, {0.3, 0.75}, 1};
    governing_curve curves[] = {t[0].curve, t[1].curve};
    ruga_context *context = context_plain(1);
    assert_ok(context, governing_minimise(context, curves, 2, &crossing, 1));
    assert_float_equal(t[0].deflections[20], t[0].deflections[21], 1e-12);
    assert_float_equal(t[1].deflections[13], t[1].deflections[14], 1e-12);
    assert_float_equal(t[0].deflections[20], t[1].deflections[13], 1e-12);
    assert_less(1e-3, fabs(t[0].deflections[20]));
    ruga_context_destroy(context);
}

/* Where both ends meet nothing can move, and nothing breaks. */
static void a_crossing_at_fixed_ends_is_harmless(void **state) {
    (void)state;
    test_curve t[2];
    make_straight(&t[0], 1);
    make_straight(&t[1], 1);
    const governing_crossing crossings[] = {{{0, 1}, {0, 0}, {0, 0}, 0}, {{0, 1}, {0, 20}, {0.5, 0.5}, 0}};
    governing_curve curves[] = {t[0].curve, t[1].curve};
    ruga_context *context = context_plain(1);
    assert_ok(context, governing_minimise(context, curves, 2, crossings, 2));
    assert_float_equal(height_at(&t[1], 20, 0.5), 0, 1e-12);
    assert_less(1.2, curves[0].reached);
    assert_less(1.2, curves[1].reached);
    ruga_context_destroy(context);
}

static ruga_status minimise_pair(ruga_context *context, void *user) {
    test_curve *t = user;
    const governing_crossing crossing = {{0, 1}, {20, 13}, {0.3, 0.75}, 1};
    governing_curve curves[] = {t[0].curve, t[1].curve};
    return governing_minimise(context, curves, 2, &crossing, 1);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    test_curve t[2];
    make_straight(&t[0], 1);
    make_arc(&t[1], 1, 1);
    assert_at_most(1, assert_every_allocation_may_fail(minimise_pair, t));
}

/* The kernel against the formula by the C library, and the same bits with every instruction set. */
static void turns_are_those_of_the_formula(void **state) {
    (void)state;
    enum { TURNS = GOVERNING_BLOCK };
    static const ruga_isa isas[] = {RUGA_ISA_SCALAR, RUGA_ISA_SSE4, RUGA_ISA_AVX2, RUGA_ISA_AVX512};
    double sines[TURNS], cosines[TURNS], counts[TURNS], times[TURNS], energies[4][TURNS], factors[4][TURNS];
    test_random random = {11};
    for (size_t i = 0; i < TURNS; i++) {
        const double angle = i == 0 ? 0 : i == 1 ? 1e-7 : random_between(&random, 0, 3), size = 1 + (double)(i % 3);
        sines[i] = size * sin(angle);
        cosines[i] = size * cos(angle);
        counts[i] = i % 2 ? 1.5 : 3;
        times[i] = i % 2 ? 2 : 1;
    }
    size_t compared = 0;
    for (size_t k = 0; k < 4; k++) {
        if (isa_choose(isas[k]) != isas[k]) continue;
        ISA_SELECT(isas[k], governing_turns)(sines, cosines, counts, times, energies[k], factors[k], TURNS);
        assert_memory_equal(energies[k], energies[0], sizeof energies[0]);
        assert_memory_equal(factors[k], factors[0], sizeof factors[0]);
        compared++;
    }
    assert_at_most(1, compared);
    for (size_t i = 0; i < TURNS; i++) {
        const double angle = atan2(sines[i], cosines[i]), d = GOVERNING_SMOOTH_TURN;
        const double root = sqrt(times[i] * times[i] * angle * angle + d * d), grown = exp(root - d);
        assert_near(energies[0][i], counts[i] * (grown - 1), (1e-13 * counts[i] * grown));
        const double slope = counts[i] * times[i] * times[i] * grown / root * angle; /* by the angle */
        assert_near(factors[0][i] * sines[i], slope, (1e-12 * counts[i] * grown));
    }
}

/* More turns than a block, which are computed in parts: each instruction set has the same bits, and so have rows that
 * are filled once. The gradient is that of differences. */
static void bending_is_the_same_for_every_instruction_set(void **state) {
    (void)state;
    enum { MANY = 2 * GOVERNING_BLOCK + 5 };
    static const ruga_isa isas[] = {RUGA_ISA_SCALAR, RUGA_ISA_SSE4, RUGA_ISA_AVX2, RUGA_ISA_AVX512};
    static double heights[MANY], gradients[2][MANY], rows[GOVERNING_ROWS * (MANY + 1)];
    static vec3 points[MANY], normals[MANY];
    test_random random = {12};
    for (size_t i = 0; i < MANY; i++) {
        const double turn = 2 * acos(-1) * (double)i / (MANY - 1);
        points[i] = (vec3){cos(turn), sin(turn), 0.1 * sin(2 * turn)};
        normals[i] = vec3_normalise((vec3){cos(turn), sin(turn), 0.3});
        heights[i] = random_between(&random, -0.3, 0.3);
    }
    heights[MANY - 1] = heights[0];
    for (int closed = 0; closed < 2; closed++) {
        governing_curve curve = {
            .def = governing_def_default(), .count = MANY, .closed = closed, .points = points, .normals = normals};
        governing_model model = governing_model_make(&curve);
        model.isa = RUGA_ISA_SCALAR;
        const double energy = governing_model_energy(&model, heights, gradients[0], NULL);
        governing_fill_rows(&model, rows);
        model.rows = rows;
        size_t compared = 0;
        for (size_t k = 0; k < 4; k++) {
            if (isa_choose(isas[k]) != isas[k]) continue;
            model.isa = isas[k];
            assert_true(energy == governing_model_energy(&model, heights, gradients[1], NULL));
            assert_memory_equal(gradients[0], gradients[1], sizeof gradients[0]);
            compared++;
        }
        assert_at_most(1, compared);
        for (size_t i = 1; i + 1 < MANY; i++) {
            const double kept = heights[i], step = 1e-6;
            heights[i] = kept + step;
            const double above = governing_model_energy(&model, heights, NULL, NULL);
            heights[i] = kept - step;
            const double below = governing_model_energy(&model, heights, NULL, NULL);
            heights[i] = kept;
            assert_near(gradients[0][i], (above - below) / (2 * step), 1e-5 * (1 + fabs(gradients[0][i])));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_curve_has_no_energy),
        cmocka_unit_test(a_curved_curve_is_at_rest_only_by_its_own_angles),
        cmocka_unit_test(the_energy_is_the_papers),
        cmocka_unit_test(a_soft_end_is_a_mirror),
        cmocka_unit_test(the_gradient_is_that_of_differences),
        cmocka_unit_test(the_energy_never_rises),
        cmocka_unit_test(minimising_lowers_the_energy_of_the_start),
        cmocka_unit_test(what_is_found_is_a_minimum),
        cmocka_unit_test(the_length_reached_approaches_the_target_as_stiffness_falls),
        cmocka_unit_test(stiff_curves_have_fewer_wrinkles),
        cmocka_unit_test(soft_ends_turn_no_more_than_crests),
        cmocka_unit_test(ends_have_no_slope_in_the_limit_of_many_particles),
        cmocka_unit_test(a_span_at_an_end_is_wider),
        cmocka_unit_test(as_many_wrinkles_as_asked_for),
        cmocka_unit_test(a_seed_says_on_which_side_wrinkles_begin),
        cmocka_unit_test(the_search_finds_the_single_bump),
        cmocka_unit_test(ends_and_their_neighbours_stay),
        cmocka_unit_test(a_thousand_times_the_size_gives_a_thousand_times_the_shape),
        cmocka_unit_test(no_more_length_means_no_wrinkle),
        cmocka_unit_test(curves_that_cross_meet),
        cmocka_unit_test(a_level_crossing_has_no_slope),
        cmocka_unit_test(a_crossing_at_fixed_ends_is_harmless),
        cmocka_unit_test(bending_is_the_same_for_every_instruction_set),
        cmocka_unit_test(turns_are_those_of_the_formula),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
