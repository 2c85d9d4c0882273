/* Generalised eigenvalue problems K v = λ M v: the Laplacian of a surface, its factor, and the answer of ARPACK. */
#ifndef TESTS_PENCIL_H
#define TESTS_PENCIL_H

#include <math.h>

#include "linalg/ldl.h"
#include "support/support.h"

#ifdef TEST_ARPACK
#include <arpack/arpack.h>
#endif

/* A Laplacian with masses, and its factor. */
typedef struct pencil {
    ruga_context *context;
    size_t n;
    uint32_t *offsets, *columns;
    double *values, *diagonal, *masses, *shifted;
    double shift;
    ldl *factor;
    vec3 *side;
} pencil;

static inline void pencil_solve(void *user, double *x) {
    const pencil *p = user;
    for (size_t i = 0; i < p->n; i++) p->side[i] = (vec3){x[i], 0, 0};
    ldl_solve(p->factor, p->side);
    for (size_t i = 0; i < p->n; i++) x[i] = p->side[i].x;
}

static inline pencil pencil_empty(ruga_context *context, size_t n, size_t entries) {
    pencil p = {.context = context, .n = n};
    p.offsets = calloc(n + 1, sizeof *p.offsets);
    p.columns = calloc(entries, sizeof *p.columns);
    p.values = calloc(entries, sizeof *p.values);
    p.diagonal = calloc(n, sizeof *p.diagonal);
    p.masses = calloc(n, sizeof *p.masses);
    p.shifted = calloc(n, sizeof *p.shifted);
    p.side = calloc(n, sizeof *p.side);
    return p;
}

static inline void pencil_finish(pencil *p, double shift) {
    p->shift = shift;
    for (size_t i = 0; i < p->n; i++) p->shifted[i] = p->diagonal[i] + shift * p->masses[i];
    assert_ok(p->context, ldl_create(p->context, p->n, p->offsets, p->columns, &p->factor));
    assert_ok(p->context, ldl_factor(p->factor, p->values, p->shifted));
}

static inline void pencil_release(pencil *p) {
    ldl_destroy(p->factor);
    free(p->offsets);
    free(p->columns);
    free(p->values);
    free(p->diagonal);
    free(p->masses);
    free(p->shifted);
    free(p->side);
}

static inline double cotangent(vec3 a, vec3 b, vec3 c) {
    vec3 u = vec3_sub(b, a), v = vec3_sub(c, a);
    return vec3_dot(u, v) / vec3_length(vec3_cross(u, v));
}

/* The cotangent Laplacian of a mesh, with a third of the area of its triangles at each vertex. Entries of the same
 * edge are added up by the factor. */
static inline pencil pencil_of_surface(ruga_context *context, const ruga_mesh *mesh, double shift) {
    pencil p = pencil_empty(context, mesh->vertex_count, 6 * mesh->triangle_count);
    for (size_t k = 0; k < 3 * mesh->triangle_count; k++) p.offsets[mesh->triangles[k] + 1] += 2;
    for (size_t i = 0; i < p.n; i++) p.offsets[i + 1] += p.offsets[i];
    uint32_t *fronts = malloc(p.n * sizeof *fronts);
    memcpy(fronts, p.offsets, p.n * sizeof *fronts);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t *c = mesh->triangles + 3 * t;
            uint32_t a = c[k], b = c[(k + 1) % 3], o = c[(k + 2) % 3];
            const vec3 *x = mesh->positions;
            double weight = 0.5 * cotangent(x[o], x[a], x[b]);
            for (int end = 0; end < 2; end++) {
                uint32_t from = end ? b : a, to = end ? a : b;
                p.columns[fronts[from]] = to;
                p.values[fronts[from]++] = -weight;
                p.diagonal[from] += weight;
            }
        }
    free(fronts);
    assert_ok(context, ruga_mesh_masses(mesh, 1, p.masses));
    pencil_finish(&p, shift);
    return p;
}

static inline int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#ifdef TEST_ARPACK
/* Mode 3 of ARPACK: shift and inversion, with M. */
static inline void arpack_lowest(pencil *p, int wanted, double *values) {
    int n = (int)p->n, ncv = 2 * wanted + 20, lworkl = ncv * (ncv + 8), ido = 0, info = 0;
    int iparam[11] = {1, 0, 1000, 1, 0, 0, 3, 0, 0, 0, 0}, ipntr[14] = {0};
    double *resid = calloc(p->n, sizeof *resid), *v = calloc(p->n * (size_t)ncv, sizeof *v);
    double *workd = calloc(3 * p->n, sizeof *workd), *workl = calloc((size_t)lworkl, sizeof *workl);
    int *select = calloc((size_t)ncv, sizeof *select);
    for (;;) {
        dsaupd_c(&ido, "G", n, "LM", wanted, 1e-12, resid, ncv, v, n, iparam, ipntr, workd, workl, lworkl, &info);
        const double *in = workd + ipntr[0] - 1;
        double *out = workd + ipntr[1] - 1;
        if (ido == -1 || ido == 1) {
            for (int i = 0; i < n; i++) out[i] = ido == 1 ? workd[ipntr[2] - 1 + i] : p->masses[i] * in[i];
            pencil_solve(p, out);
        } else if (ido == 2) {
            for (int i = 0; i < n; i++) out[i] = p->masses[i] * in[i];
        } else {
            break;
        }
    }
    assert_int_equal(info, 0);
    dseupd_c(0, "A", select, values, v, n, -p->shift, "G", n, "LM", wanted, 1e-12, resid, ncv, v, n, iparam, ipntr,
             workd, workl, lworkl, &info);
    assert_int_equal(info, 0);
    qsort(values, (size_t)wanted, sizeof *values, rising);
    free(resid);
    free(v);
    free(workd);
    free(workl);
    free(select);
}

#endif

#endif
