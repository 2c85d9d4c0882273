/* The hook "collide": points leave colliders and lose what velocity goes into them. */
#include <math.h>

#include "body/bodies.h"
#include "support/shapes.h"

static collider floor_at(double height, double friction) {
    return (collider){.kind = COLLIDER_PLANE,
                      .point = {0, height, 0},
                      .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .friction = friction};
}

/* A body whose candidates are random points about the origin with random velocities. */
typedef struct rig {
    ruga_mesh *mesh;
    body *b;
    part *h;
} rig;

static rig rig_make(ruga_context *context, size_t n, double thickness) {
    rig r = {.mesh = shape_sheet(context, n, n)};
    assert_ok(context, body_static_create(r.mesh, &r.b));
    assert_ok(context, collide_part_create(context, thickness, &r.h));
    test_random random = {3};
    for (size_t i = 0; i < r.b->point_count; i++) {
        r.b->candidate_positions[i] = random_vec3(&random, -1, 1);
        r.b->candidate_velocities[i] = random_vec3(&random, -2, 2);
    }
    return r;
}

static void rig_collide(rig *r, const collider *colliders, size_t count) {
    const environment e = {.collider_count = count, .colliders = colliders};
    const substep s = {.time = 1, .dt = 0.1, .blend = 1, .environment = &e};
    measure_clear(&r->h->measures);
    assert_ok(r->b->context, r->h->interface->before_contact(r->h, r->b, &s));
}

static void rig_release(rig *r) {
    r->h->interface->destroy(r->h);
    r->b->interface->destroy(r->b);
    ruga_mesh_destroy(r->mesh);
}

static double contacts(const rig *r) {
    assert_string_equal(r->h->measures.items[0].name, "contacts");
    return r->h->measures.items[0].value;
}

