/* The tables of fields as a JSON Schema, draft 7 (json-schema.org), so that editors complete and check scenes.
 *
 * It accepts and rejects the same as fields_read, shorthands included, except where a schema has no means: times that
 * must increase, two numbers that must differ, names that must exist. Every section is one definition, named by its
 * path: "objects.body.animated"; a field with several kinds is another, "objects.body".
 */
#include "field/schema.h"

#include <limits.h>
#include <string.h>

#include "field/field.h"
#include "field/words.h"
#include "field/writer.h"

#define NO_ZERO_BYTE "^[^\\u0000]+$" /* of a text that is not empty */

typedef struct schema_writer {
    ruga_context *context;
    ruga_json_writer *json;
    arena memory;
    ruga_status status; /* RUGA_ERROR_MEMORY once there was none */
} schema_writer;

static void write_value_schema(schema_writer *s, const ruga_field *field, const char *path, int may_be_null);

/* ---- Small pieces. */

static void put_type(schema_writer *s, const char *type, int may_be_null) {
    if (!may_be_null) {
        ruga_json_put_string(s->json, "type", type);
        return;
    }
    ruga_json_put_array(s->json, "type");
    ruga_json_string(s->json, type);
    ruga_json_string(s->json, "null");
    ruga_json_end_array(s->json);
}

static void put_words(schema_writer *s, const char *key, const char *const *words, size_t count, int may_be_null) {
    ruga_json_put_array(s->json, key);
    for (size_t i = 0; i < count; i++) ruga_json_string(s->json, words[i]);
    if (may_be_null) ruga_json_string(s->json, NULL);
    ruga_json_end_array(s->json);
}

static void put_reference(schema_writer *s, const char *path) {
    field_words pointer = {0};
    words_add(&pointer, "#/definitions/%s", path);
    ruga_json_put_string(s->json, "$ref", pointer.text);
}

/* {"type": …} as an item of a list. */
static void put_type_item(schema_writer *s, const char *type) {
    ruga_json_begin_object(s->json);
    ruga_json_put_string(s->json, "type", type);
    ruga_json_end_object(s->json);
}

static void put_range(schema_writer *s, const ruga_field *field) {
    if (field->low < field->high) {
        ruga_json_put_number(s->json, "minimum", field->low);
        ruga_json_put_number(s->json, "maximum", field->high);
    }
    if (field->step > 0) ruga_json_put_number(s->json, "multipleOf", field->step);
}

static void put_text_schema(schema_writer *s, int may_be_null) {
    put_type(s, "string", may_be_null);
    ruga_json_put_string(s->json, "pattern", NO_ZERO_BYTE);
}

static void put_number_schema(schema_writer *s, const ruga_field *field, int may_be_null) {
    put_type(s, "number", may_be_null);
    put_range(s, field);
}

/* ---- Parameters. */

/* An object whose one key is the source of the values. */
static void begin_source(schema_writer *s, const char *key, const char *help) {
    ruga_json_begin_object(s->json);
    ruga_json_put_string(s->json, "description", help);
    ruga_json_put_string(s->json, "type", "object");
    ruga_json_put_boolean(s->json, "additionalProperties", 0);
    put_words(s, "required", &key, 1, 0);
}

static void put_text_property(schema_writer *s, const char *key) {
    ruga_json_put_object(s->json, key);
    put_text_schema(s, 0);
    ruga_json_end_object(s->json);
}

/* A number, within the limits of a field if given. */
static void put_number_property(schema_writer *s, const char *key, const ruga_field *limits) {
    ruga_json_put_object(s->json, key);
    if (limits)
        put_number_schema(s, limits, 0);
    else
        ruga_json_put_string(s->json, "type", "number");
    ruga_json_end_object(s->json);
}

