#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "support/support.h"

#define RANDOM_NUMBERS FEWER(200000)

static double parse(const char *text) {
    double value = -12345;
    size_t length = strlen(text);
    assert_ptr_equal(number_parse(text, text + length, &value), text + length);
    return value;
}

static void assert_same(double a, double b) { assert_memory_equal(&a, &b, sizeof a); }

/* Reading must agree with the C library, bit for bit, on text that is not a zero-terminated string. */
static void assert_reads_as_strtod(const char *text) {
    double value = -12345;
    size_t length = strlen(text);
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    const char *end = number_parse(copy, copy + length, &value);
    double expected = strtod(text, NULL);
    fail_if(end != copy + length || memcmp(&value, &expected, sizeof value) != 0, "%s was read as %a, but is %a", text,
            value, expected);
    free(copy);
}

/* Doubles of every kind: all bit patterns, mesh-like ones, short decimals, powers of two. */
static double random_double(test_random *random, int kind) {
    uint64_t bits = random_bits(random);
    double value;
    switch (kind % 5) {
        case 0: memcpy(&value, &bits, sizeof value); return isnan(value) ? 0 : value;
        case 1: return random_between(random, -10, 10);
        case 2: return (double)((int64_t)bits >> 40) / 1e5;
        case 3: return ldexp(1, (int)(bits % 2098) - 1074);
        default: return ldexp((double)(int64_t)bits, -(int)(random_bits(random) % 120));
    }
}

static void printed_doubles_read_back_as_the_same_bits(void **state) {
    (void)state;
    test_random random = {1};
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        char text[NUMBER_CAPACITY];
        double value = random_double(&random, i);
        size_t printed = number_print(value, text);
        assert_int_equal(printed, strlen(text));
        assert_same(parse(text), value);
        assert_same(strtod(text, NULL), value);
    }
}

static int significant_digits(const char *text) {
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && count == 0)) continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

static void printed_doubles_are_the_shortest(void **state) {
    (void)state;
    test_random random = {2};
    size_t several = 0;
    for (int i = 0; i < FEWER(20000); i++) {
        char text[NUMBER_CAPACITY], tried[64];
        double value = random_double(&random, i);
        if (!isfinite(value) || value == 0) continue;
        number_print(value, text);
        int digits = significant_digits(text);
        snprintf(tried, sizeof tried, "%.*e", digits > 1 ? digits - 2 : 0, value);
        fail_if(digits > 1 && strtod(tried, NULL) == value, "%s is longer than %s", text, tried);
        several += digits > 1;
    }
    assert_ran(several, FEWER(10000));
}

static void floats_are_the_shortest_among_floats(void **state) {
    (void)state;
    char text[NUMBER_CAPACITY];
    number_print_float(0.1f, text);
    assert_string_equal(text, "0.1");
    test_random random = {3};
    size_t numbers = 0;
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        uint32_t bits = (uint32_t)random_bits(&random);
        float value, back;
        memcpy(&value, &bits, sizeof value);
        if (i % 2) value = (float)random_between(&random, -2, 2);
        if (isnan(value)) continue;
        numbers++;
        size_t printed = number_print_float(value, text);
        assert_int_equal(printed, strlen(text));
        back = (float)parse(text);
        assert_memory_equal(&back, &value, sizeof value);
        if (i % 2) assert_at_most_case(significant_digits(text), 9, "i %d", i);
    }
    assert_ran(numbers, RANDOM_NUMBERS * 9 / 10);
}

