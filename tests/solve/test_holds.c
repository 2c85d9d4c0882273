/* Contact inside the solve: what holds may do, and what they may not. */
#include "solve/holds.h"
#include "spring_run.h"

#define H (1.0 / 60)
static const vec3 up = {0, 1, 0};

static spring_sheet sheet;

/* A sheet of 5 x 5 points of 1 g that lies in the plane y = 0, with impulses for its holds. */
typedef struct held_run {
    spring_run r;
    contact_hold holds[25];
    vec3 impulses[25];
} held_run;

static held_run *held_make(ruga_context *context, integrator_kind kind, double stiffness) {
    held_run *h = calloc(1, sizeof *h);
    integrator_def def = def_of(kind);
    sheet_make(&sheet, 5, 0.1, stiffness, 0.01, 1);
    for (size_t i = 0; i < sheet.count; i++) sheet.x[i] = (vec3){sheet.x[i].x, 0, -sheet.x[i].y};
    run_make(&h->r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.001, &def);
    h->r.gravity = (vec3){0, -9.81, 0};
    return h;
}

static void held_release(held_run *h) {
    run_release(&h->r);
    free(h);
}

static void held_solve(held_run *h) {
    integrator_step step = run_step(&h->r, H);
    step.holds = h->holds;
    step.hold_impulses = h->impulses;
    assert_ok(h->r.context, integrator_solve(h->r.solver, &step, h->r.next, &h->r.report));
}

static vec3 sum_of(const vec3 *x, size_t count) {
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < count; i++) sum = vec3_add(sum, x[i]);
    return sum;
}

static const integrator_kind kinds[2] = {INTEGRATOR_IMPLICIT, INTEGRATOR_SEMI_IMPLICIT};

static void only_solves_of_gradients_hold(void **state) {
    (void)state;
    for (integrator_kind k = 0; k < INTEGRATOR_COUNT; k++)
        assert_int_equal(integrator_holds(k), k == kinds[0] || k == kinds[1]);
}

static void holds_of_nothing_change_no_bit(void **state) {
    for (int k = 0; k < 2; k++) {
        held_run *h = held_make(*state, kinds[k], 50);
        h->r.v[7] = (vec3){0.3, -0.2, 0.1};
        run_solve(&h->r, H);
        vec3 without[25];
        memcpy(without, h->r.next, sizeof without);
        held_solve(h);
        assert_memory_equal(without, h->r.next, sizeof without);
        assert_true(vec3_length(sum_of(h->impulses, 25)) == 0);
        held_release(h);
    }
}

/* A sheet of which a half lies on a floor and the other half hangs over its edge: those on it do not go into it, and
 * all momentum comes from gravity and from impulses that push and rub no more than Coulomb lets them: as nearly as the
 * rounds settle, which is the least near where a stiff sheet hardly slides as a whole. */
static void held_points_stay_out_and_momentum_comes_from_impulses_within_coulombs_cone(void **state) {
    for (int k = 0; k < 2; k++)
        for (int grip = 0; grip < 3; grip++) {
            held_run *h = held_make(*state, kinds[k], k == 0 ? 5000 : 0.5);
            test_random random = {(uint64_t)(7 + grip)};
            for (size_t i = 0; i < 25; i++) h->r.v[i] = random_vec3(&random, -0.2, 0.2);
            for (size_t i = 0; i < 25; i++)
                if (i % 5 < 3) h->holds[i] = (contact_hold){up, {0, 0, 0}, 0.4 * grip};
            held_solve(h);
            double momentum_before = 0;
            size_t pressed = 0;
            vec3 change = {0, 0, 0};
            for (size_t i = 0; i < 25; i++) {
                vec3 gain = vec3_sub(vec3_sub(h->r.next[i], h->r.v[i]), vec3_scale(h->r.gravity, H));
                change = vec3_add_scaled(change, gain, h->r.masses[i]);
                momentum_before += h->r.masses[i] * vec3_length(h->r.v[i]);
                vec3 along = {h->impulses[i].x, 0, h->impulses[i].z};
                assert_at_most(0, h->impulses[i].y);
                double slack = k == 0 && grip == 2 ? 1.7 : 1.1;
                assert_at_most(vec3_length(along), 0.4 * grip * h->impulses[i].y * slack + 1e-12);
                if (i % 5 >= 3) {
                    assert_equal_case(vec3_length(h->impulses[i]), 0, "point %zu", i);
                    continue;
                }
                if (!(h->impulses[i].y > 0)) continue; /* it lifts off */
                assert_less_case(fabs(h->r.next[i].y), 1e-12, "point %zu, grip %d", i, grip);
                pressed++;
            }
            assert_ran(pressed, 5);
            assert_less(0, sum_of(h->impulses, 25).y);
            assert_less(vec3_distance(change, sum_of(h->impulses, 25)), 1e-9 * momentum_before);
            held_release(h);
        }
}

static double energy_of(const held_run *h) {
    double energy = h->r.report.elastic_energy;
    for (size_t i = 0; i < 25; i++)
        energy += h->r.masses[i] * (vec3_length2(h->r.v[i]) / 2 - vec3_dot(h->r.gravity, h->r.x[i]));
    return energy;
}

