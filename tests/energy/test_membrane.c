/* The laws of woven membranes: rest, rigid motions, the stretch and shear of their material in every direction, the
 * strain limit, threads. test_energy.c has derivatives, definiteness and momenta. */
#include "energy/membrane.h"

#include "energy/sheets.h"
#include "energy/spring_mesh.h"
#include "energy/strain_limit.h"
#include "energy/warp.h"

static const membrane_material woven = {.warp = 80, .weft = 30, .poisson = 0.25, .shear = 6};

static membrane *make(const ruga_mesh *mesh, const membrane_material *material, vec3 direction) {
    vec3 *warps = malloc(mesh->triangle_count * sizeof *warps);
    warp_report report;
    membrane *m = NULL;
    assert_non_null(warps);
    assert_ok(mesh->context, warp_of_mesh(mesh, direction, warps, &report));
    assert_ok(mesh->context, membrane_create(mesh, material, warps, NULL, &m));
    free(warps);
    return m;
}

static vec3 turned(vec3 p) {
    double c = cos(0.7), s = sin(0.7), a = cos(1.9), b = sin(1.9);
    p = (vec3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
    return (vec3){p.x + 3, a * p.y - b * p.z - 1, b * p.y + a * p.z + 0.5};
}

static void rest_and_rigid_motions_store_nothing_and_the_energy_does_not_depend_on_them(void **state) {
    ruga_mesh *mesh = shape_cylinder(*state, 12, 5);
    membrane *m = make(mesh, &woven, (vec3){NAN, 0, 0});
    test_random random = {5};
    vec3 x[100], y[100], g[100] = {{0, 0, 0}};
    assert_at_most(mesh->vertex_count, 100);
    assert_near(membrane_interface.value(&m->base, mesh->positions), 0, 1e-25);
    for (size_t i = 0; i < mesh->vertex_count; i++) x[i] = turned(mesh->positions[i]);
    assert_near(membrane_interface.value(&m->base, x), 0, 1e-25);
    membrane_interface.add_gradient(&m->base, x, 1, g);
    for (size_t i = 0; i < mesh->vertex_count; i++) assert_less(vec3_length(g[i]), 1e-12);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        x[i] = vec3_add(mesh->positions[i], random_vec3(&random, -0.1, 0.1));
        y[i] = turned(x[i]);
    }
    double energy = membrane_interface.value(&m->base, x);
    assert_less(0.1, energy);
    assert_near(membrane_interface.value(&m->base, y) / energy, 1, 1e-12);
    membrane_destroy(m);
    ruga_mesh_destroy(mesh);
}

/* ---- Strips. */

/* Energy per area of a sheet in the plane that is pulled by `by` along an angle, and contracts across by `across`. */
static double pulled(const ruga_mesh *mesh, energy_term *term, double angle, double by, double across) {
    vec3 *x = malloc(mesh->vertex_count * sizeof *x);
    double c = cos(angle), s = sin(angle);
    assert_non_null(x);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vec3 p = mesh->positions[i];
        double along = (c * p.x + s * p.z) * (1 + by), beside = (c * p.z - s * p.x) * (1 + across);
        x[i] = (vec3){c * along - s * beside, 0, s * along + c * beside};
    }
    double energy = term->interface->value(term, x) / area_of(mesh);
    free(x);
    return energy;
}

/* The same with sides that are free: least over `across`, by golden section. */
static double pulled_freely(const ruga_mesh *mesh, energy_term *term, double angle, double by, double *across) {
    double low = -0.5, high = 0.5, ratio = (sqrt(5) - 1) / 2;
    for (int k = 0; k < 60; k++) {
        double a = high - ratio * (high - low), b = low + ratio * (high - low);
        if (pulled(mesh, term, angle, by, a) < pulled(mesh, term, angle, by, b))
            high = b;
        else
            low = a;
    }
    *across = (low + high) / 2;
    return pulled(mesh, term, angle, by, *across);
}

/* Tension, N per m of width, over the strain. */
static double stiffness_along(const ruga_mesh *mesh, energy_term *term, double angle, double strain) {
    double h = strain / 100, across;
    double more = pulled_freely(mesh, term, angle, strain + h, &across);
    double less = pulled_freely(mesh, term, angle, strain - h, &across);
    return (more - less) / (2 * h) / strain;
}

