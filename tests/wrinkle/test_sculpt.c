/* Laws of the sculpted shape. */
#include <stdio.h>

#include "wrinkle/sculpt_support.h"

static const double pi = 3.14159265358979323846;

/* ---- The whole. */

static void one_stroke_wrinkles_a_sheet(void **state) {
    (void)state;
    test_sculpt t;
    ruga_context *context = context_plain(1);
    test_sculpt_open(&t, context, jittered_sheet(context, 20, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.35, -0.02, 0.33, 0.04), 0.2);
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    ruga_stroke_info info = ruga_sculpt_stroke_info(t.sculpt, 0);
    assert_valid_sculpt(t.mesh, result);
    assert_int_equal(info.status, RUGA_OK);
    assert_near(info.drawn_length, hypot(0.68, 0.06), 1e-9);
    assert_less(1.2, info.reached);
    assert_less(info.reached, 1.3);
    assert_at_most(2, info.extrema);
    assert_at_most(1, info.refinements);
    assert_less(200, info.region_vertices);
    assert_at_most(info.error, info.drawn_length / 600);
    double highest = 0;
    for (size_t v = 0; v < result->vertex_count; v++) highest = fmax(highest, fabs(result->positions[v].y));
    assert_less(0.03, highest);
    assert_less(highest, 0.3);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* The greatest difference from the same at a scale, over the scale, m. */
static double scale_error(double scale) {
    ruga_context *context = context_plain(1);
    test_sculpt t[2];
    for (int i = 0; i < 2; i++) {
        double by = i == 0 ? 1 : scale;
        test_sculpt_open(&t[i], context, jittered_sheet(context, 16, by));
        ruga_stroke_def def = test_stroke(test_line(&t[i], -0.3 * by, 0, 0.3 * by, 0.05 * by), 0.2 * by);
        test_add(&t[i], &def);
        def.curve = test_line(&t[i], 0.1 * by, -0.3 * by, -0.1 * by, 0.3 * by);
        def.seed = 3;
        test_add(&t[i], &def);
        test_update(&t[i]);
    }
    const ruga_mesh *small = ruga_sculpt_mesh(t[0].sculpt), *large = ruga_sculpt_mesh(t[1].sculpt);
    double greatest = 0;
    assert_int_equal(small->vertex_count, large->vertex_count);
    for (size_t v = 0; v < small->vertex_count; v++)
        greatest = fmax(greatest, vec3_distance(small->positions[v], vec3_scale(large->positions[v], 1 / scale)));
    for (int i = 0; i < 2; i++) test_sculpt_close(&t[i]);
    ruga_context_destroy(context);
    return greatest;
}

/* By a power of two bit-identical; by others within the tolerance of the minimisation. */
static void a_thousand_times_the_mesh_gives_a_thousand_times_the_shape(void **state) {
    (void)state;
    double thousand = scale_error(1000), binary = scale_error(1024);
    print_message("1000 times as large: within %g m of 1 m; 1024 times: %g m\n", thousand, binary);
    assert_less(thousand, 1e-4);
    assert_true(binary == 0);
}

/* m, how far a point is from a surface, by all its triangles' planes and borders. */
static double distance_from(const ruga_mesh *mesh, ruga_vec3 p) {
    double least = INFINITY;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        vec3 a = mesh->positions[v[0]], ab = vec3_sub(mesh->positions[v[1]], a),
             ac = vec3_sub(mesh->positions[v[2]], a);
        vec3 n = vec3_cross(ab, ac), ap = vec3_sub(p, a);
        double area = vec3_length2(n), beta = vec3_dot(vec3_cross(ap, ac), n) / area,
               gamma = vec3_dot(vec3_cross(ab, ap), n) / area;
        if (beta < -1e-9 || gamma < -1e-9 || beta + gamma > 1 + 1e-9) continue;
        least = fmin(least, fabs(vec3_dot(ap, n)) / sqrt(area));
    }
    return least;
}

