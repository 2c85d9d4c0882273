/* A JSON reader that knows where every value stands. It serves scenes, glTF and FOLD.
 *
 * Comments (both kinds) are allowed if asked for. Duplicate keys, trailing text, nesting beyond 256, numbers that
 * overflow a double, invalid UTF-8 and unpaired surrogates are errors with line and column (from 1, in bytes). A
 * byte-order mark before the text is skipped and counts no columns; lines end in \n or \r\n. The items of one array or
 * object lie side by side in memory, in the order of the text; a document is released at once.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/context.h"

#define JSON_MAX_DEPTH 256

typedef enum json_type { JSON_NULL, JSON_BOOLEAN, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_type;

typedef struct json_value {
    json_type type;
    uint32_t line, column;
    uint32_t count;  /* of items in an array or an object */
    const char *key; /* within an object, else NULL; UTF-8, zero-terminated, may hold no zero byte */
    uint32_t key_line, key_column;
    const char *text;               /* of a string */
    size_t length;                  /* of the text, bytes */
    double number;                  /* of a number; 0 or 1 of a boolean */
    const struct json_value *first; /* item of an array or object */
    const struct json_value *next;  /* sibling */
} json_value;

typedef struct json_document json_document;

enum { JSON_COMMENTS = 1 };

const char *json_type_name(json_type type); /* "an object", "a number", … for messages */

/* `name` stands in messages: "scene.json:12:7: …". text need not end in zero and is not kept. */
ruga_status json_parse(ruga_context *context, const char *name, const char *text, size_t size, unsigned flags,
                       json_document **out);
void json_destroy(json_document *document); /* NULL is fine */
const json_value *json_root(const json_document *document);

const json_value *json_member(const json_value *object, const char *key); /* NULL if absent or not an object */
const json_value *json_item(const json_value *array, size_t index);       /* NULL past the end; O(1) for arrays */
/* The value is a whole number within [low, high]: *out receives it; 0 if it is not. NULL is not. */
int json_whole(const json_value *value, double low, double high, int64_t *out);

#endif
