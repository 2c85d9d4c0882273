/* Finds the grid in a mesh.
 *
 * A sheet has one border loop of L vertices and N vertices in all: rows and columns add up to L / 2 + 2 and multiply to
 * N. From a corner the loop is the first row and, backwards, the first column; then two sides of each cell determine
 * the rest:
 *
 *     a ─── ?      the triangle on b → c is (b, c, a), and then ? is across the diagonal a → c,
 *     │     │      or it is (b, c, ?), and then a is across the diagonal b → ?
 *     b ─── c
 */
#include "mesh/grid.h"

#include <string.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"

/* The state of a search. */
typedef struct grid_search {
    const ruga_mesh *mesh;
    const topology *topo;
    uint8_t *used;  /* (vertices) */
    mesh_grid grid; /* filled so far */
} grid_search;

/* A triangle, by one of its directed edges, and its third vertex. */
typedef struct side {
    uint32_t triangle, third; /* NO_INDEX: there is none */
} side;

static side find_side(const grid_search *s, uint32_t a, uint32_t b) {
    uint32_t edge = a == NO_INDEX || b == NO_INDEX ? NO_INDEX : topology_find_edge(s->topo, a, b);
    if (edge == NO_INDEX) return (side){NO_INDEX, NO_INDEX};
    for (uint32_t k = s->topo->edge_offsets[edge]; k < s->topo->edge_offsets[edge + 1]; k++) {
        uint32_t t = s->topo->edge_triangles[k];
        const uint32_t *v = s->mesh->triangles + 3 * (size_t)t;
        for (size_t c = 0; c < 3; c++)
            if (v[c] == a && v[(c + 1) % 3] == b) return (side){t, v[(c + 2) % 3]};
    }
    return (side){NO_INDEX, NO_INDEX};
}

/* Whether two triangles form a cell; triangles of a polygon only if they are of the same one. */
static int make_cell(const grid_search *s, side a, side b) {
    if (a.triangle == NO_INDEX || b.triangle == NO_INDEX) return 0;
    size_t face = mesh_triangle_face(s->mesh, a.triangle), other = mesh_triangle_face(s->mesh, b.triangle);
    size_t sizes = mesh_face_end(s->mesh, face) - mesh_face_begin(s->mesh, face) + mesh_face_end(s->mesh, other) -
                   mesh_face_begin(s->mesh, other);
    return face == other || sizes == 6;
}

/* The fourth vertex of the cell with the sides a – b and b – c. */
static uint32_t fourth_vertex(const grid_search *s, uint32_t a, uint32_t b, uint32_t c) {
    side low = find_side(s, b, c);
    side high = low.third == a ? find_side(s, a, c) : find_side(s, b, low.third);
    if (!make_cell(s, low, high)) return NO_INDEX;
    return low.third == a ? high.third : high.third == a ? low.third : NO_INDEX;
}

static uint32_t *grid_at(const grid_search *s, size_t row, size_t column) {
    return &s->grid.vertices[row * s->grid.columns + column % s->grid.columns];
}

/* Places a vertex, unless it is used already. */
static int put_vertex(grid_search *s, size_t row, size_t column, uint32_t vertex) {
    if (vertex == NO_INDEX || s->used[vertex]) return 0;
    s->used[vertex] = 1;
    *grid_at(s, row, column) = vertex;
    return 1;
}

/* Fills row j + 1, whose first vertex is placed. Places nothing on failure. */
static int lay_out_row(grid_search *s, size_t j) {
    const mesh_grid *g = &s->grid;
    for (size_t i = 0; i + (g->closed ? 0 : 1) < g->columns; i++) {
        uint32_t last = fourth_vertex(s, *grid_at(s, j + 1, i), *grid_at(s, j, i), *grid_at(s, j, i + 1));
        int is_seam = g->closed && i + 1 == g->columns;
        if (is_seam ? last == *grid_at(s, j + 1, 0) : put_vertex(s, j + 1, i + 1, last)) continue;
        for (; i > 0; i--) s->used[*grid_at(s, j + 1, i)] = 0;
        return 0;
    }
    return 1;
}

