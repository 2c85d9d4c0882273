/* Writing into a glTF file that a mesh came from: everything else of it is kept.
 *
 * The written mesh takes the place of the one that was read. Nodes, skins, materials, textures, cameras, animations,
 * other meshes, extensions and extras are copied as they are; the bytes of all buffers become one buffer, and pictures
 * beside the file go into it. A buffer or a picture that can't be read keeps its name, with a warning.
 *
 * Positions are those of the posed mesh. They are brought back into the space that the file poses them from:
 *
 *     x = S(t) p   =>   p = S(t)⁻¹ x     S: the blend of the vertex' joints, or the transform of the mesh's node
 *
 * at rest for the mesh itself, and at its time for every frame. So the file's own skin and animation bring every
 * frame back to where it was, and a frame that the skin explains takes differences of zero. */
#ifndef IO_GLTF_ORIGIN_H
#define IO_GLTF_ORIGIN_H

#include "io/gltf.h"
#include "linalg/map.h"
#include "ruga/text.h"

struct gltf_plan;

#define GLTF_INFLUENCES 4 /* joints of a vertex that are written: as many as every viewer reads */

/* A picture that goes into the buffer. */
typedef struct gltf_picture {
    uint32_t image;
    const char *type; /* "image/png" */
    unsigned char *bytes;
    uint64_t size, offset; /* offset: in the written buffer */
} gltf_picture;

/* Keys of the own morph targets' weights in an animation that frames do not move along. */
typedef struct gltf_weight_keys {
    const json_value *channel, *sampler;
    size_t count;  /* rows: keys, with their tangents if there are any */
    float *values; /* (count x own targets) */
} gltf_weight_keys;

/* Bytes of a buffer that are not written. */
typedef struct gltf_gap {
    uint32_t buffer;
    uint64_t begin, end;
} gltf_gap;

typedef struct gltf_origin {
    ruga_context *context;
    char *path, *directory;
    ruga_file_def def; /* how it is read: mesh and animation; texts belong to the caller */
    io_source source;
    gltf_document doc;
    gltf_scene all;     /* all nodes */
    gltf_choice choice; /* the mesh that is replaced; mesh GLTF_NONE: none */
    int only;           /* other meshes are left out */
    uint32_t only_animation;

    /* The bytes of the file in the written buffer. */
    uint64_t *buffer_offset; /* (buffers) UINT64_MAX: it can't be read and keeps its name */
    ARRAY(gltf_picture) pictures;
    uint64_t byte_count;
    /* Accessors and views of the file that are written; and of those, the ones that are used, NULL: all. */
    size_t accessor_count, view_count;
    unsigned char *live_accessors, *live_views;
    ARRAY(gltf_gap) gaps; /* by buffers, rising */

    /* The replaced mesh. */
    gltf_surface surface;
    gltf_rig rig;
    gltf_animation animation;
    uint32_t animation_index; /* GLTF_NONE: the frames make one of their own */
    double *weights;
    gltf_transform *transforms;
    int frames; /* frames are written */
    int skinned;
    size_t vertex_count;
    uint16_t *joints;     /* (vertex_count x GLTF_INFLUENCES) */
    float *joint_weights; /* (vertex_count x GLTF_INFLUENCES) sum to 1 */
    gltf_matrix *rest;    /* (vertex_count, or 1 without a skin) from the scene to the mesh's own space, at rest */
    gltf_matrix *local;   /* the same at the current time */
    /* Its own morph targets: how many are kept, the mesh's rows of weights on the file's vertices, and what they add to
     * the mesh's own space at rest and at the current time, (vertex_count). */
    size_t own_count;
    const ruga_map *rows;
    ruga_vec3 *rest_morphed, *morphed, *file_morphed; /* the last: (the file's vertices) scratch memory */
    ARRAY(gltf_weight_keys) weight_keys;
    uint32_t *material; /* (labels of the mesh's materials) the file's material, or one more */
    size_t more_materials;
} gltf_origin;

/* The whole file; with def->mesh, without the other meshes, with def->animation, without other animations. */
ruga_status gltf_origin_open(ruga_context *context, const char *path, const ruga_file_def *def, gltf_origin **out);
/* The same for writing a mesh, with or without frames, in place of the one that def->mesh names; frames move along
 * def->animation. */
ruga_status gltf_origin_open_for(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, int frames,
                                 gltf_origin **out);
void gltf_origin_close(gltf_origin *origin); /* NULL is fine */

/* The pose at a time, s. */
void gltf_origin_pose(gltf_origin *origin, double time);
void gltf_origin_pose_rest(gltf_origin *origin);
/* A point, or a direction, of a vertex of the mesh in the mesh's own space; NULL: unchanged. */
ruga_vec3 gltf_origin_point(const gltf_origin *origin, size_t vertex, ruga_vec3 p);
ruga_vec3 gltf_origin_direction(const gltf_origin *origin, size_t vertex, ruga_vec3 d);

/* gltf_origin_trim.c: leaves out what only the mesh `replaced` (GLTF_NONE: none) and the old weights use. */
ruga_status gltf_origin_trim(gltf_origin *origin, uint32_t replaced);
uint64_t gltf_origin_gaps_before(const gltf_origin *origin, uint32_t buffer, uint64_t at); /* bytes */
/* Whether all channels of a sampler move the weights of the replaced mesh. */
int gltf_origin_drops_sampler(const gltf_origin *origin, const json_value *animation, size_t sampler);
/* The number of the mesh that is written: that of the replaced one, or one more if other nodes show it, too. */
uint32_t gltf_origin_mesh(const gltf_origin *origin);

/* Whether a channel of an animation moves the weights of the replaced mesh. */
int gltf_origin_moves_weights(const gltf_origin *origin, const json_value *channel);
/* Displacements by an own morph target, in the space of the mesh: (vertex_count). */
void gltf_origin_target(gltf_origin *origin, size_t target, ruga_vec3 *out);

/* The bytes of the file, byte_count of them, piece by piece. */
typedef ruga_status gltf_put_function(void *user, const void *bytes, size_t size);
ruga_status gltf_origin_put_bytes(gltf_origin *origin, gltf_put_function *put, void *user);

/* The JSON. plan: what is added; NULL: nothing. */
void gltf_origin_print(const gltf_origin *origin, const struct gltf_plan *plan, ruga_format format, uint64_t size,
                       ruga_json_writer *json);
/* The members of an object, except some; and of its member `within`, except some others. */
void gltf_put_members(ruga_json_writer *json, const json_value *object, const char *const *except, const char *within,
                      const char *const *except_within);
static inline size_t gltf_origin_view_count(const gltf_origin *origin) {
    return origin->view_count + origin->pictures.count;
}

#endif
