/* Solves with a factor: up the tree, L z = b, each node handing to its parent what it subtracts from ancestors; then
 * down, Lᵀ x = z. One side, or LLT_STRIP of them as a strip (linalg/block_llt_kernels.h): number k of side i is then at
 * LLT_STRIP k + i. */
#include "base/threads.h"
#include "linalg/block_llt_parts.h"

#define PIECE 8 /* strips of a front of the top that threads share */

static double *front_of(const block_llt *f, uint32_t s) {
    return f->scratch + (size_t)f->nodes[s].task * f->scratch_size;
}

static size_t pivot_numbers(const llt_node *node) { return LLT_STRIP * (size_t)node->pivot_strips; }

/* Behind the numbers of a front: sums of one side. */
static double *sums_of(const block_llt *f, uint32_t s) {
    return front_of(f, s) + pivot_numbers(&f->nodes[s]) + LLT_STRIP * (size_t)f->nodes[s].row_strips;
}

static size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

/* ---- Up. */

/* The right-hand side of a node's columns, and what its children hand to it. */
static void gather_front(const block_llt *f, uint32_t s) {
    const llt_node *node = &f->nodes[s];
    size_t width = f->now_sides, pivots = pivot_numbers(node);
    double *z = front_of(f, s);
    memcpy(z, f->sides + width * 3 * node->begin, width * node->columns * sizeof *z);
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
}

static void solve_up(const block_llt *f, uint32_t s) {
    const llt_node *node = &f->nodes[s];
    const double *panel = f->panels + node->panel, *inverses = f->inverses + node->pivots;
    size_t stride = llt_stride(node);
    double *z = front_of(f, s);
    if (f->now_sides == 1)
        ISA_SELECT(f->context->isa, llt_forward)(panel, stride, node->pivot_strips, inverses, z);
    else
        ISA_SELECT(f->context->isa, llt_rows)(z, 0, 1, panel, stride, 0, node->pivot_strips, inverses, NULL);
    double *to = f->sides + f->now_sides * 3 * node->begin;
    memcpy(to, z, f->now_sides * node->columns * sizeof *z);
    if (!f->signs) return;
    const double *signs = f->signs + node->pivots;
    for (size_t k = 0; k < f->now_sides * node->columns; k++) to[k] *= node->sign * signs[k / f->now_sides];
}

/* Strips [first, last) of the rows below. */
static void subtract_rows(const block_llt *f, uint32_t s, size_t first, size_t last) {
    const llt_node *node = &f->nodes[s];
    const double *panel = f->panels + node->panel;
    size_t stride = llt_stride(node), pivots = node->pivot_strips;
    double *z = front_of(f, s);
    if (f->now_sides == 1) {
        ISA_SELECT(f->context->isa, llt_forward_rows)
        (panel, stride, node->columns, pivots + first, pivots + last, z);
    } else {
        ISA_SELECT(f->context->isa, llt_product)
        (z, 0, 1, panel + (pivots + first) * stride, stride, last - first, node->columns,
         z + LLT_SQUARE * (pivots + first), 0);
    }
}

static void hand_up(const block_llt *f, uint32_t s) {
    const llt_node *node = &f->nodes[s];
    memcpy(f->vectors + LLT_STRIP * node->vector, front_of(f, s) + f->now_sides * pivot_numbers(node),
           f->now_sides * node->rows * sizeof(double));
}

static void forward_task(void *argument, size_t task) {
    const block_llt *f = argument;
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++) {
        uint32_t s = f->members[m];
        gather_front(f, s);
        solve_up(f, s);
        subtract_rows(f, s, 0, f->nodes[s].row_strips);
        hand_up(f, s);
    }
}

static void subtract_piece(void *argument, size_t index) {
    const block_llt *f = argument;
    size_t first = PIECE * index;
    subtract_rows(f, f->front, first, lesser(first + PIECE, f->nodes[f->front].row_strips));
}

static void forward_top(block_llt *f) {
    for (size_t m = f->task_begins[f->task_count]; m < f->task_begins[f->task_count + 1]; m++) {
        uint32_t s = f->front = f->members[m];
        gather_front(f, s);
        solve_up(f, s);
        parallel_tasks(f->context, (f->nodes[s].row_strips + PIECE - 1) / PIECE, subtract_piece, f);
        hand_up(f, s);
    }
}

/* ---- Down. */

