/* Products of bindings and of their fits, one version per instruction set; all give the same bits. */
#ifndef SOLVE_BOUND_KERNELS_H
#define SOLVE_BOUND_KERNELS_H

#include "base/isa.h"
#include "math/vec3.h"

enum { BOUND_SHORT = 4 }; /* entries of a short row: at most */

/* Some rows of a sparse matrix: of row r the entries [offsets[r], offsets[r + 1]). Short rows come first, by their
 * length. */
typedef struct bound_rows {
    size_t count;
    size_t ends[BOUND_SHORT + 1]; /* of the rows with at most so many entries */
    uint32_t *targets;            /* (count) where the product of each goes */
    uint32_t *offsets, *columns;  /* (count + 1, entries) */
    double *weights;              /* (entries) */
} bound_rows;

/* out[target] = Σ w in, and out[target] -= Σ w in, for rows [begin, end). */
ISA_DECLARE(void, bound_rows_set, (const bound_rows *rows, const vec3 *in, vec3 *out, size_t begin, size_t end));
ISA_DECLARE(void, bound_rows_subtract, (const bound_rows *rows, const vec3 *in, vec3 *out, size_t begin, size_t end));
/* out = factors in */
ISA_DECLARE(void, bound_scale, (const double *factors, const vec3 *in, vec3 *out, size_t count));

#endif
