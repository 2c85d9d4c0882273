/* Surfaces in statics: forces and products are derivatives, steps and other surfaces stop before contact, and flesh in
 * equilibrium keeps apart from itself and from others. */
#include "contact/surface_barrier.h"

#include <math.h>

#include "contact/barrier_pairs.h"
#include "geom/intersections.h"
#include "math/vec3.h"
#include "support/support.h"

/* Two sheets of 4 x 4 cells of 0.1 m as one mesh, the second 1 m above: at rest they are far apart. */
enum { SIDE = 5, SHEET = SIDE * SIDE, COUNT = 2 * SHEET, TRIANGLES = 64 };

static ruga_mesh *sheets_make(ruga_context *context, size_t sheets) {
    vec3 x[COUNT];
    uint32_t triangles[3 * TRIANGLES], count = 0;
    for (uint32_t v = 0; v < COUNT; v++) x[v] = (vec3){0.1 * (v % SIDE), v < SHEET ? 0 : 1, 0.1 * (v % SHEET / SIDE)};
    for (uint32_t s = 0; s < sheets; s++)
        for (uint32_t c = 0; c < (SIDE - 1) * (SIDE - 1); c++) {
            const uint32_t a = s * SHEET + c / (SIDE - 1) * SIDE + c % (SIDE - 1);
            const uint32_t corners[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
            for (int k = 0; k < 6; k++) triangles[count++] = corners[k];
        }
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *mesh = NULL;
    def.positions = (ruga_view){x, sheets * SHEET, 0, RUGA_F64};
    def.face_count = count / 3;
    def.face_vertices = triangles;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    return mesh;
}

static surface_barrier *barrier_make(const ruga_mesh *mesh, double reach) {
    double stiffness[COUNT];
    surface_barrier *out = NULL;
    for (size_t v = 0; v < mesh->vertex_count; v++) stiffness[v] = 5 + (double)v / 10;
    const surface_barrier_def def = {.context = mesh->context,
                                     .mesh = mesh,
                                     .point_count = mesh->vertex_count,
                                     .stiffness = stiffness,
                                     .reach = reach};
    assert_ok(mesh->context, surface_barrier_create(&def, &out));
    return out;
}

/* The second sheet is bent and turned, a little above the first, so that no two edges are parallel. */
static void bring_together(test_random *random, double height, vec3 *x) {
    for (int v = 0; v < COUNT; v++) {
        const double a = 0.1 * (v % SIDE) - 0.2, b = 0.1 * (v % SHEET / SIDE) - 0.2;
        x[v] = v < SHEET ? (vec3){a, 0, b} : (vec3){0.9 * a + 0.3 * b, height, -0.4 * a + 0.8 * b};
        x[v] = vec3_add(x[v], random_vec3(random, -0.01, 0.01));
    }
}

static size_t crossings_of(const ruga_mesh *mesh, const vec3 *x) {
    intersection_array found = {0};
    assert_ok(mesh->context, intersections_find(mesh->context, mesh->vertex_count, x, mesh->triangle_count,
                                                mesh->triangles, NULL, NULL, &found));
    const size_t count = found.count;
    ARRAY_RELEASE(mesh->context, &found);
    return count;
}

static void forces_and_products_are_derivatives(void **state) {
    ruga_mesh *mesh = sheets_make(*state, 2);
    surface_barrier *s = barrier_make(mesh, 0.06);
    energy_term *term = surface_barrier_term(s);
    test_random random = {3};
    vec3 x[COUNT], d[COUNT], moved[COUNT], g[2][COUNT], product[2][COUNT];
    const double h = 1e-7;
    size_t passing = 1;
    bring_together(&random, 0.045, x);
    assert_ok(*state, surface_barrier_begin(s, x, 1, NULL, 0, &passing));
    assert_int_equal(passing, 0);
    memset(g, 0, sizeof g);
    memset(product, 0, sizeof product);
    for (int i = 0; i < COUNT; i++) d[i] = random_vec3(&random, -1, 1);
    double values[2], slope = 0, second = 0, along[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < COUNT; i++) moved[i] = vec3_add_scaled(x[i], d[i], k ? h : -h);
        values[k] = term->interface->add_gradient(term, moved, 1, g[k]);
        assert_near(values[k], term->interface->value(term, moved), 1e-14 * values[k]);
    }
    for (int is_definite = 0; is_definite < 2; is_definite++) {
        assert_ok(*state, term->interface->linearise(term, x, (energy_weights){1, 0}, is_definite));
        term->interface->add_product(term, 1, d, product[is_definite]);
        for (int i = 0; i < COUNT; i++) along[is_definite] += vec3_dot(product[is_definite][i], d[i]);
    }
    assert_less(10, surface_barrier_touch_count(s));
    double off = 0, size = 0;
    vec3 sum = {0, 0, 0}, torque = {0, 0, 0};
    for (int i = 0; i < COUNT; i++) {
        const vec3 force = vec3_scale(vec3_add(g[0][i], g[1][i]), 0.5);
        const vec3 change = vec3_scale(vec3_sub(g[1][i], g[0][i]), 1 / (2 * h));
        slope += vec3_dot(force, d[i]);
        second += vec3_dot(change, d[i]);
        off += vec3_length2(vec3_sub(change, product[0][i]));
        size += vec3_length2(change);
        sum = vec3_add(sum, force);
        torque = vec3_add(torque, vec3_cross(x[i], force));
    }
    assert_near(slope, (values[1] - values[0]) / (2 * h), 1e-5 * fabs(slope));
    assert_less(sqrt(off), 0.01 * sqrt(size)); /* the true Hessian, but for edges that are nearly parallel */
    assert_near(along[0], second, 0.01 * fabs(second));
    assert_less(second, along[1]); /* the definite one has no negative part */
    assert_near(vec3_length(sum), 0, 1e-9 * fabs(slope));
    assert_near(vec3_length(torque), 0, 1e-7 * fabs(slope));
    surface_barrier_destroy(s);
    ruga_mesh_destroy(mesh);
}

