/* Exact intersection of two triangles.
 *
 * Everything is reduced to segments: two triangles meet if and only if a side of one meets the other. A segment meets a
 * triangle where it crosses its plane inside three sides, which are signs of volumes (R. Segura, F. Feito, "Algorithms
 * to test ray-triangle intersection", 2001); or it lies in the plane, and the test is done in a projection along an
 * axis in which the triangle has area; or the triangle has no area and is treated as segments. Every sign is exact, so
 * every result is.
 *
 * Triangles with common vertices always meet there. With one, o, their intersection is convex and contains o; if there
 * is more, a ray from o lies in both and leaves one of them through the side opposite to o, inside the other. With two,
 * they have more than the side in common only if they lie in one plane, on the same side of it. */
#include "geom/triangle_pair.h"

#include "math/exact.h"
#include "math/vec2.h"

/* ---- The fast test
 *
 * A pair is separated by a plane perpendicular to the line between their centroids, by the plane of one of them, or, in
 * a projection along an axis, by a line along a side: the common vertices lie on it, and the rest strictly on either
 * side. With u = 2^-53 and m the largest coordinate relative to a[0]: a height above the plane of a, times the length
 * of its normal, has an error below 48 u m³; above that of b, whose vectors are up to 2 m and rounded twice, below 528
 * u m³; an area in a projection, for the same reason, below 48 u m²; a height along the line between the centroids,
 * times up to 6 m, below 72 u m². */
#define PLANE_BOUND 0x1p-46
#define OTHER_PLANE_BOUND 0x1p-43
#define LINE_BOUND 0x1p-46
#define CENTROID_BOUND 0x1p-45
/* m; outside this range products might underflow or overflow. */
#define LEAST_EXTENT 1e-90
#define LARGEST_EXTENT 1e90

static double larger(double a, double b) { return a > b ? a : b; }

static double larger_extent(double m, vec3 a) { return larger(larger(m, fabs(a.x)), larger(fabs(a.y), fabs(a.z))); }

/* Whether a plane perpendicular to the line between the centroids separates them: through the common vertex, if any. */
static int centroids_separate(const vec3 a[3], const vec3 b[3], int common, double bound) {
    vec3 line = vec3_sub(vec3_add(vec3_add(a[0], a[1]), a[2]), vec3_add(vec3_add(b[0], b[1]), b[2]));
    double low = INFINITY, high = -INFINITY;
    for (int i = common; i < 3; i++) {
        double a_height = vec3_dot(line, a[i]), b_height = vec3_dot(line, b[i]);
        low = a_height < low ? a_height : low;
        high = b_height > high ? b_height : high;
    }
    return common ? low > bound && high < -bound : low - high > 2 * bound;
}

/* Whether the vertices of b that are not common lie strictly on one side of the plane through the origin. */
static int plane_separates(vec3 normal, const vec3 b[3], int common, double bound) {
    int above = 1, below = 1;
    for (int i = common; i < 3; i++) {
        double height = vec3_dot(normal, b[i]);
        above = above && height > bound;
        below = below && height < -bound;
    }
    return above || below;
}

static vec2 flatten(vec3 a, int axis) {
    return axis == 0 ? (vec2){a.y, a.z} : axis == 1 ? (vec2){a.z, a.x} : (vec2){a.x, a.y};
}

static double turn(vec2 a, vec2 b, vec2 c) { return vec2_cross(vec2_sub(b, a), vec2_sub(c, a)); }

/* Whether a line along a side of a separates them, in a projection along an axis. */
static int line_separates(const vec2 a[3], const vec2 b[3], int common, double bound) {
    for (int side = 0; side < 3; side++) {
        int p = side, q = (side + 1) % 3, opposite = (side + 2) % 3;
        if (opposite < common) continue; /* a common vertex that is not on the line */
        double inside = turn(a[p], a[q], a[opposite]);
        if (!(fabs(inside) > bound)) continue;
        int apart = 1;
        for (int i = common; apart && i < 3; i++) {
            double height = turn(a[p], a[q], b[i]);
            apart = inside > 0 ? height < -bound : height > bound;
        }
        if (apart) return 1;
    }
    return 0;
}

