#include "geom/loop_smooth.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "geom/bvh.h"
#include "geom/hard_edges.h"
#include "geom/intersections.h"
#include "math/vec3.h"
#include "mesh/places.h"

#define STRAIGHT_COSINE (-0.5) /* between two hard edges at a vertex: sharper turns are corners */
#define LARGEST 1e100          /* m, of places that can be added and compared */

void loop_smooth_release(ruga_context *context, loop_smooth *smooth) {
    bvh_destroy(smooth->tree);
    RELEASE_ALL(context, smooth->triangles, smooth->positions, smooth->rest, smooth->values);
    *smooth = (loop_smooth){0};
}

/* ---- One round. */

/* The edges of a surface before a round, and which of them are sharp. */
typedef struct round_of {
    topology *topo;
    uint8_t *sharp;  /* (edges) hard, boundary, or with more than two triangles */
    uint8_t *counts; /* (vertices) sharp edges, at most 3 */
    uint32_t *ends;  /* (vertices x 2) the other ends of the first two */
} round_of;

static void round_release(ruga_context *context, round_of *r) {
    topology_destroy(r->topo);
    RELEASE_ALL(context, r->sharp, r->counts, r->ends);
}

/* sides: (triangles x 3) 1 where the side from corner k to k + 1 is hard. */
static ruga_status round_fill(ruga_context *context, const loop_smooth *s, const uint8_t *sides, round_of *r) {
    TRY(topology_build(context, s->vertex_count, s->triangle_count, s->triangles, &r->topo));
    TRY(NEW_ZEROED(context, &r->sharp, r->topo->edge_count));
    TRY(NEW_ZEROED(context, &r->counts, s->vertex_count));
    TRY(NEW_ZEROED(context, &r->ends, 2 * s->vertex_count));
    for (size_t c = 0; c < 3 * s->triangle_count; c++)
        if (sides[c]) r->sharp[r->topo->triangle_edges[c]] = 1;
    for (size_t e = 0; e < r->topo->edge_count; e++) {
        if (topology_edge_size(r->topo, e) != 2) r->sharp[e] = 1;
        for (size_t k = 0; k < 2 && r->sharp[e]; k++) {
            const uint32_t v = r->topo->edge_vertices[2 * e + k];
            if (r->counts[v] < 2) r->ends[2 * (size_t)v + r->counts[v]] = r->topo->edge_vertices[2 * e + 1 - k];
            if (r->counts[v] < 3) r->counts[v]++;
        }
    }
    return RUGA_OK;
}

/* Vertices keep their places where hard edges meet, or turn sharply at rest. */
static void find_corners(const loop_smooth *s, const round_of *r, uint8_t *corners) {
    for (size_t v = 0; v < s->vertex_count; v++) {
        corners[v] = r->counts[v] > 2;
        if (r->counts[v] != 2) continue;
        const vec3 x = s->rest[v];
        vec3 a = vec3_normalise(vec3_sub(s->rest[r->ends[2 * v]], x));
        vec3 b = vec3_normalise(vec3_sub(s->rest[r->ends[2 * v + 1]], x));
        corners[v] = vec3_dot(a, b) > STRAIGHT_COSINE;
    }
}

/* Loop's rule inside, a cubic B-spline along hard edges. One hard edge that ends at a vertex leaves it smooth. */
static vec3 moved_vertex(const loop_smooth *s, const round_of *r, size_t v) {
    const vec3 x = s->positions[v];
    const size_t begin = r->topo->ring_offsets[v], valence = r->topo->ring_offsets[v + 1] - begin;
    if (r->counts[v] == 2) {
        vec3 ends = vec3_add(s->positions[r->ends[2 * v]], s->positions[r->ends[2 * v + 1]]);
        return vec3_add_scaled(vec3_scale(x, 0.75), ends, 0.125);
    }
    if (r->counts[v] > 2 || valence == 0) return x;
    const double k = (double)valence, c = 3.0 / 8 + cos(2 * acos(-1) / k) / 4, beta = (5.0 / 8 - c * c) / k;
    vec3 ring = {0, 0, 0};
    for (size_t i = 0; i < valence; i++) ring = vec3_add(ring, s->positions[r->topo->ring_vertices[begin + i]]);
    return vec3_add_scaled(vec3_scale(x, 1 - k * beta), ring, beta);
}

static vec3 edge_point(const loop_smooth *s, const round_of *r, size_t e) {
    const uint32_t *v = r->topo->edge_vertices + 2 * e;
    const vec3 ends = vec3_add(s->positions[v[0]], s->positions[v[1]]);
    if (r->sharp[e]) return vec3_scale(ends, 0.5);
    vec3 opposite = {0, 0, 0};
    for (size_t i = 0; i < 2; i++) {
        size_t t = r->topo->edge_triangles[r->topo->edge_offsets[e] + i], k = 0;
        while (r->topo->triangle_edges[3 * t + k] != e) k++;
        opposite = vec3_add(opposite, s->positions[s->triangles[3 * t + (k + 2) % 3]]);
    }
    return vec3_add_scaled(vec3_scale(ends, 0.375), opposite, 0.125);
}

