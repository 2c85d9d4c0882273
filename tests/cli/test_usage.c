/* How the command is spoken to: help, versions, misspelt words, wrong values, standard output that fails. */
#include <stdio.h>
#include <sys/resource.h>

#include "support/ruga_command.h"

static const char *const all_commands[] = {
    "new",        "check",     "run",    "resume",    "render", "stats", "make",  "info",          "validate",
    "convert",    "subdivide", "schema", "reference", "demo",   "help",  "cloth", "intersections", "sweep",
    "completion", "wrinkle",   "sculpt", "crease",    "trace",  "shell", "fill",  "flesh"};

/* The list above has every command that the message about an unknown one names. */
static void the_tests_know_every_command(void **state) {
    (void)state;
    size_t count = 0;
    command_result r = ruga_run("no-such-command");
    const char *list = strstr(r.err, "there are ");
    assert_non_null(list);
    for (const char *at = list + strlen("there are "); *at && *at != '\n'; count++) {
        char name[64];
        const size_t length = strcspn(at, ", \n");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int known = 0;
        for (size_t i = 0; i < sizeof all_commands / sizeof all_commands[0]; i++)
            known |= strcmp(all_commands[i], name) == 0;
        fail_if(!known, "the tests do not know the command %s", name);
        at += length;
        at += strncmp(at, " and ", 5) == 0 ? 5 : strspn(at, ", ");
    }
    assert_int_equal(count, sizeof all_commands / sizeof all_commands[0]);
    command_release(&r);
}

static void every_command_has_help_with_examples(void **state) {
    (void)state;
    skip_when_sanitized();
    for (size_t i = 0; i < sizeof all_commands / sizeof all_commands[0]; i++) {
        command_result by_option = ruga_run("%s --help", all_commands[i]);
        command_result by_command = ruga_run("help %s", all_commands[i]);
        assert_int_equal(by_option.code, 0);
        assert_string_equal(by_option.err, "");
        assert_string_equal(by_option.out, by_command.out);
        assert_non_null(strstr(by_option.out, "Usage: ruga "));
        assert_non_null(strstr(by_option.out, "Examples:"));
        assert_non_null(strstr(by_option.out, "--threads N"));
        assert_non_null(strstr(by_option.out, "--json"));
        command_release(&by_option);
        command_release(&by_command);
    }
}

