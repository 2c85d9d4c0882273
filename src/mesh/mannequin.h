/* The mannequin: a shape by formula, bones in it, and poses of these.
 *
 * All files of it share one scale: metres of a body about 1.75 m tall that stands on y = 0 and faces +z, its left hand at +x, its
 * arms lifted by 45 degrees. The model and its motions scale that to the height that is asked for.
 */
#ifndef MESH_MANNEQUIN_H
#define MESH_MANNEQUIN_H

#include "base/memory.h"
#include "mesh/model.h"
#include "ruga/motion.h"

enum { MANNEQUIN_HEIGHT, MANNEQUIN_CELLS, MANNEQUIN_ARMS }; /* the model's values */

/* ---- Shape: mannequin_shape.c. */

/* About the distance from the body's surface, negative inside. */
double mannequin_distance(ruga_vec3 point);

/* Joints; of those that come in pairs the left one. */
extern const ruga_vec3 joint_waist, joint_neck, joint_shoulder, joint_elbow, joint_hand, joint_hip, joint_knee,
    joint_ankle, joint_ball, joint_heel;

/* ---- Bones: mannequin_rig.c. Of pairs the left one comes first. */

typedef struct arm_pose {
    double lift;  /* rad, away from the body; 0 hangs straight down */
    double swing; /* rad, to the front */
    double elbow; /* rad, that the forearm is bent by, to the front */
} arm_pose;

typedef struct foot_pose {
    ruga_vec3 ankle; /* m, where it is to be; as near to there as the leg can reach */
    double pitch;    /* rad, of the toes down */
    double toes;     /* rad, that they are bent up by, against the foot */
} foot_pose;

typedef struct mannequin_pose {
    ruga_vec3 hips;                /* m, that the pelvis has moved by */
    ruga_vec3 pelvis, waist, neck; /* rad, turns about x, then z, then y, each relative to the one before */
    arm_pose arms[2];
    foot_pose feet[2];
} mannequin_pose;

/* On both feet, as the model is made; arms: rad, their lift. */
mannequin_pose mannequin_stand(double arms);

/* How each vertex follows the bones. */
typedef struct skin_weights {
    uint8_t bones[4];
    double weights[4]; /* sum 1 */
} skin_weights;

/* The body of one set of values: vertices with lifted arms, and what moves them. */
typedef struct mannequin_skin {
    size_t vertex_count;
    ruga_vec3 *rest;       /* (vertex_count) m, in the scale of the shape, arms at 45 degrees */
    skin_weights *weights; /* (vertex_count) */
    double scale;          /* to the height that is asked for */
} mannequin_skin;

/* Takes over `rest`; also when it fails. */
ruga_status mannequin_skin_make(ruga_context *context, size_t vertex_count, ruga_vec3 *rest, double scale,
                                mannequin_skin *out);
void mannequin_skin_release(ruga_context *context, mannequin_skin *skin);
/* The vertices in a pose, at their scale. */
void mannequin_skin_pose(const mannequin_skin *skin, const mannequin_pose *pose, ruga_vec3 *positions);

/* ---- Actions: mannequin_walk.c, mannequin_jump.c. */

/* What an action gets: its own values, and of the model what it needs. */
typedef struct mannequin_act {
    const double *values;
    double arms;  /* rad, their lift at rest */
    double scale; /* of the body */
} mannequin_act;

double mannequin_walk_length(const mannequin_act *act); /* s */
mannequin_pose mannequin_walk(const mannequin_act *act, double time);
double mannequin_jump_length(const mannequin_act *act); /* s */
mannequin_pose mannequin_jump(const mannequin_act *act, double time);

/* Where the ankle of a foot is that has its ball (lift > 0: of the heel, rad) or its heel (lift < 0: of the toes) on the ground,
 * relative to the foot at rest; and the pitch and toes that go with it. */
void mannequin_foot_tilt(foot_pose *foot, double heel_lift, double toe_lift);

/* From 0 to 1 while t does, with continuous curvature; 0 before and 1 after. */
double mannequin_ease(double t);

#endif
