/* The header has what these are. Sums have sixteen parts, added in one order whatever the instruction set
 * (math/simd.h). */
#include "linalg/cg_kernels.h"

#include "math/simd.h"

#define LANES 4
#define PARTS 4 /* sums at the same time, since each addition waits for the last */

double ISA_NAME(cg_dot)(const double *a, const double *b, size_t count) {
    f64x4 sums[PARTS];
    for (int k = 0; k < PARTS; k++) sums[k] = f64x4_set(0);
    size_t i = 0;
    for (; i + PARTS * LANES <= count; i += PARTS * LANES)
        for (size_t k = 0; k < PARTS; k++)
            sums[k] = f64x4_add(sums[k], f64x4_mul(f64x4_load(a + i + LANES * k), f64x4_load(b + i + LANES * k)));
    double lanes[LANES], rest = 0;
    f64x4_store(lanes, f64x4_add(f64x4_add(sums[0], sums[1]), f64x4_add(sums[2], sums[3])));
    for (; i < count; i++) rest += a[i] * b[i];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + rest;
}

void ISA_NAME(cg_combine)(const double *a, const double *b, double factor, double *out, size_t count) {
    f64x4 f = f64x4_set(factor);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        f64x4_store(out + i, f64x4_add(f64x4_load(a + i), f64x4_mul(f64x4_load(b + i), f)));
    for (; i < count; i++) out[i] = a[i] + b[i] * factor;
}

void ISA_NAME(cg_advance)(const double *p, const double *q, double factor, double *x, double *r, size_t count) {
    f64x4 f = f64x4_set(factor);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        f64x4_store(x + i, f64x4_add(f64x4_load(x + i), f64x4_mul(f64x4_load(p + i), f)));
        f64x4_store(r + i, f64x4_sub(f64x4_load(r + i), f64x4_mul(f64x4_load(q + i), f)));
    }
    for (; i < count; i++) {
        x[i] += p[i] * factor;
        r[i] -= q[i] * factor;
    }
}
