#include "math/camera.h"

#define PI 3.14159265358979323846

ruga_camera ruga_camera_default(void) {
    return (ruga_camera){.up = {0, 1, 0}, .fov = 30, .azimuth = 30, .elevation = 20, .zoom = 1};
}

ruga_status camera_check(ruga_context *context, const ruga_camera *camera, const char *who) {
    if (!(camera->zoom >= 0.01 && camera->zoom <= 1e6))
        return fail_argument(context, "%s: the camera's zoom is %g, but must be within 0.01 and 1e6", who,
                             camera->zoom);
    if (!(camera->fov >= 0.1 && camera->fov <= 170))
        return fail_argument(context, "%s: the camera's field of view is %g degrees, but must be from 0.1 to 170", who,
                             camera->fov);
    if (!isfinite(camera->azimuth) || !isfinite(camera->elevation))
        return fail_argument(context, "%s: the camera's azimuth and elevation must be finite", who);
    if (!camera->given) return RUGA_OK;
    if (!view_can_show(camera->eye) || !view_can_show(camera->target) || !view_can_show(camera->up) ||
        vec3_distance(camera->eye, camera->target) <= 0)
        return fail_argument(context, "%s: the camera's eye, target and up must be finite, and eye and target apart",
                             who);
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
