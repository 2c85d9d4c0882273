/* Jumping: crouch, push, fly, land, rise. In the air the trunk is a free body: it keeps its orientation and falls with
 * gravity.
 *
 *     y  0 ─╮               ╭───╮                ╭─ 0         the hips' height over time: quintics and a parabola, with
 *           ╰─ crouch ─╯ push   fly   ╰─ land ─╯ rise         continuous velocity and acceleration
 */
#include "math/vec3.h"
#include "model/mannequin.h"

#define DEGREE 0.01745329251994329577
#define GRAVITY 9.81 /* m/s² */

enum { JUMP_HEIGHT, JUMP_CROUCH, JUMP_ARMS };
enum { STANDING, LOWEST, TAKE_OFF, HIGHEST, TOUCH_DOWN, LANDED, UPRIGHT, EVENT_COUNT };

typedef struct jump {
    double time[EVENT_COUNT]; /* s */
    double gravity;           /* m/s², in the scale of the shape, as are the following */
    double rise, crouch;      /* m, above and below the height of standing */
    double speed;             /* m/s, at take-off */
} jump;

/* The hips take slightly longer to reach their speed, and to stop, than with constant acceleration. */
static jump jump_of(const mannequin_act *act) {
    jump j = {.gravity = GRAVITY / act->scale,
              .rise = act->values[JUMP_HEIGHT] / act->scale,
              .crouch = act->values[JUMP_CROUCH] * joint_hip.y};
    j.speed = sqrt(2 * j.gravity * j.rise);
    double pushing = 2.7 * j.crouch / j.speed, flying = 2 * j.speed / j.gravity;
    /* A larger body is slower, like a longer pendulum. */
    double slow = sqrt(act->scale),
           lasts[EVENT_COUNT] = {0, 0.55 * slow, pushing, flying / 2, flying / 2, pushing * 0.9, 0.7 * slow};
    double time = 0;
    for (int k = 0; k < EVENT_COUNT; k++) j.time[k] = time += lasts[k];
    return j;
}

double mannequin_jump_length(const mannequin_act *act) { return jump_of(act).time[UPRIGHT]; }

/* ---- Curves. */

typedef struct state {
    double place, speed, acceleration;
} state;

/* The quintic from one state to another within a time. */
static double quintic(state a, state b, double span, double time) {
    double t = time / span, v0 = a.speed * span, v1 = b.speed * span;
    double a0 = a.acceleration * span * span / 2, a1 = b.acceleration * span * span / 2, d = b.place - a.place;
    double c3 = 10 * d - 6 * v0 - 4 * v1 - 3 * a0 + a1, c4 = -15 * d + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1;
    double c5 = 6 * d - 3 * (v0 + v1) - a0 + a1;
    return a.place + t * (v0 + t * (a0 + t * (c3 + t * (c4 + t * c5))));
}

static double hips_height(const jump *j, double time) {
    const double *at = j->time;
    const state still = {0, 0, 0};
    /* Accelerations at the lowest points that let the slow pieces before and after avoid overshoot. */
    double down_time = at[LOWEST], up_time = at[UPRIGHT] - at[LANDED];
    state low = {-j->crouch, 0, 6 * j->crouch / (down_time * down_time)};
    state landed = {-0.85 * j->crouch, 0, 0.85 * 6 * j->crouch / (up_time * up_time)};
    state off = {0, j->speed, -j->gravity}, down = {0, -j->speed, -j->gravity};
    if (time < at[LOWEST]) return quintic(still, low, down_time, time);
    if (time < at[TAKE_OFF]) return quintic(low, off, at[TAKE_OFF] - at[LOWEST], time - at[LOWEST]);
    double flown = time - at[TAKE_OFF];
    if (time < at[TOUCH_DOWN]) return flown * (j->speed - j->gravity * flown / 2);
    if (time < at[LANDED]) return quintic(down, landed, at[LANDED] - at[TOUCH_DOWN], time - at[TOUCH_DOWN]);
    return quintic(landed, still, up_time, time - at[LANDED]);
}

