/* Meshes from arrays: valid input is kept, invalid input is refused with the name of the element. */
#include <math.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "support/shapes.h"

static const ruga_vec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

static ruga_mesh_def square_def(void) {
    static const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)square, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    return def;
}

static void assert_refused(ruga_context *context, const ruga_mesh_def *def, ruga_status status, const char *part) {
    ruga_mesh *mesh = NULL;
    assert_status(ruga_mesh_create(context, def, &mesh), status);
    assert_null(mesh);
    assert_message_has(context, part);
}

static void triangles_are_the_faces_when_every_face_is_one(void **state) {
    ruga_mesh_def def = square_def();
    const uint32_t sizes[2] = {3, 3};
    for (int with_sizes = 0; with_sizes < 2; with_sizes++) {
        def.face_sizes = with_sizes ? sizes : NULL;
        ruga_mesh *mesh;
        assert_ok(*state, ruga_mesh_create(*state, &def, &mesh));
        assert_ptr_equal(mesh->triangles, mesh->face_vertices);
        assert_null(mesh->face_offsets);
        assert_null(mesh->triangle_corners);
        assert_null(mesh->triangle_faces);
        assert_int_equal(mesh->triangle_count, 2);
        assert_memory_equal(mesh->triangles, def.face_vertices, 6 * sizeof(uint32_t));
        assert_memory_equal(mesh->positions, square, sizeof square);
        ruga_mesh_destroy(mesh);
    }
}

static void an_empty_mesh_is_a_mesh(void **state) {
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh;
    assert_ok(*state, ruga_mesh_create(*state, &def, &mesh));
    assert_int_equal(mesh->vertex_count + mesh->triangle_count + mesh->face_count + mesh->corner_count, 0);
    assert_non_null(mesh->positions);
    assert_non_null(mesh->triangles);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(NULL);
}

static void views_with_strides_and_floats_are_read(void **state) {
    struct {
        float p[3];
        int extra;
    } points[4];
    for (int i = 0; i < 4; i++) {
        points[i].p[0] = (float)square[i].x;
        points[i].p[1] = (float)square[i].y;
        points[i].p[2] = 0.5f;
        points[i].extra = -1;
    }
    ruga_mesh_def def = square_def();
    def.positions = (ruga_view){points, 4, sizeof points[0], RUGA_F32};
    ruga_mesh *mesh;
    assert_ok(*state, ruga_mesh_create(*state, &def, &mesh));
    for (int i = 0; i < 4; i++) {
        assert_equal_case(mesh->positions[i].x, square[i].x, "i %d", i);
        assert_equal_case(mesh->positions[i].y, square[i].y, "i %d", i);
        assert_equal_case(mesh->positions[i].z, 0.5, "i %d", i);
    }
    ruga_mesh_destroy(mesh);
}

static void wrong_arguments_are_refused(void **state) {
    ruga_mesh_def def = square_def();
    ruga_mesh *mesh;
    assert_status(ruga_mesh_create(NULL, &def, &mesh), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_create(*state, NULL, &mesh), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_create(*state, &def, NULL), RUGA_ERROR_ARGUMENT);
    def.cookie = 0;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "ruga_mesh_def_default");
    def = square_def();
    def.positions.type = RUGA_I32;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "RUGA_F32");
    def = square_def();
    def.positions.stride = 8;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "stride");
    def = square_def();
    def.positions.data = NULL;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "NULL");
    def = square_def();
    def.face_vertices = NULL;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "faces");
    def = square_def();
    def.face_count = (size_t)1 << 33;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "too many");
    def = square_def();
    def.tet_count = SIZE_MAX;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "too many");
    def = square_def();
    def.line_count = 1;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "line_sizes");
    def = square_def();
    def.attribute_count = 1;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "attributes");
}

