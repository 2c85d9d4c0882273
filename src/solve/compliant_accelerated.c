/* Nesterov's acceleration of steps that all points take at once (Nesterov 1983), in the metric of a block per point, with restarts
 * when a step goes uphill (O'Donoghue and Candès 2015).
 *
 *     x' = y - H⁻¹ ∇E(y), into limits;   y' = x' + (t - 1) / t' (x' - x);   t' = (1 + √(1 + 4 t²)) / 2
 *     restart, y = x and t as at the start, where ∇E(y) . (x' - x) > 0
 *
 * Runs are short, so t starts with 16 instead of 1: ten iterations then get three times as near, and long runs lose nothing.
 * Blocks bound the energy where they were found, so they are found anew every few iterations. Passes read one set of points and
 * write another, so that the threads do not meet, and their sums are added in the order of fixed blocks.
 */
#include <string.h>

#include "base/threads.h"
#include "solve/compliant_kernels.h"

#define SLICES (COMPLIANT_BLOCK / COMPLIANT_LANES) /* that a thread works on at a time */
#define REFRESH 16                                 /* iterations that blocks are good for */
#define EAGER 16                                   /* t to start with, so that a run of ten iterations has momentum */

/* Limits and points into slots: vectors of a slice number by number, anchors as points into pass->ahead too. */
static void enter_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    const compliant *c = pass->solver;
    const sweep_limits *limits = pass->limits;
    for (size_t slot = COMPLIANT_LANES * begin; slot < COMPLIANT_LANES * end; slot++) {
        size_t point = c->slices.order[slot], slice = slot / COMPLIANT_LANES, lane = slot % COMPLIANT_LANES;
        if (point == UINT32_MAX) continue;
        memcpy(pass->to + 4 * slot, pass->points + 4 * point, 3 * sizeof(float));
        for (size_t x = 0; limits->anchors && x < 4; x++) {
            float number = limits->anchors[4 * point + x];
            c->anchors[COMPLIANT_LANES * (4 * slice + x) + lane] = number;
            if (x < 3) pass->ahead[4 * slot + x] = number;
        }
        for (size_t x = 0; limits->normals && x < 3; x++)
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

static void advance_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    size_t block = begin / SLICES;
    pass->solver->block_dots[block] =
        ISA_SELECT(pass->solver->context->isa, compliant_advance)(pass, begin, end, pass->solver->block_ways + block);
}

/* Hinges are between points, which pass->at has in slots. */
static void hinges_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    const compliant *c = pass->solver;
    for (size_t k = begin; k < end; k++) {
        compliant_hinge hinge = c->hinges[k];
        for (int corner = 0; corner < 4; corner++) hinge.points[corner] = c->slices.slots[hinge.points[corner]];
        for (int corner = 0; corner < 4; corner++)
            compliant_hinge_pull(&hinge, pass->at, corner, c->hinge_pulls + 16 * k + 4 * (size_t)corner);
    }
}

static void over_slices(compliant_pass *pass, range_function *body) {
    parallel_for(pass->solver->context, pass->solver->slices.count, SLICES, body, pass);
}

static void find_hinge_pulls(compliant_pass *pass) {
    const compliant *c = pass->solver;
    if (c->hinges) parallel_for(c->context, c->def.hinge_count, COMPLIANT_BLOCK, hinges_range, pass);
}

/* One iteration; returns whether it went uphill. */
static int advance(compliant_pass *pass, float *way) {
    const compliant *c = pass->solver;
    over_slices(pass, advance_range);
    double dots = 0;
    float longest = 0;
    for (size_t k = 0; k < (c->slices.count + SLICES - 1) / SLICES; k++) {
        dots += c->block_dots[k];
        longest = fmaxf(longest, c->block_ways[k]);
    }
    *way = sqrtf(longest);
    return dots > 0;
}

/* Points into the first iterates; what curvatures pull at anchors. */
static void enter(compliant_pass *pass) {
    compliant *c = pass->solver;
    pass->to = c->iterates[0];
    pass->ahead = c->ahead[0];
    over_slices(pass, enter_range);
    pass->at = c->ahead[0];
    if (c->def.curvature_count > 0) over_slices(pass, bias_range);
}

float compliant_run_accelerated(compliant *c, const sweep_limits *limits, int iterations, float *points) {
    compliant_pass pass = {.solver = c, .limits = limits, .points = points};
    enter(&pass);
    float way = 0;
    double t = EAGER;
    int restart = 1;
    for (int k = 0; k < iterations; k++) {
        double next = (1 + sqrt(1 + 4 * t * t)) / 2;
        pass.from = c->iterates[k % 2];
        pass.at = restart ? pass.from : c->ahead[k % 2];
        pass.to = c->iterates[1 - k % 2];
        pass.ahead = c->ahead[1 - k % 2];
        pass.momentum = (float)((t - 1) / next);
        find_hinge_pulls(&pass);
        if (k % REFRESH == 0) over_slices(&pass, blocks_range);
        restart = advance(&pass, &way);
        t = restart ? EAGER : next;
    }
    const float *last = c->iterates[iterations % 2];
    for (size_t i = 0; i < c->def.point_count; i++)
        memcpy(points + 4 * i, last + 4 * (size_t)c->slices.slots[i], 3 * sizeof *points);
    return way;
}
