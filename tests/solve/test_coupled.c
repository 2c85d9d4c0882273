/* The common solve of bodies that touch: momentum, complementarity, friction, the same bits for any thread count. */
#include "solve/coupled.h"

#include <math.h>

#include "base/memory.h"
#include "math/vec3.h"
#include "support/support.h"

enum { FLOOR, PIECE, BODIES, POINTS = 3 };
#define DT (1.0 / 96)
#define GRAVITY 9.81
#define MASS 0.01 /* kg, of a point */

/* Two bodies of three free points each, without forces inside. The piece lies on the floor: its points stand over the
 * corners, and rows of one point and the triangle of the floor keep them apart. */
typedef struct stage {
    ruga_context *context;
    integrator *solvers[BODIES];
    integrator_report reports[BODIES];
    integrator_step steps[BODIES];
    vec3 positions[BODIES][POINTS], velocities[BODIES][POINTS], answers[BODIES][POINTS];
    double masses[BODIES][POINTS];
    coupled *common;
    contact_row rows[POINTS];
    uint32_t pins[POINTS];
    vec3 pin_velocities[POINTS];
} stage;

static void set_up(stage *s, ruga_context *context, double friction, int is_pinned) {
    static const vec3 corners[POINTS] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    *s = (stage){.context = context};
    integrator_def def = integrator_def_default();
    def.kind = INTEGRATOR_IMPLICIT;
    def.tolerance = 1e-9;
    for (int b = 0; b < BODIES; b++) {
        for (int i = 0; i < POINTS; i++) {
            s->positions[b][i] = vec3_add(corners[i], (vec3){0, 0.001 * b, 0});
            s->masses[b][i] = MASS * (1 + i);
            s->pins[i] = (uint32_t)i;
        }
        integrator_system system = {.context = context, .point_count = POINTS, .masses = s->masses[b]};
        assert_ok(context, integrator_create(&def, &system, &s->solvers[b]));
        s->steps[b] = (integrator_step){
            .dt = DT, .gravity = {0, -GRAVITY, 0}, .positions = s->positions[b], .velocities = s->velocities[b]};
    }
    if (is_pinned) {
        s->steps[FLOOR].pin_count = POINTS;
        s->steps[FLOOR].pins = s->pins;
        s->steps[FLOOR].pin_velocities = s->pin_velocities;
    }
    for (int i = 0; i < POINTS; i++) {
        contact_row *row = &s->rows[i];
        *row = (contact_row){.normal = {0, 1, 0}, .tangents = {{1, 0, 0}, {0, 0, 1}}, .friction = friction};
        row->weights[0] = 1;
        row->weights[1 + i] = -1;
    }
    assert_ok(context, coupled_create(context, &s->common));
}

static void tear_down(stage *s) {
    coupled_destroy(s->common);
    for (int b = 0; b < BODIES; b++) integrator_destroy(s->solvers[b]);
}

/* One step; velocities become the answers. */
static void step(stage *s) {
    coupled_member members[BODIES];
    coupled_row rows[POINTS];
    for (int b = 0; b < BODIES; b++) {
        assert_ok(s->context, integrator_begin(s->solvers[b], &s->steps[b], s->answers[b], &s->reports[b]));
        members[b] = (coupled_member){s->solvers[b], &s->reports[b], NULL};
    }
    for (int i = 0; i < POINTS; i++)
        rows[i] = (coupled_row){
            .row = &s->rows[i], .members = {PIECE, FLOOR, FLOOR, FLOOR}, .vertices = {(uint32_t)i, 0, 1, 2}};
    assert_ok(s->context, coupled_solve(s->common, members, BODIES, rows, POINTS, 1));
    memcpy(s->velocities, s->answers, sizeof s->velocities);
}

static vec3 momentum(const stage *s) {
    vec3 sum = {0, 0, 0};
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < POINTS; i++) sum = vec3_add_scaled(sum, s->velocities[b][i], s->masses[b][i]);
    return sum;
}

