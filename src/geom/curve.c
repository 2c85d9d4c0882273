/* Curves on meshes: see ruga/curve.h. */
#include "ruga/curve.h"

#include <string.h>

#include "geom/curve.h"
#include "mesh/mesh.h"

#define AS_GOOD_AS_ZERO 1e-12 /* of a point's weights */

ruga_curve_def ruga_curve_def_default(void) { return (ruga_curve_def){.cookie = RUGA_COOKIE}; }

/* ---- Making. */

ruga_status curve_from_array(ruga_context *context, const char *name, int closed, const ruga_surface_point *points,
                             size_t count, ruga_curve **out) {
    ruga_curve *curve = ALLOCATE_ZEROED(context, ruga_curve, 1);
    if (!curve) return fail_memory(context, sizeof *curve);
    curve->context = context;
    curve->name = memory_copy_text(context, name ? name : "");
    curve->points = memory_copy(context, points, count, sizeof *points);
    curve->point_count = count;
    curve->closed = closed;
    if (!curve->name || !curve->points) {
        ruga_curve_destroy(curve);
        return fail_memory(context, count * sizeof *points);
    }
    *out = curve;
    return RUGA_OK;
}

void ruga_curve_destroy(ruga_curve *curve) {
    if (!curve) return;
    memory_release(curve->context, (void *)(uintptr_t)curve->name);
    memory_release(curve->context, (void *)(uintptr_t)curve->points);
    memory_release(curve->context, curve);
}

void ruga_curves_destroy(ruga_context *context, ruga_curve **curves, size_t count) {
    for (size_t i = 0; curves && i < count; i++) ruga_curve_destroy(curves[i]);
    memory_release(context, curves);
}

ruga_status curve_canvas_make(const ruga_mesh *mesh, curve_canvas *out) {
    *out = (curve_canvas){.context = mesh->context, .mesh = mesh};
    return tracer_make(mesh, &out->t);
}

ruga_status curve_canvas_tree(curve_canvas *canvas) {
    const ruga_mesh *mesh = canvas->mesh;
    if (canvas->tree) return RUGA_OK;
    canvas->far = curve_default_reach(mesh);
    return bvh_build(canvas->context, mesh->vertex_count, mesh->positions, mesh->triangle_count, 3, mesh->triangles,
                     &canvas->tree);
}

void curve_canvas_release(curve_canvas *canvas) {
    tracer_release(&canvas->t);
    bvh_destroy(canvas->tree);
    *canvas = (curve_canvas){.context = canvas->context};
}

const char *curve_name(const ruga_curve_def *def) { return def->name ? def->name : ""; }

ruga_status curve_check_def(const ruga_mesh *mesh, const ruga_curve_def *def) {
    if (def->cookie != RUGA_COOKIE)
        return fail_with(mesh->context, RUGA_ERROR_ARGUMENT,
                         "the def of a curve is not initialised; start from ruga_curve_def_default");
    if (!(def->reach >= 0))
        return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "curve \"%s\": reach %g m is not a distance",
                         curve_name(def), def->reach);
    if (mesh->triangle_count == 0)
        return fail_with(mesh->context, RUGA_ERROR_INPUT, "curve \"%s\": the mesh has no faces to draw on",
                         curve_name(def));
    return RUGA_OK;
}

static ruga_status check_surface_point(const ruga_mesh *mesh, const ruga_curve_def *def, size_t i,
                                       const ruga_surface_point *point) {
    if (point->triangle >= mesh->triangle_count)
        return fail_with(mesh->context, RUGA_ERROR_INPUT, "curve \"%s\": point %zu is on triangle %u of a mesh of %zu",
                         curve_name(def), i, point->triangle, mesh->triangle_count);
    double sum = point->weights[0] + point->weights[1] + point->weights[2];
    for (int k = 0; k < 3; k++)
        if (!(point->weights[k] >= 0 && fabs(sum - 1) < 1e-9))
            return fail_with(mesh->context, RUGA_ERROR_INPUT,
                             "curve \"%s\": point %zu has weights %g, %g, %g; they should not be negative and sum to 1",
                             curve_name(def), i, point->weights[0], point->weights[1], point->weights[2]);
    if (!(mesh_triangle_area(mesh, point->triangle) > 0))
        return fail_with(
            mesh->context, RUGA_ERROR_INPUT,
            "curve \"%s\": point %zu is on triangle %u, which has no area; merge its vertices, or take it out",
            curve_name(def), i, point->triangle);
    return RUGA_OK;
}

