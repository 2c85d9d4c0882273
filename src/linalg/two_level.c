/* Making and applying the two levels; two_level_refresh.c has their numbers. */
#include "linalg/two_level.h"

#include <math.h>

#include "base/threads.h"
#include "linalg/aggregate.h"
#include "linalg/cg.h"
#include "linalg/two_level_kernels.h"

/* Points that Gauss-Seidel runs through, about: many, as it is weaker between chunks, but enough chunks for threads. */
#define CHUNK_SHARE 16 /* of all */
#define LEAST_CHUNK 1024
#define GREATEST_CHUNK 8192
#define MANY_POINTS 100000 /* from here on aggregates are larger */
#define AGGREGATE_SIZE 20  /* below that: a larger coarse matrix, but 4 iterations of 5 */
#define LARGE_AGGREGATE 60

/* ---- Numbering. */

/* Sorts the points by aggregates into `order`; `places` is its inverse. */
static void sort_points(two_level *self, const uint32_t *aggregate_of) {
    uint32_t *fronts = self->begins + 1;
    for (size_t i = 0; i < self->count; i++) fronts[aggregate_of[i] + 1]++;
    for (size_t a = 0; a < self->aggregate_count; a++) fronts[a + 1] += fronts[a];
    for (size_t i = 0; i < self->count; i++) {
        self->places[i] = fronts[aggregate_of[i]]++;
        self->order[self->places[i]] = (uint32_t)i;
    }
}

static void cut_chunks(two_level *self) {
    size_t size = self->count / CHUNK_SHARE;
    size = size < LEAST_CHUNK ? LEAST_CHUNK : size > GREATEST_CHUNK ? GREATEST_CHUNK : size;
    size_t filled = size;
    for (size_t a = 0; a < self->aggregate_count; a++) {
        if (filled >= size) {
            self->chunks[self->chunk_count++] = (uint32_t)a;
            filled = 0;
        }
        self->chunk_of[a] = (uint32_t)self->chunk_count - 1;
        filled += self->begins[a + 1] - self->begins[a];
    }
    self->chunks[self->chunk_count] = (uint32_t)self->aggregate_count;
}

static ruga_status make_numbering(two_level *self, const two_level_graph *graph, size_t size, uint32_t *aggregate_of) {
    const two_level_graph own = {self->matrix->offsets, self->matrix->columns};
    if (!graph) graph = &own;
    TRY(aggregate_graph(self->context, self->count, graph->offsets, graph->columns, size, aggregate_of,
                        &self->aggregate_count));
    TRY(NEW_EACH(self->context, self->count, &self->order, &self->places));
    TRY(NEW_ZEROED(self->context, &self->begins, self->aggregate_count + 2));
    TRY(NEW(self->context, &self->chunk_of, self->aggregate_count));
    TRY(NEW(self->context, &self->chunks, self->aggregate_count + 1));
    sort_points(self, aggregate_of);
    cut_chunks(self);
    return RUGA_OK;
}

/* ---- Rows. */

typedef enum row_part { AFTER, BEFORE, ELSEWHERE } row_part;

/* Lists one part of the row at a place, from entry `at` on; returns the end. */
static size_t list_part(two_level *self, row_part part, size_t place, const uint32_t *aggregate_of, size_t at) {
    const block_matrix *m = self->matrix;
    const uint32_t *places = self->places;
    uint32_t point = self->order[place], chunk = self->chunk_of[aggregate_of[point]];
    for (uint32_t e = m->offsets[point]; e < m->offsets[point + 1]; e++) {
        uint32_t other = m->columns[e];
        row_part found = self->chunk_of[aggregate_of[other]] != chunk ? ELSEWHERE
                         : places[other] < place                      ? BEFORE
                                                                      : AFTER;
        if (other == point || found != part) continue;
        self->columns[at] = places[other];
        self->sources[at++] = e;
    }
    return at;
}

static ruga_status make_rows(two_level *self, const uint32_t *aggregate_of) {
    size_t entries = self->matrix->offsets[self->count] - self->count, at = 0;
    TRY(NEW_EACH(self->context, self->count + 1, &self->upper_offsets, &self->offsets));
    TRY(NEW(self->context, &self->own_ends, self->count));
    TRY(NEW_EACH(self->context, entries, &self->columns, &self->sources));
    self->upper_offsets[self->count] = 0;
    for (size_t i = self->count; i-- > 0;)
        self->upper_offsets[i] = (uint32_t)(at = list_part(self, AFTER, i, aggregate_of, at));
    for (size_t i = 0; i < self->count; i++) {
        self->offsets[i] = (uint32_t)at;
        at = list_part(self, BEFORE, i, aggregate_of, at);
        self->own_ends[i] = (uint32_t)at;
        at = list_part(self, ELSEWHERE, i, aggregate_of, at);
    }
    self->offsets[self->count] = (uint32_t)at;
    return RUGA_OK;
}

