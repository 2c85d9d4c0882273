/* Attachments on the limit surface of Loop's subdivision. */
#include "attached.h"

#define ROUNDS 5

/* Rounds of Loop's scheme, and the position of each vertex in the base, by the same linear cuts. */
typedef struct deep {
    ruga_mesh *mesh;
    ruga_map *source;
} deep;

static void deep_release(deep *d) {
    ruga_mesh_destroy(d->mesh);
    ruga_map_destroy(d->source);
}

static deep deepen(const ruga_mesh *base, int rounds) {
    deep d = {0};
    ruga_mesh *flat = NULL;
    for (int round = 0; round < rounds; round++) {
        ruga_map *step = NULL;
        ruga_mesh *finer = subdivide(round ? d.mesh : base, RUGA_SUBDIVIDE_LOOP, 1, NULL);
        ruga_mesh *finer_flat = subdivide(round ? flat : base, RUGA_SUBDIVIDE_REGULAR, 2, &step);
        ruga_mesh_destroy(d.mesh);
        ruga_mesh_destroy(flat);
        d.mesh = finer;
        flat = finer_flat;
        if (round == 0) {
            d.source = step;
            continue;
        }
        ruga_map *whole = NULL;
        assert_ok(base->context, ruga_map_compose(step, d.source, &whole));
        ruga_map_destroy(step);
        ruga_map_destroy(d.source);
        d.source = whole;
    }
    ruga_mesh_destroy(flat);
    return d;
}

/* The corner of a sheet with one triangle: its boundary is smooth there, so the normal is not unique. */
static int is_corner(const ruga_mesh *base, size_t v) {
    size_t triangles = 0;
    for (size_t c = 0; c < 3 * base->triangle_count; c++) triangles += base->triangles[c] == v;
    return v < base->vertex_count && triangles == 1;
}

/* The greatest distance of the limit from a number of rounds, and between their normals. */
static double distance_after(const ruga_mesh *base, int rounds, double *normals) {
    deep d = deepen(base, rounds);
    attachment *a = NULL;
    assert_ok(base->context, attachment_create_from_map(base, ATTACH_LOOP, 180, d.source, &a));
    float *positions = floats_of(base->positions, base->vertex_count), *deep_normals = mesh_float_normals(d.mesh);
    applied r = apply(a, positions, NULL);
    double worst = 0;
    *normals = 0;
    for (size_t i = 0; i < r.count; i++) {
        worst = fmax(worst, vec3_distance(point_of(r.points, i), d.mesh->positions[i]));
        if (!is_corner(base, i))
            *normals = fmax(*normals, vec3_distance(point_of(r.normals, i), point_of(deep_normals, i)));
        assert_near_case(vec3_length(point_of(r.normals, i)), 1, 1e-6, "i %zu", i);
    }
    applied_release(&r);
    free(positions);
    free(deep_normals);
    attachment_destroy(a);
    deep_release(&d);
    return worst;
}

/* Each round reduces the distance by `ratio`: a quarter, or around vertices of k triangles 3/8 + cos(2π/k)/4 if
 * more. */
static void assert_limit(const ruga_mesh *base, double ratio, double roughness) {
    double normals[2], before = distance_after(base, ROUNDS - 1, &normals[0]);
    double after = distance_after(base, ROUNDS, &normals[1]);
    assert_less(after, 1.05 * ratio * before + 1e-6);
    assert_less(after, roughness * pow(4, -ROUNDS));
    assert_less(normals[1], 0.7 * normals[0] + 1e-4);
    assert_less(normals[1], roughness * pow(2, -ROUNDS));
}

static ruga_mesh *bumpy(ruga_mesh *mesh, double height) {
    test_random random = {4};
    vec3 *positions = (vec3 *)mesh->positions;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        positions[v] = vec3_add(positions[v], random_vec3(&random, -height, height));
    return mesh;
}

