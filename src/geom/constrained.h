/* Constrained Delaunay triangulation inside one triangle.
 *
 * A triangle of a mesh is cut by curves: points on its border and inside, and segments between them that are to be edges. Topology
 * is decided in the triangle's own coordinates (u, v), corners (0, 0), (1, 0), (0, 1), by exact predicates. Coordinates are
 * rounded to 2⁻⁴⁰, so points of the border lie on it exactly, and both triangles at an edge have the same points there.
 * What is Delaunay, and what is near, is measured in metres.
 *
 * Segments may cross, touch and run along each other; where two cross there is a point. A segment that passes a point by less than
 * the snap distance goes through it, so that no triangle is thinner than about that; it is never led off by more than twice of it,
 * unless so many segments cross in one triangle that there is no room for more points.
 */
#ifndef GEOM_CONSTRAINED_H
#define GEOM_CONSTRAINED_H

#include "base/memory.h"
#include "ruga/mesh.h"

#define CONSTRAINED_GRID 0x1p40 /* places a unit has */

typedef struct flat_point {
    double x, y;
} flat_point;

typedef struct flat_triangle {
    uint32_t vertices[3];   /* turn left */
    uint32_t neighbours[3]; /* across the edge from vertex k to k + 1; UINT32_MAX: the border */
    uint8_t fixed[3];       /* the edge is a piece of a segment */
} flat_triangle;

/* The edge (a, b), which was fixed, became (a, by) and (by, b). */
typedef struct flat_split {
    uint32_t a, b, by;
} flat_split;

typedef ARRAY(uint32_t) flat_chain;

typedef struct constrained {
    ruga_context *context;
    flat_point across, up;    /* m, the edges from corner 0 to 1 and 2, laid flat */
    double snap;              /* m */
    uint32_t joined[2];       /* ends of the segment that is being made */
    ARRAY(flat_point) points; /* the first three are the corners */
    ARRAY(flat_triangle) triangles;
    ARRAY(flat_split) splits;
} constrained;

/* Lengths of the sides (0, 1), (1, 2), (2, 0), m; they must be those of a triangle with area. */
ruga_status constrained_begin(ruga_context *context, const double sides[3], double snap, constrained *out);
void constrained_release(constrained *c); /* also of one that is all zero */

/* A number within [0, 1], rounded to the grid. */
double constrained_round(double value);

/* A point on edge k (from corner k to k + 1), at 0 < t < 1 of the way, of the grid; and one inside. An existing point at that very place is
 * used again. One that is not inside is RUGA_ERROR_INPUT. */
ruga_status constrained_border_point(constrained *c, int edge, double t, uint32_t *point);
ruga_status constrained_inner_point(constrained *c, double u, double v, uint32_t *point);

/* Makes edges from a to b; appends the points of the way to `chain`, a first, b last. All points should be there before. */
ruga_status constrained_join(constrained *c, uint32_t a, uint32_t b, flat_chain *chain);

/* After all segments: makes what is not fixed Delaunay. */
void constrained_improve(constrained *c);

/* The chain of a segment as later crossings have left it: replaces the chain. */
ruga_status constrained_follow(const constrained *c, flat_chain *chain);

#endif
