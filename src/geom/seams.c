/* A seam is a pair of boundary edges with the same positions at rest and opposite directions, as the triangles on the
 * two sides of an edge have. Vertices that merely touch, and the edges of two coincident sheets, are no seam. */
#include "geom/seams.h"

#include "base/sort.h"
#include "mesh/places.h"
#include "mesh/sets.h"
#include "mesh/topology.h"

/* A boundary edge in the direction of its triangle, and the places of its ends. */
typedef struct seam_edge {
    uint32_t from, to, low, high;
} seam_edge;

typedef struct seam_finder {
    const ruga_mesh *mesh;
    const topology *topo;
    uint32_t *places; /* (vertices) the lowest vertex with the same position */
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

/* The partner of an edge among those at its place: the only edge of the opposite direction, if no other has its own. */
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

ruga_status seams_find(const ruga_mesh *mesh, uint32_t *lowest) {
    ruga_context *context = mesh->context;
    topology *topo;
    TRY(topology_build_mesh(mesh, &topo));
    seam_finder f = {.mesh = mesh, .topo = topo};
    ruga_status status = NEW(context, &f.places, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &f.keys, topo->edge_count);
    if (!RUGA_FAILED(status)) status = places_find(context, mesh->vertex_count, mesh->positions, f.places);
    if (!RUGA_FAILED(status)) {
        size_t count = 0;
        for (size_t e = 0; e < topo->edge_count; e++)
            if (topology_edge_size(topo, e) == 1) f.keys[count++] = (uint64_t)edge_of(&f, e).low << 32 | e;
        sort_keys(f.keys, count);
        for (size_t v = 0; v < mesh->vertex_count; v++) lowest[v] = (uint32_t)v;
        for (size_t begin = 0, end; begin < count; begin = end) {
            for (end = begin; end < count && f.keys[end] >> 32 == f.keys[begin] >> 32;) end++;
            for (size_t i = begin; i < end; i++) {
                seam_edge edge = edge_of(&f, (uint32_t)f.keys[i]), partner = edge;
                if (!find_partner(&f, begin, end, &edge, &partner)) continue;
                sets_unite(lowest, edge.from, partner.to);
                sets_unite(lowest, edge.to, partner.from);
            }
        }
        for (size_t v = 0; v < mesh->vertex_count; v++) lowest[v] = set_lowest(lowest, (uint32_t)v);
    }
    RELEASE_ALL(context, f.places, f.keys);
    topology_destroy(topo);
    return status;
}
