/* Air: drag and lift as laws of one piece of surface, and of whole meshes. */
#include "energy/air.h"

#include <math.h>

#include "math/vec3.h"
#include "support/shapes.h"

#define TRIALS 2000

static const air_lift forms[3] = {AIR_LIFT_SMOOTH, AIR_LIFT_PRINTED, AIR_LIFT_UNIT};

/* ---- One piece. */

static void drag_opposes_the_velocity_and_lift_is_perpendicular_to_it(void **state) {
    (void)state;
    test_random random = {1};
    for (int i = 0; i < TRIALS; i++) {
        ruga_vec3 area = random_vec3(&random, -1, 1), v = random_vec3(&random, -40, 40);
        air_law drag = {.drag = random_between(&random, 0.1, 3), .form = forms[i % 3]};
        air_law lift = {.lift = random_between(&random, 0.1, 3), .form = forms[i % 3]};
        ruga_vec3 d = air_force(&drag, area, v), l = air_force(&lift, area, v);
        double scale = vec3_length(v) * vec3_length2(v) * vec3_length(area);
        assert_at_most(vec3_dot(d, v), 0);
        assert_less(vec3_length(vec3_cross(d, v)), 1e-14 * drag.drag * scale);
        assert_less(fabs(vec3_dot(l, v)), 1e-14 * lift.lift * scale);
        assert_at_most(vec3_dot(l, area) * vec3_dot(v, area), 0); /* away from the side that meets the air */
    }
}

/* Equations 15 to 17 and 19 at known angles: a plate of 2 m² in the plane y = 0 that moves at 3 m/s. */
static void sizes_are_those_of_the_equations(void **state) {
    (void)state;
    const ruga_vec3 area = {0, 2, 0};
    for (int degrees = 1; degrees < 90; degrees += 4) {
        double theta = degrees * 3.14159265358979323846 / 180, s = sin(theta), c = cos(theta);
        const double g[3] = {s * c, c * c, c};
        ruga_vec3 v = {3 * c, 3 * s, 0};
        for (int k = 0; k < 3; k++) {
            air_law law = {.drag = 0.7, .lift = 0.4, .form = forms[k]};
            ruga_vec3 f = air_force(&law, area, v), up = {s, -c, 0}; /* U / |U| */
            ruga_vec3 expected = vec3_add_scaled(vec3_scale(v, -0.7 * 2 * 3 * s), up, 0.4 * 2 * 9 * g[k]);
            assert_less(vec3_distance(f, expected), 1e-13);
        }
    }
}

static void either_side_of_the_surface_is_the_same(void **state) {
    (void)state;
    test_random random = {2};
    for (int i = 0; i < TRIALS; i++) {
        ruga_vec3 area = random_vec3(&random, -1, 1), v = random_vec3(&random, -9, 9);
        air_law law = {.drag = 1.2, .lift = 0.8, .form = forms[i % 3]};
        ruga_vec3 f = air_force(&law, area, v), other = air_force(&law, vec3_scale(area, -1), v);
        assert_less(vec3_distance(f, other), 1e-12);
    }
}

static void force_grows_with_the_square_of_the_speed_and_with_the_area(void **state) {
    (void)state;
    test_random random = {3};
    for (int i = 0; i < TRIALS; i++) {
        ruga_vec3 area = random_vec3(&random, -1, 1), v = random_vec3(&random, -9, 9);
        air_law law = {.drag = 1.2, .lift = 0.8, .form = forms[i % 3]};
        ruga_vec3 f = air_force(&law, area, v), g = air_force(&law, vec3_scale(area, 4), vec3_scale(v, 0.5));
        assert_less(vec3_distance(f, g), 1e-13 * (1 + vec3_length(f)));
        ruga_vec3 back = air_force(&law, area, vec3_scale(v, -1));
        assert_less(vec3_length(vec3_add(f, back)), 1e-13 * (1 + vec3_length(f)));
    }
}

/* Where the air passes along the surface, the smooth form's lift goes through zero and the others' changes sides. */
static void smooth_lift_goes_through_zero_where_the_others_jump(void **state) {
    (void)state;
    const ruga_vec3 area = {0, 1, 0};
    for (double s = 1e-3; s > 1e-9; s *= 0.1) {
        const double most[3] = {2 * s, 1, 1}, least[3] = {0, 0.999, 0.999};
        for (int k = 0; k < 3; k++) {
            air_law law = {.lift = 1, .form = forms[k]};
            double above = air_force(&law, area, vec3_make(1, s, 0)).y,
                   below = air_force(&law, area, vec3_make(1, -s, 0)).y;
            assert_less(above, 0);
            assert_less(0, below);
            assert_at_most(below - above, 2 * most[k]);
            assert_at_most(2 * least[k], below - above);
        }
    }
}

