/* The damped oscillator over a step, held against many small steps of another method, and against its own composition. */
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
#define EACH(name, table) (size_t name = 0; name < sizeof(table) / sizeof *(table); name++)

static void every_regime_solves_the_equation(void **state) {
    (void)state;
    const double times[] = {1e-4, 0.04, 0.49, 0.6, 2.5};
    const point start[3] = {{1, 0}, {0, 1}, {0, 0}};
    for
        EACH(w, omegas)
        for
            EACH(r, ratios)
            for
                EACH(t, times)
            for (int i = 0; i < 3; i++) {
                double force = i == 2, c = ratios[r] * (omegas[w] > 1e-6 ? omegas[w] : 1);
                point exact = integrate(omegas[w], c, times[t], start[i], force);
                point got = advance(oscillator_solve(omegas[w], c, times[t]), start[i], force);
                long double scale = i == 2 ? times[t] * times[t] : i == 1 ? times[t] : 1;
                assert_true(fabsl(got.z - exact.z) < 1e-9L * scale);
                assert_true(fabsl(got.v - exact.v) < 1e-9L * fmaxl(1, omegas[w]));
            }
}

/* Where one formula hands over to another, and at critical damping, the factors do not jump. */
static void factors_are_continuous_where_formulas_meet(void **state) {
    (void)state;
    for
        EACH(w, omegas)
        for
            EACH(r, ratios) {
                double omega = omegas[w], c = ratios[r] * (omega > 1e-6 ? omega : 1), fastest = fmax(omega, c);
                if (fastest == 0) continue;
                double t = 0.5 / fastest;
                oscillator_step a = oscillator_solve(omega, c, t * (1 - 1e-15)), b = oscillator_solve(omega, c, t);
                assert_true(fabs(a.place - b.place) < 4e-15 && fabs(a.speed - b.speed) < 4e-15);
                assert_true(fabs(a.travel / b.travel - 1) < 1e-14 && fabs(a.lag / b.lag - 1) < 2e-14);
            }
    for
        EACH(w, omegas) {
            double omega = omegas[w], t = omega > 1e-6 ? 2 / omega : 2;
            oscillator_step under = oscillator_solve(omega, omega * (1 - 1e-15), t),
                            over = oscillator_solve(omega, omega, t);
            assert_true(fabs(under.place - over.place) < 1e-14 && fabs(under.speed - over.speed) < 1e-14);
            assert_true(fabs(under.travel / over.travel - 1) < 1e-14 && fabs(under.lag / over.lag - 1) < 1e-13);
        }
}

static void two_half_steps_are_one_whole(void **state) {
    (void)state;
    const point start = {0.7L, -1.3L};
    for
        EACH(w, omegas)
        for
            EACH(r, ratios)
        for (double t = 0x1p-20; t < 2000; t *= 4) {
            double c = ratios[r] * (omegas[w] > 1e-6 ? omegas[w] : 1);
            oscillator_step half = oscillator_solve(omegas[w], c, t / 2);
            point whole = advance(oscillator_solve(omegas[w], c, t), start, 2);
            point twice = advance(half, advance(half, start, 2), 2);
            long double far = 1 + t + t * t; /* how far a free one gets */
            assert_true(fabsl(whole.z - twice.z) < 1e-14L * far && fabsl(whole.v - twice.v) < 4e-14L * far);
        }
}

static void no_time_changes_nothing_and_much_time_brings_rest(void **state) {
    (void)state;
    oscillator_step none = oscillator_solve(3, 2, 0);
    assert_true(none.place == 1 && none.speed == 1 && none.travel == 0 && none.pull == 0 && none.lag == 0);
    for
        EACH(r, ratios) {
            if (ratios[r] == 0) continue;
            oscillator_step s = oscillator_solve(20, 20 * ratios[r], 1e12);
            assert_true(s.place == 0 && s.speed == 0 && s.travel == 0);
            assert_true(fabs(s.lag * 400 - 1) < 1e-15);
        }
    /* The greatest numbers that a jiggle may be given. */
    oscillator_step s = oscillator_solve(6.3e6, 6.3e12, 1e6);
    assert_true(isfinite(s.place) && isfinite(s.travel) && isfinite(s.pull) && isfinite(s.speed) && isfinite(s.lag));
    s = oscillator_solve(6.3e6, 0, 1e6);
    assert_true(fabs(s.place) <= 1 && fabs(s.speed) <= 1);
    s = oscillator_solve(6.3e6, 6.3e12, 1e-300);
    assert_true(s.place == 1 && s.speed == 1 && s.travel == 1e-300);
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
