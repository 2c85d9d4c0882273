/* Patterns, assembly and products of block matrices; the header has the form. */
#include "linalg/block_matrix.h"

#include <limits.h>

#include "base/threads.h"
#include "linalg/block_matrix_kernels.h"

#define ROW_GROUP 1024 /* rows that a thread takes at once: many, as elements between groups are evaluated in both */

/* Elements of a pattern, or neighbours by rows: then begins is not NULL. */
typedef struct pattern_set {
    const void *owner;
    int index;
    size_t corners, count;
    const uint32_t *begins, *ends, *points;
} pattern_set;

struct block_pattern {
    ruga_context *context;
    size_t point_count;
    ARRAY(pattern_set) sets;
};

/* A set of elements, with the elements that touch each group of rows, rising. */
struct block_elements {
    pattern_set set;
    size_t *begins;     /* (groups + 1) into `elements` */
    uint32_t *elements; /* (begins[groups]) */
    uint32_t *entries;  /* (count x corners x corners) where the blocks of each element are in the matrix, by rows */
};

/* ---- The pattern. */

ruga_status block_pattern_create(ruga_context *context, size_t point_count, block_pattern **out) {
    block_pattern *p;
    TRY(NEW_ZEROED(context, &p, 1));
    p->context = context;
    p->point_count = point_count;
    *out = p;
    return RUGA_OK;
}

void block_pattern_destroy(block_pattern *p) {
    if (!p) return;
    ARRAY_RELEASE(p->context, &p->sets);
    memory_release(p->context, p);
}

static ruga_status add_set(block_pattern *p, pattern_set set) { return ARRAY_ADD(p->context, &p->sets, set); }

ruga_status block_pattern_add_elements(block_pattern *pattern, const void *owner, int index, size_t corners,
                                       size_t count, const uint32_t *points) {
    if (corners < 2 || corners > BLOCK_MOST_CORNERS || count >= UINT32_MAX)
        return fail_input(pattern->context,
                          "%zu elements of %zu points can't be added to a matrix; use 2 to %d points and fewer than "
                          "2^32 elements",
                          count, corners, BLOCK_MOST_CORNERS);
    for (size_t k = 0; k < corners * count; k++)
        if (points[k] >= pattern->point_count)
            return fail_input(pattern->context, "element %zu of a matrix names point %u of %zu", k / corners, points[k],
                              pattern->point_count);
    return add_set(pattern, (pattern_set){owner, index, corners, count, NULL, NULL, points});
}

ruga_status block_pattern_add_rows(block_pattern *pattern, const uint32_t *begins, const uint32_t *ends,
                                   const uint32_t *others) {
    return add_set(pattern, (pattern_set){.begins = begins, .ends = ends, .points = others});
}

/* Calls for every coupled pair (i, j), with repetitions: counts j's into ends[i + 1], or puts them at ends[i]. */
static void visit_pairs(const block_pattern *p, size_t *ends, uint32_t *others) {
    for (size_t k = 0; k < p->sets.count; k++) {
        const pattern_set *s = &p->sets.items[k];
        for (size_t i = 0; s->begins && i < p->point_count; i++)
            for (size_t e = s->begins[i]; e < s->ends[i]; e++) {
                if (others) others[ends[i]] = s->points[e];
                ends[i + !others]++;
            }
        for (size_t e = 0; !s->begins && e < s->count * s->corners; e++)
            for (size_t b = 0; b < s->corners; b++) {
                uint32_t i = s->points[e];
                if (others) others[ends[i]] = s->points[e - e % s->corners + b];
                ends[i + !others]++;
            }
    }
}

/* Every point's neighbours, unsorted and with repetitions: those of i end at ends[i] and begin where those of i - 1
 * end. */
typedef struct raw_rows {
    size_t *ends;     /* (points + 1) */
    uint32_t *others; /* (pairs) */
    uint32_t *marks;  /* (points) */
    uint32_t *fronts; /* (points) */
} raw_rows;

