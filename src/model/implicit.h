/* A closed surface from a function: where it is zero. For shapes that are symmetric about x = 0. */
#ifndef MODEL_IMPLICIT_H
#define MODEL_IMPLICIT_H

#include "mesh/mesh.h"

/* Approximate distance from the surface, negative inside; f(-x, y, z) = f(x, y, z). */
typedef double implicit_function(ruga_vec3 point);

typedef struct implicit_def {
    implicit_function *function;
    ruga_vec3 low, high; /* m, a box around the half with x >= 0; low.x is ignored */
    double cell;         /* m, approximate length of an edge; thin places need two cells */
    int rounds;          /* of smoothing along the surface, for regular triangles */
    int soften;          /* rounds of smoothing after that, which remove detail finer than the triangles */
    double slope;        /* 1, a bound of the function's slope, to skip samples far from the surface; 0: unknown */
} implicit_def;

/* Fills positions and triangles of parts, without UVs. Exactly symmetric, vertex by vertex and triangle by triangle.
 * Closed and manifold wherever no cell contains two sheets of the surface. */
ruga_status implicit_mesh(ruga_context *context, const implicit_def *def, mesh_parts *parts);

#endif
