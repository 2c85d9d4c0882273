/* A job beside the caller's own work. */
#include <unistd.h>

#include "base/background.h"
#include "support/support.h"

typedef struct counter {
    ruga_context *context;
    int value, fails;
} counter;

static ruga_status count(void *argument) {
    counter *c = argument;
    usleep(c->value % 3 ? 0 : 1000);
    c->value++;
    return c->fails ? fail_with(c->context, RUGA_ERROR_FILE, "job %d failed", c->value) : RUGA_OK;
}

static void what_was_waited_for_is_done(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    background *b = NULL;
    counter c = {.context = context};
    assert_ok(context, background_create(context, &b));
    assert_non_null(b);
    assert_ok(context, background_wait(b));
    for (int i = 1; i <= 200; i++) {
        background_start(b, count, &c);
        assert_ok(context, background_wait(b));
        assert_int_equal(c.value, i);
    }
    background_destroy(b);
    background_destroy(NULL);
    assert_ok(context, background_wait(NULL));
    ruga_context_destroy(context);
}

static void a_failure_is_reported_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    background *b = NULL;
    counter c = {.context = context, .fails = 1};
    assert_ok(context, background_create(context, &b));
    background_start(b, count, &c);
    assert_status(background_wait(b), RUGA_ERROR_FILE);
    assert_message_has(context, "job 1 failed");
    assert_ok(context, background_wait(b));

    /* By its own message, whatever the caller met with in the meantime. */
    background_start(b, count, &c);
    usleep(20000);
    assert_status(fail_with(context, RUGA_ERROR_INPUT, "something else"), RUGA_ERROR_INPUT);
    assert_status(background_wait(b), RUGA_ERROR_FILE);
    assert_message_has(context, "job 2 failed");
    background_destroy(b);
    ruga_context_destroy(context);
}

static void destroying_waits_for_the_job(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 50; i++) {
        background *b = NULL;
        counter c = {.context = context};
        assert_ok(context, background_create(context, &b));
        background_start(b, count, &c);
        background_destroy(b);
        assert_int_equal(c.value, 1);
    }
    ruga_context_destroy(context);
}

static ruga_status make_one(ruga_context *context, void *user) {
    (void)user;
    background *b = NULL;
    TRY(background_create(context, &b));
    background_destroy(b);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_at_most(1, assert_every_allocation_may_fail(make_one, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_waited_for_is_done),
        cmocka_unit_test(a_failure_is_reported_once),
        cmocka_unit_test(destroying_waits_for_the_job),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
