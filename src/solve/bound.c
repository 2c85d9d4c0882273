/* Subspaces that steps are bound to, and scalar matrices on them. */
#include "solve/bound.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"

#define BLOCK 1024
#define SHORT_RUN 4 /* points that are copied faster one by one; between narrow pleats most runs are that short */

ruga_status bound_rows_make(ruga_context *context, size_t count, size_t entries, bound_rows *out) {
    if (entries >= UINT32_MAX)
        return fail_with(context, RUGA_ERROR_INPUT, "a binding has %zu weights, which are too many", entries);
    TRY(NEW(context, &out->targets, count + 1));
    TRY(NEW(context, &out->offsets, count + 1));
    TRY(NEW(context, &out->columns, entries + 1));
    return NEW(context, &out->weights, entries + 1);
}

void bound_rows_release(ruga_context *context, bound_rows *rows) {
    RELEASE_ALL(context, rows->targets, rows->offsets, rows->columns, rows->weights);
    *rows = (bound_rows){0};
}

/* Writes a row of `from` behind the rows so far. */
static void append_row(const bound_rows *from, size_t row, bound_rows *out) {
    uint32_t begin = from->offsets[row], size = from->offsets[row + 1] - begin, at = out->offsets[out->count];
    memcpy(out->columns + at, from->columns + begin, size * sizeof *out->columns);
    memcpy(out->weights + at, from->weights + begin, size * sizeof *out->weights);
    out->targets[out->count++] = from->targets[row];
    out->offsets[out->count] = at + size;
}

ruga_status bound_rows_sort(ruga_context *context, bound_rows *rows) {
    bound_rows sorted = {0};
    ruga_status status =
        bound_rows_make(context, rows->count, rows->count > 0 ? rows->offsets[rows->count] : 0, &sorted);
    if (RUGA_FAILED(status)) {
        bound_rows_release(context, &sorted);
        return status;
    }
    sorted.offsets[0] = 0;
    for (uint32_t length = 0; length <= BOUND_SHORT + 1; length++) {
        for (size_t r = 0; r < rows->count; r++) {
            uint32_t size = rows->offsets[r + 1] - rows->offsets[r];
            if (size == length || (length > BOUND_SHORT && size > length)) append_row(rows, r, &sorted);
        }
        if (length <= BOUND_SHORT) sorted.ends[length] = sorted.count;
    }
    bound_rows_release(context, rows);
    *rows = sorted;
    return RUGA_OK;
}

/* Copies a row of a map. */
static void put_row(const ruga_map *map, uint32_t row, bound_rows *out) {
    uint32_t at = out->count > 0 ? out->offsets[out->count] : 0;
    out->offsets[out->count] = at;
    for (size_t e = map->offsets[row]; e < map->offsets[row + 1]; e++, at++) {
        out->columns[at] = map->indices[e];
        out->weights[at] = map->weights[e];
    }
    out->targets[out->count++] = row;
    out->offsets[out->count] = at;
}

static int keeps_translations(const bound *b) {
    for (size_t i = 0; i < b->map->rows; i++) {
        double sum = 0;
        for (size_t e = b->map->offsets[i]; e < b->map->offsets[i + 1]; e++)
            if (b->point_of[b->map->indices[e]] != NO_UNKNOWN) sum += b->map->weights[e];
        if (fabs(sum - 1) > 1e-12) return 0;
    }
    return 1;
}

/* Finds the points that are copies of unknowns, at the beginning; the rest are rows. */
static ruga_status make_products(bound *b) {
    const ruga_map *t = b->transpose;
    size_t entries = b->map->offsets[b->map->rows];
    while (b->leading < b->map->rows && b->unknown_of[b->leading] == b->leading) b->leading++;
    b->keeps_translations = keeps_translations(b);
    TRY(bound_rows_make(b->context, b->map->rows - b->leading, entries, &b->spread));
    TRY(bound_rows_make(b->context, t->rows, entries, &b->gather));
    for (size_t i = b->leading; i < b->map->rows; i++) put_row(b->map, (uint32_t)i, &b->spread);
    TRY(NEW(b->context, &b->runs, b->leading + 2));
    for (uint32_t j = 0; j < t->rows; j++) {
        if (j >= b->leading || t->offsets[j + 1] - t->offsets[j] > 1) {
            put_row(t, j, &b->gather);
        } else {
            if (b->run_count == 0 || b->runs[2 * b->run_count - 1] != j) b->runs[2 * b->run_count++] = j;
            b->runs[2 * b->run_count - 1] = j + 1;
        }
    }
    TRY(bound_rows_sort(b->context, &b->spread));
    return bound_rows_sort(b->context, &b->gather);
}

