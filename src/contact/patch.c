/* The nearest point of a triangle or parallelogram to the origin, good to a few roundings of its largest corner
 * however thin it is.
 *
 * Solving the normal equations of a thin patch loses twice as many digits as the patch is thin. Instead its longer
 * side and the part of the other at right angles to it (Gram-Schmidt, twice where digits cancel) span the plane: they
 * give the foot of the origin, and a normal whose products with both sides are within rounding of zero. Where the
 * foot is outside the answer is on an edge. Next to the border between both cases rounding may choose wrongly, and so
 * it may where the patch is so thin that its plane is uncertain; so the direction is chosen that keeps all
 * corners farther from the origin. With both to choose from, no more than a few roundings are lost: a plane that
 * is off by an angle u L / f, f the breadth and L the length, loses h u² L² / f² at a height h, the edge f² / h, and
 * the lesser of these is never above u L.
 */
#include "contact/patch.h"

#include <float.h>

/* Squares of lengths below this count as zero: with coordinates of 1e-50 and more, far below their rounding. */
#define NO_LENGTH2 1e-250
/* Fractions of a side's square: below the first, digits have cancelled; below the second, only rounding is left. */
#define CANCELLED 0x1p-6
#define ALL_CANCELLED 0x1p-100
/* The square of breadth over length below which the foot of the origin is not trusted to be inside. */
#define THIN 0x1p-40
/* Equal distances may differ by this fraction of the patch's size. */
#define SAME 0x1p-48

