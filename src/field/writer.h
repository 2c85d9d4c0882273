/* Structs into JSON by the tables of fields. */
#ifndef FIELD_WRITER_H
#define FIELD_WRITER_H

#include "base/memory.h"
#include "ruga/field.h"
#include "ruga/text.h"

/* A struct as a JSON object with all its fields. Reads back to the same. Relative paths become absolute within
 * `current_folder`; *status turns RUGA_ERROR_MEMORY when there is none for that. */
typedef struct field_writer {
    ruga_json_writer *json;
    arena *memory;
    const char *current_folder;
    ruga_status status;
} field_writer;
void fields_write(field_writer *w, const ruga_section *section, const void *values);
void field_write(field_writer *w, const ruga_field *field, const void *values); /* the value alone, without a key */
void path_write(field_writer *w, const char *path);

/* A path relative to `folder`; absolute paths are unchanged. In the arena; NULL without memory. */
const char *path_from_folder(arena *memory, const char *folder, const char *path);
ruga_status find_current_folder(arena *memory, const char **out); /* of any length */

#endif
