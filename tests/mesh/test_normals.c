/* Normals, masses and the summary, against surfaces whose numbers are known. */
#include <math.h>

#include "math/vec3.h"
#include "support/shapes.h"

#define PI 3.14159265358979323846

static ruga_mesh_summary summarise(const ruga_mesh *mesh) {
    ruga_mesh_summary s;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &s));
    return s;
}

static void normals_of_known_surfaces_are_theirs(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 4, 3), *ball = shape_icosahedron(*state);
    ruga_vec3 normals[20];
    assert_ok(*state, ruga_mesh_normals(sheet, NULL, normals));
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        assert_equal_case(normals[v].x, 0, "v %zu", v);
        assert_near_case(normals[v].y, 1, 1e-15, "v %zu", v);
        assert_equal_case(normals[v].z, 0, "v %zu", v);
    }
    assert_ok(*state, ruga_mesh_normals(ball, NULL, normals));
    for (size_t v = 0; v < 12; v++) assert_less_case(vec3_distance(normals[v], ball->positions[v]), 1e-14, "v %zu", v);
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(ball);
}

/* The normal at the corner of a cube is along its diagonal, however its sides are cut, thanks to angle weights. */
static void normals_do_not_depend_on_the_triangulation(void **state) {
    const ruga_vec3 points[7] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {-1, -1, 0}, {0, -1, -1}, {-1, 0, -1}};
    const uint32_t one[15] = {0, 1, 4, 0, 4, 2, 0, 2, 5, 0, 5, 3, 0, 3, 1},
                   other[12] = {0, 1, 4, 0, 4, 2, 0, 2, 3, 0, 3, 1};
    const uint32_t *const faces[2] = {one, other};
    for (size_t i = 0; i < 2; i++) {
        ruga_mesh *mesh = shape_make(*state, 7, points, i ? 4 : 5, NULL, faces[i]);
        ruga_vec3 normals[7];
        assert_ok(*state, ruga_mesh_normals(mesh, NULL, normals));
        assert_less_case(vec3_distance(normals[0], vec3_normalise((vec3){1, 1, 1})), 1e-15, "i %zu", i);
        ruga_mesh_destroy(mesh);
    }
}

static void normals_turn_with_the_surface(void **state) {
    ruga_mesh *mesh = shape_torus(*state, 9, 7);
    size_t n = mesh->vertex_count;
    ruga_vec3 *turned = malloc(3 * n * sizeof *turned), *before = turned + n, *after = before + n;
    for (size_t v = 0; v < n; v++) {
        vec3 p = mesh->positions[v];
        turned[v] = (vec3){p.y, p.z, p.x};
    }
    assert_ok(*state, ruga_mesh_normals(mesh, NULL, before));
    assert_ok(*state, ruga_mesh_normals(mesh, turned, after));
    for (size_t v = 0; v < n; v++)
        assert_less_case(vec3_distance(after[v], (vec3){before[v].y, before[v].z, before[v].x}), 1e-14, "v %zu", v);
    free(turned);
    ruga_mesh_destroy(mesh);
}

static void normals_work_with_defects_and_at_every_size(void **state) {
    const uint32_t faces[9] = {0, 1, 2, 3, 3, 4, 0, 1, 5};
    const double sizes[3] = {1e-160, 1, 1e160};
    for (int i = 0; i < 3; i++) {
        double s = sizes[i];
        const ruga_vec3 points[7] = {{0, 0, 0}, {s, 0, 0}, {0, s, 0}, {1, 1, 1}, {2, 2, 2}, {NAN, 0, 0}, {0, 0, 0}};
        ruga_mesh *mesh = shape_make(*state, 7, points, 3, NULL, faces);
        ruga_vec3 normals[7];
        assert_ok(*state, ruga_mesh_normals(mesh, NULL, normals));
        assert_less_case(vec3_distance(normals[0], (vec3){0, 0, 1}), 1e-15, "i %d", i);
        for (size_t v = 3; v < 7; v++) assert_equal_case(vec3_length(normals[v]), 0, "i %d, v %zu", i, v);
        ruga_mesh_destroy(mesh);
    }
}

