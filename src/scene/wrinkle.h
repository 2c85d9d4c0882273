/* From the values of a detail "wrinkle" to its def: what making a scene and checking a description share. Messages say what is
 * wrong; the caller says whose it is. */
#ifndef SCENE_WRINKLE_H
#define SCENE_WRINKLE_H

#include "base/memory.h"
#include "ruga/scene.h"
#include "wrinkle/wrinkle_detail.h"

/* All but the fine mesh of a file, and the parameters. */
wrinkle_detail_def wrinkle_def_from(const ruga_wrinkle_def *values);

/* The fine mesh of a file, in its place as the object is. */
ruga_status wrinkle_fine_read(ruga_context *context, arena *memory, const ruga_object_def *object,
                              const ruga_wrinkle_def *values, ruga_mesh **out);

/* The parameters, for the fine mesh that the def makes of `mesh`, or has. Files are read; all in the arena. */
ruga_status wrinkle_load_params(arena *memory, const ruga_wrinkle_def *values, const ruga_mesh *mesh,
                                wrinkle_detail_def *def);

/* Logs what is odd about a detail of an object beyond what the wrinkle mesh itself logs: vertices that hang on nothing. */
void wrinkle_warn(ruga_context *context, const char *object, const detail *d);

#endif
