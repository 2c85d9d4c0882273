/* Topology of triangles: edges, one-rings, boundary loops, pairs of triangles. Built once, const afterwards. */
#ifndef MESH_TOPOLOGY_H
#define MESH_TOPOLOGY_H

#include "base/memory.h"
#include "ruga/mesh.h"

#define NO_INDEX UINT32_MAX

typedef struct topology {
    size_t vertex_count, triangle_count, edge_count;
    uint32_t *edge_vertices;  /* (edge_count x 2) lower vertex first; edges sorted by it, then by the other */
    uint32_t *triangle_edges; /* (triangle_count x 3) edge k joins corners k and k + 1 */
    uint32_t *edge_offsets;   /* (edge_count + 1) into edge_triangles */
    uint32_t *edge_triangles; /* (3 triangle_count) rising within an edge */
    uint32_t *ring_offsets;   /* (vertex_count + 1) into ring_vertices */
    uint32_t *ring_vertices;  /* one-ring neighbours, rising */
    uint32_t *fan_offsets;    /* (vertex_count + 1) into fan_triangles */
    uint32_t *fan_triangles;  /* triangles at a vertex, rising */
    size_t loop_count;        /* boundary loops; at a vertex with several fans a loop follows one fan */
    uint32_t *loop_offsets;   /* (loop_count + 1) */
    uint32_t *loop_vertices;  /* in the direction of the triangles' edges */
    size_t pair_count;        /* adjacent triangle pairs: edges with exactly two triangles */
    uint32_t *pairs;          /* (pair_count x 4): the edge's two vertices in the direction of its lower triangle, the
                                 vertex opposite in that triangle, the vertex opposite in the other one */
    ruga_context *context;
} topology;

/* A triangle that names a vertex twice has an edge from that vertex to itself, which is in no ring, pair or loop. */
ruga_status topology_build(ruga_context *context, size_t vertex_count, size_t triangle_count, const uint32_t *triangles,
                           topology **out);
/* The same without loops and pairs. */
ruga_status topology_build_neighbours(ruga_context *context, size_t vertex_count, size_t triangle_count,
                                      const uint32_t *triangles, topology **out);
ruga_status topology_build_mesh(const ruga_mesh *mesh, topology **out);
void topology_destroy(topology *topo); /* NULL is fine */

/* Releases everything but the fans: the triangles at each vertex. */
void topology_keep_fans(topology *topo);

/* The number of triangles at an edge. */
static inline uint32_t topology_edge_size(const topology *topo, size_t edge) {
    return topo->edge_offsets[edge + 1] - topo->edge_offsets[edge];
}

uint32_t topology_find_edge(const topology *topo, uint32_t a, uint32_t b); /* NO_INDEX if there is none */

/* The mean length of the edges, m; 0 without edges. positions: (vertex_count) */
double topology_mean_edge(const topology *topo, const ruga_vec3 *positions);

#endif
