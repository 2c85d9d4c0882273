/* A sculpt over a long session: strokes come, change, fail and go, and nothing that went is used again. */
#include "wrinkle/sculpt_support.h"

/* As many strokes as the list has room for at first: the next one moves it. */
enum { ROOM = 8 };

static void open_full(test_sculpt *t, ruga_context *context) {
    test_sculpt_open(t, context, jittered_sheet(context, 8, 1));
    const ruga_curve *curves[] = {test_line(t, -0.3, 0, 0.3, 0.05), test_line(t, 0.1, -0.3, -0.1, 0.3)};
    for (int i = 0; i < ROOM; i++) {
        ruga_stroke_def def = test_stroke(curves[i % 2], 0.15);
        def.refine = 1;
        def.off = i > 1;
        test_add(t, &def);
    }
    test_update(t);
}

static ruga_vec3 *pose_at(test_sculpt *t, double length) {
    const double lengths[ROOM + 1] = {length, length};
    ruga_vec3 *out = malloc(ruga_sculpt_mesh(t->sculpt)->vertex_count * sizeof *out);
    assert_ok(t->context, ruga_sculpt_pose(t->sculpt, t->mesh->positions, lengths, out));
    return out;
}

/* The list may have grown for it, but what the last update found is still there. */
static void a_refused_stroke_leaves_all_as_it_was(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t, other;
    open_full(&t, context);
    open_full(&other, context);
    ruga_vec3 *before = pose_at(&t, 1.1);
    ruga_stroke_def def = test_stroke(t.curves[0], -1);
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
    ruga_vec3 *after = pose_at(&t, 1.1);
    assert_memory_equal(before, after, ruga_sculpt_mesh(t.sculpt)->vertex_count * sizeof *before);
    def = test_stroke(t.curves[0], 0.15);
    def.refine = 1;
    def.stiffness = 30;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    assert_ok(context, ruga_sculpt_set(other.sculpt, 0, &def));
    test_update(&t);
    test_update(&other);
    assert_same_result(t.sculpt, other.sculpt);
    free(before);
    free(after);
    test_sculpt_close(&t);
    test_sculpt_close(&other);
    ruga_context_destroy(context);
}

/* Off, changed, moved, posed, one that can't be done, one more than there was room for, and away again. */
static ruga_status change_all(ruga_sculpt *s, const ruga_mesh *mesh, ruga_stroke_def def, ruga_vec3 *out) {
    const size_t order[] = {2, 1};
    const double lengths[ROOM + 3] = {1, 1.1, 1.2};
    size_t failed;
    TRY(ruga_sculpt_update(s, 1, &failed));
    assert_int_equal(failed, 1);
    TRY(ruga_sculpt_pose(s, mesh->positions, lengths, out));
    TRY(ruga_sculpt_remove(s, 0));
    def.stiffness = 20;
    TRY(ruga_sculpt_set(s, 1, &def));
    TRY(ruga_sculpt_update(s, 1, &failed));
    def.radius = 40;
    TRY(ruga_sculpt_set(s, 1, &def));
    TRY(ruga_sculpt_update(s, 1, &failed));
    assert_int_equal(failed, 1);
    def.radius = 0.2;
    def.off = 1;
    TRY(ruga_sculpt_set(s, 1, &def));
    TRY(ruga_sculpt_reorder(s, order, 2));
    for (int i = 0; i < ROOM; i++) TRY(ruga_sculpt_add(s, &def, NULL));
    TRY(ruga_sculpt_update(s, 1, &failed));
    assert_int_equal(failed, 0);
    TRY(ruga_sculpt_remove(s, 2));
    TRY(ruga_sculpt_update(s, 1, &failed));
    return ruga_sculpt_pose(s, mesh->positions, NULL, out);
}

