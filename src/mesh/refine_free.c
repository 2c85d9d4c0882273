/* Free cuts: see refine_free.h. cut_indices cuts every indexed array over corners (vertices, shared values, the file's
 * vertices): along each edge, triangles that name the same two indices get the same new ones. Runs of triangles that
 * are not cut are copied. */
#include "mesh/refine_free.h"

#include <string.h>

#include "mesh/attribute_values.h"

static size_t edge_point_total(const free_cut *c) { return c->edge_offsets[c->topo->edge_count]; }
static size_t inner_total(const free_cut *c) { return c->inner_offsets[c->topo->triangle_count]; }
static size_t child_total(const free_cut *c) { return c->child_offsets[c->topo->triangle_count]; }

/* Where a local point is in its triangle. */
typedef struct local_place {
    uint32_t edge;   /* 0 to 2; 3: inside */
    uint32_t number; /* within the edge or the inner points */
} local_place;

static local_place find_local(const free_cut *c, size_t triangle, uint32_t local) {
    local_place at = {0, local - 3};
    while (at.edge < 3) {
        uint32_t count = free_cut_edge_count(c, c->topo->triangle_edges[3 * triangle + at.edge]);
        if (at.number < count) break;
        at.number -= count;
        at.edge++;
    }
    return at;
}

/* Whether edge k of a triangle starts at the edge's lower vertex. */
static int runs_upwards(const ruga_mesh *mesh, const free_cut *c, size_t triangle, uint32_t k) {
    uint32_t edge = c->topo->triangle_edges[3 * triangle + k];
    return mesh->triangles[3 * triangle + k] == c->topo->edge_vertices[2 * (size_t)edge];
}

uint32_t free_cut_vertex(const ruga_mesh *mesh, const free_cut *c, size_t triangle, uint32_t local) {
    if (local < 3) return mesh->triangles[3 * triangle + local];
    local_place at = find_local(c, triangle, local);
    if (at.edge == 3)
        return (uint32_t)(mesh->vertex_count + edge_point_total(c) + c->inner_offsets[triangle] + at.number);
    return (uint32_t)(mesh->vertex_count + c->edge_offsets[c->topo->triangle_edges[3 * triangle + at.edge]] +
                      at.number);
}

/* ---- The triangles that are cut, and the runs between them. */

/* Consecutive triangles that are not cut. */
typedef struct whole_run {
    size_t begin, end;
} whole_run;

/* The run before cut triangle i of the list; i = cut_triangle_count: the run after the last. */
static whole_run run_before(const free_cut *c, size_t i) {
    return (whole_run){i > 0 ? (size_t)c->cut_triangles[i - 1] + 1 : 0,
                       i < c->cut_triangle_count ? c->cut_triangles[i] : c->topo->triangle_count};
}

/* The child that the first triangle of the run before cut triangle n is. */
static size_t run_child(const free_cut *c, size_t n, whole_run run) {
    return n == 0 ? run.begin : c->child_offsets[run.begin];
}

static ruga_status list_cut(ruga_context *context, free_cut *c) {
    TRY(NEW(context, &c->cut_edges, edge_point_total(c)));
    TRY(NEW(context, &c->cut_triangles, child_total(c) - c->topo->triangle_count));
    for (uint32_t e = 0; e < c->topo->edge_count; e++)
        if (free_cut_edge_count(c, e) > 0) c->cut_edges[c->cut_edge_count++] = e;
    for (uint32_t t = 0; t < c->topo->triangle_count; t++)
        if (c->child_offsets[t + 1] - c->child_offsets[t] > 1) c->cut_triangles[c->cut_triangle_count++] = t;
    return RUGA_OK;
}

/* ---- Indices over corners. */

/* The indices at a triangle's corners. */
static void corner_indices(const ruga_mesh *mesh, const uint32_t *indices, size_t triangle, uint32_t out[3]) {
    for (size_t k = 0; k < 3; k++) out[k] = indices[mesh_triangle_corner(mesh, triangle, k)];
}

/* The two indices along edge k, from the edge's lower vertex. */
static void edge_pair(const ruga_mesh *mesh, const free_cut *c, const uint32_t *indices, size_t triangle, uint32_t k,
                      uint32_t pair[2]) {
    uint32_t all[3];
    corner_indices(mesh, indices, triangle, all);
    int upwards = runs_upwards(mesh, c, triangle, k);
    pair[0] = all[upwards ? k : (k + 1) % 3];
    pair[1] = all[upwards ? (k + 1) % 3 : k];
}

