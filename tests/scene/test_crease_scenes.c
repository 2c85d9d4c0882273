/* The examples of creases, on coarser meshes than they come with. */
#include "contact_scenes.h"
#include "math/vec3.h"

static ruga_vec3 position_of(const ruga_scene *scene, const char *object, size_t vertex) {
    return ruga_scene_frame(scene, ruga_scene_object_find(scene, object))->positions[vertex];
}

/* The corner is folded, the page is turned, and the fold stays. */
static void the_corner_of_a_turned_page_stays_folded(void **state) {
    skip_when_sanitized();
    const char *const coarse[] = {"objects[page].mesh.columns", "10", "objects[page].mesh.rows", "14", NULL};
    int frames;
    ruga_scene *scene = hard_scene(*state, "page", coarse, &frames);
    step_hard(*state, scene, "page", 20);
    assert_less(80, scene_measure(scene, "page.crease.valley"));
    step_hard(*state, scene, "page", frames - 20);
    assert_less(80, scene_measure(scene, "page.crease.valley"));
    assert_less(scene_measure(scene, "page.crease.crease_gap"), 0.05 * 0.02);
    assert_less(scene_measure(scene, "page.elongation_p99"), 0.03);
    /* The outer edge, which was at x = 0.1, is on the other side of the spine. */
    assert_less(position_of(scene, "page", 10 + 11 * 4).x, -0.25);
    ruga_scene_destroy(scene);
}

/* Distance of the two corners of a cloth that hang down. */
static double opening(const ruga_scene *scene, const char *object, size_t side) {
    return vec3_distance(position_of(scene, object, 0), position_of(scene, object, (side + 1) * (side + 1) - 1));
}

static void cloth_hangs_sharply_by_a_crease_and_in_an_arc_without_one(void **state) {
    skip_when_sanitized();
    ruga_scene *scene = hard_scene(*state, "hang", NULL, NULL);
    step_hard(*state, scene, "hang", 36);
    double plain = opening(scene, "plain", 16), creased = opening(scene, "creased", 16),
           stiff = opening(scene, "stiff", 16);
    assert_less(0.3, plain);
    assert_less(creased, 0.3 * plain);
    assert_less(creased, stiff);
    assert_less(stiff, plain);
    assert_less(scene_measure(scene, "creased.crease.mountain"), -170);
    ruga_scene_destroy(scene);
}

/* Both sides of a curved crease bend, so that it leaves the plane; they hardly stretch. */
static void a_curved_crease_folds_and_bends_both_sides(void **state) {
    skip_when_sanitized();
    const char *const coarse[] = {"objects[paper].mesh.columns", "20", "objects[paper].mesh.rows", "20", NULL};
    int frames;
    ruga_scene *scene = hard_scene(*state, "arc", coarse, &frames);
    for (int f = 0; f < frames; f++) assert_ok(*state, ruga_scene_step(scene));
    assert_less(85, scene_measure(scene, "paper.crease.valley"));
    assert_less(scene_measure(scene, "paper.elongation_p99"), 0.02);
    assert_less(scene_measure(scene, "paper.crease.crease_gap"), 0.1 * 0.01);
    /* The border beyond the arc's ends is far from straight: its middle is off the line between its corners. */
    ruga_vec3 left = position_of(scene, "paper", 0), middle = position_of(scene, "paper", 10),
              right = position_of(scene, "paper", 20);
    assert_less(0.01, vec3_distance(middle, vec3_mix(left, right, 0.5)));
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corner_of_a_turned_page_stays_folded),
        cmocka_unit_test(cloth_hangs_sharply_by_a_crease_and_in_an_arc_without_one),
        cmocka_unit_test(a_curved_crease_folds_and_bends_both_sides),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
