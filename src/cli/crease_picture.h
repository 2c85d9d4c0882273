/* ruga crease --preview. */
#ifndef CLI_CREASE_PICTURE_H
#define CLI_CREASE_PICTURE_H

#include "session.h"

/* Draws the creases on the mesh as it was, and the folded mesh beside it. */
int draw_creases(session *s, const arguments *a, const ruga_scene *scene, size_t object, const char *path);

#endif
