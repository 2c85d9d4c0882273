/* Repulsion between surfaces that are nearer than their thickness: resting contact and its friction.
 *
 * Bridson, Fedkiw and Anderson 2002, section 7.2: pairs within a thickness at the start of the substep are kept from approaching,
 * and where they overlap a spring pushes them apart, limited so that a step removes at most a part of the overlap. Friction
 * is Coulomb's, static and kinetic, on the impulses as they add up over the rounds; pairs remember their side and their
 * impulses from substep to substep (Selle, Su, Irving and Fedkiw 2009).
 *
 * Every impulse conserves momentum and angular momentum at the start positions: it is along the gradient of a function that a
 * rigid motion does not change. The normal impulse is along the gap. The slip that friction works on is what is left of the relative
 * velocity without the change of the gap and without the turning of its direction, slip = v - d' n - d n', so a pair that turns
 * as a whole does not slip; its gradient has terms beside the weights.
 */
#ifndef CONTACT_REPULSION_H
#define CONTACT_REPULSION_H

#include "base/state.h"
#include "contact/collider.h"
#include "contact/contact_mesh.h"
#include "contact/pairs.h"

typedef struct repulsion_law {
    double spring; /* 1, part of an overlap that a substep removes, at most 30 times it in a second; 0.1 in the paper */
    double static_ratio; /* 1, friction at rest over friction while sliding; at least 1 */
    int rounds;          /* over all pairs, at most */
    /* Planes, which stand still and are endless: every vertex keeps its thickness from them, also those that are farther away at
     * the start and would end within. Copied; colliders of other kinds are an error. */
    size_t plane_count;
    const collider *planes;
} repulsion_law;

typedef struct repulsion repulsion;
ruga_status repulsion_create(ruga_context *context, const repulsion_law *law, repulsion **out);
void repulsion_destroy(repulsion *r); /* NULL is fine */

/* Changes m->to. Pairs: candidates that the broad phase found with the greatest thickness as margin, sorted by kind, then elements;
 * those beyond their own thickness at the start are left alone, and so are `ignored` ones (by index into pairs, may be NULL). Pairs
 * that are nearer than their thickness in the rest mesh (a thickness above the shortest edge) keep what they have at rest. Returns
 * in *touching how many pairs, and vertices at planes, were within. Bit-identical for any number of threads. Allocates nothing in the steady state. Vertices that get no impulse keep every bit. dt is in s, positive. */
ruga_status repulsion_apply(repulsion *r, contact_mesh *m, const contact_pairs *pairs, const unsigned char *ignored,
                            double dt, size_t *touching);

/* What stopped each vertex in the last repulsion_apply without being moved by it, a plane or a kinematic surface: of several
 * what pushed most. holds: over all vertices of the contact_mesh; on entry those that the bodies' solves were held by, which need to
 * be near, but not to push, to hold again; those that nothing stopped are zeroed. */
void repulsion_holds(const repulsion *r, const contact_mesh *m, contact_hold *holds);

/* Forgets all impulses and sides: after a change of the surfaces, whose elements then have other numbers. */
void repulsion_forget(repulsion *r);

void repulsion_save(const repulsion *r, state_writer *writer); /* the history */
ruga_status repulsion_load(repulsion *r, state_reader *reader);

#endif
