/* The mannequin's shape: ellipsoids and cones with round ends for the trunk, hands and feet, and tubes of varying
 * radius for the limbs, joined by a smooth minimum, which fills the groove between them. */
#include "math/vec3.h"
#include "model/mannequin.h"
#include "model/sculpture.h"

#define HALF_ROOT 0.70710678118654752440
#define COUNT(table) (sizeof(table) / sizeof *(table))

#define SHOULDER_X 0.168
#define SHOULDER_Y 1.412
#define SHOULDER_Z -0.014
#define ON_ARM(length) \
    { SHOULDER_X + (length)*HALF_ROOT, SHOULDER_Y - (length)*HALF_ROOT, SHOULDER_Z }

const vec3 joint_waist = {0, 1.07, -0.015}, joint_neck = {0, 1.475, -0.015};
const vec3 joint_shoulder = ON_ARM(0), joint_elbow = ON_ARM(0.285), joint_hand = ON_ARM(0.53);
const vec3 joint_hip = {0.092, 0.905, -0.005}, joint_knee = {0.098, 0.485, 0.018}, joint_ankle = {0.102, 0.085, -0.03};
const vec3 joint_ball = {0.106, 0.02, 0.1}, joint_heel = {0.102, 0.04, -0.055};

/* A cone with round ends, of radius `from` at a and `to` at b; or, when r is given, an ellipsoid about a with these
 * half axes. */
typedef struct piece {
    vec3 a, b;
    double from, to;
    vec3 r;
    double blend; /* m, width of the blend with the pieces before it */
} piece;

#define ROD(ax, ay, az, from, bx, by, bz, to, blend) \
    { {ax, ay, az}, {bx, by, bz}, from, to, {0, 0, 0}, blend }
#define BALL(x, y, z, rx, ry, rz, blend) \
    { {x, y, z}, {x, y, z}, 0, 0, {rx, ry, rz}, blend }

/* Only the left piece of each pair. */
static const piece trunk[] = {
    BALL(0, 0.95, -0.008, 0.158, 0.125, 0.108, 0),                /* pelvis */
    BALL(0, 1.09, 0, 0.122, 0.17, 0.088, 0.1),                    /* waist */
    BALL(0, 1.275, -0.01, 0.148, 0.165, 0.1, 0.08),               /* chest */
    ROD(0, 1.375, -0.018, 0.07, 0.135, 1.4, -0.016, 0.052, 0.08), /* shoulders */
    ROD(0.02, 1.47, -0.026, 0.03, 0.13, 1.42, -0.018, 0.034, 0.06),
    BALL(0.064, 1.268, 0.052, 0.062, 0.06, 0.05, 0.06),    /* bust */
    BALL(0.068, 0.885, -0.056, 0.08, 0.088, 0.07, 0.08),   /* seat */
    ROD(0, 1.43, -0.024, 0.058, 0, 1.55, 0.0, 0.05, 0.07), /* neck */
    BALL(0, 1.65, 0.002, 0.075, 0.1, 0.094, 0.03),         /* skull */
    BALL(0, 1.59, 0.03, 0.054, 0.068, 0.062, 0.05),        /* jaw */
};

static const piece foot[] = {
    BALL(0.102, 0.04, -0.05, 0.034, 0.048, 0.044, 0),                /* heel */
    ROD(0.102, 0.065, -0.02, 0.036, 0.106, 0.03, 0.11, 0.033, 0.03), /* instep */
    BALL(0.107, 0.026, 0.128, 0.043, 0.034, 0.06, 0.03),             /* toes */
};

/* The centre and the radius of a limb at some lengths along it. */
typedef struct limb_key {
    double at, x, z, radius;
} limb_key;

/* The left leg by height, upwards. */
static const limb_key leg[] = {
    {0.07, 0.102, -0.03, 0.037},  {0.14, 0.102, -0.028, 0.036}, {0.24, 0.102, -0.024, 0.044},
    {0.35, 0.101, -0.018, 0.053}, {0.44, 0.099, -0.006, 0.05},  {0.5, 0.098, 0.002, 0.052},
    {0.58, 0.097, 0.004, 0.061},  {0.7, 0.095, 0.002, 0.075},   {0.82, 0.092, -0.003, 0.086},
    {0.9, 0.09, -0.006, 0.084},
};

/* The left arm by the length from the shoulder. */
static const limb_key arm[] = {
    {0, 0, 0, 0.044},     {0.08, 0, 0, 0.048}, {0.17, 0, 0, 0.044}, {0.26, 0, 0, 0.037},  {0.3, 0, 0, 0.0365},
    {0.35, 0, 0, 0.0385}, {0.42, 0, 0, 0.035}, {0.49, 0, 0, 0.029}, {0.55, 0, 0, 0.0275}, {0.59, 0, 0, 0.028},
};

/* Interpolates the keys with a continuous slope, taken from the neighbours of each key. */
static double cubic(double from, double to, double slope_from, double slope_to, double t) {
    double drop = from - to;
    return from +
           t * (slope_from + t * (-3 * drop - 2 * slope_from - slope_to + t * (2 * drop + slope_from + slope_to)));
}

static limb_key limb_slope(const limb_key *keys, size_t count, size_t i) {
    const limb_key *a = &keys[i ? i - 1 : 0], *b = &keys[i + 1 < count ? i + 1 : i];
    double span = b->at - a->at;
    return (limb_key){0, (b->x - a->x) / span, (b->z - a->z) / span, (b->radius - a->radius) / span};
}