static ruga_status live(ruga_context *context, void *user) {
    (void)user;
    /* The last triangle has no area. */
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
    const uint32_t faces[] = {0, 3, 1, 1, 3, 2, 4, 5, 6};
    const ruga_surface_point lines[3][2] = {{{2, {1, 0, 0}}, {2, {0, 0, 1}}},
                                            {{0, {0.8, 0.1, 0.1}}, {0, {0.1, 0.1, 0.8}}},
                                            {{0, {0.2, 0.5, 0.3}}, {0, {0.6, 0.2, 0.2}}}};
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)(uintptr_t)positions, 7, 0, RUGA_F64};
    mesh_def.face_count = 3;
    mesh_def.face_vertices = faces;
    ruga_mesh *mesh = NULL;
    ruga_sculpt *sculpt = NULL;
    ruga_vec3 out[200];
    ruga_stroke_def def = {0};
    ruga_curve curves[3];
    ruga_status status = ruga_mesh_create(context, &mesh_def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_sculpt_create(mesh, &sculpt);
    for (int i = 0; i < 3 && !RUGA_FAILED(status); i++) {
        curves[i] = (ruga_curve){.name = "", .point_count = 2, .points = lines[i], .context = context};
        def = test_stroke(&curves[i], 0.2);
        def.particles = 8;
        def.refine = 0;
        status = ruga_sculpt_add(sculpt, &def, NULL);
    }
    if (!RUGA_FAILED(status)) status = change_all(sculpt, mesh, def, out);
    ruga_sculpt_destroy(sculpt);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_of_a_session_may_fail(void **state) {
    (void)state;
    assert_less(300, assert_every_allocation_may_fail(live, NULL));
}

/* ---- Changes. */

/* A stroke with a region curve beside it. */
static ruga_stroke_def stroke_with_region(test_sculpt *t) {
    ruga_stroke_def def = test_stroke(test_line(t, -0.1, 0, 0.1, 0.01), 0.1);
    def.region = test_line(t, -0.1, 0.3, 0.1, 0.3);
    def.refine = 1;
    return def;
}

/* The two defs of what changes; `which` of several. */
static void changing_defs(test_sculpt *t, int which, ruga_stroke_def *before, ruga_stroke_def *after) {
    *before = *after = stroke_with_region(t);
    switch (which) {
        case 0: after->mode = RUGA_REGION_BETWEEN; break;
        case 1: after->ends = RUGA_ENDS_PRINTED; break;
        case 2: before->radius = NAN; break; /* that of the region curve, from then on a number */
        case 3: after->radius = NAN; break;
        default: /* so much longer that it takes more refinements */
            before->length = 1.01;
            after->length = 1.7;
            before->refine = after->refine = 3;
            break;
    }
}

/* Beside a stroke that crosses it, and comes first. */
static void strokes_that_change_are_as_new_ones(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int which = 0; which < 5; which++) {
        test_sculpt fresh, used;
        ruga_stroke_def before, after;
        test_sculpt_open(&fresh, context, jittered_sheet(context, 12, 1));
        test_sculpt_open(&used, context, jittered_sheet(context, 12, 1));
        ruga_stroke_def first = test_stroke(test_line(&fresh, 0.01, -0.2, 0, 0.2), 0.1);
        first.refine = 1;
        test_add(&fresh, &first);
        first.curve = test_line(&used, 0.01, -0.2, 0, 0.2);
        test_add(&used, &first);
        changing_defs(&fresh, which, &before, &after);
        test_add(&fresh, &after);
        changing_defs(&used, which, &before, &after);
        test_add(&used, &before);
        test_update(&used);
        assert_ok(context, ruga_sculpt_set(used.sculpt, 1, &after));
        test_update(&used);
        test_update(&fresh);
        assert_same_result(fresh.sculpt, used.sculpt);
        test_sculpt_close(&fresh);
        test_sculpt_close(&used);
    }
    ruga_context_destroy(context);
}

