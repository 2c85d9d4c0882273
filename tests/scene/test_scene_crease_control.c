/* Creases in scenes: angles along them and over time, default stiffness, presets, locks. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

/* A sheet of 1 m by 1 m around the origin, facing up, held at one border. */
static const char *sheet_scene(const char *more, const char *hooks) {
    static char text[2][4000];
    static int turn;
    turn = !turn;
    snprintf(text[turn], sizeof text[turn],
             "{\"time\": {\"fps\": 24, \"frames\": 60, \"substeps\": 2}, %s \"objects\": [{\"name\": \"sheet\", "
             "\"mesh\": {\"kind\": \"sheet\", \"columns\": 10, \"rows\": 10, \"triangulation\": 2}, "
             "\"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", \"tolerance\": "
             "1e-6, \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]}, \"hooks\": [%s]}]}",
             more, hooks);
    return text[turn];
}
#define WEIGHTLESS "\"gravity\": [0, 0, 0],"
#define ACROSS "{\"kind\": \"crease\", \"lines\": [{\"points\": [[-0.5, 0, 0.12], [0.5, 0, 0.17]]%s}]%s}"

static const char *across(const char *line, const char *more) {
    static char text[2][1000];
    static int turn;
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], ACROSS, line, more);
    return text[turn];
}

static ruga_scene *make_scene(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static void run(ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++) fail_if(RUGA_FAILED(ruga_scene_step(scene)), "step %d", f);
}

static ruga_scene *made_and_run(ruga_context *context, const char *text, int frames) {
    ruga_scene *scene = make_scene(context, text);
    run(scene, frames);
    return scene;
}

static double mountain(const ruga_scene *scene) { return scene_measure(scene, "sheet.crease.mountain"); }
static double valley(const ruga_scene *scene) { return scene_measure(scene, "sheet.crease.valley"); }

/* ---- Angles. */

static void an_angle_alone_folds_the_cloth_against_its_weight(void **state) {
    skip_when_sanitized();
    ruga_scene *scene =
        made_and_run(*state, sheet_scene("", across("", ", \"angle\": 80, \"start\": 0, \"end\": 1")), 60);
    assert_near(valley(scene), 80, 1);
    assert_near(mountain(scene), 0, 1e-9);
    ruga_scene_destroy(scene);
    scene = made_and_run(*state, sheet_scene(WEIGHTLESS, across("", ", \"angle\": -80, \"start\": 0, \"end\": 1")), 60);
    assert_near(mountain(scene), -80, 3);
    ruga_scene_destroy(scene);
}

/* Of all lines, and of one. */
static void with_an_end_alone_folds_begin_at_the_first_frame(void **state) {
    skip_when_sanitized();
    const char *hooks[3] = {across("", ", \"angle\": -80, \"start\": 0, \"end\": 0.5"), NULL, NULL};
    ruga_scene *scenes[3];
    for (int k = 0; k < 3; k++) {
        if (k == 1) hooks[k] = across("", ", \"angle\": -80, \"end\": 0.5");
        if (k == 2) hooks[k] = across(", \"end\": 0.5", ", \"angle\": -80");
        scenes[k] = made_and_run(*state, sheet_scene(WEIGHTLESS, hooks[k]), 12);
        const ruga_frame *a = ruga_scene_frame(scenes[0], 0), *b = ruga_scene_frame(scenes[k], 0);
        assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    }
    assert_less(mountain(scenes[0]), -40);
    for (int k = 0; k < 3; k++) ruga_scene_destroy(scenes[k]);
}

static void without_angle_and_stiffness_creases_are_hinges(void **state) {
    ruga_scene *free = made_and_run(*state, sheet_scene("", across("", "")), 24);
    ruga_scene *zero = made_and_run(*state, sheet_scene("", across("", ", \"stiffness\": 0")), 24);
    const ruga_frame *a = ruga_scene_frame(free, 0), *b = ruga_scene_frame(zero, 0);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    ruga_scene_destroy(free);
    ruga_scene_destroy(zero);
}

