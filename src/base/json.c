/* A JSON reader after RFC 8259, strict, with comments if asked for.
 *
 * One pass. Values that are being read lie on a stack; when an array or object ends, its items move side by side into
 * the document's memory. Text takes no more room unescaped than it has in the source, so one piece holds it all.
 */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

#define FEW_KEYS 12 /* up to so many are compared one by one */

struct json_document {
    ruga_context *context;
    arena items;
    char *text; /* of all strings */
    char *name;
    json_value root;
};

typedef struct parser {
    ruga_context *context;
    json_document *document;
    const char *at, *end, *line_begin;
    uint32_t line;
    unsigned flags;
    int depth;
    char *text; /* where the next string goes */
    ARRAY(json_value) stack;
    ARRAY(uint32_t) slots; /* of the hash table that finds duplicate keys */
} parser;

static ruga_status parse_value(parser *p, json_value *value);

/* ---- Messages. */

static uint32_t column_of(const parser *p, const char *at) { return (uint32_t)(at - p->line_begin) + 1; }

static ruga_status fail_here(parser *p, const char *at, const char *what) {
    return fail_input(p->context, "%s:%u:%u: %s", p->document->name, p->line, column_of(p, at), what);
}

/* "…, but found ']'", or the end, or a byte that can't be shown. */
static ruga_status fail_found(parser *p, const char *expected) {
    const char *name = p->document->name;
    uint32_t column = column_of(p, p->at);
    if (p->at >= p->end)
        return fail_input(p->context, "%s:%u:%u: expected %s, but the text ends", name, p->line, column, expected);
    unsigned char found = (unsigned char)*p->at;
    if (found == '/' && !(p->flags & JSON_COMMENTS) && p->end - p->at > 1 && (p->at[1] == '/' || p->at[1] == '*'))
        return fail_here(p, p->at, "comments are not allowed in this file");
    if (found < 0x20 || found >= 0x7f)
        return fail_input(p->context, "%s:%u:%u: expected %s, but found the byte 0x%02x", name, p->line, column,
                          expected, found);
    return fail_input(p->context, "%s:%u:%u: expected %s, but found '%c'", name, p->line, column, expected, found);
}

/* ---- White space and comments. */

static void begin_line(parser *p, const char *line_begin) {
    p->line++;
    p->line_begin = line_begin;
}

static ruga_status skip_comment(parser *p) {
    if (p->at[1] == '/') {
        const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
        p->at = newline ? newline : p->end;
        return RUGA_OK;
    }
    const char *begin = p->at, *line_begin = p->line_begin;
    uint32_t line = p->line;
    for (p->at += 2; p->end - p->at >= 2; p->at++) {
        if (p->at[0] == '*' && p->at[1] == '/') {
            p->at += 2;
            return RUGA_OK;
        }
        if (*p->at == '\n') begin_line(p, p->at + 1);
    }
    p->line = line;
    p->line_begin = line_begin;
    return fail_here(p, begin, "this comment has no end; close it with */");
}

static ruga_status skip_space(parser *p) {
    for (; p->at < p->end; p->at++) {
        char c = *p->at;
        if (c == '\n') {
            begin_line(p, p->at + 1);
        } else if (c == '/' && (p->flags & JSON_COMMENTS) && p->end - p->at >= 2 &&
                   (p->at[1] == '/' || p->at[1] == '*')) {
            TRY(skip_comment(p));
            p->at--;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return RUGA_OK;
        }
    }
    return RUGA_OK;
}

/* ---- Strings. */

