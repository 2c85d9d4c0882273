/* Distances over a surface from a set of sources, and the nearest place of the sources, by fast marching over
 * triangles: planar fronts, through obtuse triangles by unfolding, and, near the sources, exact distances to the source
 * segments, so that the initial error is small.
 *
 * Vertices that the sources do not reach (on another piece, or beyond `limit`) have the distance INFINITY.
 */
#ifndef GEOM_GEODESIC_H
#define GEOM_GEODESIC_H

#include "base/memory.h"
#include "mesh/topology.h"

/* For many queries on one surface. Positions and topology are not copied. */
typedef struct geodesic geodesic;
ruga_status geodesic_create(ruga_context *context, const topology *topo, const uint32_t *triangles,
                            const ruga_vec3 *positions, geodesic **out);
void geodesic_destroy(geodesic *g); /* NULL is fine */

/* Sources are vertices along a curve, each with its parameter. Consecutive ones are joined by an edge of the mesh, and
 * the whole edge is a source, unless `breaks` starts a new piece. */
typedef struct geodesic_sources {
    size_t count;
    const uint32_t *vertices;
    const double *parameters; /* (count) m along the curve, or a quantity that grows at about that rate */
    const uint8_t *breaks;    /* (count) 1: no edge from the one before to this; NULL: one piece */
    double period;            /* m, of a closed curve, whose last vertex is joined with its first; 0: open */
    /* (count) m; NULL: 0. Otherwise the curve need not pass through vertices: these are the exact distances of all
     * vertices around it, and no edges are sources. */
    const double *distances;
} geodesic_sources;

/* distances: (vertex_count) m. parameters: NULL, or (vertex_count): the parameter of the nearest place of the sources,
 * which is continuous along the curve; NaN at vertices that are not reached. The cost grows with the number of vertices
 * within `limit` (m). reached: NULL, or receives the list of them, in the order in which they were reached. Allocates
 * nothing. */
void geodesic_distances(geodesic *g, const geodesic_sources *sources, double limit, double *distances,
                        double *parameters, const uint32_t **reached, size_t *reached_count);

#endif
