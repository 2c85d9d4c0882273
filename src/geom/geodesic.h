/* Distances over a surface from a set of sources, and which place of the sources is nearest.
 *
 *   front    the appendix of Wang et al. 2006: along edges only; the reference. Overestimates.
 *   marching fast marching over triangles: planar fronts through obtuse triangles by unfolding, and, near the sources, exact
 *            distances to the source segments, so that the error does not start large there
 *
 * Vertices out of reach of the sources (another piece, or beyond `limit`) have the distance INFINITY.
 */
#ifndef GEOM_GEODESIC_H
#define GEOM_GEODESIC_H

#include "base/memory.h"
#include "mesh/topology.h"

typedef enum geodesic_method { GEODESIC_MARCHING = 0, GEODESIC_FRONT } geodesic_method;

/* Kept for many questions about one surface; positions and topology are referred to. */
typedef struct geodesic geodesic;
ruga_status geodesic_create(ruga_context *context, const topology *topo, const uint32_t *triangles,
                            const ruga_vec3 *positions, geodesic **out);
void geodesic_destroy(geodesic *g); /* NULL is fine */

/* Sources are vertices along a curve, each with its parameter; neighbours in the list are joined by an edge of the mesh, and the
 * whole edge is a source, unless `breaks` says that a new piece begins. */
typedef struct geodesic_sources {
    size_t count;
    const uint32_t *vertices;
    const double *parameters; /* (count) m along the curve, or anything that grows at about that rate */
    const uint8_t *breaks;    /* (count) 1: no edge from the one before to this; NULL: one piece */
    double period;            /* m, of a closed curve, whose last vertex is joined with its first; 0: open */
    /* (count) m; NULL: 0. Given: vertices near a curve that need not go through any, the exact distance of each, at least of all around
     * it; no edges are sources then. */
    const double *distances;
} geodesic_sources;

/* distances: (vertex_count) m. parameters: NULL, or (vertex_count): the parameter of the nearest place of the sources, continuous along
 * the curve (not that of the nearest vertex: that makes steps); NaN where nothing is reached. Allocates nothing.
 * Costs as much as there are vertices within `limit` (m). reached: NULL, or a list of them in the order in which they were reached, and its count. */
void geodesic_distances(geodesic *g, geodesic_method method, const geodesic_sources *sources, double limit,
                        double *distances, double *parameters, const uint32_t **reached, size_t *reached_count);

#endif
