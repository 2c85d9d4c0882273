/* The law of surfaces with a state of their own, over 500 frames. */
#include "own_surface_scene.h"

static void the_shown_surface_never_intersects_in_500_frames(void **state) {
    const shell_def defs[3] = {{.n = 3, .stiffness = 0}, {.n = 2, .stiffness = 0.5}, {.n = 4, .stiffness = 0}};
    for (int i = 0; i < 3; i++) {
        shell_scene s = shell_scene_make(*state, 12, &defs[i], i == 2);
        shell_run run = shell_check_frames(&s, 500);
        assert_less(200, run.intersected);
        assert_less(run.apart, 0.05);
        shell_scene_release(&s);
    }
}

static void the_same_holds_where_the_body_has_a_mapped_surface_itself(void **state) {
    const shell_def def = {.n = 2, .stiffness = 0};
    for (int place = SHELL_ON_MAPPED; place <= SHELL_IS_BODY; place++) {
        shell_scene s = shell_scene_make_on(*state, (shell_place)place, 8, &def, place == SHELL_IS_BODY);
        shell_run run = shell_check_frames(&s, 500);
        assert_less(200, run.intersected);
        assert_less(run.apart, 1.0 / 8); /* m, an edge between points: the surface stays near them */
        shell_scene_release(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shown_surface_never_intersects_in_500_frames),
        cmocka_unit_test(the_same_holds_where_the_body_has_a_mapped_surface_itself),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
