/* Meshes that a skin can't wrinkle on, or only poorly: warnings and errors with numbers. */
#include <stdio.h>

#include "energy/sheets.h"
#include "support/support.h"
#include "wrinkle/embedded_shell.h"

/* A skin of 1 mm whose waves are 7.9 cm long. */
static const ruga_skin skin = {0.001, 1e8, 0.3, 1.5e4, 0.3};
static vec3 other[21 * 21];

static ruga_embedded_shell_def skin_def(void) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    def.thickness = ruga_param_constant(skin.thickness);
    def.stiffness = ruga_param_constant(skin.stiffness);
    def.interior_stiffness = ruga_param_constant(skin.interior_stiffness);
    return def;
}

static ruga_embedded_shell *make(const ruga_mesh *mesh, const ruga_embedded_shell_def *def) {
    ruga_embedded_shell *shell = NULL;
    assert_ok(mesh->context, ruga_embedded_shell_create(mesh, def, &shell));
    return shell;
}

typedef struct warned {
    int count;
    char last[800];
} warned;

static void note_warning(void *user, ruga_log_level level, const char *message) {
    warned *w = user;
    if (level != RUGA_LOG_WARNING) return;
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", message);
}

/* A mesh whose edges differ by eight times: the warning has the wavelength that all of it carries. */
static void the_warning_names_a_wavelength_that_the_mesh_carries(void **state) {
    (void)state;
    warned warnings = {0};
    ruga_context_def settings = ruga_context_def_default();
    ruga_context *context = NULL;
    settings.log = note_warning;
    settings.log_user = &warnings;
    assert_int_equal(ruga_context_create(&settings, &context), RUGA_OK);
    ruga_mesh *even = quad_sheet(context, 20, 20, 0.01, 0.01);
    for (size_t i = 0; i < even->vertex_count; i++) {
        const vec3 p = even->positions[i];
        other[i] = (vec3){p.x + 3 * p.x * p.x / 0.2, 0, p.z};
    }
    ruga_mesh *mesh = shape_make(context, even->vertex_count, other, even->triangle_count, NULL, even->triangles);
    ruga_embedded_shell_def def = skin_def();
    def.interior_stiffness = ruga_param_constant(skin.stiffness / ruga_skin_ratio_for(&skin, 0.04));
    ruga_embedded_shell *shell = make(mesh, &def);
    const ruga_embedded_shell_report coarse = ruga_embedded_shell_get_report(shell);
    ruga_embedded_shell_destroy(shell);
    assert_int_equal(warnings.count, 1);
    const char *average = strstr(warnings.last, "carries waves from "),
               *everywhere = strstr(warnings.last, "and from ");
    assert_non_null(average);
    assert_non_null(everywhere);
    assert_near(strtod(average + 19, NULL), 5 * coarse.mean_edge, 0.05 * 5 * coarse.mean_edge);
    const double carried = strtod(everywhere + 9, NULL);
    assert_less(1.2 * 5 * coarse.mean_edge, carried);
    /* That wavelength has no warning, and one that is shorter by a tenth has: 6 % are the rounding of two digits. */
    for (int k = 0; k < 2; k++) {
        const double ratio = ruga_skin_ratio_for(&skin, carried * (k ? 0.9 : 1.06));
        def.interior_stiffness = ruga_param_constant(skin.stiffness / ratio);
        warnings.count = 0;
        shell = make(mesh, &def);
        const size_t bad = ruga_embedded_shell_get_report(shell).coarse_vertices;
        assert_equal_case(warnings.count, k, "case %d", k);
        assert_equal_case(bad > 0, k, "case %d", k);
        ruga_embedded_shell_destroy(shell);
    }
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(even);
    ruga_context_destroy(context);
}

static ruga_context *warning_context(warned *warnings) {
    ruga_context_def settings = ruga_context_def_default();
    ruga_context *context = NULL;
    settings.log = note_warning;
    settings.log_user = warnings;
    assert_int_equal(ruga_context_create(&settings, &context), RUGA_OK);
    return context;
}

