/* The supernodal factor (linalg/block_llt.h) on the matrix of a shell: a pillow of 9,398 vertices with membrane and
 * hinges, 28,194 unknowns, definite by an elastic foundation.
 *
 *   factor_vs_cholmod   a new factor of the same pattern over that of CHOLMOD's supernodal module with OpenBLAS, the
 *                       order of elimination by METIS; one thread each. Below 1: ours is faster
 *   factor_threads_2    one thread over two
 *   schur_vs_solves     solves with all constraints of 168 clusters, 8 sides at once, over the Schur complement of the
 *                       same constraints (linalg/block_llt_schur.h)
 *
 * Both solve, and agree, before anything is measured. */
#include <math.h>

#include "bench.h"
#include "energy/hinge.h"
#include "energy/membrane.h"
#include "linalg/block_llt.h"
#include "linalg/block_llt_schur.h"
#include "ruga/ruga.h"

#ifdef BENCH_CHOLMOD
#include <cholmod.h>
#include <unistd.h>
void openblas_set_num_threads(int count); /* which the plain header of CBLAS lacks */
#endif

enum { ACROSS = 54, ALONG = 87, VERTICES = 2 * ACROSS * ALONG + 2, UNKNOWNS = 3 * VERTICES };
enum { CLUSTER_STEP = 7, CLUSTER_REACH = 4 }; /* vertices: clusters of 15 x 15 vertices that overlap */

typedef struct shell {
    ruga_mesh *mesh;
    block_matrix *matrix;
    double *areas; /* (VERTICES) m² */
} shell;

/* ---- The matrix. */

/* A vertex of the front or the back; they share their rim. */
static uint32_t vertex_of(int back, int x, int y) {
    if (!back || x == 0 || y == 0 || x == ACROSS || y == ALONG) return (uint32_t)(y * (ACROSS + 1) + x);
    return (uint32_t)((ACROSS + 1) * (ALONG + 1) + (y - 1) * (ACROSS - 1) + x - 1);
}

/* 0.5 m long and filled, its vertices scattered within the surface, its diagonals in no order. */
static ruga_mesh *make_pillow(const bench_setup *bench) {
    static ruga_vec3 positions[VERTICES];
    static uint32_t triangles[3 * 4 * ACROSS * ALONG];
    double edge = 0.5 / ALONG;
    size_t count = 0;
    for (int back = 0; back < 2; back++)
        for (int y = 0; y <= ALONG; y++)
            for (int x = 0; x <= ACROSS; x++) {
                uint32_t v = vertex_of(back, x, y);
                double u = x + 0.25 * bench_scatter(2 * v), w = y + 0.25 * bench_scatter(2 * v + 1);
                double fill = sin(3.14159265358979 * x / ACROSS) * sin(3.14159265358979 * y / ALONG);
                positions[v] = (ruga_vec3){edge * u, edge * w, (back ? -0.06 : 0.06) * sqrt(fmax(fill, 0))};
            }
    for (int back = 0; back < 2; back++)
        for (int y = 0; y < ALONG; y++)
            for (int x = 0; x < ACROSS; x++) {
                uint32_t p = vertex_of(back, x, y), q = vertex_of(back, x + 1, y);
                uint32_t r = vertex_of(back, x + 1, y + 1), s = vertex_of(back, x, y + 1);
                uint32_t cut[2][6] = {{p, q, r, p, r, s}, {p, q, s, q, r, s}};
                memcpy(triangles + 3 * count, cut[bench_scatter(p + 77u) > 0], sizeof cut[0]);
                count += 2;
            }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, VERTICES, 0, RUGA_F64};
    def.face_count = count;
    def.face_vertices = triangles;
    ruga_mesh *mesh = NULL;
    bench_ok(bench, ruga_mesh_create(bench->context, &def, &mesh));
    return mesh;
}