static void no_length_leaves_the_mesh_as_it_is(void **state) {
    (void)state;
    test_sculpt t;
    ruga_context *context = context_plain(1);
    ruga_mesh *sphere;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &sphere));
    test_sculpt_open(&t, context, sphere);
    const ruga_vec3 points[] = {{-0.3, 0.1, 0.4}, {0.3, 0.05, 0.4}};
    ruga_stroke_def def = test_stroke(test_curve_through(&t, points, 2, 0), 0.2);
    def.length = 1;
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    assert_memory_equal(t.mesh->positions, result->positions, t.mesh->vertex_count * sizeof(ruga_vec3));
    assert_less(t.mesh->vertex_count, result->vertex_count);
    for (size_t v = t.mesh->vertex_count; v < result->vertex_count; v++)
        assert_less(distance_from(t.mesh, result->positions[v]), 1e-12);
    assert_int_equal(ruga_sculpt_stroke_info(t.sculpt, 0).extrema, 0);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

static void without_strokes_the_result_is_the_mesh(void **state) {
    (void)state;
    test_sculpt t;
    ruga_context *context = context_plain(1);
    test_sculpt_open(&t, context, jittered_sheet(context, 6, 1));
    const ruga_mesh *result = test_update(&t);
    assert_int_equal(result->vertex_count, t.mesh->vertex_count);
    assert_memory_equal(t.mesh->positions, result->positions, t.mesh->vertex_count * sizeof(ruga_vec3));
    assert_memory_equal(t.mesh->triangles, result->triangles, 3 * t.mesh->triangle_count * sizeof(uint32_t));
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* ---- Where it moves. */

static void nothing_moves_outside_of_the_region(void **state) {
    (void)state;
    test_sculpt t;
    ruga_context *context = context_plain(1);
    test_sculpt_open(&t, context, jittered_sheet(context, 24, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.2, 0.03, 0.22, -0.04), 0.15);
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    ruga_vec3 *flat = malloc(result->vertex_count * sizeof *flat);
    ruga_map_apply(ruga_sculpt_map(t.sculpt), t.mesh->positions, flat);
    size_t still = 0, moved = 0;
    for (size_t v = 0; v < result->vertex_count; v++) {
        double distance = line_distance(flat[v], -0.2, 0.03, 0.22, -0.04, NULL);
        moved += result->positions[v].y != 0;
        if (distance < 0.15 * 1.01) continue;
        still++;
        assert_memory_equal(&flat[v], &result->positions[v], sizeof flat[v]);
    }
    assert_less(100, still);
    assert_less(100, moved);
    free(flat);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Mode II: two curves are sources, and the wrinkles of the base curve reach the region curve. */
static void regions_between_two_curves_reach_both(void **state) {
    (void)state;
    test_sculpt t;
    ruga_context *context = context_plain(1);
    test_sculpt_open(&t, context, jittered_sheet(context, 24, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.3, 0.3, 0.3, 0.3), 0.12);
    def.region = test_line(&t, 0, 0.32, 0, -0.3);
    def.mode = RUGA_REGION_BETWEEN;
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    double far_down = 0, outside = 0;
    for (size_t v = 0; v < result->vertex_count; v++) {
        ruga_vec3 p = result->positions[v];
        double base = line_distance(p, -0.3, 0.3, 0.3, 0.3, NULL), region = line_distance(p, 0, 0.32, 0, -0.3, NULL);
        if (base > 0.4 && region < 0.05) far_down = fmax(far_down, fabs(p.y));
        if (fmin(base, region) > 0.125) outside = fmax(outside, fabs(p.y));
    }
    assert_valid_sculpt(t.mesh, result);
    assert_less(0.01, far_down);
    assert_true(outside == 0);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* Mode I without a radius: the region curve's greatest distance. */
static void a_region_curve_gives_the_radius(void **state) {
    (void)state;
    test_sculpt t;
    ruga_context *context = context_plain(1);
    test_sculpt_open(&t, context, jittered_sheet(context, 16, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.3, 0, 0.3, 0), NAN);
    def.region = test_line(&t, 0.05, -0.1, 0.05, 0.22);
    size_t number = test_add(&t, &def);
    test_update(&t);
    assert_near(ruga_sculpt_stroke_info(t.sculpt, number).radius, (0.22), 0.003);
    def.region = NULL;
    assert_ok(context, ruga_sculpt_set(t.sculpt, number, &def));
    test_update(&t);
    assert_near(ruga_sculpt_stroke_info(t.sculpt, number).radius, (0.15), 1e-9);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* ---- The shape along the curve. */

/* A vertex on a line along x: its place and height. */
typedef struct profile_point {
    double x, y;
} profile_point;

static int compare_profile(const void *a, const void *b) {
    double x = ((const profile_point *)a)->x, y = ((const profile_point *)b)->x;
    return x < y ? -1 : x > y;
}

/* Heights along z = at, sorted; the caller frees. */
static profile_point *profile(const ruga_mesh *mesh, double at, size_t *count) {
    profile_point *points = malloc(mesh->vertex_count * sizeof *points);
    *count = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (fabs(mesh->positions[v].z - at) < 1e-12)
            points[(*count)++] = (profile_point){mesh->positions[v].x, mesh->positions[v].y};
    qsort(points, *count, sizeof *points, compare_profile);
    return points;
}

static double profile_height(const profile_point *points, size_t count, double x) {
    if (count < 2 || x <= points[0].x || x >= points[count - 1].x) return 0;
    size_t i = 1;
    while (points[i].x < x) i++;
    double f = (x - points[i - 1].x) / (points[i].x - points[i - 1].x);
    return points[i - 1].y + f * (points[i].y - points[i - 1].y);
}

/* A sheet of plain squares with a stroke along a row of edges, refined to a tolerance. */
static void open_row(test_sculpt *t, ruga_context *context, double tolerance, int refine) {
    ruga_mesh *mesh = shape_sheet(context, 20, 20);
    vec3 *p = (vec3 *)(uintptr_t)mesh->positions, middle = {0, 0, 0};
    for (size_t v = 0; v < mesh->vertex_count; v++)
        middle = vec3_add_scaled(middle, p[v], 1 / (double)mesh->vertex_count);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        p[v] = vec3_sub(p[v], middle);
        p[v].x = round(p[v].x * 20) / 20;
        p[v].z = round(p[v].z * 20) / 20;
    }
    test_sculpt_open(t, context, mesh);
    ruga_stroke_def def = test_stroke(test_line(t, -0.4, 0, 0.4, 0), 0.2);
    def.tolerance = tolerance;
    def.refine = refine;
    test_add(t, &def);
}

/* The middles of the final mesh's edges against the same curve refined as far as it goes. */
static void the_mesh_follows_the_governing_curve(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_context *context = context_plain(1);
    test_sculpt coarse, fine;
    const double tolerance = 0.001;
    size_t count, fine_count;
    open_row(&coarse, context, tolerance, 6);
    open_row(&fine, context, 1e-6, 6);
    profile_point *curve = profile(test_update(&coarse), 0, &count);
    profile_point *exact = profile(test_update(&fine), 0, &fine_count);
    double error = 0, rough = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        double x = 0.5 * (curve[i].x + curve[i + 1].x), y = 0.5 * (curve[i].y + curve[i + 1].y);
        error = fmax(error, fabs(y - profile_height(exact, fine_count, x)));
        rough = fmax(rough, fabs(curve[i].y - profile_height(exact, fine_count, curve[i].x)));
    }
    ruga_stroke_info info = ruga_sculpt_stroke_info(coarse.sculpt, 0);
    print_message("ε %g m: %g m at the middles of edges, said %g m, %g m at vertices\n", tolerance, error, info.error,
                  rough);
    assert_at_most(error, tolerance);
    assert_at_most(info.error, tolerance);
    assert_less(0.1 * info.error, error);
    assert_less(rough, 1e-9);
    free(curve);
    free(exact);
    test_sculpt_close(&coarse);
    test_sculpt_close(&fine);
    ruga_context_destroy(context);
}

/* m, the height of a surface over a place of the plane y = 0. */
static double height_over(const ruga_mesh *mesh, double x, double z) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        vec3 p[3];
        double weights[3];
        for (int k = 0; k < 3; k++) {
            vec3 at = mesh->positions[mesh->triangles[3 * t + (size_t)k]];
            p[k] = (vec3){at.x - x, at.y, at.z - z};
        }
        for (int k = 0; k < 3; k++)
            weights[k] = p[(k + 1) % 3].x * p[(k + 2) % 3].z - p[(k + 2) % 3].x * p[(k + 1) % 3].z;
        double area = weights[0] + weights[1] + weights[2];
        if (weights[0] * area < 0 || weights[1] * area < 0 || weights[2] * area < 0) continue;
        return (weights[0] * p[0].y + weights[1] * p[1].y + weights[2] * p[2].y) / area;
    }
    fail_msg("(%g, %g) is not on the surface", x, z);
    return NAN;
}

