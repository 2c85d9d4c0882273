/* Newton's method for equilibria of a bar of tets: pins that turn, the start of a solve, settings, failures. */
#include "solve/equilibrium.h"

#include <math.h>

#include "energy/tet_energy.h"
#include "support/support.h"

#define HALF_TURN 3.14159265358979323846

/* A bar along x, held at both ends. */
typedef struct stage {
    ruga_mesh *mesh;
    tet_energy *tets;
    size_t count, pin_count;
    uint32_t *pins;
    vec3 *targets, *x;
    int rises, most_steps;
    double last;
    equilibrium_report report;
} stage;

static stage make_stage(ruga_context *context, elastic_law law) {
    const double values[6] = {1, 0.25, 0.25, 12, 3, 1};
    const tet_material material = {law, 1000, 0.4, 0};
    stage s = {.most_steps = 100};
    assert_ok(context, ruga_model_make(context, "bar", values, &s.mesh));
    assert_ok(context, tet_energy_create(s.mesh, &material, NULL, &s.tets));
    s.count = s.mesh->vertex_count;
    s.pins = calloc(s.count, sizeof *s.pins);
    s.targets = calloc(s.count, sizeof *s.targets);
    s.x = calloc(s.count, sizeof *s.x);
    assert_true(s.pins && s.targets && s.x);
    memcpy(s.x, s.mesh->positions, s.count * sizeof *s.x);
    for (size_t i = 0; i < s.count; i++)
        if (fabs(s.mesh->positions[i].x) > 0.5 - 1e-9) s.pins[s.pin_count++] = (uint32_t)i;
    return s;
}

static void release(stage *s) {
    tet_energy_destroy(s->tets);
    ruga_mesh_destroy(s->mesh);
    free(s->pins);
    free(s->targets);
    free(s->x);
}

static vec3 turned(vec3 p, double angle) {
    return (vec3){p.x, cos(angle) * p.y - sin(angle) * p.z, sin(angle) * p.y + cos(angle) * p.z};
}

/* Pins where they are at rest, turned about x by an angle at either end. */
static void turn_ends(stage *s, double low, double high) {
    for (size_t k = 0; k < s->pin_count; k++) {
        vec3 p = s->mesh->positions[s->pins[k]];
        s->targets[k] = turned(p, p.x < 0 ? low : high);
    }
}

static void watch(void *user, const equilibrium_progress *p) {
    stage *s = user;
    if (p->step > 0) s->rises += !(p->energy < s->last);
    s->last = p->energy;
}

static ruga_status try_solve(stage *s) {
    ruga_context *context = s->mesh->context;
    energy_term *energies[1] = {&s->tets->base};
    const equilibrium_system system = {
        .context = context, .point_count = s->count, .energy_count = 1, .energies = energies};
    const equilibrium_load load = {
        .pin_count = s->pin_count, .pins = s->pins, .pin_targets = s->targets, .watch = watch, .user = s};
    equilibrium_def def = equilibrium_def_default();
    equilibrium *solver = NULL;
    def.most_steps = s->most_steps;
    assert_ok(context, equilibrium_create(&def, &system, &solver));
    ruga_status status = equilibrium_solve(solver, &load, s->x, &s->report);
    equilibrium_destroy(solver);
    return status;
}

static void solve(stage *s) {
    assert_ok(s->mesh->context, try_solve(s));
    assert_true(s->report.converged);
    assert_equal(s->rises, 0);
}

static double apart(const stage *s, const vec3 *x) {
    double most = 0;
    for (size_t i = 0; i < s->count; i++) most = fmax(most, vec3_distance(s->x[i], x[i]));
    return most;
}

/* Pins that turn as a rigid body does. At a sixth of a turn elements turn with them, and few steps are left: without
 * that it takes ten. Farther turns invert elements on a straight path; the solve still ends in the turned body. */
static void a_body_turns_with_its_pins(void **state) {
    for (int law = 0; law < 3; law++)
        for (int k = 1; k <= 3; k++) {
            stage s = make_stage(*state, (elastic_law)law);
            const double angle = k * HALF_TURN / 3 - 0.2 * (k == 3);
            turn_ends(&s, angle, angle);
            solve(&s);
            double most = 0;
            for (size_t i = 0; i < s.count; i++)
                most = fmax(most, vec3_distance(s.x[i], turned(s.mesh->positions[i], angle)));
            if (k == 1) assert_at_most_case(s.report.steps, 4, "law %d", law);
            assert_less_case(most, 1e-4, "law %d, %g rad", law, angle);
            release(&s);
        }
}

