/* A hundred thousand points of hanging cotton. */
#include "body/cloth_stage.h"

static void a_hundred_thousand_points_hang_as_a_thousand_do(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    double thousand = hanging_sag(context, 32, 64, 60), hundred_thousand = hanging_sag(context, 317, 634, 40);
    assert_less(thousand, 0.01);
    assert_less(hundred_thousand, 0.01);
    assert_near(hundred_thousand / thousand, 1, 0.2);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_points_hang_as_a_thousand_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
