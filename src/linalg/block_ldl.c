/* The up-looking factorisation of linalg/ldl.c with blocks: row k of L solves a triangular system with the rows before
 * it. As the pattern never changes, the entries of every row are listed beforehand.
 *
 * Tasks. Vertices whose subtree of the elimination tree has a large share of the work are the `top`; the subtrees below
 * it are packed into tasks, none of which needs anything of another. Within a task rows follow each other. A row of the
 * top first eliminates the columns of every task, side by side, each into scratch of its own; then the sums of all are
 * added in order, and the columns of the top are eliminated. Solves follow the same order: tasks, top, top, tasks. The
 * scratch of a task has a slot for every vertex of the top, followed by its own vertices. */
#include "linalg/block_ldl.h"

#include <math.h>

#include "base/threads.h"
#include "linalg/block_ldl_kernels.h"
#include "linalg/dissect.h"

#define NO_PARENT UINT32_MAX
#define TOP_SHARE 8   /* a subtree with more than 1 / TOP_SHARE of the work belongs to the top */
#define TASK_SHARE 16 /* a task has about 1 / TASK_SHARE of it */

struct block_ldl {
    ruga_context *context;
    size_t count;
    const uint32_t *offsets, *columns; /* of A, the caller's */
    uint32_t *order, *place;           /* (count) row k of the factor is row order[k] of A; place is its inverse */
    uint32_t *parents;                 /* (count) elimination tree */
    size_t *begins;                    /* (count + 1) columns of L */
    uint32_t *rows, *slots;            /* (entries) by columns, rising; and their slots in the scratch of the column */
    size_t *row_begins;                /* (count + 1) the same by rows: tasks one after another, then the top */
    uint32_t *row_columns;             /* (entries) */
    size_t *row_entries;               /* (entries) place among the columns */
    double *entries;                   /* (entries x LDL_PACKED) transposed */
    float *float_entries;              /* the same */
    double *inverses;                  /* (count x LDL_NUMBERS) D⁻¹ */
    float *float_inverses;             /* (count x LDL_PACKED) */

    size_t task_count, top_count;
    uint32_t *task_of;      /* (count) task_count: the top */
    uint32_t *slot_of;      /* (count) in the scratch of its task */
    size_t *task_begins;    /* (task_count + 2) into members: rows of each task, then those of the top */
    uint32_t *members;      /* (count) rising within a task */
    size_t *scratch_begins; /* (task_count + 2) slots */
    size_t *top_row_begins; /* (top_count x (task_count + 2)) ranges of a row of the top by task */
    double *scratch;        /* (slots x LDL_NUMBERS) zero between uses */
    double *pivots;         /* ((task_count + 1) x LDL_NUMBERS) of the current row */
    float *vectors;         /* (slots x LDL_STRIDE) */
    uint32_t *marks;        /* (count) scratch of the analysis */
    unsigned char *failed;  /* (task_count + 1) */
    unsigned char *stale;   /* (count) rows of the factor that have to be made */
    int is_factored;
    const double *values; /* during a factorisation */
    uint32_t row;         /* of the top, during its elimination */
    float *solution;      /* during a solve */
};

/* ---- The pattern. */

/* Climbs the tree from every entry of every row: counts the entries of columns, or lists their rows. */
static void climb(block_ldl *f, size_t *ends, int list) {
    for (size_t k = 0; k < f->count; k++) {
        if (!list) f->parents[k] = NO_PARENT;
        f->marks[k] = (uint32_t)k;
        uint32_t row = f->order[k];
        for (size_t e = f->offsets[row]; e < f->offsets[row + 1]; e++)
            for (uint32_t i = f->place[f->columns[e]]; i < k && f->marks[i] != k; i = f->parents[i]) {
                if (f->parents[i] == NO_PARENT) f->parents[i] = (uint32_t)k;
                if (list) f->rows[ends[i]] = (uint32_t)k;
                ends[i]++;
                f->marks[i] = (uint32_t)k;
            }
    }
}