/* Appends the way from one given point to the next; a point that is given twice counts once. */
static ruga_status trace_piece(tracer *t, const ruga_curve_def *def, const curve_guide *guide, size_t from, size_t to,
                               const ruga_surface_point *points, surface_point_array *way) {
    if (surface_point_same(t, points[from], points[to])) return RUGA_OK;
    int found;
    t->is_blocked = 0;
    TRY(guide->trace(guide->user, t, points[from], points[to], way, &found));
    if (found && def->stops_at_gaps && t->is_blocked)
        return fail_with(
            t->context, RUGA_ERROR_INPUT,
            "curve \"%s\": from point %zu to point %zu it meets, at (%g, %g, %g), an edge that is open or has "
            "more than two triangles; a hole is drawn around, with points beside it",
            curve_name(def), from, to, t->blocked_at.x, t->blocked_at.y, t->blocked_at.z);
    if (found) return RUGA_OK;
    vec3 a = surface_point_at(t->mesh, NULL, points[from]), b = surface_point_at(t->mesh, NULL, points[to]);
    return fail_with(t->context, RUGA_ERROR_INPUT,
                     "curve \"%s\": no way leads from point %zu at (%g, %g, %g) to point %zu at (%g, %g, %g): %s",
                     curve_name(def), from, a.x, a.y, a.z, to, b.x, b.y, b.z, guide->lost);
}

static int has_length(const ruga_mesh *mesh, const surface_point_array *way) {
    vec3 first = way->count > 0 ? surface_point_at(mesh, NULL, way->items[0]) : (vec3){0, 0, 0};
    for (size_t i = 1; i < way->count; i++)
        if (vec3_distance(first, surface_point_at(mesh, NULL, way->items[i])) > 0) return 1;
    return 0;
}

/* How many points there are, each that is given several times in a row counted once. */
static size_t count_different(const tracer *t, const ruga_surface_point *points, size_t count) {
    size_t different = count > 0;
    for (size_t i = 1; i < count; i++) different += !surface_point_same(t, points[i - 1], points[i]);
    return different;
}

/* *closed: whether the way comes back to its start, for which it takes three points. */
static ruga_status trace_all(tracer *t, const ruga_curve_def *def, const curve_guide *guide,
                             const ruga_surface_point *points, size_t count, surface_point_array *way, int *closed) {
    for (size_t i = 0; i < count; i++) TRY(check_surface_point(t->mesh, def, i, &points[i]));
    /* The first point named again at the end says what closedness says anyway. */
    while (def->closed && count > 1 && surface_point_same(t, points[count - 1], points[0])) count--;
    *closed = def->closed && count_different(t, points, count) > 2;
    if (count > 0) {
        TRY(ARRAY_RESERVE(t->context, way, 1));
        way->items[way->count++] = points[0];
    }
    for (size_t i = 0; i + 1 < count; i++) TRY(trace_piece(t, def, guide, i, i + 1, points, way));
    if (*closed) {
        TRY(trace_piece(t, def, guide, count - 1, 0, points, way));
        way->count--;
    }
    if (!has_length(t->mesh, way))
        return fail_with(t->context, RUGA_ERROR_INPUT,
                         "curve \"%s\": it has no length; draw at least two different points", curve_name(def));
    return RUGA_OK;
}

ruga_status curve_draw_guided(curve_canvas *canvas, const ruga_surface_point *points, size_t count,
                              const ruga_curve_def *def, const curve_guide *guide, ruga_curve **out) {
    TRY(curve_check_def(canvas->mesh, def));
    surface_point_array way = {0};
    int closed;
    ruga_status status = trace_all(&canvas->t, def, guide, points, count, &way, &closed);
    if (!RUGA_FAILED(status))
        status = curve_from_array(canvas->context, curve_name(def), closed, way.items, way.count, out);
    ARRAY_RELEASE(canvas->context, &way);
    return status;
}

static ruga_status trace_over_surface(const void *user, tracer *t, ruga_surface_point from, ruga_surface_point to,
                                      surface_point_array *way, int *found) {
    (void)user;
    return trace_way(t, from, to, way, found);
}

