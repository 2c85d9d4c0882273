/* ruga trace: lines of compression of a frame, which `ruga crease` then folds. */
#include <stdio.h>

#include "support/ruga_command.h"

static ruga_context *context;

/* A sheet of 1 m by 1 m, and a cache whose second frame has it 0.88 times as wide. */
static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL, "make sheet --columns 12 --rows 12 --triangulation 2 -q -o sheet.obj");
    ruga_mesh *mesh = NULL;
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("sheet.obj"), NULL, &mesh));
    ruga_vec3 *moved = malloc(mesh->vertex_count * sizeof *moved);
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("sheet.pc2"), NULL, &writer));
    for (int f = 0; f < 2; f++) {
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            moved[v] = mesh->positions[v];
            if (f) moved[v].x *= 0.88;
        }
        ruga_frame frame = {.time = f / 24.0, .vertex_count = mesh->vertex_count, .positions = moved};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    free(moved);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static void lines_of_a_frame_become_creases(void **state) {
    (void)state;
    json_document *json = ruga_json(
        context, 0, "trace sheet.obj --cache sheet.pc2 --frame 1 --separation 0.3 --shortest 0.8 -o lines.json");
    assert_string_equal(json_text_at(json, "lines.0.name"), "line 0");
    assert_near(json_number_at(json, "lines.0.length"), 1, 0.1);
    json_destroy(json);
    json = ruga_json(context, 0, "crease sheet.obj lines.json --angle 30 --frames 12 -o folded.ply");
    assert_near(json_number_at(json, "creases.0.length"), 1, 0.1);
    json_destroy(json);
}

static void a_frame_without_compression_is_an_error(void **state) {
    (void)state;
    assert_ruga(3, "no triangle is compressed by 2 %", "trace sheet.obj --cache sheet.pc2 --frame 0 -q -o never.json");
    assert_false(test_file_exists(test_path("never.json")));
}

static void mistakes_of_usage_are_named(void **state) {
    (void)state;
    assert_ruga(3, "it has no motion", "trace sheet.obj --frame 1 -o a.json");
    assert_ruga(2, "--frame or --time", "trace sheet.obj --cache sheet.pc2 -o a.json");
    assert_ruga(2, "-o lines.json", "trace sheet.obj --cache sheet.pc2 --frame 1");
    assert_ruga(2, "one mesh", "trace -o a.json");
    assert_ruga(3, "use the extension json, obj or svg\n",
                "trace sheet.obj --cache sheet.pc2 --frame 1 --separation 0.3 --shortest 0.8 -q -o a.png");
    assert_ruga(2, "--threshold", "trace sheet.obj --cache sheet.pc2 --frame 1 --threshold 3 -o a.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_frame_become_creases),
        cmocka_unit_test(a_frame_without_compression_is_an_error),
        cmocka_unit_test(mistakes_of_usage_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