static void an_index_out_of_range_is_named(void **state) {
    const uint32_t faces[6] = {0, 1, 2, 0, 4, 3}, huge[6] = {0, 1, 2, UINT32_MAX, 1, 2}, quad[4] = {0, 1, 2, 9};
    const uint32_t edges[4] = {0, 1, 7, 2}, tets[4] = {0, 1, 2, 4}, lines[5] = {0, 1, 2, 3, 5}, line_sizes[2] = {2, 3};
    const uint32_t quad_size = 4;
    ruga_mesh_def def = square_def();
    def.face_vertices = faces;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "face 1 names vertex 4, but there are 4");
    def.face_vertices = huge;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "face 1 names vertex 4294967295");
    def = square_def();
    def.face_count = 1;
    def.face_sizes = &quad_size;
    def.face_vertices = quad;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "face 0 names vertex 9");
    def = square_def();
    def.edge_count = 2;
    def.edges = edges;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "edge 1 names vertex 7");
    def = square_def();
    def.tet_count = 1;
    def.tets = tets;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "tet 0 names vertex 4");
    def = square_def();
    def.line_count = 2;
    def.line_sizes = line_sizes;
    def.line_vertices = lines;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "line 1 names vertex 5");
}

static void sizes_that_are_too_small_are_named(void **state) {
    const uint32_t sizes[2] = {4, 2}, faces[6] = {0, 1, 2, 3, 0, 1}, line_size = 1, huge_sizes[2] = {3, UINT32_MAX};
    ruga_mesh_def def = square_def();
    def.face_sizes = sizes;
    def.face_vertices = faces;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "face 1 has 2 vertices");
    def.face_sizes = huge_sizes;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "face 1 passes the limit");
    def = square_def();
    def.line_count = 1;
    def.line_sizes = &line_size;
    def.line_vertices = faces;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "line 0 has 1 vertices");
}

static void parts_with_wrong_offsets_or_splits_are_refused(void **state) {
    ruga_context *context = *state;
    for (int kind = 0; kind < 4; kind++) {
        mesh_parts parts = {.vertex_count = 4, .face_count = 2, .corner_count = 6};
        const uint32_t faces[6] = {0, 1, 2, 0, 2, 3}, offsets[3] = {0, 4, kind == 0 ? 7 : 6};
        const uint32_t split_vertex[5] = {0, 1, 2, 3, kind == 2 ? 4 : 0},
                       corner_split[6] = {0, 1, 2, 4, 2, kind == 3 ? 5 : 3};
        parts.positions = memory_copy(context, square, 4, sizeof square[0]);
        parts.face_vertices = memory_copy(context, faces, 6, 4);
        if (kind == 0) parts.face_offsets = memory_copy(context, offsets, 3, 4);
        if (kind == 1) parts.face_count = 1;
        parts.split_count = 5;
        parts.split_vertex = memory_copy(context, split_vertex, 5, 4);
        parts.corner_split = memory_copy(context, corner_split, 6, 4);
        ruga_mesh *mesh = NULL;
        static const char *const messages[4] = {"from 0 to 7, not from 0 to 6", "1 triangles have 6 corners",
                                                "split vertex 4 names vertex 4", "corner 5 names split vertex 5"};
        assert_status(mesh_from_parts(context, &parts, &mesh), RUGA_ERROR_INPUT);
        assert_message_has(context, messages[kind]);
        assert_null(parts.positions);
    }
}

static void attributes_may_share_the_splits(void **state) {
    ruga_context *context = *state;
    const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    mesh_parts parts = {.vertex_count = 4, .face_count = 2, .corner_count = 6, .split_count = 4};
    parts.positions = memory_copy(context, square, 4, sizeof square[0]);
    parts.face_vertices = memory_copy(context, faces, 6, 4);
    parts.split_vertex = memory_copy(context, faces + 2, 4, 4);
    parts.corner_split = memory_copy(context, faces, 6, 4);
    for (int i = 0; i < 2; i++) {
        float *values;
        assert_ok(context, NEW_ZEROED(context, &values, 4));
        assert_ok(context, mesh_parts_add(context, &parts, i ? "uv" : "normal", RUGA_DOMAIN_CORNER, RUGA_F32, 1, 4,
                                          values, parts.corner_split));
    }
    ruga_mesh *mesh;
    assert_ok(context, mesh_from_parts(context, &parts, &mesh));
    assert_ptr_equal(mesh->attributes[0].indices, mesh->corner_split);
    assert_ptr_equal(mesh->attributes[1].indices, mesh->corner_split);
    ruga_mesh_destroy(mesh);
}

