/* Sparse symmetric positive definite systems by A = L D Lᵀ. The pattern is analysed once; values may change and be
 * factored again, and many right-hand sides solved, without allocating. */
#ifndef LINALG_LDL_H
#define LINALG_LDL_H

#include "base/memory.h"
#include "math/vec3.h"

typedef struct ldl ldl;

/* The pattern of all entries beside the diagonal, both (i, j) and (j, i): row i has columns[e] for e in
 * [offsets[i], offsets[i + 1]). Entries (i, i) are ignored, repeated ones are added up. The arrays must outlive it. */
ruga_status ldl_create(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                       ldl **out);
void ldl_destroy(ldl *f); /* NULL is fine */

/* Values by the places of `columns`; diagonal (count). RUGA_ERROR_INPUT when the matrix is not positive definite; it
 * has to be factored again before it solves. */
ruga_status ldl_factor(ldl *f, const double *values, const double *diagonal);

/* The row of A whose pivot made the last factorisation fail. */
size_t ldl_failed_row(const ldl *f);

/* x becomes A⁻¹ x for three right-hand sides at once. */
void ldl_solve(ldl *f, vec3 *x);

size_t ldl_entry_count(const ldl *f); /* of L */

#endif
