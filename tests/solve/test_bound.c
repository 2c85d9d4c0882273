/* Steps that are bound to a subspace x = T y, against theory, the unbound step, and a projection after the solve. */
#include "linalg/map.h"
#include "solve/bound.h"
#include "solve/spring_run.h"

enum { SIDE = 5, SHEET = SIDE * SIDE, MOST = 64 };

static const integrator_kind kinds[4] = {INTEGRATOR_EXPLICIT, INTEGRATOR_SEMI_IMPLICIT, INTEGRATOR_IMPLICIT,
                                         INTEGRATOR_FILTER};

typedef enum binding {
    IDENTITY,  /* every point is an unknown */
    TIED,      /* pairs of points in the bottom row move as one */
    STRAIGHT,  /* the bottom row is straight: linear between its ends */
    DUPLICATE, /* point 12 is there twice; its springs to the right are those of the copy */
    FOLD,      /* the right column is the one beside it plus a vector of its own, which is no point */
    BINDINGS
} binding;

typedef struct bound_run {
    ruga_context *context;
    ruga_map *map;
    spring_network *network;
    integrator *solver;
    size_t count;
    double masses[MOST];
    vec3 x[MOST], v[MOST], next[MOST], forces[MOST], pushed[MOST];
    vec3 gravity;
    uint32_t pins[2];
    vec3 pin_velocities[2];
    size_t pin_count;
    double drag; /* 1/s */
    integrator_report report;
} bound_run;

static ruga_status make_map(ruga_context *context, binding which, double scale, ruga_map **out) {
    map_builder rows;
    size_t count = which == DUPLICATE ? SHEET + 1 : SHEET;
    /* Unknowns are numbered as the points, without those that are bound. */
    uint32_t unknown[SHEET], columns = 0;
    for (uint32_t i = 0; i < SHEET; i++) {
        int bottom = i / SIDE == SIDE - 1, column = (int)i % SIDE;
        int is_bound = (which == TIED && bottom && column % 2 == 1) ||
                       (which == STRAIGHT && bottom && column > 0 && column < SIDE - 1) ||
                       (which == FOLD && column == SIDE - 1);
        unknown[i] = is_bound ? UINT32_MAX : columns++;
    }
    uint32_t fold = columns;
    if (which == FOLD) columns++;
    TRY(map_builder_make(context, count, 2 * count, &rows));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t point = i == SHEET ? 12 : i;
        double t = (double)(i % SIDE) / (SIDE - 1);
        if (unknown[point] != UINT32_MAX) {
            map_builder_put(&rows, unknown[point], 1);
        } else if (which == STRAIGHT) {
            map_builder_put(&rows, unknown[SHEET - SIDE], 1 - t);
            map_builder_put(&rows, unknown[SHEET - 1], t);
        } else {
            map_builder_put(&rows, unknown[point - 1], 1);
            if (which == FOLD) map_builder_put(&rows, fold, scale);
        }
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, columns, out);
}

/* A sheet of 0.9 m and 0.3 kg; which < 0: not bound. Tied points start at the same place. */
static ruga_status try_make(bound_run *r, ruga_context *context, int which, const integrator_def *def, double stiffness,
                            double damping, double scale) {
    static spring_sheet sheet;
    sheet_make(&sheet, SIDE, 0.9 / SIDE, stiffness, damping, 1);
    *r = (bound_run){.context = context, .count = which == DUPLICATE ? SHEET + 1 : SHEET};
    memcpy(r->x, sheet.x, sizeof *r->x * SHEET);
    for (size_t i = 0; i < r->count; i++) r->masses[i] = 0.3 / SHEET * (1 + 0.5 * sin((double)i));
    if (which == DUPLICATE) {
        r->x[SHEET] = r->x[12];
        r->masses[SHEET] = r->masses[12] * 0.3;
        r->masses[12] *= 0.7;
        for (size_t e = 0; e < sheet.spring_count; e++) {
            spring *s = &sheet.springs[e];
            if (s->a == 12 && s->b % SIDE > 2) s->a = SHEET;
            if (s->b == 12 && s->a % SIDE > 2) s->b = SHEET;
        }
    }
    for (size_t i = SHEET - SIDE; which == TIED && i < SHEET; i++) {
        if (i % SIDE % 2 == 1) r->x[i] = r->x[i - 1];
    }
    if (which >= 0) TRY(make_map(context, (binding)which, scale, &r->map));
    TRY(spring_network_create(context, r->count, sheet.springs, sheet.spring_count, (spring_phases){1, 1, 0}, NULL, 0,
                              &r->network));
    energy_term *term = &r->network->base;
    integrator_system system = {context, r->count, r->masses, 1, &term, r->map};
    r->gravity = (vec3){0, -9.81, 0};
    r->pin_count = 2;
    r->pins[1] = SIDE - 2;
    return integrator_create(def, &system, &r->solver);
}