static ruga_status make_raw(const block_pattern *p, raw_rows *raw) {
    size_t n = p->point_count;
    TRY(NEW_ZEROED(p->context, &raw->ends, n + 1));
    TRY(NEW_EACH(p->context, n, &raw->marks, &raw->fronts));
    visit_pairs(p, raw->ends, NULL);
    for (size_t i = 0; i < n; i++) raw->ends[i + 1] += raw->ends[i];
    TRY(NEW(p->context, &raw->others, raw->ends[n]));
    visit_pairs(p, raw->ends, raw->others);
    return RUGA_OK;
}

/* Visits each column's rows in rising order of the columns, so that rows come out sorted: counts them, or fills. */
static void take_columns(const raw_rows *raw, size_t n, block_matrix *m, int fill) {
    for (size_t i = 0; i < n; i++) raw->marks[i] = UINT32_MAX;
    for (size_t j = 0; j < n; j++) {
        for (size_t e = j > 0 ? raw->ends[j - 1] : 0; e <= raw->ends[j]; e++) {
            uint32_t i = e < raw->ends[j] ? raw->others[e] : (uint32_t)j;
            if (raw->marks[i] == j) continue;
            raw->marks[i] = (uint32_t)j;
            if (fill) m->columns[raw->fronts[i]] = (uint32_t)j;
            if (fill && i == j) m->diagonals[j] = raw->fronts[i];
            raw->fronts[i]++;
        }
    }
}

static ruga_status make_rows(const block_pattern *p, const raw_rows *raw, block_matrix *m) {
    size_t n = p->point_count, entries = 0;
    memset(raw->fronts, 0, n * sizeof *raw->fronts);
    take_columns(raw, n, m, 0);
    for (size_t i = 0; i < n; i++) {
        m->offsets[i] = (uint32_t)entries;
        entries += raw->fronts[i];
        raw->fronts[i] = m->offsets[i];
        if (entries >= UINT32_MAX)
            return fail_input(p->context,
                              "a matrix over %zu points has too many blocks to be assembled; use fewer points", n);
    }
    m->offsets[n] = (uint32_t)entries;
    TRY(NEW(p->context, &m->columns, entries));
    TRY(NEW_ALIGNED_ZEROED(p->context, &m->blocks, BLOCK_NUMBERS * entries + 1));
    take_columns(raw, n, m, 1);
    return RUGA_OK;
}

/* ---- Elements by groups of rows. */

static size_t group_count(const block_matrix *m) { return (m->point_count + ROW_GROUP - 1) / ROW_GROUP; }

/* Whether no corner before k is in the group of corner k. */
static int is_first_in_group(const uint32_t *points, size_t k) {
    for (size_t before = 0; before < k; before++)
        if (points[before] / ROW_GROUP == points[k] / ROW_GROUP) return 0;
    return 1;
}

static ruga_status make_elements(const block_matrix *m, const pattern_set *set, block_elements *out) {
    size_t groups = group_count(m);
    out->set = *set;
    TRY(NEW_ZEROED(m->context, &out->begins, groups + 2));
    size_t *fronts = out->begins + 1;
    for (size_t e = 0; e < set->count * set->corners; e++)
        if (is_first_in_group(set->points + (e - e % set->corners), e % set->corners))
            fronts[set->points[e] / ROW_GROUP + 1]++;
    for (size_t g = 0; g < groups; g++) fronts[g + 1] += fronts[g];
    TRY(NEW(m->context, &out->elements, fronts[groups]));
    for (size_t e = 0; e < set->count * set->corners; e++)
        if (is_first_in_group(set->points + (e - e % set->corners), e % set->corners))
            out->elements[fronts[set->points[e] / ROW_GROUP]++] = (uint32_t)(e / set->corners);
    TRY(NEW(m->context, &out->entries, set->count * set->corners * set->corners));
    for (size_t e = 0, at = 0; e < set->count * set->corners; e++)
        for (size_t b = 0; b < set->corners; b++)
            out->entries[at++] = block_matrix_entry(m, set->points[e], set->points[e - e % set->corners + b]);
    return RUGA_OK;
}

