/* Frames of a mesh as morph targets of a glTF file.
 *
 * Frame k is one target: the difference of its positions and normals to the mesh at rest. The animation's weights are 1
 * for one target at its time, and go linearly to the next. So n frames take n² weights besides their positions, which
 * is little for some hundred frames; a cache suits thousands better. GLB wants its JSON, which grows with every frame,
 * before the data: frames wait in a scratch file beside it until all are there. */
#include <math.h>
#include <string.h>

#include "io/gltf_origin.h"
#include "math/vec3.h"

typedef struct gltf_writer {
    ruga_motion_writer base;
    ruga_format format;
    file *out;
    gltf_layout layout;
    float *positions, *normals; /* (file_count x 3) at rest */
    ruga_vec3 *scratch;         /* (vertex_count) normals of a frame that has none */
    float *frame;               /* (2 x file_count x 3) differences of the frame at hand */
    file *differences;          /* of the file's own targets, and of all frames so far; scratch */
    ARRAY(gltf_frame) frames;
    /* Of the own targets: bounds, differences of normals (own_count x file_count x 3), weights (frames x own_count). */
    size_t own_count;
    gltf_frame *own;
    float *own_normals;
    ARRAY(float) own_weights;
} gltf_writer;

/* ---- Appending. */

static ruga_status check_time(gltf_writer *writer, double time) {
    ruga_context *context = writer->base.context;
    size_t count = writer->frames.count;
    if (!isfinite((float)time) || time < 0)
        return fail_argument(context, "frame %zu is at %g s, but glTF's times begin at 0", count, time);
    if (count > 0 && !((float)time > writer->frames.items[count - 1].time))
        return fail_argument(context, "frame %zu is at %g s, not after the one before, at %g s", count, time,
                             (double)writer->frames.items[count - 1].time);
    return RUGA_OK;
}

/* Before memory is taken for what no GLB can hold. */
static ruga_status check_size(const gltf_writer *writer) {
    const double targets = (double)(writer->own_count + writer->frames.count + 1);
    double bytes = 24.0 * (double)writer->layout.file_count * targets;
    if (writer->format == RUGA_FORMAT_GLTF || bytes < 4294967295.0) return RUGA_OK;
    return fail_unsupported(writer->base.context,
                            "%zu frames take %.1f GB, but a GLB ends at 4.2 GB; write fewer frames, or a PC2 cache",
                            writer->frames.count + 1, bytes * 1e-9);
}

/* The difference is taken of doubles and rounded once. */
static ruga_status position_differences(gltf_writer *writer, const ruga_vec3 *positions, float *out) {
    const gltf_layout *layout = &writer->layout;
    TRY(gltf_layout_positions(layout, positions, out));
    for (size_t f = 0; f < layout->file_count; f++) {
        const size_t vertex = gltf_layout_vertex(layout, f);
        vec3 p = gltf_layout_point(layout, vertex, positions[vertex]);
        const float *base = writer->positions + 3 * f;
        out[3 * f] = (float)(p.x - (double)base[0]);
        out[3 * f + 1] = (float)(p.y - (double)base[1]);
        out[3 * f + 2] = (float)(p.z - (double)base[2]);
    }
    return RUGA_OK;
}

static ruga_status normal_differences(gltf_writer *writer, const ruga_frame *frame, float *out) {
    const gltf_layout *layout = &writer->layout;
    const ruga_vec3 *normals = frame->normals;
    if (!normals) {
        TRY(ruga_mesh_normals(writer->base.mesh, frame->positions, writer->scratch));
        normals = writer->scratch;
    }
    for (size_t f = 0; f < layout->file_count; f++) {
        const size_t vertex = gltf_layout_vertex(layout, f);
        gltf_layout_direction(layout, vertex, normals[vertex], out + 3 * f);
    }
    for (size_t i = 0; i < 3 * layout->file_count; i++) out[i] -= writer->normals[i];
    for (size_t t = 0; t < writer->own_count; t++) {
        const float weight = (float)layout->origin->weights[t], *own = writer->own_normals + 3 * t * layout->file_count;
        for (size_t i = 0; weight != 0 && i < 3 * layout->file_count; i++) out[i] -= weight * own[i];
    }
    return RUGA_OK;
}

