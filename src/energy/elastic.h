/* Isotropic elastic materials as functions of the singular values of F = U diag(s) Vᵀ (math/svd.h), the last of which
 * is negative where the material is inverted.
 *
 * With Lamé's μ = E / 2(1 + ν) and λ = E ν / (1 + ν)(1 - 2ν), and J = s₁ s₂ s₃, the energy per volume at rest is
 *
 *     corotated     Ψ = μ Σ (s_k - 1)² + λ/2 (Σ s_k - 3)²
 *     neo-Hookean   Ψ = μ/2 (Σ s_k² - 3) - μ (J - 1) + (λ + μ)/2 (J - 1)²     Smith, de Goes and Kim 2018, without
 *                                                                              their logarithm
 *     invertible    Ψ = μ/2 (Σ s_k² - 3) - μ ln J + λ/2 (ln J)²               above a threshold t of every s_k
 *
 * All three are linear elasticity for small strains and are defined for every F. A tetrahedron that is mirrored or
 * flattened returns to rest under each of them. One that is turned inside out (F near -1) or shrunk to a point (F = 0)
 * returns under the first and the third; for the second, a point is another minimum.
 *
 * Invertible is the material of Irving, Teran and Fedkiw 2004, the reference: with c_k = max(s_k, t), stresses below
 * the threshold are those at c plus a linear spring. Their stress has no energy. Here it is the derivative of
 *
 *     Ψ(c) + Σ ∂Ψ/∂s_k(c) (s_k - c_k) + k/2 Σ (s_k - c_k)²,   k = 2μ + λ
 *
 * which adds ∂²Ψ/∂s_j∂s_k (s_k - c_k) to the stresses above the threshold (Stomakhin et al. 2012).
 *
 * Stresses are P = U diag(∂Ψ/∂s) Vᵀ. The derivative of P is known in the frame of U and V, with D = Uᵀ dF V (Smith, de
 * Goes and Kim 2019): a 3 x 3 matrix ∂²Ψ/∂s_i∂s_j on the diagonal of D, and for each pair (i, j) a weight of the
 * symmetric part, "flip" (Ψ_i - Ψ_j) / (s_i - s_j), and of the antisymmetric part, "twist" (Ψ_i + Ψ_j) / (s_i + s_j).
 * These are all eigenvalues but three, so the projection to a positive semidefinite matrix is exact.
 */
#ifndef ENERGY_ELASTIC_H
#define ENERGY_ELASTIC_H

#include "base/context.h"

typedef enum elastic_law { ELASTIC_COROTATED, ELASTIC_NEO_HOOKEAN, ELASTIC_INVERTIBLE } elastic_law;

#define ELASTIC_THRESHOLD 0.2 /* 1: t */

/* RUGA_ERROR_INPUT names the number that is not allowed: E must be positive, ν within (-1, 0.5). */
ruga_status elastic_check(ruga_context *context, double young, double poisson);

typedef struct elastic {
    elastic_law law;
    double shear, bulk; /* Pa: μ and λ */
} elastic;
elastic elastic_make(elastic_law law, double young, double poisson);

/* Pairs (i, j) of singular values, as twists and flips are numbered: pair k is without value k. */
extern const unsigned char elastic_pairs[3][2];

typedef struct elastic_tangent {
    double stretch[3][3];
    double twists[3], flips[3];
} elastic_tangent;

double elastic_density(const elastic *e, const double s[3]);             /* Pa: Ψ */
void elastic_stress(const elastic *e, const double s[3], double out[3]); /* Pa: ∂Ψ/∂s */
/* definite: the nearest positive semidefinite one. */
void elastic_tangent_at(const elastic *e, const double s[3], int definite, elastic_tangent *out);

#endif
