/* The numbers of a factor: fronts are assembled, their pivots eliminated, and what is left handed to the parent. */
#include "linalg/block_llt.h"

#include <math.h>

#include "base/threads.h"
#include "linalg/block_llt_parts.h"

#define LEAST_PIVOT 1e-14 /* of its diagonal: below that the sign of a pivot is that of its rounding */

/* Pieces of a front of the top that threads share, in strips. */
#define PIVOT_PIECE 12
#define ROW_PIECE 6
#define UPDATE_PIECE 3
#define CHILD_PIECE 4

ruga_status block_llt_create(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                             block_llt **out) {
    double work;
    return block_llt_create_below(context, count, offsets, columns, INFINITY, &work, out);
}

ruga_status block_llt_create_below(ruga_context *context, size_t count, const uint32_t *offsets,
                                   const uint32_t *columns, double most_work, double *work, block_llt **out) {
    block_llt *f;
    *out = NULL;
    *work = 0;
    TRY(NEW_ZEROED(context, &f, 1));
    f->context = context;
    f->count = f->points = count;
    f->block_count = offsets[count];
    f->most_work = most_work;
    const ruga_status status = block_llt_analyse(f, offsets, columns);
    *work = f->size.work;
    if (!RUGA_FAILED(status) && *work < most_work)
        *out = f;
    else
        block_llt_destroy(f);
    return status;
}

ruga_status block_llt_create_saddle(ruga_context *context, size_t count, const uint32_t *offsets,
                                    const uint32_t *columns, const block_llt_rows *rows, block_llt **out) {
    block_llt *f;
    for (size_t e = 0; e < rows->offsets[rows->count]; e++)
        if (rows->points[e] >= count)
            return fail_input(context, "a constraint names point %u of %zu", rows->points[e], count);
    TRY(NEW_ZEROED(context, &f, 1));
    f->context = context;
    f->count = count + rows->count;
    f->points = count;
    f->block_count = offsets[count];
    f->most_work = INFINITY;
    RETURN_MADE(block_llt_analyse_saddle(f, offsets, columns, rows), f, out, block_llt_destroy(f));
}

void block_llt_destroy(block_llt *f) {
    if (!f) return;
    memory_release_aligned(f->context, f->panels);
    memory_release_aligned(f->context, f->updates);
    memory_release_aligned(f->context, f->vectors);
    memory_release_aligned(f->context, f->sides);
    memory_release_aligned(f->context, f->scratch);
    RELEASE_ALL(f->context, f->order, f->place, f->nodes, f->below, f->relative, f->entries, f->inverses, f->limits,
                f->signs, f->surplus, f->scatter, f->task_begins, f->members, f->failed_node, f->failed_column, f);
}

size_t block_llt_failed_row(const block_llt *f) { return f->failed_row; }

block_llt_size block_llt_measure(const block_llt *f) { return f->size; }

static size_t pieces_of(size_t count, size_t piece) { return (count + piece - 1) / piece; }

/* ---- Assembly. */

/* Sets strips of a front to zero. */
static void clear_strips(block_llt *f, const llt_node *node, size_t first, size_t last) {
    size_t stride = llt_stride(node), pivots = node->pivot_strips;
    size_t begin = llt_triangle(first > pivots ? first - pivots : 0),
           end = llt_triangle(last > pivots ? last - pivots : 0);
    memset(f->panels + node->panel + first * stride, 0, (last - first) * stride * sizeof(double));
    memset(f->updates + node->update + begin, 0, (end - begin) * sizeof(double));
}

static void clear_piece(void *argument, size_t index) {
    block_llt *f = argument;
    const llt_node *node = &f->nodes[f->front];
    size_t all = (size_t)node->pivot_strips + node->row_strips, first = ROW_PIECE * index;
    clear_strips(f, node, first, first + ROW_PIECE < all ? first + ROW_PIECE : all);
}

static double *panel_at(double *panel, size_t stride, size_t row, size_t column) {
    return panel + row / LLT_STRIP * stride + LLT_STRIP * column + row % LLT_STRIP;
}

/* The blocks of A and H, and the shift. The columns of constraints have none of their own. */
static void add_entries(block_llt *f, const llt_node *node) {
    double *panel = f->panels + node->panel;
    size_t stride = llt_stride(node);
    for (size_t e = node->first_entry; e < node->last_entry; e++) {
        const llt_entry *entry = &f->entries[e];
        if (entry->source >= f->block_count) {
            for (uint32_t r = 0; r < 3; r++)
                *panel_at(panel, stride, entry->row + r, entry->column + r) +=
                    f->row_weights[entry->source - f->block_count];
            continue;
        }
        const double *block = f->blocks + 9 * (size_t)entry->source;
        for (uint32_t r = entry->row; r < entry->row + 3; r++, block += 3) {
            double *at = panel_at(panel, stride, r, entry->column);
            for (int c = 0; c < 3; c++) at[LLT_STRIP * c] += block[c];
        }
    }
    for (size_t k = 0; k < node->columns; k++) {
        double *diagonal = panel_at(panel, stride, k, k);
        if (node->sign < 0)
            *diagonal += f->softness;
        else if (f->shift != 0)
            *diagonal += f->shift * (f->weights ? f->weights[f->order[node->begin + k / 3]] : 1);
        f->limits[node->pivots + k] = fmax(0, LEAST_PIVOT * *diagonal);
    }
    for (size_t k = 0; f->signs && k < LLT_STRIP * (size_t)node->pivot_strips; k++) f->signs[node->pivots + k] = 1;
}

