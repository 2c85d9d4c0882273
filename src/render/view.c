#include "render/view.h"

#include <math.h>

#define PI 3.14159265358979323846

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
