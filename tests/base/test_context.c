#include <stdio.h>

#include "base/isa.h"
#include "base/memory.h"
#include "support/support.h"

static void a_def_that_was_not_made_by_the_default_function_is_caught(void **state) {
    (void)state;
    ruga_context *context = NULL;
    ruga_context_def zero = {0}, def = ruga_context_def_default();
    assert_status(ruga_context_create(&zero, &context), RUGA_ERROR_ARGUMENT);
    def.thread_count = -1;
    assert_status(ruga_context_create(&def, &context), RUGA_ERROR_ARGUMENT);
    def.thread_count = 100000;
    assert_status(ruga_context_create(&def, &context), RUGA_ERROR_ARGUMENT);
    def = ruga_context_def_default();
    def.allocator.release = NULL;
    assert_status(ruga_context_create(&def, &context), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_context_create(NULL, NULL), RUGA_ERROR_ARGUMENT);
    assert_null(context);
}

static void no_def_and_no_allocator_mean_the_defaults(void **state) {
    (void)state;
    ruga_context *a = NULL, *b = NULL;
    assert_status(ruga_context_create(NULL, &a), RUGA_OK);
    assert_at_most(1, ruga_context_thread_count(a));
    ruga_context_def def = ruga_context_def_default();
    def.allocator = (ruga_allocator){0};
    assert_status(ruga_context_create(&def, &b), RUGA_OK);
    void *memory = memory_allocate(b, 10, 1);
    assert_non_null(memory);
    ruga_free(b, memory);
    ruga_free(b, NULL);
    assert_string_equal(ruga_context_message(a), "");
    ruga_context_destroy(a);
    ruga_context_destroy(b);
    ruga_context_destroy(NULL);
}

static void messages_hold_what_was_said_last_and_never_overflow(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_status(fail_with(context, RUGA_ERROR_INPUT, "%s:%d: %s", "skirt.obj", 12, "wrong"), RUGA_ERROR_INPUT);
    assert_string_equal(ruga_context_message(context), "skirt.obj:12: wrong");
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    fail_with(context, RUGA_ERROR_INPUT, "%s", longest);
    assert_in_range(strlen(ruga_context_message(context)), 100, 2000);
    assert_status(fail_memory(context, 77), RUGA_ERROR_MEMORY);
    assert_message_has(context, "77 bytes");
    assert_string_equal(ruga_context_message(NULL), "");
    ruga_context_destroy(context);
}

typedef struct lines {
    int count;
    ruga_log_level level;
    char text[2000];
} lines;

static void take_line(void *user, ruga_log_level level, const char *message) {
    lines *l = user;
    l->count++;
    l->level = level;
    snprintf(l->text, sizeof l->text, "%s", message);
}

static void lines_reach_the_log_with_their_level(void **state) {
    (void)state;
    lines l = {0};
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.log = take_line;
    def.log_user = &l;
    ruga_context *context = NULL, *silent = context_plain(1);
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    log_info(context, "%d vertices", 5);
    assert_string_equal(l.text, "5 vertices");
    assert_int_equal(l.level, RUGA_LOG_INFO);
    log_warning(context, "odd %s", "face");
    assert_string_equal(l.text, "odd face");
    assert_int_equal(l.level, RUGA_LOG_WARNING);
    log_warning(silent, "nobody reads this");
    assert_int_equal(l.count, 2);
    ruga_context_destroy(context);
    ruga_context_destroy(silent);
}

static int stop_at_half(void *user, const char *stage, double fraction) {
    (void)user;
    return strcmp(stage, "reading") == 0 && fraction >= 0.5;
}

static void progress_can_cancel(void **state) {
    (void)state;
    ruga_context_def def = ruga_context_def_default();
    def.progress = stop_at_half;
    ruga_context *context = NULL, *plain = context_plain(1);
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    assert_status(report_progress(context, "reading", 0.25), RUGA_OK);
    assert_status(report_progress(context, "reading", 0.75), RUGA_ERROR_CANCELLED);
    assert_message_has(context, "cancelled while reading");
    assert_status(report_progress(plain, "reading", 0.75), RUGA_OK);
    ruga_context_destroy(context);
    ruga_context_destroy(plain);
}

static void every_status_and_instruction_set_has_a_name(void **state) {
    (void)state;
    for (int s = RUGA_ERROR_CANCELLED; s <= RUGA_WARNING_NOT_DEFINITE; s++)
        assert_string_not_equal(ruga_status_name((ruga_status)s), "unknown status");
    assert_string_equal(ruga_status_name((ruga_status)99), "unknown status");
    assert_string_equal(ruga_isa_name(RUGA_ISA_AVX2), "avx2");
    assert_string_equal(ruga_isa_name((ruga_isa)99), "unknown");
    assert_at_most(5, strlen(ruga_version()));
}

static void the_environment_forces_an_instruction_set(void **state) {
    (void)state;
    ruga_context *context = NULL;
    setenv("RUGA_ISA", "scalar", 1);
    assert_status(ruga_context_create(NULL, &context), RUGA_OK);
    assert_int_equal(ruga_context_isa(context), RUGA_ISA_SCALAR);
    ruga_context_destroy(context);
    context = NULL;
    setenv("RUGA_ISA", "abacus", 1);
    assert_status(ruga_context_create(NULL, &context), RUGA_ERROR_ARGUMENT);
    assert_null(context);
    setenv("RUGA_ISA", "auto", 1);
    ruga_isa best = isa_choose(RUGA_ISA_AUTO);
    unsetenv("RUGA_ISA");
    assert_int_equal(isa_choose(RUGA_ISA_AUTO), best);
    assert_int_equal(isa_choose(best), best);
    assert_int_equal(isa_choose((ruga_isa)99), RUGA_ISA_AUTO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_def_that_was_not_made_by_the_default_function_is_caught),
        cmocka_unit_test(no_def_and_no_allocator_mean_the_defaults),
        cmocka_unit_test(messages_hold_what_was_said_last_and_never_overflow),
        cmocka_unit_test(lines_reach_the_log_with_their_level),
        cmocka_unit_test(progress_can_cancel),
        cmocka_unit_test(every_status_and_instruction_set_has_a_name),
        cmocka_unit_test(the_environment_forces_an_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
