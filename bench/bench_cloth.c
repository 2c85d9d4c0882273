/* The cost of a step of cloth: one square metre of cotton, dt 1/60 s, held at two corners.
 *
 *   approximate_vs_explicit       time of a step of the approximate implicit integrator (Kang et al. 2001, equation 10)
 *                                 over that of an explicit one, 10 thousand points
 *   implicit_vs_approximate       backward Euler by conjugate gradients (block Jacobi, to 1e-3) over the approximate
 *                                 one, 10 thousand points; how stiff the cloth is and how far the two results lie apart
 *                                 is printed
 *   plain_cg_vs_ours              one step of backward Euler, dt 1/96 s, of a pinned, folded curtain after 8 steps, 100
 *                                 thousand points, from zero to a 2-norm residual of 1e-3: conjugate gradients with
 *                                 block Jacobi over those with two levels, all of their set-up included
 *   implicit_threads_2            that step, in its steady state, by one thread over that by two; both give the same
 *                                 bits
 *   implicit_growth               time per point of that step at 500 thousand points over that at 10 thousand; with
 *                                 --quick at 100 thousand, as implicit_growth_to_1e5
 *   dense_filter_vs_approximate   the filter of Desbrun et al. 1999 as the paper has it, a dense inverse made
 *                                 beforehand and applied by BLAS (OpenBLAS, one thread), over the approximate one,
 *                                 2,500 points
 *   growth_1e4_1e6                time per point of a whole step at a million points over that at 10 thousand
 *   threads_2                     a whole step at 200 thousand points by one thread over that by two; both give the
 *                                 same bits
 *   bytes_per_point               what a running cloth of a million points holds, its mesh included, over the points
 *   step_allocations              allocations in steps of it
 *   membrane_vs_springs, strain_limit_cost   see cloth_fabric.c
 *
 * The first three compare integrators alone, from positions and velocities to the velocities at the end of the step: no
 * air, no moving of points, which are the same for both and would only bring the two nearer. They start from one state
 * that is never changed: half a second of wind, by the sparse filter. A whole step is all that a world does: springs,
 * moving, accepting, looking for what is not finite. It has no air either, which computes much with little memory and
 * would only better the figures; what is counted in bytes has it. One-thread figures are of the processor's time,
 * threads_2 is of the wall's. */
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/default_allocator.h"
#include "base/state.h"
#include "cloth_fabric.h"
#include "cloth_sheet.h"
#include "curtain.h"
#include "linalg/ldl.h"
#include "system/world.h"

#ifdef BENCH_OPENBLAS
#include <cblas.h>
void openblas_set_num_threads(int count); /* which the plain header of CBLAS lacks */
#endif

#define DT (1.0 / 60)
#define STATE_STEPS 30

/* ---- The sheet. */

/* The two upper corners: the points farthest up and to either side. */
static void find_corners(const ruga_mesh *mesh, uint32_t corners[2]) {
    corners[0] = corners[1] = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const ruga_vec3 *p = mesh->positions, *a = &p[corners[0]], *b = &p[corners[1]];
        if (p[i].y - p[i].x > a->y - a->x) corners[0] = i;
        if (p[i].y + p[i].x > b->y + b->x) corners[1] = i;
    }
}

/* A world with the sheet alone in it; it steps from the first moment on. */
static world *make_world(const ruga_mesh *mesh, integrator_kind kind, int with_air) {
    uint32_t corners[2];
    find_corners(mesh, corners);
    const cloth_pin_def pin = {.count = 2, .vertices = corners};
    cloth_def def = cotton(mesh, kind);
    def.pin_def_count = 1;
    def.pins = &pin;
    if (!with_air) def.values.drag = def.values.lift = 0;
    world *w = NULL;
    body *b = NULL;
    size_t object;
    ruga_status status = world_create(mesh->context, &w);
    if (!RUGA_FAILED(status)) status = cloth_create(mesh, &def, &b);
    if (!RUGA_FAILED(status)) status = world_add_object(w, "sheet", b, &object);
    if (!RUGA_FAILED(status)) *world_environment(w) = surroundings;
    if (!RUGA_FAILED(status)) status = world_settle(w, 0, 0);
    bench_require(!RUGA_FAILED(status), ruga_context_message(mesh->context));
    return w;
}

