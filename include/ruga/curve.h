/* Ruga: curves on meshes.
 *
 *     a polyline in space, a stroke on a picture, a path over UVs ──▶ points on triangles, traced over the surface
 *
 * A curve is a list of points on the triangles of one mesh. A traced curve stays on the surface: each point and the next
 * lie in (or on the border of) one triangle, so that between them it is straight. One type for all that is drawn on a mesh.
 */
#ifndef RUGA_CURVE_H
#define RUGA_CURVE_H

#include "ruga/io.h"
#include "ruga/map.h"
#include "ruga/render.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_surface_point {
    uint32_t triangle;
    double weights[3]; /* of the triangle's corners; within [0, 1], their sum is 1 */
} ruga_surface_point;

typedef struct ruga_curve {
    const char *name; /* never NULL; may be empty */
    size_t point_count;
    const ruga_surface_point *points; /* (point_count) */
    int closed;                       /* the last point leads back to the first */
    ruga_context *context;
} ruga_curve;

RUGA_API void ruga_curve_destroy(ruga_curve *curve); /* NULL is fine */

/* How a line in space becomes a curve on a surface. */
typedef struct ruga_curve_def {
    uint32_t cookie;
    const char *name; /* NULL: none; messages name it */
    int closed;       /* joins the last point with the first; of fewer than three points it stays open */
    int stops_at_gaps; /* a straight way that a hole, or an edge of more than two triangles, interrupts is an error; else the shortest
                          way leads around it */
    double reach; /* m; a point farther from the surface than this is an error; 0: a tenth of the mesh's size */
} ruga_curve_def;

RUGA_API ruga_curve_def ruga_curve_def_default(void);

/* All of these trace: between two points that do not share a triangle the curve follows the section of the surface by the
 * plane through both and their mean normal, or, where that does not lead from one to the other, the shortest way over the
 * surface. RUGA_ERROR_INPUT, with the curve's name, the point and what is there, for: fewer than two different points, a point that is
 * not finite or off the surface, pieces that the surface does not connect (a hole or a gap between), a triangle without area. */
RUGA_API ruga_status ruga_curve_from_points(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count,
                                            const ruga_curve_def *def, ruga_curve **out);
RUGA_API ruga_status ruga_curve_from_surface_points(const ruga_mesh *mesh, const ruga_surface_point *points,
                                                    size_t count, const ruga_curve_def *def, ruga_curve **out);
/* Points (x, y) of a picture of width x height pixels, y down, seen through a camera whose `given` is not 0: what is seen first.
 * Between two points the curve is straight on the picture. A point that misses the mesh, and a way between two points over which the
 * background shows or a nearer part begins or ends, are RUGA_ERROR_INPUT: what is meant there can't be seen. */
RUGA_API ruga_status ruga_curve_from_stroke(const ruga_mesh *mesh, const ruga_camera *camera, int width, int height,
                                            const double *pixels, size_t count, const ruga_curve_def *def,
                                            ruga_curve **out);
/* Points (u, v) of the attribute "uv". A place that several triangles have is taken from the one next to the point before on the
 * surface, at the start from the lowest. Straight in UV within a chart; from one chart to another the way over the surface. */
RUGA_API ruga_status ruga_curve_from_uvs(const ruga_mesh *mesh, const double *uvs, size_t count,
                                         const ruga_curve_def *def, ruga_curve **out);

/* Where its points are; positions may be NULL: at rest. */
RUGA_API void ruga_curve_points(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_vec3 *positions,
                                ruga_vec3 *points);
RUGA_API double ruga_curve_length(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_vec3 *positions); /* m */

/* The same curve on a finer mesh whose vertices are W times those of the one before (a subdivision, a cut): traced over its triangles.
 * By the map, not by what lies there: sheets on each other keep their curves. Smoothing moves a point no more than the surface.
 * RUGA_ERROR_ARGUMENT for a map that is not of these meshes. */
RUGA_API ruga_status ruga_curve_transfer(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_mesh *finer,
                                         const ruga_map *map, ruga_curve **out);

/* ---- Files. The ending says what it is: .json (points on triangles, or in space), .obj (`l` polylines with their `o` or `g`
 * names), .svg (paths over UVs: (0, 0) of UV is the lower left of the viewBox, (1, 1) the upper right). docs/formats.md has the details.
 * `file` gives the unit and the up axis of points in space, as of the mesh's own file; NULL: metres, y up. Of `def` names and
 * closedness come from the file. Messages name the file, the line and the curve.
 * A list of curves; both the array and its curves are the caller's. */
RUGA_API ruga_status ruga_curves_read(const ruga_mesh *mesh, const char *path, const ruga_file_def *file,
                                      const ruga_curve_def *def, ruga_curve ***curves, size_t *count);
/* JSON holds points on triangles exactly; SVG needs the attribute "uv". */
RUGA_API ruga_status ruga_curves_write(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                                       const char *path, const ruga_file_def *file);
RUGA_API void ruga_curves_destroy(ruga_context *context, ruga_curve **curves, size_t count);

#ifdef __cplusplus
}
#endif
#endif