/* Bodies that fall onto each other gain what gravity gives them, and nothing else. */
static void momentum_is_conserved(void **state) {
    stage s;
    set_up(&s, *state, 0.3, 0);
    double weight = 0, pressed = 0;
    for (int i = 0; i < POINTS; i++) {
        s.velocities[PIECE][i] = (vec3){0.4, -1 - 0.3 * i, 0.1 * i};
        weight += BODIES * s.masses[0][i];
    }
    for (int k = 0; k < 5; k++) {
        vec3 before = momentum(&s);
        step(&s);
        vec3 change = vec3_sub(momentum(&s), before);
        assert_near_case(change.x, 0, 1e-12, "step %d", k);
        assert_near_case(change.y, -weight * GRAVITY * DT, 1e-12, "step %d", k);
        assert_near_case(change.z, 0, 1e-12, "step %d", k);
        pressed += s.rows[0].impulse[0] + s.rows[1].impulse[0] + s.rows[2].impulse[0];
    }
    assert_less(1e-3, pressed);
    tear_down(&s);
}

/* At rest on a floor that is pinned, each row bears the weight of its point, and nothing moves: as impulses are
 * remembered, approach becomes its target though rows are not infinitely stiff. */
static void rows_at_rest_bear_the_weight(void **state) {
    stage s;
    set_up(&s, *state, 0.3, 1);
    for (int k = 0; k < 12; k++) step(&s);
    for (int i = 0; i < POINTS; i++) {
        assert_near_case(s.rows[i].impulse[0], s.masses[PIECE][i] * GRAVITY * DT, 1e-10, "point %d", i);
        assert_near_case(s.velocities[PIECE][i].y, 0, 1e-7, "point %d", i);
    }
    tear_down(&s);
}

/* Rows push and never pull: a piece that flies away is not held back. */
static void rows_never_pull(void **state) {
    stage s;
    set_up(&s, *state, 0.3, 1);
    for (int k = 0; k < 12; k++) step(&s);
    for (int i = 0; i < POINTS; i++) s.velocities[PIECE][i].y = 1;
    step(&s);
    for (int i = 0; i < POINTS; i++) {
        assert_equal(s.rows[i].impulse[0], 0);
        assert_near_case(s.velocities[PIECE][i].y, 1 - GRAVITY * DT, 1e-9, "point %d", i);
    }
    tear_down(&s);
}

/* A slow piece is stopped by friction; a fast one is slowed by mu g within 10 %, and never turned round. */
static void friction_is_coulombs(void **state) {
    const double friction = 0.4, speeds[2] = {0.5 * friction * GRAVITY * DT, 2};
    for (int fast = 0; fast < 2; fast++) {
        stage s;
        set_up(&s, *state, friction, 1);
        for (int k = 0; k < 12; k++) step(&s);
        for (int i = 0; i < POINTS; i++) s.velocities[PIECE][i].x = speeds[fast];
        double first = s.velocities[PIECE][0].x;
        for (int k = 0; k < 4; k++) {
            step(&s);
            for (int i = 0; i < POINTS; i++) {
                const double *impulse = s.rows[i].impulse;
                assert_at_most_case(hypot(impulse[1], impulse[2]), friction * impulse[0] * 1.0001, "point %d", i);
                assert_less_case(-1e-3 * first, s.velocities[PIECE][i].x, "point %d, step %d", i, k);
            }
        }
        double lost = first - s.velocities[PIECE][0].x;
        if (fast)
            assert_near(lost, 4 * friction * GRAVITY * DT, 0.1 * 4 * friction * GRAVITY * DT);
        else
            assert_near(s.velocities[PIECE][0].x, 0, 0.01 * first);
        tear_down(&s);
    }
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    vec3 found[3][BODIES][POINTS];
    for (int t = 0; t < 3; t++) {
        ruga_context *context = context_plain(t + 1);
        stage s;
        set_up(&s, context, 0.3, 0);
        for (int i = 0; i < POINTS; i++) s.velocities[PIECE][i] = (vec3){0.4, -1 - 0.3 * i, 0.1 * i};
        for (int k = 0; k < 5; k++) step(&s);
        memcpy(found[t], s.velocities, sizeof s.velocities);
        tear_down(&s);
        ruga_context_destroy(context);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_memory_equal(found[0], found[2], sizeof found[0]);
}

static void the_steady_state_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    stage s;
    set_up(&s, context, 0.3, 1);
    step(&s);
    long before = counter.allocations;
    for (int k = 0; k < 5; k++) step(&s);
    assert_int_equal(counter.allocations, before);
    tear_down(&s);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(rows_at_rest_bear_the_weight),
        cmocka_unit_test(rows_never_pull),
        cmocka_unit_test(friction_is_coulombs),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(the_steady_state_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
