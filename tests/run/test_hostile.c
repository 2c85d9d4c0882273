/* Hostile run directories: links, pipes and directories in place of files, huge numbers, truncated files. Whatever is
 * in a directory, no call hangs or changes a file elsewhere: it succeeds, or fails with a message. */
#include "run_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

static char run_folder[512], victim[512];

static int set_up(void **state) {
    (void)state;
    test_folder_remove();
    snprintf(run_folder, sizeof run_folder, "%s", test_path("run"));
    snprintf(victim, sizeof victim, "%s", test_path("victim"));
    write_test_file(victim, "4711\n", 5); /* what a lock might hold */
    alarm(120);                           /* a call that waits for a pipe would never end */
    return 0;
}

static const char *path_in(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", run_folder, name);
    return path;
}

static void assert_victim_is_untouched(const char *name, const char *what) {
    size_t size;
    char *bytes = read_test_file(victim, &size);
    fail_if(!bytes || size != 5 || memcmp(bytes, "4711\n", 5) != 0, "%s changed the file behind %s", what, name);
    free(bytes);
}

static ruga_description *describe_small(ruga_context *context) {
    return describe(context, "time.frames", "3", "output.formats", "[\"pc2\", \"obj\", \"glb\"]", "output.checkpoint",
                    "1", NULL);
}

/* A run of three frames that has done two, or all. */
static void make_run(ruga_context *context, int complete) {
    ruga_description *d = describe_small(context);
    ruga_run *run = NULL;
    assert_ok(context, run_create(context, d, run_folder, 0, &(run_habits){1000, SIZE_MAX}, &run));
    for (int i = 0; i < 2 + complete; i++) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    ruga_description_destroy(d);
}

/* ---- The calls that users make on a directory. */

static ruga_status do_nothing_but_look(ruga_context *context) {
    ruga_run_record *record = NULL;
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    int frames;
    (void)ruga_path_is_run(run_folder);
    ruga_status status = ruga_run_record_read(context, run_folder, &record);
    if (!RUGA_FAILED(status)) ruga_run_record_destroy(context, record);
    if (!RUGA_FAILED(ruga_run_mesh_read(context, run_folder, "flag", &mesh)))
        (void)ruga_run_motion_read(context, run_folder, "flag", mesh, &motion);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    const ruga_status verified = ruga_run_verify(context, run_folder, &frames);
    return RUGA_FAILED(status) ? status : verified;
}

static ruga_status resume(ruga_context *context) {
    ruga_run *run = NULL;
    ruga_status status = ruga_run_resume(context, run_folder, &run);
    if (!RUGA_FAILED(status)) status = next_until_done(run);
    ruga_run_destroy(run);
    return status;
}

static ruga_status start(ruga_context *context, int replace) {
    ruga_description *d = describe_small(context);
    ruga_run *run = NULL;
    ruga_status status = ruga_run_create(context, d, run_folder, replace, &run);
    if (!RUGA_FAILED(status)) status = next_until_done(run);
    ruga_run_destroy(run);
    ruga_description_destroy(d);
    return status;
}

static ruga_status start_fresh(ruga_context *context) { return start(context, 0); }
static ruga_status replace(ruga_context *context) { return start(context, 1); }

static const struct action {
    const char *name;
    ruga_status (*act)(ruga_context *context);
} actions[] = {
    {"looking", do_nothing_but_look}, {"resuming", resume}, {"starting", start_fresh}, {"replacing", replace}};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

/* Returns whether it succeeded. */
static int try_action(ruga_context *context, int action, const char *name) {
    const ruga_status status = actions[action].act(context);
    fail_if(RUGA_FAILED(status) && ruga_context_message(context)[0] == 0, "%s: no message", name);
    assert_victim_is_untouched(name, actions[action].name);
    return !RUGA_FAILED(status);
}

/* ---- In place of files. */

enum { LINK, HARD_LINK, DANGLING, LOOP, DEVICE, PIPE, FOLDER, FULL_FOLDER, KINDS };

