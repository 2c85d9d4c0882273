/* Ruga: models by formula. Metres, y up, with UVs. The same parameters always give a bit-identical mesh. */
#ifndef RUGA_MODEL_H
#define RUGA_MODEL_H

#include "ruga/field.h"
#include "ruga/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model is a ruga_section: its name, a description, and its parameters. These are NUMBER fields; their struct is an
 * array of double in the order of the fields. */
RUGA_API size_t ruga_model_count(void);
RUGA_API const ruga_section *ruga_model_get(size_t model);      /* NULL past the end */
RUGA_API const ruga_section *ruga_model_find(const char *name); /* NULL if there is none */

/* values: (field_count) in the order of the model's fields; NULL: the defaults. Fails with RUGA_ERROR_ARGUMENT for an
 * unknown model and a value out of range. */
RUGA_API ruga_status ruga_model_make(ruga_context *context, const char *name, const double *values, ruga_mesh **out);

/* ---- Actions: motions by formula. The model "mannequin" has "walk" and "jump", "arm" has "bend", "sheet" has "press".
 * An action is a ruga_section, as a model is. */
RUGA_API size_t ruga_action_count(void);
RUGA_API const ruga_section *ruga_action_get(size_t action);     /* NULL past the end */
RUGA_API const ruga_section *ruga_action_find(const char *name); /* NULL if there is none */
RUGA_API const char *ruga_action_actor(size_t action);           /* the name of its model; NULL past the end */
RUGA_API int ruga_model_can_act(const char *name);               /* whether a model has actions */

/* The motion of the mesh that ruga_model_make makes for the same model and values, from 0 s on. It starts with the
 * positions of the mesh, except for a steady walk. values, action_values: in the order of the fields; NULL: the
 * defaults. */
RUGA_API ruga_status ruga_model_motion(ruga_context *context, const char *name, const double *values,
                                       const char *action, const double *action_values, ruga_motion **out);

#ifdef __cplusplus
}
#endif
#endif
