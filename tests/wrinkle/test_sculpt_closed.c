/* Closed strokes: around a hem there is no place where the wrinkles begin. */
#include <stdlib.h>

#include "wrinkle/sculpt_support.h"

enum { AROUND = 12, CELLS = 48 };
static const double pi = 3.14159265358979323846;

/* A stroke around a cylinder, drawn from one of its points on. */
static void open_hem(test_sculpt *t, ruga_context *context, size_t from, double vary) {
    ruga_vec3 points[AROUND];
    test_sculpt_open(t, context, shape_cylinder(context, CELLS, 10));
    vec3 low, high;
    vec3_bounds(t->mesh->positions, t->mesh->vertex_count, &low, &high);
    for (size_t i = 0; i < AROUND; i++) {
        const double a = 2 * pi * ((double)((i + from) % AROUND) + 0.3) / AROUND;
        points[i] = (ruga_vec3){cos(a), 0.47 * low.y + 0.53 * high.y, sin(a)};
    }
    ruga_stroke_def def = test_stroke(test_curve_through(t, points, AROUND, 1), 0.3);
    def.start = RUGA_STROKE_COUNT;
    def.wrinkles = 6;
    def.particles = 49; /* eight to a wrinkle */
    def.vary = vary;
    def.refine = 2;
    test_add(t, &def);
    test_update(t);
}

