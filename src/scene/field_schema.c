/* The tables of fields as a JSON Schema, draft 7 (json-schema.org), so that editors complete and check scenes.
 *
 * It accepts what fields_read accepts, shorthands included, and rejects what that rejects, but for what a schema can't
 * say: times that rise, two numbers that must differ, names that must be there. Every section is one definition, named by
 * its path: "objects.body.animated"; one that has several kinds is another, "objects.body".
 */
#include <limits.h>
#include <string.h>

#include "mesh/field.h"
#include "scene/field.h"
#include "scene/tables.h"

#define NO_ZERO_BYTE "^[^\\u0000]+$" /* of a text that is not empty */

typedef struct schema_writer {
    ruga_context *context;
    ruga_json_writer *json;
    arena memory;
    ruga_status status; /* RUGA_ERROR_MEMORY once there was none */
} schema_writer;

static void write_value_schema(schema_writer *s, const ruga_field *field, const char *path, int may_be_null);

/* ---- Small pieces. */

static void put_text(schema_writer *s, const char *key, const char *text) {
    ruga_json_key(s->json, key);
    ruga_json_string(s->json, text);
}

static void put_number(schema_writer *s, const char *key, double number) {
    ruga_json_key(s->json, key);
    ruga_json_number(s->json, number);
}

static void put_flag(schema_writer *s, const char *key, int flag) {
    ruga_json_key(s->json, key);
    ruga_json_boolean(s->json, flag);
}

static void begin_object_at(schema_writer *s, const char *key) {
    ruga_json_key(s->json, key);
    ruga_json_begin_object(s->json);
}

static void begin_array_at(schema_writer *s, const char *key) {
    ruga_json_key(s->json, key);
    ruga_json_begin_array(s->json);
}

static void put_type(schema_writer *s, const char *type, int may_be_null) {
    if (!may_be_null) {
        put_text(s, "type", type);
        return;
    }
    begin_array_at(s, "type");
    ruga_json_string(s->json, type);
    ruga_json_string(s->json, "null");
    ruga_json_end_array(s->json);
}

static void put_words(schema_writer *s, const char *key, const char *const *words, size_t count, int may_be_null) {
    begin_array_at(s, key);
    for (size_t i = 0; i < count; i++) ruga_json_string(s->json, words[i]);
    if (may_be_null) ruga_json_string(s->json, NULL);
    ruga_json_end_array(s->json);
}

static void put_reference(schema_writer *s, const char *path) {
    field_words pointer = {0};
    words_add(&pointer, "#/definitions/%s", path);
    put_text(s, "$ref", pointer.text);
}

static void put_null_alternative(schema_writer *s) {
    ruga_json_begin_object(s->json);
    put_text(s, "type", "null");
    ruga_json_end_object(s->json);
}

static void put_range(schema_writer *s, const ruga_field *field) {
    if (field->low < field->high) {
        put_number(s, "minimum", field->low);
        put_number(s, "maximum", field->high);
    }
    if (field->step > 0) put_number(s, "multipleOf", field->step);
}

static void put_text_schema(schema_writer *s, int may_be_null) {
    put_type(s, "string", may_be_null);
    put_text(s, "pattern", NO_ZERO_BYTE);
}

static void put_number_schema(schema_writer *s, const ruga_field *field, int may_be_null) {
    put_type(s, "number", may_be_null);
    put_range(s, field);
}

static void put_whole_schema(schema_writer *s, const ruga_field *field, int may_be_null) {
    put_type(s, "integer", may_be_null);
    put_range(s, field);
    if (field->low < field->high) return;
    put_number(s, "minimum", INT_MIN);
    put_number(s, "maximum", INT_MAX);
}

static void put_vector_schema(schema_writer *s, const ruga_field *field, int may_be_null) {
    put_type(s, "array", may_be_null);
    begin_object_at(s, "items");
    put_number_schema(s, field, 0);
    ruga_json_end_object(s->json);
    put_number(s, "minItems", 3);
    put_number(s, "maxItems", 3);
}

