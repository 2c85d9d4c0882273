/* Cuts curves into a mesh, so that edges follow them (Wang et al. 2006, section 3).
 *
 * Every triangle that a curve crosses, ends in or touches is triangulated again by constrained Delaunay in its own
 * plane, with exact predicates (geom/constrained.h). A point of a curve within the snap distance of a vertex becomes
 * that vertex; within the snap distance of an edge it moves onto the edge. Curves may cross, touch, overlap edges, pass
 * through vertices, and cross themselves; each crossing becomes one vertex. The original vertices come first, in their
 * order; attributes are interpolated, seams stay seams.
 */
#ifndef GEOM_CURVE_CUT_H
#define GEOM_CURVE_CUT_H

#include "ruga/curve.h"

typedef struct curve_cut_def {
    double snap; /* 1, of the local triangle's shortest edge; 0.05. curve_cut.c states the smallest angles for it */
    const struct topology *topo; /* of the mesh, if the caller has it; NULL: built */
} curve_cut_def;

curve_cut_def curve_cut_def_default(void);

typedef struct curve_path {
    size_t count;
    uint32_t *vertices; /* (count) of the new mesh, joined by edges; a closed path does not repeat its first vertex */
    int closed;
} curve_path;

typedef struct curve_cut {
    ruga_context *context;
    ruga_mesh *mesh; /* to keep it, take it and set this to NULL */
    ruga_map *map;   /* new positions = W old */
    size_t path_count;
    curve_path *paths;         /* one for each curve */
    uint32_t *triangle_parent; /* (mesh->triangle_count) triangle of the old mesh */
} curve_cut;

/* RUGA_ERROR_INPUT, with the curve's name and the place, for a curve that meets an edge of three triangles or a
 * triangle without area, or that is too short to remain after snapping. */
ruga_status curve_cut_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                           const curve_cut_def *def, curve_cut *out);
void curve_cut_release(curve_cut *cut);

#endif
