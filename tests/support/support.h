/* Shared by all tests: contexts with an allocator that counts and fails, random numbers, files in a fresh folder. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "ruga/ruga.h"
#include "support/ran.h"

/* Counts live allocations and makes the n-th (from 0) fail; -1: none. */
typedef struct counting_allocator {
    long allocations; /* made so far, the failed one included */
    long live;
    long fail_at;
    int fail_after_too; /* every later one fails as well */
} counting_allocator;

/* A context with one thread on a counting allocator, so that the order of allocations is fixed. */
ruga_context *context_counting(counting_allocator *counter);
/* A plain context; fails the test if there is none. */
ruga_context *context_plain(int threads);
/* For cmocka_run_group_tests: *state is a plain context of one thread, of two, or of as many as there are cores. */
int set_up_context(void **state);
int set_up_context_of_two(void **state);
int set_up_context_of_all(void **state);
int tear_down_context(void **state);

/* A measure of a scene by its name; fails the test if there is none. */
double scene_measure(const ruga_scene *scene, const char *name);

/* Asserts that a call went well and prints the context's message if not. */
#define assert_ok(context, expression)                                                                            \
    do {                                                                                                          \
        (void)ASSERT_SITE_();                                                                                     \
        ruga_status assert_status_ = (expression);                                                                \
        if (RUGA_FAILED(assert_status_))                                                                          \
            fail_msg("%s: %s: %s", #expression, ruga_status_name(assert_status_), ruga_context_message(context)); \
    } while (0)
#define assert_status(expression, status) assert_int_equal((int)(expression), (int)(status))
/* The context's message holds this text. */
void assert_message_has(const ruga_context *context, const char *part);
#define assert_message_has(context, part) ((void)ASSERT_SITE_(), (assert_message_has)(context, part))

/* Comparisons of numbers that print both values, their difference and the case when they fail; a value that is not a
 * number fails. The forms that end in _case take a printf-style text that names the case: assert_less_case(worst, 1e-9,
 * "round %d, seed %llu", round, seed). The text is only formatted on failure. */
#define assert_near(a, b, tolerance) assert_near_case(a, b, tolerance, "%s", "")
#define assert_less(a, b) assert_less_case(a, b, "%s", "")
#define assert_at_most(a, b) assert_at_most_case(a, b, "%s", "")
#define assert_equal(a, b) assert_equal_case(a, b, "%s", "")
#define assert_near_case(a, b, tolerance, ...) /* |a - b| <= tolerance */ \
    assert_numbers_(NUMBERS_NEAR, #a, #b, a, b, tolerance, __VA_ARGS__)
#define assert_less_case(a, b, ...) assert_numbers_(NUMBERS_LESS, #a, #b, a, b, 0, __VA_ARGS__)       /* a < b */
#define assert_at_most_case(a, b, ...) assert_numbers_(NUMBERS_AT_MOST, #a, #b, a, b, 0, __VA_ARGS__) /* a <= b */
#define assert_equal_case(a, b, ...) assert_numbers_(NUMBERS_EQUAL, #a, #b, a, b, 0, __VA_ARGS__)     /* a == b */

/* An assert that never runs fails its program (ran.h). Where a single run would prove little, as under an `if` in a
 * random loop, count: `if (…) { ran++; assert_…; }`, and after the loop assert_ran(ran, least). */
#define assert_ran(count, least) assert_ran_((size_t)(count), (size_t)(least), #count, __FILE__, __LINE__)

typedef enum numbers_relation { NUMBERS_NEAR, NUMBERS_LESS, NUMBERS_AT_MOST, NUMBERS_EQUAL } numbers_relation;
int numbers_agree(numbers_relation relation, double a, double b, double tolerance);
__attribute__((format(printf, 8, 9))) void numbers_fail(const assert_site *site, numbers_relation relation,
                                                        const char *a_text, const char *b_text, double a, double b,
                                                        double tolerance, const char *case_format, ...);
void assert_ran_(size_t count, size_t least, const char *text, const char *file, int line);
#define assert_numbers_(relation, a_text, b_text, a, b, tolerance, ...)                                               \
    do {                                                                                                              \
        const assert_site *const assert_at_ = ASSERT_SITE_();                                                         \
        double assert_a_ = (double)(a), assert_b_ = (double)(b), assert_tolerance_ = (double)(tolerance);             \
        if (!numbers_agree(relation, assert_a_, assert_b_, assert_tolerance_))                                        \
            numbers_fail(assert_at_, relation, a_text, b_text, assert_a_, assert_b_, assert_tolerance_, __VA_ARGS__); \
    } while (0)

/* Skips a test under sanitizers, which take 4 to 10 times as long: one whose law the release checks in full, over code
 * that other tests run under them. `make test-long` runs all tests under sanitizers. */
#ifdef RUGA_SANITIZED
#define SANITIZED 1 /* for tests that then do less */
#define skip_when_sanitized() skip()
#else
#define SANITIZED 0
#define skip_when_sanitized() (void)0
#endif
/* Skips a test of a second or more outside of `make test-long`: the last few frames of a law, or one more scene, whose
 * code the tests beside it run. */
#define skip_unless_long()                      \
    do {                                        \
        if (!getenv("RUGA_LONG_CASES")) skip(); \
    } while (0)
/* So many random cases, or so many runs of an assert, but a fifth under sanitizers. */
#define FEWER(count) (SANITIZED ? (count) / 5 : (count))

/* Calls run(context, user) with the 0th, 1st, 2nd … allocation failing until it succeeds; asserts that each failure is
 * RUGA_ERROR_MEMORY and that nothing stays allocated. run must release whatever it made. Returns how many there were.
 * After the first fifty every third fails, under sanitizers every seventh, in `make test-long` every one. */
typedef ruga_status allocation_run(ruga_context *context, void *user);
long assert_every_allocation_may_fail(allocation_run *run, void *user);

/* Deterministic random numbers. */
typedef struct test_random {
    uint64_t state;
} test_random;
uint64_t random_bits(test_random *random);
double random_unit(test_random *random); /* [0, 1) */
double random_between(test_random *random, double low, double high);
ruga_vec3 random_vec3(test_random *random, double low, double high);

/* A fresh folder for this test program; removed with all in it by test_folder_remove. The text is static. */
const char *test_folder(void);
void test_folder_remove(void);
int tear_down_test_folder(void **state); /* the same for cmocka_run_group_tests */
/* folder/name; four rotating static buffers. */
const char *test_path(const char *name);
void write_test_file(const char *path, const void *bytes, size_t size);
char *read_test_file(const char *path, size_t *size); /* malloc'ed, zero-terminated; NULL if there is none */
int test_file_exists(const char *path);
size_t test_folder_entry_count(void); /* files in test_folder() */

#endif