/* ---- Attributes. */

static void attributes_are_copied_and_found(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    const ruga_attribute *group = ruga_mesh_attribute(mesh, "group", RUGA_DOMAIN_FACE);
    const ruga_attribute *colour = ruga_mesh_attribute(mesh, "colour", RUGA_DOMAIN_VERTEX);
    const ruga_attribute *tag = ruga_mesh_attribute(mesh, "tag", RUGA_DOMAIN_CORNER);
    assert_non_null(uv);
    assert_null(ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX));
    assert_null(ruga_mesh_attribute(mesh, "nothing", RUGA_DOMAIN_CORNER));
    assert_equal(ruga_attribute_get(uv, 5, 0), 6);
    assert_equal(ruga_attribute_get(uv, 6, 1), 1);
    assert_int_equal(group->label_count, 2);
    assert_string_equal(group->labels[(int)ruga_attribute_get(group, 0, 0)], "right");
    assert_equal(ruga_attribute_get(colour, 1, 2), 1);
    assert_equal(ruga_attribute_get(colour, 0, 0), 0);
    assert_equal(ruga_attribute_get(tag, 6, 0), 0);
    assert_equal(ruga_attribute_get(tag, 7, 0), 20);
    assert_int_equal(mesh_domain_size(mesh, RUGA_DOMAIN_CORNER), 8);
    assert_int_equal(mesh_domain_size(mesh, RUGA_DOMAIN_EDGE), 2);
    ruga_mesh_destroy(mesh);
}

static void every_scalar_type_is_read_and_normalised(void **state) {
    (void)state;
    static const size_t sizes[8] = {1, 1, 2, 2, 4, 4, 4, 8};
    static const double tops[8] = {255, 127, 65535, 32767, 4294967295.0, 2147483647.0, 1, 1};
    for (int type = RUGA_U8; type <= RUGA_F64; type++) {
        double values[2];
        ruga_attribute a = {.name = "a", .type = (ruga_scalar)type, .components = 1, .count = 2, .values = values};
        assert_int_equal(ruga_scalar_size(a.type), sizes[type]);
        mesh_scalar_set(a.type, values, 0, tops[type]);
        mesh_scalar_set(a.type, values, 1, 0.25);
        assert_equal_case(ruga_attribute_get(&a, 0, 0), tops[type], "type %d", type);
        assert_equal_case(ruga_attribute_get(&a, 1, 0), type >= RUGA_F32 ? 0.25 : 0, "type %d", type);
        a.normalised = 1;
        assert_equal_case(ruga_attribute_get(&a, 0, 0), 1, "type %d", type);
    }
    int8_t lowest = -128;
    ruga_attribute a = {.type = RUGA_I8, .components = 1, .count = 1, .values = &lowest, .normalised = 1};
    assert_equal(ruga_attribute_get(&a, 0, 0), -1);
    assert_int_equal(ruga_scalar_size((ruga_scalar)99), 0);
}

