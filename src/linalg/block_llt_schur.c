/* The rows of H are appended to the fronts as rows that are never eliminated: with A = L Lᵀ, the rows X = H L⁻ᵀ of such
 * a factor give S = X Xᵀ. A node has the rows of H that touch its subtree, its `active` ones, three sides each, in
 * strips (linalg/block_llt_kernels.h) over the columns of its front. It solves for its pivots, subtracts the products
 * from the columns of the rows below, and hands those to its parent.
 *
 * Each task adds up its part of S over its own active rows; tasks are added in order, then the top. */
#include "linalg/block_llt_schur.h"

#include "base/sort.h"
#include "base/threads.h"
#include "linalg/block_llt_parts.h"

#define STRIP_PIECE 3 /* strips of sides that threads share in the top */

/* An entry of H in a node. */
typedef struct schur_entry {
    uint32_t source, active, column;
} schur_entry;

struct block_llt_schur {
    block_llt *f;
    size_t rows;
    const uint32_t *offsets, *points;
    size_t *begins;       /* (nodes + 1) into the next three */
    uint32_t *active;     /* rows of H, rising in a node */
    uint32_t *in_parent;  /* the same as places among those of the parent */
    uint32_t *in_task;    /* and among those of its task; of the top: the row itself */
    size_t *entry_begins; /* (nodes + 1) */
    schur_entry *entries; /* (entries of H) */
    size_t *places;       /* (nodes) in `stacks`: what is handed to the parent */
    double *stacks;
    size_t *task_begins; /* (tasks + 1) into task_rows */
    uint32_t *task_rows; /* rows of H of each task, rising */
    size_t *sum_begins;  /* (tasks + 1) */
    double *sums;        /* of each task: a square of 3 x its rows, whose lower triangle is used */
    size_t *scratch_begins;
    double *scratch; /* of each task and the top: sides of a front, then a triangle */
    /* During a call. */
    const double *weights;
    double *out;
    uint32_t node, child; /* of the top */
};

static size_t active_count(const block_llt_schur *c, size_t s) { return c->begins[s + 1] - c->begins[s]; }
static size_t side_strips(const block_llt_schur *c, size_t s) { return llt_strips(3 * active_count(c, s)); }
static size_t side_stride(const llt_node *node) { return LLT_SQUARE * ((size_t)node->pivot_strips + node->row_strips); }

/* ---- The pattern. */

typedef ARRAY(uint32_t) index_list;

static ruga_status sort_entries(block_llt_schur *c, uint32_t *node_of) {
    const block_llt *f = c->f;
    size_t *fronts = c->entry_begins + 1;
    for (size_t s = 0; s < f->node_count; s++)
        for (uint32_t k = f->nodes[s].begin; k < f->nodes[s].end; k++) node_of[k] = (uint32_t)s;
    for (size_t e = 0; e < c->offsets[c->rows]; e++) {
        if (c->points[e] >= f->count)
            return fail_input(f->context, "a constraint names point %u of %zu", c->points[e], f->count);
        fronts[node_of[f->place[c->points[e]]] + 1]++;
    }
    for (size_t s = 0; s < f->node_count; s++) fronts[s + 1] += fronts[s];
    for (uint32_t i = 0; i < c->rows; i++)
        for (uint32_t e = c->offsets[i]; e < c->offsets[i + 1]; e++) {
            uint32_t k = f->place[c->points[e]], s = node_of[k];
            c->entries[fronts[s]++] = (schur_entry){e, i, 3 * (k - f->nodes[s].begin)};
        }
    return RUGA_OK;
}

static ruga_status add_once(ruga_context *context, uint32_t *marks, uint32_t mark, uint32_t row, index_list *rows) {
    if (marks[row] == mark) return RUGA_OK;
    marks[row] = mark;
    return ARRAY_ADD(context, rows, row);
}

