/* Validation lists exactly the defects that were put in. */
#include <math.h>

#include "support/shapes.h"

static ruga_validation *validate(const ruga_mesh *mesh) {
    ruga_validation *validation = NULL;
    assert_ok(mesh->context, ruga_mesh_validate(mesh, &validation));
    size_t sum = 0;
    for (int kind = 0; kind < RUGA_DEFECT_KIND_COUNT; kind++) sum += validation->counts[kind];
    assert_int_equal(sum, validation->defect_count);
    for (size_t i = 1; i < validation->defect_count; i++) {
        const ruga_defect *a = &validation->defects[i - 1], *b = &validation->defects[i];
        assert_at_most_case(a->kind, b->kind, "defect %zu", i);
        if (a->kind == b->kind) assert_at_most_case(a->element, b->element, "defect %zu", i);
    }
    return validation;
}

static int has(const ruga_validation *validation, ruga_defect_kind kind, size_t element, size_t other) {
    for (size_t i = 0; i < validation->defect_count; i++) {
        const ruga_defect *d = &validation->defects[i];
        if (d->kind == kind && d->element == element && d->other == other) return 1;
    }
    return 0;
}

/* Validates, compares the list with (count) expected defects, and releases the mesh. */
static void assert_defects(ruga_mesh *mesh, const ruga_defect *expected, size_t count) {
    ruga_validation *validation = validate(mesh);
    for (size_t i = 0; i < count; i++) {
        fail_if(!has(validation, expected[i].kind, expected[i].element, expected[i].other), "missing: %s %zu %zu",
                ruga_defect_name(expected[i].kind), expected[i].element, expected[i].other);
    }
    assert_int_equal(validation->defect_count, count);
    ruga_validation_destroy(mesh, validation);
    ruga_mesh_destroy(mesh);
}

static const ruga_vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {3, 0, 0}};

static void sound_meshes_have_no_defects(void **state) {
    assert_defects(shape_sheet(*state, 6, 4), NULL, 0);
    assert_defects(shape_cylinder(*state, 6, 4), NULL, 0);
    assert_defects(shape_torus(*state, 6, 5), NULL, 0);
    assert_defects(shape_icosahedron(*state), NULL, 0);
    assert_defects(shape_tet(*state), NULL, 0);
    assert_defects(shape_loaded_sheet(*state), NULL, 0);
    assert_defects(shape_make(*state, 0, NULL, 0, NULL, NULL), NULL, 0);
    assert_defects(shape_make(*state, 3, points, 1, NULL, (const uint32_t[3]){0, 1, 2}), NULL, 0);
}

/* Whether a triangle is flat does not depend on its size. */
static void very_large_and_very_small_triangles_are_sound(void **state) {
    const double sizes[] = {1e-310, 1e-200, 1e-90, 1e90, 1e200, 1e300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double s = sizes[i];
        const ruga_vec3 p[4] = {{0, 0, 0}, {s, 0, 0}, {0, s, 0}, {3 * s, 0, 0}};
        assert_defects(shape_make(*state, 3, p, 1, NULL, (const uint32_t[3]){0, 1, 2}), NULL, 0);
        const ruga_defect expected[] = {{RUGA_DEFECT_DEGENERATE_FACE, 1, 0}};
        assert_defects(shape_make(*state, 4, p, 2, NULL, (const uint32_t[6]){0, 1, 2, 0, 3, 1}), expected, 1);
    }
}

static void degenerate_and_loose_are_listed(void **state) {
    const uint32_t faces[12] = {0, 1, 2, 2, 3, 2, 0, 1, 5, 3, 1, 0};
    const ruga_defect expected[] = {{RUGA_DEFECT_DEGENERATE_FACE, 1, 2},
                                    {RUGA_DEFECT_DEGENERATE_FACE, 2, 0},
                                    {RUGA_DEFECT_LOOSE_VERTEX, 4, 0},
                                    {RUGA_DEFECT_NON_MANIFOLD_EDGE, 0, 1}};
    assert_defects(shape_make(*state, 6, points, 4, NULL, faces), expected, 4);
}

static void a_polygon_that_names_a_vertex_twice_is_listed(void **state) {
    const ruga_vec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
    const uint32_t size = 6, corners[6] = {0, 1, 4, 2, 3, 4};
    ruga_mesh *mesh = shape_make(*state, 5, flat, 1, &size, corners);
    ruga_validation *validation = validate(mesh);
    assert_int_equal(validation->counts[RUGA_DEFECT_DEGENERATE_FACE], 1);
    assert_true(has(validation, RUGA_DEFECT_DEGENERATE_FACE, 0, 4));
    ruga_validation_destroy(mesh, validation);
    ruga_mesh_destroy(mesh);
}

