/* Finds vertices with the same coordinates. */
#ifndef MESH_PLACES_H
#define MESH_PLACES_H

#include "base/memory.h"
#include "ruga/mesh.h"

/* lowest: (count) receives for each point the lowest number of a point with the same coordinates; its own if there is
 * no other or the point is not finite. */
ruga_status places_find(ruga_context *context, size_t count, const ruga_vec3 *positions, uint32_t *lowest);

#endif
