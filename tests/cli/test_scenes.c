/* Commands for scenes: new, check, run, resume, render, info, stats, and their messages about mistakes. */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/ruga_command.h"

static ruga_context *context;

static void write_text(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

/* A sheet that is shaken and swings, above a ball and a floor. */
static const char small_scene[] =
    "{ // frames of a small sheet\n"
    "  \"time\": {\"frames\": 8, \"substeps\": 2},\n"
    "  \"colliders\": [{\"kind\": \"plane\", \"point\": [0, -0.5, 0]}, {\"kind\": \"sphere\", \"radius\": 0.2,\n"
    "    \"centre\": [0, -0.2, 0]}, {\"kind\": \"capsule\", \"from\": [1, 0, 0], \"to\": [1, 0.4, 0]},\n"
    "    {\"kind\": \"box\", \"centre\": [-1, 0, 0], \"size\": [0.3, 0.2, 0.1], \"turn\": [0, 30, 0]}],\n"
    "  \"objects\": [{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"rows\": 12, \"columns\": 12},\n"
    "    \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"move\": [0.3, 0.1, 0]}]},\n"
    "    \"hooks\": [{\"kind\": \"collide\"}], \"details\": [{\"kind\": \"jiggle\", \"frequency\": 2}]}],\n"
    "  \"output\": {\"formats\": [\"pc2\"], \"checkpoint\": 3}\n"
    "}\n";

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    write_text("small.json", small_scene);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    test_folder_remove();
    ruga_context_destroy(context);
    return 0;
}

/* Asserts that the command ends with a code, and that its output (standard output and standard error) has all of
 * these. */
static void assert_says(int code, const char *const *parts, const char *line) {
    command_result result = ruga_run("%s", line);
    fail_if(result.code != code, "ruga %s: exit code %d, not %d: %s", line, result.code, code, result.err);
    for (size_t i = 0; parts[i]; i++)
        fail_if(!strstr(result.out, parts[i]) && !strstr(result.err, parts[i]), "ruga %s: no \"%s\" in:\n%s%s", line,
                parts[i], result.out, result.err);
    command_release(&result);
}

static void assert_same_file(const char *a, const char *b) {
    size_t size_a = 0, size_b = 0;
    char *text_a = read_test_file(test_path(a), &size_a), *text_b = read_test_file(test_path(b), &size_b);
    assert_non_null(text_a);
    assert_non_null(text_b);
    assert_int_equal(size_a, size_b);
    assert_less(0, size_a);
    assert_memory_equal(text_a, text_b, size_a);
    free(text_a);
    free(text_b);
}

/* ---- new, check. */
static void every_kind_of_new_scene_can_be_checked_and_some_are_run(void **state) {
    (void)state;
    skip_when_sanitized();
    command_result list = ruga_run("new");
    json_document *kinds = ruga_json(context, 0, "new");
    assert_int_equal(json_root(kinds)->count, ruga_scene_template_count());
    int runs = 0;
    for (size_t i = 0; i < ruga_scene_template_count(); i++) {
        const ruga_scene_template *kind = ruga_scene_template_get(i);
        assert_non_null(strstr(list.out, kind->name));
        command_result text = ruga_run("new %s", kind->name);
        assert_string_equal(text.out, kind->text);
        command_release(&text);
        assert_ruga(0, NULL, "new %s -o kind.json -q", kind->name);
        command_result check = ruga_run("check kind.json --no-trial");
        assert_int_equal(check.code, 0);
        assert_string_equal(check.out, "kind.json: fine\n");
        command_release(&check);
        /* tests/scene/test_examples.c steps every one. */
        if (i % 4 == 0) {
            json_document *run = ruga_json(context, 0, "run kind.json --frames 1 --replace");
            assert_int_equal((int)json_number_at(run, "frames"), 1);
            assert_string_equal(json_text_at(run, "directory"), "kind.run");
            json_destroy(run);
            runs++;
        }
        unlink(test_path("kind.json"));
    }
    assert_ran(runs, 2);
    json_destroy(kinds);
    command_release(&list);
}

static void a_new_scene_overwrites_only_with_force(void **state) {
    (void)state;
    const char *kind = ruga_scene_template_get(0)->name;
    write_text("mine.json", "precious");
    assert_ruga(1, "mine.json: exists already; --force overwrites it", "new %s -o mine.json", kind);
    char *text = read_test_file(test_path("mine.json"), NULL);
    assert_string_equal(text, "precious");
    free(text);
    assert_ruga(0, NULL, "new %s -o mine.json --force -q", kind);
    text = read_test_file(test_path("mine.json"), NULL);
    assert_string_equal(text, ruga_scene_template_get(0)->text);
    free(text);
    assert_ruga(1, "no_such_folder/x.json", "new %s -o no_such_folder/x.json", kind);
}

