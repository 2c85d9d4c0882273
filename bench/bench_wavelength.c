/* Wavelengths of embedded shells on flat slabs, against equation 3 of Rémillard and Kry 2013.
 *
 *   wavelength_median_error   over pairs of thickness and stiffness ratio, 40 of them over a decade of wavelengths (2
 *   wavelength_worst_error    with --quick): |λ measured / λ predicted - 1|, the mean over four seeds (2 with --quick),
 *                             with meshes of three kinds in turn; slabs are 16.3 to 18.9 waves long, which is no
 *                             multiple, with 10 edges to a wave.
 *   foundation_slope_h        with a foundation, and clusters that stay the same: d ln λ / d ln h over the 1 of theory,
 *   foundation_slope_ratio    and d ln λ / d ln (E_x / E_q) over the 1/3 of theory, for wavelengths of 1 to 1.4 times
 *                             that which the clusters are made for
 *   volume_worst_difference   of the wavelength from that of a dense volumetric slab (ruga_dense_slab_solve), over six
 *                             pairs; in the full run
 *
 * Without a foundation the clusters carry the wavelength: the slopes by h and by the ratio with clusters that stay the
 * same are printed as well, and are near 0.
 *
 * A slab is compressed along x beyond buckling. The wavelength is that of ruga_embedded_shell_measure_wavelength.
 *
 * The full run takes about half an hour. With --log FILE each slab is written to that file when it is done, and a run
 * that was stopped continues from there: slabs in the file are not computed again. Times are no part of any figure, so
 * the machine may be busy. Remove the file when the program changes.
 */
#include <math.h>

#include "bench.h"
#include "ruga/ruga.h"

#define PI 3.14159265358979323846
#define WIDTH 3.3 /* waves */
#define EDGES 10  /* a wave */
#define LOAD_STEP 0.1
/* The first load, and frames, without and with a foundation: through buckling, which theory has at 1 and at 2. */
#define LOAD 1.2
#define FRAMES 6
#define FOUNDATION_LOAD 1.9
#define FOUNDATION_FRAMES 4

typedef struct slab {
    ruga_mesh *mesh;
    double length, width; /* m */
} slab;

/* ---- The log: a line for each slab, its name and what was measured. */

/* NaN: not in the log. */
static double read_log(const bench_setup *bench, const char *name) {
    char line[256];
    double found = NAN;
    FILE *file = bench->log ? fopen(bench->log, "r") : NULL;
    if (!file) return NAN; /* the first run makes it */
    const size_t length = strlen(name);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, name, length) && line[length] == ':') found = strtod(line + length + 1, NULL);
    fclose(file);
    return found;
}

static void write_log(const bench_setup *bench, const char *name, double found) {
    if (!bench->log) return;
    FILE *file = fopen(bench->log, "a");
    bench_require(file != NULL, "the file of --log can't be written");
    fprintf(file, "%s: %.17g\n", name, found);
    bench_require(fclose(file) == 0, "the file of --log can't be written");
}

/* ---- Slabs. Rows of equilateral triangles along x, every second one shifted by half an edge. */

typedef struct slab_size {
    size_t columns, rows; /* edges of an even row, and rows of triangles */
    double x, z;          /* m, of a column and a row */
} slab_size;

static size_t row_begin(const slab_size *s, size_t row) { return row * (s->columns + 1) + row / 2; }

static void place_vertices(const slab_size *s, ruga_vec3 *out) {
    for (size_t j = 0; j <= s->rows; j++)
        for (size_t i = 0; i <= s->columns + j % 2; i++) {
            double at = j % 2 ? fmin(fmax((double)i - 0.5, 0), (double)s->columns) : (double)i;
            out[row_begin(s, j) + i] = (ruga_vec3){at * s->x, 0, (double)j * s->z};
        }
}

