/* Smooth curves through a few points: circles, corners that were meant, and nearest places that do not jump. */
#include "geom/curve_smooth.h"
#include "math/vec3.h"
#include "support/shapes.h"

#define RADIUS 0.4 /* m */
enum { MOST = 1200 };
static const double pi = 3.14159265358979323846;

typedef struct drawing {
    ruga_mesh *mesh;
    curve_canvas canvas;
    ruga_curve *curve;
    size_t count;
    ruga_vec3 points[MOST];
} drawing;

/* Around the middle of a sheet of a metre, which is in the plane y = 0. */
static vec3 middle_of(const ruga_mesh *mesh) {
    vec3 low, high;
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    return vec3_mix(low, high, 0.5);
}

static void draw(drawing *d, ruga_context *context, const ruga_vec3 *points, size_t count, int closed, int is_smooth) {
    ruga_curve_def def = ruga_curve_def_default();
    const double size[] = {1, 1, 60, 60, 0, 0, 0, 0, 0, 0};
    ruga_vec3 moved[64];
    def.closed = closed;
    assert_ok(context, ruga_model_make(context, "sheet", size, &d->mesh));
    assert_ok(context, curve_canvas_make(d->mesh, &d->canvas));
    for (size_t i = 0; i < count; i++) moved[i] = vec3_add(points[i], middle_of(d->mesh));
    assert_ok(context, (is_smooth ? curve_draw_smooth : curve_draw_points)(&d->canvas, moved, count, &def, &d->curve));
    d->count = d->curve->point_count;
    assert_less(d->count, MOST);
    ruga_curve_points(d->curve, d->mesh, NULL, d->points);
    for (size_t i = 0; i < d->count; i++) d->points[i] = vec3_sub(d->points[i], middle_of(d->mesh));
}

static void finish(drawing *d) {
    ruga_curve_destroy(d->curve);
    curve_canvas_release(&d->canvas);
    ruga_mesh_destroy(d->mesh);
}

static void make_circle(size_t count, ruga_vec3 *points) {
    for (size_t i = 0; i < count; i++) {
        const double angle = 2 * pi * ((double)i + 0.3) / (double)count;
        points[i] = (ruga_vec3){RADIUS * cos(angle), 0, RADIUS * sin(angle)};
    }
}

static void points_of_a_circle_give_that_circle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (size_t count = 8; count < 25; count += 8) {
        drawing d;
        ruga_vec3 points[24];
        make_circle(count, points);
        draw(&d, context, points, count, 1, 1);
        double off = 0;
        for (size_t i = 0; i < d.count; i++) off = fmax(off, fabs(vec3_length(d.points[i]) / RADIUS - 1));
        assert_less_case(off, 1e-3, "%zu points", count);
        finish(&d);
    }
    ruga_context_destroy(context);
}

/* m, how far along the curve the nearest place jumps between neighbouring places of a smaller circle, 0.25 degrees
 * apart. */
static double greatest_jump(const drawing *d) {
    double greatest = 0, before = 0;
    for (size_t k = 0; k < 1440; k++) {
        const double angle = 2 * pi * (double)k / 1440;
        const vec3 at = {0.5 * RADIUS * cos(angle), 0, 0.5 * RADIUS * sin(angle)};
        double least = INFINITY, arc = 0, walked = 0;
        for (size_t i = 0; i < d->count; i++) {
            const vec3 a = d->points[i], edge = vec3_sub(d->points[(i + 1) % d->count], a);
            const double length2 = vec3_length2(edge), part = vec3_dot(vec3_sub(at, a), edge) / length2;
            const double on = fmin(1, fmax(0, part)), distance = vec3_distance(at, vec3_add_scaled(a, edge, on));
            if (distance < least) arc = walked + on * sqrt(length2);
            least = fmin(least, distance);
            walked += sqrt(length2);
        }
        if (k > 0) greatest = fmax(greatest, fabs(remainder(arc - before, walked)));
        before = arc;
    }
    return greatest;
}

/* Half a radius inside of a circle of 24 points, straight pieces give jumps of 15 degrees x that distance; smooth ones
 * follow the place within a few steps. */
