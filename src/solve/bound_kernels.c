/* The header has what these are. */
#include "solve/bound_kernels.h"

#include "math/simd.h"

/* Row r of `length` entries. */
static inline f64x4 product(const bound_rows *rows, const vec3 *in, size_t r, uint32_t length) {
    const uint32_t *columns = rows->columns + rows->offsets[r];
    const double *weights = rows->weights + rows->offsets[r];
    f64x4 sum = f64x4_set(-0.0);
    for (uint32_t e = 0; e < length; e++)
        sum = f64x4_add(sum, f64x4_mul(f64x4_load3(&in[columns[e]].x), f64x4_set(weights[e])));
    return sum;
}

static inline void take(f64x4 sum, int is_subtracted, double *out) {
    f64x4_store3(out, is_subtracted ? f64x4_sub(f64x4_load3(out), sum) : sum);
}

/* The rows of one length within [begin, end). */
static inline void run_length(const bound_rows *rows, uint32_t length, int is_subtracted, const vec3 *in, vec3 *out,
                              size_t begin, size_t end) {
    size_t first = rows->ends[length - 1] > begin ? rows->ends[length - 1] : begin;
    size_t stop = rows->ends[length] < end ? rows->ends[length] : end;
    for (size_t r = first; r < stop; r++) take(product(rows, in, r, length), is_subtracted, &out[rows->targets[r]].x);
}

static inline void run(const bound_rows *rows, int is_subtracted, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    run_length(rows, 1, is_subtracted, in, out, begin, end);
    run_length(rows, 2, is_subtracted, in, out, begin, end);
    run_length(rows, 3, is_subtracted, in, out, begin, end);
    run_length(rows, 4, is_subtracted, in, out, begin, end);
    for (size_t r = rows->ends[BOUND_SHORT] > begin ? rows->ends[BOUND_SHORT] : begin; r < end; r++)
        take(product(rows, in, r, rows->offsets[r + 1] - rows->offsets[r]), is_subtracted, &out[rows->targets[r]].x);
}

void ISA_NAME(bound_rows_set)(const bound_rows *rows, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    run(rows, 0, in, out, begin, end);
}

void ISA_NAME(bound_rows_subtract)(const bound_rows *rows, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    run(rows, 1, in, out, begin, end);
}

void ISA_NAME(bound_scale)(const double *factors, const vec3 *in, vec3 *out, size_t count) {
    for (size_t i = 0; i < count; i++) f64x4_store3(&out[i].x, f64x4_mul(f64x4_load3(&in[i].x), f64x4_set(factors[i])));
}
