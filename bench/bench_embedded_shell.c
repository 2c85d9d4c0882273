/* The statics of embedded shells: the paper's path against ours (Rémillard and Kry 2013, table 1). Times are those of
 * the processor with one thread, else of the wall.
 *
 *   minres_vs_fast     the pillow of the paper's fourth row (fifth with --quick): two sheets of 54 x 87 cells that
 *                      share their border, 28,194 unknowns (12,534: 36 x 58 cells), a skin of 0.7 mm, a stiffness ratio
 *                      of 10⁴. It is 30 cm long here, which gives about as many clusters as the paper has; the 50 cm of
 *                      its text would have hundreds. One frame, from a strain of 0.4 % to 0.42 %: time by MINRES over
 *                      ours, both until the residual has fallen by 1e-6 from the common start. The reference runs once,
 *                      ours five times. The reference is cut off after 35 times ours (12 with --quick): the figure is a
 *                      lower bound then.
 *   setup_vs_frame     making a shell, which places its clusters and analyses its matrix, over one of our frames
 *   growth_exponent    full run only: d ln time / d ln unknowns of a frame, 3 to 200 thousand unknowns, same clusters
 *
 * The full run also prints all rows of table 1, and the two kinds of factor at 200, 2,000 and 8,000 clusters.
 */
#include <math.h>

#include "bench.h"
#include "ruga/ruga.h"
#include "wrinkle/embedded_shell.h"

#define PI 3.14159265358979323846
#define LENGTH 0.3   /* m, of the pillow */
#define BEFORE 0.004 /* strain before the frame */
#define AFTER 0.0042 /* and after it */

#define QUICK_BOUND 12
#define FULL_BOUND 35

static int warnings; /* of the library since a row began */

static const ruga_skin pillow_skin = {0.0007, 1e8, 0.3, 1e4, 0.3};

/* Takes both arrays. */
static ruga_mesh *take_mesh(const bench_setup *bench, size_t vertices, ruga_vec3 *x, size_t faces, uint32_t *f) {
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){x, vertices, 0, RUGA_F64};
    def.face_count = faces;
    def.face_vertices = f;
    bench_ok(bench, ruga_mesh_create(bench->context, &def, &mesh));
    free(x);
    free(f);
    return mesh;
}

static double now(const bench_setup *bench) { return bench_now(bench->threads == 1); }

/* ---- The pillow. */

/* An ellipsoid: the square becomes a disc, and the disc half a ball. */
static ruga_vec3 pillow_place(size_t m, size_t n, size_t i, size_t j, int side) {
    const double u = 2 * (double)j / (double)n - 1, v = 2 * (double)i / (double)m - 1, half = LENGTH / 2;
    const double x = u * sqrt(1 - v * v / 2), z = v * sqrt(1 - u * u / 2), r = fmin(1, sqrt(x * x + z * z));
    const double angle = r * PI / 2, along = r > 0 ? sin(angle) / r : 0, height = 0.35 * half * cos(angle);
    return (ruga_vec3){half * along * x, side ? -height : height, half * (double)m / (double)n * along * z};
}

static ruga_mesh *pillow(const bench_setup *bench, size_t m, size_t n) {
    const size_t vertices = 2 * m * n + 2, w = n + 1;
    size_t at = 0, t = 0;
    ruga_vec3 *x = malloc(vertices * sizeof *x);
    uint32_t *f = malloc(12 * m * n * sizeof *f), *id = malloc(2 * (m + 1) * w * sizeof *id);
    bench_require(x && f && id, "out of memory");
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i <= m; i++)
            for (size_t j = 0; j <= n; j++) {
                const int is_border = i == 0 || j == 0 || i == m || j == n;
                uint32_t *mine = &id[(side * (m + 1) + i) * w + j];
                *mine = side && is_border ? id[i * w + j] : (uint32_t)at;
                if (!(side && is_border)) x[at++] = pillow_place(m, n, i, j, (int)side);
            }
    for (size_t k = 0; k < 2 * m * n; k++, t += 2) {
        const size_t side = k / (m * n), i = k % (m * n) / n, j = k % n;
        const uint32_t *p = id + (side * (m + 1) + i) * w + j;
        const uint32_t a = p[0], b = p[1], c = p[w], d = p[w + 1];
        /* Diagonals point to the middle, so that no triangle lies flat in a corner of the square. */
        const int turned = (2 * i < m) == (2 * j < n);
        const uint32_t corners[4][6] = {{a, c, b, b, c, d}, {a, b, c, b, d, c}, {a, c, d, a, d, b}, {a, d, c, a, b, d}};
        memcpy(f + 3 * t, corners[side + (turned ? 2 : 0)], sizeof corners[0]);
    }
    free(id);
    return take_mesh(bench, vertices, x, t, f);
}

