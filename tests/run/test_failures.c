/* A run whose disk fails or fills up at any point stops with a message, and can be resumed to the same bits. */
#include "run_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Directories in memory. */

typedef struct disk {
    ruga_context *context;
    memory_file_system *memory;
    failing_file_system failing;
} disk;

static void disk_make(disk *d) {
    d->context = context_plain(1);
    assert_ok(d->context, memory_file_system_create(d->context, &d->memory));
    failing_file_system_init(&d->failing, memory_file_system_interface(d->memory));
    d->failing.error = ENOSPC;
    d->context->file_system = &d->failing.interface;
}

/* Nothing fails any more. */
static void disk_repair(disk *d) { d->context->file_system = memory_file_system_interface(d->memory); }

static void disk_destroy(disk *d) {
    d->context->file_system = file_system_disk();
    memory_file_system_destroy(d->memory);
    ruga_context_destroy(d->context);
}

static ruga_description *describe_all(ruga_context *context) {
    return describe(context, "output.formats", "[\"pc2\", \"obj\", \"glb\", \"usda\"]", "time.frames", "3", NULL);
}

static ruga_status work_with(ruga_context *context, const run_habits *habits) {
    ruga_description *d = describe_all(context);
    ruga_run *run = NULL;
    ruga_status status = run_create(context, d, "out/run", 0, habits, &run);
    ruga_description_destroy(d);
    if (!RUGA_FAILED(status)) status = next_until_done(run);
    ruga_run_destroy(run);
    return status;
}

static ruga_status work(ruga_context *context) { return work_with(context, &(run_habits)FLUSHING); }

static void recover(disk *d) {
    size_t size;
    disk_repair(d);
    if (memory_file_system_get(d->memory, "out/run/run.json", &size))
        resume_whole(d->context, "out/run");
    else
        assert_ok(d->context, work(d->context));
}

static const char *name_of(const disk *d, size_t i) { return strrchr(memory_file_system_name(d->memory, i), '/') + 1; }

/* Files but for checkpoints, of which there may be two. */
static size_t count_files(const disk *d) {
    size_t count = 0;
    for (size_t i = 0; i < memory_file_system_count(d->memory); i++) count += !is_checkpoint(name_of(d, i));
    return count;
}

static void assert_same_disk(const disk *a, const disk *b) {
    size_t compared = 0;
    assert_int_equal(count_files(a), count_files(b));
    for (size_t i = 0; i < memory_file_system_count(a->memory); i++) {
        const char *path = memory_file_system_name(a->memory, i);
        size_t sizes[2];
        const void *bytes[2] = {memory_file_system_get(a->memory, path, &sizes[0]),
                                memory_file_system_get(b->memory, path, &sizes[1])};
        fail_if(!bytes[1] && !is_checkpoint(name_of(a, i)), "%s is missing", path);
        if (is_of_the_moment(name_of(a, i)) || is_checkpoint(name_of(a, i))) continue;
        fail_if(sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0, "%s differs", path);
        compared++;
    }
    assert_ran(compared, 3);
}

/* ---- Every call. */

static void assert_stopped_well(disk *d, ruga_status status) {
    size_t size;
    if (!RUGA_FAILED(status)) return;
    assert_status(status, RUGA_ERROR_FILE);
    assert_message_has(d->context, "No space left on device");
    assert_message_has(d->context, "free some space");
    if (memory_file_system_get(d->memory, "out/run/run.json", &size))
        assert_message_has(d->context, "continue with: ruga resume out/run");
}

typedef struct call_kind {
    const char *name;
    size_t fail, count; /* offsets of the counters */
} call_kind;
#define CALL(name, count) \
    { #name, offsetof(failing_file_system, fail_##name), offsetof(failing_file_system, count) }

static void fail_at_every_call(const run_habits *habits) {
    static const call_kind kinds[] = {CALL(create, creates),
                                      CALL(write, writes),
                                      CALL(flush, flushes),
                                      CALL(close, closes),
                                      CALL(rename, renames),
                                      CALL(remove, removes),
                                      CALL(open, opens),
                                      CALL(read, reads),
                                      CALL(lock, locks),
                                      CALL(list, lists),
                                      CALL(make_directory, directories)};
    disk whole;
    disk_make(&whole);
    assert_ok(whole.context, work(whole.context));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        int stopped = 0;
        for (long n = 0, reached = 1; reached; n++) {
            disk d;
            disk_make(&d);
            *(long *)((char *)&d.failing + kinds[i].fail) = n;
            ruga_status status = work_with(d.context, habits);
            reached = *(long *)((char *)&d.failing + kinds[i].count) > n;
            stopped += RUGA_FAILED(status);
            assert_stopped_well(&d, status);
            if (RUGA_FAILED(status)) recover(&d);
            /* A file that can't be removed stays, and the run continues. */
            if (RUGA_FAILED(status) || strcmp(kinds[i].name, "remove") != 0) assert_same_disk(&whole, &d);
            disk_destroy(&d);
        }
        fail_if(!stopped, "no %s stopped the run", kinds[i].name);
    }
    disk_destroy(&whole);
}

