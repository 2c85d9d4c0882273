/* Barycentric embedding: points expressed by the vertices of a surface or of a tet mesh. */
#ifndef GEOM_EMBED_H
#define GEOM_EMBED_H

#include "ruga/fill.h"

/* RUGA_ERROR_INPUT, naming the first, when points are not finite or beyond the range of a tree. */
ruga_status embed_check_points(ruga_context *context, const ruga_vec3 *points, size_t count);

/* Each point by its closest point on the triangles: weights >= 0 that sum to 1. offsets (may be NULL) receives the
 * distance vectors point - closest. */
ruga_status embed_in_surface(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_map **map,
                             ruga_vec3 *offsets);
/* Each point by the tet it is in; outside, by the nearest tet with extrapolated weights (they sum to 1, some < 0). */
ruga_status embed_in_tets(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_map **map);

#endif
