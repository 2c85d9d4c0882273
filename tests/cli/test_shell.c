/* ruga shell: an animated body in, its wrinkled skin out, and the report. */
#include <math.h>

#include "support/ruga_command.h"

static ruga_context *context;

enum { FRAMES = 4 };

/* sheet.obj at rest, 0.4 m wide, and press.pc2: pressed together along x by 1 % in the end. */
static int set_up(void **state) {
    (void)state;
    ruga_mesh *mesh = NULL;
    ruga_motion_writer *writer = NULL;
    ruga_file_def def = ruga_file_def_default();
    static ruga_vec3 positions[4096];
    context = context_plain(1);
    assert_ruga(0, NULL, "make sheet --width 0.4 --length 0.2 --columns 40 --rows 20 -o sheet.obj -q");
    assert_ok(context, ruga_mesh_read(context, test_path("sheet.obj"), NULL, &mesh));
    assert_at_most(mesh->vertex_count, 4096);
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("press.pc2"), &def, &writer));
    for (int f = 0; f < FRAMES; f++) {
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            positions[v] = mesh->positions[v];
            positions[v].x *= 1 - 0.01 * f / (FRAMES - 1);
        }
        const ruga_frame frame = {.time = f / 24.0, .vertex_count = mesh->vertex_count, .positions = positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(context);
    return tear_down_test_folder(state);
}

static void a_pressed_sheet_wrinkles_and_the_report_has_its_wavelength(void **state) {
    (void)state;
    json_document *d = ruga_json(context, 0, "shell sheet.obj --cache press.pc2 --wavelength 0.1 -o skin.pc2 -q");
    assert_near(json_number_at(d, "wavelength"), 0.1, 1e-9);
    assert_near(json_number_at(d, "wanted_edge"), 0.01, 1e-9);
    assert_near(json_number_at(d, "frames"), FRAMES, 0);
    assert_less(4, json_number_at(d, "clusters"));
    assert_less(1e-4, json_number_at(d, "amplitude"));
    json_destroy(d);
    outcome o = open_outcome(context, "skin.obj", "skin.pc2");
    double high = 0;
    assert_ok(context, ruga_motion_sample(o.motion, (FRAMES - 1) / 24.0, o.positions));
    for (size_t v = 0; v < o.mesh->vertex_count; v++) high = fmax(high, fabs(o.positions[v].y));
    assert_less(1e-4, high);
    close_outcome(&o);
}

/* Loop's rounds for display: four times the triangles, UVs carried, and the waves stay. */
static void a_smoothed_skin_has_finer_triangles(void **state) {
    (void)state;
    json_document *d =
        ruga_json(context, 0, "shell sheet.obj --cache press.pc2 --wavelength 0.1 --smooth 1 -o smooth.pc2 -q");
    assert_near(json_number_at(d, "wavelength"), 0.1, 1e-9);
    json_destroy(d);
    outcome plain = open_outcome(context, "skin.obj", "skin.pc2"),
            o = open_outcome(context, "smooth.obj", "smooth.pc2");
    assert_int_equal(o.mesh->triangle_count, 4 * plain.mesh->triangle_count);
    assert_non_null(ruga_mesh_attribute(o.mesh, "uv", RUGA_DOMAIN_CORNER));
    double highs[2] = {0, 0};
    assert_ok(context, ruga_motion_sample(plain.motion, (FRAMES - 1) / 24.0, plain.positions));
    assert_ok(context, ruga_motion_sample(o.motion, (FRAMES - 1) / 24.0, o.positions));
    for (size_t v = 0; v < plain.mesh->vertex_count; v++) highs[0] = fmax(highs[0], fabs(plain.positions[v].y));
    for (size_t v = 0; v < o.mesh->vertex_count; v++) highs[1] = fmax(highs[1], fabs(o.positions[v].y));
    assert_near(highs[1] / highs[0], 0.95, 0.05);
    close_outcome(&plain);
    close_outcome(&o);
}

static void bad_words_and_skins_are_reported(void **state) {
    (void)state;
    assert_ruga(2, "expected one body", "shell -o out.glb -q");
    assert_ruga(2, "give the output", "shell sheet.obj -q");
    assert_ruga(3, "it has no motion", "shell sheet.obj -o out.glb -q");
    assert_ruga(2, "thickness", "shell sheet.obj --cache press.pc2 --thickness 0 -o out.pc2 -q");
    assert_ruga(2, "from 0 to 0.499, not '0.5'", "shell sheet.obj --cache press.pc2 --poisson 0.5 -o out.pc2 -q");
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 2 0 0\nf 1 3 2\nf 1 2 4\n";
    write_test_file(test_path("flat_0001.obj"), flat, sizeof flat - 1);
    write_test_file(test_path("flat_0002.obj"), flat, sizeof flat - 1);
    command_result r = ruga_run("shell flat_0001.obj --cache flat_####.obj --wavelength 3 -o out.pc2");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "1 triangle has no area at rest and is left out: face 1"));
    command_release(&r);
    assert_ruga(2, "skin", "shell sheet.obj --cache press.pc2 --skin cork -o out.pc2 -q");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pressed_sheet_wrinkles_and_the_report_has_its_wavelength),
        cmocka_unit_test(a_smoothed_skin_has_finer_triangles),
        cmocka_unit_test(bad_words_and_skins_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
