/* glTF 2.0, inside: what the reader of meshes, the reader of motions and the writers share.
 *
 *     gltf_document.c    container, JSON, buffers and where their bytes come from
 *     gltf_accessor.c    typed access to buffers (gltf_kernels.c: over whole arrays)
 *     gltf_compressed.c  buffer views and primitives that are compressed
 *     gltf_scene.c       nodes, their transforms, the choice of one mesh
 *     gltf_surface.c     a mesh's primitives as one numbering of vertices, welded (gltf_weld.c)
 *     gltf_faces.c       their faces, lines and materials
 *     gltf_attributes.c  their attributes
 *     gltf_rig.c         morph targets and skin: positions for a pose
 *     gltf_animation.c   the pose at a time
 *     gltf_motion.c      both as a motion
 *     gltf_stream.c      morph targets that are read when they act
 *     gltf_read.c        the entry of reading a mesh
 *     gltf_layout.c      what is to be written, as the file's vertices
 *     gltf_plan.c        the JSON of what is written and where its bytes go
 *     gltf_write.c       the bytes
 *     gltf_morph.c       frames as morph targets
 *     gltf_origin.c      the file that a mesh came from, whose other content is kept (its JSON: gltf_origin_print.c)
 *
 * After the specification "glTF 2.0", Khronos Group, 2021 (ISO/IEC 12113:2022).
 */
#ifndef IO_GLTF_H
#define IO_GLTF_H

#include "base/json.h"
#include "io/io.h"

#define GLTF_NONE UINT32_MAX

/* Our own attribute: the mesh's vertex of each of the file's, as two 16-bit numbers, the lower first. It is written
 * where several of the file's vertices are at one place, so that the mesh comes back with its own. */
#define GLTF_OWN_VERTEX "_RUGA_VERTEX"

/* Zeros and sharing make numbers that take no bytes in the file. So that a small file can't ask for all memory, what
 * it unfolds to is limited to so many scalars and some for each of its bytes. */
#define GLTF_FREE_SCALARS ((uint64_t)1 << 24)
#define GLTF_SCALARS_A_BYTE 16

/* ---- The document. */
typedef struct gltf_buffer {
    const unsigned char *bytes; /* NULL while they are not in memory */
    unsigned char *owned;       /* to be released, or NULL */
    uint64_t size;
    uint64_t stream_offset; /* of a GLB's own buffer in the stream */
    int in_stream;
    const json_value *decoded_from; /* the extension that holds the compressed bytes */
} gltf_buffer;

typedef struct gltf_document {
    ruga_context *context;
    const char *name;
    const char *directory;
    file *stream;
    json_document *json;
    const json_value *root;
    size_t buffer_count;
    gltf_buffer *buffers; /* (buffer_count + buffer views + accessors) the last two: decoded from compressed ones */
    int has_chunk;        /* a GLB's BIN chunk, which is buffer 0 */
    const unsigned char *chunk;
    uint64_t chunk_offset, chunk_size;
    unsigned char *scratch; /* (GLTF_SCRATCH) for reading piecewise */
    uint64_t charged;       /* scalars unfolded so far */
    int apart;              /* vertices are not welded */
} gltf_document;

#define GLTF_SCRATCH ((size_t)1 << 18)

ruga_status gltf_document_open(const io_source *source, gltf_document *doc);
void gltf_document_close(gltf_document *doc);

/* Item `index` of a top-level array such as "nodes"; NULL when there is none. */
const json_value *gltf_item(const gltf_document *doc, const char *array, uint32_t index);
size_t gltf_count(const gltf_document *doc, const char *array);
/* The text of a string member, or NULL. */
const char *gltf_text(const json_value *object, const char *key);

/* Whole numbers of an object. `missing` answers for an absent member; one that is not a whole number within [0, high]
 * is an error that names its line. */
ruga_status gltf_whole(const gltf_document *doc, const json_value *object, const char *key, uint64_t missing,
                       uint64_t high, uint64_t *out);
/* An index into a top-level array; GLTF_NONE when absent. */
ruga_status gltf_index(const gltf_document *doc, const json_value *object, const char *key, const char *array,
                       uint32_t *out);