/* Leather of 1 mm: E 10 MPa, ν 0.3; compressed along its length by 2 %, so that geometric stiffness is there too. */
static void add_energies(const bench_setup *bench, shell *s) {
    const double young = 1e7, thickness = 1e-3, poisson = 0.3;
    membrane_material skin = {.warp = young * thickness, .weft = young * thickness, .poisson = poisson};
    skin.shear = young * thickness / (2 * (1 + poisson));
    hinge_material fold = {.bend = young * pow(thickness, 3) / (12 * (1 - poisson * poisson))};
    vec3 *warps = malloc(s->mesh->triangle_count * sizeof *warps), *now = malloc(VERTICES * sizeof *now);
    bench_require(warps && now, "no memory");
    for (size_t t = 0; t < s->mesh->triangle_count; t++) warps[t] = (vec3){1, 0.3, 0.2};
    for (size_t i = 0; i < VERTICES; i++) {
        now[i] = s->mesh->positions[i];
        now[i].y *= 0.98;
    }
    membrane *m;
    hinges *h;
    block_pattern *pattern;
    const energy_weights whole = {1, 0};
    bench_ok(bench, membrane_create(s->mesh, &skin, warps, NULL, &m));
    bench_ok(bench, hinges_create(s->mesh, &fold, NULL, &h));
    bench_ok(bench, block_pattern_create(bench->context, VERTICES, &pattern));
    bench_ok(bench, membrane_interface.add_pattern(&m->base, pattern));
    bench_ok(bench, hinges_interface.add_pattern(&h->base, pattern));
    bench_ok(bench, block_matrix_create(pattern, &s->matrix));
    bench_ok(bench, membrane_interface.linearise(&m->base, now, whole, 1));
    bench_ok(bench, hinges_interface.linearise(&h->base, now, whole, 1));
    membrane_interface.add_matrix(&m->base, 1, s->matrix);
    hinges_interface.add_matrix(&h->base, 1, s->matrix);
    /* The foundation of wrinkles of 2 cm. */
    double wave = 2 * 3.14159265358979 / 0.02;
    for (size_t i = 0; i < VERTICES; i++) s->areas[i] *= fold.bend * pow(wave, 4);
    block_matrix_add_diagonal(s->matrix, s->areas, NULL);
    block_pattern_destroy(pattern);
    membrane_destroy(m);
    hinges_destroy(h);
    free(warps);
    free(now);
}

static shell make_shell(const bench_setup *bench) {
    shell s = {.mesh = make_pillow(bench), .areas = malloc(VERTICES * sizeof *s.areas)};
    bench_require(s.areas != NULL, "no memory");
    bench_ok(bench, ruga_mesh_masses(s.mesh, 1, s.areas));
    add_energies(bench, &s);
    printf("shell: %d vertices, %d unknowns, %.0f nonzeros a row\n", VERTICES, UNKNOWNS,
           3.0 * s.matrix->offsets[VERTICES] / VERTICES);
    return s;
}

/* ---- Factors. */

typedef struct factors {
    const shell *shell;
    block_llt *one, *two; /* of contexts with as many threads */
#ifdef BENCH_CHOLMOD
    cholmod_common common;
    cholmod_sparse *matrix;
    cholmod_factor *theirs;
#endif
    block_llt_schur *schur;
    size_t rows;
    uint32_t *offsets, *points;
    double *weights, *complement, *sides;
} factors;

static void factor_one(void *user) {
    factors *f = user;
    bench_require(block_llt_factor(f->one, f->shell->matrix->blocks, 0, NULL), "the shell is not definite");
}

static void factor_two(void *user) {
    factors *f = user;
    bench_require(block_llt_factor(f->two, f->shell->matrix->blocks, 0, NULL), "the shell is not definite");
}

static block_llt *make_factor(const bench_setup *bench, ruga_context *context, const shell *s) {
    block_llt *f;
    double start = timer_now();
    bench_ok(bench, block_llt_create(context, VERTICES, s->matrix->offsets, s->matrix->columns, &f));
    block_llt_size size = block_llt_measure(f);
    printf(
        "ours: analysis %.0f ms, %.2f million entries, %.2f thousand million operations, %zu supernodes, %zu tasks\n",
        1e3 * (timer_now() - start), 1e-6 * size.entries, 1e-9 * size.work, size.supernodes, size.tasks);
    return f;
}

static double *random_side(void) {
    double *x = malloc(UNKNOWNS * sizeof *x);
    bench_require(x != NULL, "no memory");
    for (uint32_t i = 0; i < UNKNOWNS; i++) x[i] = bench_scatter(i);
    return x;
}

#ifdef BENCH_CHOLMOD
/* CHOLMOD starts four threads of OpenMP whatever it is asked for, unless the environment has this limit when the
 * program starts. So the program starts again with it. */
static void limit_threads(char **argv) {
    if (getenv("OMP_THREAD_LIMIT")) return;
    setenv("OMP_THREAD_LIMIT", "1", 1);
    execv("/proc/self/exe", argv);
}