static void angles_vary_along_a_crease(void **state) {
    skip_when_sanitized();
    const char *text =
        sheet_scene(WEIGHTLESS, across(", \"angles\": [{\"at\": 0, \"angle\": -20}, {\"at\": 1, \"angle\": -60}]",
                                       ", \"start\": 0, \"end\": 1"));
    ruga_scene *scene = made_and_run(*state, text, 60);
    /* The steepest piece is in the middle of the last triangle, not at the very end. */
    assert_true(mountain(scene) > -61 && mountain(scene) < -54);
    ruga_scene_destroy(scene);
}

static void angles_have_keys(void **state) {
    skip_when_sanitized();
    const char *keys = ", \"angle\": {\"keys\": [[0, 0], [1, 50], [1.5, 50], [2, -30]]}";
    for (int of_line = 0; of_line < 2; of_line++) {
        ruga_scene *scene =
            made_and_run(*state, sheet_scene(WEIGHTLESS, across(of_line ? keys : "", of_line ? "" : keys)), 36);
        assert_near(valley(scene), 50, 4);
        run(scene, 24);
        assert_near(mountain(scene), -30, 4);
        ruga_scene_destroy(scene);
    }
}

/* Under its weight a weak crease folds farther, and one that yields takes the excess as its rest angle; the other value
 * stays that of all creases. */
static void lines_override_stiffness_and_yield(void **state) {
    skip_when_sanitized();
    static const char *const lines[] = {"", ", \"stiffness\": 0.0001", ", \"yield\": 0.1"};
    double folds[3], rests[3];
    for (int k = 0; k < 3; k++) {
        ruga_crease_report r;
        ruga_scene *scene =
            made_and_run(*state, sheet_scene("", across(lines[k], ", \"stiffness\": 0.01, \"yield\": 100")), 60);
        assert_ok(*state, ruga_scene_crease(scene, 0, 0, &r));
        assert_near(r.stiffness, k == 1 ? 0.0001 : 0.01, 1e-12);
        folds[k] = fabs(r.fold);
        rests[k] = fabs(r.target);
        ruga_scene_destroy(scene);
    }
    assert_less(2 * folds[0], folds[1]);
    assert_near(rests[0], 0, 1e-9);
    assert_near(rests[1], 0, 1e-9);
    assert_less(0.2, rests[2]);
    assert_less(fabs(folds[2] - rests[2]), 0.1 + 1e-6);
}

/* ---- Like uncut cloth. */

static double distance(const ruga_scene *a, const ruga_scene *b) {
    const ruga_frame *fa = ruga_scene_frame(a, 0), *fb = ruga_scene_frame(b, 0);
    double most = 0;
    for (size_t v = 0; v < 121; v++) most = fmax(most, vec3_distance(fa->positions[v], fb->positions[v]));
    return most;
}

/* A swing of 1 s, in which the border falls by most of a metre. */
static void locked_and_stiff_creases_move_like_uncut_cloth(void **state) {
    skip_when_sanitized();
    ruga_scene *uncut = make_scene(*state, sheet_scene("", ""));
    ruga_scene *locked = make_scene(*state, sheet_scene("", across("", ", \"active\": 100")));
    ruga_scene *stiff = make_scene(*state, sheet_scene("", across("", ", \"stiffness\": 100")));
    double most[2] = {0, 0};
    for (int f = 0; f < 24; f++) {
        run(uncut, 1);
        run(locked, 1);
        run(stiff, 1);
        most[0] = fmax(most[0], distance(uncut, locked));
        most[1] = fmax(most[1], distance(uncut, stiff));
    }
    assert_less(most[0], 0.01);
    assert_less(most[1], 0.01);
    assert_near(scene_measure(locked, "sheet.crease.crease_gap"), 0, 1e-12);
    assert_near(mountain(locked), 0, 1e-6);
    ruga_scene_destroy(uncut);
    ruga_scene_destroy(locked);
    ruga_scene_destroy(stiff);
}

/* Every integrator that takes creases keeps them shut. */
static void creases_are_locked_in_every_integrator(void **state) {
    static const char *const integrators[] = {"explicit", "semi_implicit", "implicit", "filter"};
    for (int k = 0; k < 4; k++)
        for (int locked = 0; locked < 2; locked++) {
            char text[2000];
            snprintf(text, sizeof text,
                     "{\"time\": {\"fps\": 24, \"frames\": 9, \"substeps\": %d}, \"objects\": [{\"name\": \"sheet\", "
                     "\"mesh\": {\"kind\": \"sheet\", \"columns\": 6, \"rows\": 6, \"triangulation\": 2}, "
                     "\"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"elements\": \"springs\", "
                     "\"integrator\": \"%s\", \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, -0.49]}]}, "
                     "\"hooks\": [%s]}]}",
                     k < 2 ? 300 : 4, integrators[k], across("", locked ? ", \"active\": 9" : ""));
            ruga_scene *scene = made_and_run(*state, text, 9);
            double fold = fmax(-mountain(scene), valley(scene));
            assert_true(locked ? fold < 1e-9 : fold > 0.05);
            ruga_scene_destroy(scene);
        }
}

