/* Curves on meshes: see ruga/curve.h. */
#include "ruga/curve.h"

#include <string.h>

#include "geom/curve.h"
#include "mesh/mesh.h"

#define LEAST_WEIGHT 1e-12 /* smaller weights of a point are rounding errors */

ruga_curve_def ruga_curve_def_default(void) { return (ruga_curve_def){.cookie = RUGA_COOKIE}; }

/* ---- Making. */

ruga_status curve_from_array(ruga_context *context, const char *name, int closed, const ruga_surface_point *points,
                             size_t count, ruga_curve **out) {
    ruga_curve *curve;
    ruga_surface_point *copy = NULL;
    char *text = NULL;
    TRY(NEW_ZEROED(context, &curve, 1));
    ruga_status status = NEW_TEXT(context, &text, name ? name : "");
    if (!RUGA_FAILED(status)) status = NEW_COPY(context, &copy, points, count);
    *curve = (ruga_curve){.context = context, .name = text, .points = copy, .point_count = count, .closed = closed};
    RETURN_MADE(status, curve, out, ruga_curve_destroy(curve));
}

void ruga_curve_destroy(ruga_curve *curve) {
    if (curve) RELEASE_ALL(curve->context, (void *)(uintptr_t)curve->name, (void *)(uintptr_t)curve->points, curve);
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
    if (canvas->tree) return RUGA_OK;
    canvas->far = curve_default_reach(canvas->mesh);
    return bvh_build_triangles(canvas->mesh, &canvas->tree);
}

void curve_canvas_release(curve_canvas *canvas) {
    tracer_release(&canvas->t);
    bvh_destroy(canvas->tree);
    *canvas = (curve_canvas){.context = canvas->context};
}

const char *curve_name(const ruga_curve_def *def) { return def->name ? def->name : ""; }

ruga_status curve_check_def(const ruga_mesh *mesh, const ruga_curve_def *def) {
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(mesh->context, "the def of a curve is not initialised; start from ruga_curve_def_default");
    if (!(def->reach >= 0))
        return fail_argument(mesh->context, "curve \"%s\": the reach is %g m, it must not be negative", curve_name(def),
                             def->reach);
    if (mesh->triangle_count == 0)
        return fail_input(mesh->context, "curve \"%s\": the mesh has no faces to draw on", curve_name(def));
    return RUGA_OK;
}

static ruga_status check_surface_point(const ruga_mesh *mesh, const ruga_curve_def *def, size_t i,
                                       const ruga_surface_point *point) {
    if (point->triangle >= mesh->triangle_count)
        return fail_input(mesh->context, "curve \"%s\": point %zu is on triangle %u of a mesh of %zu", curve_name(def),
                          i, point->triangle, mesh->triangle_count);
    double sum = point->weights[0] + point->weights[1] + point->weights[2];
    for (int k = 0; k < 3; k++)
        if (!(point->weights[k] >= 0 && fabs(sum - 1) < 1e-9))
            return fail_input(
                mesh->context,
                "curve \"%s\": point %zu has weights %g, %g, %g; they must not be negative and must sum to 1",
                curve_name(def), i, point->weights[0], point->weights[1], point->weights[2]);
    if (!(mesh_triangle_area(mesh, point->triangle) > 0))
        return fail_input(
            mesh->context,
            "curve \"%s\": point %zu is on triangle %u, which has no area; merge its vertices, or remove it",
            curve_name(def), i, point->triangle);
    return RUGA_OK;
}

/* Appends the path from one given point to the next. Repeated points count once. */
static ruga_status trace_piece(tracer *t, const ruga_curve_def *def, const curve_guide *guide, size_t from, size_t to,
                               const ruga_surface_point *points, surface_point_array *path) {
    if (surface_point_same(t, points[from], points[to])) return RUGA_OK;
    int found;
    t->is_blocked = 0;
    TRY(guide->trace(guide->user, t, points[from], points[to], path, &found));
    if (found && def->stops_at_gaps && t->is_blocked)
        return fail_input(
            t->context,
            "curve \"%s\": from point %zu to point %zu it meets, at (%g, %g, %g), an edge that is open or has "
            "more than two triangles; draw around a hole, with points beside it",
            curve_name(def), from, to, t->blocked_at.x, t->blocked_at.y, t->blocked_at.z);
    if (found) return RUGA_OK;
    vec3 a = surface_point_at(t->mesh, NULL, points[from]), b = surface_point_at(t->mesh, NULL, points[to]);
    return fail_input(
        t->context,
        "curve \"%s\": there is no path from point %zu, in triangle %u at (%g, %g, %g), to point %zu, in triangle "
        "%u at (%g, %g, %g): %s",
        curve_name(def), from, points[from].triangle, a.x, a.y, a.z, to, points[to].triangle, b.x, b.y, b.z,
        guide->lost);
}