static void put_choices_schema(schema_writer *s, const ruga_field *field, int may_be_null) {
    put_type(s, "array", may_be_null);
    begin_object_at(s, "items");
    put_words(s, "enum", field->choices, choice_count(field), 0);
    ruga_json_end_object(s->json);
    put_flag(s, "uniqueItems", 1);
}

static void put_unit_schema(schema_writer *s, int may_be_null) {
    static const char *const names[] = {"m", "cm", "mm", "km", "in", "ft"};
    begin_array_at(s, "anyOf");
    ruga_json_begin_object(s->json);
    put_words(s, "enum", names, RUGA_FIELD_COUNT(names), may_be_null);
    ruga_json_end_object(s->json);
    ruga_json_begin_object(s->json);
    put_text(s, "type", "number");
    put_number(s, "minimum", FIELD_MIN_UNIT);
    put_number(s, "maximum", FIELD_MAX_UNIT);
    ruga_json_end_object(s->json);
    ruga_json_end_array(s->json);
}

/* ---- Parameters. */

/* An object with one key that says where values come from. */
static void begin_source(schema_writer *s, const char *key, const char *help) {
    ruga_json_begin_object(s->json);
    put_text(s, "description", help);
    put_text(s, "type", "object");
    put_flag(s, "additionalProperties", 0);
    put_words(s, "required", &key, 1, 0);
}

static void put_text_property(schema_writer *s, const char *key) {
    begin_object_at(s, key);
    put_text_schema(s, 0);
    ruga_json_end_object(s->json);
}

static void put_end(schema_writer *s, const char *key, const ruga_field *limits) {
    begin_object_at(s, key);
    if (limits)
        put_number_schema(s, limits, 0);
    else
        put_text(s, "type", "number");
    ruga_json_end_object(s->json);
}

/* "from" and "to" belong together. */
static void put_mapped_source(schema_writer *s, const char *key, const char *help, const ruga_field *limits) {
    static const char *const from = "from", *const to = "to";
    begin_source(s, key, help);
    begin_object_at(s, "properties");
    put_text_property(s, key);
    put_end(s, "from", limits);
    put_end(s, "to", limits);
    ruga_json_end_object(s->json);
    begin_object_at(s, "dependencies");
    put_words(s, "from", &to, 1, 0);
    put_words(s, "to", &from, 1, 0);
    ruga_json_end_object(s->json);
    ruga_json_end_object(s->json);
}

static void put_single_sources(schema_writer *s, const ruga_field *field) {
    ruga_json_begin_object(s->json);
    put_number_schema(s, field, 0);
    ruga_json_end_object(s->json);
    ruga_json_begin_object(s->json);
    put_text_schema(s, 0);
    ruga_json_end_object(s->json);
    put_mapped_source(s, "attribute", "A vertex attribute, with 0 and 1 mapped to `from` and `to`.", NULL);
    put_mapped_source(s, "group", "`to` at the faces of a group, `from` elsewhere.", field);
    begin_source(s, "file", "A text with a number a line for each vertex.");
    begin_object_at(s, "properties");
    put_text_property(s, "file");
    ruga_json_end_object(s->json);
    ruga_json_end_object(s->json);
}

static void put_keys_source(schema_writer *s, const ruga_field *field) {
    begin_source(s, "keys", "Pairs of time in s and value.");
    begin_object_at(s, "properties");
    begin_object_at(s, "keys");
    put_text(s, "type", "array");
    put_number(s, "minItems", 1);
    begin_object_at(s, "items");
    put_text(s, "type", "array");
    put_number(s, "minItems", 2);
    put_number(s, "maxItems", 2);
    begin_array_at(s, "items");
    ruga_json_begin_object(s->json);
    put_text(s, "type", "number");
    ruga_json_end_object(s->json);
    ruga_json_begin_object(s->json);
    begin_array_at(s, "anyOf");
    put_single_sources(s, field);
    ruga_json_end_array(s->json);
    ruga_json_end_object(s->json);
    ruga_json_end_array(s->json);
    for (int i = 0; i < 4; i++) ruga_json_end_object(s->json);
}

