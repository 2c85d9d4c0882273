/* The analysis of a pattern: the elimination tree (Liu 1990), its fundamental supernodes, and their merging with
 * parents where that adds few zeros (Ashcraft and Grimes 1989). All over points; numbers come in threes. */
#include <math.h>

#include "base/sort.h"
#include "linalg/block_llt_parts.h"
#include "linalg/dissect.h"

/* Supernodes are merged when at most this share of the result is zeros, by its columns. */
static double zeros_allowed(double columns) {
    return columns <= 24 ? 0.5 : columns <= 48 ? 0.2 : columns <= 96 ? 0.1 : 0.05;
}

#define TOP_SHARE 24  /* a subtree with more than 1 / TOP_SHARE of the work belongs to the top */
#define TASK_SHARE 32 /* a task has about 1 / TASK_SHARE of it */

typedef struct analysis {
    block_llt *f;
    const uint32_t *offsets, *columns, *sources;    /* sources: NULL: those of entry e are e */
    uint32_t *parents, *counts, *marks, *ancestors; /* (count) of the elimination tree */
    uint32_t *heads, *nexts, *stack;                /* (count) lists of children, by point or supernode */
    uint32_t *first, *width, *height, *node_parent; /* (supernodes) first column, columns, rows with the pivots */
    uint32_t *node_of;                              /* (count) supernode of a column */
    uint32_t *merged;                               /* (supernodes) into which it was merged; itself: not */
    double *zeros;                                  /* (supernodes) */
    uint32_t *sizes;                                /* (count) scratch */
    size_t node_count;
} analysis;

/* ---- The elimination tree. */

static void make_tree(const analysis *a) {
    const block_llt *f = a->f;
    for (uint32_t k = 0; k < f->count; k++) {
        uint32_t row = f->order[k];
        a->parents[k] = a->ancestors[k] = LLT_NONE;
        for (size_t e = a->offsets[row]; e < a->offsets[row + 1]; e++)
            for (uint32_t i = f->place[a->columns[e]], next; i < k; i = next) {
                next = a->ancestors[i];
                a->ancestors[i] = k;
                if (next == LLT_NONE) {
                    a->parents[i] = k;
                    break;
                }
            }
    }
}

/* Lists of children by `parents`, rising. */
static void list_children(const analysis *a, const uint32_t *parents, size_t count) {
    for (size_t k = 0; k < count; k++) a->heads[k] = LLT_NONE;
    for (size_t k = count; k-- > 0;)
        if (parents[k] != LLT_NONE) {
            a->nexts[k] = a->heads[parents[k]];
            a->heads[parents[k]] = (uint32_t)k;
        }
}

/* out[k] is the k-th vertex of a forest, children before their parent; uses up the lists. */
static void postorder(const analysis *a, const uint32_t *parents, size_t count, uint32_t *out) {
    size_t done = 0;
    list_children(a, parents, count);
    for (size_t root = 0; root < count; root++) {
        if (parents[root] != LLT_NONE) continue;
        size_t depth = 0;
        a->stack[depth++] = (uint32_t)root;
        while (depth > 0) {
            uint32_t at = a->stack[depth - 1], child = a->heads[at];
            if (child == LLT_NONE) {
                out[done++] = at;
                depth--;
            } else {
                a->heads[at] = a->nexts[child];
                a->stack[depth++] = child;
            }
        }
    }
}

/* Rows below the diagonal of each column of L. */
static void count_rows(const analysis *a) {
    const block_llt *f = a->f;
    for (uint32_t k = 0; k < f->count; k++) {
        a->counts[k] = 0;
        a->marks[k] = k;
        uint32_t row = f->order[k];
        for (size_t e = a->offsets[row]; e < a->offsets[row + 1]; e++)
            for (uint32_t i = f->place[a->columns[e]]; i < k && a->marks[i] != k; i = a->parents[i]) {
                a->counts[i]++;
                a->marks[i] = k;
            }
    }
}

