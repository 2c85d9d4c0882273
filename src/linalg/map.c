/* Sparse maps in compressed rows. Products over rows run in parallel; what scatters runs in the order of the rows. */
#include "linalg/map.h"

#include <string.h>

#include "base/sort.h"
#include "base/threads.h"

#define APPLY_BLOCK 2048 /* rows */
#define SHORT_ROW 32     /* entries that are sorted in place */

void ruga_map_destroy(ruga_map *map) {
    if (!map) return;
    memory_release(map->context, (void *)map->offsets);
    memory_release(map->context, (void *)map->indices);
    memory_release(map->context, (void *)map->weights);
    memory_release(map->context, map);
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
    if (longest > SHORT_ROW) {
        keys = memory_allocate(context, longest, sizeof(uint64_t) + sizeof(double));
        if (!keys) return fail_memory(context, longest * sizeof *keys);
    }
    for (size_t r = 0; r < rows; r++) {
        size_t stop = offsets[r + 1], count = stop - begin;
        if (count > SHORT_ROW) {
            sort_long_row(indices + begin, weights + begin, count, keys, (double *)(keys + longest));
        } else {
            sort_short_row(indices + begin, weights + begin, count);
        }
        end = merge_row(indices, weights, begin, stop, end);
        offsets[r + 1] = end;
        begin = stop;
    }
    memory_release(context, keys);
    return RUGA_OK;
}

ruga_status map_from_rows(ruga_context *context, size_t rows, size_t columns, size_t *offsets, uint32_t *indices,
                          double *weights, ruga_map **out) {
    ruga_map *map = ALLOCATE(context, ruga_map, 1);
    ruga_status status = map && offsets && indices && weights ? sort_rows(context, rows, offsets, indices, weights)
                                                              : fail_memory(context, rows * sizeof *offsets);
    if (RUGA_FAILED(status)) {
        memory_release(context, offsets);
        memory_release(context, indices);
        memory_release(context, weights);
        memory_release(context, map);
        return status;
    }
    *map = (ruga_map){rows, columns, offsets, indices, weights, context};
    *out = map;
    return RUGA_OK;
}

ruga_status map_copy(const ruga_map *map, ruga_map **out) {
    ruga_context *context = map->context;
    size_t entries = map->offsets[map->rows];
    size_t *offsets = memory_copy(context, map->offsets, map->rows + 1, sizeof *offsets);
    uint32_t *indices = memory_copy(context, map->indices, entries, sizeof *indices);
    double *weights = memory_copy(context, map->weights, entries, sizeof *weights);
    return map_from_rows(context, map->rows, map->columns, offsets, indices, weights, out);
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
    ruga_context *context = map->context;
    size_t entries = map->offsets[map->rows];
    size_t *offsets = ALLOCATE_ZEROED(context, size_t, map->columns + 2);
    uint32_t *indices = ALLOCATE(context, uint32_t, entries);
    double *weights = ALLOCATE(context, double, entries);
    if (offsets && indices && weights) {
        /* Counts stand two places on, so that filling leaves offsets[c + 1] where column c ends. */
        for (size_t i = 0; i < entries; i++) offsets[map->indices[i] + 2]++;
        for (size_t c = 0; c < map->columns; c++) offsets[c + 2] += offsets[c + 1];
        for (size_t r = 0; r < map->rows; r++)
            for (size_t i = map->offsets[r]; i < map->offsets[r + 1]; i++) {
                size_t place = offsets[map->indices[i] + 1]++;
                indices[place] = (uint32_t)r;
                weights[place] = map->weights[i];
            }
    }
    return map_from_rows(context, map->columns, map->rows, offsets, indices, weights, out);
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
        return fail_with(context, RUGA_ERROR_ARGUMENT, "the second map takes %zu points, but the first gives %zu",
                         second->columns, first->rows);
    size_t rows = second->rows, *offsets = ALLOCATE(context, size_t, rows + 1);
    uint32_t *slot_of = ALLOCATE(context, uint32_t, 2 * first->columns);
    uint32_t *columns = slot_of ? slot_of + first->columns : NULL;
    uint32_t *indices = NULL;
    double *weights = NULL;
    if (offsets && slot_of) {
        for (size_t c = 0; c < first->columns; c++) slot_of[c] = UINT32_MAX;
        offsets[0] = 0;
        for (size_t r = 0; r < rows; r++)
            offsets[r + 1] = offsets[r] + multiply_row(second, first, r, slot_of, columns, NULL);
        indices = ALLOCATE(context, uint32_t, offsets[rows]);
        weights = ALLOCATE(context, double, offsets[rows]);
    }
    for (size_t r = 0; indices && weights && r < rows; r++)
        multiply_row(second, first, r, slot_of, indices + offsets[r], weights + offsets[r]);
    memory_release(context, slot_of);
    return map_from_rows(context, rows, first->columns, offsets, indices, weights, out);
}

ruga_status map_builder_make(ruga_context *context, size_t rows, size_t entries, map_builder *out) {
    map_builder builder = {.context = context,
                           .offsets = ALLOCATE(context, size_t, rows + 1),
                           .indices = ALLOCATE(context, uint32_t, entries),
                           .weights = ALLOCATE(context, double, entries)};
    if (!builder.offsets || !builder.indices || !builder.weights) {
        map_builder_release(&builder);
        return fail_memory(context, entries * sizeof(double));
    }
    builder.offsets[0] = 0;
    *out = builder;
    return RUGA_OK;
}

void map_builder_release(map_builder *builder) {
    memory_release(builder->context, builder->offsets);
    memory_release(builder->context, builder->indices);
    memory_release(builder->context, builder->weights);
    *builder = (map_builder){.context = builder->context};
}

void map_builder_copy_rows(map_builder *builder, size_t count) {
    for (size_t i = 0; i < count; i++) builder->indices[i] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) builder->weights[i] = 1;
    for (size_t i = 0; i <= count; i++) builder->offsets[i] = i;
    builder->rows = builder->entries = count;
}

ruga_status map_builder_finish(map_builder *builder, size_t columns, ruga_map **out) {
    map_builder b = *builder;
    *builder = (map_builder){.context = b.context};
    return map_from_rows(b.context, b.rows, columns, b.offsets, b.indices, b.weights, out);
}

ruga_status map_builder_finish_rising(map_builder *builder, size_t columns, ruga_map **out) {
    ruga_map *map = ALLOCATE(builder->context, ruga_map, 1);
    if (!map) {
        map_builder_release(builder);
        return fail_memory(builder->context, sizeof *map);
    }
    *map = (ruga_map){builder->rows, columns, builder->offsets, builder->indices, builder->weights, builder->context};
    *builder = (map_builder){.context = builder->context};
    *out = map;
    return RUGA_OK;
}
