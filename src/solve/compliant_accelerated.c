/* Nesterov's acceleration of steps that all points take at once (Nesterov 1983), in the metric of a block per point, with restarts
 * when a step goes uphill (O'Donoghue and Candès 2015).
 *
 *     x' = y - H⁻¹ ∇E(y), into limits;   y' = x' + (t - 1) / t' (x' - x);   t' = (1 + √(1 + 4 t²)) / 2
 *     restart, t = 1 and y = x, where ∇E(y) . (x' - x) > 0
 *
 * Blocks are those of the first iterate of a run. Passes read one set of points and write another, so that the threads do not meet.
 */
#include <string.h>

#include "base/threads.h"
#include "solve/compliant_kernels.h"

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
    size_t block = begin / COMPLIANT_BLOCK;
    pass->solver->block_dots[block] =
        ISA_SELECT(pass->solver->context->isa, compliant_advance)(pass, begin, end, pass->solver->block_ways + block);
}

static void hinges_range(void *argument, size_t begin, size_t end) {
    const compliant_pass *pass = argument;
    const compliant *c = pass->solver;
    for (size_t k = begin; k < end; k++)
        for (int corner = 0; corner < 4; corner++)
            compliant_hinge_pull(c->hinges + k, pass->at, corner, c->hinge_pulls + 16 * k + 4 * (size_t)corner);
}

static void find_hinge_pulls(compliant_pass *pass) {
    const compliant *c = pass->solver;
    parallel_for(c->context, c->def.hinge_count, COMPLIANT_BLOCK, hinges_range, pass);
}

/* One iteration; returns whether it went uphill. */
static int advance(compliant_pass *pass, float *way) {
    compliant *c = pass->solver;
    size_t count = c->def.point_count, blocks = (count + COMPLIANT_BLOCK - 1) / COMPLIANT_BLOCK;
    if (c->hinges) find_hinge_pulls(pass);
    parallel_for(c->context, count, COMPLIANT_BLOCK, advance_range, pass);
    double dots = 0;
    float longest = 0;
    for (size_t k = 0; k < blocks; k++) {
        dots += c->block_dots[k];
        longest = fmaxf(longest, c->block_ways[k]);
    }
    *way = sqrtf(longest);
    return dots > 0;
}

float compliant_run_accelerated(compliant *c, const sweep_limits *limits, int iterations, float *points) {
    size_t count = c->def.point_count;
    memcpy(c->iterates[0], points, 4 * count * sizeof *points);
    compliant_pass pass = {.solver = c, .limits = limits, .at = c->iterates[0]};
    if (c->def.curvature_count > 0) parallel_for(c->context, count, COMPLIANT_BLOCK, bias_range, &pass);
    if (c->hinges) find_hinge_pulls(&pass);
    parallel_for(c->context, count, COMPLIANT_BLOCK, blocks_range, &pass);

    float way = 0;
    double t = 1;
    int restart = 1;
    for (int k = 0; k < iterations; k++) {
        double next = (1 + sqrt(1 + 4 * t * t)) / 2;
        pass.from = c->iterates[k % 2];
        pass.at = restart ? pass.from : c->ahead[k % 2];
        pass.to = c->iterates[1 - k % 2];
        pass.ahead = c->ahead[1 - k % 2];
        pass.momentum = (float)((t - 1) / next);
        restart = advance(&pass, &way);
        t = restart ? 1 : next;
    }
    for (size_t i = 0; i < count; i++) memcpy(points + 4 * i, c->iterates[iterations % 2] + 4 * i, 3 * sizeof *points);
    return way;
}