/* ∇²d of pairs of all kinds by differences of ∇d: near vertices, edges and insides of triangles. */
static void distances_curve_as_their_gradients_change(void **state) {
    ruga_mesh *mesh = sheets_make(*state, 2);
    barrier_pairs p = {0};
    double masses[COUNT];
    vec3 x[COUNT];
    test_random random = {12};
    const double h = 1e-7;
    int kinds[3] = {0, 0, 0};
    for (int v = 0; v < COUNT; v++) masses[v] = 1;
    bring_together(&random, 0.045, x);
    contact_surface surface = {.mesh = mesh,
                               .accepted = x,
                               .candidate = x,
                               .inverse_masses = masses,
                               .thickness = 0.06,
                               .rest_part = 0.5,
                               .self = 1};
    contact_surface *surfaces[1] = {&surface};
    assert_ok(*state, barrier_pairs_init(*state, COUNT, 0.06, &p));
    assert_ok(*state, barrier_pairs_take(&p, surfaces, 1));
    assert_ok(*state, barrier_pairs_search(&p));
    for (size_t i = 0; i < p.pairs.count; i++) {
        const contact_pair *pair = &p.pairs.items[i];
        vec3 at[4], d[4], product[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, moved[4];
        barrier_bend bend;
        pair_gap gaps[2];
        int same = 1;
        for (int k = 0; k < 4; k++) {
            at[k] = p.mesh->from[pair->vertices[k]];
            d[k] = random_vec3(&random, -1, 1);
        }
        barrier_pairs_bend(&p, i, &bend);
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < 4; k++) moved[k] = vec3_add_scaled(at[k], d[k], s ? h : -h);
            gaps[s] = gap_of((pair_kind)pair->kind, moved);
            for (int k = 0; k < 4; k++) same &= (fabs(gaps[s].weights[k]) < 1e-9) == (fabs(bend.weights[k]) < 1e-9);
        }
        if (!same || !(vec3_length(bend.gap) > 1e-3)) continue; /* at a corner, or parallel */
        barrier_bend_product(&bend, d, 1, product);
        for (int k = 0; k < 4; k++) {
            const vec3 change = vec3_scale(vec3_sub(vec3_scale(gaps[1].direction, gaps[1].weights[k]),
                                                    vec3_scale(gaps[0].direction, gaps[0].weights[k])),
                                           1 / (2 * h));
            assert_near_case(vec3_distance(product[k], change), 0, 1e-4 * (1 + vec3_length(change)), "pair %zu", i);
        }
        kinds[bend.count]++;
    }
    assert_less(10, kinds[0]);
    assert_less(10, kinds[1]);
    assert_less(10, kinds[2]);

    barrier_pairs_release(&p);
    ruga_mesh_destroy(mesh);
}

/* Products with the unit vectors of a point are the columns of its block. */
static void blocks_are_those_of_products(void **state) {
    ruga_mesh *mesh = sheets_make(*state, 2);
    surface_barrier *s = barrier_make(mesh, 0.06);
    energy_term *term = surface_barrier_term(s);
    test_random random = {5};
    vec3 x[COUNT];
    mat3 blocks[COUNT];
    size_t passing;
    bring_together(&random, 0.045, x);
    for (int v = 0; v < COUNT; v++) /* parallel edges, too */
        if (v >= SHEET) x[v] = vec3_add(x[v - SHEET], (vec3){0.03, 0.04, 0.04});
    assert_ok(*state, surface_barrier_begin(s, x, 1, NULL, 0, &passing));
    assert_ok(*state, term->interface->linearise(term, x, (energy_weights){1, 0}, 1));
    memset(blocks, 0, sizeof blocks);
    term->interface->add_blocks(term, 2, blocks);
    for (int v = 0; v < COUNT; v++)
        for (int k = 0; k < 3; k++) {
            vec3 unit[COUNT], out[COUNT];
            memset(unit, 0, sizeof unit);
            memset(out, 0, sizeof out);
            (&unit[v].x)[k] = 1;
            term->interface->add_product(term, 2, unit, out);
            for (int r = 0; r < 3; r++)
                assert_near_case((&out[v].x)[r], blocks[v].at[k][r], 1e-9 * (1 + fabs(blocks[v].at[k][k])), "%d", v);
        }
    surface_barrier_destroy(s);
    ruga_mesh_destroy(mesh);
}