int pair_is_apart(const triangle_pair *pair) {
    if (pair->common == 3) return 0;
    vec3 a[3], b[3];
    double m = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = vec3_sub(pair->a[i], pair->a[0]);
        b[i] = vec3_sub(pair->b[i], pair->a[0]);
        m = larger_extent(larger_extent(m, a[i]), b[i]);
    }
    if (!(m > LEAST_EXTENT && m < LARGEST_EXTENT)) return 0;
    if (pair->common < 2 && centroids_separate(a, b, pair->common, CENTROID_BOUND * m * m)) return 1;

    /* The plane of a goes through the origin, that of b through b[0]. */
    vec3 normal = vec3_cross(a[1], a[2]);
    if (plane_separates(normal, b, pair->common, PLANE_BOUND * m * m * m)) return 1;
    vec3 back[3] = {vec3_sub(a[0], b[0]), vec3_sub(a[1], b[0]), vec3_sub(a[2], b[0])};
    vec3 other = vec3_cross(vec3_sub(b[1], b[0]), vec3_sub(b[2], b[0]));
    if (plane_separates(other, back, pair->common, OTHER_PLANE_BOUND * m * m * m)) return 1;

    /* The axis that the normal of a is closest to. */
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    int axis = x > y && x > z ? 0 : y > z ? 1 : 2;
    vec2 p[3], q[3];
    for (int i = 0; i < 3; i++) p[i] = flatten(a[i], axis), q[i] = flatten(b[i], axis);
    double bound = LINE_BOUND * m * m;
    return line_separates(p, q, pair->common, bound) || line_separates(q, p, pair->common, bound);
}

/* ---- The points where they meet, for the reported one */

typedef struct meeting {
    vec3 sum;
    int count;
} meeting;

/* Adds a point; the sum is scaled down, so that it does not overflow. */
static int meet_at(meeting *at, vec3 point) {
    at->sum = vec3_add(at->sum, vec3_scale(point, 0.0625));
    at->count++;
    return 1;
}

/* The point of pq at p_height / (p_height - q_height), kept on pq despite rounding. */
static vec3 crossing(vec3 p, vec3 q, double p_height, double q_height) {
    double t = p_height / (p_height - q_height);
    return vec3_mix(p, q, t >= 0 && t <= 1 ? t : 0.5);
}

/* ---- Points on one line */