static void release(bound_run *r) {
    integrator_destroy(r->solver);
    spring_network_destroy(r->network);
    ruga_map_destroy(r->map);
}

static bound_run *make(ruga_context *context, int which, integrator_kind kind, double stiffness, double damping) {
    static bound_run runs[2];
    static int turn;
    bound_run *r = &runs[turn++ % 2];
    integrator_def def = def_of(kind);
    assert_ok(context, try_make(r, context, which, &def, stiffness, damping, 1));
    return r;
}

static integrator_step step_of(bound_run *r, double dt) {
    for (size_t i = 0; i < r->count; i++) {
        vec3 force = vec3_add_scaled(r->forces[i], r->v[i], -r->drag * r->masses[i]);
        r->pushed[i] = vec3_add_scaled(r->v[i], force, dt / r->masses[i]);
    }
    return (integrator_step){.dt = dt,
                             .gravity = r->gravity,
                             .positions = r->x,
                             .velocities = r->pushed,
                             .bound_velocities = r->v,
                             .pin_count = r->pin_count,
                             .pins = r->pins,
                             .pin_velocities = r->pin_velocities};
}

static void solve(bound_run *r, double dt) {
    integrator_step step = step_of(r, dt);
    assert_ok(r->context, integrator_solve(r->solver, &step, r->next, &r->report));
}

static void move(bound_run *r, double dt) {
    for (size_t i = 0; i < r->count; i++) {
        r->v[i] = r->next[i];
        r->x[i] = vec3_add_scaled(r->x[i], r->v[i], dt);
    }
}

/* Velocities of the unknowns at random, and the points' by the map. */
static void stir(bound_run *r, double size) {
    test_random random = {17};
    vec3 unknowns[MOST];
    for (size_t j = 0; j < MOST; j++) unknowns[j] = random_vec3(&random, -size, size);
    if (r->map)
        ruga_map_apply(r->map, unknowns, r->v);
    else
        memcpy(r->v, unknowns, r->count * sizeof *r->v);
}

/* The greatest |Tᵀ (F + M g)| over unknowns that are not pinned, as a part of a point's weight. */
static double imbalance(bound_run *r) {
    vec3 forces[MOST], sums[MOST] = {{0, 0, 0}};
    spring_force_pass pass = {.positions = r->x, .velocities = r->v, .gain = 1, .out = forces};
    spring_network_forces(r->network, &pass);
    for (size_t i = 0; i < r->count; i++) forces[i] = vec3_add_scaled(forces[i], r->gravity, r->masses[i]);
    ruga_map_apply_transpose_add(r->map, forces, sums);
    for (size_t k = 0; k < r->pin_count; k++) sums[r->map->indices[r->map->offsets[r->pins[k]]]] = (vec3){0, 0, 0};
    double most = 0;
    for (size_t j = 0; j < r->map->columns; j++) most = fmax(most, vec3_length(sums[j]));
    return most / (0.3 / SHEET * 9.81);
}

/* How far the points are from T's range: |x - P x| with the projection P = T (TᵀMT)⁻¹ TᵀM. */
static double out_of_space(bound_run *r, const vec3 *points) {
    vec3 impulses[MOST], projected[MOST];
    double most = 0;
    for (size_t i = 0; i < r->count; i++) impulses[i] = vec3_scale(points[i], r->masses[i]);
    assert_ok(r->context, integrator_answer(r->solver, 0, NULL, impulses, projected));
    for (size_t i = 0; i < r->count; i++) most = fmax(most, vec3_distance(projected[i], points[i]));
    return most;
}

