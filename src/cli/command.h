/* The commands. Each is one file command_<name>.c with its tables of options, its help text and its work. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "session.h"

typedef struct command {
    const char *name;
    const char *summary;    /* one line for `ruga --help` */
    const char *usage;      /* "ruga convert IN OUT [options]" */
    const char *about;      /* lines, which --help wraps unless they begin with a space */
    const char *examples;   /* lines, each indented by two */
    option_group groups[8]; /* of options; the first without a heading ends them */
    /* Adds further groups, or NULL. May look at argv, if options depend on a word. Returns an exit code. */
    int (*add_options)(session *s, option_list *list, int argc, char **argv);
    int (*run)(session *s, const arguments *a); /* returns an exit code */
    /* The words that the command knows, such as the models of `make`, one by one; 0 past the last. NULL: none. */
    int (*word)(size_t i, const char **name, const char **help);
    size_t output_word;                  /* the word, from 1, that names a file to write; 0: none does */
    void (*print_more_help)(session *s); /* NULL: nothing after the examples */
} command;

extern const command command_new, command_check, command_run, command_resume, command_stats, command_schema,
    command_reference;
extern const command command_make, command_info, command_validate, command_intersections, command_convert,
    command_subdivide, command_fill, command_render;
extern const command command_sweep, command_completion;
extern const command command_cloth, command_wrinkle, command_shell, command_sculpt, command_crease, command_flesh,
    command_trace, command_demo, command_help;

/* All of them, NULL-terminated, in the order of `ruga --help`. */
extern const command *const commands[];

const command *command_find(const char *name);
/* All options of a command: its groups, its further ones and the common ones. Returns an exit code. */
int command_list_options(session *s, const command *c, option_list *list, int argc, char **argv);
void command_print_help(session *s, const command *c, const option_list *list);
void print_general_help(void);
/* "no command 'rendr'; did you mean 'render'?" */
int command_unknown(session *s, const char *name);

#endif