/* A bent stroke on sheets of other triangles, a sixteenth of their size: the curve is within ε of its own on both, and
 * beside it, where distances and places are those of either mesh and edges along the curve are longer than most, they
 * differ by a few. */
static void the_wrinkle_does_not_depend_on_the_mesh(void **state) {
    skip_unless_long();
    (void)state;
    skip_when_sanitized();
    const double tolerance = 0.002;
    const size_t cells[] = {14, 56};
    const ruga_vec3 points[] = {{-0.35, 0, -0.05}, {0, 0, 0.06}, {0.33, 0, 0.02}};
    ruga_context *context = context_plain(1);
    test_sculpt t[2];
    for (int i = 0; i < 2; i++) {
        test_sculpt_open(&t[i], context, jittered_sheet(context, cells[i], 1));
        ruga_stroke_def def = test_stroke(test_curve_through(&t[i], points, 3, 0), 0.2);
        def.tolerance = tolerance;
        def.refine = 6;
        test_add(&t[i], &def);
        test_update(&t[i]);
        assert_at_most(ruga_sculpt_stroke_info(t[i].sculpt, 0).error, tolerance);
    }
    const ruga_mesh *coarse = ruga_sculpt_mesh(t[0].sculpt), *fine = ruga_sculpt_mesh(t[1].sculpt);
    double on_curve = 0, beside = 0, top = 0;
    for (double x = -0.34; x < 0.32; x += 0.01) {
        double z = x < 0 ? -0.05 + 0.11 * (x + 0.35) / 0.35 : 0.06 - 0.04 * x / 0.33;
        top = fmax(top, fabs(height_over(fine, x, z)));
        on_curve = fmax(on_curve, fabs(height_over(coarse, x, z) - height_over(fine, x, z)));
        for (double aside = -0.21; aside < 0.22; aside += 0.03)
            beside = fmax(beside, fabs(height_over(coarse, x, z + aside) - height_over(fine, x, z + aside)));
    }
    print_message("wrinkles of %.3f m on two meshes, ε %g m: %.5f m apart on the curve, %.5f m beside it\n", top,
                  tolerance, on_curve, beside);
    assert_less(0.03, top);
    assert_less(on_curve, tolerance);
    assert_less(beside, 4 * tolerance);
    for (int i = 0; i < 2; i++) test_sculpt_close(&t[i]);
    ruga_context_destroy(context);
}

