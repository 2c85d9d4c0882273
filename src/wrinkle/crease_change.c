/* Creases that are added or removed while the cloth moves: see crease.h.
 *
 * Points. A copy of a vertex A is x = x_A - Σ w_i s_i D_i(σ_i) over the lines i between them, with numbers w_i that
 * virtual_nodes lists. A line that stays has the same s, σ and D before and after, a new line has D = 0. So a new copy
 * is a sum of A and old copies of A. In this sum the numbers of lines that stay are those of the new copy, and the
 * numbers of lines that go are 0. Usually it is one old copy; where lines lie side by side and the one in between goes,
 * it is A + (behind both) - (behind the first).
 *
 * Vertices. New vertices of the visible mesh lie on edges and in triangles of the mesh; the old visible mesh divides
 * these into triangles of its own, and one of them has the new vertex. */
#include <math.h>
#include <string.h>

#include "linalg/map.h"
#include "mesh/mesh.h"
#include "wrinkle/crease.h"

#define NONE UINT32_MAX
#define SAME 1e-9 /* of weights: a vertex, or a sum without a rest */

/* Numbers of elements by what they belong to. */
typedef struct buckets {
    uint32_t *offsets, *items;
} buckets;

static ruga_status fill_buckets(ruga_context *context, const uint32_t *owners, size_t count, size_t owner_count,
                                buckets *out) {
    TRY(NEW_ZEROED(context, &out->offsets, owner_count + 2));
    TRY(NEW(context, &out->items, count + 1));
    for (size_t i = 0; i < count; i++) out->offsets[owners[i] + 2]++;
    for (size_t i = 0; i < owner_count; i++) out->offsets[i + 2] += out->offsets[i + 1];
    for (size_t i = 0; i < count; i++) out->items[out->offsets[owners[i] + 1]++] = (uint32_t)i;
    return RUGA_OK;
}

static void release_buckets(ruga_context *context, const buckets *b) { RELEASE_ALL(context, b->offsets, b->items); }

/* ---- Points. */

typedef struct point_change {
    const crease *from, *to;
    uint32_t *old_line; /* (lines of `to`) the same one of `from`; NONE: it is new */
    buckets copies;     /* of `from`, by vertex */
    uint32_t *lines;    /* (lines of `from`) involved at a vertex */
    double *matrix;     /* rows of lines, columns of copies and the wanted numbers */
    double *shares;     /* (copies of a vertex) */
} point_change;

/* The number that the new copy needs of a line of `from`. */
static double wanted_of(const point_change *c, size_t copy, uint32_t line) {
    const virtual_nodes *n = &c->to->nodes;
    for (uint32_t k = n->crossing_offsets[copy]; k < n->crossing_offsets[copy + 1]; k++)
        if (c->old_line[n->crossings[k].path] == line) return n->crossings[k].weight;
    return 0;
}

static double number_of(const virtual_nodes *n, size_t copy, uint32_t line) {
    for (uint32_t k = n->crossing_offsets[copy]; k < n->crossing_offsets[copy + 1]; k++)
        if (n->crossings[k].path == line) return n->crossings[k].weight;
    return 0;
}

static size_t add_line(uint32_t *lines, size_t count, uint32_t line) {
    for (size_t i = 0; i < count; i++)
        if (lines[i] == line) return count;
    lines[count] = line;
    return count + 1;
}

/* Lines that a copy of `to`, or the old copies of its vertex, are behind. */
static size_t involved_lines(const point_change *c, size_t copy, const uint32_t *old, size_t old_count) {
    const virtual_nodes *n = &c->to->nodes, *o = &c->from->nodes;
    size_t count = 0;
    for (uint32_t k = n->crossing_offsets[copy]; k < n->crossing_offsets[copy + 1]; k++)
        if (c->old_line[n->crossings[k].path] != NONE)
            count = add_line(c->lines, count, c->old_line[n->crossings[k].path]);
    for (size_t i = 0; i < old_count; i++)
        for (uint32_t k = o->crossing_offsets[old[i]]; k < o->crossing_offsets[old[i] + 1]; k++)
            count = add_line(c->lines, count, o->crossings[k].path);
    return count;
}

