#include "support/creased.h"

#include <math.h>

#include "support/shapes.h"

ruga_mesh *creased_sheet(ruga_context *context, size_t n, double jitter) {
    double e = 1.0 / (double)n;
    size_t rows = (size_t)lround(1 / (e * sqrt(3) / 2)), vertices = 0, triangles = 0;
    ruga_vec3 *x = malloc((rows + 1) * (n + 2) * sizeof *x);
    uint32_t *t = malloc(6 * rows * (n + 2) * sizeof *t), *first = malloc((rows + 1) * sizeof *first);
    test_random random = {7};
    for (size_t j = 0; j <= rows; j++) {
        size_t count = j % 2 ? n + 2 : n + 1;
        first[j] = (uint32_t)vertices;
        for (size_t i = 0; i < count; i++) {
            double u = (double)i * e - (j % 2 ? 0.5 * e : 0), v = (double)j / (double)rows;
            int is_inner = i > 0 && i + 1 < count && j > 0 && j < rows;
            u = fmin(1, fmax(0, u));
            if (is_inner) u += jitter * e * random_between(&random, -1, 1);
            if (is_inner) v += jitter * e * random_between(&random, -1, 1);
            x[vertices++] = (ruga_vec3){u, 0, -v};
        }
    }
    for (size_t j = 0; j < rows; j++) {
        uint32_t even = first[j % 2 ? j + 1 : j], odd = first[j % 2 ? j : j + 1];
        for (uint32_t i = 0; i <= n; i++) {
            const uint32_t corners[2][3] = {{even + i, odd + i + 1, odd + i}, {even + i, even + i + 1, odd + i + 1}};
            for (int k = 0; k < (i < n ? 2 : 1); k++, triangles++)
                for (size_t c = 0; c < 3; c++) t[3 * triangles + c] = corners[k][j % 2 ? 2 - c : c];
        }
    }
    ruga_mesh *mesh = shape_make(context, vertices, x, triangles, NULL, t);
    free(x);
    free(t);
    free(first);
    return mesh;
}

ruga_curve *creased_curve(const ruga_mesh *mesh, const double *points, size_t count, int closed) {
    ruga_vec3 *at = malloc(count * sizeof *at);
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    for (size_t i = 0; i < count; i++) at[i] = (ruga_vec3){points[2 * i], 0, -points[2 * i + 1]};
    def.name = "fold";
    def.closed = closed;
    assert_ok(mesh->context, ruga_curve_from_points(mesh, at, count, &def, &curve));
    free(at);
    return curve;
}

size_t creased_piece_count(const ruga_mesh *mesh) {
    uint32_t *root = malloc(mesh->vertex_count * sizeof *root);
    size_t count = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) root[i] = i;
    for (size_t k = 0; k < 3 * mesh->triangle_count; k++) {
        uint32_t a = mesh->triangles[k], b = mesh->triangles[k - k % 3];
        while (root[a] != a) a = root[a];
        while (root[b] != b) b = root[b];
        root[a < b ? b : a] = a < b ? a : b;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) count += root[i] == i;
    free(root);
    return count;
}