static void place_points(block_llt *f) {
    for (size_t k = 0; k < f->count; k++) f->place[f->order[k]] = (uint32_t)k;
}

/* Changes the order to one in which `new_order[k]`, a place of the old one, comes k-th. */
static void reorder(const analysis *a, const uint32_t *new_order) {
    for (size_t k = 0; k < a->f->count; k++) a->sizes[k] = a->f->order[new_order[k]];
    memcpy(a->f->order, a->sizes, a->f->count * sizeof *a->sizes);
    place_points(a->f);
}

/* ---- Supernodes. */

static int is_negative(const analysis *a, uint32_t column) { return a->f->order[column] >= a->f->points; }

/* Columns that follow each other in the tree, have the same rows, and pivots of the same sign. */
static void find_supernodes(analysis *a) {
    a->node_count = 0;
    for (uint32_t k = 0; k < a->f->count; k++) {
        if (k == 0 || a->parents[k - 1] != k || a->counts[k - 1] != a->counts[k] + 1 ||
            is_negative(a, k - 1) != is_negative(a, k)) {
            a->first[a->node_count] = k;
            a->width[a->node_count] = 0;
            a->height[a->node_count++] = a->counts[k] + 1;
        }
        a->node_of[k] = (uint32_t)a->node_count - 1;
        a->width[a->node_count - 1]++;
    }
    for (size_t s = 0; s < a->node_count; s++) {
        uint32_t up = a->parents[a->first[s] + a->width[s] - 1];
        a->node_parent[s] = up == LLT_NONE ? LLT_NONE : a->node_of[up];
        a->merged[s] = (uint32_t)s;
        a->zeros[s] = 0;
    }
}

/* Merges a child into its parent if few zeros come of it. */
static int merge(const analysis *a, uint32_t child, uint32_t parent) {
    if (is_negative(a, a->first[child]) != is_negative(a, a->first[parent])) return 0;
    double columns = a->width[child] + a->width[parent], rows = a->width[child] + a->height[parent];
    double zeros = a->zeros[child] + a->zeros[parent] + a->width[child] * (rows - a->height[child]);
    double whole = columns * rows - columns * (columns - 1) / 2;
    if (zeros > whole * zeros_allowed(3 * columns)) return 0;
    a->width[parent] += a->width[child];
    a->height[parent] += a->width[child];
    a->zeros[parent] = zeros;
    a->merged[child] = parent;
    return 1;
}

/* Each supernode with its children, the tallest first: their own children, which become the parent's, are tried too. */
static void merge_supernodes(const analysis *a) {
    list_children(a, a->node_parent, a->node_count);
    for (uint32_t p = 0; p < a->node_count; p++)
        for (int again = 1; again;) {
            uint32_t *best = NULL;
            again = 0;
            for (uint32_t *link = &a->heads[p]; *link != LLT_NONE; link = &a->nexts[*link])
                if (!best || a->height[*link] > a->height[*best]) best = link;
            if (!best) break;
            uint32_t child = *best;
            if (!merge(a, child, p)) break;
            *best = a->nexts[child];
            for (uint32_t c = a->heads[child], next; c != LLT_NONE; c = next) {
                next = a->nexts[c];
                a->nexts[c] = a->heads[p];
                a->heads[p] = c;
            }
            again = 1;
        }
}

static uint32_t merged_into(const analysis *a, uint32_t s) {
    while (a->merged[s] != s) s = a->merged[s];
    return s;
}

/* The parents of what is left, in the same array: LLT_NONE of roots. */
static void lift_parents(const analysis *a) {
    for (uint32_t s = 0; s < a->node_count; s++)
        if (a->node_parent[s] != LLT_NONE) a->node_parent[s] = merged_into(a, a->node_parent[s]);
}