static void points_leave_every_collider_by_the_thickness(void **state) {
    ruga_context *context = *state;
    rig r = rig_make(context, 40, 0.05);
    /* A plane, a sphere half below it, a capsule through the sphere and a box at its side. */
    const collider all[4] = {floor_at(-0.5, 0),
                             {.kind = COLLIDER_SPHERE, .point = {0, -0.5, 0}, .radius = 0.5},
                             {.kind = COLLIDER_CAPSULE, .point = {0, 0, 0}, .other = {0.6, 0.6, 0}, .radius = 0.2},
                             {.kind = COLLIDER_BOX,
                              .point = {-0.6, -0.3, 0},
                              .half = {0.3, 0.3, 0.3},
                              .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    size_t inside = 0;
    ruga_vec3 normal, *before = malloc(r.b->point_count * sizeof *before);
    memcpy(before, r.b->candidate_positions, r.b->point_count * sizeof *before);
    rig_collide(&r, all, 4);
    for (size_t i = 0; i < r.b->point_count; i++) {
        double deepest = INFINITY;
        for (int c = 0; c < 4; c++) {
            deepest = fmin(deepest, collider_distance(&all[c], before[i], &normal));
            double distance = collider_distance(&all[c], r.b->candidate_positions[i], &normal);
            fail_if(distance < 0.05 - 1e-12, "point %zu is at %g m from collider %d", i, distance, c);
        }
        inside += deepest < 0.05;
        /* Points outside are left alone. */
        if (deepest >= 0.05) assert_memory_equal(&before[i], &r.b->candidate_positions[i], sizeof before[i]);
    }
    assert_less(200, inside);
    assert_less(inside, r.b->point_count);
    assert_true(contacts(&r) == (double)inside);
    free(before);
    rig_release(&r);
}

/* A single collider moves a point by the shortest path. */
static void points_leave_by_the_shortest_path(void **state) {
    ruga_context *context = *state;
    rig r = rig_make(context, 10, 0.1);
    const collider sphere = {.kind = COLLIDER_SPHERE, .radius = 0.6};
    ruga_vec3 before[121];
    memcpy(before, r.b->candidate_positions, sizeof before);
    rig_collide(&r, &sphere, 1);
    for (size_t i = 0; i < 121; i++) {
        double d = vec3_length(before[i]), moved = vec3_distance(before[i], r.b->candidate_positions[i]);
        assert_near(moved, fmax(0, 0.7 - d), 1e-14);
    }
    rig_release(&r);
}

/* The velocity into the floor is lost; of that along it Coulomb's law takes at most friction times as much. */
static void velocities_lose_what_goes_in(void **state) {
    ruga_context *context = *state;
    const double frictions[3] = {0, 0.4, 10};
    size_t stopped = 0, unchanged = 0;
    for (int f = 0; f < 3; f++) {
        rig r = rig_make(context, 20, 0);
        const collider floor = floor_at(0, frictions[f]);
        ruga_vec3 before[441], old[441];
        memcpy(old, r.b->candidate_positions, sizeof old);
        memcpy(before, r.b->candidate_velocities, sizeof before);
        rig_collide(&r, &floor, 1);
        for (size_t i = 0; i < 441; i++) {
            ruga_vec3 v = r.b->candidate_velocities[i];
            if (old[i].y >= 0 || before[i].y >= 0) {
                unchanged++;
                assert_memory_equal(&v, &before[i], sizeof v);
                continue;
            }
            stopped++;
            double along = hypot(before[i].x, before[i].z), left = fmax(0, along + frictions[f] * before[i].y);
            assert_near(v.y, 0, 1e-15);
            assert_near(hypot(v.x, v.z), left, 1e-14);
            /* The direction stays. */
            assert_near(v.x * before[i].z, v.z * before[i].x, 1e-14);
        }
        rig_release(&r);
    }
    assert_ran(stopped, 100);
    assert_ran(unchanged, 100);
}

/* In the notch between two walls a point goes straight out of both, and settles against both. */
static void a_notch_is_left_at_once(void **state) {
    ruga_context *context = *state;
    const double angles[4] = {20, 45, 80, 120}; /* degrees, each wall against the vertical */
    for (int a = 0; a < 4; a++) {
        rig r = rig_make(context, 6, 0.03);
        collider walls[2] = {floor_at(0, 0.1), floor_at(0, 0.1)};
        body_turn_columns((ruga_vec3){0, 0, angles[a] - 90}, walls[0].axes);
        body_turn_columns((ruga_vec3){0, 0, 90 - angles[a]}, walls[1].axes);
        rig_collide(&r, walls, 2);
        int in_both = 0;
        for (size_t i = 0; i < 49; i++) {
            int touched = 0;
            for (int c = 0; c < 2; c++) {
                ruga_vec3 normal;
                double distance = collider_distance(&walls[c], r.b->candidate_positions[i], &normal);
                assert_less(0.03 - 1e-12, distance);
                if (distance > 0.03 + 1e-12) continue;
                assert_less(-1e-12, vec3_dot(r.b->candidate_velocities[i], normal));
                touched++;
            }
            in_both += touched == 2;
        }
        assert_true(in_both > 0 || angles[a] > 45);
        rig_release(&r);
    }
}

static void points_that_are_not_finite_are_left_to_the_step(void **state) {
    ruga_context *context = *state;
    rig r = rig_make(context, 2, 0.1);
    const collider sphere = {.kind = COLLIDER_SPHERE, .radius = 5};
    r.b->candidate_positions[4].x = NAN;
    rig_collide(&r, &sphere, 1);
    assert_true(isnan(r.b->candidate_positions[4].x));
    assert_true(contacts(&r) == 8);
    rig_release(&r);
}

/* A box that stands in the floor: from its underside no path leads down, so the point goes up through it. */
static void what_is_caught_between_two_goes_through(void **state) {
    ruga_context *context = *state;
    rig r = rig_make(context, 20, 0.02);
    const collider both[2] = {floor_at(-0.2, 0),
                              {.kind = COLLIDER_BOX, .half = {5, 0.3, 5}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    for (int order = 0; order < 2; order++) {
        const collider turned[2] = {both[order], both[1 - order]};
        rig_collide(&r, turned, 2);
        for (size_t i = 0; i < r.b->point_count; i++) {
            assert_less(0.32 - 1e-12, r.b->candidate_positions[i].y);
            r.b->candidate_positions[i].y = -0.29;
        }
    }
    rig_release(&r);
}

/* A pipe close above the floor, through a box that stands in it: wherever a point is, it comes out above the floor. */
static void overlapping_colliders_are_left_from_everywhere(void **state) {
    ruga_context *context = *state;
    rig r = rig_make(context, 140, 0.003);
    collider all[3] = {floor_at(0, 0.2),
                       {.kind = COLLIDER_BOX, .half = {0.1, 0.05, 0.1}},
                       {.kind = COLLIDER_CAPSULE, .point = {-0.5, 0.05, 0}, .other = {0.5, 0.05, 0}, .radius = 0.03}};
    body_turn_columns((ruga_vec3){0, 45, 0}, all[1].axes);
    for (size_t i = 0; i < r.b->point_count; i++) {
        ruga_vec3 *p = &r.b->candidate_positions[i];
        *p = (ruga_vec3){0.12 * p->x, 0.07 * p->y, (i % 2 ? 0.12 : 0.002) * p->z};
    }
    rig_collide(&r, all, 3);
    for (size_t i = 0; i < r.b->point_count; i++)
        for (int c = 0; c < 3; c++) {
            ruga_vec3 normal;
            assert_less(0.003 - 1e-12, collider_distance(&all[c], r.b->candidate_positions[i], &normal));
        }
    rig_release(&r);
}

/* Between a round collider and the floor below its middle a point goes no further than it has to: across the
 * collider. */
static void what_is_round_is_left_where_it_ends(void **state) {
    ruga_context *context = *state;
    const collider round[2] = {
        {.kind = COLLIDER_CAPSULE, .point = {-2, 0.02, 0}, .other = {2, 0.02, 0}, .radius = 0.1},
        {.kind = COLLIDER_SPHERE, .point = {0, 0.02, 0}, .radius = 0.1},
    };
    for (int k = 0; k < 2; k++) {
        rig r = rig_make(context, 100, 0.002);
        const collider both[2] = {floor_at(0, 0.3), round[k]};
        for (size_t i = 0; i < r.b->point_count; i++)
            r.b->candidate_positions[i] = vec3_scale(r.b->candidate_positions[i], 0.12);
        rig_collide(&r, both, 2);
        for (size_t i = 0; i < r.b->point_count; i++) {
            ruga_vec3 p = r.b->candidate_positions[i], normal;
            assert_less(0.002 - 1e-12, p.y);
            assert_less(0.002 - 1e-12, collider_distance(&both[1], p, &normal));
            assert_less(p.y, 0.125);
            assert_near(p.x, 0, 0.15);
            assert_near(p.z, 0, 0.15);
        }
        rig_release(&r);
    }
}

/* Two walls nearer than twice the thickness: there is no exit, and the search ends all the same. */
static void a_gap_that_is_too_narrow_ends(void **state) {
    ruga_context *context = *state;
    rig r = rig_make(context, 2, 0.2);
    collider walls[2] = {floor_at(-0.1, 0), floor_at(0.1, 0)};
    walls[1].axes[1] = (ruga_vec3){0, -1, 0};
    rig_collide(&r, walls, 2);
    for (size_t i = 0; i < 9; i++) assert_near(r.b->candidate_positions[i].y, 0, 0.1 + 1e-12);
    rig_release(&r);
}

static void nothing_to_collide_with_is_nothing_to_do(void **state) {
    ruga_context *context = *state;
    rig r = rig_make(context, 2, 0.2);
    rig_collide(&r, NULL, 0);
    assert_true(contacts(&r) == 0);
    rig_release(&r);
}

static void a_thickness_has_to_be_a_length(void **state) {
    ruga_context *context = *state;
    part *h = NULL;
    const double wrong[3] = {-0.1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) assert_status(collide_part_create(context, wrong[i], &h), RUGA_ERROR_ARGUMENT);
    assert_null(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_leave_every_collider_by_the_thickness),
        cmocka_unit_test(points_leave_by_the_shortest_path),
        cmocka_unit_test(velocities_lose_what_goes_in),
        cmocka_unit_test(a_notch_is_left_at_once),
        cmocka_unit_test(points_that_are_not_finite_are_left_to_the_step),
        cmocka_unit_test(what_is_caught_between_two_goes_through),
        cmocka_unit_test(overlapping_colliders_are_left_from_everywhere),
        cmocka_unit_test(what_is_round_is_left_where_it_ends),
        cmocka_unit_test(a_gap_that_is_too_narrow_ends),
        cmocka_unit_test(nothing_to_collide_with_is_nothing_to_do),
        cmocka_unit_test(a_thickness_has_to_be_a_length),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
