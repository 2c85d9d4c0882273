/* Free cuts: any triangles of a mesh are cut into any smaller ones, with all attributes. Used for curves that become
 * edges and for local refinement. The old vertices come first, in their order; then the points of edges, edge after
 * edge; then the points inside triangles.
 *
 * Where two triangles name the same two values along an edge they share the new values too, so seams stay seams and no
 * new ones appear.
 */
#ifndef MESH_REFINE_FREE_H
#define MESH_REFINE_FREE_H

#include "mesh/cut_room.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "ruga/map.h"

typedef struct inner_point {
    double weights[3]; /* of the triangle's corners; their sum is 1 */
} inner_point;

/* Local points of a triangle: its corners 0 to 2; the points of its edges 0, 1, 2 (edge k joins corners k and k + 1),
 * each from the edge's lower vertex to the other; then the inner points. */
typedef struct free_cut {
    const topology *topo;    /* of the mesh */
    uint32_t *edge_offsets;  /* (edge_count + 1) into edge_places */
    double *edge_places;     /* how far from its lower vertex to the other, in (0, 1), rising within an edge */
    uint32_t *inner_offsets; /* (triangle_count + 1) into inner_points */
    inner_point *inner_points;
    uint32_t *child_offsets; /* (triangle_count + 1) into children, in triangles */
    uint32_t *children;      /* (children x 3) local points; ignored for a triangle that is not cut */
    /* Optional lists, rising. NULL: free_cut_apply finds them. */
    size_t cut_edge_count, cut_triangle_count;
    uint32_t *cut_edges;     /* (cut_edge_count) with points */
    uint32_t *cut_triangles; /* (cut_triangle_count) with more than one child */
    cut_room *room;          /* optional, of the mesh: has arrays of the result */
    int is_sparse; /* with lists: offsets are set at cut triangles, at their edges, behind these, and at the ends alone.
                      Not for meshes with polygons, lines or explicit edges */
} free_cut;

static inline uint32_t free_cut_edge_count(const free_cut *c, uint32_t edge) {
    return c->edge_offsets[edge + 1] - c->edge_offsets[edge];
}

void free_cut_release(ruga_context *context, free_cut *c); /* all but the topology and the room */

/* The vertex of the new mesh behind a local point of a triangle. */
uint32_t free_cut_vertex(const ruga_mesh *mesh, const free_cut *c, size_t triangle, uint32_t local);

/* Explicit edges and lines run through the new points of edges. map: new positions = W old, bit-identical. Meshes with
 * tets can't be cut: RUGA_ERROR_INPUT. */
ruga_status free_cut_apply(const ruga_mesh *mesh, const free_cut *c, ruga_mesh **out, ruga_map **map);

/* Faces of which no triangle was cut become polygons again, so that quads stay quads. parts: the result of the cut,
 * where every face is a triangle, child after child. The triangles of the mesh that is made of the parts stay the
 * same, in the same order. */
ruga_status refine_restore_polygons(const ruga_mesh *mesh, const free_cut *c, mesh_parts *parts);

#endif
