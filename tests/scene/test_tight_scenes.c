/* Cloth that is twisted, in a ring, twisted with another, and in a box that closes, at small sizes: nothing intersects,
 * and strains stay small. long_contact_scenes.c has the same in full. */
#include "contact_scenes.h"

/* The first two of four turns, as coarse cloth can't become a thin rope. */
static void a_cloth_is_twisted_two_turns(void **state) {
    skip_when_sanitized();
    static const char *const small[] = {
        "objects[cloth].mesh.columns", "38", "objects[cloth].mesh.rows", "12", "time.substeps", "5", NULL};
    ruga_scene *scene = hard_scene(*state, "twist", small, NULL);
    step_measured(*state, scene, "twist", "cloth", 48);
    ruga_scene_destroy(scene);
}

static void a_cloth_goes_through_a_ring(void **state) {
    skip_when_sanitized();
    static const char *const small[] = {"objects[cloth].mesh.rings",
                                        "9",
                                        "objects[ring].mesh.sectors",
                                        "20",
                                        "objects[ring].mesh.sides",
                                        "10",
                                        "time.substeps",
                                        "5",
                                        NULL};
    ruga_scene *scene = hard_scene(*state, "ring", small, NULL);
    step_measured(*state, scene, "ring", "cloth", 60);
    double lowest = INFINITY;
    const ruga_frame *frame = ruga_scene_frame(scene, 1);
    for (size_t i = 0; i < frame->vertex_count; i++) lowest = fmin(lowest, frame->positions[i].y);
    assert_less(lowest, 0.35);
    ruga_scene_destroy(scene);
}

static void two_cloths_are_twisted_together(void **state) {
    skip_when_sanitized();
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
    step_measured(*state, scene, "rope", "lower", 72);
    ruga_scene_destroy(scene);
}

static void a_box_closes_upon_a_cloth(void **state) {
    skip_when_sanitized();
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

/* A strip is pulled over a drum of little friction, by much more than it can hold: it slides. Rows that stuck in the
 * last round had it stretched by 60 %. */
static void a_strip_slides_over_a_drum(void **state) {
    static const char text[] =
        "{\"time\": {\"fps\": 24, \"frames\": 24, \"substeps\": 4}, \"contact\": {}, \"objects\": ["
        "{\"name\": \"drum\", \"mesh\": {\"kind\": \"cylinder\", \"radius\": 0.1, \"height\": 0.4, \"sectors\": 24, "
        "\"rings\": 6, \"caps\": 1}, \"turn\": [90, 0, 0], \"contact\": {\"friction\": 0.1}}, "
        "{\"name\": \"strip\", \"mesh\": {\"kind\": \"sheet\", \"width\": 0.6, \"length\": 0.1, \"columns\": 30, "
        "\"rows\": 5}, \"move\": [0, 0.104, 0], \"contact\": {\"friction\": 0.1}, \"body\": {\"kind\": \"cloth\", "
        "\"integrator\": \"implicit\", \"thickness\": 0.004, \"pins\": [{\"kind\": \"path\", \"box_from\": [0.295, -9, "
        "-9], \"keys\": [{\"time\": 0}, {\"time\": 0.3, \"move\": [-0.15, -0.2, 0]}, {\"time\": 1, \"move\": [-0.15, "
        "-0.45, 0]}]}]}}]}";
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(*state, ruga_description_read_memory(*state, "strip", text, strlen(text), &d));
    assert_ok(*state, ruga_scene_create(*state, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    for (int f = 1; f <= 24; f++) {
        assert_ok(*state, ruga_scene_step(scene));
        assert_less_case(scene_measure(scene, "strip.elongation_p99"), 0.2, "frame %d", f);
    }
    assert_less(1000, scene_measure(scene, "contact.touching") * 24);
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloth_is_twisted_two_turns),    cmocka_unit_test(a_cloth_goes_through_a_ring),
        cmocka_unit_test(two_cloths_are_twisted_together), cmocka_unit_test(a_box_closes_upon_a_cloth),
        cmocka_unit_test(a_strip_slides_over_a_drum),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
