/* OBJ: every form of every statement, and an answer to everything that is wrong, with its line. */
#include "meshes.h"

static ruga_mesh *read_text(ruga_context *context, const char *text) {
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_mesh_read_memory(context, "skirt.obj", text, strlen(text), NULL, &mesh);
    fail_if(RUGA_FAILED(status), "%s", ruga_context_message(context));
    return mesh;
}

static void assert_refused(ruga_context *context, const char *text, const char *message) {
    ruga_mesh *mesh = NULL;
    assert_status(ruga_mesh_read_memory(context, "skirt.obj", text, strlen(text), NULL, &mesh), RUGA_ERROR_INPUT);
    assert_null(mesh);
    assert_message_has(context, message);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void faces_are_read_in_all_forms(void **state) {
    (void)state;
    static const char *const faces[] = {"f 1 2 3 4",
                                        "f 1/1 2/2 3/3 4/1",
                                        "f 1//1 2//1 3//1 4//1",
                                        "f 1/1/1 2/2/1 3/3/1 4/1/1",
                                        "f -4 -3 -2 -1",
                                        "f -4/-3/-1 -3/-2/-1 -2/-1/-1 -1/-3/-1",
                                        "f\t1 2\t3   4  ",
                                        "f 1 2 \\\n 3 4",
                                        "f 1 2 3 4 # a square"};
    static const uint32_t square[4] = {0, 1, 2, 3}, uvs[4] = {0, 1, 2, 0};
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++) {
        char text[300];
        snprintf(text, sizeof text, SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n%s", faces[i]);
        ruga_mesh *mesh = read_text(context, text);
        assert_int_equal(mesh->face_count, 1);
        assert_int_equal(mesh->triangle_count, 2);
        assert_memory_equal(mesh->face_vertices, square, sizeof square);
        const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
        assert_int_equal(uv->count, 3);
        const int has_uvs = i == 1 || i == 3 || i == 5;
        for (int k = 0; k < 4; k++) assert_int_equal(uv->indices[k], has_uvs ? uvs[k] : UINT32_MAX);
        const ruga_attribute *normal = ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_CORNER);
        const int has_normals = i == 2 || i == 3 || i == 5;
        for (int k = 0; k < 4; k++) assert_int_equal(normal->indices[k], has_normals ? 0 : UINT32_MAX);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* Corners with and without, fast forms and slow ones, large polygons, in any order. */
static void mixed_faces_keep_their_corners_apart(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = read_text(context, SQUARE
                                "vt 0 0\nvt 1 1\nvn 0 0 1\n"
                                "f 1 2 3\nf 1/1 2/2 3/1\nf 1//1 2 3/2\nf 4 3 2\nf 1/1/1 2/2/1 3/2/1\n"
                                "f 1 2 3 4 1 2 3 4 1 2 3 4\nf -1 -2 -3\n");
    const uint32_t none = UINT32_MAX;
    const uint32_t uvs[] = {none, none, none, 0, 1, 0, none, none, 1, none, none, none, 0, 1, 1};
    const uint32_t normals[] = {none, none, none, none, none, none, 0, none, none, none, none, none, 0, 0, 0};
    assert_int_equal(mesh->face_count, 7);
    assert_int_equal(mesh->corner_count, 30);
    assert_memory_equal(ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER)->indices, uvs, sizeof uvs);
    assert_memory_equal(ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_CORNER)->indices, normals, sizeof normals);
    assert_int_equal(ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER)->indices[29], none);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_face_may_name_vertices_that_follow(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = read_text(context, "f 1 2 3\n" SQUARE);
    assert_int_equal(mesh->triangles[2], 2);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void text_may_come_from_any_system(void **state) {
    (void)state;
    static const char *const texts[] = {
        SQUARE "f 1 2 3", "\xef\xbb\xbf" SQUARE "f 1 2 3\n", "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "# comment\n\n\n  v 0 0 0\n\tv 1 0 0 # here\nv 1 1 0\nv  0  1  0\n\nf 1 2 3\n\n",
        "v 0 0 \\\r\n0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 \\\n\\\n3"};
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ruga_mesh *mesh = read_text(context, texts[i]);
        assert_int_equal(mesh->vertex_count, 4);
        assert_int_equal(mesh->triangle_count, 1);
        assert_equal_case(mesh->positions[2].x, 1, "i %zu", i);
        assert_equal_case(mesh->positions[2].y, 1, "i %zu", i);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

static void groups_materials_and_libraries_have_names(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh =
        read_text(context, "mtllib a b.mtl\nmtllib c.mtl\n" SQUARE
                           "f 1 2 3\no thing\ng left  sleeve \nusemtl red\ns 4\nf 1 2 3\ns off\ng\nf 2 3 4\ng "
                           "body\nusemtl blue\nf 1 3 4\nusemtl red\nf 1 2 4\n");
    const ruga_attribute *group = ruga_mesh_attribute(mesh, "group", RUGA_DOMAIN_FACE);
    const ruga_attribute *material = ruga_mesh_attribute(mesh, "material", RUGA_DOMAIN_FACE);
    const ruga_attribute *smoothing = ruga_mesh_attribute(mesh, "smoothing", RUGA_DOMAIN_FACE);
    const ruga_attribute *library = ruga_mesh_attribute(mesh, "material_library", RUGA_DOMAIN_FACE);
    const int groups[5] = {-1, 0, -1, 1, 1}, materials[5] = {-1, 0, 0, 1, 0}, smooth[5] = {0, 4, 0, 0, 0};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal((int)ruga_attribute_get(group, i, 0), groups[i]);
        assert_int_equal((int)ruga_attribute_get(material, i, 0), materials[i]);
        assert_int_equal((int)ruga_attribute_get(smoothing, i, 0), smooth[i]);
    }
    assert_string_equal(group->labels[0], "left  sleeve");
    assert_string_equal(material->labels[1], "blue");
    assert_int_equal(library->label_count, 2);
    ruga_file_def def = ruga_file_def_default();
    def.format = RUGA_FORMAT_OBJ;
    void *bytes;
    size_t size;
    assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size));
    char *text = calloc(1, size + 1);
    memcpy(text, bytes, size);
    assert_non_null(strstr(text, "mtllib a b.mtl\nmtllib c.mtl\n"));
    assert_non_null(strstr(text, "g left  sleeve\nusemtl red\ns 4\nf 1 2 3\n"));
    free(text);
    ruga_free(context, bytes);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Thousands of names are found again. */
