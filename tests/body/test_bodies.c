/* Static, animated and rigid bodies are where they should be at any time, with the velocity of their trajectory;
 * and links of points that seams join. */
#include "body/bodies.h"

#include <math.h>

#include "base/memory.h"
#include "linalg/map.h"
#include "support/shapes.h"
#include "support/subdivided.h"

static const environment nothing = {.collider_count = 0};

/* One substep that ends at `time`, without hooks and contact. */
static void go_to(body *b, double time, double dt, double blend) {
    const substep s = {.time = time, .dt = dt, .blend = blend, .environment = &nothing};
    assert_ok(b->context, b->interface->predict(b, &s));
    assert_ok(b->context, b->interface->accept(b, &s, NULL));
}

static void settle_at(body *b, double time, double blend) {
    const substep s = {.time = time, .blend = blend, .environment = &nothing};
    assert_ok(b->context, b->interface->settle(b, &s));
    for (size_t i = 0; i < b->point_count; i++) assert_true(vec3_length(b->velocities[i]) == 0);
}

static int same_points(const ruga_vec3 *a, const ruga_vec3 *b, size_t count) {
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* ---- Static. */

static void a_static_body_stays(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    body *b;
    assert_ok(context, body_static_create(mesh, &b));
    assert_string_equal(b->kind, "static");
    assert_null(b->masses);
    for (int i = 1; i < 4; i++) {
        go_to(b, i, 1, 1);
        assert_true(same_points(b->positions, mesh->positions, b->point_count));
        assert_true(vec3_length(b->velocities[3]) == 0);
        /* Whatever a hook makes of it lasts for a substep. */
        b->candidate_positions[3].x += 1;
        b->candidate_velocities[3].x += 1;
    }
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

static void a_kinematic_surface_is_moved_by_nothing(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    body *b;
    assert_ok(context, body_static_create(mesh, &b));
    b->touch.thickness = 0.02;
    b->touch.friction = 0.4;
    for (int i = 0; i < 2; i++) {
        b->revision = (uint64_t)i;
        contact_surface *surface = b->interface->surface(b);
        assert_ptr_equal(surface->mesh, mesh);
        assert_true(surface->revision == (uint64_t)i && surface->thickness == 0.02 && surface->friction == 0.4);
        assert_null(surface->map);
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            assert_true(surface->inverse_masses[v] == 0);
            assert_true(vec3_length(surface->impulses[v]) == 0);
            surface->impulses[v].x = 5;
        }
        go_to(b, i + 1, 1, 1);
        assert_true(same_points(b->positions, mesh->positions, b->point_count));
    }
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* ---- Animated. */

/* A vertex goes by time x (1 + its number) m/s along y, and along z with a swing. */
static ruga_vec3 flight(const ruga_mesh *mesh, size_t i, double time) {
    ruga_vec3 p = mesh->positions[i];
    return (ruga_vec3){p.x, p.y + time * (1 + (double)i), p.z + sin(2 * time)};
}

static ruga_status fly(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++) positions[i] = flight(mesh, i, time);
    return RUGA_OK;
}

static body *make_animated(ruga_context *context, ruga_mesh *mesh, ruga_animated_def def,
                           const body_transform *transform) {
    body *b;
    ruga_motion *motion;
    assert_ok(context, ruga_motion_from_function(context, mesh->vertex_count, 1, 3, fly, mesh, &motion));
    assert_ok(context, body_animated_create(mesh, &def, motion, 1, transform, &b));
    return b;
}

static void an_animated_body_follows_its_motion(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    body *b = make_animated(context, mesh, (ruga_animated_def){.start = NAN, .speed = 1}, NULL);
    assert_true(same_points(b->positions, mesh->positions, b->point_count));
    settle_at(b, 1.5, 1);
    for (int k = 1; k <= 5; k++) {
        double before = 1.5 + 0.25 * (k - 1), now = 1.5 + 0.25 * k;
        go_to(b, now, 0.25, 1);
        for (size_t i = 0; i < b->point_count; i++) {
            ruga_vec3 p = flight(mesh, i, now), path = vec3_sub(p, flight(mesh, i, before));
            assert_true(same_points(&b->positions[i], &p, 1));
            assert_less(vec3_distance(b->velocities[i], vec3_scale(path, 4)), 1e-12);
        }
    }
    /* After its end the last positions hold. */
    go_to(b, 7, 0.25, 1);
    go_to(b, 8, 0.25, 1);
    ruga_vec3 last = flight(mesh, 4, 3);
    assert_true(same_points(&b->positions[4], &last, 1));
    assert_true(vec3_length(b->velocities[4]) == 0);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

static void the_motions_clock_can_be_shifted_sped_up_and_repeated(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 1, 1);
    const struct {
        ruga_animated_def def;
        double scene, motion; /* s */
    } cases[] = {
        {{.start = 10, .speed = 1}, 10.5, 1.5},
        {{.start = 10, .speed = 2}, 10.5, 2},
        {{.start = 10, .speed = 1}, 9, 1},
        {{.start = NAN, .speed = 2}, 1.5, 2},
        {{.start = 0, .speed = -1}, 0.5, 1},
        {{.start = 0, .speed = 0}, 5, 1},
        {{.start = NAN, .speed = 1, .cycle = 1}, 4.5, 2.5},
        {{.start = NAN, .speed = 1, .cycle = 1}, 3, 1},
        {{.start = NAN, .speed = 1, .cycle = 1}, -0.5, 1.5},
        {{.start = 0, .speed = -1, .cycle = 1}, 0.5, 2.5},
        {{.start = 10, .speed = 1, .cycle = 1}, 16.25, 1.25},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        body *b = make_animated(context, mesh, cases[c].def, NULL);
        settle_at(b, cases[c].scene, 1);
        ruga_vec3 p = flight(mesh, 2, cases[c].motion);
        fail_if(vec3_distance(b->positions[2], p) > 1e-12, "case %zu is at another time", c);
        b->interface->destroy(b);
    }
    ruga_mesh_destroy(mesh);
}

static ruga_status stand(void *user, double time, ruga_vec3 *positions) {
    (void)time;
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++) positions[i] = flight(mesh, i, 1);
    return RUGA_OK;
}

