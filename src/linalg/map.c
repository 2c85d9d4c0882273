/* Sparse maps in compressed rows. Products over rows run in parallel; sums that scatter run in the order of the
 * rows. */
#include "linalg/map.h"

#include <string.h>

#include "base/sort.h"
#include "base/threads.h"

#define APPLY_BLOCK 2048 /* rows */
#define SHORT_ROW 32     /* entries that are sorted in place */

void ruga_map_destroy(ruga_map *map) {
    if (!map) return;
    RELEASE_ALL(map->context, (void *)map->offsets, (void *)map->indices, (void *)map->weights, map);
}

/* ---- Making. */

static void sort_short_row(uint32_t *indices, double *weights, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t index = indices[i];
        double weight = weights[i];
        size_t j = i;
        for (; j > 0 && indices[j - 1] > index; j--) {
            indices[j] = indices[j - 1];
            weights[j] = weights[j - 1];
        }
        indices[j] = index;
        weights[j] = weight;
    }
}

/* Sorts pairs of column and place, then fetches the weights; scratch holds (count) of each. */
static void sort_long_row(uint32_t *indices, double *weights, size_t count, uint64_t *keys, double *copy) {
    for (size_t i = 0; i < count; i++) keys[i] = (uint64_t)indices[i] << 32 | i;
    sort_keys(keys, count);
    memcpy(copy, weights, count * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        indices[i] = (uint32_t)(keys[i] >> 32);
        weights[i] = copy[(uint32_t)keys[i]];
    }
}

/* Moves a sorted row down to `end` while repeated columns are added up; returns the new end. */
static size_t merge_row(uint32_t *indices, double *weights, size_t begin, size_t stop, size_t end) {
    size_t first = end;
    for (size_t i = begin; i < stop; i++) {
        if (end > first && indices[end - 1] == indices[i]) {
            weights[end - 1] += weights[i];
        } else {
            indices[end] = indices[i];
            weights[end++] = weights[i];
        }
    }
    return end;
}

static ruga_status sort_rows(ruga_context *context, size_t rows, size_t *offsets, uint32_t *indices, double *weights) {
    size_t longest = 0, end = 0, begin = 0;
    for (size_t r = 0; r < rows; r++)
        if (offsets[r + 1] - offsets[r] > longest) longest = offsets[r + 1] - offsets[r];
    uint64_t *keys = NULL;
    if (longest > SHORT_ROW) TRY(NEW(context, &keys, 2 * longest)); /* with room for the weights after them */
    for (size_t r = 0; r < rows; r++) {
        size_t stop = offsets[r + 1], count = stop - begin;
        if (count > SHORT_ROW)
            sort_long_row(indices + begin, weights + begin, count, keys, (double *)(keys + longest));
        else
            sort_short_row(indices + begin, weights + begin, count);
        end = merge_row(indices, weights, begin, stop, end);
        offsets[r + 1] = end;
        begin = stop;
    }
    memory_release(context, keys);
    return RUGA_OK;
}

ruga_status map_builder_make(ruga_context *context, size_t rows, size_t entries, map_builder *out) {
    *out = (map_builder){.context = context};
    ruga_status status = NEW(context, &out->offsets, rows + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->indices, entries);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->weights, entries);
    if (RUGA_FAILED(status))
        map_builder_release(out);
    else
        out->offsets[0] = 0;
    return status;
}

void map_builder_release(map_builder *builder) {
    RELEASE_ALL(builder->context, builder->offsets, builder->indices, builder->weights);
    *builder = (map_builder){.context = builder->context};
}

void map_builder_copy_rows(map_builder *builder, size_t count) {
    for (size_t i = 0; i < count; i++) builder->indices[i] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) builder->weights[i] = 1;
    for (size_t i = 0; i <= count; i++) builder->offsets[i] = i;
    builder->rows = builder->entries = count;
}