static void a_pulled_strip_has_the_stretch_of_its_material_with_springs_and_membrane(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 6, 0.1);
    membrane *m = make(mesh, &woven, (vec3){1, 0, 0});
    spring_network *springs;
    const spring_material isotropic = {.stretch = 80, .phases = {1, 1, 0}};
    assert_ok(*state, spring_network_of_mesh(mesh, &isotropic, &springs));
    double right = acos(0), across;
    assert_near(stiffness_along(mesh, &m->base, 0, 0.05), 80, 0.01);
    assert_near(stiffness_along(mesh, &m->base, right, 0.05), 30, 0.01);
    assert_near(stiffness_along(mesh, &springs->base, 0, 0.01), 80, 0.03 * 80);
    assert_near(stiffness_along(mesh, &springs->base, right, 0.01), 80, 0.03 * 80);
    /* A warp of 0.01 contracts the weft by ν √(Y / Z). */
    pulled_freely(mesh, &m->base, 0, 0.01, &across);
    assert_near(across, -0.01 * 0.25 * sqrt(80.0 / 30), 1e-5);
    spring_network_destroy(springs);
    membrane_destroy(m);
    ruga_mesh_destroy(mesh);
}

/* On the bias 1 / E = (2 (1 - ν) / Y + 1 / G) / 4 for small strains and equal yarns: it shears. */
static void a_strip_on_the_bias_stretches_by_shear(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 6, 0.1);
    const membrane_material even = {.warp = 80, .weft = 80, .poisson = 0.25, .shear = 6};
    membrane *m = make(mesh, &even, (vec3){1, 0, 0});
    double bias = acos(0) / 2, expected = 4 / (2 * 0.75 / 80 + 1.0 / 6);
    assert_near(stiffness_along(mesh, &m->base, bias, 1e-3) / expected, 1, 0.01);
    assert_less(stiffness_along(mesh, &m->base, bias, 0.05), 0.4 * stiffness_along(mesh, &m->base, 0, 0.05));
    membrane_destroy(m);
    ruga_mesh_destroy(mesh);
}

static void shear_has_the_stiffness_of_quads(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 4, 0.1);
    membrane *m = make(mesh, &woven, (vec3){1, 0, 0});
    vec3 x[25];
    for (size_t i = 0; i < mesh->vertex_count; i++)
        x[i] = (vec3){mesh->positions[i].x + 1e-4 * mesh->positions[i].z, 0, mesh->positions[i].z};
    assert_near(2 * membrane_interface.value(&m->base, x) / (1e-8 * area_of(mesh)), 6, 1e-5);
    membrane_destroy(m);
    ruga_mesh_destroy(mesh);
}

/* The stiffness is that of the material, not of the mesh. */
static void the_energy_does_not_depend_on_the_mesh(void **state) {
    ruga_mesh *meshes[2] = {shape_sheet(*state, 2, 3), shape_sheet(*state, 9, 5)};
    double energies[2];
    for (int k = 0; k < 2; k++) {
        membrane *m = make(meshes[k], &woven, (vec3){1, 0, 0.4});
        energies[k] = pulled(meshes[k], &m->base, 0.3, 0.1, -0.05);
        membrane_destroy(m);
        ruga_mesh_destroy(meshes[k]);
    }
    assert_near(energies[0] / energies[1], 1, 1e-12);
}

/* ---- The strain limit. */

/* Below the limit nothing changes; beyond the ramp the tension grows with both stiffnesses. */
static void a_strain_limit_adds_its_stiffness_beyond_it_alone(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 4, 0.1);
    membrane_material limited = woven;
    limited.limit = 0.03;
    limited.hard = 1000;
    membrane *m = make(mesh, &woven, (vec3){1, 0, 0}), *with = make(mesh, &limited, (vec3){1, 0, 0});
    double h = 1e-5, plane = 1 / (1 - 0.25 * 0.25);
    assert_equal(pulled(mesh, &with->base, 0, 0.0299, 0), pulled(mesh, &m->base, 0, 0.0299, 0));
    assert_less(pulled(mesh, &m->base, 0, 0.035, 0), pulled(mesh, &with->base, 0, 0.035, 0));
    for (double strain = 0.05; strain < 0.5; strain += 0.1) {
        double tension =
            (pulled(mesh, &with->base, 0, strain + h, 0) - pulled(mesh, &with->base, 0, strain - h, 0)) / (2 * h);
        assert_near(tension, 80 * plane * strain + 1000 * (strain - 0.03 - LIMIT_RAMP / 2), 1e-5);
    }
    vec3 x[25];
    for (size_t i = 0; i < mesh->vertex_count; i++)
        x[i] = (vec3){mesh->positions[i].x, 0.3 * mesh->positions[i].x, mesh->positions[i].z};
    membrane_strain strain = membrane_strain_of(m, 3, x);
    assert_near(strain.warp, sqrt(1.09) - 1, 1e-12);
    assert_near(strain.weft, 0, 1e-12);
    assert_near(strain.shear, 0, 1e-12);
    membrane_destroy(m);
    membrane_destroy(with);
    ruga_mesh_destroy(mesh);
}

