/* UTF-8, by RFC 3629. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* The bytes of the character at s, 0 if it is none: no overlong forms, no surrogates, nothing past U+10FFFF. Reads no
 * more than `left` bytes, and nothing behind a zero byte. */
static inline size_t utf8_length(const unsigned char *s, size_t left) {
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || left < length) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    int wrong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
                (s[0] == 0xf4 && s[1] > 0x8f);
    return wrong ? 0 : length;
}

#endif
