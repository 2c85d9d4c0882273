/* The laws of every energy: gradients and Hessians are derivatives, blocks are the diagonal, the projection is
 * definite. */
#include "energy/hinge.h"
#include "energy/membrane.h"
#include "energy/spring_hessian.h"
#include "energy/spring_mesh.h"
#include "energy/warp.h"
#include "energy/well.h"
#include "linalg/map.h"
#include "support/shapes.h"

enum { POINTS = 60, SPRING_CASES = 7, CASES = 14 };

/* An energy with positions where it has a value worth deriving. */
typedef struct energy_case {
    energy_term *term;
    spring_network *network;
    membrane *membrane;
    hinges *hinges;
    well wells;
    ruga_mesh *mesh;
    size_t count;
    vec3 x[POINTS], places[POINTS];
} energy_case;

/* Membranes of flat and curved meshes: orthotropic with a strain limit that is passed, of a negative Poisson ratio,
 * with shares; and hinges between flat and folded triangles. The last two are crushed: a membrane with triangles of
 * little area, and hinges that turn by more than a right angle. */
static void fabric_case_make(energy_case *c, ruga_context *context, int which) {
    test_random random = {(uint64_t)which + 3};
    double shares[200];
    vec3 warps[200];
    warp_report report;
    c->mesh = which % 2 ? shape_sheet(context, 5, 5) : shape_cylinder(context, 8, 4);
    c->count = c->mesh->vertex_count;
    for (size_t t = 0; t < c->mesh->triangle_count; t++) shares[t] = random_between(&random, 0.2, 1);
    const int is_crushed = which >= 12;
    if (which < 10 || which == 12) {
        const membrane_material material = {.warp = 50,
                                            .weft = 20,
                                            .poisson = which == 7 ? 0.3 : -0.5,
                                            .shear = 8,
                                            .damping_time = 0.01,
                                            .limit = which == 9 ? 0 : 0.02,
                                            .hard = 30,
                                            .collapse = is_crushed ? 60 : 0};
        assert_ok(context, warp_of_mesh(c->mesh, (vec3){1, 0.3, 0.4}, warps, &report));
        assert_ok(context, membrane_create(c->mesh, &material, warps, which == 8 ? shares : NULL, &c->membrane));
        assert_ok(context, membrane_set_factor(c->membrane, 1.5));
        c->term = &c->membrane->base;
    } else {
        const hinge_material material = {.bend = 0.7, .damping_time = 0.01, .least_area = is_crushed ? 1e-6 : 0};
        assert_ok(context, hinges_create(c->mesh, &material, which == 11 ? shares : NULL, &c->hinges));
        assert_ok(context, hinges_set_factor(c->hinges, 1.5));
        c->term = &c->hinges->base;
    }
    for (size_t i = 0; i < c->count; i++) {
        const vec3 p = c->mesh->positions[i], noise = random_vec3(&random, -0.05, 0.05);
        c->x[i] = is_crushed ? (vec3){0.2 * p.x + noise.x, p.y + 2 * noise.y, p.z + noise.z} : vec3_add(p, noise);
    }
}

/* Wells, and springs of flat and curved meshes: with axial springs, two phases of compression, a strain limit, damping
 * of each spring. */
static void case_make(energy_case *c, ruga_context *context, int which) {
    test_random random = {(uint64_t)which + 3};
    *c = (energy_case){.count = 36};
    if (which < 2) {
        for (size_t i = 0; i < c->count; i++) {
            c->places[i] = random_vec3(&random, -1, 1);
            c->x[i] = vec3_add(c->places[i], random_vec3(&random, -1, 1));
        }
        c->wells = well_make(context, c->count, c->places, 7, which == 1 ? 0.9 : 0, 0.3);
        c->term = &c->wells.base;
        return;
    }
    if (which >= SPRING_CASES) {
        fabric_case_make(c, context, which);
        return;
    }
    c->mesh = which == 3 ? shape_cylinder(context, 8, 4) : shape_sheet(context, 5, 5);
    c->count = c->mesh->vertex_count;
    spring_material material = {.stretch = 50,
                                .bend = 0.1,
                                .damping_time = 0.01,
                                .phases = {which == 4   ? 0.3
                                           : which == 6 ? 3
                                                        : 1,
                                           which == 4   ? 2
                                           : which == 6 ? 0.2
                                                        : 1,
                                           0.1},
                                .axial = which != 5,
                                .limit = which == 5 ? 0.02 : 0,
                                .hard = 40};
    assert_ok(context, spring_network_of_mesh(c->mesh, &material, &c->network));
    c->term = &c->network->base;
    for (size_t i = 0; i < c->count; i++) c->x[i] = vec3_add(c->mesh->positions[i], random_vec3(&random, -0.05, 0.05));
}

