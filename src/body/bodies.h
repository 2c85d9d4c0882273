/* The bodies that move by themselves alone: static, rigid, animated. */
#ifndef BODY_BODIES_H
#define BODY_BODIES_H

#include "body/body.h"
#include "math/vec3.h"
#include "ruga/motion.h"

/* Stays where the mesh has it. */
ruga_status body_static_create(const ruga_mesh *mesh, body **out);

/* Follows a motion of as many points as the mesh has vertices. During the pre-roll it goes from the mesh's positions to the
 * motion's at the same time, by a smooth blend without a jump in velocity at either end. Velocities are those of the way from substep to
 * substep. The motion is the owner's unless `own`. transform is applied to what the motion gives; NULL: none. */
typedef struct body_transform {
    ruga_vec3 columns[3]; /* y = columns x + move */
    ruga_vec3 move;
} body_transform;
static inline ruga_vec3 body_transform_apply(const body_transform *t, ruga_vec3 x) {
    return vec3_add(
        vec3_add_scaled(vec3_add_scaled(vec3_scale(t->columns[0], x.x), t->columns[1], x.y), t->columns[2], x.z),
        t->move);
}
typedef struct body_animated_def {
    ruga_motion *motion;
    int own;                         /* destroy it with the body, also when creating fails */
    double start;                    /* s, scene time of the motion's start; NaN: the same clock */
    double speed;                    /* 1 */
    int cycle;                       /* begins again after its end */
    const body_transform *transform; /* copied */
} body_animated_def;
ruga_status body_animated_create(const ruga_mesh *mesh, const body_animated_def *def, body **out);

/* Moves as a whole through keyframes: places linearly, turns by the shortest way between them at constant speed, held
 * before the first and after the last. Turns are degrees about x, then y, then z. The pre-roll goes from the mesh's own
 * place to the first. */
typedef struct body_rigid_key {
    double time;          /* s, strictly rising */
    ruga_vec3 move, turn; /* m, degrees */
} body_rigid_key;
ruga_status body_rigid_create(const ruga_mesh *mesh, ruga_vec3 pivot, const body_rigid_key *keys, size_t key_count,
                              body **out); /* keys are copied */

/* y = R x of a turn about x, then y, then z. */
void body_turn_columns(ruga_vec3 degrees, ruga_vec3 columns[3]);

/* A hook: the body's candidate points leave every collider by at least `thickness`; their velocities lose what goes into
 * it and, by Coulomb's law, of what goes along it at most friction times as much. Measures: contacts. */
ruga_status hook_collide_create(ruga_context *context, double thickness, hook **out);

#endif
