/* Solves with a factor: up the tree, L z = b, each node handing to its parent what it subtracts from ancestors; then
 * down, Lᵀ x = z. One side, or LLT_STRIP of them as a strip (linalg/block_llt_kernels.h): number k of side i is then at
 * LLT_STRIP k + i. */
#include "base/threads.h"
#include "linalg/block_llt_parts.h"

static void forward_node(block_llt *f, const llt_node *node, double *z) {
    size_t width = f->now_sides, pivots = LLT_STRIP * (size_t)node->pivot_strips, stride = llt_stride(node);
    const double *panel = f->panels + node->panel, *inverses = f->inverses + node->pivots;
    double *own = f->sides + width * 3 * node->begin;
    memcpy(z, own, width * node->columns * sizeof *z);
    memset(z + width * node->columns, 0,
           width * (pivots - node->columns + LLT_STRIP * (size_t)node->row_strips) * sizeof *z);
    for (uint32_t c = node->first_child; c != LLT_NONE; c = f->nodes[c].next) {
        const llt_node *child = &f->nodes[c];
        const double *from = f->vectors + LLT_STRIP * child->vector;
        for (size_t i = 0; i < child->rows / 3; i++, from += 3 * width) {
            size_t at = 3 * (size_t)f->relative[child->below + i];
            double *to = z + width * (at < node->columns ? at : pivots + at - node->columns);
            for (size_t k = 0; k < 3 * width; k++) to[k] += from[k];
        }
    }
    if (width == 1) {
        ISA_SELECT(f->context->isa, llt_forward)
        (panel, stride, node->columns, node->pivot_strips, (size_t)node->pivot_strips + node->row_strips, inverses, z);
    } else {
        ISA_SELECT(f->context->isa, llt_rows)(z, 0, 1, panel, stride, 0, node->pivot_strips, inverses);
        ISA_SELECT(f->context->isa, llt_product)
        (z, 0, 1, panel + node->pivot_strips * stride, stride, node->row_strips, node->columns, z + width * pivots, 0);
    }
    memcpy(own, z, width * node->columns * sizeof *z);
    memcpy(f->vectors + LLT_STRIP * node->vector, z + width * pivots, width * node->rows * sizeof *z);
}

static void backward_node(block_llt *f, const llt_node *node, double *z) {
    size_t width = f->now_sides, pivots = LLT_STRIP * (size_t)node->pivot_strips, stride = llt_stride(node);
    size_t below = LLT_STRIP * (size_t)node->row_strips;
    const double *panel = f->panels + node->panel, *inverses = f->inverses + node->pivots;
    double *own = f->sides + width * 3 * node->begin, *to = z + width * pivots;
    memcpy(z, own, width * node->columns * sizeof *z);
    memset(z + width * node->columns, 0, width * (pivots - node->columns) * sizeof *z);
    for (size_t i = 0; i < node->rows / 3; i++, to += 3 * width)
        memcpy(to, f->sides + width * 3 * f->below[node->below + i], 3 * width * sizeof *z);
    memset(to, 0, width * (below - node->rows) * sizeof *z);
    if (width == 1) {
        ISA_SELECT(f->context->isa, llt_backward)
        (panel, stride, node->columns, node->pivot_strips, (size_t)node->pivot_strips + node->row_strips, inverses, z,
         z + pivots + below);
    } else {
        ISA_SELECT(f->context->isa, llt_product_back)
        (z + width * pivots, 0, 1, panel + node->pivot_strips * stride, stride, node->row_strips, node->pivot_strips, z,
         0);
        ISA_SELECT(f->context->isa, llt_rows_back)(z, 0, 1, panel, stride, node->pivot_strips, inverses);
    }
    memcpy(own, z, width * node->columns * sizeof *z);
}

static void forward_task(void *argument, size_t task) {
    block_llt *f = argument;
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++)
        forward_node(f, &f->nodes[f->members[m]], f->scratch + task * f->scratch_size);
}

static void backward_task(void *argument, size_t task) {
    block_llt *f = argument;
    for (size_t m = f->task_begins[task + 1]; m-- > f->task_begins[task];)
        backward_node(f, &f->nodes[f->members[m]], f->scratch + task * f->scratch_size);
}

static void solve_sides(block_llt *f, size_t width) {
    f->now_sides = width;
    parallel_tasks(f->context, f->task_count, forward_task, f);
    forward_task(f, f->task_count);
    backward_task(f, f->task_count);
    parallel_tasks(f->context, f->task_count, backward_task, f);
}

void block_llt_solve(block_llt *f, vec3 *x) {
    vec3 *sides = (vec3 *)f->sides;
    for (size_t k = 0; k < f->count; k++) sides[k] = x[f->order[k]];
    solve_sides(f, 1);
    for (size_t k = 0; k < f->count; k++) x[f->order[k]] = sides[k];
}

void block_llt_solve_many(block_llt *f, size_t sides, double *x) {
    size_t length = 3 * f->count;
    for (size_t at = 0; at < sides; at += LLT_STRIP) {
        size_t now = sides - at < LLT_STRIP ? sides - at : LLT_STRIP;
        double *group = x + at * length;
        if (now < LLT_STRIP) memset(f->sides, 0, LLT_STRIP * length * sizeof *f->sides);
        for (size_t k = 0; k < length; k++)
            for (size_t i = 0; i < now; i++)
                f->sides[LLT_STRIP * k + i] = group[i * length + 3 * (size_t)f->order[k / 3] + k % 3];
        solve_sides(f, LLT_STRIP);
        for (size_t k = 0; k < length; k++)
            for (size_t i = 0; i < now; i++)
                group[i * length + 3 * (size_t)f->order[k / 3] + k % 3] = f->sides[LLT_STRIP * k + i];
    }
}
