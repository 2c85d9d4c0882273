/* Laws of any sculpt, thousands of times. */
#include "wrinkle/sculpt_random.h"

enum { FIRST = 100000, SEEDS = 2500, LARGE_SEEDS = 60, WANDERING_SEEDS = 500 };

static void thousands_of_random_sculpts_keep_the_laws(void **state) {
    for (uint64_t seed = FIRST; seed < FIRST + SEEDS; seed++)
        run_random_sculpt(*state, seed, seed % (SCULPT_KINDS - SCULPT_LARGE_KINDS));
}

static void random_sculpts_on_bust_and_shoe_keep_the_laws(void **state) {
    for (uint64_t seed = FIRST; seed < FIRST + LARGE_SEEDS; seed++)
        run_random_sculpt(*state, seed, SCULPT_KINDS - 1 - seed % SCULPT_LARGE_KINDS);
}

static void what_was_before_does_not_matter(void **state) {
    for (uint64_t seed = FIRST; seed < FIRST + WANDERING_SEEDS; seed++)
        run_wandering_sculpt(*state, seed, seed % (SCULPT_KINDS - SCULPT_LARGE_KINDS), (int)(seed / 7 % 6));
}

static int make_context(void **state) {
    *state = context_plain(0);
    return 0;
}

static int destroy_context(void **state) {
    ruga_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(thousands_of_random_sculpts_keep_the_laws, say_seed),
        cmocka_unit_test_teardown(random_sculpts_on_bust_and_shoe_keep_the_laws, say_seed),
        cmocka_unit_test_teardown(what_was_before_does_not_matter, say_seed),
    };
    return cmocka_run_group_tests(tests, make_context, destroy_context);
}
