/* Reports of a sculpt: its regions, the tolerance of each stroke, and its progress, at which it can be
 * stopped. */
#include "wrinkle/sculpt_support.h"

/* A flat sheet moves by the share times the deflection: not at all outside, wholly on the curve. */
static void regions_are_where_vertices_move_and_whole_on_curves(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 12, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.3, 0, 0.3, 0.05), 0.1);
    def.refine = 1;
    test_add(&t, &def);
    def.curve = test_line(&t, -0.3, 0.15, 0.3, 0.2);
    test_add(&t, &def);
    const ruga_mesh *fine = test_update(&t);
    double *shares = malloc(fine->vertex_count * sizeof *shares), greatest = 0;
    size_t outside = 0, moved = 0;
    ruga_sculpt_regions(t.sculpt, shares);
    for (size_t v = 0; v < fine->vertex_count; v++) {
        double distance = fmin(line_distance(fine->positions[v], -0.3, 0, 0.3, 0.05, NULL),
                               line_distance(fine->positions[v], -0.3, 0.15, 0.3, 0.2, NULL));
        assert_at_most(0, shares[v]);
        assert_at_most(shares[v], 1 + 1e-12);
        outside += distance > 0.105;
        moved += fine->positions[v].y != 0;
        if (distance > 0.105) assert_true(shares[v] == 0);
        if (fine->positions[v].y != 0) assert_less(0, shares[v]);
        greatest = fmax(greatest, shares[v]);
    }
    assert_true(greatest == 1);
    assert_ran(outside, 10);
    assert_ran(moved, 10);
    free(shares);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* A tolerance that was not given is the length of the curve / 600; a coarse mesh that may not be refined exceeds
 * it. */
static void infos_have_the_tolerance_that_errors_are_held_against(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 12, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.3, 0, 0.3, 0), 0.1);
    def.refine = 0;
    test_add(&t, &def);
    test_update(&t);
    ruga_stroke_info info = ruga_sculpt_stroke_info(t.sculpt, 0);
    assert_near(info.tolerance, 0.001, 1e-12);
    assert_less(info.tolerance, info.error);
    def.tolerance = 0.004;
    def.refine = 4;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    test_update(&t);
    info = ruga_sculpt_stroke_info(t.sculpt, 0);
    assert_true(info.tolerance == 0.004);
    assert_at_most(info.error, 0.004);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

static void before_an_update_there_are_no_regions(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    double untouched = 7;
    test_sculpt_open(&t, context, jittered_sheet(context, 4, 1));
    ruga_sculpt_regions(t.sculpt, &untouched);
    assert_true(untouched == 7);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

typedef struct patience {
    int calls, last; /* the call that says stop */
} patience;

static int stop_at_last(void *user, const char *stage, double fraction) {
    patience *p = user;
    assert_non_null(stage);
    assert_at_most(0, fraction);
    assert_at_most(fraction, 1);
    return p->calls++ == p->last;
}

/* Stopped anywhere it fails as such, and the next update has the same result as if nothing had been. */
static void an_update_can_be_stopped_and_done_again(void **state) {
    (void)state;
    patience p = {0, -1};
    ruga_context_def context_def = ruga_context_def_default();
    context_def.progress = stop_at_last;
    context_def.progress_user = &p;
    ruga_context *context = NULL;
    assert_int_equal(ruga_context_create(&context_def, &context), RUGA_OK);
    test_sculpt whole, stopped;
    test_sculpt *both[] = {&whole, &stopped};
    for (int i = 0; i < 2; i++) {
        test_sculpt_open(both[i], context, jittered_sheet(context, 12, 1));
        ruga_stroke_def def = test_stroke(test_line(both[i], -0.3, 0, 0.3, 0.05), 0.1);
        def.refine = 2;
        def.start = RUGA_STROKE_SEARCH;
        def.particles = 16;
        test_add(both[i], &def);
    }
    p.calls = 0;
    test_update(&whole);
    const int calls = p.calls;
    assert_less(30, calls);
    for (int i = 0; i < calls; i++) {
        p = (patience){0, i};
        assert_status(ruga_sculpt_update(stopped.sculpt, 1, NULL), RUGA_ERROR_CANCELLED);
    }
    p = (patience){0, -1};
    test_update(&stopped);
    assert_same_result(whole.sculpt, stopped.sculpt);
    test_sculpt_close(&whole);
    test_sculpt_close(&stopped);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_where_vertices_move_and_whole_on_curves),
        cmocka_unit_test(infos_have_the_tolerance_that_errors_are_held_against),
        cmocka_unit_test(an_update_can_be_stopped_and_done_again),
        cmocka_unit_test(before_an_update_there_are_no_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