static ruga_status list_columns(block_ldl *f) {
    size_t *ends;
    TRY(NEW_ZEROED(f->context, &ends, f->count));
    for (size_t i = 0; i < f->count; i++) f->marks[i] = UINT32_MAX;
    climb(f, ends, 0);
    f->begins[0] = 0;
    for (size_t k = 0; k < f->count; k++) {
        f->begins[k + 1] = f->begins[k] + ends[k];
        ends[k] = f->begins[k];
    }
    ruga_status status = NEW(f->context, &f->rows, f->begins[f->count]);
    for (size_t i = 0; i < f->count; i++) f->marks[i] = UINT32_MAX;
    if (!RUGA_FAILED(status)) climb(f, ends, 1);
    memory_release(f->context, ends);
    return status;
}

/* ---- Tasks. */

/* Work of the subtree of each vertex, and of all. */
static double weigh_subtrees(const block_ldl *f, double *work) {
    double whole = 0;
    for (size_t k = 0; k < f->count; k++) {
        double column = (double)(f->begins[k + 1] - f->begins[k] + 1);
        work[k] = column * column;
        whole += work[k];
    }
    for (size_t k = 0; k < f->count; k++)
        if (f->parents[k] != NO_PARENT) work[f->parents[k]] += work[k];
    return whole;
}

/* Cuts the tree. A vertex below the top has the task of its root, so roots come first: downwards. */
static void assign_tasks(block_ldl *f, const double *work, double whole) {
    enum { TOP = 0xffffffffu };
    double filled = 0;
    f->task_count = 0;
    for (size_t k = f->count; k-- > 0;) {
        int is_root = f->parents[k] == NO_PARENT || f->task_of[f->parents[k]] == TOP;
        f->task_of[k] = TOP;
        if (is_root && work[k] * TOP_SHARE > whole) continue;
        if (!is_root) {
            f->task_of[k] = f->task_of[f->parents[k]];
            continue;
        }
        if (f->task_count == 0 || filled * TASK_SHARE > whole) {
            f->task_count++;
            filled = 0;
        }
        f->task_of[k] = (uint32_t)f->task_count - 1;
        filled += work[k];
    }
    for (size_t k = 0; k < f->count; k++)
        if (f->task_of[k] == TOP) f->task_of[k] = (uint32_t)f->task_count;
}

static ruga_status make_tasks(block_ldl *f) {
    ruga_context *context = f->context;
    double *work;
    TRY(NEW_EACH(context, f->count, &f->task_of, &f->slot_of, &f->members, &work));
    assign_tasks(f, work, weigh_subtrees(f, work));
    memory_release(context, work);
    TRY(NEW_ZEROED(context, &f->task_begins, f->task_count + 3));
    TRY(NEW(context, &f->scratch_begins, f->task_count + 2));
    size_t *fronts = f->task_begins + 1;
    for (size_t k = 0; k < f->count; k++) fronts[f->task_of[k] + 1]++;
    for (size_t s = 0; s <= f->task_count; s++) fronts[s + 1] += fronts[s];
    f->top_count = f->count - fronts[f->task_count];
    for (size_t k = 0; k < f->count; k++) f->members[fronts[f->task_of[k]]++] = (uint32_t)k;
    for (size_t s = 0; s <= f->task_count; s++)
        for (size_t m = f->task_begins[s]; m < f->task_begins[s + 1]; m++)
            f->slot_of[f->members[m]] = (uint32_t)((s < f->task_count ? f->top_count : 0) + (m - f->task_begins[s]));
    f->scratch_begins[0] = 0;
    for (size_t s = 0; s <= f->task_count; s++)
        f->scratch_begins[s + 1] =
            f->scratch_begins[s] + (s < f->task_count ? f->top_count : 0) + (f->task_begins[s + 1] - f->task_begins[s]);
    return RUGA_OK;
}

