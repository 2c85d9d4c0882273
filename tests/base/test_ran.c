/* Asserts that never ran are found: in headers those of functions that did run, in a file itself all. */
#include "base/sometimes.h"

static void never_called(void) { assert_int_equal(0, 0); }

static void called(int both) {
    if (both) assert_true(1);
    if (both) assert_in_range(1, 0, 2);
}

static void an_assert_of_a_header_that_never_ran_is_found(void **state) {
    (void)state;
    void (*const unused)(void) = assert_never;
    assert_non_null(unused);
    assert_int_equal(assert_sites_check("/sometimes.h", 1, 0), 0);
    assert_sometimes(0);
    assert_int_equal(assert_sites_check("/sometimes.h", 1, 0), 1);
    assert_sometimes(1);
    assert_int_equal(assert_sites_check("/sometimes.h", 1, 0), 0);
    assert_int_equal(assert_sites_check("/no_such_file.c", 0, 1), 0);
}

/* In the last test all other asserts of the file have run, those below and of `called` excepted. */
static void an_assert_that_is_alone_in_its_function_is_found(void **state) {
    (void)state;
    called(0);
    const int few = assert_sites_check("/test_ran.c", 0, 0), all = assert_sites_check("/test_ran.c", 0, 1);
    never_called();
    const int without = assert_sites_check("/test_ran.c", 0, 1);
    called(1);
    const int none = assert_sites_check("/test_ran.c", 0, 1);
    assert_int_equal(all - without, 1);
    assert_int_equal(without - none, 2);
    assert_int_equal(all - few, 6); /* the three, and the three here: nothing of this function had run */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_assert_of_a_header_that_never_ran_is_found),
                                       cmocka_unit_test(an_assert_that_is_alone_in_its_function_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