static char *put_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* \uXXXX at `at`; UINT32_MAX if it is not there whole. */
static uint32_t hex_escape(const char *at, const char *end) {
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return UINT32_MAX;
    uint32_t value = 0;
    for (int i = 2; i < 6; i++) {
        char c = at[i], lower = (char)(c | 0x20);
        uint32_t digit;
        if (number_is_digit(c))
            digit = (uint32_t)(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            digit = (uint32_t)(lower - 'a') + 10;
        else
            return UINT32_MAX;
        value = value << 4 | digit;
    }
    return value;
}

static ruga_status parse_hex_escape(parser *p, char **out) {
    uint32_t c = hex_escape(p->at, p->end);
    if (c == UINT32_MAX) return fail_here(p, p->at, "\\u needs four hexadecimal digits");
    const char *begin = p->at;
    p->at += 6;
    if (c >= 0xd800 && c < 0xe000) {
        uint32_t second = c < 0xdc00 ? hex_escape(p->at, p->end) : UINT32_MAX;
        if (second < 0xdc00 || second >= 0xe000) return fail_here(p, begin, "half of a surrogate pair stands alone");
        p->at += 6;
        c = 0x10000 + ((c - 0xd800) << 10) + (second - 0xdc00);
    }
    *out = put_utf8(*out, c);
    return RUGA_OK;
}

static ruga_status parse_escape(parser *p, char **out) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = p->end - p->at >= 2 ? p->at[1] : 0;
    if (c == 'u') return parse_hex_escape(p, out);
    const char *found = c ? strchr(names, c) : NULL;
    if (!found) return fail_here(p, p->at, "unknown escape; after \\ comes one of \" \\ / b f n r t u");
    *(*out)++ = values[found - names];
    p->at += 2;
    return RUGA_OK;
}

/* Copies plain ASCII up to what needs a look: the end, an escape, a control or a byte above. Eight at a time. */
static void copy_plain(parser *p, char **out) {
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    while (p->end - p->at >= 8) {
        uint64_t eight;
        memcpy(&eight, p->at, 8);
        uint64_t quote = eight ^ ones * '"', slash = eight ^ ones * '\\';
        uint64_t special = (quote - ones) | (slash - ones) | (eight - ones * 0x20) | eight;
        if (special & high) break;
        memcpy(*out, &eight, 8);
        p->at += 8;
        *out += 8;
    }
    while (p->at < p->end && *p->at >= 0x20 && *p->at < 0x7f && *p->at != '"' && *p->at != '\\') *(*out)++ = *p->at++;
}

/* A string, from its quote on; *text is zero-terminated. */
static ruga_status parse_string(parser *p, const char **text, size_t *length) {
    const char *begin = p->at++;
    char *out = p->text;
    for (;;) {
        copy_plain(p, &out);
        if (p->at >= p->end) return fail_here(p, begin, "this string has no end; close it with \"");
        unsigned char c = (unsigned char)*p->at;
        if (c == '"') break;
        if (c == '\\') {
            TRY(parse_escape(p, &out));
            continue;
        }
        if (c == '\n') return fail_here(p, begin, "this string does not end on its line; close it with \"");
        if (c < 0x20) return fail_here(p, p->at, "a control character stands in a string; write it as \\u00XX");
        size_t bytes = utf8_length((const unsigned char *)p->at, (size_t)(p->end - p->at));
        if (bytes == 0) return fail_here(p, p->at, "this is not UTF-8; save the file as UTF-8");
        memcpy(out, p->at, bytes);
        out += bytes;
        p->at += bytes;
    }
    p->at++;
    *out = 0;
    *text = p->text;
    *length = (size_t)(out - p->text);
    p->text = out + 1;
    return RUGA_OK;
}

/* ---- Numbers and words. */

static ruga_status parse_number(parser *p, json_value *value) {
    const char *begin = p->at, *digits = begin + (*begin == '-');
    p->at = digits;
    if (digits >= p->end || !number_is_digit(*digits)) return fail_found(p, "a digit after the minus sign");
    if (p->end - digits >= 2 && digits[0] == '0' && number_is_digit(digits[1]))
        return fail_here(p, begin, "a number can't start with a zero before other digits");
    const char *end = number_parse(begin, p->end, &value->number);
    const char *point = memchr(digits, '.', (size_t)(end - digits));
    if (point && (point + 1 >= end || !number_is_digit(point[1]))) {
        p->at = point + 1;
        return fail_found(p, "a digit after the point");
    }
    if (end < p->end && (*end | 0x20) == 'e') return fail_here(p, begin, "the exponent of this number has no digits");
    if (!isfinite(value->number)) return fail_here(p, begin, "this number is too large; doubles end near 1.8e308");
    value->type = JSON_NUMBER;
    p->at = end;
    return RUGA_OK;
}

