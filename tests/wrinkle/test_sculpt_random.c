/* Laws of any sculpt: random strokes on meshes of many kinds. */
#include "wrinkle/sculpt_random.h"

enum { SMALL_KINDS = SCULPT_KINDS - SCULPT_LARGE_KINDS };

static void random_strokes_on_random_meshes_keep_the_laws(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < (SANITIZED ? 12 : 40); i++) run_random_sculpt(context, i + 1, i % SMALL_KINDS);
    for (size_t i = 0; i < (SANITIZED ? 0 : SCULPT_LARGE_KINDS); i++)
        run_random_sculpt(context, i + 1, SMALL_KINDS + i);
    assert_ran(untouched, SANITIZED ? 100 : 1000);
    assert_ran(untouched_old, SANITIZED ? 50 : 500);
    assert_ran(furrows, SANITIZED ? 5 : 20);
    print_message("refined: off by up to %.3f of a side, turned by up to %.1f degrees\n", bare_furthest,
                  bare_turn * 57.3);
    ruga_context_destroy(context);
}

static void what_was_before_does_not_matter(void **state) {
    skip_unless_long();
    (void)state;
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < (SANITIZED ? 4 : 24); i++)
        run_wandering_sculpt(context, i + 101, i % SMALL_KINDS, i % 2 ? 3 : 0);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_strokes_on_random_meshes_keep_the_laws, say_seed),
        cmocka_unit_test_teardown(what_was_before_does_not_matter, say_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
