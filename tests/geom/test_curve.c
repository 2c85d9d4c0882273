#include "geom/curve_support.h"
#include "math/camera.h"

static ruga_curve *draw(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, int closed) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    def.name = "stroke";
    def.closed = closed;
    assert_ok(mesh->context, ruga_curve_from_points(mesh, points, count, &def, &curve));
    assert_traced(mesh, curve);
    return curve;
}

/* ---- Points. */

static void a_closed_curve_returns_to_its_start(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 5, 5);
    const ruga_vec3 square[] = {{0.2, 0, -0.2}, {0.7, 0, -0.2}, {0.7, 0, -0.7}, {0.2, 0, -0.7}, {0.2, 0, -0.2}};
    ruga_curve *four = draw(mesh, square, 4, 1), *five = draw(mesh, square, 5, 1), *open = draw(mesh, square, 4, 0);
    assert_true(four->closed && five->closed && !open->closed);
    assert_near(ruga_curve_length(four, mesh, NULL), 2, 1e-12);
    assert_near(ruga_curve_length(open, mesh, NULL), 1.5, 1e-12);
    ruga_surface_point last = four->points[four->point_count - 1];
    assert_less(0.01, vec3_distance(surface_point_at(mesh, NULL, last), square[0]));
    /* Repeating the first point at the end changes nothing. */
    assert_int_equal(four->point_count, five->point_count);
    for (size_t i = 0; i < four->point_count; i++) {
        assert_int_equal(four->points[i].triangle, five->points[i].triangle);
        assert_memory_equal(four->points[i].weights, five->points[i].weights, sizeof four->points[i].weights);
    }
    ruga_curve_destroy(four);
    ruga_curve_destroy(five);
    ruga_curve_destroy(open);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Two different points, however often they are repeated, make no closed curve. */
