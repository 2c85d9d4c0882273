/* Finds the rows and columns of a mesh that is a grid, whatever the order of its vertices and the diagonals of its
 * cells.
 *
 *     (j+1, i)──(j+1, i+1)     row j, column i; seen from the front of the faces, columns run to the right
 *        │  cell   │           and rows upwards
 *     (j, i) ── (j, i+1)
 */
#ifndef MESH_GRID_H
#define MESH_GRID_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct mesh_grid {
    size_t rows, columns; /* of vertices, at least 2 each */
    int closed;           /* a tube: the first column follows the last; at least 3 columns */
    uint32_t *vertices;   /* (rows x columns) */
} mesh_grid;

/* Finds the grid that the faces form: quads, or pairs of triangles. It starts at the corner with the lowest vertex, or,
 * for a tube, at the lowest vertex of its borders. RUGA_ERROR_INPUT when they do not form a grid. */
ruga_status mesh_grid_find(const ruga_mesh *mesh, mesh_grid *out);

/* Takes the vertices row by row in the order of the mesh, whatever its faces. RUGA_ERROR_INPUT unless there are rows x
 * columns of them. */
ruga_status mesh_grid_of_order(const ruga_mesh *mesh, size_t rows, size_t columns, mesh_grid *out);

void mesh_grid_release(ruga_context *context, mesh_grid *grid);

#endif
