/* Lowest eigenvectors against known spectra, and against ARPACK where it is installed. */
#include <math.h>

#include "linalg/lanczos.h"
#include "linalg/ldl.h"
#include "support/support.h"

#ifdef TEST_ARPACK
#include <arpack/arpack.h>
#endif

#define PI 3.14159265358979323846

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

static void solve(void *user, double *x) {
    const pencil *p = user;
    for (size_t i = 0; i < p->n; i++) p->side[i] = (vec3){x[i], 0, 0};
    ldl_solve(p->factor, p->side);
    for (size_t i = 0; i < p->n; i++) x[i] = p->side[i].x;
}

static pencil make_empty(ruga_context *context, size_t n, size_t entries) {
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

static void finish(pencil *p, double shift) {
    p->shift = shift;
    for (size_t i = 0; i < p->n; i++) p->shifted[i] = p->diagonal[i] + shift * p->masses[i];
    assert_ok(p->context, ldl_create(p->context, p->n, p->offsets, p->columns, &p->factor));
    assert_ok(p->context, ldl_factor(p->factor, p->values, p->shifted));
}

static void release(pencil *p) {
    ldl_destroy(p->factor);
    free(p->offsets);
    free(p->columns);
    free(p->values);
    free(p->diagonal);
    free(p->masses);
    free(p->shifted);
    free(p->side);
}

/* Springs between neighbours of a grid, masses 1. */
static pencil make_grid(ruga_context *context, size_t w, size_t h) {
    pencil p = make_empty(context, w * h, 4 * w * h);
    for (size_t i = 0, filled = 0; i < p.n; i++) {
        size_t x = i % w, y = i / w;
        const size_t others[4] = {i - 1, i + 1, i - w, i + w};
        const int there[4] = {x > 0, x + 1 < w, y > 0, y + 1 < h};
        for (int k = 0; k < 4; k++) {
            if (!there[k]) continue;
            p.columns[filled] = (uint32_t)others[k];
            p.values[filled++] = -1;
            p.diagonal[i]++;
        }
        p.offsets[i + 1] = (uint32_t)filled;
        p.masses[i] = 1;
    }
    finish(&p, 0.01);
    return p;
}

static double cotangent(vec3 a, vec3 b, vec3 c) {
    vec3 u = vec3_sub(b, a), v = vec3_sub(c, a);
    return vec3_dot(u, v) / vec3_length(vec3_cross(u, v));
}

/* The cotangent Laplacian of a mesh, with a third of the area of its triangles at each vertex. Entries of the same
 * edge are added up by the factor. */
static pencil make_surface(ruga_context *context, const ruga_mesh *mesh, double shift) {
    pencil p = make_empty(context, mesh->vertex_count, 6 * mesh->triangle_count);
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
    finish(&p, shift);
    return p;
}

typedef struct modes {
    double *values, *vectors;
    lanczos_report report;
} modes;

static modes lowest(pencil *p, size_t wanted) {
    modes m = {malloc(wanted * sizeof *m.values), malloc(wanted * p->n * sizeof *m.vectors), {0}};
    lanczos_pencil pencil_ = {p->context, p->n, p->masses, p->shift, solve, p};
    assert_ok(p->context, lanczos_lowest(&pencil_, wanted, 1e-10, m.values, m.vectors, &m.report));
    assert_int_equal(m.report.found, wanted);
    return m;
}

static void release_modes(modes *m) {
    free(m->values);
    free(m->vectors);
}

/* K v = λ M v, and v orthonormal in M. */
static void assert_modes(const pencil *p, const modes *m, size_t wanted) {
    for (size_t k = 0; k < wanted; k++) {
        const double *v = m->vectors + k * p->n;
        double square = 0, size = 0;
        for (size_t i = 0; i < p->n; i++) {
            double r = (p->diagonal[i] - m->values[k] * p->masses[i]) * v[i];
            for (size_t e = p->offsets[i]; e < p->offsets[i + 1]; e++) r += p->values[e] * v[p->columns[e]];
            square += r * r;
            size += p->diagonal[i] * p->diagonal[i] * v[i] * v[i];
        }
        assert_less_case(sqrt(square), 1e-7 * sqrt(size), "mode %zu", k);
        for (size_t o = 0; o <= k; o++) {
            double product = 0;
            for (size_t i = 0; i < p->n; i++) product += p->masses[i] * v[i] * m->vectors[o * p->n + i];
            assert_near_case(product, o == k, 1e-9, "modes %zu and %zu", o, k);
        }
    }
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 2 - 2 cos(π k / w), and the same along the other side. A square has most of them twice. */
static void grids_have_the_spectrum_of_theory(void **state) {
    ruga_context *context = *state;
    const size_t sides[][2] = {{40, 40}, {60, 17}, {200, 1}};
    for (size_t t = 0; t < 3; t++) {
        size_t w = sides[t][0], h = sides[t][1];
        enum { WANTED = 30 };
        pencil p = make_grid(context, w, h);
        modes m = lowest(&p, WANTED);
        double *theory = malloc(p.n * sizeof *theory);
        for (size_t i = 0; i < p.n; i++)
            theory[i] = 4 - 2 * cos(PI * (double)(i % w) / (double)w) - 2 * cos(PI * (double)(i / w) / (double)h);
        qsort(theory, p.n, sizeof *theory, rising);
        for (size_t k = 0; k < WANTED; k++) assert_near_case(m.values[k], theory[k], 1e-11, "grid %zu, mode %zu", t, k);
        assert_modes(&p, &m, WANTED);
        free(theory);
        release_modes(&m);
        release(&p);
    }
}

/* Few rows: all of the spectrum. */
static void all_eigenvectors_are_found(void **state) {
    ruga_context *context = *state;
    pencil p = make_grid(context, 5, 4);
    modes m = lowest(&p, p.n);
    double sum = 0, trace = 0;
    for (size_t i = 0; i < p.n; i++) {
        sum += m.values[i];
        trace += p.diagonal[i];
    }
    assert_near(sum, trace, 1e-10);
    assert_modes(&p, &m, p.n);
    release_modes(&m);
    release(&p);
}

static ruga_mesh *make_sphere(ruga_context *context) {
    const double values[2] = {1, 14}; /* m, and triangles along an edge of the icosahedron */
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, "sphere", values, &mesh));
    return mesh;
}

