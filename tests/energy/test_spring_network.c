/* Networks of springs: forces, energies, and the material they come from. */
#include <math.h>

#include "energy/sheets.h"
#include "energy/spring_mesh.h"
#include "mesh/mesh.h"
#include "support/shapes.h"

static const spring_phases plain = {1, 1, 0}, two_phase = {0.2, 3, 0.25};

static spring_material material_plain(void) {
    return (spring_material){.stretch = 80, .shear = 20, .bend = 1e-3, .damping_time = 0.01, .phases = {1, 1, 0}};
}

/* A bent and stretched sheet in motion. */
typedef struct fixture {
    ruga_context *context;
    ruga_mesh *mesh;
    spring_network *network;
    vec3 *x, *v, *f;
} fixture;

static fixture make(spring_material material, size_t n, int threads) {
    fixture f = {.context = context_plain(threads)};
    f.mesh = shape_sheet(f.context, n, n);
    assert_ok(f.context, spring_network_of_mesh(f.mesh, &material, &f.network));
    f.x = calloc(f.mesh->vertex_count, sizeof *f.x);
    f.v = calloc(f.mesh->vertex_count, sizeof *f.v);
    f.f = calloc(f.mesh->vertex_count, sizeof *f.f);
    test_random random = {7};
    for (size_t i = 0; i < f.mesh->vertex_count; i++) {
        f.x[i] = vec3_add(f.mesh->positions[i], random_vec3(&random, -0.3 / (double)n, 0.3 / (double)n));
        f.v[i] = random_vec3(&random, -1, 1);
    }
    return f;
}

static void release(fixture *f) {
    free(f->x);
    free(f->v);
    free(f->f);
    spring_network_destroy(f->network);
    ruga_mesh_destroy(f->mesh);
    ruga_context_destroy(f->context);
}

static double forces(fixture *f, int damped, double viscosity) {
    spring_force_pass pass = {
        .positions = f->x, .velocities = f->v, .damped = damped, .viscosity = viscosity, .gain = 1, .out = f->f};
    return spring_network_forces(f->network, &pass);
}

static void assert_force_is_gradient(spring_material material) {
    fixture f = make(material, 3, 1);
    double stored = forces(&f, 0, 0), scale = 0;
    assert_near(stored, spring_network_energy(f.network, f.x), 1e-12 * stored);
    for (size_t i = 0; i < f.mesh->vertex_count; i++) scale = fmax(scale, vec3_length(f.f[i]));
    for (size_t i = 0; i < f.mesh->vertex_count; i++) {
        double *x = &f.x[i].x, *force = &f.f[i].x;
        for (int c = 0; c < 3; c++) {
            double h = 1e-6, before = x[c];
            x[c] = before + h;
            double up = spring_network_energy(f.network, f.x);
            x[c] = before - h;
            double down = spring_network_energy(f.network, f.x);
            x[c] = before;
            assert_less(fabs(force[c] + (up - down) / (2 * h)), 1e-5 * scale);
        }
    }
    release(&f);
}

static void force_is_minus_the_gradient_of_the_energy(void **state) {
    (void)state;
    spring_material material = material_plain();
    assert_force_is_gradient(material);
    material.axial = 1;
    assert_force_is_gradient(material);
    material.phases = two_phase;
    assert_force_is_gradient(material);
}

static void inner_forces_have_neither_sum_nor_moment(void **state) {
    (void)state;
    spring_material material = material_plain();
    material.axial = 1;
    fixture f = make(material, 6, 1);
    forces(&f, 1, 0);
    vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    double size = 0;
    for (size_t i = 0; i < f.mesh->vertex_count; i++) {
        sum = vec3_add(sum, f.f[i]);
        moment = vec3_add(moment, vec3_cross(f.x[i], f.f[i]));
        size += vec3_length(f.f[i]);
    }
    assert_less(vec3_length(sum), 1e-13 * size);
    assert_less(vec3_length(moment), 1e-13 * size);
    release(&f);
}

