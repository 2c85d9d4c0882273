#include "field_options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

static const char *const flag_names[] = {"true", "false", NULL};

const option set_options[] = {
    TEXT_ROW("set", "PATH=VALUE",
             "change one value of the scene, such as time.fps=30 or objects[shirt].body=static; may be repeated. "
             "'ruga reference' lists all values"),
};

/* ---- A field as an option. */
/* Sections within sections have no option, except those that a bare value turns on and off: they have that value's. */
static const ruga_field *switch_of(const ruga_field *field) {
    if (field->kind != RUGA_FIELD_SECTION || !field->preset || !field->preset[0]) return NULL;
    return ruga_section_field(field->sections[0], field->sections[0]->shorthand);
}

/* Whether a name is among the words of a text. */
static int has_word(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; at && (at = strstr(at, name)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return 1;
    return 0;
}

static void set_kind(option *o, option_kind kind, const char *value) {
    o->kind = kind;
    o->value = value;
}

static void choose_kind(option *o, const ruga_field *field) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER: set_kind(o, field->step == 1 ? OPTION_WHOLE : OPTION_NUMBER, "X"); break;
        case RUGA_FIELD_WHOLE: set_kind(o, OPTION_WHOLE, "N"); break;
        case RUGA_FIELD_FLAG: set_kind(o, OPTION_SWITCH, "[FLAG]"); break;
        case RUGA_FIELD_CHOICE: set_kind(o, OPTION_CHOICE, "WORD"); break;
        case RUGA_FIELD_CHOICES: set_kind(o, OPTION_CHOICES, "LIST"); break;
        case RUGA_FIELD_UNIT: set_kind(o, OPTION_LENGTH, "UNIT"); break;
        case RUGA_FIELD_VECTOR: set_kind(o, OPTION_VECTOR, "X,Y,Z"); break;
        case RUGA_FIELD_PATH: set_kind(o, OPTION_TEXT, "FILE"); break;
        case RUGA_FIELD_NAME: set_kind(o, OPTION_TEXT, "NAME"); break;
        default: set_kind(o, OPTION_TEXT, "VALUE"); break;
    }
    if (o->kind == OPTION_WHOLE) o->value = "N";
    /* A unit of length has its own range, and is the unit itself. */
    if (o->kind == OPTION_LENGTH) {
        o->low = o->high = 0;
        o->unit = NULL;
    }
    o->choices = field->kind == RUGA_FIELD_FLAG ? flag_names : field->choices;
}

/* Dashes for underscores. */
static void set_name(char name[MAX_FIELD_NAME], const char *prefix, const char *field) {
    int length = snprintf(name, MAX_FIELD_NAME, "%s%s", prefix ? prefix : "", field);
    assert(length < MAX_FIELD_NAME);
    (void)length;
    for (char *at = strchr(name, '_'); at; at = strchr(at, '_')) *at = '-';
}

void field_options_make(field_options *group, const ruga_section *section, int with_presets) {
    group->count = 0;
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        int is_group = field->kind == RUGA_FIELD_SECTION || field->kind == RUGA_FIELD_LIST ||
                       field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS;
        if ((is_group && !switch_of(field)) || has_word(group->without, field->name)) continue;
        assert(group->count < MAX_FIELD_OPTIONS);
        option *o = &group->options[group->count];
        set_name(group->names[group->count], group->prefix, field->name);
        *o = (option){.name = group->names[group->count],
                      .letter = field->letter,
                      .unit = field->unit,
                      .low = field->low,
                      .high = field->high,
                      .help = field->help};
        if (with_presets && field->preset && strcmp(field->preset, "null") != 0) o->preset = field->preset;
        choose_kind(o, switch_of(field) ? switch_of(field) : field);
        group->fields[group->count++] = field;
    }
}

void field_options_add(option_list *list, field_options *group, int with_presets) {
    field_options_make(group, *group->section ? ruga_scene_section_find(group->section) : ruga_scene_section(),
                       with_presets);
    option_list_add(list, group->heading, group->options, group->count);
}

