/* The fast path: runs the nodes of solve/sweeps_layout.h on the context's threads.
 *
 * All iterations are one parallel loop with equal tasks. Each task takes free leaves, those of its own share first,
 * since their points are in its cache; the task that completes the second branch of a node continues with the node's
 * seam. When the root is done the next pass begins. A task that finds no free leaf waits for the root, and so only for
 * tasks that are running: nothing waits for a task that has not started, and a single task does everything.
 */
#include "solve/sweeps.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/threads.h"
#include "solve/sweeps_kernels.h"
#include "solve/sweeps_point.h"

#define SPINS_BEFORE_YIELD 4000

/* A task's share of the leaves; no two are in one cache line. */
typedef struct leaf_share {
    size_t begin, count;
    atomic_size_t taken; /* in all passes */
    char apart[104];
} leaf_share;

struct sweeps {
    ruga_context *context;
    sweep_layout layout;
    size_t share_count;
    leaf_share *shares;
    atomic_uint *arrivals; /* (nodes) completed branches, in all passes */
    void (*node_constraints)(const sweep_layout *, const sweep_node *, float *);
    void (*slot_limits)(const sweep_limits *, const uint32_t *, size_t, float *);
};

/* An iteration has a pass for constraints and, if there are any, one for hinges; limits belong to the last. */
typedef struct sweep_job {
    sweeps *s;
    const sweep_limits *limits;
    float *points;
    size_t pass_count;
    atomic_size_t passes_done;
} sweep_job;

static ruga_status make_shares(sweeps *s) {
    size_t leaves = s->layout.leaves.count, threads = (size_t)s->context->thread_count;
    s->share_count = threads < leaves ? threads : leaves;
    TRY(NEW(s->context, &s->shares, s->share_count));
    TRY(NEW(s->context, &s->arrivals, s->layout.nodes.count));
    for (size_t k = 0; k < s->share_count; k++) {
        s->shares[k].begin = k * leaves / s->share_count;
        s->shares[k].count = (k + 1) * leaves / s->share_count - s->shares[k].begin;
    }
    for (size_t n = 0; n < s->layout.nodes.count; n++) atomic_init(&s->arrivals[n], 0);
    return RUGA_OK;
}

ruga_status sweeps_create(ruga_context *context, size_t point_count, const sweep_terms *terms, sweeps **out) {
    /* Slots times four, including padding, and twice the constraints are counted in 32 bits. */
    const size_t most = UINT32_MAX / 16;
    size_t term_count = terms->constraint_count > terms->hinge_count ? terms->constraint_count : terms->hinge_count;
    if (point_count > most || term_count > most)
        return fail_with(
            context, RUGA_ERROR_UNSUPPORTED,
            "the wrinkle mesh has %zu points and %zu constraints, but the solver can handle %zu of each; use a "
            "coarser mesh",
            point_count, term_count, most);
    sweeps *s;
    TRY(NEW_ZEROED(context, &s, 1));
    s->context = context;
    s->node_constraints = ISA_SELECT(context->isa, sweep_node_constraints);
    s->slot_limits = ISA_SELECT(context->isa, sweep_slot_limits);
    ruga_status status = sweep_layout_make(context, point_count, terms, &s->layout);
    if (!RUGA_FAILED(status)) status = make_shares(s);
    if (RUGA_FAILED(status))
        sweeps_destroy(s);
    else
        *out = s;
    return status;
}

void sweeps_destroy(sweeps *s) {
    if (!s) return;
    sweep_layout_release(&s->layout);
    RELEASE_ALL(s->context, s->shares, s->arrivals, s);
}

size_t sweeps_slot_count(const sweeps *s) { return s->layout.order.count; }
const uint32_t *sweeps_order(const sweeps *s) { return s->layout.order.items; }
const uint32_t *sweeps_constraint_order(const sweeps *s) { return s->layout.constraint_order; }
const uint32_t *sweeps_hinge_order(const sweeps *s) { return s->layout.hinge_order; }
void sweeps_set(sweeps *s, const sweep_terms *terms) { sweep_layout_fill(&s->layout, terms); }

static void run_node(const sweep_job *job, const sweep_node *node, size_t pass) {
    const sweep_layout *layout = &job->s->layout;
    int has_hinges = layout->hinge_count > 0, hinges_now = has_hinges && pass % 2 == 1;
    if (hinges_now)
        for (size_t k = node->hinges.begin; k < node->hinges.end; k++)
            sweep_turn_hinge(&layout->hinges[k], layout->hinges[k].points, job->points);
    else
        job->s->node_constraints(layout, node, job->points);
    if (!job->limits || has_hinges != hinges_now) return;
    int ending = has_hinges ? SWEEP_AFTER_HINGES : SWEEP_AFTER_CONSTRAINTS;
    sweep_range range = node->limits[ending];
    job->s->slot_limits(job->limits, layout->limit_slots[ending] + range.begin, range.end - range.begin, job->points);
}

/* Runs a leaf, and the seams above it whose other branches are done. */
static void run_leaf(sweep_job *job, size_t leaf, size_t pass) {
    const sweep_layout *layout = &job->s->layout;
    uint32_t n = layout->leaves.items[leaf];
    for (;;) {
        const sweep_node *node = &layout->nodes.items[n];
        run_node(job, node, pass);
        n = node->parent;
        if (n == SWEEP_NONE) {
            atomic_store_explicit(&job->passes_done, pass + 1, memory_order_release);
            return;
        }
        /* Two branches arrive in every pass: the second one finds an odd count. */
        if (atomic_fetch_add_explicit(&job->s->arrivals[n], 1, memory_order_acq_rel) % 2 == 0) return;
    }
}

/* Takes a leaf of a share in this pass. */
static int take_leaf(leaf_share *share, size_t pass, size_t *leaf) {
    size_t taken = atomic_load_explicit(&share->taken, memory_order_relaxed), end = (pass + 1) * share->count;
    while (taken < end)
        if (atomic_compare_exchange_weak_explicit(&share->taken, &taken, taken + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            *leaf = share->begin + (taken - pass * share->count);
            return 1;
        }
    return 0;
}

static void wait_for_pass(const sweep_job *job, size_t pass) {
    for (int spins = 0; atomic_load_explicit(&job->passes_done, memory_order_acquire) < pass; spins++) {
        pause_shortly();
        if (spins >= SPINS_BEFORE_YIELD) sched_yield();
    }
}

static void run_share(void *argument, size_t index) {
    sweep_job *job = argument;
    const sweeps *s = job->s;
    for (size_t pass = 0; pass < job->pass_count; pass++) {
        wait_for_pass(job, pass);
        for (size_t k = 0; k < s->share_count; k++) {
            size_t leaf;
            while (take_leaf(&s->shares[(index + k) % s->share_count], pass, &leaf)) run_leaf(job, leaf, pass);
        }
    }
}

void sweeps_run(sweeps *s, const sweep_limits *limits, int iterations, float *points) {
    size_t passes = s->layout.hinge_count > 0 ? 2 : 1;
    sweep_job job = {s, limits, points, iterations > 0 ? (size_t)iterations * passes : 0, 0};
    for (size_t k = 0; k < s->share_count; k++) atomic_init(&s->shares[k].taken, 0);
    parallel_tasks(s->context, s->share_count, run_share, &job);
}
