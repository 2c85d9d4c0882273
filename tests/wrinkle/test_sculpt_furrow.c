/* Furrows: strokes along a wrinkle. And looks, variation and advice. */
#include <string.h>

#include "wrinkle/sculpt_support.h"

/* A furrow along x on a plane, 0.6 m long. */
static void open_furrow(test_sculpt *t, ruga_context *context, ruga_stroke_def *def) {
    test_sculpt_open(t, context, jittered_sheet(context, 40, 1));
    *def = ruga_stroke_def_default();
    def->shape = RUGA_SHAPE_FURROW;
    def->curve = test_line(t, -0.3, 0, 0.3, 0);
    def->length = 1.3;
    def->radius = 0.12;
    def->vary = 0;
}

/* The greatest and the least height between two places along the furrow, on one side of it (1, -1) or both (0). */
static double extreme(const ruga_mesh *mesh, double from, double to, double side, double sign) {
    double greatest = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        vec3 p = mesh->positions[v];
        if (p.x >= from && p.x <= to && side * p.z >= 0) greatest = fmax(greatest, sign * p.y);
    }
    return greatest;
}

static void a_furrow_is_a_groove_between_ridges(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    ruga_stroke_def def;
    open_furrow(&t, context, &def);
    test_add(&t, &def);
    const ruga_mesh *mesh = test_update(&t);
    assert_valid_sculpt(t.mesh, mesh);
    double depth = 0, ridge[2] = {extreme(mesh, -0.05, 0.05, 1, 1), extreme(mesh, -0.05, 0.05, -1, 1)};
    size_t flat = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        vec3 p = mesh->positions[v];
        if (fabs(p.x) < 0.05 && fabs(p.z) < 1e-9) depth = fmax(depth, -p.y);
        if (fabs(p.z) <= 0.13 && fabs(p.x) <= 0.34) continue;
        assert_at_most_case(fabs(p.y), 1e-5, "vertex %zu", v);
        flat++;
    }
    assert_ran(flat, 100);
    print_message("%.4f m deep, ridges of %.4f m\n", depth, ridge[0]);
    assert_less(0.01, depth);
    assert_less(0.1 * depth, ridge[0]);
    assert_near(ridge[0], ridge[1], 0.1 * ridge[0]);
    /* The deepest place is on the curve, and it fades towards the ends. */
    assert_near(extreme(mesh, -0.05, 0.05, 0, -1), depth, 0.02 * depth);
    assert_less(extreme(mesh, 0.25, 0.3, 0, -1), 0.4 * depth);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

static void asymmetry_raises_the_left_ridge(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    ruga_stroke_def def;
    open_furrow(&t, context, &def);
    def.asymmetry = 0.8;
    test_add(&t, &def);
    const ruga_mesh *mesh = test_update(&t);
    /* Along x with y up, left is towards -z. */
    assert_less(3 * extreme(mesh, -0.05, 0.05, 1, 1), extreme(mesh, -0.05, 0.05, -1, 1));
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Where two furrows cross, and where a furrow meets wrinkles, the surface has no step that refinement does not
 * shrink. */
static double greatest_step(ruga_context *context, int refine) {
    test_sculpt t;
    ruga_stroke_def def;
    open_furrow(&t, context, &def);
    def.refine = refine;
    def.tolerance = 1e-7;
    test_add(&t, &def);
    def.curve = test_line(&t, 0.05, -0.3, -0.05, 0.3);
    test_add(&t, &def);
    ruga_stroke_def wrinkles = test_stroke(test_line(&t, -0.3, 0.08, 0.3, 0.1), 0.15);
    wrinkles.refine = refine;
    wrinkles.tolerance = 1e-7;
    test_add(&t, &wrinkles);
    const ruga_mesh *mesh = test_update(&t);
    double step = 0;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t a = mesh->triangles[i], b = mesh->triangles[i - i % 3 + (i + 1) % 3];
        step = fmax(step, fabs(mesh->positions[a].y - mesh->positions[b].y));
    }
    test_sculpt_close(&t);
    return step;
}

static void furrows_cross_without_a_step(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double coarse = greatest_step(context, 0), fine = greatest_step(context, 2);
    print_message("greatest step %.4f m, refined %.4f m\n", coarse, fine);
    assert_less(fine, 0.45 * coarse);
    ruga_context_destroy(context);
}

/* By the seed, and not without variation. */
static void variation_follows_the_seed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int shape = 0; shape < 2; shape++) {
        double tops[3];
        for (int i = 0; i < 3; i++) {
            test_sculpt t;
            ruga_stroke_def def;
            open_furrow(&t, context, &def);
            def.shape = (ruga_stroke_shape)shape;
            def.vary = i < 2 ? 0.6 : 0;
            def.seed = 1 + 2 * (i == 1);
            test_add(&t, &def);
            tops[i] = extreme(test_update(&t), -0.3, 0.3, 0, -1);
            test_sculpt_close(&t);
        }
        assert_less(1e-3 * tops[2], fabs(tops[0] - tops[1]));
        assert_less(1e-3 * tops[2], fabs(tops[0] - tops[2]));
    }
    ruga_context_destroy(context);
}

static void looks_have_names(void **state) {
    (void)state;
    size_t count = 0;
    for (; ruga_stroke_look_name(count); count++) {
        ruga_stroke_def def = ruga_stroke_def_default();
        assert_int_equal(ruga_stroke_def_look(ruga_stroke_look_name(count), &def), 1);
        assert_less(1, def.length);
        assert_int_equal(def.start, RUGA_STROKE_COUNT);
    }
    assert_int_equal(count, 7);
    ruga_stroke_def def = ruga_stroke_def_default();
    assert_int_equal(ruga_stroke_def_look("crows-feet", &def), 1);
    assert_int_equal(ruga_stroke_def_look("elbow", &def), 0);
}

static void wrong_furrows_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    ruga_stroke_def def;
    open_furrow(&t, context, &def);
    ruga_stroke_def bad[4] = {def, def, def, def};
    bad[0].region = def.curve;
    bad[1].taper = 0.7;
    bad[2].asymmetry = -1.5;
    bad[3].vary = NAN;
    static const char *const words[4] = {"region curve", "taper", "asymmetry", "variation"};
    for (int i = 0; i < 4; i++) {
        assert_status(ruga_sculpt_add(t.sculpt, &bad[i], NULL), RUGA_ERROR_INPUT);
        assert_message_has(context, words[i]);
    }
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Sides of 0.25 m, a profile 0.1 m wide: an edge reaches from one side of it to the other. */
static void furrows_narrower_than_the_triangles_are_refined(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 4, 1));
    ruga_stroke_def def = ruga_stroke_def_default();
    def.shape = RUGA_SHAPE_FURROW;
    def.curve = test_line(&t, -0.3, 0.03, 0.3, 0.03);
    def.length = 1.3;
    def.radius = 0.05;
    size_t stroke = test_add(&t, &def);
    test_update(&t);
    const ruga_stroke_info info = ruga_sculpt_stroke_info(t.sculpt, stroke);
    assert_less(1, info.refinements);
    assert_less(0, info.error);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_furrow_is_a_groove_between_ridges),
        cmocka_unit_test(asymmetry_raises_the_left_ridge),
        cmocka_unit_test(furrows_cross_without_a_step),
        cmocka_unit_test(furrows_narrower_than_the_triangles_are_refined),
        cmocka_unit_test(variation_follows_the_seed),
        cmocka_unit_test(looks_have_names),
        cmocka_unit_test(wrong_furrows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
