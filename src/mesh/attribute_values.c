/* Values of attributes for a new mesh: see attribute_values.h. */
#include "mesh/attribute_values.h"

#include <math.h>
#include <string.h>

#include "linalg/map.h"

/* ---- Single values. */

static int is_floating(const ruga_attribute *a) { return a->type == RUGA_F32 || a->type == RUGA_F64; }

/* How many leading components are a direction of unit length. */
static uint32_t direction_size(const ruga_attribute *a) {
    if (!is_floating(a)) return 0;
    if (a->components == 3 && !strcmp(a->name, "normal")) return 3;
    return a->components == 4 && !strcmp(a->name, "tangent") ? 3 : 0;
}

/* Integers and directions. */
static void mix_any(const ruga_attribute *a, double sum, size_t count, const uint32_t *points, const double *weights,
                    void *values, size_t out) {
    size_t largest = 0, first = out * a->components;
    for (size_t k = 1; k < count; k++)
        if (weights[k] > weights[largest]) largest = k;
    uint32_t direction = direction_size(a);
    for (uint32_t c = 0; c < a->components; c++) {
        double value = mesh_scalar_get(a->type, a->values, (size_t)points[largest] * a->components + c);
        if ((a->normalised || is_floating(a)) && (direction == 0 || c < direction)) {
            value = 0;
            for (size_t k = 0; k < count; k++)
                if (weights[k] != 0)
                    value += weights[k] * mesh_scalar_get(a->type, a->values, (size_t)points[k] * a->components + c);
            value = mesh_scalar_clamp(a->type, value / sum);
        }
        mesh_scalar_set(a->type, values, first + c, value);
    }
    double length2 = 0;
    for (size_t k = 0; k < direction; k++) {
        double x = mesh_scalar_get(a->type, values, first + k);
        length2 += x * x;
    }
    for (size_t k = 0; k < direction && length2 > 0; k++)
        mesh_scalar_set(a->type, values, first + k, mesh_scalar_get(a->type, values, first + k) / sqrt(length2));
}

/* A value of weight 0 is not read: it need not be finite. */
#define MIX_FLOATING(type)                                                                                   \
    for (size_t c = 0, n = a->components; c < n; c++) {                                                      \
        double value = 0;                                                                                    \
        for (size_t k = 0; k < count; k++)                                                                   \
            if (weights[k] != 0) value += weights[k] * (double)((const type *)a->values)[points[k] * n + c]; \
        ((type *)values)[out * n + c] = (type)(value / sum);                                                 \
    }

void mix_values(const ruga_attribute *a, double sum, size_t count, const uint32_t *points, const double *weights,
                void *values, size_t out) {
    if (!is_floating(a) || direction_size(a) > 0) {
        mix_any(a, sum, count, points, weights, values, out);
    } else if (a->type == RUGA_F32) {
        MIX_FLOATING(float)
    } else {
        MIX_FLOATING(double)
    }
}

/* ---- Whole attributes. */

size_t value_size(const ruga_attribute *a) { return ruga_scalar_size(a->type) * a->components; }

ruga_status add_like(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count, void *values,
                     uint32_t *indices) {
    TRY(mesh_parts_add(context, parts, a->name, a->domain, a->type, a->components, count, values, indices));
    parts->attributes.items[parts->attributes.count - 1].normalised = a->normalised;
    return a->label_count > 0 ? mesh_parts_set_labels(context, parts, a->labels, a->label_count) : RUGA_OK;
}

/* A copy of the values with room for `more`, in an array of a room (NULL: new memory). */
static ruga_status grow_values_in(ruga_context *context, cut_room *room, size_t array, const ruga_attribute *a,
                                  size_t more, void **out) {
    size_t size = value_size(a);
    if (a->count + more > SIZE_MAX / size) return fail_memory(context, SIZE_MAX);
    return cut_room_copy(context, room, array, (a->count + more) * size, a->values, a->count * size, out);
}

ruga_status grow_values(ruga_context *context, const ruga_attribute *a, size_t more, void **out) {
    unsigned char *values;
    TRY(NEW_SIZED(context, &values, a->count + more, value_size(a)));
    if (a->count > 0) memcpy(values, a->values, a->count * value_size(a));
    *out = values;
    return RUGA_OK;
}

ruga_status pick_items(ruga_context *context, const void *items, size_t size, const uint32_t *numbers, size_t count,
                       void **out) {
    unsigned char *picked;
    TRY(NEW(context, &picked, count * size));
    for (size_t i = 0; i < count; i++)
        memcpy(picked + i * size, (const unsigned char *)items + (size_t)numbers[i] * size, size);
    *out = picked;
    return RUGA_OK;
}

ruga_status add_picked(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, size_t count,
                       const uint32_t *origin) {
    void *picked, *values;
    TRY(pick_items(context, a->indices ? a->indices : a->values, a->indices ? sizeof *a->indices : value_size(a),
                   origin, count, &picked));
    if (!a->indices) return add_like(context, parts, a, count, picked, NULL);
    TRY_OR(grow_values(context, a, 0, &values), memory_release(context, picked));
    return add_like(context, parts, a, a->count, values, picked);
}