static void step_world(world *w, int steps) {
    for (int i = 0; i < steps; i++)
        bench_require(!RUGA_FAILED(world_step(w, world_time(w) + DT, 1, 0, 0)), "a step of the world failed");
}

/* ---- Integrators alone, all from the same state. */

typedef struct springs {
    ruga_mesh *mesh;
    spring_network *network;
    double *masses;
    uint32_t pins[2];
    ruga_vec3 pin_velocities[2];
    ruga_vec3 *positions, *velocities, *out;
    integrator_step step;
    integrator *approximate, *rival;
    integrator_report report; /* of the rival */
    int steps;                /* in a repetition */
} springs;

static integrator *make_integrator(const bench_setup *bench, const springs *s, integrator_kind kind) {
    integrator *made = NULL;
    cloth_def def = cotton(s->mesh, kind);
    energy_term *term = &s->network->base;
    integrator_system system = {.context = s->network->context,
                                .point_count = s->network->point_count,
                                .masses = s->masses,
                                .energy_count = 1,
                                .energies = &term};
    const integrator_def solver = cloth_integrator(&def);
    bench_ok(bench, integrator_create(&solver, &system, &made));
    return made;
}

static springs make_springs(const bench_setup *bench, size_t side, int steps) {
    springs s = {.mesh = make_sheet(bench->context, side), .steps = steps};
    const size_t count = s.mesh->vertex_count;
    cloth_def def = cotton(s.mesh, INTEGRATOR_FILTER);
    s.masses = malloc(count * sizeof *s.masses);
    bench_require(s.masses != NULL, "no memory");
    bench_ok(bench, ruga_mesh_masses(s.mesh, def.material.density, s.masses));
    const spring_material material = cloth_springs(&def, s.mesh);
    bench_ok(bench, spring_network_of_mesh(s.mesh, &material, &s.network));
    find_corners(s.mesh, s.pins);

    world *w = make_world(s.mesh, INTEGRATOR_FILTER, 1);
    step_world(w, STATE_STEPS);
    s.positions = copy_points(world_body(w, 0)->positions, count);
    s.velocities = copy_points(world_body(w, 0)->velocities, count);
    s.out = copy_points(NULL, count);
    world_destroy(w);
    s.approximate = make_integrator(bench, &s, INTEGRATOR_APPROXIMATE_IMPLICIT);
    return s;
}

/* Once s has found its place. */
static void set_step(springs *s) {
    s->step = (integrator_step){.dt = DT,
                                .gravity = surroundings.gravity,
                                .positions = s->positions,
                                .velocities = s->velocities,
                                .pin_count = 2,
                                .pins = s->pins,
                                .pin_velocities = s->pin_velocities};
}

static void release_springs(springs *s) {
    integrator_destroy(s->approximate);
    integrator_destroy(s->rival);
    spring_network_destroy(s->network);
    ruga_mesh_destroy(s->mesh);
    free(s->masses);
    free(s->positions);
    free(s->velocities);
    free(s->out);
}

static void solve(springs *s, integrator *with, integrator_report *report) {
    bench_require(!RUGA_FAILED(integrator_solve(with, &s->step, s->out, report)),
                  ruga_context_message(s->mesh->context));
}

static void run_approximate(void *user) {
    springs *s = user;
    integrator_report report;
    for (int i = 0; i < s->steps; i++) solve(s, s->approximate, &report);
}

static void run_rival(void *user) {
    springs *s = user;
    for (int i = 0; i < s->steps; i++) solve(s, s->rival, &s->report);
}

static void measure_explicit(const bench_setup *bench) {
    springs s = make_springs(bench, 100, 10);
    set_step(&s);
    s.rival = make_integrator(bench, &s, INTEGRATOR_EXPLICIT);
    printf("approximate implicit and explicit: %zu points, %zu springs; cotton; 1 thread; %d steps\n",
           s.mesh->vertex_count, s.network->spring_count, s.steps);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "approximate implicit",
                                                        .a = run_approximate,
                                                        .b_name = "explicit",
                                                        .b = run_rival,
                                                        .user = &s,
                                                        .processor_time = bench->threads == 1,
                                                        .repetitions = 41,
                                                        .items = (double)s.mesh->vertex_count * s.steps,
                                                        .item_name = "points"});
    bench_figure("approximate_vs_explicit", r.ratio);
    release_springs(&s);
}

