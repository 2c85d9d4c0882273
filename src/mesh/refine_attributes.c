/* What a mesh carries, after a cut: floating and normalised values are interpolated, other integers come from the nearest
 * point, faces and edges pass theirs on to their pieces. See refine.h. */
#include <string.h>

#include "mesh/refine.h"
#include "mesh/refine_values.h"

/* Numerators as weights. */
static void mix_numerators(const ruga_attribute *a, uint32_t n, const uint32_t point[3], const uint16_t numerator[3],
                           void *values, size_t out) {
    const double weights[3] = {numerator[0], numerator[1], numerator[2]};
    mix_value(a, n, point, weights, values, out);
}

/* ---- Vertices. */

/* The values of new points follow the old ones: for vertices, and for values shared by corners. */
static void *refined_values(ruga_context *context, const ruga_attribute *a, uint32_t n, const refinement *r) {
    void *values = grow_values(context, a, r->new_count);
    for (size_t i = 0; values && i < r->new_count; i++)
        mix_numerators(a, n, r->sources[i].point, r->sources[i].numerator, values, r->old_count + i);
    return values;
}

/* Values of new vertices are put behind the old ones; a vertex with a parent without a value has none. */
static ruga_status add_indexed_vertices(ruga_context *context, mesh_parts *parts, const ruga_attribute *a, const cut *c,
                                        const refinement *r) {
    void *values = grow_values(context, a, r->new_count);
    uint32_t *indices = values ? ALLOCATE(context, uint32_t, r->old_count + r->new_count) : NULL;
    if (!indices) {
        memory_release(context, values);
        return fail_memory(context, r->new_count * sizeof *indices);
    }
    memcpy(indices, a->indices, r->old_count * sizeof *indices);
    size_t count = a->count;
    for (size_t i = 0; i < r->new_count; i++) {
        uint32_t point[3];
        int missing = 0;
        for (size_t k = 0; k < 3; k++) missing |= (point[k] = a->indices[r->sources[i].point[k]]) == NO_INDEX;
        indices[r->old_count + i] = missing ? NO_INDEX : (uint32_t)count;
        if (!missing) mix_numerators(a, c->n, point, r->sources[i].numerator, values, count++);
    }
    return add_like(context, parts, a, count, values, indices);
}

static ruga_status refine_vertex_attribute(ruga_context *context, mesh_parts *parts, const ruga_attribute *a,
                                           const cut *c, const refinement *r) {
    if (a->indices) return add_indexed_vertices(context, parts, a, c, r);
    return add_like(context, parts, a, r->old_count + r->new_count, refined_values(context, a, c->n, r), NULL);
}

/* ---- Corners. */

static ruga_status add_plain_corners(const ruga_mesh *mesh, mesh_parts *parts, const ruga_attribute *a, const cut *c) {
    size_t count = 3 * (size_t)c->child_offsets[c->triangle_count];
    void *values = memory_allocate(mesh->context, count, value_size(a));
    for (size_t t = 0; values && t < c->triangle_count; t++) {
        const cut_pattern *pattern = cut_pattern_of(c, t);
        uint32_t corners[3];
        for (size_t k = 0; k < 3; k++) corners[k] = (uint32_t)mesh_triangle_corner(mesh, t, k);
        size_t first = 3 * (size_t)c->child_offsets[t];
        for (size_t i = 0; i < 3 * pattern->child_count; i++)
            mix_numerators(a, c->n, corners, c->numerators + 3 * (size_t)pattern->children[i], values, first + i);
    }
    return add_like(mesh->context, parts, a, count, values, NULL);
}

/* Index triangles of (corner) indices; UINT32_MAX becomes `none`. NULL when there is no memory. */
static uint32_t *index_triangles(const ruga_mesh *mesh, const uint32_t *indices, uint32_t none) {
    uint32_t *triangles = ALLOCATE(mesh->context, uint32_t, 3 * mesh->triangle_count);
    for (size_t t = 0; triangles && t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t index = indices[mesh_triangle_corner(mesh, t, k)];
            triangles[3 * t + k] = index == NO_INDEX ? none : index;
        }
    return triangles;
}

/* Cuts the triangles of the values. Corners without a value share one more, `point_count - 1`. */
static ruga_status refine_indices(const ruga_mesh *mesh, const cut *c, const uint32_t *indices, size_t point_count,
                                  refinement *out) {
    uint32_t *triangles = index_triangles(mesh, indices, (uint32_t)point_count - 1);
    if (!triangles) return fail_memory(mesh->context, 3 * mesh->triangle_count * sizeof *triangles);
    ruga_status status = refinement_make(c, point_count, triangles, out);
    memory_release(mesh->context, triangles);
    return status;
}

