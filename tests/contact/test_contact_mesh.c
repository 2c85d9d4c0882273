/* All surfaces as one mesh: numbering, what is taken in, and what is given back. */
#include "contact/contact_mesh.h"

#include "math/vec3.h"
#include "support/shapes.h"

/* A surface with arrays of its own. */
typedef struct stage {
    ruga_mesh *mesh;
    contact_surface surface;
    ruga_vec3 *candidate, *impulses;
    double *inverse_masses;
} stage;

static stage stage_make(ruga_mesh *mesh, const char *name, double inverse_mass) {
    stage s = {.mesh = mesh};
    test_random random = {mesh->vertex_count};
    s.candidate = calloc(mesh->vertex_count, sizeof *s.candidate);
    s.impulses = calloc(mesh->vertex_count, sizeof *s.impulses);
    s.inverse_masses = calloc(mesh->vertex_count, sizeof *s.inverse_masses);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        s.candidate[i] = vec3_add(mesh->positions[i], random_vec3(&random, -1, 1));
        s.inverse_masses[i] = inverse_mass;
    }
    s.surface = (contact_surface){.name = name,
                                  .mesh = mesh,
                                  .revision = 7,
                                  .accepted = mesh->positions,
                                  .candidate = s.candidate,
                                  .inverse_masses = s.inverse_masses,
                                  .impulses = s.impulses,
                                  .thickness = 0.01 * inverse_mass,
                                  .friction = 0.1 * inverse_mass,
                                  .self = inverse_mass != 0};
    return s;
}

static void stage_release(stage *s) {
    ruga_mesh_destroy(s->mesh);
    free(s->candidate);
    free(s->impulses);
    free(s->inverse_masses);
}

enum { SURFACES = 4 };

/* A sheet, points without triangles, a closed surface that nothing moves, a fan. */
static void stages_make(ruga_context *context, stage *stages, contact_surface **surfaces) {
    const ruga_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    stages[0] = stage_make(shape_sheet(context, 40, 60), "sheet", 3);
    stages[1] = stage_make(shape_make(context, 3, points, 0, NULL, NULL), "points", 1);
    stages[2] = stage_make(shape_icosahedron(context), "ball", 0);
    stages[3] = stage_make(shape_disc(context, 9), "disc", 2);
    for (int i = 0; i < SURFACES; i++) surfaces[i] = &stages[i].surface;
}

static contact_mesh *mesh_make(ruga_context *context, contact_surface **surfaces) {
    contact_mesh *m = NULL;
    assert_ok(context, contact_mesh_create(context, surfaces, SURFACES, &m));
    return m;
}

static void parts_stand_one_after_the_other(void **state) {
    ruga_context *context = *state;
    stage stages[SURFACES];
    contact_surface *surfaces[SURFACES];
    stages_make(context, stages, surfaces);
    contact_mesh *m = mesh_make(context, surfaces);
    // Euler: a disc, nothing, a sphere, a disc.
    const size_t vertices[SURFACES] = {41 * 61, 0, 12, 10}, triangles[SURFACES] = {4800, 0, 20, 9};
    const size_t edges[SURFACES] = {41 * 61 + 4800 - 1, 0, 30, 18};
    size_t vertex = 0, edge = 0, triangle = 0;
    assert_int_equal(m->part_count, SURFACES);
    for (size_t i = 0; i < SURFACES; i++) {
        const contact_part *part = m->parts + i;
        const ruga_mesh *mesh = stages[i].mesh;
        assert_int_equal(part->first_vertex, vertex);
        assert_int_equal(part->first_edge, edge);
        assert_int_equal(part->first_triangle, triangle);
        assert_string_equal(part->name, surfaces[i]->name);
        assert_true(part->thickness == surfaces[i]->thickness && part->friction == surfaces[i]->friction);
        assert_int_equal(part->self, surfaces[i]->self);
        assert_int_equal(part->moving, i == 0 || i == 3);
        for (size_t k = 0; k < vertices[i]; k++) {
            assert_int_equal(m->part_of[vertex + k], i);
            assert_memory_equal(m->rest + vertex + k, mesh->positions + k, sizeof *m->rest);
            assert_memory_equal(m->from + vertex + k, surfaces[i]->accepted + k, sizeof *m->rest);
            assert_memory_equal(m->to + vertex + k, surfaces[i]->candidate + k, sizeof *m->rest);
            assert_true(m->inverse_masses[vertex + k] == surfaces[i]->inverse_masses[k]);
        }
        for (size_t k = 0; k < 3 * triangles[i]; k++)
            assert_int_equal(m->triangles[3 * triangle + k], vertex + mesh->triangles[k]);
        for (size_t k = edge; k < edge + edges[i]; k++) {
            assert_less(m->edges[2 * k], m->edges[2 * k + 1]);
            assert_at_most(vertex, m->edges[2 * k]);
            assert_less(m->edges[2 * k + 1], vertex + vertices[i]);
        }
        vertex += vertices[i], edge += edges[i], triangle += triangles[i];
    }
    assert_int_equal(m->vertex_count, vertex);
    assert_int_equal(m->edge_count, edge);
    assert_int_equal(m->triangle_count, triangle);
    contact_mesh_destroy(m);
    for (int i = 0; i < SURFACES; i++) stage_release(stages + i);
}

