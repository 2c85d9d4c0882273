/* The fold angle between both sides of a cut triangle: see crease.h. */
#include <math.h>

#include "base/memory.h"
#include "math/vec3.h"
#include "wrinkle/crease.h"

/* Weights of a visible vertex at the corners of a triangle of the mesh. */
static void corner_weights(const crease *c, const uint32_t *corners, uint32_t visible, double sign, double w[3]) {
    const ruga_map *map = c->cut.map;
    for (size_t e = map->offsets[visible]; e < map->offsets[visible + 1]; e++)
        for (int k = 0; k < 3; k++)
            if (corners[k] == map->indices[e]) w[k] += sign * map->weights[e];
}

/* The place along the curve, by σ of the corners, and their distances. */
static void find_place(const crease *c, const uint32_t *corners, crease_fold *fold) {
    const cut_line *line = &c->lines.lines[fold->line];
    double w[3] = {0, 0, 0}, along = 0, first = NAN;
    corner_weights(c, corners, fold->from, 0.5, w);
    corner_weights(c, corners, fold->to, 0.5, w);
    for (int k = 0; k < 3; k++) {
        const cut_place *place = cut_line_place(line, corners[k]);
        if (!place) continue; /* a corner of a triangle in which the line ends */
        fold->distances[k] = place->distance;
        double at = place->along;
        if (isnan(first)) first = at;
        if (line->closed) at -= round((at - first) / line->length) * line->length;
        along += w[k] * at;
        fold->alongs[k] = at;
    }
    fold->curve = cut_line_curve(line, along, &fold->part);
}

ruga_status crease_folds_make(const crease *c, size_t *count, crease_fold **out) {
    const virtual_nodes *nodes = &c->nodes;
    TRY(NEW(c->context, out, nodes->side_count));
    for (size_t i = 0; i < nodes->side_count; i++) {
        const virtual_side *side = &nodes->sides[i];
        crease_fold *fold = &(*out)[i];
        uint32_t corners[3];
        *fold = (crease_fold){.line = side->path, .from = side->from, .to = side->to};
        for (int k = 0; k < 3; k++) {
            fold->left[k] = nodes->simulated->triangles[3 * (size_t)side->left + (size_t)k];
            fold->right[k] = nodes->simulated->triangles[3 * (size_t)side->right + (size_t)k];
            corners[k] = nodes->vertex_of[fold->left[k]];
        }
        corner_weights(c, corners, side->to, 1, fold->along);
        corner_weights(c, corners, side->from, -1, fold->along);
        find_place(c, corners, fold);
        fold->length = vec3_distance(c->cut.mesh->positions[side->from], c->cut.mesh->positions[side->to]);
    }
    *count = nodes->side_count;
    return RUGA_OK;
}

/* The direction of the crease in a copy of the triangle. */
static vec3 direction(const double along[3], const uint32_t *v, const vec3 *x) {
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(x[v[0]], along[0]), x[v[1]], along[1]), x[v[2]], along[2]);
}

/* Adds the gradient of b · A / |A| for a constant b, A the area vector at three corners. */
static void add_normal_gradient(const uint32_t *v, const vec3 *x, vec3 area, vec3 b, vec3 *out) {
    vec3 e = vec3_sub(x[v[1]], x[v[0]]), f = vec3_sub(x[v[2]], x[v[0]]);
    double length2 = vec3_length2(area);
    b = vec3_scale(vec3_add_scaled(b, area, -vec3_dot(b, area) / length2), 1 / sqrt(length2));
    vec3 first = vec3_cross(f, b), second = vec3_cross(b, e);
    out[0] = vec3_sub(out[0], vec3_add(first, second));
    out[1] = vec3_add(out[1], first);
    out[2] = vec3_add(out[2], second);
}

/* With S = (n × m) · t and C = n · m, φ = atan2(S, C) changes by (C dS - S dC) / (S² + C²). */
static void angle_gradient(const crease_fold *fold, const vec3 *x, vec3 left, vec3 right, vec3 along, vec3 out[6]) {
    vec3 m = vec3_normalise(left), n = vec3_normalise(right), t = vec3_normalise(along);
    double s = vec3_dot(vec3_cross(n, m), t), c = vec3_dot(n, m), q = s * s + c * c;
    for (int k = 0; k < 6; k++) out[k] = (vec3){0, 0, 0};
    vec3 on_left = vec3_add_scaled(vec3_scale(vec3_cross(t, n), c / q), n, -s / q);
    vec3 on_right = vec3_add_scaled(vec3_scale(vec3_cross(m, t), c / q), m, -s / q);
    add_normal_gradient(fold->left, x, left, on_left, out);
    add_normal_gradient(fold->right, x, right, on_right, out + 3);
    vec3 on_along = vec3_scale(vec3_cross(n, m), c / q);
    on_along = vec3_scale(vec3_add_scaled(on_along, t, -vec3_dot(on_along, t)), 1 / vec3_length(along));
    for (int k = 0; k < 6; k++) out[k] = vec3_add_scaled(out[k], on_along, fold->along[k % 3]);
}

double crease_fold_angle(const crease_fold *fold, const ruga_vec3 *points, ruga_vec3 gradient[6]) {
    const uint32_t *l = fold->left, *r = fold->right;
    vec3 left = vec3_cross(vec3_sub(points[l[1]], points[l[0]]), vec3_sub(points[l[2]], points[l[0]]));
    vec3 right = vec3_cross(vec3_sub(points[r[1]], points[r[0]]), vec3_sub(points[r[2]], points[r[0]]));
    vec3 along = vec3_add(direction(fold->along, l, points), direction(fold->along, r, points));
    if (gradient) angle_gradient(fold, points, left, right, along, gradient);
    vec3 turn = vec3_cross(vec3_normalise(right), vec3_normalise(left));
    return atan2(vec3_dot(turn, vec3_normalise(along)), vec3_dot(vec3_normalise(right), vec3_normalise(left)));
}
