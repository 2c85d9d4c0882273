/* Layers that pins hold nearer together than their thickness: contact keeps them apart without pumping energy in. */
#include "scene/crease_scenes.h"

/* Two sheets hang by their upper borders, 0.1 mm apart; contact wants 3 mm. */
static const char *const layers_scene =
    "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": 4}, \"contact\": {}, \"objects\": ["
    "{\"name\": \"front\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8, \"triangulation\": 2}, "
    "\"turn\": [90, 0, 0], \"move\": [0, 0, 0.0001], \"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", "
    "\"thickness\": 0.003, \"pins\": [{\"kind\": \"fixed\", \"box_from\": [-1, 0.49, -1]}]}}, "
    "{\"name\": \"back\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 7, \"rows\": 9, \"triangulation\": 2}, "
    "\"turn\": [90, 0, 0], \"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"thickness\": 0.003, "
    "\"pins\": [{\"kind\": \"fixed\", \"box_from\": [-1, 0.49, -1]}]}}]}";

static void pinned_layers_hang_still(void **state) {
    ruga_scene *scene = crease_scene_make(*state, layers_scene);
    double longest = 0;
    for (int f = 0; f < 60; f++) {
        const ruga_scene_intersection *found;
        size_t count;
        assert_ok(*state, ruga_scene_step(scene));
        assert_ok(*state, ruga_scene_intersections(scene, &found, &count));
        assert_int_equal(count, 0);
        longest = fmax(longest, scene_measure(scene, "front.elongation"));
    }
    /* Its own weight stretches cotton by far less. */
    assert_less(longest, 0.001);
    assert_less(scene_measure(scene, "front.kinetic_energy"), 1e-5);
    for (size_t object = 0; object < 2; object++) {
        const ruga_frame *frame = ruga_scene_frame(scene, object);
        double z = 0;
        for (size_t v = 0; v < frame->vertex_count; v++) z = fmax(z, fabs(frame->positions[v].z));
        /* Pushed by the pins, they were 105 mm apart. */
        assert_less(z, 0.005);
    }
    ruga_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pinned_layers_hang_still)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
