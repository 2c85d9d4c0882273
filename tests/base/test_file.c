#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/file_systems.h"
#include "support/support.h"

/* Creates, writes and commits; on failure nothing is left. */
static ruga_status write_file(ruga_context *context, const char *path, const void *bytes, size_t size) {
    file *f = NULL;
    TRY(file_create(context, path, &f));
    ruga_status status = file_write(f, bytes, size);
    if (!RUGA_FAILED(status)) status = file_commit(f);
    file_close(f);
    return status;
}

static void assert_holds(const char *path, const void *bytes, size_t size) {
    size_t found = 0;
    char *text = read_test_file(path, &found);
    assert_non_null(text);
    assert_int_equal(found, size);
    assert_memory_equal(text, bytes, size);
    free(text);
}

static unsigned char *random_bytes(size_t size) {
    unsigned char *bytes = malloc(size + 1);
    test_random random = {size};
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)random_bits(&random);
    return bytes;
}

static int empty_folder(void **state) {
    (void)state;
    test_folder_remove();
    test_folder();
    return 0;
}

/* ---- Reading and writing. */

static void what_is_written_is_read(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 131072, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *bytes = random_bytes(sizes[i]), *read = NULL;
        size_t size = 77;
        assert_ok(context, write_file(context, test_path("a"), bytes, sizes[i]));
        assert_ok(context, file_read_whole(context, test_path("a"), &read, &size));
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(read, bytes, size);
        assert_int_equal(read[size], 0);
        memory_release(context, read);
        free(bytes);
    }
    assert_int_equal(test_folder_entry_count(), 1);
    ruga_context_destroy(context);
}

/* Pieces of any size, written one after another and over each other, against the same in plain memory. */
static void write_pieces(ruga_context *context, file *f, unsigned char *model, size_t *model_size) {
    test_random random = {9};
    unsigned char *bytes = random_bytes(200000);
    size_t at = 0;
    for (int i = 0; i < 300; i++) {
        size_t size = (size_t)(random_bits(&random) % (i % 10 == 0 ? 150000 : 900));
        if (i % 7 == 3) {
            at = (size_t)(random_bits(&random) % (*model_size + 1000));
            assert_ok(context, file_seek(f, at));
        }
        assert_ok(context, file_write(f, bytes, size));
        memcpy(model + at, bytes, size);
        at += size;
        if (size > 0 && at > *model_size) *model_size = at;
        if (i % 50 == 0) assert_ok(context, file_flush(f));
    }
    free(bytes);
}

static void pieces_over_each_other_are_like_memory(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        unsigned char *model = calloc(1, 60000000);
        size_t model_size = 0;
        file *f = NULL;
        assert_ok(context, in_memory ? file_create_in_memory(context, &f) : file_create(context, test_path("p"), &f));
        write_pieces(context, f, model, &model_size);
        assert_int_equal(file_size(f), model_size);
        assert_ok(context, file_commit(f));
        if (in_memory) {
            void *bytes = NULL;
            size_t size;
            assert_ok(context, file_take_bytes(f, &bytes, &size));
            assert_int_equal(size, model_size);
            assert_memory_equal(bytes, model, size);
            memory_release(context, bytes);
        }
        file_close(f);
        if (!in_memory) assert_holds(test_path("p"), model, model_size);
        free(model);
    }
    ruga_context_destroy(context);
}

static void readers_seek_and_stop_at_the_end(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    write_test_file(test_path("r"), "0123456789", 10);
    file *f = NULL;
    assert_ok(context, file_open(context, test_path("r"), &f));
    assert_int_equal(file_size(f), 10);
    assert_string_equal(file_path(f), test_path("r"));
    char bytes[20] = "";
    assert_ok(context, file_seek(f, 7));
    assert_ok(context, file_read(f, bytes, 3));
    assert_memory_equal(bytes, "789", 3);
    assert_ok(context, file_seek(f, 2));
    size_t got = 0;
    assert_ok(context, file_read_some(f, bytes, 20, &got));
    assert_int_equal(got, 8);
    assert_ok(context, file_seek(f, 8));
    assert_status(file_read(f, bytes, 5), RUGA_ERROR_INPUT);
    assert_message_has(context, "ends early: 5 more bytes were expected, but it has only 2");
    assert_status(file_seek(f, UINT64_MAX), RUGA_ERROR_FILE);
    file_close(f);
    file_close(NULL);
    ruga_context_destroy(context);
}

