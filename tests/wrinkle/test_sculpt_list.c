/* Laws of the list of strokes: nothing depends on history, only what changed is done again, and what can't be done says
 * why. */
#include "wrinkle/sculpt_support.h"

static ruga_stroke_def stroke_of(test_sculpt *t, int which) {
    static const double lines[3][4] = {{-0.3, 0, 0.3, 0.05}, {0.1, -0.3, -0.1, 0.3}, {-0.4, 0.35, -0.1, 0.4}};
    if (t->curve_count == 0)
        for (int i = 0; i < 3; i++) test_line(t, lines[i][0], lines[i][1], lines[i][2], lines[i][3]);
    ruga_stroke_def def = test_stroke(t->curves[which], 0.1);
    def.refine = 1;
    def.seed = which + 1;
    return def;
}

/* Three strokes, of which two cross. */
static void open_three(test_sculpt *t, ruga_context *context) {
    test_sculpt_open(t, context, jittered_sheet(context, 12, 1));
    for (int i = 0; i < 3; i++) {
        ruga_stroke_def def = stroke_of(t, i);
        test_add(t, &def);
    }
}

/* ---- History. */

static void changing_and_changing_back(test_sculpt *t) {
    ruga_stroke_def def = stroke_of(t, 0);
    def.stiffness = 40;
    def.length = 1.6;
    assert_ok(t->context, ruga_sculpt_set(t->sculpt, 0, &def));
    test_update(t);
    def.radius = 0.25;
    def.refine = 2;
    assert_ok(t->context, ruga_sculpt_set(t->sculpt, 0, &def));
    test_update(t);
    def = stroke_of(t, 0);
    assert_ok(t->context, ruga_sculpt_set(t->sculpt, 0, &def));
}

static void switching_off_and_on(test_sculpt *t) {
    ruga_stroke_def def = stroke_of(t, 1);
    def.off = 1;
    assert_ok(t->context, ruga_sculpt_set(t->sculpt, 1, &def));
    test_update(t);
    def.off = 0;
    assert_ok(t->context, ruga_sculpt_set(t->sculpt, 1, &def));
}

static void reordering_and_back(test_sculpt *t) {
    const size_t other[] = {2, 0, 1}, back[] = {0, 1, 2};
    assert_ok(t->context, ruga_sculpt_reorder(t->sculpt, other, 3));
    test_update(t);
    assert_ok(t->context, ruga_sculpt_reorder(t->sculpt, back, 3));
}

static void posing(test_sculpt *t) {
    ruga_vec3 *out = malloc(ruga_sculpt_mesh(t->sculpt)->vertex_count * sizeof *out);
    const double lengths[] = {1.1, 1.5, 1};
    assert_ok(t->context, ruga_sculpt_pose(t->sculpt, t->mesh->positions, lengths, out));
    free(out);
}

static void a_failed_update(test_sculpt *t) {
    ruga_stroke_def def = stroke_of(t, 2);
    def.radius = 50;
    assert_ok(t->context, ruga_sculpt_set(t->sculpt, 2, &def));
    assert_status(ruga_sculpt_update(t->sculpt, 0, NULL), RUGA_ERROR_INPUT);
    size_t failed;
    assert_ok(t->context, ruga_sculpt_update(t->sculpt, 1, &failed));
    assert_int_equal(failed, 1);
    def = stroke_of(t, 2);
    assert_ok(t->context, ruga_sculpt_set(t->sculpt, 2, &def));
}

static void results_do_not_depend_on_history(void **state) {
    (void)state;
    static void (*const detours[])(test_sculpt *) = {changing_and_changing_back, switching_off_and_on,
                                                     reordering_and_back, posing, a_failed_update};
    ruga_context *context = context_plain(1);
    test_sculpt fresh, used;
    open_three(&fresh, context);
    open_three(&used, context);
    test_update(&fresh);
    test_update(&used);
    for (size_t i = 0; i < sizeof detours / sizeof *detours; i++) {
        detours[i](&used);
        test_update(&used);
        assert_same_result(fresh.sculpt, used.sculpt);
    }
    test_sculpt_close(&fresh);
    test_sculpt_close(&used);
    ruga_context_destroy(context);
}