/* The greatest turn between neighbouring edges along the row z = 0: at the ends, within two steps of the particles, and
 * anywhere. */
static void greatest_turns(int refine, double *at_ends, double *anywhere) {
    ruga_context *context = context_plain(1);
    test_sculpt t;
    size_t count;
    open_row(&t, context, 1e-9, refine);
    profile_point *curve = profile(test_update(&t), 0, &count);
    size_t beyond = 0;
    *at_ends = *anywhere = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double before = atan2(curve[i].y - curve[i - 1].y, curve[i].x - curve[i - 1].x);
        double turn = fabs(atan2(curve[i + 1].y - curve[i].y, curve[i + 1].x - curve[i].x) - before);
        beyond += fabs(curve[i].x) >= 0.4;
        if (fabs(curve[i].x) >= 0.4) assert_true(curve[i].y == 0);
        if (fabs(curve[i].x) > 0.4 - 2 * 0.8 / 49) *at_ends = fmax(*at_ends, turn);
        *anywhere = fmax(*anywhere, turn);
    }
    assert_ran(beyond, 2);
    free(curve);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* The curve leaves the surface and comes back to it without a corner (G1), and has none between: turns go to zero with
 * the length of edges. */
static void there_are_no_corners_at_the_ends_and_between(void **state) {
    (void)state;
    double coarse_ends, coarse, fine_ends, fine;
    greatest_turns(3, &coarse_ends, &coarse);
    greatest_turns(5, &fine_ends, &fine);
    print_message("greatest turns: %.4f at the ends and %.4f in all; with edges of a quarter %.4f and %.4f\n",
                  coarse_ends, coarse, fine_ends, fine);
    assert_less(0, coarse_ends);
    assert_less(0.02, coarse);
    assert_less(fine_ends, 0.4 * coarse_ends);
    assert_less(fine, 0.4 * coarse);
}

