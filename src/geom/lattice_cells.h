/* A hexahedral lattice over a triangle mesh: elements, control nodes, quadrature, and the embedding of the mesh.
 *
 * Rémillard and Kry 2013, section 5.1. The box around the mesh is cut into cells of equal size, near the wanted one.
 * Each connected region of material in a cell (geom/lattice_slices.h) gets an element of its own, with 27 control nodes
 * of quadratic B-splines (or 8 of trilinear functions). Across every face where two regions are connected, the 18 (or
 * 4) nodes that both elements have there become one. So parts that are near each other but not connected, as fingers or
 * lips, have elements that are superimposed and move independently.
 *
 *     x(X) = Σ N_i(X) q_i       N_i ≥ 0 in the cell, Σ N_i = 1, Σ N_i X_i = X; C¹ across faces (trilinear: C⁰)
 *
 * Quadrature. An element that fills a box exactly has 27 Gauss points in it: exact to degree 5 along each axis, and so
 * for the elastic energy of small strains. Other elements have a point in each of the 27 boxes of their material, at
 * the centroid of the material there, weighted by its volume: both exact, so that linear functions are integrated
 * exactly (volume, mass, centre of mass, weight), and smooth ones to second order. Volumes add up to the mesh's.
 *
 * Masses are lumped: node i has the mass of ∫ N_i, which is positive.
 *
 * An element with less than LATTICE_LEAST of a cell is absorbed by the neighbour that it shares most links with: its
 * vertices and its volume then belong to that one, whose polynomials are continued a little across the face.
 */
#ifndef GEOM_LATTICE_CELLS_H
#define GEOM_LATTICE_CELLS_H

#include "base/memory.h"
#include "math/vec3.h"
#include "ruga/map.h"

#define LATTICE_LEAST 0.01 /* of a cell */
enum { LATTICE_POINTS = 27, LATTICE_CORNERS = 27, LATTICE_MOST_CELLS = 1000000 };

typedef struct lattice_cells_def {
    double spacing; /* m, wanted size of a cell; cells fit the box around the mesh */
    int is_linear;  /* trilinear elements */
} lattice_cells_def;

/* For reports. */
typedef struct lattice_report {
    size_t open_borders, border_edges; /* that were closed, for the lattice only */
    size_t shared_cells;               /* with more than one element */
    size_t absorbed;                   /* elements with too little material */
    double volume;                     /* m³, of the mesh, closed */
} lattice_report;

typedef struct lattice_cells {
    ruga_context *context;
    int is_linear;
    size_t corner_count; /* nodes of an element: 27 or 8; x fastest, then y, then z */
    vec3 origin, cell;   /* m: lower corner of the first cell, and the size of each */
    uint32_t counts[3];  /* cells along each axis */
    size_t element_count;
    uint32_t (*cells)[3];    /* (elements) */
    uint32_t *element_nodes; /* (elements x corner_count) */
    double *volumes;         /* (elements) m³ */
    size_t node_count;
    vec3 *nodes;          /* (nodes) m, at rest; duplicates share their place */
    double *node_volumes; /* (nodes) m³: ∫ N_i; their sum is the volume */
    size_t *offsets;      /* (elements + 1) of its quadrature points */
    double *weights;      /* (quadrature points) m³ */
    vec3 *places;         /* (quadrature points) m, at rest */
    size_t *shapes;       /* (elements) of its first point's gradients; elements that are alike share them */
    vec3 *gradients;      /* (points x corner_count) 1/m: dN/dX */
    ruga_map *embedding;  /* B: mesh vertices = B nodes */
    lattice_report report;
} lattice_cells;

/* RUGA_ERROR_INPUT: a spacing that is not positive or makes more than LATTICE_MOST_CELLS cells, a flat or empty mesh,
 * faces that are not oriented alike, a surface that is inside out, vertices without faces. */
ruga_status lattice_cells_create(const ruga_mesh *mesh, const lattice_cells_def *def, lattice_cells **out);
void lattice_cells_destroy(lattice_cells *lattice); /* NULL is fine */

/* Shape functions and, unless NULL, their gradients, 1/m, of an element at a place at rest, m; (corner_count) each. */
void lattice_cells_shape(const lattice_cells *lattice, size_t element, vec3 place, double *values, vec3 *gradients);

#endif
