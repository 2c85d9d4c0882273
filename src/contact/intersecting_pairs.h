/* Pairs of triangles that intersect in spite of contact: they did at the start, or kinematic surfaces left no room.
 *
 * The list is exact: pairs of triangles that are not in it do not intersect, and contact keeps it so. Pairs in the list
 * may separate through events, in which a vertex passes a triangle or an edge passes an edge. An event inverts which
 * edges at it pierce which triangles:
 *
 *     vertex v, triangle t     k of the n edges at v pierce t; after the event n - k do
 *     edges e, f               k of the n piercings of e with triangles at f, and of f with triangles at e
 *
 * Events with k > 0 are allowed. If that would leave more intersections than before, only events with 2 k >= n are
 * allowed, which leave no more piercings. If there would still be more, because one piercing less can be one pair of
 * triangles more, no event is allowed and the intersections stay as they are. All other events are prevented like any
 * collision. Pairs that must separate are pushed so that the contour of the intersection gets shorter (Volino and
 * Magnenat-Thalmann 2006), by a limited distance per substep.
 */
#ifndef CONTACT_INTERSECTING_PAIRS_H
#define CONTACT_INTERSECTING_PAIRS_H

#include "base/state.h"
#include "contact/trajectories.h"
#include "geom/intersections.h"
#include "mesh/topology.h"

typedef struct intersecting_pair {
    uint32_t triangles[2]; /* rising */
    uint32_t push;         /* must separate */
} intersecting_pair;

typedef struct intersecting_pairs {
    ruga_context *context;
    const broad_exclusion *exclusions; /* the caller's: parts whose pairs do not count */
    size_t exclusion_count;
    ARRAY(intersecting_pair) pairs; /* rising */
    key_array near;                 /* pair_key of all pairs of vertices, edges and triangles among them, rising */

    /* Private; made when something intersects. */
    intersection_array found;
    topology *topology;
    uint32_t *edge_numbers; /* (edges of the topology) their numbers in the contact_mesh */
    key_array piercings;    /* edge << 32 | triangle, rising */
    vertex_array flags;     /* of `found`: whether to push */
} intersecting_pairs;

void intersecting_pairs_release(intersecting_pairs *set);
/* Empties the list, for another mesh. */
void intersecting_pairs_reset(intersecting_pairs *set);

/* Finds the triangles that intersect at these positions, into set->found. */
ruga_status intersecting_pairs_find(intersecting_pairs *set, const contact_mesh *m, const ruga_vec3 *positions);
/* Replaces the list by set->found. Pairs that were not in it are pushed apart if `push`. */
ruga_status intersecting_pairs_store(intersecting_pairs *set, uint32_t push);

/* Finds `near` and the piercings of this substep. Does nothing when nothing intersects. */
ruga_status intersecting_pairs_prepare(intersecting_pairs *set, const contact_mesh *m);

typedef enum crossing_events { CROSSING_ALL, CROSSING_FEWER, CROSSING_NONE } crossing_events;
/* Makes t->ignored the list of the events that are allowed. */
ruga_status intersecting_pairs_allow(const intersecting_pairs *set, crossing_events which, trajectories *t);
#define NO_PAIR SIZE_MAX
/* The place of two triangles in the list; NO_PAIR: they are not in it. */
size_t intersecting_pairs_place(const intersecting_pairs *set, uint32_t a, uint32_t b);
/* Where an edge pierces a triangle, and at which fraction of the edge. */
ruga_vec3 intersecting_pairs_point(const intersecting_pairs *set, const contact_mesh *m, uint32_t edge,
                                   uint32_t triangle, double *along);
/* Whether a piercing belongs to triangles that must separate. */
int intersecting_pairs_must_separate(const intersecting_pairs *set, uint32_t edge, uint32_t triangle);
/* Moves ends of trajectories so that pairs that must separate do. */
void intersecting_pairs_push(const intersecting_pairs *set, trajectories *t);

void intersecting_pairs_save(const intersecting_pairs *set, state_writer *writer);
ruga_status intersecting_pairs_load(intersecting_pairs *set, state_reader *reader);
/* Whether a list that was loaded fits this mesh. */
int intersecting_pairs_fit(const intersecting_pairs *set, const contact_mesh *m);

#endif
