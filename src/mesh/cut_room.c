/* Room for results of cuts: see cut_room.h. */
#include "mesh/cut_room.h"

#include "mesh/refine_free.h"

/* More room than was asked for, 1 / SPARE of it: results grow and shrink. */
#define SPARE 8

/* The result of a cut that cuts nothing. */
static ruga_status fill(const ruga_mesh *mesh, const topology *topo, cut_room *room) {
    ruga_mesh *copy = NULL;
    ruga_map *map = NULL;
    free_cut cut = {.topo = topo, .room = room};
    room->count = ROOM_ATTRIBUTES + 2 * mesh->attribute_count;
    TRY_OR(NEW_ZEROED(room->context, &room->arrays, room->count), room->count = 0);
    ruga_status status = NEW_ZEROED(room->context, &cut.edge_offsets, topo->edge_count + 1);
    if (!RUGA_FAILED(status))
        status = NEW_EACH_ZEROED(room->context, topo->triangle_count + 1, &cut.inner_offsets, &cut.child_offsets);
    if (!RUGA_FAILED(status)) {
        for (uint32_t t = 0; t < topo->triangle_count; t++) cut.child_offsets[t + 1] = t + 1;
        status = free_cut_apply(mesh, &cut, &copy, &map);
    }
    free_cut_release(room->context, &cut);
    if (!RUGA_FAILED(status)) cut_room_give_back(room, copy, map, NULL);
    return status;
}

ruga_status cut_room_make(const ruga_mesh *mesh, const topology *topo, cut_room *out) {
    *out = (cut_room){.context = mesh->context};
    ruga_status status = fill(mesh, topo, out);
    if (RUGA_FAILED(status)) cut_room_release(out);
    return status;
}

void cut_room_release(cut_room *room) {
    for (size_t i = 0; i < room->count; i++) memory_release(room->context, room->arrays[i].items);
    memory_release(room->context, room->arrays);
    *room = (cut_room){.context = room->context};
}

ruga_status cut_room_take(ruga_context *context, cut_room *room, size_t array, size_t size, size_t same, void **out,
                          size_t *kept) {
    *kept = 0;
    if (!room || array >= room->count) return NEW_SIZED(context, out, size, 1);
    cut_room_array *a = &room->arrays[array];
    if (a->is_lent) return NEW_SIZED(context, out, size, 1);
    if (size > a->size) {
        memory_release(context, a->items);
        *a = (cut_room_array){0};
        size_t wanted = size + size / SPARE;
        TRY(NEW_SIZED(context, &a->items, wanted, 1));
        a->size = wanted;
    }
    *kept = a->same < same ? a->same : same;
    a->same = same;
    a->is_lent = 1;
    *out = a->items;
    return RUGA_OK;
}

ruga_status cut_room_copy(ruga_context *context, cut_room *room, size_t array, size_t size, const void *from,
                          size_t same, void **out) {
    size_t kept;
    TRY(cut_room_take(context, room, array, size, same, out, &kept));
    if (same > kept) memcpy((unsigned char *)*out + kept, (const unsigned char *)from + kept, same - kept);
    return RUGA_OK;
}

void cut_room_forget(cut_room *room) {
    for (size_t i = 0; room && i < room->count; i++)
        if (room->arrays[i].is_lent) room->arrays[i] = (cut_room_array){0};
}

/* ---- Giving back. */

/* NULL if the array was lent, so that the rest can be destroyed. */
static void *take_back(cut_room *room, size_t array, const void *items) {
    cut_room_array *a = array < room->count ? &room->arrays[array] : NULL;
    if (!a || !a->is_lent || a->items != items) return (void *)(uintptr_t)items;
    a->is_lent = 0;
    return NULL;
}

static void take_mesh_back(cut_room *room, ruga_mesh *mesh) {
    const uint32_t *faces = mesh->face_vertices;
    mesh->positions = take_back(room, ROOM_POSITIONS, mesh->positions);
    mesh->face_vertices = take_back(room, ROOM_TRIANGLES, faces);
    if (mesh->triangles == faces) mesh->triangles = mesh->face_vertices;
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        ruga_attribute *a = (ruga_attribute *)(uintptr_t)&mesh->attributes[i];
        a->values = take_back(room, ROOM_ATTRIBUTES + 2 * i, a->values);
        a->indices = take_back(room, ROOM_ATTRIBUTES + 2 * i + 1, a->indices);
    }
}

void cut_room_give_back(cut_room *room, ruga_mesh *mesh, ruga_map *map, ruga_vec3 *normals) {
    if (mesh) take_mesh_back(room, mesh);
    if (map) {
        map->offsets = take_back(room, ROOM_MAP_OFFSETS, map->offsets);
        map->indices = take_back(room, ROOM_MAP_INDICES, map->indices);
        map->weights = take_back(room, ROOM_MAP_WEIGHTS, map->weights);
    }
    memory_release(room->context, take_back(room, ROOM_NORMALS, normals));
    ruga_mesh_destroy(mesh);
    ruga_map_destroy(map);
}