static const char broken_scene[] =
    "{\n"
    "  \"time\": {\"fsp\": 24,\n"
    "    \"frames\": -1},\n"
    "  \"objects\": [\n"
    "    {\"name\": \"a\", \"mesh\": \"no_such_file.obj\"},\n"
    "    {\"name\": \"b\", \"mesh\": {\"kind\": \"sheet\"},\n"
    "     \"material\": \"coton\",\n"
    "     \"body\": {\"kind\": \"animatd\"}}],\n"
    "  \"gravity\": 5\n"
    "}\n";

static void check_reports_all_findings_with_line_and_column(void **state) {
    (void)state;
    static const char *const parts[] = {"broken.json:2:", "time.fsp",    "did you mean",          "fps",
                                        "broken.json:3:", "time.frames", "broken.json:5:",        "no_such_file.obj",
                                        "broken.json:7:", "cotton",      "broken.json:8:",        "animated",
                                        "broken.json:9:", "gravity",     "broken.json: 6 errors", NULL};
    write_text("broken.json", broken_scene);
    assert_says(3, parts, "check broken.json");
    assert_says(3, (const char *const[]){"standard input:3:", "standard input: 6 errors", NULL},
                "check - <broken.json");

    /* The same for machines, and as an exit code alone. */
    json_document *list = ruga_json(context, 3, "check broken.json");
    assert_near(json_number_at(list, "errors"), 6, 0);
    assert_null(json_member(json_root(list), "estimate"));
    for (size_t i = 0; i < 6; i++) {
        char key[32];
        snprintf(key, sizeof key, "findings.%zu.line", i);
        assert_at_most_case(2, json_number_at(list, key), "i %zu", i);
        assert_at_most_case(json_number_at(list, key), 9, "i %zu", i);
        snprintf(key, sizeof key, "findings.%zu.column", i);
        assert_at_most_case(1, json_number_at(list, key), "i %zu", i);
        snprintf(key, sizeof key, "findings.%zu.level", i);
        assert_string_equal(json_text_at(list, key), "error");
        snprintf(key, sizeof key, "findings.%zu.file", i);
        assert_string_equal(json_text_at(list, key), "broken.json");
    }
    json_destroy(list);
    command_result quiet = ruga_run("check -q broken.json");
    assert_int_equal(quiet.code, 3);
    assert_string_equal(quiet.out, "");
    assert_string_equal(quiet.err, "");
    command_release(&quiet);

    /* Nothing of it is run. */
    assert_says(3, (const char *const[]){"broken.json:2:", "6 errors; nothing was run", NULL}, "run broken.json");
    assert_false(test_file_exists(test_path("broken.run")));
}

/* The time of a frame is estimated from a few substeps; frames without substeps have no estimate. */
static void check_estimates_time_and_memory(void **state) {
    (void)state;
    static const char *const parts[] = {"small.json: fine\n8 frames of about ",
                                        " s each, ",
                                        " s in all; estimated from 14 substeps",
                                        "about ",
                                        " MB of memory\n",
                                        NULL};
    assert_says(0, parts, "check small.json");
    command_result none = ruga_run("check small.json --no-trial");
    assert_string_equal(none.out, "small.json: fine\n");
    command_release(&none);
    command_result first = ruga_run("check small.json --set time.frames=1");
    fail_if(strstr(first.out, "substeps") || !strstr(first.out, " of memory\n"), "%s", first.out);
    command_release(&first);
    /* A single substep counts when it is done. */
    assert_says(0, (const char *const[]){"2 frames of about ", "estimated from 1 substep", NULL},
                "check small.json --set time.frames=2 --set time.substeps=1");
    json_document *json = ruga_json(context, 0, "check small.json");
    assert_near(json_number_at(json, "errors"), 0, 0);
    assert_near(json_number_at(json, "estimate.frames"), 8, 0);
    assert_near(json_number_at(json, "estimate.substeps"), 14, 0);
    assert_less(0, json_number_at(json, "estimate.frame_seconds"));
    assert_near(json_number_at(json, "estimate.seconds"), 8 * json_number_at(json, "estimate.frame_seconds"), 1e-9);
    assert_less(1e5, json_number_at(json, "estimate.memory_bytes"));
    json_destroy(json);
}

static void a_scene_with_warnings_runs(void **state) {
    (void)state;
    write_text("windy.json",
               "{\"wind\": [1, 0, 0], \"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"bar\"}}], "
               "\"time\": {\"frames\": 1}}");
    assert_says(0, (const char *const[]){"windy.json:1:", "warning: ", "wind", "windy.json: 1 warning", NULL},
                "check windy.json");
    assert_says(0, (const char *const[]){"windy.json:1:", "warning: ", "ran 1 frame", NULL}, "run windy.json");
    command_result quiet = ruga_run("run windy.json -q --replace");
    assert_int_equal(quiet.code, 0);
    assert_string_equal(quiet.err, "");
    assert_string_equal(quiet.out, "");
    command_release(&quiet);
}

