/* The tables of fields as a JSON Schema. */
#ifndef FIELD_SCHEMA_H
#define FIELD_SCHEMA_H

#include "ruga/field.h"

/* Whether each field has a default or may be absent. */
int section_needs_nothing(const ruga_section *section);

/* A JSON Schema, draft 7, of what fields_read_root accepts for a section. Release the text with memory_release. */
ruga_status fields_schema(ruga_context *context, const ruga_section *root, const char *title, char **text,
                          size_t *size);

#endif
