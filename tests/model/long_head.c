/* Skull and head without memory: every allocation fails once. */
#include "support/support.h"

static ruga_status make_coarse(ruga_context *used, void *user) {
    static const double head_values[] = {0.371, 40, 0.025}, skull_values[] = {0.371, 40};
    ruga_mesh *mesh = NULL;
    TRY(ruga_model_make(used, user, strcmp(user, "head") == 0 ? head_values : skull_values, &mesh));
    ruga_mesh_destroy(mesh);
    return RUGA_OK;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(8, assert_every_allocation_may_fail(make_coarse, (void *)"skull"));
    assert_less(30, assert_every_allocation_may_fail(make_coarse, (void *)"head"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
