/* Projections by the fit of a binding; the header has the formulas. */
#include "solve/bound_project.h"

#include <stdlib.h>
#include <string.h>

#include "base/threads.h"

#define PAIR_BLOCK 256 /* runs */

/* ---- Pairs. */

typedef struct pair_place {
    uint32_t a, c;       /* points */
    uint32_t r[2];       /* among the rest of the fit, rising; twice the same: c depends on one */
    uint32_t entries[2]; /* of T's row c; the second NO_UNKNOWN: none */
} pair_place;

/* Whether an eliminated unknown is a point with one copy that adds one or two of the rest to it. */
static int find_pair(const bound *b, const bound_fit *fit, uint32_t j, pair_place *out) {
    const ruga_map *t = b->transpose, *map = b->map;
    if (fit->rest_of[j] != NO_UNKNOWN || t->offsets[j + 1] - t->offsets[j] != 2) return 0;
    uint32_t first = t->indices[t->offsets[j]], a = b->point_of[j],
             c = first != a ? first : t->indices[t->offsets[j] + 1];
    size_t begin = map->offsets[c], size = map->offsets[c + 1] - begin, count = 0;
    if (size < 2 || size > 3) return 0;
    *out = (pair_place){a, c, {0, 0}, {NO_UNKNOWN, NO_UNKNOWN}};
    for (size_t e = begin; e < begin + size; e++) {
        uint32_t r = fit->rest_of[map->indices[e]];
        if (map->indices[e] == j ? map->weights[e] != 1 : r == NO_UNKNOWN) return 0;
        if (map->indices[e] != j) {
            out->r[count] = r;
            out->entries[count++] = (uint32_t)e;
        }
    }
    if (count == 1) out->r[1] = out->r[0];
    if (out->r[1] < out->r[0]) *out = (pair_place){a, c, {out->r[1], out->r[0]}, {out->entries[1], out->entries[0]}};
    return count == size - 1;
}

static int along_rest(const void *x, const void *y) {
    const pair_place *p = x, *q = y;
    for (int k = 0; k < 2; k++)
        if (p->r[k] != q->r[k]) return p->r[k] < q->r[k] ? -1 : 1;
    return p->a < q->a ? -1 : p->a > q->a;
}

static ruga_status make_pairs(const bound *b, pair_place *places, size_t count, bound_pairs *out) {
    ruga_context *context = b->context;
    if (count > 0) qsort(places, count, sizeof *places, along_rest);
    TRY(NEW(context, &out->pairs, count + 1));
    TRY(NEW(context, &out->runs, count + 1));
    for (size_t k = 0; k < count; k++) {
        const pair_place *p = &places[k];
        double second = p->entries[1] == NO_UNKNOWN ? 0 : b->map->weights[p->entries[1]];
        out->pairs[k] = (bound_pair){.a = p->a, .c = p->c, .weights = {b->map->weights[p->entries[0]], second}};
        const bound_pair_run *last = &out->runs[out->run_count - (out->run_count > 0)];
        if (out->run_count == 0 || last->r[0] != p->r[0] || last->r[1] != p->r[1])
            out->runs[out->run_count++] = (bound_pair_run){{p->r[0], p->r[1]}, (uint32_t)k, 0};
        out->runs[out->run_count - 1].end = (uint32_t)k + 1;
    }
    return RUGA_OK;
}

static ruga_status find_pairs(const bound *b, const bound_fit *fit, unsigned char *is_paired, bound_pairs *out) {
    pair_place *places;
    size_t count = 0;
    TRY(NEW(b->context, &places, b->map->columns));
    for (uint32_t j = 0; j < b->map->columns; j++)
        if (find_pair(b, fit, j, &places[count])) {
            is_paired[places[count].a] = is_paired[places[count].c] = 1;
            count++;
        }
    ruga_status status = make_pairs(b, places, count, out);
    memory_release(b->context, places);
    return status;
}

/* ---- Other points. */

static int is_alone(const bound *b, size_t point) {
    return b->unknown_of[point] != NO_UNKNOWN && bound_moves_alone(b, b->unknown_of[point]);
}

static int is_other(const bound *b, const unsigned char *is_paired, size_t point) {
    return !is_paired[point] && !is_alone(b, point);
}

/* Begins and ends rows that are filled one entry after the other; rows without entries are dropped. */
static void put_entry(bound_rows *rows, uint32_t column, double weight) {
    uint32_t at = rows->offsets[rows->count + 1]++;
    rows->columns[at] = column;
    rows->weights[at] = weight;
}
static void end_row(bound_rows *rows, uint32_t target) {
    if (rows->offsets[rows->count + 1] == rows->offsets[rows->count]) return;
    rows->targets[rows->count++] = target;
    rows->offsets[rows->count + 1] = rows->offsets[rows->count];
}

static ruga_status begin_rows(ruga_context *context, size_t count, size_t entries, bound_rows *rows) {
    TRY(bound_rows_make(context, count + 1, entries, rows));
    rows->offsets[0] = rows->offsets[1] = 0;
    return RUGA_OK;
}