/* Order along a line, whatever its direction: by x, then y, then z. */
static int before(vec3 a, vec3 b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

static int equal(vec3 a, vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* c is on the segment ab. */
static int is_between(vec3 a, vec3 b, vec3 c) {
    return before(a, b) ? !before(c, a) && !before(b, c) : !before(c, b) && !before(a, c);
}

/* c is on the line ab behind b. */
static int is_behind(vec3 a, vec3 b, vec3 c) { return is_between(a, c, b) && !equal(b, c); }

/* ---- Points in one plane, projected along an axis that is not parallel to it */

/* An axis along which three points have area; -1: they are on one line. */
static int axis_of_area(vec3 a, vec3 b, vec3 c) {
    for (int axis = 0; axis < 3; axis++)
        if (orient_along(axis, a, b, c)) return axis;
    return -1;
}

static int point_in_triangle(int axis, vec3 p, const vec3 t[3]) {
    int i = orient_along(axis, t[0], t[1], p), k = orient_along(axis, t[1], t[2], p);
    int l = orient_along(axis, t[2], t[0], p);
    return (i >= 0 && k >= 0 && l >= 0) || (i <= 0 && k <= 0 && l <= 0);
}

static int flat_segments_meet(int axis, vec3 p, vec3 q, vec3 r, vec3 s, meeting *at) {
    int r_side = orient_along(axis, p, q, r), s_side = orient_along(axis, p, q, s);
    int p_side = orient_along(axis, r, s, p), q_side = orient_along(axis, r, s, q);
    if (r_side * s_side < 0 && p_side * q_side < 0) {
        vec2 line[2] = {flatten(r, axis), flatten(s, axis)};
        double p_height = turn(line[0], line[1], flatten(p, axis)), q_height = turn(line[0], line[1], flatten(q, axis));
        return meet_at(at, crossing(p, q, p_height, q_height));
    }
    if (r_side == 0 && is_between(p, q, r)) return meet_at(at, r);
    if (s_side == 0 && is_between(p, q, s)) return meet_at(at, s);
    if (p_side == 0 && is_between(r, s, p)) return meet_at(at, p);
    if (q_side == 0 && is_between(r, s, q)) return meet_at(at, q);
    return 0;
}

static int flat_segment_meets_triangle(int axis, vec3 p, vec3 q, const vec3 t[3], meeting *at) {
    int p_inside = point_in_triangle(axis, p, t), q_inside = point_in_triangle(axis, q, t);
    if (p_inside) meet_at(at, p);
    if (q_inside) meet_at(at, q);
    if (p_inside || q_inside) return 1;
    for (int i = 0; i < 3; i++)
        if (flat_segments_meet(axis, p, q, t[i], t[(i + 1) % 3], at)) return 1;
    return 0;
}

/* ---- Points in space */

static int segments_meet(vec3 p, vec3 q, vec3 r, vec3 s, meeting *at) {
    if (orient3d(p, q, r, s)) return 0;
    const vec3 *triples[4][3] = {{&p, &q, &r}, {&p, &q, &s}, {&r, &s, &p}, {&r, &s, &q}};
    for (int i = 0; i < 4; i++) {
        int axis = axis_of_area(*triples[i][0], *triples[i][1], *triples[i][2]);
        if (axis >= 0) return flat_segments_meet(axis, p, q, r, s, at);
    }
    /* All on one line: their order is the same along any axis. */
    return flat_segments_meet(0, p, q, r, s, at);
}

/* A triangle, its projection axis, and the sides of its plane that the other's vertices lie on. */
typedef struct side_view {
    const vec3 *vertices;
    int axis;     /* -1: it has no area */
    int signs[3]; /* of the other's vertices */
} side_view;

static side_view view_from(const vec3 t[3], const vec3 other[3]) {
    side_view view = {t, axis_of_area(t[0], t[1], t[2]), {0}};
    for (int i = 0; view.axis >= 0 && i < 3; i++) view.signs[i] = orient3d(t[0], t[1], t[2], other[i]);
    return view;
}

/* Vertices i and k of the other triangle, which are p and q, against the viewed one. */
static int segment_meets(const side_view *view, int i, int k, vec3 p, vec3 q, meeting *at) {
    const vec3 *t = view->vertices;
    if (view->axis < 0)
        return segments_meet(p, q, t[0], t[1], at) || segments_meet(p, q, t[1], t[2], at) ||
               segments_meet(p, q, t[2], t[0], at);
    if (view->signs[i] * view->signs[k] > 0) return 0;
    if (view->signs[i] == 0 && view->signs[k] == 0) return flat_segment_meets_triangle(view->axis, p, q, t, at);

    int u = orient3d(p, q, t[0], t[1]), v = orient3d(p, q, t[1], t[2]);
    if (u * v < 0) return 0;
    int w = orient3d(p, q, t[2], t[0]);
    if (u * w < 0 || v * w < 0) return 0;
    vec3 normal = vec3_cross(vec3_sub(t[1], t[0]), vec3_sub(t[2], t[0]));
    return meet_at(at, crossing(p, q, vec3_dot(normal, vec3_sub(p, t[0])), vec3_dot(normal, vec3_sub(q, t[0]))));
}

/* ---- Pairs */

static int apart_by_signs(const side_view *view) {
    int sum = view->signs[0] + view->signs[1] + view->signs[2];
    return view->axis >= 0 && (sum == 3 || sum == -3);
}

/* No common vertex: every side against the other triangle. All crossings are collected, for their mean. */
static int strangers_meet(const vec3 a[3], const vec3 b[3], meeting *at) {
    side_view to_a = view_from(a, b), to_b = view_from(b, a);
    if (apart_by_signs(&to_a) || apart_by_signs(&to_b)) return 0;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        segment_meets(&to_b, i, k, a[i], a[k], at);
        segment_meets(&to_a, i, k, b[i], b[k], at);
    }
    return at->count > 0;
}

/* Whether the segment from the common vertex o to p meets the triangle (o, t[1], t[2]) in more than o. */
static int leg_meets(const side_view *view, int i, vec3 p, meeting *at) {
    const vec3 *t = view->vertices;
    if (equal(p, t[0])) return 0;
    if (view->axis >= 0) return segment_meets(view, i, i, p, p, at) || segments_meet(t[0], p, t[1], t[2], at);
    for (int k = 1; k < 3; k++) {
        if (equal(t[k], t[0]) || !are_collinear(t[0], p, t[k])) continue;
        if (is_between(t[0], p, t[k])) return meet_at(at, t[k]);
        if (is_between(t[0], t[k], p)) return meet_at(at, p);
    }
    return 0;
}

/* One common vertex, the first. A triangle without area consists of its two legs. */
static int neighbours_meet(const vec3 a[3], const vec3 b[3], meeting *at) {
    side_view to_a = view_from(a, b), to_b = view_from(b, a);
    if (to_a.axis < 0) return leg_meets(&to_b, 1, a[1], at) + leg_meets(&to_b, 2, a[2], at) > 0;
    if (to_b.axis < 0) return leg_meets(&to_a, 1, b[1], at) + leg_meets(&to_a, 2, b[2], at) > 0;
    return segment_meets(&to_b, 1, 2, a[1], a[2], at) + segment_meets(&to_a, 1, 2, b[1], b[2], at) > 0;
}

/* A common side, from p to q; a and b are the vertices opposite to it. */
static int twins_meet(vec3 p, vec3 q, vec3 a, vec3 b, meeting *at) {
    if (equal(p, q)) return neighbours_meet((vec3[3]){p, a, a}, (vec3[3]){p, b, b}, at);
    int a_axis = axis_of_area(p, q, a), b_axis = axis_of_area(p, q, b), over;
    if (a_axis < 0 && b_axis < 0)
        over = (is_behind(p, q, a) && is_behind(p, q, b)) || (is_behind(q, p, a) && is_behind(q, p, b));
    else
        over = a_axis >= 0 && b_axis >= 0 && orient3d(p, q, a, b) == 0 &&
               orient_along(a_axis, p, q, a) == orient_along(a_axis, p, q, b);
    if (!over) return 0;
    return meet_at(at, vec3_add(vec3_mix(vec3_scale(p, 0.5), vec3_scale(q, 0.5), 0.5),
                                vec3_mix(vec3_scale(a, 0.5), vec3_scale(b, 0.5), 0.5)));
}

int pair_intersects(const triangle_pair *pair, vec3 *point) {
    const vec3 *a = pair->a, *b = pair->b;
    meeting at = {0};
    int found = 0;
    if (pair->common == 0) {
        found = strangers_meet(a, b, &at);
    } else if (pair->common == 1) {
        found = neighbours_meet(a, b, &at);
    } else if (pair->common == 2) {
        found = twins_meet(a[0], a[1], a[2], b[2], &at);
    } else if (!are_collinear(a[0], a[1], a[2])) {
        for (int i = 0; i < 3; i++) found = meet_at(&at, a[i]);
    }
    if (!found) return 0;
    *point = vec3_scale(at.sum, 16.0 / at.count);
    return 1;
}
