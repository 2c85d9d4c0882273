/* Files of a run that were damaged after they were written: resuming finds out, and ends with the right bits or with a
 * message that names the file. */
#include "run_fixture.h"

#include <unistd.h>

static char whole_path[512], damaged_path[512];

static int set_up(void **state) {
    (void)state;
    test_folder_remove();
    snprintf(whole_path, sizeof whole_path, "%s", test_path("whole"));
    snprintf(damaged_path, sizeof damaged_path, "%s", test_path("damaged"));
    return 0;
}

static const char *path_in(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", damaged_path, name);
    return path;
}

/* ---- Damages. */

enum { FLIPPED_BIT, FIRST_BYTE, CUT_SHORT, EMPTY, MISSING, LONGER, DAMAGES };

static void damage(const char *path, int kind) {
    size_t size;
    char *bytes = read_test_file(path, &size);
    fail_if(!bytes, "%s is missing", path);
    if (kind == FLIPPED_BIT) bytes[size / 2] ^= 16;
    if (kind == FIRST_BYTE) bytes[0] ^= 1;
    if (kind <= FIRST_BYTE) write_test_file(path, bytes, size);
    if (kind == CUT_SHORT) assert_int_equal(truncate(path, (off_t)size - 10), 0);
    if (kind == EMPTY) assert_int_equal(truncate(path, 0), 0);
    if (kind == MISSING) assert_int_equal(unlink(path), 0);
    if (kind == LONGER) assert_int_equal(truncate(path, (off_t)size + 3), 0);
    free(bytes);
}

static ruga_description *describe_all(ruga_context *context) {
    return describe(context, "output.formats", "[\"pc2\", \"obj\", \"ply\", \"glb\", \"usda\"]", NULL);
}

/* ---- Stopped runs. */

static void stop_after_four_frames(ruga_context *context) {
    ruga_description *d = describe_all(context);
    ruga_run *run = NULL;
    assert_ok(context, run_create(context, d, damaged_path, 0, &(run_habits){1000, SIZE_MAX}, &run));
    for (int i = 0; i < 4; i++) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    ruga_description_destroy(d);
}

static void a_stopped_run_with_damaged_files_ends_with_the_right_bits(void **state) {
    (void)state;
    static const char *const files[] = {"timings.csv",   "measures.csv",  "flag.obj",      "flag.pc2.part",
                                        "flag.0007.obj", "flag.0010.obj", "flag.0008.ply", "box__1_2.0009.ply"};
    ruga_context *context = context_plain(1);
    ruga_description *d = describe_all(context);
    int frames = -1, found = 0;
    run_whole(context, d, whole_path);
    ruga_description_destroy(d);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (int kind = 0; kind < DAMAGES; kind++) {
            stop_after_four_frames(context);
            assert_ok(context, ruga_run_verify(context, damaged_path, &frames));
            assert_int_equal(frames, 4);
            damage(path_in(files[i]), kind);
            /* Files that grow may be longer, and the header of a cache is written again. */
            const int grows = strstr(files[i], ".csv") || strstr(files[i], ".part");
            const int harmless = (kind == LONGER && grows) || (kind == FIRST_BYTE && strstr(files[i], ".part"));
            const ruga_status status = ruga_run_verify(context, damaged_path, &frames);
            fail_if(RUGA_FAILED(status) == harmless, "%s, damage %d: %s", files[i], kind, ruga_status_name(status));
            if (!harmless) assert_message_has(context, "fit none of its checkpoints");
            found += !harmless;
            resume_whole(context, damaged_path);
            assert_same_run(whole_path, damaged_path);
            remove_run(damaged_path);
        }
    assert_int_equal(found, 8 * DAMAGES - 4);
    ruga_context_destroy(context);
}

