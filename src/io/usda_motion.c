/* A moving mesh as USD text: the topology once, then points frame by frame as time samples.
 *
 * USD keeps all samples of a property in one place. So the points stream into the file itself; normals and the points
 * of polylines stream into scratch files and are joined when the writer is finished; boxes stay in memory. The last
 * time code stands in the head, in a field that is filled in at the end. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/usda.h"

#define USDA_WHOLE 1e-6 /* a time code this near to a whole number is one */

/* Samples that wait in a scratch file. */
typedef struct usda_side {
    file *out; /* NULL: there are no such samples */
    text_out text;
} usda_side;

typedef struct usda_sample {
    double code;
    usda_box box, lines;
} usda_sample;

typedef struct usda_writer {
    ruga_motion_writer base;
    ruga_frame rest; /* without normals: those of the mesh do not move along */
    io_target target;
    usda_stage stage;
    usda_side normals, lines;
    uint64_t end; /* where the last time code is to be filled in */
    ARRAY(usda_sample) samples;
    ruga_status status; /* the first failure that left the file unfit */
    int finished;
} usda_writer;

/* ---- Scratch files. */

static ruga_status side_open(usda_side *side, const usda_writer *writer) {
    TRY(file_create_scratch(writer->base.context, writer->stage.path, &side->out));
    return text_open(&side->text, writer->base.context, side->out);
}

static void side_close(usda_side *side) {
    file_close(side->out);
    text_close(&side->text);
}

/* ---- Frames. */

/* code: */
static void put_code(text_out *text, double code) {
    text_put(text, "            ");
    text_put_double(text, code);
    text_put(text, ": ");
}

static ruga_status find_code(const usda_writer *writer, const ruga_frame *frame, double *out) {
    const ruga_motion_writer *base = &writer->base;
    double code = frame->time * base->def.rate;
    if (fabs(code - nearbyint(code)) < USDA_WHOLE) code = nearbyint(code) + 0.0;
    if (!isfinite(code))
        return fail_argument(base->context, "%s: frame %zu is at %g s, which is not finite", writer->stage.path,
                             base->frame_count, frame->time);
    if (base->frame_count > 0 && !(code > writer->samples.items[writer->samples.count - 1].code))
        return fail_argument(base->context,
                             "%s: frame %zu is at %g s, not after the frame before it; times must increase",
                             writer->stage.path, base->frame_count, frame->time);
    *out = code;
    return RUGA_OK;
}

/* All frames have normals or none, and they are finite. */
static ruga_status check_normals(const usda_writer *writer, const ruga_frame *frame) {
    const ruga_motion_writer *base = &writer->base;
    if (base->frame_count > 0 && (writer->normals.out != NULL) != (frame->normals != NULL))
        return fail_argument(
            base->context, "%s: frame %zu has %s normals, but the first has %s; give them to all frames or to none",
            writer->stage.path, base->frame_count, frame->normals ? "its" : "no", frame->normals ? "none" : "some");
    for (size_t i = 0; frame->normals && i < frame->vertex_count; i++) {
        const ruga_vec3 n = frame->normals[i];
        if (!isfinite((float)n.x) || !isfinite((float)n.y) || !isfinite((float)n.z))
            return fail_input(base->context, "%s: the normal of vertex %zu in frame %zu is not finite",
                              writer->stage.path, i, base->frame_count);
    }
    return RUGA_OK;
}

/* Everything before the first sample. */
static ruga_status begin(usda_writer *writer, const ruga_frame *frame, double code) {
    usda_stage *stage = &writer->stage;
    if (frame->normals) TRY(side_open(&writer->normals, writer));
    if (stage->lines) TRY(side_open(&writer->lines, writer));
    TRY(usda_write_head(stage, code, &writer->end));
    TRY(usda_write_topology(stage));
    TRY(usda_write_attributes(stage));
    text_put_line(&stage->text, 2, "point3f[] points.timeSamples = {");
    return stage->text.status;
}

static ruga_status put_sample(text_out *text, const usda_stage *stage, double code,
                              ruga_status (*put)(text_out *, const usda_stage *, const ruga_vec3 *),
                              const ruga_vec3 *vectors) {
    put_code(text, code);
    TRY(put(text, stage, vectors));
    text_put(text, ",\n");
    return text->status;
}

static ruga_status write_frame(usda_writer *writer, const ruga_frame *frame, double code) {
    usda_stage *stage = &writer->stage;
    TRY(put_sample(&stage->text, stage, code, usda_put_points, frame->positions));
    if (frame->normals) TRY(put_sample(&writer->normals.text, stage, code, usda_put_normals, frame->normals));
    if (stage->lines) TRY(put_sample(&writer->lines.text, stage, code, usda_put_line_points, frame->positions));
    return RUGA_OK;
}

static ruga_status usda_append(ruga_motion_writer *base, const ruga_frame *frame) {
    usda_writer *writer = (usda_writer *)base;
    TRY(writer->status);
    /* Errors before this point leave an existing file unchanged. */
    usda_sample sample = {0};
    TRY(find_code(writer, frame, &sample.code));
    TRY(check_normals(writer, frame));
    TRY(usda_find_box(&writer->stage, frame->positions, &sample.box));
    TRY(ARRAY_RESERVE(base->context, &writer->samples, 1));
    if (base->frame_count == 0 && frame->attribute_count > 0)
        log_info(base->context, "%s: attributes that change with time are left out", writer->stage.path);

    if (writer->stage.lines) sample.lines = usda_lines_box(&writer->stage, frame->positions);
    if (base->frame_count == 0) writer->status = begin(writer, frame, sample.code);
    if (!RUGA_FAILED(writer->status)) writer->status = write_frame(writer, frame, sample.code);
    if (!RUGA_FAILED(writer->status)) writer->samples.items[writer->samples.count++] = sample;
    return writer->status;
}

