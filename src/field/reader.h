/* JSON into structs by the tables of fields. Nothing here depends on what a field means. */
#ifndef FIELD_READER_H
#define FIELD_READER_H

#include "base/json.h"
#include "field/notes.h"
#include "ruga/field.h"

typedef struct field_reader {
    field_notes *notes; /* receive memory, origins and findings */
    const char *folder; /* that relative paths start from; "": the current one */
    int is_text;        /* findings have lines and columns */
    ARRAY(char) path;   /* of the current value: "objects[0].mesh"; zero-terminated, the zero is not counted */
    ruga_status status; /* after RUGA_ERROR_MEMORY nothing more is read */
} field_reader;

ruga_status field_reader_start(field_reader *r, field_notes *notes, const char *folder, const char *path);
void field_reader_finish(field_reader *r);

/* Fills the struct of a section, defaults included, from an object or from the value of its shorthand. Adds findings
 * for all errors: unknown and missing keys (with the nearest name), wrong types, ranges, choices. `place` is where a
 * missing key is reported; value NULL: all defaults. Returns 0 if there were errors. */
int fields_read(field_reader *r, const ruga_section *section, const json_value *value, const json_value *place,
                void *values);
/* The same for the outermost struct, whose path is "". */
int fields_read_root(field_reader *r, const ruga_section *section, const json_value *value, void *values);
/* The same for one field of a struct; value NULL: its default. The reader's path must be that of the field. */
int field_read(field_reader *r, const ruga_field *field, const json_value *value, const json_value *place,
               void *values);
/* One item of a LIST or VARIANTS field. The reader's path must be that of the item. */
int field_read_item(field_reader *r, const ruga_field *field, const json_value *value, void *item);
/* The capacity of a list of `count` items: a power of two, so that appending is cheap. */
size_t list_capacity(size_t count);

/* For readers of single kinds. The path grows by ".name" and "[3]" and is cut back to the length that `path_push`
 * gave. */
size_t path_push(field_reader *r, const char *name);
size_t path_push_index(field_reader *r, size_t index);
void path_pop(field_reader *r, size_t length);
/* Adds an error about a value; returns 0. */
int reader_found(field_reader *r, const json_value *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int reader_found_wrong_type(field_reader *r, const ruga_field *field, const json_value *value);
/* Adds "did you mean …", or else the list of known words. kind: "key", "kind", "choice". */
int reader_found_unknown(field_reader *r, const char *kind, const json_value *value, const char *word,
                         const char *const *known, size_t count);
/* Memory of the notes, zeroed; NULL sets the reader's status. */
void *reader_allocate(field_reader *r, size_t count, size_t size);
/* A finite number in the field's range; 0 with a finding if not. */
int reader_check_number(field_reader *r, const ruga_field *field, const json_value *value, double number);
/* A copy of a text that is not empty and has no zero byte; NULL with a finding if it is not. */
const char *reader_text(field_reader *r, const ruga_field *field, const json_value *value);
const char *reader_path(field_reader *r, const ruga_field *field, const json_value *value);

#endif
