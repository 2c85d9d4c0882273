/* Pieces of meshes: see piece.h.
 *
 * The way back reads off the map where each new vertex of the fine piece lies: two weights are a place on an edge of the mesh, three one
 * inside of a triangle. */
#include "mesh/piece.h"

#include <string.h>

/* ---- Making. */

/* The vertices of some triangles, rising: marked in their places, which then hold their numbers. */
static ruga_status list_vertices(const ruga_mesh *mesh, mesh_piece *piece, size_t triangle_count, uint32_t *places,
                                 size_t *out) {
    uint32_t low = NO_INDEX, high = 0, count = 0;
    piece->vertices = ALLOCATE(piece->context, uint32_t, 3 * triangle_count);
    if (!piece->vertices) return fail_memory(piece->context, 3 * triangle_count * sizeof(uint32_t));
    for (size_t i = 0; i < triangle_count; i++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t v = mesh->triangles[3 * (size_t)piece->triangles[i] + k];
            low = v < low ? v : low;
            high = v > high ? v : high;
            places[v] = 0;
        }
    for (uint32_t v = low; triangle_count > 0 && v <= high; v++) {
        if (places[v] == NO_INDEX) continue;
        places[v] = count;
        piece->vertices[count++] = v;
    }
    *out = count;
    return RUGA_OK;
}

static ruga_status fill_piece(const ruga_mesh *mesh, mesh_piece *piece, size_t vertex_count, size_t triangle_count,
                              const uint32_t *places) {
    mesh_parts parts = {.vertex_count = vertex_count,
                        .face_count = triangle_count,
                        .corner_count = 3 * triangle_count,
                        .positions = ALLOCATE(piece->context, ruga_vec3, vertex_count),
                        .face_vertices = ALLOCATE(piece->context, uint32_t, 3 * triangle_count)};
    if (!parts.positions || !parts.face_vertices) {
        mesh_parts_release(piece->context, &parts);
        return fail_memory(piece->context, vertex_count * sizeof(ruga_vec3));
    }
    for (size_t i = 0; i < vertex_count; i++) parts.positions[i] = mesh->positions[piece->vertices[i]];
    for (size_t i = 0; i < triangle_count; i++)
        for (size_t k = 0; k < 3; k++)
            parts.face_vertices[3 * i + k] = places[mesh->triangles[3 * (size_t)piece->triangles[i] + k]];
    return mesh_from_parts(piece->context, &parts, &piece->mesh);
}

ruga_status mesh_piece_make(const ruga_mesh *mesh, const uint32_t *triangles, size_t count, uint32_t *places,
                            mesh_piece *out) {
    size_t vertices = 0;
    *out = (mesh_piece){.context = mesh->context};
    out->triangles = memory_copy(mesh->context, triangles, count, sizeof *triangles);
    ruga_status status = out->triangles ? list_vertices(mesh, out, count, places, &vertices)
                                        : fail_memory(mesh->context, count * sizeof *triangles);
    if (!RUGA_FAILED(status)) status = fill_piece(mesh, out, vertices, count, places);
    for (size_t i = 0; i < vertices; i++) places[out->vertices[i]] = NO_INDEX;
    if (RUGA_FAILED(status)) mesh_piece_release(out);
    return status;
}

void mesh_piece_release(mesh_piece *piece) {
    ruga_mesh_destroy(piece->mesh);
    memory_release(piece->context, piece->vertices);
    memory_release(piece->context, piece->triangles);
    *piece = (mesh_piece){.context = piece->context};
}

void mesh_piece_pick(const mesh_piece *piece, const ruga_vec3 *of_mesh, ruga_vec3 *out) {
    for (size_t v = 0; v < piece->mesh->vertex_count; v++) out[v] = of_mesh[piece->vertices[v]];
}

