/* On which side a point lies: exact signs for all finite doubles, whatever their scales.
 *
 * A sign is first computed in doubles with a bound of its error (J. R. Shewchuk, "Adaptive Precision Floating-Point
 * Arithmetic and Fast Robust Geometric Predicates", 1997, stage A). Where the bound does not decide, the determinant is
 * computed again with integers of as many digits as it takes, so nothing is rounded, overflows or vanishes. */
#ifndef MATH_EXACT_H
#define MATH_EXACT_H

#include "math/vec3.h"

/* The sign (-1, 0 or 1) of (b - a) x (c - a): 1 when a, b, c turn left. */
int orient2d(const double a[2], const double b[2], const double c[2]);

/* The same for the points seen along an axis (0, 1, 2: x, y, z), so that the sign is that of this component of the
 * vector (b - a) x (c - a). */
int orient_along(int axis, vec3 a, vec3 b, vec3 c);

/* The sign of ((b - a) x (c - a)) · (d - a): 1 when d lies on the side of a, b, c that their normal points to. */
int orient3d(vec3 a, vec3 b, vec3 c, vec3 d);

/* Whether three points lie on one line; two that coincide always do. */
int are_collinear(vec3 a, vec3 b, vec3 c);

#endif
