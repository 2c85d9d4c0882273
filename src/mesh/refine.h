/* Regular cuts: every triangle of a mesh is cut into smaller ones by a pattern, with all attributes.
 *
 * A pattern lists the children of a triangle by local points: those with barycentric numerators (n - i - j, i, j) / n.
 * The same cut applies to any index triangles over the same mesh: those of the vertices, and those of the values of a
 * corner attribute. Where two triangles name the same two values along an edge they share the new values too, so seams
 * stay seams and no new ones appear. refine_free.h has cuts without patterns.
 */
#ifndef MESH_REFINE_H
#define MESH_REFINE_H

#include "mesh/attribute_values.h"

#define MAX_PARTS 256 /* of an edge */

/* How one triangle is cut. */
typedef struct cut_pattern {
    size_t child_count;
    const uint16_t *children; /* (child_count x 3) local points */
    unsigned edges;           /* bit k: edge k has points */
    int inner;                /* whether there are points inside */
} cut_pattern;

typedef struct cut {
    ruga_context *context;
    uint32_t n;           /* parts of an edge that is cut */
    size_t local_count;   /* (n + 1)(n + 2) / 2 */
    uint16_t *numerators; /* (local_count x 3) */
    uint16_t *children;   /* of all patterns, owned */
    cut_pattern patterns[16];
    uint8_t *pattern_of;     /* (triangle_count); NULL: all have pattern 0 */
    size_t triangle_count;   /* of the mesh that is cut */
    uint32_t *child_offsets; /* (triangle_count + 1) */
} cut;

/* Every edge into n, every triangle into n². Fails with RUGA_ERROR_ARGUMENT when that is too many; release a cut then
 * too. */
ruga_status cut_regular(const ruga_mesh *mesh, uint32_t n, cut *out);
/* Edges longer than `length` in two. *longest receives the longest edge. */
ruga_status cut_long_edges(const ruga_mesh *mesh, double length, cut *out, double *longest);
void cut_release(cut *c);

static inline size_t cut_local_point(uint32_t n, size_t i, size_t j) { return j * (2 * (size_t)n + 3 - j) / 2 + i; }
static inline const cut_pattern *cut_pattern_of(const cut *c, size_t triangle) {
    return &c->patterns[c->pattern_of ? c->pattern_of[triangle] : 0];
}

/* Index triangles after a cut; the weights of new points are numerators over n. */
typedef struct refinement {
    size_t old_count;       /* points before */
    index_cut cut;          /* (child_offsets[triangle_count] x 3) corners */
    topology *topo;         /* of the old triangles */
    uint32_t *edge_offsets; /* (edge_count + 1) the new points of each edge, from its lower end */
} refinement;

/* New points on an edge from a point to itself, or inside a triangle of one point, are that point. */
ruga_status refinement_make(const cut *c, size_t point_count, const uint32_t *triangles, refinement *out);
void refinement_release(ruga_context *context, refinement *r);

/* Adds attributes, splits, edges and lines of a mesh to parts that have the vertices and faces of r. */
ruga_status refine_attributes(const ruga_mesh *mesh, const cut *c, const refinement *r, mesh_parts *parts);

#endif
