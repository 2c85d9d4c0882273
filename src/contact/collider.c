/* Signed distances by formula. All are exact, inside too; vectors are scaled before they are squared, so that points
 * very near to a centre or an axis still get a unit normal. */
#include "contact/collider.h"

#include "math/vec3.h"

#define ROUNDING 1e-15

/* The length of a vector and its direction; `fallback` where it has none. */
static double length_and_direction(vec3 v, vec3 fallback, vec3 *direction) {
    double size = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(size > 0)) {
        *direction = fallback;
        return size;
    }
    vec3 scaled = {v.x / size, v.y / size, v.z / size};
    double length = vec3_length(scaled);
    *direction = vec3_scale(scaled, 1 / length);
    return size * length;
}

/* A unit vector at a right angle to an axis; +y when the axis has no direction. */
static vec3 perpendicular(vec3 axis) {
    vec3 unit, across, up = {0, 1, 0};
    if (!(length_and_direction(axis, up, &unit) > 0)) return up;
    double x = fabs(unit.x), y = fabs(unit.y), z = fabs(unit.z);
    vec3 least = y <= x && y <= z ? up : x <= z ? (vec3){1, 0, 0} : (vec3){0, 0, 1};
    length_and_direction(vec3_add_scaled(least, unit, -vec3_dot(least, unit)), up, &across);
    return across;
}

static double plane_distance(const collider *c, vec3 point, vec3 *normal) {
    *normal = c->axes[1];
    return vec3_dot(vec3_sub(point, c->point), c->axes[1]);
}

static double sphere_distance(const collider *c, vec3 point, vec3 *normal) {
    return length_and_direction(vec3_sub(point, c->point), (vec3){0, 1, 0}, normal) - c->radius;
}

static double capsule_distance(const collider *c, vec3 point, vec3 *normal) {
    vec3 axis = vec3_sub(c->other, c->point), from = vec3_sub(point, c->point);
    double length2 = vec3_length2(axis);
    double t = length2 > 0 ? fmin(fmax(vec3_dot(from, axis) / length2, 0), 1) : 0;
    vec3 across = t < 1 ? vec3_add_scaled(from, axis, -t) : vec3_sub(point, c->other);
    double distance = length_and_direction(across, perpendicular(axis), normal);
    /* So near to the axis, what is left across it is rounding. */
    if (t > 0 && t < 1 && distance * distance <= ROUNDING * ROUNDING * length2) *normal = perpendicular(axis);
    return distance - c->radius;
}

/* In the box's own axes: outside, the vector to the nearest point of the box; inside, to the nearest side. */
static double box_distance(const collider *c, vec3 point, vec3 *normal) {
    vec3 from = vec3_sub(point, c->point);
    const double half[3] = {c->half.x, c->half.y, c->half.z};
    double signs[3], nearest_side = -INFINITY;
    size_t side = 0;
    vec3 outward = {0, 0, 0};
    for (size_t k = 0; k < 3; k++) {
        double place = vec3_dot(from, c->axes[k]);
        double beyond = fabs(place) - half[k], sign = place < 0 ? -1 : 1;
        signs[k] = sign;
        if (!(beyond <= nearest_side)) { /* NaN wins: such a point is in no box */
            nearest_side = beyond;
            side = k;
        }
        if (beyond > 0) outward = vec3_add_scaled(outward, c->axes[k], sign * beyond);
    }
    vec3 side_normal = vec3_scale(c->axes[side], signs[side]);
    if (nearest_side > 0) return length_and_direction(outward, side_normal, normal);
    *normal = side_normal;
    return nearest_side;
}

double collider_distance(const collider *c, ruga_vec3 point, ruga_vec3 *normal) {
    switch (c->kind) {
        case COLLIDER_PLANE: return plane_distance(c, point, normal);
        case COLLIDER_SPHERE: return sphere_distance(c, point, normal);
        case COLLIDER_CAPSULE: return capsule_distance(c, point, normal);
        case COLLIDER_BOX: break;
    }
    return box_distance(c, point, normal);
}
