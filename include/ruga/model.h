/* Ruga: models by formula. Metres, y up, with UVs; the same parameters always give the same mesh, bit for bit. */
#ifndef RUGA_MODEL_H
#define RUGA_MODEL_H

#include "ruga/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_model_parameter {
    const char *name; /* "width" */
    const char *unit; /* "m", "1", "degree" */
    double preset, low, high;
    int whole; /* whole numbers only */
    const char *help;
} ruga_model_parameter;

typedef struct ruga_model_info {
    const char *name; /* "sheet" */
    const char *help;
    size_t parameter_count;
    const ruga_model_parameter *parameters;
} ruga_model_info;

RUGA_API size_t ruga_model_count(void);
RUGA_API const ruga_model_info *ruga_model_get_info(size_t model); /* NULL past the end */
RUGA_API const ruga_model_info *ruga_model_find(const char *name); /* NULL if there is none */

/* values: (parameter_count) in the order of the model's table, or NULL for its presets. */
RUGA_API ruga_status ruga_model_make(ruga_context *context, const char *name, const double *values, ruga_mesh **out);

#ifdef __cplusplus
}
#endif
#endif