static ruga_status writer_append(ruga_motion_writer *base, const ruga_frame *frame) {
    gltf_writer *writer = (gltf_writer *)base;
    const size_t scalars = 3 * writer->layout.file_count;
    gltf_frame made = {.time = (float)frame->time};
    TRY(check_time(writer, frame->time));
    TRY(check_size(writer));
    TRY(ARRAY_RESERVE(base->context, &writer->frames, 1));
    TRY(ARRAY_RESERVE(base->context, &writer->own_weights, writer->own_count));
    if (writer->layout.origin) gltf_origin_pose(writer->layout.origin, frame->time);
    TRY(position_differences(writer, frame->positions, writer->frame));
    TRY(normal_differences(writer, frame, writer->frame + scalars));
    TRY(file_write(writer->differences, writer->frame, 2 * scalars * sizeof(float)));
    gltf_bounds(writer->frame, writer->layout.file_count, made.low, made.high);
    writer->frames.items[writer->frames.count++] = made;
    for (size_t t = 0; t < writer->own_count; t++)
        writer->own_weights.items[writer->own_weights.count++] = (float)writer->layout.origin->weights[t];
    return RUGA_OK;
}

static ruga_status writer_finish(ruga_motion_writer *base) {
    gltf_writer *writer = (gltf_writer *)base;
    const gltf_frames frames = {.items = writer->frames.items,
                                .own = writer->own,
                                .own_weights = writer->own_weights.items,
                                .base_normals = writer->normals,
                                .differences = writer->differences};
    uint64_t size;
    if (writer->layout.origin) gltf_origin_pose_rest(writer->layout.origin); /* its attributes are those of the rest */
    TRY(gltf_write_layout(&writer->layout, writer->positions, &frames, writer->frames.count, writer->format,
                          writer->out, &size));
    return file_commit(writer->out);
}

static void writer_destroy(ruga_motion_writer *base) {
    gltf_writer *writer = (gltf_writer *)base;
    ruga_context *context = base->context;
    ARRAY_RELEASE(context, &writer->frames);
    ARRAY_RELEASE(context, &writer->own_weights);
    RELEASE_ALL(context, writer->positions, writer->normals, writer->scratch, writer->frame, writer->own,
                writer->own_normals);
    gltf_origin_close(writer->layout.origin);
    gltf_layout_release(&writer->layout);
    file_close(writer->differences);
    file_close(writer->out);
    memory_release(context, writer);
}

/* ---- Creating. */

static const motion_writer_interface interface = {writer_append, writer_finish, writer_destroy};

/* The mesh's own normals at rest, else smooth ones. */
static ruga_status rest_normals(gltf_writer *writer) {
    const gltf_layout *layout = &writer->layout;
    for (size_t i = 0; i < layout->attribute_count; i++) {
        const gltf_written_attribute *w = &layout->attributes[i];
        if (strcmp(w->semantic, "NORMAL") != 0) continue;
        for (size_t f = 0; f < layout->file_count; f++)
            gltf_layout_value(layout, w, f, (unsigned char *)(writer->normals + 3 * f));
        return RUGA_OK;
    }
    TRY(ruga_mesh_normals(writer->base.mesh, NULL, writer->scratch));
    for (size_t f = 0; f < layout->file_count; f++) {
        const size_t vertex = gltf_layout_vertex(layout, f);
        gltf_layout_direction(layout, vertex, writer->scratch[vertex], writer->normals + 3 * f);
    }
    return RUGA_OK;
}

/* ---- The file's own morph targets, on the mesh that takes the place of its own. */

typedef struct own_work {
    ruga_vec3 *rest, *morphed;         /* (vertex_count) in the mesh's own space, before the skin */
    ruga_vec3 *normals, *rest_normals; /* (vertex_count) */
} own_work;

/* The change of a normal, with the side of the rest normal: the triangles of a mirrored mesh are reversed. */
static void own_normal(const gltf_writer *writer, const own_work *w, size_t file_vertex, float *out) {
    const size_t vertex = gltf_layout_vertex(&writer->layout, file_vertex);
    const float *rest = writer->normals + 3 * file_vertex;
    const vec3 n = w->rest_normals[vertex], d = vec3_sub(w->normals[vertex], n);
    const double side = n.x * (double)rest[0] + n.y * (double)rest[1] + n.z * (double)rest[2] < 0 ? -1 : 1;
    out[0] = (float)(side * d.x), out[1] = (float)(side * d.y), out[2] = (float)(side * d.z);
}