/* Numbers what is left in postorder, and its columns one after another; makes the nodes. */
static ruga_status make_nodes(const analysis *a) {
    block_llt *f = a->f;
    lift_parents(a);
    /* Merged ones are roots of their own, which are skipped. */
    for (uint32_t s = 0; s < a->node_count; s++)
        if (a->merged[s] != s) a->node_parent[s] = LLT_NONE;
    uint32_t *sequence = a->marks, *number = a->ancestors, *front = a->counts;
    postorder(a, a->node_parent, a->node_count, sequence);
    size_t nodes = 0;
    uint32_t begin = 0;
    for (size_t k = 0; k < a->node_count; k++)
        if (a->merged[sequence[k]] == sequence[k]) number[sequence[k]] = (uint32_t)nodes++;
    f->node_count = nodes;
    TRY(NEW_ZEROED(f->context, &f->nodes, nodes));
    for (size_t k = 0; k < a->node_count; k++) {
        uint32_t s = sequence[k];
        if (a->merged[s] != s) continue;
        llt_node *node = &f->nodes[number[s]];
        front[s] = node->begin = begin;
        node->end = begin += a->width[s];
        node->parent = a->node_parent[s] == LLT_NONE ? LLT_NONE : number[a->node_parent[s]];
        node->sign = is_negative(a, a->first[s]) ? -1 : 1;
    }
    /* Columns in their old order within a node. */
    for (uint32_t k = 0; k < f->count; k++) a->stack[front[merged_into(a, a->node_of[k])]++] = k;
    reorder(a, a->stack);
    for (size_t s = 0; s < nodes; s++)
        for (uint32_t k = f->nodes[s].begin; k < f->nodes[s].end; k++) a->node_of[k] = (uint32_t)s;
    return RUGA_OK;
}

static void link_children(block_llt *f) {
    for (size_t s = 0; s < f->node_count; s++) f->nodes[s].first_child = f->nodes[s].next = LLT_NONE;
    for (size_t s = f->node_count; s-- > 0;) {
        uint32_t up = f->nodes[s].parent;
        if (up == LLT_NONE) continue;
        f->nodes[s].next = f->nodes[up].first_child;
        f->nodes[up].first_child = (uint32_t)s;
    }
}

/* ---- Rows of the fronts. */

typedef ARRAY(uint32_t) index_list;

static ruga_status add_row(const analysis *a, const llt_node *node, uint32_t s, uint32_t row, index_list *rows) {
    if (row < node->end || a->marks[row] == s) return RUGA_OK;
    a->marks[row] = s;
    return ARRAY_ADD(a->f->context, rows, row);
}

static ruga_status collect_rows(const analysis *a, uint32_t s, index_list *rows) {
    const block_llt *f = a->f;
    llt_node *node = &f->nodes[s];
    node->below = rows->count;
    for (uint32_t k = node->begin; k < node->end; k++)
        for (size_t e = a->offsets[f->order[k]]; e < a->offsets[f->order[k] + 1]; e++)
            TRY(add_row(a, node, s, f->place[a->columns[e]], rows));
    for (uint32_t c = node->first_child; c != LLT_NONE; c = f->nodes[c].next)
        for (size_t i = 0; i < f->nodes[c].rows / 3; i++)
            TRY(add_row(a, node, s, rows->items[f->nodes[c].below + i], rows));
    size_t count = rows->count - node->below;
    sort_indices(rows->items + node->below, count);
    node->columns = 3 * (node->end - node->begin);
    node->rows = (uint32_t)(3 * count);
    node->pivot_strips = (uint32_t)llt_strips(node->columns);
    node->row_strips = (uint32_t)llt_strips(node->rows);
    return RUGA_OK;
}

