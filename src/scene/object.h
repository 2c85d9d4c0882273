/* From an object's def to its mesh and its motion: what making a scene and checking a description share. Messages say what
 * is wrong; the caller says whose it is. */
#ifndef SCENE_OBJECT_H
#define SCENE_OBJECT_H

#include "base/memory.h"
#include "body/bodies.h"
#include "ruga/scene.h"
#include "wrinkle/spline_detail.h"

/* The values of a variant: its own, or its section's defaults, in the arena, when it has none. NULL: no memory. */
const void *variant_values(arena *memory, const ruga_variant *variant);

/* A rest mesh, whoever owns it. */
typedef struct object_mesh {
    const ruga_mesh *mesh;
    ruga_mesh *made; /* NULL when the mesh is the caller's */
} object_mesh;

/* As read, made or given; not moved yet. */
ruga_status object_mesh_load(ruga_context *context, arena *memory, const ruga_object_def *object, object_mesh *out);
/* Turns, scales and moves it; a mesh of the caller's is copied first. On failure the mesh is as it was. */
ruga_status object_mesh_place(const ruga_object_def *object, object_mesh *mesh);
ruga_status object_mesh_copy(const ruga_mesh *mesh, ruga_mesh **out);
/* The finer mesh of an object that is in its place, and the map to it, NULL: not asked for. */
ruga_status edit_apply(arena *memory, const ruga_object_def *object, const ruga_mesh *mesh, const ruga_variant *edit,
                       ruga_mesh **out, ruga_map **map);
/* The def of subdividing that a section's values say. */
ruga_subdivide_def subdivide_def_from(const ruga_subdivide_edit_def *values);
/* The same of splines, with the amplitude left to be loaded. */
spline_detail_def spline_def_from(const ruga_spline_def *values);

/* Unit, axis and choice of a mesh out of several, as those of the object's own file where it has one. */
ruga_status object_file_def(ruga_context *context, arena *memory, const ruga_object_def *object, ruga_file_def *out);

/* The motion of an animated object's mesh, before it is placed and edited: its file's, or that in the mesh's own file. */
ruga_status object_motion_read(ruga_context *context, arena *memory, const ruga_object_def *object, double fps,
                               const ruga_mesh *mesh, ruga_motion **out);
/* Of one that is given: fails unless it moves as many points as the mesh has vertices. */
ruga_status object_motion_fits(ruga_context *context, const ruga_motion *motion, const ruga_mesh *mesh);
/* turn, scale and move as y = A x + b; whether that is no change at all. */
body_transform object_transform(const ruga_object_def *object);
int object_is_placed(const ruga_object_def *object);

/* A motion of W times the points of another. Takes over the map, and the motion if `own`; also when it fails. */
ruga_status motion_carry(ruga_motion *inner, int own, ruga_map *map, ruga_motion **out);

/* Names that objects can have: they become names of files. NULL, or what is wrong with it. */
const char *object_name_problem(const char *name);
/* Whether files of two objects would be called alike: one name for both, or one like the other's numbered frames. */
int object_names_clash(const char *a, const char *b);

/* Reads the files that a parameter names, for a mesh with so many vertices; the rest is copied as it is. All in the arena. */
ruga_status param_load(arena *memory, const ruga_param *param, size_t vertex_count, ruga_param *out);
/* Gives it the limits and the unit that its row in the table has, where it has none of its own. */
void param_limit(const ruga_field *field, ruga_param *param);
/* Whether it says nothing: it may be absent, and is. */
int param_is_absent(const ruga_param *param);

#endif
