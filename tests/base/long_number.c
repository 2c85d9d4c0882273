/* Numbers as text, searched at length: against the C library, over all exponents and lengths of digits. */
#include <stdio.h>

#include "base/number.h"
#include "support/support.h"

static double double_of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void assert_reads_as(const char *text, size_t length, double expected) {
    double value = 0;
    const char *end = number_parse(text, text + length, &value);
    fail_if(end != text + length || memcmp(&value, &expected, sizeof value) != 0,
            "\"%s\" was read as %.17g, not as %.17g", text, value, expected);
}

static void printed_doubles_read_back_as_the_same_bits(void **state) {
    (void)state;
    test_random random = {11};
    size_t finite = 0;
    for (int i = 0; i < 5000000; i++) {
        double value = double_of_bits(random_bits(&random));
        if (value - value != 0) continue;
        finite++;
        char text[NUMBER_CAPACITY];
        size_t length = number_print(value, text);
        assert_reads_as(text, length, value);
        assert_reads_as(text, length, strtod(text, NULL));
    }
    assert_ran(finite, 4900000);
}

/* Decimal texts of 1 to 30 digits and any exponent: halfway cases and long mantissas among them. */
static void texts_are_read_as_the_c_library_reads_them(void **state) {
    (void)state;
    test_random random = {12};
    for (int i = 0; i < 3000000; i++) {
        char text[64];
        size_t digits = 1 + random_bits(&random) % 30, length = 0;
        for (size_t k = 0; k < digits; k++) text[length++] = (char)('0' + random_bits(&random) % 10);
        if (i % 3 == 0) text[random_bits(&random) % digits] = '.';
        if (digits == 1 && text[0] == '.') text[0] = '7';
        int exponent = (int)(random_bits(&random) % 680) - 345;
        length += (size_t)snprintf(text + length, 8, "e%d", i % 2 ? exponent : exponent % 25);
        assert_reads_as(text, length, strtod(text, NULL));
    }
}

/* The middle between two neighbouring doubles, written out, and a little beside it. */
static void middles_between_doubles_are_rounded_to_even(void **state) {
    (void)state;
    test_random random = {13};
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = (random_bits(&random) >> 12) | ((uint64_t)(1023 - 40 + random_bits(&random) % 80) << 52);
        long double middle = ((long double)double_of_bits(bits) + (long double)double_of_bits(bits + 1)) / 2;
        char text[160];
        int length = snprintf(text, sizeof text, "%.100Lf", middle);
        assert_reads_as(text, (size_t)length, double_of_bits(bits & 1 ? bits + 1 : bits));
        text[length] = '1';
        text[length + 1] = 0;
        assert_reads_as(text, (size_t)length + 1, double_of_bits(bits + 1));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_doubles_read_back_as_the_same_bits),
        cmocka_unit_test(texts_are_read_as_the_c_library_reads_them),
        cmocka_unit_test(middles_between_doubles_are_rounded_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
