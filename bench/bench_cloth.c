/* What a step of cloth costs: cotton, a sheet of 1 m by 1 m, dt 1/60 s, springs and gravity alone.
 *
 *   approximate_vs_explicit      a step of the one over a step of the other, 10 thousand points, one thread
 *   implicit_vs_approximate      block-Jacobi conjugate gradients to 1e-3 over the approximate step, 10 thousand points; with
 *                                how far the two results are apart, and kh²n/m
 *   dense_filter_vs_approximate  the filter with its dense inverse, by BLAS, over the approximate step, 2,500 points
 *   growth_1e4_1e6               time a point at a million points over that at 10 thousand
 *   threads_2                    200 thousand points with one thread over two
 *   bytes_per_point              a million points: all that the body holds
 *
 * Every repetition starts from the same waving sheet. BLAS is the system's, found when this runs; without one it is a plain
 * loop, and the line says so. */
#include <dlfcn.h>
#include <math.h>

#include "bench.h"
#include "body/cloth.h"
#include "linalg/ldl.h"
#include "ruga/ruga.h"

#define DT (1.0 / 60)

typedef struct sheet {
    bench_setup bench;
    ruga_mesh *mesh;
    body *cloth;
    environment air;
    int steps;                      /* of a repetition */
    double *inverse, *right, *left; /* dense filter: (n x n), (n x 3), (n x 3) */
} sheet;

static void wave(sheet *s) {
    for (size_t i = 0; i < s->cloth->point_count; i++) {
        vec3 x = s->mesh->positions[i];
        s->cloth->positions[i] = (vec3){x.x, 0.02 * sin(12 * x.x) * cos(9 * x.z), x.z};
        s->cloth->velocities[i] = (vec3){0, 0.5 * cos(12 * x.x + 3 * x.z), 0};
    }
}

static sheet sheet_make(bench_setup bench, ruga_context *context, size_t side, integrator_kind kind, int steps) {
    double cells = (double)side - 1, values[8] = {1, 1, cells, cells, 0, 0, 0, 1};
    sheet s = {.bench = bench, .steps = steps, .air = {.gravity = {0, -9.81, 0}}};
    s.bench.context = context;
    bench_ok(&s.bench, ruga_model_make(context, "sheet", values, &s.mesh));
    cloth_def def = cloth_def_default();
    def.air.drag = def.air.lift = 0;
    def.integrator.kind = kind;
    bench_ok(&s.bench, cloth_create(s.mesh, &def, &s.cloth));
    return s;
}

static void sheet_release(sheet *s) {
    s->cloth->interface->destroy(s->cloth);
    ruga_mesh_destroy(s->mesh);
}

static void run_steps(sheet *s) {
    for (int k = 0; k < s->steps; k++) {
        substep step = {.time = DT * (k + 1), .dt = DT, .blend = 1, .environment = &s->air};
        bench_ok(&s->bench, s->cloth->interface->predict(s->cloth, &step));
        s->cloth->interface->surface(s->cloth);
        bench_ok(&s->bench, s->cloth->interface->accept(s->cloth, &step));
    }
}

typedef struct pair {
    sheet a, b;
} pair;

static void wave_a(void *user) { wave(&((pair *)user)->a); }
static void wave_b(void *user) { wave(&((pair *)user)->b); }
static void run_a(void *user) { run_steps(&((pair *)user)->a); }
static void run_b(void *user) { run_steps(&((pair *)user)->b); }

static bench_result compare(const bench_setup *bench, pair *p, const char *a, const char *b, double items) {
    return bench_compare(bench, &(bench_pair){.a_name = a,
                                              .b_name = b,
                                              .a = run_a,
                                              .b = run_b,
                                              .a_before = wave_a,
                                              .b_before = wave_b,
                                              .user = p,
                                              .items = items,
                                              .item_name = "point steps"});
}

static double points_of(const sheet *s) { return (double)s->cloth->point_count * s->steps; }

/* ---- The figures. */

static void approximate_vs_explicit(const bench_setup *bench) {
    pair p = {sheet_make(*bench, bench->context, 100, INTEGRATOR_APPROXIMATE_IMPLICIT, 4),
              sheet_make(*bench, bench->context, 100, INTEGRATOR_EXPLICIT, 4)};
    bench_result r = compare(bench, &p, "approximate", "explicit", points_of(&p.a));
    bench_figure("approximate_vs_explicit", r.ratio);
    sheet_release(&p.a);
    sheet_release(&p.b);
}