static ruga_status write_own_target(gltf_writer *writer, const own_work *w, size_t target) {
    const gltf_layout *layout = &writer->layout;
    const size_t scalars = 3 * layout->file_count;
    float *normals = writer->own_normals + target * scalars;
    gltf_origin_target(layout->origin, target, w->morphed);
    for (size_t f = 0; f < layout->file_count; f++) {
        const vec3 d = w->morphed[gltf_layout_vertex(layout, f)];
        writer->frame[3 * f] = (float)d.x, writer->frame[3 * f + 1] = (float)d.y, writer->frame[3 * f + 2] = (float)d.z;
    }
    for (size_t v = 0; v < layout->mesh->vertex_count; v++) w->morphed[v] = vec3_add(w->rest[v], w->morphed[v]);
    TRY(ruga_mesh_normals(layout->mesh, w->morphed, w->normals));
    for (size_t f = 0; f < layout->file_count; f++) own_normal(writer, w, f, normals + 3 * f);
    gltf_bounds(writer->frame, layout->file_count, writer->own[target].low, writer->own[target].high);
    TRY(file_write(writer->differences, writer->frame, scalars * sizeof(float)));
    return file_write(writer->differences, normals, scalars * sizeof(float));
}

static ruga_status write_own_targets_with(gltf_writer *writer, const own_work *w) {
    const gltf_layout *layout = &writer->layout;
    for (size_t v = 0; v < layout->mesh->vertex_count; v++)
        w->rest[v] = gltf_layout_point(layout, v, layout->mesh->positions[v]);
    TRY(ruga_mesh_normals(layout->mesh, w->rest, w->rest_normals));
    for (size_t t = 0; t < writer->own_count; t++) TRY(write_own_target(writer, w, t));
    return RUGA_OK;
}

static ruga_status write_own_targets(gltf_writer *writer) {
    ruga_context *context = writer->base.context;
    const size_t vertices = writer->layout.mesh->vertex_count, own = writer->layout.origin->own_count;
    own_work w = {0};
    if (own == 0) return RUGA_OK;
    TRY(NEW_ZEROED(context, &writer->own, own));
    TRY(NEW(context, &writer->own_normals, 3 * own * writer->layout.file_count));
    writer->own_count = own;
    ruga_status status = NEW_EACH(context, vertices, &w.rest, &w.morphed, &w.normals, &w.rest_normals);
    if (!RUGA_FAILED(status)) status = write_own_targets_with(writer, &w);
    RELEASE_ALL(context, w.rest, w.morphed, w.normals, w.rest_normals);
    return status;
}

static ruga_status prepare(gltf_writer *writer, const char *path) {
    ruga_context *context = writer->base.context;
    const ruga_mesh *mesh = writer->base.mesh;
    io_target target = {
        .context = context, .mesh = mesh, .conversion = writer->base.conversion, .def = &writer->base.def};
    TRY(gltf_layout_make(&target, &writer->layout));
    writer->layout.name = path;
    if (target.def->origin) TRY(gltf_origin_open_for(mesh, target.def->origin, target.def, 1, &writer->layout.origin));
    size_t scalars = 3 * writer->layout.file_count;
    TRY(NEW_EACH(context, scalars, &writer->positions, &writer->normals));
    TRY(NEW(context, &writer->frame, 2 * scalars));
    TRY(NEW(context, &writer->scratch, mesh->vertex_count));
    TRY(gltf_layout_positions(&writer->layout, mesh->positions, writer->positions));
    TRY(rest_normals(writer));
    TRY(file_create_scratch(context, path, &writer->differences));
    TRY(file_create(context, path, &writer->out));
    writer->layout.name = file_path(writer->out); /* the caller's may be gone when a frame comes */
    return writer->layout.origin ? write_own_targets(writer) : RUGA_OK;
}

ruga_status gltf_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                               ruga_motion_writer **out) {
    ruga_context *context = mesh->context;
    gltf_writer *writer = NULL;
    TRY(NEW_ZEROED(context, &writer, 1));
    io_writer_init(&writer->base, &interface, mesh, def);
    writer->format = def->format != RUGA_FORMAT_AUTO ? def->format : ruga_format_from_path(path);
    ruga_status status = prepare(writer, path);
    return io_writer_made(status, &writer->base, out);
}
