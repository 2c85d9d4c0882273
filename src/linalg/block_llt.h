/* Symmetric positive definite systems of 3 x 3 blocks by A = L Lᵀ, for matrices that are factored and solved with many
 * times: shells, flesh.
 *
 * The pattern is analysed once: an order of elimination (linalg/dissect.h), the tree of supernodes, and a place for
 * everything. Values may then change, be factored again and solved with, without allocating. Threads share the
 * subtrees, and the large fronts near the root; the result is bit-identical for any number of them.
 *
 *     block_llt *f;
 *     TRY(block_llt_create(context, matrix->point_count, matrix->offsets, matrix->columns, &f));
 *     double shift = 0;
 *     while (!block_llt_factor(f, matrix->blocks, shift, areas)) shift = shift > 0 ? 2 * shift : least;
 *     block_llt_solve(f, x);
 */
#ifndef LINALG_BLOCK_LLT_H
#define LINALG_BLOCK_LLT_H

#include "base/memory.h"
#include "math/vec3.h"

typedef struct block_llt block_llt;

/* The pattern of linalg/block_matrix.h: row i has columns[e] for e in [offsets[i], offsets[i + 1]), both (i, j) and
 * (j, i), and the diagonal; none twice. It is copied. RUGA_ERROR_INPUT when a row lacks its diagonal. */
ruga_status block_llt_create(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                             block_llt **out);
/* The same if a factorisation takes fewer operations than most_work; else *out is NULL, and the numbers of L were never
 * allocated. *work: the operations (block_llt_size), in both cases. */
ruga_status block_llt_create_below(ruga_context *context, size_t count, const uint32_t *offsets,
                                   const uint32_t *columns, double most_work, double *work, block_llt **out);
void block_llt_destroy(block_llt *f); /* NULL is fine */

/* Factors A + shift D. blocks: (entries x 9) as block_matrix has them. D is diagonal with weights[i] at the three
 * unknowns of point i, (count); NULL: the identity. Returns 0 when the sum is not positive definite: a pivot has to
 * exceed 1e-14 times its diagonal. Rounding decides about a singular matrix. After a failure it has to be factored
 * again before it solves. */
int block_llt_factor(block_llt *f, const double *blocks, double shift, const double *weights);

/* After a factorisation that failed: the unknown, 3 point + axis, whose pivot was not positive. Of several, which one
 * does not depend on the number of threads. */
size_t block_llt_failed_row(const block_llt *f);

/* x becomes A⁻¹ x; (count). */
void block_llt_solve(block_llt *f, vec3 *x);

/* The same for several right-hand sides, one after another: (sides x 3 count). Faster than one by one from two on. */
void block_llt_solve_many(block_llt *f, size_t sides, double *x);

/* ---- Saddle points [A Hᵀ; H -ε]: a definite A and constraints H, in one factor L D Lᵀ. Every constraint is eliminated
 * behind all of its points, where its pivot is negative: the signs of D are known, and no pivot is searched for. So a
 * constraint costs as much as the points around it, however many there are; where each touches most points, as
 * eigenvectors do, linalg/block_llt_schur.h takes less memory. A need only be definite where it must: on vectors of the
 * null space of H, and on those of parts of the tree.
 *
 * Row i of H has row_weights[e] times the 3 x 3 identity at points[e] for e in [offsets[i], offsets[i + 1]), no point
 * twice. Its pattern is copied. */
typedef struct block_llt_rows {
    size_t count;
    const uint32_t *offsets, *points;
} block_llt_rows;
ruga_status block_llt_create_saddle(ruga_context *context, size_t count, const uint32_t *offsets,
                                    const uint32_t *columns, const block_llt_rows *rows, block_llt **out);
/* softness: ε. A positive one makes up for constraints that depend on each other. */
int block_llt_factor_saddle(block_llt *f, const double *blocks, double shift, const double *weights,
                            const double *row_weights, double softness);
/* x, (count), and y, (rows), become the solution of A x + Hᵀy = x, H x - ε y = y. */
void block_llt_solve_saddle(block_llt *f, vec3 *x, vec3 *y);

typedef struct block_llt_size {
    double entries; /* of L, without zeros that padding and merging add */
    double stored;  /* numbers that are stored */
    double work;    /* operations of one factorisation */
    size_t supernodes;
    size_t tasks; /* subtrees, or groups of them, that threads share */
} block_llt_size;
block_llt_size block_llt_measure(const block_llt *f);

#endif
