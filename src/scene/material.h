/* The materials of a scene: its own, then the presets, each with every number filled in. Numbers that one leaves open
 * come from the one it is like. All of them are resolved at once, in a time that grows with their number alone. */
#ifndef SCENE_MATERIAL_H
#define SCENE_MATERIAL_H

#include "base/memory.h"
#include "ruga/scene.h"

typedef struct material_entry material_entry;

typedef struct material_table {
    ruga_context *context;
    size_t count;
    material_entry *entries; /* (count) in the order of the scene */
    uint32_t *order;         /* (count) by name */
} material_table;

ruga_status material_table_make(arena *memory, const ruga_scene_def *def, material_table *out);

#define MATERIAL_NONE ((size_t)-1)
/* The number of the first of the scene's own materials with that name, or MATERIAL_NONE. */
size_t material_find(const material_table *t, const char *name);
/* By name, with every number. RUGA_ERROR_INPUT for an unknown name (the message has the nearest), for a circle (the
 * message shows it) and for a number that is missing. */
ruga_status material_get(const material_table *t, const char *name, ruga_material_def *out);
/* Whether the error of entry i is that of another: one that is like an unknown name, or the first of a circle. */
int material_is_reported_elsewhere(const material_table *t, size_t i);

#endif
