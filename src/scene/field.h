/* What the tables of fields are used for inside: JSON into structs and back, schema, reference. Each is general: it knows
 * kinds of fields, never what they mean. */
#ifndef SCENE_FIELD_H
#define SCENE_FIELD_H

#include "base/json.h"
#include "ruga/text.h"
#include "scene/description.h"

/* Fills the struct of a section from an object, defaults included, with findings for all that is wrong: unknown and
 * missing keys (with the nearest name), wrong types, ranges, choices. Goes on after each. `path` is that of the object.
 * RUGA_ERROR_MEMORY, or RUGA_OK. */
ruga_status fields_read(ruga_description *d, const ruga_section *section, const json_value *object, const char *path,
                        void *values);
/* The same for one field; value NULL: its default. */
ruga_status field_read(ruga_description *d, const ruga_field *field, const json_value *value, const char *path,
                       void *values);

/* A struct as a JSON object with all its fields. Reads back to the same. */
void fields_write(ruga_json_writer *json, const ruga_section *section, const void *values);

/* The address of a field's value within its section's struct. */
static inline void *field_at(const ruga_field *field, const void *values) { return (char *)values + field->offset; }

/* Where files are: `path` as seen from `folder`; absolute paths stay. In the arena; NULL when there is no memory. */
const char *path_from_folder(arena *memory, const char *folder, const char *path);

#endif
