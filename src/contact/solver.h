/* Contact that lets nothing through: what the world is given as its contact.
 *
 *     gather         all surfaces as one mesh
 *     repulsion      pairs within the thickness at the start: resting contact, friction
 *     impacts        continuous collision on the ways; impulses at the times of impact, round after round
 *     zones          what still collides moves as rigid pieces, which merge until nothing collides
 *     pinched        pairs that kinematic surfaces leave no room: told, softened, and let be
 *     give back      candidates without intersection, impulses for the bodies
 *
 * Zones: the way of every vertex of a zone is t + w x (x - c), which has the momentum and the angular momentum of the ways that it
 * replaces. On the way, at the part s of it, the zone is an affine image of what it was at the start, and det(I + s [w]) =
 * 1 + s² |w|² > 0: what did not intersect at the start never does within a zone. Zones only merge, so the rounds end, at
 * last with everything as one rigid piece. A zone that touches kinematic surfaces goes with them: that is as safe where those
 * move rigidly; where they deform, or differ, the substep is cut into shorter ones, and what then still collides is pinched.
 *
 * Every pair that counts was shown by continuous collision to stay apart on the ways that are given back, in each piece of the
 * substep, or is within one rigid zone. So triangles that do not intersect at the start do not at the end, but for those around
 * pinched pairs: what then intersects is found exactly, told, let be, and drawn apart.
 */
#ifndef CONTACT_SOLVER_H
#define CONTACT_SOLVER_H

#include "contact/broad.h"
#include "contact/collider.h"
#include "contact/contact.h"
#include "contact/repulsion.h"

typedef struct contact_exclusion {
    const char *names[2]; /* of surfaces; both the same: it does not collide with itself */
} contact_exclusion;

/* Surfaces that intersect when contact first sees them. */
typedef enum contact_start {
    CONTACT_START_FAIL,    /* an error that tells how many and where */
    CONTACT_START_GO_ON,   /* those pairs of triangles are let be until they are apart; nothing new comes */
    CONTACT_START_UNTANGLE /* as above, and pushed apart */
} contact_start;

typedef struct contact_def {
    repulsion_law repulsion;
    double separation; /* 1, part of the thickness that nothing comes nearer than */
    int impact_rounds; /* before zones */
    int most_cuts;     /* of a substep in two, halves of halves among them, where kinematic surfaces leave no room */
    int strict;        /* pinched pairs are an error */
    contact_start start;
    size_t exclusion_count;
    const contact_exclusion *exclusions; /* copied */
    /* Colliders by formula: planes as they are; spheres, capsules and boxes as meshes that stand still. */
    size_t collider_count;
    const collider *colliders; /* copied */
} contact_def;

contact_def contact_def_default(void);

/* Measures of a frame, sums over its substeps: "touching" pairs within their thickness, "impacts" in "impact_rounds", "zone_vertices",
 * "cuts" of substeps, "pinched" pairs; and "intersections", the pairs of triangles that intersect at its end. */
ruga_status contact_create(ruga_context *context, const contact_def *def, contact **out);

#endif
