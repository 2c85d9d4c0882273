/* The bodies that move by themselves alone: static, rigid, animated. */
#ifndef BODY_BODIES_H
#define BODY_BODIES_H

#include "body/body.h"
#include "math/vec3.h"
#include "ruga/scene.h"

/* Stays where the mesh has it. */
ruga_status body_static_create(const ruga_mesh *mesh, body **out);

/* Follows a motion of as many points as the mesh has vertices. During the pre-roll it goes from the mesh's positions
 * to the motion's at the same time, by a smooth blend without a jump in velocity at either end. Velocities are the
 * differences from substep to substep. The transform is applied to what the motion gives; NULL: none. */
typedef struct body_transform {
    ruga_vec3 columns[3]; /* y = columns x + move */
    ruga_vec3 move;
} body_transform;
static inline ruga_vec3 body_transform_apply(const body_transform *t, ruga_vec3 x) {
    return vec3_add(
        vec3_add_scaled(vec3_add_scaled(vec3_scale(t->columns[0], x.x), t->columns[1], x.y), t->columns[2], x.z),
        t->move);
}
/* Of the def start, speed and cycle are used. own: the motion is destroyed with the body, also when creating fails. */
ruga_status body_animated_create(const ruga_mesh *mesh, const ruga_animated_def *def, ruga_motion *motion, int own,
                                 const body_transform *transform, body **out);

/* Moves as a whole through keyframes: places linearly, turns by the smallest angle between them at constant speed, held
 * before the first and after the last. Turns are degrees about x, then y, then z. The pre-roll goes from the mesh's own
 * place to the first. */
ruga_status body_rigid_create(const ruga_mesh *mesh, ruga_vec3 pivot, const ruga_rigid_key *keys, size_t key_count,
                              body **out); /* keys are copied */
/* From now on the rigid body also moves and turns as these vertices of another kinematic body do, in least squares; its
 * keys are relative to that. The vertices are copied. */
ruga_status body_rigid_follow(body *rigid, const body *leader, const uint32_t *vertices, size_t count);

/* y = R x of a turn about x, then y, then z. */
void body_turn_columns(ruga_vec3 degrees, ruga_vec3 columns[3]);

/* Part "collide": the body's candidate points leave every collider by at least `thickness`; their velocities lose
 * what goes into it and, by Coulomb's law, of what goes along it at most friction times as much.
 * Measures: contacts. */
ruga_status collide_part_create(ruga_context *context, double thickness, part **out);

#endif
