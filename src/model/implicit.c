/* A closed surface from a function, by surface nets (Gibson 1998): a vertex for each sheet of the surface in a cell of
 * a lattice (Nielson 2004: so that it is manifold where it comes close to itself), a quadrilateral for each edge of the
 * lattice that it crosses. The vertices are then projected onto the zero of the function and smoothed along the
 * surface; finally each quadrilateral is cut along its better diagonal.
 *
 * Only the half with x >= 0 is made. The cells of column 0 have x = 0 in their middle, and their vertices stay there:
 * the other half is the mirror image, and both share these vertices.
 *
 *       x = -h/2   h/2   3h/2        lattice planes i = 0, 1, 2, …; no edge from plane 0 to plane 1 is ever crossed,
 *           |---+---|-----|          since both of its ends have the same value
 *               0
 */
#include "model/implicit.h"

#include <string.h>

#include "base/threads.h"
#include "math/vec3.h"
#include "model/model.h"

#define VERTEX_BLOCK 256
#define BLOCK 4     /* lattice points along each side of a block */
#define STEP 0.6    /* of a round of smoothing, towards the mean of the neighbours */
#define SLIVER 0.87 /* cosine of 30 degrees: a diagonal may leave no smaller angle than the other one otherwise */
#define SAME 0.005  /* cells: diagonals that are away from the surface by so nearly the same are equally good */

typedef struct net {
    ruga_context *context;
    const implicit_def *def;
    size_t points[3]; /* of the lattice */
    double *values;   /* (points) at the lattice's points */
    uint32_t *vertex; /* (points) the first of the cell whose lowest corner it is */
    size_t vertex_count, quad_count;
    vec3 *positions; /* (vertex_count), of the half */
    vec3 *normals, *sums;
    double *weights;
    uint32_t *quads;    /* (quad_count x 4), facing outwards */
    uint8_t *in_middle; /* (vertex_count) at x = 0 */
} net;

static size_t point_index(const net *n, const size_t at[3]) {
    return (at[2] * n->points[1] + at[1]) * n->points[0] + at[0];
}

static vec3 point_at(const net *n, const size_t at[3]) {
    double h = n->def->cell;
    return vec3_make(((double)at[0] - 0.5) * h, n->def->low.y + (double)at[1] * h, n->def->low.z + (double)at[2] * h);
}

/* ---- The lattice. */

/* A block that the surface can't reach gets the value of its middle everywhere: only the sign matters. */
static void sample_block(net *n, const size_t from[3]) {
    size_t to[3], middle[3], at[3];
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + BLOCK < n->points[k] ? from[k] + BLOCK : n->points[k];
        middle[k] = from[k] + BLOCK / 2 < to[k] ? from[k] + BLOCK / 2 : from[k];
    }
    double value = n->def->function(point_at(n, middle)), reach = sqrt(3.0) * BLOCK / 2 * n->def->cell;
    int is_far = n->def->slope > 0 && fabs(value) > n->def->slope * reach;
    for (at[2] = from[2]; at[2] < to[2]; at[2]++)
        for (at[1] = from[1]; at[1] < to[1]; at[1]++)
            for (at[0] = from[0]; at[0] < to[0]; at[0]++)
                n->values[point_index(n, at)] = is_far ? value : n->def->function(point_at(n, at));
}

static void sample_layers(void *argument, size_t begin, size_t end) {
    net *n = argument;
    size_t from[3];
    for (from[2] = begin * BLOCK; from[2] < end * BLOCK; from[2] += BLOCK)
        for (from[1] = 0; from[1] < n->points[1]; from[1] += BLOCK)
            for (from[0] = 0; from[0] < n->points[0]; from[0] += BLOCK) sample_block(n, from);
}

static int is_inside(const net *n, size_t point) { return n->values[point] < 0; }

