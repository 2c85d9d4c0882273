/* Anchors: stiff springs without length between weighted means of points and places outside of the body.
 *
 *     U = Σ k/2 |Σ w_i x_i - target|²      the Hessian Σ k w_i w_j is constant and positive semidefinite
 *
 * They hold vertices of an embedded mesh, which are no points of their own: a force f on such a vertex leaves it f / k
 * away from its target.
 */
#ifndef ENERGY_ANCHORS_H
#define ENERGY_ANCHORS_H

#include "energy/energy.h"
#include "ruga/map.h"

typedef struct anchors {
    energy_term base;
    ruga_map *places;    /* (anchors x points) weights */
    const vec3 *targets; /* (anchors) m; the owner's, and may change between steps */
    double *stiffness;   /* (anchors) N/m */
    double factor;       /* 1, of every stiffness */
    double weight;       /* of W */
    vec3 *scratch;       /* (anchors) */
} anchors;

/* Anchor k is row rows[k] of a map to vertices; the rows are copied. stiffness: (count) N/m, copied. */
ruga_status anchors_create(const ruga_map *vertices, size_t count, const uint32_t *rows, const double *stiffness,
                           const vec3 *targets, anchors **out);
void anchors_destroy(anchors *a); /* NULL is fine */

/* matrix += the Hessian; its pattern must couple the points of each anchor. */
void anchors_add_matrix(const anchors *a, block_matrix *matrix);

extern const energy_interface anchors_interface;

#endif
