/* Continuous collision by axes that prove separation.
 *
 * Along an axis n, |n| <= 1, the parts of a pair are at least as far apart as the least product of n with a difference of a
 * vertex of one and a vertex of the other (a corner of the patch, see patch.h). On straight ways each such product is linear in time,
 * so its values at two times bound it in between: no distance is ever trusted, only products with an axis that was found
 * somehow. Over a stretch of time from t0 to t1, at whose ends the axes of the nearest points are n0 and n1:
 *
 *     n0 alone        holds as long as no product falls below the separation. That is at least as far as conservative
 *                     advancement goes (Li, Kaufman and Jiang 2021), which allows for every motion at the greatest speed; motion in
 *                     common and motion across the gap cost nothing here
 *     n0 to n1        the axis that turns linearly makes every product a quadratic in time, which is above the least of its
 *                     Bernstein coefficients D(t0) n0, (D(t0) n1 + D(t1) n0) / 2, D(t1) n1: pairs that turn together
 *
 * Stretch by stretch from time 0, until the end or until the nearest points are nearer than 1.25 x the separation.
 *
 * Rounding. Let M be the largest coordinate of any difference, at both ends of the ways, and u = 2^-53. A product's error is
 * below 8 u M (differences, then three products and two sums, |D| <= sqrt 3 M); a value in between, and the time where a line
 * crosses, add less than 24 u M; the length of a normalised axis is below 1 + 4 u. All this is below 64 u M, which is added to the
 * separation wherever it is compared to.
 */
#include "contact/ccd.h"

#include "contact/patch.h"

/* Parts of M: what all roundings together are below; the least separation that is asked about; and the distance at the
 * start below which it counts as touching. */
#define ROUNDING 0x1p-47
#define LEAST_SEPARATION 0x1p-46
#define TOUCHING 0x1p-45
/* Nearer than so many separations is a collision. */
#define ALARM 1.25

/* The ways of the patch's corners. */
typedef struct corner_ways {
    double at[2][3][4]; /* start and end, coordinate, corner; a triangle's last corner is there twice */
    double largest;     /* of these coordinates, without sign */
} corner_ways;

/* An axis: its products with the corners at the start and at the end of the ways. */
typedef struct axis_products {
    double start[4], end[4];
} axis_products;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static void set_corners(pair_kind kind, const vec3 x[4], double at[3][4]) {
    static const int firsts[2][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}}, seconds[2][4] = {{1, 2, 3, 3}, {2, 2, 3, 3}};
    const int *first = firsts[kind], *second = seconds[kind];
    for (int k = 0; k < 4; k++) {
        at[0][k] = x[first[k]].x - x[second[k]].x;
        at[1][k] = x[first[k]].y - x[second[k]].y;
        at[2][k] = x[first[k]].z - x[second[k]].z;
    }
}

static corner_ways ways_of(pair_kind kind, const vec3 from[4], const vec3 to[4]) {
    corner_ways ways = {.largest = 0};
    set_corners(kind, from, ways.at[0]);
    set_corners(kind, to, ways.at[1]);
    for (int end = 0; end < 2; end++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 4; k++) ways.largest = larger(ways.largest, fabs(ways.at[end][c][k]));
    return ways;
}

/* Whether a coordinate keeps the parts apart farther than a distance all the time. */
static int box_keeps_apart(const corner_ways *ways, double apart) {
    for (int c = 0; c < 3; c++) {
        double least = INFINITY, greatest = -INFINITY;
        for (int end = 0; end < 2; end++)
            for (int k = 0; k < 4; k++) {
                least = smaller(least, ways->at[end][c][k]);
                greatest = larger(greatest, ways->at[end][c][k]);
            }
        if (least >= apart || -greatest >= apart) return 1;
    }
    return 0;
}

static axis_products products_of(const corner_ways *ways, vec3 axis) {
    axis_products p;
    for (int k = 0; k < 4; k++) {
        p.start[k] = ways->at[0][0][k] * axis.x + ways->at[0][1][k] * axis.y + ways->at[0][2][k] * axis.z;
        p.end[k] = ways->at[1][0][k] * axis.x + ways->at[1][1][k] * axis.y + ways->at[1][2][k] * axis.z;
    }
    return p;
}

