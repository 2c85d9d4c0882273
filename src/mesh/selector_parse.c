/* Selectors from text, by recursive descent, and back. Parentheses and negations nest to a fixed depth, so that no text
 * exhausts the stack. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "mesh/selector.h"
#include "ruga/text.h"

enum { MOST_NESTED = 64 };
#define COLOUR_TOLERANCE 0.1 /* of a colour without one, in every channel */

static const char *const comparisons[] = {[COMPARE_NONE] = "",       [COMPARE_MORE] = ">",     [COMPARE_LESS] = "<",
                                          [COMPARE_AT_LEAST] = ">=", [COMPARE_AT_MOST] = "<=", [COMPARE_EQUAL] = "="};

/* The words before a colon. The first of several words for one kind is the one that is printed. */
typedef struct kind_word {
    const char *word;
    selector_kind kind;
} kind_word;
static const kind_word kind_words[] = {
    {"attribute", SELECT_ATTRIBUTE}, {"colour", SELECT_CHANNEL},    {"color", SELECT_CHANNEL},
    {"joint", SELECT_JOINT},         {"material", SELECT_MATERIAL}, {"group", SELECT_GROUP},
    {"object", SELECT_OBJECT},       {"box", SELECT_BOX},           {"piece", SELECT_PIECE},
    {"vertices", SELECT_VERTICES},   {"vertex", SELECT_VERTICES},   {"faces", SELECT_FACES},
    {"face", SELECT_FACES},
};
enum { KIND_WORDS = sizeof kind_words / sizeof *kind_words };

typedef struct parser {
    ruga_context *context;
    arena *memory;
    const char *text, *end, *at;
    int depth;
} parser;

/* ---- Helpers. */

static ruga_status fail_at(const parser *p, const char *place, const char *what) {
    return fail_input(p->context, "selector \"%.200s\", column %zu: %s", p->text, (size_t)(place - p->text) + 1, what);
}

