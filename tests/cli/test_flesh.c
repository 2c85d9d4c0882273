/* ruga flesh: a mesh in, a motion, a run or a scene out. */
#include <math.h>

#include "support/ruga_command.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL,
                "make bar --length 0.3 --height 0.1 --depth 0.1 --cells 6 --cells-across 2 --solid 1 -o bar.msh -q");
    assert_ruga(0, NULL, "make sphere --radius 0.1 --frequency 5 -o ball.obj -q");
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(context);
    return tear_down_test_folder(state);
}

/* Least height of the last frame. */
static double lowest_of(const char *mesh, const char *motion, double time) {
    outcome o = open_outcome(context, mesh, motion);
    double low = INFINITY;
    assert_ok(context, ruga_motion_sample(o.motion, time, o.positions));
    for (size_t v = 0; v < o.mesh->vertex_count; v++) low = fmin(low, o.positions[v].y);
    close_outcome(&o);
    return low;
}

static void a_bar_that_is_held_sags(void **state) {
    (void)state;
    assert_ruga(0, NULL, "flesh bar.msh --pin-box-to -0.14,1,1 --frames 2 -o sag.pc2 -q");
    assert_less(lowest_of("sag.obj", "sag.pc2", 1 / 24.0), -0.052);
    assert_ruga(0, NULL, "flesh bar.msh --pin-box-to -0.14,1,1 --frames 2 --gravity 0,0,0 -o rest.pc2 -q");
    assert_near(lowest_of("rest.obj", "rest.pc2", 1 / 24.0), -0.05, 1e-6);
}

static void a_muscle_bends_a_ball_that_is_filled(void **state) {
    (void)state;
    assert_ruga(0, NULL,
                "flesh ball.obj --spacing 0.05 --gravity 0,0,0 --pin-box-to 1,-0.09,1 --muscle-box-from 0,-1,-1 "
                "--muscle-direction 0,1,0 --muscle-stress 9000 --frames 3 -o tense.pc2 -q");
    outcome o = open_outcome(context, "tense.obj", "tense.pc2");
    double high = 0;
    assert_ok(context, ruga_motion_sample(o.motion, 2 / 24.0, o.positions));
    for (size_t v = 0; v < o.mesh->vertex_count; v++) high = fmax(high, o.positions[v].y);
    close_outcome(&o);
    assert_less(high, 0.095);
}

static void it_writes_a_scene_to_continue_with(void **state) {
    (void)state;
    assert_ruga(0, NULL, "flesh bar.msh --pin-box-to -0.14,1,1 --young 5000 --frames 2 -o scene.json -q");
    char *text = read_test_file(test_path("scene.json"), NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "5000"));
    free(text);
    assert_ruga(0, NULL, "run scene.json -o scene.run -q");
}

/* Findings of the scene are lines of their own. */
static void assert_fails(const char *message, command_result r) {
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, message));
    command_release(&r);
}

static void wrong_usage_is_explained(void **state) {
    (void)state;
    assert_ruga(2, "expected one mesh", "flesh");
    assert_ruga(2, "--muscle-direction", "flesh bar.msh --muscle-stress 100 -o x.pc2");
    assert_fails("muscle 0 has no material",
                 ruga_run("flesh bar.msh --muscle-box-from 5,5,5 --muscle-direction 1,0,0 -o x.pc2"));
    assert_fails("chooses no vertex", ruga_run("flesh bar.msh --pin-box-to -5,1,1 -o x.pc2"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_that_is_held_sags),
        cmocka_unit_test(a_muscle_bends_a_ball_that_is_filled),
        cmocka_unit_test(it_writes_a_scene_to_continue_with),
        cmocka_unit_test(wrong_usage_is_explained),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
