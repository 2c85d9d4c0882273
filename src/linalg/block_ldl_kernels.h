/* The loops of block_ldl.c, one version per instruction set; all give the same bits. Blocks of L are stored transposed
 * and packed, 36 numbers each; reading may pass the end of a block by two numbers. */
#ifndef LINALG_BLOCK_LDL_KERNELS_H
#define LINALG_BLOCK_LDL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"

enum { LDL_PACKED = 36 };

/* scratch[slots[e]] -= y L_eᵀ for the entries of a column; y and the blocks of the scratch have rows of LDL_STRIDE. */
ISA_DECLARE(void, ldl_eliminate,
            (const double *y, const double *entries, const uint32_t *slots, size_t count, double *scratch));
/* Lᵀ = D⁻¹ yᵀ into `entry` and `rounded`, and pivot -= L yᵀ. */
ISA_DECLARE(void, ldl_finish_entry,
            (const double *y, const double *inverse, double *entry, float *rounded, double *pivot));

/* x[slots[e]] -= L_e y for the entries of a column, rows of LDL_STRIDE. */
ISA_DECLARE(void, ldl_forward, (const float *y, const float *entries, const uint32_t *slots, size_t count, float *x));
/* out -= Σ L_eᵀ x[slots[e]] over the entries of a column; the last two numbers of every x are 0. */
ISA_DECLARE(void, ldl_backward,
            (const float *entries, const uint32_t *slots, size_t count, const float *x, float *out));
/* out = D⁻¹ x, the last two numbers 0. */
ISA_DECLARE(void, ldl_diagonal, (const float *inverse, const float *x, float *out));

#endif
