/* Lanczos with shift and inversion (Ericsson and Ruhe 1980) and full reorthogonalisation. With y = √M v the operator
 *
 *     B = √M (K + σ M)⁻¹ √M,   B y = θ y,   θ = 1 / (λ + σ)
 *
 * is symmetric, and the lowest λ are the largest θ, far apart from the rest, so that few products are needed.
 *
 * One run from one start finds each multiple eigenvalue once, as a Krylov space has one vector of each. So converged
 * vectors are locked, and runs from other starts, orthogonal to them, follow until one has shown that nothing larger is
 * left: its largest θ has converged and is less than the last wanted. */
#include "linalg/lanczos.h"

#include <float.h>
#include <math.h>

#include "base/threads.h"
#include "linalg/cg_kernels.h"

#define BLOCK 2048
#define CHECK_EVERY 8  /* steps between looks at what has converged */
#define SPARE_STEPS 60 /* of a run, beyond four times the vectors that it looks for */
#define MOST_RUNS 200
#define QL_ROUNDS 60    /* for an eigenvalue of a tridiagonal matrix; 2 are usual */
#define AGAIN_BELOW 0.7 /* a vector that orthogonalisation shortens to less of itself is orthogonalised again */

/* ---- Tridiagonal matrices. */

/* The rotation that makes (f, g) into (r, 0). */
static double rotate(double f, double g, double *cosine, double *sine) {
    double r = hypot(f, g);
    *cosine = r > 0 ? f / r : 1;
    *sine = r > 0 ? g / r : 0;
    return r;
}

/* One QL step with Wilkinson's shift on rows [low, high]. */
static void ql_step(size_t low, size_t high, double *d, double *e, size_t rows, double *columns) {
    double half = (d[low + 1] - d[low]) / (2 * e[low]), root = hypot(half, 1);
    double g = d[high] - d[low] + e[low] / (half + (half >= 0 ? root : -root)), s = 1, c = 1, p = 0;
    for (size_t i = high; i-- > low;) {
        double f = s * e[i], b = c * e[i];
        e[i + 1] = rotate(g, f, &c, &s);
        g = d[i + 1] - p;
        double r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        double *left = columns + i * rows, *right = left + rows;
        for (size_t k = 0; k < rows; k++) {
            double held = right[k];
            right[k] = s * left[k] + c * held;
            left[k] = c * left[k] - s * held;
        }
    }
    d[low] -= p;
    e[low] = g;
    e[high] = 0;
}

int tridiagonal_eigen(size_t n, double *diagonal, double *beside, size_t rows, double *columns) {
    if (n > 0) beside[n - 1] = 0;
    for (size_t low = 0; low < n; low++)
        for (int round = 0;; round++) {
            size_t high = low;
            while (high + 1 < n && fabs(beside[high]) > DBL_EPSILON * (fabs(diagonal[high]) + fabs(diagonal[high + 1])))
                high++;
            if (high == low) break;
            if (round == QL_ROUNDS) return 0;
            ql_step(low, high, diagonal, beside, rows, columns);
        }
    return 1;
}

/* ---- State. */

typedef struct lanczos {
    const lanczos_pencil *pencil;
    size_t n, wanted, most_locked, most_steps;
    double *roots;                  /* (n) √M */
    double *locked, *locked_values; /* (most_locked x n) y, and θ */
    size_t locked_count;
    double *basis;             /* ((most_steps + 1) x n) */
    double *diagonal, *beside; /* (most_steps + 1) of the run's tridiagonal matrix */
    double *values, *work;     /* (most_steps + 1) Ritz values, and scratch */
    double *ritz;              /* (most_steps²) eigenvectors of the tridiagonal matrix */
    uint32_t *sorted;          /* (most_steps) Ritz values by size, the largest first */
    double *products;          /* (most_locked + most_steps + 1) with other vectors */
    uint64_t random;
    lanczos_report *report;
} lanczos;

static ruga_status make(lanczos *l) {
    ruga_context *context = l->pencil->context;
    size_t m = l->most_steps + 1;
    TRY(NEW(context, &l->roots, l->n));
    TRY(NEW(context, &l->locked, l->most_locked * l->n));
    TRY(NEW(context, &l->locked_values, l->most_locked));
    TRY(NEW(context, &l->basis, m * l->n));
    TRY(NEW_EACH(context, m, &l->diagonal, &l->beside, &l->values, &l->work));
    TRY(NEW(context, &l->ritz, m * m));
    TRY(NEW(context, &l->sorted, m));
    TRY(NEW(context, &l->products, l->most_locked + m));
    for (size_t i = 0; i < l->n; i++) l->roots[i] = sqrt(l->pencil->masses[i]);
    return RUGA_OK;
}

static void release(lanczos *l) {
    RELEASE_ALL(l->pencil->context, l->roots, l->locked, l->locked_values, l->basis, l->diagonal, l->beside, l->values,
                l->work, l->ritz, l->sorted, l->products);
}

/* ---- Vectors. */

