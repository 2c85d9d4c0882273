/* Selectors inside the library: a tree of choices. selector_parse.c makes and prints it, selector.c evaluates it. */
#ifndef MESH_SELECTOR_H
#define MESH_SELECTOR_H

#include "base/memory.h"
#include "ruga/selector.h"

typedef enum selector_kind {
    SELECT_OR, /* of its children, two or more; so is the next */
    SELECT_AND,
    SELECT_NOT, /* one child */
    SELECT_ALL,
    SELECT_NONE,
    SELECT_ATTRIBUTE, /* these seven have a pattern */
    SELECT_CHANNEL,   /* of the vertex colour; the pattern is the name of the channel */
    SELECT_JOINT,
    SELECT_MATERIAL,
    SELECT_GROUP,
    SELECT_OBJECT,
    SELECT_COLOUR, /* within `number` of a colour; the pattern is as it was written, without # */
    SELECT_BOX,
    SELECT_PIECE, /* these three by their numbers */
    SELECT_VERTICES,
    SELECT_FACES,
    SELECT_LARGEST_PIECE,
    SELECT_NEAREST_PIECE /* to the point `low` */
} selector_kind;

typedef enum selector_comparison {
    COMPARE_NONE, /* above a half */
    COMPARE_MORE,
    COMPARE_LESS,
    COMPARE_AT_LEAST,
    COMPARE_AT_MOST,
    COMPARE_EQUAL
} selector_comparison;

/* Numbers from `from` to `to`. */
typedef struct selector_span {
    uint32_t from, to;
} selector_span;

typedef struct selector_node {
    selector_kind kind;
    size_t column; /* in the text, from 1 */
    struct selector_node *first, *next;
    const char *pattern;
    int is_bare; /* a name without a kind */
    selector_comparison comparison;
    double number;
    double low[3], high[3]; /* m; infinite: no limit */
    double colour[3];       /* 0 to 1 */
    size_t span_count;
    const selector_span *spans;
} selector_node;

struct ruga_selector {
    arena memory;
    const char *text;
    selector_node *root;
};

#endif
