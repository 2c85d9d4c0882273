/* Attributes across a map: see carry.h. */
#include "mesh/carry.h"

#include <math.h>
#include <string.h>

#include "linalg/map.h"
#include "mesh/attribute_values.h"

/* The faces or edges at each vertex of the old mesh. */
typedef struct incidence {
    uint32_t *offsets;  /* (vertex_count + 1) into elements */
    uint32_t *elements; /* rising at each vertex */
} incidence;

typedef struct carrier {
    ruga_context *context;
    const ruga_mesh *from, *to;
    const ruga_map *map;
    incidence faces, edges;                /* of `from` */
    uint32_t *face_parents, *edge_parents; /* (faces and edges of `to`) of `from`; NO_INDEX: none */
    double *shares;                        /* (vertices of `from`) in the current element; 0 elsewhere */
    index_array touched;                   /* vertices with a share */
    /* The values that the current vertex or corner mixes: */
    index_array points; /* vertices or corners of `from`, then values of the attribute */
    ARRAY(double) weights;
    uint32_t *first_value,
        *next_value; /* (vertices, corners of `to`) lists of new values at each vertex, for sharing */
} carrier;

/* ---- Parents. */

static size_t element_begin(const ruga_mesh *mesh, int is_edge, size_t i) {
    return is_edge ? 2 * i : mesh_face_begin(mesh, i);
}

static ruga_status make_incidence(ruga_context *context, const ruga_mesh *mesh, int is_edge, incidence *out) {
    size_t count = is_edge ? mesh->edge_count : mesh->face_count;
    const uint32_t *vertices = is_edge ? mesh->edges : mesh->face_vertices;
    TRY(NEW_ZEROED(context, &out->offsets, mesh->vertex_count + 2));
    TRY(NEW(context, &out->elements, element_begin(mesh, is_edge, count)));
    /* Counts are stored two entries further on, so that the offsets are right after filling. */
    for (size_t c = 0; c < element_begin(mesh, is_edge, count); c++) out->offsets[vertices[c] + 2]++;
    for (size_t v = 0; v < mesh->vertex_count; v++) out->offsets[v + 2] += out->offsets[v + 1];
    for (size_t i = 0; i < count; i++)
        for (size_t c = element_begin(mesh, is_edge, i); c < element_begin(mesh, is_edge, i + 1); c++)
            out->elements[out->offsets[vertices[c] + 1]++] = (uint32_t)i;
    return RUGA_OK;
}

/* The old element with the largest sum of shares, among those at the vertex with the largest one; and of several the
 * lowest. An edge must have all of them. */
static uint32_t find_parent(const carrier *c, int is_edge) {
    const uint32_t *vertices = is_edge ? c->from->edges : c->from->face_vertices;
    const incidence *at = is_edge ? &c->edges : &c->faces;
    uint32_t largest = NO_INDEX, parent = NO_INDEX;
    double best = 0, total = 0;
    for (size_t i = 0; i < c->touched.count; i++) {
        uint32_t v = c->touched.items[i];
        total += c->shares[v];
        if (largest == NO_INDEX || c->shares[v] > c->shares[largest]) largest = v;
    }
    if (largest == NO_INDEX) return NO_INDEX;
    for (uint32_t i = at->offsets[largest]; i < at->offsets[largest + 1]; i++) {
        double sum = 0;
        size_t begin = element_begin(c->from, is_edge, at->elements[i]);
        size_t end = element_begin(c->from, is_edge, (size_t)at->elements[i] + 1);
        for (size_t k = begin; k < end; k++) sum += c->shares[vertices[k]];
        if (!(sum > best)) continue;
        best = sum;
        parent = at->elements[i];
    }
    return is_edge && !(best > total * (1 - 1e-9)) ? NO_INDEX : parent;
}

static ruga_status find_parents(carrier *c, int is_edge, uint32_t *parents) {
    const ruga_map *map = c->map;
    const uint32_t *vertices = is_edge ? c->to->edges : c->to->face_vertices;
    for (size_t i = 0; i < (is_edge ? c->to->edge_count : c->to->face_count); i++) {
        c->touched.count = 0;
        for (size_t k = element_begin(c->to, is_edge, i); k < element_begin(c->to, is_edge, i + 1); k++) {
            size_t begin = map->offsets[vertices[k]], end = map->offsets[vertices[k] + 1];
            TRY(ARRAY_RESERVE(c->context, &c->touched, end - begin));
            for (size_t e = begin; e < end; e++) {
                if (c->shares[map->indices[e]] == 0) c->touched.items[c->touched.count++] = map->indices[e];
                c->shares[map->indices[e]] += map->weights[e];
            }
        }
        parents[i] = find_parent(c, is_edge);
        for (size_t k = 0; k < c->touched.count; k++) c->shares[c->touched.items[k]] = 0;
    }
    return RUGA_OK;
}

