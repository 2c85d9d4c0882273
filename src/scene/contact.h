/* The objects that rows of contact refer to, and how bodies touch. */
#ifndef SCENE_CONTACT_H
#define SCENE_CONTACT_H

#include "body/kind.h"
#include "contact/solver.h"

/* How contact sees a body: what the object says, else the material (NULL: none), else what the body was made with. */
void touch_set(const ruga_object_def *object, const ruga_material_def *material, body_touch *touch);

/* The vertices of a mesh that collide, by the object's contact.where, in the arena; NULL: all do. A report if none
 * does. */
ruga_status touch_mask(build *b, const ruga_mesh *mesh, const unsigned char **out);

/* The same mask for points that are simulated in place of the mesh's vertices, together with the mask that they have. A
 * point of a vertex that does not collide does not either. */
ruga_status touch_mask_simulated(build *b, const ruga_mesh *mesh, const unsigned char *mask, body_simulated *simulated);

/* A mask of vertices for those of another mesh: one collides if all vertices that it is made of do. */
ruga_status touch_mask_carry(build *b, const ruga_map *vertices, const unsigned char **mask);

/* The exclusions of a scene, in the arena, without those of objects that do not collide at all. Reports names that no
 * object has. */
ruga_status contact_find_exclusions(build *b, contact_def *out);

#endif
