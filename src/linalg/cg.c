/* Conjugate gradients (Hestenes and Stiefel 1952). */
#include "linalg/cg.h"

#include "base/threads.h"
#include "linalg/cg_kernels.h"

#define BLOCK 2048

ruga_status cg_scratch_make(ruga_context *context, size_t count, cg_scratch *out) {
    *out = (cg_scratch){0};
    ruga_status status = NEW(context, &out->residual, count);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->direction, count);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->product, count);
    if (RUGA_FAILED(status)) cg_scratch_release(context, out);
    return status;
}

void cg_scratch_release(ruga_context *context, cg_scratch *scratch) {
    RELEASE_ALL(context, scratch->residual, scratch->direction, scratch->product);
    *scratch = (cg_scratch){0};
}

typedef struct vector_task {
    ruga_isa isa;
    const vec3 *a, *b;
    vec3 *out, *residual;
    double factor;
} vector_task;

static double dot_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    return ISA_SELECT(task->isa, cg_dot)(&task->a[begin].x, &task->b[begin].x, 3 * (end - begin));
}

double cg_dot(ruga_context *context, size_t count, const vec3 *a, const vec3 *b) {
    vector_task task = {.isa = context->isa, .a = a, .b = b};
    return parallel_sum(context, count, BLOCK, dot_block, &task);
}

static void combine_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    ISA_SELECT(task->isa, cg_combine)
    (&task->a[begin].x, &task->b[begin].x, task->factor, &task->out[begin].x, 3 * (end - begin));
}

/* out = a + factor b */
static void combine(const cg_system *s, const vec3 *a, const vec3 *b, double factor, vec3 *out) {
    vector_task task = {s->context->isa, a, b, out, NULL, factor};
    parallel_for(s->context, s->count, BLOCK, combine_block, &task);
}

static void advance_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    ISA_SELECT(task->isa, cg_advance)
    (&task->a[begin].x, &task->b[begin].x, task->factor, &task->out[begin].x, &task->residual[begin].x,
     3 * (end - begin));
}

/* Moves along the direction: x += factor p, r -= factor q. */
static void advance(const cg_system *s, const cg_scratch *scratch, double factor, vec3 *x) {
    vector_task task = {s->context->isa, scratch->direction, scratch->product, x, scratch->residual, factor};
    parallel_for(s->context, s->count, BLOCK, advance_block, &task);
}

/* The next direction: p = P r, conjugate to the one before, of which `before` is rᵀPr; 0: there is none. Returns
 * rᵀPr. */
static double turn(const cg_system *s, const cg_scratch *scratch, double before) {
    vec3 *r = scratch->residual, *p = scratch->direction, *q = scratch->product;
    vec3 *next = before > 0 ? q : p;
    s->precondition(s->user, r, next);
    double rho = cg_dot(s->context, s->count, r, next);
    if (before > 0) combine(s, q, p, rho / before, p);
    return rho;
}

ruga_status cg_solve(const cg_system *s, const cg_scratch *scratch, double scale, double tolerance, int most_iterations,
                     vec3 *x, cg_report *report) {
    vec3 *r = scratch->residual, *p = scratch->direction, *q = scratch->product;
    double rho = 0, size = 0, goal = 0;
    if (!s->has_residual) {
        TRY(s->apply(s->user, x, q));
        combine(s, r, q, -1, r);
    }
    *report = (cg_report){0};
    for (;; report->iterations++) {
        /* A size of its own spares the last residual its preconditioner. */
        if (!s->square) rho = turn(s, scratch, rho);
        size = s->square ? s->square(s->user, r) : rho;
        if (report->iterations == 0) {
            report->whole = scale + size;
            goal = tolerance * tolerance * report->whole;
        }
        if (!(size > goal) || report->iterations >= most_iterations) break;
        if (s->square) rho = turn(s, scratch, rho);
        TRY(s->apply(s->user, p, q));
        double curvature = cg_dot(s->context, s->count, p, q);
        if (!(curvature > 0)) break;
        advance(s, scratch, rho / curvature, x);
    }
    report->converged = size <= goal;
    report->residual = report->whole > 0 ? sqrt(size / report->whole) : 0;
    return RUGA_OK;
}
