/* Products of 6 x 6 blocks, and of blocks with vectors: a row is one vector of eight. */
#include "linalg/block_ldl_kernels.h"

#include "linalg/block_ldl.h"
#include "math/simd.h"

void ISA_NAME(ldl_eliminate)(const double *y, const double *entries, const uint32_t *slots, size_t count,
                             double *scratch) {
    for (size_t e = 0; e < count; e++, entries += LDL_PACKED) {
        double *out = scratch + LDL_NUMBERS * (size_t)slots[e];
        f64x8 columns[LDL_SIDE];
        for (int m = 0; m < LDL_SIDE; m++) columns[m] = f64x8_load(entries + LDL_SIDE * m);
        for (int r = 0; r < LDL_SIDE; r++) {
            f64x8 sum = f64x8_load(out + LDL_STRIDE * r);
            for (int m = 0; m < LDL_SIDE; m++)
                sum = f64x8_sub(sum, f64x8_mul(f64x8_set(y[LDL_STRIDE * r + m]), columns[m]));
            f64x8_store(out + LDL_STRIDE * r, sum);
        }
    }
}

void ISA_NAME(ldl_finish_entry)(const double *y, const double *inverse, double *entry, float *rounded, double *pivot) {
    double turned[LDL_NUMBERS] = {0}, rows[LDL_NUMBERS];
    f64x8 columns[LDL_SIDE];
    for (int r = 0; r < LDL_SIDE; r++)
        for (int m = 0; m < LDL_SIDE; m++) turned[LDL_STRIDE * m + r] = y[LDL_STRIDE * r + m];
    for (int q = 0; q < LDL_SIDE; q++) columns[q] = f64x8_load(turned + LDL_STRIDE * q);
    for (int m = 0; m < LDL_SIDE; m++) {
        f64x8 sum = f64x8_set(0);
        for (int q = 0; q < LDL_SIDE; q++)
            sum = f64x8_add(sum, f64x8_mul(f64x8_set(inverse[LDL_STRIDE * m + q]), columns[q]));
        f64x8_store(rows + LDL_STRIDE * m, sum);
    }
    for (int r = 0; r < LDL_SIDE; r++) {
        f64x8 sum = f64x8_load(pivot + LDL_STRIDE * r);
        for (int q = 0; q < LDL_SIDE; q++)
            sum = f64x8_sub(sum, f64x8_mul(f64x8_set(rows[LDL_STRIDE * q + r]), columns[q]));
        f64x8_store(pivot + LDL_STRIDE * r, sum);
    }
    for (int m = 0; m < LDL_SIDE; m++)
        for (int r = 0; r < LDL_SIDE; r++) {
            entry[LDL_SIDE * m + r] = rows[LDL_STRIDE * m + r];
            rounded[LDL_SIDE * m + r] = (float)rows[LDL_STRIDE * m + r];
        }
}

#define LINE 16                      /* floats of a cache line */
#define PREFETCHED (16 * LDL_PACKED) /* floats ahead: the processor's own prefetching ends with each page */

static inline void prefetch_entry(const float *entry) {
    for (int k = 0; k < LDL_PACKED; k += LINE) simd_prefetch(entry + PREFETCHED + k);
}

void ISA_NAME(ldl_forward)(const float *y, const float *entries, const uint32_t *slots, size_t count, float *x) {
    f32x8 factors[LDL_SIDE];
    for (int m = 0; m < LDL_SIDE; m++) factors[m] = f32x8_set(y[m]);
    for (size_t e = 0; e < count; e++, entries += LDL_PACKED) {
        float *out = x + LDL_STRIDE * (size_t)slots[e];
        prefetch_entry(entries);
        f32x8 even = f32x8_mul(factors[0], f32x8_load(entries)), odd = f32x8_mul(factors[1], f32x8_load(entries + 6));
        for (int m = 2; m < LDL_SIDE; m += 2) {
            even = f32x8_add(even, f32x8_mul(factors[m], f32x8_load(entries + LDL_SIDE * m)));
            odd = f32x8_add(odd, f32x8_mul(factors[m + 1], f32x8_load(entries + LDL_SIDE * (m + 1))));
        }
        f32x8_store(out, f32x8_sub(f32x8_load(out), f32x8_add(even, odd)));
    }
}

/* The sum of the lanes, in a fixed order. */
static inline float sum_of_lanes(f32x8 a) {
    float v[8];
    f32x8_store(v, a);
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

void ISA_NAME(ldl_backward)(const float *entries, const uint32_t *slots, size_t count, const float *x, float *out) {
    f32x8 sums[LDL_SIDE];
    for (int m = 0; m < LDL_SIDE; m++) sums[m] = f32x8_set(0);
    for (size_t e = 0; e < count; e++, entries += LDL_PACKED) {
        prefetch_entry(entries);
        f32x8 factor = f32x8_load(x + LDL_STRIDE * (size_t)slots[e]);
        for (int m = 0; m < LDL_SIDE; m++)
            sums[m] = f32x8_add(sums[m], f32x8_mul(factor, f32x8_load(entries + LDL_SIDE * m)));
    }
    for (int m = 0; m < LDL_SIDE; m++) out[m] -= sum_of_lanes(sums[m]);
}

void ISA_NAME(ldl_diagonal)(const float *inverse, const float *x, float *out) {
    float result[LDL_STRIDE];
    f32x8 sum = f32x8_set(0);
    for (int m = 0; m < LDL_SIDE; m++)
        sum = f32x8_add(sum, f32x8_mul(f32x8_set(x[m]), f32x8_load(inverse + LDL_SIDE * m)));
    f32x8_store(result, sum);
    for (int m = 0; m < LDL_STRIDE; m++) out[m] = m < LDL_SIDE ? result[m] : 0;
}
