/* Options from fields: a section of the library's tables becomes a group of options, so that each parameter is
 * described once. Fields that hold further sections have no option; --set reaches them. */
#ifndef CLI_FIELD_OPTIONS_H
#define CLI_FIELD_OPTIONS_H

#include "session.h"

enum { MAX_FIELD_OPTIONS = 32, MAX_FIELD_NAME = 40 };

typedef struct field_options {
    const char *heading; /* in --help */
    const char *section; /* path of the table, such as "objects.mesh.sheet"; "": the root */
    const char *without; /* fields that get no option, separated by blanks; NULL: none */
    const char *prefix;  /* of the names of the options; NULL: none */
    const char *target;  /* path of the section in a description, such as "time"; "": the root */
    size_t count;
    option options[MAX_FIELD_OPTIONS];
    const ruga_field *fields[MAX_FIELD_OPTIONS]; /* behind the options */
    char names[MAX_FIELD_OPTIONS][MAX_FIELD_NAME];
} field_options;

/* Fills a group from a section, and adds it to a list. with_presets: --help shows the table's defaults; without,
 * options that are not given keep the scene's values. The options live as long as the group. */
void field_options_make(field_options *group, const ruga_section *section, int with_presets);
void field_options_add(option_list *list, field_options *group, int with_presets); /* the section by its path */

/* Another name for the option of a field, with another help (NULL: the table's). */
void field_options_rename(field_options *group, const char *field, const char *name, const char *help);

/* Sets the given options in the section of a description at `path`. */
int field_options_apply(session *s, const arguments *a, const field_options *group, const char *path,
                        ruga_description *description);

/* The values of a section that has numbers only, by their offsets. */
void field_options_numbers(const arguments *a, const field_options *group, double *values);

/* PATH=VALUE, as after --set. */
extern const option set_options[1];
int set_options_apply(session *s, const arguments *a, ruga_description *description);

#endif