ruga_status map_builder_finish(map_builder *builder, size_t columns, ruga_map **out) {
    ruga_status status =
        sort_rows(builder->context, builder->rows, builder->offsets, builder->indices, builder->weights);
    if (!RUGA_FAILED(status)) return map_builder_finish_rising(builder, columns, out);
    map_builder_release(builder);
    return status;
}

ruga_status map_builder_finish_rising(map_builder *builder, size_t columns, ruga_map **out) {
    ruga_map *map;
    TRY_OR(NEW(builder->context, &map, 1), map_builder_release(builder));
    *map = (ruga_map){builder->rows, columns, builder->offsets, builder->indices, builder->weights, builder->context};
    *builder = (map_builder){.context = builder->context};
    *out = map;
    return RUGA_OK;
}

ruga_status map_from_rows(ruga_context *context, size_t rows, size_t columns, size_t *offsets, uint32_t *indices,
                          double *weights, ruga_map **out) {
    map_builder builder = {context, offsets, indices, weights, rows, offsets[rows]};
    return map_builder_finish(&builder, columns, out);
}

ruga_status map_select_first(ruga_context *context, size_t count, size_t columns, ruga_map **out) {
    map_builder builder;
    TRY(map_builder_make(context, count, count, &builder));
    map_builder_copy_rows(&builder, count);
    return map_builder_finish_rising(&builder, columns, out);
}

ruga_status map_copy(const ruga_map *map, ruga_map **out) {
    size_t entries = map->offsets[map->rows];
    map_builder copy;
    TRY(map_builder_make(map->context, map->rows, entries, &copy));
    memcpy(copy.offsets, map->offsets, (map->rows + 1) * sizeof *copy.offsets);
    memcpy(copy.indices, map->indices, entries * sizeof *copy.indices);
    memcpy(copy.weights, map->weights, entries * sizeof *copy.weights);
    copy.rows = map->rows;
    return map_builder_finish_rising(&copy, map->columns, out);
}

/* ---- Applying. Sums begin with -0, which adds nothing, not even to -0: a row of one weight 1 copies bit for bit. */

typedef struct apply_task {
    const ruga_map *map;
    const double *x;
    double *y;
    size_t components;
} apply_task;

static void apply_points(void *argument, size_t begin, size_t end) {
    const apply_task *task = argument;
    const ruga_map *map = task->map;
    const ruga_vec3 *x = (const ruga_vec3 *)task->x;
    ruga_vec3 *y = (ruga_vec3 *)task->y;
    for (size_t r = begin; r < end; r++) {
        ruga_vec3 sum = {-0.0, -0.0, -0.0};
        for (size_t i = map->offsets[r]; i < map->offsets[r + 1]; i++) {
            const ruga_vec3 *p = &x[map->indices[i]];
            double w = map->weights[i];
            sum.x += w * p->x;
            sum.y += w * p->y;
            sum.z += w * p->z;
        }
        y[r] = map->offsets[r] < map->offsets[r + 1] ? sum : (ruga_vec3){0, 0, 0};
    }
}

static void apply_components(void *argument, size_t begin, size_t end) {
    const apply_task *task = argument;
    const ruga_map *map = task->map;
    for (size_t r = begin; r < end; r++) {
        double *y = task->y + r * task->components;
        int empty = map->offsets[r] == map->offsets[r + 1];
        for (size_t c = 0; c < task->components; c++) y[c] = empty ? 0 : -0.0;
        for (size_t i = map->offsets[r]; i < map->offsets[r + 1]; i++) {
            const double *x = task->x + map->indices[i] * task->components;
            for (size_t c = 0; c < task->components; c++) y[c] += map->weights[i] * x[c];
        }
    }
}

void ruga_map_apply(const ruga_map *map, const ruga_vec3 *x, ruga_vec3 *y) {
    apply_task task = {.map = map, .x = (const double *)x, .y = (double *)y, .components = 3};
    parallel_for(map->context, map->rows, APPLY_BLOCK, apply_points, &task);
}

