/* The fit of a binding, by elimination of the points that are unknowns: see bound_fit.h. */
#include "solve/bound_fit.h"

#include <string.h>

/* ---- Who is eliminated. */

/* Whether an unknown moves a point together with one that is eliminated already. */
static int meets_eliminated(const bound *b, const bound_fit *f, size_t j) {
    for (size_t r = b->transpose->offsets[j]; r < b->transpose->offsets[j + 1]; r++) {
        size_t i = b->transpose->indices[r];
        for (size_t e = b->map->offsets[i]; e < b->map->offsets[i + 1]; e++) {
            uint32_t other = b->map->indices[e];
            if (other != j && f->rest_of[other] == NO_UNKNOWN) return 1;
        }
    }
    return 0;
}

static ruga_status choose_rest(const bound *b, bound_fit *f) {
    size_t count = b->map->columns;
    TRY(NEW(b->context, &f->rest_of, count));
    for (size_t j = 0; j < count; j++) f->rest_of[j] = 0;
    for (size_t j = 0; j < count; j++)
        if (b->point_of[j] != NO_UNKNOWN && !meets_eliminated(b, f, j)) f->rest_of[j] = NO_UNKNOWN;
    for (size_t j = 0; j < count; j++) f->rest_count += f->rest_of[j] != NO_UNKNOWN;
    TRY(NEW(b->context, &f->rest, f->rest_count + 1));
    for (uint32_t j = 0, next = 0; j < count; j++) {
        if (f->rest_of[j] == NO_UNKNOWN) continue;
        f->rest_of[j] = next;
        f->rest[next++] = j;
    }
    return RUGA_OK;
}

/* ---- Patterns. */

/* The rest that an eliminated unknown is coupled with; returns how many. columns NULL: only counts. */
static uint32_t couplings(bound *b, const bound_fit *f, uint32_t j, uint32_t *columns) {
    uint32_t count = 0;
    for (size_t r = b->transpose->offsets[j]; r < b->transpose->offsets[j + 1]; r++) {
        size_t i = b->transpose->indices[r];
        for (size_t e = b->map->offsets[i]; e < b->map->offsets[i + 1]; e++) {
            uint32_t other = b->map->indices[e];
            if (other == j || b->marks[other] == j) continue;
            b->marks[other] = j;
            if (columns) columns[count] = f->rest_of[other];
            count++;
        }
    }
    return count;
}

static void clear_marks(bound *b) {
    for (size_t j = 0; j < b->map->columns; j++) b->marks[j] = NO_UNKNOWN;
}

/* The couplings, row by row of those who have any; rows NULL: only counts. */
static void list_couplings(bound *b, const bound_fit *f, bound_rows *rows, size_t *count, size_t *entries) {
    *count = *entries = 0;
    clear_marks(b);
    for (uint32_t j = 0; j < b->map->columns; j++) {
        uint32_t size = f->rest_of[j] != NO_UNKNOWN ? 0 : couplings(b, f, j, rows ? rows->columns + *entries : NULL);
        if (size == 0) continue;
        if (rows) {
            rows->targets[*count] = j;
            rows->offsets[*count] = (uint32_t)*entries;
            rows->offsets[*count + 1] = (uint32_t)*entries + size;
        }
        *entries += size;
        (*count)++;
    }
    if (rows) rows->count = *count;
    clear_marks(b);
}

/* The transpose, whose columns are the unknowns. */
static void list_users(bound_fit *f, size_t entries) {
    bound_rows *users = &f->users;
    memset(users->offsets, 0, (f->rest_count + 1) * sizeof *users->offsets);
    for (size_t e = 0; e < entries; e++) users->offsets[f->coupled.columns[e] + 1]++;
    for (uint32_t r = 0; r < f->rest_count; r++) {
        users->offsets[r + 1] += users->offsets[r];
        users->targets[r] = users->offsets[r]; /* the next free place, until rows are full */
    }
    for (size_t k = 0; k < f->coupled.count; k++)
        for (uint32_t e = f->coupled.offsets[k]; e < f->coupled.offsets[k + 1]; e++) {
            uint32_t place = users->targets[f->coupled.columns[e]]++;
            users->columns[place] = f->coupled.targets[k];
            f->entries[place] = e;
        }
    for (uint32_t r = 0; r < f->rest_count; r++) users->targets[r] = r;
    users->count = f->rest_count; /* all long, in their order: S asks for the row of each */
}

static ruga_status couple(bound *b, bound_fit *f) {
    size_t count, entries;
    list_couplings(b, f, NULL, &count, &entries);
    TRY(bound_rows_make(b->context, count, entries, &f->coupled));
    TRY(bound_rows_make(b->context, f->rest_count, entries, &f->users));
    TRY(NEW(b->context, &f->entries, entries + 1));
    TRY(NEW(b->context, &f->row_of, b->map->columns));
    list_couplings(b, f, &f->coupled, &count, &entries);
    TRY(bound_rows_sort(b->context, &f->coupled));
    for (uint32_t k = 0; k < count; k++) f->row_of[f->coupled.targets[k]] = k;
    list_users(f, entries);
    return RUGA_OK;
}

