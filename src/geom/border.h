/* Borders: lines of edges along the border of a mesh, by name or by points near them, and how two of them match.
 *
 * Names, in this order: a label of the attribute "border" of edges; "line 0", "line 1" … for the mesh's polylines (`l`
 * in OBJ); an attribute of vertices, which means the border edges whose two ends have a value above a half. */
#ifndef GEOM_BORDER_H
#define GEOM_BORDER_H

#include "mesh/topology.h"

#define BORDER_ATTRIBUTE "border"

typedef struct border {
    ARRAY(uint32_t) vertices; /* along it; of a closed one the first stands at the end again */
    int closed;
    int direction; /* 1: along the edges of its triangles, -1: against them, 0: neither, or not on the mesh's border */
} border;

/* RUGA_ERROR_INPUT says why there is none: a name that does not exist (with those that do), edges that form no single
 * line. */
ruga_status border_by_name(const ruga_mesh *mesh, const topology *topo, const char *name, border *out);
/* From the border vertex nearest to the first point to that nearest to the last; with two points the shorter path, else
 * the path that passes the others in their order. RUGA_ERROR_INPUT: a point is farther from every border than two mean
 * edges, points are on different borders, two of them at one vertex, or not in order. */
ruga_status border_by_points(const ruga_mesh *mesh, const topology *topo, const ruga_vec3 *points, size_t count,
                             border *out);
void border_release(ruga_context *context, border *b);

double border_length(const ruga_mesh *mesh, const border *b); /* m, at rest */

/* A vertex of one border, and the place on an edge of the other that has the same fraction of the length. */
typedef struct border_match {
    uint32_t vertex;
    uint32_t on[2];    /* the edge */
    double weights[2]; /* of its ends, sum 1; exactly 1 and 0 at a vertex */
    double share;      /* m, length of the border that the vertex stands for: half of the edges at it */
} border_match;
typedef ARRAY(border_match) border_matches;

typedef enum border_sense { BORDER_NEAREST, BORDER_FORWARD, BORDER_REVERSE } border_sense;

/* Every vertex of the border with more vertices (the first, if both have as many) is matched to the other one. BORDER_
 * NEAREST takes the direction, and for closed borders the start, whose matches are nearest to each other at rest;
 * `reversed` (may be NULL) receives whether the second is run through from its end, `crossed` (may be NULL) whether the
 * opposite direction would be nearer. Both are closed, or both open: the caller checks it. */
ruga_status border_match_all(const ruga_mesh *mesh, const border *a, const border *b, border_sense sense,
                             border_matches *out, int *reversed, int *crossed);

#endif