void ruga_map_apply_scalars(const ruga_map *map, const double *x, size_t components, double *y) {
    apply_task task = {.map = map, .x = x, .y = y, .components = components};
    parallel_for(map->context, map->rows, APPLY_BLOCK, apply_components, &task);
}

void ruga_map_apply_transpose_add(const ruga_map *map, const ruga_vec3 *x, ruga_vec3 *y) {
    for (size_t r = 0; r < map->rows; r++)
        for (size_t i = map->offsets[r]; i < map->offsets[r + 1]; i++) {
            ruga_vec3 *sum = &y[map->indices[i]];
            double w = map->weights[i];
            sum->x += w * x[r].x;
            sum->y += w * x[r].y;
            sum->z += w * x[r].z;
        }
}

/* ---- Transpose and product. */

ruga_status ruga_map_transpose(const ruga_map *map, ruga_map **out) {
    map_builder t;
    TRY(map_builder_make(map->context, map->columns + 1, map->offsets[map->rows], &t));
    /* Counts stand two places on, so that filling leaves offsets[c + 1] where column c ends. */
    memset(t.offsets, 0, (map->columns + 2) * sizeof *t.offsets);
    for (size_t i = 0; i < map->offsets[map->rows]; i++) t.offsets[map->indices[i] + 2]++;
    for (size_t c = 0; c < map->columns; c++) t.offsets[c + 2] += t.offsets[c + 1];
    for (size_t r = 0; r < map->rows; r++)
        for (size_t i = map->offsets[r]; i < map->offsets[r + 1]; i++) {
            size_t place = t.offsets[map->indices[i] + 1]++;
            t.indices[place] = (uint32_t)r;
            t.weights[place] = map->weights[i];
        }
    t.rows = map->columns;
    return map_builder_finish_rising(&t, map->rows, out);
}

/* One row of second · first, its columns in the order they come up; returns how many. `slot_of` is (columns) of
 * UINT32_MAX and left so. With weights NULL it only lists the columns. */
static size_t multiply_row(const ruga_map *second, const ruga_map *first, size_t r, uint32_t *slot_of,
                           uint32_t *columns, double *weights) {
    size_t count = 0;
    for (size_t i = second->offsets[r]; i < second->offsets[r + 1]; i++) {
        size_t middle = second->indices[i];
        for (size_t j = first->offsets[middle]; j < first->offsets[middle + 1]; j++) {
            uint32_t column = first->indices[j];
            if (slot_of[column] == UINT32_MAX) {
                slot_of[column] = (uint32_t)count;
                columns[count] = column;
                if (weights) weights[count] = 0;
                count++;
            }
            if (weights) weights[slot_of[column]] += second->weights[i] * first->weights[j];
        }
    }
    for (size_t i = 0; i < count; i++) slot_of[columns[i]] = UINT32_MAX;
    return count;
}

ruga_status ruga_map_compose(const ruga_map *second, const ruga_map *first, ruga_map **out) {
    ruga_context *context = second->context;
    if (second->columns != first->rows)
        return fail_argument(context, "the second map takes %zu points, but the first gives %zu", second->columns,
                             first->rows);
    uint32_t *slot_of;
    TRY(NEW(context, &slot_of, 2 * first->columns));
    uint32_t *columns = slot_of + first->columns;
    for (size_t c = 0; c < first->columns; c++) slot_of[c] = UINT32_MAX;
    size_t entries = 0;
    for (size_t r = 0; r < second->rows; r++) entries += multiply_row(second, first, r, slot_of, columns, NULL);
    map_builder product;
    ruga_status status = map_builder_make(context, second->rows, entries, &product);
    for (size_t r = 0; r < second->rows && !RUGA_FAILED(status); r++) {
        size_t at = product.entries;
        product.entries += multiply_row(second, first, r, slot_of, product.indices + at, product.weights + at);
        map_builder_end_row(&product);
    }
    memory_release(context, slot_of);
    return RUGA_FAILED(status) ? status : map_builder_finish(&product, first->columns, out);
}
