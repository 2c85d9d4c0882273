/* Points against colliders by formula: where they come to rest, slide, and what that costs them.
 *
 *     accepted ───way───▶ candidate        the first collider on the way takes the rest of it into its tangent plane
 *              ╲                           and, by Coulomb's law, of what is along it
 *     ══════════╳──▶══════════             velocity is treated alike; what was into the collider is lost
 *
 * Since the rest of the way feels friction as the velocity does, a point that friction holds does not creep, whatever the
 * time step. All colliders are convex: a way that touches none of them ends outside of all, however fast it is.
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
    const ruga_vec3
        *accepted;         /* (count) m, at the start of the step. Those inside a collider are put on it first, along
                                     its normal, without gaining velocity */
    ruga_vec3 *candidate;  /* (count) m, at its end */
    ruga_vec3 *velocities; /* (count) m/s, at its end */
    const double *inverse_masses; /* (count) 1/kg, 0: moved by nothing; NULL: all move */
    ruga_vec3 *impulses;          /* (count) N s, what the colliders exerted is added; NULL, or with inverse masses */
    contact_hold
        *holds; /* (count) in: what the velocities were held off already, and rubbed by; out: what stops each now, of
                              several what it is pressed against most. A collider that is not quite reached has the velocity that
                              leads there in another step. NULL: not wanted */
    double dt;  /* s, the step; only for holds */
} respond_points;

/* Brings points out of all colliders; where those leave a point no room (gaps narrower than twice the thickness) it stays as
 * far out as it gets. Returns how many points touched one. Allocates nothing; bit-identical for any number of threads. */
size_t respond_to_colliders(ruga_context *context, const respond_law *law, const collider *colliders,
                            size_t collider_count, const respond_points *points);

#endif
