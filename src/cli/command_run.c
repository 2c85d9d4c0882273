/* ruga run: a scene becomes frames in a directory. The options for time and output come from the scene's own tables. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "field_options.h"
#include "files.h"
#include "runner.h"
#include "scenes.h"

static const option run_options[] = {
    OUTPUT_ROW("DIR", NULL, "the directory to run in (default: named after the scene, in the current folder)"),
    FLAG_ROW("replace", 0, "replace an existing run and delete its files"),
    FLAG_ROW("strict", 0, "stop if bodies leave no room for cloth, instead of a warning: contact.strict"),
};

static field_options groups[] = {
    {.heading = "Environment, overriding the scene", .section = "", .target = ""},
    {.heading = "Time, overriding the scene", .section = "time", .target = "time"},
    {.heading = "Output, overriding the scene", .section = "output", .target = "output"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    for (size_t i = 0; i < OPTION_COUNT(groups); i++) field_options_add(list, &groups[i], 0);
    return 0;
}

static int change_scene(session *s, const arguments *a, ruga_description *description) {
    int code = 0;
    if (option_given(a, "strict"))
        code = usage_code(s, ruga_description_set(description, "contact.strict", "true"), "strict");
    for (size_t i = 0; i < OPTION_COUNT(groups) && !code; i++)
        code = field_options_apply(s, a, &groups[i], groups[i].target, description);
    return code;
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "run: expected one scene: ruga run SCENE");
    const char *scene = a->words[0], *directory = option_text(a, "output");
    char own[1024];
    if (!directory && strcmp(scene, "-") == 0)
        return session_error(s, EXIT_USAGE, "run: a scene from standard input has no name; give the directory: -o DIR");
    if (!directory) { /* "scenes/flutter.json" runs in "flutter.run" */
        const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *ending = strrchr(name, '.');
        size_t length = ending && ending > name ? (size_t)(ending - name) : strlen(name);
        snprintf(own, sizeof own, "%.*s.run", (int)length, name);
        directory = own;
    }
    const int replace = option_given(a, "replace") > 0;
    ruga_description *description = NULL;
    int code = output_code(s, ruga_run_directory_check(s->context, directory, replace)); /* before the work */
    if (!code) code = scene_read(s, a, scene, change_scene, &description);
    if (!code) code = run_description(s, scene, description, directory, replace);
    ruga_description_destroy(description);
    return code;
}

const command command_run = {
    .name = "run",
    .summary = "runs a scene into a directory of frames",
    .usage = "ruga run SCENE [-o DIR] [options]",
    .about =
        "Reads and checks a scene, runs it, and writes its frames, timings and checkpoints into a directory. '-' is "
        "standard input. Ctrl-C stops the run; 'ruga resume DIR' continues it with bit-identical frames, also after "
        "a crash or a full disk. 'ruga new' writes scenes to start from, 'ruga reference' lists everything that a "
        "scene can contain.",
    .examples =
        "  ruga new flutter -o flutter.json\n"
        "  ruga run flutter.json\n"
        "  ruga run flutter.json -o test.run --frames 24 --replace\n"
        "  ruga run flutter.json -o windy.run --set wind.velocity=[0,0,5]\n"
        "  ruga run skirt.json --strict\n"
        "  ruga render flutter.run -o flutter.mp4\n",
    .groups = {OPTION_GROUP("Options", run_options), OPTION_GROUP("The scene", set_options)},
    .add_options = add_options,
    .run = run,
};
