/* Patterns and sums of TᵀAT: see block_congruence.h. */
#include "linalg/block_congruence.h"

#include "base/threads.h"

#define ROW_BLOCK 64

/* The unknowns that the corners of elements depend on. */
typedef struct square_rows {
    size_t count;         /* of elements, over all lists */
    size_t *offsets;      /* (elements + 1) into `unknowns` */
    uint32_t *unknowns;   /* each once for an element */
    size_t *slot_offsets; /* (corners of all elements + 1) into the next two */
    uint32_t *slots;      /* unknown of the element that an entry of T adds to */
    double *weights;
    size_t *entry_offsets; /* (elements + 1) into `entries` */
    uint32_t *entries;     /* of B, for all pairs of an element's unknowns */
    vec3 *sums;            /* (most unknowns of an element) */
} square_rows;

struct block_congruence {
    ruga_context *context;
    const block_matrix *a;
    const ruga_map *t;
    ruga_map *transpose;
    block_matrix *b;
    size_t *begins;        /* (unknowns + 1) into `places` */
    uint32_t *places;      /* entry of B for each term T_ij A_ik T_kl, in the order of the sums */
    unsigned char *copied; /* (unknowns) whether the row is the same as in A */
    square_rows squares;
};

/* ---- Terms: entries j, l of B for points i, k. */

static size_t count_terms(const block_congruence *self, size_t j) {
    const ruga_map *t = self->t, *transpose = self->transpose;
    size_t count = 0;
    for (size_t f = transpose->offsets[j]; f < transpose->offsets[j + 1]; f++) {
        uint32_t i = transpose->indices[f];
        for (size_t e = self->a->offsets[i]; e < self->a->offsets[i + 1]; e++) {
            uint32_t k = self->a->columns[e];
            count += t->offsets[k + 1] - t->offsets[k];
        }
    }
    return count;
}

static void list_terms(const block_congruence *self, size_t j, uint32_t *columns) {
    const ruga_map *t = self->t, *transpose = self->transpose;
    for (size_t f = transpose->offsets[j]; f < transpose->offsets[j + 1]; f++) {
        uint32_t i = transpose->indices[f];
        for (size_t e = self->a->offsets[i]; e < self->a->offsets[i + 1]; e++) {
            uint32_t k = self->a->columns[e];
            for (size_t g = t->offsets[k]; g < t->offsets[k + 1]; g++) *columns++ = t->indices[g];
        }
    }
}

static ruga_status make_terms(block_congruence *self) {
    size_t unknowns = self->t->columns;
    TRY(NEW(self->context, &self->begins, unknowns + 1));
    self->begins[0] = 0;
    for (size_t j = 0; j < unknowns; j++) self->begins[j + 1] = self->begins[j] + count_terms(self, j);
    if (self->begins[unknowns] >= UINT32_MAX)
        return fail_input(self->context, "a matrix over %zu unknowns has too many terms to be assembled; use fewer",
                          unknowns);
    TRY(NEW(self->context, &self->places, self->begins[unknowns]));
    for (size_t j = 0; j < unknowns; j++) list_terms(self, j, self->places + self->begins[j]);
    return RUGA_OK;
}

/* ---- Squares. */

static size_t row_size(const ruga_map *t, uint32_t row) { return t->offsets[row + 1] - t->offsets[row]; }

/* Lists the unknowns of one element behind `unknowns` others, and which of them its entries of T add to. */
static size_t list_element(block_congruence *self, const uint32_t *points, size_t corners, size_t *ends,
                           size_t unknowns) {
    square_rows *s = &self->squares;
    size_t first = unknowns, terms = ends[0];
    for (size_t c = 0; c < corners; c++) {
        for (size_t g = self->t->offsets[points[c]]; g < self->t->offsets[points[c] + 1]; g++) {
            size_t slot = first;
            while (slot < unknowns && s->unknowns[slot] != self->t->indices[g]) slot++;
            if (slot == unknowns) s->unknowns[unknowns++] = self->t->indices[g];
            s->slots[terms] = (uint32_t)(slot - first);
            s->weights[terms++] = self->t->weights[g];
        }
        ends[c + 1] = terms;
    }
    return unknowns;
}

