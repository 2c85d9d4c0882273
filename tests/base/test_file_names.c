/* Files that grow under their own name, and what is done to files and directories by name. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/file_systems.h"
#include "support/support.h"

static int empty_folder(void **state) {
    (void)state;
    test_folder_remove();
    return 0;
}

/* ---- Every law holds on the disk and in memory. */

typedef struct places {
    ruga_context *context;
    memory_file_system *memory;
} places;

static places places_make(void) {
    places p = {.context = context_plain(1)};
    assert_ok(p.context, memory_file_system_create(p.context, &p.memory));
    return p;
}

static void places_use(places *p, int memory) {
    p->context->file_system = memory ? memory_file_system_interface(p->memory) : file_system_disk();
}

static void places_destroy(places *p) {
    places_use(p, 0);
    memory_file_system_destroy(p->memory);
    ruga_context_destroy(p->context);
}

static void assert_content(ruga_context *context, const char *path, const char *expected) {
    unsigned char *bytes = NULL;
    size_t size = 0;
    assert_ok(context, file_read_whole(context, path, &bytes, &size));
    assert_string_equal((const char *)bytes, expected);
    assert_int_equal(size, strlen(expected));
    memory_release(context, bytes);
}

static void append_text(ruga_context *context, const char *path, uint64_t size, const char *text) {
    file *f = NULL;
    assert_ok(context, file_append(context, path, size, &f));
    assert_int_equal(file_size(f), size);
    assert_ok(context, file_write(f, text, strlen(text)));
    assert_ok(context, file_hand_over(f));
    assert_int_equal(file_size(f), size + strlen(text));
    file_close(f);
}

static void a_growing_file_is_cut_back_and_continued(void **state) {
    (void)state;
    places p = places_make();
    for (int memory = 0; memory < 2; memory++) {
        places_use(&p, memory);
        const char *path = test_path("grows");
        append_text(p.context, path, 0, "one two");
        assert_content(p.context, path, "one two");
        append_text(p.context, path, 4, "three");
        assert_content(p.context, path, "one three");
        append_text(p.context, path, 9, "");
        append_text(p.context, path, 9, " four");
        assert_content(p.context, path, "one three four");
        append_text(p.context, path, 0, "again");
        assert_content(p.context, path, "again");

        /* A file that is shorter than it should be, or missing, can't be continued. */
        file *f = NULL;
        assert_status(file_append(p.context, path, 6, &f), RUGA_ERROR_FILE);
        assert_message_has(p.context, "it was truncated");
        assert_status(file_append(p.context, test_path("none"), 5, &f), RUGA_ERROR_FILE);
        assert_null(f);
    }
    places_destroy(&p);
}

static void a_growing_file_may_be_patched_at_its_begin(void **state) {
    (void)state;
    places p = places_make();
    for (int memory = 0; memory < 2; memory++) {
        places_use(&p, memory);
        const char *path = test_path("grows");
        append_text(p.context, path, 0, "0 frames: ab");
        file *f = NULL;
        assert_ok(p.context, file_append(p.context, path, 11, &f));
        assert_ok(p.context, file_write(f, "cd", 2));
        assert_ok(p.context, file_seek(f, 0));
        assert_ok(p.context, file_write(f, "3", 1));
        assert_ok(p.context, file_seek(f, 13));
        assert_ok(p.context, file_write(f, "e", 1));
        assert_ok(p.context, file_flush(f));
        file_close(f);
        assert_content(p.context, path, "3 frames: acde");
    }
    places_destroy(&p);
}

static void only_a_plain_file_grows(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    file *f = NULL;
    assert_status(file_append(context, test_folder(), 0, &f), RUGA_ERROR_FILE);
    assert_status(file_append(context, "/dev/null", 0, &f), RUGA_ERROR_FILE);
    assert_message_has(context, "is a device");
    assert_status(file_append(context, test_path("f"), UINT64_MAX, &f), RUGA_ERROR_FILE);
    assert_int_equal(mkfifo(test_path("pipe"), 0600), 0);
    assert_status(file_append(context, test_path("pipe"), 0, &f), RUGA_ERROR_FILE);
    ruga_context_destroy(context);
}

