/* PC2 point caches, little endian:
 *     "POINTCACHE2\0", version 1 (i32), points (i32), start frame (f32), frames between samples (f32), samples (i32),
 *     then sample after sample (points x 3) f32.
 * The def's rate converts frames to seconds. A growing cache has the extension .part, and its size gives the number of
 * samples, not its header. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/samples.h"

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

static ruga_status check_header(ruga_context *context, const char *path, const pc2_header *header) {
    if (memcmp(header->magic, pc2_magic, sizeof pc2_magic) != 0)
        return fail_input(context, "%s: not a PC2 cache: it does not start with POINTCACHE2", path);
    if (header->version != 1)
        return fail_input(context, "%s: PC2 version %d is not supported, only version 1", path, (int)header->version);
    if (header->point_count < 0 || header->sample_count < 1)
        return fail_input(context, "%s: %d points and %d samples, but a cache needs at least one sample", path,
                          (int)header->point_count, (int)header->sample_count);
    if (!isfinite(header->start) || !isfinite(header->sample_rate) || !(header->sample_rate > 0))
        return fail_input(context,
                          "%s: start frame %g and %g frames per sample; both must be finite, and the latter above zero",
                          path, (double)header->start, (double)header->sample_rate);
    return RUGA_OK;
}

static ruga_status read_head(ruga_context *context, file *in, const ruga_file_def *def, cache_head *head) {
    pc2_header header;
    if (file_size(in) < PC2_HEADER_SIZE)
        return fail_input(context, "%s: %llu bytes are too few for a PC2 cache", file_path(in),
                          (unsigned long long)file_size(in));
    TRY(file_read(in, &header, sizeof header));
    if (io_path_is_part(file_path(in)) && header.point_count > 0) {
        const uint64_t whole = (file_size(in) - PC2_HEADER_SIZE) / ((uint64_t)header.point_count * 12);
        header.sample_count = whole < INT32_MAX ? (int32_t)whole : INT32_MAX;
    }
    TRY(check_header(context, file_path(in), &header));
    *head = (cache_head){.point_count = (size_t)header.point_count,
                         .sample_count = (size_t)header.sample_count,
                         .data = PC2_HEADER_SIZE,
                         .start = (double)header.start / def->rate,
                         .rate = def->rate / (double)header.sample_rate};
    return cache_check_size(context, in, head, "samples");
}

ruga_status pc2_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                     ruga_motion **out) {
    return cache_open(context, path, mesh, def, read_head, out);
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
        return fail_unsupported(base->context, "%s: a PC2 cache has at most 2^31 - 1 samples", file_path(writer->out));
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
    RELEASE_ALL(base->context, writer->words, writer);
}

static const motion_writer_interface pc2_writer_interface = {pc2_append, pc2_finish, pc2_writer_destroy};

/* To be passed to io_writer_made with the status. */
static ruga_status make_writer(const ruga_mesh *mesh, const char *path, const ruga_file_def *def, pc2_writer **out) {
    ruga_context *context = mesh->context;
    if (mesh->vertex_count > INT32_MAX)
        return fail_unsupported(context, "%s: a PC2 cache can't hold %zu points", path, mesh->vertex_count);
    pc2_writer *writer = NULL;
    TRY(NEW_ZEROED(context, &writer, 1));
    io_writer_init(&writer->base, &pc2_writer_interface, mesh, def);
    *out = writer;
    return NEW(context, &writer->words, 3 * mesh->vertex_count);
}

ruga_status pc2_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                              ruga_motion_writer **out) {
    pc2_writer *writer = NULL;
    ruga_status status = make_writer(mesh, path, def, &writer);
    if (!RUGA_FAILED(status)) status = file_create(mesh->context, path, &writer->out);
    if (!RUGA_FAILED(status)) status = write_header(writer);
    return io_writer_made(status, (ruga_motion_writer *)writer, out);
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
                                size_t samples, rolling_hash *hash, ruga_motion_writer **out) {
    pc2_writer *writer = NULL;
    ruga_status status = make_writer(mesh, path, def, &writer);
    if (!RUGA_FAILED(status)) {
        writer->base.frame_count = samples;
        writer->first = first;
        writer->last = samples > 1 ? first + (double)(samples - 1) / def->rate : first;
        const uint64_t size = samples > 0 ? ruga_motion_written_size(mesh, samples, RUGA_FORMAT_PC2) : 0;
        status = file_append(mesh->context, path, size, &writer->out);
    }
    if (!RUGA_FAILED(status)) {
        file_hash(writer->out, PC2_HEADER_SIZE + (uint64_t)samples * mesh->vertex_count * 12, hash);
        status = pc2_writer_settle(&writer->base, 0);
    }
    return io_writer_made(status, (ruga_motion_writer *)writer, out);
}
