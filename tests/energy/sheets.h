/* Sheets of equal triangles or quads in the plane y = 0, for laws of materials. */
#ifndef TESTS_SHEETS_H
#define TESTS_SHEETS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "support/shapes.h"

/* Equilateral triangles of edge s, with rows along x. */
static inline ruga_mesh *equilateral_sheet(ruga_context *context, size_t n, double s) {
    size_t w = n + 1;
    vec3 *points = malloc(w * w * sizeof *points);
    uint32_t *faces = malloc(6 * n * n * sizeof *faces), *at = faces;
    for (size_t j = 0; j < w; j++)
        for (size_t i = 0; i < w; i++)
            points[j * w + i] = (vec3){s * ((double)i + (double)j / 2), 0, s * sqrt(0.75) * (double)j};
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            uint32_t a = (uint32_t)(j * w + i), b = a + 1, c = a + (uint32_t)w, d = c + 1;
            const uint32_t corners[6] = {a, c, b, b, c, d};
            memcpy(at, corners, sizeof corners);
            at += 6;
        }
    ruga_mesh *mesh = shape_make(context, w * w, points, 2 * n * n, NULL, faces);
    free(points);
    free(faces);
    return mesh;
}

/* nx by nz quads of dx by dz. */
static inline ruga_mesh *quad_sheet(ruga_context *context, size_t nx, size_t nz, double dx, double dz) {
    size_t w = nx + 1;
    vec3 *points = malloc(w * (nz + 1) * sizeof *points);
    uint32_t *faces = malloc(4 * nx * nz * sizeof *faces), *sizes = malloc(nx * nz * sizeof *sizes), *at = faces;
    for (size_t j = 0; j <= nz; j++)
        for (size_t i = 0; i < w; i++) points[j * w + i] = (vec3){dx * (double)i, 0, dz * (double)j};
    for (size_t j = 0; j < nz; j++)
        for (size_t i = 0; i < nx; i++) {
            uint32_t a = (uint32_t)(j * w + i);
            const uint32_t corners[4] = {a, a + (uint32_t)w, a + (uint32_t)w + 1, a + 1};
            memcpy(at, corners, sizeof corners);
            at += 4;
            sizes[j * nx + i] = 4;
        }
    ruga_mesh *mesh = shape_make(context, w * (nz + 1), points, nx * nz, sizes, faces);
    free(points);
    free(faces);
    free(sizes);
    return mesh;
}

static inline double area_of(const ruga_mesh *mesh) {
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) area += mesh_triangle_area(mesh, t);
    return area;
}

#endif