/* l (l + 1) / r², 2 l + 1 times. */
static void a_sphere_has_its_harmonics(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = make_sphere(context);
    enum { WANTED = 25 };
    double square = vec3_dot(mesh->positions[0], mesh->positions[0]);
    pencil p = make_surface(context, mesh, 1 / square);
    modes m = lowest(&p, WANTED);
    assert_modes(&p, &m, WANTED);
    for (int l = 0, k = 0; l < 5; l++)
        for (int i = 0; i < 2 * l + 1; i++, k++)
            assert_near_case(m.values[k] * square, l * (l + 1), 0.03 * l * (l + 1) + 1e-9, "mode %d", k);
    release_modes(&m);
    release(&p);
    ruga_mesh_destroy(mesh);
}

#ifdef TEST_ARPACK
/* Mode 3 of ARPACK: shift and inversion, with M. */
static void arpack_lowest(pencil *p, int wanted, double *values) {
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
            solve(p, out);
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

/* A surface without symmetry: a bent sphere. */
static void eigenvalues_are_those_of_arpack(void **state) {
    ruga_context *context = *state;
    enum { WANTED = 40 };
    ruga_mesh *mesh = make_sphere(context);
    vec3 *x = (vec3 *)mesh->positions;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        x[i] = (vec3){1.7 * x[i].x + 0.3 * x[i].y * x[i].z, x[i].y * (1 + 0.4 * sin(3 * x[i].x)), 0.8 * x[i].z};
    pencil p = make_surface(context, mesh, 1);
    modes m = lowest(&p, WANTED);
    double theirs[WANTED];
    arpack_lowest(&p, WANTED, theirs);
    assert_modes(&p, &m, WANTED);
    for (size_t k = 0; k < WANTED; k++) assert_near_case(m.values[k], theirs[k], 1e-9 * (1 + theirs[k]), "mode %zu", k);
    release_modes(&m);
    release(&p);
    ruga_mesh_destroy(mesh);
}
#else
static void eigenvalues_are_those_of_arpack(void **state) {
    (void)state;
    print_message("ARPACK was not there when this was built (on Debian: libarpack2-dev): skipped\n");
    skip();
}
#endif

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    modes m[3];
    size_t count = 0;
    for (int threads = 1; threads <= 3; threads++) {
        ruga_context *context = context_plain(threads);
        pencil p = make_grid(context, 80, 70);
        m[threads - 1] = lowest(&p, 12);
        count = 12 * p.n;
        assert_memory_equal(m[threads - 1].vectors, m[0].vectors, count * sizeof(double));
        release(&p);
        ruga_context_destroy(context);
    }
    for (int k = 0; k < 3; k++) release_modes(&m[k]);
}

static void senseless_wishes_are_refused(void **state) {
    ruga_context *context = *state;
    pencil p = make_grid(context, 3, 3);
    double values[10], vectors[90];
    lanczos_report report;
    lanczos_pencil q = {context, p.n, p.masses, p.shift, solve, &p};
    assert_status(lanczos_lowest(&q, 10, 1e-9, values, vectors, &report), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "at most 9");
    assert_status(lanczos_lowest(&q, 0, 1e-9, values, vectors, &report), RUGA_OK);
    q.shift = 0;
    assert_status(lanczos_lowest(&q, 2, 1e-9, values, vectors, &report), RUGA_ERROR_ARGUMENT);
    q.shift = p.shift;
    p.masses[4] = 0;
    assert_status(lanczos_lowest(&q, 2, 1e-9, values, vectors, &report), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "row 4");
    release(&p);
}

static ruga_status find_two(ruga_context *context, void *user) {
    pencil *p = user;
    double values[2], *vectors = malloc(2 * p->n * sizeof *vectors);
    lanczos_report report;
    lanczos_pencil q = {context, p->n, p->masses, p->shift, solve, p};
    ruga_status status = lanczos_lowest(&q, 2, 1e-9, values, vectors, &report);
    free(vectors);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_context *context = *state;
    pencil p = make_grid(context, 6, 5);
    assert_every_allocation_may_fail(find_two, &p);
    release(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_have_the_spectrum_of_theory), cmocka_unit_test(all_eigenvectors_are_found),
        cmocka_unit_test(a_sphere_has_its_harmonics),        cmocka_unit_test(eigenvalues_are_those_of_arpack),
        cmocka_unit_test(bits_do_not_depend_on_threads),     cmocka_unit_test(senseless_wishes_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
