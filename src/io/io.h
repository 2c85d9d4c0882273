/* Interfaces of the formats. Each format is one file that uses meshes, frames and motions, never bodies.
 *
 * A reader gets bytes and a name for messages and gives mesh_parts in the file's own units and axes; the registry
 * (io.c) converts. A writer gets the mesh in metres and y up together with the conversion and an open file.
 */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/file.h"
#include "mesh/mesh.h"
#include "mesh/motion.h"
#include "ruga/io.h"

/* file = scale * R * inside for writers, inside = scale * R * file for readers; R permutes the axes. */
typedef struct io_conversion {
    double scale;
    ruga_axis up;
    int identity;
} io_conversion;

io_conversion io_conversion_reading(const ruga_file_def *def);
io_conversion io_conversion_writing(const ruga_file_def *def);
ruga_vec3 io_convert_point_in(const io_conversion *c, ruga_vec3 p);
ruga_vec3 io_convert_point_out(const io_conversion *c, ruga_vec3 p);
ruga_vec3 io_convert_direction_in(const io_conversion *c, ruga_vec3 d); /* normals: turned, not scaled */
ruga_vec3 io_convert_direction_out(const io_conversion *c, ruga_vec3 d);

/* Real values that turn with the axes: "normal" and "tangent". */
int io_attribute_is_direction(const ruga_attribute *attribute);
/* Turns all values of such an attribute, into the inside or out of it; `to` may be `from`. */
void io_turn_values(const io_conversion *c, const ruga_attribute *attribute, const void *from, void *to, int in);

typedef struct io_source {
    ruga_context *context;
    const char *name;           /* for messages */
    const char *directory;      /* of the file, for what it refers to; NULL when read from memory */
    const unsigned char *bytes; /* a zero byte follows the last; NULL when `stream` is given */
    size_t size;
    file *stream; /* PLY and glTF: the open file instead of its bytes, which are then NULL; size is its size */
    const ruga_file_def *def;
} io_source;

typedef struct io_target {
    ruga_context *context;
    const ruga_mesh *mesh;
    const ruga_frame *frame; /* may be NULL */
    io_conversion conversion;
    const ruga_file_def *def;
    file *out;
} io_target;

/* Reports progress while a mesh is written: so many vertices and faces are done. Most calls do nothing. */
ruga_status io_report_written(const io_target *target, size_t vertices, size_t faces);

/* Positions and normals to write: the frame's, else the mesh's. */
const ruga_vec3 *io_target_positions(const io_target *target);

/* The attributes to write, in their order: the mesh's, each replaced by the frame's of the same name and domain, then
 * the frame's others. A frame's normals become the vertex attribute "normal" (f64); a frame without normals drops the
 * mesh's normals and tangents, which are those of another pose. Release with memory_release. */
ruga_status io_target_attributes(const io_target *target, ruga_attribute **attributes, size_t *count);

/* Fails with RUGA_ERROR_ARGUMENT unless the def is whole and sensible. NULL is fine. */
ruga_status io_check_def(ruga_context *context, const ruga_file_def *def);

ruga_status obj_read(const io_source *source, mesh_parts *parts);
ruga_status obj_write(const io_target *target);

/* The polylines of an OBJ file, in its own unit and axes; they live as long as the call of `take`. */
typedef struct obj_lines {
    size_t vertex_count;
    const ruga_vec3 *positions;
    size_t count;
    const uint32_t *offsets, *vertices;
    const char *const *owners; /* (count) name of the group or object that came last before it; NULL: none */
    const unsigned *places;    /* (count) line of the text */
} obj_lines;
typedef struct obj_lines_use {
    ruga_status (*take)(void *user, const obj_lines *lines);
    void *user;
} obj_lines_use;
ruga_status obj_read_lines(const io_source *source, const obj_lines_use *use);

ruga_status ply_read(const io_source *source, mesh_parts *parts);
ruga_status ply_write(const io_target *target, ruga_format format);
ruga_status gltf_read(const io_source *source, mesh_parts *parts); /* .glb and .gltf */
ruga_status gltf_write(const io_target *target, ruga_format format);
ruga_status gltf_list_meshes(const io_source *source, char **text);
ruga_status gltf_list_names(const io_source *source, ruga_file_names which, char **text);
ruga_status gltf_copy(ruga_context *context, const char *from, const ruga_file_def *def, ruga_format format, file *out);
/* Bytes of a mesh and so many frames as morph targets, within 1 %; 0 when there is no memory to find out. */
uint64_t gltf_written_size(const ruga_mesh *mesh, size_t frame_count, ruga_format format);

