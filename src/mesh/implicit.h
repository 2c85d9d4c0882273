/* A closed surface from a function: where it is zero. For shapes that are the same to the left and the right of x = 0. */
#ifndef MESH_IMPLICIT_H
#define MESH_IMPLICIT_H

#include "mesh/mesh.h"

/* About the distance from the surface, negative inside; f(-x, y, z) = f(x, y, z). */
typedef double implicit_function(ruga_vec3 point);

typedef struct implicit_def {
    implicit_function *function;
    ruga_vec3 low, high; /* m, a box around the half with x >= 0; low.x is not used: it is 0 */
    double cell;         /* m, about the length of an edge; thin places need two of them */
    int rounds;          /* of smoothing along the surface, which evens out the triangles */
    int soften;          /* rounds of smoothing after that which take away what is finer than the triangles can show */
    double slope; /* 1, a bound of the function's: far from the surface not every place is looked at; 0: not known */
} implicit_def;

/* Fills positions and triangles of parts, without UVs. Exactly symmetric: vertex and triangle for vertex and triangle. Closed and
 * manifold wherever a cell does not see two sheets of the surface at once. */
ruga_status implicit_mesh(ruga_context *context, const implicit_def *def, mesh_parts *parts);

#endif
