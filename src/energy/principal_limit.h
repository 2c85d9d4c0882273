/* A strain limit of a sheet in all directions: on the principal strains of a triangle.
 *
 * F = [u v] takes directions of the plane at rest to space (energy/membrane.h). With its singular values σ1 >= σ2 and
 * singular vectors, F = σ1 n1 m1ᵀ + σ2 n2 m2ᵀ, the greatest elongation of any direction is σ1 - 1. Beyond a strain e0
 * the energy per area K (R(σ1 - 1 - e0) + R(σ2 - 1 - e0)) is added, R the integral of r (energy/strain_limit.h). With
 * the tensions f = K r its gradient and Hessian in the space of F are
 *
 *     f1 n1 m1ᵀ + f2 n2 m2ᵀ
 *     f1', f2'                        along n1 m1ᵀ and n2 m2ᵀ
 *     f1 / σ1, f2 / σ2                along n m1ᵀ and n m2ᵀ, n the normal: turning out of the plane
 *     (f1 + f2) / (σ1 + σ2)           along (n1 m2ᵀ - n2 m1ᵀ) / √2: turning in the plane
 *     (f1 - f2) / (σ1 - σ2)           along (n1 m2ᵀ + n2 m1ᵀ) / √2
 *
 * None of these is negative, because r grows with the strain: the Hessian is positive semidefinite as it is. */
#ifndef ENERGY_PRINCIPAL_LIMIT_H
#define ENERGY_PRINCIPAL_LIMIT_H

#include "energy/strain_limit.h"
#include "math/vec3.h"

/* Whether the greatest elongation is above `limit`: whether (1 + limit)² - FᵀF is not positive semidefinite. */
static inline int principal_limit_is_passed(vec3 u, vec3 v, double limit) {
    double most = (1 + limit) * (1 + limit), along = most - vec3_length2(u), across = most - vec3_length2(v);
    double both = vec3_dot(u, v);
    return along < 0 || across < 0 || along * across < both * both;
}

/* σ1 - 1 */
double principal_elongation(vec3 u, vec3 v);

/* F beyond its limit. */
typedef struct principal_strain {
    double turn[2];        /* m1 = (turn[0], turn[1]), m2 = (-turn[1], turn[0]) */
    vec3 directions[2], n; /* n1, n2; the normal */
    double stretches[2];   /* σ */
    limit_law laws[2];
} principal_strain;
principal_strain principal_strain_of(vec3 u, vec3 v, double limit);

/* The gradient over K: of u into *p, of v into *q. */
void principal_strain_gradient(const principal_strain *s, vec3 *p, vec3 *q);

/* Adds scale times the Hessian over K: symmetric uu and vv (xx, yy, zz, xy, xz, yz), and uv by rows. */
void principal_strain_add_hessian(const principal_strain *s, double scale, double uu[6], double vv[6], double uv[9]);

#endif