/* Active rows of each node: those of its columns, and of its children. Entries then name their place among them. */
static ruga_status find_active(block_llt_schur *c, uint32_t *marks, uint32_t *where, index_list *rows) {
    const block_llt *f = c->f;
    for (size_t i = 0; i < c->rows; i++) marks[i] = LLT_NONE;
    for (uint32_t s = 0; s < f->node_count; s++) {
        c->begins[s] = rows->count;
        for (size_t e = c->entry_begins[s]; e < c->entry_begins[s + 1]; e++)
            TRY(add_once(f->context, marks, s, c->entries[e].active, rows));
        for (uint32_t child = f->nodes[s].first_child; child != LLT_NONE; child = f->nodes[child].next)
            for (size_t k = c->begins[child]; k < c->begins[child + 1]; k++)
                TRY(add_once(f->context, marks, s, rows->items[k], rows));
        c->begins[s + 1] = rows->count;
        sort_indices(rows->items + c->begins[s], active_count(c, s));
        for (size_t k = c->begins[s]; k < rows->count; k++) where[rows->items[k]] = (uint32_t)(k - c->begins[s]);
        for (size_t e = c->entry_begins[s]; e < c->entry_begins[s + 1]; e++)
            c->entries[e].active = where[c->entries[e].active];
    }
    return RUGA_OK;
}

static void relate_active(block_llt_schur *c, uint32_t *where) {
    const block_llt *f = c->f;
    for (uint32_t s = 0; s < f->node_count; s++) {
        for (size_t k = c->begins[s]; k < c->begins[s + 1]; k++) where[c->active[k]] = (uint32_t)(k - c->begins[s]);
        for (uint32_t child = f->nodes[s].first_child; child != LLT_NONE; child = f->nodes[child].next)
            for (size_t k = c->begins[child]; k < c->begins[child + 1]; k++) c->in_parent[k] = where[c->active[k]];
    }
}

/* Rows of each task, and where those of its nodes are among them. */
static ruga_status list_task_rows(block_llt_schur *c, uint32_t *marks, uint32_t *where, index_list *rows) {
    const block_llt *f = c->f;
    for (size_t i = 0; i < c->rows; i++) marks[i] = LLT_NONE;
    c->sum_begins[0] = c->task_begins[0] = 0;
    for (size_t t = 0; t <= f->task_count; t++) {
        size_t first = rows->count;
        for (size_t m = f->task_begins[t]; m < f->task_begins[t + 1] && t < f->task_count; m++)
            for (size_t k = c->begins[f->members[m]]; k < c->begins[f->members[m] + 1]; k++)
                TRY(add_once(f->context, marks, (uint32_t)t, c->active[k], rows));
        sort_indices(rows->items + first, rows->count - first);
        for (size_t k = first; k < rows->count; k++) where[rows->items[k]] = (uint32_t)(k - first);
        for (size_t m = f->task_begins[t]; m < f->task_begins[t + 1]; m++)
            for (size_t k = c->begins[f->members[m]]; k < c->begins[f->members[m] + 1]; k++)
                c->in_task[k] = t < f->task_count ? where[c->active[k]] : c->active[k];
        size_t side = 3 * (rows->count - first);
        c->task_begins[t + 1] = rows->count;
        c->sum_begins[t + 1] = c->sum_begins[t] + side * side;
    }
    return RUGA_OK;
}

static ruga_status place_numbers(block_llt_schur *c) {
    const block_llt *f = c->f;
    size_t *sizes;
    TRY(NEW(f->context, &sizes, f->node_count));
    for (size_t s = 0; s < f->node_count; s++) sizes[s] = side_strips(c, s) * LLT_SQUARE * f->nodes[s].row_strips;
    size_t end = block_llt_stack(f, sizes, c->places);
    memory_release(f->context, sizes);
    c->scratch_begins[0] = 0;
    for (size_t t = 0; t <= f->task_count; t++) {
        size_t most = 0;
        for (size_t m = f->task_begins[t]; m < f->task_begins[t + 1]; m++) {
            size_t s = f->members[m], strips = side_strips(c, s);
            size_t size = strips * side_stride(&f->nodes[s]) + llt_triangle(strips);
            if (size > most) most = size;
        }
        c->scratch_begins[t + 1] = c->scratch_begins[t] + most;
    }
    TRY(NEW_ALIGNED(f->context, &c->stacks, end));
    TRY(NEW_ALIGNED(f->context, &c->scratch, c->scratch_begins[f->task_count + 1]));
    return NEW(f->context, &c->sums, c->sum_begins[f->task_count + 1]);
}

