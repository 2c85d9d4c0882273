/* JSON: what is read and written again must read as the same; positions must lie within the text. */
#include <stdlib.h>
#include <string.h>

#include "support/json_values.h"

/* Text with a zero byte inside can't go through the writer, which takes C strings. */
static int is_writable(const json_value *value) {
    if (value->type == JSON_STRING && strlen(value->text) != value->length) return 0;
    for (const json_value *item = value->first; item; item = item->next)
        if (!is_writable(item)) return 0;
    return 1;
}

static void require(int condition) {
    if (!condition) abort();
}

static void require_same(const json_value *a, const json_value *b) {
    require(a->type == b->type && a->count == b->count && a->length == b->length);
    require(memcmp(&a->number, &b->number, sizeof a->number) == 0);
    require(!a->key == !b->key && (!a->key || strcmp(a->key, b->key) == 0));
    require(a->type != JSON_STRING || memcmp(a->text, b->text, a->length) == 0);
    for (size_t i = 0; i < a->count; i++) require_same(json_item(a, i), json_item(b, i));
}

static void require_positions(const json_value *value, size_t size) {
    require(value->line >= 1 && value->line <= size + 1 && value->column >= 1 && value->column <= size);
    for (const json_value *item = value->first; item; item = item->next) require_positions(item, size);
}

static void write_and_read_again(ruga_context *context, const json_document *document, int indent) {
    ruga_json_writer *writer = NULL;
    json_document *again = NULL;
    const char *text;
    size_t size;
    require(!RUGA_FAILED(ruga_json_writer_create(context, indent, &writer)));
    write_value(writer, json_root(document));
    require(!RUGA_FAILED(ruga_json_finish(writer, &text, &size)));
    require(!RUGA_FAILED(json_parse(context, "again", text, size, 0, &again)));
    require_same(json_root(document), json_root(again));
    json_destroy(again);
    ruga_json_writer_destroy(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ruga_context *context;
    if (!context) require(!RUGA_FAILED(ruga_context_create(NULL, &context)));
    for (unsigned flags = 0; flags <= JSON_COMMENTS; flags++) {
        json_document *document = NULL;
        if (RUGA_FAILED(json_parse(context, "fuzz", (const char *)data, size, flags, &document))) continue;
        require_positions(json_root(document), size);
        if (is_writable(json_root(document))) write_and_read_again(context, document, (int)flags * 2);
        json_destroy(document);
    }
    return 0;
}
