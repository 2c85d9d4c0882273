/* Scenes: read from files or built in memory, changed by options, checked, with all findings reported at once. */
#ifndef CLI_SCENES_H
#define CLI_SCENES_H

#include "session.h"

/* Reads a scene ("-": standard input), applies --set and then the caller's own options, and checks it. The description
 * holds the findings; destroy it, also after a failure. */
typedef int scene_change(session *s, const arguments *a, ruga_description *description);
int scene_read(session *s, const arguments *a, const char *path, scene_change *change, ruga_description **out);
/* A scene from a text of our own. */
int scene_describe(session *s, const char *name, const char *text, ruga_description **out);
/* Changes a value of it, as --set does. */
int scene_set(session *s, ruga_description *description, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Checks a scene; errors in it are findings, no exit code. */
int scene_check(session *s, ruga_description *description);

/* "standard input" for "-". */
const char *scene_title(const char *path);

/* The number of errors and warnings. */
typedef struct finding_counts {
    size_t errors, warnings;
} finding_counts;
finding_counts count_findings(const ruga_description *description);

/* "scene.json:3:5: error: time.fsp: …", one a line, as compilers do; as results, or on standard error. */
void print_findings(session *s, int as_result, const char *path, const ruga_description *description);
/* "2 errors, 1 warning". */
const char *describe_counts(finding_counts counts, char *text, size_t size);

/* Writes a text of the library to a file, or to standard output if the path is "-", and frees it. */
int write_library_text(session *s, const char *path, char *text, size_t size);
/* Writes a scene, and says how to run it. */
int scene_write(session *s, const ruga_description *description, const char *path);

#endif
