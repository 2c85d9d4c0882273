/* Building a scene from its def, once: meshes, motions, bodies, parts, contact. Errors are collected as findings of a
 * description, or the first one ends the build.
 *
 *     build.c           the scene: surroundings, objects, contact, measures
 *     build_object.c    one object: mesh, motion, edits, body, parts
 *     check.c           findings that need no mesh, and warnings about what was built
 */
#ifndef SCENE_BUILD_H
#define SCENE_BUILD_H

#include "body/kind.h"
#include "scene/description.h"
#include "scene/kinds.h"
#include "scene/material.h"
#include "scene/scene.h"

enum { ROLE_COUNT = 4 };

typedef struct builder {
    build base; /* what makers see */
    ruga_scene *made;
    ruga_description *findings;    /* NULL: the first error ends the build */
    const kind *const *more_kinds; /* beside scene_kinds; NULL-terminated, or NULL */
    const kind *kind;              /* in the making */
    size_t index;                  /* of the object in the making */
    size_t *world_objects;         /* (objects) their numbers in the world; NOT_MADE: the object could not be made */
    material_table materials;      /* of the scene */
    int has_material;              /* `material` is the object's, or its default */
    ruga_material_def material;
    const unsigned char *mask;  /* vertices that collide, of the latest mesh that the object has; NULL: all do */
    unsigned flags[ROLE_COUNT]; /* KIND_… of all kinds of a role that the scene has */
    size_t errors;              /* of the whole build */
} builder;

#define NOT_MADE ((size_t)-1)

/* Builds a scene. With `findings`, which is the description that `def` belongs to, all errors and warnings are added to
 * it; *out is NULL if there were errors. Else the first error fails, and its message names the object. */
ruga_status scene_build(ruga_context *context, const ruga_scene_def *def, const kind *const *more_kinds,
                        ruga_description *findings, ruga_scene **out);

/* As ruga_scene_create, with further kinds that objects may have; NULL-terminated. */
ruga_status scene_create_with_kinds(ruga_context *context, const ruga_scene_def *def, const kind *const *more_kinds,
                                    ruga_scene **out);

/* One object of the def, in its order. */
ruga_status build_object(builder *b, size_t index);

/* Objects whose mesh changes while the scene runs: all parts can follow, and every output of a
 * description that is checked can store it. */
ruga_status check_changes(builder *b);

/* ---- Findings only: times, materials and their cycles, before anything is built. */
ruga_status check_before(builder *b);
/* A body that has dynamics, in its place: its thickness, and vertices inside colliders. */
ruga_status check_dynamic_body(builder *b);
/* Surroundings and contact without effect; and if there are no errors, intersections before the first frame. */
ruga_status check_after(builder *b);

#endif
