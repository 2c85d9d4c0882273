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

/* ---- Bending. */

enum { MOST = GOVERNING_BLOCK + 2 };

/* Vectors, coordinate by coordinate. */
typedef struct vectors {
    double x[MOST], y[MOST], z[MOST];
} vectors;

/* Segments between particles, and their squared lengths. */
static inline void find_segments(const double *restrict rows, size_t stride, const double *restrict heights,
                                 size_t count, vectors *restrict s, double *restrict squares) {
    vectors p;
    const double *nx = rows + 3 * stride, *ny = rows + 4 * stride, *nz = rows + 5 * stride;
    for (size_t i = 0; i < count + 2; i++) {
        p.x[i] = rows[i] + nx[i] * heights[i];
        p.y[i] = rows[stride + i] + ny[i] * heights[i];
        p.z[i] = rows[2 * stride + i] + nz[i] * heights[i];
    }
    for (size_t i = 0; i < count + 1; i++) {
        s->x[i] = p.x[i + 1] - p.x[i];
        s->y[i] = p.y[i + 1] - p.y[i];
        s->z[i] = p.z[i + 1] - p.z[i];
        squares[i] = s->x[i] * s->x[i] + s->y[i] * s->y[i] + s->z[i] * s->z[i];
    }
}

/* u: each segment turned as at rest; w: u x the next segment. */
static inline void find_turns(const double *restrict rows, size_t stride, size_t count, const vectors *restrict s,
                              vectors *restrict u, vectors *restrict w, double *restrict sines,
                              double *restrict cosines) {
    const double *kx = rows + 6 * stride + 1, *ky = rows + 7 * stride + 1, *kz = rows + 8 * stride + 1;
    const double *cosine = rows + 9 * stride + 1, *share = rows + 10 * stride + 1;
    for (size_t i = 0; i < count; i++) {
        const double x = s->x[i], y = s->y[i], z = s->z[i];
        const double along = (kx[i] * x + ky[i] * y + kz[i] * z) * share[i];
        const double ux = cosine[i] * x + (ky[i] * z - kz[i] * y) + kx[i] * along;
        const double uy = cosine[i] * y + (kz[i] * x - kx[i] * z) + ky[i] * along;
        const double uz = cosine[i] * z + (kx[i] * y - ky[i] * x) + kz[i] * along;
        const double vx = s->x[i + 1], vy = s->y[i + 1], vz = s->z[i + 1];
        const double wx = uy * vz - uz * vy, wy = uz * vx - ux * vz, wz = ux * vy - uy * vx;
        u->x[i] = ux, u->y[i] = uy, u->z[i] = uz;
        w->x[i] = wx, w->y[i] = wy, w->z[i] = wz;
        sines[i] = sqrt(wx * wx + wy * wy + wz * wz);
        cosines[i] = ux * vx + uy * vy + uz * vz;
    }
}

/* Derivatives of turn i by the heights of its three particles. d angle/du = (u x w) / (|u|² sine), turned back; d
 * angle/dv = (w x v) / (|v|² sine). The factors have the sine. */
static inline void find_slopes(const double *restrict rows, size_t stride, size_t count, const vectors *restrict s,
                               const vectors *restrict u, const vectors *restrict w, const double *restrict squares,
                               const double *restrict factors, double *restrict before, double *restrict at,
                               double *restrict after) {
    const double *nx = rows + 3 * stride, *ny = rows + 4 * stride, *nz = rows + 5 * stride;
    const double *kx = rows + 6 * stride + 1, *ky = rows + 7 * stride + 1, *kz = rows + 8 * stride + 1;
    const double *cosine = rows + 9 * stride + 1, *share = rows + 10 * stride + 1;
    for (size_t i = 0; i < count; i++) {
        const double by_u = factors[i] / squares[i], by_v = factors[i] / squares[i + 1];
        const double x = (u->y[i] * w->z[i] - u->z[i] * w->y[i]) * by_u;
        const double y = (u->z[i] * w->x[i] - u->x[i] * w->z[i]) * by_u;
        const double z = (u->x[i] * w->y[i] - u->y[i] * w->x[i]) * by_u;
        const double along = (kx[i] * x + ky[i] * y + kz[i] * z) * share[i];
        const double ux = cosine[i] * x - (ky[i] * z - kz[i] * y) + kx[i] * along;
        const double uy = cosine[i] * y - (kz[i] * x - kx[i] * z) + ky[i] * along;
        const double uz = cosine[i] * z - (kx[i] * y - ky[i] * x) + kz[i] * along;
        const double vx = (w->y[i] * s->z[i + 1] - w->z[i] * s->y[i + 1]) * by_v;
        const double vy = (w->z[i] * s->x[i + 1] - w->x[i] * s->z[i + 1]) * by_v;
        const double vz = (w->x[i] * s->y[i + 1] - w->y[i] * s->x[i + 1]) * by_v;
        before[i] = -(nx[i] * ux + ny[i] * uy + nz[i] * uz);
        at[i] = nx[i + 1] * (ux - vx) + ny[i + 1] * (uy - vy) + nz[i + 1] * (uz - vz);
        after[i] = nx[i + 2] * vx + ny[i + 2] * vy + nz[i + 2] * vz;
    }
}

double ISA_NAME(governing_bend)(const double *rows, size_t stride, const double *heights, size_t count,
                                double *slopes) {
    vectors s, u, w;
    double squares[MOST], sines[MOST], cosines[MOST], energies[MOST], factors[MOST];
    double before[MOST], at[MOST], after[MOST], energy = 0;
    find_segments(rows, stride, heights, count, &s, squares);
    find_turns(rows, stride, count, &s, &u, &w, sines, cosines);
    ISA_NAME(governing_turns)
    (sines, cosines, rows + 11 * stride + 1, rows + 12 * stride + 1, energies, factors, count);
    find_slopes(rows, stride, count, &s, &u, &w, squares, factors, before, at, after);
    for (size_t i = 0; i < count; i++) energy += energies[i];
    for (size_t i = 0; i < count; i++) slopes[i] = before[i];
    slopes[count] = slopes[count + 1] = 0;
    for (size_t i = 0; i < count; i++) slopes[i + 1] += at[i];
    for (size_t i = 0; i < count; i++) slopes[i + 2] += after[i];
    return energy;
}
