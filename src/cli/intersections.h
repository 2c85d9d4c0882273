/* Intersections on the command line: what is looked at, and the picture of what was found. */
#ifndef CLI_INTERSECTIONS_H
#define CLI_INTERSECTIONS_H

#include "picture.h"

/* A moment with what was found in it. */
typedef struct found_frame {
    size_t frame; /* from 0 */
    double time;  /* s */
    size_t count;
} found_frame;

/* The subjects as they are now, what intersects in red, and beside them that alone. */
int draw_intersections(session *s, const arguments *a, const picture *p, const ruga_intersections *found,
                       const char *caption, const char *path);

#endif
