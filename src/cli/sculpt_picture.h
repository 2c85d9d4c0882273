/* ruga sculpt --preview. */
#ifndef CLI_SCULPT_PICTURE_H
#define CLI_SCULPT_PICTURE_H

#include "session.h"

/* Draws strokes, regions and result side by side. */
int draw_sculpt(session *s, const arguments *a, const ruga_mesh *mesh, const ruga_strokes *strokes, const char *path);

#endif
