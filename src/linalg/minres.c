/* MINRES (Paige and Saunders 1975) with a preconditioner. The Lanczos process makes A tridiagonal in a basis of the
 * Krylov space, orthonormal in P; Givens rotations make that triangular, a column an iteration, and the solution
 * follows directions that are combined from three columns. The names are those of the tridiagonal matrix: diagonal
 * `alpha`, beside it `beta`. */
#include "linalg/minres.h"

#include <float.h>
#include <math.h>

#include "base/threads.h"
#include "linalg/cg_kernels.h"

#define BLOCK 4096

ruga_status minres_scratch_make(ruga_context *context, size_t count, minres_scratch *out) {
    *out = (minres_scratch){0};
    ruga_status status = RUGA_OK;
    for (int k = 0; k < MINRES_VECTORS && !RUGA_FAILED(status); k++) status = NEW(context, &out->vectors[k], count);
    if (RUGA_FAILED(status)) minres_scratch_release(context, out);
    return status;
}

void minres_scratch_release(ruga_context *context, minres_scratch *scratch) {
    for (int k = 0; k < MINRES_VECTORS; k++) memory_release(context, scratch->vectors[k]);
    *scratch = (minres_scratch){0};
}

/* ---- Vectors. */

typedef struct vector_task {
    ruga_isa isa;
    const double *a, *b, *c;
    double *out, *x;
    double factors[3];
} vector_task;

static double dot_block(void *argument, size_t begin, size_t end) {
    const vector_task *t = argument;
    return ISA_SELECT(t->isa, cg_dot)(t->a + begin, t->b + begin, end - begin);
}

static double dot(const minres_system *s, const double *a, const double *b) {
    vector_task task = {.isa = s->context->isa, .a = a, .b = b};
    return parallel_sum(s->context, s->count, BLOCK, dot_block, &task);
}

static void combine_block(void *argument, size_t begin, size_t end) {
    const vector_task *t = argument;
    for (size_t i = begin; i < end; i++)
        t->out[i] = (t->factors[0] * t->a[i] + t->factors[1] * t->b[i]) + t->factors[2] * t->c[i];
}

/* out = p a + q b + r c; out may be any of them. */
static void combine(const minres_system *s, double p, const double *a, double q, const double *b, double r,
                    const double *c, double *out) {
    vector_task task = {.a = a, .b = b, .c = c, .out = out, .factors = {p, q, r}};
    parallel_for(s->context, s->count, BLOCK, combine_block, &task);
}

static void advance_block(void *argument, size_t begin, size_t end) {
    const vector_task *t = argument;
    for (size_t i = begin; i < end; i++) t->x[i] += t->factors[0] * t->a[i];
}

/* x += factor a */
static void advance(const minres_system *s, double factor, const double *a, double *x) {
    vector_task task = {.a = a, .x = x, .factors = {factor}};
    parallel_for(s->context, s->count, BLOCK, advance_block, &task);
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

/* z = P v; returns the root of vᵀPv. */
static double precondition(const minres_system *s, const double *v, double *z) {
    if (s->precondition)
        s->precondition(s->user, v, z);
    else
        memcpy(z, v, s->count * sizeof *z);
    return sqrt(fmax(dot(s, v, z), 0));
}

/* ---- The solve. */

typedef struct minres_state {
    double *before, *v, *next; /* Lanczos vectors, not scaled: sizes `beta` */
    double *z;                 /* P v */
    double *direction, *last_direction, *product;
    double beta, beta_before;
    double cosine, sine, cosine_before, sine_before; /* the last two rotations */
    double largest;                                  /* row of the tridiagonal matrix: an estimate of the norm of A */
    double size;                                     /* of the residual, with a sign */
} minres_state;

/* v = b - A x */
static ruga_status begin(const minres_system *s, minres_state *m, const double *b, const double *x) {
    memcpy(m->v, b, s->count * sizeof *b);
    if (!s->starts_at_zero) {
        TRY(s->apply(s->user, x, m->product));
        advance(s, -1, m->product, m->v);
    }
    for (double **zeroed = (double *[]){m->before, m->direction, m->last_direction, NULL}; *zeroed; zeroed++)
        memset(*zeroed, 0, s->count * sizeof *b);
    m->beta = precondition(s, m->v, m->z);
    m->beta_before = 1;
    m->cosine = m->cosine_before = 1;
    m->sine = m->sine_before = 0;
    m->size = m->beta;
    return RUGA_OK;
}

/* One column. Returns RUGA_OK, and *stopped when the Krylov space has ended without the solution in it. */
static ruga_status iterate(const minres_system *s, minres_state *m, double *x, int *stopped) {
    double beta = m->beta;
    combine(s, 1 / beta, m->z, 0, m->z, 0, m->z, m->z);
    TRY(s->apply(s->user, m->z, m->product));
    double alpha = dot(s, m->z, m->product);
    combine(s, 1, m->product, -alpha / beta, m->v, -beta / m->beta_before, m->before, m->next);
    /* The basis vector is needed for the direction after the next one has taken its place. */
    double *basis = m->product;
    memcpy(basis, m->z, s->count * sizeof *basis);
    double beta_next = precondition(s, m->next, m->z);

    /* The column above the diagonal after the last two rotations, and the new one. */
    double far = m->sine_before * beta, near = m->sine * alpha + m->cosine_before * m->cosine * beta;
    double corner = m->cosine * alpha - m->cosine_before * m->sine * beta, pivot = hypot(corner, beta_next);
    m->largest = fmax(m->largest, fabs(alpha) + beta + beta_next);
    if (!(pivot > 8 * DBL_EPSILON * m->largest)) {
        *stopped = 1;
        return RUGA_OK;
    }
    m->cosine_before = m->cosine;
    m->sine_before = m->sine;
    m->cosine = corner / pivot;
    m->sine = beta_next / pivot;
    combine(s, 1 / pivot, basis, -far / pivot, m->last_direction, -near / pivot, m->direction, m->last_direction);
    swap(&m->direction, &m->last_direction);
    advance(s, m->cosine * m->size, m->direction, x);
    m->size *= -m->sine;

    swap(&m->before, &m->v);
    swap(&m->v, &m->next);
    m->beta_before = beta;
    m->beta = beta_next;
    return RUGA_OK;
}

ruga_status minres_solve(const minres_system *s, const minres_scratch *scratch, const double *b, double tolerance,
                         int most_iterations, double *x, minres_report *report) {
    double *const *v = scratch->vectors;
    minres_state m = {
        .before = v[0], .v = v[1], .next = v[2], .z = v[3], .direction = v[4], .last_direction = v[5], .product = v[6]};
    *report = (minres_report){0};
    TRY(begin(s, &m, b, x));
    report->start = m.beta;
    double goal = tolerance * report->start;
    int stopped = 0;
    while (fabs(m.size) > goal && m.beta > 0 && !stopped && report->iterations < most_iterations) {
        TRY(iterate(s, &m, x, &stopped));
        report->iterations += !stopped;
    }
    report->converged = fabs(m.size) <= goal;
    report->residual = report->start > 0 ? fabs(m.size) / report->start : 0;
    return RUGA_OK;
}
