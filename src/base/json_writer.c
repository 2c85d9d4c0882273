/* A JSON writer. The first mistake of the caller or of the allocator is kept until the end; after it nothing is
 * written. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "ruga/text.h"

typedef enum level_kind { LEVEL_ARRAY, LEVEL_OBJECT } level_kind;

/* An array or object that is not ended yet. */
typedef struct level {
    level_kind kind;
    size_t count;
    int has_key;   /* a key waits for its value */
    int multiline; /* items stand on lines of their own */
} level;

struct ruga_json_writer {
    ruga_context *context;
    int indent;
    int has_root, finished;
    const char *misuse;
    ruga_status status;
    ARRAY(char) text;
    ARRAY(level) levels;
};

ruga_status ruga_json_writer_create(ruga_context *context, int indent, ruga_json_writer **out) {
    ruga_json_writer *writer = NULL;
    TRY(NEW_ZEROED(context, &writer, 1));
    writer->context = context;
    writer->indent = indent < 0 ? 0 : indent > 16 ? 16 : indent;
    *out = writer;
    return RUGA_OK;
}

void ruga_json_writer_destroy(ruga_json_writer *writer) {
    if (!writer) return;
    ARRAY_RELEASE(writer->context, &writer->text);
    ARRAY_RELEASE(writer->context, &writer->levels);
    memory_release(writer->context, writer);
}

static int has_failed(const ruga_json_writer *writer) { return writer->misuse || RUGA_FAILED(writer->status); }

static void refuse(ruga_json_writer *writer, const char *misuse) {
    if (!has_failed(writer)) writer->misuse = misuse;
}

static void put(ruga_json_writer *writer, const char *bytes, size_t size) {
    if (has_failed(writer)) return;
    writer->status = ARRAY_RESERVE(writer->context, &writer->text, size);
    if (RUGA_FAILED(writer->status)) return;
    memcpy(writer->text.items + writer->text.count, bytes, size);
    writer->text.count += size;
}

static void put_line(ruga_json_writer *writer, size_t depth) {
    static const char spaces[] = "                ";
    if (writer->indent == 0) return;
    put(writer, "\n", 1);
    for (size_t i = 0; i < depth; i++) put(writer, spaces, (size_t)writer->indent);
}

static level *top_level(ruga_json_writer *writer) {
    return writer->levels.count > 0 ? &writer->levels.items[writer->levels.count - 1] : NULL;
}

/* The comma and the space before an item. Numbers and words of an array share a line; all else has its own. */
static void separate(ruga_json_writer *writer, level *top, int own_line) {
    int first = top->count++ == 0;
    if (!first) put(writer, ",", 1);
    if (own_line) {
        top->multiline = 1;
        put_line(writer, writer->levels.count);
    } else if (!first && writer->indent > 0) {
        put(writer, " ", 1);
    }
}

/* Whether a value may stand here, with all that comes before it. */
static int begin_value(ruga_json_writer *writer, int is_container) {
    level *top = top_level(writer);
    if (!top && writer->has_root) refuse(writer, "a second value follows the outermost one");
    if (top && top->kind == LEVEL_OBJECT && !top->has_key) refuse(writer, "a value in an object has no key");
    if (has_failed(writer)) return 0;
    writer->has_root = 1;
    if (top && top->kind == LEVEL_ARRAY) separate(writer, top, is_container);
    if (top) top->has_key = 0;
    return !has_failed(writer);
}

static void begin_level(ruga_json_writer *writer, level_kind kind) {
    if (!begin_value(writer, 1)) return;
    put(writer, kind == LEVEL_OBJECT ? "{" : "[", 1);
    ruga_status status = ARRAY_RESERVE(writer->context, &writer->levels, 1);
    if (RUGA_FAILED(status)) writer->status = status;
    if (!has_failed(writer)) writer->levels.items[writer->levels.count++] = (level){.kind = kind};
}

static void end_level(ruga_json_writer *writer, level_kind kind) {
    if (has_failed(writer)) return;
    level *top = top_level(writer);
    if (!top || top->kind != kind) {
        refuse(writer,
               kind == LEVEL_OBJECT ? "an object is ended that was not begun" : "an array is ended that was not begun");
        return;
    }
    if (top->has_key) {
        refuse(writer, "the last key of an object has no value");
        return;
    }
    writer->levels.count--;
    if (top->multiline) put_line(writer, writer->levels.count);
    put(writer, kind == LEVEL_OBJECT ? "}" : "]", 1);
}

void ruga_json_begin_object(ruga_json_writer *writer) { begin_level(writer, LEVEL_OBJECT); }
void ruga_json_end_object(ruga_json_writer *writer) { end_level(writer, LEVEL_OBJECT); }
void ruga_json_begin_array(ruga_json_writer *writer) { begin_level(writer, LEVEL_ARRAY); }
void ruga_json_end_array(ruga_json_writer *writer) { end_level(writer, LEVEL_ARRAY); }

