/* Points against colliders: Coulomb's law on slopes, no penetration, reported momentum. */
#include "contact/respond.h"

#include <math.h>

#include "math/vec3.h"
#include "support/support.h"

#define GRAVITY 9.81

static const ruga_vec3 x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

/* A plane through the origin that falls towards +x at this angle. */
static collider slope(double angle, double friction) {
    collider c = {.kind = COLLIDER_PLANE, .friction = friction};
    c.axes[0] = vec3_make(cos(angle), -sin(angle), 0);
    c.axes[1] = vec3_make(sin(angle), cos(angle), 0);
    c.axes[2] = z_axis;
    return c;
}

static collider sphere(ruga_vec3 centre, double radius, double friction) {
    return (collider){.kind = COLLIDER_SPHERE, .point = centre, .radius = radius, .friction = friction};
}

static collider box(ruga_vec3 centre, ruga_vec3 half, double friction) {
    return (collider){
        .kind = COLLIDER_BOX, .point = centre, .half = half, .axes = {x_axis, y_axis, z_axis}, .friction = friction};
}

static collider capsule(ruga_vec3 from, ruga_vec3 to, double radius, double friction) {
    return (collider){.kind = COLLIDER_CAPSULE, .point = from, .other = to, .radius = radius, .friction = friction};
}

typedef struct particle {
    ruga_vec3 position, velocity;
} particle;

/* One step of a single point under gravity, as bodies make it. */
static size_t fall(ruga_context *context, const respond_law *law, const collider *colliders, size_t count, double h,
                   particle *p) {
    ruga_vec3 velocity = vec3_add_scaled(p->velocity, y_axis, -GRAVITY * h);
    ruga_vec3 candidate = vec3_add_scaled(p->position, velocity, h);
    respond_points points = {.count = 1, .accepted = &p->position, .candidate = &candidate, .velocities = &velocity};
    size_t touched = respond_to_colliders(context, law, colliders, count, &points);
    *p = (particle){candidate, velocity};
    return touched;
}

static void a_point_below_the_friction_angle_rests(void **state) {
    const double steps[3] = {1.0 / 24, 1.0 / 60, 1e-3};
    for (int k = 0; k < 3; k++)
        for (double friction = 0.05; friction < 2; friction *= 1.7) {
            collider plane = slope(0.99 * atan(friction), friction);
            respond_law law = {.thickness = 0.01, .static_ratio = 1};
            particle p = {vec3_scale(plane.axes[1], 0.01), {0, 0, 0}}, start = p;
            for (int i = 0; i < 500; i++) assert_int_equal(fall(*state, &law, &plane, 1, steps[k], &p), 1);
            assert_true(vec3_length(p.velocity) == 0);
            assert_less(vec3_distance(p.position, start.position), 1e-12);
        }
}

/* Down the slope the acceleration is g (sin α − μ cos α), and x = ½ a t² + ½ a h t of a step that moves with its new
 * velocity. */
static void a_point_above_the_friction_angle_slides_as_coulomb_says(void **state) {
    for (double angle = 0.2; angle < 1.5; angle += 0.1)
        for (double part = 0; part < 1; part += 0.3) {
            double friction = part * tan(angle), h = 1.0 / 60, a = GRAVITY * (sin(angle) - friction * cos(angle));
            collider plane = slope(angle, friction);
            respond_law law = {.thickness = 0.01, .static_ratio = 1};
            particle p = {vec3_scale(plane.axes[1], 0.01), {0, 0, 0}}, start = p;
            for (int i = 0; i < 120; i++) fall(*state, &law, &plane, 1, h, &p);
            ruga_vec3 moved = vec3_sub(p.position, start.position);
            assert_less(vec3_distance(p.velocity, vec3_scale(plane.axes[0], 2 * a)), 1e-9);
            assert_less(vec3_distance(moved, vec3_scale(plane.axes[0], 0.5 * a * 4 + 0.5 * a * h * 2)), 1e-9);
        }
}

