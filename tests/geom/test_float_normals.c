/* Float normals equal those of ruga_mesh_normals, for any triangles, threads and instruction set. */
#include "geom/float_normals.h"

#include "attached.h"

static float *normals_of(ruga_context *context, const ruga_mesh *mesh, normal_weight weight) {
    float *points = floats_of(mesh->positions, mesh->vertex_count);
    float *normals = malloc(mesh->vertex_count * 4 * sizeof *normals);
    float_normals *n = NULL;
    assert_ok(context,
              float_normals_create(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, weight, &n));
    float_normals_apply(n, points, normals);
    float_normals_destroy(n);
    free(points);
    return normals;
}

/* The same by loops over triangles, in double. */
static void plain_area_normals(const ruga_mesh *mesh, vec3 *normals) {
    for (size_t v = 0; v < mesh->vertex_count; v++) normals[v] = vec3_make(0, 0, 0);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        const vec3 *p = mesh->positions;
        vec3 n = vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]]));
        for (size_t k = 0; k < 3; k++) normals[v[k]] = vec3_add(normals[v[k]], n);
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) normals[v] = vec3_normalise(normals[v]);
}

static void assert_normals(const ruga_mesh *mesh, const float *normals, const vec3 *expected, double tolerance) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        vec3 n = vec3_make(normals[4 * v], normals[4 * v + 1], normals[4 * v + 2]);
        assert_at_most_case(vec3_distance(n, expected[v]), tolerance, "the normal of vertex %zu", v);
        assert_equal_case(normals[4 * v + 3], 0, "v %zu", v);
    }
}

/* Closed and open, regular and with vertices of many triangles, bent by random amounts. */
static ruga_mesh *bent_shape(ruga_context *context, int kind) {
    ruga_mesh *mesh = kind == 0   ? shape_torus(context, 24, 15)
                      : kind == 1 ? shape_sheet(context, 9, 13)
                      : kind == 2 ? shape_disc(context, 50)
                                  : shape_icosahedron(context);
    test_random random = {(uint64_t)kind + 1};
    vec3 *positions = (vec3 *)mesh->positions;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        positions[v] = vec3_add(positions[v], random_vec3(&random, -0.01, 0.01));
    return mesh;
}

