/* Projections of single terms and points, in scalar arithmetic: the whole plain loop, and the fast path where it is not
 * vectorised. */
#ifndef SOLVE_SWEEPS_POINT_H
#define SOLVE_SWEEPS_POINT_H

#include <float.h>
#include <math.h>

#include "solve/sweeps.h"

/* Least square of a length, m²: points that coincide have a finite inverse distance, and a correction of zero. */
#define SWEEP_LEAST_SQUARED FLT_MIN

/* d = (pj - pi) (1 - length / |pj - pi|) stiffness / 2, pi += d, pj -= d. half_length: length times half the
 * stiffness. */
static inline void sweep_distance(float *pi, float *pj, float half_length, float half_stiffness) {
    float x = pj[0] - pi[0], y = pj[1] - pi[1], z = pj[2] - pi[2];
    float squared = (x * x + y * y) + z * z;
    float distance = sqrtf(squared > SWEEP_LEAST_SQUARED ? squared : SWEEP_LEAST_SQUARED);
    float factor = half_stiffness - half_length / distance;
    pi[0] += x * factor;
    pi[1] += y * factor;
    pi[2] += z * factor;
    pj[0] -= x * factor;
    pj[1] -= y * factor;
    pj[2] -= z * factor;
}

/* Rotates the triangles of a hinge about their edge; does nothing while one of them has no area. */
void sweep_turn_hinge(const sweep_hinge *hinge, const uint32_t slots[4], float *points);

static inline float sweep_dot(const float *a, const float *b) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

/* Onto the line through the anchor along the normal, within the radius; one-sided: not below the anchor. */
static inline void sweep_limit_line(const float *a, const float *n, int one_sided, float *p) {
    float o[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
    float least = one_sided ? 0.0f : -a[3], height = sweep_dot(o, n);
    height = height > least ? height : least;
    height = height < a[3] ? height : a[3];
    for (int k = 0; k < 3; k++) p[k] = a[k] + height * n[k];
}

/* Into the ball. */
static inline void sweep_limit_ball(const float *a, float *p) {
    float o[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]}, squared = sweep_dot(o, o);
    if (!(squared > a[3] * a[3])) return;
    float scale = a[3] / sqrtf(squared);
    for (int k = 0; k < 3; k++) p[k] = a[k] + o[k] * scale;
}

/* To the outer side of the plane through the anchor. */
static inline void sweep_limit_side(const float *a, const float *n, float *p) {
    float o[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]}, depth = sweep_dot(o, n);
    depth = depth < 0 ? depth : 0;
    for (int k = 0; k < 3; k++) p[k] -= depth * n[k];
}

static inline void sweep_limit_anchored(const sweep_limits *limits, size_t i, float *p) {
    const float *a = limits->anchors + 4 * i, *n = limits->normals ? limits->normals + 4 * i : NULL;
    if (n && limits->along_normals) {
        sweep_limit_line(a, n, limits->one_sided, p);
    } else {
        sweep_limit_ball(a, p);
        if (n && limits->one_sided) sweep_limit_side(a, n, p);
    }
}

/* To the outer sides of further planes. */
static inline void sweep_limit_planes(const sweep_limits *limits, size_t i, float *p) {
    for (size_t e = limits->plane_offsets[i]; e < limits->plane_offsets[i + 1]; e++) {
        const float *plane = limits->planes + 4 * e;
        float depth = sweep_dot(p, plane) - plane[3];
        depth = depth < 0 ? depth : 0;
        for (int k = 0; k < 3; k++) p[k] -= depth * plane[k];
    }
}

/* All of its limits. */
static inline void sweep_limit_point(const sweep_limits *limits, size_t i, float *p) {
    if (limits->anchors) sweep_limit_anchored(limits, i, p);
    if (limits->plane_offsets) sweep_limit_planes(limits, i, p);
}

#endif