static int take_word(parser *p, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return 0;
    p->at += length;
    return 1;
}

static ruga_status parse_word(parser *p, json_value *value) {
    if (take_word(p, "true")) {
        value->type = JSON_BOOLEAN;
        value->number = 1;
    } else if (take_word(p, "false")) {
        value->type = JSON_BOOLEAN;
    } else if (!take_word(p, "null")) {
        return fail_found(p, "a value");
    }
    return RUGA_OK;
}

/* ---- Duplicate keys. */

static ruga_status fail_duplicate(parser *p, const json_value *first, const json_value *second) {
    return fail_input(p->context, "%s:%u:%u: the key \"%s\" was given before, in line %u", p->document->name,
                      second->key_line, second->key_column, second->key, first->key_line);
}

static uint64_t key_hash(const char *key) {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (; *key; key++) {
        hash = (hash ^ (unsigned char)*key) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* A hash table of at least twice as many slots as keys; a slot holds an item's number from 1. */
static ruga_status check_many_keys(parser *p, const json_value *items, size_t count) {
    size_t slots = 64;
    while (slots < 2 * count) slots *= 2;
    p->slots.count = 0;
    TRY(ARRAY_RESERVE(p->context, &p->slots, slots));
    uint32_t *table = p->slots.items;
    memset(table, 0, slots * sizeof *table);
    for (size_t i = 0; i < count; i++) {
        size_t slot = key_hash(items[i].key) & (slots - 1);
        for (; table[slot]; slot = (slot + 1) & (slots - 1))
            if (!strcmp(items[table[slot] - 1].key, items[i].key))
                return fail_duplicate(p, &items[table[slot] - 1], &items[i]);
        table[slot] = (uint32_t)i + 1;
    }
    return RUGA_OK;
}

static ruga_status check_keys(parser *p, const json_value *items, size_t count) {
    if (count > FEW_KEYS) return check_many_keys(p, items, count);
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (items[i].key[0] == items[k].key[0] && !strcmp(items[i].key, items[k].key))
                return fail_duplicate(p, &items[k], &items[i]);
    return RUGA_OK;
}

/* ---- Arrays and objects. */

/* Moves the items from the stack to where they stay. */
static ruga_status settle_items(parser *p, size_t base, json_value *container) {
    size_t count = p->stack.count - base;
    p->stack.count = base;
    container->count = (uint32_t)count;
    if (count == 0) return RUGA_OK;
    const json_value *source = p->stack.items + base;
    if (container->type == JSON_OBJECT) TRY(check_keys(p, source, count));
    json_value *items = NULL;
    TRY(ARENA_NEW(&p->document->items, &items, count));
    memcpy(items, source, count * sizeof *items);
    for (size_t i = 0; i + 1 < count; i++) items[i].next = &items[i + 1];
    container->first = items;
    return RUGA_OK;
}

static ruga_status parse_key(parser *p, json_value *item) {
    if (p->at >= p->end || *p->at != '"') return fail_found(p, "a key in quotes");
    item->key_line = p->line;
    item->key_column = column_of(p, p->at);
    const char *begin = p->at;
    size_t length;
    TRY(parse_string(p, &item->key, &length));
    if (strlen(item->key) != length) return fail_here(p, begin, "a key can't hold \\u0000");
    TRY(skip_space(p));
    if (p->at >= p->end || *p->at != ':') return fail_found(p, "':' after the key");
    p->at++;
    return skip_space(p);
}

static ruga_status parse_item(parser *p, json_type container) {
    json_value item = {0};
    if (container == JSON_OBJECT) TRY(parse_key(p, &item));
    TRY(parse_value(p, &item));
    TRY(ARRAY_ADD(p->context, &p->stack, item));
    return skip_space(p);
}

static ruga_status parse_items(parser *p, json_value *container) {
    char close = container->type == JSON_OBJECT ? '}' : ']';
    size_t base = p->stack.count;
    p->at++;
    TRY(skip_space(p));
    if (p->at < p->end && *p->at == close) {
        p->at++;
        return RUGA_OK;
    }
    for (;;) {
        TRY(parse_item(p, container->type));
        char c = p->at < p->end ? *p->at : 0;
        if (c == close) break;
        if (c != ',') return fail_found(p, container->type == JSON_OBJECT ? "',' or '}'" : "',' or ']'");
        const char *comma = p->at++, *comma_line_begin = p->line_begin;
        uint32_t comma_line = p->line;
        TRY(skip_space(p));
        if (p->at < p->end && *p->at == close) {
            p->line = comma_line;
            p->line_begin = comma_line_begin;
            return fail_here(p, comma, "a comma can't stand before the end; remove it");
        }
    }
    p->at++;
    return settle_items(p, base, container);
}

static ruga_status parse_container(parser *p, json_value *value, json_type type) {
    if (++p->depth > JSON_MAX_DEPTH) return fail_here(p, p->at, "arrays and objects are nested deeper than 256");
    value->type = type;
    TRY(parse_items(p, value));
    p->depth--;
    return RUGA_OK;
}

/* A value at p->at, where there is no space. */
static ruga_status parse_value(parser *p, json_value *value) {
    value->line = p->line;
    value->column = column_of(p, p->at);
    char c = p->at < p->end ? *p->at : 0;
    if (c == '{') return parse_container(p, value, JSON_OBJECT);
    if (c == '[') return parse_container(p, value, JSON_ARRAY);
    if (c == '-' || number_is_digit(c)) return parse_number(p, value);
    if (c != '"') return parse_word(p, value);
    value->type = JSON_STRING;
    return parse_string(p, &value->text, &value->length);
}

static ruga_status parse_document(parser *p) {
    if (p->end - p->at >= 3 && !memcmp(p->at, "\xef\xbb\xbf", 3)) p->line_begin = p->at += 3;
    TRY(skip_space(p));
    TRY(parse_value(p, &p->document->root));
    TRY(skip_space(p));
    return p->at < p->end ? fail_found(p, "nothing after the value") : RUGA_OK;
}

/* ---- Documents. */

static ruga_status make_document(ruga_context *context, const char *name, size_t size, json_document **out) {
    json_document *document = NULL;
    TRY(NEW_ZEROED(context, &document, 1));
    document->context = context;
    document->items = arena_make(context);
    ruga_status status = NEW_TEXT(context, &document->name, name);
    if (!RUGA_FAILED(status)) status = NEW(context, &document->text, size);
    RETURN_MADE(status, document, out, json_destroy(document));
}

ruga_status json_parse(ruga_context *context, const char *name, const char *text, size_t size, unsigned flags,
                       json_document **out) {
    if (size >= UINT32_MAX) return fail_unsupported(context, "%s: JSON of 4 GB or more can't be read", name);
    json_document *document = NULL;
    TRY(make_document(context, name, size, &document));
    parser p = {.context = context,
                .document = document,
                .at = text,
                .end = text + size,
                .line_begin = text,
                .line = 1,
                .flags = flags,
                .text = document->text};
    ruga_status status = parse_document(&p);
    ARRAY_RELEASE(context, &p.stack);
    ARRAY_RELEASE(context, &p.slots);
    RETURN_MADE(status, document, out, json_destroy(document));
}

void json_destroy(json_document *document) {
    if (!document) return;
    arena_release(&document->items);
    RELEASE_ALL(document->context, document->text, document->name, document);
}

const json_value *json_root(const json_document *document) { return &document->root; }

const char *json_type_name(json_type type) {
    static const char *const names[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
    return names[type];
}

const json_value *json_member(const json_value *object, const char *key) {
    if (!object || object->type != JSON_OBJECT) return NULL;
    const json_value *item = object->first;
    while (item && strcmp(item->key, key) != 0) item = item->next;
    return item;
}

const json_value *json_item(const json_value *array, size_t index) {
    int holds_items = array && (array->type == JSON_ARRAY || array->type == JSON_OBJECT);
    return holds_items && index < array->count ? &array->first[index] : NULL;
}

int json_whole(const json_value *value, double low, double high, int64_t *out) {
    if (!value || value->type != JSON_NUMBER || value->number != floor(value->number)) return 0;
    if (value->number < low || value->number > high || fabs(value->number) > 0x1p53) return 0;
    *out = (int64_t)value->number;
    return 1;
}
