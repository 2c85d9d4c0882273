/* The laws of the lattice's energy: rest, rigid motions, patches, derivatives, projection, inversion, fibres. */
#include "energy/lattice_stage.h"

static const lattice_material rubber = {1000, 0.3, 0.02};

static const energy_interface *const laws = &lattice_energy_interface;

/* Lattices that differ: full cells, cut ones, superimposed ones, trilinear. */
enum { CASES = 4 };
static lattice_stage make_case(ruga_context *context, int which) {
    static const char fork[] =
        "#####"
        "##.##"
        "##.##";
    const int n[3] = {5, 3, 1};
    ruga_mesh *ball = NULL;
    if (which == 0) return lattice_stage_make(shape_box(context, 2, 1, 1, (vec3){2, 1, 1}), 1, 0, rubber);
    if (which == 2) return lattice_stage_make(shape_blocks(context, n, (vec3){0.2, 0.7, 1}, fork), 1, 0, rubber);
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &ball));
    return lattice_stage_make(ball, 0.7, which == 3, rubber);
}

static void disturb(lattice_stage *s, double size, uint64_t seed) {
    test_random random = {seed};
    for (size_t i = 0; i < s->count; i++)
        s->x[i] = vec3_add(s->cells->nodes[i],
                           (vec3){random_between(&random, -size, size), random_between(&random, -size, size),
                                  random_between(&random, -size, size)});
}