static ruga_status make_matrix(const block_pattern *p, block_matrix *m) {
    TRY(NEW(p->context, &m->offsets, p->point_count + 1));
    TRY(NEW(p->context, &m->diagonals, p->point_count));
    raw_rows raw = {0};
    ruga_status status = make_raw(p, &raw);
    if (!RUGA_FAILED(status)) status = make_rows(p, &raw, m);
    RELEASE_ALL(p->context, raw.ends, raw.others, raw.marks, raw.fronts);
    TRY(status);
    TRY(NEW_ZEROED(p->context, &m->elements, p->sets.count));
    for (size_t k = 0; k < p->sets.count; k++) {
        if (p->sets.items[k].begins) continue;
        TRY(make_elements(m, &p->sets.items[k], &m->elements[m->element_set_count++]));
    }
    return RUGA_OK;
}

ruga_status block_matrix_create(const block_pattern *pattern, block_matrix **out) {
    block_matrix *m;
    TRY(NEW_ZEROED(pattern->context, &m, 1));
    m->context = pattern->context;
    m->point_count = pattern->point_count;
    RETURN_MADE(make_matrix(pattern, m), m, out, block_matrix_destroy(m));
}

void block_matrix_destroy(block_matrix *m) {
    if (!m) return;
    for (size_t k = 0; k < m->element_set_count; k++)
        RELEASE_ALL(m->context, m->elements[k].begins, m->elements[k].elements, m->elements[k].entries);
    RELEASE_ALL(m->context, m->offsets, m->columns, m->diagonals, m->elements);
    memory_release_aligned(m->context, m->blocks);
    memory_release(m->context, m);
}

void block_matrix_count_elsewhere(const block_matrix *m, const uint32_t *part_of, unsigned char *out) {
    for (size_t i = 0; i < m->point_count; i++) {
        unsigned count = 0;
        for (size_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) count += part_of[m->columns[e]] != part_of[i];
        if (!m->has_wide_elements && count > 1) count = 1;
        out[i] = (unsigned char)(count < UCHAR_MAX ? count : UCHAR_MAX);
    }
    for (size_t k = 0; k < m->element_set_count; k++) {
        const pattern_set *set = &m->elements[k].set;
        for (size_t e = 0; e < set->count * set->corners; e++) {
            unsigned count = 0;
            uint32_t i = set->points[e];
            for (size_t b = 0; b < set->corners; b++)
                count += part_of[set->points[e - e % set->corners + b]] != part_of[i];
            if (count > out[i]) out[i] = (unsigned char)count;
        }
    }
}

/* ---- Numbers. */

static void clear_rows(void *argument, size_t begin, size_t end) {
    block_matrix *m = argument;
    size_t first = m->offsets[begin], count = m->offsets[end] - first;
    memset(m->blocks + BLOCK_NUMBERS * first, 0, BLOCK_NUMBERS * count * sizeof *m->blocks);
}

void block_matrix_clear(block_matrix *m) { parallel_for(m->context, m->point_count, ROW_GROUP, clear_rows, m); }

