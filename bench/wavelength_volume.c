/* Elements are quadratic along the slab and in depth, with nodes at their faces, so that strains may jump between skin
 * and interior; the slab is one linear element wide and does not move sideways (plane strain, as equation 3 has it).
 * The skin is two elements thick; below it, elements grow with depth, down to 1.5 wavelengths. Ends and bottom are
 * compressed evenly. Noise on the surface decides where waves begin; Newton's method with a factor of the shifted
 * Hessian finds the equilibrium of each load. */
#include "wavelength_volume.h"

#include <math.h>

#include "energy/lattice_energy.h"
#include "linalg/block_llt.h"
#include "math/vec3.h"
#include "ruga/ruga.h"

#define PI 3.14159265358979323846
#define COLUMNS 12 /* elements to a wave */
#define SKIN 2     /* elements */
#define DEPTH 1.5  /* waves */
#define GROWTH 1.6 /* of an element's height with depth */
#define LOAD 1.05  /* of the critical strain, first */
#define LOAD_STEP 0.1
#define FRAMES 4
#define MOST_STEPS 60
#define CONVERGED 1e-7

enum { CORNERS = 18, MOST_ROWS = 40 };

typedef struct volume {
    const bench_setup *bench;
    size_t columns, rows, nodes; /* elements; rows from the bottom up */
    double length, wide;         /* m */
    double heights[MOST_ROWS + 1];
    lattice_energy *parts[2]; /* interior, skin */
    lattice_elements elements[2];
    vec3 *rest, *x, *trial, *gradient;
    unsigned char *fixed; /* (nodes) bits: 1 x, 2 y, 4 z */
    block_matrix *matrix;
    block_llt *factor;
    double stiffness; /* N/m, of the diagonal, for shifts */
} volume;

static void *have(size_t count, size_t size) {
    void *p = calloc(count, size);
    bench_require(p != NULL, "out of memory");
    return p;
}

static uint32_t node_at(const volume *v, size_t i, size_t j, size_t k) {
    return (uint32_t)(2 * (i * (2 * v->rows + 1) + j) + k);
}

/* ---- Making. */

static void place_rows(volume *v, double thickness, double depth) {
    double below[MOST_ROWS], height = thickness / SKIN * GROWTH, sum = 0;
    size_t count = 0;
    for (; sum < depth && count < MOST_ROWS - SKIN; count++, height *= GROWTH) sum += below[count] = height;
    v->rows = count + SKIN;
    v->heights[0] = 0;
    for (size_t r = 0; r < count; r++) v->heights[r + 1] = v->heights[r] + below[count - 1 - r] * depth / sum;
    for (size_t r = count; r < v->rows; r++) v->heights[r + 1] = v->heights[r] + thickness / SKIN;
}

static void place_nodes(volume *v) {
    const size_t up = 2 * v->rows;
    v->nodes = 2 * (2 * v->columns + 1) * (up + 1);
    v->rest = have(v->nodes, sizeof *v->rest);
    v->x = have(v->nodes, sizeof *v->x);
    v->trial = have(v->nodes, sizeof *v->trial);
    v->gradient = have(v->nodes, sizeof *v->gradient);
    v->fixed = have(v->nodes, 1);
    for (size_t i = 0; i <= 2 * v->columns; i++)
        for (size_t j = 0; j <= up; j++)
            for (size_t k = 0; k < 2; k++) {
                const double low = v->heights[j / 2], high = v->heights[j / 2 + j % 2];
                const uint32_t n = node_at(v, i, j, k);
                v->rest[n] =
                    (vec3){v->length * (double)i / (2.0 * (double)v->columns), (low + high) / 2, v->wide * (double)k};
                v->fixed[n] = (unsigned char)(4 | (i == 0 || i == 2 * v->columns ? 1 : 0) | (j == 0 ? 3 : 0));
            }
    memcpy(v->x, v->rest, v->nodes * sizeof *v->x);
}

/* Of nodes at -1, 0, 1; and of nodes at -1, 1. */
static void quadratic(double t, double n[3], double d[3]) {
    n[0] = t * (t - 1) / 2, n[1] = 1 - t * t, n[2] = t * (t + 1) / 2;
    d[0] = t - 0.5, d[1] = -2 * t, d[2] = t + 0.5;
}

