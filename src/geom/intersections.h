/* Finds the intersecting triangles of one or several meshes, exactly. */
#ifndef GEOM_INTERSECTIONS_H
#define GEOM_INTERSECTIONS_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct intersection {
    uint32_t triangles[2]; /* rising */
    ruga_vec3 point;       /* m, approximate */
} intersection;
typedef ARRAY(intersection) intersection_array;

/* Whether two triangles without a common vertex have a point in common; touching counts. Exact. */
int triangles_intersect(const ruga_vec3 a[3], const ruga_vec3 b[3]);

/* Pairs of triangles that have a point in common which is not one of their common vertices or on their common edge;
 * touching counts. A triangle without area is a segment or a point, and counts as such. Vertices with the same number
 * in `welds` (NULL: none; else (vertices) the lowest vertex at the same place) count as common while they have the same
 * position. Sorted; replaces the contents of the array. tree: a bvh over the triangles, fitted to the positions; NULL:
 * one is built. Coordinates that are not finite, or beyond 1e300, are an error that names the first. Bit-identical for
 * any number of threads. */
struct bvh;
ruga_status intersections_find(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions,
                               size_t triangle_count, const uint32_t *triangles, const uint32_t *welds,
                               const struct bvh *tree, intersection_array *out);

#endif