static void nearest_places_do_not_jump_beside_a_coarse_curve(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double jumps[2];
    for (int is_smooth = 0; is_smooth < 2; is_smooth++) {
        drawing d;
        ruga_vec3 points[24];
        make_circle(24, points);
        draw(&d, context, points, 24, 1, is_smooth);
        jumps[is_smooth] = greatest_jump(&d);
        finish(&d);
    }
    const double step = RADIUS * 2 * pi / 1440, turn = 15 * pi / 180 * 0.5 * RADIUS;
    assert_less(0.9 * turn, jumps[0]);
    assert_less(jumps[1], 6 * step);
    ruga_context_destroy(context);
}

/* A right angle, and a point given twice, stay corners with straight sides. */
static void corners_that_are_meant_stay(void **state) {
    (void)state;
    static const ruga_vec3 right[] = {{-0.3, 0, -0.3}, {0.01, 0, -0.3}, {0.3, 0, -0.3}, {0.3, 0, 0.02}, {0.3, 0, 0.3}};
    static const ruga_vec3 twice[] = {{-0.3, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0.3, 0, 0.1}};
    ruga_context *context = context_plain(1);
    for (int k = 0; k < 2; k++) {
        drawing d;
        double off = 0, to_corner = INFINITY;
        draw(&d, context, k == 0 ? right : twice, k == 0 ? 5 : 4, 0, 1);
        const vec3 corner = k == 0 ? right[2] : twice[1];
        for (size_t i = 0; i < d.count; i++) {
            const vec3 p = d.points[i];
            off = fmax(off, k == 0    ? fmin(fabs(p.z + 0.3), fabs(p.x - 0.3))
                            : p.x < 0 ? fabs(p.z)
                                      : fabs(p.z - p.x / 3));
            to_corner = fmin(to_corner, vec3_distance(p, corner));
        }
        assert_less_case(off, 1e-9, "curve %d", k);
        assert_less_case(to_corner, 1e-9, "curve %d", k);
        finish(&d);
    }
    ruga_context_destroy(context);
}

/* It has no turn within the surface. */
static void a_straight_line_around_a_cylinder_gets_no_points(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_cylinder(context, 96, 9);
    curve_canvas canvas;
    ruga_curve *straight, *smooth;
    ruga_curve_def def = ruga_curve_def_default();
    vec3 low, high, points[6];
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    const double radius = 0.5 * (high.x - low.x), height = 0.5 * (low.y + high.y);
    for (size_t i = 0; i < 6; i++)
        points[i] = (vec3){radius * cos(0.5 * (double)i), height, radius * sin(0.5 * (double)i)};
    assert_ok(context, curve_canvas_make(mesh, &canvas));
    assert_ok(context, curve_draw_points(&canvas, points, 6, &def, &straight));
    assert_ok(context, curve_draw_smooth(&canvas, points, 6, &def, &smooth));
    assert_int_equal(smooth->point_count, straight->point_count);
    for (size_t i = 0; i < smooth->point_count; i++) {
        assert_int_equal(smooth->points[i].triangle, straight->points[i].triangle);
        assert_memory_equal(smooth->points[i].weights, straight->points[i].weights, 3 * sizeof(double));
    }
    ruga_curve_destroy(straight);
    ruga_curve_destroy(smooth);
    curve_canvas_release(&canvas);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status draw_once(ruga_context *context, void *user) {
    (void)user;
    static const ruga_vec3 points[] = {{0.1, 0, 0.1}, {0.5, 0, 0.1}, {0.8, 0, 0.35}, {0.9, 0, 0.8}};
    const double size[] = {1, 1, 8, 8, 0, 0, 0, 0, 0, 0};
    ruga_mesh *mesh = NULL;
    ruga_curve *curve = NULL;
    curve_canvas canvas = {.context = context};
    ruga_curve_def def = ruga_curve_def_default();
    def.reach = 10;
    ruga_status status = ruga_model_make(context, "sheet", size, &mesh);
    if (!RUGA_FAILED(status)) status = curve_canvas_make(mesh, &canvas);
    if (!RUGA_FAILED(status)) status = curve_draw_smooth(&canvas, points, 4, &def, &curve);
    ruga_curve_destroy(curve);
    curve_canvas_release(&canvas);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(8, assert_every_allocation_may_fail(draw_once, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_a_circle_give_that_circle),
        cmocka_unit_test(nearest_places_do_not_jump_beside_a_coarse_curve),
        cmocka_unit_test(corners_that_are_meant_stay),
        cmocka_unit_test(a_straight_line_around_a_cylinder_gets_no_points),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
