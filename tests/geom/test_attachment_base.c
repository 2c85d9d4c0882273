/* Attachments and their base: tets, frames, seams, and invalid bases. */
#include <string.h>

#include "attached.h"
#include "geom/float_normals.h"

/* ---- Tets. */

/* A cube of five tets. */
static ruga_mesh *cube_of_tets(ruga_context *context) {
    vec3 corners[8];
    for (int i = 0; i < 8; i++) corners[i] = vec3_make(i & 1, i >> 1 & 1, i >> 2);
    const uint32_t tets[20] = {0, 1, 2, 4, 3, 2, 1, 7, 5, 4, 7, 1, 6, 7, 4, 2, 1, 2, 4, 7};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){corners, 8, 0, RUGA_F64};
    def.tet_count = 5;
    def.tets = tets;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

static vec3 affine(vec3 p) { return vec3_make(2 * p.x - p.y + 0.3, 0.5 * p.x + p.z - 1, p.y - 3 * p.z + 0.25 * p.x); }

static void points_in_tets_follow_affine_motions(void **state) {
    (void)state;
    enum { POINTS = 101 };
    ruga_context *context = context_plain(1);
    ruga_mesh *base = cube_of_tets(context);
    vec3 points[POINTS], bent[8];
    test_random random = {3};
    for (int i = 0; i < POINTS; i++) points[i] = random_vec3(&random, -0.1, 1.1);
    for (int v = 0; v < 8; v++) bent[v] = affine(base->positions[v]);
    float *rest = floats_of(base->positions, 8), *moved = floats_of(bent, 8);
    attachment *a = NULL;
    assert_ok(context, attachment_create(base, ATTACH_PN, 180, POINTS, points, &a));
    applied before = apply(a, rest, NULL), after = apply(a, moved, NULL);
    for (size_t i = 0; i < POINTS; i++) {
        assert_less_case(vec3_distance(point_of(before.points, i), points[i]), 1e-6, "i %zu", i);
        assert_less_case(vec3_distance(point_of(after.points, i), affine(points[i])), 5e-6, "i %zu", i);
    }
    applied_release(&before);
    applied_release(&after);
    free(rest);
    free(moved);
    attachment_destroy(a);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void points_in_tets_have_the_normals_of_the_nearest_surface(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = cube_of_tets(context);
    const vec3 points[3] = {{0.5, 0.4, 0.9}, {0.1, 0.4, 0.5}, {0.6, 1.2, 0.5}};
    const vec3 faces[3] = {{0, 0, 1}, {-1, 0, 0}, {0, 1, 0}};
    float *rest = floats_of(base->positions, 8), *normals = mesh_float_normals(base);
    attachment *a = NULL;
    assert_ok(context, attachment_create(base, ATTACH_LOOP, 180, 3, points, &a));
    const uint32_t order[5] = {2, UINT32_MAX, 0, 1, 1};
    assert_ok(context, attachment_reorder(a, 5, order));
    applied flat = apply(a, rest, NULL), smooth = apply(a, rest, normals);
    for (size_t i = 0; i < 5; i++) {
        double u[3];
        const uint32_t *v = base->triangles + 3 * attachment_triangle(a, i, u);
        vec3 mixed = {0, 0, 0};
        for (int k = 0; k < 3; k++) mixed = vec3_add_scaled(mixed, point_of(normals, v[k]), u[k]);
        assert_less_case(vec3_distance(point_of(smooth.normals, i), vec3_normalise(mixed)), 1e-5, "i %zu", i);
        if (i != 1) assert_less_case(vec3_distance(point_of(flat.normals, i), faces[order[i]]), 1e-6, "i %zu", i);
        assert_memory_equal(flat.points + 4 * i, smooth.points + 4 * i, 16);
    }
    applied_release(&flat);
    applied_release(&smooth);
    free(rest);
    free(normals);
    attachment_destroy(a);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

/* ---- Frames. */

static void assert_rotation(const float *f) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++) dot += (double)f[3 * i + k] * (double)f[3 * j + k];
            assert_near_case(dot, (i == j), 1e-5, "i %d, j %d", i, j);
        }
    vec3 x = vec3_make(f[0], f[1], f[2]), y = vec3_make(f[3], f[4], f[5]), z = vec3_make(f[6], f[7], f[8]);
    assert_less(0.9, vec3_dot(vec3_cross(x, y), z));
}