/* Row r of S beside the diagonal; marks are by places among the rest. */
static uint32_t schur_row(bound *b, const bound_fit *f, uint32_t r, uint32_t *indices) {
    uint32_t count = 0, j = f->rest[r];
    for (uint32_t u = f->users.offsets[r]; u < f->users.offsets[r + 1]; u++) {
        uint32_t k = f->row_of[f->users.columns[u]];
        for (uint32_t e = f->coupled.offsets[k]; e < f->coupled.offsets[k + 1]; e++) {
            uint32_t other = f->coupled.columns[e];
            if (other == r || b->marks[other] == r) continue;
            b->marks[other] = r;
            if (indices) indices[count] = other;
            count++;
        }
    }
    for (size_t t = b->transpose->offsets[j]; t < b->transpose->offsets[j + 1]; t++) {
        size_t i = b->transpose->indices[t];
        for (size_t e = b->map->offsets[i]; e < b->map->offsets[i + 1]; e++) {
            uint32_t other = f->rest_of[b->map->indices[e]];
            if (other == NO_UNKNOWN || other == r || b->marks[other] == r) continue;
            b->marks[other] = r;
            if (indices) indices[count] = other;
            count++;
        }
    }
    return count;
}

static ruga_status make_schur(bound *b, bound_fit *f) {
    ruga_context *context = b->context;
    size_t entries = 0;
    TRY(NEW(context, &f->begins, f->rest_count + 1));
    clear_marks(b);
    for (uint32_t r = 0; r < f->rest_count; r++) {
        f->begins[r] = (uint32_t)entries;
        entries += schur_row(b, f, r, NULL);
    }
    if (entries >= UINT32_MAX)
        return fail_with(context, RUGA_ERROR_INPUT, "the fit of a binding has %zu entries, which are too many",
                         entries);
    f->begins[f->rest_count] = (uint32_t)entries;
    TRY(NEW(context, &f->indices, entries + 1));
    TRY(NEW(context, &f->full, entries + 1));
    TRY(NEW(context, &f->free_values, entries + 1));
    TRY(NEW(context, &f->free_diagonal, f->rest_count + 1));
    TRY(NEW(context, &f->right, f->rest_count + 1));
    clear_marks(b);
    for (uint32_t r = 0; r < f->rest_count; r++) schur_row(b, f, r, f->indices + f->begins[r]);
    clear_marks(b);
    return ldl_create(context, f->rest_count, f->begins, f->indices, &f->factor);
}

ruga_status bound_fit_make(bound *b, bound_fit *out) {
    *out = (bound_fit){0};
    TRY(NEW(b->context, &out->diagonal, b->map->columns));
    TRY(NEW(b->context, &out->inverse, b->map->columns));
    TRY(NEW_ZEROED(b->context, &out->held, b->map->columns));
    TRY(choose_rest(b, out));
    TRY(couple(b, out));
    return make_schur(b, out);
}

void bound_fit_release(ruga_context *context, bound_fit *f) {
    RELEASE_ALL(context, f->diagonal, f->inverse, f->held, f->rest, f->rest_of, f->entries, f->row_of, f->begins,
                f->indices, f->full, f->free_values, f->free_diagonal, f->right);
    bound_rows_release(context, &f->coupled);
    bound_rows_release(context, &f->users);
    ldl_destroy(f->factor);
    *f = (bound_fit){0};
}

/* ---- Values. */

static void fill_diagonal(const bound *b, bound_fit *f, const double *masses) {
    const ruga_map *t = b->transpose;
    for (size_t j = 0; j < t->rows; j++) {
        f->diagonal[j] = 0;
        for (size_t r = t->offsets[j]; r < t->offsets[j + 1]; r++)
            f->diagonal[j] += masses[t->indices[r]] * t->weights[r] * t->weights[r];
        int stays = f->held[j] || f->rest_of[j] != NO_UNKNOWN;
        f->inverse[j] = stays ? 1 : 1 / f->diagonal[j];
    }
}

