/* The loops over chunks of a two-level preconditioner, one version per instruction set; all give the same bits. */
#ifndef LINALG_TWO_LEVEL_KERNELS_H
#define LINALG_TWO_LEVEL_KERNELS_H

#include "base/isa.h"
#include "linalg/two_level_parts.h"

/* The rows of an aggregate in single precision. */
ISA_DECLARE(void, two_level_convert, (two_level * self, size_t aggregate));
/* Their products with P, and the aggregate's row of PᵀAP where its factor reads it. */
ISA_DECLARE(void, two_level_rows, (two_level * self, size_t aggregate));
/* The product of a row with P of its own aggregate, which has the block on the diagonal. */
ISA_DECLARE(void, two_level_own_product, (two_level * self, size_t place));

/* z = (D + U)⁻¹ (scale in) for the places [begin, end) of a chunk, from the last on. */
ISA_DECLARE(void, two_level_backward, (two_level * self, const vec3 *in, double scale, size_t begin, size_t end));
/* r = scale in - A z after that, and Pᵀ r of the aggregate. */
ISA_DECLARE(void, two_level_restrict, (two_level * self, size_t aggregate));
/* z += P c + (D + L)⁻¹ (r - A P c) for the aggregates [begin, end) of a chunk, and out = z / scale. */
ISA_DECLARE(void, two_level_forward, (two_level * self, vec3 *out, double inverse_scale, size_t begin, size_t end));

#endif