/* The rows of T and of its transpose that pairs and points alone leave. */
static ruga_status make_products(const bound *b, const bound_fit *fit, const unsigned char *is_paired,
                                 bound_projection *p) {
    const ruga_map *t = b->transpose, *map = b->map;
    size_t entries = map->offsets[map->rows];
    TRY(begin_rows(b->context, t->rows, entries, &p->gather));
    TRY(begin_rows(b->context, fit->rest_count, entries, &p->gather_rest));
    TRY(begin_rows(b->context, map->rows, entries, &p->spread));
    for (uint32_t j = 0; j < t->rows; j++) {
        int is_rest = fit->rest_of[j] != NO_UNKNOWN;
        bound_rows *rows = is_rest ? &p->gather_rest : &p->gather;
        for (size_t e = t->offsets[j]; e < t->offsets[j + 1]; e++)
            if (is_other(b, is_paired, t->indices[e])) put_entry(rows, t->indices[e], t->weights[e]);
        end_row(rows, is_rest ? fit->rest_of[j] : j);
    }
    for (uint32_t i = 0; i < map->rows; i++) {
        if (!is_other(b, is_paired, i)) continue;
        for (size_t e = map->offsets[i]; e < map->offsets[i + 1]; e++)
            put_entry(&p->spread, map->indices[e], map->weights[e]);
        end_row(&p->spread, i);
    }
    return RUGA_OK;
}

/* The part of the fit's rows that couples other unknowns; weights are the numbers of the fit's entries until they are
 * sorted. */
static ruga_status make_couplings(const bound *b, const bound_fit *fit, const unsigned char *is_paired,
                                  bound_projection *p) {
    const bound_rows *coupled = &fit->coupled, *users = &fit->users;
    TRY(begin_rows(b->context, coupled->count, coupled->offsets[coupled->count], &p->coupled));
    TRY(begin_rows(b->context, users->count, users->offsets[users->count], &p->users));
    for (size_t k = 0; k < coupled->count; k++) {
        if (is_paired[b->point_of[coupled->targets[k]]]) continue;
        for (uint32_t e = coupled->offsets[k]; e < coupled->offsets[k + 1]; e++)
            put_entry(&p->coupled, coupled->columns[e], e);
        end_row(&p->coupled, coupled->targets[k]);
    }
    for (size_t r = 0; r < users->count; r++) {
        for (uint32_t e = users->offsets[r]; e < users->offsets[r + 1]; e++)
            if (!is_paired[b->point_of[users->columns[e]]]) put_entry(&p->users, users->columns[e], e);
        end_row(&p->users, users->targets[r]);
    }
    return RUGA_OK;
}

static ruga_status take_entries(ruga_context *context, bound_rows *rows, uint32_t **out) {
    TRY(bound_rows_sort(context, rows));
    size_t count = rows->offsets[rows->count];
    TRY(NEW(context, out, count + 1));
    for (size_t e = 0; e < count; e++) (*out)[e] = (uint32_t)rows->weights[e];
    return RUGA_OK;
}

static ruga_status make_others(const bound *b, const bound_fit *fit, const unsigned char *is_paired,
                               bound_projection *p) {
    ruga_context *context = b->context;
    TRY(make_products(b, fit, is_paired, p));
    TRY(bound_rows_sort(context, &p->gather));
    TRY(bound_rows_sort(context, &p->gather_rest));
    TRY(bound_rows_sort(context, &p->spread));
    TRY(make_couplings(b, fit, is_paired, p));
    TRY(take_entries(context, &p->coupled, &p->coupled_entries));
    return take_entries(context, &p->users, &p->user_entries);
}

/* ---- Making. */

static ruga_status make(const bound *b, const bound_fit *fit, unsigned char *is_paired, bound_projection *p) {
    TRY(NEW_EACH(b->context, b->map->rows, &p->alone, &p->near));
    TRY(NEW(b->context, &p->inverse_masses, b->map->rows));
    TRY(NEW(b->context, &p->unknowns, b->map->columns));
    TRY(NEW(b->context, &p->right, fit->rest_count + 1));
    for (uint32_t i = 0; i < b->map->rows; i++)
        *(is_alone(b, i) ? &p->alone[p->alone_count++] : &p->near[p->near_count++]) = i;
    TRY(find_pairs(b, fit, is_paired, &p->pairs));
    return make_others(b, fit, is_paired, p);
}

ruga_status bound_projection_make(const bound *b, const bound_fit *fit, bound_projection *out) {
    unsigned char *is_paired;
    *out = (bound_projection){0};
    TRY(NEW_ZEROED(b->context, &is_paired, b->map->rows));
    ruga_status status = make(b, fit, is_paired, out);
    memory_release(b->context, is_paired);
    return status;
}

void bound_projection_release(ruga_context *context, bound_projection *p) {
    bound_rows *rows[] = {&p->gather, &p->gather_rest, &p->users, &p->coupled, &p->spread};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) bound_rows_release(context, rows[k]);
    RELEASE_ALL(context, p->alone, p->near, p->inverse_masses, p->pairs.pairs, p->pairs.runs, p->user_entries,
                p->coupled_entries, p->unknowns, p->right);
    *p = (bound_projection){0};
}

