/* What happens to the points of one term, in scalar arithmetic: the plain loop's whole work, and the fast path's where it has no
 * wide form. */
#ifndef SOLVE_SWEEPS_POINT_H
#define SOLVE_SWEEPS_POINT_H

#include <float.h>
#include <math.h>

#include "solve/sweeps.h"

/* Least square of a length, m²: points that coincide have a finite inverse distance, and a correction of zero. */
#define SWEEP_LEAST_SQUARED FLT_MIN

/* d = (pj - pi) (1 - length / |pj - pi|) stiffness / 2,  pi += d,  pj -= d. half_length: length times half the stiffness. */
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

/* Turns the triangles of a hinge about their edge; nothing happens while one of them has no area. */
void sweep_turn_hinge(const sweep_hinge *hinge, const uint32_t slots[4], float *points);

/* Ball, half-space or line, further planes. */
static inline void sweep_limit_point(const sweep_limits *limits, size_t i, float *p) {
    if (limits->anchors) {
        const float *a = limits->anchors + 4 * i, radius = a[3];
        float x = p[0] - a[0], y = p[1] - a[1], z = p[2] - a[2];
        if (limits->along_normals) {
            const float *n = limits->normals + 4 * i;
            float least = limits->one_sided ? 0.0f : -radius, height = (x * n[0] + y * n[1]) + z * n[2];
            height = height > least ? height : least;
            height = height < radius ? height : radius;
            for (int k = 0; k < 3; k++) p[k] = a[k] + height * n[k];
        } else {
            float squared = (x * x + y * y) + z * z;
            if (squared > radius * radius) {
                float scale = radius / sqrtf(squared);
                p[0] = a[0] + x * scale;
                p[1] = a[1] + y * scale;
                p[2] = a[2] + z * scale;
            }
            if (limits->one_sided && limits->normals) {
                const float *n = limits->normals + 4 * i;
                float depth = ((p[0] - a[0]) * n[0] + (p[1] - a[1]) * n[1]) + (p[2] - a[2]) * n[2];
                depth = depth < 0 ? depth : 0;
                for (int k = 0; k < 3; k++) p[k] -= depth * n[k];
            }
        }
    }
    if (!limits->plane_offsets) return;
    for (size_t e = limits->plane_offsets[i]; e < limits->plane_offsets[i + 1]; e++) {
        const float *plane = limits->planes + 4 * e;
        float depth = ((p[0] * plane[0] + p[1] * plane[1]) + p[2] * plane[2]) - plane[3];
        depth = depth < 0 ? depth : 0;
        for (int k = 0; k < 3; k++) p[k] -= depth * plane[k];
    }
}

#endif
