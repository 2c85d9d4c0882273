/* Parameters of a scene: numbers in files are read, so that evaluating one needs no file. */
#ifndef BODY_PARAM_FILE_H
#define BODY_PARAM_FILE_H

#include "base/memory.h"
#include "ruga/field.h"

/* Reads the files that a parameter names, for a mesh with so many vertices, and copies the rest. All in the arena. */
ruga_status param_load(arena *memory, const ruga_param *param, size_t vertex_count, ruga_param *out);
/* Selectors of a parameter, also those of its keys, become their weights on a mesh, in the arena. The parameter is one
 * that was loaded there. only_numbered: those that name vertices or faces by their numbers. */
ruga_status param_resolve_selectors(arena *memory, const ruga_mesh *mesh, int only_numbered, ruga_param *param);
/* Gives it the limits and the unit of its row in the table, where it has none of its own. */
void param_limit(const ruga_field *field, ruga_param *param);
/* Whether it may be absent, and is. */
int param_is_absent(const ruga_param *param);

#endif
