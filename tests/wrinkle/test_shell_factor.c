/* The preconditioner of shells: its two kinds agree and solve their equations; the definite part is definite. */
#include "energy/sheets.h"
#include "support/support.h"
#include "wrinkle/embedded_shell.h"

#define PI 3.14159265358979323846

static const ruga_skin skin = {0.001, 1e8, 0.3, 1.5e4, 0.3};
enum { SIDE = 20, POINTS = (SIDE + 1) * (SIDE + 1) };

static ruga_embedded_shell *make(ruga_context *context, ruga_mesh **mesh) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    ruga_embedded_shell *shell = NULL;
    *mesh = equilateral_sheet(context, SIDE, ruga_skin_wavelength(&skin) / 8);
    def.thickness = ruga_param_constant(skin.thickness);
    def.stiffness = ruga_param_constant(skin.stiffness);
    def.interior_stiffness = ruga_param_constant(skin.interior_stiffness);
    assert_ok(context, ruga_embedded_shell_create(*mesh, &def, &shell));
    return shell;
}

/* A flat skin, pressed along x by a multiple of the critical strain of a free wave: its Hessian is not definite. */
static void press(ruga_embedded_shell *shell, double times) {
    const double k = 2 * PI / ruga_skin_wavelength(&skin);
    for (size_t i = 0; i < shell->count; i++) {
        shell->x[i] = shell->mesh->positions[i];
        shell->x[i].x *= 1 - times * pow(skin.thickness * k, 2) / 12;
    }
}

/* (K + shift D) z + Hᵀy = r and H z = s, for both kinds. */
static void both_kinds_solve_the_same_equations(void **state) {
    ruga_mesh *mesh;
    ruga_embedded_shell *shell = make(*state, &mesh);
    const size_t rows = shell->rows->rows;
    vec3 r[POINTS], z[2][POINTS], left[POINTS];
    vec3 *s = calloc(rows, sizeof *s), *y = calloc(rows, sizeof *y), *means = calloc(rows, sizeof *means);
    test_random random = {5};
    for (size_t i = 0; i < POINTS; i++) r[i] = random_vec3(&random, -1, 1);
    for (size_t k = 0; k < rows; k++) s[k] = random_vec3(&random, -1e-3, 1e-3);
    press(shell, 1.5);
    for (int kind = 0; kind < 2; kind++) {
        shell_factor *f = NULL;
        double shift = 200; /* K itself has to be definite for the dense kind */
        assert_ok(*state, shell_factor_create(shell, kind ? SHELL_FACTOR_DENSE : SHELL_FACTOR_SPARSE, &f));
        assert_ok(*state, shell_linearise(shell, shell->x));
        assert_true(shell_factor_make(shell, f, shift));
        memcpy(z[kind], r, sizeof r);
        memcpy(y, s, rows * sizeof *y);
        shell_factor_solve(shell, f, z[kind], y);
        double worst = 0, size = 0, drift = 0, mean = 0;
        shell_multiply(shell, z[kind], left);
        ruga_map_apply_transpose_add(shell->rows, y, left);
        for (size_t i = 0; i < POINTS; i++) {
            left[i] = vec3_add_scaled(left[i], z[kind][i], shift * shell->shifts[i]);
            worst = fmax(worst, vec3_distance(left[i], r[i]));
            size = fmax(size, vec3_length(z[kind][i]));
        }
        ruga_map_apply(shell->rows, z[kind], means);
        for (size_t k = 0; k < rows; k++) {
            drift = fmax(drift, vec3_distance(means[k], s[k]));
            mean = fmax(mean, vec3_length(s[k]));
        }
        assert_less_case(worst, 1e-6, "kind %d", kind);
        assert_less_case(drift, 1e-6 * mean, "kind %d", kind);
        for (size_t i = 0; kind && i < POINTS; i++) assert_less(vec3_distance(z[0][i], z[1][i]), 1e-6 * size);
        shell_factor_destroy(f);
    }
    free(s);
    free(y);
    free(means);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

/* Far beyond buckling no factor exists without a shift; the definite part has one, and its energy is never negative. */
static void the_definite_part_needs_no_shift(void **state) {
    ruga_mesh *mesh;
    ruga_embedded_shell *shell = make(*state, &mesh);
    vec3 direction[POINTS], product[POINTS];
    shell_factor *f = NULL;
    test_random random = {8};
    press(shell, 20);
    assert_ok(*state, shell_factor_create(shell, SHELL_FACTOR_SPARSE, &f));
    assert_ok(*state, shell_linearise(shell, shell->x));
    assert_false(shell_factor_make(shell, f, 0));
    assert_ok(*state, shell_linearise_definite(shell, shell->x));
    assert_true(shell_factor_make(shell, f, 1e-6)); /* motions that hinges do not resist have no stiffness */
    for (int k = 0; k < 20; k++) {
        double energy = 0, size = 0;
        for (size_t i = 0; i < POINTS; i++) {
            direction[i] = random_vec3(&random, -1, 1);
            if (k % 2) direction[i].x = direction[i].z = 0;
        }
        block_matrix_multiply(shell->hessian, direction, product);
        for (size_t i = 0; i < POINTS; i++) {
            energy += vec3_dot(direction[i], product[i]);
            size += vec3_length(product[i]);
        }
        assert_less_case(-1e-12 * size, energy, "direction %d", k);
    }
    shell_factor_destroy(f);
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_solve_the_same_equations),
        cmocka_unit_test(the_definite_part_needs_no_shift),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
