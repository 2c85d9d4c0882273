/* A closed surface from a function, by surface nets (Gibson 1998): a vertex for each sheet of
 * it in a cell of a lattice (Nielson 2004: so that it is manifold where it comes near to itself), a quadrilateral for each edge of the lattice that it crosses. The vertices then go to the zero of the
 * function and even out along the surface; at last each quadrilateral is cut along its better diagonal.
 *
 * Only the half with x >= 0 is made. The cells of column 0 have x = 0 in their middle, and their vertices stay there: the
 * other half is the mirror image, and both share these vertices.
 *
 *       x = -h/2   h/2   3h/2        lattice planes i = 0, 1, 2, …; no edge from plane 0 to plane 1 is ever crossed,
 *           |---+---|-----|          since both of its ends have the same value
 *               0
 */
#include "mesh/implicit.h"

#include <string.h>

#include "base/threads.h"
#include "math/vec3.h"
#include "mesh/model.h"

#define VERTEX_BLOCK 256
#define BLOCK 4  /* points along each side of those that are looked at together */
#define STEP 0.6 /* part of the way to the middle of its neighbours that a vertex goes in a round */

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

static void fill_block(net *n, const size_t from[3], const size_t to[3], const double *value) {
    size_t at[3];
    for (at[2] = from[2]; at[2] < to[2]; at[2]++)
        for (at[1] = from[1]; at[1] < to[1]; at[1]++)
            for (at[0] = from[0]; at[0] < to[0]; at[0]++)
                n->values[point_index(n, at)] = value ? *value : n->def->function(point_at(n, at));
}

/* A block that the surface can't reach has the value of its middle everywhere: only the sign of it matters. */
static void sample_block(net *n, const size_t from[3]) {
    size_t to[3], middle[3];
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] + BLOCK < n->points[k] ? from[k] + BLOCK : n->points[k];
        middle[k] = from[k] + BLOCK / 2 < to[k] ? from[k] + BLOCK / 2 : from[k];
    }
    double value = n->def->function(point_at(n, middle)), reach = sqrt(3.0) * BLOCK / 2 * n->def->cell;
    int far = n->def->slope > 0 && fabs(value) > n->def->slope * reach;
    fill_block(n, from, to, far ? &value : NULL);
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
    signed char sheet[12]; /* that crosses the edge; -1: none, or one that is only in the other half */
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

/* On a side with two crossed edges these belong together; with four, the two at each corner that is inside. Either cell
 * at the side finds the same, so that sheets fit together. */
static void join_at_side(cell *c, int side) {
    const unsigned char *corners = cell_sides[side][0], *edges = cell_sides[side][1];
    int crossed[4], count = 0;
    for (int k = 0; k < 4; k++)
        if (crosses(c, edges[k])) crossed[count++] = edges[k];
    if (count == 2) join_sheets(c, crossed[0], crossed[1]);
    if (count < 4) return;
    for (int k = 0; k < 4; k++)
        if (c->value[corners[k]] < 0) join_sheets(c, edges[k], edges[(k + 3) & 3]);
}

/* Numbers the sheets from 0 on, without those of column 0 that have no edge in plane 1. */
static void number_sheets(cell *c, int in_middle) {
    signed char renamed[12];
    c->sheet_count = 0;
    memset(renamed, -1, sizeof renamed);
    for (int e = 0; e < 12; e++)
        if (c->sheet[e] >= 0 && renamed[c->sheet[e]] < 0 && (!in_middle || cell_edges[e][0] & 1))
            renamed[c->sheet[e]] = (signed char)c->sheet_count++;
    for (int e = 0; e < 12; e++)
        if (c->sheet[e] >= 0) c->sheet[e] = renamed[c->sheet[e]];
}

