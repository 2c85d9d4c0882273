#include "base/name_advice.h"
#include "support/support.h"

static void the_names_that_exist_are_listed(void **state) {
    (void)state;
    static const char *const names[] = {"cotton", "denim", "silk"};
    name_advice text;
    advise_name("wool", names, 3, text);
    assert_string_equal(text, "there are \"cotton\", \"denim\", \"silk\"");
    advise_name("wool", names, 1, text);
    assert_string_equal(text, "there is \"cotton\"");
    advise_name("wool", names, 0, text);
    assert_string_equal(text, "there are none");
    advise_name("coton", names, 2, text);
    assert_string_equal(text, "did you mean \"cotton\"? There are \"cotton\", \"denim\"");
}

/* Many and long names, of letters with two bytes: the text fits, and is cut between characters. */
static void a_long_list_says_how_many_there_are(void **state) {
    (void)state;
    static char longest[512];
    const char *names[1000];
    for (size_t i = 0; i + 2 < sizeof longest; i += 2) memcpy(longest + i, "ä", 2);
    for (size_t i = 0; i < 1000; i++) names[i] = i % 2 ? longest : "short";
    name_advice text;
    advise_name("shor", names, 1000, text);
    assert_less(strlen(text), NAME_ADVICE_SIZE);
    assert_non_null(strstr(text, "did you mean \"short\"? There are \"short\", \"ää"));
    assert_non_null(strstr(text, "ä\", "));
    assert_non_null(strstr(text, ", … (1000 in all)"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_names_that_exist_are_listed),
        cmocka_unit_test(a_long_list_says_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
