/* Points that something holds off itself while a step is solved: contact inside the solve, not only after it.
 *
 * Stiff cloth over an edge is moved into the collider by every solve that does not know of it; what sets it right afterwards moves
 * some of its points alone, and stretches it. A hold (contact/surface.h) keeps n · v' from falling below that of what it is. All holds of a step
 * are conditions of an active set: first it goes with what holds it, as if friction were without limit; so A v' = b + J, and the impulses
 * J = A v' - b tell what can't be: a hold that pulls, n · J < 0, lets go of its point; one that exceeds Coulomb's law,
 * |J along| > grip n · J, lets it slide against an impulse of grip n · J; then the rest is solved once more, from where it is.
 */
#ifndef SOLVE_HOLDS_H
#define SOLVE_HOLDS_H

#include "contact/surface.h"
#include "math/vec3.h"

/* How a point is held during a step. */
typedef enum hold_state { HOLD_NOT, HOLD_PINNED, HOLD_SLIDES, HOLD_STICKS } hold_state;

enum { HOLD_ROUNDS = 4 }; /* of solving once more, at most */

static inline hold_state hold_begin(const contact_hold *h) {
    if (vec3_length2(h->normal) == 0) return HOLD_NOT;
    return h->grip > 0 ? HOLD_STICKS : HOLD_SLIDES;
}

/* The velocity nearest to v that the hold allows. */
static inline vec3 hold_velocity(hold_state state, const contact_hold *h, vec3 v) {
    if (state == HOLD_SLIDES) return vec3_add_scaled(v, h->normal, vec3_dot(h->normal, vec3_sub(h->velocity, v)));
    return state == HOLD_STICKS ? h->velocity : v;
}

/* What a hold leaves of a change of velocity or of an impulse. */
static inline vec3 hold_change(hold_state state, const contact_hold *h, vec3 change) {
    if (state == HOLD_NOT) return change;
    if (state != HOLD_SLIDES) return (vec3){0, 0, 0};
    return vec3_add_scaled(change, h->normal, -vec3_dot(h->normal, change));
}

#endif
