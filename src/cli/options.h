/* Options of the command line, described by tables.
 *
 * A table describes each option once: its name, kind of value, unit, range, default and help. The parser, the
 * checks, the suggestions for misspelt names and `--help` use it, and several commands share a table (files,
 * pictures, …).
 *
 * Options may stand anywhere: --name value, --name=value, -n value, -nvalue; `--` ends them. If an option is
 * repeated, the last one counts, unless a command reads all of them (option_text_at).
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

/* Of an option that names an output: a cache, which has no faces, gets the mesh as OBJ beside it. */
enum { OUTPUT_WITH_MESH = 2 };

typedef struct option {
    const char *name; /* without the dashes */
    char letter;      /* of the short form, 0: none */
    option_kind kind;
    const char *value;          /* name of the value in --help: "FILE" */
    const char *unit;           /* "m", "degrees"; NULL: none */
    const char *preset;         /* the default as one would type it; NULL: none */
    double low, high;           /* allowed range of numbers; equal: any finite number */
    const char *const *choices; /* NULL-terminated */
    int is_output;              /* names a file or a folder to write, which is tried before the work: 1, OUTPUT_… */
    const char *help;
} option;

/* Rows of tables. letter, low and high 0, or a text NULL: none. */
#define FLAG_ROW(name_, letter_, help_) \
    { .name = name_, .letter = letter_, .kind = OPTION_FLAG, .help = help_ }
#define TEXT_ROW(name_, value_, help_) \
    { .name = name_, .kind = OPTION_TEXT, .value = value_, .help = help_ }
#define WRITTEN_ROW(name_, value_, help_) \
    { .name = name_, .kind = OPTION_TEXT, .value = value_, .is_output = 1, .help = help_ }
#define SPAN_ROW(name_, value_, help_) \
    { .name = name_, .kind = OPTION_SPAN, .value = value_, .help = help_ }
#define COLOUR_ROW(name_, preset_, help_) \
    { .name = name_, .kind = OPTION_COLOUR, .value = "#RRGGBB", .preset = preset_, .help = help_ }
#define VECTOR_ROW(name_, unit_, preset_, help_) \
    { .name = name_, .kind = OPTION_VECTOR, .value = "X,Y,Z", .unit = unit_, .preset = preset_, .help = help_ }
#define CHOICE_ROW(name_, value_, preset_, choices_, help_) \
    { .name = name_, .kind = OPTION_CHOICE, .value = value_, .preset = preset_, .choices = choices_, .help = help_ }
#define LIMITED_ROW(name_, kind_, value_, unit_, preset_, low_, high_, help_)                                        \
    {                                                                                                                \
        .name = name_, .kind = kind_, .value = value_, .unit = unit_, .preset = preset_, .low = low_, .high = high_, \
        .help = help_                                                                                                \
    }
#define NUMBER_ROW(name_, value_, unit_, preset_, low_, high_, help_) \
    LIMITED_ROW(name_, OPTION_NUMBER, value_, unit_, preset_, low_, high_, help_)
#define WHOLE_ROW(name_, value_, unit_, preset_, low_, high_, help_) \
    LIMITED_ROW(name_, OPTION_WHOLE, value_, unit_, preset_, low_, high_, help_)

typedef struct option_group {
    const char *heading; /* "Options" */
    const option *options;
    size_t count;
} option_group;

#define OPTION_COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define OPTION_GROUP(heading_, table_) \
    { heading_, table_, OPTION_COUNT(table_) }

enum { MAX_OPTION_GROUPS = 12, MAX_OPTIONS = 96, MAX_MESSAGE = 512 };

/* All options of one command. */
typedef struct option_list {
    size_t group_count;
    option_group groups[MAX_OPTION_GROUPS];
} option_list;

void option_list_add(option_list *list, const char *heading, const option *options, size_t count);
const option *option_list_find(const option_list *list, const char *name, size_t length);
const option *option_list_find_letter(const option_list *list, char letter);

/* The command line: every occurrence of an option with its checked text, and the words that are no options. */
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
    size_t output_word;        /* the word, from 1, that names a file to write; 0: none */
    char message[MAX_MESSAGE]; /* of an error */
} arguments;

/* 0, or -1 with a message. Texts are not copied. Release the arguments in either case. */
int arguments_parse(arguments *arguments, const option_list *list, int argc, char **argv);
void arguments_release(arguments *arguments);

/* Whether the command has an option. */
int option_exists(const arguments *arguments, const char *name);
/* How often it was given. */
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

/* "the width (m, 0.001 to 100, default 1)": the help with unit, range or choices, and default. */
void option_describe(const option *o, char *text, size_t size);
/* Prints the lines of --help for a group; and a text whose lines are wrapped, except those that begin with a space. */
void option_group_print(const option_group *group);
void print_paragraphs(const char *text);

#endif
