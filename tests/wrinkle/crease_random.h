/* Random meshes and curves over them. */
#ifndef TESTS_CREASE_RANDOM_H
#define TESTS_CREASE_RANDOM_H

#include "support/shapes.h"
#include "wrinkle/crease_support.h"

static inline ruga_mesh *random_mesh(ruga_context *context, test_random *random) {
    int kind = (int)(4 * random_unit(random));
    if (kind == 2) return shape_cylinder(context, 12, 6);
    if (kind == 3) return shape_torus(context, 14, 8);
    return creased_sheet(context, 4 + (size_t)(10 * random_unit(random)), kind ? 0.2 : 0);
}

/* Points of vertices, a part of them moved: many curves pass through vertices and along edges. */
static inline ruga_vec3 random_place(const ruga_mesh *mesh, test_random *random) {
    size_t corner = (size_t)(3 * random_unit(random) * (double)mesh->triangle_count);
    vec3 at = mesh->positions[mesh->triangles[corner]];
    if (random_unit(random) < 0.5) at = vec3_add(at, random_vec3(random, -0.03, 0.03));
    return at;
}

static inline size_t random_curves(const ruga_mesh *mesh, test_random *random, ruga_curve **curves) {
    size_t count = 1 + (size_t)(5 * random_unit(random)), made = 0;
    int is_star = random_unit(random) < 0.3;
    ruga_vec3 hub = random_place(mesh, random);
    for (size_t i = 0; i < count; i++) {
        ruga_curve_def def = ruga_curve_def_default();
        ruga_vec3 points[4];
        size_t size = random_unit(random) < 0.7 ? 2 : 3;
        for (size_t k = 0; k < size; k++) points[k] = random_place(mesh, random);
        if (is_star) points[0] = hub;
        def.name = "random";
        def.closed = size > 2 && random_unit(random) < 0.2;
        if (!RUGA_FAILED(ruga_curve_from_points(mesh, points, size, &def, &curves[made]))) made++;
    }
    return made;
}

#endif
