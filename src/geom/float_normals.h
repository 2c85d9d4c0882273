/* Vertex normals of a triangle mesh in float, four numbers per point, frame after frame.
 *
 * Each vertex gathers from the triangles around it, eight vertices at a time. No two write to the same place, so the
 * result is bit-identical for any number of threads and for every instruction set. */
#ifndef GEOM_FLOAT_NORMALS_H
#define GEOM_FLOAT_NORMALS_H

#include "base/memory.h"

typedef enum normal_weight {
    NORMALS_BY_AREA, /* the fastest: for fine meshes with similar triangles */
    NORMALS_BY_ANGLE /* as ruga_mesh_normals: does not depend on the triangulation of the surface */
} normal_weight;

typedef struct float_normals float_normals;
/* Does not refer to the triangles afterwards. Vertices may be in any order, and some may be in no triangle. */
ruga_status float_normals_create(ruga_context *context, size_t vertex_count, size_t triangle_count,
                                 const uint32_t *triangles, normal_weight weight, float_normals **out);
void float_normals_destroy(float_normals *n); /* NULL is fine */

/* points, normals: (vertices x 4). Unit normals, zero where there is none; their fourth number becomes 0. The fourth
 * number of the points is ignored. Allocates nothing. */
void float_normals_apply(const float_normals *n, const float *points, float *normals);

#endif
