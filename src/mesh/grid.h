/* Meshes that are a grid of rows and columns, whatever the order of their vertices and the diagonals of their cells.
 *
 *     (j+1, i)──(j+1, i+1)     row j, column i; seen from the side that the faces look to, columns run to the right
 *        │  cell   │           and rows go up
 *     (j, i) ── (j, i+1)
 */
#ifndef MESH_GRID_H
#define MESH_GRID_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct mesh_grid {
    size_t rows, columns; /* of vertices, at least 2 each */
    int closed;           /* the last column is followed by the first: a tube; at least 3 columns */
    uint32_t *vertices;   /* (rows x columns) */
} mesh_grid;

/* Finds the grid that the faces form: four-sided ones, or pairs of triangles. It begins at the corner whose vertex comes first in
 * the mesh, or, of a tube, at its border's first vertex. RUGA_ERROR_INPUT when they do not form one. */
ruga_status mesh_grid_find(const ruga_mesh *mesh, mesh_grid *out);

/* Takes the vertices row by row in the order of the mesh, whatever its faces. RUGA_ERROR_INPUT unless there are rows times columns. */
ruga_status mesh_grid_of_order(const ruga_mesh *mesh, size_t rows, size_t columns, mesh_grid *out);

void mesh_grid_release(ruga_context *context, mesh_grid *grid);

#endif