static void two_points_make_no_closed_curve(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 5, 5);
    const ruga_vec3 a = {0.2, 0, -0.2}, b = {0.7, 0, -0.2};
    const ruga_vec3 lists[][4] = {{a, b, b, b}, {a, b, a, a}, {a, a, b, b}, {a, b, b, a}};
    for (size_t i = 0; i < 4; i++) {
        ruga_curve *curve = draw(mesh, lists[i], 4, 1), *two = draw(mesh, lists[i], i == 2 ? 3 : 2, 1);
        assert_false(curve->closed || two->closed);
        assert_near_case(ruga_curve_length(curve, mesh, NULL), 0.5, 1e-12, "i %zu", i);
        assert_near_case(ruga_curve_length(two, mesh, NULL), 0.5, 1e-12, "i %zu", i);
        ruga_curve_destroy(curve);
        ruga_curve_destroy(two);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void lengths_follow_positions(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    const ruga_vec3 ends[] = {{0.1, 0, -0.1}, {0.8, 0, -0.7}};
    ruga_curve *curve = draw(mesh, ends, 2, 0);
    ruga_vec3 moved[16], points[64];
    for (size_t i = 0; i < 16; i++) moved[i] = vec3_scale(mesh->positions[i], 3);
    assert_near(ruga_curve_length(curve, mesh, moved), 3 * ruga_curve_length(curve, mesh, NULL), 1e-12);
    assert_at_most(curve->point_count, 64);
    ruga_curve_points(curve, mesh, moved, points);
    assert_less(vec3_distance(points[0], vec3_scale(ends[0], 3)), 1e-12);
    assert_less(vec3_distance(points[curve->point_count - 1], vec3_scale(ends[1], 3)), 1e-12);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Every point of the old curve lies on the new one, whose length is the same. */
static void a_curve_is_carried_to_finer_meshes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        test_random random = {seed};
        ruga_mesh *mesh = random_mesh(context, &random), *finer;
        ruga_map *map;
        ruga_surface_point points[4];
        ruga_curve_def def = ruga_curve_def_default();
        ruga_subdivide_def subdivide = ruga_subdivide_def_default();
        ruga_curve *curve, *carried;
        for (size_t i = 0; i < 4; i++) points[i] = random_place(mesh, &random);
        def.name = "carried";
        def.closed = seed % 2 == 0;
        subdivide.n = 3;
        assert_ok(context, ruga_curve_from_surface_points(mesh, points, 4, &def, &curve));
        assert_ok(context, ruga_mesh_subdivide(mesh, &subdivide, &finer, &map));
        assert_ok(context, ruga_curve_transfer(curve, mesh, finer, map, &carried));
        assert_traced(finer, carried);
        assert_string_equal(carried->name, "carried");
        assert_int_equal(carried->closed, curve->closed);
        double before = ruga_curve_length(curve, mesh, NULL), after = ruga_curve_length(carried, finer, NULL);
        assert_near_case(after, before, 1e-9 * before, "seed %llu", (unsigned long long)seed);
        ruga_curve_destroy(carried);
        ruga_curve_destroy(curve);
        ruga_map_destroy(map);
        ruga_mesh_destroy(finer);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* A sheet folded onto itself, and a third one on top of both: all triangles coincide with others. */
static ruga_mesh *folded_sheets(ruga_context *context) {
    enum { N = 3 };
    ruga_vec3 positions[5 * (N + 1)];
    uint32_t faces[18 * N], count = 0;
    for (uint32_t row = 0; row < 5; row++)
        for (uint32_t i = 0; i <= N; i++)
            positions[row * (N + 1) + i] = (ruga_vec3){i, 0, row == 1 || row == 4 ? -1 : 0};
    for (uint32_t strip = 0; strip < 3; strip++)
        for (uint32_t i = 0; i < N; i++) {
            uint32_t a = (strip == 2 ? 3 : strip) * (N + 1) + i, b = a + N + 1;
            const uint32_t two[6] = {a, a + 1, b + 1, a, b + 1, b};
            memcpy(faces + count, two, sizeof two);
            count += 6;
        }
    return shape_make(context, 5 * (N + 1), positions, count / 3, NULL, faces);
}

/* A curve follows the map, though all sheets coincide. */
static void sheets_on_each_other_keep_their_curves(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = folded_sheets(context);
    for (uint32_t strip = 0; strip < 3; strip++)
        for (int n = 1; n <= 5; n++) {
            uint32_t first = 6 * strip;
            const ruga_surface_point ends[] = {{first, {0.2, 0.3, 0.5}}, {first + 5, {0.3, 0.3, 0.4}}};
            ruga_curve_def def = ruga_curve_def_default();
            ruga_subdivide_def subdivide = ruga_subdivide_def_default();
            ruga_curve *curve, *carried;
            ruga_mesh *finer;
            ruga_map *map;
            subdivide.n = n;
            assert_ok(context, ruga_curve_from_surface_points(mesh, ends, 2, &def, &curve));
            assert_ok(context, ruga_mesh_subdivide(mesh, &subdivide, &finer, &map));
            assert_ok(context, ruga_curve_transfer(curve, mesh, finer, map, &carried));
            assert_traced(finer, carried);
            for (size_t i = 0; i < carried->point_count; i++) {
                uint32_t parent = carried->points[i].triangle / (uint32_t)(n * n);
                assert_at_most_case(first, parent, "strip %u, n %d, i %zu", strip, n, i);
                assert_less_case(parent, first + 6, "strip %u, n %d, i %zu", strip, n, i);
            }
            double before = ruga_curve_length(curve, mesh, NULL), after = ruga_curve_length(carried, finer, NULL);
            assert_near_case(before, after, 1e-12, "strip %u, n %d", strip, n);
            ruga_curve_destroy(carried);
            ruga_curve_destroy(curve);
            ruga_map_destroy(map);
            ruga_mesh_destroy(finer);
        }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Where the map smooths, a curve stays near, ends inside its triangle, and keeps its length except for the
 * smoothing. */
static void a_curve_is_carried_to_smoothed_meshes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_torus(context, 16, 12), *finer;
    ruga_subdivide_def subdivide = ruga_subdivide_def_default();
    ruga_map *map;
    subdivide.kind = RUGA_SUBDIVIDE_LOOP;
    assert_ok(context, ruga_mesh_subdivide(mesh, &subdivide, &finer, &map));
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_random random = {seed};
        const ruga_surface_point ends[] = {random_place(mesh, &random), random_place(mesh, &random)};
        ruga_curve_def def = ruga_curve_def_default();
        ruga_curve *curve, *carried;
        assert_ok(context, ruga_curve_from_surface_points(mesh, ends, 2, &def, &curve));
        assert_ok(context, ruga_curve_transfer(curve, mesh, finer, map, &carried));
        assert_traced(finer, carried);
        for (int end = 0; end < 2; end++) {
            vec3 was = surface_point_at(mesh, NULL, curve->points[end ? curve->point_count - 1 : 0]);
            vec3 is = surface_point_at(finer, NULL, carried->points[end ? carried->point_count - 1 : 0]);
            assert_less_case(vec3_distance(was, is), 0.3 * greatest_shortest_side(mesh), "seed %llu, end %d",
                             (unsigned long long)seed, end);
        }
        double before = ruga_curve_length(curve, mesh, NULL), after = ruga_curve_length(carried, finer, NULL);
        assert_less_case(0.7 * before, after, "seed %llu", (unsigned long long)seed);
        assert_less_case(after, 1.1 * before, "seed %llu", (unsigned long long)seed);
        ruga_curve_destroy(carried);
        ruga_curve_destroy(curve);
    }
    ruga_map_destroy(map);
    ruga_mesh_destroy(finer);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* On a flat sheet Loop's subdivision moves no inner point. On a folded one it smooths the fold, but a curve stays on
 * its side. */
static void smoothing_moves_curves_no_more_than_the_surface(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    size_t ran[2] = {0, 0}; /* on the flat sheet, and on the folded one */
    for (int folded = 0; folded < 2; folded++) {
        ruga_mesh *mesh = folded ? folded_sheets(context) : shape_sheet(context, 8, 8), *finer;
        ruga_subdivide_def subdivide = ruga_subdivide_def_default();
        ruga_map *map;
        subdivide.kind = RUGA_SUBDIVIDE_LOOP;
        subdivide.n = 1;
        assert_ok(context, ruga_mesh_subdivide(mesh, &subdivide, &finer, &map));
        for (uint64_t seed = 1; seed <= 30; seed++) {
            test_random random = {seed};
            /* Within the sheet's middle rows, or alternating between the folded strips, not too near to the fold. */
            uint32_t strip = (uint32_t)(seed % 2);
            uint32_t cell = (uint32_t)(8 * (3 + random_bits(&random) % 2) + 3 + random_bits(&random) % 2);
            uint32_t triangle = folded ? 6 * strip + 2 + strip : 2 * cell + strip;
            double least = folded ? 0.25 : 0.05, u = random_between(&random, least, 0.35),
                   v = random_between(&random, least, 0.3);
            /* Corner 2 of a triangle of the first strip is at the fold, and corner 0 of one of the second. */
            ruga_surface_point ends[] = {{triangle, {u, v, 1 - u - v}}, {triangle, {v, u, 1 - u - v}}};
            for (size_t i = 0; folded && strip == 1 && i < 2; i++) {
                double at_fold = ends[i].weights[2];
                ends[i].weights[2] = ends[i].weights[0];
                ends[i].weights[0] = at_fold;
            }
            ruga_curve_def def = ruga_curve_def_default();
            ruga_curve *curve, *carried;
            assert_ok(context, ruga_curve_from_surface_points(mesh, ends, 2, &def, &curve));
            assert_ok(context, ruga_curve_transfer(curve, mesh, finer, map, &carried));
            for (size_t i = 0; folded && i < carried->point_count; i++, ran[1]++)
                assert_int_equal(carried->points[i].triangle / 4 / 6, strip);
            vec3 was = surface_point_at(mesh, NULL, ends[0]), is = surface_point_at(finer, NULL, carried->points[0]);
            if (!folded) {
                ran[0]++;
                assert_less_case(vec3_distance(was, is), 1e-9, "seed %llu", (unsigned long long)seed);
            }
            ruga_curve_destroy(carried);
            ruga_curve_destroy(curve);
        }
        ruga_map_destroy(map);
        ruga_mesh_destroy(finer);
        ruga_mesh_destroy(mesh);
    }
    assert_ran(ran[0], 30);
    assert_ran(ran[1], 60);
    ruga_context_destroy(context);
}

/* ---- Strokes. */

static ruga_camera camera_above(void) {
    ruga_camera camera = ruga_camera_default();
    camera.given = 1;
    camera.eye = (ruga_vec3){0.5, 3, -0.2};
    camera.target = (ruga_vec3){0.5, 0, -0.5};
    camera.up = (ruga_vec3){0, 0, -1};
    camera.fov = 40;
    return camera;
}

/* Projected through the camera, every point of the curve is on the line that was drawn. */
static void a_stroke_is_straight_on_the_picture(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    ruga_camera camera = camera_above();
    camera.eye = (ruga_vec3){0.4, 0.7, 2};
    camera.target = (ruga_vec3){0, 0, 0};
    camera.up = (ruga_vec3){0, 1, 0};
    const double pixels[] = {250, 230, 370, 260};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_ok(context, ruga_curve_from_stroke(mesh, &camera, 640, 480, pixels, 2, &def, &curve));
    assert_traced(mesh, curve);
    assert_less(10, curve->point_count);
    view v = view_make(&camera, 640, 480);
    for (size_t i = 0; i < curve->point_count; i++) {
        double x, y;
        view_project(&v, surface_point_at(mesh, NULL, curve->points[i]), &x, &y);
        assert_near_case((x - 250) * 30, (y - 230) * 120, 1e-6 * 120, "i %zu", i);
        if (i == 0) assert_near_case(x, 250, 1e-9, "i %zu", i);
    }
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* A sheet, and above it a smaller one that hides a part of it. */
static ruga_mesh *two_sheets_apart(ruga_context *context, double height) {
    const ruga_vec3 positions[] = {{0, 0, 0},           {1, 0, 0},           {1, 0, -1},          {0, 0, -1},
                                   {0.4, height, -0.4}, {0.6, height, -0.4}, {0.6, height, -0.6}, {0.4, height, -0.6}};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    return shape_make(context, 8, positions, 4, NULL, faces);
}

static ruga_mesh *two_sheets(ruga_context *context) { return two_sheets_apart(context, 0.5); }

static void pixel_of(const ruga_camera *camera, vec3 p, double pixel[2]) {
    view v = view_make(camera, 400, 400);
    view_project(&v, p, &pixel[0], &pixel[1]);
}

static void a_stroke_over_a_hidden_part_is_an_error(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = two_sheets(context);
    ruga_camera camera = camera_above();
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    double pixels[4];
    def.name = "s";
    /* Beside the small sheet: fine. */
    pixel_of(&camera, vec3_make(0.1, 0, -0.1), pixels);
    pixel_of(&camera, vec3_make(0.9, 0, -0.15), pixels + 2);
    assert_ok(context, ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve));
    assert_near(ruga_curve_length(curve, mesh, NULL), hypot(0.8, 0.05), 1e-9);
    ruga_curve_destroy(curve);
    /* From the large one onto the small one, and under the small one. */
    pixel_of(&camera, vec3_make(0.5, 0.5, -0.5), pixels + 2);
    assert_status(ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "curve \"s\": there is no path from point 0");
    assert_message_has(context, "a nearer part of the mesh");
    pixel_of(&camera, vec3_make(0.9, 0, -0.85), pixels + 2);
    assert_status(ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "a nearer part of the mesh");
    /* A sheet that is barely higher hides as well. */
    ruga_mesh *low = two_sheets_apart(context, 0.01);
    assert_status(ruga_curve_from_stroke(low, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "a nearer part of the mesh");
    ruga_mesh_destroy(low);
    /* Beside everything. */
    pixel_of(&camera, vec3_make(1.5, 0, -0.85), pixels + 2);
    assert_status(ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "curve \"s\": point 1 at pixel");
    pixels[2] = NAN;
    assert_status(ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 1 is not finite");
    assert_status(ruga_curve_from_stroke(mesh, &camera, 0, 400, pixels, 2, &def, &curve), RUGA_ERROR_ARGUMENT);
    camera.given = 0;
    assert_status(ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_ARGUMENT);
    camera.fov = 0;
    assert_status(ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_ARGUMENT);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* From one closed piece to another: the search around the first piece ends. */
static void a_stroke_from_piece_to_piece_is_an_error(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *one = shape_icosahedron(context);
    ruga_vec3 positions[24];
    uint32_t faces[120];
    assert_true(one->vertex_count == 12 && one->triangle_count == 20);
    for (uint32_t i = 0; i < 24; i++) positions[i] = vec3_add(one->positions[i % 12], vec3_make(i < 12 ? 0 : 3, 0, 0));
    for (uint32_t i = 0; i < 120; i++) faces[i] = one->triangles[i % 60] + (i < 60 ? 0 : 12);
    ruga_mesh *two = shape_make(context, 24, positions, 40, NULL, faces);
    ruga_camera camera = camera_above();
    camera.eye = (ruga_vec3){1.5, 0, 10};
    camera.target = (ruga_vec3){1.5, 0, 0};
    camera.up = (ruga_vec3){0, 1, 0};
    const double pixels[] = {140, 200, 260, 205};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_status(ruga_curve_from_stroke(two, &camera, 400, 400, pixels, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "there is no path from point 0");
    ruga_mesh_destroy(one);
    ruga_mesh_destroy(two);
    ruga_context_destroy(context);
}

/* ---- UVs. */

/* A strip of four squares along x: u is x, but for squares 2 and 3, on corners: there it is `shift` less. */
static ruga_mesh *shifted_charts(ruga_context *context, ruga_domain domain, double shift) {
    enum { N = 4 };
    ruga_vec3 positions[2 * (N + 1)];
    uint32_t faces[6 * N];
    double uvs[12 * N];
    for (uint32_t i = 0; i <= N; i++) {
        positions[2 * i] = (ruga_vec3){i, 0, 0};
        positions[2 * i + 1] = (ruga_vec3){i, 0, -1};
    }
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t two[6] = {2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 2, 2 * i + 3, 2 * i + 1};
        memcpy(faces + 6 * i, two, sizeof two);
        for (uint32_t k = 0; k < 6; k++) {
            ruga_vec3 p = positions[two[k]];
            uvs[2 * (6 * i + k)] = i < 2 ? p.x : p.x - shift;
            uvs[2 * (6 * i + k) + 1] = -p.z;
        }
    }
    double plain[4 * (N + 1)];
    for (size_t i = 0; i < 2 * (N + 1); i++) plain[2 * i] = positions[i].x, plain[2 * i + 1] = -positions[i].z;
    const ruga_attribute uv = {.name = "uv",
                               .domain = domain,
                               .type = RUGA_F64,
                               .components = 2,
                               .count = domain == RUGA_DOMAIN_CORNER ? 6 * N : 2 * (N + 1),
                               .values = domain == RUGA_DOMAIN_CORNER ? uvs : plain};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, 2 * (N + 1), 0, RUGA_F64};
    def.face_count = 2 * N;
    def.face_vertices = faces;
    def.attribute_count = 1;
    def.attributes = &uv;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

/* Squares 2 and 3 are laid over 0 and 1. */
static ruga_mesh *charts(ruga_context *context, ruga_domain domain) { return shifted_charts(context, domain, 2); }

/* The right half's chart is moved by 0.1: between the charts the path is that of the surface, not a line over the
 * gap. */
static void a_path_to_another_chart_is_straight_on_the_surface(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shifted_charts(context, RUGA_DOMAIN_CORNER, -0.1);
    const double uvs[] = {1.5, 0.2, 2.6, 0.8};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_ok(context, ruga_curve_from_uvs(mesh, uvs, 2, &def, &curve));
    assert_traced(mesh, curve);
    assert_near(ruga_curve_length(curve, mesh, NULL), hypot(1, 0.6), 1e-12);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_path_over_uvs_is_found_on_the_surface(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = charts(context, RUGA_DOMAIN_VERTEX);
    const double uvs[] = {0.25, 0.5, 3.5, 0.75};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_ok(context, ruga_curve_from_uvs(mesh, uvs, 2, &def, &curve));
    assert_traced(mesh, curve);
    assert_near(ruga_curve_length(curve, mesh, NULL), hypot(3.25, 0.25), 1e-12);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* 0.3 and 1.6 are in both halves: from a start in the left one the path stays there. A path from the end of the left
 * half's chart, 1.99, to the start of the right half's, 0.01, crosses the seam. */
static void overlapping_charts_and_seams_continue_with_the_nearest_point(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = charts(context, RUGA_DOMAIN_CORNER);
    const double left[] = {0.3, 0.5, 1.6, 0.5}, back[] = {1.99, 0.5, 2, 0.5, 0, 0.5};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    ruga_vec3 points[64];
    assert_ok(context, ruga_curve_from_uvs(mesh, left, 2, &def, &curve));
    assert_at_most(curve->point_count, 64);
    ruga_curve_points(curve, mesh, NULL, points);
    assert_less(vec3_distance(points[0], vec3_make(0.3, 0, -0.5)), 1e-12);
    assert_less(vec3_distance(points[curve->point_count - 1], vec3_make(1.6, 0, -0.5)), 1e-12);
    ruga_curve_destroy(curve);
    /* u = 0 is at x = 0 and at x = 2; from x = 2 the latter is nearest, and the length does not change. */
    assert_ok(context, ruga_curve_from_uvs(mesh, back, 3, &def, &curve));
    assert_near(ruga_curve_length(curve, mesh, NULL), 0.01, 1e-12);
    ruga_curve_destroy(curve);
    const double over[] = {1.99, 0.5, 2, 0.5, 0, 0.5, 0.25, 0.5};
    assert_ok(context, ruga_curve_from_uvs(mesh, over, 4, &def, &curve));
    assert_traced(mesh, curve);
    assert_near(ruga_curve_length(curve, mesh, NULL), 0.26, 1e-12);
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void places_without_uv_are_errors(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = charts(context, RUGA_DOMAIN_CORNER), *plain = shape_sheet(context, 2, 2);
    double uvs[] = {0.3, 0.5, 2.6, 0.5};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    def.name = "u";
    assert_status(ruga_curve_from_uvs(mesh, uvs, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "curve \"u\": point 1 at uv (2.6, 0.5) is on no triangle");
    /* Points outside by no more than the rounding of a file's numbers count as inside. */
    uvs[2] = 2.00001;
    assert_ok(context, ruga_curve_from_uvs(mesh, uvs, 2, &def, &curve));
    assert_near(ruga_curve_length(curve, mesh, NULL), 1.7, 1e-12);
    ruga_curve_destroy(curve);
    uvs[2] = 2.001;
    assert_status(ruga_curve_from_uvs(mesh, uvs, 2, &def, &curve), RUGA_ERROR_INPUT);
    uvs[2] = INFINITY;
    assert_status(ruga_curve_from_uvs(mesh, uvs, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 1 is not finite");
    assert_status(ruga_curve_from_uvs(plain, uvs, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "no attribute \"uv\"");
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(plain);
    ruga_context_destroy(context);
}

/* ---- Bad input. */

static void assert_refused(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, const char *message) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    def.name = "bad";
    assert_status(ruga_curve_from_points(mesh, points, count, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(mesh->context, "curve \"bad\"");
    assert_message_has(mesh->context, message);
    assert_null(curve);
}

static void points_that_make_no_curve_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = two_sheets(context);
    const ruga_vec3 points[] = {{0.1, 0, -0.1}, {0.1, 0, -0.1}}, far[] = {{0.1, 0, -0.1}, {0.1, -9, -0.1}};
    const ruga_vec3 infinite[] = {{NAN, 0, 0}, {1, 0, 0}}, apart[] = {{0.1, 0, -0.1}, {0.5, 0.5, -0.5}};
    assert_refused(mesh, points, 0, "no length");
    assert_refused(mesh, points, 1, "no length");
    assert_refused(mesh, points, 2, "no length");
    assert_refused(mesh, far, 2, "point 1 at (0.1, -9, -0.1) is 9 m off the surface");
    /* The limit is a tenth of the mesh's size, 1.5 m. */
    const ruga_vec3 above[] = {{0.1, -0.145, -0.1}, {0.9, -0.145, -0.1}};
    const ruga_vec3 too_far[] = {{0.1, -0.145, -0.1}, {0.9, -0.155, -0.1}};
    ruga_curve_destroy(draw(mesh, above, 2, 0));
    assert_refused(mesh, too_far, 2, "point 1 at (0.9, -0.155, -0.1) is 0.155 m off the surface");
    assert_refused(mesh, infinite, 2, "point 0 is not finite");
    assert_refused(mesh, apart, 2, "different pieces of the mesh");
    const ruga_vec3 line[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const uint32_t face[] = {0, 1, 2};
    ruga_mesh *flat = shape_make(context, 3, line, 1, NULL, face);
    assert_refused(flat, line, 2, "triangle 0, which has no area");
    ruga_mesh *empty = shape_make(context, 3, line, 0, NULL, face);
    assert_refused(empty, line, 2, "no faces");
    ruga_mesh_destroy(flat);
    ruga_mesh_destroy(empty);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Coincident sheets that share no vertex are not connected. */
static void equal_places_of_different_pieces_are_not_one(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, -1, 0}};
    const uint32_t faces[] = {0, 1, 2, 4, 3, 5};
    ruga_mesh *mesh = shape_make(context, 6, positions, 2, NULL, faces);
    const ruga_surface_point points[] = {{0, {0, 0, 1}}, {0, {0.5, 0.5, 0}}, {1, {0.5, 0.5, 0}}, {1, {0, 0, 1}}};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    assert_status(ruga_curve_from_surface_points(mesh, points, 4, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "there is no path from point 1");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 2, 2), *other = shape_sheet(context, 1, 1);
    ruga_curve_def def = {0};
    ruga_curve *curve = NULL, *moved = NULL;
    const ruga_surface_point outside[] = {{9, {1, 0, 0}}, {0, {1, 0, 0}}}, odd[] = {{0, {0.5, 0, 0}}, {0, {1, 0, 0}}};
    const ruga_vec3 ends[] = {{0.1, 0, -0.1}, {0.8, 0, -0.7}};
    assert_status(ruga_curve_from_points(mesh, ends, 2, &def, &curve), RUGA_ERROR_ARGUMENT);
    def = ruga_curve_def_default();
    def.reach = NAN;
    assert_status(ruga_curve_from_points(mesh, ends, 2, &def, &curve), RUGA_ERROR_ARGUMENT);
    def.reach = 0;
    assert_status(ruga_curve_from_surface_points(mesh, outside, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "point 0 is on triangle 9 of a mesh of 8");
    assert_status(ruga_curve_from_surface_points(mesh, odd, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "sum to 1");
    curve = draw(mesh, ends, 2, 0);
    ruga_subdivide_def subdivide = ruga_subdivide_def_default();
    ruga_mesh *finer;
    ruga_map *map;
    assert_ok(context, ruga_mesh_subdivide(mesh, &subdivide, &finer, &map));
    assert_status(ruga_curve_transfer(curve, mesh, other, map, &moved), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "takes 9 vertices to 25, but the meshes have 9 and 4");
    const ruga_curve far = {"far", 2, outside, 0, context};
    assert_status(ruga_curve_transfer(&far, mesh, finer, map, &moved), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "curve \"far\": point 0 is on triangle 9 of a mesh of 8");
    /* A map without weights of the curve's vertices. */
    const size_t offsets[26] = {0};
    const ruga_map nothing = {25, 9, offsets, NULL, NULL, context};
    assert_status(ruga_curve_transfer(curve, mesh, finer, &nothing, &moved), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "can't be transferred");
    ruga_map_destroy(map);
    ruga_mesh_destroy(finer);
    ruga_curve_destroy(curve);
    ruga_curve_destroy(NULL);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
    ruga_context_destroy(context);
}

/* ---- Memory. */

static ruga_status draw_all_kinds(ruga_context *context, void *user) {
    ruga_mesh *mesh = user;
    ruga_context *own = mesh->context;
    const ruga_vec3 ends[] = {{0.3, 0, -0.2}, {3.6, 0, -0.7}};
    const double uvs[] = {0.3, 0.5, 1.6, 0.5};
    ruga_camera camera = camera_above();
    double pixels[4];
    pixel_of(&camera, vec3_make(0.1, 0, -0.1), pixels);
    pixel_of(&camera, vec3_make(1.4, 0, -0.15), pixels + 2);
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    mesh->context = context;
    ruga_status status = ruga_curve_from_points(mesh, ends, 2, &def, &curve);
    ruga_curve_destroy(curve);
    curve = NULL;
    if (!RUGA_FAILED(status)) status = ruga_curve_from_uvs(mesh, uvs, 2, &def, &curve);
    ruga_curve_destroy(curve);
    curve = NULL;
    if (!RUGA_FAILED(status)) status = ruga_curve_from_stroke(mesh, &camera, 400, 400, pixels, 2, &def, &curve);
    ruga_curve_destroy(curve);
    mesh->context = own;
    return status;
}

typedef struct carry {
    ruga_mesh *mesh, *finer;
    ruga_map *map;
    ruga_curve *curve;
} carry;

static ruga_status carry_once(ruga_context *context, void *user) {
    carry *c = user;
    ruga_context *own = c->mesh->context;
    ruga_curve *carried = NULL;
    c->mesh->context = c->finer->context = context;
    ruga_status status = ruga_curve_transfer(c->curve, c->mesh, c->finer, c->map, &carried);
    ruga_curve_destroy(carried);
    c->mesh->context = c->finer->context = own;
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    carry c = {.mesh = charts(context, RUGA_DOMAIN_CORNER)};
    assert_less(20, assert_every_allocation_may_fail(draw_all_kinds, c.mesh));
    const ruga_vec3 ends[] = {{0.3, 0, -0.2}, {3.6, 0, -0.7}};
    ruga_subdivide_def subdivide = ruga_subdivide_def_default();
    c.curve = draw(c.mesh, ends, 2, 0);
    assert_ok(context, ruga_mesh_subdivide(c.mesh, &subdivide, &c.finer, &c.map));
    assert_less(5, assert_every_allocation_may_fail(carry_once, &c));
    ruga_curve_destroy(c.curve);
    ruga_map_destroy(c.map);
    ruga_mesh_destroy(c.finer);
    ruga_mesh_destroy(c.mesh);
    ruga_context_destroy(context);
}

/* A sheet of 4 x 4 squares without the four in its middle, and a line over these. */
static void paths_go_around_a_hole_unless_they_stop_at_gaps(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *sheet = shape_sheet(context, 4, 4), *mesh;
    ruga_curve *curve = NULL;
    uint32_t faces[3 * 32];
    size_t count = 0;
    vec3 low = sheet->positions[0], high = sheet->positions[sheet->vertex_count - 1], middle = vec3_mix(low, high, 0.5);
    double side = vec3_length(vec3_sub(high, low)) / sqrt(2);
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        const uint32_t *v = sheet->triangles + 3 * t;
        vec3 centre = vec3_scale(
            vec3_add(vec3_add(sheet->positions[v[0]], sheet->positions[v[1]]), sheet->positions[v[2]]), 1.0 / 3);
        vec3 off = vec3_sub(centre, middle);
        if (fmax(fmax(fabs(off.x), fabs(off.y)), fabs(off.z)) < side / 4) continue;
        memcpy(faces + 3 * count++, v, 3 * sizeof *v);
    }
    assert_int_equal(count, 24);
    mesh = shape_make(context, sheet->vertex_count, sheet->positions, count, NULL, faces);
    const ruga_vec3 across[] = {vec3_mix(low, high, 0.12), vec3_mix(low, high, 0.88)};
    ruga_curve_def def = ruga_curve_def_default();
    def.name = "over";
    assert_ok(context, ruga_curve_from_points(mesh, across, 2, &def, &curve));
    assert_less(1.05 * vec3_distance(across[0], across[1]), ruga_curve_length(curve, mesh, NULL));
    ruga_curve_destroy(curve);
    curve = NULL;
    def.stops_at_gaps = 1;
    assert_status(ruga_curve_from_points(mesh, across, 2, &def, &curve), RUGA_ERROR_INPUT);
    assert_message_has(context, "curve \"over\": from point 0 to point 1 it meets, at (");
    assert_null(curve);
    /* On the whole sheet there is no obstacle. */
    assert_ok(context, ruga_curve_from_points(sheet, across, 2, &def, &curve));
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(sheet);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_curve_returns_to_its_start),
        cmocka_unit_test(two_points_make_no_closed_curve),
        cmocka_unit_test(lengths_follow_positions),
        cmocka_unit_test(a_curve_is_carried_to_finer_meshes),
        cmocka_unit_test(sheets_on_each_other_keep_their_curves),
        cmocka_unit_test(a_curve_is_carried_to_smoothed_meshes),
        cmocka_unit_test(smoothing_moves_curves_no_more_than_the_surface),
        cmocka_unit_test(a_stroke_is_straight_on_the_picture),
        cmocka_unit_test(a_stroke_over_a_hidden_part_is_an_error),
        cmocka_unit_test(a_stroke_from_piece_to_piece_is_an_error),
        cmocka_unit_test(a_path_to_another_chart_is_straight_on_the_surface),
        cmocka_unit_test(a_path_over_uvs_is_found_on_the_surface),
        cmocka_unit_test(overlapping_charts_and_seams_continue_with_the_nearest_point),
        cmocka_unit_test(places_without_uv_are_errors),
        cmocka_unit_test(points_that_make_no_curve_are_refused),
        cmocka_unit_test(equal_places_of_different_pieces_are_not_one),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(paths_go_around_a_hole_unless_they_stop_at_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
