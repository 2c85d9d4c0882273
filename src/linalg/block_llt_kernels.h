/* The dense loops of linalg/block_llt.c, one version per instruction set. Bits are the same for AVX2 and AVX-512, whose
 * products are fused, and for the two sets without them.
 *
 * Matrices are in strips of LLT_STRIP rows. Within a strip the rows of column 0 come first, then those of column 1, and
 * so on, so that entry (r, k) is at
 *
 *     (r / LLT_STRIP) stride + LLT_STRIP k + r % LLT_STRIP        stride: numbers from one strip to the next
 *
 * The products of the factor need no other copy of it: a strip gives vectors of rows to one factor of a product, and
 * numbers to multiply them by to the other. Rows and columns are padded with zeros to whole strips.
 *
 * An update, which is symmetric, has its lower triangle alone: strip t has LLT_STRIP (t + 1) columns and begins at
 * llt_triangle(t). */
#ifndef LINALG_BLOCK_LLT_KERNELS_H
#define LINALG_BLOCK_LLT_KERNELS_H

#include <stddef.h>

#include "base/isa.h"

enum { LLT_STRIP = 8, LLT_SQUARE = LLT_STRIP * LLT_STRIP };

/* Numbers of the first t strips of a lower triangle. */
static inline size_t llt_triangle(size_t t) { return LLT_SQUARE / 2 * t * (t + 1); }

/* Factors are L D Lᵀ with D = diag(signs), ±1 each; signs: NULL: ones alone. */

/* The pivots of a front: the strips [first, last) of its panel, of which all columns before LLT_STRIP first are done.
 * limits: what a pivot, or its size where there are signs, has to exceed; inverses and signs out. Columns from
 * `columns` on are padding. Returns the column of the first pivot that does not exceed its limit; SIZE_MAX: none. */
ISA_DECLARE(size_t, llt_pivots,
            (double *panel, size_t stride, size_t columns, size_t first, size_t last, const double *limits,
             double *inverses, double *signs));

/* Solves X D Lᵀ = B in place for the columns of the strips [first, last) of pivots; those before are done. rows:
 * `count` strips of B. */
ISA_DECLARE(void, llt_rows,
            (double *rows, size_t row_stride, size_t count, const double *panel, size_t stride, size_t first,
             size_t last, const double *inverses, const double *signs));

/* The strips [first, last) of an update -= A D Aᵀ, A being `depth` columns of the strips that begin at `rows`. */
ISA_DECLARE(void, llt_update,
            (const double *rows, size_t stride, size_t depth, const double *signs, size_t first, size_t last,
             double *update));

/* out -= X Aᵀ: `count` strips of X with `depth` columns, `strips` strips of A, which become columns of out. */
ISA_DECLARE(void, llt_product,
            (const double *x, size_t x_stride, size_t count, const double *rows, size_t stride, size_t strips,
             size_t depth, double *out, size_t out_stride));

/* out -= X A: columns of X are the rows of A, columns of out those of A, in strips. */
ISA_DECLARE(void, llt_product_back,
            (const double *x, size_t x_stride, size_t count, const double *rows, size_t stride, size_t strips,
             size_t column_strips, double *out, size_t out_stride));

/* Solves X L = B in place for the columns of all `pivot_strips`, from the last to the first. */
ISA_DECLARE(void, llt_rows_back,
            (double *rows, size_t row_stride, size_t count, const double *panel, size_t stride, size_t pivot_strips,
             const double *inverses));

/* One right-hand side. z: LLT_STRIP numbers a strip of the panel. Forward: pivots are solved for, then their products
 * subtracted from the rows of the strips [first, last) below. Backward: `sums` of the pivots of the strips [begin, end)
 * become minus the products with those rows, and then pivots are solved for. sums: (LLT_SQUARE pivot_strips). */
ISA_DECLARE(void, llt_forward,
            (const double *panel, size_t stride, size_t pivot_strips, const double *inverses, double *z));
ISA_DECLARE(void, llt_forward_rows,
            (const double *panel, size_t stride, size_t columns, size_t first, size_t last, double *z));
ISA_DECLARE(void, llt_backward_rows,
            (const double *panel, size_t stride, size_t begin, size_t end, size_t first, size_t last, const double *z,
             double *sums));
ISA_DECLARE(void, llt_backward,
            (const double *panel, size_t stride, size_t pivot_strips, const double *inverses, double *z, double *sums));

#endif
