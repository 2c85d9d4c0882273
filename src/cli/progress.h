/* The progress bar: after the first second, on a terminal only, redrawn at most ten times a second, erased at the end. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

typedef struct progress_bar {
    int enabled;
    int visible;
    double begun;       /* s, when the run began */
    double stage_begun; /* s, when this stage began */
    double stage_first; /* the fraction at which it began: a run that is resumed */
    double drawn;       /* s, last time */
    double fraction;
    char stage[64];
    size_t part, part_count; /* of work that is made of many calls, such as the frames of a film; 0: single calls */
    const char *part_stage;
} progress_bar;

double seconds_now(void); /* s, from an arbitrary start */

void progress_begin(progress_bar *bar, int enabled);
/* What the library reports; with parts, fractions of the present part. */
void progress_report(progress_bar *bar, const char *stage, double fraction);
void progress_erase(progress_bar *bar);

/* Work of many calls: part i of count, under one name: "frame 3 of 48". A count of 0 ends it. */
void progress_part(progress_bar *bar, const char *stage, size_t part, size_t count);

#endif
