/* What static, animated and rigid bodies share: they move by themselves alone, and contact feels them as heavy beyond
 * measure. */
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
ruga_status kinematic_accept(body *b, const substep *s);
ruga_status kinematic_settle(body *b, const substep *s); /* predict, at rest there, and what the hooks make of it */
ruga_status kinematic_rebuild(body *b, const ruga_mesh *mesh, const ruga_map *from_old);

/* The way from rest to where a motion leads, as a part of the pre-roll: 0 at its begin and 1 at its end, level at both. */
static inline double kinematic_blend(double preroll) { return preroll * preroll * (3 - 2 * preroll); }

/* The factor that makes a velocity of the way of a substep; 0 when no time passes. */
static inline double kinematic_rate(const substep *s) { return s->dt > 0 ? 1 / s->dt : 0; }

#endif
