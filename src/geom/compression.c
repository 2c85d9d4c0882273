/* Lines of strongest compression of a deformed mesh, traced over the mesh at rest: ruga_curves_from_compression.
 *
 *     F of each triangle ──▶ greatest compression and its direction ──mean over vertices──▶ smooth field ──▶ lines
 *
 * A triangle with the deformation gradient F is compressed most along the eigenvector of FᵀF with the least eigenvalue
 * λ², by c = 1 - λ. The tensors c d dᵀ are averaged over the triangles at each vertex, by area, and back, so that one
 * noisy triangle turns no line. Lines run across d, from the most compressed triangle outwards; the next one begins at
 * the most compressed triangle that is far enough from all lines (Jobard and Lefer 1997 choose streamlines so). All is
 * done in the order of compression and triangles: the result is the same on every machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "geom/curve.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"

#define ENDS_BELOW 0.5 /* a line ends where the compression is less than this times the threshold */
#define TOO_NEAR 0.5   /* or nearer than this times the separation to another line, or to itself */
#define CLEAR 0.001    /* of an edge: lines keep off vertices by this */

typedef struct seed {
    double amount;
    uint32_t triangle;
} seed;

typedef struct spot {
    vec3 at;
    size_t line;
    double along; /* m */
} spot;

typedef struct streams {
    ruga_context *context;
    const ruga_mesh *mesh;
    const topology *topo;
    double threshold, separation, shortest;
    mat3 *tensors;     /* (triangles) c d dᵀ, then smooth */
    mat3 *sums;        /* (vertices) */
    double *areas;     /* (vertices) m², of the triangles there */
    vec3 *along;       /* (triangles) unit, across the compression */
    double *amounts;   /* (triangles) 1, compression */
    seed *seeds;       /* (triangles) */
    ARRAY(spot) spots; /* of all lines */
    ARRAY(ruga_surface_point) halves[2], points;
    ARRAY(ruga_curve *) curves;
} streams;

ruga_compression_def ruga_compression_def_default(void) {
    return (ruga_compression_def){
        .cookie = RUGA_COOKIE, .threshold = 0.02, .separation = NAN, .shortest = NAN, .most = 100};
}

/* ---- The field. */

static vec3 corner_at(const ruga_mesh *mesh, size_t t, int k) {
    return mesh->positions[mesh->triangles[3 * t + (size_t)k]];
}

/* Axes in the plane of a triangle at rest; 0: it has no area. */
static int make_axes(const ruga_mesh *mesh, size_t t, vec3 *u, vec3 *v, vec3 *normal) {
    vec3 a = corner_at(mesh, t, 0), e = vec3_sub(corner_at(mesh, t, 1), a), f = vec3_sub(corner_at(mesh, t, 2), a);
    vec3 n = vec3_cross(e, f);
    if (!(vec3_length2(n) > 0) || !(vec3_length2(e) > 0)) return 0;
    *normal = vec3_normalise(n);
    *u = vec3_normalise(e);
    *v = vec3_cross(*normal, *u);
    return 1;
}

/* The eigenvector of [a b; b d] with the greater eigenvalue, as an angle, and both eigenvalues. */
static double principal(double a, double b, double d, double *greater, double *smaller) {
    double mean = (a + d) / 2, half = hypot((a - d) / 2, b);
    *greater = mean + half;
    *smaller = mean - half;
    return 0.5 * atan2(2 * b, a - d);
}

