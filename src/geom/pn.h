/* Curved PN triangles (Vlachos et al. 2001): the cubic Bézier patch of the corners' positions and normals, with hard
 * edges.
 *
 * A patch deviates from its flat triangle by six bends, one for each control point on its sides: three times that
 * point's displacement from the straight side. The one in the middle moves by a quarter of the sum of these
 * displacements. With weights u at corners i, j, k,
 *
 *     displacement = Σ over i, j of u_i u_j (u_i + u_k / 2) b_ij,      b_ij = -((x_j - x_i) . n_i) n_i
 *
 * Along a hard edge both sides use the line in which the planes of their normals meet:
 *
 *     b_ij = t (t . (x_j - x_i)) - (x_j - x_i),      t = n_i x m_i, normalised; m_i the other side's normal
 *
 * attachment_kernels.c has the same patches without hard edges for many points at a time, in float. */
#ifndef GEOM_PN_H
#define GEOM_PN_H

#include <math.h>

#include "math/vec3.h"

#define PN_SMALL_SINE2 1e-3 /* squared sine between the normals of two sides: below it the edge becomes straight */

/* along: from the corner to the other end of the side, m; normal: unit. */
static inline vec3 pn_bend(vec3 along, vec3 normal) { return vec3_scale(normal, -vec3_dot(along, normal)); }

/* The same of a hard edge; across: the unit normal of the other side. Both sides give the same bits. */
static inline vec3 pn_bend_hard(vec3 along, vec3 normal, vec3 across) {
    const vec3 line = vec3_cross(normal, across);
    const double sine2 = vec3_length2(line), part = vec3_dot(along, line) / fmax(sine2, PN_SMALL_SINE2);
    return vec3_sub(vec3_scale(line, part), vec3_scale(along, fmin(1, sine2 / PN_SMALL_SINE2)));
}

/* m, from the flat triangle. bends: of the control points next to corner i, towards the next corner and towards the one
 * before; weights: of the corners. */
static inline vec3 pn_displacement(const vec3 bends[3][2], const double weights[3]) {
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        const double u = weights[i], next = weights[(i + 1) % 3], before = weights[(i + 2) % 3];
        const vec3 to_next = vec3_scale(bends[i][0], u * (next * (u + 0.5 * before)));
        const vec3 to_before = vec3_scale(bends[i][1], u * (before * (u + 0.5 * next)));
        sum = vec3_add(sum, vec3_add(to_next, to_before));
    }
    return sum;
}

#endif