double patch_scale(double largest) {
    if ((largest > 1e-50 && largest < 1e50) || largest == 0) return 1;
    /* A difference that overflowed is of numbers that 2^-1022 brings to about 1. */
    if (!(largest < INFINITY)) return 0x1p-1022;
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

patch patch_of(pair_kind kind, const vec3 x[4]) {
    if (kind == PAIR_VERTEX_TRIANGLE)
        return (patch){vec3_sub(x[0], x[1]), {vec3_sub(x[1], x[2]), vec3_sub(x[1], x[3])}, kind};
    return (patch){vec3_sub(x[0], x[2]), {vec3_sub(x[1], x[0]), vec3_sub(x[2], x[3])}, kind};
}

/* The plane of a patch: e is the longer side; the other is f + along e, with f at right angles to e. */
typedef struct patch_plane {
    vec3 e, other, f, normal;
    double ee, ff, along;
    int longer;   /* which side e is */
    int has_area; /* else f and the normal are not valid */
} patch_plane;

static patch_plane plane_of(const patch *p) {
    double lengths2[2] = {vec3_length2(p->sides[0]), vec3_length2(p->sides[1])};
    patch_plane plane = {.longer = lengths2[1] > lengths2[0]};
    plane.e = p->sides[plane.longer], plane.other = plane.f = p->sides[!plane.longer];
    plane.ee = lengths2[plane.longer], plane.ff = lengths2[!plane.longer];
    if (!(plane.ff > NO_LENGTH2)) return plane;
    double whole = plane.ff;
    for (int pass = 0; pass < 2; pass++) {
        double part = vec3_dot(plane.f, plane.e) / plane.ee;
        plane.f = vec3_add_scaled(plane.f, plane.e, -part);
        plane.along += part;
        plane.ff = vec3_length2(plane.f);
        if (plane.ff > CANCELLED * whole) break;
    }
    plane.has_area = plane.ff > ALL_CANCELLED * whole && plane.ff > NO_LENGTH2;
    if (plane.has_area) {
        vec3 cross = vec3_cross(plane.e, plane.f);
        plane.normal = vec3_scale(cross, 1 / vec3_length(cross));
    }
    return plane;
}

/* The parameters of e and of the other side as those of side 0 and side 1. */
static void set_parameters(const patch_plane *plane, double e, double other, patch_point *point) {
    point->s = plane->longer ? other : e;
    point->t = plane->longer ? e : other;
}

/* The normal on the side of the patch, and its distance. */
static vec3 normal_towards(const patch *p, const patch_plane *plane, double *height) {
    double product = vec3_dot(p->base, plane->normal);
    *height = fabs(product);
    return product < 0 ? vec3_scale(plane->normal, -1) : plane->normal;
}

/* Whether the foot of the origin in the plane is in the patch; if so that is the point. */
static int foot_is_inside(const patch *p, const patch_plane *plane, patch_point *point) {
    if (!plane->has_area) return 0;
    double other = -vec3_dot(p->base, plane->f) / plane->ff;
    double e = -vec3_dot(p->base, plane->e) / plane->ee - other * plane->along;
    if (!(e >= 0 && other >= 0)) return 0;
    if (p->kind == PAIR_VERTEX_TRIANGLE ? e + other > 1 : e > 1 || other > 1) return 0;
    set_parameters(plane, e, other, point);
    point->direction = normal_towards(p, plane, &point->distance);
    return 1;
}

/* The nearest point to the origin on an edge from a corner. Between the ends its vector is at right angles to the edge,
 * to within rounding of its own length; at an end it is beyond that, in the same measure, however near to the origin it
 * is. */
static vec3 nearest_on_edge(vec3 corner, vec3 edge, double *part) {
    double edge2 = vec3_length2(edge);
    vec3 end = vec3_add(corner, edge);
    double past_start = -vec3_dot(corner, edge), before_end = vec3_dot(end, edge);
    *part = 0;
    if (!(past_start > 0) || !(edge2 > NO_LENGTH2)) return corner;
    *part = 1;
    if (!(before_end > 0)) return end;
    *part = past_start < edge2 ? past_start / edge2 : 1;
    vec3 gap = past_start < before_end ? vec3_add_scaled(corner, edge, *part)
                                       : vec3_add_scaled(end, edge, -before_end / edge2);
    return vec3_add_scaled(gap, edge, -vec3_dot(gap, edge) / edge2);
}

/* The least product of a corner with a direction. */
static double least_reach(const patch *p, vec3 direction) {
    double base = vec3_dot(p->base, direction);
    double s = vec3_dot(p->sides[0], direction), t = vec3_dot(p->sides[1], direction);
    double least = s < t ? s : t;
    if (p->kind == PAIR_EDGE_EDGE) least = s + t < least ? s + t : least;
    return base + (least < 0 ? least : 0);
}

/* A unit vector at right angles to a vector; any for none. */
static vec3 any_perpendicular(vec3 a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    vec3 axis = x <= y && x <= z ? vec3_make(1, 0, 0) : y <= z ? vec3_make(0, 1, 0) : vec3_make(0, 0, 1);
    vec3 cross = vec3_cross(a, axis);
    double length2 = vec3_length2(cross);
    return length2 > NO_LENGTH2 ? vec3_scale(cross, 1 / sqrt(length2)) : axis;
}

/* The nearest points on all edges. */
typedef struct border_points {
    int count;
    vec3 gaps[4];
    double squares[4], least; /* of the gaps' lengths */
    double e[4], other[4];    /* parameters */
} border_points;

static border_points border_points_of(const patch *p, const patch_plane *plane) {
    int is_triangle = p->kind == PAIR_VERTEX_TRIANGLE;
    vec3 e_end = vec3_add(p->base, plane->e), other_end = vec3_add(p->base, plane->other);
    const vec3 starts[4] = {p->base, p->base, e_end, other_end};
    const vec3 edges[4] = {plane->e, plane->other, is_triangle ? vec3_sub(plane->other, plane->e) : plane->other,
                           plane->e};
    const double starts_e[4] = {0, 0, 1, 0}, starts_other[4] = {0, 0, 0, 1};
    const double trajectories_e[4] = {1, 0, is_triangle ? -1 : 0, 1}, trajectories_other[4] = {0, 1, 1, 0};

    border_points b = {.count = is_triangle ? 3 : 4, .least = INFINITY};
    for (int k = 0; k < b.count; k++) {
        double part;
        b.gaps[k] = nearest_on_edge(starts[k], edges[k], &part);
        b.squares[k] = vec3_length2(b.gaps[k]);
        b.least = b.squares[k] < b.least ? b.squares[k] : b.least;
        b.e[k] = starts_e[k] + trajectories_e[k] * part, b.other[k] = starts_other[k] + trajectories_other[k] * part;
    }
    return b;
}

/* The nearest point on the border. Distances determine only half of the digits of its place, so of points with the same
 * distance, to within rounding, the one counts whose direction keeps the corners farthest. Returns how far. */
static double nearest_on_border(const patch *p, const patch_plane *plane, double rounding, patch_point *point) {
    border_points b = border_points_of(p, plane);
    double same = sqrt(b.least) + rounding;
    double farthest = -INFINITY;
    for (int k = 0; k < b.count; k++) {
        if (b.squares[k] > same * same) continue;
        double distance = sqrt(b.squares[k]);
        int has_direction = b.squares[k] > NO_LENGTH2;
        vec3 direction = has_direction ? vec3_scale(b.gaps[k], 1 / distance) : any_perpendicular(plane->e);
        double reach = has_direction ? least_reach(p, direction) : -DBL_MAX;
        if (!(reach > farthest)) continue;
        farthest = reach;
        *point = (patch_point){.distance = distance, .direction = direction};
        set_parameters(plane, b.e[k], b.other[k], point);
    }
    return farthest;
}

patch_point patch_nearest(const patch *p) {
    patch_point inner, border;
    patch_plane plane = plane_of(p);
    int is_inside = foot_is_inside(p, &plane, &inner);
    if (is_inside && plane.ff > THIN * plane.ee) return inner;

    double rounding = SAME * sqrt(vec3_length2(p->base) + plane.ee), height;
    double reach = nearest_on_border(p, &plane, rounding, &border);
    if (!plane.has_area) return border;
    vec3 normal = normal_towards(p, &plane, &height);
    if (!(least_reach(p, normal) > reach + rounding)) return border;
    border.direction = normal;
    return is_inside ? inner : border;
}