/* Rows of each child's update as rows of its parent's front. */
static ruga_status relate_rows(const analysis *a) {
    block_llt *f = a->f;
    size_t all = 0;
    for (size_t s = 0; s < f->node_count; s++) all += f->nodes[s].rows / 3;
    TRY(NEW(f->context, &f->relative, all));
    uint32_t *position = a->marks;
    for (size_t s = 0; s < f->node_count; s++) {
        const llt_node *node = &f->nodes[s];
        uint32_t columns = node->end - node->begin;
        for (uint32_t k = node->begin; k < node->end; k++) position[k] = k - node->begin;
        for (uint32_t i = 0; i < node->rows / 3; i++) position[f->below[node->below + i]] = columns + i;
        for (uint32_t c = node->first_child; c != LLT_NONE; c = f->nodes[c].next)
            for (size_t i = 0; i < f->nodes[c].rows / 3; i++)
                f->relative[f->nodes[c].below + i] = position[f->below[f->nodes[c].below + i]];
    }
    return RUGA_OK;
}

static ruga_status find_rows(const analysis *a) {
    block_llt *f = a->f;
    index_list rows = {0};
    ruga_status status = RUGA_OK;
    for (size_t k = 0; k < f->count; k++) a->marks[k] = LLT_NONE;
    for (uint32_t s = 0; s < f->node_count && !RUGA_FAILED(status); s++) status = collect_rows(a, s, &rows);
    if (RUGA_FAILED(status)) {
        ARRAY_RELEASE(f->context, &rows);
        return status;
    }
    f->below = rows.items;
    if (!f->below) TRY(NEW(f->context, &f->below, 1));
    return relate_rows(a);
}

/* Where the blocks of A go: those of the lower triangle, in the order of elimination. */
static ruga_status list_entries(const analysis *a) {
    block_llt *f = a->f;
    TRY(NEW(f->context, &f->entries, a->offsets[f->count]));
    size_t filled = 0;
    uint32_t *position = a->marks;
    for (size_t s = 0; s < f->node_count; s++) {
        llt_node *node = &f->nodes[s];
        for (uint32_t k = node->begin; k < node->end; k++) position[k] = 3 * (k - node->begin);
        for (uint32_t i = 0; i < node->rows / 3; i++)
            position[f->below[node->below + i]] = LLT_STRIP * node->pivot_strips + 3 * i;
        node->first_entry = filled;
        for (uint32_t k = node->begin; k < node->end; k++) {
            uint32_t point = f->order[k];
            int has_diagonal = 0;
            /* The blocks of column `point` are those of its row, transposed. */
            for (uint32_t e = a->offsets[point]; e < a->offsets[point + 1]; e++) {
                uint32_t row = f->place[a->columns[e]];
                has_diagonal |= row == k;
                if (row < k || point >= f->points) continue;
                f->entries[filled++] =
                    (llt_entry){a->sources ? a->sources[e] : e, position[row], 3 * (k - node->begin)};
            }
            if (!has_diagonal)
                return fail_input(f->context, "row %u of a block matrix has no diagonal block; add it to the pattern",
                                  point);
        }
        node->last_entry = filled;
    }
    return RUGA_OK;
}

/* ---- Tasks and places. */

static double work_of(const llt_node *node) {
    double columns = node->columns, rows = node->rows;
    return columns * columns * columns / 3 + columns * columns * rows + columns * rows * rows;
}

/* Cuts the tree. A node below the top has the task of its root, so roots come first: downwards. */
static ruga_status assign_tasks(block_llt *f) {
    double *work, whole = 0, filled = 0;
    TRY(NEW_ZEROED(f->context, &work, f->node_count));
    for (size_t s = 0; s < f->node_count; s++) {
        double own = work_of(&f->nodes[s]);
        work[s] += own;
        whole += own;
        if (f->nodes[s].parent != LLT_NONE) work[f->nodes[s].parent] += work[s];
    }
    f->task_count = 0;
    for (size_t s = f->node_count; s-- > 0;) {
        llt_node *node = &f->nodes[s];
        int is_root = node->parent == LLT_NONE || f->nodes[node->parent].task == LLT_NONE;
        node->task = LLT_NONE;
        if (!is_root) {
            node->task = f->nodes[node->parent].task;
        } else if (work[s] * TOP_SHARE <= whole) {
            if (f->task_count == 0 || filled * TASK_SHARE > whole) {
                f->task_count++;
                filled = 0;
            }
            node->task = (uint32_t)f->task_count - 1;
            filled += work[s];
        }
    }
    memory_release(f->context, work);
    return RUGA_OK;
}

