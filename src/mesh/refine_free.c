/* Free cuts: see refine_free.h. Every indexed array over corners (vertices, shared values, the file's vertices) is cut by the same
 * function: along each edge, triangles that name the same two indices get the same new ones. What is not cut is copied in runs. */
#include "mesh/refine_free.h"

#include <string.h>

#include "linalg/map.h"
#include "mesh/refine_polygons.h"
#include "mesh/refine_values.h"

static size_t edge_point_total(const free_cut *c) { return c->edge_offsets[c->topo->edge_count]; }
static size_t inner_total(const free_cut *c) { return c->inner_offsets[c->topo->triangle_count]; }
static size_t child_total(const free_cut *c) { return c->child_offsets[c->topo->triangle_count]; }

/* Which part of a triangle a local point is. */
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

/* ---- What is cut. */

/* Triangles that follow each other and are not cut. */
typedef struct whole_run {
    size_t begin, end;
} whole_run;

/* The run before a cut triangle, by its number in the list; after the last for their count. */
static whole_run run_before(const free_cut *c, size_t i) {
    return (whole_run){i > 0 ? (size_t)c->cut_triangles[i - 1] + 1 : 0,
                       i < c->cut_triangle_count ? c->cut_triangles[i] : c->topo->triangle_count};
}

/* Lists of what is cut, for those who come without. */
static ruga_status list_cut(ruga_context *context, free_cut *c, uint32_t **edges, uint32_t **triangles) {
    size_t most = child_total(c) - c->topo->triangle_count;
    *edges = ALLOCATE(context, uint32_t, edge_point_total(c));
    *triangles = ALLOCATE(context, uint32_t, most);
    if (!*edges || !*triangles) return fail_memory(context, most * sizeof(uint32_t));
    c->cut_edges = *edges;
    c->cut_triangles = *triangles;
    for (uint32_t e = 0; e < c->topo->edge_count; e++)
        if (free_cut_edge_count(c, e) > 0) c->cut_edges[c->cut_edge_count++] = e;
    for (uint32_t t = 0; t < c->topo->triangle_count; t++)
        if (c->child_offsets[t + 1] - c->child_offsets[t] > 1) c->cut_triangles[c->cut_triangle_count++] = t;
    return RUGA_OK;
}

/* ---- Indices over corners. */

/* A new index, as a mixture of up to three old ones. */
typedef struct index_source {
    uint32_t indices[3];
    double weights[3];
} index_source;

typedef struct index_cut {
    uint32_t *corners;     /* (children x 3) */
    index_source *sources; /* of indices from `old_count` on */
    size_t source_count;
} index_cut;

static void index_cut_release(ruga_context *context, index_cut *cut) {
    memory_release(context, cut->corners);
    memory_release(context, cut->sources);
    *cut = (index_cut){0};
}

/* What a triangle's corners have. */
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

/* Where the new indices of edge k of each triangle begin: those of an earlier triangle with the same pair, or new ones. starts:
 * (triangle_count x 3). */
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