/* A stroke that turns, so that being straight at rest is another thing; for a change of their number, with so many
 * wrinkles. */
static ruga_stroke_def bent_stroke(test_sculpt *t, size_t change) {
    const ruga_vec3 points[] = {{-0.3, 0, -0.1}, {0, 0, 0.1}, {0.3, 0, -0.05}};
    ruga_stroke_def def = test_stroke(test_curve_through(t, points, 3, 0), 0.15);
    def.refine = 1;
    if (change == 4) def.start = RUGA_STROKE_COUNT;
    return def;
}

static int is_same(const ruga_mesh *x, const ruga_mesh *y) {
    return x->vertex_count == y->vertex_count &&
           memcmp(x->positions, y->positions, x->vertex_count * sizeof *x->positions) == 0;
}

/* Each thing that can be said of a stroke, said later. All but the tolerance, which is met as it is, and
 * the taper, which is of furrows, show. */
static void a_changed_stroke_is_as_a_new_one(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (size_t change = 0; change < STROKE_CHANGES; change++) {
        test_sculpt before, fresh, used;
        test_sculpt_open(&before, context, jittered_sheet(context, 12, 1));
        test_sculpt_open(&fresh, context, jittered_sheet(context, 12, 1));
        test_sculpt_open(&used, context, jittered_sheet(context, 12, 1));
        ruga_stroke_def def = bent_stroke(&before, change);
        test_add(&before, &def);
        def = bent_stroke(&used, change);
        test_add(&used, &def);
        test_update(&before);
        test_update(&used);
        def = changed_stroke(&def, change);
        assert_ok(context, ruga_sculpt_set(used.sculpt, 0, &def));
        ruga_stroke_def plain = bent_stroke(&fresh, change);
        def = changed_stroke(&plain, change);
        test_add(&fresh, &def);
        test_update(&fresh);
        test_update(&used);
        assert_same_result(fresh.sculpt, used.sculpt);
        if (change != 8 && change != 13)
            assert_false(is_same(ruga_sculpt_mesh(before.sculpt), ruga_sculpt_mesh(used.sculpt)));
        test_sculpt_close(&before);
        test_sculpt_close(&fresh);
        test_sculpt_close(&used);
    }
    ruga_context_destroy(context);
}

/* A stroke that is removed leaves nothing, and numbers stay. */
static void a_removed_stroke_was_never_there(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt fresh, used;
    test_sculpt_open(&fresh, context, jittered_sheet(context, 12, 1));
    ruga_stroke_def def = stroke_of(&fresh, 0);
    test_add(&fresh, &def);
    def = stroke_of(&fresh, 2);
    test_add(&fresh, &def);
    open_three(&used, context);
    test_update(&fresh);
    test_update(&used);
    assert_ok(context, ruga_sculpt_remove(used.sculpt, 1));
    test_update(&used);
    assert_same_result(fresh.sculpt, used.sculpt);
    assert_int_equal(ruga_sculpt_stroke_count(used.sculpt), 3);
    def = stroke_of(&used, 2);
    assert_status(ruga_sculpt_set(used.sculpt, 1, &def), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_sculpt_remove(used.sculpt, 1), RUGA_ERROR_ARGUMENT);
    assert_ok(context, ruga_sculpt_set(used.sculpt, 2, &def));
    test_sculpt_close(&fresh);
    test_sculpt_close(&used);
    ruga_context_destroy(context);
}

static void results_do_not_depend_on_threads(void **state) {
    (void)state;
    ruga_context *one = context_plain(1), *four = context_plain(4);
    test_sculpt a, b;
    open_three(&a, one);
    open_three(&b, four);
    test_update(&a);
    test_update(&b);
    assert_same_result(a.sculpt, b.sculpt);
    test_sculpt_close(&a);
    test_sculpt_close(&b);
    ruga_context_destroy(one);
    ruga_context_destroy(four);
}

