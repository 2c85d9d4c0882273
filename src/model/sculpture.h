/* Shapes from pieces that are added, cut away or raised one after the other. For implicit.h. */
#ifndef MODEL_SCULPTURE_H
#define MODEL_SCULPTURE_H

#include <stddef.h>

#include "math/vec3.h"

typedef enum sculpt_kind {
    SCULPT_EGG,  /* an ellipsoid about a with the half axes r */
    SCULPT_CONE, /* a cone with round ends, of radius r.x at a and r.y at b */
    SCULPT_HILL  /* raises the surface by `amount` at a, falling to 0 at the ellipsoid's border */
} sculpt_kind;

typedef struct sculpt_piece {
    sculpt_kind kind;
    vec3 a, b, r; /* m */
    vec3 lean;    /* shear of an ellipsoid: y per x, z per x and z per y */
    /* m: width of the blend, negative if the piece is cut away; height of a hill, negative for a hollow */
    double amount;
} sculpt_piece;

#define EGG(x, y, z, rx, ry, rz, blend) \
    { SCULPT_EGG, {x, y, z}, {0, 0, 0}, {rx, ry, rz}, {0, 0, 0}, blend }
#define LEANING_EGG(x, y, z, rx, ry, rz, yx, zx, zy, blend) \
    { SCULPT_EGG, {x, y, z}, {0, 0, 0}, {rx, ry, rz}, {yx, zx, zy}, blend }
#define CONE(ax, ay, az, from, bx, by, bz, to, blend) \
    { SCULPT_CONE, {ax, ay, az}, {bx, by, bz}, {from, to, 0}, {0, 0, 0}, blend }
#define HILL(x, y, z, rx, ry, rz, yx, zx, zy, height) \
    { SCULPT_HILL, {x, y, z}, {0, 0, 0}, {rx, ry, rz}, {yx, zx, zy}, height }

/* From 0 to 1 while t goes from -1/2 to 1/2. */
double sculpt_step(double t);
/* 1 at 0, falling to 0 at -1 and 1. */
double sculpt_ridge(double t);

/* p, mirrored to the left half if needed; round: m, width in which the halves blend at x = 0. */
vec3 sculpt_left(vec3 p, double round);

/* Smooth minimum and maximum; blend: m, the width of the transition. */
double sculpt_min(double a, double b, double blend);
double sculpt_max(double a, double b, double blend);

/* Approximate distance from an ellipsoid about 0: exact on the surface and to first order near it. */
double sculpt_egg(vec3 d, vec3 r, vec3 lean);
double sculpt_cone(vec3 p, vec3 a, double from, vec3 b, double to);

/* Applies the pieces, in order, to the distance from a shape. */
double sculpt_pieces(const sculpt_piece *pieces, size_t count, vec3 p, double distance);

#endif
