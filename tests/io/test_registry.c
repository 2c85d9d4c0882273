/* Which format a name has, and what the registry refuses before a file is touched. */
#include "io/io.h"
#include "meshes.h"

static void endings_and_names_lead_to_formats(void **state) {
    (void)state;
    static const struct {
        const char *path;
        ruga_format format;
    } cases[] = {{"a.obj", RUGA_FORMAT_OBJ},     {"a/b.PLY", RUGA_FORMAT_PLY},  {"x.y.glb", RUGA_FORMAT_GLB},
                 {"a.gltf", RUGA_FORMAT_GLTF},   {"a.pc2", RUGA_FORMAT_PC2},    {"a.Mdd", RUGA_FORMAT_MDD},
                 {"a.usdA", RUGA_FORMAT_USDA},   {"a.msh", RUGA_FORMAT_MSH},    {"a.mesh", RUGA_FORMAT_MEDIT},
                 {"a.node", RUGA_FORMAT_TETGEN}, {"a.ele", RUGA_FORMAT_TETGEN}, {"a.txt", RUGA_FORMAT_AUTO},
                 {"obj", RUGA_FORMAT_AUTO},      {".obj", RUGA_FORMAT_AUTO},    {"", RUGA_FORMAT_AUTO}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(ruga_format_from_path(cases[i].path), cases[i].format);
    assert_int_equal(ruga_format_from_path(NULL), RUGA_FORMAT_AUTO);
    for (int format = RUGA_FORMAT_OBJ; format <= RUGA_FORMAT_TETGEN; format++)
        assert_int_equal(ruga_format_from_name(ruga_format_name((ruga_format)format)), format);
    assert_string_equal(ruga_format_name(RUGA_FORMAT_AUTO), "auto");
    assert_int_equal(ruga_format_from_name("what"), RUGA_FORMAT_AUTO);
    assert_int_equal(ruga_format_from_name(NULL), RUGA_FORMAT_AUTO);
}

static void a_def_that_makes_no_sense_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 12; i++) {
        ruga_file_def def = ruga_file_def_default();
        if (i == 0) def.cookie = 0;
        if (i == 1) def.unit = 0;
        if (i == 2) def.unit = -1;
        if (i == 3) def.unit = NAN;
        if (i == 4) def.unit = INFINITY;
        if (i == 5) def.unit = 1e-320; /* its inverse is infinite */
        if (i == 6) def.up = (ruga_axis)3;
        if (i == 7) def.rate = 0;
        if (i == 8) def.rate = INFINITY;
        if (i == 9) def.start = NAN;
        if (i == 10) def.format = (ruga_format)99;
        if (i == 11) def.up = (ruga_axis)-1;
        ruga_mesh *mesh = NULL;
        assert_status(ruga_mesh_read_memory(context, "a.obj", "", 0, &def, &mesh), RUGA_ERROR_ARGUMENT);
        assert_status(ruga_mesh_read(context, "a.obj", &def, &mesh), RUGA_ERROR_ARGUMENT);
        assert_less_case(10, strlen(ruga_context_message(context)), "i %d", i);
    }
    ruga_context_destroy(context);
}

