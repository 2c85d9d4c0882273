/* The step: all bodies, parts and contact, in the one order that everything relies on.
 *
 *     for each substep:
 *         predict             every body: forces, its integrator, its parts' forces → candidate positions, velocities
 *         before_contact      of every part
 *         contact             over the surfaces of all objects at once: free of intersection, momentum handed back
 *         accept              every body takes positions and velocities; numbers that are not finite end the step
 *         after_contact       of every part
 *         after_velocities    of every part
 *         update              of parts that are updated each substep, in their order
 *     update                  of parts that are updated each frame, on the accepted frame, in their order
 *     frame                   positions, normals: all that writers and pictures ever see
 */
#ifndef SYSTEM_WORLD_H
#define SYSTEM_WORLD_H

#include "body/body.h"
#include "contact/contact_interface.h"

typedef struct world world;

typedef enum world_stage {
    STAGE_PREDICT,
    STAGE_BEFORE_CONTACT,
    STAGE_CONTACT,
    STAGE_ACCEPT,
    STAGE_AFTER_CONTACT,
    STAGE_AFTER_VELOCITIES,
    STAGE_UPDATE,
    STAGE_FRAME,
    STAGE_COUNT
} world_stage;
const char *world_stage_name(world_stage stage); /* "predict" … */

ruga_status world_create(ruga_context *context, world **out);
/* Destroys bodies, parts and contact too; meshes belong to the caller. NULL is fine. */
void world_destroy(world *w);

/* Each takes over what it is given, also on failure. name is copied. A part that can't be on the object is refused: its
 * input is another mesh, it is the second with a collision surface, or the body can't bear its forces. */
ruga_status world_add_object(world *w, const char *name, body *b, size_t *object);
ruga_status world_add_part(world *w, size_t object, part *p); /* if it has `update`, its input is world_mesh(object) */
/* NULL: none, the candidates are accepted. It sees the surfaces of bodies that collide (body_touch). */
ruga_status world_set_contact(world *w, contact *c);

environment *world_environment(world *w); /* to be filled; the colliders' memory is the caller's */
size_t world_object_count(const world *w);
const char *world_object_name(const world *w, size_t object);
body *world_body(world *w, size_t object);
const ruga_mesh *world_mesh(const world *w, size_t object);          /* of its frames */
const part *world_part(const world *w, size_t object, size_t index); /* in their order; NULL: it has no such */
const ruga_frame *world_frame(const world *w, size_t object);
void world_want_normals(world *w, int wanted);

/* The length that frames are meant to have, s: a step whose times are that far apart but for rounding has exactly it,
 * so that what solvers keep for a length of step stays. 0, as at first: the difference of the times as it is. */
void world_set_frame_length(world *w, double length);

/* One frame: from the current time to `time` in equal substeps. blend_from, blend_to: the pre-roll's part at both ends.
 * Cancelling (between substeps) and errors leave a state that has to be loaded again. */
ruga_status world_step(world *w, double time, int substeps, double blend_from, double blend_to);
double world_time(const world *w);
/* The moment before the first step: bodies that follow a motion stand where it has them at this time and blend, parts
 * are settled, frames are made. */
ruga_status world_settle(world *w, double time, double blend);

/* An object's body gets another mesh, and what is simulated for it; both have to outlive the world. Parts follow, the
 * frames' topology revision rises. Contact forgets what it kept of the old elements. Without change->vertices_from_old
 * vertices follow the points, if they are the points before and after the change, and stay if the mesh does; otherwise
 * parts that show a mesh can't follow. */
ruga_status world_change(world *w, size_t object, const body_change *change);
/* Whether the parts of all objects could follow such a change of one, or why not. */
ruga_status world_can_change(world *w, size_t object);
/* The same for an object whose mesh is simulated itself; the map takes the old points to the new ones. The new mesh
 * gets the attributes of the old one that it does not have; before world_change the caller does that (mesh/carry.h). */
ruga_status world_rebuild(world *w, size_t object, ruga_mesh *mesh, const ruga_map *from_old);

/* The state of an object that was rebuilt contains its meshes, visible and simulated. Loading brings every object to
 * the topology of the state; the world owns meshes that it loaded. After a failure some objects may have other
 * topologies: another state has to be loaded. */
void world_save(const world *w, state_writer *writer);
ruga_status world_load(world *w, state_reader *reader);

/* Seconds of each stage in the last world_step. */
const double *world_stage_seconds(const world *w); /* (STAGE_COUNT) */
/* All measures of bodies, parts and contact, in a fixed order. Each stays where it is for the life of the world. */
size_t world_measure_count(const world *w);
/* Where to continue; the first is all zero. */
typedef struct measure_place {
    size_t object, part, item;
} measure_place;
/* The measure at the place or next behind it, which goes past it; NULL when there is none left.
 * owner: "shirt", "shirt.jiggle", "contact"; in a buffer of `size`, 0: not wanted. */
const measure *world_next_measure(const world *w, measure_place *at, char *owner, size_t size);

#endif
