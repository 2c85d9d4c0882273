/* Muscles of a lattice in scenes: blend shapes in files become activations. */
#include <math.h>
#include <stdio.h>

#include "support/support.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static const char both_keys[] = ", \"keys\": [{\"time\": 0, \"activation\": 0}, {\"time\": 0.4, \"activation\": 0.5}]";

/* A bar that is held at one end, with a muscle below and one above the middle; `above` goes into the latter. */
static ruga_description *describe(const char *above, const char *lattice) {
    char text[2000];
    ruga_description *d = NULL;
    snprintf(text, sizeof text,
             "{\"time\": {\"frames\": 20, \"fps\": 24, \"substeps\": 2}, \"gravity\": [0, 0, 0],\n"
             " \"objects\": [{\"name\": \"bar\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.6, \"cells\": 6, "
             "\"cells_across\": 2},\n"
             "   \"body\": {\"kind\": \"lattice\", \"spacing\": 0.2, \"young\": 10000, \"integrator\": "
             "\"quasistatic\",\n"
             "     \"pins\": [{\"kind\": \"fixed\", \"box_to\": [-0.29, 1, 1]}],\n"
             "     \"muscles\": [{\"box_from\": [-1, -1, -1], \"box_to\": [1, 0, 1], \"direction\": [1, 0, 0], "
             "\"stress\": 1500%s},\n"
             "                   {\"box_from\": [-1, 0, -1], \"box_to\": [1, 1, 1], \"direction\": [1, 0, 0], "
             "\"stress\": 1500%s}]%s}}]}",
             lattice[0] ? "" : ", \"keys\": [{\"time\": 0, \"activation\": 0}]", above, lattice);
    write_test_file(test_path("scene.json"), text, strlen(text));
    assert_ok(context, ruga_description_read(context, test_path("scene.json"), &d));
    return d;
}

static ruga_scene *run(const ruga_description *d) {
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    for (int k = 0; k < 30; k++) assert_ok(context, ruga_scene_step(scene));
    return scene;
}

/* One scene bends the bar by keys, and its last frame is a file; another reaches it by that file alone. */
static void a_shape_in_a_file_drives_the_muscles(void **state) {
    (void)state;
    ruga_description *d = describe(both_keys, "");
    ruga_scene *scene = run(d), *other = NULL;
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    const size_t n = frame->vertex_count;
    double found[2], residual = 1, worst = 0, moved = 0;
    assert_int_equal(ruga_scene_muscle_count(scene, 0), 2);
    assert_int_equal(ruga_scene_muscle_count(scene, 7), 0);
    assert_ok(context, ruga_scene_estimate_muscles(scene, 0, n, frame->positions, 1, found, &residual));
    assert_near(found[0], 0, 5e-3);
    assert_near(found[1], 0.5, 5e-3);
    assert_less(residual, 0.01);
    assert_status(ruga_scene_estimate_muscles(scene, 3, n, frame->positions, 1, found, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_scene_estimate_muscles(scene, 0, n, frame->positions, 0, found, NULL), RUGA_ERROR_ARGUMENT);
    assert_ok(context, ruga_mesh_write(ruga_scene_object_mesh(scene, 0), frame, test_path("bent.obj"), NULL));
    ruga_description *by_shape = describe("",
                                          ", \"shapes\": [{\"file\": \"bent.obj\", \"keys\": [{\"time\": 0, "
                                          "\"weight\": 0}, {\"time\": 0.4, \"weight\": 1}]}]");
    other = run(by_shape);
    const ruga_vec3 *a = ruga_scene_frame(scene, 0)->positions, *b = ruga_scene_frame(other, 0)->positions;
    const ruga_vec3 *rest = ruga_scene_object_mesh(scene, 0)->positions;
    for (size_t v = 0; v < n; v++) {
        worst = fmax(worst, hypot(hypot(a[v].x - b[v].x, a[v].y - b[v].y), a[v].z - b[v].z));
        moved = fmax(moved, hypot(a[v].x - rest[v].x, a[v].y - rest[v].y));
    }
    assert_less(0.01, moved);
    assert_less(worst, 0.01 * moved);
    ruga_scene_destroy(other);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    ruga_description_destroy(by_shape);
}

static void assert_check(const char *above, const char *lattice, const char *words) {
    ruga_description *d = describe(above, lattice);
    assert_true(RUGA_FAILED(ruga_description_check(d)));
    assert_message_has(context, words);
    ruga_description_destroy(d);
}

static void bad_shapes_are_refused(void **state) {
    (void)state;
    static const char key[] = "\"keys\": [{\"time\": 0, \"weight\": 1}]";
    char text[200];
    write_test_file(test_path("large.obj"), "v 0 0 0\n", 8);
    for (int k = 0; k < 100; k++) {
        FILE *file = fopen(test_path("large.obj"), "a");
        assert_non_null(file);
        fprintf(file, "v %d 1 0\n", k);
        if (k == 99) fprintf(file, "f 1 2 3\n");
        assert_int_equal(fclose(file), 0);
    }
    snprintf(text, sizeof text, ", \"shapes\": [{\"file\": \"large.obj\", %s}]", key);
    assert_check(both_keys, text, "the shape has 101 vertices, but the mesh has");
    snprintf(text, sizeof text, ", \"shapes\": [{\"file\": \"none.obj\", %s}]", key);
    assert_check(both_keys, text, "none.obj");
    assert_check("", "", "muscle 1 has no keys");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_in_a_file_drives_the_muscles),
        cmocka_unit_test(bad_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