/* The unknowns of all elements. */
static ruga_status list_square_unknowns(block_congruence *self, const block_squares *squares) {
    square_rows *s = &self->squares;
    ruga_context *context = self->context;
    size_t corner_count = 0, terms = 0, most = 0, element = 0, corner = 0;
    for (const block_squares *list = squares; list; list = list->next) {
        corner_count += list->count * list->corners;
        for (size_t c = 0; c < list->count * list->corners; c++) terms += row_size(self->t, list->points[c]);
    }
    TRY(NEW(context, &s->offsets, s->count + 1));
    TRY(NEW(context, &s->entry_offsets, s->count + 1));
    TRY(NEW(context, &s->slot_offsets, corner_count + 1));
    TRY(NEW(context, &s->unknowns, terms));
    TRY(NEW(context, &s->slots, terms));
    TRY(NEW(context, &s->weights, terms));
    s->offsets[0] = s->entry_offsets[0] = s->slot_offsets[0] = 0;
    for (const block_squares *list = squares; list; list = list->next)
        for (size_t e = 0; e < list->count; e++, element++, corner += list->corners) {
            s->offsets[element + 1] = list_element(self, list->points + list->corners * e, list->corners,
                                                   s->slot_offsets + corner, s->offsets[element]);
            size_t own = s->offsets[element + 1] - s->offsets[element];
            s->entry_offsets[element + 1] = s->entry_offsets[element] + own * own;
            if (own > most) most = own;
        }
    return NEW(context, &s->sums, most + 1);
}

/* Neighbours by rows, of the pairs of unknowns of every element. */
static ruga_status list_square_pairs(const block_congruence *self, uint32_t **offsets, uint32_t **others) {
    const square_rows *s = &self->squares;
    size_t unknowns = self->t->columns, pairs = s->entry_offsets[self->squares.count];
    if (pairs >= UINT32_MAX) return fail_input(self->context, "the squares of a matrix have too many entries");
    TRY(NEW_ZEROED(self->context, offsets, unknowns + 2));
    TRY(NEW(self->context, others, pairs));
    uint32_t *fronts = *offsets + 1;
    for (int fill = 0; fill < 2; fill++) {
        for (size_t e = 0; e < self->squares.count; e++)
            for (size_t a = s->offsets[e]; a < s->offsets[e + 1]; a++)
                for (size_t b = s->offsets[e]; b < s->offsets[e + 1]; b++) {
                    if (fill) (*others)[fronts[s->unknowns[a]]] = s->unknowns[b];
                    fronts[s->unknowns[a] + !fill]++;
                }
        for (size_t j = 0; !fill && j < unknowns; j++) fronts[j + 1] += fronts[j];
    }
    return RUGA_OK;
}

static ruga_status find_square_entries(block_congruence *self) {
    square_rows *s = &self->squares;
    size_t at = 0;
    TRY(NEW(self->context, &s->entries, s->entry_offsets[self->squares.count]));
    for (size_t e = 0; e < self->squares.count; e++)
        for (size_t a = s->offsets[e]; a < s->offsets[e + 1]; a++)
            for (size_t b = s->offsets[e]; b < s->offsets[e + 1]; b++)
                s->entries[at++] = block_matrix_entry(self->b, s->unknowns[a], s->unknowns[b]);
    return RUGA_OK;
}

/* ---- Making. */

static ruga_status make_pattern(block_congruence *self, block_pattern *pattern) {
    size_t unknowns = self->t->columns;
    uint32_t *offsets = NULL, *square_offsets = NULL, *square_others = NULL;
    ruga_status status = NEW(self->context, &offsets, unknowns + 1);
    if (!RUGA_FAILED(status)) {
        for (size_t j = 0; j <= unknowns; j++) offsets[j] = (uint32_t)self->begins[j];
        status = block_pattern_add_rows(pattern, offsets, offsets + 1, self->places);
    }
    if (!RUGA_FAILED(status) && self->squares.count > 0) {
        status = list_square_pairs(self, &square_offsets, &square_others);
        if (!RUGA_FAILED(status))
            status = block_pattern_add_rows(pattern, square_offsets, square_offsets + 1, square_others);
    }
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &self->b);
    RELEASE_ALL(self->context, offsets, square_offsets, square_others);
    return status;
}

/* Unknowns that are a point whose neighbours are unknowns too, in the same order: their rows are copies. */
static int is_copied(const block_congruence *self, size_t j) {
    const ruga_map *t = self->t, *transpose = self->transpose;
    const size_t f = transpose->offsets[j], terms = self->begins[j + 1] - self->begins[j];
    const uint32_t *place = self->places + self->begins[j], point = transpose->indices[f];
    if (transpose->offsets[j + 1] != f + 1 || transpose->weights[f] != 1) return 0;
    if (terms != self->b->offsets[j + 1] - self->b->offsets[j]) return 0;
    for (size_t e = self->a->offsets[point]; e < self->a->offsets[point + 1]; e++) {
        const size_t g = t->offsets[self->a->columns[e]];
        if (t->offsets[self->a->columns[e] + 1] != g + 1 || t->weights[g] != 1) return 0;
        if (*place++ != self->b->offsets[j] + (e - self->a->offsets[point])) return 0;
    }
    return 1;
}

