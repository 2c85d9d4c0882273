/* The laws that integrators of springs keep: those of the paper on two masses, momentum, energy, free fall, the hanging
 * chain. */
#include "solve/integrators.h"
#include "solve/spring_run.h"

static spring_sheet sheet;

/* ---- Two masses on a spring without length (section 2.3). */

static double factor_of(double m, double k, double h, ruga_context *context, double *thousand) {
    const spring one = {0, 1, SPRING_EDGE, 0, k, 0};
    const vec3 x[2] = {{0, 0, 0}, {1, 0, 0}};
    integrator_def def = integrator_def_default();
    spring_run r;
    run_make(&r, context, 2, x, &one, 1, m, &def);
    run_advance(&r, h);
    double factor = r.x[1].x - r.x[0].x, most = 0;
    for (int k_step = 1; thousand && k_step < 1000; k_step++) {
        run_advance(&r, h);
        most = fmax(most, fabs(r.x[1].x - r.x[0].x));
    }
    if (thousand) *thousand = most;
    run_release(&r);
    return factor;
}

static void two_masses_at_rest_come_nearer_by_equation_13(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_context *context = context_plain(1);
    test_random random = {13};
    for (int round = 0; round < 100000; round++) {
        double m = pow(10, random_between(&random, -6, 6)), k = pow(10, random_between(&random, -6, 6));
        double h = pow(10, random_between(&random, -6, 6));
        double stiff = k * h * h, expected = 1 - 2 * (m / (m + stiff)) * (stiff / (m + stiff));
        double factor = factor_of(m, k, h, context, NULL);
        assert_near(factor, expected, 1e-15);
        assert_at_most(0.5 - 1e-15, factor);
        assert_at_most(factor, 1 + 1e-15);
    }
    ruga_context_destroy(context);
}

static void two_masses_never_go_further_apart_than_they_began(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (double a = 1e-6; a < 1e7; a *= 3) {
        double most;
        factor_of(1, a, 1, context, &most);
        assert_at_most(most, 1 + 1e-12);
    }
    ruga_context_destroy(context);
}

/* T_n(x) for x >= 1. */
static double chebyshev(int n, double x) { return cosh(n * acosh(x)); }

/* The masses' only mode is an eigenvector of Jacobi's iteration, of the value -a / (1 + a): what sweeps leave of the
 * error is known in closed form, for every weight of the acceleration. */
static void sweeps_leave_what_chebyshevs_polynomials_say(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 x[2] = {{0, 0, 0}, {1, 0, 0}};
    for (int sweeps = 4; sweeps <= 64; sweeps += sweeps < 12 ? 2 : 26)
        for (double a = 1e-2; a < 1e5; a *= 3) {
            const spring one = {0, 1, SPRING_EDGE, 0, a, 0};
            integrator_def def = def_sweeps(sweeps);
            spring_run r;
            run_make(&r, context, 2, x, &one, 1, 1, &def);
            run_solve(&r, 1);
            double mu = a / (1 + a), rho = fmin(mu, 1 / cosh(acosh(CHEBYSHEV_DAMPING) / sweeps));
            double left = chebyshev(sweeps, fmax(mu / rho, 1)) / chebyshev(sweeps, 1 / rho);
            double whole = a / (1 + 2 * a);
            assert_near(r.next[0].x, whole * (1 - left), 1e-9 * whole);
            run_release(&r);
        }
    ruga_context_destroy(context);
}

/* ---- Equation 10 as it stands, for springs of one stiffness. */

