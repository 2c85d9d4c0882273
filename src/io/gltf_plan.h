/* Where everything goes in a glTF file that is written: buffer views and accessors, then the JSON. */
#ifndef IO_GLTF_PLAN_H
#define IO_GLTF_PLAN_H

#include <string.h>

#include "io/gltf_origin.h"

typedef struct gltf_plan_view {
    uint64_t offset, size;
    uint32_t stride, target; /* 0: none */
} gltf_plan_view;

typedef struct gltf_plan_accessor {
    uint32_t view;
    uint64_t offset;
    ruga_scalar type;
    uint64_t count;
    uint32_t components;
    int normalised;
    int bounds; /* scalars of low and high: 0, 1 or 3 */
    float low[3], high[3];
} gltf_plan_accessor;

/* Accessors in this order: positions, attributes, joints and their weights, numbers of vertices, groups of triangles,
 * lines; of frames: base normals, times, weights, then positions and normals of each own target and each frame; weights
 * of own targets in other animations. */
typedef struct gltf_plan {
    const gltf_layout *layout;
    size_t frame_count, own_count; /* own_count: morph targets of the file that come before those of the frames */
    uint32_t index_size;           /* bytes, 2 or 4 */
    size_t short_lines;            /* lines of two vertices: one primitive of segments */
    size_t long_lines;             /* each a strip */
    uint32_t first_attribute, first_skin, first_group, first_line, first_frame, first_keys; /* accessors */
    uint32_t own_vertex;               /* accessor of GLTF_OWN_VERTEX; 0: none */
    uint64_t view_base, accessor_base; /* of the file that is written into: ours are numbered from there */
    ARRAY(gltf_plan_view) views;
    ARRAY(gltf_plan_accessor) accessors;
    uint64_t size; /* bytes of the buffer */
} gltf_plan;

/* frames: NULL for a mesh alone, or whose values are not known yet. */
ruga_status gltf_plan_make(const gltf_layout *layout, const float *positions, const gltf_frames *frames,
                           size_t frame_count, gltf_plan *plan);
void gltf_plan_release(gltf_plan *plan);

/* The text before and after the buffer's base64 digits; for GLB all is before. writer owns it. */
typedef struct gltf_text_parts {
    const char *head, *tail;
    size_t head_size, tail_size;
} gltf_text_parts;
ruga_status gltf_plan_print(const gltf_plan *plan, ruga_format format, ruga_json_writer *writer, gltf_text_parts *out);

/* Ends the writer and finds the place of the digits, after the first "base64," of the text. */
ruga_status gltf_text_finish(ruga_json_writer *json, ruga_format format, gltf_text_parts *out);

/* Items of the file's arrays, for printing into another file's. */
void gltf_plan_put_views(const gltf_plan *plan, ruga_json_writer *json);
void gltf_plan_put_accessors(const gltf_plan *plan, ruga_json_writer *json);
void gltf_plan_put_mesh(const gltf_plan *plan, ruga_json_writer *json); /* its members "primitives" and "weights" */
/* "targetNames" of the extras, in the file that is written into. */
void gltf_plan_put_names(const gltf_plan *plan, ruga_json_writer *json);
void gltf_plan_put_sampler(const gltf_plan *plan, ruga_json_writer *json);
void gltf_plan_put_channel(ruga_json_writer *json, size_t sampler, uint32_t node);

static inline size_t gltf_plan_targets(const gltf_plan *plan) { return plan->own_count + plan->frame_count; }

/* Whether an attribute is written as it is; with frames the normals are theirs. */
static inline int gltf_plan_has(const gltf_plan *plan, size_t attribute) {
    return plan->frame_count == 0 || strcmp(plan->layout->attributes[attribute].semantic, "NORMAL") != 0;
}

#endif
