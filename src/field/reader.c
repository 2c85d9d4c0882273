/* JSON into structs by the tables of fields.
 *
 * An error does not stop reading: it becomes a finding, the field keeps its default, and the next field is read. So a
 * user sees all errors at once. Only a lack of memory ends it.
 */
#include "field/reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "field/field.h"
#include "field/param_json.h"
#include "field/words.h"
#include "field/writer.h"
#include "ruga/text.h"

/* ---- The reader: path, memory, findings. */

static int fail_reading(field_reader *r, ruga_status status) {
    if (!RUGA_FAILED(r->status)) r->status = status;
    return 0;
}

static void path_add(field_reader *r, const char *text, size_t length) {
    ruga_status status = ARRAY_RESERVE(r->notes->memory.context, &r->path, length + 1);
    if (RUGA_FAILED(status)) {
        fail_reading(r, status);
        return;
    }
    memcpy(r->path.items + r->path.count, text, length);
    r->path.count += length;
    r->path.items[r->path.count] = 0;
}

size_t path_push(field_reader *r, const char *name) {
    size_t before = r->path.count;
    if (before > 0) path_add(r, ".", 1);
    path_add(r, name, (size_t)clipped(name));
    return before;
}

size_t path_push_index(field_reader *r, size_t index) {
    size_t before = r->path.count;
    char text[32];
    int length = snprintf(text, sizeof text, "[%zu]", index);
    path_add(r, text, (size_t)length);
    return before;
}

void path_pop(field_reader *r, size_t length) {
    r->path.count = length;
    r->path.items[length] = 0;
}

ruga_status field_reader_start(field_reader *r, field_notes *notes, const char *folder, const char *path) {
    *r = (field_reader){.notes = notes, .folder = folder, .is_text = 1};
    path_add(r, path, strlen(path));
    return r->status;
}

void field_reader_finish(field_reader *r) { ARRAY_RELEASE(r->notes->memory.context, &r->path); }

void *reader_allocate(field_reader *r, size_t count, size_t size) {
    void *memory = arena_allocate(&r->notes->memory, count, size);
    if (memory)
        memset(memory, 0, count * size);
    else
        fail_reading(r, fail_memory(r->notes->memory.context, size));
    return memory;
}

static void found_at(field_reader *r, uint32_t line, uint32_t column, ruga_status what, const char *format,
                     va_list arguments) {
    if (RUGA_FAILED(r->status)) return;
    ruga_status status = notes_found_at(r->notes, r->is_text ? line : 0, r->is_text ? column : 0, r->path.items, what,
                                        format, arguments);
    if (RUGA_FAILED(status)) fail_reading(r, status);
}

