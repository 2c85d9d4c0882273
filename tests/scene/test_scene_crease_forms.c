/* The paper's forms of creases in scenes: each with its own gap, and only where its rest state is right. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

#define CROSS "\"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]], [[0.03, 0, -0.5], [-0.09, 0, 0.5]]]"
#define RING                                                                                                          \
    "\"lines\": [{\"name\": \"ring\", \"closed\": true, \"points\": [[-0.31, 0, -0.32], [0.33, 0, -0.31], [0.32, 0, " \
    "0.33], [-0.32, 0, 0.31]]}]"

#define TEE "\"lines\": [[[-0.5, 0, 0.08], [0.5, 0, -0.13]], [[0.03, 0, 0.5], [0.01, 0, -0.02]]]"

static ruga_description *describe(ruga_context *context, const char *integrator, const char *form, const char *lines) {
    static char text[4000];
    ruga_description *d = NULL;
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 24, \"frames\": 8, \"substeps\": 400}, \"objects\": [{\"name\": \"sheet\", "
             "\"mesh\": {\"kind\": \"sheet\", \"columns\": 10, \"rows\": 10, \"triangulation\": 2}, "
             "\"material\": \"denim\", \"body\": {\"kind\": \"cloth\", \"integrator\": \"%s\", \"pins\": [{\"kind\": "
             "\"fixed\", \"box_to\": [2, 2, -0.49]}]}, \"hooks\": [{\"kind\": \"crease\", \"form\": \"%s\", %s}]}]}",
             integrator, form, lines);
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

/* The greatest gap of the frames, m. */
static double greatest_gap(ruga_context *context, const char *integrator, const char *form) {
    ruga_description *d = describe(context, integrator, form, CROSS);
    ruga_scene *scene = NULL;
    double gap = 0, lowest = 0;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    for (int f = 0; f < 8; f++) {
        assert_ok(context, ruga_scene_step(scene));
        gap = fmax(gap, scene_measure(scene, "sheet.crease.crease_gap"));
    }
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    for (size_t i = 0; i < frame->vertex_count; i++) lowest = fmin(lowest, frame->positions[i].y);
    assert_less(lowest, -0.1); /* it hangs down */
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return gap;
}

/* Edges are 0.1 m long. */
static void each_form_has_its_gap(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    for (int k = 0; k < 2; k++) {
        const char *const integrators[] = {"explicit", "semi_implicit"};
        assert_less_case(greatest_gap(*state, integrators[k], "exact"), 1e-10 * 0.1, "%s", integrators[k]);
    }
    double springs = greatest_gap(*state, "explicit", "springs");
    assert_less(1e-8, springs);
    assert_less(springs, 0.02);
    assert_less(1e-8, greatest_gap(*state, "explicit", "pairwise"));
    assert_less(1e-5, greatest_gap(*state, "explicit", "post"));
}

/* The folds of a whole crease reach an angle, and keep it while a second passes: all of them, at 24 moments. Panels
 * are damped, and the air stops them. Without gravity and contact. */
static void check_exact_folds(ruga_context *context, const char *angle, double wanted) {
    static char text[2000];
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    ruga_crease_report r;
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 24, \"frames\": 144, \"substeps\": 200}, \"gravity\": [0, 0, 0], \"materials\": "
             "[{\"name\": \"damped\", \"like\": \"denim\", \"bend\": 0.002, \"damping\": 2}], \"objects\": "
             "[{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 6, \"rows\": 6, "
             "\"triangulation\": 2}, \"material\": \"damped\", \"body\": {\"kind\": \"cloth\", \"integrator\": "
             "\"semi_implicit\", \"drag\": 20, \"lift\": 0, \"pins\": [{\"kind\": \"fixed\", \"box_to\": [2, 2, "
             "-0.3]}]}, \"hooks\": [{\"kind\": \"crease\", \"form\": \"exact\", \"angle\": %s, \"start\": 0, \"end\": "
             "3, \"stiffness\": 1, \"lines\": [[[-0.5, 0, 0.08], [0.5, 0, 0.13]]]}]}]}",
             angle);
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    double most = 0;
    for (int f = 0; f < 144; f++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_crease(scene, 0, 0, &r));
        most = fmax(most, fmax(fabs(r.least), fabs(r.most)));
        if (f < 120) continue;
        assert_near_case(r.least, wanted, 1, "%s, frame %d", angle, f);
        assert_near_case(r.most, wanted, 1, "%s, frame %d", angle, f);
    }
    assert_less_case(25, most, "%s", angle); /* it moved */
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

