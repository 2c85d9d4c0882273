/* Meshes and maps in saved states, with everything that makes them what they are. */
#ifndef SYSTEM_MESH_STATE_H
#define SYSTEM_MESH_STATE_H

#include "base/state.h"
#include "ruga/map.h"

void mesh_save(const ruga_mesh *mesh, state_writer *writer);
/* Of the next entry, which the reader moves behind; RUGA_ERROR_INPUT when it is damaged. */
ruga_status mesh_load(state_reader *reader, ruga_mesh **out);

void map_save(const ruga_map *map, state_writer *writer);
ruga_status map_load(state_reader *reader, ruga_map **out);

#endif
