#include "render/view.h"

#include <math.h>

#define PI 3.14159265358979323846

ruga_camera ruga_camera_default(void) {
    return (ruga_camera){.up = {0, 1, 0}, .fov = 30, .azimuth = 30, .elevation = 20, .zoom = 1};
}

view_bounds view_bounds_empty(void) {
    return (view_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void view_bounds_add(view_bounds *bounds, vec3 p) {
    if (!view_can_show(p)) return;
    bounds->low = vec3_min(bounds->low, p);
    bounds->high = vec3_max(bounds->high, p);
}

vec3 view_bounds_centre(const view_bounds *bounds) {
    if (bounds->low.x > bounds->high.x) return (vec3){0, 0, 0};
    return vec3_mix(bounds->low, bounds->high, 0.5);
}

double view_bounds_radius(const view_bounds *bounds) {
    if (bounds->low.x > bounds->high.x) return 1;
    double radius = 0.5 * vec3_distance(bounds->low, bounds->high);
    double place = fmax(vec3_length(bounds->low), vec3_length(bounds->high));
    return fmax(radius > 1e-9 * place ? radius : place > 0 ? 1e-3 * place : 1, 1e-100);
}

/* ---- Fitting. A point (x, y, z) along right, up, back is inside the frustum of an eye (ex, ey, ez) when
 * ±(x - ex) <= tan_x (ez - z) and ±(y - ey) <= tan_y (ez - z): four inequalities, linear in the eye, whose tightest
 * solution needs only the largest x + tan_x z, -x + tan_x z and so on over all points. */

void view_fit_begin(view_fit *fit, const ruga_camera *camera, const view_bounds *bounds, int width, int height,
                    double fill) {
    double a = camera->azimuth * PI / 180, e = camera->elevation * PI / 180;
    *fit = (view_fit){.steady = camera->steady, .axis = view_bounds_centre(bounds)};
    fit->back = (vec3){sin(a) * cos(e), sin(e), cos(a) * cos(e)};
    fit->right = (vec3){cos(a), 0, -sin(a)};
    fit->up = vec3_cross(fit->back, fit->right);
    fit->tan_y = tan(camera->fov * PI / 360) * fill;
    fit->tan_x = fit->tan_y * width / height;
    fit->left = fit->rightmost = fit->bottom = fit->top = fit->nearest = -INFINITY;
}

/* The largest n·p, or, when steady, the largest over all turns of p about the vertical axis. */
static double support(const view_fit *fit, vec3 n, vec3 p) {
    if (!fit->steady) return vec3_dot(n, p);
    double radius = hypot(p.x - fit->axis.x, p.z - fit->axis.z);
    return n.x * fit->axis.x + n.z * fit->axis.z + n.y * p.y + radius * hypot(n.x, n.z);
}

static void extend(const view_fit *fit, double *extent, vec3 side, double sign, double slope, vec3 p) {
    vec3 n = vec3_add_scaled(vec3_scale(side, sign), fit->back, slope);
    *extent = fmax(*extent, support(fit, n, p));
}

void view_fit_add(view_fit *fit, vec3 p) {
    if (!view_can_show(p)) return;
    extend(fit, &fit->rightmost, fit->right, 1, fit->tan_x, p);
    extend(fit, &fit->left, fit->right, -1, fit->tan_x, p);
    extend(fit, &fit->top, fit->up, 1, fit->tan_y, p);
    extend(fit, &fit->bottom, fit->up, -1, fit->tan_y, p);
    extend(fit, &fit->nearest, fit->right, 0, 1, p);
    fit->count++;
}

vec3 view_fit_eye(const view_fit *fit, const view_bounds *bounds) {
    double radius = view_bounds_radius(bounds);
    if (!fit->count) return vec3_scale(fit->back, 1 / fit->tan_y);
    double ez = fmax((fit->rightmost + fit->left) / (2 * fit->tan_x), (fit->top + fit->bottom) / (2 * fit->tan_y));
    ez = fmax(ez, fit->nearest + 0.25 * radius);
    double ex = 0.5 * (fit->rightmost - fit->left), ey = 0.5 * (fit->top - fit->bottom);
    vec3 eye = vec3_scale(fit->right, ex);
    eye = vec3_add_scaled(eye, fit->up, ey);
    return vec3_add_scaled(eye, fit->back, ez);
}

/* ---- Given cameras. */

ruga_status camera_check(ruga_context *context, const ruga_camera *camera, size_t panel) {
    if (!(camera->zoom >= 0.01 && camera->zoom <= 1e6))
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "panel %zu: the camera's zoom is %g, but must be within 0.01 and 1e6", panel, camera->zoom);
    if (!(camera->fov >= 0.1 && camera->fov <= 170))
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "panel %zu: the camera's field of view is %g degrees, but must be within 0.1 and 170", panel,
                         camera->fov);
    if (!isfinite(camera->azimuth) || !isfinite(camera->elevation))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "panel %zu: the camera's azimuth and elevation must be finite",
                         panel);
    if (!camera->given) return RUGA_OK;
    if (!view_can_show(camera->eye) || !view_can_show(camera->target) || !view_can_show(camera->up) ||
        vec3_distance(camera->eye, camera->target) <= 0)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "panel %zu: the camera's eye, target and up must be finite, and eye and target apart", panel);
    return RUGA_OK;
}

view view_make(const ruga_camera *given, int width, int height) {
    view v = {.eye = given->eye, .width = width, .height = height};
    v.back = vec3_normalise(vec3_sub(given->eye, given->target));
    v.right = vec3_cross(given->up, v.back);
    // An up along the line of sight says nothing: take another axis.
    if (vec3_length(v.right) <= 1e-9 * vec3_length(given->up) || vec3_length(given->up) <= 0)
        v.right = vec3_cross(fabs(v.back.y) < 0.9 ? (vec3){0, 1, 0} : (vec3){0, 0, -1}, v.back);
    v.right = vec3_normalise(v.right);
    v.up = vec3_cross(v.back, v.right);
    v.focal = given->zoom * 0.5 * height / tan(given->fov * PI / 360);
    return v;
}

vec3 view_ray(const view *v, double x, double y) {
    vec3 direction = vec3_scale(v->right, (x - 0.5 * v->width) / v->focal);
    direction = vec3_add_scaled(direction, v->up, (0.5 * v->height - y) / v->focal);
    return vec3_sub(direction, v->back);
}

double view_project(const view *v, vec3 p, double *x, double *y) {
    vec3 d = vec3_sub(p, v->eye);
    double depth = -vec3_dot(d, v->back);
    *x = 0.5 * v->width + v->focal * vec3_dot(d, v->right) / depth;
    *y = 0.5 * v->height - v->focal * vec3_dot(d, v->up) / depth;
    return depth;
}
