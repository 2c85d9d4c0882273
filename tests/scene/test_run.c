/* Runs: what a directory holds, and that it is what stepping the scene gives. */
#include "run_fixture.h"

#include <math.h>
#include <unistd.h>

static char first_path[512], second_path[512];

static int set_up(void **state) {
    (void)state;
    test_folder_remove();
    snprintf(first_path, sizeof first_path, "%s", test_path("first"));
    snprintf(second_path, sizeof second_path, "%s", test_path("second"));
    return 0;
}

/* ---- What is written. */

static void assert_frames_are_the_scenes(ruga_context *context, const ruga_description *d, size_t object,
                                         const char *mesh_path, const char *cache_path, const ruga_file_def *def) {
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_mesh_read(context, mesh_path, def, &mesh));
    assert_ok(context, ruga_motion_read(context, cache_path, mesh, def, &motion));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    assert_int_equal(mesh->vertex_count, ruga_scene_object_mesh(scene, object)->vertex_count);
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    for (int i = 0; i < FRAMES; i++) {
        assert_ok(context, ruga_scene_step(scene));
        const ruga_frame *frame = ruga_scene_frame(scene, object);
        assert_ok(context, ruga_motion_sample(motion, frame->time, positions));
        for (size_t k = 0; k < mesh->vertex_count; k++) {
            assert_true(fabs(positions[k].x - frame->positions[k].x) < 1e-5);
            assert_true(fabs(positions[k].y - frame->positions[k].y) < 1e-5);
            assert_true(fabs(positions[k].z - frame->positions[k].z) < 1e-5);
        }
    }
    free(positions);
    ruga_scene_destroy(scene);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

static void the_files_hold_the_scenes_frames(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, NULL);
    run_whole(context, d, first_path);
    ruga_run_record *record = NULL;
    assert_ok(context, ruga_run_record_read(context, first_path, &record));
    assert_int_equal(record->object_count, 2);
    assert_string_equal(record->objects[1].name, "box #1.2");
    assert_true(record->complete);
    assert_int_equal(record->frames_done, FRAMES);
    assert_int_equal(record->start_frame, 7);
    ruga_file_def def = ruga_file_def_default();
    def.unit = record->unit;
    def.up = (ruga_axis)record->up;
    def.rate = record->fps;
    assert_true(def.unit == 0.01 && def.up == RUGA_AXIS_Z && def.rate == 30);
    for (size_t i = 0; i < 2; i++)
        assert_frames_are_the_scenes(context, d, i, record->objects[i].mesh, record->objects[i].cache, &def);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_files_hold_the_scenes_frames, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
