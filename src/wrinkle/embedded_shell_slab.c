/* A dense volumetric slab: a stiff layer on a soft, deep interior, both resolved by finite elements (figure 6 of
 * Rémillard and Kry 2013). It is the reference for wavelengths of embedded shells.
 *
 * Elements are quadratic along the slab and in depth, with nodes at their faces, so that strains may jump between skin
 * and interior; the slab is one linear element wide and does not move sideways (plane strain, as in equation 3).
 * The skin is two elements thick; below it, elements grow with depth, down to 1.5 wavelengths. Ends and bottom are
 * compressed evenly. Noise on the surface decides where waves begin; Newton's method with a factor of the shifted
 * Hessian finds the equilibrium of each load. */
#include <math.h>

#include "energy/lattice_energy.h"
#include "linalg/block_llt.h"
#include "math/vec3.h"
#include "math/wave_spectrum.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell.h"

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
    ruga_context *context;
    size_t columns, rows, nodes; /* elements; rows from the bottom up */
    double length, wide;         /* m */
    double heights[MOST_ROWS + 1];
    lattice_energy *parts[2]; /* interior, skin */
    lattice_elements elements[2];
    vec3 *rest, *x, *trial, *gradient;
    unsigned char *fixed; /* (nodes) bits: 1 x, 2 y, 4 z */
    arena memory;         /* of the elements */
    block_matrix *matrix;
    block_llt *factor;
    double stiffness; /* N/m, of the diagonal, for shifts */
} volume;

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

static ruga_status place_nodes(volume *v) {
    const size_t up = 2 * v->rows;
    v->nodes = 2 * (2 * v->columns + 1) * (up + 1);
    TRY(NEW_EACH(v->context, v->nodes, &v->rest, &v->x, &v->trial, &v->gradient));
    TRY(NEW(v->context, &v->fixed, v->nodes));
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
    return RUGA_OK;
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

static ruga_status make_part(volume *v, int part, size_t first, size_t last, double young, double poisson) {
    const size_t rows = last - first, count = rows * v->columns;
    uint32_t *nodes;
    size_t *offsets, *shapes;
    double *weights;
    vec3 *gradients;
    TRY(ARENA_NEW(&v->memory, &nodes, count * CORNERS));
    TRY(ARENA_NEW(&v->memory, &offsets, count + 1));
    TRY(ARENA_NEW(&v->memory, &shapes, count));
    TRY(ARENA_NEW(&v->memory, &weights, count * CORNERS));
    TRY(ARENA_NEW(&v->memory, &gradients, rows * CORNERS * CORNERS));
    offsets[0] = 0;
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
    const lattice_material material = {young, poisson, 0};
    return lattice_energy_create(v->context, &v->elements[part], &material, &v->parts[part]);
}

static ruga_status make_matrix(volume *v) {
    block_pattern *pattern = NULL;
    TRY(block_pattern_create(v->context, v->nodes, &pattern));
    ruga_status status = RUGA_OK;
    for (int p = 0; p < 2 && !RUGA_FAILED(status); p++)
        status = lattice_energy_interface.add_pattern(&v->parts[p]->base, pattern);
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &v->matrix);
    block_pattern_destroy(pattern);
    TRY(status);
    return block_llt_create(v->context, v->nodes, v->matrix->offsets, v->matrix->columns, &v->factor);
}