static void the_form_per_spring_reduces_to_equation_10(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double k = 30, h = 0.02, d = 0.1;
    sheet_make(&sheet, 5, d, k, 0, 1);
    integrator_def def = integrator_def_default();
    spring_run r;
    run_make(&r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 1, &def);
    test_random random = {10};
    for (size_t i = 0; i < r.count; i++) {
        r.masses[i] = random_between(&random, 0.01, 0.1);
        r.v[i] = random_vec3(&random, -1, 1);
        r.x[i] = vec3_add(r.x[i], random_vec3(&random, -0.03, 0.03));
    }
    run_solve(&r, h);

    vec3 force[25] = {{0, 0, 0}};
    double neighbours[25] = {0};
    for (size_t e = 0; e < sheet.spring_count; e++) {
        const spring *s = &sheet.springs[e];
        vec3 span = vec3_sub(r.x[s->b], r.x[s->a]), w = vec3_sub(r.v[s->b], r.v[s->a]);
        double length = vec3_length(span);
        vec3 f = vec3_add_scaled(vec3_scale(span, k * (length - s->rest_length) / length), w, h * k);
        force[s->a] = vec3_add(force[s->a], f);
        force[s->b] = vec3_sub(force[s->b], f);
        neighbours[s->a]++;
        neighbours[s->b]++;
    }
    for (size_t i = 0; i < r.count; i++) {
        vec3 sum = {0, 0, 0};
        for (size_t e = 0; e < sheet.spring_count; e++) {
            const spring *s = &sheet.springs[e];
            if (s->a != i && s->b != i) continue;
            uint32_t j = s->a == i ? s->b : s->a;
            sum = vec3_add_scaled(sum, force[j], h / (r.masses[j] + h * h * k * neighbours[j]));
        }
        vec3 change = vec3_scale(vec3_add_scaled(vec3_scale(force[i], h), sum, h * h * k),
                                 1 / (r.masses[i] + h * h * k * neighbours[i]));
        assert_less(vec3_distance(vec3_add(r.v[i], change), r.next[i]), 1e-13);
    }
    run_release(&r);
    ruga_context_destroy(context);
}

/* ---- Momentum. */

/* The error of the sum of m Δv, as a part of the sum of |m Δv|. */
static double momentum_drift(ruga_context *context, const integrator_def *def, double k) {
    spring_run r;
    sheet_make(&sheet, 5, 0.1, k, 0.001 * k, 1);
    run_make(&r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.01, def);
    test_random random = {5};
    for (size_t i = 0; i < r.count; i++) {
        r.masses[i] *= random_between(&random, 0.5, 2);
        r.x[i] = vec3_add(r.x[i], random_vec3(&random, -0.03, 0.03));
        r.v[i] = random_vec3(&random, -1, 1);
    }
    run_solve(&r, 0.01);
    vec3 sum = {0, 0, 0};
    double size = 0;
    for (size_t i = 0; i < r.count; i++) {
        vec3 change = vec3_scale(vec3_sub(r.next[i], r.v[i]), r.masses[i]);
        sum = vec3_add(sum, change);
        size += vec3_length(change);
    }
    run_release(&r);
    return vec3_length(sum) / size;
}

static void momentum_is_conserved_but_by_the_two_sweeps_of_the_paper(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = INTEGRATOR_EXPLICIT; kind < INTEGRATOR_COUNT; kind++) {
        integrator_def def = def_of((integrator_kind)kind);
        assert_less(momentum_drift(context, &def, 300), 1e-11);
    }
    integrator_def many = def_sweeps(400), two = def_sweeps(2);
    assert_less(momentum_drift(context, &many, 300), 1e-11);
    assert_less(1e-3, momentum_drift(context, &two, 300));
    two.conserve = 1;
    assert_less(momentum_drift(context, &two, 300), 1e-14);
    ruga_context_destroy(context);
}

/* Four masses in a row of which one end's spring is stretched, a = kh²/m: what equation 10 makes of the forces (1, -1,
 * 0, 0). */