/* Takes the point that stands for no value out again: what has a share of it has no value; the rest moves up. */
static ruga_status drop_missing(ruga_context *context, const cut *c, refinement *r) {
    uint32_t missing = (uint32_t)r->old_count - 1;
    uint32_t *number = ALLOCATE(context, uint32_t, r->old_count + r->new_count);
    if (!number) return fail_memory(context, r->new_count * sizeof *number);
    for (uint32_t i = 0; i < missing; i++) number[i] = i;
    number[missing] = NO_INDEX;
    size_t kept = 0;
    for (size_t i = 0; i < r->new_count; i++) {
        const uint32_t *point = r->sources[i].point;
        int is_missing = point[0] == missing || point[1] == missing || point[2] == missing;
        number[r->old_count + i] = is_missing ? NO_INDEX : (uint32_t)(missing + kept);
        if (!is_missing) r->sources[kept++] = r->sources[i];
    }
    size_t corner_count = 3 * (size_t)c->child_offsets[c->triangle_count];
    for (size_t i = 0; i < corner_count; i++) r->triangles[i] = number[r->triangles[i]];
    r->old_count = missing;
    r->new_count = kept;
    memory_release(context, number);
    return RUGA_OK;
}

static ruga_status add_indexed_corners(const ruga_mesh *mesh, mesh_parts *parts, const ruga_attribute *a,
                                       const cut *c) {
    refinement values;
    TRY(refine_indices(mesh, c, a->indices, a->count + 1, &values));
    ruga_status status = drop_missing(mesh->context, c, &values);
    if (!RUGA_FAILED(status)) {
        uint32_t *indices = values.triangles;
        values.triangles = NULL;
        status = add_like(mesh->context, parts, a, values.old_count + values.new_count,
                          refined_values(mesh->context, a, c->n, &values), indices);
    }
    refinement_release(mesh->context, &values);
    return status;
}

static ruga_status refine_corner_attribute(const ruga_mesh *mesh, mesh_parts *parts, const ruga_attribute *a,
                                           const cut *c, const refinement *splits) {
    if (!a->indices) return add_plain_corners(mesh, parts, a, c);
    if (a->indices != mesh->corner_split) return add_indexed_corners(mesh, parts, a, c);
    return add_like(mesh->context, parts, a, splits->old_count + splits->new_count,
                    refined_values(mesh->context, a, c->n, splits), parts->corner_split);
}

/* The file's vertices are cut like any shared value: the old ones stay first and in their order. */
static ruga_status refine_splits(const ruga_mesh *mesh, const cut *c, const refinement *r, refinement *splits,
                                 mesh_parts *parts) {
    TRY(refine_indices(mesh, c, mesh->corner_split, mesh->split_count, splits));
    size_t count = splits->old_count + splits->new_count;
    parts->split_vertex = ALLOCATE(mesh->context, uint32_t, count);
    if (!parts->split_vertex) return fail_memory(mesh->context, count * sizeof(uint32_t));
    memcpy(parts->split_vertex, mesh->split_vertex, mesh->split_count * sizeof(uint32_t));
    parts->corner_split = splits->triangles;
    splits->triangles = NULL;
    for (size_t i = 0; i < parts->corner_count; i++) parts->split_vertex[parts->corner_split[i]] = r->triangles[i];
    parts->split_count = count;
    return RUGA_OK;
}

/* ---- Edges and lines. */

typedef ARRAY(uint32_t) index_array;

/* Appends the new points between a and b, if they are joined by an edge that was cut. */
static ruga_status append_between(ruga_context *context, const cut *c, const refinement *r, uint32_t a, uint32_t b,
                                  index_array *out) {
    uint32_t e = a == b ? NO_INDEX : topology_find_edge(r->topo, a, b);
    if (e == NO_INDEX || r->edge_points[e] == NO_INDEX) return RUGA_OK;
    TRY(ARRAY_RESERVE(context, out, c->n));
    for (uint32_t s = 0; s + 1 < c->n; s++) out->items[out->count++] = r->edge_points[e] + (a < b ? s : c->n - 2 - s);
    return RUGA_OK;
}

/* Appends a polyline with the points that came; the first vertex is vertices[0]. */
static ruga_status append_polyline(ruga_context *context, const cut *c, const refinement *r, const uint32_t *vertices,
                                   size_t count, index_array *out) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) TRY(append_between(context, c, r, vertices[i - 1], vertices[i], out));
        TRY(ARRAY_RESERVE(context, out, 1));
        out->items[out->count++] = vertices[i];
    }
    return RUGA_OK;
}

