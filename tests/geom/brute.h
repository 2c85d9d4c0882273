/* Brute force results for trees, over every element, in long double; and triangle soups. */
#ifndef TESTS_GEOM_BRUTE_H
#define TESTS_GEOM_BRUTE_H

#include <math.h>

#include "geom/bvh.h"
#include "math/vec3.h"
#include "support/support.h"

/* Vertices and elements from malloc. */
typedef struct soup {
    size_t vertex_count, count;
    int arity;
    vec3 *positions;
    uint32_t *elements;
} soup;

static inline void soup_release(soup *s) {
    free(s->positions);
    free(s->elements);
}

static inline soup soup_allocate(size_t vertex_count, size_t count, int arity) {
    soup s = {vertex_count, count, arity, NULL, NULL};
    s.positions = calloc(vertex_count + 1, sizeof *s.positions);
    s.elements = calloc(count * (size_t)arity + 1, sizeof *s.elements);
    return s;
}

/* Small random elements all over a cube of half width `size` around `centre`. */
static inline soup soup_random(uint64_t seed, size_t count, int arity, double size, double centre) {
    test_random random = {seed};
    soup s = soup_allocate(count * (size_t)arity, count, arity);
    for (size_t i = 0; i < count; i++) {
        vec3 at = random_vec3(&random, -size, size);
        for (int k = 0; k < arity; k++) {
            size_t vertex = i * (size_t)arity + (size_t)k;
            vec3 p = vec3_add(at, random_vec3(&random, -0.1 * size, 0.1 * size));
            s.positions[vertex] = vec3_add(p, vec3_make(centre, -centre, 0.5 * centre));
            s.elements[vertex] = (uint32_t)vertex;
        }
    }
    return s;
}

/* A wavy sheet of n x n quads in triangles that share their vertices, [-1, 1] in x and z. */
static inline soup soup_sheet(int n, double height) {
    soup s = soup_allocate((size_t)((n + 1) * (n + 1)), (size_t)(2 * n * n), 3);
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n; k++) {
            double x = 2.0 * i / n - 1, z = 2.0 * k / n - 1;
            s.positions[i * (n + 1) + k] = vec3_make(x, height * sin(5 * x) * cos(4 * z), z);
        }
    uint32_t *out = s.elements;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            uint32_t a = (uint32_t)(i * (n + 1) + k), b = a + 1, c = a + (uint32_t)n + 1, d = c + 1;
            const uint32_t quad[6] = {a, b, d, a, d, c};
            memcpy(out, quad, sizeof quad);
            out += 6;
        }
    return s;
}

static inline bvh *soup_tree(ruga_context *context, const soup *s) {
    bvh *tree = NULL;
    assert_ok(context, bvh_build(context, s->vertex_count, s->positions, s->count, s->arity, s->elements, &tree));
    return tree;
}

static inline vec3 soup_vertex(const soup *s, size_t element, int k) {
    return s->positions[s->elements[element * (size_t)s->arity + (size_t)(k < s->arity ? k : s->arity - 1)]];
}

/* ---- Closest points */

static inline long double brute_side(const long double *p, const long double *q) {
    long double length2 = 0, along = 0, sum = 0;
    for (int k = 0; k < 3; k++) length2 += (q[k] - p[k]) * (q[k] - p[k]), along -= p[k] * (q[k] - p[k]);
    long double t = length2 > 0 ? fminl(fmaxl(along / length2, 0), 1) : 0;
    for (int k = 0; k < 3; k++) sum += (p[k] + t * (q[k] - p[k])) * (p[k] + t * (q[k] - p[k]));
    return sqrtl(sum);
}

/* The distance of a triangle; edges and points are triangles whose last vertex repeats. */
static inline long double brute_element(const soup *s, size_t element, vec3 query) {
    long double v[3][3], n[3], area2 = 0, height = 0;
    for (int k = 0; k < 3; k++) {
        vec3 p = soup_vertex(s, element, k);
        v[k][0] = (long double)p.x - query.x, v[k][1] = (long double)p.y - query.y,
        v[k][2] = (long double)p.z - query.z;
    }
    long double best = fminl(brute_side(v[0], v[1]), fminl(brute_side(v[1], v[2]), brute_side(v[2], v[0])));
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (v[1][i] - v[0][i]) * (v[2][j] - v[0][j]) - (v[1][j] - v[0][j]) * (v[2][i] - v[0][i]);
        area2 += n[k] * n[k], height += n[k] * v[0][k];
    }
    for (int k = 0; k < 3; k++) {
        const long double *a = v[k], *b = v[(k + 1) % 3];
        long double inner = 0;
        for (int x = 0; x < 3; x++) inner += n[x] * (a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3]);
        if (inner <= 0) return best;
    }
    return area2 > 0 ? fminl(best, fabsl(height) / sqrtl(area2)) : best;
}

static inline double brute_closest(const soup *s, vec3 query) {
    long double best = INFINITY;
    for (size_t i = 0; i < s->count; i++) best = fminl(best, brute_element(s, i, query));
    return (double)best;
}

/* Every field is bit-identical. */
static inline void assert_same_hit(const bvh_hit *a, const bvh_hit *b) {
    assert_int_equal(a->element, b->element);
    assert_memory_equal(a->barycentric, b->barycentric, sizeof a->barycentric);
    assert_memory_equal(&a->distance, &b->distance, sizeof a->distance);
    assert_memory_equal(&a->point, &b->point, sizeof a->point);
}

#endif
