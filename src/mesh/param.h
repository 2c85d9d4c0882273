/* Parameters inside the library. */
#ifndef MESH_PARAM_H
#define MESH_PARAM_H

#include "ruga/motion.h"

/* Whether the values may change with time. */
static inline int param_changes(const ruga_param *param) {
    return param->kind == RUGA_PARAM_KEYS && param->key_count > 1;
}

/* Whether 0 and 1 become its `from` and `to`, if these differ; and the number that a value becomes. */
static inline int param_is_mapped(const ruga_param *param) {
    return param->kind == RUGA_PARAM_ATTRIBUTE || param->kind == RUGA_PARAM_GROUP || param->kind == RUGA_PARAM_SELECTOR;
}
double param_map(const ruga_param *param, double value);

/* The weights (vertices) that the text of a parameter selects. A vertex attribute whose name is the whole text comes
 * first, with its values as they are. */
ruga_status param_select(const char *text, const ruga_mesh *mesh, double *weights);

/* Whether that text names vertices or faces by their numbers. */
ruga_status param_has_numbers(const char *text, const ruga_mesh *mesh, int *out);

/* The values at the first keyframe. Checks those of all other keyframes too, so that errors are found before the first
 * frame. */
ruga_status param_prepare(const ruga_param *param, const char *name, const ruga_mesh *mesh, double *values);

#endif
