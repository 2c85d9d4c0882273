/* The truth about pairs on straight trajectories, in rational arithmetic: whether and when they touch, by roots of
 * polynomials; a proof that they stay apart. And what ccd_pair promises, held against it. */
#ifndef TESTS_CCD_TRUTH_H
#define TESTS_CCD_TRUTH_H

#include "contact/ccd.h"
#include "contact/pair_truth.h"
#include "support/polynomial.h"

/* ---- Whether they touch: the origin is in the patch of differences. */
typedef struct truth_triangle {
    polynomial3 normal, crosses[3];
    polynomial areas[3], dots[3]; /* areas: of edge and origin, along the normal */
} truth_triangle;

static truth_triangle truth_triangle_of(const polynomial3 corners[3]) {
    truth_triangle t;
    polynomial3 side1 = polynomial3_sub(&corners[1], &corners[0]), side2 = polynomial3_sub(&corners[2], &corners[0]);
    t.normal = polynomial3_cross(&side1, &side2);
    for (int k = 0; k < 3; k++) {
        t.crosses[k] = polynomial3_cross(&corners[k], &corners[(k + 1) % 3]);
        t.dots[k] = polynomial3_dot(&corners[k], &corners[(k + 1) % 3]);
        t.areas[k] = polynomial3_dot(&t.crosses[k], &t.normal);
    }
    return t;
}

static int is_zero_at(const polynomial3 *p, root *at) {
    return polynomial_sign_at_root(&p->x, at) == 0 && polynomial_sign_at_root(&p->y, at) == 0 &&
           polynomial_sign_at_root(&p->z, at) == 0;
}

/* Whether a triangle has the origin at a time when the origin is in its plane. */
static int holds_origin(const truth_triangle *t, root *at) {
    if (!is_zero_at(&t->normal, at)) {
        for (int k = 0; k < 3; k++)
            if (polynomial_sign_at_root(&t->areas[k], at) < 0) return 0;
        return 1;
    }
    for (int k = 0; k < 3; k++)
        if (is_zero_at(&t->crosses[k], at) && polynomial_sign_at_root(&t->dots[k], at) <= 0) return 1;
    return 0;
}

static int holds_origin_at_roots(const truth_triangle *t, const polynomial *of, rational low, rational high) {
    root roots[POLYNOMIAL_MOST];
    int count = polynomial_roots(of, low, high, roots);
    for (int k = 0; k < count; k++)
        if (holds_origin(t, &roots[k])) return 1;
    return 0;
}

/* Where it is in the plane all the time, touching begins and ends where one of the conditions does. */
static int flat_triangle_touches(const truth_triangle *t, rational low, rational high) {
    root end = {.low = high, .high = high};
    if (holds_origin(t, &end)) return 1;
    const polynomial3 *n = &t->normal;
    if (holds_origin_at_roots(t, &n->x, low, high) || holds_origin_at_roots(t, &n->y, low, high) ||
        holds_origin_at_roots(t, &n->z, low, high))
        return 1;
    for (int k = 0; k < 3; k++) {
        const polynomial3 *c = &t->crosses[k];
        if (holds_origin_at_roots(t, &t->areas[k], low, high) || holds_origin_at_roots(t, &t->dots[k], low, high) ||
            holds_origin_at_roots(t, &c->x, low, high) || holds_origin_at_roots(t, &c->y, low, high) ||
            holds_origin_at_roots(t, &c->z, low, high))
            return 1;
    }
    return 0;
}

static int triangle_touches(const polynomial3 corners[3], rational low, rational high) {
    truth_triangle t = truth_triangle_of(corners);
    polynomial volume = polynomial3_dot(&corners[0], &t.normal);
    root start = {.low = low, .high = low};
    if (polynomial_sign_at(&volume, low) == 0 && holds_origin(&t, &start)) return 1;
    if (volume.degree < 0) return flat_triangle_touches(&t, low, high);
    return holds_origin_at_roots(&t, &volume, low, high);
}

/* Whether the parts touch at some time in [low, high]. */
static int truth_touches(const pair_query *q, rational low, rational high) {
    rational3 from[4], to[4];
    exact_corners(q->kind, q->from, from);
    exact_corners(q->kind, q->to, to);
    int triangles = q->kind == PAIR_VERTEX_TRIANGLE ? 1 : 2;
    for (int n = 0; n < triangles; n++) {
        polynomial3 corners[3];
        for (int k = 0; k < 3; k++) corners[k] = polynomial3_line(from[n + k], to[n + k]);
        if (triangle_touches(corners, low, high)) return 1;
    }
    return 0;
}

/* ---- A proof that the parts stay farther apart than a distance from low to high: axes, stretch by stretch. */
static int axis_proves(const rational3 *corners, int count, rational3 axis, rational apart) {
    rational bound = rational_mul(rational_mul(apart, apart), rational3_dot(axis, axis));
    for (int k = 0; k < count; k++) {
        rational product = rational3_dot(corners[k], axis);
        if (rational_sign(product) <= 0 || rational_compare(rational_mul(product, product), bound) < 0) return 0;
    }
    return 1;
}

/* Any axis is as good for a proof. */
static rational3 likely_axis(pair_kind kind, const rational3 corners[4]) {
    ruga_vec3 x[4] = {{0, 0, 0}};
    rational3 zero = rational3_from(x[0]);
    int is_triangle = kind == PAIR_VERTEX_TRIANGLE;
    for (int k = 1; k < 4 && is_triangle; k++) x[k] = rational3_to_vec3(rational3_sub(zero, corners[k - 1]));
    for (int k = 0; k < 2 && !is_triangle; k++) x[k] = rational3_to_vec3(corners[k]);
    if (!is_triangle) x[3] = rational3_to_vec3(rational3_sub(corners[0], corners[2]));
    return rational3_from(gap_of(kind, x).direction);
}