/* Gauss and Jordan; unknowns without a pivot are 0. Returns whether there is a solution. */
static int solve(double *a, size_t rows, size_t unknowns, double *x) {
    size_t width = unknowns + 1, done = 0;
    memset(x, 0, unknowns * sizeof *x);
    for (size_t j = 0; j < unknowns && done < rows; j++) {
        size_t best = done;
        for (size_t i = done; i < rows; i++)
            if (fabs(a[i * width + j]) > fabs(a[best * width + j])) best = i;
        if (fabs(a[best * width + j]) < SAME) continue;
        for (size_t k = 0; k < width; k++) {
            double swap = a[best * width + k];
            a[best * width + k] = a[done * width + k];
            a[done * width + k] = swap;
        }
        for (size_t i = 0; i < rows; i++) {
            double factor = i == done ? 0 : a[i * width + j] / a[done * width + j];
            for (size_t k = 0; k < width && factor != 0; k++) a[i * width + k] -= factor * a[done * width + k];
        }
        x[j] = (double)(done + 1); /* its row, until all are there */
        done++;
    }
    for (size_t i = done; i < rows; i++)
        if (fabs(a[i * width + unknowns]) > SAME) return 0;
    for (size_t j = 0; j < unknowns; j++) {
        if (x[j] == 0) continue;
        size_t row = (size_t)x[j] - 1;
        x[j] = a[row * width + unknowns] / a[row * width + j];
    }
    return 1;
}

/* The row of a copy of `to`. */
static ruga_status put_copy(const point_change *c, size_t vertices, size_t copy, map_builder *rows) {
    uint32_t vertex = c->to->nodes.vertex_of[vertices + copy];
    const uint32_t *old = c->copies.items + c->copies.offsets[vertex];
    size_t count = c->copies.offsets[vertex + 1] - c->copies.offsets[vertex];
    size_t lines = involved_lines(c, copy, old, count);
    int is_vertex = 1, is_copy = 0;
    for (size_t r = 0; r < lines; r++) is_vertex &= wanted_of(c, copy, c->lines[r]) == 0;
    for (size_t i = 0; i < count && !is_vertex && !is_copy; i++) {
        is_copy = 1;
        for (size_t r = 0; r < lines; r++)
            is_copy &= wanted_of(c, copy, c->lines[r]) == number_of(&c->from->nodes, old[i], c->lines[r]);
        if (is_copy) map_builder_put(rows, (uint32_t)vertices + old[i], 1);
    }
    if (is_vertex) map_builder_put(rows, vertex, 1);
    if (is_vertex || is_copy) {
        map_builder_end_row(rows);
        return RUGA_OK;
    }
    for (size_t r = 0; r < lines; r++) {
        for (size_t i = 0; i < count; i++)
            c->matrix[r * (count + 1) + i] = number_of(&c->from->nodes, old[i], c->lines[r]);
        c->matrix[r * (count + 1) + count] = wanted_of(c, copy, c->lines[r]);
    }
    if (!solve(c->matrix, lines, count, c->shares))
        return fail_input(
            c->to->context,
            "curve \"%s\" lies too close to others at vertex %u to be cut or removed by itself; give them "
            "the same times, or refine the mesh there",
            c->from->lines.lines[c->lines[0]].trace->name, vertex);
    double left = 1;
    for (size_t i = 0; i < count; i++) {
        if (c->shares[i] != 0) map_builder_put(rows, (uint32_t)vertices + old[i], c->shares[i]);
        left -= c->shares[i];
    }
    map_builder_put(rows, vertex, left);
    map_builder_end_row(rows);
    return RUGA_OK;
}

static size_t most_copies(const buckets *b, size_t vertices) {
    size_t most = 0;
    for (size_t v = 0; v < vertices; v++)
        if (b->offsets[v + 1] - b->offsets[v] > most) most = b->offsets[v + 1] - b->offsets[v];
    return most;
}

