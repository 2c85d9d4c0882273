/* Walking: steps are planned first, and the body follows them.
 *
 * Time is counted in cycles, s = time / period; in each the left foot is in the air from 0.05 to 0.45, the right one
 * half a cycle later. While a foot is on the ground it stays in place, where the body will be a little later. The body
 * moves smoothly, and the legs follow from hips and feet. A walk starts and ends on both feet; a steady one is in full
 * stride all the time, so that its last frame is its first.
 */
#include "math/quaternion.h"
#include "model/mannequin.h"

#define TWO_PI 6.283185307179586476925
#define DEGREE (TWO_PI / 360)
#define BODY 1.75 /* m, height of the body in the scale of the shape */

enum { WALK_PERIOD, WALK_STRIDE, WALK_CYCLES, WALK_ARMS, WALK_TRAVEL, WALK_STEADY };

#define STRIKE 0.45 /* when the left foot touches down, in cycles */
#define STANCE 0.6  /* how long it stays on the ground, in cycles */
#define AHEAD 0.26  /* how far in front of the body it touches down, in strides */
#define START 0.7   /* cycles until full speed, and from full speed to the end */

typedef struct walk {
    double cycles, stride; /* stride: m */
    int steady;
} walk;

static double start_of(const walk *w) { return fmin(START, w->cycles / 2); }

/* The fraction of full speed: t² (3 - 2 t) at the start, the reverse at the end. */
static double speed_of(const walk *w, double s) {
    if (w->steady) return 1;
    double t = fmin(fmax(fmin(s, w->cycles - s) / start_of(w), 0), 1);
    return t * t * (3 - 2 * t);
}

/* The distance covered, in strides: the integral of speed_of. */
static double distance_of(const walk *w, double s) {
    if (w->steady) return s;
    double start = start_of(w), all = w->cycles - start;
    if (s > w->cycles / 2) return all - distance_of(w, fmax(w->cycles - s, 0));
    double t = fmin(fmax(s / start, 0), 1);
    return start * t * t * t * (1 - t / 2) + fmax(s - start, 0);
}

/* ---- Feet. */

/* The place of a foot after its swing number k, in strides; its first strike is at the time `first`. */
static double place_of(const walk *w, double first, double k) {
    if (w->steady) return first + k + AHEAD;
    if (k < 0) return 0;
    return k >= w->cycles - 1 ? distance_of(w, w->cycles) : distance_of(w, first + k + AHEAD);
}

void mannequin_foot_tilt(foot_pose *foot, double heel_lift, double toe_lift) {
    const vec3 axis = {1, 0, 0};
    vec3 ball = vec3_sub(joint_ankle, joint_ball), heel = vec3_sub(joint_ankle, joint_heel);
    vec3 rolled = vec3_sub(quaternion_turn(quaternion_about(axis, heel_lift), ball), ball);
    vec3 rocked = vec3_sub(quaternion_turn(quaternion_about(axis, -toe_lift), heel), heel);
    /* The heel is round: it rolls. */
    rocked.z -= joint_heel.y * toe_lift;
    foot->ankle = vec3_add(foot->ankle, vec3_add(rolled, rocked));
    foot->pitch += heel_lift - toe_lift;
}

/* Rises from 0 at `a` to 1 at b and falls to 0 from c to d. */
static double hump(double x, double a, double b, double c, double d) {
    return model_ease((x - a) / (b - a)) * (1 - model_ease((x - c) / (d - c)));
}

static void place_foot(const walk *w, double s, int side, foot_pose *foot) {
    double first = STRIKE + (side ? 0.5 : 0), k = floor(s - first), phase = s - first - k;
    double behind = place_of(w, first, k - 1), here = place_of(w, first, k), next = place_of(w, first, k + 1);
    double swing = (phase - STANCE) / (1 - STANCE), up = fmax(swing * (1 - swing), 0);
    /* Fades in and out while the body stands. */
    double begun = w->steady ? 1 : model_ease(s / 0.25) * model_ease((w->cycles - s) / 0.2);
    double heel = begun * (next - here) * hump(phase, 0.28, 0.66, 0.66, 0.9);
    double toes =
        begun * ((next - here) * model_ease((phase - 0.78) / 0.2) + (here - behind) * (1 - model_ease(phase / 0.12)));
    foot->ankle.z += w->stride * (here + (next - here) * model_ease(swing));
    foot->ankle.y += 0.72 * up * up * (next - here);
    mannequin_foot_tilt(foot, 44 * DEGREE * heel, 18 * DEGREE * toes);
    foot->toes = 44 * DEGREE * heel * (1 - model_ease((phase - 0.6) / 0.16));
}

/* ---- The rest of the body. */

static double wave(double s, double peak) { return cos(TWO_PI * (s - peak)); }

/* The hips sway over the supporting foot, are highest there, and turn with the foot in front; the shoulders turn in the
 * opposite direction, the head not at all. */
static void move_trunk(const walk *w, double s, double part, mannequin_pose *pose) {
    pose->hips.x = 0.02 * part * wave(s, 0.74);
    pose->hips.y = part * (-0.023 + 0.013 * wave(2 * s, 1.46));
    pose->hips.z += w->stride * distance_of(w, s);
    pose->pelvis =
        vec3_make(2 * DEGREE * part, -5 * DEGREE * part * wave(s, STRIKE), 2.5 * DEGREE * part * wave(s, 0.7));
    pose->waist =
        vec3_make(1 * DEGREE * part, 10 * DEGREE * part * wave(s, STRIKE + 0.02), -3 * DEGREE * part * wave(s, 0.7));
    pose->neck = vec3_make(-2 * DEGREE * part, -pose->pelvis.y - pose->waist.y, -pose->pelvis.z - pose->waist.z);
}

/* Each arm swings with the opposite foot. */
static void swing_arms(const mannequin_act *act, double s, double part, mannequin_pose *pose) {
    for (int side = 0; side < 2; side++) {
        double forward = wave(s, STRIKE + (side ? 0 : 0.5) + 0.03);
        pose->arms[side].lift += (act->values[WALK_ARMS] * DEGREE - act->arms) * part;
        pose->arms[side].swing = DEGREE * part * (2 + 22 * forward);
        pose->arms[side].elbow = DEGREE * part * (18 + 10 * forward);
    }
}

double mannequin_walk_length(const mannequin_act *act) { return act->values[WALK_PERIOD] * act->values[WALK_CYCLES]; }

mannequin_pose mannequin_walk(const mannequin_act *act, double time) {
    walk w = {act->values[WALK_CYCLES], act->values[WALK_STRIDE] * BODY, act->values[WALK_STEADY] != 0};
    double s = time / act->values[WALK_PERIOD], part = speed_of(&w, s);
    mannequin_pose pose = mannequin_stand(act->arms);
    move_trunk(&w, s, part, &pose);
    swing_arms(act, s, part, &pose);
    for (int side = 0; side < 2; side++) place_foot(&w, s, side, &pose.feet[side]);
    if (act->values[WALK_TRAVEL] != 0) return pose;
    /* As on a treadmill: the ground moves back below the body. */
    double back = w.stride * distance_of(&w, s);
    pose.hips.z -= back;
    for (int side = 0; side < 2; side++) pose.feet[side].ankle.z -= back;
    return pose;
}