void bound_projection_factor(const bound *b, const bound_fit *fit, const double *masses, bound_projection *p) {
    for (size_t k = 0; k < p->alone_count; k++)
        p->inverse_masses[k] = fit->held[b->unknown_of[p->alone[k]]] ? 0 : 1 / masses[p->alone[k]];
    for (size_t r = 0; r < p->pairs.run_count; r++)
        for (uint32_t k = p->pairs.runs[r].begin; k < p->pairs.runs[r].end; k++) {
            bound_pair *pair = &p->pairs.pairs[k];
            double mass = masses[pair->a] + masses[pair->c];
            int is_held = fit->held[b->unknown_of[pair->a]];
            pair->share = is_held ? 1 : masses[pair->a] / mass;
            pair->inverse = is_held ? 0 : 1 / mass;
        }
    for (size_t e = 0; e < p->coupled.offsets[p->coupled.count]; e++)
        p->coupled.weights[e] = fit->coupled.weights[p->coupled_entries[e]];
    for (size_t e = 0; e < p->users.offsets[p->users.count]; e++)
        p->users.weights[e] = fit->users.weights[p->user_entries[e]];
}

/* ---- Projecting. */

/* The right side of the rest by other points, whose unknowns get their own; returns Σ |Tᵀ I|² over their masses. */
static double gather_others(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses) {
    const ruga_isa isa = b->context->isa;
    double squares = 0;
    memset(fit->right, 0, fit->rest_count * sizeof *fit->right);
    if (p->spread.count == 0) return 0;
    ISA_SELECT(isa, bound_rows_set)(&p->gather, impulses, p->unknowns, 0, p->gather.count);
    for (size_t k = 0; k < p->gather.count; k++) {
        uint32_t j = p->gather.targets[k];
        double inverse = fit->held[j] ? 0 : fit->inverse[j];
        squares += inverse * vec3_length2(p->unknowns[j]);
        p->unknowns[j] = vec3_scale(p->unknowns[j], inverse);
    }
    ISA_SELECT(isa, bound_rows_set)(&p->gather_rest, impulses, fit->right, 0, p->gather_rest.count);
    ISA_SELECT(isa, bound_rows_subtract)(&p->users, p->unknowns, fit->right, 0, p->users.count);
    return squares;
}

static void spread_others(const bound *b, const bound_fit *fit, const bound_projection *p, vec3 *changes) {
    const ruga_isa isa = b->context->isa;
    if (p->spread.count == 0) return;
    ISA_SELECT(isa, bound_rows_subtract)(&p->coupled, fit->right, p->unknowns, 0, p->coupled.count);
    for (size_t r = 0; r < fit->rest_count; r++) p->unknowns[fit->rest[r]] = fit->right[r];
    ISA_SELECT(isa, bound_rows_set)(&p->spread, p->unknowns, changes, 0, p->spread.count);
}

typedef struct pair_task {
    ruga_isa isa;
    const bound_pairs *pairs;
    const vec3 *rest, *impulses;
    vec3 *changes;
} pair_task;

static void pair_block(void *argument, size_t begin, size_t end) {
    const pair_task *task = argument;
    ISA_SELECT(task->isa, bound_pairs_spread)(task->pairs, task->rest, task->impulses, task->changes, begin, end);
}

/* Finds the rest; returns impulsesᵀ changes of near points. */
static double begin_near(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses) {
    double squares = gather_others(b, fit, p, impulses);
    squares += ISA_SELECT(b->context->isa, bound_pairs_gather)(&p->pairs, impulses, fit->right);
    memcpy(p->right, fit->right, fit->rest_count * sizeof *fit->right);
    bound_fit_solve_rest(fit);
    for (size_t r = 0; r < fit->rest_count; r++) squares += vec3_dot(p->right[r], fit->right[r]);
    return squares;
}

static void end_near(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses,
                     vec3 *changes) {
    pair_task task = {b->context->isa, &p->pairs, fit->right, impulses, changes};
    parallel_for(b->context, p->pairs.run_count, PAIR_BLOCK, pair_block, &task);
    spread_others(b, fit, p, changes);
}

void bound_project_near(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses,
                        vec3 *changes) {
    begin_near(b, fit, p, impulses);
    end_near(b, fit, p, impulses, changes);
}

double bound_project_begin(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses) {
    double squares = 0;
    for (size_t k = 0; k < p->alone_count; k++) squares += p->inverse_masses[k] * vec3_length2(impulses[p->alone[k]]);
    return squares + begin_near(b, fit, p, impulses);
}

void bound_project_end(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses,
                       vec3 *changes) {
    for (size_t k = 0; k < p->alone_count; k++)
        changes[p->alone[k]] = vec3_scale(impulses[p->alone[k]], p->inverse_masses[k]);
    end_near(b, fit, p, impulses, changes);
}
