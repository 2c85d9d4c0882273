/* Flat sheets in the plane z = 0 as compliant solvers, of three kinds of triangles, for tests of this folder. */
#ifndef TESTS_COMPLIANT_SHEET_H
#define TESTS_COMPLIANT_SHEET_H

#include <math.h>

#include "solve/compliant_material.h"
#include "support/support.h"

typedef enum sheet_kind { SHEET_SQUARES, SHEET_EQUILATERAL, SHEET_IRREGULAR, SHEET_KINDS } sheet_kind;

/* A sheet, its terms and the limits that hold it on its plane. */
typedef struct test_sheet {
    ruga_context *context;
    size_t count, columns;
    uint32_t *triangles;
    topology *edges;
    sheet sheet;
    float *rest, *anchors, *normals, *points; /* (count x 4) */
    float *directions;                        /* (count x 4), or NULL */
    compliant_spring *springs;
    compliant_curvature *curvatures;
    float *foundations;
    sweep_limits limits;
    compliant_def def;
} test_sheet;

/* nx by ny cells of size h; irregular: points are displaced by up to 0.25 h, and diagonals go either way. */
static inline test_sheet *test_sheet_make(ruga_context *context, sheet_kind kind, size_t nx, size_t ny, double h) {
    test_sheet *s = calloc(1, sizeof *s);
    test_random random = {11};
    s->context = context;
    s->columns = nx + 1;
    s->count = (nx + 1) * (ny + 1);
    s->rest = calloc(4 * s->count, sizeof(float));
    s->anchors = calloc(4 * s->count, sizeof(float));
    s->normals = calloc(4 * s->count, sizeof(float));
    s->points = calloc(4 * s->count, sizeof(float));
    s->triangles = calloc(6 * nx * ny, sizeof(uint32_t));
    for (size_t j = 0; j <= ny; j++)
        for (size_t i = 0; i <= nx; i++) {
            double x = (double)i, y = (double)j;
            if (kind == SHEET_EQUILATERAL) x += j % 2 ? 0.5 : 0, y *= sqrt(0.75);
            int inside = i > 0 && i < nx && j > 0 && j < ny;
            double dx = random_between(&random, -0.25, 0.25), dy = random_between(&random, -0.25, 0.25);
            if (kind == SHEET_IRREGULAR && inside) x += dx, y += dy;
            float *p = s->rest + 4 * (j * (nx + 1) + i);
            p[0] = (float)(h * x), p[1] = (float)(h * y);
            s->normals[4 * (j * (nx + 1) + i) + 2] = 1;
        }
    uint32_t *t = s->triangles;
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++, t += 6) {
            uint32_t a = (uint32_t)(j * (nx + 1) + i), b = a + 1, c = a + (uint32_t)nx + 1, d = c + 1;
            int other = kind == SHEET_EQUILATERAL ? j % 2 == 0 : kind == SHEET_IRREGULAR && random_bits(&random) % 2;
            uint32_t one[6] = {a, b, d, a, d, c}, two[6] = {a, b, c, b, d, c};
            memcpy(t, other ? two : one, sizeof one);
        }
    memcpy(s->anchors, s->rest, 4 * s->count * sizeof(float));
    memcpy(s->points, s->rest, 4 * s->count * sizeof(float));
    for (size_t i = 0; i < s->count; i++) s->anchors[4 * i + 3] = INFINITY;
    assert_ok(context, topology_build(context, s->count, 2 * nx * ny, s->triangles, &s->edges));
    s->limits = (sweep_limits){.anchors = s->anchors, .normals = s->normals};
    return s;
}

/* Springs, curvatures and foundations of a material. */
static inline void test_sheet_dress(test_sheet *s, sheet_material material, float slide) {
    s->springs = calloc(s->edges->edge_count, sizeof *s->springs);
    s->curvatures = calloc(s->edges->pair_count, sizeof *s->curvatures);
    s->foundations = calloc(s->count, sizeof *s->foundations);
    s->sheet = (sheet){.edges = s->edges,
                       .triangles = s->triangles,
                       .points = s->rest,
                       .directions = s->directions,
                       .material = material};
    sheet_springs(&s->sheet, s->springs);
    sheet_curvatures(&s->sheet, s->curvatures);
    sheet_foundations(&s->sheet, s->foundations);
    s->def = (compliant_def){.method = COMPLIANT_ACCELERATED,
                             .point_count = s->count,
                             .springs = s->springs,
                             .spring_count = s->edges->edge_count,
                             .curvatures = s->curvatures,
                             .curvature_count = s->edges->pair_count,
                             .foundations = s->foundations,
                             .slide_stiffness = slide};
}

static inline void test_sheet_destroy(test_sheet *s) {
    topology_destroy(s->edges);
    free(s->triangles), free(s->rest), free(s->anchors), free(s->normals), free(s->points), free(s->directions);
    free(s->springs), free(s->curvatures), free(s->foundations);
    free(s);
}

/* Anchors to a part of their rest in x and y; points as they are. */
static inline void test_sheet_squeeze(test_sheet *s, double x, double y) {
    for (size_t i = 0; i < s->count; i++) {
        s->anchors[4 * i] = (float)(x * (double)s->rest[4 * i]);
        s->anchors[4 * i + 1] = (float)(y * (double)s->rest[4 * i + 1]);
    }
}

/* Points onto their anchors, with small seeded heights. */
static inline void test_sheet_start(test_sheet *s, double height) {
    test_random random = {5};
    for (size_t i = 0; i < s->count; i++) {
        memcpy(s->points + 4 * i, s->anchors + 4 * i, 3 * sizeof(float));
        s->points[4 * i + 2] += (float)random_between(&random, -height, height);
    }
}

/* Points onto their anchors, with heights of waves of a length in random directions of the plane: noise of single
 * points would first grow into the shortest waves that can, and take thousands of iterations to lose them. */
static inline void test_sheet_seed(test_sheet *s, double wavelength, double height) {
    enum { WAVES = 24 };
    test_random random = {7};
    double number = 6.283185307179586 / wavelength, x[WAVES], y[WAVES], phase[WAVES];
    for (int k = 0; k < WAVES; k++) {
        double direction = random_between(&random, 0, 6.283185307179586);
        x[k] = number * cos(direction);
        y[k] = number * sin(direction);
        phase[k] = random_between(&random, 0, 6.283185307179586);
    }
    test_sheet_start(s, 0);
    for (size_t i = 0; i < s->count; i++) {
        double sum = 0;
        for (int k = 0; k < WAVES; k++)
            sum += cos(x[k] * (double)s->rest[4 * i] + y[k] * (double)s->rest[4 * i + 1] + phase[k]);
        s->points[4 * i + 2] += (float)(height * sqrt(2.0 / WAVES) * sum);
    }
}

#endif
