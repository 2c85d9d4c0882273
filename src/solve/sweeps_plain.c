/* The plain loop of section 4.1: constraints one after the other. And the hinge, which both paths share: Müller et al.
 * 2006, section 4.2, with the signed angle by atan2 and its gradient (Bridson et al. 2003) instead of the arc cosine,
 * whose derivative is unbounded where triangles are coplanar. */
#include "solve/sweeps.h"

#include "solve/sweeps_point.h"

typedef struct vector {
    float x, y, z;
} vector;

static inline vector between(const float *from, const float *to) {
    return (vector){to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}
static inline vector cross(vector a, vector b) {
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline void add_scaled(float *p, vector v, float s) {
    p[0] += v.x * s;
    p[1] += v.y * s;
    p[2] += v.z * s;
}

/* The common edge, the triangles' normals (of twice their areas), and the feet of the opposite points on the edge. */
typedef struct hinge_shape {
    vector edge, normals[2];
    float edge_squared, along[2];
} hinge_shape;

static hinge_shape shape_of(const float *p[4]) {
    hinge_shape h = {.edge = between(p[0], p[1])};
    h.edge_squared = dot(h.edge, h.edge);
    h.normals[0] = cross(between(p[2], p[0]), between(p[2], p[1]));
    h.normals[1] = cross(between(p[3], p[1]), between(p[3], p[0]));
    for (int k = 0; k < 2; k++) h.along[k] = dot(between(p[0], p[2 + k]), h.edge) / h.edge_squared;
    return h;
}

static float angle_of(const hinge_shape *h) {
    float sine = dot(cross(h->normals[0], h->normals[1]), h->edge) / sqrtf(h->edge_squared);
    return atan2f(sine, dot(h->normals[0], h->normals[1]));
}

float sweep_hinge_angle(const uint32_t hinge[4], const float *points) {
    const float *p[4];
    for (int k = 0; k < 4; k++) p[k] = points + 4 * (size_t)hinge[k];
    hinge_shape h = shape_of(p);
    return h.edge_squared > 0 ? angle_of(&h) : 0;
}

/* The difference of two angles, within half a turn. */
static float turn(float from, float to) {
    const float pi = 3.14159265f;
    float difference = to - from;
    return difference > pi ? difference - 2 * pi : difference < -pi ? difference + 2 * pi : difference;
}

void sweep_turn_hinge(const sweep_hinge *hinge, const uint32_t slots[4], float *points) {
    float *p[4];
    for (int k = 0; k < 4; k++) p[k] = points + 4 * (size_t)slots[k];
    hinge_shape h = shape_of((const float *[4]){p[0], p[1], p[2], p[3]});
    float squares[2] = {dot(h.normals[0], h.normals[0]), dot(h.normals[1], h.normals[1])};
    if (!(squares[0] > SWEEP_LEAST_SQUARED && squares[1] > SWEEP_LEAST_SQUARED)) return;

    /* The gradient is along the triangles' normals; those of the edge's points balance those of the opposite points. */
    float edge = sqrtf(h.edge_squared), s[4][2];
    for (int k = 0; k < 2; k++) {
        s[2 + k][k] = -edge / squares[k];
        s[3 - k][k] = 0;
        s[0][k] = -s[2 + k][k] * (1 - h.along[k]);
        s[1][k] = -s[2 + k][k] * h.along[k];
    }
    float cosine = dot(h.normals[0], h.normals[1]), sum = 0;
    for (int k = 0; k < 4; k++)
        sum += s[k][0] * s[k][0] * squares[0] + s[k][1] * s[k][1] * squares[1] + 2 * s[k][0] * s[k][1] * cosine;
    float step = turn(angle_of(&h), hinge->rest_angle) * hinge->stiffness / sum;
    if (!isfinite(step)) return;
    for (int k = 0; k < 4; k++) {
        add_scaled(p[k], h.normals[0], step * s[k][0]);
        add_scaled(p[k], h.normals[1], step * s[k][1]);
    }
}

void sweeps_plain(const sweep_terms *terms, const sweep_limits *limits, int iterations, float *points,
                  size_t point_count) {
    for (int iteration = 0; iteration < iterations; iteration++) {
        for (size_t k = 0; k < terms->constraint_count; k++) {
            const sweep_constraint *c = &terms->constraints[k];
            float half = 0.5f * c->stiffness;
            sweep_distance(points + 4 * (size_t)c->points[0], points + 4 * (size_t)c->points[1], half * c->length,
                           half);
        }
        for (size_t k = 0; k < terms->hinge_count; k++)
            sweep_turn_hinge(&terms->hinges[k], terms->hinges[k].points, points);
        for (size_t i = 0; limits && i < point_count; i++) sweep_limit_point(limits, i, points + 4 * i);
    }
}
