/* Impulses at the times of impact.
 *
 * A pair that collides gives a condition on the ends of its ways, from its geometry at the time of impact: with the weights w
 * and the direction n of the gap there,
 *
 *     n · sum w_k to_k >= target,     target = min(n · sum w_k from_k, (1 + separation) / 2 of the thickness)
 *
 * so parts come near each other, as near as about half of their thickness, and those that are nearer come no nearer. All conditions
 * of a substep are kept and solved together, by Gauss and Seidel's method in their order, with impulses that push and never pull
 * (as the inelastic projection of Harmon, Vouga, Tamstorf and Grinspun 2008, with inequalities). What slides is held by
 * Coulomb's friction.
 *
 * Each impulse conserves momentum, and at the positions of its time of impact angular momentum: the normal impulse acts along
 * the gap; that of friction, which acts across it, has a turn of the four vertices beside it that takes up its moment.
 */
#ifndef CONTACT_IMPACTS_H
#define CONTACT_IMPACTS_H

#include "contact/ways.h"
#include "math/rigid.h"

typedef struct impact {
    uint32_t vertices[4];
    double weights[4];
    ruga_vec3 normal;  /* unit, towards the first part */
    double target;     /* m, of the gap at the end */
    double effective;  /* kg, 1 / sum of w² / mass */
    double friction;   /* 1 */
    double normal_sum; /* kg m, the impulse so far times the length of the substep */
    ruga_vec3 friction_sum;
    /* For the moment of friction, of pairs whose vertices all move. */
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

/* Adds the conditions of the collisions of the last check; pairs that no force moves give none. */
ruga_status impacts_add(impacts *all, const ways *w);
/* Changes the ends of ways so that the conditions hold, as far as some sweeps get, and marks what changed. */
void impacts_solve(impacts *all, ways *w);

#endif
