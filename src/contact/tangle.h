/* Triangles that intersect in spite of contact: they did at the start, or kinematic surfaces left no room.
 *
 * The list is exact: pairs of triangles that are not in it do not intersect, and contact keeps it so. Those in it may come apart:
 * an event, a vertex passing a triangle or an edge an edge, turns which edges at it pierce which triangles into the opposite.
 *
 *     vertex v, triangle t     k of the n edges at v pierce t; after it n - k do
 *     edges e, f               k of the n piercings of e with triangles at f, and of f with triangles at e
 *
 * Events with k > 0 are let happen; if that would leave more intersections than there are, only those with 2 k >= n, which leave no more
 * piercings; if there still would be more, as a piercing less may be a pair of triangles more, none, and what intersects stays as it
 * is. All others are prevented as any collision. What is to come apart is pushed so that the contour of the intersection gets
 * shorter (Volino and Magnenat-Thalmann 2006), by a limited way in a substep.
 */
#ifndef CONTACT_TANGLE_H
#define CONTACT_TANGLE_H

#include "base/state.h"
#include "contact/ways.h"
#include "geom/intersections.h"
#include "mesh/topology.h"

typedef struct tangled {
    uint32_t triangles[2]; /* rising */
    uint32_t push;         /* is to come apart */
} tangled;

typedef struct tangle {
    ruga_context *context;
    const broad_exclusion *exclusions; /* the caller's: parts whose pairs do not count */
    size_t exclusion_count;
    ARRAY(tangled) pairs; /* rising */
    key_array near;       /* all pairs of vertices, edges and triangles among them, by pair_key, rising */

    /* Inside: made when there is something to do. */
    intersection_array found;
    topology *topology;
    uint32_t *edge_numbers; /* (edges of the topology) those of the contact_mesh */
    key_array piercings;    /* edge << 32 | triangle, rising */
    vertex_array flags;     /* of `found`: whether to push */
} tangle;

void tangle_release(tangle *t);
/* The mesh is another one; the list is forgotten. */
void tangle_reset(tangle *t);

/* Looks for what intersects at these positions: t->found. */
ruga_status tangle_look(tangle *t, const contact_mesh *m, const ruga_vec3 *positions);
/* Makes the list of it. Pairs that were not in it are pushed apart if `push`. */
ruga_status tangle_take(tangle *t, uint32_t push);

/* Finds what there is to know about the list in this substep: `near`, piercings. Nothing is done when nothing intersects. */
ruga_status tangle_prepare(tangle *t, const contact_mesh *m);
typedef enum tangle_events { TANGLE_ALL, TANGLE_FEWER, TANGLE_NONE } tangle_events;

/* Makes w->let of the events that are let happen. */
ruga_status tangle_let(const tangle *t, tangle_events which, ways *w);
/* Whether a piercing is of triangles that are to come apart. */
int tangle_is_to_part(const tangle *t, uint32_t edge, uint32_t triangle);
/* Moves ends of ways so that what is to come apart does. */
void tangle_push(const tangle *t, ways *w);

void tangle_save(const tangle *t, state_writer *writer);
ruga_status tangle_load(tangle *t, state_reader *reader);
/* Whether a list that was loaded is of this mesh. */
int tangle_fits(const tangle *t, const contact_mesh *m);

#endif
