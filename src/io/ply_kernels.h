/* The two layouts that nearly all large PLY files have, as tight loops. */
#ifndef IO_PLY_KERNELS_H
#define IO_PLY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"

/* 32-bit floats in the machine's order, at any address, to doubles. */
ISA_DECLARE(void, ply_floats_to_doubles, (const unsigned char *from, size_t count, double *to));

/* Faces as 13 bytes: a count and three 32-bit vertices. Copies rows until one whose count is not 3, at most `rows`;
 * returns how many; *highest becomes at least the greatest vertex among them. */
ISA_DECLARE(size_t, ply_copy_triangles, (const unsigned char *from, size_t rows, uint32_t *to, uint32_t *highest));

#endif