static void a_commit_need_not_wait_for_the_disk(void **state) {
    (void)state;
    places p = places_make();
    failing_file_system counting;
    failing_file_system_init(&counting, memory_file_system_interface(p.memory));
    p.context->file_system = &counting.interface;
    file *f = NULL;
    assert_ok(p.context, file_create(p.context, "a", &f));
    assert_ok(p.context, file_write(f, "text", 4));
    assert_ok(p.context, file_commit_unflushed(f));
    file_close(f);
    assert_int_equal(counting.flushes, 0);
    assert_content(p.context, "a", "text");
    assert_ok(p.context, file_flush_named(p.context, "a"));
    assert_ok(p.context, directory_flush(p.context, "."));
    assert_int_equal(counting.flushes, 2);
    places_destroy(&p);
}

/* ---- Names. */

static void names_change_and_go(void **state) {
    (void)state;
    places p = places_make();
    for (int memory = 0; memory < 2; memory++) {
        places_use(&p, memory);
        int found = 1;
        uint64_t size = 0;
        char from[512], to[512];
        snprintf(from, sizeof from, "%s", test_path("from"));
        snprintf(to, sizeof to, "%s", test_path("to"));
        assert_ok(p.context, file_look(p.context, from, &found, &size));
        assert_false(found);
        append_text(p.context, from, 0, "12345");
        append_text(p.context, to, 0, "old");
        assert_ok(p.context, file_look(p.context, from, &found, &size));
        assert_true(found && size == 5);
        assert_ok(p.context, file_rename(p.context, from, to));
        assert_content(p.context, to, "12345");
        assert_ok(p.context, file_flush_named(p.context, to));
        assert_status(file_rename(p.context, from, to), RUGA_ERROR_FILE);
        assert_status(file_flush_named(p.context, from), RUGA_ERROR_FILE);
        assert_ok(p.context, file_remove(p.context, to));
        assert_ok(p.context, file_remove(p.context, to));
        assert_ok(p.context, file_look(p.context, to, &found, &size));
        assert_false(found);
    }
    places_destroy(&p);
}

static void count_name(void *argument, const char *name) {
    int *counts = argument;
    counts[0] += strcmp(name, "a") == 0;
    counts[1] += strcmp(name, "b") == 0;
    counts[2]++;
}

static void directories_are_made_and_listed(void **state) {
    (void)state;
    places p = places_make();
    for (int memory = 0; memory < 2; memory++) {
        places_use(&p, memory);
        char folder[512], name[600];
        snprintf(folder, sizeof folder, "%s", test_path("x//y/z"));
        assert_ok(p.context, directory_make(p.context, folder));
        assert_ok(p.context, directory_make(p.context, folder));
        snprintf(name, sizeof name, "%s/a", folder);
        append_text(p.context, name, 0, "1");
        snprintf(name, sizeof name, "%s/b", folder);
        append_text(p.context, name, 0, "2");
        int counts[3] = {0};
        assert_ok(p.context, directory_list(p.context, folder, count_name, counts));
        assert_int_equal(counts[0], 1);
        assert_int_equal(counts[1], 1);
        assert_int_equal(counts[2], 2);
        assert_ok(p.context, directory_flush(p.context, folder));
    }
    places_use(&p, 0);
    int counts[3] = {0};
    assert_status(directory_list(p.context, test_path("none"), count_name, counts), RUGA_ERROR_FILE);
    assert_status(directory_flush(p.context, test_path("none")), RUGA_ERROR_FILE);
    append_text(p.context, test_path("file"), 0, "");
    assert_status(directory_make(p.context, test_path("file/below")), RUGA_ERROR_FILE);
    assert_status(directory_make(p.context, ""), RUGA_ERROR_FILE);
    char *long_name = calloc(5001, 1);
    memset(long_name, 'x', 5000);
    assert_status(directory_make(p.context, long_name), RUGA_ERROR_FILE);
    free(long_name);
    places_destroy(&p);
}