ruga_status usda_write(const io_target *target);
/* Bytes of a mesh and so many frames without normals, within 15 % or so; 0 when there is no memory to find out. */
uint64_t usda_written_size(const ruga_mesh *mesh, size_t frame_count);

/* Tet meshes (io/solid.h). */
ruga_status msh_read(const io_source *source, mesh_parts *parts);
ruga_status msh_write(const io_target *target, ruga_format format);
ruga_status medit_read(const io_source *source, mesh_parts *parts);
ruga_status medit_write(const io_target *target);
ruga_status tetgen_read(const io_source *source, mesh_parts *parts); /* the other file is opened too */
/* path: of the target's file, NULL in memory. The other file of the pair is complete before it. */
ruga_status tetgen_write(const io_target *target, const char *path);

/* Whether the last part of a path holds a place for a number: a run of '#', or %d, %4d, %04d. */
int sequence_is_pattern(const char *path);

/* Motions. They open files themselves, since caches stream. */
ruga_status pc2_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                     ruga_motion **out);
ruga_status mdd_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                     ruga_motion **out);
ruga_status sequence_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                          ruga_motion **out);

/* Writers of frames: implementations put this first in a struct of their own. */
typedef struct motion_writer_interface {
    ruga_status (*append)(ruga_motion_writer *writer, const ruga_frame *frame); /* frame->vertex_count is checked */
    ruga_status (*finish)(ruga_motion_writer *writer); /* NULL: every frame is complete already */
    void (*destroy)(ruga_motion_writer *writer);
} motion_writer_interface;

struct ruga_motion_writer {
    const motion_writer_interface *interface;
    ruga_context *context;
    const ruga_mesh *mesh;
    ruga_file_def def;
    io_conversion conversion;
    size_t frame_count; /* appended so far */
};

/* Fills what all writers share. */
void io_writer_init(ruga_motion_writer *writer, const motion_writer_interface *interface, const ruga_mesh *mesh,
                    const ruga_file_def *def);

/* The end of creating a writer (NULL is fine): it goes to *out, or is destroyed after a failure. */
ruga_status io_writer_made(ruga_status status, ruga_motion_writer *writer, ruga_motion_writer **out);

#define PC2_HEADER_SIZE 32 /* bytes, before the samples */

/* The folder of a path, with its slash; "" for a bare name. */
ruga_status io_copy_directory(ruga_context *context, const char *path, char **out);

/* Whether a path ends in .part: a file that is still growing. */
int io_path_is_part(const char *path);

/* ruga_mesh_write; without `flush` it does not wait for the disk. The bytes of OBJ and PLY go into the hash, unless it
 * is NULL. */
ruga_status io_mesh_write(const ruga_mesh *mesh, const ruga_frame *frame, const char *path, const ruga_file_def *def,
                          int flush, rolling_hash *hash);

ruga_status pc2_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                              ruga_motion_writer **out);
/* A PC2 cache that grows under its own name and stays when the writer is destroyed: created for 0 samples, else cut
 * back to so many. first: time of the first sample, s. Samples go into the hash, the header does not. Not to be
 * appended to or finished as others are: frames are handed over to the system one by one, and the header is true after
 * each settling. */
ruga_status pc2_writer_continue(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, double first,
                                size_t samples, rolling_hash *hash, ruga_motion_writer **out);
ruga_status pc2_writer_settle(ruga_motion_writer *writer, int flush);
/* A frame is encoded and then written, which another thread may do. Its vertices are those of the mesh. */
ruga_status pc2_writer_encode(ruga_motion_writer *writer, const ruga_frame *frame);
ruga_status pc2_writer_write(ruga_motion_writer *writer);
ruga_status mdd_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                              ruga_motion_writer **out);
ruga_status sequence_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                                   ruga_motion_writer **out);
ruga_status usda_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                               ruga_motion_writer **out);
ruga_status gltf_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                               ruga_motion_writer **out);

#endif
