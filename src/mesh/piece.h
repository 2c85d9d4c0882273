/* Pieces: some triangles of a mesh as a mesh of their own. Work on a piece, then apply the result to the whole mesh.
 *
 *     mesh ──▶ piece ──…──▶ finer piece
 *       └──── the same cut ────▶ finer mesh
 *
 * A piece has the positions of the triangles' vertices and no attributes. Vertices and triangles keep the order that
 * they have in the mesh, so sums over the piece are bit-identical to sums over the mesh. mesh_piece_cut turns the
 * refinement of a piece into a cut of the mesh, which carries all attributes (refine_free.h).
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

/* triangles: (count) of the mesh, rising. places: scratch (the mesh's vertices), NO_INDEX before and after. */
ruga_status mesh_piece_make(const ruga_mesh *mesh, const uint32_t *triangles, size_t count, uint32_t *places,
                            mesh_piece *out);
void mesh_piece_release(mesh_piece *piece);

/* Picks the piece's vertices from an array over the mesh's vertices. */
void mesh_piece_pick(const mesh_piece *piece, const ruga_vec3 *of_mesh, ruga_vec3 *out);

/* The piece's number of a triangle of the mesh; NO_INDEX: the piece does not contain it. */
uint32_t mesh_piece_triangle(const mesh_piece *piece, uint32_t triangle);

/* The topology of a piece, from that of the mesh: its edges and their triangles alone, without rings, fans, loops and
 * pairs. As topology_build makes them. */
ruga_status mesh_piece_edges(const mesh_piece *piece, const topology *topo, topology **out);

/* A refined piece: the vertices of the piece come first. */
typedef struct fine_piece {
    const ruga_mesh *mesh;
    const ruga_map *map;     /* its positions from those of the piece */
    const uint32_t *parents; /* (its triangles) of the piece, never falling */
} fine_piece;

/* The cut of the whole mesh that corresponds to a refined piece. Edges at the piece's border must not be cut, unless
 * they are on the border of the mesh. numbers: (fine vertices) their numbers in the finer mesh. The children of a
 * triangle keep their order: the finer mesh has those of triangle t from child_offsets[t] on. topo: of the mesh; the
 * cut refers to it. may_be_sparse: the cut is sparse if the mesh allows it, which saves passes over the mesh. */
ruga_status mesh_piece_cut(const ruga_mesh *mesh, const topology *topo, const mesh_piece *piece, const fine_piece *fine,
                           int may_be_sparse, free_cut *out, uint32_t *numbers);

#endif
