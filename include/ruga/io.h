/* Ruga: files.
 *
 * Inside Ruga lengths are metres and y is up. A file has a unit and an up axis of its own: state them here, and
 * readers and writers convert. Vertex order in is vertex order out.
 * A file is written under a temporary name in the same folder and renamed when it is complete.
 */
#ifndef RUGA_IO_H
#define RUGA_IO_H

#include "ruga/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ruga_format {
    RUGA_FORMAT_AUTO = 0, /* by the file name's ending; an unknown ending returns RUGA_ERROR_INPUT */
    RUGA_FORMAT_OBJ,
    RUGA_FORMAT_PLY, /* binary little endian when written */
    RUGA_FORMAT_PLY_ASCII,
    RUGA_FORMAT_PLY_BIG, /* binary big endian */
    RUGA_FORMAT_GLB,
    RUGA_FORMAT_GLTF, /* JSON with the buffers embedded when written */
    RUGA_FORMAT_PC2,
    RUGA_FORMAT_MDD,
    RUGA_FORMAT_USDA,       /* USD as text; only written; reading returns RUGA_ERROR_UNSUPPORTED */
    RUGA_FORMAT_MSH,        /* Gmsh, version 4.1 as text when written; versions 2.2 and 4.1 are read */
    RUGA_FORMAT_MSH_BINARY, /* Gmsh 4.1, binary */
    RUGA_FORMAT_MSH2,       /* Gmsh 2.2, text */
    RUGA_FORMAT_MSH2_BINARY,
    RUGA_FORMAT_MEDIT, /* .mesh, text */
    RUGA_FORMAT_TETGEN /* the pair .node and .ele, text; never in memory */
} ruga_format;

typedef enum ruga_axis { RUGA_AXIS_Y = 0, RUGA_AXIS_Z = 1, RUGA_AXIS_X = 2 } ruga_axis;

typedef struct ruga_file_def {
    uint32_t cookie;
    ruga_format format;
    double unit;      /* metres per unit of the file: 0.01 for centimetres. Default 1. glTF is metres by definition */
    ruga_axis up;     /* the file's up axis. Default y, which glTF is by definition; USD can't say x */
    const char *mesh; /* glTF with several meshes: name of a node or mesh, or its number as text; NULL: the only one */
    double rate;  /* frames per second: of files without a rate (PC2, sequences), and of written files. Default 24 */
    double start; /* s, time of the first sample of files without times */
    const char *animation; /* glTF with several animations: name, or number as text; NULL: the first */
    /* Writing glTF: the glTF file that the mesh came from, whose other content is kept: nodes, skins, materials,
     * textures, cameras, animations and other meshes. The mesh takes the place of the one that `mesh` names there and
     * keeps its skin if it has the same joints; frames are morph targets along `animation`. NULL: a file of its own. */
    const char *origin;
    int apart; /* reading glTF: vertices stay as the file splits them at seams of uv and normals. Default 0: welded */
    int baked; /* with an origin: the mesh gets no skin; its frames hold all of the motion */
} ruga_file_def;

RUGA_API ruga_file_def ruga_file_def_default(void);

/* ---- One mesh. def may be NULL for the defaults. */
RUGA_API ruga_status ruga_mesh_read(ruga_context *context, const char *path, const ruga_file_def *def, ruga_mesh **out);
/* From bytes in memory; messages use `name`, and its ending gives the format. */
RUGA_API ruga_status ruga_mesh_read_memory(ruga_context *context, const char *name, const void *bytes, size_t size,
                                           const ruga_file_def *def, ruga_mesh **out);
/* frame (may be NULL) replaces the mesh's positions, normals and attributes. */
RUGA_API ruga_status ruga_mesh_write(const ruga_mesh *mesh, const ruga_frame *frame, const char *path,
                                     const ruga_file_def *def);
/* Into memory; release it with ruga_free. */
RUGA_API ruga_status ruga_mesh_write_memory(const ruga_mesh *mesh, const ruga_frame *frame, const ruga_file_def *def,
                                            void **bytes, size_t *size);

/* A glTF file as a whole, as .glb or .gltf: all meshes, skins, animations, materials, textures and other content.
 * Buffers and pictures beside it go into the new file; those that can't be read cause a warning and are kept by name.
 * def->mesh leaves out the other meshes, def->animation the other animations; unit and axis do not change. */
RUGA_API ruga_status ruga_file_copy(ruga_context *context, const char *from, const char *to, const ruga_file_def *def);

/* ---- Motions. path is a .pc2 or .mdd cache, a .glb or .gltf with skin, morph or node animation, or a numbered
 * sequence of meshes, given as a pattern (frame_####.obj, frame_%04d.obj) or by its first file. `mesh` is the rest
 * mesh; the numbers of vertices must agree. It may be NULL for a cache. A glTF file without animation returns
 * RUGA_ERROR_UNSUPPORTED. */
RUGA_API ruga_status ruga_motion_read(ruga_context *context, const char *path, const ruga_mesh *mesh,
                                      const ruga_file_def *def, ruga_motion **out);

/* ---- A file that may have a mesh and its motion (glTF), opened and welded once. Texts in the def must live until it
 * is closed. */
typedef struct ruga_mesh_file ruga_mesh_file;
RUGA_API ruga_status ruga_mesh_file_open(ruga_context *context, const char *path, const ruga_file_def *def,
                                         ruga_mesh_file **out);
RUGA_API void ruga_mesh_file_close(ruga_mesh_file *file); /* NULL is fine; mesh and motion stay valid */
/* As ruga_mesh_read. */
RUGA_API ruga_status ruga_mesh_file_mesh(ruga_mesh_file *file, ruga_mesh **out);
/* As ruga_motion_read, after the mesh, and once; a def of its own may choose another animation, unit and axis. */
RUGA_API ruga_status ruga_mesh_file_motion(ruga_mesh_file *file, const ruga_mesh *mesh, const ruga_file_def *def,
                                           ruga_motion **out);