static void printed_text_may_be_long(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char *longest = malloc(100001), *expected = malloc(100100);
    memset(longest, 'x', 100000);
    longest[100000] = 0;
    file *f = NULL;
    assert_ok(context, file_create_in_memory(context, &f));
    assert_ok(context, file_print(f, "v %d\n", 5));
    assert_ok(context, file_print(f, "%s", longest));
    void *bytes;
    size_t size;
    assert_ok(context, file_take_bytes(f, &bytes, &size));
    sprintf(expected, "v 5\n%s", longest);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
    memory_release(context, bytes);
    /* The bytes that were taken are gone; an empty file gives bytes too. */
    assert_ok(context, file_take_bytes(f, &bytes, &size));
    assert_non_null(bytes);
    assert_int_equal(size, 0);
    memory_release(context, bytes);
    file_close(f);
    free(longest);
    free(expected);
    ruga_context_destroy(context);
}

/* A scratch file has a name of its own and is gone when it is closed. */
static void a_scratch_file_is_read_back_and_removed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    write_test_file(test_path("a"), "old", 3);
    file *f = NULL;
    assert_ok(context, file_create_scratch(context, test_path("a"), &f));
    assert_int_equal(test_folder_entry_count(), 2);
    assert_ok(context, file_write(f, "scratch", 7));
    for (int i = 0; i < 2; i++) {
        char bytes[8] = "";
        size_t got = 0;
        assert_ok(context, file_read_back(f));
        assert_int_equal(file_size(f), 7);
        assert_ok(context, file_read_some(f, bytes, sizeof bytes, &got));
        assert_string_equal(bytes, "scratch");
    }
    file_close(f);
    assert_int_equal(test_folder_entry_count(), 1);
    assert_holds(test_path("a"), "old", 3);
    ruga_context_destroy(context);
}

static void a_file_in_memory_has_an_end(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    file *f = NULL;
    assert_ok(context, file_create_in_memory(context, &f));
    assert_ok(context, file_seek(f, PTRDIFF_MAX));
    assert_status(file_write(f, "x", 1), RUGA_ERROR_MEMORY);
    void *bytes = NULL;
    size_t size;
    assert_status(file_take_bytes(f, &bytes, &size), RUGA_ERROR_MEMORY);
    file_close(f);
    f = NULL;
    assert_ok(context, file_create_in_memory(context, &f));
    assert_status(file_seek(f, UINT64_MAX), RUGA_ERROR_MEMORY);
    assert_status(file_seek(f, 0), RUGA_ERROR_MEMORY);
    file_close(f);
    ruga_context_destroy(context);
}

/* ---- Names. */

static void a_file_has_its_name_only_when_it_is_whole(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    file *f = NULL;
    assert_ok(context, file_create(context, test_path("a"), &f));
    assert_ok(context, file_write(f, "abc", 3));
    assert_ok(context, file_flush(f));
    assert_false(test_file_exists(test_path("a")));
    assert_int_equal(test_folder_entry_count(), 1);
    file_close(f);
    assert_int_equal(test_folder_entry_count(), 0);

    write_test_file(test_path("a"), "old", 3);
    assert_ok(context, file_create(context, test_path("a"), &f));
    assert_ok(context, file_write(f, "newer", 5));
    assert_ok(context, file_flush(f));
    assert_holds(test_path("a"), "old", 3);
    assert_ok(context, file_commit(f));
    assert_holds(test_path("a"), "newer", 5);
    assert_ok(context, file_commit(f));
    file_close(f);
    assert_int_equal(test_folder_entry_count(), 1);
    ruga_context_destroy(context);
}

static void two_writers_of_one_name_do_not_meet(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    file *a = NULL, *b = NULL;
    assert_ok(context, file_create(context, test_path("x"), &a));
    assert_ok(context, file_create(context, test_path("x"), &b));
    assert_ok(context, file_write(a, "from a", 6));
    assert_ok(context, file_write(b, "b", 1));
    assert_ok(context, file_commit(a));
    assert_holds(test_path("x"), "from a", 6);
    assert_ok(context, file_commit(b));
    assert_holds(test_path("x"), "b", 1);
    file_close(a);
    file_close(b);
    assert_int_equal(test_folder_entry_count(), 1);
    ruga_context_destroy(context);
}

