/* Ruga: finds intersecting triangles, exactly.
 *
 * Two triangles intersect when they have a point in common that is not one of their common vertices or on their common
 * edge. Touching counts, a triangle without area counts as a segment or a point, and neighbours folded flat onto each
 * other count. Results are those of exact arithmetic, for any position and scale.
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

/* A mesh that is tested against itself and against the others. */
typedef struct ruga_intersection_mesh {
    const ruga_mesh *mesh; /* must outlive the finder */
    const char *name;      /* for messages, copied; NULL: "mesh 0" and so on */
} ruga_intersection_mesh;

typedef struct ruga_intersection_finder_def {
    uint32_t cookie;
    size_t mesh_count;
    const ruga_intersection_mesh *meshes; /* (mesh_count), copied */
    /* 1 (default): vertices of one mesh with the same position at rest count as one vertex while they stay together,
     * since files without corners split vertices at seams. 0: such vertices touch, and so do their triangles. */
    int weld;
} ruga_intersection_finder_def;

RUGA_API ruga_intersection_finder_def ruga_intersection_finder_def_default(void);

typedef struct ruga_intersection_finder ruga_intersection_finder;

/* Fails with RUGA_ERROR_INPUT when there are 2^31 triangles or more, or 2^32 vertices, in all. */
RUGA_API ruga_status ruga_intersection_finder_create(ruga_context *context, const ruga_intersection_finder_def *def,
                                                     ruga_intersection_finder **out);
RUGA_API void ruga_intersection_finder_destroy(ruga_intersection_finder *finder); /* NULL is fine */

typedef struct ruga_intersection {
    size_t meshes[2];      /* indices into the def's meshes */
    uint32_t triangles[2]; /* of these meshes; (mesh, triangle) of the first is the lower one */
    uint32_t faces[2];     /* of these triangles */
    ruga_vec3 point;       /* m, approximate */
} ruga_intersection;

typedef struct ruga_intersections {
    size_t count;
    const ruga_intersection *items; /* (count) by mesh and triangle of the first, then of the second */
} ruga_intersections;

/* positions: (mesh_count), each (vertex_count) in m, or NULL for a mesh at rest; NULL: all at rest. The result belongs
 * to the finder and is valid until the next call. Fails with RUGA_ERROR_INPUT for a vertex that is not finite or beyond
 * 1e300; the message names it. The result does not depend on the number of threads. */
RUGA_API ruga_status ruga_intersection_finder_find(ruga_intersection_finder *finder, const ruga_vec3 *const *positions,
                                                   ruga_intersections *found);

#ifdef __cplusplus
}
#endif
#endif