/* ---- Backward Euler. */

/* k h² n / m: the mean over points of h² times the sum of the stiffnesses at a point over its mass. */
static double stiffness_number(const springs *s) {
    double sum = 0;
    for (size_t i = 0; i < s->mesh->vertex_count; i++) sum += DT * DT * s->network->stiffness_sums[i] / s->masses[i];
    return sum / (double)s->mesh->vertex_count;
}

/* How far two results lie apart, as a root mean square, and the change of velocity of the second. */
static void print_difference(const springs *s, const ruga_vec3 *a, const ruga_vec3 *b) {
    double apart = 0, change_a = 0, change_b = 0, both = 0;
    const size_t count = s->mesh->vertex_count;
    for (size_t i = 0; i < count; i++) {
        ruga_vec3 p = vec3_sub(a[i], s->velocities[i]), q = vec3_sub(b[i], s->velocities[i]);
        apart += vec3_length2(vec3_sub(p, q));
        change_a += vec3_length2(p);
        change_b += vec3_length2(q);
        both += vec3_dot(p, q);
    }
    const double n = (double)count;
    printf(
        "  changes of velocity: approximate %.3g m/s, implicit %.3g m/s, apart by %.3g m/s (rms); correlation %.3f\n",
        sqrt(change_a / n), sqrt(change_b / n), sqrt(apart / n), both / sqrt(change_a * change_b));
}

static void measure_implicit(const bench_setup *bench) {
    springs s = make_springs(bench, 100, 1);
    set_step(&s);
    s.rival = make_integrator(bench, &s, INTEGRATOR_IMPLICIT);
    printf("backward Euler and approximate implicit: %zu points; cotton, k h2 n / m = %.3g; 1 thread; 1 step\n",
           s.mesh->vertex_count, stiffness_number(&s));
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "implicit, CG to 1e-3",
                                                        .a = run_rival,
                                                        .b_name = "approximate implicit",
                                                        .b = run_approximate,
                                                        .user = &s,
                                                        .processor_time = bench->threads == 1,
                                                        .items = (double)s.mesh->vertex_count,
                                                        .item_name = "points"});
    ruga_vec3 *approximate = copy_points(s.out, s.mesh->vertex_count);
    run_rival(&s);
    bench_require(s.report.converged, "conjugate gradients did not reach 1e-3");
    printf("  %d iterations of conjugate gradients\n", s.report.iterations);
    print_difference(&s, approximate, s.out);
    bench_figure("implicit_vs_approximate", r.ratio);
    free(approximate);
    release_springs(&s);
}

/* ---- The paper's rival. */

#ifdef BENCH_OPENBLAS

typedef enum blas_routine { ROUTINE_GEMM, ROUTINE_GEMV, ROUTINE_SYMV, ROUTINE_COUNT } blas_routine;
static const char *const routine_names[ROUTINE_COUNT] = {"dgemm", "three dgemv", "three dsymv"};

typedef struct dense_filter {
    springs base;
    double
        *inverse; /* (points x points) of M + h² L + h C, rows and columns of pinned points those of the unit matrix */
    ruga_vec3 *forces;
    double *in, *out; /* (3 x points) coordinate by coordinate, which suits BLAS better */
    blas_routine routine;
} dense_filter;

