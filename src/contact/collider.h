/* Colliders by formula: plane, sphere, capsule, box. */
#ifndef CONTACT_COLLIDER_H
#define CONTACT_COLLIDER_H

#include "ruga/mesh.h"

typedef enum collider_kind { COLLIDER_PLANE, COLLIDER_SPHERE, COLLIDER_CAPSULE, COLLIDER_BOX } collider_kind;

typedef struct collider {
    collider_kind kind;
    ruga_vec3 point;   /* m: of the plane, centre of sphere and box, one end of the capsule's axis */
    ruga_vec3 other;   /* m: the other end of the capsule's axis */
    ruga_vec3 axes[3]; /* unit, orthogonal: of the box; axes[1] is the plane's normal */
    ruga_vec3 half;    /* m: half the box's size along its axes */
    double radius;     /* m: of sphere and capsule */
    double friction;   /* 1 */
} collider;

/* Signed distance of a point, m, negative inside, and the outward unit normal at it: the gradient of the distance
 * wherever that is defined, one of the candidates elsewhere (a sphere's centre gives +y). */
double collider_distance(const collider *c, ruga_vec3 point, ruga_vec3 *normal);

#endif
