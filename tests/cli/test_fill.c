/* ruga fill: tets in files, the report, and surfaces that can't be filled. */
#include <math.h>
#include <stdio.h>

#include "support/ruga_command.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL, "make sphere -q -o ball.obj");
    assert_ruga(0, NULL, "make sheet -q -o sheet.obj");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static void files_hold_the_tets_of_the_report(void **state) {
    (void)state;
    static const char *const names[] = {"flesh.msh", "flesh.mesh", "flesh.node"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char line[200];
        snprintf(line, sizeof line, "fill ball.obj --spacing 0.1 -o %s", names[k]);
        json_document *report = ruga_json(context, 0, "%s", line);
        ruga_mesh *mesh = NULL;
        assert_ok(context, ruga_mesh_read(context, test_path(names[k]), NULL, &mesh));
        assert_int_equal((int)json_number_at(report, "tets"), (int)mesh->tet_count);
        assert_int_equal((int)json_number_at(report, "vertices"), (int)mesh->vertex_count);
        ruga_mesh_summary summary;
        assert_ok(context, ruga_mesh_summarise(mesh, &summary));
        assert_near(summary.volume, json_number_at(report, "volume"), 1e-6);
        assert_near(json_number_at(report, "volume"), json_number_at(report, "surface_volume"), 0.02);
        assert_less(10.6, json_number_at(report, "least_angle"));
        assert_less(json_number_at(report, "most_angle"), 164.8);
        assert_near(json_number_at(report, "pieces"), 1, 0);
        assert_near(json_number_at(report, "spacing"), 0.1, 0);
        ruga_mesh_destroy(mesh);
        json_destroy(report);
    }
}

static void units_are_kept(void **state) {
    (void)state;
    json_document *metres = ruga_json(context, 0, "fill ball.obj -o a.msh");
    json_document *millimetres = ruga_json(context, 0, "fill ball.obj --unit mm -o b.msh");
    assert_near(json_number_at(metres, "spacing"), 1000 * json_number_at(millimetres, "spacing"), 1e-9);
    assert_near(json_number_at(metres, "tets"), json_number_at(millimetres, "tets"), 0);
    json_destroy(metres);
    json_destroy(millimetres);
}

static void the_report_is_for_people(void **state) {
    (void)state;
    command_result text = ruga_run("fill ball.obj --spacing 0.1 -o flesh.msh");
    assert_int_equal(text.code, 0);
    static const char *const parts[] = {"tets: ", "dihedral angles from ",
                                        "volume: ", "memory: ", "written to flesh.msh"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) assert_non_null(strstr(text.out, parts[k]));
    command_release(&text);
}

static void bad_surfaces_and_spacings_are_named(void **state) {
    (void)state;
    assert_ruga(3, "sheet.obj: the mesh encloses 0 m³ after its open borders (1) were closed",
                "fill sheet.obj --spacing 0.1 -o none.msh");
    assert_ruga(3, "is larger than the thinnest extent of the mesh", "fill ball.obj --spacing 5 -o none.msh");
    assert_ruga(3, "use a spacing of", "fill ball.obj --spacing 1e-6 -o none.msh");
    assert_ruga(3, "use a spacing of", "fill ball.obj --spacing 0.05 --most-tets 1000 -o none.msh");
    assert_ruga(3, "missing.obj", "fill missing.obj -o none.msh");
    assert_ruga(2, "--spacing", "fill ball.obj --spacing -1 -o none.msh");
    assert_ruga(2, "one file", "fill -o none.msh");
    assert_ruga(2, "-o OUT", "fill ball.obj");
    assert_false(test_file_exists(test_path("none.msh")));
}

static void open_borders_are_a_warning(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make cylinder -q -o tube.obj");
    assert_ruga(0, "2 open borders", "fill tube.obj --spacing 0.1 -o tube.msh");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_the_tets_of_the_report), cmocka_unit_test(units_are_kept),
        cmocka_unit_test(the_report_is_for_people),          cmocka_unit_test(bad_surfaces_and_spacings_are_named),
        cmocka_unit_test(open_borders_are_a_warning),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