static void nothing_comes_of_nothing(void **state) {
    (void)state;
    const ruga_vec3 none = {0, 0, 0}, some = {0, 2, 1};
    for (int k = 0; k < 3; k++) {
        air_law law = {.drag = 1, .lift = 1, .form = forms[k]};
        assert_true(vec3_length(air_force(&law, none, some)) == 0);
        assert_true(vec3_length(air_force(&law, some, none)) == 0);
        ruga_vec3 head_on = air_force(&law, some, vec3_scale(some, -3));
        assert_less(vec3_length(vec3_cross(head_on, some)), 1e-12);
    }
}

/* ---- Meshes. */

typedef struct blown {
    ruga_mesh *mesh;
    topology *topo;
    air_surface surface;
    ruga_vec3 *positions, *velocities, *forces;
} blown;

/* A torus with every point moved about, and velocities. */
static blown make_blown(ruga_context *context, size_t nx, size_t ny) {
    blown b = {.mesh = shape_torus(context, nx, ny)};
    size_t count = b.mesh->vertex_count;
    assert_ok(context, topology_build(context, count, b.mesh->triangle_count, b.mesh->triangles, &b.topo));
    b.surface = (air_surface){.triangles = b.mesh->triangles, .topo = b.topo};
    b.surface.scratch = calloc(b.mesh->triangle_count, sizeof *b.surface.scratch);
    b.positions = calloc(3 * count, sizeof *b.positions);
    assert_non_null(b.surface.scratch);
    assert_non_null(b.positions);
    b.velocities = b.positions + count;
    b.forces = b.velocities + count;
    test_random random = {7};
    for (size_t i = 0; i < count; i++) {
        b.positions[i] = vec3_add(b.mesh->positions[i], random_vec3(&random, -0.05, 0.05));
        b.velocities[i] = random_vec3(&random, -5, 5);
    }
    return b;
}

static void release_blown(blown b) {
    free(b.positions);
    free(b.surface.scratch);
    topology_destroy(b.topo);
    ruga_mesh_destroy(b.mesh);
}

static void find_forces(const blown *b, const air_law *law, air_wind *wind, void *user) {
    memset(b->forces, 0, b->mesh->vertex_count * sizeof *b->forces);
    air_add_forces(b->mesh->context, law, &b->surface, wind, user, b->positions, b->velocities, b->forces);
}

static ruga_vec3 constant_wind(void *user, ruga_vec3 point) {
    (void)point;
    return *(const ruga_vec3 *)user;
}

static ruga_vec3 swirling_wind(void *user, ruga_vec3 point) {
    (void)user;
    return (ruga_vec3){sin(3 * point.y) - point.z, cos(2 * point.x), point.x * point.y};
}

static void forces_add_up_to_those_of_the_triangles(void **state) {
    blown b = make_blown(*state, 12, 9);
    air_law law = {.drag = 0.9, .lift = 0.6};
    find_forces(&b, &law, swirling_wind, NULL);
    ruga_vec3 sum = {0, 0, 0}, expected = {0, 0, 0};
    for (size_t i = 0; i < b.mesh->vertex_count; i++) sum = vec3_add(sum, b.forces[i]);
    for (size_t t = 0; t < b.mesh->triangle_count; t++) {
        const uint32_t *v = b.mesh->triangles + 3 * t;
        const ruga_vec3 *p = b.positions, *u = b.velocities;
        ruga_vec3 area = vec3_scale(vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]])), 0.5);
        ruga_vec3 centre = vec3_scale(vec3_add(p[v[0]], vec3_add(p[v[1]], p[v[2]])), 1.0 / 3);
        ruga_vec3 mean = vec3_scale(vec3_add(u[v[0]], vec3_add(u[v[1]], u[v[2]])), 1.0 / 3);
        expected = vec3_add(expected, air_force(&law, area, vec3_sub(mean, swirling_wind(NULL, centre))));
    }
    assert_less(vec3_distance(sum, expected), 1e-11 * vec3_length(expected));
    release_blown(b);
}

/* Forces that were there before stay. */
static void forces_are_added(void **state) {
    blown b = make_blown(*state, 5, 4);
    air_law law = {.drag = 1, .lift = 1};
    for (int on_points = 0; on_points < 2; on_points++) {
        b.surface.on_points = on_points;
        find_forces(&b, &law, NULL, NULL);
        ruga_vec3 once = b.forces[3];
        air_add_forces(*state, &law, &b.surface, NULL, NULL, b.positions, b.velocities, b.forces);
        assert_less(vec3_distance(b.forces[3], vec3_scale(once, 2)), 1e-12 * vec3_length(once));
    }
    release_blown(b);
}

