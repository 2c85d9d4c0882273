/* Spectral constraints: their number, their filter, the eigenvectors, and ripples that spread. */
#include "energy/sheets.h"
#include "linalg/pencil.h"
#include "wrinkle/embedded_shell.h"

#define PI 3.14159265358979323846

/* A skin of 1 mm whose waves are 7.9 cm long, on a sheet of 6.1 waves by 3.2, with 10 edges a wave. */
static const ruga_skin skin = {0.001, 1e8, 0.3, 1.5e4, 0.3};
enum { ALONG = 61, ACROSS = 32, POINTS = (ALONG + 1) * (ACROSS + 1) };
static vec3 carrier[POINTS];

static ruga_mesh *skin_sheet(ruga_context *context) {
    const double edge = ruga_skin_wavelength(&skin) / 10;
    return quad_sheet(context, ALONG, ACROSS, edge, edge);
}

static ruga_embedded_shell *make(const ruga_mesh *mesh, ruga_shell_constraints constraints) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    ruga_embedded_shell *shell = NULL;
    def.thickness = ruga_param_constant(skin.thickness);
    def.stiffness = ruga_param_constant(skin.stiffness);
    def.interior_stiffness = ruga_param_constant(skin.interior_stiffness);
    def.constraints = constraints;
    assert_ok(mesh->context, ruga_embedded_shell_create(mesh, &def, &shell));
    return shell;
}

/* On a rectangle of a x b the functions are cos(π i x/a) cos(π j y/b), waves of √((i/2a)² + (j/2b)²) a metre. Linear
 * triangles make short waves stiffer by 2 % here, so that one or two at the edge may be missing. */
static void waves_longer_than_the_skin_s_are_counted(void **state) {
    ruga_mesh *mesh = skin_sheet(*state);
    ruga_embedded_shell *shell = make(mesh, RUGA_SHELL_SPECTRAL);
    int theory = 0;
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++) theory += pow(i / (2.0 * ALONG / 10), 2) + pow(j / (2.0 * ACROSS / 10), 2) < 1;
    assert_near(shell->report.clusters, theory, 2);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* The rows are eigenvectors of the Laplacian, orthonormal in the areas; their values are ARPACK's, and the next one is
 * beyond the cut-off. */
