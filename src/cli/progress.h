/* The progress bar: after the first second, on a terminal only, redrawn at most ten times a second, erased at the
 * end. */
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
    size_t part, part_count; /* of work in many calls, such as the frames of a film; 0: single calls */
    double most;             /* of the fractions of these parts */
    const char *part_stage;
    int lines;   /* print lines for farm software instead: "ALF_PROGRESS 42%" */
    int percent; /* of the last of them */
} progress_bar;

double seconds_now(void); /* s, from an arbitrary start */
/* s, of all cores, that this program and the commands that it waited for have used. */
double processor_seconds(void);

void progress_begin(progress_bar *bar, int enabled);
/* Progress of the library; with parts, of the current part. */
void progress_report(progress_bar *bar, const char *stage, double fraction);
/* Progress of the whole command, by its own count; the only one that is printed as lines, besides that of parts. */
void progress_whole(progress_bar *bar, const char *stage, double fraction);
void progress_erase(progress_bar *bar);

/* Work in many calls: part i of count, "frame 3 of 48". A count of 0 ends it. */
void progress_part(progress_bar *bar, const char *stage, size_t part, size_t count);

#endif