/* Kept going or not. */
static void a_failed_stroke_that_is_mended_is_done(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    size_t failed;
    test_sculpt_open(&t, context, jittered_sheet(context, 8, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.3, 0, 0.3, 0.05), 30);
    def.refine = 0;
    test_add(&t, &def);
    for (int round = 0; round < 2; round++) {
        assert_ok(context, ruga_sculpt_update(t.sculpt, 1, &failed));
        assert_int_equal(failed, 1);
        assert_int_equal(ruga_sculpt_stroke_info(t.sculpt, 0).status, RUGA_ERROR_INPUT);
    }
    def.radius = 0.1;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    assert_ok(context, ruga_sculpt_update(t.sculpt, 1, &failed));
    assert_int_equal(failed, 0);
    assert_int_equal(ruga_sculpt_stroke_info(t.sculpt, 0).status, RUGA_OK);
    assert_less(0, ruga_sculpt_stroke_info(t.sculpt, 0).region_vertices);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* One that could be cut before, and then gets a curve that can't be; and one that is off, of which nothing is asked. */
static void strokes_that_become_bad_are_named(void **state) {
    (void)state;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
    const uint32_t faces[] = {0, 2, 1, 3, 4, 5};
    const ruga_surface_point lines[2][2] = {{{0, {0.8, 0.1, 0.1}}, {0, {0.1, 0.1, 0.8}}},
                                            {{1, {1, 0, 0}}, {1, {0, 0, 1}}}};
    ruga_context *context = context_plain(1);
    test_sculpt t;
    ruga_curve curves[2];
    ruga_stroke_def defs[2];
    size_t failed;
    test_sculpt_open(&t, context, shape_make(context, 6, positions, 2, NULL, faces));
    for (int i = 0; i < 2; i++) {
        curves[i] = (ruga_curve){.name = "", .point_count = 2, .points = lines[i], .context = context};
        defs[i] = test_stroke(&curves[i], 0.2);
        defs[i].name = i == 0 ? "good" : "flat";
        defs[i].refine = 0;
        test_add(&t, &defs[i]);
    }
    assert_ok(context, ruga_sculpt_update(t.sculpt, 1, &failed));
    assert_int_equal(failed, 1);
    assert_int_equal(ruga_sculpt_stroke_info(t.sculpt, 0).status, RUGA_OK);
    defs[1].off = 1;
    defs[1].radius = 1000;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 1, &defs[1]));
    defs[0].curve = &curves[1];
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &defs[0]));
    assert_ok(context, ruga_sculpt_update(t.sculpt, 1, &failed));
    assert_int_equal(failed, 1);
    assert_non_null(strstr(ruga_sculpt_stroke_info(t.sculpt, 0).message, "stroke \"good\""));
    assert_int_equal(ruga_sculpt_stroke_info(t.sculpt, 1).status, RUGA_OK);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Farther away than a stroke without one would reach. */
static void a_region_curve_far_away_is_reached(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt piece, whole;
    test_sculpt *both[] = {&piece, &whole};
    for (int i = 0; i < 2; i++) {
        test_sculpt_open(both[i], context, jittered_sheet(context, 24, 1));
        both[i]->sculpt->is_whole = i;
        ruga_stroke_def def = stroke_with_region(both[i]);
        def.radius = NAN;
        test_add(both[i], &def);
        test_update(both[i]);
        double radius = ruga_sculpt_stroke_info(both[i]->sculpt, 0).radius;
        assert_less(0.28, radius);
        assert_less(radius, 0.32);
    }
    assert_same_result(piece.sculpt, whole.sculpt);
    test_sculpt_close(&piece);
    test_sculpt_close(&whole);
    ruga_context_destroy(context);
}

/* ---- Odd strokes and poses. */

