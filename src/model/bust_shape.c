/* The bust's shape: a skull and a neck of pieces that blend into each other, then the face: sockets, nose, eyes with
 * lids, lips, brows, ears. Fine features are carved into the surface, as lines and hollows of a few millimetres, so
 * that nothing is thinner than two triangles of the model.
 *
 * Proportions follow the canon: the eyes are at half the height of the head and five eyes' widths fit across it, the
 * nose ends midway between brow and chin, the mouth is a third of the distance below it, the ears are as high as from
 * brow to nose. */
#include "model/bust.h"
#include "model/sculpture.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Only the left piece of each pair. */
static const sculpt_piece head[] = {
    EGG(0, 0.143, -0.012, 0.075, 0.083, 0.091, 0.01),                    /* cranium */
    EGG(0, 0.150, 0.034, 0.059, 0.058, 0.056, 0.03),                     /* forehead */
    EGG(0, 0.075, 0.042, 0.049, 0.066, 0.051, 0.03),                     /* face */
    CONE(0.043, 0.044, 0.008, 0.012, 0.014, 0.016, 0.078, 0.011, 0.035), /* jaw */
    CONE(0.050, 0.098, -0.005, 0.014, 0.043, 0.044, 0.008, 0.012, 0.03), /* its branch */
    EGG(0.044, 0.090, 0.061, 0.018, 0.015, 0.017, 0.03),                 /* cheekbone */
    CONE(0.050, 0.093, 0.055, 0.007, 0.062, 0.1, 0.005, 0.005, 0.03),    /* its arch */
    EGG(0.038, 0.066, 0.040, 0.018, 0.030, 0.036, 0.035),                /* cheek */
    EGG(0, 0.016, 0.087, 0.016, 0.013, 0.013, 0.02),                     /* chin */
    EGG(0, 0.050, 0.079, 0.026, 0.024, 0.024, 0.02),                     /* around the mouth */
    EGG(0, 0.131, 0.080, 0.014, 0.012, 0.012, 0.02),                     /* between the brows */
    CONE(0.014, 0.131, 0.083, 0.006, 0.043, 0.136, 0.064, 0.006, 0.025), /* brow */
};

static const sculpt_piece trunk[] = {
    CONE(0, -0.12, -0.040, 0.048, 0, 0.05, -0.010, 0.043, 0.02),          /* neck */
    EGG(0, -0.19, -0.04, 0.17, 0.095, 0.07, 0.06),                        /* chest */
    CONE(0.02, -0.03, -0.040, 0.018, 0.12, -0.120, -0.045, 0.03, 0.06),   /* from neck to shoulder */
    CONE(0.048, 0.060, -0.012, 0.006, 0.016, -0.098, 0.008, 0.005, 0.03), /* from ear to breastbone */
    CONE(0.022, -0.106, 0.010, 0.005, 0.13, -0.100, -0.024, 0.006, 0.03), /* collarbone */
    EGG(0, -0.035, 0.022, 0.006, 0.014, 0.006, 0.02),                     /* larynx */
};

static const sculpt_piece features[] = {
    EGG(0.033, 0.114, 0.094, 0.020, 0.013, 0.018, -0.02),                      /* eye sockets */
    HILL(0.062, 0.135, 0.05, 0.03, 0.035, 0.035, 0, 0, 0, -0.003),             /* temples */
    HILL(0, 0.031, 0.100, 0.022, 0.010, 0.02, 0, 0, 0, -0.004),                /* below the lips */
    CONE(0, 0.118, 0.086, 0.006, 0, 0.083, 0.109, 0.0085, 0.018),              /* bridge of the nose */
    EGG(0, 0.0775, 0.1105, 0.0110, 0.0095, 0.0115, 0.010),                     /* its tip */
    EGG(0.0120, 0.0750, 0.0985, 0.0062, 0.0078, 0.0105, 0.008),                /* its wings */
    HILL(0.0066, 0.0685, 0.1045, 0.0060, 0.0070, 0.0090, 0, 0, 0, -0.0050),    /* nostrils */
    HILL(0.027, 0.060, 0.085, 0.011, 0.024, 0.02, -2, 0, 0, -0.0012),          /* fold from nose to mouth */
    HILL(0, 0.0600, 0.105, 0.0080, 0.012, 0.02, 0, 0, 0, -0.0011),             /* below the nose */
    CONE(0.003, 0.0500, 0.1030, 0.0050, 0.024, 0.0455, 0.0900, 0.0022, 0.005), /* upper lip */
    CONE(0.000, 0.0405, 0.1005, 0.0064, 0.022, 0.0445, 0.0890, 0.0025, 0.006), /* lower lip */
};

