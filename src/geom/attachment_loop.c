/* Points of the limit surface of Loop's subdivision (Loop 1987) as rows over the vertices, for any weights in any
 * triangle.
 *
 * A triangle's limit surface depends on its star: its corners and their rings. Where all corners are regular (six
 * neighbours, or four on a boundary) it is a quartic box spline of twelve points, whose basis is in Stam 1998,
 * "Evaluation of Loop subdivision surfaces". Points beyond a boundary are v + n - m, with v and n the boundary edge and
 * m the vertex opposite, which gives the boundary rules of mesh/subdivide.c (cubic B-splines). Otherwise the star is
 * refined into the star of the quarter that contains the point. This repeats only around an irregular vertex; after
 * MAX_ROUNDS rounds the quarter is flat to rounding, and the point is interpolated between the limits of its corners.
 *
 * Rows are stored densely over the vertices of the first star. */
#include <math.h>
#include <string.h>

#include "geom/attachment_parts.h"
#include "mesh/topology.h"

#define MAX_ROUNDS 20

/* A corner's neighbours, in the orientation of the triangle; from boundary to boundary if the ring is not closed. */
typedef struct corner_ring {
    size_t size;
    uint32_t *neighbours;
    size_t next; /* position of the triangle's next corner; the one after that follows */
    int closed;
    int fixed; /* several fans touch here, or it is a corner: the vertex keeps its position */
} corner_ring;

/* The triangle's corners are its vertices 0, 1 and 2. */
typedef struct star {
    size_t count;
    double *rows; /* (count x columns) */
    corner_ring rings[3];
} star;

typedef struct limit_finder {
    ruga_context *context;
    const uint32_t *triangles;
    const topology *topo;
    const uint8_t *fixed; /* (vertices) */
    uint32_t *local;      /* (vertices) in the star, NO_INDEX */
    size_t columns;       /* of all rows of the current star */
    uint32_t *vertices;   /* (capacity) that the columns stand for */
    size_t capacity;      /* of vertices and columns in any star */
    size_t ring_capacity; /* of neighbours in any ring */
    star first, stars[2], finer;
    uint32_t *edges[3];   /* (ring_capacity) vertices of `finer` on the edges around each corner */
    uint32_t *quarter_of; /* (capacity) vertices of `finer` in the quarter's star, NO_INDEX */
    double *sums;         /* (capacity x 3) weights over a star's vertices */
    ARRAY(row_entry) entries;
} limit_finder;

/* ---- Memory. */

static void finder_release(limit_finder *f) {
    star *stars[4] = {&f->first, &f->stars[0], &f->stars[1], &f->finer};
    for (size_t i = 0; i < 4; i++) {
        memory_release(f->context, stars[i]->rows);
        for (size_t c = 0; c < 3; c++) memory_release(f->context, stars[i]->rings[c].neighbours);
    }
    for (size_t c = 0; c < 3; c++) memory_release(f->context, f->edges[c]);
    RELEASE_ALL(f->context, f->local, f->vertices, f->quarter_of, f->sums);
    ARRAY_RELEASE(f->context, &f->entries);
}

static ruga_status finder_make(limit_finder *f) {
    ruga_context *context = f->context;
    const topology *topo = f->topo;
    f->ring_capacity = 6;
    for (size_t v = 0; v < topo->vertex_count; v++) {
        size_t size = topo->ring_offsets[v + 1] - topo->ring_offsets[v];
        if (size > f->ring_capacity) f->ring_capacity = size;
    }
    f->capacity = 3 + 3 * f->ring_capacity;
    TRY(NEW(context, &f->local, topo->vertex_count));
    TRY(NEW_EACH(context, f->capacity, &f->vertices, &f->quarter_of));
    TRY(NEW(context, &f->sums, 3 * f->capacity));
    star *stars[4] = {&f->first, &f->stars[0], &f->stars[1], &f->finer};
    for (size_t i = 0; i < 4; i++) {
        TRY(NEW(context, &stars[i]->rows, f->capacity * f->capacity));
        for (size_t c = 0; c < 3; c++) TRY(NEW(context, &stars[i]->rings[c].neighbours, f->ring_capacity));
    }
    for (size_t c = 0; c < 3; c++) TRY(NEW(context, &f->edges[c], f->ring_capacity));
    for (size_t v = 0; v < topo->vertex_count; v++) f->local[v] = NO_INDEX;
    return RUGA_OK;
}

