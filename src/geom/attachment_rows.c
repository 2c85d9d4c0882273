/* Rows of attachments: rows in tets, reordering, and packing for the kernels. */
#include "geom/attachment_parts.h"
#include "geom/embed.h"

void sparse_rows_release(ruga_context *context, sparse_rows *rows) {
    RELEASE_ALL(context, rows->offsets, rows->entries);
    *rows = (sparse_rows){0};
}

static ruga_status make_rows(ruga_context *context, size_t count, size_t entries, sparse_rows *out) {
    *out = (sparse_rows){.count = count};
    ruga_status status = NEW(context, &out->offsets, count + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->entries, entries);
    if (RUGA_FAILED(status)) sparse_rows_release(context, out);
    return status;
}

ruga_status rows_in_tets(const ruga_mesh *base, size_t count, const ruga_vec3 *points, sparse_rows *out) {
    ruga_map *map;
    TRY(embed_in_tets(base, points, count, &map));
    ruga_status status = make_rows(base->context, count, map->offsets[count], out);
    if (!RUGA_FAILED(status)) {
        for (size_t i = 0; i <= count; i++) out->offsets[i] = map->offsets[i];
        for (size_t e = 0; e < map->offsets[count]; e++)
            out->entries[e] = (row_entry){.vertex = map->indices[e], .weight = (float)map->weights[e]};
    }
    ruga_map_destroy(map);
    return status;
}

ruga_status sparse_rows_reorder(ruga_context *context, const sparse_rows *rows, size_t count, const uint32_t *order,
                                uint32_t padding, sparse_rows *out) {
    size_t entries = 0;
    for (size_t i = 0; i < count; i++)
        entries += order[i] == UINT32_MAX ? 1 : rows->offsets[order[i] + 1] - rows->offsets[order[i]];
    TRY(make_rows(context, count, entries, out));
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        out->offsets[i] = next;
        if (order[i] == UINT32_MAX) {
            out->entries[next++] = (row_entry){.vertex = padding, .weight = 1};
            continue;
        }
        for (size_t e = rows->offsets[order[i]]; e < rows->offsets[order[i] + 1]; e++)
            out->entries[next++] = rows->entries[e];
    }
    out->offsets[count] = next;
    return RUGA_OK;
}

/* ---- Side by side. */

void packed_rows_release(ruga_context *context, packed_rows *packed) {
    RELEASE_ALL(context, packed->offsets, packed->vertices);
    memory_release_aligned(context, packed->weights);
    *packed = (packed_rows){0};
}

static size_t row_length(const sparse_rows *rows, size_t row) { return rows->offsets[row + 1] - rows->offsets[row]; }

/* The second row of a pair; the first one again for the last of an odd number. */
static size_t second_row(const sparse_rows *rows, size_t pair) {
    return 2 * pair + 1 < rows->count ? 2 * pair + 1 : 2 * pair;
}

static size_t pair_length(const sparse_rows *rows, size_t pair) {
    size_t a = row_length(rows, 2 * pair), b = row_length(rows, second_row(rows, pair));
    return a > b ? a : b;
}

static void pack_row(const sparse_rows *rows, size_t row, size_t half, size_t begin, size_t end, packed_rows *out) {
    const row_entry *entries = rows->entries + rows->offsets[row];
    for (size_t s = begin; s < end; s++) {
        row_entry entry = {.vertex = entries[0].vertex};
        if (s - begin < row_length(rows, row)) entry = entries[s - begin];
        out->vertices[2 * s + half] = entry.vertex;
        float *weights = out->weights + 8 * s + 4 * half;
        weights[0] = entry.weight, weights[1] = entry.along, weights[2] = entry.across, weights[3] = 0;
    }
}

ruga_status pack_rows(ruga_context *context, const sparse_rows *rows, packed_rows *out) {
    size_t pairs = (rows->count + 1) / 2, steps = 0;
    for (size_t i = 0; i < pairs; i++) steps += pair_length(rows, i);
    if (steps > UINT32_MAX)
        return fail_input(context, "%zu points are attached to too many vertices: 2^32 is the limit", rows->count);
    *out = (packed_rows){0};
    ruga_status status = NEW(context, &out->offsets, pairs + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->vertices, 2 * steps);
    if (!RUGA_FAILED(status)) status = NEW_ALIGNED(context, &out->weights, 8 * steps);
    TRY_OR(status, packed_rows_release(context, out));
    out->offsets[0] = 0;
    for (size_t i = 0; i < pairs; i++) {
        size_t begin = out->offsets[i], end = begin + pair_length(rows, i);
        out->offsets[i + 1] = (uint32_t)end;
        pack_row(rows, 2 * i, 0, begin, end, out);
        pack_row(rows, second_row(rows, i), 1, begin, end, out);
    }
    return RUGA_OK;
}
