/* The damped oscillator over a step, held against many small steps of another method, and against its own
 * composition. */
#include "math/oscillator.h"

#include <math.h>

#include "support/support.h"

typedef struct point {
    long double z, v;
} point;

static point advance(oscillator_step s, point p, double force) {
    return (point){s.place * p.z + s.travel * p.v + s.lag * force, s.pull * p.z + s.speed * p.v + s.travel * force};
}

/* z'' + 2 c z' + ω² z = f by the classical method of Runge and Kutta, in long double. */
static point integrate(double omega, double c, double t, point p, double force) {
    const int count = 2000 + (int)(200 * fmax(omega, c) * t);
    const long double h = (long double)t / count;
    for (int i = 0; i < count; i++) {
        point k[4], q = p;
        for (int stage = 0; stage < 4; stage++) {
            k[stage] = (point){q.v, force - 2 * c * q.v - (long double)omega * omega * q.z};
            long double part = stage < 2 ? h / 2 : h;
            q = (point){p.z + part * k[stage].z, p.v + part * k[stage].v};
        }
        p.z += h / 6 * (k[0].z + 2 * k[1].z + 2 * k[2].z + k[3].z);
        p.v += h / 6 * (k[0].v + 2 * k[1].v + 2 * k[2].v + k[3].v);
    }
    return p;
}

static const double omegas[] = {0, 1e-9, 0.3, 1, 3, 20}, ratios[] = {0, 0.01, 0.7, 0.999999999, 1, 1.000000001, 1.3, 5};
enum { OMEGAS = sizeof omegas / sizeof *omegas, RATIOS = sizeof ratios / sizeof *ratios };

static void every_regime_solves_the_equation(void **state) {
    (void)state;
    const double times[] = {1e-4, 0.04, 0.49, 0.6, 2.5};
    const point start[3] = {{1, 0}, {0, 1}, {0, 0}};
    for (size_t w = 0; w < OMEGAS; w++)
        for (size_t r = 0; r < RATIOS; r++)
            for (size_t t = 0; t < sizeof times / sizeof *times; t++)
                for (int i = 0; i < 3; i++) {
                    double force = i == 2, c = ratios[r] * (omegas[w] > 1e-6 ? omegas[w] : 1);
                    point exact = integrate(omegas[w], c, times[t], start[i], force);
                    point got = advance(oscillator_solve(omegas[w], c, times[t]), start[i], force);
                    long double scale = i == 2 ? times[t] * times[t] : i == 1 ? times[t] : 1;
                    assert_less_case(fabsl(got.z - exact.z), 1e-9L * scale, "omega %g, ratio %g, time %g, i %d",
                                     omegas[w], ratios[r], times[t], i);
                    assert_less_case(fabsl(got.v - exact.v), 1e-9L * fmaxl(1, omegas[w]),
                                     "omega %g, ratio %g, time %g, i %d", omegas[w], ratios[r], times[t], i);
                }
}

/* Where one formula hands over to another, and at critical damping, the factors do not jump. */
static void factors_are_continuous_where_formulas_meet(void **state) {
    (void)state;
    for (size_t w = 0; w < OMEGAS; w++)
        for (size_t r = 0; r < RATIOS; r++) {
            double omega = omegas[w], c = ratios[r] * (omega > 1e-6 ? omega : 1), fastest = fmax(omega, c);
            if (fastest == 0) continue;
            double t = 0.5 / fastest;
            oscillator_step a = oscillator_solve(omega, c, t * (1 - 1e-15)), b = oscillator_solve(omega, c, t);
            assert_near_case(a.place, b.place, 4e-15, "omega %g, damping %g", omega, c);
            assert_near_case(a.speed, b.speed, 4e-15, "omega %g, damping %g", omega, c);
            assert_near_case(a.travel / b.travel, 1, 1e-14, "omega %g, damping %g", omega, c);
            assert_near_case(a.lag / b.lag, 1, 2e-14, "omega %g, damping %g", omega, c);
        }
    for (size_t w = 0; w < OMEGAS; w++) {
        double omega = omegas[w], t = omega > 1e-6 ? 2 / omega : 2;
        oscillator_step under = oscillator_solve(omega, omega * (1 - 1e-15), t),
                        over = oscillator_solve(omega, omega, t);
        assert_near_case(under.place, over.place, 1e-14, "omega %g", omega);
        assert_near_case(under.speed, over.speed, 1e-14, "omega %g", omega);
        assert_near_case(under.travel / over.travel, 1, 1e-14, "omega %g", omega);
        assert_near_case(under.lag / over.lag, 1, 1e-13, "omega %g", omega);
    }
}

static void two_half_steps_are_one_whole(void **state) {
    (void)state;
    const point start = {0.7L, -1.3L};
    for (size_t w = 0; w < OMEGAS; w++)
        for (size_t r = 0; r < RATIOS; r++)
            for (double t = 0x1p-20; t < 2000; t *= 4) {
                double c = ratios[r] * (omegas[w] > 1e-6 ? omegas[w] : 1);
                oscillator_step half = oscillator_solve(omegas[w], c, t / 2);
                point whole = advance(oscillator_solve(omegas[w], c, t), start, 2);
                point twice = advance(half, advance(half, start, 2), 2);
                long double far = 1 + t + t * t; /* how far a free one gets */
                assert_less_case(fabsl(whole.z - twice.z), 1e-14L * far, "omega %g, damping %g, t %g", omegas[w], c, t);
                assert_less_case(fabsl(whole.v - twice.v), 4e-14L * far, "omega %g, damping %g, t %g", omegas[w], c, t);
            }
}

static void no_time_changes_nothing_and_much_time_brings_rest(void **state) {
    (void)state;
    oscillator_step none = oscillator_solve(3, 2, 0);
    assert_equal(none.place, 1);
    assert_equal(none.speed, 1);
    assert_equal(none.travel, 0);
    assert_equal(none.pull, 0);
    assert_equal(none.lag, 0);
    for (size_t r = 0; r < RATIOS; r++) {
        if (ratios[r] == 0) continue;
        oscillator_step s = oscillator_solve(20, 20 * ratios[r], 1e12);
        assert_equal(s.place, 0);
        assert_equal(s.speed, 0);
        assert_equal(s.travel, 0);
        assert_near(s.lag * 400, 1, 1e-15);
    }
    /* The greatest numbers that a jiggle may be given. */
    oscillator_step s = oscillator_solve(6.3e6, 6.3e12, 1e6);
    assert_true(isfinite(s.place) && isfinite(s.travel) && isfinite(s.pull) && isfinite(s.speed) && isfinite(s.lag));
    s = oscillator_solve(6.3e6, 0, 1e6);
    assert_near(s.place, 0, 1);
    assert_near(s.speed, 0, 1);
    s = oscillator_solve(6.3e6, 6.3e12, 1e-300);
    assert_equal(s.place, 1);
    assert_equal(s.speed, 1);
    assert_equal(s.travel, 1e-300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_regime_solves_the_equation),
        cmocka_unit_test(factors_are_continuous_where_formulas_meet),
        cmocka_unit_test(two_half_steps_are_one_whole),
        cmocka_unit_test(no_time_changes_nothing_and_much_time_brings_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
