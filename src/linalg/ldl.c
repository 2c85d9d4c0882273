/* The up-looking factorisation of Davis 2005 (Algorithm 849): row k of L solves a triangular system with the rows
 * before it, whose pattern is read off the elimination tree. Plain loops: for networks of springs, whose factor is used
 * for many steps, the order of elimination (linalg/dissect.h) matters most. */
#include "linalg/ldl.h"

#include "linalg/dissect.h"

#define NO_PARENT UINT32_MAX

struct ldl {
    ruga_context *context;
    size_t count;
    const uint32_t *offsets, *columns; /* of A, the caller's */
    uint32_t *order, *place;           /* (count) row k of the factor is row order[k] of A; place is its inverse */
    uint32_t *parents;                 /* (count) elimination tree */
    size_t *begins;                    /* (count + 1) columns of L */
    size_t *ends;                      /* (count) of the entries so far */
    uint32_t *rows;                    /* (entries) */
    double *entries;                   /* (entries) */
    double *pivots;                    /* (count) D */
    double *inverse_pivots;            /* (count) */
    uint32_t *marks, *path;            /* (count) scratch */
    double *row;                       /* (count) scratch, zero between uses */
    vec3 *permuted;                    /* (count) scratch */
    size_t failed_row;
};

/* ---- The pattern. */

/* Counts the entries of each column of L into ends, and makes the tree. */
static void analyse(ldl *f) {
    for (size_t k = 0; k < f->count; k++) {
        f->parents[k] = NO_PARENT;
        f->marks[k] = (uint32_t)k;
        f->ends[k] = 0;
        uint32_t row = f->order[k];
        for (size_t e = f->offsets[row]; e < f->offsets[row + 1]; e++) {
            uint32_t i = f->place[f->columns[e]];
            while (i < k && f->marks[i] != k) {
                if (f->parents[i] == NO_PARENT) f->parents[i] = (uint32_t)k;
                f->ends[i]++;
                f->marks[i] = (uint32_t)k;
                i = f->parents[i];
            }
        }
    }
    f->begins[0] = 0;
    for (size_t k = 0; k < f->count; k++) f->begins[k + 1] = f->begins[k] + f->ends[k];
}

static ruga_status make(ldl *f) {
    size_t n = f->count;
    ruga_context *context = f->context;
    TRY(NEW_EACH(context, n, &f->order, &f->place, &f->parents));
    TRY(NEW(context, &f->begins, n + 1));
    TRY(NEW_EACH(context, n, &f->ends, &f->marks, &f->path));
    TRY(NEW_EACH(context, n, &f->pivots, &f->inverse_pivots));
    TRY(NEW_ZEROED(context, &f->row, n));
    TRY(NEW(context, &f->permuted, n));
    TRY(dissect_graph(context, n, f->offsets, f->columns, f->order));
    for (size_t k = 0; k < n; k++) f->place[f->order[k]] = (uint32_t)k;
    analyse(f);
    return NEW_EACH(context, ldl_entry_count(f), &f->rows, &f->entries);
}

ruga_status ldl_create(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                       ldl **out) {
    ldl *f;
    TRY(NEW_ZEROED(context, &f, 1));
    f->context = context;
    f->count = count;
    f->offsets = offsets;
    f->columns = columns;
    RETURN_MADE(make(f), f, out, ldl_destroy(f));
}

void ldl_destroy(ldl *f) {
    if (!f) return;
    RELEASE_ALL(f->context, f->order, f->place, f->parents, f->begins, f->ends, f->rows, f->marks, f->path, f->row,
                f->pivots, f->inverse_pivots, f->entries, f->permuted, f);
}

size_t ldl_failed_row(const ldl *f) { return f->failed_row; }

size_t ldl_entry_count(const ldl *f) { return f->begins[f->count]; }

/* ---- Values. */

/* Scatters row k of A into `row`; its pattern in L, in an order that respects the tree, ends up at the end of `path`.
 * Returns where it begins. */
static size_t scatter_row(ldl *f, size_t k, const double *values) {
    size_t top = f->count;
    uint32_t source = f->order[k];
    f->marks[k] = (uint32_t)k;
    for (size_t e = f->offsets[source]; e < f->offsets[source + 1]; e++) {
        uint32_t i = f->place[f->columns[e]];
        if (i >= k) continue;
        f->row[i] += values[e];
        size_t length = 0;
        for (; f->marks[i] != k; i = f->parents[i]) {
            f->path[length++] = i;
            f->marks[i] = (uint32_t)k;
        }
        while (length > 0) f->path[--top] = f->path[--length];
    }
    return top;
}

/* Eliminates column i from row k; returns what to subtract from the pivot. */
static double eliminate(ldl *f, uint32_t i, size_t k) {
    double value = f->row[i];
    f->row[i] = 0;
    for (size_t e = f->begins[i]; e < f->ends[i]; e++) f->row[f->rows[e]] -= f->entries[e] * value;
    double entry = value / f->pivots[i];
    f->rows[f->ends[i]] = (uint32_t)k;
    f->entries[f->ends[i]++] = entry;
    return entry * value;
}

ruga_status ldl_factor(ldl *f, const double *values, const double *diagonal) {
    for (size_t k = 0; k < f->count; k++) {
        f->ends[k] = f->begins[k];
        f->marks[k] = UINT32_MAX;
    }
    for (size_t k = 0; k < f->count; k++) {
        double pivot = diagonal[f->order[k]];
        for (size_t p = scatter_row(f, k, values); p < f->count; p++) pivot -= eliminate(f, f->path[p], k);
        f->failed_row = f->order[k];
        if (!(pivot > 0))
            return fail_input(f->context, "a matrix is not positive definite: its pivot in row %u is %g", f->order[k],
                              pivot);
        f->pivots[k] = pivot;
        f->inverse_pivots[k] = 1 / pivot;
    }
    return RUGA_OK;
}

void ldl_solve(ldl *f, vec3 *x) {
    vec3 *y = f->permuted;
    const uint32_t *rows = f->rows;
    const double *entries = f->entries;
    for (size_t k = 0; k < f->count; k++) y[k] = x[f->order[k]];
    for (size_t k = 0; k < f->count; k++) {
        vec3 value = y[k];
        for (size_t e = f->begins[k]; e < f->begins[k + 1]; e++)
            y[rows[e]] = vec3_add_scaled(y[rows[e]], value, -entries[e]);
    }
    for (size_t k = f->count; k-- > 0;) {
        vec3 value = vec3_scale(y[k], f->inverse_pivots[k]);
        for (size_t e = f->begins[k]; e < f->begins[k + 1]; e++)
            value = vec3_add_scaled(value, y[rows[e]], -entries[e]);
        x[f->order[k]] = y[k] = value;
    }
}