/* ---- The other objects of table 1. */

/* The surface of a box of 8 x 8 x 64 cells, 80 cm long: 6,534 unknowns. */
static ruga_mesh *bar(const bench_setup *bench) {
    enum { N = 8, L = 64, SIDE = N + 1, VERTICES = 2 * (N * N + 2 * N * L) + 2, FACES = 2 * (VERTICES - 2) };
    uint32_t *id = malloc((L + 1) * SIDE * SIDE * sizeof *id), *f = malloc(3 * FACES * sizeof *f);
    ruga_vec3 *x = malloc(VERTICES * sizeof *x);
    bench_require(x && f && id, "out of memory");
    size_t at = 0, t = 0;
    for (size_t i = 0; i <= L; i++)
        for (size_t j = 0; j <= N; j++)
            for (size_t k = 0; k <= N; k++) {
                if (i % L && j % N && k % N) continue; /* inside */
                id[(i * SIDE + j) * SIDE + k] = (uint32_t)at;
                x[at++] = (ruga_vec3){0.8 * (double)i / L - 0.4, 0.1 * (double)j / N, 0.1 * (double)k / N};
            }
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            const size_t sizes[3] = {L, N, N}, steps[3] = {SIDE * SIDE, SIDE, 1};
            const size_t u = (size_t)(axis + 1) % 3, v = (size_t)(axis + 2) % 3;
            for (size_t i = 0; i < sizes[u]; i++)
                for (size_t j = 0; j < sizes[v]; j++, t += 2) {
                    const uint32_t *p = id + (end ? sizes[axis] * steps[axis] : 0) + i * steps[u] + j * steps[v];
                    const uint32_t a = p[0], b = p[steps[u]], c = p[steps[v]], d = p[steps[u] + steps[v]];
                    const uint32_t corners[2][6] = {{a, c, b, b, c, d}, {a, b, c, b, d, c}};
                    memcpy(f + 3 * t, corners[end], sizeof corners[0]);
                }
        }
    free(id);
    return take_mesh(bench, at, x, t, f);
}

/* An open sheet of 50 x 5 cells, 50 cm long: 918 unknowns. */
static ruga_mesh *slab(const bench_setup *bench) {
    enum { M = 5, N = 50 };
    ruga_vec3 *x = malloc((M + 1) * (N + 1) * sizeof *x);
    uint32_t *f = malloc(6 * M * N * sizeof *f);
    bench_require(x && f, "out of memory");
    for (size_t i = 0; i < (M + 1) * (N + 1); i++)
        x[i] = (ruga_vec3){0.01 * (double)(i % (N + 1)), 0, 0.01 * (double)(i / (N + 1))};
    for (size_t k = 0; k < M * N; k++) {
        const uint32_t a = (uint32_t)(k / N * (N + 1) + k % N), b = a + 1, c = a + N + 1, d = c + 1;
        const uint32_t corners[6] = {a, c, b, b, c, d};
        memcpy(f + 6 * k, corners, sizeof corners);
    }
    return take_mesh(bench, (M + 1) * (N + 1), x, 2 * M * N, f);
}

static void press(const ruga_mesh *mesh, double strain, ruga_vec3 *out) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const ruga_vec3 p = mesh->positions[i];
        out[i] = (ruga_vec3){p.x * (1 - strain), p.y * (1 + 0.3 * strain), p.z * (1 + 0.3 * strain)};
    }
}

/* ---- One frame, as often as wanted. */

