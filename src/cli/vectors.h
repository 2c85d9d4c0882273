/* The few operations on vectors that pictures need. */
#ifndef CLI_VECTORS_H
#define CLI_VECTORS_H

#include <math.h>

#include "ruga/ruga.h"

/* a + t b */
static inline ruga_vec3 vec_add(ruga_vec3 a, double t, ruga_vec3 b) {
    return (ruga_vec3){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}
static inline double vec_dot(ruga_vec3 a, ruga_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_length(ruga_vec3 a) { return sqrt(vec_dot(a, a)); }
static inline ruga_vec3 vec_cross(ruga_vec3 a, ruga_vec3 b) {
    return (ruga_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* The unit vector along a, or `otherwise` if a is zero. */
static inline ruga_vec3 vec_unit(ruga_vec3 a, ruga_vec3 otherwise) {
    double length = vec_length(a);
    return length > 0 ? (ruga_vec3){a.x / length, a.y / length, a.z / length} : otherwise;
}
/* Grows a box until it holds a point. */
static inline void box_grow(ruga_vec3 p, ruga_vec3 *low, ruga_vec3 *high) {
    *low = (ruga_vec3){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
    *high = (ruga_vec3){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
}
#define BOX_EMPTY_LOW \
    (ruga_vec3) { INFINITY, INFINITY, INFINITY }
#define BOX_EMPTY_HIGH \
    (ruga_vec3) { -INFINITY, -INFINITY, -INFINITY }

#endif