/* Rows of L, from its columns in the order of the tasks. */
static ruga_status list_rows(block_ldl *f) {
    ruga_context *context = f->context;
    size_t entries = f->begins[f->count];
    TRY(NEW_EACH(context, entries, &f->slots, &f->row_columns, &f->row_entries));
    TRY(NEW_ZEROED(context, &f->row_begins, f->count + 2));
    TRY(NEW(context, &f->top_row_begins, f->top_count * (f->task_count + 2)));
    size_t *fronts = f->row_begins + 1;
    for (size_t e = 0; e < entries; e++) {
        f->slots[e] = f->slot_of[f->rows[e]];
        fronts[f->rows[e] + 1]++;
    }
    for (size_t k = 0; k < f->count; k++) fronts[k + 1] += fronts[k];
    for (size_t s = 0; s <= f->task_count; s++) {
        for (size_t t = 0; t < f->top_count; t++)
            f->top_row_begins[t * (f->task_count + 2) + s] = fronts[f->members[f->task_begins[f->task_count] + t]];
        for (size_t m = f->task_begins[s]; m < f->task_begins[s + 1]; m++) {
            uint32_t i = f->members[m];
            for (size_t e = f->begins[i]; e < f->begins[i + 1]; e++) {
                f->row_columns[fronts[f->rows[e]]] = i;
                f->row_entries[fronts[f->rows[e]]++] = e;
            }
        }
    }
    for (size_t t = 0; t < f->top_count; t++)
        f->top_row_begins[t * (f->task_count + 2) + f->task_count + 1] =
            fronts[f->members[f->task_begins[f->task_count] + t]];
    return RUGA_OK;
}

static ruga_status make(block_ldl *f) {
    ruga_context *context = f->context;
    size_t n = f->count;
    TRY(NEW_EACH(context, n, &f->order, &f->place, &f->parents, &f->marks));
    TRY(NEW(context, &f->begins, n + 1));
    TRY(dissect_graph(context, n, f->offsets, f->columns, f->order));
    for (size_t k = 0; k < n; k++) f->place[f->order[k]] = (uint32_t)k;
    TRY(list_columns(f));
    TRY(make_tasks(f));
    TRY(list_rows(f));
    size_t entries = f->begins[n], slots = f->scratch_begins[f->task_count + 1];
    TRY(NEW_ALIGNED_ZEROED(context, &f->entries, LDL_PACKED * entries + LDL_STRIDE));
    TRY(NEW_ALIGNED_ZEROED(context, &f->float_entries, LDL_PACKED * entries + LDL_STRIDE));
    TRY(NEW_ALIGNED_ZEROED(context, &f->inverses, LDL_NUMBERS * n));
    TRY(NEW_ALIGNED_ZEROED(context, &f->float_inverses, LDL_PACKED * n + LDL_STRIDE));
    TRY(NEW_ALIGNED_ZEROED(context, &f->scratch, LDL_NUMBERS * slots));
    TRY(NEW_ALIGNED_ZEROED(context, &f->vectors, LDL_STRIDE * slots));
    TRY(NEW_ALIGNED_ZEROED(context, &f->pivots, LDL_NUMBERS * (f->task_count + 1)));
    TRY(NEW(context, &f->stale, n));
    return NEW(context, &f->failed, f->task_count + 1);
}

ruga_status block_ldl_create(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                             block_ldl **out) {
    block_ldl *f;
    TRY(NEW_ZEROED(context, &f, 1));
    f->context = context;
    f->count = count;
    f->offsets = offsets;
    f->columns = columns;
    RETURN_MADE(make(f), f, out, block_ldl_destroy(f));
}

