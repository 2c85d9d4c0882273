/* Finds the points of a mesh with given UVs, for curves that are drawn on a texture. Made once for all curves of a
 * file. */
#ifndef GEOM_CURVE_UV_H
#define GEOM_CURVE_UV_H

#include "geom/curve.h"

typedef struct uv_places {
    ruga_context *context;
    const ruga_mesh *mesh;
    ruga_vec3 *corners;  /* (3 x triangle_count) (u, v, 0) of each triangle's corners; NaN where they have none */
    uint32_t *elements;  /* (mapped x 3) corners of triangles whose corners all have UVs */
    uint32_t *triangles; /* (mapped) those triangles, rising */
    bvh *tree;
    double size;         /* of the box of all UVs */
    element_array found; /* of the last search */
} uv_places;

/* RUGA_ERROR_INPUT for a mesh without the attribute "uv". */
ruga_status uv_places_make(const ruga_mesh *mesh, uv_places *out);
void uv_places_release(uv_places *places);

/* The point with these UVs. If several triangles have them: the point nearest to `before`, or in the lowest triangle if
 * that is NULL. *found becomes 0 where there is none. */
ruga_status uv_places_find(uv_places *places, double u, double v, const ruga_surface_point *before,
                           ruga_surface_point *out, int *found);

/* As ruga_curve_from_uvs, on a canvas of the same mesh. */
ruga_status curve_draw_uvs(curve_canvas *canvas, uv_places *places, const double *uvs, size_t count,
                           const ruga_curve_def *def, ruga_curve **out);

#endif
