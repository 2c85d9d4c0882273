/* ruga make MODEL: models by formula. The options of a model come from the library's own table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "field_options.h"
#include "files.h"

static const option make_options[] = {
    OUTPUT_ROW("FILE", NULL, "where to write; - is standard output"),
    FORMAT_ROW,
    UNIT_ROW("unit", "file"),
    UP_ROW("up", "file"),
};

static const option act_options[] = {
    {.name = "action",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .help = "writes what the model does rather than how it stands: walk and jump of the mannequin, bend of the arm. "
             "To .pc2, .mdd (beside the mesh, made "
             "without it), .glb, .gltf, .usda or a sequence such as walk_####.obj"},
    {.name = "rate",
     .kind = OPTION_NUMBER,
     .value = "R",
     .unit = "frames/s",
     .low = 0.001,
     .high = 100000,
     .preset = "24",
     .help = "frames a second of the action"},
};

static const option curve_options[] = {
    {.name = "curves",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help =
         "also writes the curves along which the model wrinkles, for ruga sculpt: .obj, .svg over the UVs, or .json"},
};

enum { MAX_ACTIONS = 8 };
static field_options parameters;           /* of the model that is to be made */
static field_options actions[MAX_ACTIONS]; /* of what it can do */

static int unknown_model(session *s, const char *name) {
    const char *names[64];
    size_t count = ruga_model_count() < 64 ? ruga_model_count() : 64;
    for (size_t i = 0; i < count; i++) names[i] = ruga_model_get(i)->name;
    char meant[128];
    suggest(meant, sizeof meant, name, names, count, "");
    return session_error(s, EXIT_USAGE, "no model '%.100s'%s", name, meant[0] ? meant : "; ruga make lists them");
}

/* Whether the argument after this option is its value. Options that only a model knows all take one. */
static int takes_next(const char *text) {
    if (strcmp(text, "--") == 0 || strchr(text, '=') || (text[1] != '-' && text[2])) return 0;
    option_list common = {0};
    option_list_add(&common, "", common_options, common_option_count);
    const option *o = text[1] == '-' ? option_list_find(&common, text + 2, strlen(text + 2))
                                     : option_list_find_letter(&common, text[1]);
    return !o || o->kind != OPTION_FLAG;
}

/* The model's name: the first word that is neither an option nor the value of one; NULL if there is none. */
static const char *find_model_word(int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1]) return argv[i];
        if (takes_next(argv[i])) i++;
    }
    return NULL;
}

/* What a model can do, each action's parameters behind its name: --walk-period. */
static void add_action_options(option_list *list, const char *model) {
    option_list_add(list, "Motion", act_options, OPTION_COUNT(act_options));
    for (size_t i = 0; i < ruga_action_count() && i < MAX_ACTIONS; i++) {
        const ruga_section *action = ruga_action_get(i);
        if (strcmp(ruga_action_actor(i), model) != 0) continue;
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%s-", action->name);
        field_options_make(&actions[i], action, 1);
        field_options_prefix(&actions[i], prefix);
        option_list_add(list, action->help, actions[i].options, actions[i].count);
    }
}

/* A model's parameters as options. */
static int add_options(session *s, option_list *list, int argc, char **argv) {
    option_list_add(list, "Options", make_options, OPTION_COUNT(make_options));
    const char *word = find_model_word(argc, argv);
    if (!word) return 0;
    const ruga_section *model = ruga_model_find(word);
    if (!model) return unknown_model(s, word);
    field_options_make(&parameters, model, 1);
    option_list_add(list, "Parameters of the model", parameters.options, parameters.count);
    if (ruga_model_can_act(word)) add_action_options(list, word);
    if (ruga_model_has_curves(word)) option_list_add(list, "Curves", curve_options, OPTION_COUNT(curve_options));
    return 0;
}