/* The matrix as `filter` has it, factored sparsely, then applied to every unit vector. */
static void invert(const bench_setup *bench, dense_filter *d) {
    const spring_network *n = d->base.network;
    const size_t count = n->point_count;
    spring_weights weights = spring_network_weights(n, DT);
    double *values = malloc(n->entry_count * sizeof *values), *diagonal = malloc(count * sizeof *diagonal);
    ruga_vec3 *x = malloc(count * sizeof *x);
    ldl *factor = NULL;
    bench_require(values && diagonal && x && !n->damping, "no memory, or another damping than cotton's");
    for (size_t i = 0; i < count; i++) {
        int pinned = i == d->base.pins[0] || i == d->base.pins[1];
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            int other = n->others[e] == d->base.pins[0] || n->others[e] == d->base.pins[1];
            values[e] = pinned || other ? 0 : -weights.stiffness * n->bounds[e];
        }
        diagonal[i] = pinned ? 1 : d->base.masses[i] + weights.stiffness * n->stiffness_sums[i];
    }
    bench_ok(bench, ldl_create(bench->context, count, n->offsets, n->others, &factor));
    bench_ok(bench, ldl_factor(factor, values, diagonal));
    for (size_t c = 0; c < count; c += 3) {
        memset(x, 0, count * sizeof *x);
        for (size_t k = 0; k < 3 && c + k < count; k++) (&x[c + k].x)[k] = 1;
        ldl_solve(factor, x);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < 3 && c + k < count; k++) d->inverse[i * count + c + k] = (&x[i].x)[k];
    }
    ldl_destroy(factor);
    free(values);
    free(diagonal);
    free(x);
}

static void apply_inverse(dense_filter *d, const ruga_vec3 *forces, ruga_vec3 *changes) {
    const int n = (int)d->base.mesh->vertex_count;
    for (int c = 0; c < 3; c++) cblas_dcopy(n, &forces->x + c, 3, d->in + c * n, 1);
    if (d->routine == ROUTINE_GEMM)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, 3, n, 1, d->inverse, n, d->in, n, 0, d->out, n);
    for (int c = 0; c < 3 && d->routine == ROUTINE_GEMV; c++)
        cblas_dgemv(CblasColMajor, CblasTrans, n, n, 1, d->inverse, n, d->in + c * n, 1, 0, d->out + c * n, 1);
    for (int c = 0; c < 3 && d->routine == ROUTINE_SYMV; c++)
        cblas_dsymv(CblasColMajor, CblasLower, n, 1, d->inverse, n, d->in + c * n, 1, 0, d->out + c * n, 1);
    for (int c = 0; c < 3; c++) cblas_dcopy(n, d->out + c * n, 1, &changes->x + c, 3);
}

/* One step: forces with viscosity as the others have them, then the inverse. Pins do not move. */
static void run_dense(void *user) {
    dense_filter *d = user;
    springs *s = &d->base;
    const size_t count = s->mesh->vertex_count;
    spring_force_pass pass = {.positions = s->positions,
                              .velocities = s->velocities,
                              .viscosity = DT,
                              .damped = 1,
                              .gain = DT,
                              .out = d->forces};
    spring_network_forces(s->network, &pass);
    ruga_vec3 fall = vec3_scale(s->step.gravity, DT);
    for (int k = 0; k < 2; k++) d->forces[s->pins[k]] = (ruga_vec3){0, 0, 0};
    apply_inverse(d, d->forces, s->out);
    for (size_t i = 0; i < count; i++) s->out[i] = vec3_add(s->out[i], vec3_add(s->velocities[i], fall));
    for (int k = 0; k < 2; k++) s->out[s->pins[k]] = (ruga_vec3){0, 0, 0};
}

/* The routine of BLAS that is fastest for the rival here. */
static void choose_routine(dense_filter *d) {
    double best[ROUTINE_COUNT] = {1e9, 1e9, 1e9};
    for (int turn = 0; turn < 5 * ROUTINE_COUNT; turn++) {
        d->routine = (blas_routine)(turn % ROUTINE_COUNT);
        best[d->routine] = fmin(best[d->routine], bench_time(NULL, run_dense, d, 1));
    }
    for (int k = 0; k < ROUTINE_COUNT; k++) {
        printf("  %-28s %10.3f ms\n", routine_names[k], best[k] * 1e3);
        if (best[k] < best[d->routine]) d->routine = (blas_routine)k;
    }
    printf("  the fastest counts: %s\n", routine_names[d->routine]);
}

