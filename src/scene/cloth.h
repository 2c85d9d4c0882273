/* From an object's cloth and pins to their defs: what making a scene and checking a description share. Messages say what is
 * wrong; the caller says whose it is. */
#ifndef SCENE_CLOTH_H
#define SCENE_CLOTH_H

#include "base/memory.h"
#include "body/cloth.h"
#include "ruga/scene.h"

/* All but pins and changes, on the mesh at rest. The material is the object's, or cotton. */
ruga_status cloth_def_from(const ruga_scene_def *scene, const ruga_object_def *object, const ruga_cloth_def *values,
                           const ruga_mesh *mesh, cloth_def *out);

/* Stiffness and mass over time, in the arena. */
ruga_status cloth_take_changes(arena *memory, const ruga_cloth_def *values, cloth_def *out);

/* What every kind of pin begins with. */
const ruga_pin_choice *pin_choice(const void *values);
/* The vertices that a pin chooses, in their order, in the arena. RUGA_ERROR_INPUT when there are none, or none of a number. */
ruga_status pin_choose(arena *memory, const ruga_pin_choice *choice, const ruga_mesh *mesh, cloth_pin_def *out);
/* The keys of a path, in the arena. */
ruga_status pin_path(arena *memory, const ruga_pin_path_def *values, cloth_pin_def *out);
/* The place of the object that pins of object number `own` follow; it has to be before that one. */
ruga_status pin_leader(ruga_context *context, const ruga_scene_def *scene, size_t own, const char *name, size_t *out);

#endif
