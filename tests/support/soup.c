#include "support/soup.h"

#include <math.h>

#include "base/state.h"
#include "math/vec3.h"
#include "support/shapes.h"
#include "support/surfaces.h"

enum { SOUP_MOST = 64 };

typedef struct soup {
    size_t count; /* of triangles, apart from each other */
    ruga_vec3 corners[3 * SOUP_MOST];
} soup;

/* Adds random triangles that are apart from all before them. */
static void soup_fill(soup *s, test_random *random, size_t more, double size) {
    while (more > 0) {
        ruga_vec3 *t = &s->corners[3 * s->count], centre = random_vec3(random, -1, 1);
        for (int k = 0; k < 3; k++) t[k] = vec3_add(centre, random_vec3(random, -size, size));
        size_t i = 0;
        while (i < s->count && !triangles_intersect(&s->corners[3 * i], t)) i++;
        if (i < s->count) continue;
        s->count++;
        more--;
    }
}

/* A surface of the soup's triangles from `first` on. */
static ruga_mesh *soup_mesh(ruga_context *context, const soup *s, size_t first) {
    uint32_t faces[3 * SOUP_MOST];
    for (uint32_t i = 0; i < 3 * SOUP_MOST; i++) faces[i] = i;
    return shape_make(context, 3 * (s->count - first), &s->corners[3 * first], s->count - first, NULL, faces);
}

static void random_displacements(test_surface *s, test_random *random, double length) {
    for (size_t i = 0; i < s->surface.mesh->vertex_count; i++)
        s->candidate[i] = vec3_add(s->accepted[i], random_vec3(random, -length, length));
}

/* All triangles turn about an axis through the origin and move. */
static void rigid_displacements(test_surface *s, test_random *random, double angle, double length) {
    ruga_vec3 axis = vec3_normalise(random_vec3(random, -1, 1)), shift = random_vec3(random, -length, length);
    angle *= random_unit(random);
    for (size_t i = 0; i < s->surface.mesh->vertex_count; i++) {
        ruga_vec3 x = s->accepted[i], along = vec3_scale(axis, vec3_dot(axis, x)), across = vec3_sub(x, along);
        ruga_vec3 turned = vec3_add_scaled(vec3_scale(across, cos(angle)), vec3_cross(axis, across), sin(angle));
        s->candidate[i] = vec3_add(shift, vec3_add(along, turned));
    }
}

soup_result run_soup(ruga_context *context, const soup_case *c, uint64_t seed, int steps, int rounds) {
    test_random random = {seed * 2 + 1};
    soup all = {0};
    soup_fill(&all, &random, c->moving, c->size);
    soup moving = all;
    if (c->kind != SOUP_NONE) soup_fill(&all, &random, c->kinematic, c->size);
    ruga_mesh *meshes[2] = {soup_mesh(context, &moving, 0), soup_mesh(context, &all, c->moving)};
    test_surface a, b;
    test_surface_init(&a, "soup", meshes[0], 0.01, c->thickness);
    test_surface_init(&b, "kinematic", meshes[1], 0, 0);
    for (size_t i = 0; i < meshes[0]->vertex_count; i++) a.inverse_masses[i] = random_between(&random, 1, 100);
    a.surface.friction = random_unit(&random);
    contact_surface *surfaces[2] = {&a.surface, &b.surface};
    const test_surface *both[2] = {&a, &b};
    size_t count = c->kind == SOUP_NONE ? 1 : 2;
    contact_def def = contact_def_default();
    def.values.impact_rounds = rounds;
    contact *solver;
    assert_ok(context, contact_create(context, &def, &solver));
    soup_result result = {0};
    for (int step = 0; step < steps; step++) {
        random_displacements(&a, &random, c->displacement);
        if (c->kind == SOUP_RIGID) rigid_displacements(&b, &random, 0.5, c->displacement / 4);
        if (c->kind == SOUP_DEFORMING) random_displacements(&b, &random, c->displacement / 4);
        measure_clear(&solver->measures);
        assert_ok(context, solver->interface->resolve(solver, surfaces, count, 1.0 / 60));
        size_t found = test_surfaces_intersections(context, both, count);
        size_t reported = (size_t)test_contact_measure(solver, "intersections");
        fail_if(found != reported, "seed %d, step %d: %d intersections, %d reported", (int)seed, step, (int)found,
                (int)reported);
        result.pinched += test_contact_measure(solver, "pinched");
        result.in_zones += test_contact_measure(solver, "zone_vertices");
        result.hash = state_hash(a.candidate, meshes[0]->vertex_count * sizeof *a.candidate, result.hash);
        test_surface_accept(&a);
        test_surface_accept(&b);
    }
    solver->interface->destroy(solver);
    test_surface_release(&a);
    test_surface_release(&b);
    ruga_mesh_destroy(meshes[0]);
    ruga_mesh_destroy(meshes[1]);
    return result;
}