static ruga_status prepare_points(const ruga_mesh *mesh, point_change *c) {
    ruga_context *context = mesh->context;
    const virtual_nodes *old = &c->from->nodes;
    size_t lines = c->from->lines.line_count;
    TRY(fill_buckets(context, old->vertex_of + mesh->vertex_count, old->virtual_count, mesh->vertex_count, &c->copies));
    size_t most = most_copies(&c->copies, mesh->vertex_count);
    TRY(NEW(context, &c->old_line, c->to->lines.line_count));
    TRY(NEW(context, &c->lines, lines + 1));
    TRY(NEW(context, &c->matrix, lines * (most + 1) + 1));
    TRY(NEW(context, &c->shares, most + 1));
    for (size_t i = 0; i < c->to->lines.line_count; i++) {
        c->old_line[i] = NONE;
        for (size_t k = 0; k < lines; k++)
            if (c->from->lines.lines[k].number == c->to->lines.lines[i].number) c->old_line[i] = (uint32_t)k;
    }
    return RUGA_OK;
}

/* Between two cuts. */
static ruga_status map_points(const ruga_mesh *mesh, const crease *from, const crease *to, ruga_map **out) {
    point_change c = {.from = from, .to = to};
    map_builder rows = {0};
    size_t n = mesh->vertex_count;
    ruga_status status = prepare_points(mesh, &c);
    if (!RUGA_FAILED(status))
        status = map_builder_make(mesh->context, n + to->nodes.virtual_count,
                                  n + to->nodes.virtual_count * (1 + most_copies(&c.copies, n)), &rows);
    if (!RUGA_FAILED(status)) {
        map_builder_copy_rows(&rows, n);
        for (size_t i = 0; i < to->nodes.virtual_count && !RUGA_FAILED(status); i++) status = put_copy(&c, n, i, &rows);
        if (RUGA_FAILED(status))
            map_builder_release(&rows);
        else
            status = map_builder_finish(&rows, n + from->nodes.virtual_count, out);
    }
    release_buckets(mesh->context, &c.copies);
    RELEASE_ALL(mesh->context, c.old_line, c.lines, c.matrix, c.shares);
    return status;
}

/* From the mesh itself: each copy is where its vertex is. */
static ruga_status map_copies(const ruga_mesh *mesh, const crease *to, ruga_map **out) {
    map_builder rows;
    size_t n = mesh->vertex_count, copies = to->nodes.virtual_count;
    TRY(map_builder_make(mesh->context, n + copies, n + copies, &rows));
    map_builder_copy_rows(&rows, n);
    for (size_t i = 0; i < copies; i++) {
        map_builder_put(&rows, to->nodes.vertex_of[n + i], 1);
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, n, out);
}

/* ---- Vertices. */

/* The corners' weights of a visible vertex in a triangle of the mesh. */
static void weights_in(const ruga_map *map, uint32_t vertex, const uint32_t *corners, double w[3]) {
    w[0] = w[1] = w[2] = 0;
    for (size_t e = map->offsets[vertex]; e < map->offsets[vertex + 1]; e++)
        for (int k = 0; k < 3; k++)
            if (corners[k] == map->indices[e]) w[k] += map->weights[e];
}

/* Weights of a point in a triangle of points, all by their weights in a larger triangle; returns the least. */
static double place_in(const double p[3], double corners[3][3], double w[3]) {
    double ux = corners[1][1] - corners[0][1], uy = corners[1][2] - corners[0][2];
    double vx = corners[2][1] - corners[0][1], vy = corners[2][2] - corners[0][2];
    double x = p[1] - corners[0][1], y = p[2] - corners[0][2], area = ux * vy - uy * vx;
    if (area == 0) return -INFINITY;
    w[1] = (x * vy - y * vx) / area;
    w[2] = (ux * y - uy * x) / area;
    w[0] = 1 - w[1] - w[2];
    return fmin(w[0], fmin(w[1], w[2]));
}

