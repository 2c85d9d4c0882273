/* The scene that a check built, kept for running the description: with the files that it was built from and the
 * log of the build, which run directories record. */
#ifndef SCENE_CHECKED_H
#define SCENE_CHECKED_H

#include "scene/description.h"

typedef struct checked_scene checked_scene;

/* Builds the description's scene, adds all findings, and keeps the scene if there are no errors. The log is kept
 * too. */
ruga_status checked_build(ruga_description *d);
/* Forgets the scene: the description was changed, or is destroyed. */
void checked_forget(ruga_description *d);

/* The scene of a description, settled: what the last check built, once, if the description was not changed since and
 * has the same context; else it is built. file_found (may be NULL) is called for each file that it was built from; the
 * log of the build is repeated now. */
ruga_status checked_take(ruga_context *context, const ruga_description *d,
                         void (*file_found)(void *user, const char *path), void *user, ruga_scene **out);

#endif
