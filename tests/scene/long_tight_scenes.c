/* Cloth that is twisted, twisted with another, and in a box that closes, at small sizes: nothing intersects, and
 * strains stay small. */
#include "contact_scenes.h"

/* The first two of four turns, as coarse cloth can't become a thin rope. */
static void a_cloth_is_twisted_two_turns(void **state) {
    static const char *const small[] = {
        "objects[cloth].mesh.columns", "38", "objects[cloth].mesh.rows", "12", "time.substeps", "5", NULL};
    ruga_scene *scene = hard_scene(*state, "twist", small, NULL);
    step_measured(*state, scene, "twist", "cloth", 48);
    ruga_scene_destroy(scene);
}

static void two_cloths_are_twisted_together(void **state) {
    static const char *const small[] = {"objects[upper].mesh.columns",
                                        "24",
                                        "objects[upper].mesh.rows",
                                        "6",
                                        "objects[lower].mesh.columns",
                                        "24",
                                        "objects[lower].mesh.rows",
                                        "6",
                                        "time.substeps",
                                        "5",
                                        NULL};
    ruga_scene *scene = hard_scene(*state, "rope", small, NULL);
    step_measured_both(*state, scene, "rope", (const char *const[2]){"lower", "upper"}, 72);
    ruga_scene_destroy(scene);
}

static void a_box_closes_upon_a_cloth(void **state) {
    static const char *const small[] = {"objects[cloth].mesh.columns",
                                        "18",
                                        "objects[cloth].mesh.rows",
                                        "12",
                                        "objects[floor].mesh.cells",
                                        "4",
                                        "time.substeps",
                                        "5",
                                        NULL};
    ruga_scene *scene = hard_scene(*state, "box", small, NULL);
    step_measured(*state, scene, "box", "cloth", 64);
    /* It lies between the walls, and rises. */
    const ruga_frame *frame = ruga_scene_frame(scene, 5);
    double highest = -INFINITY;
    for (size_t i = 0; i < frame->vertex_count; i++) {
        highest = fmax(highest, frame->positions[i].y);
        assert_near_case(frame->positions[i].x, 0, 0.125, "vertex %zu", i);
    }
    assert_less(0.03, highest);
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloth_is_twisted_two_turns),
        cmocka_unit_test(two_cloths_are_twisted_together),
        cmocka_unit_test(a_box_closes_upon_a_cloth),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
