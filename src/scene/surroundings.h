/* Colliders and wind from their defs. */
#ifndef SCENE_SURROUNDINGS_H
#define SCENE_SURROUNDINGS_H

#include "body/kind.h"

/* Reports a plane without a direction. */
ruga_status collider_make(build *b, const ruga_variant *variant, const void *values, collider *out);
wind wind_make(const ruga_wind_def *def);

#endif
