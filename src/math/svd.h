/* Singular values of a 3 x 3 matrix, with rotations:
 *
 *     F = U diag(s) Vᵀ,   det U = det V = 1,   s0 ≥ s1 ≥ |s2|
 *
 * The last value has the sign of det F: a matrix that mirrors keeps rotations, and is mirrored along the direction that
 * is shortest (Irving et al. 2004). By one-sided Jacobi rotations: small values are as accurate as large ones, relative
 * to their own column.
 */
#ifndef MATH_SVD_H
#define MATH_SVD_H

#include "math/mat3.h"

enum { SVD3_SWEEPS = 30 };
#define SVD3_SMALL 1e-15        /* cosine between columns that count as orthogonal */
#define SVD3_LEAST_ACROSS 1e-14 /* of the first value: a second column that is shorter is rounding */

typedef struct svd3 {
    vec3 u[3], v[3]; /* columns */
    double values[3];
} svd3;

svd3 svd3_of(const mat3 *f);

#endif
