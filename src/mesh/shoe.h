/* The shoe: a derby for the left foot.
 *
 * Its shape has one scale, metres of a shoe 0.288 m long, and is straight: the same to the left and the right of x = 0. It stands on
 * y = 0, its toes to +z. The model bends it to the foot and scales it to the length that is asked for. */
#ifndef MESH_SHOE_H
#define MESH_SHOE_H

#include "mesh/model.h"

enum { SHOE_LENGTH, SHOE_CELLS }; /* the model's values */

/* About the distance from the surface, negative inside: shoe_shape.c. */
double shoe_distance(ruga_vec3 point);

#endif
