/* The bust: a head with a face, a neck and a bit of the shoulders.
 *
 * Its shape has one scale: metres of a grown-up, the chin at y = 0, the ears about z = 0, the face to +z, the left ear at +x. The
 * model puts it on y = 0 and scales it to the height that is asked for. */
#ifndef MESH_BUST_H
#define MESH_BUST_H

#include "mesh/model.h"

#define BUST_BASE (-0.145) /* m, where it stands */

enum { BUST_HEIGHT, BUST_CELLS }; /* the model's values */

/* About the distance from the surface, negative inside: bust_shape.c. */
double bust_distance(ruga_vec3 point);

#endif
