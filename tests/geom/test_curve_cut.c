#include <math.h>
#include <stdio.h>

#include "geom/curve_support.h"

static ruga_curve *draw(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, int closed) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    def.name = "stroke";
    def.closed = closed;
    assert_ok(mesh->context, ruga_curve_from_points(mesh, points, count, &def, &curve));
    return curve;
}

static void cut_and_check(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count, double angle) {
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(mesh->context, curve_cut_make(mesh, curves, count, &def, &cut));
    assert_valid_cut(mesh, &cut);
    assert_paths_follow(mesh, &cut, curves, def.snap);
    if (angle > 0) assert_at_most(angle, least_angle(cut.mesh)); /* degrees */
    curve_cut_release(&cut);
}

static void a_stroke_across_a_sheet_becomes_edges(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 6, 6);
    vec3 middle = {0, 0, 0};
    for (size_t i = 0; i < mesh->vertex_count; i++)
        middle = vec3_add_scaled(middle, mesh->positions[i], 1.0 / (double)mesh->vertex_count);
    const ruga_vec3 points[] = {vec3_add(middle, vec3_make(-0.4, 0, -0.33)),
                                vec3_add(middle, vec3_make(0.37, 0, 0.21))};
    ruga_curve *curve = draw(mesh, points, 2, 0);
    /* On a plane the traced curve is the straight line. */
    assert_near(ruga_curve_length(curve, mesh, NULL), vec3_distance(points[0], points[1]), 1e-9);
    const ruga_curve *curves[] = {curve};
    cut_and_check(mesh, curves, 1, 1);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Along edges, through vertices, along diagonals, over itself. */
static void strokes_through_vertices_and_along_edges_are_cut(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 4, 4);
    const ruga_vec3 *p = mesh->positions;
    const uint32_t picks[][3] = {{0, 4, 24}, {0, 24, 4}, {6, 8, 18}, {12, 0, 12}, {1, 23, 7}, {20, 4, 0}};
    ruga_curve *curves[6];
    for (size_t i = 0; i < 6; i++) {
        const ruga_vec3 points[] = {p[picks[i][0]], p[picks[i][1]], p[picks[i][2]]};
        curves[i] = draw(mesh, points, 3, 0);
        const ruga_curve *one[] = {curves[i]};
        cut_and_check(mesh, one, 1, 1);
    }
    cut_and_check(mesh, (const ruga_curve *const *)curves, 6, 0.5);
    for (size_t i = 0; i < 6; i++) ruga_curve_destroy(curves[i]);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void crossing_strokes_meet_at_one_vertex(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    const ruga_vec3 first[] = {{-0.3, 0.2, 0.4}, {0.3, -0.1, 0.4}}, second[] = {{-0.2, -0.2, 0.4}, {0.1, 0.3, 0.4}};
    ruga_curve *curves[] = {draw(mesh, first, 2, 0), draw(mesh, second, 2, 0)};
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(mesh, (const ruga_curve *const *)curves, 2, &def, &cut));
    assert_valid_cut(mesh, &cut);
    size_t shared = 0;
    for (size_t i = 0; i < cut.paths[0].count; i++)
        for (size_t j = 0; j < cut.paths[1].count; j++) shared += cut.paths[0].vertices[i] == cut.paths[1].vertices[j];
    assert_int_equal(shared, 1);
    curve_cut_release(&cut);
    for (size_t i = 0; i < 2; i++) ruga_curve_destroy(curves[i]);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void random_strokes_are_cut_into_random_meshes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (uint64_t seed = 1; seed <= (uint64_t)FEWER(300); seed++) {
        test_random random = {seed};
        ruga_mesh *mesh = random_mesh(context, &random);
        if (seed % 2) mesh = roughened_mesh(mesh, &random);
        cut_random_strokes(mesh, &random, seed);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* 150 points over two triangles: thousands of crossings, nearer to each other than the snap distance. */
static void a_scribble_on_two_triangles_is_cut(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.2}, {0, 1, 0}};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    ruga_mesh *mesh = shape_make(context, 4, positions, 2, NULL, faces);
    for (uint64_t seed = 1; seed <= (SANITIZED ? 2u : 4u); seed++) {
        test_random random = {seed};
        ruga_surface_point points[150];
        for (size_t i = 0; i < 150; i++) points[i] = random_place(mesh, &random);
        ruga_curve_def def = ruga_curve_def_default();
        ruga_curve *curve = NULL;
        def.closed = seed % 2 == 0;
        assert_ok(context, ruga_curve_from_surface_points(mesh, points, 150, &def, &curve));
        const ruga_curve *one[] = {curve};
        cut_and_check(mesh, one, 1, 0);
        ruga_curve_destroy(curve);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Along the border of a sheet and around it, several at once, with shared edges and a vertex that is passed twice. */
static void strokes_along_borders_and_over_each_other_are_cut(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 4, 4);
    const ruga_vec3 *p = mesh->positions;
    const ruga_vec3 around[] = {p[0], p[4], p[24], p[20]}, eight[] = {p[6], p[18], p[16], p[8]};
    const ruga_vec3 half[] = {vec3_mix(p[0], p[1], 0.3), vec3_mix(p[2], p[3], 0.6)};
    const ruga_vec3 back[] = {p[1], p[3], p[1]};
    ruga_curve *curves[] = {draw(mesh, around, 4, 1), draw(mesh, eight, 4, 1), draw(mesh, half, 2, 0),
                            draw(mesh, back, 3, 0)};
    assert_near(ruga_curve_length(curves[0], mesh, NULL), 4, 1e-12);
    for (size_t i = 0; i < 4; i++) cut_and_check(mesh, (const ruga_curve *const *)curves + i, 1, 1);
    cut_and_check(mesh, (const ruga_curve *const *)curves, 4, 1);
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(mesh, (const ruga_curve *const *)curves, 4, &def, &cut));
    /* The border is 16 edges, two of which end at the third stroke's ends; the eight passes the middle twice. */
    assert_int_equal(cut.paths[0].count, 18);
    size_t middle = 0;
    for (size_t i = 0; i < cut.paths[1].count; i++) middle += cut.paths[1].vertices[i] == 12;
    assert_int_equal(middle, 2);
    assert_int_equal(cut.paths[2].count, 4);
    assert_int_equal(cut.paths[3].count, 7);
    curve_cut_release(&cut);
    for (size_t i = 0; i < 4; i++) ruga_curve_destroy(curves[i]);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Near the obtuse corner of a flat triangle a point snaps to the nearest edge, not to the first edge whose line is
 * near. */
