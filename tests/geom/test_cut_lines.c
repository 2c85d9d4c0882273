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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(curves_over_an_edge_of_three_triangles_are_refused),
                                       cmocka_unit_test(straight_curves_along_vertices_stay_straight)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
