/* Everything that a format supports reads back bit for bit. */
#include "math/vec3.h"
#include "meshes.h"

static ruga_mesh *write_and_read(const ruga_mesh *mesh, ruga_format format, const char *name) {
    ruga_file_def def = ruga_file_def_default();
    def.format = format;
    void *bytes = NULL;
    size_t size = 0;
    ruga_mesh *copy = NULL;
    assert_ok(mesh->context, ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size));
    assert_ok(mesh->context, ruga_mesh_read_memory(mesh->context, name, bytes, size, NULL, &copy));
    ruga_free(mesh->context, bytes);
    return copy;
}

static const ruga_attribute *find(const ruga_mesh *mesh, const ruga_attribute *like) {
    return ruga_mesh_attribute(mesh, like->name, like->domain);
}

static void ply_keeps_everything_in_every_encoding(void **state) {
    (void)state;
    static const ruga_format formats[3] = {RUGA_FORMAT_PLY, RUGA_FORMAT_PLY_ASCII, RUGA_FORMAT_PLY_BIG};
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_rich_mesh(context);
    for (int i = 0; i < 3; i++) {
        ruga_mesh *copy = write_and_read(mesh, formats[i], "rich.ply");
        assert_same_positions(mesh, copy);
        assert_same_faces(mesh, copy);
        assert_same_lines(mesh, copy);
        assert_int_equal(copy->edge_count, 2);
        assert_memory_equal(mesh->edges, copy->edges, 4 * sizeof(uint32_t));
        assert_int_equal(mesh->attribute_count, copy->attribute_count);
        for (size_t k = 0; k < mesh->attribute_count; k++)
            assert_same_attribute(mesh, &mesh->attributes[k], find(copy, &mesh->attributes[k]));
        ruga_mesh_destroy(copy);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Values, their number and their order: an OBJ file's vt and vn lines are those that were read. */
static void obj_keeps_what_it_can_hold(void **state) {
    (void)state;
    static const char *const kept[] = {"uv", "normal", "group", "material", "smoothing"};
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_rich_mesh(context), *copy = write_and_read(mesh, RUGA_FORMAT_OBJ, "rich.obj");
    assert_same_positions(mesh, copy);
    assert_same_faces(mesh, copy);
    assert_same_lines(mesh, copy);
    size_t compared = 0, indexed = 0;
    for (size_t i = 0; i < mesh->attribute_count; i++)
        for (size_t k = 0; k < 5; k++) {
            const ruga_attribute *a = &mesh->attributes[i], *b = find(copy, a);
            if (strcmp(a->name, kept[k]) != 0) continue;
            compared++;
            if (a->label_count > 0)
                assert_same_labels(mesh, a, b);
            else
                assert_same_values(mesh, a, b);
            if (!a->indices) continue;
            indexed++;
            assert_int_equal(a->count, b->count);
            assert_memory_equal(a->values, b->values, a->count * a->components * sizeof(double));
            assert_memory_equal(a->indices, b->indices, mesh->corner_count * sizeof(uint32_t));
        }
    assert_ran(compared, 5);
    assert_ran(indexed, 1);
    const ruga_attribute *colours = ruga_mesh_attribute(copy, "colour", RUGA_DOMAIN_VERTEX);
    assert_near(ruga_attribute_get(colours, 1, 2), 128 / 255.0, 1e-7);
    assert_int_equal(colours->components, 4);
    ruga_mesh_destroy(copy);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Writing what was read from a text gives the same text again. */
static void writing_is_a_fixed_point(void **state) {
    (void)state;
    static const ruga_format formats[4] = {RUGA_FORMAT_OBJ, RUGA_FORMAT_PLY, RUGA_FORMAT_PLY_ASCII,
                                           RUGA_FORMAT_PLY_BIG};
    static const char *const names[4] = {"a.obj", "a.ply", "a.ply", "a.ply"};
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_rich_mesh(context);
    for (int i = 0; i < 4; i++) {
        ruga_file_def def = ruga_file_def_default();
        def.format = formats[i];
        ruga_mesh *first = write_and_read(mesh, formats[i], names[i]),
                  *second = write_and_read(first, formats[i], names[i]);
        void *bytes[2];
        size_t sizes[2];
        assert_ok(context, ruga_mesh_write_memory(first, NULL, &def, &bytes[0], &sizes[0]));
        assert_ok(context, ruga_mesh_write_memory(second, NULL, &def, &bytes[1], &sizes[1]));
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
        ruga_free(context, bytes[0]);
        ruga_free(context, bytes[1]);
        ruga_mesh_destroy(first);
        ruga_mesh_destroy(second);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Sizes around those of windows and blocks, and more than one window. */
static void meshes_of_any_size_come_back(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 63, 64, 65, 127, 129, 1000, 21000, 50001};
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ruga_mesh *mesh = make_strip(context, sizes[i]), *copy = NULL;
        const char *paths[2] = {test_path("strip.ply"), test_path("strip.obj")};
        for (int k = 0; k < 2; k++) {
            assert_ok(context, ruga_mesh_write(mesh, NULL, paths[k], NULL));
            assert_ok(context, ruga_mesh_read(context, paths[k], NULL, &copy));
            assert_same_positions(mesh, copy);
            assert_same_faces(mesh, copy);
            ruga_mesh_destroy(copy);
        }
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

static void tets_come_back_from_ply(void **state) {
    (void)state;
    static const double positions[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const uint32_t tets[8] = {0, 1, 2, 3, 1, 4, 2, 3};
    ruga_context *context = context_plain(1);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 5, 0, RUGA_F64};
    def.tet_count = 2;
    def.tets = tets;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    for (int ascii = 0; ascii < 2; ascii++) {
        ruga_mesh *copy = write_and_read(mesh, ascii ? RUGA_FORMAT_PLY_ASCII : RUGA_FORMAT_PLY, "tets.ply");
        assert_int_equal(copy->tet_count, 2);
        assert_memory_equal(copy->tets, mesh->tets, sizeof tets);
        assert_same_faces(mesh, copy);
        ruga_mesh_destroy(copy);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* A mesh of points alone, and one of nothing, are meshes. */
static void meshes_without_faces_come_back(void **state) {
    (void)state;
    static const double positions[6] = {1, 2, 3, 4, 5, 6};
    ruga_context *context = context_plain(1);
    for (size_t count = 0; count <= 2; count += 2) {
        ruga_mesh_def def = ruga_mesh_def_default();
        def.positions = (ruga_view){(void *)(uintptr_t)positions, count, 0, RUGA_F64};
        ruga_mesh *mesh = NULL;
        assert_ok(context, ruga_mesh_create(context, &def, &mesh));
        static const ruga_format formats[3] = {RUGA_FORMAT_OBJ, RUGA_FORMAT_PLY, RUGA_FORMAT_PLY_ASCII};
        for (int i = 0; i < 3; i++) {
            ruga_mesh *copy = write_and_read(mesh, formats[i], i ? "points.ply" : "points.obj");
            assert_same_positions(mesh, copy);
            assert_int_equal(copy->face_count, 0);
            ruga_mesh_destroy(copy);
        }
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* A frame's positions, normals and attributes stand in the place of the mesh's. */
static void a_frame_replaces_what_it_has(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_rich_mesh(context), *copy = NULL;
    ruga_vec3 positions[5], normals[5];
    for (int i = 0; i < 5; i++) {
        positions[i] = (ruga_vec3){i, 0.1 * i, -i};
        normals[i] = (ruga_vec3){0, 0.6, 0.8};
    }
    const float weights[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, heat[5] = {1, 2, 3, 4, 5};
    const ruga_attribute attributes[2] = {{"weight", RUGA_DOMAIN_VERTEX, RUGA_F32, 2, 0, 5, weights, NULL, 0, NULL},
                                          {"heat", RUGA_DOMAIN_VERTEX, RUGA_F32, 1, 0, 5, heat, NULL, 0, NULL}};
    const ruga_frame frame = {
        .vertex_count = 5, .positions = positions, .normals = normals, .attribute_count = 2, .attributes = attributes};
    ruga_file_def def = ruga_file_def_default();
    def.format = RUGA_FORMAT_PLY;
    void *bytes;
    size_t size;
    assert_ok(context, ruga_mesh_write_memory(mesh, &frame, &def, &bytes, &size));
    assert_ok(context, ruga_mesh_read_memory(context, "frame.ply", bytes, size, NULL, &copy));
    assert_memory_equal(copy->positions, positions, sizeof positions);
    const ruga_attribute *n = ruga_mesh_attribute(copy, "normal", RUGA_DOMAIN_VERTEX);
    assert_equal(ruga_attribute_get(n, 4, 2), 0.8);
    assert_null(ruga_mesh_attribute(copy, "normal", RUGA_DOMAIN_CORNER));
    assert_same_values(mesh, &attributes[0], ruga_mesh_attribute(copy, "weight", RUGA_DOMAIN_VERTEX));
    assert_same_values(mesh, &attributes[1], ruga_mesh_attribute(copy, "heat", RUGA_DOMAIN_VERTEX));
    ruga_free(context, bytes);
    ruga_mesh_destroy(copy);

    ruga_frame other = frame;
    other.vertex_count = 4;
    assert_status(ruga_mesh_write_memory(mesh, &other, &def, &bytes, &size), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "the frame has 4 vertices, but the mesh has 5");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* z up and x up turn, they do not mirror; positions scale, normals do not; out and in again is the identity. */
static void units_and_axes_are_converted_at_the_door(void **state) {
    (void)state;
    static const char text[] = "v 1 2 3\nv 4 5 6\nv 7 8 10\nvn 1 2 3\nf 1//1 2//1 3//1\n";
    static const ruga_vec3 expected[3] = {{1, 2, 3}, {1, 3, -2}, {-2, 1, 3}}; /* y, z, x up */
    ruga_context *context = context_plain(1);
    for (int up = 0; up < 3; up++) {
        ruga_file_def def = ruga_file_def_default();
        def.up = (ruga_axis)up;
        def.unit = 0.5;
        ruga_mesh *mesh = NULL, *copy = NULL;
        assert_ok(context, ruga_mesh_read_memory(context, "a.obj", text, sizeof text - 1, &def, &mesh));
        const ruga_vec3 e = expected[up], p = mesh->positions[0];
        assert_equal_case(p.x, e.x / 2, "up %d", up);
        assert_equal_case(p.y, e.y / 2, "up %d", up);
        assert_equal_case(p.z, e.z / 2, "up %d", up);
        const ruga_attribute *n = ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_CORNER);
        assert_equal_case(ruga_attribute_get(n, 0, 0), e.x, "up %d", up);
        assert_equal_case(ruga_attribute_get(n, 0, 1), e.y, "up %d", up);
        assert_equal_case(ruga_attribute_get(n, 0, 2), e.z, "up %d", up);
        static const ruga_format formats[2] = {RUGA_FORMAT_OBJ, RUGA_FORMAT_PLY};
        for (int i = 0; i < 2; i++) {
            void *bytes;
            size_t size;
            def.format = formats[i];
            assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size));
            assert_ok(context, ruga_mesh_read_memory(context, "a", bytes, size, &def, &copy));
            assert_same_positions(mesh, copy);
            assert_same_values(mesh, n, ruga_mesh_attribute(copy, "normal", RUGA_DOMAIN_CORNER));
            ruga_mesh_destroy(copy);
            ruga_free(context, bytes);
        }
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* From any format to any other: the vertices stay in their order and exactly where they were. */
static void every_format_leads_to_every_other(void **state) {
    (void)state;
    static const ruga_format formats[6] = {RUGA_FORMAT_OBJ,     RUGA_FORMAT_PLY, RUGA_FORMAT_PLY_ASCII,
                                           RUGA_FORMAT_PLY_BIG, RUGA_FORMAT_GLB, RUGA_FORMAT_GLTF};
    static const char *const names[6] = {"a.obj", "a.ply", "a.ply", "a.ply", "a.glb", "a.gltf"};
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 25);
    for (int i = 0; i < 36; i++) {
        ruga_mesh *first = write_and_read(mesh, formats[i / 6], names[i / 6]);
        ruga_mesh *second = write_and_read(first, formats[i % 6], names[i % 6]);
        assert_same_positions(mesh, second);
        assert_same_faces(mesh, second);
        ruga_mesh_destroy(second);
        ruga_mesh_destroy(first);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* A model by formula and its lining: the same places again, turned over. */
static ruga_mesh *make_lined(ruga_context *context, const ruga_mesh *outer) {
    const size_t n = outer->vertex_count;
    ruga_vec3 *positions = malloc(2 * n * sizeof *positions);
    uint32_t *triangles = malloc(6 * outer->triangle_count * sizeof *triangles);
    ruga_mesh *lined = NULL;
    for (size_t v = 0; v < 2 * n; v++) positions[v] = outer->positions[v % n];
    for (size_t t = 0; t < outer->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            triangles[3 * t + k] = outer->triangles[3 * t + k];
            triangles[3 * (outer->triangle_count + t) + k] = (uint32_t)n + outer->triangles[3 * t + 2 - k];
        }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, 2 * n, 0, RUGA_F64};
    def.face_count = 2 * outer->triangle_count;
    def.face_vertices = triangles;
    assert_ok(context, ruga_mesh_create(context, &def, &lined));
    free(positions);
    free(triangles);
    return lined;
}

/* OBJ to GLB to PLY to OBJ: vertices and triangles are as many as before, and come in the same order. */
static void assert_chain_keeps_counts(const ruga_mesh *mesh, const char *name) {
    static const ruga_format formats[] = {RUGA_FORMAT_OBJ, RUGA_FORMAT_GLB, RUGA_FORMAT_PLY, RUGA_FORMAT_OBJ,
                                          RUGA_FORMAT_GLTF};
    static const char *const names[] = {"a.obj", "a.glb", "a.ply", "a.obj", "a.gltf"};
    const ruga_mesh *now = mesh;
    for (int i = 0; i < 5; i++) {
        ruga_mesh *next = write_and_read(now, formats[i], names[i]);
        fail_if(next->vertex_count != mesh->vertex_count || next->triangle_count != mesh->triangle_count,
                "%s: %zu vertices and %zu triangles became %zu and %zu in %s", name, mesh->vertex_count,
                mesh->triangle_count, next->vertex_count, next->triangle_count, names[i]);
        for (size_t v = 0; v < mesh->vertex_count; v++)
            assert_less_case(vec3_distance(mesh->positions[v], next->positions[v]), 1e-4, "%s in %s", name, names[i]);
        if (now != mesh) ruga_mesh_destroy((ruga_mesh *)(uintptr_t)now);
        now = next;
    }
    ruga_mesh_destroy((ruga_mesh *)(uintptr_t)now);
}

static void every_chain_keeps_its_counts(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    size_t chains = 0;
    for (size_t i = 0; i < ruga_model_count(); i++) {
        const char *name = ruga_model_get(i)->name;
        /* Those take seconds to make, and are surfaces like the others. */
        if (strcmp(name, "mannequin") == 0 || strcmp(name, "bust") == 0 || strcmp(name, "head") == 0 ||
            strcmp(name, "skull") == 0)
            continue;
        ruga_mesh *mesh = NULL;
        assert_ok(context, ruga_model_make(context, name, NULL, &mesh));
        if (mesh->triangle_count > 0 && mesh->tet_count == 0 && mesh->vertex_count < 3000) {
            ruga_mesh *lined = make_lined(context, mesh);
            assert_chain_keeps_counts(mesh, name);
            assert_chain_keeps_counts(lined, name);
            ruga_mesh_destroy(lined);
            chains++;
        }
        ruga_mesh_destroy(mesh);
    }
    assert_ran(chains, 8);
    ruga_context_destroy(context);
}

static void directions_turn_with_the_axes(void **state) {
    (void)state;
    const double position[3] = {1, 2, 3}, normal64[3] = {1, 2, 3};
    const float normal32[3] = {1, 2, 3}, tangent[4] = {1, 2, 3, -1};
    ruga_context *context = context_plain(1);
    for (int is_double = 0; is_double < 2; is_double++) {
        const ruga_attribute attributes[2] = {
            {"normal", RUGA_DOMAIN_VERTEX, is_double ? RUGA_F64 : RUGA_F32, 3, 0, 1,
             is_double ? (const void *)normal64 : normal32, NULL, 0, NULL},
            {"tangent", RUGA_DOMAIN_VERTEX, RUGA_F32, 4, 0, 1, tangent, NULL, 0, NULL}};
        ruga_mesh_def def = ruga_mesh_def_default();
        def.positions = (ruga_view){(void *)(uintptr_t)position, 1, 0, RUGA_F64};
        def.attribute_count = 2;
        def.attributes = attributes;
        ruga_mesh *mesh = NULL, *raw = NULL, *back = NULL;
        assert_ok(context, ruga_mesh_create(context, &def, &mesh));
        ruga_file_def ply = ruga_file_def_default();
        ply.format = RUGA_FORMAT_PLY;
        ply.up = RUGA_AXIS_Z;
        void *bytes;
        size_t size;
        assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &ply, &bytes, &size));
        assert_ok(context, ruga_mesh_read_memory(context, "a.ply", bytes, size, NULL, &raw));
        assert_ok(context, ruga_mesh_read_memory(context, "a.ply", bytes, size, &ply, &back));
        for (size_t i = 0; i < 2; i++) {
            const ruga_attribute *a = find(raw, &attributes[i]); /* z up: (x, -z, y) */
            assert_equal_case(ruga_attribute_get(a, 0, 0), 1, "is_double %d, i %zu", is_double, i);
            assert_equal_case(ruga_attribute_get(a, 0, 1), -3, "is_double %d, i %zu", is_double, i);
            assert_equal_case(ruga_attribute_get(a, 0, 2), 2, "is_double %d, i %zu", is_double, i);
            assert_same_attribute(mesh, &mesh->attributes[i], find(back, &attributes[i]));
        }
        ruga_free(context, bytes);
        ruga_mesh_destroy(back);
        ruga_mesh_destroy(raw);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_keeps_everything_in_every_encoding),
        cmocka_unit_test(obj_keeps_what_it_can_hold),
        cmocka_unit_test(writing_is_a_fixed_point),
        cmocka_unit_test(meshes_of_any_size_come_back),
        cmocka_unit_test(tets_come_back_from_ply),
        cmocka_unit_test(meshes_without_faces_come_back),
        cmocka_unit_test(a_frame_replaces_what_it_has),
        cmocka_unit_test(units_and_axes_are_converted_at_the_door),
        cmocka_unit_test(every_format_leads_to_every_other),
        cmocka_unit_test(every_chain_keeps_its_counts),
        cmocka_unit_test(directions_turn_with_the_axes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove();
    return failed;
}