/* A warning of a part that is made counts, too: this skin's waves are shorter than the edges of its mesh. */
static void check_counts_what_parts_warn_of(void **state) {
    (void)state;
    write_text("coarse.json",
               "{\"objects\": [{\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.2}, "
               "\"details\": [{\"kind\": \"shell\", \"skin\": \"epidermis\"}]}], \"time\": {\"frames\": 1}}");
    assert_says(0, (const char *const[]){"coarse.json: 1 warning\n", NULL}, "check coarse.json");
    json_document *d = ruga_json(context, 0, "check coarse.json");
    assert_near(json_number_at(d, "warnings"), 1, 0);
    json_destroy(d);
}

static void single_values_can_be_set(void **state) {
    (void)state;
    assert_ruga(0, NULL, "check small.json -q --set time.frames=3 --set 'objects[sheet].scale=2'");
    assert_ruga(2, "--set takes PATH=VALUE", "check small.json --set time.frames");
    assert_ruga(2, "--set: time.frmes", "check small.json --set time.frmes=3");
    assert_ruga(2, "--set: time.frames", "check small.json --set time.frames=many");
    assert_ruga(2, "--set: ", "run small.json --set 'objects[shet].scale=2'");
    assert_ruga(0, NULL, "run small.json -q -o set.run --set time.frames=2 --frames 3");
    json_document *info = ruga_json(context, 0, "info set.run");
    assert_int_equal((int)json_number_at(info, "frames"), 3);
    json_destroy(info);
}

/* ---- run, info. */
static void options_from_the_tables_reach_the_run(void **state) {
    (void)state;
    assert_ruga(
        0, NULL,
        "run small.json -q -o options.run --fps 30 --frames 2 --start-frame 5 --formats obj,glb --unit cm --up z "
        "--checkpoint 1 --substeps 1 --preroll 2");
    json_document *info = ruga_json(context, 0, "info options.run");
    assert_equal(json_number_at(info, "fps"), 30);
    assert_equal(json_number_at(info, "unit"), 0.01);
    assert_int_equal((int)json_number_at(info, "start_frame"), 5);
    assert_int_equal((int)json_number_at(info, "frames_done"), 2);
    assert_int_equal((int)json_number_at(info, "complete"), 1);
    assert_string_equal(json_text_at(info, "up"), "z");
    assert_string_equal(json_text_at(info, "objects.0.name"), "sheet");
    assert_string_equal(json_text_at(info, "version"), ruga_version());
    json_destroy(info);
    assert_says(
        0, (const char *const[]){"options.run\n", "complete", "2 of 2, the first is 5, 30 per second", "sheet", NULL},
        "info options.run");
    assert_ruga(0, NULL, "info options.run/sheet.glb -q >/dev/null");
    assert_ruga(2, "--fps takes a number from 0.001 to 100000 1/s, not '0'", "run small.json --fps 0");
    assert_ruga(2, "--formats takes none, or a comma-separated list of pc2, obj, ply, glb, usda, not 'pc3'",
                "run small.json --formats obj,pc3");
    assert_ruga(2, "--gravity takes three numbers x,y,z", "run small.json --gravity 9.81");
    assert_ruga(0, NULL, "run small.json -q -o options.run --replace --frames 1 --gravity 0,-1.62,0");
    char *scene = read_test_file(test_path("options.run/scene.json"), NULL);
    assert_non_null(strstr(scene, "-1.62"));
    free(scene);
    assert_ruga(2, "no option '--farmes'; did you mean '--frames'?", "run small.json --farmes 3");
}

/* A plate comes down on cloth that lies on a floor, and through it. */
static void strict_stops_if_bodies_leave_no_room_for_cloth(void **state) {
    (void)state;
    write_text("pinch.json",
               "{\"time\": {\"frames\": 5, \"substeps\": 2}, \"contact\": {\"cuts\": 1}, \"objects\": ["
               "{\"name\": \"floor\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 2, \"rows\": 2}},"
               "{\"name\": \"plate\", \"move\": [0, 0.04, 0], \"mesh\": {\"kind\": \"sheet\", \"columns\": 3, "
               "\"rows\": 3}, \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 0.1, \"move\": [0, "
               "-0.06, 0]}]}}, {\"name\": \"cloth\", \"move\": [0, 0.02, 0], \"mesh\": {\"kind\": \"sheet\", "
               "\"columns\": 4, \"rows\": 4, \"width\": 0.4, \"length\": 0.4}, \"body\": {\"kind\": \"cloth\", "
               "\"elements\": \"springs\", "
               "\"thickness\": 0.005}}]}");
    command_result report = ruga_run("run pinch.json -o report.run");
    assert_int_equal(report.code, 0);
    assert_non_null(strstr(report.err, "pairs pinched where bodies leave no room, in "));
    command_release(&report);
    assert_ruga(3, "are pinched", "run pinch.json -o strict.run --strict");
}

