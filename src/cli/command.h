/* The commands. Each is one file command_<name>.c with its table of options, its words for --help and its work. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "session.h"

typedef struct command {
    const char *name;
    const char *summary;  /* one line for `ruga --help` */
    const char *usage;    /* "ruga convert IN OUT [options]" */
    const char *about;    /* a paragraph or two */
    const char *examples; /* lines, each indented by two */
    /* Adds its groups; may look at argv, where options depend on a word. Returns an exit code. */
    int (*add_options)(session *s, option_list *list, int argc, char **argv);
    int (*run)(session *s, const arguments *a); /* returns an exit code */
    /* NULL, or instead of command_print_help */
    void (*print_help)(const struct command *command, const option_list *list);
} command;

extern const command command_new, command_check, command_run, command_resume, command_stats, command_schema,
    command_reference;
extern const command command_make, command_info, command_validate, command_intersections, command_convert,
    command_subdivide, command_render;
extern const command command_cloth, command_wrinkle, command_sculpt, command_demo, command_help;

/* All of them, NULL-terminated, in the order of `ruga --help`. */
extern const command *const commands[];

const command *command_find(const char *name);
/* What `--help` prints. */
void command_print_help(const command *command, const option_list *list);
void command_show_help(const command *command, const option_list *list);
void print_general_help(void);
/* "no command 'rendr'; did you mean 'render'?" */
int command_unknown(session *s, const char *name);

#endif
