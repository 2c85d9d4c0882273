/* Finer meshes in tests: made, checked for what always holds, compared, released. */
#ifndef TESTS_SUBDIVIDED_H
#define TESTS_SUBDIVIDED_H

#include "support/support.h"

typedef struct fine {
    ruga_mesh *mesh;
    ruga_map *map;
} fine;

ruga_subdivide_def subdivide_def(ruga_subdivision kind, int n, double length);

/* Asserts that the call went well, that every row of the map sums to 1, and that the fine positions are bit-identical
 * to what the map gives. */
fine subdivide(const ruga_mesh *mesh, ruga_subdivision kind, int n, double length);
void fine_release(fine f);

ruga_mesh_summary summary_of(const ruga_mesh *mesh);
/* The same area, volume and topology. */
void assert_same_surface(const ruga_mesh *coarse, const ruga_mesh *finer);

#endif
