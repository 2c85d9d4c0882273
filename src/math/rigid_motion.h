/* Rigid motions of sets of points: symmetric matrices, their inverses, and the best turn from one set to another. */
#ifndef MATH_RIGID_MOTION_H
#define MATH_RIGID_MOTION_H

#include "math/vec3.h"

/* Eigenvalues and eigenvectors of a symmetric matrix of order n <= 4 (rows of n), by Jacobi's turns: a becomes
 * diagonal, and column k of `vectors` belongs to a[k][k]. They are in no order. */
void symmetric_eigen(int n, double a[4][4], double vectors[4][4]);

typedef struct symmetric3 {
    double xx, yy, zz, xy, xz, yz;
} symmetric3;

static inline vec3 symmetric3_apply(const symmetric3 *a, vec3 x) {
    return (vec3){a->xx * x.x + a->xy * x.y + a->xz * x.z, a->xy * x.x + a->yy * x.y + a->yz * x.z,
                  a->xz * x.x + a->yz * x.y + a->zz * x.z};
}

/* Adds m (|r|² 1 - r rᵀ): what a mass at r adds to an inertia about the origin. */
void symmetric3_add_inertia(symmetric3 *a, double mass, vec3 r);

/* Eigenvalues within rounding of zero (1e-12 of the greatest) have the inverse zero. */
symmetric3 symmetric3_pseudo_inverse(const symmetric3 *a);

/* x -> to + R (x - from), R with these columns. */
typedef struct rigid_motion {
    vec3 from, to, columns[3];
} rigid_motion;

static inline vec3 rigid_motion_apply(const rigid_motion *m, vec3 x) {
    vec3 r = vec3_sub(x, m->from);
    vec3 turned = vec3_add_scaled(vec3_scale(m->columns[0], r.x), m->columns[1], r.y);
    return vec3_add(m->to, vec3_add_scaled(turned, m->columns[2], r.z));
}

/* The motion that takes the points nearest to the others, in least squares (Horn 1987), with the smallest turn where
 * several do: a single point is only moved. `chosen` (count) are the points to take; NULL: 0, 1, 2 … Returns the cosine
 * of half the turn's angle. */
double rigid_motion_fit(size_t count, const uint32_t *chosen, const vec3 *from, const vec3 *to, rigid_motion *out);

#endif