/* ---- The star of a triangle. */

/* Crosses the edge (v, side) of triangle *t: returns the vertex opposite in the next triangle, which *t becomes;
 * NO_INDEX at a boundary. */
static uint32_t step_over(const limit_finder *f, uint32_t v, uint32_t side, size_t *t) {
    const topology *topo = f->topo;
    uint32_t e = topology_find_edge(topo, v, side);
    if (topology_edge_size(topo, e) < 2) return NO_INDEX;
    const uint32_t *pair = topo->edge_triangles + topo->edge_offsets[e];
    *t = pair[0] == *t ? pair[1] : pair[0];
    const uint32_t *triangle = f->triangles + 3 * *t;
    size_t k = 0;
    while (triangle[k] == v || triangle[k] == side) k++;
    return triangle[k];
}

/* The ring of one corner: forwards from the triangle until it is closed or at a boundary, then backwards. */
static void walk_ring(const limit_finder *f, size_t triangle, size_t c, corner_ring *ring) {
    const uint32_t *corners = f->triangles + 3 * triangle;
    uint32_t v = corners[c], first = corners[(c + 1) % 3], vertex = corners[(c + 2) % 3];
    *ring = (corner_ring){.neighbours = ring->neighbours};
    size_t t = triangle, fan = f->topo->fan_offsets[v + 1] - f->topo->fan_offsets[v];
    ring->neighbours[ring->size++] = first;
    while (vertex != NO_INDEX && vertex != first) {
        ring->neighbours[ring->size++] = vertex;
        vertex = step_over(f, v, vertex, &t);
    }
    ring->closed = vertex == first;
    t = triangle;
    for (vertex = first; !ring->closed && (vertex = step_over(f, v, vertex, &t)) != NO_INDEX; ring->next++) {
        memmove(ring->neighbours + 1, ring->neighbours, ring->size * sizeof *ring->neighbours);
        ring->neighbours[0] = vertex;
        ring->size++;
    }
    ring->fixed = f->fixed[v] || fan != (ring->closed ? ring->size : ring->size - 1);
}

/* The number of a mesh vertex in the star; adds it if needed. */
static uint32_t add_vertex(limit_finder *f, uint32_t v) {
    if (f->local[v] == NO_INDEX) {
        f->local[v] = (uint32_t)f->columns;
        f->vertices[f->columns++] = v;
    }
    return f->local[v];
}

static void make_first_star(limit_finder *f, size_t triangle) {
    star *s = &f->first;
    for (size_t i = 0; i < f->columns; i++) f->local[f->vertices[i]] = NO_INDEX;
    f->columns = 0;
    for (size_t c = 0; c < 3; c++) add_vertex(f, f->triangles[3 * triangle + c]);
    for (size_t c = 0; c < 3; c++) {
        walk_ring(f, triangle, c, &s->rings[c]);
        for (size_t i = 0; i < s->rings[c].size; i++)
            s->rings[c].neighbours[i] = add_vertex(f, s->rings[c].neighbours[i]);
    }
    s->count = f->columns;
    memset(s->rows, 0, s->count * f->columns * sizeof(double));
    for (size_t i = 0; i < s->count; i++) s->rows[i * f->columns + i] = 1;
}

/* ---- One round of refinement. */

static double loop_beta(size_t valence) {
    double k = (double)valence, c = 3.0 / 8 + cos(2 * acos(-1) / k) / 4;
    return (5.0 / 8 - c * c) / k;
}

