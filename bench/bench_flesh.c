/* Equilibria of flesh: a block of tets, Poisson ratio 0.45, held at one end, whose other end is turned by 60 degrees
 * and pulled; the solve starts at rest and ends at ‖F‖ = 1e-5 ‖F₀‖.
 *
 *   plain_vs_ours   98 thousand tets (27 thousand with --quick), the whole solve: Newton's method with scalar rows and
 *                   Jacobi's preconditioner, over ours. Both have the same element kernels, flags, threads, line
 *                   search and tolerance; plain solves each step to 0.1, ours to 0.02. In both the pins move first and
 *                   take the others along by one linear solve; ours then lets the elements turn with that move
 *                   (solve/equilibrium.h), which saves six of Newton's steps.
 *   threads_2       ours, wall time with one thread over two.
 *
 * Then iterations, time and memory of ours for rising sizes: to 98 thousand tets with --quick, else to 2.6 million, a
 * little above the size of the paper. There the pins move in eight stages, all but the last solved to 0.02, as the
 * frames of a film would lead: in one stage, the first step turns finer tets over, which takes more of Newton's. */
#include <math.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/threads.h"
#include "bench.h"
#include "energy/tet_energy.h"
#include "flesh_face.h"
#include "linalg/cg.h"
#include "ruga/ruga.h"
#include "solve/equilibrium.h"

#define TOLERANCE 1e-5
#define STAGE_TOLERANCE 0.02
#define MOST_APART 1e-5 /* m, of two results that are both exact to the tolerance */
#define MOST_GROWTH 3   /* of the iterations over the sizes */
#define MOST_BYTES 8e9
#define TURN (60 * 3.14159265358979323846 / 180)
enum { MOST_STEPS = 60, MOST_ITERATIONS = 20000, ROW_BLOCK = 512 };

/* ---- The block. */

typedef struct block {
    ruga_context *context;
    ruga_mesh *mesh;
    tet_energy *energy;
    size_t pin_count;
    uint32_t *pins;
    vec3 *targets, *staged; /* m, at the end, and of a stage */
    int stages;
    unsigned char *held; /* (points) */
    vec3 *x;             /* (points) m, the result */
    int steps, iterations;
    double residual;
} block;

/* Where a pinned vertex is after a part of the motion. */
static vec3 pin_target(vec3 p, double part) {
    const double c = cos(part * TURN), s = sin(part * TURN);
    return p.x < 0 ? p : (vec3){p.x + 0.04 * part, c * p.y - s * p.z, s * p.y + c * p.z};
}

/* Cells along x, and half as many across. */
static block make_block(const bench_setup *bench, ruga_context *context, int cells) {
    const double values[6] = {0.4, 0.2, 0.2, cells, cells / 2, 1};
    const tet_material material = {ELASTIC_NEO_HOOKEAN, 20000, 0.45, 0};
    block b = {.context = context, .stages = 1};
    bench_ok(bench, ruga_model_make(context, "bar", values, &b.mesh));
    bench_ok(bench, tet_energy_create(b.mesh, &material, NULL, &b.energy));
    const size_t n = b.mesh->vertex_count;
    bench_ok(bench, NEW(context, &b.pins, n));
    bench_ok(bench, NEW_EACH(context, n, &b.targets, &b.staged, &b.x));
    bench_ok(bench, NEW_ZEROED(context, &b.held, n));
    for (size_t i = 0; i < n; i++) {
        vec3 p = b.mesh->positions[i];
        if (fabs(p.x) < 0.2 - 1e-9) continue;
        b.held[i] = 1;
        b.targets[b.pin_count] = pin_target(p, 1);
        b.pins[b.pin_count++] = (uint32_t)i;
    }
    return b;
}

static void release_block(block *b) {
    tet_energy_destroy(b->energy);
    ruga_mesh_destroy(b->mesh);
    RELEASE_ALL(b->context, b->pins, b->targets, b->staged, b->held, b->x);
}

