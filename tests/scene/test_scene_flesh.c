/* Flesh in scenes: the templates, pins that follow, resuming, threads, findings. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

static ruga_scene *make_scene(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static void step(ruga_context *context, ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++) assert_ok(context, ruga_scene_step(scene));
}

/* A bar that contracts, held at one end; `more` is in its body. */
#define BAR(integrator, more)                                                                                        \
    "{\"time\": {\"fps\": 10, \"substeps\": 2}, \"contact\": true, \"colliders\": [{\"kind\": \"plane\"}], "         \
    "\"objects\": [{\"name\": \"bar\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.3, \"height\": 0.1, \"depth\": "  \
    "0.1, \"cells\": 6, \"cells_across\": 2, \"solid\": 1}, \"move\": [0, 0.1, 0], \"body\": {\"kind\": \"flesh\", " \
    "\"integrator\": \"" integrator                                                                                  \
    "\", \"skin\": 20, \"pins\": [{\"kind\": \"fixed\", \"box_to\": [-0.14, 1, 1]}],"                                \
    "\"muscles\": [{\"box_from\": [-1, 0.1, -1], \"direction\": [1, 0, 0], \"stress\": 5000, \"keys\": [{\"time\": " \
    "0, \"activation\": 0}, {\"time\": 1, \"activation\": 1}]}]" more "}}]}"

#define SCENE(contact, objects)                                          \
    "{\"time\": {\"fps\": 4, \"substeps\": 1}, \"gravity\": [0, 0, 0], " \
    "\"contact\": " contact ", \"objects\": [" objects "]}"
#define QUASISTATIC(more)                                                 \
    ", \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\", " \
    "\"poisson\": 0.4, " more "}"
#define BLOCK(name)                                                     \
    "{\"name\": \"" name                                                \
    "\", \"mesh\": {\"kind\": \"bar\", \"solid\": 1, \"length\": 0.1, " \
    "\"height\": 0.05, \"depth\": 0.1, \"cells\": 4, \"cells_across\": 3}"
#define HELD "\"pins\": [{\"kind\": \"fixed\", \"box_to\": [1, -0.0249, 1]}]"
#define KEYS(end) "\"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": " end "}]"

/* A plate that is turned about y comes down by 1 cm into the 5 mm above a block, whose bottom is held. */
#define COMING_PLATE                                                                             \
    "}, {\"name\": \"plate\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.2, \"height\": 0.02, " \
    "\"depth\": 0.2, \"cells\": 5, \"cells_across\": 1}, \"move\": [0, 0.04, 0], "               \
    "\"turn\": [0, 20, 0], \"body\": {\"kind\": \"rigid\", " KEYS("[0, -0.01, 0]") "}}"
#define PLATE(contact) SCENE(contact, BLOCK("block") QUASISTATIC(HELD) COMING_PLATE)

/* Two blocks, 1 cm apart, the upper one moved down by 2 cm. */
#define PAIR(contact)                                                                           \
    SCENE(contact, BLOCK("upper") ", \"move\": [0.03, 0.06, 0.01]" QUASISTATIC(                 \
                       "\"pins\": [{\"kind\": \"path\", \"box_from\": [-1, 0.0849, -1], " KEYS( \
                           "[0, -0.02, 0]") "}]") "}, " BLOCK("lower") QUASISTATIC(HELD) "}")

/* A ring that rides on tets, squeezed until the sides of its hole meet. */
#define RING(contact)                                                               \
    SCENE(contact,                                                                  \
          "{\"name\": \"ring\", \"mesh\": {\"kind\": \"torus\", \"radius\": 0.05, " \
          "\"tube\": 0.025, \"sectors\": 20, \"sides\": 8}" QUASISTATIC(            \
              "\"spacing\": 0.02, \"pins\": [{\"kind\": \"path\", \"box_from\": "   \
              "[0.06, -1, -1], " KEYS("[-0.035, 0, 0]") "}, {\"kind\": \"path\", "  \
                                                        "\"box_to\": [-0.06, 1, 1], " KEYS("[0.035, 0, 0]") "}]") "}")

