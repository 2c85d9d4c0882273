/* Nesterov's acceleration (1983) of Gauss-Seidel sweeps, with restarts when momentum and sweep disagree (O'Donoghue and
 * Candès 2015).
 *
 *     x' = a sweep from y: every point by its block, into its limits
 *     y' = x' + (t - 1) / t' (x' - x),   t' = (1 + √(1 + 4 t²)) / 2
 *     restart, y' = x' and t halved, where (y - x') . (x' - x) > 0; each tile by itself
 *
 * Runs are short, so t starts with 16 instead of 1: ten iterations then come several times as near, and long runs lose
 * nothing. With all points moving at once (Jacobi) it needs about three times the iterations.
 *
 * Most points of a mesh settle long before its wrinkles do. While they settle, tiles whose points move least wait for a
 * few calls: they neither move nor cost anything, and continue with their momentum.
 *
 * Blocks are recomputed every few iterations. Sweeps visit the tiles of even number, then those of odd number, and
 * within a tile one slice after another, so that the result does not depend on the threads.
 */
#include <string.h>

#include "base/threads.h"
#include "solve/compliant_kernels.h"

#define SLICES 32  /* per task where the order does not matter */
#define REFRESH 10 /* iterations between updates of the blocks */
#define EAGER 16   /* t at the start */
#define KEPT 0.5   /* of t, when the momentum is reset */
/* While points settle: */
#define WAITING 0.05    /* of the longest path in a call: tiles with shorter ones wait */
#define WAITING_CALLS 3 /* until they take part again, at most */

static void enter_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    ISA_SELECT(pass->solver->context->isa, compliant_enter)(pass, begin, end);
}

static void bias_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    ISA_SELECT(pass->solver->context->isa, compliant_bias)(pass, begin, end);
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

/* ---- Work on tiles that do not wait. */

static void blocks_tile(void *argument, size_t tile) {
    const compliant_pass *pass = argument;
    const compliant *c = pass->solver;
    const uint32_t *offsets = c->slices.tile_offsets + tile;
    if (!c->waits[tile]) ISA_SELECT(c->context->isa, compliant_blocks)(pass, offsets[0], offsets[1]);
}

static void extrapolate_tile(void *argument, size_t tile) {
    const compliant_pass *pass = argument;
    const compliant *c = pass->solver;
    const uint32_t *offsets = c->slices.tile_offsets + tile;
    compliant_pass own = *pass;
    own.momentum = c->tile_momenta[tile];
    if (!c->waits[tile]) ISA_SELECT(c->context->isa, compliant_extrapolate)(&own, offsets[0], offsets[1]);
}

static void sweep_tile(compliant_pass *pass, size_t tile) {
    const compliant *c = pass->solver;
    const uint32_t *offsets = c->slices.tile_offsets + tile;
    c->tile_dots[tile] = c->tile_moves[tile] = 0;
    if (!c->waits[tile])
        c->tile_dots[tile] =
            ISA_SELECT(c->context->isa, compliant_advance)(pass, offsets[0], offsets[1], c->tile_moves + tile);
}

static void over_tiles(compliant_pass *pass, ruga_task_function *body) {
    parallel_tasks(pass->solver->context, pass->solver->slices.tile_count, body, pass);
}

static void sweep_even(void *argument, size_t task) { sweep_tile(argument, 2 * task); }
static void sweep_odd(void *argument, size_t task) { sweep_tile(argument, 2 * task + 1); }

/* t after a restart: a tile that has become slow keeps much of its momentum, or it would take long to regain it. */
static double restarted(double t) { return fmax(EAGER, KEPT * t); }

/* After a sweep: the momentum that a tile starts the next one with. */
static void pace_tile(compliant *c, size_t tile) {
    const int restart = c->tile_dots[tile] > 0;
    const double t = c->tile_paces[tile], next = (1 + sqrt(1 + 4 * t * t)) / 2;
    c->tile_momenta[tile] = restart ? 0 : (float)((t - 1) / next);
    c->tile_paces[tile] = restart ? restarted(t) : next;
    c->tile_paths[tile] += sqrt((double)c->tile_moves[tile]);
}

/* Returns the greatest displacement, m. */
static float sweep(compliant_pass *pass) {
    compliant *c = pass->solver;
    size_t tiles = c->slices.tile_count;
    parallel_tasks(c->context, (tiles + 1) / 2, sweep_even, pass);
    parallel_tasks(c->context, tiles / 2, sweep_odd, pass);
    float longest = 0;
    for (size_t k = 0; k < tiles; k++) {
        longest = fmaxf(longest, c->tile_moves[k]);
        if (!c->waits[k]) pace_tile(c, k);
    }
    c->sweeps++;
    return sqrtf(longest);
}

static void start_run(compliant_pass *pass) {
    compliant *c = pass->solver;
    over_slices(pass, enter_range);
    if (c->def.curvature_count > 0) over_slices(pass, bias_range);
    over_slices(pass, start_range);
    c->sweeps = c->calls_that_wait = 0;
    for (size_t k = 0; k < c->slices.tile_count; k++) {
        c->tile_paces[k] = EAGER;
        c->tile_momenta[k] = 0;
        c->tile_paths[k] = 0;
        c->waits[k] = 0;
    }
}

float compliant_run_accelerated(compliant *c, const sweep_limits *limits, int iterations, int continued,
                                float *points) {
    int sliding = c->foundations && c->def.slide_stiffness != 1;
    compliant_pass pass = {.solver = c, .limits = limits, .points = points};
    pass.has_normals = limits->normals && (limits->one_sided || limits->along_normals || sliding);
    if (!continued) start_run(&pass);
    float move = 0;
    for (int k = 0; k < iterations; k++) {
        if (c->sweeps > 0) over_tiles(&pass, extrapolate_tile);
        if (c->sweeps % REFRESH == 0) over_tiles(&pass, blocks_tile);
        move = sweep(&pass);
    }
    over_slices(&pass, leave_range);
    return move;
}

/* ---- Settling. */

/* Chooses the tiles that wait by their paths in the last call. Returns whether none does. */
static int choose_waiting(compliant *c) {
    const size_t tiles = c->slices.tile_count;
    double longest = 0;
    for (size_t k = 0; k < tiles; k++) longest = fmax(longest, c->tile_paths[k]);
    if (c->calls_that_wait > 0 && longest > 2 * c->waiting_path) {
        c->calls_that_wait--;
        return 0;
    }
    const int all_took_part = !memchr(c->waits, 1, tiles);
    c->waiting_path = WAITING * longest;
    for (size_t k = 0; k < tiles; k++) c->waits[k] = all_took_part && c->tile_paths[k] < c->waiting_path;
    const int any = memchr(c->waits, 1, tiles) != NULL;
    c->calls_that_wait = any ? WAITING_CALLS - 1 : 0;
    return !any;
}

int compliant_settle_accelerated(compliant *c, const sweep_limits *limits, int iterations, float *points) {
    const int all = choose_waiting(c);
    memset(c->tile_paths, 0, c->slices.tile_count * sizeof *c->tile_paths);
    compliant_run_accelerated(c, limits, iterations, 1, points);
    return all;
}
