#include "contact/astray.h"

#include <stdlib.h>

#include "base/sort.h"
#include "math/vec3.h"

#define LONGEST_PUSH 0.5 /* of the greatest thickness, in a substep */
#define UNKNOWN INT32_MIN

void astray_release(astray *a) {
    if (!a->context) return;
    memory_release(a->context, a->depth);
    memory_release(a->context, a->out);
    memory_release(a->context, a->along);
    ARRAY_RELEASE(a->context, &a->queue);
    ARRAY_RELEASE(a->context, &a->depths);
    *a = (astray){.context = a->context};
}

static ruga_status make_room(astray *a, size_t count) {
    if (a->depth && a->vertex_count == count) return RUGA_OK;
    astray_release(a);
    a->vertex_count = count;
    a->depth = ALLOCATE(a->context, int32_t, count);
    a->out = ALLOCATE(a->context, vec3, count);
    a->along = ALLOCATE(a->context, vec3, count);
    ruga_status status = a->depth && a->out && a->along ? RUGA_OK : fail_memory(a->context, count * sizeof(vec3));
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(a->context, &a->queue, count);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(a->context, &a->depths, count);
    if (RUGA_FAILED(status)) astray_release(a);
    return status;
}

/* ---- Piercings. */

static vec3 normal_of(const contact_mesh *m, uint32_t triangle) {
    const uint32_t *v = m->triangles + 3 * (size_t)triangle;
    return vec3_normalise(vec3_cross(vec3_sub(m->from[v[1]], m->from[v[0]]), vec3_sub(m->from[v[2]], m->from[v[0]])));
}

/* Of a kinematic triangle, and one that the edge is to leave. */
static int counts(const tangle *t, const contact_mesh *m, uint64_t piercing) {
    uint32_t edge = (uint32_t)(piercing >> 32), triangle = (uint32_t)piercing;
    return !m->parts[m->part_of[m->triangles[3 * (size_t)triangle]]].moving && tangle_is_to_part(t, edge, triangle);
}

/* The first piercing of an edge; those of one edge follow each other. */
static size_t first_piercing(const tangle *t, uint32_t edge) {
    size_t low = 0, high = t->piercings.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->piercings.items[middle] >> 32 < edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By how much b is deeper than a, along their edge. */
static int32_t deeper(const tangle *t, const contact_mesh *m, uint32_t a, uint32_t b) {
    uint32_t edge = topology_find_edge(t->topology, a, b);
    vec3 way = vec3_sub(m->from[b], m->from[a]);
    int32_t sum = 0;
    for (size_t i = first_piercing(t, edge); i < t->piercings.count && t->piercings.items[i] >> 32 == edge; i++) {
        if (!counts(t, m, t->piercings.items[i])) continue;
        sum += vec3_dot(way, normal_of(m, (uint32_t)t->piercings.items[i])) < 0 ? 1 : -1;
    }
    return sum;
}

/* ---- Depths. */

/* The most frequent of the depths, the least of several. */
static int32_t usual_depth(astray *a, size_t begin) {
    a->depths.count = 0;
    for (size_t i = begin; i < a->queue.count; i++)
        a->depths.items[a->depths.count++] = (uint64_t)((int64_t)a->depth[a->queue.items[i]] - UNKNOWN);
    sort_keys(a->depths.items, a->depths.count);
    size_t best = 0, most = 0;
    for (size_t i = 0, end; i < a->depths.count; i = end) {
        for (end = i; end < a->depths.count && a->depths.items[end] == a->depths.items[i];) end++;
        if (end - i > most) {
            most = end - i;
            best = i;
        }
    }
    return (int32_t)((int64_t)a->depths.items[best] + UNKNOWN);
}

/* The depths of the piece of cloth that a vertex is of: the queue's part from `begin` on. */
static void find_depths(astray *a, const tangle *t, const contact_mesh *m, uint32_t seed) {
    const topology *topo = t->topology;
    size_t begin = a->queue.count;
    a->depth[seed] = 0;
    a->queue.items[a->queue.count++] = seed;
    for (size_t i = begin; i < a->queue.count; i++) {
        uint32_t v = a->queue.items[i];
        for (uint32_t k = topo->ring_offsets[v]; k < topo->ring_offsets[v + 1]; k++) {
            uint32_t u = topo->ring_vertices[k];
            if (a->depth[u] != UNKNOWN) continue;
            a->depth[u] = a->depth[v] + deeper(t, m, v, u);
            a->queue.items[a->queue.count++] = u;
        }
    }
    int32_t usual = usual_depth(a, begin);
    for (size_t i = begin; i < a->queue.count; i++) a->depth[a->queue.items[i]] -= usual;
}

/* ---- Ways out. */

static vec3 mean_way(const contact_mesh *m, uint32_t triangle) {
    const uint32_t *v = m->triangles + 3 * (size_t)triangle;
    vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) sum = vec3_add_scaled(sum, vec3_sub(m->to[v[k]], m->from[v[k]]), 1.0 / 3);
    return sum;
}