/* Triangle t becomes 4t to 4t + 3: one at each corner, and the middle one. */
static void cut_triangles(const loop_smooth *s, const round_of *r, const uint8_t *sides, loop_smooth *fine,
                          uint8_t *fine_sides) {
    for (size_t t = 0; t < s->triangle_count; t++) {
        uint32_t middle[3];
        for (size_t k = 0; k < 3; k++) middle[k] = (uint32_t)s->vertex_count + r->topo->triangle_edges[3 * t + k];
        for (size_t k = 0; k < 3; k++) {
            const size_t before = (k + 2) % 3, at = 3 * (4 * t + k);
            fine->triangles[at] = s->triangles[3 * t + k];
            fine->triangles[at + 1] = middle[k];
            fine->triangles[at + 2] = middle[before];
            fine_sides[at] = sides[3 * t + k];
            fine_sides[at + 2] = sides[3 * t + before];
        }
        memcpy(fine->triangles + 3 * (4 * t + 3), middle, sizeof middle);
    }
}

static ruga_status allocate(ruga_context *context, int with_values, loop_smooth *s) {
    TRY(NEW(context, &s->triangles, 3 * s->triangle_count));
    TRY(NEW_EACH(context, s->vertex_count, &s->positions, &s->rest));
    return with_values ? NEW(context, &s->values, s->vertex_count) : RUGA_OK;
}

static void fill_vertices(const loop_smooth *s, const round_of *r, const uint8_t *corners, loop_smooth *fine) {
    memcpy(fine->rest, s->rest, s->vertex_count * sizeof *fine->rest);
    if (s->values) memcpy(fine->values, s->values, s->vertex_count * sizeof *fine->values);
    for (size_t v = 0; v < s->vertex_count; v++)
        fine->positions[v] = corners[v] ? s->positions[v] : moved_vertex(s, r, v);
    for (size_t e = 0; e < r->topo->edge_count; e++) {
        const uint32_t *v = r->topo->edge_vertices + 2 * e;
        fine->positions[s->vertex_count + e] = edge_point(s, r, e);
        fine->rest[s->vertex_count + e] = vec3_scale(vec3_add(s->rest[v[0]], s->rest[v[1]]), 0.5);
        if (s->values) fine->values[s->vertex_count + e] = 0.5 * (s->values[v[0]] + s->values[v[1]]);
    }
}

/* Replaces the surface by one with four times the triangles. corners NULL: not found yet. */
static ruga_status refine(ruga_context *context, loop_smooth *s, uint8_t **sides, uint8_t **corners) {
    round_of r = {0};
    loop_smooth fine = {.triangle_count = 4 * s->triangle_count};
    uint8_t *fine_sides = NULL, *fine_corners = NULL;
    ruga_status status = round_fill(context, s, *sides, &r);
    if (!RUGA_FAILED(status) && !*corners) {
        status = NEW(context, corners, s->vertex_count);
        if (!RUGA_FAILED(status)) find_corners(s, &r, *corners);
    }
    if (!RUGA_FAILED(status)) {
        fine.vertex_count = s->vertex_count + r.topo->edge_count;
        status = allocate(context, s->values != NULL, &fine);
    }
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &fine_sides, 3 * fine.triangle_count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &fine_corners, fine.vertex_count);
    if (!RUGA_FAILED(status)) {
        fill_vertices(s, &r, *corners, &fine);
        cut_triangles(s, &r, *sides, &fine, fine_sides);
        memcpy(fine_corners, *corners, s->vertex_count);
        loop_smooth_release(context, s);
        RELEASE_ALL(context, *sides, *corners);
        *s = fine, *sides = fine_sides, *corners = fine_corners;
    } else {
        loop_smooth_release(context, &fine);
        RELEASE_ALL(context, fine_sides, fine_corners);
    }
    round_release(context, &r);
    return status;
}

/* ---- The whole. */

/* The sides of triangles that are hard on the rest mesh. */
static ruga_status find_sides(const ruga_mesh *mesh, double angle, uint8_t *sides) {
    hard_edges hard;
    uint32_t *own;
    TRY(NEW(mesh->context, &own, mesh->vertex_count));
    for (size_t v = 0; v < mesh->vertex_count; v++) own[v] = (uint32_t)v;
    ruga_status status = hard_edges_find(mesh, own, angle, &hard);
    memory_release(mesh->context, own);
    if (RUGA_FAILED(status)) return status;
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) sides[c] = hard.hard[hard.topo->triangle_edges[c]];
    hard_edges_release(mesh->context, &hard);
    return RUGA_OK;
}

static int can_smooth(const ruga_mesh *mesh, const ruga_vec3 *positions) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) return 0;
    }
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!(vec3_length(positions[v]) < LARGEST && vec3_length(mesh->positions[v]) < LARGEST)) return 0;
    return mesh->triangle_count > 0;
}