static void a_run_is_reported_in_one_line_or_as_json(void **state) {
    (void)state;
    command_result report = ruga_run("run small.json");
    assert_int_equal(report.code, 0);
    assert_string_equal(report.err, "");
    assert_int_equal(strncmp(report.out, "ran 8 frames in ", 16), 0);
    assert_non_null(strstr(report.out, " frames/s, into small.run\n"));
    command_release(&report);

    /* One state, whatever the number of threads. */
    char hash[32] = "";
    for (int threads = 1; threads <= 3; threads++) {
        json_document *json = ruga_json(context, 0, "run small.json -o small.run --replace --threads %d", threads);
        assert_int_equal((int)json_number_at(json, "frames"), 8);
        assert_less_case(0, json_number_at(json, "seconds"), "threads %d", threads);
        assert_less_case(0, json_number_at(json, "frames_per_second"), "threads %d", threads);
        assert_int_equal(strlen(json_text_at(json, "state_hash")), 16);
        if (threads > 1) assert_string_equal(json_text_at(json, "state_hash"), hash);
        snprintf(hash, sizeof hash, "%s", json_text_at(json, "state_hash"));
        json_destroy(json);
    }
    command_result again = ruga_run("resume small.run");
    assert_int_equal(again.code, 0);
    assert_string_equal(again.out, "small.run: complete, 8 frames\n");
    command_release(&again);
}

static void a_run_is_replaced_only_with_replace(void **state) {
    (void)state;
    assert_ruga(0, NULL, "run small.json -q -o kept.run --frames 2");
    write_text("kept.run/notes.txt", "mine");
    assert_ruga(3, "kept.run", "run small.json -o kept.run");
    assert_ruga(0, NULL, "run small.json -q -o kept.run --replace --frames 1");
    assert_true(test_file_exists(test_path("kept.run/notes.txt")));
    json_document *info = ruga_json(context, 0, "info kept.run");
    assert_int_equal((int)json_number_at(info, "frames"), 1);
    json_destroy(info);
}

static void missing_runs_are_reported(void **state) {
    (void)state;
    mkdir(test_path("empty.run"), 0777);
    assert_ruga(3, "missing.json", "run missing.json");
    assert_ruga(3, "missing.json", "check missing.json");
    assert_ruga(3, "empty.run", "check empty.run");
    assert_ruga(3, "missing.run", "resume missing.run");
    assert_ruga(3, "empty.run", "resume empty.run");
    assert_ruga(3, "missing.run", "stats missing.run");
    assert_ruga(3, "empty.run", "stats empty.run");
    assert_ruga(3, "empty.run", "render empty.run -o x.png");
    assert_ruga(3, "missing.run: there is neither a mesh nor a run", "render missing.run -o x.png");
    assert_ruga(3, "missing.run: there is neither a mesh nor a run", "info missing.run");
    assert_ruga(3, "empty.run", "info empty.run");
    write_test_file(test_path("file.json"), "{}", 2);
    write_test_file(test_path("file.obj"), "v 0 0 0\n", 8);
    assert_ruga(3, "file.json: this is a file, not the directory of a run; run a scene with: ruga run file.json",
                "resume file.json");
    assert_ruga(3, "file.obj: this is a file, not the directory of a run", "stats file.obj");
    assert_ruga(3, "file.json: a scene is no mesh; run it first (ruga run file.json)", "render file.json -o x.png");
    remove(test_path("file.json"));
    remove(test_path("file.obj"));
    assert_ruga(2, "no kind of scene 'fluter'; did you mean 'flutter'?", "new fluter");
    assert_ruga(2, "no kind of scene 'qqqqqqqq'; there are flag, curtain, ", "new qqqqqqqq");
    assert_ruga(2, "no command 'rsume'; did you mean 'resume'?", "rsume x.run");
    assert_ruga(2, "no command 'chek'; did you mean 'check'?", "chek x.json");
    rmdir(test_path("empty.run"));
}

