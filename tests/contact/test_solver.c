/* The guarantee: surfaces that start apart end apart, whatever their trajectories. */
#include "contact/solver.h"

#include <math.h>

#include "math/vec3.h"
#include "support/shapes.h"
#include "support/soup.h"
#include "support/surfaces.h"

#define DT (1.0 / 60)

static contact *make_solver(ruga_context *context, int rounds) {
    contact_def def = contact_def_default();
    def.values.impact_rounds = rounds;
    contact *solver;
    assert_ok(context, contact_create(context, &def, &solver));
    return solver;
}

static void destroy_solver(contact *solver) { solver->interface->destroy(solver); }

static void resolve(contact *solver, contact_surface *const *surfaces, size_t count) {
    measure_clear(&solver->measures);
    assert_ok(solver->context, solver->interface->resolve(solver, surfaces, count, DT));
}

/* Runs many soups, none of which may pinch. Without rounds of impacts everything is left to zones. */
static void run_soups(ruga_context *context, const soup_case *c, int rounds) {
    double in_zones = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        soup_result result = run_soup(context, c, seed, 3, rounds);
        assert_true(result.pinched == 0);
        in_zones += result.in_zones;
    }
    assert_true(rounds > 0 || in_zones > 0);
}

static void random_trajectories_end_without_intersection(void **state) {
    const soup_case c = {SOUP_NONE, 24, 0, 0.4, 0.8, 0.01};
    run_soups(*state, &c, 8);
    run_soups(*state, &c, 0);
}

static void nothing_passes_static_surfaces(void **state) {
    const soup_case c = {SOUP_STATIC, 20, 10, 0.4, 0.8, 0.01};
    run_soups(*state, &c, 8);
    run_soups(*state, &c, 0);
}

static void nothing_passes_what_turns(void **state) {
    skip_when_sanitized();
    const soup_case c = {SOUP_RIGID, 20, 10, 0.4, 0.8, 0.01};
    run_soups(*state, &c, 8);
    run_soups(*state, &c, 0);
}

static void thick_soups_end_without_intersection_too(void **state) {
    soup_case c = {SOUP_RIGID, 16, 8, 0.5, 1, 0.1};
    for (uint64_t seed = 0; seed < 30; seed++) assert_true(run_soup(*state, &c, seed, 4, 8).pinched == 0);
}

static void only_reported_pairs_intersect_where_surfaces_deform(void **state) {
    soup_case c = {SOUP_DEFORMING, 16, 10, 0.4, 0.8, 0.01};
    double pinched = 0;
    for (uint64_t seed = 0; seed < (SANITIZED ? 15 : 60); seed++) pinched += run_soup(*state, &c, seed, 3, 8).pinched;
    assert_less(0, pinched);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    skip_when_sanitized();
    const soup_case cases[2] = {{SOUP_RIGID, 30, 10, 0.5, 1, 0.02}, {SOUP_DEFORMING, 16, 10, 0.4, 0.8, 0.01}};
    const int threads[3] = {1, 2, 7};
    for (int k = 0; k < 2; k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            uint64_t hashes[3];
            for (int i = 0; i < 3; i++) {
                ruga_context *context = context_plain(threads[i]);
                hashes[i] = run_soup(context, &cases[k], seed, 3, 8).hash;
                ruga_context_destroy(context);
            }
            assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
        }
}

/* ---- Sheets and balls. */

/* A sheet of 1 m by 1 m at a height, in its rest mesh. */
static ruga_mesh *sheet_at(ruga_context *context, size_t cells, double height) {
    ruga_mesh *flat = shape_sheet(context, cells, cells);
    ruga_vec3 *x = malloc(flat->vertex_count * sizeof *x);
    for (size_t i = 0; i < flat->vertex_count; i++) x[i] = vec3_add(flat->positions[i], (vec3){0, height, 0});
    ruga_mesh *moved = shape_make(context, flat->vertex_count, x, flat->triangle_count, NULL, flat->triangles);
    free(x);
    ruga_mesh_destroy(flat);
    return moved;
}