static void case_release(energy_case *c) {
    spring_network_destroy(c->network);
    membrane_destroy(c->membrane);
    hinges_destroy(c->hinges);
    ruga_mesh_destroy(c->mesh);
    well_release(&c->wells);
}

static void random_direction(test_random *random, size_t count, vec3 *out) {
    for (size_t i = 0; i < count; i++) out[i] = random_vec3(random, -1, 1);
}

static void move(const energy_case *c, const vec3 *direction, double by, vec3 *out) {
    for (size_t i = 0; i < c->count; i++) out[i] = vec3_add_scaled(c->x[i], direction[i], by);
}

static double dot(size_t count, const vec3 *a, const vec3 *b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += vec3_dot(a[i], b[i]);
    return sum;
}

static void the_gradient_is_the_derivative_of_the_value(void **state) {
    for (int which = 0; which < CASES; which++) {
        energy_case c;
        case_make(&c, *state, which);
        test_random random = {77};
        for (int round = 0; round < 5; round++) {
            vec3 d[POINTS], x[POINTS], gradient[POINTS] = {{0, 0, 0}};
            double step = 1e-6, ends[2];
            random_direction(&random, c.count, d);
            for (int k = 0; k < 2; k++) {
                move(&c, d, k ? step : -step, x);
                ends[k] = c.term->interface->value(c.term, x);
            }
            double value = c.term->interface->add_gradient(c.term, c.x, 2, gradient);
            assert_near(value, c.term->interface->value(c.term, c.x), 1e-12 * fabs(value));
            c.term->interface->add_gradient(c.term, c.x, -1, gradient);
            double expected = (ends[1] - ends[0]) / (2 * step), is = dot(c.count, gradient, d);
            assert_near(is, expected, 1e-6 * (1 + fabs(expected)));
        }
        case_release(&c);
    }
}

static void the_product_is_the_derivative_of_the_gradient(void **state) {
    for (int which = 0; which < CASES; which++) {
        energy_case c;
        case_make(&c, *state, which);
        test_random random = {78};
        vec3 d[POINTS], x[POINTS], difference[POINTS] = {{0, 0, 0}}, product[POINTS] = {{0, 0, 0}};
        double step = 1e-6, size = 0, error = 0;
        random_direction(&random, c.count, d);
        for (int k = 0; k < 2; k++) {
            move(&c, d, k ? step : -step, x);
            c.term->interface->add_gradient(c.term, x, (k ? 1 : -1) / (2 * step), difference);
        }
        assert_ok(*state, c.term->interface->linearise(c.term, c.x, (energy_weights){3, 0}, 0));
        c.term->interface->add_product(c.term, 1.0 / 3, d, product);
        for (size_t i = 0; i < c.count; i++) {
            size = fmax(size, vec3_length(difference[i]));
            error = fmax(error, vec3_distance(difference[i], product[i]));
        }
        assert_less(error, 1e-6 * size);
        case_release(&c);
    }
}

static void the_blocks_are_the_diagonal_of_the_product(void **state) {
    for (int which = 0; which < CASES; which++)
        for (int definite = 0; definite < 2; definite++) {
            energy_case c;
            case_make(&c, *state, which);
            mat3 blocks[POINTS] = {{{{0}}}};
            assert_ok(*state, c.term->interface->linearise(c.term, c.x, (energy_weights){0.5, 2}, definite));
            c.term->interface->add_blocks(c.term, 3, blocks);
            for (size_t p = 0; p < 3 * c.count; p++) {
                vec3 d[POINTS] = {{0, 0, 0}}, product[POINTS] = {{0, 0, 0}};
                (&d[p / 3].x)[p % 3] = 1;
                c.term->interface->add_product(c.term, 3, d, product);
                for (int r = 0; r < 3; r++) assert_near((&product[p / 3].x)[r], blocks[p / 3].at[r][p % 3], 1e-9);
            }
            case_release(&c);
        }
}

