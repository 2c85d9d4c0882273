/* The broad phase: which pairs may come near each other in this substep. */
#ifndef CONTACT_BROAD_H
#define CONTACT_BROAD_H

#include "contact/contact_mesh.h"
#include "contact/pairs.h"

typedef struct broad broad;

/* Two parts that do not collide with each other. */
typedef struct broad_exclusion {
    uint32_t parts[2];
} broad_exclusion;

/* A tree over the mesh's triangles, arranged by the rest meshes; the mesh must outlive it. It never finds pairs that
 * share a vertex, pairs of kinematic parts, pairs within a part that does not collide with itself, and excluded ones.
 * It does find pinned vertices of a moving part: their pins may lead them into something. */
ruga_status broad_create(const contact_mesh *m, const broad_exclusion *exclusions, size_t exclusion_count, broad **out);
void broad_destroy(broad *b); /* NULL is fine */

/* All pairs whose boxes around the trajectories from -> to, each grown by half the margin (m), overlap: every pair
 * whose distance falls to the margin at some time is among them. Pairs that a cheap conservative test shows to stay
 * farther apart may be left out. Sorted by kind, then elements; the array is replaced, and its memory reused.
 * Bit-identical for any number of threads. */
ruga_status broad_find(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin, contact_pairs *pairs);

/* The same, after the trajectories of some vertices changed (`changed`: their numbers, rising): only pairs with one of
 * them. All others have the trajectories of the last call, in the same arrays and with the same margin; then the cost
 * depends on the number of changed vertices, not on the mesh. With other arrays or another margin it is as slow as
 * broad_find. If others changed by up to some distance without being named, pairs within the margin less that distance
 * are still found. */
ruga_status broad_find_changed(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin,
                               const uint32_t *changed, size_t changed_count, contact_pairs *pairs);

/* After broad_find: the ends of all moving parts are to change by this much, m, more or less. In broad_find_changed the
 * others' vertices then count as changed, and moving ones if they change by something else. */
void broad_follow(broad *b, ruga_vec3 change);

#endif