/* Through values at the events, without overshoot and with a continuous slope (Fritsch and Carlson 1980: the harmonic
 * mean of both neighbours' slopes, or none where they differ in sign). */
static double slope_at(const jump *j, const double *values, int k) {
    if (k == 0 || k == EVENT_COUNT - 1) return 0;
    double a = (values[k] - values[k - 1]) / (j->time[k] - j->time[k - 1]);
    double b = (values[k + 1] - values[k]) / (j->time[k + 1] - j->time[k]);
    return a * b > 0 ? 2 * a * b / (a + b) : 0;
}

static double keyed(const jump *j, const double *values, double time) {
    int k = 0;
    while (k + 2 < EVENT_COUNT && j->time[k + 1] < time) k++;
    double span = j->time[k + 1] - j->time[k], t = fmin(fmax((time - j->time[k]) / span, 0), 1);
    double from = slope_at(j, values, k) * span, to = slope_at(j, values, k + 1) * span, d = values[k + 1] - values[k];
    return values[k] + t * (from + t * (3 * d - 2 * from - to + t * (from + to - 2 * d)));
}

/* ---- Poses. */

/* Degrees at the events; in the air the trunk keeps its orientation. */
static const double pelvis_lean[] = {0, 30, 2, 2, 2, 26, 0}, waist_lean[] = {0, 14, -3, -3, -3, 12, 0};
static const double neck_lean[] = {0, -20, 0, 0, 0, -16, 0}, heel_lift[] = {0, 0, 36, 30, 32, 0, 0};
static const double arm_swing[] = {0, -34, 32, 52, 44, 22, 0}, elbow_bend[] = {0, 12, 30, 24, 26, 30, 0};
static const double arms_part[] = {0, 1, 1, 1, 1, 1, 0};
/* How far the hips are behind the feet, over the crouch; bend of the toes, over the lift of the heel. */
static const double hips_back[] = {0, 0.32, 0, 0, 0, 0.3, 0}, toes_flat[] = {1, 1, 1, 0.2, 1, 1, 1};

static void place_feet(const jump *j, double time, mannequin_pose *pose) {
    double lift = keyed(j, heel_lift, time) * DEGREE;
    /* The feet rise with the hips, starting and ending at rest, some centimetres behind at first, and are drawn up
     * slightly. */
    double t = (time - j->time[TAKE_OFF]) / (j->time[TOUCH_DOWN] - j->time[TAKE_OFF]), up = fmax(t * (1 - t), 0);
    double behind = fmin(0.25, 0.05 / j->rise);
    for (int side = 0; side < 2; side++) {
        foot_pose *foot = &pose->feet[side];
        foot->ankle.y += 4 * up * j->rise * model_ease(up / behind) + 2 * up * up * j->crouch;
        mannequin_foot_tilt(foot, lift, 0);
        foot->toes = lift * keyed(j, toes_flat, time);
    }
}

mannequin_pose mannequin_jump(const mannequin_act *act, double time) {
    jump j = jump_of(act);
    mannequin_pose pose = mannequin_stand(act->arms);
    pose.hips.y = hips_height(&j, time);
    pose.hips.z = -j.crouch * keyed(&j, hips_back, time);
    pose.pelvis.x = keyed(&j, pelvis_lean, time) * DEGREE;
    pose.waist.x = keyed(&j, waist_lean, time) * DEGREE;
    pose.neck.x = keyed(&j, neck_lean, time) * DEGREE;
    for (int side = 0; side < 2; side++) {
        arm_pose *arm = &pose.arms[side];
        arm->lift += (act->values[JUMP_ARMS] * DEGREE - act->arms) * keyed(&j, arms_part, time);
        arm->swing = keyed(&j, arm_swing, time) * DEGREE;
        arm->elbow = keyed(&j, elbow_bend, time) * DEGREE;
    }
    place_feet(&j, time, &pose);
    return pose;
}