/* 1: proved; 0: not within so many stretches. */
static int truth_stays_apart(pair_kind kind, const rational3 from[4], const rational3 to[4], rational apart,
                             int *left) {
    if (--*left < 0) return 0;
    int count = corner_count(kind);
    /* The nearest points at the end say more than others where parts come nearer. */
    rational3 axis = likely_axis(kind, to);
    if (axis_proves(from, count, axis, apart) && axis_proves(to, count, axis, apart)) return 1;
    rational3 middle[4];
    for (int k = 0; k < 4; k++) middle[k] = rational3_mix(from[k], to[k], rational_ratio(1, 2));
    return truth_stays_apart(kind, from, middle, apart, left) && truth_stays_apart(kind, middle, to, apart, left);
}

/* ---- The promises of ccd.h. */
typedef struct ccd_tally {
    size_t hits, touching;
    size_t given_up; /* hits where the search stopped: CCD_PIECES */
    size_t unproved; /* that they stay apart, within the stretches of a proof */
} ccd_tally;

/* Facts about a query, known beforehand. */
typedef struct ccd_truth {
    rational3 from[4], to[4]; /* corners */
    rational start;           /* distance */
    rational asked;           /* the separation, or half of that */
    rational rounding;
} ccd_truth;

static ccd_truth truth_of(const pair_query *q) {
    ccd_truth truth;
    exact_corners(q->kind, q->from, truth.from);
    exact_corners(q->kind, q->to, truth.to);
    rational largest = exact_larger(exact_largest(truth.from, 4), exact_largest(truth.to, 4));
    truth.rounding = rational_mul(largest, rational_from(0x1p-44));
    truth.start = exact_length(exact_gap(q->kind, truth.from));
    truth.asked = exact_smaller(rational_from(q->separation), rational_mul(truth.start, rational_ratio(1, 2)));
    return truth;
}

static rational truth_distance_at(const pair_query *q, const ccd_truth *truth, rational time) {
    rational3 corners[4];
    for (int k = 0; k < 4; k++) corners[k] = rational3_mix(truth->from[k], truth->to[k], time);
    return exact_length(exact_gap(q->kind, corners));
}

/* The longest displacement of a vertex relative to one of the other part. */
static rational truth_longest_displacement(const ccd_truth *truth) {
    rational longest = rational_ratio(0, 1);
    for (int k = 0; k < 4; k++)
        longest = exact_larger(longest, exact_length(rational3_sub(truth->to[k], truth->from[k])));
    return longest;
}

/* Where the search stopped the pair has been near at some time. */
static void assert_stopped_near(const pair_query *q, const ccd_truth *truth, rational time) {
    rational near = rational_mul(truth_longest_displacement(truth), rational_ratio(1, CCD_PIECES));
    near = rational_add(rational_add(near, truth->asked), truth->rounding);
    int was_near = 0;
    for (int k = 0; k <= 64 && !was_near; k++) {
        rational moment = rational_mul(time, rational_ratio(k, 64));
        was_near = rational_compare(truth_distance_at(q, truth, moment), near) <= 0;
    }
    assert_of_query(q, was_near);
}

/* The distance is below 1.25 x what was asked about, but for roundings. */
static void check_alarm(const pair_query *q, const ccd_truth *truth, double time, ccd_tally *tally) {
    assert_of_query(q, time >= 0 && time <= 1);
    rational at = rational_from(time), most = truth->rounding;
    if (time > 0) most = rational_add(most, rational_mul(truth->asked, rational_ratio(5, 4)));
    if (rational_compare(truth_distance_at(q, truth, at), most) <= 0) return;
    assert_stopped_near(q, truth, at);
    tally->given_up++;
}

/* Holds one answer against the truth; `proof`: the most stretches of a proof that parts stay apart. Without one the
 * roots of polynomials decide, which they may do anyhow. */
static void check_query(const pair_query *q, int proof, int roots_anyhow, ccd_tally *tally) {
    rational_release_all();
    ccd_truth truth = truth_of(q);
    rational zero = rational_ratio(0, 1), one = rational_ratio(1, 1), until = one;
    double time = 0.5;
    int hit = ccd_pair(q->kind, q->from, q->to, q->separation, &time);
    int touches = roots_anyhow && truth_touches(q, zero, one);
    tally->hits += (size_t)hit, tally->touching += (size_t)touches;
    assert_of_query(q, hit || !touches);
    if (hit) check_alarm(q, &truth, time, tally);
    if (hit && time == 0) return;

    /* Until then they neither touch nor come nearer than what was asked about. */
    if (hit) until = rational_from(time);
    rational half = rational_sub(rational_mul(truth.start, rational_ratio(1, 2)), truth.rounding);
    rational least = exact_smaller(rational_from(q->separation), half);
    assert_of_query(q, rational_compare(truth_distance_at(q, &truth, until), least) >= 0);
    rational3 end[4];
    for (int k = 0; k < 4; k++) end[k] = rational3_mix(truth.from[k], truth.to[k], until);
    if (truth_stays_apart(q->kind, truth.from, end, least, &proof)) return;
    assert_of_query(q, !truth_touches(q, zero, until));
    tally->unproved++;
}

#endif
