/* Curves on finer meshes: a point goes to where the map says, not to what happens to lie at its place, so that sheets which lie on each
 * other, or touch, each keep their curves.
 *
 * A point of the old mesh is a mixture of old vertices, and so is, by the map, every point of the new one. Where the map refines triangles
 * without moving them, the new point is the one of the same mixture. Where it smooths, as Loop's does, there may be none: of those whose
 * mixture is about as near as can be, it is the one that is nearest in space. */
#include <math.h>

#include "geom/curve.h"

#define SAME 1e-9 /* of mixtures */
#define ALIKE 1.3 /* times as far as the nearest mixture: still of the same part of the surface */

typedef struct carrier {
    ruga_context *context;
    const ruga_curve *curve;
    const ruga_mesh *mesh, *finer;
    const ruga_map *map;
    ruga_map *columns; /* its transpose: which new vertices an old one has a share in */
    double *shares;    /* (map->rows) of the old vertex that is looked at; 0 for all others */
} carrier;

/* A mixture of old vertices: indices rise. */
typedef struct mixture {
    const uint32_t *indices;
    const double *weights;
    size_t count;
} mixture;

static mixture row_of(const carrier *c, uint32_t row) {
    size_t begin = c->map->offsets[row];
    return (mixture){c->map->indices + begin, c->map->weights + begin, c->map->offsets[row + 1] - begin};
}

/* A triangle's corners and the point that is to be carried, one old vertex after the other. */
typedef struct comparison {
    mixture all[4];
    size_t at[4];
} comparison;

/* Their weights of the next old vertex; 0: there is no more. */
static int next_weights(comparison *c, double x[4]) {
    uint32_t index = UINT32_MAX;
    for (int i = 0; i < 4; i++)
        if (c->at[i] < c->all[i].count && c->all[i].indices[c->at[i]] < index) index = c->all[i].indices[c->at[i]];
    for (int i = 0; i < 4; i++)
        x[i] = c->at[i] < c->all[i].count && c->all[i].indices[c->at[i]] == index ? c->all[i].weights[c->at[i]++] : 0;
    return index != UINT32_MAX;
}

/* Scalar products of a triangle's sides, 1 and 2 from corner 0, and of the way w from there to the point. */
typedef struct products {
    double s11, s12, s22, w1, w2, ww;
} products;

static products multiply(comparison c) {
    products p = {0};
    double x[4];
    while (next_weights(&c, x)) {
        double side1 = x[1] - x[0], side2 = x[2] - x[0], way = x[3] - x[0];
        p.s11 += side1 * side1, p.s12 += side1 * side2, p.s22 += side2 * side2;
        p.w1 += way * side1, p.w2 += way * side2, p.ww += way * way;
    }
    return p;
}

/* Without the differences of near numbers that the products would lead to. */
static double distance2_at(comparison c, const double weights[3]) {
    double distance2 = 0, x[4];
    while (next_weights(&c, x)) {
        double way = weights[0] * (x[3] - x[0]) + weights[1] * (x[3] - x[1]) + weights[2] * (x[3] - x[2]);
        distance2 += way * way;
    }
    return distance2;
}

/* Takes the place with parts a and b of the sides when it is nearer than the best so far. */
static void offer(const products *p, double a, double b, double weights[3], double *distance2) {
    double here = p->ww - 2 * (a * p->w1 + b * p->w2) + a * a * p->s11 + 2 * a * b * p->s12 + b * b * p->s22;
    if (!(here < *distance2)) return;
    *distance2 = here;
    weights[0] = 1 - a - b, weights[1] = a, weights[2] = b;
}

static double part_of(double along, double length2) { return length2 > 0 ? fmin(1, fmax(0, along / length2)) : 0; }

