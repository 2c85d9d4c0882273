/* The smooth curve through a line's deflections, and the path that it is laid along. */
#include <math.h>

#include "wrinkle/sculpt_support.h"

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

/* 1/m, by differences over 0.01 steps. */
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

/* G1 that shows: where a wrinkle leaves the surface it bends about as much as over its crests. As printed it has a
 * corner there. */
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
    assert_less(sharpest, 1.2);
    assert_less(3, softest);
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
        assert_near(at, line.deflections[i], 1e-12);
        if (i == 0 || i + 1 == PARTICLES) continue;
        double before = (at - sculpt_line_deflection(&line, part - h)) / h;
        double after = (sculpt_line_deflection(&line, part + h) - at) / h;
        assert_near(before, after, 1e-4);
    }
    /* Nor do its curvatures jump: the equation of a cubic spline. */
    for (size_t i = 2; i + 2 < PARTICLES; i++)
        assert_near(line.slopes[i - 1] + 4 * line.slopes[i] + line.slopes[i + 1],
                    3 * (line.deflections[i + 1] - line.deflections[i - 1]), 1e-12);
    /* The first and the last step are flat. */
    for (double t = 0; t <= 1; t += 0.125) {
        assert_true(sculpt_line_deflection(&line, t * step) == 0);
        assert_less(fabs(sculpt_line_deflection(&line, 1 - t * step)), 1e-15);
    }
    sculpt_line_release(context, &line);
    ruga_context_destroy(context);
}

/* There and back on the same line: each vertex is passed twice, and neither pass is nearer than the other. */
static void arcs_of_a_path_continue_steadily(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 16, 1));
    const ruga_vec3 points[] = {{-0.3, 0, 0.01}, {0.3, 0, 0.03}, {-0.32, 0, 0.01}};
    ruga_stroke_def def = test_stroke(test_curve_through(&t, points, 3, 0), 0.1);
    test_add(&t, &def);
    test_update(&t);
    const sculpt_stroke *stroke = &t.sculpt->strokes.items[0];
    const sculpt_path *path = &stroke->cut_base;
    assert_true(path->arcs[0] == 0 && path->arcs[path->count - 1] == path->length);
    for (size_t i = 1; i < path->count; i++) {
        vec3 a = t.sculpt->cut.mesh->positions[path->vertices[i - 1]];
        vec3 b = t.sculpt->cut.mesh->positions[path->vertices[i]];
        double step = path->arcs[i] - path->arcs[i - 1];
        assert_at_most(0, step);
        assert_less(step, 0.1);
        assert_less(step, 3 * vec3_distance(a, b) + 0.02);
    }
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* An end that is near a vertex goes to it, and is the curve's end all the same. */
static void a_path_ends_where_its_curve_does(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    ruga_mesh *mesh = jittered_sheet(context, 10, 1);
    test_sculpt_open(&t, context, mesh);
    vec3 from = {-0.3, 0, 0}, end = mesh->positions[0];
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (vec3_distance(mesh->positions[v], (vec3){0.3, 0, 0.1}) < vec3_distance(end, (vec3){0.3, 0, 0.1}))
            end = mesh->positions[v];
    vec3 beyond = vec3_mix(from, end, 1.0005);
    ruga_stroke_def def = test_stroke(test_line(&t, from.x, from.z, beyond.x, beyond.z), 0.1);
    test_add(&t, &def);
    test_update(&t);
    const sculpt_path *path = &t.sculpt->strokes.items[0].cut_base;
    vec3 last = t.sculpt->cut.mesh->positions[path->vertices[path->count - 1]];
    assert_memory_equal(&last, &end, sizeof last);
    assert_true(path->arcs[path->count - 1] == path->length);
    assert_less(vec3_distance(from, end), path->length);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* m, the mean longest side, of triangles that are all alike. */
static void strides_are_those_of_the_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, shape_sheet(context, 10, 10));
    const vec3 *p = t.mesh->positions;
    vec3 middle = vec3_mix(p[0], p[t.mesh->vertex_count - 1], 0.5);
    ruga_stroke_def def =
        test_stroke(test_line(&t, middle.x - 0.3, middle.z + 0.03, middle.x + 0.3, middle.z + 0.04), 0.1);
    test_add(&t, &def);
    test_update(&t);
    assert_near(t.sculpt->strokes.items[0].stride, 0.1 * sqrt(2), 1e-12);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrinkles_leave_the_surface_as_gently_as_they_bend),
        cmocka_unit_test(the_curve_goes_through_its_particles_without_corners),
        cmocka_unit_test(arcs_of_a_path_continue_steadily),
        cmocka_unit_test(a_path_ends_where_its_curve_does),
        cmocka_unit_test(strides_are_those_of_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