static void rows_are_the_lowest_eigenvectors(void **state) {
    skip_unless_long();
    ruga_mesh *mesh = skin_sheet(*state);
    ruga_embedded_shell *shell = make(mesh, RUGA_SHELL_SPECTRAL);
    const double cut = pow(2 * PI / ruga_skin_wavelength(&skin), 2), area = area_of(mesh);
    const size_t count = shell->rows->rows;
    pencil p = pencil_of_surface(*state, mesh, cut / 10);
    double *v = calloc(2 * POINTS, sizeof *v), *r = v + POINTS, *values = calloc(count + 1, sizeof *values);
    for (size_t k = 0; k < count; k++) {
        double norm = 0, quotient = 0, residual = 0, size = 0;
        assert_int_equal(shell->rows->offsets[k + 1] - shell->rows->offsets[k], POINTS);
        for (size_t i = 0; i < POINTS; i++) v[i] = shell->rows->weights[k * POINTS + i] * sqrt(area) / p.masses[i];
        for (size_t i = 0; i < POINTS; i++) {
            r[i] = p.diagonal[i] * v[i];
            for (size_t e = p.offsets[i]; e < p.offsets[i + 1]; e++) r[i] += p.values[e] * v[p.columns[e]];
            norm += p.masses[i] * v[i] * v[i];
            quotient += v[i] * r[i];
        }
        values[k] = quotient;
        assert_near_case(norm, 1, 1e-9, "row %zu", k);
        assert_less_case(quotient, cut, "row %zu", k);
        for (size_t i = 0; i < POINTS; i++) {
            residual += pow(r[i] - quotient * p.masses[i] * v[i], 2);
            size += pow(p.diagonal[i] * v[i], 2);
        }
        assert_less_case(sqrt(residual), 1e-6 * sqrt(size), "row %zu", k);
    }
#ifdef TEST_ARPACK
    double *theirs = calloc(count + 1, sizeof *theirs);
    arpack_lowest(&p, (int)count + 1, theirs);
    qsort(values, count, sizeof *values, rising);
    for (size_t k = 0; k < count; k++) assert_near_case(values[k], theirs[k], 1e-7 * cut, "row %zu", k);
    assert_less(cut, theirs[count]);
    free(theirs);
#endif
    free(v);
    free(values);
    pencil_release(&p);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* The share of a wave along the sheet that the rows see: all of a long one, nothing of a short one. */
static void the_filter_is_a_low_pass_at_the_wavelength(void **state) {
    ruga_mesh *mesh = skin_sheet(*state);
    ruga_embedded_shell *shell = make(mesh, RUGA_SHELL_SPECTRAL);
    vec3 *seen = calloc(shell->rows->rows, sizeof *seen);
    const double area = area_of(mesh);
    size_t passed = 0, stopped = 0;
    for (int waves = 1; waves < 16; waves++) {
        double all = 0, share = 0;
        for (size_t i = 0; i < POINTS; i++) {
            const double phase = PI * waves * mesh->positions[i].x / mesh->positions[ALONG].x;
            carrier[i] = (vec3){cos(phase), 0, 0};
            all += shell->areas[i] * cos(phase) * cos(phase);
        }
        ruga_map_apply(shell->rows, carrier, seen);
        for (size_t k = 0; k < shell->rows->rows; k++) share += area * seen[k].x * seen[k].x / all;
        const double length = 2.0 * ALONG / 10 / waves; /* in units of the skin's */
        if (length >= 0.95 && length <= 1.05) continue;
        assert_near_case(share, length > 1, 1e-3, "%d half waves", waves);
        length > 1 ? passed++ : stopped++;
    }
    assert_ran(passed, 3);
    assert_ran(stopped, 3);
    free(seen);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* Compressed in the first third alone: the mean distance in the last third over that in the first, by squares. */
static double spread(ruga_embedded_shell *shell) {
    const ruga_mesh *mesh = shell->mesh;
    const double k = 2 * PI / ruga_skin_wavelength(&skin), width = mesh->positions[ALONG].x;
    double sums[2] = {0, 0};
    for (int step = 1; step <= 4; step++) {
        for (size_t i = 0; i < POINTS; i++) {
            const double strain = 0.5 * step * pow(skin.thickness * k, 2), x = mesh->positions[i].x;
            carrier[i] = mesh->positions[i];
            carrier[i].x = x < width / 3 ? x * (1 - strain) : x - strain * width / 3;
        }
        assert_ok(mesh->context, ruga_embedded_shell_update(shell, carrier));
    }
    assert_null(shell->report.stalled);
    assert_less(shell->report.constraint_error, 1e-8 * shell->mean_edge);
    assert_less(0.1 * skin.thickness, shell->report.amplitude);
    for (size_t i = 0; i < POINTS; i++) {
        const double x = mesh->positions[i].x / width;
        const double square = vec3_length2(vec3_sub(shell->x[i], shell->carrier[i]));
        if (x < 1.0 / 3) sums[0] += square;
        if (x > 2.0 / 3) sums[1] += square;
    }
    return sqrt(sums[1] / sums[0]);
}

/* Figure 3. */
static void global_constraints_spread_ripples_and_clusters_do_not(void **state) {
    skip_unless_long();
    ruga_mesh *mesh = skin_sheet(*state);
    ruga_embedded_shell *local = make(mesh, RUGA_SHELL_CLUSTERS), *global = make(mesh, RUGA_SHELL_SPECTRAL);
    const double by_clusters = spread(local), by_spectrum = spread(global);
    assert_less(by_clusters, 0.05);
    assert_less(3 * by_clusters, by_spectrum);
    ruga_embedded_shell_destroy(local);
    ruga_embedded_shell_destroy(global);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_longer_than_the_skin_s_are_counted),
        cmocka_unit_test(rows_are_the_lowest_eigenvectors),
        cmocka_unit_test(the_filter_is_a_low_pass_at_the_wavelength),
        cmocka_unit_test(global_constraints_spread_ripples_and_clusters_do_not),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