/* The upper triangle by columns. */
static void make_theirs(factors *f) {
    const block_matrix *m = f->shell->matrix;
    openblas_set_num_threads(1);
    cholmod_start(&f->common);
    f->common.supernodal = CHOLMOD_SUPERNODAL;
    f->common.nmethods = 1;
    f->common.method[0].ordering = CHOLMOD_METIS;
    f->matrix = cholmod_allocate_sparse(UNKNOWNS, UNKNOWNS, 9 * (size_t)m->offsets[VERTICES], 1, 1, 1, CHOLMOD_REAL,
                                        &f->common);
    bench_require(f->matrix != NULL, "no memory");
    int *begins = f->matrix->p, *rows = f->matrix->i, filled = 0;
    double *values = f->matrix->x;
    for (int k = 0; k < UNKNOWNS; k++) {
        begins[k] = filled;
        for (uint32_t e = m->offsets[k / 3]; e < m->offsets[k / 3 + 1]; e++)
            for (int r = 0; r < 3; r++) {
                int row = 3 * (int)m->columns[e] + r;
                if (row > k) continue;
                rows[filled] = row;
                values[filled++] = m->blocks[9 * (size_t)e + 3 * (size_t)r + (size_t)(k % 3)];
            }
    }
    begins[UNKNOWNS] = filled;
    double start = timer_now();
    f->theirs = cholmod_analyze(f->matrix, &f->common);
    bench_require(f->theirs != NULL, "CHOLMOD can't analyse the shell");
    printf("CHOLMOD: analysis %.0f ms, %.2f million entries, %.2f thousand million operations\n",
           1e3 * (timer_now() - start), 1e-6 * f->common.lnz, 1e-9 * f->common.fl);
}

static void factor_theirs(void *user) {
    factors *f = user;
    bench_require(cholmod_factorize(f->matrix, f->theirs, &f->common) && f->common.status == CHOLMOD_OK,
                  "CHOLMOD can't factor the shell");
}

static void check_agreement(factors *f) {
    factor_one(f);
    factor_theirs(f);
    double *x = random_side(), worst = 0, largest = 0;
    cholmod_dense side = {UNKNOWNS, 1, UNKNOWNS, UNKNOWNS, random_side(), NULL, CHOLMOD_REAL, CHOLMOD_DOUBLE};
    cholmod_dense *theirs = cholmod_solve(CHOLMOD_A, f->theirs, &side, &f->common);
    bench_require(theirs != NULL, "CHOLMOD can't solve with the shell");
    block_llt_solve(f->one, (vec3 *)x);
    for (size_t i = 0; i < UNKNOWNS; i++) {
        worst = fmax(worst, fabs(x[i] - ((double *)theirs->x)[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    printf("solutions differ by %.1e of their size\n", worst / largest);
    bench_require(worst < 1e-8 * largest, "the two solutions differ");
    cholmod_free_dense(&theirs, &f->common);
    free(side.x);
    free(x);
}

static void compare_with_cholmod(const bench_setup *bench, factors *f) {
    make_theirs(f);
    check_agreement(f);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "ours",
                                                        .a = factor_one,
                                                        .b_name = "CHOLMOD, OpenBLAS",
                                                        .b = factor_theirs,
                                                        .user = f,
                                                        .processor_time = 1,
                                                        .repetitions = 15});
    bench_figure("factor_vs_cholmod", r.ratio);
    cholmod_free_factor(&f->theirs, &f->common);
    cholmod_free_sparse(&f->matrix, &f->common);
    cholmod_finish(&f->common);
}
#else
static void limit_threads(char **argv) { (void)argv; }

static void compare_with_cholmod(const bench_setup *bench, factors *f) {
    (void)bench, (void)f;
    printf(
        "CHOLMOD: left out, it was not there when this was built (on Debian: libsuitesparse-dev, libopenblas-dev)\n");
}
#endif

static void compare_threads(const bench_setup *bench, factors *f) {
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "one thread",
                                                        .a = factor_one,
                                                        .b_name = "two threads",
                                                        .b = factor_two,
                                                        .user = f,
                                                        .repetitions = 15});
    bench_figure("factor_threads_2", r.ratio);
}

/* ---- Solves. */

