#include "io/text_out.h"

#include <stdarg.h>
#include <string.h>

ruga_status text_open(text_out *text, ruga_context *context, file *out) {
    *text = (text_out){.context = context, .out = out};
    return NEW(context, &text->buffer, TEXT_BUFFER);
}

ruga_status text_flush(text_out *text) {
    if (!RUGA_FAILED(text->status)) text->status = file_write(text->out, text->buffer, text->used);
    text->flushed += text->used;
    text->used = 0;
    return text->status;
}

void text_close(text_out *text) {
    memory_release(text->context, text->buffer);
    text->buffer = NULL;
}

static void put_bytes(text_out *text, const void *bytes, size_t left) {
    const char *from = bytes;
    for (size_t part; left > 0; from += part, left -= part) {
        part = left < 256 ? left : 256;
        memcpy(text_reserve(text, part), from, part);
        text->used += part;
    }
}

void text_put(text_out *text, const char *words) { put_bytes(text, words, strlen(words)); }

void text_print(text_out *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at; (at = strchr(format, '%')) != NULL; format = at + 2) {
        put_bytes(text, format, (size_t)(at - format));
        if (at[1] == 's')
            text_put(text, va_arg(arguments, const char *));
        else
            text_put_whole(text, va_arg(arguments, unsigned));
    }
    text_put(text, format);
    va_end(arguments);
}

void text_put_line(text_out *text, int depth, const char *words) {
    for (int i = 0; i < depth; i++) text_put(text, "    ");
    text_print(text, "%s\n", words);
}

void text_put_whole(text_out *text, int64_t value) {
    text->used += number_print_whole(value, text_reserve(text, NUMBER_CAPACITY));
}

void text_put_wholes(text_out *text, const uint32_t *values, size_t count) {
    for (size_t i = 0; i < count && !RUGA_FAILED(text->status); i++) {
        if (i > 0) text_put(text, ", ");
        text_put_whole(text, values[i]);
    }
    text_put(text, "]\n");
}

void text_put_float(text_out *text, float value) {
    text->used += number_print_float(value, text_reserve(text, NUMBER_CAPACITY));
}

void text_put_double(text_out *text, double value) {
    text->used += number_print(value, text_reserve(text, NUMBER_CAPACITY));
}
