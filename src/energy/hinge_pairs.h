/* The couplings of hinges as a matrix.
 *
 * Two hinges i, j of one triangle are coupled by k_ij (energy/hinge.h). Together they have five points, and add
 *
 *     k_ij m'_i m'_j (∇θ_i ∇θ_jᵀ + ∇θ_j ∇θ_iᵀ)
 *
 * to W, with the slopes m' of their turns. With these, a factor is one of all of W: without them W resists twist
 * differently, and conjugate gradients take the longer the finer the mesh is.
 */
#ifndef ENERGY_HINGE_PAIRS_H
#define ENERGY_HINGE_PAIRS_H

#include "energy/hinge.h"

typedef struct hinge_pairs hinge_pairs;

/* The hinges must outlive the pairs. */
ruga_status hinge_pairs_create(const hinges *h, hinge_pairs **out);
void hinge_pairs_destroy(hinge_pairs *p); /* NULL is fine */

ruga_status hinge_pairs_add_pattern(const hinge_pairs *p, block_pattern *pattern);

/* After `linearise` without `definite`: adds scale times the part of W that the `add_matrix` of hinges leaves out. */
void hinge_pairs_add_matrix(const hinge_pairs *p, double scale, block_matrix *matrix);

#endif