/* Turned as a whole, and turning. */
static void a_rigid_motion_costs_nothing(void **state) {
    (void)state;
    spring_material material = material_plain();
    material.axial = 1;
    fixture f = make(material, 5, 1);
    double c = cos(0.7), s = sin(0.7);
    for (size_t i = 0; i < f.mesh->vertex_count; i++) {
        vec3 p = f.mesh->positions[i];
        f.x[i] = (vec3){c * p.x - s * p.y + 3, s * p.x + c * p.y - 2, p.z};
        f.v[i] = vec3_cross((vec3){1, 2, 3}, f.x[i]);
    }
    double energy = forces(&f, 1, 0);
    assert_less(energy, 1e-24);
    for (size_t i = 0; i < f.mesh->vertex_count; i++) assert_less(vec3_length(f.f[i]), 1e-11);
    release(&f);
}

static void damping_takes_energy_and_viscosity_too(void **state) {
    (void)state;
    fixture f = make(material_plain(), 5, 1);
    double power[3];
    for (int k = 0; k < 3; k++) {
        forces(&f, k == 1, k == 2 ? 0.01 : 0);
        power[k] = 0;
        for (size_t i = 0; i < f.mesh->vertex_count; i++) power[k] += vec3_dot(f.f[i], f.v[i]);
    }
    assert_less(power[1], power[0]);
    assert_less(power[2], power[1]);
    release(&f);
}

/* The compressed edge: soft down to the limit, hard beyond, without a jump; and the slope is the tangent. */
static void two_phase_tension_is_continuous_and_the_slope_of_its_energy(void **state) {
    (void)state;
    double k = 50, rest = 0.4, kinks[2] = {0.4, 0.3}, h = 1e-7;
    for (int i = 0; i < 2; i++) {
        double below = spring_tension(two_phase, k, rest, kinks[i] - 1e-12);
        double above = spring_tension(two_phase, k, rest, kinks[i] + 1e-12);
        assert_near(below, above, 1e-9);
    }
    for (double l = 0.051; l < 0.6; l += 0.01) {
        double slope = (spring_energy(two_phase, k, rest, l + h) - spring_energy(two_phase, k, rest, l - h)) / (2 * h);
        assert_near(slope, spring_tension(two_phase, k, rest, l), 1e-6);
        double second =
            (spring_tension(two_phase, k, rest, l + h) - spring_tension(two_phase, k, rest, l - h)) / (2 * h);
        assert_near(second, spring_tangent(two_phase, k, rest, l), 1e-5 * k);
    }
    assert_true(spring_tangent(two_phase, k, rest, 0.5) == k);
    assert_true(spring_tangent(two_phase, k, rest, 0.35) == 0.2 * k);
    assert_true(spring_tangent(two_phase, k, rest, 0.2) == 3 * k);
}

/* ---- The material. */

typedef vec3 deformation(vec3 p, double by);
static vec3 stretch_x(vec3 p, double by) { return (vec3){p.x * (1 + by), p.y, p.z}; }
static vec3 stretch_z(vec3 p, double by) { return (vec3){p.x, p.y, p.z * (1 + by)}; }
static vec3 shear_xz(vec3 p, double by) { return (vec3){p.x + by * p.z, p.y, p.z}; }
static vec3 bend_x(vec3 p, double by) { return (vec3){sin(by * p.x) / by, (1 - cos(by * p.x)) / by, p.z}; }
static vec3 bend_z(vec3 p, double by) { return (vec3){p.x, (1 - cos(by * p.z)) / by, sin(by * p.z) / by}; }

/* The modulus C of ½ C strain² per area, of the whole sheet. */
static double modulus(const ruga_mesh *mesh, const spring_network *network, deformation *deform, double by) {
    vec3 *x = malloc(mesh->vertex_count * sizeof *x);
    for (size_t i = 0; i < mesh->vertex_count; i++) x[i] = deform(mesh->positions[i], by);
    double energy = spring_network_energy(network, x);
    free(x);
    return 2 * energy / (by * by * area_of(mesh));
}

