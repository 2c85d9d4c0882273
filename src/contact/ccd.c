/* Continuous collision by axes that prove separation.
 *
 * Along an axis n, |n| <= 1, the parts of a pair are at least as far apart as the least product of n with a difference
 * of a vertex of one and a vertex of the other (a corner of the patch, see patch.h). On straight trajectories each such
 * product is linear in time, so its values at two times bound it in between: no distance is ever trusted, only products
 * with an axis, wherever that comes from. Over an interval of time from t0 to t1, at whose ends the axes of the nearest
 * points are n0 and n1:
 *
 *     n0 alone        holds as long as no product falls below the separation. That is at least as far as conservative
 *                     advancement reaches (Li, Kaufman and Jiang 2021), which assumes the greatest speed for every
 *                     motion; common motion and motion across the gap cost nothing here
 *     n0 to n1        the axis that rotates linearly makes every product a quadratic in time, which is above the least
 *                     of its Bernstein coefficients D(t0) n0, (D(t0) n1 + D(t1) n0) / 2, D(t1) n1: pairs that
 *                     rotate together
 *     the normal      of the patch, N(t), the product of its two sides, has the same product with every corner, a
 *                     cubic in time: it is enough that each Bernstein coefficient of that is above the separation
 *                     times the one of a bound of |N|, which are the lengths of N's own coefficients. Where the
 *                     nearest points are inside the patch this shows separation in a few intervals however near the
 *                     parts are
 *
 * Interval by interval from time 0, until the end or until the nearest points are nearer than 1.25 x the separation.
 * Two tests without nearest points come first: boxes, and the axis from one part's middle to the other's.
 *
 * Rounding. M is the largest coordinate of any difference at both ends, u = 2^-53. A product with an
 * axis is wrong by less than 8 u M (differences, three products, two sums; |D| <= sqrt 3 M); a value in between by 10
 * u M more, and the value of a line at its computed crossing by 35 u M more; the length of an axis
 * is below 1 + 4 u, and no separation is above M. Together that is below 64 u M, which is added to the separation
 * wherever products are compared to it. For the normal: corners at a time are wrong by 8 u M, sides by 18 u M in each
 * coordinate. With p, e, f the largest coordinates of base and sides at both ends of the interval, p at least
 * separation / sqrt 3, volumes are wrong by less than 150 u M p (e + f) + 108 u M e f and their bounds by 108 u M p
 * (e + f): below 512 u M (p (e + f) + e f).
 */
#include "contact/ccd.h"

#include "contact/patch.h"

/* Fractions of M: a bound of all roundings together; the least separation that is tested; and the distance at the start
 * below which a pair counts as touching. */
#define ROUNDING 0x1p-47
#define LEAST_SEPARATION 0x1p-46
#define TOUCHING 0x1p-45
/* The same for the volumes of the patch's normal with it, relative to M times their factors. */
#define NORMAL_ROUNDING 0x1p-44
/* Products of three or four lengths below this may have lost digits to underflow; they prove nothing. */
#define TOO_SMALL 1e-260
/* Nearer than so many separations is a collision. */
#define ALARM 1.25

/* The trajectories of the patch's corners. */
typedef struct corner_paths {
    double at[2][3][4]; /* start and end, coordinate, corner; a triangle's last corner is there twice */
    double largest;     /* of these coordinates, without sign */
} corner_paths;

/* An axis: its products with the corners at the start and at the end. */
typedef struct axis_products {
    double start[4], end[4];
} axis_products;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }
static double largest_coordinate(vec3 a) { return larger(larger(fabs(a.x), fabs(a.y)), fabs(a.z)); }

/* ---- Boxes: most pairs, without any product. */

/* How far the first part is above the second along a coordinate, and the second above the first; negative where not. */
typedef struct box_gaps {
    double first, second;
} box_gaps;

static inline box_gaps box_gaps_of(pair_kind kind, double x0, double x1, double x2, double x3) {
    double low = x0, high = x0, other_low = smaller(x2, x3), other_high = larger(x2, x3);
    if (kind == PAIR_VERTEX_TRIANGLE)
        other_low = smaller(other_low, x1), other_high = larger(other_high, x1);
    else
        low = smaller(low, x1), high = larger(high, x1);
    return (box_gaps){low - other_high, other_low - high};
}

static inline int gaps_stay(box_gaps a, box_gaps b, double apart) {
    double first = smaller(a.first, b.first), second = smaller(a.second, b.second), gap = larger(first, second);
    return gap >= apart && gap > 0;
}

/* Whether a coordinate alone keeps the parts apart all the time. A difference is rounded once, which is far below
 * what is added to the separation. */
