/* Runs as input: the state, objects and colliders of a run directory. */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H

#include "picture.h"

int read_run(session *s, const char *directory, ruga_run_record **out);

/* "flutter.run: 48 of 96 frames from frame 0 at 24 a second, stopped", and what ran it. */
void print_run_state(session *s, const ruga_run_record *record);

/* Prints the information of `ruga info` about a run; json NULL: as text. */
int run_info(session *s, const char *directory, ruga_json_writer *json);

/* Adds the objects of a run, with their motions as far as the run has got, to a picture. */
int run_add_objects(session *s, const char *directory, picture *p);
/* Objects whose frames are files of their own may change their number of vertices: they get the mesh of each frame. */
int run_follow_topology(session *s, picture *p);
/* Adds the objects that --mesh names, which may be repeated; all without it. */
int run_add_chosen(session *s, const arguments *a, const char *directory, picture *p);
/* Marks the objects of a run that no force moves (subject.is_body), if it has others. */
void run_mark_bodies(session *s, const char *directory, picture *p);
/* The scene of a run if its contact lets anything pass through anything, to ask it what (ruga_scene_ignores); else
 * NULL. A scene that can't be made again, as without its files, is noted. */
ruga_scene *run_contact_rules(session *s, const char *directory);
/* Gives objects of a run the finish of their material (subject.finish): cloth, paper, leather, skin. */
void run_choose_finishes(session *s, const char *directory, picture *p);
/* Adds its colliders, after its objects, whose size decides how much of a plane is drawn. */
int run_add_colliders(session *s, const char *directory, picture *p);

#endif
