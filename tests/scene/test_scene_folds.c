/* The hook "crease" on flesh: folds of a pressed block, pushes and anchors, resumed runs, and errors. */
#include "scene/folded_block.h"

/* Pressed flesh stays closed along its crease, and its crack does not overlap; a push makes it a valley. */
static void pressed_flesh_folds_along_its_crease(void **state) {
    double valleys[3], edge = BLOCK_EDGE;
    const char *more[3] = {"", ", \"push\": 15",
                           ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 0.12, \"pull\": 0.6}"};
    for (int k = 0; k < 3; k++) {
        ruga_scene *scene = make_folded_block(*state, &(folded_block){.hook = more[k]});
        run_frames(*state, scene, 3);
        assert_less(scene_measure(scene, "block.residual"), 1e-5);
        assert_less(scene_measure(scene, "block.crease.crease_gap"), 0.05 * edge);
        assert_less(scene_measure(scene, "block.crease.crack_overlap"), 0.05 * edge);
        assert_near(scene_measure(scene, "block.inverted"), 0, 0);
        valleys[k] = scene_measure(scene, "block.crease.valley");
        ruga_scene_destroy(scene);
    }
    assert_less(valleys[0] + 5, valleys[1]);
    assert_less(valleys[0] + 5, valleys[2]);
}

/* Masses do not occur in an equilibrium. */
static void the_equilibrium_does_not_depend_on_the_density(void **state) {
    ruga_scene *light = make_folded_block(*state, &(folded_block){.density = 10});
    ruga_scene *heavy = make_folded_block(*state, &(folded_block){.density = 1e5});
    run_frames(*state, light, 3);
    run_frames(*state, heavy, 3);
    assert_equal(frames_apart(light, heavy), 0);
    ruga_scene_destroy(light);
    ruga_scene_destroy(heavy);
}

/* Stopped and resumed, a run has the same bits: equilibria and steps in time, with folds that yield and anchors that
 * follow. */
static void a_resumed_run_has_the_same_bits(void **state) {
    const char *more =
        ", \"angle\": 20, \"end\": 0.2, \"yield\": 5, \"anchors\": {\"kind\": \"anchors\", \"depth\": 0.12, "
        "\"ground\": \"following\", \"pull\": {\"keys\": [[0, 0], [0.3, 0.5]]}}";
    for (int k = 0; k < 2; k++) {
        const folded_block block = {.integrator = k ? "implicit" : "quasistatic", .hook = more};
        ruga_scene *whole = make_folded_block(*state, &block), *rest;
        void *bytes = NULL;
        size_t size;
        run_frames(*state, whole, 1);
        assert_ok(*state, ruga_scene_save(whole, &bytes, &size));
        run_frames(*state, whole, 2);
        rest = make_folded_block(*state, &block);
        assert_ok(*state, ruga_scene_restore(rest, bytes, size));
        run_frames(*state, rest, 2);
        assert_equal(frames_apart(whole, rest), 0);
        ruga_free(*state, bytes);
        ruga_scene_destroy(whole);
        ruga_scene_destroy(rest);
    }
}

static void refused(ruga_context *context, const char *more, const char *why) {
    ruga_scene *scene;
    assert_true(RUGA_FAILED(try_folded_block(context, &(folded_block){.hook = more}, &scene)));
    assert_message_has(context, why);
}

static void impossible_folds_are_refused(void **state) {
    refused(*state, ", \"cut\": 1", "can't be cut or removed");
    refused(*state, ", \"form\": \"exact\"", "need the form \"ridge\"");
    refused(*state, ", \"muscle\": 2", "the flesh has 0 muscles");
    refused(*state, ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 3}", "outside of the body");
    ruga_scene *scene;
    assert_true(RUGA_FAILED(try_folded_block(*state, &(folded_block){.integrator = "semi_implicit"}, &scene)));
    assert_message_has(*state, "use the integrator implicit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressed_flesh_folds_along_its_crease),
        cmocka_unit_test(the_equilibrium_does_not_depend_on_the_density),
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(impossible_folds_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