static void the_limit_of_closed_meshes_is_what_rounds_tend_to(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *base = shape_icosahedron(context); /* five triangles at each vertex */
    assert_limit(base, 0.45, 0.5);
    ruga_mesh_destroy(base);
    base = bumpy(shape_torus(context, 5, 4), 0.2); /* six at each vertex: nothing is refined */
    assert_limit(base, 0.25, 2);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void the_limit_of_a_tetrahedron_is_what_rounds_tend_to(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 corners[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const uint32_t faces[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    ruga_mesh *base = shape_make(context, 4, corners, 4, NULL, faces);
    assert_limit(base, 0.25, 2);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void the_limit_at_boundaries_is_what_rounds_tend_to(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_mesh *bases[5] = {bumpy(shape_sheet(context, 4, 3), 0.05), bumpy(shape_cylinder(context, 5, 2), 0.1),
                           bumpy(shape_disc(context, 8), 0.1), bumpy(shape_disc(context, 3), 0.1),
                           bumpy(shape_sheet(context, 1, 1), 0.1)};
    const double ratios[5] = {0.25, 0.25, 0.56, 0.25, 0.25};
    for (int i = 0; i < 5; i++) {
        assert_limit(bases[i], ratios[i], 2);
        ruga_mesh_destroy(bases[i]);
    }
    ruga_context_destroy(context);
}

static void two_fans_at_a_vertex_keep_its_position(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 positions[5] = {{0, 0, 0}, {1, 0, 0.2}, {1, 1, 0}, {-1, 0, 0.1}, {-1, -1, 0}};
    const uint32_t faces[6] = {0, 1, 2, 0, 3, 4};
    ruga_mesh *base = shape_make(context, 5, positions, 2, NULL, faces);
    double normals;
    assert_less(distance_after(base, ROUNDS, &normals), pow(4, -ROUNDS));
    attachment *a = NULL;
    float *floats = floats_of(positions, 5);
    assert_ok(context, attachment_create(base, ATTACH_LOOP, 180, 1, positions, &a));
    applied r = apply(a, floats, NULL);
    assert_less(vec3_length(point_of(r.points, 0)), 1e-6);
    applied_release(&r);
    free(floats);
    attachment_destroy(a);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

/* The surface is smooth, also over edges and where the method of evaluation changes. */
static void the_limit_is_continuous(void **state) {
    (void)state;
    enum { STEPS = 400 };
    ruga_context *context = context_plain(1);
    ruga_mesh *base = bumpy(shape_disc(context, 7), 0.2);
    float *floats = floats_of(base->positions, base->vertex_count);
    vec3 points[STEPS];
    for (int i = 0; i < STEPS; i++) {
        /* Closer and closer to the vertex in the middle, then through it. */
        double t = pow(0.95, i) * 0.4;
        const uint32_t *v = base->triangles;
        points[i] = vec3_add(vec3_add(vec3_scale(base->positions[v[0]], i + 1 == STEPS ? 1 : 1 - 2 * t),
                                      vec3_scale(base->positions[v[1]], i + 1 == STEPS ? 0 : 1.3 * t)),
                             vec3_scale(base->positions[v[2]], i + 1 == STEPS ? 0 : 0.7 * t));
    }
    attachment *a = NULL;
    assert_ok(context, attachment_create(base, ATTACH_LOOP, 180, STEPS, points, &a));
    applied r = apply(a, floats, NULL);
    for (size_t i = 0; i + 1 < STEPS; i++) {
        double step = vec3_distance(points[i], points[i + 1]);
        assert_less_case(vec3_distance(point_of(r.points, i), point_of(r.points, i + 1)), 2 * step + 1e-6, "i %zu", i);
        assert_less_case(vec3_distance(point_of(r.normals, i), point_of(r.normals, i + 1)), 4 * step + 1e-3, "i %zu",
                         i);
    }
    applied_release(&r);
    free(floats);
    attachment_destroy(a);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void edges_of_three_triangles_are_an_error_that_names_them(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    const uint32_t faces[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    ruga_mesh *base = shape_make(context, 5, positions, 3, NULL, faces);
    attachment *a = NULL;
    assert_status(attachment_create(base, ATTACH_LOOP, 180, 1, positions, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "edge (0, 1)");
    assert_null(a);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_of_closed_meshes_is_what_rounds_tend_to),
        cmocka_unit_test(the_limit_of_a_tetrahedron_is_what_rounds_tend_to),
        cmocka_unit_test(the_limit_at_boundaries_is_what_rounds_tend_to),
        cmocka_unit_test(two_fans_at_a_vertex_keep_its_position),
        cmocka_unit_test(the_limit_is_continuous),
        cmocka_unit_test(edges_of_three_triangles_are_an_error_that_names_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