static int is_explicit(integrator_kind kind) { return kind == INTEGRATOR_EXPLICIT || kind == INTEGRATOR_SEMI_IMPLICIT; }

/* ---- The rest state. */

static void settle(bound_run *r, double dt) {
    r->drag = 4;
    for (double t = 0; t < 12; t += dt) {
        solve(r, dt);
        move(r, dt);
    }
}

/* By every integrator with two steps. h²k/m is 10 at 1/60 s for the implicit integrators. */
static void compare_rest_states(ruga_context *context, int which) {
    vec3 first[MOST];
    for (int k = 0; k < 4; k++)
        for (int fine = 0; fine < 2; fine++) {
            bound_run *r = make(context, which, kinds[k], 400, 0.3);
            double dt = is_explicit(kinds[k]) ? (fine ? 1.0 / 1600 : 1.0 / 800) : fine ? 1.0 / 240 : 1.0 / 60;
            settle(r, dt);
            assert_less_case(imbalance(r), 1e-5, "binding %d, integrator %d, fine %d", which, k, fine);
            assert_less_case(out_of_space(r, r->x), 1e-12, "binding %d, integrator %d, fine %d", which, k, fine);
            if (k == 0 && fine == 0) memcpy(first, r->x, sizeof first);
            for (size_t i = 0; i < r->count; i++)
                assert_less_case(vec3_distance(r->x[i], first[i]), 1e-5, "binding %d, integrator %d, fine %d", which, k,
                                 fine);
            release(r);
        }
}

static void the_rest_state_does_not_depend_on_the_step(void **state) {
    skip_when_sanitized();
    compare_rest_states(*state, STRAIGHT);
}

static void nor_does_it_with_the_other_bindings(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    for (int which = TIED; which < BINDINGS; which++)
        if (which != STRAIGHT) compare_rest_states(*state, which);
}

/* The trap: an unbound solve whose result is projected settles where TᵀM A⁻¹ F = 0, and so by a wrong amount that grows
 * with the step: for backward Euler, and for damping alone as well. */
static double imbalance_by_projection(ruga_context *context, integrator_kind kind, double damping, double dt) {
    bound_run *r = make(context, STRAIGHT, INTEGRATOR_EXPLICIT, 400, damping),
              *free_run = make(context, -1, kind, 400, damping);
    r->drag = free_run->drag = 4;
    for (double t = 0; t < 12; t += dt) {
        memcpy(free_run->x, r->x, sizeof r->x);
        memcpy(free_run->v, r->v, sizeof r->v);
        solve(free_run, dt);
        vec3 impulses[MOST], changes[MOST];
        for (size_t i = 0; i < r->count; i++)
            impulses[i] = vec3_scale(vec3_sub(free_run->next[i], r->v[i]), r->masses[i]);
        assert_ok(context, integrator_answer(r->solver, r->pin_count, r->pins, impulses, changes));
        for (size_t i = 0; i < r->count; i++) r->next[i] = vec3_add(r->v[i], changes[i]);
        move(r, dt);
    }
    double is = imbalance(r);
    release(r);
    release(free_run);
    return is;
}

static void projecting_after_the_solve_has_the_wrong_rest_state(void **state) {
    double coarse = imbalance_by_projection(*state, INTEGRATOR_IMPLICIT, 0.3, 1.0 / 60);
    double fine = imbalance_by_projection(*state, INTEGRATOR_IMPLICIT, 0.3, 1.0 / 240);
    assert_less(0.3, coarse);
    assert_less(1.2 * fine, coarse);
    assert_less(0.1, imbalance_by_projection(*state, INTEGRATOR_SEMI_IMPLICIT, 5, 1.0 / 800));
    assert_less(imbalance_by_projection(*state, INTEGRATOR_EXPLICIT, 0.3, 1.0 / 800), 1e-5);
}

/* ---- Against the unbound step. */

