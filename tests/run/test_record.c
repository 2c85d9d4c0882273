/* Reading what a run wrote: while it runs, after it was killed, and when someone edited it. */
#include "run_fixture.h"

#include <math.h>
#include <unistd.h>

static ruga_context *context;
static memory_file_system *memory;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ok(context, memory_file_system_create(context, &memory));
    context->file_system = memory_file_system_interface(memory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    context->file_system = file_system_disk();
    memory_file_system_destroy(memory);
    ruga_context_destroy(context);
    return 0;
}

static ruga_run *begin(const char *formats, int frames) {
    ruga_description *d = describe(context, "output.formats", formats, NULL);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, "run", 0, &run));
    ruga_description_destroy(d);
    for (int i = 0; i < frames; i++) assert_ok(context, ruga_run_next(run));
    return run;
}

static void put(const char *path, const char *text) {
    assert_ok(context, memory_file_system_put(memory, path, text, strlen(text)));
}

static char *get(const char *path) {
    size_t size = 0;
    const void *bytes = memory_file_system_get(memory, path, &size);
    assert_non_null(bytes);
    char *text = calloc(size + 1, 1);
    memcpy(text, bytes, size);
    return text;
}

static ruga_run_record *read_record(void) {
    ruga_run_record *record = NULL;
    assert_ok(context, ruga_run_record_read(context, "run", &record));
    return record;
}

/* ---- While it runs. */

static void a_running_run_can_be_read(void **state) {
    (void)state;
    ruga_run *run = begin("[\"pc2\"]", 0);
    ruga_run_record *record = read_record();
    assert_int_equal(record->frames_done, 0);
    assert_false(record->complete);
    ruga_run_record_destroy(context, record);
    for (int i = 1; i <= 3; i++) {
        assert_ok(context, ruga_run_next(run));
        record = read_record();
        assert_int_equal(record->frames_done, i);
        assert_string_equal(record->objects[0].cache, "run/flag.pc2.part");

        /* All frames that are done are in the cache, checkpoint or not. */
        ruga_mesh *mesh = NULL;
        ruga_motion *motion = NULL;
        ruga_file_def def = ruga_file_def_default();
        def.rate = record->fps;
        assert_ok(context, ruga_mesh_read(context, record->objects[0].mesh, &def, &mesh));
        assert_ok(context, ruga_motion_read(context, record->objects[0].cache, mesh, &def, &motion));
        assert_int_equal(ruga_motion_get_info(motion).sample_count, i);
        assert_near_case(ruga_motion_get_info(motion).start, 7.0 / 30, 1e-6, "i %d", i);
        ruga_motion_destroy(motion);
        ruga_mesh_destroy(mesh);
        ruga_run_record_destroy(context, record);
    }
    ruga_run_destroy(run);
}

static void half_a_line_is_not_there_yet(void **state) {
    (void)state;
    ruga_run_destroy(begin("[\"obj\"]", 3));
    char *measures = get("run/measures.csv"), *timings = get("run/timings.csv");

    /* Cut at every byte of the last line; a number that lacks digits is never taken for one. */
    const size_t size = strlen(measures);
    size_t line = size - 1;
    while (measures[line - 1] != '\n') line--;
    for (size_t cut = line; cut < size; cut++) {
        assert_ok(context, memory_file_system_put(memory, "run/measures.csv", measures, cut));
        ruga_run_record *record = read_record();
        assert_int_equal(record->frames_done, 2);
        ruga_run_record_destroy(context, record);
    }

    /* Timings that lag behind are NaN. */
    put("run/measures.csv", measures);
    const char *second = strchr(strchr(timings, '\n') + 1, '\n') + 1;
    assert_ok(context, memory_file_system_put(memory, "run/timings.csv", timings, (size_t)(second - timings)));
    ruga_run_record *record = read_record();
    assert_int_equal(record->frames_done, 3);
    assert_true(record->measures[0].is_time);
    assert_at_most(0, record->values[0]);
    assert_true(isnan(record->values[record->measure_count]) != 0);
    assert_string_equal(record->objects[0].cache, "run/flag.####.obj");
    ruga_run_record_destroy(context, record);

    /* Nothing at all: no columns and no rows. */
    put("run/measures.csv", "");
    put("run/timings.csv", "frame");
    record = read_record();
    assert_true(record->frames_done == 0 && record->measure_count == 0);
    ruga_run_record_destroy(context, record);
    free(measures);
    free(timings);
}