void block_ldl_destroy(block_ldl *f) {
    if (!f) return;
    RELEASE_ALL(f->context, f->order, f->place, f->parents, f->marks, f->begins, f->rows, f->slots, f->row_begins,
                f->row_columns, f->row_entries, f->task_of, f->slot_of, f->task_begins, f->members, f->scratch_begins,
                f->top_row_begins, f->failed, f->stale);
    void *aligned[] = {f->entries, f->float_entries, f->inverses, f->float_inverses, f->scratch, f->vectors, f->pivots};
    for (size_t k = 0; k < sizeof aligned / sizeof aligned[0]; k++) memory_release_aligned(f->context, aligned[k]);
    memory_release(f->context, f);
}

size_t block_ldl_entry_count(const block_ldl *f) { return f->begins[f->count]; }

/* ---- Values. */

/* The inverse of a symmetric positive definite block by its factor L Lᵀ; returns 0 where it is not definite. */
static int invert(const double *block, double *inverse) {
    double l[LDL_SIDE][LDL_SIDE] = {{0}}, m[LDL_SIDE][LDL_SIDE] = {{0}};
    for (int j = 0; j < LDL_SIDE; j++)
        for (int i = j; i < LDL_SIDE; i++) {
            double sum = block[LDL_STRIDE * i + j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0 && isfinite(sum))) return 0;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    /* m = L⁻¹ */
    for (int j = 0; j < LDL_SIDE; j++)
        for (int i = j; i < LDL_SIDE; i++) {
            double sum = i == j;
            for (int k = j; k < i; k++) sum -= l[i][k] * m[k][j];
            m[i][j] = sum / l[i][i];
        }
    for (int i = 0; i < LDL_SIDE; i++)
        for (int j = 0; j < LDL_SIDE; j++) {
            double sum = 0;
            for (int k = i > j ? i : j; k < LDL_SIDE; k++) sum += m[k][i] * m[k][j];
            inverse[LDL_STRIDE * i + j] = sum;
        }
    return 1;
}

static void add_numbers(const double *in, double *out) {
    for (int k = 0; k < LDL_NUMBERS; k++) out[k] += in[k];
}

/* Adds the entries of row k of A whose columns belong to a task into its scratch, and the diagonal into the pivot. */
static void scatter_row(block_ldl *f, size_t k, size_t task, double *pivot) {
    double *scratch = f->scratch + LDL_NUMBERS * f->scratch_begins[task];
    uint32_t row = f->order[k];
    for (size_t e = f->offsets[row]; e < f->offsets[row + 1]; e++) {
        uint32_t i = f->place[f->columns[e]];
        const double *value = f->values + LDL_NUMBERS * e;
        if (i == k && f->task_of[k] == task) add_numbers(value, pivot);
        if (i < k && f->task_of[i] == task) add_numbers(value, scratch + LDL_NUMBERS * (size_t)f->slot_of[i]);
    }
}

/* Eliminates the entries [begin, end) of a row's list, which belong to one task. */
static void eliminate(block_ldl *f, size_t task, size_t begin, size_t end, double *pivot) {
    double *scratch = f->scratch + LDL_NUMBERS * f->scratch_begins[task], y[LDL_NUMBERS];
    for (size_t e = begin; e < end; e++) {
        uint32_t i = f->row_columns[e];
        size_t entry = f->row_entries[e], first = f->begins[i];
        double *at = scratch + LDL_NUMBERS * (size_t)f->slot_of[i];
        memcpy(y, at, sizeof y);
        memset(at, 0, sizeof y);
        ISA_SELECT(f->context->isa, ldl_eliminate)
        (y, f->entries + LDL_PACKED * first, f->slots + first, entry - first, scratch);
        ISA_SELECT(f->context->isa, ldl_finish_entry)
        (y, f->inverses + LDL_NUMBERS * (size_t)i, f->entries + LDL_PACKED * entry,
         f->float_entries + LDL_PACKED * entry, pivot);
    }
}