static void scenes_and_tables_go_through_pipes(void **state) {
    (void)state;
    const char *kind = ruga_scene_template_get(0)->name;
    command_result piped = ruga_run("new %s | '%s' run - -o piped.run --frames 1 -q", kind, RUGA_COMMAND);
    assert_int_equal(piped.code, 0);
    assert_string_equal(piped.err, "");
    command_release(&piped);
    piped = ruga_run("stats piped.run --csv | head -n 1");
    assert_int_equal(piped.code, 0);
    assert_int_equal(strncmp(piped.out, "frame,time.", 11), 0);
    command_release(&piped);
    piped = ruga_run("reference | head -n 1");
    assert_string_equal(piped.err, "");
    assert_true(piped.out[0] == '#');
    command_release(&piped);
    assert_ruga(1, "standard output: No space left on device", "new %s >/dev/full", kind);
    assert_ruga(1, "standard output: No space left on device", "schema >/dev/full");
}

static void schema_and_reference_are_the_librarys(void **state) {
    (void)state;
    char *schema = NULL, *reference = NULL;
    size_t size = 0;
    assert_ok(context, ruga_scene_schema(context, &schema, &size));
    assert_ok(context, ruga_scene_reference(context, &reference, &size));
    command_result printed = ruga_run("schema"), report = ruga_run("reference");
    assert_string_equal(printed.out, schema);
    assert_string_equal(report.out, reference);
    command_release(&printed);
    command_release(&report);
    assert_ruga(0, NULL, "schema -o schema.json");
    char *written = read_test_file(test_path("schema.json"), NULL);
    assert_string_equal(written, schema);
    free(written);
    assert_ruga(1, "no_such_folder/x.md", "reference -o no_such_folder/x.md");
    ruga_free(context, schema);
    ruga_free(context, reference);
}

/* ---- Stopped and resumed. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Whether a run in the test's folder has so many frames to read. */
static int has_frames(const char *directory, int frames) {
    ruga_run_record *record = NULL;
    if (!ruga_path_is_run(test_path(directory))) return 0;
    if (RUGA_FAILED(ruga_run_record_read(context, test_path(directory), &record))) return 0;
    int there = record->frames_done >= frames;
    ruga_run_record_destroy(context, record);
    return there;
}

/* Starts a long run and halts it once it has written some frames: it is still running, however long the test takes. */
static int start_long_run(const char *directory, int *output) {
    static const char *arguments[] = {"run",        "small.json",
                                      "-o",         NULL,
                                      "--frames",   "100",
                                      "--set",      "objects[0].mesh.rows=60",
                                      "--set",      "objects[0].mesh.columns=60",
                                      "--substeps", "6",
                                      NULL};
    int ends[2];
    arguments[3] = directory;
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    int process = ruga_start(arguments, ends[1]);
    close(ends[1]);
    *output = ends[0];
    for (double end = now() + 120; !has_frames(directory, 4) && now() < end;) usleep(2000);
    kill(process, SIGSTOP);
    return process;
}

static void read_to_end(int fd, char *text, size_t size) {
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(fd, text + used, size - 1 - used)) > 0;) used += (size_t)got;
    text[used] = 0;
    close(fd);
}

static void an_interrupted_run_resumes_to_the_same_bytes(void **state) {
    (void)state;
    char text[4096];
    int output, process = start_long_run("stopped.run", &output);
    snprintf(text, sizeof text, "running (process %d)", process);
    assert_says(0, (const char *const[]){text, NULL}, "info stopped.run");
    json_document *running = ruga_json(context, 0, "info stopped.run");
    assert_int_equal((int)json_number_at(running, "running"), 1);
    assert_int_equal((int)json_number_at(running, "process"), process);
    json_destroy(running);
    kill(process, SIGINT);
    kill(process, SIGCONT);
    read_to_end(output, text, sizeof text);
    int code = command_wait(process);
    fail_if(code != 130 || !strstr(text, "ruga: error: interrupted after ") ||
                !strstr(text, " of 100 frames; continue with: ruga resume stopped.run\n"),
            "exit code %d: %s", code, text);

    /* The existing frames can be used. */
    json_document *info = ruga_json(context, 0, "info stopped.run");
    assert_int_equal((int)json_number_at(info, "complete"), 0);
    assert_int_equal((int)json_number_at(info, "running"), 0);
    assert_says(0, (const char *const[]){"stopped; continue with: ruga resume stopped.run", NULL}, "info stopped.run");
    assert_at_most(4, json_number_at(info, "frames_done"));
    assert_less(json_number_at(info, "frames_done"), 100);
    json_destroy(info);
    assert_ruga(0, NULL, "render stopped.run --frame 3 --width 64 --height 48 -o stopped.png -q");
    assert_says(0, (const char *const[]){"stopped", "predict", NULL}, "stats stopped.run");

    json_document *whole = ruga_json(context, 0, "resume stopped.run --threads 2");
    json_document *straight = ruga_json(context, 0,
                                        "run small.json -o straight.run --frames 100 --set objects[0].mesh.rows=60 "
                                        "--set objects[0].mesh.columns=60 --substeps 6");
    assert_less(0, json_number_at(whole, "resumed_after"));
    assert_string_equal(json_text_at(whole, "state_hash"), json_text_at(straight, "state_hash"));
    assert_same_file("stopped.run/sheet.pc2", "straight.run/sheet.pc2");
    assert_same_file("stopped.run/measures.csv", "straight.run/measures.csv");
    json_destroy(whole);
    json_destroy(straight);
}

