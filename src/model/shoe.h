/* The shoe: a derby for the left foot.
 *
 * Its shape has a fixed scale, metres of a shoe 0.288 m long, and is straight: symmetric about x = 0. It stands on y =
 * 0, its toes towards +z. The model bends it to the foot and scales it to the requested length. */
#ifndef MODEL_SHOE_H
#define MODEL_SHOE_H

#include "model/model.h"

enum { SHOE_LENGTH, SHOE_CELLS }; /* the model's values */

/* Approximate distance from the surface, negative inside: shoe_shape.c. */
double shoe_distance(ruga_vec3 point);

#endif