/* xᵀWx is never negative with the projection, though it is without it; and W is symmetric. */
static void the_projection_is_definite(void **state) {
    size_t negative = 0;
    for (int which = 0; which < CASES; which++) {
        energy_case c;
        case_make(&c, *state, which);
        test_random random = {79};
        for (int definite = 0; definite < 2; definite++) {
            assert_ok(*state, c.term->interface->linearise(c.term, c.x, (energy_weights){1, 0}, definite));
            for (size_t round = 0; round < 20 + 3 * c.count; round++) {
                /* Along single coordinates, then at random. */
                vec3 d[POINTS] = {{0, 0, 0}}, e[POINTS], wd[POINTS] = {{0, 0, 0}}, we[POINTS] = {{0, 0, 0}};
                if (round < 3 * c.count)
                    (&d[round / 3].x)[round % 3] = 1;
                else
                    random_direction(&random, c.count, d);
                random_direction(&random, c.count, e);
                c.term->interface->add_product(c.term, 1, d, wd);
                c.term->interface->add_product(c.term, 1, e, we);
                double curvature = dot(c.count, d, wd), size = sqrt(dot(c.count, wd, wd) * dot(c.count, d, d));
                assert_near(dot(c.count, e, wd), dot(c.count, d, we), 1e-9 * (1 + size) * (double)c.count);
                if (definite)
                    assert_at_most(-1e-12 * size, curvature);
                else
                    negative += curvature < -1e-3 * size;
            }
        }
        case_release(&c);
    }
    assert_less(0, negative);
}

/* Damping forces of springs are -C v, and turning and moving as a whole cost nothing. */
static void the_damping_of_springs_is_that_of_their_forces(void **state) {
    for (int which = 2; which < SPRING_CASES; which++) {
        energy_case c;
        case_make(&c, *state, which);
        test_random random = {80};
        vec3 v[POINTS], still[POINTS] = {{0, 0, 0}}, force[2][POINTS], product[POINTS] = {{0, 0, 0}};
        random_direction(&random, c.count, v);
        for (int k = 0; k < 2; k++) {
            spring_force_pass pass = {
                .positions = c.x, .velocities = k ? v : still, .damped = 1, .gain = 1, .out = force[k]};
            spring_network_forces(c.network, &pass);
        }
        assert_true(c.term->is_damped);
        assert_ok(*state, c.term->interface->linearise(c.term, c.x, (energy_weights){0, 1}, 1));
        c.term->interface->add_product(c.term, -1, v, product);
        for (size_t i = 0; i < c.count; i++)
            assert_less(vec3_distance(vec3_sub(force[1][i], force[0][i]), product[i]), 1e-12);
        vec3 turn = {0.3, -2, 1}, none[POINTS] = {{0, 0, 0}};
        for (size_t i = 0; i < c.count; i++) v[i] = vec3_add(vec3_cross(turn, c.x[i]), (vec3){1, 2, 3});
        c.term->interface->add_product(c.term, 1, v, none);
        for (size_t i = 0; i < c.count; i++) assert_less(vec3_length(none[i]), 1e-12);
        case_release(&c);
    }
}

/* Also of membranes and hinges. */
static void turning_and_moving_as_a_whole_is_not_damped(void **state) {
    for (int which = 2; which < CASES; which++) {
        energy_case c;
        case_make(&c, *state, which);
        vec3 v[POINTS], none[POINTS] = {{0, 0, 0}}, turn = {0.3, -2, 1};
        for (size_t i = 0; i < c.count; i++) v[i] = vec3_add(vec3_cross(turn, c.x[i]), (vec3){1, 2, 3});
        assert_true(c.term->is_damped);
        assert_ok(*state, c.term->interface->linearise(c.term, c.x, (energy_weights){0, 1}, 1));
        c.term->interface->add_product(c.term, 1, v, none);
        for (size_t i = 0; i < c.count; i++) assert_less(vec3_length(none[i]), 1e-12);
        case_release(&c);
    }
}

/* Forces, damping and every product leave both momenta as they are. */
static void forces_and_products_keep_both_momenta(void **state) {
    for (int which = 2; which < CASES; which++) {
        energy_case c;
        case_make(&c, *state, which);
        test_random random = {82};
        vec3 v[POINTS], f[2][POINTS] = {{{0, 0, 0}}};
        random_direction(&random, c.count, v);
        assert_ok(*state, c.term->interface->linearise(c.term, c.x, (energy_weights){0, 1}, 1));
        c.term->interface->add_gradient(c.term, c.x, 1, f[0]);
        c.term->interface->add_product(c.term, 1, v, f[1]);
        for (int k = 0; k < 2; k++) {
            vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
            double size = 0;
            for (size_t i = 0; i < c.count; i++) {
                sum = vec3_add(sum, f[k][i]);
                moment = vec3_add(moment, vec3_cross(c.x[i], f[k][i]));
                size += vec3_length(f[k][i]);
            }
            assert_less(0, size);
            assert_less(vec3_length(sum), 1e-13 * size);
            assert_less(vec3_length(moment), 1e-13 * size);
        }
        case_release(&c);
    }
}

