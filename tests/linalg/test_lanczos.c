/* Lowest eigenvectors against known spectra, and against ARPACK where it is installed. */
#include <math.h>

#include "linalg/lanczos.h"
#include "linalg/pencil.h"

#define PI 3.14159265358979323846

/* Springs between neighbours of a grid, masses 1. */
static pencil make_grid(ruga_context *context, size_t w, size_t h) {
    pencil p = pencil_empty(context, w * h, 4 * w * h);
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
    pencil_finish(&p, 0.01);
    return p;
}

typedef struct modes {
    double *values, *vectors;
    lanczos_report report;
} modes;

static modes lowest(pencil *p, size_t wanted) {
    modes m = {malloc(wanted * sizeof *m.values), malloc(wanted * p->n * sizeof *m.vectors), {0}};
    lanczos_pencil pencil_ = {p->context, p->n, p->masses, p->shift, pencil_solve, p};
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
        pencil_release(&p);
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
    pencil_release(&p);
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
    pencil p = pencil_of_surface(context, mesh, 1 / square);
    modes m = lowest(&p, WANTED);
    assert_modes(&p, &m, WANTED);
    for (int l = 0, k = 0; l < 5; l++)
        for (int i = 0; i < 2 * l + 1; i++, k++)
            assert_near_case(m.values[k] * square, l * (l + 1), 0.03 * l * (l + 1) + 1e-9, "mode %d", k);
    release_modes(&m);
    pencil_release(&p);
    ruga_mesh_destroy(mesh);
}

#ifdef TEST_ARPACK
/* A surface without symmetry: a bent sphere. */
static void eigenvalues_are_those_of_arpack(void **state) {
    ruga_context *context = *state;
    enum { WANTED = 40 };
    ruga_mesh *mesh = make_sphere(context);
    vec3 *x = (vec3 *)mesh->positions;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        x[i] = (vec3){1.7 * x[i].x + 0.3 * x[i].y * x[i].z, x[i].y * (1 + 0.4 * sin(3 * x[i].x)), 0.8 * x[i].z};
    pencil p = pencil_of_surface(context, mesh, 1);
    modes m = lowest(&p, WANTED);
    double theirs[WANTED];
    arpack_lowest(&p, WANTED, theirs);
    assert_modes(&p, &m, WANTED);
    for (size_t k = 0; k < WANTED; k++) assert_near_case(m.values[k], theirs[k], 1e-9 * (1 + theirs[k]), "mode %zu", k);
    release_modes(&m);
    pencil_release(&p);
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
        pencil_release(&p);
        ruga_context_destroy(context);
    }
    for (int k = 0; k < 3; k++) release_modes(&m[k]);
}

static void senseless_wishes_are_refused(void **state) {
    ruga_context *context = *state;
    pencil p = make_grid(context, 3, 3);
    double values[10], vectors[90];
    lanczos_report report;
    lanczos_pencil q = {context, p.n, p.masses, p.shift, pencil_solve, &p};
    assert_status(lanczos_lowest(&q, 10, 1e-9, values, vectors, &report), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "at most 9");
    assert_status(lanczos_lowest(&q, 0, 1e-9, values, vectors, &report), RUGA_OK);
    q.shift = 0;
    assert_status(lanczos_lowest(&q, 2, 1e-9, values, vectors, &report), RUGA_ERROR_ARGUMENT);
    q.shift = p.shift;
    p.masses[4] = 0;
    assert_status(lanczos_lowest(&q, 2, 1e-9, values, vectors, &report), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "row 4");
    pencil_release(&p);
}

static ruga_status find_two(ruga_context *context, void *user) {
    pencil *p = user;
    double values[2], *vectors = malloc(2 * p->n * sizeof *vectors);
    lanczos_report report;
    lanczos_pencil q = {context, p->n, p->masses, p->shift, pencil_solve, p};
    ruga_status status = lanczos_lowest(&q, 2, 1e-9, values, vectors, &report);
    free(vectors);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_context *context = *state;
    pencil p = make_grid(context, 6, 5);
    assert_every_allocation_may_fail(find_two, &p);
    pencil_release(&p);
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
