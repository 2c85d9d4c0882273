/* The common geometry of both kinds of pairs: the differences between points of the first part (vertex or edge) and
 * points of the second (triangle or edge) fill a flat patch, a triangle or a parallelogram, and the gap is the patch's
 * nearest point to the origin.
 *
 *     vertex-triangle   base = x0 - x1, sides x1 - x2 and x1 - x3: base + s side0 + t side1 for s, t >= 0, s + t <= 1
 *     edge-edge         base = x0 - x2, sides x1 - x0 and x2 - x3: base + s side0 + t side1 for 0 <= s, t <= 1
 *
 * Its corners are the differences of vertices; (s, t) give the weights of the vertices.
 */
#ifndef CONTACT_PATCH_H
#define CONTACT_PATCH_H

#include "contact/pairs.h"
#include "math/vec3.h"

typedef struct patch {
    vec3 base, sides[2];
    pair_kind kind;
} patch;

/* The nearest point to the origin. */
typedef struct patch_point {
    double s, t;
    double distance;
    vec3 direction; /* unit; along it every corner is beyond the distance, to a few roundings of the largest corner */
} patch_point;

patch patch_of(pair_kind kind, const vec3 positions[4]);
/* The power of two to scale by when this is the largest coordinate of a patch, which may be infinite: 1 for all usual
 * ones. Scale the patch when it is above 1, the positions when it is below 1: neither overflows. */
double patch_scale(double largest);
/* The largest coordinate must be 0 or between 1e-50 and 1e50: callers scale. */
patch_point patch_nearest(const patch *p);

#endif