static void require_like_filter(const bench_setup *bench, dense_filter *d) {
    springs *s = &d->base;
    s->rival = make_integrator(bench, s, INTEGRATOR_FILTER);
    run_rival(s);
    ruga_vec3 *sparse = copy_points(s->out, s->mesh->vertex_count);
    for (d->routine = ROUTINE_GEMM; d->routine < ROUTINE_COUNT; d->routine++) {
        run_dense(d);
        double apart = 0, size = 0;
        for (size_t i = 0; i < s->mesh->vertex_count; i++) {
            apart = fmax(apart, vec3_distance(sparse[i], s->out[i]));
            size = fmax(size, vec3_distance(s->velocities[i], s->out[i]));
        }
        bench_require(apart <= 1e-6 * size, "the dense and the sparse filter give different velocities");
    }
    free(sparse);
}

static void run_approximate_of(void *user) { run_approximate(&((dense_filter *)user)->base); }

static void measure_dense(const bench_setup *bench) {
    openblas_set_num_threads(1);
    dense_filter d = {.base = make_springs(bench, 50, 1)};
    set_step(&d.base);
    const size_t count = d.base.mesh->vertex_count;
    d.inverse = malloc(count * count * sizeof *d.inverse);
    d.in = malloc(3 * count * sizeof *d.in);
    d.out = malloc(3 * count * sizeof *d.out);
    d.forces = copy_points(NULL, count);
    bench_require(d.inverse && d.in && d.out, "no memory");
    invert(bench, &d);
    /* Pins do not move, so gravity is all that they would do to their neighbours: the rival is spared it. */
    d.base.step.gravity = (ruga_vec3){0, 0, 0};
    printf("dense filter and approximate implicit: %zu points; cotton; 1 thread; 1 step\n", count);
    require_like_filter(bench, &d);
    choose_routine(&d);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "dense filter, OpenBLAS",
                                                        .a = run_dense,
                                                        .b_name = "approximate implicit",
                                                        .b = run_approximate_of,
                                                        .user = &d,
                                                        .processor_time = bench->threads == 1,
                                                        .repetitions = 41,
                                                        .items = (double)count,
                                                        .item_name = "points"});
    bench_figure("dense_filter_vs_approximate", r.ratio);
    free(d.inverse);
    free(d.in);
    free(d.out);
    free(d.forces);
    release_springs(&d.base);
}

#else

static void measure_dense(const bench_setup *bench) {
    (void)bench;
    printf("dense filter: left out, OpenBLAS was not there when this was built (on Debian: libopenblas-dev)\n");
}

#endif

/* ---- Whole steps. */

typedef struct two_worlds {
    world *a, *b;
    int a_steps, b_steps; /* in a repetition */
} two_worlds;

static void step_a(void *user) { step_world(((two_worlds *)user)->a, ((two_worlds *)user)->a_steps); }
static void step_b(void *user) { step_world(((two_worlds *)user)->b, ((two_worlds *)user)->b_steps); }

static world *make_approximate(const ruga_mesh *mesh) { return make_world(mesh, INTEGRATOR_APPROXIMATE_IMPLICIT, 0); }

static void measure_growth(const bench_setup *bench) {
    ruga_mesh *large = make_sheet(bench->context, 1000), *small = make_sheet(bench->context, 100);
    two_worlds w = {make_approximate(large), make_approximate(small), 1, 100};
    printf("whole steps, growth: %zu and %zu points; cotton, equation 10; 1 thread; 1 and %d steps\n",
           large->vertex_count, small->vertex_count, w.b_steps);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "a million points",
                                                        .a = step_a,
                                                        .b_name = "10 thousand points",
                                                        .b = step_b,
                                                        .user = &w,
                                                        .processor_time = bench->threads == 1,
                                                        .repetitions = bench->quick ? 5 : 31,
                                                        .items = (double)large->vertex_count,
                                                        .item_name = "points"});
    bench_figure("growth_1e4_1e6", r.ratio);
    world_destroy(w.a);
    world_destroy(w.b);
    ruga_mesh_destroy(large);
    ruga_mesh_destroy(small);
}

static uint64_t hash_of(world *w) {
    const body *b = world_body(w, 0);
    return state_hash(b->positions, b->point_count * sizeof *b->positions, 0);
}

