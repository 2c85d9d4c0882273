/* Room for results of cuts of one mesh, one after the other (refine_free.h).
 *
 * Most of a result are copies of the mesh's own arrays: all its vertices come first, and so do the triangles before the
 * first one that is cut. When a result is given back, these beginnings stay in the room, and the next result copies
 * only what follows. */
#ifndef MESH_CUT_ROOM_H
#define MESH_CUT_ROOM_H

#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "ruga/map.h"

/* The arrays of a result. */
enum {
    ROOM_POSITIONS,
    ROOM_TRIANGLES,
    ROOM_MAP_OFFSETS,
    ROOM_MAP_INDICES,
    ROOM_MAP_WEIGHTS,
    ROOM_NORMALS,   /* not of the mesh: for its owner */
    ROOM_ATTRIBUTES /* then two for each attribute: values, indices */
};
#define NO_ROOM SIZE_MAX /* no array of a room */

typedef struct cut_room_array {
    void *items;
    size_t size; /* bytes */
    size_t same; /* bytes at the beginning that are as in the mesh */
    int is_lent; /* to a result */
} cut_room_array;

typedef struct cut_room {
    ruga_context *context;
    size_t count;
    cut_room_array *arrays; /* (count) */
} cut_room;

/* Fills the room with a copy of the mesh. topo: of the mesh. */
ruga_status cut_room_make(const ruga_mesh *mesh, const topology *topo, cut_room *out);
void cut_room_release(cut_room *room);

/* An array of `size` bytes. The caller makes its first `same` bytes those of the mesh; *kept of them are already.
 * room: NULL: new memory. */
ruga_status cut_room_take(ruga_context *context, cut_room *room, size_t array, size_t size, size_t same, void **out,
                          size_t *kept);
/* The same with the beginning copied. */
ruga_status cut_room_copy(ruga_context *context, cut_room *room, size_t array, size_t size, const void *from,
                          size_t same, void **out);
/* After a failure: the arrays of the unfinished result were released. */
void cut_room_forget(cut_room *room);

/* Takes the arrays back from a result, and destroys the rest. Old vertices must be as in the mesh again. normals: taken
 * by the owner, may be NULL. */
void cut_room_give_back(cut_room *room, ruga_mesh *mesh, ruga_map *map, ruga_vec3 *normals);

#endif