static void a_place_goes_to_the_nearest_edge(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {-1, 0.2, 0}};
    const uint32_t faces[] = {0, 1, 2};
    ruga_mesh *mesh = shape_make(context, 3, positions, 1, NULL, faces);
    const ruga_surface_point ends[] = {{0, {0.84, 0.01, 0.15}}, {0, {0.2, 0.4, 0.4}}};
    const ruga_curve curve = {"n", 2, ends, 0, context};
    const ruga_curve *one[] = {&curve};
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(mesh, one, 1, &def, &cut));
    assert_valid_cut(mesh, &cut);
    vec3 start = cut.mesh->positions[cut.paths[0].vertices[0]];
    assert_less(vec3_distance(start, surface_point_at(mesh, NULL, ends[0])), 0.01);
    /* Onto the edge from corner 0 to 2. */
    assert_less(distance_to_segment(start, positions[0], positions[2]), 1e-12);
    curve_cut_release(&cut);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* The end of one stroke is within half the snap distance of another: they share a vertex. */
static void a_stroke_goes_through_the_end_of_another_that_it_passes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t faces[] = {0, 1, 2};
    ruga_mesh *mesh = shape_make(context, 3, positions, 1, NULL, faces);
    const ruga_surface_point first[] = {{0, {0.6, 0.3, 0.1}}, {0, {0.38, 0.3, 0.32}}};
    const ruga_surface_point second[] = {{0, {0.6, 0.1, 0.3}}, {0, {0.1, 0.6, 0.3}}};
    const ruga_curve curves[] = {{"first", 2, first, 0, context}, {"second", 2, second, 0, context}};
    const ruga_curve *both[] = {&curves[0], &curves[1]};
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(mesh, both, 2, &def, &cut));
    assert_valid_cut(mesh, &cut);
    assert_int_equal(cut.paths[0].count, 2);
    assert_int_equal(cut.paths[1].count, 3);
    assert_int_equal(cut.paths[0].vertices[1], cut.paths[1].vertices[1]);
    curve_cut_release(&cut);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Sizes that are powers of two change only exponents. */
