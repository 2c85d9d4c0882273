/* Ruga: fields. One table describes everything that a user can set.
 *
 *     section          fields of one thing: "time", "body: animated", "detail: displace"
 *       └─ field       name, kind, unit, default, range, help, and where it is stored in the section's C struct
 *
 * The tables give the parser of scenes with its checks and suggestions, the defaults of every def struct, the options
 * of the command, the reference (docs/scene.md) and the JSON Schema. A new tool adds rows.
 *
 * Values are in plain C structs, the def of a section. A value that a file can't have (a mesh in memory) has no row.
 */
#ifndef RUGA_FIELD_H
#define RUGA_FIELD_H

#include "ruga/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ruga_section;

/* Kinds of fields, with an example in JSON and the type in C. */
typedef enum ruga_field_kind {
    RUGA_FIELD_NUMBER = 0, /* 1.5                       double; absent: NaN */
    RUGA_FIELD_WHOLE,      /* 4                         int */
    RUGA_FIELD_FLAG,       /* true                      int */
    RUGA_FIELD_TEXT,       /* "shirt"                   const char *; absent: NULL */
    RUGA_FIELD_PATH,       /* "shirt.obj"               const char *, relative to the scene's file; absent: NULL */
    RUGA_FIELD_NAME,       /* "cotton"                  const char *, the name of an item of the list `names` */
    RUGA_FIELD_CHOICE,     /* "y"                       int, place in `choices` */
    RUGA_FIELD_CHOICES,    /* ["pc2", "obj"]            uint32_t, bit i for choice i */
    RUGA_FIELD_UNIT,       /* "cm" or 0.01              double, metres of one unit of length */
    RUGA_FIELD_VECTOR,     /* [0, -9.81, 0]             ruga_vec3; absent: NaN */
    RUGA_FIELD_PARAM,      /* 0.5, "mask", {…}          ruga_param: see docs/scene.md, Parameters; absent: NaN */
    RUGA_FIELD_SECTION,    /* {…}                       the struct of sections[0], in place */
    RUGA_FIELD_LIST,       /* [{…}, …]                  ruga_list of structs of sections[0] */
    RUGA_FIELD_VARIANT,    /* {"kind": "animated", …}   ruga_variant, one of `sections`; absent: all zero */
    RUGA_FIELD_VARIANTS    /* [{"kind": …}, …]          ruga_list of ruga_variant */
} ruga_field_kind;

typedef struct ruga_list {
    void *items; /* (count) structs side by side */
    size_t count;
} ruga_list;

/* One of several kinds of thing. */
typedef struct ruga_variant {
    const struct ruga_section *section; /* which; its name is the kind. NULL: absent */
    void *values;                       /* its struct */
} ruga_variant;

typedef struct ruga_field {
    const char *name; /* "start_frame"; as an option of the command --start-frame */
    ruga_field_kind kind;
    size_t offset;              /* of the value in the section's struct, bytes */
    const char *unit;           /* "m"; "1" for a pure number; NULL for other kinds */
    const char *preset;         /* as an option's value: 24, y, pc2,obj, 0,-9.81,0, false; "" for an empty list;
                            NULL: must be given; "null": may be absent. SECTION: "", or the bare value that it
                            stands for when it is absent */
    double low, high;           /* allowed, both inclusive; equal: any finite number */
    double step;                /* NUMBER: a multiple of it; 0: any */
    const char *const *choices; /* CHOICE, CHOICES: NULL-terminated */
    const struct ruga_section *const *sections; /* SECTION, LIST, VARIANT, VARIANTS: NULL-terminated */
    const char *names;                          /* NAME: "materials", "objects" */
    const char *help;                           /* one sentence, lower case, no full stop */
    char letter;                                /* short option, 0: none */
} ruga_field;

typedef struct ruga_section {
    const char *name;         /* of a kind: the value of its key "kind" */
    const char *help;         /* a sentence or two */
    size_t size;              /* of its struct, bytes */
    const ruga_field *fields; /* (field_count) */
    size_t field_count;
    const char *shorthand; /* the field whose value may replace the whole object; NULL: none */
    /* Keys of older scenes, each with its replacement, such as "hinges", "\"bending\": \"hinges\"", NULL; NULL: none */
    const char *const *former;
} ruga_section;

#define RUGA_FIELD_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* An error or a warning, with its place. */
typedef struct ruga_finding {
    ruga_status status;    /* an error, or RUGA_WARNING_INPUT */
    uint32_t line, column; /* from 1; 0: not in a text */
    const char *path;      /* "objects[0].mesh.file" */
    const char *message;   /* what was found, what was expected, what to do; without file, line and column */
} ruga_finding;

/* Fills a section's struct with the defaults. Fields without a default and absent ones become NaN, NULL or zero by
 * their kind; lists are empty; a VARIANT gets the section of its default kind, with `values` NULL. */
RUGA_API void ruga_section_defaults(const ruga_section *section, void *values);

/* The field of that name; NULL: none. */
RUGA_API const ruga_field *ruga_section_field(const ruga_section *section, const char *name);
/* The alternative of that name of a VARIANT or VARIANTS field; NULL: none. */
RUGA_API const ruga_section *ruga_field_section(const ruga_field *field, const char *kind);

#ifdef __cplusplus
}
#endif
#endif