/* ---- After a cut. */

void index_cut_release(ruga_context *context, index_cut *cut) {
    RELEASE_ALL(context, cut->corners, cut->sources);
    *cut = (index_cut){0};
}

/* The values of an attribute, then those of the sources; one that depends on an element without a value has none.
 * numbers: (source_count) the index of each new value, or NO_INDEX; may be NULL. */
static ruga_status mixed_values(ruga_context *context, const ruga_attribute *a, double unit, const index_cut *cut,
                                uint32_t *numbers, size_t *total, void **out) {
    void *values;
    TRY(grow_values_in(context, cut->room, cut->array, a, cut->source_count, &values));
    *total = a->count;
    for (size_t i = 0; i < cut->source_count; i++) {
        const index_source *s = &cut->sources[i];
        int missing = s->indices[0] >= a->count || s->indices[1] >= a->count || s->indices[2] >= a->count;
        if (numbers) numbers[i] = missing ? NO_INDEX : (uint32_t)*total;
        if (!missing) mix_values(a, unit, 3, s->indices, s->weights, values, (*total)++);
    }
    *out = values;
    return RUGA_OK;
}

ruga_status add_cut_vertices(const ruga_mesh *mesh, mesh_parts *parts, const ruga_attribute *a, double unit,
                             const index_cut *vertices) {
    ruga_context *context = mesh->context;
    size_t old = mesh->vertex_count, count = vertices->source_count, total;
    void *values;
    if (!a->indices) {
        TRY(mixed_values(context, a, unit, vertices, NULL, &total, &values));
        return add_like(context, parts, a, total, values, NULL);
    }
    index_cut named = {.source_count = count, .room = vertices->room, .array = vertices->array};
    uint32_t *indices = NULL;
    ruga_status status = NEW_COPY(context, &named.sources, vertices->sources, count);
    if (!RUGA_FAILED(status)) status = NEW(context, &indices, old + count);
    if (!RUGA_FAILED(status)) {
        memcpy(indices, a->indices, old * sizeof *indices);
        for (size_t i = 0; i < 3 * count; i++) {
            uint32_t *index = &named.sources[i / 3].indices[i % 3];
            *index = a->indices[*index];
        }
        status = mixed_values(context, a, unit, &named, indices + old, &total, &values);
        if (RUGA_FAILED(status))
            memory_release(context, indices);
        else
            status = add_like(context, parts, a, total, values, indices);
    }
    index_cut_release(context, &named);
    return status;
}

ruga_status add_cut_corners(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, double unit,
                            size_t first_new, index_cut *cut) {
    uint32_t *numbers;
    size_t total;
    void *values;
    TRY(NEW(context, &numbers, cut->source_count));
    TRY_OR(mixed_values(context, a, unit, cut, numbers, &total, &values), memory_release(context, numbers));
    /* When no new value is missing, they have their numbers already. */
    int is_numbered = first_new == a->count && total == a->count + cut->source_count;
    for (size_t i = 0; !is_numbered && i < parts->corner_count; i++) {
        uint32_t *corner = &cut->corners[i];
        if (*corner >= a->count)
            *corner = *corner >= first_new && *corner != NO_INDEX ? numbers[*corner - first_new] : NO_INDEX;
    }
    memory_release(context, numbers);
    uint32_t *corners = cut->corners;
    cut->corners = NULL;
    return add_like(context, parts, a, total, values, corners);
}

ruga_status add_cut_splits(const ruga_mesh *mesh, mesh_parts *parts, index_cut *splits) {
    size_t old = mesh->split_count;
    TRY(NEW(mesh->context, &parts->split_vertex, old + splits->source_count));
    memcpy(parts->split_vertex, mesh->split_vertex, old * sizeof *parts->split_vertex);
    for (size_t i = 0; i < parts->corner_count; i++)
        if (splits->corners[i] >= old) parts->split_vertex[splits->corners[i]] = parts->face_vertices[i];
    parts->split_count = old + splits->source_count;
    parts->corner_split = splits->corners;
    splits->corners = NULL;
    return RUGA_OK;
}

ruga_status add_cut_split_values(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, double unit,
                                 const index_cut *splits) {
    size_t total;
    void *values;
    TRY(mixed_values(context, a, unit, splits, NULL, &total, &values));
    return add_like(context, parts, a, total, values, parts->corner_split);
}

/* Sorts the entries with a weight by index, to the front; returns how many there are. */
static size_t sort_source(index_source *s) {
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        if (!(s->weights[k] > 0)) continue;
        uint32_t index = s->indices[k];
        double weight = s->weights[k];
        size_t at = count++;
        for (; at > 0 && s->indices[at - 1] > index; at--) {
            s->indices[at] = s->indices[at - 1];
            s->weights[at] = s->weights[at - 1];
        }
        s->indices[at] = index;
        s->weights[at] = weight;
    }
    return count;
}

