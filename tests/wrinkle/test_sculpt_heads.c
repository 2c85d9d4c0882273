/* Strokes with nothing but a curve on meshes as people have them: a bust, a mannequin and a shoe of ten thousand
 * triangles. */
#include "wrinkle/sculpt_bare.h"

typedef struct test_model {
    const char *name;
    double values[2];
    ruga_vec3 curve[3]; /* across the wrinkles: up the forehead, up the waist, along the foot */
} test_model;

static const test_model models[] = {
    {"bust", {0.371, 50}, {{0, 0.286, 0.125}, {0, 0.3, 0.12}, {0, 0.33, 0.105}}},
    {"mannequin", {1.75, 0}, {{0.02, 1.0, 0.2}, {0.02, 1.1, 0.2}, {0.02, 1.2, 0.2}}},
    {"shoe", {0.29, 60}, {{0, 0.08, 0.075}, {-0.002, 0.065, 0.1}, {-0.002, 0.055, 0.13}}},
};
enum { MODELS = sizeof models / sizeof *models };
static const char *const looks[] = {"forehead", "sleeve", "shoe"};

static void open_model(test_sculpt *t, ruga_context *context, const test_model *m) {
    ruga_mesh *mesh;
    const ruga_section *section = ruga_model_find(m->name);
    double values[16];
    for (size_t i = 0; i < section->field_count; i++) values[i] = atof(section->fields[i].preset);
    for (size_t i = 0; i < 2; i++)
        if (m->values[i] > 0) values[i] = m->values[i];
    assert_ok(context, ruga_model_make(context, m->name, values, &mesh));
    assert_in_range(mesh->triangle_count, 5000, 20000);
    test_sculpt_open(t, context, mesh);
}

/* rad, the greatest angle between two facets where a stroke reaches. */
static double sharpest_in_reach(const ruga_sculpt *s, const vec3 *positions) {
    double mean;
    const bare_surface bare = bare_of(s);
    return sharpest(&bare, positions, &mean);
}

typedef struct wrinkle_figures {
    ruga_stroke_info info;
    double low, high;     /* m, deflections of the curve */
    double own, wrinkled; /* rad, greatest angles of facets in reach, before and after */
    size_t intersections;
} wrinkle_figures;

static wrinkle_figures measure(ruga_context *context, const test_model *m, const ruga_stroke_def *values) {
    test_sculpt t;
    open_model(&t, context, m);
    ruga_stroke_def def = *values;
    def.curve = test_curve_through(&t, m->curve, 3, 0);
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    const sculpt_line *line = &t.sculpt->strokes.items[0].line;
    wrinkle_figures f = {.info = ruga_sculpt_stroke_info(t.sculpt, 0), .intersections = count_intersections(result)};
    for (size_t k = 0; k < line->count; k++) {
        f.low = fmin(f.low, line->deflections[k]);
        f.high = fmax(f.high, line->deflections[k]);
    }
    f.own = sharpest_in_reach(t.sculpt, t.sculpt->surface.flat);
    f.wrinkled = sharpest_in_reach(t.sculpt, t.sculpt->surface.sculpted);
    print_message(
        "%s: %.0f mm long, %d wrinkles of %.1f to %.1f mm, reached %.3f, radius %.0f mm, facets up to %.0f of "
        "%.0f degrees, %d intersections\n",
        m->name, 1000 * f.info.drawn_length, (int)f.info.extrema, 1000 * f.low, 1000 * f.high, f.info.reached,
        1000 * f.info.radius, 57.3 * f.wrinkled, 57.3 * f.own, (int)f.intersections);
    test_sculpt_close(&t);
    return f;
}

/* Some ridges, from crest to groove 4 to 8 % as deep as the stroke is long, as of skin and cloth, and as
 * long as the stroke, on a clean mesh whose facets hardly show more than its own. */
static int is_believable(const wrinkle_figures *f) {
    const double depth = (f->high - f->low) / f->info.drawn_length, reach = f->info.radius / f->info.drawn_length;
    return f->info.extrema >= 3 && f->info.extrema <= 7 && depth > 0.04 && depth < 0.08 && reach > 0.7 && reach < 1.5 &&
           f->intersections == 0 && f->wrinkled < 1.2 * f->own;
}

static void a_curve_alone_makes_a_believable_wrinkle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_stroke_def def = ruga_stroke_def_default();
    for (size_t i = 0; i < MODELS; i++) {
        const wrinkle_figures f = measure(context, &models[i], &def);
        assert_equal_case(is_believable(&f), 1, "%s", models[i].name);
    }
    ruga_context_destroy(context);
}

