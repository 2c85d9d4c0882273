/* A moment of a mesh, smoothed for a picture: Loop's subdivision (Loop 1987) with hard edges (Hoppe et al. 1994).
 *
 * Edges that hard_edges finds on the rest mesh, boundaries, and edges with more than two triangles become cubic
 * B-splines; a vertex where such lines turn sharply or meet keeps its place. Rest positions and values of vertices are
 * interpolated linearly. */
#ifndef GEOM_LOOP_SMOOTH_H
#define GEOM_LOOP_SMOOTH_H

#include "base/context.h"
#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct loop_smooth {
    size_t vertex_count, triangle_count;
    uint32_t *triangles;  /* (triangle_count x 3); those of triangle t of the mesh are 4^rounds t and following */
    ruga_vec3 *positions; /* (vertex_count) m; those of the mesh come first, moved */
    ruga_vec3 *rest;      /* (vertex_count) m */
    double *values;       /* (vertex_count), or NULL */
    struct bvh *tree;     /* over the triangles; NULL until a search for intersections makes it */
} loop_smooth;

/* positions: (vertices of the mesh) m. values: (vertices), or NULL. angle: degrees between triangles at rest; edges of
 * sharper ones are hard, unless normals decide. Leaves *out empty for a surface that can't be smoothed: without
 * triangles, with one that names a vertex twice, or with places that are not finite. */
ruga_status loop_smooth_make(const ruga_mesh *mesh, const ruga_vec3 *positions, const double *values, double angle,
                             int rounds, loop_smooth *out) FOR_RENDER(loop_smooth_make);
/* Whether the smoothed surface intersects itself. */
ruga_status loop_smooth_intersects(ruga_context *context, loop_smooth *smooth, int *out)
    FOR_RENDER(loop_smooth_intersects);
/* Whether it intersects other triangles; touching counts, and those that are not finite do not. */
ruga_status loop_smooth_meets(ruga_context *context, loop_smooth *smooth, const ruga_vec3 *positions,
                              const uint32_t *triangles, size_t triangle_count, int *out) FOR_RENDER(loop_smooth_meets);
void loop_smooth_release(ruga_context *context, loop_smooth *smooth) FOR_RENDER(loop_smooth_release);

#endif
