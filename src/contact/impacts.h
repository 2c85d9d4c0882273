/* Impulses at the times of impact.
 *
 * A colliding pair gives a condition on the ends of its trajectories. With the weights w and the direction n of the gap
 * at the time of impact it is
 *
 *     n · sum w_k to_k >= target,     target = min(n · sum w_k from_k, (1 + separation) / 2 of the thickness)
 *
 * so parts may approach each other to about half of their thickness, and parts that are nearer come no nearer. All
 * conditions of a substep are kept and solved together, by the Gauss-Seidel method in their order, with impulses that
 * push and never pull (the inelastic projection of Harmon, Vouga, Tamstorf and Grinspun 2008, with inequalities).
 * Sliding is resisted by Coulomb friction.
 *
 * Each impulse conserves momentum, and angular momentum at the positions of its time of impact: the normal impulse acts
 * along the gap. The friction impulse acts across the gap, so a rotation of the four vertices compensates its moment.
 */
#ifndef CONTACT_IMPACTS_H
#define CONTACT_IMPACTS_H

#include "contact/trajectories.h"
#include "math/rigid_motion.h"

enum { IMPACT_SWEEPS = 16 }; /* over all impacts, at most */

typedef struct impact {
    uint32_t vertices[4];
    double weights[4];
    ruga_vec3 normal;  /* unit, towards the first part */
    double target;     /* m, of the gap at the end */
    double effective;  /* kg, 1 / sum of w² / mass */
    double friction;   /* 1 */
    double normal_sum; /* kg m, the impulse so far times the length of the substep */
    ruga_vec3 friction_sum;
    /* For the moment of friction, in pairs whose vertices all move. */
    int turns;
    ruga_vec3 arms[4];  /* m, from the centre of mass at the time of impact */
    ruga_vec3 gap;      /* m, then */
    symmetric3 inverse; /* 1/(kg m²), of the inertia about it */
} impact;

typedef struct impacts {
    ruga_context *context;
    ARRAY(impact) items;
} impacts;

void impacts_release(impacts *all);
void impacts_clear(impacts *all);

/* Adds the conditions of the collisions of the last check; pairs of kinematic vertices give none. */
ruga_status impacts_add(impacts *all, const trajectories *t);
/* Changes the ends of trajectories so that the conditions hold, as far as the sweeps achieve, and marks the
 * vertices. */
void impacts_solve(impacts *all, trajectories *t);

#endif