/* Whether a path can only be a motion, by its name: 1 for caches and patterns, 0 for others. A glTF file, or the first
 * of a sequence, may be either: try ruga_motion_read. */
RUGA_API int ruga_path_is_motion(const char *path);

/* ---- Writing frames one after the other: .pc2, .mdd, .usda (streaming), .glb (morph targets), or a sequence
 * (pattern). For .usda the times of the frames must increase, and either all frames have normals or none. */
typedef struct ruga_motion_writer ruga_motion_writer;

RUGA_API ruga_status ruga_motion_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                                               ruga_motion_writer **out);
RUGA_API ruga_status ruga_motion_writer_append(ruga_motion_writer *writer, const ruga_frame *frame);
/* Completes the file under its final name. A writer that is destroyed before leaves no file (but the complete files of
 * a sequence stay). */
RUGA_API ruga_status ruga_motion_writer_finish(ruga_motion_writer *writer);
RUGA_API void ruga_motion_writer_destroy(ruga_motion_writer *writer); /* NULL is fine */

/* The size of a number of frames of this mesh in a format, bytes, for a warning before a large file is written. For
 * RUGA_FORMAT_USDA, which is text, an estimate within about 15 % for frames without normals. */
RUGA_API uint64_t ruga_motion_written_size(const ruga_mesh *mesh, size_t frame_count, ruga_format format);

/* ---- Names. */
RUGA_API ruga_format ruga_format_from_path(const char *path); /* RUGA_FORMAT_AUTO if the ending is unknown */
RUGA_API ruga_format ruga_format_from_name(const char *name); /* "obj", "ply-ascii", … */
RUGA_API const char *ruga_format_name(ruga_format format);

/* The meshes in a glTF file that `mesh` can choose: a list of lines "number name triangles"; release with ruga_free. */
RUGA_API ruga_status ruga_file_list_meshes(ruga_context *context, const char *path, char **text);

/* Names in a glTF file, in their order, one per line; where there is no name, the line is empty. Joints
 * are those of all skins. bytes: the content of the file in memory; NULL: it is read from `path`. Release the text with
 * ruga_free. Other formats return RUGA_ERROR_UNSUPPORTED. */
typedef enum ruga_file_names {
    RUGA_FILE_ANIMATIONS = 0,
    RUGA_FILE_MATERIALS,
    RUGA_FILE_JOINTS,
    RUGA_FILE_NAMES_COUNT
} ruga_file_names;
RUGA_API ruga_status ruga_file_list_names(ruga_context *context, const char *path, const void *bytes, size_t size,
                                          ruga_file_names which, char **text);

/* ---- Compressed glTF (KHR_draco_mesh_compression, EXT_meshopt_compression). libruga has no decoders, since it needs
 * libm and threads alone; libruga_decode has them, see ruga/decode.h. An engine may bring its own. Sizes are checked
 * before a decoder is called, its indices after it; a decoder checks the bytes. It returns RUGA_OK, RUGA_ERROR_MEMORY,
 * or RUGA_ERROR_INPUT with a message of less than RUGA_DECODER_MESSAGE bytes, such as "the data is cut off". */
#define RUGA_DECODER_MESSAGE 200

typedef enum ruga_meshopt_mode {
    RUGA_MESHOPT_ATTRIBUTES = 0, /* stride: a multiple of 4, at most 256 */
    RUGA_MESHOPT_TRIANGLES = 1,  /* stride: 2 or 4; count: a multiple of 3 */
    RUGA_MESHOPT_INDICES = 2     /* stride: 2 or 4 */
} ruga_meshopt_mode;

typedef enum ruga_meshopt_filter {
    RUGA_MESHOPT_NONE = 0,
    RUGA_MESHOPT_OCTAHEDRAL = 1, /* stride: 4 or 8 */
    RUGA_MESHOPT_QUATERNION = 2, /* stride: 8 */
    RUGA_MESHOPT_EXPONENTIAL = 3
} ruga_meshopt_filter;

typedef struct ruga_meshopt_view {
    const unsigned char *bytes; /* (size) compressed */
    size_t size;
    size_t count, stride; /* elements, at least 1, and bytes of each */
    ruga_meshopt_mode mode;
    ruga_meshopt_filter filter;
} ruga_meshopt_view;

/* One attribute of a Draco mesh. */
typedef struct ruga_draco_array {
    uint32_t id; /* Draco's unique id */
    ruga_scalar type;
    uint32_t components; /* 1 to 4 */
    void *values;        /* (vertices x components) to be filled; integers stay integers */
} ruga_draco_array;

typedef struct ruga_draco_mesh {
    const unsigned char *bytes; /* (size) compressed */
    size_t size;
    size_t vertex_count, triangle_count; /* a mesh of other numbers is an error */
    uint32_t *corners;                   /* (triangle_count x 3) to be filled */
    size_t array_count;
    const ruga_draco_array *arrays;
} ruga_draco_mesh;

typedef struct ruga_decoders {
    /* Fills out, (count x stride) bytes. NULL: there is none. May be called from several threads at once. */
    ruga_status (*meshopt)(const ruga_meshopt_view *view, void *out, char *message);
    ruga_status (*draco)(const ruga_draco_mesh *mesh, char *message); /* the same */
} ruga_decoders;

/* The table must live as long as the context. NULL: none, as at first. Call it before files are read. */
RUGA_API void ruga_context_set_decoders(ruga_context *context, const ruga_decoders *decoders);

#ifdef __cplusplus
}
#endif
#endif
