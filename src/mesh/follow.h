/* Meshes that are made from another one, such as a subdivision, and points on them, when that other mesh changes.
 *
 * Vertices of such a mesh are mixtures of the other's vertices: y = W x. When the other one is cut or refined, so are
 * the new vertices, by the map from its old vertices. A new vertex is therefore found on the old mesh by its mixture,
 * not by its position, so that sheets which touch or coincide, such as both sides of a cut, stay apart.
 *
 * Where the map refines triangles without moving them, a place with the same mixture exists. Where it smooths, as
 * Loop's does, there may be none: then, of the places whose mixture is about the nearest, the one nearest in space is
 * taken.
 */
#ifndef MESH_FOLLOW_H
#define MESH_FOLLOW_H

#include "math/vec3.h"
#include "mesh/topology.h"
#include "ruga/map.h"

/* ---- Places of mixtures. */

/* Indices rise. */
typedef struct mixture {
    const uint32_t *indices;
    const double *weights;
    size_t count;
} mixture;

/* Finds places on a mesh whose vertices are the rows of a map. Nothing but `columns` and `shares` is its own. */
typedef struct mixture_finder {
    const ruga_mesh *mesh;
    const topology *topo;
    const ruga_map *map;
    ruga_map *columns; /* its transpose: the vertices that each column contributes to */
    double *shares;    /* (map->rows) weights of the searched mixture's main column; 0 between searches */
} mixture_finder;

ruga_status mixture_finder_make(const ruga_mesh *mesh, const topology *topo, const ruga_map *map, mixture_finder *out);
void mixture_finder_release(mixture_finder *f);
/* The triangle and the weights of its corners; NO_INDEX: no triangle depends on the main index, which is one with the
 * largest weight. at: m, the position. */
uint32_t mixture_find(mixture_finder *f, mixture wanted, uint32_t main, vec3 at, double weights[3]);

/* ---- Meshes that follow. */

/* The vertices of a new mesh, to = W from: `from` is from_map times the old mesh below, `to` is to_map times the new
 * one, which is `below` times the old one. A vertex with the mixture of an old one is exactly that. */
ruga_status follow_vertices(const ruga_mesh *from, const ruga_map *from_map, const ruga_mesh *to,
                            const ruga_map *to_map, const ruga_map *below, ruga_map **out);

/* The mesh of a tool. The first one is kept as long as this, so that values that belong to it can be carried from it
 * whatever happened in between. */
typedef struct followed_mesh {
    ruga_mesh *mesh, *first_mesh;
    ruga_map *map, *first_map;       /* from the vertices of the mesh below */
    ruga_map *from_old, *from_first; /* after a change: vertices = W vertices of the mesh before, and of the first; they
                                        may be the same map. from_first is NULL for the first mesh itself */
} followed_mesh;

/* Takes over the first mesh. */
followed_mesh followed_mesh_make(ruga_mesh *mesh, ruga_map *map);
void followed_mesh_release(followed_mesh *f);
/* Takes over another mesh and its map, also on failure, which changes nothing else. below_from_old, below_from_first:
 * maps of the mesh below; from_first is NULL if that is its first. */
ruga_status followed_mesh_change(followed_mesh *f, ruga_mesh *mesh, ruga_map *map, const ruga_map *below_from_old,
                                 const ruga_map *below_from_first);

#endif
