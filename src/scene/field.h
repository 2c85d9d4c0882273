/* What the tables of fields are used for inside: JSON into structs and back, schema, reference. Each is general: it knows
 * kinds of fields, never what they mean. */
#ifndef SCENE_FIELD_H
#define SCENE_FIELD_H

#include <string.h>

#include "base/json.h"
#include "ruga/text.h"
#include "scene/description.h"

/* ---- Reading. */
typedef struct field_reader {
    ruga_description *description; /* takes memory, origins and findings */
    const char *folder;            /* that relative paths are relative to; "" is the present one */
    int is_text;                   /* lines and columns mean something to the user */
    ARRAY(char) path;   /* of what is being read: "objects[0].mesh"; always ends in zero, which is not counted */
    ruga_status status; /* RUGA_ERROR_MEMORY once there was no memory; then nothing more is read */
} field_reader;

ruga_status field_reader_start(field_reader *r, ruga_description *d, const char *path);
void field_reader_finish(field_reader *r);

/* Fills the struct of a section from an object, or from the bare value that its shorthand stands for; defaults included.
 * Adds findings for all that is wrong: unknown and missing keys (with the nearest name), wrong types, ranges, choices; it
 * goes on after each. `place` is where a missing key is reported; value NULL: all defaults. 0 when something was wrong. */
int fields_read(field_reader *r, const ruga_section *section, const json_value *value, const json_value *place,
                void *values);
/* The same for the outermost struct, whose address becomes known as that of the path "". */
int fields_read_root(field_reader *r, const ruga_section *section, const json_value *value, void *values);
/* The same for one field of a struct whose other fields stay as they are; value NULL: its default. The reader's path is
 * that of the field. */
int field_read(field_reader *r, const ruga_field *field, const json_value *value, const json_value *place,
               void *values);
/* One item of a LIST or VARIANTS field, at its address. The reader's path is that of the item. */
int field_read_item(field_reader *r, const ruga_field *field, const json_value *value, void *item);
/* How many items a list of `count` has room for: a power of two, so that appending one by one stays cheap. */
size_t list_capacity(size_t count);

/* What readers of single kinds share. The path grows by ".name" and "[3]" and is cut back to what `path_push` told. */
size_t path_push(field_reader *r, const char *name);
size_t path_push_index(field_reader *r, size_t index);
void path_pop(field_reader *r, size_t length);
/* Adds an error about a value, or about its key; always 0. */
int reader_found(field_reader *r, const json_value *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int reader_found_wrong_type(field_reader *r, const ruga_field *field, const json_value *value);
/* "did you mean …" or else which there are. kind: "key", "kind", "choice". */
int reader_found_unknown(field_reader *r, const char *kind, const json_value *value, const char *word,
                         const char *const *known, size_t count);
/* Memory of the description; NULL, with the reader's status set, when there is none. */
void *reader_allocate(field_reader *r, size_t count, size_t size);
/* A finite number in the field's range; 0 with a finding if not. */
int reader_check_number(field_reader *r, const ruga_field *field, const json_value *value, double number);
/* A text that is neither empty nor holds a zero byte, copied; NULL with a finding if not. */
const char *reader_text(field_reader *r, const ruga_field *field, const json_value *value);
const char *reader_path(field_reader *r, const ruga_field *field, const json_value *value);
int param_read(field_reader *r, const ruga_field *field, const json_value *value, ruga_param *out);

/* ---- Writing. */

/* A struct as a JSON object with all its fields. Reads back to the same. Relative paths become absolute within
 * `present_folder`; *status turns RUGA_ERROR_MEMORY when there is none for that. */
typedef struct field_writer {
    ruga_json_writer *json;
    arena *memory;
    const char *present_folder;
    ruga_status status;
} field_writer;
void fields_write(field_writer *w, const ruga_section *section, const void *values);
void field_write(field_writer *w, const ruga_field *field, const void *values); /* the value alone, without a key */
void param_write(field_writer *w, const ruga_param *param);
void path_write(field_writer *w, const char *path);

/* ---- Both. */

/* The address of a field's value within its section's struct. */
static inline void *field_at(const ruga_field *field, const void *values) { return (char *)values + field->offset; }
static inline int field_may_be_absent(const ruga_field *field) {
    return field->preset && field->preset[0] == 'n' && strcmp(field->preset, "null") == 0;
}

/* Where files are: `path` as seen from `folder`; absolute paths stay. In the arena; NULL when there is no memory. */
const char *path_from_folder(arena *memory, const char *folder, const char *path);
ruga_status find_present_folder(arena *memory, const char **out); /* whatever its length */

/* Whether a struct needs nothing to be given: each field has a default or may be absent. */
int section_needs_nothing(const ruga_section *section);
/* The alternative whose shorthand field names it, so that an object with that key needs no kind. */
int section_is_implied(const ruga_field *field, const ruga_section *section);

/* A JSON Schema, draft 7, of what fields_read_root accepts for a section. Release the text with memory_release. */
ruga_status fields_schema(ruga_context *context, const ruga_section *root, const char *title, char **text,
                          size_t *size);

/* ---- Words about fields, for messages and the reference. */
#define FIELD_MAX_WORDS 128 /* fields of a section, or alternatives, that messages and suggestions look at */
typedef struct field_words {
    char text[600];
    size_t length;
} field_words;
void words_add(field_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "a", "b" or "c"; the tail is left away when it is too long. */
void words_add_list(field_words *words, const char *const *items, size_t count, const char *last);
/* What a value has to be: "a number in m, such as 0.5". */
void words_add_expected(field_words *words, const ruga_field *field);
void words_add_number(field_words *words, double number, const char *unit);
/* The alternatives of a VARIANT or VARIANTS field, as words_add_list has them. */
void words_add_kinds(field_words *words, const ruga_field *field);
/* The default as JSON has it. */
void words_add_preset(field_words *words, const ruga_field *field);
/* Bytes of a text that a message shows, whole characters, for %.*s. */
int clipped(const char *text);
size_t choice_count(const ruga_field *field);
/* The names of alternatives; at most `capacity`. */
size_t section_names(const ruga_section *const *sections, const char **names, size_t capacity);
size_t field_names(const ruga_section *section, const char **names, size_t capacity);

#endif
