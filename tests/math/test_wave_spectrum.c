/* Measured wavelengths: of waves that are known, of flat skins anywhere in space, and of a dense volume. */
#include "math/wave_spectrum.h"

#include "energy/sheets.h"
#include "support/support.h"
#include "wrinkle/embedded_shell.h"

#define PI 3.14159265358979323846
enum { SAMPLES = 4000 };

static double places[SAMPLES][2], heights[SAMPLES];

static double scattered(uint32_t i) { return 0.5 + 0.5 * shell_noise(i); }

/* Any wavelength within the range, in any direction, at any phase, from scattered points. */
static void a_wave_is_measured_in_every_direction(void **state) {
    const double expected = 0.02;
    wave_spectrum *w = NULL;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        places[i][0] = 3 + 0.32 * scattered(2 * i);
        places[i][1] = -1 + 0.15 * scattered(2 * i + 1);
    }
    assert_ok(*state, wave_spectrum_create(*state, SAMPLES, (const double(*)[2])places, NULL, expected, &w));
    for (int k = 0; k < 24; k++) {
        const double length = expected * (0.6 + 0.04 * k), angle = 0.7 * k, k0 = 2 * PI / length;
        for (size_t i = 0; i < SAMPLES; i++)
            heights[i] = 5 + 1e-4 * cos(k0 * (cos(angle) * places[i][0] + sin(angle) * places[i][1]) + k);
        assert_near(wave_spectrum_measure(w, heights) / length, 1, 0.015);
    }
    for (size_t i = 0; i < SAMPLES; i++) heights[i] = 5;
    assert_equal(wave_spectrum_measure(w, heights), 0);
    wave_spectrum_destroy(w);
    for (size_t i = 0; i < SAMPLES; i++) places[i][1] = 0;
    assert_ok(*state, wave_spectrum_create(*state, SAMPLES, (const double(*)[2])places, NULL, expected, &w));
    for (size_t i = 0; i < SAMPLES; i++) heights[i] = sin(2 * PI / 0.023 * places[i][0]);
    assert_near(wave_spectrum_measure(w, heights), 0.023, 0.0003);
    wave_spectrum_destroy(w);
    w = NULL;
    assert_status(wave_spectrum_create(*state, SAMPLES, (const double(*)[2])places, NULL, 0.2, &w), RUGA_ERROR_INPUT);
}

static const ruga_skin skin = {0.001, 1e8, 0.3, 1.5e4, 0.3};

static ruga_embedded_shell *make(const ruga_mesh *mesh) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    ruga_embedded_shell *shell = NULL;
    def.thickness = ruga_param_constant(skin.thickness);
    def.stiffness = ruga_param_constant(skin.stiffness);
    def.interior_stiffness = ruga_param_constant(skin.interior_stiffness);
    assert_ok(mesh->context, ruga_embedded_shell_create(mesh, &def, &shell));
    return shell;
}

/* A wave that is put on a skin by hand, on a sheet that lies, stands, or is turned as it moves. */
static void a_skin_measures_its_wave_wherever_it_is(void **state) {
    const double lambda = ruga_skin_wavelength(&skin), length = 1.1 * lambda;
    ruga_mesh *mesh = equilateral_sheet(*state, 30, lambda / 6);
    ruga_embedded_shell *shell = make(mesh);
    assert_true(isnan(ruga_embedded_shell_measure_wavelength(shell)));
    for (int k = 0; k < 4; k++) {
        const double c = cos(k), s = sin(k);
        for (size_t v = 0; v < shell->count; v++) {
            const vec3 p = mesh->positions[v];
            const double height = 1e-3 * sin(2 * PI / length * p.x);
            shell->carrier[v] = (vec3){c * p.x, s * p.x + k, p.z};
            shell->x[v] = vec3_add(shell->carrier[v], (vec3){-s * height, c * height, 0});
        }
        assert_near(ruga_embedded_shell_measure_wavelength(shell) / length, 1, 0.02);
    }
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* A curved skin, and one of less than three waves, have none. */
static void skins_that_are_not_flat_have_no_wavelength(void **state) {
    ruga_mesh *mesh = NULL;
    const double sphere[] = {0.5, 8}, slab[] = {0.5, 0.5, 0.02, 30, 2, 0};
    assert_ok(*state, ruga_model_make(*state, "sphere", sphere, &mesh));
    ruga_embedded_shell *shell = make(mesh);
    for (size_t v = 0; v < shell->count; v++)
        shell->x[v] = vec3_scale(shell->x[v], 1 + 0.01 * shell_noise((uint32_t)v));
    assert_true(isnan(ruga_embedded_shell_measure_wavelength(shell)));
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
    /* The upper side of a closed slab has one. */
    assert_ok(*state, ruga_model_make(*state, "slab", slab, &mesh));
    shell = make(mesh);
    for (size_t v = 0; v < shell->count; v++) shell->x[v].y += 1e-3 * sin(2 * PI / 0.07 * shell->x[v].z);
    assert_near(ruga_embedded_shell_measure_wavelength(shell), 0.07, 0.002);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* A stiff layer on a soft volume, both of finite elements, buckles at the wavelength of equation 3 up to the rounding
 * to whole waves, of which 6.4 leave 8 %. */
static void a_dense_slab_buckles_at_the_predicted_wavelength(void **state) {
    skip_unless_long();
    ruga_dense_slab_def def = ruga_dense_slab_def_default();
    ruga_dense_slab_report r;
    ruga_mesh *mesh = NULL;
    def.waves = 6.4;
    def.columns = 6;
    assert_ok(*state, ruga_dense_slab_solve(*state, &def, &r, &mesh));
    assert_near(r.wavelength / ruga_skin_wavelength(&def.skin), 1, 0.1);
    assert_less(0.1 * def.skin.thickness, r.amplitude);
    assert_less(1000, r.nodes);
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        low = fmin(low, mesh->positions[v].x);
        high = fmax(high, mesh->positions[v].x);
    }
    assert_near((high - low) / (def.waves * ruga_skin_wavelength(&def.skin)), 1 - 1.35 * 0.25 * pow(0.03, 2.0 / 3),
                1e-9);
    ruga_mesh_destroy(mesh);
    def.waves = 1;
    assert_status(ruga_dense_slab_solve(*state, &def, &r, NULL), RUGA_ERROR_ARGUMENT);
}

/* A row of H sums to 1 and belongs to one cluster. */
static void clusters_can_be_read(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 30, ruga_skin_wavelength(&skin) / 8);
    ruga_embedded_shell *shell = make(mesh);
    const ruga_map *rows = ruga_embedded_shell_clusters(shell);
    assert_int_equal(rows->rows, ruga_embedded_shell_get_report(shell).clusters);
    assert_int_equal(rows->columns, mesh->vertex_count);
    for (size_t k = 0; k < rows->rows; k++) {
        double sum = 0;
        for (size_t e = rows->offsets[k]; e < rows->offsets[k + 1]; e++) sum += rows->weights[e];
        assert_near(sum, 1, 1e-12);
    }
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

static int set_up(void **state) {
    *state = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_is_measured_in_every_direction),
        cmocka_unit_test(a_skin_measures_its_wave_wherever_it_is),
        cmocka_unit_test(skins_that_are_not_flat_have_no_wavelength),
        cmocka_unit_test(a_dense_slab_buckles_at_the_predicted_wavelength),
        cmocka_unit_test(clusters_can_be_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