/* ---- Strings. */

static void put_escape(ruga_json_writer *writer, unsigned char c) {
    static const char hex[] = "0123456789abcdef", special[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *found = strchr(special, c);
    char text[6] = {'\\', found ? names[found - special] : 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    put(writer, text, found ? 2 : 6);
}

/* Bytes that are no UTF-8 become U+FFFD, so that the result always is. */
static void put_string(ruga_json_writer *writer, const char *text) {
    const unsigned char *at = (const unsigned char *)text, *plain = at;
    put(writer, "\"", 1);
    while (*at) {
        size_t length = utf8_length(at, 4);
        int is_plain = length > 0 && *at >= 0x20 && *at != '"' && *at != '\\';
        if (!is_plain) {
            put(writer, (const char *)plain, (size_t)(at - plain));
            if (length == 0)
                put(writer, "\xef\xbf\xbd", 3);
            else
                put_escape(writer, *at);
        }
        at += length > 0 ? length : 1;
        if (!is_plain) plain = at;
    }
    put(writer, (const char *)plain, (size_t)(at - plain));
    put(writer, "\"", 1);
}

/* ---- Keys and values. */

void ruga_json_key(ruga_json_writer *writer, const char *key) {
    level *top = top_level(writer);
    if (!top || top->kind != LEVEL_OBJECT) refuse(writer, "a key stands outside an object");
    if (top && top->has_key) refuse(writer, "two keys follow each other");
    if (!key) refuse(writer, "a key is NULL");
    if (has_failed(writer)) return;
    separate(writer, top, 1);
    put_string(writer, key);
    put(writer, ": ", writer->indent > 0 ? 2 : 1);
    top->has_key = 1;
}

static void put_value(ruga_json_writer *writer, const char *text, size_t length) {
    if (begin_value(writer, 0)) put(writer, text, length);
}

void ruga_json_string(ruga_json_writer *writer, const char *text) {
    if (!text)
        put_value(writer, "null", 4);
    else if (begin_value(writer, 0))
        put_string(writer, text);
}

void ruga_json_number(ruga_json_writer *writer, double value) {
    char text[NUMBER_CAPACITY];
    if (isfinite(value))
        put_value(writer, text, number_print(value, text));
    else
        put_value(writer, "null", 4);
}

void ruga_json_integer(ruga_json_writer *writer, int64_t value) {
    char text[NUMBER_CAPACITY];
    put_value(writer, text, number_print_whole(value, text));
}

void ruga_json_boolean(ruga_json_writer *writer, int value) {
    put_value(writer, value ? "true" : "false", value ? 4 : 5);
}

void ruga_json_put_object(ruga_json_writer *writer, const char *key) {
    ruga_json_key(writer, key);
    ruga_json_begin_object(writer);
}

void ruga_json_put_array(ruga_json_writer *writer, const char *key) {
    ruga_json_key(writer, key);
    ruga_json_begin_array(writer);
}

void ruga_json_put_string(ruga_json_writer *writer, const char *key, const char *text) {
    ruga_json_key(writer, key);
    ruga_json_string(writer, text);
}

void ruga_json_put_number(ruga_json_writer *writer, const char *key, double value) {
    ruga_json_key(writer, key);
    ruga_json_number(writer, value);
}

void ruga_json_put_integer(ruga_json_writer *writer, const char *key, int64_t value) {
    ruga_json_key(writer, key);
    ruga_json_integer(writer, value);
}

void ruga_json_put_count(ruga_json_writer *writer, const char *key, size_t value) {
    ruga_json_put_integer(writer, key, (int64_t)value);
}

void ruga_json_put_boolean(ruga_json_writer *writer, const char *key, int value) {
    ruga_json_key(writer, key);
    ruga_json_boolean(writer, value);
}

ruga_status ruga_json_finish(ruga_json_writer *writer, const char **text, size_t *size) {
    if (writer->levels.count > 0) refuse(writer, "an array or object is not ended");
    if (!writer->has_root) refuse(writer, "there is no value");
    if (!writer->finished && writer->indent > 0) put(writer, "\n", 1);
    if (!writer->finished) put(writer, "", 1);
    if (RUGA_FAILED(writer->status))
        return fail_with(writer->context, writer->status, "out of memory while JSON was written");
    if (writer->misuse) return fail_argument(writer->context, "wrong use of JSON: %s", writer->misuse);
    writer->finished = 1;
    *text = writer->text.items;
    *size = writer->text.count - 1;
    return RUGA_OK;
}
