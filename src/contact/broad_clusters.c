/* Which cluster owns what. */
#include "contact/broad_clusters.h"

#include <string.h>

/* The edges of each vertex to higher ones. */
typedef struct edge_finder {
    const contact_mesh *mesh;
    uint32_t *starts; /* (vertices + 1) */
} edge_finder;

/* UINT32_MAX for a vertex and itself. */
static uint32_t find_edge(const edge_finder *f, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t i = f->starts[low]; i < f->starts[low + 1]; i++)
        if (f->mesh->edges[2 * (size_t)i + 1] == high) return i;
    return UINT32_MAX;
}

static ruga_status edge_finder_fill(edge_finder *f) {
    const contact_mesh *m = f->mesh;
    f->starts = ALLOCATE_ZEROED(m->context, uint32_t, m->vertex_count + 1);
    if (!f->starts) return fail_memory(m->context, (m->vertex_count + 1) * sizeof *f->starts);
    // Edges stand in the order of their lower vertices.
    for (size_t i = 0; i < m->edge_count; i++) f->starts[m->edges[2 * i] + 1]++;
    for (size_t i = 0; i < m->vertex_count; i++) f->starts[i + 1] += f->starts[i];
    return RUGA_OK;
}

/* ---- Ownership */

/* Who owns each vertex or edge, and how many each cluster has. */
typedef struct ownership {
    uint32_t *owners, *counts;
} ownership;

/* A cluster that has few takes from one that has more. */
static void claim(ownership *o, uint32_t item, uint32_t cluster) {
    uint32_t owner = o->owners[item];
    if (owner == cluster || (owner != UINT32_MAX && o->counts[owner] <= o->counts[cluster] + 1)) return;
    if (owner != UINT32_MAX) o->counts[owner]--;
    o->owners[item] = cluster;
    o->counts[cluster]++;
}

static ruga_status ownership_allocate(ruga_context *context, size_t item_count, size_t cluster_count, ownership *o) {
    o->owners = ALLOCATE(context, uint32_t, item_count);
    o->counts = ALLOCATE_ZEROED(context, uint32_t, cluster_count);
    if (!o->owners || !o->counts) return fail_memory(context, item_count * sizeof *o->owners);
    memset(o->owners, 0xff, item_count * sizeof *o->owners);
    return RUGA_OK;
}

static void ownership_release(ruga_context *context, ownership *o) {
    memory_release(context, o->owners);
    memory_release(context, o->counts);
}

static void claim_all(const bvh *tree, const edge_finder *finder, ownership *vertices, ownership *edges) {
    for (uint32_t i = 0; i < tree->leaf_count; i++) {
        const bvh_leaf *leaf = tree->leaves + i;
        for (int lane = 0; lane < BVH_LEAF_SIZE; lane++)
            for (int k = 0; k < 3; k++) {
                uint32_t vertex = leaf->vertex[k][lane];
                uint32_t edge = find_edge(finder, vertex, leaf->vertex[(k + 1) % 3][lane]);
                claim(vertices, vertex, i);
                if (edge != UINT32_MAX) claim(edges, edge, i);
            }
    }
}

/* ---- Filling */

static ruga_status allocate_all(const contact_mesh *m, const bvh *tree, broad_clusters *c) {
    ruga_context *context = m->context;
    c->count = tree->leaf_count;
    c->boxes = memory_allocate_aligned(context, c->count, sizeof *c->boxes);
    c->vertices = memory_allocate_aligned(context, m->vertex_count, sizeof *c->vertices);
    c->vertex_starts = ALLOCATE(context, uint32_t, c->count + 1);
    c->edge_starts = ALLOCATE(context, uint32_t, c->count + 1);
    c->triangles = ALLOCATE(context, uint32_t, BVH_LEAF_SIZE * c->count);
    c->parts = ALLOCATE(context, uint32_t, c->count);
    if (!c->boxes || !c->vertices || !c->vertex_starts || !c->edge_starts || !c->triangles || !c->parts)
        return fail_memory(context, c->count * sizeof *c->boxes);
    return RUGA_OK;
}

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
    c->edges = memory_allocate_aligned(m->context, group_count, sizeof *c->edges);
    if (!c->edges) return fail_memory(m->context, group_count * sizeof *c->edges);
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

ruga_status broad_clusters_fill(const contact_mesh *m, const bvh *tree, const uint32_t *element_triangles,
                                broad_clusters *clusters) {
    edge_finder finder = {m, NULL};
    ownership vertices = {0}, edges = {0};
    ruga_status status = allocate_all(m, tree, clusters);
    if (!RUGA_FAILED(status)) status = edge_finder_fill(&finder);
    if (!RUGA_FAILED(status)) status = ownership_allocate(m->context, m->vertex_count, tree->leaf_count, &vertices);
    if (!RUGA_FAILED(status)) status = ownership_allocate(m->context, m->edge_count, tree->leaf_count, &edges);
    if (!RUGA_FAILED(status)) {
        claim_all(tree, &finder, &vertices, &edges);
        fill_triangles(m, tree, element_triangles, clusters);
        fill_vertices(m, &vertices, clusters);
        status = fill_edges(m, &edges, clusters);
    }
    memory_release(m->context, finder.starts);
    ownership_release(m->context, &vertices);
    ownership_release(m->context, &edges);
    return status;
}

void broad_clusters_release(ruga_context *context, broad_clusters *c) {
    memory_release_aligned(context, c->boxes);
    memory_release_aligned(context, c->vertices);
    memory_release_aligned(context, c->edges);
    memory_release(context, c->vertex_starts);
    memory_release(context, c->edge_starts);
    memory_release(context, c->triangles);
    memory_release(context, c->parts);
}