/* Between the two angles a point rests if it is at rest, and slides on if it slides. */
static void friction_at_rest_holds_more_than_friction_of_sliding(void **state) {
    double friction = 0.4, angle = atan(0.5);
    collider plane = slope(angle, friction);
    respond_law law = {.thickness = 0, .static_ratio = 1.5};
    particle p = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 100; i++) fall(*state, &law, &plane, 1, 1.0 / 60, &p);
    assert_less(vec3_length(p.position), 1e-12);
    p.velocity = vec3_scale(plane.axes[0], 2);
    for (int i = 0; i < 60; i++) fall(*state, &law, &plane, 1, 1.0 / 60, &p);
    double expected = 2 + GRAVITY * (sin(angle) - friction * cos(angle));
    assert_less(vec3_distance(p.velocity, vec3_scale(plane.axes[0], expected)), 1e-9);
}

/* Thrown down onto the ground in mid-step: it loses μ of its speed downwards, and the same fraction of the rest of its
 * path. */
static void an_impact_within_a_step_shortens_the_rest_of_the_path(void **state) {
    collider ground = slope(0, 0.5);
    respond_law law = {.thickness = 0.1, .static_ratio = 1};
    ruga_vec3 from = {0, 0.6, 0}, to = {3, -0.4, 0}, velocity = {30, -10, 0};
    respond_points points = {.count = 1, .accepted = &from, .candidate = &to, .velocities = &velocity};
    assert_int_equal(respond_to_colliders(*state, &law, &ground, 1, &points), 1);
    assert_less(vec3_distance(velocity, vec3_make(25, 0, 0)), 1e-12);
    assert_less(vec3_distance(to, vec3_make(1.5 + 0.5 * 2.5, 0.1, 0)), 1e-12);
}

static size_t make_colliders(test_random *random, collider colliders[5]) {
    for (size_t c = 0; c < 5; c++) {
        ruga_vec3 centre = random_vec3(random, -1, 1), other = random_vec3(random, -1, 1);
        double friction = random_unit(random);
        switch (c) {
            case 0:
                colliders[c] = slope(random_between(random, -1, 1), friction);
                colliders[c].point.y = -1;
                break;
            case 1: colliders[c] = sphere(centre, random_between(random, 0.05, 0.5), friction); break;
            case 2: colliders[c] = capsule(centre, other, random_between(random, 0.01, 0.2), friction); break;
            case 3: colliders[c] = box(centre, vec3_make(0.4, 0.01, 0.3), friction); break;
            default: colliders[c] = sphere(centre, 0.1, friction);
        }
    }
    return 5;
}

static double least_distance(const collider *colliders, size_t count, ruga_vec3 point) {
    double least = INFINITY;
    ruga_vec3 normal;
    for (size_t c = 0; c < count; c++) least = fmin(least, collider_distance(&colliders[c], point, &normal));
    return least;
}

static void no_point_from_outside_ends_inside_nor_gains_speed(void **state) {
    test_random random = {11};
    collider colliders[5];
    size_t touched = 0;
    for (int i = 0; i < 20000; i++) {
        size_t count = make_colliders(&random, colliders);
        respond_law law = {.thickness = random_between(&random, 0, 0.05),
                           .static_ratio = random_between(&random, 1, 2)};
        ruga_vec3 from = random_vec3(&random, -1.5, 1.5), to = random_vec3(&random, -1.5, 1.5);
        if (least_distance(colliders, count, from) < law.thickness) continue;
        ruga_vec3 velocity = vec3_scale(vec3_sub(to, from), 60), before = velocity;
        respond_points points = {.count = 1, .accepted = &from, .candidate = &to, .velocities = &velocity};
        touched += respond_to_colliders(*state, &law, colliders, count, &points);
        assert_at_most(law.thickness - 1e-11, least_distance(colliders, count, to));
        assert_at_most(vec3_length(velocity), vec3_length(before) * (1 + 1e-12));
        assert_at_most(vec3_distance(to, from), vec3_length(before) / 60 * (1 + 1e-12) + 1e-11);
    }
    assert_less(4000, touched);
}

/* The far side of a board of 2 cm, a metre behind it, is no exit. */
static void no_step_is_so_long_that_it_goes_through(void **state) {
    test_random random = {12};
    collider board = box(vec3_make(0, 0, 0), vec3_make(9, 0.01, 9), 0.3);
    respond_law law = {.thickness = 0.001, .static_ratio = 1};
    for (int i = 0; i < 2000; i++) {
        ruga_vec3 from = random_vec3(&random, -1, 1), to = random_vec3(&random, -1, 1);
        from.y = random_between(&random, 0.011, 1);
        to.y = -random_between(&random, 0.5, 100);
        ruga_vec3 velocity = vec3_sub(to, from);
        respond_points points = {.count = 1, .accepted = &from, .candidate = &to, .velocities = &velocity};
        assert_int_equal(respond_to_colliders(*state, &law, &board, 1, &points), 1);
        assert_near(to.y, 0.011, 1e-12);
        assert_true(velocity.y == 0);
    }
}

