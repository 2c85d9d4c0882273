/* Where the eye is, and how space becomes pixels. */
#ifndef RENDER_VIEW_H
#define RENDER_VIEW_H

#include "base/context.h"
#include "math/vec3.h"
#include "ruga/render.h"

/* Pixels of a panel: x to the right, y down, whole numbers on the borders between pixels. */
typedef struct view {
    vec3 eye, right, up, back; /* m; unit, perpendicular */
    double focal;              /* pixels: a thing of size s at depth d is s * focal / d high */
    int width, height;         /* pixels */
} view;

/* Whether a point can be drawn: finite, and so near that nothing computed from it overflows. */
static inline int view_can_show(vec3 p) { return fabs(p.x) < 1e100 && fabs(p.y) < 1e100 && fabs(p.z) < 1e100; }

/* What a camera has to show. */
typedef struct view_bounds {
    vec3 low, high; /* empty while low.x > high.x */
} view_bounds;
view_bounds view_bounds_empty(void);
void view_bounds_add(view_bounds *bounds, vec3 p); /* what can't be shown is left out */
vec3 view_bounds_centre(const view_bounds *bounds);
double view_bounds_radius(const view_bounds *bounds); /* of the sphere around the box, at least a little */

/* Fits a camera from its azimuth and elevation: begin, add all points, end. */
typedef struct view_fit {
    vec3 right, up, back, axis;
    int steady;
    double tan_x, tan_y;
    double left, rightmost, bottom, top, nearest; /* extents along the borders of the frustum */
    int count;
} view_fit;
/* fill: how much of the half width and height is used, (0, 1]. */
void view_fit_begin(view_fit *fit, const ruga_camera *camera, const view_bounds *bounds, int width, int height,
                    double fill);
void view_fit_add(view_fit *fit, vec3 p);
vec3 view_fit_eye(const view_fit *fit, const view_bounds *bounds);

/* The view of a given camera; its values were checked by camera_check. */
view view_make(const ruga_camera *given, int width, int height);
ruga_status camera_check(ruga_context *context, const ruga_camera *camera, size_t panel);

/* Through a point of the panel; its component along the line of sight is 1. */
vec3 view_ray(const view *v, double x, double y);
/* To pixels; returns the depth, m. Only a positive depth is in front. */
double view_project(const view *v, vec3 p, double *x, double *y);

#endif