static void every_call_may_find_the_disk_full(void **state) {
    (void)state;
    fail_at_every_call(&(run_habits)FLUSHING);
}

static void every_call_beside_the_next_step_may_find_the_disk_full(void **state) {
    (void)state;
    fail_at_every_call(&(run_habits)BESIDE);
}

static void the_disk_may_fill_at_any_byte(void **state) {
    (void)state;
    disk whole;
    disk_make(&whole);
    assert_ok(whole.context, work(whole.context));
    const uint64_t end = whole.failing.bytes_written;
    size_t failed = 0, completed = 0;
    assert_less(5000, end);
    /* Close together in the header and in the last line of the log, whose length depends on the time that it states. */
    for (uint64_t byte = 0; byte < end; byte += byte < 200 || byte + 300 > end ? 7 : SANITIZED ? 211 : 61) {
        disk d;
        disk_make(&d);
        d.failing.fail_at_byte = byte;
        ruga_status status = work(d.context);
        /* The run is complete even if the last line of the log can't be written. */
        if (!RUGA_FAILED(status)) {
            completed++;
            assert_less_case(end, byte + 200, "byte %llu", (unsigned long long)byte);
        }
        assert_stopped_well(&d, status);
        if (RUGA_FAILED(status)) {
            failed++;
            recover(&d);
        }
        assert_same_disk(&whole, &d);
        disk_destroy(&d);
    }
    assert_ran(failed, SANITIZED ? 20 : 80);
    assert_ran(completed, 1);
    disk_destroy(&whole);
}

/* Also while it is resumed: it may be tried again and again as the disk gets a little more room each time. */
static void resuming_may_fail_too(void **state) {
    (void)state;
    disk whole, d;
    disk_make(&whole);
    assert_ok(whole.context, work(whole.context));
    disk_make(&d);
    d.failing.fail_at_byte = whole.failing.bytes_written / 2; /* within the frames */
    assert_status(work(d.context), RUGA_ERROR_FILE);
    int tries = 0;
    for (ruga_status status = RUGA_ERROR_FILE; RUGA_FAILED(status); tries++) {
        ruga_run *run = NULL;
        d.failing.fail_at_byte = d.failing.bytes_written + 100 + 50 * (uint64_t)tries;
        status = run_resume(d.context, "out/run", &(run_habits)FLUSHING, &run);
        if (!RUGA_FAILED(status)) status = next_until_done(run);
        ruga_run_destroy(run);
        assert_stopped_well(&d, status);
    }
    assert_less(3, tries);
    assert_same_disk(&whole, &d);
    disk_destroy(&d);
    disk_destroy(&whole);
}

/* ---- A stopped run. */

static void a_run_that_failed_only_waits_to_be_destroyed(void **state) {
    (void)state;
    disk d;
    disk_make(&d);
    ruga_description *description = describe_all(d.context);
    ruga_run *run = NULL;
    assert_ok(d.context, ruga_run_create(d.context, description, "out/run", 0, &run));
    assert_ok(d.context, ruga_run_next(run));
    d.failing.fail_write = d.failing.writes;
    assert_status(ruga_run_next(run), RUGA_ERROR_FILE);
    assert_false(ruga_run_is_done(run));
    assert_status(ruga_run_next(run), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_run_checkpoint(run), RUGA_ERROR_ARGUMENT);
    assert_message_has(d.context, "ruga_run_resume");
    ruga_run_destroy(run);
    resume_whole(d.context, "out/run");
    ruga_description_destroy(description);
    disk_destroy(&d);
}

/* ---- A real process that may not write large files: EFBIG instead of ENOSPC, and no failing file system. */

static void limited_child(const char *directory, size_t limit) {
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {limit, limit};
    ruga_context *context = NULL;
    ruga_run *run = NULL;
    if (setrlimit(RLIMIT_FSIZE, &small) != 0 || RUGA_FAILED(ruga_context_create(NULL, &context))) _exit(9);
    ruga_status status = ruga_run_resume(context, directory, &run);
    if (!RUGA_FAILED(status)) status = next_until_done(run);
    const char *message = ruga_context_message(context);
    const int explained = strstr(message, "can't be written") && strstr(message, "continue with: ruga resume");
    ruga_run_destroy(run);
    _exit(status == RUGA_ERROR_FILE && explained ? 3 : RUGA_FAILED(status) ? 4 : 0);
}

