/* Running scenes, for `run`, `resume` and `cloth`: into a directory, or into one file. */
#ifndef CLI_RUNNER_H
#define CLI_RUNNER_H

#include "session.h"

/* Steps a run to its end, or to Ctrl-C, which leaves a checkpoint. Returns an exit code; `seconds` is the time that it
 * took. */
int run_step_all(session *s, ruga_run *run, const char *directory, double *seconds);
/* The same; then reports and destroys the run. */
int run_to_end(session *s, ruga_run *run, const char *directory);
/* The hash of the last state as 16 digits. "" if no frames were run because the run is complete, and its checkpoint,
 * which has that state, is missing or damaged. Returns an exit code. */
enum { RUN_HASH_SIZE = 17 };
int run_state_hash(session *s, ruga_run *run, const char *directory, int frames_run, char text[RUN_HASH_SIZE]);

/* Prints the findings of a checked description. With errors among them nothing can run, and an exit code is returned.
 * `title` is the name of the scene. */
int report_findings(session *s, const char *title, const ruga_description *description);
/* Prints the findings of a checked description and runs it in a directory. */
int run_description(session *s, const char *title, const ruga_description *description, const char *directory,
                    int replace);
/* Steps a checked description and writes the frames of one object to a file, without a directory. */
int run_to_file(session *s, const ruga_description *description, const char *object, const char *path);

#endif
