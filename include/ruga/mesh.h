/* Ruga: meshes.
 *
 *     vertices    v0 v1 v2 …            one position each; their order never changes
 *     faces       polygons as loaded    face f owns corners [face_offsets[f], face_offsets[f+1])
 *     corners     one per face and vertex: corner c is at vertex face_vertices[c]
 *     triangles   the faces, triangulated; all computations use them, and triangle_corners refers back to corners
 *
 * A mesh is const once made. Inside Ruga lengths are metres and y is up; readers and writers convert.
 *
 * Seams. Texture coordinates, normals and colours may differ where faces meet, so they belong to corners and are
 * usually indexed: many corners share a value. Formats such as glTF have no corners and split a vertex at a seam
 * instead. Ruga welds such a file into one surface; `splits` keeps the file's vertices, so that writing restores them
 * in the same order.
 */
#ifndef RUGA_MESH_H
#define RUGA_MESH_H

#include "ruga/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_vec3 {
    double x, y, z;
} ruga_vec3;

typedef enum ruga_scalar {
    RUGA_U8 = 0,
    RUGA_I8,
    RUGA_U16,
    RUGA_I16,
    RUGA_U32,
    RUGA_I32,
    RUGA_F32,
    RUGA_F64
} ruga_scalar;

RUGA_API size_t ruga_scalar_size(ruga_scalar type); /* bytes */

/* An array of the caller's points: three scalars each (RUGA_F32 or RUGA_F64), `stride` bytes apart. */
typedef struct ruga_view {
    void *data;
    size_t count;
    size_t stride; /* 0: tightly packed */
    ruga_scalar type;
} ruga_view;

typedef enum ruga_domain {
    RUGA_DOMAIN_VERTEX = 0,
    RUGA_DOMAIN_FACE,
    RUGA_DOMAIN_EDGE, /* the mesh's explicit `edges` */
    RUGA_DOMAIN_CORNER
} ruga_domain;

/* A named value per element. Ruga keeps all names; these have a meaning:
 *   "uv" (2 per corner or vertex; v points up, whatever the file has), "uv1" …; "normal" (3); "tangent" (4);
 *   "colour" (3 or 4, u8 and u16 are normalised)
 *   "group", "object", "material", "material_library" (1 per face, i32 with labels), "smoothing" (1 per face, i32) */
typedef struct ruga_attribute {
    const char *name;
    ruga_domain domain;
    ruga_scalar type;
    uint32_t components;       /* scalars per value, at least 1 */
    int normalised;            /* integers represent [0, 1] or [-1, 1], as in glTF */
    size_t count;              /* number of values: one per element, or any number when indexed */
    const void *values;        /* (count x components), tightly packed */
    const uint32_t *indices;   /* NULL, or (elements of the domain) the value of each; UINT32_MAX: none */
    size_t label_count;        /* for integers that are indices of names */
    const char *const *labels; /* (label_count); value -1: no label */
} ruga_attribute;

/* A component of an element's value as a number; 0 where it has none. */
RUGA_API double ruga_attribute_get(const ruga_attribute *attribute, size_t element, uint32_t component);

struct ruga_map; /* ruga/map.h */

typedef struct ruga_mesh {
    size_t vertex_count;
    const ruga_vec3 *positions; /* (vertex_count) m, at rest */

    size_t triangle_count;
    const uint32_t *triangles;        /* (triangle_count x 3) vertices */
    const uint32_t *triangle_corners; /* (triangle_count x 3) corners; NULL: corner k of triangle t is 3 t + k */
    const uint32_t *triangle_faces;   /* (triangle_count) faces; NULL: triangle t is face t */

    size_t face_count;
    size_t corner_count;
    const uint32_t *face_offsets;  /* (face_count + 1) corners; NULL: every face is a triangle */
    const uint32_t *face_vertices; /* (corner_count); the same memory as `triangles` when every face is one */

    size_t edge_count;
    const uint32_t *edges; /* (edge_count x 2) vertices: only the edges that have attributes */

    size_t line_count;
    const uint32_t *line_offsets;  /* (line_count + 1) */
    const uint32_t *line_vertices; /* polylines, such as `l` in OBJ */

    size_t tet_count;
    const uint32_t *tets; /* (tet_count x 4) vertices, positive volume; the triangles are then their surface */

    size_t split_count;           /* 0: the file did not split vertices */
    const uint32_t *split_vertex; /* (split_count) the vertex of each of the file's vertices */
    const uint32_t *corner_split; /* (corner_count) the file's vertex at each corner */

    size_t attribute_count;
    const ruga_attribute *attributes; /* (attribute_count) in the order of the file */

    size_t joint_count;                   /* of its skin; 0: it has none */
    const char *const *joint_names;       /* (joint_count) */
    const struct ruga_map *joint_weights; /* (vertex_count x joint_count) each row sums to 1; NULL: no skin */
    /* (vertex_count x vertices that the reader made) if it came from a glTF file with morph targets other than frames:
     * these are written back with it. NULL: none. */
    const struct ruga_map *file_rows;

    ruga_context *context; /* that it was made with */
} ruga_mesh;

