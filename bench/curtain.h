/* Backward Euler at size, for bench_cloth.c: a square metre of cotton in pleats, pinned at its upper border. The
 * springs have the preset's numbers but neither its strain limit nor its friction of bending, which act on parts of the
 * cloth alone and would make steps differ. */
#ifndef BENCH_CURTAIN_H
#define BENCH_CURTAIN_H

#include "cloth_sheet.h"
#include "energy/spring_mesh.h"
#include "solve/integrator.h"

#define CURTAIN_DT (1.0 / 96)
#define CURTAIN_STEPS 8
#define QUICK_RATIO 13      /* block Jacobi is stopped with --quick after this times ours: its time is a lower bound */
#define TRIAL_ITERATIONS 50 /* that show how long one of block Jacobi's takes */

typedef struct curtain {
    ruga_context *context;
    ruga_mesh *mesh;
    spring_network *network;
    double *masses;
    size_t count, pin_count;
    uint32_t *pins;
    ruga_vec3 *pin_velocities, *positions, *velocities, *out;
    integrator_step step;
    integrator_def def;
    integrator *solver;
    integrator_report report;
} curtain;

static integrator *curtain_integrator(const curtain *c, const integrator_def *def) {
    energy_term *term = &c->network->base;
    const integrator_system system = {
        .context = c->context, .point_count = c->count, .masses = c->masses, .energy_count = 1, .energies = &term};
    integrator *made = NULL;
    bench_require(!RUGA_FAILED(integrator_create(def, &system, &made)), ruga_context_message(c->context));
    return made;
}

static void curtain_solve(curtain *c, integrator *solver) {
    bench_require(!RUGA_FAILED(integrator_solve(solver, &c->step, c->out, &c->report)),
                  ruga_context_message(c->context));
}

/* Pleats along x, the same at every height, so that no thread is stretched; and waves of 2 mm. The upper border is
 * pinned every 10 cm. */
static void fold_curtain(curtain *c, size_t side) {
    const double cell = 1 / (double)(side - 1), pi = 3.14159265358979;
    double left = c->mesh->positions[0].x, top = c->mesh->positions[0].y;
    for (size_t i = 0; i < c->count; i++) {
        left = fmin(left, c->mesh->positions[i].x);
        top = fmax(top, c->mesh->positions[i].y);
    }
    ruga_vec3 *pleats = copy_points(NULL, side);
    pleats[0] = (ruga_vec3){0, 0, 0};
    for (size_t k = 1; k < side; k++) {
        double u = ((double)k - 0.5) * cell, angle = 1.1 * sin(10 * pi * u) + 0.25 * sin(26 * pi * u + 1);
        pleats[k] = vec3_add(pleats[k - 1], (ruga_vec3){cell * cos(angle), 0, cell * sin(angle)});
    }
    for (uint32_t i = 0; i < c->count; i++) {
        double u = c->mesh->positions[i].x - left, w = top - c->mesh->positions[i].y;
        c->positions[i] = pleats[lround(u / cell)];
        c->positions[i].y = -w;
        c->positions[i].z += 0.002 * fmin(1, 10 * w) * sin(23 * w + 9 * u + 1) * sin(31 * u - 7 * w);
        if (w < cell / 2 && fabs(10 * u - round(10 * u)) < 0.05) c->pins[c->pin_count++] = i;
    }
    free(pleats);
}

/* The curtain at rest in its folds. */
static void make_curtain(ruga_context *context, size_t side, curtain *c) {
    *c = (curtain){.context = context, .mesh = make_sheet(context, side)};
    c->count = c->mesh->vertex_count;
    cloth_def def = cotton(c->mesh, INTEGRATOR_IMPLICIT);
    const spring_material material = cloth_springs(&def, c->mesh);
    c->masses = malloc(c->count * sizeof *c->masses);
    c->pins = malloc(side * sizeof *c->pins);
    c->pin_velocities = calloc(side, sizeof *c->pin_velocities);
    c->velocities = calloc(c->count, sizeof *c->velocities);
    c->positions = copy_points(NULL, c->count);
    c->out = copy_points(NULL, c->count);
    bench_require(c->masses && c->pins && c->pin_velocities && c->velocities, "no memory");
    bench_require(!RUGA_FAILED(ruga_mesh_masses(c->mesh, def.material.density, c->masses)) &&
                      !RUGA_FAILED(spring_network_of_mesh(c->mesh, &material, &c->network)),
                  ruga_context_message(context));
    fold_curtain(c, side);
    c->step = (integrator_step){.dt = CURTAIN_DT,
                                .gravity = surroundings.gravity,
                                .positions = c->positions,
                                .velocities = c->velocities,
                                .pin_count = c->pin_count,
                                .pins = c->pins,
                                .pin_velocities = c->pin_velocities};
    c->def = cloth_integrator(&def);
    c->def.preconditioner = PRECONDITION_TWO_LEVEL;
    c->def.tolerance = 1e-3;
    c->def.from_zero = 1;
}