static const char *const touching[3] = {PLATE("true"), PAIR("true"), RING("true")};
static const char *const residuals[3] = {"block.residual", "upper.residual", "ring.residual"};
static const char *const passing[3] = {PLATE("false"), PAIR("false"), RING("false")};

static const char *const integrators[4] = {BAR("implicit", ""), BAR("quasistatic", ""), PLATE("true"), RING("true")};

static void a_restored_scene_continues_with_the_same_bits(void **state) {
    for (int k = 0; k < 4; k++) {
        ruga_scene *scene = make_scene(*state, integrators[k]), *other = make_scene(*state, integrators[k]);
        void *bytes = NULL;
        size_t size;
        uint64_t a, b;
        step(*state, scene, 4);
        assert_ok(*state, ruga_scene_save(scene, &bytes, &size));
        assert_ok(*state, ruga_scene_restore(other, bytes, size));
        step(*state, scene, 4);
        step(*state, other, 4);
        assert_ok(*state, ruga_scene_state_hash(scene, &a));
        assert_ok(*state, ruga_scene_state_hash(other, &b));
        assert_true(a == b);
        ruga_free(*state, bytes);
        ruga_scene_destroy(scene);
        ruga_scene_destroy(other);
    }
}

static void scenes_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        uint64_t hashes[3];
        for (int threads = 1; threads <= 3; threads++) {
            ruga_context *context = context_plain(threads);
            ruga_scene *scene = make_scene(context, integrators[k]);
            step(context, scene, 4);
            assert_ok(context, ruga_scene_state_hash(scene, &hashes[threads - 1]));
            assert_true(hashes[threads - 1] == hashes[0]);
            ruga_scene_destroy(scene);
            ruga_context_destroy(context);
        }
    }
}

/* A muscle inside of a bar, chosen by vertices; its energy at small stress is stress times its volume. */
static double energy_of_muscle(ruga_context *context, const char *hooks) {
    char text[2048];
    double values[32];
    snprintf(
        text, sizeof text,
        "{\"time\": {\"fps\": 1}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"bar\", \"mesh\": {\"kind\": "
        "\"bar\", \"length\": 0.3, \"height\": 0.1, \"depth\": 0.1, \"cells\": 12, \"cells_across\": 6, \"solid\": "
        "2}, \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasistatic\", \"pins\": [{\"kind\": \"fixed\", "
        "\"box_to\": [-0.14, 1, 1]}], \"muscles\": [{\"where\": \"box:-0.06,-0.03,-0.03,0.06,0.03,0.03\", "
        "\"direction\": [1, 0, 0], \"stress\": 1, \"keys\": [{\"time\": 0, \"activation\": 1}]}]}%s}]}",
        hooks);
    ruga_scene *scene = make_scene(context, text);
    step(context, scene, 2);
    const size_t count = ruga_scene_measure_count(scene);
    size_t found = 0;
    assert_at_most(count, 32);
    ruga_scene_measures(scene, values);
    while (found < count && !strstr(ruga_scene_measure_info(scene, found).name, "elastic_energy")) found++;
    assert_less(found, count);
    ruga_scene_destroy(scene);
    return values[found];
}

static void creased_flesh_has_the_muscles_of_whole_flesh(void **state) {
    const double whole = energy_of_muscle(*state, "");
    const double creased = energy_of_muscle(*state,
                                            ", \"hooks\": [{\"kind\": \"crease\", \"depth\": 2, \"lines\": "
                                            "[[[0.003, 0.02, 0.05], [0.003, 0.05, 0.04], [0.003, 0.05, -0.04], "
                                            "[0.003, 0.02, -0.05]]]}]");
    assert_less(0, whole);
    assert_near(creased, whole, 0.001 * whole);
}

