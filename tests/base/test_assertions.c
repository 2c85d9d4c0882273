/* The comparisons of tests/support fail where they should, and print both values, the difference and the case. */
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

static void numbers_agree_by_their_relation(void **state) {
    (void)state;
    assert_true(numbers_agree(NUMBERS_NEAR, 1, 1.5, 0.5));
    assert_true(numbers_agree(NUMBERS_NEAR, INFINITY, INFINITY, 0));
    assert_false(numbers_agree(NUMBERS_NEAR, 1, 1.5, 0.49));
    assert_true(numbers_agree(NUMBERS_LESS, 1, 2, 0));
    assert_false(numbers_agree(NUMBERS_LESS, 2, 2, 0));
    assert_true(numbers_agree(NUMBERS_AT_MOST, 2, 2, 0));
    assert_false(numbers_agree(NUMBERS_AT_MOST, 3, 2, 0));
    assert_true(numbers_agree(NUMBERS_EQUAL, 2, 2, 0));
    assert_false(numbers_agree(NUMBERS_EQUAL, 2, nextafter(2, 3), 0));
}

static void a_value_that_is_not_a_number_never_agrees(void **state) {
    (void)state;
    const numbers_relation relations[] = {NUMBERS_NEAR, NUMBERS_LESS, NUMBERS_AT_MOST, NUMBERS_EQUAL};
    for (int k = 0; k < 4; k++) {
        assert_false(numbers_agree(relations[k], NAN, 1, 1));
        assert_false(numbers_agree(relations[k], 1, NAN, 1));
    }
}

static void near_fails(void **state) {
    (void)state;
    double length = 2.5;
    assert_near_case(length, 2, 0.25, "spring %d", 7);
}

static void less_fails(void **state) {
    (void)state;
    assert_less(3, 1 + 1);
}

static void equal_fails(void **state) {
    (void)state;
    assert_equal_case(1.0 / 4, 1.0 / 3, "%s", "a third");
}

static void too_few_ran(void **state) {
    (void)state;
    size_t ran = 3;
    assert_ran(ran, 4);
}

/* The round in which it fails is named though the assert does not name it. */
static void a_random_round_fails(void **state) {
    (void)state;
    for (uint64_t seed = 5; seed < 9; seed++) {
        test_random random = {seed};
        for (int i = 0; i < 10; i++) random_unit(&random);
        assert_less(seed, 7);
    }
}

/* The output of a test that fails in a process of its own. */
static char *output_of(CMUnitTestFunction test) {
    const char *path = test_path("failed.txt");
    remove(path);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(path, "a", stdout) || !freopen(path, "a", stderr)) _exit(100);
        const struct CMUnitTest tests[] = {cmocka_unit_test(test)};
        int failed = cmocka_run_group_tests(tests, NULL, NULL);
        fflush(NULL);
        _exit(failed);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    return read_test_file(path, NULL);
}

static void a_failure_prints_both_values_and_the_case(void **state) {
    (void)state;
    const struct {
        CMUnitTestFunction test;
        const char *text;
    } failures[] = {{near_fails, "length is not near 2: 2.5 and 2, difference 0.5, tolerance 0.25; case: spring 7"},
                    {less_fails, "3 is not less than 1 + 1: 3 and 2, difference 1"},
                    {equal_fails, "1.0 / 4 is not equal to 1.0 / 3: 0.25 and 0.33333333333333331, difference "},
                    {equal_fails, "; case: a third"},
                    {a_random_round_fails, "run 3 of the assert at "},
                    {a_random_round_fails, "random numbers: 10 were taken from the state 0x7\n"},
                    {too_few_ran, "ran: asserts ran 3 times, expected at least 4"}};
    assert_skipped = 1; /* they run in other processes, so here their asserts never do */
    for (size_t k = 0; k < sizeof failures / sizeof failures[0]; k++) {
        char *output = output_of(failures[k].test);
        fail_if(!strstr(output, failures[k].text), "expected \"%s\", found: %s", failures[k].text, output);
        free(output);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_agree_by_their_relation),
                                       cmocka_unit_test(a_value_that_is_not_a_number_never_agrees),
                                       cmocka_unit_test(a_failure_prints_both_values_and_the_case)};
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
