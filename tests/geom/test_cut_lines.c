/* Lines that meshes are cut along. */
#include "geom/cut_lines.h"

#include <math.h>

#include "geom/surface_path.h"
#include "support/creased.h"
#include "support/shapes.h"

/* Three sheets of 8 x 8 squares with a common edge, the z axis, at 120 degrees around it. */
static ruga_mesh *three_sheets(ruga_context *context) {
    enum { N = 8, ROW = 3 * N + 1 };
    ruga_vec3 x[(N + 1) * ROW];
    uint32_t t[6 * 3 * N * N], count = 0;
    for (uint32_t j = 0; j <= N; j++)
        for (uint32_t i = 0; i < ROW; i++) {
            double r = i == 0 ? 0 : (double)(1 + (i - 1) % N) / N, turn = 2.0943951023931953 * ((i + N - 1) / N);
            x[j * ROW + i] = (ruga_vec3){r * cos(turn), r * sin(turn), (double)j / N};
        }
    for (uint32_t j = 0; j < N; j++)
        for (uint32_t i = 0; i < 3 * N; i++) {
            uint32_t a = j * ROW + (i % N == 0 ? 0 : i), b = j * ROW + i + 1;
            const uint32_t corners[6] = {a, b, b + ROW, a, b + ROW, a + ROW};
            for (int k = 0; k < 6; k++) t[count++] = corners[k];
        }
    return shape_make(context, (N + 1) * ROW, x, 2 * 3 * N * N, NULL, t);
}

static ruga_vec3 on_sheet(int sheet, double r, double z) {
    double turn = 2.0943951023931953 * (sheet + 1);
    return (ruga_vec3){r * cos(turn), r * sin(turn), z};
}

static void curves_over_an_edge_of_three_triangles_are_refused(void **state) {
    ruga_mesh *mesh = three_sheets(*state);
    for (int i = 0; i < 18; i++) {
        /* From one sheet to another, with the edge in the middle and elsewhere. */
        int from = i % 3, to = (from + 1 + i / 9) % 3;
        double far = 0.4 + 0.25 * (i / 3 % 3);
        const ruga_vec3 points[] = {on_sheet(from, 0.6, 0.43), {0, 0, 0.44}, on_sheet(to, far, 0.46)};
        ruga_curve_def def = ruga_curve_def_default();
        ruga_curve *curve;
        cut_lines lines;
        def.name = "over";
        assert_ok(*state, ruga_curve_from_points(mesh, points, 3, &def, &curve));
        assert_status(cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines), RUGA_ERROR_INPUT);
        assert_non_null(strstr(ruga_context_message(*state), "curve \"over\", in triangle "));
        assert_non_null(strstr(ruga_context_message(*state), "an edge of more than two triangles"));
        ruga_curve_destroy(curve);
    }
    ruga_mesh_destroy(mesh);
}

/* From the border of a sheet to the edge that all have: refused, with an advice that helps. */
static void curves_may_end_before_an_edge_of_three_triangles(void **state) {
    ruga_mesh *mesh = three_sheets(*state);
    for (int i = 0; i < 60; i++) {
        double before = 0.05 * (i / 3 % 4), slope = 0.1 * (i / 12 - 2); /* edges of the mesh */
        const ruga_vec3 points[] = {on_sheet(i % 3, 1, 0.5 + slope), on_sheet(i % 3, before / 8, 0.46)};
        ruga_curve_def def = ruga_curve_def_default();
        ruga_curve *curve;
        cut_lines lines;
        assert_ok(*state, ruga_curve_from_points(mesh, points, 2, &def, &curve));
        ruga_status status = cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines);
        if (before > 0) {
            assert_ok(*state, status);
            cut_lines_release(&lines);
        } else {
            assert_status(status, RUGA_ERROR_INPUT);
            assert_message_has(*state, "an edge of more than two triangles; end it before that edge");
        }
        ruga_curve_destroy(curve);
    }
    ruga_mesh_destroy(mesh);
}

/* Along rows of vertices curves are moved; they stay straight. */
static void straight_curves_along_vertices_stay_straight(void **state) {
    ruga_mesh *mesh = creased_sheet(*state, 8, 0);
    for (size_t row = 1; row < 9; row++) {
        double v = (double)row / 9;
        ruga_curve *curve = creased_curve(mesh, (const double[]){0, v, 1, v}, 2, 0);
        cut_lines lines;
        assert_ok(*state, cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines));
        const ruga_curve *trace = lines.lines[0].trace;
        vec3 first = surface_point_at(mesh, NULL, trace->points[0]);
        assert_less(1e-4, fabs(first.z + v)); /* moved */
        for (size_t i = 1; i < trace->point_count; i++)
            assert_near(surface_point_at(mesh, NULL, trace->points[i]).z, first.z, 1e-12);
        cut_lines_release(&lines);
        ruga_curve_destroy(curve);
    }
    ruga_mesh_destroy(mesh);
}

