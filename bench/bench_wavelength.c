/* Wavelengths of embedded shells on flat slabs, against equation 3 of Rémillard and Kry 2013.
 *
 *   wavelength_median_error   over pairs of thickness and stiffness ratio, 40 of them over a decade of wavelengths (2
 *   wavelength_worst_error    with --quick): |λ measured / λ predicted - 1|, the mean over four seeds (2 with --quick),
 *                             with meshes of three kinds in turn; slabs are 16.3 to 18.9 waves long, which is no
 *                             multiple, with 10 edges to a wave.
 *   foundation_slope_h        with a foundation, and clusters that stay the same: d ln λ / d ln h over the 1 of theory,
 *   foundation_slope_ratio    and d ln λ / d ln (E_x / E_q) over the 1/3 of theory, for wavelengths of 1 to 1.4 times
 *                             the first; means over four seeds on meshes of three kinds in turn (one with --quick, on
 *                             slabs of half the width)
 *   volume_worst_difference   of the wavelength from that of a dense volumetric slab (ruga_dense_slab_solve), over six
 *                             pairs; in the full run
 *
 * The full run also prints the slopes without a foundation, where the clusters carry the wavelength, by the size r of
 * the clusters too, each with its standard error; and the wavelength on tubes, which equation 3 does not describe.
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
#define WIDTH 3.3  /* waves */
#define EDGES 10   /* a wave */
#define GROWTH 1.4 /* of a quantity, for slopes */
#define TUBE_FRAMES 40
#define TUBE_STEP 0.25
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
    double waves;            /* along the slab, of the length that is expected */
    double clusters;         /* m, wavelength of the clusters; NaN: the material's */
    double foundation;       /* 1 */
    int kind, seed;
} wave_case;

static ruga_embedded_shell_def material(const ruga_skin *skin) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    def.thickness = ruga_param_constant(skin->thickness);
    def.stiffness = ruga_param_constant(skin->stiffness);
    def.interior_stiffness = ruga_param_constant(skin->interior_stiffness);
    def.tolerance = 1e-6;
    return def;
}

static void press(const ruga_mesh *mesh, double strain, ruga_vec3 *out) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        out[i] = mesh->positions[i];
        out[i].x *= 1 - strain;
    }
}

