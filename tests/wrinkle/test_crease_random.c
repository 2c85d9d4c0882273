/* Creases along random curves: every drawing is cut exactly or refused with a message, on sheets, tubes and tori. */
#include "wrinkle/crease_random.h"

/* No material is lost, and no point is without. */
static void check_shares(const ruga_mesh *mesh, const crease *c, int round) {
    size_t points = c->nodes.simulated->vertex_count;
    double *sums = calloc(mesh->triangle_count, sizeof *sums), *masses = malloc(points * sizeof *masses);
    assert_ok(mesh->context, spring_mesh_masses(c->nodes.simulated, 1, c->nodes.shares, masses));
    for (size_t i = 0; i < points; i++) assert_less_case(0, masses[i], "round %d", round);
    free(masses);
    for (size_t t = 0; t < c->nodes.simulated->triangle_count; t++)
        sums[c->nodes.triangle_parent[t]] += c->nodes.shares[t];
    for (size_t t = 0; t < mesh->triangle_count; t++) assert_near_case(sums[t], 1, 1e-9, "round %d", round);
    free(sums);
}

static void random_drawings_are_cut_or_refused(void **state) {
    test_random random = {1};
    int cut = 0, refused = 0;
    for (int round = 0; round < 1500; round++) {
        ruga_mesh *mesh = random_mesh(*state, &random);
        ruga_curve *curves[8] = {0};
        crease_def def = crease_def_default();
        crease c;
        size_t count = random_curves(mesh, &random, curves);
        ruga_status status = crease_make(mesh, (const ruga_curve *const *)curves, count, &def, &c);
        if (RUGA_FAILED(status)) {
            refused++;
            assert_status(status, RUGA_ERROR_INPUT);
        } else {
            cut++;
            check_shares(mesh, &c, round);
            crease_release(&c);
        }
        for (size_t i = 0; i < count; i++) ruga_curve_destroy(curves[i]);
        ruga_mesh_destroy(mesh);
    }
    assert_ran(cut, 700);
    assert_ran(refused, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_drawings_are_cut_or_refused)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
