/* The shortest way over a surface from one point to another, for where a section does not lead there. */
#ifndef GEOM_TRACE_ROW_H
#define GEOM_TRACE_ROW_H

#include "geom/trace.h"

/* Appends the points of the way after `from`, `to` as the last; the two share no triangle. *found becomes 0 when the surface does not
 * connect them. The way is tight: a little aside from it, there is none that is shorter. */
ruga_status trace_shortest(tracer *t, ruga_surface_point from, ruga_surface_point to, surface_point_array *way,
                           int *found);

#endif