static ruga_status count_elsewhere(two_level *self, const uint32_t *aggregate_of) {
    uint32_t *chunk_of;
    unsigned char *counts;
    TRY(NEW(self->context, &self->elsewhere, self->count));
    TRY(NEW(self->context, &chunk_of, self->count));
    ruga_status status = NEW(self->context, &counts, self->count);
    if (!RUGA_FAILED(status)) {
        for (size_t i = 0; i < self->count; i++) chunk_of[i] = self->chunk_of[aggregate_of[i]];
        block_matrix_count_elsewhere(self->matrix, chunk_of, counts);
        for (size_t i = 0; i < self->count; i++) self->elsewhere[i] = counts[self->order[i]];
        memory_release(self->context, counts);
    }
    memory_release(self->context, chunk_of);
    return status;
}

/* ---- Products with aggregates, and the coarse pattern. */

/* The aggregates that rows touch, each with a number; a mark below the row's first number is an earlier row's. */
typedef struct product_list {
    uint32_t *marks; /* (aggregates) */
    size_t first, count;
    uint32_t *columns; /* NULL: only counts */
} product_list;

static uint32_t number_of(product_list *list, uint32_t aggregate) {
    if (list->marks[aggregate] == UINT32_MAX || list->marks[aggregate] < list->first) {
        list->marks[aggregate] = (uint32_t)list->count;
        if (list->columns) list->columns[list->count] = aggregate;
        list->count++;
    }
    return list->marks[aggregate];
}

/* The aggregates that each row touches, its own first; returns how many in all. */
static size_t list_products(two_level *self, const uint32_t *aggregate_of, product_list list) {
    for (size_t a = 0; a < self->aggregate_count; a++) list.marks[a] = UINT32_MAX;
    for (size_t i = 0; i < self->count; i++) {
        const size_t begins[2] = {self->upper_offsets[i + 1], self->offsets[i]};
        const size_t ends[2] = {self->upper_offsets[i], self->offsets[i + 1]};
        list.first = list.count;
        self->product_offsets[i] = (uint32_t)list.count;
        number_of(&list, aggregate_of[self->order[i]]);
        for (int part = 0; part < 2; part++)
            for (size_t e = begins[part]; e < ends[part]; e++)
                number_of(&list, aggregate_of[self->order[self->columns[e]]]);
    }
    self->product_offsets[self->count] = (uint32_t)list.count;
    return list.count;
}

static void list_terms(two_level *self, const uint32_t *aggregate_of) {
    uint32_t at = 0;
    for (size_t i = 0; i < self->count; i++) {
        const size_t begins[2] = {self->upper_offsets[i + 1], self->offsets[i]};
        const size_t ends[2] = {self->upper_offsets[i], self->offsets[i + 1]};
        for (size_t k = self->product_offsets[i]; k < self->product_offsets[i + 1]; k++) {
            self->term_begins[k] = at;
            if (k == self->product_offsets[i]) {
                self->term_sources[at] = self->matrix->diagonals[self->order[i]];
                self->term_places[at++] = (uint32_t)i;
            }
            for (int part = 0; part < 2; part++)
                for (size_t e = begins[part]; e < ends[part]; e++) {
                    if (aggregate_of[self->order[self->columns[e]]] != self->product_columns[k]) continue;
                    self->term_sources[at] = self->sources[e];
                    self->term_places[at++] = self->columns[e];
                }
        }
    }
    self->term_begins[self->product_offsets[self->count]] = at;
}

/* The same for the rows of the coarse matrix. */
static size_t list_coarse(two_level *self, product_list list) {
    for (size_t a = 0; a < self->aggregate_count; a++) list.marks[a] = UINT32_MAX;
    for (size_t a = 0; a < self->aggregate_count; a++) {
        list.first = list.count;
        self->coarse_offsets[a] = (uint32_t)list.count;
        for (size_t k = self->product_offsets[self->begins[a]]; k < self->product_offsets[self->begins[a + 1]]; k++)
            self->product_entries[k] = number_of(&list, self->product_columns[k]);
    }
    self->coarse_offsets[self->aggregate_count] = (uint32_t)list.count;
    return list.count;
}