/* ---- Values. */

static ruga_status add_point(carrier *c, uint32_t point, double weight) {
    TRY(ARRAY_RESERVE(c->context, &c->points, 1));
    TRY(ARRAY_RESERVE(c->context, &c->weights, 1));
    c->points.items[c->points.count++] = point;
    c->weights.items[c->weights.count++] = weight;
    return RUGA_OK;
}

/* Collects the elements of `from` that a vertex of `to` mixes: the vertices of its row, or, within a parent face, its
 * corners. */
static ruga_status collect_points(carrier *c, size_t vertex, uint32_t face) {
    const ruga_map *map = c->map;
    c->points.count = c->weights.count = 0;
    for (size_t e = map->offsets[vertex]; e < map->offsets[vertex + 1]; e++) {
        if (map->weights[e] == 0) continue;
        if (face == NO_INDEX) {
            TRY(add_point(c, map->indices[e], map->weights[e]));
            continue;
        }
        size_t k = mesh_face_begin(c->from, face), end = mesh_face_end(c->from, face);
        while (k < end && c->from->face_vertices[k] != map->indices[e]) k++;
        if (k < end) TRY(add_point(c, (uint32_t)k, map->weights[e]));
    }
    /* A corner that shares no vertex with its parent takes the parent's first. */
    if (face != NO_INDEX && c->points.count == 0) TRY(add_point(c, (uint32_t)mesh_face_begin(c->from, face), 1));
    return RUGA_OK;
}

/* Turns the collected points into numbers of values; 0: there are none, or one has no value. */
static int find_values(carrier *c, const ruga_attribute *a) {
    for (size_t i = 0; i < c->points.count; i++) {
        if (a->indices) c->points.items[i] = a->indices[c->points.items[i]];
        if (c->points.items[i] == NO_INDEX) return 0;
    }
    return c->points.count > 0;
}

/* Writes value `out`. Equal values stay what they are, bit for bit. */
static void mix(const carrier *c, const ruga_attribute *a, unsigned char *values, size_t out) {
    size_t size = value_size(a), largest = 0;
    const unsigned char *old = a->values;
    const uint32_t *points = c->points.items;
    double sum = 0;
    int is_constant = 1;
    for (size_t i = 0; i < c->points.count; i++) {
        sum += c->weights.items[i];
        if (c->weights.items[i] > c->weights.items[largest]) largest = i;
        is_constant &= !memcmp(old + points[0] * size, old + points[i] * size, size);
    }
    if (is_constant || !(sum > 0))
        memcpy(values + out * size, old + points[largest] * size, size);
    else
        mix_values(a, sum, c->points.count, points, c->weights.items, values, out);
}

/* The number of a new value at a vertex: an equal one there, or the next. */
static uint32_t share_value(const carrier *c, const ruga_attribute *a, size_t vertex, const unsigned char *values,
                            size_t *count) {
    size_t size = value_size(a);
    for (uint32_t i = c->first_value[vertex]; i != NO_INDEX; i = c->next_value[i - a->count])
        if (!memcmp(values + i * size, values + *count * size, size)) return i;
    c->next_value[*count - a->count] = c->first_value[vertex];
    c->first_value[vertex] = (uint32_t)*count;
    return (uint32_t)(*count)++;
}