/* explicit and filter to rounding, conjugate gradients to their tolerance: a bound step solves for changes. */
static void the_identity_gives_the_unbound_step(void **state) {
    for (int k = 0; k < 4; k++) {
        bound_run *a = make(*state, IDENTITY, kinds[k], 100, 0.05), *b = make(*state, -1, kinds[k], 100, 0.05);
        stir(a, 1);
        stir(b, 1);
        a->pin_velocities[1] = b->pin_velocities[1] = (vec3){0.3, 0, 1};
        a->forces[7] = b->forces[7] = (vec3){0, 0.1, 0.4};
        for (int step = 0; step < 5; step++) {
            solve(a, 0.001);
            solve(b, 0.001);
            for (size_t i = 0; i < a->count; i++) assert_less(vec3_distance(a->next[i], b->next[i]), 1e-11);
            move(a, 0.001);
            move(b, 0.001);
        }
        release(a);
        release(b);
    }
}

/* A point that is cut in two and bound together again moves as before. */
static void a_duplicate_moves_as_the_point_that_it_copies(void **state) {
    for (int k = 0; k < 4; k++) {
        bound_run *a = make(*state, DUPLICATE, kinds[k], 100, 0.05), *b = make(*state, -1, kinds[k], 100, 0.05);
        stir(a, 1);
        stir(b, 1);
        for (int step = 0; step < 50; step++) {
            solve(a, 0.001);
            solve(b, 0.001);
            move(a, 0.001);
            move(b, 0.001);
        }
        for (size_t i = 0; i < b->count; i++) assert_less(vec3_distance(a->x[i], b->x[i]), 1e-10);
        assert_less(vec3_distance(a->x[SHEET], b->x[12]), 1e-10);
        release(a);
        release(b);
    }
}

static void holds_hold_unknowns_as_they_hold_points(void **state) {
    for (int k = 1; k < 3; k++) {
        vec3 next[2][MOST], impulses[2][MOST];
        for (int is_bound = 0; is_bound < 2; is_bound++) {
            bound_run *r = make(*state, is_bound ? IDENTITY : -1, kinds[k], 100, 0.05);
            contact_hold holds[MOST] = {{.grip = 0}};
            stir(r, 0.2);
            for (size_t i = 2 * SIDE; i < 3 * SIDE; i++)
                holds[i] = (contact_hold){{0, 1, 0}, {0.01, 0, 0}, i % 2 ? 0.3 : 0};
            integrator_step step = step_of(r, 0.001);
            step.holds = holds;
            step.hold_impulses = impulses[is_bound];
            assert_ok(*state, integrator_solve(r->solver, &step, next[is_bound], &r->report));
            release(r);
        }
        size_t held = 0;
        for (size_t i = 0; i < SHEET; i++) {
            assert_less(vec3_distance(next[0][i], next[1][i]), 1e-9);
            assert_less(vec3_distance(impulses[0][i], impulses[1][i]), 1e-9);
            held += vec3_length(impulses[1][i]) > 0;
        }
        assert_less(0, held);
    }
}

/* ---- Conservation, pins, preconditioner. */

/* Translations and rotations are within T's range, so both momenta are kept: exactly by the explicit step at its
 * start. */
static void momentum_is_conserved(void **state) {
    for (int which = TIED; which < BINDINGS; which++)
        for (int k = 0; k < 4; k++) {
            bound_run *r = make(*state, which, kinds[k], 300, 0.05);
            r->pin_count = 0;
            r->gravity = (vec3){0, 0, 0};
            stir(r, 1);
            vec3 sum = {0, 0, 0}, turn = {0, 0, 0};
            double size = 0;
            solve(r, 0.001);
            for (size_t i = 0; i < r->count; i++) {
                vec3 change = vec3_scale(vec3_sub(r->next[i], r->v[i]), r->masses[i]);
                sum = vec3_add(sum, change);
                turn = vec3_add(turn, vec3_cross(r->x[i], change));
                size += vec3_length(change);
            }
            assert_less(1e-3, size);
            assert_less(vec3_length(sum), 1e-10 * size);
            if (kinds[k] == INTEGRATOR_EXPLICIT) assert_less(vec3_length(turn), 1e-12 * size);
            release(r);
        }
}

static void bound_sheets_fall_freely(void **state) {
    for (int which = TIED; which < BINDINGS; which++)
        for (int k = 0; k < 4; k++) {
            bound_run *r = make(*state, which, kinds[k], 300, 0.05);
            r->pin_count = 0;
            if (which == TIED) r->network->factor = 1e-12; /* its springs are not at rest */
            for (int step = 0; step < 20; step++) {
                solve(r, 0.001);
                move(r, 0.001);
            }
            for (size_t i = 0; i < r->count; i++) assert_less(vec3_distance(r->v[i], (vec3){0, -9.81 * 0.02, 0}), 1e-9);
            release(r);
        }
}

