/* The hard scenes of contact at small sizes; long_contact_scenes.c has them in full. */
#include "contact_scenes.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

static void a_sheet_folds_over_a_ball(void **state) {
    (void)state;
    skip_when_sanitized();
    static const char *const small[] = {"objects[sheet].mesh.columns",
                                        "20",
                                        "objects[sheet].mesh.rows",
                                        "20",
                                        "objects[ball].mesh.frequency",
                                        "6",
                                        NULL};
    ruga_scene *scene = hard_scene(context, "drape", small, NULL);
    step_hard(context, scene, "drape", 60);
    double low, high;
    span_of(scene, 1, &low, &high);
    /* Over the ball, and on the floor. */
    assert_less(0.4, high);
    assert_less(low, 0.05);
    assert_less(0, low);
    ruga_scene_destroy(scene);
}

static void sheets_lie_as_a_pile(void **state) {
    (void)state;
    skip_unless_long();
    static const char *const columns = "objects[%d].mesh.%s";
    char paths[40][40];
    const char *changes[81];
    for (int i = 0; i < 40; i++) {
        snprintf(paths[i], sizeof paths[i], columns, i / 2, i % 2 ? "rows" : "columns");
        changes[2 * i] = paths[i];
        changes[2 * i + 1] = "4";
    }
    changes[80] = NULL;
    ruga_scene *scene = hard_scene(context, "pile", changes, NULL);
    step_hard(context, scene, "pile", 24);
    /* In their order still: the first below the last. */
    double low, high, first, last;
    span_of(scene, 0, &first, &high);
    span_of(scene, 19, &low, &last);
    assert_less(first, low);
    ruga_scene_destroy(scene);
}

static void a_cloth_goes_through_a_funnel(void **state) {
    (void)state;
    skip_unless_long();
    static const char *const small[] = {"objects[cloth].mesh.rings",
                                        "8",
                                        "objects[funnel].mesh.sectors",
                                        "16",
                                        "objects[funnel].mesh.sides",
                                        "24",
                                        "time.substeps",
                                        "5",
                                        NULL};
    ruga_scene *scene = hard_scene(context, "funnel", small, NULL);
    step_hard(context, scene, "funnel", 76);
    double low, high;
    span_of(scene, 1, &low, &high);
    assert_less(low, -0.3);
    ruga_scene_destroy(scene);
}

static void a_skirt_walks(void **state) {
    (void)state;
    skip_unless_long();
    static const char *const small[] = {"objects[skirt].mesh.columns",
                                        "36",
                                        "objects[skirt].mesh.rows",
                                        "10",
                                        "objects[mannequin].mesh.cells",
                                        "60",
                                        "time.substeps",
                                        "4",
                                        NULL};
    ruga_scene *scene = hard_scene(context, "skirt", small, NULL);
    double start = ruga_scene_frame(scene, 1)->positions[0].z;
    step_hard(context, scene, "skirt", 48);
    assert_less(0.5, ruga_scene_frame(scene, 1)->positions[0].z - start);
    ruga_scene_destroy(scene);
}

static void a_ball_passes_none_of_ten_layers_that_are_held(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_scene *scene = shot_scene(context, 5, 2);
    step_hard(context, scene, "shot", 2);
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_folds_over_a_ball),
        cmocka_unit_test(sheets_lie_as_a_pile),
        cmocka_unit_test(a_cloth_goes_through_a_funnel),
        cmocka_unit_test(a_skirt_walks),
        cmocka_unit_test(a_ball_passes_none_of_ten_layers_that_are_held),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