static double power(const blown *b) {
    double sum = 0;
    for (size_t i = 0; i < b->mesh->vertex_count; i++) sum += vec3_dot(b->forces[i], b->velocities[i]);
    return sum;
}

static void still_air_only_takes_energy(void **state) {
    blown b = make_blown(*state, 12, 9);
    double *masses = calloc(b.mesh->vertex_count, sizeof *masses);
    assert_non_null(masses);
    test_random random = {8};
    for (size_t i = 0; i < b.mesh->vertex_count; i++) masses[i] = random_between(&random, 1e-3, 1e-1);
    for (int k = 0; k < 12; k++) {
        air_law drag = {.drag = 1.1}, lift = {.lift = 0.9, .form = forms[k % 3]};
        b.surface.on_points = k / 3 % 2;
        b.surface.masses = k >= 6 ? masses : NULL;
        b.surface.dt = 1.0 / 60;
        find_forces(&b, &drag, NULL, NULL);
        double taken = power(&b);
        assert_less(taken, -1);
        find_forces(&b, &lift, NULL, NULL);
        assert_less(fabs(power(&b)), 1e-13 * -taken);
    }
    free(masses);
    release_blown(b);
}

static void cloth_that_goes_with_the_wind_feels_nothing(void **state) {
    blown b = make_blown(*state, 6, 5);
    ruga_vec3 wind = {3, -2, 40};
    air_law law = {.drag = 1, .lift = 1};
    for (size_t i = 0; i < b.mesh->vertex_count; i++) b.velocities[i] = wind;
    for (int on_points = 0; on_points < 2; on_points++) {
        b.surface.on_points = on_points;
        find_forces(&b, &law, constant_wind, &wind);
        for (size_t i = 0; i < b.mesh->vertex_count; i++) assert_less(vec3_length(b.forces[i]), 1e-25);
    }
    release_blown(b);
}

/* Wind w on cloth at rest is cloth that moves by −w through still air: Galilei. */
static void only_the_relative_velocity_counts(void **state) {
    blown b = make_blown(*state, 6, 5), c = make_blown(*state, 6, 5);
    ruga_vec3 wind = {3, -2, 4};
    air_law law = {.drag = 1, .lift = 0.5};
    for (size_t i = 0; i < c.mesh->vertex_count; i++) c.velocities[i] = vec3_sub(c.velocities[i], wind);
    for (int on_points = 0; on_points < 2; on_points++) {
        b.surface.on_points = c.surface.on_points = on_points;
        find_forces(&b, &law, constant_wind, &wind);
        find_forces(&c, &law, NULL, NULL);
        for (size_t i = 0; i < b.mesh->vertex_count; i++) assert_less(vec3_distance(b.forces[i], c.forces[i]), 1e-12);
    }
    release_blown(b);
    release_blown(c);
}

/* Rotation by 1 rad about (1, 2, 2) / 3. */
static ruga_vec3 turned(ruga_vec3 p) {
    const ruga_vec3 axis = {1.0 / 3, 2.0 / 3, 2.0 / 3};
    ruga_vec3 across = vec3_cross(axis, p), along = vec3_scale(axis, vec3_dot(axis, p));
    return vec3_add(along, vec3_add_scaled(vec3_scale(across, sin(1)), vec3_sub(p, along), cos(1)));
}

static void a_turned_world_has_turned_forces(void **state) {
    blown b = make_blown(*state, 8, 6), c = make_blown(*state, 8, 6);
    ruga_vec3 wind = {3, -2, 4}, turned_wind = turned(wind);
    for (size_t i = 0; i < c.mesh->vertex_count; i++) {
        c.positions[i] = turned(c.positions[i]);
        c.velocities[i] = turned(c.velocities[i]);
    }
    for (int k = 0; k < 6; k++) {
        air_law law = {.drag = 1, .lift = 0.5, .form = forms[k % 3]};
        b.surface.on_points = c.surface.on_points = k / 3;
        find_forces(&b, &law, constant_wind, &wind);
        find_forces(&c, &law, constant_wind, &turned_wind);
        for (size_t i = 0; i < b.mesh->vertex_count; i++)
            assert_less(vec3_distance(turned(b.forces[i]), c.forces[i]), 1e-10);
    }
    release_blown(b);
    release_blown(c);
}

/* On a flat sheet in a level wind, the form on points with K = (kg/m³ times the area of a point) is the one on
 * triangles. */