uint32_t mesh_piece_triangle(const mesh_piece *piece, uint32_t triangle) {
    size_t low = 0, count = piece->mesh->triangle_count, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (piece->triangles[middle] < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && piece->triangles[low] == triangle ? (uint32_t)low : NO_INDEX;
}

/* ---- The way back. */

/* Where a new vertex is in the mesh. */
typedef struct fine_place {
    uint32_t edge;   /* of the mesh; NO_INDEX: inside of a triangle */
    uint32_t number; /* among the edge's points, or the triangle's; not set yet: NO_INDEX */
    uint32_t index;  /* among all points of edges, or all inside */
    double place;    /* on the edge, from its lower vertex */
} fine_place;

typedef struct way_back {
    const ruga_mesh *mesh;
    const topology *topo;
    const mesh_piece *piece;
    const fine_piece *fine;
    fine_place *places; /* (new vertices of the fine piece) */
    uint32_t *points;   /* (edge_point_count) of edges, as new vertices */
    size_t edge_point_count;
    uint32_t inner_count;
    size_t old_count; /* vertices of the piece */
    free_cut *cut;
} way_back;

static ruga_status way_back_allocate(way_back *w) {
    ruga_context *context = w->piece->context;
    size_t added = w->fine->mesh->vertex_count - w->old_count;
    size_t children = w->mesh->triangle_count + w->fine->mesh->triangle_count - w->piece->mesh->triangle_count;
    w->places = ALLOCATE(context, fine_place, added);
    w->points = ALLOCATE(context, uint32_t, 2 * added);
    w->cut->edge_places = ALLOCATE(context, double, added);
    w->cut->inner_points = ALLOCATE(context, inner_point, added);
    w->cut->edge_offsets = ALLOCATE(context, uint32_t, w->topo->edge_count + 2);
    w->cut->inner_offsets = ALLOCATE(context, uint32_t, w->mesh->triangle_count + 1);
    w->cut->child_offsets = ALLOCATE(context, uint32_t, w->mesh->triangle_count + 1);
    w->cut->children = ALLOCATE(context, uint32_t, 3 * children);
    w->cut->cut_edges = ALLOCATE(context, uint32_t, added);
    w->cut->cut_triangles = ALLOCATE(context, uint32_t, w->piece->mesh->triangle_count);
    if (w->places && w->points && w->cut->edge_places && w->cut->inner_points && w->cut->edge_offsets &&
        w->cut->inner_offsets && w->cut->child_offsets && w->cut->children && w->cut->cut_edges &&
        w->cut->cut_triangles)
        return RUGA_OK;
    return fail_memory(context, 3 * children * sizeof(uint32_t));
}

/* The weight that a fine vertex has of one of the mesh's. */
static double weight_of(const way_back *w, uint32_t v, uint32_t of) {
    const ruga_map *map = w->fine->map;
    for (size_t i = map->offsets[v]; i < map->offsets[v + 1]; i++)
        if (w->piece->vertices[map->indices[i]] == of) return map->weights[i];
    return 0;
}

/* A new vertex between two of the mesh's: one of the parent's edges. */
static void place_on_edge(way_back *w, size_t parent, uint32_t v) {
    const ruga_map *map = w->fine->map;
    const uint32_t *edges = w->topo->triangle_edges + 3 * parent;
    size_t first = map->offsets[v];
    uint32_t low = w->piece->vertices[map->indices[first]], high = w->piece->vertices[map->indices[first + 1]];
    fine_place *at = &w->places[v - w->old_count];
    for (size_t k = 0; k < 3; k++) {
        const uint32_t *ends = w->topo->edge_vertices + 2 * (size_t)edges[k];
        if (ends[0] == low && ends[1] == high) at->edge = edges[k];
    }
    at->number = 0;
    at->place = map->weights[first + 1];
    w->points[w->edge_point_count++] = (uint32_t)(v - w->old_count);
}

static void place_inside(way_back *w, size_t parent, uint32_t v, uint32_t number) {
    const uint32_t *corners = w->mesh->triangles + 3 * parent;
    uint32_t index = w->inner_count++;
    for (size_t k = 0; k < 3; k++) w->cut->inner_points[index].weights[k] = weight_of(w, v, corners[k]);
    w->places[v - w->old_count] = (fine_place){.edge = NO_INDEX, .number = number, .index = index};
}

/* Finds the places of all new vertices; those inside of a triangle get their numbers. */
static void place_vertices(way_back *w) {
    const ruga_map *map = w->fine->map;
    size_t added = w->fine->mesh->vertex_count - w->old_count, before = NO_INDEX;
    uint32_t inside = 0;
    memset(w->places, 0xff, added * sizeof *w->places);
    for (size_t t = 0; t < w->fine->mesh->triangle_count; t++) {
        size_t parent = w->piece->triangles[w->fine->parents[t]];
        if (parent != before) inside = 0;
        before = parent;
        for (size_t k = 0; k < 3; k++) {
            uint32_t v = w->fine->mesh->triangles[3 * t + k];
            if (v < w->old_count || w->places[v - w->old_count].number != NO_INDEX) continue;
            if (map->offsets[v + 1] - map->offsets[v] == 2)
                place_on_edge(w, parent, v);
            else
                place_inside(w, parent, v, inside++);
        }
    }
}

static void fill(uint32_t *out, size_t begin, size_t end, size_t value) {
    for (size_t i = begin; i < end; i++) out[i] = (uint32_t)value;
}

/* The points of all edges, edge after edge: counted two places on, so that filling leaves the offsets where they belong. */
static void group_points(way_back *w, uint32_t *grouped) {
    free_cut *cut = w->cut;
    uint32_t *offsets = cut->edge_offsets;
    memset(offsets, 0, (w->topo->edge_count + 2) * sizeof *offsets);
    for (size_t i = 0; i < w->edge_point_count; i++) offsets[w->places[w->points[i]].edge + 2]++;
    for (size_t e = 0; e < w->topo->edge_count; e++) {
        if (offsets[e + 2] > 0) cut->cut_edges[cut->cut_edge_count++] = (uint32_t)e;
        offsets[e + 2] += offsets[e + 1];
    }
    for (size_t i = 0; i < w->edge_point_count; i++)
        grouped[offsets[w->places[w->points[i]].edge + 1]++] = w->points[i];
}

/* Some points by their places. */
static void sort_places(const way_back *w, uint32_t *points, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t point = points[i];
        size_t at = i;
        for (; at > 0 && w->places[points[at - 1]].place > w->places[point].place; at--) points[at] = points[at - 1];
        points[at] = point;
    }
}