static inline int boxes_stay_apart(pair_kind kind, const vec3 a[4], const vec3 b[4], double separation) {
    double apart = separation * (1 + 0x1p-50);
    return gaps_stay(box_gaps_of(kind, a[0].x, a[1].x, a[2].x, a[3].x),
                     box_gaps_of(kind, b[0].x, b[1].x, b[2].x, b[3].x), apart) ||
           gaps_stay(box_gaps_of(kind, a[0].y, a[1].y, a[2].y, a[3].y),
                     box_gaps_of(kind, b[0].y, b[1].y, b[2].y, b[3].y), apart) ||
           gaps_stay(box_gaps_of(kind, a[0].z, a[1].z, a[2].z, a[3].z),
                     box_gaps_of(kind, b[0].z, b[1].z, b[2].z, b[3].z), apart);
}

/* ---- Axes. */

static inline void set_corner(double at[3][4], int corner, vec3 first, vec3 second) {
    at[0][corner] = first.x - second.x, at[1][corner] = first.y - second.y, at[2][corner] = first.z - second.z;
}

static inline void set_corners(pair_kind kind, const vec3 x[4], double at[3][4]) {
    int is_triangle = kind == PAIR_VERTEX_TRIANGLE;
    set_corner(at, 0, x[0], x[is_triangle ? 1 : 2]);
    set_corner(at, 1, x[!is_triangle], x[2]);
    set_corner(at, 2, x[0], x[3]);
    set_corner(at, 3, x[!is_triangle], x[3]);
}

static void set_paths(pair_kind kind, const vec3 from[4], const vec3 to[4], corner_paths *paths) {
    set_corners(kind, from, paths->at[0]);
    set_corners(kind, to, paths->at[1]);
    double most[4] = {0, 0, 0, 0};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 4; k++)
            most[k] = larger(most[k], larger(fabs(paths->at[0][c][k]), fabs(paths->at[1][c][k])));
    paths->largest = larger(larger(most[0], most[1]), larger(most[2], most[3]));
}

