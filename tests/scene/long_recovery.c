/* Recovery and the limit of work, in full. */
#include "recovery_scenes.h"

/* On every mesh: where cells are large, the ball sticks between vertices that are all outside of it. */
static void sheets_untangle_after_a_ball_went_through_them(void **state) {
    (void)state;
    static const int cells[] = {7, 12, 16, 20, 24};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        ruga_context *context = context_plain(0);
        ruga_scene *scene = shot_through_sheets(context, cells[i]);
        char name[40];
        snprintf(name, sizeof name, "sheets of %d cells", cells[i]);
        recovery r = step_recovery(context, scene, name, SHOT_ENDS);
        assert_less(0, r.most_intersections);
        assert_less(0, r.limited);
        assert_work_is_limited(&r);
        ruga_scene_destroy(scene);
        ruga_context_destroy(context);
    }
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
        cmocka_unit_test(sheets_untangle_after_a_ball_went_through_them),
        cmocka_unit_test(a_skirt_untangles_after_hands_wound_it_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
