/* Where the eye is: cameras that are fitted to what they show. */
#ifndef RENDER_VIEW_H
#define RENDER_VIEW_H

#include "math/camera.h"

/* The box that a camera has to show. */
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

#endif