/* The solution of a node's rows below, and what its columns have become going up. */
static void scatter_front(const block_llt *f, uint32_t s) {
    const llt_node *node = &f->nodes[s];
    size_t width = f->now_sides, pivots = pivot_numbers(node), below = LLT_STRIP * (size_t)node->row_strips;
    double *z = front_of(f, s), *to = z + width * pivots;
    memcpy(z, f->sides + width * 3 * node->begin, width * node->columns * sizeof *z);
    memset(z + width * node->columns, 0, width * (pivots - node->columns) * sizeof *z);
    for (size_t i = 0; i < node->rows / 3; i++, to += 3 * width)
        memcpy(to, f->sides + width * 3 * f->below[node->below + i], 3 * width * sizeof *z);
    memset(to, 0, width * (below - node->rows) * sizeof *z);
}

/* Subtracts the products of the rows below from the pivots of the strips [first, last). */
static void subtract_columns(const block_llt *f, uint32_t s, size_t first, size_t last) {
    const llt_node *node = &f->nodes[s];
    const double *panel = f->panels + node->panel;
    size_t stride = llt_stride(node), pivots = node->pivot_strips;
    double *z = front_of(f, s);
    if (f->now_sides == 1) {
        ISA_SELECT(f->context->isa, llt_backward_rows)
        (panel, stride, first, last, pivots, pivots + node->row_strips, z, sums_of(f, s));
    } else {
        ISA_SELECT(f->context->isa, llt_product_back)
        (z + LLT_SQUARE * pivots, 0, 1, panel + pivots * stride + LLT_SQUARE * first, stride, node->row_strips,
         last - first, z + LLT_SQUARE * first, 0);
    }
}

static void solve_down(const block_llt *f, uint32_t s) {
    const llt_node *node = &f->nodes[s];
    const double *panel = f->panels + node->panel, *inverses = f->inverses + node->pivots;
    size_t stride = llt_stride(node);
    double *z = front_of(f, s);
    if (f->now_sides == 1)
        ISA_SELECT(f->context->isa, llt_backward)(panel, stride, node->pivot_strips, inverses, z, sums_of(f, s));
    else
        ISA_SELECT(f->context->isa, llt_rows_back)(z, 0, 1, panel, stride, node->pivot_strips, inverses);
    memcpy(f->sides + f->now_sides * 3 * node->begin, z, f->now_sides * node->columns * sizeof *z);
}

static void backward_task(void *argument, size_t task) {
    const block_llt *f = argument;
    for (size_t m = f->task_begins[task + 1]; m-- > f->task_begins[task];) {
        uint32_t s = f->members[m];
        scatter_front(f, s);
        subtract_columns(f, s, 0, f->nodes[s].pivot_strips);
        solve_down(f, s);
    }
}

static void subtract_column_piece(void *argument, size_t index) {
    const block_llt *f = argument;
    size_t first = PIECE * index;
    subtract_columns(f, f->front, first, lesser(first + PIECE, f->nodes[f->front].pivot_strips));
}

static void backward_top(block_llt *f) {
    for (size_t m = f->task_begins[f->task_count + 1]; m-- > f->task_begins[f->task_count];) {
        uint32_t s = f->front = f->members[m];
        scatter_front(f, s);
        parallel_tasks(f->context, (f->nodes[s].pivot_strips + PIECE - 1) / PIECE, subtract_column_piece, f);
        solve_down(f, s);
    }
}

/* ---- Both. */

static void solve_sides(block_llt *f, size_t width) {
    f->now_sides = width;
    parallel_tasks(f->context, f->task_count, forward_task, f);
    forward_top(f);
    backward_top(f);
    parallel_tasks(f->context, f->task_count, backward_task, f);
}

void block_llt_solve(block_llt *f, vec3 *x) {
    vec3 *sides = (vec3 *)f->sides;
    for (size_t k = 0; k < f->count; k++) sides[k] = x[f->order[k]];
    solve_sides(f, 1);
    for (size_t k = 0; k < f->count; k++) x[f->order[k]] = sides[k];
}

void block_llt_solve_saddle(block_llt *f, vec3 *x, vec3 *y) {
    vec3 *sides = (vec3 *)f->sides;
    for (size_t k = 0; k < f->count; k++)
        sides[k] = f->order[k] < f->points ? x[f->order[k]] : y[f->order[k] - f->points];
    solve_sides(f, 1);
    for (size_t k = 0; k < f->count; k++)
        *(f->order[k] < f->points ? &x[f->order[k]] : &y[f->order[k] - f->points]) = sides[k];
}

void block_llt_solve_many(block_llt *f, size_t sides, double *x) {
    size_t length = 3 * f->count;
    for (size_t at = 0; at < sides; at += LLT_STRIP) {
        size_t now = lesser(sides - at, LLT_STRIP);
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
