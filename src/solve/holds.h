/* Points that something holds off itself while a step is solved: contact inside the solve, not only after it.
 *
 * Stiff cloth over an edge is moved into the collider by every solve that does not know of it; what sets it right afterwards moves
 * some of its points alone, and stretches it. A hold (contact/surface.h) keeps n . v' from falling below that of what it is, w, and
 * rubs. The step is the least of
 *
 *     v'A v' / 2 - b . v' + sum grip p |slip|    with  n . (v' - w) >= 0,  slip = (v' - w) along the surface,  p the press
 *
 * where the press is that of the last round, so that friction dissipates as much as it can: Coulomb's law. It is found in rounds. First
 * every point sticks to what holds it; so A v' = b + J, and J = A v' - b tells what can't be:
 *
 *     n . J < 0                     it pulls: the point is let go. It is held again when it would go in
 *     |J along| > grip n . J        it slides, against a drag c >= 0: the impulse -c slip. c is chosen so that c |slip| is grip p
 *
 * Then it is solved once more, from where it is. Whatever the round, the holds are linear conditions that v' = w fulfils, and the drag
 * adds to A: held by what stands still, the solve adds no energy, and friction never pushes along or turns the slip round, also
 * where the rounds end early. A constant impulse against the slip of the last round would do both.
 */
#ifndef SOLVE_HOLDS_H
#define SOLVE_HOLDS_H

#include "contact/surface.h"
#include "math/vec3.h"

/* How a point is held during a step. */
typedef enum hold_state { HOLD_NOT, HOLD_PINNED, HOLD_SLIDES, HOLD_STICKS } hold_state;

enum { HOLD_ROUNDS = 6 }; /* of solving once more, at most */

static inline hold_state hold_begin(const contact_hold *h) {
    if (vec3_length2(h->normal) == 0) return HOLD_NOT;
    return h->grip > 0 ? HOLD_STICKS : HOLD_SLIDES;
}

/* The velocity nearest to v that the hold allows. */
static inline vec3 hold_velocity(hold_state state, const contact_hold *h, vec3 v) {
    if (state == HOLD_SLIDES) return vec3_add_scaled(v, h->normal, vec3_dot(h->normal, vec3_sub(h->velocity, v)));
    return state == HOLD_STICKS ? h->velocity : v;
}

/* What is along the surface that holds. */
static inline vec3 hold_along(const contact_hold *h, vec3 x) {
    return vec3_add_scaled(x, h->normal, -vec3_dot(h->normal, x));
}

/* What a hold leaves of a change of velocity or of an impulse. */
static inline vec3 hold_change(hold_state state, const contact_hold *h, vec3 change) {
    if (state == HOLD_NOT) return change;
    return state == HOLD_SLIDES ? hold_along(h, change) : (vec3){0, 0, 0};
}

#endif