/* Values that make a waffle of a forehead: high narrow waves. */
static void a_waffle_is_not_believable(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const ruga_stroke_def waffle = test_stroke(NULL, NAN);
    for (size_t i = 0; i < MODELS; i++) {
        const wrinkle_figures f = measure(context, &models[i], &waffle);
        assert_equal_case(is_believable(&f), 0, "%s", models[i].name);
        assert_less(0.1, (f.high - f.low) / f.info.drawn_length);
    }
    ruga_context_destroy(context);
}

/* The border of a refined patch: its triangles share their edges with those outside, so positions have no gap; and
 * facets and vertex normals turn there no more than the mesh's own facets. */
static void the_border_of_the_patch_is_continuous(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < MODELS; i++) {
        test_sculpt t;
        open_model(&t, context, &models[i]);
        ruga_stroke_def def = ruga_stroke_def_default();
        def.curve = test_curve_through(&t, models[i].curve, 3, 0);
        def.tolerance = 1e-7;
        def.refine = 2;
        test_add(&t, &def);
        assert_valid_sculpt(t.mesh, test_update(&t));
        double furthest = 0, turn = 0;
        const bare_surface bare = bare_of(t.sculpt);
        assert_bare_law(&bare, &furthest, &turn);
        assert_no_nicks(&bare);
        const border_figures f = measure_border(&bare, t.sculpt);
        print_message(
            "%s: off by up to %.3f of a side, turned by up to %.1f degrees; %d border edges: facets up to %.1f "
            "(rms %.2f), before %.1f (%.2f); normals turn by %.1f, the mesh's facets by %.1f\n",
            models[i].name, furthest, 57.3 * turn, (int)f.edges, 57.3 * f.bare, 57.3 * f.bare_mean, 57.3 * f.flat,
            57.3 * f.flat_mean, 57.3 * f.normal, 57.3 * f.facet_angle);
        assert_ran(f.edges, 50);
        assert_at_most(f.bare, f.flat);
        assert_at_most(f.bare_mean, 0.95 * f.flat_mean);
        assert_at_most(f.bare, f.facet_angle);
        assert_at_most(f.normal, 0.1 * f.facet_angle);
        test_sculpt_close(&t);
    }
    ruga_context_destroy(context);
}

/* Strokes from some place to another that are across wrinkles: up the forehead, along an arm, along the foot. */
static void draw_somewhere(test_random *random, size_t model, ruga_vec3 out[3]) {
    const double x = random_between(random, -1, 1), y = random_between(random, -1, 1), z = random_between(random, 0, 1);
    const ruga_vec3 by[] = {
        {0.03 * x, 0.008 * y, 0}, {0.01 * x - 0.021 * y, 0.03 * y, 0.02 + 0.08 * z}, {0.02 * x, 0, 0.01 * y}};
    const ruga_vec3 arm[3] = {{0.40, 1.15, 0}, {0.33, 1.25, 0}};
    for (int k = 0; k < 3; k++) out[k] = vec3_add(model == 1 ? arm[k] : models[model].curve[k], by[model]);
}

/* A crease where the mesh has none shows as a nick: on the mannequin's arm one of 83 degrees was among edges of 9 to 22
 * degrees, as two slivers turned in opposite directions. */
static void bare_patches_have_no_nicks(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_random random = {37};
    const size_t strokes = getenv("RUGA_LONG_CASES") ? 50 : 5;
    for (size_t i = 0; i < MODELS; i++) {
        double greatest = 0;
        test_sculpt t;
        open_model(&t, context, &models[i]);
        for (size_t k = 0; k < strokes; k++) {
            ruga_vec3 points[3] = {{0.379026, 1.165737, 0.055631}, {0.309026, 1.265737, 0.055631}};
            if (i != 1 || k > 0) draw_somewhere(&random, i, points);
            ruga_stroke_def def = ruga_stroke_def_default();
            assert_true(ruga_stroke_def_look(looks[i], &def));
            def.curve = test_curve_through(&t, points, i == 1 ? 2 : 3, 0);
            const size_t number = test_add(&t, &def);
            test_update(&t);
            const bare_surface bare = bare_of(t.sculpt);
            greatest = fmax(greatest, assert_no_nicks(&bare));
            assert_ok(context, ruga_sculpt_remove(t.sculpt, number));
            ruga_curve_destroy(t.curves[--t.curve_count]);
        }
        print_message("%s: %zu strokes, facets of bare patches meet at up to %.1f degrees\n", models[i].name, strokes,
                      57.3 * greatest);
        test_sculpt_close(&t);
    }
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_alone_makes_a_believable_wrinkle),
        cmocka_unit_test(a_waffle_is_not_believable),
        cmocka_unit_test(the_border_of_the_patch_is_continuous),
        cmocka_unit_test(bare_patches_have_no_nicks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
