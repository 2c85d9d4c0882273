/* Holds: points that rest on an obstacle are kept out of it while a step is solved, not only after it.
 *
 * Every solve that ignores a collider moves stiff cloth over an edge into it. A correction afterwards moves single
 * points and stretches the cloth. A hold (contact/surface.h) keeps n . v' from falling below the obstacle's n . w, and
 * adds friction. The step minimises
 *
 *     v'A v' / 2 - b . v' + sum grip p |slip|    with  n . (v' - w) >= 0
 *
 * where slip is the part of v' - w along the surface and the pressing impulse p is that of the last round, so that
 * friction dissipates as much as it can: Coulomb's law. The solution is found in rounds. First every held point sticks;
 * so A v' = b + J, and J = A v' - b shows which holds are wrong:
 *
 *     n . J < 0                     the hold pulls: the point is released, and held again when it would move in
 *     |J along| > grip n . J        the point slides against a drag c >= 0: the impulse -c slip, with c |slip| = grip p
 *
 * Then the step is solved again, from the last result. In every round the holds are linear conditions that v' = w
 * fulfils, and the drag adds to A. So on a static obstacle the solve adds no energy, and friction never pushes along
 * the slip or reverses it, even if the rounds end early. A constant impulse against the slip of the last round would do
 * both.
 */
#ifndef SOLVE_HOLDS_H
#define SOLVE_HOLDS_H

#include "contact/surface.h"
#include "math/vec3.h"

/* The state of a point during a step. */
typedef enum hold_state { HOLD_NOT, HOLD_PINNED, HOLD_SLIDES, HOLD_STICKS } hold_state;

enum { HOLD_ROUNDS = 6 }; /* of solving again, at most */

static inline hold_state hold_begin(const contact_hold *h) {
    if (vec3_length2(h->normal) == 0) return HOLD_NOT;
    return h->grip > 0 ? HOLD_STICKS : HOLD_SLIDES;
}

/* The velocity nearest to v that the hold allows. */
static inline vec3 hold_velocity(hold_state state, const contact_hold *h, vec3 v) {
    if (state == HOLD_SLIDES) return vec3_add_scaled(v, h->normal, vec3_dot(h->normal, vec3_sub(h->velocity, v)));
    return state == HOLD_STICKS ? h->velocity : v;
}

/* The part of x along the surface that holds. */
static inline vec3 hold_along(const contact_hold *h, vec3 x) {
    return vec3_add_scaled(x, h->normal, -vec3_dot(h->normal, x));
}

/* The part of a change of velocity, or of an impulse, that a hold allows. */
static inline vec3 hold_change(hold_state state, const contact_hold *h, vec3 change) {
    if (state == HOLD_NOT) return change;
    return state == HOLD_SLIDES ? hold_along(h, change) : (vec3){0, 0, 0};
}

#endif
