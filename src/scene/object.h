/* From an object's def to its mesh. Messages say what is wrong; the build says which object they are about. */
#ifndef SCENE_OBJECT_H
#define SCENE_OBJECT_H

#include "body/kind.h"

/* A rest mesh, owned or not. */
typedef struct object_mesh {
    const ruga_mesh *mesh;
    ruga_mesh *made; /* NULL when the mesh is the caller's */
} object_mesh;

/* As read, made or given; not placed yet. Sets the build's file and model. */
ruga_status object_mesh_load(build *b, object_mesh *out);
/* Turns, scales and moves it; a mesh of the caller's is copied first. On failure the mesh is as it was. */
ruga_status object_mesh_place(const ruga_object_def *object, object_mesh *mesh);
ruga_status object_mesh_copy(const ruga_mesh *mesh, ruga_mesh **out);
/* turn, scale and move as y = A x + b; and whether they change anything. */
body_transform object_transform(const ruga_object_def *object);
int object_is_placed(const ruga_object_def *object);
/* Where the vertices of b->mesh were before the object was placed: curves of files are drawn there. */
ruga_status object_undo_placement(const build *b, ruga_vec3 **out);

/* Fails unless a motion moves as many points as the mesh has vertices. */
ruga_status object_motion_fits(ruga_context *context, const ruga_motion *motion, const ruga_mesh *mesh);
/* A motion of W times the points of another. Takes over the map, and the motion if `own`; also when it fails. */
ruga_status motion_carry(ruga_motion *inner, int own, ruga_map *map, ruga_motion **out);

/* Names that objects can have: they become names of files. NULL, or what is wrong with it. */
const char *object_name_problem(const char *name);
/* Whether files of two objects would have the same name: one name for both, or one like the other's numbered frames. */
int object_names_clash(const char *a, const char *b);
/* The number of the object of that name; purpose: "to follow". RUGA_ERROR_INPUT, with the nearest name, if there is
 * none. */
ruga_status object_find(ruga_context *context, const ruga_scene_def *scene, const char *name, const char *purpose,
                        size_t *out);
/* The same of one that has to stand before object number `own`. */
ruga_status object_before(ruga_context *context, const ruga_scene_def *scene, size_t own, const char *name,
                          size_t *out);

#endif
