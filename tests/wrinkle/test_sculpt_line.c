/* The smooth curve through a line's deflections. */
#include <math.h>

#include "support/support.h"
#include "wrinkle/sculpt.h"

enum { PARTICLES = 50 };

/* A straight line of a metre, its particles at rest for a seed. */
static void govern_line(ruga_context *context, int seed, governing_ends ends, sculpt_line *line) {
    assert_ok(context, sculpt_line_make(context, PARTICLES, line));
    line->length = 1;
    for (size_t i = 0; i < PARTICLES; i++) {
        line->points[i] = (vec3){(double)i / (PARTICLES - 1), 0, 0};
        line->normals[i] = (vec3){0, 1, 0};
    }
    governing_curve curve = {.def = governing_def_default(),
                             .count = PARTICLES,
                             .points = line->points,
                             .normals = line->normals,
                             .deflections = line->deflections};
    const double stiffness[] = {5, 10, 20, 40, 70};
    curve.def.stiffness = stiffness[seed % 5];
    curve.def.seed = seed;
    curve.def.ends = ends;
    assert_ok(context, governing_minimise(context, &curve, 1, NULL, 0));
    sculpt_line_smooth(line);
}

/* 1/m, by differences over a hundredth of a step. */
static double curvature_at(const sculpt_line *line, double part) {
    double h = 0.01 / (PARTICLES - 1), below = sculpt_line_deflection(line, part - h);
    double at = sculpt_line_deflection(line, part), above = sculpt_line_deflection(line, part + h);
    double slope = (above - below) / (2 * h);
    return fabs(above - 2 * at + below) / (h * h) / pow(1 + slope * slope, 1.5);
}

/* The greatest curvature within three steps of where the line leaves the surface, over that of the rest. */
static double end_curvature(const sculpt_line *line) {
    double step = 1.0 / (PARTICLES - 1), end = 0, inner = 0;
    for (double at = 1.02; at < PARTICLES - 2.02; at += 0.05) {
        double curvature = curvature_at(line, at * step);
        double *greatest = at < 4 || at > PARTICLES - 5 ? &end : &inner;
        *greatest = fmax(*greatest, curvature);
    }
    return end / inner;
}

/* G1 that shows: where a wrinkle leaves the surface it bends about as much as over its crests. As printed it has a corner there. */
static void wrinkles_leave_the_surface_as_gently_as_they_bend(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double sharpest = 0, softest = INFINITY;
    for (int seed = 0; seed < 40; seed++) {
        sculpt_line soft, printed;
        govern_line(context, seed, GOVERNING_SOFT, &soft);
        govern_line(context, seed, GOVERNING_PRINTED, &printed);
        sharpest = fmax(sharpest, end_curvature(&soft));
        softest = fmin(softest, end_curvature(&printed));
        sculpt_line_release(context, &soft);
        sculpt_line_release(context, &printed);
    }
    print_message("curvature of ends over that of crests: at most %.2f, as printed at least %.2f\n", sharpest, softest);
    assert_true(sharpest < 1.2);
    assert_true(softest > 3);
    ruga_context_destroy(context);
}

static void the_curve_goes_through_its_particles_without_corners(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    sculpt_line line;
    govern_line(context, 3, GOVERNING_SOFT, &line);
    double step = 1.0 / (PARTICLES - 1), h = 1e-7;
    for (size_t i = 0; i < PARTICLES; i++) {
        double part = (double)i * step, at = sculpt_line_deflection(&line, part);
        assert_true(fabs(at - line.deflections[i]) < 1e-12);
        if (i == 0 || i + 1 == PARTICLES) continue;
        double before = (at - sculpt_line_deflection(&line, part - h)) / h;
        double after = (sculpt_line_deflection(&line, part + h) - at) / h;
        assert_true(fabs(before - after) < 1e-4);
    }
    /* The first and the last step are flat. */
    for (double t = 0; t <= 1; t += 0.125) {
        assert_true(sculpt_line_deflection(&line, t * step) == 0);
        assert_true(fabs(sculpt_line_deflection(&line, 1 - t * step)) < 1e-15);
    }
    sculpt_line_release(context, &line);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrinkles_leave_the_surface_as_gently_as_they_bend),
        cmocka_unit_test(the_curve_goes_through_its_particles_without_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