static uint32_t triangle_edge_number(const free_cut *c, size_t triangle, uint32_t edge) {
    uint32_t k = 0;
    while (c->topo->triangle_edges[3 * triangle + k] != edge) k++;
    return k;
}

/* starts: (triangle_count x 3) the first new index on edge k of each triangle: that of an earlier triangle with the
 * same pair, or a new one. */
static void number_edges(const ruga_mesh *mesh, const free_cut *c, const uint32_t *indices, size_t old_count,
                         index_cut *cut, uint32_t *starts) {
    for (size_t n = 0; n < c->cut_edge_count; n++) {
        uint32_t e = c->cut_edges[n], points = free_cut_edge_count(c, e), begin = c->topo->edge_offsets[e],
                 end = c->topo->edge_offsets[e + 1];
        for (uint32_t i = begin; i < end; i++) {
            size_t triangle = c->topo->edge_triangles[i];
            uint32_t k = triangle_edge_number(c, triangle, e), pair[2], *start = &starts[3 * triangle + k];
            edge_pair(mesh, c, indices, triangle, k, pair);
            *start = NO_INDEX;
            for (uint32_t j = begin; j < i && *start == NO_INDEX; j++) {
                size_t other = c->topo->edge_triangles[j];
                uint32_t other_k = triangle_edge_number(c, other, e), other_pair[2];
                edge_pair(mesh, c, indices, other, other_k, other_pair);
                if (other_pair[0] == pair[0] && other_pair[1] == pair[1]) *start = starts[3 * other + other_k];
            }
            if (*start != NO_INDEX) continue;
            *start = (uint32_t)(old_count + cut->source_count);
            for (uint32_t p = 0; p < points; p++) {
                double t = c->edge_places[c->edge_offsets[e] + p];
                cut->sources[cut->source_count++] = (index_source){{pair[0], pair[1], pair[0]}, {1 - t, t, 0}};
            }
        }
    }
}

/* The indices of a cut triangle's children. */
static void number_triangle(const ruga_mesh *mesh, const free_cut *c, const uint32_t *indices, size_t old_count,
                            const uint32_t *starts, size_t t, index_cut *cut) {
    uint32_t corners[3], inner = (uint32_t)(old_count + cut->source_count);
    corner_indices(mesh, indices, t, corners);
    for (uint32_t i = c->inner_offsets[t]; i < c->inner_offsets[t + 1]; i++) {
        const double *w = c->inner_points[i].weights;
        cut->sources[cut->source_count++] = (index_source){{corners[0], corners[1], corners[2]}, {w[0], w[1], w[2]}};
    }
    for (size_t i = 3 * (size_t)c->child_offsets[t]; i < 3 * (size_t)c->child_offsets[t + 1]; i++) {
        uint32_t local = c->children[i];
        if (local < 3) {
            cut->corners[i] = corners[local];
            continue;
        }
        local_place at = find_local(c, t, local);
        cut->corners[i] = (at.edge < 3 ? starts[3 * t + at.edge] : inner) + at.number;
    }
}

/* The room for arrays in the order of triangles. With polygons, others replace them (refine_restore_polygons). */
static cut_room *triangle_room(const ruga_mesh *mesh, const free_cut *c) { return mesh->face_offsets ? NULL : c->room; }

