/* Values of fields as an option of the command has them: "24", "y", "pc2,obj", "0,-9.81,0", "cm". */
#ifndef MESH_FIELD_H
#define MESH_FIELD_H

#include "ruga/field.h"

/* Each takes the whole text; 0 when it is none, with *out in any state. Ranges are not looked at. */
int field_parse_number(const char *text, double *out);
int field_parse_unit(const char *text, double *out); /* m, cm, mm, km, in, ft or the metres of one unit */
#define FIELD_MIN_UNIT 1e-9
#define FIELD_MAX_UNIT 1e9
int field_parse_unit_name(const char *text, double *out); /* m, cm, mm, km, in or ft */
int field_parse_vector(const char *text, ruga_vec3 *out);
int field_parse_choice(const ruga_field *field, const char *text, size_t length, int *out);
int field_parse_choices(const ruga_field *field, const char *text, uint32_t *out);

size_t field_size(const ruga_field *field);      /* of its value in the struct, bytes */
size_t field_item_size(const ruga_field *field); /* of an item of a LIST or VARIANTS, bytes */

/* Of a SECTION whose preset is not "": the field that the preset is the value of, with that preset. */
ruga_field field_bare(const ruga_field *field);
/* Sets that field of the section's struct, which has its other defaults; does nothing for other fields. */
void field_set_bare(const ruga_field *field, void *section_values);

/* Sets one field of a section's struct, whose bytes were zero, to its default. */
void field_set_default(const ruga_field *field, void *values);

#endif
