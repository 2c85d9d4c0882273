/* PC2 point caches, little endian:
 *     "POINTCACHE2\0", version 1 (i32), points (i32), start frame (f32), frames between samples (f32), samples (i32),
 *     then sample after sample (points x 3) f32.
 * Frames become seconds by the def's rate. A cache that is still growing has the ending .part and as many samples as are
 * whole in it, whatever its header says. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/samples.h"

#define PC2_HEADER_SIZE 32

static const char pc2_magic[12] = "POINTCACHE2";

typedef struct pc2_header {
    char magic[12];
    int32_t version;
    int32_t point_count;
    float start;       /* frame */
    float sample_rate; /* frames from one sample to the next */
    int32_t sample_count;
} pc2_header;
_Static_assert(sizeof(pc2_header) == PC2_HEADER_SIZE, "the header is laid out as in the file");

typedef struct pc2_motion {
    stored_motion stored;
    file *in;
    uint32_t *words; /* (point_count x 3) */
} pc2_motion;

static ruga_status pc2_load(stored_motion *stored, size_t sample, ruga_vec3 *positions) {
    pc2_motion *motion = (pc2_motion *)stored;
    uint64_t offset = PC2_HEADER_SIZE + (uint64_t)sample * stored->point_count * 12;
    return stored_motion_read_floats(stored, motion->in, offset, 0, motion->words, positions);
}

static void pc2_close(stored_motion *stored) {
    pc2_motion *motion = (pc2_motion *)stored;
    file_close(motion->in);
    memory_release(stored->base.context, motion->words);
}

/* Of a growing cache, the samples that are there. */
static void count_whole_samples(pc2_header *header, uint64_t size) {
    if (header->point_count <= 0) return;
    const uint64_t whole = (size - PC2_HEADER_SIZE) / ((uint64_t)header->point_count * 12);
    header->sample_count = whole < INT32_MAX ? (int32_t)whole : INT32_MAX;
}

static ruga_status check_header(ruga_context *context, const char *path, const pc2_header *header, uint64_t size) {
    if (memcmp(header->magic, pc2_magic, sizeof pc2_magic) != 0)
        return fail_with(context, RUGA_ERROR_INPUT, "%s: it does not begin with POINTCACHE2, so it is no PC2 cache",
                         path);
    if (header->version != 1)
        return fail_with(context, RUGA_ERROR_INPUT, "%s: PC2 version %d, but only version 1 is known", path,
                         (int)header->version);
    if (header->point_count < 0 || header->sample_count < 1)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "%s: %d points and %d samples, but a cache needs at least one sample", path,
                         (int)header->point_count, (int)header->sample_count);
    if (!isfinite(header->start) || !isfinite(header->sample_rate) || !(header->sample_rate > 0))
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "%s: it starts at frame %g with %g frames a sample; both have to be finite, the latter above zero", path,
            (double)header->start, (double)header->sample_rate);
    const uint64_t sample_size = (uint64_t)header->point_count * 12; /* counts below 2³¹: no overflow */
    const uint64_t wanted = PC2_HEADER_SIZE + sample_size * (uint64_t)header->sample_count;
    if (size < wanted)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "%s: cut short: %llu of its %d samples are whole; write it again, or give it as many frames",
                         path, (unsigned long long)((size - PC2_HEADER_SIZE) / sample_size), (int)header->sample_count);
    return RUGA_OK;
}

static ruga_status read_header(ruga_context *context, file *in, pc2_header *header) {
    if (file_size(in) < PC2_HEADER_SIZE)
        return fail_with(context, RUGA_ERROR_INPUT, "%s: %llu bytes are too few for a PC2 cache", file_path(in),
                         (unsigned long long)file_size(in));
    unsigned char bytes[PC2_HEADER_SIZE];
    TRY(file_read(in, bytes, sizeof bytes));
    memcpy(header, bytes, sizeof bytes);
    if (io_path_is_part(file_path(in))) count_whole_samples(header, file_size(in));
    return check_header(context, file_path(in), header, file_size(in));
}

static ruga_status open_motion(ruga_context *context, file *in, const char *path, const ruga_mesh *mesh,
                               const ruga_file_def *def, stored_motion **out) {
    pc2_header header;
    TRY(read_header(context, in, &header));
    stored_motion *stored = NULL;
    TRY(stored_motion_create(context, path, mesh, def, (size_t)header.point_count, sizeof(pc2_motion), &stored));
    pc2_motion *motion = (pc2_motion *)stored;
    motion->words = ALLOCATE(context, uint32_t, 3 * stored->point_count);
    if (!motion->words) {
        ruga_motion_destroy(&stored->base);
        return fail_memory(context, 12 * (size_t)header.point_count);
    }
    motion->in = in;
    stored->load = pc2_load;
    stored->close = pc2_close;
    stored_motion_set_even(stored, (size_t)header.sample_count, (double)header.start / def->rate,
                           def->rate / (double)header.sample_rate);
    *out = stored;
    return RUGA_OK;
}

ruga_status pc2_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                     ruga_motion **out) {
    return stored_motion_open(context, path, mesh, def, open_motion, out);
}

/* ---- Writing: the header is written again at the end, when the number of samples is known. */