/* indices: (corners of the mesh). array: of the room, for the new corners. Release `cut` also on failure. */
static ruga_status cut_indices(const ruga_mesh *mesh, const free_cut *c, const uint32_t *indices, size_t old_count,
                               size_t array, index_cut *cut) {
    ruga_context *context = mesh->context;
    size_t most = inner_total(c);
    for (size_t i = 0; i < c->cut_edge_count; i++) {
        uint32_t e = c->cut_edges[i];
        most += (size_t)free_cut_edge_count(c, e) * topology_edge_size(c->topo, e);
    }
    uint32_t *starts;
    size_t kept;
    *cut = (index_cut){0};
    TRY(NEW(context, &cut->sources, most));
    TRY(NEW(context, &starts, 3 * c->topo->triangle_count));
    ruga_status status =
        cut_room_take(context, triangle_room(mesh, c), array, 3 * child_total(c) * sizeof *cut->corners,
                      3 * run_before(c, 0).end * sizeof *cut->corners, (void **)&cut->corners, &kept);
    TRY_OR(status, memory_release(context, starts));
    number_edges(mesh, c, indices, old_count, cut, starts);
    for (size_t n = 0; n <= c->cut_triangle_count; n++) {
        whole_run run = run_before(c, n);
        if (n == 0) run.begin = kept / (3 * sizeof *cut->corners);
        uint32_t *out = cut->corners + 3 * run_child(c, n, run);
        if (!mesh->triangle_corners)
            memcpy(out, indices + 3 * run.begin, 3 * (run.end - run.begin) * sizeof *out);
        else
            for (size_t i = 3 * run.begin; i < 3 * run.end; i++) *out++ = indices[mesh->triangle_corners[i]];
        if (n < c->cut_triangle_count) number_triangle(mesh, c, indices, old_count, starts, c->cut_triangles[n], cut);
    }
    memory_release(context, starts);
    return RUGA_OK;
}

/* ---- Attributes. */

