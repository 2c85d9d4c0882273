/* Runs as input: what a directory holds, said and drawn. */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H

#include "picture.h"

int read_run(session *s, const char *directory, ruga_run_record **out);

/* "flutter.run: 48 of 96 frames at 24 a second, …" in one line. */
void print_run_state(session *s, const ruga_run_record *record);

/* All that `ruga info` says about a run. */
int run_info(session *s, const char *directory, ruga_json_writer *json);

/* Adds a run's objects, with their motions as far as they are there, to a picture. */
int run_add_objects(session *s, const char *directory, picture *p);
/* Adds its colliders: after its objects, whose size decides how much of a plane is drawn. */
int run_add_colliders(session *s, const char *directory, picture *p);

#endif