static double distance_from(vec3 p, vec3 a, vec3 b) {
    vec3 d = vec3_sub(b, a);
    double length2 = vec3_length2(d), t = length2 > 0 ? vec3_dot(vec3_sub(p, a), d) / length2 : 0;
    return vec3_distance(p, vec3_add_scaled(a, d, fmin(1, fmax(0, t))));
}

static double distance_to_curve(const ruga_mesh *mesh, const ruga_curve *curve, vec3 p) {
    double least = INFINITY;
    for (size_t i = 0; i + (curve->closed ? 0 : 1) < curve->point_count; i++)
        least = fmin(least, distance_from(p, surface_point_at(mesh, NULL, curve->points[i]),
                                          surface_point_at(mesh, NULL, curve->points[(i + 1) % curve->point_count])));
    return least;
}

/* All of a curve is cut, and nothing else; tips end at vertices, sharp corners are cut short. */
static void assert_lines_follow(const ruga_mesh *mesh, const ruga_curve *curve, const cut_lines *lines) {
    for (size_t i = 0; i < curve->point_count; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < lines->line_count; k++)
            least = fmin(
                least, distance_to_curve(mesh, lines->lines[k].trace, surface_point_at(mesh, NULL, curve->points[i])));
        assert_less_case(least, 1.5 * lines->edge, "point %zu of %zu", i, curve->point_count);
    }
    for (size_t k = 0; k < lines->line_count; k++)
        for (size_t i = 0; i < lines->lines[k].trace->point_count; i++)
            assert_less_case(
                distance_to_curve(mesh, curve, surface_point_at(mesh, NULL, lines->lines[k].trace->points[i])),
                lines->edge, "line %zu, point %zu", k, i);
}

static size_t cut_alone(const ruga_mesh *mesh, const double *points, size_t count, int closed) {
    ruga_curve *curve = creased_curve(mesh, points, count, closed);
    cut_lines lines;
    assert_ok(mesh->context, cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines));
    assert_lines_follow(mesh, curve, &lines);
    for (size_t i = 0; i < lines.star_count; i++) assert_int_equal(lines.stars[i].ray_count, 2);
    size_t made = lines.line_count;
    cut_lines_release(&lines);
    ruga_curve_destroy(curve);
    return made;
}

/* A corner from 15 to 20 degrees is always divided, one of more than 75 never. */
static void assert_divided(int angle, size_t lines) {
    fail_if(lines != 2 && (lines != 1 || angle <= 20), "%d degrees: %zu lines", angle, lines);
    fail_if(lines != 1 && angle > 75, "%d degrees: %zu lines", angle, lines);
}

static void sharp_corners_are_cut(void **state) {
    for (size_t n = 12; n <= 48; n *= 2) {
        ruga_mesh *mesh = creased_sheet(*state, n, 0.1);
        for (int angle = 20; angle <= 120; angle += 10) {
            double half = angle * 3.141592653589793 / 360, x = 0.45 * sin(half), y = 0.45 * cos(half);
            const double points[] = {0.513 - x, 0.221 + y, 0.513, 0.221, 0.513 + x, 0.221 + y};
            assert_divided(angle, cut_alone(mesh, points, 3, 0));
        }
        ruga_mesh_destroy(mesh);
    }
}

/* Between 20 and 75 degrees it depends on how the corner lies on the triangles, but none is refused. */
static void corners_are_cut_however_they_lie(void **state) {
    static const int angles[] = {15, 20, 30, 40, 50, 60, 62, 64, 66, 68, 70, 76, 90, 120};
    enum { ANGLES = sizeof angles / sizeof *angles };
    ruga_mesh *mesh = creased_sheet(*state, 12, 0.1);
    for (int i = 0; i < FEWER(100) * ANGLES; i++) {
        double half = angles[i % ANGLES] * 3.141592653589793 / 360, turn = 0.0628 * i / ANGLES, x = 0.513, y = 0.487;
        const double points[] = {x + 0.35 * cos(turn - half), y + 0.35 * sin(turn - half), x, y,
                                 x + 0.35 * cos(turn + half), y + 0.35 * sin(turn + half)};
        ruga_curve *curve = creased_curve(mesh, points, 3, 0);
        cut_lines lines;
        assert_ok(*state, cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines));
        assert_divided(angles[i % ANGLES], lines.line_count);
        cut_lines_release(&lines);
        ruga_curve_destroy(curve);
    }
    ruga_mesh_destroy(mesh);
}