/* A pinned unknown moves all points that depend on it. */
static void pins_move_their_copies(void **state) {
    for (int k = 0; k < 4; k++) {
        bound_run *r = make(*state, DUPLICATE, kinds[k], 100, 0.05);
        r->pins[0] = 12;
        r->pin_velocities[0] = (vec3){1, 2, 3};
        for (int step = 0; step < 10; step++) {
            solve(r, 0.001);
            assert_true(vec3_distance(r->next[12], r->pin_velocities[0]) == 0);
            assert_less(vec3_distance(r->next[SHEET], r->pin_velocities[0]), 1e-12);
            move(r, 0.001);
        }
        release(r);
    }
}

static void a_pin_that_is_bound_to_other_points_is_refused(void **state) {
    for (int k = 0; k < 4; k++) {
        bound_run *r = make(*state, STRAIGHT, kinds[k], 100, 0.05);
        r->pins[0] = SHEET - 2;
        integrator_step step = step_of(r, 0.001);
        assert_status(integrator_solve(r->solver, &step, r->next, &r->report), RUGA_ERROR_INPUT);
        assert_message_has(*state, "point 23 is pinned, but it is bound to other points");
        r->pins[0] = 1;
        step = step_of(r, 0.001);
        assert_ok(*state, integrator_solve(r->solver, &step, r->next, &r->report));
        release(r);

        r = make(*state, DUPLICATE, kinds[k], 100, 0.05);
        r->pins[0] = 12;
        r->pins[1] = SHEET;
        step = step_of(r, 0.001);
        assert_status(integrator_solve(r->solver, &step, r->next, &r->report), RUGA_ERROR_INPUT);
        assert_message_has(*state, "points 12 and 25 are both pinned, but they are bound to be one");
        release(r);
    }
}

/* An unknown in other units changes neither the result nor, much, the number of iterations. */
static void the_preconditioner_bears_unknowns_of_any_unit(void **state) {
    int iterations[2];
    vec3 next[2][MOST];
    for (int k = 0; k < 2; k++) {
        integrator_def def = def_of(INTEGRATOR_IMPLICIT);
        bound_run r;
        assert_ok(*state, try_make(&r, *state, FOLD, &def, 1000, 0.3, k ? 1e4 : 1));
        r.forces[SIDE - 1] = (vec3){0, 0, 1};
        solve(&r, 1.0 / 60);
        iterations[k] = r.report.iterations;
        memcpy(next[k], r.next, sizeof next[k]);
        assert_true(r.report.converged);
        release(&r);
    }
    assert_at_most(abs(iterations[0] - iterations[1]), 2);
    for (size_t i = 0; i < SHEET; i++) assert_less(vec3_distance(next[0][i], next[1][i]), 1e-10);
}

/* ---- Changes, threads, memory, refusals. */

static void changes_count_at_once(void **state) {
    for (int k = 0; k < 4; k++)
        for (int which = 0; which < 4; which++) {
            bound_run *changed = make(*state, FOLD, kinds[k], 100, 0.05),
                      *fresh = make(*state, FOLD, kinds[k], 100, 0.05);
            bound_run *runs[2] = {changed, fresh};
            stir(changed, 1);
            stir(fresh, 1);
            solve(changed, 0.001);
            for (int n = 0; n < 2; n++) {
                bound_run *r = runs[n];
                if (which == 0) assert_ok(*state, spring_network_set_factor(r->network, 3));
                for (size_t i = 0; i < r->count && which == 1; i++) r->masses[i] *= 1 + (double)i / 7;
                if (which == 1) integrator_masses_changed(r->solver);
                if (which == 2) r->pins[0] = 7;
                solve(r, which == 3 ? 0.002 : 0.001);
            }
            for (size_t i = 0; i < fresh->count; i++)
                assert_less(vec3_distance(changed->next[i], fresh->next[i]), 1e-11);
            release(changed);
            release(fresh);
        }
}

