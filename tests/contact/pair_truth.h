/* The truth about pairs, in rational arithmetic: how far they are apart. */
#ifndef TESTS_PAIR_TRUTH_H
#define TESTS_PAIR_TRUTH_H

#include "contact/pairs.h"
#include "support/rational.h"
#include "support/support.h"

typedef struct pair_query {
    pair_kind kind;
    ruga_vec3 from[4], to[4];
    double separation;
} pair_query;

static void print_query(const pair_query *q) {
    print_message("kind %d, separation %a\n", (int)q->kind, q->separation);
    for (int k = 0; k < 4; k++)
        print_message("    {%a, %a, %a}  ->  {%a, %a, %a}\n", q->from[k].x, q->from[k].y, q->from[k].z, q->to[k].x,
                      q->to[k].y, q->to[k].z);
}

#define assert_of_query(q, condition)                                       \
    do {                                                                    \
        if (!(condition)) print_query(q);                                   \
        fail_if(!(condition), "%s:%d: %s", __FILE__, __LINE__, #condition); \
    } while (0)

/* ---- Differences between the parts: three corners of a triangle, or four of a parallelogram. */
static const int corner_first[2][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}}, corner_second[2][4] = {{1, 2, 3, 3}, {2, 2, 3, 3}};
static int corner_count(pair_kind kind) { return kind == PAIR_VERTEX_TRIANGLE ? 3 : 4; }

static void exact_corners(pair_kind kind, const ruga_vec3 x[4], rational3 corners[4]) {
    for (int k = 0; k < 4; k++)
        corners[k] = rational3_sub(rational3_from(x[corner_first[kind][k]]), rational3_from(x[corner_second[kind][k]]));
}

static rational exact_absolute(rational a) { return rational_sign(a) < 0 ? rational_negate(a) : a; }
static rational exact_larger(rational a, rational b) { return rational_compare(a, b) < 0 ? b : a; }
static rational exact_smaller(rational a, rational b) { return rational_compare(a, b) < 0 ? a : b; }
static rational exact_largest(const rational3 *corners, int count) {
    rational largest = rational_ratio(0, 1);
    for (int k = 0; k < count; k++) {
        largest = exact_larger(largest, exact_absolute(corners[k].x));
        largest = exact_larger(largest, exact_absolute(corners[k].y));
        largest = exact_larger(largest, exact_absolute(corners[k].z));
    }
    return largest;
}

/* ---- How far apart: the nearest point of the patch to the origin. */
static rational3 exact_nearer(rational3 a, rational3 b) {
    return rational_compare(rational3_dot(a, a), rational3_dot(b, b)) <= 0 ? a : b;
}

static rational3 exact_nearest_on_edge(rational3 a, rational3 b) {
    rational3 edge = rational3_sub(b, a);
    rational product = rational_negate(rational3_dot(a, edge)), edge2 = rational3_dot(edge, edge);
    if (rational_sign(product) <= 0) return a;
    if (rational_compare(product, edge2) >= 0) return b;
    return rational3_mix(a, b, rational_div(product, edge2));
}

static rational3 exact_nearest_on_triangle(rational3 a, rational3 b, rational3 c) {
    rational3 normal = rational3_cross(rational3_sub(b, a), rational3_sub(c, a));
    if (!rational3_is_zero(normal) && rational_sign(rational3_determinant(normal, a, b)) >= 0 &&
        rational_sign(rational3_determinant(normal, b, c)) >= 0 &&
        rational_sign(rational3_determinant(normal, c, a)) >= 0)
        return rational3_scale(normal, rational_div(rational3_dot(a, normal), rational3_dot(normal, normal)));
    return exact_nearer(exact_nearest_on_edge(a, b),
                        exact_nearer(exact_nearest_on_edge(b, c), exact_nearest_on_edge(c, a)));
}

/* The gap vector. */
static rational3 exact_gap(pair_kind kind, const rational3 corners[4]) {
    rational3 gap = exact_nearest_on_triangle(corners[0], corners[1], corners[2]);
    if (kind == PAIR_VERTEX_TRIANGLE) return gap;
    return exact_nearer(gap, exact_nearest_on_triangle(corners[1], corners[2], corners[3]));
}

/* A square root to a hundred digits or so, below. */
static rational exact_root(rational square) {
    mpz_t integer;
    mpz_init(integer);
    long shift = 256 + (long)mpz_sizeinbase(mpq_denref(square), 2);
    mpz_mul_2exp(integer, mpq_numref(square), 2 * (mp_bitcnt_t)shift);
    mpz_fdiv_q(integer, integer, mpq_denref(square));
    mpz_sqrt(integer, integer);
    mpq_t value;
    mpq_init(value);
    mpq_set_z(value, integer);
    mpq_div_2exp(value, value, (mp_bitcnt_t)shift);
    rational result = rational_add(value, rational_ratio(0, 1));
    mpq_clear(value);
    mpz_clear(integer);
    return result;
}

static rational exact_length(rational3 a) { return exact_root(rational3_dot(a, a)); }

#endif