typedef struct pc2_writer {
    ruga_motion_writer base;
    file *out;
    uint32_t *words;    /* (vertex_count x 3) */
    double first, last; /* s, times of the frames */
} pc2_writer;

static ruga_status write_header(const pc2_writer *writer) {
    const size_t samples = writer->base.frame_count;
    const double rate = writer->base.def.rate;
    double step = samples > 1 ? (writer->last - writer->first) * rate / (double)(samples - 1) : 1;
    if (!(step > 0)) step = 1;
    if (fabs(step - round(step)) < 1e-6 * step) step = round(step);
    double start = writer->first * rate;
    if (fabs(start - round(start)) < 1e-6) start = round(start);
    pc2_header header = {.version = 1,
                         .point_count = (int32_t)writer->base.mesh->vertex_count,
                         .start = (float)start,
                         .sample_rate = (float)step,
                         .sample_count = (int32_t)samples};
    memcpy(header.magic, pc2_magic, sizeof pc2_magic);
    return file_write(writer->out, &header, sizeof header);
}

static ruga_status pc2_append(ruga_motion_writer *base, const ruga_frame *frame) {
    pc2_writer *writer = (pc2_writer *)base;
    if (base->frame_count >= INT32_MAX)
        return fail_with(base->context, RUGA_ERROR_UNSUPPORTED, "%s: a PC2 cache holds no more samples",
                         file_path(writer->out));
    if (base->frame_count == 0) writer->first = frame->time;
    writer->last = frame->time;
    return stored_frame_write(base, frame, writer->out, 0, writer->words);
}

static ruga_status pc2_finish(ruga_motion_writer *base) {
    pc2_writer *writer = (pc2_writer *)base;
    TRY(file_seek(writer->out, 0));
    TRY(write_header(writer));
    return file_commit(writer->out);
}

static void pc2_writer_destroy(ruga_motion_writer *base) {
    pc2_writer *writer = (pc2_writer *)base;
    file_close(writer->out);
    memory_release(base->context, writer->words);
    memory_release(base->context, writer);
}

static const motion_writer_interface pc2_writer_interface = {pc2_append, pc2_finish, pc2_writer_destroy};

static ruga_status make_writer(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, pc2_writer **out) {
    ruga_context *context = mesh->context;
    if (mesh->vertex_count > INT32_MAX)
        return fail_with(context, RUGA_ERROR_UNSUPPORTED, "%s: a PC2 cache can't hold %zu points", path,
                         mesh->vertex_count);
    pc2_writer *writer = ALLOCATE_ZEROED(context, pc2_writer, 1);
    if (!writer) return fail_memory(context, sizeof *writer);
    io_writer_init(&writer->base, &pc2_writer_interface, mesh, def);
    writer->words = ALLOCATE(context, uint32_t, 3 * mesh->vertex_count);
    if (!writer->words) {
        pc2_writer_destroy(&writer->base);
        return fail_memory(context, 12 * mesh->vertex_count);
    }
    *out = writer;
    return RUGA_OK;
}

ruga_status pc2_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                              ruga_motion_writer **out) {
    pc2_writer *writer = NULL;
    TRY(make_writer(mesh, path, def, &writer));
    ruga_status status = file_create(mesh->context, path, &writer->out);
    if (!RUGA_FAILED(status)) status = write_header(writer);
    if (RUGA_FAILED(status)) {
        pc2_writer_destroy(&writer->base);
        return status;
    }
    *out = &writer->base;
    return RUGA_OK;
}

/* ---- Growing caches. */

ruga_status pc2_writer_settle(ruga_motion_writer *base, int flush) {
    pc2_writer *writer = (pc2_writer *)base;
    const uint64_t end = file_size(writer->out);
    TRY(file_seek(writer->out, 0));
    TRY(write_header(writer));
    TRY(file_seek(writer->out, end > PC2_HEADER_SIZE ? end : PC2_HEADER_SIZE));
    return flush ? file_flush(writer->out) : RUGA_OK;
}

ruga_status pc2_writer_encode(ruga_motion_writer *base, const ruga_frame *frame) {
    pc2_writer *writer = (pc2_writer *)base;
    writer->last = frame->time;
    return stored_frame_encode(base, frame, writer->out, 0, writer->words);
}

ruga_status pc2_writer_write(ruga_motion_writer *base) {
    pc2_writer *writer = (pc2_writer *)base;
    TRY(file_write(writer->out, writer->words, base->mesh->vertex_count * 12));
    base->frame_count++;
    return file_hand_over(writer->out);
}

ruga_status pc2_writer_continue(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, double first,
                                size_t samples, ruga_motion_writer **out) {
    pc2_writer *writer = NULL;
    TRY(make_writer(mesh, path, def, &writer));
    writer->base.frame_count = samples;
    writer->first = first;
    writer->last = samples > 1 ? first + (double)(samples - 1) / def->rate : first;
    const uint64_t size = samples > 0 ? ruga_motion_written_size(mesh, samples, RUGA_FORMAT_PC2) : 0;
    ruga_status status = file_append(mesh->context, path, size, &writer->out);
    if (!RUGA_FAILED(status)) status = pc2_writer_settle(&writer->base, 0);
    if (RUGA_FAILED(status)) {
        pc2_writer_destroy(&writer->base);
        return status;
    }
    *out = &writer->base;
    return RUGA_OK;
}
