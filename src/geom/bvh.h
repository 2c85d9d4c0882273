/* Our own bounding volume hierarchy over triangles, edges or points. It refits as they move, and its boxes can be swept
 * over a step (contact). Queries are exact in double precision; boxes are rounded outwards. */
#ifndef GEOM_BVH_H
#define GEOM_BVH_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct bvh bvh;

/* arity 3: triangles, 2: edges, 1: points; `elements` is (count x arity) vertices and must outlive the tree. Positions
 * are referred to, not copied: they must stay as they are until the next refit, or as long as the tree is asked.
 * Elements with vertices that are not finite, or beyond 1e300, are an error that names the first. None at all are fine:
 * nothing is found. Elements without length or area are fine. The tree does not depend on the number of threads. */
ruga_status bvh_build(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t count, int arity,
                      const uint32_t *elements, bvh **out);
void bvh_destroy(bvh *tree); /* NULL is fine */

/* The same for elements in groups that will move apart, or already lie across each other: those of two groups never share a leaf.
 * group_ends: (group_count) rising, the last is count; elements of a group stand together. */
ruga_status bvh_build_groups(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t count,
                             int arity, const uint32_t *elements, size_t group_count, const uint32_t *group_ends,
                             bvh **out);

/* Moves the boxes after the vertices moved. `end` may be NULL; else boxes cover the whole way from positions to end (it is
 * referred to as well). Boxes grow by `margin` on all sides (m, >= 0). Closest points and rays use `positions`. A failed
 * refit leaves the tree as it was. Only the first swept refit allocates. */
ruga_status bvh_refit(bvh *tree, const ruga_vec3 *positions, const ruga_vec3 *end, double margin);

/* Makes what bvh_refit_changed needs, once. */
ruga_status bvh_prepare_changes(bvh *tree);
/* As bvh_refit with what it was given last, after some of the vertices moved there (in positions or end): costs as much as there are
 * of them, not as the tree. Boxes are those of bvh_refit, but for their rounding. A failed one leaves the boxes as they were,
 * and is to be repeated with these vertices, or followed by bvh_refit. Allocates nothing. */
ruga_status bvh_refit_changed(bvh *tree, const uint32_t *vertices, size_t count);

typedef struct bvh_hit {
    uint32_t element;      /* UINT32_MAX: nothing found */
    double barycentric[3]; /* weights of its vertices */
    double distance; /* m; along the ray for rays (direction need not be of unit length: distance is in its units) */
    ruga_vec3 point;
} bvh_hit;

/* The closest point within max_distance (INFINITY for any). Ties go to the lowest element. The same answer, to the bit,
 * for every instruction set. A query that is not finite finds nothing. */
bvh_hit bvh_closest_point(const bvh *tree, ruga_vec3 query, double max_distance);
/* Many at once, over the context's threads. */
void bvh_closest_points(const bvh *tree, const ruga_vec3 *queries, size_t count, double max_distance, bvh_hit *hits);

/* The first hit along origin + t direction, t in [0, max_t]; both sides count. Triangles only; one without area, or seen
 * exactly from its edge, is not hit. No ray slips between triangles that share an edge. */
bvh_hit bvh_ray_hit(const bvh *tree, ruga_vec3 origin, ruga_vec3 direction, double max_t);

/* Pairs of elements whose boxes overlap or touch, sorted: within one tree (a < b) or between two. The boxes are those of
 * the last refit, in double, with the way and the margin. The array is the caller's to keep and reuse: what was in it
 * is replaced. */
typedef ARRAY(uint32_t) pair_array; /* two entries a pair; count counts entries */
ruga_status bvh_self_overlaps(const bvh *tree, pair_array *pairs);
ruga_status bvh_overlaps(const bvh *a, const bvh *b, pair_array *pairs);

/* Elements whose boxes overlap or touch a box, rising; replaces what was in the array. */
typedef ARRAY(uint32_t) element_array;
ruga_status bvh_box_elements(const bvh *tree, ruga_vec3 low, ruga_vec3 high, element_array *elements);

/* The pairs within one tree whose first element is in [begin, end), by the calling thread alone: for those who deal with a
 * part at a time. Replaces what was in the array; `found` is for its own use, to be kept and reused as well. */
ruga_status bvh_self_overlaps_of(const bvh *tree, size_t begin, size_t end, element_array *found, pair_array *pairs);

#endif