/* *closed: whether the path returns to its start, which needs three different points. */
static ruga_status trace_all(tracer *t, const ruga_curve_def *def, const curve_guide *guide,
                             const ruga_surface_point *points, size_t count, surface_point_array *path, int *closed) {
    for (size_t i = 0; i < count; i++) TRY(check_surface_point(t->mesh, def, i, &points[i]));
    /* A closed curve may repeat its first point at the end. */
    while (def->closed && count > 1 && surface_point_same(t, points[count - 1], points[0])) count--;
    size_t different = count > 0; /* points, those repeated in a row counted once */
    for (size_t i = 1; i < count; i++) different += !surface_point_same(t, points[i - 1], points[i]);
    *closed = def->closed && different > 2;
    if (count > 0) {
        TRY(ARRAY_ADD(t->context, path, points[0]));
    }
    for (size_t i = 0; i + 1 < count; i++) TRY(trace_piece(t, def, guide, i, i + 1, points, path));
    if (*closed) {
        TRY(trace_piece(t, def, guide, count - 1, 0, points, path));
        path->count--;
    }
    vec3 first = path->count > 0 ? surface_point_at(t->mesh, NULL, path->items[0]) : (vec3){0, 0, 0};
    for (size_t i = 1; i < path->count; i++)
        if (vec3_distance(first, surface_point_at(t->mesh, NULL, path->items[i])) > 0) return RUGA_OK;
    return fail_input(t->context, "curve \"%s\": it has no length; draw at least two different points",
                      curve_name(def));
}

ruga_status curve_draw_guided(curve_canvas *canvas, const ruga_surface_point *points, size_t count,
                              const ruga_curve_def *def, const curve_guide *guide, ruga_curve **out) {
    TRY(curve_check_def(canvas->mesh, def));
    surface_point_array path = {0};
    int closed;
    ruga_status status = trace_all(&canvas->t, def, guide, points, count, &path, &closed);
    if (!RUGA_FAILED(status))
        status = curve_from_array(canvas->context, curve_name(def), closed, path.items, path.count, out);
    ARRAY_RELEASE(canvas->context, &path);
    return status;
}

static ruga_status trace_over_surface(const void *user, tracer *t, ruga_surface_point from, ruga_surface_point to,
                                      surface_point_array *path, int *found) {
    (void)user;
    return trace_path(t, from, to, path, found);
}

ruga_status curve_draw_surface_points(curve_canvas *canvas, const ruga_surface_point *points, size_t count,
                                      const ruga_curve_def *def, ruga_curve **out) {
    const curve_guide guide = {trace_over_surface, NULL,
                               "they are on different pieces of the mesh, or only an edge with more than two triangles "
                               "joins them; draw a curve on each piece, or merge the vertices between them"};
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
    for (int k = 0; k < 3; k++) sum += point.weights[k] = weights[k] > LEAST_WEIGHT ? weights[k] : 0;
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

ruga_status curve_draw_points(curve_canvas *canvas, const ruga_vec3 *points, size_t count, const ruga_curve_def *def,
                              ruga_curve **out) {
    TRY(curve_check_def(canvas->mesh, def));
    TRY(curve_canvas_tree(canvas));
    ruga_surface_point *attached;
    TRY(NEW(canvas->context, &attached, count));
    ruga_status status = RUGA_OK;
    double reach = def->reach > 0 ? def->reach : canvas->far;
    for (size_t i = 0; i < count && !RUGA_FAILED(status); i++) {
        bvh_hit hit = bvh_closest_point(canvas->tree, points[i], INFINITY);
        if (!vec3_is_finite(points[i]))
            status = fail_input(canvas->context, "curve \"%s\": point %zu is not finite", curve_name(def), i);
        else if (!(hit.distance <= reach))
            status = fail_input(
                canvas->context,
                "curve \"%s\": point %zu at (%g, %g, %g) is %g m off the surface, more than %g m; the "
                "nearest triangle is %u; check the curve's unit and axes, and that it was drawn on this mesh",
                curve_name(def), i, points[i].x, points[i].y, points[i].z, hit.distance, reach, hit.element);
        else
            attached[i] = curve_tidy_point(hit.element, hit.barycentric);
    }
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