static size_t loop_length(const topology *topo, size_t loop) {
    return topo->loop_offsets[loop + 1] - topo->loop_offsets[loop];
}

static uint32_t loop_vertex(const topology *topo, size_t loop, size_t place) {
    return topo->loop_vertices[topo->loop_offsets[loop] + place % loop_length(topo, loop)];
}

/* Fills the first row, along a border. */
static int lay_out_border(grid_search *s, size_t loop, size_t start) {
    memset(s->used, 0, s->mesh->vertex_count);
    for (size_t i = 0; i < s->grid.columns; i++)
        if (!put_vertex(s, 0, i, loop_vertex(s->topo, loop, start + i))) return 0;
    return 1;
}

/* ---- Sheets. */

/* Fills the grid with its corner at a position on the border. */
static int lay_out_sheet(grid_search *s, size_t corner, size_t rows, size_t columns) {
    s->grid.rows = rows;
    s->grid.columns = columns;
    if (!lay_out_border(s, 0, corner)) return 0;
    for (size_t j = 0; j + 1 < rows; j++) {
        uint32_t first = loop_vertex(s->topo, 0, corner + loop_length(s->topo, 0) - j - 1);
        if (!put_vertex(s, j + 1, 0, first) || !lay_out_row(s, j)) return 0;
    }
    return 1;
}

/* The position on the border of the lowest vertex from `least` on that may be a corner: it has one cell, so at most two
 * triangles. The border's length when there is none. */
static size_t next_corner(const grid_search *s, size_t least) {
    size_t length = loop_length(s->topo, 0), corner = length;
    for (size_t k = 0; k < length; k++) {
        uint32_t v = loop_vertex(s->topo, 0, k);
        if (v < least || s->topo->fan_offsets[v + 1] - s->topo->fan_offsets[v] > 2) continue;
        if (corner == length || v < loop_vertex(s->topo, 0, corner)) corner = k;
    }
    return corner;
}

/* The total length of the cells' sides at rest, m. */
static double side_length(const grid_search *s) {
    const ruga_vec3 *p = s->mesh->positions;
    double sum = 0;
    for (size_t j = 0; j < s->grid.rows; j++)
        for (size_t i = 0; i < s->grid.columns; i++) {
            ruga_vec3 here = p[*grid_at(s, j, i)];
            if (i + 1 < s->grid.columns) sum += vec3_distance(here, p[*grid_at(s, j, i + 1)]);
            if (j + 1 < s->grid.rows) sum += vec3_distance(here, p[*grid_at(s, j + 1, i)]);
        }
    return sum;
}

/* If triangles can be paired to cells differently, the one with the shortest sides at rest is chosen, since
 * diagonals are longer. Of equal ones the first counts. */
static int find_sheet(grid_search *s) {
    size_t length = loop_length(s->topo, 0), count = s->mesh->vertex_count, sum = length / 2 + 2;
    double root = sqrt(fmax((double)sum * (double)sum - 4 * (double)count, 0));
    size_t less = (size_t)(((double)sum - root) / 2 + 0.5), more = sum - less;
    if (length % 2 || less < 2 || less * more != count) return 0;
    size_t best_corner = length, best_rows = 0, corner = next_corner(s, 0);
    double best = INFINITY;
    while (corner < length) {
        for (size_t rows = less; rows > 0; rows = rows == less && less != more ? more : 0) {
            if (!lay_out_sheet(s, corner, rows, count / rows) || !(side_length(s) < best * (1 - 1e-9))) continue;
            best = side_length(s);
            best_corner = corner;
            best_rows = rows;
        }
        corner = next_corner(s, (size_t)loop_vertex(s->topo, 0, corner) + 1);
    }
    return best_corner < length && lay_out_sheet(s, best_corner, best_rows, count / best_rows);
}

/* ---- Tubes. */

