/* Bounding volume hierarchy over triangles, edges or points. It is refitted as they move, and its boxes can cover a
 * whole step (contact). Queries are exact in double precision; boxes are rounded outwards. */
#ifndef GEOM_BVH_H
#define GEOM_BVH_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct bvh bvh;

/* arity 3: triangles, 2: edges, 1: points; `elements` is (count x arity) vertices and must outlive the tree. Positions
 * are not copied: they must not change until the next refit, and must live as long as the tree is used. An element with
 * a vertex that is not finite, or beyond 1e300, is an error that names it. A tree without elements finds nothing.
 * Elements without length or area are allowed. The tree does not depend on the number of threads. */
ruga_status bvh_build(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t count, int arity,
                      const uint32_t *elements, bvh **out);
ruga_status bvh_build_triangles(const ruga_mesh *mesh, bvh **out); /* of a mesh at rest */
void bvh_destroy(bvh *tree);                                       /* NULL is fine */

/* The same for elements in groups that move apart or overlap: elements of different groups never share a leaf.
 * group_ends: (group_count) rising, the last is count; the elements of a group are consecutive. */
ruga_status bvh_build_groups(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t count,
                             int arity, const uint32_t *elements, size_t group_count, const uint32_t *group_ends,
                             bvh **out);

/* Updates the boxes after the vertices moved. With `end` (not copied either) they cover the whole paths from positions
 * to end; it may be NULL. Boxes grow by `margin` on all sides (m, >= 0). Closest points and rays use `positions`. A
 * failed refit does not change the tree. Only the first refit with `end` allocates. */
ruga_status bvh_refit(bvh *tree, const ruga_vec3 *positions, const ruga_vec3 *end, double margin);

/* Allocates what bvh_refit_changed needs. */
ruga_status bvh_prepare_changes(bvh *tree);
/* Refits after some of the vertices moved, with the arrays of the last bvh_refit: the cost grows with their number, not
 * with the tree. Boxes are those of bvh_refit up to rounding. A failed call does not change the boxes; repeat it with
 * these vertices, or call bvh_refit. Allocates nothing. */
ruga_status bvh_refit_changed(bvh *tree, const uint32_t *vertices, size_t count);

typedef struct bvh_hit {
    uint32_t element;      /* UINT32_MAX: nothing found */
    double barycentric[3]; /* weights of its vertices */
    double distance; /* m; along the ray for rays (direction need not be of unit length: distance is in its units) */
    ruga_vec3 point;
} bvh_hit;

/* The closest point within max_distance (INFINITY for any). Ties go to the lowest element. The result is bit-identical
 * for every instruction set. A query that is not finite finds nothing. */
bvh_hit bvh_closest_point(const bvh *tree, ruga_vec3 query, double max_distance);
/* Many queries, in parallel. */
void bvh_closest_points(const bvh *tree, const ruga_vec3 *queries, size_t count, double max_distance, bvh_hit *hits);

/* The first hit along origin + t direction, t in [0, max_t], on either side. Triangles only; a triangle without area,
 * or exactly parallel to the ray, is not hit. No ray passes between triangles that share an edge. */
bvh_hit bvh_ray_hit(const bvh *tree, ruga_vec3 origin, ruga_vec3 direction, double max_t);

/* Pairs of elements a < b whose boxes overlap or touch, sorted, for a in [begin, end). The boxes are those of the last
 * refit, in double, with path and margin. Runs on the calling thread. The contents of the caller's array are replaced;
 * keep it for reuse. */
typedef ARRAY(uint32_t) pair_array; /* two entries per pair; count counts entries */
ruga_status bvh_self_overlaps(const bvh *tree, size_t begin, size_t end, pair_array *pairs);

/* Elements whose boxes overlap or touch a box, rising; replaces the contents of the array. */
typedef ARRAY(uint32_t) element_array;
ruga_status bvh_box_elements(const bvh *tree, ruga_vec3 low, ruga_vec3 high, element_array *elements);

#endif
