/* Energies of turns, without branches, so that several are computed at a time. See the header for the contract.
 *
 * The arctangent is the rational function of S. L. Moshier's Cephes library (1989), within 2e-16 of the exact one. The
 * exponential function is 2^n times its series over half of ln 2 on either side of 0. */
#include "solve/governing_model.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define STEEP 0.66     /* tangent above which the angle from 45 degrees is computed instead */
#define TINY 1e-14     /* keeps quotients finite where there is no turn */
#define SHIFT 0x1.8p52 /* added to a small number, its last bits are the nearest whole one */
#define LOG2_E 1.44269504088896340736
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

/* 1 or, of negative numbers, 0. */
static inline double is_positive(double x) { return 0.5 + copysign(0.5, x); }

/* The angle with this sine >= 0 and cosine, up to a common factor; both 0: 0. */
static inline double turn_angle(double sine, double cosine) {
    const double size = fabs(cosine), over = is_positive(sine - size), behind = 1 - is_positive(cosine);
    const double greater = over * sine + (1 - over) * size, lesser = over * size + (1 - over) * sine;
    const double steep = is_positive(lesser - STEEP * greater);
    const double x = (lesser - steep * greater) / (greater + steep * lesser + 1e-300), z = x * x;
    double p = -8.750608600031904122785e-1, q = z + 2.485846490142306297962e1;
    p = p * z - 1.615753718733365076637e1;
    p = p * z - 7.500855792314704667340e1;
    p = p * z - 1.228866684490136173410e2;
    p = p * z - 6.485021904942025371773e1;
    q = q * z + 1.650270098316988542046e2;
    q = q * z + 4.328810604912902668951e2;
    q = q * z + 4.853903996359136964868e2;
    q = q * z + 1.945506571482613964425e2;
    /* From 45 degrees, then from the other axis, then from behind. */
    const double near = steep * (0.25 * PI) + (x * (z * p / q) + x);
    const double ahead = over * (0.5 * PI) + (1 - 2 * over) * near;
    return behind * PI + (1 - 2 * behind) * ahead;
}

/* e^x for x of 0 to 700. */
static inline double grow(double x) {
    const double shifted = x * LOG2_E + SHIFT, n = shifted - SHIFT;
    const double r = (x - n * LN2_HIGH) - n * LN2_LOW;
    double sum = 1.0 / 6227020800;
    sum = sum * r + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1;
    sum = sum * r + 1;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

void ISA_NAME(governing_turns)(const double *restrict sines, const double *restrict cosines,
                               const double *restrict counts, const double *restrict times, double *restrict energies,
                               double *restrict factors, size_t count) {
    double angles[GOVERNING_BLOCK];
    for (size_t i = 0; i < count; i++) angles[i] = turn_angle(sines[i], cosines[i]);
    for (size_t i = 0; i < count; i++) {
        const double angle = angles[i], turn = times[i] * angle;
        const double root = sqrt(turn * turn + GOVERNING_SMOOTH_TURN * GOVERNING_SMOOTH_TURN);
        const double grown = grow(root - GOVERNING_SMOOTH_TURN);
        energies[i] = counts[i] * (grown - 1);
        factors[i] = counts[i] * times[i] * times[i] * grown / root * (angle / (sines[i] + TINY));
    }
}
