/* Contact that keeps surfaces free of intersections: the contact of a world.
 *
 *     gather         all surfaces as one mesh
 *     repulsion      pairs within the thickness at the start: resting contact, friction
 *     impacts        continuous collision along the trajectories; impulses at the times of impact, in rounds
 *     zones          vertices that still collide move as rigid pieces, which merge until nothing collides; then impacts
 *                    and zones again for a part of the relative motion that this took
 *     pinched        pairs for which kinematic surfaces leave no room: counted, and ignored for the rest of the substep
 *     give back      candidates without intersections, impulses for the bodies
 *
 * Zones: the displacement of each vertex of a zone is t + w x (x - c), with the momentum and the angular momentum of
 * the displacements that it replaces. At the fraction s of the trajectories, the zone is an affine image of its start,
 * and det(I + s [w]) = 1 + s² |w|² > 0: triangles of a zone that did not intersect at the start never do. Zones only
 * merge, so the rounds end, in the worst case with everything as one rigid piece. A zone that touches kinematic
 * surfaces moves with them, which is as safe where these move rigidly. Where they deform, or several move differently,
 * the substep is cut into shorter pieces, and pairs that still collide are pinched.
 *
 * Continuous collision shows for each pair that it stays apart along the final trajectories, in each piece of the
 * substep, unless the pair is within one rigid zone. So triangles that do not intersect at the start do not intersect
 * at the end, except around pinched pairs. Those intersections are found exactly, reported, ignored and pushed apart.
 *
 * The work of a substep is limited, in pairs that are checked or pushed: at the limit there are no more impulses, and
 * at several times the limit no more cuts.
 */
#ifndef CONTACT_SOLVER_H
#define CONTACT_SOLVER_H

#include "contact/broad.h"
#include "contact/collider.h"
#include "contact/contact_interface.h"
#include "contact/repulsion.h"
#include "ruga/scene.h"

typedef struct contact_exclusion {
    const char *names[2]; /* of surfaces; twice the same: it does not collide with itself */
} contact_exclusion;

/* Surfaces that intersect when contact first sees them. */
typedef enum contact_start {
    CONTACT_START_FAIL,    /* an error that reports how many and where */
    CONTACT_START_GO_ON,   /* these pairs of triangles are ignored until they are apart; no new ones appear */
    CONTACT_START_UNTANGLE /* as above, and they are pushed apart */
} contact_start;

/* The values that a scene gives, and what they refer to, found. */
typedef struct contact_def {
    ruga_contact_def values; /* its exclusions are not read: these are */
    size_t exclusion_count;
    const contact_exclusion *exclusions; /* copied */
    /* Colliders by formula: planes are exact; spheres, capsules and boxes become static meshes. */
    size_t collider_count;
    const collider *colliders; /* copied */
} contact_def;

contact_def contact_def_default(void);

/* Measures of a frame, sums over its substeps: "touching" pairs within their thickness, "impacts" in "impact_rounds",
 * "zone_vertices", "cuts" of substeps, "pinched" pairs, "limited" substeps that reached the limit of work; further
 * "work", the pairs per vertex of the substep with the most, and "intersections", the pairs of triangles that intersect
 * at the end. */
ruga_status contact_create(ruga_context *context, const contact_def *def, contact **out);

#endif
