/* Leather on a foam cushion that is compressed: an embedded shell on points of your own. */
#include <math.h>
#include <ruga/ruga.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 60, ROWS = 30, VERTICES = (COLUMNS + 1) * (ROWS + 1), TRIANGLES = 2 * COLUMNS * ROWS, FRAMES = 6 };

/* A slab of 24 x 12 cm. */
static void lay_out(ruga_vec3 *positions, uint32_t *triangles) {
    for (int v = 0; v < VERTICES; v++)
        positions[v] = (ruga_vec3){0.004 * (v % (COLUMNS + 1)), 0, 0.004 * (v / (COLUMNS + 1))};
    for (uint32_t k = 0; k < COLUMNS * ROWS; k++) {
        uint32_t a = k / COLUMNS * (COLUMNS + 1) + k % COLUMNS, b = a + 1, c = a + COLUMNS + 1, d = c + 1;
        const uint32_t corners[6] = {a, c, b, b, c, d};
        for (int i = 0; i < 6; i++) triangles[6 * k + (uint32_t)i] = corners[i];
    }
}

static int press(ruga_embedded_shell *shell, const ruga_vec3 *rest, ruga_vec3 *carrier) {
    for (int frame = 1; frame <= FRAMES; frame++) {
        for (int v = 0; v < VERTICES; v++) {
            carrier[v] = rest[v];
            carrier[v].x *= 1 - 0.02 * frame / FRAMES;
        }
        if (RUGA_FAILED(ruga_embedded_shell_update(shell, carrier))) return 0;
        const ruga_embedded_shell_report report = ruga_embedded_shell_get_report(shell);
        printf("frame %d: %d Newton steps, wrinkles of %.2f mm\n", frame, report.newton_steps, 1e3 * report.amplitude);
    }
    return 1;
}

int main(void) {
    static ruga_vec3 rest[VERTICES], carrier[VERTICES];
    static uint32_t triangles[3 * TRIANGLES];
    ruga_context *context = NULL;
    ruga_mesh *mesh = NULL;
    ruga_embedded_shell *shell = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    lay_out(rest, triangles);
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){rest, VERTICES, 0, RUGA_F64};
    mesh_def.face_count = TRIANGLES;
    mesh_def.face_vertices = triangles;

    const ruga_skin leather = ruga_skin_preset_get(0)->skin;
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    def.thickness = ruga_param_constant(leather.thickness);
    def.stiffness = ruga_param_constant(leather.stiffness);
    def.interior_stiffness = ruga_param_constant(leather.interior_stiffness);
    int works = !RUGA_FAILED(ruga_mesh_create(context, &mesh_def, &mesh)) &&
                !RUGA_FAILED(ruga_embedded_shell_create(mesh, &def, &shell));
    if (works) printf("leather on foam: waves of %.1f cm\n", 100 * ruga_skin_wavelength(&leather));
    works = works && press(shell, rest, carrier);
    if (!works) fprintf(stderr, "%s\n", ruga_context_message(context));
    ruga_embedded_shell_destroy(shell);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
    return works ? 0 : 1;
}
