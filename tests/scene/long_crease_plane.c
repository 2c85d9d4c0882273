/* The example `plane`, on a coarser mesh: it folds, meets the wall, and its wings recover. */
#include "contact_scenes.h"

/* Without the demand of step_hard that many pairs touch. */
static void step_frames(ruga_context *context, ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++) {
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_intersections(scene, &found, &count));
        assert_near_case((double)count, 0, 0, "frame %d", f);
    }
}

/* Degrees: the mean fold of a wing, -75 without load. Measures of the object are extremes over all its creases. */
static double wing(ruga_context *context, const ruga_scene *scene, int right) {
    ruga_crease_report report;
    assert_ok(context, ruga_scene_crease(scene, 1, right ? 5 : 7, &report));
    assert_near(report.target, -75, 1e-9);
    return report.fold;
}

static void the_wings_of_a_plane_recover_from_a_wall(void **state) {
    skip_when_sanitized();
    const char *const coarse[] = {"objects[plane].mesh.columns", "14", "objects[plane].mesh.rows", "22", NULL};
    int frames;
    ruga_scene *scene = hard_scene(*state, "plane", coarse, &frames);
    /* The nose, the keel, and the wings, to -75 degrees. */
    step_frames(*state, scene, 75);
    assert_less(165, scene_measure(scene, "plane.crease.valley"));
    assert_less(-80, scene_measure(scene, "plane.crease.mountain")); /* a corner beyond half a turn is a valley */
    double before[2];
    for (int k = 0; k < 2; k++) {
        before[k] = wing(*state, scene, k);
        assert_less(before[k], -55);
    }
    /* The wall pushes it, and is gone. */
    step_hard(*state, scene, "plane", frames - 75);
    for (int k = 0; k < 2; k++) assert_near(wing(*state, scene, k), before[k], 5);
    assert_less(165, scene_measure(scene, "plane.crease.valley"));
    assert_less(scene_measure(scene, "plane.crease.crease_gap"), 0.1 * 0.013);
    assert_less(scene_measure(scene, "plane.elongation_p99"), 0.05);
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_wings_of_a_plane_recover_from_a_wall)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