static void implicit_vs_approximate(const bench_setup *bench) {
    pair p = {sheet_make(*bench, bench->context, 100, INTEGRATOR_IMPLICIT, 1),
              sheet_make(*bench, bench->context, 100, INTEGRATOR_APPROXIMATE_IMPLICIT, 1)};
    bench_result r = compare(bench, &p, "implicit", "approximate", points_of(&p.a));
    /* Velocity changes of the one step, and how alike they are. */
    double size[2] = {0, 0}, product = 0, apart = 0, stiffest = 0;
    const spring_network *n = cloth_network(p.a.cloth);
    for (size_t i = 0; i < p.a.cloth->point_count; i++) {
        vec3 x = p.a.mesh->positions[i], before = {0, 0.5 * cos(12 * x.x + 3 * x.z), 0};
        vec3 a = vec3_sub(p.a.cloth->velocities[i], before), b = vec3_sub(p.b.cloth->velocities[i], before);
        size[0] += vec3_length2(a);
        size[1] += vec3_length2(b);
        product += vec3_dot(a, b);
        apart += vec3_length2(vec3_sub(a, b));
        stiffest = fmax(stiffest, n->stiffness_sums[i] * DT * DT / p.a.cloth->masses[i]);
    }
    printf("  kh2n/m %.3g; root mean square of changes %.3g and %.3g m/s, of their difference %.3g; correlation %.3f\n",
           stiffest, sqrt(size[0] / points_of(&p.a)), sqrt(size[1] / points_of(&p.a)), sqrt(apart / points_of(&p.a)),
           product / sqrt(size[0] * size[1]));
    bench_figure("implicit_vs_approximate", r.ratio);
    sheet_release(&p.a);
    sheet_release(&p.b);
}

/* y = alpha A x + beta y for row-major A, as cblas_dgemm has it. */
typedef void gemm_function(int order, int a_transposed, int b_transposed, int m, int n, int k, double alpha,
                           const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
static gemm_function *blas_gemm;

static void find_blas(void) {
    static const char *const names[] = {"libopenblas.so.0", "libblas.so.3", "libcblas.so.3"};
    for (size_t k = 0; k < sizeof names / sizeof names[0] && !blas_gemm; k++) {
        void *library = dlopen(names[k], RTLD_NOW), *found = library ? dlsym(library, "cblas_dgemm") : NULL;
        memcpy(&blas_gemm, &found, sizeof found);
        void *one = library ? dlsym(library, "openblas_set_num_threads") : NULL;
        void (*set_threads)(int);
        memcpy(&set_threads, &one, sizeof one);
        if (one) set_threads(1);
    }
}

static void dense_product(const double *a, size_t n, const double *x, double *y) {
    enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 };
    if (blas_gemm) {
        blas_gemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, (int)n, 3, (int)n, 1, a, (int)n, x, 3, 0, y, 3);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double sum[3] = {0, 0, 0};
        for (size_t j = 0; j < n; j++)
            for (int c = 0; c < 3; c++) sum[c] += a[i * n + j] * x[3 * j + (size_t)c];
        for (size_t c = 0; c < 3; c++) y[3 * i + c] = sum[c];
    }
}

/* Equation 5 as its authors had it: forces, one dense product, positions. */
static void run_dense(void *user) {
    sheet *s = &((pair *)user)->a;
    body *b = s->cloth;
    const spring_network *n = cloth_network(b);
    spring_force_pass pass = {.positions = b->positions,
                              .velocities = b->velocities,
                              .viscosity = DT,
                              .damped = 1,
                              .gain = DT,
                              .out = (vec3 *)s->right};
    for (int k = 0; k < s->steps; k++) {
        spring_network_forces(n, &pass);
        dense_product(s->inverse, b->point_count, s->right, s->left);
        const vec3 *change = (const vec3 *)s->left;
        for (size_t i = 0; i < b->point_count; i++) {
            b->velocities[i] = vec3_add(b->velocities[i], vec3_add_scaled(change[i], s->air.gravity, DT));
            b->positions[i] = vec3_add_scaled(b->positions[i], b->velocities[i], DT);
        }
    }
}

/* The inverse, three columns at a time, from the sparse factor. */
static void make_inverse(sheet *s) {
    const body *b = s->cloth;
    const spring_network *network = cloth_network(b);
    size_t n = b->point_count;
    spring_weights weights = spring_network_weights(network, DT);
    double *values = malloc(network->entry_count * sizeof *values), *diagonal = malloc(n * sizeof *diagonal);
    for (size_t e = 0; e < network->entry_count; e++) values[e] = -weights.stiffness * network->bounds[e];
    for (size_t i = 0; i < n; i++) diagonal[i] = b->masses[i] + weights.stiffness * network->stiffness_sums[i];
    ldl *factor;
    bench_ok(&s->bench, ldl_create(s->bench.context, n, network->offsets, network->others, &factor));
    bench_ok(&s->bench, ldl_factor(factor, values, diagonal));
    s->inverse = malloc(n * n * sizeof *s->inverse);
    s->right = calloc(3 * n, sizeof *s->right);
    s->left = calloc(3 * n, sizeof *s->left);
    vec3 *columns = (vec3 *)s->left;
    for (size_t j = 0; j < n; j += 3) {
        for (size_t i = 0; i < n; i++) columns[i] = (vec3){i == j, i == j + 1, i == j + 2};
        ldl_solve(factor, columns);
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < 3 && j + c < n; c++) s->inverse[i * n + j + c] = (&columns[i].x)[c];
    }
    ldl_destroy(factor);
    free(values);
    free(diagonal);
}