static unsigned mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 0777;
}

static void permissions_are_the_replaced_files_or_the_umasks(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    mode_t before = umask(027);
    assert_ok(context, write_file(context, test_path("new"), "x", 1));
    assert_int_equal(mode_of(test_path("new")), 0640);
    chmod(test_path("new"), 0604);
    assert_ok(context, write_file(context, test_path("new"), "y", 1));
    assert_int_equal(mode_of(test_path("new")), 0604);
    umask(before);
    ruga_context_destroy(context);
}

static int is_link(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static void symbolic_links_are_followed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    mkdir(test_path("folder"), 0777);
    write_test_file(test_path("folder/target"), "old", 3);
    assert_int_equal(symlink("folder/target", test_path("relative")), 0);
    assert_int_equal(symlink(test_path("folder/made"), test_path("dangling")), 0);
    assert_int_equal(symlink("relative", test_path("twice")), 0);
    assert_ok(context, write_file(context, test_path("relative"), "one", 3));
    assert_holds(test_path("folder/target"), "one", 3);
    assert_ok(context, write_file(context, test_path("twice"), "two", 3));
    assert_holds(test_path("folder/target"), "two", 3);
    assert_ok(context, write_file(context, test_path("dangling"), "three", 5));
    assert_holds(test_path("folder/made"), "three", 5);
    assert_true(is_link(test_path("relative")) && is_link(test_path("twice")) && is_link(test_path("dangling")));
    assert_int_equal(symlink("b", test_path("a")), 0);
    assert_int_equal(symlink("a", test_path("b")), 0);
    assert_status(write_file(context, test_path("a"), "x", 1), RUGA_ERROR_FILE);
    ruga_context_destroy(context);
}

static void names_may_be_as_long_as_the_system_allows(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char name[256];
    memset(name, 'n', sizeof name);
    name[255] = 0;
    assert_ok(context, write_file(context, test_path(name), "x", 1));
    assert_true(test_file_exists(test_path(name)));
    char longer[6000];
    memset(longer, 'n', sizeof longer);
    longer[sizeof longer - 1] = 0;
    assert_status(write_file(context, longer, "x", 1), RUGA_ERROR_FILE);
    assert_message_has(context, "choose a shorter one");
    ruga_context_destroy(context);
}

/* ---- Devices, pipes and directories. */

static void assert_not_readable(ruga_context *context, const char *path, const char *message) {
    unsigned char *bytes = NULL;
    size_t size;
    assert_status(file_read_whole(context, path, &bytes, &size), RUGA_ERROR_FILE);
    assert_null(bytes);
    assert_message_has(context, path);
    assert_message_has(context, message);
}

static void only_plain_files_are_read(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_int_equal(mkfifo(test_path("pipe"), 0666), 0);
    assert_not_readable(context, test_path("pipe"), "is a device or a pipe");
    assert_not_readable(context, test_folder(), "is a directory");
    assert_not_readable(context, "/dev/null", "is a device or a pipe");
    assert_not_readable(context, test_path("nothing"), "No such file");
    assert_not_readable(context, test_path("nothing"), "check the name");
    write_test_file(test_path("plain"), "x", 1);
    assert_not_readable(context, test_path("plain/below"), "can't be opened");
    ruga_context_destroy(context);
}

static void places_that_cannot_be_written_are_refused_at_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    file *f = NULL;
    assert_status(file_create(context, test_folder(), &f), RUGA_ERROR_FILE);
    assert_message_has(context, "is a directory");
    assert_status(file_create(context, test_path("no/such/folder"), &f), RUGA_ERROR_FILE);
    assert_message_has(context, "make its folder first");
    write_test_file(test_path("plain"), "x", 1);
    assert_status(file_create(context, test_path("plain/below"), &f), RUGA_ERROR_FILE);
    assert_status(file_create(context, "", &f), RUGA_ERROR_FILE);
    assert_null(f);
    /* The superuser may write anywhere. */
    chmod(test_path("plain"), 0444);
    ruga_status status = geteuid() != 0 ? file_create(context, test_path("plain"), &f) : RUGA_ERROR_FILE;
    assert_status(status, RUGA_ERROR_FILE);
    assert_message_has(context, geteuid() != 0 ? "choose a place that you may write to" : "");
    assert_int_equal(test_folder_entry_count(), 1);
    ruga_context_destroy(context);
}

