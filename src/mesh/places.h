/* Vertices that are at the same place. */
#ifndef MESH_PLACES_H
#define MESH_PLACES_H

#include "base/memory.h"
#include "ruga/mesh.h"

/* lowest: (count) receives for each point the lowest one with the same coordinates: itself, if it is alone or not finite. */
ruga_status places_find(ruga_context *context, size_t count, const ruga_vec3 *positions, uint32_t *lowest);

#endif
