/* What `run` and `resume` share: a run goes on to its end, or to Ctrl-C, and is told about. */
#ifndef CLI_RUNNER_H
#define CLI_RUNNER_H

#include "session.h"

/* Steps to the end; destroys the run. */
int run_to_end(session *s, ruga_run *run, const char *directory);

#endif
