/* Which cluster owns which vertices and edges. */
#include "contact/broad_clusters.h"

#include <string.h>

/* starts: (vertices + 1) the first edge from each vertex to a higher one. UINT32_MAX for a vertex and itself. */
static uint32_t find_edge(const contact_mesh *m, const uint32_t *starts, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t i = starts[low]; i < starts[low + 1]; i++)
        if (m->edges[2 * (size_t)i + 1] == high) return i;
    return UINT32_MAX;
}

/* ---- Ownership */

/* The cluster that owns each vertex or edge, and how many each cluster owns. */
typedef struct ownership {
    uint32_t *owners, *counts;
} ownership;

/* A cluster takes an item from one that owns more. */
static void claim(ownership *o, uint32_t item, uint32_t cluster) {
    uint32_t owner = o->owners[item];
    if (owner == cluster || (owner != UINT32_MAX && o->counts[owner] <= o->counts[cluster] + 1)) return;
    if (owner != UINT32_MAX) o->counts[owner]--;
    o->owners[item] = cluster;
    o->counts[cluster]++;
}

static ruga_status ownership_allocate(ruga_context *context, size_t item_count, size_t cluster_count, ownership *o) {
    TRY(NEW(context, &o->owners, item_count));
    TRY(NEW_ZEROED(context, &o->counts, cluster_count));
    memset(o->owners, 0xff, item_count * sizeof *o->owners);
    return RUGA_OK;
}

static void claim_all(const contact_mesh *m, const bvh *tree, uint32_t *starts, ownership *vertices, ownership *edges) {
    // Edges have the order of their lower vertices.
    for (size_t i = 0; i < m->edge_count; i++) starts[m->edges[2 * i] + 1]++;
    for (size_t i = 0; i < m->vertex_count; i++) starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        const bvh_leaf *leaf = tree->leaves + i;
        for (int lane = 0; lane < BVH_LEAF_SIZE; lane++)
            for (int k = 0; k < 3; k++) {
                uint32_t vertex = leaf->vertex[k][lane];
                uint32_t edge = find_edge(m, starts, vertex, leaf->vertex[(k + 1) % 3][lane]);
                claim(vertices, vertex, i);
                if (edge != UINT32_MAX) claim(edges, edge, i);
            }
    }
}

/* ---- Filling */

static void fill_vertices(const contact_mesh *m, ownership *own, broad_clusters *c) {
    c->vertex_starts[0] = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->vertex_starts[i + 1] = c->vertex_starts[i] + own->counts[i];
        own->counts[i] = 0;
    }
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        uint32_t owner = own->owners[i];
        c->vertices[c->vertex_starts[owner] + own->counts[owner]++].vertex = i;
    }
}

static ruga_status fill_edges(const contact_mesh *m, ownership *own, broad_clusters *c) {
    c->edge_starts[0] = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->edge_starts[i + 1] = c->edge_starts[i] + (own->counts[i] + BROAD_LANES - 1) / BROAD_LANES;
        own->counts[i] = 0;
    }
    size_t group_count = c->edge_starts[c->count];
    TRY(NEW_ALIGNED(m->context, &c->edges, group_count));
    // Lanes without an edge have numbers that no edge and no vertex has.
    memset(c->edges, 0xff, group_count * sizeof *c->edges);
    for (uint32_t i = 0; i < m->edge_count; i++) {
        uint32_t owner = own->owners[i], place = own->counts[owner]++;
        broad_edges *group = c->edges + c->edge_starts[owner] + place / BROAD_LANES;
        group->edge[place % BROAD_LANES] = i;
        for (size_t k = 0; k < 2; k++) group->vertices[k][place % BROAD_LANES] = m->edges[2 * (size_t)i + k];
    }
    return RUGA_OK;
}

static void fill_triangles(const contact_mesh *m, const bvh *tree, const uint32_t *element_triangles,
                           broad_clusters *c) {
    for (size_t i = 0; i < c->count; i++) {
        const bvh_leaf *leaf = tree->leaves + i;
        c->parts[i] = m->part_of[leaf->vertex[0][0]];
        for (int k = 0; k < BVH_LEAF_SIZE; k++) {
            int repeated = k && leaf->element[k] == leaf->element[k - 1];
            c->triangles[BVH_LEAF_SIZE * i + (size_t)k] = repeated ? UINT32_MAX : element_triangles[leaf->element[k]];
        }
    }
}

static ruga_status fill(const contact_mesh *m, const bvh *tree, const uint32_t *element_triangles, uint32_t **starts,
                        ownership *vertices, ownership *edges, broad_clusters *c) {
    c->count = tree->leaf_count;
    TRY(NEW_ALIGNED(m->context, &c->boxes, c->count));
    TRY(NEW_ALIGNED(m->context, &c->vertices, m->vertex_count));
    TRY(NEW(m->context, &c->vertex_starts, c->count + 1));
    TRY(NEW(m->context, &c->edge_starts, c->count + 1));
    TRY(NEW(m->context, &c->triangles, BVH_LEAF_SIZE * c->count));
    TRY(NEW(m->context, &c->parts, c->count));
    TRY(NEW_ZEROED(m->context, starts, m->vertex_count + 1));
    TRY(ownership_allocate(m->context, m->vertex_count, c->count, vertices));
    TRY(ownership_allocate(m->context, m->edge_count, c->count, edges));
    claim_all(m, tree, *starts, vertices, edges);
    fill_triangles(m, tree, element_triangles, c);
    fill_vertices(m, vertices, c);
    return fill_edges(m, edges, c);
}

ruga_status broad_clusters_fill(const contact_mesh *m, const bvh *tree, const uint32_t *element_triangles,
                                broad_clusters *clusters) {
    uint32_t *starts = NULL;
    ownership vertices = {0}, edges = {0};
    ruga_status status = fill(m, tree, element_triangles, &starts, &vertices, &edges, clusters);
    RELEASE_ALL(m->context, starts, vertices.owners, vertices.counts, edges.owners, edges.counts);
    return status;
}

void broad_clusters_release(ruga_context *context, broad_clusters *c) {
    memory_release_aligned(context, c->boxes);
    memory_release_aligned(context, c->vertices);
    memory_release_aligned(context, c->edges);
    RELEASE_ALL(context, c->vertex_starts, c->edge_starts, c->triangles, c->parts);
}