/* Of one row: triangles that stand on the long side, then those that hang from the short one. */
static size_t join_row(const slab_size *s, size_t j, uint32_t *out) {
    const uint32_t low = (uint32_t)row_begin(s, j), high = (uint32_t)row_begin(s, j + 1);
    const uint32_t even = j % 2 ? high : low, odd = j % 2 ? low : high;
    size_t count = 0;
    for (uint32_t i = 0; i <= s->columns; i++, count++) {
        const uint32_t up[3] = {odd + i, odd + i + 1, even + i}, down[3] = {odd + i, even + i, odd + i + 1};
        memcpy(out + 3 * count, j % 2 ? down : up, sizeof up);
    }
    for (uint32_t i = 0; i < s->columns; i++, count++) {
        const uint32_t up[3] = {even + i, odd + i + 1, even + i + 1}, down[3] = {even + i, even + i + 1, odd + i + 1};
        memcpy(out + 3 * count, j % 2 ? down : up, sizeof up);
    }
    return count;
}

/* kind 0: rows along x; 1: rows across; 2: along, with scattered vertices. */
static slab make_slab(const bench_setup *bench, double length, double width, double edge, int kind) {
    const double along = kind == 1 ? width : length, across = kind == 1 ? length : width;
    slab_size s = {(size_t)ceil(along / edge), (size_t)ceil(across / (edge * sqrt(0.75))), 0, 0};
    s.x = along / (double)s.columns;
    s.z = across / (double)s.rows;
    size_t vertices = row_begin(&s, s.rows + 1), faces = 0;
    ruga_vec3 *x = malloc(vertices * sizeof *x);
    uint32_t *f = malloc(s.rows * (2 * s.columns + 1) * 3 * sizeof *f);
    bench_require(x && f, "out of memory");
    place_vertices(&s, x);
    for (size_t j = 0; j < s.rows; j++) faces += join_row(&s, j, f + 3 * faces);
    for (size_t v = 0; v < vertices; v++) {
        if (kind == 1) x[v] = (ruga_vec3){x[v].z, 0, along - x[v].x};
        int inside =
            x[v].x > 0.1 * edge && x[v].x < length - 0.1 * edge && x[v].z > 0.1 * edge && x[v].z < width - 0.1 * edge;
        if (kind != 2 || !inside) continue;
        x[v].x += 0.15 * edge * bench_scatter((uint32_t)(2 * v));
        x[v].z += 0.15 * edge * bench_scatter((uint32_t)(2 * v + 1));
    }
    ruga_mesh_def def = ruga_mesh_def_default();
    slab out = {.length = length, .width = width};
    def.positions = (ruga_view){x, vertices, 0, RUGA_F64};
    def.face_count = faces;
    def.face_vertices = f;
    bench_ok(bench, ruga_mesh_create(bench->context, &def, &out.mesh));
    free(x);
    free(f);
    return out;
}

/* ---- One case. */

typedef struct wave_case {
    double thickness, ratio; /* m, 1 */
    double waves;            /* along the slab */
    double clusters;         /* m, wavelength of the clusters; NaN: the material's */
    double foundation;       /* 1 */
    int kind, seed;
} wave_case;

/* The measured wavelength over that of equation 3. */
static double measure(const bench_setup *bench, const wave_case *c) {
    const ruga_skin skin = {c->thickness, 1e4 * c->ratio, 0.3, 1e4, 0.3};
    char name[200];
    snprintf(name, sizeof name, "shell h %.6g ratio %.6g waves %.6g clusters %.6g foundation %g mesh %d seed %d",
             c->thickness, c->ratio, c->waves, c->clusters, c->foundation, c->kind, c->seed);
    const double known = read_log(bench, name);
    if (!isnan(known)) return known;
    const double lambda = ruga_skin_wavelength(&skin), clusters = isnan(c->clusters) ? lambda : c->clusters;
    const double shortest = fmin(lambda, clusters), k = 2 * PI / (c->foundation > 0 ? lambda : clusters);
    slab s = make_slab(bench, c->waves * lambda, WIDTH * lambda, shortest / EDGES, c->kind);
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    ruga_embedded_shell *shell = NULL;
    def.thickness = ruga_param_constant(skin.thickness);
    def.stiffness = ruga_param_constant(skin.stiffness);
    def.interior_stiffness = ruga_param_constant(skin.interior_stiffness);
    def.cluster_wavelength = c->clusters;
    def.foundation = c->foundation;
    def.seed = c->seed;
    def.tolerance = 1e-6;
    bench_ok(bench, ruga_embedded_shell_create(s.mesh, &def, &shell));
    ruga_vec3 *carrier = malloc(s.mesh->vertex_count * sizeof *carrier);
    bench_require(carrier != NULL, "out of memory");
    /* The load rises slowly through buckling, in multiples of the strain at which a free wave buckles, of the length
     * that is expected: a sudden load beyond it lets shorter waves grow faster. */
    const double first = c->foundation > 0 ? FOUNDATION_LOAD : LOAD;
    const int frames = c->foundation > 0 ? FOUNDATION_FRAMES : FRAMES;
    for (int f = 0; f < frames; f++) {
        const double strain = (first + LOAD_STEP * f) * pow(skin.thickness * k, 2) / 12;
        for (size_t i = 0; i < s.mesh->vertex_count; i++) {
            carrier[i] = s.mesh->positions[i];
            carrier[i].x *= 1 - strain;
        }
        bench_ok(bench, ruga_embedded_shell_update(shell, carrier));
    }
    const double found = ruga_embedded_shell_measure_wavelength(shell) / lambda;
    const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(shell);
    printf("  h %.3g m, ratio %-8.4g lambda %.4f m, mesh %d, seed %d, %4zu clusters: %.3f of it%s%s\n", c->thickness,
           c->ratio, lambda, c->kind, c->seed, r.clusters, found, r.stalled ? ", stalled: " : "",
           r.stalled ? r.stalled : "");
    free(carrier);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(s.mesh);
    write_log(bench, name, found);
    return found;
}

