/* The hard scenes of contact in full, as `ruga new` gives them out. */
#include "contact_scenes.h"

#define WAVING 0.01 /* J, that a flag has at least while it waves */

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

static void run_in_full(const char *name) {
    int frames;
    ruga_scene *scene = hard_scene(context, name, NULL, &frames);
    step_hard(context, scene, name, frames);
    ruga_scene_destroy(scene);
}

/* The cloth is not stretched either. */
static void run_measured(const char *name, const char *object) {
    int frames;
    ruga_scene *scene = hard_scene(context, name, NULL, &frames);
    step_measured(context, scene, name, object, frames);
    ruga_scene_destroy(scene);
}

static void a_sheet_folds_over_a_ball(void **state) {
    (void)state;
    run_in_full("drape");
}

static void twenty_sheets_lie_as_a_pile(void **state) {
    (void)state;
    run_in_full("pile");
}

static void a_cloth_is_twisted_four_turns(void **state) {
    (void)state;
    run_measured("twist", "cloth");
}

static void a_cloth_goes_through_a_funnel(void **state) {
    (void)state;
    run_in_full("funnel");
}

static void a_cloth_goes_through_a_ring(void **state) {
    (void)state;
    run_measured("ring", "cloth");
}

static void two_cloths_are_twisted_together(void **state) {
    (void)state;
    int frames;
    ruga_scene *scene = hard_scene(context, "rope", NULL, &frames);
    step_measured_both(context, scene, "rope", (const char *const[2]){"lower", "upper"}, frames);
    ruga_scene_destroy(scene);
}

static void a_box_closes_upon_a_cloth(void **state) {
    (void)state;
    run_measured("box", "cloth");
}

static void a_skirt_walks(void **state) {
    (void)state;
    run_in_full("skirt");
}

/* Down from a jump it flies up and wraps around the legs. */
static void a_skirt_jumps(void **state) {
    (void)state;
    static const char *const jump[] = {"objects[mannequin].body.action", "jump", NULL};
    int frames;
    ruga_scene *scene = hard_scene(context, "skirt", jump, &frames);
    step_hard(context, scene, "skirt", frames);
    ruga_scene_destroy(scene);
}

/* Half a second after the seams have closed, and while it walks, they stay closed (docs/cloth.md, "Sewing"), and the
 * shirt keeps its length. */
static void a_tshirt_is_sewn_and_walks(void **state) {
    (void)state;
    int frames;
    ruga_scene *scene = hard_scene(context, "tshirt", NULL, &frames);
    step_hard(context, scene, "tshirt", 37);
    for (int f = 37; f < frames; f++) {
        step_hard(context, scene, "tshirt", 1);
        for (int i = 1; i <= 10; i++) {
            char name[40] = "shirt.seam.gap";
            if (i > 1) snprintf(name, sizeof name, "shirt.seam%d.gap", i);
            assert_less_case(scene_measure(scene, name), 0.001, "frame %d, seam %d", f, i);
        }
        assert_less_case(scene_measure(scene, "shirt.elongation_p99"), 0.06, "frame %d", f);
    }
    ruga_scene_destroy(scene);
}

/* Flags in the hands of a mannequin that walks: they wave beside poles, hands and each other. Nothing has to touch, so
 * this is not step_hard. */
static void the_flags_of_a_parade_intersect_nothing(void **state) {
    (void)state;
    int frames;
    ruga_scene *scene = hard_scene(context, "parade", NULL, &frames);
    for (int f = 0; f < frames; f++) {
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_intersections(scene, &found, &count));
        assert_equal_case((double)count, 0, "frame %d", f);
        assert_equal_case(scene_measure(scene, "contact.pinched"), 0, "frame %d", f);
        if (f < 5) continue;
        assert_less_case(WAVING, scene_measure(scene, "left_flag.kinetic_energy"), "frame %d", f);
        assert_less_case(WAVING, scene_measure(scene, "right_flag.kinetic_energy"), "frame %d", f);
    }
    ruga_scene_destroy(scene);
}

static void a_ball_passes_none_of_ten_layers_that_are_held(void **state) {
    (void)state;
    ruga_scene *scene = shot_scene(context, 12, 4);
    step_hard(context, scene, "shot", 2);
    ruga_scene_destroy(scene);
}

/* ---- At small sizes. */

static void a_small_cloth_is_twisted_to_a_rope(void **state) {
    (void)state;
    static const char *const small[] = {
        "objects[cloth].mesh.columns", "20", "objects[cloth].mesh.rows", "8", "time.substeps", "5", NULL};
    ruga_scene *scene = hard_scene(context, "twist", small, NULL);
    step_hard(context, scene, "twist", 98);
    /* A rope in the middle: its vertices are near the axis. */
    const ruga_frame *frame = ruga_scene_frame(scene, 2);
    size_t middle = 0;
    for (size_t i = 0; i < frame->vertex_count; i++) {
        if (fabs(frame->positions[i].x) >= 0.03) continue;
        assert_near_case(frame->positions[i].z, 0, 0.15, "i %zu", i);
        middle++;
    }
    assert_ran(middle, 5);
    ruga_scene_destroy(scene);
}

/* Every seam is closed after a second, and the shirt hangs on the shoulders. */
static void a_small_tshirt_is_sewn(void **state) {
    (void)state;
    static const char *const small[] = {
        "objects[shirt].mesh.cell", "0.035", "objects[mannequin].mesh.cells", "60", "time.substeps", "6", NULL};
    ruga_scene *scene = hard_scene(context, "tshirt", small, NULL);
    step_hard(context, scene, "tshirt", 34);
    for (int i = 1; i <= 10; i++) {
        char name[40] = "shirt.seam.gap";
        if (i > 1) snprintf(name, sizeof name, "shirt.seam%d.gap", i);
        assert_less_case(scene_measure(scene, name), 0.004, "seam %d", i);
    }
    double low, high;
    span_of(scene, 1, &low, &high);
    assert_less(1.42, high);
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_folds_over_a_ball),
        cmocka_unit_test(twenty_sheets_lie_as_a_pile),
        cmocka_unit_test(a_cloth_is_twisted_four_turns),
        cmocka_unit_test(a_cloth_goes_through_a_funnel),
        cmocka_unit_test(a_cloth_goes_through_a_ring),
        cmocka_unit_test(two_cloths_are_twisted_together),
        cmocka_unit_test(a_box_closes_upon_a_cloth),
        cmocka_unit_test(a_skirt_walks),
        cmocka_unit_test(a_skirt_jumps),
        cmocka_unit_test(a_tshirt_is_sewn_and_walks),
        cmocka_unit_test(the_flags_of_a_parade_intersect_nothing),
        cmocka_unit_test(a_ball_passes_none_of_ten_layers_that_are_held),
        cmocka_unit_test(a_small_cloth_is_twisted_to_a_rope),
        cmocka_unit_test(a_small_tshirt_is_sewn),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
