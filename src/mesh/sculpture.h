/* Shapes put together as a sculptor does: pieces that are added, cut away or raised one after the other. For implicit.h. */
#ifndef MESH_SCULPTURE_H
#define MESH_SCULPTURE_H

#include <stddef.h>

#include "math/vec3.h"

typedef enum sculpt_kind {
    SCULPT_EGG,  /* an ellipsoid about a with the half axes r */
    SCULPT_CONE, /* a ball of radius r.x that becomes one of radius r.y on its way from a to b */
    SCULPT_HILL  /* raises the surface by `amount` at a, and less around it, to nothing at the ellipsoid's border */
} sculpt_kind;

typedef struct sculpt_piece {
    sculpt_kind kind;
    vec3 a, b, r;  /* m */
    vec3 lean;     /* of an ellipsoid: y per x, z per x and z per y */
    double amount; /* m: how wide the groove to what is there is filled, negative where the piece is cut away; of a hill
                      its height, negative for a hollow */
} sculpt_piece;

#define EGG(x, y, z, rx, ry, rz, blend) \
    { SCULPT_EGG, {x, y, z}, {0, 0, 0}, {rx, ry, rz}, {0, 0, 0}, blend }
#define LEANING_EGG(x, y, z, rx, ry, rz, yx, zx, zy, blend) \
    { SCULPT_EGG, {x, y, z}, {0, 0, 0}, {rx, ry, rz}, {yx, zx, zy}, blend }
#define CONE(ax, ay, az, from, bx, by, bz, to, blend) \
    { SCULPT_CONE, {ax, ay, az}, {bx, by, bz}, {from, to, 0}, {0, 0, 0}, blend }
#define HILL(x, y, z, rx, ry, rz, yx, zx, zy, height) \
    { SCULPT_HILL, {x, y, z}, {0, 0, 0}, {rx, ry, rz}, {yx, zx, zy}, height }

/* From 0 to 1 where t goes from -1/2 to 1/2. */
double sculpt_step(double t);
/* 1 at 0, nothing from -1 down and from 1 up. */
double sculpt_ridge(double t);

/* p seen from the left of x = 0, whatever side it is on; round: m, how far from there on both sides flow into each other. */
vec3 sculpt_left(vec3 p, double round);

/* Minimum and maximum that go over into each other within blend, m. */
double sculpt_min(double a, double b, double blend);
double sculpt_max(double a, double b, double blend);

/* About the distance from an ellipsoid about 0: right on the surface and to first order near it. */
double sculpt_egg(vec3 d, vec3 r, vec3 lean);
double sculpt_cone(vec3 p, vec3 a, double from, vec3 b, double to);

/* What becomes of the distance from what is there, by the pieces in their order. */
double sculpt_pieces(const sculpt_piece *pieces, size_t count, vec3 p, double distance);

#endif