static double dot(const lanczos *l, const double *a, const double *b) {
    double sum = 0;
    for (size_t begin = 0; begin < l->n; begin += BLOCK)
        sum += ISA_SELECT(l->pencil->context->isa, cg_dot)(a + begin, b + begin,
                                                           l->n - begin < BLOCK ? l->n - begin : BLOCK);
    return sum;
}

/* Products of a vector with the locked ones and the first `steps` of the basis, one each task. */
typedef struct project_task {
    const lanczos *l;
    double *vector;
    size_t steps;
} project_task;

static const double *other_vector(const lanczos *l, size_t k) {
    return k < l->locked_count ? l->locked + k * l->n : l->basis + (k - l->locked_count) * l->n;
}

static void product_task(void *argument, size_t k) {
    const project_task *t = argument;
    t->l->products[k] = dot(t->l, t->vector, other_vector(t->l, k));
}

static void subtract_block(void *argument, size_t begin, size_t end) {
    const project_task *t = argument;
    for (size_t k = 0; k < t->l->locked_count + t->steps; k++) ISA_SELECT(t->l->pencil->context->isa, cg_combine)
    (t->vector + begin, other_vector(t->l, k) + begin, -t->l->products[k], t->vector + begin, end - begin);
}

/* Makes a vector orthogonal to all others; returns its length. */
static double orthogonalise(const lanczos *l, double *vector, size_t steps) {
    project_task task = {l, vector, steps};
    double before = sqrt(dot(l, vector, vector)), after = before;
    for (int round = 0; round < 4; round++) {
        parallel_tasks(l->pencil->context, l->locked_count + steps, product_task, &task);
        parallel_for(l->pencil->context, l->n, BLOCK, subtract_block, &task);
        after = sqrt(dot(l, vector, vector));
        if (after > AGAIN_BELOW * before) break;
        before = after;
    }
    return after;
}

static void scale(const lanczos *l, double *vector, double factor) {
    for (size_t i = 0; i < l->n; i++) vector[i] *= factor;
}

/* ---- A run. */

/* A start that only looks random. */
static void start_run(lanczos *l) {
    for (;;) {
        for (size_t i = 0; i < l->n; i++) {
            l->random = l->random * 6364136223846793005u + 1442695040888963407u;
            l->basis[i] = (double)(l->random >> 11) / 4503599627370496.0 - 1;
        }
        double length = orthogonalise(l, l->basis, 0);
        if (!(length > 0)) continue;
        scale(l, l->basis, 1 / length);
        return;
    }
}

/* The next vector of the basis. Returns 0 when there is none: the run has found an invariant space. */
static int extend(lanczos *l, size_t j) {
    const double *v = l->basis + j * l->n;
    double *next = l->basis + (j + 1) * l->n;
    for (size_t i = 0; i < l->n; i++) next[i] = l->roots[i] * v[i];
    l->pencil->solve(l->pencil->user, next);
    l->report->solves++;
    for (size_t i = 0; i < l->n; i++) next[i] *= l->roots[i];
    l->diagonal[j] = dot(l, next, v);
    double whole = sqrt(dot(l, next, next));
    for (size_t i = 0; i < l->n; i++) next[i] -= l->diagonal[j] * v[i] + (j > 0 ? l->beside[j - 1] * (v - l->n)[i] : 0);
    l->beside[j] = orthogonalise(l, next, j + 1);
    if (!(l->beside[j] > 64 * DBL_EPSILON * whole)) return 0;
    scale(l, next, 1 / l->beside[j]);
    return 1;
}

/* Ritz values of the first `steps` vectors, the largest first, and what their eigenvectors have in the last row, or
 * all of them. */
static int find_ritz(lanczos *l, size_t steps, int all) {
    size_t rows = all ? steps : 1;
    memcpy(l->values, l->diagonal, steps * sizeof *l->values);
    memcpy(l->work, l->beside, steps * sizeof *l->work);
    memset(l->ritz, 0, rows * steps * sizeof *l->ritz);
    for (size_t k = all ? 0 : steps - 1; k < steps; k++) l->ritz[k * rows + (all ? k : 0)] = 1;
    if (!tridiagonal_eigen(steps, l->values, l->work, rows, l->ritz)) return 0;
    for (size_t k = 0; k < steps; k++) {
        size_t at = k;
        for (; at > 0 && l->values[l->sorted[at - 1]] < l->values[k]; at--) l->sorted[at] = l->sorted[at - 1];
        l->sorted[at] = (uint32_t)k;
    }
    return 1;
}

/* How many Ritz values from the largest on have converged; `residual` is that of the run. */
static size_t count_converged(const lanczos *l, size_t steps, double residual, double tolerance) {
    size_t count = 0;
    while (count < steps && residual * fabs(l->ritz[l->sorted[count]]) <= tolerance * fabs(l->values[l->sorted[count]]))
        count++;
    return count;
}

typedef struct ritz_task {
    const lanczos *l;
    size_t steps;
    const double *weights; /* (steps) */
    double *out;
} ritz_task;