static void the_size_of_a_mesh_changes_no_cut(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ruga_mesh *meshes[3];
        curve_cut cuts[3];
        static const double sizes[] = {1, 0x1p40, 0x1p-40};
        for (int i = 0; i < 3; i++) {
            test_random random = {seed};
            meshes[i] = scaled_mesh(random_mesh(context, &random), vec3_make(sizes[i], sizes[i], sizes[i]));
            ruga_surface_point points[4];
            for (size_t k = 0; k < 4; k++) points[k] = random_place(meshes[i], &random);
            ruga_curve_def def = ruga_curve_def_default();
            curve_cut_def cut_def = curve_cut_def_default();
            ruga_curve *curve = NULL;
            assert_ok(context, ruga_curve_from_surface_points(meshes[i], points, 4, &def, &curve));
            const ruga_curve *one[] = {curve};
            assert_ok(context, curve_cut_make(meshes[i], one, 1, &cut_def, &cuts[i]));
            ruga_curve_destroy(curve);
        }
        for (int i = 1; i < 3; i++) {
            const ruga_mesh *here = cuts[0].mesh, *there = cuts[i].mesh;
            assert_int_equal(here->vertex_count, there->vertex_count);
            assert_int_equal(here->triangle_count, there->triangle_count);
            assert_memory_equal(here->triangles, there->triangles, 3 * here->triangle_count * sizeof(uint32_t));
            for (size_t v = 0; v < here->vertex_count; v++)
                assert_at_most_case(vec3_distance(vec3_scale(here->positions[v], sizes[i]), there->positions[v]),
                                    1e-12 * sizes[i], "seed %llu, i %d, v %zu", (unsigned long long)seed, i, v);
        }
        for (int i = 0; i < 3; i++) {
            curve_cut_release(&cuts[i]);
            ruga_mesh_destroy(meshes[i]);
        }
    }
    ruga_context_destroy(context);
}

/* Three strokes over one edge of a polyline, in any order: its points are in order along it. */
static void lines_of_the_mesh_run_through_their_new_points_in_order(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, -1}, {0.5, 0, 1}};
    const uint32_t faces[] = {0, 1, 2, 1, 0, 3}, line[] = {1, 0}, size = 2;
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)(uintptr_t)positions, 4, 0, RUGA_F64};
    mesh_def.face_count = 2;
    mesh_def.face_vertices = faces;
    mesh_def.line_count = 1;
    mesh_def.line_sizes = &size;
    mesh_def.line_vertices = line;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &mesh_def, &mesh));
    ruga_curve *curves[3];
    static const double places[] = {0.5, 0.8, 0.2};
    for (size_t i = 0; i < 3; i++) {
        const ruga_vec3 points[] = {{places[i], 0, -0.1}, {places[i], 0, 0.1}};
        curves[i] = draw(mesh, points, 2, 0);
    }
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(mesh, (const ruga_curve *const *)curves, 3, &def, &cut));
    assert_valid_cut(mesh, &cut);
    assert_int_equal(cut.mesh->line_count, 1);
    const uint32_t *through = cut.mesh->line_vertices;
    for (size_t i = 0; i < 4; i++)
        assert_less_case(cut.mesh->positions[through[i + 1]].x, cut.mesh->positions[through[i]].x, "i %zu", i);
    curve_cut_release(&cut);
    for (size_t i = 0; i < 3; i++) ruga_curve_destroy(curves[i]);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Both sides of a coin have all three vertices: a stroke on one side does not cut the other. */
static void a_stroke_stays_on_its_side_of_a_coin(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 1};
    ruga_mesh *mesh = shape_make(context, 3, positions, 2, NULL, faces);
    const ruga_surface_point front[] = {{0, {0.5, 0.25, 0.25}}, {0, {0.3, 0.6, 0.1}}};
    const ruga_surface_point back[] = {{1, {1, 0, 0}}, {1, {0, 0.5, 0.5}}};
    const ruga_curve curves[] = {{"front", 2, front, 0, context}, {"back", 2, back, 0, context}};
    const ruga_curve *both[] = {&curves[0], &curves[1]};
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(mesh, both, 2, &def, &cut));
    assert_valid_cut(mesh, &cut);
    assert_int_equal(cut.paths[1].count, 2);
    curve_cut_release(&cut);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* One stroke at a time on equilateral triangles. */
