/* How a camera's pixels and space belong together: one place for pictures and for what is drawn on them. */
#ifndef MATH_CAMERA_H
#define MATH_CAMERA_H

#include "base/context.h"
#include "math/vec3.h"
#include "ruga/camera.h"

/* Pixels of a panel: x to the right, y down, whole numbers on the borders between pixels. */
typedef struct view {
    vec3 eye, right, up, back; /* m; unit, perpendicular */
    double focal;              /* pixels: an object of size s at depth d is s * focal / d high */
    int width, height;         /* pixels */
} view;

/* Whether a point can be drawn: finite, and so near that nothing computed from it overflows. */
static inline int view_can_show(vec3 p) { return fabs(p.x) < 1e100 && fabs(p.y) < 1e100 && fabs(p.z) < 1e100; }

/* RUGA_ERROR_ARGUMENT for values that make no picture; `who` begins the message: "panel 2". */
ruga_status camera_check(ruga_context *context, const ruga_camera *camera, const char *who) FOR_RENDER(camera_check);

/* The view of a given camera; its values were checked by camera_check. */
view view_make(const ruga_camera *given, int width, int height) FOR_RENDER(view_make);

/* Through a point of the panel; its component along the line of sight is 1. */
vec3 view_ray(const view *v, double x, double y) FOR_RENDER(view_ray);
/* To pixels; returns the depth, m. Only a positive depth is in front. */
double view_project(const view *v, vec3 p, double *x, double *y) FOR_RENDER(view_project);

#endif