/* Where the rows of a child's update go in its parent's front: columns, rows of the panel, rows of the update. */
static size_t *scatter_rows(const block_llt *f, const llt_node *node, const llt_node *child) {
    size_t *columns = f->scatter + (size_t)node->task * 3 * f->most_rows;
    size_t *panel_rows = columns + f->most_rows, *update_rows = panel_rows + f->most_rows;
    for (size_t i = 0; i < child->rows; i++) {
        size_t at = 3 * (size_t)f->relative[child->below + i / 3] + i % 3;
        size_t below = at < node->columns ? 0 : at - node->columns;
        size_t row = at < node->columns ? at : LLT_STRIP * (size_t)node->pivot_strips + below;
        columns[i] = LLT_STRIP * (at < node->columns ? at : below);
        panel_rows[i] = row / LLT_STRIP * llt_stride(node) + row % LLT_STRIP;
        update_rows[i] = llt_triangle(below / LLT_STRIP) + below % LLT_STRIP;
    }
    return columns;
}

/* Adds strips of a child's update to its parent's front. */
static void add_child_strips(block_llt *f, const llt_node *node, const llt_node *child, size_t first, size_t last) {
    const size_t *columns = f->scatter + (size_t)node->task * 3 * f->most_rows;
    const size_t *panel_rows = columns + f->most_rows, *update_rows = panel_rows + f->most_rows;
    double *panel = f->panels + node->panel, *update = f->updates + node->update;
    const double sign = node->sign * child->sign;
    size_t split = 0; /* columns that are pivots of the parent */
    while (split < child->rows && 3 * (size_t)f->relative[child->below + split / 3] < node->columns) split += 3;
    for (size_t t = first; t < last; t++) {
        const double *from = f->updates + child->update + llt_triangle(t);
        size_t begin = LLT_STRIP * t, end = child->rows < begin + LLT_STRIP ? child->rows : begin + LLT_STRIP;
        for (size_t j = 0; j < end; j++, from += LLT_STRIP) {
            double *to = (j < split ? panel : update) + columns[j];
            const size_t *rows = j < split ? panel_rows : update_rows;
            for (size_t i = j > begin ? j : begin; i < end; i++) to[rows[i]] += sign * from[i - begin];
        }
    }
}

static void add_child_piece(void *argument, size_t index) {
    block_llt *f = argument;
    const llt_node *child = &f->nodes[f->child];
    size_t first = CHILD_PIECE * index, last = first + CHILD_PIECE;
    add_child_strips(f, &f->nodes[f->front], child, first, last < child->row_strips ? last : child->row_strips);
}

static void assemble(block_llt *f, uint32_t s, int in_top) {
    const llt_node *node = &f->nodes[s];
    size_t strips = (size_t)node->pivot_strips + node->row_strips;
    if (in_top)
        parallel_tasks(f->context, pieces_of(strips, ROW_PIECE), clear_piece, f);
    else
        clear_strips(f, node, 0, strips);
    add_entries(f, node);
    for (uint32_t c = node->first_child; c != LLT_NONE; c = f->nodes[c].next) {
        const llt_node *child = &f->nodes[c];
        scatter_rows(f, node, child);
        if (in_top) {
            f->child = c;
            parallel_tasks(f->context, pieces_of(child->row_strips, CHILD_PIECE), add_child_piece, f);
        } else {
            add_child_strips(f, node, child, 0, child->row_strips);
        }
    }
}

/* ---- Elimination. */

static double *signs_of(const block_llt *f, const llt_node *node) { return f->signs ? f->signs + node->pivots : NULL; }

/* NULL as long as no pivot of the node has the other sign: the loops without signs are faster. */
static const double *mixed_signs(const block_llt *f, const llt_node *node) {
    const double *signs = signs_of(f, node);
    for (size_t k = 0; signs && k < node->columns; k++)
        if (signs[k] < 0) return signs;
    return NULL;
}

static size_t make_pivots(block_llt *f, const llt_node *node, size_t first, size_t last) {
    return ISA_SELECT(f->context->isa, llt_pivots)(f->panels + node->panel, llt_stride(node), node->columns, first,
                                                   last, f->limits + node->pivots, f->inverses + node->pivots,
                                                   signs_of(f, node));
}

/* Rows from strip `begin` on, of the columns of the pivots of strips [first, last). */
static void make_rows(block_llt *f, const llt_node *node, size_t begin, size_t end, size_t first, size_t last) {
    double *panel = f->panels + node->panel;
    size_t stride = llt_stride(node);
    ISA_SELECT(f->context->isa, llt_rows)
    (panel + begin * stride, stride, end - begin, panel, stride, first, last, f->inverses + node->pivots,
     mixed_signs(f, node));
}

