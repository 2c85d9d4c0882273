/* Regular cuts: see refine.h. */
#include "mesh/refine.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

void cut_release(cut *c) {
    RELEASE_ALL(c->context, c->numerators, c->children, c->pattern_of, c->child_offsets);
    *c = (cut){0};
}

/* ---- Making cuts. */

/* The numerators of all local points, and the offsets of every triangle's children. */
static ruga_status complete_cut(const ruga_mesh *mesh, cut *c) {
    c->local_count = ((size_t)c->n + 1) * (c->n + 2) / 2;
    c->triangle_count = mesh->triangle_count;
    TRY(NEW(c->context, &c->numerators, 3 * c->local_count));
    TRY(NEW(c->context, &c->child_offsets, c->triangle_count + 1));
    for (uint32_t j = 0; j <= c->n; j++)
        for (uint32_t i = 0; i + j <= c->n; i++) {
            uint16_t *numerator = c->numerators + 3 * cut_local_point(c->n, i, j);
            numerator[0] = (uint16_t)(c->n - i - j);
            numerator[1] = (uint16_t)i;
            numerator[2] = (uint16_t)j;
        }
    uint64_t sum = 0;
    for (size_t t = 0; t < c->triangle_count; t++) {
        c->child_offsets[t] = (uint32_t)sum;
        sum += cut_pattern_of(c, t)->child_count;
        if (sum > UINT32_MAX / 3)
            return fail_argument(c->context, "the finer mesh would have more than %u triangles, which is the limit",
                                 UINT32_MAX / 3);
    }
    c->child_offsets[c->triangle_count] = (uint32_t)sum;
    return RUGA_OK;
}

static uint16_t *put_child(uint16_t *out, size_t a, size_t b, size_t c) {
    out[0] = (uint16_t)a;
    out[1] = (uint16_t)b;
    out[2] = (uint16_t)c;
    return out + 3;
}

ruga_status cut_regular(const ruga_mesh *mesh, uint32_t n, cut *c) {
    *c = (cut){.context = mesh->context, .n = n};
    TRY(NEW(c->context, &c->children, 3 * (size_t)n * n));
    uint16_t *child = c->children;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i + j < n; i++) {
            size_t right = cut_local_point(n, i + 1, j), up = cut_local_point(n, i, j + 1);
            child = put_child(child, cut_local_point(n, i, j), right, up);
            if (i + j + 1 < n) child = put_child(child, right, cut_local_point(n, i + 1, j + 1), up);
        }
    c->patterns[0] = (cut_pattern){(size_t)n * n, c->children, n > 1 ? 7 : 0, n > 2};
    return complete_cut(mesh, c);
}

/* ---- Patterns for long edges (after Rivara's four-triangle partition). With n = 2 the local points are the corners
 * and the middles of the edges. The quadrilateral left after cutting a corner off is cut along its shorter diagonal.
 * With the longest edge L every new edge is at most sqrt(3)/2 L, so the rounds end. */

enum {
    PATTERN_WHOLE = 0,
    PATTERN_ONE = 1,
    PATTERN_TWO = 4,
    PATTERN_THREE = 10,
    PATTERN_MEDIAN = 11,
    PATTERN_COUNT = 14
};

static const uint8_t corner_local[3] = {0, 2, 5}, middle_local[3] = {1, 4, 3};

/* Edge k is: the only one cut (ONE); the only one not cut, with either diagonal (TWO); the longest of three
 * (MEDIAN). */
