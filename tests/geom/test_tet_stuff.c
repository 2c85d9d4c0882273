/* Isosurface stuffing on lattices whose points are inside at random: the bounds hold whatever the surface. */
#include "geom/tet_stuff.h"

#include "geom/tet_fill.h"
#include "support/support.h"

enum { SIDE = 11 };

/* Whether a point is far enough from the border of the lattice to be inside. */
static int may_be_inside(const stuff_grid *g, size_t p) {
    size_t at[3] = {p / 2 % g->count[0], p / 2 / g->count[0] % g->count[1], p / 2 / g->count[0] / g->count[1]};
    for (int a = 0; a < 3; a++)
        if (at[a] < 2 || at[a] + 2 >= g->count[a]) return 0;
    return 1;
}

/* Crossings anywhere, or where the shapes are at their limits. */
static double random_crossing(test_random *random, int direction, int is_extreme) {
    double near = direction < 3 ? STUFF_NEAR_LONG : STUFF_NEAR_SHORT, t = random_unit(random);
    if (!is_extreme || t < 0.1) return random_unit(random);
    double side = random_unit(random) < 0.5 ? 1e-9 : -1e-9;
    return t < 0.5 ? near + side : 1 - near + side;
}

static void make_random(ruga_context *context, test_random *random, int is_extreme, ruga_mesh **mesh,
                        stuff_counts *counts) {
    stuff_grid grid = {.spacing = 1, .count = {SIDE, SIDE, SIDE}};
    stuff_lattice l;
    mesh_parts parts = {0};
    assert_ok(context, stuff_lattice_make(context, &grid, &l));
    double filled = random_between(random, 0.05, 0.95);
    for (size_t p = 0; p < l.point_count; p++)
        l.inside[p] = may_be_inside(&grid, p) && random_unit(random) < filled ? 1 : -1;
    assert_ok(context, stuff_find_crossings(&l));
    for (size_t k = 0; k < l.crossing_count; k++) l.at[k] = random_crossing(random, l.edges[k].direction, is_extreme);
    assert_ok(context, stuff_make(&l, &parts, counts));
    stuff_lattice_release(&l);
    assert_ok(context, mesh_from_parts(context, &parts, mesh));
}

static void any_surface_gives_bounded_angles_and_a_closed_manifold(void **state) {
    test_random random = {7};
    double worst_least = 180, worst_most = 0;
    size_t kept = 0, ran = 0;
    for (int round = 0; round < FEWER(40); round++) {
        ruga_mesh *mesh;
        stuff_counts counts;
        double least, most, volume = 0;
        make_random(*state, &random, round % 2, &mesh, &counts);
        assert_ok(*state, tet_angles(mesh, &least, &most));
        worst_least = fmin(worst_least, least), worst_most = fmax(worst_most, most);
        kept += counts.kept;
        for (size_t t = 0; t < mesh->tet_count; t++) {
            assert_less_case(0, mesh_tet_volume(mesh, t), "round %d, tet %zu", round, t);
            volume += mesh_tet_volume(mesh, t);
        }
        ruga_mesh_summary summary;
        assert_ok(*state, ruga_mesh_summarise(mesh, &summary));
        assert_true(mesh->tet_count == 0 || (summary.closed && summary.manifold && summary.oriented));
        ran += mesh->tet_count > 0; /* isolated points are snapped: nothing is left of them */
        assert_equal(summary.loose_vertices, 0);
        /* The triangles enclose the tets: none is missing, none overlaps. */
        double enclosed = 0;
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *v = mesh->triangles + 3 * t;
            enclosed += vec3_dot(mesh->positions[v[0]], vec3_cross(mesh->positions[v[1]], mesh->positions[v[2]])) / 6;
        }
        assert_near_case(enclosed, volume, 1e-9 * (1 + volume), "round %d", round);
        ruga_mesh_destroy(mesh);
    }
    assert_ran(ran, FEWER(35));
    assert_less(STUFF_LEAST_ANGLE, worst_least);
    assert_less(worst_most, STUFF_MOST_ANGLE);
    assert_less(0, kept); /* the surface would have touched itself */
}

/* Without a surface near by, tets are those of the lattice: 60 and 90 degrees. */
static void the_inside_is_the_lattice(void **state) {
    stuff_grid grid = {.spacing = 0.5, .count = {SIDE, SIDE, SIDE}};
    stuff_lattice l;
    mesh_parts parts = {0};
    stuff_counts counts;
    ruga_mesh *mesh;
    double least, most;
    assert_ok(*state, stuff_lattice_make(*state, &grid, &l));
    for (size_t p = 0; p < l.point_count; p++) l.inside[p] = may_be_inside(&grid, p) ? 1 : -1;
    assert_ok(*state, stuff_find_crossings(&l));
    /* All points outside are snapped: the surface is one of lattice points. */
    for (size_t k = 0; k < l.crossing_count; k++) l.at[k] = l.inside[l.edges[k].point] > 0 ? 1 : 0;
    assert_ok(*state, stuff_make(&l, &parts, &counts));
    stuff_lattice_release(&l);
    assert_ok(*state, mesh_from_parts(*state, &parts, &mesh));
    assert_ok(*state, tet_angles(mesh, &least, &most));
    assert_near(least, 60, 1e-6);
    assert_near(most, 90, 1e-6);
    for (size_t t = 0; t < mesh->tet_count; t++) assert_near(mesh_tet_volume(mesh, t), 0.125 / 12, 1e-12);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_surface_gives_bounded_angles_and_a_closed_manifold),
        cmocka_unit_test(the_inside_is_the_lattice),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
