/* Words about fields, for messages and the reference. */
#ifndef FIELD_WORDS_H
#define FIELD_WORDS_H

#include "ruga/field.h"

#define FIELD_MAX_WORDS 128 /* names that messages and suggestions take into account */
typedef struct field_words {
    char text[600];
    size_t length;
} field_words;
void words_add(field_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
field_words words_join(const char *path, const char *name); /* "time.fps" */
int words_capital(char c);
/* "a", "b" or "c"; a long list is cut. */
void words_add_list(field_words *words, const char *const *items, size_t count, const char *last);
/* The expected value: "a number in m, such as 0.5". */
void words_add_expected(field_words *words, const ruga_field *field);
void words_add_number(field_words *words, double number, const char *unit);
/* The alternatives of a VARIANT or VARIANTS field, as words_add_list has them. */
void words_add_kinds(field_words *words, const ruga_field *field);
/* The default as JSON. */
void words_add_preset(field_words *words, const ruga_field *field);
/* Bytes of a text that a message shows, up to whole characters; for %.*s. */
int clipped(const char *text);
size_t choice_count(const ruga_field *field);
/* The names of alternatives; at most `capacity`. */
size_t section_names(const ruga_section *const *sections, const char **names, size_t capacity);
size_t field_names(const ruga_section *section, const char **names, size_t capacity);

#endif
