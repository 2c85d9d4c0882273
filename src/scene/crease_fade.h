/* The attribute "off_creases": how far vertices are from creases and borders, for details on top of creased cloth. */
#ifndef SCENE_CREASE_FADE_H
#define SCENE_CREASE_FADE_H

#include "geom/curve_cut.h"

/* Adds it to the cut mesh: 0 at creases and borders, rising linearly with the distance over the mesh to 1 at `fade`, m.
 * A failure does not change the mesh. */
ruga_status crease_add_fade(curve_cut *cut, double fade);

#endif
