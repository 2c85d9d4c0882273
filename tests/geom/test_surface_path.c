/* Paths over surfaces. */
#include "geom/curve_support.h"

static double path_length(const ruga_mesh *mesh, const ruga_surface_point *points, size_t count) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_ok(mesh->context, ruga_curve_from_surface_points(mesh, points, count, &def, &curve));
    assert_traced(mesh, curve);
    double length = ruga_curve_length(curve, mesh, NULL);
    ruga_curve_destroy(curve);
    return length;
}

static void on_a_plane_the_path_is_straight(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 9, 7);
    size_t apart = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        test_random random = {seed};
        const ruga_surface_point ends[] = {random_place(mesh, &random), random_place(mesh, &random)};
        double straight = vec3_distance(surface_point_at(mesh, NULL, ends[0]), surface_point_at(mesh, NULL, ends[1]));
        if (straight < 1e-9) continue;
        double length = path_length(mesh, ends, 2);
        assert_near_case(length, straight, 1e-12, "seed %llu", (unsigned long long)seed);
        apart++;
    }
    assert_ran(apart, 490);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* The section is a great circle, except that the normals of facets are not exactly those of the sphere. */
static void on_a_sphere_the_path_is_a_great_circle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    double radius = vec3_length(mesh->positions[0]), edge = 0;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i += 3)
        edge = fmax(edge, vec3_distance(mesh->positions[mesh->triangles[i]], mesh->positions[mesh->triangles[i + 1]]));
    size_t arcs = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        test_random random = {seed};
        const ruga_surface_point ends[] = {random_place(mesh, &random), random_place(mesh, &random)};
        vec3 a = surface_point_at(mesh, NULL, ends[0]), b = surface_point_at(mesh, NULL, ends[1]);
        double angle = atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
        if (angle < 0.1 || angle > 2.5) continue;
        double arc = radius * angle, length = path_length(mesh, ends, 2);
        double slack = 1.5 * edge * edge / (radius * radius);
        assert_near_case(length, arc, arc * slack, "seed %llu", (unsigned long long)seed);
        arcs++;
    }
    assert_ran(arcs, 150);
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

/* Two sheets joined at one end: the path has to go around, at least to the joint and back. */
static void a_path_around_a_gap_is_found(void **state) {
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
    double length = path_length(mesh, ends, 2);
    assert_less(0.999, length);
    assert_less(length, 1.05);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* A square of n by n cells without those in `left_out` (columns and rows from, up to), and with a wall. */
typedef struct ground {
    uint32_t n, left_out[4];
    double wall; /* m, where x is 0.5 and z within 0.25 and 0.75 */
} ground;

static ruga_mesh *ground_make(ruga_context *context, ground g) {
    uint32_t n = g.n, count = 0;
    ruga_vec3 *positions = malloc((n + 1) * (n + 1) * sizeof *positions);
    uint32_t *faces = malloc(6 * n * n * sizeof *faces);
    assert_true(positions && faces);
    for (uint32_t i = 0; i < (n + 1) * (n + 1); i++) {
        double x = (double)(i % (n + 1)) / n, z = (double)(i / (n + 1)) / n;
        positions[i] = (ruga_vec3){x, x == 0.5 && z > 0.24 && z < 0.76 ? g.wall : 0, z};
    }
    for (uint32_t z = 0; z < n; z++)
        for (uint32_t x = 0; x < n; x++) {
            if (x >= g.left_out[0] && x < g.left_out[1] && z >= g.left_out[2] && z < g.left_out[3]) continue;
            uint32_t a = z * (n + 1) + x;
            const uint32_t two[6] = {a, a + n + 1, a + 1, a + 1, a + n + 1, a + n + 2};
            memcpy(faces + count, two, sizeof two);
            count += 6;
        }
    ruga_mesh *mesh = shape_make(context, (n + 1) * (n + 1), positions, count / 3, NULL, faces);
    free(positions);
    free(faces);
    return mesh;
}

static double drawn_length(const ruga_mesh *mesh, ruga_vec3 from, ruga_vec3 to) {
    const ruga_vec3 ends[] = {from, to};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_ok(mesh->context, ruga_curve_from_points(mesh, ends, 2, &def, &curve));
    assert_traced(mesh, curve);
    double length = ruga_curve_length(curve, mesh, NULL);
    ruga_curve_destroy(curve);
    return length;
}

/* Around the inner corner of an L, and around a hole: as long as a taut thread. */
static void a_path_around_a_corner_is_the_shortest(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    static const uint32_t cells[] = {8, 16, 64};
    for (size_t i = 0; i < 3; i++) {
        uint32_t n = cells[i];
        ruga_mesh *bent = ground_make(context, (ground){n, {n / 2, n, n / 2, n}, 0});
        ruga_mesh *holed = ground_make(context, (ground){n, {n / 4, 3 * n / 4, n / 4, 3 * n / 4}, 0});
        double corner = drawn_length(bent, vec3_make(0.97, 0, 0.47), vec3_make(0.43, 0, 0.93));
        double tight = hypot(0.47, 0.03) + hypot(0.07, 0.43);
        assert_near_case(corner, tight, 1e-12, "%u cells", n);
        /* Past two corners of the hole, nearer to z = 0. */
        double around = drawn_length(holed, vec3_make(0.1, 0, 0.4), vec3_make(0.9, 0, 0.4));
        tight = 2 * hypot(0.15, 0.15) + 0.5;
        assert_near_case(around, tight, 1e-12, "%u cells", n);
        ruga_mesh_destroy(bent);
        ruga_mesh_destroy(holed);
    }
    ruga_context_destroy(context);
}

/* Straight over a wall would be five times as far as around it. */
static void a_section_that_is_a_detour_is_not_taken(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = ground_make(context, (ground){16, {0, 0, 0, 0}, 1});
    double length = drawn_length(mesh, vec3_make(0.3, 0, 0.3), vec3_make(0.7, 0, 0.3));
    assert_less(0.4, length);
    assert_less(length, 0.6);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* A vertex has many triangles: the path does not depend on which one names it. */
static void the_triangle_that_names_a_vertex_does_not_matter(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_random random = {seed};
        uint32_t from = mesh->triangles[random_bits(&random) % (3 * mesh->triangle_count)];
        ruga_surface_point to = random_place(mesh, &random);
        double first = -1;
        size_t named = 0;
        for (uint32_t corner = 0; corner < 3 * mesh->triangle_count; corner++) {
            if (mesh->triangles[corner] != from) continue;
            ruga_surface_point ends[] = {{corner / 3, {0, 0, 0}}, to};
            ends[0].weights[corner % 3] = 1;
            double length = path_length(mesh, ends, 2);
            if (first < 0) first = length;
            assert_near_case(length, first, 1e-12, "seed %llu, corner %u", (unsigned long long)seed, corner);
            named++;
        }
        assert_ran(named, 3);
    }
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
        cmocka_unit_test(on_a_plane_the_path_is_straight),
        cmocka_unit_test(on_a_sphere_the_path_is_a_great_circle),
        cmocka_unit_test(points_that_follow_each_other_share_a_triangle),
        cmocka_unit_test(a_path_around_a_gap_is_found),
        cmocka_unit_test(a_path_around_a_corner_is_the_shortest),
        cmocka_unit_test(a_section_that_is_a_detour_is_not_taken),
        cmocka_unit_test(the_triangle_that_names_a_vertex_does_not_matter),
        cmocka_unit_test(a_point_by_two_triangles_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
