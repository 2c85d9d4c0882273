/* Meshes inside the library. A reader or a generator fills mesh_parts with arrays from the context's allocator and
 * passes them; nothing is copied. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "base/memory.h"
#include "ruga/map.h"

typedef ARRAY(ruga_attribute) attribute_array;

/* Owned arrays, each from memory_allocate. Zero-initialise, fill, then mesh_from_parts or mesh_parts_release. */
typedef struct mesh_parts {
    size_t vertex_count;
    ruga_vec3 *positions;
    size_t face_count, corner_count;
    uint32_t *face_offsets;  /* NULL when every face is a triangle */
    uint32_t *face_vertices; /* (corner_count) */
    size_t edge_count;
    uint32_t *edges;
    size_t line_count;
    uint32_t *line_offsets, *line_vertices;
    size_t tet_count;
    uint32_t *tets;
    size_t split_count;
    uint32_t *split_vertex, *corner_split;
    attribute_array attributes; /* their names, values, indices and labels are owned too, but see below */
    size_t joint_count;
    const char *const *joint_names; /* pointers and texts in one block of memory */
    ruga_map *joint_weights, *file_rows;
    int is_sound; /* made from a mesh: its faces and the indices of attributes need no check */
} mesh_parts;

/* Allocates positions and faces of a triangle mesh and sets their counts. The caller releases the parts on failure. */
ruga_status mesh_parts_allocate(ruga_context *context, mesh_parts *parts, size_t vertices, size_t triangles);

/* Adds an attribute whose name is copied and whose values (and indices, may be NULL) are taken over. An attribute whose
 * indices pointer equals parts->corner_split shares it. On failure values and indices are released. */
ruga_status mesh_parts_add(ruga_context *context, mesh_parts *parts, const char *name, ruga_domain domain,
                           ruga_scalar type, uint32_t components, size_t count, void *values, uint32_t *indices);
/* The labels of the attribute added last, copied. */
ruga_status mesh_parts_set_labels(ruga_context *context, mesh_parts *parts, const char *const *labels, size_t count);
/* A skin: its names are copied, its weights taken over, also on failure. */
ruga_status mesh_parts_set_joints(ruga_context *context, mesh_parts *parts, const char *const *names, size_t count,
                                  ruga_map *weights);
/* The skin and the file's rows of another mesh, if it has them, for vertices that are a map of its own. */
ruga_status mesh_parts_carry_joints(const ruga_mesh *mesh, const ruga_map *map, mesh_parts *parts);
void mesh_parts_release(ruga_context *context, mesh_parts *parts);

/* Checks every index and count, triangulates polygons, makes the surface of tets without faces, and moves the parts
 * into a mesh. On failure the parts are released too. */
ruga_status mesh_from_parts(ruga_context *context, mesh_parts *parts, ruga_mesh **out);

/* Adds a deep copy of an attribute. */
ruga_status mesh_parts_copy_attribute(ruga_context *context, mesh_parts *parts, const ruga_attribute *attribute);

/* The number of elements of a domain. */
size_t mesh_domain_size(const ruga_mesh *mesh, ruga_domain domain);

/* Scalar i of an array of any type, as stored. Setting an integer rounds; the value must be in range. */
double mesh_scalar_get(ruga_scalar type, const void *values, size_t i);
void mesh_scalar_set(ruga_scalar type, void *values, size_t i, double value);
double mesh_scalar_clamp(ruga_scalar type, double value); /* to the range of normalised integers; floats are kept */

/* ruga_mesh_normals without allocation: scratch has (mesh_normals_scratch) bytes. */
size_t mesh_normals_scratch(const ruga_mesh *mesh);
void mesh_normals(const ruga_mesh *mesh, const ruga_vec3 *positions, void *scratch, ruga_vec3 *normals);

double mesh_triangle_area(const ruga_mesh *mesh, size_t triangle); /* m², at rest */
double mesh_tet_volume(const ruga_mesh *mesh, size_t tet);         /* m³, at rest; negative: inverted */
double tet_volume(const ruga_vec3 *positions, const uint32_t *tet);
extern const uint8_t tet_sides[4][3]; /* side k by the tet's corners, without corner k, outwards */

static inline size_t mesh_triangle_corner(const ruga_mesh *mesh, size_t triangle, size_t k) {
    return mesh->triangle_corners ? mesh->triangle_corners[3 * triangle + k] : 3 * triangle + k;
}
static inline size_t mesh_triangle_face(const ruga_mesh *mesh, size_t triangle) {
    return mesh->triangle_faces ? mesh->triangle_faces[triangle] : triangle;
}
static inline size_t mesh_face_begin(const ruga_mesh *mesh, size_t face) {
    return mesh->face_offsets ? mesh->face_offsets[face] : 3 * face;
}
static inline size_t mesh_face_end(const ruga_mesh *mesh, size_t face) { return mesh_face_begin(mesh, face + 1); }

#endif