/* ---- Stages that are repeated. */

static void expect(const test_sculpt *t, size_t cuts, size_t governed, size_t surfaces) {
    sculpt_counts counts = sculpt_get_counts(t->sculpt);
    assert_int_equal(counts.cuts, cuts);
    assert_int_equal(counts.governed, governed);
    assert_int_equal(counts.surfaces, surfaces);
}

static void only_what_depends_is_done_again(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_three(&t, context);
    test_update(&t);
    expect(&t, 1, 3, 1);
    test_update(&t);
    expect(&t, 1, 3, 1);
    /* The stroke that crosses none: itself. */
    ruga_stroke_def def = stroke_of(&t, 2);
    def.stiffness = 12;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 2, &def));
    test_update(&t);
    expect(&t, 1, 4, 1);
    /* One that crosses another: both. */
    def = stroke_of(&t, 0);
    def.stiffness = 12;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    test_update(&t);
    expect(&t, 1, 6, 1);
    /* A radius: no cut and no minimisation. */
    def.radius = 0.13;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    test_update(&t);
    expect(&t, 1, 6, 2);
    /* The same again: nothing. */
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    test_update(&t);
    expect(&t, 1, 6, 2);
    def.off = 1;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    test_update(&t);
    expect(&t, 2, 8, 3);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* ---- Bad input. */

typedef struct bad_value {
    const char *message;
    double stiffness, length, radius, tolerance;
    int particles, refine, wrinkles;
} bad_value;

static void values_out_of_range_are_refused_by_name(void **state) {
    (void)state;
    static const bad_value bad[] = {{"stiffness", -1, 1.3, 0.1, NAN, 50, 1, 0},
                                    {"stiffness", NAN, 1.3, 0.1, NAN, 50, 1, 0},
                                    {"target length", 10, 0.9, 0.1, NAN, 50, 1, 0},
                                    {"target length", 10, INFINITY, 0.1, NAN, 50, 1, 0},
                                    {"radius", 10, 1.3, -0.1, NAN, 50, 1, 0},
                                    {"radius", 10, 1.3, INFINITY, NAN, 50, 1, 0},
                                    {"tolerance", 10, 1.3, 0.1, 0, 50, 1, 0},
                                    {"particles", 10, 1.3, 0.1, NAN, 7, 1, 0},
                                    {"particles", 10, 1.3, 0.1, NAN, 10001, 1, 0},
                                    {"refined", 10, 1.3, 0.1, NAN, 50, 7, 0},
                                    {"13 wrinkles are wanted, but 50 particles", 10, 1.3, 0.1, NAN, 50, 1, 13}};
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 6, 1));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ruga_stroke_def def = stroke_of(&t, 0);
        def.name = "brow";
        def.stiffness = bad[i].stiffness;
        def.length = bad[i].length;
        def.radius = bad[i].radius;
        def.tolerance = bad[i].tolerance;
        def.particles = bad[i].particles;
        def.refine = bad[i].refine;
        if (bad[i].wrinkles) {
            def.start = RUGA_STROKE_COUNT;
            def.wrinkles = bad[i].wrinkles;
        }
        assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
        assert_message_has(context, "stroke \"brow\"");
        assert_message_has(context, bad[i].message);
    }
    assert_int_equal(ruga_sculpt_stroke_count(t.sculpt), 0);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

