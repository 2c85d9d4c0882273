/* The laws of surfaces that are smoothed for pictures. */
#include <math.h>

#include "geom/loop_smooth.h"
#include "math/vec3.h"
#include "support/support.h"

static ruga_mesh *make_mesh(ruga_context *context, const ruga_vec3 *points, size_t count, const uint32_t *triangles,
                            size_t triangle_count) {
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){(void *)(uintptr_t)points, count, 0, RUGA_F64};
    def.face_count = triangle_count, def.face_vertices = triangles;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

static const uint32_t cube_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                            2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static ruga_mesh *make_cube(ruga_context *context) {
    ruga_vec3 points[8];
    for (int i = 0; i < 8; i++) points[i] = (ruga_vec3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
    return make_mesh(context, points, 8, cube_triangles, 12);
}

static double volume(const loop_smooth *s) {
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *v = s->triangles + 3 * t;
        sum += vec3_dot(s->positions[v[0]], vec3_cross(s->positions[v[1]], s->positions[v[2]])) / 6;
    }
    return sum;
}

static void hard_edges_stay_and_others_are_rounded(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *cube = make_cube(context);
    loop_smooth hard, soft;
    assert_ok(context, loop_smooth_make(cube, cube->positions, NULL, 50, 2, &hard));
    assert_ok(context, loop_smooth_make(cube, cube->positions, NULL, 180, 2, &soft));
    assert_equal((double)hard.triangle_count, 12 * 16);
    // Edges of 90 degrees are hard above 50 degrees, so that the cube stays one; without, it becomes a rounded thing.
    assert_near(volume(&hard), 8, 1e-12);
    for (size_t v = 0; v < hard.vertex_count; v++) {
        vec3 p = hard.positions[v];
        assert_near_case(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))), 1, 1e-12, "vertex %zu", v);
    }
    assert_less(volume(&soft), 4);
    assert_less(1, volume(&soft));
    loop_smooth_release(context, &hard);
    loop_smooth_release(context, &soft);
    ruga_mesh_destroy(cube);
    ruga_context_destroy(context);
}

/* On a closed smooth surface, and inside an open one, it is Loop's scheme. */
static void without_hard_edges_it_is_loops_scheme(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *torus = NULL, *fine = NULL;
    assert_ok(context, ruga_model_make(context, "torus", NULL, &torus));
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.kind = RUGA_SUBDIVIDE_LOOP, def.n = 2;
    assert_ok(context, ruga_mesh_subdivide(torus, &def, &fine, NULL));
    loop_smooth smooth;
    assert_ok(context, loop_smooth_make(torus, torus->positions, NULL, 180, 2, &smooth));
    assert_equal((double)smooth.vertex_count, (double)fine->vertex_count);
    for (size_t v = 0; v < torus->vertex_count; v++)
        assert_at_most_case(vec3_distance(smooth.positions[v], fine->positions[v]), 1e-14, "vertex %zu", v);
    int intersects = 1;
    assert_ok(context, loop_smooth_intersects(context, &smooth, &intersects));
    assert_false(intersects);
    loop_smooth_release(context, &smooth);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(torus);
    ruga_context_destroy(context);
}

/* A sheet keeps its four corners, its rest shape and values are interpolated, and a moment follows the rest's edges. */
static void corners_of_boundaries_stay(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *sheet = NULL;
    const ruga_section *model = ruga_model_find("sheet");
    double values[64];
    ruga_section_defaults(model, values);
    assert_ok(context, ruga_model_make(context, "sheet", values, &sheet));
    double *heights = calloc(sheet->vertex_count, sizeof *heights);
    ruga_vec3 *bent = calloc(sheet->vertex_count, sizeof *bent);
    double low = INFINITY, high = -INFINITY, low_z = INFINITY, high_z = -INFINITY;
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        bent[v] = sheet->positions[v];
        bent[v].y = 0.1 * sin(20 * bent[v].x);
        heights[v] = 3 * sheet->positions[v].x + 1;
        low = fmin(low, bent[v].x), high = fmax(high, bent[v].x);
        low_z = fmin(low_z, bent[v].z), high_z = fmax(high_z, bent[v].z);
    }
    loop_smooth smooth;
    assert_ok(context, loop_smooth_make(sheet, bent, heights, 50, 1, &smooth));
    size_t corners = 0;
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        if ((bent[v].x > low && bent[v].x < high) || (bent[v].z > low_z && bent[v].z < high_z)) continue;
        corners++;
        assert_at_most(vec3_distance(smooth.positions[v], bent[v]), 0);
    }
    assert_equal((double)corners, 4);
    for (size_t v = 0; v < smooth.vertex_count; v++) {
        assert_near_case(smooth.values[v], 3 * smooth.rest[v].x + 1, 1e-12, "vertex %zu", v);
        assert_near_case(smooth.rest[v].y, 0, 1e-12, "vertex %zu", v);
    }
    loop_smooth_release(context, &smooth);
    free(heights);
    free(bent);
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
}