static void put_in_place(const char *name, int kind) {
    char path[1024];
    snprintf(path, sizeof path, "%s", path_in(name));
    unlink(path);
    int result = 0;
    switch (kind) {
        case LINK: result = symlink(victim, path); break;
        case HARD_LINK: result = link(victim, path); break;
        case DANGLING: result = symlink(test_path("nowhere"), path); break;
        case LOOP: result = symlink(path, path); break;
        case DEVICE: result = symlink("/dev/full", path); break;
        case PIPE: result = mkfifo(path, 0666); break;
        default: result = mkdir(path, 0777); break;
    }
    assert_int_equal(result, 0);
    if (kind != FULL_FOLDER) return;
    char inside[1100];
    snprintf(inside, sizeof inside, "%s/mine", path);
    write_test_file(inside, "x", 1);
}

static void remove_all(void) {
    char path[1024], inside[1100];
    DIR *folder = opendir(run_folder);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        snprintf(path, sizeof path, "%s/%s", run_folder, entry->d_name);
        if (unlink(path) == 0) continue;
        snprintf(inside, sizeof inside, "%s/mine", path);
        unlink(inside);
        assert_int_equal(rmdir(path), 0);
    }
    if (folder) closedir(folder);
    assert_int_equal(rmdir(run_folder), 0);
}

static void nothing_in_place_of_a_file_is_followed(void **state) {
    (void)state;
    static const char *const names[] = {"lock",          "run.json",      "scene.json",     "log.txt",  "timings.csv",
                                        "measures.csv",  "checkpoint",    "checkpoint.new", "flag.obj", "flag.pc2.part",
                                        "flag.0007.obj", "flag.0009.obj", "flag.pc2",       "flag.glb"};
    ruga_context *context = context_plain(1);
    int succeeded = 0, failed = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int action = 0; action < ACTIONS; action++) {
                make_run(context, kind % 2);
                put_in_place(names[i], kind);
                if (try_action(context, action, names[i]))
                    succeeded++;
                else
                    failed++;
                assert_false(test_file_exists(test_path("nowhere")));
                remove_all();
            }
    assert_less(50, succeeded);
    assert_less(100, failed);
    ruga_context_destroy(context);
}

/* A directory without a run. */
static void files_of_a_user_are_never_touched(void **state) {
    (void)state;
    static const char *const names[] = {"lock",          "measures.csv",  "log.txt",
                                        "flag.pc2.part", "flag.0008.obj", "flag.glb"};
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int action = 1; action < ACTIONS; action++) {
            size_t size;
            assert_int_equal(mkdir(run_folder, 0777), 0);
            write_test_file(path_in(names[i]), "mine", 4);
            assert_false(try_action(context, action, names[i]));
            char *bytes = read_test_file(path_in(names[i]), &size);
            fail_if(!bytes || size != 4 || memcmp(bytes, "mine", 4) != 0, "%s was changed", names[i]);
            free(bytes);
            remove_all();
        }
    ruga_context_destroy(context);
}

/* Replacing a run is no reason to remove a file that only has a name of ours. */
static void assert_kept(ruga_context *context, const char *name, const char *text) {
    for (int action = 2; action < ACTIONS; action++) {
        size_t size;
        assert_int_equal(mkdir(run_folder, 0777), 0);
        write_test_file(path_in(name), text, strlen(text));
        assert_false(try_action(context, action, name));
        assert_message_has(context, "belongs to no run");
        char *bytes = read_test_file(path_in(name), &size);
        fail_if(!bytes || size != strlen(text) || memcmp(bytes, text, size) != 0, "%s was changed", name);
        free(bytes);
        remove_all();
    }
}