static double square(double x) { return x * x; }

/* ---- Eyes: a ball of lids with an almond-shaped opening, which is sunk. All slopes are gentle, so that lids are
 * smooth lines where sides of triangles are at most a sixth of the opening's height. */
static double carve_eye(vec3 p, double distance) {
    const double half_width = 0.0158;
    vec3 d = vec3_sub(p, vec3_make(0.0322, 0.1145, 0.0652));
    distance = sculpt_min(distance, vec3_length(d) - 0.0205, 0.006);
    double u = d.x, v = d.y - 0.06 * u, arch = 1 - square(u / half_width);
    if (d.z < 0 || arch < -0.5) return distance;

    /* The opening, sunk deepest below the upper lid, which has a fold. */
    double above = v - 0.0068 * arch, below = -0.0058 * arch - v, fade = fmin(arch + 0.5, 1);
    double beyond = sculpt_max(above, below, 0.003), upper = sculpt_step(v / 0.008);
    const double corner = sculpt_step((u + 0.0110) / 0.008); /* towards the nose lids are steep, and stay closed */
    distance += (0.0011 + 0.0008 * upper) * sculpt_step(-(beyond + 0.0004) / 0.0050) * corner;
    distance -= 0.0004 * sculpt_ridge((beyond - 0.0022) / 0.0034) * fade;
    distance += 0.0007 * sculpt_ridge((above - 0.0068) / 0.0038) * fade;

    /* The pupil, drilled as on statues. */
    const double from_pupil = sqrt(square(u + 0.0006) + square(v - 0.0006));
    return distance + 0.0034 * sculpt_ridge(from_pupil / 0.0058);
}

/* ---- Eyebrows: a band that rises and narrows towards the outside. */
static double raise_brow(vec3 p, double distance) {
    double t = (p.x - 0.010) / 0.044;
    if (t < 0 || t > 1 || p.z < 0) return distance;
    double line = 0.1300 + t * (0.0140 - 0.0120 * t), width = 0.0072 - 0.0022 * t;
    return distance -
           0.0008 * sculpt_ridge((p.y - line) / width) * sculpt_step(4 * t - 0.5) * sculpt_step(4 * (1 - t) - 0.5);
}

/* ---- The line between the lips, which rises a little from the middle and falls again to the corners. */
static double carve_mouth(vec3 p, double distance) {
    double x = square(p.x / 0.0275);
    if (x > 1 || p.z < 0.06) return distance;
    double line = 0.0450 + 0.0056 * x * (1 - x) - 0.0004 * (1 - x);
    return distance + 0.0021 * sculpt_ridge((p.y - line) / 0.0042) * (1 - x);
}

/* ---- Ears, in a frame of their own: a to the back and outwards, b up, c out of the ear. */
static double add_ear(vec3 p, double distance) {
    const vec3 upright = {0, 0, 0}, back = {0.42, 0, -0.9075}, out = {0.9075, 0, 0.42};
    vec3 d = vec3_sub(p, vec3_make(0.0685, 0.098, 0.004));
    double b = d.y, a = vec3_dot(d, back) + 0.15 * b, c = vec3_dot(d, out);
    if (fabs(b) > 0.05 || a < -0.03 || a > 0.055 || fabs(c) > 0.035) return distance;

    /* The base of the ear, and the ear canal. */
    distance = sculpt_min(
        distance, sculpt_egg(vec3_make(a - 0.008, b + 0.004, c + 0.012), vec3_make(0.012, 0.024, 0.012), upright),
        0.012);
    distance = sculpt_max(
        distance, -sculpt_egg(vec3_make(a - 0.009, b + 0.004, c - 0.002), vec3_make(0.010, 0.013, 0.008), upright),
        0.003);

    /* The shell, cut by a relief: the rim, the fold inside it, the hollow. */
    double wide = 0.0185 * (1 + 0.22 * b / 0.031), x = (a - 0.014) / wide, y = (b - 0.002) / 0.0325;
    double k = sqrt(x * x + y * y), upper = sculpt_step((b + 0.012) / 0.012);
    double relief = 0.0030 * sculpt_ridge((k - 0.86) / 0.34) * fmax(upper, 0.35) +
                    0.0026 * sculpt_ridge((k - 0.44) / 0.28) * sculpt_step((x + 0.2) / 0.6) * upper -
                    0.007 * sculpt_ridge(sqrt(square((a - 0.009) / 0.011) + square((b + 0.004) / 0.015)));
    double shell = sculpt_egg(vec3_make(a - 0.014, b - 0.002, c), vec3_make(wide, 0.0325, 0.015), upright);
    distance = sculpt_min(distance, sculpt_max(shell, c - relief - 0.002, 0.005), 0.005);

    /* The flap in front of the hollow. */
    return sculpt_min(distance,
                      sculpt_egg(vec3_make(a + 0.001, b + 0.006, c - 0.002), vec3_make(0.004, 0.006, 0.004), upright),
                      0.004);
}