/* "from" and "to" belong together. */
static void put_mapped_source(schema_writer *s, const char *key, const char *help, const ruga_field *limits) {
    static const char *const from = "from", *const to = "to";
    begin_source(s, key, help);
    ruga_json_put_object(s->json, "properties");
    put_text_property(s, key);
    put_number_property(s, "from", limits);
    put_number_property(s, "to", limits);
    ruga_json_end_object(s->json);
    ruga_json_put_object(s->json, "dependencies");
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
    put_mapped_source(s, "select", "`to` where a selector chooses the mesh, `from` elsewhere.", field);
    begin_source(s, "file", "A text with a number a line for each vertex.");
    ruga_json_put_object(s->json, "properties");
    put_text_property(s, "file");
    ruga_json_end_object(s->json);
    ruga_json_end_object(s->json);
}

static void put_keys_source(schema_writer *s, const ruga_field *field) {
    begin_source(s, "keys", "Pairs of time in s and value.");
    ruga_json_put_object(s->json, "properties");
    ruga_json_put_object(s->json, "keys");
    ruga_json_put_string(s->json, "type", "array");
    ruga_json_put_number(s->json, "minItems", 1);
    ruga_json_put_object(s->json, "items");
    ruga_json_put_string(s->json, "type", "array");
    ruga_json_put_number(s->json, "minItems", 2);
    ruga_json_put_number(s->json, "maxItems", 2);
    ruga_json_put_array(s->json, "items");
    put_type_item(s, "number");
    ruga_json_begin_object(s->json);
    ruga_json_put_array(s->json, "anyOf");
    put_single_sources(s, field);
    ruga_json_end_array(s->json);
    ruga_json_end_object(s->json);
    ruga_json_end_array(s->json);
    for (int i = 0; i < 4; i++) ruga_json_end_object(s->json);
}

static void put_param_schema(schema_writer *s, const ruga_field *field, int may_be_null) {
    ruga_json_put_array(s->json, "anyOf");
    put_single_sources(s, field);
    put_keys_source(s, field);
    if (may_be_null) put_type_item(s, "null");
    ruga_json_end_array(s->json);
}

/* ---- Structs and kinds. */

/* A bare value in place of an object of the section, except the names of `kinds`. */
static void put_bare_alternative(schema_writer *s, const ruga_section *section, const ruga_field *kinds,
                                 const char *path) {
    field_words of_field = words_join(path, section->shorthand);
    const ruga_field *bare = ruga_section_field(section, section->shorthand);
    ruga_json_begin_object(s->json);
    ruga_json_put_string(s->json, "description", bare->help);
    ruga_json_put_array(s->json, "allOf");
    ruga_json_begin_object(s->json);
    write_value_schema(s, bare, of_field.text, 0);
    /* An object is always the section itself. */
    ruga_json_put_object(s->json, "not");
    ruga_json_put_string(s->json, "type", "object");
    ruga_json_end_object(s->json);
    ruga_json_end_object(s->json);
    if (kinds) {
        const char *names[FIELD_MAX_WORDS];
        size_t count = section_names(kinds->sections, names, FIELD_MAX_WORDS);
        ruga_json_begin_object(s->json);
        ruga_json_put_object(s->json, "not");
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
    ruga_json_put_array(s->json, section->shorthand ? "anyOf" : "allOf");
    put_reference_alternative(s, path);
    if (section->shorthand) put_bare_alternative(s, section, NULL, path);
    ruga_json_end_array(s->json);
}

static void put_list_schema(schema_writer *s, const ruga_field *field, const char *path, int may_be_null) {
    put_type(s, "array", may_be_null);
    ruga_json_put_object(s->json, "items");
    if (field->kind == RUGA_FIELD_LIST)
        put_section_schema(s, field, path);
    else
        put_reference(s, path);
    ruga_json_end_object(s->json);
}

static void write_value_schema(schema_writer *s, const ruga_field *field, const char *path, int may_be_null) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER: put_number_schema(s, field, may_be_null); break;
        case RUGA_FIELD_WHOLE:
            put_type(s, "integer", may_be_null);
            put_range(s, field);
            if (field->low < field->high) break;
            ruga_json_put_number(s->json, "minimum", INT_MIN);
            ruga_json_put_number(s->json, "maximum", INT_MAX);
            break;
        case RUGA_FIELD_FLAG: put_type(s, "boolean", may_be_null); break;
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_PATH:
        case RUGA_FIELD_NAME: put_text_schema(s, may_be_null); break;
        case RUGA_FIELD_CHOICE: put_words(s, "enum", field->choices, choice_count(field), may_be_null); break;
        case RUGA_FIELD_CHOICES:
            put_type(s, "array", may_be_null);
            ruga_json_put_object(s->json, "items");
            put_words(s, "enum", field->choices, choice_count(field), 0);
            ruga_json_end_object(s->json);
            ruga_json_put_boolean(s->json, "uniqueItems", 1);
            break;
        case RUGA_FIELD_UNIT:
            ruga_json_put_array(s->json, "anyOf");
            ruga_json_begin_object(s->json);
            put_words(s, "enum", field_unit_names, FIELD_UNIT_COUNT, may_be_null);
            ruga_json_end_object(s->json);
            ruga_json_begin_object(s->json);
            put_number_schema(s, &(ruga_field){.low = FIELD_MIN_UNIT, .high = FIELD_MAX_UNIT}, 0);
            ruga_json_end_object(s->json);
            ruga_json_end_array(s->json);
            break;
        case RUGA_FIELD_VECTOR:
            put_type(s, "array", may_be_null);
            put_number_property(s, "items", field);
            ruga_json_put_number(s->json, "minItems", 3);
            ruga_json_put_number(s->json, "maxItems", 3);
            break;
        case RUGA_FIELD_PARAM: put_param_schema(s, field, may_be_null); break;
        case RUGA_FIELD_SECTION: put_section_schema(s, field, path); break;
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: put_list_schema(s, field, path, may_be_null); break;
        case RUGA_FIELD_VARIANT:
            ruga_json_put_array(s->json, may_be_null ? "anyOf" : "allOf");
            put_reference_alternative(s, path);
            if (may_be_null) put_type_item(s, "null");
            ruga_json_end_array(s->json);
            break;
    }
}

