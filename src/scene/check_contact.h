/* What can be found wrong with the contact of a description: parts of ruga_description_check. Each adds findings, and fails only
 * for what no description can help. */
#ifndef SCENE_CHECK_CONTACT_H
#define SCENE_CHECK_CONTACT_H

#include "scene/description.h"

/* An object on its mesh at rest: a thickness of nothing, or above the shortest edge. */
ruga_status check_touch(ruga_description *d, const ruga_object_def *object, const ruga_mesh *mesh);
/* Excluded objects that are not there, contact of nothing; of a scene without errors what intersects before its first frame. */
ruga_status check_contact(ruga_description *d);

#endif
