/* The closest point of a triangle to the origin, in double.
 *
 * The least of four candidates: the closest point of each side, and the foot of the perpendicular where it falls
 * inside. Each candidate is a point of the triangle, so a badly computed one (a sliver, no area at all) loses against
 * a better one and never counts as nearer than it is; a side is measured from its nearer end, so two triangles that
 * share it find the same number, bit for bit. Vertices may coincide. bvh_kernels.c does the same four at a time, by
 * the same operations in the same order.
 */
#ifndef GEOM_CLOSEST_H
#define GEOM_CLOSEST_H

#include "math/vec3.h"

/* Closest point of a side from p to q; weights of p and q. Returns the squared distance. */
static inline double closest_on_side(vec3 p, vec3 q, double weights[2]) {
    vec3 side = vec3_sub(q, p);
    int near_p = vec3_length2(p) <= vec3_length2(q);
    vec3 start = near_p ? p : q;
    double length2 = vec3_length2(side), t = length2 > 0 ? -vec3_dot(start, side) / length2 : 0;
    double low = near_p ? 0 : -1, high = near_p ? 1 : 0;
    t = t > low ? t : low;
    t = t < high ? t : high;
    if (!(length2 > 0)) t = 0;
    weights[1] = near_p ? t : 1 + t;
    weights[0] = near_p ? 1 - t : -t;
    return vec3_length2(vec3_add_scaled(start, side, t));
}

/* Weights of a, b and c; returns the squared distance. */
static inline double closest_on_triangle(vec3 a, vec3 b, vec3 c, double weights[3]) {
    double side[3][2];
    double best = closest_on_side(a, b, side[0]);
    weights[0] = side[0][0], weights[1] = side[0][1], weights[2] = 0;
    double distance2 = closest_on_side(b, c, side[1]);
    if (distance2 < best) best = distance2, weights[0] = 0, weights[1] = side[1][0], weights[2] = side[1][1];
    distance2 = closest_on_side(c, a, side[2]);
    if (distance2 < best) best = distance2, weights[0] = side[2][1], weights[1] = 0, weights[2] = side[2][0];

    // The foot of the perpendicular, a + v ab + w ac.
    vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), normal = vec3_cross(ab, ac), turned = vec3_cross(normal, a);
    double area2 = vec3_length2(normal);
    double v = -vec3_dot(ac, turned) / area2, w = vec3_dot(ab, turned) / area2;
    if (v > 0 && w > 0 && v + w < 1) {
        distance2 = vec3_length2(vec3_add_scaled(vec3_add_scaled(a, ab, v), ac, w));
        if (distance2 < best) best = distance2, weights[0] = 1 - v - w, weights[1] = v, weights[2] = w;
    }
    return best;
}

#endif
