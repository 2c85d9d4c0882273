/* Smooth curves through a few points on a mesh, as a hand draws them.
 *
 * A curve that is straight between points has a corner at each. Places beside it whose nearest point is the corner
 * spread like a fan with the distance, and on the inner side nearest points jump: streaks of wrinkles that follow it.
 */
#ifndef GEOM_CURVE_SMOOTH_H
#define GEOM_CURVE_SMOOTH_H

#include "geom/curve.h"

/* Degrees within the surface. Sharper turns are corners that were meant, and so is a point that is given twice. */
#define CURVE_CORNER 50.0

/* As curve_draw_points, with points between those where the curve turns, a degree apart, but not nearer than 0.35 times
 * a side of the triangles there. Where the smooth curve can't be traced, it is straight between points. */
ruga_status curve_draw_smooth(curve_canvas *canvas, const ruga_vec3 *points, size_t count, const ruga_curve_def *def,
                              ruga_curve **out);

#endif
