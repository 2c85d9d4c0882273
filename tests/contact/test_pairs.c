/* Gaps of pairs against rational arithmetic: the nearest points, whatever the parts look like. */
#include "contact/pairs.h"

#include <math.h>

#include "contact/pair_queries.h"

static ruga_vec3 weighted(const double weights[4], const ruga_vec3 x[4]) {
    ruga_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) sum = vec3_add_scaled(sum, x[k], weights[k]);
    return sum;
}

static rational3 exact_weighted(const double weights[4], const ruga_vec3 x[4]) {
    rational3 sum = rational3_scale(rational3_from(x[0]), rational_from(weights[0]));
    for (int k = 1; k < 4; k++)
        sum = rational3_add(sum, rational3_scale(rational3_from(x[k]), rational_from(weights[k])));
    return sum;
}

/* Weights are those of points of both parts. */
static void assert_weights(pair_kind kind, const double w[4]) {
    int is_triangle = kind == PAIR_VERTEX_TRIANGLE;
    double first = is_triangle ? w[0] : w[0] + w[1], second = is_triangle ? w[1] + w[2] + w[3] : w[2] + w[3];
    assert_near(first, 1, 1e-15);
    assert_less(fabs(second + 1), 1e-15);
    for (int k = 0; k < 4; k++) assert_true(k < (is_triangle ? 1 : 2) ? w[k] >= 0 : w[k] <= 0);
}

/* The weights give the distance, and its vector is along the direction. */
static void check_vector(const pair_query *q, const pair_gap *gap, rational rounding) {
    /* Weights that do not sum to zero by a rounding move the vector by as much of the coordinates. */
    for (int k = 0; k < 4; k++) {
        rational3 x = rational3_from(q->from[k]);
        rounding = exact_larger(rounding, rational_mul(exact_largest(&x, 1), rational_from(0x1p-46)));
    }
    rational3 vector = exact_weighted(gap->weights, q->from);
    rational found = rational_from(gap->distance), length = exact_length(vector);
    assert_of_query(q, rational_compare(exact_absolute(rational_sub(found, length)), rounding) <= 0);
    /* Parts that all but touch have a direction that is as good along which they are apart; it may turn by more. */
    if (rational_compare(length, rational_mul(rounding, rational_from(0x1p26))) < 0) return;
    rational3 off = rational3_sub(vector, rational3_scale(rational3_from(gap->direction), found));
    assert_of_query(q, rational_compare(exact_length(off), rounding) <= 0);
}

/* The gap is the exact one to a few roundings of the largest difference: its length, its vector, and its direction,
 * along which no point of one part is nearer to one of the other. */
static void check_gap(const pair_query *q) {
    rational_release_all();
    rational3 corners[4];
    exact_corners(q->kind, q->from, corners);
    rational distance = exact_length(exact_gap(q->kind, corners));
    rational rounding = rational_mul(exact_largest(corners, 4), rational_from(0x1p-46));
    rounding = rational_add(rounding, rational_from(0x1p-1074));
    pair_gap gap = gap_of(q->kind, q->from);
    assert_weights(q->kind, gap.weights);
    assert_near(vec3_length(gap.direction), 1, 1e-15);

    rational found = rational_from(gap.distance), least = NULL;
    assert_of_query(q, rational_compare(exact_absolute(rational_sub(found, distance)), rounding) <= 0);
    rational3 axis = rational3_from(gap.direction);
    for (int k = 0; k < corner_count(q->kind); k++) {
        rational product = rational3_dot(corners[k], axis);
        least = least ? exact_smaller(least, product) : product;
    }
    assert_of_query(q, rational_compare(least, rational_sub(distance, rounding)) >= 0);
    check_vector(q, &gap, rounding);
}

