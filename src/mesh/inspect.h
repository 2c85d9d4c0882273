/* Shared by the summary and the validation of a mesh. */
#ifndef MESH_INSPECT_H
#define MESH_INSPECT_H

#include "mesh/topology.h"

/* The triangles that name three different vertices, and their topology. */
typedef struct inspection {
    size_t triangle_count;
    uint32_t *triangles;
    topology *topo;
} inspection;

/* On failure too, release what was made. */
ruga_status inspection_make(const ruga_mesh *mesh, inspection *out);
void inspection_release(const ruga_mesh *mesh, inspection *in);

/* Whether edge e has exactly two triangles and both traverse it in the same direction. */
int edge_runs_twice(const inspection *in, size_t e);

/* How many fans the triangles around v form; parent is scratch (vertex_count). */
size_t fan_count(const inspection *in, uint32_t v, uint32_t *parent);

/* 1 for every vertex in a face, edge, line or tet. */
void mark_used_vertices(const ruga_mesh *mesh, uint8_t *used);

#endif