/* scratch: three arrays of indices. */
static ruga_status make_with(block_llt_schur *c, uint32_t *node_of, uint32_t *marks, uint32_t *where) {
    const block_llt *f = c->f;
    index_list active = {0}, task_rows = {0};
    TRY(sort_entries(c, node_of));
    ruga_status status = find_active(c, marks, where, &active);
    c->active = active.items;
    TRY(status);
    TRY(NEW_EACH(f->context, active.count, &c->in_parent, &c->in_task));
    relate_active(c, where);
    status = list_task_rows(c, marks, where, &task_rows);
    c->task_rows = task_rows.items;
    TRY(status);
    return place_numbers(c);
}

static ruga_status make(block_llt_schur *c) {
    const block_llt *f = c->f;
    uint32_t *node_of = NULL, *marks = NULL, *where = NULL;
    TRY(NEW_ZEROED(f->context, &c->entry_begins, f->node_count + 2));
    TRY(NEW(f->context, &c->entries, c->offsets[c->rows]));
    TRY(NEW_EACH(f->context, f->node_count + 1, &c->begins, &c->places));
    TRY(NEW_EACH(f->context, f->task_count + 2, &c->task_begins, &c->sum_begins, &c->scratch_begins));
    ruga_status status = NEW(f->context, &node_of, f->count);
    if (!RUGA_FAILED(status)) status = NEW_EACH(f->context, c->rows, &marks, &where);
    if (!RUGA_FAILED(status)) status = make_with(c, node_of, marks, where);
    RELEASE_ALL(f->context, node_of, marks, where);
    return status;
}

ruga_status block_llt_schur_create(block_llt *f, size_t rows, const uint32_t *offsets, const uint32_t *points,
                                   block_llt_schur **out) {
    block_llt_schur *c;
    TRY(NEW_ZEROED(f->context, &c, 1));
    c->f = f;
    c->rows = rows;
    c->offsets = offsets;
    c->points = points;
    RETURN_MADE(make(c), c, out, block_llt_schur_destroy(c));
}

void block_llt_schur_destroy(block_llt_schur *c) {
    if (!c) return;
    ruga_context *context = c->f->context;
    memory_release_aligned(context, c->stacks);
    memory_release_aligned(context, c->scratch);
    RELEASE_ALL(context, c->begins, c->active, c->in_parent, c->in_task, c->entry_begins, c->entries, c->places,
                c->task_begins, c->task_rows, c->sum_begins, c->sums, c->scratch_begins, c);
}

/* ---- Numbers. Sides [first, last), in strips. */

static double *sides_of(const block_llt_schur *c, uint32_t s) {
    return c->scratch + c->scratch_begins[c->f->nodes[s].task];
}

static void begin_node(const block_llt_schur *c, uint32_t s) {
    const llt_node *node = &c->f->nodes[s];
    size_t stride = side_stride(node), strips = side_strips(c, s);
    double *z = sides_of(c, s);
    memset(z, 0, (strips * stride + llt_triangle(strips)) * sizeof *z);
    for (size_t e = c->entry_begins[s]; e < c->entry_begins[s + 1]; e++)
        for (size_t axis = 0; axis < 3; axis++) {
            size_t side = 3 * (size_t)c->entries[e].active + axis, column = c->entries[e].column + axis;
            z[side / LLT_STRIP * stride + LLT_STRIP * column + side % LLT_STRIP] += c->weights[c->entries[e].source];
        }
}

