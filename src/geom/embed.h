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

/* The tets that contain points, by a tree over their boxes. The mesh must outlive it. */
typedef struct tet_finder tet_finder;
ruga_status tet_finder_make(const ruga_mesh *mesh, tet_finder **out);
void tet_finder_destroy(tet_finder *finder); /* NULL is fine */
/* The tet that contains a point, with the weights of its corners; SIZE_MAX: none does. Of several, as those that a cut
 * has copied, the one with the largest share; shares (tets, above 0) may be NULL: the first that contains it. */
ruga_status tet_finder_at(tet_finder *finder, ruga_vec3 point, const double *shares, size_t *tet, double weights[4]);

#endif