static ruga_status make(block_congruence *self, const block_squares *squares) {
    block_pattern *pattern;
    TRY(ruga_map_transpose(self->t, &self->transpose));
    TRY(make_terms(self));
    if (self->squares.count > 0) TRY(list_square_unknowns(self, squares));
    TRY(block_pattern_create(self->context, self->t->columns, &pattern));
    ruga_status status = make_pattern(self, pattern);
    block_pattern_destroy(pattern);
    TRY(status);
    self->b->has_wide_elements = 1;
    for (size_t j = 0; j < self->t->columns; j++)
        for (size_t p = self->begins[j]; p < self->begins[j + 1]; p++)
            self->places[p] = block_matrix_entry(self->b, j, self->places[p]);
    TRY(NEW(self->context, &self->copied, self->t->columns));
    for (size_t j = 0; j < self->t->columns; j++) self->copied[j] = (unsigned char)is_copied(self, j);
    return self->squares.count > 0 ? find_square_entries(self) : RUGA_OK;
}

ruga_status block_congruence_create(const block_matrix *a, const ruga_map *t, const block_squares *squares,
                                    block_congruence **out) {
    block_congruence *self;
    if (t->rows != a->point_count)
        return fail_input(a->context, "a map of %zu rows does not fit a matrix over %zu points", t->rows,
                          a->point_count);
    TRY(NEW_ZEROED(a->context, &self, 1));
    self->context = a->context;
    self->a = a;
    self->t = t;
    for (const block_squares *list = squares; list; list = list->next) self->squares.count += list->count;
    RETURN_MADE(make(self, squares), self, out, block_congruence_destroy(self));
}

void block_congruence_destroy(block_congruence *self) {
    if (!self) return;
    square_rows *s = &self->squares;
    RELEASE_ALL(self->context, self->begins, self->places, self->copied, s->offsets, s->unknowns, s->slot_offsets,
                s->slots, s->weights, s->entry_offsets, s->entries, s->sums);
    block_matrix_destroy(self->b);
    ruga_map_destroy(self->transpose);
    memory_release(self->context, self);
}

block_matrix *block_congruence_matrix(const block_congruence *self) { return self->b; }

/* ---- Numbers. */

static void sum_row(const block_congruence *self, size_t j, double *out) {
    const ruga_map *t = self->t, *transpose = self->transpose;
    const block_matrix *a = self->a;
    const uint32_t *place = self->places + self->begins[j];
    for (size_t f = transpose->offsets[j]; f < transpose->offsets[j + 1]; f++) {
        uint32_t i = transpose->indices[f];
        for (size_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
            const double *from = a->blocks + BLOCK_NUMBERS * e;
            uint32_t k = a->columns[e];
            for (size_t g = t->offsets[k]; g < t->offsets[k + 1]; g++) {
                double weight = transpose->weights[f] * t->weights[g];
                double *to = out + BLOCK_NUMBERS * (size_t)*place++;
                for (int n = 0; n < BLOCK_NUMBERS; n++) to[n] += weight * from[n];
            }
        }
    }
}

static void sum_rows(void *argument, size_t begin, size_t end) {
    block_congruence *self = argument;
    const block_matrix *a = self->a;
    double *out = self->b->blocks;
    for (size_t j = begin; j < end; j++) {
        const size_t first = self->b->offsets[j], count = self->b->offsets[j + 1] - first;
        double *row = out + BLOCK_NUMBERS * first;
        if (self->copied[j]) {
            const uint32_t point = self->transpose->indices[self->transpose->offsets[j]];
            memcpy(row, a->blocks + BLOCK_NUMBERS * (size_t)a->offsets[point], BLOCK_NUMBERS * count * sizeof *row);
            continue;
        }
        memset(row, 0, BLOCK_NUMBERS * count * sizeof *row);
        sum_row(self, j, out);
    }
}

/* slot_offsets: those of the element's corners. */
static void add_square(block_congruence *self, size_t e, const size_t *slot_offsets, double scale, size_t corners,
                       const vec3 *vectors) {
    const square_rows *s = &self->squares;
    size_t count = s->offsets[e + 1] - s->offsets[e];
    const uint32_t *entries = s->entries + s->entry_offsets[e];
    for (size_t a = 0; a < count; a++) s->sums[a] = (vec3){0, 0, 0};
    for (size_t c = 0; c < corners; c++)
        for (size_t g = slot_offsets[c]; g < slot_offsets[c + 1]; g++)
            s->sums[s->slots[g]] = vec3_add_scaled(s->sums[s->slots[g]], vectors[c], s->weights[g]);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            mat3 block = {0};
            mat3_add_outer(&block, scale, s->sums[a], s->sums[b]);
            block_matrix_add_block(self->b, entries[count * a + b], 1, &block);
        }
}

void block_congruence_refresh(block_congruence *self, double scale, const block_squares *squares) {
    size_t element = 0, corner = 0;
    parallel_for(self->context, self->t->columns, ROW_BLOCK, sum_rows, self);
    for (const block_squares *list = self->squares.count > 0 ? squares : NULL; list; list = list->next)
        for (size_t e = 0; e < list->count; e++, element++, corner += list->corners)
            add_square(self, element, self->squares.slot_offsets + corner, scale, list->corners,
                       list->vectors + list->corners * e);
}