/* Adds strips of a child's sides. */
static void add_child(const block_llt_schur *c, uint32_t s, uint32_t child, size_t first, size_t last) {
    const block_llt *f = c->f;
    const llt_node *node = &f->nodes[s], *from_node = &f->nodes[child];
    size_t pad = LLT_STRIP * (size_t)node->pivot_strips - node->columns, all = 3 * active_count(c, child);
    for (size_t t = first; t < last; t++) {
        const double *from = c->stacks + c->places[child] + t * LLT_SQUARE * from_node->row_strips;
        double *to[LLT_STRIP];
        size_t lanes = all - LLT_STRIP * t < LLT_STRIP ? all - LLT_STRIP * t : LLT_STRIP;
        for (size_t k = 0; k < lanes; k++) {
            size_t old = LLT_STRIP * t + k, side = 3 * (size_t)c->in_parent[c->begins[child] + old / 3] + old % 3;
            to[k] = sides_of(c, s) + side / LLT_STRIP * side_stride(node) + side % LLT_STRIP;
        }
        for (size_t i = 0; i < from_node->rows; i++, from += LLT_STRIP) {
            size_t at = 3 * (size_t)f->relative[from_node->below + i / 3] + i % 3;
            at = LLT_STRIP * (at < node->columns ? at : at + pad);
            for (size_t k = 0; k < lanes; k++) to[k][at] += from[k];
        }
    }
}

/* Solves for the pivots and passes on the rest. */
static void solve_sides(const block_llt_schur *c, uint32_t s, size_t first, size_t last) {
    const block_llt *f = c->f;
    const llt_node *node = &f->nodes[s];
    const double *panel = f->panels + node->panel;
    size_t stride = llt_stride(node), sides = side_stride(node), below = LLT_SQUARE * (size_t)node->row_strips;
    double *z = sides_of(c, s) + first * sides, *handed = c->stacks + c->places[s] + first * below;
    ISA_SELECT(f->context->isa, llt_rows)
    (z, sides, last - first, panel, stride, 0, node->pivot_strips, f->inverses + node->pivots, NULL);
    ISA_SELECT(f->context->isa, llt_product)
    (z, sides, last - first, panel + node->pivot_strips * stride, stride, node->row_strips, node->columns, z + stride,
     sides);
    for (size_t t = 0; t < last - first; t++)
        memcpy(handed + t * below, z + t * sides + stride, below * sizeof *handed);
}

/* Strips of X Xᵀ of a node, added to the sums of its task or to S. */
static void add_square(const block_llt_schur *c, uint32_t s, size_t first, size_t last) {
    const block_llt *f = c->f;
    const llt_node *node = &f->nodes[s];
    size_t task = node->task, sides = side_stride(node), all = 3 * active_count(c, s);
    const double *z = sides_of(c, s);
    double *triangle = sides_of(c, s) + side_strips(c, s) * sides;
    const uint32_t *place = c->in_task + c->begins[s];
    size_t side = task < f->task_count ? 3 * (c->task_begins[task + 1] - c->task_begins[task]) : 0;
    ISA_SELECT(f->context->isa, llt_update)(z, sides, node->columns, NULL, first, last, triangle);
    for (size_t i = LLT_STRIP * first; i < LLT_STRIP * last && i < all; i++) {
        size_t row = place[i / 3], r = i % 3;
        const double *from = triangle + llt_triangle(i / LLT_STRIP) + i % LLT_STRIP;
        if (task < f->task_count) {
            double *to = c->sums + c->sum_begins[task] + (3 * row + r) * side;
            for (size_t j = 0; j <= i; j++) to[3 * place[j / 3] + j % 3] -= from[LLT_STRIP * j];
        } else {
            double *to = c->out + 9 * row * c->rows + r;
            for (size_t j = 0; j <= i; j++) to[9 * (size_t)place[j / 3] + 3 * (j % 3)] -= from[LLT_STRIP * j];
        }
    }
}

