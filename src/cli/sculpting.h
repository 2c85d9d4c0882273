/* ruga sculpt: what its files share. */
#ifndef CLI_SCULPTING_H
#define CLI_SCULPTING_H

#include "picture.h"

/* Strokes, region and result side by side. */
int draw_sculpt(session *s, const arguments *a, const ruga_mesh *mesh, const ruga_strokes *strokes, const char *path);

#endif