/* Bit for bit, over more than one chunk of triangles. */
static void normals_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    ruga_vec3 *results[2];
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        ruga_context *context = context_plain(i ? 4 : 1);
        ruga_mesh *mesh = shape_torus(context, 300, 130);
        n = mesh->vertex_count;
        results[i] = malloc(n * sizeof(ruga_vec3));
        assert_ok(context, ruga_mesh_normals(mesh, NULL, results[i]));
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    assert_memory_equal(results[0], results[1], n * sizeof(ruga_vec3));
    free(results[0]);
    free(results[1]);
}

static void masses_add_up_to_density_times_area_or_volume(void **state) {
    ruga_mesh *meshes[4] = {shape_sheet(*state, 5, 4), shape_torus(*state, 12, 9), shape_icosahedron(*state),
                            shape_tet(*state)};
    for (size_t i = 0; i < 4; i++) {
        double masses[200], sum = 0;
        ruga_mesh_summary s = summarise(meshes[i]);
        assert_ok(*state, ruga_mesh_masses(meshes[i], 0.3, masses));
        for (size_t v = 0; v < meshes[i]->vertex_count; v++) sum += masses[v];
        double expected = 0.3 * (meshes[i]->tet_count ? s.volume : s.area);
        assert_near_case(sum, expected, 1e-14 * expected, "i %zu", i);
        ruga_mesh_destroy(meshes[i]);
    }
}

static void an_invalid_density_is_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 1, 1);
    double masses[4];
    assert_status(ruga_mesh_masses(mesh, -1, masses), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_masses(mesh, NAN, masses), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "density");
    ruga_mesh_destroy(mesh);
}

static void topology_in_numbers_is_that_of_the_surface(void **state) {
    struct {
        ruga_mesh *mesh;
        long euler;
        size_t loops;
        int closed, genus;
    } cases[] = {{shape_sheet(*state, 5, 3), 1, 1, 0, -1}, {shape_cylinder(*state, 6, 2), 0, 2, 0, -1},
                 {shape_torus(*state, 7, 5), 0, 0, 1, 1},  {shape_disc(*state, 9), 1, 1, 0, -1},
                 {shape_icosahedron(*state), 2, 0, 1, 0},  {shape_tet(*state), 2, 0, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ruga_mesh_summary s = summarise(cases[i].mesh);
        assert_int_equal(s.euler, cases[i].euler);
        assert_int_equal(s.boundary_loops, cases[i].loops);
        assert_int_equal(s.closed, cases[i].closed);
        assert_int_equal(s.genus, cases[i].genus);
        assert_int_equal(s.components, 1);
        assert_true(s.manifold && s.oriented && s.loose_vertices == 0);
        ruga_mesh_destroy(cases[i].mesh);
    }
}

static void measures_are_those_of_the_solid(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state), *sheet = shape_sheet(*state, 4, 2), *tet = shape_tet(*state);
    ruga_mesh_summary s = summarise(ball);
    double golden = (1 + sqrt(5)) / 2, edge = 2 / sqrt(1 + golden * golden);
    assert_near(s.area, 5 * sqrt(3) * edge * edge, 1e-13);
    assert_near(s.volume, 5.0 / 12 * (3 + sqrt(5)) * edge * edge * edge, 1e-13);
    assert_near(s.shortest_edge, edge, 1e-14);
    assert_near(s.longest_edge, edge, 1e-14);
    assert_near(s.mean_edge, edge, 1e-14);
    s = summarise(sheet);
    assert_near(s.area, 1, 1e-15);
    assert_equal(s.volume, 0);
    assert_equal(s.low.x, 0);
    assert_equal(s.high.x, 1);
    assert_equal(s.low.z, -1);
    assert_equal(s.high.z, 0);
    assert_equal(s.low.y, 0);
    assert_equal(s.shortest_edge, 0.25);
    assert_near(s.longest_edge, sqrt(0.25 + 0.0625), 1e-15);
    s = summarise(tet);
    assert_near(s.volume, 1.0 / 6, 1e-16);
    ruga_mesh_destroy(ball);
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(tet);
}

static void a_fine_torus_has_the_volume_of_the_torus(void **state) {
    ruga_mesh *mesh = shape_torus(*state, 200, 100);
    ruga_mesh_summary s = summarise(mesh);
    assert_near(s.volume / (4 * PI * PI), 1, 2e-3);
    assert_near(s.area / (8 * PI * PI), 1, 1e-3);
    ruga_mesh_destroy(mesh);
}