static void make_task(void *argument, size_t task) {
    const block_llt_schur *c = argument;
    const block_llt *f = c->f;
    memset(c->sums + c->sum_begins[task], 0, (c->sum_begins[task + 1] - c->sum_begins[task]) * sizeof *c->sums);
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++) {
        uint32_t s = f->members[m];
        if (active_count(c, s) == 0) continue;
        begin_node(c, s);
        for (uint32_t child = f->nodes[s].first_child; child != LLT_NONE; child = f->nodes[child].next)
            add_child(c, s, child, 0, side_strips(c, child));
        solve_sides(c, s, 0, side_strips(c, s));
        add_square(c, s, 0, side_strips(c, s));
    }
}

/* ---- The top, in threads. */

static void add_child_piece(void *argument, size_t index) {
    const block_llt_schur *c = argument;
    size_t first = STRIP_PIECE * index, all = side_strips(c, c->child);
    add_child(c, c->node, c->child, first, first + STRIP_PIECE < all ? first + STRIP_PIECE : all);
}

static void solve_piece(void *argument, size_t index) {
    const block_llt_schur *c = argument;
    size_t first = STRIP_PIECE * index, all = side_strips(c, c->node);
    solve_sides(c, c->node, first, first + STRIP_PIECE < all ? first + STRIP_PIECE : all);
}

static void square_piece(void *argument, size_t index) {
    const block_llt_schur *c = argument;
    size_t first = STRIP_PIECE * index, all = side_strips(c, c->node);
    add_square(c, c->node, first, first + STRIP_PIECE < all ? first + STRIP_PIECE : all);
}

static void make_top(block_llt_schur *c) {
    const block_llt *f = c->f;
    for (size_t m = f->task_begins[f->task_count]; m < f->task_begins[f->task_count + 1]; m++) {
        uint32_t s = c->node = f->members[m];
        size_t pieces = (side_strips(c, s) + STRIP_PIECE - 1) / STRIP_PIECE;
        begin_node(c, s);
        for (c->child = f->nodes[s].first_child; c->child != LLT_NONE; c->child = f->nodes[c->child].next)
            parallel_tasks(f->context, (side_strips(c, c->child) + STRIP_PIECE - 1) / STRIP_PIECE, add_child_piece, c);
        parallel_tasks(f->context, pieces, solve_piece, c);
        parallel_tasks(f->context, pieces, square_piece, c);
    }
}

/* ---- All of it. */

static void add_task(const block_llt_schur *c, size_t task) {
    size_t count = c->task_begins[task + 1] - c->task_begins[task];
    const uint32_t *rows = c->task_rows + c->task_begins[task];
    const double *sum = c->sums + c->sum_begins[task];
    for (size_t i = 0; i < 3 * count; i++, sum += 3 * count) {
        double *to = c->out + 9 * (size_t)rows[i / 3] * c->rows + i % 3;
        for (size_t j = 0; j <= i; j++) to[9 * (size_t)rows[j / 3] + 3 * (j % 3)] += sum[j];
    }
}

/* The upper triangle is the lower. */
static void mirror(const block_llt_schur *c) {
    for (size_t i = 0; i < c->rows; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *low = c->out + 9 * (i * c->rows + j);
            double *high = c->out + 9 * (j * c->rows + i);
            for (size_t k = 0; k < 9; k++)
                if (i != j || k / 3 < k % 3) high[3 * (k % 3) + k / 3] = low[k];
        }
}

void block_llt_schur_make(block_llt_schur *c, const double *weights, double *out) {
    c->weights = weights;
    c->out = out;
    memset(out, 0, 9 * c->rows * c->rows * sizeof *out);
    parallel_tasks(c->f->context, c->f->task_count, make_task, c);
    for (size_t t = 0; t < c->f->task_count; t++) add_task(c, t);
    make_top(c);
    mirror(c);
}
