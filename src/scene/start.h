/* Where an object is when the scene begins: at rest, or as a run or a cache left it. */
#ifndef SCENE_START_H
#define SCENE_START_H

#include "body/kind.h"
#include "scene/tables.h"

extern const ruga_section *const start_sections[]; /* a list of one */

/* Puts the body that was just made where the object's `start` says; only a body that has dynamics can start there. */
ruga_status start_place(build *b, int has_dynamics);

#endif
