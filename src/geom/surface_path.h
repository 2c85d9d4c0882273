/* Paths over a surface from one point to another, for drawing curves.
 *
 *   section   the surface cut by the plane through both points and along their mean normal, like a straight stroke.
 *             Every vertex counts as on one side of the plane, never on it, so that the path is unambiguous.
 *   shortest  where the section does not connect the points, or is too long: the shortest path (shortest_path.h).
 */
#ifndef GEOM_SURFACE_PATH_H
#define GEOM_SURFACE_PATH_H

#include "base/memory.h"
#include "math/vec2.h"
#include "math/vec3.h"
#include "mesh/topology.h"
#include "ruga/curve.h"

typedef ARRAY(ruga_surface_point) surface_point_array;

/* The edge from one triangle of a row, unfolded into the plane (shortest_path.h), to the next; left and right in the
 * direction of the path. */
typedef struct row_gate {
    vec2 left, right; /* m */
    uint32_t left_vertex, right_vertex;
    int edge; /* of the triangle before it */
} row_gate;

/* A vertex where the path bends, at a gate; the last one is the end of the path. */
typedef struct row_bend {
    size_t gate;
    uint32_t vertex;
    vec2 at; /* m */
} row_bend;

typedef ARRAY(uint32_t) row_array;

typedef struct tracer {
    ruga_context *context;
    const ruga_mesh *mesh;
    topology *topo;
    double *costs;     /* (triangle_count) of the search for a row of triangles */
    uint32_t *parents; /* (triangle_count) */
    int is_blocked;    /* the last section ended at an edge that is open or has more than two triangles */
    vec3 blocked_at;   /* where */
    ARRAY(uint32_t) queue;
    row_array row, spare; /* triangles from one point to the other */
    ARRAY(row_gate) gates;
    ARRAY(row_bend) bends;
} tracer;

ruga_status tracer_make(const ruga_mesh *mesh, tracer *out);
void tracer_release(tracer *t);

vec3 surface_point_at(const ruga_mesh *mesh, const ruga_vec3 *positions, ruga_surface_point point);

/* Whether a triangle contains the point, also on its border. */
int triangle_has_point(const tracer *t, uint32_t triangle, ruga_surface_point point);
/* Whether two points are the same, even if they name different triangles around it. */
int surface_point_same(const tracer *t, ruga_surface_point a, ruga_surface_point b);

/* A triangle that contains both points, `like` if possible; NO_INDEX: none. */
uint32_t trace_shared_triangle(const tracer *t, ruga_surface_point a, ruga_surface_point b, uint32_t like);
/* The same point, expressed in another triangle that contains it. */
ruga_surface_point surface_point_in(const tracer *t, uint32_t triangle, ruga_surface_point point);

/* The triangle across edge k; NO_INDEX where there is none, or more than one. */
uint32_t trace_across(const tracer *t, uint32_t triangle, int k);
/* The triangles that contain a point: those around its vertex or at its edge. *triangles: (*count). */
void trace_triangles_of(const tracer *t, const ruga_surface_point *point, const uint32_t **triangles, size_t *count);
/* The point on edge k of a triangle at a parameter from corner k to the next. */
ruga_surface_point trace_edge_point(uint32_t triangle, int k, double part);
/* Appends a point unless it is already the last one: a path around a vertex meets it many times. */
ruga_status trace_append(tracer *t, surface_point_array *path, ruga_surface_point point);

/* Appends the points of the path after `from`, ending with `to`. *found becomes 0 when the surface does not connect the
 * two. */
ruga_status trace_path(tracer *t, ruga_surface_point from, ruga_surface_point to, surface_point_array *path,
                       int *found);

/* A given section: the plane through both points and along `direction`. */
typedef struct trace_guide {
    vec3 direction;           /* not parallel to the line between the points */
    const ruga_vec3 *corners; /* NULL: in space; else (3 x triangle_count) positions of the triangles' corners, such as
                                 UVs; the path ends where two triangles have different positions along their edge */
} trace_guide;

/* The path along the given section only. *found becomes 0, with nothing appended, when it does not connect the
 * points. */
ruga_status trace_guided(tracer *t, const trace_guide *guide, ruga_surface_point from, ruga_surface_point to,
                         surface_point_array *path, int *found);

#endif
