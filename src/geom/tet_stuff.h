/* Isosurface stuffing: tets of a body-centred cubic lattice, fitted to a surface (Labelle and Shewchuk 2007).
 *
 * The lattice has two cubic lattices of points, the second shifted by half the spacing along each axis. Its edges are
 * long (spacing, along an axis, within one of the two) or short (√3/2 spacing, between them). Each tet has two long
 * edges, opposite each other, and four short ones.
 *
 *   1. The caller says which points are inside, and where the surface crosses each edge between inside and outside.
 *   2. A point that is too near to a crossing is snapped to it (STUFF_NEAR_LONG, STUFF_NEAR_SHORT of the edge).
 *   3. Tets outside are dropped. Tets that the surface still crosses are cut, by stencils; the quadrilaterals that
 *      this leaves are divided in the same manner from both sides.
 *
 * Steps 2 and 3 alone bound every shape that a tet can get, whatever the surface. STUFF_LEAST_ANGLE and
 * STUFF_MOST_ANGLE are the worst dihedral angles that a search over random and extreme crossings has found: measured,
 * not proved. The two distances are those with the best least angle of it (the paper has 0.24999 and 0.41189, for
 * another bound).
 *
 * Departure from the paper: snapping can make the surface touch itself at a vertex or an edge. Such points keep their
 * place, and crossings that are too near to them are moved along the edge to the bound of step 2. The surface of the
 * tets is then a closed manifold always, with the same bounds of angles. */
#ifndef GEOM_TET_STUFF_H
#define GEOM_TET_STUFF_H

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"

#define STUFF_NEAR_LONG 0.285
#define STUFF_NEAR_SHORT 0.397
#define STUFF_LEAST_ANGLE 10.6 /* degrees */
#define STUFF_MOST_ANGLE 164.8
enum { STUFF_EDGES = 7 };

/* Points of the lattice. Point p = 2 ((c counts[1] + b) counts[0] + a) + s, of lattice s = 0 or 1, is at
 * origin + spacing (a + s / 2, b + s / 2, c + s / 2). */
typedef struct stuff_grid {
    vec3 origin;     /* m */
    double spacing;  /* m */
    size_t count[3]; /* points of each lattice along each axis, at least 5 */
} stuff_grid;

/* An edge from its lower end. */
typedef struct stuff_edge {
    size_t point;
    int direction; /* 0 to 2: long, along x, y, z; 3 to 6: short, upwards in z */
} stuff_edge;

typedef struct stuff_lattice {
    ruga_context *context;
    stuff_grid grid;
    size_t point_count;
    int8_t *inside;   /* (points) the caller's: 1 inside, -1 outside. The two outermost layers are outside. */
    uint8_t *crossed; /* (points) a bit for each of its edges that the surface crosses */
    uint32_t *first;  /* (points) number of its first crossing */
    size_t crossing_count;
    stuff_edge *edges; /* (crossings) */
    double *at;        /* (crossings) the caller's: where, from 0 at the lower end to 1 */
} stuff_lattice;

typedef struct stuff_counts {
    size_t snapped; /* points */
    size_t kept;    /* points that were not snapped, to keep the surface manifold */
    int rounds;     /* until the surface was manifold */
} stuff_counts;

/* Allocates the points. Release it after a failure too. */
ruga_status stuff_lattice_make(ruga_context *context, const stuff_grid *grid, stuff_lattice *out);
void stuff_lattice_release(stuff_lattice *lattice);

vec3 stuff_place(const stuff_grid *grid, size_t point);          /* m */
size_t stuff_other_end(const stuff_grid *grid, stuff_edge edge); /* the other end of an edge */

/* Lists the crossed edges from `inside`. The caller then fills `at`. */
ruga_status stuff_find_crossings(stuff_lattice *lattice);

/* Vertices, tets and their surface; every vertex is used. On failure the caller releases the parts. */
ruga_status stuff_make(const stuff_lattice *lattice, mesh_parts *parts, stuff_counts *counts);

#endif
