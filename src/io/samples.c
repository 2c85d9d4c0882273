#include "io/samples.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

static void stored_destroy(ruga_motion *motion) {
    stored_motion *stored = (stored_motion *)motion;
    ruga_context *context = motion->context;
    if (stored->close) stored->close(stored);
    file_close(stored->in);
    RELEASE_ALL(context, stored->words, stored->path, stored->times, stored->first_split, stored->slots[0],
                stored->slots[1], stored);
}

static double sample_time(const stored_motion *motion, size_t sample) {
    return motion->times ? motion->times[sample] : motion->base.info.start + (double)sample / motion->base.info.rate;
}

/* The sample at or before a time. */
static size_t find_sample(const stored_motion *motion, double time) {
    size_t low = 0, high = motion->base.info.sample_count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (sample_time(motion, middle) <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The slot with a sample; loads it into the slot that does not have `other`. */
static ruga_status hold(stored_motion *motion, size_t sample, size_t other, const ruga_vec3 **out) {
    for (int i = 0; i < 2; i++)
        if (motion->held[i] == sample) {
            *out = motion->slots[i];
            return RUGA_OK;
        }
    int slot = motion->held[0] == other ? 1 : 0;
    motion->held[slot] = SIZE_MAX;
    TRY(motion->load(motion, sample, motion->slots[slot]));
    motion->held[slot] = sample;
    *out = motion->slots[slot];
    return RUGA_OK;
}

static ruga_status stored_sample(ruga_motion *motion, double time, ruga_vec3 *positions) {
    stored_motion *stored = (stored_motion *)motion;
    const size_t count = motion->info.vertex_count;
    const size_t before = find_sample(stored, time);
    const double from = sample_time(stored, before);
    const ruga_vec3 *a = NULL, *b = NULL;
    if (time <= from || before + 1 == motion->info.sample_count) {
        TRY(hold(stored, before, SIZE_MAX, &a));
        memcpy(positions, a, count * sizeof *positions);
        return RUGA_OK;
    }
    TRY(hold(stored, before, before + 1, &a));
    TRY(hold(stored, before + 1, before, &b));
    motion_mix(count, a, b, (time - from) / (sample_time(stored, before + 1) - from), positions);
    return RUGA_OK;
}

static double stored_sample_time(const ruga_motion *motion, size_t sample) {
    return sample_time((const stored_motion *)motion, sample);
}

static const motion_interface stored_interface = {stored_sample, stored_destroy, stored_sample_time};

static ruga_status fill_motion(stored_motion *motion, const char *path, const ruga_mesh *mesh) {
    ruga_context *context = motion->base.context;
    const size_t count = motion->base.info.vertex_count;
    TRY(NEW_TEXT(context, &motion->path, path));
    for (int i = 0; i < 2; i++) {
        motion->held[i] = SIZE_MAX;
        TRY(NEW(context, &motion->slots[i], count));
    }
    if (motion->point_count == count) return RUGA_OK;
    /* Of a file that was split at seams, the first copy of each vertex. */
    TRY(NEW_ZEROED(context, &motion->first_split, count));
    for (size_t i = mesh->split_count; i > 0; i--) motion->first_split[mesh->split_vertex[i - 1]] = (uint32_t)i - 1;
    return RUGA_OK;
}

ruga_status stored_motion_create(ruga_context *context, const char *path, const ruga_mesh *mesh,
                                 const ruga_file_def *def, size_t point_count, size_t size, stored_motion **out) {
    const size_t count = mesh ? mesh->vertex_count : point_count;
    if (point_count != count && (mesh->split_count == 0 || point_count != mesh->split_count))
        return fail_input(context,
                          "%s: it has %zu points, but the mesh has %zu vertices; give the mesh that it belongs to",
                          path, point_count, count);
    stored_motion *motion;
    TRY(NEW_SIZED_ZEROED(context, &motion, 1, size));
    motion->base.interface = &stored_interface;
    motion->base.context = context;
    motion->base.info.vertex_count = count;
    motion->conversion = io_conversion_reading(def);
    motion->point_count = point_count;
    RETURN_MADE(fill_motion(motion, path, mesh), motion, out, stored_destroy(&motion->base));
}

void stored_motion_set_even(stored_motion *motion, size_t sample_count, double start, double rate) {
    ruga_motion_info *info = &motion->base.info;
    info->sample_count = sample_count;
    info->start = start;
    info->rate = rate;
    info->end = start + (double)(sample_count - 1) / rate;
}

/* Sets start, end and rate of the info from times, which the motion takes over. */
static void set_times(stored_motion *motion, size_t sample_count, double *times) {
    ruga_motion_info *info = &motion->base.info;
    motion->times = times;
    info->sample_count = sample_count;
    info->start = times[0];
    info->end = times[sample_count - 1];

    /* The motion has a rate if its times are evenly spaced, up to the rounding of 32-bit floats. */
    const double step = sample_count > 1 ? (info->end - info->start) / (double)(sample_count - 1) : 0;
    int even = step > 0;
    for (size_t i = 0; i < sample_count && even; i++) {
        double expected = info->start + step * (double)i;
        even = fabs(times[i] - expected) <= 1e-6 * fmax(fabs(info->start), fabs(info->end));
    }
    info->rate = even ? 1 / step : 0;
}

/* ---- Reading point caches. */

static float word_float(uint32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static ruga_status cache_load(stored_motion *motion, size_t sample, ruga_vec3 *positions) {
    uint32_t *words = motion->words;
    TRY(file_seek(motion->in, motion->data + (uint64_t)sample * motion->point_count * 12));
    TRY(file_read(motion->in, words, motion->point_count * 12));
    if (motion->big_endian)
        for (size_t i = 0; i < 3 * motion->point_count; i++) words[i] = __builtin_bswap32(words[i]);
    for (size_t i = 0; i < motion->base.info.vertex_count; i++) {
        const uint32_t *w = words + 3 * (motion->first_split ? (size_t)motion->first_split[i] : i);
        ruga_vec3 p = {(double)word_float(w[0]), (double)word_float(w[1]), (double)word_float(w[2])};
        positions[i] = io_convert_point_in(&motion->conversion, p);
    }
    return RUGA_OK;
}

ruga_status cache_check_size(ruga_context *context, const file *in, const cache_head *head, const char *samples) {
    /* Divided, since the product of both counts may exceed 64 bits. */
    const uint64_t sample_size = 12 * (uint64_t)head->point_count, size = file_size(in) - head->data;
    if (sample_size == 0 || size / sample_size >= head->sample_count) return RUGA_OK;
    return fail_input(context, "%s: cut short: %llu of its %zu %s are complete; write it again", file_path(in),
                      (unsigned long long)(size / sample_size), head->sample_count, samples);
}

/* Takes the file and the times of the head over, on success. */
static ruga_status make_cache(ruga_context *context, file *in, const ruga_mesh *mesh, const ruga_file_def *def,
                              const cache_head *head, ruga_motion **out) {
    stored_motion *stored = NULL;
    TRY(stored_motion_create(context, file_path(in), mesh, def, head->point_count, sizeof *stored, &stored));
    TRY_OR(NEW(context, &stored->words, 3 * stored->point_count), stored_destroy(&stored->base));
    stored->in = in;
    stored->data = head->data;
    stored->big_endian = head->big_endian;
    stored->load = cache_load;
    if (head->times)
        set_times(stored, head->sample_count, head->times);
    else
        stored_motion_set_even(stored, head->sample_count, head->start, head->rate);
    *out = &stored->base;
    return RUGA_OK;
}

ruga_status cache_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                       cache_head_function *read_head, ruga_motion **out) {
    file *in = NULL;
    cache_head head = {0};
    TRY(file_open(context, path, &in));
    ruga_status status = read_head(context, in, def, &head);
    if (!RUGA_FAILED(status)) status = make_cache(context, in, mesh, def, &head, out);
    if (!RUGA_FAILED(status)) return status;
    memory_release(context, head.times);
    file_close(in);
    return status;
}

/* ---- Writing them. */

/* Doubles to the bits of floats; 0 if a float is not finite. */
static int convert_to_floats(const double *from, size_t count, uint32_t *to) {
    int finite = 1;
    for (size_t i = 0; i < count; i++) {
        const float value = (float)from[i];
        memcpy(&to[i], &value, sizeof value);
        finite &= fabsf(value) <= FLT_MAX;
    }
    return finite;
}

/* The same, with units and axes converted. */
static int convert_points(const io_conversion *conversion, const ruga_vec3 *from, size_t count, uint32_t *to) {
    if (conversion->identity) return convert_to_floats(&from->x, 3 * count, to);
    int finite = 1;
    for (size_t i = 0; i < count; i++) {
        const ruga_vec3 p = io_convert_point_out(conversion, from[i]);
        finite &= convert_to_floats(&p.x, 3, to + 3 * i);
    }
    return finite;
}

/* Reports the first vertex whose words are not finite. */
static ruga_status fail_point(const ruga_motion_writer *writer, const file *f, const ruga_frame *frame,
                              const uint32_t *words) {
    size_t i = 0;
    for (float value = 0; i + 1 < 3 * frame->vertex_count; i++) {
        memcpy(&value, &words[i], sizeof value);
        if (!(fabsf(value) <= FLT_MAX)) break;
    }
    ruga_vec3 p = frame->positions[i / 3];
    return fail_input(
        writer->context,
        "%s: frame %zu has vertex %zu at (%g, %g, %g), which is not finite or does not fit a 32-bit float",
        file_path(f), writer->frame_count, i / 3, p.x, p.y, p.z);
}

ruga_status stored_frame_encode(ruga_motion_writer *writer, const ruga_frame *frame, const file *f, int big_endian,
                                uint32_t *words) {
    const size_t count = frame->vertex_count;
    if (count > 0 && !convert_points(&writer->conversion, frame->positions, count, words))
        return fail_point(writer, f, frame, words);
    if (big_endian)
        for (size_t i = 0; i < 3 * count; i++) words[i] = __builtin_bswap32(words[i]);
    return RUGA_OK;
}

ruga_status stored_frame_write(ruga_motion_writer *writer, const ruga_frame *frame, file *f, int big_endian,
                               uint32_t *words) {
    TRY(stored_frame_encode(writer, frame, f, big_endian, words));
    return file_write(f, words, frame->vertex_count * 12);
}
