/* The nearest point of a triangle or parallelogram to the origin, good to a few roundings of its largest corner however thin it is.
 *
 * Solving the normal equations of a thin patch loses twice as many digits as the patch is thin. Instead its longer side and
 * what is at right angles to it in the other (Gram-Schmidt, twice where digits cancel) span the plane: they give the foot of the
 * origin, and a normal whose products with both sides are within rounding of zero. Where the foot is outside the answer is on
 * an edge. Next to the border between both cases rounding may choose wrongly, so what counts in the end is which direction
 * keeps all corners farther from the origin.
 */
#include "contact/patch.h"

/* Squares of lengths below this are none: with coordinates of 1e-75 and more, far below their rounding. */
#define NO_LENGTH2 1e-250
/* Parts of a side's square: when less is left of it digits cancelled; and when so little is left it is rounding alone. */
#define CANCELLED 0x1p-6
#define ALL_CANCELLED 0x1p-100

double patch_scale(double largest) {
    if ((largest > 1e-75 && largest < 1e75) || largest == 0) return 1;
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

/* The plane of a patch: e is the longer side, f what is at right angles to it in the other, which is f + along e. */
typedef struct patch_plane {
    vec3 e, other, f, normal;
    double ee, ff, along;
    int longer;   /* which side e is */
    int has_area; /* else f and the normal are nothing */
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

/* Whether the foot of the origin in the plane is in the patch; if so it is the answer. */
static int foot_is_inside(const patch *p, const patch_plane *plane, patch_point *point) {
    if (!plane->has_area) return 0;
    double other = -vec3_dot(p->base, plane->f) / plane->ff;
    double e = -vec3_dot(p->base, plane->e) / plane->ee - other * plane->along;
    if (!(e >= 0 && other >= 0)) return 0;
    if (p->kind == PAIR_VERTEX_TRIANGLE ? e + other > 1 : e > 1 || other > 1) return 0;
    double height = vec3_dot(p->base, plane->normal);
    set_parameters(plane, e, other, point);
    point->distance = fabs(height);
    point->direction = height < 0 ? vec3_scale(plane->normal, -1) : plane->normal;
    return 1;
}

/* The nearest point to the origin on a stretch from a corner along a way; its vector is at right angles to the way when it is
 * between the ends, to within rounding of its own length. */
static vec3 nearest_on_edge(vec3 corner, vec3 way, double *part) {
    double way2 = vec3_length2(way), product = -vec3_dot(corner, way);
    *part = 0;
    if (!(product > 0) || !(way2 > NO_LENGTH2)) return corner;
    *part = 1;
    if (product >= way2) return vec3_add(corner, way);
    *part = product / way2;
    vec3 gap = vec3_add_scaled(corner, way, *part);
    return vec3_add_scaled(gap, way, -vec3_dot(gap, way) / way2);
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

/* The direction of an edge's gap vector, or the plane's normal where that is better by rounding, or there is no gap. */
static vec3 edge_direction(const patch *p, const patch_plane *plane, vec3 gap, double distance) {
    int has_gap = distance * distance > NO_LENGTH2;
    if (!has_gap && !plane->has_area) return any_perpendicular(plane->e);
    vec3 direction = has_gap ? vec3_scale(gap, 1 / distance) : plane->normal;
    if (!plane->has_area) return direction;
    double height = vec3_dot(p->base, plane->normal);
    vec3 normal = height < 0 ? vec3_scale(plane->normal, -1) : plane->normal;
    return !has_gap || least_reach(p, normal) > least_reach(p, direction) ? normal : direction;
}

/* The nearest point on the edges. */
static void nearest_on_border(const patch *p, const patch_plane *plane, patch_point *point) {
    /* Edges as start (in parameters of e and the other side) and way. */
    vec3 e_end = vec3_add(p->base, plane->e), other_end = vec3_add(p->base, plane->other);
    int is_triangle = p->kind == PAIR_VERTEX_TRIANGLE;
    vec3 starts[4] = {p->base, p->base, e_end, other_end};
    vec3 ways[4] = {plane->e, plane->other, is_triangle ? vec3_sub(plane->other, plane->e) : plane->other, plane->e};
    const double at_e[4] = {0, 0, 1, 0}, at_other[4] = {0, 0, 0, 1};
    const double to_e[4] = {1, 0, is_triangle ? -1 : 0, 1}, to_other[4] = {0, 1, 1, 0};

    vec3 gap = {0, 0, 0};
    double least2 = INFINITY;
    for (int k = 0; k < (is_triangle ? 3 : 4); k++) {
        double part;
        vec3 found = nearest_on_edge(starts[k], ways[k], &part);
        double distance2 = vec3_length2(found);
        if (!(distance2 < least2)) continue;
        least2 = distance2, gap = found;
        set_parameters(plane, at_e[k] + to_e[k] * part, at_other[k] + to_other[k] * part, point);
    }
    point->distance = sqrt(least2);
    point->direction = edge_direction(p, plane, gap, point->distance);
}

patch_point patch_nearest(const patch *p) {
    patch_point point;
    patch_plane plane = plane_of(p);
    if (!foot_is_inside(p, &plane, &point)) nearest_on_border(p, &plane, &point);
    return point;
}
