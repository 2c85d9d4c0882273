/* ruga check: all that is wrong with a scene, at once. */
#include <stdio.h>

#include "command.h"
#include "field_options.h"
#include "scenes.h"

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", set_options, set_option_count);
    return 0;
}

static void json_finding(ruga_json_writer *json, const char *path, const ruga_finding *f) {
    ruga_json_begin_object(json);
    ruga_json_key(json, "file");
    ruga_json_string(json, scene_title(path));
    ruga_json_key(json, "line");
    ruga_json_integer(json, f->line);
    ruga_json_key(json, "column");
    ruga_json_integer(json, f->column);
    ruga_json_key(json, "level");
    ruga_json_string(json, RUGA_FAILED(f->status) ? "error" : "warning");
    ruga_json_key(json, "path");
    ruga_json_string(json, f->path ? f->path : "");
    ruga_json_key(json, "message");
    ruga_json_string(json, f->message);
    ruga_json_end_object(json);
}

static int json_findings(session *s, const char *path, const ruga_description *description) {
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_array(json);
    for (size_t i = 0; i < ruga_description_finding_count(description); i++)
        json_finding(json, path, ruga_description_finding(description, i));
    ruga_json_end_array(json);
    return session_json_finish(s, json);
}

static int report(session *s, const char *path, const ruga_description *description) {
    finding_counts counts = count_findings(description);
    int verdict = counts.errors ? EXIT_INPUT : EXIT_FINE;
    if (s->json) {
        int code = json_findings(s, path, description);
        return code ? code : verdict;
    }
    if (s->quiet) return verdict;
    char text[64];
    print_findings(s, 1, path, description);
    describe_counts(counts, text, sizeof text);
    session_print(s, "%s: %s\n", scene_title(path), text[0] ? text : "fine");
    return verdict;
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "check: wants one scene: ruga check SCENE");
    ruga_description *description = NULL;
    int code = scene_read(s, a, a->words[0], NULL, &description);
    if (code) return code;
    code = report(s, a->words[0], description);
    ruga_description_destroy(description);
    return code;
}

const command command_check = {
    .name = "check",
    .summary = "finds all that is wrong with a scene, without running it",
    .usage = "ruga check SCENE [options]",
    .about =
        "Unknown and missing keys, wrong types and ranges, names that nothing has, files that are not there or do not\n"
        "fit, what has no effect: each in a line that editors jump to, file:line:column. '-' is standard input.\n"
        "Exit code 0: it can run (there may be warnings); 3: there are errors, or the file can't be read.\n"
        "With --quiet the exit code is the whole answer.",
    .examples =
        "  ruga check scene.json\n"
        "  ruga check scene.json --set time.frames=10\n"
        "  ruga check scene.json --json\n"
        "  ruga new flutter | ruga check -\n",
    .add_options = add_options,
    .run = run,
};