ruga_status loop_smooth_make(const ruga_mesh *mesh, const ruga_vec3 *positions, const double *values, double angle,
                             int rounds, loop_smooth *out) {
    ruga_context *context = mesh->context;
    loop_smooth s = {.vertex_count = mesh->vertex_count, .triangle_count = mesh->triangle_count};
    uint8_t *sides = NULL, *corners = NULL;
    *out = (loop_smooth){0};
    if (!can_smooth(mesh, positions)) return RUGA_OK;
    ruga_status status = allocate(context, values != NULL, &s);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &sides, 3 * s.triangle_count);
    if (!RUGA_FAILED(status)) {
        memcpy(s.triangles, mesh->triangles, 3 * s.triangle_count * sizeof *s.triangles);
        memcpy(s.positions, positions, s.vertex_count * sizeof *s.positions);
        memcpy(s.rest, mesh->positions, s.vertex_count * sizeof *s.rest);
        if (values) memcpy(s.values, values, s.vertex_count * sizeof *s.values);
        status = find_sides(mesh, angle, sides);
    }
    for (int i = 0; i < rounds && !RUGA_FAILED(status); i++) status = refine(context, &s, &sides, &corners);
    RELEASE_ALL(context, sides, corners);
    RETURN_MADE(status, s, out, loop_smooth_release(context, &s));
}

/* ---- Intersections. */

static ruga_status need_tree(ruga_context *context, loop_smooth *s) {
    if (s->tree) return RUGA_OK;
    return bvh_build(context, s->vertex_count, s->positions, s->triangle_count, 3, s->triangles, &s->tree);
}

ruga_status loop_smooth_intersects(ruga_context *context, loop_smooth *smooth, int *out) {
    intersection_array found = {0};
    uint32_t *welds;
    TRY(need_tree(context, smooth));
    TRY(NEW(context, &welds, smooth->vertex_count));
    ruga_status status = places_find(context, smooth->vertex_count, smooth->rest, welds);
    if (!RUGA_FAILED(status))
        status = intersections_find(context, smooth->vertex_count, smooth->positions, smooth->triangle_count,
                                    smooth->triangles, welds, smooth->tree, &found);
    *out = found.count > 0;
    ARRAY_RELEASE(context, &found);
    memory_release(context, welds);
    return status;
}

enum { BLOCK = 512 }; /* triangles of a task */

typedef struct meeting {
    ruga_context *context;
    const loop_smooth *smooth;
    const ruga_vec3 *positions;
    const uint32_t *triangles;
    struct {
        ruga_status status;
        int found;
    } * blocks;
} meeting;

/* Whether a triangle of the smooth surface intersects this one. */
static ruga_status meet_triangle(const meeting *m, const uint32_t *vertices, element_array *near_by, int *found) {
    const loop_smooth *s = m->smooth;
    ruga_vec3 own[3];
    for (int k = 0; k < 3; k++) {
        own[k] = m->positions[vertices[k]];
        if (!(vec3_length(own[k]) < LARGEST)) return RUGA_OK;
    }
    TRY(bvh_box_elements(s->tree, vec3_min(own[0], vec3_min(own[1], own[2])),
                         vec3_max(own[0], vec3_max(own[1], own[2])), near_by));
    for (size_t i = 0; i < near_by->count && !*found; i++) {
        const uint32_t *v = s->triangles + 3 * (size_t)near_by->items[i];
        const ruga_vec3 other[3] = {s->positions[v[0]], s->positions[v[1]], s->positions[v[2]]};
        *found = triangles_intersect(own, other);
    }
    return RUGA_OK;
}

static void meet_block(void *argument, size_t begin, size_t end) {
    const meeting *m = argument;
    element_array near_by = {0};
    ruga_status status = RUGA_OK;
    int found = 0;
    for (size_t t = begin; t < end && !found && !RUGA_FAILED(status); t++)
        status = meet_triangle(m, m->triangles + 3 * t, &near_by, &found);
    m->blocks[begin / BLOCK].status = status;
    m->blocks[begin / BLOCK].found = found;
    ARRAY_RELEASE(m->context, &near_by);
}

ruga_status loop_smooth_meets(ruga_context *context, loop_smooth *smooth, const ruga_vec3 *positions,
                              const uint32_t *triangles, size_t triangle_count, int *out) {
    meeting m = {.context = context, .smooth = smooth, .positions = positions, .triangles = triangles};
    const size_t count = (triangle_count + BLOCK - 1) / BLOCK;
    ruga_status status = RUGA_OK;
    *out = 0;
    TRY(need_tree(context, smooth));
    TRY(NEW_ZEROED(context, &m.blocks, count));
    parallel_for(context, triangle_count, BLOCK, meet_block, &m);
    for (size_t i = 0; i < count; i++) {
        if (!RUGA_FAILED(status)) status = m.blocks[i].status;
        *out |= m.blocks[i].found;
    }
    memory_release(context, m.blocks);
    return status;
}
