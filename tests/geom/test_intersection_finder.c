/* The public search over several meshes, frame after frame. */
#include "ruga/intersections.h"

#include <math.h>

#include "geom/intersections.h"
#include "support/shapes.h"

static ruga_intersection_finder *make_finder(ruga_context *context, const ruga_mesh *const *meshes, size_t count,
                                             int weld) {
    ruga_intersection_mesh given[4];
    for (size_t i = 0; i < count; i++) given[i] = (ruga_intersection_mesh){meshes[i], i ? NULL : "first"};
    ruga_intersection_finder_def def = ruga_intersection_finder_def_default();
    assert_int_equal(def.weld, 1);
    def.mesh_count = count;
    def.meshes = given;
    def.weld = weld;
    ruga_intersection_finder *finder = NULL;
    assert_ok(context, ruga_intersection_finder_create(context, &def, &finder));
    return finder;
}

/* A torus and an upright sheet through it: neither intersects itself, and they cross. */
static ruga_vec3 *upright(const ruga_mesh *sheet, double x) {
    ruga_vec3 *positions = malloc(sheet->vertex_count * sizeof *positions);
    for (size_t i = 0; i < sheet->vertex_count; i++) {
        ruga_vec3 p = sheet->positions[i];
        positions[i] = (ruga_vec3){x + 1e-3 * p.x, 10 * (p.x - 0.5), 10 * (p.z + 0.5)};
    }
    return positions;
}

static void meshes_are_tested_against_themselves_and_each_other(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *torus = shape_torus(context, 30, 20), *sheet = shape_sheet(context, 9, 9);
    const ruga_mesh *meshes[2] = {torus, sheet};
    ruga_intersection_finder *finder = make_finder(context, meshes, 2, 1);
    ruga_intersections found;
    ruga_vec3 *across = upright(sheet, 1.5), *beside = upright(sheet, 3.5);

    const ruga_vec3 *frames[3][2] = {{NULL, beside}, {torus->positions, across}, {NULL, beside}};
    for (int i = 0; i < 3; i++) {
        assert_ok(context, ruga_intersection_finder_find(finder, frames[i], &found));
        if (i != 1) {
            assert_int_equal(found.count, 0);
            continue;
        }
        assert_less_case(50, found.count, "i %d", i);
        for (size_t k = 0; k < found.count; k++) {
            const ruga_intersection *one = &found.items[k];
            assert_int_equal(one->meshes[0], 0);
            assert_int_equal(one->meshes[1], 1);
            assert_less_case(one->triangles[0], torus->triangle_count, "i %d, k %zu", i, k);
            assert_less_case(one->triangles[1], sheet->triangle_count, "i %d, k %zu", i, k);
            assert_near_case(one->point.x, 1.5, 2e-3, "i %d, k %zu", i, k);
            /* The triangles named are those that intersect. */
            ruga_vec3 a[3], b[3];
            for (int c = 0; c < 3; c++) {
                a[c] = torus->positions[torus->triangles[3 * one->triangles[0] + (uint32_t)c]];
                b[c] = across[sheet->triangles[3 * one->triangles[1] + (uint32_t)c]];
            }
            assert_true(triangles_intersect(a, b));
        }
    }
    free(across);
    free(beside);
    ruga_intersection_finder_destroy(finder);
    ruga_mesh_destroy(torus);
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
}

/* The tree is refitted for each frame: earlier frames do not change the result. */
static void the_result_of_a_frame_does_not_depend_on_the_frames_before(void **state) {
    (void)state;
    ruga_context *context = context_plain(3);
    const ruga_mesh *mesh = shape_torus(context, 24, 16);
    ruga_vec3 *frame = malloc(mesh->vertex_count * sizeof *frame);
    test_random random = {5};
    ruga_intersection_finder *kept = make_finder(context, &mesh, 1, 1);
    for (int i = 0; i < 6; i++) {
        double by = 0.05 * i, scale = i == 4 ? 1e-40 : i == 5 ? 1e40 : 1;
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            ruga_vec3 p = mesh->positions[v], d = random_vec3(&random, -by, by);
            frame[v] = (ruga_vec3){scale * (p.x + d.x), scale * (p.y + d.y), scale * (p.z + d.z)};
        }
        const ruga_vec3 *given = frame;
        ruga_intersections a, b;
        ruga_intersection_finder *fresh = make_finder(context, &mesh, 1, 1);
        assert_ok(context, ruga_intersection_finder_find(kept, &given, &a));
        assert_ok(context, ruga_intersection_finder_find(fresh, &given, &b));
        assert_int_equal(a.count, b.count);
        if (i == 0) assert_equal(a.count, 0);
        if (i >= 3) assert_less_case(0, a.count, "i %d", i);
        if (a.count) assert_memory_equal(a.items, b.items, a.count * sizeof *a.items);
        ruga_intersection_finder_destroy(fresh);
    }
    free(frame);
    ruga_intersection_finder_destroy(kept);
    ruga_mesh_destroy((ruga_mesh *)(uintptr_t)mesh);
    ruga_context_destroy(context);
}