/* Tension of the limit alone, N/m, of a sheet that is pulled along an angle. */
static double limit_tension(const ruga_mesh *mesh, membrane *with, membrane *without, double angle, double strain) {
    double h = 1e-5;
    double more = pulled(mesh, &with->base, angle, strain + h, 0) - pulled(mesh, &without->base, angle, strain + h, 0);
    double less = pulled(mesh, &with->base, angle, strain - h, 0) - pulled(mesh, &without->base, angle, strain - h, 0);
    return (more - less) / (2 * h);
}

/* Along the yarns, on the bias and between: one limit and one stiffness beyond it. */
static void a_strain_limit_is_the_same_in_every_direction(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 4, 0.1);
    membrane_material limited = woven;
    limited.limit = 0.03;
    limited.hard = 1000;
    membrane *m = make(mesh, &woven, (vec3){1, 0, 0}), *with = make(mesh, &limited, (vec3){1, 0, 0});
    for (int k = 0; k < 12; k++) {
        double angle = k * acos(-1) / 12;
        assert_near_case(limit_tension(mesh, with, m, angle, 0.029), 0, 1e-9, "angle %g", angle);
        assert_near_case(limit_tension(mesh, with, m, angle, 0.1), 1000 * (0.1 - 0.03 - LIMIT_RAMP / 2), 1e-5,
                         "angle %g", angle);
    }
    /* A sheet that is as much longer in both directions has no principal ones; forces balance all the same. */
    vec3 x[25], g[25] = {{0, 0, 0}}, sum = {0, 0, 0};
    for (size_t i = 0; i < mesh->vertex_count; i++) x[i] = vec3_scale(mesh->positions[i], 1.2);
    membrane_interface.add_gradient(&with->base, x, 1, g);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        assert_true(vec3_is_finite(g[i]));
        sum = vec3_add(sum, g[i]);
    }
    assert_less(vec3_length(sum), 1e-10);
    membrane_destroy(m);
    membrane_destroy(with);
    ruga_mesh_destroy(mesh);
}

/* Near a line a triangle pushes back harder than everything else pulls; at more than a fifth of its area it has no such
 * force. */
static void a_triangle_resists_collapse_at_little_area_alone(void **state) {
    const uint32_t faces[3] = {0, 1, 2};
    vec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}};
    const vec3 warp = {1, 0, 0};
    ruga_mesh *mesh = shape_make(*state, 3, x, 1, NULL, faces);
    membrane_material material = {.warp = 10, .weft = 10, .poisson = 0.3, .shear = 4};
    membrane *m[2];
    for (int k = 0; k < 2; k++, material.collapse = 10)
        assert_ok(*state, membrane_create(mesh, &material, &warp, NULL, &m[k]));
    for (double height = 1; height > 1e-4; height *= 0.7) {
        vec3 g[2][3] = {{{0, 0, 0}}};
        x[2].y = height;
        for (int k = 0; k < 2; k++) membrane_interface.add_gradient(&m[k]->base, x, 1, g[k]);
        const double more = g[0][2].y - g[1][2].y;
        if (height > 0.2)
            assert_equal(more, 0);
        else
            assert_less(0, more);
        if (height < 1e-3) assert_less(10 * material.warp, more);
    }
    for (int k = 0; k < 2; k++) membrane_destroy(m[k]);
    ruga_mesh_destroy(mesh);
}

static void the_elongation_of_a_triangle_is_the_greatest_of_all_directions(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 1, 1);
    membrane *m = make(mesh, &woven, (vec3){1, 0, 0});
    test_random random = {4};
    for (int k = 0; k < 50; k++) {
        vec3 x[4], u, v;
        double most = 0;
        for (size_t i = 0; i < 4; i++) x[i] = vec3_add(mesh->positions[i], random_vec3(&random, -0.5, 0.5));
        const uint32_t *c = mesh->triangles;
        vec3 a = vec3_sub(mesh->positions[c[1]], mesh->positions[c[0]]);
        vec3 b = vec3_sub(mesh->positions[c[2]], mesh->positions[c[0]]);
        double area = a.x * b.z - a.z * b.x;
        u = vec3_sub(x[c[1]], x[c[0]]);
        v = vec3_sub(x[c[2]], x[c[0]]);
        for (int step = 0; step < 2000; step++) {
            double angle = step * acos(-1) / 2000, s = cos(angle), t = sin(angle);
            /* The direction (s, t) of the plane is p a + q b. */
            double p = (s * b.z - t * b.x) / area, q = (t * a.x - s * a.z) / area;
            most = fmax(most, vec3_length(vec3_add_scaled(vec3_scale(u, p), v, q)));
        }
        assert_near(membrane_elongation(m, 0, x), most - 1, 1e-5 * most);
    }
    membrane_destroy(m);
    ruga_mesh_destroy(mesh);
}