static void forms_on_points_and_triangles_agree_on_a_flat_sheet(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 6, 6);
    topology *topo = NULL;
    assert_ok(*state, topology_build(*state, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &topo));
    ruga_vec3 scratch[72], still[49] = {{0, 0, 0}}, first[49] = {{0, 0, 0}}, second[49] = {{0, 0, 0}}, wind = {3, 4, 0};
    air_surface surface = {.triangles = mesh->triangles, .topo = topo, .scratch = scratch};
    air_law law = {.drag = 0.5, .lift = 0.25}, per_point = {.drag = 0.5 / 36, .lift = 0.25 / 36};
    air_add_forces(*state, &law, &surface, constant_wind, &wind, mesh->positions, still, first);
    surface.on_points = 1;
    air_add_forces(*state, &per_point, &surface, constant_wind, &wind, mesh->positions, still, second);
    size_t middle = 3 * 7 + 3;
    assert_less(vec3_distance(first[middle], second[middle]), 1e-15);
    assert_less(0, first[middle].x);
    assert_less(0, first[middle].y);
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

/* However light the cloth and strong the wind: a step of air alone brings no point further than to rest in the air. */
static void held_back_forces_never_turn_the_velocity_around(void **state) {
    blown b = make_blown(*state, 10, 8);
    double *masses = calloc(b.mesh->vertex_count, sizeof *masses);
    assert_non_null(masses);
    ruga_vec3 wind = {300, 200, -100};
    b.surface.masses = masses;
    b.surface.dt = 1.0 / 24;
    for (int k = 0; k < 12; k++) {
        b.surface.on_points = k % 2;
        air_law law = {.drag = 3, .lift = k % 4 < 2 ? 2 : 0, .form = forms[k / 4]};
        for (size_t i = 0; i < b.mesh->vertex_count; i++) {
            masses[i] = pow(10, -(double)((i + (size_t)k) % 7));
            b.velocities[i] = (ruga_vec3){0, 0, 0};
        }
        find_forces(&b, &law, constant_wind, &wind);
        for (size_t i = 0; i < b.mesh->vertex_count; i++) {
            ruga_vec3 change = vec3_scale(b.forces[i], b.surface.dt / masses[i]);
            assert_less(vec3_length(change), vec3_length(wind));
            assert_at_most(0, vec3_dot(change, wind));
        }
    }
    /* With small steps they are the forces themselves. */
    air_law law = {.drag = 1, .lift = 1};
    b.surface.dt = 1e-14;
    b.surface.on_points = 0;
    find_forces(&b, &law, constant_wind, &wind);
    ruga_vec3 held = b.forces[5];
    b.surface.masses = NULL;
    find_forces(&b, &law, constant_wind, &wind);
    assert_less(vec3_distance(held, b.forces[5]), 1e-4 * vec3_length(held));
    free(masses);
    release_blown(b);
}

static void any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated(void **state) {
    (void)state;
    const int threads[4] = {1, 1, 2, 7};
    ruga_vec3 *first[2] = {NULL, NULL};
    for (int i = 0; i < 4; i++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = i == 0 ? context_counting(&counter) : context_plain(threads[i]);
        blown b = make_blown(context, 70, 60);
        for (int on_points = 0; on_points < 2; on_points++) {
            air_law law = {.drag = 1, .lift = 1};
            b.surface.on_points = on_points;
            long before = counter.allocations;
            find_forces(&b, &law, swirling_wind, NULL);
            assert_int_equal(counter.allocations, before);
            size_t size = b.mesh->vertex_count * sizeof *b.forces;
            if (!first[on_points]) {
                first[on_points] = malloc(size);
                assert_non_null(first[on_points]);
                memcpy(first[on_points], b.forces, size);
            }
            assert_memory_equal(first[on_points], b.forces, size);
        }
        release_blown(b);
        ruga_context_destroy(context);
    }
    free(first[0]);
    free(first[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_opposes_the_velocity_and_lift_is_perpendicular_to_it),
        cmocka_unit_test(sizes_are_those_of_the_equations),
        cmocka_unit_test(either_side_of_the_surface_is_the_same),
        cmocka_unit_test(force_grows_with_the_square_of_the_speed_and_with_the_area),
        cmocka_unit_test(smooth_lift_goes_through_zero_where_the_others_jump),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(forces_add_up_to_those_of_the_triangles),
        cmocka_unit_test(forces_are_added),
        cmocka_unit_test(still_air_only_takes_energy),
        cmocka_unit_test(cloth_that_goes_with_the_wind_feels_nothing),
        cmocka_unit_test(only_the_relative_velocity_counts),
        cmocka_unit_test(a_turned_world_has_turned_forces),
        cmocka_unit_test(forms_on_points_and_triangles_agree_on_a_flat_sheet),
        cmocka_unit_test(held_back_forces_never_turn_the_velocity_around),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
