/* A closed triangle mesh, sliced by the cells of a regular grid: the regions of material in each cell.
 *
 * Rémillard and Kry 2013, section 5.1, figure 5. All coordinates are those of the grid: cell (i, j, k) is the box from
 * (i, j, k) to (i + 1, j + 1, k + 1). Only planes between cells cut; the mesh lies between the outermost ones.
 *
 *     pieces     each triangle, clipped by the cells that it passes through; every side of a piece knows the edge of
 *                the triangle, or the plane of the cell, that it lies on
 *     regions    a region is what is connected within a cell: pieces that share an edge of the mesh there, and the ends
 *                of each stretch of a cell's edge that lies in the material
 *     links      regions of adjacent cells that share a part of the face between them
 *
 * A vertex on a plane counts as above it, everywhere: so a mesh whose vertices lie on planes is sliced as one that is
 * a little higher, and all that is decided is consistent. Stretches come from the corners of pieces where a triangle
 * crosses the line between two planes; the order of the sides there says whether it enters or leaves the material.
 *
 * Volumes and first moments are exact, up to rounding. The material of a region is what lies below its pieces, minus
 * and plus, and below the part of the cell's upper face that belongs to it. That part is in turn bounded by sides of
 * pieces, and by stretches on the face's edge. A hole (a tunnel, a cavity) is at first a region of negative volume; it
 * then joins the region around it: the only other one in the cell, or the nearest.
 */
#ifndef GEOM_LATTICE_SLICES_H
#define GEOM_LATTICE_SLICES_H

#include "base/memory.h"
#include "math/vec3.h"

enum { SLICE_BOXES = 27 }; /* 3 x 3 x 3 boxes of a region: x fastest, then y, then z */

typedef struct slice_point {
    double at[3];
} slice_point;

/* Volume and first moments, in units and coordinates of the cell, from 0 to 1. */
typedef struct slice_sums {
    double volume, moments[3];
} slice_sums;

typedef struct slice_region {
    uint32_t cell[3];
    slice_point low, high; /* its box in the cell's coordinates, 0…1 */
    double volume;         /* in units of the cell */
    uint32_t boxes;        /* index of its sums; NO_INDEX: the cell is full */
    uint32_t node;         /* for lattice_slices.c: a piece of it, or, of a full cell, a crossing */
} slice_region;

typedef struct slice_link {
    uint32_t low, high; /* regions, of adjacent cells */
    uint32_t axis;
} slice_link;

typedef struct lattice_slices {
    ruga_context *context;
    size_t region_count;
    slice_region *regions;
    slice_sums (*boxes)[SLICE_BOXES]; /* of regions that are not full cells */
    size_t link_count;
    slice_link *links;        /* repetitions occur */
    uint32_t *vertex_regions; /* (vertices) that the vertex belongs to */
} lattice_slices;

typedef struct slice_input {
    ruga_context *context;
    uint32_t counts[3]; /* of cells along each axis */
    size_t vertex_count, triangle_count;
    const slice_point *points; /* (vertices) each coordinate between 0 and its count */
    const uint32_t *triangles; /* (triangles x 3) closed: every edge in both directions */
} slice_input;

/* RUGA_ERROR_INPUT: a vertex without a triangle, a surface that is inside out. */
ruga_status lattice_slices_make(const slice_input *input, lattice_slices *out);
void lattice_slices_release(lattice_slices *slices); /* zeros are fine */

/* ---- Between lattice_slices.c and lattice_volumes.c. */

enum { SLICE_CORNERS = 12, SLICE_PLANES = 3 }; /* sides of a piece: 0 to 2: of the triangle; 3 + 2 axis + upper */

typedef struct slice_polygon {
    slice_point points[SLICE_CORNERS];
    unsigned char sides[SLICE_CORNERS]; /* from corner i to corner i + 1 */
    int count;
} slice_polygon;

/* The thirds of a region's box along each axis. */
typedef struct slice_thirds {
    double at[3][4];
} slice_thirds;
slice_thirds slice_thirds_of(const slice_region *region);

/* Adds the material below a polygon in the coordinates of the cell, minus where it faces downwards. */
void slice_add_below_polygon(const slice_thirds *thirds, const slice_polygon *polygon, slice_sums sums[SLICE_BOXES]);
/* Adds the material below the part of the upper face (y = 1) that a side of a piece bounds, towards lower z; and below
 * that which a stretch of the face's edge at z = 1 bounds. */
void slice_add_below_side(const slice_thirds *thirds, slice_point from, slice_point to, slice_sums sums[SLICE_BOXES]);
void slice_add_below_stretch(const slice_thirds *thirds, double from, double to, slice_sums sums[SLICE_BOXES]);

#endif