/* Gradients of an element's functions at its 18 Gauss points, and the points' volumes. */
static void fill_shape(double dx, double dy, double dz, vec3 *gradients, double *weights) {
    const double root = sqrt(0.6), places[3] = {-root, 0, root}, shares[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    for (size_t q = 0; q < CORNERS; q++) {
        double nx[3], ny[3], gx[3], gy[3];
        const double s = (q % 2 ? 1 : -1) / sqrt(3), nz[2] = {(1 - s) / 2, (1 + s) / 2}, gz[2] = {-0.5, 0.5};
        quadratic(places[q / 6], nx, gx);
        quadratic(places[q / 2 % 3], ny, gy);
        for (size_t c = 0; c < CORNERS; c++) {
            const size_t a = c / 6, b = c / 2 % 3, k = c % 2;
            gradients[q * CORNERS + c] =
                (vec3){gx[a] * ny[b] * nz[k] * 2 / dx, nx[a] * gy[b] * nz[k] * 2 / dy, nx[a] * ny[b] * gz[k] * 2 / dz};
        }
        weights[q] = shares[q / 6] * shares[q / 2 % 3] * dx * dy * dz / 8;
    }
}

static void make_part(volume *v, int part, size_t first, size_t last, double young) {
    const size_t rows = last - first, count = rows * v->columns;
    uint32_t *nodes = have(count * CORNERS, sizeof *nodes);
    size_t *offsets = have(count + 1, sizeof *offsets), *shapes = have(count, sizeof *shapes);
    double *weights = have(count * CORNERS, sizeof *weights);
    vec3 *gradients = have(rows * CORNERS * CORNERS, sizeof *gradients);
    const double dx = v->length / (double)v->columns;
    for (size_t e = 0; e < count; e++) {
        const size_t column = e / rows, row = e % rows;
        for (size_t c = 0; c < CORNERS; c++)
            nodes[e * CORNERS + c] = node_at(v, 2 * column + c / 6, 2 * (first + row) + c / 2 % 3, c % 2);
        offsets[e + 1] = (e + 1) * CORNERS;
        shapes[e] = row * CORNERS;
        fill_shape(dx, v->heights[first + row + 1] - v->heights[first + row], v->wide,
                   gradients + row * CORNERS * CORNERS, weights + e * CORNERS);
    }
    v->elements[part] = (lattice_elements){count, CORNERS, v->nodes, nodes, offsets, weights, shapes, gradients};
    const lattice_material material = {young, 0.3, 0};
    bench_ok(v->bench, lattice_energy_create(v->bench->context, &v->elements[part], &material, &v->parts[part]));
}

static void make_matrix(volume *v) {
    block_pattern *pattern = NULL;
    bench_ok(v->bench, block_pattern_create(v->bench->context, v->nodes, &pattern));
    for (int p = 0; p < 2; p++) bench_ok(v->bench, lattice_energy_interface.add_pattern(&v->parts[p]->base, pattern));
    bench_ok(v->bench, block_matrix_create(pattern, &v->matrix));
    block_pattern_destroy(pattern);
    bench_ok(v->bench,
             block_llt_create(v->bench->context, v->nodes, v->matrix->offsets, v->matrix->columns, &v->factor));
}

static void release(volume *v) {
    for (int p = 0; p < 2; p++) {
        const lattice_elements *e = &v->elements[p];
        lattice_energy_destroy(v->parts[p]);
        free((void *)e->nodes);
        free((void *)e->offsets);
        free((void *)e->weights);
        free((void *)e->shapes);
        free((void *)e->gradients);
    }
    block_llt_destroy(v->factor);
    block_matrix_destroy(v->matrix);
    free(v->rest);
    free(v->x);
    free(v->trial);
    free(v->gradient);
    free(v->fixed);
}

/* ---- Equilibrium. */

static double energy_at(const volume *v, const vec3 *x) {
    return lattice_energy_interface.value(&v->parts[0]->base, x) +
           lattice_energy_interface.value(&v->parts[1]->base, x);
}

/* Without what acts on fixed coordinates; returns its norm. */
static double find_gradient(volume *v) {
    double sum = 0;
    memset(v->gradient, 0, v->nodes * sizeof *v->gradient);
    for (int p = 0; p < 2; p++) lattice_energy_interface.add_gradient(&v->parts[p]->base, v->x, 1, v->gradient);
    for (size_t i = 0; i < v->nodes; i++) {
        if (v->fixed[i] & 1) v->gradient[i].x = 0;
        if (v->fixed[i] & 2) v->gradient[i].y = 0;
        if (v->fixed[i] & 4) v->gradient[i].z = 0;
        sum += vec3_length2(v->gradient[i]);
    }
    return sqrt(sum);
}

/* The true Hessian, with the smallest shift that makes it definite; fixed coordinates are far too stiff to move. */
static void factor_hessian(volume *v) {
    block_matrix_clear(v->matrix);
    for (int p = 0; p < 2; p++) {
        bench_ok(v->bench, lattice_energy_interface.linearise(&v->parts[p]->base, v->x, (energy_weights){1, 0}, 0));
        lattice_energy_interface.add_matrix(&v->parts[p]->base, 1, v->matrix);
    }
    v->stiffness = 0;
    for (size_t i = 0; i < v->nodes; i++) {
        double *block = v->matrix->blocks + BLOCK_NUMBERS * (size_t)v->matrix->diagonals[i];
        v->stiffness = fmax(v->stiffness, block[4]);
    }
    for (size_t i = 0; i < v->nodes; i++)
        for (int a = 0; a < 3; a++)
            if (v->fixed[i] >> a & 1)
                v->matrix->blocks[BLOCK_NUMBERS * (size_t)v->matrix->diagonals[i] + 4 * (size_t)a] +=
                    1e6 * v->stiffness;
    double shift = 0;
    while (!block_llt_factor(v->factor, v->matrix->blocks, shift, NULL))
        shift = shift > 0 ? 2 * shift : 1e-9 * v->stiffness;
}

/* Newton's method; returns the number of steps. */
static int settle(volume *v) {
    double energy = energy_at(v, v->x), norm = find_gradient(v), first = norm;
    int steps = 0;
    for (; steps < MOST_STEPS && norm > CONVERGED * first; steps++) {
        factor_hessian(v);
        block_llt_solve(v->factor, v->gradient);
        double factor = 1, now = INFINITY;
        for (int half = 0; half < 20 && !(now < energy); half++, factor /= 2) {
            for (size_t i = 0; i < v->nodes; i++) v->trial[i] = vec3_add_scaled(v->x[i], v->gradient[i], -factor);
            now = energy_at(v, v->trial);
        }
        if (!(now < energy)) break;
        energy = now;
        memcpy(v->x, v->trial, v->nodes * sizeof *v->x);
        norm = find_gradient(v);
    }
    return steps;
}

/* ---- Waves. */

/* The centroid of the spectrum of the surface's heights, where it is above a quarter of its peak. */
static double surface_wavelength(const volume *v, double predicted) {
    enum { TRIED = 400 };
    double powers[TRIED], most = 0, sum = 0, centroid = 0, mean = 0;
    const size_t count = 2 * v->columns + 1, top = 2 * v->rows;
    for (size_t i = 0; i < count; i++) mean += v->x[node_at(v, i, top, 0)].y / (double)count;
    for (int t = 0; t < TRIED; t++) {
        const double k = 0.4 / predicted + 0.125 / v->length * t;
        double re = 0, im = 0;
        for (size_t i = 0; i < count; i++) {
            const double s = (double)i / (double)(count - 1), height = v->x[node_at(v, i, top, 0)].y - mean;
            re += pow(sin(PI * s), 2) * height * cos(2 * PI * k * s * v->length);
            im += pow(sin(PI * s), 2) * height * sin(2 * PI * k * s * v->length);
        }
        powers[t] = k < 2.2 / predicted ? re * re + im * im : 0;
        most = fmax(most, powers[t]);
    }
    for (int t = 0; t < TRIED; t++) {
        if (powers[t] < most / 4) continue;
        sum += powers[t];
        centroid += powers[t] * (0.4 / predicted + 0.125 / v->length * t);
    }
    return sum / centroid;
}

double volume_wavelength(const bench_setup *bench, double thickness, double ratio, double waves) {
    const ruga_skin skin = {thickness, 1e4 * ratio, 0.3, 1e4, 0.3};
    const double lambda = ruga_skin_wavelength(&skin), critical = 0.25 * pow(3 / ratio, 2.0 / 3);
    volume v = {.bench = bench, .columns = (size_t)ceil(waves * COLUMNS), .length = waves * lambda, .wide = lambda / 8};
    double amplitude = 0, begin = bench_now(0);
    int steps = 0;
    place_rows(&v, thickness, DEPTH * lambda);
    place_nodes(&v);
    make_part(&v, 0, 0, v.rows - SKIN, skin.interior_stiffness);
    make_part(&v, 1, v.rows - SKIN, v.rows, skin.stiffness);
    make_matrix(&v);
    for (size_t i = 0; i <= 2 * v.columns; i++)
        for (size_t k = 0; k < 2; k++)
            v.x[node_at(&v, i, 2 * v.rows, k)].y += 1e-3 * thickness * bench_scatter((uint32_t)i);
    for (int f = 0; f < FRAMES; f++) {
        const double last = f ? (LOAD + LOAD_STEP * (f - 1)) * critical : 0, strain = (LOAD + LOAD_STEP * f) * critical;
        for (size_t i = 0; i < v.nodes; i++) v.x[i].x *= (1 - strain) / (1 - last);
        steps += settle(&v);
    }
    for (size_t i = 0; i <= 2 * v.columns; i++)
        amplitude =
            fmax(amplitude, fabs(v.x[node_at(&v, i, 2 * v.rows, 0)].y - v.x[node_at(&v, v.columns, 2 * v.rows, 0)].y));
    const double found = surface_wavelength(&v, lambda) / lambda;
    printf("  volume: h %.3g m, ratio %-8.4g %zu nodes, %d Newton steps, waves of %.3g h: %.3f of lambda (%.1f s)\n",
           thickness, ratio, v.nodes, steps, amplitude / thickness, found, bench_now(0) - begin);
    release(&v);
    return found;
}