static void incomplete_strokes_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 6, 1));
    ruga_stroke_def def = stroke_of(&t, 0);
    def.cookie = 0;
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_ARGUMENT);
    def = stroke_of(&t, 0);
    def.curve = NULL;
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
    def = stroke_of(&t, 0);
    def.mode = RUGA_REGION_BETWEEN;
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "stroke \"0\": a region between two curves needs a region curve");
    def.region = t.curves[1];
    def.radius = NAN;
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "needs a radius");
    /* Curves of another mesh, and without length. */
    const ruga_surface_point far_away[] = {{0, {1, 0, 0}}, {100000, {1, 0, 0}}},
                             still[] = {{0, {1, 0, 0}}, {0, {1, 0, 0}}};
    ruga_curve curve = {.name = "", .point_count = 2, .points = far_away, .context = context};
    def = stroke_of(&t, 0);
    def.curve = &curve;
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "not on this mesh");
    curve.points = still;
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "no length");
    def = stroke_of(&t, 0);
    def.start = (ruga_stroke_start)7;
    assert_status(ruga_sculpt_add(t.sculpt, &def, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "has an unknown value");
    const size_t twice[] = {0, 0};
    assert_status(ruga_sculpt_reorder(t.sculpt, twice, 2), RUGA_ERROR_ARGUMENT);
    assert_ok(context, ruga_sculpt_reorder(t.sculpt, NULL, 0));
    assert_int_equal(ruga_sculpt_stroke_info(t.sculpt, 5).status, RUGA_ERROR_ARGUMENT);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Triangles 0 to 2 share the edge (0, 1); 3 has no area; 4 and 5 are other pieces. */
static ruga_mesh *bad_mesh(ruga_context *context) {
    static const ruga_vec3 positions[] = {{0, 0, 0},  {1, 0, 0},  {0, 0, 1},  {0, 1, 0}, {0, 0, -1},
                                          {20, 0, 0}, {21, 0, 0}, {22, 0, 0}, {5, 0, 0}, {6, 0, 0},
                                          {5, 0, 1},  {10, 0, 0}, {11, 0, 0}, {10, 0, 1}};
    static const uint32_t faces[] = {0, 2, 1, 0, 3, 1, 0, 1, 4, 5, 6, 7, 8, 10, 9, 11, 13, 12};
    return shape_make(context, 14, positions, 6, NULL, faces);
}

/* One stroke over an edge of several triangles, one on a triangle without area, one good, one whose region curve is
 * elsewhere. */
static void add_bad_strokes(test_sculpt *t, ruga_curve *curves, const ruga_surface_point (*points)[2]) {
    static const char *const names[] = {"over", "flat", "good", "apart"};
    for (int i = 0; i < 4; i++) {
        curves[i] = (ruga_curve){.name = "", .point_count = 2, .points = points[i], .context = t->context};
        ruga_stroke_def def = test_stroke(&curves[i], i < 3 ? 0.2 : NAN);
        def.name = names[i];
        def.region = i < 3 ? NULL : &curves[2];
        def.refine = 0;
        test_add(t, &def);
    }
}

static void what_can_not_be_done_is_named_and_others_continue(void **state) {
    (void)state;
    static const ruga_surface_point points[4][2] = {{{0, {0.4, 0.2, 0.4}}, {0, {0.5, 0, 0.5}}},
                                                    {{3, {1, 0, 0}}, {3, {0, 0, 1}}},
                                                    {{5, {0.6, 0.2, 0.2}}, {5, {0.2, 0.6, 0.2}}},
                                                    {{4, {0.6, 0.2, 0.2}}, {4, {0.2, 0.6, 0.2}}}};
    static const char *const parts[] = {"edge (0, 1)", "triangle 3, which has no area", NULL, "same piece"};
    ruga_context *context = context_plain(1);
    ruga_curve curves[4];
    test_sculpt t;
    size_t failed = 9;
    test_sculpt_open(&t, context, bad_mesh(context));
    add_bad_strokes(&t, curves, points);
    assert_status(ruga_sculpt_update(t.sculpt, 0, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"over\"");
    assert_null(ruga_sculpt_mesh(t.sculpt));
    for (int round = 0; round < 2; round++) {
        assert_ok(context, ruga_sculpt_update(t.sculpt, 1, &failed));
        assert_int_equal(failed, 3);
        for (size_t i = 0; i < 4; i++) {
            ruga_stroke_info info = ruga_sculpt_stroke_info(t.sculpt, i);
            assert_int_equal(info.status, i == 2 ? RUGA_OK : RUGA_ERROR_INPUT);
            if (i != 2) assert_non_null(strstr(info.message, parts[i]));
        }
    }
    assert_status(ruga_sculpt_update(t.sculpt, 0, NULL), RUGA_ERROR_INPUT);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

static void a_radius_larger_than_the_mesh_is_an_error(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 6, 1));
    ruga_stroke_def def = stroke_of(&t, 0);
    def.name = "wide";
    def.radius = 3;
    test_add(&t, &def);
    assert_status(ruga_sculpt_update(t.sculpt, 0, NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "stroke \"wide\": its radius of 3 m is larger than the mesh");
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

static void meshes_that_can_not_be_sculpted_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 1}};
    const uint32_t faces[] = {0, 1, 2};
    ruga_sculpt *sculpt = NULL;
    ruga_mesh *mesh = shape_make(context, 3, positions, 0, NULL, NULL);
    assert_status(ruga_sculpt_create(mesh, &sculpt), RUGA_ERROR_INPUT);
    ruga_mesh_destroy(mesh);
    mesh = shape_make(context, 3, positions, 1, NULL, faces);
    assert_status(ruga_sculpt_create(mesh, &sculpt), RUGA_ERROR_INPUT);
    assert_message_has(context, "vertex 2");
    ruga_mesh_destroy(mesh);
    ruga_sculpt_destroy(NULL);
    ruga_context_destroy(context);
}