static void release(volume *v) {
    for (int p = 0; p < 2; p++) lattice_energy_destroy(v->parts[p]);
    block_llt_destroy(v->factor);
    block_matrix_destroy(v->matrix);
    RELEASE_ALL(v->context, v->rest, v->x, v->trial, v->gradient, v->fixed);
    arena_release(&v->memory);
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
static ruga_status factor_hessian(volume *v) {
    block_matrix_clear(v->matrix);
    for (int p = 0; p < 2; p++) {
        TRY(lattice_energy_interface.linearise(&v->parts[p]->base, v->x, (energy_weights){1, 0}, 0));
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
    return RUGA_OK;
}

/* Newton's method; adds the number of its steps. */
static ruga_status settle(volume *v, int *all) {
    double energy = energy_at(v, v->x), norm = find_gradient(v), first = norm;
    int steps = 0;
    for (; steps < MOST_STEPS && norm > CONVERGED * first; steps++) {
        TRY(factor_hessian(v));
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
    *all += steps;
    return RUGA_OK;
}

/* ---- Waves. */

static const vec3 *surface_at(const volume *v, size_t i) { return &v->x[node_at(v, i, 2 * v->rows, 0)]; }

static ruga_status measure(const volume *v, const ruga_skin *skin, ruga_dense_slab_report *r) {
    const size_t count = 2 * v->columns + 1;
    double *heights = NULL, (*places)[2] = NULL;
    wave_spectrum *spectrum = NULL;
    ruga_status status = NEW(v->context, &heights, count);
    if (!RUGA_FAILED(status)) status = NEW(v->context, &places, count);
    for (size_t i = 0; i < count && !RUGA_FAILED(status); i++) {
        heights[i] = surface_at(v, i)->y;
        places[i][0] = v->rest[node_at(v, i, 0, 0)].x;
        places[i][1] = 0;
        r->amplitude = fmax(r->amplitude, fabs(heights[i] - surface_at(v, v->columns)->y));
    }
    if (!RUGA_FAILED(status))
        status = wave_spectrum_create(v->context, count, (const double(*)[2])places, NULL, ruga_skin_wavelength(skin),
                                      &spectrum);
    if (!RUGA_FAILED(status)) r->wavelength = wave_spectrum_measure(spectrum, heights);
    wave_spectrum_destroy(spectrum);
    RELEASE_ALL(v->context, heights, places);
    return status;
}

/* The load rises in steps from buckling on; noise on the surface decides where waves begin. */
static ruga_status press(volume *v, const ruga_skin *skin, int *steps) {
    const double critical = 0.25 * pow(3 * (1 - skin->poisson * skin->poisson) * skin->interior_stiffness /
                                           ((1 - skin->interior_poisson * skin->interior_poisson) * skin->stiffness),
                                       2.0 / 3);
    for (size_t i = 0; i <= 2 * v->columns; i++)
        for (size_t k = 0; k < 2; k++)
            v->x[node_at(v, i, 2 * v->rows, k)].y += 1e-3 * skin->thickness * shell_noise((uint32_t)i);
    for (int f = 0; f < FRAMES; f++) {
        const double last = f ? (LOAD + LOAD_STEP * (f - 1)) * critical : 0, strain = (LOAD + LOAD_STEP * f) * critical;
        for (size_t i = 0; i < v->nodes; i++) v->x[i].x *= (1 - strain) / (1 - last);
        TRY(settle(v, steps));
    }
    return RUGA_OK;
}

/* ---- The mesh of it: top, and the side that faces z, with "skin": 1 in the layer. */

static ruga_status make_mesh(const volume *v, double width, ruga_mesh **out) {
    const size_t across = 2 * v->columns, up = 2 * v->rows, vertices = (across + 1) * (up + 2),
                 quads = across * (up + 1);
    vec3 *positions = NULL;
    uint32_t *faces = NULL, *sizes = NULL;
    float *skin = NULL;
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_status status = NEW(v->context, &positions, vertices);
    if (!RUGA_FAILED(status)) status = NEW(v->context, &faces, 4 * quads);
    if (!RUGA_FAILED(status)) status = NEW(v->context, &sizes, quads);
    if (!RUGA_FAILED(status)) status = NEW(v->context, &skin, vertices);
    for (size_t i = 0; i <= across && !RUGA_FAILED(status); i++)
        for (size_t j = 0; j <= up + 1; j++) {
            const vec3 p = v->x[node_at(v, i, j <= up ? j : up, 0)];
            positions[i * (up + 2) + j] = (vec3){p.x, p.y, j <= up ? 0 : -width};
            skin[i * (up + 2) + j] = j >= up - 2 * SKIN;
        }
    for (size_t q = 0; q < quads && !RUGA_FAILED(status); q++) {
        const uint32_t first = (uint32_t)(q / (up + 1) * (up + 2) + q % (up + 1)), next = first + (uint32_t)up + 2;
        const uint32_t quad[4] = {first, next, next + 1, first + 1};
        memcpy(faces + 4 * q, quad, sizeof quad);
        sizes[q] = 4;
    }
    const ruga_attribute attribute = {.name = "skin",
                                      .domain = RUGA_DOMAIN_VERTEX,
                                      .type = RUGA_F32,
                                      .components = 1,
                                      .count = vertices,
                                      .values = skin};
    def.positions = (ruga_view){positions, vertices, 0, RUGA_F64};
    def.face_count = quads;
    def.face_sizes = sizes;
    def.face_vertices = faces;
    def.attribute_count = 1;
    def.attributes = &attribute;
    if (!RUGA_FAILED(status)) status = ruga_mesh_create(v->context, &def, out);
    RELEASE_ALL(v->context, positions, faces, sizes, skin);
    return status;
}

/* ---- All of it. */

ruga_dense_slab_def ruga_dense_slab_def_default(void) {
    return (ruga_dense_slab_def){
        .cookie = RUGA_COOKIE, .skin = {0.001, 1e6, 0.3, 1e4, 0.3}, .waves = 16.3, .columns = 12};
}

static ruga_status solve(volume *v, const ruga_dense_slab_def *def, ruga_dense_slab_report *report, ruga_mesh **mesh) {
    const ruga_skin *skin = &def->skin;
    place_rows(v, skin->thickness, DEPTH * ruga_skin_wavelength(skin));
    TRY(place_nodes(v));
    TRY(make_part(v, 0, 0, v->rows - SKIN, skin->interior_stiffness, skin->interior_poisson));
    TRY(make_part(v, 1, v->rows - SKIN, v->rows, skin->stiffness, skin->poisson));
    TRY(make_matrix(v));
    report->nodes = v->nodes;
    TRY(press(v, skin, &report->newton_steps));
    TRY(measure(v, skin, report));
    return mesh ? make_mesh(v, ruga_skin_wavelength(skin), mesh) : RUGA_OK;
}

ruga_status ruga_dense_slab_solve(ruga_context *context, const ruga_dense_slab_def *def, ruga_dense_slab_report *report,
                                  ruga_mesh **mesh) {
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(context, "the slab's def was not made by ruga_dense_slab_def_default");
    const double lambda = ruga_skin_wavelength(&def->skin);
    if (!(lambda > 0 && isfinite(lambda)) || !(def->waves >= 3 && def->waves <= 100) || def->columns < 4 ||
        def->columns > 100)
        return fail_argument(context,
                             "dense slab: %g waves of %g m with %d elements each; give a positive wavelength, 3 to 100 "
                             "waves, 4 to 100 elements",
                             def->waves, lambda, def->columns);
    volume v = {.context = context,
                .memory = arena_make(context),
                .columns = (size_t)ceil(def->waves * def->columns),
                .length = def->waves * lambda,
                .wide = lambda / 8};
    *report = (ruga_dense_slab_report){0};
    const ruga_status status = solve(&v, def, report, mesh);
    release(&v);
    return status;
}