static void fill_long_patterns(cut *c) {
    uint16_t *child = c->children;
    size_t ends[PATTERN_COUNT + 1] = {0};
    unsigned edges[PATTERN_COUNT] = {0};
    for (size_t pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        size_t k = pattern < PATTERN_ONE      ? 0
                   : pattern < PATTERN_TWO    ? pattern - PATTERN_ONE
                   : pattern < PATTERN_THREE  ? (pattern - PATTERN_TWO) / 2
                   : pattern < PATTERN_MEDIAN ? 0
                                              : pattern - PATTERN_MEDIAN;
        size_t p = corner_local[k], q = corner_local[(k + 1) % 3], r = corner_local[(k + 2) % 3];
        size_t pq = middle_local[k], qr = middle_local[(k + 1) % 3], rp = middle_local[(k + 2) % 3];
        if (pattern == PATTERN_WHOLE) {
            child = put_child(child, p, q, r);
        } else if (pattern < PATTERN_TWO) {
            child = put_child(put_child(child, p, pq, r), pq, q, r);
            edges[pattern] = 1u << k;
        } else if (pattern < PATTERN_THREE) {
            int from_q = (pattern - PATTERN_TWO) % 2;
            child = put_child(child, qr, r, rp);
            child = put_child(child, p, q, from_q ? rp : qr);
            child = put_child(child, from_q ? q : p, qr, rp);
            edges[pattern] = 7u & ~(1u << k);
        } else {
            child = put_child(put_child(child, p, pq, rp), pq, q, qr);
            int median = pattern >= PATTERN_MEDIAN;
            child = median ? put_child(child, pq, qr, r) : put_child(child, rp, qr, r);
            child = median ? put_child(child, pq, r, rp) : put_child(child, pq, qr, rp);
            edges[pattern] = 7;
        }
        ends[pattern + 1] = (size_t)(child - c->children);
    }
    for (size_t pattern = 0; pattern < PATTERN_COUNT; pattern++)
        c->patterns[pattern] =
            (cut_pattern){(ends[pattern + 1] - ends[pattern]) / 3, c->children + ends[pattern], edges[pattern], 0};
}

/* The pattern for a triangle, by its edges' lengths squared. */
static uint8_t long_pattern(const vec3 p[3], double limit2, double *longest2) {
    double length2[3];
    size_t cut_count = 0, whole = 0, cut_edge = 0, longest = 0;
    for (size_t k = 0; k < 3; k++) {
        length2[k] = vec3_length2(vec3_sub(p[(k + 1) % 3], p[k]));
        if (length2[k] > limit2) {
            cut_count++;
            cut_edge = k;
        } else {
            whole = k;
        }
        if (length2[k] > length2[longest]) longest = k;
    }
    *longest2 = fmax(*longest2, length2[longest]);
    if (cut_count == 0) return PATTERN_WHOLE;
    if (cut_count == 1) return (uint8_t)(PATTERN_ONE + cut_edge);
    if (cut_count == 2) {
        vec3 a = p[whole], b = p[(whole + 1) % 3], c = p[(whole + 2) % 3];
        double from_a = vec3_length2(vec3_sub(vec3_mix(b, c, 0.5), a));
        double from_b = vec3_length2(vec3_sub(vec3_mix(c, a, 0.5), b));
        return (uint8_t)(PATTERN_TWO + 2 * whole + (from_b < from_a));
    }
    vec3 middle = vec3_mix(p[longest], p[(longest + 1) % 3], 0.5);
    double median2 = vec3_length2(vec3_sub(p[(longest + 2) % 3], middle));
    return (uint8_t)(median2 < length2[longest] / 4 ? PATTERN_MEDIAN + longest : PATTERN_THREE);
}

ruga_status cut_long_edges(const ruga_mesh *mesh, double length, cut *c, double *longest) {
    *c = (cut){.context = mesh->context, .n = 2};
    TRY(NEW(c->context, &c->children, 3 * 4 * PATTERN_COUNT));
    TRY(NEW(c->context, &c->pattern_of, mesh->triangle_count));
    fill_long_patterns(c);
    double longest2 = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        vec3 p[3];
        for (size_t k = 0; k < 3; k++) p[k] = mesh->positions[mesh->triangles[3 * t + k]];
        c->pattern_of[t] = long_pattern(p, length * length, &longest2);
    }
    *longest = sqrt(longest2);
    return complete_cut(mesh, c);
}

/* ---- Index triangles. */

void refinement_release(ruga_context *context, refinement *r) {
    index_cut_release(context, &r->cut);
    memory_release(context, r->edge_offsets);
    topology_destroy(r->topo);
    *r = (refinement){0};
}

static int is_single_point(const uint32_t *triangle) {
    return triangle[0] == triangle[1] && triangle[1] == triangle[2];
}