/* All of the mesh in one point: there is no length to compare with, and no wrinkle. */
static void a_mesh_that_collapses_is_posed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 8, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.3, 0, 0.3, 0.05), 0.1);
    test_add(&t, &def);
    size_t count = test_update(&t)->vertex_count;
    ruga_vec3 *positions = calloc(t.mesh->vertex_count, sizeof *positions), *out = malloc(count * sizeof *out);
    assert_ok(context, ruga_sculpt_pose(t.sculpt, positions, NULL, out));
    for (size_t v = 0; v < count; v++) assert_true(vec3_length(out[v]) == 0);
    /* One whose positions are no numbers is not, whether lengths are given or measured. */
    const double length = 1.2;
    for (size_t v = 0; v < t.mesh->vertex_count; v++) positions[v].x = NAN;
    assert_status(ruga_sculpt_pose(t.sculpt, positions, NULL, out), RUGA_ERROR_INPUT);
    assert_status(ruga_sculpt_pose(t.sculpt, positions, &length, out), RUGA_ERROR_INPUT);
    assert_message_has(context, "finite");
    free(positions);
    free(out);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* From the edge of a table straight down its side: the first point is the top's, whose edges all go across the
 * stroke. */
static void a_stroke_over_a_right_angle_is_done(void **state) {
    (void)state;
    const ruga_vec3 positions[] = {{0, 1, 0}, {1, 1, 0}, {0.5, 1, -1}, {0.5, 0, 0}};
    const uint32_t faces[] = {0, 1, 2, 1, 0, 3};
    const ruga_surface_point points[] = {{0, {0.5, 0.5, 0}}, {1, {0.25, 0.25, 0.5}}};
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, shape_make(context, 4, positions, 2, NULL, faces));
    ruga_curve curve = {.name = "", .point_count = 2, .points = points, .context = context};
    ruga_stroke_def def = test_stroke(&curve, 0.1);
    test_add(&t, &def);
    assert_valid_sculpt(t.mesh, test_update(&t));
    assert_less(1, ruga_sculpt_stroke_info(t.sculpt, 0).reached);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Copies of one stroke share every place of it, many more than they have particles, and do what it does alone. */
static void strokes_on_top_of_each_other_are_one(void **state) {
    (void)state;
    enum { COPIES = 9, PARTICLES = 20 };
    ruga_context *context = context_plain(1);
    test_sculpt alone, t;
    test_sculpt *both[] = {&alone, &t};
    for (int i = 0; i < 2; i++) {
        test_sculpt_open(both[i], context, jittered_sheet(context, 30, 1));
        ruga_stroke_def def = test_stroke(test_line(both[i], -0.3, 0, 0.3, 0.05), 0.1);
        def.particles = PARTICLES;
        def.refine = 0;
        for (int k = 0; k < (i == 0 ? 1 : COPIES); k++) test_add(both[i], &def);
        assert_valid_sculpt(both[i]->mesh, test_update(both[i]));
    }
    const double *expected = alone.sculpt->strokes.items[0].line.deflections;
    double highest = 0, error = 0;
    for (int i = 0; i < PARTICLES; i++) highest = fmax(highest, fabs(expected[i]));
    for (int k = 0; k < COPIES; k++)
        for (int i = 0; i < PARTICLES; i++)
            error = fmax(error, fabs(t.sculpt->strokes.items[k].line.deflections[i] - expected[i]));
    print_message("copies of a stroke: %g of its height off it\n", error / highest);
    assert_less(0.01, highest);
    assert_less(error, 1e-3 * highest);
    test_sculpt_close(&alone);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_stroke_leaves_all_as_it_was),
        cmocka_unit_test(every_allocation_of_a_session_may_fail),
        cmocka_unit_test(strokes_that_change_are_as_new_ones),
        cmocka_unit_test(a_failed_stroke_that_is_mended_is_done),
        cmocka_unit_test(strokes_that_become_bad_are_named),
        cmocka_unit_test(a_region_curve_far_away_is_reached),
        cmocka_unit_test(a_mesh_that_collapses_is_posed),
        cmocka_unit_test(a_stroke_over_a_right_angle_is_done),
        cmocka_unit_test(strokes_on_top_of_each_other_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