static void points_that_start_inside_come_out_without_speed(void **state) {
    test_random random = {13};
    respond_law law = {.thickness = 0.02, .static_ratio = 1};
    for (int i = 0; i < 3000; i++) {
        const collider all[3] = {sphere(vec3_make(0, 0, 0), 1, 0.2), box(vec3_make(0, 0, 0), vec3_make(1, 2, 0.7), 0.2),
                                 capsule(vec3_make(0, 0, 0), vec3_make(1, 0, 0), 0.5, 0.2)};
        ruga_vec3 from = random_vec3(&random, -0.3, 0.3), to = from, velocity = random_vec3(&random, -1e-9, 1e-9);
        respond_points points = {.count = 1, .accepted = &from, .candidate = &to, .velocities = &velocity};
        assert_int_equal(respond_to_colliders(*state, &law, &all[i % 3], 1, &points), 1);
        assert_at_most(0.02 - 1e-12, least_distance(&all[i % 3], 1, to));
        assert_less(vec3_length(velocity), 2e-9);
    }
}

/* Two slopes that meet in a valley: the point settles at the bottom of it, out of both. */
static void a_valley_holds_a_point_at_its_bottom(void **state) {
    for (double angle = 0.2; angle < 1.5; angle += 0.2) {
        const collider valley[2] = {slope(angle, 0.1), slope(-angle, 0.1)};
        respond_law law = {.thickness = 0.01, .static_ratio = 1};
        particle p = {{-0.5, 9, 0.1}, {1, 0, 0}};
        for (int i = 0; i < 1500; i++) {
            fall(*state, &law, valley, 2, 1.0 / 60, &p);
            assert_at_most(0.01 - 1e-12, least_distance(valley, 2, p.position));
        }
        assert_less(vec3_length(p.velocity), 1e-9);
        assert_less(vec3_distance(p.position, vec3_make(0, 0.01 / cos(angle), 0.1)), 1e-9);
    }
}

/* A gutter with sides at the angle α that falls at β: each side carries g cos β / (2 cos α), so that a point in it
 * slides with g (sin β − μ cos β / cos α). */
static void a_point_slides_down_a_gutter_by_the_friction_of_both_sides(void **state) {
    for (double a = 0.3; a < 1.3; a += 0.3)
        for (double b = 0.2; b < 1.3; b += 0.3) {
            double friction = 0.5 * tan(b) * cos(a), h = 1.0 / 60;
            double expected = GRAVITY * (sin(b) - friction * cos(b) / cos(a));
            collider gutter[2] = {slope(a, friction), slope(-a, friction)};
            for (int k = 0; k < 2; k++) {
                ruga_vec3 n = gutter[k].axes[1];
                gutter[k].axes[1] = vec3_make(n.x, n.y * cos(b), n.y * sin(b));
            }
            respond_law law = {.static_ratio = 1};
            particle p = {{0, 0, 0}, {0, 0, 0}};
            for (int i = 0; i < 60; i++) fall(*state, &law, gutter, 2, h, &p);
            ruga_vec3 down = {0, -sin(b), cos(b)};
            assert_less(vec3_distance(p.velocity, vec3_scale(down, expected)), 1e-9);
        }
}

/* Three walls meet, and a fourth cuts the corner off; from every side a point settles there. */
static void a_corner_holds_a_point(void **state) {
    test_random random = {16};
    collider walls[4] = {slope(0, 0), slope(0, 0), slope(0, 0), slope(0, 0)};
    walls[0].axes[1] = vec3_normalise(vec3_make(1, 1, 0));
    walls[1].axes[1] = vec3_normalise(vec3_make(-1, 1, 1));
    walls[2].axes[1] = vec3_normalise(vec3_make(-1, 1, -1));
    walls[3].axes[1] = y_axis;
    for (size_t count = 3; count <= 4; count++)
        for (int i = 0; i < 500; i++) {
            respond_law law = {.thickness = 0.001, .static_ratio = 1};
            particle p = {random_vec3(&random, -0.2, 0.2), {0, 0, 0}};
            p.position.y = 1;
            for (int k = 0; k < 400; k++) fall(*state, &law, walls, count, 1.0 / 24, &p);
            assert_at_most(0.001 - 1e-12, least_distance(walls, count, p.position));
            assert_less(vec3_length(p.velocity), 1e-9);
            assert_less(vec3_length(p.position), 0.01);
        }
}

