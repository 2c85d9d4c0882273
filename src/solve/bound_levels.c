/* Two levels for bound steps: see bound_levels.h. */
#include "solve/bound_levels.h"

#include <math.h>
#include <string.h>

/* A difference between points, with the point that its place is beside. */
typedef struct difference {
    uint32_t unknown, anchor; /* unknowns */
    double length;            /* m */
} difference;

struct bound_levels {
    ruga_context *context;
    size_t count; /* unknowns */
    size_t difference_count;
    difference *differences;
    ruga_map *exchange; /* Q */
    ruga_map *places;   /* T Q */
    block_congruence *product;
    two_level *levels;
    vec3 *in; /* (count) scratch */
};

/* The point with the largest weight of an unknown, and the unknown that this point belongs to. */
static int find_anchor(const bound *space, uint32_t unknown, difference *out) {
    const ruga_map *t = space->map, *transpose = space->transpose;
    uint32_t point = NO_UNKNOWN;
    *out = (difference){unknown, NO_UNKNOWN, 0};
    for (size_t e = transpose->offsets[unknown]; e < transpose->offsets[unknown + 1]; e++) {
        if (!(fabs(transpose->weights[e]) > fabs(out->length))) continue;
        out->length = transpose->weights[e];
        point = transpose->indices[e];
    }
    for (size_t e = point == NO_UNKNOWN ? 0 : t->offsets[point]; point != NO_UNKNOWN && e < t->offsets[point + 1]; e++)
        if (space->point_of[t->indices[e]] != NO_UNKNOWN) out->anchor = t->indices[e];
    return out->anchor != NO_UNKNOWN;
}

static ruga_status find_differences(const bound *space, bound_levels *self) {
    TRY(NEW(self->context, &self->differences, self->count));
    for (uint32_t j = 0; j < self->count; j++)
        if (space->point_of[j] == NO_UNKNOWN && find_anchor(space, j, &self->differences[self->difference_count]))
            self->difference_count++;
    return RUGA_OK;
}

static ruga_status make_exchange(bound_levels *self) {
    map_builder rows;
    size_t next = 0;
    TRY(map_builder_make(self->context, self->count, self->count + self->difference_count, &rows));
    for (uint32_t j = 0; j < self->count; j++) {
        const difference *d = &self->differences[next];
        if (next < self->difference_count && d->unknown == j) {
            map_builder_put(&rows, j, 1 / d->length);
            map_builder_put(&rows, d->anchor, -1 / d->length);
            next++;
        } else {
            map_builder_put(&rows, j, 1);
        }
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, self->count, &self->exchange);
}

/* ---- Aggregates. */

/* The unknown that a point moves with, as a place on its own side of a fold: itself, or the place z whose difference
 * moves it most, if the anchor of z is on the side of the point's own unknown. NO_UNKNOWN: none. */
static uint32_t place_of(const bound *space, const double *lengths, size_t point) {
    const ruga_map *t = space->map;
    uint32_t found = space->unknown_of[point];
    double most = 0;
    if (found != NO_UNKNOWN) return found;
    for (size_t e = t->offsets[point]; e < t->offsets[point + 1]; e++) {
        double length = lengths[t->indices[e]];
        if (length == 0 || t->weights[e] / length <= most) continue;
        most = t->weights[e] / length;
        found = t->indices[e];
    }
    return found;
}

/* Joins the places of points that the matrix of points joins: aggregates then end at folds, so that the coarse level
 * can fold. */
static ruga_status join_places(const block_matrix *matrix, const uint32_t *places, size_t count, uint32_t **offsets,
                               uint32_t **columns) {
    ruga_context *context = matrix->context;
    TRY(NEW_ZEROED(context, offsets, count + 2));
    TRY(NEW(context, columns, matrix->offsets[matrix->point_count]));
    uint32_t *fronts = *offsets + 1;
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < matrix->point_count; i++)
            for (uint32_t e = matrix->offsets[i]; e < matrix->offsets[i + 1]; e++) {
                uint32_t from = places[i], to = places[matrix->columns[e]];
                if (from == NO_UNKNOWN || to == NO_UNKNOWN || from == to) continue;
                if (fill) (*columns)[fronts[from]] = to;
                fronts[from + !fill]++;
            }
        for (size_t j = 0; !fill && j < count; j++) fronts[j + 1] += fronts[j];
    }
    return RUGA_OK;
}