/* ---- Ours. */

/* Moves the pins to a part of their displacement. */
static void solve_stage(block *b, const equilibrium_system *system, int stage) {
    const int is_last = stage == b->stages;
    const equilibrium_load load = {
        .pin_count = b->pin_count, .pins = b->pins, .pin_targets = is_last ? b->targets : b->staged};
    equilibrium_def def = equilibrium_def_default();
    equilibrium *solver = NULL;
    equilibrium_report report;
    def.tolerance = is_last ? TOLERANCE : STAGE_TOLERANCE;
    for (size_t k = 0; k < b->pin_count; k++)
        b->staged[k] = pin_target(b->mesh->positions[b->pins[k]], (double)stage / b->stages);
    bench_require(!RUGA_FAILED(equilibrium_create(&def, system, &solver)), "no solver");
    bench_require(!RUGA_FAILED(equilibrium_solve(solver, &load, b->x, &report)), ruga_context_message(b->context));
    equilibrium_destroy(solver);
    bench_require(report.converged, "ours did not converge");
    b->steps += report.steps;
    b->iterations += report.iterations;
    b->residual = report.residual;
}

static void solve_ours(void *user) {
    block *b = user;
    energy_term *energies[1] = {&b->energy->base};
    const equilibrium_system system = {
        .context = b->context, .point_count = b->mesh->vertex_count, .energy_count = 1, .energies = energies};
    memcpy(b->x, b->mesh->positions, b->mesh->vertex_count * sizeof *b->x);
    b->steps = b->iterations = 0;
    for (int stage = 1; stage <= b->stages; stage++) solve_stage(b, &system, stage);
}

/* ---- Plain: scalar rows, Jacobi's preconditioner. */

typedef struct plain {
    const block *b;
    block_matrix *blocks; /* the pattern and the assembly are ours */
    size_t *offsets;      /* (3 points + 1) */
    uint32_t *columns;
    double *values, *diagonal;
    cg_scratch scratch;
    vec3 *forces, *trial, *trial_forces, *step;
} plain;

static void make_plain(const block *b, plain *p) {
    block_pattern *pattern = NULL;
    const energy_term *term = &b->energy->base;
    const size_t n = b->mesh->vertex_count;
    *p = (plain){.b = b};
    ruga_status status = block_pattern_create(b->context, n, &pattern);
    if (!RUGA_FAILED(status)) status = term->interface->add_pattern(term, pattern);
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &p->blocks);
    block_pattern_destroy(pattern);
    bench_require(!RUGA_FAILED(status), "no matrix");
    const size_t entries = p->blocks->offsets[n];
    status = NEW(b->context, &p->offsets, 3 * n + 1);
    if (!RUGA_FAILED(status)) status = NEW(b->context, &p->columns, 9 * entries);
    if (!RUGA_FAILED(status)) status = NEW(b->context, &p->values, 9 * entries);
    if (!RUGA_FAILED(status)) status = NEW(b->context, &p->diagonal, 3 * n);
    if (!RUGA_FAILED(status)) status = NEW_EACH(b->context, n, &p->forces, &p->trial, &p->trial_forces, &p->step);
    if (!RUGA_FAILED(status)) status = cg_scratch_make(b->context, n, &p->scratch);
    bench_require(!RUGA_FAILED(status), "no memory");
}

static void release_plain(plain *p) {
    ruga_context *context = p->b->context;
    cg_scratch_release(context, &p->scratch);
    block_matrix_destroy(p->blocks);
    RELEASE_ALL(context, p->offsets, p->columns, p->values, p->diagonal, p->forces, p->trial, p->trial_forces, p->step);
}

