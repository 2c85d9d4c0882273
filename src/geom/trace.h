/* Ways over a surface from one point to another, for curves that are drawn.
 *
 *   section   the surface cut by the plane through both points and along their mean normal: what a straight stroke means.
 *             Every vertex is on one side of the plane or the other, never on it, so that the way through triangles is never in doubt.
 *   shortest  where the section does not lead there, or not on a short way: a tight thread (trace_row.h).
 */
#ifndef GEOM_TRACE_H
#define GEOM_TRACE_H

#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/topology.h"
#include "ruga/curve.h"

typedef ARRAY(ruga_surface_point) surface_point_array;

/* Of a row of triangles that is laid flat (trace_row.h). */
typedef struct row_point {
    double x, y; /* m */
} row_point;

/* The edge from one triangle of a row to the next, as one who goes through sees it. */
typedef struct row_gate {
    row_point left, right;
    uint32_t left_vertex, right_vertex;
    int edge; /* of the triangle before it */
} row_gate;

/* A vertex that a tight thread goes around, at a gate; the last one is the thread's end. */
typedef struct row_bend {
    size_t gate;
    uint32_t vertex;
    row_point at;
} row_bend;

typedef ARRAY(uint32_t) row_array;

typedef struct tracer {
    ruga_context *context;
    const ruga_mesh *mesh;
    topology *topo;
    double *costs;     /* (triangle_count) of the search for a row of triangles */
    uint32_t *parents; /* (triangle_count) */
    int is_blocked;    /* the section of the last way ended at an edge that is open or has more than two triangles */
    vec3 blocked_at;   /* where */
    ARRAY(uint32_t) queue;
    row_array row, spare; /* triangles from one point to the other */
    ARRAY(row_gate) gates;
    ARRAY(row_bend) bends;
} tracer;

ruga_status tracer_make(const ruga_mesh *mesh, tracer *out);
void tracer_release(tracer *t);

vec3 surface_point_at(const ruga_mesh *mesh, const ruga_vec3 *positions, ruga_surface_point point);

/* Whether a triangle has the point, also on its border. */
int triangle_has_point(const tracer *t, uint32_t triangle, ruga_surface_point point);
/* Whether two are one point, though they may name different triangles around it. */
int surface_point_same(const tracer *t, ruga_surface_point a, ruga_surface_point b);

/* A triangle that has both points; NO_INDEX: none does. `like` is taken if it is one. */
uint32_t trace_shared_triangle(const tracer *t, ruga_surface_point a, ruga_surface_point b, uint32_t like);
/* A point as one of a triangle that has it. */
ruga_surface_point surface_point_in(const tracer *t, uint32_t triangle, ruga_surface_point point);

/* The triangle across edge k; NO_INDEX where there is none, or more than one. */
uint32_t trace_across(const tracer *t, uint32_t triangle, int k);
/* Triangles that have a point: those around the vertex or at the edge that it is on. *count of *triangles. */
void trace_triangles_of(const tracer *t, const ruga_surface_point *point, const uint32_t **triangles, size_t *count);
/* The point of an edge of a triangle, at a part of the way from corner k to the next. */
ruga_surface_point trace_edge_point(uint32_t triangle, int k, double part);
/* Unless it is the last point of the way already: a way around a vertex meets it many times. */
ruga_status trace_append(tracer *t, surface_point_array *way, ruga_surface_point point);

/* Appends the points of the way after `from`, `to` as the last. *found becomes 0 when the surface does not connect the two. */
ruga_status trace_way(tracer *t, ruga_surface_point from, ruga_surface_point to, surface_point_array *way, int *found);

/* A section that is prescribed: the plane through both points and along `direction`. */
typedef struct trace_guide {
    vec3 direction;           /* not along the way from one point to the other */
    const ruga_vec3 *corners; /* NULL: in space; else (3 x triangle_count) places of the triangles' corners instead, as
                                 those of UVs; a way ends where two triangles do not agree about their edge */
} trace_guide;

/* The same along the prescribed section alone; *found becomes 0, with nothing appended, when that does not lead there. */
ruga_status trace_guided(tracer *t, const trace_guide *guide, ruga_surface_point from, ruga_surface_point to,
                         surface_point_array *way, int *found);

#endif
