/* ruga make MODEL: models by formula. The options of a model come from the library's table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "field_options.h"
#include "frames.h"
#include "report.h"

static const option make_options[] = {
    OUTPUT_ROW("FILE", NULL, "where to write; - is standard output"),
    FORMAT_ROW,
    UNIT_ROW("unit", "file"),
    UP_ROW("up", "file"),
};

static const option act_options[] = {
    TEXT_ROW("action", "NAME",
             "write a motion of the model: walk or jump of the mannequin, bend of the arm; to .pc2, .mdd (make the "
             "mesh without --action), .glb, .gltf, .usda or a sequence such as walk_####.obj"),
    NUMBER_ROW("rate", "R", "frames/s", "24", 0.001, 100000, "frames per second of the action"),
};

static const option curve_options[] = {
    WRITTEN_ROW(
        "curves", "FILE",
        "also write the curves along which the model wrinkles, for ruga sculpt: .obj, .svg over the UVs, or .json"),
};

enum { MAX_MODELS = 64, MAX_ACTIONS = 8 };
static field_options parameters;           /* of the model that is to be made */
static field_options actions[MAX_ACTIONS]; /* of its motions */

/* The model's name: the first word that is neither an option nor the value of one; NULL: none. Options that only a
 * model has all take a value. */
static const char *find_model_word(int argc, char **argv) {
    option_list common = {0};
    option_list_add(&common, "", common_options, OPTION_COUNT(common_options));
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i];
        if (text[0] != '-' || !text[1]) return text;
        if (strcmp(text, "--") == 0 || strchr(text, '=') || (text[1] != '-' && text[2])) continue;
        const option *o = text[1] == '-' ? option_list_find(&common, text + 2, strlen(text + 2))
                                         : option_list_find_letter(&common, text[1]);
        if (!o || o->kind != OPTION_FLAG) i++;
    }
    return NULL;
}

/* The parameters of a model as options; those of its actions have a prefix: --walk-period. */
static int add_options(session *s, option_list *list, int argc, char **argv) {
    const char *word = find_model_word(argc, argv), *names[MAX_MODELS];
    if (!word) return 0;
    const ruga_section *model = ruga_model_find(word);
    size_t count = ruga_model_count() < MAX_MODELS ? ruga_model_count() : MAX_MODELS;
    for (size_t i = 0; i < count; i++) names[i] = ruga_model_get(i)->name;
    if (!model) return session_unknown(s, "model", word, names, count);
    field_options_make(&parameters, model, 1);
    option_list_add(list, "Parameters of the model", parameters.options, parameters.count);
    if (ruga_model_can_act(word)) option_list_add(list, "Motion", act_options, OPTION_COUNT(act_options));
    for (size_t i = 0; i < ruga_action_count() && i < MAX_ACTIONS; i++) {
        const ruga_section *action = ruga_action_get(i);
        if (strcmp(ruga_action_actor(i), word) != 0) continue;
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%s-", action->name);
        actions[i].prefix = prefix;
        field_options_make(&actions[i], action, 1);
        option_list_add(list, action->help, actions[i].options, actions[i].count);
    }
    if (ruga_model_has_curves(word)) option_list_add(list, "Curves", curve_options, OPTION_COUNT(curve_options));
    return 0;
}