/* ---- The end. */

static void put_boxes(usda_writer *writer, int lines) {
    text_out *text = &writer->stage.text;
    if (writer->base.mesh->vertex_count == 0) return;
    text_put_line(text, 2, "float3[] extent.timeSamples = {");
    for (size_t i = 0; i < writer->samples.count; i++) {
        const usda_sample *sample = &writer->samples.items[i];
        put_code(text, sample->code);
        usda_put_box(text, lines ? &sample->lines : &sample->box);
        text_put(text, ",\n");
    }
    text_put_line(text, 2, "}");
}

static ruga_status put_side(usda_writer *writer, usda_side *side, const char *opening) {
    text_out *text = &writer->stage.text;
    text_put_line(text, 2, opening);
    TRY(text_flush(text));
    TRY(text_flush(&side->text));
    TRY(file_copy_scratch(side->out, text->out));
    text_put_line(text, 2, "}");
    return text->status;
}

static ruga_status write_normals(usda_writer *writer) {
    text_out *text = &writer->stage.text;
    if (!writer->normals.out) return RUGA_OK;
    text_put_line(text, 2, "normal3f[] normals (\n            interpolation = \"vertex\"\n        )");
    return put_side(writer, &writer->normals, "normal3f[] normals.timeSamples = {");
}

static ruga_status write_lines(usda_writer *writer) {
    if (!writer->stage.lines) return RUGA_OK;
    usda_write_lines_head(&writer->stage);
    put_boxes(writer, 1);
    TRY(put_side(writer, &writer->lines, "point3f[] points.timeSamples = {"));
    text_put_line(&writer->stage.text, 1, "}");
    return writer->stage.text.status;
}

static ruga_status write_end(usda_writer *writer) {
    usda_stage *stage = &writer->stage;
    text_put_line(&stage->text, 2, "}");
    put_boxes(writer, 0);
    TRY(write_normals(writer));
    TRY(usda_write_subsets(stage));
    TRY(write_lines(writer));
    TRY(usda_write_tail(stage));

    char code[NUMBER_CAPACITY];
    const size_t length = number_print(writer->samples.items[writer->samples.count - 1].code, code);
    TRY(file_seek(writer->target.out, writer->end));
    TRY(file_write(writer->target.out, code, length));
    return file_commit(writer->target.out);
}

static ruga_status usda_finish(ruga_motion_writer *base) {
    usda_writer *writer = (usda_writer *)base;
    if (!writer->finished && !RUGA_FAILED(writer->status)) writer->status = write_end(writer);
    writer->finished = 1;
    return writer->status;
}

/* ---- The writer. */

static void usda_destroy(ruga_motion_writer *base) {
    usda_writer *writer = (usda_writer *)base;
    ruga_context *context = base->context;
    side_close(&writer->normals);
    side_close(&writer->lines);
    usda_stage_close(&writer->stage);
    file_close(writer->target.out);
    ARRAY_RELEASE(context, &writer->samples);
    memory_release(context, writer);
}

static const motion_writer_interface usda_writer_interface = {usda_append, usda_finish, usda_destroy};

ruga_status usda_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                               ruga_motion_writer **out) {
    ruga_context *context = mesh->context;
    usda_writer *writer = NULL;
    TRY(NEW_ZEROED(context, &writer, 1));
    io_writer_init(&writer->base, &usda_writer_interface, mesh, def);
    writer->rest = (ruga_frame){.vertex_count = mesh->vertex_count, .positions = mesh->positions};
    writer->target = (io_target){.context = context,
                                 .mesh = mesh,
                                 .frame = &writer->rest,
                                 .conversion = writer->base.conversion,
                                 .def = &writer->base.def};
    writer->stage.context = context;
    ruga_status status = file_create(context, path, &writer->target.out);
    if (!RUGA_FAILED(status)) status = usda_stage_open(&writer->stage, &writer->target);
    writer->stage.moves = 1;
    return io_writer_made(status, &writer->base, out);
}

/* ---- The size. */

#define USDA_SIZE_SAMPLES 4096 /* vertices that are looked at */

static size_t vector_size(const double v[3]) {
    char text[NUMBER_CAPACITY];
    size_t size = 8; /* brackets, commas, blanks */
    for (int k = 0; k < 3; k++) size += number_print_float((float)v[k], text);
    return size;
}

uint64_t usda_written_size(const ruga_mesh *mesh, size_t frame_count) {
    ruga_file_def def = ruga_file_def_default();
    def.format = RUGA_FORMAT_USDA;
    void *bytes = NULL;
    size_t size = 0;
    if (RUGA_FAILED(ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size))) return 0;
    ruga_free(mesh->context, bytes);

    /* A mesh at rest often has short numbers, one that moves has not: so its points are turned a little. */
    const size_t step = 1 + mesh->vertex_count / USDA_SIZE_SAMPLES;
    double rest = 0, moved = 0, looked = 0;
    for (size_t i = 0; i < mesh->vertex_count; i += step) {
        const ruga_vec3 p = mesh->positions[i];
        rest += (double)vector_size((const double[]){p.x, p.y, p.z});
        moved += (double)vector_size((const double[]){p.x - 0.0314159 * p.y + 0.0271828 * p.z,
                                                      p.y + 0.0314159 * p.x - 0.0141421 * p.z,
                                                      p.z - 0.0271828 * p.x + 0.0141421 * p.y});
        looked += 1;
    }
    const double scale = looked > 0 ? (double)mesh->vertex_count / looked : 0;
    const double frame = moved * scale + 100; /* time codes and the box */
    return (uint64_t)((double)size - rest * scale + frame * (double)frame_count);
}