/* Counts the new points of the edges that some triangle cuts. */
static void count_edge_points(const cut *c, const refinement *r) {
    const topology *topo = r->topo;
    memset(r->edge_offsets, 0, (topo->edge_count + 1) * sizeof *r->edge_offsets);
    for (size_t h = 0; h < 3 * c->triangle_count; h++) {
        size_t e = topo->triangle_edges[h];
        int is_cut = cut_pattern_of(c, h / 3)->edges >> (h % 3) & 1;
        if (is_cut && topo->edge_vertices[2 * e] != topo->edge_vertices[2 * e + 1]) r->edge_offsets[e + 1] = c->n - 1;
    }
    for (size_t e = 0; e < topo->edge_count; e++) r->edge_offsets[e + 1] += r->edge_offsets[e];
}

/* The points of a triangle by their local numbers. Inner points are new. */
static void number_local_points(const cut *c, refinement *r, const uint32_t *corners, size_t t, uint32_t *local) {
    const topology *topo = r->topo;
    for (size_t i = 0; i < c->local_count; i++) {
        const uint16_t *w = c->numerators + 3 * i;
        size_t corner = w[0] ? 0 : w[1] ? 1 : 2;
        if (w[corner] == c->n) {
            local[i] = corners[corner];
        } else if (w[0] && w[1] && w[2]) {
            local[i] = is_single_point(corners) ? corners[0] : (uint32_t)(r->old_count + r->cut.source_count);
            if (is_single_point(corners)) continue;
            r->cut.sources[r->cut.source_count++] =
                (index_source){{corners[0], corners[1], corners[2]}, {w[0], w[1], w[2]}};
        } else {
            size_t k = !w[2] ? 0 : !w[0] ? 1 : 2, e = topo->triangle_edges[3 * t + k];
            const uint32_t *ends = topo->edge_vertices + 2 * e;
            uint32_t step = corners[k] == ends[0] ? w[(k + 1) % 3] : w[k];
            local[i] = ends[0] == ends[1] ? corners[k] : (uint32_t)r->old_count + r->edge_offsets[e] + step - 1;
        }
    }
}

static ruga_status fill_refinement(const cut *c, const uint32_t *triangles, refinement *r, uint32_t **local) {
    ruga_context *context = c->context;
    TRY(NEW(context, &r->edge_offsets, r->topo->edge_count + 1));
    count_edge_points(c, r);
    size_t count = r->edge_offsets[r->topo->edge_count], inner = (size_t)(c->n - 1) * (c->n > 1 ? c->n - 2 : 0) / 2;
    for (size_t t = 0; t < c->triangle_count; t++)
        if (cut_pattern_of(c, t)->inner && !is_single_point(triangles + 3 * t)) count += inner;
    if (r->old_count + count >= UINT32_MAX)
        return fail_argument(context, "the finer mesh would have more than 2^32 vertices");
    TRY(NEW(context, &r->cut.sources, count));
    TRY(NEW(context, &r->cut.corners, 3 * (size_t)c->child_offsets[c->triangle_count]));
    TRY(NEW(context, local, c->local_count));
    for (size_t e = 0; e < r->topo->edge_count; e++) {
        const uint32_t *ends = r->topo->edge_vertices + 2 * e;
        for (uint32_t s = 1; s <= r->edge_offsets[e + 1] - r->edge_offsets[e]; s++)
            r->cut.sources[r->cut.source_count++] = (index_source){{ends[0], ends[1], ends[0]}, {c->n - s, s, 0}};
    }
    for (size_t t = 0; t < c->triangle_count; t++) {
        const cut_pattern *pattern = cut_pattern_of(c, t);
        uint32_t *out = r->cut.corners + 3 * (size_t)c->child_offsets[t];
        number_local_points(c, r, triangles + 3 * t, t, *local);
        for (size_t i = 0; i < 3 * pattern->child_count; i++) out[i] = (*local)[pattern->children[i]];
    }
    return RUGA_OK;
}

ruga_status refinement_make(const cut *c, size_t point_count, const uint32_t *triangles, refinement *out) {
    uint32_t *local = NULL; /* the points of one triangle */
    *out = (refinement){.old_count = point_count};
    TRY(topology_build(c->context, point_count, c->triangle_count, triangles, &out->topo));
    ruga_status status = fill_refinement(c, triangles, out, &local);
    memory_release(c->context, local);
    if (RUGA_FAILED(status)) refinement_release(c->context, out);
    return status;
}
