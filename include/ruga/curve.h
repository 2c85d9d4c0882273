/* Ruga: curves on meshes.
 *
 *     a polyline in space, a stroke on a picture, a path over UVs ──▶ points on triangles, traced over the surface
 *
 * A curve is a list of points on the triangles of one mesh. A traced curve stays on the surface: consecutive points
 * share a triangle, or its border, and the curve is straight between them. Everything that is drawn on a mesh is a
 * ruga_curve.
 */
#ifndef RUGA_CURVE_H
#define RUGA_CURVE_H

#include "ruga/camera.h"
#include "ruga/io.h"
#include "ruga/map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_surface_point {
    uint32_t triangle;
    double weights[3]; /* of the triangle's corners; within [0, 1], with sum 1 */
} ruga_surface_point;

typedef struct ruga_curve {
    const char *name; /* never NULL; may be empty */
    size_t point_count;
    const ruga_surface_point *points; /* (point_count) */
    int closed;                       /* the last point is joined with the first */
    ruga_context *context;
} ruga_curve;

RUGA_API void ruga_curve_destroy(ruga_curve *curve); /* NULL is fine */

/* Options for drawing a curve. */
typedef struct ruga_curve_def {
    uint32_t cookie;
    const char *name; /* for messages; NULL: none */
    int closed;       /* joins the last point with the first; needs three different points, else the curve stays open */
    int stops_at_gaps; /* 1: a hole, or an edge of more than two triangles, in the straight path is an error; 0: it
                          takes the shortest path around it */
    double reach;      /* m; a point farther from the surface is an error; 0: a tenth of the mesh's size */
} ruga_curve_def;

RUGA_API ruga_curve_def ruga_curve_def_default(void);

/* Draws a curve from points in space or on the surface, and traces it: between two points that do not share a triangle
 * it follows the section of the surface by the plane through both and along their mean normal, or, where that does not
 * connect them, the shortest path over the surface.
 * Fails with RUGA_ERROR_INPUT, naming the curve and the point, for fewer than two different points, a point that is not
 * finite or off the surface, points that the surface does not connect, and a triangle without area. */
RUGA_API ruga_status ruga_curve_from_points(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count,
                                            const ruga_curve_def *def, ruga_curve **out);
RUGA_API ruga_status ruga_curve_from_surface_points(const ruga_mesh *mesh, const ruga_surface_point *points,
                                                    size_t count, const ruga_curve_def *def, ruga_curve **out);
/* From points (x, y) on a picture of width x height pixels, y down, through a camera whose `given` is not 0, onto the
 * visible surface. Between two points the curve is straight on the picture. Fails with RUGA_ERROR_INPUT for a point
 * that misses the mesh, and where the background or a closer part of the mesh lies between two points. */
RUGA_API ruga_status ruga_curve_from_stroke(const ruga_mesh *mesh, const ruga_camera *camera, int width, int height,
                                            const double *pixels, size_t count, const ruga_curve_def *def,
                                            ruga_curve **out);
/* From points (u, v) of the attribute "uv". If several triangles have the same UVs, the one nearest to the point before
 * is taken; for the first point, the lowest. The curve is straight in UV within a chart and takes a path over the
 * surface between charts. */
RUGA_API ruga_status ruga_curve_from_uvs(const ruga_mesh *mesh, const double *uvs, size_t count,
                                         const ruga_curve_def *def, ruga_curve **out);

/* The positions of its points and its length. `positions` are those of the mesh; NULL: at rest. */
RUGA_API void ruga_curve_points(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_vec3 *positions,
                                ruga_vec3 *points);
RUGA_API double ruga_curve_length(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_vec3 *positions); /* m */

/* The same curve on a finer mesh (a subdivision, a cut), traced over its triangles. map: positions of `finer` = W
 * positions of `mesh`. Points are found by the map, not by position, so that coincident sheets keep their own curves.
 * Fails with RUGA_ERROR_ARGUMENT for a map that does not fit these meshes. */
RUGA_API ruga_status ruga_curve_transfer(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_mesh *finer,
                                         const ruga_map *map, ruga_curve **out);

/* ---- Curves from a deformation: lines of strongest compression, along which the mesh would fold. */
typedef struct ruga_compression_def {
    uint32_t cookie;
    double threshold;  /* 1, least compression at which a line begins, and twice that at which it ends; 0.02 */
    double separation; /* m, between lines; NaN: six mean edges */
    double shortest;   /* m, length of the shortest line; NaN: two separations */
    size_t most;       /* lines at most, the strongest ones; 100 */
} ruga_compression_def;

RUGA_API ruga_compression_def ruga_compression_def_default(void);

/* Traces lines over the mesh at rest, across the direction in which the triangles are compressed most at `positions`,
 * (vertices), beginning where that is strongest. Each is named "line 0" …, strongest first. def NULL: the default.
 * Fails with RUGA_ERROR_INPUT where nothing is compressed by the threshold; the message has the greatest compression.
 * Release the curves with ruga_curves_destroy. */
RUGA_API ruga_status ruga_curves_from_compression(const ruga_mesh *mesh, const ruga_vec3 *positions,
                                                  const ruga_compression_def *def, ruga_curve ***curves, size_t *count);

/* ---- Files. The extension selects the format: .json (points on triangles, or in space), .obj (`l` polylines with
 * their `o` or `g` names), .svg (paths over UVs: UV (0, 0) is the lower left of the viewBox, (1, 1) the upper right),
 * .fold (read only: the creases of an origami pattern, whose box is laid over that of the UVs).
 * docs/formats.md has the details. */

/* `file` gives the unit and the up axis of points in space; NULL: metres, y up. The file overrides `name` and `closed`
 * of `def`. Messages name the file, the line and the curve. Release the array and its curves with
 * ruga_curves_destroy. */
RUGA_API ruga_status ruga_curves_read(const ruga_mesh *mesh, const char *path, const ruga_file_def *file,
                                      const ruga_curve_def *def, ruga_curve ***curves, size_t *count);
/* JSON stores points on triangles exactly; SVG needs the attribute "uv". */
RUGA_API ruga_status ruga_curves_write(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                                       const char *path, const ruga_file_def *file);
RUGA_API void ruga_curves_destroy(ruga_context *context, ruga_curve **curves, size_t count);

#ifdef __cplusplus
}
#endif
#endif
