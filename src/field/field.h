/* Single fields: values as in options of the command ("24", "y", "pc2,obj", "0,-9.81,0", "cm"), sizes, defaults. */
#ifndef FIELD_FIELD_H
#define FIELD_FIELD_H

#include <string.h>

#include "ruga/field.h"

/* Units of length: names, and the range of a number instead of a name, in metres. */
#define FIELD_UNIT_COUNT 6
extern const char *const field_unit_names[FIELD_UNIT_COUNT];
#define FIELD_MIN_UNIT 1e-9
#define FIELD_MAX_UNIT 1e9

/* Each parses the whole text and returns 0 if it is not such a value. Ranges are not checked. */
int field_parse_unit_name(const char *text, double *out); /* m, cm, mm, km, in or ft */
int field_parse_vector(const char *text, ruga_vec3 *out);
int field_parse_choice(const ruga_field *field, const char *text, size_t length, int *out);
int field_parse_choices(const ruga_field *field, const char *text, uint32_t *out);

/* The address of a field's value within its section's struct. */
static inline void *field_at(const ruga_field *field, const void *values) { return (char *)values + field->offset; }
static inline int field_may_be_absent(const ruga_field *field) {
    return field->preset && field->preset[0] == 'n' && strcmp(field->preset, "null") == 0;
}

size_t field_size(const ruga_field *field);      /* of its value in the struct, bytes */
size_t field_item_size(const ruga_field *field); /* of an item of a LIST or VARIANTS, bytes */

/* For a SECTION whose preset is not "": the field of the section that the preset is a value of, with that preset. */
ruga_field field_bare(const ruga_field *field);
/* Sets that field in the section's struct, whose other fields have their defaults; does nothing for other kinds. */
void field_set_bare(const ruga_field *field, void *section_values);

/* Sets a field of a section's struct to its default; its bytes must be zero. */
void field_set_default(const ruga_field *field, void *values);

#endif