static void devices_are_written_directly(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_ok(context, write_file(context, "/dev/null", "x", 1));
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    if (test_file_exists("/dev/full")) {
        assert_status(write_file(context, "/dev/full", "x", 1), RUGA_ERROR_FILE);
        assert_message_has(context, "/dev/full");
        assert_message_has(context, "No space left on device; free some space");
    }
    ruga_context_destroy(context);
}

/* A stream that was directed to a file is continued, not replaced. */
static void an_open_stream_is_continued(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    int descriptor = open(test_path("stream"), O_RDWR | O_CREAT, 0666);
    assert_at_most(0, descriptor);
    assert_int_equal(write(descriptor, "before ", 7), 7);
    char name[64];
    snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
    assert_ok(context, write_file(context, name, "ours", 4));
    assert_int_equal(write(descriptor, " after", 6), 6);
    close(descriptor);
    assert_holds(test_path("stream"), "before ours after", 17);
    ruga_context_destroy(context);
}

static void ignore_signal(int number) { (void)number; }

/* Reads slowly, so that the writer is interrupted in the middle of its pieces. Nothing read is the end only after the
   first byte: before it the writer may not have come yet. */
static void *drain_pipe(void *argument) {
    unsigned char *bytes = malloc(2000000);
    size_t count = 0;
    for (int empty = 0; empty < 100000;) {
        usleep(300);
        ssize_t got = read(*(int *)argument, bytes + count, 30000);
        if (got < 0 || (got == 0 && count > 0)) break;
        if (got == 0) empty++;
        count += (size_t)got;
    }
    close(*(int *)argument);
    if (count == 1000000) return bytes;
    free(bytes);
    return NULL;
}

static void a_pipe_gets_every_byte_in_spite_of_signals(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("pipe"));
    assert_int_equal(mkfifo(path, 0666), 0);
    struct sigaction action = {.sa_handler = ignore_signal}, before;
    sigaction(SIGALRM, &action, &before);
    /* The reader gets no signals, so that all of them interrupt the writer. */
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarms, NULL);
    /* Opened before the writer, which else waits for a reader and may give up at a signal. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK);
    assert_at_most(0, descriptor);
    assert_int_equal(fcntl(descriptor, F_SETFL, 0), 0);
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, drain_pipe, &descriptor), 0);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    unsigned char *bytes = random_bytes(1000000);
    ruga_status status = write_file(context, path, bytes, 1000000);
    setitimer(ITIMER_REAL, &never, NULL);
    void *read = NULL;
    pthread_join(reader, &read);
    sigaction(SIGALRM, &before, NULL);
    assert_ok(context, status);
    assert_non_null(read);
    assert_memory_equal(read, bytes, 1000000);
    free(read);
    free(bytes);
    ruga_context_destroy(context);
}

static void a_pipe_cannot_be_written_out_of_order(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char name[64];
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    file *f = NULL;
    assert_ok(context, file_create(context, name, &f));
    assert_ok(context, file_write(f, "abc", 3));
    assert_ok(context, file_seek(f, 3));
    assert_status(file_seek(f, 0), RUGA_ERROR_FILE);
    assert_message_has(context, "can't be written out of order");
    assert_status(file_commit(f), RUGA_ERROR_FILE);
    file_close(f);
    close(ends[0]);
    close(ends[1]);
    ruga_context_destroy(context);
}

/* ---- Failures on demand. */

typedef struct failing_run {
    ruga_context *context;
    memory_file_system *memory;
    failing_file_system failing;
} failing_run;

/* A file system in memory with an old file under the name that is going to be written. */
static failing_run failing_begin(void) {
    failing_run run = {.context = context_plain(1)};
    assert_ok(run.context, memory_file_system_create(run.context, &run.memory));
    assert_ok(run.context, memory_file_system_put(run.memory, "out", "old", 3));
    failing_file_system_init(&run.failing, memory_file_system_interface(run.memory));
    return run;
}

