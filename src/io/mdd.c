/* MDD point caches, big endian: frames (i32), points (i32), the frames' times (f32, s), then frame after frame
 * (points x 3) f32.
 *
 * The times come before the frames, yet how many there will be is known only at the end. So the writer streams the
 * frames into a file beside the final one, and joins the two when it is finished. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/samples.h"

#define MDD_COPY_SIZE 65536

typedef struct mdd_motion {
    stored_motion stored;
    file *in;
    uint64_t data; /* offset of the first frame */
    uint32_t *words;
} mdd_motion;

static ruga_status mdd_load(stored_motion *stored, size_t sample, ruga_vec3 *positions) {
    mdd_motion *motion = (mdd_motion *)stored;
    uint64_t offset = motion->data + (uint64_t)sample * stored->point_count * 12;
    return stored_motion_read_floats(stored, motion->in, offset, 1, motion->words, positions);
}

static void mdd_close(stored_motion *stored) {
    mdd_motion *motion = (mdd_motion *)stored;
    file_close(motion->in);
    memory_release(stored->base.context, motion->words);
}

static ruga_status check_counts(ruga_context *context, file *in, uint32_t frames, uint32_t points) {
    if (frames < 1 || frames > INT32_MAX || points > INT32_MAX)
        return fail_with(context, RUGA_ERROR_INPUT, "%s: %u frames of %u points make no MDD cache", file_path(in),
                         frames, points);
    const uint64_t head = 8 + 4 * (uint64_t)frames, frame_size = 12 * (uint64_t)points; /* below 2³⁶: no overflow */
    if (file_size(in) < head)
        return fail_with(context, RUGA_ERROR_INPUT, "%s: cut short within the times of its %u frames", file_path(in),
                         frames);
    if (frame_size > 0 && (file_size(in) - head) / frame_size < frames)
        return fail_with(context, RUGA_ERROR_INPUT, "%s: cut short: %llu of its %u frames are whole; write it again",
                         file_path(in), (unsigned long long)((file_size(in) - head) / frame_size), frames);
    return RUGA_OK;
}

static ruga_status read_counts(ruga_context *context, file *in, uint32_t *frames, uint32_t *points) {
    if (file_size(in) < 8)
        return fail_with(context, RUGA_ERROR_INPUT, "%s: %llu bytes are too few for an MDD cache", file_path(in),
                         (unsigned long long)file_size(in));
    uint32_t words[2];
    TRY(file_read(in, words, sizeof words));
    *frames = __builtin_bswap32(words[0]);
    *points = __builtin_bswap32(words[1]);
    return check_counts(context, in, *frames, *points);
}

/* The times, or the def's even ones where the file's do not rise. */
static ruga_status read_times(stored_motion *stored, file *in, size_t frames, const ruga_file_def *def) {
    ruga_context *context = stored->base.context;
    double *times = ALLOCATE(context, double, frames);
    if (!times) return fail_memory(context, frames * sizeof *times);
    int rising = 1;
    for (size_t i = 0; i < frames; i++) {
        uint32_t word;
        ruga_status status = file_read(in, &word, sizeof word);
        if (RUGA_FAILED(status)) {
            memory_release(context, times);
            return status;
        }
        word = __builtin_bswap32(word);
        float time;
        memcpy(&time, &word, sizeof time);
        times[i] = (double)time;
        rising &= isfinite(times[i]) && (i == 0 || times[i] > times[i - 1]);
    }
    if (rising) {
        stored_motion_set_times(stored, frames, times);
        return RUGA_OK;
    }
    memory_release(context, times);
    log_warning(context, "%s: its times do not rise; %g frames a second are taken instead", file_path(in), def->rate);
    stored_motion_set_even(stored, frames, def->start, def->rate);
    return RUGA_OK;
}

static ruga_status fill_motion(mdd_motion *motion, file *in, size_t frames, const ruga_file_def *def) {
    ruga_context *context = motion->stored.base.context;
    const size_t points = motion->stored.point_count;
    motion->words = ALLOCATE(context, uint32_t, 3 * points);
    if (!motion->words) return fail_memory(context, 12 * points);
    motion->data = 8 + 4 * (uint64_t)frames;
    motion->stored.load = mdd_load;
    return read_times(&motion->stored, in, frames, def);
}

static ruga_status open_motion(ruga_context *context, file *in, const char *path, const ruga_mesh *mesh,
                               const ruga_file_def *def, stored_motion **out) {
    uint32_t frames = 0, points = 0;
    TRY(read_counts(context, in, &frames, &points));
    stored_motion *stored = NULL;
    TRY(stored_motion_create(context, path, mesh, def, points, sizeof(mdd_motion), &stored));
    mdd_motion *motion = (mdd_motion *)stored;
    stored->close = mdd_close;
    ruga_status status = fill_motion(motion, in, frames, def);
    if (RUGA_FAILED(status)) {
        ruga_motion_destroy(&stored->base);
        return status;
    }
    motion->in = in;
    *out = stored;
    return RUGA_OK;
}

