/* Pieces of meshes: see piece.h.
 *
 * mesh_piece_cut reads from the map where each new vertex of the fine piece lies: a row of two weights is a point on an
 * edge of the mesh, a row of three is a point inside a triangle. */
#include "mesh/piece.h"

#include <string.h>

/* ---- Making. */

/* places: marked for the vertices of the triangles, then their numbers in the piece. */
static ruga_status fill_piece(const ruga_mesh *mesh, size_t triangle_count, uint32_t *places, mesh_piece *piece) {
    uint32_t low = NO_INDEX, high = 0, vertex_count = 0;
    for (size_t i = 0; i < triangle_count; i++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t v = mesh->triangles[3 * (size_t)piece->triangles[i] + k];
            low = v < low ? v : low;
            high = v > high ? v : high;
            places[v] = 0;
        }
    for (uint32_t v = low; triangle_count > 0 && v <= high; v++) {
        if (places[v] == NO_INDEX) continue;
        places[v] = vertex_count;
        piece->vertices[vertex_count++] = v;
    }
    mesh_parts parts = {0};
    ruga_status status = mesh_parts_allocate(piece->context, &parts, vertex_count, triangle_count);
    for (size_t i = 0; !RUGA_FAILED(status) && i < 3 * triangle_count; i++)
        parts.face_vertices[i] = places[mesh->triangles[3 * (size_t)piece->triangles[i / 3] + i % 3]];
    for (size_t i = 0; i < vertex_count; i++) {
        places[piece->vertices[i]] = NO_INDEX;
        if (!RUGA_FAILED(status)) parts.positions[i] = mesh->positions[piece->vertices[i]];
    }
    if (!RUGA_FAILED(status)) return mesh_from_parts(piece->context, &parts, &piece->mesh);
    mesh_parts_release(piece->context, &parts);
    return status;
}

ruga_status mesh_piece_make(const ruga_mesh *mesh, const uint32_t *triangles, size_t count, uint32_t *places,
                            mesh_piece *out) {
    *out = (mesh_piece){.context = mesh->context};
    ruga_status status = NEW_COPY(mesh->context, &out->triangles, triangles, count);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &out->vertices, 3 * count);
    if (!RUGA_FAILED(status)) status = fill_piece(mesh, count, places, out);
    if (RUGA_FAILED(status)) mesh_piece_release(out);
    return status;
}