uint32_t block_matrix_entry(const block_matrix *m, size_t row, uint32_t column) {
    uint32_t low = m->offsets[row], high = m->offsets[row + 1] - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct element_task {
    block_matrix *matrix;
    const block_elements *elements;
    double scale;
    block_element_function *function;
    block_batch_function *batches;
    const void *user;
} element_task;

/* The elements of the group of rows that begins at `begin`. */
static element_range range_of(const element_task *task, size_t begin, size_t end) {
    const block_elements *elements = task->elements;
    size_t first = elements->begins[begin / ROW_GROUP];
    return (element_range){.blocks = task->matrix->blocks,
                           .scale = task->scale,
                           .begin = begin,
                           .end = end,
                           .corners = elements->set.corners,
                           .count = elements->begins[begin / ROW_GROUP + 1] - first,
                           .elements = elements->elements + first,
                           .points = elements->set.points,
                           .entries = elements->entries};
}

static void add_group(void *argument, size_t begin, size_t end) {
    const element_task *task = argument;
    element_range range = range_of(task, begin, end);
    mat3 blocks[BLOCK_MOST_CORNERS * BLOCK_MOST_CORNERS];
    for (size_t e = 0; e < range.count; e++) {
        task->function(task->user, range.elements[e], blocks);
        ISA_SELECT(task->matrix->context->isa, block_matrix_element)(&range, range.elements[e], blocks);
    }
}

static void add_batch_group(void *argument, size_t begin, size_t end) {
    const element_task *task = argument;
    element_range range = range_of(task, begin, end);
    const size_t size = range.corners * range.corners * BLOCK_NUMBERS;
    double numbers[BLOCK_BATCH * BLOCK_MOST_CORNERS * BLOCK_MOST_CORNERS * BLOCK_NUMBERS];
    for (size_t e = 0; e < range.count; e += BLOCK_BATCH) {
        const size_t count = range.count - e < BLOCK_BATCH ? range.count - e : BLOCK_BATCH;
        task->batches(task->user, count, range.elements + e, numbers);
        for (size_t k = 0; k < count; k++) ISA_SELECT(task->matrix->context->isa, block_matrix_numbers)
        (&range, range.elements[e + k], numbers + size * k);
    }
}

static void add_square_group(void *argument, size_t begin, size_t end) {
    const element_task *task = argument;
    element_range range = range_of(task, begin, end);
    ISA_SELECT(task->matrix->context->isa, block_matrix_squares)(&range, task->user);
}

static void add_of_set(element_task *task, const void *owner, int index, range_function *group) {
    block_matrix *m = task->matrix;
    for (size_t k = 0; k < m->element_set_count; k++) {
        if (m->elements[k].set.owner != owner || m->elements[k].set.index != index) continue;
        task->elements = &m->elements[k];
        parallel_for(m->context, m->point_count, ROW_GROUP, group, task);
    }
}

void block_matrix_add_elements(block_matrix *m, const void *owner, int index, double scale,
                               block_element_function *function, const void *user) {
    element_task task = {.matrix = m, .scale = scale, .function = function, .user = user};
    add_of_set(&task, owner, index, add_group);
}

void block_matrix_add_batches(block_matrix *m, const void *owner, int index, double scale,
                              block_batch_function *function, const void *user) {
    element_task task = {.matrix = m, .scale = scale, .batches = function, .user = user};
    add_of_set(&task, owner, index, add_batch_group);
}

void block_matrix_add_squares(block_matrix *m, const void *owner, int index, double scale, const vec3 *vectors) {
    element_task task = {.matrix = m, .scale = scale, .user = vectors};
    add_of_set(&task, owner, index, add_square_group);
}

typedef struct diagonal_task {
    block_matrix *matrix;
    const double *masses;
    const mat3 *blocks;
} diagonal_task;

static void add_diagonals(void *argument, size_t begin, size_t end) {
    const diagonal_task *task = argument;
    block_matrix *m = task->matrix;
    for (size_t i = begin; i < end; i++) {
        double *at = m->blocks + BLOCK_NUMBERS * (size_t)m->diagonals[i];
        for (int k = 0; k < 3; k++) at[4 * k] += task->masses[i];
        if (task->blocks) block_matrix_add_block(m, m->diagonals[i], 1, &task->blocks[i]);
    }
}

void block_matrix_add_diagonal(block_matrix *m, const double *masses, const mat3 *blocks) {
    diagonal_task task = {m, masses, blocks};
    parallel_for(m->context, m->point_count, ROW_GROUP, add_diagonals, &task);
}

typedef struct product_task {
    const block_matrix *matrix;
    const vec3 *in;
    vec3 *out;
} product_task;

static void multiply_rows(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    ISA_SELECT(task->matrix->context->isa, block_matrix_rows)(task->matrix, task->in, task->out, begin, end);
}

void block_matrix_multiply(const block_matrix *m, const vec3 *in, vec3 *out) {
    product_task task = {m, in, out};
    parallel_for(m->context, m->point_count, ROW_GROUP, multiply_rows, &task);
}
