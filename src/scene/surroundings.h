/* Colliders and wind from their defs: what making a scene, changing it and checking a description share. */
#ifndef SCENE_SURROUNDINGS_H
#define SCENE_SURROUNDINGS_H

#include "base/memory.h"
#include "body/environment.h"
#include "ruga/scene.h"

/* Number i of a scene's colliders. RUGA_ERROR_INPUT when it is a plane without a direction. */
ruga_status collider_make(arena *memory, const ruga_variant *variant, size_t i, collider *out);
wind wind_make(const ruga_wind_def *def);

#endif