/* `count` numbers; when absent, out is left alone and found is 0. */
ruga_status gltf_numbers(const gltf_document *doc, const json_value *object, const char *key, size_t count, double *out,
                         int *found);
ruga_status gltf_fail(const gltf_document *doc, const json_value *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails if an object of the geometry (a mesh, a primitive, an accessor, a buffer view, a buffer) has an extension that
 * the file requires and that is not known here. Extensions of other objects do not matter. */
ruga_status gltf_check_extensions(const gltf_document *doc, const json_value *object);

/* Whether the file lists an extension among those that it needs. */
int gltf_is_required(const gltf_document *doc, const char *extension);

#define GLTF_DRACO "KHR_draco_mesh_compression"

/* ---- Compression. A compressed view, and every accessor of a compressed primitive, is decoded once, into a buffer of
 * its own; from then on it is read as any other. */
/* A view that has to be decoded: its buffer; GLTF_NONE for others. */
ruga_status gltf_decode_view(gltf_document *doc, uint32_t view, uint32_t *buffer);
ruga_status gltf_decode_primitive(gltf_document *doc, const json_value *primitive);
/* Releases the views that were decoded; nothing may refer to them. */
void gltf_forget_views(gltf_document *doc);
/* The buffer of an accessor that a compressed primitive filled; GLTF_NONE. */
uint32_t gltf_decoded_accessor(const gltf_document *doc, uint32_t accessor);
/* A buffer that is there for programs without a decoder and has no bytes. */
int gltf_is_fallback(const json_value *buffer);

/* To be asked before memory for so many scalars is taken. */
ruga_status gltf_charge(gltf_document *doc, const json_value *at, uint64_t scalars);

/* A file beside the document that a "uri" names; `what` stands in messages. */
ruga_status gltf_load_beside(const gltf_document *doc, const json_value *uri, const char *what, gltf_buffer *buffer);

/* Makes sure that the bytes of a buffer can be reached: in memory, or, with `streaming`, in the stream. */
ruga_status gltf_buffer_load(gltf_document *doc, uint32_t buffer, int streaming);

/* ---- Accessors. */
typedef struct gltf_accessor {
    uint32_t index;
    const json_value *json;
    ruga_scalar type;
    uint32_t components;      /* scalars of an element: 1, 2, 3, 4, 9, 16 */
    uint32_t rows, row_bytes; /* a matrix' columns are padded: scalars a row, bytes from one to the next */
    int normalised;
    uint64_t count;
    uint32_t buffer;            /* GLTF_NONE: all zeros */
    uint64_t offset, stride;    /* bytes, within the buffer */
    const unsigned char *bytes; /* of the first element; NULL: zeros, or in the stream */
    uint64_t sparse_count;
    ruga_scalar sparse_type;
    const unsigned char *sparse_indices, *sparse_values;
} gltf_accessor;

extern const uint32_t gltf_component_numbers[8]; /* "componentType" by ruga_scalar; 0: glTF has no such type */

/* Type, shape and count alone, of an accessor whose elements are not there yet. */
ruga_status gltf_accessor_describe(gltf_document *doc, uint32_t index, gltf_accessor *out);
/* Everything is checked here: what the accessor names lies within its buffer. */
ruga_status gltf_accessor_open(gltf_document *doc, uint32_t index, gltf_accessor *out);

/* All elements as numbers, (count x components); normalised integers are made [0, 1] or [-1, 1]. */
ruga_status gltf_accessor_floats(gltf_document *doc, const gltf_accessor *a, float *out);
ruga_status gltf_accessor_doubles(gltf_document *doc, const gltf_accessor *a, double *out);
/* All elements as whole numbers, unsigned types only, and the largest of them (0 of none). */
ruga_status gltf_accessor_whole(gltf_document *doc, const gltf_accessor *a, uint32_t *out, uint32_t *largest);
/* All elements as they are, tightly packed. */
ruga_status gltf_accessor_raw(gltf_document *doc, const gltf_accessor *a, void *out);

/* The elements piece by piece as they lie in the file, without sparse ones and not for zeros: from element *at on,
 * `count` of them at `rows`, a->stride apart. *at moves on; count 0 is the end. */
ruga_status gltf_accessor_next(gltf_document *doc, const gltf_accessor *a, uint64_t *at, const unsigned char **rows,
                               size_t *count);

/* ---- Nodes. Matrices are 3 x 4, rows first: y = M (x, 1). */
typedef struct gltf_matrix {
    double m[3][4];
} gltf_matrix;

gltf_matrix gltf_matrix_identity(void);
gltf_matrix gltf_matrix_multiply(const gltf_matrix *a, const gltf_matrix *b);
int gltf_matrix_is_identity(const gltf_matrix *a);
double gltf_matrix_determinant(const gltf_matrix *a);
/* The cofactors of the linear part: what normals are turned by. */
gltf_matrix gltf_matrix_cofactor(const gltf_matrix *a);
/* 0 if it has none, but for rounding. */
int gltf_matrix_inverse(const gltf_matrix *a, gltf_matrix *out);
static inline ruga_vec3 gltf_matrix_point(const gltf_matrix *a, ruga_vec3 p) {
    return (ruga_vec3){a->m[0][0] * p.x + a->m[0][1] * p.y + a->m[0][2] * p.z + a->m[0][3],
                       a->m[1][0] * p.x + a->m[1][1] * p.y + a->m[1][2] * p.z + a->m[1][3],
                       a->m[2][0] * p.x + a->m[2][1] * p.y + a->m[2][2] * p.z + a->m[2][3]};
}

typedef struct gltf_transform {
    double translation[3], rotation[4], scale[3];
} gltf_transform;
gltf_matrix gltf_matrix_from_transform(const gltf_transform *t);

typedef struct gltf_node {
    uint32_t parent, mesh, skin; /* GLTF_NONE */
    int has_matrix;
    gltf_matrix matrix; /* when has_matrix, else the transform */
    gltf_transform transform;
} gltf_node;

typedef struct gltf_scene {
    size_t node_count;
    gltf_node *nodes;
    uint32_t *order; /* (node_count) parents before their children */
} gltf_scene;

ruga_status gltf_scene_open(gltf_document *doc, gltf_scene *scene);
void gltf_scene_close(ruga_context *context, gltf_scene *scene);
/* From a node's own space to the scene's, for all nodes. locals may be NULL: as the file has them. */
void gltf_scene_globals(const gltf_scene *scene, const gltf_matrix *locals, gltf_matrix *globals);
gltf_matrix gltf_node_local(const gltf_node *node);

/* The one mesh that is wanted: a mesh at a node (GLTF_NONE for a mesh that no node shows). */
typedef struct gltf_choice {
    uint32_t mesh, node;
} gltf_choice;
ruga_status gltf_scene_choose(gltf_document *doc, const gltf_scene *scene, const char *wanted, gltf_choice *out);
/* Everything that can be chosen; the array is to be released with memory_release. */
ruga_status gltf_scene_choices(gltf_document *doc, const gltf_scene *scene, gltf_choice **choices, size_t *count);
const char *gltf_choice_name(const gltf_document *doc, gltf_choice choice); /* "" when it has none */

/* ---- A mesh's primitives as one numbering of the file's vertices, in their order; welded. */
typedef struct gltf_block { /* vertices that primitives with the very same accessors share */
    const json_value *attributes, *targets;
    uint32_t primitive; /* the first that has it */
    uint32_t next;      /* block with the same positions; GLTF_NONE */
    uint32_t base;      /* its first vertex */
    uint32_t count;
    uint32_t position; /* accessor */
} gltf_block;

typedef struct gltf_primitive {
    const json_value *json;
    uint32_t index;
    uint32_t block;
    int mode;
    uint32_t indices, material; /* GLTF_NONE */
    uint64_t index_count;
} gltf_primitive;

typedef struct gltf_surface {
    const json_value *mesh;
    uint32_t mesh_index;
    size_t primitive_count;
    gltf_primitive *primitives;
    size_t block_count;
    gltf_block *blocks;
    size_t target_count;    /* morph targets of each primitive */
    size_t file_count;      /* the file's vertices */
    size_t vertex_count;    /* welded */
    ruga_vec3 *positions;   /* (vertex_count) as the file has them */
    uint32_t *split_vertex; /* (file_count), or NULL when nothing was split */
    uint32_t *first;        /* (vertex_count) the first of the file's vertices of each; NULL when nothing was split */
} gltf_surface;

/* skinned: joints and weights count when vertices are compared. */
ruga_status gltf_surface_open(gltf_document *doc, uint32_t mesh, int skinned, gltf_surface *out);
void gltf_surface_close(const gltf_document *doc, gltf_surface *surface);
/* The accessor of an attribute of a block; GLTF_NONE. */
ruga_status gltf_block_accessor(gltf_document *doc, const gltf_block *block, const char *attribute, uint32_t *out);
/* Opens an attribute and checks its count, type and components against what it must be. */
ruga_status gltf_block_open(gltf_document *doc, const gltf_block *block, uint32_t accessor, const char *attribute,
                            uint32_t components, gltf_accessor *out);
/* An attribute of a morph target (SIZE_MAX: of the primitives themselves) over all blocks, (file_count x components);
 * zeros in blocks that do not have it. found: one has it. */
ruga_status gltf_surface_floats(gltf_document *doc, const gltf_surface *surface, size_t target, const char *attribute,
                                uint32_t components, float *out, int *found);

/* Hashes of places, equal for equal ones (-0 is 0); returns whether all are finite. */
int gltf_hash_places(const ruga_context *context, const ruga_vec3 *positions, size_t count, uint32_t *hashes);
/* Finds equal vertices: hashes is (count), equal for equal ones; equal(user, a, b) decides. split_vertex (count)
 * receives a numbering in the order of first appearance. */
typedef int gltf_equal_function(void *user, uint32_t a, uint32_t b);
ruga_status gltf_weld(ruga_context *context, size_t count, const uint32_t *hashes, gltf_equal_function *equal,
                      void *user, uint32_t **split_vertex, size_t *vertex_count);

/* Of vertices that are equal so far, those that are apart where no seam joins them get numbers of their own. corners:
 * the file's vertices of all triangles. split_vertex is changed in place; NULL when nothing is left to weld. */
typedef struct gltf_places {
    size_t count, place_count;
    uint32_t *places; /* (count) equal for vertices at one place */
} gltf_places;
ruga_status gltf_weld_borders(ruga_context *context, const gltf_places *at, const uint32_t *corners,
                              size_t corner_count, uint32_t **split_vertex, size_t *vertex_count);

/* The corners of all triangles as the file's vertices; release with memory_release. */
ruga_status gltf_read_corners(gltf_document *doc, const gltf_surface *surface, uint32_t **corners, size_t *count);

/* Adds the faces, their materials and the lines to parts. flip: the transform is a mirror image. */
ruga_status gltf_read_faces(gltf_document *doc, const gltf_surface *surface, int flip, mesh_parts *parts);

/* ---- Morph targets and skin. Holds all that it needs: the document may be closed. */
typedef struct gltf_rig {
    ruga_context *context;
    size_t vertex_count;
    ruga_vec3 *positions; /* (vertex_count) */
    size_t target_count;
    float **deltas;  /* (target_count) of (vertex_count x 3), or NULL where all are zero */
    double *weights; /* (target_count) as the file has them */
    size_t joint_count;
    uint32_t *joints;        /* nodes */
    gltf_matrix *inverse;    /* (joint_count) inverse bind matrices */
    size_t *influence_begin; /* (vertex_count + 1) */
    uint32_t *influence_joint;
    double *influence_weight; /* sum to 1 at each vertex */
    uint32_t node;            /* of the mesh; GLTF_NONE */
    gltf_scene scene;
    gltf_matrix *locals, *globals; /* (node_count) */
    gltf_matrix *joint_matrices;   /* (joint_count) */
} gltf_rig;

/* How many morph targets are controls of a rig, which a mesh in the place of this one keeps: those before the first
 * with the name of a frame. Targets without names that Ruga wrote, or more than 64, are frames. */
#define GLTF_FRAME_NAME "frame "
#define GLTF_GENERATOR "Ruga "
size_t gltf_own_targets(const gltf_document *doc, const gltf_surface *surface);
int gltf_is_film(const gltf_document *doc); /* Ruga wrote it */

/* Which morph targets are held: those that have a weight in the file; all; none, but all are checked. */
typedef enum gltf_targets { GLTF_TARGETS_AT_REST, GLTF_TARGETS_ALL, GLTF_TARGETS_STREAMED } gltf_targets;

/* Takes the scene, and the positions of the surface, over. */
ruga_status gltf_rig_open(gltf_document *doc, gltf_scene *scene, gltf_choice choice, gltf_surface *surface,
                          gltf_targets targets, gltf_rig *out);
/* The differences of a morph target's positions: (file_count x 3), of which the first vertex_count are filled. */
ruga_status gltf_rig_read_target(gltf_document *doc, const gltf_surface *surface, size_t target, float *deltas);
void gltf_rig_close(gltf_rig *rig);
/* From rig->locals and weights (target_count). positions may be rig->positions, once. */
void gltf_rig_pose(gltf_rig *rig, const double *weights, ruga_vec3 *positions);
/* The global transforms of nodes and joints, from rig->locals. */
void gltf_rig_pose_nodes(gltf_rig *rig);
/* The skin becomes that of the mesh, with the names of its nodes; the rig can only be closed afterwards. */
ruga_status gltf_rig_give_joints(const gltf_document *doc, gltf_rig *rig, mesh_parts *parts);
/* The transformation of a vertex by the posed skin or node. */
gltf_matrix gltf_rig_vertex_matrix(const gltf_rig *rig, size_t vertex);

/* Adds the attributes to parts, after the faces; normals and tangents are turned as the posed rig says. */
ruga_status gltf_read_attributes(gltf_document *doc, const gltf_surface *surface, const gltf_rig *rig,
                                 mesh_parts *parts);

/* ---- A file from which a mesh, its motion or both are read: opened and welded once. */
typedef struct gltf_file {
    gltf_document doc;
    gltf_scene scene;
    gltf_choice choice;
    gltf_surface surface;
} gltf_file;

/* The source's stream stays open and belongs to the caller. */
ruga_status gltf_file_open(const io_source *source, gltf_file *f);
void gltf_file_close(gltf_file *f);
/* Of all that is read from a file the last may take its arrays over; after it the file can only be closed. */
ruga_status gltf_file_rig(gltf_file *f, gltf_targets targets, int last, gltf_rig *rig);
ruga_status gltf_file_mesh(gltf_file *f, int last, mesh_parts *parts);
/* The last that is read. The mesh (may be NULL) has to have as many vertices as the file's. */
ruga_status gltf_file_motion(gltf_file *f, const ruga_mesh *mesh, const ruga_file_def *def, ruga_motion **out);

/* ---- Morph targets from the file. */
typedef struct gltf_stream gltf_stream;
int gltf_stream_is_needed(const gltf_file *f);
/* Takes document and surface over; the file can only be closed afterwards. */
ruga_status gltf_stream_open(gltf_file *f, gltf_stream **out);
void gltf_stream_close(gltf_stream *stream); /* NULL is fine */
/* Puts the targets that have a weight into rig->deltas, in the place of others. */
ruga_status gltf_stream_load(gltf_stream *stream, gltf_rig *rig, const double *weights);

/* ---- Animation. */
typedef enum gltf_path { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_WEIGHTS } gltf_path;
typedef enum gltf_interpolation { GLTF_STEP, GLTF_LINEAR, GLTF_CUBIC } gltf_interpolation;

typedef struct gltf_channel {
    uint32_t node;
    gltf_path path;
    gltf_interpolation interpolation;
    size_t components; /* 3, 4, or the morph targets */
    size_t key_count;
    float *times;  /* (key_count) s, strictly rising */
    float *values; /* (key_count x components); cubic: in-tangent, value, out-tangent of each key */
} gltf_channel;

typedef struct gltf_animation {
    ruga_context *context;
    size_t channel_count;
    gltf_channel *channels;
    double start, end; /* s */
} gltf_animation;

/* The animation of that name or number (NULL: the first); channels that can't move this rig's mesh are left out. */
ruga_status gltf_animation_open(gltf_document *doc, const gltf_rig *rig, const char *wanted, gltf_animation *out);
void gltf_animation_close(gltf_animation *animation);
/* The number of the animation of that name or number (NULL: the first). */
ruga_status gltf_animation_find(gltf_document *doc, const char *wanted, uint32_t *out);
/* The nodes and weights at a time: into rig->locals, through transforms (nodes), and into weights (morph targets). */
void gltf_animation_pose(const gltf_animation *animation, double time, gltf_rig *rig, gltf_transform *transforms,
                         double *weights);
/* The values at a time; before the first key and after the last, these hold. */
void gltf_channel_sample(const gltf_channel *channel, double time, double *out);

/* ---- Writing: the vertices of the file, from a mesh. */
typedef struct gltf_written_attribute {
    const ruga_attribute *attribute;
    char *semantic; /* "TEXCOORD_0" */
    ruga_scalar type;
    int normalised;
    size_t element_size; /* bytes in the file, a multiple of 4 */
} gltf_written_attribute;

typedef struct gltf_layout {
    ruga_context *context;
    const char *name; /* of the file, for messages */
    const ruga_mesh *mesh;
    struct gltf_origin *origin; /* the file that is written into; NULL: a file of its own */
    io_conversion conversion;
    size_t file_count;
    const uint32_t *file_vertex; /* (file_count) the mesh's vertex; NULL: the same */
    const uint32_t *corner_file; /* (corner_count); NULL: the corner's vertex */
    const uint32_t *file_corner; /* (file_count) a corner that has its values, GLTF_NONE: no corner has */
    int by_split;                /* the mesh's own splits: value i of a corner attribute is vertex i's */
    uint32_t *owned[3];          /* the above, when they are not the mesh's */
    ruga_attribute *source;      /* all that the mesh and the frame have */
    size_t source_count;
    size_t attribute_count;
    gltf_written_attribute *attributes;
    const ruga_attribute *material; /* NULL */
    size_t group_count;             /* of triangles by material */
    int64_t *group_label;           /* (group_count) -1: none */
    size_t *group_begin;            /* (group_count + 1) into the triangles in their order */
    uint32_t *triangle_order;       /* (triangle_count); NULL: as they are */
} gltf_layout;

ruga_status gltf_layout_make(const io_target *target, gltf_layout *layout);
void gltf_layout_release(gltf_layout *layout);
static inline size_t gltf_layout_vertex(const gltf_layout *layout, size_t file_vertex) {
    return layout->file_vertex ? layout->file_vertex[file_vertex] : file_vertex;
}
static inline uint32_t gltf_layout_corner(const gltf_layout *layout, size_t corner) {
    return layout->corner_file ? layout->corner_file[corner] : layout->mesh->face_vertices[corner];
}
/* One value as it stands in the file: element_size bytes. */
void gltf_layout_value(const gltf_layout *layout, const gltf_written_attribute *attribute, size_t file_vertex,
                       unsigned char *out);
/* A direction of a vertex of the mesh as three floats of unit length, as the file has it. */
void gltf_layout_direction(const gltf_layout *layout, size_t vertex, ruga_vec3 direction, float out[3]);
/* A point of a vertex of the mesh, as the file has it. */
ruga_vec3 gltf_layout_point(const gltf_layout *layout, size_t vertex, ruga_vec3 p);

/* Frames that come after the mesh, as morph targets. */
typedef struct gltf_frame {
    float time; /* s, rising */
    float low[3], high[3];
} gltf_frame;
typedef struct gltf_frames {
    const gltf_frame *items, *own; /* own: of the file's own targets, if it keeps them; their times mean nothing */
    const float *own_weights;      /* (frames x own targets) */
    const float *base_normals;     /* (file_count x 3) instead of the normal attribute */
    /* Scratch: of each of the file's own targets, then of each frame (2 x file_count x 3) floats, differences of
     * positions to the mesh's, of normals to base_normals. */
    file *differences;
} gltf_frames;
/* The bounds of points, (count x 3); zeros of none. */
void gltf_bounds(const float *points, size_t count, float low[3], float high[3]);

/* `positions` (file_count x 3) in the file's units. frames may be NULL if there are none, or out is NULL: then only
 * the size is found, which does not depend on the values in the frames. */
ruga_status gltf_write_layout(const gltf_layout *layout, const float *positions, const gltf_frames *frames,
                              size_t frame_count, ruga_format format, file *out, uint64_t *size);
/* Positions as floats in the file's units; one that does not fit is an error that names the vertex. */
ruga_status gltf_layout_positions(const gltf_layout *layout, const ruga_vec3 *positions, float *out);

#endif
