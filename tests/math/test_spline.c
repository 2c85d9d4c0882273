/* Cubic curves through points: what makes each kind the curve it is. */
#include "math/spline.h"

#include "support/support.h"

enum { MOST = 40 };

typedef struct curve {
    spline s;
    double factors[2 * MOST];
    vec3 points[MOST], slopes[MOST];
} curve;

static const spline_kind kinds[2] = {SPLINE_NATURAL, SPLINE_CATMULL_ROM};

static void make_curve(curve *c, spline_kind kind, int closed, size_t count, uint64_t seed) {
    test_random random = {seed};
    c->s = spline_make(kind, closed, count, c->factors);
    for (size_t i = 0; i < count; i++) c->points[i] = random_vec3(&random, -1, 1);
    spline_slopes(&c->s, c->points, 1, c->slopes);
}

/* Q'' at the start and at the end of a segment, from Hermite's form. */
static vec3 bend(const curve *c, size_t segment, int at_end) {
    size_t next = (segment + 1) % c->s.count;
    vec3 chord = vec3_sub(c->points[next], c->points[segment]), m = c->slopes[segment], n = c->slopes[next];
    return at_end ? vec3_add(vec3_scale(chord, -6), vec3_add(vec3_scale(m, 2), vec3_scale(n, 4)))
                  : vec3_sub(vec3_scale(chord, 6), vec3_add(vec3_scale(m, 4), vec3_scale(n, 2)));
}

static void curves_go_through_their_points_bit_for_bit(void **state) {
    (void)state;
    curve c;
    for (int k = 0; k < 4; k++)
        for (size_t count = 3; count < 12; count++) {
            make_curve(&c, kinds[k % 2], k / 2, count, 5);
            size_t segments = spline_segments(&c.s);
            for (size_t fine = 1; fine < 8; fine++) {
                size_t places = segments * fine + !c.s.closed;
                for (size_t i = 0; i < count; i++) {
                    spline_place place = spline_place_at(&c.s, i * fine, places);
                    vec3 value = spline_value(&place, c.points, c.slopes, 1);
                    assert_equal_case(vec3_distance(value, c.points[i]), 0, "k %d, count %zu, fine %zu, i %zu", k,
                                      count, fine, i);
                }
            }
        }
}

static void natural_curves_bend_continuously_and_not_at_their_ends(void **state) {
    (void)state;
    curve c;
    for (int closed = 0; closed < 2; closed++)
        for (size_t count = closed ? 3 : 2; count < MOST; count++) {
            make_curve(&c, SPLINE_NATURAL, closed, count, count);
            for (size_t i = closed ? 0 : 1; i < spline_segments(&c.s); i++) {
                size_t before = i > 0 ? i - 1 : count - 1;
                assert_less_case(vec3_distance(bend(&c, before, 1), bend(&c, i, 0)), 1e-12,
                                 "closed %d, count %zu, i %zu", closed, count, i);
            }
            if (closed) continue;
            assert_less_case(vec3_length(bend(&c, 0, 0)), 1e-12, "closed %d, count %zu", closed, count);
            assert_less_case(vec3_length(bend(&c, count - 2, 1)), 1e-12, "closed %d, count %zu", closed, count);
        }
}

static void catmull_rom_slopes_are_those_of_the_neighbours_chord(void **state) {
    (void)state;
    curve c;
    for (int closed = 0; closed < 2; closed++)
        for (size_t count = 3; count < 9; count++) {
            make_curve(&c, SPLINE_CATMULL_ROM, closed, count, count);
            for (size_t i = closed ? 0 : 1; i + 1 < count; i++) {
                size_t before = i > 0 ? i - 1 : count - 1;
                vec3 chord = vec3_sub(c.points[i + 1], c.points[before]);
                assert_less_case(vec3_distance(vec3_scale(chord, 0.5), c.slopes[i]), 1e-15,
                                 "closed %d, count %zu, i %zu", closed, count, i);
            }
            if (!closed)
                assert_less_case(vec3_length(bend(&c, 0, 0)) + vec3_length(bend(&c, count - 2, 1)), 1e-14,
                                 "closed %d, count %zu", closed, count);
        }
}

/* The energy of a curve, ∫ |Q''|², with Q'' linear on each segment. */
static double energy(const curve *c) {
    double sum = 0;
    for (size_t i = 0; i < spline_segments(&c->s); i++) {
        vec3 a = bend(c, i, 0), b = bend(c, i, 1);
        sum += (vec3_dot(a, a) + vec3_dot(a, b) + vec3_dot(b, b)) / 3;
    }
    return sum;
}