static ruga_status list_tasks(block_llt *f) {
    TRY(assign_tasks(f));
    TRY(NEW_ZEROED(f->context, &f->task_begins, f->task_count + 3));
    TRY(NEW(f->context, &f->members, f->node_count));
    size_t *fronts = f->task_begins + 1;
    for (size_t s = 0; s < f->node_count; s++) {
        if (f->nodes[s].task == LLT_NONE) f->nodes[s].task = (uint32_t)f->task_count;
        fronts[f->nodes[s].task + 1]++;
    }
    for (size_t t = 0; t <= f->task_count; t++) fronts[t + 1] += fronts[t];
    for (size_t s = 0; s < f->node_count; s++) f->members[fronts[f->nodes[s].task]++] = (uint32_t)s;
    return RUGA_OK;
}

static size_t stack_task(const block_llt *f, size_t task, size_t begin, const size_t *sizes, size_t *places) {
    size_t heights[2] = {0, 0}, most[2] = {0, 0};
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++) {
        uint32_t s = f->members[m];
        int which = f->nodes[s].is_odd;
        places[s] = heights[which];
        heights[which] += sizes[s];
        if (heights[which] > most[which]) most[which] = heights[which];
        for (uint32_t c = f->nodes[s].first_child; c != LLT_NONE; c = f->nodes[c].next)
            if (f->nodes[c].task == task) heights[1 - which] -= sizes[c];
    }
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++)
        places[f->members[m]] += begin + (f->nodes[f->members[m]].is_odd ? most[0] : 0);
    return begin + most[0] + most[1];
}

size_t block_llt_stack(const block_llt *f, const size_t *sizes, size_t *places) {
    size_t end = 0;
    for (size_t t = 0; t <= f->task_count; t++) end = stack_task(f, t, end, sizes, places);
    return end;
}

static ruga_status place_updates(block_llt *f, size_t *end) {
    size_t *sizes, *places = NULL;
    TRY(NEW(f->context, &sizes, f->node_count));
    TRY_OR(NEW(f->context, &places, f->node_count), memory_release(f->context, sizes));
    for (size_t s = f->node_count; s-- > 0;) {
        llt_node *node = &f->nodes[s];
        node->is_odd = node->parent != LLT_NONE && !f->nodes[node->parent].is_odd;
        sizes[s] = llt_triangle(node->row_strips);
    }
    *end = block_llt_stack(f, sizes, places);
    for (size_t s = 0; s < f->node_count; s++) f->nodes[s].update = places[s];
    RELEASE_ALL(f->context, sizes, places);
    return RUGA_OK;
}

static ruga_status place_numbers(block_llt *f) {
    size_t panels = 0, pivots = 0, vectors = 0, updates = 0, most_strips = 0, most_pivots = 0;
    for (size_t s = 0; s < f->node_count; s++) {
        llt_node *node = &f->nodes[s];
        size_t strips = (size_t)node->pivot_strips + node->row_strips;
        node->panel = panels;
        node->pivots = pivots;
        node->vector = vectors;
        panels += strips * llt_stride(node);
        pivots += LLT_STRIP * (size_t)node->pivot_strips;
        vectors += LLT_STRIP * (size_t)node->row_strips;
        if (strips > most_strips) most_strips = strips;
        if (node->pivot_strips > most_pivots) most_pivots = node->pivot_strips;
        double columns = node->columns, rows = node->rows;
        f->size.entries += columns * (columns + 1) / 2 + columns * rows;
        f->size.work += work_of(node);
    }
    if (f->size.work >= f->most_work) return RUGA_OK;
    TRY(place_updates(f, &updates));
    f->size.stored = (double)panels;
    f->size.supernodes = f->node_count;
    f->size.tasks = f->task_count;
    f->most_rows = LLT_STRIP * most_strips;
    f->scratch_size = LLT_SQUARE * (most_strips + most_pivots);
    TRY(NEW_ALIGNED(f->context, &f->panels, panels));
    TRY(NEW_ALIGNED(f->context, &f->updates, updates));
    TRY(NEW_ALIGNED(f->context, &f->vectors, LLT_STRIP * vectors));
    TRY(NEW_ALIGNED(f->context, &f->sides, LLT_STRIP * 3 * f->count));
    TRY(NEW_ALIGNED(f->context, &f->scratch, (f->task_count + 1) * f->scratch_size));
    TRY(NEW_EACH(f->context, pivots, &f->inverses, &f->limits));
    TRY(NEW(f->context, &f->scatter, (f->task_count + 1) * 3 * f->most_rows));
    if (f->points < f->count) TRY(NEW(f->context, &f->signs, pivots));
    return NEW_EACH(f->context, f->task_count + 1, &f->failed_node, &f->failed_column, &f->surplus);
}

