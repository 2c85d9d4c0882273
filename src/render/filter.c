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
    const uint8_t *still; /* by tile: nothing changes there */
    int tile_columns;
} filter_job;

#define TILE 16
#define TILES_AROUND (FILTER_REACH / TILE)

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
    const int width = job->def->width;
    for (int x = 0; x < width; x += TILE) {
        const int end = x + TILE < width ? x + TILE : width;
        const size_t first = SEEN_COUNT * (y * (size_t)width + (size_t)x);
        if (job->still[y / TILE * (size_t)job->tile_columns + (size_t)(x / TILE)])
            memcpy(job->out + first, job->in + first, SEEN_COUNT * (size_t)(end - x) * sizeof *job->out);
        else
            for (int i = x; i < end; i++) filter_pixel(job, i, (int)y);
    }
}

/* Whether a tile has nothing but open floor and background. */
static uint8_t is_open(const filter_def *def, const float *seen, int column, int row) {
    for (int y = row * TILE; y < (row + 1) * TILE && y < def->height; y++)
        for (int x = column * TILE; x < (column + 1) * TILE && x < def->width; x++) {
            const size_t p = (size_t)y * (size_t)def->width + (size_t)x;
            const uint32_t surface = def->guides[p].surface;
            if (surface == FILTER_NONE) continue;
            if (surface != def->floor) return 0;
            for (int k = 0; k < SEEN_COUNT; k++)
                if (def->floor_rays[k] > 0 && seen[SEEN_COUNT * p + (size_t)k] != 1) return 0;
        }
    return 1;
}

/* Tiles that stay as they are: as far as a pixel can reach, all is open. */
static void find_still(const filter_def *def, const float *seen, int columns, int rows, uint8_t *open, uint8_t *still) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) open[r * columns + c] = is_open(def, seen, c, r);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            uint8_t all = 1;
            for (int v = r - TILES_AROUND; v <= r + TILES_AROUND; v++)
                for (int u = c - TILES_AROUND; u <= c + TILES_AROUND; u++)
                    if (v >= 0 && u >= 0 && v < rows && u < columns) all &= open[v * columns + u];
            still[r * columns + c] = all;
        }
}

ruga_status filter_visibilities(ruga_context *context, const filter_def *def, float *seen) {
    const size_t count = SEEN_COUNT * (size_t)def->width * (size_t)def->height, rows = (size_t)def->height;
    float *mean = NULL, *other = NULL;
    const int columns = (def->width + TILE - 1) / TILE, tile_rows = (def->height + TILE - 1) / TILE;
    uint8_t *still = NULL;
    TRY(NEW(context, &still, 2 * (size_t)columns * (size_t)tile_rows));
    TRY_OR(NEW(context, &mean, count), memory_release(context, still));
    TRY_OR(NEW(context, &other, count), RELEASE_ALL(context, mean, still));
    find_still(def, seen, columns, tile_rows, still + columns * tile_rows, still);
    filter_job job = {.def = def, .in = seen, .out = mean, .step = 1, .reach = 1, .care = 1};
    job.still = still, job.tile_columns = columns;
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
    RELEASE_ALL(context, mean, other, still);
    return RUGA_OK;
}