/* Frames after the checkpoint are written again in any case. */
static void frames_after_the_checkpoint_may_be_anything(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = describe_all(context);
    run_whole(context, d, whole_path);
    ruga_run *run = NULL;
    assert_ok(context, run_create(context, d, damaged_path, 0, &(run_habits){1000, SIZE_MAX}, &run));
    for (int i = 0; i < 3; i++) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    damage(path_in("flag.0009.obj"), CUT_SHORT);
    damage(path_in("flag.pc2.part"), CUT_SHORT);
    assert_ok(context, ruga_run_resume(context, damaged_path, &run));
    assert_int_equal(ruga_run_frames_done(run), 2);
    assert_ok(context, next_until_done(run));
    ruga_run_destroy(run);
    assert_same_run(whole_path, damaged_path);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Complete runs. */

static void damage_of_a_complete_run_is_named(void **state) {
    (void)state;
    static const char *const files[] = {"measures.csv",  "flag.obj",          "flag.pc2", "flag.0007.obj",
                                        "flag.0011.ply", "box__1_2.0009.obj", "flag.glb", "box__1_2.usda"};
    ruga_context *context = context_plain(1);
    ruga_description *d = describe_all(context);
    run_whole(context, d, damaged_path);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (int kind = 0; kind < DAMAGES; kind++) {
            int frames = 0;
            size_t size;
            char *kept = read_test_file(path_in(files[i]), &size);
            assert_non_null(kept);
            assert_ok(context, ruga_run_verify(context, damaged_path, &frames));
            assert_int_equal(frames, FRAMES);
            damage(path_in(files[i]), kind);
            ruga_run *run = NULL;
            for (int resume = 0; resume < 2; resume++) {
                assert_status(resume ? ruga_run_resume(context, damaged_path, &run)
                                     : ruga_run_verify(context, damaged_path, &frames),
                              RUGA_ERROR_INPUT);
                /* Of a sequence, a missing frame is named, else the pattern. */
                const int is_frame = strstr(files[i], ".00") != NULL;
                char name[64];
                snprintf(name, sizeof name, "%.*s", (int)strcspn(files[i], "."), files[i]);
                assert_message_has(context, is_frame ? name : files[i]);
                assert_message_has(context, "missing, damaged or changed");
                assert_message_has(context, "scene.json -o ");
            }
            write_test_file(path_in(files[i]), kept, size);
            free(kept);
        }
    resume_whole(context, damaged_path);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Memory and disk. */

static ruga_status verify_in_memory(ruga_context *context, void *user) {
    (void)user;
    memory_file_system *memory = NULL;
    ruga_run *run = NULL;
    ruga_description *d = NULL;
    int frames = 0;
    TRY(memory_file_system_create(context, &memory));
    context->file_system = memory_file_system_interface(memory);
    ruga_status status = ruga_description_read_memory(context, "small", small_scene, strlen(small_scene), &d);
    if (!RUGA_FAILED(status)) status = ruga_description_set(d, "time.frames", "1");
    if (!RUGA_FAILED(status)) status = ruga_run_create(context, d, "run", 0, &run);
    if (!RUGA_FAILED(status)) status = ruga_run_next(run);
    if (!RUGA_FAILED(status)) status = ruga_run_verify(context, "run", &frames);
    ruga_run_destroy(run);
    ruga_description_destroy(d);
    context->file_system = file_system_disk();
    memory_file_system_destroy(memory);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(100, assert_every_allocation_may_fail(verify_in_memory, NULL));
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    int frames;
    assert_status(ruga_run_verify(context, NULL, &frames), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_run_verify(context, damaged_path, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_run_verify(context, damaged_path, &frames), RUGA_ERROR_INPUT);
    assert_message_has(context, "no run.json");
    ruga_context_destroy(context);
}

#define DAMAGE_TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void) {
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        DAMAGE_TEST(a_stopped_run_with_damaged_files_ends_with_the_right_bits),
        DAMAGE_TEST(frames_after_the_checkpoint_may_be_anything),
        DAMAGE_TEST(damage_of_a_complete_run_is_named),
        DAMAGE_TEST(every_allocation_may_fail),
        DAMAGE_TEST(what_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
