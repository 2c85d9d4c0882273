/* Ruga: which triangles of meshes intersect, counted exactly.
 *
 * Two triangles intersect when they have a point in common that is not one of their common vertices or on their common
 * edge. Touching counts, a triangle without area counts as the segment or the point that it is, and neighbours that are
 * folded flat onto each other count. Every answer is that of exact arithmetic, whatever the position and the scale.
 *
 *     ruga_intersection_finder_def def = ruga_intersection_finder_def_default();
 *     ruga_intersection_mesh shirt = {mesh, "shirt"};
 *     def.mesh_count = 1, def.meshes = &shirt;
 *     ruga_intersection_finder_create(context, &def, &finder);
 *     for each frame: ruga_intersection_finder_find(finder, &positions, &found);
 */
#ifndef RUGA_INTERSECTIONS_H
#define RUGA_INTERSECTIONS_H

#include "ruga/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh that is looked at against itself and against the others. */
typedef struct ruga_intersection_mesh {
    const ruga_mesh *mesh; /* must outlive the finder */
    const char *name;      /* for messages, copied; NULL: its number */
} ruga_intersection_mesh;

typedef struct ruga_intersection_finder_def {
    uint32_t cookie;
    size_t mesh_count;
    const ruga_intersection_mesh *meshes; /* (mesh_count), copied */
    /* Vertices of one mesh at the same place at rest are one vertex, as long as they stay together: files that know no
     * corners split vertices at seams. Default 1; 0: two vertices at one place touch, and so do their triangles. */
    int weld;
} ruga_intersection_finder_def;

RUGA_API ruga_intersection_finder_def ruga_intersection_finder_def_default(void);

typedef struct ruga_intersection_finder ruga_intersection_finder;

/* Fails with RUGA_ERROR_INPUT when there are 2^31 triangles or more, or 2^32 vertices, in all. */
RUGA_API ruga_status ruga_intersection_finder_create(ruga_context *context, const ruga_intersection_finder_def *def,
                                                     ruga_intersection_finder **out);
RUGA_API void ruga_intersection_finder_destroy(ruga_intersection_finder *finder); /* NULL is fine */

typedef struct ruga_intersection {
    size_t meshes[2];      /* which of the def's */
    uint32_t triangles[2]; /* of these meshes; the first pair of numbers is the lower one */
    uint32_t faces[2];     /* the faces that the triangles are of */
    ruga_vec3 point;       /* m, about where */
} ruga_intersection;

typedef struct ruga_intersections {
    size_t count;
    const ruga_intersection *items; /* (count) by mesh and triangle of the first, then of the second */
} ruga_intersections;

/* positions: NULL for all meshes at rest, or (mesh_count): (vertex_count) m, or NULL for a mesh at rest. What is found
 * belongs to the finder and stays until it is asked again. Fails with RUGA_ERROR_INPUT for a vertex that is not finite or
 * beyond 1e300, which the message names. The answer does not depend on the number of threads. */
RUGA_API ruga_status ruga_intersection_finder_find(ruga_intersection_finder *finder, const ruga_vec3 *const *positions,
                                                   ruga_intersections *found);

#ifdef __cplusplus
}
#endif
#endif