/* An attribute of vertices or corners. An indexed one keeps its values, and mixtures follow them. */
static ruga_status carry_points(carrier *c, const ruga_attribute *a, mesh_parts *parts) {
    const ruga_mesh *to = c->to;
    int is_corner = a->domain == RUGA_DOMAIN_CORNER;
    size_t count = mesh_domain_size(to, a->domain), added = a->count, face = 0;
    uint32_t *indices = NULL;
    void *values = NULL;
    if (a->indices) TRY(NEW(c->context, &indices, count));
    ruga_status status = a->indices ? grow_values(c->context, a, count, &values)
                                    : NEW_SIZED_ZEROED(c->context, &values, count, value_size(a));
    memset(c->first_value, 0xff, to->vertex_count * sizeof *c->first_value);
    for (size_t i = 0; !RUGA_FAILED(status) && i < count; i++) {
        while (is_corner && i >= mesh_face_end(to, face)) face++;
        size_t vertex = is_corner ? to->face_vertices[i] : i;
        uint32_t parent = is_corner ? c->face_parents[face] : NO_INDEX;
        c->points.count = 0;
        if (!is_corner || parent != NO_INDEX) status = collect_points(c, vertex, parent);
        if (RUGA_FAILED(status)) break;
        int has_value = find_values(c, a);
        if (!a->indices) {
            if (has_value) mix(c, a, values, i);
        } else if (!has_value || c->points.count == 1) {
            indices[i] = has_value ? c->points.items[0] : NO_INDEX;
        } else {
            mix(c, a, values, added);
            indices[i] = share_value(c, a, vertex, values, &added);
        }
    }
    if (!RUGA_FAILED(status)) return add_like(c->context, parts, a, a->indices ? added : count, values, indices);
    RELEASE_ALL(c->context, values, indices);
    return status;
}

/* An attribute of faces or edges. Elements without a parent have no value; with labels, the value -1. */
static ruga_status carry_elements(const carrier *c, const ruga_attribute *a, mesh_parts *parts) {
    int is_edge = a->domain == RUGA_DOMAIN_EDGE;
    const uint32_t *parents = is_edge ? c->edge_parents : c->face_parents;
    size_t count = mesh_domain_size(c->to, a->domain), missing = 0;
    for (size_t i = 0; i < count; i++) missing += parents[i] == NO_INDEX;
    if (missing == 0) return add_picked(c->context, parts, a, count, parents);
    uint32_t *indices, none = a->label_count > 0 ? (uint32_t)a->count : NO_INDEX;
    TRY(NEW(c->context, &indices, count));
    void *values;
    TRY_OR(grow_values(c->context, a, 1, &values), memory_release(c->context, indices));
    for (uint32_t k = 0; k < a->components; k++)
        mesh_scalar_set(a->type, values, a->count * a->components + k, a->label_count > 0 ? -1 : 0);
    for (size_t i = 0; i < count; i++) {
        if (parents[i] == NO_INDEX)
            indices[i] = none;
        else
            indices[i] = a->indices ? a->indices[parents[i]] : parents[i];
    }
    return add_like(c->context, parts, a, a->count + (none != NO_INDEX), values, indices);
}

/* ---- Parameters. */

/* Values stay within those they are mixed from: rounding must not move them past their limits. */
static ruga_status carry_array(const ruga_map *map, const double *from, arena *memory, const double **out) {
    double *to;
    TRY(ARENA_NEW(memory, &to, map->rows));
    for (size_t i = 0; i < map->rows; i++) {
        double low = INFINITY, high = -INFINITY, sum = 0;
        for (size_t e = map->offsets[i]; e < map->offsets[i + 1]; e++) {
            double value = from[map->indices[e]];
            sum += map->weights[e] * value;
            low = fmin(low, value), high = fmax(high, value);
        }
        to[i] = low <= high ? fmin(high, fmax(low, sum)) : sum;
    }
    *out = to;
    return RUGA_OK;
}

static ruga_status carry_keys(ruga_context *context, const ruga_map *map, arena *memory, ruga_param *param) {
    ruga_param_key *keys;
    if (!param->keys) return RUGA_OK;
    TRY(ARENA_NEW(memory, &keys, param->key_count));
    for (size_t k = 0; k < param->key_count; k++) {
        ruga_param *value;
        keys[k] = param->keys[k];
        if (!keys[k].value) continue; /* evaluating it reports that */
        TRY(ARENA_NEW(memory, &value, 1));
        TRY(param_carry(context, param->keys[k].value, map, memory, value));
        keys[k] = (ruga_param_key){param->keys[k].time, value};
    }
    param->keys = keys;
    return RUGA_OK;
}

ruga_status param_carry(ruga_context *context, const ruga_param *param, const ruga_map *map, arena *memory,
                        ruga_param *out) {
    ruga_param carried = *param;
    if (map && param->kind == RUGA_PARAM_KEYS) TRY(carry_keys(context, map, memory, &carried));
    if (map && param->kind == RUGA_PARAM_ARRAY) {
        size_t count = param->array ? param->array_count : 0;
        if (count != map->columns)
            return fail_argument(context, "a painted array has %zu values, but the map is for %zu vertices", count,
                                 map->columns);
        TRY(carry_array(map, param->array, memory, &carried.array));
        carried.array_count = map->rows;
    }
    *out = carried;
    return RUGA_OK;
}