/* Deflections and slopes have no step where the curve is closed, nor does the curvature. */
static void the_line_is_smooth_where_it_is_closed(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_hem(&t, context, 0, 0.35);
    const sculpt_line *line = &t.sculpt->strokes.items[0].line;
    const double step = 1e-4, d[5] = {sculpt_line_deflection(line, 1 - 2 * step),
                                      sculpt_line_deflection(line, 1 - step), sculpt_line_deflection(line, 0),
                                      sculpt_line_deflection(line, step), sculpt_line_deflection(line, 2 * step)};
    const double before = (d[2] - d[1]) / step, after = (d[3] - d[2]) / step;
    assert_float_equal(sculpt_line_deflection(line, 1), d[2], 0);
    assert_less(0.1, fabs(before)); /* m per length: it is not merely flat there */
    assert_near(before, after, (0.02 * fabs(before)));
    const double bent_before = (d[2] - 2 * d[1] + d[0]) / (step * step);
    const double bent_after = (d[4] - 2 * d[3] + d[2]) / (step * step);
    assert_near(bent_before, bent_after, (0.02 * fabs(before) / step * 0.05));
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* The same ring from every point that it may begin with. */
static void the_result_does_not_depend_on_where_drawing_began(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt first;
    open_hem(&first, context, 0, 0.35);
    const ruga_mesh *a = ruga_sculpt_mesh(first.sculpt);
    double moved = 0;
    for (size_t v = 0; v < a->vertex_count; v++)
        moved = fmax(moved, fabs(hypot(a->positions[v].x, a->positions[v].z) - 1));
    assert_less(0.05, moved);
    for (size_t from = 1; from < AROUND; from += 3) {
        test_sculpt t;
        open_hem(&t, context, from, 0.35);
        const ruga_mesh *b = ruga_sculpt_mesh(t.sculpt);
        assert_int_equal(a->vertex_count, b->vertex_count);
        for (size_t v = 0; v < a->vertex_count; v++)
            assert_at_most(vec3_distance(a->positions[v], b->positions[v]), 1e-9);
        test_sculpt_close(&t);
    }
    test_sculpt_close(&first);
    ruga_context_destroy(context);
}

/* Six equal wrinkles on a ring: turned by two of them the surface is the same, also across the joint. Measured where
 * the surface crosses planes through the axis. */
static void equal_wrinkles_repeat_across_the_joint(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_hem(&t, context, 0, 0);
    const sculpt_line *line = &t.sculpt->strokes.items[0].line;
    double greatest = 0;
    for (double part = 0; part < 1; part += 0.01) greatest = fmax(greatest, fabs(sculpt_line_deflection(line, part)));
    for (double part = 0; part < 1; part += 0.01) {
        const double later = part + 1.0 / 3;
        assert_near(sculpt_line_deflection(line, part), sculpt_line_deflection(line, later - floor(later)),
                    (0.02 * greatest));
    }
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* A spread is over the radius of a circle as long as the curve: a hem leaves the other end of a long tube alone. */
static void a_spread_is_over_the_radius_of_a_ring(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_hem(&t, context, 0, 0);
    ruga_stroke_def def = t.sculpt->strokes.items[0].def;
    def.radius = NAN;
    def.spread = 0.5;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    test_update(&t);
    assert_near(ruga_sculpt_stroke_info(t.sculpt, 0).radius, 0.5, 0.02); /* the tube has 1 m */
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

typedef struct ring_place {
    double angle, height; /* rad; m, outwards */
} ring_place;

static int compare_places(const void *a, const void *b) {
    const ring_place *x = a, *y = b;
    return (x->angle > y->angle) - (x->angle < y->angle);
}

/* Many wrinkles on a long stroke are as fine as few on a short one: the tolerance follows their width. */
static void many_wrinkles_have_a_finer_tolerance(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const int counts[2] = {4, 20};
    for (int i = 0; i < 2; i++) {
        test_sculpt t;
        open_hem(&t, context, 0, 0);
        ruga_stroke_def def = t.sculpt->strokes.items[0].def;
        def.wrinkles = counts[i];
        def.particles = 200;
        def.stiffness = 1;
        def.refine = 4;
        assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
        test_update(&t);
        const ruga_stroke_info info = ruga_sculpt_stroke_info(t.sculpt, 0);
        const double width = info.drawn_length / (i ? counts[i] : 5);
        assert_near(info.tolerance, width / 120, 1e-3 * width);
        assert_at_most(info.error, info.tolerance);
        test_sculpt_close(&t);
    }
    ruga_context_destroy(context);
}

/* A furrow around the tube: as deep as its variation has it everywhere, with neither an end nor a step. */
static void a_closed_furrow_has_no_ends(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_hem(&t, context, 0, 0);
    ruga_stroke_def def = t.sculpt->strokes.items[0].def;
    def.shape = RUGA_SHAPE_FURROW;
    def.radius = 0.15;
    def.vary = 0.5;
    def.asymmetry = 0.4;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    const ruga_mesh *result = test_update(&t);
    assert_valid_sculpt(t.mesh, result);
    vec3 low, high;
    vec3_bounds(t.mesh->positions, t.mesh->vertex_count, &low, &high);
    const double middle = 0.47 * low.y + 0.53 * high.y;
    ring_place *places = malloc((result->vertex_count + 1) * sizeof *places);
    size_t count = 0;
    double deepest = 0;
    for (size_t v = 0; v < result->vertex_count; v++) {
        const vec3 at = result->positions[v];
        if (fabs(at.y - middle) > 1e-6) continue;
        places[count++] = (ring_place){atan2(at.z, at.x), hypot(at.x, at.z) - 1};
        deepest = fmax(deepest, 1 - hypot(at.x, at.z));
    }
    assert_ran(count, 2 * CELLS);
    assert_less(0.01, deepest);
    qsort(places, count, sizeof *places, compare_places);
    places[count] = (ring_place){places[0].angle + 2 * pi, places[0].height};
    for (size_t i = 0; i < count; i++) {
        const double turn = places[i + 1].angle - places[i].angle;
        assert_less(turn, 2.5 * pi / CELLS);
        assert_less(places[i].height, -0.4 * deepest);
        assert_at_most_case(fabs(places[i + 1].height - places[i].height), (0.8 * turn + 0.1) * deepest, "angle %g",
                            places[i].angle);
    }
    free(places);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_smooth_where_it_is_closed),
        cmocka_unit_test(the_result_does_not_depend_on_where_drawing_began),
        cmocka_unit_test(equal_wrinkles_repeat_across_the_joint),
        cmocka_unit_test(many_wrinkles_have_a_finer_tolerance),
        cmocka_unit_test(a_closed_furrow_has_no_ends),
        cmocka_unit_test(a_spread_is_over_the_radius_of_a_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
