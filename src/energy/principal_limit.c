/* Singular values of triangles beyond their strain limit; the header has the equations. */
#include "energy/principal_limit.h"

#include <math.h>

#define LEAST_STRETCH 1e-9 /* below, σ2 has no direction of its own, and equal ones no difference */

/* FᵀF = mean + radius [cos sin; sin -cos] of twice the angle of m1. */
typedef struct metric {
    double mean, half, both, radius;
} metric;

static metric metric_of(vec3 u, vec3 v) {
    double along = vec3_length2(u), across = vec3_length2(v), both = vec3_dot(u, v), half = (along - across) / 2;
    return (metric){(along + across) / 2, half, both, sqrt(half * half + both * both)};
}

double principal_elongation(vec3 u, vec3 v) {
    metric m = metric_of(u, v);
    return sqrt(m.mean + m.radius) - 1;
}

static vec3 any_normal(vec3 a) {
    return vec3_normalise(vec3_cross(a, fabs(a.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0}));
}

principal_strain principal_strain_of(vec3 u, vec3 v, double limit) {
    metric m = metric_of(u, v);
    double cosine = m.radius > 0 ? m.half / m.radius : 1;
    double c = sqrt(fmax(1 + cosine, 0) / 2), s = copysign(sqrt(fmax(1 - cosine, 0) / 2), m.both);
    principal_strain p = {.turn = {c, s}, .stretches = {sqrt(m.mean + m.radius), 0}};
    p.directions[0] = vec3_normalise(vec3_add_scaled(vec3_scale(u, c), v, s));
    vec3 second = vec3_add_scaled(vec3_scale(v, c), u, -s);
    second = vec3_add_scaled(second, p.directions[0], -vec3_dot(second, p.directions[0]));
    p.stretches[1] = vec3_length(second);
    p.directions[1] =
        p.stretches[1] > LEAST_STRETCH ? vec3_scale(second, 1 / p.stretches[1]) : any_normal(p.directions[0]);
    p.n = vec3_cross(p.directions[0], p.directions[1]);
    for (int k = 0; k < 2; k++) p.laws[k] = limit_beyond(p.stretches[k] - 1 - limit, LIMIT_RAMP);
    return p;
}

/* x m1ᵀ + y m2ᵀ as vectors of u and v. */
static void spread(const principal_strain *s, vec3 x, vec3 y, vec3 *u, vec3 *v) {
    *u = vec3_add_scaled(vec3_scale(x, s->turn[0]), y, -s->turn[1]);
    *v = vec3_add_scaled(vec3_scale(x, s->turn[1]), y, s->turn[0]);
}

void principal_strain_gradient(const principal_strain *s, vec3 *p, vec3 *q) {
    spread(s, vec3_scale(s->directions[0], s->laws[0].force), vec3_scale(s->directions[1], s->laws[1].force), p, q);
}

static void add_symmetric(double scale, vec3 a, double out[6]) {
    vec3 b = vec3_scale(a, scale);
    out[0] += b.x * a.x;
    out[1] += b.y * a.y;
    out[2] += b.z * a.z;
    out[3] += b.x * a.y;
    out[4] += b.x * a.z;
    out[5] += b.y * a.z;
}

void principal_strain_add_hessian(const principal_strain *s, double scale, double uu[6], double vv[6], double uv[9]) {
    const vec3 none = {0, 0, 0}, first = s->directions[0], second = s->directions[1];
    double f = s->laws[0].force, g = s->laws[1].force, sum = s->stretches[0] + s->stretches[1];
    double apart = s->stretches[0] - s->stretches[1];
    const struct {
        double weight;
        vec3 x, y; /* x m1ᵀ + y m2ᵀ */
    } modes[6] = {{s->laws[0].tangent, first, none},
                  {s->laws[1].tangent, none, second},
                  {f / s->stretches[0], s->n, none},
                  {g > 0 ? g / s->stretches[1] : 0, none, s->n},
                  {(f + g) / (2 * sum), vec3_scale(second, -1), first},
                  {(apart > LEAST_STRETCH ? (f - g) / apart : s->laws[0].tangent) / 2, second, first}};
    for (int k = 0; k < 6; k++) {
        double weight = scale * modes[k].weight;
        vec3 u, v;
        if (weight == 0) continue;
        spread(s, modes[k].x, modes[k].y, &u, &v);
        add_symmetric(weight, u, uu);
        add_symmetric(weight, v, vv);
        const double a[3] = {weight * u.x, weight * u.y, weight * u.z}, b[3] = {v.x, v.y, v.z};
        for (int i = 0; i < 9; i++) uv[i] += a[i / 3] * b[i % 3];
    }
}
