/* A mesh that moves, frame by frame, from whatever a motion can be read: what commands that dress a moving body share. */
#ifndef CLI_MOVING_BODY_H
#define CLI_MOVING_BODY_H

#include "files.h"

typedef struct moving_body {
    const char *path, *motion_path; /* as typed; of the mesh, and of the file that moves it */
    ruga_mesh *mesh;                /* at rest */
    ruga_motion *motion;
    double rate;          /* frames a second */
    size_t count;         /* frames */
    int by_samples;       /* frames are the stored samples; else moments at the rate */
    ruga_vec3 *positions; /* (vertices) m, of the present frame */
    ruga_vec3 *spare;     /* (vertices) for the one to come */
    int hold_bad;         /* over bad frames, the last good one is held */
    size_t held;          /* frame in `positions`; SIZE_MAX: none yet */
    size_t *bad;          /* (bad_count) frames that were held over */
    size_t bad_count;
} moving_body;

/* The body that a word and --cache name; what does not move, or has no faces, is refused. moving_body_release in either case. */
int moving_body_read(session *s, const arguments *a, const char *path, moving_body *body);
void moving_body_release(moving_body *body);

double moving_body_time(const moving_body *body, size_t frame); /* s */

/* Positions of a frame. One that can't be read, or has a vertex that is not finite, is an error that names both; with
 * `hold_bad` a note, and the last good frame stays. Before the first good one, that is the next good one. */
int moving_body_go_to(session *s, moving_body *body, size_t frame);

#endif