static void list_models_as_json(ruga_json_writer *json) {
    ruga_json_begin_array(json);
    for (size_t m = 0; m < ruga_model_count(); m++) {
        const ruga_section *model = ruga_model_get(m);
        ruga_json_begin_object(json);
        ruga_json_key(json, "name");
        ruga_json_string(json, model->name);
        ruga_json_key(json, "help");
        ruga_json_string(json, model->help);
        ruga_json_key(json, "parameters");
        ruga_json_begin_array(json);
        for (size_t i = 0; i < model->field_count; i++) {
            const ruga_field *p = &model->fields[i];
            ruga_json_begin_object(json);
            ruga_json_key(json, "name");
            ruga_json_string(json, p->name);
            ruga_json_key(json, "unit");
            ruga_json_string(json, p->unit);
            ruga_json_key(json, "default");
            ruga_json_number(json, strtod(p->preset, NULL));
            ruga_json_key(json, "low");
            ruga_json_number(json, p->low);
            ruga_json_key(json, "high");
            ruga_json_number(json, p->high);
            ruga_json_key(json, "whole");
            ruga_json_boolean(json, p->step == 1);
            ruga_json_key(json, "help");
            ruga_json_string(json, p->help);
            ruga_json_end_object(json);
        }
        ruga_json_end_array(json);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
}

static int list_models(session *s) {
    if (s->json) {
        ruga_json_writer *json;
        int code = session_json_begin(s, &json);
        if (code) return code;
        list_models_as_json(json);
        return session_json_finish(s, json);
    }
    session_print(s, "Models:\n");
    for (size_t i = 0; i < ruga_model_count(); i++)
        session_print(s, "  %-12s%s\n", ruga_model_get(i)->name, ruga_model_get(i)->help);
    session_print(s, "\n'ruga make MODEL --help' lists a model's parameters.\n");
    return EXIT_FINE;
}

static int unknown_action(session *s, const char *model, const char *name) {
    const char *names[MAX_ACTIONS];
    size_t count = 0;
    for (size_t i = 0; i < ruga_action_count() && i < MAX_ACTIONS; i++)
        if (strcmp(ruga_action_actor(i), model) == 0) names[count++] = ruga_action_get(i)->name;
    char meant[128];
    suggest(meant, sizeof meant, name, names, count, "");
    return session_error(s, EXIT_USAGE, "make: no action '%.100s' of the %s%s", name, model,
                         meant[0] ? meant : "; see --help");
}

/* What a model does, frame by frame. */
static int make_action(session *s, const arguments *a, const ruga_section *model, const double *values,
                       const char *name, const ruga_mesh *mesh, const char *path, ruga_file_def *def) {
    size_t i = 0;
    while (i < ruga_action_count() && i < MAX_ACTIONS && strcmp(ruga_action_get(i)->name, name) != 0) i++;
    if (i == ruga_action_count() || strcmp(ruga_action_actor(i), model->name) != 0)
        return unknown_action(s, model->name, name);
    if (!format_may_be_motion(def->format, path) || strcmp(path, "-") == 0)
        return session_error(s, EXIT_USAGE,
                             "make: %s can't hold a motion; write .glb, .pc2, .mdd, .usda or a sequence such as "
                             "%s_####.obj",
                             path, name);
    double way[MAX_FIELD_OPTIONS];
    field_options_numbers(a, &actions[i], way);
    ruga_motion *motion = NULL;
    ruga_status status = ruga_model_motion(s->context, model->name, values, name, way, &motion);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    def->rate = option_number(a, "rate");
    int code = write_motion(s, mesh, motion, motion_frame_count(motion, def->rate), path, def, "moving");
    ruga_motion_destroy(motion);
    return code;
}

static int write_curves(session *s, const arguments *a, const ruga_section *model, const ruga_mesh *mesh,
                        const ruga_file_def *def) {
    const char *path = ruga_model_has_curves(model->name) ? option_text(a, "curves") : NULL;
    ruga_curve **curves = NULL;
    size_t count = 0;
    if (!path) return 0;
    ruga_status status = ruga_model_curves(mesh, model->name, &curves, &count);
    if (!RUGA_FAILED(status)) status = ruga_curves_write(mesh, (const ruga_curve *const *)curves, count, path, def);
    ruga_curves_destroy(s->context, curves, count);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    session_remark(s, "wrote %s: %zu curves\n", path, count);
    return 0;
}

static int make_model(session *s, const arguments *a, const ruga_section *model, const char *path) {
    ruga_file_def def = ruga_file_def_default();
    int code = output_format(s, a, path, &def.format);
    if (code) return code;
    def.unit = option_length(a, "unit");
    def.up = (ruga_axis)option_choice(a, "up");

    double values[MAX_FIELD_OPTIONS];
    field_options_numbers(a, &parameters, values);
    ruga_mesh *mesh = NULL;
    ruga_status status = ruga_model_make(s->context, model->name, values, &mesh);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    const char *action = ruga_model_can_act(model->name) ? option_text(a, "action") : NULL;
    if (action) {
        code = make_action(s, a, model, values, action, mesh, path, &def);
    } else {
        code = write_mesh(s, mesh, NULL, path, &def);
        if (!code) code = write_curves(s, a, model, mesh, &def);
        if (!code) code = report_written(s, path, mesh);
    }
    ruga_mesh_destroy(mesh);
    return code;
}

static int run(session *s, const arguments *a) {
    if (a->word_count == 0) return list_models(s);
    const ruga_section *model = ruga_model_find(a->words[0]);
    if (a->word_count > 1)
        return session_error(s, EXIT_USAGE, "make: one model at a time; '%s' is one too many (the file goes after -o)",
                             a->words[1]);
    const char *path = option_text(a, "output");
    if (!path) return session_error(s, EXIT_USAGE, "make: say where to write it: -o %s.obj", model->name);
    return make_model(s, a, model, path);
}

static void print_help(const command *c, const option_list *list) {
    command_print_help(c, list);
    printf("\nModels:\n");
    for (size_t i = 0; i < ruga_model_count(); i++)
        printf("  %-12s%s\n", ruga_model_get(i)->name, ruga_model_get(i)->help);
}

const command command_make = {
    .name = "make",
    .summary = "makes a mesh by formula: a sheet, a sphere, a torus, …",
    .usage = "ruga make MODEL [parameters] -o FILE",
    .about =
        "Makes a model by formula, with texture coordinates, and writes it. The same parameters always give the\n"
        "same mesh. 'ruga make' alone lists the models, 'ruga make MODEL --help' the parameters of one.",
    .examples =
        "  ruga make\n"
        "  ruga make sheet --help\n"
        "  ruga make sheet --width 2 --rows 40 -o sheet.obj\n"
        "  ruga make torus -o torus.glb\n"
        "  ruga make mannequin --action walk -o walk.glb\n"
        "  ruga make bust -o bust.obj --curves lines.obj\n"
        "  ruga make sphere --unit cm --up z -o sphere.ply\n",
    .add_options = add_options,
    .run = run,
    .print_help = print_help,
};
