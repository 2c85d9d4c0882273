/* Sparse symmetric positive definite systems of 6 x 6 blocks by A = L D Lᵀ: the coarse level of linalg/two_level.h,
 * whose unknowns are the rigid motions of aggregates.
 *
 * The pattern is analysed once; values may change and be factored again without allocating. Factors are made in double
 * precision, and solve in single: D stays positive, so that the solve is that of a definite matrix whatever the
 * rounding. The elimination tree is cut into tasks that threads work on, the same for any number of them.
 */
#ifndef LINALG_BLOCK_LDL_H
#define LINALG_BLOCK_LDL_H

#include "base/memory.h"

enum {
    LDL_SIDE = 6,                       /* rows of a block */
    LDL_STRIDE = 8,                     /* from one row to the next, of blocks that are being computed */
    LDL_NUMBERS = LDL_SIDE * LDL_STRIDE /* of such a block */
};

typedef struct block_ldl block_ldl;

/* The pattern: row i has columns[e] for e in [offsets[i], offsets[i + 1]), both (i, j) and (j, i), and the diagonal.
 * The arrays must outlive it. */
ruga_status block_ldl_create(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                             block_ldl **out);
void block_ldl_destroy(block_ldl *f); /* NULL is fine */

/* Values by the places of `columns`, LDL_NUMBERS each: row by row, the last two of a row are ignored, and of (i, j) and
 * (j, i) only the one that block_ldl_reads is read. changed: (count) rows whose values are others than those of the
 * last time; the factor is the same as without it, NULL, but only the rows that follow from them are made again.
 * Returns 0 when the matrix is not positive definite; it has to be factored again before it solves. */
int block_ldl_factor(block_ldl *f, const double *values, const unsigned char *changed);
int block_ldl_reads(const block_ldl *f, size_t row, size_t column);

/* x becomes A⁻¹ x; (count x LDL_STRIDE), the last two of each are ignored. */
void block_ldl_solve(block_ldl *f, float *x);

size_t block_ldl_entry_count(const block_ldl *f); /* blocks of L beside the diagonal */

#endif