/* The greatest curvature (1/m) of evenly spaced heights from one place to another. */
static double profile_curvature(const profile_point *points, size_t count, double from, double to) {
    double greatest = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double h = points[i + 1].x - points[i].x, slope = (points[i + 1].y - points[i - 1].y) / (2 * h);
        if (points[i].x < from || points[i].x > to) continue;
        double bend = fabs(points[i + 1].y - 2 * points[i].y + points[i - 1].y) / (h * h);
        greatest = fmax(greatest, bend / pow(1 + slope * slope, 1.5));
    }
    return greatest;
}

/* Where wrinkles leave the surface it bends no more than over their crests: no line shows there. With the printed sum,
 * one does. */
static void the_surface_bends_at_the_ends_as_over_crests(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double ratios[2];
    test_sculpt t;
    open_row(&t, context, 1e-6, 4);
    ruga_stroke_def def = test_stroke(t.curves[0], 0.2);
    def.tolerance = 1e-6;
    def.refine = 4;
    for (int printed = 0; printed < 2; printed++) {
        size_t count;
        def.ends = printed ? RUGA_ENDS_PRINTED : RUGA_ENDS_SOFT;
        assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
        profile_point *curve = profile(test_update(&t), 0, &count);
        double ends = fmax(profile_curvature(curve, count, -0.41, -0.34), profile_curvature(curve, count, 0.34, 0.41));
        ratios[printed] = ends / profile_curvature(curve, count, -0.34, 0.34);
        free(curve);
    }
    print_message("curvature of ends over that of crests: %.2f, as printed %.2f\n", ratios[0], ratios[1]);
    assert_less(ratios[0], 1.25);
    assert_less(2, ratios[1]);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* ---- Several strokes. */

/* Two strokes along rows of a sheet, at a distance at which the border of each region lies well inside of the other. */
static const double pair_rows[] = {-0.15, 0.15}, pair_radius = 0.22;

typedef struct pair_jumps {
    double ours, printed; /* m, the greatest step of the heights of neighbours */
    double felt;          /* 1, that of how much is felt of both strokes, over the border of a region */
} pair_jumps;

/* The paper's blend as it is printed: by 1/D of all whose region has the place. */
static double printed_blend(const profile_point *const *curves, const size_t *counts, ruga_vec3 p) {
    double sum = 0, whole = 0;
    for (int i = 0; i < 2; i++) {
        double along, distance = line_distance(p, -0.4, pair_rows[i], 0.4, pair_rows[i], &along);
        double height = profile_height(curves[i], counts[i], along - 0.4);
        if (distance >= pair_radius) continue;
        if (distance == 0) return height;
        sum += height / distance;
        whole += 1 / distance;
    }
    return whole > 0 ? sum / whole : 0;
}

static void open_pair(test_sculpt *t, ruga_context *context, int refine) {
    open_row(t, context, 1e-9, refine);
    ruga_stroke_def def = test_stroke(test_line(t, -0.4, pair_rows[0], 0.4, pair_rows[0]), pair_radius);
    def.tolerance = 1e-9;
    def.refine = refine;
    assert_ok(context, ruga_sculpt_set(t->sculpt, 0, &def));
    def.curve = test_line(t, -0.4, pair_rows[1], 0.4, pair_rows[1]);
    def.seed = 5;
    test_add(t, &def);
}

/* Whether an edge leads over the border of the region of one stroke, in that of the other. */
static int crosses_border(ruga_vec3 a, ruga_vec3 b) {
    for (int i = 0; i < 2; i++) {
        double da = fabs(a.z - pair_rows[i]), db = fabs(b.z - pair_rows[i]);
        if ((da < pair_radius) != (db < pair_radius) && fabs(a.z - pair_rows[1 - i]) < pair_radius) return 1;
    }
    return 0;
}

static pair_jumps overlap(int refine) {
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_pair(&t, context, refine);
    const ruga_mesh *mesh = test_update(&t);
    size_t counts[2];
    profile_point *curves[2];
    for (int i = 0; i < 2; i++) curves[i] = profile(mesh, pair_rows[i], &counts[i]);
    double *printed = malloc(mesh->vertex_count * sizeof *printed), *felt = malloc(mesh->vertex_count * sizeof *felt);
    ruga_sculpt_regions(t.sculpt, felt);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        printed[v] = printed_blend((const profile_point *const *)curves, counts, mesh->positions[v]);
    pair_jumps jumps = {0};
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t a = mesh->triangles[3 * i + k], b = mesh->triangles[3 * i + (k + 1) % 3];
            jumps.ours = fmax(jumps.ours, fabs(mesh->positions[a].y - mesh->positions[b].y));
            jumps.printed = fmax(jumps.printed, fabs(printed[a] - printed[b]));
            if (fabs(mesh->positions[a].x) < 0.3 && crosses_border(mesh->positions[a], mesh->positions[b]))
                jumps.felt = fmax(jumps.felt, fabs(felt[a] - felt[b]));
        }
    free(printed);
    free(felt);
    for (int i = 0; i < 2; i++) free(curves[i]);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
    return jumps;
}

