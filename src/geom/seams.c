/* Seams of a mesh: two boundary edges in the same place at rest that run opposite ways, as triangles on the two sides of an edge
 * do. Vertices that merely touch, and the edges of two sheets that lie on each other, are no seam. */
#include "geom/seams.h"

#include "base/sort.h"
#include "mesh/places.h"
#include "mesh/topology.h"

/* The lowest vertex of a set; ways to it are made shorter as they are gone. */
static uint32_t find_lowest(uint32_t *lowest, uint32_t v) {
    while (lowest[v] != v) v = lowest[v] = lowest[lowest[v]];
    return v;
}

static void unite(uint32_t *lowest, uint32_t a, uint32_t b) {
    a = find_lowest(lowest, a), b = find_lowest(lowest, b);
    lowest[a > b ? a : b] = a < b ? a : b;
}

/* A boundary edge in the direction of its triangle, and between which places it is. */
typedef struct seam_edge {
    uint32_t from, to, low, high;
} seam_edge;

typedef struct seam_finder {
    const ruga_mesh *mesh;
    const topology *topo;
    uint32_t *places; /* (vertices) the lowest vertex in the same place */
    uint64_t *keys;   /* (boundary edges) lower place, edge: sorted */
} seam_finder;

static seam_edge edge_of(const seam_finder *f, size_t e) {
    size_t t = f->topo->edge_triangles[f->topo->edge_offsets[e]], k = 0;
    while (f->topo->triangle_edges[3 * t + k] != e) k++;
    seam_edge edge = {.from = f->mesh->triangles[3 * t + k], .to = f->mesh->triangles[3 * t + (k + 1) % 3]};
    uint32_t a = f->places[edge.from], b = f->places[edge.to];
    edge.low = a < b ? a : b;
    edge.high = a < b ? b : a;
    return edge;
}

/* Boundary edges sorted by their lower place. */
static size_t collect_edges(const seam_finder *f) {
    size_t count = 0;
    for (size_t e = 0; e < f->topo->edge_count; e++)
        if (f->topo->edge_offsets[e + 1] - f->topo->edge_offsets[e] == 1)
            f->keys[count++] = (uint64_t)edge_of(f, e).low << 32 | e;
    sort_keys(f->keys, count);
    return count;
}

/* Of the edges at one place: the only one that runs the opposite way, if there is only this one that runs its own. */
static int find_partner(const seam_finder *f, size_t begin, size_t end, const seam_edge *edge, seam_edge *partner) {
    int opposite = 0, same = 0;
    for (size_t i = begin; i < end; i++) {
        seam_edge other = edge_of(f, (uint32_t)f->keys[i]);
        if (other.low != edge->low || other.high != edge->high) continue;
        if (f->places[other.from] == f->places[edge->from]) {
            same++;
        } else {
            opposite++;
            *partner = other;
        }
    }
    return same == 1 && opposite == 1;
}

static void unite_edges(const seam_finder *f, size_t count, uint32_t *lowest) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && f->keys[end] >> 32 == f->keys[begin] >> 32;) end++;
        for (size_t i = begin; i < end; i++) {
            seam_edge edge = edge_of(f, (uint32_t)f->keys[i]), partner = edge;
            if (!find_partner(f, begin, end, &edge, &partner)) continue;
            unite(lowest, edge.from, partner.to);
            unite(lowest, edge.to, partner.from);
        }
    }
}

ruga_status seams_find(const ruga_mesh *mesh, uint32_t *lowest) {
    ruga_context *context = mesh->context;
    topology *topo;
    TRY(topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &topo));
    seam_finder finder = {.mesh = mesh,
                          .topo = topo,
                          .places = ALLOCATE(context, uint32_t, mesh->vertex_count),
                          .keys = ALLOCATE(context, uint64_t, topo->edge_count)};
    ruga_status status = finder.places && finder.keys ? RUGA_OK : fail_memory(context, topo->edge_count * 8);
    if (!RUGA_FAILED(status)) status = places_find(context, mesh->vertex_count, mesh->positions, finder.places);
    if (!RUGA_FAILED(status)) {
        for (size_t v = 0; v < mesh->vertex_count; v++) lowest[v] = (uint32_t)v;
        unite_edges(&finder, collect_edges(&finder), lowest);
        for (size_t v = 0; v < mesh->vertex_count; v++) lowest[v] = find_lowest(lowest, (uint32_t)v);
    }
    memory_release(context, finder.places);
    memory_release(context, finder.keys);
    topology_destroy(topo);
    return status;
}
