/* Scenes of cloth from options: a flag, a curtain, a tablecloth. Each is the template of its name, fitted to the
 * options; most options are fields of the scene's tables. */
#ifndef CLI_CLOTH_SCENES_H
#define CLI_CLOTH_SCENES_H

#include "report.h"

enum { CLOTH_SCENES = 3 };
extern const named cloth_scenes[CLOTH_SCENES];

void cloth_scene_add_options(option_list *list);

/* The description with all options applied, and checked; it holds the findings. Destroy it, also after a failure. */
int cloth_scene_describe(session *s, const arguments *a, const char *kind, ruga_description **out);

#endif
