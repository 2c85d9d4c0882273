/* The mannequin: a shape by formula, bones, and poses.
 *
 * All its files use one scale: metres of a body about 1.75 m tall that stands on y = 0 and faces +z, its left hand at
 * +x, its arms raised by 45 degrees. The model and its motions scale it to the requested height.
 */
#ifndef MODEL_MANNEQUIN_H
#define MODEL_MANNEQUIN_H

#include "base/memory.h"
#include "model/model.h"
#include "ruga/motion.h"

enum { MANNEQUIN_HEIGHT, MANNEQUIN_CELLS, MANNEQUIN_ARMS }; /* the model's values */

/* ---- Shape: mannequin_shape.c. */

/* Approximate distance from the body's surface, negative inside. */
double mannequin_distance(ruga_vec3 point);

/* Joints; the left one of each pair. */
extern const ruga_vec3 joint_waist, joint_neck, joint_shoulder, joint_elbow, joint_hand, joint_hip, joint_knee,
    joint_ankle, joint_ball, joint_heel;

/* ---- Bones: mannequin_rig.c. The left one of a pair comes first. */

typedef struct arm_pose {
    double lift;  /* rad, away from the body; 0: straight down */
    double swing; /* rad, to the front */
    double elbow; /* rad, bend of the forearm, to the front */
} arm_pose;

typedef struct foot_pose {
    ruga_vec3 ankle; /* m, target; the leg gets as close as it can reach */
    double pitch;    /* rad, of the toes down */
    double toes;     /* rad, bend upwards, relative to the foot */
} foot_pose;

typedef struct mannequin_pose {
    ruga_vec3 hips;                /* m, displacement of the pelvis */
    ruga_vec3 pelvis, waist, neck; /* rad, rotations about x, then z, then y, each relative to the one before */
    arm_pose arms[2];
    foot_pose feet[2];
} mannequin_pose;

/* Standing on both feet, the pose of the model; arms: rad, their lift. */
mannequin_pose mannequin_stand(double arms);

/* How each vertex follows the bones. */
typedef struct skin_weights {
    uint8_t bones[4];
    double weights[4]; /* sum 1 */
} skin_weights;

/* The vertices of a body with raised arms, and their weights. */
typedef struct mannequin_skin {
    size_t vertex_count;
    ruga_vec3 *rest;       /* (vertex_count) m, in the scale of the shape, arms at 45 degrees */
    skin_weights *weights; /* (vertex_count) */
    double scale;          /* to the requested height */
} mannequin_skin;

/* Takes over `rest`, also on failure. */
ruga_status mannequin_skin_make(ruga_context *context, size_t vertex_count, ruga_vec3 *rest, double scale,
                                mannequin_skin *out);
void mannequin_skin_release(ruga_context *context, mannequin_skin *skin);
/* The skin of the model: the bones, and hands that follow their forearms. */
ruga_status mannequin_add_joints(ruga_context *context, const mannequin_skin *skin, mesh_parts *parts);
/* The vertices in a pose, scaled. */
void mannequin_skin_pose(const mannequin_skin *skin, const mannequin_pose *pose, ruga_vec3 *positions);

/* ---- Actions: mannequin_walk.c, mannequin_jump.c. */

/* The input of an action: its own values and some of the model's. */
typedef struct mannequin_act {
    const double *values;
    double arms;  /* rad, their lift at rest */
    double scale; /* of the body */
} mannequin_act;

double mannequin_walk_length(const mannequin_act *act); /* s */
mannequin_pose mannequin_walk(const mannequin_act *act, double time);
double mannequin_jump_length(const mannequin_act *act); /* s */
mannequin_pose mannequin_jump(const mannequin_act *act, double time);

/* Tilts a foot that stands on its ball (heel_lift, rad) or on its heel (toe_lift, rad): moves the ankle and changes the
 * pitch. */
void mannequin_foot_tilt(foot_pose *foot, double heel_lift, double toe_lift);

#endif
