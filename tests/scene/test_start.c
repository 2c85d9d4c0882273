/* Scenes that begin as a run or a cache left an object. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "ruga/run.h"
#include "ruga/scene.h"
#include "support/shapes.h"

#define FALLING                                                                                                \
    "\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 3, \"rows\": 3}, \"body\": {\"kind\": " \
    "\"cloth\", \"drag\": 0, \"lift\": 0}"

static ruga_description *describe(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    write_test_file(test_path("scene.json"), text, strlen(text));
    assert_ok(context, ruga_description_read(context, test_path("scene.json"), &d));
    return d;
}

/* Free fall for some frames, into a directory. */
static void run_fall(ruga_context *context, const char *directory) {
    ruga_description *d = describe(context,
                                   "{\"time\": {\"fps\": 24, \"start_frame\": 5, \"frames\": 10, \"substeps\": 4}, "
                                   "\"objects\": [{" FALLING "}]}");
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, test_path(directory), 0, &run));
    while (!ruga_run_is_done(run)) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    ruga_description_destroy(d);
}

static ruga_scene *start_scene(ruga_context *context, const char *start) {
    char text[800];
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 24, \"substeps\": 4, \"frames\": 5}, \"objects\": [{" FALLING ", \"start\": %s}]}",
             start);
    ruga_description *d = describe(context, text);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static double height_in_run(ruga_context *context, const char *directory, size_t sample) {
    ruga_motion *motion = NULL;
    ruga_vec3 points[16];
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_run_mesh_read(context, test_path(directory), NULL, &mesh));
    assert_ok(context, ruga_run_motion_read(context, test_path(directory), NULL, mesh, &motion));
    assert_ok(context, ruga_motion_sample(motion, ruga_motion_sample_time(motion, sample), points));
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    return points[3].y;
}

/* A second run continues the first one's fall: the first frame is the last of the run, and the next is where a fall
 * with the velocity between the last two frames leads. */
static void a_fall_continues_where_a_run_ended(void **state) {
    ruga_context *context = *state;
    run_fall(context, "fall.run");
    const double last = height_in_run(context, "fall.run", 9), before = height_in_run(context, "fall.run", 8);
    assert_less(last, before);
    ruga_scene *scene = start_scene(context, "\"fall.run\"");
    assert_ok(context, ruga_scene_step(scene));
    assert_near(ruga_scene_frame(scene, 0)->positions[3].y, last, 1e-6);
    assert_ok(context, ruga_scene_step(scene));
    const double dt = 1.0 / 24, fall = 9.81 * dt * dt * (1 + 0.25) / 2; /* of four substeps */
    assert_near(ruga_scene_frame(scene, 0)->positions[3].y, last + (last - before) - fall, 2e-4);
    ruga_scene_destroy(scene);

    scene =
        start_scene(context, "{\"file\": \"fall.run\", \"object\": \"sheet\", \"frame\": 8, \"velocities\": false}");
    assert_ok(context, ruga_scene_step(scene));
    const double eighth = height_in_run(context, "fall.run", 3);
    assert_near(ruga_scene_frame(scene, 0)->positions[3].y, eighth, 1e-6);
    assert_ok(context, ruga_scene_step(scene));
    assert_near(ruga_scene_frame(scene, 0)->positions[3].y, eighth - fall, 2e-4);
    ruga_scene_destroy(scene);
}

static void a_cache_has_its_own_unit_and_axis(void **state) {
    ruga_context *context = *state;
    run_fall(context, "cached.run");
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_motion_writer *writer = NULL;
    ruga_vec3 points[16];
    assert_ok(context, ruga_run_mesh_read(context, test_path("cached.run"), NULL, &mesh));
    assert_ok(context, ruga_run_motion_read(context, test_path("cached.run"), NULL, mesh, &motion));
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.01;
    def.up = RUGA_AXIS_Z;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("cached.pc2"), &def, &writer));
    for (size_t f = 0; f < 10; f++) {
        assert_ok(context, ruga_motion_sample(motion, ruga_motion_sample_time(motion, f), points));
        ruga_frame frame = {.time = (double)f / 24, .vertex_count = 16, .positions = points};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_scene *scene =
        start_scene(context, "{\"file\": \"cached.pc2\", \"unit\": \"cm\", \"up\": \"z\", \"frame\": 9}");
    assert_ok(context, ruga_scene_step(scene));
    for (size_t i = 0; i < 16; i++)
        assert_less(vec3_distance(ruga_scene_frame(scene, 0)->positions[i], points[i]), 1e-6);
    ruga_scene_destroy(scene);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

static void assert_finding(ruga_context *context, const char *object, ruga_status status, const char *part) {
    char text[800];
    snprintf(text, sizeof text, "{\"objects\": [{%s}]}", object);
    ruga_description *d = describe(context, text);
    (void)ruga_description_check(d);
    assert_int_equal(ruga_description_finding_count(d), 1);
    const ruga_finding *finding = ruga_description_finding(d, 0);
    assert_int_equal(finding->status, status);
    fail_if(!strstr(finding->message, part), "\"%s\" is not in: %s", part, finding->message);
    ruga_description_destroy(d);
}

static void impossible_starts_are_reported(void **state) {
    ruga_context *context = *state;
    run_fall(context, "bad.run");
    assert_finding(context, FALLING ", \"start\": \"gone.run\"", RUGA_ERROR_INPUT, "gone.run: neither");
    assert_finding(context, FALLING ", \"start\": {\"file\": \"bad.run\", \"frame\": 4}", RUGA_ERROR_INPUT, "5 to 14");
    assert_finding(context, FALLING ", \"start\": {\"file\": \"bad.run\", \"frame\": 6.5}", RUGA_ERROR_INPUT,
                   "5 to 14");
    assert_finding(context, FALLING ", \"start\": {\"file\": \"bad.run\", \"object\": \"ball\"}", RUGA_ERROR_INPUT,
                   "ball");
    assert_finding(context,
                   "\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 3}, \"body\": "
                   "\"cloth\", \"start\": \"bad.run\"",
                   RUGA_ERROR_INPUT, "16");
    assert_finding(context, "\"name\": \"sheet\", \"mesh\": \"sheet\", \"start\": \"bad.run\"", RUGA_WARNING_INPUT,
                   "has no effect");
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    test_folder_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fall_continues_where_a_run_ended),
        cmocka_unit_test(a_cache_has_its_own_unit_and_axis),
        cmocka_unit_test(impossible_starts_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down);
}
