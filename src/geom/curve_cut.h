/* Curves cut into a mesh: afterwards edges follow them (Wang et al. 2006, section 3).
 *
 * Every triangle that a curve crosses, ends in or touches is triangulated anew by constrained Delaunay in its own plane, with exact
 * predicates (geom/constrained.h). A point of a curve that is nearer than `snap` to a vertex becomes that vertex, one nearer than that to an edge goes
 * onto it. Curves may cross, touch, run along edges, through vertices, and over themselves; where they cross there is one vertex.
 * The original vertices come first, in their order; attributes are interpolated, seams stay seams.
 */
#ifndef GEOM_CURVE_CUT_H
#define GEOM_CURVE_CUT_H

#include "ruga/curve.h"

typedef struct curve_cut_def {
    double
        snap; /* 1, of the local triangle's shortest edge; 0.05. No new angle is smaller than the header of curve_cut.c states for it */
    const struct topology *topo; /* of the mesh, for callers who have it; NULL: made on the way */
} curve_cut_def;

curve_cut_def curve_cut_def_default(void);

typedef struct curve_path {
    size_t count;
    uint32_t *
        vertices; /* (count) of the new mesh; each and the next are joined by an edge; a closed one does not repeat its first */
    int closed;
} curve_path;

typedef struct curve_cut {
    ruga_context *context;
    ruga_mesh *mesh; /* taken out by whoever keeps it: set it to NULL then */
    ruga_map *map;   /* new positions = W old */
    size_t path_count;
    curve_path *paths;         /* one for each curve */
    uint32_t *triangle_parent; /* (mesh->triangle_count) triangle of the old mesh */
} curve_cut;

/* RUGA_ERROR_INPUT with the curve's name and the place for curves over edges of three triangles,
 * over or beside triangles without area, and so short that nothing is left after snapping. */
ruga_status curve_cut_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                           const curve_cut_def *def, curve_cut *out);
void curve_cut_release(curve_cut *cut);

#endif
