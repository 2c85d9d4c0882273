/* Hard edges: edges of a surface that a smooth one on it should not round off.
 *
 * A mesh with normals decides by them: an edge is hard where the normals of its two faces differ at one of its ends.
 * Without normals, or if these are the normals of the facets throughout and most edges bend (a faceted export), an edge
 * is hard where its triangles meet at a sharp angle. One of three or more triangles is hard in
 * both cases: sheets that meet there must neither come apart nor bend each other. Vertices on a hard edge are split
 * into smooth ones: the corners around a vertex that can be reached without crossing a hard edge form one. */
#ifndef GEOM_HARD_EDGES_H
#define GEOM_HARD_EDGES_H

#include "base/memory.h"
#include "mesh/topology.h"

#define NO_HARD_EDGES 180.0 /* degrees, of an angle that no edge exceeds */

typedef struct hard_edges {
    topology *topo;      /* of the triangles joined at seams */
    uint8_t *hard;       /* (edges) */
    uint8_t *corners;    /* (vertices) 1 for the lowest vertex of a seam, or a vertex, where the hard and boundary edges
                           are neither none nor two in nearly one direction: such a vertex keeps its place */
    uint8_t *whole;      /* (vertices) 1: not split, so that its normal is that of its only smooth vertex */
    size_t hard_count;   /* edges */
    size_t split_count;  /* smooth vertices: at least one for each vertex */
    uint32_t *triangles; /* (triangles x 3) the smooth vertex of each corner; the first of a vertex has its number */
    uint32_t *origin;    /* (split_count) the vertex that it is a part of */
    uint32_t *lowest;    /* (split_count) the lowest smooth vertex that it shares its normal with, across seams */
} hard_edges;

/* lowest: (vertices) as of seams_find. angle: degrees between the normals of two triangles; NO_HARD_EDGES: none, also
 * where normals differ. */
ruga_status hard_edges_find(const ruga_mesh *mesh, const uint32_t *lowest, double angle, hard_edges *out);
void hard_edges_release(ruga_context *context, hard_edges *edges);

#endif