/* The indices of a run's corners. */
static void copy_run(const ruga_mesh *mesh, const uint32_t *indices, whole_run run, uint32_t *out) {
    if (!mesh->triangle_corners) {
        memcpy(out, indices + 3 * run.begin, 3 * (run.end - run.begin) * sizeof *out);
        return;
    }
    for (size_t i = 3 * run.begin; i < 3 * run.end; i++) *out++ = indices[mesh->triangle_corners[i]];
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

/* Every index of every child's corners. */
static void number_children(const ruga_mesh *mesh, const free_cut *c, const uint32_t *indices, size_t old_count,
                            const uint32_t *starts, index_cut *cut) {
    for (size_t i = 0; i <= c->cut_triangle_count; i++) {
        whole_run run = run_before(c, i);
        copy_run(mesh, indices, run, cut->corners + 3 * (size_t)c->child_offsets[run.begin]);
        if (i < c->cut_triangle_count) number_triangle(mesh, c, indices, old_count, starts, c->cut_triangles[i], cut);
    }
}

/* indices: (corners of the mesh). */
static ruga_status cut_indices(const ruga_mesh *mesh, const free_cut *c, const uint32_t *indices, size_t old_count,
                               index_cut *out) {
    ruga_context *context = mesh->context;
    size_t most = 0;
    for (size_t i = 0; i < c->cut_edge_count; i++) {
        uint32_t e = c->cut_edges[i];
        most += (size_t)free_cut_edge_count(c, e) * (c->topo->edge_offsets[e + 1] - c->topo->edge_offsets[e]);
    }
    index_cut cut = {.corners = ALLOCATE(context, uint32_t, 3 * child_total(c)),
                     .sources = ALLOCATE(context, index_source, most + inner_total(c))};
    uint32_t *starts = ALLOCATE(context, uint32_t, 3 * c->topo->triangle_count);
    if (!cut.corners || !cut.sources || !starts) {
        index_cut_release(context, &cut);
        memory_release(context, starts);
        return fail_memory(context, most * sizeof(index_source));
    }
    number_edges(mesh, c, indices, old_count, &cut, starts);
    number_children(mesh, c, indices, old_count, starts, &cut);
    memory_release(context, starts);
    *out = cut;
    return RUGA_OK;
}

/* ---- Attributes. */

/* Where a walk over the new vertices is: places in the lists of what is cut. */
typedef struct source_walk {
    size_t number, edge, triangle;
} source_walk;

/* Sources of the new vertices, one after the other. */
static index_source next_source(const ruga_mesh *mesh, const free_cut *c, source_walk *walk) {
    size_t edges = edge_point_total(c), number = walk->number++;
    if (number >= edges) {
        size_t inner = number - edges;
        while (c->inner_offsets[c->cut_triangles[walk->triangle] + 1] <= inner) walk->triangle++;
        const uint32_t *v = mesh->triangles + 3 * (size_t)c->cut_triangles[walk->triangle];
        const double *w = c->inner_points[inner].weights;
        return (index_source){{v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
    }
    while (c->edge_offsets[c->cut_edges[walk->edge] + 1] <= number) walk->edge++;
    const uint32_t *ends = c->topo->edge_vertices + 2 * (size_t)c->cut_edges[walk->edge];
    double t = c->edge_places[number];
    return (index_source){{ends[0], ends[1], ends[0]}, {1 - t, t, 0}};
}

/* Values with those of the sources behind them. A source with a part that has no value (UINT32_MAX) has none: kept, for the indices, as
 * the new number of each. */
static void *mixed_values(const ruga_mesh *mesh, const ruga_attribute *a, const index_source *sources, size_t count,
                          uint32_t *numbers, size_t *total) {
    void *values = grow_values(mesh->context, a, count);
    *total = a->count;
    for (size_t i = 0; values && i < count; i++) {
        const uint32_t *from = sources[i].indices;
        int missing = from[0] == NO_INDEX || from[1] == NO_INDEX || from[2] == NO_INDEX;
        if (numbers) numbers[i] = missing ? NO_INDEX : (uint32_t)*total;
        if (!missing) mix_value(a, 1, from, sources[i].weights, values, (*total)++);
    }
    return values;
}

static ruga_status add_vertices(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a, mesh_parts *parts) {
    ruga_context *context = mesh->context;
    size_t old = mesh->vertex_count, added = edge_point_total(c) + inner_total(c), total = 0;
    index_source *sources = ALLOCATE(context, index_source, added);
    uint32_t *indices = a->indices ? ALLOCATE(context, uint32_t, old + added) : NULL;
    void *values = NULL;
    source_walk walk = {0};
    if (sources && (indices || !a->indices)) {
        for (size_t i = 0; i < added; i++) {
            sources[i] = next_source(mesh, c, &walk);
            for (size_t k = 0; a->indices && k < 3; k++) sources[i].indices[k] = a->indices[sources[i].indices[k]];
        }
        if (indices) memcpy(indices, a->indices, old * sizeof *indices);
        values = mixed_values(mesh, a, sources, added, indices ? indices + old : NULL, &total);
    }
    memory_release(context, sources);
    if (!values) {
        memory_release(context, indices);
        return fail_memory(context, added * value_size(a));
    }
    return add_like(context, parts, a, total, values, indices);
}

static ruga_status add_shared_corners(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a,
                                      mesh_parts *parts) {
    ruga_context *context = mesh->context;
    index_cut cut;
    TRY(cut_indices(mesh, c, a->indices, a->count, &cut));
    uint32_t *numbers = ALLOCATE(context, uint32_t, cut.source_count);
    size_t total = 0;
    void *values = numbers ? mixed_values(mesh, a, cut.sources, cut.source_count, numbers, &total) : NULL;
    for (size_t i = 0; values && i < 3 * child_total(c); i++)
        if (cut.corners[i] != NO_INDEX && cut.corners[i] >= a->count)
            cut.corners[i] = numbers[cut.corners[i] - a->count];
    memory_release(context, numbers);
    uint32_t *indices = cut.corners;
    cut.corners = NULL;
    index_cut_release(context, &cut);
    if (!values) {
        memory_release(context, indices);
        return fail_memory(context, a->count * value_size(a));
    }
    return add_like(context, parts, a, total, values, indices);
}

/* Of a local point that is no corner. */
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

/* Values of the corners of a cut triangle's children. */
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
        mix_value(a, 1, corners, w, values, i);
    }
}

/* Values of a run's corners. */
static void copy_corners(const ruga_mesh *mesh, const ruga_attribute *a, whole_run run, unsigned char *out) {
    size_t size = value_size(a);
    const unsigned char *values = a->values;
    if (!mesh->triangle_corners) {
        memcpy(out, values + 3 * run.begin * size, 3 * (run.end - run.begin) * size);
        return;
    }
    for (size_t i = 3 * run.begin; i < 3 * run.end; i++, out += size)
        memcpy(out, values + mesh->triangle_corners[i] * size, size);
}

static ruga_status add_plain_corners(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a,
                                     mesh_parts *parts) {
    size_t count = 3 * child_total(c), size = value_size(a);
    unsigned char *values = memory_allocate(mesh->context, count, size);
    for (size_t i = 0; values && i <= c->cut_triangle_count; i++) {
        whole_run run = run_before(c, i);
        copy_corners(mesh, a, run, values + 3 * (size_t)c->child_offsets[run.begin] * size);
        if (i < c->cut_triangle_count) mix_corners(mesh, c, a, c->cut_triangles[i], values);
    }
    if (!values) return fail_memory(mesh->context, count * size);
    return add_like(mesh->context, parts, a, count, values, NULL);
}

/* ---- Splits, lines and edges. */

/* The file's vertices are cut like any shared value: the old ones stay first and in their order. */
static ruga_status cut_splits(const ruga_mesh *mesh, const free_cut *c, index_cut *splits, mesh_parts *parts) {
    TRY(cut_indices(mesh, c, mesh->corner_split, mesh->split_count, splits));
    size_t count = mesh->split_count + splits->source_count;
    parts->split_vertex = ALLOCATE(mesh->context, uint32_t, count);
    if (!parts->split_vertex) return fail_memory(mesh->context, count * sizeof(uint32_t));
    memcpy(parts->split_vertex, mesh->split_vertex, mesh->split_count * sizeof(uint32_t));
    for (size_t n = 0; n < c->cut_triangle_count; n++) {
        size_t t = c->cut_triangles[n];
        for (size_t i = 3 * (size_t)c->child_offsets[t]; i < 3 * (size_t)c->child_offsets[t + 1]; i++)
            parts->split_vertex[splits->corners[i]] = free_cut_vertex(mesh, c, t, c->children[i]);
    }
    parts->split_count = count;
    parts->corner_split = splits->corners;
    splits->corners = NULL;
    return RUGA_OK;
}

/* An attribute of the file's vertices: its indices are theirs. */
static ruga_status add_split_corners(const ruga_mesh *mesh, const ruga_attribute *a, const index_cut *splits,
                                     mesh_parts *parts) {
    size_t total;
    void *values = mixed_values(mesh, a, splits->sources, splits->source_count, NULL, &total);
    if (!values) return fail_memory(mesh->context, a->count * value_size(a));
    return add_like(mesh->context, parts, a, total, values, parts->corner_split);
}

typedef ARRAY(uint32_t) index_array;

/* A polyline with the points that came on its edges. */
static ruga_status append_polyline(const ruga_mesh *mesh, const free_cut *c, const uint32_t *vertices, size_t count,
                                   index_array *out) {
    for (size_t i = 0; i < count; i++) {
        uint32_t a = i > 0 ? vertices[i - 1] : vertices[i], b = vertices[i];
        uint32_t e = a == b ? NO_INDEX : topology_find_edge(c->topo, a, b);
        uint32_t points = e == NO_INDEX ? 0 : free_cut_edge_count(c, e);
        TRY(ARRAY_RESERVE(mesh->context, out, (size_t)points + 1));
        for (uint32_t p = 0; p < points; p++)
            out->items[out->count++] =
                (uint32_t)(mesh->vertex_count + c->edge_offsets[e] + (a < b ? p : points - 1 - p));
        out->items[out->count++] = b;
    }
    return RUGA_OK;
}

static ruga_status cut_lines(const ruga_mesh *mesh, const free_cut *c, mesh_parts *parts) {
    index_array line = {0};
    parts->line_offsets = ALLOCATE_ZEROED(mesh->context, uint32_t, mesh->line_count + 1);
    if (!parts->line_offsets) return fail_memory(mesh->context, mesh->line_count * sizeof(uint32_t));
    ruga_status status = RUGA_OK;
    for (size_t l = 0; l < mesh->line_count && !RUGA_FAILED(status); l++) {
        size_t begin = mesh->line_offsets[l];
        status = append_polyline(mesh, c, mesh->line_vertices + begin, mesh->line_offsets[l + 1] - begin, &line);
        parts->line_offsets[l + 1] = (uint32_t)line.count;
    }
    parts->line_count = mesh->line_count;
    parts->line_vertices = line.items;
    return status;
}

/* origin: the edge that each piece is of. */
static ruga_status cut_edges(const ruga_mesh *mesh, const free_cut *c, mesh_parts *parts, index_array *origin) {
    index_array pieces = {0}, line = {0};
    ruga_status status = RUGA_OK;
    for (size_t e = 0; e < mesh->edge_count && !RUGA_FAILED(status); e++) {
        line.count = 0;
        status = append_polyline(mesh, c, mesh->edges + 2 * e, 2, &line);
        if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(mesh->context, &pieces, 2 * line.count);
        if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(mesh->context, origin, line.count);
        for (size_t i = 0; !RUGA_FAILED(status) && i + 1 < line.count; i++) {
            pieces.items[pieces.count++] = line.items[i];
            pieces.items[pieces.count++] = line.items[i + 1];
            origin->items[origin->count++] = (uint32_t)e;
        }
    }
    ARRAY_RELEASE(mesh->context, &line);
    parts->edges = pieces.items;
    parts->edge_count = pieces.count / 2;
    return status;
}

/* ---- All together. */

static int is_rising(const index_source *s, size_t count) {
    return (count < 2 || s->indices[0] < s->indices[1]) && (count < 3 || s->indices[1] < s->indices[2]);
}

/* By indices; those without weight last. Returns how many have one. */
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

static ruga_status make_map(const ruga_mesh *mesh, const free_cut *c, ruga_map **out) {
    size_t added = edge_point_total(c) + inner_total(c);
    map_builder b;
    TRY(map_builder_make(mesh->context, mesh->vertex_count + added, mesh->vertex_count + 3 * added, &b));
    map_builder_copy_rows(&b, mesh->vertex_count);
    source_walk walk = {0};
    int rising = 1;
    for (size_t i = 0; i < added; i++) {
        index_source source = next_source(mesh, c, &walk);
        size_t count = sort_source(&source);
        rising &= is_rising(&source, count);
        for (size_t k = 0; k < count; k++) map_builder_put(&b, source.indices[k], source.weights[k]);
        map_builder_end_row(&b);
    }
    return rising ? map_builder_finish_rising(&b, mesh->vertex_count, out)
                  : map_builder_finish(&b, mesh->vertex_count, out);
}

/* What attributes of the domains need. */
typedef struct carrier {
    index_array edge_origin;
    index_cut splits;
} carrier;

/* Items of faces, of a size in bytes each, for the children. */
static void copy_faces(const ruga_mesh *mesh, const free_cut *c, const unsigned char *from, size_t size,
                       unsigned char *to) {
    for (size_t n = 0; n <= c->cut_triangle_count; n++) {
        whole_run run = run_before(c, n);
        size_t out = c->child_offsets[run.begin];
        if (!mesh->triangle_faces)
            memcpy(to + out * size, from + run.begin * size, (run.end - run.begin) * size);
        else
            for (size_t t = run.begin; t < run.end; t++)
                memcpy(to + out++ * size, from + mesh->triangle_faces[t] * size, size);
        if (n == c->cut_triangle_count) break;
        size_t t = c->cut_triangles[n];
        for (size_t i = c->child_offsets[t]; i < c->child_offsets[t + 1]; i++)
            memcpy(to + i * size, from + mesh_triangle_face(mesh, t) * size, size);
    }
}

static ruga_status add_faces(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a, mesh_parts *parts) {
    size_t count = child_total(c), size = a->indices ? sizeof(uint32_t) : value_size(a);
    unsigned char *items = memory_allocate(mesh->context, count, size);
    void *values = items && a->indices ? grow_values(mesh->context, a, 0) : items;
    if (!values) {
        memory_release(mesh->context, items);
        return fail_memory(mesh->context, count * size);
    }
    copy_faces(mesh, c, a->indices ? (const unsigned char *)a->indices : a->values, size, items);
    return add_like(mesh->context, parts, a, a->indices ? a->count : count, values,
                    a->indices ? (uint32_t *)(void *)items : NULL);
}

static ruga_status add_corners(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a, const carrier *carry,
                               mesh_parts *parts) {
    if (!a->indices) return add_plain_corners(mesh, c, a, parts);
    if (a->indices == mesh->corner_split) return add_split_corners(mesh, a, &carry->splits, parts);
    return add_shared_corners(mesh, c, a, parts);
}

static ruga_status add_attribute(const ruga_mesh *mesh, const free_cut *c, const ruga_attribute *a,
                                 const carrier *carry, mesh_parts *parts) {
    switch (a->domain) {
        case RUGA_DOMAIN_VERTEX: return add_vertices(mesh, c, a, parts);
        case RUGA_DOMAIN_FACE: return add_faces(mesh, c, a, parts);
        case RUGA_DOMAIN_EDGE:
            return add_picked(mesh->context, parts, a, carry->edge_origin.count, carry->edge_origin.items);
        case RUGA_DOMAIN_CORNER: return add_corners(mesh, c, a, carry, parts);
    }
    return RUGA_OK;
}

/* Everything but positions and faces. */
static ruga_status carry_over(const ruga_mesh *mesh, const free_cut *c, carrier *carry, mesh_parts *parts) {
    if (mesh->split_count > 0) TRY(cut_splits(mesh, c, &carry->splits, parts));
    if (mesh->line_count > 0) TRY(cut_lines(mesh, c, parts));
    if (mesh->edge_count > 0) TRY(cut_edges(mesh, c, parts, &carry->edge_origin));
    for (size_t i = 0; i < mesh->attribute_count; i++) TRY(add_attribute(mesh, c, &mesh->attributes[i], carry, parts));
    return RUGA_OK;
}

/* Old positions are copied, new ones mapped. */
static void place_vertices(const ruga_mesh *mesh, const ruga_map *map, ruga_vec3 *positions) {
    size_t old = mesh->vertex_count;
    ruga_map added = *map;
    added.rows -= old;
    added.offsets += old;
    memcpy(positions, mesh->positions, old * sizeof *positions);
    ruga_map_apply(&added, mesh->positions, positions + old);
}

static void place_faces(const ruga_mesh *mesh, const free_cut *c, uint32_t *vertices) {
    for (size_t n = 0; n <= c->cut_triangle_count; n++) {
        whole_run run = run_before(c, n);
        memcpy(vertices + 3 * (size_t)c->child_offsets[run.begin], mesh->triangles + 3 * run.begin,
               3 * (run.end - run.begin) * sizeof *vertices);
        if (n == c->cut_triangle_count) break;
        size_t t = c->cut_triangles[n];
        for (size_t i = 3 * (size_t)c->child_offsets[t]; i < 3 * (size_t)c->child_offsets[t + 1]; i++)
            vertices[i] = free_cut_vertex(mesh, c, t, c->children[i]);
    }
}

static ruga_status make_parts(const ruga_mesh *mesh, const free_cut *c, const ruga_map *map, mesh_parts *parts) {
    parts->vertex_count = map->rows;
    parts->face_count = child_total(c);
    parts->corner_count = 3 * parts->face_count;
    parts->positions = ALLOCATE(mesh->context, ruga_vec3, map->rows);
    parts->face_vertices = ALLOCATE(mesh->context, uint32_t, parts->corner_count);
    if (!parts->positions || !parts->face_vertices) return fail_memory(mesh->context, map->rows * sizeof(ruga_vec3));
    place_vertices(mesh, map, parts->positions);
    place_faces(mesh, c, parts->face_vertices);
    carrier carry = {0};
    ruga_status status = carry_over(mesh, c, &carry, parts);
    ARRAY_RELEASE(mesh->context, &carry.edge_origin);
    index_cut_release(mesh->context, &carry.splits);
    return status;
}

static ruga_status apply(const ruga_mesh *mesh, const free_cut *c, ruga_mesh **out, ruga_map **map) {
    ruga_map *whole;
    TRY(make_map(mesh, c, &whole));
    mesh_parts parts = {0};
    ruga_status status = make_parts(mesh, c, whole, &parts);
    if (!RUGA_FAILED(status)) status = refine_restore_polygons(mesh, c, &parts);
    if (RUGA_FAILED(status))
        mesh_parts_release(mesh->context, &parts);
    else
        status = mesh_from_parts(mesh->context, &parts, out);
    if (RUGA_FAILED(status)) {
        ruga_map_destroy(whole);
        return status;
    }
    *map = whole;
    return RUGA_OK;
}

ruga_status free_cut_apply(const ruga_mesh *mesh, const free_cut *c, ruga_mesh **out, ruga_map **map) {
    if (mesh->tet_count > 0)
        return fail_with(mesh->context, RUGA_ERROR_INPUT, "a mesh with tets can't be cut: its surface alone can");
    free_cut listed = *c;
    uint32_t *edges = NULL, *triangles = NULL;
    ruga_status status = c->cut_edges ? RUGA_OK : list_cut(mesh->context, &listed, &edges, &triangles);
    if (!RUGA_FAILED(status)) status = apply(mesh, &listed, out, map);
    memory_release(mesh->context, edges);
    memory_release(mesh->context, triangles);
    return status;
}

void free_cut_release(ruga_context *context, free_cut *c) {
    void *all[] = {c->edge_offsets,  c->edge_places, c->inner_offsets, c->inner_points,
                   c->child_offsets, c->children,    c->cut_edges,     c->cut_triangles};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) memory_release(context, all[i]);
    *c = (free_cut){0};
}
