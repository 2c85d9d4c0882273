/* Networks of constraints and limits of all kinds, for tests of sweeps. */
#ifndef TESTS_SWEEPS_CASES_H
#define TESTS_SWEEPS_CASES_H

#include <math.h>

#include "solve/sweeps.h"
#include "support/support.h"

typedef struct network {
    size_t count;
    float *points; /* (count x 4) */
    size_t constraint_count, capacity;
    sweep_constraint *constraints;
    size_t hinge_count;
    sweep_hinge *hinges;
} network;

static inline network network_make(size_t count, size_t capacity) {
    return (network){.count = count,
                     .points = calloc(4 * count + 1, sizeof(float)),
                     .capacity = capacity,
                     .constraints = calloc(capacity + 1, sizeof(sweep_constraint)),
                     .hinges = calloc(capacity + 1, sizeof(sweep_hinge))};
}

static inline void network_release(network *net) {
    free(net->points);
    free(net->constraints);
    free(net->hinges);
}

static inline sweep_terms network_terms(const network *net) {
    return (sweep_terms){net->constraint_count, net->constraints, net->hinge_count, net->hinges};
}

static inline float distance_of(const float *p, const float *q) {
    float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    return sqrtf(x * x + y * y + z * z);
}

/* At its current length times `stretch`. */
static inline void join(network *net, uint32_t a, uint32_t b, float stretch, float stiffness) {
    assert_less(net->constraint_count, net->capacity);
    float length = distance_of(net->points + 4 * a, net->points + 4 * b);
    net->constraints[net->constraint_count++] = (sweep_constraint){{a, b}, stretch * length, stiffness};
}

static inline void hinge(network *net, uint32_t a, uint32_t b, uint32_t c, uint32_t d, float stiffness) {
    sweep_hinge *h = &net->hinges[net->hinge_count++];
    *h = (sweep_hinge){.points = {a, b, c, d}, .stiffness = stiffness};
    h->rest_angle = sweep_hinge_angle(h->points, net->points);
}

/* Squares of two triangles in the plane z = 0, of size 1; irregular: points displaced, diagonals either way. Edges,
 * opposite vertices at the diagonals with the stiffness `bending`, hinges there with `turning`. */
static inline network network_sheet(size_t nx, size_t ny, int irregular, float bending, float turning) {
    network net = network_make((nx + 1) * (ny + 1), 6 * (nx + 1) * (ny + 1));
    test_random random = {5};
    for (size_t i = 0; i < net.count; i++) {
        float dx = (float)random_between(&random, -0.3, 0.3), dy = (float)random_between(&random, -0.3, 0.3);
        net.points[4 * i] = (float)(i % (nx + 1)) + (irregular ? dx : 0);
        net.points[4 * i + 1] = (float)(i / (nx + 1)) + (irregular ? dy : 0);
    }
    for (uint32_t j = 0; j <= ny; j++)
        for (uint32_t i = 0; i <= nx; i++) {
            uint32_t a = j * ((uint32_t)nx + 1) + i, b = a + 1, c = a + (uint32_t)nx + 1, d = c + 1;
            if (i < nx) join(&net, a, b, 1, 1);
            if (j < ny) join(&net, a, c, 1, 1);
            if (i == nx || j == ny) continue;
            int other = irregular && random_bits(&random) % 2;
            join(&net, other ? b : a, other ? c : d, 1, 1);
            join(&net, other ? a : b, other ? d : c, 1, bending);
            if (turning > 0 && other) hinge(&net, b, c, d, a, turning);
            if (turning > 0 && !other) hinge(&net, a, d, b, c, turning);
        }
    return net;
}

/* Points anywhere in a cube, each joined with some at hand and a few far away. */
static inline network network_random(size_t count, size_t joins) {
    network net = network_make(count, joins);
    test_random random = {17};
    for (size_t i = 0; i < 4 * count; i++) net.points[i] = i % 4 == 3 ? 0 : (float)random_between(&random, 0, 1);
    while (net.constraint_count < joins) {
        uint32_t a = (uint32_t)(random_bits(&random) % count);
        uint32_t reach = random_bits(&random) % 20 == 0 ? (uint32_t)count : 12;
        uint32_t b = (uint32_t)((a + random_bits(&random) % reach) % count);
        join(&net, a, b, (float)random_between(&random, 0.8, 1.1), (float)random_unit(&random));
    }
    return net;
}

/* Triangles around one edge: two points that everything hangs on. */
static inline network network_fans(uint32_t blades) {
    network net = network_make(blades + 2, 3 * blades + 1);
    net.points[4] = 1;
    join(&net, 0, 1, 1, 1);
    for (uint32_t k = 0; k < blades; k++) {
        float *p = net.points + 4 * (size_t)(k + 2), angle = 6.2831853f * (float)k / (float)blades;
        p[0] = 0.5f, p[1] = cosf(angle), p[2] = sinf(angle);
        join(&net, 0, k + 2, 0.95f, 1);
        join(&net, 1, k + 2, 0.95f, 0.7f);
        if (k > 0) join(&net, k + 1, k + 2, 1.1f, 0.3f);
    }
    return net;
}

/* Every point joined with every other. */
static inline network network_whole(uint32_t count) {
    network net = network_make(count, count * count / 2);
    test_random random = {23};
    for (uint32_t i = 0; i < 4 * count; i++) net.points[i] = i % 4 == 3 ? 0 : (float)random_unit(&random);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++) join(&net, i, k, 0.9f, 0.5f);
    return net;
}