static void attributes_that_do_not_fit_are_named(void **state) {
    const double values[6] = {0};
    const uint32_t indices[4] = {0, 1, UINT32_MAX, 2};
    const ruga_attribute good = {.name = "heat", .type = RUGA_F64, .components = 1, .count = 4, .values = values};
    ruga_attribute a = good;
    ruga_mesh_def def = square_def();
    def.attribute_count = 1;
    def.attributes = &a;
    a.count = 5;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "attribute \"heat\" has 5 values for a vertex count of 4");
    a = good;
    a.count = 2;
    a.indices = indices;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "attribute \"heat\": vertex 3 names value 2, but there are 2");
    a = good;
    a.components = 0;
    assert_refused(*state, &def, RUGA_ERROR_INPUT, "\"heat\"");
    a = good;
    a.type = (ruga_scalar)77;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "\"heat\"");
    a = good;
    const char *const labels[2] = {"warm", NULL};
    a.labels = labels;
    a.label_count = 2;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "label 1 of attribute \"heat\" is NULL");
    a = good;
    a.name = NULL;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "no name");
    a = good;
    a.values = NULL;
    assert_refused(*state, &def, RUGA_ERROR_ARGUMENT, "NULL");
    a = good;
    a.count = SIZE_MAX;
    assert_refused(*state, &def, RUGA_ERROR_MEMORY, "memory");
}

/* ---- Polygons. */

static double triangle_area_sum(const ruga_mesh *mesh) {
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) sum += mesh_triangle_area(mesh, t);
    return sum;
}

/* The sum of signed areas in the plane z = 0, and whether each triangle turns left. */
static double signed_area(const ruga_mesh *mesh, int *all_left) {
    double sum = 0;
    *all_left = 1;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        vec3 a = mesh->positions[v[0]], b = mesh->positions[v[1]], c = mesh->positions[v[2]];
        double area = vec3_cross(vec3_sub(b, a), vec3_sub(c, a)).z / 2;
        if (!(area > 0)) *all_left = 0;
        sum += area;
    }
    return sum;
}

static double outline_area(const ruga_vec3 *p, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += vec3_cross(p[i], p[(i + 1) % n]).z / 2;
    return sum;
}

static ruga_mesh *make_polygon(ruga_context *context, const ruga_vec3 *points, size_t n) {
    uint32_t *corners = malloc(n * sizeof *corners), size = (uint32_t)n;
    for (size_t i = 0; i < n; i++) corners[i] = (uint32_t)i;
    ruga_mesh *mesh = shape_make(context, n, points, 1, &size, corners);
    free(corners);
    assert_int_equal(mesh->triangle_count, n - 2);
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        assert_less_case(mesh->triangle_corners[i], n, "i %zu", i);
        assert_int_equal(mesh->triangles[i], mesh->face_vertices[mesh->triangle_corners[i]]);
    }
    return mesh;
}

static void assert_covers_outline(ruga_context *context, const ruga_vec3 *points, size_t n) {
    ruga_mesh *mesh = make_polygon(context, points, n);
    int all_left;
    double area = outline_area(points, n);
    assert_near(signed_area(mesh, &all_left), area, 1e-12 * area);
    assert_near(triangle_area_sum(mesh), area, 1e-12 * area);
    assert_true(all_left);
    ruga_mesh_destroy(mesh);
}

static void a_quad_is_cut_along_its_shorter_inner_diagonal(void **state) {
    const ruga_vec3 kite[4] = {{0, -3, 0}, {1, 0, 0}, {0, 3, 0}, {-1, 0, 0}};
    const ruga_vec3 dart[4] = {{0, 0.2, 0}, {3, -1, 0}, {0, 4, 0}, {-3, -1, 0}};
    ruga_mesh *mesh = make_polygon(*state, kite, 4);
    const uint32_t across[6] = {0, 1, 3, 1, 2, 3}, along[6] = {0, 1, 2, 0, 2, 3};
    assert_memory_equal(mesh->triangles, across, sizeof across);
    ruga_mesh_destroy(mesh);
    mesh = make_polygon(*state, dart, 4);
    assert_memory_equal(mesh->triangles, along, sizeof along);
    ruga_mesh_destroy(mesh);
    mesh = make_polygon(*state, square, 4);
    assert_memory_equal(mesh->triangles, along, sizeof along);
    ruga_mesh_destroy(mesh);
    for (size_t turn = 0; turn < 4; turn++) {
        ruga_vec3 turned[4];
        for (size_t i = 0; i < 4; i++) turned[i] = dart[(i + turn) % 4];
        assert_covers_outline(*state, turned, 4);
    }
}