/* A skull that moves takes along the flesh that is pinned to it; the flesh rides on tets. */
static void flesh_follows_another_object(void **state) {
    ruga_scene *scene = make_scene(
        *state,
        "{\"time\": {\"fps\": 10}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"skull\", \"mesh\": {\"kind\": "
        "\"sphere\", \"radius\": 0.1, \"frequency\": 3}, \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, "
        "{\"time\": 0.3, \"move\": [0, 0.3, 0], \"turn\": [0, 0, 30]}]}}, {\"name\": \"flesh\", \"mesh\": {\"kind\": "
        "\"sphere\", \"radius\": 0.12, \"frequency\": 4}, \"body\": {\"kind\": \"flesh\", \"integrator\": "
        "\"quasistatic\", \"spacing\": 0.06, \"pins\": [{\"kind\": \"follow\", \"object\": \"skull\", \"box_to\": [1, "
        "0.01, 1]}]}}]}");
    step(*state, scene, 5);
    const ruga_frame *frame = ruga_scene_frame(scene, 1);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 1);
    const double c = cos(3.14159265358979323846 / 6), s = 0.5;
    for (size_t v = 0; v < frame->vertex_count; v++) {
        vec3 p = mesh->positions[v], wanted = {c * p.x - s * p.y, s * p.x + c * p.y + 0.3, p.z};
        assert_less_case(vec3_distance(frame->positions[v], wanted), 2e-4, "vertex %zu", v);
    }
    assert_less(scene_measure(scene, "flesh.residual"), 1e-5);
    ruga_scene_destroy(scene);
}

#define BONES "joint:Hips | joint:Spine | joint:Head | joint:*Leg | joint:*ForeArm>0.9"

/* A mannequin of flesh whose vertices at some joints follow the same mannequin, which walks. They go where the skeleton
 * takes them, and the arms between them come along in equilibrium. */
static void flesh_follows_the_joints_of_a_skeleton(void **state) {
    ruga_scene *scene = make_scene(
        *state,
        "{\"time\": {\"fps\": 24}, \"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"rig\", \"mesh\": {\"kind\": "
        "\"mannequin\", \"cells\": 60}, \"body\": {\"kind\": \"animated\", \"action\": \"walk\"}}, {\"name\": "
        "\"flesh\", \"mesh\": {\"kind\": \"mannequin\", \"cells\": 60}, \"body\": {\"kind\": \"flesh\", "
        "\"integrator\": \"quasistatic\", \"poisson\": 0.4, \"spacing\": 0.035, \"pins\": [{\"kind\": \"follow\", "
        "\"object\": \"rig\", \"where\": \"" BONES "\"}]}}]}");
    step(*state, scene, 5);
    assert_at_most(scene_measure(scene, "flesh.residual"), 1e-5);
    const ruga_frame *bones = ruga_scene_frame(scene, 0), *flesh = ruga_scene_frame(scene, 1);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 1);
    double *held = calloc(mesh->vertex_count, sizeof *held), *arms = calloc(mesh->vertex_count, sizeof *arms);
    static const char *const texts[2] = {BONES, "joint:*Arm"};
    double *const weights[2] = {held, arms};
    assert_true(held && arms);
    for (int k = 0; k < 2; k++) {
        ruga_selector *selector = NULL;
        assert_ok(*state, ruga_selector_parse(*state, texts[k], &selector));
        assert_ok(*state, ruga_selector_weights(selector, mesh, weights[k]));
        ruga_selector_destroy(selector);
    }
    double moved = 0, off = 0, lag = 0, arm = 0;
    size_t count = 0, free_count = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double path = vec3_distance(bones->positions[v], mesh->positions[v]);
        const double left = vec3_distance(bones->positions[v], flesh->positions[v]);
        if (held[v] > 0.5) {
            moved = fmax(moved, path);
            off = fmax(off, left);
            count++;
        } else if (arms[v] > 0.5) {
            arm = fmax(arm, vec3_distance(flesh->positions[v], mesh->positions[v]));
            lag = fmax(lag, left);
            free_count++;
        }
    }
    print_message("%zu held vertices move by up to %g m, off by %g m; %zu of the arms by %g m, off by %g m\n", count,
                  moved, off, free_count, arm, lag);
    assert_ran(count, 1000);
    assert_ran(free_count, 100);
    assert_less(0.05, moved);
    assert_less(off, 0.1 * moved);
    assert_less(0.02, arm);
    assert_less(lag, arm);
    free(held);
    free(arms);
    ruga_scene_destroy(scene);
}