/* The measured wavelength over that of equation 3. */
static double measure(const bench_setup *bench, const wave_case *c) {
    const ruga_skin skin = {c->thickness, 1e4 * c->ratio, 0.3, 1e4, 0.3};
    const double lambda = ruga_skin_wavelength(&skin), clusters = isnan(c->clusters) ? lambda : c->clusters;
    const double width = WIDTH * clusters / (bench->quick && c->foundation > 0 ? 2 : 1); /* the quick run has no time */
    char name[200];
    snprintf(name, sizeof name,
             "shell h %.6g ratio %.6g waves %.6g width %.6g clusters %.6g foundation %g mesh %d seed %d", c->thickness,
             c->ratio, c->waves, width, c->clusters, c->foundation, c->kind, c->seed);
    const double known = read_log(bench, name);
    if (!isnan(known)) return known;
    const double shortest = fmin(lambda, clusters), expected = c->foundation > 0 ? lambda : clusters;
    const double k = 2 * PI / expected;
    slab s = make_slab(bench, c->waves * expected, width, shortest / EDGES, c->kind);
    ruga_embedded_shell_def def = material(&skin);
    ruga_embedded_shell *shell = NULL;
    def.cluster_wavelength = c->clusters;
    def.foundation = c->foundation;
    def.seed = c->seed;
    bench_ok(bench, ruga_embedded_shell_create(s.mesh, &def, &shell));
    ruga_vec3 *carrier = malloc(s.mesh->vertex_count * sizeof *carrier);
    bench_require(carrier != NULL, "out of memory");
    /* The load rises slowly through buckling, in multiples of the strain at which a free wave buckles, of the length
     * that is expected: a sudden load beyond it lets shorter waves grow faster. */
    const double first = c->foundation > 0 ? FOUNDATION_LOAD : LOAD;
    const int frames = c->foundation > 0 ? FOUNDATION_FRAMES : FRAMES;
    for (int f = 0; f < frames; f++) {
        const double strain = (first + LOAD_STEP * f) * pow(skin.thickness * k, 2) / 12;
        press(s.mesh, strain, carrier);
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

/* ---- Slopes: how the wavelength follows one quantity while the others stay. */

typedef enum slope_by { BY_NOTHING, BY_THICKNESS, BY_RATIO, BY_CLUSTERS } slope_by;

/* m, with the one quantity grown so that equation 3, or the size of the clusters, grows by a factor. Clusters that stay
 * are those of the material before it grows; with a foundation they are made for waves twice as long. */
static double measure_grown(const bench_setup *bench, slope_by by, double foundation, double factor, int seed) {
    const ruga_skin first = {0.0007, 1e7, 0.3, 1e4, 0.3};
    wave_case c = {.thickness = first.thickness,
                   .ratio = 1e3,
                   .waves = 16.3 + 0.37 * (seed % 8),
                   .clusters = (foundation > 0 ? 2 : 1) * ruga_skin_wavelength(&first),
                   .foundation = foundation,
                   .kind = seed % 3,
                   .seed = 21 + seed};
    if (by == BY_THICKNESS) c.thickness *= factor;
    if (by == BY_RATIO) c.ratio *= pow(factor, 3);
    if (by == BY_CLUSTERS) c.clusters *= factor;
    const ruga_skin skin = {c.thickness, 1e4 * c.ratio, 0.3, 1e4, 0.3};
    return measure(bench, &c) * ruga_skin_wavelength(&skin);
}

/* The slopes d ln λ / d ln h, 3 d ln λ / d ln (E_x / E_q) and d ln λ / d ln r, without and with a foundation: the mean
 * over seeds, each on a mesh of the next of the three kinds, between 1 and GROWTH; with its standard error. */
static void slopes(const bench_setup *bench, double foundation, double out[4]) {
    enum { MOST = 4 };
    static const char *const names[4] = {"", "ln h", "ln (E_x/E_q), times 3", "ln r"};
    const int seeds = bench->quick ? 1 : MOST, last = bench->quick ? BY_RATIO : BY_CLUSTERS;
    double before[MOST], found[MOST];
    printf("slopes, %s a foundation:\n", foundation > 0 ? "with" : "without");
    for (int s = 0; s < seeds; s++) before[s] = measure_grown(bench, BY_NOTHING, foundation, 1, s);
    for (int by = BY_THICKNESS; by <= last; by++) {
        double mean = 0, square = 0;
        for (int s = 0; s < seeds; s++) {
            found[s] = log(measure_grown(bench, (slope_by)by, foundation, GROWTH, s) / before[s]) / log(GROWTH);
            mean += found[s] / seeds;
        }
        for (int s = 0; s < seeds && seeds > 1; s++) square += pow(found[s] - mean, 2) / (seeds - 1);
        printf("d ln wavelength / d %s: %.3f", names[by], mean);
        if (seeds > 1) printf(", standard error %.3f over %d slabs", sqrt(square / seeds), seeds);
        printf("\n");
        out[by] = mean;
    }
}

/* ---- The calibration of the default spacing of clusters, on slabs that no figure is of. */
static void calibration(const bench_setup *bench) {
    enum { CASES = 6, SEEDS = 4 };
    static const double cases[CASES][2] = {{0.00055, 120}, {0.00085, 120}, {0.0013, 120},
                                           {0.00055, 900}, {0.00085, 900}, {0.0013, 900}};
    double found[CASES], mean = 0, square = 0;
    printf("calibration of the spacing:\n");
    for (int i = 0; i < CASES; i++) {
        found[i] = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            const wave_case c = {.thickness = cases[i][0],
                                 .ratio = cases[i][1],
                                 .waves = 16.45 + 0.31 * i,
                                 .clusters = NAN,
                                 .kind = (i + seed) % 3,
                                 .seed = 901 + 4 * i + seed};
            found[i] += measure(bench, &c) / SEEDS;
        }
        mean += found[i] / CASES;
    }
    for (int i = 0; i < CASES; i++) square += pow(found[i] - mean, 2) / (CASES - 1);
    printf("with the default spacing: %.3f of equation 3, standard error %.3f over %d cases of %d seeds\n", mean,
           sqrt(square / CASES), CASES, SEEDS);
}

/* ---- A curved skin. */

/* A tube along x, of alternating diagonals. */
static ruga_mesh *make_tube(const bench_setup *bench, double length, double radius, size_t columns, size_t sides) {
    ruga_vec3 *x = malloc((columns + 1) * sides * sizeof *x);
    uint32_t *f = malloc(6 * columns * sides * sizeof *f), *at = f;
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    bench_require(x && f, "out of memory");
    for (size_t j = 0; j < sides; j++)
        for (size_t i = 0; i <= columns; i++) {
            const double angle = 2 * PI * (double)j / (double)sides;
            x[j * (columns + 1) + i] =
                (ruga_vec3){length * (double)i / (double)columns, radius * cos(angle), radius * sin(angle)};
        }
    for (size_t j = 0; j < sides; j++)
        for (size_t i = 0; i < columns; i++, at += 6) {
            const uint32_t a = (uint32_t)(j * (columns + 1) + i), b = a + 1,
                           c = (uint32_t)((j + 1) % sides * (columns + 1) + i), d = c + 1;
            const uint32_t quads[2][6] = {{a, c, b, b, c, d}, {a, c, d, a, d, b}};
            memcpy(at, quads[(i + j) % 2], sizeof quads[0]);
        }
    def.positions = (ruga_view){x, (columns + 1) * sides, 0, RUGA_F64};
    def.face_count = 2 * columns * sides;
    def.face_vertices = f;
    bench_ok(bench, ruga_mesh_create(bench->context, &def, &mesh));
    free(x);
    free(f);
    return mesh;
}

/* m: twice the length over how often the height above the carrier changes its sign along lines of the tube. */
static double count_crests(const ruga_embedded_shell *shell, const ruga_vec3 *carrier, double radius, size_t columns,
                           size_t sides) {
    const ruga_vec3 *x = ruga_embedded_shell_positions(shell);
    const size_t margin = columns / 10;
    size_t changes = 0;
    double length = 0;
    for (size_t j = 0; j < sides; j++) {
        double before = 0;
        const size_t first = j * (columns + 1) + margin, last = (j + 1) * (columns + 1) - 1 - margin;
        for (size_t v = first; v <= last; v++) {
            const double height =
                ((x[v].y - carrier[v].y) * carrier[v].y + (x[v].z - carrier[v].z) * carrier[v].z) / radius;
            changes += height * before < 0;
            before = height;
        }
        length += carrier[last].x - carrier[first].x;
    }
    return 2 * length / (double)changes;
}

static double amplitude_of(const ruga_embedded_shell *shell) { return ruga_embedded_shell_get_report(shell).amplitude; }

/* Tubes that are compressed along their axis like the slabs. Equation 3 knows no curvature. */
static void on_tubes(const bench_setup *bench) {
    enum { RADII = 4, SEEDS = 3 };
    static const double radii[RADII] = {1, 2, 4, 8};
    const ruga_skin skin = {0.0007, 1e7, 0.3, 1e4, 0.3};
    const double lambda = ruga_skin_wavelength(&skin), edge = lambda / EDGES, k = 2 * PI / lambda;
    printf("on tubes, compressed along their axis:\n");
    for (int i = 0; i < RADII; i++) {
        const double radius = radii[i] * lambda, length = 8.4 * lambda;
        const size_t columns = (size_t)(length / edge), sides = (size_t)(2 * PI * radius / edge);
        double mean = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            char name[200];
            snprintf(name, sizeof name, "tube radius %g seed %d", radii[i], seed);
            double found = read_log(bench, name);
            if (isnan(found)) {
                ruga_mesh *mesh = make_tube(bench, length, radius, columns, sides);
                ruga_embedded_shell_def def = material(&skin);
                ruga_embedded_shell *shell = NULL;
                ruga_vec3 *carrier = malloc(mesh->vertex_count * sizeof *carrier);
                bench_require(carrier != NULL, "out of memory");
                def.seed = 501 + seed;
                bench_ok(bench, ruga_embedded_shell_create(mesh, &def, &shell));
                /* Curvature resists buckling: the load rises until the skin has buckled. */
                for (int f = 0; f < TUBE_FRAMES && (f == 0 || amplitude_of(shell) < 0.1 * skin.thickness); f++) {
                    press(mesh, (LOAD + TUBE_STEP * f) * pow(skin.thickness * k, 2) / 12, carrier);
                    bench_ok(bench, ruga_embedded_shell_update(shell, carrier));
                }
                found = count_crests(shell, carrier, radius, columns, sides) / lambda;
                printf("  radius %g waves, seed %d: %.3f of equation 3, %.3g h high\n", radii[i], seed, found,
                       amplitude_of(shell) / skin.thickness);
                free(carrier);
                ruga_embedded_shell_destroy(shell);
                ruga_mesh_destroy(mesh);
                write_log(bench, name, found);
            }
            mean += found / SEEDS;
        }
        printf("tube with a radius of %g waves: %.3f of equation 3\n", radii[i], mean);
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
    double found[4];
    slopes(&bench, 1, found);
    bench_figure("foundation_slope_h", found[BY_THICKNESS]);
    bench_figure("foundation_slope_ratio", found[BY_RATIO]);
    if (!bench.quick) {
        slopes(&bench, 0, found);
        calibration(&bench);
        on_tubes(&bench);
        against_volumes(&bench);
    }
    bench_end(&bench);
    return 0;
}