/* ---- All of it. */

/* From an order of elimination to the tree of supernodes. */
static ruga_status analyse_tree(analysis *a) {
    block_llt *f = a->f;
    ruga_context *context = f->context;
    TRY(NEW_EACH(context, f->count, &a->parents, &a->counts, &a->marks, &a->ancestors));
    TRY(NEW_EACH(context, f->count, &a->heads, &a->nexts, &a->stack, &a->sizes));
    TRY(NEW_EACH(context, f->count, &a->first, &a->width, &a->height, &a->node_parent));
    TRY(NEW_EACH(context, f->count, &a->node_of, &a->merged, &a->zeros));
    place_points(f);
    make_tree(a);
    postorder(a, a->parents, f->count, a->marks);
    reorder(a, a->marks);
    make_tree(a);
    count_rows(a);
    find_supernodes(a);
    merge_supernodes(a);
    return make_nodes(a);
}

static void release_tree(analysis *a) {
    RELEASE_ALL(a->f->context, a->parents, a->counts, a->marks, a->ancestors, a->heads, a->nexts, a->stack, a->sizes,
                a->first, a->width, a->height, a->node_parent, a->node_of, a->merged, a->zeros);
}

static ruga_status analyse_rows(analysis *a) {
    TRY(analyse_tree(a));
    link_children(a->f);
    TRY(find_rows(a));
    TRY(list_entries(a));
    TRY(list_tasks(a->f));
    return place_numbers(a->f);
}

static ruga_status analyse_order(block_llt *f, const uint32_t *offsets, const uint32_t *columns,
                                 const uint32_t *sources) {
    analysis a = {.f = f, .offsets = offsets, .columns = columns, .sources = sources};
    ruga_status status = analyse_rows(&a);
    release_tree(&a);
    return status;
}

static ruga_status make_order(block_llt *f) { return NEW_EACH(f->context, f->count, &f->order, &f->place); }

ruga_status block_llt_analyse(block_llt *f, const uint32_t *offsets, const uint32_t *columns) {
    TRY(make_order(f));
    TRY(dissect_graph(f->context, f->count, offsets, columns, f->order));
    return analyse_order(f, offsets, columns, NULL);
}

/* ---- Saddle points. */

/* The pattern of [A Hᵀ; H 0], for the analysis alone. */
typedef struct saddle_pattern {
    uint32_t *offsets, *columns, *sources;
    uint32_t *fronts; /* (points + rows) scratch */
} saddle_pattern;

