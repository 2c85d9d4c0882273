/* The statics of embedded shells: the paper's path against ours (Rémillard and Kry 2013, table 1).
 *
 *   minres_vs_fast     the pillow of the paper's fourth row (fifth with --quick): two sheets of 54 x 87 cells that
 *                      share their border, 28,194 unknowns (12,534: 36 x 58 cells), a skin of 0.7 mm, a stiffness ratio
 *                      of 10⁴. It is 30 cm long here, which gives about as many clusters as the paper has; the 50 cm of
 *                      its text would have hundreds. One frame, from a strain of 0.4 % to 0.42 %: time by MINRES over
 *                      ours, both until the residual has fallen by 1e-6 from the common start. The reference runs once,
 *                      ours five times. With --quick the reference ends after 12 times ours: the figure is a bound
 *                      then.
 *   setup_vs_frame     making a shell, which places its clusters and analyses its matrix, over one of our frames
 *   growth_exponent    full run only: d ln time / d ln unknowns of a frame, 3 to 200 thousand unknowns, same clusters
 */
#include <math.h>

#include "bench.h"
#include "ruga/ruga.h"
#include "wrinkle/embedded_shell.h"

#define PI 3.14159265358979323846
#define LENGTH 0.3   /* m, of the pillow */
#define BEFORE 0.004 /* strain before the frame */
#define AFTER 0.0042 /* and after it */

static const ruga_skin skin = {0.0007, 1e8, 0.3, 1e4, 0.3};

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
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){x, vertices, 0, RUGA_F64};
    def.face_count = t;
    def.face_vertices = f;
    bench_ok(bench, ruga_mesh_create(bench->context, &def, &mesh));
    free(x);
    free(f);
    free(id);
    return mesh;
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

static ruga_embedded_shell_def shell_def(ruga_shell_solver solver) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    def.thickness = ruga_param_constant(skin.thickness);
    def.stiffness = ruga_param_constant(skin.stiffness);
    def.interior_stiffness = ruga_param_constant(skin.interior_stiffness);
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

static statics prepare(const bench_setup *bench, size_t m, size_t n) {
    statics s = {.bench = bench, .mesh = pillow(bench, m, n)};
    const ruga_embedded_shell_def def = shell_def(RUGA_SHELL_FAST);
    s.carrier = malloc(s.mesh->vertex_count * sizeof *s.carrier);
    bench_require(s.carrier != NULL, "out of memory");
    double begin = bench_now(0);
    bench_ok(bench, ruga_embedded_shell_create(s.mesh, &def, &s.shell));
    s.setup = bench_now(0) - begin;
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(s.shell);
    printf(
        "pillow of %.2f m, %zu x %zu cells: %zu unknowns, %zu triangles, waves of %.4f m, edges of %.4f m, %zu "
        "clusters, made in %.3f s\n",
        LENGTH, m, n, 3 * r.vertices, r.triangles, r.wavelength, r.mean_edge, r.clusters, s.setup);
    for (int k = 1; k <= 2; k++) {
        press(s.mesh, BEFORE * k / 2, s.carrier);
        begin = bench_now(0);
        bench_ok(bench, ruga_embedded_shell_update(s.shell, s.carrier));
        report("before", s.shell, bench_now(0) - begin);
    }
    bench_ok(bench, ruga_embedded_shell_save(s.shell, &s.state, &s.size));
    press(s.mesh, AFTER, s.carrier);
    return s;
}

static void release(statics *s) {
    ruga_free(s->bench->context, s->state);
    ruga_embedded_shell_destroy(s->shell);
    ruga_mesh_destroy(s->mesh);
    free(s->carrier);
}

/* The median of five; the state before the frame is loaded, untimed. */
static double time_ours(statics *s) {
    double times[5];
    for (int k = 0; k < 5; k++) {
        bench_ok(s->bench, ruga_embedded_shell_load(s->shell, s->state, s->size));
        const double begin = bench_now(0);
        bench_ok(s->bench, ruga_embedded_shell_update(s->shell, s->carrier));
        times[k] = bench_now(0) - begin;
    }
    double median = bench_median(times, 5);
    report("ours", s->shell, median);
    return median;
}

/* ---- The reference. */

static double deadline; /* s; 0: none */

static int is_late(void *user, const char *stage, double fraction) {
    (void)user, (void)stage, (void)fraction;
    return deadline > 0 && bench_now(0) > deadline;
}

/* Seconds, or `limit` if it takes longer. */
static double time_reference(statics *s, double limit) {
    const ruga_embedded_shell_def def = shell_def(RUGA_SHELL_REFERENCE);
    ruga_embedded_shell *shell = NULL;
    bench_ok(s->bench, ruga_embedded_shell_create(s->mesh, &def, &shell));
    bench_ok(s->bench, ruga_embedded_shell_load(s->shell, s->state, s->size));
    memcpy(shell->x, s->shell->x, shell->count * sizeof *shell->x);
    memcpy(shell->carrier, s->shell->carrier, shell->count * sizeof *shell->x);
    const double begin = bench_now(0);
    deadline = limit > 0 ? begin + limit : 0;
    ruga_status status = ruga_embedded_shell_update(shell, s->carrier);
    double seconds = bench_now(0) - begin;
    if (status != RUGA_ERROR_CANCELLED) bench_ok(s->bench, status);
    report(status == RUGA_ERROR_CANCELLED ? "cut off" : "reference", shell, seconds);
    deadline = 0;
    ruga_embedded_shell_destroy(shell);
    return seconds;
}

/* ---- Figures. */

static double growth(const bench_setup *bench) {
    const size_t cells[4][2] = {{18, 29}, {36, 58}, {72, 116}, {144, 232}};
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < 4; k++) {
        statics s = prepare(bench, cells[k][0], cells[k][1]);
        const double x = log(3 * (double)s.mesh->vertex_count), y = log(time_ours(&s));
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        release(&s);
    }
    return (4 * sxy - sx * sy) / (4 * sxx - sx * sx);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "embedded shells");
    bench_end(&bench);
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = bench.threads;
    def.progress = is_late;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &bench.context)), "no context");
    statics s = prepare(&bench, bench.quick ? 36 : 54, bench.quick ? 58 : 87);
    const double ours = time_ours(&s), reference = time_reference(&s, bench.quick ? 12 * ours : 0);
    bench_figure("minres_vs_fast", reference / ours);
    bench_figure("setup_vs_frame", s.setup / ours);
    release(&s);
    if (!bench.quick) bench_figure("growth_exponent", growth(&bench));
    bench_end(&bench);
    return 0;
}