static void equilateral_triangles_are_an_isotropic_membrane(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = equilateral_sheet(context, 6, 0.1);
    spring_material material = {.stretch = 80, .phases = plain};
    spring_network *network;
    assert_ok(context, spring_network_of_mesh(mesh, &material, &network));
    /* Poisson's ratio 1/3: Y / (1 - ν²) = 9/8 Y along any direction, and Y / 2 (1 + ν) = 3/8 Y in shear. */
    assert_near(modulus(mesh, network, stretch_x, 1e-6) / 80, 1.125, 1e-4);
    assert_near(modulus(mesh, network, stretch_z, 1e-6) / 80, 1.125, 1e-4);
    assert_near(modulus(mesh, network, shear_xz, 1e-6) / 80, 0.375, 1e-4);
    spring_network_destroy(network);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_grid_of_quads_has_the_stretch_and_the_shear_of_its_material(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = quad_sheet(context, 5, 4, 0.1, 0.05);
    spring_material material = {.stretch = 80, .shear = 20, .phases = plain, .quads = 1};
    spring_network *network;
    assert_ok(context, spring_network_of_mesh(mesh, &material, &network));
    /* Diagonals add G (dx / dz)² along x and G (dz / dx)² along z. */
    assert_near(modulus(mesh, network, stretch_x, 1e-6), (80 + 20 * 4), 0.01);
    assert_near(modulus(mesh, network, stretch_z, 1e-6), (80 + 20 * 0.25), 0.01);
    assert_near(modulus(mesh, network, shear_xz, 1e-6), 20, 0.01);
    spring_network_destroy(network);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* The energy of a cylinder of curvature κ is ½ D κ² per area, in every direction; borders lack hinges. */
static void axial_bending_springs_are_a_plate(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *meshes[2] = {equilateral_sheet(context, 60, 0.01), quad_sheet(context, 60, 60, 0.01, 0.01)};
    for (int k = 0; k < 2; k++) {
        spring_material material = {
            .stretch = 1e-9, .shear = 1e-9, .bend = 1e-3, .phases = plain, .axial = 1, .quads = k == 1};
        spring_network *network;
        assert_ok(context, spring_network_of_mesh(meshes[k], &material, &network));
        double x = modulus(meshes[k], network, bend_x, 0.5) / 1e-3, z = modulus(meshes[k], network, bend_z, 0.5) / 1e-3;
        assert_near(x, 1, 0.05);
        assert_near(z, 1, 0.05);
        spring_network_destroy(network);
        ruga_mesh_destroy(meshes[k]);
    }
    ruga_context_destroy(context);
}

/* Two triangles folded by a right angle: without axial springs the energy is that of the hinge. */
static void bending_springs_have_the_plate_energy_at_a_right_angle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 flat[4] = {{0, 0, 0}, {0, 0, 0.1}, {-0.08, 0, 0.05}, {0.08, 0, 0.05}};
    const uint32_t faces[6] = {0, 2, 1, 0, 1, 3};
    ruga_mesh *mesh = shape_make(context, 4, flat, 2, NULL, faces);
    spring_material material = {.stretch = 1, .bend = 1e-3, .phases = plain};
    spring_network *network;
    assert_ok(context, spring_network_of_mesh(mesh, &material, &network));
    const vec3 folded[4] = {
        flat[0], flat[1], {-0.08 * sqrt(0.5), 0.08 * sqrt(0.5), 0.05}, {0.08 * sqrt(0.5), 0.08 * sqrt(0.5), 0.05}};
    double angle = acos(0), hinge = 1e-3 * 0.1 * 0.1 / (2 * 0.004);
    assert_near(spring_network_energy(network, folded) / (hinge * angle * angle / 2), 1, 1e-9);
    spring_network_destroy(network);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* The constant matrix is never less than the Hessian: E(x + d) <= E(x) - f·d + ½ dᵀ B d, since B bounds it
 * everywhere between. */
static void the_constant_matrix_bounds_the_hessian(void **state) {
    (void)state;
    spring_material material = material_plain();
    material.axial = 1;
    material.phases = two_phase;
    fixture f = make(material, 4, 1);
    const spring_network *n = f.network;
    test_random random = {3};
    vec3 *moved = malloc(n->point_count * sizeof *moved), *step = malloc(n->point_count * sizeof *step);
    for (int round = 0; round < 200; round++) {
        double size = pow(10, random_between(&random, -4, 0.5));
        for (size_t i = 0; i < n->point_count; i++) {
            step[i] = random_vec3(&random, -size, size);
            moved[i] = vec3_add(f.x[i], step[i]);
        }
        double bound = forces(&f, 0, 0);
        for (size_t i = 0; i < n->point_count; i++) {
            bound -= vec3_dot(f.f[i], step[i]);
            for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
                bound += n->bounds[e] * vec3_length2(vec3_sub(step[n->others[e]], step[i])) / 4;
        }
        assert_at_most(spring_network_energy(n, moved), bound * (1 + 1e-12));
    }
    free(moved);
    free(step);
    release(&f);
}

/* ---- Lists. */

static void springs_between_the_same_points_become_one(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const spring springs[4] = {{2, 0, SPRING_BEND, 2, 1, 0.5},
                               {0, 1, SPRING_EDGE, 1, 3, 1},
                               {1, 0, SPRING_EDGE, 1, 5, 1},
                               {0, 2, SPRING_EDGE, 1, 7, 0}};
    spring_network *n;
    assert_ok(context, spring_network_create(context, 3, springs, 4, plain, NULL, 0, &n));
    assert_int_equal(n->spring_count, 3);
    assert_int_equal(n->offsets[1], 4);
    assert_int_equal(n->edge_ends[0], 2);
    const uint32_t others[4] = {1, 2, 2, 0};
    const double stiffness[4] = {8, 7, 1, 0}, damping[4] = {2, 0, 0.5, 0};
    assert_memory_equal(n->others, others, sizeof others);
    assert_memory_equal(n->stiffness, stiffness, sizeof stiffness);
    assert_memory_equal(n->damping, damping, sizeof damping);
    assert_true(n->stiffness_sums[0] == 16 && n->damping_sums[0] == 2.5);

    const vec3 x[3] = {{0, 0, 0}, {1.5, 0, 0}, {0, 3, 0}};
    double energy = spring_network_energy(n, x);
    assert_ok(context, spring_network_set_factor(n, 2));
    assert_true(n->base.revision == 1 && spring_network_energy(n, x) == 2 * energy);
    assert_status(spring_network_set_factor(n, -1), RUGA_ERROR_ARGUMENT);
    spring_network_destroy(n);
    ruga_context_destroy(context);
}

/* All numbers of a network that was changed spring by spring are bit-identical to those of one that was made so. */
static void a_spring_can_be_set_as_if_it_was_made_so(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    spring springs[6] = {{0, 1, SPRING_EDGE, 1, 3, 0.3}, {1, 2, SPRING_EDGE, 1, 5, 0.5},
                         {0, 2, SPRING_BEND, 1, 1, 0.1}, {0, 3, SPRING_EDGE, 1, 7, 0.7},
                         {2, 3, SPRING_EDGE, 2, 4, 0.4}, {1, 3, SPRING_EDGE, 1, 2, 0.2}};
    axial_spring axial = {{0, 2, 1, 3}, {0.25, 0.75, -0.5, -0.5}, 0, 9};
    spring_network *n[2];
    assert_ok(context, spring_network_create(context, 4, springs, 6, two_phase, &axial, 1, &n[0]));
    for (int round = 0; round < 2; round++) {
        springs[1].stiffness = round ? 0.25 : 1e6;
        springs[2].stiffness = round ? 8 : 1e5;
        springs[1].rest_length = 2.5;
        axial.stiffness = round ? 3 : 1e4;
        for (int k = 1; k < 3; k++) {
            springs[k].damping = 0.1 * springs[k].stiffness;
            assert_ok(context, spring_network_set_spring(n[0], springs[k].b, springs[k].a, springs[k].kind,
                                                         springs[k].rest_length, springs[k].stiffness));
        }
        assert_ok(context, spring_network_set_axial(n[0], 0, 0.5, axial.stiffness));
    }
    axial.rest_length = 0.5;
    assert_int_equal(n[0]->base.revision, 6);
    assert_ok(context, spring_network_create(context, 4, springs, 6, two_phase, &axial, 1, &n[1]));
    size_t size = n[0]->entry_count * sizeof(double);
    assert_memory_equal(n[0]->stiffness, n[1]->stiffness, size);
    assert_memory_equal(n[0]->rest_lengths, n[1]->rest_lengths, size);
    assert_memory_equal(n[0]->bounds, n[1]->bounds, size);
    assert_memory_equal(n[0]->stiffness_sums, n[1]->stiffness_sums, 4 * sizeof(double));
    const vec3 x[4] = {{0, 0, 0}, {1.5, 0, 0}, {0, 3, 0}, {1, 1, 1}};
    assert_true(spring_network_energy(n[0], x) == spring_network_energy(n[1], x));

    assert_status(spring_network_set_spring(n[0], 0, 2, SPRING_EDGE, 1, 1), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "no edge spring between the points 0 and 2");
    assert_status(spring_network_set_spring(n[0], 0, 9, SPRING_EDGE, 1, 1), RUGA_ERROR_ARGUMENT);
    assert_status(spring_network_set_spring(n[0], 0, 1, SPRING_EDGE, -1, 1), RUGA_ERROR_ARGUMENT);
    assert_status(spring_network_set_axial(n[0], 1, 0, 1), RUGA_ERROR_ARGUMENT);
    assert_status(spring_network_set_axial(n[0], 0, 0, NAN), RUGA_ERROR_ARGUMENT);
    for (int k = 0; k < 2; k++) spring_network_destroy(n[k]);
    ruga_context_destroy(context);
}

/* Half of the material everywhere is a network of half the stiffness, and half the mass. */
static void shares_scale_stiffness_and_mass(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int quads = 0; quads < 2; quads++) {
        ruga_mesh *mesh = quads ? shape_loaded_sheet(context) : shape_sheet(context, 4, 3);
        spring_material material = material_plain();
        material.axial = 1;
        material.quads = quads;
        double *shares = malloc(mesh->triangle_count * sizeof *shares), masses[2][64];
        for (size_t t = 0; t < mesh->triangle_count; t++) shares[t] = 0.5;
        spring_network *n[2];
        for (int k = 0; k < 2; k++) {
            material.shares = k ? shares : NULL;
            assert_ok(context, spring_network_of_mesh(mesh, &material, &n[k]));
            assert_ok(context, spring_mesh_masses(mesh, 0.2, material.shares, masses[k]));
        }
        for (size_t e = 0; e < n[0]->entry_count; e++) assert_true(n[1]->stiffness[e] == n[0]->stiffness[e] / 2);
        for (size_t k = 0; k < n[0]->axial_count; k++)
            assert_true(n[1]->axial[k].stiffness == n[0]->axial[k].stiffness / 2);
        for (size_t i = 0; i < mesh->vertex_count; i++) assert_near(masses[1][i], masses[0][i] / 2, 1e-15);
        shares[1] = 0;
        spring_network *none = NULL;
        assert_status(spring_network_of_mesh(mesh, &material, &none), RUGA_ERROR_INPUT);
        assert_message_has(context, "triangle 1 has a share of 0");
        for (int k = 0; k < 2; k++) spring_network_destroy(n[k]);
        free(shares);
        ruga_mesh_destroy(mesh);
    }
    ruga_context_destroy(context);
}

/* Two triangles of areas 2 and 1 with shares 0.3 and 0.9: their hinge has (2 · 0.3 + 1 · 0.9) / 3 = 0.5 of the
 * stiffness. */
static void a_hinge_has_the_mean_share_of_its_triangles(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 x[4] = {{0, 0, 0}, {0, 2, 0}, {-2, 0, 0}, {1, 0, 0}};
    const uint32_t faces[6] = {0, 1, 2, 0, 3, 1};
    const double shares[2] = {0.3, 0.9};
    ruga_mesh *mesh = shape_make(context, 4, x, 2, NULL, faces);
    spring_material material = material_plain();
    spring_network *n[2];
    for (int k = 0; k < 2; k++) {
        material.shares = k ? shares : NULL;
        assert_ok(context, spring_network_of_mesh(mesh, &material, &n[k]));
    }
    size_t bend = n[0]->edge_ends[2];
    assert_int_equal(n[0]->others[bend], 3);
    assert_near(n[1]->stiffness[bend] / n[0]->stiffness[bend], 0.5, 1e-12);
    for (int k = 0; k < 2; k++) spring_network_destroy(n[k]);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void damping_in_proportion_needs_no_array(void **state) {
    (void)state;
    fixture f = make(material_plain(), 3, 1);
    assert_null(f.network->damping);
    assert_near(f.network->damping_time, 0.01, 1e-15);
    spring_weights weights = spring_network_weights(f.network, 0.1);
    assert_near(weights.stiffness, (0.01 + 0.001), 1e-15);
    release(&f);
}

/* All instruction sets and numbers of threads. */
static void sums_are_bit_identical_on_every_path(void **state) {
    (void)state;
    uint64_t hashes[8], count = 0;
    static const ruga_isa sets[] = {RUGA_ISA_SCALAR, RUGA_ISA_SSE4, RUGA_ISA_AVX2, RUGA_ISA_AVX512};
    for (int k = 0; k < 6; k++) {
        spring_material material = material_plain();
        material.axial = 1;
        material.phases = two_phase;
        fixture f = make(material, 40, k < 4 ? 1 : k == 4 ? 2 : 7);
        if (k < 4) {
            ruga_context_def def = ruga_context_def_default();
            def.isa = sets[k];
            ruga_context *probe;
            if (RUGA_FAILED(ruga_context_create(&def, &probe))) {
                release(&f);
                continue;
            }
            ruga_context_destroy(probe);
            f.context->isa = sets[k];
        }
        double energy = forces(&f, 1, 0.01);
        spring_value *values[3];
        vec3 *out = calloc(f.mesh->vertex_count, sizeof *out), *vectors[3] = {f.f, f.v, f.x};
        for (int a = 0; a < 3; a++) {
            values[a] = memory_allocate_aligned(f.context, f.mesh->vertex_count, sizeof *values[a]);
            for (size_t i = 0; i < f.mesh->vertex_count; i++) values[a][i] = (spring_value){vectors[a][i], 1e3};
        }
        spring_sweep_pass sweep = {.in = values[0],
                                   .first = values[1],
                                   .weights = spring_network_weights(f.network, 0.01),
                                   .over = 1.5,
                                   .previous = values[2],
                                   .base = f.v,
                                   .out = out};
        spring_network_sweep(f.network, &sweep);
        uint64_t hash = 14695981039346656037u;
        const unsigned char *bytes = (const unsigned char *)out;
        for (size_t i = 0; i < f.mesh->vertex_count * sizeof *out; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
        hashes[count++] = hash ^ (uint64_t)(energy * 1e12);
        for (int a = 0; a < 3; a++) memory_release_aligned(f.context, values[a]);
        free(out);
        release(&f);
    }
    assert_at_most(3, count);
    for (uint64_t k = 1; k < count; k++) assert_true(hashes[k] == hashes[0]);
}

/* ---- Bad input. */

static void what_can_not_be_is_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    spring_network *n;
    const spring bad[6] = {{0, 9, SPRING_EDGE, 1, 1, 0},  {1, 1, SPRING_EDGE, 1, 1, 0},
                           {0, 1, SPRING_EDGE, 1, 0, 0},  {0, 1, SPRING_EDGE, -1, 1, 0},
                           {0, 1, SPRING_EDGE, 1, 1, -1}, {0, 1, SPRING_EDGE, 1, NAN, 0}};
    for (int k = 0; k < 6; k++) {
        assert_status(spring_network_create(context, 2, &bad[k], 1, plain, NULL, 0, &n), RUGA_ERROR_INPUT);
        assert_message_has(context, "spring 0");
    }
    const spring good = {0, 1, SPRING_EDGE, 1, 1, 0};
    assert_status(spring_network_create(context, 2, &good, 1, (spring_phases){1, 2, 1}, NULL, 0, &n), RUGA_ERROR_INPUT);
    assert_message_has(context, "limit of 1");
    axial_spring axial[3] = {{{0, 1, 2, 5}, {0.5, 0.5, -0.5, -0.5}, 0, 1},
                             {{0, 1, 2, 3}, {0.5, 0.5, -0.5, -0.5}, 0, 0},
                             {{0, 1, 2, 3}, {0.5, 0.5, -0.5, -0.5}, 0, 1}};
    const char *parts[3] = {"point 5", "stiffness of 0", "between the points 0 and 2"};
    for (int k = 0; k < 3; k++) {
        assert_status(spring_network_create(context, 4, &good, 1, plain, &axial[k], 1, &n), RUGA_ERROR_INPUT);
        assert_message_has(context, parts[k]);
    }
    ruga_context_destroy(context);
}

static void meshes_and_materials_that_make_no_cloth_are_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    const uint32_t flat[3] = {0, 1, 2}, loose[3] = {0, 1, 3}, all[6] = {0, 1, 3, 0, 1, 2};
    const struct {
        size_t faces;
        const uint32_t *corners;
        const char *part;
    } meshes[3] = {{1, flat, "vertex 3"}, {1, loose, "vertex 2"}, {2, all, "triangle 1 (vertices 0, 1, 2)"}};
    spring_material material = material_plain();
    spring_network *n;
    for (int k = 0; k < 3; k++) {
        ruga_mesh *mesh = shape_make(context, 4, points, meshes[k].faces, NULL, meshes[k].corners);
        assert_status(spring_network_of_mesh(mesh, &material, &n), RUGA_ERROR_INPUT);
        assert_message_has(context, meshes[k].part);
        ruga_mesh_destroy(mesh);
    }
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    material.stretch = 0;
    assert_status(spring_network_of_mesh(mesh, &material, &n), RUGA_ERROR_INPUT);
    assert_message_has(context, "stretch is 0 N/m");
    material = material_plain();
    material.bend = -1;
    assert_status(spring_network_of_mesh(mesh, &material, &n), RUGA_ERROR_INPUT);
    assert_message_has(context, "bend is -1 N m");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status build_network(ruga_context *context, void *user) {
    (void)user;
    ruga_mesh_def def = ruga_mesh_def_default();
    vec3 points[9];
    uint32_t sizes[4] = {4, 4, 4, 4}, faces[16] = {0, 3, 4, 1, 1, 4, 5, 2, 3, 6, 7, 4, 4, 7, 8, 5};
    for (int i = 0; i < 9; i++) points[i] = (vec3){i % 3, 0, i / 3};
    def.positions = (ruga_view){points, 9, 0, RUGA_F64};
    def.face_count = 4;
    def.face_sizes = sizes;
    def.face_vertices = faces;
    ruga_mesh *mesh;
    TRY(ruga_mesh_create(context, &def, &mesh));
    spring_material material = material_plain();
    material.axial = material.quads = 1;
    spring_network *n = NULL;
    ruga_status status = spring_network_of_mesh(mesh, &material, &n);
    spring_network_destroy(n);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(build_network, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_minus_the_gradient_of_the_energy),
        cmocka_unit_test(inner_forces_have_neither_sum_nor_moment),
        cmocka_unit_test(a_rigid_motion_costs_nothing),
        cmocka_unit_test(damping_takes_energy_and_viscosity_too),
        cmocka_unit_test(two_phase_tension_is_continuous_and_the_slope_of_its_energy),
        cmocka_unit_test(equilateral_triangles_are_an_isotropic_membrane),
        cmocka_unit_test(a_grid_of_quads_has_the_stretch_and_the_shear_of_its_material),
        cmocka_unit_test(axial_bending_springs_are_a_plate),
        cmocka_unit_test(bending_springs_have_the_plate_energy_at_a_right_angle),
        cmocka_unit_test(the_constant_matrix_bounds_the_hessian),
        cmocka_unit_test(springs_between_the_same_points_become_one),
        cmocka_unit_test(a_spring_can_be_set_as_if_it_was_made_so),
        cmocka_unit_test(shares_scale_stiffness_and_mass),
        cmocka_unit_test(a_hinge_has_the_mean_share_of_its_triangles),
        cmocka_unit_test(damping_in_proportion_needs_no_array),
        cmocka_unit_test(sums_are_bit_identical_on_every_path),
        cmocka_unit_test(what_can_not_be_is_named),
        cmocka_unit_test(meshes_and_materials_that_make_no_cloth_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