void field_options_rename(field_options *group, const char *field, const char *name, const char *help) {
    size_t i = 0;
    while (i < group->count && strcmp(group->fields[i]->name, field) != 0) i++;
    assert(i < group->count);
    set_name(group->names[i], NULL, name);
    if (help) group->options[i].help = help;
}

/* ---- Given options as the JSON that a description takes. */
static void write_value(ruga_json_writer *json, const arguments *a, const option *o, ruga_field_kind kind) {
    const char *text = option_text(a, o->name);
    if (kind == RUGA_FIELD_NUMBER || kind == RUGA_FIELD_WHOLE)
        ruga_json_number(json, option_number(a, o->name));
    else if (kind == RUGA_FIELD_UNIT)
        ruga_json_number(json, option_length(a, o->name));
    else if (kind == RUGA_FIELD_FLAG)
        ruga_json_boolean(json, option_choice(a, o->name) == 0);
    else if (kind == RUGA_FIELD_CHOICES) {
        ruga_json_begin_array(json);
        while (*text && strcmp(text, "none") != 0) {
            char word[64];
            size_t length = strcspn(text, ",");
            snprintf(word, sizeof word, "%.*s", (int)length, text);
            ruga_json_string(json, word);
            text += length + (text[length] == ',');
        }
        ruga_json_end_array(json);
    } else if (kind == RUGA_FIELD_VECTOR)
        json_vector(json, NULL, option_vector(a, o->name));
    else
        ruga_json_string(json, text);
}

static int apply_option(session *s, const arguments *a, const option *o, const ruga_field *field, const char *path,
                        ruga_description *description) {
    char target[128];
    const ruga_field *within = switch_of(field);
    snprintf(target, sizeof target, "%s%s%s%s%s", path, *path ? "." : "", field->name, within ? "." : "",
             within ? within->name : "");
    if (within) field = within;
    /* A parameter is a number, a name or JSON, and is passed on as it was typed. */
    if (field->kind == RUGA_FIELD_PARAM) {
        ruga_status status = ruga_description_set(description, target, option_text(a, o->name));
        return usage_code(s, status, o->name);
    }
    ruga_json_writer *json = NULL;
    const char *text;
    size_t size;
    ruga_status status = ruga_json_writer_create(s->context, 0, &json);
    if (!RUGA_FAILED(status)) write_value(json, a, o, field->kind);
    if (!RUGA_FAILED(status)) status = ruga_json_finish(json, &text, &size);
    if (!RUGA_FAILED(status)) status = ruga_description_set(description, target, text);
    int code = usage_code(s, status, o->name);
    ruga_json_writer_destroy(json);
    return code;
}

int field_options_apply(session *s, const arguments *a, const field_options *group, const char *path,
                        ruga_description *description) {
    for (size_t i = 0; i < group->count; i++) {
        if (!option_given(a, group->options[i].name)) continue;
        TRY_CODE(apply_option(s, a, &group->options[i], group->fields[i], path, description));
    }
    return 0;
}

void field_options_numbers(const arguments *a, const field_options *group, double *values) {
    for (size_t i = 0; i < group->count; i++)
        values[group->fields[i]->offset / sizeof *values] = option_number(a, group->options[i].name);
}

/* ---- PATH=VALUE. */
int set_options_apply(session *s, const arguments *a, ruga_description *description) {
    int code = 0;
    for (size_t i = 0; i < option_given(a, "set") && !code; i++) {
        const char *text = option_text_at(a, "set", i);
        char path[256];
        size_t length = strcspn(text, "=");
        if (!text[length] || length == 0 || length >= sizeof path)
            return session_error(s, EXIT_USAGE, "--set takes PATH=VALUE, such as time.fps=30, not '%s'", text);
        snprintf(path, sizeof path, "%.*s", (int)length, text);
        code = usage_code(s, ruga_description_set(description, path, text + length + 1), "set");
    }
    return code;
}
