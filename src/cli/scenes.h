/* Scenes on the command line: read, changed by options, checked, with all that was found said at once. */
#ifndef CLI_SCENES_H
#define CLI_SCENES_H

#include "session.h"

/* Reads a scene ("-": standard input), applies --set, then the caller's own options, and checks it. What was found is in
 * the description; only when there is none to be had is an exit code returned. */
typedef int scene_change(session *s, const arguments *a, ruga_description *description);
int scene_read(session *s, const arguments *a, const char *path, scene_change *change, ruga_description **out);

/* "standard input" for "-". */
const char *scene_title(const char *path);

/* How many of what was found are errors, and how many warnings. */
typedef struct finding_counts {
    size_t errors, warnings;
} finding_counts;
finding_counts count_findings(const ruga_description *description);

/* scene.json:3:5: error: time.fsp: …, one a line, as editors know it from compilers; as results, or on standard error. */
void print_findings(session *s, int as_result, const char *path, const ruga_description *description);
/* "2 errors, 1 warning". */
const char *describe_counts(finding_counts counts, char *text, size_t size);

/* Prints a text that the library made, to a file if --output says so, and releases it. */
int print_library_text(session *s, const arguments *a, ruga_status status, char *text, size_t size);

#endif
