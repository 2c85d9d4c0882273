/* Lawson's flips (Lawson 1977, "Software for C1 surface interpolation"): an edge whose two triangles break the empty
 * circle rule is replaced by the other diagonal of their quadrilateral, until there is none. */
#include <math.h>
#include <string.h>

#include "mesh/topology.h"
#include "model/model.h"

typedef struct flipper {
    uint32_t *triangles;  /* (count x 3) */
    uint32_t *neighbours; /* (count x 3) the triangle across edge k, from corner k to k + 1; NO_INDEX at the border */
    const double *x, *y;
    ARRAY(uint32_t) pending; /* 3 t + k */
} flipper;

/* Twice the signed area, and the lifted determinant that is positive when d lies inside the circle of a, b, c. The
 * bound prevents endless flips of points that lie on one circle up to rounding. */
static int breaks_circle_rule(const flipper *f, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    double ax = f->x[a] - f->x[d], ay = f->y[a] - f->y[d], bx = f->x[b] - f->x[d], by = f->y[b] - f->y[d];
    double cx = f->x[c] - f->x[d], cy = f->y[c] - f->y[d];
    double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    double inside = a2 * (bx * cy - by * cx) + b2 * (cx * ay - cy * ax) + c2 * (ax * by - ay * bx);
    double size = a2 * (fabs(bx * cy) + fabs(by * cx)) + b2 * (fabs(cx * ay) + fabs(cy * ax)) +
                  c2 * (fabs(ax * by) + fabs(ay * bx));
    return inside > 1e-12 * size;
}

static uint32_t edge_towards(const flipper *f, uint32_t triangle, uint32_t neighbour) {
    uint32_t k = 0;
    while (k < 2 && f->neighbours[3 * triangle + k] != neighbour) k++;
    return k;
}

static void set_triangle(flipper *f, uint32_t t, const uint32_t vertices[3], const uint32_t neighbours[3]) {
    memcpy(f->triangles + 3 * (size_t)t, vertices, 3 * sizeof *vertices);
    memcpy(f->neighbours + 3 * (size_t)t, neighbours, 3 * sizeof *neighbours);
}

/* t = (a, b, c) and u = (b, a, d) become t = (a, d, c) and u = (d, b, c). */
static void flip(flipper *f, uint32_t t, uint32_t k) {
    uint32_t u = f->neighbours[3 * t + k], m = edge_towards(f, u, t);
    uint32_t a = f->triangles[3 * t + k], b = f->triangles[3 * t + (k + 1) % 3], c = f->triangles[3 * t + (k + 2) % 3];
    uint32_t d = f->triangles[3 * u + (m + 2) % 3];
    uint32_t bc = f->neighbours[3 * t + (k + 1) % 3], ca = f->neighbours[3 * t + (k + 2) % 3];
    uint32_t ad = f->neighbours[3 * u + (m + 1) % 3], db = f->neighbours[3 * u + (m + 2) % 3];
    if (ad != NO_INDEX) f->neighbours[3 * ad + edge_towards(f, ad, u)] = t;
    if (bc != NO_INDEX) f->neighbours[3 * bc + edge_towards(f, bc, t)] = u;
    set_triangle(f, t, (uint32_t[]){a, d, c}, (uint32_t[]){ad, u, ca});
    set_triangle(f, u, (uint32_t[]){d, b, c}, (uint32_t[]){db, bc, t});
}

static ruga_status push_edges(ruga_context *context, flipper *f, uint32_t triangle) {
    TRY(ARRAY_RESERVE(context, &f->pending, 3));
    for (uint32_t k = 0; k < 3; k++) f->pending.items[f->pending.count++] = 3 * triangle + k;
    return RUGA_OK;
}

static ruga_status flip_all(ruga_context *context, flipper *f, size_t triangle_count) {
    for (size_t t = triangle_count; t-- > 0;) TRY(push_edges(context, f, (uint32_t)t));
    while (f->pending.count > 0) {
        uint32_t edge = f->pending.items[--f->pending.count], t = edge / 3, k = edge % 3, u = f->neighbours[edge];
        if (u == NO_INDEX) continue;
        uint32_t d = f->triangles[3 * u + (edge_towards(f, u, t) + 2) % 3];
        const uint32_t *v = f->triangles + 3 * (size_t)t;
        if (!breaks_circle_rule(f, v[0], v[1], v[2], d)) continue;
        flip(f, t, k);
        TRY(push_edges(context, f, t));
        TRY(push_edges(context, f, u));
    }
    return RUGA_OK;
}

ruga_status model_flip_to_delaunay(ruga_context *context, size_t triangle_count, uint32_t *triangles,
                                   size_t vertex_count, const double *x, const double *y) {
    flipper f = {.triangles = triangles, .x = x, .y = y};
    topology *topo = NULL;
    TRY(topology_build(context, vertex_count, triangle_count, triangles, &topo));
    ruga_status status = NEW(context, &f.neighbours, 3 * triangle_count);
    for (size_t i = 0; !RUGA_FAILED(status) && i < 3 * triangle_count; i++) {
        uint32_t e = topo->triangle_edges[i];
        f.neighbours[i] = NO_INDEX;
        for (uint32_t n = topo->edge_offsets[e]; n < topo->edge_offsets[e + 1]; n++)
            if (topo->edge_triangles[n] != i / 3) f.neighbours[i] = topo->edge_triangles[n];
    }
    if (!RUGA_FAILED(status)) status = flip_all(context, &f, triangle_count);
    topology_destroy(topo);
    memory_release(context, f.neighbours);
    ARRAY_RELEASE(context, &f.pending);
    return status;
}