static void clear_row(const limit_finder *f, star *s, size_t row) {
    memset(s->rows + row * f->columns, 0, f->columns * sizeof(double));
}

static void add_row(const limit_finder *f, star *to, size_t row, const star *from, size_t source, double weight) {
    double *out = to->rows + row * f->columns;
    const double *in = from->rows + source * f->columns;
    for (size_t i = 0; i < f->columns; i++) out[i] += weight * in[i];
}

/* Whether the edge to a neighbour is a boundary. */
static int ends_ring(const corner_ring *ring, size_t i) { return !ring->closed && (i == 0 || i + 1 == ring->size); }

static void refine_corner(const limit_finder *f, const star *s, size_t c, star *out) {
    const corner_ring *ring = &s->rings[c];
    clear_row(f, out, c);
    if (ring->fixed) {
        add_row(f, out, c, s, c, 1);
    } else if (ring->closed) {
        double beta = loop_beta(ring->size);
        add_row(f, out, c, s, c, 1 - (double)ring->size * beta);
        for (size_t i = 0; i < ring->size; i++) add_row(f, out, c, s, ring->neighbours[i], beta);
    } else {
        add_row(f, out, c, s, c, 3.0 / 4);
        add_row(f, out, c, s, ring->neighbours[0], 1.0 / 8);
        add_row(f, out, c, s, ring->neighbours[ring->size - 1], 1.0 / 8);
    }
}

static void refine_edge(const limit_finder *f, const star *s, size_t c, size_t i, star *out, size_t row) {
    const corner_ring *ring = &s->rings[c];
    int boundary = ends_ring(ring, i);
    clear_row(f, out, row);
    add_row(f, out, row, s, c, boundary ? 1.0 / 2 : 3.0 / 8);
    add_row(f, out, row, s, ring->neighbours[i], boundary ? 1.0 / 2 : 3.0 / 8);
    if (boundary) return;
    add_row(f, out, row, s, ring->neighbours[(i + 1) % ring->size], 1.0 / 8);
    add_row(f, out, row, s, ring->neighbours[(i + ring->size - 1) % ring->size], 1.0 / 8);
}

/* The position of the triangle's corner before this one. */
static size_t before_place(const corner_ring *ring) { return (ring->next + 1) % ring->size; }

/* New vertices: those of the corners, 0 to 2, then one on each edge at a corner. */
static void refine(limit_finder *f, const star *s) {
    star *out = &f->finer;
    out->count = 3;
    for (size_t c = 0; c < 3; c++) {
        refine_corner(f, s, c, out);
        for (size_t i = 0; i < s->rings[c].size; i++) {
            if (i == before_place(&s->rings[c])) continue;
            refine_edge(f, s, c, i, out, out->count);
            f->edges[c][i] = (uint32_t)out->count++;
        }
    }
    /* The edges of the triangle were made at their first corner; their second corner shares them. */
    for (size_t c = 0; c < 3; c++) {
        size_t end = (c + 1) % 3;
        f->edges[end][before_place(&s->rings[end])] = f->edges[c][s->rings[c].next];
    }
}

/* ---- The star of the quarter that a point is in. */

static uint32_t quarter_vertex(limit_finder *f, star *quarter, uint32_t finer) {
    if (f->quarter_of[finer] == NO_INDEX) {
        f->quarter_of[finer] = (uint32_t)quarter->count;
        memcpy(quarter->rows + quarter->count++ * f->columns, f->finer.rows + finer * f->columns,
               f->columns * sizeof(double));
    }
    return f->quarter_of[finer];
}

/* Around a new vertex on the edge from corner c to the next one. The neighbours are the edge's end, two inside, the
 * edge's start, two beyond. next: the position of the quarter's next corner among them. */
