/* Small meshes that tests build by hand, so that they depend on no model. All fail the test when they can't be made. */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#include "support/support.h"

/* Positions and faces; sizes NULL: triangles. */
ruga_mesh *shape_make(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions, size_t face_count,
                      const uint32_t *sizes, const uint32_t *faces);

/* The same triangles with UVs, two numbers for each vertex or each corner; the plain one goes. */
ruga_mesh *shape_with_uvs(ruga_mesh *plain, ruga_domain domain, const double *uvs);

/* nx by ny squares of two triangles each: a sheet of 1 m by 1 m in the plane y = 0, facing up; closed in x, a cylinder
 * of radius 1 m and height 1 m; closed in both, a torus of radii 2 m and 1 m. Both face outwards. */
ruga_mesh *shape_sheet(ruga_context *context, size_t nx, size_t ny);
ruga_mesh *shape_sheet_with_uvs(ruga_context *context, size_t nx, size_t ny); /* u is x, v is -z */
ruga_mesh *shape_cylinder(ruga_context *context, size_t nx, size_t ny);
ruga_mesh *shape_torus(ruga_context *context, size_t nx, size_t ny);

ruga_mesh *shape_disc(ruga_context *context, size_t n); /* a fan of n triangles of radius 1 m, facing up */
ruga_mesh *shape_icosahedron(ruga_context *context);    /* radius 1 m, facing outwards */
ruga_mesh *shape_tet(ruga_context *context);            /* one tet with its surface made */
ruga_mesh *shape_loaded_sheet(ruga_context *context);   /* quads with every kind of attribute, edges, lines, a seam */

#endif
