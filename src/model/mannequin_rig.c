/* The mannequin's bones: from a pose to the position of each bone, and from these to the skin.
 *
 * A bone is a rigid map from the body at rest to the posed one. Trunk and arms are rotated at their joints, from the
 * pelvis outwards; legs are solved from the positions of their feet (two bones, by the law of cosines). The skin blends
 * the maps of up to four bones as dual quaternions (Kavan and others 2008), which keeps the volume at bent joints. The
 * weights are smooth functions of the position at rest, so that they do not depend on the mesh.
 */
#include <string.h>

#include "linalg/map.h"
#include "math/quaternion.h"
#include "model/mannequin.h"

#define QUARTER_PI 0.78539816339744830962

enum {
    PELVIS,
    CHEST,
    HEAD,
    ARM, /* the left one; the right one is ARM + 1, and so on */
    FOREARM = ARM + 2,
    THIGH = FOREARM + 2,
    SHIN = THIGH + 2,
    FOOT = SHIN + 2,
    TOES = FOOT + 2,
    BONE_COUNT = TOES + 2
};

static const vec3 axis_x = {1, 0, 0}, axis_y = {0, 1, 0}, axis_z = {0, 0, 1};

/* x -> turn x + move. */
typedef struct rigid_map {
    quaternion turn;
    vec3 move;
} rigid_map;

static vec3 map_point(const rigid_map *m, vec3 p) { return vec3_add(quaternion_turn(m->turn, p), m->move); }

/* A rotation about a joint, which moves to a given place. */
static rigid_map map_at(vec3 joint, quaternion turn, vec3 place) {
    return (rigid_map){turn, vec3_sub(place, quaternion_turn(turn, joint))};
}

/* A rotation about a joint at rest, then the parent's map. */
static rigid_map map_child(const rigid_map *parent, vec3 joint, quaternion turn) {
    return map_at(joint, quaternion_multiply(parent->turn, turn), map_point(parent, joint));
}

static quaternion turn_of(vec3 angles) {
    quaternion tilt = quaternion_multiply(quaternion_about(axis_z, angles.z), quaternion_about(axis_x, angles.x));
    return quaternion_multiply(quaternion_about(axis_y, angles.y), tilt);
}

static vec3 on_side(vec3 left, int side) { return vec3_make(side ? -left.x : left.x, left.y, left.z); }

/* ---- Legs. */

/* The rotation that takes one bone with its hinge to another. */
static quaternion turn_between(vec3 hinge_from, vec3 bone_from, vec3 hinge_to, vec3 bone_to) {
    const vec3 from[3] = {hinge_from, bone_from, vec3_cross(hinge_from, bone_from)};
    const vec3 to[3] = {hinge_to, bone_to, vec3_cross(hinge_to, bone_to)};
    return quaternion_between(from, to);
}

/* A leg as hip, knee and ankle, the knee to the front. */
typedef struct leg_line {
    vec3 hinge, thigh, shin; /* unit: axis of the knee, to the left; along the bones, downwards */
    vec3 knee, ankle;        /* m */
} leg_line;

static leg_line leg_solve(vec3 hip, vec3 ankle, vec3 front) {
    double a = vec3_distance(joint_hip, joint_knee), b = vec3_distance(joint_knee, joint_ankle);
    vec3 leg = vec3_sub(ankle, hip), down = vec3_normalise(leg);

    /* A distance within reach: unchanged up to nearly the whole length, then it approaches that. */
    double d = vec3_length(leg), whole = a + b;
    const double begin = 0.9965 * whole, room = whole - begin;
    if (d > begin) d = begin + room * (1 - exp((begin - d) / room));
    double cosine = fmin(fmax((a * a + d * d - b * b) / (2 * a * d), -1), 1), sine = sqrt(1 - cosine * cosine);
    leg_line line;
    line.hinge = vec3_normalise(vec3_cross(front, down));
    line.thigh = vec3_add_scaled(vec3_scale(down, cosine), vec3_cross(down, line.hinge), sine);
    line.knee = vec3_add_scaled(hip, line.thigh, a);
    line.ankle = vec3_add_scaled(hip, down, d);
    line.shin = vec3_normalise(vec3_sub(line.ankle, line.knee));
    return line;
}