/* The nearest place of a triangle: inside, or else on one of its sides. */
static void nearest_place(const products *p, double weights[3]) {
    double distance2 = INFINITY, area2 = p->s11 * p->s22 - p->s12 * p->s12;
    double a = (p->w1 * p->s22 - p->w2 * p->s12) / area2, b = (p->w2 * p->s11 - p->w1 * p->s12) / area2;
    if (area2 > 0 && a >= 0 && b >= 0 && a + b <= 1) {
        offer(p, a, b, weights, &distance2);
        return;
    }
    offer(p, part_of(p->w1, p->s11), 0, weights, &distance2);
    offer(p, 0, part_of(p->w2, p->s22), weights, &distance2);
    double third = part_of(p->w2 - p->w1 - p->s12 + p->s11, p->s11 - 2 * p->s12 + p->s22);
    offer(p, 1 - third, third, weights, &distance2);
}

/* How far the share of the old vertex is from all that a triangle has: no place of it is nearer. */
static double least_distance(const carrier *c, const uint32_t *corners, double share) {
    double a = c->shares[corners[0]], b = c->shares[corners[1]], d = c->shares[corners[2]];
    return fmax(0, fmax(fmin(a, fmin(b, d)) - share, share - fmax(a, fmax(b, d))));
}

/* A point of a curve: its mixture, and of its vertices the one that it has most of. */
typedef struct carried_point {
    uint32_t indices[3];
    double weights[3];
    uint32_t most;
    double share;
    vec3 at; /* m */
} carried_point;

static carried_point mixture_of(const carrier *c, const ruga_surface_point *point) {
    carried_point m = {.share = -1, .at = surface_point_at(c->mesh, NULL, *point)};
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = c->mesh->triangles[3 * (size_t)point->triangle + k];
        size_t i = k;
        for (; i > 0 && m.indices[i - 1] > vertex; i--) {
            m.indices[i] = m.indices[i - 1];
            m.weights[i] = m.weights[i - 1];
        }
        m.indices[i] = vertex;
        m.weights[i] = point->weights[k];
        if (!(point->weights[k] > m.share)) continue;
        m.share = point->weights[k];
        m.most = vertex;
    }
    return m;
}

/* The squared distance, in space, of the nearest place of a triangle. */
static double compare_places(const carrier *c, const uint32_t *v, vec3 at, double weights[3]) {
    const vec3 *x = c->finer->positions;
    vec3 side1 = vec3_sub(x[v[1]], x[v[0]]), side2 = vec3_sub(x[v[2]], x[v[0]]), way = vec3_sub(at, x[v[0]]);
    const products p = {vec3_length2(side1),  vec3_dot(side1, side2), vec3_length2(side2),
                        vec3_dot(way, side1), vec3_dot(way, side2),   vec3_length2(way)};
    nearest_place(&p, weights);
    vec3 there = vec3_add_scaled(vec3_add_scaled(x[v[0]], side1, weights[1]), side2, weights[2]);
    return vec3_length2(vec3_sub(there, at));
}

/* The same between mixtures. */
static double compare_mixtures(const carrier *c, const uint32_t *v, mixture wanted, double weights[3]) {
    const comparison compared = {{row_of(c, v[0]), row_of(c, v[1]), row_of(c, v[2]), wanted}, {0}};
    const products p = multiply(compared);
    nearest_place(&p, weights);
    return distance2_at(compared, weights);
}

/* Among the triangles with a share of the vertex that the point has most of, the one whose mixture is nearest; or, if `limit2` is not
 * INFINITY, the one nearest in space of those whose mixture is that near. *out keeps its triangle UINT32_MAX when there is none. Returns
 * the squared distance. */
