/* The shortest path over a surface from one point to another. */
#ifndef GEOM_SHORTEST_PATH_H
#define GEOM_SHORTEST_PATH_H

#include "geom/surface_path.h"

/* Appends the points of the path after `from`, ending with `to`; the two must not share a triangle. *found becomes 0
 * when the surface does not connect them. The path is locally shortest. */
ruga_status trace_shortest(tracer *t, ruga_surface_point from, ruga_surface_point to, surface_point_array *path,
                           int *found);

#endif
