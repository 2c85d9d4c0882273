/* Ruga: models by formula. Metres, y up, with UVs; the same parameters always give the same mesh, bit for bit. */
#ifndef RUGA_MODEL_H
#define RUGA_MODEL_H

#include "ruga/field.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model is a section of fields: its name, what it is, and its parameters: NUMBER fields, whose struct is an array of
 * double in their order. */
RUGA_API size_t ruga_model_count(void);
RUGA_API const ruga_section *ruga_model_get(size_t model);      /* NULL past the end */
RUGA_API const ruga_section *ruga_model_find(const char *name); /* NULL if there is none */

/* values: (field_count) in the order of the model's fields, or NULL for its presets. */
RUGA_API ruga_status ruga_model_make(ruga_context *context, const char *name, const double *values, ruga_mesh **out);

#ifdef __cplusplus
}
#endif
#endif
