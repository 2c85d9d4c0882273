/* Parameters from the inside. */
#ifndef MESH_PARAM_H
#define MESH_PARAM_H

#include "ruga/motion.h"

/* Whether the values may differ from one time to another. */
static inline int param_changes(const ruga_param *param) {
    return param->kind == RUGA_PARAM_KEYS && param->key_count > 1;
}

/* Evaluates the parameter at every keyframe, so that what is wrong with any of them is found at once, and leaves the values
 * of the first. */
ruga_status param_prepare(const ruga_param *param, const char *name, const ruga_mesh *mesh, double *values);

#endif
