/* The intersection of two triangles in rational arithmetic, by another method than the library's: one is clipped by the
 * planes that bound the other. The result is a convex polygon, a segment, a point or empty. */
#ifndef TESTS_RATIONAL_TRIANGLES_H
#define TESTS_RATIONAL_TRIANGLES_H

#include "geom/triangle_pair.h"
#include "support/rational.h"

typedef struct rational_polygon {
    size_t count;
    rational3 corners[64];
} rational_polygon;

/* Keeps the part with (x - origin) · normal >= 0. */
static rational_polygon clip(const rational_polygon *polygon, rational3 origin, rational3 normal) {
    rational_polygon kept = {0};
    for (size_t i = 0; i < polygon->count; i++) {
        rational3 p = polygon->corners[i], q = polygon->corners[(i + 1) % polygon->count];
        rational p_height = rational3_dot(rational3_sub(p, origin), normal);
        rational q_height = rational3_dot(rational3_sub(q, origin), normal);
        if (rational_sign(p_height) >= 0) kept.corners[kept.count++] = p;
        if (rational_sign(p_height) * rational_sign(q_height) < 0)
            kept.corners[kept.count++] = rational3_mix(p, q, rational_div(p_height, rational_sub(p_height, q_height)));
    }
    return kept;
}

/* Keeps the part in the plane. */
static rational_polygon clip_to_plane(const rational_polygon *polygon, rational3 origin, rational3 normal) {
    rational_polygon half = clip(polygon, origin, normal);
    return clip(&half, origin, rational3_scale(normal, rational_ratio(-1, 1)));
}

static rational3 rational3_axis(int axis) {
    return (rational3){rational_ratio(axis == 0, 1), rational_ratio(axis == 1, 1), rational_ratio(axis == 2, 1)};
}

/* The two corners of a triangle without area that have the others between them. */
static void find_ends(const rational3 t[3], rational3 *from, rational3 *to) {
    *from = *to = t[0];
    rational longest = rational_ratio(0, 1);
    for (int i = 0; i < 3; i++) {
        rational3 side = rational3_sub(t[(i + 1) % 3], t[i]);
        rational length2 = rational3_dot(side, side);
        if (rational_compare(length2, longest) <= 0) continue;
        longest = length2;
        *from = t[i];
        *to = t[(i + 1) % 3];
    }
}

static rational_polygon clip_to_segment(rational_polygon polygon, rational3 from, rational3 to) {
    rational3 along = rational3_sub(to, from);
    for (int axis = 0; axis < 3; axis++) {
        rational3 normal =
            rational3_is_zero(along) ? rational3_axis(axis) : rational3_cross(along, rational3_axis(axis));
        polygon = clip_to_plane(&polygon, from, normal);
    }
    polygon = clip(&polygon, from, along);
    return clip(&polygon, to, rational3_scale(along, rational_ratio(-1, 1)));
}

static rational_polygon common_polygon(const rational3 a[3], const rational3 b[3]) {
    rational_polygon polygon = {3, {a[0], a[1], a[2]}};
    rational3 normal = rational3_cross(rational3_sub(b[1], b[0]), rational3_sub(b[2], b[0]));
    if (rational3_is_zero(normal)) {
        rational3 from, to;
        find_ends(b, &from, &to);
        return clip_to_segment(polygon, from, to);
    }
    polygon = clip_to_plane(&polygon, b[0], normal);
    for (int i = 0; i < 3; i++)
        polygon = clip(&polygon, b[i], rational3_cross(normal, rational3_sub(b[(i + 1) % 3], b[i])));
    return polygon;
}

static int is_on_segment(rational3 p, rational3 from, rational3 to) {
    rational_polygon point = {1, {p}};
    return clip_to_segment(point, from, to).count > 0;
}

/* pair_intersects, by rational arithmetic. */
static int rational_pair_intersects(const triangle_pair *pair) {
    rational3 a[3], b[3];
    for (int i = 0; i < 3; i++) a[i] = rational3_from(pair->a[i]), b[i] = rational3_from(pair->b[i]);
    if (pair->common == 3)
        return !rational3_is_zero(rational3_cross(rational3_sub(a[1], a[0]), rational3_sub(a[2], a[0])));
    rational_polygon polygon = common_polygon(a, b);
    if (pair->common == 0) return polygon.count > 0;
    for (size_t i = 0; i < polygon.count; i++)
        if (!is_on_segment(polygon.corners[i], a[0], a[pair->common - 1])) return 1;
    return 0;
}

#endif
