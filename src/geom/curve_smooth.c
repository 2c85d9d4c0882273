/* Smooth curves: see curve_smooth.h.
 *
 * Each point gets a tangent in the plane of its triangle: that of the circle through it and its neighbours. Between two
 * points runs a cubic whose handles are those of an arc, so points of a circle give that circle within 0.001 × its
 * radius up to turns of 50 degrees. Only turns within the surface count: a straight line around an arm has none. */
#include "geom/curve_smooth.h"

#include <math.h>

#include "math/vec3.h"

#define STEP 1.0         /* degrees between points */
#define LEAST_SPACE 0.35 /* of a side of the triangles */
#define STRAIGHT 0.5     /* degrees: a piece that turns less gets no points */

static const double degree = 3.14159265358979323846 / 180;

/* A given point. */
typedef struct bend {
    vec3 at, normal;
    vec3 in, out; /* unit tangents; the same unless it is a corner; 0 where they follow from the other end */
    double side;  /* m, mean of its triangle */
} bend;

typedef struct smoother {
    curve_canvas *canvas;
    size_t count;
    int closed;
    bend *bends; /* (count) */
    ARRAY(vec3) points;
} smoother;

static vec3 within(vec3 v, vec3 normal) { return vec3_add_scaled(v, normal, -vec3_dot(v, normal)); }
static int is_set(vec3 v) { return vec3_length2(v) > 0; }
static double angle_between(vec3 a, vec3 b) { return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b)); }

static vec3 facet_normal(const ruga_mesh *mesh, uint32_t triangle, double *side) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    const vec3 a = mesh->positions[v[0]], b = mesh->positions[v[1]], c = mesh->positions[v[2]];
    if (side) *side = (vec3_distance(a, b) + vec3_distance(b, c) + vec3_distance(c, a)) / 3;
    return vec3_normalise(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

/* The tangent at a point between two others; corners have none. */
static void find_tangent(smoother *s, size_t i) {
    bend *b = &s->bends[i];
    const bend *before = &s->bends[(i + s->count - 1) % s->count], *after = &s->bends[(i + 1) % s->count];
    if (!s->closed && (i == 0 || i + 1 == s->count)) return;
    const vec3 to = vec3_sub(b->at, before->at), from = vec3_sub(after->at, b->at);
    const vec3 in = vec3_normalise(within(to, b->normal)), out = vec3_normalise(within(from, b->normal));
    if (!is_set(in) || !is_set(out) || angle_between(in, out) > CURVE_CORNER * degree) return;
    b->in = b->out = vec3_normalise(vec3_add(vec3_scale(in, vec3_length(from)), vec3_scale(out, vec3_length(to))));
}

/* The tangent at an end without one: the other's mirror image, as on an arc; else along the piece. */
static vec3 end_tangent(vec3 along, vec3 other, vec3 normal) {
    vec3 mirrored = is_set(other) ? vec3_sub(vec3_scale(along, 2 * vec3_dot(along, other)), other) : along;
    return vec3_normalise(within(mirrored, normal));
}

/* The handle of an arc over a chord that it leaves at an angle, over the chord's length. */
static double handle(vec3 along, vec3 tangent) { return 2 / (3 * (1 + fmax(0, vec3_dot(along, tangent)))); }

static vec3 cubic(const vec3 p[4], double t) {
    const double u = 1 - t;
    vec3 sum = vec3_scale(p[0], u * u * u);
    sum = vec3_add_scaled(sum, p[1], 3 * u * u * t);
    sum = vec3_add_scaled(sum, p[2], 3 * u * t * t);
    return vec3_add_scaled(sum, p[3], t * t * t);
}

/* Adds the points of a piece from one given point to the next, without its end. Those that are nearest to another side
 * of a thin mesh are left out. */
static ruga_status add_piece(smoother *s, const bend *a, const bend *b) {
    ruga_context *context = s->canvas->context;
    const double length = vec3_distance(a->at, b->at);
    TRY(ARRAY_ADD(context, &s->points, a->at));
    if (!(length > 0)) return RUGA_OK;
    const vec3 along = vec3_scale(vec3_sub(b->at, a->at), 1 / length);
    const vec3 from = is_set(a->out) ? a->out : end_tangent(along, b->in, a->normal);
    const vec3 to = is_set(b->in) ? b->in : end_tangent(along, a->out, b->normal);
    const double turn = angle_between(from, within(along, a->normal)) + angle_between(to, within(along, b->normal));
    const double most = length / (LEAST_SPACE * 0.5 * (a->side + b->side));
    if (!is_set(from) || !is_set(to) || !(turn > STRAIGHT * degree)) return RUGA_OK;
    const size_t pieces = (size_t)fmax(1, fmin(ceil(turn / (STEP * degree)), floor(most)));
    const vec3 handles[4] = {a->at, vec3_add_scaled(a->at, from, length * handle(along, from)),
                             vec3_add_scaled(b->at, to, -length * handle(along, to)), b->at};
    for (size_t i = 1; i < pieces; i++) {
        const double t = (double)i / (double)pieces;
        const vec3 at = cubic(handles, t);
        const bvh_hit hit = bvh_closest_point(s->canvas->tree, at, INFINITY);
        if (vec3_dot(facet_normal(s->canvas->mesh, hit.element, NULL), vec3_mix(a->normal, b->normal, t)) < 0) continue;
        TRY(ARRAY_ADD(context, &s->points, at));
    }
    return RUGA_OK;
}

static ruga_status fill(smoother *s, const vec3 *points) {
    const ruga_mesh *mesh = s->canvas->mesh;
    TRY(NEW_ZEROED(s->canvas->context, &s->bends, s->count));
    for (size_t i = 0; i < s->count; i++) {
        bend *b = &s->bends[i];
        const bvh_hit hit = bvh_closest_point(s->canvas->tree, points[i], INFINITY);
        b->normal = facet_normal(mesh, hit.element, &b->side);
        b->at = surface_point_at(mesh, NULL, curve_tidy_point(hit.element, hit.barycentric));
    }
    for (size_t i = 0; i < s->count; i++) find_tangent(s, i);
    for (size_t i = 0; i + 1 < s->count; i++) TRY(add_piece(s, &s->bends[i], &s->bends[i + 1]));
    if (s->closed) return add_piece(s, &s->bends[s->count - 1], &s->bends[0]);
    return ARRAY_ADD(s->canvas->context, &s->points, s->bends[s->count - 1].at);
}

ruga_status curve_draw_smooth(curve_canvas *canvas, const ruga_vec3 *points, size_t count, const ruga_curve_def *def,
                              ruga_curve **out) {
    ruga_curve *straight, *smooth = NULL;
    /* Messages have the given points. */
    TRY(curve_draw_points(canvas, points, count, def, &straight));
    while (straight->closed && count > 1 && vec3_distance(points[count - 1], points[0]) == 0) count--;
    smoother s = {.canvas = canvas, .count = count, .closed = straight->closed};
    ruga_status status = count > 2 ? fill(&s, points) : RUGA_OK;
    if (!RUGA_FAILED(status) && s.points.count > count) {
        status = curve_draw_points(canvas, s.points.items, s.points.count, def, &smooth);
        if (RUGA_FAILED(status) && status != RUGA_ERROR_MEMORY) status = RUGA_OK;
    }
    RELEASE_ALL(canvas->context, s.bends, s.points.items);
    if (smooth || RUGA_FAILED(status)) ruga_curve_destroy(straight);
    TRY(status);
    *out = smooth ? smooth : straight;
    return RUGA_OK;
}