static void results_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        vec3 first[MOST];
        for (int threads = 1; threads <= 7; threads += 6) {
            ruga_context *context = context_plain(threads);
            bound_run *r = make(context, FOLD, kinds[k], 100, 0.05);
            stir(r, 1);
            for (int step = 0; step < 5; step++) {
                solve(r, 0.001);
                move(r, 0.001);
            }
            if (threads == 1) memcpy(first, r->x, sizeof first);
            assert_memory_equal(first, r->x, r->count * sizeof *first);
            release(r);
            ruga_context_destroy(context);
        }
    }
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        bound_run *r = make(context, FOLD, kinds[k], 100, 0.05);
        solve(r, 0.001);
        long before = counter.allocations;
        for (int step = 0; step < 3; step++) solve(r, 0.001 * (1 + step % 2));
        assert_int_equal(counter.allocations, before);
        release(r);
        ruga_context_destroy(context);
    }
}

static ruga_status make_and_solve(ruga_context *context, void *user) {
    integrator_def def = def_of(*(const integrator_kind *)user);
    bound_run r;
    ruga_status status = try_make(&r, context, FOLD, &def, 100, 0.05, 1);
    if (!RUGA_FAILED(status)) {
        integrator_step step = step_of(&r, 0.001);
        status = integrator_solve(r.solver, &step, r.next, &r.report);
    }
    release(&r);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) assert_every_allocation_may_fail(make_and_solve, (void *)&kinds[k]);
}

static void approximate_implicit_is_refused_and_implicit_is_the_default(void **state) {
    bound_run r;
    integrator_def def = integrator_def_default();
    assert_status(try_make(&r, *state, FOLD, &def, 100, 0.05, 1), RUGA_ERROR_INPUT);
    assert_message_has(*state, "approximate_implicit can't be used on a bound body");
    assert_message_has(*state, "use implicit");
    release(&r);
    def.kind = INTEGRATOR_AUTO;
    assert_ok(*state, try_make(&r, *state, FOLD, &def, 100, 0.05, 1));
    solve(&r, 0.01);
    assert_less(2, r.report.iterations);
    release(&r);
    assert_int_equal(integrator_resolve(INTEGRATOR_AUTO, 1), INTEGRATOR_IMPLICIT);
    assert_int_equal(integrator_resolve(INTEGRATOR_AUTO, 0), INTEGRATOR_APPROXIMATE_IMPLICIT);
    assert_int_equal(integrator_resolve(INTEGRATOR_FILTER, 1), INTEGRATOR_FILTER);
}

static void bad_bindings_are_refused(void **state) {
    bound *b = NULL;
    for (int k = 0; k < 2; k++) {
        map_builder rows;
        ruga_map *map;
        assert_ok(*state, map_builder_make(*state, 2, 2, &rows));
        map_builder_put(&rows, 0, 1);
        map_builder_end_row(&rows);
        if (k == 1) map_builder_put(&rows, 0, 1);
        map_builder_end_row(&rows);
        assert_ok(*state, map_builder_finish(&rows, k == 1 ? 2 : 1, &map));
        assert_status(bound_create(*state, map, &b), RUGA_ERROR_INPUT);
        assert_message_has(*state, k == 1 ? "unknown 1 of a binding moves no point" : "point 1 has no weights");
        ruga_map_destroy(map);
    }
    assert_null(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_state_does_not_depend_on_the_step),
        cmocka_unit_test(nor_does_it_with_the_other_bindings),
        cmocka_unit_test(projecting_after_the_solve_has_the_wrong_rest_state),
        cmocka_unit_test(the_identity_gives_the_unbound_step),
        cmocka_unit_test(a_duplicate_moves_as_the_point_that_it_copies),
        cmocka_unit_test(holds_hold_unknowns_as_they_hold_points),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(bound_sheets_fall_freely),
        cmocka_unit_test(pins_move_their_copies),
        cmocka_unit_test(a_pin_that_is_bound_to_other_points_is_refused),
        cmocka_unit_test(the_preconditioner_bears_unknowns_of_any_unit),
        cmocka_unit_test(changes_count_at_once),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(approximate_implicit_is_refused_and_implicit_is_the_default),
        cmocka_unit_test(bad_bindings_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