static void ring_at_edge(limit_finder *f, const star *s, size_t c, size_t next, star *quarter, corner_ring *ring) {
    size_t end = (c + 1) % 3;
    const corner_ring *from = &s->rings[c], *to = &s->rings[end];
    uint32_t around[6] = {(uint32_t)end, f->edges[end][to->next], f->edges[c][before_place(from)], (uint32_t)c};
    int boundary = ends_ring(from, from->next);
    if (!boundary) {
        around[4] = f->edges[c][(from->next + from->size - 1) % from->size];
        around[5] = f->edges[end][(before_place(to) + 1) % to->size];
    }
    *ring = (corner_ring){.size = boundary ? 4 : 6, .neighbours = ring->neighbours, .next = next, .closed = !boundary};
    for (size_t i = 0; i < ring->size; i++) ring->neighbours[i] = quarter_vertex(f, quarter, around[i]);
}

/* The quarter at corner c, or with c = 3 the one in the middle. */
static void make_quarter(limit_finder *f, const star *s, size_t c, star *quarter) {
    for (size_t i = 0; i < f->finer.count; i++) f->quarter_of[i] = NO_INDEX;
    quarter->count = 0;
    if (c == 3) {
        for (size_t k = 0; k < 3; k++) quarter_vertex(f, quarter, f->edges[k][s->rings[k].next]);
        for (size_t k = 0; k < 3; k++) ring_at_edge(f, s, k, 1, quarter, &quarter->rings[k]);
    } else {
        quarter_vertex(f, quarter, (uint32_t)c);
        quarter_vertex(f, quarter, f->edges[c][s->rings[c].next]);
        quarter_vertex(f, quarter, f->edges[c][before_place(&s->rings[c])]);
        corner_ring *ring = &quarter->rings[0];
        uint32_t *neighbours = ring->neighbours;
        *ring = s->rings[c];
        ring->neighbours = neighbours;
        for (size_t i = 0; i < ring->size; i++) neighbours[i] = quarter_vertex(f, quarter, f->edges[c][i]);
        ring_at_edge(f, s, c, 2, quarter, &quarter->rings[1]);
        ring_at_edge(f, s, (c + 2) % 3, 0, quarter, &quarter->rings[2]);
    }
}

/* The quarter that contains the point; u becomes the weights in it. */
static size_t enter_quarter(double u[3]) {
    for (size_t c = 0; c < 3; c++) {
        if (u[c] < 0.5) continue;
        double inside[3] = {2 * u[c] - 1, 2 * u[(c + 1) % 3], 2 * u[(c + 2) % 3]};
        memcpy(u, inside, sizeof inside);
        return c;
    }
    double middle[3] = {1 - 2 * u[2], 1 - 2 * u[0], 1 - 2 * u[1]};
    memcpy(u, middle, sizeof middle);
    return 3;
}

/* ---- Evaluation. */

static int is_regular(const corner_ring *ring) {
    return !ring->fixed && (ring->closed ? ring->size == 6 : ring->size == 4);
}

/* 12 times a basis function and its derivatives by the three weights, treated as independent. */
typedef struct basis {
    double value, d[3];
} basis;

/* Of a corner: u is its weight. Stam's b4. */
static basis corner_basis(double u, double v, double w) {
    double v2 = v * v, w2 = w * w, v3 = v2 * v, w3 = w2 * w;
    basis b;
    b.value = u * u * (6 * u * u + 24 * u * (v + w) + 24 * (v2 + w2) + 60 * v * w) +
              u * (8 * (v3 + w3) + 36 * v * w * (v + w)) + v2 * v2 + w2 * w2 + 6 * v * w * (v2 + w2) + 12 * v2 * w2;
    b.d[0] = u * (24 * u * u + 72 * u * (v + w) + 48 * (v2 + w2) + 120 * v * w) + 8 * (v3 + w3) + 36 * v * w * (v + w);
    b.d[1] = u * (24 * u * u + 48 * u * v + 60 * u * w + 24 * v2 + 36 * w * (2 * v + w)) + 4 * v3 + 6 * w3 +
             18 * v2 * w + 24 * v * w2;
    b.d[2] = u * (24 * u * u + 48 * u * w + 60 * u * v + 24 * w2 + 36 * v * (2 * w + v)) + 4 * w3 + 6 * v3 +
             18 * w2 * v + 24 * w * v2;
    return b;
}

