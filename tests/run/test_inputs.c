/* A run resumes only with the files that it started with: the message names a file that was changed, added or
 * removed. */
#include "run_fixture.h"

static memory_file_system *files;
static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ok(context, memory_file_system_create(context, &files));
    context->file_system = memory_file_system_interface(files);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    context->file_system = file_system_disk();
    memory_file_system_destroy(files);
    ruga_context_destroy(context);
    return 0;
}

static void put(const char *path, const char *text) {
    assert_ok(context, memory_file_system_put(files, path, text, strlen(text)));
}

/* A triangle that is moved by a sequence, and swings by weights from a file. */
static const char scene_text[] =
    "{\"time\": {\"frames\": 4}, \"output\": {\"checkpoint\": 1}, \"objects\": [{\"name\": \"a\", \"mesh\": "
    "\"/in/rest.obj\","
    " \"body\": {\"kind\": \"animated\", \"motion\": \"/in/move_#.obj\"},"
    " \"details\": [{\"kind\": \"jiggle\", \"weight\": {\"file\": \"/in/weights.txt\"}}]}]}";

static void put_input(void) {
    put("/in/rest.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    put("/in/move_1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    put("/in/move_2.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n");
    put("/in/weights.txt", "0\n0.5\n1\n");
}

static ruga_description *describe_input(void) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "inputs", scene_text, strlen(scene_text), &d));
    return d;
}

/* A run that was stopped after two frames. */
static void begin_run(void) {
    ruga_run *run = NULL;
    ruga_description *d = describe_input();
    assert_ok(context, ruga_run_create(context, d, "run", 1, &run));
    ruga_description_destroy(d);
    for (int i = 0; i < 2; i++) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
}

static void assert_not_resumed(const char *message) {
    ruga_run *run = NULL;
    assert_status(ruga_run_resume(context, "run", &run), RUGA_ERROR_INPUT);
    assert_null(run);
    assert_message_has(context, message);
    assert_message_has(context, "since the run started; undo the change, or start again with: ruga run ");
}

static void a_run_resumes_with_unchanged_files(void **state) {
    (void)state;
    put_input();
    begin_run();
    put_input();
    resume_whole(context, "run");
}

static void each_changed_file_is_reported(void **state) {
    (void)state;
    static const struct {
        const char *path, *text;
    } changes[] = {
        {"/in/rest.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n"},
        {"/in/move_1.obj", "v 0 0 0\nv 1 0 0\nv 0 3 0\nf 1 2 3\n"},
        {"/in/move_2.obj", "v 0 0 1\nv 1 0 1\nv 0 1 9\nf 1 2 3\n"},
        {"/in/weights.txt", "0\n0.5\n0\n"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char message[128];
        put_input();
        begin_run();
        put(changes[i].path, changes[i].text);
        snprintf(message, sizeof message, "%s: this file has changed", changes[i].path);
        assert_not_resumed(message);
        /* Without the change, the run resumes. */
        put_input();
        resume_whole(context, "run");
    }
}

static void added_and_removed_files_are_reported(void **state) {
    (void)state;
    put_input();
    begin_run();
    put("/in/move_3.obj", "v 0 0 2\nv 1 0 2\nv 0 1 2\nf 1 2 3\n");
    assert_not_resumed("/in/move_3.obj: this input file was added");
    assert_ok(context, file_remove(context, "/in/move_3.obj"));
    assert_ok(context, file_remove(context, "/in/move_2.obj"));
    assert_not_resumed("/in/move_2.obj: this input file was removed");
    assert_ok(context, file_remove(context, "/in/rest.obj"));
    ruga_run *run = NULL;
    assert_status(ruga_run_resume(context, "run", &run), RUGA_ERROR_FILE);
    assert_message_has(context, "/in/rest.obj: can't be opened");
}

/* A complete run ignores changes of its input. */
static void a_complete_run_does_not_mind(void **state) {
    (void)state;
    put_input();
    begin_run();
    resume_whole(context, "run");
    put("/in/weights.txt", "1\n1\n1\n");
    resume_whole(context, "run");
}

/* A run that was begun before inputs were remembered can be resumed, replaced and looked at. */
static void a_run_without_recorded_input_resumes(void **state) {
    (void)state;
    put_input();
    begin_run();
    size_t size;
    const char *written = memory_file_system_get(files, "run/run.json", &size);
    assert_non_null(written);
    char *text = calloc(size + 1, 1);
    assert_non_null(text);
    memcpy(text, written, size);
    char *key = strstr(text, "\"inputs\"");
    assert_non_null(key);
    memcpy(key, "\"others\"", strlen("\"others\""));
    put("run/run.json", text);
    free(text);
    put("/in/weights.txt", "1\n1\n1\n");
    resume_whole(context, "run");
}

/* Of a file of many blocks the first, the last and those between count. */
static void a_large_file_is_looked_at_all_over(void **state) {
    (void)state;
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const size_t size = 3 * ((size_t)1 << 20) + 17;
    const size_t places[] = {100, size / 3, size / 2, size - 5};
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, '\n', size);
    memcpy(text, mesh, strlen(mesh));
    text[size] = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        put_input();
        put("/in/rest.obj", text);
        begin_run();
        text[places[i]] = ' ';
        put("/in/rest.obj", text);
        assert_not_resumed("/in/rest.obj: this file has changed");
    }
    free(text);
}

static ruga_status stop_and_continue(ruga_context *failing, void *user) {
    (void)user;
    failing->file_system = memory_file_system_interface(files);
    ruga_description *d = NULL;
    ruga_run *run = NULL;
    ruga_status status = ruga_description_read_memory(failing, "inputs", scene_text, strlen(scene_text), &d);
    if (!RUGA_FAILED(status)) status = ruga_run_create(failing, d, "run", 1, &run);
    ruga_description_destroy(d);
    ruga_run_destroy(run);
    run = NULL;
    if (!RUGA_FAILED(status)) status = ruga_run_resume(failing, "run", &run);
    ruga_run_destroy(run);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    put_input();
    assert_less(100, assert_every_allocation_may_fail(stop_and_continue, NULL));
}

#define INPUT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        INPUT_TEST(a_run_resumes_with_unchanged_files),
        INPUT_TEST(each_changed_file_is_reported),
        INPUT_TEST(added_and_removed_files_are_reported),
        INPUT_TEST(a_complete_run_does_not_mind),
        INPUT_TEST(a_run_without_recorded_input_resumes),
        INPUT_TEST(a_large_file_is_looked_at_all_over),
        INPUT_TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
