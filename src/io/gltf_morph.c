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
    file *differences;          /* of all frames so far; scratch */
    ARRAY(gltf_frame) frames;
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
    double bytes = 24.0 * (double)writer->layout.file_count * (double)(writer->frames.count + 1);
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
    return RUGA_OK;
}

static ruga_status writer_append(ruga_motion_writer *base, const ruga_frame *frame) {
    gltf_writer *writer = (gltf_writer *)base;
    const size_t scalars = 3 * writer->layout.file_count;
    gltf_frame made = {.time = (float)frame->time};
    TRY(check_time(writer, frame->time));
    TRY(check_size(writer));
    TRY(ARRAY_RESERVE(base->context, &writer->frames, 1));
    if (writer->layout.origin) gltf_origin_pose(writer->layout.origin, frame->time);
    TRY(position_differences(writer, frame->positions, writer->frame));
    TRY(normal_differences(writer, frame, writer->frame + scalars));
    TRY(file_write(writer->differences, writer->frame, 2 * scalars * sizeof(float)));
    gltf_bounds(writer->frame, writer->layout.file_count, made.low, made.high);
    writer->frames.items[writer->frames.count++] = made;
    return RUGA_OK;
}

static ruga_status writer_finish(ruga_motion_writer *base) {
    gltf_writer *writer = (gltf_writer *)base;
    const gltf_frames frames = {writer->frames.items, writer->normals, writer->differences};
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
    RELEASE_ALL(context, writer->positions, writer->normals, writer->scratch, writer->frame);
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

static ruga_status prepare(gltf_writer *writer, const char *path) {
    ruga_context *context = writer->base.context;
    const ruga_mesh *mesh = writer->base.mesh;
    io_target target = {
        .context = context, .mesh = mesh, .conversion = writer->base.conversion, .def = &writer->base.def};
    TRY(gltf_layout_make(&target, &writer->layout));
    writer->layout.name = path;
    if (target.def->origin) TRY(gltf_origin_open_for(mesh, target.def->origin, target.def, &writer->layout.origin));
    size_t scalars = 3 * writer->layout.file_count;
    TRY(NEW_EACH(context, scalars, &writer->positions, &writer->normals));
    TRY(NEW(context, &writer->frame, 2 * scalars));
    TRY(NEW(context, &writer->scratch, mesh->vertex_count));
    TRY(gltf_layout_positions(&writer->layout, mesh->positions, writer->positions));
    TRY(rest_normals(writer));
    TRY(file_create_scratch(context, path, &writer->differences));
    TRY(file_create(context, path, &writer->out));
    writer->layout.name = file_path(writer->out); /* the caller's may be gone when a frame comes */
    return RUGA_OK;
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
