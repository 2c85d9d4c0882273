/* Motions: the public calls, and the two kinds without a file. */
#include "mesh/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vec3.h"

/* A time this close to a stored sample counts as its own: relative to its number, plus some roundings of the time
 * itself, which matter where the start is far from 0. */
#define SNAP 1e-9
#define SNAP_TIME (4 * DBL_EPSILON)

void ruga_motion_destroy(ruga_motion *motion) {
    if (motion) motion->interface->destroy(motion);
}

ruga_motion_info ruga_motion_get_info(const ruga_motion *motion) { return motion->info; }

double ruga_motion_sample_time(const ruga_motion *motion, size_t sample) {
    const ruga_motion_info *info = &motion->info;
    if (sample >= info->sample_count) return info->end;
    if (motion->interface->sample_time) return motion->interface->sample_time(motion, sample);
    return info->rate > 0 ? info->start + (double)sample / info->rate : info->start;
}

ruga_status ruga_motion_sample(ruga_motion *motion, double time, ruga_vec3 *positions) {
    if (isnan(time)) return fail_argument(motion->context, "the time of a motion is NaN");
    if (time > motion->info.end) time = motion->info.end;
    if (time < motion->info.start) time = motion->info.start;
    return motion->interface->sample(motion, time, positions);
}

void motion_mix(size_t count, const ruga_vec3 *a, const ruga_vec3 *b, double t, ruga_vec3 *out) {
    if (t == 0 || t == 1) {
        memmove(out, t == 0 ? a : b, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; i++) out[i] = vec3_mix(a[i], b[i], t);
}

/* The stored sample at or before a time, and in *t the fraction towards the next, within [0, 1); for samples at
 * start + i / rate. The last sample, and times equal to a sample's up to rounding, give t = 0. */
static size_t locate(const ruga_motion_info *info, double time, double *t) {
    *t = 0;
    if (info->sample_count < 2 || time <= info->start) return 0;
    double place = (time - info->start) * info->rate, nearest = floor(place + 0.5);
    double snap = SNAP * fmax(1, place) + SNAP_TIME * fabs(info->start) * info->rate;
    if (fabs(place - nearest) <= snap) place = nearest;
    size_t last = info->sample_count - 1;
    if (place >= (double)last) return last;
    double whole = floor(place);
    *t = place - whole;
    return (size_t)whole;
}

static ruga_status check_times(ruga_context *context, double start, double end) {
    if (isfinite(start) && isfinite(end) && start <= end) return RUGA_OK;
    return fail_argument(context, "a motion can't run from %g s to %g s", start, end);
}

/* ---- A function of the caller's. */

typedef struct function_motion {
    ruga_motion base;
    ruga_motion_function *function;
    void *user;
} function_motion;

static ruga_status function_sample(ruga_motion *motion, double time, ruga_vec3 *positions) {
    function_motion *self = (function_motion *)motion;
    ruga_status status = self->function(self->user, time, positions);
    if (!RUGA_FAILED(status)) return status;
    return fail_with(motion->context, status, "the motion's function failed at %g s: %s", time,
                     ruga_status_name(status));
}

static void function_destroy(ruga_motion *motion) { memory_release(motion->context, motion); }

ruga_status ruga_motion_from_function(ruga_context *context, size_t vertex_count, double start, double end,
                                      ruga_motion_function *function, void *user, ruga_motion **out) {
    static const motion_interface interface = {.sample = function_sample, .destroy = function_destroy};
    TRY(check_times(context, start, end));
    if (!function) return fail_argument(context, "a motion's function is NULL");
    function_motion *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (ruga_motion){&interface, context, {.vertex_count = vertex_count, .start = start, .end = end}};
    self->function = function;
    self->user = user;
    *out = &self->base;
    return RUGA_OK;
}

/* ---- Samples in memory. */

typedef struct samples_motion {
    ruga_motion base;
    ruga_vec3 *samples; /* (sample_count x vertex_count) */
} samples_motion;

static ruga_status samples_sample(ruga_motion *motion, double time, ruga_vec3 *positions) {
    const samples_motion *self = (const samples_motion *)motion;
    double t;
    size_t i = locate(&motion->info, time, &t), count = motion->info.vertex_count;
    const ruga_vec3 *a = self->samples + i * count;
    motion_mix(count, a, t > 0 ? a + count : a, t, positions);
    return RUGA_OK;
}

static void samples_destroy(ruga_motion *motion) {
    RELEASE_ALL(motion->context, ((samples_motion *)motion)->samples, motion);
}

ruga_status ruga_motion_from_samples(ruga_context *context, size_t vertex_count, size_t sample_count,
                                     const ruga_vec3 *samples, double start, double rate, ruga_motion **out) {
    static const motion_interface interface = {.sample = samples_sample, .destroy = samples_destroy};
    if (sample_count == 0 || !samples) return fail_argument(context, "a motion from samples needs at least one sample");
    if (!(rate > 0) || !isfinite(rate))
        return fail_argument(context, "the rate of a motion is %g samples per second, it must be positive and finite",
                             rate);
    double end = start + (double)(sample_count - 1) / rate;
    TRY(check_times(context, start, end));
    if (vertex_count > SIZE_MAX / sizeof *samples / sample_count) return fail_memory(context, SIZE_MAX);
    samples_motion *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (ruga_motion){&interface, context, {vertex_count, start, end, sample_count, rate}};
    RETURN_MADE(NEW_COPY(context, &self->samples, samples, sample_count * vertex_count), &self->base, out,
                memory_release(context, self));
}
