/* Writing glTF: the bytes of the buffer, as a GLB's chunk or as base64 digits within the JSON. */
#include <string.h>

#include "io/gltf_plan.h"

#define PIECE 16384 /* bytes that are collected before they are written */

/* ---- A sink that counts, gathers, and turns bytes to base64 where it must. */

typedef struct sink {
    file *out;
    int base64;
    size_t used;
    unsigned char bytes[PIECE]; /* a multiple of 4 and, but for the last piece, written in multiples of 3 */
} sink;

static ruga_status write_base64(file *out, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4 * 256];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t bits = (uint32_t)bytes[i] << 16 | (uint32_t)(left > 1 ? bytes[i + 1] : 0) << 8 |
                        (uint32_t)(left > 2 ? bytes[i + 2] : 0);
        text[used++] = digits[bits >> 18];
        text[used++] = digits[bits >> 12 & 63];
        text[used++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        text[used++] = left > 2 ? digits[bits & 63] : '=';
        if (used < sizeof text) continue;
        TRY(file_write(out, text, used));
        used = 0;
    }
    return file_write(out, text, used);
}

/* All but what must wait for more; `last`: all. */
static ruga_status sink_empty(sink *s, int last) {
    size_t now = s->base64 && !last ? s->used / 3 * 3 : s->used;
    TRY(s->base64 ? write_base64(s->out, s->bytes, now) : file_write(s->out, s->bytes, now));
    memmove(s->bytes, s->bytes + now, s->used - now);
    s->used -= now;
    return RUGA_OK;
}

static ruga_status sink_put(sink *s, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t now = PIECE - s->used < size ? PIECE - s->used : size;
        memcpy(s->bytes + s->used, from, now);
        s->used += now;
        from += now;
        size -= now;
        if (s->used == PIECE) TRY(sink_empty(s, 0));
    }
    return RUGA_OK;
}

/* Views begin at multiples of four bytes. */
static ruga_status sink_pad(sink *s, uint64_t size) {
    static const unsigned char zeros[4] = {0};
    return sink_put(s, zeros, (4 - size % 4) % 4);
}

/* ---- The buffer, in the order of the plan. */

static ruga_status put_attributes(const gltf_plan *plan, sink *s) {
    const gltf_layout *layout = plan->layout;
    unsigned char value[64];
    for (size_t i = 0; i < layout->attribute_count; i++) {
        const gltf_written_attribute *w = &layout->attributes[i];
        for (size_t f = 0; gltf_plan_has(plan, i) && f < layout->file_count; f++) {
            gltf_layout_value(layout, w, f, value);
            TRY(sink_put(s, value, w->element_size));
        }
    }
    return RUGA_OK;
}

static ruga_status put_index(const gltf_plan *plan, uint32_t index, sink *s) {
    uint16_t small = (uint16_t)index;
    return plan->index_size == 2 ? sink_put(s, &small, 2) : sink_put(s, &index, 4);
}

static ruga_status put_triangles(const gltf_plan *plan, sink *s) {
    const gltf_layout *layout = plan->layout;
    for (size_t g = 0; g < layout->group_count; g++) {
        for (size_t i = layout->group_begin[g]; i < layout->group_begin[g + 1]; i++) {
            size_t triangle = layout->triangle_order ? layout->triangle_order[i] : i;
            for (size_t k = 0; k < 3; k++)
                TRY(put_index(plan, gltf_layout_corner(layout, mesh_triangle_corner(layout->mesh, triangle, k)), s));
        }
        TRY(sink_pad(s, 3 * (uint64_t)(layout->group_begin[g + 1] - layout->group_begin[g]) * plan->index_size));
    }
    return RUGA_OK;
}

/* A vertex of the file for each vertex of the mesh: the first. */
static ruga_status put_lines_by(const gltf_plan *plan, const uint32_t *first, sink *s) {
    const ruga_mesh *mesh = plan->layout->mesh;
    for (int strips = 0; strips < 2; strips++) {
        uint64_t size = 0;
        for (size_t l = 0; l < mesh->line_count; l++) {
            uint32_t begin = mesh->line_offsets[l], end = mesh->line_offsets[l + 1];
            if ((end - begin > 2) != strips) continue;
            for (uint32_t i = begin; i < end; i++) TRY(put_index(plan, first[mesh->line_vertices[i]], s));
            size = (strips ? 0 : size) + (end - begin) * plan->index_size;
            if (strips) TRY(sink_pad(s, size));
        }
        if (!strips) TRY(sink_pad(s, size));
    }
    return RUGA_OK;
}

static ruga_status put_lines(const gltf_plan *plan, sink *s) {
    const gltf_layout *layout = plan->layout;
    if (layout->mesh->line_count == 0) return RUGA_OK;
    uint32_t *first = NULL;
    TRY(NEW(layout->context, &first, layout->mesh->vertex_count));
    for (size_t f = layout->file_count; f > 0; f--) first[gltf_layout_vertex(layout, f - 1)] = (uint32_t)f - 1;
    ruga_status status = put_lines_by(plan, first, s);
    memory_release(layout->context, first);
    return status;
}

