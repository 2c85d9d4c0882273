/* The shoe's shape. The upper is one smooth body, so that creases can be drawn across the bend of its toes; quarters,
 * throat and laces are relief on it. The opening is cut into it as deep as it can be seen, and not into the toes: so
 * the surface is one closed sheet, nowhere thinner than a padded collar. The sole with its heel is added below. */
#include "model/sculpture.h"
#include "model/shoe.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const sculpt_piece upper[] = {
    EGG(0, 0.026, 0.122, 0.041, 0.024, 0.056, 0.01),             /* toe box */
    EGG(0, 0.028, 0.078, 0.041, 0.030, 0.060, 0.04),             /* ball */
    CONE(0, 0.038, 0.062, 0.026, 0, 0.066, -0.005, 0.031, 0.04), /* instep */
    EGG(0, 0.056, -0.064, 0.030, 0.050, 0.036, 0.03),            /* heel */
    CONE(0, 0.055, -0.052, 0.030, 0, 0.14, -0.040, 0.030, 0.03), /* ankle */
    CONE(0, 0.050, -0.050, 0.027, 0, 0.034, 0.070, 0.031, 0.02), /* waist */
};

static const sculpt_piece inside[] = {
    CONE(0, 0.062, -0.058, 0.024, 0, 0.16, -0.048, 0.028, -0.005),         /* around the ankle */
    CONE(0, 0.062, -0.054, 0.022, 0, 0.080, 0.000, 0.020, -0.005),         /* along the foot */
    CONE(0, 0.080, 0.000, 0.020, 0, 0.16, -0.015, 0.022, -0.005),          /* below the tongue */
    LEANING_EGG(0, 0.091, 0.008, 0.022, 0.022, 0.012, 0, 0, -0.85, 0.006), /* the tongue itself */
};

/* ---- Relief. */

/* Quarters end on the vamp along a slanting line; between them, on top, is the throat with four laces across. */
static double relief(vec3 p) {
    double end = 0.0066 + 0.9 * p.y, quarters = sculpt_step((end - p.z) / 0.004);
    double top = sculpt_step((p.y - 0.05) / 0.01);
    double throat = sculpt_step((0.010 - p.x) / 0.004) * sculpt_step((p.z + 0.01) / 0.01) * top;
    double laces = 0;
    for (int i = 0; i < 4; i++) laces += sculpt_ridge((p.z - 0.056 + 0.0135 * i) / 0.0042);
    laces *= sculpt_step((0.0155 - p.x) / 0.004) * top;
    return quarters * (0.0018 - 0.0036 * throat) + 0.0048 * laces;
}

/* Lowest at the ankle, higher at the heel, highest at the throat. */
static double collar_height(double z) {
    double t = (z + 0.052) / 0.05;
    return 0.074 + (t < 0 ? 0.012 : 0.022) * t * t;
}

/* The lower side of the sole: on the ground at the heel and from the ball to the toes. */
static double bottom_height(double z) {
    return 0.019 * sculpt_step((z + 0.026) / 0.006) * (1 - sculpt_step((z - 0.03) / 0.09));
}

/* ---- The sole: an outline from above; thick at the heel, hollow between heel and ball. */
static double sole_distance(vec3 p) {
    vec3 below = vec3_make(p.x, 0, p.z);
    double outline = sculpt_min(sculpt_cone(below, vec3_make(0, 0, -0.066), 0.039, vec3_make(0, 0, 0.02), 0.036),
                                sculpt_cone(below, vec3_make(0, 0, 0.085), 0.049, vec3_make(0, 0, 0.134), 0.048), 0.06);
    double top = 0.014 + 0.018 * sculpt_step((0.03 - p.z) / 0.1);
    return sculpt_max(outline, sculpt_max(p.y - top, bottom_height(p.z) - p.y, 0.002), 0.004);
}

double shoe_distance(vec3 point) {
    vec3 p = sculpt_left(point, 0.002);
    vec3 walls = vec3_make(p.x, sculpt_max(p.y, 0.026, 0.01), p.z); /* vertical down to the sole */
    double distance = sculpt_pieces(upper, COUNT(upper), walls, 1) - relief(p);
    distance = sculpt_max(distance, p.y - collar_height(p.z), 0.006);
    distance = sculpt_pieces(inside, COUNT(inside), p, distance);
    distance = sculpt_max(distance, bottom_height(p.z) + 0.006 - p.y, 0.004);
    return sculpt_min(distance, sole_distance(p), 0.007);
}
