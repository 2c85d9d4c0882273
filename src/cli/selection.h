/* Selectors on the command line: the part of a mesh that a text chooses. */
#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include "session.h"

typedef struct selection {
    char *text;             /* in its printed form; release with ruga_free */
    size_t vertices, faces; /* chosen */
    double area;            /* m², of the chosen faces */
    ruga_vec3 low, high;    /* m, box around the chosen vertices */
} selection;

/* path stands in messages. */
int selection_find(session *s, const char *path, const ruga_mesh *mesh, const char *text, selection *out);
/* Weights of the vertices, from 0 to 1; release with free. */
int selection_weights(session *s, const char *path, const ruga_mesh *mesh, const char *text, double **out);

#endif