/* The input of ruga_mesh_create, which copies everything. Leave the parts that the mesh does not have NULL or zero.
 * `count` of an attribute must be that of its domain unless it has `indices`. */
typedef struct ruga_mesh_def {
    uint32_t cookie;
    ruga_view positions; /* m */
    size_t face_count;
    const uint32_t *face_sizes;    /* (face_count) corners of each, at least 3; NULL: all triangles */
    const uint32_t *face_vertices; /* (corners) */
    size_t edge_count;
    const uint32_t *edges; /* (edge_count x 2) */
    size_t line_count;
    const uint32_t *line_sizes; /* (line_count), at least 2 */
    const uint32_t *line_vertices;
    size_t tet_count;
    const uint32_t *tets; /* (tet_count x 4); without faces, the surface is made */
    size_t attribute_count;
    const ruga_attribute *attributes;
    size_t joint_count;
    const char *const *joint_names;       /* (joint_count) */
    const struct ruga_map *joint_weights; /* (vertices x joint_count), 0 or more; you may fill the struct yourself */
} ruga_mesh_def;

RUGA_API ruga_mesh_def ruga_mesh_def_default(void);

/* Fails with RUGA_ERROR_INPUT, naming the element, when an index is out of range or a count does not fit. */
RUGA_API ruga_status ruga_mesh_create(ruga_context *context, const ruga_mesh_def *def, ruga_mesh **out);
RUGA_API void ruga_mesh_destroy(ruga_mesh *mesh); /* NULL is fine */

/* The attribute of a name and domain; NULL if there is none. */
RUGA_API const ruga_attribute *ruga_mesh_attribute(const ruga_mesh *mesh, const char *name, ruga_domain domain);

/* Unit vertex normals, weighted by angle; (0, 0, 0) at a vertex without area. positions: NULL: at rest. */
RUGA_API ruga_status ruga_mesh_normals(const ruga_mesh *mesh, const ruga_vec3 *positions, ruga_vec3 *normals);

/* Lumped vertex masses, kg: a third of each triangle's area times the density in kg/m², or, with tets, a quarter of
 * each tet's volume times the density in kg/m³. */
RUGA_API ruga_status ruga_mesh_masses(const ruga_mesh *mesh, double density, double *masses);

/* ---- Summary: printed by `ruga info`. */
typedef struct ruga_mesh_summary {
    ruga_vec3 low, high; /* m, bounding box of the finite vertices */
    double area;         /* m² */
    double volume;       /* m³, signed, of the closed surface or the tets; 0: open or not oriented */
    double shortest_edge, mean_edge, longest_edge; /* m */
    size_t edges;                                  /* distinct edges of the triangles */
    size_t boundary_loops;
    size_t components; /* connected pieces, without loose vertices */
    long euler;        /* V - E + F over the vertices of faces */
    int closed, manifold, oriented;
    int genus; /* of a closed, manifold, oriented, connected surface; otherwise -1 */
    size_t loose_vertices;
} ruga_mesh_summary;

RUGA_API ruga_status ruga_mesh_summarise(const ruga_mesh *mesh, ruga_mesh_summary *out);

/* ---- Validation: lists every defect. A mesh with defects is still a mesh; each tool reports the defects it can't work
 * with. */
typedef enum ruga_defect_kind {
    RUGA_DEFECT_NOT_FINITE = 0,      /* vertex with NaN or infinity */
    RUGA_DEFECT_DEGENERATE_FACE,     /* a vertex named twice (`other`), or no area */
    RUGA_DEFECT_DUPLICATE_FACE,      /* the same vertices as `other` */
    RUGA_DEFECT_DUPLICATE_VERTEX,    /* the same position as `other` */
    RUGA_DEFECT_LOOSE_VERTEX,        /* in no face, edge, line or tet */
    RUGA_DEFECT_NON_MANIFOLD_EDGE,   /* more than two triangles at the edge (element, other) */
    RUGA_DEFECT_NON_MANIFOLD_VERTEX, /* the triangles around it form more than one fan */
    RUGA_DEFECT_ORIENTATION,         /* two triangles have the edge (element, other) in the same direction */
    RUGA_DEFECT_INVERTED_TET,        /* volume not positive */
    RUGA_DEFECT_KIND_COUNT
} ruga_defect_kind;

typedef struct ruga_defect {
    ruga_defect_kind kind;
    size_t element; /* vertex, face or tet, from 0 */
    size_t other;
} ruga_defect;

typedef struct ruga_validation {
    size_t counts[RUGA_DEFECT_KIND_COUNT];
    size_t defect_count;        /* in all */
    const ruga_defect *defects; /* (defect_count) by kind, then element */
} ruga_validation;

RUGA_API const char *ruga_defect_name(ruga_defect_kind kind); /* "degenerate face" … */
RUGA_API ruga_status ruga_mesh_validate(const ruga_mesh *mesh, ruga_validation **out);
RUGA_API void ruga_validation_destroy(const ruga_mesh *mesh, ruga_validation *validation);

#ifdef __cplusplus
}
#endif
#endif
