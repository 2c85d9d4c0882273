/* Ruga: small helpers around text that the command and other front ends share. */
#ifndef RUGA_TEXT_H
#define RUGA_TEXT_H

#include "ruga/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The candidate nearest to a misspelt word, or NULL when none is near enough to be meant. */
RUGA_API const char *ruga_nearest_word(const char *word, const char *const *candidates, size_t count);

/* ---- Writing JSON into memory. Numbers read back as the same double; NaN and infinities become null.
 * Keys and values in the order of the calls; a misuse (a value without a key in an object, …) or a lack of memory makes
 * ruga_json_finish fail, so that no call in between need be checked. */
typedef struct ruga_json_writer ruga_json_writer;

RUGA_API ruga_status ruga_json_writer_create(ruga_context *context, int indent,
                                             ruga_json_writer **out); /* 0: compact */
RUGA_API void ruga_json_writer_destroy(ruga_json_writer *writer);     /* NULL is fine */
RUGA_API void ruga_json_begin_object(ruga_json_writer *writer);
RUGA_API void ruga_json_end_object(ruga_json_writer *writer);
RUGA_API void ruga_json_begin_array(ruga_json_writer *writer);
RUGA_API void ruga_json_end_array(ruga_json_writer *writer);
RUGA_API void ruga_json_key(ruga_json_writer *writer, const char *key);
RUGA_API void ruga_json_string(ruga_json_writer *writer, const char *text); /* UTF-8; NULL writes null */
RUGA_API void ruga_json_number(ruga_json_writer *writer, double value);
RUGA_API void ruga_json_integer(ruga_json_writer *writer, int64_t value);
RUGA_API void ruga_json_boolean(ruga_json_writer *writer, int value);
/* A key and its value; of an object or an array the beginning. */
RUGA_API void ruga_json_put_object(ruga_json_writer *writer, const char *key);
RUGA_API void ruga_json_put_array(ruga_json_writer *writer, const char *key);
RUGA_API void ruga_json_put_string(ruga_json_writer *writer, const char *key, const char *text);
RUGA_API void ruga_json_put_number(ruga_json_writer *writer, const char *key, double value);
RUGA_API void ruga_json_put_integer(ruga_json_writer *writer, const char *key, int64_t value);
RUGA_API void ruga_json_put_count(ruga_json_writer *writer, const char *key, size_t value); /* below 2^63 */
RUGA_API void ruga_json_put_boolean(ruga_json_writer *writer, const char *key, int value);
/* The text, ending in a newline when indented; it belongs to the writer. */
RUGA_API ruga_status ruga_json_finish(ruga_json_writer *writer, const char **text, size_t *size);

/* ---- Values of options, the same in every locale. Each takes the whole text and returns 0 when it is not such a
 * value. */
RUGA_API int ruga_number_parse(const char *text, double *out); /* finite */
/* A unit of length: m, cm, mm, km, in, ft, or the metres of one unit, from 1e-9 to 1e9. */
RUGA_API int ruga_unit_parse(const char *text, double *metres);

#ifdef __cplusplus
}
#endif
#endif