ruga_status bound_create(ruga_context *context, const ruga_map *map, bound **out) {
    bound *b;
    TRY(NEW_ZEROED(context, &b, 1));
    b->context = context;
    b->map = map;
    ruga_status status = ruga_map_transpose(map, &b->transpose);
    if (!RUGA_FAILED(status)) status = NEW(context, &b->unknown_of, map->rows);
    if (!RUGA_FAILED(status)) status = NEW(context, &b->point_of, map->columns);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &b->row, map->columns);
    if (!RUGA_FAILED(status)) status = NEW(context, &b->marks, map->columns);
    for (size_t j = 0; j < map->columns && !RUGA_FAILED(status); j++) {
        b->point_of[j] = b->marks[j] = NO_UNKNOWN;
        if (b->transpose->offsets[j] == b->transpose->offsets[j + 1])
            status = fail_with(context, RUGA_ERROR_INPUT,
                               "unknown %zu of a binding moves no point; leave its column out of the map", j);
    }
    for (size_t i = 0; i < map->rows && !RUGA_FAILED(status); i++) {
        size_t begin = map->offsets[i], count = map->offsets[i + 1] - begin;
        int is_unknown = count == 1 && map->weights[begin] == 1;
        b->unknown_of[i] = is_unknown ? map->indices[begin] : NO_UNKNOWN;
        if (is_unknown && b->point_of[map->indices[begin]] == NO_UNKNOWN)
            b->point_of[map->indices[begin]] = (uint32_t)i;
        if (count == 0)
            status = fail_with(context, RUGA_ERROR_INPUT,
                               "point %zu has no weights in a binding; every point needs some", i);
    }
    if (!RUGA_FAILED(status)) status = make_products(b);
    RETURN_MADE(status, b, out, bound_destroy(b));
}

void bound_destroy(bound *b) {
    if (!b) return;
    ruga_map_destroy(b->transpose);
    memory_release(b->context, b->unknown_of);
    memory_release(b->context, b->point_of);
    bound_rows_release(b->context, &b->spread);
    bound_rows_release(b->context, &b->gather);
    memory_release(b->context, b->runs);
    memory_release(b->context, b->row);
    memory_release(b->context, b->marks);
    memory_release(b->context, b);
}

/* ---- Products. */

typedef struct product_task {
    ruga_isa isa;
    const bound_rows *rows;
    const vec3 *in;
    vec3 *out;
} product_task;

static void product_block(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    ISA_SELECT(task->isa, bound_rows_set)(task->rows, task->in, task->out, begin, end);
}

void bound_spread(const bound *b, const vec3 *unknowns, vec3 *points) {
    product_task task = {b->context->isa, &b->spread, unknowns, points};
    memcpy(points, unknowns, b->leading * sizeof *points);
    parallel_for(b->context, b->spread.count, BLOCK, product_block, &task);
}

void bound_gather(const bound *b, const vec3 *points, vec3 *unknowns) {
    product_task task = {b->context->isa, &b->gather, points, unknowns};
    for (size_t k = 0; k < b->run_count; k++) {
        uint32_t begin = b->runs[2 * k], end = b->runs[2 * k + 1];
        if (end - begin > SHORT_RUN) memcpy(unknowns + begin, points + begin, (end - begin) * sizeof *unknowns);
        for (uint32_t j = begin; j < end && end - begin <= SHORT_RUN; j++) unknowns[j] = points[j];
    }
    parallel_for(b->context, b->gather.count, BLOCK, product_block, &task);
}

/* ---- Pins. */

ruga_status bound_find_pins(bound *b, size_t count, const uint32_t *points, uint32_t *unknowns) {
    ruga_status status = RUGA_OK;
    size_t found = 0;
    for (; found < count; found++) {
        uint32_t point = points[found], unknown = b->unknown_of[point];
        if (unknown == NO_UNKNOWN)
            status = fail_with(
                b->context, RUGA_ERROR_INPUT,
                "point %u is pinned, but it is bound to other points; pin the points that it is bound to", point);
        else if (b->marks[unknown] != NO_UNKNOWN)
            status = fail_with(b->context, RUGA_ERROR_INPUT,
                               "points %u and %u are both pinned, but they are bound to be one; pin one of them",
                               b->marks[unknown], point);
        if (RUGA_FAILED(status)) break;
        unknowns[found] = unknown;
        b->marks[unknown] = point;
    }
    for (size_t k = 0; k < found; k++) b->marks[unknowns[k]] = NO_UNKNOWN;
    return status;
}

/* ---- Matrices. */

/* Marks and lists the columns of T's row `point` that row j of TᵀAT does not have yet; returns the new count. */
static size_t take_columns(bound *b, size_t j, size_t point, uint32_t *indices, size_t count) {
    for (size_t e = b->map->offsets[point]; e < b->map->offsets[point + 1]; e++) {
        uint32_t column = b->map->indices[e];
        if (b->marks[column] == j || column == j) continue;
        b->marks[column] = (uint32_t)j;
        if (indices) indices[count] = column;
        count++;
    }
    return count;
}