static void pose_leg(const mannequin_pose *pose, int side, rigid_map *bones) {
    const foot_pose *foot = &pose->feet[side];
    vec3 hip_rest = on_side(joint_hip, side), ankle_rest = on_side(joint_ankle, side);
    vec3 hip = map_point(&bones[PELVIS], hip_rest), front = quaternion_turn(bones[PELVIS].turn, axis_z);
    leg_line rest = leg_solve(hip_rest, ankle_rest, axis_z), line = leg_solve(hip, foot->ankle, front);
    quaternion thigh = turn_between(rest.hinge, rest.thigh, line.hinge, line.thigh);
    quaternion shin = turn_between(rest.hinge, rest.shin, line.hinge, line.shin);
    bones[THIGH + side] = map_at(hip_rest, thigh, hip);
    bones[SHIN + side] = map_at(rest.knee, shin, line.knee);
    bones[FOOT + side] = map_at(ankle_rest, quaternion_about(axis_x, foot->pitch), line.ankle);
    bones[TOES + side] =
        map_child(&bones[FOOT + side], on_side(joint_ball, side), quaternion_about(axis_x, -foot->toes));
}

/* ---- The whole body. */

static void pose_arm(const mannequin_pose *pose, int side, rigid_map *bones) {
    const arm_pose *arm = &pose->arms[side];
    vec3 along = vec3_normalise(vec3_sub(on_side(joint_elbow, side), on_side(joint_shoulder, side)));
    double lift = (side ? -1 : 1) * (arm->lift - QUARTER_PI);
    quaternion turn = quaternion_multiply(quaternion_about(axis_x, -arm->swing), quaternion_about(axis_z, lift));
    bones[ARM + side] = map_child(&bones[CHEST], on_side(joint_shoulder, side), turn);
    bones[FOREARM + side] = map_child(&bones[ARM + side], on_side(joint_elbow, side),
                                      quaternion_about(vec3_cross(along, axis_z), arm->elbow));
}

/* A quaternion and its negative are the same rotation, but blend differently: children take the parent's sign. */
static void align(rigid_map *bones, int child, int parent) {
    quaternion *q = &bones[child].turn;
    if (quaternion_dot(*q, bones[parent].turn) < 0) *q = quaternion_add(*q, -1, *q, 0);
}

static void pose_bones(const mannequin_pose *pose, rigid_map *bones) {
    vec3 middle = vec3_make(0, joint_hip.y, joint_hip.z);
    bones[PELVIS] = map_at(middle, turn_of(pose->pelvis), vec3_add(middle, pose->hips));
    bones[CHEST] = map_child(&bones[PELVIS], joint_waist, turn_of(pose->waist));
    bones[HEAD] = map_child(&bones[CHEST], joint_neck, turn_of(pose->neck));
    for (int side = 0; side < 2; side++) {
        pose_arm(pose, side, bones);
        pose_leg(pose, side, bones);
        align(bones, THIGH + side, PELVIS);
        align(bones, SHIN + side, THIGH + side);
        align(bones, FOOT + side, SHIN + side);
        align(bones, TOES + side, FOOT + side);
    }
}

mannequin_pose mannequin_stand(double arms) {
    mannequin_pose pose = {0};
    for (int side = 0; side < 2; side++) {
        pose.arms[side].lift = arms;
        pose.feet[side].ankle = on_side(joint_ankle, side);
    }
    return pose;
}

/* ---- Weights. */

/* From 0 at middle - half to 1 at middle + half. */
static double rise(double x, double middle, double half) { return model_ease((x - middle) / (2 * half) + 0.5); }

