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

/* The turn whose matrix has these columns, which are orthonormal (Shepperd 1978: from the largest of four terms). */
static inline quaternion quaternion_from_columns(const vec3 c[3]) {
    double squares[4] = {1 + c[0].x + c[1].y + c[2].z, 1 + c[0].x - c[1].y - c[2].z, 1 - c[0].x + c[1].y - c[2].z,
                         1 - c[0].x - c[1].y + c[2].z};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[k]) k = i;
    double s = 0.5 / sqrt(squares[k]), whole = s * squares[k];
    double xy = s * (c[0].y + c[1].x), yz = s * (c[1].z + c[2].y), zx = s * (c[2].x + c[0].z);
    double wx = s * (c[1].z - c[2].y), wy = s * (c[2].x - c[0].z), wz = s * (c[0].y - c[1].x);
    const quaternion turns[4] = {{whole, wx, wy, wz}, {wx, whole, xy, zx}, {wy, xy, whole, yz}, {wz, zx, yz, whole}};
    return turns[k];
}

/* The turn that takes one orthonormal frame to another: Σ toᵢ fromᵢᵀ. */
static inline quaternion quaternion_between(const vec3 from[3], const vec3 to[3]) {
    const vec3 rows[3] = {
        {from[0].x, from[1].x, from[2].x}, {from[0].y, from[1].y, from[2].y}, {from[0].z, from[1].z, from[2].z}};
    vec3 columns[3];
    for (int k = 0; k < 3; k++)
        columns[k] = vec3_add_scaled(vec3_add_scaled(vec3_scale(to[0], rows[k].x), to[1], rows[k].y), to[2], rows[k].z);
    return quaternion_from_columns(columns);
}

static inline vec3 quaternion_turn(quaternion q, vec3 p) {
    vec3 axis = {q.x, q.y, q.z}, t = vec3_scale(vec3_cross(axis, p), 2);
    return vec3_add(vec3_add_scaled(p, t, q.w), vec3_cross(axis, t));
}

#endif