static void put_param_schema(schema_writer *s, const ruga_field *field, int may_be_null) {
    begin_array_at(s, "anyOf");
    put_single_sources(s, field);
    put_keys_source(s, field);
    if (may_be_null) put_null_alternative(s);
    ruga_json_end_array(s->json);
}

/* ---- Structs and kinds. */

static field_words join_path(const char *path, const char *name) {
    field_words joined = {0};
    words_add(&joined, "%s%s%s", path, *path ? "." : "", name);
    return joined;
}

/* A bare value in place of an object of the section; `kinds` are words that mean something else. */
static void put_bare_alternative(schema_writer *s, const ruga_section *section, const ruga_field *kinds,
                                 const char *path) {
    field_words of_field = join_path(path, section->shorthand);
    const ruga_field *bare = ruga_section_field(section, section->shorthand);
    ruga_json_begin_object(s->json);
    put_text(s, "description", bare->help);
    begin_array_at(s, "allOf");
    ruga_json_begin_object(s->json);
    write_value_schema(s, bare, of_field.text, 0);
    /* An object is the section itself, even where the field would take one. */
    begin_object_at(s, "not");
    put_text(s, "type", "object");
    ruga_json_end_object(s->json);
    ruga_json_end_object(s->json);
    if (kinds) {
        const char *names[FIELD_MAX_WORDS];
        size_t count = section_names(kinds->sections, names, FIELD_MAX_WORDS);
        ruga_json_begin_object(s->json);
        begin_object_at(s, "not");
        put_words(s, "enum", names, count, 0);
        ruga_json_end_object(s->json);
        ruga_json_end_object(s->json);
    }
    ruga_json_end_array(s->json);
    ruga_json_end_object(s->json);
}

static void put_reference_alternative(schema_writer *s, const char *path) {
    ruga_json_begin_object(s->json);
    put_reference(s, path);
    ruga_json_end_object(s->json);
}

/* An object of the section, or the bare value of its shorthand. */
static void put_section_schema(schema_writer *s, const ruga_field *field, const char *path) {
    const ruga_section *section = field->sections[0];
    begin_array_at(s, section->shorthand ? "anyOf" : "allOf");
    put_reference_alternative(s, path);
    if (section->shorthand) put_bare_alternative(s, section, NULL, path);
    ruga_json_end_array(s->json);
}

static void put_list_schema(schema_writer *s, const ruga_field *field, const char *path, int may_be_null) {
    put_type(s, "array", may_be_null);
    begin_object_at(s, "items");
    if (field->kind == RUGA_FIELD_LIST)
        put_section_schema(s, field, path);
    else
        put_reference(s, path);
    ruga_json_end_object(s->json);
}

static void put_variant_schema(schema_writer *s, const char *path, int may_be_null) {
    begin_array_at(s, may_be_null ? "anyOf" : "allOf");
    put_reference_alternative(s, path);
    if (may_be_null) put_null_alternative(s);
    ruga_json_end_array(s->json);
}

static void write_value_schema(schema_writer *s, const ruga_field *field, const char *path, int may_be_null) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER: put_number_schema(s, field, may_be_null); break;
        case RUGA_FIELD_WHOLE: put_whole_schema(s, field, may_be_null); break;
        case RUGA_FIELD_FLAG: put_type(s, "boolean", may_be_null); break;
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_PATH:
        case RUGA_FIELD_NAME: put_text_schema(s, may_be_null); break;
        case RUGA_FIELD_CHOICE: put_words(s, "enum", field->choices, choice_count(field), may_be_null); break;
        case RUGA_FIELD_CHOICES: put_choices_schema(s, field, may_be_null); break;
        case RUGA_FIELD_UNIT: put_unit_schema(s, may_be_null); break;
        case RUGA_FIELD_VECTOR: put_vector_schema(s, field, may_be_null); break;
        case RUGA_FIELD_PARAM: put_param_schema(s, field, may_be_null); break;
        case RUGA_FIELD_SECTION: put_section_schema(s, field, path); break;
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: put_list_schema(s, field, path, may_be_null); break;
        case RUGA_FIELD_VARIANT: put_variant_schema(s, path, may_be_null); break;
    }
}