/* The scratch file's floats, in pieces. */
static ruga_status put_differences(const gltf_plan *plan, const gltf_frames *frames, sink *s) {
    unsigned char bytes[PIECE];
    const uint64_t frame_size = 6 * (uint64_t)plan->layout->file_count * sizeof(float);
    const size_t targets = gltf_plan_targets(plan);
    TRY(file_read_back(frames->differences));
    for (size_t k = 0; k < targets; k++) {
        TRY(report_progress(plan->layout->context, "writing frames", (double)k / (double)targets));
        for (uint64_t at = 0; at < frame_size; at += PIECE) {
            const size_t now = frame_size - at < PIECE ? frame_size - at : PIECE;
            TRY(file_read(frames->differences, bytes, now));
            TRY(sink_put(s, bytes, now));
        }
    }
    return RUGA_OK;
}

/* Frames have no weight in other animations. */
static ruga_status put_weight_keys(const gltf_plan *plan, sink *s) {
    const gltf_origin *origin = plan->layout->origin;
    static const float none = 0;
    for (size_t i = 0; plan->own_count > 0 && i < origin->weight_keys.count; i++) {
        const gltf_weight_keys *keys = &origin->weight_keys.items[i];
        for (size_t row = 0; row < keys->count; row++) {
            TRY(sink_put(s, keys->values + row * plan->own_count, plan->own_count * sizeof(float)));
            for (size_t k = 0; k < plan->frame_count; k++) TRY(sink_put(s, &none, sizeof none));
        }
    }
    return RUGA_OK;
}

static ruga_status put_frames(const gltf_plan *plan, const gltf_frames *frames, sink *s) {
    const size_t count = plan->frame_count, size = 3 * plan->layout->file_count * sizeof(float);
    if (count == 0) return RUGA_OK;
    TRY(sink_put(s, frames->base_normals, size));
    for (size_t k = 0; k < count; k++) TRY(sink_put(s, &frames->items[k].time, sizeof(float)));
    for (size_t i = 0; i < count; i++) {
        TRY(sink_put(s, frames->own_weights + i * plan->own_count, plan->own_count * sizeof(float)));
        for (size_t k = 0; k < count; k++) {
            const float weight = i == k;
            TRY(sink_put(s, &weight, sizeof weight));
        }
    }
    TRY(put_differences(plan, frames, s));
    return put_weight_keys(plan, s);
}

static ruga_status put_skin(const gltf_plan *plan, sink *s) {
    const gltf_layout *layout = plan->layout;
    const gltf_origin *origin = layout->origin;
    if (!origin || !origin->skinned) return RUGA_OK;
    for (size_t f = 0; f < layout->file_count; f++)
        TRY(sink_put(s, origin->joints + GLTF_INFLUENCES * gltf_layout_vertex(layout, f),
                     GLTF_INFLUENCES * sizeof(uint16_t)));
    for (size_t f = 0; f < layout->file_count; f++)
        TRY(sink_put(s, origin->joint_weights + GLTF_INFLUENCES * gltf_layout_vertex(layout, f),
                     GLTF_INFLUENCES * sizeof(float)));
    return RUGA_OK;
}

static ruga_status put_own_vertices(const gltf_plan *plan, sink *s) {
    for (size_t f = 0; plan->own_vertex && f < plan->layout->file_count; f++) {
        const size_t vertex = gltf_layout_vertex(plan->layout, f);
        const uint16_t halves[2] = {(uint16_t)(vertex & 0xffff), (uint16_t)(vertex >> 16)};
        TRY(sink_put(s, halves, sizeof halves));
    }
    return RUGA_OK;
}

static ruga_status put_bytes(void *user, const void *bytes, size_t size) { return sink_put(user, bytes, size); }

static ruga_status put_buffer(const gltf_plan *plan, const float *positions, const gltf_frames *frames, file *out,
                              int base64) {
    sink s = {.out = out, .base64 = base64};
    if (plan->layout->origin) TRY(gltf_origin_put_bytes(plan->layout->origin, put_bytes, &s));
    TRY(sink_put(&s, positions, 3 * plan->layout->file_count * sizeof(float)));
    TRY(put_attributes(plan, &s));
    TRY(put_skin(plan, &s));
    TRY(put_own_vertices(plan, &s));
    TRY(put_triangles(plan, &s));
    TRY(put_lines(plan, &s));
    TRY(put_frames(plan, frames, &s));
    return sink_empty(&s, 1);
}

/* ---- The file. */

static uint64_t padded(uint64_t size) { return (size + 3) / 4 * 4; }

/* A file: its JSON, and a buffer of so many bytes. */
typedef struct written_file {
    ruga_context *context;
    ruga_format format;
    gltf_text_parts text;
    uint64_t buffer_size;
} written_file;

static uint64_t written_size(const written_file *w) {
    if (w->format == RUGA_FORMAT_GLTF) return w->text.head_size + w->text.tail_size + (w->buffer_size + 2) / 3 * 4;
    return 12 + 8 + padded(w->text.head_size) + 8 + w->buffer_size;
}

