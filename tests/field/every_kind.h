/* A table with what the tables of scenes do not have: shorthands of every type, steps, whatever may be absent. */
#ifndef TESTS_EVERY_KIND_H
#define TESTS_EVERY_KIND_H

#include <stddef.h>

#include "ruga/field.h"

typedef struct ek_part {
    const char *name;
    double size;
} ek_part;
typedef struct ek_dot {
    double size;
} ek_dot;
typedef struct ek_word {
    const char *text;
    int n;
} ek_word;
typedef struct ek_arrow {
    ruga_vec3 to;
} ek_arrow;
typedef struct ek_switch {
    int on;
} ek_switch;
typedef struct ek_need {
    double must;
    ruga_param weight, perhaps;
} ek_need;
typedef struct ek_paint {
    uint32_t colours;
} ek_paint;
typedef struct ek_root {
    double step, any, unit;
    int count, colour;
    ruga_vec3 vector;
    ruga_list parts, extra, shapes, nested;
    ruga_variant shape, given;
    ek_need need;
    ek_paint paint;
} ek_root;

static const char *const ek_colours[] = {"red", "green", "blue", NULL};

#define EK_ROW(type, member, kind, ...) \
    { #member, RUGA_FIELD_##kind, offsetof(type, member), .help = "help", __VA_ARGS__ }
#define EK_SECTION(word, type, ...)                                                                           \
    static const ruga_section ek_##word##_section = {                                                         \
        #word, "Help.", sizeof(type), ek_##word##_fields, RUGA_FIELD_COUNT(ek_##word##_fields), __VA_ARGS__}; \
    static const ruga_section *const ek_##word##_list[] = {&ek_##word##_section, NULL}

static const ruga_field ek_part_fields[] = {EK_ROW(ek_part, name, TEXT, .preset = NULL),
                                            EK_ROW(ek_part, size, NUMBER, .preset = "1", .low = 0, .high = 9)};
EK_SECTION(part, ek_part, .shorthand = "name");
static const ruga_field ek_dot_fields[] = {EK_ROW(ek_dot, size, NUMBER, .preset = "1", .low = 0, .high = 9)};
EK_SECTION(dot, ek_dot, .shorthand = "size");
static const ruga_field ek_word_fields[] = {EK_ROW(ek_word, text, TEXT, .preset = NULL),
                                            EK_ROW(ek_word, n, WHOLE, .preset = "1")};
EK_SECTION(word, ek_word, .shorthand = "text");
static const ruga_field ek_arrow_fields[] = {EK_ROW(ek_arrow, to, VECTOR, .preset = "0,0,1")};
EK_SECTION(arrow, ek_arrow, .shorthand = "to");
static const ruga_field ek_switch_fields[] = {EK_ROW(ek_switch, on, FLAG, .preset = "false")};
EK_SECTION(switch, ek_switch, .shorthand = "on");
static const ruga_field ek_need_fields[] = {
    EK_ROW(ek_need, must, NUMBER, .preset = NULL, .unit = "m"),
    EK_ROW(ek_need, weight, PARAM, .preset = "1", .unit = "1", .low = 0, .high = 1),
    EK_ROW(ek_need, perhaps, PARAM, .preset = "null", .unit = "m", .low = 0, .high = 1)};
EK_SECTION(need, ek_need, .shorthand = "must");
static const ruga_field ek_paint_fields[] = {
    EK_ROW(ek_paint, colours, CHOICES, .preset = "red", .choices = ek_colours)};
EK_SECTION(paint, ek_paint, .shorthand = "colours");
static const ruga_section ek_nothing_section = {.name = "nothing", .help = "Help."};

static const ruga_section *const ek_shapes[] = {&ek_dot_section,    &ek_word_section,    &ek_arrow_section,
                                                &ek_switch_section, &ek_nothing_section, NULL};

static const ruga_field ek_root_fields[] = {
    EK_ROW(ek_root, step, NUMBER, .preset = "0.5", .low = 0, .high = 2, .step = 0.25, .unit = "s"),
    EK_ROW(ek_root, any, NUMBER, .preset = "null"),
    EK_ROW(ek_root, unit, UNIT, .preset = "null"),
    EK_ROW(ek_root, count, WHOLE, .preset = "0"),
    EK_ROW(ek_root, colour, CHOICE, .preset = "null", .choices = ek_colours),
    EK_ROW(ek_root, vector, VECTOR, .preset = "null"),
    EK_ROW(ek_root, parts, LIST, .preset = "", .sections = ek_part_list),
    EK_ROW(ek_root, extra, LIST, .preset = "null", .sections = ek_dot_list),
    EK_ROW(ek_root, nested, LIST, .preset = "", .sections = ek_need_list),
    EK_ROW(ek_root, shapes, VARIANTS, .preset = "", .sections = ek_shapes),
    EK_ROW(ek_root, shape, VARIANT, .preset = "null", .sections = ek_shapes),
    EK_ROW(ek_root, given, VARIANT, .preset = "dot", .sections = ek_shapes),
    EK_ROW(ek_root, need, SECTION, .preset = "", .sections = ek_need_list),
    EK_ROW(ek_root, paint, SECTION, .preset = "", .sections = ek_paint_list),
};
static const ruga_section ek_root_section = {.name = "root",
                                             .help = "Help.",
                                             .size = sizeof(ek_root),
                                             .fields = ek_root_fields,
                                             .field_count = RUGA_FIELD_COUNT(ek_root_fields)};

/* Objects of this table, each without what stands for the words before the colon if it is refused. */
typedef struct ek_case {
    const char *text;
    const char *mistake; /* "path: part of the message"; NULL: none */
} ek_case;

static const ek_case ek_cases[] = {
    {"{\"need\": 1}", NULL},
    {"{\"need\": {\"must\": 1, \"weight\": \"mask\"}}", NULL},
    {"{\"need\": {\"must\": 1, \"perhaps\": null}}", NULL},
    {"{\"need\": {\"must\": 1, \"weight\": null}}", "need.weight: expected a number, the name"},
    {"{}", "need.must: \"must\" is missing (help): give a number in m"},
    {"{\"need\": {}}", "need.must: \"must\" is missing"},
    {"{\"need\": \"1\"}", "need: expected an object in {}, or a number in m, such as 1, but found the text \"1\""},
    {"{\"need\": 1, \"step\": 1.25}", NULL},
    {"{\"need\": 1, \"step\": 0.3}", "step: found 0.3 s, but it must be a multiple of 0.25 s"},
    {"{\"need\": 1, \"step\": 3}", "step: found 3 s, but it must be within 0 and 2 s"},
    {"{\"need\": 1, \"any\": 1e300, \"count\": -2147483648}", NULL},
    {"{\"need\": 1, \"count\": 2147483648}", "count: this number is too large"},
    {"{\"need\": 1, \"any\": null, \"unit\": null, \"colour\": null, \"vector\": null, \"extra\": null, \"shape\": "
     "null}",
     NULL},
    {"{\"need\": 1, \"count\": null}", "count: expected a whole number, such as 0, but found null; remove the key"},
    {"{\"need\": 1, \"parts\": null}", "parts: expected a list of objects"},
    {"{\"need\": 1, \"given\": null}", "given: expected an object whose \"kind\" is"},
    {"{\"need\": 1, \"unit\": \"mm\", \"colour\": \"blue\", \"vector\": [1, 2, 3]}", NULL},
    {"{\"need\": 1, \"unit\": 1e10}", "unit: expected \"m\""},
    {"{\"need\": 1, \"unit\": true}", "unit: expected \"m\""},
    {"{\"need\": 1, \"vector\": [1, 2, null]}", "vector: expected three numbers, such as [0, 1, 0], but found null"},
    {"{\"need\": 1, \"parts\": [\"a\", {\"name\": \"b\", \"size\": 2}]}", NULL},
    {"{\"need\": 1, \"parts\": [7]}", "parts[0]: expected an object in {}, or a text"},
    {"{\"need\": 1, \"parts\": [{\"size\": 2}]}", "parts[0].name: \"name\" is missing"},
    {"{\"need\": 1, \"extra\": [1, 2, {\"size\": 3}, {}]}", NULL},
    {"{\"need\": 1, \"extra\": [10]}", "extra[0].size: found 10, but it must be within 0 and 9"},
    {"{\"need\": 1, \"nested\": [1, {\"must\": 2}]}", NULL},
    {"{\"need\": 1, \"nested\": [{\"weight\": 1}]}", "nested[0].must: \"must\" is missing"},
    {"{\"need\": 1, \"shapes\": [\"dot\", \"nothing\", 2, \"any text\", [1, 2, 3], true]}", NULL},
    {"{\"need\": 1, \"shapes\": [\"word\"]}", "shapes[0].text: \"text\" is missing"},
    {"{\"need\": 1, \"shapes\": [null]}", "shapes[0]: expected an object whose \"kind\" is \"dot\", \"word\""},
    {"{\"need\": 1, \"shapes\": [[1, 2]]}", "shapes[0].to: expected three numbers"},
    {"{\"need\": 1, \"shapes\": [10]}", "shapes[0].size: found 10"},
    {"{\"need\": 1, \"shape\": {\"size\": 2}, \"given\": {\"text\": \"a\"}}", NULL},
    {"{\"need\": 1, \"shape\": {\"size\": 2, \"text\": \"a\"}}", "shape: \"kind\" is missing; give \"dot\", \"word\""},
    {"{\"need\": 1, \"shape\": {}}", "shape: \"kind\" is missing"},
    {"{\"need\": 1, \"shape\": {\"kind\": \"word\", \"text\": \"a\", \"n\": 2}}", NULL},
    {"{\"need\": 1, \"shape\": {\"kind\": \"word\", \"n\": 2}}", "shape.text: \"text\" is missing"},
    {"{\"need\": 1, \"shape\": {\"kind\": \"dot\", \"text\": \"a\"}}", "shape.text: unknown key \"text\""},
    {"{\"need\": 1, \"shape\": {\"kind\": \"nothing\", \"size\": 1}}",
     "shape.size: unknown key \"size\"; none is known here"},
    {"{\"need\": 1, \"shape\": {\"kind\": null}}", "shape.kind: expected \"dot\""},
    {"{\"need\": 1, \"paint\": [\"blue\", \"red\"]}", NULL},
    {"{\"need\": 1, \"paint\": []}", NULL},
    {"{\"need\": 1, \"paint\": {\"colours\": [\"gren\"]}}",
     "paint.colours[0]: unknown choice \"gren\"; did you mean \"green\"?"},
    {"{\"need\": 1, \"paint\": [3]}", "paint.colours[0]: expected \"red\", \"green\" or \"blue\", but found 3"},
    {"{\"need\": {\"must\": 1, \"weight\": {\"keys\": [[0, 0.5], [1, {\"file\": \"a\"}]]}}}", NULL},
    {"{\"need\": {\"must\": 1, \"weight\": {\"group\": \"a\", \"from\": 0, \"to\": 1}}}", NULL},
    {"{\"need\": {\"must\": 1, \"weight\": {\"group\": \"a\", \"from\": \"0\", \"to\": 2}}}",
     "need.weight.from: expected a number"},
    {"{\"need\": {\"must\": 1, \"weight\": {\"file\": \"\"}}}", "need.weight.file: expected the path of a file"},
    {"{\"need\": {\"must\": 1, \"weight\": {\"group\": 7}}}",
     "need.weight.group: expected a text, such as \"collar\", but found 7"},
    {"{\"need\": {\"must\": 1, \"weight\": {}}}", "need.weight: expected a number, the name of a vertex attribute"},
    {"{\"need\": {\"must\": 1, \"weight\": null}}", "need.weight: expected a number"},
    {"{\"need\": {\"must\": 1, \"weight\": {\"keys\": 3}}}", "need.weight.keys: expected a list of pairs"},
    {"{\"need\": {\"must\": 1, \"weight\": {\"keys\": [3]}}}", "need.weight.keys[0]: expected a key as a pair"},
    {"{\"need\": {\"must\": 1, \"weight\": {\"keys\": [[0, 1]], \"from\": 0, \"to\": 1}}}",
     "need.weight: \"from\" and \"to\" belong to"},
};

#endif