static void add_outer(mat3 *m, vec3 d, double scale) {
    const double x[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m->at[i][j] += scale * x[i] * x[j];
}

/* c d dᵀ of a triangle. */
static void compress_triangle(streams *s, const ruga_vec3 *positions, size_t t) {
    const uint32_t *w = s->mesh->triangles + 3 * t;
    vec3 u, v, n, a = corner_at(s->mesh, t, 0);
    s->tensors[t] = (mat3){{{0}}};
    if (!make_axes(s->mesh, t, &u, &v, &n)) return;
    vec3 e = vec3_sub(corner_at(s->mesh, t, 1), a), f = vec3_sub(corner_at(s->mesh, t, 2), a);
    vec3 p = vec3_sub(positions[w[1]], positions[w[0]]), q = vec3_sub(positions[w[2]], positions[w[0]]);
    /* e = (l, 0), f = (g, h): the columns of F. */
    double l = vec3_dot(e, u), g = vec3_dot(f, u), h = vec3_dot(f, v), greater, smaller;
    vec3 first = vec3_scale(p, 1 / l), second = vec3_scale(vec3_add_scaled(q, first, -g), 1 / h);
    double angle = principal(vec3_length2(first), vec3_dot(first, second), vec3_length2(second), &greater, &smaller);
    double c = 1 - sqrt(fmax(0, smaller));
    vec3 d = vec3_add(vec3_scale(u, -sin(angle)), vec3_scale(v, cos(angle)));
    if (c > 0) add_outer(&s->tensors[t], d, c);
}

/* The mean over vertices and back, then the direction across the compression in the plane of each triangle. */
static void smooth(streams *s) {
    const ruga_mesh *mesh = s->mesh;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t w = mesh->triangles[3 * t + (size_t)k];
            double area = mesh_triangle_area(mesh, t);
            s->areas[w] += area;
            for (int i = 0; i < 9; i++) s->sums[w].at[i / 3][i % 3] += area * s->tensors[t].at[i / 3][i % 3];
        }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        mat3 m = {{{0}}};
        vec3 u, v, n;
        s->amounts[t] = 0;
        s->along[t] = (vec3){0, 0, 0};
        if (!make_axes(mesh, t, &u, &v, &n)) continue;
        for (int k = 0; k < 3; k++) {
            uint32_t w = mesh->triangles[3 * t + (size_t)k];
            for (int i = 0; i < 9 && s->areas[w] > 0; i++)
                m.at[i / 3][i % 3] += s->sums[w].at[i / 3][i % 3] / (3 * s->areas[w]);
        }
        vec3 mu = mat3_apply(&m, u), mv = mat3_apply(&m, v);
        double smaller;
        double angle = principal(vec3_dot(u, mu), vec3_dot(u, mv), vec3_dot(v, mv), &s->amounts[t], &smaller);
        s->along[t] = vec3_add(vec3_scale(u, -sin(angle)), vec3_scale(v, cos(angle)));
    }
}

/* ---- Lines. */

static int is_near(const streams *s, vec3 at, double distance, size_t line, double along) {
    for (size_t i = 0; i < s->spots.count; i++) {
        const spot *other = &s->spots.items[i];
        if (other->line == line && fabs(other->along - along) < 2 * s->separation) continue;
        if (vec3_distance(other->at, at) < distance) return 1;
    }
    return 0;
}

/* The edge of a triangle where a ray from a point inside it, or on its edge `entered`, leaves it: edge and place. */
static int leave_triangle(const streams *s, uint32_t t, vec3 at, vec3 direction, int entered, int *edge,
                          double *place) {
    vec3 u, v, n;
    double best = INFINITY;
    if (!make_axes(s->mesh, t, &u, &v, &n)) return 0;
    for (int k = 0; k < 3; k++) {
        vec3 a = corner_at(s->mesh, t, k), e = vec3_sub(corner_at(s->mesh, t, (k + 1) % 3), a);
        vec3 inward = vec3_cross(n, e);
        double speed = -vec3_dot(direction, inward), height = vec3_dot(vec3_sub(at, a), inward);
        if (k == entered || !(speed > 1e-12 * vec3_length(e))) continue;
        double reach = fmax(0, height) / speed;
        if (!(reach < best)) continue;
        best = reach;
        *edge = k;
        vec3 out = vec3_sub(vec3_add_scaled(at, direction, reach), a);
        *place = fmin(1 - CLEAR, fmax(CLEAR, vec3_dot(out, e) / vec3_length2(e)));
    }
    return best < INFINITY;
}

/* Whether a direction leads from an edge of a triangle into it, by an angle that is not tiny. */
static int points_inwards(const streams *s, uint32_t t, int edge, vec3 direction) {
    vec3 u, v, n;
    if (!make_axes(s->mesh, t, &u, &v, &n)) return 0;
    vec3 e = vec3_sub(corner_at(s->mesh, t, (edge + 1) % 3), corner_at(s->mesh, t, edge));
    return vec3_dot(direction, vec3_normalise(vec3_cross(n, e))) > 0.02;
}

/* A direction in triangle t turned about its edge into the plane of triangle next, where the edge is number `other`. */
static vec3 unfold(const streams *s, uint32_t t, int edge, uint32_t next, int other, vec3 direction) {
    vec3 u, v, n, m;
    make_axes(s->mesh, t, &u, &v, &n);
    make_axes(s->mesh, next, &u, &v, &m);
    vec3 e = vec3_normalise(vec3_sub(corner_at(s->mesh, t, (edge + 1) % 3), corner_at(s->mesh, t, edge)));
    vec3 f = vec3_normalise(vec3_sub(corner_at(s->mesh, next, (other + 1) % 3), corner_at(s->mesh, next, other)));
    double out = -vec3_dot(direction, vec3_cross(n, e));
    return vec3_add(vec3_scale(e, vec3_dot(direction, e)), vec3_scale(vec3_cross(m, f), out));
}

