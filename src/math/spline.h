/* Cubic curves through points, at knots 0, 1, 2 …, in Hermite's form: on segment i, with 0 ≤ t ≤ 1,
 *
 *     Q(i + t) = h00(t) P_i + h01(t) P_{i+1} + h10(t) m_i + h11(t) m_{i+1}
 *
 * The kind of spline determines the slopes m alone, which are linear in the points.
 */
#ifndef MATH_SPLINE_H
#define MATH_SPLINE_H

#include "math/vec3.h"

typedef enum spline_kind {
    SPLINE_NATURAL = 0, /* C²: of all curves through the points the one of least ∫ |Q''|²; no curvature at its ends */
    SPLINE_CATMULL_ROM /* C¹: m_i = (P_{i+1} − P_{i−1}) / 2; a point moves four segments and no more. Ends as above */
} spline_kind;

/* A kind of curve with a number of points. Closed curves, of at least three points, continue from the last to the
 * first; open ones have at least two. */
typedef struct spline {
    spline_kind kind;
    int closed;
    size_t count;
    const double *factors; /* (2 count), filled by spline_make */
} spline;

/* factors: the caller's memory, (2 count), which the spline keeps. */
spline spline_make(spline_kind kind, int closed, size_t count, double *factors);

static inline size_t spline_segments(const spline *s) { return s->closed ? s->count : s->count - 1; }

/* The slopes at all points. Point i is points[i * stride], and so are the slopes. */
void spline_slopes(const spline *s, const vec3 *points, size_t stride, vec3 *slopes);

/* A place on a curve, and Hermite's weights there. */
typedef struct spline_place {
    uint32_t first, second; /* the points at both ends of the segment */
    double t;
    double value[4]; /* of P_first, P_second, m_first, m_second */
    double slope[4]; /* the derivatives by t */
} spline_place;

/* Number i of `count` places evenly over the curve, ends included (of a closed curve the start only). Where it falls on
 * a point of the curve, the value is bit-identical to that point. count is at least 2. */
spline_place spline_place_at(const spline *s, size_t i, size_t count);

static inline vec3 spline_mix(const double weights[4], vec3 p, vec3 q, vec3 m, vec3 n) {
    vec3 points = vec3_add_scaled(vec3_scale(p, weights[0]), q, weights[1]);
    return vec3_add_scaled(vec3_add_scaled(points, m, weights[2]), n, weights[3]);
}
static inline vec3 spline_value(const spline_place *place, const vec3 *points, const vec3 *slopes, size_t stride) {
    size_t i = place->first * stride, j = place->second * stride;
    return spline_mix(place->value, points[i], points[j], slopes[i], slopes[j]);
}
static inline vec3 spline_slope(const spline_place *place, const vec3 *points, const vec3 *slopes, size_t stride) {
    size_t i = place->first * stride, j = place->second * stride;
    return spline_mix(place->slope, points[i], points[j], slopes[i], slopes[j]);
}

#endif
