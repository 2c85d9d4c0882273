/* From the rows of contact to its def, and to how bodies are seen: what making a scene and checking a description share. */
#ifndef SCENE_CONTACT_H
#define SCENE_CONTACT_H

#include "base/memory.h"
#include "body/body.h"
#include "contact/solver.h"
#include "ruga/scene.h"

/* How contact sees an object whose body was made with `touch`. */
ruga_status touch_from(ruga_context *context, const ruga_scene_def *scene, const ruga_object_def *object,
                       body_touch *touch);

/* All but the colliders; exclusions in the arena, without those of objects that do not collide at all. RUGA_ERROR_INPUT for
 * a name that no object has. */
ruga_status contact_def_from(arena *memory, const ruga_scene_def *scene, contact_def *out);

/* RUGA_ERROR_INPUT, with the nearest name, unless an object is called so. */
ruga_status exclusion_check(ruga_context *context, const ruga_scene_def *scene, const char *name);

#endif
