/* Every assert counts its runs. After the tests of a file, asserts that never ran fail the program (ran.c): one under
 * an `if` that is never true, or in a loop without a round, proves nothing.
 *   - Of the file itself: all of them. If the file skipped a test, only those of functions in which another assert ran.
 *   - Of the headers that it includes: those of functions in which another assert ran for this file.
 * An assert that fails says which of its runs that was, and from which state the random numbers came: in a random loop
 * these name the round. */
#ifndef TESTS_RAN_H
#define TESTS_RAN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct assert_site {
    const char *file, *base, *function; /* base: the file that is compiled, if `file` is a header of it */
    long line;
    long ran; /* times */
} assert_site;

/* The site of the assert that this stands in, with one more run. Threads may assert, too: their counts are rough. */
#define ASSERT_SITE_()                                                                                 \
    __extension__({                                                                                    \
        static assert_site assert_site_ __attribute__((section("assert_sites"), used, aligned(8))) = { \
            __FILE__, __BASE_FILE__, __func__, __LINE__, 0};                                           \
        __atomic_store_n(&assert_site_.ran, __atomic_load_n(&assert_site_.ran, __ATOMIC_RELAXED) + 1,  \
                         __ATOMIC_RELAXED);                                                            \
        &assert_site_;                                                                                 \
    })

/* Prints which run of an assert fails (NULL: not known), and the state of random_bits. */
void assert_note(const assert_site *site);
/* A random number is taken; random_bits calls it. */
void assert_note_random(uint64_t state_before, uint64_t state_after);

/* Sites that never ran: listed on standard error, and counted. Those of the file that is compiled whose name ends so,
 * or, of_header, of the header. all: also those of functions without any run. */
int assert_sites_check(const char *end, int of_header, int all);
extern int assert_skipped; /* a test was */

#undef skip
#define skip() (assert_skipped = 1, _skip(__FILE__, __LINE__))
#undef fail_msg
#define FAIL_AT_(site, ...)                 \
    do {                                    \
        assert_note(site);                  \
        print_error("ERROR: " __VA_ARGS__); \
        print_error("\n");                  \
        _fail(__FILE__, __LINE__);          \
    } while (0)
#define fail_msg(...) FAIL_AT_(NULL, __VA_ARGS__)
/* An assert that the condition is false, with a message of its own. */
#define fail_if(condition, ...)                               \
    do {                                                      \
        const assert_site *const fail_site_ = ASSERT_SITE_(); \
        if (condition) FAIL_AT_(fail_site_, __VA_ARGS__);     \
    } while (0)
#undef assert_true
#undef assert_false
#undef assert_non_null
#undef assert_null
#undef assert_ptr_equal
#undef assert_ptr_not_equal
#undef assert_int_equal
#undef assert_int_not_equal
#undef assert_string_equal
#undef assert_string_not_equal
#undef assert_memory_equal
#undef assert_memory_not_equal
#undef assert_in_range
#undef assert_float_equal
#define ASSERT_NUMBER_(a) cast_to_largest_integral_type(a)
#define ASSERT_POINTER_(a) cast_ptr_to_largest_integral_type(a)
typedef const char *assert_text_;
typedef const void *assert_bytes_;
/* Of the type of its arguments; `holds` and the call of cmocka are about assert_a_ and assert_b_. */
#define ASSERT_OF_(type, a, b, holds, call)                   \
    __extension__({                                           \
        const assert_site *const assert_at_ = ASSERT_SITE_(); \
        type assert_a_ = (a), assert_b_ = (b);                \
        if (!(holds)) assert_note(assert_at_);                \
        call;                                                 \
    })
#define ASSERT_TRUE_(value, text) \
    ASSERT_OF_(LargestIntegralType, value, 0, assert_a_ != assert_b_, _assert_true(assert_a_, text, __FILE__, __LINE__))
#define ASSERT_EQUAL_(a, b)                                       \
    ASSERT_OF_(LargestIntegralType, a, b, assert_a_ == assert_b_, \
               _assert_int_equal(assert_a_, assert_b_, __FILE__, __LINE__))
#define ASSERT_NOT_EQUAL_(a, b)                                   \
    ASSERT_OF_(LargestIntegralType, a, b, assert_a_ != assert_b_, \
               _assert_int_not_equal(assert_a_, assert_b_, __FILE__, __LINE__))
#define assert_true(c) ASSERT_TRUE_(ASSERT_NUMBER_(c), #c)
#define assert_false(c) ASSERT_TRUE_(!(ASSERT_NUMBER_(c)), #c)
#define assert_non_null(c) ASSERT_TRUE_(ASSERT_POINTER_(c), #c)
#define assert_null(c) ASSERT_TRUE_(!(ASSERT_POINTER_(c)), #c)
#define assert_ptr_equal(a, b) ASSERT_EQUAL_(ASSERT_POINTER_(a), ASSERT_POINTER_(b))
#define assert_ptr_not_equal(a, b) ASSERT_NOT_EQUAL_(ASSERT_POINTER_(a), ASSERT_POINTER_(b))
#define assert_int_equal(a, b) ASSERT_EQUAL_(ASSERT_NUMBER_(a), ASSERT_NUMBER_(b))
#define assert_int_not_equal(a, b) ASSERT_NOT_EQUAL_(ASSERT_NUMBER_(a), ASSERT_NUMBER_(b))
#define assert_string_equal(a, b)                                                                              \
    ASSERT_OF_(assert_text_, (const char *)(a), (const char *)(b), assert_strings_equal(assert_a_, assert_b_), \
               _assert_string_equal(assert_a_, assert_b_, __FILE__, __LINE__))
#define assert_string_not_equal(a, b)                                                                           \
    ASSERT_OF_(assert_text_, (const char *)(a), (const char *)(b), !assert_strings_equal(assert_a_, assert_b_), \
               _assert_string_not_equal(assert_a_, assert_b_, __FILE__, __LINE__))
#define assert_memory_equal(a, b, size)                                                                        \
    ASSERT_OF_(assert_bytes_, (const void *)(a), (const void *)(b), memcmp(assert_a_, assert_b_, (size)) == 0, \
               _assert_memory_equal(assert_a_, assert_b_, (size), __FILE__, __LINE__))
#define assert_memory_not_equal(a, b, size)                                                                    \
    ASSERT_OF_(assert_bytes_, (const void *)(a), (const void *)(b), memcmp(assert_a_, assert_b_, (size)) != 0, \
               _assert_memory_not_equal(assert_a_, assert_b_, (size), __FILE__, __LINE__))

#define assert_in_range(value, low, high) \
    ((void)ASSERT_SITE_(),                \
     _assert_in_range(ASSERT_NUMBER_(value), ASSERT_NUMBER_(low), ASSERT_NUMBER_(high), __FILE__, __LINE__))
#define assert_float_equal(a, b, tolerance) \
    ((void)ASSERT_SITE_(), _assert_float_equal((float)(a), (float)(b), (float)(tolerance), __FILE__, __LINE__))

/* Any may be NULL. */
static inline int assert_strings_equal(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

#endif
