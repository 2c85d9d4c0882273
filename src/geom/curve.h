/* Making curves from the inside: what the ways of drawing one share. */
#ifndef GEOM_CURVE_H
#define GEOM_CURVE_H

#include "base/memory.h"
#include "geom/trace.h"
#include "ruga/curve.h"

/* Points as they are, copied. */
ruga_status curve_from_array(ruga_context *context, const char *name, int closed, const ruga_surface_point *points,
                             size_t count, ruga_curve **out);
/* RUGA_ERROR_ARGUMENT for a def that makes no sense; RUGA_ERROR_INPUT for a mesh without faces. */
ruga_status curve_check_def(const ruga_mesh *mesh, const ruga_curve_def *def);
double curve_reach(const ruga_mesh *mesh, const ruga_curve_def *def); /* m */
const char *curve_name(const ruga_curve_def *def);                    /* "" for none */

/* A point of a triangle whose weights may be off by rounding: within [0, 1], those that are as good as zero are zero, so
 * that a point on an edge is known to be there. */
ruga_surface_point curve_tidy_point(uint32_t triangle, const double weights[3]);

/* How ways between points are found. */
typedef struct curve_guide {
    /* As trace_way. */
    ruga_status (*trace)(const void *user, tracer *t, ruga_surface_point from, ruga_surface_point to,
                         surface_point_array *way, int *found);
    const void *user;
    const char *lost; /* what it means when there is no way, for the message */
} curve_guide;

ruga_status curve_from_guided(const ruga_mesh *mesh, const ruga_surface_point *points, size_t count,
                              const ruga_curve_def *def, const curve_guide *guide, ruga_curve **out);

#endif
