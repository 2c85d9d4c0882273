/* A run that is killed at any moment resumes with the same bits. Each moment at which a run changes a file is tried: a
 * child process is killed there, and the run is resumed and compared, byte by byte, with one that nobody disturbed. */
#include "run_fixture.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/killing_files.h"

/* A process with AddressSanitizer takes so long to fork that not every moment is tried there. */
#define STRIDE (SANITIZED ? 11 : 1)

static char whole_path[512], killed_path[512];

static int set_up(void **state) {
    (void)state;
    test_folder_remove();
    snprintf(whole_path, sizeof whole_path, "%s", test_path("whole"));
    snprintf(killed_path, sizeof killed_path, "%s", test_path("killed"));
    return 0;
}

/* A context whose files are as fast as can be. */
typedef struct quick {
    killing_file_system files;
    ruga_context *context;
} quick;

static void quick_make(quick *q, long kill_at) {
    killing_file_system_init(&q->files, file_system_disk(), kill_at);
    assert_int_equal(ruga_context_create(&(ruga_context_def){.cookie = RUGA_COOKIE, .thread_count = 1}, &q->context),
                     RUGA_OK);
    q->context->file_system = &q->files.interface;
}

static void quick_destroy(quick *q) { ruga_context_destroy(q->context); }

/* ---- The child: a whole run or the rest of one, until it is killed. */

typedef struct trial {
    const char *formats;
    const char *checkpoint;
    run_habits habits;
    int resume; /* instead of beginning */
} trial;

static ruga_description *describe_trial(ruga_context *context, const trial *t) {
    return describe(context, "output.formats", t->formats, "output.checkpoint", t->checkpoint, NULL);
}

static ruga_status work(ruga_context *context, const trial *t) {
    ruga_run *run = NULL;
    ruga_status status;
    if (t->resume) {
        status = run_resume(context, killed_path, &t->habits, &run);
    } else {
        ruga_description *d = describe_trial(context, t);
        status = run_create(context, d, killed_path, 0, &t->habits, &run);
        ruga_description_destroy(d);
    }
    if (!RUGA_FAILED(status)) status = next_until_done(run);
    ruga_run_destroy(run);
    return status;
}