static ruga_scene *make_template(ruga_context *context, const char *name) {
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        if (strcmp(ruga_scene_template_get(i)->name, name) == 0)
            return make_scene(context, ruga_scene_template_get(i)->text);
    fail_msg("there is no template %s", name);
    return NULL;
}

/* The corner of the mouth rises, that of the other side hardly; the back of the head is held. */
static void the_smile_lifts_one_corner_of_the_mouth(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    ruga_scene *scene = make_template(*state, "smile");
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    step(*state, scene, 13);
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    double lift[2] = {0, 0}, back = 0;
    for (size_t v = 0; v < frame->vertex_count; v++) {
        vec3 p = mesh->positions[v], moved = vec3_sub(frame->positions[v], p);
        if (p.z > 0.06 && p.y > 0.15 && p.y < 0.2 && fabs(p.x) > 0.015) lift[p.x < 0] = fmax(lift[p.x < 0], moved.y);
        if (p.z < -0.03) back = fmax(back, vec3_length(moved));
    }
    assert_less(0.005, lift[0]);
    assert_less(lift[1], lift[0] / 3);
    assert_less(back, 0.001);
    assert_equal(scene_measure(scene, "face.inverted"), 0);
    assert_less(scene_measure(scene, "face.residual"), 1e-5);
    ruga_scene_destroy(scene);
}

static void the_jelly_lands_and_settles_above_the_floor(void **state) {
    skip_when_sanitized();
    ruga_scene *scene = make_template(*state, "jelly");
    double lowest = 1, most = 0;
    for (int f = 0; f < 48; f++) {
        step(*state, scene, 1);
        const ruga_frame *frame = ruga_scene_frame(scene, 0);
        for (size_t v = 0; v < frame->vertex_count; v++) lowest = fmin(lowest, frame->positions[v].y);
        most = fmax(most, scene_measure(scene, "jelly.kinetic_energy"));
    }
    assert_less(0, lowest);
    assert_less(lowest, 0.005);
    assert_less(scene_measure(scene, "jelly.kinetic_energy"), most / 50);
    ruga_scene_destroy(scene);
}

/* ---- Contact of quasistatic flesh. */

/* Nothing intersects, in equilibrium in every frame; without contact it does. */
static void flesh_in_equilibrium_keeps_apart_from_itself_and_others(void **state) {
    for (int k = 0; k < 3; k++) {
        const ruga_scene_intersection *found;
        size_t count = 0;
        ruga_scene *scene = make_scene(*state, touching[k]);
        for (int f = 0; f < 4; f++) {
            step(*state, scene, 1);
            assert_ok(*state, ruga_scene_intersections(scene, &found, &count));
            assert_int_equal(count, 0);
            assert_at_most(scene_measure(scene, residuals[k]), 1e-5);
        }
        ruga_scene_destroy(scene);
        scene = make_scene(*state, passing[k]);
        step(*state, scene, 4);
        assert_ok(*state, ruga_scene_intersections(scene, &found, &count));
        assert_less(0, count);
        ruga_scene_destroy(scene);
    }
}