/* The interface knows where the struct is, so it is set only once that does not move. */
static void failing_use(failing_run *run) {
    run->failing.interface.user = &run->failing;
    run->context->file_system = &run->failing.interface;
}

static void failing_end(failing_run *run) {
    run->context->file_system = file_system_disk();
    memory_file_system_destroy(run->memory);
    ruga_context_destroy(run->context);
}

static void assert_only_the_old_file(failing_run *run) {
    size_t size = 0;
    const void *bytes = memory_file_system_get(run->memory, "out", &size);
    assert_int_equal(memory_file_system_count(run->memory), 1);
    assert_string_equal(memory_file_system_name(run->memory, 0), "out");
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "old", 3);
}

static ruga_status write_in_pieces(ruga_context *context) {
    file *f = NULL;
    TRY(file_create(context, "out", &f));
    ruga_status status = RUGA_OK;
    for (int i = 0; i < 50 && !RUGA_FAILED(status); i++) status = file_print(f, "line %d\n", i);
    if (!RUGA_FAILED(status)) status = file_seek(f, 0);
    if (!RUGA_FAILED(status)) status = file_write(f, "LINE", 4);
    if (!RUGA_FAILED(status)) status = file_commit(f);
    file_close(f);
    return status;
}

static void a_disk_that_fills_at_any_byte_leaves_the_old_file(void **state) {
    (void)state;
    for (uint64_t byte = 0;; byte++) {
        failing_run run = failing_begin();
        run.failing.fail_at_byte = byte;
        failing_use(&run);
        ruga_status status = write_in_pieces(run.context);
        if (RUGA_FAILED(status)) {
            assert_status(status, RUGA_ERROR_FILE);
            assert_message_has(run.context, "out: can't be written: No space left on device; free some space");
            assert_only_the_old_file(&run);
            assert_int_equal(run.failing.creates, run.failing.closes);
        }
        failing_end(&run);
        if (!RUGA_FAILED(status)) {
            assert_less(300, byte);
            return;
        }
    }
}

static void each_call_that_fails_leaves_the_old_file(void **state) {
    (void)state;
    const char *const messages[] = {"can't be written", "can't be flushed to the disk", "can't be closed",
                                    "can't be given its name"};
    for (int kind = 0; kind < 4; kind++) {
        failing_run run = failing_begin();
        if (kind == 0) run.failing.fail_create = 0;
        if (kind == 1) run.failing.fail_flush = 0;
        if (kind == 2) run.failing.fail_close = 0;
        if (kind == 3) run.failing.fail_rename = 0;
        failing_use(&run);
        assert_status(write_in_pieces(run.context), RUGA_ERROR_FILE);
        assert_message_has(run.context, messages[kind]);
        assert_only_the_old_file(&run);
        failing_end(&run);
    }
}

static void the_first_error_stays(void **state) {
    (void)state;
    failing_run run = failing_begin();
    run.failing.fail_at_byte = 10;
    failing_use(&run);
    file *f = NULL;
    assert_ok(run.context, file_create(run.context, "out", &f));
    assert_ok(run.context, file_write(f, "0123456789ab", 12));
    assert_status(file_flush(f), RUGA_ERROR_FILE);
    run.failing.fail_at_byte = UINT64_MAX;
    assert_status(file_write(f, "x", 1), RUGA_ERROR_FILE);
    assert_status(file_print(f, "x"), RUGA_ERROR_FILE);
    assert_status(file_seek(f, 0), RUGA_ERROR_FILE);
    assert_status(file_flush(f), RUGA_ERROR_FILE);
    assert_status(file_commit(f), RUGA_ERROR_FILE);
    file_close(f);
    assert_only_the_old_file(&run);
    failing_end(&run);
}

static void reading_that_fails_says_so(void **state) {
    (void)state;
    unsigned char *bytes = NULL;
    size_t size;
    for (int kind = 0; kind < 3; kind++) {
        failing_run run = failing_begin();
        if (kind == 0) run.failing.fail_open = 0;
        if (kind > 0) run.failing.fail_read = kind - 1;
        failing_use(&run);
        assert_status(file_read_whole(run.context, "out", &bytes, &size), RUGA_ERROR_FILE);
        assert_message_has(run.context, kind == 0 ? "out: can't be opened" : "out: can't be read");
        assert_null(bytes);
        failing_end(&run);
    }
}