static axis_products products_of(const corner_paths *paths, vec3 axis) {
    axis_products p;
    for (int k = 0; k < 4; k++) {
        p.start[k] = paths->at[0][0][k] * axis.x + paths->at[0][1][k] * axis.y + paths->at[0][2][k] * axis.z;
        p.end[k] = paths->at[1][0][k] * axis.x + paths->at[1][1][k] * axis.y + paths->at[1][2][k] * axis.z;
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

/* Whether an axis of any length keeps the parts apart all the time. */
static int axis_keeps_apart(const corner_paths *paths, vec3 axis, double apart) {
    axis_products p = products_of(paths, axis);
    double least = INFINITY;
    for (int k = 0; k < 4; k++) least = smaller(least, smaller(p.start[k], p.end[k]));
    double bound2 = apart * apart * vec3_length2(axis) * (1 + ROUNDING);
    return least > 0 && bound2 > TOO_SMALL && least * least >= bound2;
}

/* From the middle of one part to that of the other, on average: enough for most pairs that are side by side, or move
 * together. */
static vec3 middle_axis(const corner_paths *paths) {
    double sums[3];
    for (int c = 0; c < 3; c++) {
        double halves[4];
        for (int k = 0; k < 4; k++) halves[k] = paths->at[0][c][k] + paths->at[1][c][k];
        sums[c] = (halves[0] + halves[3]) + (halves[1] + halves[2]);
    }
    return vec3_make(sums[0], sums[1], sums[2]);
}

/* A time in [0, 1], with the axis of the nearest points. */
typedef struct moment {
    double time;
    patch patch;
    axis_products axis;
} moment;

static moment moment_at(pair_kind kind, const corner_paths *paths, double time) {
    moment m = {.time = time, .patch.kind = kind};
    double now[3][4];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 4; k++) now[c][k] = paths->at[0][c][k] + time * (paths->at[1][c][k] - paths->at[0][c][k]);
    m.patch.base = vec3_make(now[0][0], now[1][0], now[2][0]);
    for (int k = 0; k < 2; k++)
        m.patch.sides[k] = vec3_make(now[0][k + 1] - now[0][0], now[1][k + 1] - now[1][0], now[2][k + 1] - now[2][0]);
    m.axis = products_of(paths, patch_nearest(&m.patch).direction);
    return m;
}

/* Until when all products stay above a bound that they are above at a time; beyond 1: always. */
static double holds_until(const moment *m, double bound) {
    double until = 2;
    for (int k = 0; k < 4; k++) {
        double end = m->axis.end[k], now = product_at(&m->axis, k, m->time);
        if (end < bound) until = smaller(until, m->time + (1 - m->time) * ((now - bound) / (now - end)));
    }
    return until;
}

/* Whether the axis that rotates from that of one moment to that of the other keeps all products above a bound. */
static int turning_axis_holds(const moment *a, const moment *b, double bound) {
    for (int k = 0; k < 4; k++) {
        double first = product_at(&a->axis, k, a->time), last = product_at(&b->axis, k, b->time);
        double middle = (product_at(&b->axis, k, a->time) + product_at(&a->axis, k, b->time)) / 2;
        if (!(first >= bound && middle >= bound && last >= bound)) return 0;
    }
    return 1;
}

/* Whether the normal of the patch, as it rotates, keeps its plane farther away than the separation. */
static int normal_holds(const moment *a, const moment *b, double separation, double largest) {
    const patch *p = &a->patch, *q = &b->patch;
    vec3 normals[3] = {
        vec3_cross(p->sides[0], p->sides[1]),
        vec3_scale(vec3_add(vec3_cross(p->sides[0], q->sides[1]), vec3_cross(q->sides[0], p->sides[1])), 0.5),
        vec3_cross(q->sides[0], q->sides[1])};
    double volumes[4] = {
        vec3_dot(p->base, normals[0]), (2 * vec3_dot(p->base, normals[1]) + vec3_dot(q->base, normals[0])) / 3,
        (2 * vec3_dot(q->base, normals[1]) + vec3_dot(p->base, normals[2])) / 3, vec3_dot(q->base, normals[2])};
    double areas[3] = {vec3_length(normals[0]), vec3_length(normals[1]), vec3_length(normals[2])};
    double bounds[4] = {areas[0], (areas[0] + 2 * areas[1]) / 3, (2 * areas[1] + areas[2]) / 3, areas[2]};

    double base = larger(largest_coordinate(p->base), largest_coordinate(q->base));
    double side0 = larger(largest_coordinate(p->sides[0]), largest_coordinate(q->sides[0]));
    double side1 = larger(largest_coordinate(p->sides[1]), largest_coordinate(q->sides[1]));
    double rounding = NORMAL_ROUNDING * largest * (base * (side0 + side1) + side0 * side1);
    double side = volumes[0] < 0 ? -1 : 1;
    if (!(rounding > TOO_SMALL)) return 0;
    for (int k = 0; k < 4; k++)
        if (!(side * volumes[k] >= separation * bounds[k] + rounding)) return 0;
    return 1;
}

/* Interval by interval from the start, where the pair is at least 2 separations apart along the axis. */
static int advance(const corner_paths *paths, moment *now, double separation) {
    double rounding = ROUNDING * paths->largest, bound = separation + rounding, alarm = ALARM * separation + rounding;
    double length = 1;
    for (int pieces = 0; pieces < CCD_PIECES;) {
        double until = holds_until(now, bound);
        if (until >= 1) return 0;
        /* The axis alone, unless the interval that it proves is much shorter than what a rotating axis may prove. */
        int alone = until - now->time >= length / 2;
        double next_time = alone ? until : length < 1 - now->time ? now->time + length : 1;
        moment next = moment_at(now->patch.kind, paths, next_time);
        if (!alone && !turning_axis_holds(now, &next, bound) && !normal_holds(now, &next, separation, paths->largest)) {
            length = larger(length / 2, until - now->time);
            continue;
        }
        if (next_time >= 1) return 0;
        *now = next, pieces++, length *= 2;
        if (least_product_at(&now->axis, next_time) < alarm) return 1;
    }
    return 1;
}

/* The paths, scaled where their products would overflow or lose digits: differences when they are too small, for which
 * that is exact, positions when they are too large, for which it is next to that. Returns the scale. */
static double set_scaled_paths(pair_kind kind, const vec3 from[4], const vec3 to[4], corner_paths *paths) {
    set_paths(kind, from, to, paths);
    double scale = patch_scale(paths->largest);
    if (scale == 1) return scale;
    if (scale > 1) {
        paths->largest *= scale;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 4; k++) paths->at[0][c][k] *= scale, paths->at[1][c][k] *= scale;
        return scale;
    }
    vec3 ends[2][4];
    for (int k = 0; k < 4; k++) ends[0][k] = vec3_scale(from[k], scale), ends[1][k] = vec3_scale(to[k], scale);
    set_paths(kind, ends[0], ends[1], paths);
    return scale;
}

int ccd_pair(pair_kind kind, const ruga_vec3 from[4], const ruga_vec3 to[4], double separation, double *time) {
    if (kind == PAIR_EDGE_EDGE ? boxes_stay_apart(PAIR_EDGE_EDGE, from, to, separation)
                               : boxes_stay_apart(PAIR_VERTEX_TRIANGLE, from, to, separation))
        return 0;
    corner_paths paths = {.largest = 0};
    separation *= set_scaled_paths(kind, from, to, &paths);
    *time = 0;
    if (!(paths.largest > 0)) return 1;
    double rounding = ROUNDING * paths.largest, least = larger(separation, LEAST_SEPARATION * paths.largest);
    if (axis_keeps_apart(&paths, middle_axis(&paths), least + rounding)) return 0;

    moment now = moment_at(kind, &paths, 0);
    double distance = least_product_at(&now.axis, 0) - rounding;
    if (!(distance > TOUCHING * paths.largest)) return 1;
    int hit = advance(&paths, &now, smaller(least, distance / 2));
    *time = now.time;
    return hit;
}