static void names_with_commas_and_quotes_come_back(void **state) {
    (void)state;
    const ruga_measure columns[] = {{"a, b.energy", "J", 0}, {"the \"great\" [one].x", "m/s²", 0}, {"x\ny", "1", 0}};
    const double values[] = {1.0 / 3, -1e-300, INFINITY};
    file *f = NULL;
    assert_ok(context, file_append(context, "table", 0, &f));
    assert_ok(context, table_write_names(f, columns, 3));
    for (int i = -2; i < 1; i++) assert_ok(context, table_write_row(f, i, values, 3));
    assert_ok(context, file_hand_over(f));
    file_close(f);
    arena texts = arena_make(context);
    run_table table;
    assert_ok(context, table_read(context, "table", -2, 1, &texts, &table));
    assert_int_equal(table.column_count, 3);
    assert_int_equal(table.row_count, 3);
    assert_string_equal(table.columns[0].name, "a, b.energy");
    assert_string_equal(table.columns[1].name, "the \"great\" [one].x");
    assert_string_equal(table.columns[1].unit, "m/s²");
    assert_string_equal(table.columns[2].name, "x y");
    assert_true(table.columns[0].is_time);
    assert_memory_equal(table.values, values, sizeof values);
    memory_release(context, table.values);
    arena_release(&texts);
}

/* ---- Broken files. */

static void broken_tables_are_reported_with_their_line(void **state) {
    (void)state;
    ruga_run_destroy(begin("[]", 2));
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"number,a [J]\n", "run/measures.csv:1: expected a table whose first column is: frame"},
        {"frames\n", ":1: expected a table whose first column is"},
        {"frame,a\n", ":1: expected the name of a column with its unit"},
        {"frame,a [J\n", ":1: expected the name of a column with its unit"},
        {"frame,\"a [J]\n", ":1: text follows the closing quotation mark of a name, or"},
        {"frame,\"a [J]\"b\n", ":1: text follows the closing quotation mark of a name, or"},
        {"frame,a [J]\n7,1\n9,1\n", ":3: expected the line of frame 8"},
        {"frame,a [J]\nx,1\n", ":2: expected the line of frame 7"},
        {"frame,a [J]\n7\n", ":2: expected a number in column 2 of 2"},
        {"frame,a [J]\n7,\n", ":2: expected a number in column 2 of 2"},
        {"frame,a [J]\n7,one\n", ":2: expected a number in column 2 of 2"},
        {"frame,a [J]\n7,1,2\n", ":2: this line has more values"},
        {"frame,a [J]\n7,1 \n", ":2: this line has more values"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ruga_run_record *record = NULL;
        put("run/measures.csv", bad[i].text);
        assert_status(ruga_run_record_read(context, "run", &record), RUGA_ERROR_INPUT);
        assert_message_has(context, bad[i].message);
        assert_null(record);
    }
    ruga_run_record *record = NULL;
    assert_ok(context, memory_file_system_put(memory, "run/measures.csv", "frame\n7\0\n", 9));
    assert_status(ruga_run_record_read(context, "run", &record), RUGA_ERROR_INPUT);
    assert_status(ruga_run_record_read(context, NULL, &record), RUGA_ERROR_ARGUMENT);
    ruga_run_record_destroy(context, NULL);
}