static void duplicates_name_the_first(void **state) {
    const ruga_vec3 twice[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, 0}, {1, 0, 0}, {0, 0, 5}, {1, 0, 0}};
    const uint32_t faces[15] = {0, 1, 2, 2, 1, 0, 3, 4, 5, 1, 0, 2, 3, 5, 6};
    ruga_mesh *mesh = shape_make(*state, 7, twice, 5, NULL, faces);
    ruga_validation *validation = validate(mesh);
    assert_int_equal(validation->counts[RUGA_DEFECT_DUPLICATE_FACE], 2);
    assert_true(has(validation, RUGA_DEFECT_DUPLICATE_FACE, 1, 0));
    assert_true(has(validation, RUGA_DEFECT_DUPLICATE_FACE, 3, 0));
    assert_int_equal(validation->counts[RUGA_DEFECT_DUPLICATE_VERTEX], 3);
    assert_true(has(validation, RUGA_DEFECT_DUPLICATE_VERTEX, 3, 0));
    assert_true(has(validation, RUGA_DEFECT_DUPLICATE_VERTEX, 4, 1));
    assert_true(has(validation, RUGA_DEFECT_DUPLICATE_VERTEX, 6, 1));
    ruga_validation_destroy(mesh, validation);
    ruga_mesh_destroy(mesh);
}

static void polygons_are_duplicates_in_any_order_but_not_of_subsets(void **state) {
    const ruga_vec3 flat[6] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {5, 5, 0}, {5, 6, 0}};
    const uint32_t sizes[3] = {4, 3, 4}, corners[11] = {0, 1, 2, 3, 0, 1, 2, 2, 1, 0, 3};
    ruga_mesh *mesh = shape_make(*state, 4, flat, 3, sizes, corners);
    ruga_validation *validation = validate(mesh);
    assert_int_equal(validation->counts[RUGA_DEFECT_DUPLICATE_FACE], 1);
    assert_true(has(validation, RUGA_DEFECT_DUPLICATE_FACE, 2, 0));
    ruga_validation_destroy(mesh, validation);
    ruga_mesh_destroy(mesh);
}

static void non_manifold_fans_and_bow_ties_are_listed(void **state) {
    const uint32_t three[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, tie[6] = {0, 1, 2, 0, 3, 4};
    const ruga_defect edge = {RUGA_DEFECT_NON_MANIFOLD_EDGE, 0, 1}, vertex = {RUGA_DEFECT_NON_MANIFOLD_VERTEX, 0, 0};
    assert_defects(shape_make(*state, 5, points, 3, NULL, three), &edge, 1);
    assert_defects(shape_make(*state, 5, points, 2, NULL, tie), &vertex, 1);
}

/* Two closed cones, tip to tip: every edge is fine, the tip is not. */
static void two_closed_fans_at_a_vertex_are_listed(void **state) {
    const ruga_vec3 cones[7] = {{0, 0, 0}, {1, 0, 1}, {-1, 1, 1}, {-1, -1, 1}, {1, 0, -1}, {-1, 1, -1}, {-1, -1, -1}};
    const uint32_t faces[18] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 0, 5, 4, 0, 6, 5, 0, 4, 6};
    const ruga_defect tip = {RUGA_DEFECT_NON_MANIFOLD_VERTEX, 0, 0};
    assert_defects(shape_make(*state, 7, cones, 6, NULL, faces), &tip, 1);
}

static void a_flipped_triangle_is_listed_by_its_edges(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    uint32_t faces[60];
    memcpy(faces, ball->triangles, sizeof faces);
    uint32_t a = faces[9], b = faces[10], c = faces[11];
    faces[10] = c;
    faces[11] = b;
    ruga_mesh *mesh = shape_make(*state, 12, ball->positions, 20, NULL, faces);
    ruga_mesh_destroy(ball);
    const ruga_defect expected[3] = {{RUGA_DEFECT_ORIENTATION, a < b ? a : b, a < b ? b : a},
                                     {RUGA_DEFECT_ORIENTATION, b < c ? b : c, b < c ? c : b},
                                     {RUGA_DEFECT_ORIENTATION, c < a ? c : a, c < a ? a : c}};
    assert_defects(mesh, expected, 3);
}

/* NaN is reported and leaves the other checks as they were. */
static void points_that_are_not_finite_do_not_affect_other_checks(void **state) {
    ruga_vec3 some[6];
    memcpy(some, points, sizeof some);
    some[2].y = NAN;
    some[3].z = INFINITY;
    const uint32_t faces[12] = {0, 1, 2, 1, 0, 3, 1, 4, 4, 0, 2, 5};
    const ruga_defect expected[] = {
        {RUGA_DEFECT_NOT_FINITE, 2, 0}, {RUGA_DEFECT_NOT_FINITE, 3, 0}, {RUGA_DEFECT_DEGENERATE_FACE, 2, 4}};
    assert_defects(shape_make(*state, 6, some, 4, NULL, faces), expected, 3);
}