static vec3 turned(vec3 p) {
    double c = cos(0.7), s = sin(0.7), a = cos(1.9), b = sin(1.9);
    p = (vec3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
    return (vec3){p.x + 3, a * p.y - b * p.z - 1, b * p.y + a * p.z + 0.5};
}

static vec3 rotated(vec3 p) { return vec3_sub(turned(p), turned((vec3){0, 0, 0})); }

static void rest_stores_nothing_and_rigid_motions_change_nothing(void **state) {
    for (int which = 0; which < CASES; which++) {
        lattice_stage s = make_case(*state, which);
        assert_near(laws->value(&s.energy->base, s.x), 0, 1e-24);
        for (size_t i = 0; i < s.count; i++) s.x[i] = turned(s.x[i]);
        laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        for (size_t i = 0; i < s.count; i++) assert_less(vec3_length(s.out[i]), 1e-9);
        disturb(&s, 0.2, 4);
        memset(s.out, 0, s.count * sizeof *s.out);
        double energy = laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        assert_less(1, energy);
        for (size_t i = 0; i < s.count; i++) s.x[i] = turned(s.x[i]);
        double moved = laws->add_gradient(&s.energy->base, s.x, 1, s.other);
        assert_near(moved / energy, 1, 1e-12);
        for (size_t i = 0; i < s.count; i++) assert_less(vec3_distance(s.other[i], rotated(s.out[i])), 1e-9);
        lattice_stage_release(&s);
    }
}

/* A linear displacement gives the same stress everywhere, and no force on nodes inside: where all elements are full. */
static void a_linear_displacement_passes_the_patch_test(void **state) {
    for (int is_linear = 0; is_linear < 2; is_linear++) {
        lattice_stage s = lattice_stage_make(shape_box(*state, 6, 6, 6, (vec3){6, 6, 6}), 1, is_linear, rubber);
        const mat3 f = {{{1.1, 0.05, -0.02}, {0.1, 0.9, 0.07}, {0, -0.1, 1.05}}};
        mat3 p = lattice_energy_stress(s.energy, &f);
        size_t inside = 0;
        for (size_t i = 0; i < s.count; i++) s.x[i] = mat3_apply(&f, s.cells->nodes[i]);
        for (size_t e = 0; e < s.cells->element_count; e++)
            for (size_t q = s.cells->offsets[e]; q < s.cells->offsets[e + 1]; q++) {
                mat3 here = lattice_energy_gradient_at(s.energy, e, q, s.x),
                     there = lattice_energy_stress(s.energy, &here);
                for (int k = 0; k < 9; k++) assert_near(there.at[k / 3][k % 3], p.at[k / 3][k % 3], 1e-9);
            }
        laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        for (size_t i = 0; i < s.count; i++) {
            vec3 at = s.cells->nodes[i];
            /* Its support lies within the box. */
            double reach = is_linear ? 1 : 1.5;
            if (fmin(at.x, fmin(at.y, at.z)) < reach || fmax(at.x, fmax(at.y, at.z)) > 6 - reach) continue;
            assert_less(vec3_length(s.out[i]), 1e-9);
            inside++;
        }
        assert_ran(inside, is_linear ? 125 : 64);
        lattice_stage_release(&s);
    }
}

/* Small strains: E = σ/ε of a bar that is pulled freely, whatever the Poisson ratio. */
static void a_pulled_block_has_its_youngs_modulus_and_poisson_ratio(void **state) {
    for (int k = 0; k < 3; k++) {
        const double poisson[3] = {0, 0.3, -0.4}, strain = 1e-6;
        lattice_stage s = lattice_stage_make(shape_box(*state, 1, 1, 1, (vec3){1, 1, 1}), 1, 0,
                                             (lattice_material){500, poisson[k], 0});
        const double across = 1 - poisson[k] * strain;
        mat3 f = {{{1 + strain, 0, 0}, {0, across, 0}, {0, 0, across}}}, p = lattice_energy_stress(s.energy, &f);
        assert_near(p.at[0][0] / (500 * strain), 1, 1e-5);
        assert_near(p.at[1][1] / (500 * strain), 0, 1e-5);
        lattice_stage_release(&s);
    }
}

/* ---- Derivatives. */

static double dot_all(const vec3 *a, const vec3 *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += vec3_dot(a[i], b[i]);
    return sum;
}

static vec3 *random_direction(size_t count, uint64_t seed) {
    test_random random = {seed};
    vec3 *d = calloc(count, sizeof *d);
    assert_non_null(d);
    for (size_t i = 0; i < count; i++)
        d[i] = (vec3){random_between(&random, -1, 1), random_between(&random, -1, 1), random_between(&random, -1, 1)};
    return d;
}

/* Fibres across each element, of two muscles. */
static void add_fibres(lattice_stage *s) {
    size_t points = s->cells->offsets[s->cells->element_count], count = 0;
    muscle_fibre *fibres = calloc(2 * points, sizeof *fibres);
    assert_non_null(fibres);
    for (size_t q = 0; q < points; q++) {
        if (q % 3 == 0) fibres[count++] = (muscle_fibre){q, 0, vec3_normalise((vec3){1, 2, 0.5}), 300};
        if (q % 2 == 0) fibres[count++] = (muscle_fibre){q, 1, (vec3){0, 0, 1}, 200};
    }
    assert_ok(s->mesh->context, lattice_energy_set_fibres(s->energy, count, fibres, 2));
    lattice_energy_activate(s->energy, 0, 0.7);
    lattice_energy_activate(s->energy, 1, 1.3);
    free(fibres);
}

static void gradients_and_products_are_derivatives(void **state) {
    for (int which = 0; which < 2 * CASES; which++) {
        lattice_stage s = make_case(*state, which % CASES);
        energy_term *term = &s.energy->base;
        vec3 *d = random_direction(s.count, 9), *moved = calloc(s.count, sizeof *moved);
        const double h = 1e-5;
        assert_non_null(moved);
        disturb(&s, 0.25, 7);
        if (which >= CASES) add_fibres(&s);
        double values[2];
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < s.count; i++) moved[i] = vec3_add_scaled(s.x[i], d[i], side ? h : -h);
            values[side] = laws->value(term, moved);
            laws->add_gradient(term, moved, (side ? 1 : -1) / (2 * h), s.out);
        }
        memset(s.other, 0, s.count * sizeof *s.other);
        laws->add_gradient(term, s.x, 1, s.other);
        double slope = dot_all(s.other, d, s.count);
        assert_near_case((values[1] - values[0]) / (2 * h) / slope, 1, 1e-6, "case %d", which);
        assert_ok(*state, laws->linearise(term, s.x, (energy_weights){1, 0}, 0));
        memset(s.other, 0, s.count * sizeof *s.other);
        laws->add_product(term, 1, d, s.other);
        double size = sqrt(dot_all(s.other, s.other, s.count)), error = 0;
        for (size_t i = 0; i < s.count; i++) error += vec3_length2(vec3_sub(s.other[i], s.out[i]));
        assert_less_case(sqrt(error) / size, 1e-6, "case %d", which);
        free(moved);
        free(d);
        lattice_stage_release(&s);
    }
}

