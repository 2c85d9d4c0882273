/* Ruga: models by formula. Metres, y up, with UVs; the same parameters always give the same mesh, bit for bit. */
#ifndef RUGA_MODEL_H
#define RUGA_MODEL_H

#include "ruga/field.h"
#include "ruga/motion.h"

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

/* ---- Actions: motions by formula: "walk" and "jump" of the model "mannequin", "bend" of the model "arm". An action is a section
 * of fields as a model is. */
RUGA_API size_t ruga_action_count(void);
RUGA_API const ruga_section *ruga_action_get(size_t action);     /* NULL past the end */
RUGA_API const ruga_section *ruga_action_find(const char *name); /* NULL if there is none */
RUGA_API const char *ruga_action_actor(size_t action);           /* the model that can do it; NULL past the end */
RUGA_API int ruga_model_can_act(const char *name);               /* anything at all */

/* The motion of the mesh that ruga_model_make gives for the same model and values, from 0 s on; its first positions are the
 * mesh's, unless the action says otherwise. values, action_values: in the order of the fields, or NULL for the presets. */
RUGA_API ruga_status ruga_model_motion(ruga_context *context, const char *name, const double *values,
                                       const char *action, const double *action_values, ruga_motion **out);

#ifdef __cplusplus
}
#endif
#endif