static double find_place(const carrier *c, const topology *topo, const carried_point *point, double limit2,
                         ruga_surface_point *out) {
    const ruga_map *columns = c->columns;
    const mixture wanted = {point->indices, point->weights, 3};
    double best = INFINITY;
    *out = (ruga_surface_point){.triangle = UINT32_MAX};
    for (size_t i = columns->offsets[point->most]; i < columns->offsets[point->most + 1]; i++) {
        uint32_t row = columns->indices[i];
        for (uint32_t f = topo->fan_offsets[row]; f < topo->fan_offsets[row + 1]; f++) {
            uint32_t triangle = topo->fan_triangles[f];
            const uint32_t *v = c->finer->triangles + 3 * (size_t)triangle;
            double least = least_distance(c, v, point->share), weights[3];
            if (least * least >= (isinf(limit2) ? best : limit2)) continue;
            double distance2 = compare_mixtures(c, v, wanted, weights);
            if (distance2 > limit2) continue;
            if (!isinf(limit2)) distance2 = compare_places(c, v, point->at, weights);
            if (!(distance2 < best)) continue;
            best = distance2;
            *out = curve_tidy_point(triangle, weights);
        }
    }
    return best;
}

static void set_shares(const carrier *c, uint32_t vertex, int there) {
    for (size_t i = c->columns->offsets[vertex]; i < c->columns->offsets[vertex + 1]; i++)
        c->shares[c->columns->indices[i]] = there ? c->columns->weights[i] : 0;
}

static ruga_status carry_points(const carrier *c, const topology *topo, ruga_surface_point *out) {
    for (size_t i = 0; i < c->curve->point_count; i++) {
        carried_point point = mixture_of(c, &c->curve->points[i]);
        set_shares(c, point.most, 1);
        double distance2 = find_place(c, topo, &point, INFINITY, &out[i]);
        if (distance2 > SAME * SAME && !isinf(distance2))
            find_place(c, topo, &point, ALIKE * ALIKE * distance2, &out[i]);
        set_shares(c, point.most, 0);
        if (out[i].triangle == UINT32_MAX)
            return fail_with(c->context, RUGA_ERROR_ARGUMENT,
                             "curve \"%s\": point %zu can't be carried to the finer mesh: no triangle of it is made of "
                             "vertex %u",
                             c->curve->name, i, point.most);
    }
    return RUGA_OK;
}

static ruga_status check(const carrier *c) {
    if (c->map->rows != c->finer->vertex_count || c->map->columns != c->mesh->vertex_count)
        return fail_with(c->context, RUGA_ERROR_ARGUMENT,
                         "the map of a curve's transfer leads from %zu to %zu vertices, the meshes have %zu and %zu",
                         c->map->columns, c->map->rows, c->mesh->vertex_count, c->finer->vertex_count);
    for (size_t i = 0; i < c->curve->point_count; i++)
        if (c->curve->points[i].triangle >= c->mesh->triangle_count)
            return fail_with(c->context, RUGA_ERROR_ARGUMENT,
                             "curve \"%s\": point %zu is on triangle %u of a mesh of %zu; it is of another mesh",
                             c->curve->name, i, c->curve->points[i].triangle, c->mesh->triangle_count);
    return RUGA_OK;
}

static ruga_status carry(carrier *c, curve_canvas *canvas, ruga_surface_point *points, ruga_curve **out) {
    ruga_curve_def def = ruga_curve_def_default();
    def.name = c->curve->name;
    def.closed = c->curve->closed;
    if (!c->shares || !points) return fail_memory(c->context, c->map->rows * sizeof(double));
    TRY(ruga_map_transpose(c->map, &c->columns));
    TRY(carry_points(c, canvas->t.topo, points));
    return curve_draw_surface_points(canvas, points, c->curve->point_count, &def, out);
}

ruga_status ruga_curve_transfer(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_mesh *finer,
                                const ruga_map *map, ruga_curve **out) {
    carrier c = {.context = mesh->context, .curve = curve, .mesh = mesh, .finer = finer, .map = map};
    curve_canvas canvas;
    TRY(check(&c));
    TRY(curve_canvas_make(finer, &canvas));
    c.shares = ALLOCATE_ZEROED(c.context, double, map->rows);
    ruga_surface_point *points = ALLOCATE(c.context, ruga_surface_point, curve->point_count);
    ruga_status status = carry(&c, &canvas, points, out);
    ruga_map_destroy(c.columns);
    memory_release(c.context, c.shares);
    memory_release(c.context, points);
    curve_canvas_release(&canvas);
    return status;
}