void mesh_piece_release(mesh_piece *piece) {
    ruga_mesh_destroy(piece->mesh);
    RELEASE_ALL(piece->context, piece->vertices, piece->triangles);
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

/* ---- Edges. */

static inline void mark_edge(uint64_t *marks, uint32_t edge) { marks[edge / 64] |= (uint64_t)1 << (edge % 64); }

/* Lists the marked edges, rising. marks: a bit for each of the edges, (count / 64 + 1). */
static size_t list_marked(const uint64_t *marks, size_t count, uint32_t *list) {
    size_t found = 0;
    for (size_t word = 0; word <= count / 64; word++)
        for (uint64_t left = marks[word]; left; left &= left - 1)
            list[found++] = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(left);
    return found;
}

/* Numbers the marked edges in the order of the mesh, which is that of the piece. list: (the piece's sides); numbers:
 * (the mesh's edges), set for the marked ones. */
static void number_edges(const mesh_piece *piece, const topology *topo, uint64_t *marks, uint32_t *list,
                         uint32_t *numbers, topology *out) {
    for (size_t t = 0; t < out->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) mark_edge(marks, topo->triangle_edges[3 * (size_t)piece->triangles[t] + k]);
    out->edge_count = list_marked(marks, topo->edge_count, list);
    for (size_t e = 0; e < out->edge_count; e++) numbers[list[e]] = (uint32_t)e;
    for (size_t t = 0; t < out->triangle_count; t++)
        for (size_t k = 0; k < 3; k++)
            out->triangle_edges[3 * t + k] = numbers[topo->triangle_edges[3 * (size_t)piece->triangles[t] + k]];
}

static void fill_edges(const mesh_piece *piece, topology *out) {
    uint32_t *offsets = out->edge_offsets;
    /* Counts are stored two entries further on, so that the offsets are right after filling. */
    memset(offsets, 0, (out->edge_count + 2) * sizeof *offsets);
    for (size_t i = 0; i < 3 * out->triangle_count; i++) offsets[out->triangle_edges[i] + 2]++;
    for (size_t e = 0; e < out->edge_count; e++) offsets[e + 2] += offsets[e + 1];
    for (size_t t = 0; t < out->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t *corners = piece->mesh->triangles + 3 * t;
            uint32_t e = out->triangle_edges[3 * t + k], from = corners[k], to = corners[k < 2 ? k + 1 : 0];
            out->edge_triangles[offsets[e + 1]++] = (uint32_t)t;
            out->edge_vertices[2 * (size_t)e] = from < to ? from : to;
            out->edge_vertices[2 * (size_t)e + 1] = from < to ? to : from;
        }
}

static ruga_status make_edges(const mesh_piece *piece, const topology *topo, uint64_t **marks, uint32_t **numbers,
                              topology *out) {
    size_t sides = 3 * out->triangle_count;
    TRY(NEW_ZEROED(piece->context, marks, topo->edge_count / 64 + 1));
    TRY(NEW(piece->context, numbers, topo->edge_count + sides));
    TRY(NEW_EACH(piece->context, sides, &out->triangle_edges, &out->edge_triangles));
    number_edges(piece, topo, *marks, *numbers + topo->edge_count, *numbers, out);
    TRY(NEW(piece->context, &out->edge_offsets, out->edge_count + 2));
    TRY(NEW(piece->context, &out->edge_vertices, 2 * out->edge_count));
    fill_edges(piece, out);
    return RUGA_OK;
}

ruga_status mesh_piece_edges(const mesh_piece *piece, const topology *topo, topology **out) {
    topology *made;
    uint64_t *marks = NULL;
    uint32_t *numbers = NULL;
    TRY(NEW_ZEROED(piece->context, &made, 1));
    made->context = piece->context;
    made->vertex_count = piece->mesh->vertex_count;
    made->triangle_count = piece->mesh->triangle_count;
    ruga_status status = make_edges(piece, topo, &marks, &numbers, made);
    RELEASE_ALL(piece->context, marks, numbers);
    RETURN_MADE(status, made, out, topology_destroy(made));
}

/* ---- The same cut of the whole mesh. */

/* Where a new vertex is in the mesh. */
typedef struct fine_place {
    uint32_t edge;   /* of the mesh; NO_INDEX: inside a triangle */
    uint32_t number; /* among the points of the edge or the triangle; NO_INDEX: not set yet */
    uint32_t index;  /* among all points of edges, or all inner points */
    double place;    /* on the edge, from its lower vertex */
} fine_place;

typedef struct piece_cutter {
    const ruga_mesh *mesh;
    const topology *topo;
    const mesh_piece *piece;
    const fine_piece *fine;
    fine_place *places; /* (new vertices of the fine piece) */
    uint32_t *points;   /* (edge_point_count x 2) points of edges, as new vertices; then the same, edge after edge */
    size_t edge_point_count;
    uint64_t *marks; /* (edge_count / 64 + 1) a bit for each edge with points */
    uint32_t inner_count;
    size_t old_count; /* vertices of the piece */
    free_cut *cut;
} piece_cutter;

static ruga_status allocate(piece_cutter *w) {
    ruga_context *context = w->piece->context;
    size_t added = w->fine->mesh->vertex_count - w->old_count;
    size_t children = w->mesh->triangle_count + w->fine->mesh->triangle_count - w->piece->mesh->triangle_count;
    TRY(NEW(context, &w->places, added));
    TRY(NEW(context, &w->points, 2 * added));
    TRY(NEW_EACH(context, added, &w->cut->edge_places, &w->cut->inner_points));
    TRY(NEW_ZEROED(context, &w->marks, w->topo->edge_count / 64 + 1));
    TRY(NEW(context, &w->cut->edge_offsets, w->topo->edge_count + 1));
    TRY(NEW_EACH(context, w->mesh->triangle_count + 1, &w->cut->inner_offsets, &w->cut->child_offsets));
    TRY(NEW(context, &w->cut->children, 3 * children));
    TRY(NEW(context, &w->cut->cut_edges, added + 3 * w->piece->mesh->triangle_count));
    return NEW(context, &w->cut->cut_triangles, w->piece->mesh->triangle_count);
}

/* Places a new vertex on the parent's edge between the two vertices of its row. */
static void place_on_edge(piece_cutter *w, size_t parent, uint32_t v) {
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

static void place_inside(piece_cutter *w, size_t parent, uint32_t v, uint32_t number) {
    const ruga_map *map = w->fine->map;
    const uint32_t *corners = w->mesh->triangles + 3 * parent;
    uint32_t index = w->inner_count++;
    double *weights = w->cut->inner_points[index].weights;
    weights[0] = weights[1] = weights[2] = 0;
    for (size_t i = map->offsets[v]; i < map->offsets[v + 1]; i++)
        for (size_t k = 0; k < 3; k++)
            if (w->piece->vertices[map->indices[i]] == corners[k]) weights[k] = map->weights[i];
    w->places[v - w->old_count] = (fine_place){.edge = NO_INDEX, .number = number, .index = index};
}

/* Finds the places of all new vertices, and the numbers of those inside triangles. */
static void place_vertices(piece_cutter *w) {
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

static void fill_same(uint32_t *offsets, size_t begin, size_t end, uint32_t value) {
    for (size_t i = begin; i < end; i++) offsets[i] = value;
}

static void fill_rising(uint32_t *offsets, size_t begin, size_t end, uint32_t first) {
    for (size_t i = begin; i < end; i++) offsets[i] = first + (uint32_t)(i - begin);
}

/* One after the last child of the same triangle as fine triangle t. */
static size_t children_end(const piece_cutter *w, size_t t) {
    const uint32_t *parents = w->fine->parents;
    size_t end = t + 1;
    while (end < w->fine->mesh->triangle_count && parents[end] == parents[t]) end++;
    return end;
}

/* Counts points in the offsets of edges, which become 0 before: of all, or of those of cut triangles, which are marked
 * and listed. */
static size_t list_edges(piece_cutter *w, uint32_t *edges) {
    uint32_t *offsets = w->cut->edge_offsets;
    if (!w->cut->is_sparse) memset(offsets, 0, (w->topo->edge_count + 1) * sizeof *offsets);
    for (size_t t = 0, end; w->cut->is_sparse && t < w->fine->mesh->triangle_count; t = end) {
        end = children_end(w, t);
        for (size_t k = 0; k < 3 && end - t > 1; k++) {
            uint32_t e = w->topo->triangle_edges[3 * (size_t)w->piece->triangles[w->fine->parents[t]] + k];
            mark_edge(w->marks, e);
            offsets[e] = 0;
        }
    }
    for (size_t i = 0; i < w->edge_point_count; i++) {
        uint32_t e = w->places[w->points[i]].edge;
        offsets[e]++;
        mark_edge(w->marks, e);
    }
    return list_marked(w->marks, w->topo->edge_count, edges);
}

/* Lists the edges with points, rising, and fills the offsets. grouped: the points, edge after edge. */
static void group_points(piece_cutter *w, uint32_t *grouped) {
    free_cut *cut = w->cut;
    uint32_t *offsets = cut->edge_offsets, *edges = cut->cut_edges, total = 0;
    size_t done = 0, listed = list_edges(w, edges);
    uint32_t next = listed > 0 ? offsets[edges[0]] : 0;
    for (size_t i = 0; i < listed; i++) {
        uint32_t e = edges[i], points = next;
        next = i + 1 < listed ? offsets[edges[i + 1]] : 0;
        fill_same(offsets, cut->is_sparse ? e : done, (size_t)e + 1, total);
        total += points;
        done = (size_t)e + 1;
        offsets[done] = total;
        if (points > 0) edges[cut->cut_edge_count++] = e;
    }
    fill_same(offsets, cut->is_sparse ? w->topo->edge_count : done, w->topo->edge_count + 1, total);

    /* Filling moves the offset of each edge to its end, where the next one with points begins. */
    for (size_t i = 0; i < w->edge_point_count; i++) grouped[offsets[w->places[w->points[i]].edge]++] = w->points[i];
    for (size_t i = cut->cut_edge_count; i-- > 1;) offsets[edges[i]] = offsets[edges[i - 1]];
    if (cut->cut_edge_count > 0) offsets[edges[0]] = 0;
}

/* Sorts the points of edges by edge and by place, and numbers them. */
static void cut_edges(piece_cutter *w) {
    free_cut *cut = w->cut;
    const uint32_t *offsets = cut->edge_offsets;
    uint32_t *grouped = w->points + w->edge_point_count;
    const fine_place *places = w->places;
    group_points(w, grouped);
    for (size_t n = 0; n < cut->cut_edge_count; n++) {
        size_t begin = offsets[cut->cut_edges[n]], end = offsets[cut->cut_edges[n] + 1];
        for (size_t i = begin + 1; i < end; i++) {
            uint32_t point = grouped[i];
            size_t at = i;
            for (; at > begin && places[grouped[at - 1]].place > places[point].place; at--)
                grouped[at] = grouped[at - 1];
            grouped[at] = point;
        }
        for (size_t i = begin; i < end; i++) {
            fine_place *at = &w->places[grouped[i]];
            cut->edge_places[i] = at->place;
            at->number = (uint32_t)(i - begin);
            at->index = (uint32_t)i;
        }
    }
}

/* The number of a fine vertex among the local points of a triangle. */
static uint32_t local_of(const piece_cutter *w, size_t parent, uint32_t v) {
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

/* The offsets of triangles [begin, end), which have one child each but for the last, and no inner points before it. */
static void put_offsets(free_cut *cut, size_t begin, size_t end, size_t children, size_t inner) {
    if (cut->is_sparse && end - begin > 2) {
        cut->child_offsets[begin] = (uint32_t)children;
        cut->inner_offsets[begin] = (uint32_t)inner;
        children += end - 1 - begin;
        begin = end - 1;
    }
    fill_rising(cut->child_offsets, begin, end, (uint32_t)children);
    fill_same(cut->inner_offsets, begin, end, (uint32_t)inner);
}

/* The children of each triangle, and the offsets of children and inner points. */
static void cut_triangles(piece_cutter *w) {
    free_cut *cut = w->cut;
    const uint32_t *parents = w->fine->parents;
    size_t done = 0, children = 0, inner = 0,
           fine_count = w->fine->mesh->triangle_count; /* done: triangles of the mesh */
    for (size_t t = 0, end; t < fine_count; t = end) {
        size_t parent = w->piece->triangles[parents[t]];
        end = children_end(w, t);
        if (end - t < 2) continue;
        put_offsets(cut, done, parent + 1, children, inner);
        children += parent - done;
        for (size_t i = 3 * t; i < 3 * end; i++) {
            uint32_t v = w->fine->mesh->triangles[i];
            cut->children[3 * (children - t) + i] = local_of(w, parent, v);
            if (v < w->old_count) continue;
            const fine_place *at = &w->places[v - w->old_count];
            if (at->edge == NO_INDEX && at->index >= inner) inner = (size_t)at->index + 1;
        }
        children += end - t;
        done = parent + 1;
        cut->cut_triangles[cut->cut_triangle_count++] = (uint32_t)parent;
    }
    put_offsets(cut, done, w->mesh->triangle_count + 1, children, inner);
}

ruga_status mesh_piece_cut(const ruga_mesh *mesh, const topology *topo, const mesh_piece *piece, const fine_piece *fine,
                           int may_be_sparse, free_cut *out, uint32_t *numbers) {
    const int has_triangles_alone = !mesh->face_offsets && mesh->edge_count == 0 && mesh->line_count == 0;
    *out = (free_cut){.topo = topo, .is_sparse = may_be_sparse && has_triangles_alone};
    piece_cutter w = {
        .mesh = mesh, .topo = topo, .piece = piece, .fine = fine, .old_count = piece->mesh->vertex_count, .cut = out};
    ruga_status status = allocate(&w);
    if (!RUGA_FAILED(status)) {
        place_vertices(&w);
        cut_edges(&w);
        cut_triangles(&w);
        size_t edges = mesh->vertex_count, inner = edges + w.edge_point_count;
        for (size_t v = 0; v < w.old_count; v++) numbers[v] = piece->vertices[v];
        for (size_t v = w.old_count; v < fine->mesh->vertex_count; v++) {
            const fine_place *at = &w.places[v - w.old_count];
            numbers[v] = (uint32_t)((at->edge == NO_INDEX ? inner : edges) + at->index);
        }
    }
    RELEASE_ALL(piece->context, w.places, w.points, w.marks);
    if (RUGA_FAILED(status)) free_cut_release(piece->context, out);
    return status;
}
