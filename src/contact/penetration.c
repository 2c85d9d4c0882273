#include "contact/penetration.h"

#include <stdlib.h>

#include "base/sort.h"
#include "contact/contours.h"
#include "math/vec3.h"

#define LONGEST_PUSH 1.0 /* of the greatest thickness, in a substep */
#define UNKNOWN INT32_MIN

void penetration_release(penetration *p) {
    if (!p->context) return;
    RELEASE_ALL(p->context, p->depth, p->out, p->along, p->queue.items, p->depths.items, p->surfaces.items,
                p->contours.items, p->found.items);
    *p = (penetration){.context = p->context};
}

static ruga_status allocate(penetration *p, size_t count) {
    if (p->vertex_count == count) return RUGA_OK;
    penetration_release(p);
    TRY(NEW(p->context, &p->depth, count));
    TRY(NEW(p->context, &p->out, count));
    TRY(NEW(p->context, &p->along, count));
    TRY(ARRAY_RESERVE(p->context, &p->queue, count));
    TRY(ARRAY_RESERVE(p->context, &p->depths, count));
    p->vertex_count = count;
    return RUGA_OK;
}

/* ---- Depths. */

/* Whether a piercing is of a triangle of this class that the edge must leave. */
static int counts(const intersecting_pairs *set, const contact_mesh *m, uint64_t piercing, uint32_t class) {
    uint32_t edge = (uint32_t)(piercing >> 32), triangle = (uint32_t)piercing;
    return pass_class(m, m->triangles[3 * (size_t)triangle]) == class &&
           intersecting_pairs_must_separate(set, edge, triangle);
}

/* Depth of b minus depth of a, along their edge. */
static int32_t depth_difference(const intersecting_pairs *set, const contact_mesh *m, uint32_t class, uint32_t a,
                                uint32_t b) {
    const key_array *piercings = &set->piercings;
    uint64_t edge = topology_find_edge(set->topology, a, b);
    vec3 direction = vec3_sub(m->from[b], m->from[a]);
    int32_t sum = 0;
    for (size_t i = keys_lower_bound(piercings->items, piercings->count, edge << 32);
         i < piercings->count && piercings->items[i] >> 32 == edge; i++) {
        if (!counts(set, m, piercings->items[i], class)) continue;
        sum += vec3_dot(direction, contact_mesh_normal(m, (uint32_t)piercings->items[i])) < 0 ? 1 : -1;
    }
    return sum;
}

/* The most frequent of the depths from queue item `begin` on, among pinned vertices if there are any; the least of
 * several. */
static int32_t usual_depth(penetration *p, const contact_mesh *m, size_t begin) {
    int pinned = 0;
    for (size_t i = begin; i < p->queue.count; i++) pinned |= m->inverse_masses[p->queue.items[i]] == 0;
    p->depths.count = 0;
    for (size_t i = begin; i < p->queue.count; i++) {
        uint32_t v = p->queue.items[i];
        if (pinned && m->inverse_masses[v] != 0) continue;
        p->depths.items[p->depths.count++] = (uint64_t)((int64_t)p->depth[v] - UNKNOWN);
    }
    sort_keys(p->depths.items, p->depths.count);
    size_t best = 0, most = 0;
    for (size_t i = 0, end; i < p->depths.count; i = end) {
        for (end = i; end < p->depths.count && p->depths.items[end] == p->depths.items[i];) end++;
        if (end - i > most) {
            most = end - i;
            best = i;
        }
    }
    return (int32_t)((int64_t)p->depths.items[best] + UNKNOWN);
}

/* The depths of the piece of cloth that contains a vertex, relative to the usual one. Returns 0 if they depend on the
 * path. */
static int find_depths(penetration *p, const intersecting_pairs *set, const contact_mesh *m, uint32_t class,
                       uint32_t seed) {
    const topology *topo = set->topology;
    size_t begin = p->queue.count;
    int agree = 1;
    p->depth[seed] = 0;
    p->queue.items[p->queue.count++] = seed;
    for (size_t i = begin; i < p->queue.count; i++) {
        uint32_t v = p->queue.items[i];
        for (uint32_t k = topo->ring_offsets[v]; k < topo->ring_offsets[v + 1]; k++) {
            uint32_t u = topo->ring_vertices[k];
            int32_t depth = p->depth[v] + depth_difference(set, m, class, v, u);
            if (p->depth[u] == UNKNOWN) {
                p->depth[u] = depth;
                p->queue.items[p->queue.count++] = u;
            }
            agree &= p->depth[u] == depth;
        }
    }
    int32_t usual = usual_depth(p, m, begin);
    for (size_t i = begin; i < p->queue.count; i++) p->depth[p->queue.items[i]] -= usual;
    return agree;
}

/* ---- Directions to the outside. */

static uint32_t part_of_edge(const intersecting_pairs *set, const contact_mesh *m, uint64_t piercing) {
    return m->part_of[set->topology->edge_vertices[2 * (piercing >> 32)]];
}

/* At the surface: to the front of the triangles that are pierced by edges to less deep vertices, or to their back where
 * the depth is negative. */
