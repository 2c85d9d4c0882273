/* The inside of a description: its def, the memory behind it, where each value stands in the text, what was found. */
#ifndef SCENE_DESCRIPTION_H
#define SCENE_DESCRIPTION_H

#include "base/memory.h"
#include "ruga/scene.h"

/* Where the value at an address within the def was read from. */
typedef struct origin {
    const void *value;
    uint32_t line, column;
    const char *path; /* "objects[0].mesh.file" */
} origin;

struct ruga_description {
    ruga_context *context;
    arena memory; /* everything that the def points to, and the texts of findings */
    char *name;   /* of the file; "" */
    char *folder; /* that relative paths are relative to; "" is the present one */
    ruga_scene_def def;
    ARRAY(origin) origins; /* by rising address once reading is done */
    ARRAY(ruga_finding) findings;
};

/* Adds a finding about the value at an address of the def (its line, column and path are looked up; the nearest
 * enclosing value if it has none of its own, as with a default). RUGA_ERROR_MEMORY, or RUGA_OK: the finding itself is no failure
 * of the call. */
ruga_status description_found(ruga_description *d, const void *value, ruga_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* RUGA_OK when no finding is an error; else the first error's status, with "name:line:column: path: message" as the message. */
ruga_status description_verdict(const ruga_description *d);

#endif
