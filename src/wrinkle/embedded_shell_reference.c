/* The paper's path, kept as the reference: Newton's method on the residual of
 *
 *     F = (g + γHᵀl, γ H (x - p))
 *
 * with system (10) by MINRES, which needs no definite matrix. γ = E h makes both parts comparable. Signs: the paper's
 * F_x is a force, -g, so that its right side is +F_x, and l is solved for in increments. The line search is section
 * 6.1's: full step, half, then the minimum of the parabola through |F|² at the last two factors and at zero, within 0.1
 * to 0.5 of the last (Kelley 1987), until |F| has fallen enough. */
#include <math.h>

#include "linalg/minres.h"
#include "wrinkle/embedded_shell.h"

#define MINRES_TOLERANCE 1e-4
#define MINRES_ITERATIONS 20000
#define ARMIJO 1e-4
#define MOST_TRIALS 20
#define PROGRESS_ITERATIONS 64

struct shell_reference {
    ruga_context *context;
    size_t unknowns;  /* numbers of x and of l */
    double *residual; /* (unknowns) F */
    double *step;     /* (unknowns) */
    double *trial;    /* (unknowns) x, then μ */
    int products;     /* since progress was reported */
    minres_scratch scratch;
    ruga_embedded_shell *shell;
};

static size_t cluster_count(const ruga_embedded_shell *shell) { return shell->rows ? shell->rows->rows : 0; }

static ruga_status make(ruga_embedded_shell *shell, shell_reference *r) {
    ruga_context *context = shell->context;
    r->shell = shell;
    r->unknowns = 3 * (shell->count + cluster_count(shell));
    TRY(NEW_EACH(context, r->unknowns, &r->residual, &r->step, &r->trial));
    return minres_scratch_make(context, r->unknowns, &r->scratch);
}

ruga_status shell_reference_create(ruga_embedded_shell *shell, shell_reference **out) {
    shell_reference *r;
    TRY(NEW_ZEROED(shell->context, &r, 1));
    r->context = shell->context;
    RETURN_MADE(make(shell, r), r, out, shell_reference_destroy(r));
}

void shell_reference_destroy(shell_reference *r) {
    if (!r) return;
    minres_scratch_release(r->context, &r->scratch);
    RELEASE_ALL(r->context, r->residual, r->step, r->trial, r);
}

/* F at x and μ = γ l; returns |F|. */
static double find_residual(shell_reference *r, const vec3 *x, const vec3 *multipliers) {
    ruga_embedded_shell *shell = r->shell;
    vec3 *drift = (vec3 *)r->residual + shell->count;
    double size = shell_residual(shell, x, multipliers, (vec3 *)r->residual, drift);
    for (size_t k = 0; k < cluster_count(shell); k++) drift[k] = vec3_scale(drift[k], shell->mean_stretch);
    return size;
}

/* [K γHᵀ; γH 0] */
static ruga_status apply(void *user, const double *in, double *out) {
    shell_reference *r = user;
    const ruga_embedded_shell *shell = r->shell;
    const vec3 *x = (const vec3 *)in, *l = x + shell->count;
    vec3 *forces = (vec3 *)out, *drift = forces + shell->count;
    if (++r->products % PROGRESS_ITERATIONS == 0) TRY(report_progress(r->context, "shell", 0));
    shell_multiply(shell, x, forces);
    if (!shell->rows) return RUGA_OK;
    for (size_t k = 0; k < shell->rows->rows; k++) shell->constraints[k] = vec3_scale(l[k], shell->mean_stretch);
    ruga_map_apply_transpose_add(shell->rows, shell->constraints, forces);
    ruga_map_apply(shell->rows, x, drift);
    for (size_t k = 0; k < shell->rows->rows; k++) drift[k] = vec3_scale(drift[k], shell->mean_stretch);
    return RUGA_OK;
}

static double size_at(shell_reference *r, double factor) {
    ruga_embedded_shell *shell = r->shell;
    vec3 *trial = (vec3 *)r->trial;
    const vec3 *step = (const vec3 *)r->step;
    for (size_t i = 0; i < shell->count; i++) trial[i] = vec3_add_scaled(shell->x[i], step[i], factor);
    for (size_t k = 0; k < cluster_count(shell); k++)
        trial[shell->count + k] =
            vec3_add_scaled(shell->multipliers[k], step[shell->count + k], factor * shell->mean_stretch);
    return find_residual(r, trial, trial + shell->count);
}

/* The least point of the parabola through φ(0), φ(a) and φ(b). */
static double least_of(double zero, double a, double at_a, double b, double at_b) {
    double da = (at_a - zero) / a, db = (at_b - zero) / b, curvature = (da - db) / (a - b);
    return curvature > 0 ? -(da - curvature * a) / (2 * curvature) : 0;
}

/* 0: no factor lowers |F| enough; else x and μ have moved by it. */
static double search(shell_reference *r, double size) {
    double last = 1, before = 0, at_last = size_at(r, 1), at_before = size;
    for (int k = 1; !(at_last < (1 - ARMIJO * last) * size) && k < MOST_TRIALS; k++) {
        double next = k == 1 ? 0.5 : least_of(size * size, last, at_last * at_last, before, at_before * at_before);
        next = fmin(fmax(next, 0.1 * last), 0.5 * last);
        before = last;
        at_before = at_last;
        last = next;
        at_last = size_at(r, last);
    }
    if (!(at_last < (1 - ARMIJO * last) * size)) return 0;
    memcpy(r->shell->x, r->trial, r->shell->count * sizeof *r->shell->x);
    if (r->shell->rows)
        memcpy(r->shell->multipliers, (vec3 *)r->trial + r->shell->count, cluster_count(r->shell) * sizeof(vec3));
    return last;
}

ruga_status shell_solve_reference(ruga_embedded_shell *shell, double start) {
    shell_reference *r = shell->reference;
    ruga_embedded_shell_report *report = &shell->report;
    const minres_system system = {r->context, r->unknowns, apply, NULL, r, 1};
    if (shell->rows) memset(shell->multipliers, 0, shell->rows->rows * sizeof *shell->multipliers);
    if (shell->watch) shell->watch(shell->watcher, NAN);
    for (report->newton_steps = 0;; report->newton_steps++) {
        minres_report solved;
        double size = find_residual(r, shell->x, shell->multipliers);
        report->residual = start > 0 ? size / start : 0; /* at rest there is none */
        if (shell->watch) shell->watch(shell->watcher, size);
        if (size <= shell->target) return RUGA_OK;
        if (report->newton_steps == shell->def.iterations) break;
        for (size_t i = 0; i < r->unknowns; i++) r->residual[i] = -r->residual[i];
        memset(r->step, 0, r->unknowns * sizeof *r->step);
        TRY(shell_linearise(shell, shell->x));
        TRY(minres_solve(&system, &r->scratch, r->residual, MINRES_TOLERANCE, MINRES_ITERATIONS, r->step, &solved));
        report->linear_iterations += solved.iterations;
        if (!(search(r, size) > 0)) {
            report->stalled = "no step lowers the residual";
            return RUGA_OK;
        }
    }
    report->stalled = "Newton's method reached its limit";
    return RUGA_OK;
}