/* Moves a share of the weights of some bones to another one. */
static void take_share(double *weights, int from, int to, int bone, double share) {
    for (int b = from; b < to; b++) {
        weights[bone] += share * weights[b];
        weights[b] *= 1 - share;
    }
}

static void arm_weights(vec3 p, int side, double *w) {
    vec3 shoulder = on_side(joint_shoulder, side), elbow = on_side(joint_elbow, side), d = vec3_sub(p, shoulder);
    vec3 along = vec3_normalise(vec3_sub(elbow, shoulder));
    double length = vec3_dot(d, along), off = vec3_length(vec3_add_scaled(d, along, -length));
    double share = rise(length, 0.02, 0.1) * (1 - rise(off, 0.13, 0.06));
    take_share(w, PELVIS, ARM, ARM + side, share);
    take_share(w, THIGH, BONE_COUNT, ARM + side, share);
    take_share(w, ARM + side, ARM + side + 1, FOREARM + side, rise(length, vec3_distance(elbow, shoulder), 0.06));
}

/* The groin rises towards the outside. Between the legs both sides have weights. */
static void leg_weights(vec3 p, int side, double *w) {
    double x = side ? -p.x : p.x;
    double share = rise(-p.y, -(0.86 + 0.3 * (fabs(x) - 0.09)), 0.105) * rise(x, 0, 0.02);
    w[THIGH + side] = share * w[PELVIS];
    take_share(w, THIGH + side, THIGH + side + 1, SHIN + side, rise(-p.y, -joint_knee.y, 0.11));
    take_share(w, SHIN + side, SHIN + side + 1, FOOT + side, rise(-p.y, -joint_ankle.y - 0.01, 0.06));
    take_share(w, FOOT + side, FOOT + side + 1, TOES + side, rise(p.z, joint_ball.z, 0.036));
}

static void weights_at(vec3 p, double *w) {
    memset(w, 0, BONE_COUNT * sizeof *w);
    w[PELVIS] = 1;
    take_share(w, PELVIS, CHEST, CHEST, rise(p.y, 1.09, 0.11));
    take_share(w, CHEST, HEAD, HEAD, rise(p.y, 1.49, 0.05));
    double hips = w[PELVIS];
    for (int side = 0; side < 2; side++) leg_weights(p, side, w);
    for (int bone = THIGH; bone < BONE_COUNT; bone++) w[PELVIS] -= w[bone];
    w[PELVIS] = fmin(fmax(w[PELVIS], 0), hips);
    for (int side = 0; side < 2; side++) arm_weights(p, side, w);
}

/* The four largest weights; no place has more. */
static skin_weights choose_weights(double *w) {
    skin_weights chosen = {{0}, {0}};
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        int best = 0;
        for (int b = 1; b < BONE_COUNT; b++)
            if (w[b] > w[best]) best = b;
        chosen.bones[k] = (uint8_t)best;
        chosen.weights[k] = w[best];
        sum += w[best];
        w[best] = 0;
    }
    for (int k = 0; k < 4; k++) chosen.weights[k] /= sum;
    return chosen;
}

ruga_status mannequin_skin_make(ruga_context *context, size_t vertex_count, vec3 *rest, double scale,
                                mannequin_skin *out) {
    skin_weights *weights;
    TRY_OR(NEW(context, &weights, vertex_count), memory_release(context, rest));
    for (size_t i = 0; i < vertex_count; i++) {
        double w[BONE_COUNT];
        weights_at(rest[i], w);
        weights[i] = choose_weights(w);
    }
    *out = (mannequin_skin){vertex_count, rest, weights, scale};
    return RUGA_OK;
}

void mannequin_skin_release(ruga_context *context, mannequin_skin *skin) {
    RELEASE_ALL(context, skin->rest, skin->weights);
}

/* ---- Joints of the model's mesh. */

