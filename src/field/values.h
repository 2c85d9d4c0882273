/* Checks values against their tables: for structs that a program filled. */
#ifndef FIELD_VALUES_H
#define FIELD_VALUES_H

#include "ruga/field.h"

/* Fails with RUGA_ERROR_ARGUMENT at the first number outside its range, unknown choice or missing value; the
 * message has its path. Parameters are left to ruga_param_evaluate; a VARIANT may be absent.
 * more: sections, NULL-terminated, that variants may have beside those of their field; NULL: none. */
ruga_status values_check(ruga_context *context, const ruga_section *section, const void *values,
                         const ruga_section *const *more);

/* The path of the value at an address within a section's struct, or within what it points to: "body.pins[0]"; "" if
 * there is none. The address of a whole struct stands for the struct. */
void values_path(const ruga_section *section, const void *values, const void *value, char *path, size_t size);

#endif
