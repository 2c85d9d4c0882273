/* MDD point caches, big endian: frames (i32), points (i32), the times of the frames (f32, s), then all frames
 * (points x 3) f32.
 *
 * The times precede the frames, but their number is known only at the end. So the writer streams the frames into a
 * scratch file, and copies them behind the times when it is finished. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/samples.h"

/* The times; evenly spaced ones by the def where those of the file do not increase. */
static ruga_status read_times(ruga_context *context, file *in, const ruga_file_def *def, cache_head *head) {
    TRY(NEW(context, &head->times, head->sample_count));
    int rising = 1;
    for (size_t i = 0; i < head->sample_count; i++) {
        uint32_t word;
        TRY(file_read(in, &word, sizeof word));
        word = __builtin_bswap32(word);
        float time;
        memcpy(&time, &word, sizeof time);
        head->times[i] = (double)time;
        rising &= isfinite(time) && (i == 0 || head->times[i] > head->times[i - 1]);
    }
    if (rising) return RUGA_OK;
    memory_release(context, head->times);
    head->times = NULL;
    head->start = def->start;
    head->rate = def->rate;
    log_warning(context, "%s: its times do not increase; Ruga uses %g frames per second instead", file_path(in),
                def->rate);
    return RUGA_OK;
}

static ruga_status read_head(ruga_context *context, file *in, const ruga_file_def *def, cache_head *head) {
    const uint64_t size = file_size(in);
    if (size < 8)
        return fail_input(context, "%s: %llu bytes are too few for an MDD cache", file_path(in),
                          (unsigned long long)size);
    uint32_t words[2];
    TRY(file_read(in, words, sizeof words));
    const uint32_t frames = __builtin_bswap32(words[0]), points = __builtin_bswap32(words[1]);
    if (frames < 1 || frames > INT32_MAX || points > INT32_MAX)
        return fail_input(context, "%s: not an MDD cache: %u frames of %u points", file_path(in), frames, points);
    *head =
        (cache_head){.point_count = points, .sample_count = frames, .data = 8 + 4 * (uint64_t)frames, .big_endian = 1};
    if (size < head->data)
        return fail_input(context, "%s: cut short within the times of its %u frames", file_path(in), frames);
    TRY(cache_check_size(context, in, head, "frames"));
    return read_times(context, in, def, head);
}

ruga_status mdd_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                     ruga_motion **out) {
    return cache_open(context, path, mesh, def, read_head, out);
}

/* ---- Writing. */

typedef struct mdd_writer {
    ruga_motion_writer base;
    char *path;
    file *frames;    /* scratch */
    uint32_t *words; /* (vertex_count x 3) */
    ARRAY(float) times;
} mdd_writer;

static ruga_status mdd_append(ruga_motion_writer *base, const ruga_frame *frame) {
    mdd_writer *writer = (mdd_writer *)base;
    if (base->frame_count >= INT32_MAX)
        return fail_unsupported(base->context, "%s: an MDD cache has at most 2^31 - 1 frames", writer->path);
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

static ruga_status mdd_finish(ruga_motion_writer *base) {
    mdd_writer *writer = (mdd_writer *)base;
    file *to = NULL;
    TRY(file_create(base->context, writer->path, &to));
    ruga_status status = write_head(writer, to);
    if (!RUGA_FAILED(status)) status = file_copy_scratch(writer->frames, to);
    if (!RUGA_FAILED(status)) status = file_commit(to);
    file_close(to);
    return status;
}

static void mdd_writer_destroy(ruga_motion_writer *base) {
    mdd_writer *writer = (mdd_writer *)base;
    ruga_context *context = base->context;
    file_close(writer->frames);
    RELEASE_ALL(context, writer->path, writer->words);
    ARRAY_RELEASE(context, &writer->times);
    memory_release(context, writer);
}

static const motion_writer_interface mdd_writer_interface = {mdd_append, mdd_finish, mdd_writer_destroy};

ruga_status mdd_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                              ruga_motion_writer **out) {
    ruga_context *context = mesh->context;
    if (mesh->vertex_count > INT32_MAX)
        return fail_unsupported(context, "%s: an MDD cache can't hold %zu points", path, mesh->vertex_count);
    mdd_writer *writer = NULL;
    TRY(NEW_ZEROED(context, &writer, 1));
    io_writer_init(&writer->base, &mdd_writer_interface, mesh, def);
    ruga_status status = NEW_TEXT(context, &writer->path, path);
    if (!RUGA_FAILED(status)) status = NEW(context, &writer->words, 3 * mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = file_create_scratch(context, path, &writer->frames);
    return io_writer_made(status, &writer->base, out);
}
