/* Notes about values that were read from a text: their memory, their places in the text, and findings. */
#ifndef FIELD_NOTES_H
#define FIELD_NOTES_H

#include <stdarg.h>

#include "base/memory.h"
#include "ruga/field.h"

/* The place in the text of the value at an address. */
typedef struct origin {
    const void *value;
    size_t size;                 /* of the value, bytes */
    uint32_t line, column;       /* 0: not in a text */
    const ruga_section *section; /* of a struct: item of a list, values of a variant, the root; else NULL */
    const char *path; /* of a struct or an item: "objects[0].mesh"; else NULL: follows from its struct and offset */
} origin;

typedef struct field_notes {
    arena memory;          /* of all that the values point to, and of findings */
    ARRAY(origin) origins; /* an enclosing value comes before those within */
    ARRAY(ruga_finding) findings;
    size_t dropped, dropped_errors; /* beyond the list */
    char *dropped_text;             /* the message of the finding that says so; NULL: none was dropped */
} field_notes;

field_notes notes_make(ruga_context *context);
void notes_release(field_notes *notes);

/* Further findings are counted: one more finding says how many there are, and is an error if one of them is. An error
 * takes the place of the last warning in a full list, so that warnings never hide it. */
#define NOTES_MAX_FINDINGS 1000

/* Adds a finding about the value at an address, with its line, column and path. A value that is not in the text, such
 * as a default, has the line and column of the nearest enclosing value. The address of a struct is that of its first
 * field. Fails only with RUGA_ERROR_MEMORY; the finding itself is not a failure of the call. */
ruga_status notes_found(field_notes *notes, const void *value, ruga_status status, const char *format,
                        va_list arguments);
/* The same at a given place; the path is copied. */
ruga_status notes_found_at(field_notes *notes, uint32_t line, uint32_t column, const char *path, ruga_status status,
                           const char *format, va_list arguments);
/* Whether a finding is an error. */
int notes_have_errors(const field_notes *notes);
/* Sorts by line and column; findings that are not in the text come last. The sort is stable. */
void notes_sort(field_notes *notes);
/* RUGA_OK without errors; else the status of the first, with the message "name:line:column: path: message". */
ruga_status notes_verdict(const field_notes *notes, const char *name);

#endif