static void failures_on_a_real_disk_leave_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    unsigned char *bytes = random_bytes(200000);
    for (int kind = 0; kind < 5; kind++) {
        failing_file_system failing;
        failing_file_system_init(&failing, file_system_disk());
        if (kind == 0) failing.fail_at_byte = 100000;
        if (kind == 1) failing.fail_flush = 0;
        if (kind == 2) failing.fail_close = 0;
        if (kind == 3) failing.fail_rename = 0;
        if (kind == 4) failing.fail_create = 0;
        context->file_system = &failing.interface;
        assert_status(write_file(context, test_path("a"), bytes, 200000), RUGA_ERROR_FILE);
        assert_int_equal(test_folder_entry_count(), 0);
    }
    failing_file_system failing;
    failing_file_system_init(&failing, file_system_disk());
    failing.fail_create = 0;
    context->file_system = &failing.interface;
    assert_status(write_file(context, "/dev/null", "x", 1), RUGA_ERROR_FILE);
    assert_ok(context, write_file(context, "/dev/null", "x", 1));
    context->file_system = file_system_disk();
    free(bytes);
    ruga_context_destroy(context);
}

/* ---- Files whose size is not what the system said: growing, shrinking, or made up on reading. */

static uint64_t reported_size;
static const file_system *truthful;

static int lying_open(void *user, const char *path, void **handle, uint64_t *size) {
    int error = truthful->open(user, path, handle, size);
    *size = reported_size;
    return error;
}

static void a_file_is_read_to_its_end_whatever_its_size_was(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    memory_file_system *memory = NULL;
    assert_ok(context, memory_file_system_create(context, &memory));
    unsigned char *bytes = random_bytes(5000), *read;
    assert_ok(context, memory_file_system_put(memory, "f", bytes, 5000));
    truthful = memory_file_system_interface(memory);
    file_system lying = *truthful;
    lying.open = lying_open;
    context->file_system = &lying;
    const uint64_t sizes[] = {0, 1, 4998, 4999, 5000, 5001, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size;
        reported_size = sizes[i];
        assert_ok(context, file_read_whole(context, "f", &read, &size));
        assert_int_equal(size, 5000);
        assert_memory_equal(read, bytes, 5000);
        assert_int_equal(read[size], 0);
        memory_release(context, read);
    }
    const uint64_t impossible[] = {(uint64_t)1 << 60, UINT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        reported_size = impossible[i];
        assert_status(file_read_whole(context, "f", &read, &size), RUGA_ERROR_MEMORY);
        assert_message_has(context, "f: there is not enough memory for its");
    }
    context->file_system = file_system_disk();
    memory_file_system_destroy(memory);
    free(bytes);
    ruga_context_destroy(context);
}

/* ---- Memory. */

static ruga_status write_and_read(ruga_context *context, void *user) {
    const char *path = user;
    unsigned char *read = NULL;
    size_t size;
    TRY(write_file(context, path, "some bytes", 10));
    TRY(file_read_whole(context, path, &read, &size));
    memory_release(context, read);
    return RUGA_OK;
}

static ruga_status write_in_memory(ruga_context *context, void *user) {
    (void)user;
    file *f = NULL;
    TRY(file_create_in_memory(context, &f));
    ruga_status status = RUGA_OK;
    for (int i = 0; i < 100 && !RUGA_FAILED(status); i++) status = file_print(f, "%600d", i);
    void *bytes = NULL;
    size_t size;
    if (!RUGA_FAILED(status)) status = file_take_bytes(f, &bytes, &size);
    memory_release(context, bytes);
    bytes = NULL;
    if (!RUGA_FAILED(status)) status = file_take_bytes(f, &bytes, &size);
    memory_release(context, bytes);
    file_close(f);
    return status;
}