static void sheets_shot_at_each_other_exchange_momentum_and_stay_apart(void **state) {
    ruga_context *context = *state;
    ruga_mesh *meshes[2] = {sheet_at(context, 8, 0), sheet_at(context, 7, 0.5)};
    test_surface a, b;
    test_surface_init(&a, "lower", meshes[0], 0.01, 0.01);
    test_surface_init(&b, "upper", meshes[1], 0.03, 0.01);
    contact_surface *surfaces[2] = {&a.surface, &b.surface};
    const test_surface *both[2] = {&a, &b};
    contact *solver = make_solver(context, 8);
    test_surface_move(&a, (vec3){0.3, 1.7, 0});
    test_surface_move(&b, (vec3){-0.1, -1.7, 0.2});
    ruga_vec3 before = test_surfaces_momentum(both, 2);
    resolve(solver, surfaces, 2);
    ruga_vec3 after = test_surfaces_momentum(both, 2);
    assert_less(vec3_distance(before, after), 1e-12);
    assert_int_equal(test_surfaces_intersections(context, both, 2), 0);
    /* Each is still on its side, and the impulses match the change of the trajectories. */
    ruga_vec3 given = {0, 0, 0};
    for (size_t i = 0; i < meshes[0]->vertex_count; i++) given = vec3_add(given, a.impulses[i]);
    for (size_t i = 0; i < meshes[1]->vertex_count; i++) given = vec3_add(given, b.impulses[i]);
    assert_less(a.candidate[4 * 9 + 4].y, b.candidate[3 * 8 + 3].y);
    assert_less(vec3_length(given), 1e-9);
    destroy_solver(solver);
    test_surface_release(&a);
    test_surface_release(&b);
    ruga_mesh_destroy(meshes[0]);
    ruga_mesh_destroy(meshes[1]);
}

static void what_does_not_collide_keeps_every_bit(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = sheet_at(context, 8, 0);
    test_surface s;
    test_surface_init(&s, "sheet", mesh, 0.01, 0.01);
    test_random random = {5};
    for (size_t i = 0; i < mesh->vertex_count; i++)
        s.candidate[i] = vec3_add(s.accepted[i], random_vec3(&random, -0.02, 0.02));
    ruga_vec3 *before = malloc(mesh->vertex_count * sizeof *before);
    memcpy(before, s.candidate, mesh->vertex_count * sizeof *before);
    contact_surface *surfaces[1] = {&s.surface};
    contact *solver = make_solver(context, 8);
    resolve(solver, surfaces, 1);
    assert_memory_equal(before, s.candidate, mesh->vertex_count * sizeof *before);
    for (size_t i = 0; i < mesh->vertex_count; i++) assert_true(vec3_length(s.impulses[i]) == 0);
    free(before);
    destroy_solver(solver);
    test_surface_release(&s);
    ruga_mesh_destroy(mesh);
}

/* ---- Colliders by formula. */

static void sheets_rest_on_colliders_by_formula(void **state) {
    ruga_context *context = *state;
    const vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const collider kinds[4] = {
        {.kind = COLLIDER_PLANE, .point = {0, -0.1, 0}, .axes = {x, y, z}},
        {.kind = COLLIDER_SPHERE, .point = {0.5, -0.4, -0.5}, .radius = 0.3},
        {.kind = COLLIDER_CAPSULE, .point = {0.2, -0.4, -0.5}, .other = {0.8, -0.45, -0.4}, .radius = 0.3},
        {.kind = COLLIDER_BOX, .point = {0.5, -0.4, -0.5}, .half = {0.3, 0.3, 0.3}, .axes = {x, y, z}}};
    ruga_mesh *mesh = sheet_at(context, 12, 0);
    for (int k = 0; k < 4; k++) {
        contact_def def = contact_def_default();
        def.collider_count = 1;
        def.colliders = &kinds[k];
        contact *solver;
        test_surface s;
        assert_ok(context, contact_create(context, &def, &solver));
        test_surface_init(&s, "sheet", mesh, 0.01, 0.01);
        contact_surface *surfaces[1] = {&s.surface};
        const test_surface *checked[1] = {&s};
        double held = 0;
        for (int step = 0; step < 10; step++) {
            test_surface_move(&s, (vec3){0, -0.05, 0});
            resolve(solver, surfaces, 1);
            assert_int_equal(test_surfaces_intersections(context, checked, 1), 0);
            /* The mesh of a round collider is up to a thousandth inside of it. */
            for (size_t i = 0; i < mesh->vertex_count; i++) {
                vec3 normal;
                assert_less(0.001 - 1e-3 * 0.3, collider_distance(&kinds[k], s.candidate[i], &normal));
                held += vec3_length(s.holds[i].normal) > 0;
            }
            test_surface_accept(&s);
        }
        assert_less(0, held);
        destroy_solver(solver);
        test_surface_release(&s);
    }
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trajectories_end_without_intersection),
        cmocka_unit_test(nothing_passes_static_surfaces),
        cmocka_unit_test(nothing_passes_what_turns),
        cmocka_unit_test(thick_soups_end_without_intersection_too),
        cmocka_unit_test(only_reported_pairs_intersect_where_surfaces_deform),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(sheets_shot_at_each_other_exchange_momentum_and_stay_apart),
        cmocka_unit_test(what_does_not_collide_keeps_every_bit),
        cmocka_unit_test(sheets_rest_on_colliders_by_formula),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
