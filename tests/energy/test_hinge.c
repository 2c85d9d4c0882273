/* The laws of hinges: the plate's energy, angles at rest, folds beyond half a turn, friction, flat triangles, threads.
 * test_energy.c has derivatives, definiteness and momenta. */
#include "energy/hinge_pairs.h"

#include "energy/sheets.h"
#include "energy/spring_mesh.h"

#define PI 3.14159265358979323846

static const hinge_material plate = {.bend = 1e-3};

static hinges *make(const ruga_mesh *mesh) {
    hinges *h = NULL;
    assert_ok(mesh->context, hinges_create(mesh, &plate, NULL, &h));
    return h;
}

/* Two triangles at an edge along z, the second turned up by an angle. */
static void fold_by(double angle, vec3 out[4]) {
    const vec3 points[4] = {{0, 0, 0}, {0, 0, 0.1}, {-0.08, 0, 0.05}, {0.08 * cos(angle), 0.08 * sin(angle), 0.05}};
    memcpy(out, points, sizeof points);
}

static ruga_mesh *folded_mesh(ruga_context *context, double angle) {
    const uint32_t faces[6] = {0, 1, 2, 0, 3, 1};
    vec3 points[4];
    fold_by(angle, points);
    return shape_make(context, 4, points, 2, NULL, faces);
}

/* ½ D κ² per area for a cylinder of curvature κ along any direction; borders lack hinges. On equilateral triangles, and
 * on squares that are all cut along the same diagonal. */
static void a_cylinder_has_the_energy_of_a_plate_in_every_direction(void **state) {
    for (int squares = 0; squares < 2; squares++) {
        ruga_mesh *mesh = squares ? quad_sheet(*state, 60, 60, 0.01, 0.01) : equilateral_sheet(*state, 60, 0.01);
        hinges *h = make(mesh);
        vec3 *x = malloc(mesh->vertex_count * sizeof *x);
        assert_non_null(x);
        for (int k = 0; k < 12; k++) {
            double c = cos(PI * k / 12), s = sin(PI * k / 12), bend = 0.5;
            for (size_t i = 0; i < mesh->vertex_count; i++) {
                vec3 p = mesh->positions[i];
                double along = c * p.x + s * p.z, across = c * p.z - s * p.x, round = sin(bend * along) / bend;
                x[i] = (vec3){c * round - s * across, (1 - cos(bend * along)) / bend, s * round + c * across};
            }
            double ratio = hinges_interface.value(&h->base, x) / (plate.bend * bend * bend / 2 * area_of(mesh));
            assert_near_case(ratio, 1, 0.04, "squares %d, direction %d", squares, k);
        }
        free(x);
        hinges_destroy(h);
        ruga_mesh_destroy(mesh);
    }
}