/* Rows of scalars from blocks. */
static void fill_rows(void *argument, size_t begin, size_t end) {
    plain *p = argument;
    const block_matrix *m = p->blocks;
    for (size_t i = begin; i < end; i++)
        for (size_t r = 0; r < 3; r++) {
            size_t at = 9 * (size_t)m->offsets[i] + r * 3 * (m->offsets[i + 1] - m->offsets[i]);
            p->offsets[3 * i + r] = at;
            for (uint32_t e = m->offsets[i]; e < m->offsets[i + 1]; e++)
                for (size_t c = 0; c < 3; c++) {
                    p->columns[at] = (uint32_t)(3 * m->columns[e] + c);
                    p->values[at++] = m->blocks[BLOCK_NUMBERS * (size_t)e + 3 * c + r];
                }
            p->diagonal[3 * i + r] = m->blocks[BLOCK_NUMBERS * (size_t)m->diagonals[i] + 3 * r + r];
        }
}

static void plain_linearise(plain *p, int definite) {
    energy_term *term = &p->b->energy->base;
    const size_t n = p->b->mesh->vertex_count;
    bench_require(!RUGA_FAILED(term->interface->linearise(term, p->b->x, (energy_weights){1, 0}, definite)), "memory");
    block_matrix_clear(p->blocks);
    term->interface->add_matrix(term, 1, p->blocks);
    parallel_for(p->b->context, n, ROW_BLOCK, fill_rows, p);
    p->offsets[3 * n] = 9 * (size_t)p->blocks->offsets[n];
}

typedef struct product_task {
    const plain *p;
    const double *in;
    double *out;
} product_task;

static void multiply_rows(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    const plain *p = task->p;
    for (size_t r = 3 * begin; r < 3 * end; r++) {
        double sum = 0;
        for (size_t e = p->offsets[r]; e < p->offsets[r + 1]; e++) sum += p->values[e] * task->in[p->columns[e]];
        task->out[r] = sum;
    }
}

static ruga_status plain_apply(void *user, const vec3 *in, vec3 *out) {
    product_task task = {user, &in->x, &out->x};
    parallel_for(task.p->b->context, task.p->b->mesh->vertex_count, ROW_BLOCK, multiply_rows, &task);
    return RUGA_OK;
}

static void divide_rows(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    for (size_t r = 3 * begin; r < 3 * end; r++)
        task->out[r] = task->p->b->held[r / 3] ? 0 : task->in[r] / task->p->diagonal[r];
}

static void plain_precondition(void *user, const vec3 *in, vec3 *out) {
    product_task task = {user, &in->x, &out->x};
    parallel_for(task.p->b->context, task.p->b->mesh->vertex_count, ROW_BLOCK, divide_rows, &task);
}

static double free_sum(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    double sum = 0;
    for (size_t r = 3 * begin; r < 3 * end; r++)
        if (!task->p->b->held[r / 3]) sum += task->in[r] * task->in[r];
    return sum;
}

static double plain_square(void *user, const vec3 *residual) {
    product_task task = {user, &residual->x, NULL};
    return parallel_sum(task.p->b->context, task.p->b->mesh->vertex_count, ROW_BLOCK, free_sum, &task);
}

static double plain_forces(const plain *p, const vec3 *x, vec3 *forces) {
    const energy_term *term = &p->b->energy->base;
    memset(forces, 0, p->b->mesh->vertex_count * sizeof *forces);
    double energy = term->interface->add_gradient(term, x, -1, forces);
    for (size_t k = 0; k < p->b->pin_count; k++) forces[p->b->pins[k]] = (vec3){0, 0, 0};
    return energy;
}

static int plain_solve_step(plain *p, double tolerance, cg_report *report) {
    const cg_system system = {.context = p->b->context,
                              .count = p->b->mesh->vertex_count,
                              .apply = plain_apply,
                              .precondition = plain_precondition,
                              .user = p,
                              .square = plain_square,
                              .has_residual = 1};
    memset(p->step, 0, system.count * sizeof *p->step);
    bench_require(!RUGA_FAILED(cg_solve(&system, &p->scratch, 0, tolerance, MOST_ITERATIONS, p->step, report)), "cg");
    return report->converged;
}