/* The first steps, more exactly than usual, so that the state is the motion's and not the solver's. */
static void swing_curtain(curtain *c) {
    integrator_def def = c->def;
    def.from_zero = 0;
    def.tolerance = 1e-4;
    integrator *solver = curtain_integrator(c, &def);
    for (int step = 0; step < CURTAIN_STEPS; step++) {
        curtain_solve(c, solver);
        bench_require(c->report.converged && c->report.is_two_level, "two levels did not reach 1e-3");
        memcpy(c->velocities, c->out, c->count * sizeof *c->out);
        for (size_t i = 0; i < c->count; i++)
            c->positions[i] = vec3_add_scaled(c->positions[i], c->velocities[i], CURTAIN_DT);
    }
    integrator_destroy(solver);
}

static void release_curtain(curtain *c) {
    integrator_destroy(c->solver);
    spring_network_destroy(c->network);
    ruga_mesh_destroy(c->mesh);
    free(c->masses);
    free(c->pins);
    free(c->pin_velocities);
    free(c->velocities);
    free(c->positions);
    free(c->out);
}

static void run_fresh(void *user) {
    curtain *c = user;
    integrator *solver = curtain_integrator(c, &c->def);
    curtain_solve(c, solver);
    integrator_destroy(solver);
}

/* A step whose integrator has been used before: what a scene pays for each. */
static void run_steady(void *user) { curtain_solve(user, ((curtain *)user)->solver); }

static void warm_up(curtain *c) {
    integrator_destroy(c->solver);
    c->solver = curtain_integrator(c, &c->def);
    run_steady(c);
}

static double curtain_stiffness(const curtain *c) {
    double sum = 0;
    for (size_t i = 0; i < c->count; i++) sum += CURTAIN_DT * CURTAIN_DT * c->network->stiffness_sums[i] / c->masses[i];
    return sum / (double)c->count;
}

/* Block Jacobi of so many iterations at most, s. */
static double plain_time(const bench_setup *bench, curtain *c, int most_iterations) {
    const int most = c->def.most_iterations;
    c->def.preconditioner = PRECONDITION_BLOCKS;
    c->def.most_iterations = most_iterations;
    double time = bench_time(NULL, run_fresh, c, bench->threads == 1);
    c->def.preconditioner = PRECONDITION_TWO_LEVEL;
    c->def.most_iterations = most;
    return time;
}

/* Two levels with all set-up, s. */
static double fresh_time(const bench_setup *bench, curtain *c) {
    double time = bench_time(NULL, run_fresh, c, bench->threads == 1);
    bench_require(c->report.converged && c->report.is_two_level, "two levels did not reach 1e-3");
    return time;
}

static void print_turn(const curtain *c, double plain, double ours, int iterations) {
    bench_row("block Jacobi", plain, 0, NULL);
    bench_row("two levels with set-up", ours, 0, NULL);
    printf("  %d%s and %d iterations\n", c->report.iterations, c->report.converged ? "" : " (stopped)", iterations);
}

static double plain_turn(const bench_setup *bench, curtain *c) {
    double ours = fresh_time(bench, c);
    int iterations = c->report.iterations;
    double plain = plain_time(bench, c, c->def.most_iterations);
    bench_require(c->report.converged, "block Jacobi did not reach 1e-3");
    print_turn(c, plain, ours, iterations);
    return plain / ours;
}

/* Ours five times around block Jacobi once, which is stopped. */
static double quick_ratio(const bench_setup *bench, curtain *c) {
    double ours[5];
    for (int k = 0; k < 3; k++) ours[k] = fresh_time(bench, c);
    double middle = bench_median(ours, 3);
    double few = plain_time(bench, c, TRIAL_ITERATIONS), twice = plain_time(bench, c, 2 * TRIAL_ITERATIONS);
    double plain = plain_time(bench, c, (int)(QUICK_RATIO * middle / fmax(twice - few, few / 4) * TRIAL_ITERATIONS));
    const integrator_report of_plain = c->report;
    for (int k = 3; k < 5; k++) ours[k] = fresh_time(bench, c);
    int iterations = c->report.iterations;
    c->report = of_plain;
    double median = bench_median(ours, 5);
    print_turn(c, plain, median, iterations);
    if (!of_plain.converged) printf("  block Jacobi was stopped: the figure is a lower bound; ours is a median of 5\n");
    return plain / median;
}

