/* Conjugate gradients (Hestenes and Stiefel 1952). */
#include "linalg/cg.h"

#include "base/threads.h"

#define BLOCK 2048

ruga_status cg_scratch_make(ruga_context *context, size_t count, cg_scratch *out) {
    *out = (cg_scratch){ALLOCATE(context, vec3, count), ALLOCATE(context, vec3, count), ALLOCATE(context, vec3, count)};
    if (out->residual && out->direction && out->product) return RUGA_OK;
    cg_scratch_release(context, out);
    return fail_memory(context, count * sizeof(vec3));
}

void cg_scratch_release(ruga_context *context, cg_scratch *scratch) {
    memory_release(context, scratch->residual);
    memory_release(context, scratch->direction);
    memory_release(context, scratch->product);
    *scratch = (cg_scratch){0};
}

typedef struct vector_task {
    const vec3 *a, *b;
    vec3 *out;
    double factor;
} vector_task;

static double dot_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += vec3_dot(task->a[i], task->b[i]);
    return sum;
}

double cg_dot(ruga_context *context, size_t count, const vec3 *a, const vec3 *b) {
    vector_task task = {.a = a, .b = b};
    return parallel_sum(context, count, BLOCK, dot_block, &task);
}

static void combine_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    for (size_t i = begin; i < end; i++) task->out[i] = vec3_add_scaled(task->a[i], task->b[i], task->factor);
}

/* out = a + factor b */
static void combine(const cg_system *s, const vec3 *a, const vec3 *b, double factor, vec3 *out) {
    vector_task task = {a, b, out, factor};
    parallel_for(s->context, s->count, BLOCK, combine_block, &task);
}

ruga_status cg_solve(const cg_system *s, const cg_scratch *scratch, double scale, double tolerance, int most_iterations,
                     vec3 *x, cg_report *report) {
    vec3 *r = scratch->residual, *p = scratch->direction, *q = scratch->product;
    TRY(s->apply(s->user, x, q));
    combine(s, r, q, -1, r);
    s->precondition(s->user, r, p);
    double rho = cg_dot(s->context, s->count, r, p), whole = scale + rho, goal = tolerance * tolerance * whole;
    *report = (cg_report){.whole = whole};
    for (; rho > goal && report->iterations < most_iterations; report->iterations++) {
        TRY(s->apply(s->user, p, q));
        double curvature = cg_dot(s->context, s->count, p, q);
        if (!(curvature > 0)) break;
        combine(s, x, p, rho / curvature, x);
        combine(s, r, q, -rho / curvature, r);
        s->precondition(s->user, r, q);
        double next = cg_dot(s->context, s->count, r, q);
        combine(s, q, p, next / rho, p);
        rho = next;
    }
    report->converged = rho <= goal;
    report->residual = whole > 0 ? sqrt(rho / whole) : 0;
    return RUGA_OK;
}