static void print_solves(factors *f) {
    enum { ROUNDS = 7 };
    double one[ROUNDS], eight[ROUNDS], *x = random_side();
    f->sides = calloc(8 * (size_t)UNKNOWNS, sizeof *f->sides);
    bench_require(f->sides != NULL, "no memory");
    for (int i = 0; i < ROUNDS; i++) {
        double start = timer_now();
        block_llt_solve(f->one, (vec3 *)x);
        one[i] = timer_now() - start;
        start = timer_now();
        block_llt_solve_many(f->one, 8, f->sides);
        eight[i] = timer_now() - start;
    }
    bench_row("solve, one side", bench_median(one, ROUNDS), 0, NULL);
    bench_row("solve, eight sides", bench_median(eight, ROUNDS), 0, NULL);
    free(x);
}

static void make_clusters(const bench_setup *bench, factors *f) {
    size_t most = 4 * (size_t)VERTICES * 9;
    size_t filled = 0;
    f->offsets = calloc(VERTICES, sizeof *f->offsets);
    f->points = malloc(most * sizeof *f->points);
    f->weights = malloc(most * sizeof *f->weights);
    bench_require(f->offsets && f->points && f->weights, "no memory");
    for (int back = 0; back < 2; back++)
        for (int y = CLUSTER_STEP / 2; y < ALONG; y += CLUSTER_STEP)
            for (int x = CLUSTER_STEP / 2; x < ACROSS; x += CLUSTER_STEP) {
                for (int v = y - CLUSTER_STEP; v <= y + CLUSTER_STEP; v++)
                    for (int u = x - CLUSTER_STEP; u <= x + CLUSTER_STEP; u++) {
                        if (u < 0 || v < 0 || u > ACROSS || v > ALONG) continue;
                        double square = (double)((u - x) * (u - x) + (v - y) * (v - y));
                        f->points[filled] = vertex_of(back, u, v);
                        f->weights[filled++] = exp(-square / (CLUSTER_REACH * CLUSTER_REACH));
                    }
                f->offsets[++f->rows] = (uint32_t)filled;
            }
    bench_ok(bench, block_llt_schur_create(f->one, f->rows, f->offsets, f->points, &f->schur));
    f->complement = malloc(9 * f->rows * f->rows * sizeof *f->complement);
    bench_require(f->complement != NULL, "no memory");
    printf("%zu clusters\n", f->rows);
}

static void make_schur(void *user) {
    factors *f = user;
    block_llt_schur_make(f->schur, f->weights, f->complement);
}

/* A⁻¹ Hᵀ alone; its product with H is not counted. */
static void solve_all(void *user) {
    factors *f = user;
    for (size_t k = 0; k < 3 * f->rows; k += 8) {
        memset(f->sides, 0, 8 * (size_t)UNKNOWNS * sizeof *f->sides);
        for (size_t s = k; s < k + 8 && s < 3 * f->rows; s++)
            for (uint32_t e = f->offsets[s / 3]; e < f->offsets[s / 3 + 1]; e++)
                f->sides[(s - k) * UNKNOWNS + 3 * f->points[e] + s % 3] += f->weights[e];
        block_llt_solve_many(f->one, 8, f->sides);
    }
}

static void compare_schur(const bench_setup *bench, factors *f) {
    make_clusters(bench, f);
    bench_result r = bench_compare(bench, &(bench_pair){.a_name = "solves",
                                                        .a = solve_all,
                                                        .b_name = "Schur complement",
                                                        .b = make_schur,
                                                        .user = f,
                                                        .processor_time = 1,
                                                        .repetitions = 5});
    bench_figure("schur_vs_solves", r.ratio);
}

int main(int argc, char **argv) {
    limit_threads(argv);
    bench_setup bench = bench_init(argc, argv, "factors of shells");
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 2;
    ruga_context *of_two = NULL;
    bench_ok(&bench, ruga_context_create(&def, &of_two));
    shell s = make_shell(&bench);
    factors f = {.shell = &s, .one = make_factor(&bench, bench.context, &s)};
    bench_ok(&bench, block_llt_create(of_two, VERTICES, s.matrix->offsets, s.matrix->columns, &f.two));
    compare_with_cholmod(&bench, &f);
    compare_threads(&bench, &f);
    print_solves(&f);
    compare_schur(&bench, &f);
    block_llt_schur_destroy(f.schur);
    block_llt_destroy(f.one);
    block_llt_destroy(f.two);
    free(f.offsets);
    free(f.points);
    free(f.weights);
    free(f.complement);
    free(f.sides);
    block_matrix_destroy(s.matrix);
    ruga_mesh_destroy(s.mesh);
    free(s.areas);
    ruga_context_destroy(of_two);
    bench_end(&bench);
    return 0;
}
