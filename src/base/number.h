/* Numbers as text: what OBJ, PLY, JSON and the command read and write. The point is '.', whatever the locale.
 *
 * Reading is correctly rounded: the double nearest to the decimal number, ties to even. Most numbers in files have few
 * digits and a small exponent, and are found here by one exact multiplication or division, after W. D. Clinger,
 * "How to read floating point numbers accurately", 1990; digits are taken eight at a time.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/wraps.h"

#define NUMBER_CAPACITY 40 /* bytes that any number takes as text, the zero byte included */

/* The number at `begin`: [+-] digits [. digits] [e [+-] digits] with a digit before or after the point, or nan, inf,
 * infinity in any case. Returns where it ends; `begin`, with *out untouched, if there is none. One that is too large
 * becomes an infinity, one that is too small becomes zero. Reads nothing at or past `end`. */
static inline const char *number_parse(const char *begin, const char *end, double *out);

/* The whole number at `begin`: [+-] digits. `begin` if there is none or it does not fit; a point is not looked at. */
static inline const char *number_parse_whole(const char *begin, const char *end, int64_t *out);

/* The shortest text that reads back as the same number; zero-terminated; returns its length. Never a locale's point.
 * "nan", "inf" and "-inf" for what is not finite. The float version is the shortest among floats: 0.1f is "0.1". */
size_t number_print(double value, char text[NUMBER_CAPACITY]);
size_t number_print_float(float value, char text[NUMBER_CAPACITY]);
size_t number_print_whole(int64_t value, char text[NUMBER_CAPACITY]);

/* ---- How. */

extern const double number_tens[23];      /* 10^0 … 10^22, the powers of ten that doubles hold exactly */
extern const uint64_t number_tens_u64[9]; /* 10^0 … 10^8 */

/* The slow path, for long mantissas and large exponents. mantissa holds the first `digits` ≤ 19 digits. */
double number_convert(uint64_t mantissa, int64_t exponent);
double number_convert_long(const char *begin, const char *end);
const char *number_parse_word(const char *begin, const char *end, double *out);
const char *number_parse_exponent(const char *at, const char *end, int64_t *exponent);

static inline int number_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* How many of eight characters, from the first, are digits. */
WRAPS static inline unsigned number_digit_run(uint64_t eight) {
    uint64_t t = eight ^ 0x3030303030303030u;
    uint64_t others = ((t + 0x7676767676767676u) | t) & 0x8080808080808080u;
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The value of eight digits, the first in the lowest byte; a zero byte counts as the digit 0. */
WRAPS static inline uint64_t number_eight_digits(uint64_t eight) {
    eight = (eight & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
    eight = (eight & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    return (eight & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
}

/* Appends digits to the mantissa, modulo 2^64. */
WRAPS static inline const char *number_digits(const char *at, const char *end, uint64_t *mantissa) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - at >= 8) {
        uint64_t eight;
        memcpy(&eight, at, 8);
        unsigned run = number_digit_run(eight);
        if (run == 0) return at;
        *mantissa = *mantissa * number_tens_u64[run] + number_eight_digits(eight << (64 - 8 * run));
        at += run;
        if (run < 8) return at;
    }
#endif
    while (at < end && number_is_digit(*at)) *mantissa = *mantissa * 10 + (uint64_t)(*at++ - '0');
    return at;
}

/* Digits from the first that is not zero on; a point among them is not counted. */
static inline size_t number_significant(const char *digits, const char *end, size_t count) {
    for (; digits < end && (*digits == '0' || *digits == '.'); digits++) count -= *digits == '0';
    return count;
}

WRAPS static inline const char *number_parse(const char *begin, const char *end, double *out) {
    const char *at = begin;
    int negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');

    const char *digits = at;
    uint64_t mantissa = 0;
    int64_t exponent = 0;
    while (at < end && number_is_digit(*at)) mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
    size_t count = (size_t)(at - digits);
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = number_digits(fraction, end, &mantissa);
        exponent = fraction - at;
        count += (size_t)(at - fraction);
    }
    if (count == 0) return number_parse_word(begin, end, out);
    const char *digits_end = at;
    if (at < end && (*at | 0x20) == 'e') at = number_parse_exponent(at, end, &exponent);

    double value;
    if (count > 19 && number_significant(digits, digits_end, count) > 19)
        value = number_convert_long(digits, at);
    else if (mantissa <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 0)
        value = (double)(int64_t)mantissa / number_tens[-exponent];
    else
        value = number_convert(mantissa, exponent);
    *out = negative ? -value : value;
    return at;
}

WRAPS static inline const char *number_parse_whole(const char *begin, const char *end, int64_t *out) {
    const char *at = begin;
    int negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    const char *digits = at;
    uint64_t value = 0;
    while (at < end && number_is_digit(*at)) value = value * 10 + (uint64_t)(*at++ - '0');
    size_t count = (size_t)(at - digits);
    uint64_t limit = (uint64_t)INT64_MAX + (uint64_t)negative;
    if (count == 0 || (count > 18 && number_significant(digits, at, count) > 19) || value > limit) return begin;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return at;
}

#endif