/* Where a point of a triangle of the mesh is on the visible mesh of a cut. */
static void find_place(const ruga_mesh *mesh, const crease *c, const buckets *pieces, uint32_t triangle,
                       const double at[3], uint32_t vertices[3], double weights[3]) {
    const uint32_t *corners = mesh->triangles + 3 * (size_t)triangle;
    double most = -INFINITY;
    for (uint32_t i = pieces->offsets[triangle]; i < pieces->offsets[triangle + 1]; i++) {
        const uint32_t *v = c->cut.mesh->triangles + 3 * (size_t)pieces->items[i];
        double places[3][3], w[3] = {0};
        for (int k = 0; k < 3; k++) weights_in(c->cut.map, v[k], corners, places[k]);
        double least = place_in(at, places, w);
        if (!(least > most)) continue;
        most = least;
        memcpy(vertices, v, 3 * sizeof *vertices);
        memcpy(weights, w, 3 * sizeof *weights);
    }
}

/* Puts weights that are not 0; a vertex that is as good as reached is reached. */
static void put_place(const uint32_t vertices[3], const double weights[3], map_builder *rows) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
        if (weights[k] > 1 - SAME) {
            map_builder_put(rows, vertices[k], 1);
            map_builder_end_row(rows);
            return;
        }
    for (int k = 0; k < 3; k++) sum += weights[k] > SAME ? weights[k] : 0;
    for (int k = 0; k < 3; k++)
        if (weights[k] > SAME) map_builder_put(rows, vertices[k], weights[k] / sum);
    map_builder_end_row(rows);
}

/* A triangle of the mesh that each visible vertex lies in. */
static ruga_status find_triangles(const crease *c, uint32_t **out) {
    const ruga_mesh *visible = c->cut.mesh;
    TRY(NEW_ZEROED(c->context, out, visible->vertex_count));
    for (size_t i = 3 * visible->triangle_count; i-- > 0;)
        (*out)[visible->triangles[i]] = c->cut.triangle_parent[i / 3];
    return RUGA_OK;
}

static ruga_status map_vertices(const ruga_mesh *mesh, const crease *from, const crease *to, ruga_map **out) {
    size_t n = mesh->vertex_count, count = to ? to->cut.mesh->vertex_count : n;
    buckets pieces = {0};
    uint32_t *triangles = NULL;
    map_builder rows = {0};
    ruga_status status = map_builder_make(mesh->context, count, n + 3 * (count - n), &rows);
    if (!RUGA_FAILED(status) && to) status = find_triangles(to, &triangles);
    if (!RUGA_FAILED(status) && from)
        status = fill_buckets(mesh->context, from->cut.triangle_parent, from->cut.mesh->triangle_count,
                              mesh->triangle_count, &pieces);
    if (!RUGA_FAILED(status)) map_builder_copy_rows(&rows, n);
    for (uint32_t v = (uint32_t)n; v < count && !RUGA_FAILED(status); v++) {
        const uint32_t *corners = mesh->triangles + 3 * (size_t)triangles[v];
        uint32_t vertices[3] = {corners[0], corners[1], corners[2]};
        double at[3], weights[3];
        weights_in(to->cut.map, v, corners, at);
        memcpy(weights, at, sizeof weights);
        if (from) find_place(mesh, from, &pieces, triangles[v], at, vertices, weights);
        put_place(vertices, weights, &rows);
    }
    release_buckets(mesh->context, &pieces);
    memory_release(mesh->context, triangles);
    if (!RUGA_FAILED(status)) return map_builder_finish(&rows, from ? from->cut.mesh->vertex_count : n, out);
    map_builder_release(&rows);
    return status;
}

ruga_status crease_change_maps(const ruga_mesh *mesh, const crease *from, const crease *to, ruga_map **points,
                               ruga_map **vertices) {
    ruga_map *moved = NULL, *seen = NULL;
    size_t n = mesh->vertex_count;
    ruga_status status = map_vertices(mesh, from, to, &seen);
    if (!RUGA_FAILED(status))
        status = from && to ? map_points(mesh, from, to, &moved)
                 : to       ? map_copies(mesh, to, &moved)
                      : map_select_first(mesh->context, n, from ? from->nodes.simulated->vertex_count : n, &moved);
    if (RUGA_FAILED(status)) {
        ruga_map_destroy(seen);
        return status;
    }
    *points = moved;
    *vertices = seen;
    return RUGA_OK;
}
