/* Every assert notes that it ran. After the tests of a file, asserts of it that never ran fail the program (ran.c), if
 * another one of their function did: one under an `if` that is never true, or in a loop without a round, proves
 * nothing. Tests that are skipped as a whole do not count, and neither do asserts of headers, which several files
 * share. */
#ifndef TESTS_RAN_H
#define TESTS_RAN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct assert_site {
    const char *file, *function;
    long line;
    long ran;
} assert_site;

#define ASSERT_SITE_()                                                                                      \
    __extension__({                                                                                         \
        static assert_site assert_site_                                                                     \
            __attribute__((section("assert_sites"), used, aligned(8))) = {__FILE__, __func__, __LINE__, 0}; \
        __atomic_store_n(&assert_site_.ran, 1, __ATOMIC_RELAXED);                                           \
    })

/* Sites of the file that never ran: listed on standard error, and counted. */
int assert_sites_check(const char *file_end);

#undef assert_true
#undef assert_false
#undef assert_non_null
#undef assert_null
#undef assert_ptr_equal
#undef assert_ptr_not_equal
#undef assert_int_equal
#undef assert_int_not_equal
#undef assert_float_equal
#undef assert_string_equal
#undef assert_string_not_equal
#undef assert_memory_equal
#undef assert_memory_not_equal
#undef assert_in_range
#define ASSERT_NUMBER_(a) cast_to_largest_integral_type(a)
#define ASSERT_POINTER_(a) cast_ptr_to_largest_integral_type(a)
#define ASSERT_RAN_(call) (ASSERT_SITE_(), call)
#define assert_true(c) ASSERT_RAN_(_assert_true(ASSERT_NUMBER_(c), #c, __FILE__, __LINE__))
#define assert_false(c) ASSERT_RAN_(_assert_true(!(ASSERT_NUMBER_(c)), #c, __FILE__, __LINE__))
#define assert_non_null(c) ASSERT_RAN_(_assert_true(ASSERT_POINTER_(c), #c, __FILE__, __LINE__))
#define assert_null(c) ASSERT_RAN_(_assert_true(!(ASSERT_POINTER_(c)), #c, __FILE__, __LINE__))
#define assert_ptr_equal(a, b) \
    ASSERT_RAN_(_assert_int_equal(ASSERT_POINTER_(a), ASSERT_POINTER_(b), __FILE__, __LINE__))
#define assert_ptr_not_equal(a, b) \
    ASSERT_RAN_(_assert_int_not_equal(ASSERT_POINTER_(a), ASSERT_POINTER_(b), __FILE__, __LINE__))
#define assert_int_equal(a, b) ASSERT_RAN_(_assert_int_equal(ASSERT_NUMBER_(a), ASSERT_NUMBER_(b), __FILE__, __LINE__))
#define assert_int_not_equal(a, b) \
    ASSERT_RAN_(_assert_int_not_equal(ASSERT_NUMBER_(a), ASSERT_NUMBER_(b), __FILE__, __LINE__))
#define assert_float_equal(a, b, tolerance) \
    ASSERT_RAN_(_assert_float_equal((float)(a), (float)(b), (float)(tolerance), __FILE__, __LINE__))
#define assert_string_equal(a, b) \
    ASSERT_RAN_(_assert_string_equal((const char *)(a), (const char *)(b), __FILE__, __LINE__))
#define assert_string_not_equal(a, b) \
    ASSERT_RAN_(_assert_string_not_equal((const char *)(a), (const char *)(b), __FILE__, __LINE__))
#define assert_memory_equal(a, b, size) \
    ASSERT_RAN_(_assert_memory_equal((const void *)(a), (const void *)(b), size, __FILE__, __LINE__))
#define assert_memory_not_equal(a, b, size) \
    ASSERT_RAN_(_assert_memory_not_equal((const void *)(a), (const void *)(b), size, __FILE__, __LINE__))
#define assert_in_range(value, low, high) \
    ASSERT_RAN_(_assert_in_range(ASSERT_NUMBER_(value), ASSERT_NUMBER_(low), ASSERT_NUMBER_(high), __FILE__, __LINE__))

#endif