typedef struct statics {
    const bench_setup *bench;
    ruga_mesh *mesh;
    ruga_embedded_shell *shell;
    ruga_vec3 *carrier;
    void *state; /* before the frame */
    size_t size;
    double setup; /* s */
} statics;

static ruga_embedded_shell_def shell_def(const ruga_skin *skin, ruga_shell_solver solver) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    def.thickness = ruga_param_constant(skin->thickness);
    def.stiffness = ruga_param_constant(skin->stiffness);
    def.interior_stiffness = ruga_param_constant(skin->interior_stiffness);
    def.tolerance = 1e-6;
    def.iterations = 300;
    def.solver = solver;
    return def;
}

static void report(const char *name, const ruga_embedded_shell *shell, double seconds) {
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(shell);
    printf("  %-10s %8.3f s: %d Newton steps, %d iterations, %d factors, residual %.1e, energy %.7g J%s%s\n", name,
           seconds, r.newton_steps, r.linear_iterations, r.factorisations, r.residual, r.energy,
           r.stalled ? ", stalled: " : "", r.stalled ? r.stalled : "");
}

/* Takes the mesh. */
static statics prepare(const bench_setup *bench, const char *name, ruga_mesh *mesh, const ruga_skin *skin,
                       double before, double after) {
    statics s = {.bench = bench, .mesh = mesh};
    const ruga_embedded_shell_def def = shell_def(skin, RUGA_SHELL_FAST);
    s.carrier = malloc(s.mesh->vertex_count * sizeof *s.carrier);
    bench_require(s.carrier != NULL, "out of memory");
    double begin = now(bench);
    bench_ok(bench, ruga_embedded_shell_create(s.mesh, &def, &s.shell));
    s.setup = now(bench) - begin;
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(s.shell);
    printf("%s: %zu unknowns, %zu triangles, waves of %.4f m, edges of %.4f m, %zu clusters, made in %.3f s\n", name,
           3 * r.vertices, r.triangles, r.wavelength, r.mean_edge, r.clusters, s.setup);
    for (int k = 1; k <= 2; k++) {
        press(s.mesh, before * k / 2, s.carrier);
        begin = now(bench);
        bench_ok(bench, ruga_embedded_shell_update(s.shell, s.carrier));
        report("before", s.shell, now(bench) - begin);
    }
    bench_ok(bench, ruga_embedded_shell_save(s.shell, &s.state, &s.size));
    press(s.mesh, after, s.carrier);
    return s;
}

static statics prepare_pillow(const bench_setup *bench, size_t m, size_t n) {
    return prepare(bench, "pillow of 30 cm", pillow(bench, m, n), &pillow_skin, BEFORE, AFTER);
}

static void release(statics *s) {
    ruga_free(s->bench->context, s->state);
    ruga_embedded_shell_destroy(s->shell);
    ruga_mesh_destroy(s->mesh);
    free(s->carrier);
}

/* The median of some, five at most; the state before the frame is loaded, untimed. */
static double time_ours(statics *s, int count) {
    double times[5];
    for (int k = 0; k < count; k++) {
        bench_ok(s->bench, ruga_embedded_shell_load(s->shell, s->state, s->size));
        const double begin = now(s->bench);
        bench_ok(s->bench, ruga_embedded_shell_update(s->shell, s->carrier));
        times[k] = now(s->bench) - begin;
    }
    double median = bench_median(times, count);
    report("ours", s->shell, median);
    return median;
}

/* ---- The reference. */

typedef struct alarm_clock {
    double deadline; /* s; 0: none */
    int processor_time;
} alarm_clock;
static alarm_clock alarm_at;

static int is_late(void *user, const char *stage, double fraction) {
    (void)user, (void)stage, (void)fraction;
    return alarm_at.deadline > 0 && bench_now(alarm_at.processor_time) > alarm_at.deadline;
}

