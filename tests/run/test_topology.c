/* A run whose mesh changes while it runs: its checkpoints contain the topology, so it resumes with the same bits;
 * caches, which have one mesh for all frames, refuse it. */
#include "run_fixture.h"
#include "scene/scene.h"
#include "support/subdivided.h"

enum { CHANGED_AFTER = 2 }; /* frames */

/* Runs up to `stop` frames and changes the mesh of the first object in between. */
static ruga_status run_and_change(ruga_context *context, const ruga_description *d, const char *path, int stop,
                                  ruga_run **out) {
    assert_ok(context, ruga_run_create(context, d, path, 0, out));
    const ruga_mesh *mesh = ruga_scene_object_mesh(ruga_run_scene(*out), 0);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    ruga_status status = RUGA_OK;
    while (!RUGA_FAILED(status) && ruga_run_frames_done(*out) < stop) {
        status = ruga_run_next(*out);
        if (ruga_run_frames_done(*out) == CHANGED_AFTER && !RUGA_FAILED(status))
            status = world_rebuild(ruga_run_scene(*out)->world, 0, finer.mesh, finer.map);
    }
    fine_release(finer);
    return status;
}

static void a_run_whose_mesh_changed_resumes_with_the_same_bits(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    ruga_description *d = describe(context, "output.formats", "[\"obj\", \"ply\"]", "output.checkpoint", "1", NULL);
    char whole[512], stopped[512];
    snprintf(whole, sizeof whole, "%s", test_path("whole"));
    snprintf(stopped, sizeof stopped, "%s", test_path("stopped"));
    ruga_run *run = NULL;
    assert_ok(context, run_and_change(context, d, whole, FRAMES, &run));
    assert_true(ruga_run_is_done(run));
    ruga_run_destroy(run);

    /* Stopped after the change, and resumed from the checkpoint there. */
    for (int stop = CHANGED_AFTER + 1; stop < FRAMES; stop++) {
        assert_ok(context, run_and_change(context, d, stopped, stop, &run));
        ruga_run_destroy(run);
        resume_whole(context, stopped);
        assert_same_run(whole, stopped);
        remove_run(stopped);
    }
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void caches_refuse_a_mesh_that_changes_and_keep_the_frames_before(void **state) {
    (void)state;
    static const char *const formats[] = {"[\"pc2\"]", "[\"glb\", \"obj\"]", "[\"usda\"]"};
    static const char *const names[] = {"pc2", "glb", "usda"};
    for (size_t i = 0; i < 3; i++) {
        ruga_context *context = context_plain(1);
        ruga_description *d = describe(context, "output.formats", formats[i], NULL);
        const char *path = test_path(names[i]);
        ruga_run *run = NULL;
        assert_status(run_and_change(context, d, path, FRAMES, &run), RUGA_ERROR_UNSUPPORTED);
        assert_message_has(context, "object \"flag\": its mesh changes at frame 9");
        assert_message_has(context, "\"obj\" or \"ply\"");
        assert_int_equal(ruga_run_frames_done(run), CHANGED_AFTER);
        ruga_run_destroy(run);
        ruga_description_destroy(d);
        ruga_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_whose_mesh_changed_resumes_with_the_same_bits),
        cmocka_unit_test(caches_refuse_a_mesh_that_changes_and_keep_the_frames_before),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