/* Corner k of a cell is at (k & 1, k >> 1 & 1, k >> 2). Edges 0 to 3 run along x, then four along y, four along z. */
static const unsigned char cell_edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                                {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
/* Each side: four corners around it, and the edges from each to the next. */
static const unsigned char cell_sides[6][2][4] = {{{0, 2, 6, 4}, {4, 10, 6, 8}}, {{1, 3, 7, 5}, {5, 11, 7, 9}},
                                                  {{0, 1, 5, 4}, {0, 9, 2, 8}},  {{2, 3, 7, 6}, {1, 11, 3, 10}},
                                                  {{0, 1, 3, 2}, {0, 5, 1, 4}},  {{4, 5, 7, 6}, {2, 7, 3, 6}}};

typedef struct cell {
    double value[8];
    vec3 place[8];
    int sheet_count;
    signed char sheet[12]; /* that crosses the edge; -1: none, or one of the other half only */
} cell;

static int crosses(const cell *c, size_t edge) {
    return (c->value[cell_edges[edge][0]] < 0) != (c->value[cell_edges[edge][1]] < 0);
}

static void join_sheets(cell *c, int a, int b) {
    signed char low = c->sheet[a] < c->sheet[b] ? c->sheet[a] : c->sheet[b],
                high = c->sheet[a] > c->sheet[b] ? c->sheet[a] : c->sheet[b];
    for (int e = 0; e < 12; e++)
        if (c->sheet[e] == high) c->sheet[e] = low;
}

/* The sheets of the surface in a cell: usually one, two where it comes close to itself. */
static void cell_find(const net *n, const size_t at[3], cell *c) {
    for (size_t k = 0; k < 8; k++) {
        size_t corner[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
        c->value[k] = n->values[point_index(n, corner)];
        c->place[k] = point_at(n, corner);
    }
    for (size_t e = 0; e < 12; e++) c->sheet[e] = crosses(c, e) ? (signed char)e : -1;

    /* On a side with two crossed edges these belong together; with four, the two at each corner that is inside. Both
     * cells at the side give the same result, so that sheets fit together. */
    for (int side = 0; side < 6; side++) {
        const unsigned char *corners = cell_sides[side][0], *edges = cell_sides[side][1];
        int crossed[4], count = 0;
        for (int k = 0; k < 4; k++)
            if (crosses(c, edges[k])) crossed[count++] = edges[k];
        if (count == 2) join_sheets(c, crossed[0], crossed[1]);
        for (int k = 0; k < 4 && count == 4; k++)
            if (c->value[corners[k]] < 0) join_sheets(c, edges[k], edges[(k + 3) & 3]);
    }

    /* Numbers the sheets from 0, without those of column 0 that have no edge in plane 1. */
    signed char renamed[12];
    c->sheet_count = 0;
    memset(renamed, -1, sizeof renamed);
    for (int e = 0; e < 12; e++)
        if (c->sheet[e] >= 0 && renamed[c->sheet[e]] < 0 && (at[0] > 0 || cell_edges[e][0] & 1))
            renamed[c->sheet[e]] = (signed char)c->sheet_count++;
    for (int e = 0; e < 12; e++)
        if (c->sheet[e] >= 0) c->sheet[e] = renamed[c->sheet[e]];
}

/* The mean of the points where a sheet crosses the cell's edges; *stays: whether it crosses x = 0. */
static vec3 sheet_middle(const cell *c, int sheet, int in_middle, uint8_t *stays) {
    vec3 sum = {0, 0, 0};
    int crossed = 0, planes = 0;
    for (size_t e = 0; e < 12; e++) {
        if (c->sheet[e] != sheet) continue;
        size_t i = cell_edges[e][0], j = cell_edges[e][1];
        double t = c->value[i] / (c->value[i] - c->value[j]);
        sum = vec3_add(sum, vec3_mix(c->place[i], c->place[j], t));
        planes |= 1 << (i & 1);
        crossed++;
    }
    *stays = in_middle && planes == 3;
    vec3 middle = vec3_scale(sum, 1.0 / crossed);
    return *stays ? vec3_make(0, middle.y, middle.z) : middle;
}

static int is_crossed(const net *n, const size_t at[3]) {
    int inside = 0;
    for (size_t k = 0; k < 8; k++) {
        size_t corner[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
        inside += is_inside(n, point_index(n, corner));
    }
    return inside > 0 && inside < 8;
}

/* Visits all cells: counts their vertices and, once they are allocated, places them. */
static void place_vertices(net *n) {
    size_t at[3];
    n->vertex_count = 0;
    for (at[2] = 0; at[2] + 1 < n->points[2]; at[2]++)
        for (at[1] = 0; at[1] + 1 < n->points[1]; at[1]++)
            for (at[0] = 0; at[0] + 1 < n->points[0]; at[0]++) {
                n->vertex[point_index(n, at)] = (uint32_t)n->vertex_count;
                if (!is_crossed(n, at)) continue;
                cell c;
                cell_find(n, at, &c);
                for (int sheet = 0; sheet < c.sheet_count; sheet++, n->vertex_count++)
                    if (n->positions)
                        n->positions[n->vertex_count] =
                            sheet_middle(&c, sheet, at[0] == 0, &n->in_middle[n->vertex_count]);
            }
}

/* The quadrilateral around the lattice's edge from `at` along `axis`, through the four cells there. It faces along the
 * axis where the edge leaves the inside. */
static void add_quad(net *n, const size_t at[3], int axis, int leaves) {
    static const unsigned char around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
    int p = (axis + 1) % 3, q = (axis + 2) % 3;
    for (size_t k = 0; n->quads && k < 4; k++) {
        size_t place[3] = {at[0], at[1], at[2]};
        const unsigned char *back = around[leaves ? k : 3 - k];
        place[p] -= back[0];
        place[q] -= back[1];
        cell c;
        cell_find(n, place, &c);
        size_t corner = (size_t)back[0] << p | (size_t)back[1] << q, edge = 4 * (size_t)axis;
        while (cell_edges[edge][0] != corner) edge++;
        n->quads[4 * n->quad_count + k] = n->vertex[point_index(n, place)] + (uint32_t)(unsigned char)c.sheet[edge];
    }
    n->quad_count++;
}

/* Visits all crossed edges of the half: counts their quadrilaterals and, once they are allocated, makes them. */
static void place_quads(net *n) {
    size_t at[3];
    n->quad_count = 0;
    for (at[2] = 1; at[2] + 1 < n->points[2]; at[2]++)
        for (at[1] = 1; at[1] + 1 < n->points[1]; at[1]++)
            for (at[0] = 1; at[0] + 1 < n->points[0]; at[0]++)
                for (int axis = 0; axis < 3; axis++) {
                    size_t next[3] = {at[0], at[1], at[2]};
                    next[axis]++;
                    int here = is_inside(n, point_index(n, at)), there = is_inside(n, point_index(n, next));
                    if (here != there) add_quad(n, at, axis, here);
                }
}

/* ---- Projection and smoothing. */

/* The gradient by differences over a small tetrahedron. */
static vec3 gradient_at(const net *n, vec3 p) {
    static const double corners[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    double tiny = 1e-3 * n->def->cell;
    vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        vec3 direction = vec3_make(corners[k][0], corners[k][1], corners[k][2]);
        sum = vec3_add_scaled(sum, direction, n->def->function(vec3_add_scaled(p, direction, tiny)));
    }
    return vec3_scale(sum, 1 / (4 * tiny));
}

/* A Newton step towards the zero, at most half a cell. */
static void project_vertices(void *argument, size_t begin, size_t end) {
    net *n = argument;
    for (size_t i = begin; i < end; i++) {
        vec3 gradient = gradient_at(n, n->positions[i]);
        if (n->in_middle[i]) gradient.x = 0;
        double slope = vec3_length(gradient), limit = n->def->cell / 2;
        n->normals[i] = vec3_normalise(gradient);
        if (!(slope > 0)) continue;
        double step = fmin(fmax(-n->def->function(n->positions[i]) / slope, -limit), limit);
        n->positions[i] = vec3_add_scaled(n->positions[i], n->normals[i], step);
    }
}

/* The sums over the neighbours of each vertex. An edge counts from both of its sides. In the middle plane one side is
 * in this half, which is right: the neighbours off the plane stand for two. */
static void sum_neighbours(net *n) {
    memset(n->sums, 0, n->vertex_count * sizeof *n->sums);
    memset(n->weights, 0, n->vertex_count * sizeof *n->weights);
    for (size_t c = 0; c < 4 * n->quad_count; c++) {
        uint32_t a = n->quads[c], b = n->quads[(c & 3) == 3 ? c - 3 : c + 1];
        n->sums[a] = vec3_add(n->sums[a], n->positions[b]);
        n->sums[b] = vec3_add(n->sums[b], n->positions[a]);
        n->weights[a] += 1;
        n->weights[b] += 1;
    }
}

/* Moves the vertices towards the mean of their neighbours by a factor, along the surface or freely. */
static void smooth_vertices(net *n, int along_surface, double step) {
    sum_neighbours(n);
    for (size_t i = 0; i < n->vertex_count; i++) {
        vec3 d = vec3_sub(vec3_scale(n->sums[i], 1 / n->weights[i]), n->positions[i]);
        if (n->in_middle[i]) d.x = 0;
        if (along_surface) d = vec3_add_scaled(d, n->normals[i], -vec3_dot(d, n->normals[i]));
        n->positions[i] = vec3_add_scaled(n->positions[i], d, step);
    }
}

/* ---- Triangles of both halves. */

/* The cosine of the smallest angle of a triangle. */
static double sharpest(vec3 a, vec3 b, vec3 c) {
    vec3 u = vec3_normalise(vec3_sub(b, a)), v = vec3_normalise(vec3_sub(c, b)), w = vec3_normalise(vec3_sub(a, c));
    return fmax(-vec3_dot(u, w), fmax(-vec3_dot(u, v), -vec3_dot(v, w)));
}

/* Whether a quadrilateral is cut from corner 1 to 3, not from 0 to 2: along the diagonal that stays nearer to the
 * surface, so that grooves and ridges are not serrated; by the angles where that makes no difference, or a sliver. */
static int cut_from_first(const net *n, const vec3 p[4]) {
    double angle[2], away[2];
    for (int k = 0; k < 2; k++) {
        const vec3 a = p[k], b = p[k + 1], c = p[k + 2], d = p[(k + 3) & 3];
        angle[k] = fmax(sharpest(a, b, c), sharpest(a, c, d));
        away[k] = fabs(n->def->function(vec3_mix(a, c, 0.5)));
    }
    if (fmax(angle[0], angle[1]) > SLIVER || fabs(away[0] - away[1]) < SAME * n->def->cell) return angle[1] < angle[0];
    return away[1] < away[0];
}

static void fill_triangles(const net *n, const uint32_t *mirrored, uint32_t *corners) {
    uint32_t *other = corners + 6 * n->quad_count;
    for (size_t i = 0; i < n->quad_count; i++) {
        const uint32_t *q = n->quads + 4 * i;
        vec3 p[4];
        for (int k = 0; k < 4; k++) p[k] = n->positions[q[k]];
        const int first = cut_from_first(n, p);
        for (int t = 0; t < 2; t++)
            for (int k = 0; k < 3; k++) {
                int corner = k == 0 ? first : (first + t + k) & 3;
                corners[6 * i + (size_t)(3 * t + k)] = q[corner];
                other[6 * i + (size_t)(3 * t + (3 - k) % 3)] = mirrored[q[corner]];
            }
    }
}

/* The vertices of the half, then the mirror images of those that are not in the middle. */
static ruga_status fill_parts(net *n, mesh_parts *parts) {
    size_t middle = 0;
    for (size_t i = 0; i < n->vertex_count; i++) middle += n->in_middle[i];
    TRY(mesh_parts_allocate(n->context, parts, 2 * n->vertex_count - middle, 4 * n->quad_count));
    uint32_t *mirrored;
    TRY(NEW(n->context, &mirrored, n->vertex_count));
    uint32_t next = (uint32_t)n->vertex_count;
    for (uint32_t i = 0; i < n->vertex_count; i++) {
        vec3 p = n->positions[i];
        mirrored[i] = n->in_middle[i] ? i : next++;
        parts->positions[i] = p;
        if (!n->in_middle[i]) parts->positions[mirrored[i]] = vec3_make(-p.x, p.y, p.z);
    }
    fill_triangles(n, mirrored, parts->face_vertices);
    memory_release(n->context, mirrored);
    return RUGA_OK;
}

/* ---- All of it. */

static ruga_status make_net(net *n) {
    ruga_context *context = n->context;
    vec3 size = vec3_sub(n->def->high, n->def->low);
    n->points[0] = (size_t)ceil(n->def->high.x / n->def->cell) + 2;
    n->points[1] = (size_t)ceil(size.y / n->def->cell) + 1;
    n->points[2] = (size_t)ceil(size.z / n->def->cell) + 1;
    size_t count = n->points[0] * n->points[1] * n->points[2];
    TRY(NEW_EACH(context, count, &n->values, &n->vertex));
    parallel_for(context, (n->points[2] + BLOCK - 1) / BLOCK, 1, sample_layers, n);

    place_vertices(n);
    place_quads(n);
    TRY(NEW(context, &n->positions, n->vertex_count));
    TRY(NEW_ZEROED(context, &n->normals, n->vertex_count));
    TRY(NEW_EACH(context, n->vertex_count, &n->sums, &n->weights, &n->in_middle));
    TRY(NEW(context, &n->quads, 4 * n->quad_count));
    place_vertices(n);
    place_quads(n);

    for (int round = 0; round < n->def->rounds; round++) {
        parallel_for(context, n->vertex_count, VERTEX_BLOCK, project_vertices, n);
        smooth_vertices(n, 1, STEP);
    }
    for (int step = 0; step < 3; step++) parallel_for(context, n->vertex_count, VERTEX_BLOCK, project_vertices, n);

    /* A step towards the neighbours and a slightly longer one back keep features larger than a few triangles (Taubin
     * 1995). */
    for (int round = 0; round < n->def->soften; round++) {
        smooth_vertices(n, 0, 0.5);
        smooth_vertices(n, 0, -0.53);
    }
    return RUGA_OK;
}

ruga_status implicit_mesh(ruga_context *context, const implicit_def *def, mesh_parts *parts) {
    net n = {.context = context, .def = def};
    ruga_status status = make_net(&n);
    if (!RUGA_FAILED(status)) status = fill_parts(&n, parts);
    RELEASE_ALL(context, n.values, n.vertex, n.positions, n.normals, n.sums, n.weights, n.in_middle, n.quads);
    return status;
}
