/* Furrows: strokes along a wrinkle. And looks, variation and advice. */
#include <stdio.h>
#include <stdlib.h>
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
static void variation_of_a_furrow_follows_the_seed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double depths[3][2]; /* at two places of its middle */
    for (int i = 0; i < 3; i++) {
        test_sculpt t;
        ruga_stroke_def def;
        open_furrow(&t, context, &def);
        def.vary = i < 2 ? 0.6 : 0;
        def.taper = 0.2;
        def.seed = 1 + 2 * (i == 1);
        test_add(&t, &def);
        const ruga_mesh *mesh = test_update(&t);
        for (int k = 0; k < 2; k++) depths[i][k] = extreme(mesh, k ? 0.07 : -0.13, k ? 0.13 : -0.07, 0, -1);
        test_sculpt_close(&t);
    }
    assert_near(depths[2][0], depths[2][1], 0.02 * depths[2][0]);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++) assert_less(depths[i][k], 0.95 * depths[2][k]);
        for (int i = 0; i < 2; i++) assert_less(0.4 * depths[2][k], depths[i][k]);
    }
    assert_less(0.1 * depths[2][0], fmax(fabs(depths[0][0] - depths[1][0]), fabs(depths[0][1] - depths[1][1])));
    ruga_context_destroy(context);
}

enum { SPANS = 5, SAMPLES = 2000 };

/* The nodes between spans, as fractions of the curve, and the height of each span over its width. */
typedef struct wave_figures {
    double nodes[SPANS + 1], slopes[SPANS];
} wave_figures;

static wave_figures measure_wave(ruga_context *context, double vary, int seed) {
    test_sculpt t;
    ruga_stroke_def def;
    wave_figures f = {{0}, {0}};
    open_furrow(&t, context, &def);
    def.shape = RUGA_SHAPE_WRINKLES;
    def.particles = 101;
    def.stiffness = 2;
    def.length = 1.2;
    def.wrinkles = SPANS;
    def.refine = 0;
    def.vary = vary;
    def.seed = seed;
    test_add(&t, &def);
    test_update(&t);
    const sculpt_line *line = &t.sculpt->strokes.items[0].line;
    size_t span = 0;
    /* The ends are flat: signs count from 2 % on. */
    for (int i = SAMPLES / 50; i < SAMPLES - SAMPLES / 50; i++) {
        const double part = (double)i / SAMPLES, d = sculpt_line_deflection(line, part);
        f.slopes[span] = fmax(f.slopes[span], fabs(d));
        if ((d > 0) == (sculpt_line_deflection(line, part + 1.0 / SAMPLES) > 0)) continue;
        assert_less(span, SPANS - 1);
        f.nodes[++span] = part;
    }
    assert_int_equal(span, SPANS - 1);
    f.nodes[SPANS] = 1;
    for (size_t s = 0; s < SPANS; s++) f.slopes[s] /= (f.nodes[s + 1] - f.nodes[s]) * line->length;
    test_sculpt_close(&t);
    return f;
}

/* How much steeper the steepest inner span is than the flattest. */
static double spread_of(const wave_figures *f) {
    double low = INFINITY, high = 0;
    for (size_t s = 1; s + 1 < SPANS; s++) {
        low = fmin(low, f->slopes[s]);
        high = fmax(high, f->slopes[s]);
    }
    return high / low - 1;
}

/* Of wrinkles, both vary by the seed: the places of the nodes, within 0.4 of a width, and how high a wrinkle is for its
 * width. Without variation, wrinkles are equal, with wider ones at the ends. */
static void variation_of_wrinkles_follows_the_seed(void **state) {
    (void)state;
    enum { SEEDS = 6 };
    ruga_context *context = context_plain(1);
    const double width = 1.0 / (SPANS + 1), vary = 0.8;
    const wave_figures even = measure_wave(context, 0, 1);
    double mean_shift = 0, mean_change = 0, mean_spread = 0, before[SPANS] = {0};
    for (size_t s = 1; s < SPANS; s++) assert_near(even.nodes[s], ((double)s + 0.5) * width, 0.012);
    assert_less(spread_of(&even), 0.08);
    for (int seed = 1; seed <= SEEDS; seed++) {
        const wave_figures f = measure_wave(context, vary, seed);
        for (size_t s = 1; s < SPANS; s++) {
            const double shift = f.nodes[s] - even.nodes[s];
            assert_at_most_case(fabs(shift), 0.4 * vary * width + 0.015, "seed %d, node %zu", seed, s);
            mean_shift += fabs(shift) / (SEEDS * (SPANS - 1));
            if (seed > 1) mean_change += fabs(shift - before[s]) / ((SEEDS - 1) * (SPANS - 1));
            before[s] = shift;
        }
        mean_spread += spread_of(&f) / SEEDS;
    }
    print_message(
        "nodes move by %.3f of a width, from seed to seed by %.3f; heights over widths vary by %.2f, without "
        "variation by %.2f\n",
        mean_shift / width, mean_change / width, mean_spread, spread_of(&even));
    assert_less(0.1, mean_shift / width);
    assert_less(0.1, mean_change / width);
    assert_less(0.3, mean_spread);
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
    assert_int_equal(count, 8);
    ruga_stroke_def def = ruga_stroke_def_default();
    assert_int_equal(ruga_stroke_def_look("crows-feet", &def), 1);
    assert_int_equal(ruga_stroke_def_look("elbow", &def), 0);
}

/* The number of a cell of a table's row; an empty cell: 0. */
static double number_of_cell(const char *row, int cell) {
    for (; cell >= 0; cell--) row = strchr(row, '|') + 1;
    return atof(row);
}

/* The documents have the values that looks have. */
static void the_documented_looks_are_the_looks(void **state) {
    (void)state;
    static char text[200000];
    FILE *file = fopen(RUGA_SOURCE_FOLDER "/docs/sculpt.md", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    size_t count = 0;
    for (const char *name; (name = ruga_stroke_look_name(count)); count++) {
        char begin[64];
        ruga_stroke_def def = ruga_stroke_def_default();
        ruga_stroke_def_look(name, &def);
        const int is_furrow = def.shape == RUGA_SHAPE_FURROW;
        snprintf(begin, sizeof begin, "\n| `%s` | %s |", name, is_furrow ? "furrow" : "wrinkles");
        const char *row = strstr(text, begin);
        assert_non_null(row);
        const double values[] = {def.stiffness, def.length,   is_furrow ? 0 : def.wrinkles, def.spread, def.vary,
                                 def.taper,     def.asymmetry};
        for (int i = 0; i < 7; i++) assert_equal_case(number_of_cell(row, 2 + i), values[i], "%s, %d", name, i);
    }
    assert_ran(count, 7);
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
        cmocka_unit_test(variation_of_a_furrow_follows_the_seed),
        cmocka_unit_test(variation_of_wrinkles_follows_the_seed),
        cmocka_unit_test(looks_have_names),
        cmocka_unit_test(the_documented_looks_are_the_looks),
        cmocka_unit_test(wrong_furrows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
