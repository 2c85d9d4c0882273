/* Options from fields: a section of the library's tables becomes a group of options, so that what a tool can be told is
 * written down once. Fields that hold further sections have no option; --set reaches them. */
#ifndef CLI_FIELD_OPTIONS_H
#define CLI_FIELD_OPTIONS_H

#include "session.h"

enum { MAX_FIELD_OPTIONS = 32, MAX_FIELD_NAME = 40 };

typedef struct field_options {
    size_t count;
    option options[MAX_FIELD_OPTIONS];
    const ruga_field *fields[MAX_FIELD_OPTIONS]; /* behind the options */
    char names[MAX_FIELD_OPTIONS][MAX_FIELD_NAME];
} field_options;

/* with_presets: what is not given has the table's default; else it stays as it is elsewhere, in a scene. The options
 * live as long as the group. */
void field_options_make(field_options *group, const ruga_section *section, int with_presets);

/* Other names, where a command has several sections: of one option, with other words (NULL: the table's), and a prefix for
 * all; and without an option. `field` is the name of a field of the section. */
void field_options_rename(field_options *group, const char *field, const char *name, const char *help);
void field_options_prefix(field_options *group, const char *prefix);
void field_options_drop(field_options *group, const char *field);

/* Sets what was given in the section of a description at `path`, such as "time"; "" is the root. An exit code. */
int field_options_apply(session *s, const arguments *a, const field_options *group, const char *path,
                        ruga_description *description);

/* The values of a section that has numbers only, by their offsets. */
void field_options_numbers(const arguments *a, const field_options *group, double *values);

/* PATH=VALUE, as after --set. */
extern const option set_options[];
extern const size_t set_option_count;
int set_options_apply(session *s, const arguments *a, ruga_description *description);

#endif
