/* Muscles of a scene, for bodies that have some: a table, and how its values become muscles. */
#ifndef BODY_MUSCLE_KINDS_H
#define BODY_MUSCLE_KINDS_H

#include "body/kind.h"
#include "body/muscles.h"

extern const ruga_section *const muscle_sections[]; /* for the row of a table; NULL-terminated */

/* The muscles of a list of ruga_muscle_def, in the arena, for vertices of b->mesh. Errors are reported. */
ruga_status muscles_make(build *b, const ruga_list *list, const muscle_def **out, size_t *count);

#endif
