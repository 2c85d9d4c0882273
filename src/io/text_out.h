/* A file that is written in small pieces: words, numbers, bytes. Nothing returns a status: the first failure stays in
 * `status`, and what comes later is dropped. Long loops look at it. */
#ifndef IO_TEXT_OUT_H
#define IO_TEXT_OUT_H

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

#define TEXT_BUFFER 65536

typedef struct text_out {
    ruga_context *context;
    file *out;
    char *buffer;
    size_t used;
    uint64_t flushed; /* bytes handed to the file so far */
    ruga_status status;
} text_out;

ruga_status text_open(text_out *text, ruga_context *context, file *out);
ruga_status text_flush(text_out *text); /* gives the status */
void text_close(text_out *text);        /* releases the buffer, if it has one; the file is the caller's */

/* Room for a piece of at most 1000 bytes; `used` is to be moved on. */
static inline char *text_reserve(text_out *text, size_t size) {
    if (TEXT_BUFFER - text->used < size) (void)text_flush(text);
    return text->buffer + text->used;
}
static inline void text_put_char(text_out *text, char c) {
    *text_reserve(text, 1) = c;
    text->used++;
}

void text_put(text_out *text, const char *words);
void text_print(text_out *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));                        /* %s, however long, and %u; nothing else */
void text_put_line(text_out *text, int depth, const char *words); /* indented, with the line's end */
void text_put_whole(text_out *text, int64_t value);
void text_put_wholes(text_out *text, const uint32_t *values, size_t count); /* the rest of a list and its line */
void text_put_float(text_out *text, float value);
void text_put_double(text_out *text, double value);

#endif
