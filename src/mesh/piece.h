/* Pieces: some triangles of a mesh as a mesh of their own, for work that only concerns them, and the way back.
 *
 *     mesh ──▶ piece ──…──▶ finer piece
 *       └──── the same cut ────▶ finer mesh
 *
 * A piece has the positions of the triangles' vertices and nothing else, all in the order that they have in the mesh, so sums over it
 * come out as sums over the mesh do, to the last bit. What was done to a piece is then done to the mesh at once, with all that it
 * carries (refine_free.h).
 */
#ifndef MESH_PIECE_H
#define MESH_PIECE_H

#include "mesh/refine_free.h"

typedef struct mesh_piece {
    ruga_context *context;
    ruga_mesh *mesh;
    uint32_t *vertices;  /* (its vertices) of the whole mesh, rising */
    uint32_t *triangles; /* (its triangles) of the whole mesh, rising */
} mesh_piece;

/* triangles: (count) of the mesh, rising. places: (the mesh's vertices) of NO_INDEX, and left so. */
ruga_status mesh_piece_make(const ruga_mesh *mesh, const uint32_t *triangles, size_t count, uint32_t *places,
                            mesh_piece *out);
void mesh_piece_release(mesh_piece *piece);

/* Vectors of the mesh's vertices at those of the piece. */
void mesh_piece_pick(const mesh_piece *piece, const ruga_vec3 *of_mesh, ruga_vec3 *out);

/* Its number of one of the mesh's triangles; NO_INDEX: the piece is without it. */
uint32_t mesh_piece_triangle(const mesh_piece *piece, uint32_t triangle);

/* A piece after it was cut and refined: its own vertices first. */
typedef struct fine_piece {
    const ruga_mesh *mesh;
    const ruga_map *map;     /* its positions from those of the piece */
    const uint32_t *parents; /* (its triangles) of the piece, never falling */
} fine_piece;

/* The cut of the whole mesh that does the same. No edge at the piece's border may have been cut, unless it is at that of the mesh. numbers:
 * (fine vertices) what they become in the finer mesh. The triangles of a parent keep their order: the finer mesh has those of triangle t from
 * child_offsets[t] on. topo: of the mesh; the cut refers to it. */
ruga_status mesh_piece_cut(const ruga_mesh *mesh, const topology *topo, const mesh_piece *piece, const fine_piece *fine,
                           free_cut *out, uint32_t *numbers);

#endif