static void no_angle_is_smaller_than_stated(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_icosahedron(context);
    curve_cut_def def = curve_cut_def_default();
    double least = 180;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        test_random random = {seed};
        const ruga_surface_point points[] = {random_place(mesh, &random), random_place(mesh, &random)};
        ruga_curve_def curve_def = ruga_curve_def_default();
        ruga_curve *curve;
        curve_cut cut;
        if (RUGA_FAILED(ruga_curve_from_surface_points(mesh, points, 2, &curve_def, &curve))) continue;
        const ruga_curve *one[] = {curve};
        if (!RUGA_FAILED(curve_cut_make(mesh, one, 1, &def, &cut))) {
            least = fmin(least, least_angle(cut.mesh));
            curve_cut_release(&cut);
        }
        ruga_curve_destroy(curve);
    }
    double stated = asin(def.snap / 2) * 180 / acos(-1);
    assert_at_most(stated, least); /* degrees */
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* The sheet's two halves have u of 0…1 and 5…6: no new corner has a value between, and u is unchanged. */
static void seams_stay_seams(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_loaded_sheet(context);
    const ruga_vec3 points[] = {{0.2, 0, -0.3}, {1.7, 0, -0.6}, {1, 0, -0.1}, {0.4, 0, -0.9}};
    ruga_curve *curve = draw(mesh, points, 4, 1);
    const ruga_curve *one[] = {curve};
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(mesh, one, 1, &def, &cut));
    const ruga_attribute *uv = ruga_mesh_attribute(cut.mesh, "uv", RUGA_DOMAIN_CORNER);
    assert_non_null(uv);
    for (size_t t = 0; t < cut.mesh->triangle_count; t++) {
        int right = mesh->triangle_faces[cut.triangle_parent[t]] == 1;
        for (size_t k = 0; k < 3; k++) {
            ruga_vec3 p = cut.mesh->positions[cut.mesh->triangles[3 * t + k]];
            size_t corner = cut.mesh->triangle_corners ? cut.mesh->triangle_corners[3 * t + k] : 3 * t + k;
            assert_near_case(ruga_attribute_get(uv, corner, 0), (right ? p.x + 4 : p.x), 1e-6, "t %zu, k %zu", t, k);
            assert_less_case(fabs(ruga_attribute_get(uv, corner, 1) + p.z), 1e-6, "t %zu, k %zu", t, k);
        }
    }
    curve_cut_release(&cut);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* ---- Bad input. */

static void curves_that_can_not_be_cut_are_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    /* Three triangles at one edge, and one without area. */
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {2, 0, 0}};
    const uint32_t faces[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 1, 5, 0};
    ruga_mesh *fan = shape_make(context, 6, positions, 3, NULL, faces);
    ruga_mesh *flat = shape_make(context, 6, positions, 1, NULL, faces + 9);
    const ruga_surface_point ends[] = {{0, {0.5, 0.25, 0.25}}, {0, {0.25, 0.25, 0.5}}};
    const ruga_surface_point through[] = {{0, {0.25, 0.25, 0.5}}, {0, {0.5, 0.5, 0}}},
                             corner[] = {{0, {0.25, 0.25, 0.5}}, {0, {1, 0, 0}}};
    const ruga_surface_point outside[] = {{7, {1, 0, 0}}, {8, {1, 0, 0}}}, apart[] = {{0, {0, 0, 1}}, {1, {0, 0, 1}}};
    const ruga_surface_point tiny[] = {{0, {0.5, 0.25, 0.25}}, {0, {0.5, 0.2500001, 0.2499999}}};
    ruga_curve curve = {"n", 2, ends, 0, context};
    const ruga_curve *one[] = {&curve};
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_ok(context, curve_cut_make(fan, one, 1, &def, &cut)); /* beside the edge */
    curve_cut_release(&cut);
    for (int k = 0; k < 2; k++) {
        curve.points = k ? corner : through;
        assert_status(curve_cut_make(fan, one, 1, &def, &cut), RUGA_ERROR_INPUT);
        assert_message_has(context, "in triangle 0, edge (0, 1) of the mesh has 3 triangles");
    }
    curve.points = ends;
    assert_status(curve_cut_make(flat, one, 1, &def, &cut), RUGA_ERROR_INPUT);
    assert_message_has(context, "it meets triangle 0, which has no area");
    curve.points = outside;
    assert_status(curve_cut_make(flat, one, 1, &def, &cut), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 0 is on triangle 7 of a mesh of 1");
    ruga_mesh *two = shape_make(context, 6, positions, 2, NULL, faces);
    curve.points = apart;
    assert_status(curve_cut_make(two, one, 1, &def, &cut), RUGA_ERROR_INPUT);
    assert_message_has(context, "points 0 and 1 have no common triangle");
    curve.points = tiny;
    assert_status(curve_cut_make(two, one, 1, &def, &cut), RUGA_ERROR_INPUT);
    assert_message_has(context, "curve \"n\" is shorter");
    ruga_mesh_destroy(fan);
    ruga_mesh_destroy(flat);
    ruga_mesh_destroy(two);
    ruga_context_destroy(context);
}