static void a_solid_far_away_has_the_same_volume(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    ruga_vec3 moved[12];
    for (size_t v = 0; v < 12; v++) moved[v] = vec3_add(ball->positions[v], (vec3){1e6, -2e6, 3e6});
    ruga_mesh *mesh = shape_make(*state, 12, moved, 20, NULL, ball->triangles);
    assert_near(summarise(mesh).volume, summarise(ball).volume, 1e-8);
    ruga_mesh_destroy(ball);
    ruga_mesh_destroy(mesh);
}

static void pieces_and_loose_vertices_are_counted(void **state) {
    const ruga_vec3 points[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0},
                                 {6, 0, 0}, {5, 1, 0}, {9, 9, 9}, {NAN, 0, 0}};
    const uint32_t faces[6] = {0, 1, 2, 3, 4, 5};
    ruga_mesh *mesh = shape_make(*state, 8, points, 2, NULL, faces);
    ruga_mesh_summary s = summarise(mesh);
    assert_int_equal(s.components, 2);
    assert_int_equal(s.loose_vertices, 2);
    assert_int_equal(s.euler, 2);
    assert_equal(s.high.x, 9);
    assert_equal(s.low.x, 0);
    assert_int_equal(s.genus, -1);
    ruga_mesh_destroy(mesh);
}

static void defects_show_in_the_flags(void **state) {
    const ruga_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    const uint32_t flipped[6] = {0, 1, 2, 0, 1, 3}, three[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, tie[6] = {0, 1, 2, 0, 3, 4};
    ruga_mesh *mesh = shape_make(*state, 4, points, 2, NULL, flipped);
    ruga_mesh_summary s = summarise(mesh);
    assert_true(s.manifold && !s.oriented);
    ruga_mesh_destroy(mesh);
    mesh = shape_make(*state, 5, points, 3, NULL, three);
    s = summarise(mesh);
    assert_false(s.manifold);
    ruga_mesh_destroy(mesh);
    mesh = shape_make(*state, 5, points, 2, NULL, tie);
    s = summarise(mesh);
    assert_true(!s.manifold && s.oriented && s.components == 1);
    ruga_mesh_destroy(mesh);
}

static void an_empty_mesh_has_an_empty_summary(void **state) {
    ruga_mesh *mesh = shape_make(*state, 0, NULL, 0, NULL, NULL);
    ruga_mesh_summary s = summarise(mesh);
    assert_equal(s.area, 0);
    assert_equal(s.volume, 0);
    assert_true(s.edges == 0 && s.components == 0 && s.euler == 0 && !s.closed);
    assert_ok(*state, ruga_mesh_normals(mesh, NULL, NULL));
    ruga_mesh_destroy(mesh);
}

static ruga_status measure_and_release(ruga_context *context, void *user) {
    (void)user;
    static const ruga_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t face[3] = {0, 1, 2};
    ruga_mesh mesh = {.vertex_count = 3,
                      .positions = points,
                      .triangle_count = 1,
                      .triangles = face,
                      .face_count = 1,
                      .corner_count = 3,
                      .face_vertices = face,
                      .context = context};
    ruga_mesh_summary s;
    ruga_vec3 normals[3];
    ruga_status status = ruga_mesh_summarise(&mesh, &s);
    return RUGA_FAILED(status) ? status : ruga_mesh_normals(&mesh, NULL, normals);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(15, assert_every_allocation_may_fail(measure_and_release, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_of_known_surfaces_are_theirs),
        cmocka_unit_test(normals_do_not_depend_on_the_triangulation),
        cmocka_unit_test(normals_turn_with_the_surface),
        cmocka_unit_test(normals_work_with_defects_and_at_every_size),
        cmocka_unit_test(normals_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(masses_add_up_to_density_times_area_or_volume),
        cmocka_unit_test(an_invalid_density_is_refused),
        cmocka_unit_test(topology_in_numbers_is_that_of_the_surface),
        cmocka_unit_test(measures_are_those_of_the_solid),
        cmocka_unit_test(a_fine_torus_has_the_volume_of_the_torus),
        cmocka_unit_test(a_solid_far_away_has_the_same_volume),
        cmocka_unit_test(pieces_and_loose_vertices_are_counted),
        cmocka_unit_test(defects_show_in_the_flags),
        cmocka_unit_test(an_empty_mesh_has_an_empty_summary),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
