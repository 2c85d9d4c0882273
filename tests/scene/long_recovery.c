/* Recovery and the limit of work, in full. */
#include "recovery_scenes.h"

/* How many intersections they keep depends on the size; the work of a substep is limited at any size. */
static void a_ball_through_sheets_reaches_the_limit_of_work_and_no_more(void **state) {
    (void)state;
    ruga_context *context = context_plain(0);
    ruga_scene *scene = shot_through_sheets(context, 24);
    recovery r = {0};
    for (int f = 1; f <= 4; f++) {
        assert_ok(context, ruga_scene_step(scene));
        take_measures(scene, &r);
    }
    assert_less(0, r.limited);
    assert_work_is_limited(&r);
    ruga_scene_destroy(scene);
    ruga_context_destroy(context);
}

static void a_skirt_untangles_after_hands_wound_it_up(void **state) {
    (void)state;
    ruga_context *context = context_plain(0);
    ruga_scene *scene = skirt_wound_up(context, 48, 16, 60);
    recovery r = step_recovery(context, scene, "skirt", WINDING_ENDS);
    assert_less(0, r.most_intersections);
    assert_work_is_limited(&r);
    ruga_scene_destroy(scene);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_through_sheets_reaches_the_limit_of_work_and_no_more),
        cmocka_unit_test(a_skirt_untangles_after_hands_wound_it_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
