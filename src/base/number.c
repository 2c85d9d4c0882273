/* Numbers as text: the slow paths of reading, and the shortest text.
 *
 * Reading. A mantissa of 64 bits times or over a power of five is exact in 128 bits and a remainder, so up to 10^±27
 * and down to 10^-55 nothing is guessed. The rest goes to strtod as digits and an exponent, without a point: there is
 * nothing in it that a locale could change. No two doubles' middle has more than 767 digits, so that of a longer number
 * 780 digits and whether anything follows are enough.
 *
 * Writing. G. L. Steele and J. L. White, "How to print floating-point numbers accurately", 1990: the shortest decimal
 * within the interval that rounds to the number, and of several the nearest. From 10^-11 to 10^17 the interval's ends,
 * scaled to 17 digits, are exact in 128 bits.
 */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

#define MAX_FIVE 27                  /* 5^27 is the last below 2^64 */
#define MAX_EXPONENT 100000000000000 /* beyond any file's number of digits, and far from overflow */
#define MAX_DIGITS 780

const double number_tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
const uint64_t number_tens_u64[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static uint64_t power(uint64_t base, int exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

/* 2^exponent, of a normal double. */
static double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- Reading. */

/* mantissa / 10^k for k up to 55: one step of long division by 5^k, with 128 bits, and the remainder as a last bit. */
static double divide_exactly(uint64_t mantissa, int k) {
    u128 divisor = k <= MAX_FIVE ? power(5, k) : (u128)power(5, MAX_FIVE) * power(5, k - MAX_FIVE);
    uint64_t high = (uint64_t)(divisor >> 64);
    int divisor_shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)divisor);
    int mantissa_shift = __builtin_clzll(mantissa);
    divisor <<= divisor_shift;
    uint64_t d1 = (uint64_t)(divisor >> 64), d0 = (uint64_t)divisor;

    u128 dividend = (u128)(mantissa << mantissa_shift) << 63; /* times 2^64 */
    uint64_t quotient = (uint64_t)(dividend / d1);
    u128 remainder = dividend % d1;
    while (remainder >> 64 == 0 && (u128)quotient * d0 > remainder << 64) {
        quotient--;
        remainder += d1;
    }
    quotient |= remainder >> 64 != 0 || (u128)quotient * d0 != remainder << 64;
    return (double)quotient * power_of_two(divisor_shift - mantissa_shift - 127 - k);
}

double number_convert(uint64_t mantissa, int64_t exponent) {
    if (mantissa == 0) return 0;
    if (exponent >= 0 && exponent <= MAX_FIVE)
        return (double)((u128)mantissa * power(5, (int)exponent)) * power_of_two((int)exponent);
    if (exponent < 0 && exponent >= -2 * MAX_FIVE) return divide_exactly(mantissa, (int)-exponent);
    char text[64];
    int within = exponent > 400 ? 400 : exponent < -400 ? -400 : (int)exponent;
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)mantissa, within);
    return strtod(text, NULL);
}

double number_convert_long(const char *begin, const char *end) {
    char text[MAX_DIGITS + 32];
    size_t count = 0;
    int64_t exponent = 0;
    int after_point = 0, more = 0;
    const char *at = begin;
    for (; at < end && (number_is_digit(*at) || *at == '.'); at++) {
        if (*at == '.') {
            after_point = 1;
            continue;
        }
        exponent -= after_point;
        if (count == 0 && *at == '0') continue;
        if (count < MAX_DIGITS) {
            text[count++] = *at;
        } else {
            exponent++;
            more |= *at != '0';
        }
    }
    if (more) {
        text[count++] = '1';
        exponent--;
    }
    if (at < end) number_parse_exponent(at, end, &exponent);
    int within = exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : (int)exponent;
    snprintf(text + count, sizeof text - count, "e%d", within);
    return strtod(text, NULL);
}

/* Adds what follows an 'e' to the exponent; without digits after it the 'e' is no part of the number. */
const char *number_parse_exponent(const char *at, const char *end, int64_t *exponent) {
    const char *digits = at + 1;
    int negative = digits < end && *digits == '-';
    digits += digits < end && (*digits == '-' || *digits == '+');
    int64_t value = 0;
    const char *p = digits;
    for (; p < end && number_is_digit(*p); p++)
        if (value < MAX_EXPONENT) value = value * 10 + (*p - '0');
    if (p == digits) return at;
    *exponent += negative ? -value : value;
    return p;
}

/* Where `word`, in lower case, ends at `begin`; `begin` if it is not there. */
static const char *skip_word(const char *begin, const char *end, const char *word) {
    const char *at = begin;
    for (; *word; word++, at++)
        if (at >= end || (*at | 0x20) != *word) return begin;
    return at;
}

const char *number_parse_word(const char *begin, const char *end, double *out) {
    const char *at = begin;
    int negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    const char *words[] = {"infinity", "inf", "nan"};
    for (int i = 0; i < 3; i++) {
        const char *after = skip_word(at, end, words[i]);
        if (after == at) continue;
        double value = i < 2 ? INFINITY : NAN;
        *out = negative ? -value : value;
        return after;
    }
    return begin;
}

/* ---- Writing. */

/* digits * 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* The shortest decimal that rounds to mantissa * 2^exponent, with `scale` such that times 10^scale it is a whole number
 * of enough digits. Between the neighbours lie a quarter or half unit below and half a unit above. */
