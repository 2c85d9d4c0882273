/* Embedding: rows reproduce points, sum to one, and follow affine maps. */
#include <float.h>

#include "brute.h"
#include "geom/embed.h"

static ruga_mesh *make_mesh(ruga_context *context, const soup *s, int as_tets) {
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){s->positions, s->vertex_count, 0, RUGA_F64};
    if (as_tets) {
        def.tet_count = s->count;
        def.tets = s->elements;
    } else {
        def.face_count = s->count;
        def.face_vertices = s->elements;
    }
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

/* n x n x n cubes of five tets each in [0, 1]³. */
static soup cube_of_tets(int n) {
    static const int corner_tets[5][4] = {{0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}};
    soup s = soup_allocate((size_t)((n + 1) * (n + 1) * (n + 1)), (size_t)(5 * n * n * n), 4);
    for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); i++)
        s.positions[i] = vec3_make((double)(i % (n + 1)) / n, (double)(i / (n + 1) % (n + 1)) / n,
                                   (double)(i / (n + 1) / (n + 1)) / n);
    uint32_t *out = s.elements;
    for (int c = 0; c < n * n * n; c++) {
        int x = c % n, y = c / n % n, z = c / n / n, odd = (x + y + z) % 2;
        for (int t = 0; t < 5; t++, out += 4) {
            vec3 p[4];
            for (int k = 0; k < 4; k++) {
                // Every other cube is mirrored, so that diagonals meet.
                int corner = corner_tets[t][k] ^ (odd ? 1 : 0);
                int i = x + (corner & 1), j = y + (corner >> 1 & 1), l = z + (corner >> 2);
                out[k] = (uint32_t)((l * (n + 1) + j) * (n + 1) + i);
                p[k] = s.positions[out[k]];
            }
            double volume = vec3_dot(vec3_sub(p[1], p[0]), vec3_cross(vec3_sub(p[2], p[0]), vec3_sub(p[3], p[0])));
            if (volume < 0) {
                uint32_t swap = out[0];
                out[0] = out[1], out[1] = swap;
            }
        }
    }
    return s;
}

static void check_rows_sum_to_one(const ruga_map *map, double tolerance) {
    for (size_t i = 0; i < map->rows; i++) {
        double sum = 0;
        for (size_t k = map->offsets[i]; k < map->offsets[i + 1]; k++) sum += map->weights[k];
        assert_near_case(sum, 1, tolerance, "i %zu", i);
    }
}

static vec3 affine(vec3 p) { return vec3_make(2 * p.x - p.y + 3, 0.5 * p.x + p.z - 1, p.y - 3 * p.z + 0.25 * p.x); }

