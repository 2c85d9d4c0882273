/* What `run`, `resume` and `cloth` share: a run goes on to its end, or to Ctrl-C, and is told about. */
#ifndef CLI_RUNNER_H
#define CLI_RUNNER_H

#include "session.h"

/* Steps to the end; destroys the run. */
int run_to_end(session *s, ruga_run *run, const char *directory);

/* Says what was found in a description that was checked; with errors in it nothing can be run, and their exit code is
 * returned. title stands for the scene. */
int report_findings(session *s, const char *title, const ruga_description *description);
/* Runs a description that was checked in a directory, after saying what was found. */
int run_description(session *s, const char *title, const ruga_description *description, const char *directory,
                    int replace);
/* Steps a description that was checked and writes the frames of one object to a file; no directory is made. */
int run_to_file(session *s, const ruga_description *description, const char *object, const char *path);

#endif