static void the_projection_is_definite_and_never_below_the_hessian(void **state) {
    size_t indefinite = 0;
    for (int which = 0; which < 2 * CASES; which++) {
        lattice_stage s = make_case(*state, which % CASES);
        energy_term *term = &s.energy->base;
        if (which >= CASES) add_fibres(&s);
        disturb(&s, 0.8, 17);
        for (int round = 0; round < 60; round++) {
            vec3 *d = random_direction(s.count, 100 + (uint64_t)round);
            double products[2];
            for (int definite = 0; definite < 2; definite++) {
                assert_ok(*state, laws->linearise(term, s.x, (energy_weights){1, 0.5}, definite));
                /* A few steps downhill find directions of negative curvature. */
                memset(s.out, 0, s.count * sizeof *s.out);
                laws->add_product(term, 1, d, s.out);
                for (int k = 0; k < 20 && !definite; k++) {
                    double size = sqrt(dot_all(s.out, s.out, s.count)), length = sqrt(dot_all(d, d, s.count));
                    for (size_t i = 0; i < s.count; i++)
                        d[i] = vec3_sub(vec3_scale(d[i], 1 / length), vec3_scale(s.out[i], 0.5 / size));
                    memset(s.out, 0, s.count * sizeof *s.out);
                    laws->add_product(term, 1, d, s.out);
                }
                products[definite] = dot_all(d, s.out, s.count);
            }
            indefinite += products[0] < 0;
            assert_at_most(-1e-9, products[1]);
            assert_at_most(products[0], products[1] * (1 + 1e-12) + 1e-9);
            free(d);
        }
        lattice_stage_release(&s);
    }
    assert_ran(indefinite, 10);
}

/* Blocks and the matrix are those of the products, with damping, at any state. */
static void blocks_and_matrix_agree_with_products(void **state) {
    for (int which = 0; which < 2 * CASES; which++) {
        lattice_stage s = make_case(*state, which % CASES);
        energy_term *term = &s.energy->base;
        block_pattern *pattern = NULL;
        block_matrix *matrix = NULL;
        mat3 *blocks = calloc(s.count, sizeof *blocks);
        vec3 *d = random_direction(s.count, 5);
        assert_non_null(blocks);
        disturb(&s, 0.4, 23);
        if (which >= CASES) add_fibres(&s);
        assert_ok(*state, block_pattern_create(*state, s.count, &pattern));
        assert_ok(*state, laws->add_pattern(term, pattern));
        assert_ok(*state, block_matrix_create(pattern, &matrix));
        assert_ok(*state, laws->linearise(term, s.x, (energy_weights){0.3, 2}, which % 2));
        laws->add_matrix(term, 1.5, matrix);
        laws->add_blocks(term, 1.5, blocks);
        laws->add_product(term, 1.5, d, s.out);
        block_matrix_multiply(matrix, d, s.other);
        double size = sqrt(dot_all(s.out, s.out, s.count));
        for (size_t i = 0; i < s.count; i++) {
            assert_less_case(vec3_distance(s.out[i], s.other[i]), 1e-12 * size, "case %d", which);
            const double *block = matrix->blocks + BLOCK_NUMBERS * (size_t)matrix->diagonals[i];
            for (int k = 0; k < 9; k++)
                assert_near_case(blocks[i].at[k % 3][k / 3], block[k], 1e-12 * size, "case %d", which);
        }
        block_matrix_destroy(matrix);
        block_pattern_destroy(pattern);
        free(d);
        free(blocks);
        lattice_stage_release(&s);
    }
}

/* Inner forces have no sum and no torque, also those of fibres. */
static void forces_conserve_momentum_and_angular_momentum(void **state) {
    for (int which = 0; which < CASES; which++) {
        lattice_stage s = make_case(*state, which);
        vec3 sum = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0;
        disturb(&s, 0.3, 31);
        add_fibres(&s);
        laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        for (size_t i = 0; i < s.count; i++) {
            sum = vec3_add(sum, s.out[i]);
            torque = vec3_add(torque, vec3_cross(s.x[i], s.out[i]));
            size += vec3_length(s.out[i]);
        }
        assert_less(vec3_length(sum), 1e-13 * size);
        assert_less(vec3_length(torque), 1e-12 * size);
        lattice_stage_release(&s);
    }
}

/* A mirrored block, and one that is pressed to a plane, roll downhill to rest. */
static void inverted_elements_recover(void **state) {
    skip_when_sanitized();
    for (int which = 0; which < 3; which++) {
        lattice_stage s =
            lattice_stage_make(shape_box(*state, 1, 1, 1, (vec3){1, 1, 1}), 0.5, 0, (lattice_material){1, 0.2, 0});
        test_random random = {3};
        for (size_t i = 0; i < s.count; i++) {
            s.x[i].y *= which == 0 ? -0.7 : which == 1 ? 0 : 1;
            if (which == 2) s.x[i] = vec3_scale(s.x[i], 0.01);
            s.x[i].x += random_between(&random, -1e-3, 1e-3);
            s.x[i].z += random_between(&random, -1e-3, 1e-3);
        }
        if (which == 0) assert_less(0, lattice_energy_inverted(s.energy, s.x));
        for (int step = 0; step < 4000; step++) {
            memset(s.out, 0, s.count * sizeof *s.out);
            laws->add_gradient(&s.energy->base, s.x, 1, s.out);
            for (size_t i = 0; i < s.count; i++)
                s.x[i] = vec3_add_scaled(s.x[i], s.out[i], -0.02 / s.cells->node_volumes[i] / 4);
        }
        assert_equal_case(lattice_energy_inverted(s.energy, s.x), 0, "case %d", which);
        assert_less_case(laws->value(&s.energy->base, s.x), 1e-6, "case %d", which);
        lattice_stage_release(&s);
    }
}

