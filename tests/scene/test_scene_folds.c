/* The hook "crease" on flesh: folds of a pressed block, pushes and anchors, resumed runs, and errors. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

/* A block that is pressed together by a fifth, with creases across; `more` are further fields of the hook. */
#define BLOCK                                                                                                      \
    "{\"time\": {\"fps\": 10, \"frames\": 4}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"block\","         \
    "\"mesh\": {\"kind\": \"bar\", \"length\": 1, \"height\": 0.6, \"depth\": 0.6, \"cells\": 10,"                 \
    "\"cells_across\": 6, \"solid\": 1}, \"body\": {\"kind\": \"flesh\", \"integrator\": \"%s\", \"young\": 1000," \
    "\"poisson\": 0.3, \"density\": %g, \"thickness\": 0, \"pins\": ["                                             \
    "{\"kind\": \"path\", \"box_from\": [0.499, -1, -1], \"keys\": [{\"time\": 0}, {\"time\": 0.3, \"move\": "     \
    "[-0.1, 0, 0]}]}, {\"kind\": \"path\", \"box_to\": [-0.499, 1, 1], \"keys\": [{\"time\": 0}, "                 \
    "{\"time\": 0.3, \"move\": [0.1, 0, 0]}]}]},"                                                                  \
    "\"hooks\": [{\"kind\": \"crease\", \"lines\": [{\"name\": \"line\", \"points\": [[0.02, 0.02, 0.3], "         \
    "[0.02, 0.3, 0.2], [0.03, 0.3, -0.2], [0.03, 0.03, -0.3]]}] %s}]}]}"

static char text[4000];
static const char *block(const char *integrator, double density, const char *more) {
    snprintf(text, sizeof text, BLOCK, integrator, density, more);
    return text;
}

static ruga_status try_scene(ruga_context *context, const char *json, ruga_scene **out) {
    ruga_description *d = NULL;
    *out = NULL;
    assert_ok(context, ruga_description_read_memory(context, "folds", json, strlen(json), &d));
    ruga_status status = ruga_scene_create(context, ruga_description_get(d), out);
    ruga_description_destroy(d);
    return status;
}

static ruga_scene *scene_of(ruga_context *context, const char *json) {
    ruga_scene *scene;
    assert_ok(context, try_scene(context, json, &scene));
    return scene;
}

static void run(ruga_context *context, ruga_scene *scene, int frames) {
    for (int i = 0; i < frames; i++) assert_ok(context, ruga_scene_step(scene));
}

/* Pressed flesh stays closed along its crease, and its crack does not overlap; a push makes it a valley. */
static void pressed_flesh_folds_along_its_crease(void **state) {
    double valleys[3], edge = 0.114;
    const char *more[3] = {"", ", \"push\": 15",
                           ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 0.12, \"pull\": 0.6}"};
    for (int k = 0; k < 3; k++) {
        ruga_scene *scene = scene_of(*state, block("quasistatic", 1000, more[k]));
        run(*state, scene, 3);
        assert_less(scene_measure(scene, "block.residual"), 1e-5);
        assert_less(scene_measure(scene, "block.crease.crease_gap"), 0.05 * edge);
        assert_less(scene_measure(scene, "block.crease.crack_overlap"), 0.05 * edge);
        assert_near(scene_measure(scene, "block.inverted"), 0, 0);
        valleys[k] = scene_measure(scene, "block.crease.valley");
        ruga_scene_destroy(scene);
    }
    assert_true(valleys[1] > valleys[0] + 5);
    assert_true(valleys[2] > valleys[0] + 5);
}

static double apart(const ruga_scene *a, const ruga_scene *b) {
    const ruga_frame *p = ruga_scene_frame(a, 0), *q = ruga_scene_frame(b, 0);
    double most = 0;
    for (size_t i = 0; i < p->vertex_count; i++) most = fmax(most, vec3_distance(p->positions[i], q->positions[i]));
    return most;
}

/* Masses do not occur in an equilibrium. */
static void the_equilibrium_does_not_depend_on_the_density(void **state) {
    ruga_scene *light = scene_of(*state, block("quasistatic", 10, "")), *heavy;
    heavy = scene_of(*state, block("quasistatic", 1e5, ""));
    run(*state, light, 3);
    run(*state, heavy, 3);
    assert_equal(apart(light, heavy), 0);
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
        ruga_scene *whole = scene_of(*state, block(k ? "implicit" : "quasistatic", 1000, more)), *rest;
        void *bytes = NULL;
        size_t size;
        run(*state, whole, 1);
        assert_ok(*state, ruga_scene_save(whole, &bytes, &size));
        run(*state, whole, 2);
        rest = scene_of(*state, block(k ? "implicit" : "quasistatic", 1000, more));
        assert_ok(*state, ruga_scene_restore(rest, bytes, size));
        run(*state, rest, 2);
        assert_equal(apart(whole, rest), 0);
        ruga_free(*state, bytes);
        ruga_scene_destroy(whole);
        ruga_scene_destroy(rest);
    }
}

static void refused(ruga_context *context, const char *more, const char *why) {
    ruga_scene *scene;
    assert_true(RUGA_FAILED(try_scene(context, block("quasistatic", 1000, more), &scene)));
    assert_message_has(context, why);
}

static void impossible_folds_are_refused(void **state) {
    refused(*state, ", \"cut\": 1", "can't be cut or removed");
    refused(*state, ", \"form\": \"exact\"", "need the form \"ridge\"");
    refused(*state, ", \"muscle\": 2", "the flesh has 0 muscles");
    refused(*state, ", \"anchors\": {\"kind\": \"anchors\", \"depth\": 3}", "outside of the body");
    ruga_scene *scene;
    assert_true(RUGA_FAILED(try_scene(*state, block("semi_implicit", 1000, ""), &scene)));
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