/* ---- Threads and input. */

static void the_bits_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    enum { POINTS = 51 * 51 };
    static vec3 x[POINTS], results[3][POINTS];
    double energies[3];
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        ruga_mesh *mesh = shape_sheet(context, 50, 50);
        membrane *m = make(mesh, &woven, (vec3){1, 0, 0});
        vec3 *out = results[threads - 1];
        test_random random = {9};
        for (size_t i = 0; i < POINTS; i++) {
            x[i] = vec3_add(mesh->positions[i], random_vec3(&random, -0.01, 0.01));
            out[i] = (vec3){0, 0, 0};
        }
        energies[threads - 1] = membrane_interface.value(&m->base, x);
        membrane_interface.add_gradient(&m->base, x, 1, out);
        assert_ok(context, membrane_interface.linearise(&m->base, x, (energy_weights){1, 1}, 1));
        membrane_interface.add_product(&m->base, 1, x, out);
        membrane_destroy(m);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    for (int k = 1; k < 3; k++) {
        assert_memory_equal(results[k], results[0], sizeof results[0]);
        assert_equal(energies[k], energies[0]);
    }
}

static void bad_materials_triangles_and_warps_are_named(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 1, 1);
    const vec3 flat[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const uint32_t face[3] = {0, 1, 2};
    ruga_mesh *sliver = shape_make(*state, 3, flat, 1, NULL, face);
    vec3 warps[2] = {{1, 0, 0}, {1, 0, 0}}, across[2] = {{1, 0, 0}, {0, 1, 0}};
    double shares[2] = {1, 0};
    membrane *m = NULL;
    membrane_material bad = woven;
    bad.limit = -0.1;
    assert_status(membrane_create(mesh, &bad, warps, NULL, &m), RUGA_ERROR_INPUT);
    assert_message_has(*state, "strain limit is -0.1");
    bad = woven;
    bad.poisson = 1;
    assert_status(membrane_create(mesh, &bad, warps, NULL, &m), RUGA_ERROR_INPUT);
    assert_message_has(*state, "Poisson");
    bad = woven;
    bad.shear = 0;
    assert_status(membrane_create(mesh, &bad, warps, NULL, &m), RUGA_ERROR_INPUT);
    assert_message_has(*state, "shear is 0 N/m");
    assert_status(membrane_create(sliver, &woven, warps, NULL, &m), RUGA_ERROR_INPUT);
    assert_message_has(*state, "triangle 0 (vertices 0, 1, 2)");
    assert_status(membrane_create(mesh, &woven, warps, shares, &m), RUGA_ERROR_INPUT);
    assert_message_has(*state, "triangle 1");
    assert_status(membrane_create(mesh, &woven, across, NULL, &m), RUGA_ERROR_INPUT);
    assert_message_has(*state, "warp of triangle 1");
    assert_null(m);
    assert_ok(*state, membrane_create(mesh, &woven, warps, NULL, &m));
    assert_status(membrane_set_factor(m, -1), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "-1");
    membrane_destroy(m);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(sliver);
}

static ruga_status create_and_linearise(ruga_context *context, void *user) {
    (void)user;
    const vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, warp = {1, 0, 0};
    const uint32_t face[3] = {0, 1, 2};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){.data = (void *)points, .count = 3, .stride = sizeof *points, .type = RUGA_F64};
    def.face_count = 1;
    def.face_vertices = face;
    ruga_mesh *mesh;
    membrane *m = NULL;
    TRY(ruga_mesh_create(context, &def, &mesh));
    ruga_status status = membrane_create(mesh, &woven, &warp, NULL, &m);
    if (!RUGA_FAILED(status))
        status = membrane_interface.linearise(&m->base, mesh->positions, (energy_weights){1, 0}, 1);
    membrane_destroy(m);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(create_and_linearise, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_and_rigid_motions_store_nothing_and_the_energy_does_not_depend_on_them),
        cmocka_unit_test(a_pulled_strip_has_the_stretch_of_its_material_with_springs_and_membrane),
        cmocka_unit_test(a_strip_on_the_bias_stretches_by_shear),
        cmocka_unit_test(shear_has_the_stiffness_of_quads),
        cmocka_unit_test(the_energy_does_not_depend_on_the_mesh),
        cmocka_unit_test(a_strain_limit_adds_its_stiffness_beyond_it_alone),
        cmocka_unit_test(a_strain_limit_is_the_same_in_every_direction),
        cmocka_unit_test(a_triangle_resists_collapse_at_little_area_alone),
        cmocka_unit_test(the_elongation_of_a_triangle_is_the_greatest_of_all_directions),
        cmocka_unit_test(the_bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(bad_materials_triangles_and_warps_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