static decimal shortest_scaled(uint64_t mantissa, int exponent, int near_below, int scale) {
    uint64_t five = power(5, scale);
    int shift = 2 - exponent - scale;
    u128 middle = (u128)(4 * mantissa) * five, low = (u128)(4 * mantissa - (near_below ? 1 : 2)) * five,
         high = (u128)(4 * mantissa + 2) * five;
    /* An end itself rounds to the number if the number is even. */
    int open = mantissa & 1;
    u128 below_one = ((u128)1 << shift) - 1;
    uint64_t first = (uint64_t)((low + (open ? 0 : below_one)) >> shift) + (uint64_t)open;
    uint64_t last = (uint64_t)((high - (open ? 1u : 0u)) >> shift);
    uint64_t value = (uint64_t)(middle >> shift);
    int above_half = shift > 0 && (middle >> (shift - 1) & 1);

    /* Digits fall off as long as a shorter number lies between the ends; the last that fell says which is nearer. Where
     * eight or four may go, so may one after the other. */
    int dropped = 0, up = above_half;
    for (int step = 8; step > 0; step /= step > 4 ? 2 : 4) {
        const uint64_t ten = number_tens_u64[step];
        for (uint64_t shorter; (shorter = (first + (ten - 1)) / ten) <= last / ten; dropped += step) {
            up = value / number_tens_u64[step - 1] % 10 >= 5;
            first = shorter;
            last /= ten;
            value /= ten;
        }
    }
    value += (uint64_t)up;
    return (decimal){value > last ? last : value < first ? first : value, dropped - scale};
}

/* The digits of printf's scientific format, whatever stands for the point. */
static decimal decimal_of_text(const char *text, int precision) {
    const char *e = strchr(text, 'e');
    decimal result = {(uint64_t)(text[0] - '0'), atoi(e + 1) - precision};
    for (const char *p = e - precision; p < e; p++) result.digits = result.digits * 10 + (uint64_t)(*p - '0');
    return result;
}

/* Very large and very small numbers: more and more digits until they read back as the same. */
static decimal shortest_by_trial(double value) {
    char text[64];
    decimal result = {0, 0};
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        result = decimal_of_text(text, precision);
        if (number_convert(result.digits, result.exponent) == value) break;
    }
    while (result.digits % 10 == 0) result.digits /= 10, result.exponent++;
    return result;
}

/* Of a positive number with `bits` of mantissa, to be scaled to `digits` digits. */
static decimal shortest(double value, int bits, int digits) {
    uint64_t raw;
    memcpy(&raw, &value, sizeof raw);
    uint64_t mantissa = ((raw & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52) >> (53 - bits);
    int power_of_top_bit = (int)(raw >> 52) - 1023, exponent = power_of_top_bit - (bits - 1);
    /* 78913 / 2^18 is log10(2): at least so many digits lie before the point, less one. */
    int scale = digits - 1 - (power_of_top_bit * 78913 >> 18);
    int shift = 2 - exponent - scale;
    int near_below = mantissa == (uint64_t)1 << (bits - 1);
    if (scale < 0 || scale > MAX_FIVE || shift < 0 || shift > 126) return shortest_by_trial(value);
    return shortest_scaled(mantissa, exponent, near_below, scale);
}

static size_t put_digits(uint64_t digits, char *text) {
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    char room[24], *end = room + sizeof room, *at = end;
    for (; digits >= 100; digits /= 100) memcpy(at -= 2, pairs + 2 * (digits % 100), 2);
    if (digits >= 10)
        memcpy(at -= 2, pairs + 2 * digits, 2);
    else
        *--at = (char)('0' + digits);
    memcpy(text, at, (size_t)(end - at));
    return (size_t)(end - at);
}

/* 0.00012, 12, 1.2, 1200, or 1.2e-7 where that would take many zeros. */
static size_t layout(decimal number, char *text) {
    char digits[24];
    int count = (int)put_digits(number.digits, digits);
    int before = count + number.exponent; /* digits before the point */
    char *at = text;
    if (before > 17 || before < -4) {
        *at++ = digits[0];
        if (count > 1) *at++ = '.';
        memcpy(at, digits + 1, (size_t)count - 1);
        at += count - 1;
        return (size_t)(at - text) + (size_t)sprintf(at, "e%d", before - 1);
    }
    if (before < 1) {
        memcpy(at, "0.0000", 6);
        at += 2 - before;
        memcpy(at, digits, (size_t)count);
        return (size_t)(at - text) + (size_t)count;
    }
    memcpy(at, digits, (size_t)count);
    if (before >= count) {
        memset(at + count, '0', (size_t)(before - count));
        return (size_t)before;
    }
    at[before] = '.';
    memcpy(at + before + 1, digits + before, (size_t)(count - before));
    return (size_t)count + 1;
}

static size_t print_special(double value, char *text) {
    const char *word = isnan(value) ? "nan" : value == 0 ? "0" : "inf";
    memcpy(text, word, strlen(word) + 1);
    return strlen(word);
}

static size_t print_shortest(double value, int bits, int digits, char *text) {
    size_t sign = signbit(value) && !isnan(value);
    if (sign) *text = '-';
    value = fabs(value);
    if (!isfinite(value) || value == 0) return sign + print_special(value, text + sign);
    size_t length = sign + layout(shortest(value, bits, digits), text + sign);
    text[length] = 0;
    return length;
}

size_t number_print(double value, char text[NUMBER_CAPACITY]) { return print_shortest(value, 53, 17, text); }

/* Read as a double and then rounded to a float it must be the same: very rarely the shortest text is not. */
size_t number_print_float(float value, char text[NUMBER_CAPACITY]) {
    size_t length = print_shortest((double)value, 24, 9, text);
    double back;
    number_parse(text, text + length, &back);
    return (float)back == value || isnan(value) ? length : number_print((double)value, text);
}

size_t number_print_whole(int64_t value, char text[NUMBER_CAPACITY]) {
    size_t sign = value < 0;
    if (sign) *text = '-';
    size_t length = sign + put_digits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, text + sign);
    text[length] = 0;
    return length;
}