/* ---- Fields with their words. */

static void put_description(schema_writer *s, const ruga_field *field) {
    field_words words = {0};
    words_add(&words, "%c%s.", field->help[0] >= 'a' && field->help[0] <= 'z' ? field->help[0] - 32 : field->help[0],
              field->help + 1);
    if (field->unit && strcmp(field->unit, "1") != 0) words_add(&words, " Unit: %s.", field->unit);
    if (field->kind == RUGA_FIELD_NAME) words_add(&words, " A name out of %s.", field->names);
    put_text(s, "description", words.text);
}

static void put_default(schema_writer *s, const ruga_field *field, const void *defaults) {
    int is_section = field->kind == RUGA_FIELD_SECTION;
    if (!field->preset || (is_section && !field->preset[0])) return;
    ruga_json_key(s->json, "default");
    if (is_section) {
        ruga_field bare = field_bare(field);
        field_writer bare_writer = {.json = s->json, .memory = &s->memory, .present_folder = ""};
        field_write(&bare_writer, &bare, field_at(field, defaults));
        return;
    }
    if (field->kind == RUGA_FIELD_VARIANT && !field_may_be_absent(field)) {
        ruga_json_string(s->json, field->preset);
        return;
    }
    field_writer writer = {.json = s->json, .memory = &s->memory, .present_folder = ""};
    field_write(&writer, field, defaults);
}

static void put_property(schema_writer *s, const ruga_field *field, const char *path, const void *defaults) {
    field_words longer = join_path(path, field->name);
    begin_object_at(s, field->name);
    put_description(s, field);
    put_default(s, field, defaults);
    write_value_schema(s, field, longer.text, field_may_be_absent(field));
    ruga_json_end_object(s->json);
}

static int is_required(const ruga_field *field) {
    if (field->kind == RUGA_FIELD_SECTION) return !section_needs_nothing(field->sections[0]);
    return field->preset == NULL;
}

int section_needs_nothing(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++)
        if (is_required(&section->fields[i])) return 0;
    return 1;
}

int section_is_implied(const ruga_field *field, const ruga_section *section) {
    if (!section->shorthand) return 0;
    for (size_t i = 0; field->sections[i]; i++) {
        const char *other = field->sections[i]->shorthand;
        if (field->sections[i] != section && other && strcmp(other, section->shorthand) == 0) return 0;
    }
    return 1;
}

static void put_required(schema_writer *s, const ruga_section *section, int has_kind) {
    begin_array_at(s, "required");
    if (has_kind) ruga_json_string(s->json, "kind");
    for (size_t i = 0; i < section->field_count; i++)
        if (is_required(&section->fields[i])) ruga_json_string(s->json, section->fields[i].name);
    ruga_json_end_array(s->json);
}

/* Without its kind an object has to have the key that implies it. */
static void put_implied(schema_writer *s, const ruga_section *section) {
    static const char *const kind = "kind";
    begin_array_at(s, "anyOf");
    ruga_json_begin_object(s->json);
    put_words(s, "required", &kind, 1, 0);
    ruga_json_end_object(s->json);
    ruga_json_begin_object(s->json);
    put_words(s, "required", &section->shorthand, 1, 0);
    ruga_json_end_object(s->json);
    ruga_json_end_array(s->json);
}

