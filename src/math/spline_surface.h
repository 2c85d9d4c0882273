/* A smooth surface through a grid of key nodes, by cubic splines along rows and columns (Kang et al. 2001, section
 * 3.1).
 *
 *     ●──○──○──●     ● key nodes, which are given
 *     │  ·  ·  │     ○ frame nodes, on splines through the key nodes of a row or of a column
 *     ○──·──·──○     · internal nodes, on splines through frame nodes
 *     ●──○──○──●
 *
 * Splines are linear in their points, so internal nodes are the same whether their splines go through the frame nodes
 * of rows or of columns. The nodes are any number of rows and columns, evenly over the grid; they need not meet the key
 * nodes.
 */
#ifndef MATH_SPLINE_SURFACE_H
#define MATH_SPLINE_SURFACE_H

#include "base/memory.h"
#include "math/spline.h"

typedef struct spline_surface_def {
    spline_kind kind;
    size_t key_rows, key_columns; /* at least 2; with `closed` at least 3 columns */
    size_t rows, columns;         /* of nodes, at least 2 */
    int closed;                   /* the last column is followed by the first */
} spline_surface_def;

typedef struct spline_surface {
    spline_surface_def def;
    spline row, column;          /* through the key nodes of a row, of a column */
    spline_place *row_places;    /* (columns) where nodes are on a row's spline */
    spline_place *column_places; /* (rows) on a column's */
    vec3 *row_frames;            /* (key_rows x columns) frame nodes on the rows of key nodes */
    vec3 *column_frames;         /* (rows x key_columns) on their columns */
    /* Scratch: derivatives along rows and columns, of the keys and of the frames. */
    vec3 *key_along_row, *key_along_column;                        /* (key_rows x key_columns) */
    vec3 *frame_along_row, *frame_along_column, *frame_along_both; /* (key_rows x columns) */
    arena memory;
    ruga_context *context;
} spline_surface;

ruga_status spline_surface_create(ruga_context *context, const spline_surface_def *def, spline_surface **out);
void spline_surface_destroy(spline_surface *s); /* NULL is fine */

/* Nodes and unit normals, (rows x columns) each, of (key_rows x key_columns) keys; the normal is along row times along
 * column, and zero where these are parallel. Fills the frame nodes too. Allocates nothing. */
void spline_surface_evaluate(spline_surface *s, const vec3 *keys, vec3 *nodes, vec3 *normals);

#endif
