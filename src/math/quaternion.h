/* Quaternions, by value; those of length 1 are turns. */
#ifndef MATH_QUATERNION_H
#define MATH_QUATERNION_H

#include "math/vec3.h"

typedef struct quaternion {
    double w, x, y, z;
} quaternion;

static inline quaternion quaternion_add(quaternion a, double s, quaternion b, double t) {
    return (quaternion){s * a.w + t * b.w, s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}
static inline double quaternion_dot(quaternion a, quaternion b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double quaternion_length(quaternion q) { return sqrt(quaternion_dot(q, q)); }

/* First b, then a. */
static inline quaternion quaternion_multiply(quaternion a, quaternion b) {
    return (quaternion){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* A turn about a unit axis, rad. */
static inline quaternion quaternion_about(vec3 axis, double angle) {
    double s = sin(angle / 2);
    return (quaternion){cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

/* The turn as a matrix, by columns: where it puts x, y and z. */
static inline void quaternion_columns(quaternion q, vec3 columns[3]) {
    columns[0] = (vec3){1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)};
    columns[1] = (vec3){2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)};
    columns[2] = (vec3){2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
}

static inline vec3 quaternion_turn(quaternion q, vec3 p) {
    vec3 axis = {q.x, q.y, q.z}, t = vec3_scale(vec3_cross(axis, p), 2);
    return vec3_add(vec3_add_scaled(p, t, q.w), vec3_cross(axis, t));
}

#endif
