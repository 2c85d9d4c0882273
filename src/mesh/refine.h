/* Cutting every triangle of a mesh into smaller ones, with everything that the mesh carries.
 *
 * A cut says for each triangle which pattern its children form, in local points: those with barycentric numerators
 * (n - i - j, i, j) / n. The same cut is made through any set of index triangles over the same mesh: those of the
 * vertices, and those of a corner attribute's values. Where two triangles name the same two values along an edge they
 * share the new values too, so seams stay seams and no new ones appear.
 */
#ifndef MESH_REFINE_H
#define MESH_REFINE_H

#include "mesh/mesh.h"
#include "mesh/topology.h"

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

/* Every edge into n, every triangle into n². Fails with RUGA_ERROR_ARGUMENT when that is too many. */
ruga_status cut_regular(const ruga_mesh *mesh, uint32_t n, cut *out);
/* Edges longer than `length` in two. *longest receives the longest edge. */
ruga_status cut_long_edges(const ruga_mesh *mesh, double length, cut *out, double *longest);
void cut_release(cut *c);

static inline size_t cut_local_point(uint32_t n, size_t i, size_t j) { return j * (2 * (size_t)n + 3 - j) / 2 + i; }
static inline const cut_pattern *cut_pattern_of(const cut *c, size_t triangle) {
    return &c->patterns[c->pattern_of ? c->pattern_of[triangle] : 0];
}

/* A new point: its numerators over n say how much of each old point it has. */
typedef struct point_source {
    uint32_t point[3];
    uint16_t numerator[3];
} point_source;

/* Index triangles after a cut. */
typedef struct refinement {
    size_t old_count, new_count; /* points before; points that came */
    point_source *sources;       /* (new_count); the points are old_count, old_count + 1, … */
    uint32_t *triangles;         /* (child_offsets[triangle_count] x 3) */
    topology *topo;              /* of the old triangles */
    uint32_t *edge_points; /* (edge_count) the first of an edge's n - 1 points, from its lower end; NO_INDEX: none */
} refinement;

/* Points of an edge from a point to itself, and those within a triangle of one point, are that point. */
ruga_status refinement_make(const cut *c, size_t point_count, const uint32_t *triangles, refinement *out);
void refinement_release(ruga_context *context, refinement *r);

/* Carries attributes, splits, edges and lines of a mesh over to parts whose vertices and faces are made already, from r. */
ruga_status refine_attributes(const ruga_mesh *mesh, const cut *c, const refinement *r, mesh_parts *parts);

#endif