/* ---- Memory. */

static ruga_status sculpt_all(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    const uint32_t faces[] = {0, 3, 1, 1, 3, 2};
    const ruga_surface_point lines[3][2] = {{{0, {0.8, 0.1, 0.1}}, {0, {0.1, 0.1, 0.8}}},
                                            {{0, {0.2, 0.5, 0.3}}, {0, {0.6, 0.2, 0.2}}},
                                            {{1, {0.4, 0.3, 0.3}}, {1, {0.1, 0.1, 0.8}}}};
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)(uintptr_t)positions, 4, 0, RUGA_F64};
    mesh_def.face_count = 2;
    mesh_def.face_vertices = faces;
    ruga_mesh *mesh = NULL;
    ruga_sculpt *sculpt = NULL;
    ruga_status status = ruga_mesh_create(context, &mesh_def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_sculpt_create(mesh, &sculpt);
    for (int i = 0; i < 2 && !RUGA_FAILED(status); i++) {
        ruga_curve curve = {.name = "", .point_count = 2, .points = lines[i], .context = context};
        ruga_curve region = {.name = "", .point_count = 2, .points = lines[2], .context = context};
        ruga_stroke_def def = test_stroke(&curve, 0.2);
        def.region = &region;
        def.mode = i == 0 ? RUGA_REGION_BETWEEN : RUGA_REGION_AROUND;
        def.particles = 12;
        def.refine = 1;
        status = ruga_sculpt_add(sculpt, &def, NULL);
    }
    size_t failed;
    if (!RUGA_FAILED(status)) status = ruga_sculpt_update(sculpt, 1, &failed);
    if (!RUGA_FAILED(status)) {
        ruga_vec3 *out = malloc(ruga_sculpt_mesh(sculpt)->vertex_count * sizeof *out);
        status = ruga_sculpt_pose(sculpt, mesh->positions, NULL, out);
        free(out);
    }
    ruga_sculpt_destroy(sculpt);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(60, assert_every_allocation_may_fail(sculpt_all, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_history),
        cmocka_unit_test(a_changed_stroke_is_as_a_new_one),
        cmocka_unit_test(a_removed_stroke_was_never_there),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(only_what_depends_is_done_again),
        cmocka_unit_test(values_out_of_range_are_refused_by_name),
        cmocka_unit_test(incomplete_strokes_are_refused),
        cmocka_unit_test(what_can_not_be_done_is_named_and_others_continue),
        cmocka_unit_test(a_radius_larger_than_the_mesh_is_an_error),
        cmocka_unit_test(meshes_that_can_not_be_sculpted_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
