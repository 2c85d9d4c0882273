/* Colliders in statics: an energy of a surface's vertices, and a limit of steps (contact/barrier.h).
 *
 * A vertex at the height h above a collider has the barrier b(h) below the reach; its force is -b' along the collider's
 * normal, and its Hessian b'' n nᵀ, without the part of the collider's curvature, which is not definite. There is no
 * friction. The energy alone does not keep a long step outside. `obstacles_limit` shortens it: along its straight
 * trajectory every vertex keeps a tenth of its height, or of the reach. Heights change at most as fast as the place
 * does, so that this is found by advancing safely (conservative advancement), and no vertex passes a thin collider.
 *
 * Vertices alone are tested: a collider that is smaller than a triangle may pass between them.
 */
#ifndef CONTACT_OBSTACLES_H
#define CONTACT_OBSTACLES_H

#include "contact/collider.h"
#include "energy/energy.h"
#include "ruga/map.h"

typedef struct obstacles obstacles;

typedef struct obstacles_def {
    ruga_context *context;
    size_t point_count;
    const ruga_map *visible; /* vertices from points, the owner's; NULL: vertex i is point i */
    size_t vertex_count;
    const unsigned char *collides; /* (vertices) NULL: all do */
    const double *stiffness;       /* (vertices) N/m: κ */
    double reach;                  /* m, positive */
} obstacles_def;

ruga_status obstacles_create(const obstacles_def *def, obstacles **out);
void obstacles_destroy(obstacles *self); /* NULL is fine */
energy_term *obstacles_term(obstacles *self);

/* Of the next solve; the array has to last that long. */
void obstacles_set(obstacles *self, size_t count, const collider *colliders);
/* RUGA_ERROR_INPUT names the first vertex that is inside of a collider or on it. */
ruga_status obstacles_check(const obstacles *self, const ruga_vec3 *points);
/* The greatest part, at most 1, of the displacements of points that leaves all vertices outside. */
double obstacles_limit(const obstacles *self, const ruga_vec3 *from, const ruga_vec3 *to);
/* Vertices nearer than the reach, of the last linearisation. */
size_t obstacles_touch_count(const obstacles *self);

#endif
