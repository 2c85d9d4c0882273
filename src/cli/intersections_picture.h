/* ruga intersections --picture. */
#ifndef CLI_INTERSECTIONS_PICTURE_H
#define CLI_INTERSECTIONS_PICTURE_H

#include "picture.h"

/* Draws the subjects at their current frame with intersecting triangles in red, and beside them these alone. */
int draw_intersections(session *s, const arguments *a, const picture *p, const ruga_intersections *found,
                       const char *caption, const char *path);

#endif