/* Seconds, or `limit` if it takes longer. */
static double time_reference(statics *s, double limit) {
    const ruga_embedded_shell_def def = shell_def(&pillow_skin, RUGA_SHELL_REFERENCE);
    ruga_embedded_shell *shell = NULL;
    bench_ok(s->bench, ruga_embedded_shell_create(s->mesh, &def, &shell));
    bench_ok(s->bench, ruga_embedded_shell_load(s->shell, s->state, s->size));
    memcpy(shell->x, s->shell->x, shell->count * sizeof *shell->x);
    memcpy(shell->carrier, s->shell->carrier, shell->count * sizeof *shell->x);
    const double begin = now(s->bench);
    alarm_at = (alarm_clock){begin + limit, s->bench->threads == 1};
    ruga_status status = ruga_embedded_shell_update(shell, s->carrier);
    double seconds = now(s->bench) - begin;
    if (status != RUGA_ERROR_CANCELLED) bench_ok(s->bench, status);
    report(status == RUGA_ERROR_CANCELLED ? "cut off" : "reference", shell, seconds);
    alarm_at.deadline = 0;
    ruga_embedded_shell_destroy(shell);
    return seconds;
}

/* ---- Figures. */

static double growth(const bench_setup *bench) {
    const size_t cells[4][2] = {{18, 29}, {36, 58}, {72, 116}, {144, 232}};
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < 4; k++) {
        statics s = prepare_pillow(bench, cells[k][0], cells[k][1]);
        const double x = log(3 * (double)s.mesh->vertex_count), y = log(time_ours(&s, k < 3 ? 5 : 3));
        bench_require(!ruga_embedded_shell_get_report(s.shell).stalled, "a frame of growth_exponent stalled");
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        release(&s);
    }
    return (4 * sxy - sx * sy) / (4 * sxx - sx * sx);
}

/* A row of table 1, with the paper's number of clusters and its milliseconds of set-up and of a frame. */
typedef struct table_row {
    const char *object;
    double thickness, ratio;
    size_t cells[2]; /* of a pillow */
    int clusters, setup, frame;
} table_row;

/* Frames from 3 to 3.15 times the critical strain of a free wave, h² k² / 12. The paper does not state its strains. */
static void print_row(const bench_setup *bench, const table_row *row) {
    const ruga_skin skin = {row->thickness, 1e8, 0.3, 1e8 / row->ratio, 0.3};
    const double wave = ruga_skin_wavelength(&skin), hk = 2 * PI * skin.thickness / wave, critical = hk * hk / 12;
    ruga_mesh *mesh = row->object[0] == 'p'   ? pillow(bench, row->cells[0], row->cells[1])
                      : row->object[0] == 'b' ? bar(bench)
                                              : slab(bench);
    warnings = 0;
    statics s = prepare(bench, row->object, mesh, &skin, 3 * critical, 3.15 * critical);
    const double ours = time_ours(&s, 3);
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(s.shell);
    printf(
        "table: %-6s %6.4f %8.0e %7.5f m %5zu (%4d) clusters %6zu unknowns, set-up %6.0f (%5d) ms, frame %7.0f "
        "(%5d) ms\n",
        row->object, row->thickness, row->ratio, wave, r.clusters, row->clusters, 3 * r.vertices, 1e3 * s.setup,
        row->setup, 1e3 * ours, row->frame);
    bench_require(warnings > 0 || wave > 2 * r.mean_edge, "a wave below two edges had no warning");
    release(&s);
}

static void print_table(const bench_setup *bench) {
    static const table_row rows[] = {
        {"pillow", 0.0002, 1e2, {54, 87}, 2108, 1377, 45690}, {"pillow", 0.0004, 1e2, {36, 58}, 1488, 1231, 6328},
        {"pillow", 0.0005, 1e2, {18, 29}, 1046, 329, 639},    {"pillow", 0.0007, 1e4, {54, 87}, 98, 7902, 36746},
        {"pillow", 0.0007, 1e4, {36, 58}, 100, 1128, 4536},   {"pillow", 0.0007, 1e4, {18, 29}, 95, 234, 576},
        {"pillow", 0.0007, 1e4, {7, 15}, 87, 89, 69},         {"bar", 0.001, 1e2, {0, 0}, 33, 805, 2257},
        {"bar", 0.0001, 1e2, {0, 0}, 82, 649, 2694},          {"slab", 0.001, 1e2, {0, 0}, 6, 109, 162},
        {"slab", 0.0002, 1e3, {0, 0}, 21, 108, 252},
    };
    printf("table 1, ours beside the paper's in brackets; pillows are 30 cm long, the paper's 50 cm\n");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) print_row(bench, &rows[k]);
}

