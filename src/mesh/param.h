/* Parameters from the inside. */
#ifndef MESH_PARAM_H
#define MESH_PARAM_H

#include "ruga/motion.h"

/* Whether the values may differ from one time to another. */
static inline int param_changes(const ruga_param *param) {
    return param->kind == RUGA_PARAM_KEYS && param->key_count > 1;
}

/* The values at the first keyframe; those at all others are looked at too, each once, so that what is wrong with any of them
 * is found before the first frame. */
ruga_status param_prepare(const ruga_param *param, const char *name, const ruga_mesh *mesh, double *values);

#endif
