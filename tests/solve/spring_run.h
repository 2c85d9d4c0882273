/* Springs and masses that tests step through time. Everything is allocated by the C library, so that a context's
 * allocator counts the integrator alone. */
#ifndef TESTS_SPRING_RUN_H
#define TESTS_SPRING_RUN_H

#include <math.h>

#include "energy/spring_network.h"
#include "solve/integrator.h"
#include "support/support.h"

typedef struct spring_run {
    ruga_context *context;
    spring_network *network;
    integrator *solver;
    size_t count;
    double *masses;
    vec3 *x, *v, *next, *forces, *pushed;
    vec3 gravity;
    uint32_t pins[64];
    vec3 pin_velocities[64];
    size_t pin_count;
    integrator_report report;
} spring_run;

/* An integrator of one network alone. */
static inline ruga_status create_for_springs(const integrator_def *def, spring_network *network, const double *masses,
                                             integrator **out) {
    energy_term *springs = &network->base;
    integrator_system system = {.context = network->context,
                                .point_count = network->point_count,
                                .masses = masses,
                                .energy_count = 1,
                                .energies = &springs};
    return integrator_create(def, &system, out);
}

static inline void run_make(spring_run *r, ruga_context *context, size_t count, const vec3 *x, const spring *springs,
                            size_t spring_count, double mass, const integrator_def *def) {
    *r = (spring_run){.context = context, .count = count};
    r->masses = malloc(count * sizeof *r->masses);
    r->x = malloc(count * sizeof *r->x);
    r->v = calloc(count, sizeof *r->v);
    r->next = calloc(count, sizeof *r->next);
    r->forces = calloc(count, sizeof *r->forces);
    r->pushed = calloc(count, sizeof *r->pushed);
    memcpy(r->x, x, count * sizeof *x);
    for (size_t i = 0; i < count; i++) r->masses[i] = mass;
    assert_ok(context, spring_network_create(context, count, springs, spring_count, (spring_phases){1, 1, 0}, NULL, 0,
                                             &r->network));
    assert_ok(context, create_for_springs(def, r->network, r->masses, &r->solver));
}

static inline void run_release(spring_run *r) {
    integrator_destroy(r->solver);
    spring_network_destroy(r->network);
    free(r->masses);
    free(r->x);
    free(r->v);
    free(r->next);
    free(r->forces);
    free(r->pushed);
}

static inline integrator_step run_step(spring_run *r, double dt) {
    for (size_t i = 0; i < r->count; i++) r->pushed[i] = vec3_add_scaled(r->v[i], r->forces[i], dt / r->masses[i]);
    return (integrator_step){.dt = dt,
                             .gravity = r->gravity,
                             .positions = r->x,
                             .velocities = r->pushed,
                             .pin_count = r->pin_count,
                             .pins = r->pins,
                             .pin_velocities = r->pin_velocities};
}

/* The velocities of the next step, in `next`. */
static inline void run_solve(spring_run *r, double dt) {
    integrator_step step = run_step(r, dt);
    assert_ok(r->context, integrator_solve(r->solver, &step, r->next, &r->report));
}

static inline void run_advance(spring_run *r, double dt) {
    run_solve(r, dt);
    for (size_t i = 0; i < r->count; i++) {
        r->v[i] = r->next[i];
        r->x[i] = vec3_add_scaled(r->x[i], r->v[i], dt);
    }
}

static inline double run_kinetic(const spring_run *r) {
    double energy = 0;
    for (size_t i = 0; i < r->count; i++) energy += r->masses[i] * vec3_length2(r->v[i]) / 2;
    return energy;
}

static inline double run_energy(const spring_run *r) {
    return run_kinetic(r) + spring_network_energy(r->network, r->x);
}

/* A square sheet in the plane z = 0 of n x n points at distance d with structural, shear and bending springs of one
 * stiffness; rest lengths are `rest` of the distances. */
typedef struct spring_sheet {
    size_t count, spring_count;
    vec3 x[1024];
    spring springs[6 * 1024];
} spring_sheet;

static inline void sheet_make(spring_sheet *s, size_t n, double d, double stiffness, double damping, double rest) {
    static const int steps[6][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}};
    s->count = n * n;
    s->spring_count = 0;
    for (size_t i = 0; i < n * n; i++) s->x[i] = (vec3){d * (double)(i % n), -d * (double)(i / n), 0};
    for (size_t i = 0; i < n * n; i++)
        for (int k = 0; k < 6; k++) {
            long column = (long)(i % n) + steps[k][0], row = (long)(i / n) + steps[k][1];
            if (column < 0 || column >= (long)n || row >= (long)n) continue;
            uint32_t j = (uint32_t)(row * (long)n + column);
            s->springs[s->spring_count++] =
                (spring){(uint32_t)i, j,      k < 4 ? SPRING_EDGE : SPRING_BEND, rest * vec3_distance(s->x[i], s->x[j]),
                         stiffness,   damping};
        }
}

/* n springs in a row, hanging down from point 0. */
static inline void chain_make(spring_sheet *s, size_t n, double length, double stiffness, double damping) {
    s->count = n + 1;
    s->spring_count = n;
    for (size_t i = 0; i <= n; i++) s->x[i] = (vec3){0, -length * (double)i, 0};
    for (size_t i = 0; i < n; i++)
        s->springs[i] = (spring){(uint32_t)i, (uint32_t)i + 1, SPRING_EDGE, length, stiffness, damping};
}

static inline integrator_def def_of(integrator_kind kind) {
    integrator_def def = integrator_def_default();
    def.kind = kind;
    def.tolerance = 1e-12;
    def.most_iterations = 10000;
    return def;
}

static inline integrator_def def_sweeps(int sweeps) {
    integrator_def def = integrator_def_default();
    def.sweeps = sweeps;
    return def;
}

#endif
