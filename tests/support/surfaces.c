#include "support/surfaces.h"

#include "base/memory.h"
#include "math/vec3.h"

void test_surface_init(test_surface *s, const char *name, const ruga_mesh *mesh, double mass, double thickness) {
    size_t count = mesh->vertex_count;
    s->accepted = malloc((count + 1) * sizeof *s->accepted);
    s->candidate = malloc((count + 1) * sizeof *s->candidate);
    s->velocities = calloc(count + 1, sizeof *s->velocities);
    s->impulses = calloc(count + 1, sizeof *s->impulses);
    s->inverse_masses = malloc((count + 1) * sizeof *s->inverse_masses);
    s->holds = calloc(count + 1, sizeof *s->holds);
    memcpy(s->accepted, mesh->positions, count * sizeof *s->accepted);
    memcpy(s->candidate, mesh->positions, count * sizeof *s->candidate);
    for (size_t i = 0; i < count; i++) s->inverse_masses[i] = mass > 0 ? 1 / mass : 0;
    s->surface = (contact_surface){.name = name,
                                   .mesh = mesh,
                                   .accepted = s->accepted,
                                   .candidate = s->candidate,
                                   .velocities = s->velocities,
                                   .inverse_masses = s->inverse_masses,
                                   .impulses = s->impulses,
                                   .holds = s->holds,
                                   .thickness = thickness,
                                   .self = mass > 0};
}

void test_surface_release(test_surface *s) {
    free(s->accepted);
    free(s->candidate);
    free(s->velocities);
    free(s->impulses);
    free(s->inverse_masses);
    free(s->holds);
}

void test_surface_accept(test_surface *s) {
    size_t count = s->surface.mesh->vertex_count;
    memcpy(s->accepted, s->candidate, count * sizeof *s->accepted);
    memset(s->impulses, 0, count * sizeof *s->impulses);
}

void test_surface_move(test_surface *s, ruga_vec3 displacement) {
    for (size_t i = 0; i < s->surface.mesh->vertex_count; i++) s->candidate[i] = vec3_add(s->accepted[i], displacement);
}

static ruga_vec3 sum_over(const test_surface *const *surfaces, size_t count, int moment) {
    vec3 sum = {0, 0, 0};
    for (size_t k = 0; k < count; k++) {
        const test_surface *s = surfaces[k];
        for (size_t i = 0; i < s->surface.mesh->vertex_count; i++) {
            if (s->inverse_masses[i] == 0) continue;
            vec3 moved = vec3_scale(vec3_sub(s->candidate[i], s->accepted[i]), 1 / s->inverse_masses[i]);
            sum = vec3_add(sum, moment ? vec3_cross(s->accepted[i], moved) : moved);
        }
    }
    return sum;
}

ruga_vec3 test_surfaces_momentum(const test_surface *const *surfaces, size_t count) {
    return sum_over(surfaces, count, 0);
}

ruga_vec3 test_surfaces_moment(const test_surface *const *surfaces, size_t count) {
    return sum_over(surfaces, count, 1);
}

size_t test_surfaces_intersections(ruga_context *context, const test_surface *const *surfaces, size_t count) {
    size_t vertices = 0, triangles = 0, v = 0, t = 0;
    for (size_t k = 0; k < count; k++) {
        vertices += surfaces[k]->surface.mesh->vertex_count;
        triangles += surfaces[k]->surface.mesh->triangle_count;
    }
    ruga_vec3 *positions = malloc((vertices + 1) * sizeof *positions);
    uint32_t *corners = malloc((3 * triangles + 1) * sizeof *corners);
    unsigned char *moved = malloc(triangles + 1);
    for (size_t k = 0; k < count; k++) {
        const test_surface *s = surfaces[k];
        const ruga_mesh *mesh = s->surface.mesh;
        for (size_t i = 0; i < mesh->triangle_count; i++) moved[t + i] = 0;
        for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
            corners[3 * t + i] = (uint32_t)(v + mesh->triangles[i]);
            moved[t + i / 3] |= s->inverse_masses[mesh->triangles[i]] != 0;
        }
        memcpy(positions + v, s->candidate, mesh->vertex_count * sizeof *positions);
        v += mesh->vertex_count;
        t += mesh->triangle_count;
    }
    intersection_array found = {0};
    assert_ok(context, intersections_find(context, vertices, positions, triangles, corners, NULL, NULL, &found));
    size_t counted = 0;
    for (size_t i = 0; i < found.count; i++)
        counted += moved[found.items[i].triangles[0]] || moved[found.items[i].triangles[1]];
    ARRAY_RELEASE(context, &found);
    free(positions);
    free(corners);
    free(moved);
    return counted;
}

double test_contact_measure(const contact *c, const char *name) {
    for (size_t i = 0; i < c->measures.count; i++)
        if (strcmp(c->measures.items[i].name, name) == 0) return c->measures.items[i].value;
    fail_msg("contact has no measure \"%s\"", name);
    return 0;
}
