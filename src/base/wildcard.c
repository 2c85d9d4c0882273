#include "base/wildcard.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* Takes a character off a text that is not at its end; a byte that is not UTF-8 is one by itself. */
static uint32_t take_character(const char **at) {
    const unsigned char *s = (const unsigned char *)*at;
    size_t length = utf8_length(s, strlen(*at));
    uint32_t code = length > 1 ? s[0] & (0xffu >> (length + 1)) : s[0];
    for (size_t i = 1; i < length; i++) code = code << 6 | (s[i] & 0x3fu);
    *at += length ? length : 1;
    return length ? code : code | 0x80000000u;
}

/* One that a pattern names, with or without a backslash. */
static uint32_t take_literal(const char **at) {
    if ((*at)[0] == '\\' && (*at)[1]) ++*at;
    return take_character(at);
}

/* The end of the class that begins at `[`; NULL: it is not closed. */
static const char *class_end(const char *at) {
    at += at[1] == '!' || at[1] == '^' ? 2 : 1;
    if (*at == ']') at++;
    while (*at && *at != ']') at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : NULL;
}

static int class_has(const char *at, const char *end, uint32_t character) {
    int is_inverse = at[1] == '!' || at[1] == '^', found = 0;
    for (at += 1 + is_inverse; at < end - 1;) {
        uint32_t low = take_literal(&at), high = low;
        if (*at == '-' && at + 1 < end - 1) {
            at++;
            high = take_literal(&at);
        }
        found |= character >= low && character <= high;
    }
    return found != is_inverse;
}

/* Whether the next element of the pattern, which is not a star, takes the next character of the text. */
static int take_element(const char **pattern, const char **text) {
    if (!**text || !**pattern) return 0;
    uint32_t character = take_character(text);
    const char *end = **pattern == '[' ? class_end(*pattern) : NULL;
    if (end) {
        int has = class_has(*pattern, end, character);
        *pattern = end;
        return has;
    }
    if (**pattern == '?') {
        ++*pattern;
        return 1;
    }
    return take_literal(pattern) == character;
}

int wildcard_matches(const char *pattern, const char *text) {
    /* After a mismatch the last star takes one more character. */
    const char *star = NULL, *retry = NULL;
    while (*text || *pattern) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
            continue;
        }
        if (take_element(&pattern, &text)) continue;
        if (!star || !*retry) return 0;
        take_character(&retry);
        pattern = star;
        text = retry;
    }
    return 1;
}
