/* A preconditioner that scales: two levels of aggregates with rigid motions, for block matrices.
 *
 * The points are grouped into aggregates along the matrix's graph. The coarse level has the six rigid motions of every
 * aggregate at the current positions, orthonormal, as the columns of P; they span what smoothing reaches only slowly.
 * One application to a residual r is a V-cycle:
 *
 *     backward Gauss-Seidel from zero, z += P (PᵀAP)⁻¹ Pᵀ (r - A z), forward Gauss-Seidel
 *
 * in single precision, with PᵀAP factored exactly (linalg/block_ldl.h). Gauss-Seidel runs within chunks of neighbouring
 * aggregates, whatever the number of threads. Between chunks it is Jacobi's iteration, with a larger diagonal where
 * elements have more than two corners, or where entries are large (two_level_refresh.c has both bounds), so that the
 * cycle is symmetric and positive definite wherever the matrix is a sum of masses and positive semidefinite elements.
 *
 * Aggregates, patterns and the order of elimination depend on the matrix's pattern alone and are kept; the numbers are
 * made again for each matrix. Directions in which points are held are left out on both levels: the result is zero
 * there.
 */
#ifndef LINALG_TWO_LEVEL_H
#define LINALG_TWO_LEVEL_H

#include "linalg/block_matrix.h"

typedef struct two_level two_level;

/* How a point may move. */
typedef enum two_level_freedom { TWO_LEVEL_FREE, TWO_LEVEL_PLANE, TWO_LEVEL_FIXED } two_level_freedom;
typedef struct two_level_hold {
    two_level_freedom freedom;
    vec3 normal; /* 1, of the plane */
    double drag; /* kg, added to the matrix in the free directions */
} two_level_hold;
/* Called by several threads at once. */
typedef void two_level_hold_function(const void *user, size_t point, two_level_hold *out);

/* Which points may be of one aggregate: those that are joined. Neighbours of point i are columns[e] for e in
 * [offsets[i], offsets[i + 1]); symmetric. */
typedef struct two_level_graph {
    const uint32_t *offsets, *columns;
} two_level_graph;

/* For matrices of this one's pattern, which must outlive it. aggregate_size 0: chosen by the number of points. graph
 * NULL: the matrix's. */
ruga_status two_level_create(const block_matrix *matrix, const two_level_graph *graph, size_t aggregate_size,
                             two_level **out);
void two_level_destroy(two_level *self); /* NULL is fine */

/* Bounds the entries between chunks by their numbers, from the next refresh on: tighter than by corners, where elements
 * have four or more, as in solids and bound steps. Not with two_level_change_diagonal. */
void two_level_bound_by_numbers(two_level *self);

/* Takes the matrix's numbers and the rigid motions at these positions, m. holds NULL: every point is free. Allocates
 * nothing. Returns 0 when the coarse matrix is not positive definite, as the matrix is then not either, to rounding;
 * another preconditioner has to be used. */
int two_level_refresh(two_level *self, const vec3 *positions, two_level_hold_function *holds, const void *user);

/* After that for other holds, and where the matrix has other blocks on the diagonal (two_level_change_diagonal), with
 * the same result as two_level_refresh: makes again only what depends on them. keeps_coarse: where only blocks have
 * changed, the smoother follows them and the coarse matrix stays as it is. The cycle is still symmetric and definite,
 * and the factor, which costs as much as several iterations, is spared. */
int two_level_change(two_level *self, int keeps_coarse, two_level_hold_function *holds, const void *user);
void two_level_change_diagonal(two_level *self, size_t point); /* before it, for each such point */

/* out = P in, for (points); symmetric, positive definite in free directions, zero in held ones. */
void two_level_apply(two_level *self, const vec3 *in, vec3 *out);

/* The coarse level alone, out = P (PᵀAP)⁻¹ Pᵀ in: exact for motions that are rigid within every aggregate. */
void two_level_apply_coarse(two_level *self, const vec3 *in, vec3 *out);

#endif