/* Few points with what is odd: none at all, none joined, a point joined with itself, the same two joined three
 * times. */
enum { ODD_NETWORKS = 6 };
static inline network network_odd(int which) {
    static const uint32_t counts[ODD_NETWORKS] = {0, 1, 70, 2, 3, 3};
    network net = network_make(counts[which], 4);
    for (uint32_t i = 0; i < 4 * net.count; i++) net.points[i] = i % 4 == 3 ? 0 : (float)(i * i % 7);
    if (which == 1) join(&net, 0, 0, 1, 1);
    if (which == 3) join(&net, 1, 0, 0.5f, 1);
    for (uint32_t k = 0; which == 4 && k < 3; k++) join(&net, k, (k + 1) % 3, 0.9f, 1);
    for (uint32_t k = 0; which == 5 && k < 3; k++) join(&net, 0, 2, 0.9f + 0.1f * (float)k, 0.5f);
    if (which == 5) join(&net, 1, 1, 1, 1);
    return net;
}

enum { NETWORKS = 8 + ODD_NETWORKS };
static inline network network_case(int which) {
    switch (which) {
        case 0: return network_sheet(20, 13, 0, 0.3f, 0);
        case 1: return network_sheet(17, 23, 1, 0.3f, 0.5f);
        case 2: return network_sheet(75, 70, 1, 0, 0); /* several leaves */
        case 3: return network_random(900, 5000);
        case 4: return network_random(6000, 9000); /* loosely connected, and many points are alone */
        case 5: return network_fans(301);
        case 6: return network_whole(37);
        case 7: return network_sheet(60, 60, 1, 0.2f, 0.3f);
        default: return network_odd(which - 8);
    }
}

/* ---- Limits of the points of a network, in its order. */
typedef enum limits_kind {
    LIMITS_NONE,
    LIMITS_BALLS,
    LIMITS_ONE_SIDED,
    LIMITS_LINES,
    LIMITS_HALF_LINES,
    LIMITS_PLANES,
    LIMITS_ALL,
    LIMITS_KINDS
} limits_kind;

typedef struct test_limits {
    float *anchors, *normals, *planes;
    uint32_t *offsets;
    sweep_limits limits;
} test_limits;

/* Anchors near the points, radii that are 0 here and there and infinite elsewhere, up to two planes with the anchor
 * outside. */
static inline test_limits limits_make(const network *net, limits_kind kind) {
    test_random random = {31};
    size_t n = net->count;
    test_limits t = {.anchors = calloc(4 * n + 1, sizeof(float)),
                     .normals = calloc(4 * n + 1, sizeof(float)),
                     .planes = calloc(8 * n + 1, sizeof(float)),
                     .offsets = calloc(n + 1, sizeof(uint32_t))};
    for (size_t i = 0; i < n; i++) {
        float *a = t.anchors + 4 * i, *normal = t.normals + 4 * i;
        for (int k = 0; k < 3; k++) a[k] = net->points[4 * i + (size_t)k] + (float)random_between(&random, -0.1, 0.1);
        a[3] = i % 7 == 3 ? 0 : i % 5 == 2 ? INFINITY : (float)random_between(&random, 0.01, 0.3);
        double turn = random_between(&random, 0, 6.28), height = random_between(&random, -1, 1);
        normal[0] = (float)(sqrt(1 - height * height) * cos(turn));
        normal[1] = (float)(sqrt(1 - height * height) * sin(turn));
        normal[2] = (float)height;
        normal[3] = 123; /* means nothing */
        t.offsets[i + 1] = t.offsets[i] + (uint32_t)(i % 3);
        for (uint32_t e = t.offsets[i]; e < t.offsets[i + 1]; e++) {
            float *plane = t.planes + 4 * (size_t)e, sign = e % 2 ? 1 : -1;
            plane[0] = sign * normal[1], plane[1] = -sign * normal[0], plane[2] = 0;
            float length = sqrtf(plane[0] * plane[0] + plane[1] * plane[1]);
            for (int k = 0; k < 3; k++) plane[k] /= length;
            plane[3] = plane[0] * a[0] + plane[1] * a[1] - 0.02f;
        }
    }
    t.limits = (sweep_limits){.anchors = kind != LIMITS_PLANES ? t.anchors : NULL,
                              .normals = kind == LIMITS_BALLS ? NULL : t.normals,
                              .one_sided = kind == LIMITS_ONE_SIDED || kind == LIMITS_HALF_LINES || kind == LIMITS_ALL,
                              .along_normals = kind == LIMITS_LINES || kind == LIMITS_HALF_LINES};
    if (kind == LIMITS_PLANES || kind == LIMITS_ALL) {
        t.limits.plane_offsets = t.offsets;
        t.limits.planes = t.planes;
    }
    /* A line without an end has no place for its point. */
    for (size_t i = 0; t.limits.along_normals && i < n; i++)
        if (isinf(t.anchors[4 * i + 3])) t.anchors[4 * i + 3] = 0.2f;
    return t;
}

static inline void limits_release(test_limits *t) {
    free(t->anchors);
    free(t->normals);
    free(t->planes);
    free(t->offsets);
}

#endif