static void a_triangle_with_a_vertex_twice_has_no_edge_from_it_to_itself(void **state) {
    ruga_context *context = *state;
    const ruga_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t faces[6] = {0, 1, 2, 1, 1, 2};
    stage s = stage_make(shape_make(context, 3, points, 2, NULL, faces), "degenerate", 1);
    contact_surface *surface = &s.surface;
    contact_mesh *m = NULL;
    assert_ok(context, contact_mesh_create(context, &surface, 1, &m));
    assert_int_equal(m->triangle_count, 2);
    assert_int_equal(m->edge_count, 3);
    contact_mesh_destroy(m);
    stage_release(&s);
}

/* Loose points, as modellers leave them in files, are no surface. */
static void vertices_without_a_face_never_collide(void **state) {
    ruga_context *context = *state;
    const ruga_vec3 points[6] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {5, 5, 5}, {0, 1, 0}, {7, 7, 7}};
    const uint32_t face[3] = {1, 2, 4}, expected[3] = {1, 2, 4};
    const unsigned char all[6] = {1, 1, 1, 1, 1, 1};
    stage s = stage_make(shape_make(context, 6, points, 1, NULL, face), "loose", 1);
    contact_surface *surface = &s.surface;
    for (int masked = 0; masked < 2; masked++) {
        contact_mesh *m = NULL;
        s.surface.collides = masked ? all : NULL;
        assert_ok(context, contact_mesh_create(context, &surface, 1, &m));
        assert_int_equal(m->vertex_count, 3);
        assert_int_equal(m->triangle_count, 1);
        assert_int_equal(m->edge_count, 3);
        assert_memory_equal(m->numbers, expected, sizeof expected);
        for (uint32_t k = 0; k < 3; k++) assert_int_equal(m->triangles[k], k);
        contact_mesh_destroy(m);
    }
    stage_release(&s);
}

static void it_fits_the_meshes_and_revisions_that_it_was_made_of(void **state) {
    ruga_context *context = *state;
    stage stages[SURFACES];
    contact_surface *surfaces[SURFACES];
    stages_make(context, stages, surfaces);
    contact_mesh *m = mesh_make(context, surfaces);
    assert_true(contact_mesh_fits(m, surfaces, SURFACES));
    assert_false(contact_mesh_fits(m, surfaces, SURFACES - 1));
    stages[2].surface.revision++;
    assert_false(contact_mesh_fits(m, surfaces, SURFACES));
    stages[2].surface.revision--;
    assert_true(contact_mesh_fits(m, surfaces, SURFACES));
    contact_surface *swapped[SURFACES] = {surfaces[0], surfaces[1], surfaces[3], surfaces[2]};
    assert_false(contact_mesh_fits(m, swapped, SURFACES));
    contact_mesh_destroy(m);
    for (int i = 0; i < SURFACES; i++) stage_release(stages + i);
}

