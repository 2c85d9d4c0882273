/* Options of the command line, described by tables.
 *
 * A table says everything about an option once: how it is written, what it takes, its unit, range and default, and what
 * it is for. The parser, the checks, the suggestions for misspelt names and `--help` all come from it, and a group of
 * options (files, pictures, …) is shared by the commands that need it.
 *
 * Options may stand anywhere: --name value, --name=value, -n value, -nvalue; `--` ends them. When one is repeated the
 * last counts, except where a command asks for all (option_text_at).
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "ruga/ruga.h"

typedef enum option_kind {
    OPTION_FLAG = 0, /* takes no value */
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_WHOLE,   /* a whole number */
    OPTION_CHOICE,  /* one of `choices` */
    OPTION_SWITCH,  /* the same, and the first of them when none follows: --settle, --settle false */
    OPTION_CHOICES, /* some of them, with commas between: obj,ply; or none */
    OPTION_LENGTH,  /* a unit of length: m, cm, mm, in, ft, or metres as a number */
    OPTION_VECTOR,  /* x,y,z */
    OPTION_SPAN,    /* a:b */
    OPTION_COLOUR   /* #rrggbb */
} option_kind;

typedef struct option {
    const char *name; /* without the dashes */
    char letter;      /* of the short form, 0: none */
    option_kind kind;
    const char *value;          /* what help calls the value: "FILE" */
    const char *unit;           /* "m", "degrees"; NULL: none */
    const char *preset;         /* the default as it would be typed; NULL: none */
    double low, high;           /* allowed range of numbers; equal: any finite number */
    const char *const *choices; /* NULL-terminated */
    const char *help;
} option;

typedef struct option_group {
    const char *heading; /* "Options" */
    const option *options;
    size_t count;
} option_group;

#define OPTION_COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { MAX_OPTION_GROUPS = 12, MAX_OPTIONS = 96, MAX_MESSAGE = 512 };

/* All options of one command. */
typedef struct option_list {
    size_t group_count;
    option_group groups[MAX_OPTION_GROUPS];
} option_list;

void option_list_add(option_list *list, const char *heading, const option *options, size_t count);
const option *option_list_find(const option_list *list, const char *name, size_t length);
const option *option_list_find_letter(const option_list *list, char letter);

/* What was typed: every occurrence of an option with its checked text, and the words that are no options. */
typedef struct argument {
    const option *option;
    const char *text; /* NULL for a flag */
} argument;

typedef struct arguments {
    const option_list *list;
    argument *given; /* (given_count) */
    size_t given_count;
    const char **words; /* (word_count) */
    size_t word_count;
    char message[MAX_MESSAGE]; /* what is wrong, when it is */
} arguments;

/* 0, or -1 with a message. Everything in argv is looked at; nothing is copied. arguments_release in either case. */
int arguments_parse(arguments *arguments, const option_list *list, int argc, char **argv);
void arguments_release(arguments *arguments);

/* How often an option was given. */
size_t option_given(const arguments *arguments, const char *name);
/* The value: the last one given, else the default. Only for options whose kind it is. */
const char *option_text(const arguments *arguments, const char *name); /* NULL: not given and no default */
const char *option_text_at(const arguments *arguments, const char *name, size_t occurrence);
double option_number(const arguments *arguments, const char *name);
int option_whole(const arguments *arguments, const char *name);
size_t option_choice(const arguments *arguments, const char *name); /* place in `choices` */
double option_length(const arguments *arguments, const char *name); /* metres per unit */
ruga_vec3 option_vector(const arguments *arguments, const char *name);
void option_span(const arguments *arguments, const char *name, double *low, double *high);
ruga_colour option_colour(const arguments *arguments, const char *name);
ruga_colour option_colour_at(const arguments *arguments, const char *name, size_t occurrence);

/* "; did you mean 'render'?" for the candidate nearest to a word, or "" when none is near. */
void suggest(char *text, size_t size, const char *word, const char *const *candidates, size_t count,
             const char *prefix);

/* The lines of --help for a group, to standard output. */
void option_group_print(const option_group *group);

#endif
