/* Distances over a surface by CGAL's heat method, for comparison in bench/sculpt. */
#ifndef BENCH_CGAL_HEAT_H
#define BENCH_CGAL_HEAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cgal_heat cgal_heat;

/* Makes the intrinsic Delaunay triangulation and factors both matrices. positions: (vertex_count x 3) m; a closed or
 * open manifold. NULL: the mesh is none, or a matrix has no factor. */
cgal_heat *cgal_heat_create(size_t vertex_count, const double *positions, size_t triangle_count,
                            const uint32_t *triangles);
void cgal_heat_destroy(cgal_heat *heat); /* NULL is fine */
/* distances: (vertex_count) m, from a set of source vertices. */
void cgal_heat_solve(cgal_heat *heat, const uint32_t *sources, size_t source_count, double *distances);

#ifdef __cplusplus
}
#endif
#endif
