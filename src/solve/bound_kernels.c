/* The header has what these are. */
#include "solve/bound_kernels.h"

#include "math/simd.h"

static inline f64x4 term(const vec3 *in, const uint32_t *columns, const double *weights, uint32_t e) {
    return f64x4_mul(f64x4_load3(&in[columns[e]].x), f64x4_set(weights[e]));
}

/* A row of `length` entries. Long ones have two sums, since each addition waits for the last. */
static inline f64x4 product(const vec3 *in, const uint32_t *columns, const double *weights, uint32_t length) {
    f64x4 sum = f64x4_set(-0.0), other = sum;
    uint32_t e = 0;
    for (; length > BOUND_SHORT && e + 2 <= length; e += 2) {
        sum = f64x4_add(sum, term(in, columns, weights, e));
        other = f64x4_add(other, term(in, columns, weights, e + 1));
    }
    for (; e < length; e++) sum = f64x4_add(sum, term(in, columns, weights, e));
    return length > BOUND_SHORT ? f64x4_add(sum, other) : sum;
}

static inline void take(f64x4 sum, int is_subtracted, double *out) {
    f64x4_store3(out, is_subtracted ? f64x4_sub(f64x4_load3(out), sum) : sum);
}

/* The rows of one length within [begin, end): their entries follow each other. */
static inline void run_length(const bound_rows *rows, uint32_t length, int is_subtracted, const vec3 *in, vec3 *out,
                              size_t begin, size_t end) {
    size_t first = rows->ends[length - 1] > begin ? rows->ends[length - 1] : begin;
    size_t stop = rows->ends[length] < end ? rows->ends[length] : end;
    const uint32_t *targets = rows->targets, *columns = rows->columns + rows->offsets[first];
    const double *weights = rows->weights + rows->offsets[first];
    for (size_t r = first; r < stop; r++, columns += length, weights += length)
        take(product(in, columns, weights, length), is_subtracted, &out[targets[r]].x);
}

static inline void run(const bound_rows *rows, int is_subtracted, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    run_length(rows, 1, is_subtracted, in, out, begin, end);
    run_length(rows, 2, is_subtracted, in, out, begin, end);
    run_length(rows, 3, is_subtracted, in, out, begin, end);
    run_length(rows, 4, is_subtracted, in, out, begin, end);
    const uint32_t *targets = rows->targets, *offsets = rows->offsets, *columns = rows->columns;
    const double *weights = rows->weights;
    for (size_t r = rows->ends[BOUND_SHORT] > begin ? rows->ends[BOUND_SHORT] : begin; r < end; r++) {
        uint32_t first = offsets[r], length = offsets[r + 1] - first;
        take(product(in, columns + first, weights + first, length), is_subtracted, &out[targets[r]].x);
    }
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

static inline void add_to(vec3 *out, f64x4 sum) { f64x4_store3(&out->x, f64x4_add(f64x4_load3(&out->x), sum)); }

/* A sum that the next run continues stays in a register. */
double ISA_NAME(bound_pairs_gather)(const bound_pairs *pairs, const vec3 *impulses, vec3 *rest) {
    const f64x4 zero = f64x4_set(0);
    f64x4 second = zero, squares = zero;
    uint32_t at = pairs->run_count > 0 ? pairs->runs[0].r[0] : 0;
    for (size_t r = 0; r < pairs->run_count; r++) {
        const bound_pair_run *run = &pairs->runs[r];
        if (run->r[0] != at) add_to(&rest[at], second);
        f64x4 first = run->r[0] == at ? second : zero;
        second = zero;
        for (const bound_pair *p = pairs->pairs + run->begin; p < pairs->pairs + run->end; p++) {
            f64x4 a = f64x4_load3(&impulses[p->a].x), sum = f64x4_add(a, f64x4_load3(&impulses[p->c].x));
            f64x4 left = f64x4_sub(f64x4_mul(sum, f64x4_set(p->share)), a);
            squares = f64x4_add(squares, f64x4_mul(f64x4_mul(sum, sum), f64x4_set(p->inverse)));
            first = f64x4_add(first, f64x4_mul(left, f64x4_set(p->weights[0])));
            second = f64x4_add(second, f64x4_mul(left, f64x4_set(p->weights[1])));
        }
        add_to(&rest[run->r[0]], first);
        at = run->r[1];
    }
    if (pairs->run_count > 0) add_to(&rest[at], second);
    double each[4];
    f64x4_store(each, squares);
    return each[0] + each[1] + each[2];
}

void ISA_NAME(bound_pairs_spread)(const bound_pairs *pairs, const vec3 *rest, const vec3 *impulses, vec3 *changes,
                                  size_t begin, size_t end) {
    for (size_t r = begin; r < end; r++) {
        const bound_pair_run *run = &pairs->runs[r];
        f64x4 first = f64x4_load3(&rest[run->r[0]].x), second = f64x4_load3(&rest[run->r[1]].x);
        for (const bound_pair *p = pairs->pairs + run->begin; p < pairs->pairs + run->end; p++) {
            f64x4 fold =
                f64x4_add(f64x4_mul(first, f64x4_set(p->weights[0])), f64x4_mul(second, f64x4_set(p->weights[1])));
            f64x4 sum = f64x4_add(f64x4_load3(&impulses[p->a].x), f64x4_load3(&impulses[p->c].x));
            f64x4 a = f64x4_add(f64x4_mul(sum, f64x4_set(p->inverse)), f64x4_mul(fold, f64x4_set(p->share - 1)));
            f64x4_store3(&changes[p->a].x, a);
            f64x4_store3(&changes[p->c].x, f64x4_add(a, fold));
        }
    }
}
