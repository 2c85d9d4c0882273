/* Two rounds of a 5 x 5 kernel whose taps lie 1 and 2 pixels apart, after a first mean over 3 x 3 that decides which
 * differences are noise. Two more rounds, 4 and 8 pixels apart, smooth the floor: its wide shadows show noise most. */
#include "render/filter.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

#define ROUNDS 2
#define FLOOR_ROUNDS 4
#define FLOOR_CARE 12.0f  /* the first rounds leave less noise for the others of the floor */
#define PLANE_REACH 1.5f  /* pixels off the plane at which a neighbour counts half */
#define NOISE_REACH 5.0f  /* squares of the noise */
#define LEAST_NOISE 4e-4f /* variance of a single ray's mean that is always taken for noise */

typedef struct filter_job {
    const filter_def *def;
    const float *in;   /* visibilities of the round before */
    const float *mean; /* of 3 x 3, in the rounds; NULL: this is it */
    float *out;
    int step, reach;
    int floor_alone;
    float care;
} filter_job;

static const float kernel[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};

/* How much two pixels belong together, by their surfaces alone. */
static float kinship(const filter_guide *p, const filter_guide *q, float step) {
    if (q->surface != p->surface) return 0;
    float c = p->normal[0] * q->normal[0] + p->normal[1] * q->normal[1] + p->normal[2] * q->normal[2];
    if (!(c > 0.5f)) return 0;
    float off = 0;
    for (int k = 0; k < 3; k++) off += p->normal[k] * (q->point[k] - p->point[k]);
    off /= p->pixel * step * PLANE_REACH;
    c *= c, c *= c, c *= c, c *= c, c *= c; /* to the power of 32 */
    return c / (1 + off * off);
}

typedef struct tap_sum {
    float sum[SEEN_COUNT], weight[SEEN_COUNT];
} tap_sum;

/* Adds a neighbour to each visibility, as far as the difference of the means is noise. */
static void add_tap(const filter_job *job, size_t p, size_t q, float weight, tap_sum *s) {
    const filter_def *def = job->def;
    const double *rays = def->guides[p].surface == def->floor ? def->floor_rays : def->rays;
    for (int k = 0; k < SEEN_COUNT; k++) {
        float w = weight;
        if (job->mean) {
            float a = job->mean[SEEN_COUNT * p + (size_t)k], d = job->mean[SEEN_COUNT * q + (size_t)k] - a;
            float spread = fmaxf(a * (1 - a), 0) + LEAST_NOISE;
            const float excess = 1 + d * d * job->care * (float)rays[k] / (NOISE_REACH * spread);
            w /= excess * excess;
        }
        s->sum[k] += w * job->in[SEEN_COUNT * q + (size_t)k];
        s->weight[k] += w;
    }
}

static void filter_pixel(const filter_job *job, int x, int y) {
    const filter_def *def = job->def;
    const size_t p = (size_t)y * (size_t)def->width + (size_t)x;
    const filter_guide *guide = &def->guides[p];
    float *out = job->out + SEEN_COUNT * p;
    memcpy(out, job->in + SEEN_COUNT * p, SEEN_COUNT * sizeof *out);
    if (guide->surface == FILTER_NONE || (job->floor_alone && guide->surface != def->floor)) return;
    tap_sum s = {{0}, {0}};
    for (int dy = -job->reach; dy <= job->reach; dy++) {
        const int v = y + dy * job->step;
        if (v < 0 || v >= def->height) continue;
        for (int dx = -job->reach; dx <= job->reach; dx++) {
            const int u = x + dx * job->step;
            if (u < 0 || u >= def->width) continue;
            const size_t q = (size_t)v * (size_t)def->width + (size_t)u;
            float w = kinship(guide, &def->guides[q], (float)(job->step * job->reach));
            if (w > 0) add_tap(job, p, q, w * kernel[dy + 2] * kernel[dx + 2], &s);
        }
    }
    for (int k = 0; k < SEEN_COUNT; k++)
        if (def->rays[k] > 0 && s.weight[k] > 0) out[k] = s.sum[k] / s.weight[k];
}

static void filter_row(void *argument, size_t y) {
    const filter_job *job = argument;
    for (int x = 0; x < job->def->width; x++) filter_pixel(job, x, (int)y);
}

ruga_status filter_visibilities(ruga_context *context, const filter_def *def, float *seen) {
    const size_t count = SEEN_COUNT * (size_t)def->width * (size_t)def->height, rows = (size_t)def->height;
    float *mean = NULL, *other = NULL;
    TRY(NEW(context, &mean, count));
    TRY_OR(NEW(context, &other, count), memory_release(context, mean));
    filter_job job = {.def = def, .in = seen, .out = mean, .step = 1, .reach = 1, .care = 1};
    parallel_tasks(context, rows, filter_row, &job);
    job.mean = mean, job.reach = 2;
    float *from = seen, *to = other;
    for (int round = 0; round < FLOOR_ROUNDS; round++) {
        job.in = from, job.out = to, job.step = 1 << round;
        if (round >= ROUNDS) job.floor_alone = 1, job.care = FLOOR_CARE, job.mean = from;
        parallel_tasks(context, rows, filter_row, &job);
        float *swap = from;
        from = to, to = swap;
    }
    if (from != seen) memcpy(seen, from, count * sizeof *seen);
    RELEASE_ALL(context, mean, other);
    return RUGA_OK;
}