/* A motion that lasts no time has no cycle. */
static void a_motion_without_length_does_not_repeat(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 1, 1);
    ruga_motion *motion;
    body *b;
    assert_ok(context, ruga_motion_from_function(context, 4, 1, 1, stand, mesh, &motion));
    const ruga_animated_def def = {.start = NAN, .speed = 1, .cycle = 1};
    assert_ok(context, body_animated_create(mesh, &def, motion, 0, NULL, &b));
    settle_at(b, 5, 1);
    ruga_vec3 p = flight(mesh, 3, 1);
    assert_true(same_points(&b->positions[3], &p, 1));
    b->interface->destroy(b);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

static void the_transform_is_applied_to_the_motion(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    body_transform transform = {.columns = {{0, 2, 0}, {-2, 0, 0}, {0, 0, 2}}, .move = {1, 1, 1}};
    body *b = make_animated(context, mesh, (ruga_animated_def){.start = NAN, .speed = 1}, &transform);
    memset(&transform, 0, sizeof transform);
    settle_at(b, 2, 1);
    for (size_t i = 0; i < b->point_count; i++) {
        ruga_vec3 p = flight(mesh, i, 2), expected = {1 - 2 * p.y, 1 + 2 * p.x, 1 + 2 * p.z};
        assert_less(vec3_distance(b->positions[i], expected), 1e-14);
    }
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* From rest at its begin to the motion at its end; the velocity begins with 0, ends with the motion's, and never
 * jumps. */
static void the_preroll_is_smooth(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    body *b = make_animated(context, mesh, (ruga_animated_def){.start = NAN, .speed = 1}, NULL);
    const int n = 2000;
    double length = 0.5, dt = length / n, roughest = 0;
    settle_at(b, 2 - length, 0);
    assert_true(same_points(b->positions, mesh->positions, b->point_count));
    ruga_vec3 before = {0, 0, 0};
    for (int k = 1; k <= n + 200; k++) {
        double blend = k < n ? (double)k / n : 1;
        go_to(b, 2 - length + k * dt, dt, blend);
        roughest = fmax(roughest, vec3_distance(b->velocities[8], before));
        before = b->velocities[8];
        if (k == 1) assert_less(vec3_length(before), 0.3);
        if (k == n) {
            ruga_vec3 path = vec3_sub(flight(mesh, 8, 2), flight(mesh, 8, 2 - dt));
            assert_less(vec3_distance(before, vec3_scale(path, 1 / dt)), 0.1);
            ruga_vec3 p = flight(mesh, 8, 2 - length + n * dt);
            assert_true(same_points(&b->positions[8], &p, 1));
        }
    }
    /* The path has some 18 m in half a second: with a jump in velocity this would be tens of m/s. */
    assert_less(roughest, 0.6);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

static void a_motion_of_another_mesh_is_refused(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2), *other = shape_sheet(context, 1, 1);
    ruga_animated_def def = {.start = NAN, .speed = 1};
    ruga_motion *motion = NULL;
    body *b = NULL;
    assert_ok(context, ruga_motion_from_function(context, 4, 0, 1, fly, other, &motion));
    assert_status(body_animated_create(mesh, &def, motion, 1, NULL, &b), RUGA_ERROR_INPUT);
    assert_message_has(context, "4 points, but the mesh has 9 vertices");
    assert_ok(context, ruga_motion_from_function(context, 4, 0, 1, fly, other, &motion));
    def.speed = INFINITY;
    assert_status(body_animated_create(other, &def, motion, 1, NULL, &b), RUGA_ERROR_ARGUMENT);
    assert_null(b);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
}

static ruga_status fails_at_two(void *user, double time, ruga_vec3 *positions) {
    return time >= 2 ? RUGA_ERROR_FILE : fly(user, time, positions);
}

static void a_motion_that_fails_fails_the_substep(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    ruga_animated_def def = {.start = NAN, .speed = 1};
    ruga_motion *motion = NULL;
    body *b;
    assert_ok(context, ruga_motion_from_function(context, 9, 0, 5, fails_at_two, mesh, &motion));
    assert_ok(context, body_animated_create(mesh, &def, motion, 1, NULL, &b));
    go_to(b, 1, 1, 1);
    assert_status(b->interface->predict(b, &(substep){.time = 2, .dt = 1, .blend = 1, .environment = &nothing}),
                  RUGA_ERROR_FILE);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* After two rebuilds the new points are still made of those that the motion moves. */
static void an_animated_body_follows_its_motion_on_another_mesh(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0),
         finest = subdivide(finer.mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    ruga_map *all;
    assert_ok(context, ruga_map_compose(finest.map, finer.map, &all));
    body *b = make_animated(context, mesh, (ruga_animated_def){.start = NAN, .speed = 1}, NULL);
    /* A mask of the old points says nothing about the new ones. */
    const unsigned char mask[9] = {0, 1, 1, 1, 1, 1, 1, 1, 1};
    const double shares[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    b->collides = mask;
    b->shares = shares;
    assert_ok(context, b->interface->rebuild(b, &(body_change){.mesh = finer.mesh, .points_from_old = finer.map}));
    assert_null(b->collides);
    assert_null(b->shares);
    assert_ok(context, b->interface->rebuild(b, &(body_change){.mesh = finest.mesh, .points_from_old = finest.map}));
    settle_at(b, 2.5, 1);
    ruga_vec3 *moved = malloc(mesh->vertex_count * sizeof *moved);
    ruga_vec3 *expected = malloc(finest.mesh->vertex_count * sizeof *expected);
    assert_ok(context, fly(mesh, 2.5, moved));
    ruga_map_apply(all, moved, expected);
    assert_int_equal(b->point_count, finest.mesh->vertex_count);
    assert_ptr_equal(b->mesh, finest.mesh);
    for (size_t i = 0; i < b->point_count; i++) assert_less(vec3_distance(b->positions[i], expected[i]), 1e-13);
    assert_status(b->interface->rebuild(b, &(body_change){.mesh = finer.mesh, .points_from_old = finer.map}),
                  RUGA_ERROR_ARGUMENT);
    b->interface->destroy(b);
    free(moved);
    free(expected);
    ruga_map_destroy(all);
    fine_release(finest);
    fine_release(finer);
    ruga_mesh_destroy(mesh);
}

/* ---- Rigid. */

static ruga_vec3 turned(ruga_vec3 degrees, ruga_vec3 p) {
    body_transform t = {.move = {0, 0, 0}};
    body_turn_columns(degrees, t.columns);
    return body_transform_apply(&t, p);
}

static void turns_are_about_x_then_y_then_z(void **state) {
    (void)state;
    const ruga_vec3 p = {1, 2, 3};
    ruga_vec3 x = turned((ruga_vec3){90, 0, 0}, p), y = turned((ruga_vec3){0, 90, 0}, p);
    ruga_vec3 z = turned((ruga_vec3){0, 0, 90}, p);
    /* Multiples of a right angle are exact. */
    assert_true(x.x == 1 && x.y == -3 && x.z == 2);
    assert_true(y.x == 3 && y.y == 2 && y.z == -1);
    assert_true(z.x == -2 && z.y == 1 && z.z == 3);
    for (int quarter = -8; quarter <= 8; quarter++) {
        ruga_vec3 a = turned((ruga_vec3){90.0 * quarter, 0, 0}, p);
        assert_true(fabs(a.y) + fabs(a.z) == 5 && a.x == 1);
    }
    test_random random = {4};
    for (int i = 0; i < 100; i++) {
        ruga_vec3 d = random_vec3(&random, -400, 400), q = random_vec3(&random, -1, 1);
        ruga_vec3 steps =
            turned((ruga_vec3){0, 0, d.z}, turned((ruga_vec3){0, d.y, 0}, turned((ruga_vec3){d.x, 0, 0}, q)));
        assert_less(vec3_distance(turned(d, q), steps), 1e-14);
        assert_near(vec3_length(steps), vec3_length(q), 1e-14);
    }
}

static void a_rigid_body_goes_through_its_keys(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_icosahedron(context);
    const ruga_vec3 pivot = {1, 0.5, -0.25};
    const ruga_rigid_key keys[3] = {
        {1, {0, 0, 0}, {10, 20, 30}}, {2, {1, 2, 3}, {-50, 80, 120}}, {4, {0, 1, 0}, {0, 0, 0}}};
    body *b;
    assert_ok(context, body_rigid_create(mesh, pivot, keys, 3, &b));
    const double times[5] = {0, 1, 2, 4, 9};
    const int which[5] = {0, 0, 1, 2, 2};
    for (int k = 0; k < 5; k++) {
        settle_at(b, times[k], 1);
        const ruga_rigid_key *key = &keys[which[k]];
        for (size_t i = 0; i < b->point_count; i++) {
            ruga_vec3 p = vec3_add(vec3_add(turned(key->turn, vec3_sub(mesh->positions[i], pivot)), pivot), key->move);
            assert_less(vec3_distance(b->positions[i], p), 1e-14);
        }
    }
    /* Between them it stays itself. */
    for (double time = 1; time < 4; time += 0.1) {
        settle_at(b, time, 1);
        for (size_t i = 1; i < b->point_count; i++)
            assert_near(vec3_distance(b->positions[i], b->positions[0]),
                        vec3_distance(mesh->positions[i], mesh->positions[0]), 1e-14);
    }
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* Between two keys the angle grows evenly, by the smaller turn, though the Euler angles take the larger. */
static void turns_take_the_smallest_angle_at_constant_speed(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_icosahedron(context);
    const ruga_rigid_key keys[2] = {{0, {0, 0, 0}, {0, 0, 350}}, {1, {0, 0, 0}, {0, 0, 50}}};
    body *b;
    assert_ok(context, body_rigid_create(mesh, (ruga_vec3){0, 0, 0}, keys, 2, &b));
    for (int k = 0; k <= 12; k++) {
        settle_at(b, k / 12.0, 1);
        ruga_vec3 expected = turned((ruga_vec3){0, 0, -10 + 5.0 * k}, mesh->positions[0]);
        assert_less(vec3_distance(b->positions[0], expected), 1e-14);
    }
    b->interface->destroy(b);

    /* About a skew axis too: steps of equal length for a point. */
    const ruga_rigid_key skew[2] = {{0, {0, 0, 0}, {10, -20, 30}}, {1, {0, 0, 0}, {100, 40, -60}}};
    assert_ok(context, body_rigid_create(mesh, (ruga_vec3){0, 0, 0}, skew, 2, &b));
    settle_at(b, 0, 1);
    double first = 0;
    for (int k = 1; k <= 20; k++) {
        go_to(b, k / 20.0, 1 / 20.0, 1);
        double speed = vec3_length(b->velocities[0]);
        if (k == 1) first = speed;
        assert_less(0.5, first);
        assert_near(speed, first, 1e-12);
    }
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* Nearly equal turns are mixed without a division by their angle. */
static void tiny_turns_are_mixed(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_icosahedron(context);
    const ruga_rigid_key keys[3] = {
        {0, {0, 0, 0}, {0, 0, 0}}, {1, {0, 0, 0}, {0, 0, 1e-10}}, {2, {0, 0, 0}, {0, 0, 360}}};
    body *b;
    assert_ok(context, body_rigid_create(mesh, (ruga_vec3){0, 0, 0}, keys, 3, &b));
    for (int k = 0; k <= 8; k++) {
        settle_at(b, k / 4.0, 1);
        assert_less(vec3_distance(b->positions[3], mesh->positions[3]), 1e-11);
    }
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

static void the_preroll_of_a_rigid_body_begins_at_rest(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_icosahedron(context);
    const ruga_rigid_key key = {0, {1, 2, 3}, {0, 120, 0}};
    body *b;
    assert_ok(context, body_rigid_create(mesh, (ruga_vec3){5, 5, 5}, &key, 1, &b));
    settle_at(b, -1, 0);
    assert_true(same_points(b->positions, mesh->positions, b->point_count));
    settle_at(b, -0.5, 0.5);
    ruga_vec3 p = vec3_sub(mesh->positions[2], (ruga_vec3){5, 5, 5});
    ruga_vec3 half = vec3_add(turned((ruga_vec3){0, 60, 0}, p), (ruga_vec3){5.5, 6, 6.5});
    assert_less(vec3_distance(b->positions[2], half), 1e-13);
    double h = 1e-4;
    settle_at(b, -1, 0);
    go_to(b, -1 + h, h, h);
    assert_less(vec3_length(b->velocities[2]), 0.01);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* A carried body goes where its leader takes it, after its own keys; the leader is found again from a few of its
 * vertices. */
static void a_carried_body_moves_and_turns_with_its_leader(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_icosahedron(context);
    const ruga_vec3 pivot = {0.5, 1, 0};
    const ruga_rigid_key path[2] = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {3, -1, 2}, {70, -40, 130}}};
    const ruga_rigid_key own = {0, {0, 0.25, 0}, {20, 0, -6}};
    const uint32_t chosen[4] = {1, 4, 6, 9};
    body *leader, *carried;
    assert_ok(context, body_rigid_create(mesh, pivot, path, 2, &leader));
    assert_ok(context, body_rigid_create(mesh, (ruga_vec3){0, 0, 0}, &own, 1, &carried));
    assert_status(body_rigid_follow(carried, leader, chosen, 0), RUGA_ERROR_INPUT);
    assert_ok(context, body_rigid_follow(carried, leader, chosen, 4));
    for (double time = 0; time <= 1; time += 0.125) {
        settle_at(leader, time, 1);
        settle_at(carried, time, 1);
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            ruga_vec3 at = vec3_add(turned(own.turn, mesh->positions[i]), own.move);
            if (time == 1) {
                at = vec3_add(vec3_add(turned(path[1].turn, vec3_sub(at, pivot)), pivot), path[1].move);
                assert_less_case(vec3_distance(carried->positions[i], at), 1e-12, "vertex %zu", i);
            }
            if (time == 0) assert_less_case(vec3_distance(carried->positions[i], at), 1e-12, "vertex %zu", i);
            assert_near(vec3_distance(carried->positions[i], carried->positions[0]),
                        vec3_distance(mesh->positions[i], mesh->positions[0]), 1e-12);
        }
    }
    // A leader that becomes another mesh no longer carries.
    leader->revision++;
    const substep now = {.time = 1, .dt = 0.1, .blend = 1};
    assert_status(carried->interface->predict(carried, &now), RUGA_ERROR_UNSUPPORTED);
    carried->interface->destroy(carried);
    leader->interface->destroy(leader);
    ruga_mesh_destroy(mesh);
}

/* Keys that only move lose no digit to the pivot. */
static void moving_without_turning_is_exact(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_icosahedron(context);
    const ruga_rigid_key key = {0, {0.25, 0, 0}, {0, 0, 0}};
    body *b;
    assert_ok(context, body_rigid_create(mesh, (ruga_vec3){1e9, 0, 0}, &key, 1, &b));
    settle_at(b, 0, 1);
    for (size_t i = 0; i < b->point_count; i++) assert_true(b->positions[i].x == mesh->positions[i].x + 0.25);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

static void wrong_keys_are_refused(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_icosahedron(context);
    const ruga_rigid_key back[2] = {{1, {0, 0, 0}, {0, 0, 0}}, {1, {0, 0, 0}, {0, 0, 0}}};
    const ruga_rigid_key odd[2] = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0, NAN, 0}, {0, 0, 0}}};
    body *b = NULL;
    const ruga_vec3 pivot = {0, 0, 0};
    assert_status(body_rigid_create(mesh, pivot, back, 0, &b), RUGA_ERROR_INPUT);
    assert_message_has(context, "at least one");
    assert_status(body_rigid_create(mesh, pivot, back, 2, &b), RUGA_ERROR_INPUT);
    assert_message_has(context, "key 1");
    assert_status(body_rigid_create(mesh, pivot, odd, 2, &b), RUGA_ERROR_INPUT);
    assert_message_has(context, "not finite");
    assert_null(b);
    ruga_mesh_destroy(mesh);
}

/* ---- Memory, and a mesh without vertices. */

static ruga_status make_and_rebuild(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t face[3] = {0, 1, 2};
    const ruga_rigid_key key = {0, {0, 0, 0}, {0, 0, 0}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)corners, 3, 0, RUGA_F64};
    def.face_count = 1;
    def.face_vertices = face;
    ruga_mesh *mesh = NULL, *finer = NULL;
    ruga_map *map = NULL;
    body *b[3] = {NULL};
    ruga_motion *motion;
    ruga_subdivide_def twice = ruga_subdivide_def_default();
    ruga_status status = ruga_mesh_create(context, &def, &mesh);
    if (!RUGA_FAILED(status)) status = ruga_mesh_subdivide(mesh, &twice, &finer, &map);
    if (!RUGA_FAILED(status)) status = body_static_create(mesh, &b[0]);
    if (!RUGA_FAILED(status)) status = body_rigid_create(mesh, corners[0], &key, 1, &b[1]);
    if (!RUGA_FAILED(status)) status = ruga_motion_from_function(context, 3, 0, 1, fly, mesh, &motion);
    if (!RUGA_FAILED(status)) {
        const ruga_animated_def animated = {.speed = 1};
        status = body_animated_create(mesh, &animated, motion, 1, NULL, &b[2]);
    }
    for (int i = 0; i < 3 && !RUGA_FAILED(status); i++)
        status = b[i]->interface->rebuild(b[i], &(body_change){.mesh = finer, .points_from_old = map});
    for (int i = 0; i < 3; i++)
        if (b[i]) b[i]->interface->destroy(b[i]);
    ruga_map_destroy(map);
    ruga_mesh_destroy(finer);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(40, assert_every_allocation_may_fail(make_and_rebuild, NULL));
}

static void bodies_without_points_move(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_make(context, 0, NULL, 0, NULL, NULL);
    body *b;
    assert_ok(context, body_static_create(mesh, &b));
    settle_at(b, 0, 1);
    go_to(b, 1, 1, 1);
    assert_non_null(b->interface->surface(b));
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* ---- Links. */

enum { LINKED = 12, SEAMS = 9 };
typedef struct seam_pair {
    uint32_t point, other;
    int one;
} seam_pair;

static int is_in_links(const body *b, uint32_t point, uint32_t other) {
    for (size_t k = 0; k < b->links.count; k++)
        if (b->links.items[k] == point && b->links.items[k ^ 1] == other) return 1;
    return 0;
}

/* Numbers points by the points that they are one with. */
static void number_classes(const seam_pair *pairs, uint32_t *classes) {
    for (uint32_t i = 0; i < LINKED; i++) classes[i] = i;
    for (int k = 0; k < SEAMS; k++) {
        const uint32_t from = classes[pairs[k].point], to = classes[pairs[k].other];
        for (uint32_t i = 0; pairs[k].one && i < LINKED; i++)
            if (classes[i] == from) classes[i] = to;
    }
}

/* Two points are linked where a seam joins any that are one with them, or where they are one themselves. */
static void points_that_are_one_have_their_links_in_common_in_any_order(void **state) {
    test_random random = {5};
    for (int round = 0; round < 300; round++) {
        seam_pair pairs[SEAMS];
        body b = {.context = *state};
        uint32_t classes[LINKED];
        int expected[LINKED][LINKED] = {{0}};
        for (int k = 0; k < SEAMS; k++) {
            const uint32_t point = (uint32_t)(random_bits(&random) % LINKED);
            const uint32_t other = (point + 1 + (uint32_t)(random_bits(&random) % (LINKED - 1))) % LINKED;
            pairs[k] = (seam_pair){point, other, random_bits(&random) % 3 > 0};
            assert_ok(*state, body_add_link(&b, point, other, pairs[k].one));
        }
        number_classes(pairs, classes);
        for (int k = 0; k < SEAMS; k++)
            expected[classes[pairs[k].point]][classes[pairs[k].other]] =
                expected[classes[pairs[k].other]][classes[pairs[k].point]] = 1;
        for (uint32_t i = 0; i < LINKED; i++)
            for (uint32_t j = 0; j < LINKED; j++)
                assert_equal_case(is_in_links(&b, i, j),
                                  i != j && (classes[i] == classes[j] || expected[classes[i]][classes[j]]),
                                  "round %d, points %u and %u", round, i, j);
        ARRAY_RELEASE(b.context, &b.links);
        ARRAY_RELEASE(b.context, &b.rings);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_static_body_stays),
        cmocka_unit_test(a_kinematic_surface_is_moved_by_nothing),
        cmocka_unit_test(an_animated_body_follows_its_motion),
        cmocka_unit_test(the_motions_clock_can_be_shifted_sped_up_and_repeated),
        cmocka_unit_test(a_motion_without_length_does_not_repeat),
        cmocka_unit_test(the_transform_is_applied_to_the_motion),
        cmocka_unit_test(the_preroll_is_smooth),
        cmocka_unit_test(a_motion_of_another_mesh_is_refused),
        cmocka_unit_test(a_motion_that_fails_fails_the_substep),
        cmocka_unit_test(an_animated_body_follows_its_motion_on_another_mesh),
        cmocka_unit_test(turns_are_about_x_then_y_then_z),
        cmocka_unit_test(a_rigid_body_goes_through_its_keys),
        cmocka_unit_test(turns_take_the_smallest_angle_at_constant_speed),
        cmocka_unit_test(tiny_turns_are_mixed),
        cmocka_unit_test(the_preroll_of_a_rigid_body_begins_at_rest),
        cmocka_unit_test(a_carried_body_moves_and_turns_with_its_leader),
        cmocka_unit_test(moving_without_turning_is_exact),
        cmocka_unit_test(wrong_keys_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bodies_without_points_move),
        cmocka_unit_test(points_that_are_one_have_their_links_in_common_in_any_order),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
