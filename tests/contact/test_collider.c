/* Colliders are exact signed distances: by brute force, by their gradient, and at the points where a formula could
 * break. */
#include "contact/collider.h"

#include <math.h>

#include "body/bodies.h"
#include "math/vec3.h"
#include "support/support.h"

#define PI 3.14159265358979323846

static collider turned_box(ruga_vec3 centre, ruga_vec3 half, ruga_vec3 turn) {
    collider c = {.kind = COLLIDER_BOX, .point = centre, .half = half};
    body_turn_columns(turn, c.axes);
    return c;
}

static collider sloped_plane(ruga_vec3 point, ruga_vec3 turn) {
    collider c = {.kind = COLLIDER_PLANE, .point = point};
    body_turn_columns(turn, c.axes);
    return c;
}

enum { COLLIDER_SAMPLES = 6 };
static void make_colliders(collider out[COLLIDER_SAMPLES]) {
    out[0] = sloped_plane((ruga_vec3){0.1, -0.2, 0.3}, (ruga_vec3){20, 30, 40});
    out[1] = (collider){.kind = COLLIDER_SPHERE, .point = {0.1, 0.2, -0.3}, .radius = 0.7};
    out[2] = (collider){.kind = COLLIDER_CAPSULE, .point = {-0.5, 0.1, 0}, .other = {0.6, 0.5, 0.2}, .radius = 0.3};
    out[3] = (collider){.kind = COLLIDER_CAPSULE, .point = {0.1, 0.1, 0}, .other = {0.1, 0.1, 0}, .radius = 0.4};
    out[4] = turned_box((ruga_vec3){0.1, 0, -0.1}, (ruga_vec3){0.5, 0.3, 0.8}, (ruga_vec3){15, -35, 70});
    out[5] = turned_box((ruga_vec3){0, 0, 0}, (ruga_vec3){0.4, 0.4, 0.4}, (ruga_vec3){0, 0, 0});
}

/* ---- Points all over a surface, for distances by brute force. */

typedef ruga_vec3 surface_point(const collider *c, double u, double v, int patch);

static ruga_vec3 on_unit_sphere(double u, double v) {
    double y = 2 * v - 1, r = sqrt(fmax(0, 1 - y * y));
    return (ruga_vec3){r * cos(2 * PI * u), y, r * sin(2 * PI * u)};
}

static ruga_vec3 on_sphere(const collider *c, double u, double v, int patch) {
    (void)patch;
    return vec3_add_scaled(c->point, on_unit_sphere(u, v), c->radius);
}

/* Both end spheres and, between them, spheres along the axis: the capsule is their union, so inner ones are no nearer
 * from outside. */
static ruga_vec3 on_capsule(const collider *c, double u, double v, int patch) {
    ruga_vec3 centre = vec3_mix(c->point, c->other, patch / 64.0);
    return vec3_add_scaled(centre, on_unit_sphere(u, v), c->radius);
}

static ruga_vec3 on_box(const collider *c, double u, double v, int patch) {
    double place[3];
    place[patch / 2] = patch % 2 ? 1 : -1;
    place[(patch / 2 + 1) % 3] = 2 * u - 1;
    place[(patch / 2 + 2) % 3] = 2 * v - 1;
    ruga_vec3 p = vec3_add_scaled(c->point, c->axes[0], place[0] * c->half.x);
    p = vec3_add_scaled(p, c->axes[1], place[1] * c->half.y);
    return vec3_add_scaled(p, c->axes[2], place[2] * c->half.z);
}

static double nearest_by_force(const collider *c, ruga_vec3 point, surface_point *surface, int patches, int n) {
    double nearest = INFINITY;
    for (int patch = 0; patch < patches; patch++)
        for (int i = 0; i <= n; i++)
            for (int j = 0; j <= n; j++) {
                ruga_vec3 s = surface(c, (double)i / n, (double)j / n, patch);
                nearest = fmin(nearest, vec3_length2(vec3_sub(point, s)));
            }
    return sqrt(nearest);
}

/* The samples lie upon the surface and within `gap` of any of its points, so brute force is never less and at most
 * `gap` more. */
