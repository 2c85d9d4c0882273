/* The reference: Gauss-Seidel over points in the order of their colours, one Newton step each on the bound of the
 * energy while all others are fixed. The energy never rises (except for hinges, whose bound is an estimate). */
#include "solve/compliant_parts.h"

/* Adds the gradients of springs and curvatures at a point, and their part of its block. */
static void add_row(const compliant_rows *rows, const float *points, size_t i, float g[3], float h[6]) {
    const float *p = points + 4 * i;
    for (size_t e = rows->spring_offsets[i]; e < rows->spring_offsets[i + 1]; e++) {
        const float *other = points + 4 * (size_t)rows->spring_others[e];
        float d[3] = {p[0] - other[0], p[1] - other[1], p[2] - other[2]};
        float squared = compliant_dot(d, d), k = rows->stiffness[e], rest = rows->lengths[e];
        float length = fmaxf(sqrtf(squared), COMPLIANT_TINY), inverse = 1 / length;
        float pull = k * (length - rest) * inverse + rows->spring_links[e];
        for (int x = 0; x < 3; x++) g[x] += pull * d[x];
        compliant_add_spring(h, d, length, inverse, rest, k, rows->reaches[i]);
    }
    for (size_t e = rows->link_offsets[i]; e < rows->link_offsets[i + 1]; e++) {
        const float *other = points + 4 * (size_t)rows->link_others[e];
        for (int x = 0; x < 3; x++) g[x] += rows->links[e] * (p[x] - other[x]);
    }
    for (int x = 0; x < 3; x++) h[x] += rows->diagonal[i];
}

/* The gradients of curvatures with all points on their anchors. */
static void find_bias(compliant *c, const float *anchors) {
    const compliant_rows *rows = &c->rows;
    for (size_t i = 0; i < c->def.point_count; i++) {
        const float *a = anchors + 4 * i;
        float *b = c->bias + 4 * i;
        b[0] = b[1] = b[2] = 0;
        for (size_t e = rows->spring_offsets[i]; e < rows->spring_offsets[i + 1]; e++)
            for (int x = 0; x < 3; x++)
                b[x] += rows->spring_links[e] * (a[x] - anchors[4 * (size_t)rows->spring_others[e] + (size_t)x]);
        for (size_t e = rows->link_offsets[i]; e < rows->link_offsets[i + 1]; e++)
            for (int x = 0; x < 3; x++)
                b[x] += rows->links[e] * (a[x] - anchors[4 * (size_t)rows->link_others[e] + (size_t)x]);
    }
}

static void add_hinges(const compliant *c, const float *points, size_t i, float g[3], float h[6]) {
    for (size_t e = c->rows.hinge_offsets[i]; e < c->rows.hinge_offsets[i + 1]; e++) {
        uint32_t corner = c->rows.hinge_corners[e];
        float pull[4];
        compliant_hinge_pull(c->hinges + corner / 4, points, (int)(corner % 4), pull);
        for (int x = 0; x < 3; x++) {
            g[x] += pull[x];
            h[x] += pull[3];
        }
    }
}

/* Moves one point; returns its squared displacement. */
static float visit(const compliant *c, const sweep_limits *limits, float *points, size_t i) {
    float *p = points + 4 * i, g[3] = {0, 0, 0}, h[6] = {0, 0, 0, 0, 0, 0}, inverse[7], to[3];
    add_row(&c->rows, points, i, g, h);
    for (int x = 0; x < 3; x++) g[x] -= c->bias[4 * i + (size_t)x];
    const float *n = limits->normals ? limits->normals + 4 * i : NULL;
    if (c->foundations) {
        const float *a = limits->anchors + 4 * i;
        float o[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
        compliant_add_hold(g, o, n, c->foundations[i], c->def.slide_stiffness);
        compliant_add_foundation(h, n, c->foundations[i], c->def.slide_stiffness);
    }
    if (c->hinges) add_hinges(c, points, i, g, h);
    compliant_invert(h, limits->along_normals ? n : NULL, inverse);
    compliant_step(limits, i, inverse, c->rows.reaches[i], g, p, to);
    float move[3];
    for (int x = 0; x < 3; x++) {
        move[x] = to[x] - p[x];
        p[x] = to[x];
    }
    return compliant_dot(move, move);
}

float compliant_run_plain(compliant *c, const sweep_limits *limits, int iterations, float *points) {
    float longest = 0;
    if (c->def.curvature_count > 0) find_bias(c, limits->anchors);
    for (int k = 0; k < iterations; k++) {
        longest = 0;
        for (size_t i = 0; i < c->def.point_count; i++) longest = fmaxf(longest, visit(c, limits, points, c->order[i]));
    }
    return sqrtf(longest);
}
