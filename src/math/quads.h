/* Numbers of four records side by side, for kernels: record i has the numbers p[i][0], p[i][1] … */
#ifndef MATH_QUADS_H
#define MATH_QUADS_H

#include <stddef.h>

#include "math/simd.h"

/* count: at least 4. */
static inline void quads_load(const double *const p[4], size_t count, f64x4 *out) {
    for (size_t k = 0; k < count; k += 4) {
        size_t at = k + 4 <= count ? k : count - 4; /* the last four overlap those before */
        f64x4 a = f64x4_load(p[0] + at), b = f64x4_load(p[1] + at), c = f64x4_load(p[2] + at),
              d = f64x4_load(p[3] + at);
        f64x4_transpose4(&a, &b, &c, &d);
        out[at] = a;
        out[at + 1] = b;
        out[at + 2] = c;
        out[at + 3] = d;
    }
}

static inline void quads_store(const f64x4 *in, size_t count, double *const p[4]) {
    for (size_t k = 0; k < count; k += 4) {
        size_t at = k + 4 <= count ? k : count - 4;
        f64x4 a = in[at], b = in[at + 1], c = in[at + 2], d = in[at + 3];
        f64x4_transpose4(&a, &b, &c, &d);
        f64x4_store(p[0] + at, a);
        f64x4_store(p[1] + at, b);
        f64x4_store(p[2] + at, c);
        f64x4_store(p[3] + at, d);
    }
}

#endif