/* A star-shaped outline of random radii, then turned into space, where its area must stay. */
static void any_simple_outline_is_covered_exactly_once(void **state) {
    test_random random = {7};
    for (size_t n = 5; n < 400; n = n * 3 / 2) {
        ruga_vec3 *points = malloc(n * sizeof *points);
        for (size_t i = 0; i < n; i++) {
            double angle = 6.283185307179586 * ((double)i + 0.8 * random_unit(&random)) / (double)n;
            double r = random_between(&random, 0.1, 1);
            points[i] = (ruga_vec3){r * cos(angle), r * sin(angle), 0};
        }
        assert_covers_outline(*state, points, n);
        double area = outline_area(points, n);
        for (size_t i = 0; i < n; i++)
            points[i] = (ruga_vec3){10 + 0.6 * points[i].x, points[i].y, 5 - 0.8 * points[i].x};
        ruga_mesh *mesh = make_polygon(*state, points, n);
        assert_near_case(triangle_area_sum(mesh), area, 1e-12 * area * (double)n, "n %zu", n);
        ruga_mesh_destroy(mesh);
        free(points);
    }
}

static void a_spiral_is_covered_exactly_once(void **state) {
    enum { half = 300 };
    ruga_vec3 points[2 * half];
    for (int i = 0; i < half; i++) {
        double angle = 0.1 * i, r = 1 + 0.2 * angle;
        points[i] = (ruga_vec3){(r + 0.5) * cos(angle), (r + 0.5) * sin(angle), 0};
        points[2 * half - 1 - i] = (ruga_vec3){r * cos(angle), r * sin(angle), 0};
    }
    assert_covers_outline(*state, points, 2 * half);
}

static void points_along_straight_sides_make_no_flat_triangles(void **state) {
    const ruga_vec3 points[8] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0},
                                 {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}};
    assert_covers_outline(*state, points, 8);
    const ruga_vec3 t_junction[5] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    assert_covers_outline(*state, t_junction, 5);
    const ruga_vec3 hypotenuse[6] = {{0, 0, 0}, {2, 0, 0}, {1.5, 0.5, 0}, {1, 1, 0}, {0.5, 1.5, 0}, {0, 2, 0}};
    assert_covers_outline(*state, hypotenuse, 6);
}