/* Of the vertex opposite to the edge between u and v. Stam's b3. */
static basis opposite_basis(double u, double v, double w) {
    double u2 = u * u, v2 = v * v, u3 = u2 * u, v3 = v2 * v;
    basis b;
    b.value = u2 * u2 + v2 * v2 + 6 * u * v * (u2 + v2) + 12 * u2 * v2 + w * (2 * (u3 + v3) + 6 * u * v * (u + v));
    b.d[0] = 4 * u3 + 18 * u2 * v + 6 * v3 + 24 * u * v2 + w * (6 * u2 + 12 * u * v + 6 * v2);
    b.d[1] = 4 * v3 + 18 * v2 * u + 6 * u3 + 24 * v * u2 + w * (6 * v2 + 12 * u * v + 6 * u2);
    b.d[2] = 2 * (u3 + v3) + 6 * u * v * (u + v);
    return b;
}

/* Of the vertex beyond the corner of u, on the side of v. Stam's b1. */
static basis far_basis(double u, double v) {
    return (basis){u * u * u * (u + 2 * v), {u * u * (4 * u + 6 * v), 2 * u * u * u, 0}};
}

/* Adds a vertex of the star with a basis function whose weights are those of corners a, b and c. */
static void add_basis(limit_finder *f, uint32_t vertex, basis b, const size_t corners[3], double sign) {
    double d[3];
    for (size_t k = 0; k < 3; k++) d[corners[k]] = b.d[k];
    double *sums = f->sums + 3 * (size_t)vertex;
    sums[0] += sign * b.value / 12;
    sums[1] += sign * (d[1] - d[0]) / 12;
    sums[2] += sign * (d[2] - d[0]) / 12;
}

/* Adds neighbour i, counted from the next corner, of a regular corner's ring; beyond a boundary its substitute. */
static void add_neighbour(limit_finder *f, const star *s, size_t c, size_t i, basis b, const size_t corners[3]) {
    const corner_ring *ring = &s->rings[c];
    size_t place = (ring->next + i) % 6;
    if (place < ring->size) {
        add_basis(f, ring->neighbours[place], b, corners, 1);
        return;
    }
    int after_last = place == 4;
    add_basis(f, (uint32_t)c, b, corners, 1);
    add_basis(f, ring->neighbours[after_last ? 3 : 0], b, corners, 1);
    add_basis(f, ring->neighbours[after_last ? 2 : 1], b, corners, -1);
}

static void sum_regular(limit_finder *f, const star *s, const double u[3]) {
    for (size_t c = 0; c < 3; c++) {
        size_t next = (c + 1) % 3, before = (c + 2) % 3;
        const size_t forwards[3] = {c, next, before}, backwards[3] = {c, before, next};
        add_basis(f, (uint32_t)c, corner_basis(u[c], u[next], u[before]), forwards, 1);
        add_neighbour(f, s, c, 3, far_basis(u[c], u[before]), backwards);
        add_neighbour(f, s, c, 4, far_basis(u[c], u[next]), forwards);
        add_neighbour(f, s, c, 5, opposite_basis(u[c], u[next], u[before]), forwards);
    }
}

/* Adds the limit of a corner, with weights for the point and the tangents. */
static void add_limit(limit_finder *f, const star *s, size_t c, const double weights[3]) {
    const corner_ring *ring = &s->rings[c];
    double own = 1, others = 0;
    if (!ring->fixed && ring->closed) {
        others = 1 / (3 / (8 * loop_beta(ring->size)) + (double)ring->size);
        own = 1 - (double)ring->size * others;
    } else if (!ring->fixed) {
        others = 1.0 / 6;
        own = 4.0 / 6;
    }
    for (size_t k = 0; k < 3; k++) {
        f->sums[3 * c + k] += own * weights[k];
        for (size_t i = 0; i < ring->size; i++)
            if (ring->closed || ends_ring(ring, i)) f->sums[3 * ring->neighbours[i] + k] += others * weights[k];
    }
}