static void assert_distance(const collider *c, ruga_vec3 point, double force, double gap) {
    ruga_vec3 normal;
    double distance = fabs(collider_distance(c, point, &normal));
    fail_if(!(distance <= force + 1e-12 && force <= distance + gap), "the distance is %g, but brute force finds %g",
            distance, force);
}

static void distances_are_those_of_brute_force(void **state) {
    (void)state;
    collider all[COLLIDER_SAMPLES];
    make_colliders(all);
    test_random random = {7};
    ruga_vec3 normal;
    size_t outside = 0;
    for (int k = 0; k < FEWER(40); k++) {
        ruga_vec3 p = random_vec3(&random, -1.5, 1.5);
        assert_distance(&all[1], p, nearest_by_force(&all[1], p, on_sphere, 1, 150), 0.03);
        assert_distance(&all[3], p, nearest_by_force(&all[3], p, on_sphere, 1, 150), 0.03);
        assert_distance(&all[4], p, nearest_by_force(&all[4], p, on_box, 6, 60), 0.03);
        assert_distance(&all[5], p, nearest_by_force(&all[5], p, on_box, 6, 60), 0.03);
        if (collider_distance(&all[2], p, &normal) > 0) {
            outside++;
            assert_distance(&all[2], p, nearest_by_force(&all[2], p, on_capsule, 65, 60), 0.06);
        }
        assert_near(collider_distance(&all[0], p, &normal), vec3_dot(vec3_sub(p, all[0].point), all[0].axes[1]), 1e-15);
    }
    assert_ran(outside, FEWER(20));
}

/* ---- Sign: membership, said without distances. */

static int is_inside(const collider *c, ruga_vec3 p) {
    ruga_vec3 from = vec3_sub(p, c->point);
    if (c->kind == COLLIDER_PLANE) return vec3_dot(from, c->axes[1]) < 0;
    if (c->kind == COLLIDER_SPHERE) return vec3_length2(from) < c->radius * c->radius;
    if (c->kind == COLLIDER_BOX)
        return fabs(vec3_dot(from, c->axes[0])) < c->half.x && fabs(vec3_dot(from, c->axes[1])) < c->half.y &&
               fabs(vec3_dot(from, c->axes[2])) < c->half.z;
    for (int i = 0; i <= 1000; i++)
        if (vec3_distance(p, vec3_mix(c->point, c->other, i / 1000.0)) < c->radius) return 1;
    return 0;
}

static void inside_is_negative(void **state) {
    (void)state;
    collider all[COLLIDER_SAMPLES];
    make_colliders(all);
    test_random random = {8};
    for (int c = 0; c < COLLIDER_SAMPLES; c++) {
        int inside = 0;
        for (int k = 0; k < 1000; k++) {
            ruga_vec3 p = random_vec3(&random, -0.8, 0.8), normal;
            double distance = collider_distance(&all[c], p, &normal);
            if (fabs(distance) < 1e-5) continue;
            assert_int_equal(distance < 0, is_inside(&all[c], p));
            inside += distance < 0;
        }
        assert_less(50, inside);
        assert_less(inside, 950);
    }
}

/* ---- The normal is the gradient, of length 1; going back along it by the distance leads to the surface. */

static void the_normal_is_the_gradient(void **state) {
    (void)state;
    collider all[COLLIDER_SAMPLES];
    make_colliders(all);
    test_random random = {9};
    for (int c = 0; c < COLLIDER_SAMPLES; c++) {
        int smooth = 0;
        for (int k = 0; k < 500; k++) {
            ruga_vec3 p = random_vec3(&random, -1.2, 1.2), normal, other, low, high;
            double h = 1e-6, distance = collider_distance(&all[c], p, &normal);
            assert_near(vec3_length(normal), 1, 1e-14);
            ruga_vec3 gradient;
            double *g[3] = {&gradient.x, &gradient.y, &gradient.z};
            const ruga_vec3 axes[3] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
            int crease = 0; /* the medial axis runs between the two points */
            for (int i = 0; i < 3; i++) {
                double a = collider_distance(&all[c], vec3_sub(p, axes[i]), &low);
                double b = collider_distance(&all[c], vec3_add(p, axes[i]), &high);
                *g[i] = (b - a) / (2 * h);
                crease |= vec3_dot(low, high) < 0.999;
            }
            if (crease) continue;
            smooth++;
            assert_near(vec3_length(gradient), 1, 1e-7);
            assert_less(vec3_distance(gradient, normal), 1e-6);
            ruga_vec3 foot = vec3_add_scaled(p, normal, -distance);
            assert_less(fabs(collider_distance(&all[c], foot, &other)), 1e-14);
        }
        assert_less(450, smooth);
    }
}