static ruga_status make_coarse(two_level *self, const uint32_t *aggregate_of) {
    ruga_context *context = self->context;
    uint32_t *marks;
    TRY(NEW(context, &self->product_offsets, self->count + 1));
    TRY(NEW(context, &self->coarse_offsets, self->aggregate_count + 1));
    TRY(NEW(context, &marks, self->aggregate_count));
    size_t products = list_products(self, aggregate_of, (product_list){.marks = marks}), entries = 0;
    ruga_status status = NEW_EACH(context, products, &self->product_columns, &self->product_entries);
    if (!RUGA_FAILED(status)) status = NEW(context, &self->term_begins, products + 1);
    if (!RUGA_FAILED(status))
        status = NEW_EACH(context, self->matrix->offsets[self->count], &self->term_sources, &self->term_places);
    if (!RUGA_FAILED(status)) {
        list_products(self, aggregate_of, (product_list){.marks = marks, .columns = self->product_columns});
        list_terms(self, aggregate_of);
        entries = list_coarse(self, (product_list){.marks = marks});
        status = NEW(context, &self->coarse_columns, entries);
    }
    if (!RUGA_FAILED(status)) list_coarse(self, (product_list){.marks = marks, .columns = self->coarse_columns});
    memory_release(context, marks);
    TRY(status);
    TRY(NEW_ALIGNED_ZEROED(context, &self->products, MODE_NUMBERS * products + 3));
    TRY(NEW_ALIGNED_ZEROED(context, &self->coarse_values, LDL_NUMBERS * entries));
    TRY(block_ldl_create(context, self->aggregate_count, self->coarse_offsets, self->coarse_columns, &self->factor));
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = self->product_offsets[i]; k < self->product_offsets[i + 1]; k++)
            if (!block_ldl_reads(self->factor, aggregate_of[self->order[i]], self->product_columns[k]))
                self->product_entries[k] = NO_ENTRY;
    return RUGA_OK;
}

static ruga_status make_numbers(two_level *self) {
    ruga_context *context = self->context;
    size_t n = self->count, entries = self->offsets[n];
    TRY(NEW_ALIGNED_ZEROED(context, &self->blocks, BLOCK_NUMBERS * entries + 3));
    TRY(NEW_ALIGNED_ZEROED(context, &self->inverses, BLOCK_NUMBERS * n + 3));
    TRY(NEW_EACH(context, n, &self->excess, &self->holds, &self->held));
    TRY(NEW_ZEROED(context, &self->marked, n));
    TRY(NEW_ALIGNED_ZEROED(context, &self->arms, POINT_STRIDE * n));
    TRY(NEW_ALIGNED_ZEROED(context, &self->frames, MODES * MODES * self->aggregate_count));
    TRY(NEW_ALIGNED_ZEROED(context, &self->float_arms, POINT_STRIDE * n));
    TRY(NEW_EACH(context, self->aggregate_count, &self->dropped, &self->changed, &self->touched));
    TRY(NEW_ZEROED(context, &self->stale, self->aggregate_count));
    TRY(NEW_ALIGNED_ZEROED(context, &self->residual, POINT_STRIDE * n));
    TRY(NEW_ALIGNED_ZEROED(context, &self->solution, POINT_STRIDE * n));
    return NEW_ALIGNED_ZEROED(context, &self->coarse, LDL_STRIDE * self->aggregate_count);
}

static ruga_status make(two_level *self, const two_level_graph *graph, size_t size) {
    uint32_t *aggregate_of = NULL;
    ruga_status status = NEW(self->context, &aggregate_of, self->count);
    if (!RUGA_FAILED(status)) status = make_numbering(self, graph, size, aggregate_of);
    if (!RUGA_FAILED(status)) status = make_rows(self, aggregate_of);
    if (!RUGA_FAILED(status)) status = count_elsewhere(self, aggregate_of);
    if (!RUGA_FAILED(status)) status = make_coarse(self, aggregate_of);
    memory_release(self->context, aggregate_of);
    TRY(status);
    return make_numbers(self);
}

ruga_status two_level_create(const block_matrix *matrix, const two_level_graph *graph, size_t aggregate_size,
                             two_level **out) {
    two_level *self;
    TRY(NEW_ZEROED(matrix->context, &self, 1));
    self->context = matrix->context;
    self->matrix = matrix;
    self->count = matrix->point_count;
    if (aggregate_size == 0) aggregate_size = self->count < MANY_POINTS ? AGGREGATE_SIZE : LARGE_AGGREGATE;
    RETURN_MADE(make(self, graph, aggregate_size), self, out, two_level_destroy(self));
}