/* ---- Figures. */

static void against_theory(const bench_setup *bench) {
    enum { MOST = 40 };
    double errors[MOST];
    const int count = bench->quick ? 2 : MOST, seeds = bench->quick ? 2 : 4;
    printf("against equation 3:\n");
    for (int i = 0; i < count; i++) {
        /* Thickness and ratio run through their ranges at different paces: wavelengths from 6 mm to 0.1 m. */
        const int pair = bench->quick ? i * 19 + 10 : i;
        double sum = 0;
        for (int seed = 0; seed < seeds; seed++) {
            const wave_case c = {.thickness = 0.0004 * pow(4, (double)(pair % 8) / 7),
                                 .ratio = 50 * pow(30, (double)(pair / 8) / 4),
                                 .waves = 16.3 + 0.37 * (pair % 8),
                                 .clusters = NAN,
                                 .kind = (pair + seed) % 3,
                                 .seed = 11 + 4 * pair + seed};
            sum += measure(bench, &c) / seeds;
        }
        printf("pair %d of %d: %.3f of equation 3\n", i + 1, count, sum);
        errors[i] = fabs(sum - 1);
    }
    bench_figure("wavelength_median_error", bench_median(errors, count));
    bench_figure("wavelength_worst_error", errors[count - 1]);
}

/* Clusters that stay the same: those of the first case, which with a foundation are made for waves twice as long. The
 * wavelength over that of the first case; t: that which the thickness or the ratio should give. */
static double measure_fixed(const bench_setup *bench, int by_ratio, double foundation, double t, int seed) {
    const double thickness = 0.0007, ratio = 1e3;
    const ruga_skin skin = {thickness, 1e4 * ratio, 0.3, 1e4, 0.3};
    const wave_case c = {.thickness = by_ratio ? thickness : thickness * t,
                         .ratio = by_ratio ? ratio * t * t * t : ratio,
                         .waves = 16.4,
                         .clusters = (foundation > 0 ? 2 : 1) * ruga_skin_wavelength(&skin),
                         .foundation = foundation,
                         .seed = seed};
    return measure(bench, &c) * t;
}

/* d ln λ / d ln of the predicted wavelength, by thickness and by ratio, by least squares: 1 where the material decides.
 */