static void frames_are_rotations_along_the_first_edge(void **state) {
    (void)state;
    for (int isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
        ruga_context *context = context_of((ruga_isa)isa, 2);
        if (!context) continue;
        ruga_mesh *base = shape_torus(context, 7, 3);
        size_t count = base->triangle_count;
        attachment *a = NULL;
        assert_ok(context, attachment_create(base, ATTACH_LINEAR, 180, 1, base->positions, &a));
        float *positions = floats_of(base->positions, base->vertex_count);
        float *frames = calloc(9 * count + 1, sizeof *frames), *rest = calloc(9 * count + 1, sizeof *rest);
        frames[9 * count] = rest[9 * count] = 7;
        attachment_rest_frames(a, rest);
        attachment_frames(a, positions, frames);
        assert_equal_case(frames[9 * count], 7, "isa %d", isa);
        assert_equal_case(rest[9 * count], 7, "isa %d", isa);
        for (size_t t = 0; t < count; t++) {
            const uint32_t *v = base->triangles + 3 * t;
            const float *f = frames + 9 * t;
            vec3 edge = vec3_normalise(vec3_sub(base->positions[v[1]], base->positions[v[0]]));
            assert_rotation(f);
            assert_less_case(vec3_distance(vec3_make(f[0], f[1], f[2]), edge), 1e-5, "isa %d, t %zu", isa, t);
            for (int k = 0; k < 9; k++)
                assert_less_case(fabsf(f[k] - rest[9 * t + (size_t)k]), 1e-5f, "isa %d, t %zu, k %d", isa, t, k);
        }
        free(positions);
        free(frames);
        free(rest);
        attachment_destroy(a);
        ruga_mesh_destroy(base);
        ruga_context_destroy(context);
    }
}

static void a_triangle_that_collapses_keeps_its_frame(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_sheet(context, 3, 3);
    attachment *a = NULL;
    assert_ok(context, attachment_create(base, ATTACH_LINEAR, 180, 1, base->positions, &a));
    float *positions = floats_of(base->positions, base->vertex_count);
    float *frames = malloc(9 * base->triangle_count * sizeof *frames);
    attachment_rest_frames(a, frames);
    float before[9];
    const uint32_t *v = base->triangles + 3 * 5;
    memcpy(before, frames + 9 * 5, sizeof before);
    /* Into a line, then into a point; the others continue. */
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < base->vertex_count; i++) positions[4 * i + 1] = (float)(base->positions[i].x * 0.2);
        for (size_t k = 0; k < 3; k++) {
            float middle = 0.5f * (positions[4 * v[0] + k] + positions[4 * v[1] + k]);
            positions[4 * v[2] + k] = middle;
            if (round == 1) positions[4 * v[0] + k] = positions[4 * v[1] + k] = middle;
        }
        attachment_frames(a, positions, frames);
        assert_memory_equal(before, frames + 9 * 5, sizeof before);
        for (size_t t = 0; t < base->triangle_count; t++) assert_rotation(frames + 9 * t);
    }
    free(positions);
    free(frames);
    attachment_destroy(a);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

/* ---- Seams. */

/* A tube of n by 4 squares and radius 1 m, closed by a seam along it, with double vertices. */
static ruga_mesh *split_tube(ruga_context *context, size_t n) {
    vec3 positions[200];
    uint32_t faces[1000];
    size_t vertices = 0, triangles = 0;
    for (size_t j = 0; j <= 4; j++)
        for (size_t i = 0; i <= n; i++) {
            double angle = 2 * acos(-1) * (double)(i % n) / (double)n;
            positions[vertices++] = vec3_make(cos(angle), sin(angle), 0.5 * (double)j);
        }
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < n; i++) {
            uint32_t a = (uint32_t)(j * (n + 1) + i), b = a + 1, c = a + (uint32_t)n + 1, d = c + 1;
            const uint32_t two[6] = {a, b, d, a, d, c};
            memcpy(faces + 3 * triangles, two, sizeof two);
            triangles += 2;
        }
    return shape_make(context, vertices, positions, triangles, NULL, faces);
}

/* The greatest gap between the two sides of the seam, and between their normals. */
static double seam_gap(const ruga_mesh *base, attachment_kind kind, const float *positions, const float *normals,
                       double *normal_gap) {
    ruga_map *map = NULL;
    ruga_mesh *fine = subdivide(base, RUGA_SUBDIVIDE_REGULAR, 5, &map);
    attachment *a = NULL;
    assert_ok(base->context, attachment_create_from_map(base, kind, 180, map, &a));
    applied r = apply(a, positions, normals);
    size_t met = 0;
    double gap = 0;
    *normal_gap = 0;
    for (size_t i = 0; i < r.count; i++)
        for (size_t j = 0; j < i; j++) {
            if (vec3_distance(fine->positions[i], fine->positions[j]) > 1e-9) continue;
            gap = fmax(gap, vec3_distance(point_of(r.points, i), point_of(r.points, j)));
            *normal_gap = fmax(*normal_gap, vec3_distance(point_of(r.normals, i), point_of(r.normals, j)));
            met++;
        }
    assert_int_equal(met, 4 * 5 + 1);
    applied_release(&r);
    attachment_destroy(a);
    ruga_map_destroy(map);
    ruga_mesh_destroy(fine);
    return gap;
}