static void normals_by_angle_are_those_of_the_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind < 4; kind++) {
        ruga_mesh *mesh = bent_shape(context, kind);
        vec3 *expected = malloc(mesh->vertex_count * sizeof *expected);
        assert_ok(context, ruga_mesh_normals(mesh, NULL, expected));
        float *normals = normals_of(context, mesh, NORMALS_BY_ANGLE);
        assert_normals(mesh, normals, expected, 1e-5);
        free(normals);
        free(expected);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

static void normals_by_area_are_sums_over_triangles(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind < 4; kind++) {
        ruga_mesh *mesh = bent_shape(context, kind);
        vec3 *expected = malloc(mesh->vertex_count * sizeof *expected);
        plain_area_normals(mesh, expected);
        float *normals = normals_of(context, mesh, NORMALS_BY_AREA);
        assert_normals(mesh, normals, expected, 1e-5);
        free(normals);
        free(expected);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* Angles from sharp to nearly straight, each alone at its vertex beside a fixed one. */
static void every_angle_weighs_what_it_measures(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int step = 1; step < 180; step++) {
        double angle = step * acos(-1) / 180;
        const vec3 positions[5] = {{0, 0, 0}, {3, 0, 0}, {2 * cos(angle), 2 * sin(angle), 0}, {0, 0, 1}, {0, 1, 0}};
        const uint32_t faces[6] = {0, 1, 2, 0, 3, 4};
        ruga_mesh *mesh = shape_make(context, 5, positions, 2, NULL, faces);
        float *normals = normals_of(context, mesh, NORMALS_BY_ANGLE);
        /* angle along z and a right angle along -x. */
        assert_near_case(atan2(normals[2], -normals[0]), atan2(angle, acos(0)), 3e-6, "step %d", step);
        free(normals);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

static void any_triangles_have_normals(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    enum { VERTICES = 12, TRIANGLES = 60 };
    test_random random = {5};
    vec3 positions[VERTICES], expected[VERTICES];
    uint32_t faces[3 * TRIANGLES];
    for (int i = 0; i < VERTICES; i++) positions[i] = random_vec3(&random, -1, 1);
    /* No fans, edges of many triangles, the same triangle twice; the last vertex is in none. */
    for (int i = 0; i < TRIANGLES; i++) {
        uint32_t a = (uint32_t)(random_bits(&random) % (VERTICES - 1)), b = a, c = a;
        while (b == a) b = (uint32_t)(random_bits(&random) % (VERTICES - 1));
        while (c == a || c == b) c = (uint32_t)(random_bits(&random) % (VERTICES - 1));
        faces[3 * i] = a, faces[3 * i + 1] = b, faces[3 * i + 2] = c;
    }
    for (int k = 0; k < 3; k++) faces[3 + k] = faces[k];
    ruga_mesh *mesh = shape_make(context, VERTICES, positions, TRIANGLES, NULL, faces);
    plain_area_normals(mesh, expected);
    float *normals = normals_of(context, mesh, NORMALS_BY_AREA);
    assert_normals(mesh, normals, expected, 2e-5);
    free(normals);
    assert_ok(context, ruga_mesh_normals(mesh, NULL, expected));
    normals = normals_of(context, mesh, NORMALS_BY_ANGLE);
    assert_normals(mesh, normals, expected, 2e-5);
    for (int k = 0; k < 4; k++) assert_equal_case(normals[4 * (VERTICES - 1) + k], 0, "k %d", k);
    free(normals);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_mesh_without_vertices_has_no_normals(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    float_normals *n = NULL;
    float points[4] = {0}, normals[4] = {7, 7, 7, 7};
    assert_ok(context, float_normals_create(context, 0, 0, NULL, NORMALS_BY_AREA, &n));
    float_normals_apply(n, points, normals);
    assert_equal(normals[0], 7);
    float_normals_destroy(n);
    assert_status(float_normals_create(context, 3, UINT32_MAX, NULL, NORMALS_BY_AREA, &n), RUGA_ERROR_INPUT);
    assert_message_has(context, "too many");
    float_normals_destroy(NULL);
    ruga_context_destroy(context);
}

static void threads_and_instruction_sets_change_no_bit(void **state) {
    (void)state;
    ruga_context *first = context_of(RUGA_ISA_SCALAR, 1);
    ruga_mesh *mesh = shape_torus(first, 50, 41);
    for (int weight = 0; weight < 2; weight++) {
        float *expected = normals_of(first, mesh, (normal_weight)weight);
        for (int isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
            ruga_context *context = context_of((ruga_isa)isa, 1 + isa % 3);
            if (!context) continue;
            float *normals = normals_of(context, mesh, (normal_weight)weight);
            assert_memory_equal(normals, expected, mesh->vertex_count * 4 * sizeof *normals);
            free(normals);
            ruga_context_destroy(context);
        }
        free(expected);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(first);
}

static ruga_status make_normals(ruga_context *context, void *user) {
    (void)user;
    const uint32_t triangles[6] = {0, 1, 2, 2, 1, 3};
    float_normals *n = NULL;
    TRY(float_normals_create(context, 4, 2, triangles, NORMALS_BY_ANGLE, &n));
    float_normals_destroy(n);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(8, assert_every_allocation_may_fail(make_normals, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_by_angle_are_those_of_the_mesh),
        cmocka_unit_test(normals_by_area_are_sums_over_triangles),
        cmocka_unit_test(every_angle_weighs_what_it_measures),
        cmocka_unit_test(any_triangles_have_normals),
        cmocka_unit_test(a_mesh_without_vertices_has_no_normals),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
