/* Products with block matrices. Assembly: a block's nine numbers as two vectors of four and one number. */
#include "linalg/block_matrix_kernels.h"

#include "math/simd.h"

#define PREFETCHED (48 * BLOCK_NUMBERS) /* numbers ahead: the processor's own prefetching ends with each page */

/* Eight products at a time: a block's first eight numbers by columns, times x three times, y three times and z twice;
 * the ninth is left. */
void ISA_NAME(block_matrix_rows)(const block_matrix *matrix, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    const uint32_t *offsets = matrix->offsets, *columns = matrix->columns;
    const double *block = matrix->blocks + BLOCK_NUMBERS * (size_t)offsets[begin];
    for (size_t i = begin; i < end; i++) {
        f64x8 sums = f64x8_set(0);
        double last = 0, s[8];
        for (size_t e = offsets[i]; e < offsets[i + 1]; e++, block += BLOCK_NUMBERS) {
            const vec3 *p = &in[columns[e]];
            simd_prefetch(block + PREFETCHED);
            simd_prefetch(block + PREFETCHED + 8);
            sums = f64x8_add(sums, f64x8_mul(f64x8_load(block), f64x8_thirds(&p->x)));
            last += block[8] * p->z;
        }
        f64x8_store(s, sums);
        out[i] = (vec3){(s[0] + s[3]) + s[6], (s[1] + s[4]) + s[7], (s[2] + s[5]) + last};
    }
}

/* The first four numbers, the next four and the last. */
typedef struct nine {
    f64x4 first, second;
    double last;
} nine;

static inline nine nine_load(const double *p) { return (nine){f64x4_load(p), f64x4_load(p + 4), p[8]}; }

static inline nine nine_mul(nine a, nine b) {
    return (nine){f64x4_mul(a.first, b.first), f64x4_mul(a.second, b.second), a.last * b.last};
}

static inline void nine_add_to(double *p, nine a) {
    f64x4_store(p, f64x4_add(f64x4_load(p), a.first));
    f64x4_store(p + 4, f64x4_add(f64x4_load(p + 4), a.second));
    p[8] += a.last;
}

static inline int is_within(const element_range *range, uint32_t point) {
    return point >= range->begin && point < range->end;
}

/* Blocks are stored column by column: that of (a, b) is the product of v_a repeated and of each number of v_b three
 * times. */
void ISA_NAME(block_matrix_squares)(const element_range *range, const vec3 *vectors) {
    size_t corners = range->corners;
    for (size_t k = 0; k < range->count; k++) {
        size_t first = corners * range->elements[k];
        nine columns[BLOCK_MOST_CORNERS];
        for (size_t b = 0; b < corners; b++) {
            vec3 v = vectors[first + b];
            const double numbers[BLOCK_NUMBERS] = {v.x, v.x, v.x, v.y, v.y, v.y, v.z, v.z, v.z};
            columns[b] = nine_load(numbers);
        }
        for (size_t a = 0; a < corners; a++) {
            if (!is_within(range, range->points[first + a])) continue;
            vec3 v = vec3_scale(vectors[first + a], range->scale);
            const double numbers[BLOCK_NUMBERS] = {v.x, v.y, v.z, v.x, v.y, v.z, v.x, v.y, v.z};
            nine row = nine_load(numbers);
            const uint32_t *entries = range->entries + corners * (first + a);
            for (size_t b = 0; b < corners; b++)
                nine_add_to(range->blocks + BLOCK_NUMBERS * (size_t)entries[b], nine_mul(row, columns[b]));
        }
    }
}

void ISA_NAME(block_matrix_element)(const element_range *range, size_t element, const mat3 *blocks) {
    size_t corners = range->corners, first = corners * element;
    nine scale = {f64x4_set(range->scale), f64x4_set(range->scale), range->scale};
    for (size_t a = 0; a < corners; a++) {
        if (!is_within(range, range->points[first + a])) continue;
        const uint32_t *entries = range->entries + corners * (first + a);
        for (size_t b = 0; b < corners; b++) {
            double *at = range->blocks + BLOCK_NUMBERS * (size_t)entries[b];
            const mat3 *block = &blocks[a <= b ? corners * a + b : corners * b + a];
            double turned[BLOCK_NUMBERS];
            for (int k = 0; a < b && k < BLOCK_NUMBERS; k++) turned[k] = block->at[k % 3][k / 3];
            nine_add_to(at, nine_mul(scale, nine_load(a < b ? turned : &block->at[0][0])));
        }
    }
}

void ISA_NAME(block_matrix_numbers)(const element_range *range, size_t element, const double *numbers) {
    size_t corners = range->corners, first = corners * element;
    nine scale = {f64x4_set(range->scale), f64x4_set(range->scale), range->scale};
    for (size_t a = 0; a < corners; a++) {
        if (!is_within(range, range->points[first + a])) continue;
        const uint32_t *entries = range->entries + corners * (first + a);
        for (size_t b = 0; b < corners; b++)
            nine_add_to(range->blocks + BLOCK_NUMBERS * (size_t)entries[b],
                        nine_mul(scale, nine_load(numbers + BLOCK_NUMBERS * (corners * a + b))));
    }
}
