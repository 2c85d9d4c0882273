/* Curves from strokes on pictures: a ray through each pixel, and between two pixels the section of the surface by the
 * plane through the eye, so that a straight stroke on the picture is straight on the surface as seen from the camera.
 *
 * A stroke follows the visible surface. If a nearer part of the mesh or the background lies between two points, the
 * stroke is ambiguous: an error that names the points. Visibility is tested at every pixel of the path. */
#include "geom/curve.h"
#include "math/camera.h"

#define HIDDEN 1e-6        /* relative to the distance from the eye: a surface this much nearer hides a point */
enum { MAX_LOOKS = 4096 }; /* between two points of a curve */

typedef struct sight {
    const bvh *tree;
    view v;
} sight;

static int is_seen(const sight *s, vec3 at) {
    double x, y;
    if (!(view_project(&s->v, at, &x, &y) > 0)) return 0;
    bvh_hit hit = bvh_ray_hit(s->tree, s->v.eye, vec3_sub(at, s->v.eye), 1);
    return hit.element == UINT32_MAX || hit.distance >= 1 - HIDDEN;
}

/* How many pixels apart two points are on the picture, at most MAX_LOOKS. */
static int pixels_between(const sight *s, vec3 a, vec3 b) {
    double ax, ay, bx, by;
    if (!(view_project(&s->v, a, &ax, &ay) > 0) || !(view_project(&s->v, b, &bx, &by) > 0)) return 1;
    return 1 + (int)fmin(MAX_LOOKS - 1, hypot(bx - ax, by - ay));
}

static ruga_status trace_visible(const void *user, tracer *t, ruga_surface_point from, ruga_surface_point to,
                                 surface_point_array *path, int *found) {
    const sight *s = user;
    size_t first = path->count;
    vec3 before = surface_point_at(t->mesh, NULL, from);
    const trace_guide guide = {vec3_sub(before, s->v.eye), NULL};
    TRY(trace_guided(t, &guide, from, to, path, found));
    for (size_t i = first; *found && i < path->count; i++) {
        vec3 now = surface_point_at(t->mesh, NULL, path->items[i]);
        int looks = pixels_between(s, before, now);
        for (int k = 1; *found && k <= looks; k++)
            *found = is_seen(s, vec3_mix(before, now, ((double)k - 0.5) / looks));
        before = now;
    }
    if (!*found) path->count = first;
    return RUGA_OK;
}

static ruga_status look_through(const ruga_mesh *mesh, const sight *s, const double *pixels, size_t count,
                                const ruga_curve_def *def, ruga_surface_point *points) {
    for (size_t i = 0; i < count; i++) {
        double x = pixels[2 * i], y = pixels[2 * i + 1];
        if (!isfinite(x) || !isfinite(y))
            return fail_input(mesh->context, "curve \"%s\": point %zu is not finite", curve_name(def), i);
        bvh_hit hit = bvh_ray_hit(s->tree, s->v.eye, view_ray(&s->v, x, y), INFINITY);
        if (hit.element == UINT32_MAX)
            return fail_input(mesh->context,
                              "curve \"%s\": point %zu at pixel (%g, %g) does not meet the mesh; draw within its "
                              "outline",
                              curve_name(def), i, x, y);
        points[i] = curve_tidy_point(hit.element, hit.barycentric);
    }
    return RUGA_OK;
}

ruga_status ruga_curve_from_stroke(const ruga_mesh *mesh, const ruga_camera *camera, int width, int height,
                                   const double *pixels, size_t count, const ruga_curve_def *def, ruga_curve **out) {
    TRY(curve_check_def(mesh, def));
    TRY(camera_check(mesh->context, camera, "a stroke"));
    if (!camera->given)
        return fail_argument(mesh->context, "a stroke needs a given camera; ruga_render_fit makes one from a picture");
    if (width < 1 || height < 1)
        return fail_argument(mesh->context, "the picture of a stroke has %d x %d pixels", width, height);
    curve_canvas canvas;
    ruga_surface_point *points = NULL;
    TRY(curve_canvas_make(mesh, &canvas));
    ruga_status status = curve_canvas_tree(&canvas);
    const sight s = {canvas.tree, view_make(camera, width, height)};
    const curve_guide guide = {
        trace_visible, &s,
        "a nearer part of the mesh or the background lies between them; move the camera, or draw "
        "two strokes"};
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &points, count);
    if (!RUGA_FAILED(status)) status = look_through(mesh, &s, pixels, count, def, points);
    if (!RUGA_FAILED(status)) status = curve_draw_guided(&canvas, points, count, def, &guide, out);
    memory_release(mesh->context, points);
    curve_canvas_release(&canvas);
    return status;
}
