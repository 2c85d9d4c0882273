/* Sheets with creases, for tests of cuts and of creases. */
#ifndef TESTS_CREASED_H
#define TESTS_CREASED_H

#include "math/vec3.h"
#include "support/support.h"

/* A sheet of 1 m by 1 m in the plane y = 0, facing up, from (0, 0, 0) to (1, 0, -1), of nearly equilateral triangles
 * with n edges a side, whose inner vertices are moved at random by up to `jitter` edges. (x, z) is (u, -v) below. */
ruga_mesh *creased_sheet(ruga_context *context, size_t n, double jitter);

/* A curve through (count x 2) points (u, v) of such a sheet. */
ruga_curve *creased_curve(const ruga_mesh *mesh, const double *points, size_t count, int closed);

/* The number of connected pieces of a mesh, by its triangles' vertices. */
size_t creased_piece_count(const ruga_mesh *mesh);

#endif