/* The nearest unused neighbour at rest of a row's first vertex that is further than `beyond`. */
static uint32_t next_above(const grid_search *s, uint32_t vertex, double *beyond) {
    const ruga_vec3 *p = s->mesh->positions;
    uint32_t nearest = NO_INDEX;
    double least = INFINITY;
    for (uint32_t k = s->topo->ring_offsets[vertex]; k < s->topo->ring_offsets[vertex + 1]; k++) {
        uint32_t v = s->topo->ring_vertices[k];
        double distance = vec3_distance(p[v], p[vertex]);
        if (s->used[v] || !(distance > *beyond) || !(distance < least)) continue;
        least = distance;
        nearest = v;
    }
    *beyond = least;
    return nearest;
}

/* If the diagonals of a tube all have the same direction, the faces alone do not distinguish them from sides: at rest,
 * sides are the shorter ones. */
static int lay_out_tube_row(grid_search *s, size_t j) {
    double beyond = -1;
    for (;;) {
        uint32_t above = next_above(s, *grid_at(s, j, 0), &beyond);
        if (above == NO_INDEX) return 0;
        if (put_vertex(s, j + 1, 0, above) && lay_out_row(s, j)) return 1;
        s->used[above] = 0;
    }
}

static int find_tube(grid_search *s) {
    size_t length = loop_length(s->topo, 0), loop = 0, start = 0;
    if (length != loop_length(s->topo, 1) || length < 3 || s->mesh->vertex_count % length) return 0;
    for (size_t k = 0; k < 2 * length; k++)
        if (loop_vertex(s->topo, k / length, k) < loop_vertex(s->topo, loop, start)) {
            loop = k / length;
            start = k % length;
        }
    s->grid = (mesh_grid){s->mesh->vertex_count / length, length, 1, s->grid.vertices};
    int found = lay_out_border(s, loop, start);
    for (size_t j = 0; found && j + 1 < s->grid.rows; j++) found = lay_out_tube_row(s, j);
    return found;
}

/* ---- */

static int find_grid(grid_search *s) {
    size_t loops = s->topo->loop_count;
    if (loops != 1 && loops != 2) return 0;
    if (!(loops == 1 ? find_sheet(s) : find_tube(s))) return 0;
    size_t cells = (s->grid.rows - 1) * (s->grid.columns - (s->grid.closed ? 0 : 1));
    return s->mesh->triangle_count == 2 * cells;
}

ruga_status mesh_grid_find(const ruga_mesh *mesh, mesh_grid *out) {
    ruga_context *context = mesh->context;
    topology *topo = NULL;
    TRY(topology_build_mesh(mesh, &topo));
    grid_search s = {.mesh = mesh, .topo = topo};
    ruga_status status = NEW(context, &s.used, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &s.grid.vertices, mesh->vertex_count);
    if (!RUGA_FAILED(status) && !find_grid(&s))
        status =
            fail_input(context,
                       "the mesh is no grid: its %zu vertices and %zu triangles with %zu borders do not form rows and "
                       "columns of cells; use a sheet or a tube of four-sided cells, or give rows and columns if the "
                       "vertices are in their order",
                       mesh->vertex_count, mesh->triangle_count, topo->loop_count);
    memory_release(context, s.used);
    topology_destroy(topo);
    RETURN_MADE(status, s.grid, out, mesh_grid_release(context, &s.grid));
}

ruga_status mesh_grid_of_order(const ruga_mesh *mesh, size_t rows, size_t columns, mesh_grid *out) {
    ruga_context *context = mesh->context;
    if (rows < 2 || columns < 2 || mesh->vertex_count / columns != rows || mesh->vertex_count % columns)
        return fail_input(context, "%zu rows of %zu vertices do not fit a mesh of %zu; both must be at least 2", rows,
                          columns, mesh->vertex_count);
    uint32_t *vertices;
    TRY(NEW(context, &vertices, mesh->vertex_count));
    for (size_t v = 0; v < mesh->vertex_count; v++) vertices[v] = (uint32_t)v;
    *out = (mesh_grid){rows, columns, 0, vertices};
    return RUGA_OK;
}

void mesh_grid_release(ruga_context *context, mesh_grid *grid) {
    memory_release(context, grid->vertices);
    grid->vertices = NULL;
}
