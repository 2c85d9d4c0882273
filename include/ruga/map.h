/* Ruga: sparse maps, y = W x.
 *
 * A map expresses points by other points: subdivision, welding and splitting, embedding, collision surfaces, pins. Row
 * i of W lists the points that y_i depends on, and their weights.
 */
#ifndef RUGA_MAP_H
#define RUGA_MAP_H

#include "ruga/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_map {
    size_t rows, columns;
    const size_t *offsets;   /* (rows + 1) into the next two */
    const uint32_t *indices; /* columns, increasing within a row */
    const double *weights;
    ruga_context *context;
} ruga_map;

RUGA_API void ruga_map_destroy(ruga_map *map); /* NULL is fine */

/* y = W x, for points and for (columns x components) numbers. x and y must not overlap. */
RUGA_API void ruga_map_apply(const ruga_map *map, const ruga_vec3 *x, ruga_vec3 *y);
RUGA_API void ruga_map_apply_scalars(const ruga_map *map, const double *x, size_t components, double *y);

/* y += Wᵀ x: moves forces or momentum from the mapped points to the points they depend on. */
RUGA_API void ruga_map_apply_transpose_add(const ruga_map *map, const ruga_vec3 *x, ruga_vec3 *y);

RUGA_API ruga_status ruga_map_transpose(const ruga_map *map, ruga_map **out);
/* out = second · first: `first` is applied first. second->columns must equal first->rows. */
RUGA_API ruga_status ruga_map_compose(const ruga_map *second, const ruga_map *first, ruga_map **out);

#ifdef __cplusplus
}
#endif
#endif