static void measure_threads(const bench_setup *bench) {
    ruga_context *contexts[2] = {make_context(1, (ruga_allocator){0}), make_context(2, (ruga_allocator){0})};
    ruga_mesh *meshes[2] = {make_sheet(contexts[0], 447), make_sheet(contexts[1], 447)};
    two_worlds w = {make_approximate(meshes[0]), make_approximate(meshes[1]), 4, 4};
    double load = -1;
    getloadavg(&load, 1);
    printf(
        "whole steps, threads: %zu points; cotton, equation 10; %d steps; load of the machine %.1f, at most 1 is "
        "fair\n",
        meshes[0]->vertex_count, w.a_steps, load);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "1 thread",
                                                        .a = step_a,
                                                        .b_name = "2 threads",
                                                        .b = step_b,
                                                        .user = &w,
                                                        .repetitions = bench->quick ? 5 : 21,
                                                        .items = (double)meshes[0]->vertex_count * w.a_steps,
                                                        .item_name = "points"});
    bench_require(hash_of(w.a) == hash_of(w.b), "one thread and two give different positions");
    bench_figure("threads_2", r.ratio);
    for (int k = 0; k < 2; k++) {
        world_destroy(k ? w.b : w.a);
        ruga_mesh_destroy(meshes[k]);
        ruga_context_destroy(contexts[k]);
    }
}

/* ---- Memory: the default allocator, counted. */

typedef struct memory_count {
    ruga_allocator base;
    struct {
        void *memory;
        size_t size;
    } live[4096];
    size_t live_count, bytes, peak, allocations;
} memory_count;

static void *count_allocate(void *user, size_t size) {
    memory_count *count = user;
    void *memory = count->base.allocate(count->base.user, size);
    if (!memory) return NULL;
    bench_require(count->live_count < sizeof count->live / sizeof count->live[0], "too many allocations to be counted");
    count->live[count->live_count].memory = memory;
    count->live[count->live_count++].size = size;
    count->allocations++;
    count->bytes += size;
    if (count->bytes > count->peak) count->peak = count->bytes;
    return memory;
}

static void count_release(void *user, void *memory) {
    memory_count *count = user;
    if (!memory) return;
    size_t i = count->live_count;
    while (i > 0 && count->live[i - 1].memory != memory) i--;
    bench_require(i > 0, "memory is released that was never allocated");
    count->bytes -= count->live[i - 1].size;
    count->live[i - 1] = count->live[--count->live_count];
    count->base.release(count->base.user, memory);
}

static void measure_memory(const bench_setup *bench) {
    static memory_count memory;
    memory.base = default_allocator();
    ruga_context *context = make_context(1, (ruga_allocator){count_allocate, count_release, &memory});
    ruga_mesh *mesh = make_sheet(context, bench->quick ? 500 : 1000);
    const double points = (double)mesh->vertex_count, of_mesh = (double)memory.bytes;
    world *w = make_world(mesh, INTEGRATOR_APPROXIMATE_IMPLICIT, 1);
    const double bytes = (double)memory.bytes, peak = (double)memory.peak;
    const size_t before = memory.allocations;
    step_world(w, 5);
    printf(
        "memory: %zu points; cotton in wind, equation 10: mesh %.0f, cloth %.0f bytes a point; %.0f while it is made\n",
        mesh->vertex_count, of_mesh / points, (bytes - of_mesh) / points, peak / points);
    bench_figure("bytes_per_point", bytes / points);
    bench_figure("step_allocations", (double)(memory.allocations - before));
    world_destroy(w);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
    bench_require(memory.live_count == 0, "memory is not released");
}

/* Freed memory stays with the process, as in a long run: clearing pages again takes longer than a set-up on machines
 * that give free memory back to a host. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

int main(int argc, char **argv) {
    keep_memory();
    bench_setup bench = bench_init(argc, argv, "cloth");
    measure_explicit(&bench);
    measure_implicit(&bench);
    measure_curtains(&bench);
    measure_dense(&bench);
    measure_growth(&bench);
    measure_threads(&bench);
    measure_memory(&bench);
    measure_fabric(&bench);
    bench_end(&bench);
    return 0;
}