static void names_of_ours_do_not_make_files_ours(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_kept(context, "run.json", "{\"scripts\": {\"run\": \"node .\"}}");
    assert_kept(context, "run.json", "mine");
    assert_kept(context, "start-intersections.png", "\x89PNG\r\n\x1a\nmine");
    /* A file of ours that a power cut left is replaced. */
    static const char *const broken[] = {"", "{\n  \"ruga", "{\n  \"ruga_run\": 1,\n  \"vers"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        assert_int_equal(mkdir(run_folder, 0777), 0);
        write_test_file(path_in("run.json"), broken[i], strlen(broken[i]));
        assert_true(try_action(context, 3, "run.json"));
        remove_all();
    }
    /* A picture that is put into the directory of a run stays when that is replaced. */
    make_run(context, 1);
    write_test_file(path_in("start-intersections.png"), "mine", 4);
    assert_false(try_action(context, 3, "start-intersections.png"));
    assert_true(test_file_exists(path_in("start-intersections.png")));
    remove_all();
    ruga_context_destroy(context);
}

/* ---- run.json. */

static void replace_text(const char *path, const char *key, const char *value) {
    size_t size;
    char *text = read_test_file(path, &size);
    assert_non_null(text);
    text = realloc(text, size + 1);
    text[size] = 0;
    char *at = strstr(text, key);
    fail_if(!at, "run.json has no %s", key);
    at += strlen(key);
    char *end = at + (*at == '[' ? strcspn(at, "]") + 1 : strcspn(at, ",\n"));
    char *made = malloc(size + strlen(value) + 1);
    int length = sprintf(made, "%.*s%s%s", (int)(at - text), text, value, end);
    write_test_file(path, made, (size_t)length);
    free(made);
    free(text);
}

static void numbers_of_run_json_may_be_anything(void **state) {
    (void)state;
    static const char *const keys[] = {"\"ruga_run\": ",    "\"threads\": ", "\"fps\": ",     "\"unit\": ",
                                       "\"start_frame\": ", "\"frames\": ",  "\"objects\": ", "\"formats\": "};
    static const char *const values[] = {
        "1000000000", "-1000000000",        "1e308", "1e-308", "1e999", "-1", "0.5", "null", "{}",
        "[[[[[]]]]]", "9223372036854775808"};
    ruga_context *context = context_plain(1);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
            for (int action = 0; action < ACTIONS; action++) {
                make_run(context, v % 2);
                replace_text(path_in("run.json"), keys[k], values[v]);
                const int fine = try_action(context, action, keys[k]);
                fail_if(fine && action == 1 && k > 1, "%s%s was resumed", keys[k], values[v]);
                remove_all();
            }
    ruga_context_destroy(context);
}

/* ---- Truncated files. */

static void every_file_may_be_cut_off_anywhere(void **state) {
    (void)state;
    static const char *const names[] = {"run.json", "scene.json", "timings.csv",   "measures.csv", "checkpoint",
                                        "flag.obj", "flag.glb",   "flag.pc2.part", "flag.0008.obj"};
    ruga_context *context = context_plain(1);
    int tries = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int part = 0; part < 7; part++) {
            struct stat info;
            make_run(context, strcmp(names[i], "flag.glb") == 0);
            assert_int_equal(stat(path_in(names[i]), &info), 0);
            assert_int_equal(truncate(path_in(names[i]), info.st_size * part / 7), 0);
            (void)try_action(context, 0, names[i]);
            const int resumed = try_action(context, 1, names[i]);
            const int needed = strstr(names[i], ".json") || strstr(names[i], ".glb");
            fail_if(resumed == (needed != 0), "%s, cut at %d/7: %s", names[i], part, ruga_context_message(context));
            fail_if(!try_action(context, 3, names[i]), "%s: %s", names[i], ruga_context_message(context));
            remove_all();
            tries++;
        }
    assert_int_equal(tries, 63);
    ruga_context_destroy(context);
}

#define HOSTILE_TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void) {
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
    const struct CMUnitTest tests[] = {
        HOSTILE_TEST(nothing_in_place_of_a_file_is_followed), HOSTILE_TEST(files_of_a_user_are_never_touched),
        HOSTILE_TEST(names_of_ours_do_not_make_files_ours),   HOSTILE_TEST(numbers_of_run_json_may_be_anything),
        HOSTILE_TEST(every_file_may_be_cut_off_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