/* Reads until a text appears, or the other end is closed. */
static int read_until_text(int fd, const char *part, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    while (!strstr(text, part) && used + 1 < size) {
        ssize_t got = read(fd, text + used, size - 1 - used);
        if (got <= 0) return 0;
        text[used += (size_t)got] = 0;
    }
    return 1;
}

static void a_second_interrupt_ends_a_long_frame_at_once(void **state) {
    (void)state;
    static const char *const arguments[] = {"run",        "small.json",
                                            "-o",         "slow.run",
                                            "--set",      "objects[0].mesh.rows=200",
                                            "--set",      "objects[0].mesh.columns=200",
                                            "--substeps", "10000",
                                            "--verbose",  NULL};
    char text[4096];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    int process = ruga_start(arguments, ends[1]);
    close(ends[1]);
    /* Within a frame: between two of them a run stops at once, without this note. */
    assert_true(read_until_text(ends[0], "s: stepping\n", text, sizeof text));
    kill(process, SIGINT);
    assert_true(read_until_text(ends[0], "stopping after this frame; Ctrl-C again stops at once", text, sizeof text));
    kill(process, SIGINT);
    assert_int_equal(command_wait(process), 130);
    close(ends[0]);
    json_document *info = ruga_json(context, 0, "info slow.run");
    assert_int_equal((int)json_number_at(info, "complete"), 0);
    json_destroy(info);
}

/* As a kill between the last frame and the end leaves it: all frames are there, but not the files made of them. */
static void a_run_that_lacks_only_its_end_is_completed(void **state) {
    (void)state;
    assert_ruga(0, NULL, "run small.json -q -o ended.run");
    command_result undo = command_run("sh",
                                      "-c 'cd ended.run && mv sheet.pc2 sheet.pc2.part && "
                                      "sed -i \"s/true/false/\" run.json'");
    assert_int_equal(undo.code, 0);
    command_release(&undo);
    assert_ruga(0, NULL, "resume ended.run -q");
    assert_true(test_file_exists(test_path("ended.run/sheet.pc2")));
    json_document *info = ruga_json(context, 0, "info ended.run");
    assert_int_equal((int)json_number_at(info, "complete"), 1);
    json_destroy(info);
}

/* The last state is in the checkpoint. Without it a complete run has no state to hash. */
static void a_complete_run_without_its_checkpoint_has_no_state_hash(void **state) {
    (void)state;
    json_document *first = ruga_json(context, 0, "run small.json -o hashed.run");
    json_document *again = ruga_json(context, 0, "resume hashed.run");
    assert_string_equal(json_text_at(first, "state_hash"), json_text_at(again, "state_hash"));
    json_destroy(first);
    json_destroy(again);
    command_result removal = command_run("sh", "-c 'rm hashed.run/checkpoint*'");
    assert_int_equal(removal.code, 0);
    command_release(&removal);
    json_document *without = ruga_json(context, 0, "resume hashed.run");
    assert_null(json_member(json_root(without), "state_hash"));
    assert_int_equal((int)json_number_at(without, "frames"), 8);
    json_destroy(without);
}

static void a_run_resumes_only_with_its_instruction_set(void **state) {
    (void)state;
    setenv("RUGA_ISA", "scalar", 1);
    assert_ruga(0, NULL, "run small.json -q -o scalar.run --frames 1");
    unsetenv("RUGA_ISA");
    if (ruga_context_isa(context) == RUGA_ISA_SCALAR) skip();
    assert_ruga(3, "RUGA_ISA=scalar", "resume scalar.run");
}

static void two_runs_do_not_share_a_directory(void **state) {
    (void)state;
    char text[4096];
    int output, process = start_long_run("busy.run", &output);
    assert_ruga(1, "busy.run", "run small.json -o busy.run --replace");
    assert_ruga(1, "busy.run", "resume busy.run");
    kill(process, SIGTERM);
    kill(process, SIGCONT);
    read_to_end(output, text, sizeof text);
    assert_int_equal(command_wait(process), 143);
}