static void a_complete_run_has_every_line_or_no_table(void **state) {
    (void)state;
    ruga_run *run = begin("[\"obj\"]", FRAMES);
    ruga_run_destroy(run);
    ruga_run_record *record = read_record();
    const size_t count = record->measure_count;
    assert_int_equal(record->frames_done, FRAMES);
    ruga_run_record_destroy(context, record);

    /* One of them may be missing, or both. */
    assert_ok(context, file_remove(context, "run/measures.csv"));
    record = read_record();
    assert_true(record->frames_done == FRAMES);
    assert_less(0, record->measure_count);
    assert_less(record->measure_count, count);
    ruga_run_record_destroy(context, record);
    put("run/timings.csv", "frame,time.x [s]\n7,1\n");
    assert_status(ruga_run_record_read(context, "run", &record), RUGA_ERROR_INPUT);
    assert_message_has(context, "measures.csv and timings.csv have only 1 of its 5 frames");
    assert_ok(context, file_remove(context, "run/timings.csv"));
    record = read_record();
    assert_true(record->frames_done == FRAMES && record->measure_count == 0);
    ruga_run_record_destroy(context, record);
}

/* Each line of run.json is taken away or spoilt in turn. */
static void a_broken_plan_is_reported_with_its_place(void **state) {
    (void)state;
    ruga_run_destroy(begin("[\"pc2\"]", 1));
    char *whole = get("run/run.json");
    static const struct {
        const char *from, *to, *message;
    } bad[] = {
        {"\"ruga_run\": 1", "\"ruga_run\": 2", "a newer version of Ruga wrote this run"},
        {"\"ruga_run\": 1", "\"ruga_run\": \"x\"", "run/run.json:2:15: \"ruga_run\" should be a whole number"},
        {"\"ruga_run\"", "\"something\"", "run/run.json: \"ruga_run\" is missing"},
        {"\"version\": ", "\"version\": 1, \"was\": ", "\"version\" should be a text"},
        {"\"isa\"", "\"i\"", "\"isa\" is missing"},
        {"\"threads\": 1", "\"threads\": 0.5", "\"threads\" should be a whole number"},
        {"\"scene\": \"", "\"scene\": \"z", "\"scene\" should be sixteen hexadecimal digits"},
        {"\"fps\": 30", "\"fps\": 0", "\"fps\" should be a number above zero"},
        {"\"start_frame\": 7", "\"start_frame\": 1e12", "\"start_frame\" should be"},
        {"\"frames\": 5", "\"frames\": -1", "\"frames\" should be"},
        {"\"unit\": 0.01", "\"unit\": null", "\"unit\" should be"},
        {"\"up\": \"z\"", "\"up\": \"w\"", "\"up\" should be x, y or z"},
        {"[\"pc2\"]", "[\"pc3\"]", "\"formats\" should be a list of pc2"},
        {"[\"pc2\"]", "\"pc2\"", "\"formats\" should be a list"},
        {"\"objects\": [", "\"objects\": 1, \"was\": [", "\"objects\" should be a list"},
        {"\"inputs\": []", "\"inputs\": 1", "\"inputs\" should be a list"},
        {"\"inputs\": []", "\"inputs\": [{\"file\": \"/a\"}]", "\"hash\" is missing"},
        {"\"inputs\": []", "\"inputs\": [1]", "\"file\" is missing"},
        {"\"stem\": \"flag\"", "\"stem\": \"../flag\"", "\"stem\" should be a name of letters and digits"},
        {"\"stem\": \"flag\"", "\"stem\": \"\"", "\"stem\" should be a name of letters and digits"},
        {"\"name\": \"flag\"", "\"name\": \"a\\u0000b\"", "\"name\" should be a text"},
        {"\"complete\": false", "\"complete\": 0", "\"complete\" should be true or false"},
        {"\"complete\": false", "\"complete\": false,", "run/run.json:"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[4096];
        const char *at = strstr(whole, bad[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, bad[i].to, at + strlen(bad[i].from));
        put("run/run.json", text);
        ruga_run_record *record = NULL;
        assert_true(RUGA_FAILED(ruga_run_record_read(context, "run", &record)));
        assert_message_has(context, bad[i].message);
        assert_null(record);
        ruga_run *run = NULL;
        assert_true(RUGA_FAILED(ruga_run_resume(context, "run", &run)));
        assert_null(run);
    }
    free(whole);
}

/* ---- Names of files. */

static void objects_with_like_names_have_files_of_their_own(void **state) {
    (void)state;
    ruga_description *d = NULL;
    const char *text =
        "{\"time\": {\"frames\": 1}, \"objects\": ["
        "{\"name\": \"a b\", \"mesh\": \"sheet\"}, {\"name\": \"a.b\", \"mesh\": \"sheet\"},"
        "{\"name\": \"a#b\", \"mesh\": \"sheet\"}, {\"name\": \"Größe\", \"mesh\": \"sheet\"}]}";
    assert_ok(context, ruga_description_read_memory(context, "names", text, strlen(text), &d));
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, "run", 0, &run));
    assert_ok(context, next_until_done(run));
    ruga_run_destroy(run);
    ruga_run_record *record = read_record();
    static const char *const expected[] = {"run/a_b.pc2", "run/a_b-2.pc2", "run/a_b-3.pc2", "run/Größe.pc2"};
    for (size_t i = 0; i < 4; i++) assert_string_equal(record->objects[i].cache, expected[i]);
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
}