static void temporary_files_are_known_by_their_target(void **state) {
    (void)state;
    assert_int_equal(file_temporary_target("a.obj.123-4.tmp"), 5);
    assert_int_equal(file_temporary_target("a.1-2.tmp.123-4.tmp"), 9);
    const char *const others[] = {"a.obj.123-4.tmp2", "a.obj.-4.tmp", "a.obj.123-.tmp", "a.obj.123.tmp", "a.obj",
                                  "1-2.tmp",          ".1-2.tmp",     "2.tmp",          ".tmp",          ""};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) assert_int_equal(file_temporary_target(others[i]), 0);
}

/* The names that file_create gives are those that are known. */
static void check_temporary(void *argument, const char *name) {
    (*(int *)argument)++;
    assert_int_equal(file_temporary_target(name), strlen("target"));
    assert_memory_equal(name, "target", strlen("target"));
}

static void a_file_being_written_has_a_temporary_name(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    file *f = NULL;
    assert_ok(context, file_create(context, test_path("target"), &f));
    int count = 0;
    assert_ok(context, directory_list(context, test_folder(), check_temporary, &count));
    assert_int_equal(count, 1);
    file_close(f);
    ruga_context_destroy(context);
}

/* ---- Locks. */

static void a_lock_is_held_once(void **state) {
    (void)state;
    places p = places_make();
    for (int memory = 0; memory < 2; memory++) {
        places_use(&p, memory);
        char path[512];
        snprintf(path, sizeof path, "%s", test_path("lock"));
        file_lock *first = NULL, *second = NULL;
        long owner = 1;
        assert_false(file_lock_is_held(p.context, path, &owner) || owner != 0);
        assert_ok(p.context, file_lock_take(p.context, path, "this is used", &first));
        assert_status(file_lock_take(p.context, path, "this is used", &second), RUGA_ERROR_FILE);
        assert_message_has(p.context, "this is used by");
        assert_true(file_lock_is_held(p.context, path, &owner));
        file_lock_release(first);
        assert_false(file_lock_is_held(p.context, path, &owner));
        assert_ok(p.context, file_lock_take(p.context, path, "this is used", &second));
        file_lock_release(second);
        file_lock_release(NULL);
        int found = 1;
        uint64_t size;
        assert_ok(p.context, file_look(p.context, path, &found, &size));
        assert_false(found);
    }
    places_use(&p, 0);
    file_lock *lock = NULL;
    assert_status(file_lock_take(p.context, test_path("no folder/lock"), "x", &lock), RUGA_ERROR_FILE);
    places_destroy(&p);
}

/* ---- Files of other origin. */

static void assert_refused(ruga_context *context, ruga_status status, const char *why) {
    assert_status(status, RUGA_ERROR_FILE);
    assert_message_has(context, why);
}

static void growing_files_and_locks_follow_no_links(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char victim[512], path[512];
    file *f = NULL;
    file_lock *lock = NULL;
    snprintf(victim, sizeof victim, "%s", test_path("victim"));
    snprintf(path, sizeof path, "%s", test_path("name"));
    write_test_file(victim, "4711\n", 5);
    for (int hard = 0; hard < 2; hard++) {
        assert_int_equal(hard ? link(victim, path) : symlink(victim, path), 0);
        assert_refused(context, file_append(context, path, 0, &f), "is a link, or has several names");
        assert_refused(context, file_append(context, path, 5, &f), "is a link, or has several names");
        assert_refused(context, file_lock_take(context, path, "x", &lock), "is a link, or has several names");
        assert_content(context, victim, "4711\n");
        assert_int_equal(unlink(path), 0);
    }
    ruga_context_destroy(context);
}