/* On a static obstacle, a sheet that is stretched, thrown and pressed loses energy, however much it rubs and wherever
 * rounds end: also where it is rough, so that points hold each other back and push. */
static void static_holds_add_no_energy(void **state) {
    const double grips[6] = {0, 0.3, 1, 3, 10, 1000};
    for (int k = 0; k < 12; k++) {
        held_run *h = held_make(*state, INTEGRATOR_IMPLICIT, k % 2 ? 5000 : 50);
        test_random random = {(uint64_t)(3 + k)};
        for (size_t i = 0; i < 25; i++) {
            h->r.x[i] = vec3_scale(h->r.x[i], 1.05);
            h->r.v[i] = random_vec3(&random, -1, 1);
            vec3 outwards = vec3_add(up, random_vec3(&random, -1, 1));
            h->holds[i] = (contact_hold){vec3_normalise(outwards), {0, 0, 0}, grips[k / 2]};
        }
        double before = INFINITY;
        for (int step = 0; step < 60; step++) {
            held_solve(h);
            double energy = energy_of(h);
            assert_at_most(energy, before + 1e-9);
            before = energy;
            for (size_t i = 0; i < 25; i++) h->r.x[i] = vec3_add_scaled(h->r.x[i], h->r.next[i], H);
            memcpy(h->r.v, h->r.next, 25 * sizeof(vec3));
        }
        held_release(h);
    }
}

static void a_hold_that_would_pull_lets_go(void **state) {
    for (int k = 0; k < 2; k++) {
        held_run *h = held_make(*state, kinds[k], 50);
        for (size_t i = 0; i < 25; i++) {
            h->holds[i] = (contact_hold){up, {0, 0, 0}, 0.5};
            h->r.v[i] = (vec3){0, 1, 0};
        }
        held_solve(h);
        for (size_t i = 0; i < 25; i++) {
            assert_true(vec3_length(h->impulses[i]) == 0);
            assert_near(h->r.next[i].y, (1 - 9.81 * H), 1e-9);
        }
        held_release(h);
    }
}

/* On a slope of angle a a sheet rests below the angle of friction and slides with g (sin a - f cos a) above it. */
static void a_sheet_on_a_slope_obeys_coulombs_law(void **state) {
    for (int k = 0; k < 2; k++)
        for (int steep = 0; steep < 2; steep++) {
            double friction = 0.5, angle = atan(friction) + (steep ? 0.2 : -0.02);
            held_run *h = held_make(*state, kinds[k], 50);
            h->r.gravity = (vec3){9.81 * sin(angle), -9.81 * cos(angle), 0};
            for (int step = 0; step < 20; step++) {
                for (size_t i = 0; i < 25; i++) h->holds[i] = (contact_hold){up, {0, 0, 0}, friction};
                held_solve(h);
                memcpy(h->r.v, h->r.next, 25 * sizeof(vec3));
            }
            double speed = steep ? 20 * H * 9.81 * (sin(angle) - friction * cos(angle)) : 0;
            for (size_t i = 0; i < 25; i++) assert_less(vec3_distance(h->r.v[i], (vec3){speed, 0, 0}), 1e-8);
            held_release(h);
        }
}

/* Friction takes them along, too, and what is free of it only keeps them out. */
static void what_moves_takes_points_along(void **state) {
    const vec3 velocity = {0.1, 0.7, -0.2};
    for (int k = 0; k < 2; k++)
        for (int grip = 0; grip < 2; grip++) {
            held_run *h = held_make(*state, kinds[k], 500);
            for (size_t i = 0; i < 25; i++) h->holds[i] = (contact_hold){up, velocity, grip};
            held_solve(h);
            vec3 expected = grip ? velocity : (vec3){0, 0.7, 0};
            for (size_t i = 0; i < 25; i++) assert_less(vec3_distance(h->r.next[i], expected), 1e-9);
            held_release(h);
        }
}

static void pins_count_before_holds(void **state) {
    held_run *h = held_make(*state, INTEGRATOR_IMPLICIT, 500);
    h->r.pin_count = 1;
    h->r.pins[0] = 12;
    h->r.pin_velocities[0] = (vec3){0.1, -0.3, 0.2};
    for (size_t i = 0; i < 25; i++) h->holds[i] = (contact_hold){up, {0, 0, 0}, 0.5};
    held_solve(h);
    assert_memory_equal(&h->r.next[12], &h->r.pin_velocities[0], sizeof(vec3));
    assert_true(vec3_length(h->impulses[12]) == 0);
    held_release(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_solves_of_gradients_hold),
        cmocka_unit_test(holds_of_nothing_change_no_bit),
        cmocka_unit_test(held_points_stay_out_and_momentum_comes_from_impulses_within_coulombs_cone),
        cmocka_unit_test(static_holds_add_no_energy),
        cmocka_unit_test(a_hold_that_would_pull_lets_go),
        cmocka_unit_test(a_sheet_on_a_slope_obeys_coulombs_law),
        cmocka_unit_test(what_moves_takes_points_along),
        cmocka_unit_test(pins_count_before_holds),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