/* Points of edges in their order, with numbers. */
static void cut_edges(way_back *w) {
    free_cut *cut = w->cut;
    uint32_t *grouped = w->points + w->edge_point_count;
    group_points(w, grouped);
    for (size_t n = 0; n < cut->cut_edge_count; n++) {
        size_t begin = cut->edge_offsets[cut->cut_edges[n]], end = cut->edge_offsets[cut->cut_edges[n] + 1];
        sort_places(w, grouped + begin, end - begin);
        for (size_t i = begin; i < end; i++) {
            fine_place *at = &w->places[grouped[i]];
            cut->edge_places[i] = at->place;
            at->number = (uint32_t)(i - begin);
            at->index = (uint32_t)i;
        }
    }
}

/* The local point of a triangle that a fine vertex is. */
static uint32_t local_of(const way_back *w, size_t parent, uint32_t v) {
    if (v < w->old_count) {
        const uint32_t *corners = w->mesh->triangles + 3 * parent;
        uint32_t own = w->piece->vertices[v];
        return own == corners[0] ? 0 : own == corners[1] ? 1 : 2;
    }
    const uint32_t *edges = w->topo->triangle_edges + 3 * parent;
    const fine_place *at = &w->places[v - w->old_count];
    uint32_t local = 3;
    for (size_t k = 0; k < 3 && edges[k] != at->edge; k++) local += free_cut_edge_count(w->cut, edges[k]);
    return local + at->number;
}

/* How many triangles of the fine piece have the same parent as this one. */
static size_t family_size(const way_back *w, size_t t) {
    size_t end = t + 1;
    while (end < w->fine->mesh->triangle_count && w->fine->parents[end] == w->fine->parents[t]) end++;
    return end - t;
}

static void count_up(uint32_t *offsets, size_t begin, size_t end, size_t first) {
    for (size_t i = begin; i < end; i++) offsets[i] = (uint32_t)(first + i - begin);
}

/* The children of a parent: `count` triangles of the fine piece from t on. Returns how many points inside there are up to here. */
static size_t cut_parent(way_back *w, size_t parent, size_t t, size_t count, uint32_t *children, size_t inner) {
    const uint32_t *v = w->fine->mesh->triangles + 3 * t;
    for (size_t i = 0; i < 3 * count; i++) {
        children[i] = local_of(w, parent, v[i]);
        if (v[i] < w->old_count) continue;
        const fine_place *at = &w->places[v[i] - w->old_count];
        if (at->edge == NO_INDEX && at->index >= inner) inner = (size_t)at->index + 1;
    }
    return inner;
}

/* Triangle after triangle: its children, and the points inside. */
static void cut_triangles(way_back *w) {
    free_cut *cut = w->cut;
    size_t done = 0, children = 0, inner = 0; /* triangles of the mesh, and what is before the next one */
    for (size_t t = 0, count; t < w->fine->mesh->triangle_count; t += count) {
        size_t parent = w->piece->triangles[w->fine->parents[t]];
        count = family_size(w, t);
        if (count < 2) continue;
        count_up(cut->child_offsets, done, parent + 1, children);
        fill(cut->inner_offsets, done, parent + 1, inner);
        children += parent - done;
        inner = cut_parent(w, parent, t, count, cut->children + 3 * children, inner);
        children += count;
        done = parent + 1;
        cut->cut_triangles[cut->cut_triangle_count++] = (uint32_t)parent;
    }
    count_up(cut->child_offsets, done, w->mesh->triangle_count + 1, children);
    fill(cut->inner_offsets, done, w->mesh->triangle_count + 1, inner);
}

static void number_vertices(const way_back *w, uint32_t *numbers) {
    size_t edges = w->mesh->vertex_count, inner = edges + w->edge_point_count;
    for (size_t v = 0; v < w->old_count; v++) numbers[v] = w->piece->vertices[v];
    for (size_t v = w->old_count; v < w->fine->mesh->vertex_count; v++) {
        const fine_place *at = &w->places[v - w->old_count];
        numbers[v] = (uint32_t)((at->edge == NO_INDEX ? inner : edges) + at->index);
    }
}

ruga_status mesh_piece_cut(const ruga_mesh *mesh, const topology *topo, const mesh_piece *piece, const fine_piece *fine,
                           free_cut *out, uint32_t *numbers) {
    *out = (free_cut){.topo = topo};
    way_back w = {
        .mesh = mesh, .topo = topo, .piece = piece, .fine = fine, .old_count = piece->mesh->vertex_count, .cut = out};
    ruga_status status = way_back_allocate(&w);
    if (!RUGA_FAILED(status)) {
        place_vertices(&w);
        cut_edges(&w);
        cut_triangles(&w);
        number_vertices(&w, numbers);
    }
    memory_release(piece->context, w.places);
    memory_release(piece->context, w.points);
    if (RUGA_FAILED(status)) free_cut_release(piece->context, out);
    return status;
}
