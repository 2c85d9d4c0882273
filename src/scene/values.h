/* Values against their tables: for defs that were filled in memory, which no parser has seen. */
#ifndef SCENE_VALUES_H
#define SCENE_VALUES_H

#include "ruga/field.h"

/* Fails with RUGA_ERROR_ARGUMENT at the first number outside its range, choice that there is none of, value that must
 * be given and is not; the message has its path. Parameters are left to ruga_param_evaluate; a VARIANT may be absent. */
ruga_status values_check(ruga_context *context, const ruga_section *section, const void *values);

#endif
