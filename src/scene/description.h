/* The inside of a description: its def, the memory behind it, where each value stands in the text, what was found. */
#ifndef SCENE_DESCRIPTION_H
#define SCENE_DESCRIPTION_H

#include "field/notes.h"
#include "ruga/scene.h"

struct ruga_description {
    ruga_context *context;
    field_notes notes; /* memory that the def points to, origins, findings */
    char *name;        /* of the file; "" */
    char *folder;      /* that relative paths are relative to; "": the working directory */
    ruga_scene_def def;
    struct checked_scene *checked; /* what the last check built; NULL: nothing */
};

/* A text of another kind than a scene by the section of its root: fills `values`, whose memory and findings are those
 * of the description. Mistakes in the text are findings, no failure. */
ruga_status description_read_values(ruga_context *context, const char *name, const ruga_section *section,
                                    const char *text, size_t size, void *values, ruga_description **out);

/* Adds a finding about the value at an address of the def, as notes_found. */
ruga_status description_found(ruga_description *d, const void *value, ruga_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* As the notes_… of the same names. */
int description_has_errors(const ruga_description *d);
void description_sort_findings(ruga_description *d);
ruga_status description_verdict(const ruga_description *d);

#endif