ruga_status curve_draw_surface_points(curve_canvas *canvas, const ruga_surface_point *points, size_t count,
                                      const ruga_curve_def *def, ruga_curve **out) {
    const curve_guide guide = {trace_over_surface, NULL,
                               "they are on different pieces of the mesh, or only an edge with more than two triangles "
                               "joins them"};
    return curve_draw_guided(canvas, points, count, def, &guide, out);
}

ruga_status ruga_curve_from_surface_points(const ruga_mesh *mesh, const ruga_surface_point *points, size_t count,
                                           const ruga_curve_def *def, ruga_curve **out) {
    curve_canvas canvas;
    TRY(curve_check_def(mesh, def));
    TRY(curve_canvas_make(mesh, &canvas));
    ruga_status status = curve_draw_surface_points(&canvas, points, count, def, out);
    curve_canvas_release(&canvas);
    return status;
}

ruga_surface_point curve_tidy_point(uint32_t triangle, const double weights[3]) {
    ruga_surface_point point = {triangle, {0, 0, 0}};
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += point.weights[k] = weights[k] > AS_GOOD_AS_ZERO ? weights[k] : 0;
    for (int k = 0; k < 3 && sum != 1; k++) point.weights[k] /= sum;
    return point;
}

/* ---- From space. */

double curve_default_reach(const ruga_mesh *mesh) {
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        low = vec3_min(low, mesh->positions[mesh->triangles[i]]);
        high = vec3_max(high, mesh->positions[mesh->triangles[i]]);
    }
    return 0.1 * vec3_distance(low, high);
}

static ruga_status attach_points(const curve_canvas *canvas, const ruga_vec3 *points, size_t count,
                                 const ruga_curve_def *def, ruga_surface_point *out) {
    const ruga_mesh *mesh = canvas->mesh;
    double reach = def->reach > 0 ? def->reach : canvas->far;
    for (size_t i = 0; i < count; i++) {
        if (!vec3_is_finite(points[i]))
            return fail_with(mesh->context, RUGA_ERROR_INPUT, "curve \"%s\": point %zu is not finite", curve_name(def),
                             i);
        bvh_hit hit = bvh_closest_point(canvas->tree, points[i], INFINITY);
        if (!(hit.distance <= reach))
            return fail_with(
                mesh->context, RUGA_ERROR_INPUT,
                "curve \"%s\": point %zu at (%g, %g, %g) is %g m off the surface, more than %g m; check the "
                "curve's unit and axes, and that it was drawn on this mesh",
                curve_name(def), i, points[i].x, points[i].y, points[i].z, hit.distance, reach);
        out[i] = curve_tidy_point(hit.element, hit.barycentric);
    }
    return RUGA_OK;
}

ruga_status curve_draw_points(curve_canvas *canvas, const ruga_vec3 *points, size_t count, const ruga_curve_def *def,
                              ruga_curve **out) {
    TRY(curve_check_def(canvas->mesh, def));
    TRY(curve_canvas_tree(canvas));
    ruga_surface_point *attached = ALLOCATE(canvas->context, ruga_surface_point, count);
    if (!attached) return fail_memory(canvas->context, count * sizeof *attached);
    ruga_status status = attach_points(canvas, points, count, def, attached);
    if (!RUGA_FAILED(status)) status = curve_draw_surface_points(canvas, attached, count, def, out);
    memory_release(canvas->context, attached);
    return status;
}

ruga_status ruga_curve_from_points(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count,
                                   const ruga_curve_def *def, ruga_curve **out) {
    curve_canvas canvas;
    TRY(curve_check_def(mesh, def));
    TRY(curve_canvas_make(mesh, &canvas));
    ruga_status status = curve_draw_points(&canvas, points, count, def, out);
    curve_canvas_release(&canvas);
    return status;
}

/* ---- Measures. */

void ruga_curve_points(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_vec3 *positions, ruga_vec3 *points) {
    for (size_t i = 0; i < curve->point_count; i++) points[i] = surface_point_at(mesh, positions, curve->points[i]);
}

double ruga_curve_length(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_vec3 *positions) {
    double length = 0;
    size_t pieces = curve->point_count - (curve->closed ? 0 : 1);
    for (size_t i = 0; curve->point_count > 1 && i < pieces; i++) {
        vec3 a = surface_point_at(mesh, positions, curve->points[i]);
        vec3 b = surface_point_at(mesh, positions, curve->points[(i + 1) % curve->point_count]);
        length += vec3_distance(a, b);
    }
    return length;
}