/* The sources of the new vertices: edge after edge, then triangle after triangle. */
static ruga_status find_sources(const ruga_mesh *mesh, const free_cut *c, index_cut *out) {
    TRY(NEW(mesh->context, &out->sources, edge_point_total(c) + inner_total(c)));
    for (size_t n = 0; n < c->cut_edge_count; n++) {
        uint32_t e = c->cut_edges[n];
        const uint32_t *ends = c->topo->edge_vertices + 2 * (size_t)e;
        for (uint32_t i = c->edge_offsets[e]; i < c->edge_offsets[e + 1]; i++) {
            double t = c->edge_places[i];
            out->sources[out->source_count++] = (index_source){{ends[0], ends[1], ends[0]}, {1 - t, t, 0}};
        }
    }
    for (size_t n = 0; n < c->cut_triangle_count; n++) {
        uint32_t t = c->cut_triangles[n];
        const uint32_t *v = mesh->triangles + 3 * (size_t)t;
        for (uint32_t i = c->inner_offsets[t]; i < c->inner_offsets[t + 1]; i++) {
            const double *w = c->inner_points[i].weights;
            out->sources[out->source_count++] = (index_source){{v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
        }
    }
    return RUGA_OK;
}

static ruga_status add_shared_corners(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a, size_t array,
                                      mesh_parts *parts) {
    index_cut cut;
    ruga_status status = cut_indices(mesh, c, a->indices, a->count, array + 1, &cut);
    cut.room = c->room;
    cut.array = array;
    if (!RUGA_FAILED(status)) status = add_cut_corners(mesh->context, parts, a, 1, a->count, &cut);
    index_cut_release(mesh->context, &cut);
    return status;
}

/* The weights of a local point that is not a corner. */
static void local_weights(const ruga_mesh *mesh, const free_cut *c, size_t triangle, uint32_t local, double w[3]) {
    w[0] = w[1] = w[2] = 0;
    local_place at = find_local(c, triangle, local);
    if (at.edge == 3) {
        memcpy(w, c->inner_points[c->inner_offsets[triangle] + at.number].weights, 3 * sizeof *w);
        return;
    }
    double t = c->edge_places[c->edge_offsets[c->topo->triangle_edges[3 * triangle + at.edge]] + at.number];
    int upwards = runs_upwards(mesh, c, triangle, at.edge);
    w[at.edge] = upwards ? 1 - t : t;
    w[(at.edge + 1) % 3] = upwards ? t : 1 - t;
}

/* The values at the corners of a cut triangle's children. */
static void mix_corners(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a, size_t t,
                        unsigned char *values) {
    size_t size = value_size(a);
    uint32_t corners[3];
    for (size_t k = 0; k < 3; k++) corners[k] = (uint32_t)mesh_triangle_corner(mesh, t, k);
    for (size_t i = 3 * (size_t)c->child_offsets[t]; i < 3 * (size_t)c->child_offsets[t + 1]; i++) {
        uint32_t local = c->children[i];
        if (local < 3) {
            memcpy(values + i * size, (const unsigned char *)a->values + corners[local] * size, size);
            continue;
        }
        double w[3];
        local_weights(mesh, c, t, local, w);
        mix_values(a, 1, 3, corners, w, values, i);
    }
}

/* Copies items of a size in bytes from the old elements of a run: one per corner (per = 3) or face (per = 1). numbers:
 * of the old elements, NULL when they are in the order of the triangles. */
static void copy_run(const unsigned char *from, const uint32_t *numbers, whole_run run, size_t per, size_t size,
                     unsigned char *to) {
    if (!numbers)
        memcpy(to, from + per * run.begin * size, per * (run.end - run.begin) * size);
    else
        for (size_t i = per * run.begin; i < per * run.end; i++, to += size) memcpy(to, from + numbers[i] * size, size);
}

static ruga_status add_plain_corners(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a, size_t array,
                                     mesh_parts *parts) {
    size_t count = 3 * child_total(c), size = value_size(a), kept;
    unsigned char *values;
    if (count > SIZE_MAX / size) return fail_memory(mesh->context, SIZE_MAX);
    TRY(cut_room_take(mesh->context, triangle_room(mesh, c), array, count * size, 3 * run_before(c, 0).end * size,
                      (void **)&values, &kept));
    for (size_t n = 0; n <= c->cut_triangle_count; n++) {
        whole_run run = run_before(c, n);
        if (n == 0) run.begin = kept / (3 * size);
        copy_run(a->values, mesh->triangle_corners, run, 3, size, values + 3 * run_child(c, n, run) * size);
        if (n < c->cut_triangle_count) mix_corners(mesh, c, a, c->cut_triangles[n], values);
    }
    return add_like(mesh->context, parts, a, count, values, NULL);
}

static ruga_status add_faces(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a, size_t array,
                             mesh_parts *parts) {
    size_t count = child_total(c), size = a->indices ? sizeof(uint32_t) : value_size(a), kept;
    const unsigned char *from = a->indices ? (const unsigned char *)a->indices : a->values;
    unsigned char *items;
    if (count > SIZE_MAX / size) return fail_memory(mesh->context, SIZE_MAX);
    TRY(cut_room_take(mesh->context, triangle_room(mesh, c), array + (a->indices ? 1 : 0), count * size,
                      run_before(c, 0).end * size, (void **)&items, &kept));
    for (size_t n = 0; n <= c->cut_triangle_count; n++) {
        whole_run run = run_before(c, n);
        if (n == 0) run.begin = kept / size;
        copy_run(from, mesh->triangle_faces, run, 1, size, items + run_child(c, n, run) * size);
        if (n == c->cut_triangle_count) break;
        size_t t = c->cut_triangles[n];
        for (size_t i = c->child_offsets[t]; i < c->child_offsets[t + 1]; i++)
            memcpy(items + i * size, from + mesh_triangle_face(mesh, t) * size, size);
    }
    if (!a->indices) return add_like(mesh->context, parts, a, count, items, NULL);
    void *values;
    TRY_OR(grow_values(mesh->context, a, 0, &values), memory_release(mesh->context, items));
    return add_like(mesh->context, parts, a, a->count, values, (uint32_t *)(void *)items);
}

/* ---- All together. */

/* Filled while the parts are made. */
typedef struct cut_state {
    index_cut vertices, splits;
    index_array edge_origin; /* the old edge of each new one */
} cut_state;

static ruga_status add_attribute(const ruga_mesh *mesh, const free_cut *c, size_t number, const cut_state *s,
                                 mesh_parts *parts) {
    const ruga_attribute *a = &mesh->attributes[number];
    const size_t array = ROOM_ATTRIBUTES + 2 * number;
    index_cut vertices = s->vertices;
    vertices.array = array;
    switch (a->domain) {
        case RUGA_DOMAIN_VERTEX: return add_cut_vertices(mesh, parts, a, 1, &vertices);
        case RUGA_DOMAIN_FACE: return add_faces(mesh, c, a, array, parts);
        case RUGA_DOMAIN_EDGE: return add_picked(mesh->context, parts, a, s->edge_origin.count, s->edge_origin.items);
        case RUGA_DOMAIN_CORNER: break;
    }
    if (!a->indices) return add_plain_corners(mesh, c, a, array, parts);
    if (a->indices != mesh->corner_split) return add_shared_corners(mesh, c, a, array, parts);
    return add_cut_split_values(mesh->context, parts, a, 1, &s->splits);
}

static ruga_status make_parts(const ruga_mesh *mesh, const free_cut *c, const ruga_map *map, cut_state *s,
                              mesh_parts *parts) {
    size_t old = mesh->vertex_count;
    size_t kept, side = 3 * sizeof *parts->face_vertices;
    parts->vertex_count = map->rows;
    parts->face_count = child_total(c);
    parts->corner_count = 3 * parts->face_count;
    TRY(cut_room_copy(mesh->context, c->room, ROOM_POSITIONS, map->rows * sizeof *parts->positions, mesh->positions,
                      old * sizeof *parts->positions, (void **)&parts->positions));
    TRY(cut_room_take(mesh->context, triangle_room(mesh, c), ROOM_TRIANGLES, parts->face_count * side,
                      run_before(c, 0).end * side, (void **)&parts->face_vertices, &kept));

    /* Old positions are copied, new ones mapped. */
    ruga_map added = *map;
    added.rows -= old;
    added.offsets += old;
    ruga_map_apply(&added, mesh->positions, parts->positions + old);
    for (size_t n = 0; n <= c->cut_triangle_count; n++) {
        whole_run run = run_before(c, n);
        if (n == 0) run.begin = kept / side;
        memcpy(parts->face_vertices + 3 * run_child(c, n, run), mesh->triangles + 3 * run.begin,
               3 * (run.end - run.begin) * sizeof(uint32_t));
        if (n == c->cut_triangle_count) break;
        size_t t = c->cut_triangles[n];
        for (size_t i = 3 * (size_t)c->child_offsets[t]; i < 3 * (size_t)c->child_offsets[t + 1]; i++)
            parts->face_vertices[i] = free_cut_vertex(mesh, c, t, c->children[i]);
    }
    if (mesh->split_count > 0) {
        TRY(cut_indices(mesh, c, mesh->corner_split, mesh->split_count, NO_ROOM, &s->splits));
        TRY(add_cut_splits(mesh, parts, &s->splits));
    }
    TRY(add_lines_and_edges(mesh, c->topo, c->edge_offsets, parts, &s->edge_origin));
    for (size_t i = 0; i < mesh->attribute_count; i++) TRY(add_attribute(mesh, c, i, s, parts));
    return refine_restore_polygons(mesh, c, parts);
}

ruga_status free_cut_apply(const ruga_mesh *mesh, const free_cut *c, ruga_mesh **out, ruga_map **map) {
    if (mesh->tet_count > 0) return fail_input(mesh->context, "a mesh with tets can't be cut; cut its surface alone");
    ruga_context *context = mesh->context;
    free_cut listed = *c;
    ruga_map *made = NULL;
    mesh_parts parts = {0};
    cut_state s = {.vertices = {.room = c->room}};
    ruga_status status = c->cut_edges ? RUGA_OK : list_cut(context, &listed);
    if (!RUGA_FAILED(status)) status = find_sources(mesh, &listed, &s.vertices);
    if (!RUGA_FAILED(status)) status = index_cut_map(context, mesh->vertex_count, 1, &s.vertices, &made);
    if (!RUGA_FAILED(status)) status = make_parts(mesh, &listed, made, &s, &parts);
    if (!RUGA_FAILED(status)) status = mesh_parts_carry_joints(mesh, made, &parts);
    if (RUGA_FAILED(status))
        mesh_parts_release(context, &parts);
    else
        status = mesh_from_parts(context, (parts.is_sound = 1, &parts), out);
    if (RUGA_FAILED(status))
        ruga_map_destroy(made);
    else
        *map = made;
    if (RUGA_FAILED(status)) cut_room_forget(c->room);
    if (!c->cut_edges) RELEASE_ALL(context, listed.cut_edges, listed.cut_triangles);
    ARRAY_RELEASE(context, &s.edge_origin);
    index_cut_release(context, &s.vertices);
    index_cut_release(context, &s.splits);
    return status;
}

void free_cut_release(ruga_context *context, free_cut *c) {
    RELEASE_ALL(context, c->edge_offsets, c->edge_places, c->inner_offsets, c->inner_points, c->child_offsets,
                c->children, c->cut_edges, c->cut_triangles);
    *c = (free_cut){0};
}
