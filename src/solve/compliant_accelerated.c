/* Nesterov's acceleration (1983) of Gauss-Seidel sweeps, with restarts when momentum and sweep disagree (O'Donoghue and
 * Candès 2015).
 *
 *     x' = a sweep from y: every point by its block, into its limits
 *     y' = x' + (t - 1) / t' (x' - x),   t' = (1 + √(1 + 4 t²)) / 2
 *     restart, y' = x' and t as at the start, where (y - x') . (x' - x) > 0
 *
 * Runs are short, so t starts with 16 instead of 1: ten iterations then come several times as near, and long runs lose
 * nothing. With all points moving at once (Jacobi) it needs about three times the iterations.
 *
 * Blocks are recomputed every few iterations. Sweeps visit the tiles of even number, then those of odd number, and
 * within a tile one slice after another, so that the result does not depend on the threads.
 */
#include <string.h>

#include "base/threads.h"
#include "solve/compliant_kernels.h"

#define SLICES 32 /* per task where the order does not matter */
#define REFRESH 8 /* iterations between updates of the blocks */
#define EAGER 16  /* t at the start */
#define KEPT 0.7  /* of t, when the momentum is reset */

/* Copies limits and points to slots: vectors of a slice component by component, anchors also as points to `ahead`. */
static void enter_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    const compliant *c = pass->solver;
    const sweep_limits *limits = pass->limits;
    for (size_t slot = COMPLIANT_LANES * begin; slot < COMPLIANT_LANES * end; slot++) {
        size_t point = c->slices.order[slot], slice = slot / COMPLIANT_LANES, lane = slot % COMPLIANT_LANES;
        if (point == UINT32_MAX) continue;
        memcpy(c->iterates + 4 * slot, pass->points + 4 * point, 3 * sizeof(float));
        for (size_t x = 0; limits->anchors && x < 4; x++) {
            float number = limits->anchors[4 * point + x];
            c->anchors[COMPLIANT_LANES * (4 * slice + x) + lane] = number;
            if (x < 3) c->ahead[4 * slot + x] = number;
        }
        for (size_t x = 0; pass->has_normals && x < 3; x++)
            c->normals[COMPLIANT_LANES * (3 * slice + x) + lane] = limits->normals[4 * point + x];
    }
}

static void bias_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    ISA_SELECT(pass->solver->context->isa, compliant_bias)(pass, begin, end);
}

static void blocks_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    ISA_SELECT(pass->solver->context->isa, compliant_blocks)(pass, begin, end);
}

static void extrapolate_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    ISA_SELECT(pass->solver->context->isa, compliant_extrapolate)(pass, begin, end);
}

static void start_range(void *argument, size_t begin, size_t end) {
    const compliant *c = ((const compliant_pass *)argument)->solver;
    size_t numbers = 4 * COMPLIANT_LANES;
    memcpy(c->ahead + numbers * begin, c->iterates + numbers * begin, numbers * (end - begin) * sizeof(float));
}

static void leave_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    const compliant *c = pass->solver;
    for (size_t slot = COMPLIANT_LANES * begin; slot < COMPLIANT_LANES * end; slot++)
        if (c->slices.order[slot] != UINT32_MAX)
            memcpy(pass->points + 4 * (size_t)c->slices.order[slot], c->ahead + 4 * slot, 3 * sizeof(float));
}

static void over_slices(compliant_pass *pass, range_function *body) {
    parallel_for(pass->solver->context, pass->solver->slices.count, SLICES, body, pass);
}

static void sweep_tile(compliant_pass *pass, size_t tile) {
    const compliant *c = pass->solver;
    const uint32_t *offsets = c->slices.tile_offsets;
    c->tile_dots[tile] =
        ISA_SELECT(c->context->isa, compliant_advance)(pass, offsets[tile], offsets[tile + 1], c->tile_moves + tile);
}

static void sweep_even(void *argument, size_t task) { sweep_tile(argument, 2 * task); }
static void sweep_odd(void *argument, size_t task) { sweep_tile(argument, 2 * task + 1); }

/* One sweep; returns whether the momentum must be reset. *move: the greatest displacement, m. */
static int sweep(compliant_pass *pass, float *move) {
    const compliant *c = pass->solver;
    size_t tiles = c->slices.tile_count;
    parallel_tasks(c->context, (tiles + 1) / 2, sweep_even, pass);
    parallel_tasks(c->context, tiles / 2, sweep_odd, pass);
    double dots = 0;
    float longest = 0;
    for (size_t k = 0; k < tiles; k++) {
        dots += c->tile_dots[k];
        longest = fmaxf(longest, c->tile_moves[k]);
    }
    *move = sqrtf(longest);
    return dots > 0;
}

/* t after a restart: a run that has become slow keeps most of its momentum, or it would take long to regain it. */
static double restarted(double t) { return fmax(EAGER, KEPT * t); }

static void start_run(compliant_pass *pass) {
    compliant *c = (compliant *)pass->solver;
    over_slices(pass, enter_range);
    if (c->def.curvature_count > 0) over_slices(pass, bias_range);
    over_slices(pass, start_range);
    c->pace = EAGER;
    c->momentum = 0;
    c->sweeps = 0;
}

float compliant_run_accelerated(compliant *c, const sweep_limits *limits, int iterations, int continued,
                                float *points) {
    int sliding = c->foundations && c->def.slide_stiffness != 1;
    compliant_pass pass = {.solver = c, .limits = limits, .points = points};
    pass.has_normals = limits->normals && (limits->one_sided || limits->along_normals || sliding);
    if (!continued) start_run(&pass);
    float move = 0;
    for (int k = 0; k < iterations; k++) {
        pass.momentum = c->momentum;
        if (c->sweeps > 0) over_slices(&pass, extrapolate_range);
        if (c->sweeps % REFRESH == 0) over_slices(&pass, blocks_range);
        int restart = sweep(&pass, &move);
        double next = (1 + sqrt(1 + 4 * c->pace * c->pace)) / 2;
        c->momentum = restart ? 0 : (float)((c->pace - 1) / next);
        c->pace = restart ? restarted(c->pace) : next;
        c->sweeps++;
    }
    over_slices(&pass, leave_range);
    return move;
}