/* ---- Threads, memory, input. */

static void results_do_not_depend_on_threads(void **state) {
    (void)state;
    vec3 *first = NULL;
    double energy = 0;
    size_t count = 0;
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        lattice_stage s = make_case(context, 1);
        disturb(&s, 0.3, 2);
        add_fibres(&s);
        double here = laws->add_gradient(&s.energy->base, s.x, 1, s.out);
        assert_ok(context, laws->linearise(&s.energy->base, s.x, (energy_weights){1, 1}, 1));
        laws->add_product(&s.energy->base, 1, s.x, s.out);
        if (threads == 1) {
            first = calloc(s.count, sizeof *first);
            assert_non_null(first);
            memcpy(first, s.out, s.count * sizeof *first);
            energy = here;
            count = s.count;
        }
        assert_memory_equal(&energy, &here, sizeof here);
        assert_equal(s.count, count);
        assert_memory_equal(first, s.out, count * sizeof *first);
        lattice_stage_release(&s);
        ruga_context_destroy(context);
    }
    free(first);
}

static void bad_materials_are_named(void **state) {
    static const struct {
        lattice_material material;
        const char *part;
    } bad[] = {{{0, 0.3, 0}, "Young's modulus"},     {{INFINITY, 0.3, 0}, "Young's modulus"},
               {{1, 0.5, 0}, "below 0.5"},           {{1, -1, 0}, "Poisson ratio is -1"},
               {{1, 0.3, -1}, "damping time is -1"}, {{1, 0.3, NAN}, "damping time"}};
    lattice_stage s = make_case(*state, 0);
    lattice_elements elements = elements_of(s.cells);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        lattice_energy *e = NULL;
        assert_status(lattice_energy_create(*state, &elements, &bad[k].material, &e), RUGA_ERROR_INPUT);
        assert_null(e);
        assert_message_has(*state, bad[k].part);
    }
    assert_status(lattice_energy_set_factor(s.energy, 0), RUGA_ERROR_ARGUMENT);
    lattice_stage_release(&s);
}

static ruga_status make_and_use(ruga_context *context, void *user) {
    const lattice_stage *s = user;
    lattice_elements elements = elements_of(s->cells);
    lattice_energy *e = NULL;
    block_pattern *pattern = NULL;
    const muscle_fibre fibre = {0, 0, {1, 0, 0}, 1};
    ruga_status status = lattice_energy_create(context, &elements, &rubber, &e);
    if (!RUGA_FAILED(status)) status = lattice_energy_set_fibres(e, 1, &fibre, 1);
    if (!RUGA_FAILED(status)) status = laws->linearise(&e->base, s->x, (energy_weights){1, 1}, 1);
    if (!RUGA_FAILED(status)) status = block_pattern_create(context, s->count, &pattern);
    if (!RUGA_FAILED(status)) status = laws->add_pattern(&e->base, pattern);
    block_pattern_destroy(pattern);
    lattice_energy_destroy(e);
    return status;
}

static void every_allocation_may_fail(void **state) {
    lattice_stage s = make_case(*state, 0);
    assert_less(5, assert_every_allocation_may_fail(make_and_use, &s));
    lattice_stage_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_stores_nothing_and_rigid_motions_change_nothing),
        cmocka_unit_test(a_linear_displacement_passes_the_patch_test),
        cmocka_unit_test(a_pulled_block_has_its_youngs_modulus_and_poisson_ratio),
        cmocka_unit_test(gradients_and_products_are_derivatives),
        cmocka_unit_test(the_projection_is_definite_and_never_below_the_hessian),
        cmocka_unit_test(blocks_and_matrix_agree_with_products),
        cmocka_unit_test(forces_conserve_momentum_and_angular_momentum),
        cmocka_unit_test(inverted_elements_recover),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(bad_materials_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