static double drift_of_chain(double a) {
    double end = 1 + a, inner = 1 + 2 * a, first[2] = {1 / end, -1 / inner};
    double v[3] = {(1 + a * first[1]) / end, (-1 + a * first[0]) / inner, a * first[1] / inner};
    return fabs(v[0] + v[1] + v[2]) / (fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
}

/* It is 23 % of the sum of |m Δv| where a = 5, and a third at most. */
static void the_drift_of_two_sweeps_on_a_chain_is_that_of_equation_10(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double values[4] = {0.1, 1, 5, 1e6};
    const spring springs[3] = {
        {0, 1, SPRING_EDGE, 1, 1, 0}, {1, 2, SPRING_EDGE, 1, 1, 0}, {2, 3, SPRING_EDGE, 1, 1, 0}};
    const vec3 x[4] = {{-0.1, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    integrator_def two = def_sweeps(2);
    for (int k = 0; k < 4; k++) {
        spring_run r;
        run_make(&r, context, 4, x, springs, 3, 1, &two);
        run_solve(&r, sqrt(values[k]));
        double sum = 0, size = 0;
        for (int i = 0; i < 4; i++) {
            sum += r.next[i].x;
            size += fabs(r.next[i].x);
        }
        assert_near(fabs(sum) / size, drift_of_chain(values[k]), 1e-9);
        run_release(&r);
    }
    assert_near(drift_of_chain(5), 0.23, 0.005);
    assert_near(drift_of_chain(1e9), 1.0 / 3, 1e-6);
    ruga_context_destroy(context);
}

/* Pieces that do not touch do not exchange momentum either, and a pinned one is left alone. */
static void each_piece_keeps_its_own_momentum(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    integrator_def def = integrator_def_default();
    def.conserve = 1;
    /* Two chains of four, alike but for a pin. */
    const spring springs[6] = {{0, 2, SPRING_EDGE, 0, 5, 0}, {2, 4, SPRING_EDGE, 0, 9, 0},
                               {4, 6, SPRING_EDGE, 0, 5, 0}, {1, 3, SPRING_EDGE, 0, 5, 0},
                               {3, 5, SPRING_EDGE, 0, 9, 0}, {5, 7, SPRING_EDGE, 0, 5, 0}};
    const vec3 x[8] = {{0, 0, 0}, {0, 5, 0}, {1, 0, 0}, {1, 5, 0}, {3, 0, 0}, {3, 5, 0}, {3.5, 0, 0}, {3.5, 5, 0}};
    spring_run r;
    run_make(&r, context, 8, x, springs, 6, 1, &def);
    r.forces[2] = (vec3){0, 0, 7};
    r.pin_count = 1;
    r.pins[0] = 7;
    r.pin_velocities[0] = (vec3){0, 0, 0};
    run_solve(&r, 0.5);
    vec3 even = {0, 0, 0}, odd = {0, 0, 0};
    for (int i = 0; i < 8; i += 2) {
        even = vec3_add(even, r.next[i]);
        odd = vec3_add(odd, r.next[i + 1]);
    }
    assert_less(vec3_distance(even, (vec3){0, 0, 3.5}), 1e-14);
    assert_less(0.01, vec3_length(odd));
    run_release(&r);
    ruga_context_destroy(context);
}

/* ---- Energy, on springs without length in still air. */

enum { DENSE = 16 };

/* Solves P y = v for one coordinate by elimination. */
static void dense_solve(double p[DENSE][DENSE], double *v) {
    for (int k = 0; k < DENSE; k++)
        for (int i = k + 1; i < DENSE; i++) {
            double part = p[i][k] / p[k][k];
            for (int j = k; j < DENSE; j++) p[i][j] -= part * p[k][j];
            v[i] -= part * v[k];
        }
    for (int k = DENSE - 1; k >= 0; k--) {
        for (int j = k + 1; j < DENSE; j++) v[k] -= p[k][j] * v[j];
        v[k] /= p[k][k];
    }
}

/* ½ vᵀ P⁻¹ v + U with P = D⁻¹ + D⁻¹ W D⁻¹, the operator of equation 10. */
static double modified_energy(const spring_run *r, double h) {
    const spring_network *n = r->network;
    double energy = spring_network_energy(n, r->x), diagonal[DENSE];
    for (size_t i = 0; i < DENSE; i++) diagonal[i] = r->masses[i] + h * h * n->stiffness_sums[i];
    for (int c = 0; c < 3; c++) {
        double p[DENSE][DENSE] = {{0}}, v[DENSE];
        for (size_t i = 0; i < DENSE; i++) {
            p[i][i] = 1 / diagonal[i];
            v[i] = (&r->v[i].x)[c];
            for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
                p[i][n->others[e]] += h * h * n->stiffness[e] / (diagonal[i] * diagonal[n->others[e]]);
        }
        dense_solve(p, v);
        for (size_t i = 0; i < DENSE; i++) energy += (&r->v[i].x)[c] * v[i] / 2;
    }
    return energy;
}

static void make_loose(spring_run *r, ruga_context *context, const integrator_def *def, double k) {
    sheet_make(&sheet, 4, 0.1, k, 0, 0);
    test_random random = {99};
    for (size_t e = 0; e < sheet.spring_count; e++) sheet.springs[e].stiffness *= random_between(&random, 0.1, 3);
    run_make(r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.01, def);
    for (size_t i = 0; i < r->count; i++) {
        r->masses[i] *= random_between(&random, 0.2, 5);
        r->x[i] = random_vec3(&random, -1, 1);
        r->v[i] = random_vec3(&random, -3, 3);
    }
}

static void the_modified_energy_of_equation_10_never_grows(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    integrator_def def = integrator_def_default();
    for (double k = 1e-3; k < 1e6; k *= 10) {
        spring_run r;
        make_loose(&r, context, &def, k);
        double before = modified_energy(&r, 0.02);
        for (int step = 0; step < 300; step++) {
            run_advance(&r, 0.02);
            double energy = modified_energy(&r, 0.02);
            assert_at_most(energy, before * (1 + 1e-10));
            before = energy;
        }
        run_release(&r);
    }
    ruga_context_destroy(context);
}

/* Two masses that pass each other: the spring that should stop them is as soft as k / (1 + a)². */
static void the_true_energy_may_grow_with_two_sweeps(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const spring one = {0, 1, SPRING_EDGE, 0, 100, 0};
    const vec3 x[2] = {{0, 0, 0}, {0, 0, 0}};
    integrator_def def = integrator_def_default();
    spring_run r;
    run_make(&r, context, 2, x, &one, 1, 1, &def);
    r.v[0].x = -0.5;
    r.v[1].x = 0.5;
    double before = run_energy(&r);
    run_advance(&r, 1);
    assert_near(run_energy(&r) / before, 193, 1);
    run_release(&r);
    ruga_context_destroy(context);
}

static void the_true_energy_never_grows_at_convergence(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind < 3; kind++) {
        integrator_def def = kind == 0   ? def_sweeps(300)
                             : kind == 1 ? def_of(INTEGRATOR_FILTER)
                                         : def_of(INTEGRATOR_IMPLICIT);
        for (double k = 0.01; k < 1e3; k *= 10) {
            spring_run r;
            make_loose(&r, context, &def, k);
            double before = run_energy(&r);
            for (int step = 0; step < 100; step++) {
                run_advance(&r, 0.02);
                double energy = run_energy(&r);
                assert_at_most(energy, before * (1 + 1e-9));
                before = energy;
            }
            run_release(&r);
        }
    }
    ruga_context_destroy(context);
}

/* ---- Gravity. */

static void a_sheet_falls_freely_with_every_integrator(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int kind = 0; kind <= INTEGRATOR_COUNT; kind++) {
        integrator_def def = kind < INTEGRATOR_COUNT ? def_of((integrator_kind)kind) : def_sweeps(50);
        /* A stiffness that the explicit one bears. */
        int is_explicit = kind == INTEGRATOR_EXPLICIT || kind == INTEGRATOR_SEMI_IMPLICIT;
        sheet_make(&sheet, 6, 0.1, is_explicit ? 1 : 1e4, 0.01, 1);
        spring_run r;
        run_make(&r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, 0.01, &def);
        r.gravity = (vec3){0, -9.81, 0};
        double h = 1.0 / 60, t = 0;
        for (int step = 0; step < 60; step++, t += h) run_advance(&r, h);
        for (size_t i = 0; i < r.count; i++) {
            /* -½ g t², and -½ g h t of a step's first order. */
            vec3 fallen = vec3_sub(r.x[i], sheet.x[i]);
            assert_less(vec3_distance(fallen, (vec3){0, -9.81 * (t * t + h * t) / 2, 0}), 1e-8);
            assert_less(vec3_distance(r.v[i], (vec3){0, -9.81 * t, 0}), 1e-8);
        }
        run_release(&r);
    }
    ruga_context_destroy(context);
}

/* How much longer than at rest a chain of 20 masses hangs when it has settled. */
static double chain_elongation(ruga_context *context, const integrator_def *def, double m, double k, double h,
                               int steps) {
    chain_make(&sheet, 20, 0.1, k, 0.3);
    spring_run r;
    run_make(&r, context, sheet.count, sheet.x, sheet.springs, sheet.spring_count, m, def);
    r.gravity = (vec3){0, -9.81, 0};
    r.pin_count = 1;
    for (int step = 0; step < steps; step++) run_advance(&r, h);
    double elongation = -r.x[20].y - 2, kinetic = run_kinetic(&r);
    run_release(&r);
    assert_less(kinetic, 1e-6);
    return elongation;
}

static void a_chain_hangs_by_its_weight_at_convergence(void **state) {
    (void)state;
    skip_when_sanitized();
    ruga_context *context = context_plain(1);
    double m = 0.01, h = 1.0 / 60, k = 2.8 * m / (h * h), expected = m * 9.81 * 20 * 21 / 2 / k;
    for (int kind = 0; kind < 3; kind++) {
        integrator_def def = kind == 0   ? def_sweeps(200)
                             : kind == 1 ? def_of(INTEGRATOR_FILTER)
                                         : def_of(INTEGRATOR_IMPLICIT);
        double elongation = chain_elongation(context, &def, m, k, h, 4000);
        assert_near(elongation / expected, 1, 1e-6);
    }
    /* The flaw that the paper states: it hangs several times too far. */
    integrator_def two = def_sweeps(2);
    double ratio = chain_elongation(context, &two, m, k, h, 4000) / expected;
    assert_less(3, ratio);
    assert_less(ratio, 4);
    ruga_context_destroy(context);
}

/* ---- Buckling. */

/* J, elastic and kinetic. */
static double chain_energy(const spring_run *r) {
    double sum = r->network->base.interface->value(&r->network->base, r->x);
    for (size_t i = 0; i < r->count; i++) sum += r->masses[i] / 2 * vec3_length2(r->v[i]);
    return sum;
}

/* A stiff chain between two pins that are 1 % too near, with a slight zigzag, in steps far too long for its buckling:
 * it buckles within some steps, and no step adds energy. The steps begin as for a common solve. If masses alone limited
 * how far points are pushed aside, the first step would multiply the energy by 185. */
static void a_compressed_chain_buckles_without_gaining_energy(void **state) {
    (void)state;
    enum { COUNT = 13 };
    const double edge = 0.01, k = 1000, h = 1.0 / 60, mass = k * h * h / 1e5;
    ruga_context *context = context_plain(1);
    spring springs[COUNT - 1];
    vec3 x[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = (vec3){0.99 * edge * i, i % (COUNT - 1) == 0 ? 0 : (i % 2 ? 0.01 : -0.01) * edge, 0};
    for (uint32_t i = 0; i + 1 < COUNT; i++) springs[i] = (spring){i, i + 1, SPRING_EDGE, edge, k, 0};
    integrator_def def = def_of(INTEGRATOR_IMPLICIT);
    spring_run r;
    run_make(&r, context, COUNT, x, springs, COUNT - 1, mass, &def);
    r.pins[0] = 0;
    r.pins[1] = COUNT - 1;
    r.pin_count = 2;
    const double first = chain_energy(&r);
    double last = first;
    for (int step = 0; step < 60; step++) {
        integrator_step s = run_step(&r, h);
        assert_ok(context, integrator_begin(r.solver, &s, r.next, &r.report));
        assert_ok(context, integrator_finish(r.solver, &r.report));
        for (size_t i = 0; i < r.count; i++) {
            r.v[i] = r.next[i];
            r.x[i] = vec3_add_scaled(r.x[i], r.v[i], h);
        }
        double energy = chain_energy(&r);
        assert_less_case(energy, last + 1e-6 * first, "step %d", step);
        last = energy;
    }
    assert_less(last, 1e-3 * first);
    run_release(&r);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compressed_chain_buckles_without_gaining_energy),
        cmocka_unit_test(two_masses_at_rest_come_nearer_by_equation_13),
        cmocka_unit_test(two_masses_never_go_further_apart_than_they_began),
        cmocka_unit_test(sweeps_leave_what_chebyshevs_polynomials_say),
        cmocka_unit_test(the_form_per_spring_reduces_to_equation_10),
        cmocka_unit_test(momentum_is_conserved_but_by_the_two_sweeps_of_the_paper),
        cmocka_unit_test(the_drift_of_two_sweeps_on_a_chain_is_that_of_equation_10),
        cmocka_unit_test(each_piece_keeps_its_own_momentum),
        cmocka_unit_test(the_modified_energy_of_equation_10_never_grows),
        cmocka_unit_test(the_true_energy_may_grow_with_two_sweeps),
        cmocka_unit_test(the_true_energy_never_grows_at_convergence),
        cmocka_unit_test(a_sheet_falls_freely_with_every_integrator),
        cmocka_unit_test(a_chain_hangs_by_its_weight_at_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