static void skip_blanks(parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

/* Takes a character if it is the next one. */
static int take(parser *p, char c) {
    if (*p->at != c) return 0;
    p->at++;
    return 1;
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static ruga_status new_node(parser *p, selector_kind kind, const char *place, selector_node **out) {
    TRY(ARENA_NEW(p->memory, out, 1));
    **out = (selector_node){.kind = kind, .column = (size_t)(place - p->text) + 1};
    return RUGA_OK;
}

static ruga_status take_number(parser *p, double *out) {
    const char *after = number_parse(p->at, p->end, out);
    if (after == p->at || !isfinite(*out)) return fail_at(p, p->at, "a number is missing here, such as 0.5");
    p->at = after;
    return RUGA_OK;
}

/* ---- Names and patterns. */

static int ends_name(char c) { return !c || strchr(" \t\r\n!&|,()<>=~\"'", c) != NULL; }

/* The end of a name without quotes. A class such as [!a] is part of it. */
static const char *name_end(const char *at) {
    while (!ends_name(*at)) {
        const char *close = *at == '[' ? strchr(at, ']') : NULL;
        if (close)
            at = close + 1;
        else
            at += *at == '\\' && at[1] ? 2 : 1;
    }
    return at;
}

/* Patterns are kept as they stand within double quotes, where each can be written. */
static ruga_status copy_pattern(parser *p, const char *from, const char *end, int in_single_quotes, const char **out) {
    char *to;
    TRY(ARENA_NEW(p->memory, &to, 2 * (size_t)(end - from) + 1));
    *out = to;
    while (from < end) {
        int is_escape = *from == '\\' && from + 1 < end;
        if (is_escape && in_single_quotes && from[1] == '\'')
            from++; /* it needs a backslash in single quotes alone */
        else if (is_escape)
            *to++ = *from++;
        else if (*from == '"' || *from == '\\')
            *to++ = '\\';
        *to++ = *from++;
    }
    *to = 0;
    return RUGA_OK;
}

static ruga_status take_pattern(parser *p, const char **out) {
    const char *begin = p->at, *end;
    int is_quoted = *begin == '"' || *begin == '\'';
    if (!is_quoted) {
        p->at = end = name_end(begin);
    } else {
        for (end = begin + 1; *end && *end != *begin;) end += *end == '\\' && end[1] ? 2 : 1;
        if (!*end) return fail_at(p, begin, "the quote that begins here has no end");
        p->at = end + 1;
    }
    if (end == begin + is_quoted)
        return fail_at(p, begin, "a name is missing here; write it in quotes if it has blanks or other signs");
    return copy_pattern(p, begin + is_quoted, end, *begin == '\'', out);
}

/* ">0.5" and the like, if there is one. */
static ruga_status take_comparison(parser *p, selector_node *node) {
    const char *before = p->at;
    skip_blanks(p);
    if (take(p, '>')) {
        node->comparison = take(p, '=') ? COMPARE_AT_LEAST : COMPARE_MORE;
    } else if (take(p, '<')) {
        node->comparison = take(p, '=') ? COMPARE_AT_MOST : COMPARE_LESS;
    } else if (take(p, '=')) {
        node->comparison = COMPARE_EQUAL;
    } else {
        p->at = before;
        return RUGA_OK;
    }
    skip_blanks(p);
    return take_number(p, &node->number);
}

/* ---- Kinds with a syntax of their own. */

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* #rrggbb or #rgb, and ~tolerance. */
static ruga_status parse_hex_colour(parser *p, selector_node *node) {
    const char *begin = p->at, *digits = ++p->at;
    while (hex_value(*p->at) >= 0) p->at++;
    size_t count = (size_t)(p->at - digits);
    if (count != 3 && count != 6) return fail_at(p, begin, "a colour has three or six digits, such as #ff8000");
    for (size_t i = 0; i < 3; i++)
        node->colour[i] = count == 3 ? hex_value(digits[i]) * 17 / 255.0
                                     : (hex_value(digits[2 * i]) * 16 + hex_value(digits[2 * i + 1])) / 255.0;
    node->kind = SELECT_COLOUR;
    node->number = COLOUR_TOLERANCE;
    if (take(p, '~')) TRY(take_number(p, &node->number));
    if (node->number < 0) return fail_at(p, begin, "the tolerance of a colour is 0 or more");
    return ARENA_TEXT_OF(p->memory, &node->pattern, digits, count);
}

/* A channel by its name or first letter. */
static ruga_status parse_colour(parser *p, selector_node *node) {
    static const char *const channels[] = {"red", "green", "blue", "alpha"};
    const char *begin = p->at;
    if (*p->at == '#') return parse_hex_colour(p, node);
    while (is_letter(*p->at)) p->at++;
    size_t length = (size_t)(p->at - begin);
    for (size_t i = 0; i < 4; i++)
        if (length > 0 && strncmp(begin, channels[i], length) == 0 && (length == 1 || !channels[i][length])) {
            node->pattern = channels[i];
            return take_comparison(p, node);
        }
    return fail_at(p, begin, "a colour is red, green, blue or alpha with a comparison, or #rrggbb with ~tolerance");
}

/* Six numbers; a dash or nothing is no limit on that side. */
static ruga_status parse_box(parser *p, selector_node *node) {
    const char *begin = p->at;
    for (int i = 0; i < 6; i++) {
        double *side = i < 3 ? &node->low[i] : &node->high[i - 3];
        *side = i < 3 ? -INFINITY : INFINITY;
        if (i > 0 && !take(p, ','))
            return fail_at(p, p->at,
                           "a box has six values, least x, y, z and greatest x, y, z; - is no limit: box:0,-,0,1,-,1");
        if (p->at[0] == '-' && ends_name(p->at[1]))
            p->at++;
        else if (!ends_name(*p->at))
            TRY(take_number(p, side));
    }
    for (int i = 0; i < 3; i++)
        if (node->low[i] > node->high[i])
            return fail_at(p, begin,
                           "the box is empty: a least value is above the greatest one; the order is least x, y, z, "
                           "then greatest x, y, z: box:x,y,z,x,y,z");
    return RUGA_OK;
}

static ruga_status take_whole(parser *p, uint32_t *out) {
    int64_t value = 0;
    const char *begin = p->at, *after = number_is_digit(*begin) ? number_parse_whole(begin, p->end, &value) : begin;
    if (after == begin || value >= UINT32_MAX)
        return fail_at(p, begin, "a number from 0 on is missing here, or a span of them, such as 0-20,441");
    p->at = after;
    *out = (uint32_t)value;
    return RUGA_OK;
}

/* Numbers and spans: "0-20,441". A comma belongs to the list if a digit follows. */
static ruga_status parse_spans(parser *p, selector_node *node) {
    size_t room = 1;
    for (const char *c = p->at; *c; c++) room += *c == ',';
    selector_span *spans;
    TRY(ARENA_NEW(p->memory, &spans, room));
    node->spans = spans;
    for (;;) {
        const char *begin = p->at;
        selector_span *span = &spans[node->span_count++];
        TRY(take_whole(p, &span->from));
        span->to = span->from;
        if (take(p, '-')) TRY(take_whole(p, &span->to));
        if (span->to < span->from) return fail_at(p, begin, "a span of numbers has to rise, such as 0-20");
        const char *comma = p->at;
        if (!take(p, ',')) return RUGA_OK;
        skip_blanks(p);
        if (number_is_digit(*p->at)) continue;
        p->at = comma;
        return RUGA_OK;
    }
}

static ruga_status parse_piece(parser *p, selector_node *node) {
    static const char largest[] = "largest";
    if (take(p, '@')) {
        node->kind = SELECT_NEAREST_PIECE;
        for (int i = 0; i < 3; i++) {
            if (i > 0 && !take(p, ',')) return fail_at(p, p->at, "a point has three numbers: piece:@0,1.5,0.1");
            TRY(take_number(p, &node->low[i]));
        }
        return RUGA_OK;
    }
    if (strncmp(p->at, largest, sizeof largest - 1) == 0 && ends_name(p->at[sizeof largest - 1])) {
        node->kind = SELECT_LARGEST_PIECE;
        p->at += sizeof largest - 1;
        return RUGA_OK;
    }
    if (number_is_digit(*p->at)) return parse_spans(p, node);
    return fail_at(p, p->at,
                   "a piece is a number from 0 on, \"largest\", or the one nearest to a point: piece:@0,1.5,0.1");
}

/* ---- Factors. */

static ruga_status fail_kind(const parser *p, const char *begin, size_t length) {
    const char *words[KIND_WORDS];
    char word[64], what[256];
    for (size_t i = 0; i < KIND_WORDS; i++) words[i] = kind_words[i].word;
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), begin);
    const char *nearest = ruga_nearest_word(word, words, KIND_WORDS);
    snprintf(what, sizeof what,
             "unknown kind \"%s\"%s%s%s; kinds are attribute, colour, joint, material, group, object, box, piece, "
             "vertices and faces; write a name that has a colon in quotes",
             word, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    return fail_at(p, begin, what);
}

/* After the colon. */
static ruga_status parse_kind(parser *p, selector_kind kind, const char *begin, selector_node **out) {
    TRY(new_node(p, kind, begin, out));
    selector_node *node = *out;
    switch (kind) {
        case SELECT_CHANNEL: return parse_colour(p, node);
        case SELECT_BOX: return parse_box(p, node);
        case SELECT_PIECE: return parse_piece(p, node);
        case SELECT_VERTICES:
        case SELECT_FACES: return parse_spans(p, node);
        default: break;
    }
    TRY(take_pattern(p, &node->pattern));
    int is_number = kind == SELECT_ATTRIBUTE || kind == SELECT_JOINT;
    return is_number ? take_comparison(p, node) : RUGA_OK;
}

/* A word with a kind, or a name alone. */
static ruga_status parse_choice(parser *p, selector_node **out) {
    const char *begin = p->at;
    while (is_letter(*p->at)) p->at++;
    size_t length = (size_t)(p->at - begin);
    if (length > 0 && take(p, ':')) {
        for (size_t i = 0; i < KIND_WORDS; i++)
            if (strlen(kind_words[i].word) == length && memcmp(kind_words[i].word, begin, length) == 0)
                return parse_kind(p, kind_words[i].kind, begin, out);
        return fail_kind(p, begin, length);
    }
    int is_end = ends_name(*p->at), is_all = is_end && length == 3 && memcmp(begin, "all", 3) == 0;
    if (is_all || (is_end && length == 4 && memcmp(begin, "none", 4) == 0))
        return new_node(p, is_all ? SELECT_ALL : SELECT_NONE, begin, out);
    p->at = begin;
    TRY(new_node(p, SELECT_ATTRIBUTE, begin, out));
    (*out)->is_bare = 1;
    TRY(take_pattern(p, &(*out)->pattern));
    return take_comparison(p, *out);
}

static ruga_status parse_or(parser *p, selector_node **out);

static ruga_status parse_factor(parser *p, selector_node **out) {
    skip_blanks(p);
    const char *begin = p->at;
    int is_not = take(p, '!');
    if (!is_not && !take(p, '(')) return parse_choice(p, out);
    if (++p->depth > MOST_NESTED) return fail_at(p, begin, "parentheses and negations nest too deeply, beyond 64");
    if (is_not) {
        TRY(new_node(p, SELECT_NOT, begin, out));
        TRY(parse_factor(p, &(*out)->first));
    } else {
        TRY(parse_or(p, out));
        skip_blanks(p);
        if (!take(p, ')')) return fail_at(p, begin, "the parenthesis that begins here has no end");
    }
    p->depth--;
    return RUGA_OK;
}

/* Factors with one of two signs between them; a single one is itself. */
static ruga_status parse_chain(parser *p, selector_kind kind, const char *signs,
                               ruga_status (*parse)(parser *, selector_node **), selector_node **out) {
    selector_node *first, *last;
    TRY(parse(p, &first));
    *out = last = first;
    for (;;) {
        skip_blanks(p);
        if (!*p->at || !strchr(signs, *p->at)) return RUGA_OK;
        if (*out == first) {
            TRY(new_node(p, kind, p->at, out));
            (*out)->first = first;
        }
        p->at++;
        TRY(parse(p, &last->next));
        last = last->next;
    }
}

static ruga_status parse_and(parser *p, selector_node **out) {
    return parse_chain(p, SELECT_AND, "&", parse_factor, out);
}

static ruga_status parse_or(parser *p, selector_node **out) { return parse_chain(p, SELECT_OR, "|,", parse_and, out); }

static ruga_status parse_all(ruga_selector *s) {
    parser p = {.context = s->memory.context, .memory = &s->memory, .text = s->text, .at = s->text};
    p.end = p.text + strlen(p.text);
    skip_blanks(&p);
    if (!*p.at) return fail_at(&p, p.at, "the selector is empty; \"all\" selects the whole mesh");
    TRY(parse_or(&p, &s->root));
    skip_blanks(&p);
    return *p.at ? fail_at(&p, p.at, "expected &, | or the end here") : RUGA_OK;
}

ruga_status ruga_selector_parse(ruga_context *context, const char *text, ruga_selector **out) {
    if (!context) return RUGA_ERROR_ARGUMENT;
    if (!text || !out) return fail_argument(context, "ruga_selector_parse needs a text and an output");
    ruga_selector *s;
    TRY(NEW_ZEROED(context, &s, 1));
    s->memory = arena_make(context);
    ruga_status status = ARENA_TEXT(&s->memory, &s->text, text);
    if (!RUGA_FAILED(status)) status = parse_all(s);
    RETURN_MADE(status, s, out, ruga_selector_destroy(s));
}

void ruga_selector_destroy(ruga_selector *selector) {
    if (!selector) return;
    ruga_context *context = selector->memory.context;
    arena_release(&selector->memory);
    memory_release(context, selector);
}

int ruga_text_is_selector(const char *text) {
    return text[strcspn(text, ":!&|()<>=")] != 0 || strcmp(text, "all") == 0 || strcmp(text, "none") == 0;
}

/* ---- Printing. */

typedef struct printer {
    ruga_context *context;
    ARRAY(char) text;
    ruga_status status;
} printer;

static void put(printer *p, const char *text) {
    size_t length = strlen(text);
    if (!RUGA_FAILED(p->status)) p->status = ARRAY_RESERVE(p->context, &p->text, length + 1);
    if (RUGA_FAILED(p->status)) return;
    memcpy(p->text.items + p->text.count, text, length + 1);
    p->text.count += length;
}

static void put_number(printer *p, double number) {
    char text[NUMBER_CAPACITY];
    number_print(number, text);
    put(p, isinf(number) ? "-" : text);
}

static void put_numbers(printer *p, const double *numbers, int count) {
    for (int i = 0; i < count; i++) {
        if (i > 0) put(p, ",");
        put_number(p, numbers[i]);
    }
}

static void put_spans(printer *p, const selector_node *node) {
    for (size_t i = 0; i < node->span_count; i++) {
        char text[2 * NUMBER_CAPACITY];
        selector_span span = node->spans[i];
        size_t used = number_print_whole(span.from, text);
        if (span.to != span.from) {
            text[used++] = '-';
            number_print_whole(span.to, text + used);
        }
        if (i > 0) put(p, ",");
        put(p, text);
    }
}

static int is_plain(const char *pattern) {
    for (const char *c = pattern; *c; c++)
        if (!is_letter(*c) && !number_is_digit(*c) && !strchr("_.*?:-", *c) && (unsigned char)*c < 0x80) return 0;
    return 1;
}

static void put_pattern(printer *p, const selector_node *node) {
    int quotes = !is_plain(node->pattern);
    if (quotes) put(p, "\"");
    put(p, node->pattern);
    if (quotes) put(p, "\"");
    put(p, comparisons[node->comparison]);
    if (node->comparison != COMPARE_NONE) put_number(p, node->number);
}

static void put_choice(printer *p, const selector_node *node) {
    selector_kind kind = node->kind;
    if (kind == SELECT_ALL || kind == SELECT_NONE) {
        put(p, kind == SELECT_ALL ? "all" : "none");
        return;
    }
    if (kind == SELECT_COLOUR) kind = SELECT_CHANNEL;
    if (kind == SELECT_LARGEST_PIECE || kind == SELECT_NEAREST_PIECE) kind = SELECT_PIECE;
    size_t word = 0;
    while (kind_words[word].kind != kind) word++;
    put(p, kind_words[word].word);
    put(p, ":");
    switch (node->kind) {
        case SELECT_COLOUR:
            put(p, "#");
            put(p, node->pattern);
            put(p, "~");
            put_number(p, node->number);
            break;
        case SELECT_BOX:
            put_numbers(p, node->low, 3);
            put(p, ",");
            put_numbers(p, node->high, 3);
            break;
        case SELECT_NEAREST_PIECE:
            put(p, "@");
            put_numbers(p, node->low, 3);
            break;
        case SELECT_LARGEST_PIECE: put(p, "largest"); break;
        case SELECT_PIECE:
        case SELECT_VERTICES:
        case SELECT_FACES: put_spans(p, node); break;
        default: put_pattern(p, node); break;
    }
}

/* The kinds are in the order of their binding: a child that binds no tighter than its parent is in parentheses. */
static void put_node(printer *p, const selector_node *node) {
    if (node->kind > SELECT_NOT) {
        put_choice(p, node);
        return;
    }
    if (node->kind == SELECT_NOT) put(p, "!");
    for (const selector_node *child = node->first; child; child = child->next) {
        int in_parentheses = child->kind < SELECT_NOT && child->kind <= node->kind;
        if (child != node->first) put(p, node->kind == SELECT_OR ? " | " : " & ");
        if (in_parentheses) put(p, "(");
        put_node(p, child);
        if (in_parentheses) put(p, ")");
    }
}

ruga_status ruga_selector_print(const ruga_selector *selector, char **text) {
    if (!selector || !text) return RUGA_ERROR_ARGUMENT;
    printer p = {.context = selector->memory.context};
    put_node(&p, selector->root);
    if (RUGA_FAILED(p.status))
        memory_release(p.context, p.text.items);
    else
        *text = p.text.items;
    return p.status;
}
