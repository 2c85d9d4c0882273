/* Selectors on the command line, and which objects of a run `ruga intersections` checks. */
#include <stdio.h>

#include "support/ruga_command.h"

static ruga_context *context;

/* Two triangles that cross each other, as a body, and cloth above them. */
static const char crossed_obj[] =
    "v -1 0 -1\nv 1 0 -1\nv 0 0 1\nv 0 -1 -0.5\nv 0 1 -0.5\nv 0 0 0.5\ng flat\nf 1 2 3\ng upright\nf 4 5 6\n";
static const char scene_json[] =
    "{\"time\": {\"frames\": 2}, \"objects\": [{\"name\": \"crossed\", \"mesh\": \"crossed.obj\"}, "
    "{\"name\": \"cloth\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 4}, \"move\": [0, 9, 0], "
    "\"body\": \"cloth\"}]}";
static const char still_json[] =
    "{\"time\": {\"frames\": 2}, \"objects\": [{\"name\": \"crossed\", \"mesh\": \"crossed.obj\"}]}";

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    write_test_file(test_path("crossed.obj"), crossed_obj, sizeof crossed_obj - 1);
    write_test_file(test_path("scene.json"), scene_json, sizeof scene_json - 1);
    write_test_file(test_path("still.json"), still_json, sizeof still_json - 1);
    assert_ruga(0, NULL, "run scene.json -o scene.run -q");
    assert_ruga(0, NULL, "run still.json -o still.run -q");
    assert_ruga(0, NULL, "make arm --rings 12 --sectors 8 --action bend -o arm.glb -q");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static void assert_counts(const char *words, int code, int counted, int of_bodies) {
    json_document *found = ruga_json(context, code, "intersections %s", words);
    assert_equal_case(json_number_at(found, "intersections"), counted, "%s", words);
    assert_equal_case(json_number_at(found, "of_bodies_alone"), of_bodies, "%s", words);
    json_destroy(found);
}

static void a_run_is_checked_for_its_cloth(void **state) {
    (void)state;
    assert_counts("scene.run", 0, 0, 2);
    assert_counts("scene.run --bodies", 4, 2, 0);
    assert_counts("scene.run --frame 1", 0, 0, 1);
    /* Meshes that are named count, and so does a run without dynamics. */
    assert_counts("scene.run --mesh crossed", 4, 2, 0);
    assert_counts("scene.run --mesh cloth", 0, 0, 0);
    assert_counts("scene.run --mesh cloth --mesh crossed", 4, 2, 0);
    assert_counts("still.run", 4, 2, 0);
    assert_counts("crossed.obj", 4, 1, 0);
    assert_ruga(3, "scene.run: the run has no object 'clth'; it has crossed, cloth; did you mean 'cloth'?",
                "intersections scene.run --mesh clth");
    command_result text = ruga_run("intersections scene.run");
    assert_non_null(strstr(text.out, "not counted: 2 among bodies without dynamics; --bodies shows them\n"));
    command_release(&text);
}

static void info_measures_what_a_selector_chooses(void **state) {
    (void)state;
    json_document *info = ruga_json(context, 0, "info crossed.obj --select '!group:upright, vertex:3'");
    assert_string_equal(json_text_at(info, "selection.text"), "!group:upright | vertices:3");
    assert_equal(json_number_at(info, "selection.vertices"), 4);
    assert_equal(json_number_at(info, "selection.faces"), 1);
    assert_near(json_number_at(info, "selection.area"), 2, 1e-12);
    assert_equal(json_number_at(info, "selection.low.1"), -1);
    assert_equal(json_number_at(info, "selection.high.1"), 0);
    json_destroy(info);
    command_result text = ruga_run("info crossed.obj --select none");
    assert_int_equal(text.code, 0);
    assert_non_null(strstr(text.out, "    vertices    0 of 6\n"));
    assert_null(strstr(text.out, "inf"));
    command_release(&text);
    assert_ruga(
        2, "crossed.obj: selector \"group:flta\", column 1: the mesh has no group \"flta\"; did you mean \"flat\"?",
        "info crossed.obj --select group:flta");
    assert_ruga(2, "column 8", "info crossed.obj --select 'flat & '");
}

static void pictures_show_selectors(void **state) {
    (void)state;
    assert_ruga(0, NULL, "render crossed.obj --select group:flat --width 64 --height 64 -o selected.png -q");
    assert_true(test_file_exists(test_path("selected.png")));
    assert_ruga(2, "no joint \"x\"", "render crossed.obj --select joint:x -o bad.png");
    assert_ruga(2, "exclude each other", "render crossed.obj --select all --attribute y -o bad.png");
    assert_false(test_file_exists(test_path("bad.png")));
}

static void painted_options_take_selectors(void **state) {
    (void)state;
    json_document *all = ruga_json(context, 0, "wrinkle arm.glb --radius '!none' --frame 3 --subdivide 2 -o all.obj");
    json_document *none = ruga_json(context, 0, "wrinkle arm.glb --radius '!all' --frame 3 --subdivide 2 -o none.obj");
    json_document *some =
        ruga_json(context, 0, "wrinkle arm.glb --radius 'box:-,-,-,0,-,- & elbow' --frame 3 --subdivide 2 -o some.obj");
    assert_less(0, json_number_at(all, "least_radius"));
    assert_equal(json_number_at(all, "least_radius"), json_number_at(all, "greatest_radius"));
    assert_equal(json_number_at(none, "greatest_radius"), 0);
    assert_equal(json_number_at(some, "least_radius"), 0);
    assert_less(0, json_number_at(some, "greatest_radius"));
    json_destroy(all);
    json_destroy(none);
    json_destroy(some);
    assert_ruga(3, "column 1: the mesh has no joint", "wrinkle arm.glb --radius 'joint:Fore*' -o bad.glb");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_checked_for_its_cloth),
        cmocka_unit_test(info_measures_what_a_selector_chooses),
        cmocka_unit_test(pictures_show_selectors),
        cmocka_unit_test(painted_options_take_selectors),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