/* Pins move first and take the others along; then Newton's method with the same tolerances. */
static void plain_newton(block *b, plain *p) {
    const size_t n = b->mesh->vertex_count;
    cg_report report;
    memset(p->trial, 0, n * sizeof *p->trial);
    for (size_t k = 0; k < b->pin_count; k++) p->trial[b->pins[k]] = vec3_sub(b->targets[k], b->x[b->pins[k]]);
    plain_linearise(p, 1);
    plain_apply(p, p->trial, p->scratch.residual);
    for (size_t i = 0; i < n; i++) p->scratch.residual[i] = vec3_scale(p->scratch.residual[i], -(double)!b->held[i]);
    const double reference = sqrt(plain_square(p, p->scratch.residual));
    plain_solve_step(p, 0.1, &report);
    b->iterations = report.iterations;
    for (size_t i = 0; i < n; i++) b->x[i] = vec3_add(b->x[i], b->held[i] ? p->trial[i] : p->step[i]);
    double energy = plain_forces(p, b->x, p->forces);
    for (b->steps = 0; b->steps < MOST_STEPS; b->steps++) {
        b->residual = sqrt(plain_square(p, p->forces)) / reference;
        if (b->residual <= TOLERANCE) return;
        const double wanted = fmax(0.1 * fmin(1, sqrt(b->residual)), 0.3 * TOLERANCE / b->residual);
        int definite = b->residual > 0.01;
        plain_linearise(p, definite);
        memcpy(p->scratch.residual, p->forces, n * sizeof *p->forces);
        int solved = plain_solve_step(p, fmin(0.1, wanted), &report);
        b->iterations += report.iterations;
        if (!solved && !definite) {
            plain_linearise(p, 1);
            memcpy(p->scratch.residual, p->forces, n * sizeof *p->forces);
            plain_solve_step(p, fmin(0.1, wanted), &report);
            b->iterations += report.iterations;
        }
        double slope = cg_dot(b->context, n, p->forces, p->step), length = 1, moved = INFINITY;
        for (int k = 0; k < 40; k++, length /= 2) {
            for (size_t i = 0; i < n; i++) p->trial[i] = vec3_add_scaled(b->x[i], p->step[i], length);
            moved = plain_forces(p, p->trial, p->trial_forces);
            if (moved <= energy - 1e-4 * length * slope) break;
        }
        energy = moved;
        memcpy(b->x, p->trial, n * sizeof *b->x);
        memcpy(p->forces, p->trial_forces, n * sizeof *p->forces);
    }
    bench_require(0, "plain did not converge");
}

static void solve_plain(void *user) {
    block *b = user;
    plain p;
    memcpy(b->x, b->mesh->positions, b->mesh->vertex_count * sizeof *b->x);
    make_plain(b, &p);
    plain_newton(b, &p);
    release_plain(&p);
}

/* ---- Figures. */

enum { CELLS = 41, QUICK_CELLS = 27, STAGES = 8 }; /* 41 x 20 x 20 x 6 = 98,400 tets, and 27,378 */

static double greatest_distance(const vec3 *a, const vec3 *b, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, vec3_distance(a[i], b[i]));
    return most;
}