/* b->row is over the rest while rows are made. */
static void fill_couplings(bound *b, bound_fit *f, const double *masses) {
    bound_rows *coupled = &f->coupled;
    for (size_t k = 0; k < coupled->count; k++) {
        uint32_t j = coupled->targets[k];
        for (size_t r = b->transpose->offsets[j]; r < b->transpose->offsets[j + 1]; r++) {
            size_t i = b->transpose->indices[r];
            for (size_t e = b->map->offsets[i]; e < b->map->offsets[i + 1]; e++)
                if (b->map->indices[e] != j)
                    b->row[f->rest_of[b->map->indices[e]]] += masses[i] * b->transpose->weights[r] * b->map->weights[e];
        }
        for (uint32_t e = coupled->offsets[k]; e < coupled->offsets[k + 1]; e++) {
            coupled->weights[e] = b->row[coupled->columns[e]];
            b->row[coupled->columns[e]] = 0;
        }
    }
    for (uint32_t u = 0; u < f->users.offsets[f->rest_count]; u++)
        f->users.weights[u] = coupled->weights[f->entries[u]];
    for (size_t k = 0; k < coupled->count; k++)
        for (uint32_t e = coupled->offsets[k]; e < coupled->offsets[k + 1]; e++)
            coupled->weights[e] *= f->held[coupled->targets[k]] ? 0 : f->inverse[coupled->targets[k]];
}

static void fill_schur(bound *b, bound_fit *f, const double *masses) {
    for (uint32_t r = 0; r < f->rest_count; r++) {
        uint32_t j = f->rest[r];
        for (size_t t = b->transpose->offsets[j]; t < b->transpose->offsets[j + 1]; t++) {
            size_t i = b->transpose->indices[t];
            for (size_t e = b->map->offsets[i]; e < b->map->offsets[i + 1]; e++) {
                uint32_t other = f->rest_of[b->map->indices[e]];
                if (other != NO_UNKNOWN) b->row[other] += masses[i] * b->transpose->weights[t] * b->map->weights[e];
            }
        }
        for (uint32_t u = f->users.offsets[r]; u < f->users.offsets[r + 1]; u++) {
            uint32_t k = f->row_of[f->users.columns[u]];
            for (uint32_t e = f->coupled.offsets[k]; e < f->coupled.offsets[k + 1]; e++)
                b->row[f->coupled.columns[e]] -= f->users.weights[u] * f->coupled.weights[e];
        }
        f->free_diagonal[r] = f->held[j] ? 1 : b->row[r];
        b->row[r] = 0;
        for (uint32_t e = f->begins[r]; e < f->begins[r + 1]; e++) {
            f->full[e] = b->row[f->indices[e]];
            f->free_values[e] = f->held[j] || f->held[f->rest[f->indices[e]]] ? 0 : f->full[e];
            b->row[f->indices[e]] = 0;
        }
    }
}

ruga_status bound_fit_factor(bound *b, bound_fit *f, const double *masses, size_t held_count, const uint32_t *held) {
    memset(f->held, 0, b->map->columns);
    f->holds_rest = 0;
    for (size_t k = 0; k < held_count; k++) {
        f->held[held[k]] = 1;
        f->holds_rest |= f->rest_of[held[k]] != NO_UNKNOWN;
    }
    fill_diagonal(b, f, masses);
    fill_couplings(b, f, masses);
    fill_schur(b, f, masses);
    return ldl_factor(f->factor, f->free_values, f->free_diagonal);
}

/* ---- The solve. */

/* Moves the known values of held unknowns among the rest to the right side. */
static void take_held_rest(const bound_fit *f, size_t held_count, const uint32_t *held, const vec3 *x) {
    for (size_t k = 0; k < held_count; k++) {
        uint32_t r = f->rest_of[held[k]];
        for (uint32_t e = r == NO_UNKNOWN ? 0 : f->begins[r]; r != NO_UNKNOWN && e < f->begins[r + 1]; e++)
            f->right[f->indices[e]] = vec3_add_scaled(f->right[f->indices[e]], x[held[k]], -f->full[e]);
    }
    for (size_t k = 0; k < held_count; k++)
        if (f->rest_of[held[k]] != NO_UNKNOWN) f->right[f->rest_of[held[k]]] = x[held[k]];
}

void bound_fit_solve(const bound *b, const bound_fit *f, size_t held_count, const uint32_t *held,
                     const vec3 *held_values, const vec3 *right_side, vec3 *x) {
    const ruga_isa isa = b->context->isa;
    ISA_SELECT(isa, bound_scale)(f->inverse, right_side, x, b->map->columns);
    for (size_t k = 0; k < held_count; k++) x[held[k]] = held_values ? held_values[k] : (vec3){0, 0, 0};
    for (size_t r = 0; r < f->rest_count; r++) f->right[r] = x[f->rest[r]];
    ISA_SELECT(isa, bound_rows_subtract)(&f->users, x, f->right, 0, f->rest_count);
    take_held_rest(f, held_count, held, x);
    ldl_solve(f->factor, f->right);
    ISA_SELECT(isa, bound_rows_subtract)(&f->coupled, f->right, x, 0, f->coupled.count);
    for (size_t r = 0; r < f->rest_count; r++) x[f->rest[r]] = f->right[r];
}

void bound_fit_solve_rest(const bound_fit *f) {
    for (size_t r = 0; f->holds_rest && r < f->rest_count; r++)
        if (f->held[f->rest[r]]) f->right[r] = (vec3){0, 0, 0};
    ldl_solve(f->factor, f->right);
}
