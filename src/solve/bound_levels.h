/* Two levels (linalg/two_level.h) for steps that are bound to a subspace x = T y.
 *
 * The coarse level of the preconditioner has the rigid motions of groups of unknowns, so the unknowns have to be
 * places. Those that are points are. The others, such as the fold vectors D of creases, are differences between points:
 * they turn, but do not move along. So each of them is exchanged for a place z beside a point c that it belongs to,
 *
 *     D = (z - c) / l,    y = Q ŷ,    x = T Q ŷ
 *
 * with l the largest weight of D in T. The matrix QᵀTᵀATQ is assembled (linalg/block_congruence.h), and the
 * preconditioner of TᵀAT is Q P Qᵀ, with the two levels P of that matrix.
 */
#ifndef SOLVE_BOUND_LEVELS_H
#define SOLVE_BOUND_LEVELS_H

#include "linalg/block_congruence.h"
#include "linalg/two_level.h"
#include "solve/bound.h"

typedef struct bound_levels bound_levels;

/* space, matrix and the points of the squares must outlive it; squares NULL: none. aggregate_size: as that of
 * two_level_create. */
ruga_status bound_levels_create(const bound *space, const block_matrix *matrix, const block_squares *squares,
                                size_t aggregate_size, bound_levels **out);
void bound_levels_destroy(bound_levels *self); /* NULL is fine */

/* A symmetric block on the diagonal of A or TᵀAT, xx, yy, zz, xy, xz, yz: as it is, what is added to it, and what was
 * in the last round. */
typedef struct point_block {
    uint32_t point; /* or unknown */
    double base[6], more[6], last[6];
} point_block;

/* Takes the numbers of the matrix, of scale times the squares, and of what blocks add. unknowns: (unknowns) y at the
 * current positions. `holds` should leave differences free. Returns 0 as two_level_refresh does. */
int bound_levels_refresh(bound_levels *self, double scale, const block_squares *squares, const point_block *blocks,
                         size_t block_count, const vec3 *unknowns, two_level_hold_function *holds, const void *user);
int bound_levels_change_holds(bound_levels *self, two_level_hold_function *holds, const void *user);

/* out = Q P Qᵀ in, (unknowns) each. locked: (unknowns) whether a difference can't change: it is left out of both. */
void bound_levels_apply(bound_levels *self, const unsigned char *locked, const vec3 *in, vec3 *out);

#endif