/* Neck and shoulders, with a rounded outline from above. */
static double trunk_distance(vec3 p) {
    vec3 left = sculpt_left(p, 0.01);
    left.x -= 0.005;
    double outline =
        sculpt_egg(vec3_sub(p, vec3_make(0, -0.08, -0.03)), vec3_make(0.125, 0.5, 0.105), vec3_make(0, 0, 0));
    return sculpt_max(sculpt_pieces(trunk, COUNT(trunk), left, 1), outline, 0.03);
}

double bust_distance(vec3 point) {
    vec3 left = sculpt_left(point, 0.001);
    double distance = sculpt_pieces(head, COUNT(head), sculpt_left(point, 0.004), 1);
    distance = sculpt_min(distance, trunk_distance(point), 0.025);
    distance = sculpt_pieces(features, COUNT(features), left, distance);
    distance = carve_eye(left, distance);
    distance = raise_brow(left, distance);
    distance = carve_mouth(left, distance);
    distance = add_ear(left, distance);
    return sculpt_max(distance, BUST_BASE - point.y, 0.02);
}

/* ---- Bone. */

static const sculpt_piece bones[] = {
    EGG(0, 0.143, -0.012, 0.063, 0.071, 0.079, 0.01),                     /* cranium */
    EGG(0, 0.150, 0.034, 0.047, 0.046, 0.044, 0.025),                     /* forehead */
    CONE(0.012, 0.130, 0.066, 0.008, 0.040, 0.134, 0.049, 0.008, 0.015),  /* brow */
    EGG(0, 0.068, 0.045, 0.031, 0.040, 0.034, 0.025),                     /* upper jaw */
    CONE(0, 0.120, 0.070, 0.007, 0, 0.100, 0.076, 0.006, 0.015),          /* bridge of the nose */
    EGG(0.037, 0.088, 0.046, 0.013, 0.011, 0.012, 0.015),                 /* cheekbone */
    CONE(0.042, 0.089, 0.042, 0.007, 0.050, 0.097, 0.000, 0.007, 0.015),  /* its arch */
    CONE(0.036, 0.048, 0.004, 0.010, 0.011, 0.025, 0.058, 0.010, 0.015),  /* jaw */
    CONE(0.041, 0.095, -0.006, 0.010, 0.036, 0.048, 0.004, 0.010, 0.015), /* its branch */
    EGG(0, 0.026, 0.063, 0.016, 0.013, 0.013, 0.015),                     /* chin */
    EGG(0, 0.045, 0.062, 0.022, 0.017, 0.024, 0.012),                     /* teeth */
    CONE(0, -0.16, -0.045, 0.034, 0, 0.06, -0.018, 0.030, 0.02),          /* core of the neck */
    EGG(0, -0.20, -0.035, 0.120, 0.080, 0.060, 0.05),                     /* core of the shoulders */
    EGG(0.0322, 0.1145, 0.0680, 0.0180, 0.0170, 0.0200, -0.006),          /* eye sockets */
    EGG(0, 0.081, 0.088, 0.009, 0.014, 0.014, -0.006),                    /* opening of the nose */
};

double skull_distance(vec3 point) {
    double distance = sculpt_pieces(bones, COUNT(bones), sculpt_left(point, 0.004), 1);
    return sculpt_max(distance, bust_distance(point) + SKULL_LEAST_DEPTH, 0.008);
}