/* Whether it was killed. */
static int kill_child(const trial *t, long kill_at) {
    pid_t child = fork();
    assert_at_most(0, child);
    if (child == 0) {
        quick q;
        quick_make(&q, kill_at);
        _exit(RUGA_FAILED(work(q.context, t)) ? 1 : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return 1;
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    return 0;
}

/* ---- The parent. */

static void run_undisturbed(const trial *t) {
    quick q;
    quick_make(&q, -1);
    ruga_description *d = describe_trial(q.context, t);
    run_whole(q.context, d, whole_path);
    ruga_description_destroy(d);
    quick_destroy(&q);
}

/* Before run.json had its name there was no run: it begins again, without asking to replace anything. */
static void continue_to_the_end(const trial *t) {
    quick q;
    quick_make(&q, -1);
    if (ruga_path_is_run(killed_path)) {
        resume_whole(q.context, killed_path);
    } else {
        assert_false(t->resume);
        ruga_description *d = describe_trial(q.context, t);
        run_whole(q.context, d, killed_path);
        ruga_description_destroy(d);
    }
    quick_destroy(&q);
}

/* Times differ from run to run, but each frame has its line of them. */
static void assert_tables_are_whole(void) {
    ruga_context *context = context_plain(1);
    ruga_run_record *record = NULL;
    assert_ok(context, ruga_run_record_read(context, killed_path, &record));
    assert_int_equal(record->frames_done, FRAMES);
    for (size_t i = 0; i < FRAMES * record->measure_count; i++)
        assert_equal(record->values[i], record->values[i]); /* not NaN */
    ruga_run_record_destroy(context, record);
    ruga_context_destroy(context);
}

/* Every moment of a run, until one comes through unharmed. Returns how many there were. */
static long kill_at_every_moment(const trial *t) {
    run_undisturbed(t);
    for (long n = 0;; n += STRIDE) {
        const int killed = kill_child(t, n);
        if (killed) continue_to_the_end(t);
        assert_same_run(whole_path, killed_path);
        assert_tables_are_whole();
        remove_run(killed_path);
        if (!killed) return n;
    }
}

static void a_cache_killed_at_any_moment_becomes_the_same(void **state) {
    (void)state;
    assert_less(80, kill_at_every_moment(&(trial){"[\"pc2\"]", "2", FLUSHING, 0}));
}

static void without_waiting_for_the_disk_it_becomes_the_same(void **state) {
    (void)state;
    assert_less(60, kill_at_every_moment(&(trial){"[\"pc2\"]", "1", {1000, 0}, 0}));
}

static void every_format_killed_at_any_moment_becomes_the_same(void **state) {
    (void)state;
    assert_less(150, kill_at_every_moment(&(trial){"[\"pc2\", \"obj\", \"ply\", \"glb\", \"usda\"]", "3", BESIDE, 0}));
}

static void working_files_do_not_stay_behind(void **state) {
    (void)state;
    assert_less(60, kill_at_every_moment(&(trial){"[\"glb\"]", "3", FLUSHING, 0}));
    char path[1024];
    snprintf(path, sizeof path, "%s/.flag.pc2.part", whole_path);
    assert_false(test_file_exists(path));
}

static void a_run_without_checkpoints_starts_again(void **state) {
    (void)state;
    assert_less(40, kill_at_every_moment(&(trial){"[\"obj\"]", "0", {1000, SIZE_MAX}, 0}));
}

/* ---- Killed while it is resumed, too. */

/* A run that was killed late, as files to begin each trial from. */
static void copy_run(const char *from, const char *to) {
    assert_int_equal(mkdir(to, 0777), 0);
    DIR *folder = opendir(from);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char path[1024];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", from, entry->d_name);
        char *bytes = read_test_file(path, &size);
        assert_non_null(bytes);
        snprintf(path, sizeof path, "%s/%s", to, entry->d_name);
        write_test_file(path, bytes, size);
        free(bytes);
    }
    closedir(folder);
}

static void a_resume_that_is_killed_is_resumed(void **state) {
    (void)state;
    char kept_path[512];
    snprintf(kept_path, sizeof kept_path, "%s", test_path("kept"));
    trial t = {"[\"pc2\", \"glb\"]", "2", BESIDE, 0};
    run_undisturbed(&t);
    long n = 0;
    for (; kill_child(&t, n); n += STRIDE) remove_run(killed_path);
    remove_run(killed_path);

    /* Killed in the middle of a frame, and shortly before the end. */
    const long moments[] = {n * 6 / 10, n - 2 * STRIDE - 8};
    t.resume = 1;
    for (int i = 0; i < 2; i++) {
        t.resume = 0;
        assert_true(kill_child(&t, moments[i]));
        assert_int_equal(rename(killed_path, kept_path), 0);
        t.resume = 1;
        for (long k = 0, killed = 1; killed; k += STRIDE) {
            copy_run(kept_path, killed_path);
            killed = kill_child(&t, k);
            if (killed) continue_to_the_end(&t);
            assert_same_run(whole_path, killed_path);
            remove_run(killed_path);
        }
        remove_run(kept_path);
    }
}

#define KILL_TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void) {
    /* Where files are in memory this takes a second, on a disk several. */
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        KILL_TEST(a_cache_killed_at_any_moment_becomes_the_same),
        KILL_TEST(without_waiting_for_the_disk_it_becomes_the_same),
        KILL_TEST(every_format_killed_at_any_moment_becomes_the_same),
        KILL_TEST(working_files_do_not_stay_behind),
        KILL_TEST(a_run_without_checkpoints_starts_again),
        KILL_TEST(a_resume_that_is_killed_is_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
