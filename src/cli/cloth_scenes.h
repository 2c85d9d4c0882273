/* Scenes of cloth from options alone: a flag, a curtain, a tablecloth. Each is the template of its name, fitted to what was
 * asked for; all else goes through the scene's own tables. */
#ifndef CLI_CLOTH_SCENES_H
#define CLI_CLOTH_SCENES_H

#include "session.h"

typedef struct cloth_scene {
    const char *name; /* of the template, and of the cloth in it */
    const char *help;
} cloth_scene;

extern const cloth_scene cloth_scenes[];
extern const size_t cloth_scene_count;
const cloth_scene *cloth_scene_find(const char *name); /* NULL if there is none */

void cloth_scene_add_options(option_list *list);

/* The description, with all options applied and checked; what was found is in it. An exit code. */
int cloth_scene_describe(session *s, const arguments *a, const cloth_scene *kind, ruga_description **out);

#endif