/* A fold of a right angle stores as much as a bending spring of the same material. */
static void a_right_angle_stores_what_a_bending_spring_does(void **state) {
    ruga_mesh *mesh = folded_mesh(*state, 0);
    hinges *h = make(mesh);
    spring_network *springs;
    const spring_material material = {.stretch = 1e-9, .bend = plate.bend, .phases = {1, 1, 0}};
    assert_ok(*state, spring_network_of_mesh(mesh, &material, &springs));
    vec3 x[4];
    fold_by(PI / 2, x);
    assert_near(hinges_interface.value(&h->base, x) / spring_network_energy(springs, x), 1, 1e-6);
    spring_network_destroy(springs);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

static void angles_have_the_sign_of_their_side_and_differences_stay_within_half_a_turn(void **state) {
    const uint32_t points[4] = {0, 1, 2, 3};
    vec3 x[4];
    for (int degrees = -170; degrees <= 170; degrees += 20) {
        fold_by(PI * degrees / 180, x);
        double angle = hinge_angle(points, x);
        assert_near(fabs(angle), fabs(PI * degrees / 180), 1e-12);
        fold_by(-PI * degrees / 180, x);
        assert_near(hinge_angle(points, x), -angle, 1e-12);
    }
    /* Folded by 170 degrees at rest, and by 170 to the other side: 20 degrees beyond half a turn. */
    ruga_mesh *mesh = folded_mesh(*state, PI * 170 / 180);
    hinges *h = make(mesh);
    fold_by(-PI * 170 / 180, x);
    double turn = PI * 20 / 180;
    assert_near(hinges_interface.value(&h->base, x) / (h->hinges[0].stiffness * turn * turn / 2), 1, 1e-9);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

/* Where a hinge turns by more than half a turn, its angle changes its sign: the energy must not jump. */
static void the_energy_does_not_jump_at_half_a_turn(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 4, 4);
    hinges *h = make(mesh);
    test_random random = {3};
    vec3 x[25], noise[25];
    double last = 0, most = 0, jump = 0;
    for (size_t i = 0; i < 25; i++) noise[i] = random_vec3(&random, -0.03, 0.03);
    for (int k = 0; k <= 4000; k++) {
        /* The halves beside the middle column meet below it, and pass through each other. */
        const double angle = PI / 2 + 0.4 * (k - 2000) / 2000, middle = mesh->positions[2].x;
        for (size_t i = 0; i < 25; i++) {
            const double side = mesh->positions[i].x - middle;
            const vec3 folded = {side * cos(angle), -fabs(side) * sin(angle), mesh->positions[i].z};
            x[i] = vec3_add(folded, noise[i]);
        }
        const double energy = hinges_interface.value(&h->base, x);
        if (k > 0) jump = fmax(jump, fabs(energy - last));
        most = fmax(most, energy);
        last = energy;
    }
    assert_less(jump, 2e-3 * most);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

/* A folded mesh is at rest as it is: no forces. Unfolded it is drawn back to where it was. */
static void rest_angles_hold_a_folded_shape(void **state) {
    ruga_mesh *round = shape_cylinder(*state, 12, 3), *folded = folded_mesh(*state, 1);
    hinges *h = make(round), *two = make(folded);
    vec3 g[60] = {{0, 0, 0}}, x[4], pull[4] = {{0, 0, 0}};
    assert_at_most(round->vertex_count, 60);
    assert_equal(hinges_interface.value(&h->base, round->positions), 0);
    hinges_interface.add_gradient(&h->base, round->positions, 1, g);
    for (size_t i = 0; i < round->vertex_count; i++) assert_less(vec3_length(g[i]), 1e-12);
    fold_by(0, x);
    assert_near(hinges_interface.value(&two->base, x), two->hinges[0].stiffness / 2, 1e-12);
    hinges_interface.add_gradient(&two->base, x, -1, pull);
    for (int k = 2; k < 4; k++) assert_less_case(1e-3, pull[k].y, "k %d", k);
    hinges_destroy(h);
    hinges_destroy(two);
    ruga_mesh_destroy(round);
    ruga_mesh_destroy(folded);
}

/* Forces are finite, and keep both momenta, where a triangle has lost nearly all of its height. */
static void flattened_triangles_have_bounded_forces(void **state) {
    ruga_mesh *mesh = folded_mesh(*state, 0);
    hinges *h = make(mesh);
    double most = 0;
    for (double height = 0.08; height > 1e-12; height /= 2) {
        vec3 x[4], g[4] = {{0, 0, 0}}, sum = {0, 0, 0}, moment = {0, 0, 0};
        fold_by(1, x);
        x[2].x = -height;
        hinges_interface.add_gradient(&h->base, x, 1, g);
        for (int i = 0; i < 4; i++) {
            sum = vec3_add(sum, g[i]);
            moment = vec3_add(moment, vec3_cross(x[i], g[i]));
            most = fmax(most, vec3_length(g[i]));
        }
        assert_less(vec3_length(sum), 1e-14);
        assert_less(vec3_length(moment), 1e-14);
    }
    assert_less(most, 25 * h->hinges[0].stiffness / 0.08);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

static void the_bits_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    enum { POINTS = 51 * 51 };
    static vec3 x[POINTS], results[3][POINTS];
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        ruga_mesh *mesh = shape_sheet(context, 50, 50);
        hinges *h = make(mesh);
        vec3 *out = results[threads - 1];
        test_random random = {9};
        for (size_t i = 0; i < POINTS; i++) {
            x[i] = vec3_add(mesh->positions[i], random_vec3(&random, -0.01, 0.01));
            out[i] = (vec3){0, 0, 0};
        }
        hinges_interface.add_gradient(&h->base, x, 1, out);
        assert_ok(context, hinges_interface.linearise(&h->base, x, (energy_weights){1, 1}, 1));
        hinges_interface.add_product(&h->base, 1, x, out);
        hinges_destroy(h);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    for (int k = 1; k < 3; k++) assert_memory_equal(results[k], results[0], sizeof results[0]);
}

/* Of a bent sheet far from rest: hinges and their pairs together are the Hessian. */
static void the_matrix_with_the_pairs_is_the_whole_hessian(void **state) {
    enum { POINTS = 9 * 9 };
    static vec3 x[POINTS], d[POINTS], whole[POINTS], sum[POINTS];
    ruga_mesh *mesh = shape_sheet(*state, 8, 8);
    hinges *h = make(mesh);
    hinge_pairs *pairs = NULL;
    block_pattern *pattern = NULL;
    block_matrix *matrix = NULL;
    test_random random = {5};
    double most = 0, couplings = 0;
    assert_ok(*state, hinge_pairs_create(h, &pairs));
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = vec3_add(mesh->positions[i], random_vec3(&random, -0.01, 0.01));
        d[i] = random_vec3(&random, -1, 1);
        whole[i] = (vec3){0, 0, 0};
    }
    assert_ok(*state, block_pattern_create(*state, POINTS, &pattern));
    assert_ok(*state, hinges_interface.add_pattern(&h->base, pattern));
    assert_ok(*state, hinge_pairs_add_pattern(pairs, pattern));
    assert_ok(*state, block_matrix_create(pattern, &matrix));
    assert_ok(*state, hinges_interface.linearise(&h->base, x, (energy_weights){2, 0}, 0));
    hinges_interface.add_matrix(&h->base, 1, matrix);
    block_matrix_multiply(matrix, d, sum);
    for (size_t i = 0; i < POINTS; i++) most = fmax(most, vec3_length(sum[i]));
    memcpy(whole, sum, sizeof whole);
    hinge_pairs_add_matrix(pairs, 1, matrix);
    block_matrix_multiply(matrix, d, sum);
    for (size_t i = 0; i < POINTS; i++) couplings = fmax(couplings, vec3_distance(whole[i], sum[i]));
    assert_less(1e-3 * most, couplings);
    memset(whole, 0, sizeof whole);
    hinges_interface.add_product(&h->base, 1, d, whole);
    for (size_t i = 0; i < POINTS; i++) assert_less_case(vec3_distance(whole[i], sum[i]), 1e-12 * most, "point %zu", i);
    block_matrix_destroy(matrix);
    block_pattern_destroy(pattern);
    hinge_pairs_destroy(pairs);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

/* A sheet that is bent into a cylinder, with friction. */
static hinges *rubbing_cylinder(ruga_mesh *mesh, double friction, vec3 *x) {
    const hinge_material material = {.bend = plate.bend, .friction = friction};
    const double bend = 4;
    hinges *h = NULL;
    assert_ok(mesh->context, hinges_create(mesh, &material, NULL, &h));
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vec3 p = mesh->positions[i];
        x[i] = (vec3){sin(bend * p.x) / bend, (1 - cos(bend * p.x)) / bend, p.z};
    }
    return h;
}

/* N: minus the forces of damping, for velocities that are also those at the start of the step. */
static void friction_of(hinges *h, const vec3 *x, const vec3 *velocities, vec3 *out) {
    memset(out, 0, h->base.point_count * sizeof *out);
    hinges_set_velocities(h, x, velocities);
    assert_ok(h->base.context, hinges_interface.linearise(&h->base, x, (energy_weights){0, 1}, 1));
    hinges_interface.add_product(&h->base, 1, velocities, out);
}

static double power_of(const hinges *h, const vec3 *forces, const vec3 *velocities) {
    double sum = 0;
    for (size_t i = 0; i < h->base.point_count; i++) sum += vec3_dot(forces[i], velocities[i]);
    return sum;
}

/* Coulomb's law: a cylinder whose curvature grows at the rate k loses D f k per area, in proportion to the rate. Slow
 * hinges creep: they lose in proportion to its square, and less. */
static void friction_does_not_depend_on_the_rate_of_bending(void **state) {
    enum { CELLS = 60 };
    const double friction = 7, bend = 4, rate = 3; /* 1/m, 1/m, 1/(m s) */
    ruga_mesh *mesh = quad_sheet(*state, CELLS, CELLS, 0.01, 0.01);
    vec3 *x = malloc(mesh->vertex_count * sizeof *x), *v = malloc(mesh->vertex_count * sizeof *v);
    vec3 *out = malloc(mesh->vertex_count * sizeof *out);
    assert_true(x && v && out);
    hinges *h = rubbing_cylinder(mesh, friction, x);
    double powers[3];
    for (int k = 0; k < 3; k++) {
        const double speed = k < 2 ? rate * (k + 1) : 1e-3;
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            double s = mesh->positions[i].x, c = bend * s;
            v[i] = (vec3){speed * (c * cos(c) - sin(c)) / (bend * bend),
                          speed * (c * sin(c) - 1 + cos(c)) / (bend * bend), 0};
        }
        friction_of(h, x, v, out);
        powers[k] = power_of(h, out, v) / (plate.bend * friction * speed * area_of(mesh));
    }
    assert_near(powers[0], 1, 0.04);
    assert_near(powers[1], powers[0], 1e-9);
    assert_less(powers[2], 0.01);
    assert_less(0, powers[2]);
    free(x);
    free(v);
    free(out);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

/* Whatever the velocities: friction takes energy, and no momentum. Rigid motion has no friction. */
static void friction_keeps_both_momenta_and_spares_rigid_motion(void **state) {
    ruga_mesh *mesh = equilateral_sheet(*state, 8, 0.05);
    size_t count = mesh->vertex_count;
    vec3 *x = malloc(count * sizeof *x), *v = malloc(count * sizeof *v), *out = malloc(count * sizeof *out);
    assert_true(x && v && out);
    hinges *h = rubbing_cylinder(mesh, 7, x);
    for (int is_rigid = 0; is_rigid < 2; is_rigid++) {
        vec3 sum = {0, 0, 0}, turn = {0, 0, 0};
        double size = 0;
        for (size_t i = 0; i < count; i++) {
            double a = (double)i;
            v[i] = is_rigid ? vec3_add((vec3){1, -2, 3}, vec3_cross((vec3){2, 1, -3}, x[i]))
                            : (vec3){sin(3 * a), cos(5 * a), sin(7 * a + 1)};
        }
        friction_of(h, x, v, out);
        for (size_t i = 0; i < count; i++) {
            sum = vec3_add(sum, out[i]);
            turn = vec3_add(turn, vec3_cross(x[i], out[i]));
            size += vec3_length(out[i]);
        }
        if (is_rigid) {
            assert_less(size, 1e-9);
            continue;
        }
        assert_less(0.01, size);
        assert_less(vec3_length(sum), 1e-12 * size);
        assert_less(vec3_length(turn), 1e-12 * size);
        assert_less(0, power_of(h, out, v));
    }
    free(x);
    free(v);
    free(out);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

static void bad_materials_are_refused(void **state) {
    ruga_mesh *mesh = folded_mesh(*state, 0);
    hinges *h = NULL;
    const hinge_material none = {.bend = 0}, negative = {.bend = 1, .damping_time = -1};
    const hinge_material rough = {.bend = 1, .friction = -1};
    assert_status(hinges_create(mesh, &none, NULL, &h), RUGA_ERROR_INPUT);
    assert_message_has(*state, "bend of 0 N m");
    assert_status(hinges_create(mesh, &negative, NULL, &h), RUGA_ERROR_INPUT);
    assert_message_has(*state, "time of -1 s");
    assert_status(hinges_create(mesh, &rough, NULL, &h), RUGA_ERROR_INPUT);
    assert_message_has(*state, "friction of -1 1/m");
    assert_null(h);
    h = make(mesh);
    assert_status(hinges_set_factor(h, 0), RUGA_ERROR_ARGUMENT);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
}

static ruga_status create_and_linearise(ruga_context *context, void *user) {
    (void)user;
    const vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t faces[6] = {0, 2, 1, 1, 2, 3};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){.data = (void *)points, .count = 4, .stride = sizeof *points, .type = RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    ruga_mesh *mesh;
    hinges *h = NULL;
    TRY(ruga_mesh_create(context, &def, &mesh));
    ruga_status status = hinges_create(mesh, &plate, NULL, &h);
    for (int definite = 1; definite >= 0 && !RUGA_FAILED(status); definite--)
        status = hinges_interface.linearise(&h->base, mesh->positions, (energy_weights){1, 0}, definite);
    hinges_destroy(h);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(create_and_linearise, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cylinder_has_the_energy_of_a_plate_in_every_direction),
        cmocka_unit_test(a_right_angle_stores_what_a_bending_spring_does),
        cmocka_unit_test(angles_have_the_sign_of_their_side_and_differences_stay_within_half_a_turn),
        cmocka_unit_test(the_energy_does_not_jump_at_half_a_turn),
        cmocka_unit_test(rest_angles_hold_a_folded_shape),
        cmocka_unit_test(flattened_triangles_have_bounded_forces),
        cmocka_unit_test(the_bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(the_matrix_with_the_pairs_is_the_whole_hessian),
        cmocka_unit_test(friction_does_not_depend_on_the_rate_of_bending),
        cmocka_unit_test(friction_keeps_both_momenta_and_spares_rigid_motion),
        cmocka_unit_test(bad_materials_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
