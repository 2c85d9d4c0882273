/* ruga flesh: a mesh becomes flesh that is held, weighs and contracts, through a scene in memory. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "field_options.h"
#include "files.h"
#include "runner.h"
#include "scenes.h"

static const option output_options[] = {
    FRAMES_OUTPUT_ROW(
        "DIR|FILE",
        "the directory of the run, an animated file (.glb, .usda, .pc2 with an .obj beside it, frame_####.obj), or a "
        "scene (.json) to continue with; default flesh.run"),
    FLAG_ROW("replace", 0, "replace an existing run and delete its files"),
};
static const option muscle_options[] = {
    NUMBER_ROW("activation", "A", NULL, "1", 0, 1000,
               "of the muscle at the last frame: factor of its stress; it rises evenly from 0 at the first"),
};

enum { FLESH, PIN, MUSCLE, ENVIRONMENT, TIME, OUTPUT, GROUPS };
static field_options groups[GROUPS] = {
    [FLESH] = {.heading = "Flesh", .section = "objects.body.flesh", .target = "objects[0].body"},
    [PIN] = {.heading = "Pins: vertices that are held",
             .section = "objects.body.flesh.pins.fixed",
             .prefix = "pin-",
             .target = "objects[0].body.pins[0]"},
    [MUSCLE] = {.heading = "A muscle",
                .section = "objects.body.flesh.muscles",
                .prefix = "muscle-",
                .target = "objects[0].body.muscles[0]"},
    [ENVIRONMENT] = {.heading = "Environment", .section = "", .target = ""},
    [TIME] = {.heading = "Time", .section = "time", .target = "time"},
    [OUTPUT] = {.heading = "Output", .section = "output", .target = "output"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    for (int i = 0; i < GROUPS; i++) {
        field_options_add(list, &groups[i], 0);
        if (i == MUSCLE) option_list_add(list, "Its activation", muscle_options, OPTION_COUNT(muscle_options));
    }
    field_options_rename(
        &groups[FLESH], "integrator", "integrator",
        "quasistatic (the default here): every frame is in equilibrium; implicit: dynamic, stable at any step; "
        "semi_implicit: dynamic, for small steps only");
    option_list_add(list, "Input", input_options, OPTION_COUNT(input_options));
    option_list_add(list, "The scene", set_options, OPTION_COUNT(set_options));
    return 0;
}

/* ---- The scene. */

static const char scene_text[] =
    "{\"time\": {\"fps\": 24, \"frames\": 24, \"substeps\": 1},\n"
    " \"objects\": [{\"name\": \"flesh\", \"mesh\": {\"kind\": \"file\", \"file\": \"mesh.obj\"},\n"
    "              \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\"}}]}";

static int is_given(const arguments *a, const field_options *group) {
    int given = 0;
    for (size_t i = 0; i < group->count; i++) given |= option_given(a, group->options[i].name) > 0;
    return given;
}

/* A muscle that tightens from the first frame to the last. */
static int add_muscle(session *s, const arguments *a, ruga_description *d) {
    const ruga_time_def *time = &ruga_description_get(d)->time;
    const double begin = time->start_frame / time->fps;
    if (!option_given(a, "muscle-direction"))
        return session_error(s, EXIT_USAGE,
                             "flesh: a muscle needs the direction in which it pulls: --muscle-direction 1,0,0");
    return scene_set(s, d, "objects[0].body.muscles[0]",
                     "{\"direction\": [1, 0, 0], \"keys\": [{\"time\": %.17g, \"activation\": 0}, {\"time\": %.17g, "
                     "\"activation\": %.17g}]}",
                     begin, begin + (time->frames > 1 ? time->frames - 1 : 1) / time->fps,
                     option_number(a, "activation"));
}

static int describe(session *s, const arguments *a, ruga_description **out) {
    static const char *const inputs[] = {"unit", "up", "mesh"};
    TRY_CODE(scene_describe(s, "flesh", scene_text, out));
    ruga_description *d = *out;
    TRY_CODE(scene_set(s, d, "objects[0].mesh.file", "%s", a->words[0]));
    for (size_t i = 0; i < OPTION_COUNT(inputs); i++) {
        char path[40];
        snprintf(path, sizeof path, "objects[0].mesh.%s", inputs[i]);
        if (option_given(a, inputs[i])) TRY_CODE(scene_set(s, d, path, "%s", option_text(a, inputs[i])));
    }
    for (int i = 0; i < GROUPS; i++)
        if (i != PIN && i != MUSCLE) TRY_CODE(field_options_apply(s, a, &groups[i], groups[i].target, d));
    if (is_given(a, &groups[PIN])) {
        TRY_CODE(scene_set(s, d, "objects[0].body.pins[0]", "fixed"));
        TRY_CODE(field_options_apply(s, a, &groups[PIN], groups[PIN].target, d));
    }
    if (is_given(a, &groups[MUSCLE])) {
        TRY_CODE(add_muscle(s, a, d));
        TRY_CODE(field_options_apply(s, a, &groups[MUSCLE], groups[MUSCLE].target, d));
    }
    TRY_CODE(set_options_apply(s, a, d));
    return scene_check(s, d);
}

/* ---- The command. */

static int make(session *s, const arguments *a, const ruga_description *description) {
    const char *path = option_text(a, "output");
    if (!path) path = "flesh.run";
    int is_file = ruga_format_from_path(path) != RUGA_FORMAT_AUTO, is_scene = path_ends_in(path, ".json");
    if (!is_file && !is_scene) return run_description(s, "flesh", description, path, option_given(a, "replace") > 0);
    TRY_CODE(report_findings(s, "flesh", description));
    return is_scene ? scene_write(s, description, path) : run_to_file(s, description, "flesh", path);
}

static int run(session *s, const arguments *a) {
    ruga_description *description = NULL;
    if (a->word_count != 1)
        return session_error(s, EXIT_USAGE, "flesh: expected one mesh: ruga flesh MESH [-o DIR|FILE] [options]");
    int code = describe(s, a, &description);
    if (!code) code = make(s, a, description);
    ruga_description_destroy(description);
    return code;
}

const command command_flesh = {
    .name = "flesh",
    .summary = "simulates a mesh as flesh, with pins and a muscle",
    .usage = "ruga flesh MESH [-o DIR|FILE] [options]",
    .about =
        "Simulates a mesh as a soft solid of tetrahedra (Patkar, Jin and Fedkiw 2015, section 7). MESH has tets "
        "(.msh, .mesh, .node), or is a closed surface, which is filled with tets and follows them. Without options "
        "it is in equilibrium at every frame; --integrator implicit simulates the dynamics. The options pin-... "
        "choose vertices that are held, and muscle-... a part of the material that contracts. docs/flesh.md explains "
        "all parameters.",
    .examples =
        "  ruga flesh bar.msh --pin-box-to -0.4,9,9 -o sag.pc2\n"
        "  ruga flesh jelly.obj --integrator implicit --pin-box-to 9,0.01,9 -o jelly.glb\n"
        "  ruga flesh head.obj --pin-box-to 9,9,-0.02 --muscle-where cheek \\\n"
        "      --muscle-direction 0.4,1,0 --gravity 0,0,0 -o smile.run\n"
        "  ruga flesh head.obj --skin 50 -o scene.json\n",
    .groups = {OPTION_GROUP("Output", output_options)},
    .add_options = add_options,
    .run = run,
};