/* The columns of a row of TᵀAT beside the diagonal; returns how many. indices NULL: only counts. */
static size_t row_pattern(bound *b, const bound_matrix *m, size_t j, uint32_t *indices) {
    size_t count = 0;
    for (size_t r = b->transpose->offsets[j]; r < b->transpose->offsets[j + 1]; r++) {
        size_t i = b->transpose->indices[r];
        count = take_columns(b, j, i, indices, count);
        for (size_t e = m->offsets ? m->offsets[i] : 0; m->offsets && e < m->offsets[i + 1]; e++)
            count = take_columns(b, j, m->columns[e], indices, count);
    }
    return count;
}

ruga_status bound_matrix_make(bound *b, const uint32_t *offsets, const uint32_t *columns, bound_matrix *out) {
    ruga_context *context = b->context;
    size_t count = b->map->columns;
    *out = (bound_matrix){.offsets = offsets, .columns = columns};
    TRY(NEW(context, &out->begins, count + 1));
    TRY(NEW(context, &out->diagonal, count));
    TRY(NEW(context, &out->free_diagonal, count));
    size_t entries = 0;
    for (size_t j = 0; j < count; j++) b->marks[j] = NO_UNKNOWN;
    for (size_t j = 0; j < count; j++) {
        out->begins[j] = (uint32_t)entries;
        entries += row_pattern(b, out, j, NULL);
    }
    if (entries >= UINT32_MAX)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "a binding of %zu unknowns has a matrix of %zu entries, which are too many", count, entries);
    out->begins[count] = (uint32_t)entries;
    TRY(NEW(context, &out->indices, entries));
    TRY(NEW(context, &out->values, entries));
    TRY(NEW(context, &out->free_values, entries));
    for (size_t j = 0; j < count; j++) b->marks[j] = NO_UNKNOWN;
    for (size_t j = 0; j < count; j++) row_pattern(b, out, j, out->indices + out->begins[j]);
    for (size_t j = 0; j < count; j++) b->marks[j] = NO_UNKNOWN;
    return ldl_create(context, count, out->begins, out->indices, &out->factor);
}

void bound_matrix_release(ruga_context *context, bound_matrix *m) {
    void *arrays[] = {m->begins, m->indices, m->values, m->diagonal, m->free_values, m->free_diagonal};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) memory_release(context, arrays[k]);
    ldl_destroy(m->factor);
    *m = (bound_matrix){0};
}

static void add_row(bound *b, size_t point, double weight) {
    for (size_t e = b->map->offsets[point]; e < b->map->offsets[point + 1]; e++)
        b->row[b->map->indices[e]] += weight * b->map->weights[e];
}

ruga_status bound_matrix_factor(bound *b, bound_matrix *m, const double *values, const double *diagonal,
                                size_t held_count, const uint32_t *held) {
    const ruga_map *transpose = b->transpose;
    for (size_t j = 0; j < transpose->rows; j++) {
        /* Row j of TᵀAT, spread out over all unknowns. */
        for (size_t r = transpose->offsets[j]; r < transpose->offsets[j + 1]; r++) {
            size_t i = transpose->indices[r];
            add_row(b, i, transpose->weights[r] * diagonal[i]);
            for (size_t e = values ? m->offsets[i] : 0; values && e < m->offsets[i + 1]; e++)
                add_row(b, m->columns[e], transpose->weights[r] * values[e]);
        }
        m->diagonal[j] = m->free_diagonal[j] = b->row[j];
        b->row[j] = 0;
        for (size_t e = m->begins[j]; e < m->begins[j + 1]; e++) {
            m->values[e] = m->free_values[e] = b->row[m->indices[e]];
            b->row[m->indices[e]] = 0;
        }
    }
    for (size_t k = 0; k < held_count; k++) b->marks[held[k]] = 1;
    for (size_t j = 0; j < transpose->rows; j++) {
        int is_held = b->marks[j] != NO_UNKNOWN;
        if (is_held) m->free_diagonal[j] = 1;
        for (size_t e = m->begins[j]; e < m->begins[j + 1]; e++)
            if (is_held || b->marks[m->indices[e]] != NO_UNKNOWN) m->free_values[e] = 0;
    }
    for (size_t k = 0; k < held_count; k++) b->marks[held[k]] = NO_UNKNOWN;
    return ldl_factor(m->factor, m->free_values, m->free_diagonal);
}

void bound_matrix_solve(bound_matrix *m, size_t held_count, const uint32_t *held, const vec3 *held_values, vec3 *x) {
    for (size_t k = 0; k < held_count; k++)
        for (size_t e = m->begins[held[k]]; e < m->begins[held[k] + 1]; e++)
            x[m->indices[e]] = vec3_add_scaled(x[m->indices[e]], held_values[k], -m->values[e]);
    for (size_t k = 0; k < held_count; k++) x[held[k]] = held_values[k];
    ldl_solve(m->factor, x);
}
