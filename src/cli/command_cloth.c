/* ruga cloth: a flag, a curtain or a tablecloth from options alone, through a scene in memory. */
#include <stdio.h>
#include <string.h>

#include "cloth_scenes.h"
#include "command.h"
#include "files.h"
#include "report.h"
#include "runner.h"
#include "scenes.h"

static const option cloth_options[] = {
    FRAMES_OUTPUT_ROW(
        "DIR|FILE",
        "the directory of the run, an animated file (.glb, .usda, .pc2 with an .obj beside it, frame_####.obj), or a "
        "scene (.json) to continue with; default KIND.run"),
    FLAG_ROW("replace", 0, "replace an existing run and delete its files"),
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    cloth_scene_add_options(list);
    return 0;
}

static int make(session *s, const arguments *a, const char *kind, const ruga_description *description) {
    const char *path = option_text(a, "output");
    char directory[64];
    snprintf(directory, sizeof directory, "%s.run", kind);
    if (!path) path = directory;
    int is_file = ruga_format_from_path(path) != RUGA_FORMAT_AUTO, is_scene = path_ends_in(path, ".json");
    if (!is_file && !is_scene) return run_description(s, kind, description, path, option_given(a, "replace") > 0);
    TRY_CODE(report_findings(s, kind, description));
    return is_scene ? scene_write(s, description, path) : run_to_file(s, description, kind, path);
}

static int run(session *s, const arguments *a) {
    const char *names[CLOTH_SCENES], *kind = NULL;
    for (size_t i = 0; i < CLOTH_SCENES; i++) {
        names[i] = cloth_scenes[i].name;
        if (a->word_count && strcmp(names[i], a->words[0]) == 0) kind = names[i];
    }
    if (a->word_count == 0)
        return report_names(s, "Kinds", cloth_scenes, CLOTH_SCENES,
                            "'ruga cloth KIND' runs one, 'ruga cloth --help' lists its options.");
    if (a->word_count > 1)
        return session_error(s, EXIT_USAGE, "cloth: expected one kind, but also got '%s' (give the file with -o)",
                             a->words[1]);
    if (!kind) return session_unknown(s, "kind of cloth", a->words[0], names, CLOTH_SCENES);
    ruga_description *description = NULL;
    int code = cloth_scene_describe(s, a, kind, &description);
    if (!code) code = make(s, a, kind, description);
    ruga_description_destroy(description);
    return code;
}

static void print_kinds(session *s) {
    session_print(s, "\n");
    print_names(s, "Kinds", cloth_scenes, CLOTH_SCENES);
}

static int kind_word(size_t i, const char **name, const char **help) {
    if (i >= CLOTH_SCENES) return 0;
    *name = cloth_scenes[i].name;
    *help = cloth_scenes[i].help;
    return 1;
}

const command command_cloth = {
    .name = "cloth",
    .summary = "simulates a flag, a curtain or a tablecloth from options alone",
    .usage = "ruga cloth KIND [-o DIR|FILE] [options]",
    .about =
        "Builds a cloth scene from options and runs it, as 'ruga run' does. Options that are not given have the "
        "values of the scene that 'ruga new KIND' writes. A flag stretches more easily than its --material, unless "
        "--stretch is given; docs/cloth.md explains why, and all parameters.",
    .examples =
        "  ruga cloth flag --wind 8,0,2 --gust 0.4 -o flag.glb\n"
        "  ruga cloth flag --wave --columns 9 --rows 9 --spline 50 -o flag.run\n"
        "  ruga cloth curtain --rings 9 --material silk --frames 120\n"
        "  ruga cloth tablecloth --table 1.2,0.75,0.8 -o tablecloth.pc2\n"
        "  ruga cloth tablecloth --integrator explicit --substeps 400 -o scene.json\n",
    .groups = {OPTION_GROUP("Options", cloth_options)},
    .add_options = add_options,
    .word = kind_word,
    .run = run,
    .print_more_help = print_kinds,
};