static void a_process_with_a_limit_stops_and_is_resumed(void **state) {
    (void)state;
    char whole_path[512], limited_path[512];
    test_folder_remove();
    snprintf(whole_path, sizeof whole_path, "%s", test_path("whole"));
    snprintf(limited_path, sizeof limited_path, "%s", test_path("limited"));
    ruga_context *context = context_plain(1);
    ruga_description *d = describe(context, "time.frames", "40", "objects[0].mesh.columns", "20", NULL);
    run_whole(context, d, whole_path);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, limited_path, 0, &run));
    assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    pid_t child = fork();
    assert_at_most(0, child);
    if (child == 0) limited_child(limited_path, 16000);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    resume_whole(context, limited_path);
    assert_same_run(whole_path, limited_path);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Memory. */

static ruga_status run_and_read(ruga_context *context, void *user) {
    (void)user;
    memory_file_system *memory = NULL;
    ruga_run *run = NULL;
    ruga_run_record *record = NULL;
    ruga_description *d = NULL;
    TRY(memory_file_system_create(context, &memory));
    context->file_system = memory_file_system_interface(memory);
    ruga_status status = ruga_description_read_memory(context, "small", small_scene, strlen(small_scene), &d);
    if (!RUGA_FAILED(status)) status = ruga_description_set(d, "time.frames", "2");
    if (!RUGA_FAILED(status)) status = ruga_description_set(d, "output.formats", "[\"pc2\", \"ply\", \"usda\"]");
    if (!RUGA_FAILED(status)) status = ruga_run_create(context, d, "run", 0, &run);
    if (!RUGA_FAILED(status)) status = ruga_run_next(run);
    if (!RUGA_FAILED(status)) status = ruga_run_checkpoint(run);
    ruga_run_destroy(run);
    run = NULL;
    if (!RUGA_FAILED(status)) status = ruga_run_resume(context, "run", &run);
    if (!RUGA_FAILED(status)) status = ruga_run_record_read(context, "run", &record);
    if (!RUGA_FAILED(status)) status = ruga_run_next(run);
    ruga_run_destroy(run);
    run = NULL;
    if (!RUGA_FAILED(status)) status = ruga_run_create(context, d, "run", 1, &run);
    ruga_run_destroy(run);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
    context->file_system = file_system_disk();
    memory_file_system_destroy(memory);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(100, assert_every_allocation_may_fail(run_and_read, NULL));
}

/* ---- Flushed files. */

/* Once some of a run was flushed, the rest is too before run.json says that it is complete: two caches, two tables and
 * their folder, then as always the folder with the caches' names, and run.json. */
static void a_run_is_complete_only_when_its_frames_are_on_the_disk(void **state) {
    (void)state;
    for (int resumed = 0; resumed < 2; resumed++) {
        disk d;
        disk_make(&d);
        ruga_description *scene = describe(d.context, NULL);
        ruga_run *run = NULL;
        assert_ok(d.context,
                  run_create(d.context, scene, "out/run", 0, &(run_habits){.background_size = SIZE_MAX}, &run));
        for (int i = 0; i < 2; i++) assert_ok(d.context, ruga_run_next(run));
        assert_less_case(0, d.failing.flushes, "resumed %d", resumed);
        const run_habits never = {.flush_after = 1e9, .background_size = SIZE_MAX};
        if (resumed) {
            ruga_run_destroy(run);
            assert_ok(d.context, run_resume(d.context, "out/run", &never, &run));
        }
        run->output.habits = never;
        const long before = d.failing.flushes;
        for (int i = 2; i < FRAMES - 1; i++) assert_ok(d.context, ruga_run_next(run));
        assert_int_equal(d.failing.flushes, before);
        assert_ok(d.context, ruga_run_next(run));
        assert_true(ruga_run_is_done(run));
        /* A process that did not flush the beginning does that too: two meshes, scene.json, run.json. */
        assert_int_equal(d.failing.flushes - before, resumed ? 11 : 7);
        ruga_run_destroy(run);
        ruga_description_destroy(scene);
        disk_destroy(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_find_the_disk_full),
        cmocka_unit_test(every_call_beside_the_next_step_may_find_the_disk_full),
        cmocka_unit_test(the_disk_may_fill_at_any_byte),
        cmocka_unit_test(resuming_may_fail_too),
        cmocka_unit_test(a_run_that_failed_only_waits_to_be_destroyed),
        cmocka_unit_test(a_process_with_a_limit_stops_and_is_resumed),
        cmocka_unit_test(a_run_is_complete_only_when_its_frames_are_on_the_disk),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