static void lost_momentum_is_reported_as_impulse(void **state) {
    test_random random = {14};
    collider colliders[5];
    enum { COUNT = 3000 };
    ruga_vec3 from[COUNT], to[COUNT], velocities[COUNT], before[COUNT], impulses[COUNT];
    double inverse_masses[COUNT];
    size_t count = make_colliders(&random, colliders), held = 0;
    for (size_t i = 0; i < COUNT; i++) {
        from[i] = random_vec3(&random, -1.5, 1.5);
        to[i] = random_vec3(&random, -1.5, 1.5);
        before[i] = velocities[i] = vec3_scale(vec3_sub(to[i], from[i]), 24);
        inverse_masses[i] = i % 10 == 0 ? 0 : random_between(&random, 1, 100);
        impulses[i] = x_axis;
    }
    respond_law law = {.thickness = 0.01, .static_ratio = 1};
    respond_points points = {.count = COUNT,
                             .accepted = from,
                             .candidate = to,
                             .velocities = velocities,
                             .inverse_masses = inverse_masses,
                             .impulses = impulses};
    size_t touched = respond_to_colliders(*state, &law, colliders, count, &points), changed = 0;
    for (size_t i = 0; i < COUNT; i++) {
        ruga_vec3 given = vec3_sub(impulses[i], x_axis), change = vec3_sub(velocities[i], before[i]);
        assert_less(vec3_distance(vec3_scale(given, inverse_masses[i]), change), 1e-11);
        changed += vec3_length(change) > 0;
        held += inverse_masses[i] == 0 && vec3_length(change) == 0 && vec3_length(given) == 0;
    }
    assert_at_most(changed, touched);
    assert_less(500, changed);
    assert_int_equal(held, COUNT / 10);
}

/* One step of a point without gravity with a given hold. */
static size_t go(ruga_context *context, const collider *colliders, size_t count, particle *p, contact_hold *hold) {
    const double h = 0.1;
    ruga_vec3 candidate = vec3_add_scaled(p->position, p->velocity, h), velocity = p->velocity;
    respond_law law = {.thickness = 0, .static_ratio = 1};
    respond_points points = {
        .count = 1, .accepted = &p->position, .candidate = &candidate, .velocities = &velocity, .holds = hold, .dt = h};
    size_t touched = respond_to_colliders(context, &law, colliders, count, &points);
    *p = (particle){candidate, velocity};
    return touched;
}

static void the_hold_of_a_point_is_reported_until_it_leaves(void **state) {
    const collider ball = sphere(vec3_make(0, 0, 0), 1, 0.3);
    const collider floor = slope(0, 0.4);
    contact_hold hold = {0};

    /* In the air there is nothing; on the ball its normal, and its friction. */
    particle p = {{0, 2, 0}, {0, -3, 0}};
    assert_int_equal(go(*state, &ball, 1, &p, &hold), 0);
    assert_true(vec3_length(hold.normal) == 0);
    p.velocity = vec3_make(0, -30, 0);
    assert_int_equal(go(*state, &ball, 1, &p, &hold), 1);
    assert_less(vec3_distance(hold.normal, y_axis), 1e-12);
    assert_less(vec3_length(hold.velocity), 1e-12);
    assert_true(hold.grip == 0.3);

    /* As it slides along, the ball falls away below it: it may go as fast as to be there again. */
    p.velocity = vec3_make(2, 0, 0);
    assert_int_equal(go(*state, &ball, 1, &p, &hold), 1);
    double away = sqrt(1 + 0.2 * 0.2) - 1;
    assert_less(vec3_distance(hold.velocity, vec3_scale(hold.normal, -away / 0.1)), 1e-9);
    assert_less(vec3_distance(hold.normal, vec3_normalise(p.position)), 1e-12);

    /* A point that leaves is not held any more, nor is one that was not pressed in the solve and does not touch. */
    contact_hold none = {0};
    particle same = p;
    assert_int_equal(go(*state, &ball, 1, &same, &none), 0);
    assert_true(vec3_length(none.normal) == 0);
    p = (particle){{0, 5, 0}, {0, 0, 0}};
    assert_int_equal(go(*state, &ball, 1, &p, &hold), 0);
    assert_true(vec3_length(hold.normal) == 0);

    /* Of two it is what presses more. */
    const collider both[2] = {box(vec3_make(1, 0, 0), vec3_make(0.5, 0.5, 0.5), 0), floor};
    p = (particle){{0.4, 0.1, 0}, {1.5, -20, 0}};
    assert_int_equal(go(*state, both, 2, &p, &hold), 1);
    assert_less(vec3_distance(hold.normal, y_axis), 1e-12);
    assert_true(hold.grip == 0.4);
}

