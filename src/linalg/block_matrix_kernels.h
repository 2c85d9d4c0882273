/* Products with block matrices, one version per instruction set; all give the same bits. */
#ifndef LINALG_BLOCK_MATRIX_KERNELS_H
#define LINALG_BLOCK_MATRIX_KERNELS_H

#include "base/isa.h"
#include "linalg/block_matrix.h"

/* Rows [begin, end) of out = A in. */
/* Elements that touch a range of rows, each with its points and the entries of its blocks by rows. */
typedef struct element_range {
    double *blocks; /* of the matrix */
    double scale;
    size_t begin, end; /* rows */
    size_t corners, count;
    const uint32_t *elements, *points, *entries;
} element_range;

/* Adds scale times v vᵀ of each element, for the rows of the range; (elements x corners) vectors v. */
ISA_DECLARE(void, block_matrix_squares, (const element_range *range, const vec3 *vectors));
/* Adds scale times the matrix of one element: its blocks (a, b) with a <= b are blocks[corners a + b]. */
ISA_DECLARE(void, block_matrix_element, (const element_range *range, size_t element, const mat3 *blocks));
/* The same for a whole matrix: that of (a, b) begins at BLOCK_NUMBERS (corners a + b), column by column. */
ISA_DECLARE(void, block_matrix_numbers, (const element_range *range, size_t element, const double *numbers));

ISA_DECLARE(void, block_matrix_rows, (const block_matrix *matrix, const vec3 *in, vec3 *out, size_t begin, size_t end));

#endif