/* The share of a forearm's weight that is its hand's. */
static double hand_share(vec3 p, int side) {
    vec3 shoulder = on_side(joint_shoulder, side), hand = on_side(joint_hand, side);
    double reach = vec3_distance(shoulder, hand);
    double length = vec3_dot(vec3_sub(p, shoulder), vec3_sub(hand, shoulder)) / reach;
    return rise(length, reach, 0.02);
}

ruga_status mannequin_add_joints(ruga_context *context, const mannequin_skin *skin, mesh_parts *parts) {
    static const char *const names[] = {"Hips",        "Spine",        "Head",      "LeftArm",     "RightArm",
                                        "LeftForeArm", "RightForeArm", "LeftUpLeg", "RightUpLeg",  "LeftLeg",
                                        "RightLeg",    "LeftFoot",     "RightFoot", "LeftToeBase", "RightToeBase",
                                        "LeftHand",    "RightHand"};
    enum { HAND = BONE_COUNT, JOINT_COUNT = HAND + 2 };
    _Static_assert(sizeof names / sizeof *names == JOINT_COUNT, "a name for each bone, then the hands");
    map_builder rows;
    ruga_map *weights;
    TRY(map_builder_make(context, skin->vertex_count, 6 * skin->vertex_count, &rows));
    for (size_t i = 0; i < skin->vertex_count; i++) {
        for (int k = 0; k < 4; k++) {
            uint32_t bone = skin->weights[i].bones[k];
            double weight = skin->weights[i].weights[k];
            int is_forearm = bone >= FOREARM && bone < THIGH;
            double hand = is_forearm ? hand_share(skin->rest[i], (int)bone - FOREARM) : 0;
            if (weight > 0 && hand < 1) map_builder_put(&rows, bone, weight * (1 - hand));
            if (weight > 0 && hand > 0) map_builder_put(&rows, HAND + bone - FOREARM, weight * hand);
        }
        map_builder_end_row(&rows);
    }
    TRY(map_builder_finish(&rows, JOINT_COUNT, &weights));
    return mesh_parts_set_joints(context, parts, names, JOINT_COUNT, weights);
}

/* ---- Skin. */

/* The map as a dual quaternion: turn + e dual, with 2 dual turn* = move. */
typedef struct dual_quaternion {
    quaternion real, dual;
} dual_quaternion;

static dual_quaternion dual_of(const rigid_map *m) {
    quaternion move = {0, m->move.x, m->move.y, m->move.z}, moved = quaternion_multiply(move, m->turn);
    return (dual_quaternion){m->turn, quaternion_add(moved, 0.5, moved, 0)};
}

static vec3 blend_point(const dual_quaternion *bones, const skin_weights *w, vec3 p) {
    quaternion real = {0, 0, 0, 0}, dual = real;
    for (int k = 0; k < 4; k++) {
        real = quaternion_add(real, 1, bones[w->bones[k]].real, w->weights[k]);
        dual = quaternion_add(dual, 1, bones[w->bones[k]].dual, w->weights[k]);
    }
    double inverse = 1 / quaternion_length(real);
    real = quaternion_add(real, inverse, real, 0);
    dual = quaternion_add(dual, inverse, dual, 0);
    quaternion back = {real.w, -real.x, -real.y, -real.z}, move = quaternion_multiply(dual, back);
    return vec3_add(quaternion_turn(real, p), vec3_make(2 * move.x, 2 * move.y, 2 * move.z));
}

void mannequin_skin_pose(const mannequin_skin *skin, const mannequin_pose *pose, vec3 *positions) {
    rigid_map bones[BONE_COUNT];
    dual_quaternion duals[BONE_COUNT];
    pose_bones(pose, bones);
    for (int b = 0; b < BONE_COUNT; b++) duals[b] = dual_of(&bones[b]);
    for (size_t i = 0; i < skin->vertex_count; i++)
        positions[i] = vec3_scale(blend_point(duals, &skin->weights[i], skin->rest[i]), skin->scale);
}