/* Each command's own options, as they are written down in the README and by users. */
static void help_names_the_options_of_each_command(void **state) {
    (void)state;
    skip_when_sanitized();
    static const struct {
        const char *command, *options[32];
    } cases[] = {
        {"make sheet", {"--output", "--format", "--unit", "--up", "--width", "--rows", "m, ", "default 1)"}},
        {"info", {"--unit", "--up", "--mesh", "--rate"}},
        {"sweep", {"--set", "--table", "--jobs", "--isa", "--retry", "--only", "--chunk", "--submit", "--progress"}},
        {"validate", {"--all", "--first", "--strict", "Exit code 0"}},
        {"convert", {"--cache", "--rate", "--frames", "--out-unit", "--out-up", "--mesh", "--format", "--time"}},
        {"fill", {"--spacing", "--most-tets", "dihedral"}},
        {"subdivide", {"--kind", "--n", "--length", "regular | loop | long-edges"}},
        {"render",
         {"--width",     "--height",       "--azimuth",   "--elevation", "--fov",       "--zoom",      "--eye",
          "--target",    "--shading",      "--wireframe", "--colour",    "--attribute", "--range",     "--label",
          "--diverging", "--side-by-side", "--caption",   "--columns",   "--title",     "--ground",    "--samples",
          "--occlusion", "--turntable",    "--cache",     "--frame",     "--time",      "--background"}},
        {"run", {"--output", "--replace", "--set", "--fps", "--frames", "--start-frame", "--formats", "--checkpoint"}},
        {"check", {"--set", "Exit code 0"}},
        {"new", {"--output", "--force"}},
        {"cloth",
         {"--output", "--wave", "--rings", "--table", "--spline", "--width", "--height", "--material", "--wind",
          "--gust-size", "--integrator", "--sweeps", "--stretch-limit", "--spline-frequency", "--frames", "--set"}},
        {"stats", {"--output", "--csv"}},
        {"intersections",
         {"--cache", "--frames", "--frame", "--first", "--all", "--no-weld", "--picture", "--rate", "Exit code 0"}},
        {"demo", {"--all", "--list", "--output", "--draft"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        command_result help = ruga_run("%s --help", cases[i].command);
        assert_int_equal(help.code, 0);
        for (size_t k = 0; k < 32 && cases[i].options[k]; k++)
            fail_if(!strstr(help.out, cases[i].options[k]), "ruga %s --help does not hold \"%s\"", cases[i].command,
                    cases[i].options[k]);
        command_release(&help);
    }
}

/* Characters, not bytes. */
static size_t columns_of(const char *line, size_t length) {
    size_t columns = 0;
    for (size_t i = 0; i < length; i++) columns += ((unsigned char)line[i] & 0xc0) != 0x80;
    return columns;
}

static size_t assert_80_columns(const char *arguments) {
    size_t lines = 0;
    command_result help = ruga_run("%s --help", arguments);
    assert_int_equal(help.code, 0);
    for (const char *at = help.out; *at; lines++) {
        const size_t length = strcspn(at, "\n");
        fail_if(columns_of(at, length) > 80, "ruga %s --help: %zu columns: %.*s", arguments, columns_of(at, length),
                (int)length, at);
        at += length + (at[length] == '\n');
    }
    command_release(&help);
    return lines;
}

static void help_fits_into_80_columns(void **state) {
    (void)state;
    skip_when_sanitized();
    size_t lines = assert_80_columns("");
    for (size_t i = 0; i < sizeof all_commands / sizeof all_commands[0]; i++)
        lines += assert_80_columns(all_commands[i]);
    lines += assert_80_columns("make sheet") + assert_80_columns("cloth flag");
    assert_less(400, lines);
}

static void general_help_lists_the_commands(void **state) {
    (void)state;
    command_result asked = ruga_run("--help"), unasked = ruga_run(" "), by_name = ruga_run("help");
    assert_int_equal(asked.code, 0);
    assert_int_equal(by_name.code, 0);
    assert_int_equal(unasked.code, 2);
    assert_string_equal(asked.out, by_name.out);
    assert_string_equal(asked.out, unasked.out);
    for (size_t i = 0; i < sizeof all_commands / sizeof all_commands[0]; i++)
        assert_non_null(strstr(asked.out, all_commands[i]));
    assert_non_null(strstr(asked.out, "Examples:"));
    command_release(&asked);
    command_release(&unasked);
    command_release(&by_name);
}

static void the_version_is_the_librarys(void **state) {
    (void)state;
    char expected[64];
    snprintf(expected, sizeof expected, "ruga %s\n", ruga_version());
    command_result alone = ruga_run("--version"), with_command = ruga_run("info --version");
    assert_string_equal(alone.out, expected);
    assert_string_equal(with_command.out, expected);
    assert_int_equal(alone.code | with_command.code, 0);
    command_release(&alone);
    command_release(&with_command);
}

static void the_version_as_json_has_instruction_sets_and_build_options(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    command_result letter = ruga_run("-V"), plain = ruga_run("--version");
    assert_int_equal(letter.code, 0);
    assert_string_equal(letter.out, plain.out);
    command_release(&letter);
    command_release(&plain);
    static const char *const calls[] = {"--version", "info -V"};
    for (int i = 0; i < 2; i++) {
        json_document *json = ruga_json(context, 0, "%s", calls[i]);
        assert_string_equal(json_text_at(json, "version"), ruga_version());
        assert_string_equal(json_text_at(json, "instruction_sets.0"), "scalar");
        assert_non_null(json_text_at(json, "instruction_set"));
        assert_non_null(json_text_at(json, "build.compiler"));
        assert_non_null(json_text_at(json, "build.sanitizers"));
        assert_less(0, json_number_at(json, "threads"));
        assert_at_most(json_number_at(json, "build.pictures"), 1);
        json_destroy(json);
    }
    ruga_context_destroy(context);
}

/* ---- Errors as JSON. */

static json_document *parse_error(ruga_context *context, const char *line) {
    json_document *json = NULL;
    assert_ok(context, json_parse(context, "standard error", line, strlen(line), 0, &json));
    return json;
}

/* Errors of every layer: of the command line before any option is read, of files, of scenes, of outputs. */
static void with_json_errors_are_json_too(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    static const struct {
        const char *arguments, *part;
        int code;
    } cases[] = {
        {"--json infoo", "no command 'infoo'; did you mean 'info'?", 2},
        {"info --json --unti cm", "no option '--unti'; did you mean '--unit'?", 2},
        {"info --json", "expected a file", 2},
        {"info 'no \"such\".obj' --json", "no \"such\".obj: ", 3},
        {"info \"$(printf 'a\\033\\\\b\\377.obj')\" --json", "a\x1b\\b\xc3\xbf.obj: ", 3},
        {"convert no.obj no/folder/x.obj --json", "make its folder first", 1},
        {"run no.json --json", "no.json: ", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        command_result r = ruga_run("%s", cases[i].arguments);
        assert_int_equal(r.code, cases[i].code);
        assert_string_equal(r.out, "");
        json_document *json = parse_error(context, r.err);
        fail_if(!strstr(json_text_at(json, "error"), cases[i].part), "%s: %s has no \"%s\"", cases[i].arguments, r.err,
                cases[i].part);
        assert_int_equal((int)json_number_at(json, "exit_code"), cases[i].code);
        json_destroy(json);
        command_release(&r);
    }
    /* Findings of a scene are lines of their own before the error. */
    const char scene[] = "{\"time\": {\"fsp\": 3}, \"objects\": []}";
    write_test_file(test_path("wrong.json"), scene, strlen(scene));
    command_result r = ruga_run("run wrong.json --json");
    assert_int_equal(r.code, 3);
    int lines = 0;
    for (char *line = strtok(r.err, "\n"); line; line = strtok(NULL, "\n"), lines++)
        json_destroy(parse_error(context, line));
    assert_less(1, lines);
    command_release(&r);
    remove(test_path("wrong.json"));
    ruga_context_destroy(context);
}

static void verbose_reports_the_work_and_its_time(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet --rows 40 -o work.obj -q");
    command_result plain = ruga_run("info work.obj"), letter = ruga_run("info work.obj -v"),
                   quiet = ruga_run("info work.obj --verbose --quiet");
    assert_string_equal(plain.err, "");
    assert_string_equal(quiet.err, "");
    assert_string_equal(plain.out, letter.out);
    static const char *const parts[] = {" threads\n", " s: inspecting\n", "exit code 0, ", " of memory at most\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        fail_if(!strstr(letter.err, parts[i]), "%s has no \"%s\"", letter.err, parts[i]);
    command_release(&plain);
    command_release(&letter);
    command_release(&quiet);
    remove(test_path("work.obj"));
}

static void misspelt_words_get_a_suggestion(void **state) {
    (void)state;
    assert_ruga(2, "no command 'rendr'; did you mean 'render'?", "rendr x.obj");
    assert_ruga(2, "no command 'rendr'; did you mean 'render'?", "help rendr");
    assert_ruga(2, "no command 'qqqqqqqq'; there are new, check, ", "qqqqqqqq");
    assert_ruga(2, "no model 'shet'; did you mean 'sheet'?", "make shet --width 3 -o x.obj");
    assert_ruga(2, "no option '--widht'; did you mean '--width'?", "make sheet --widht 2 -o x.obj");
    assert_ruga(2, "no option '--widht'; did you mean '--width'?", "make sheet --widht=2 -o x.obj");
    assert_ruga(2, "did you mean 'loop'?", "subdivide x.obj --kind lop -o y.obj");
    assert_ruga(2, "did you mean 'ply'?", "make sheet --format pyl -o y");
    assert_ruga(2, "no option '-quiet'; did you mean '--quiet'?", "info -quiet x.obj");
    assert_ruga(2, "no option '-Z'", "info -Z x.obj");
    assert_ruga(2, "did you mean 'models'?", "demo modles");
    assert_ruga(2, "no option '--thread'; did you mean '--threads'?", "--thread 3 info x.obj");
    assert_ruga(2, "no command 'rendr'; did you mean 'render'?", "-q --threads 2 rendr x.obj");
    assert_ruga(2, "no option '--versoin'; did you mean '--version'?", "--versoin");
    assert_int_equal(test_folder_entry_count(), 0);
}

static void wrong_values_are_answered_with_the_expected_ones(void **state) {
    (void)state;
    assert_ruga(2, "--width takes a number from 1e-06 to 1000000 m, not 'abc'", "make sheet --width abc -o x.obj");
    assert_ruga(2, "--width takes a number from 1e-06 to 1000000 m, not '-1'", "make sheet --width -1 -o x.obj");
    assert_ruga(2, "not 'nan'", "make sheet --width nan -o x.obj");
    assert_ruga(2, "not '1e999'", "make sheet --width 1e999 -o x.obj");
    assert_ruga(2, "not '2x'", "make sheet --width 2x -o x.obj");
    assert_ruga(2, "--rows takes a whole number from 1 to 4096, not '2.5'", "make sheet --rows 2.5 -o x.obj");
    assert_ruga(2, "--rows takes a whole number", "make sheet --rows 1e9 -o x.obj");
    assert_ruga(2, "--threads takes a whole number from 1 to 256, not '0'", "info --threads 0 x.obj");
    assert_ruga(2, "--unit takes m, cm, mm", "info --unit parsec x.obj");
    assert_ruga(2, "--unit takes m, cm, mm", "info --unit 0 x.obj");
    assert_ruga(2, "--up takes one of y, z, x, not 'w'", "info --up w x.obj");
    assert_ruga(2, "--eye takes three numbers x,y,z, not '1,2'", "render x.obj --eye 1,2 -o x.png");
    assert_ruga(2, "--range takes two numbers low:high", "render x.obj --range 3:1 -o x.png");
    assert_ruga(2, "--colour takes a colour such as #c08040, not 'red'", "render x.obj --colour red -o x.png");
    assert_ruga(2, "--caption takes a text that is not empty", "render x.obj --caption '' -o x.png");
    assert_ruga(2, "--wireframe takes no value, but got 'yes'", "render x.obj --wireframe=yes -o x.png");
    assert_ruga(2, "--output needs a value", "make sheet -o");
    assert_ruga(2, "--output needs a value", "make sheet -o --quiet");
}

static void missing_and_surplus_words_are_wrong_usage(void **state) {
    (void)state;
    assert_ruga(2, "-o sheet.obj", "make sheet");
    assert_ruga(2, "expected one model", "make sheet disc -o x.obj");
    assert_ruga(2, "expected a file", "info");
    assert_ruga(2, "one file", "validate");
    assert_ruga(2, "one file", "validate a.obj b.obj");
    assert_ruga(2, "an input and an output", "convert a.obj");
    assert_ruga(2, "an input and an output", "convert a.obj b.obj -o c.obj");
    assert_ruga(2, "one file", "subdivide -o x.obj");
    assert_ruga(2, "-o OUT", "subdivide a.obj");
    assert_ruga(2, "needs --length", "subdivide a.obj --kind long-edges -o b.obj");
    assert_ruga(2, "--n does not go with --kind long-edges", "subdivide a.obj -k long-edges --length 1 -n 2 -o b.obj");
    assert_ruga(2, "--length does not go with --kind loop", "subdivide a.obj -k loop --length 1 -o b.obj");
    assert_ruga(2, "0 to 8 rounds", "subdivide a.obj -k loop -n 9 -o b.obj");
    assert_ruga(2, "1 to 256 parts", "subdivide a.obj -n 0 -o b.obj");
    assert_ruga(2, "expected a mesh or a run", "render -o x.png");
    assert_ruga(2, "-o FILE.png", "render x.obj");
    assert_ruga(3, "pictures are .png", "render x.obj -o x.jpg");
    assert_ruga(3, "frame_####.png", "render x.obj --turntable 8 -o x_%%04d.png");
    assert_ruga(2, "--turntable makes a film", "render x.obj --turntable 8 -o x.png");
    assert_ruga(3, "the ending is not a known format", "make sheet -o sheet.xyz");
    assert_ruga(2, "standard output needs --format", "make sheet -o -");
    assert_ruga(2, "one scene", "run");
    assert_ruga(2, "one scene", "run a.json b.json");
    assert_ruga(2, "-o DIR", "run -");
    assert_ruga(2, "one scene", "check");
    assert_ruga(2, "one directory", "resume");
    assert_ruga(2, "one run", "stats a.run b.run");
    assert_ruga(2, "expected one kind", "new flutter other");
    assert_ruga(2, "takes no arguments", "schema x");
    assert_ruga(2, "takes no arguments", "reference x");
}

/* Options may stand anywhere, with = or without, before the command and after it; -- ends them. */
static void options_may_stand_anywhere(void **state) {
    (void)state;
    static const char *const lines[] = {"make sheet --width 2 --rows 3 -o a.obj -q",
                                        "make --width=2 sheet -oa.obj -q --rows=3",
                                        "--quiet make -o a.obj --rows 3 --width 2 sheet",
                                        "--threads 2 -q make --output=a.obj --rows 3 --width 2 -- sheet"};
    char *first = NULL;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_ruga(0, NULL, "%s", lines[i]);
        char *text = read_test_file(test_path("a.obj"), NULL);
        assert_non_null(text);
        if (!first)
            first = text;
        else {
            assert_string_equal(text, first);
            free(text);
        }
        remove(test_path("a.obj"));
    }
    free(first);
}

/* The last of several counts. */
static void a_repeated_option_counts_once(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet --rows 3 --rows 1 --columns 1 -o twice.obj -q");
    ruga_context *context = context_plain(1);
    json_document *info = ruga_json(context, 0, "info twice.obj");
    assert_int_equal((int)json_number_at(info, "vertices"), 4);
    json_destroy(info);
    ruga_context_destroy(context);
    remove(test_path("twice.obj"));
}

static void standard_output_that_fails_is_a_failure_but_a_closed_pipe_is_not(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet -o full.obj -q");
    assert_ruga(1, "standard output: No space left on device", "info full.obj >/dev/full");
    assert_ruga(1, "standard output: No space left on device", "make sheet --format obj -o - >/dev/full");
    command_result piped = ruga_run("make sheet --rows 300 --format obj -o - | head -1");
    assert_int_equal(piped.code, 0);
    assert_string_equal(piped.err, "");
    command_release(&piped);
    command_result help = ruga_run("render --help | head -1");
    assert_string_equal(help.err, "");
    command_release(&help);
    remove(test_path("full.obj"));
}

static void an_unknown_instruction_set_is_refused(void **state) {
    (void)state;
    setenv("RUGA_ISA", "abacus", 1);
    assert_ruga(2, "RUGA_ISA=abacus: unknown instruction set, or not supported by this machine; use auto, scalar, sse4",
                "make");
    setenv("RUGA_ISA", "scalar", 1);
    assert_ruga(0, NULL, "make");
    unsetenv("RUGA_ISA");
}

static void a_limit_of_file_size_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1 << 18; /* more than a coverage build writes at its end */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_ruga(1, "large.obj: can't be written: File too large", "make sheet --rows 300 --columns 300 -o large.obj");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(test_folder_entry_count(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tests_know_every_command),
        cmocka_unit_test(every_command_has_help_with_examples),
        cmocka_unit_test(help_names_the_options_of_each_command),
        cmocka_unit_test(help_fits_into_80_columns),
        cmocka_unit_test(general_help_lists_the_commands),
        cmocka_unit_test(the_version_is_the_librarys),
        cmocka_unit_test(the_version_as_json_has_instruction_sets_and_build_options),
        cmocka_unit_test(with_json_errors_are_json_too),
        cmocka_unit_test(verbose_reports_the_work_and_its_time),
        cmocka_unit_test(misspelt_words_get_a_suggestion),
        cmocka_unit_test(wrong_values_are_answered_with_the_expected_ones),
        cmocka_unit_test(missing_and_surplus_words_are_wrong_usage),
        cmocka_unit_test(options_may_stand_anywhere),
        cmocka_unit_test(a_repeated_option_counts_once),
        cmocka_unit_test(standard_output_that_fails_is_a_failure_but_a_closed_pipe_is_not),
        cmocka_unit_test(an_unknown_instruction_set_is_refused),
        cmocka_unit_test(a_limit_of_file_size_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
