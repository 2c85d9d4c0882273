/* Cloth in a ring and over a drum, at small sizes: nothing intersects, and strains stay small. long_tight_scenes.c has
 * more of them, long_contact_scenes.c the same in full. */
#include "contact_scenes.h"

static void a_cloth_goes_through_a_ring(void **state) {
    skip_unless_long();
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
        cmocka_unit_test(a_cloth_goes_through_a_ring),
        cmocka_unit_test(a_strip_slides_over_a_drum),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