/* An object that the user excludes does not press, nor one on vertices that do not collide; else it does, by 5 mm. */
static void excluded_objects_pass_through_flesh(void **state) {
    static const char *const scenes[3] = {
        PLATE("true"), PLATE("{\"exclusions\": [{\"object\": \"plate\", \"other\": \"block\"}]}"),
        SCENE("{\"check\": false}",
              BLOCK("block") ", \"contact\": {\"where\": \"box:-,-,-,-,0.02,-\"}" QUASISTATIC(HELD) COMING_PLATE)};
    double energies[3];
    for (int k = 0; k < 3; k++) {
        ruga_scene *scene = make_scene(*state, scenes[k]);
        step(*state, scene, 5);
        energies[k] = scene_measure(scene, "block.elastic_energy");
        ruga_scene_destroy(scene);
    }
    assert_less(1e-3, energies[0]);
    assert_less(fabs(energies[1]), 1e-9);
    assert_less(fabs(energies[2]), 1e-9);
}

/* ---- Findings. */

static void assert_finding(ruga_context *context, const char *text, const char *part) {
    ruga_description *d = NULL;
    int found = 0;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    ruga_description_check(d); /* the findings have its errors */
    for (size_t i = 0; i < ruga_description_finding_count(d); i++)
        found |= strstr(ruga_description_finding(d, i)->message, part) != NULL;
    fail_if(!found, "no finding has \"%s\"; the first is \"%s\"", part,
            ruga_description_finding_count(d) ? ruga_description_finding(d, 0)->message : "none");
    ruga_description_destroy(d);
}

#define BODY(mesh, body)                                        \
    "{\"objects\": [{\"name\": \"a\", \"mesh\": " mesh          \
    ", \"body\": {\"kind\": \"flesh\", \"integrator\": \"quasi" \
    "static\"" body "}}]}"

static void curves_that_leave_the_flesh_are_refused(void **state) {
    static const char text[] =
        "{\"gravity\": [0, 0, 0], \"objects\": [{\"name\": \"bar\", \"mesh\": {\"kind\": \"bar\", \"solid\": 1}, "
        "\"body\": {\"kind\": \"flesh\"}, \"hooks\": [{\"kind\": \"crease\", \"lines\": "
        "[[[0, 0.1, 0], [0, 9, 0]]]}]}]}";
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(*state, ruga_description_read_memory(*state, "scene", text, strlen(text), &d));
    assert_status(ruga_scene_create(*state, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
    assert_null(scene);
    assert_message_has(*state, "off the surface");
    assert_message_has(*state, "object \"bar\"");
    ruga_description_destroy(d);
}

static void bad_scenes_are_found(void **state) {
    assert_finding(*state, BODY("{\"kind\": \"sheet\"}", ""), "volume");
    assert_finding(*state, BODY("{\"kind\": \"bar\", \"solid\": 1}", ""), "no pins hold it");
    assert_finding(*state, BODY("{\"kind\": \"bar\", \"solid\": 1}", ", \"skin_bend\": 1"), "skin_bend has no effect");
    assert_finding(*state,
                   BODY("{\"kind\": \"bar\", \"solid\": 1}",
                        ", \"muscles\": [{\"box_from\": [5, 5, 5], \"direction\": [1, 0, 0], \"keys\": [{\"time\": 0, "
                        "\"activation\": 1}]}]"),
                   "muscle 0 has no material");
    assert_finding(*state, BODY("{\"kind\": \"sphere\"}", ", \"spacing\": 100"), "spacing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_scene_continues_with_the_same_bits),
        cmocka_unit_test(scenes_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(creased_flesh_has_the_muscles_of_whole_flesh),
        cmocka_unit_test(flesh_follows_another_object),
        cmocka_unit_test(flesh_follows_the_joints_of_a_skeleton),
        cmocka_unit_test(the_smile_lifts_one_corner_of_the_mouth),
        cmocka_unit_test(the_jelly_lands_and_settles_above_the_floor),
        cmocka_unit_test(flesh_in_equilibrium_keeps_apart_from_itself_and_others),
        cmocka_unit_test(excluded_objects_pass_through_flesh),
        cmocka_unit_test(curves_that_leave_the_flesh_are_refused),
        cmocka_unit_test(bad_scenes_are_found),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
