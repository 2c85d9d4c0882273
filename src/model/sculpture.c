/* Shapes from pieces: see sculpture.h. */
#include "model/sculpture.h"

double sculpt_step(double t) {
    t = t < -0.5 ? 0 : t > 0.5 ? 1 : t + 0.5;
    return t * t * (3 - 2 * t);
}

double sculpt_ridge(double t) { return t * t < 1 ? (1 - t * t) * (1 - t * t) : 0; }

vec3 sculpt_left(vec3 p, double round) { return vec3_make(sqrt(p.x * p.x + round * round), p.y, p.z); }

double sculpt_min(double a, double b, double blend) {
    double least = a < b ? a : b, h = blend - fabs(a - b);
    return h > 0 ? least - h * h / (4 * blend) : least;
}

double sculpt_max(double a, double b, double blend) { return -sculpt_min(-a, -b, blend); }

/* The position relative to an ellipsoid without its shear. */
static vec3 upright(vec3 d, vec3 lean) { return vec3_make(d.x, d.y - lean.x * d.x, d.z - lean.y * d.x - lean.z * d.y); }

double sculpt_egg(vec3 d, vec3 r, vec3 lean) {
    vec3 q = upright(d, lean), n = vec3_make(q.x / r.x, q.y / r.y, q.z / r.z);
    double k = vec3_length(n);
    vec3 g = vec3_make(n.x / r.x, n.y / r.y, n.z / r.z);
    g = vec3_make(g.x - lean.x * g.y - lean.y * g.z, g.y - lean.z * g.z, g.z);
    double slope = vec3_length(g);
    return slope > 0 ? k * (k - 1) / slope : -fmin(r.x, fmin(r.y, r.z));
}

double sculpt_cone(vec3 p, vec3 a, double from, vec3 b, double to) {
    vec3 axis = vec3_sub(b, a), d = vec3_sub(p, a);
    double t = vec3_dot(d, axis) / vec3_length2(axis);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return vec3_length(vec3_add_scaled(d, axis, -t)) - (from + (to - from) * t);
}

/* 1 in the middle, 0 at the border and beyond, with two continuous derivatives. */
static double hill(vec3 d, vec3 r, vec3 lean) {
    vec3 q = upright(d, lean);
    double k = q.x * q.x / (r.x * r.x) + q.y * q.y / (r.y * r.y) + q.z * q.z / (r.z * r.z);
    return k < 1 ? (1 - k) * (1 - k) * (1 - k) : 0;
}

/* Whether an ellipsoid is certainly too far away to change the distance. */
static int is_far(const sculpt_piece *c, vec3 d, double distance) {
    double reach = fabs(c->amount) + (distance > 0 ? distance : 0);
    return vec3_length2(d) > 2 * (vec3_length2(c->r) + reach * reach);
}

double sculpt_pieces(const sculpt_piece *pieces, size_t count, vec3 p, double distance) {
    for (size_t i = 0; i < count; i++) {
        const sculpt_piece *c = &pieces[i];
        vec3 from = vec3_sub(p, c->a);
        double d;
        if (c->kind == SCULPT_HILL) {
            distance -= c->amount * hill(from, c->r, c->lean);
            continue;
        } else if (c->kind == SCULPT_CONE) {
            d = sculpt_cone(p, c->a, c->r.x, c->b, c->r.y);
        } else if (is_far(c, from, distance)) {
            continue;
        } else {
            d = sculpt_egg(from, c->r, c->lean);
        }
        distance = c->amount < 0 ? sculpt_max(distance, -d, -c->amount) : sculpt_min(distance, d, c->amount);
    }
    return distance;
}
