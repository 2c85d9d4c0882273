/* Creases along random curves: every drawing is cut exactly or refused with a message, on sheets, tubes and tori. */
#include "wrinkle/crease_project.h"
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

/* The gap of random fold vectors keeps below its bound. */
static void check_gap(const ruga_mesh *mesh, const crease *c, test_random *random, int round) {
    vec3 *y = malloc(c->bound->columns * sizeof *y), *x = malloc(c->bound->rows * sizeof *x);
    for (int trial = 0; trial < 3; trial++) {
        for (size_t i = 0; i < c->bound->columns; i++)
            y[i] = i < mesh->vertex_count ? mesh->positions[i] : random_vec3(random, -1, 1);
        ruga_map_apply(c->bound, y, x);
        assert_less_case(crease_gap(c, x), crease_gap_bound(c, y) * (1 + 1e-5) + 1e-12, "round %d", round);
    }
    free(y);
    free(x);
}

/* The unknowns of a pose are unique: the factor of TᵀMT exists, and gives them back. */
static void check_not_singular(const crease *c, test_random *random, int round) {
    vec3 *y = malloc(c->bound->columns * sizeof *y), *x = malloc(c->bound->rows * sizeof *x);
    double *masses = malloc(c->bound->rows * sizeof *masses);
    for (size_t i = 0; i < c->bound->rows; i++) masses[i] = 1;
    for (size_t i = 0; i < c->bound->columns; i++) y[i] = random_vec3(random, -1, 1);
    ruga_map_apply(c->bound, y, x);
    assert_less_case(fit_unknowns(c, masses, x, y), 1e-9, "round %d", round);
    free(y);
    free(x);
    free(masses);
}

static void random_drawings_are_cut_or_refused(void **state) {
    skip_unless_long();
    test_random random = {1}, trials = {5};
    const int rounds = SANITIZED ? 500 : 1500;
    int cut = 0, refused = 0;
    for (int round = 0; round < rounds; round++) {
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
            check_gap(mesh, &c, &trials, round);
            check_not_singular(&c, &trials, round);
            check_projection(&c, &trials, 3, round);
            crease_release(&c);
        }
        for (size_t i = 0; i < count; i++) ruga_curve_destroy(curves[i]);
        ruga_mesh_destroy(mesh);
    }
    assert_ran(cut, rounds / 2);
    assert_ran(refused, rounds / 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_drawings_are_cut_or_refused)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