/* A column of T with weights at many points: one unknown that moves the whole mesh. */
static void the_bound_diagonal_of_springs_is_that_of_the_product(void **state) {
    for (int which = 2; which < SPRING_CASES; which++) {
        energy_case c;
        case_make(&c, *state, which);
        test_random random = {81};
        double weights[POINTS];
        map_builder rows;
        ruga_map *bound, *transpose;
        spring_hessian h = {0};
        assert_ok(*state, map_builder_make(*state, c.count, c.count, &rows));
        for (size_t i = 0; i < c.count; i++) {
            weights[i] = i % 3 == 0 ? 0 : random_between(&random, -1, 1);
            if (weights[i] != 0) map_builder_put(&rows, 0, weights[i]);
            map_builder_end_row(&rows);
        }
        assert_ok(*state, map_builder_finish(&rows, 1, &bound));
        assert_ok(*state, ruga_map_transpose(bound, &transpose));
        assert_ok(*state, spring_hessian_make(c.network, &h));
        spring_hessian_linearise(&h, c.x, (energy_weights){0.01, 0.1}, 1);
        spring_diagonal sum = {{0}};
        spring_hessian_add_bound_diagonal(&h, bound, transpose, 0, &sum);
        static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
        for (int k = 0; k < 3; k++) {
            vec3 d[POINTS] = {{0, 0, 0}}, product[POINTS] = {{0, 0, 0}}, at = {0, 0, 0};
            for (size_t i = 0; i < c.count; i++) (&d[i].x)[k] = weights[i];
            spring_product_pass pass = {&h, NULL, 1, d, product};
            spring_hessian_multiply(&pass);
            for (size_t i = 0; i < c.count; i++) at = vec3_add_scaled(at, product[i], weights[i]);
            for (int r = 0; r < 3; r++) assert_near((&at.x)[r], sum.at[place[r][k]], 1e-11);
        }
        spring_hessian_release(&h);
        ruga_map_destroy(bound);
        ruga_map_destroy(transpose);
        case_release(&c);
    }
}

/* Axial springs, which couple four points, included; with and without damping, and added twice. */
static void the_matrix_is_that_of_the_product(void **state) {
    ruga_context *context = *state;
    size_t ran = 0;
    for (int which = 0; which < CASES; which++) {
        energy_case c;
        case_make(&c, context, which);
        const energy_interface *interface = c.term->interface;
        assert_true(!interface->add_pattern == !interface->add_matrix);
        if (!interface->add_matrix) {
            case_release(&c);
            continue;
        }
        block_pattern *pattern;
        block_matrix *matrix;
        assert_ok(context, block_pattern_create(context, c.count, &pattern));
        assert_ok(context, interface->add_pattern(c.term, pattern));
        assert_ok(context, block_matrix_create(pattern, &matrix));
        block_pattern_destroy(pattern);
        test_random random = {31};
        vec3 direction[POINTS], product[POINTS] = {{0, 0, 0}}, sum[POINTS];
        random_direction(&random, c.count, direction);
        assert_ok(context, interface->linearise(c.term, c.x, (energy_weights){0.7, 0.2}, 1));
        interface->add_matrix(c.term, 1.5, matrix);
        interface->add_matrix(c.term, 0.5, matrix);
        block_matrix_multiply(matrix, direction, sum);
        interface->add_product(c.term, 2, direction, product);
        for (size_t i = 0; i < c.count; i++) assert_less(vec3_distance(sum[i], product[i]), 1e-12 * 100);
        ran++;
        block_matrix_destroy(matrix);
        case_release(&c);
    }
    assert_ran(ran, 5);
}

static ruga_status linearise_springs(ruga_context *context, void *user) {
    (void)user;
    const spring springs[2] = {{0, 1, SPRING_EDGE, 1, 1, 0}, {1, 2, SPRING_EDGE, 1, 1, 0}};
    const vec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    spring_network *network;
    TRY(spring_network_create(context, 3, springs, 2, (spring_phases){1, 1, 0}, NULL, 0, &network));
    ruga_status status = network->base.interface->linearise(&network->base, x, (energy_weights){1, 0}, 1);
    spring_network_destroy(network);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(linearise_springs, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_the_derivative_of_the_value),
        cmocka_unit_test(the_product_is_the_derivative_of_the_gradient),
        cmocka_unit_test(the_blocks_are_the_diagonal_of_the_product),
        cmocka_unit_test(the_projection_is_definite),
        cmocka_unit_test(the_damping_of_springs_is_that_of_their_forces),
        cmocka_unit_test(the_matrix_is_that_of_the_product),
        cmocka_unit_test(turning_and_moving_as_a_whole_is_not_damped),
        cmocka_unit_test(forces_and_products_keep_both_momenta),
        cmocka_unit_test(the_bound_diagonal_of_springs_is_that_of_the_product),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