static void a_hole_joined_by_a_bridge_stays_open(void **state) {
    const ruga_vec3 points[10] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                                  {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
    assert_covers_outline(*state, points, 10);
}

/* The outline of two triangles that touch in a point gives these two, wherever it starts. */
static void triangles_that_touch_in_a_point_are_covered_once(void **state) {
    const ruga_vec3 points[6] = {{0, 0, 0}, {2, -1, 0}, {2, 1, 0}, {0, 0, 0}, {-2, 1, 0}, {-2, -1, 0}};
    for (size_t turn = 0; turn < 6; turn++) {
        ruga_vec3 turned[6];
        for (size_t i = 0; i < 6; i++) turned[i] = points[(i + turn) % 6];
        ruga_mesh *mesh = make_polygon(*state, turned, 6);
        assert_near_case(triangle_area_sum(mesh), 4, 1e-14, "turn %zu", turn);
        ruga_mesh_destroy(mesh);
    }
}

/* Random rings: a star outside, a bridge, a star inside in the other direction, and the bridge back. */
static void any_ring_joined_by_a_bridge_is_covered_exactly_once(void **state) {
    test_random random = {19};
    for (int round = 0; round < 60; round++) {
        ruga_vec3 points[2 * 20 + 2];
        size_t n = 3 + random_bits(&random) % 18, count = 0;
        for (int inner = 0; inner < 2; inner++)
            for (size_t i = 0; i <= n; i++, count++) {
                double angle = 6.283185307179586 * (double)(inner ? n - i : i) / (double)n;
                double r = inner ? random_between(&random, 0.2, 0.5) * 0.9 : random_between(&random, 1.1, 2) * 2;
                if (n < 8) r = inner ? 0.1 : 2;
                points[count] = i == n ? points[count - n] : (ruga_vec3){r * cos(angle), r * sin(angle), 0};
            }
        assert_covers_outline(*state, points, count);
    }
}

static void self_crossing_outlines_still_give_all_their_triangles(void **state) {
    const double nan_value = NAN;
    ruga_vec3 star[5], crossing[6], nothing[7] = {{0, 0, 0}}, broken[6];
    for (int i = 0; i < 5; i++) star[i] = (ruga_vec3){cos(2.513274 * i), sin(2.513274 * i), 0};
    for (int i = 0; i < 6; i++) crossing[i] = (ruga_vec3){i % 2, i % 3, i % 4};
    for (int i = 0; i < 6; i++) broken[i] = (ruga_vec3){i == 2 ? nan_value : i, i * i, i == 4 ? INFINITY : 0};
    ruga_mesh_destroy(make_polygon(*state, star, 5));
    ruga_mesh_destroy(make_polygon(*state, crossing, 6));
    ruga_mesh_destroy(make_polygon(*state, nothing, 7));
    ruga_mesh_destroy(make_polygon(*state, broken, 6));
    ruga_mesh_destroy(make_polygon(*state, nothing, 4));
}

static void a_zigzag_of_thousands_of_corners_is_cut_in_time(void **state) {
    enum { n = 20000 };
    ruga_vec3 *points = malloc(n * sizeof *points);
    for (int i = 0; i < n; i++) {
        double angle = 6.283185307179586 * i / n, r = i % 2 ? 1 : 0.5;
        points[i] = (ruga_vec3){r * cos(angle), r * sin(angle), 0};
    }
    assert_covers_outline(*state, points, n);
    free(points);
}

/* ---- Tets. */

/* Attributes are given before the surface is made, so they can't belong to it. */
static void attributes_of_faces_that_tets_are_to_make_are_refused(void **state) {
    static const uint32_t tet[4] = {0, 1, 2, 3}, indices[12] = {0};
    static const double values[12] = {0};
    const ruga_domain domains[2] = {RUGA_DOMAIN_FACE, RUGA_DOMAIN_CORNER};
    for (int i = 0; i < 4; i++) {
        ruga_attribute a = {.name = "heat", .domain = domains[i % 2], .type = RUGA_F64, .components = 1};
        a.values = values;
        a.count = i % 2 ? 12 : 4;
        a.indices = i / 2 ? indices : NULL;
        ruga_mesh_def def = square_def();
        def.face_count = 0;
        def.tet_count = 1;
        def.tets = tet;
        def.attribute_count = 1;
        def.attributes = &a;
        assert_refused(*state, &def, RUGA_ERROR_INPUT, "attribute \"heat\" belongs to faces");
    }
}

static void the_surface_of_tets_is_closed_and_faces_outwards(void **state) {
    /* A cube of five tets, once as it is and once inverted. */
    const uint32_t tets[20] = {0, 1, 2, 4, 3, 2, 1, 7, 5, 4, 7, 1, 6, 7, 4, 2, 1, 2, 4, 7};
    ruga_vec3 cube[8];
    for (int i = 0; i < 8; i++) cube[i] = (ruga_vec3){i & 1, (i >> 1) & 1, (i >> 2) & 1};
    for (int inverted = 0; inverted < 2; inverted++) {
        uint32_t turned[20];
        memcpy(turned, tets, sizeof tets);
        for (int t = 0; t < 5 && inverted; t++) {
            turned[4 * t] = tets[4 * t + 1];
            turned[4 * t + 1] = tets[4 * t];
        }
        ruga_mesh_def def = ruga_mesh_def_default();
        def.positions = (ruga_view){cube, 8, 0, RUGA_F64};
        def.tet_count = 5;
        def.tets = turned;
        ruga_mesh *mesh;
        assert_ok(*state, ruga_mesh_create(*state, &def, &mesh));
        assert_int_equal(mesh->triangle_count, 12);
        vec3 middle = {0.5, 0.5, 0.5};
        double volume = 0;
        for (size_t t = 0; t < 12; t++) {
            const uint32_t *v = mesh->triangles + 3 * t;
            double six = vec3_dot(vec3_cross(vec3_sub(cube[v[0]], middle), vec3_sub(cube[v[1]], middle)),
                                  vec3_sub(cube[v[2]], middle));
            assert_less_case(0, six, "inverted %d, t %zu", inverted, t);
            volume += six / 6;
        }
        assert_near_case(volume, 1, 1e-15, "inverted %d", inverted);
        ruga_mesh_destroy(mesh);
    }
}

/* ---- Lack of memory. */

static ruga_status make_and_release(ruga_context *context, void *user) {
    const ruga_mesh *source = user;
    uint32_t sizes[2] = {4, 4}, line_sizes[2] = {3, 2};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)source->positions, source->vertex_count, 0, RUGA_F64};
    def.face_count = source->face_count;
    def.face_sizes = source->face_offsets ? sizes : NULL;
    def.face_vertices = source->face_vertices;
    def.edge_count = source->edge_count;
    def.edges = source->edges;
    def.line_count = source->line_count;
    def.line_sizes = line_sizes;
    def.line_vertices = source->line_vertices;
    def.tet_count = source->tet_count;
    def.tets = source->tets;
    if (def.tet_count > 0) def.face_count = 0;
    def.attribute_count = source->attribute_count;
    def.attributes = source->attributes;
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    ruga_mesh_destroy(mesh);
    return status;
}

