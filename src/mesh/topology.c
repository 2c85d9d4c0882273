/* Topology. Half-edges are put into a bucket per lower vertex and sorted there by the higher one; linear passes over
 * that list make everything else. There is no hashing, so the result depends on the input alone. */
#include "mesh/topology.h"

#include <string.h>

#include "base/sort.h"
#include "math/vec3.h"

/* While building: half-edge h = 3 triangle + k runs from corner k to corner k + 1. */
typedef struct builder {
    topology *topo;
    const uint32_t *triangles;
    uint64_t *halves;  /* (3 triangle_count) higher vertex and half-edge, in the order of the edges */
    uint32_t *buckets; /* (vertex_count + 1) into halves, by lower vertex */
    uint8_t *used;     /* (edge_count) whether a boundary loop has the edge */
    uint32_t *cursor;  /* (vertex_count) the first edge of the fan that next_unused has still to look at */
} builder;

static uint32_t half_origin(const builder *b, size_t h) { return b->triangles[h]; }
static uint32_t half_target(const builder *b, size_t h) { return b->triangles[h % 3 == 2 ? h - 2 : h + 1]; }
static uint32_t half_opposite(const builder *b, size_t h) { return b->triangles[h / 3 * 3 + (h + 2) % 3]; }

static uint32_t lower(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t higher(uint32_t a, uint32_t b) { return a < b ? b : a; }

/* Both ends of a half-edge, lower first: without a division. */
static void ends_of(const uint32_t *triangle, size_t k, uint32_t *low, uint32_t *high) {
    uint32_t from = triangle[k], to = triangle[k < 2 ? k + 1 : 0];
    *low = lower(from, to);
    *high = higher(from, to);
}

/* Turns counts in offsets[i + 1] into offsets. */
static void accumulate(uint32_t *offsets, size_t count) {
    for (size_t i = 0; i < count; i++) offsets[i + 1] += offsets[i];
}

/* After filling, offsets[i] is where i + 1 begins: moves the offsets back by one. */
static void step_back(uint32_t *offsets, size_t count) {
    memmove(offsets + 1, offsets, count * sizeof *offsets);
    offsets[0] = 0;
}

/* Sorts the half-edges by lower, then higher vertex, then number; returns how many distinct edges there are. */
static size_t sort_halves(builder *b) {
    uint32_t *buckets = b->buckets;
    size_t vertex_count = b->topo->vertex_count, edges = 0;
    memset(buckets, 0, (vertex_count + 1) * sizeof *buckets);
    for (size_t t = 0; t < b->topo->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t low, high;
            ends_of(b->triangles + 3 * t, k, &low, &high);
            buckets[low + 1]++;
        }
    accumulate(buckets, vertex_count);
    for (size_t t = 0; t < b->topo->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t low, high;
            ends_of(b->triangles + 3 * t, k, &low, &high);
            b->halves[buckets[low]++] = (uint64_t)high << 32 | (3 * t + k);
        }
    step_back(buckets, vertex_count);
    for (size_t v = 0; v < vertex_count; v++) {
        uint64_t *bucket = b->halves + buckets[v];
        size_t count = buckets[v + 1] - buckets[v];
        sort_keys(bucket, count);
        for (size_t i = 0; i < count; i++) edges += i == 0 || bucket[i] >> 32 != bucket[i - 1] >> 32;
    }
    return edges;
}

static void fill_edges(builder *b) {
    topology *topo = b->topo;
    const uint32_t *buckets = b->buckets;
    size_t e = 0;
    for (size_t v = 0; v < topo->vertex_count; v++) {
        for (size_t i = buckets[v]; i < buckets[v + 1]; i++) {
            uint32_t other = (uint32_t)(b->halves[i] >> 32), half = (uint32_t)b->halves[i];
            if (i == buckets[v] || other != (uint32_t)(b->halves[i - 1] >> 32)) {
                topo->edge_vertices[2 * e] = (uint32_t)v;
                topo->edge_vertices[2 * e + 1] = other;
                topo->edge_offsets[e++] = (uint32_t)i;
            }
            topo->triangle_edges[half] = (uint32_t)(e - 1);
            topo->edge_triangles[i] = half / 3;
        }
    }
    topo->edge_offsets[e] = (uint32_t)(3 * topo->triangle_count);
}

/* Edges are sorted by their lower vertex, so each ring gets its lower neighbours first, then the higher ones,
 * rising. */
static void fill_rings(topology *topo) {
    const uint32_t *ends = topo->edge_vertices;
    uint32_t *offsets = topo->ring_offsets;
    memset(offsets, 0, (topo->vertex_count + 1) * sizeof *offsets);
    for (size_t e = 0; e < topo->edge_count; e++) {
        if (ends[2 * e] == ends[2 * e + 1]) continue;
        offsets[ends[2 * e] + 1]++;
        offsets[ends[2 * e + 1] + 1]++;
    }
    accumulate(offsets, topo->vertex_count);
    for (size_t e = 0; e < topo->edge_count; e++) {
        if (ends[2 * e] == ends[2 * e + 1]) continue;
        topo->ring_vertices[offsets[ends[2 * e]]++] = ends[2 * e + 1];
        topo->ring_vertices[offsets[ends[2 * e + 1]]++] = ends[2 * e];
    }
    step_back(offsets, topo->vertex_count);
}

/* Whether an earlier corner of the triangle has the same vertex as corner k. */
static int is_repeat(const uint32_t *triangle, int k) {
    return (k > 0 && triangle[k] == triangle[0]) || (k > 1 && triangle[k] == triangle[1]);
}

static void fill_fans(builder *b) {
    topology *topo = b->topo;
    uint32_t *offsets = topo->fan_offsets;
    memset(offsets, 0, (topo->vertex_count + 1) * sizeof *offsets);
    for (size_t t = 0; t < topo->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (!is_repeat(b->triangles + 3 * t, k)) offsets[b->triangles[3 * t + (size_t)k] + 1]++;
    accumulate(offsets, topo->vertex_count);
    for (size_t t = 0; t < topo->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (!is_repeat(b->triangles + 3 * t, k))
                topo->fan_triangles[offsets[b->triangles[3 * t + (size_t)k]]++] = (uint32_t)t;
    step_back(offsets, topo->vertex_count);
}

static int is_pair(const topology *topo, size_t e) {
    const uint32_t *two = topo->edge_triangles + topo->edge_offsets[e];
    return topology_edge_size(topo, e) == 2 && two[0] != two[1];
}

static void fill_pairs(builder *b) {
    topology *topo = b->topo;
    uint32_t *pair = topo->pairs;
    for (size_t e = 0; e < topo->edge_count; e++) {
        if (!is_pair(topo, e)) continue;
        uint32_t first = (uint32_t)b->halves[topo->edge_offsets[e]];
        uint32_t second = (uint32_t)b->halves[topo->edge_offsets[e] + 1];
        pair[0] = half_origin(b, first);
        pair[1] = half_target(b, first);
        pair[2] = half_opposite(b, first);
        pair[3] = half_opposite(b, second);
        pair += 4;
    }
}

/* ---- Boundary loops. */

static int is_boundary(const topology *topo, size_t e) {
    return topology_edge_size(topo, e) == 1 && topo->edge_vertices[2 * e] != topo->edge_vertices[2 * e + 1];
}

/* The edge of triangle t, other than e, that has an end at v. */
static uint32_t other_edge_at(const topology *topo, size_t t, uint32_t e, uint32_t v) {
    for (size_t k = 0; k < 3; k++) {
        uint32_t candidate = topo->triangle_edges[3 * t + k];
        const uint32_t *ends = topo->edge_vertices + 2 * (size_t)candidate;
        if (candidate != e && (ends[0] == v || ends[1] == v)) return candidate;
    }
    return NO_INDEX;
}

/* From boundary edge e around vertex v, triangle by triangle, to the boundary edge at the other end of the fan;
 * NO_INDEX when the fan ends at a non-manifold edge. */
static uint32_t turn_around(const topology *topo, uint32_t e, uint32_t v) {
    uint32_t t = topo->edge_triangles[topo->edge_offsets[e]];
    size_t fan_size = topo->fan_offsets[v + 1] - topo->fan_offsets[v];
    for (size_t step = 0; step < fan_size; step++) {
        e = other_edge_at(topo, t, e, v);
        if (e == NO_INDEX) return NO_INDEX;
        if (is_boundary(topo, e)) return e;
        if (!is_pair(topo, e)) return NO_INDEX;
        const uint32_t *two = topo->edge_triangles + topo->edge_offsets[e];
        t = two[0] == t ? two[1] : two[0];
    }
    return NO_INDEX;
}

/* A boundary edge at v that no loop has used yet: the first in the order of the triangles. */
static uint32_t next_unused(const builder *b, uint32_t v) {
    const topology *topo = b->topo;
    size_t begin = topo->fan_offsets[v], places = 3 * (size_t)(topo->fan_offsets[v + 1] - begin);
    for (; b->cursor[v] < places; b->cursor[v]++) {
        size_t place = b->cursor[v];
        uint32_t e = topo->triangle_edges[3 * (size_t)topo->fan_triangles[begin + place / 3] + place % 3];
        const uint32_t *ends = topo->edge_vertices + 2 * (size_t)e;
        if ((ends[0] == v || ends[1] == v) && is_boundary(topo, e) && !b->used[e]) return e;
    }
    return NO_INDEX;
}

/* Walks one loop that starts with boundary edge e; returns how many vertices it wrote. */
static size_t walk_loop(const builder *b, uint32_t e, uint32_t *vertices) {
    const topology *topo = b->topo;
    uint32_t v = half_origin(b, (uint32_t)b->halves[topo->edge_offsets[e]]);
    size_t count = 0;
    while (e != NO_INDEX && !b->used[e]) {
        const uint32_t *ends = topo->edge_vertices + 2 * (size_t)e;
        b->used[e] = 1;
        vertices[count++] = v;
        v = ends[0] == v ? ends[1] : ends[0];
        uint32_t next = turn_around(topo, e, v);
        e = next == NO_INDEX && v != vertices[0] ? next_unused(b, v) : next;
    }
    return count;
}

static ruga_status build_loops(ruga_context *context, builder *b) {
    topology *topo = b->topo;
    size_t boundary_count = 0, filled = 0;
    for (size_t e = 0; e < topo->edge_count; e++) boundary_count += (size_t)is_boundary(topo, e);
    TRY(NEW_ZEROED(context, &b->used, topo->edge_count));
    TRY(NEW_ZEROED(context, &b->cursor, topo->vertex_count));
    TRY(NEW(context, &topo->loop_offsets, boundary_count + 1));
    TRY(NEW(context, &topo->loop_vertices, boundary_count));
    topo->loop_offsets[0] = 0;
    for (size_t e = 0; e < topo->edge_count; e++) {
        if (b->used[e] || !is_boundary(topo, e)) continue;
        filled += walk_loop(b, (uint32_t)e, topo->loop_vertices + filled);
        topo->loop_offsets[++topo->loop_count] = (uint32_t)filled;
    }
    return RUGA_OK;
}

/* ---- All together. */

static ruga_status build(ruga_context *context, builder *b, int has_all) {
    topology *topo = b->topo;
    size_t half_count = 3 * topo->triangle_count;
    TRY(NEW(context, &b->halves, half_count));
    TRY(NEW(context, &b->buckets, topo->vertex_count + 1));
    topo->edge_count = sort_halves(b);
    TRY(NEW(context, &topo->edge_vertices, 2 * topo->edge_count));
    TRY(NEW(context, &topo->edge_offsets, topo->edge_count + 1));
    TRY(NEW_EACH(context, half_count, &topo->edge_triangles, &topo->triangle_edges));
    fill_edges(b);
    TRY(NEW(context, &topo->ring_offsets, topo->vertex_count + 1));
    TRY(NEW(context, &topo->ring_vertices, 2 * topo->edge_count));
    fill_rings(topo);
    TRY(NEW(context, &topo->fan_offsets, topo->vertex_count + 1));
    TRY(NEW(context, &topo->fan_triangles, half_count));
    fill_fans(b);
    if (!has_all) return RUGA_OK;
    for (size_t e = 0; e < topo->edge_count; e++) topo->pair_count += (size_t)is_pair(topo, e);
    TRY(NEW(context, &topo->pairs, 4 * topo->pair_count));
    fill_pairs(b);
    return build_loops(context, b);
}

static ruga_status make(ruga_context *context, size_t vertex_count, size_t triangle_count, const uint32_t *triangles,
                        int has_all, topology **out) {
    builder b = {.triangles = triangles};
    TRY(NEW_ZEROED(context, &b.topo, 1));
    b.topo->context = context;
    b.topo->vertex_count = vertex_count;
    b.topo->triangle_count = triangle_count;
    ruga_status status = build(context, &b, has_all);
    RELEASE_ALL(context, b.halves, b.buckets, b.used, b.cursor);
    RETURN_MADE(status, b.topo, out, topology_destroy(b.topo));
}

ruga_status topology_build(ruga_context *context, size_t vertex_count, size_t triangle_count, const uint32_t *triangles,
                           topology **out) {
    return make(context, vertex_count, triangle_count, triangles, 1, out);
}

ruga_status topology_build_neighbours(ruga_context *context, size_t vertex_count, size_t triangle_count,
                                      const uint32_t *triangles, topology **out) {
    return make(context, vertex_count, triangle_count, triangles, 0, out);
}

ruga_status topology_build_mesh(const ruga_mesh *mesh, topology **out) {
    return topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, out);
}

/* Releases all arrays but those of the fans. */
static void release_others(topology *topo) {
    RELEASE_ALL(topo->context, topo->edge_vertices, topo->triangle_edges, topo->edge_offsets, topo->edge_triangles,
                topo->ring_offsets, topo->ring_vertices, topo->loop_offsets, topo->loop_vertices, topo->pairs);
}

void topology_destroy(topology *topo) {
    if (!topo) return;
    release_others(topo);
    RELEASE_ALL(topo->context, topo->fan_offsets, topo->fan_triangles, topo);
}

void topology_keep_fans(topology *topo) {
    release_others(topo);
    *topo = (topology){.vertex_count = topo->vertex_count,
                       .triangle_count = topo->triangle_count,
                       .fan_offsets = topo->fan_offsets,
                       .fan_triangles = topo->fan_triangles,
                       .context = topo->context};
}

uint32_t topology_find_edge(const topology *topo, uint32_t a, uint32_t b) {
    uint64_t wanted = (uint64_t)lower(a, b) << 32 | higher(a, b);
    size_t low = 0, high = topo->edge_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const uint32_t *ends = topo->edge_vertices + 2 * middle;
        uint64_t key = (uint64_t)ends[0] << 32 | ends[1];
        if (key == wanted) return (uint32_t)middle;
        if (key < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NO_INDEX;
}

double topology_mean_edge(const topology *topo, const ruga_vec3 *positions) {
    double sum = 0;
    for (size_t e = 0; e < topo->edge_count; e++)
        sum += vec3_distance(positions[topo->edge_vertices[2 * e]], positions[topo->edge_vertices[2 * e + 1]]);
    return topo->edge_count > 0 ? sum / (double)topo->edge_count : 0;
}