static void inverted_tets_are_listed(void **state) {
    const uint32_t tets[12] = {0, 1, 2, 3, 1, 0, 2, 4, 0, 1, 2, 5};
    ruga_mesh_def def = ruga_mesh_def_default();
    const ruga_vec3 six[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}, {3, 1, 0}};
    def.positions = (ruga_view){(void *)six, 6, 0, RUGA_F64};
    def.tet_count = 3;
    def.tets = tets;
    ruga_mesh *mesh;
    assert_ok(*state, ruga_mesh_create(*state, &def, &mesh));
    ruga_validation *validation = validate(mesh);
    assert_int_equal(validation->counts[RUGA_DEFECT_INVERTED_TET], 2);
    assert_true(has(validation, RUGA_DEFECT_INVERTED_TET, 1, 0) && has(validation, RUGA_DEFECT_INVERTED_TET, 2, 0));
    ruga_validation_destroy(mesh, validation);
    ruga_mesh_destroy(mesh);
}

static void every_kind_has_a_name(void **state) {
    (void)state;
    for (int a = 0; a < RUGA_DEFECT_KIND_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(ruga_defect_name((ruga_defect_kind)a), ruga_defect_name((ruga_defect_kind)b));
    assert_string_equal(ruga_defect_name(RUGA_DEFECT_DEGENERATE_FACE), "degenerate face");
    assert_string_equal(ruga_defect_name((ruga_defect_kind)99), "unknown defect");
}

static ruga_status validate_and_release(ruga_context *context, void *user) {
    ruga_mesh mesh = *(const ruga_mesh *)user;
    mesh.context = context;
    ruga_validation *validation = NULL;
    ruga_status status = ruga_mesh_validate(&mesh, &validation);
    ruga_validation_destroy(&mesh, validation);
    return status;
}

static void every_allocation_may_fail(void **state) {
    const uint32_t faces[12] = {0, 1, 2, 2, 3, 2, 0, 1, 5, 2, 1, 0};
    ruga_mesh *mesh = shape_make(*state, 6, points, 4, NULL, faces);
    assert_less(15, assert_every_allocation_may_fail(validate_and_release, mesh));
    ruga_mesh_destroy(mesh);
}

/* Cancels at the call of this number, from 0. */
typedef struct canceller {
    int calls, stop_at;
} canceller;

static int stop(void *user, const char *stage, double fraction) {
    canceller *c = user;
    assert_string_equal(stage, "inspecting");
    assert_at_most(0, fraction);
    assert_at_most(fraction, 1);
    return c->calls++ == c->stop_at;
}

/* The address sanitizer finds leaks. */
static void an_inspection_can_be_cancelled_anywhere(void **state) {
    (void)state;
    canceller c = {0};
    ruga_context_def def = ruga_context_def_default();
    def.progress = stop;
    def.progress_user = &c;
    ruga_context *watched = NULL;
    assert_status(ruga_context_create(&def, &watched), RUGA_OK);
    ruga_mesh *mesh = shape_sheet(watched, 3, 3);
    ruga_validation *validation = NULL;
    while (ruga_mesh_validate(mesh, &validation) == RUGA_ERROR_CANCELLED) {
        assert_null(validation);
        c = (canceller){.stop_at = c.stop_at + 1};
    }
    assert_non_null(validation);
    assert_at_most(5, c.stop_at);
    ruga_validation_destroy(mesh, validation);

    ruga_mesh_summary summary;
    for (c = (canceller){0}; ruga_mesh_summarise(mesh, &summary) == RUGA_ERROR_CANCELLED;)
        c = (canceller){.stop_at = c.stop_at + 1};
    assert_int_equal(c.stop_at, 2);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(watched);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_meshes_have_no_defects),
        cmocka_unit_test(very_large_and_very_small_triangles_are_sound),
        cmocka_unit_test(degenerate_and_loose_are_listed),
        cmocka_unit_test(a_polygon_that_names_a_vertex_twice_is_listed),
        cmocka_unit_test(duplicates_name_the_first),
        cmocka_unit_test(polygons_are_duplicates_in_any_order_but_not_of_subsets),
        cmocka_unit_test(non_manifold_fans_and_bow_ties_are_listed),
        cmocka_unit_test(two_closed_fans_at_a_vertex_are_listed),
        cmocka_unit_test(a_flipped_triangle_is_listed_by_its_edges),
        cmocka_unit_test(points_that_are_not_finite_do_not_affect_other_checks),
        cmocka_unit_test(inverted_tets_are_listed),
        cmocka_unit_test(every_kind_has_a_name),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(an_inspection_can_be_cancelled_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
