/* Shared by static, animated and rigid bodies: no force moves them, and contact sees them with infinite mass. */
#ifndef BODY_KINEMATIC_H
#define BODY_KINEMATIC_H

#include "body/body.h"

/* The kinds put it first in a struct of their own. Their points are the mesh's vertices. */
typedef struct kinematic {
    body base;
    contact_surface surface;
    double *inverse_masses; /* (points) 1/kg, zero */
    ruga_vec3 *impulses;    /* (points) N s, what contact exerted; nothing comes of it */
} kinematic;

ruga_status kinematic_init(kinematic *k, const body_interface *interface, const char *kind, const ruga_mesh *mesh);
void kinematic_release(kinematic *k);

/* Functions of their interfaces. */
contact_surface *kinematic_surface(body *b);
ruga_status kinematic_accept(body *b, const substep *s, const contact_surface *surface);
ruga_status kinematic_settle(body *b, const substep *s); /* predict, at rest there, and what its parts make of it */
ruga_status kinematic_rebuild(body *b, const body_change *change);

/* The blend from rest to a motion over the pre-roll: 0 at its start and 1 at its end, with zero slope at both. */
static inline double kinematic_blend(double preroll) { return preroll * preroll * (3 - 2 * preroll); }

/* The factor from the displacement of a substep to a velocity, 1/s; 0 when no time passes. */
static inline double kinematic_rate(const substep *s) { return s->dt > 0 ? 1 / s->dt : 0; }

#endif
