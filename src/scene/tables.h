/* The tables of the scene: one section per thing that a user can set. */
#ifndef SCENE_TABLES_H
#define SCENE_TABLES_H

#include "ruga/scene.h"

extern const ruga_section scene_section; /* the root: ruga_scene_def */

/* Kinds of meshes, curves and colliders; those of edits, bodies and parts are in scene/kinds.h. */
extern const ruga_section mesh_file_section;
extern const ruga_section curve_named_section, curve_drawn_section, curve_placed_section, curve_textured_section;
/* Of contact: the scene's, an object's; each a list of one. */
extern const ruga_section *const contact_sections[], *const object_contact_sections[];
extern const ruga_section plane_section, sphere_section, capsule_section, box_section;

#endif