static void measure_plain_cg(const bench_setup *bench, curtain *c) {
    enum { TURNS = 5 };
    double ratios[TURNS];
    printf(
        "backward Euler of a curtain: %zu points, %zu springs; cotton, dt 1/96 s, k h2 n / m = %.3g; from zero to a "
        "2-norm of 1e-3; %d thread%s\n",
        c->count, c->network->spring_count, curtain_stiffness(c), bench->threads, bench->threads == 1 ? "" : "s");
    for (int turn = 0; turn < TURNS && !bench->quick; turn++) ratios[turn] = plain_turn(bench, c);
    bench_figure("plain_cg_vs_ours", bench->quick ? quick_ratio(bench, c) : bench_median(ratios, TURNS));
}

/* Time per point of a later step, s. */
static double time_per_point(const bench_setup *bench, curtain *c) {
    return bench_time(NULL, run_steady, c, bench->threads == 1) / (double)c->count;
}

/* Both are of one state, by one thread and by two; and a small one for comparison, or NULL. */
static void measure_curtain_threads(const bench_setup *bench, curtain *const c[2], curtain *small) {
    double ratios[9], growths[9], load = -1;
    const int turns = bench->quick ? 5 : 9;
    for (int k = 0; k < 2; k++) warm_up(c[k]);
    if (small) warm_up(small);
    getloadavg(&load, 1);
    printf("the same by threads, a later step; load of the machine %.1f, at most 1 is fair\n", load);
    for (int turn = 0; turn < turns; turn++) {
        double one = bench_time(NULL, run_steady, c[0], 0), two = bench_time(NULL, run_steady, c[1], 0);
        ratios[turn] = one / two;
        if (small) growths[turn] = one / (double)c[0]->count / time_per_point(bench, small);
    }
    bench_require(memcmp(c[0]->out, c[1]->out, c[0]->count * sizeof *c[0]->out) == 0,
                  "one thread and two give different velocities");
    bench_figure("implicit_threads_2", bench_median(ratios, turns));
    if (small) bench_figure("implicit_growth_to_1e5", bench_median(growths, turns));
}

/* The time per point of a large curtain over that of a small one, in turns. */
static double growth(const bench_setup *bench, curtain *small, curtain *large) {
    enum { TURNS = 5 };
    double few[TURNS], many[TURNS], ratios[TURNS];
    warm_up(small);
    warm_up(large);
    for (int turn = 0; turn < TURNS; turn++) {
        few[turn] = time_per_point(bench, small), many[turn] = time_per_point(bench, large);
        ratios[turn] = many[turn] / few[turn];
    }
    const curtain *both[2] = {small, large};
    const double times[2] = {bench_median(few, TURNS), bench_median(many, TURNS)};
    for (int k = 0; k < 2; k++)
        printf("  %zu points: %d iterations, %.3g us a point\n", both[k]->count, both[k]->report.iterations,
               times[k] * 1e6);
    return bench_median(ratios, TURNS);
}

static void measure_curtain_growth(const bench_setup *bench, curtain *small) {
    curtain large;
    printf("the same by size, a later step\n");
    make_curtain(bench->context, 707, &large);
    swing_curtain(&large);
    bench_figure("implicit_growth", growth(bench, small, &large));
    release_curtain(&large);
}

static void measure_curtains(const bench_setup *bench) {
    enum { SIDE = 316 };
    curtain c, by_two /* which swings, with the same bits */, small;
    ruga_context *two = make_context(2, (ruga_allocator){0});
    make_curtain(bench->context, SIDE, &c);
    make_curtain(two, SIDE, &by_two);
    swing_curtain(&by_two);
    memcpy(c.positions, by_two.positions, c.count * sizeof *c.positions);
    memcpy(c.velocities, by_two.velocities, c.count * sizeof *c.velocities);
    make_curtain(bench->context, 100, &small);
    swing_curtain(&small);
    measure_plain_cg(bench, &c);
    measure_curtain_threads(bench, (curtain *const[2]){&c, &by_two}, bench->quick ? &small : NULL);
    release_curtain(&by_two);
    ruga_context_destroy(two);
    release_curtain(&c);
    if (!bench->quick) measure_curtain_growth(bench, &small);
    release_curtain(&small);
}

#endif