static void dense_filter_vs_approximate(const bench_setup *bench) {
    pair p = {sheet_make(*bench, bench->context, 50, INTEGRATOR_APPROXIMATE_IMPLICIT, 4),
              sheet_make(*bench, bench->context, 50, INTEGRATOR_APPROXIMATE_IMPLICIT, 4)};
    find_blas();
    make_inverse(&p.a);
    bench_result r =
        bench_compare(bench, &(bench_pair){.a_name = blas_gemm ? "dense filter, BLAS" : "dense filter, plain loop",
                                           .b_name = "approximate",
                                           .a = run_dense,
                                           .b = run_b,
                                           .a_before = wave_a,
                                           .b_before = wave_b,
                                           .user = &p,
                                           .items = points_of(&p.a),
                                           .item_name = "point steps"});
    bench_figure("dense_filter_vs_approximate", r.ratio);
    free(p.a.inverse);
    free(p.a.right);
    free(p.a.left);
    sheet_release(&p.a);
    sheet_release(&p.b);
}

static void growth(const bench_setup *bench) {
    pair p = {sheet_make(*bench, bench->context, 1000, INTEGRATOR_APPROXIMATE_IMPLICIT, 1),
              sheet_make(*bench, bench->context, 100, INTEGRATOR_APPROXIMATE_IMPLICIT, 20)};
    bench_result r = compare(bench, &p, "a million points", "10 thousand, 20 times", 0);
    bench_figure("growth_1e4_1e6", r.ratio * points_of(&p.b) / points_of(&p.a));
    sheet_release(&p.a);
    sheet_release(&p.b);
}

static ruga_context *context_of(int threads, ruga_allocator allocator) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = threads;
    def.allocator = allocator;
    ruga_context *context = NULL;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &context)), "no context");
    return context;
}

static void threads_2(const bench_setup *bench) {
    ruga_context *one = context_of(1, (ruga_allocator){0}), *two = context_of(2, (ruga_allocator){0});
    pair p = {sheet_make(*bench, one, 447, INTEGRATOR_APPROXIMATE_IMPLICIT, 4),
              sheet_make(*bench, two, 447, INTEGRATOR_APPROXIMATE_IMPLICIT, 4)};
    bench_result r = compare(bench, &p, "one thread", "two threads", points_of(&p.a));
    bench_figure("threads_2", r.ratio);
    sheet_release(&p.a);
    sheet_release(&p.b);
    ruga_context_destroy(one);
    ruga_context_destroy(two);
}

/* ---- Memory: the size stands before each piece. */

static void *count_allocate(void *user, size_t size) {
    size_t *memory = malloc(size + 64);
    if (!memory) return NULL;
    memory[0] = size;
    *(size_t *)user += size;
    return (char *)memory + 64;
}

static void count_release(void *user, void *memory) {
    if (!memory) return;
    size_t *begin = (size_t *)(void *)((char *)memory - 64);
    *(size_t *)user -= begin[0];
    free(begin);
}

static void bytes_per_point(const bench_setup *bench) {
    size_t bytes = 0;
    ruga_context *context = context_of(1, (ruga_allocator){count_allocate, count_release, &bytes});
    double values[8] = {1, 1, 999, 999, 0, 0, 0, 1};
    ruga_mesh *mesh;
    bench_ok(bench, ruga_model_make(context, "sheet", values, &mesh));
    size_t before = bytes;
    body *cloth;
    cloth_def def = cloth_def_default();
    bench_ok(bench, cloth_create(mesh, &def, &cloth));
    printf("  with air; the mesh itself has %.0f bytes a point\n", (double)before / (double)mesh->vertex_count);
    bench_figure("bytes_per_point", (double)(bytes - before) / (double)mesh->vertex_count);
    cloth->interface->destroy(cloth);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "cloth");
    approximate_vs_explicit(&bench);
    implicit_vs_approximate(&bench);
    dense_filter_vs_approximate(&bench);
    growth(&bench);
    threads_2(&bench);
    bytes_per_point(&bench);
    bench_end(&bench);
    return 0;
}