/* The direction of the field in a triangle that a line enters with a direction: of both signs the nearer one. */
static vec3 steer(const streams *s, uint32_t t, int entered, vec3 before) {
    vec3 d = s->along[t];
    if (vec3_dot(d, before) < 0) d = vec3_scale(d, -1);
    if (points_inwards(s, t, entered, d)) return d;
    vec3 mean = vec3_normalise(vec3_add(d, before));
    return points_inwards(s, t, entered, mean) ? mean : before;
}

static ruga_surface_point edge_point(uint32_t t, int edge, double place) {
    ruga_surface_point p = {.triangle = t};
    p.weights[edge] = 1 - place;
    p.weights[(edge + 1) % 3] = place;
    return p;
}

/* One half of a line, from the middle of a triangle; *closed: it came back to that triangle. */
static ruga_status trace_half(streams *s, uint32_t t, int half, size_t line, int *closed) {
    uint32_t first = t;
    ruga_surface_point middle = {t, {1 / 3.0, 1 / 3.0, 1 / 3.0}};
    vec3 at = surface_point_at(s->mesh, NULL, middle), direction = vec3_scale(s->along[t], half ? -1 : 1);
    double along = 0;
    int entered = -1, edge = 0, other = 0;
    for (size_t steps = 0; steps < s->mesh->triangle_count; steps++) {
        double place = 0.5;
        if (!leave_triangle(s, t, at, direction, entered, &edge, &place)) break;
        ruga_surface_point exit = edge_point(t, edge, place);
        vec3 to = surface_point_at(s->mesh, NULL, exit);
        along += vec3_distance(at, to);
        if (is_near(s, to, TOO_NEAR * s->separation, line, half ? -along : along)) break;
        TRY(ARRAY_ADD(s->context, &s->halves[half], exit));
        TRY(ARRAY_ADD(s->context, &s->spots, ((spot){to, line, half ? -along : along})));
        uint32_t shared = s->topo->triangle_edges[3 * (size_t)t + (size_t)edge];
        if (topology_edge_size(s->topo, shared) != 2) break;
        const uint32_t *sides = s->topo->edge_triangles + s->topo->edge_offsets[shared];
        uint32_t next = sides[sides[0] == t];
        for (other = 0; other < 2 && s->topo->triangle_edges[3 * (size_t)next + (size_t)other] != shared;) other++;
        if (s->amounts[next] < ENDS_BELOW * s->threshold) break;
        *closed = next == first && along > 2 * s->separation;
        if (*closed) break;
        direction = steer(s, next, other, unfold(s, t, edge, next, other, direction));
        t = next;
        entered = other;
        at = to;
    }
    return RUGA_OK;
}

/* The line through a triangle, if it is long enough; spots of a short one stay, so that no other begins there. */
static ruga_status trace_line(streams *s, curve_canvas *canvas, uint32_t t) {
    size_t line = s->curves.count, before = s->spots.count;
    int closed = 0, ignored = 0;
    double length = 0;
    char name[40];
    s->halves[0].count = s->halves[1].count = s->points.count = 0;
    ruga_surface_point middle = {t, {1 / 3.0, 1 / 3.0, 1 / 3.0}};
    TRY(ARRAY_ADD(s->context, &s->spots, ((spot){surface_point_at(s->mesh, NULL, middle), line, 0})));
    TRY(trace_half(s, t, 0, line, &closed));
    if (!closed) TRY(trace_half(s, t, 1, line, &ignored));
    for (size_t i = s->halves[1].count; i-- > 0;) TRY(ARRAY_ADD(s->context, &s->points, s->halves[1].items[i]));
    TRY(ARRAY_ADD(s->context, &s->points, middle));
    for (size_t i = 0; i < s->halves[0].count; i++) TRY(ARRAY_ADD(s->context, &s->points, s->halves[0].items[i]));
    for (size_t i = 1; i < s->points.count; i++)
        length += vec3_distance(surface_point_at(s->mesh, NULL, s->points.items[i - 1]),
                                surface_point_at(s->mesh, NULL, s->points.items[i]));
    if (length < s->shortest || s->points.count < 2) {
        for (size_t i = before; i < s->spots.count; i++) s->spots.items[i].line = SIZE_MAX;
        return RUGA_OK;
    }
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    snprintf(name, sizeof name, "line %zu", line);
    def.name = name;
    def.closed = closed;
    TRY(curve_draw_surface_points(canvas, s->points.items, s->points.count, &def, &curve));
    ruga_status status = ARRAY_ADD(s->context, &s->curves, curve);
    if (RUGA_FAILED(status)) ruga_curve_destroy(curve);
    return status;
}