/* No vertex lies between both sides of a hairpin, so that all are on one side of it: no edge seems to be crossed. */
static void hairpins_are_cut_or_said_to_run_back(void **state) {
    static const double angles[] = {0, 0.2, 0.6, 1.5, 3, 6, 10};
    enum { ANGLES = sizeof angles / sizeof *angles };
    ruga_mesh *mesh = creased_sheet(*state, 10, 0.1);
    int cut = 0;
    for (int i = 0; i < 6 * ANGLES; i++) {
        double half = angles[i % ANGLES] * 3.141592653589793 / 360, turn = 0.9 * (i / ANGLES), x = 0.513, y = 0.487;
        double length = i / ANGLES < 3 ? 0.45 : 0.3;
        const double points[] = {x + length * cos(turn - half), y + length * sin(turn - half), x, y,
                                 x + length * cos(turn + half), y + length * sin(turn + half)};
        ruga_curve *curve = creased_curve(mesh, points, 3, 0);
        cut_lines lines;
        ruga_status status = cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines);
        if (angles[i % ANGLES] > 1) {
            assert_ok(*state, status);
            assert_less_case(1, lines.line_count, "case %d", i);
            assert_lines_follow(mesh, curve, &lines);
        } else {
            assert_status(status, RUGA_ERROR_INPUT);
            assert_message_has(*state, "in triangle");
            assert_message_has(*state, "runs along itself");
        }
        cut += status == RUGA_OK;
        if (status == RUGA_OK) cut_lines_release(&lines);
        ruga_curve_destroy(curve);
    }
    assert_ran(cut, 12);
    ruga_mesh_destroy(mesh);
}

static void curves_that_cross_themselves_are_cut(void **state) {
    for (size_t n = 10; n <= 40; n *= 2) {
        ruga_mesh *mesh = creased_sheet(*state, n, 0.1);
        const double loop[] = {0.1, 0.61, 0.81, 0.6, 0.8, 0.2, 0.51, 0.21, 0.5, 0.93};
        const double eight[] = {0.2, 0.2, 0.8, 0.79, 0.82, 0.21, 0.21, 0.81};
        const double drop[] = {0.41, 0.1, 0.6, 0.9, 0.2, 0.85};
        assert_int_equal(cut_alone(mesh, loop, 5, 0), 2);
        assert_less(1, (double)cut_alone(mesh, eight, 4, 1));
        assert_less(0, (double)cut_alone(mesh, drop, 3, 1));
        ruga_mesh_destroy(mesh);
    }
}

/* It would be cut in part only. */
static void curves_beside_the_border_are_refused(void **state) {
    ruga_mesh *mesh = creased_sheet(*state, 10, 0);
    const double points[] = {0.3, 0.3, 0.5, 0, 0.7, 0.3};
    for (int closed = 0; closed < 2; closed++) {
        ruga_curve *curve = creased_curve(mesh, points, 3, closed);
        cut_lines lines;
        assert_status(cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines), RUGA_ERROR_INPUT);
        assert_message_has(*state, "it leaves the mesh here");
        ruga_curve_destroy(curve);
    }
    ruga_mesh_destroy(mesh);
}

static ruga_status cut_line_between(const ruga_mesh *mesh, double u0, double v0, double u1, double v1) {
    ruga_curve *curve = creased_curve(mesh, (const double[]){u0, v0, u1, v1}, 2, 0);
    cut_lines lines;
    ruga_status status = cut_lines_make(mesh, (const ruga_curve *const *)&curve, 1, &lines);
    if (!RUGA_FAILED(status)) cut_lines_release(&lines);
    ruga_curve_destroy(curve);
    return status;
}

/* On all sides, whatever the shift off the vertices is: a strip of 0.01 edges is no panel. Curves that only touch the
 * border, or cut off a corner, are cut. */
static void curves_along_the_border_are_refused(void **state) {
    ruga_mesh *mesh = creased_sheet(*state, 10, 0);
    for (int i = 0; i < 24; i++) {
        double off = i / 8 * 0.0004, at = i & 1 ? 1 - off : off, from = i & 2 ? 0.23 : 0, to = i & 2 ? 0.81 : 1;
        ruga_status status =
            i & 4 ? cut_line_between(mesh, from, at, to, at) : cut_line_between(mesh, at, from, at, to);
        assert_status(status, RUGA_ERROR_INPUT);
        assert_message_has(*state, "it runs along the border");
    }
    for (int i = 0; i < 8; i++) {
        double side = i & 1, far = i & 2 ? 1 - 0.17 : 0.17;
        assert_ok(*state, cut_line_between(mesh, side, far, fabs(side - 0.15), i & 2 ? 1 : 0));
        assert_ok(*state, i & 4 ? cut_line_between(mesh, far, side, 0.43, 1 - side)
                                : cut_line_between(mesh, side, far, 1 - side, 0.43));
    }
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(curves_over_an_edge_of_three_triangles_are_refused),
                                       cmocka_unit_test(curves_may_end_before_an_edge_of_three_triangles),
                                       cmocka_unit_test(straight_curves_along_vertices_stay_straight),
                                       cmocka_unit_test(sharp_corners_are_cut),
                                       cmocka_unit_test(corners_are_cut_however_they_lie),
                                       cmocka_unit_test(hairpins_are_cut_or_said_to_run_back),
                                       cmocka_unit_test(curves_that_cross_themselves_are_cut),
                                       cmocka_unit_test(curves_beside_the_border_are_refused),
                                       cmocka_unit_test(curves_along_the_border_are_refused)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
