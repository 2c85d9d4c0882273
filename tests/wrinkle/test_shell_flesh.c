/* Skin on flesh: the points inside follow the body, the skin wrinkles, and in both directions it stiffens the flesh. */
#include "body/flesh_stage.h"
#include "wrinkle/embedded_shell.h"
#include "wrinkle/shell_part.h"

static const environment empty = {.gravity = {0, 0, 0}}, heavy = {.gravity = {0, -0.5, 0}};
static const vec3 size = {0.3, 0.1, 0.1};
static const double young = 2e4;

static ruga_shell_def skin_def(ruga_shell_coupling coupling) {
    ruga_shell_def def = {.shell = ruga_embedded_shell_def_default(), .wavelength = NAN, .coupling = coupling};
    def.shell.thickness = ruga_param_constant(0.004);
    def.shell.stiffness = ruga_param_constant(100 * young);
    def.shell.interior_stiffness = ruga_param_constant(young);
    def.shell.tolerance = 1e-6;
    return def;
}

static flesh_bar *make_bar(ruga_context *context, int how) {
    flesh_bar *r = bar_begin(context, size, 18, 6);
    r->def.values.young = young;
    r->def.values.integrator = how;
    bar_make(r);
    return r;
}

static size_t is_inside(const ruga_embedded_shell *shell, size_t v) { return !(shell->areas[v] > 0); }

/* A block that is compressed along x: its skin buckles, its clusters stay, and the points inside are those of the
 * body, within rounding. */
static void a_skin_on_flesh_buckles_and_points_inside_follow(void **state) {
    flesh_bar *r = make_bar(*state, FLESH_QUASISTATIC);
    const ruga_shell_def def = skin_def(RUGA_SHELL_ONE_WAY);
    part *p = NULL;
    vec3 *at = calloc(r->mesh->vertex_count, sizeof *at);
    size_t inside = 0;
    assert_ok(*state, shell_part_create(r->mesh, &def, r->b, &p));
    for (int frame = 1; frame <= 4; frame++) {
        for (size_t v = 0; v < r->mesh->vertex_count; v++) {
            at[v] = r->mesh->positions[v];
            at[v].x *= 1 - 0.025 * frame;
            at[v].y += 0.01 * frame;
        }
        substep s = {.time = frame / 24.0, .dt = 1 / 24.0, .blend = 1, .environment = &empty, .is_last = 1};
        ruga_frame in = {.time = s.time, .vertex_count = r->mesh->vertex_count, .positions = at};
        assert_ok(*state, p->interface->update(p, r->b, &s, &in));
        const ruga_embedded_shell_report report = shell_part_report(p);
        assert_null(report.stalled);
        assert_less(report.constraint_error, 1e-8 * report.mean_edge);
    }
    const ruga_embedded_shell *shell = shell_part_shell(p);
    for (size_t v = 0; v < r->mesh->vertex_count; v++) {
        if (!is_inside(shell, v)) continue;
        inside++;
        assert_less(vec3_distance(shell->x[v], at[v]), 1e-9 * size.x);
    }
    assert_less(100, inside);
    assert_less(2e-4, shell_part_report(p).amplitude);
    p->interface->destroy(p);
    free(at);
    bar_release(r);
}

/* How far the free end of a bar sinks by its weight until it hardly moves, m. */
static double sink(ruga_context *context, ruga_shell_coupling coupling) {
    const double dt = 0.2;
    flesh_bar *r = make_bar(context, FLESH_IMPLICIT);
    const ruga_shell_def def = skin_def(coupling);
    part *p = NULL;
    vec3 *seen = calloc(r->mesh->vertex_count, sizeof *seen);
    assert_ok(context, shell_part_create(r->mesh, &def, r->b, &p));
    r->b->parts = &p;
    r->b->part_count = 1;
    for (int k = 0; k <= 12; k++) {
        substep s = {.time = k * dt, .dt = k ? dt : 0, .blend = 1, .environment = &heavy, .is_last = 1};
        if (k) flesh_step_from(r->b, &heavy, s.time - dt, 1, dt);
        body_make_visible(r->b, r->b->positions, seen);
        ruga_frame in = {.time = s.time, .vertex_count = r->mesh->vertex_count, .positions = seen};
        assert_ok(context, (k ? p->interface->update : p->interface->settle)(p, r->b, &s, &in));
    }
    assert_null(shell_part_report(p).stalled);
    double lowest = 0, speed = 0;
    for (size_t v = 0; v < r->mesh->vertex_count; v++) {
        lowest = fmax(lowest, r->mesh->positions[v].y - r->b->positions[v].y);
        speed = fmax(speed, vec3_length(r->b->velocities[v]));
    }
    assert_less(speed * dt, 0.05 * lowest);
    p->interface->destroy(p);
    r->b->part_count = 0;
    free(seen);
    bar_release(r);
    return lowest;
}

static void a_skin_carries_a_part_of_the_weight(void **state) {
    skip_unless_long();
    const double alone = sink(*state, RUGA_SHELL_ONE_WAY), both = sink(*state, RUGA_SHELL_TWO_WAY);
    print_message("sinks by %g m alone, by %g m with its skin\n", alone, both);
    assert_less(1e-4, both);
    assert_less(both, 0.7 * alone);
}

/* `auto` couples in both directions where the body takes forces that are stiff. */
static void coupling_is_chosen_by_the_body(void **state) {
    const int integrators[2] = {FLESH_IMPLICIT, FLESH_QUASISTATIC};
    for (int k = 0; k < 2; k++) {
        flesh_bar *r = make_bar(*state, integrators[k]);
        const ruga_shell_def def = skin_def(RUGA_SHELL_AUTO);
        part *p = NULL;
        assert_ok(*state, shell_part_create(r->mesh, &def, r->b, &p));
        assert_int_equal(p->interface->force != NULL, integrators[k] == FLESH_IMPLICIT);
        p->interface->destroy(p);
        bar_release(r);
    }
}

static void spectral_constraints_are_refused(void **state) {
    flesh_bar *r = make_bar(*state, FLESH_QUASISTATIC);
    ruga_shell_def def = skin_def(RUGA_SHELL_ONE_WAY);
    part *p = NULL;
    def.shell.constraints = RUGA_SHELL_SPECTRAL;
    assert_status(shell_part_create(r->mesh, &def, r->b, &p), RUGA_ERROR_INPUT);
    assert_message_has(*state, "belong to no triangle");
    bar_release(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skin_on_flesh_buckles_and_points_inside_follow),
        cmocka_unit_test(a_skin_carries_a_part_of_the_weight),
        cmocka_unit_test(coupling_is_chosen_by_the_body),
        cmocka_unit_test(spectral_constraints_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