int reader_found(field_reader *r, const json_value *value, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    found_at(r, value->line, value->column, RUGA_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return 0;
}

static int found_at_key(field_reader *r, const json_value *value, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    found_at(r, value->key_line, value->key_column, RUGA_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return 0;
}

static void warn_about(field_reader *r, const json_value *value, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    found_at(r, value->line, value->column, RUGA_WARNING_INPUT, format, arguments);
    va_end(arguments);
}

int reader_found_unknown(field_reader *r, const char *kind, const json_value *value, const char *word,
                         const char *const *known, size_t count) {
    const char *nearest = ruga_nearest_word(word, known, count);
    field_words known_words = {0};
    if (nearest)
        words_add(&known_words, "did you mean \"%s\"?", nearest);
    else if (count > 0)
        words_add_list(&known_words, known, count, " and ");
    const char *before = nearest ? "" : count > 0 ? "known are " : "none is known here";
    int is_key = strcmp(kind, "key") == 0;
    return (is_key ? found_at_key : reader_found)(r, value, "unknown %s \"%.*s\"; %s%s", kind, clipped(word), word,
                                                  before, known_words.text);
}

/* Describes a value in a message: strings and numbers by their value, others by their type. */
static void add_found(field_words *words, const json_value *value) {
    switch (value->type) {
        case JSON_STRING:
            words_add(words, value->length ? "the text \"%.*s\"" : "an empty text", clipped(value->text), value->text);
            break;
        case JSON_NUMBER: words_add_number(words, value->number, NULL); break;
        case JSON_BOOLEAN: words_add(words, value->number != 0 ? "true" : "false"); break;
        case JSON_ARRAY: words_add(words, "a list of %u", value->count); break;
        case JSON_NULL: words_add(words, "null"); break;
        case JSON_OBJECT: words_add(words, "an object"); break;
    }
}

int reader_found_wrong_type(field_reader *r, const ruga_field *field, const json_value *value) {
    field_words expected = {0}, found = {0};
    words_add_expected(&expected, field);
    add_found(&found, value);
    const char *hint = value->type == JSON_NULL && field->preset ? "; remove the key to use the default" : "";
    return reader_found(r, value, "expected %s, but found %s%s", expected.text, found.text, hint);
}

static int record_origin(field_reader *r, const void *at, size_t size, const json_value *place,
                         const ruga_section *section, int has_path) {
    field_notes *notes = r->notes;
    if (RUGA_FAILED(r->status)) return 0;
    ruga_status status = ARRAY_RESERVE(notes->memory.context, &notes->origins, 1);
    if (RUGA_FAILED(status)) return fail_reading(r, status);
    origin o = {.value = at, .size = size, .section = section};
    if (r->is_text && place) {
        o.line = place->line;
        o.column = place->column;
    }
    if (has_path) status = ARENA_TEXT_OF(&notes->memory, &o.path, r->path.items, r->path.count);
    if (RUGA_FAILED(status)) return fail_reading(r, status);
    notes->origins.items[notes->origins.count++] = o;
    return 1;
}

/* ---- Numbers. */

int reader_check_number(field_reader *r, const ruga_field *field, const json_value *value, double number) {
    if (field->low < field->high && !(number >= field->low && number <= field->high)) {
        field_words words = {0};
        words_add(&words, "found ");
        words_add_number(&words, number, field->unit);
        words_add(&words, ", but it must be within ");
        words_add_number(&words, field->low, NULL);
        words_add(&words, " and ");
        words_add_number(&words, field->high, field->unit);
        return reader_found(r, value, "%s", words.text);
    }
    if (field->step > 0 && fabs(number / field->step - round(number / field->step)) > 1e-9) {
        field_words words = {0};
        words_add(&words, "found ");
        words_add_number(&words, number, field->unit);
        words_add(&words, field->step == 1 ? ", but it must be a whole number" : ", but it must be a multiple of ");
        if (field->step != 1) words_add_number(&words, field->step, field->unit);
        return reader_found(r, value, "%s", words.text);
    }
    return 1;
}

static int read_number(field_reader *r, const ruga_field *field, const json_value *value, double *out) {
    if (value->type != JSON_NUMBER) return reader_found_wrong_type(r, field, value);
    if (!reader_check_number(r, field, value, value->number)) return 0;
    *out = value->number;
    return 1;
}

static int read_whole(field_reader *r, const ruga_field *field, const json_value *value, int *out) {
    if (value->type != JSON_NUMBER || value->number != floor(value->number))
        return reader_found_wrong_type(r, field, value);
    if (!reader_check_number(r, field, value, value->number)) return 0;
    int64_t whole;
    if (!json_whole(value, INT_MIN, INT_MAX, &whole))
        return reader_found(r, value, "this number is too large; whole numbers must be below 2^31");
    *out = (int)whole;
    return 1;
}

static int read_unit(field_reader *r, const ruga_field *field, const json_value *value, double *out) {
    double metres;
    if (value->type == JSON_NUMBER && value->number >= FIELD_MIN_UNIT && value->number <= FIELD_MAX_UNIT)
        metres = value->number;
    else if (value->type != JSON_STRING || !field_parse_unit_name(value->text, &metres))
        return reader_found_wrong_type(r, field, value);
    *out = metres;
    return 1;
}

static int read_vector(field_reader *r, const ruga_field *field, const json_value *value, ruga_vec3 *out) {
    if (value->type != JSON_ARRAY || value->count != 3) return reader_found_wrong_type(r, field, value);
    double numbers[3];
    for (size_t i = 0; i < 3; i++) {
        const json_value *item = json_item(value, i);
        if (item->type != JSON_NUMBER) return reader_found_wrong_type(r, field, item);
        if (!reader_check_number(r, field, item, item->number)) return 0;
        numbers[i] = item->number;
    }
    *out = (ruga_vec3){numbers[0], numbers[1], numbers[2]};
    return 1;
}

/* ---- Texts. */

static int check_text(field_reader *r, const ruga_field *field, const json_value *value) {
    if (value->type != JSON_STRING || value->length == 0) return reader_found_wrong_type(r, field, value);
    if (strlen(value->text) != value->length) return reader_found(r, value, "the text contains a zero byte");
    return 1;
}

const char *reader_text(field_reader *r, const ruga_field *field, const json_value *value) {
    if (!check_text(r, field, value)) return NULL;
    const char *text = NULL;
    ruga_status status = ARENA_TEXT_OF(&r->notes->memory, &text, value->text, value->length);
    if (RUGA_FAILED(status)) fail_reading(r, status);
    return text;
}

const char *reader_path(field_reader *r, const ruga_field *field, const json_value *value) {
    if (!check_text(r, field, value)) return NULL;
    const char *path = path_from_folder(&r->notes->memory, r->folder, value->text);
    if (!path) fail_reading(r, fail_memory(r->notes->memory.context, value->length));
    return path;
}

static int read_text(field_reader *r, const ruga_field *field, const json_value *value, const char **out) {
    const char *text = field->kind == RUGA_FIELD_PATH ? reader_path(r, field, value) : reader_text(r, field, value);
    if (text) *out = text;
    return text != NULL;
}

static int read_choice(field_reader *r, const ruga_field *field, const json_value *value, int *out) {
    if (value->type != JSON_STRING) return reader_found_wrong_type(r, field, value);
    if (field_parse_choice(field, value->text, value->length, out)) return 1;
    return reader_found_unknown(r, "choice", value, value->text, field->choices, choice_count(field));
}

static int read_choices(field_reader *r, const ruga_field *field, const json_value *value, uint32_t *out) {
    if (value->type != JSON_ARRAY) return reader_found_wrong_type(r, field, value);
    const ruga_field one = {.kind = RUGA_FIELD_CHOICE, .choices = field->choices};
    uint32_t chosen = 0;
    int fine = 1;
    size_t i = 0;
    for (const json_value *item = value->first; item; item = item->next) {
        int choice = 0;
        size_t mark = path_push_index(r, i++);
        if (!read_choice(r, &one, item, &choice))
            fine = 0;
        else if (chosen & 1u << choice)
            fine = reader_found(r, item, "\"%s\" occurs twice", item->text);
        else
            chosen |= 1u << choice;
        path_pop(r, mark);
    }
    if (fine) *out = chosen;
    return fine;
}

/* ---- Structs. */

/* An unknown key: what it is now where older scenes had it, or else the nearest one. */
static int found_unknown_key(field_reader *r, const ruga_section *section, const json_value *item) {
    const char *names[FIELD_MAX_WORDS];
    for (const char *const *old = section->former; old && old[0]; old += 2)
        if (strcmp(old[0], item->key) == 0)
            return found_at_key(r, item, "\"%s\" is a key of older scenes; write %s instead", old[0], old[1]);
    return reader_found_unknown(r, "key", item, item->key, names, field_names(section, names, FIELD_MAX_WORDS));
}

static int read_given(field_reader *r, const ruga_section *section, const json_value *object, const char *ignored,
                      void *values) {
    static const ruga_field schema_field = {.kind = RUGA_FIELD_TEXT, .preset = "scene.schema.json"};
    int fine = 1;
    for (const json_value *item = object->first; item && !RUGA_FAILED(r->status); item = item->next) {
        if (ignored && strcmp(item->key, ignored) == 0) continue;
        /* The root may name its schema, for editors. */
        int is_schema = r->path.count == 0 && strcmp(item->key, "$schema") == 0;
        const ruga_field *field = ruga_section_field(section, item->key);
        size_t mark = path_push(r, item->key);
        if (is_schema)
            fine &= item->type == JSON_STRING || reader_found_wrong_type(r, &schema_field, item);
        else if (field)
            fine &= field_read(r, field, item, object, values);
        else
            fine = found_unknown_key(r, section, item);
        path_pop(r, mark);
    }
    return fine;
}

static int read_absent(field_reader *r, const ruga_section *section, const json_value *object, const ruga_field *given,
                       const json_value *place, void *values) {
    int fine = 1;
    for (size_t i = 0; i < section->field_count && !RUGA_FAILED(r->status); i++) {
        const ruga_field *field = &section->fields[i];
        if (field == given || json_member(object, field->name)) continue;
        size_t mark = path_push(r, field->name);
        fine &= field_read(r, field, NULL, place, values);
        path_pop(r, mark);
    }
    return fine;
}

/* From an object, of which one key may be ignored; NULL: only defaults. */
static int read_struct(field_reader *r, const ruga_section *section, const json_value *object, const char *ignored,
                       const json_value *place, void *values) {
    ruga_section_defaults(section, values);
    int fine = object ? read_given(r, section, object, ignored, values) : 1;
    return read_absent(r, section, object, NULL, place, values) & fine;
}

/* Whether a bare value may replace the section's object: its shorthand has that type. */
static int accepts_bare_value(const ruga_section *section, const json_value *value) {
    if (!section->shorthand) return 0;
    switch (ruga_section_field(section, section->shorthand)->kind) {
        case RUGA_FIELD_NUMBER:
        case RUGA_FIELD_WHOLE: return value->type == JSON_NUMBER;
        case RUGA_FIELD_FLAG: return value->type == JSON_BOOLEAN;
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_PATH:
        case RUGA_FIELD_NAME:
        case RUGA_FIELD_CHOICE: return value->type == JSON_STRING;
        case RUGA_FIELD_UNIT:
        case RUGA_FIELD_PARAM: return value->type == JSON_STRING || value->type == JSON_NUMBER;
        case RUGA_FIELD_CHOICES:
        case RUGA_FIELD_VECTOR:
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: return value->type == JSON_ARRAY;
        case RUGA_FIELD_SECTION:
        case RUGA_FIELD_VARIANT: return 0;
    }
    return 0;
}

/* From the value of its shorthand. */
static int read_bare(field_reader *r, const ruga_section *section, const json_value *value, void *values) {
    const ruga_field *field = ruga_section_field(section, section->shorthand);
    ruga_section_defaults(section, values);
    size_t mark = path_push(r, field->name);
    int fine = field_read(r, field, value, value, values);
    path_pop(r, mark);
    return read_absent(r, section, NULL, field, value, values) & fine;
}

int fields_read(field_reader *r, const ruga_section *section, const json_value *value, const json_value *place,
                void *values) {
    if (!value || value->type == JSON_OBJECT) return read_struct(r, section, value, NULL, place, values);
    if (accepts_bare_value(section, value)) return read_bare(r, section, value, values);
    ruga_section_defaults(section, values);
    const ruga_section *const sections[] = {section, NULL};
    return reader_found_wrong_type(r, &(ruga_field){.kind = RUGA_FIELD_SECTION, .sections = sections}, value);
}

int fields_read_root(field_reader *r, const ruga_section *section, const json_value *value, void *values) {
    return record_origin(r, values, section->size, value, section, 1) && fields_read(r, section, value, value, values);
}

/* ---- One of several kinds. */

static const ruga_section *with_shorthand(const ruga_field *field, const json_value *value) {
    for (size_t i = 0; field->sections[i]; i++)
        if (accepts_bare_value(field->sections[i], value)) return field->sections[i];
    return NULL;
}

/* An object without a "kind" is of the kind whose shorthand it has as a key. */
static const ruga_section *implied_kind(const ruga_field *field, const json_value *object) {
    const ruga_section *implied = NULL;
    for (size_t i = 0; field->sections[i]; i++) {
        const char *shorthand = field->sections[i]->shorthand;
        if (!shorthand || !json_member(object, shorthand)) continue;
        if (implied) return NULL;
        implied = field->sections[i];
    }
    return implied;
}

static const ruga_section *named_kind(field_reader *r, const ruga_field *field, const json_value *kind) {
    const char *names[FIELD_MAX_WORDS];
    size_t count = section_names(field->sections, names, FIELD_MAX_WORDS);
    const ruga_section *section = ruga_field_section(field, kind->text);
    if (!section) reader_found_unknown(r, "kind", kind, kind->text, names, count);
    return section;
}

static const ruga_section *kind_of_object(field_reader *r, const ruga_field *field, const json_value *object) {
    const json_value *kind = json_member(object, "kind");
    const ruga_section *section = kind ? NULL : implied_kind(field, object);
    if (section) return section;
    field_words words = {0};
    words_add_kinds(&words, field);
    if (!kind) {
        reader_found(r, object, "\"kind\" is missing; give %s", words.text);
        return NULL;
    }
    size_t mark = path_push(r, "kind");
    if (kind->type == JSON_STRING)
        section = named_kind(r, field, kind);
    else
        reader_found(r, kind, "expected %s, but found %s", words.text, json_type_name(kind->type));
    path_pop(r, mark);
    return section;
}

static int is_kind_word(const ruga_field *field, const json_value *value) {
    return value->type == JSON_STRING && strlen(value->text) == value->length && ruga_field_section(field, value->text);
}

/* A file name that is close to a kind, without folder and extension, is probably that kind misspelt. */
static void warn_of_near_kind(field_reader *r, const ruga_field *field, const json_value *value) {
    const char *names[FIELD_MAX_WORDS];
    size_t count = section_names(field->sections, names, FIELD_MAX_WORDS);
    const char *nearest = strpbrk(value->text, "./") ? NULL : ruga_nearest_word(value->text, names, count);
    if (nearest) warn_about(r, value, "this is read as the name of a file; did you mean the kind \"%s\"?", nearest);
}

static const ruga_section *kind_of(field_reader *r, const ruga_field *field, const json_value *value) {
    if (value->type == JSON_OBJECT) return kind_of_object(r, field, value);
    if (is_kind_word(field, value)) return ruga_field_section(field, value->text);
    const ruga_section *section = with_shorthand(field, value);
    if (section && ruga_section_field(section, section->shorthand)->kind == RUGA_FIELD_PATH)
        warn_of_near_kind(r, field, value);
    if (section) return section;
    if (value->type == JSON_STRING) return named_kind(r, field, value);
    reader_found_wrong_type(r, field, value);
    return NULL;
}

/* value NULL: the default kind, which *variant has already. */
static int read_variant(field_reader *r, const ruga_field *field, const json_value *value, const json_value *place,
                        ruga_variant *variant) {
    const ruga_section *section = value ? kind_of(r, field, value) : variant->section;
    if (!section) return !value;
    if (value) place = value;
    size_t size = section->size ? section->size : 1;
    ruga_variant made = {section, reader_allocate(r, 1, size)};
    if (!made.values || !record_origin(r, made.values, size, place, section, 1)) return 0;
    *variant = made;
    if (!value || is_kind_word(field, value)) return read_struct(r, section, NULL, NULL, place, made.values);
    if (value->type == JSON_OBJECT) return read_struct(r, section, value, "kind", value, made.values);
    return read_bare(r, section, value, made.values);
}

/* ---- Lists. */

int field_read_item(field_reader *r, const ruga_field *field, const json_value *value, void *item) {
    if (field->kind == RUGA_FIELD_VARIANTS) {
        const ruga_field one = {.kind = RUGA_FIELD_VARIANT, .sections = field->sections};
        if (!record_origin(r, item, sizeof(ruga_variant), value, NULL, 1)) return 0;
        return read_variant(r, &one, value, value, item);
    }
    const ruga_section *section = field->sections[0];
    return record_origin(r, item, section->size, value, section, 1) && fields_read(r, section, value, value, item);
}

size_t list_capacity(size_t count) {
    size_t capacity = 1;
    while (capacity < count) capacity *= 2;
    return count > 0 ? capacity : 0;
}

static int read_list(field_reader *r, const ruga_field *field, const json_value *value, ruga_list *out) {
    if (value->type != JSON_ARRAY) return reader_found_wrong_type(r, field, value);
    size_t size = field_item_size(field), i = 0;
    ruga_list list = {reader_allocate(r, list_capacity(value->count), size), value->count};
    if (!list.items) return 0;
    *out = list;
    int fine = 1;
    for (const json_value *item = value->first; item && !RUGA_FAILED(r->status); item = item->next, i++) {
        size_t mark = path_push_index(r, i);
        fine &= field_read_item(r, field, item, (char *)list.items + i * size);
        path_pop(r, mark);
    }
    return fine;
}

/* ---- One field. */

static int read_default(field_reader *r, const ruga_field *field, const json_value *place, void *at) {
    if (field->kind == RUGA_FIELD_SECTION) {
        int fine = fields_read(r, field->sections[0], NULL, place, at);
        field_set_bare(field, at);
        return fine;
    }
    if (!field->preset) {
        field_words expected = {0};
        words_add_expected(&expected, field);
        return reader_found(r, place, "\"%s\" is missing (%s): give %s", field->name, field->help, expected.text);
    }
    return field->kind == RUGA_FIELD_VARIANT ? read_variant(r, field, NULL, place, at) : 1;
}

static int read_value(field_reader *r, const ruga_field *field, const json_value *value, void *at) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER: return read_number(r, field, value, at);
        case RUGA_FIELD_WHOLE: return read_whole(r, field, value, at);
        case RUGA_FIELD_FLAG:
            if (value->type != JSON_BOOLEAN) return reader_found_wrong_type(r, field, value);
            *(int *)at = value->number != 0;
            return 1;
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_PATH:
        case RUGA_FIELD_NAME: return read_text(r, field, value, at);
        case RUGA_FIELD_CHOICE: return read_choice(r, field, value, at);
        case RUGA_FIELD_CHOICES: return read_choices(r, field, value, at);
        case RUGA_FIELD_UNIT: return read_unit(r, field, value, at);
        case RUGA_FIELD_VECTOR: return read_vector(r, field, value, at);
        case RUGA_FIELD_PARAM: return param_read(r, field, value, at);
        case RUGA_FIELD_SECTION: return fields_read(r, field->sections[0], value, value, at);
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: return read_list(r, field, value, at);
        case RUGA_FIELD_VARIANT: return read_variant(r, field, value, value, at);
    }
    return 0;
}

int field_read(field_reader *r, const ruga_field *field, const json_value *value, const json_value *place,
               void *values) {
    void *at = field_at(field, values);
    memset(at, 0, field_size(field));
    field_set_default(field, values);
    if (!value) return read_default(r, field, place, at);
    if (!record_origin(r, at, field_size(field), value, NULL, 0)) return 0;
    if (value->type == JSON_NULL && field_may_be_absent(field)) return 1;
    return read_value(r, field, value, at);
}