static void compare_plain(const bench_setup *bench) {
    block b = make_block(bench, bench->context, bench->quick ? QUICK_CELLS : CELLS);
    vec3 *ours = NULL;
    bench_ok(bench, NEW(b.context, &ours, b.mesh->vertex_count));
    printf("whole solve, %zu tets, %zu points, to %g of the first forces\n", b.mesh->tet_count, b.mesh->vertex_count,
           TOLERANCE);
    double seconds = bench_time(NULL, solve_ours, &b, 1);
    printf("  ours:  %d Newton steps, %d iterations, residual %.2g, %.2f s\n", b.steps, b.iterations, b.residual,
           seconds);
    memcpy(ours, b.x, b.mesh->vertex_count * sizeof *ours);
    seconds = bench_time(NULL, solve_plain, &b, 1);
    printf("  plain: %d Newton steps, %d iterations, residual %.2g, %.2f s; the results differ by %.2g m at most\n",
           b.steps, b.iterations, b.residual, seconds, greatest_distance(ours, b.x, b.mesh->vertex_count));
    bench_require(greatest_distance(ours, b.x, b.mesh->vertex_count) < MOST_APART, "plain and ours disagree");
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "scalar rows, Jacobi",
                                                        .a = solve_plain,
                                                        .b_name = "ours",
                                                        .b = solve_ours,
                                                        .user = &b,
                                                        .processor_time = bench->threads == 1,
                                                        .repetitions = 5});
    bench_figure("plain_vs_ours", r.ratio);
    memory_release(b.context, ours);
    release_block(&b);
}

typedef struct both_blocks {
    block one, two;
} both_blocks;
static void solve_one(void *user) { solve_ours(&((both_blocks *)user)->one); }
static void solve_two(void *user) { solve_ours(&((both_blocks *)user)->two); }

static void compare_threads(const bench_setup *bench) {
    ruga_context *contexts[2];
    both_blocks both;
    for (int k = 0; k < 2; k++) {
        ruga_context_def def = ruga_context_def_default();
        def.thread_count = 1 + k;
        bench_require(!RUGA_FAILED(ruga_context_create(&def, &contexts[k])), "no context");
    }
    both.one = make_block(bench, contexts[0], bench->quick ? QUICK_CELLS : CELLS);
    both.two = make_block(bench, contexts[1], bench->quick ? QUICK_CELLS : CELLS);
    printf("one thread and two, the same solve, wall time\n");
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "one thread",
                                                        .a = solve_one,
                                                        .b_name = "two threads",
                                                        .b = solve_two,
                                                        .user = &both,
                                                        .repetitions = 5});
    bench_require(!memcmp(both.one.x, both.two.x, both.one.mesh->vertex_count * sizeof(vec3)), "threads change bits");
    bench_figure("threads_2", r.ratio);
    release_block(&both.one);
    release_block(&both.two);
    for (int k = 0; k < 2; k++) ruga_context_destroy(contexts[k]);
}

static double most_bytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* Sizes rise and nothing runs before, so that the most memory of the process so far is that of the last. */
static void measure_growth(const bench_setup *bench) {
    static const int cells[5] = {QUICK_CELLS, CELLS, 65, 87, 120}; /* 27, 98, 399, 965 thousand, 2.6 million tets */
    double fewest = INFINITY, most = 0;                            /* iterations */
    printf("growth, in %d stages: processor time with %d thread%s\n", STAGES, bench->threads,
           bench->threads == 1 ? "" : "s");
    for (int k = bench->quick ? 0 : 1; k < (bench->quick ? 2 : 5); k++) {
        block b = make_block(bench, bench->context, cells[k]);
        b.stages = STAGES;
        double seconds = bench_time(NULL, solve_ours, &b, 1), tets = (double)b.mesh->tet_count;
        printf(
            "  %8zu tets: %2d Newton steps, %4d iterations (%.1f a step), %7.2f s, %6.1f us a tet, %5.0f bytes a tet\n",
            b.mesh->tet_count, b.steps, b.iterations, b.iterations / (double)(b.steps + b.stages), seconds,
            1e6 * seconds / tets, most_bytes() / tets);
        fewest = fmin(fewest, b.iterations);
        most = fmax(most, b.iterations);
        release_block(&b);
    }
    bench_require(most <= MOST_GROWTH * fewest, "the iterations grow too much with the number of tets");
    bench_require(most_bytes() <= MOST_BYTES, "the memory is more than 8 GB");
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "flesh");
    measure_growth(&bench); /* first: it prints the most memory of the process so far */
    compare_plain(&bench);
    compare_threads(&bench);
    compare_creases(&bench);
    bench_end(&bench);
    return 0;
}