static void a_seam_with_two_normals_opens_no_crack(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = split_tube(context, 7);
    size_t count = base->vertex_count;
    float *positions = floats_of(base->positions, count), *normals = malloc(4 * count * sizeof *normals);
    /* The sides of the seam have different normals. */
    float_normals *made = NULL;
    assert_ok(context,
              float_normals_create(context, count, base->triangle_count, base->triangles, NORMALS_BY_ANGLE, &made));
    float_normals_apply(made, positions, normals);
    float_normals_destroy(made);
    assert_less(0.5, vec3_distance(point_of(normals, 8), point_of(normals, 15)));
    double normal_gap;
    assert_equal(seam_gap(base, ATTACH_PN, positions, normals, &normal_gap), 0);
    assert_equal(normal_gap, 0);
    /* Across the seam the surface is as round as elsewhere. */
    attachment *a = attach_subdivided(base, ATTACH_PN, 4);
    applied r = apply(a, positions, normals);
    for (size_t i = 0; i < r.count; i++)
        assert_near_case(hypot((double)r.points[4 * i], (double)r.points[4 * i + 1]), 1, 0.03, "i %zu", i);
    applied_release(&r);
    attachment_destroy(a);
    assert_equal(seam_gap(base, ATTACH_LINEAR, positions, normals, &normal_gap), 0);
    assert_equal(normal_gap, 0);
    assert_less(seam_gap(base, ATTACH_LOOP, positions, NULL, &normal_gap), 1e-6);
    assert_less(normal_gap, 1e-5);
    free(positions);
    free(normals);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

/* Two sheets back to back, and two that touch at a point, keep their own normals. */
static void vertices_that_merely_touch_are_no_seam(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 positions[9] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},  {0, 0, 0}, {1, 0, 0},
                               {0, 1, 0}, {0, 0, 0}, {-1, 0, 0}, {0, -1, 0}};
    const uint32_t faces[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    ruga_mesh *base = shape_make(context, 9, positions, 3, NULL, faces);
    float *floats = floats_of(positions, 9), *normals = calloc(36, sizeof *normals);
    for (int v = 0; v < 9; v++) normals[4 * v + v / 3] = 2;
    ruga_map *map = NULL;
    ruga_mesh_destroy(subdivide(base, RUGA_SUBDIVIDE_REGULAR, 1, &map));
    attachment *a = NULL;
    assert_ok(context, attachment_create_from_map(base, ATTACH_LINEAR, 180, map, &a));
    applied r = apply(a, floats, normals);
    for (size_t i = 0; i < 9; i++)
        for (size_t k = 0; k < 3; k++) assert_equal_case(r.normals[4 * i + k], k == i / 3, "i %zu, k %zu", i, k);
    applied_release(&r);
    free(floats);
    free(normals);
    ruga_map_destroy(map);
    attachment_destroy(a);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

/* ---- Invalid bases. */

static void triangles_without_area_are_an_error_that_names_them(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}};
    const uint32_t faces[6] = {0, 1, 2, 0, 1, 3};
    ruga_mesh *base = shape_make(context, 4, positions, 2, NULL, faces);
    attachment *a = NULL;
    assert_status(attachment_create(base, ATTACH_PN, 180, 1, positions, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "face 1");
    assert_message_has(context, "vertices 0, 1 and 3");
    assert_null(a);
    const ruga_mesh empty = {.context = context};
    assert_status(attachment_create(&empty, ATTACH_PN, 180, 0, NULL, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "no triangles");
    attachment_destroy(NULL);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void points_and_maps_that_do_not_fit_are_an_error(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = shape_sheet(context, 2, 2), *other = shape_sheet(context, 3, 3);
    const vec3 points[2] = {{0, 0, 0}, {0, NAN, 0}};
    attachment *a = NULL;
    assert_status(attachment_create(base, ATTACH_PN, 180, 2, points, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 1");
    ruga_map *map = NULL;
    ruga_mesh_destroy(subdivide(other, RUGA_SUBDIVIDE_REGULAR, 2, &map));
    assert_status(attachment_create_from_map(base, ATTACH_PN, 180, map, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "takes 16 vertices, but the base has 9");
    ruga_map_destroy(map);
    ruga_mesh_destroy(subdivide(base, RUGA_SUBDIVIDE_LOOP, 1, &map));
    assert_status(attachment_create_from_map(base, ATTACH_PN, 180, map, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "no triangle of the base has all");
    ruga_map_destroy(map);
    const size_t offsets[2] = {0, 0};
    const ruga_map hollow = {.rows = 1, .columns = 9, .offsets = offsets, .context = context};
    assert_status(attachment_create_from_map(base, ATTACH_PN, 180, &hollow, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "row 0");
    assert_null(a);
    ruga_mesh_destroy(base);
    ruga_mesh_destroy(other);
    ruga_context_destroy(context);
}

static void a_vertex_in_no_triangle_goes_to_the_closest(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 3}};
    ruga_mesh *base = shape_make(context, 4, positions, 1, NULL, (uint32_t[3]){0, 1, 2});
    attachment *a = attach_subdivided(base, ATTACH_LINEAR, 1);
    double u[3];
    assert_int_equal(attachment_count(a), 4);
    assert_int_equal(attachment_triangle(a, 3, u), 0);
    assert_equal(u[0], 0.5);
    assert_equal(u[1], 0.25);
    assert_equal(u[2], 0.25);
    attachment_destroy(a);
    ruga_map *map = NULL;
    ruga_mesh_destroy(subdivide(base, RUGA_SUBDIVIDE_REGULAR, 1, &map));
    positions[3].x = NAN;
    const ruga_mesh bad = {.vertex_count = 4,
                           .positions = positions,
                           .triangle_count = 1,
                           .triangles = base->triangles,
                           .context = context};
    a = NULL;
    assert_status(attachment_create_from_map(&bad, ATTACH_LINEAR, 180, map, &a), RUGA_ERROR_INPUT);
    assert_message_has(context, "vertex 3");
    assert_null(a);
    ruga_map_destroy(map);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static ruga_status attach_all_kinds(ruga_context *context, void *user) {
    const ruga_mesh *made = user;
    ruga_mesh base = *made;
    base.context = context;
    const uint32_t order[3] = {1, UINT32_MAX, 0};
    for (int pass = 0; pass < 3; pass++) {
        attachment *a = NULL;
        TRY(attachment_create(&base, pass == 0 ? ATTACH_PN : ATTACH_LOOP, 180, 2, base.positions, &a));
        ruga_status status = attachment_reorder(a, 3, order);
        assert_int_equal(attachment_count(a), RUGA_FAILED(status) ? 2 : 3);
        attachment_destroy(a);
        TRY(status);
        if (pass == 1) base.tet_count = 0;
    }
    const size_t offsets[3] = {0, 1, 2};
    const uint32_t indices[2] = {3, 5};
    const double weights[2] = {1, 1};
    const ruga_map map = {2, 8, offsets, indices, weights, context};
    attachment *a = NULL;
    TRY(attachment_create_from_map(&base, ATTACH_LINEAR, 180, &map, &a));
    attachment_destroy(a);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *base = cube_of_tets(context);
    assert_less(100, assert_every_allocation_may_fail(attach_all_kinds, base));
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

static void applying_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    ruga_mesh *base = shape_icosahedron(context);
    float *positions = floats_of(base->positions, base->vertex_count), frames[9 * 20];
    for (int kind = ATTACH_PN; kind <= ATTACH_LOOP; kind++) {
        attachment *a = attach_subdivided(base, (attachment_kind)kind, 2);
        long before = counter.allocations;
        applied r = apply(a, positions, positions);
        attachment_frames(a, positions, frames);
        assert_int_equal(counter.allocations, before);
        applied_release(&r);
        attachment_destroy(a);
    }
    free(positions);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_in_tets_follow_affine_motions),
        cmocka_unit_test(points_in_tets_have_the_normals_of_the_nearest_surface),
        cmocka_unit_test(frames_are_rotations_along_the_first_edge),
        cmocka_unit_test(a_triangle_that_collapses_keeps_its_frame),
        cmocka_unit_test(a_seam_with_two_normals_opens_no_crack),
        cmocka_unit_test(vertices_that_merely_touch_are_no_seam),
        cmocka_unit_test(triangles_without_area_are_an_error_that_names_them),
        cmocka_unit_test(points_and_maps_that_do_not_fit_are_an_error),
        cmocka_unit_test(a_vertex_in_no_triangle_goes_to_the_closest),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(applying_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
