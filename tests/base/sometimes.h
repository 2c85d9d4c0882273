/* For test_ran.c: a function with an assert that runs in some calls only, and one that is never called. */
#ifndef TESTS_SOMETIMES_H
#define TESTS_SOMETIMES_H

#include "support/support.h"

static inline void assert_sometimes(int both) {
    assert_true(1);
    if (both) assert_less(0, 1);
}

static inline void assert_never(void) { assert_int_equal(0, 0); }

#endif