static ruga_status write_glb_head(const written_file *w, uint64_t size, file *out) {
    uint32_t json_size = (uint32_t)padded(w->text.head_size);
    const uint32_t head[5] = {0x46546c67u, 2, (uint32_t)size, json_size, 0x4e4f534au};
    const uint32_t chunk[2] = {(uint32_t)w->buffer_size, 0x004e4942u};
    TRY(file_write(out, head, sizeof head));
    TRY(file_write(out, w->text.head, w->text.head_size));
    TRY(file_write(out, "   ", json_size - w->text.head_size));
    return file_write(out, chunk, sizeof chunk);
}

/* The text before the buffer. */
static ruga_status write_head(const written_file *w, file *out) {
    const uint64_t size = written_size(w);
    if (w->format != RUGA_FORMAT_GLTF && size > UINT32_MAX)
        return fail_unsupported(
            w->context, "the file would have %.1f GB, but a GLB ends at 4.2 GB; write fewer frames, or a PC2 cache",
            (double)size * 1e-9);
    if (size > 100000000) log_info(w->context, "%s: writing %.0f MB", file_path(out), (double)size * 1e-6);
    return w->format == RUGA_FORMAT_GLTF ? file_write(out, w->text.head, w->text.head_size)
                                         : write_glb_head(w, size, out);
}

static ruga_status write_tail(const written_file *w, file *out) {
    return w->format == RUGA_FORMAT_GLTF ? file_write(out, w->text.tail, w->text.tail_size) : RUGA_OK;
}

ruga_status gltf_write_layout(const gltf_layout *layout, const float *positions, const gltf_frames *frames,
                              size_t frame_count, ruga_format format, file *out, uint64_t *size) {
    gltf_plan plan;
    written_file w = {.context = layout->context, .format = format};
    ruga_json_writer *json = NULL;
    TRY(gltf_plan_make(layout, positions, frames, frame_count, &plan));
    w.buffer_size = plan.size;
    ruga_status status = ruga_json_writer_create(layout->context, 0, &json);
    if (!RUGA_FAILED(status)) status = gltf_plan_print(&plan, format, json, &w.text);
    if (!RUGA_FAILED(status)) *size = written_size(&w);
    if (!RUGA_FAILED(status) && out) status = write_head(&w, out);
    if (!RUGA_FAILED(status) && out) status = put_buffer(&plan, positions, frames, out, format == RUGA_FORMAT_GLTF);
    if (!RUGA_FAILED(status) && out) status = write_tail(&w, out);
    ruga_json_writer_destroy(json);
    gltf_plan_release(&plan);
    return status;
}

static ruga_status write_copy(gltf_origin *origin, ruga_json_writer *json, ruga_format format, file *out) {
    written_file w = {.context = origin->context, .format = format, .buffer_size = origin->byte_count};
    sink s = {.out = out, .base64 = format == RUGA_FORMAT_GLTF};
    gltf_origin_print(origin, NULL, format, w.buffer_size, json);
    TRY(gltf_text_finish(json, format, &w.text));
    TRY(write_head(&w, out));
    TRY(gltf_origin_put_bytes(origin, put_bytes, &s));
    TRY(sink_empty(&s, 1));
    return write_tail(&w, out);
}

ruga_status gltf_copy(ruga_context *context, const char *from, const ruga_file_def *def, ruga_format format,
                      file *out) {
    gltf_origin *origin = NULL;
    ruga_json_writer *json = NULL;
    TRY(gltf_origin_open(context, from, def, &origin));
    ruga_status status = ruga_json_writer_create(context, 0, &json);
    if (!RUGA_FAILED(status)) status = write_copy(origin, json, format, out);
    ruga_json_writer_destroy(json);
    gltf_origin_close(origin);
    return status;
}

/* Without target->out only the size is found. */
static ruga_status write_target(const io_target *target, size_t frame_count, ruga_format format, uint64_t *size) {
    gltf_layout layout;
    TRY(gltf_layout_make(target, &layout));
    float *positions = NULL;
    ruga_status status = NEW(target->context, &positions, 3 * layout.file_count);
    if (!RUGA_FAILED(status) && target->def && target->def->origin)
        status = gltf_origin_open_for(target->mesh, target->def->origin, target->def, 0, &layout.origin);
    if (!RUGA_FAILED(status)) status = gltf_layout_positions(&layout, io_target_positions(target), positions);
    if (!RUGA_FAILED(status))
        status = gltf_write_layout(&layout, positions, NULL, frame_count, format, target->out, size);
    memory_release(target->context, positions);
    gltf_origin_close(layout.origin);
    gltf_layout_release(&layout);
    return status;
}

ruga_status gltf_write(const io_target *target, ruga_format format) {
    uint64_t size;
    return write_target(target, 0, format, &size);
}

uint64_t gltf_written_size(const ruga_mesh *mesh, size_t frame_count, ruga_format format) {
    const ruga_file_def def = ruga_file_def_default();
    const io_target target = {
        .context = mesh->context, .mesh = mesh, .conversion = io_conversion_writing(&def), .def = &def};
    uint64_t size = 0;
    return RUGA_FAILED(write_target(&target, frame_count, format, &size)) ? 0 : size;
}