static ruga_status use_memory_files(ruga_context *context, void *user) {
    (void)user;
    memory_file_system *memory = NULL;
    TRY(memory_file_system_create(context, &memory));
    context->file_system = memory_file_system_interface(memory);
    ruga_status status = memory_file_system_put(memory, "a", "first", 5);
    if (!RUGA_FAILED(status)) status = memory_file_system_put(memory, "a", "again", 5);
    if (!RUGA_FAILED(status)) status = write_and_read(context, (void *)(intptr_t) "a");
    context->file_system = file_system_disk();
    memory_file_system_destroy(memory);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("a"));
    assert_at_most(6, assert_every_allocation_may_fail(write_and_read, path));
    assert_int_equal(test_folder_entry_count(), 1);
    assert_less(10, assert_every_allocation_may_fail(write_in_memory, NULL));
    assert_less(10, assert_every_allocation_may_fail(use_memory_files, NULL));
}

static void files_in_memory_behave_like_a_disk(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    memory_file_system *memory = NULL;
    assert_ok(context, memory_file_system_create(context, &memory));
    const file_system *files = memory_file_system_interface(memory);
    void *handle;
    uint64_t length;
    size_t size;
    assert_int_equal(files->open(files->user, "a", &handle, &length), ENOENT);
    assert_int_equal(files->remove(files->user, "a"), ENOENT);
    assert_int_equal(files->rename(files->user, "a", "b"), ENOENT);
    assert_ok(context, memory_file_system_put(memory, "a", NULL, 0));
    assert_int_equal(files->create(files->user, "a", NULL, &handle), EEXIST);
    assert_int_equal(files->rename(files->user, "a", "a"), 0);
    assert_non_null(memory_file_system_get(memory, "a", &size));
    assert_int_equal(size, 0);
    assert_null(memory_file_system_get(memory, "b", &size));
    assert_int_equal(files->open_in_place(files->user, "a", &handle), 0);
    assert_int_equal(files->write(files->user, handle, "xyz", 3), 0);
    assert_int_equal(files->write(files->user, handle, "", 0), 0);
    assert_int_equal(files->seek(files->user, handle, UINT64_MAX), 0);
    assert_int_equal(files->write(files->user, handle, "xyz", 3), EFBIG);
    char bytes[4];
    assert_int_equal(files->read(files->user, handle, bytes, 4, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(files->close(files->user, handle), 0);
    assert_memory_equal(memory_file_system_get(memory, "a", &size), "xyz", 3);
    memory_file_system_destroy(memory);
    memory_file_system_destroy(NULL);
    ruga_context_destroy(context);
}

#define FILE_TEST(test) cmocka_unit_test_setup(test, empty_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(what_is_written_is_read),
        FILE_TEST(pieces_over_each_other_are_like_memory),
        FILE_TEST(readers_seek_and_stop_at_the_end),
        FILE_TEST(printed_text_may_be_long),
        FILE_TEST(a_scratch_file_is_read_back_and_removed),
        FILE_TEST(a_file_in_memory_has_an_end),
        FILE_TEST(a_file_has_its_name_only_when_it_is_whole),
        FILE_TEST(two_writers_of_one_name_do_not_meet),
        FILE_TEST(permissions_are_the_replaced_files_or_the_umasks),
        FILE_TEST(symbolic_links_are_followed),
        FILE_TEST(names_may_be_as_long_as_the_system_allows),
        FILE_TEST(only_plain_files_are_read),
        FILE_TEST(places_that_cannot_be_written_are_refused_at_once),
        FILE_TEST(devices_are_written_directly),
        FILE_TEST(an_open_stream_is_continued),
        FILE_TEST(a_pipe_gets_every_byte_in_spite_of_signals),
        FILE_TEST(a_pipe_cannot_be_written_out_of_order),
        FILE_TEST(a_disk_that_fills_at_any_byte_leaves_the_old_file),
        FILE_TEST(each_call_that_fails_leaves_the_old_file),
        FILE_TEST(the_first_error_stays),
        FILE_TEST(reading_that_fails_says_so),
        FILE_TEST(failures_on_a_real_disk_leave_nothing),
        FILE_TEST(a_file_is_read_to_its_end_whatever_its_size_was),
        FILE_TEST(every_allocation_may_fail),
        FILE_TEST(files_in_memory_behave_like_a_disk),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