static void points_that_touch_nothing_keep_their_bits(void **state) {
    const collider ball = sphere(vec3_make(0, -5, 0), 1, 0.5);
    ruga_vec3 from = {0.1, 0.2, 0.3}, to = {1.0 / 3, 0.7, -0.1}, velocity = {1, -2, 3}, same[2] = {to, velocity};
    respond_law law = {.thickness = 0.01, .static_ratio = 1};
    respond_points points = {.count = 1, .accepted = &from, .candidate = &to, .velocities = &velocity};
    assert_int_equal(respond_to_colliders(*state, &law, &ball, 1, &points), 0);
    assert_int_equal(respond_to_colliders(*state, &law, NULL, 0, &points), 0);
    assert_memory_equal(&to, &same[0], sizeof to);
    assert_memory_equal(&velocity, &same[1], sizeof velocity);

    /* Others report coordinates that are not finite. */
    to.x = NAN;
    assert_int_equal(respond_to_colliders(*state, &law, &ball, 1, &points), 0);
    assert_true(isnan(to.x));
}

static void any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated(void **state) {
    (void)state;
    enum { COUNT = 6000 };
    static ruga_vec3 first[COUNT], from[COUNT], to[COUNT], velocities[COUNT];
    size_t first_touched = 0;
    const int threads[4] = {1, 1, 2, 7};
    for (int k = 0; k < 4; k++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = k == 0 ? context_counting(&counter) : context_plain(threads[k]);
        test_random random = {15};
        collider colliders[5];
        size_t count = make_colliders(&random, colliders);
        for (size_t i = 0; i < COUNT; i++) {
            from[i] = random_vec3(&random, -1.5, 1.5);
            to[i] = random_vec3(&random, -1.5, 1.5);
            velocities[i] = vec3_sub(to[i], from[i]);
        }
        respond_law law = {.thickness = 0.01, .static_ratio = 1};
        respond_points points = {.count = COUNT, .accepted = from, .candidate = to, .velocities = velocities};
        long before = counter.allocations;
        size_t touched = respond_to_colliders(context, &law, colliders, count, &points);
        assert_int_equal(counter.allocations, before);
        if (k == 0) {
            memcpy(first, to, sizeof to);
            first_touched = touched;
        }
        assert_memory_equal(first, to, sizeof to);
        assert_int_equal(touched, first_touched);
        ruga_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_below_the_friction_angle_rests),
        cmocka_unit_test(a_point_above_the_friction_angle_slides_as_coulomb_says),
        cmocka_unit_test(friction_at_rest_holds_more_than_friction_of_sliding),
        cmocka_unit_test(an_impact_within_a_step_shortens_the_rest_of_the_path),
        cmocka_unit_test(no_point_from_outside_ends_inside_nor_gains_speed),
        cmocka_unit_test(no_step_is_so_long_that_it_goes_through),
        cmocka_unit_test(points_that_start_inside_come_out_without_speed),
        cmocka_unit_test(a_valley_holds_a_point_at_its_bottom),
        cmocka_unit_test(a_point_slides_down_a_gutter_by_the_friction_of_both_sides),
        cmocka_unit_test(a_corner_holds_a_point),
        cmocka_unit_test(lost_momentum_is_reported_as_impulse),
        cmocka_unit_test(the_hold_of_a_point_is_reported_until_it_leaves),
        cmocka_unit_test(points_that_touch_nothing_keep_their_bits),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
