/* Constrained Delaunay triangulation inside one triangle.
 *
 * Curves cut a triangle of a mesh: there are points on its border and inside, and segments between them that become
 * edges. Topology is decided in the triangle's own coordinates (u, v), corners (0, 0), (1, 0), (0, 1), by exact
 * predicates. Coordinates are rounded to 2⁻⁴⁰, so points of the border lie on it exactly, and both triangles at an edge
 * have the same points there. The Delaunay criterion and the snap distance are measured in metres.
 *
 * Segments may cross, touch and overlap; a crossing becomes a point. A segment that passes a point within the snap
 * distance goes through it, so that no triangle is much thinner than that. It deviates by at most twice the snap
 * distance, unless so many segments cross in one triangle that there is no room for more points.
 */
#ifndef GEOM_CONSTRAINED_H
#define GEOM_CONSTRAINED_H

#include "base/memory.h"
#include "math/vec2.h"

#define CONSTRAINED_GRID 0x1p40 /* grid points per unit */

typedef struct flat_triangle {
    uint32_t vertices[3];   /* counter-clockwise */
    uint32_t neighbours[3]; /* across the edge from vertex k to k + 1; UINT32_MAX: the border */
    uint8_t fixed[3];       /* the edge is a piece of a segment */
} flat_triangle;

/* The fixed edge (a, b) became (a, by) and (by, b). */
typedef struct flat_split {
    uint32_t a, b, by;
} flat_split;

typedef ARRAY(uint32_t) flat_chain;

typedef struct constrained {
    ruga_context *context;
    vec2 across, up;    /* m, the edges from corner 0 to 1 and 2, in the plane */
    double snap;        /* m */
    uint32_t joined[2]; /* ends of the segment being inserted */
    ARRAY(vec2) points; /* the first three are the corners */
    ARRAY(flat_triangle) triangles;
    ARRAY(flat_split) splits;
} constrained;

/* Lengths of the sides (0, 1), (1, 2), (2, 0), m; they must be those of a triangle with area. */
ruga_status constrained_begin(ruga_context *context, const double sides[3], double snap, constrained *out);
void constrained_release(constrained *c); /* also if it is all zero */

/* A number within [0, 1], rounded to the grid. */
double constrained_round(double value);

/* Adds a point on edge k (from corner k to k + 1) at the parameter 0 < t < 1, which is on the grid; or an inner point.
 * An existing point at the same place is reused. A point outside the triangle is RUGA_ERROR_INPUT. */
ruga_status constrained_border_point(constrained *c, int edge, double t, uint32_t *point);
ruga_status constrained_inner_point(constrained *c, double u, double v, uint32_t *point);

/* Makes edges from a to b and appends their points to `chain`, a first, b last. Add all points before the first
 * segment. */
ruga_status constrained_join(constrained *c, uint32_t a, uint32_t b, flat_chain *chain);

/* After all segments: makes the edges that are not fixed Delaunay. */
void constrained_improve(constrained *c);

/* Replaces the chain of a segment by its edges after later segments split them. */
ruga_status constrained_follow(const constrained *c, flat_chain *chain);

#endif
