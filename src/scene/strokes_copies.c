/* Copies of curves: the mirror image, and others along a path. */
#include <math.h>

#include "geom/surface_path.h"
#include "math/vec3.h"
#include "scene/strokes_parts.h"

/* Traces a curve through moved points of another, each at its closest place of the surface. */
static ruga_status trace(const ruga_mesh *mesh, const ruga_curve *from, const vec3 *points, const char *name,
                         ruga_curve **out) {
    ruga_curve_def def = ruga_curve_def_default();
    def.name = name;
    def.closed = from->closed;
    def.stops_at_gaps = 1;
    return ruga_curve_from_points(mesh, points, from->point_count, &def, out);
}

/* The points of a curve from one of them on. */
static void points_from(const ruga_mesh *mesh, const ruga_curve *curve, size_t begin, vec3 *points) {
    for (size_t i = 0; i < curve->point_count; i++)
        points[i] = surface_point_at(mesh, NULL, curve->points[(begin + i) % curve->point_count]);
}

ruga_status curve_mirrored(const ruga_mesh *mesh, const ruga_curve *curve, size_t begin, int axis, const char *name,
                           ruga_curve **out) {
    vec3 *points;
    TRY(NEW(mesh->context, &points, curve->point_count));
    points_from(mesh, curve, begin, points);
    for (size_t i = 0; i < curve->point_count; i++) {
        double *value = axis == 0 ? &points[i].x : axis == 1 ? &points[i].y : &points[i].z;
        *value = -*value;
    }
    ruga_status status = trace(mesh, curve, points, name, out);
    memory_release(mesh->context, points);
    return status;
}

/* ---- An image that is the curve itself. */

#define SNAP 0.05 /* of the triangle's shortest edge, as of curve_cut */

static double snap_distance(const ruga_mesh *mesh, uint32_t triangle) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    double shortest = INFINITY;
    for (int k = 0; k < 3; k++)
        shortest = fmin(shortest, vec3_distance(mesh->positions[v[k]], mesh->positions[v[(k + 1) % 3]]));
    return SNAP * shortest;
}

static double distance_to_segment(vec3 p, vec3 a, vec3 b) {
    vec3 along = vec3_sub(b, a);
    double length2 = vec3_length2(along), part = length2 > 0 ? vec3_dot(vec3_sub(p, a), along) / length2 : 0;
    return vec3_distance(p, vec3_add_scaled(a, along, fmax(0, fmin(1, part))));
}

int curves_coincide(const ruga_mesh *mesh, const ruga_curve *a, const ruga_curve *b) {
    for (size_t i = 0; i < a->point_count; i++) {
        vec3 p = surface_point_at(mesh, NULL, a->points[i]);
        double nearest = INFINITY;
        for (size_t k = 0; k + (b->closed ? 0 : 1) < b->point_count; k++)
            nearest =
                fmin(nearest, distance_to_segment(p, surface_point_at(mesh, NULL, b->points[k]),
                                                  surface_point_at(mesh, NULL, b->points[(k + 1) % b->point_count])));
        if (nearest > snap_distance(mesh, a->points[i].triangle)) return 0;
    }
    return 1;
}

/* ---- Copies along a path. */

/* A place of a path, and its directions: along the path, out of the surface, and across both. */
typedef struct path_frame {
    vec3 at, axes[3];
} path_frame;

/* The normal of the smooth surface that the mesh stands for: facets would turn neighbouring copies apart. */
static vec3 smooth_normal(const ruga_mesh *mesh, const vec3 *normals, const ruga_surface_point *point) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)point->triangle;
    vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) sum = vec3_add_scaled(sum, normals[v[k]], point->weights[k]);
    return vec3_normalise(sum);
}

/* At a fraction of the path's length. normals: (vertices); points: (the path's points) */
static path_frame frame_at(const ruga_mesh *mesh, const vec3 *normals, const ruga_curve *path, const vec3 *points,
                           double part) {
    size_t count = path->point_count, last = path->closed ? count : count - 1, i = 0;
    double left = part * ruga_curve_length(path, mesh, NULL), width = vec3_distance(points[0], points[1 % count]);
    while (i + 1 < last && left > width) {
        left -= width;
        i++;
        width = vec3_distance(points[i], points[(i + 1) % count]);
    }
    const vec3 next = points[(i + 1) % count];
    const double t = width > 0 ? fmin(left / width, 1) : 0;
    path_frame f = {.at = vec3_mix(points[i], next, t)};
    f.axes[1] = vec3_normalise(vec3_mix(smooth_normal(mesh, normals, &path->points[i]),
                                        smooth_normal(mesh, normals, &path->points[(i + 1) % count]), t));
    f.axes[2] = vec3_normalise(vec3_cross(vec3_sub(next, points[i]), f.axes[1]));
    f.axes[0] = vec3_cross(f.axes[1], f.axes[2]);
    return f;
}

/* normals: (vertices) */
static ruga_status copy_along(const ruga_mesh *mesh, const ruga_curve *curve, size_t begin, const ruga_curve *path,
                              double part, const vec3 *normals, vec3 *points, const char *name, ruga_curve **out) {
    vec3 *of_path = points + curve->point_count;
    points_from(mesh, curve, begin, points);
    ruga_curve_points(path, mesh, NULL, of_path);
    path_frame from = frame_at(mesh, normals, path, of_path, 0), to = frame_at(mesh, normals, path, of_path, part);
    for (size_t i = 0; i < curve->point_count; i++) {
        vec3 offset = vec3_sub(points[i], from.at);
        points[i] = to.at;
        for (int k = 0; k < 3; k++) points[i] = vec3_add_scaled(points[i], to.axes[k], vec3_dot(offset, from.axes[k]));
    }
    return trace(mesh, curve, points, name, out);
}

ruga_status curve_copied(const ruga_mesh *mesh, const ruga_curve *curve, size_t begin, const ruga_curve *path,
                         double part, const char *name, ruga_curve **out) {
    vec3 *points, *normals = NULL;
    TRY(NEW(mesh->context, &points, curve->point_count + path->point_count));
    ruga_status status = NEW(mesh->context, &normals, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = ruga_mesh_normals(mesh, NULL, normals);
    if (!RUGA_FAILED(status)) status = copy_along(mesh, curve, begin, path, part, normals, points, name, out);
    RELEASE_ALL(mesh->context, points, normals);
    return status;
}
