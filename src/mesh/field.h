/* Values of fields as an option of the command has them: "24", "y", "pc2,obj", "0,-9.81,0", "cm". */
#ifndef MESH_FIELD_H
#define MESH_FIELD_H

#include "ruga/field.h"

/* Each takes the whole text; 0 when it is none, with *out in any state. Ranges are not looked at. */
int field_parse_number(const char *text, double *out);
int field_parse_unit(const char *text, double *out); /* m, cm, mm, km, in, ft or the metres of one unit */
int field_parse_vector(const char *text, ruga_vec3 *out);
int field_parse_choice(const ruga_field *field, const char *text, size_t length, int *out);
int field_parse_choices(const ruga_field *field, const char *text, uint32_t *out);

/* Sets one field of a section's struct, whose bytes were zero, to its default. */
void field_set_default(const ruga_field *field, void *values);

#endif