/* Figure 8. */
static void overlapping_regions_are_continuous(void **state) {
    (void)state;
    pair_jumps coarse = overlap(1), fine = overlap(3);
    print_message("greatest step between neighbours: %.4f m, refined %.4f m; by the printed blend %.4f m, %.4f m\n",
                  coarse.ours, fine.ours, coarse.printed, fine.printed);
    print_message("over borders, of 1: %.4f, refined %.4f\n", coarse.felt, fine.felt);
    assert_less(fine.ours, 0.4 * coarse.ours);
    assert_less(fine.felt, 0.35 * coarse.felt);
    assert_less(0.5 * coarse.printed, fine.printed);
}

static void crossing_strokes_meet_in_one_point(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    open_row(&t, context, 1e-4, 3);
    ruga_stroke_def def = test_stroke(test_line(&t, -0.4, 0, 0.4, 0), 0.2);
    def.tolerance = 1e-4;
    def.refine = 3;
    assert_ok(context, ruga_sculpt_set(t.sculpt, 0, &def));
    def.curve = test_line(&t, 0.05, -0.4, 0.05, 0.4);
    def.seed = 2;
    test_add(&t, &def);
    const ruga_mesh *mesh = test_update(&t);
    assert_valid_sculpt(t.mesh, mesh);
    double at = NAN, across = 0, steepest = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (mesh->positions[v].x == 0.05 && mesh->positions[v].z == 0) at = mesh->positions[v].y;
    assert_less(0.003, fabs(at));
    /* Around the crossing both curves, and the surface, are nearly as high: one tangent plane, and no spike. */
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double distance = hypot(mesh->positions[v].x - 0.05, mesh->positions[v].z);
        if (distance == 0 || distance > 0.02) continue;
        across = fmax(across, fabs(mesh->positions[v].y - at));
        steepest = fmax(steepest, fabs(mesh->positions[v].y - at) / distance);
    }
    print_message("crossing at %.4f m; within 2 cm the surface differs by %.4f m\n", at, across);
    assert_less(across, 0.3 * fabs(at));
    assert_less(steepest, 0.3);
    assert_less(1.15, ruga_sculpt_stroke_info(t.sculpt, 0).reached);
    assert_less(1.15, ruga_sculpt_stroke_info(t.sculpt, 1).reached);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* ---- Closed curves, curved surfaces, what the mesh carries. */