/* Rows of the sheet are pressed together until their triangles are slivers. */
static void slivers_are_counted_and_the_warning_names_the_remedy(void **state) {
    (void)state;
    warned warnings = {0};
    ruga_context *context = warning_context(&warnings);
    const ruga_embedded_shell_def def = skin_def();
    for (int k = 0; k < 2; k++) {
        ruga_mesh *mesh = quad_sheet(context, 20, 20, 0.01, k ? 0.0005 : 0.005);
        ruga_embedded_shell *shell = make(mesh, &def);
        const ruga_embedded_shell_report r = ruga_embedded_shell_get_report(shell);
        assert_equal_case(warnings.count, k, "case %d", k);
        assert_equal_case(r.sliver_count, k ? 800 : 0, "case %d", k);
        ruga_embedded_shell_destroy(shell);
        ruga_mesh_destroy(mesh);
    }
    assert_non_null(strstr(warnings.last, "800 of 800 triangles are slivers"));
    assert_non_null(strstr(warnings.last, "Remesh the surface with triangles of even shape"));
    ruga_context_destroy(context);
}

/* Where rounding makes the matrices of the surface indefinite the error names the triangle and the remedy. */
static void a_triangle_of_nearly_no_area_is_named(void **state) {
    ruga_context *context = *state;
    ruga_mesh *even = quad_sheet(context, 20, 20, 0.01, 0.01);
    int failed = 0;
    for (int k = 0; k < 12; k++) {
        const double height = pow(10, -10 - 0.7 * k);
        memcpy(other, even->positions, even->vertex_count * sizeof *other);
        for (size_t v = 0; v < even->vertex_count; v++) /* the second half comes near the first one */
            if (even->positions[v].z > 0) other[v].z += even->positions[1].z - 0.01 + height;
        ruga_mesh *mesh = shape_make(context, even->vertex_count, other, even->triangle_count, NULL, even->triangles);
        for (int spectral = 0; spectral < 2; spectral++) {
            ruga_embedded_shell_def def = skin_def();
            ruga_embedded_shell *shell = NULL;
            if (spectral) def.constraints = RUGA_SHELL_SPECTRAL;
            const ruga_status status = ruga_embedded_shell_create(mesh, &def, &shell);
            if (RUGA_FAILED(status)) {
                assert_message_has(context, "has nearly no area: it is ");
                assert_message_has(context, "remesh the surface with triangles of even shape");
                const char *number = strstr(ruga_context_message(context), "it is ");
                assert_near_case(strtod(number + 6, NULL) / height, 1, 0.5, "height %g", height);
                failed++;
            }
            ruga_embedded_shell_destroy(shell);
        }
        ruga_mesh_destroy(mesh);
    }
    assert_ran(failed, 2);
    ruga_mesh_destroy(even);
}

static void a_wavelength_above_the_size_is_reported(void **state) {
    (void)state;
    warned warnings = {0};
    ruga_context *context = warning_context(&warnings);
    const ruga_embedded_shell_def def = skin_def();
    for (int k = 0; k < 2; k++) {
        const double edge = ruga_skin_wavelength(&skin) * (k ? 0.9 : 1.1) / (10 * sqrt(2));
        ruga_mesh *mesh = quad_sheet(context, 10, 10, edge, edge);
        ruga_embedded_shell *shell = make(mesh, &def);
        assert_equal_case(warnings.count, k, "case %d", k);
        ruga_embedded_shell_destroy(shell);
        ruga_mesh_destroy(mesh);
    }
    assert_non_null(strstr(warnings.last, "is above the object's size of 0.0"));
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_warning_names_a_wavelength_that_the_mesh_carries),
        cmocka_unit_test(slivers_are_counted_and_the_warning_names_the_remedy),
        cmocka_unit_test(a_triangle_of_nearly_no_area_is_named),
        cmocka_unit_test(a_wavelength_above_the_size_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