/* The end of row k; returns 0 where the pivot is not definite. */
static int finish_row(block_ldl *f, size_t k, const double *pivot) {
    double *inverse = f->inverses + LDL_NUMBERS * k;
    if (!invert(pivot, inverse)) return 0;
    for (size_t r = 0; r < LDL_SIDE; r++)
        for (size_t c = 0; c < LDL_SIDE; c++)
            f->float_inverses[LDL_PACKED * k + LDL_SIDE * r + c] = (float)inverse[LDL_STRIDE * r + c];
    return 1;
}

/* All rows of a task. After a failure its scratch is not zero: block_ldl_factor clears it. */
static void factor_task(void *argument, size_t task) {
    block_ldl *f = argument;
    f->failed[task] = 0;
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++) {
        size_t k = f->members[m];
        double pivot[LDL_NUMBERS] = {0};
        if (!f->stale[k]) continue;
        scatter_row(f, k, task, pivot);
        eliminate(f, task, f->row_begins[k], f->row_begins[k + 1], pivot);
        if (finish_row(f, k, pivot)) continue;
        f->failed[task] = 1;
        return;
    }
}

/* The columns of a task in the current row of the top. */
static void eliminate_in_top(void *argument, size_t task) {
    block_ldl *f = argument;
    size_t k = f->members[f->task_begins[f->task_count] + f->row];
    const size_t *ranges = f->top_row_begins + f->row * (f->task_count + 2) + task;
    double *pivot = f->pivots + LDL_NUMBERS * task;
    memset(pivot, 0, LDL_NUMBERS * sizeof *pivot);
    scatter_row(f, k, task, pivot);
    eliminate(f, task, ranges[0], ranges[1], pivot);
}

/* Moves what the tasks have found for the columns of the top in the current row into its own scratch. */
static void gather_top(block_ldl *f) {
    const size_t *ranges = f->top_row_begins + f->row * (f->task_count + 2);
    double *own = f->scratch + LDL_NUMBERS * f->scratch_begins[f->task_count];
    for (size_t task = 0; task < f->task_count; task++) {
        if (ranges[task] == ranges[task + 1]) continue;
        double *scratch = f->scratch + LDL_NUMBERS * f->scratch_begins[task];
        for (size_t e = ranges[f->task_count]; e < ranges[f->task_count + 1]; e++) {
            size_t slot = f->slot_of[f->row_columns[e]];
            add_numbers(scratch + LDL_NUMBERS * slot, own + LDL_NUMBERS * slot);
            memset(scratch + LDL_NUMBERS * slot, 0, LDL_NUMBERS * sizeof *scratch);
        }
    }
}

static int factor_top(block_ldl *f) {
    for (f->row = 0; f->row < f->top_count; f->row++) {
        size_t k = f->members[f->task_begins[f->task_count] + f->row];
        if (!f->stale[k]) continue;
        parallel_tasks(f->context, f->task_count, eliminate_in_top, f);
        gather_top(f);
        double *pivot = f->pivots + LDL_NUMBERS * f->task_count;
        memset(pivot, 0, LDL_NUMBERS * sizeof *pivot);
        for (size_t task = 0; task < f->task_count; task++) add_numbers(f->pivots + LDL_NUMBERS * task, pivot);
        scatter_row(f, k, f->task_count, pivot);
        const size_t *ranges = f->top_row_begins + f->row * (f->task_count + 2) + f->task_count;
        eliminate(f, f->task_count, ranges[0], ranges[1], pivot);
        if (!finish_row(f, k, pivot)) return 0;
    }
    return 1;
}

/* Row k of L follows from row k of A and from rows before it that are below k in the elimination tree. */
static void find_stale(block_ldl *f, const unsigned char *changed) {
    for (size_t k = 0; k < f->count; k++) f->stale[k] = !f->is_factored || !changed || changed[f->order[k]];
    for (size_t k = 0; k < f->count; k++)
        if (f->stale[k] && f->parents[k] != NO_PARENT) f->stale[f->parents[k]] = 1;
}

