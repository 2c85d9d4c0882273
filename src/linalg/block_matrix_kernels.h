/* Products with block matrices, one version per instruction set; all give the same bits. */
#ifndef LINALG_BLOCK_MATRIX_KERNELS_H
#define LINALG_BLOCK_MATRIX_KERNELS_H

#include "base/isa.h"
#include "linalg/block_matrix.h"

/* Rows [begin, end) of out = A in. */
ISA_DECLARE(void, block_matrix_rows, (const block_matrix *matrix, const vec3 *in, vec3 *out, size_t begin, size_t end));

#endif