static void layout_is_plain_where_that_is_short(void **state) {
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {100, "100"},
                 {123456789, "123456789"},
                 {0.00001234, "0.00001234"},
                 {0.000001234, "1.234e-6"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e17"},
                 {1.5e300, "1.5e300"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e308"},
                 {9007199254740992, "9007199254740992"},
                 {2e-7, "2e-7"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_CAPACITY];
        number_print(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void reading_agrees_with_the_c_library(void **state) {
    (void)state;
    test_random random = {4};
    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        char text[100];
        snprintf(text, sizeof text, "%.*g", (int)(random_bits(&random) % 22) + 1, random_double(&random, i));
        assert_reads_as_strtod(text);
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(random_bits(&random) % 1000),
                 (unsigned long long)(random_bits(&random) >> random_bits(&random) % 60),
                 (int)(random_bits(&random) % 160) - 80);
        assert_reads_as_strtod(text);
    }
}

static void edges_agree_with_the_c_library(void **state) {
    (void)state;
    const char *const texts[] = {"0",
                                 "-0",
                                 "+1",
                                 ".5",
                                 "5.",
                                 "00012",
                                 "1e5",
                                 "1E+5",
                                 "1e-5",
                                 "9007199254740993",
                                 "9007199254740993.0000000000000000000000001",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "99999999999999999999",
                                 "2.2250738585072011e-308",
                                 "2.4703282292062327e-324",
                                 "2.4703282292062328e-324",
                                 "1.7976931348623158e308",
                                 "1.7976931348623159e308",
                                 "1e400",
                                 "-1e400",
                                 "1e-400",
                                 "1e99999999999999999999",
                                 "1e-99999999999999999999",
                                 "0e99999999999",
                                 "0.000000000000000000000000000000000000001234567890123456789",
                                 "123456789012345678901234567890e-20",
                                 "0.500000000000000166533453693773481063544750213623046875",
                                 "3.518437208883201171875e13",
                                 "8.5e27",
                                 "1e28",
                                 "7e-54",
                                 "7e-55",
                                 "inf",
                                 "-Infinity",
                                 "INF"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_reads_as_strtod(texts[i]);
}

/* A number exactly between two doubles goes to the even one; a last digit far behind decides otherwise. */
static void ties_go_to_even_however_long_the_text(void **state) {
    (void)state;
    test_random random = {6};
    for (int i = 0; i < FEWER(2000); i++) {
        double value = ldexp((double)(random_bits(&random) >> 11), (int)(random_bits(&random) % 60) - 113);
        long double middle = ((long double)value + (long double)nextafter(value, INFINITY)) / 2;
        char text[400];
        int length = snprintf(text, sizeof text, "%.250Lf", middle);
        assert_reads_as_strtod(text);
        text[length - 1] = '1';
        assert_reads_as_strtod(text);
    }
    /* Longer than anything that is kept: 2^53 + 1, a thousand zeros, and a one. */
    char *text = malloc(3000);
    int length = sprintf(text, "9007199254740993.");
    memset(text + length, '0', 2000);
    text[length + 2000] = 0;
    assert_same(parse(text), 9007199254740992.0);
    text[length + 1999] = '1';
    assert_same(parse(text), 9007199254740994.0);
    memset(text, '9', 2900);
    text[2900] = 0;
    assert_same(parse(text), INFINITY);
    free(text);
}

static void a_number_ends_where_it_ends(void **state) {
    (void)state;
    const struct {
        const char *text;
        size_t length;
    } cases[] = {{"1e", 1},
                 {"1e+", 1},
                 {"1ex", 1},
                 {"1.5.2", 3},
                 {"1,5", 1},
                 {"3/4", 1},
                 {"-", 0},
                 {"+", 0},
                 {".", 0},
                 {"", 0},
                 {"x", 0},
                 {"-x", 0},
                 {"1 2", 1},
                 {"0x10", 1},
                 {"--1", 0},
                 {"1e5e5", 3},
                 {"nanx", 3},
                 {"na", 0},
                 {"infinite", 3},
                 {"-inf 1", 4},
                 {"12-3", 2},
                 {"1\xc3\xa4", 1},
                 {"12345678\xff", 8},
                 {"e5", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 77;
        const char *text = cases[i].text;
        size_t length = (size_t)(number_parse(text, text + strlen(text), &value) - text);
        fail_if(length != cases[i].length, "\"%s\" ends at %zu", text, length);
        if (length == 0) assert_same(value, 77);
    }
    double value;
    const char *digits = "123456789.123456789123";
    for (size_t n = 1; n <= strlen(digits); n++) assert_ptr_equal(number_parse(digits, digits + n, &value), digits + n);
}

static void nan_is_read_as_nan(void **state) {
    (void)state;
    assert_true(isnan(parse("nan")));
    assert_true(isnan(parse("-NaN")));
}

static void whole_numbers_are_read_within_their_range(void **state) {
    (void)state;
    const struct {
        const char *text;
        size_t length;
        int64_t value;
    } cases[] = {{"0", 1, 0},
                 {"-7/", 2, -7},
                 {"+12", 3, 12},
                 {"9223372036854775807", 19, INT64_MAX},
                 {"-9223372036854775808", 20, INT64_MIN},
                 {"000000000000000000000000005", 27, 5},
                 {"9223372036854775808", 0, 0},
                 {"-9223372036854775809", 0, 0},
                 {"18446744073709551617", 0, 0},
                 {"99999999999999999999999", 0, 0},
                 {"", 0, 0},
                 {"-", 0, 0},
                 {"x1", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        const char *text = cases[i].text;
        size_t length = (size_t)(number_parse_whole(text, text + strlen(text), &value) - text);
        assert_int_equal(length, cases[i].length);
        assert_true(value == (length ? cases[i].value : 77));
        char printed[NUMBER_CAPACITY];
        size_t printed_length = number_print_whole(value, printed);
        assert_int_equal(printed_length, strlen(printed));
        int64_t back;
        number_parse_whole(printed, printed + strlen(printed), &back);
        assert_true(back == value);
    }
}

/* Needs a locale with a comma; where the machine has none, there is nothing to go wrong. */
static void a_locale_changes_nothing(void **state) {
    (void)state;
    const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "pt_BR.UTF-8"};
    size_t ran = 0;
    for (size_t i = 0; i < 4; i++) {
        if (!setlocale(LC_ALL, names[i])) continue;
        ran++;
        char text[NUMBER_CAPACITY];
        number_print(1.5e-300, text);
        assert_string_equal(text, "1.5e-300");
        number_print(-0.25, text);
        assert_string_equal(text, "-0.25");
        assert_same(parse("0.500000000000000166533453693773481063544750213623046876"), 0.50000000000000022);
        assert_same(parse("2.5e-200"), 2.5e-200);
    }
    setlocale(LC_ALL, "C");
    if (!ran) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_doubles_read_back_as_the_same_bits),
        cmocka_unit_test(printed_doubles_are_the_shortest),
        cmocka_unit_test(floats_are_the_shortest_among_floats),
        cmocka_unit_test(layout_is_plain_where_that_is_short),
        cmocka_unit_test(reading_agrees_with_the_c_library),
        cmocka_unit_test(edges_agree_with_the_c_library),
        cmocka_unit_test(ties_go_to_even_however_long_the_text),
        cmocka_unit_test(a_number_ends_where_it_ends),
        cmocka_unit_test(nan_is_read_as_nan),
        cmocka_unit_test(whole_numbers_are_read_within_their_range),
        cmocka_unit_test(a_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