static ruga_status make_saddle_pattern(const block_llt *f, const uint32_t *offsets, const uint32_t *columns,
                                       const block_llt_rows *rows, saddle_pattern *p) {
    const size_t own = offsets[f->points], entries = rows->offsets[rows->count];
    TRY(NEW_ZEROED(f->context, &p->offsets, f->count + 1));
    TRY(NEW(f->context, &p->fronts, f->count));
    TRY(NEW_EACH(f->context, own + 2 * entries + rows->count, &p->columns, &p->sources));
    for (size_t e = 0; e < entries; e++) p->offsets[rows->points[e] + 1]++;
    for (size_t i = 0; i < f->points; i++) p->offsets[i + 1] += offsets[i + 1] - offsets[i];
    for (size_t k = 0; k < rows->count; k++)
        p->offsets[f->points + k + 1] = rows->offsets[k + 1] - rows->offsets[k] + 1;
    for (size_t i = 0; i < f->count; i++) p->offsets[i + 1] += p->offsets[i];
    memcpy(p->fronts, p->offsets, f->count * sizeof *p->fronts);
    for (size_t i = 0; i < f->points; i++)
        for (uint32_t e = offsets[i]; e < offsets[i + 1]; e++) {
            p->columns[p->fronts[i]] = columns[e];
            p->sources[p->fronts[i]++] = e;
        }
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t *mine = &p->fronts[f->points + k];
        for (uint32_t e = rows->offsets[k]; e < rows->offsets[k + 1]; e++) {
            p->columns[p->fronts[rows->points[e]]] = (uint32_t)(f->points + k);
            p->sources[p->fronts[rows->points[e]]++] = (uint32_t)(own + e);
            p->columns[(*mine)++] = rows->points[e];
        }
        p->columns[(*mine)++] = (uint32_t)(f->points + k);
    }
    return RUGA_OK;
}

/* Constraints come behind the supernode that has the last of their points: before that their pivot may be zero. */
static ruga_status insert_rows(block_llt *f, const block_llt *points, const block_llt_rows *rows) {
    uint32_t *heads = NULL, *nexts = NULL;
    ruga_status status = NEW(f->context, &heads, points->count);
    if (!RUGA_FAILED(status)) status = NEW(f->context, &nexts, rows->count);
    if (!RUGA_FAILED(status)) {
        size_t filled = 0;
        for (size_t k = 0; k < points->count; k++) heads[k] = LLT_NONE;
        for (size_t k = rows->count; k-- > 0;) {
            uint32_t last = 0;
            for (uint32_t e = rows->offsets[k]; e < rows->offsets[k + 1]; e++)
                if (points->place[rows->points[e]] > last) last = points->place[rows->points[e]];
            nexts[k] = heads[last];
            heads[last] = (uint32_t)k;
        }
        for (size_t s = 0; s < points->node_count; s++) {
            const llt_node *node = &points->nodes[s];
            for (uint32_t k = node->begin; k < node->end; k++) f->order[filled++] = points->order[k];
            for (uint32_t k = node->begin; k < node->end; k++)
                for (uint32_t row = heads[k]; row != LLT_NONE; row = nexts[row])
                    f->order[filled++] = (uint32_t)(f->points + row);
        }
    }
    RELEASE_ALL(f->context, heads, nexts);
    return status;
}

/* The order of points alone, as of a factor of A. */
static ruga_status order_points(block_llt *points, const uint32_t *offsets, const uint32_t *columns) {
    analysis a = {.f = points, .offsets = offsets, .columns = columns};
    TRY(make_order(points));
    TRY(dissect_graph(points->context, points->count, offsets, columns, points->order));
    ruga_status status = analyse_tree(&a);
    release_tree(&a);
    return status;
}

ruga_status block_llt_analyse_saddle(block_llt *f, const uint32_t *offsets, const uint32_t *columns,
                                     const block_llt_rows *rows) {
    block_llt points = {.context = f->context, .count = f->points, .points = f->points};
    saddle_pattern p = {0};
    TRY(make_order(f));
    ruga_status status = order_points(&points, offsets, columns);
    if (!RUGA_FAILED(status)) status = insert_rows(f, &points, rows);
    if (!RUGA_FAILED(status)) status = make_saddle_pattern(f, offsets, columns, rows, &p);
    if (!RUGA_FAILED(status)) status = analyse_order(f, p.offsets, p.columns, p.sources);
    RELEASE_ALL(f->context, points.order, points.place, points.nodes, p.offsets, p.columns, p.sources, p.fronts);
    return status;
}
