/* Patterns of names. */
#include "base/wildcard.h"

#include "support/support.h"

typedef struct pattern_case {
    const char *pattern, *text;
    int matches;
} pattern_case;

static void patterns_match_as_in_a_shell(void **state) {
    (void)state;
    static const pattern_case cases[] = {
        {"", "", 1},
        {"", "a", 0},
        {"*", "", 1},
        {"*", "anything", 1},
        {"a", "a", 1},
        {"a", "A", 0},
        {"a", "ab", 0},
        {"ab", "a", 0},
        {"?", "a", 1},
        {"?", "", 0},
        {"?", "ab", 0},
        {"?", "é", 1},
        {"??", "é", 0},
        {"L*d", "Left", 0},
        {"L*d", "LeftHand", 1},
        {"*Hand*", "LeftHandThumb1", 1},
        {"*a*b*c", "xaxbxc", 1},
        {"*a*b*c", "xaxcxb", 0},
        {"[abc]", "b", 1},
        {"[abc]", "d", 0},
        {"[a-c]x", "bx", 1},
        {"[a-c]x", "dx", 0},
        {"[!a-c]", "d", 1},
        {"[!a-c]", "b", 0},
        {"[^a]", "b", 1},
        {"[]]", "]", 1},
        {"[]a]", "a", 1},
        {"[a", "[a", 1},
        {"[a", "a", 0},
        {"[a-]", "-", 1},
        {"[à-é]", "è", 1},
        {"[à-é]", "e", 0},
        {"\\*", "*", 1},
        {"\\*", "a", 0},
        {"\\[a]", "[a]", 1},
        {"[\\]]", "]", 1},
        {"a\\", "a\\", 1},
        {"\xff", "\xff", 1},
        {"\xff", "\xfe", 0},
        {"mixamorig:*", "mixamorig:Hips", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_equal_case(wildcard_matches(cases[i].pattern, cases[i].text), cases[i].matches, "%s on %s",
                          cases[i].pattern, cases[i].text);
}

/* Backtracking would take 2^40 steps. */
static void many_stars_take_no_longer_than_both_lengths_multiplied(void **state) {
    (void)state;
    char pattern[2001] = "", text[20001] = "";
    for (int i = 0; i < 1000; i++) memcpy(pattern + 2 * i, "*a", 3);
    memset(text, 'a', sizeof text - 1);
    assert_true(wildcard_matches(pattern, text));
    text[sizeof text - 2] = 'b';
    assert_false(wildcard_matches(pattern, text));
}

/* Every text matches itself with its wildcards escaped, and with any part replaced by a star. */
static void texts_match_what_is_made_of_them(void **state) {
    (void)state;
    test_random random = {7};
    static const char letters[] = "ab*?[]\\!-";
    for (int round = 0; round < 5000; round++) {
        char text[9], escaped[20];
        size_t length = (size_t)(random_bits(&random) % 8), used = 0;
        for (size_t i = 0; i < length; i++) {
            text[i] = letters[random_bits(&random) % (sizeof letters - 1)];
            escaped[used++] = '\\';
            escaped[used++] = text[i];
        }
        text[length] = escaped[used] = 0;
        assert_true(wildcard_matches(escaped, text));
        size_t from = length ? random_bits(&random) % length : 0,
               to = from + random_bits(&random) % (length - from + 1);
        char pattern[20] = "";
        strncat(pattern, escaped, 2 * from);
        strcat(pattern, "*");
        strcat(pattern, escaped + 2 * to);
        assert_true(wildcard_matches(pattern, text));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_in_a_shell),
        cmocka_unit_test(many_stars_take_no_longer_than_both_lengths_multiplied),
        cmocka_unit_test(texts_match_what_is_made_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
