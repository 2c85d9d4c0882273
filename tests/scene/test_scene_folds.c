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

/* Flesh on a rigid bone, which turns it about x while the fold rises, and then holds it. */
enum { FRAMES = 9 };
static double valley_of_turned_block(ruga_context *context, const char *hook, double turn) {
    char text[4000];
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    snprintf(
        text, sizeof text,
        "{\"time\": {\"fps\": 10, \"frames\": 9}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"bone\", \"mesh\": "
        "{\"kind\": \"bar\", \"length\": 1.2, \"height\": 0.2, \"depth\": 0.2, \"cells\": 4, \"cells_across\": 1}, "
        "\"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 0.6, \"move\": [0, %g, 0], "
        "\"turn\": [%g, 0, 0]}]}}, {\"name\": \"block\", \"mesh\": %s, \"body\": {\"kind\": \"flesh\", "
        "\"integrator\": \"quasistatic\", \"young\": 1000, \"poisson\": 0.3, \"pins\": [{\"kind\": \"follow\", "
        "\"object\": \"bone\", \"where\": \"box:-1,-1,-1,-0.499,1,1 | box:0.499,-1,-1,1,1,1\"}]}, \"hooks\": "
        "[{\"kind\": \"crease\", \"lines\": [[[0.02, 0.02, 0.3], [0.02, 0.3, 0.2], [0.03, 0.3, -0.2], "
        "[0.03, 0.03, -0.3]]] %s}]}]}",
        turn / 100, turn, BLOCK_MESH, hook);
    assert_ok(context, ruga_description_read_memory(context, "turned", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    run_frames(context, scene, FRAMES);
    assert_less(scene_measure(scene, "block.residual"), 1e-5);
    const double valley = scene_measure(scene, "block.crease.valley");
    ruga_scene_destroy(scene);
    return valley;
}

/* Pushes turn with the flesh, and fixed anchors with the bone that it is pinned to. */
static void a_turned_block_has_the_same_fold(void **state) {
    static const char *const hooks[] = {
        ", \"push\": 40",
        ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 0.12, \"pull\": 0.8}",
        ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 0.12, \"pull\": 0.8, \"ground\": \"tied\"}",
    };
    for (int k = 0; k < 3; k++) {
        const double still = valley_of_turned_block(*state, hooks[k], 0);
        assert_less(10, still);
        for (int turn = 90; turn <= 180; turn += 90) {
            const double turned = valley_of_turned_block(*state, hooks[k], turn);
            print_message("    %g degrees at rest, %g turned by %d\n", still, turned, turn);
            assert_near(turned, still, 0.001 * still);
        }
    }
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

/* Creased flesh with everything that acts on its folds, in equilibrium and in time. */
static void folds_do_not_depend_on_the_number_of_threads(void **state) {
    const char *more =
        ", \"angle\": 20, \"end\": 0.2, \"yield\": 5, \"push\": 10, \"anchors\": {\"kind\": "
        "\"anchors\", \"depth\": 0.12, \"ground\": \"following\", \"pull\": 0.3}";
    (void)state;
    for (int k = 0; k < 2; k++) {
        uint64_t hashes[3];
        for (int threads = 1; threads <= 3; threads++) {
            ruga_context *context = context_plain(threads);
            const folded_block block = {
                .integrator = k ? "implicit" : "quasistatic", .body = ", \"skin\": 20", .hook = more};
            ruga_scene *scene = make_folded_block(context, &block);
            run_frames(context, scene, 3);
            assert_ok(context, ruga_scene_state_hash(scene, &hashes[threads - 1]));
            assert_true(hashes[threads - 1] == hashes[0]);
            ruga_scene_destroy(scene);
            ruga_context_destroy(context);
        }
    }
}

/* Lines from edge to edge of a bar, the first of docs/flesh.md, and around it, whose cells they run along or across. */
static void lines_may_end_on_sharp_edges(void **state) {
    static const char *const hooks[] = {
        "\"lines\": [[[0.02, 0.06, 0.05], [0.02, 0.06, -0.05]]], \"push\": 5",
        "\"lines\": [[[0, 0.06, 0.05], [0, 0.06, -0.05]]]",
        "\"lines\": [[[0.02, 0.06, 0.0499], [0.02, 0.06, -0.0499]]]",
        "\"lines\": [[[0.02, 0.06, 0.05], [0.05, 0.06, -0.05]]]",
        "\"lines\": [[[0.02, 0.06, 0.05], [0.02, 0.06, -0.05], [0.02, 0, -0.05]]]",
        ("\"depth\": 1.5, \"lines\": [{\"closed\": true, \"points\": [[0.02, 0.06, 0.05], [0.02, 0.06, -0.05], "
         "[0.02, -0.06, -0.05], [0.02, -0.06, 0.05]]}]"),
    };
    for (int k = 0; k < 12; k++) {
        char text[2000];
        ruga_description *d = NULL;
        ruga_scene *scene = NULL;
        snprintf(
            text, sizeof text,
            "{\"time\": {\"fps\": 1}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"block\", \"mesh\": {\"kind\": "
            "\"bar\", \"length\": 0.3, \"height\": 0.12, \"depth\": 0.1, \"cells\": 24, \"cells_across\": 8, "
            "\"solid\": %d}, \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\", \"pins\": [{\"kind\": "
            "\"fixed\", \"box_to\": [1, -0.059, 1]}]}, \"hooks\": [{\"kind\": \"crease\", %s}]}]}",
            1 + k % 2, hooks[k / 2]);
        assert_ok(*state, ruga_description_read_memory(*state, "sharp", text, strlen(text), &d));
        assert_ok(*state, ruga_scene_create(*state, ruga_description_get(d), &scene));
        ruga_description_destroy(d);
        if (k < 2) run_frames(*state, scene, 2);
        if (k < 2) assert_less(0.5, scene_measure(scene, "block.crease.valley"));
        ruga_scene_destroy(scene);
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
    refused(*state, ", \"muscle\": 2", "the flesh has no muscles");
    refused(*state, ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 3}", "outside of the body");
    ruga_scene *scene;
    assert_true(RUGA_FAILED(try_folded_block(*state, &(folded_block){.integrator = "semi_implicit"}, &scene)));
    assert_message_has(*state, "use the integrator implicit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressed_flesh_folds_along_its_crease),
        cmocka_unit_test(a_turned_block_has_the_same_fold),
        cmocka_unit_test(the_equilibrium_does_not_depend_on_the_density),
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(folds_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(lines_may_end_on_sharp_edges),
        cmocka_unit_test(impossible_folds_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