/* The sheets of the surface in a cell: most often one, two where it comes near to itself. */
static void cell_find(const net *n, const size_t at[3], cell *c) {
    for (size_t k = 0; k < 8; k++) {
        size_t corner[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
        c->value[k] = n->values[point_index(n, corner)];
        c->place[k] = point_at(n, corner);
    }
    for (size_t e = 0; e < 12; e++) c->sheet[e] = crosses(c, e) ? (signed char)e : -1;
    for (int side = 0; side < 6; side++) join_at_side(c, side);
    number_sheets(c, at[0] == 0);
}

/* The mean of the places where a sheet crosses the cell's edges; and whether it crosses x = 0. */
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

/* Visits all cells: numbers and places their vertices, or, without room for these, counts them. */
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

/* The quadrilateral around the lattice's edge from `at` along `axis`: of the four cells there, counter-clockwise as seen
 * against the axis, so facing along it where the edge leaves the inside. */
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

/* Visits all crossed edges of the half: makes their quadrilaterals, or, without room for these, counts them. */
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

/* ---- On to the surface. */

/* The gradient by differences over a tetrahedron of tiny size. */
static vec3 gradient_at(const net *n, vec3 p) {
    static const double corners[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    double tiny = 1e-3 * n->def->cell;
    vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        vec3 way = vec3_make(corners[k][0], corners[k][1], corners[k][2]);
        sum = vec3_add_scaled(sum, way, n->def->function(vec3_add_scaled(p, way, tiny)));
    }
    return vec3_scale(sum, 1 / (4 * tiny));
}

/* One of Newton's steps towards the zero, no longer than half a cell. */
static void project_vertices(void *argument, size_t begin, size_t end) {
    net *n = argument;
    for (size_t i = begin; i < end; i++) {
        vec3 gradient = gradient_at(n, n->positions[i]);
        if (n->in_middle[i]) gradient.x = 0;
        double slope = vec3_length(gradient), limit = n->def->cell / 2;
        n->normals[i] = vec3_normalise(gradient);
        if (!(slope > 0)) continue;
        double way = fmin(fmax(-n->def->function(n->positions[i]) / slope, -limit), limit);
        n->positions[i] = vec3_add_scaled(n->positions[i], n->normals[i], way);
    }
}

/* Neighbours across an edge count from both of its sides; along the middle there is one side in this half, as is right:
 * their other neighbours stand for two. */
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

static void smooth_vertices(net *n) {
    sum_neighbours(n);
    for (size_t i = 0; i < n->vertex_count; i++) {
        vec3 way = vec3_sub(vec3_scale(n->sums[i], 1 / n->weights[i]), n->positions[i]);
        if (n->in_middle[i]) way.x = 0;
        way = vec3_add_scaled(way, n->normals[i], -vec3_dot(way, n->normals[i]));
        n->positions[i] = vec3_add_scaled(n->positions[i], way, STEP);
    }
}

static void settle_vertices(net *n) {
    for (int round = 0; round < n->def->rounds; round++) {
        parallel_for(n->context, n->vertex_count, VERTEX_BLOCK, project_vertices, n);
        smooth_vertices(n);
    }
    for (int step = 0; step < 3; step++) parallel_for(n->context, n->vertex_count, VERTEX_BLOCK, project_vertices, n);
}

/* Along the normals, too: a round goes towards the middle of the neighbours and back by a little more, which keeps all that
 * is larger than a few triangles (Taubin 1995). */
static void soften_vertices(net *n) {
    static const double ways[] = {0.5, -0.53};
    for (int half = 0; half < 2 * n->def->soften; half++) {
        sum_neighbours(n);
        for (size_t i = 0; i < n->vertex_count; i++) {
            vec3 way = vec3_sub(vec3_scale(n->sums[i], 1 / n->weights[i]), n->positions[i]);
            if (n->in_middle[i]) way.x = 0;
            n->positions[i] = vec3_add_scaled(n->positions[i], way, ways[half & 1]);
        }
    }
}

/* ---- Triangles of both halves. */

/* Cosine of the smallest angle of a triangle: the largest of its cosines. */
static double sharpest(vec3 a, vec3 b, vec3 c) {
    vec3 u = vec3_normalise(vec3_sub(b, a)), v = vec3_normalise(vec3_sub(c, b)), w = vec3_normalise(vec3_sub(a, c));
    return fmax(-vec3_dot(u, w), fmax(-vec3_dot(u, v), -vec3_dot(v, w)));
}

/* Whether the diagonal from corner 1 to 3 is better than that from 0 to 2. */
static int second_diagonal(const net *n, const uint32_t q[4]) {
    vec3 p[4];
    for (int k = 0; k < 4; k++) p[k] = n->positions[q[k]];
    double first = fmax(sharpest(p[0], p[1], p[2]), sharpest(p[0], p[2], p[3]));
    return fmax(sharpest(p[1], p[2], p[3]), sharpest(p[1], p[3], p[0])) < first;
}

static void fill_triangles(const net *n, const uint32_t *mirrored, uint32_t *corners) {
    uint32_t *other = corners + 6 * n->quad_count;
    for (size_t i = 0; i < n->quad_count; i++) {
        const uint32_t *q = n->quads + 4 * i;
        int first = second_diagonal(n, q);
        for (int t = 0; t < 2; t++)
            for (int k = 0; k < 3; k++) {
                int corner = k == 0 ? first : (first + t + k) & 3;
                corners[6 * i + (size_t)(3 * t + k)] = q[corner];
                other[6 * i + (size_t)(3 * t + (3 - k) % 3)] = mirrored[q[corner]];
            }
    }
}

/* The half as it is, then the mirror images of all vertices but those in the middle. */
static ruga_status fill_parts(net *n, mesh_parts *parts) {
    size_t middle = 0;
    for (size_t i = 0; i < n->vertex_count; i++) middle += n->in_middle[i];
    TRY(model_allocate(n->context, parts, 2 * n->vertex_count - middle, 4 * n->quad_count));
    uint32_t *mirrored = ALLOCATE(n->context, uint32_t, n->vertex_count);
    if (!mirrored) return fail_memory(n->context, n->vertex_count * sizeof *mirrored);
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

static ruga_status sample_lattice(net *n) {
    vec3 size = vec3_sub(n->def->high, n->def->low);
    n->points[0] = (size_t)ceil(n->def->high.x / n->def->cell) + 2;
    n->points[1] = (size_t)ceil(size.y / n->def->cell) + 1;
    n->points[2] = (size_t)ceil(size.z / n->def->cell) + 1;
    size_t count = n->points[0] * n->points[1] * n->points[2];
    n->values = ALLOCATE(n->context, double, count);
    n->vertex = ALLOCATE(n->context, uint32_t, count);
    if (!n->values || !n->vertex) return fail_memory(n->context, count * sizeof(double));
    parallel_for(n->context, (n->points[2] + BLOCK - 1) / BLOCK, 1, sample_layers, n);
    return RUGA_OK;
}

static ruga_status make_net(net *n) {
    TRY(sample_lattice(n));
    place_vertices(n);
    place_quads(n);
    n->positions = ALLOCATE(n->context, vec3, n->vertex_count);
    n->normals = ALLOCATE_ZEROED(n->context, vec3, n->vertex_count);
    n->sums = ALLOCATE(n->context, vec3, n->vertex_count);
    n->weights = ALLOCATE(n->context, double, n->vertex_count);
    n->in_middle = ALLOCATE(n->context, uint8_t, n->vertex_count);
    n->quads = ALLOCATE(n->context, uint32_t, 4 * n->quad_count);
    if (!n->positions || !n->normals || !n->sums || !n->weights || !n->in_middle || !n->quads)
        return fail_memory(n->context, n->vertex_count * sizeof(vec3));
    place_vertices(n);
    place_quads(n);
    settle_vertices(n);
    soften_vertices(n);
    return RUGA_OK;
}

ruga_status implicit_mesh(ruga_context *context, const implicit_def *def, mesh_parts *parts) {
    net n = {.context = context, .def = def};
    ruga_status status = make_net(&n);
    if (!RUGA_FAILED(status)) status = fill_parts(&n, parts);
    void *const memory[] = {n.values, n.vertex, n.positions, n.normals, n.sums, n.weights, n.in_middle, n.quads};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) memory_release(context, memory[i]);
    return status;
}