/* Splits the explicit edges; origin receives the edge that each piece is of. */
static ruga_status split_edges(const ruga_mesh *mesh, const cut *c, const refinement *r, mesh_parts *parts,
                               index_array *pieces, index_array *origin, index_array *line) {
    ruga_context *context = mesh->context;
    for (size_t e = 0; e < mesh->edge_count; e++) {
        line->count = 0;
        TRY(append_polyline(context, c, r, mesh->edges + 2 * e, 2, line));
        TRY(ARRAY_RESERVE(context, pieces, 2 * line->count));
        TRY(ARRAY_RESERVE(context, origin, line->count));
        for (size_t i = 0; i + 1 < line->count; i++) {
            pieces->items[pieces->count++] = line->items[i];
            pieces->items[pieces->count++] = line->items[i + 1];
            origin->items[origin->count++] = (uint32_t)e;
        }
    }
    parts->edge_count = origin->count;
    parts->edges = pieces->items;
    pieces->items = NULL;
    return RUGA_OK;
}

static ruga_status refine_lines(const ruga_mesh *mesh, const cut *c, const refinement *r, mesh_parts *parts) {
    index_array line = {0};
    parts->line_offsets = ALLOCATE(mesh->context, uint32_t, mesh->line_count + 1);
    ruga_status status = parts->line_offsets ? RUGA_OK : fail_memory(mesh->context, mesh->line_count);
    for (size_t l = 0; !RUGA_FAILED(status) && l < mesh->line_count; l++) {
        size_t begin = mesh->line_offsets[l];
        parts->line_offsets[l] = (uint32_t)line.count;
        status =
            append_polyline(mesh->context, c, r, mesh->line_vertices + begin, mesh->line_offsets[l + 1] - begin, &line);
        if (!RUGA_FAILED(status) && line.count >= UINT32_MAX)
            status = fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "the finer lines would have too many points");
    }
    if (RUGA_FAILED(status)) {
        memory_release(mesh->context, line.items);
        return status;
    }
    parts->line_offsets[mesh->line_count] = (uint32_t)line.count;
    parts->line_count = mesh->line_count;
    parts->line_vertices = line.items;
    return RUGA_OK;
}

/* ---- All together. */

/* What the attributes of the four domains need. */
typedef struct carrier {
    uint32_t *parent_faces; /* (fine triangles) */
    index_array edge_origin;
    refinement splits;
} carrier;

static ruga_status prepare_carrier(const ruga_mesh *mesh, const cut *c, const refinement *r, mesh_parts *parts,
                                   carrier *carry) {
    ruga_context *context = mesh->context;
    size_t fine_count = c->child_offsets[c->triangle_count];
    carry->parent_faces = ALLOCATE(context, uint32_t, fine_count);
    if (!carry->parent_faces) return fail_memory(context, fine_count * sizeof(uint32_t));
    for (size_t t = 0; t < c->triangle_count; t++)
        for (size_t i = c->child_offsets[t]; i < c->child_offsets[t + 1]; i++)
            carry->parent_faces[i] = (uint32_t)mesh_triangle_face(mesh, t);
    if (mesh->split_count > 0) TRY(refine_splits(mesh, c, r, &carry->splits, parts));
    if (mesh->line_count > 0) TRY(refine_lines(mesh, c, r, parts));
    if (mesh->edge_count == 0) return RUGA_OK;
    index_array pieces = {0}, line = {0};
    ruga_status status = split_edges(mesh, c, r, parts, &pieces, &carry->edge_origin, &line);
    memory_release(context, pieces.items);
    memory_release(context, line.items);
    return status;
}

static ruga_status refine_attribute(const ruga_mesh *mesh, const cut *c, const refinement *r, const carrier *carry,
                                    const ruga_attribute *a, mesh_parts *parts) {
    switch (a->domain) {
        case RUGA_DOMAIN_VERTEX: return refine_vertex_attribute(mesh->context, parts, a, c, r);
        case RUGA_DOMAIN_FACE:
            return add_picked(mesh->context, parts, a, c->child_offsets[c->triangle_count], carry->parent_faces);
        case RUGA_DOMAIN_EDGE:
            return add_picked(mesh->context, parts, a, carry->edge_origin.count, carry->edge_origin.items);
        case RUGA_DOMAIN_CORNER: return refine_corner_attribute(mesh, parts, a, c, &carry->splits);
    }
    return RUGA_OK;
}

ruga_status refine_attributes(const ruga_mesh *mesh, const cut *c, const refinement *r, mesh_parts *parts) {
    carrier carry = {0};
    ruga_status status = prepare_carrier(mesh, c, r, parts, &carry);
    for (size_t i = 0; !RUGA_FAILED(status) && i < mesh->attribute_count; i++)
        status = refine_attribute(mesh, c, r, &carry, &mesh->attributes[i], parts);
    memory_release(mesh->context, carry.parent_faces);
    memory_release(mesh->context, carry.edge_origin.items);
    refinement_release(mesh->context, &carry.splits);
    return status;
}