/* ---- All together. */

static ruga_status carry_all(carrier *c, mesh_parts *parts) {
    const ruga_mesh *from = c->from, *to = c->to;
    TRY(NEW_ZEROED(c->context, &c->shares, from->vertex_count));
    TRY(NEW(c->context, &c->face_parents, to->face_count));
    TRY(NEW(c->context, &c->edge_parents, to->edge_count));
    TRY(NEW(c->context, &c->first_value, to->vertex_count));
    TRY(NEW(c->context, &c->next_value, to->corner_count + to->vertex_count));
    TRY(make_incidence(c->context, from, 0, &c->faces));
    TRY(make_incidence(c->context, from, 1, &c->edges));
    TRY(find_parents(c, 0, c->face_parents));
    TRY(find_parents(c, 1, c->edge_parents));
    for (size_t i = 0; i < from->attribute_count; i++) {
        const ruga_attribute *a = &from->attributes[i];
        if (ruga_mesh_attribute(to, a->name, a->domain)) continue;
        int is_point = a->domain == RUGA_DOMAIN_VERTEX || a->domain == RUGA_DOMAIN_CORNER;
        TRY(is_point ? carry_points(c, a, parts) : carry_elements(c, a, parts));
    }
    return RUGA_OK;
}

ruga_status mesh_append_attributes(ruga_mesh *to, mesh_parts *parts) {
    attribute_array *all = &parts->attributes;
    TRY(ARRAY_RESERVE(to->context, all, to->attribute_count));
    /* The attributes that are there come first. */
    memmove(all->items + to->attribute_count, all->items, all->count * sizeof *all->items);
    if (to->attribute_count > 0) memcpy(all->items, to->attributes, to->attribute_count * sizeof *all->items);
    memory_release(to->context, (void *)to->attributes);
    to->attribute_count += all->count;
    to->attributes = all->items;
    return RUGA_OK;
}

ruga_status mesh_carry_attributes(const ruga_mesh *from, const ruga_map *map, ruga_mesh *to) {
    if (map->columns != from->vertex_count || map->rows != to->vertex_count)
        return fail_argument(to->context, "the map takes %zu vertices to %zu, but the meshes have %zu and %zu",
                             map->columns, map->rows, from->vertex_count, to->vertex_count);
    const int skinless = !to->joint_weights && !to->file_rows;
    size_t missing = skinless && (from->joint_weights || from->file_rows);
    for (size_t i = 0; i < from->attribute_count; i++)
        missing += !ruga_mesh_attribute(to, from->attributes[i].name, from->attributes[i].domain);
    if (missing == 0) return RUGA_OK;
    carrier c = {.context = to->context, .from = from, .to = to, .map = map};
    mesh_parts parts = {0};
    ruga_status status = carry_all(&c, &parts);
    if (!RUGA_FAILED(status) && skinless) status = mesh_parts_carry_joints(from, map, &parts);
    if (!RUGA_FAILED(status)) status = mesh_append_attributes(to, &parts);
    if (RUGA_FAILED(status)) {
        mesh_parts_release(c.context, &parts);
    } else if (skinless) {
        to->file_rows = parts.file_rows;
        to->joint_count = parts.joint_count;
        to->joint_names = parts.joint_names;
        to->joint_weights = parts.joint_weights;
    }
    void *const owned[] = {c.faces.offsets, c.faces.elements, c.edges.offsets, c.edges.elements,
                           c.face_parents,  c.edge_parents,   c.shares,        c.touched.items,
                           c.points.items,  c.weights.items,  c.first_value,   c.next_value};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) memory_release(c.context, owned[i]);
    return status;
}

ruga_status mesh_carry_copies(const ruga_mesh *from, const uint32_t *vertex_of, ruga_mesh *to) {
    map_builder rows;
    ruga_map *map;
    TRY(map_builder_make(to->context, to->vertex_count, to->vertex_count, &rows));
    for (size_t i = 0; i < to->vertex_count; i++) {
        map_builder_put(&rows, vertex_of[i], 1);
        map_builder_end_row(&rows);
    }
    TRY(map_builder_finish_rising(&rows, from->vertex_count, &map));
    ruga_status status = mesh_carry_attributes(from, map, to);
    ruga_map_destroy(map);
    return status;
}