/* Linear between the limits of the corners; tangents are scaled to the first triangle. */
static void sum_limits(limit_finder *f, const star *s, const double u[3]) {
    const double scale = ldexp(1, MAX_ROUNDS);
    add_limit(f, s, 0, (double[3]){u[0], -scale, -scale});
    add_limit(f, s, 1, (double[3]){u[1], scale, 0});
    add_limit(f, s, 2, (double[3]){u[2], 0, scale});
}

/* ---- Rows. */

static ruga_status find_limit(limit_finder *f, double u[3]) {
    const star *s = &f->first;
    int round = 0;
    while (round < MAX_ROUNDS && !(is_regular(&s->rings[0]) && is_regular(&s->rings[1]) && is_regular(&s->rings[2]))) {
        star *quarter = &f->stars[round++ % 2];
        refine(f, s);
        make_quarter(f, s, enter_quarter(u), quarter);
        s = quarter;
    }
    memset(f->sums, 0, 3 * s->count * sizeof *f->sums);
    if (round < MAX_ROUNDS)
        sum_regular(f, s, u);
    else
        sum_limits(f, s, u);
    TRY(ARRAY_RESERVE(f->context, &f->entries, f->columns));
    for (size_t column = 0; column < f->columns; column++) {
        double sums[3] = {0, 0, 0};
        for (size_t i = 0; i < s->count; i++)
            for (size_t k = 0; k < 3; k++) sums[k] += f->sums[3 * i + k] * s->rows[i * f->columns + column];
        if (sums[0] == 0 && sums[1] == 0 && sums[2] == 0) continue;
        f->entries.items[f->entries.count++] =
            (row_entry){f->vertices[column], (float)sums[0], (float)sums[1], (float)sums[2]};
    }
    return RUGA_OK;
}

static ruga_status find_limits(limit_finder *f, const bound_points *points, size_t *offsets) {
    const topology *topo = f->topo;
    for (size_t e = 0; e < topo->edge_count; e++)
        if (topology_edge_size(topo, e) > 2)
            return fail_input(f->context, "edge (%u, %u) of the base has %u triangles; a Loop surface takes at most 2",
                              topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1], topology_edge_size(topo, e));
    TRY(finder_make(f));
    size_t triangle = SIZE_MAX;
    offsets[0] = 0;
    for (size_t i = 0; i < points->count; i++) {
        if (points->triangle_of[i] != triangle) make_first_star(f, triangle = points->triangle_of[i]);
        /* Float weights do not sum to exactly 1. */
        const float *w = points->weights + 4 * i;
        double sum = (double)w[0] + w[1] + w[2], u[3] = {w[0] / sum, w[1] / sum, w[2] / sum};
        TRY(find_limit(f, u));
        offsets[i + 1] = f->entries.count;
    }
    return RUGA_OK;
}

ruga_status rows_on_loop_limit(ruga_context *context, size_t vertex_count, size_t triangle_count,
                               const uint32_t *triangles, const uint8_t *fixed, const bound_points *points,
                               sparse_rows *out) {
    topology *topo;
    TRY(topology_build(context, vertex_count, triangle_count, triangles, &topo));
    limit_finder finder = {.context = context, .triangles = triangles, .topo = topo, .fixed = fixed};
    size_t *offsets;
    ruga_status status = NEW(context, &offsets, points->count + 1);
    if (!RUGA_FAILED(status)) status = find_limits(&finder, points, offsets);
    if (RUGA_FAILED(status)) {
        memory_release(context, offsets);
    } else {
        *out = (sparse_rows){points->count, offsets, finder.entries.items};
        finder.entries.items = NULL;
    }
    finder_release(&finder);
    topology_destroy(topo);
    return status;
}
