/* Asserts that never ran are found, those of functions that did not run excepted. */
#include "base/sometimes.h"

static void an_assert_that_never_ran_is_found(void **state) {
    (void)state;
    void (*const unused)(void) = assert_never;
    assert_non_null(unused);
    assert_int_equal(assert_sites_check("/sometimes.h"), 0);
    assert_sometimes(0);
    assert_int_equal(assert_sites_check("/sometimes.h"), 1);
    assert_sometimes(1);
    assert_int_equal(assert_sites_check("/sometimes.h"), 0);
    assert_int_equal(assert_sites_check("/no_such_file.c"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_assert_that_never_ran_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