static void make_update(block_llt *f, const llt_node *node, size_t first, size_t last) {
    size_t stride = llt_stride(node);
    ISA_SELECT(f->context->isa, llt_update)
    (f->panels + node->panel + node->pivot_strips * stride, stride, node->columns, mixed_signs(f, node), first, last,
     f->updates + node->update);
}

static void make_row_piece(void *argument, size_t index) {
    block_llt *f = argument;
    const llt_node *node = &f->nodes[f->front];
    size_t all = (size_t)node->pivot_strips + node->row_strips, begin = f->last_strip + ROW_PIECE * index;
    make_rows(f, node, begin, begin + ROW_PIECE < all ? begin + ROW_PIECE : all, f->first_strip, f->last_strip);
}

/* The longest strips first. */
static void make_update_piece(void *argument, size_t index) {
    block_llt *f = argument;
    const llt_node *node = &f->nodes[f->front];
    size_t first = UPDATE_PIECE * (pieces_of(node->row_strips, UPDATE_PIECE) - 1 - index);
    size_t last = first + UPDATE_PIECE < node->row_strips ? first + UPDATE_PIECE : node->row_strips;
    make_update(f, node, first, last);
}

/* A front near the root, in threads. Returns the column of a pivot that is not positive, SIZE_MAX if there is none. */
static size_t eliminate_together(block_llt *f, const llt_node *node) {
    size_t all = (size_t)node->pivot_strips + node->row_strips;
    for (f->first_strip = 0; f->first_strip < node->pivot_strips; f->first_strip = f->last_strip) {
        size_t last = f->first_strip + PIVOT_PIECE;
        f->last_strip = last < node->pivot_strips ? last : node->pivot_strips;
        size_t failed = make_pivots(f, node, f->first_strip, f->last_strip);
        if (failed != SIZE_MAX) return failed;
        parallel_tasks(f->context, pieces_of(all - f->last_strip, ROW_PIECE), make_row_piece, f);
    }
    parallel_tasks(f->context, pieces_of(node->row_strips, UPDATE_PIECE), make_update_piece, f);
    return SIZE_MAX;
}

static size_t eliminate_alone(block_llt *f, const llt_node *node) {
    size_t pivots = node->pivot_strips, failed = make_pivots(f, node, 0, pivots);
    if (failed != SIZE_MAX) return failed;
    make_rows(f, node, pivots, pivots + node->row_strips, 0, pivots);
    make_update(f, node, 0, node->row_strips);
    return SIZE_MAX;
}

/* Pivots that do not have the wanted sign. */
static int count_other(const block_llt *f, const llt_node *node) {
    int count = 0;
    for (size_t k = 0; f->signs && k < node->columns; k++) count += f->signs[node->pivots + k] < 0;
    return count;
}

/* The nodes of a task, or of the top, up to a pivot that fails. */
static void factor_task(void *argument, size_t task) {
    block_llt *f = argument;
    int in_top = task == f->task_count;
    f->failed_node[task] = LLT_NONE;
    f->surplus[task] = 0;
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++) {
        uint32_t s = f->members[m];
        if (in_top) f->front = s;
        assemble(f, s, in_top);
        size_t failed = in_top ? eliminate_together(f, &f->nodes[s]) : eliminate_alone(f, &f->nodes[s]);
        if (failed == SIZE_MAX) {
            f->surplus[task] += f->nodes[s].sign * count_other(f, &f->nodes[s]);
            continue;
        }
        f->failed_node[task] = s;
        f->failed_column[task] = failed;
        return;
    }
}

/* Notes the first of the pivots that failed; 0 if one did. */
static int check_pivots(block_llt *f) {
    size_t worst = f->task_count;
    for (size_t t = 0; t <= f->task_count; t++)
        if (f->failed_node[t] < f->failed_node[worst]) worst = t;
    uint32_t s = f->failed_node[worst];
    if (s == LLT_NONE) return 1;
    f->failed_row = 3 * (size_t)f->order[f->nodes[s].begin + f->failed_column[worst] / 3] + f->failed_column[worst] % 3;
    return 0;
}

int block_llt_factor(block_llt *f, const double *blocks, double shift, const double *weights) {
    return block_llt_factor_saddle(f, blocks, shift, weights, NULL, 0);
}

int block_llt_factor_saddle(block_llt *f, const double *blocks, double shift, const double *weights,
                            const double *row_weights, double softness) {
    f->blocks = blocks;
    f->shift = shift;
    f->weights = weights;
    f->row_weights = row_weights;
    f->softness = softness;
    f->failed_node[f->task_count] = LLT_NONE;
    parallel_tasks(f->context, f->task_count, factor_task, f);
    if (!check_pivots(f)) return 0;
    factor_task(f, f->task_count);
    if (!check_pivots(f)) return 0;
    int surplus = 0;
    for (size_t t = 0; t <= f->task_count; t++) surplus += f->surplus[t];
    return surplus == 0;
}