static void long_names_are_cut_between_characters(void **state) {
    (void)state;
    char text[1024], name[101] = "";
    for (int i = 0; i < 50; i++) strcat(name, i == 0 ? "x" : "ä");
    snprintf(text, sizeof text, "{\"time\": {\"frames\": 1}, \"objects\": [{\"name\": \"%s\", \"mesh\": \"sheet\"}]}",
             name);
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "names", text, strlen(text), &d));
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, "run", 0, &run));
    ruga_run_destroy(run);
    ruga_run_record *record = read_record(); /* run.json is valid UTF-8 */
    assert_string_equal(record->objects[0].name, name);
    assert_int_equal(strlen(record->objects[0].mesh), strlen("run/") + 91 + strlen(".obj"));
    ruga_run_record_destroy(context, record);
    ruga_description_destroy(d);
}

static void only_files_of_the_plan_are_its_own(void **state) {
    (void)state;
    ruga_run *run = begin("[\"pc2\", \"obj\"]", 0);
    static const char *const own[] = {
        "run.json",      "scene.json",  "log.txt",      "checkpoint",    "checkpoint.new", "flag.obj",    "flag.pc2",
        "flag.pc2.part", "timings.csv", "measures.csv", "flag.0007.obj", "flag.0011.obj",  "box__1_2.obj"};
    static const char *const others[] = {"flag.0006.obj",  "flag.0012.obj", "flag.7.obj",     "flag.00007.obj",
                                         "flag.0007.ply",  "flag.glb",      ".flag.pc2.part", "flags.obj",
                                         "flag.0007.obj2", "fla.obj",       "lock",           "",
                                         "flag.usda",      "flag",          "scene.json.bak", "flag.+007.obj"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        char temporary[64];
        fail_if(plan_owns(run->plan, own[i]) != PLAN_FILE, "%s", own[i]);
        snprintf(temporary, sizeof temporary, "%s.12-3.tmp", own[i]);
        fail_if(plan_owns(run->plan, temporary) != PLAN_TEMPORARY, "%s", temporary);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        fail_if(plan_owns(run->plan, others[i]) != PLAN_OTHERS, "%s", others[i]);
    assert_int_equal(plan_owns(run->plan, "others.12-3.tmp"), PLAN_OTHERS);
    ruga_run_destroy(run);
}

#define RECORD_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        RECORD_TEST(a_running_run_can_be_read),
        RECORD_TEST(half_a_line_is_not_there_yet),
        RECORD_TEST(names_with_commas_and_quotes_come_back),
        RECORD_TEST(broken_tables_are_reported_with_their_line),
        RECORD_TEST(a_complete_run_has_every_line_or_no_table),
        RECORD_TEST(a_broken_plan_is_reported_with_its_place),
        RECORD_TEST(objects_with_like_names_have_files_of_their_own),
        RECORD_TEST(long_names_are_cut_between_characters),
        RECORD_TEST(only_files_of_the_plan_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
