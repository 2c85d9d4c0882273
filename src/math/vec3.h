/* Vectors of three doubles, by value. */
#ifndef MATH_VEC3_H
#define MATH_VEC3_H

#include <math.h>

#include "ruga/mesh.h"

typedef ruga_vec3 vec3;

static inline vec3 vec3_make(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_scale(vec3 a, double s) { return (vec3){a.x * s, a.y * s, a.z * s}; }
static inline vec3 vec3_add_scaled(vec3 a, vec3 b, double s) {
    return (vec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
static inline vec3 vec3_mix(vec3 a, vec3 b, double t) { return vec3_add_scaled(vec3_scale(a, 1 - t), b, t); }
static inline double vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_length2(vec3 a) { return vec3_dot(a, a); }
static inline double vec3_length(vec3 a) { return sqrt(vec3_dot(a, a)); }
static inline double vec3_distance(vec3 a, vec3 b) { return vec3_length(vec3_sub(a, b)); }
static inline vec3 vec3_min(vec3 a, vec3 b) { return (vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)}; }
static inline vec3 vec3_max(vec3 a, vec3 b) { return (vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}; }
static inline int vec3_is_finite(vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
/* Unit length; (0, 0, 0) stays. */
static inline vec3 vec3_normalise(vec3 a) {
    double length = vec3_length(a);
    return length > 0 ? vec3_scale(a, 1 / length) : (vec3){0, 0, 0};
}

/* The box around points, of which there is at least one. */
static inline void vec3_bounds(const vec3 *points, size_t count, vec3 *low, vec3 *high) {
    *low = *high = points[0];
    for (size_t i = 1; i < count; i++) {
        *low = vec3_min(*low, points[i]);
        *high = vec3_max(*high, points[i]);
    }
}

#endif
