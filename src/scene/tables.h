/* The tables of the scene: one section per thing that a user can set. */
#ifndef SCENE_TABLES_H
#define SCENE_TABLES_H

#include "ruga/scene.h"

extern const ruga_section scene_section; /* the root: ruga_scene_def */

/* Kinds, for those who make them. */
extern const ruga_section mesh_file_section;
extern const ruga_section edit_subdivide_section, edit_sculpt_section;
extern const ruga_section body_static_section, body_animated_section, body_rigid_section, body_cloth_section;
extern const ruga_section pin_fixed_section, pin_path_section, pin_follow_section;
extern const ruga_section hook_collide_section;
extern const ruga_section detail_subdivide_section, detail_displace_section, detail_jiggle_section,
    detail_spline_section, detail_wrinkle_section, detail_sculpt_section;
extern const ruga_section curve_named_section, curve_drawn_section, curve_placed_section;
/* Of contact: the scene's, an object's; each a list of one. */
extern const ruga_section *const contact_sections[], *const object_contact_sections[];
extern const ruga_section plane_section, sphere_section, capsule_section, box_section;

/* A material with every number filled in: by name from a scene's materials, else from the presets, `like` followed.
 * Fails with RUGA_ERROR_INPUT for an unknown name (with the nearest) and for a cycle (which it tells). */
ruga_status material_resolve(ruga_context *context, const ruga_scene_def *def, const char *name,
                             ruga_material_def *out);

#endif