static void faces_are_those_of_the_file(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    /* Two quads that cross: two triangles each. */
    const ruga_vec3 positions[] = {{-1, 0, -1}, {1, 0, -1},   {1, 0, 1},   {-1, 0, 1},
                                   {0, -1, -2}, {0, -1, 0.5}, {0, 1, 0.5}, {0, 1, -2}};
    const uint32_t sizes[] = {4, 4}, faces[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const ruga_mesh *mesh = shape_make(context, 8, positions, 2, sizes, faces);
    ruga_intersection_finder *finder = make_finder(context, &mesh, 1, 1);
    ruga_intersections found;
    assert_ok(context, ruga_intersection_finder_find(finder, NULL, &found));
    assert_less(0, found.count);
    for (size_t i = 0; i < found.count; i++) {
        assert_int_equal(found.items[i].faces[0], 0);
        assert_int_equal(found.items[i].faces[1], 1);
        assert_less_case(found.items[i].triangles[0], 2, "i %zu", i);
        assert_at_most_case(2, found.items[i].triangles[1], "i %zu", i);
    }
    ruga_intersection_finder_destroy(finder);
    ruga_mesh_destroy((ruga_mesh *)(uintptr_t)mesh);
    ruga_context_destroy(context);
}

/* Every triangle has vertices of its own: without welding they all touch, with it none does. */
static void welding_unites_split_vertices(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *whole = shape_torus(context, 12, 8);
    size_t count = 3 * whole->triangle_count;
    ruga_vec3 *positions = malloc(count * sizeof *positions);
    uint32_t *faces = malloc(count * sizeof *faces);
    for (uint32_t i = 0; i < count; i++) positions[i] = whole->positions[whole->triangles[i]], faces[i] = i;
    const ruga_mesh *split = shape_make(context, count, positions, whole->triangle_count, NULL, faces);
    for (int weld = 0; weld < 2; weld++) {
        ruga_intersection_finder *finder = make_finder(context, &split, 1, weld);
        ruga_intersections found;
        assert_ok(context, ruga_intersection_finder_find(finder, NULL, &found));
        if (weld)
            assert_equal(found.count, 0);
        else
            assert_at_most(6 * whole->triangle_count, found.count);
        ruga_intersection_finder_destroy(finder);
    }
    free(positions);
    free(faces);
    ruga_mesh_destroy(whole);
    ruga_mesh_destroy((ruga_mesh *)(uintptr_t)split);
    ruga_context_destroy(context);
}

static void bad_input_is_named_and_the_next_frame_works(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_mesh *meshes[2] = {shape_sheet(context, 3, 3), shape_torus(context, 6, 5)};
    ruga_intersection_finder *finder = make_finder(context, meshes, 2, 1);
    ruga_vec3 *bad[2];
    for (int i = 0; i < 2; i++) {
        bad[i] = malloc(meshes[i]->vertex_count * sizeof *bad[i]);
        memcpy(bad[i], meshes[i]->positions, meshes[i]->vertex_count * sizeof *bad[i]);
    }
    ruga_intersections found = {0};
    bad[0][5].z = INFINITY;
    const ruga_vec3 *frame[2] = {bad[0], NULL};
    assert_status(ruga_intersection_finder_find(finder, frame, &found), RUGA_ERROR_INPUT);
    assert_message_has(context, "first: vertex 5");
    bad[1][7].x = NAN;
    frame[0] = NULL, frame[1] = bad[1];
    assert_status(ruga_intersection_finder_find(finder, frame, &found), RUGA_ERROR_INPUT);
    assert_message_has(context, "mesh 1: vertex 7");
    frame[1] = NULL;
    assert_ok(context, ruga_intersection_finder_find(finder, frame, &found));

    ruga_intersection_finder_def forgotten = {.mesh_count = 0};
    ruga_intersection_finder *none = NULL;
    assert_status(ruga_intersection_finder_create(context, &forgotten, &none), RUGA_ERROR_ARGUMENT);
    assert_null(none);
    free(bad[0]);
    free(bad[1]);
    ruga_intersection_finder_destroy(finder);
    for (int i = 0; i < 2; i++) ruga_mesh_destroy((ruga_mesh *)(uintptr_t)meshes[i]);
    ruga_context_destroy(context);
}

static int stop(void *user, const char *stage, double fraction) {
    (void)stage, (void)fraction;
    return *(int *)user;
}

static void the_search_can_be_cancelled(void **state) {
    (void)state;
    int stops = 0;
    ruga_context_def def = ruga_context_def_default();
    def.progress = stop;
    def.progress_user = &stops;
    ruga_context *context = NULL;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    const ruga_mesh *mesh = shape_sheet(context, 3, 3);
    ruga_intersection_finder *finder = make_finder(context, &mesh, 1, 1);
    ruga_intersections found;
    stops = 1;
    assert_status(ruga_intersection_finder_find(finder, NULL, &found), RUGA_ERROR_CANCELLED);
    ruga_intersection_finder_destroy(finder);
    ruga_mesh_destroy((ruga_mesh *)(uintptr_t)mesh);
    ruga_context_destroy(context);
}

static ruga_status find_twice(ruga_context *context, void *user) {
    const ruga_intersection_mesh given[2] = {{user, "one"}, {user, NULL}};
    ruga_intersection_finder_def def = ruga_intersection_finder_def_default();
    def.mesh_count = 2;
    def.meshes = given;
    ruga_intersection_finder *finder = NULL;
    ruga_intersections found = {0};
    ruga_status status = ruga_intersection_finder_create(context, &def, &finder);
    for (int i = 0; i < 2 && !RUGA_FAILED(status); i++) status = ruga_intersection_finder_find(finder, NULL, &found);
    ruga_intersection_finder_destroy(finder);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *sheet = shape_sheet(context, 5, 5);
    assert_less(10, assert_every_allocation_may_fail(find_twice, sheet));
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_tested_against_themselves_and_each_other),
        cmocka_unit_test(the_result_of_a_frame_does_not_depend_on_the_frames_before),
        cmocka_unit_test(faces_are_those_of_the_file),
        cmocka_unit_test(welding_unites_split_vertices),
        cmocka_unit_test(bad_input_is_named_and_the_next_frame_works),
        cmocka_unit_test(the_search_can_be_cancelled),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