static void a_closed_stroke_goes_around_a_cylinder(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, shape_cylinder(context, 48, 10));
    ruga_vec3 points[12], low = t.mesh->positions[0], high = low;
    for (size_t v = 0; v < t.mesh->vertex_count; v++) {
        low = vec3_min(low, t.mesh->positions[v]);
        high = vec3_max(high, t.mesh->positions[v]);
    }
    for (int i = 0; i < 12; i++)
        points[i] = (ruga_vec3){cos(i * pi / 6), 0.47 * low.y + 0.53 * high.y, sin(i * pi / 6)};
    ruga_stroke_def def = test_stroke(test_curve_through(&t, points, 12, 1), 0.3);
    def.start = RUGA_STROKE_COUNT;
    def.wrinkles = 6;
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    ruga_stroke_info info = ruga_sculpt_stroke_info(t.sculpt, 0);
    assert_valid_sculpt(t.mesh, result);
    assert_near(info.drawn_length, (2 * pi), 0.05);
    assert_at_most(6, info.extrema);
    assert_less(1.1, info.reached);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

static void handles_are_kept(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, shape_torus(context, 30, 20));
    const ruga_vec3 points[] = {{3, 0, -0.8}, {3, 0.2, 0.8}};
    ruga_stroke_def def = test_stroke(test_curve_through(&t, points, 2, 0), 0.5);
    def.straight = 1;
    def.attenuation = RUGA_ATTENUATION_IMPLICIT;
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    ruga_mesh_summary summary;
    assert_ok(context, ruga_mesh_summarise(result, &summary));
    assert_int_equal(summary.genus, 1);
    assert_valid_sculpt(t.mesh, result);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* UVs of a sheet are as they were at old vertices, and those of new ones lie between. */
static void attributes_are_carried(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh;
    test_sculpt t;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &mesh));
    test_sculpt_open(&t, context, mesh);
    const ruga_vec3 points[] = {{-0.3, 0.1, 0.4}, {0.3, -0.05, 0.4}};
    ruga_stroke_def def = test_stroke(test_curve_through(&t, points, 2, 0), 0.2);
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    size_t normals = 0, uvs = 0;
    for (size_t i = 0; i < result->attribute_count; i++) {
        normals += strcmp(result->attributes[i].name, "normal") == 0;
        uvs += strcmp(result->attributes[i].name, "uv") == 0;
    }
    assert_int_equal(normals, 0); /* wrinkles would make them wrong */
    assert_int_equal(uvs, 1);
    ruga_validation *validation;
    assert_ok(context, ruga_mesh_validate(result, &validation));
    ruga_validation_destroy(result, validation);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

/* The map gives the surface as it would be without wrinkles. */
static void normals_are_those_of_the_result(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_sculpt t;
    test_sculpt_open(&t, context, jittered_sheet(context, 16, 1));
    ruga_stroke_def def = test_stroke(test_line(&t, -0.35, -0.02, 0.33, 0.04), 0.2);
    test_add(&t, &def);
    const ruga_mesh *result = test_update(&t);
    ruga_vec3 *exact = malloc(result->vertex_count * sizeof *exact);
    assert_ok(context, ruga_mesh_normals(result, NULL, exact));
    for (size_t v = 0; v < result->vertex_count; v++)
        assert_less(vec3_distance(exact[v], ruga_sculpt_normals(t.sculpt)[v]), 1e-6);
    free(exact);
    test_sculpt_close(&t);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stroke_wrinkles_a_sheet),
        cmocka_unit_test(a_thousand_times_the_mesh_gives_a_thousand_times_the_shape),
        cmocka_unit_test(no_length_leaves_the_mesh_as_it_is),
        cmocka_unit_test(without_strokes_the_result_is_the_mesh),
        cmocka_unit_test(nothing_moves_outside_of_the_region),
        cmocka_unit_test(regions_between_two_curves_reach_both),
        cmocka_unit_test(a_region_curve_gives_the_radius),
        cmocka_unit_test(the_mesh_follows_the_governing_curve),
        cmocka_unit_test(the_wrinkle_does_not_depend_on_the_mesh),
        cmocka_unit_test(there_are_no_corners_at_the_ends_and_between),
        cmocka_unit_test(the_surface_bends_at_the_ends_as_over_crests),
        cmocka_unit_test(overlapping_regions_are_continuous),
        cmocka_unit_test(crossing_strokes_meet_in_one_point),
        cmocka_unit_test(a_closed_stroke_goes_around_a_cylinder),
        cmocka_unit_test(handles_are_kept),
        cmocka_unit_test(attributes_are_carried),
        cmocka_unit_test(normals_are_those_of_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