/* As map_builder_make with rows that copy, of which the room may still have some. */
static ruga_status begin_map(ruga_context *context, cut_room *room, size_t old_count, size_t added, map_builder *b) {
    size_t entries = old_count + 3 * added, kept[3];
    *b = (map_builder){.context = context};
    TRY(cut_room_take(context, room, ROOM_MAP_OFFSETS, (old_count + added + 1) * sizeof *b->offsets,
                      (old_count + 1) * sizeof *b->offsets, (void **)&b->offsets, &kept[0]));
    TRY(cut_room_take(context, room, ROOM_MAP_INDICES, entries * sizeof *b->indices, old_count * sizeof *b->indices,
                      (void **)&b->indices, &kept[1]));
    TRY(cut_room_take(context, room, ROOM_MAP_WEIGHTS, entries * sizeof *b->weights, old_count * sizeof *b->weights,
                      (void **)&b->weights, &kept[2]));
    for (size_t i = kept[0] / sizeof *b->offsets; i <= old_count; i++) b->offsets[i] = i;
    for (size_t i = kept[1] / sizeof *b->indices; i < old_count; i++) b->indices[i] = (uint32_t)i;
    for (size_t i = kept[2] / sizeof *b->weights; i < old_count; i++) b->weights[i] = 1;
    b->rows = b->entries = old_count;
    return RUGA_OK;
}

ruga_status index_cut_map(ruga_context *context, size_t old_count, double unit, const index_cut *cut, ruga_map **out) {
    map_builder b;
    TRY_OR(begin_map(context, cut->room, old_count, cut->source_count, &b), map_builder_release(&b));
    int rising = 1;
    for (size_t i = 0; i < cut->source_count; i++) {
        index_source source = cut->sources[i];
        size_t count = sort_source(&source);
        for (size_t k = 0; k < count; k++) {
            rising &= k == 0 || source.indices[k - 1] < source.indices[k];
            map_builder_put(&b, source.indices[k], source.weights[k] / unit);
        }
        map_builder_end_row(&b);
    }
    return rising ? map_builder_finish_rising(&b, old_count, out) : map_builder_finish(&b, old_count, out);
}

/* ---- Lines and edges. */

static ruga_status append_polyline(const ruga_mesh *mesh, const topology *topo, const uint32_t *edge_offsets,
                                   const uint32_t *vertices, size_t count, index_array *out) {
    for (size_t i = 0; i < count; i++) {
        uint32_t a = i > 0 ? vertices[i - 1] : vertices[i], b = vertices[i];
        uint32_t e = a == b ? NO_INDEX : topology_find_edge(topo, a, b);
        uint32_t begin = e == NO_INDEX ? 0 : edge_offsets[e], points = e == NO_INDEX ? 0 : edge_offsets[e + 1] - begin;
        TRY(ARRAY_RESERVE(mesh->context, out, (size_t)points + 1));
        for (uint32_t p = 0; p < points; p++)
            out->items[out->count++] = (uint32_t)mesh->vertex_count + begin + (a < b ? p : points - 1 - p);
        out->items[out->count++] = b;
    }
    if (out->count >= UINT32_MAX)
        return fail_argument(mesh->context, "the finer lines would have more than 2^32 points");
    return RUGA_OK;
}

/* pieces: the new edges. line: one old edge with its new points. */
static ruga_status split_edges(const ruga_mesh *mesh, const topology *topo, const uint32_t *edge_offsets,
                               index_array *pieces, index_array *line, index_array *origin) {
    for (size_t e = 0; e < mesh->edge_count; e++) {
        line->count = 0;
        TRY(append_polyline(mesh, topo, edge_offsets, mesh->edges + 2 * e, 2, line));
        TRY(ARRAY_RESERVE(mesh->context, pieces, 2 * line->count));
        TRY(ARRAY_RESERVE(mesh->context, origin, line->count));
        for (size_t i = 0; i + 1 < line->count; i++) {
            pieces->items[pieces->count++] = line->items[i];
            pieces->items[pieces->count++] = line->items[i + 1];
            origin->items[origin->count++] = (uint32_t)e;
        }
    }
    return RUGA_OK;
}

ruga_status add_lines_and_edges(const ruga_mesh *mesh, const topology *topo, const uint32_t *edge_offsets,
                                mesh_parts *parts, index_array *origin) {
    index_array lines = {0}, pieces = {0}, line = {0};
    ruga_status status = RUGA_OK;
    if (mesh->line_count > 0) status = NEW_ZEROED(mesh->context, &parts->line_offsets, mesh->line_count + 1);
    for (size_t l = 0; l < mesh->line_count && !RUGA_FAILED(status); l++) {
        size_t begin = mesh->line_offsets[l], count = mesh->line_offsets[l + 1] - begin;
        status = append_polyline(mesh, topo, edge_offsets, mesh->line_vertices + begin, count, &lines);
        parts->line_offsets[l + 1] = (uint32_t)lines.count;
    }
    parts->line_count = mesh->line_count;
    parts->line_vertices = lines.items;
    if (!RUGA_FAILED(status)) status = split_edges(mesh, topo, edge_offsets, &pieces, &line, origin);
    ARRAY_RELEASE(mesh->context, &line);
    parts->edge_count = pieces.count / 2;
    parts->edges = pieces.items;
    return status;
}
