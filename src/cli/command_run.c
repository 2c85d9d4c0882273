/* ruga run: a scene becomes frames in a directory. The options for time and output come from the scene's own tables. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "field_options.h"
#include "files.h"
#include "runner.h"
#include "scenes.h"

static const option run_options[] = {
    OUTPUT_ROW("DIR", NULL, "the directory to run in; in the present folder, named after the scene, if not given"),
    {.name = "replace", .kind = OPTION_FLAG, .help = "begin anew where there is a run already; what it wrote goes"},
    {.name = "strict",
     .kind = OPTION_FLAG,
     .help = "stop where bodies leave cloth no room, instead of telling so and going on: contact.strict"},
};

static field_options scene_options, time_options, output_options;

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    field_options_make(&scene_options, ruga_scene_section(), 0);
    field_options_make(&time_options, ruga_scene_section_find("time"), 0);
    field_options_make(&output_options, ruga_scene_section_find("output"), 0);
    option_list_add(list, "Options", run_options, OPTION_COUNT(run_options));
    option_list_add(list, "The scene", set_options, set_option_count);
    option_list_add(list, "What surrounds it, instead of what the scene says", scene_options.options,
                    scene_options.count);
    option_list_add(list, "Time, instead of what the scene says", time_options.options, time_options.count);
    option_list_add(list, "What is written, instead of what the scene says", output_options.options,
                    output_options.count);
    return 0;
}

static int change_scene(session *s, const arguments *a, ruga_description *description) {
    int code = field_options_apply(s, a, &scene_options, "", description);
    if (!code && option_given(a, "strict")) {
        ruga_status status = ruga_description_set(description, "contact.strict", "true");
        if (RUGA_FAILED(status)) code = session_failed_usage(s, status, "strict");
    }
    if (!code) code = field_options_apply(s, a, &time_options, "time", description);
    return code ? code : field_options_apply(s, a, &output_options, "output", description);
}

/* "scenes/flutter.json" runs in "flutter.run". */
static void default_directory(const char *scene, char *directory, size_t size) {
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *ending = strrchr(name, '.');
    size_t length = ending && ending > name ? (size_t)(ending - name) : strlen(name);
    snprintf(directory, size, "%.*s.run", (int)length, name);
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "run: wants one scene: ruga run SCENE");
    const char *scene = a->words[0], *directory = option_text(a, "output");
    char named[1024];
    if (!directory && strcmp(scene, "-") == 0)
        return session_error(s, EXIT_USAGE,
                             "run: a scene from standard input has no name; say where to run it: -o DIR");
    if (!directory) {
        default_directory(scene, named, sizeof named);
        directory = named;
    }
    ruga_description *description = NULL;
    int code = scene_read(s, a, scene, change_scene, &description);
    if (code) return code;
    code = run_description(s, scene, description, directory, option_given(a, "replace") > 0);
    ruga_description_destroy(description);
    return code;
}

const command command_run = {
    .name = "run",
    .summary = "runs a scene into a directory of frames",
    .usage = "ruga run SCENE [-o DIR] [options]",
    .about =
        "Reads and checks a scene, runs it, and writes its frames, timings and checkpoints into a directory. '-' is\n"
        "standard input. Ctrl-C stops it; 'ruga resume DIR' goes on, also after a crash or a full disk, to the same\n"
        "frames bit for bit. 'ruga new' writes scenes to start from, 'ruga reference' tells all that can be in one.",
    .examples =
        "  ruga new flutter -o flutter.json\n"
        "  ruga run flutter.json\n"
        "  ruga run flutter.json -o test.run --frames 24 --replace\n"
        "  ruga run flutter.json -o windy.run --set wind.velocity=[0,0,5]\n"
        "  ruga run skirt.json --strict\n"
        "  ruga render flutter.run -o flutter.mp4\n",
    .add_options = add_options,
    .run = run,
};