/* ---- Fields. */

static void put_default(schema_writer *s, const ruga_field *field, const void *defaults) {
    int is_section = field->kind == RUGA_FIELD_SECTION;
    if (!field->preset || (is_section && !field->preset[0])) return;
    ruga_json_key(s->json, "default");
    field_writer writer = {.json = s->json, .memory = &s->memory, .current_folder = ""};
    if (is_section)
        field_write(&writer, (ruga_field[]){field_bare(field)}, field_at(field, defaults));
    else if (field->kind == RUGA_FIELD_VARIANT && !field_may_be_absent(field))
        ruga_json_string(s->json, field->preset);
    else
        field_write(&writer, field, defaults);
}

static void put_property(schema_writer *s, const ruga_field *field, const char *path, const void *defaults) {
    field_words words = {0}, longer = words_join(path, field->name);
    words_add(&words, "%c%s.", words_capital(field->help[0]), field->help + 1);
    if (field->unit && strcmp(field->unit, "1") != 0) words_add(&words, " Unit: %s.", field->unit);
    if (field->kind == RUGA_FIELD_NAME) words_add(&words, " A name out of %s.", field->names);
    ruga_json_put_object(s->json, field->name);
    ruga_json_put_string(s->json, "description", words.text);
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

/* Whether an object with the section's shorthand as a key needs no kind. */
static int section_is_implied(const ruga_field *field, const ruga_section *section) {
    if (!section->shorthand) return 0;
    for (size_t i = 0; field->sections[i]; i++) {
        const char *other = field->sections[i]->shorthand;
        if (field->sections[i] != section && other && strcmp(other, section->shorthand) == 0) return 0;
    }
    return 1;
}

static void put_required(schema_writer *s, const ruga_section *section, int has_kind) {
    ruga_json_put_array(s->json, "required");
    if (has_kind) ruga_json_string(s->json, "kind");
    for (size_t i = 0; i < section->field_count; i++)
        if (is_required(&section->fields[i])) ruga_json_string(s->json, section->fields[i].name);
    ruga_json_end_array(s->json);
}

/* The schema of a section's object; `kinds` is the field of which the section is an alternative, or NULL. */
static void put_struct(schema_writer *s, const ruga_section *section, const ruga_field *kinds, const char *path) {
    int is_implied = kinds && section_is_implied(kinds, section);
    char *defaults;
    ruga_status status = ARENA_NEW(&s->memory, &defaults, section->size + 1);
    if (RUGA_FAILED(status)) {
        s->status = status;
        return;
    }
    ruga_section_defaults(section, defaults);
    ruga_json_put_string(s->json, "description", section->help);
    ruga_json_put_string(s->json, "type", "object");
    ruga_json_put_boolean(s->json, "additionalProperties", 0);
    put_required(s, section, kinds && !is_implied);
    if (is_implied) {
        /* Without its kind, an object must have the key that implies it. */
        const char *const either[] = {"kind", section->shorthand};
        ruga_json_put_array(s->json, "anyOf");
        for (int i = 0; i < 2; i++) {
            ruga_json_begin_object(s->json);
            put_words(s, "required", &either[i], 1, 0);
            ruga_json_end_object(s->json);
        }
        ruga_json_end_array(s->json);
    }
    ruga_json_put_object(s->json, "properties");
    if (*path == 0) {
        ruga_json_put_object(s->json, "$schema");
        ruga_json_put_string(s->json, "description", "Where this schema is, for editors.");
        ruga_json_put_string(s->json, "type", "string");
        ruga_json_end_object(s->json);
    }
    if (kinds) {
        ruga_json_put_object(s->json, "kind");
        ruga_json_put_string(s->json, "const", section->name);
        ruga_json_end_object(s->json);
    }
    for (size_t i = 0; i < section->field_count; i++) put_property(s, &section->fields[i], path, defaults);
    ruga_json_end_object(s->json);
}

/* ---- Definitions. */

/* All alternatives of a field with several kinds. */
static void put_kinds(schema_writer *s, const ruga_field *field, const char *path) {
    const char *words[FIELD_MAX_WORDS];
    size_t count = 0;
    for (size_t i = 0; field->sections[i] && count < FIELD_MAX_WORDS; i++)
        if (section_needs_nothing(field->sections[i])) words[count++] = field->sections[i]->name;
    ruga_json_put_object(s->json, path);
    ruga_json_put_array(s->json, "anyOf");
    if (count > 0) {
        ruga_json_begin_object(s->json);
        ruga_json_put_string(s->json, "description", "A kind with all its defaults.");
        put_words(s, "enum", words, count, 0);
        ruga_json_end_object(s->json);
    }
    for (size_t i = 0; field->sections[i]; i++) {
        field_words longer = words_join(path, field->sections[i]->name);
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
        field_words of_field = words_join(path, field->name);
        if (has_kinds) put_kinds(s, field, of_field.text);
        for (size_t k = 0; field->sections && field->sections[k]; k++) {
            field_words name = has_kinds ? words_join(of_field.text, field->sections[k]->name) : of_field;
            ruga_json_put_object(s->json, name.text);
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
    ruga_json_put_string(s.json, "$schema", "http://json-schema.org/draft-07/schema#");
    ruga_json_put_string(s.json, "title", title);
    put_struct(&s, root, NULL, "");
    ruga_json_put_object(s.json, "definitions");
    put_definitions(&s, root, "");
    ruga_json_end_object(s.json);
    ruga_json_end_object(s.json);
    const char *written;
    size_t length = 0;
    ruga_status status = s.status;
    if (!RUGA_FAILED(status)) status = ruga_json_finish(s.json, &written, &length);
    if (!RUGA_FAILED(status)) status = NEW_COPY(context, text, written, length + 1);
    if (!RUGA_FAILED(status) && size) *size = length;
    ruga_json_writer_destroy(s.json);
    arena_release(&s.memory);
    return status;
}