ruga_status mdd_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                     ruga_motion **out) {
    return stored_motion_open(context, path, mesh, def, open_motion, out);
}

/* ---- Writing. */

typedef struct mdd_writer {
    ruga_motion_writer base;
    char *path, *frames_path;
    file *frames;     /* the frames alone */
    int frames_whole; /* they stand under frames_path */
    uint32_t *words;  /* (vertex_count x 3) */
    ARRAY(float) times;
} mdd_writer;

static ruga_status mdd_append(ruga_motion_writer *base, const ruga_frame *frame) {
    mdd_writer *writer = (mdd_writer *)base;
    if (base->frame_count >= INT32_MAX)
        return fail_with(base->context, RUGA_ERROR_UNSUPPORTED, "%s: an MDD cache holds no more frames", writer->path);
    TRY(ARRAY_RESERVE(base->context, &writer->times, 1));
    TRY(stored_frame_write(base, frame, writer->frames, 1, writer->words));
    writer->times.items[writer->times.count++] = (float)frame->time;
    return RUGA_OK;
}

static ruga_status write_word(file *f, uint32_t word) {
    word = __builtin_bswap32(word);
    return file_write(f, &word, sizeof word);
}

static ruga_status write_head(const mdd_writer *writer, file *out) {
    TRY(write_word(out, (uint32_t)writer->times.count));
    TRY(write_word(out, (uint32_t)writer->base.mesh->vertex_count));
    for (size_t i = 0; i < writer->times.count; i++) {
        uint32_t word;
        memcpy(&word, &writer->times.items[i], sizeof word);
        TRY(write_word(out, word));
    }
    return RUGA_OK;
}

static ruga_status copy_file(file *from, file *to) {
    unsigned char bytes[MDD_COPY_SIZE];
    for (;;) {
        size_t got;
        TRY(file_read_some(from, bytes, sizeof bytes, &got));
        if (got == 0) return RUGA_OK;
        TRY(file_write(to, bytes, got));
    }
}

/* The head, then the frames, under the final name. */
static ruga_status join(const mdd_writer *writer) {
    ruga_context *context = writer->base.context;
    file *from = NULL, *to = NULL;
    ruga_status status = file_open(context, writer->frames_path, &from);
    if (!RUGA_FAILED(status)) status = file_create(context, writer->path, &to);
    if (!RUGA_FAILED(status)) status = write_head(writer, to);
    if (!RUGA_FAILED(status)) status = copy_file(from, to);
    if (!RUGA_FAILED(status)) status = file_commit(to);
    file_close(from);
    file_close(to);
    return status;
}

static ruga_status mdd_finish(ruga_motion_writer *base) {
    mdd_writer *writer = (mdd_writer *)base;
    if (!writer->frames_whole) TRY(file_commit(writer->frames));
    writer->frames_whole = 1;
    return join(writer);
}

static void mdd_writer_destroy(ruga_motion_writer *base) {
    mdd_writer *writer = (mdd_writer *)base;
    ruga_context *context = base->context;
    file_close(writer->frames);
    const file_system *files = context->file_system;
    if (writer->frames_whole) (void)files->remove(files->user, writer->frames_path);
    memory_release(context, writer->path);
    memory_release(context, writer->frames_path);
    memory_release(context, writer->words);
    ARRAY_RELEASE(context, &writer->times);
    memory_release(context, writer);
}

static const motion_writer_interface mdd_writer_interface = {mdd_append, mdd_finish, mdd_writer_destroy};

static ruga_status fill_writer(mdd_writer *writer, const char *path) {
    static const char ending[] = ".frames";
    ruga_context *context = writer->base.context;
    const size_t length = strlen(path), count = writer->base.mesh->vertex_count;
    writer->path = memory_copy_text(context, path);
    writer->frames_path = memory_allocate(context, length + sizeof ending, 1);
    writer->words = ALLOCATE(context, uint32_t, 3 * count);
    if (!writer->path || !writer->frames_path || !writer->words) return fail_memory(context, 12 * count + length);
    memcpy(writer->frames_path, path, length);
    memcpy(writer->frames_path + length, ending, sizeof ending);
    return file_create(context, writer->frames_path, &writer->frames);
}

ruga_status mdd_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                              ruga_motion_writer **out) {
    ruga_context *context = mesh->context;
    if (mesh->vertex_count > INT32_MAX)
        return fail_with(context, RUGA_ERROR_UNSUPPORTED, "%s: an MDD cache can't hold %zu points", path,
                         mesh->vertex_count);
    mdd_writer *writer = ALLOCATE_ZEROED(context, mdd_writer, 1);
    if (!writer) return fail_memory(context, sizeof *writer);
    io_writer_init(&writer->base, &mdd_writer_interface, mesh, def);
    ruga_status status = fill_writer(writer, path);
    if (RUGA_FAILED(status)) {
        mdd_writer_destroy(&writer->base);
        return status;
    }
    *out = &writer->base;
    return RUGA_OK;
}