static void no_other_slopes_bend_less_than_natural_ones(void **state) {
    (void)state;
    curve c, other;
    test_random random = {3};
    for (int closed = 0; closed < 2; closed++)
        for (size_t count = 3; count < 20; count++) {
            make_curve(&c, SPLINE_NATURAL, closed, count, count);
            for (int trial = 0; trial < 10; trial++) {
                other = c;
                for (size_t i = 0; i < count; i++)
                    other.slopes[i] = vec3_add(c.slopes[i], random_vec3(&random, -0.1, 0.1));
                assert_less_case(energy(&c), energy(&other), "closed %d, count %zu, trial %d", closed, count, trial);
            }
            make_curve(&other, SPLINE_CATMULL_ROM, closed, count, count);
            assert_at_most_case(energy(&c) - 1e-12, energy(&other), "closed %d, count %zu", closed, count);
        }
}

static void evenly_spaced_points_on_a_line_stay_a_line(void **state) {
    (void)state;
    curve c;
    for (int k = 0; k < 2; k++)
        for (size_t count = 2; count < 12; count++) {
            c.s = spline_make(kinds[k], 0, count, c.factors);
            for (size_t i = 0; i < count; i++) c.points[i] = vec3_make((double)i, 2 - 3 * (double)i, 0.5 * (double)i);
            spline_slopes(&c.s, c.points, 1, c.slopes);
            for (size_t i = 0; i < 50; i++) {
                spline_place place = spline_place_at(&c.s, i, 50);
                double u = place.first + place.t;
                vec3 value = spline_value(&place, c.points, c.slopes, 1);
                assert_less_case(vec3_distance(value, vec3_make(u, 2 - 3 * u, 0.5 * u)), 1e-13,
                                 "k %d, count %zu, i %zu", k, count, i);
                assert_less_case(vec3_distance(spline_slope(&place, c.points, c.slopes, 1), vec3_make(1, -3, 0.5)),
                                 1e-13, "k %d, count %zu, i %zu", k, count, i);
            }
        }
}

static void slopes_are_derivatives_of_values(void **state) {
    (void)state;
    curve c;
    for (int k = 0; k < 4; k++) {
        make_curve(&c, kinds[k % 2], k / 2, 7, 8);
        size_t places = 7000001, within = 0;
        for (size_t i = 1000; i + 1 < places; i += 321321) {
            spline_place low = spline_place_at(&c.s, i - 1, places), at = spline_place_at(&c.s, i, places),
                         high = spline_place_at(&c.s, i + 1, places);
            if (low.first != high.first) continue; /* across a point of the curve */
            within++;
            vec3 rise = vec3_sub(spline_value(&high, c.points, c.slopes, 1), spline_value(&low, c.points, c.slopes, 1));
            vec3 slope = vec3_scale(rise, 1 / (high.t - low.t));
            assert_less_case(vec3_distance(slope, spline_slope(&at, c.points, c.slopes, 1)), 1e-7, "k %d, i %zu", k, i);
        }
        assert_ran(within, 20);
    }
}

/* Points and slopes with others between them. */
static void strides_change_nothing(void **state) {
    (void)state;
    curve c;
    vec3 points[3 * 9], slopes[3 * 9];
    for (int k = 0; k < 4; k++) {
        make_curve(&c, kinds[k % 2], k / 2, 9, 4);
        for (size_t i = 0; i < 9; i++) points[3 * i] = c.points[i];
        spline_slopes(&c.s, points, 3, slopes);
        for (size_t i = 0; i < 9; i++)
            assert_equal_case(vec3_distance(slopes[3 * i], c.slopes[i]), 0, "k %d, i %zu", k, i);
        spline_place place = spline_place_at(&c.s, 5, 23);
        assert_equal_case(
            vec3_distance(spline_value(&place, points, slopes, 3), spline_value(&place, c.points, c.slopes, 1)), 0,
            "k %d", k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_go_through_their_points_bit_for_bit),
        cmocka_unit_test(natural_curves_bend_continuously_and_not_at_their_ends),
        cmocka_unit_test(catmull_rom_slopes_are_those_of_the_neighbours_chord),
        cmocka_unit_test(no_other_slopes_bend_less_than_natural_ones),
        cmocka_unit_test(evenly_spaced_points_on_a_line_stay_a_line),
        cmocka_unit_test(slopes_are_derivatives_of_values),
        cmocka_unit_test(strides_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