/* At the surface: to the front of the triangles that the edges to less deep vertices pierce; to the back of those from
 * behind. */
static void find_ways_at_surface(astray *a, const tangle *t, const contact_mesh *m) {
    for (size_t i = 0; i < t->piercings.count; i++) {
        uint32_t triangle = (uint32_t)t->piercings.items[i];
        const uint32_t *e = t->topology->edge_vertices + 2 * (t->piercings.items[i] >> 32);
        if (!counts(t, m, t->piercings.items[i])) continue;
        for (int k = 0; k < 2; k++) {
            uint32_t v = e[k], u = e[1 - k];
            if (a->depth[v] == UNKNOWN || abs(a->depth[v]) <= abs(a->depth[u])) continue;
            a->out[v] = vec3_add_scaled(a->out[v], normal_of(m, triangle), a->depth[v] > 0 ? 1 : -1);
            a->along[v] = mean_way(m, triangle);
        }
    }
}

/* Behind it: as their neighbours, from the surface inwards. */
static void spread_ways(astray *a, const tangle *t, const contact_mesh *m) {
    const topology *topo = t->topology;
    a->queue.count = 0;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        if (a->depth[v] == UNKNOWN || a->depth[v] == 0 || !(vec3_length2(a->out[v]) > 0)) continue;
        a->out[v] = vec3_normalise(a->out[v]);
        a->queue.items[a->queue.count++] = v;
    }
    for (size_t i = 0; i < a->queue.count; i++) {
        uint32_t v = a->queue.items[i];
        for (uint32_t k = topo->ring_offsets[v]; k < topo->ring_offsets[v + 1]; k++) {
            uint32_t u = topo->ring_vertices[k];
            if (a->depth[u] != a->depth[v] || vec3_length2(a->out[u]) > 0) continue;
            a->out[u] = a->out[v];
            a->along[u] = a->along[v];
            a->queue.items[a->queue.count++] = u;
        }
    }
}

/* ---- In every substep. */

ruga_status astray_find(astray *a, const tangle *t, ways *w) {
    const contact_mesh *m = w->mesh;
    ways_clear_astray(w);
    a->queue.count = 0;
    if (t->piercings.count == 0) return RUGA_OK;
    TRY(make_room(a, m->vertex_count));
    for (size_t v = 0; v < m->vertex_count; v++) {
        a->depth[v] = UNKNOWN;
        a->out[v] = a->along[v] = (vec3){0, 0, 0};
    }
    for (uint32_t v = 0; v < m->vertex_count; v++)
        if (a->depth[v] == UNKNOWN && m->parts[m->part_of[v]].moving) find_depths(a, t, m, v);
    find_ways_at_surface(a, t, m);
    spread_ways(a, t, m);
    for (size_t i = 0; i < a->queue.count; i++) ways_mark_astray(w, a->queue.items[i]);
    return RUGA_OK;
}

void astray_push(const astray *a, ways *w) {
    const contact_mesh *m = w->mesh;
    for (size_t i = 0; i < a->queue.count; i++) {
        uint32_t v = a->queue.items[i];
        vec3 way = vec3_sub(vec3_sub(m->to[v], m->from[v]), a->along[v]);
        double lacking = LONGEST_PUSH * w->most - vec3_dot(way, a->out[v]);
        if (m->inverse_masses[v] == 0 || !(lacking > 0)) continue;
        m->to[v] = vec3_add_scaled(m->to[v], a->out[v], lacking);
        ways_change(w, v);
    }
}
