/* The limit of work, at a small size; long_recovery.c has it in full, and cloth that untangles. */
#include "recovery_scenes.h"

static void a_ball_through_sheets_ends_at_the_limit_of_work_for_any_number_of_threads(void **state) {
    (void)state;
    skip_unless_long();
    uint64_t hashes[2];
    for (int threads = 1; threads <= 2; threads++) {
        ruga_context *context = context_plain(threads);
        ruga_scene *scene = shot_through_sheets(context, 7);
        recovery r = {0};
        for (int f = 1; f <= 3; f++) {
            assert_ok(context, ruga_scene_step(scene));
            take_measures(scene, &r);
        }
        assert_less(0, r.most_intersections);
        assert_less(0, r.limited);
        assert_work_is_limited(&r);
        hashes[threads - 1] = hash_of_frame(scene, 6);
        ruga_scene_destroy(scene);
        ruga_context_destroy(context);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_through_sheets_ends_at_the_limit_of_work_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