static void find_directions_at_surface(penetration *p, const intersecting_pairs *set, const contact_mesh *m,
                                       uint32_t part, uint32_t class) {
    for (size_t i = 0; i < set->piercings.count; i++) {
        uint32_t triangle = (uint32_t)set->piercings.items[i];
        const uint32_t *e = set->topology->edge_vertices + 2 * (set->piercings.items[i] >> 32);
        if (part_of_edge(set, m, set->piercings.items[i]) != part || !counts(set, m, set->piercings.items[i], class))
            continue;
        for (int k = 0; k < 2; k++) {
            uint32_t v = e[k], u = e[1 - k];
            if (p->depth[v] == UNKNOWN || abs(p->depth[v]) <= abs(p->depth[u])) continue;
            p->out[v] = vec3_add_scaled(p->out[v], contact_mesh_normal(m, triangle), p->depth[v] > 0 ? 1 : -1);
            p->along[v] = (vec3){0, 0, 0};
            for (size_t corner = 3 * (size_t)triangle; corner < 3 * (size_t)triangle + 3; corner++) {
                uint32_t c = m->triangles[corner];
                p->along[v] = vec3_add_scaled(p->along[v], vec3_sub(m->to[c], m->from[c]), 1.0 / 3);
            }
        }
    }
}

/* Behind it: those of their neighbours, from the surface inwards. Leaves all penetrating vertices in the queue. */
static void spread_directions(penetration *p, const intersecting_pairs *set, size_t begin, size_t end) {
    const topology *topo = set->topology;
    p->queue.count = 0;
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        if (p->depth[v] == UNKNOWN || p->depth[v] == 0 || !(vec3_length2(p->out[v]) > 0)) continue;
        p->out[v] = vec3_normalise(p->out[v]);
        p->queue.items[p->queue.count++] = v;
    }
    for (size_t i = 0; i < p->queue.count; i++) {
        uint32_t v = p->queue.items[i];
        for (uint32_t k = topo->ring_offsets[v]; k < topo->ring_offsets[v + 1]; k++) {
            uint32_t u = topo->ring_vertices[k];
            if (p->depth[u] != p->depth[v] || vec3_length2(p->out[u]) > 0) continue;
            p->out[u] = p->out[v];
            p->along[u] = p->along[v];
            p->queue.items[p->queue.count++] = u;
        }
    }
}

/* ---- Every substep. */

/* The surfaces that each cloth pierces. */
static ruga_status find_surfaces(penetration *p, const intersecting_pairs *set, const contact_mesh *m) {
    p->surfaces.count = 0;
    TRY(ARRAY_RESERVE(p->context, &p->surfaces, 2 * set->piercings.count));
    for (size_t i = 0; i < set->piercings.count; i++) {
        uint32_t part = part_of_edge(set, m, set->piercings.items[i]);
        uint32_t other = m->triangles[3 * (size_t)(uint32_t)set->piercings.items[i]], own = m->part_of[other];
        if (m->parts[part].moving && own != part)
            p->surfaces.items[p->surfaces.count++] = (uint64_t)part << 32 | pass_class(m, other);
    }
    sort_keys(p->surfaces.items, p->surfaces.count);
    return RUGA_OK;
}

/* The vertices of a cloth that penetrate the surfaces of a class. */
static ruga_status find_of_part(penetration *p, const intersecting_pairs *set, trajectories *t, uint32_t part,
                                uint32_t class) {
    const contact_mesh *m = t->mesh;
    size_t begin = m->parts[part].first_vertex;
    size_t end = part + 1 < m->part_count ? m->parts[part + 1].first_vertex : m->vertex_count;
    int agree = 1;
    p->queue.count = 0;
    for (size_t v = begin; v < end; v++) {
        p->depth[v] = UNKNOWN;
        p->out[v] = p->along[v] = (vec3){0, 0, 0};
    }
    for (size_t v = begin; v < end; v++)
        if (p->depth[v] == UNKNOWN) agree &= find_depths(p, set, m, class, (uint32_t)v);
    if (!agree && class != PASS_KINEMATIC) return RUGA_OK;
    find_directions_at_surface(p, set, m, part, class);
    spread_directions(p, set, begin, end);
    TRY(ARRAY_RESERVE(p->context, &p->found, p->queue.count));
    for (size_t i = 0; i < p->queue.count; i++) {
        uint32_t v = p->queue.items[i];
        double push = (class == PASS_KINEMATIC ? 1 : 0.5) * LONGEST_PUSH * t->most;
        p->found.items[p->found.count++] = (penetrating_vertex){v, push, p->out[v], p->along[v]};
        TRY(trajectories_mark_penetrating(t, v, class));
    }
    return RUGA_OK;
}

ruga_status penetration_find(penetration *p, const intersecting_pairs *set, trajectories *t) {
    trajectories_clear_penetrating(t);
    p->found.count = 0;
    if (set->piercings.count == 0) return RUGA_OK;
    TRY(allocate(p, t->mesh->vertex_count));
    TRY(find_surfaces(p, set, t->mesh));
    for (size_t i = 0; i < p->surfaces.count; i++) {
        uint64_t key = p->surfaces.items[i];
        if (i == 0 || key != p->surfaces.items[i - 1])
            TRY(find_of_part(p, set, t, (uint32_t)(key >> 32), (uint32_t)key));
    }
    trajectories_sort_penetrating(t);
    return contours_find(p, set, t);
}

void penetration_push(const penetration *p, trajectories *t) {
    const contact_mesh *m = t->mesh;
    for (size_t i = 0; i < p->found.count; i++) {
        const penetrating_vertex *f = &p->found.items[i];
        vec3 displacement = vec3_sub(vec3_sub(m->to[f->vertex], m->from[f->vertex]), f->along);
        double lacking = f->push - vec3_dot(displacement, f->out);
        if (m->inverse_masses[f->vertex] == 0 || !(lacking > 0)) continue;
        m->to[f->vertex] = vec3_add_scaled(m->to[f->vertex], f->out, lacking);
        trajectories_change(t, f->vertex);
    }
}
