/* Ruga: subdivision. The original vertices come first, in their order (Loop moves them); new ones follow. */
#ifndef RUGA_SUBDIVIDE_H
#define RUGA_SUBDIVIDE_H

#include "ruga/map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ruga_subdivision {
    RUGA_SUBDIVIDE_REGULAR = 0,   /* each edge into n, each triangle into n²; does not move the surface */
    RUGA_SUBDIVIDE_LOOP = 1,      /* n rounds of Loop's scheme, boundaries as cubic B-splines */
    RUGA_SUBDIVIDE_LONG_EDGES = 2 /* splits long edges at their middle until none is longer than `length` */
} ruga_subdivision;

typedef struct ruga_subdivide_def {
    uint32_t cookie;
    ruga_subdivision kind;
    int n;         /* REGULAR: parts of an edge, 1…256; LOOP: rounds, 0…8. Default 2 */
    double length; /* LONG_EDGES: m, > 0 */
} ruga_subdivide_def;

RUGA_API ruga_subdivide_def ruga_subdivide_def_default(void);

/* Every face of the result is a triangle. Attributes of vertices and corners are interpolated linearly and keep their
 * seams; integers that are not normalised come from the nearest point, unit normals stay unit. Pieces of faces and
 * edges get the values of the face or edge they come from. Explicit edges and lines run through the new points of the
 * edges they follow.
 * `map` (may be NULL) receives W with fine positions = W coarse positions, bit-identical.
 * Fails with RUGA_ERROR_INPUT for a mesh that can't be subdivided (tets; Loop: non-manifold edges; long edges: points
 * that are not finite), and with RUGA_ERROR_ARGUMENT for a wrong n or length, or for a result of 2³² corners or
 * more. */
RUGA_API ruga_status ruga_mesh_subdivide(const ruga_mesh *mesh, const ruga_subdivide_def *def, ruga_mesh **out,
                                         ruga_map **map);

#ifdef __cplusplus
}
#endif
#endif