static void shortened_steps_do_not_intersect(void **state) {
    ruga_mesh *mesh = sheets_make(*state, 2);
    surface_barrier *s = barrier_make(mesh, 0.03);
    test_random random = {8};
    int shortened = 0, would = 0;
    for (int round = 0; round < 60; round++) {
        vec3 from[COUNT], to[COUNT], at[COUNT];
        size_t passing;
        bring_together(&random, 0.06, from);
        for (int i = 0; i < COUNT; i++) to[i] = vec3_add(from[i], random_vec3(&random, -0.1, 0.1));
        assert_ok(*state, surface_barrier_begin(s, from, 1, NULL, 0, &passing));
        const double part = surface_barrier_limit(s, from, to);
        assert_less(0, part);
        shortened += part < 1;
        would += crossings_of(mesh, to) > 0;
        for (int k = 1; k <= 4; k++) {
            for (int i = 0; i < COUNT; i++) at[i] = vec3_mix(from[i], to[i], part * k / 4);
            assert_int_equal(crossings_of(mesh, at), 0);
        }
    }
    assert_less(20, shortened);
    assert_less(20, would);

    surface_barrier_destroy(s);
    ruga_mesh_destroy(mesh);
}

/* Another sheet that would move through stops above; once the own one is away, it continues to its place. */
static void other_surfaces_stop_before_the_own(void **state) {
    ruga_mesh *mesh = sheets_make(*state, 1);
    surface_barrier *s = barrier_make(mesh, 0.03);
    vec3 x[SHEET], from[SHEET], to[SHEET];
    size_t passing;
    for (int v = 0; v < SHEET; v++) {
        x[v] = mesh->positions[v];
        from[v] = vec3_add(x[v], (vec3){0.013, 0.1, 0.017});
        to[v] = vec3_add(from[v], (vec3){0, -0.2, 0});
    }
    const surface_barrier_other other = {mesh, from, to};
    assert_ok(*state, surface_barrier_begin(s, x, 1, &other, 1, &passing));
    assert_int_equal(passing, 0);
    assert_true(surface_barrier_has_moving(s));
    double left = surface_barrier_advance(s, x);
    assert_near(left, 0.5, 0.05); /* it is 0.1 of 0.2 m away */
    assert_less(0.5, left);
    assert_less(0, surface_barrier_term(s)->interface->value(surface_barrier_term(s), x));
    for (int v = 0; v < SHEET; v++) x[v].y -= 0.5;
    assert_true(surface_barrier_advance(s, x) == 0);
    assert_false(surface_barrier_has_moving(s));
    surface_barrier_destroy(s);
    ruga_mesh_destroy(mesh);
}

static void vertices_that_intersect_pass(void **state) {
    ruga_mesh *mesh = sheets_make(*state, 2);
    surface_barrier *s = barrier_make(mesh, 0.03);
    vec3 x[COUNT], to[COUNT];
    size_t passing;
    for (int v = 0; v < COUNT; v++) {
        x[v] = mesh->positions[v % SHEET];
        if (v >= SHEET) x[v] = (vec3){x[v].x + 0.013, 0.4 * (x[v].x - 0.17), x[v].z + 0.017};
        to[v] = vec3_add(x[v], (vec3){0, v < SHEET ? 0 : 1, 0});
    }
    assert_ok(*state, surface_barrier_begin(s, x, 1, NULL, 0, &passing));
    assert_less(0, passing);
    assert_less(surface_barrier_limit(s, x, to), 1); /* those that do not intersect still collide */
    assert_ok(*state, surface_barrier_begin(s, to, 1, NULL, 0, &passing));
    assert_int_equal(passing, 0);
    surface_barrier_destroy(s);
    ruga_mesh_destroy(mesh);
}

/* A surface at rest stores nothing, however large the reach. */
static void rest_stores_nothing(void **state) {
    ruga_mesh *mesh = sheets_make(*state, 2);
    surface_barrier *s = barrier_make(mesh, 10);
    size_t passing;
    assert_ok(*state, surface_barrier_begin(s, mesh->positions, 1, NULL, 0, &passing));
    assert_true(surface_barrier_term(s)->interface->value(surface_barrier_term(s), mesh->positions) == 0);
    surface_barrier_destroy(s);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_and_products_are_derivatives),
        cmocka_unit_test(distances_curve_as_their_gradients_change),
        cmocka_unit_test(blocks_are_those_of_products),
        cmocka_unit_test(shortened_steps_do_not_intersect),
        cmocka_unit_test(other_surfaces_stop_before_the_own),
        cmocka_unit_test(vertices_that_intersect_pass),
        cmocka_unit_test(rest_stores_nothing),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
