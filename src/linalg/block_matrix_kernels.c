/* Products with block matrices: a block's columns times the coordinates, three sums side by side. */
#include "linalg/block_matrix_kernels.h"

#include "math/simd.h"

void ISA_NAME(block_matrix_rows)(const block_matrix *matrix, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        f64x4 x = f64x4_set(0), y = x, z = x;
        const double *block = matrix->blocks + BLOCK_NUMBERS * (size_t)matrix->offsets[i];
        for (size_t e = matrix->offsets[i]; e < matrix->offsets[i + 1]; e++, block += BLOCK_NUMBERS) {
            const vec3 *p = &in[matrix->columns[e]];
            /* The fourth number of a load belongs to the next column, and its sum is never stored. */
            x = f64x4_add(x, f64x4_mul(f64x4_load(block), f64x4_set(p->x)));
            y = f64x4_add(y, f64x4_mul(f64x4_load(block + 3), f64x4_set(p->y)));
            z = f64x4_add(z, f64x4_mul(f64x4_load(block + 6), f64x4_set(p->z)));
        }
        f64x4_store3(&out[i].x, f64x4_add(f64x4_add(x, y), z));
    }
}