static void arguments_that_are_missing_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_strip(context, 1), *out = NULL;
    ruga_file_def def = ruga_file_def_default();
    void *bytes;
    size_t size;
    char *text;
    assert_status(ruga_mesh_read(context, NULL, NULL, &out), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_read(context, "a.obj", NULL, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_read(context, "a.what", NULL, &out), RUGA_ERROR_INPUT);
    assert_message_has(context, "a.what: unknown file format");
    assert_status(ruga_mesh_read_memory(context, NULL, "", 0, NULL, &out), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_read_memory(context, "a.obj", NULL, 3, NULL, &out), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_read_memory(context, "a.pc2", "", 0, NULL, &out), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "a point cache has positions but no mesh");
    assert_status(ruga_mesh_write(mesh, NULL, NULL, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_write(mesh, NULL, test_path("a.pc2"), NULL), RUGA_ERROR_ARGUMENT);
    assert_false(test_file_exists(test_path("a.pc2")));
    assert_status(ruga_mesh_write(mesh, NULL, "a.what", NULL), RUGA_ERROR_INPUT);
    assert_status(ruga_mesh_write_memory(mesh, NULL, NULL, &bytes, &size), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_file_list_meshes(context, NULL, &text), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_file_list_meshes(context, "a.obj", &text), RUGA_ERROR_UNSUPPORTED);
    assert_status(ruga_file_list_meshes(context, test_path("missing.glb"), &text), RUGA_ERROR_FILE);
    assert_status(ruga_file_list_names(context, NULL, NULL, 0, RUGA_FILE_JOINTS, &text), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_file_list_names(context, "a.glb", NULL, 0, RUGA_FILE_NAMES_COUNT, &text), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_file_list_names(context, "a.obj", NULL, 0, RUGA_FILE_JOINTS, &text), RUGA_ERROR_UNSUPPORTED);
    assert_status(ruga_file_list_names(context, test_path("missing.glb"), NULL, 0, RUGA_FILE_JOINTS, &text),
                  RUGA_ERROR_FILE);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* In and out again are inverse for every axis, and the up axis becomes y. */
static void conversions_are_inverse(void **state) {
    (void)state;
    static const ruga_vec3 ups[3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}; /* y, z, x */
    const ruga_vec3 p = {0.1, -0.2, 0.3};
    for (int up = 0; up < 3; up++) {
        ruga_file_def def = ruga_file_def_default();
        def.up = (ruga_axis)up;
        def.unit = 0.5;
        const io_conversion in = io_conversion_reading(&def), out = io_conversion_writing(&def);
        const ruga_vec3 back = io_convert_point_in(&in, io_convert_point_out(&out, p));
        assert_memory_equal(&back, &p, sizeof p);
        const ruga_vec3 turned = io_convert_direction_in(&in, ups[up]);
        assert_equal_case(turned.y, 1, "up %d", up);
        const ruga_vec3 origin = {0, 0, 0},
                        zeros[2] = {io_convert_point_in(&in, origin), io_convert_point_out(&out, origin)};
        assert_memory_equal(&zeros[0], &origin, sizeof origin); /* never -0, which text would show */
        assert_memory_equal(&zeros[1], &origin, sizeof origin);
    }
    assert_int_equal(io_conversion_reading(NULL).identity, 1);
}

/* A frame's attributes win over the mesh's; normals of another pose are left out. */
static void a_target_lists_what_is_to_be_written(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = make_rich_mesh(context);
    const ruga_vec3 normals[5] = {{0, 0, 1}};
    const ruga_attribute own = {"normal", RUGA_DOMAIN_VERTEX, RUGA_F64, 3, 0, 5, normals, NULL, 0, NULL};
    const ruga_frame frames[2] = {{.vertex_count = 5, .positions = mesh->positions},
                                  {.vertex_count = 5,
                                   .positions = mesh->positions,
                                   .normals = normals,
                                   .attribute_count = 1,
                                   .attributes = &own}};
    for (int i = 0; i < 2; i++) {
        const io_target target = {.context = context, .mesh = mesh, .frame = &frames[i]};
        ruga_attribute *list = NULL;
        size_t count = 0, named = 0;
        assert_ok(context, io_target_attributes(&target, &list, &count));
        for (size_t k = 0; k < count; k++) named += strcmp(list[k].name, "normal") == 0;
        assert_int_equal(named, i);
        assert_int_equal(count, mesh->attribute_count - 1 + (size_t)i);
        memory_release(context, list);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static int cancel(void *user, const char *stage, double fraction) {
    (void)stage;
    (void)fraction;
    ++*(int *)user;
    return 1;
}

static void reading_a_long_text_can_be_cancelled(void **state) {
    (void)state;
    int calls = 0;
    ruga_context_def def = ruga_context_def_default();
    def.progress = cancel;
    def.progress_user = &calls;
    ruga_context *context;
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    const size_t size = 200000;
    char *text = malloc(size);
    memset(text, '\n', size);
    ruga_mesh *mesh = NULL;
    assert_status(ruga_mesh_read_memory(context, "long.obj", text, size, NULL, &mesh), RUGA_ERROR_CANCELLED);
    assert_int_equal(calls, 1);
    free(text);
    ruga_context_destroy(context);
}

/* Notes the stages and cancels after so many calls. */
typedef struct progress_log {
    int calls, stop_after;
    double last;
    const char *stage;
} progress_log;

static int note_progress(void *user, const char *stage, double fraction) {
    progress_log *notes = user;
    assert_at_most(0, fraction);
    assert_at_most(fraction, 1);
    notes->last = fraction;
    notes->stage = stage;
    return ++notes->calls > notes->stop_after;
}

/* Over half a million vertices and faces in each format: progress is reported all along, and a cancelled file is not
 * there. */
static void long_files_report_progress_and_can_be_cancelled(void **state) {
    (void)state;
    skip_when_sanitized();
    static const char *const names[] = {"long.obj", "long.ply", "long_ascii.ply"};
    progress_log notes = {.stop_after = 1 << 20};
    ruga_context_def def = ruga_context_def_default();
    def.progress = note_progress;
    def.progress_user = &notes;
    ruga_context *context = NULL;
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    const double values[] = {1, 1, 500, 400, 0, 0, 0, 1};
    ruga_mesh *mesh = NULL, *copy = NULL;
    assert_ok(context, ruga_model_make(context, "sheet", values, &mesh));
    for (int i = 0; i < 3; i++) {
        const char *path = test_path(names[i]);
        ruga_file_def file_def = ruga_file_def_default();
        if (i == 2) file_def.format = RUGA_FORMAT_PLY_ASCII;
        notes = (progress_log){.stop_after = 2};
        assert_status(ruga_mesh_write(mesh, NULL, path, &file_def), RUGA_ERROR_CANCELLED);
        assert_string_equal(notes.stage, "writing");
        assert_int_equal(test_folder_entry_count(), 0);

        notes = (progress_log){.stop_after = 1 << 20};
        assert_ok(context, ruga_mesh_write(mesh, NULL, path, &file_def));
        assert_at_most_case(8, notes.calls, "i %d", i);
        assert_less_case(0.8, notes.last, "i %d", i);
        notes = (progress_log){.stop_after = 1 << 20};
        assert_ok(context, ruga_mesh_read(context, path, NULL, &copy));
        assert_string_equal(notes.stage, "reading");
        assert_at_most_case(4, notes.calls, "i %d", i);
        assert_less_case(0.8, notes.last, "i %d", i);
        ruga_mesh_destroy(copy);

        notes = (progress_log){.stop_after = 1};
        assert_status(ruga_mesh_read(context, path, NULL, &copy), RUGA_ERROR_CANCELLED);
        remove(path);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings_and_names_lead_to_formats),
        cmocka_unit_test(a_def_that_makes_no_sense_is_refused),
        cmocka_unit_test(arguments_that_are_missing_are_refused),
        cmocka_unit_test(conversions_are_inverse),
        cmocka_unit_test(a_target_lists_what_is_to_be_written),
        cmocka_unit_test(reading_a_long_text_can_be_cancelled),
        cmocka_unit_test(long_files_report_progress_and_can_be_cancelled),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove();
    return failed;
}