/* ---- Where there is no gradient. */

static void degenerate_points_have_a_unit_normal(void **state) {
    (void)state;
    ruga_vec3 normal;
    const collider sphere = {.kind = COLLIDER_SPHERE, .point = {1, 2, 3}, .radius = 0.5};
    assert_true(collider_distance(&sphere, sphere.point, &normal) == -0.5);
    assert_true(normal.x == 0 && normal.y == 1 && normal.z == 0);

    /* Very near to the centre the direction still counts. */
    const collider origin = {.kind = COLLIDER_SPHERE, .radius = 0.5};
    assert_true(collider_distance(&origin, (ruga_vec3){3e-200, 0, 4e-200}, &normal) == -0.5);
    assert_near(normal.x, 0.6, 1e-15);
    assert_near(normal.z, 0.8, 1e-15);

    /* On a capsule's axis any direction across it is right; at its ends too. */
    const ruga_vec3 ends[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0.3, 0.3, 0.3}};
    for (int i = 0; i < 4; i++) {
        const collider capsule = {.kind = COLLIDER_CAPSULE, .other = ends[i], .radius = 0.2};
        for (int k = 0; k <= 4; k++) {
            double distance = collider_distance(&capsule, vec3_scale(ends[i], k / 4.0), &normal);
            assert_less(fabs(distance + 0.2), 1e-15);
            assert_near(vec3_length(normal), 1, 1e-14);
            assert_less(fabs(vec3_dot(normal, ends[i])), 1e-14);
        }
    }
    const collider point = {.kind = COLLIDER_CAPSULE, .radius = 0.2};
    assert_true(collider_distance(&point, (ruga_vec3){0, 0, 0}, &normal) == -0.2);
    assert_true(normal.y == 1);

    /* A box's centre, its surface and its corners. */
    const collider box = turned_box((ruga_vec3){0, 0, 0}, (ruga_vec3){1, 0.5, 2}, (ruga_vec3){0, 0, 0});
    assert_true(collider_distance(&box, (ruga_vec3){0, 0, 0}, &normal) == -0.5);
    assert_true(fabs(normal.y) == 1);
    assert_true(collider_distance(&box, (ruga_vec3){-1, 0, 0}, &normal) == 0);
    assert_true(normal.x == -1);
    assert_true(collider_distance(&box, (ruga_vec3){1, 0.5, 2}, &normal) == 0);
    assert_near(vec3_length(normal), 1, 1e-15);
    assert_near(collider_distance(&box, (ruga_vec3){2, 1.5, 3}, &normal), sqrt(3), 1e-15);
    assert_near(normal.x, sqrt(1.0 / 3), 1e-15);

    /* A box without size is a point, and one without height a sheet. */
    const collider speck = turned_box((ruga_vec3){0, 0, 0}, (ruga_vec3){0, 0, 0}, (ruga_vec3){0, 0, 0});
    assert_true(collider_distance(&speck, (ruga_vec3){3, 0, 4}, &normal) == 5);
    assert_true(collider_distance(&speck, (ruga_vec3){0, 0, 0}, &normal) == 0);
    assert_true(vec3_length(normal) == 1);
}

static void points_that_are_not_finite_are_in_nothing(void **state) {
    (void)state;
    collider all[COLLIDER_SAMPLES];
    make_colliders(all);
    for (int c = 0; c < COLLIDER_SAMPLES; c++) {
        ruga_vec3 normal;
        assert_false(collider_distance(&all[c], (ruga_vec3){NAN, NAN, NAN}, &normal) < 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_brute_force),
        cmocka_unit_test(inside_is_negative),
        cmocka_unit_test(the_normal_is_the_gradient),
        cmocka_unit_test(degenerate_points_have_a_unit_normal),
        cmocka_unit_test(points_that_are_not_finite_are_in_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
