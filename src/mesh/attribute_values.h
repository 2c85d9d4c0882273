/* Values of attributes for a new mesh: mixing, picking, and adding them to mesh_parts. */
#ifndef MESH_ATTRIBUTE_VALUES_H
#define MESH_ATTRIBUTE_VALUES_H

#include "mesh/cut_room.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "ruga/map.h"

typedef ARRAY(uint32_t) index_array;

size_t value_size(const ruga_attribute *a); /* bytes, of all components */

/* Writes value `out` of `values`: the weighted mean of (count) values of the attribute. sum: of the weights. Floating
 * and normalised values are mixed, other integers are those of the largest weight, unit normals and tangents stay
 * unit. */
void mix_values(const ruga_attribute *a, double sum, size_t count, const uint32_t *points, const double *weights,
                void *values, size_t out);

/* Adds an attribute with the name, domain, type and labels of another. values and indices are taken over, also on
 * failure. */
ruga_status add_like(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count, void *values,
                     uint32_t *indices);

/* A copy of the values with room for `more`. */
ruga_status grow_values(ruga_context *context, const ruga_attribute *a, size_t more, void **out);

/* Adds an attribute of `count` elements, each with the value of element origin[i] of the old one. */
ruga_status add_picked(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count,
                       const uint32_t *origin);

/* The items of these numbers, `size` bytes each. */
ruga_status pick_items(ruga_context *context, const void *items, size_t size, const uint32_t *numbers, size_t count,
                       void **out);

/* ---- After a cut: indices over corners (vertices, values that corners share, the file's vertices). Along each edge,
 * triangles that name the same two indices get the same new ones. */

/* A new index, as a mixture of up to three old ones. The weights sum to the `unit` of the cut. */
typedef struct index_source {
    uint32_t indices[3];
    double weights[3];
} index_source;

typedef struct index_cut {
    uint32_t *corners;     /* (new triangles x 3) */
    index_source *sources; /* (source_count) of the indices after the old ones */
    size_t source_count;
    cut_room *room; /* for what is made of it; NULL: new memory */
    size_t array;   /* in the room, for values */
} index_cut;

void index_cut_release(ruga_context *context, index_cut *cut);

/* The map from the old points to all. */
ruga_status index_cut_map(ruga_context *context, size_t old_count, double unit, const index_cut *cut, ruga_map **out);

/* Adds an attribute of the vertices. A new vertex between some that have no value has none. */
ruga_status add_cut_vertices(const ruga_mesh *mesh, mesh_parts *parts, const ruga_attribute *a, double unit,
                             const index_cut *vertices);
/* Adds an indexed attribute of the corners and takes their indices over. New indices start at first_new; from the
 * attribute's count up to there, and NO_INDEX, mean no value. */
ruga_status add_cut_corners(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, double unit,
                            size_t first_new, index_cut *cut);
/* Adds the file's vertices, and takes over those at the corners: the old ones come first, in their order. The faces
 * must be there. */
ruga_status add_cut_splits(const ruga_mesh *mesh, mesh_parts *parts, index_cut *splits);
/* Adds an attribute of the file's vertices. */
ruga_status add_cut_split_values(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, double unit,
                                 const index_cut *splits);

/* Adds the mesh's lines and explicit edges, with the new vertices on the edges they follow. topo: of the mesh.
 * edge_offsets: (edges + 1) new vertices on each edge, in order from its lower vertex. origin receives the old edge of
 * each new one. */
ruga_status add_lines_and_edges(const ruga_mesh *mesh, const topology *topo, const uint32_t *edge_offsets,
                                mesh_parts *parts, index_array *origin);

#endif