static int list_models_as_json(session *s) {
    ruga_json_writer *json;
    int code = json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_array(json);
    for (size_t m = 0; m < ruga_model_count(); m++) {
        const ruga_section *model = ruga_model_get(m);
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", model->name);
        ruga_json_put_string(json, "help", model->help);
        ruga_json_put_array(json, "parameters");
        for (size_t i = 0; i < model->field_count; i++) {
            const ruga_field *p = &model->fields[i];
            ruga_json_begin_object(json);
            ruga_json_put_string(json, "name", p->name);
            ruga_json_put_string(json, "unit", p->unit);
            ruga_json_put_number(json, "default", strtod(p->preset, NULL));
            ruga_json_put_number(json, "low", p->low);
            ruga_json_put_number(json, "high", p->high);
            ruga_json_put_boolean(json, "whole", p->step == 1);
            ruga_json_put_string(json, "help", p->help);
            ruga_json_end_object(json);
        }
        ruga_json_end_array(json);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    return json_finish(s, json);
}

static void print_models(session *s) {
    session_print(s, "Models:\n");
    for (size_t i = 0; i < ruga_model_count(); i++)
        session_print(s, "  %-12s%s\n", ruga_model_get(i)->name, ruga_model_get(i)->help);
}

/* Writes a motion of the model. */
static int make_action(session *s, const arguments *a, const ruga_section *model, const double *values,
                       const char *name, const ruga_mesh *mesh, const char *path, ruga_file_def *def) {
    const char *names[MAX_ACTIONS];
    size_t count = 0, i = 0;
    for (; i < ruga_action_count() && i < MAX_ACTIONS && strcmp(ruga_action_get(i)->name, name) != 0; i++)
        if (strcmp(ruga_action_actor(i), model->name) == 0) names[count++] = ruga_action_get(i)->name;
    if (i == ruga_action_count() || strcmp(ruga_action_actor(i), model->name) != 0)
        return session_unknown(s, "action", name, names, count);
    if (!format_may_be_motion(def->format, path) || strcmp(path, "-") == 0)
        return session_error(s, EXIT_USAGE,
                             "make: %s can't hold a motion; write .glb, .pc2, .mdd, .usda or a sequence such as "
                             "%s_####.obj",
                             path, name);
    double parameters_of_action[MAX_FIELD_OPTIONS];
    field_options_numbers(a, &actions[i], parameters_of_action);
    ruga_motion *motion = NULL;
    int code = output_code(s, ruga_model_motion(s->context, model->name, values, name, parameters_of_action, &motion));
    if (code) return code;
    timeline t = timeline_at_rate(motion, option_number(a, "rate"));
    code = motion_write(s, mesh, motion, &t, "moving", path, def);
    if (!code) code = report_motion(s, path, mesh, t.count, def);
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
    int code = output_code(s, status);
    if (!code) session_remark(s, "wrote %s: %zu curves\n", path, count);
    return code;
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
    code = output_code(s, ruga_model_make(s->context, model->name, values, &mesh));
    if (code) return code;
    const char *action = ruga_model_can_act(model->name) ? option_text(a, "action") : NULL;
    if (action) {
        code = make_action(s, a, model, values, action, mesh, path, &def);
    } else {
        code = write_mesh(s, mesh, NULL, path, &def);
        if (!code) code = write_curves(s, a, model, mesh, &def);
        if (!code) code = report_mesh(s, path, mesh);
    }
    ruga_mesh_destroy(mesh);
    return code;
}

static int run(session *s, const arguments *a) {
    if (a->word_count == 0 && s->json) return list_models_as_json(s);
    if (a->word_count == 0) {
        print_models(s);
        session_print(s, "\n'ruga make MODEL --help' lists a model's parameters.\n");
        return EXIT_FINE;
    }
    const ruga_section *model = ruga_model_find(a->words[0]);
    if (a->word_count > 1)
        return session_error(s, EXIT_USAGE, "make: expected one model, but also got '%s' (give the file with -o)",
                             a->words[1]);
    const char *path = option_text(a, "output");
    if (!path) return session_error(s, EXIT_USAGE, "make: give the output: -o %s.obj", model->name);
    return make_model(s, a, model, path);
}

static void print_help_of_models(session *s) {
    session_print(s, "\n");
    print_models(s);
}

static int model_word(size_t i, const char **name, const char **help) {
    if (i >= ruga_model_count()) return 0;
    *name = ruga_model_get(i)->name;
    *help = ruga_model_get(i)->help;
    return 1;
}

const command command_make = {
    .name = "make",
    .summary = "makes a mesh from a formula: a sheet, a sphere, a torus, …",
    .usage = "ruga make MODEL [parameters] -o FILE",
    .about =
        "Makes a model from a formula, with texture coordinates. The same parameters always give the same mesh. 'ruga "
        "make' alone lists the models, 'ruga make MODEL --help' the parameters of one.",
    .examples =
        "  ruga make\n"
        "  ruga make sheet --help\n"
        "  ruga make sheet --width 2 --rows 40 -o sheet.obj\n"
        "  ruga make torus -o torus.glb\n"
        "  ruga make mannequin --action walk -o walk.glb\n"
        "  ruga make bust -o bust.obj --curves lines.obj\n"
        "  ruga make sphere --unit cm --up z -o sphere.ply\n",
    .groups = {OPTION_GROUP("Options", make_options)},
    .add_options = add_options,
    .word = model_word,
    .run = run,
    .print_more_help = print_help_of_models,
};