static void gaps_are_exact_to_rounding(void **state) {
    (void)state;
    query_maker *const makers[] = {
        random_query,          lattice_query,           parallel_query, coplanar_query, touching_query,
        nearly_touching_query, nearly_degenerate_query, thin_query,     grazing_query,  far_query,
        scaled_query,          zero_length_query};
    for (size_t kind = 0; kind < sizeof makers / sizeof makers[0]; kind++) {
        test_random random = {21 + kind};
        for (int n = 0; n < FEWER(1500); n++) {
            pair_query q = makers[kind](&random);
            check_gap(&q);
            /* Half way, where many are made to touch. */
            for (int k = 0; k < 4; k++) q.from[k] = vec3_add(vec3_scale(q.from[k], 0.5), vec3_scale(q.to[k], 0.5));
            check_gap(&q);
        }
    }
}

static void no_points_of_the_parts_are_nearer(void **state) {
    (void)state;
    test_random random = {7};
    for (int n = 0; n < FEWER(20000); n++) {
        pair_query q = random_query(&random);
        pair_gap gap = gap_of(q.kind, q.from);
        for (int i = 0; i < 20; i++) {
            double s = random_unit(&random), t = random_unit(&random);
            if (q.kind == PAIR_VERTEX_TRIANGLE && s + t > 1) s = 1 - s, t = 1 - t;
            const double weights[2][4] = {{1, s + t - 1, -s, -t}, {1 - s, s, t - 1, -t}};
            assert_at_most(gap.distance - 1e-15, vec3_length(weighted(weights[q.kind], q.from)));
        }
    }
}

/* The gap is the same whichever edge is first, and however a triangle is turned. */
static void the_order_of_the_parts_does_not_matter(void **state) {
    (void)state;
    test_random random = {8};
    static const int orders[2][4] = {{0, 2, 3, 1}, {2, 3, 0, 1}};
    int apart = 0;
    for (int n = 0; n < FEWER(20000); n++) {
        pair_query q = random_query(&random), other = q;
        for (int k = 0; k < 4; k++) other.from[k] = q.from[orders[q.kind][k]];
        pair_gap a = gap_of(q.kind, q.from), b = gap_of(q.kind, other.from);
        double side = q.kind == PAIR_EDGE_EDGE ? -1 : 1;
        assert_near(a.distance, b.distance, 1e-15);
        apart += a.distance > 1e-6;
        if (a.distance > 1e-6) assert_less(vec3_distance(a.direction, vec3_scale(b.direction, side)), 1e-8);
        for (int k = 0; k < 4; k++) assert_near(a.weights[orders[q.kind][k]], side * b.weights[k], 1e-6);
    }
    assert_ran(apart, FEWER(10000));
}

/* Parts that touch have no gap vector; the direction is then at right angles to both. */
static void touching_parts_have_the_normal_as_direction(void **state) {
    (void)state;
    const ruga_vec3 over[4] = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const ruga_vec3 crossing[4] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    const ruga_vec3 corner[4] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const ruga_vec3 line[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {2, 0, 0}};
    const ruga_vec3 point[4] = {{3, 3, 3}, {3, 3, 3}, {3, 3, 3}, {3, 3, 3}};
    assert_true(fabs(gap_of(PAIR_VERTEX_TRIANGLE, over).direction.z) == 1);
    assert_true(fabs(gap_of(PAIR_VERTEX_TRIANGLE, corner).direction.z) == 1);
    assert_true(fabs(gap_of(PAIR_EDGE_EDGE, crossing).direction.z) == 1);
    pair_gap along = gap_of(PAIR_EDGE_EDGE, line), nothing = gap_of(PAIR_EDGE_EDGE, point);
    assert_true(along.direction.x == 0 && vec3_length(along.direction) == 1 && along.distance == 0);
    assert_true(vec3_length(nothing.direction) == 1 && nothing.distance == 0);
    assert_weights(PAIR_EDGE_EDGE, along.weights);
    assert_weights(PAIR_EDGE_EDGE, nothing.weights);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_exact_to_rounding),
        cmocka_unit_test(no_points_of_the_parts_are_nearer),
        cmocka_unit_test(the_order_of_the_parts_does_not_matter),
        cmocka_unit_test(touching_parts_have_the_normal_as_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