/* A neighbour without area is cut as well where a curve touches its edge. */
static void a_neighbour_without_area_is_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    const uint32_t faces[] = {0, 1, 2, 1, 0, 3};
    ruga_mesh *mesh = shape_make(context, 4, positions, 2, NULL, faces);
    const ruga_surface_point ends[] = {{0, {0, 0, 1}}, {0, {0.5, 0.5, 0}}};
    ruga_curve curve = {"n", 2, ends, 0, context};
    const ruga_curve *one[] = {&curve};
    curve_cut cut;
    curve_cut_def def = curve_cut_def_default();
    assert_status(curve_cut_make(mesh, one, 1, &def, &cut), RUGA_ERROR_INPUT);
    assert_message_has(context, "it meets triangle 1, which has no area");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status cut_crossing(ruga_context *context, void *user) {
    ruga_mesh *mesh = user;
    ruga_context *own = mesh->context;
    const ruga_surface_point first[] = {{0, {0.2, 0.3, 0.5}}, {1, {0.2, 0.5, 0.3}}, {2, {0.1, 0.1, 0.8}}};
    const ruga_surface_point second[] = {{1, {0.7, 0.2, 0.1}}, {0, {0.1, 0.2, 0.7}}};
    ruga_curve_def def = ruga_curve_def_default();
    curve_cut_def cut_def = curve_cut_def_default();
    ruga_curve *curves[2] = {NULL, NULL};
    curve_cut cut;
    mesh->context = context;
    ruga_status status = ruga_curve_from_surface_points(mesh, first, 3, &def, &curves[0]);
    if (!RUGA_FAILED(status)) status = ruga_curve_from_surface_points(mesh, second, 2, &def, &curves[1]);
    if (!RUGA_FAILED(status)) status = curve_cut_make(mesh, (const ruga_curve *const *)curves, 2, &cut_def, &cut);
    if (!RUGA_FAILED(status)) curve_cut_release(&cut);
    for (size_t i = 0; i < 2; i++) ruga_curve_destroy(curves[i]);
    mesh->context = own;
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_loaded_sheet(context);
    assert_less(30, assert_every_allocation_may_fail(cut_crossing, mesh));
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stroke_across_a_sheet_becomes_edges),
        cmocka_unit_test(strokes_through_vertices_and_along_edges_are_cut),
        cmocka_unit_test(crossing_strokes_meet_at_one_vertex),
        cmocka_unit_test(random_strokes_are_cut_into_random_meshes),
        cmocka_unit_test(a_scribble_on_two_triangles_is_cut),
        cmocka_unit_test(strokes_along_borders_and_over_each_other_are_cut),
        cmocka_unit_test(a_place_goes_to_the_nearest_edge),
        cmocka_unit_test(a_stroke_goes_through_the_end_of_another_that_it_passes),
        cmocka_unit_test(the_size_of_a_mesh_changes_no_cut),
        cmocka_unit_test(lines_of_the_mesh_run_through_their_new_points_in_order),
        cmocka_unit_test(a_stroke_stays_on_its_side_of_a_coin),
        cmocka_unit_test(no_angle_is_smaller_than_stated),
        cmocka_unit_test(seams_stay_seams),
        cmocka_unit_test(curves_that_can_not_be_cut_are_named),
        cmocka_unit_test(a_neighbour_without_area_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
