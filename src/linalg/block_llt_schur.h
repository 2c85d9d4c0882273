/* Schur complements S = H A⁻¹ Hᵀ of a factor of linalg/block_llt.h, for constraints H that each touch a few points,
 * such as clusters over a surface. They are made in the tree of supernodes: a supernode works only on the constraints
 * that touch its subtree.
 *
 * Row i of H has the weight weights[e] times the 3 x 3 identity at points[e] for e in [offsets[i], offsets[i + 1]).
 * S is dense, of `rows` x `rows` blocks of 3 x 3 numbers: block (i, j) is entry i rows + j, as those of
 * linalg/block_matrix.h, and block_llt factors it too. */
#ifndef LINALG_BLOCK_LLT_SCHUR_H
#define LINALG_BLOCK_LLT_SCHUR_H

#include "linalg/block_llt.h"

typedef struct block_llt_schur block_llt_schur;

/* The factor and the arrays must outlive it. A point may be listed twice in a row: its weights are added up. */
ruga_status block_llt_schur_create(block_llt *f, size_t rows, const uint32_t *offsets, const uint32_t *points,
                                   block_llt_schur **out);
void block_llt_schur_destroy(block_llt_schur *c); /* NULL is fine */

/* Of the current factor; out: (rows x rows x 9). Does not allocate. Bit-identical for any number of threads. */
void block_llt_schur_make(block_llt_schur *c, const double *weights, double *out);

#endif