void two_level_bound_by_numbers(two_level *self) { self->bounds_by_numbers = 1; }

void two_level_destroy(two_level *self) {
    if (!self) return;
    RELEASE_ALL(self->context, self->order, self->places, self->marked, self->stale, self->begins, self->chunks,
                self->chunk_of, self->offsets, self->upper_offsets, self->own_ends, self->columns, self->sources,
                self->elsewhere, self->excess, self->holds, self->held, self->dropped, self->changed, self->touched,
                self->product_offsets, self->product_columns, self->product_entries, self->term_begins,
                self->term_sources, self->term_places, self->coarse_offsets, self->coarse_columns);
    void *aligned[] = {self->blocks,   self->inverses,      self->arms,     self->frames,   self->float_arms,
                       self->products, self->coarse_values, self->residual, self->solution, self->coarse};
    for (size_t k = 0; k < sizeof aligned / sizeof aligned[0]; k++) memory_release_aligned(self->context, aligned[k]);
    block_ldl_destroy(self->factor);
    memory_release(self->context, self);
}

/* ---- Cycles. */

typedef struct cycle {
    two_level *self;
    const vec3 *in;
    vec3 *out;
    double scale; /* a power of two, so that residuals are far from the limits of single precision */
} cycle;

static void backward_chunk(void *argument, size_t chunk) {
    const cycle *c = argument;
    two_level *self = c->self;
    size_t begin = self->begins[self->chunks[chunk]], end = self->begins[self->chunks[chunk + 1]];
    ISA_SELECT(self->context->isa, two_level_backward)(self, c->in, c->scale, begin, end);
}

static void restrict_chunk(void *argument, size_t chunk) {
    const cycle *c = argument;
    two_level *self = c->self;
    for (size_t a = self->chunks[chunk]; a < self->chunks[chunk + 1]; a++)
        ISA_SELECT(self->context->isa, two_level_restrict)(self, a);
}

static void forward_chunk(void *argument, size_t chunk) {
    const cycle *c = argument;
    two_level *self = c->self;
    ISA_SELECT(self->context->isa, two_level_forward)
    (self, c->out, 1 / c->scale, self->chunks[chunk], self->chunks[chunk + 1]);
}

/* By the norm of all points: no number of a scaled residual exceeds 1. */
static double cycle_scale(const two_level *self, const vec3 *in) {
    int exponent = 0;
    const double size = sqrt(cg_dot(self->context, self->count, in, in));
    if (!isfinite(size) || size == 0) return 1;
    frexp(size, &exponent);
    return ldexp(1, -exponent);
}

void two_level_apply(two_level *self, const vec3 *in, vec3 *out) {
    cycle c = {self, in, out, cycle_scale(self, in)};
    parallel_tasks(self->context, self->chunk_count, backward_chunk, &c);
    parallel_tasks(self->context, self->chunk_count, restrict_chunk, &c);
    block_ldl_solve(self->factor, self->coarse);
    parallel_tasks(self->context, self->chunk_count, forward_chunk, &c);
}

/* Column m of P at a place. */
static vec3 mode_at(const two_level *self, size_t a, size_t m, size_t i) {
    const double *f = self->frames + MODES * (MODES * a + m), *d = self->arms + POINT_STRIDE * i;
    vec3 turn = vec3_cross((vec3){f[3], f[4], f[5]}, (vec3){d[0], d[1], d[2]});
    return two_level_free_part(&self->holds[i], vec3_add((vec3){f[0], f[1], f[2]}, turn));
}

/* Plain loops: it serves tests. */
void two_level_apply_coarse(two_level *self, const vec3 *in, vec3 *out) {
    double scale = cycle_scale(self, in);
    for (size_t a = 0; a < self->aggregate_count; a++)
        for (size_t m = 0; m < MODES; m++) {
            double sum = 0;
            for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++)
                sum += vec3_dot(mode_at(self, a, m, i), in[self->order[i]]);
            self->coarse[LDL_STRIDE * a + m] = (float)(sum * scale);
        }
    block_ldl_solve(self->factor, self->coarse);
    for (size_t a = 0; a < self->aggregate_count; a++)
        for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
            vec3 sum = {0, 0, 0};
            for (size_t m = 0; m < MODES; m++)
                sum = vec3_add_scaled(sum, mode_at(self, a, m, i), self->coarse[LDL_STRIDE * a + m] / scale);
            out[self->order[i]] = sum;
        }
}