static ruga_status make_levels(const bound *space, const block_matrix *matrix, size_t aggregate_size,
                               bound_levels *self) {
    ruga_context *context = self->context;
    uint32_t *places = NULL, *offsets = NULL, *columns = NULL;
    double *lengths = NULL;
    ruga_status status = NEW(context, &places, space->map->rows);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &lengths, self->count);
    if (!RUGA_FAILED(status)) {
        for (size_t k = 0; k < self->difference_count; k++)
            lengths[self->differences[k].unknown] = self->differences[k].length;
        for (size_t i = 0; i < space->map->rows; i++) places[i] = place_of(space, lengths, i);
        status = join_places(matrix, places, self->count, &offsets, &columns);
    }
    const two_level_graph graph = {offsets, columns};
    if (!RUGA_FAILED(status))
        status = two_level_create(block_congruence_matrix(self->product), &graph, aggregate_size, &self->levels);
    if (!RUGA_FAILED(status) && aggregate_size > 0) two_level_bound_by_numbers(self->levels);
    RELEASE_ALL(context, places, lengths, offsets, columns);
    return status;
}

static ruga_status make(const bound *space, const block_matrix *matrix, const block_squares *squares,
                        size_t aggregate_size, bound_levels *self) {
    TRY(find_differences(space, self));
    TRY(make_exchange(self));
    TRY(ruga_map_compose(space->map, self->exchange, &self->places));
    TRY(block_congruence_create(matrix, self->places, squares, &self->product));
    TRY(NEW(self->context, &self->in, self->count));
    return make_levels(space, matrix, aggregate_size, self);
}

ruga_status bound_levels_create(const bound *space, const block_matrix *matrix, const block_squares *squares,
                                size_t aggregate_size, bound_levels **out) {
    bound_levels *self;
    TRY(NEW_ZEROED(space->context, &self, 1));
    self->context = space->context;
    self->count = space->map->columns;
    RETURN_MADE(make(space, matrix, squares, aggregate_size, self), self, out, bound_levels_destroy(self));
}

void bound_levels_destroy(bound_levels *self) {
    if (!self) return;
    two_level_destroy(self->levels);
    block_congruence_destroy(self->product);
    ruga_map_destroy(self->places);
    ruga_map_destroy(self->exchange);
    RELEASE_ALL(self->context, self->differences, self->in);
    memory_release(self->context, self);
}

static const difference *difference_of(const bound_levels *self, uint32_t unknown) {
    size_t low = 0, high = self->difference_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->differences[middle].unknown < unknown)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->difference_count && self->differences[low].unknown == unknown ? &self->differences[low] : NULL;
}

/* A block of a difference, |D|² = |z - c|² / l², acts between its place and its anchor. */
static void add_further_block(const bound_levels *self, const point_block *block) {
    block_matrix *m = block_congruence_matrix(self->product);
    const double *b = block->more;
    const mat3 full = {{{b[0], b[3], b[4]}, {b[3], b[1], b[5]}, {b[4], b[5], b[2]}}};
    const difference *d = difference_of(self, block->point);
    double scale = d ? 1 / (d->length * d->length) : 1;
    block_matrix_add_block(m, m->diagonals[block->point], scale, &full);
    if (!d) return;
    block_matrix_add_block(m, m->diagonals[d->anchor], scale, &full);
    block_matrix_add_block(m, block_matrix_entry(m, d->unknown, d->anchor), -scale, &full);
    block_matrix_add_block(m, block_matrix_entry(m, d->anchor, d->unknown), -scale, &full);
}

int bound_levels_refresh(bound_levels *self, double scale, const block_squares *squares, const point_block *blocks,
                         size_t block_count, const vec3 *unknowns, two_level_hold_function *holds, const void *user) {
    memcpy(self->in, unknowns, self->count * sizeof *unknowns);
    for (size_t k = 0; k < self->difference_count; k++) {
        const difference *d = &self->differences[k];
        self->in[d->unknown] = vec3_add_scaled(unknowns[d->anchor], unknowns[d->unknown], d->length);
    }
    block_congruence_refresh(self->product, scale, squares);
    for (size_t k = 0; k < block_count; k++) add_further_block(self, &blocks[k]);
    return two_level_refresh(self->levels, self->in, holds, user);
}

int bound_levels_change_holds(bound_levels *self, two_level_hold_function *holds, const void *user) {
    return two_level_change(self->levels, 0, holds, user);
}

void bound_levels_apply(bound_levels *self, const unsigned char *locked, const vec3 *in, vec3 *out) {
    memcpy(self->in, in, self->count * sizeof *in);
    for (size_t k = 0; k < self->difference_count; k++) {
        const difference *d = &self->differences[k];
        self->in[d->unknown] = vec3_scale(in[d->unknown], locked[d->unknown] ? 0 : 1 / d->length);
        self->in[d->anchor] = vec3_sub(self->in[d->anchor], self->in[d->unknown]);
    }
    two_level_apply(self->levels, self->in, out);
    for (size_t k = 0; k < self->difference_count; k++) {
        const difference *d = &self->differences[k];
        double scale = locked[d->unknown] ? 0 : 1 / d->length;
        out[d->unknown] = vec3_scale(vec3_sub(out[d->unknown], out[d->anchor]), scale);
    }
}
