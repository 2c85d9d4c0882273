/* The broad phase: which pairs may come near each other in this substep. */
#ifndef CONTACT_BROAD_H
#define CONTACT_BROAD_H

#include "contact/contact_mesh.h"
#include "contact/pairs.h"

typedef struct broad broad;

/* Parts whose pairs do not count, as the user gave them. */
typedef struct broad_exclusion {
    uint32_t parts[2];
} broad_exclusion;

/* A tree over the mesh's triangles, arranged by the rest meshes; the mesh must outlive it. Never found are: pairs that share a
 * vertex, pairs of parts that nothing moves by forces, those within a part that does not collide with itself, excluded ones.
 * Pinned vertices of a part that moves are found: they may be led into something. */
ruga_status broad_create(const contact_mesh *m, const broad_exclusion *exclusions, size_t exclusion_count, broad **out);
void broad_destroy(broad *b); /* NULL is fine */

/* All pairs whose boxes over the ways from -> to, each grown by half the margin (m), overlap: every pair whose distance falls
 * to the margin at some time is among them. Those that a cheap conservative test shows to stay apart farther than that may be
 * left out. Sorted by kind, then elements; the array is replaced, and reused. Bit-identical for any number of threads. */
ruga_status broad_find(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin, contact_pairs *pairs);

/* The same, after the ways of some vertices changed (`changed`: their numbers, rising): only pairs with one of them. All
 * others have the ways they had in the last call, in the same arrays and with the same margin; then it costs as much as there
 * are of them, not as the mesh. With other arrays or another margin it is as slow as broad_find. Should others have changed by
 * up to some distance without being named, what comes within the margin less that distance is still found. */
ruga_status broad_find_changed(broad *b, const ruga_vec3 *from, const ruga_vec3 *to, double margin,
                               const uint32_t *changed, size_t changed_count, contact_pairs *pairs);

#endif