static double energy(const ruga_scene *scene) {
    return scene_measure(scene, "sheet.elastic_energy") + scene_measure(scene, "sheet.kinetic_energy");
}

static void creases_unlock_without_a_jump(void **state) {
    skip_when_sanitized();
    ruga_scene *never = make_scene(*state, sheet_scene("", across("", ", \"active\": 100")));
    ruga_scene *later =
        make_scene(*state, sheet_scene("", across("", ", \"active\": 0.5, \"angle\": 60, \"end\": 1.5")));
    run(never, 13); /* the first frame is that of 0 s */
    run(later, 13);
    /* Until then they are the same cloth. */
    assert_equal(distance(never, later), 0);
    run(never, 1);
    run(later, 1);
    /* The first free frame, in which the border moves by some 0.1 m. */
    assert_less(0, distance(never, later));
    assert_less(distance(never, later), 2e-4);
    assert_near(energy(later), energy(never), 0.01 * energy(never));
    run(later, 46);
    assert_near(valley(later), 60, 1);
    ruga_scene_destroy(never);
    ruga_scene_destroy(later);
}

static void locked_creases_resume_with_the_same_bits(void **state) {
    const char *text =
        sheet_scene("", across("", ", \"active\": 0.5, \"angle\": 60, \"yield\": 3, \"stiffness\": 0.01"));
    ruga_scene *whole = made_and_run(*state, text, 24);
    for (int at = 6; at <= 18; at += 12) {
        ruga_scene *first = made_and_run(*state, text, at), *second = make_scene(*state, text);
        void *bytes;
        size_t size;
        assert_ok(*state, ruga_scene_save(first, &bytes, &size));
        assert_ok(*state, ruga_scene_restore(second, bytes, size));
        run(second, 24 - at);
        const ruga_frame *a = ruga_scene_frame(whole, 0), *b = ruga_scene_frame(second, 0);
        assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
        ruga_free(*state, bytes);
        ruga_scene_destroy(first);
        ruga_scene_destroy(second);
    }
    ruga_scene_destroy(whole);
}

/* ---- Mistakes. */

static void mistakes_are_named(void **state) {
    static const struct {
        const char *line, *more, *message;
    } cases[] = {
        {", \"angles\": [{\"at\": 0.5, \"angle\": 3}, {\"at\": 0.5, \"angle\": 4}]", "", "rising"},
        {", \"start\": 2, \"end\": 1", "", "start"},
        {", \"angle\": \"nowhere\"", "", "nowhere"},
        {"", ", \"preset\": \"steel\"", "steel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = sheet_scene("", across(cases[i].line, cases[i].more));
        ruga_description *d = NULL;
        ruga_scene *scene = NULL;
        ruga_status status = ruga_description_read_memory(*state, "scene", text, strlen(text), &d);
        if (!RUGA_FAILED(status)) status = ruga_scene_create(*state, ruga_description_get(d), &scene);
        assert_true(RUGA_FAILED(status));
        assert_message_has(*state, cases[i].message);
        ruga_description_destroy(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_angle_alone_folds_the_cloth_against_its_weight),
        cmocka_unit_test(with_an_end_alone_folds_begin_at_the_first_frame),
        cmocka_unit_test(without_angle_and_stiffness_creases_are_hinges),
        cmocka_unit_test(angles_vary_along_a_crease),
        cmocka_unit_test(angles_have_keys),
        cmocka_unit_test(lines_override_stiffness_and_yield),
        cmocka_unit_test(locked_and_stiff_creases_move_like_uncut_cloth),
        cmocka_unit_test(creases_are_locked_in_every_integrator),
        cmocka_unit_test(creases_unlock_without_a_jump),
        cmocka_unit_test(locked_creases_resume_with_the_same_bits),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
