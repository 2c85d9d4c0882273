/* B = TᵀAT of a block matrix A and a map T, assembled as a block matrix: A in the unknowns of a bound step.
 *
 * Pattern and order of the sums are found once; a refresh adds the numbers up again, in threads, with the same bits for
 * any number of them, and allocates nothing. Squares of vectors over some points, Σ v vᵀ, can be part of A without
 * being in its pattern: elements with more corners than a block matrix takes, such as the folds of creases.
 */
#ifndef LINALG_BLOCK_CONGRUENCE_H
#define LINALG_BLOCK_CONGRUENCE_H

#include "linalg/block_matrix.h"
#include "ruga/map.h"

/* Element e has the points[corners e + k], with the vectors[corners e + k]. */
typedef struct block_squares {
    size_t count, corners;
    const uint32_t *points;
    const vec3 *vectors;
    const struct block_squares *next; /* further elements; NULL: none */
} block_squares;

typedef struct block_congruence block_congruence;

/* Matrix and map must outlive it. squares NULL: none; of them only the points are read. */
ruga_status block_congruence_create(const block_matrix *a, const ruga_map *t, const block_squares *squares,
                                    block_congruence **out);
void block_congruence_destroy(block_congruence *self); /* NULL is fine */

/* B, with the numbers of the last refresh. Whatever is added to them stays until the next. */
block_matrix *block_congruence_matrix(const block_congruence *self);

/* B = Tᵀ (A + scale Σ v vᵀ) T, with the squares' points of the creation and their current vectors. */
void block_congruence_refresh(block_congruence *self, double scale, const block_squares *squares);

#endif
