/* Curves inside the library: shared by the kinds of drawing them. */
#ifndef GEOM_CURVE_H
#define GEOM_CURVE_H

#include "base/memory.h"
#include "geom/bvh.h"
#include "geom/surface_path.h"
#include "ruga/curve.h"

/* A curve of the given points, copied. */
ruga_status curve_from_array(ruga_context *context, const char *name, int closed, const ruga_surface_point *points,
                             size_t count, ruga_curve **out);
/* RUGA_ERROR_ARGUMENT for an invalid def; RUGA_ERROR_INPUT for a mesh without faces. */
ruga_status curve_check_def(const ruga_mesh *mesh, const ruga_curve_def *def);
double curve_default_reach(const ruga_mesh *mesh); /* m */
const char *curve_name(const ruga_curve_def *def); /* "" for none */

/* A point of a triangle whose weights have rounding errors: clamps them to [0, 1] and sets tiny ones to zero, so that a
 * point on an edge is recognised. */
ruga_surface_point curve_tidy_point(uint32_t triangle, const double weights[3]);

/* A mesh prepared for drawing any number of curves. */
typedef struct curve_canvas {
    ruga_context *context;
    const ruga_mesh *mesh;
    tracer t;
    bvh *tree;  /* of the mesh's triangles; NULL until curve_canvas_tree */
    double far; /* m, the default reach; set with the tree */
} curve_canvas;

ruga_status curve_canvas_make(const ruga_mesh *mesh, curve_canvas *out);
void curve_canvas_release(curve_canvas *canvas);
ruga_status curve_canvas_tree(curve_canvas *canvas); /* makes the tree if needed */

/* As ruga_curve_from_points and ruga_curve_from_surface_points. */
ruga_status curve_draw_points(curve_canvas *canvas, const ruga_vec3 *points, size_t count, const ruga_curve_def *def,
                              ruga_curve **out);
ruga_status curve_draw_surface_points(curve_canvas *canvas, const ruga_surface_point *points, size_t count,
                                      const ruga_curve_def *def, ruga_curve **out);

/* How paths between points are found. */
typedef struct curve_guide {
    /* As trace_path. */
    ruga_status (*trace)(const void *user, tracer *t, ruga_surface_point from, ruga_surface_point to,
                         surface_point_array *path, int *found);
    const void *user;
    const char *lost; /* why there may be no path, for the message */
} curve_guide;

ruga_status curve_draw_guided(curve_canvas *canvas, const ruga_surface_point *points, size_t count,
                              const ruga_curve_def *def, const curve_guide *guide, ruga_curve **out);

#endif
