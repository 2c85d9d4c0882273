/* Contact in scenes: turning it on and off, choosing which objects collide, the findings of a check, and the measures
 * of every frame. */
#include <math.h>
#include <stdio.h>

#include "contact/solver.h"
#include "math/vec3.h"
#include "scene/tables.h"
#include "support/support.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

/* A cloth above a static ball; the arguments add to the scene, to the ball and to the cloth. */
#define SCENE(more, ball, cloth)                                                    \
    "{" more                                                                        \
    "\"time\": {\"fps\": 24, \"substeps\": 2}, \"objects\": ["                      \
    "{\"name\": \"ball\", " ball                                                    \
    "\"mesh\": {\"kind\": \"sphere\", \"radius\": 0.2, \"frequency\": 4}},\n"       \
    "{\"name\": \"cloth\", " cloth                                                  \
    "\"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8, \"width\": 0.6, " \
    "\"length\": 0.6}, \"body\": {\"kind\": \"cloth\", \"elements\": \"springs\", \"thickness\": 0.005}}]}"
#define ABOVE "\"move\": [0, 0.22, 0], "
#define ACROSS "\"move\": [0, 0.11, 0], "
#define ON "\"contact\": {}, "

static ruga_description *describe(const char *text) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

static ruga_scene *make_scene(const char *text) {
    ruga_description *d = describe(text);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static size_t crossings(ruga_scene *scene) {
    size_t count;
    assert_ok(context, ruga_scene_intersections(scene, NULL, &count));
    return count;
}

static double measure_named(const ruga_scene *scene, const char *name) {
    double values[64];
    ruga_scene_measures(scene, values);
    for (size_t i = 0; i < ruga_scene_measure_count(scene); i++)
        if (strcmp(ruga_scene_measure_info(scene, i).name, name) == 0) return values[i];
    return NAN;
}

/* ---- On and off. */

static void contact_is_off_unless_it_is_asked_for(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int on;
    } cases[] = {{"{}", 0},
                 {"{\"contact\": {}}", 1},
                 {"{\"contact\": true}", 1},
                 {"{\"contact\": false}", 0},
                 {"{\"contact\": {\"strict\": true}}", 1},
                 {"{\"contact\": {\"on\": false, \"strict\": true}}", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ruga_description *d = describe(cases[i].text);
        assert_int_equal(ruga_description_get(d)->contact.on, cases[i].on);
        /* And what is written reads back to the same. */
        char *text = NULL;
        size_t size;
        ruga_description *again = NULL;
        assert_ok(context, ruga_description_write_memory(d, &text, &size));
        assert_ok(context, ruga_description_read_memory(context, "again", text, size, &again));
        assert_int_equal(ruga_description_get(again)->contact.on, cases[i].on);
        assert_int_equal(ruga_description_get(again)->contact.strict, ruga_description_get(d)->contact.strict);
        ruga_free(context, text);
        ruga_description_destroy(again);
        ruga_description_destroy(d);
    }
    assert_int_equal(ruga_scene_def_default().contact.on, 0);
    assert_int_equal(ruga_object_def_default().contact.collides, 1);
}

static void the_rows_have_the_solvers_defaults(void **state) {
    (void)state;
    const contact_def usual = contact_def_default();
    const ruga_contact_def rows = ruga_scene_def_default().contact;
    assert_equal(rows.spring, usual.values.spring);
    assert_equal(rows.friction_at_rest, usual.values.friction_at_rest);
    assert_true(rows.rounds == usual.values.rounds);
    assert_equal(rows.separation, usual.values.separation);
    assert_true(rows.impact_rounds == usual.values.impact_rounds && rows.cuts == usual.values.cuts);
    assert_true(rows.work == usual.values.work);
    assert_true(rows.strict == usual.values.strict && rows.start == usual.values.start);
}

static void nothing_of_contact_is_there_without_it(void **state) {
    (void)state;
    ruga_scene *without = make_scene(SCENE("", "", ABOVE)), *with = make_scene(SCENE(ON, "", ABOVE));
    assert_true(isnan(measure_named(without, "contact.pinched")));
    assert_true(isnan(measure_named(without, "frame.intersections")));
    assert_equal(measure_named(with, "contact.pinched"), 0);
    assert_equal(measure_named(with, "frame.intersections"), 0);
    ruga_scene_destroy(without);
    ruga_scene_destroy(with);
}

/* ---- Objects that contact keeps apart. */

static void contact_keeps_the_cloth_on_the_ball(void **state) {
    (void)state;
    ruga_scene *with = make_scene(SCENE(ON, "", ABOVE)), *without = make_scene(SCENE("", "", ABOVE));
    size_t most = 0;
    for (int f = 0; f < 12; f++) {
        assert_ok(context, ruga_scene_step(with));
        assert_ok(context, ruga_scene_step(without));
        if (crossings(without) > most) most = crossings(without);
        assert_int_equal(crossings(with), 0);
        assert_equal_case(measure_named(with, "frame.intersections"), 0, "f %d", f);
    }
    assert_less(0, most);
    ruga_scene_destroy(with);
    ruga_scene_destroy(without);
}

/* Whether the middle of the cloth fell through. */
static int falls_through(const char *text) {
    ruga_scene *scene = make_scene(text);
    for (int f = 0; f < 16; f++) assert_ok(context, ruga_scene_step(scene));
    double middle = ruga_scene_frame(scene, 1)->positions[40].y;
    ruga_scene_destroy(scene);
    return middle < 0.19;
}

static void objects_that_contact_excludes_pass_through_each_other(void **state) {
    (void)state;
    assert_false(falls_through(SCENE(ON, "", ABOVE)));
    assert_true(falls_through(SCENE(ON, "\"contact\": false, ", ABOVE)));
    assert_true(falls_through(SCENE(ON, "", ABOVE "\"contact\": {\"collides\": false}, ")));
    assert_true(falls_through(
        SCENE("\"contact\": {\"exclusions\": [{\"object\": \"cloth\", \"other\": \"ball\"}]}, ", "", ABOVE)));
    assert_false(falls_through(
        SCENE("\"contact\": {\"exclusions\": [{\"object\": \"cloth\", \"other\": \"cloth\"}]}, ", "", ABOVE)));
}

/* The exclusion of what collides with nothing is no mistake. */
static void an_excluded_object_need_not_collide(void **state) {
    (void)state;
    assert_true(falls_through(SCENE("\"contact\": {\"exclusions\": [{\"object\": \"cloth\", \"other\": \"ball\"}]}, ",
                                    "\"contact\": false, ", ABOVE)));
}

static void colliders_by_formula_are_for_contact_too(void **state) {
    (void)state;
#define TABLE                                                                                                     \
    "\"colliders\": [{\"kind\": \"plane\"}, {\"kind\": \"box\", \"size\": [0.3, 0.4, 0.3], \"centre\": [0, 0.2, " \
    "0]}], "
    ruga_scene *scene = make_scene(SCENE(ON TABLE, "\"contact\": false, ", "\"move\": [0, 0.42, 0], "));
    double lowest = INFINITY;
    for (int f = 0; f < 24; f++) {
        assert_ok(context, ruga_scene_step(scene));
        const ruga_frame *frame = ruga_scene_frame(scene, 1);
        assert_less_case(0.4, frame->positions[40].y, "f %d", f);
        for (size_t i = 0; i < frame->vertex_count; i++) lowest = fmin(lowest, frame->positions[i].y);
    }
    /* The rim hangs down. */
    assert_less(lowest, 0.35);
    assert_less(0, lowest);
    ruga_scene_destroy(scene);
}

static void a_saved_scene_continues_bit_identically(void **state) {
    (void)state;
    ruga_scene *a = make_scene(SCENE(ON, "", ABOVE)), *b = make_scene(SCENE(ON, "", ABOVE));
    void *bytes = NULL;
    size_t size;
    uint64_t hashes[2];
    for (int f = 0; f < 12; f++) {
        assert_ok(context, ruga_scene_step(a));
        if (f == 7) assert_ok(context, ruga_scene_save(a, &bytes, &size));
    }
    assert_ok(context, ruga_scene_restore(b, bytes, size));
    for (int f = 8; f < 12; f++) assert_ok(context, ruga_scene_step(b));
    assert_ok(context, ruga_scene_state_hash(a, &hashes[0]));
    assert_ok(context, ruga_scene_state_hash(b, &hashes[1]));
    assert_true(hashes[0] == hashes[1]);
    ruga_free(context, bytes);
    ruga_scene_destroy(a);
    ruga_scene_destroy(b);
}

/* ---- Intersections. */

static void intersections_name_objects_and_triangles(void **state) {
    (void)state;
    ruga_scene *scene = make_scene(SCENE("", "", ACROSS));
    const ruga_scene_intersection *found;
    size_t count;
    assert_ok(context, ruga_scene_intersections(scene, &found, &count));
    assert_less(10, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(found[i].objects[0] == 0 && found[i].objects[1] == 1);
        assert_less_case(found[i].triangles[0], ruga_scene_object_mesh(scene, 0)->triangle_count, "i %zu", i);
        assert_less_case(found[i].triangles[1], ruga_scene_object_mesh(scene, 1)->triangle_count, "i %zu", i);
        assert_near_case(found[i].point.y, 0.11, 1e-9, "i %zu", i);
    }
    ruga_scene_destroy(scene);
    /* Of what only follows a motion, and of what may pass, nothing counts. */
    scene = make_scene(SCENE("", "\"contact\": false, ", ACROSS));
    assert_int_equal(crossings(scene), 0);
    ruga_scene_destroy(scene);
    scene = make_scene(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sphere\"}}, {\"name\": \"b\", \"mesh\": "
        "{\"kind\": \"sphere\"}, \"move\": [0.3, 0, 0]}]}");
    assert_int_equal(crossings(scene), 0);
    ruga_scene_destroy(scene);
}

static void a_start_with_intersections_is_as_the_scene_wants_it(void **state) {
    (void)state;
    ruga_scene *scene = make_scene(SCENE(ON, "", ACROSS));
    assert_status(ruga_scene_step(scene), RUGA_OK); /* the first frame is the start */
    assert_status(ruga_scene_step(scene), RUGA_ERROR_INPUT);
    assert_message_has(context, "intersect");
    ruga_scene_destroy(scene);
    scene = make_scene(SCENE("\"contact\": {\"start\": \"go_on\"}, ", "", ACROSS));
    size_t before = crossings(scene);
    for (int f = 0; f < 5; f++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_equal_case(measure_named(scene, "frame.intersections"), (double)crossings(scene), "f %d", f);
        /* While the contour moves from triangle to triangle, it may cross a few more of them than at the start. */
        assert_at_most_case(4 * crossings(scene), 5 * before, "f %d", f);
    }
    assert_at_most(crossings(scene), before);
    ruga_scene_destroy(scene);
}

/* ---- Findings of a check. */

static void assert_finding(const char *text, ruga_status status, const char *path, const char *part) {
    ruga_description *d = describe(text);
    assert_status(ruga_description_check(d), RUGA_FAILED(status) ? status : RUGA_OK);
    for (size_t i = 0; i < ruga_description_finding_count(d); i++) {
        const ruga_finding *f = ruga_description_finding(d, i);
        if (strcmp(f->path, path) == 0 && strstr(f->message, part) && f->status == status) {
            ruga_description_destroy(d);
            return;
        }
        print_message("%s: %s\n", f->path, f->message);
    }
    fail_msg("no finding at %s says \"%s\"", path, part);
}

static void a_check_reports_problems_of_contact(void **state) {
    (void)state;
    ruga_description *d = describe(SCENE(ON, "", ABOVE));
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    ruga_description_destroy(d);
    assert_finding(SCENE(ON, "", ACROSS), RUGA_WARNING_INPUT, "contact.start", "of \"ball\" and \"cloth\" intersect");
    assert_finding(SCENE(ON, "", ACROSS), RUGA_WARNING_INPUT, "contact.start", "a run stops there");
    assert_finding(SCENE("\"contact\": {\"start\": \"untangle\"}, ", "", ACROSS), RUGA_WARNING_INPUT, "contact.start",
                   "they are pushed apart");
    assert_finding(SCENE(ON, "", ABOVE "\"contact\": {\"thickness\": 0.08}, "), RUGA_WARNING_INPUT,
                   "objects[1].contact.thickness", "more than the shortest edge of the mesh, 0.075 m");
    assert_finding(SCENE(ON, "", ABOVE "\"contact\": {\"thickness\": 0}, "), RUGA_WARNING_INPUT,
                   "objects[1].contact.thickness", "0.001 times its mean edge");
    assert_finding(SCENE("\"contact\": {\"exclusions\": [{\"object\": \"clth\", \"other\": \"ball\"}]}, ", "", ABOVE),
                   RUGA_ERROR_INPUT, "contact.exclusions[0].object", "did you mean \"cloth\"?");
    assert_finding(SCENE("\"contact\": {\"exclusions\": [{\"object\": \"cloth\", \"other\": \"xyzzy\"}]}, ", "", ABOVE),
                   RUGA_ERROR_INPUT, "contact.exclusions[0].other", "there is no object \"xyzzy\" to exclude");
    assert_finding(SCENE(ON, "", ABOVE "\"contact\": false, "), RUGA_WARNING_INPUT, "contact.on",
                   "no object with dynamics, such as cloth, collides");
    assert_finding(SCENE(ON "\"colliders\": [{\"kind\": \"plane\", \"point\": [0, 0.3, 0]}], ", "", ABOVE),
                   RUGA_WARNING_INPUT, "objects[1].body", "contact pushes them out");
    assert_finding(SCENE(ON "\"colliders\": [{\"kind\": \"sphere\", \"radius\": 0.25}], ", "", ABOVE),
                   RUGA_WARNING_INPUT, "objects[1].body", "contact.start chooses what happens");
}

static void what_is_wrong_is_found_once(void **state) {
    (void)state;
    ruga_description *d =
        describe(SCENE("\"contact\": {\"exclusions\": [{\"object\": \"cloth\", \"other\": \"xyzzy\"}]}, ", "", ABOVE));
    assert_status(ruga_description_check(d), RUGA_ERROR_INPUT);
    assert_int_equal(ruga_description_finding_count(d), 1);
    ruga_description_destroy(d);
}

static void mistakes_are_reported_without_a_check_too(void **state) {
    (void)state;
    ruga_description *d =
        describe(SCENE("\"contact\": {\"exclusions\": [{\"object\": \"clth\", \"other\": \"ball\"}]}, ", "", ABOVE));
    ruga_scene *scene = NULL;
    assert_status(ruga_scene_create(context, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
    assert_message_has(context, "did you mean \"cloth\"?");
    assert_null(scene);
    ruga_description_destroy(d);
}

static ruga_status check_in(ruga_context *other, void *argument) {
    (void)argument;
    const char *text = SCENE(ON, "\"material\": \"denim\", ", ACROSS);
    ruga_description *d = NULL;
    ruga_status status = ruga_description_read_memory(other, "scene", text, strlen(text), &d);
    if (!RUGA_FAILED(status)) status = ruga_description_check(d);
    ruga_description_destroy(d);
    return status;
}

static void every_allocation_of_a_check_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(check_in, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_is_off_unless_it_is_asked_for),
        cmocka_unit_test(the_rows_have_the_solvers_defaults),
        cmocka_unit_test(nothing_of_contact_is_there_without_it),
        cmocka_unit_test(contact_keeps_the_cloth_on_the_ball),
        cmocka_unit_test(objects_that_contact_excludes_pass_through_each_other),
        cmocka_unit_test(an_excluded_object_need_not_collide),
        cmocka_unit_test(colliders_by_formula_are_for_contact_too),
        cmocka_unit_test(a_saved_scene_continues_bit_identically),
        cmocka_unit_test(intersections_name_objects_and_triangles),
        cmocka_unit_test(a_start_with_intersections_is_as_the_scene_wants_it),
        cmocka_unit_test(a_check_reports_problems_of_contact),
        cmocka_unit_test(what_is_wrong_is_found_once),
        cmocka_unit_test(mistakes_are_reported_without_a_check_too),
        cmocka_unit_test(every_allocation_of_a_check_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
