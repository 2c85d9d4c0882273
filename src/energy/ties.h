/* Ties: springs without length between two places of a body, each a weighted mean of points. A seam is made of them.
 *
 *     d = Σ w_i x_i - a                 from one place to the other: Σ w_i = 0 and a = 0 within a body;
 *                                       Σ w_i = 1 for a place that is tied to the anchor a outside of it
 *     E = k/2 (|d| - r)²                where |d| > r; else 0: a tie only pulls
 *
 * Force i is -w_i k (|d| - r) n, with n = d / |d|. Within a body the forces sum to zero and act along the line between
 * both places, so they conserve momentum and angular momentum exactly. The Hessian k (n nᵀ + (1 - r/|d|) (1 - n nᵀ)) is
 * positive semidefinite wherever there is force. The rest length r shrinks from the first gap to `closed` while
 * `progress` goes from 0 to 1. Damping is implicit, along n only, so that a body that turns is not slowed: a step of h
 * adds k τ/h n nᵀ to the Hessian of the product (A = M + h² H then has h k τ n nᵀ). */
#ifndef ENERGY_TIES_H
#define ENERGY_TIES_H

#include <stddef.h>
#include <stdint.h>

#include "math/mat3.h"
#include "math/vec3.h"

enum { TIE_POINTS = 6 };

typedef struct tie {
    uint32_t points[TIE_POINTS];
    double weights[TIE_POINTS]; /* sum 0; with an anchor 1 */
    uint32_t count;             /* of the points */
    double stiffness;           /* N/m */
    double gap;                 /* m, at progress 0 */
    vec3 anchor;                /* m; zero: none */
} tie;

typedef struct tie_law {
    double progress;     /* 0…1 */
    double closed;       /* m, rest length at progress 1 */
    double damping_time; /* s, damping over stiffness */
    double dt;           /* s */
} tie_law;

/* From one place, or the anchor, to the other. */
vec3 tie_vector(const tie *t, const vec3 *positions);
/* The rest length, m. */
double tie_rest_length(const tie *t, const tie_law *law);

double ties_energy(const tie *ties, size_t count, const tie_law *law, const vec3 *positions); /* J */
void ties_add_forces(const tie *ties, size_t count, const tie_law *law, const vec3 *positions, vec3 *forces);
/* product += (df/dx) direction; blocks += its diagonal 3 x 3 blocks: with damping, as the implicit step wants them. */
void ties_add_product(const tie *ties, size_t count, const tie_law *law, const vec3 *positions, const vec3 *direction,
                      vec3 *product);
void ties_add_blocks(const tie *ties, size_t count, const tie_law *law, const vec3 *positions, mat3 *blocks);
/* The same Hessian of one tie as three squares, Σ s sᵀ over d: √stiffness times unit vectors, zero without force. */
void tie_squares(const tie *t, const tie_law *law, const vec3 *positions, vec3 out[3]);

#endif