/* A triangle in an octahedron: apart, until the octahedron shrinks; the triangle's corners stay. */
static ruga_mesh *make_nested(ruga_context *context) {
    static const uint32_t faces[27] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5, 6, 7, 8};
    static const ruga_vec3 points[9] = {{1, 0, 0},  {-1, 0, 0},        {0, 1, 0},           {0, -1, 0},      {0, 0, 1},
                                        {0, 0, -1}, {0.8, 0.05, 0.03}, {-0.8, 0.04, -0.05}, {0.1, 0.8, 0.02}};
    return make_mesh(context, points, 9, faces, 9);
}

static void smoothing_that_intersects_is_found(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *nested = make_nested(context);
    for (int rounds = 0; rounds < 3; rounds++) {
        loop_smooth smooth;
        int intersects = -1;
        assert_ok(context, loop_smooth_make(nested, nested->positions, NULL, 180, rounds, &smooth));
        assert_ok(context, loop_smooth_intersects(context, &smooth, &intersects));
        assert_equal_case(intersects, rounds > 0, "rounds %d", rounds);
        loop_smooth_release(context, &smooth);
    }
    // In a picture it is drawn as it is, and counted.
    ruga_render_mesh item = ruga_render_mesh_default(nested);
    ruga_panel panel = {.mesh_count = 1, .meshes = &item, .camera = ruga_camera_default()};
    ruga_render_def def = ruga_render_def_default();
    def.width = 64, def.height = 48, def.samples = 1, def.occlusion_samples = 1, def.panels = &panel,
    def.panel_count = 1;
    ruga_image *images[3];
    for (int i = 0; i < 3; i++) {
        item.smooth = i > 0;
        item.crease_angle = i == 1 ? 50 : 180;  // at 50 degrees the octahedron stays sharp
        assert_ok(context, ruga_render(context, &def, &images[i]));
        assert_equal_case((double)images[i]->faceted, i == 2, "picture %d", i);
    }
    assert_memory_equal(images[0]->pixels, images[2]->pixels, 3 * 64 * 48);
    for (int i = 0; i < 3; i++) ruga_image_destroy(images[i]);
    ruga_mesh_destroy(nested);
    ruga_context_destroy(context);
}

static void what_cannot_be_smoothed_is_left_alone(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, NAN}};
    static const uint32_t triangles[6] = {0, 1, 2, 1, 3, 2};
    ruga_mesh *mesh = make_mesh(context, points, 4, triangles, 2);
    loop_smooth smooth;
    assert_ok(context, loop_smooth_make(mesh, mesh->positions, NULL, 50, 1, &smooth));
    assert_equal((double)smooth.triangle_count, 0);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status smooth_cube(ruga_context *context, void *user) {
    loop_smooth smooth;
    ruga_vec3 points[8];
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *cube = NULL;
    const double values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    (void)user;
    for (int i = 0; i < 8; i++) points[i] = (ruga_vec3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
    def.positions = (ruga_view){points, 8, 0, RUGA_F64};
    def.face_count = 12, def.face_vertices = cube_triangles;
    ruga_status status = ruga_mesh_create(context, &def, &cube);
    if (RUGA_FAILED(status)) return status;
    status = loop_smooth_make(cube, cube->positions, values, 50, 2, &smooth);
    int intersects;
    if (!RUGA_FAILED(status)) {
        status = loop_smooth_intersects(context, &smooth, &intersects);
        loop_smooth_release(context, &smooth);
    }
    ruga_mesh_destroy(cube);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(20, assert_every_allocation_may_fail(smooth_cube, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_edges_stay_and_others_are_rounded),
        cmocka_unit_test(without_hard_edges_it_is_loops_scheme),
        cmocka_unit_test(corners_of_boundaries_stay),
        cmocka_unit_test(smoothing_that_intersects_is_found),
        cmocka_unit_test(what_cannot_be_smoothed_is_left_alone),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