static void slopes(const bench_setup *bench, double foundation, double *out) {
    enum { MOST = 5 };
    const int count = bench->quick ? 2 : MOST;
    const double first = log(measure_fixed(bench, 0, foundation, 1, 21));
    for (int by_ratio = 0; by_ratio < 2; by_ratio++) {
        double sx = 0, sy = first, sxx = 0, sxy = 0;
        for (int i = 1; i < count; i++) {
            const double x = log(1.4) * i / (count - 1);
            const double y = log(measure_fixed(bench, by_ratio, foundation, exp(x), 21 + i % 4));
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
        out[by_ratio] = (count * sxy - sx * sy) / (count * sxx - sx * sx);
    }
}

/* d ln λ / d ln r: the material stays, clusters grow. Means over seeds: one slab scatters by some 4 %, a tenth of what
 * the clusters grow by. */
static void against_clusters(const bench_setup *bench) {
    enum { SEEDS = 4 };
    const ruga_skin skin = {0.0007, 1e7, 0.3, 1e4, 0.3};
    const double lambda = ruga_skin_wavelength(&skin);
    for (int with = 0; with < 2; with++) {
        double found[2] = {0, 0};
        printf("clusters that grow, %s a foundation:\n", with ? "with" : "without");
        for (int i = 0; i < 2 * SEEDS; i++) {
            const int grown = i % 2;
            const wave_case c = {.thickness = skin.thickness,
                                 .ratio = 1e3,
                                 .waves = grown && !with ? 16.4 * 1.4 : 16.4,
                                 .clusters = lambda * (with ? 2 : 1) * (grown ? 1.4 : 1),
                                 .foundation = with,
                                 .kind = i / 2 % 3,
                                 .seed = 21 + i};
            found[grown] += measure(bench, &c) / SEEDS;
        }
        printf("d ln wavelength / d ln r: %.3f\n", log(found[1] / found[0]) / log(1.4));
    }
}

static double volume_wavelength(const bench_setup *bench, double thickness, double ratio, double waves) {
    ruga_dense_slab_def def = ruga_dense_slab_def_default();
    ruga_dense_slab_report r;
    char name[200];
    snprintf(name, sizeof name, "volume h %.6g ratio %.6g waves %.6g", thickness, ratio, waves);
    const double known = read_log(bench, name), begin = bench_now(0);
    if (!isnan(known)) return known;
    def.skin = (ruga_skin){thickness, 1e4 * ratio, 0.3, 1e4, 0.3};
    def.waves = waves;
    bench_ok(bench, ruga_dense_slab_solve(bench->context, &def, &r, NULL));
    const double found = r.wavelength / ruga_skin_wavelength(&def.skin);
    printf("  volume: h %.3g m, ratio %-8.4g %zu nodes, %d Newton steps, waves of %.3g h: %.3f of lambda (%.1f s)\n",
           thickness, ratio, r.nodes, r.newton_steps, r.amplitude / thickness, found, bench_now(0) - begin);
    write_log(bench, name, found);
    return found;
}

/* Figure 6: the shell beside a stiff layer on a deep interior, both of finite elements. */
static void against_volumes(const bench_setup *bench) {
    enum { PAIRS = 6, SEEDS = 4 };
    static const double pairs[PAIRS][2] = {{0.0005, 100}, {0.001, 100},   {0.0005, 1000},
                                           {0.001, 300},  {0.0007, 3000}, {0.0004, 10000}};
    double worst = 0;
    printf("against dense volumes:\n");
    for (int i = 0; i < PAIRS; i++) {
        const double waves = 16.3 + 0.37 * i; /* the ends round to whole waves: lengths differ */
        double shell = 0, dense = volume_wavelength(bench, pairs[i][0], pairs[i][1], waves);
        for (int seed = 0; seed < SEEDS; seed++) {
            const wave_case c = {.thickness = pairs[i][0],
                                 .ratio = pairs[i][1],
                                 .waves = waves,
                                 .clusters = NAN,
                                 .kind = (i + seed) % 3,
                                 .seed = 301 + 4 * i + seed};
            shell += measure(bench, &c) / SEEDS;
        }
        printf("  volume %.3f, shell %.3f of equation 3\n", dense, shell);
        worst = fmax(worst, fabs(shell / dense - 1));
    }
    bench_figure("volume_worst_difference", worst);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "wavelengths of embedded shells");
    against_theory(&bench);
    double slope[2];
    printf("with a foundation, clusters fixed:\n");
    slopes(&bench, 1, slope);
    bench_figure("foundation_slope_h", slope[0]);
    bench_figure("foundation_slope_ratio", slope[1]);
    if (!bench.quick) {
        printf("without a foundation, clusters fixed:\n");
        slopes(&bench, 0, slope);
        printf("d ln wavelength / d ln h: %.3f\n", slope[0]);
        printf("d ln wavelength / d ln ratio, over 1/3: %.3f\n", slope[1]);
        against_clusters(&bench);
        against_volumes(&bench);
    }
    bench_end(&bench);
    return 0;
}
