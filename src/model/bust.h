/* The bust: a head with a face, a neck and part of the shoulders.
 *
 * Its shape has a fixed scale: metres of an adult, the chin at y = 0, the ears about z = 0, the face towards +z, the
 * left ear at +x. The model moves it to y = 0 and scales it to the requested height. */
#ifndef MODEL_BUST_H
#define MODEL_BUST_H

#include "model/model.h"

#define BUST_BASE (-0.145) /* m, height of its base */
#define BUST_TALL 0.371    /* m, from the base to the top of the head */

enum { BUST_HEIGHT, BUST_CELLS }; /* the model's values */

/* Approximate distance from the surface, negative inside: bust_shape.c. */
double bust_distance(ruga_vec3 point);
/* The same of the bone in it. The flesh around it is about 12 mm thick at the forehead, more in the cheeks, the lips,
 * the nose and around the eyes, and nowhere thinner than SKULL_LEAST_DEPTH. */
#define SKULL_LEAST_DEPTH 0.009 /* m */
double skull_distance(ruga_vec3 point);

#endif