static void many_groups_stay_distinct(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    char *text = malloc(COUNT * 64), *at = text + sprintf(text, SQUARE);
    for (int i = 0; i < COUNT; i++) at += sprintf(at, "g part%d\nf 1 2 3\n", i % (COUNT / 2));
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = read_text(context, text);
    const ruga_attribute *group = ruga_mesh_attribute(mesh, "group", RUGA_DOMAIN_FACE);
    assert_int_equal(group->label_count, COUNT / 2);
    for (size_t i = 0; i < COUNT; i++) assert_int_equal((int)ruga_attribute_get(group, i, 0), i % (COUNT / 2));
    free(text);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void colours_follow_positions(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = read_text(context, "v 0 0 0\nv 1 0 0 0.25 0.5 0.75\nv 1 1 0 2\n");
    const ruga_attribute *colour = ruga_mesh_attribute(mesh, "colour", RUGA_DOMAIN_VERTEX);
    assert_int_equal(colour->components, 3);
    assert_equal(ruga_attribute_get(colour, 0, 0), 1);
    assert_equal(ruga_attribute_get(colour, 1, 2), 0.75);
    assert_equal(ruga_attribute_get(colour, 2, 1), 1);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void texture_coordinates_have_one_to_three_numbers(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = read_text(context, SQUARE "vt 0.5\nvt 0.25 0.5\nvt 1 2 0\nf 1/1 2/2 3/3\n");
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    assert_int_equal(uv->components, 2);
    assert_equal(ruga_attribute_get(uv, 0, 0), 0.5);
    assert_equal(ruga_attribute_get(uv, 0, 1), 0);
    ruga_mesh_destroy(mesh);
    mesh = read_text(context, SQUARE "vt 0.5 1\nvt 1 2 3\nvt 4 5\nf 1/1 2/2 3/3\n");
    uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    assert_int_equal(uv->components, 3);
    assert_equal(ruga_attribute_get(uv, 1, 2), 3);
    assert_equal(ruga_attribute_get(uv, 2, 2), 0);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

typedef struct log_counter {
    int infos, warnings;
    char last[400];
} log_counter;

static void count_log(void *user, ruga_log_level level, const char *message) {
    log_counter *counter = user;
    counter->infos += level == RUGA_LOG_INFO;
    counter->warnings += level == RUGA_LOG_WARNING;
    snprintf(counter->last, sizeof counter->last, "%s", message);
}

/* Every unknown statement is reported once; faces without area are left out and counted. */
static void unknown_statements_are_reported_and_left_out(void **state) {
    (void)state;
    static const char text[] = SQUARE
        "vp 1\nvp 2\ncurv 0 1\nvp 3\np 1 2\np 3\nf 1 2\nf 1\nf 1/2\nl 1\nf 1 2 3\nl 1 2/1 3\n"
        "trace_obj \\\n file\n";
    log_counter counter = {0};
    ruga_context_def def = ruga_context_def_default();
    def.log = count_log;
    def.log_user = &counter;
    ruga_context *context;
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    ruga_mesh *mesh = NULL;
    assert_refused(context, text, "skirt.obj:13: the face refers to texture coordinate 2, but the file has 0");
    char *harmless = malloc(sizeof text);
    memcpy(harmless, text, sizeof text);
    *strstr(harmless, "/2\n") = '\n';
    *strstr(harmless, "2\nl 1\n") = '\n';
    *strstr(harmless, "/1") = ' ';
    counter = (log_counter){0};
    assert_status(ruga_mesh_read_memory(context, "skirt.obj", harmless, strlen(harmless), NULL, &mesh),
                  RUGA_WARNING_INPUT);
    assert_int_equal(counter.infos, 4); /* vp, curv, trace_obj, points */
    assert_int_equal(counter.warnings, 1);
    assert_non_null(strstr(counter.last, "4 faces with fewer than 3 vertices"));
    assert_int_equal(mesh->face_count, 1);
    assert_int_equal(mesh->line_count, 1);
    ruga_mesh_destroy(mesh);
    free(harmless);
    ruga_context_destroy(context);
}

static void errors_are_reported_with_their_line(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {SQUARE "\n\nf 1 2 90\n", "skirt.obj:7: the face refers to vertex 90, but the file has 4"},
        {SQUARE "f 0 1 2", "skirt.obj:5: the face refers to vertex 0, but they are counted from 1"},
        {SQUARE "f 1 2 00000000\n# room for eight bytes, room for eight bytes\n", "counted from 1"},
        {SQUARE "f -5 1 2", "skirt.obj:5: the face refers to vertex -5, but only 4 come before it"},
        {SQUARE "f -0 1 2", "the face refers to vertex -0"},
        {SQUARE "f 1 2 99999999999999999999", "beyond 2^32"},
        {SQUARE "f 1 2 4294967295", "beyond 2^32"},
        {SQUARE "f 1 2 x", "skirt.obj:5: expected the number of a vertex, but found \"x\""},
        {SQUARE "f 1 2 3x", "expected a blank after a corner"},
        {SQUARE "f 1 2 3/1/1/1", "expected a blank after a corner"},
        {SQUARE "l 1 9", "skirt.obj:5: the line refers to vertex 9, but the file has 4"},
        {"v 1 2\n", "skirt.obj:1: 2 numbers, but at least 3 are needed"},
        {"v 1 2 3 4 5 6 7 8\n", "more than 7 numbers"},
        {"v 1 2 three\n", "skirt.obj:1: expected a number, but found \"three\""},
        {"v 1 2 3z\n", "expected a number"},
        {"v 1 2 1e400\n", "skirt.obj:1: expected a finite number, but found \"1e400\""},
        {"v 0 0 0\nv nan 2 1\n", "skirt.obj:2: expected a finite number, but found \"nan\""},
        {"v 1 -inf 1\n", "expected a finite number"},
        {"vn 1 2\n", "at least 3"},
        {"vn 1 2 3 4\n", "more than 3 numbers"},
        {"vt\n", "at least 1"},
        {"vt 1 2 3 4\n", "more than 3 numbers"},
        {SQUARE "s two\nf 1 2 3\n", "skirt.obj:5: smoothing group \"two\" is neither a number nor off"},
        {SQUARE "f 1 2 \\3\n", "expected the number of a vertex"},
    };
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_refused(context, cases[i][0], cases[i][1]);
    ruga_context_destroy(context);
}

/* Vertices and faces are whole, so the file is read without the normals, and the first wrong line is named. */
static void wrong_normals_cost_the_normals_alone(void **state) {
    (void)state;
    static const char *const faces[] = {"f 1//1 2//1 3//9\nf 1 3 4\n", "f 1//0 2//1 3//1\nf 1 3 4\n",
                                        "f 1//-2 2//1 3//1\nf 1 3 4\n",
                                        "f 1//1 2//1 3//9\nf 1 3 4\n# room for forty bytes, room for forty bytes\n"};
    log_counter counter = {0};
    ruga_context_def def = ruga_context_def_default();
    def.log = count_log;
    def.log_user = &counter;
    ruga_context *context = NULL;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++) {
        char text[400];
        ruga_mesh *mesh = NULL;
        snprintf(text, sizeof text, SQUARE "vn 0 0 1\n%s", faces[i]);
        assert_status(ruga_mesh_read_memory(context, "skirt.obj", text, strlen(text), NULL, &mesh), RUGA_WARNING_INPUT);
        assert_int_equal(mesh->vertex_count, 4);
        assert_int_equal(mesh->face_count, 2);
        assert_null(ruga_mesh_attribute(mesh, "normal", RUGA_DOMAIN_CORNER));
        assert_non_null(strstr(counter.last, "skirt.obj:6: the face refers to a normal that the file does not have"));
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* Numbers that are not finite have no place in the format. */
static void writing_refuses_what_could_not_be_read(void **state) {
    (void)state;
    const double positions[3] = {0, NAN, 0};
    const double uvs[2] = {INFINITY, 0};
    const ruga_attribute uv = {"uv", RUGA_DOMAIN_VERTEX, RUGA_F64, 2, 0, 1, uvs, NULL, 0, NULL};
    ruga_context *context = context_plain(1);
    ruga_file_def obj = ruga_file_def_default();
    obj.format = RUGA_FORMAT_OBJ;
    void *bytes;
    size_t size;
    for (int i = 0; i < 2; i++) {
        const double zero[3] = {0, 0, 0};
        ruga_mesh_def def = ruga_mesh_def_default();
        def.positions = (ruga_view){(void *)(uintptr_t)(i ? zero : positions), 1, 0, RUGA_F64};
        def.attribute_count = (size_t)i;
        def.attributes = &uv;
        ruga_mesh *mesh = NULL;
        assert_ok(context, ruga_mesh_create(context, &def, &mesh));
        assert_status(ruga_mesh_write_memory(mesh, NULL, &obj, &bytes, &size), RUGA_ERROR_INPUT);
        assert_message_has(context, i ? "not finite" : "vertex 0 is at (0, nan, 0) m");
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* Attributes of vertices serve where those of corners are missing; labels may be absent, names may be odd. */
static void attributes_of_vertices_are_written_too(void **state) {
    (void)state;
    const double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangle[3] = {2, 1, 0}, shared[3] = {0, UINT32_MAX, 0};
    const float uvs[6] = {0.1f, 0, 1, 0, 0, 1};
    const double normal[3] = {0, 0, 1};
    const int32_t group = 7, material = 0;
    const char *const label[1] = {"two\nlines"};
    const ruga_attribute attributes[4] = {{"uv", RUGA_DOMAIN_VERTEX, RUGA_F32, 2, 0, 3, uvs, NULL, 0, NULL},
                                          {"normal", RUGA_DOMAIN_VERTEX, RUGA_F64, 3, 0, 1, normal, shared, 0, NULL},
                                          {"group", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 1, &group, NULL, 0, NULL},
                                          {"material", RUGA_DOMAIN_FACE, RUGA_I32, 1, 0, 1, &material, NULL, 1, label}};
    ruga_context *context = context_plain(1);
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, 3, 0, RUGA_F64};
    def.face_count = 1;
    def.face_vertices = triangle;
    def.attribute_count = 4;
    def.attributes = attributes;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    ruga_file_def obj = ruga_file_def_default();
    obj.format = RUGA_FORMAT_OBJ;
    void *bytes;
    size_t size;
    assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &obj, &bytes, &size));
    static const char expected[] =
        "# written by Ruga\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.1 0\nvt 1 0\nvt 0 1\nvn 0 0 1\n"
        "g 7\nusemtl two lines\nf 3/3/1 2/2 1/1/1\n";
    assert_int_equal(size, sizeof expected - 1);
    assert_memory_equal(bytes, expected, size);
    ruga_free(context, bytes);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* It would continue the line, and the face after it would be lost. */
static void a_name_may_end_in_a_backslash(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = read_text(context, "mtllib c:\\ \nusemtl back\\ \n" SQUARE "f 1 2 3 4\n"), *copy = NULL;
    ruga_file_def def = ruga_file_def_default();
    def.format = RUGA_FORMAT_OBJ;
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size));
    assert_ok(context, ruga_mesh_read_memory(context, "again.obj", bytes, size, NULL, &copy));
    assert_same_positions(mesh, copy);
    assert_same_faces(mesh, copy);
    const ruga_attribute *material = ruga_mesh_attribute(copy, "material", RUGA_DOMAIN_FACE);
    assert_non_null(material);
    assert_string_equal(material->labels[0], "back\\");
    ruga_free(context, bytes);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(copy);
    ruga_context_destroy(context);
}

/* The writer keeps the last text of each column: it must not take -0 for 0, or a number of another column. */
static void numbers_that_repeat_are_written_each_time(void **state) {
    (void)state;
    static const char lines[] =
        "v 0.1 -0 2\nv 0.1 0 2\nv 2 0 0.1\nv 2 0.25 0.1\nv 0.1 0.25 2\n"
        "vt 0.1 0.25\nvt 0.1 0.5\nvt 0.25 0.5\n";
    ruga_context *context = context_plain(1);
    char text[300];
    snprintf(text, sizeof text, "%sf 1/1 2/2 3/3\nf 1/1 4/2 5/3\n", lines);
    ruga_mesh *mesh = read_text(context, text);
    ruga_file_def def = ruga_file_def_default();
    def.format = RUGA_FORMAT_OBJ;
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(context, ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size));
    char *written = calloc(size + 1, 1);
    assert_non_null(written);
    memcpy(written, bytes, size);
    assert_non_null(strstr(written, lines));
    free(written);
    ruga_free(context, bytes);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_read_in_all_forms),
        cmocka_unit_test(mixed_faces_keep_their_corners_apart),
        cmocka_unit_test(a_face_may_name_vertices_that_follow),
        cmocka_unit_test(text_may_come_from_any_system),
        cmocka_unit_test(groups_materials_and_libraries_have_names),
        cmocka_unit_test(many_groups_stay_distinct),
        cmocka_unit_test(colours_follow_positions),
        cmocka_unit_test(texture_coordinates_have_one_to_three_numbers),
        cmocka_unit_test(unknown_statements_are_reported_and_left_out),
        cmocka_unit_test(errors_are_reported_with_their_line),
        cmocka_unit_test(wrong_normals_cost_the_normals_alone),
        cmocka_unit_test(writing_refuses_what_could_not_be_read),
        cmocka_unit_test(attributes_of_vertices_are_written_too),
        cmocka_unit_test(a_name_may_end_in_a_backslash),
        cmocka_unit_test(numbers_that_repeat_are_written_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
