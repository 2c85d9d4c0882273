/* Repulsion between surfaces that are nearer than their thickness: resting contact and its friction.
 *
 * Bridson, Fedkiw and Anderson 2002, section 7.2: pairs within a thickness at the start of the substep are kept from
 * approaching, and where they overlap a spring pushes them apart, limited so that a step removes at most a fraction of
 * the overlap. Friction is Coulomb's, static and kinetic, on the impulses summed over the rounds; pairs remember their
 * side and their impulses from substep to substep (Selle, Su, Irving and Fedkiw 2009).
 *
 * Every impulse conserves momentum and angular momentum at the start positions: it is along the gradient of a function
 * that a rigid motion does not change. The normal impulse is along the gap. The slip that friction resists is the
 * relative velocity without the change of the gap and without the rotation of its direction, slip = v - d' n - d n', so
 * a pair that rotates as a whole does not slip. Its gradient has terms beside the weights.
 */
#ifndef CONTACT_REPULSION_H
#define CONTACT_REPULSION_H

#include "base/state.h"
#include "contact/collider.h"
#include "contact/contact_mesh.h"
#include "contact/pairs.h"

typedef struct repulsion_law {
    double spring;       /* 1, fraction of an overlap that a substep removes; at most 30 / s; 0.1 in the paper */
    double static_ratio; /* 1, friction at rest over friction while sliding; at least 1 */
    int rounds;          /* over all pairs, at most */
    /* Static, infinite planes: every vertex keeps its thickness from them, also vertices that are farther away at the
     * start and would end within it. Copied; other kinds of colliders are an error. */
    size_t plane_count;
    const collider *planes;
} repulsion_law;

typedef struct repulsion repulsion;
ruga_status repulsion_create(ruga_context *context, const repulsion_law *law, repulsion **out);
void repulsion_destroy(repulsion *r); /* NULL is fine */

/* Finds the pairs that touch, at m->from, with their impulses of the last substep: the first part of repulsion_apply,
 * which then continues from here. Pairs and `ignored` as there. A reach beyond one thickness is for a solve alone: such
 * pairs may come as near as their thickness. Without REPULSION_REACH a pair that leaves its thickness falls freely for
 * a substep, and never rests. Without approaching pairs, from m->from to m->to, landing cloth is stopped after the
 * solve, vertex by vertex, and stretches. */
#define REPULSION_REACH 1.5
ruga_status repulsion_begin(repulsion *r, const contact_mesh *m, const contact_pairs *pairs,
                            const unsigned char *ignored, pair_reach reach, double dt);
/* Their rows, for a solve of several bodies, and the impulses that it found. Rows of kinematic vertices alone are left
 * out. The rows belong to r until the next repulsion_begin. */
ruga_status repulsion_rows(repulsion *r, const contact_mesh *m, contact_row **rows, size_t *count);
void repulsion_take_rows(repulsion *r);

/* Changes m->to. Pairs: candidates that the broad phase found with the greatest thickness as margin, sorted by kind,
 * then elements. Pairs beyond their own thickness at the start are skipped, and so are `ignored` ones (by index into
 * pairs, may be NULL). Pairs that are nearer than their thickness in the rest mesh (a thickness above the shortest
 * edge) keep their distance at rest. *touching: how many pairs, and vertices at planes, were within. Bit-identical for
 * any number of threads. Allocates nothing in the steady state. Vertices without an impulse keep every bit. dt is in s,
 * positive. */
ruga_status repulsion_apply(repulsion *r, contact_mesh *m, const contact_pairs *pairs, const unsigned char *ignored,
                            double dt, size_t *touching);

/* The plane or kinematic surface that stopped each vertex in the last repulsion_apply; of several, the one that pushed
 * most. holds: over all vertices of the contact_mesh. On entry: the holds that the bodies' solves used; a vertex that
 * had one only needs to be near the surface, not pushed by it, to be held again. Vertices that nothing stopped get
 * zeros. */
void repulsion_holds(const repulsion *r, const contact_mesh *m, contact_hold *holds);

/* Forgets all impulses and sides: after a change of the surfaces, whose elements then have other numbers. */
void repulsion_forget(repulsion *r);

void repulsion_save(const repulsion *r, state_writer *writer); /* the history */
ruga_status repulsion_load(repulsion *r, state_reader *reader);

#endif
