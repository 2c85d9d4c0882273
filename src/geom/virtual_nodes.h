/* The virtual node algorithm on triangle meshes (Molino et al. 2004; Patkar et al. 2015, section 3).
 *
 *     mesh with curves cut into it ──▶ pieces of its triangles ──▶ one copy of a triangle for each piece
 *
 * A cut divides a triangle into pieces. Each piece becomes a copy of the whole triangle with the piece's share of the
 * material, so that no small triangle is made. Two copies share their corners where their pieces touch across an edge:
 * a vertex gets one copy for each connected part of the material in the triangles around it. The part that holds the
 * vertex itself keeps the original vertex; the others get virtual nodes.
 *
 * Any number of cuts may pass through an edge or a triangle, cross, meet, and end at vertices.
 *
 *     simulated   the vertices of the mesh first, in their order, then the virtual nodes
 *     visible     the vertices of the mesh first, in their order, then those of the cuts; its faces end at the cuts
 *
 * A vertex of a cut is on both sides of it, and at a crossing in four sectors: it has an embedded node in each, and is
 * shown at their mean.
 */
#ifndef GEOM_VIRTUAL_NODES_H
#define GEOM_VIRTUAL_NODES_H

#include "geom/curve_cut.h"

#define VIRTUAL_LEAST_SHARE 1e-7 /* of a triangle's area: smaller pieces get no copy unless a vertex is in them */

/* A vertex of a cut, as one of the sectors around it sees it. */
typedef struct embedded_node {
    uint32_t vertex;    /* of the visible mesh */
    uint32_t points[3]; /* its parents: corners of a simulated triangle */
    double weights[3];  /* of these */
} embedded_node;

/* Which cuts lie between a vertex and its virtual copy. `weight` is 1 for a cut that is crossed from its right to its
 * left, -1 for the opposite direction. Of several shortest paths the mean is taken. */
typedef struct virtual_crossing {
    uint32_t path; /* of the cut */
    double weight;
} virtual_crossing;

/* An edge of a cut, with the simulated triangles whose pieces meet there. */
typedef struct virtual_side {
    uint32_t path;
    uint32_t from, to;    /* vertices of the visible mesh, in the direction of the path */
    uint32_t left, right; /* simulated triangles, of one parent */
} virtual_side;

typedef struct virtual_nodes {
    ruga_context *context;
    ruga_mesh *simulated;        /* with the attributes of the mesh; to keep it, take it and set this to NULL */
    uint32_t *vertex_of;         /* (simulated vertices) the vertex of the mesh */
    uint32_t *triangle_parent;   /* (simulated triangles) the triangle of the mesh */
    double *shares;              /* (simulated triangles) 1, above 0 */
    uint32_t *shown;             /* (simulated triangles) the largest visible triangle of its piece */
    ruga_map *visible;           /* vertices of the visible mesh = W simulated ones; may be taken as well */
    size_t embedded_count;       /* at least two for each vertex of a cut */
    embedded_node *embedded;     /* (embedded_count) by vertex of the visible mesh */
    size_t virtual_count;        /* simulated vertices that are copies */
    uint32_t *crossing_offsets;  /* (virtual_count + 1) into crossings */
    virtual_crossing *crossings; /* rising paths for each virtual node */
    size_t side_count;
    virtual_side *sides; /* (side_count) where both pieces have a copy */
} virtual_nodes;

/* cut: of `mesh`, with cut->mesh and cut->map still in it. curves: that it was cut along, for messages.
 * RUGA_ERROR_INPUT names the curve and the triangle. */
ruga_status virtual_nodes_make(const ruga_mesh *mesh, const curve_cut *cut, const ruga_curve *const *curves,
                               virtual_nodes *out);
void virtual_nodes_release(virtual_nodes *nodes);

#endif
