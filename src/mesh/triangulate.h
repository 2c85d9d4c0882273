/* Triangulation of polygons. */
#ifndef MESH_TRIANGULATE_H
#define MESH_TRIANGULATE_H

#include "base/memory.h"
#include "ruga/mesh.h"

/* Scratch memory for one polygon after the other; zero-initialise. */
typedef struct triangulator {
    ruga_context *context;
    void *memory;
    size_t capacity; /* corners */
} triangulator;

void triangulator_release(triangulator *t);

/* Cuts the polygon of `count` >= 3 vertices into exactly count - 2 triangles of the polygon's orientation; `out`
 * receives (count - 2) x 3 numbers within [0, count). A polygon that crosses itself or has no area is triangulated as
 * well. */
ruga_status triangulate(triangulator *t, const ruga_vec3 *positions, const uint32_t *polygon, size_t count,
                        uint32_t *out);

#endif