static limb_key limb_at(const limb_key *keys, size_t count, double at) {
    size_t i = 0;
    while (i + 2 < count && keys[i + 1].at < at) i++;
    const limb_key *a = &keys[i], *b = &keys[i + 1];
    limb_key u = limb_slope(keys, count, i), v = limb_slope(keys, count, i + 1);
    double span = b->at - a->at, t = (at - a->at) / span;
    return (limb_key){at, cubic(a->x, b->x, u.x * span, v.x * span, t), cubic(a->z, b->z, u.z * span, v.z * span, t),
                      cubic(a->radius, b->radius, u.radius * span, v.radius * span, t)};
}

/* The point is given by its length along the limb and two coordinates across it. The ends are round. */
static double limb_distance(const limb_key *keys, size_t count, double along, double x, double z) {
    double at = fmin(fmax(along, keys[0].at), keys[count - 1].at);
    limb_key k = limb_at(keys, count, at);
    return sqrt((along - at) * (along - at) + (x - k.x) * (x - k.x) + (z - k.z) * (z - k.z)) - k.radius;
}

static double length3(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

/* Exact on the surface and to first order near it. */
static double egg_distance(vec3 d, vec3 r) {
    double k = length3(d.x / r.x, d.y / r.y, d.z / r.z);
    double slope = length3(d.x / (r.x * r.x), d.y / (r.y * r.y), d.z / (r.z * r.z));
    return slope > 0 ? k * (k - 1) / slope : -fmin(r.x, fmin(r.y, r.z));
}

static double pieces_distance(const piece *pieces, size_t count, vec3 p) {
    double distance = 0;
    for (size_t i = 0; i < count; i++) {
        const piece *c = &pieces[i];
        double d = c->r.x > 0 ? egg_distance(vec3_sub(p, c->a), c->r) : sculpt_cone(p, c->a, c->from, c->b, c->to);
        distance = i ? sculpt_min(distance, d, c->blend) : d;
    }
    return distance;
}

static double leg_distance(vec3 p) {
    double limb = limb_distance(leg, COUNT(leg), p.y, p.x, p.z);
    return sculpt_min(limb, pieces_distance(foot, COUNT(foot), p), 0.03);
}

/* Along the arm, across it in the plane of both arms, and to the front. */
static vec3 arm_frame(vec3 p) {
    vec3 d = vec3_sub(p, joint_shoulder);
    return vec3_make((d.x - d.y) * HALF_ROOT, (d.x + d.y) * HALF_ROOT, d.z);
}

/* The hand is a mitten, flat, its palm towards the thigh. */
static double arm_distance(vec3 p) {
    vec3 q = arm_frame(p);
    double limb = limb_distance(arm, COUNT(arm), q.x, q.y, q.z);
    double palm = egg_distance(vec3_sub(q, vec3_make(0.61, 0, 0)), vec3_make(0.086, 0.027, 0.04));
    vec3 d = vec3_sub(q, vec3_make(0.585, 0, 0.036));
    vec3 along = vec3_make((d.x + d.z) * HALF_ROOT, d.y, (d.z - d.x) * HALF_ROOT);
    double thumb = egg_distance(along, vec3_make(0.045, 0.022, 0.022));
    return sculpt_min(limb, sculpt_min(palm, thumb, 0.02), 0.03);
}

/* Soles are flat: everything below the ground is cut off, with a round edge. */
static double legs_distance(vec3 p) {
    double legs = sculpt_min(leg_distance(p), leg_distance(vec3_make(-p.x, p.y, p.z)), 0.03);
    return -sculpt_min(-legs, p.y, 0.016);
}

static double trunk_distance(vec3 p) { return pieces_distance(trunk, COUNT(trunk), p); }

/* Lower bounds of the distances of trunk, legs and arms: from a half space, a half space and a rod around them. */
static double trunk_bound(vec3 p) { return 0.76 - p.y; }
static double legs_bound(vec3 p) { return p.y - 1; }
static double arm_bound(vec3 p) {
    vec3 q = arm_frame(p);
    double beyond = q.x - fmin(fmax(q.x, 0), 0.7);
    return length3(beyond, q.y, q.z) - 0.1;
}

/* Trunk, legs and arms in this order, without those that are too far away to matter. */
double mannequin_distance(vec3 point) {
    static const struct {
        double (*bound)(vec3 p), (*distance)(vec3 p);
        double blend;
    } parts[] = {
        {trunk_bound, trunk_distance, 0.06}, {legs_bound, legs_distance, 0.06}, {arm_bound, arm_distance, 0.05}};
    vec3 left = vec3_make(fabs(point.x), point.y, point.z);
    double bounds[COUNT(parts)];
    size_t nearest = 0;
    for (size_t k = 0; k < COUNT(parts); k++) {
        bounds[k] = parts[k].bound(left);
        if (bounds[k] < bounds[nearest]) nearest = k;
    }
    double near = parts[nearest].distance(left), all = INFINITY;
    for (size_t k = 0; k < COUNT(parts); k++) {
        if (k != nearest && bounds[k] > near + 0.06) continue;
        double distance = k == nearest ? near : parts[k].distance(left);
        all = isinf(all) ? distance : sculpt_min(all, distance, parts[k].blend);
    }
    return all;
}