static void a_file_that_is_no_lock_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    static const char *const texts[] = {
        "12 monkeys\n", "x", "\n", " 12\n", "12\n\n", "12\n34\n", "1234567890123456789012345678901234567890\n"};
    static const char *const locks[] = {"", "12", "4711\n"};
    char path[512];
    file_lock *lock = NULL;
    snprintf(path, sizeof path, "%s", test_path("lock"));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_test_file(path, texts[i], strlen(texts[i]));
        assert_refused(context, file_lock_take(context, path, "x", &lock), "was not written by Ruga");
        assert_content(context, path, texts[i]);
    }
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++) {
        write_test_file(path, locks[i], strlen(locks[i]));
        assert_ok(context, file_lock_take(context, path, "x", &lock));
        file_lock_release(lock);
        assert_false(test_file_exists(path));
    }
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_refused(context, file_lock_take(context, path, "x", &lock), "was not written by Ruga");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_refused(context, file_lock_take(context, path, "x", &lock), "is a directory");
    assert_int_equal(rmdir(path), 0);
    ruga_context_destroy(context);
}

/* A lock that somebody replaced belongs to somebody else. */
static void releasing_removes_only_its_own_lock(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    file_lock *lock = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("lock"));
    assert_ok(context, file_lock_take(context, path, "x", &lock));
    assert_int_equal(unlink(path), 0);
    write_test_file(path, "mine", 4);
    file_lock_release(lock);
    assert_content(context, path, "mine");
    ruga_context_destroy(context);
}