/* What the object of a section has to look like; `kinds` is the field whose alternative it is, or NULL. */
static void put_struct(schema_writer *s, const ruga_section *section, const ruga_field *kinds, const char *path) {
    int is_implied = kinds && section_is_implied(kinds, section);
    void *defaults = arena_allocate(&s->memory, 1, section->size + 1);
    if (!defaults) {
        s->status = fail_memory(s->context, section->size);
        return;
    }
    ruga_section_defaults(section, defaults);
    put_text(s, "description", section->help);
    put_text(s, "type", "object");
    put_flag(s, "additionalProperties", 0);
    put_required(s, section, kinds && !is_implied);
    if (is_implied) put_implied(s, section);
    begin_object_at(s, "properties");
    if (*path == 0) {
        begin_object_at(s, "$schema");
        put_text(s, "description", "Where this schema is, for editors.");
        put_text(s, "type", "string");
        ruga_json_end_object(s->json);
    }
    if (kinds) {
        begin_object_at(s, "kind");
        put_text(s, "const", section->name);
        ruga_json_end_object(s->json);
    }
    for (size_t i = 0; i < section->field_count; i++) put_property(s, &section->fields[i], path, defaults);
    ruga_json_end_object(s->json);
}

/* ---- Definitions. */

/* All that may stand where one of several kinds is wanted. */
static void put_kinds(schema_writer *s, const ruga_field *field, const char *path) {
    const char *words[FIELD_MAX_WORDS];
    size_t count = 0;
    for (size_t i = 0; field->sections[i] && count < FIELD_MAX_WORDS; i++)
        if (section_needs_nothing(field->sections[i])) words[count++] = field->sections[i]->name;
    begin_object_at(s, path);
    begin_array_at(s, "anyOf");
    if (count > 0) {
        ruga_json_begin_object(s->json);
        put_text(s, "description", "A kind with all its defaults.");
        put_words(s, "enum", words, count, 0);
        ruga_json_end_object(s->json);
    }
    for (size_t i = 0; field->sections[i]; i++) {
        field_words longer = join_path(path, field->sections[i]->name);
        if (field->sections[i]->shorthand) put_bare_alternative(s, field->sections[i], field, longer.text);
        put_reference_alternative(s, longer.text);
    }
    ruga_json_end_array(s->json);
    ruga_json_end_object(s->json);
}

static void put_definitions(schema_writer *s, const ruga_section *section, const char *path) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        int has_kinds = field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS;
        field_words of_field = join_path(path, field->name);
        if (has_kinds) put_kinds(s, field, of_field.text);
        for (size_t k = 0; field->sections && field->sections[k]; k++) {
            field_words name = has_kinds ? join_path(of_field.text, field->sections[k]->name) : of_field;
            begin_object_at(s, name.text);
            put_struct(s, field->sections[k], has_kinds ? field : NULL, name.text);
            ruga_json_end_object(s->json);
            put_definitions(s, field->sections[k], name.text);
        }
    }
}

ruga_status fields_schema(ruga_context *context, const ruga_section *root, const char *title, char **text,
                          size_t *size) {
    schema_writer s = {.context = context, .memory = arena_make(context)};
    TRY(ruga_json_writer_create(context, 1, &s.json));
    ruga_json_begin_object(s.json);
    put_text(&s, "$schema", "http://json-schema.org/draft-07/schema#");
    put_text(&s, "title", title);
    put_struct(&s, root, NULL, "");
    begin_object_at(&s, "definitions");
    put_definitions(&s, root, "");
    ruga_json_end_object(s.json);
    ruga_json_end_object(s.json);
    const char *written;
    size_t length = 0;
    ruga_status status = s.status;
    if (!RUGA_FAILED(status)) status = ruga_json_finish(s.json, &written, &length);
    if (!RUGA_FAILED(status) && !(*text = memory_copy(context, written, length + 1, 1)))
        status = fail_memory(context, length + 1);
    if (!RUGA_FAILED(status) && size) *size = length;
    ruga_json_writer_destroy(s.json);
    arena_release(&s.memory);
    return status;
}

ruga_status ruga_scene_schema(ruga_context *context, char **text, size_t *size) {
    if (!context || !text) return RUGA_ERROR_ARGUMENT;
    return fields_schema(context, &scene_section, "Ruga scene", text, size);
}