/* ---- The two kinds of factor. */

/* One factor and fifty solves, about as many as a frame has; s. */
static double time_factor(const bench_setup *bench, ruga_embedded_shell *shell, shell_factor_kind kind) {
    shell_factor *f = NULL;
    double shift = 1;
    bench_ok(bench, shell_factor_create(shell, kind, &f));
    bench_ok(bench, shell_linearise(shell, shell->x));
    bench_require(shell_factor_search(shell, f, 1e6, &shift), "no shift makes the Hessian definite");
    const double begin = now(bench);
    bench_require(shell_factor_make(shell, f, shift), "the factor can't be made again");
    const double made = now(bench);
    for (int k = 0; k < 50; k++) {
        for (size_t i = 0; i < shell->count; i++) shell->offsets[i] = (ruga_vec3){shell_noise((uint32_t)i), 0, 1};
        memset(shell->constraints, 0, shell->rows->rows * sizeof *shell->constraints);
        shell_factor_solve(shell, f, shell->offsets, shell->constraints);
    }
    const double end = now(bench);
    printf("  %-6s shift %5.0f, factor %7.3f s, 50 solves %7.3f s\n", kind == SHELL_FACTOR_SPARSE ? "sparse" : "dense",
           shift, made - begin, end - made);
    shell_factor_destroy(f);
    return end - begin;
}

static void compare_factors(const bench_setup *bench) {
    const double waves[3] = {0.0445, 0.0136, 0.00665}; /* m, for 200, 2,000 and 8,000 clusters */
    ruga_mesh *mesh = pillow(bench, 108, 174);
    for (int k = 0; k < 3; k++) {
        ruga_embedded_shell_def def = shell_def(&pillow_skin, RUGA_SHELL_FAST);
        ruga_embedded_shell *shell = NULL;
        def.cluster_wavelength = waves[k];
        bench_ok(bench, ruga_embedded_shell_create(mesh, &def, &shell));
        const size_t clusters = shell->rows->rows;
        const double bytes = 9.0 * (double)(clusters * clusters) * sizeof(double);
        printf("factors of %zu unknowns with %zu clusters\n", 3 * shell->count, clusters);
        const double sparse = time_factor(bench, shell, SHELL_FACTOR_SPARSE);
        if (bytes < 1e9)
            printf("  dense over sparse: %.2f\n", time_factor(bench, shell, SHELL_FACTOR_DENSE) / sparse);
        else
            printf("  dense: not run, its Schur complement has %.1f GB\n", bytes / 1e9);
        ruga_embedded_shell_destroy(shell);
    }
    ruga_mesh_destroy(mesh);
}

/* Rows whose waves are below two edges show the warning of the library. */
static void print_warning(void *user, ruga_log_level level, const char *message) {
    (void)user;
    if (level != RUGA_LOG_WARNING) return;
    warnings++;
    printf("  warning: %s\n", message);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "embedded shells");
    bench_end(&bench);
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = bench.threads;
    def.progress = is_late;
    def.log = print_warning;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &bench.context)), "no context");
    statics s = prepare_pillow(&bench, bench.quick ? 36 : 54, bench.quick ? 58 : 87);
    const double ours = time_ours(&s, 5), bound = bench.quick ? QUICK_BOUND : FULL_BOUND;
    const double reference = time_reference(&s, bound * ours);
    if (reference >= bound * ours) printf("the reference was cut off: minres_vs_fast is a lower bound\n");
    bench_figure("minres_vs_fast", reference / ours);
    bench_figure("setup_vs_frame", s.setup / ours);
    release(&s);
    if (!bench.quick) {
        compare_factors(&bench);
        print_table(&bench);
        bench_figure("growth_exponent", growth(&bench));
    }
    bench_end(&bench);
    return 0;
}
