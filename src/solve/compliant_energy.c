/* The energy of a compliant solver and its gradient, term by term and in double: the reference for its methods. */
#include <string.h>

#include "math/vec3.h"
#include "solve/compliant_parts.h"

static vec3 point_at(const float *points, size_t i) {
    return (vec3){points[4 * i], points[4 * i + 1], points[4 * i + 2]};
}

/* The offset of a point from its anchor. */
static vec3 offset_at(const sweep_limits *limits, const float *points, size_t i) {
    return vec3_sub(point_at(points, i), point_at(limits->anchors, i));
}

static void add_to(double *gradient, size_t i, vec3 g) {
    if (!gradient) return;
    gradient[3 * i] += g.x;
    gradient[3 * i + 1] += g.y;
    gradient[3 * i + 2] += g.z;
}

static double spring_energy(const compliant_spring *s, const float *points, double *gradient) {
    vec3 d = vec3_sub(point_at(points, s->points[1]), point_at(points, s->points[0]));
    double length = vec3_length(d), change = length - (double)s->length, k = (double)s->stiffness;
    vec3 g = length > 0 ? vec3_scale(d, k * change / length) : (vec3){0, 0, 0};
    add_to(gradient, s->points[1], g);
    add_to(gradient, s->points[0], vec3_scale(g, -1));
    return 0.5 * k * change * change;
}

static double curvature_energy(const compliant_curvature *c, const sweep_limits *limits, const float *points,
                               double *gradient) {
    /* Relative to the first point: exact where rounded coefficients do not add up to 0. */
    vec3 first = offset_at(limits, points, c->points[0]), sum = {0, 0, 0};
    for (int k = 1; k < 4; k++)
        sum =
            vec3_add_scaled(sum, vec3_sub(offset_at(limits, points, c->points[k]), first), (double)c->coefficients[k]);
    for (int k = 1; k < 4; k++) {
        vec3 g = vec3_scale(sum, (double)c->stiffness * (double)c->coefficients[k]);
        add_to(gradient, c->points[k], g);
        add_to(gradient, c->points[0], vec3_scale(g, -1));
    }
    return 0.5 * (double)c->stiffness * vec3_dot(sum, sum);
}

double compliant_hinge_angle(const compliant_hinge *hinge, const float *points, double gradients[4][3]) {
    vec3 origin = point_at(points, hinge->points[0]), e = vec3_sub(point_at(points, hinge->points[1]), origin);
    vec3 a = vec3_sub(point_at(points, hinge->points[2]), origin);
    vec3 b = vec3_sub(point_at(points, hinge->points[3]), origin);
    vec3 m = vec3_cross(e, a), n = vec3_cross(b, e);
    double edge = vec3_length(e), mm = vec3_dot(m, m), nn = vec3_dot(n, n);
    if (gradients) memset(gradients, 0, 12 * sizeof(double));
    if (!(edge > 0) || !(mm > 0) || !(nn > 0)) return 0;
    if (gradients) {
        /* The opposite points rotate their triangles about the edge; its ends balance that by the feet of these
         * points. */
        vec3 at_a = vec3_scale(m, -edge / mm), at_b = vec3_scale(n, -edge / nn);
        double s = vec3_dot(a, e) / (edge * edge), t = vec3_dot(b, e) / (edge * edge);
        vec3 at[4] = {vec3_add(vec3_scale(at_a, s - 1), vec3_scale(at_b, t - 1)),
                      vec3_add(vec3_scale(at_a, -s), vec3_scale(at_b, -t)), at_a, at_b};
        for (int k = 0; k < 4; k++) gradients[k][0] = at[k].x, gradients[k][1] = at[k].y, gradients[k][2] = at[k].z;
    }
    return atan2(vec3_dot(vec3_cross(m, n), e) / edge, vec3_dot(m, n));
}

/* The change of an angle, within half a turn; 0 for one that compliant_angle computes as the rest angle. */
static double angle_change(double angle, float rest) {
    return (float)angle == rest ? 0 : remainder(angle - (double)rest, 6.283185307179586);
}

static double hinge_energy(const compliant_hinge *hinge, const float *points, double *gradient) {
    double g[4][3], change = angle_change(compliant_hinge_angle(hinge, points, g), hinge->rest_angle);
    double moment = (double)hinge->stiffness * change;
    for (int k = 0; k < 4; k++)
        add_to(gradient, hinge->points[k], (vec3){moment * g[k][0], moment * g[k][1], moment * g[k][2]});
    return 0.5 * moment * change;
}

void compliant_hinge_pull(const compliant_hinge *hinge, const float *points, int corner, float pull[4]) {
    double g[4][3], change = angle_change(compliant_hinge_angle(hinge, points, g), hinge->rest_angle);
    double k = (double)hinge->stiffness, steepest = 0, moment = k * change;
    for (int c = 2; c < 4; c++) steepest = fmax(steepest, g[c][0] * g[c][0] + g[c][1] * g[c][1] + g[c][2] * g[c][2]);
    double own = g[corner][0] * g[corner][0] + g[corner][1] * g[corner][1] + g[corner][2] * g[corner][2];
    for (int x = 0; x < 3; x++) pull[x] = (float)(moment * g[corner][x]);
    /* Second derivatives of an angle are about as large as the squares of its first ones. */
    pull[3] = (float)(k * (1 + fabs(change)) * fmax(own, steepest));
}

static double foundation_energy(const compliant *c, const sweep_limits *limits, const float *points, size_t i,
                                double *gradient) {
    vec3 o = offset_at(limits, points, i), g;
    double k = (double)c->foundations[i], slide = (double)c->def.slide_stiffness;
    if (!limits->normals) {
        g = vec3_scale(o, k);
    } else {
        vec3 n = point_at(limits->normals, i);
        g = vec3_add_scaled(vec3_scale(o, k * slide), n, k * (1 - slide) * vec3_dot(o, n));
    }
    add_to(gradient, i, g);
    return 0.5 * vec3_dot(o, g);
}

double compliant_energy(const compliant *c, const sweep_limits *limits, const float *points, double *gradient) {
    double energy = 0;
    if (gradient) memset(gradient, 0, 3 * c->def.point_count * sizeof *gradient);
    for (size_t k = 0; k < c->def.spring_count; k++) energy += spring_energy(c->springs + k, points, gradient);
    for (size_t k = 0; k < c->def.hinge_count; k++) energy += hinge_energy(c->hinges + k, points, gradient);
    if (!limits || !limits->anchors) return energy;
    for (size_t k = 0; k < c->def.curvature_count; k++)
        energy += curvature_energy(c->curvatures + k, limits, points, gradient);
    for (size_t i = 0; c->foundations && i < c->def.point_count; i++)
        energy += foundation_energy(c, limits, points, i, gradient);
    return energy;
}