/* Most compressed first; of equal ones the lower triangle. */
static int compare_seeds(const void *a, const void *b) {
    const seed *x = a, *y = b;
    if (x->amount != y->amount) return x->amount < y->amount ? 1 : -1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static ruga_status trace_all(streams *s, curve_canvas *canvas, size_t most) {
    size_t count = s->mesh->triangle_count;
    for (uint32_t t = 0; t < count; t++) s->seeds[t] = (seed){s->amounts[t], t};
    qsort(s->seeds, count, sizeof *s->seeds, compare_seeds);
    double strongest = count > 0 ? s->seeds[0].amount : 0;
    if (!(strongest >= s->threshold))
        return fail_input(
            s->context,
            "no triangle is compressed by %g %%: the greatest compression is %.3g %%; choose another frame, "
            "or a lower threshold",
            100 * s->threshold, 100 * strongest);
    for (size_t i = 0; i < count && s->seeds[i].amount >= s->threshold && s->curves.count < most; i++) {
        ruga_surface_point middle = {s->seeds[i].triangle, {1 / 3.0, 1 / 3.0, 1 / 3.0}};
        if (is_near(s, surface_point_at(s->mesh, NULL, middle), s->separation, SIZE_MAX - 1, 0)) continue;
        TRY(trace_line(s, canvas, s->seeds[i].triangle));
    }
    if (s->curves.count == 0)
        return fail_input(s->context, "no line of compression is longer than %g m; ask for shorter ones", s->shortest);
    return RUGA_OK;
}

/* ---- All together. */

static ruga_status check(const ruga_mesh *mesh, const ruga_vec3 *positions, const ruga_compression_def *def) {
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(mesh->context, "compression: the def was not made by ruga_compression_def_default");
    if (!(def->threshold > 0 && def->threshold < 1))
        return fail_argument(mesh->context, "compression: the threshold is %g; give one between 0 and 1",
                             def->threshold);
    if (def->separation <= 0 || def->shortest < 0)
        return fail_argument(mesh->context,
                             "compression: the separation is %g m and the shortest line %g m; give "
                             "lengths above 0",
                             def->separation, def->shortest);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!vec3_is_finite(positions[v]))
            return fail_input(mesh->context, "vertex %zu is not finite in this frame", v);
    return RUGA_OK;
}

static ruga_status run(streams *s, const ruga_vec3 *positions, const ruga_compression_def *def, curve_canvas *canvas) {
    ruga_mesh_summary summary;
    size_t triangles = s->mesh->triangle_count, vertices = s->mesh->vertex_count;
    TRY(ruga_mesh_summarise(s->mesh, &summary));
    s->topo = canvas->t.topo;
    s->threshold = def->threshold;
    s->separation = isnan(def->separation) ? 6 * summary.mean_edge : def->separation;
    s->shortest = isnan(def->shortest) ? 2 * s->separation : def->shortest;
    TRY(NEW_ZEROED(s->context, &s->tensors, triangles));
    TRY(NEW_ZEROED(s->context, &s->sums, vertices));
    TRY(NEW_ZEROED(s->context, &s->areas, vertices));
    TRY(NEW_ZEROED(s->context, &s->along, triangles));
    TRY(NEW_ZEROED(s->context, &s->amounts, triangles));
    TRY(NEW_ZEROED(s->context, &s->seeds, triangles));
    for (size_t t = 0; t < triangles; t++) compress_triangle(s, positions, t);
    smooth(s);
    return trace_all(s, canvas, def->most);
}

ruga_status ruga_curves_from_compression(const ruga_mesh *mesh, const ruga_vec3 *positions,
                                         const ruga_compression_def *def, ruga_curve ***curves, size_t *count) {
    ruga_compression_def values = def ? *def : ruga_compression_def_default();
    streams s = {.context = mesh->context, .mesh = mesh};
    curve_canvas canvas;
    TRY(check(mesh, positions, &values));
    TRY(curve_canvas_make(mesh, &canvas));
    ruga_status status = run(&s, positions, &values, &canvas);
    RELEASE_ALL(s.context, s.tensors, s.sums, s.areas, s.along, s.amounts, s.seeds);
    ARRAY_RELEASE(s.context, &s.spots);
    ARRAY_RELEASE(s.context, &s.points);
    for (int i = 0; i < 2; i++) ARRAY_RELEASE(s.context, &s.halves[i]);
    curve_canvas_release(&canvas);
    if (RUGA_FAILED(status)) {
        ruga_curves_destroy(s.context, s.curves.items, s.curves.count);
        return status;
    }
    *curves = s.curves.items;
    *count = s.curves.count;
    return RUGA_OK;
}