static void a_full_disk_stops_a_run_that_can_be_resumed(void **state) {
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1 << 18; /* more than a coverage build writes at its end */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    static const char finer[] = "--frames 30 --set objects[0].mesh.rows=40 --set objects[0].mesh.columns=40";
    command_result full = ruga_run("run small.json -o full.run %s", finer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(full.code, 1);
    fail_if(!strstr(full.err, "File too large") || !strstr(full.err, "resume"), "%s", full.err);
    command_release(&full);
    assert_ruga(0, NULL, "resume full.run -q");
    assert_ruga(0, NULL, "run small.json -o roomy.run -q %s", finer);
    assert_same_file("full.run/sheet.pc2", "roomy.run/sheet.pc2");
}

/* ---- render, stats. */
static void a_run_is_drawn_with_or_without_its_colliders(void **state) {
    (void)state;
    assert_ruga(0, NULL, "run small.json -q -o drawn.run");
    static const char size[] = "--width 96 --height 64 --samples 1 --occlusion 0 -q";
    assert_ruga(0, NULL, "render drawn.run -o with.png %s", size);
    assert_ruga(0, NULL, "render drawn.run -o without.png --no-colliders %s", size);
    assert_ruga(0, NULL, "render drawn.run -o later.png --frame 7 %s", size);
    size_t sizes[3];
    char *pictures[] = {read_test_file(test_path("with.png"), &sizes[0]),
                        read_test_file(test_path("without.png"), &sizes[1]),
                        read_test_file(test_path("later.png"), &sizes[2])};
    for (int i = 1; i < 3; i++) assert_false(sizes[i] == sizes[0] && memcmp(pictures[i], pictures[0], sizes[0]) == 0);
    for (int i = 0; i < 3; i++) free(pictures[i]);

    /* All frames, together with another mesh, and each in its own panel. */
    assert_ruga(0, NULL, "render drawn.run -o frame_##.png %s", size);
    assert_true(test_file_exists(test_path("frame_07.png")));
    assert_false(test_file_exists(test_path("frame_08.png")));
    assert_ruga(0, NULL, "render drawn.run drawn.run/sheet.obj --side-by-side -o side.png %s", size);
    assert_ruga(2, "--frame takes 0 to 7 here", "render drawn.run --frame 8 -o x.png");
    assert_ruga(0, NULL, "run small.json -q -o bare.run --formats none --frames 1");
    assert_ruga(3, "bare.run: the run wrote no frames to draw", "render bare.run -o x.png");
}

static void an_object_of_a_run_is_chosen_by_its_name(void **state) {
    (void)state;
    assert_ruga(0, NULL, "run small.json -q -o chosen.run");
    command_result whole = ruga_run("info chosen.run"), object = ruga_run("info chosen.run --mesh sheet"),
                   part = ruga_run("info chosen.run --select 'all'");
    assert_non_null(strstr(whole.out, "complete"));
    assert_non_null(strstr(object.out, "  vertices  "));
    assert_non_null(strstr(object.out, "  motion  "));
    assert_non_null(strstr(part.out, "  selected"));
    command_release(&whole);
    command_release(&object);
    command_release(&part);
    assert_ruga(3, "no object \"shet\"; it has sheet", "info chosen.run --mesh shet");
    assert_ruga(3, "no object 'shet'; it has sheet; did you mean 'sheet'?", "render chosen.run --mesh shet -o x.png");
    assert_ruga(0, NULL, "render chosen.run --mesh sheet -o x.png --width 96 --height 64 --samples 1 -q");
}

static void a_run_without_frames_shows_its_objects_at_rest(void **state) {
    (void)state;
    assert_ruga(0, NULL, "run small.json -q -o none.run --frames 0");
    assert_ruga(0, NULL, "render none.run -o rest.png --width 96 --height 64 -q");
    assert_ruga(2, "a film needs a motion", "render none.run -o rest_##.png");
    assert_says(0, (const char *const[]){"none.run: 0 of 0 frames", "wrote none/stats.csv and 0 plots", NULL},
                "stats none.run -o none");
}

/* The sum of a column of a CSV text, by its name. */
static double csv_sum(const char *text, const char *name, int *rows) {
    size_t column = 0, length = strlen(name);
    const char *at = text;
    for (; *at && *at != '\n' && !(strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\n'));
         column++)
        at += strcspn(at, ",\n") + (at[strcspn(at, ",\n")] == ',');
    assert_true(*at && *at != '\n');
    double sum = 0;
    *rows = 0;
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        const char *cell = line;
        for (size_t i = 0; i < column; i++) cell = strchr(cell, ',') + 1;
        sum += strtod(cell, NULL);
        ++*rows;
    }
    return sum;
}

static void statistics_agree_with_the_record(void **state) {
    (void)state;
    assert_ruga(0, NULL, "run small.json -q -o measured.run");
    ruga_run_record *record = NULL;
    assert_ok(context, ruga_run_record_read(context, test_path("measured.run"), &record));
    command_result csv = ruga_run("stats measured.run --csv");
    json_document *json = ruga_json(context, 0, "stats measured.run");
    assert_int_equal(csv.code, 0);
    assert_int_equal(record->frames_done, 8);
    assert_less(2, record->measure_count);
    for (size_t m = 0; m < record->measure_count; m++) {
        double sum = 0;
        int rows;
        char key[64];
        for (size_t i = 0; i < 8; i++) sum += record->values[i * record->measure_count + m];
        assert_equal_case(csv_sum(csv.out, record->measures[m].name, &rows), sum, "m %zu", m);
        assert_int_equal(rows, 8);
        snprintf(key, sizeof key, "columns.%zu.sum", m);
        assert_equal_case(json_number_at(json, key), sum, "m %zu", m);
        snprintf(key, sizeof key, "columns.%zu.last", m);
        assert_equal_case(json_number_at(json, key), record->values[7 * record->measure_count + m], "m %zu", m);
        snprintf(key, sizeof key, "columns.%zu.mean", m);
        assert_near_case(json_number_at(json, key), sum / 8, 1e-15 * fabs(sum), "m %zu", m);
    }
    ruga_run_record_destroy(context, record);
    json_destroy(json);
    command_release(&csv);
}

static void statistics_become_a_table_and_plots(void **state) {
    (void)state;
    static const char *const files[] = {"stats.csv",  "time.png",   "time.svg",
                                        "energy.png", "energy.svg", "contacts.png"};
    assert_ruga(0, NULL, "run small.json -q -o plotted.run");
    assert_says(0,
                (const char *const[]){"plotted.run: 8 of 8 frames", "predict", "update", " %", "all stages",
                                      "sheet.jiggle.energy", "J", "wrote plots/deep/stats.csv", NULL},
                "stats plotted.run -o plots/deep");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "plots/deep/%s", files[i]);
        fail_if(!test_file_exists(test_path(path)), "no %s", path);
    }
    command_result csv = ruga_run("stats plotted.run --csv");
    char *written = read_test_file(test_path("plots/deep/stats.csv"), NULL);
    assert_string_equal(csv.out, written);
    free(written);
    command_release(&csv);
    write_text("file.txt", "");
    assert_ruga(1, "file.txt", "stats plotted.run -q -o file.txt");
}