int block_ldl_reads(const block_ldl *f, size_t row, size_t column) { return f->place[column] <= f->place[row]; }

int block_ldl_factor(block_ldl *f, const double *values, const unsigned char *changed) {
    f->values = values;
    find_stale(f, changed);
    parallel_tasks(f->context, f->task_count, factor_task, f);
    int holds = 1;
    for (size_t task = 0; task < f->task_count; task++) holds &= !f->failed[task];
    f->is_factored = holds && factor_top(f);
    if (!f->is_factored) memset(f->scratch, 0, LDL_NUMBERS * f->scratch_begins[f->task_count + 1] * sizeof *f->scratch);
    return f->is_factored;
}

/* ---- Solving. */

/* Forward: y = L⁻¹ x within a task, whose entries of the top add up in its own slots. */
static void forward_task(void *argument, size_t task) {
    block_ldl *f = argument;
    float *vectors = f->vectors + LDL_STRIDE * f->scratch_begins[task];
    if (task < f->task_count) memset(vectors, 0, LDL_STRIDE * f->top_count * sizeof *vectors);
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++) {
        uint32_t k = f->members[m];
        float *to = vectors + LDL_STRIDE * (size_t)f->slot_of[k];
        const float *from = f->solution + LDL_STRIDE * (size_t)f->order[k];
        for (int c = 0; c < LDL_SIDE; c++) to[c] = task < f->task_count ? from[c] : to[c] + from[c];
    }
    for (size_t m = f->task_begins[task]; m < f->task_begins[task + 1]; m++) {
        uint32_t k = f->members[m];
        ISA_SELECT(f->context->isa, ldl_forward)
        (vectors + LDL_STRIDE * (size_t)f->slot_of[k], f->float_entries + LDL_PACKED * f->begins[k],
         f->slots + f->begins[k], f->begins[k + 1] - f->begins[k], vectors);
    }
}

/* Backward: x = L⁻ᵀ D⁻¹ y. */
static void backward_task(void *argument, size_t task) {
    block_ldl *f = argument;
    float *vectors = f->vectors + LDL_STRIDE * f->scratch_begins[task];
    if (task < f->task_count)
        memcpy(vectors, f->vectors + LDL_STRIDE * f->scratch_begins[f->task_count],
               LDL_STRIDE * f->top_count * sizeof *vectors);
    for (size_t m = f->task_begins[task + 1]; m-- > f->task_begins[task];) {
        uint32_t k = f->members[m];
        float *at = vectors + LDL_STRIDE * (size_t)f->slot_of[k];
        ISA_SELECT(f->context->isa, ldl_diagonal)(f->float_inverses + LDL_PACKED * (size_t)k, at, at);
        ISA_SELECT(f->context->isa, ldl_backward)
        (f->float_entries + LDL_PACKED * f->begins[k], f->slots + f->begins[k], f->begins[k + 1] - f->begins[k],
         vectors, at);
        memcpy(f->solution + LDL_STRIDE * (size_t)f->order[k], at, LDL_SIDE * sizeof *at);
    }
}

void block_ldl_solve(block_ldl *f, float *x) {
    f->solution = x;
    parallel_tasks(f->context, f->task_count, forward_task, f);
    float *top = f->vectors + LDL_STRIDE * f->scratch_begins[f->task_count];
    memset(top, 0, LDL_STRIDE * f->top_count * sizeof *top);
    for (size_t task = 0; task < f->task_count; task++) {
        const float *from = f->vectors + LDL_STRIDE * f->scratch_begins[task];
        for (size_t k = 0; k < LDL_STRIDE * f->top_count; k++) top[k] += from[k];
    }
    forward_task(f, f->task_count);
    backward_task(f, f->task_count);
    parallel_tasks(f->context, f->task_count, backward_task, f);
}
