/* Points against colliders by formula: where they stop and slide, and which impulses that takes.
 *
 *     accepted ───path──▶ candidate    the first collider on the path projects the rest of it into its tangent plane,
 *              ╲                       and friction shortens it by Coulomb's law
 *     ══════════╳──▶══════════         the velocity is treated alike; its inward part is lost
 *
 * Friction acts on the rest of the path as on the velocity, so a point that friction holds does not creep, whatever the
 * time step. All colliders are convex: a path that touches none of them ends outside of all, however fast the point is.
 */
#ifndef CONTACT_RESPOND_H
#define CONTACT_RESPOND_H

#include "contact/collider.h"
#include "contact/surface.h"

typedef struct respond_law {
    double thickness;    /* m, points keep this distance from every collider; not negative */
    double static_ratio; /* 1, friction at rest over a collider's friction while sliding; at least 1 */
} respond_law;

typedef struct respond_points {
    size_t count;
    /* (count) m, at the start of the step. Points inside a collider are first put on it, along its normal, without
     * gaining velocity. */
    const ruga_vec3 *accepted;
    ruga_vec3 *candidate;         /* (count) m, at its end */
    ruga_vec3 *velocities;        /* (count) m/s, at its end */
    const double *inverse_masses; /* (count) 1/kg, 0: moved by nothing; NULL: all move */
    ruga_vec3 *impulses;          /* (count) N s, what the colliders exerted is added; NULL, or with inverse masses */
    /* (count) in: the holds that the velocities already respect, with friction; out: the collider that stops each point
     * now, of several the one that it is pressed against most. A collider that is not quite reached has the velocity
     * that leads there in another step. NULL: not wanted. */
    contact_hold *holds;
    double dt; /* s, the step; only for holds */
} respond_points;

/* Moves points out of all colliders. Where these leave a point no room (gaps narrower than twice the thickness) it
 * stays as far out as it gets. Returns how many points touched one. Allocates nothing; bit-identical for any number of
 * threads. */
size_t respond_to_colliders(ruga_context *context, const respond_law *law, const collider *colliders,
                            size_t collider_count, const respond_points *points);

#endif