static ruga_status make_pentagon(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 points[5] = {{0, 0, 0}, {2, 0, 0}, {1, 0.5, 0}, {2, 2, 0}, {0, 2, 0}};
    const uint32_t size = 5, corners[5] = {0, 1, 2, 3, 4};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)points, 5, 0, RUGA_F64};
    def.face_count = 1;
    def.face_sizes = &size;
    def.face_vertices = corners;
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *loaded = shape_loaded_sheet(*state), *tet = shape_tet(*state);
    assert_less(20, assert_every_allocation_may_fail(make_and_release, loaded));
    assert_less(4, assert_every_allocation_may_fail(make_and_release, tet));
    assert_less(4, assert_every_allocation_may_fail(make_pentagon, NULL));
    ruga_mesh_destroy(loaded);
    ruga_mesh_destroy(tet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_the_faces_when_every_face_is_one),
        cmocka_unit_test(an_empty_mesh_is_a_mesh),
        cmocka_unit_test(views_with_strides_and_floats_are_read),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(an_index_out_of_range_is_named),
        cmocka_unit_test(sizes_that_are_too_small_are_named),
        cmocka_unit_test(parts_with_wrong_offsets_or_splits_are_refused),
        cmocka_unit_test(attributes_may_share_the_splits),
        cmocka_unit_test(attributes_are_copied_and_found),
        cmocka_unit_test(every_scalar_type_is_read_and_normalised),
        cmocka_unit_test(attributes_that_do_not_fit_are_named),
        cmocka_unit_test(a_quad_is_cut_along_its_shorter_inner_diagonal),
        cmocka_unit_test(any_simple_outline_is_covered_exactly_once),
        cmocka_unit_test(a_spiral_is_covered_exactly_once),
        cmocka_unit_test(points_along_straight_sides_make_no_flat_triangles),
        cmocka_unit_test(a_hole_joined_by_a_bridge_stays_open),
        cmocka_unit_test(triangles_that_touch_in_a_point_are_covered_once),
        cmocka_unit_test(any_ring_joined_by_a_bridge_is_covered_exactly_once),
        cmocka_unit_test(self_crossing_outlines_still_give_all_their_triangles),
        cmocka_unit_test(a_zigzag_of_thousands_of_corners_is_cut_in_time),
        cmocka_unit_test(attributes_of_faces_that_tets_are_to_make_are_refused),
        cmocka_unit_test(the_surface_of_tets_is_closed_and_faces_outwards),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
