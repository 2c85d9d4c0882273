/* ruga sculpt: what its files share. */
#ifndef CLI_SCULPTING_H
#define CLI_SCULPTING_H

#include "picture.h"

/* Target lengths frame by frame, from a text with a line for each. */
typedef struct length_table {
    size_t frames, strokes;
    double *values; /* (frames x strokes) NaN: as the stroke says */
} length_table;

/* Numbers with commas, semicolons or blanks between; a first line of names says whose they are, without one they are in the order
 * of the strokes, and a single column is for all. */
int length_table_read(session *s, const char *path, const ruga_strokes *strokes, length_table *out);
void length_table_release(length_table *table);

/* Strokes, region and result side by side. */
int draw_sculpt(session *s, const arguments *a, const ruga_mesh *mesh, const ruga_strokes *strokes, const char *path);

#endif