static double product_at(const axis_products *p, int corner, double time) {
    return p->start[corner] + time * (p->end[corner] - p->start[corner]);
}

static double least_product_at(const axis_products *p, double time) {
    double least = INFINITY;
    for (int k = 0; k < 4; k++) least = smaller(least, product_at(p, k, time));
    return least;
}

/* The axis of the nearest points at a time. */
static axis_products nearest_axis_at(pair_kind kind, const corner_ways *ways, double time) {
    double now[3][4];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 4; k++) now[c][k] = ways->at[0][c][k] + time * (ways->at[1][c][k] - ways->at[0][c][k]);
    patch p = {.base = {now[0][0], now[1][0], now[2][0]}, .kind = kind};
    for (int side = 0; side < 2; side++) {
        p.sides[side].x = now[0][side + 1] - now[0][0];
        p.sides[side].y = now[1][side + 1] - now[1][0];
        p.sides[side].z = now[2][side + 1] - now[2][0];
    }
    return products_of(ways, patch_nearest(&p).direction);
}

/* Until when all products stay above a bound that they are above at a time; beyond 1: always. */
static double holds_until(const axis_products *p, double time, double bound) {
    double until = 2;
    for (int k = 0; k < 4; k++) {
        if (p->end[k] >= bound) continue;
        double now = product_at(p, k, time);
        until = smaller(until, time + (1 - time) * ((now - bound) / (now - p->end[k])));
    }
    return until;
}

/* Whether the axis that turns from one to the other keeps all products above a bound; the ends are known to. */
static int turning_axis_holds(const axis_products *from, const axis_products *to, double t0, double t1, double bound) {
    for (int k = 0; k < 4; k++) {
        double first = product_at(from, k, t0), last = product_at(to, k, t1);
        double middle = (product_at(to, k, t0) + product_at(from, k, t1)) / 2;
        if (!(first >= bound && middle >= bound && last >= bound)) return 0;
    }
    return 1;
}

/* Stretch by stretch from time 0, where the pair is at least 2 separations apart along the axis. */
static int advance(pair_kind kind, const corner_ways *ways, axis_products axis, double separation, double *time) {
    double rounding = ROUNDING * ways->largest, bound = separation + rounding, alarm = ALARM * separation + rounding;
    double length = 1;
    for (int pieces = 0; pieces < CCD_PIECES;) {
        double until = holds_until(&axis, *time, bound);
        if (until >= 1) return 0;

        /* What the axis shows alone, where that is not much shorter than what may be shown by turning. */
        int alone = until - *time >= length / 2;
        double next = alone ? until : length < 1 - *time ? *time + length : 1;
        axis_products next_axis = nearest_axis_at(kind, ways, next);
        if (!alone && !turning_axis_holds(&axis, &next_axis, *time, next, bound)) {
            length = larger(length / 2, until - *time);
            continue;
        }
        if (next >= 1) return 0;
        *time = next, axis = next_axis, pieces++, length *= 2;
        if (least_product_at(&axis, next) < alarm) return 1;
    }
    return 1;
}

int ccd_pair(pair_kind kind, const ruga_vec3 from[4], const ruga_vec3 to[4], double separation, double *time) {
    corner_ways ways = ways_of(kind, from, to);
    double scale = patch_scale(ways.largest);
    if (scale != 1) {
        vec3 ends[2][4];
        for (int k = 0; k < 4; k++) ends[0][k] = vec3_scale(from[k], scale), ends[1][k] = vec3_scale(to[k], scale);
        ways = ways_of(kind, ends[0], ends[1]);
        separation *= scale;
    }
    *time = 0;
    double least = larger(separation, LEAST_SEPARATION * ways.largest);
    if (!(ways.largest > 0)) return 1;
    if (box_keeps_apart(&ways, least + ROUNDING * ways.largest)) return 0;

    axis_products axis = nearest_axis_at(kind, &ways, 0);
    double distance = least_product_at(&axis, 0) - ROUNDING * ways.largest;
    if (!(distance > TOUCHING * ways.largest)) return 1;
    return advance(kind, &ways, axis, smaller(least, distance / 2), time);
}
