/* The inside of a description: its def, the memory behind it, where each value stands in the text, what was found. */
#ifndef SCENE_DESCRIPTION_H
#define SCENE_DESCRIPTION_H

#include "base/memory.h"
#include "ruga/scene.h"

/* Where the value at an address within the def was read from. */
typedef struct origin {
    const void *value;
    size_t size;                 /* of the value, bytes */
    uint32_t line, column;       /* 0: not in a text */
    const ruga_section *section; /* of a struct: item of a list, values of a variant, the root; else NULL */
    const char *path; /* of a struct or an item: "objects[0].mesh"; else NULL: its struct and its offset tell it */
} origin;

struct ruga_description {
    ruga_context *context;
    arena memory; /* everything that the def points to, and the texts of findings */
    char *name;   /* of the file; "" */
    char *folder; /* that relative paths are relative to; "" is the present one */
    ruga_scene_def def;
    ARRAY(origin) origins; /* an enclosing value comes before those within */
    ARRAY(ruga_finding) findings;
};

/* A text of another kind than a scene by the section of its root: fills `values`, whose memory and findings are those of the
 * description. Mistakes in the text are findings, no failure. */
ruga_status description_read_values(ruga_context *context, const char *name, const ruga_section *section,
                                    const char *text, size_t size, void *values, ruga_description **out);

/* Findings beyond so many are dropped, the last of them says so. */
#define DESCRIPTION_MAX_FINDINGS 1000

/* Adds a finding about the value at an address of the def: its line, column and path are looked up, with the line and
 * column of the nearest enclosing value if it has none of its own, as with a default. The address of a whole struct
 * stands for its first field. RUGA_ERROR_MEMORY, or RUGA_OK: the finding itself is no failure of the call. */
ruga_status description_found(ruga_description *d, const void *value, ruga_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with the place given; the path is copied. */
ruga_status description_found_at(ruga_description *d, uint32_t line, uint32_t column, const char *path,
                                 ruga_status status, const char *format, va_list arguments);
/* Whether a finding is more than a warning. */
int description_has_errors(const ruga_description *d);
/* By rising line and column; those in no text come last. Equals keep their order. */
void description_sort_findings(ruga_description *d);
/* RUGA_OK when no finding is an error; else the first error's status, with "name:line:column: path: message" as the message. */
ruga_status description_verdict(const ruga_description *d);

#endif