static void combine_block(void *argument, size_t begin, size_t end) {
    const ritz_task *t = argument;
    memset(t->out + begin, 0, (end - begin) * sizeof *t->out);
    for (size_t k = 0; k < t->steps; k++) ISA_SELECT(t->l->pencil->context->isa, cg_combine)
    (t->out + begin, t->l->basis + k * t->l->n + begin, t->weights[k], t->out + begin, end - begin);
}

/* Locks the largest Ritz vectors, at most as many as there is room for. */
static void lock(lanczos *l, size_t steps, size_t count) {
    for (size_t k = 0; k < count && l->locked_count < l->most_locked; k++) {
        double value = l->values[l->sorted[k]], *out = l->locked + l->locked_count * l->n;
        ritz_task task = {l, steps, l->ritz + l->sorted[k] * steps, out};
        parallel_for(l->pencil->context, l->n, BLOCK, combine_block, &task);
        scale(l, out, 1 / sqrt(dot(l, out, out)));
        l->locked_values[l->locked_count++] = value;
    }
}

/* The wanted-th largest θ that is locked; 0: there are not so many. */
static double last_wanted(const lanczos *l) {
    if (l->locked_count < l->wanted) return 0;
    double *falling = l->work;
    for (size_t k = 0; k < l->locked_count; k++) {
        size_t at = k;
        for (; at > 0 && falling[at - 1] < l->locked_values[k]; at--) falling[at] = falling[at - 1];
        falling[at] = l->locked_values[k];
    }
    return falling[l->wanted - 1];
}

/* One run. With enough locked, its largest θ alone is of interest. Returns 1 when nothing is left to be found, 0 when
 * another run is needed, -1 when it did not converge. */
static int run(lanczos *l, double tolerance) {
    double limit = last_wanted(l);
    size_t left = l->n - l->locked_count, steps = 0, converged = 0;
    size_t seek = limit > 0 ? 1 : l->wanted - l->locked_count;
    if (left == 0) return 1;
    start_run(l);
    for (int continues = 1; continues;) {
        continues = extend(l, steps) && steps + 1 < left;
        double residual = continues ? l->beside[steps] : 0;
        steps++;
        int full = steps == l->most_steps;
        if (continues && !full && steps % CHECK_EVERY != 0) continue;
        if (!find_ritz(l, steps, 0)) return -1;
        converged = count_converged(l, steps, residual, tolerance);
        if (converged >= seek || full) break;
    }
    if (converged == 0) return -1;
    if (!find_ritz(l, steps, 1)) return -1;
    if (limit > 0 && l->values[l->sorted[0]] <= limit * (1 + tolerance)) return 1;
    lock(l, steps, converged);
    return 0;
}

/* ---- All of it. */

static void write_results(const lanczos *l, double *values, double *vectors) {
    size_t count = l->report->found;
    for (size_t out = 0; out < count; out++) {
        size_t best = 0;
        for (size_t k = 1; k < l->locked_count; k++)
            if (l->locked_values[k] > l->locked_values[best]) best = k;
        values[out] = 1 / l->locked_values[best] - l->pencil->shift;
        for (size_t i = 0; i < l->n; i++) vectors[out * l->n + i] = l->locked[best * l->n + i] / l->roots[i];
        l->locked_values[best] = -1;
    }
}

static ruga_status solve(lanczos *l, double tolerance, double *values, double *vectors) {
    TRY(make(l));
    int state = 0;
    while (state == 0 && l->report->runs < MOST_RUNS && l->locked_count < l->most_locked) {
        state = run(l, tolerance);
        l->report->runs++;
    }
    l->report->found = l->locked_count < l->wanted ? l->locked_count : l->wanted;
    write_results(l, values, vectors);
    return state == 1 || l->locked_count == l->n ? RUGA_OK : RUGA_WARNING_NOT_CONVERGED;
}

ruga_status lanczos_lowest(const lanczos_pencil *pencil, size_t wanted, double tolerance, double *values,
                           double *vectors, lanczos_report *report) {
    size_t n = pencil->count;
    *report = (lanczos_report){0};
    if (wanted > n)
        return fail_argument(pencil->context, "%zu eigenvectors of %zu rows are wanted; ask for at most %zu", wanted, n,
                             n);
    if (!(pencil->shift > 0))
        return fail_argument(pencil->context, "the shift %g of eigenvectors has to be above 0", pencil->shift);
    for (size_t i = 0; i < n; i++)
        if (!(pencil->masses[i] > 0))
            return fail_argument(pencil->context, "the mass %g of row %zu has to be above 0", pencil->masses[i], i);
    if (wanted == 0) return RUGA_OK;
    lanczos l = {.pencil = pencil, .n = n, .wanted = wanted, .random = 1, .report = report};
    l.most_steps = 4 * wanted + SPARE_STEPS < n ? 4 * wanted + SPARE_STEPS : n;
    l.most_locked = 2 * wanted + SPARE_STEPS < n ? 2 * wanted + SPARE_STEPS : n;
    ruga_status status = solve(&l, tolerance, values, vectors);
    release(&l);
    return status;
}