static void the_exact_form_reaches_its_angles_and_holds_them(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    check_exact_folds(*state, "{\"keys\": [[0, 0], [1.5, 60], [3, 0]]}", 0);
    check_exact_folds(*state, "30", 30);
    check_exact_folds(*state, "-90", -90);
    check_exact_folds(*state, "120", 120);
    check_exact_folds(*state, "180", 180);
}

/* ---- Stiff bending. */

/* A hanging sheet with creases of 30 N swings like the uncut one: the greatest distance of its vertices in 0.7 s, in
 * which the border falls by more than half a metre. */
static void in_the_exact_form_stiff_creases_move_like_uncut_cloth(void **state) {
    skip_when_sanitized();
    ruga_description *d[2] = {describe(*state, "semi_implicit", "exact", "\"stiffness\": 30, " CROSS),
                              describe(*state, "semi_implicit", "exact", CROSS)};
    assert_ok(*state, ruga_description_set(d[1], "objects[0].hooks", "[]"));
    ruga_scene *scenes[2];
    double most = 0, lowest = 0;
    for (int k = 0; k < 2; k++) assert_ok(*state, ruga_scene_create(*state, ruga_description_get(d[k]), &scenes[k]));
    for (int f = 0; f < 17; f++) {
        for (int k = 0; k < 2; k++) assert_ok(*state, ruga_scene_step(scenes[k]));
        const ruga_frame *a = ruga_scene_frame(scenes[0], 0), *b = ruga_scene_frame(scenes[1], 0);
        for (size_t v = 0; v < 121; v++) {
            most = fmax(most, vec3_distance(a->positions[v], b->positions[v]));
            lowest = fmin(lowest, b->positions[v].y);
        }
    }
    assert_less(most, 0.001);
    assert_less(lowest, -0.5);
    for (int k = 0; k < 2; k++) {
        ruga_scene_destroy(scenes[k]);
        ruga_description_destroy(d[k]);
    }
}

/* The constraint's forces are part of the state. */
static void the_exact_form_resumes_with_the_same_bits(void **state) {
    ruga_description *d = describe(*state, "semi_implicit", "exact", CROSS);
    ruga_scene *whole = NULL, *second = NULL;
    void *bytes = NULL;
    size_t size;
    assert_ok(*state, ruga_scene_create(*state, ruga_description_get(d), &whole));
    assert_ok(*state, ruga_scene_create(*state, ruga_description_get(d), &second));
    assert_ok(*state, ruga_scene_step(whole));
    assert_ok(*state, ruga_scene_save(whole, &bytes, &size));
    assert_ok(*state, ruga_scene_restore(second, bytes, size));
    assert_ok(*state, ruga_scene_step(whole));
    assert_ok(*state, ruga_scene_step(second));
    const ruga_frame *a = ruga_scene_frame(whole, 0), *b = ruga_scene_frame(second, 0);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    ruga_free(*state, bytes);
    ruga_scene_destroy(whole);
    ruga_scene_destroy(second);
    ruga_description_destroy(d);
}

static void refuse(ruga_context *context, const char *integrator, const char *form, const char *lines,
                   const char *why) {
    ruga_description *d = describe(context, integrator, form, lines);
    ruga_scene *scene = NULL;
    assert_status(ruga_scene_create(context, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
    assert_message_has(context, why);
    ruga_description_destroy(d);
}

static void wrong_integrators_and_creases_that_lock_are_refused(void **state) {
    static const char *const others[] = {"post", "springs", "pairwise"};
    refuse(*state, "implicit", "exact", CROSS, "needs a body with the integrator explicit or semi_implicit");
    refuse(*state, "filter", "exact", CROSS, "needs a body with the integrator explicit or semi_implicit");
    for (int k = 0; k < 3; k++)
        refuse(*state, "semi_implicit", others[k], CROSS, "needs a body with the integrator explicit: with others");
    refuse(*state, "explicit", "exact", RING, "\"ring\", in triangle");
    refuse(*state, "explicit", "exact", RING, "it is closed");
    refuse(*state, "semi_implicit", "exact", TEE, "its equations keep it flat");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_has_its_gap),
        cmocka_unit_test(the_exact_form_reaches_its_angles_and_holds_them),
        cmocka_unit_test(in_the_exact_form_stiff_creases_move_like_uncut_cloth),
        cmocka_unit_test(the_exact_form_resumes_with_the_same_bits),
        cmocka_unit_test(wrong_integrators_and_creases_that_lock_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
