/* The gap of a pair: the nearest point of its patch of differences, at any scale. */
#include "contact/pairs.h"

#include "contact/patch.h"

static double larger(double a, double b) { return a > b ? a : b; }
static double largest_coordinate(vec3 a) { return larger(larger(fabs(a.x), fabs(a.y)), fabs(a.z)); }

static double largest_of(const patch *p) {
    double sides = larger(largest_coordinate(p->sides[0]), largest_coordinate(p->sides[1]));
    return larger(largest_coordinate(p->base), sides);
}

static void set_weights(pair_kind kind, double s, double t, double weights[4]) {
    if (kind == PAIR_VERTEX_TRIANGLE) {
        double rest = 1 - s - t;
        weights[0] = 1, weights[1] = rest > 0 ? -rest : 0, weights[2] = -s, weights[3] = -t;
    } else {
        weights[0] = 1 - s, weights[1] = s, weights[2] = t - 1, weights[3] = -t;
    }
}

pair_gap gap_of(pair_kind kind, const ruga_vec3 positions[4]) {
    patch p = patch_of(kind, positions);
    double scale = patch_scale(largest_of(&p));
    if (scale > 1) {
        p.base = vec3_scale(p.base, scale);
        for (int k = 0; k < 2; k++) p.sides[k] = vec3_scale(p.sides[k], scale);
    } else if (scale < 1) {
        vec3 scaled[4];
        for (int k = 0; k < 4; k++) scaled[k] = vec3_scale(positions[k], scale);
        p = patch_of(kind, scaled);
    }
    patch_point nearest = patch_nearest(&p);
    pair_gap gap = {.distance = nearest.distance / scale, .direction = nearest.direction};
    set_weights(kind, nearest.s, nearest.t, gap.weights);
    return gap;
}
