/* Maps from the inside: their rows, and making them. */
#ifndef LINALG_MAP_H
#define LINALG_MAP_H

#include "base/memory.h"
#include "math/vec3.h"
#include "ruga/map.h"

/* Row `row` of the map times points; NULL: the map is the identity. */
static inline ruga_vec3 map_row_of(const ruga_map *map, const ruga_vec3 *points, size_t row) {
    vec3 out = {0, 0, 0};
    if (!map) return points[row];
    for (size_t e = map->offsets[row]; e < map->offsets[row + 1]; e++)
        out = vec3_add_scaled(out, points[map->indices[e]], map->weights[e]);
    return out;
}
/* points += scale times that row's transpose times a vector. */
static inline void map_add_row(const ruga_map *map, size_t row, ruga_vec3 vector, double scale, ruga_vec3 *points) {
    if (!map) {
        points[row] = vec3_add_scaled(points[row], vector, scale);
        return;
    }
    for (size_t e = map->offsets[row]; e < map->offsets[row + 1]; e++)
        points[map->indices[e]] = vec3_add_scaled(points[map->indices[e]], vector, scale * map->weights[e]);
}

/* Takes over three arrays from memory_allocate; sorts each row by column and adds up repeated columns. On failure they
 * are released. */
ruga_status map_from_rows(ruga_context *context, size_t rows, size_t columns, size_t *offsets, uint32_t *indices,
                          double *weights, ruga_map **out);

ruga_status map_copy(const ruga_map *map, ruga_map **out);
/* The first `count` of `columns` points, exactly. */
ruga_status map_select_first(ruga_context *context, size_t count, size_t columns, ruga_map **out);

/* ---- Row after row: make, put the entries of each row and end it, then finish or release. */
typedef struct map_builder {
    ruga_context *context;
    size_t *offsets;
    uint32_t *indices;
    double *weights;
    size_t rows, entries; /* so far */
} map_builder;

/* Room for this number of rows and of entries in all. */
ruga_status map_builder_make(ruga_context *context, size_t rows, size_t entries, map_builder *out);
void map_builder_release(map_builder *builder);
/* The rows that were ended, as a map; the builder is empty afterwards, also when it fails. */
ruga_status map_builder_finish(map_builder *builder, size_t columns, ruga_map **out);
/* The same for rows that rise already, none with a column twice: nothing is sorted. */
ruga_status map_builder_finish_rising(map_builder *builder, size_t columns, ruga_map **out);

/* So many rows at the beginning that copy: row i is column i. */
void map_builder_copy_rows(map_builder *builder, size_t count);

static inline void map_builder_put(map_builder *builder, uint32_t column, double weight) {
    builder->indices[builder->entries] = column;
    builder->weights[builder->entries++] = weight;
}
static inline void map_builder_end_row(map_builder *builder) { builder->offsets[++builder->rows] = builder->entries; }

#endif
