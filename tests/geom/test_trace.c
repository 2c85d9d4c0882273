/* Laws of ways over surfaces. */
#include "geom/curve_support.h"

static double way_length(const ruga_mesh *mesh, const ruga_surface_point *points, size_t count) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_ok(mesh->context, ruga_curve_from_surface_points(mesh, points, count, &def, &curve));
    assert_traced(mesh, curve);
    double length = ruga_curve_length(curve, mesh, NULL);
    ruga_curve_destroy(curve);
    return length;
}

static void on_a_plane_the_way_is_straight(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 9, 7);
    for (uint64_t seed = 1; seed <= 500; seed++) {
        test_random random = {seed};
        const ruga_surface_point ends[] = {random_place(mesh, &random), random_place(mesh, &random)};
        double straight = vec3_distance(surface_point_at(mesh, NULL, ends[0]), surface_point_at(mesh, NULL, ends[1]));
        if (straight < 1e-9) continue;
        double length = way_length(mesh, ends, 2);
        if (!(fabs(length - straight) < 1e-12))
            fail_msg("seed %d: %.17g m instead of %.17g m", (int)seed, length, straight);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* The section is a great circle, but for the facets, whose normals are not quite those of the sphere. */
static void on_a_sphere_the_way_is_a_great_circle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    double radius = vec3_length(mesh->positions[0]), edge = 0;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i += 3)
        edge = fmax(edge, vec3_distance(mesh->positions[mesh->triangles[i]], mesh->positions[mesh->triangles[i + 1]]));
    for (uint64_t seed = 1; seed <= 200; seed++) {
        test_random random = {seed};
        const ruga_surface_point ends[] = {random_place(mesh, &random), random_place(mesh, &random)};
        vec3 a = surface_point_at(mesh, NULL, ends[0]), b = surface_point_at(mesh, NULL, ends[1]);
        double angle = atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
        if (angle < 0.1 || angle > 2.5) continue;
        double arc = radius * angle, length = way_length(mesh, ends, 2);
        double slack = 1.5 * edge * edge / (radius * radius);
        if (length > arc * (1 + slack) || length < arc * (1 - slack))
            fail_msg("seed %d: %g m for an arc of %g m", (int)seed, length, arc);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void points_that_follow_each_other_share_a_triangle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        test_random random = {seed};
        ruga_mesh *mesh = random_mesh(context, &random);
        ruga_surface_point points[6];
        for (size_t i = 0; i < 6; i++) points[i] = random_place(mesh, &random);
        ruga_curve_def def = ruga_curve_def_default();
        ruga_curve *curve = NULL;
        def.closed = seed % 2 == 0;
        assert_ok(context, ruga_curve_from_surface_points(mesh, points, 6, &def, &curve));
        assert_traced(mesh, curve);
        ruga_curve_destroy(curve);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* Two sheets that only the end of one joins: the way has to go around, at least as far as to the joint and back. */
static void a_way_around_is_found(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    enum { N = 8 };
    ruga_vec3 positions[3 * (N + 1)];
    uint32_t faces[3 * 4 * N];
    for (uint32_t i = 0; i <= N; i++) {
        double x = (double)i / N, gap = 0.05 * (1 - x);
        positions[i] = (ruga_vec3){x, 0, -0.5};
        positions[N + 1 + i] = (ruga_vec3){x, 0, 0};
        positions[2 * (N + 1) + i] = (ruga_vec3){x, gap, -0.5};
    }
    size_t count = 0;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t row = 0; row < 2; row++) {
            uint32_t a = row ? N + 1 + i : i, b = row ? 2 * (N + 1) + i : N + 1 + i;
            const uint32_t two[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(faces + count, two, sizeof two);
            count += 6;
        }
    ruga_mesh *mesh = shape_make(context, 3 * (N + 1), positions, count / 3, NULL, faces);
    /* From below to above, near the open border: through the fold at z = 0. */
    const ruga_surface_point ends[] = {{0, {1, 0, 0}}, {2, {0, 1, 0}}};
    double length = way_length(mesh, ends, 2);
    assert_true(length > 0.999 && length < 1.05);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_point_by_two_triangles_is_one(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t faces[] = {0, 1, 2, 1, 3, 2};
    ruga_mesh *mesh = shape_make(context, 4, positions, 2, NULL, faces);
    const ruga_surface_point here = {0, {0, 0.25, 0.75}}, there = {1, {0.25, 0, 0.75}}, other = {1, {0.75, 0, 0.25}};
    const ruga_surface_point inside = {1, {0.25, 0.5, 0.25}}, also_inside = {0, {0.5, 0.25, 0.25}};
    tracer t;
    assert_ok(context, tracer_make(mesh, &t));
    assert_true(surface_point_same(&t, here, there) && surface_point_same(&t, there, here));
    assert_false(surface_point_same(&t, here, other) || surface_point_same(&t, inside, there));
    assert_false(surface_point_same(&t, inside, also_inside) || surface_point_same(&t, also_inside, inside));
    ruga_surface_point moved = surface_point_in(&t, 1, here);
    assert_memory_equal(moved.weights, there.weights, sizeof moved.weights);
    assert_int_equal(trace_shared_triangle(&t, here, there, 1), 1);
    assert_int_equal(trace_shared_triangle(&t, inside, also_inside, NO_INDEX), NO_INDEX);
    tracer_release(&t);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_plane_the_way_is_straight),
        cmocka_unit_test(on_a_sphere_the_way_is_a_great_circle),
        cmocka_unit_test(points_that_follow_each_other_share_a_triangle),
        cmocka_unit_test(a_way_around_is_found),
        cmocka_unit_test(a_point_by_two_triangles_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