static void surface_rows_give_the_closest_points(void **state) {
    (void)state;
    enum { POINTS = 200 };
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(20, 0.2);
    ruga_mesh *mesh = make_mesh(context, &s, 0);
    vec3 points[POINTS], offsets[POINTS], mapped[POINTS];
    test_random random = {3};
    for (int i = 0; i < POINTS; i++) points[i] = random_vec3(&random, -1.3, 1.3);
    points[0] = s.positions[17];  // a vertex embeds as itself
    ruga_map *map = NULL;
    assert_ok(context, embed_in_surface(mesh, points, POINTS, &map, offsets));
    assert_int_equal(map->rows, POINTS);
    assert_int_equal(map->columns, s.vertex_count);
    check_rows_sum_to_one(map, 1e-15);
    ruga_map_apply(map, s.positions, mapped);
    for (int i = 0; i < POINTS; i++) {
        assert_near_case(vec3_distance(vec3_add(mapped[i], offsets[i]), points[i]), 0, 1e-15, "i %d", i);
        assert_near_case(vec3_length(offsets[i]), brute_closest(&s, points[i]), 1e-14, "i %d", i);
        for (size_t k = map->offsets[i]; k < map->offsets[i + 1]; k++)
            assert_at_most_case(0, map->weights[k], "i %d, k %zu", i, k);
    }
    assert_near(vec3_distance(mapped[0], points[0]), 0, 0);
    ruga_map_destroy(map);
    assert_ok(context, embed_in_surface(mesh, points, 0, &map, NULL));
    assert_int_equal(map->rows, 0);
    ruga_map_destroy(map);
    ruga_mesh_destroy(mesh);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void tet_rows_reproduce_points_and_follow_affine_maps(void **state) {
    (void)state;
    enum { POINTS = 300 };
    ruga_context *context = context_plain(1);
    soup s = cube_of_tets(4);
    ruga_mesh *mesh = make_mesh(context, &s, 1);
    vec3 points[POINTS], mapped[POINTS];
    test_random random = {3};
    // Inside, outside, and on vertices and faces.
    for (int i = 0; i < POINTS; i++) points[i] = random_vec3(&random, i % 2 ? 0 : -0.5, i % 2 ? 1 : 1.5);
    for (int i = 0; i < 50; i++) points[i] = s.positions[2 * i];
    for (int i = 50; i < 70; i++) points[i].x = 0.25;
    ruga_map *map = NULL;
    assert_ok(context, embed_in_tets(mesh, points, POINTS, &map));
    check_rows_sum_to_one(map, 1e-13);
    ruga_map_apply(map, s.positions, mapped);
    for (int i = 0; i < POINTS; i++) {
        assert_near_case(vec3_distance(mapped[i], points[i]), 0, 1e-13, "i %d", i);
        vec3 p = points[i];
        int inside = p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1 && p.z >= 0 && p.z <= 1, negative = 0;
        for (size_t k = map->offsets[i]; k < map->offsets[i + 1]; k++) negative |= map->weights[k] < -1e-14;
        assert_int_equal(negative, !inside);
    }
    vec3 *bent = malloc(s.vertex_count * sizeof *bent);
    for (size_t i = 0; i < s.vertex_count; i++) bent[i] = affine(s.positions[i]);
    ruga_map_apply(map, bent, mapped);
    for (int i = 0; i < POINTS; i++) assert_near_case(vec3_distance(mapped[i], affine(points[i])), 0, 1e-12, "i %d", i);
    free(bent);
    ruga_map_destroy(map);
    ruga_mesh_destroy(mesh);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void a_point_outside_is_given_to_the_nearest_tet(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = cube_of_tets(3);
    ruga_mesh *mesh = make_mesh(context, &s, 1);
    vec3 point = {0.9, 0.95, 1.2};
    ruga_map *map = NULL;
    assert_ok(context, embed_in_tets(mesh, &point, 1, &map));
    // All vertices of its tet belong to the cube in the corner at (1, 1, 1).
    for (size_t k = 0; k < map->offsets[1]; k++) {
        vec3 p = s.positions[map->indices[k]];
        assert_less_case(0.6, p.x, "k %zu", k);
        assert_less_case(0.6, p.y, "k %zu", k);
        assert_less_case(0.6, p.z, "k %zu", k);
    }
    ruga_map_destroy(map);
    ruga_mesh_destroy(mesh);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void a_tet_without_volume_is_replaced_by_its_face(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t tet[4] = {0, 1, 2, 3};
    const ruga_mesh flat = {.vertex_count = 4, .positions = positions, .tet_count = 1, .tets = tet, .context = context};
    const vec3 points[2] = {{0.25, 0.5, 0.7}, {0.25, 0.5, 0}};
    vec3 mapped[2];
    ruga_map *map = NULL;
    assert_ok(context, embed_in_tets(&flat, points, 2, &map));
    check_rows_sum_to_one(map, 1e-15);
    ruga_map_apply(map, positions, mapped);
    for (int i = 0; i < 2; i++) assert_near_case(vec3_distance(mapped[i], points[1]), 0, 1e-15, "i %d", i);
    ruga_map_destroy(map);
    ruga_context_destroy(context);
}

/* Displacements of a surface, mapped to points off it, are those of a linear field. */
static void points_beside_a_surface_move_with_it(void **state) {
    enum { COUNT = 50 };
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = NULL;
    ruga_map *map = NULL;
    test_random random = {6};
    vec3 points[COUNT], out[COUNT];
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    const double radius = vec3_length(mesh->positions[0]);
    for (size_t i = 0; i < COUNT; i++)
        points[i] = vec3_scale(vec3_normalise(random_vec3(&random, -1, 1)), 1.02 * radius);
    assert_ok(context, ruga_mesh_embed_surface(mesh, points, COUNT, &map));
    vec3 *moves = calloc(mesh->vertex_count, sizeof *moves);
    assert_non_null(moves);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const vec3 p = mesh->positions[v];
        moves[v] = (vec3){1 + 0.5 * p.y, p.z - p.x, 2};
    }
    ruga_map_apply(map, moves, out);
    for (size_t i = 0; i < COUNT; i++) {
        const vec3 p = points[i], wanted = {1 + 0.5 * p.y, p.z - p.x, 2};
        assert_less_case(vec3_distance(out[i], wanted), 0.05 * radius, "point %zu",
                         i); /* 0.025 off the surface, slope 1.5 */
    }
    assert_status(ruga_mesh_embed_surface(NULL, points, 1, &map), RUGA_ERROR_ARGUMENT);
    free(moves);
    ruga_map_destroy(map);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void points_that_can_not_be_embedded_are_an_error(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(2, 0);
    ruga_mesh *mesh = make_mesh(context, &s, 0);
    const ruga_mesh empty = {.context = context};
    vec3 points[2] = {{0, 0, 0}, {0, NAN, 0}};
    ruga_map *map = NULL;
    assert_status(embed_in_surface(mesh, points, 2, &map, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 1");
    assert_status(embed_in_surface(&empty, points, 1, &map, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "no triangles");
    assert_status(embed_in_tets(mesh, points, 1, &map), RUGA_ERROR_INPUT);
    assert_message_has(context, "no tets");
    soup tets = cube_of_tets(1);
    ruga_mesh *solid = make_mesh(context, &tets, 1);
    assert_status(embed_in_tets(solid, points, 2, &map), RUGA_ERROR_INPUT);
    /* So far away that differences are not finite. */
    points[1] = vec3_make(-DBL_MAX, DBL_MAX, 0);
    for (size_t i = 0; i < s.vertex_count; i++) s.positions[i].x += 1e300;
    ruga_mesh *far = make_mesh(context, &s, 0);
    assert_status(embed_in_surface(far, points, 2, &map, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 1");
    ruga_mesh_destroy(far);
    assert_status(embed_in_tets(solid, points, 2, &map), RUGA_ERROR_INPUT);
    assert_null(map);
    soup_release(&tets);
    ruga_mesh_destroy(solid);
    ruga_mesh_destroy(mesh);
    soup_release(&s);
    ruga_context_destroy(context);
}

static ruga_status embed_both(ruga_context *context, void *user) {
    const soup *s = user;
    const uint32_t triangles[6] = {0, 1, 2, 1, 2, 3};
    const ruga_mesh mesh = {.vertex_count = s->vertex_count,
                            .positions = s->positions,
                            .triangle_count = 2,
                            .triangles = triangles,
                            .tet_count = s->count,
                            .tets = s->elements,
                            .context = context};
    const vec3 points[3] = {{0.2, 0.3, 0.4}, {0.9, 0.8, 0.7}, {2, 2, 2}};
    vec3 offsets[3];
    ruga_map *map = NULL;
    TRY(embed_in_surface(&mesh, points, 3, &map, offsets));
    ruga_map_destroy(map);
    TRY(embed_in_tets(&mesh, points, 3, &map));
    ruga_map_destroy(map);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    soup s = cube_of_tets(2);
    assert_less(20, assert_every_allocation_may_fail(embed_both, &s));
    soup_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_rows_give_the_closest_points),
        cmocka_unit_test(tet_rows_reproduce_points_and_follow_affine_maps),
        cmocka_unit_test(a_point_outside_is_given_to_the_nearest_tet),
        cmocka_unit_test(a_tet_without_volume_is_replaced_by_its_face),
        cmocka_unit_test(points_beside_a_surface_move_with_it),
        cmocka_unit_test(points_that_can_not_be_embedded_are_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
