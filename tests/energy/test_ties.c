/* Ties: forces are minus the gradient, products and blocks are those of the Hessian, momentum is conserved. */
#include "energy/ties.h"

#include <math.h>

#include "support/support.h"

enum { POINTS = 8, TIES = 6 };

typedef struct ties_case {
    tie ties[TIES];
    vec3 x[POINTS];
    tie_law law;
} ties_case;

/* Ties of a point to a point, to a place on an edge and to a place on a triangle; those of one point end at an anchor.
 * */
static ties_case make_case(uint64_t seed) {
    test_random random = {seed};
    ties_case c = {.law = {.progress = random_unit(&random), .closed = 0.05, .dt = 0.01}};
    for (int i = 0; i < POINTS; i++) c.x[i] = random_vec3(&random, -1, 1);
    for (uint32_t k = 0; k < TIES; k++) {
        tie *t = &c.ties[k];
        double w = random_unit(&random);
        *t = (tie){
            .stiffness = random_between(&random, 1, 100), .gap = random_between(&random, 0, 0.5), .count = 1 + k % 3};
        t->points[0] = k;
        t->weights[0] = 1;
        for (uint32_t i = 1; i < t->count; i++) {
            t->points[i] = (k + i) % POINTS;
            t->weights[i] = t->count == 2 ? -1 : i == 1 ? -w : w - 1;
        }
        if (t->count == 1) t->anchor = random_vec3(&random, -1, 1);
    }
    return c;
}

static void forces_are_minus_the_gradient(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        ties_case c = make_case(seed);
        vec3 f[POINTS] = {{0, 0, 0}};
        ties_add_forces(c.ties, TIES, &c.law, c.x, f);
        for (int i = 0; i < POINTS; i++) {
            const double h = 1e-6;
            ties_case up = c, down = c;
            up.x[i].y += h;
            down.x[i].y -= h;
            double slope =
                (ties_energy(up.ties, TIES, &c.law, up.x) - ties_energy(down.ties, TIES, &c.law, down.x)) / (2 * h);
            assert_near_case(f[i].y, -slope, 1e-5, "seed %llu, point %d", (unsigned long long)seed, i);
        }
    }
}

/* product -= the squares of a tie times a direction. */
static void add_square_products(const ties_case *c, const tie *t, const vec3 *direction, vec3 *product) {
    vec3 squares[3], change = {0, 0, 0};
    tie_squares(t, &c->law, c->x, squares);
    for (uint32_t i = 0; i < t->count; i++) change = vec3_add_scaled(change, direction[t->points[i]], t->weights[i]);
    for (int e = 0; e < 3; e++)
        for (uint32_t i = 0; i < t->count; i++)
            product[t->points[i]] =
                vec3_add_scaled(product[t->points[i]], squares[e], -t->weights[i] * vec3_dot(squares[e], change));
}

static void products_and_blocks_are_the_derivative_of_forces(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        ties_case c = make_case(seed);
        const double h = 1e-6;
        for (int i = 0; i < POINTS; i++) {
            vec3 direction[POINTS] = {{0, 0, 0}}, product[POINTS] = {{0, 0, 0}};
            vec3 a[POINTS] = {{0, 0, 0}}, b[POINTS] = {{0, 0, 0}};
            mat3 blocks[POINTS] = {{{{0}}}};
            direction[i] = (vec3){0.3, -0.8, 0.5};
            ties_case up = c, down = c;
            up.x[i] = vec3_add_scaled(c.x[i], direction[i], h);
            down.x[i] = vec3_add_scaled(c.x[i], direction[i], -h);
            ties_add_forces(up.ties, TIES, &c.law, up.x, a);
            ties_add_forces(down.ties, TIES, &c.law, down.x, b);
            ties_add_product(c.ties, TIES, &c.law, c.x, direction, product);
            ties_add_blocks(c.ties, TIES, &c.law, c.x, blocks);
            vec3 by_squares[POINTS] = {{0, 0, 0}};
            for (int k = 0; k < TIES; k++) add_square_products(&c, &c.ties[k], direction, by_squares);
            for (int k = 0; k < POINTS; k++)
                assert_near_case(vec3_distance(product[k], by_squares[k]), 0, 1e-10, "seed %llu, points %d and %d",
                                 (unsigned long long)seed, i, k);
            for (int k = 0; k < POINTS; k++)
                assert_near_case(vec3_distance(product[k], vec3_scale(vec3_sub(a[k], b[k]), 1 / (2 * h))), 0, 1e-5,
                                 "seed %llu, points %d and %d", (unsigned long long)seed, i, k);
            assert_near(vec3_distance(mat3_apply(&blocks[i], direction[i]), product[i]), 0, 1e-9);
        }
    }
}

static void products_never_push(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 200; seed++) {
        ties_case c = make_case(seed);
        test_random random = {seed};
        vec3 d[POINTS], product[POINTS] = {{0, 0, 0}};
        double work = 0;
        c.law.damping_time = 0.02;
        for (int i = 0; i < POINTS; i++) d[i] = random_vec3(&random, -1, 1);
        ties_add_product(c.ties, TIES, &c.law, c.x, d, product);
        for (int i = 0; i < POINTS; i++) work += vec3_dot(d[i], product[i]);
        assert_at_most(work, 1e-12);
    }
}

static void ties_within_a_body_conserve_momentum_and_angular_momentum(void **state) {
    (void)state;
    size_t pulled = 0;
    for (uint64_t seed = 1; seed < 50; seed++) {
        ties_case c = make_case(seed);
        for (int k = 0; k < TIES; k++) {
            if (c.ties[k].count == 1) continue;
            vec3 f[POINTS] = {{0, 0, 0}}, sum = {0, 0, 0}, torque = {0, 0, 0};
            ties_add_forces(&c.ties[k], 1, &c.law, c.x, f);
            for (int i = 0; i < POINTS; i++) {
                sum = vec3_add(sum, f[i]);
                torque = vec3_add(torque, vec3_cross(c.x[i], f[i]));
                pulled += vec3_length(f[i]) > 0;
            }
            assert_near(vec3_length(sum), 0, 1e-12);
            assert_near(vec3_length(torque), 0, 1e-12);
        }
    }
    assert_ran(pulled, 100);
}

static void the_rest_length_goes_from_the_gap_to_the_closed_one(void **state) {
    (void)state;
    tie t = {.gap = 0.4};
    tie_law law = {.closed = 0.1};
    assert_near(tie_rest_length(&t, &law), 0.4, 1e-15);
    law.progress = 1;
    assert_near(tie_rest_length(&t, &law), 0.1, 1e-15);
    t.gap = 0.05; /* nearer than the closed one from the start: it is not pushed apart */
    assert_near(tie_rest_length(&t, &law), 0.1, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_minus_the_gradient),
        cmocka_unit_test(products_and_blocks_are_the_derivative_of_forces),
        cmocka_unit_test(products_never_push),
        cmocka_unit_test(ties_within_a_body_conserve_momentum_and_angular_momentum),
        cmocka_unit_test(the_rest_length_goes_from_the_gap_to_the_closed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
