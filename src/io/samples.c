#include "io/samples.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

static void stored_destroy(ruga_motion *motion) {
    stored_motion *stored = (stored_motion *)motion;
    ruga_context *context = motion->context;
    if (stored->close) stored->close(stored);
    memory_release(context, stored->path);
    memory_release(context, stored->times);
    memory_release(context, stored->first_split);
    memory_release(context, stored->slots[0]);
    memory_release(context, stored->slots[1]);
    memory_release(context, stored);
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

/* The slot that holds a sample, loaded if need be into the one that does not hold `other`. */
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

/* Which of a split file's vertices stands for each vertex: the first. */
static ruga_status find_first_splits(stored_motion *motion, const ruga_mesh *mesh) {
    ruga_context *context = motion->base.context;
    motion->first_split = ALLOCATE(context, uint32_t, mesh->vertex_count);
    if (!motion->first_split) return fail_memory(context, mesh->vertex_count * sizeof(uint32_t));
    memset(motion->first_split, 0, mesh->vertex_count * sizeof(uint32_t));
    for (size_t i = mesh->split_count; i-- > 0;) motion->first_split[mesh->split_vertex[i]] = (uint32_t)i;
    return RUGA_OK;
}

static ruga_status fill_motion(stored_motion *motion, const char *path, const ruga_mesh *mesh) {
    ruga_context *context = motion->base.context;
    const size_t count = motion->base.info.vertex_count;
    motion->path = memory_copy_text(context, path);
    if (!motion->path) return fail_memory(context, strlen(path) + 1);
    for (int i = 0; i < 2; i++) {
        motion->held[i] = SIZE_MAX;
        motion->slots[i] = ALLOCATE(context, ruga_vec3, count);
        if (!motion->slots[i]) return fail_memory(context, count * sizeof(ruga_vec3));
    }
    if (motion->point_count != count) return find_first_splits(motion, mesh);
    return RUGA_OK;
}

ruga_status stored_motion_create(ruga_context *context, const char *path, const ruga_mesh *mesh,
                                 const ruga_file_def *def, size_t point_count, size_t size, stored_motion **out) {
    const size_t count = mesh ? mesh->vertex_count : point_count;
    if (point_count != count && (mesh->split_count == 0 || point_count != mesh->split_count))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "%s: it moves %zu points, but the mesh has %zu vertices; give the mesh it was made from", path,
                         point_count, count);
    stored_motion *motion = memory_allocate_zeroed(context, 1, size);
    if (!motion) return fail_memory(context, size);
    motion->base.interface = &stored_interface;
    motion->base.context = context;
    motion->base.info.vertex_count = count;
    motion->conversion = io_conversion_reading(def);
    motion->point_count = point_count;
    ruga_status status = fill_motion(motion, path, mesh);
    if (RUGA_FAILED(status)) {
        stored_destroy(&motion->base);
        return status;
    }
    *out = motion;
    return RUGA_OK;
}

ruga_status stored_motion_open(ruga_context *context, const char *path, const ruga_mesh *mesh, const ruga_file_def *def,
                               stored_motion_opener *open_motion, ruga_motion **out) {
    file *in = NULL;
    TRY(file_open(context, path, &in));
    stored_motion *stored = NULL;
    ruga_status status = open_motion(context, in, path, mesh, def, &stored);
    if (RUGA_FAILED(status)) {
        file_close(in);
        return status;
    }
    *out = &stored->base;
    return RUGA_OK;
}

void stored_motion_set_even(stored_motion *motion, size_t sample_count, double start, double rate) {
    ruga_motion_info *info = &motion->base.info;
    info->sample_count = sample_count;
    info->start = start;
    info->rate = rate;
    info->end = start + (double)(sample_count - 1) / rate;
}

void stored_motion_set_times(stored_motion *motion, size_t sample_count, double *times) {
    ruga_motion_info *info = &motion->base.info;
    motion->times = times;
    info->sample_count = sample_count;
    info->start = times[0];
    info->end = times[sample_count - 1];

    /* A rate is told where the times are even, up to what 32-bit floats round away. */
    const double step = sample_count > 1 ? (info->end - info->start) / (double)(sample_count - 1) : 0;
    int even = step > 0;
    for (size_t i = 0; i < sample_count && even; i++) {
        double expected = info->start + step * (double)i;
        even = fabs(times[i] - expected) <= 1e-6 * fmax(fabs(info->start), fabs(info->end));
    }
    info->rate = even ? 1 / step : 0;
}

static float word_float(uint32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

ruga_status stored_motion_read_floats(stored_motion *motion, file *f, uint64_t offset, int big_endian, uint32_t *words,
                                      ruga_vec3 *positions) {
    TRY(file_seek(f, offset));
    TRY(file_read(f, words, motion->point_count * 12));
    if (big_endian)
        for (size_t i = 0; i < 3 * motion->point_count; i++) words[i] = __builtin_bswap32(words[i]);
    for (size_t i = 0; i < motion->base.info.vertex_count; i++) {
        const uint32_t *w = words + 3 * (motion->first_split ? (size_t)motion->first_split[i] : i);
        ruga_vec3 p = {(double)word_float(w[0]), (double)word_float(w[1]), (double)word_float(w[2])};
        positions[i] = io_convert_point_in(&motion->conversion, p);
    }
    return RUGA_OK;
}

/* Doubles as floats, by their bits; 0 if one of them is not finite then. */
static int convert_to_floats(const double *from, size_t count, uint32_t *to) {
    int finite = 1;
    for (size_t i = 0; i < count; i++) {
        const float value = (float)from[i];
        memcpy(&to[i], &value, sizeof value);
        finite &= fabsf(value) <= FLT_MAX;
    }
    return finite;
}

/* The same through units and axes. */
static int convert_points(const io_conversion *conversion, const ruga_vec3 *from, size_t count, uint32_t *to) {
    if (conversion->identity) return convert_to_floats(&from->x, 3 * count, to);
    int finite = 1;
    for (size_t i = 0; i < count; i++) {
        const ruga_vec3 p = io_convert_point_out(conversion, from[i]);
        finite &= convert_to_floats(&p.x, 3, to + 3 * i);
    }
    return finite;
}

/* Names the vertex; the words tell which it is, whatever the conversion. */
static ruga_status fail_point(const ruga_motion_writer *writer, const file *f, const ruga_frame *frame,
                              const uint32_t *words) {
    size_t i = 0;
    for (float value = 0; i + 1 < 3 * frame->vertex_count; i++) {
        memcpy(&value, &words[i], sizeof value);
        if (!(fabsf(value) <= FLT_MAX)) break;
    }
    ruga_vec3 p = frame->positions[i / 3];
    return fail_with(writer->context, RUGA_ERROR_INPUT,
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