/* In one solve, or in many: the same equilibrium, where the twist is small enough for one alone. */
static void the_equilibrium_does_not_depend_on_the_stages_of_the_pins(void **state) {
    stage at_once = make_stage(*state, ELASTIC_NEO_HOOKEAN), staged = make_stage(*state, ELASTIC_NEO_HOOKEAN);
    const double angle = HALF_TURN / 2;
    turn_ends(&at_once, 0, angle);
    solve(&at_once);
    for (int k = 1; k <= 6; k++) {
        turn_ends(&staged, 0, angle * k / 6);
        solve(&staged);
    }
    assert_less(apart(&at_once, staged.x), 1e-4);
    assert_less(0.1, apart(&at_once, at_once.mesh->positions));
    assert_at_most(at_once.report.steps, 5);       /* 10 by a straight first move */
    for (size_t k = 0; k < at_once.pin_count; k++) /* bit for bit */
        assert_equal(vec3_distance(at_once.x[at_once.pins[k]], at_once.targets[k]), 0);
    release(&at_once);
    release(&staged);
}

static void threads_do_not_change_bits(void **state) {
    (void)state;
    vec3 *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        stage s = make_stage(context, ELASTIC_COROTATED);
        turn_ends(&s, -0.5, 0.7);
        solve(&s);
        if (!first) {
            first = calloc(s.count, sizeof *first);
            assert_non_null(first);
            memcpy(first, s.x, s.count * sizeof *first);
        }
        assert_memory_equal(first, s.x, s.count * sizeof *first);
        release(&s);
        ruga_context_destroy(context);
    }
    free(first);
}

/* After the first solve nothing is allocated. */
static void a_second_solve_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    stage s = make_stage(context, ELASTIC_NEO_HOOKEAN);
    energy_term *energies[1] = {&s.tets->base};
    const equilibrium_system system = {
        .context = context, .point_count = s.count, .energy_count = 1, .energies = energies};
    const equilibrium_load load = {.pin_count = s.pin_count, .pins = s.pins, .pin_targets = s.targets};
    equilibrium_def def = equilibrium_def_default();
    equilibrium *solver = NULL;
    assert_ok(context, equilibrium_create(&def, &system, &solver));
    for (int k = 0; k < 2; k++) {
        const long before = counter.allocations;
        turn_ends(&s, 0, 0.4 * (k + 1));
        assert_ok(context, equilibrium_solve(solver, &load, s.x, &s.report));
        assert_true(s.report.converged);
        if (k > 0) assert_equal(counter.allocations, before);
    }
    equilibrium_destroy(solver);
    release(&s);
    ruga_context_destroy(context);
}

/* Too few steps are reported with what is left; the energy has fallen all the same. */
static void a_solve_without_an_end_reports_what_is_left(void **state) {
    stage s = make_stage(*state, ELASTIC_NEO_HOOKEAN);
    turn_ends(&s, 0, 1.5);
    s.most_steps = 1;
    assert_ok(*state, try_solve(&s));
    assert_false(s.report.converged);
    assert_less(1e-5, s.report.residual);
    assert_less(0, s.report.force);
    assert_equal(s.report.steps, 1);
    assert_equal(s.rises, 0);
    release(&s);
}

static void bad_settings_are_named(void **state) {
    stage s = make_stage(*state, ELASTIC_NEO_HOOKEAN);
    energy_term *energies[1] = {&s.tets->base};
    const equilibrium_system system = {
        .context = *state, .point_count = s.count, .energy_count = 1, .energies = energies};
    const struct {
        equilibrium_def def;
        const char *part;
    } cases[] = {{{0, 100, 100}, "tolerance"},
                 {{1, 100, 100}, "tolerance"},
                 {{NAN, 100, 100}, "tolerance"},
                 {{1e-5, 0, 100}, "at least 1"},
                 {{1e-5, 100, 0}, "at least 1"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        equilibrium *solver = NULL;
        assert_status(equilibrium_create(&cases[k].def, &system, &solver), RUGA_ERROR_INPUT);
        assert_null(solver);
        assert_message_has(*state, cases[k].part);
    }
    release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_turns_with_its_pins),
        cmocka_unit_test(the_equilibrium_does_not_depend_on_the_stages_of_the_pins),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(a_second_solve_allocates_nothing),
        cmocka_unit_test(a_solve_without_an_end_reports_what_is_left),
        cmocka_unit_test(bad_settings_are_named),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
