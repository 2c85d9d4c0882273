/* Changes one value of a struct by its path. */
#ifndef FIELD_SET_H
#define FIELD_SET_H

#include "field/notes.h"

/* Sets the field that a path such as "objects[shirt].scale" leads to in a root's struct. value is JSON, or a plain text
 * as in an option of the command; relative paths in it start from the current folder. On failure, RUGA_ERROR_ARGUMENT
 * or _MEMORY, nothing changes, and no finding is added. */
ruga_status fields_set(field_notes *notes, const ruga_section *root, const char *path, const char *value, void *values);

#endif