/* A link stays one, and a device is not replaced by a file. */
static void writing_to_a_link_writes_its_target(void **state) {
    (void)state;
    struct stat info;
    assert_int_equal(symlink("led.json", test_path("link.json")), 0);
    assert_ruga(0, NULL, "new flutter -o link.json -q");
    assert_int_equal(lstat(test_path("link.json"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    char *text = read_test_file(test_path("led.json"), NULL);
    assert_non_null(text);
    free(text);
    assert_ruga(1, "/dev/full: can't be written", "new flutter --force -o /dev/full");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_new_scene_can_be_checked_and_some_are_run),
        cmocka_unit_test(a_new_scene_overwrites_only_with_force),
        cmocka_unit_test(check_reports_all_findings_with_line_and_column),
        cmocka_unit_test(check_estimates_time_and_memory),
        cmocka_unit_test(check_counts_what_parts_warn_of),
        cmocka_unit_test(a_scene_with_warnings_runs),
        cmocka_unit_test(single_values_can_be_set),
        cmocka_unit_test(options_from_the_tables_reach_the_run),
        cmocka_unit_test(strict_stops_if_bodies_leave_no_room_for_cloth),
        cmocka_unit_test(a_run_is_reported_in_one_line_or_as_json),
        cmocka_unit_test(a_run_is_replaced_only_with_replace),
        cmocka_unit_test(missing_runs_are_reported),
        cmocka_unit_test(scenes_and_tables_go_through_pipes),
        cmocka_unit_test(schema_and_reference_are_the_librarys),
        cmocka_unit_test(an_interrupted_run_resumes_to_the_same_bytes),
        cmocka_unit_test(a_second_interrupt_ends_a_long_frame_at_once),
        cmocka_unit_test(a_run_that_lacks_only_its_end_is_completed),
        cmocka_unit_test(a_complete_run_without_its_checkpoint_has_no_state_hash),
        cmocka_unit_test(a_run_resumes_only_with_its_instruction_set),
        cmocka_unit_test(two_runs_do_not_share_a_directory),
        cmocka_unit_test(a_full_disk_stops_a_run_that_can_be_resumed),
        cmocka_unit_test(a_run_is_drawn_with_or_without_its_colliders),
        cmocka_unit_test(an_object_of_a_run_is_chosen_by_its_name),
        cmocka_unit_test(a_run_without_frames_shows_its_objects_at_rest),
        cmocka_unit_test(statistics_agree_with_the_record),
        cmocka_unit_test(statistics_become_a_table_and_plots),
        cmocka_unit_test(writing_to_a_link_writes_its_target),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