static void in_its_own_folder_a_writer_replaces_only_plain_files(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char folder[512], path[600], victim[512];
    file *f = NULL;
    snprintf(folder, sizeof folder, "%s", test_path("own"));
    snprintf(victim, sizeof victim, "%s", test_path("victim"));
    assert_int_equal(mkdir(folder, 0777), 0);
    write_test_file(victim, "mine", 4);
    context->own_folder = folder;
    snprintf(path, sizeof path, "%s/name", folder);
    const char *const targets[] = {victim, "nowhere", "/dev/null"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(symlink(targets[i], path), 0);
        assert_refused(context, file_create(context, path, &f), i < 2 ? "is a link" : "was not written by Ruga");
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_refused(context, file_create(context, path, &f), "was not written by Ruga");
    assert_int_equal(unlink(path), 0);
    assert_content(context, victim, "mine");
    /* Another name of a file is cut off from it, since the new file replaces the name. Elsewhere links are followed. */
    assert_int_equal(link(victim, path), 0);
    const char *const names[2] = {path, test_path("elsewhere")};
    for (int i = 0; i < 2; i++) {
        if (i == 1) assert_int_equal(symlink(victim, names[1]), 0);
        assert_ok(context, file_create(context, names[i], &f));
        assert_ok(context, file_write(f, "new", 3));
        assert_ok(context, file_commit(f));
        file_close(f);
        assert_content(context, victim, i ? "new" : "mine");
    }
    ruga_context_destroy(context);
}

/* Takes the lock in a process of its own, says so, and waits to be killed. */
static pid_t start_holder(const char *path) {
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_at_most(0, child);
    if (child == 0) {
        ruga_context *context = NULL;
        file_lock *lock = NULL;
        int fine = !RUGA_FAILED(ruga_context_create(NULL, &context)) &&
                   !RUGA_FAILED(file_lock_take(context, path, "x", &lock)) && write(ready[1], "x", 1) == 1;
        while (fine) pause();
        _exit(1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void a_killed_process_holds_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char path[512], expected[64];
    snprintf(path, sizeof path, "%s", test_path("lock"));
    pid_t child = start_holder(path);
    file_lock *lock = NULL;
    assert_status(file_lock_take(context, path, "a run is written", &lock), RUGA_ERROR_FILE);
    snprintf(expected, sizeof expected, "a run is written by process %ld", (long)child);
    assert_message_has(context, expected);
    long owner = 0;
    assert_true(file_lock_is_held(context, path, &owner) && owner == child);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(file_lock_is_held(context, path, &owner));
    assert_true(test_file_exists(path));
    assert_ok(context, file_lock_take(context, path, "a run is written", &lock));
    file_lock_release(lock);
    ruga_context_destroy(context);
}

/* ---- Failures. */

static void each_call_that_fails_says_so(void **state) {
    (void)state;
    places p = places_make();
    assert_ok(p.context, memory_file_system_put(p.memory, "f", "x", 1));
    failing_file_system failing;
    failing_file_system_init(&failing, memory_file_system_interface(p.memory));
    failing.fail_create = failing.fail_rename = failing.fail_remove = failing.fail_flush = 0;
    failing.fail_make_directory = failing.fail_list = failing.fail_lock = failing.fail_open = 0;
    failing.error = ENOSPC;
    p.context->file_system = &failing.interface;
    file *f = NULL;
    file_lock *lock = NULL;
    int counts[3] = {0}, found = 0;
    uint64_t size = 0;
    assert_status(file_append(p.context, "f", 0, &f), RUGA_ERROR_FILE);
    assert_message_has(p.context, "f: can't be written: No space left on device");
    assert_status(file_rename(p.context, "f", "g"), RUGA_ERROR_FILE);
    assert_status(file_remove(p.context, "f"), RUGA_ERROR_FILE);
    assert_status(file_look(p.context, "f", &found, &size), RUGA_ERROR_FILE);
    assert_status(file_flush_named(p.context, "f"), RUGA_ERROR_FILE);
    failing.fail_flush = 1;
    assert_status(directory_flush(p.context, "d"), RUGA_ERROR_FILE);
    assert_status(directory_make(p.context, "d"), RUGA_ERROR_FILE);
    assert_status(directory_list(p.context, "d", count_name, counts), RUGA_ERROR_FILE);
    assert_status(file_lock_take(p.context, "l", "x", &lock), RUGA_ERROR_FILE);

    failing.fail_write = 0;
    assert_ok(p.context, file_append(p.context, "f", 1, &f));
    assert_ok(p.context, file_write(f, "y", 1));
    assert_status(file_hand_over(f), RUGA_ERROR_FILE);
    assert_status(file_hand_over(f), RUGA_ERROR_FILE);
    file_close(f);
    assert_content(p.context, "f", "x");
    assert_ok(p.context, file_lock_take(p.context, "l", "x", &lock));
    file_lock_release(lock);
    assert_ok(p.context, directory_make(p.context, "d"));
    assert_ok(p.context, directory_list(p.context, "d", count_name, counts));
    assert_int_equal(counts[2], 0);
    places_destroy(&p);
}

static ruga_status grow_and_lock(ruga_context *context, void *user) {
    (void)user;
    memory_file_system *memory = NULL;
    TRY(memory_file_system_create(context, &memory));
    context->file_system = memory_file_system_interface(memory);
    file *f = NULL;
    file_lock *lock = NULL;
    ruga_status status = file_lock_take(context, "lock", "x", &lock);
    if (!RUGA_FAILED(status)) status = file_append(context, "f", 0, &f);
    if (!RUGA_FAILED(status)) status = file_write(f, "x", 1);
    if (!RUGA_FAILED(status)) status = file_hand_over(f);
    file_close(f);
    f = NULL;
    if (!RUGA_FAILED(status)) status = file_append(context, "f", 1, &f);
    file_close(f);
    file_lock_release(lock);
    context->file_system = file_system_disk();
    memory_file_system_destroy(memory);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(10, assert_every_allocation_may_fail(grow_and_lock, NULL));
}

#define FILE_TEST(test) cmocka_unit_test_setup(test, empty_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(a_growing_file_is_cut_back_and_continued),
        FILE_TEST(a_growing_file_may_be_patched_at_its_begin),
        FILE_TEST(only_a_plain_file_grows),
        FILE_TEST(a_commit_need_not_wait_for_the_disk),
        FILE_TEST(names_change_and_go),
        FILE_TEST(directories_are_made_and_listed),
        FILE_TEST(temporary_files_are_known_by_their_target),
        FILE_TEST(a_file_being_written_has_a_temporary_name),
        FILE_TEST(a_lock_is_held_once),
        FILE_TEST(growing_files_and_locks_follow_no_links),
        FILE_TEST(a_file_that_is_no_lock_is_refused),
        FILE_TEST(releasing_removes_only_its_own_lock),
        FILE_TEST(in_its_own_folder_a_writer_replaces_only_plain_files),
        FILE_TEST(a_killed_process_holds_nothing),
        FILE_TEST(each_call_that_fails_says_so),
        FILE_TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