static void what_contact_left_alone_keeps_every_bit(void **state) {
    ruga_context *context = *state;
    stage stages[SURFACES];
    contact_surface *surfaces[SURFACES];
    stages_make(context, stages, surfaces);
    stages[0].candidate[5] = vec3_make(-0.0, 4e-320, 1e300);
    contact_mesh *m = mesh_make(context, surfaces);
    for (int i = 0; i < SURFACES; i++) {
        size_t count = stages[i].mesh->vertex_count;
        ruga_vec3 *before = malloc(count * sizeof *before), *none = calloc(count, sizeof *none);
        memcpy(before, stages[i].candidate, count * sizeof *before);
        contact_mesh_give(m, surfaces, 0.01);
        assert_memory_equal(stages[i].candidate, before, count * sizeof *before);
        assert_memory_equal(stages[i].impulses, none, count * sizeof *none);
        free(before);
        free(none);
    }
    contact_mesh_destroy(m);
    for (int i = 0; i < SURFACES; i++) stage_release(stages + i);
}

static void impulses_are_the_momentum_that_contact_changed(void **state) {
    ruga_context *context = *state;
    stage stages[SURFACES];
    contact_surface *surfaces[SURFACES];
    stages_make(context, stages, surfaces);
    contact_mesh *m = mesh_make(context, surfaces);
    test_random random = {3};
    double dt = 0.02;
    ruga_vec3 *change = malloc(m->vertex_count * sizeof *change);
    for (size_t i = 0; i < m->vertex_count; i++) {
        change[i] = random_vec3(&random, -0.1, 0.1);
        m->to[i] = vec3_add(m->to[i], change[i]);
    }
    stages[3].impulses[2] = vec3_make(1, 2, 3);
    contact_mesh_give(m, surfaces, dt);
    for (size_t i = 0; i < m->vertex_count; i++) {
        uint32_t part = m->part_of[i];
        size_t own = i - m->parts[part].first_vertex;
        assert_memory_equal(stages[part].candidate + own, m->to + i, sizeof *m->to);
        double mass = m->inverse_masses[i] > 0 ? 1 / m->inverse_masses[i] : 0;  // kinematic ones get nothing
        ruga_vec3 expected = vec3_scale(change[i], mass / dt);
        if (part == 3 && own == 2) expected = vec3_add(expected, vec3_make(1, 2, 3));
        assert_less(vec3_distance(stages[part].impulses[own], expected), 1e-12);
    }
    free(change);
    contact_mesh_destroy(m);
    for (int i = 0; i < SURFACES; i++) stage_release(stages + i);
}

static void taking_allocates_nothing_and_sees_what_moves(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    stage stages[SURFACES];
    contact_surface *surfaces[SURFACES];
    stages_make(context, stages, surfaces);
    contact_mesh *m = mesh_make(context, surfaces);
    long before = counter.allocations;
    for (size_t i = 0; i < stages[0].mesh->vertex_count; i++) stages[0].inverse_masses[i] = 0;
    stages[2].inverse_masses[11] = 0.5;
    stages[2].candidate[11].x = 77;
    contact_mesh_take(m, surfaces);
    contact_mesh_give(m, surfaces, 1);
    assert_int_equal(counter.allocations, before);
    assert_false(m->parts[0].moving);
    assert_true(m->parts[2].moving);
    assert_true(m->to[m->parts[2].first_vertex + 11].x == 77);
    contact_mesh_destroy(m);
    for (int i = 0; i < SURFACES; i++) stage_release(stages + i);
    ruga_context_destroy(context);
}

static ruga_status make_once(ruga_context *context, void *user) {
    contact_mesh *m = NULL;
    ruga_status status = contact_mesh_create(context, user, SURFACES, &m);
    contact_mesh_destroy(m);
    return status;
}

static void every_allocation_may_fail(void **state) {
    stage stages[SURFACES];
    contact_surface *surfaces[SURFACES];
    stages_make(*state, stages, surfaces);
    assert_less(9, assert_every_allocation_may_fail(make_once, surfaces));
    for (int i = 0; i < SURFACES; i++) stage_release(stages + i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_stand_one_after_the_other),
        cmocka_unit_test(a_triangle_with_a_vertex_twice_has_no_edge_from_it_to_itself),
        cmocka_unit_test(vertices_without_a_face_never_collide),
        cmocka_unit_test(it_fits_the_meshes_and_revisions_that_it_was_made_of),
        cmocka_unit_test(what_contact_left_alone_keeps_every_bit),
        cmocka_unit_test(impulses_are_the_momentum_that_contact_changed),
        cmocka_unit_test(taking_allocates_nothing_and_sees_what_moves),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
