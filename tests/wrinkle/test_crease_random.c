/* Creases along random curves: every drawing is cut exactly or refused with a message, on sheets, tubes and tori. */
#include "support/shapes.h"
#include "wrinkle/crease_support.h"

static ruga_mesh *random_mesh(ruga_context *context, test_random *random) {
    int kind = (int)(4 * random_unit(random));
    if (kind == 2) return shape_cylinder(context, 12, 6);
    if (kind == 3) return shape_torus(context, 14, 8);
    return creased_sheet(context, 4 + (size_t)(10 * random_unit(random)), kind ? 0.2 : 0);
}

/* Points of vertices, a part of them moved: many curves pass through vertices and along edges. */
static ruga_vec3 random_place(const ruga_mesh *mesh, test_random *random) {
    size_t corner = (size_t)(3 * random_unit(random) * (double)mesh->triangle_count);
    vec3 at = mesh->positions[mesh->triangles[corner]];
    if (random_unit(random) < 0.5) at = vec3_add(at, random_vec3(random, -0.03, 0.03));
    return at;
}

static size_t random_curves(const ruga_mesh *mesh, test_random *random, ruga_curve **curves) {
    size_t count = 1 + (size_t)(5 * random_unit(random)), made = 0;
    int is_star = random_unit(random) < 0.3;
    ruga_vec3 hub = random_place(mesh, random);
    for (size_t i = 0; i < count; i++) {
        ruga_curve_def def = ruga_curve_def_default();
        ruga_vec3 points[4];
        size_t size = random_unit(random) < 0.7 ? 2 : 3;
        for (size_t k = 0; k < size; k++) points[k] = random_place(mesh, random);
        if (is_star) points[0] = hub;
        def.name = "random";
        def.closed = size > 2 && random_unit(random) < 0.2;
        if (!RUGA_FAILED(ruga_curve_from_points(mesh, points, size, &def, &curves[made]))) made++;
    }
    return made;
}

static void check_shares(const ruga_mesh *mesh, const crease *c, int round) {
    double *sums = calloc(mesh->triangle_count, sizeof *sums);
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
