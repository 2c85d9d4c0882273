/* The fast path: Newton's method for the constrained minimum.
 *
 * A Newton step minimises gᵀd + ½ dᵀK d over d with H d = 0. K, the true Hessian, is indefinite where the skin buckles.
 * Conjugate gradients on K are preconditioned by the same problem with G = K + τ diag(D k⁴ A), in one factor
 * (embedded_shell_factor.c): G z + Hᵀy = r, H z = 0. So they stay on the constraints. r is replaced by r - Hᵀy: Hᵀy is
 * a multiplier's force, and keeping it lets the constraints drift by rounding until nothing converges.
 *
 * Conjugate gradients end at a direction of negative curvature, or where the step leaves the region in which the
 * quadratic model was good (Steihaug 1983), measured in the norm of G. τ is at least LEAST_SHIFT: without it, this norm
 * would not see how far a step goes along modes that are about to buckle.
 *
 * A step d is taken along a curve: every triangle is turned by the finite rotation that d begins, instead of being
 * stretched by it (embedded_shell_carry.c), and the clusters are put back. The energy along this curve is close to the
 * quadratic model for steps many times as long as along a straight line, where a wave that grows stretches the skin. A
 * line search on the energy makes each step a descent: the merit is the energy, and never rises.
 *
 * With contact every step also ends before its straight line meets anything (embedded_shell_contact.c). The start has
 * to be free of intersections, too. Where the carrier leads the skin into some, the solve starts from the skin before
 * it, with all clusters as springs (embedded_shell_yield.c). Then all clusters are put where the carrier wants them,
 * except those that would intersect on their path: these stay springs.
 *
 * The factor is kept over steps and frames, and made again when conjugate gradients become slow. After
 * a solve with contact it is not kept. */
#include <math.h>

#include "base/threads.h"
#include "linalg/cg.h"
#include "wrinkle/embedded_shell.h"

#define LEAST_SHIFT 1.0     /* τ */
#define SHIFT_FALL 16       /* by which τ is tried to be smaller than in the last factor */
#define MOST_SHIFT 16       /* beyond it, the definite part of K is nearer to it than K with τ */
#define MOST_ITERATIONS 150 /* of conjugate gradients in a step */
#define SLOW_ITERATIONS 10  /* of a step: beyond, a new factor is cheaper */
#define POOR_STEPS 4        /* that ended early: after them, too */
#define MOST_HALVINGS 30
#define MOST_ESCAPES 4
#define FIRST_STEP 1e-3 /* of the mean edge: away from a saddle */
#define MOST_DOUBLINGS 12
#define LOOSEST 0.1   /* tolerance of conjugate gradients far from the minimum, */
#define TIGHTEST 1e-3 /* and close to it */
#define NEARLY 100    /* times the wanted residual */
#define ARMIJO 1e-4
#define GOOD 0.75      /* of the decrease that the model promises: the trusted region grows */
#define ROUNDING 1e-13 /* of the energy */
#define DRIFT 1e-10    /* of the mean edge: constraints that are corrected */
#define SAFE 0.8       /* of the path to a contact */
#define LEAST_CUT 0.05 /* of a step that meets one */
#define APPROACH_STEPS 40
#define APPROACH_TOLERANCE 100 /* times the wanted residual */
#define HARDEN_ROUNDS 8
#define WIDEN_ROUNDS 8 /* after them: the clusters beside those that yield do, too */

struct shell_solver {
    ruga_context *context;
    shell_factor *factor;
    double shift;  /* τ of the factor */
    double radius; /* of the trusted region, in the norm of G */
    int has_factor, is_slow;
    int is_definite;      /* the factor is that of the definite part of K */
    int poor_steps;       /* since the factor was made */
    int had_contacts;     /* the factor has terms of contact, which a restart can't make again */
    double reached;       /* of the last step that was tried: the part before a contact */
    size_t contacts;      /* of the last gradient */
    unsigned char *marks; /* (count) */
    vec3 *made_at;        /* (count) m, x that the factor belongs to */
    vec3 *gradient, *residual, *z, *direction, *product, *step, *trial; /* (count) */
    vec3 *y;                                                            /* (clusters) */
};

/* ---- Making. */

static size_t cluster_count(const ruga_embedded_shell *shell) { return shell->rows ? shell->rows->rows : 0; }

static ruga_status make(ruga_embedded_shell *shell, shell_solver *s) {
    ruga_context *context = shell->context;
    TRY(NEW_EACH(context, shell->count, &s->gradient, &s->residual, &s->z, &s->direction));
    TRY(NEW_EACH(context, shell->count, &s->product, &s->step, &s->trial));
    TRY(NEW_ZEROED(context, &s->made_at, shell->count));
    TRY(NEW(context, &s->marks, shell->count));
    if (shell->rows) TRY(NEW(context, &s->y, shell->rows->rows));
    return shell_factor_create(shell, SHELL_FACTOR_AUTO, &s->factor);
}

ruga_status shell_solver_create(ruga_embedded_shell *shell, shell_solver **out) {
    shell_solver *s;
    TRY(NEW_ZEROED(shell->context, &s, 1));
    s->context = shell->context;
    shell_solver_forget(s);
    RETURN_MADE(make(shell, s), s, out, shell_solver_destroy(s));
}

void shell_solver_destroy(shell_solver *s) {
    if (!s) return;
    shell_factor_destroy(s->factor);
    RELEASE_ALL(s->context, s->gradient, s->residual, s->z, s->direction, s->product, s->step, s->trial, s->y,
                s->made_at, s->marks, s);
}

void shell_solver_forget(shell_solver *s) {
    if (!s) return;
    s->shift = 0;
    s->radius = INFINITY;
    s->has_factor = s->is_slow = s->is_definite = s->poor_steps = 0;
}

/* ---- Factors. */

/* K is far from definite where a joint crushes triangles, which are far stiffer than waves. A shift for them would make
 * all waves stiff. There the factor is one of the definite part of K instead, term by term. */
static ruga_status factor_definite(ruga_embedded_shell *shell, shell_solver *s, const vec3 *x) {
    TRY(shell_linearise_definite(shell, x));
    if (shell->foundation) block_matrix_add_diagonal(shell->hessian, shell->foundation, NULL);
    s->has_factor = shell_factor_make(shell, s->factor, s->shift);
    return shell_linearise(shell, x);
}

/* Where the Hessian was linearised. The shift shrinks again once the skin has buckled and has less stress. */
static int factor(ruga_embedded_shell *shell, shell_solver *s, const vec3 *x, ruga_status *status) {
    const double most = s->is_definite ? LEAST_SHIFT : MOST_SHIFT;
    s->shift = s->is_definite ? LEAST_SHIFT : fmax(s->shift / SHIFT_FALL, LEAST_SHIFT);
    s->is_slow = s->poor_steps = 0;
    s->had_contacts = shell_contact_count(shell) > 0;
    memcpy(s->made_at, x, shell->count * sizeof *x);
    s->has_factor = shell_factor_search(shell, s->factor, most, &s->shift);
    s->is_definite = !s->has_factor;
    if (s->has_factor) return 1;
    s->shift = LEAST_SHIFT;
    *status = factor_definite(shell, s, x);
    return s->has_factor && !RUGA_FAILED(*status);
}

static int is_soft(const ruga_embedded_shell *shell, size_t k) { return shell->soft_count && shell->softness[k] > 0; }

/* z = P r; r loses its part in the range of Hᵀ, and y becomes that part's multiplier. */
static void precondition(ruga_embedded_shell *shell, shell_solver *s, vec3 *r, vec3 *z) {
    memcpy(z, r, shell->count * sizeof *z);
    for (size_t k = 0; k < cluster_count(shell); k++) s->y[k] = (vec3){0, 0, 0};
    shell_factor_solve(shell, s->factor, z, s->y);
    if (!shell->rows) return;
    for (size_t k = 0; k < shell->rows->rows; k++) s->y[k] = vec3_scale(s->y[k], is_soft(shell, k) ? 0 : -1);
    ruga_map_apply_transpose_add(shell->rows, s->y, r);
}

/* The smallest change of x in the norm of G that brings the constraints back; nothing where they hold. */
static void restore(ruga_embedded_shell *shell, shell_solver *s, vec3 *x) {
    if (!shell->rows) return;
    double worst = 0;
    for (size_t i = 0; i < shell->count; i++) s->z[i] = vec3_sub(shell->carrier[i], x[i]);
    ruga_map_apply(shell->rows, s->z, s->y);
    for (size_t k = 0; k < shell->rows->rows; k++) {
        if (is_soft(shell, k)) s->y[k] = (vec3){0, 0, 0};
        worst = fmax(worst, vec3_length2(s->y[k]));
    }
    if (worst <= DRIFT * DRIFT * shell->mean_edge * shell->mean_edge) return;
    memset(s->z, 0, shell->count * sizeof *s->z);
    shell_factor_solve(shell, s->factor, s->z, s->y);
    for (size_t i = 0; i < shell->count; i++) x[i] = vec3_add(x[i], s->z[i]);
}

/* ---- One Newton step. */

static void add_scaled(size_t count, vec3 *x, const vec3 *d, double scale) {
    for (size_t i = 0; i < count; i++) x[i] = vec3_add_scaled(x[i], d[i], scale);
}

/* The factor t >= 0 for which the norm of d + t p is the radius, from dᵀGd, dᵀGp and pᵀGp. */
static double to_boundary(double dd, double dp, double pp, double radius) {
    double rest = fmax(0, radius * radius - dd);
    return rest / (dp + sqrt(dp * dp + pp * rest));
}

/* From the residual and z = P r to the step. Returns how it ended: 0 converged or at the limit, 1 at the boundary, 2 at
 * negative curvature. */
static int conjugate_gradients(ruga_embedded_shell *shell, shell_solver *s, double tolerance, double *length,
                               int *iterations) {
    ruga_context *context = shell->context;
    const size_t n = shell->count;
    double rz = cg_dot(context, n, s->residual, s->z), first = rz, dd = 0, dp = 0, pp = rz;
    int end = 0, k = 0;
    memset(s->step, 0, n * sizeof *s->step);
    memcpy(s->direction, s->z, n * sizeof *s->direction);
    for (; k < MOST_ITERATIONS && !end; k++) {
        shell_multiply(shell, s->direction, s->product);
        const double curvature = cg_dot(context, n, s->direction, s->product);
        double alpha = rz / curvature;
        const double reach = isfinite(s->radius) ? s->radius : 2 * sqrt(fmax(dd, first));
        if (curvature <= 0)
            end = 2;
        else if (dd + 2 * alpha * dp + alpha * alpha * pp >= s->radius * s->radius)
            end = 1;
        if (end) alpha = to_boundary(dd, dp, pp, reach);
        add_scaled(n, s->step, s->direction, alpha);
        dd += 2 * alpha * dp + alpha * alpha * pp;
        if (end) break;
        add_scaled(n, s->residual, s->product, -alpha);
        precondition(shell, s, s->residual, s->z);
        const double next = cg_dot(context, n, s->residual, s->z), beta = next / rz;
        if (!(next > tolerance * tolerance * first)) break;
        for (size_t i = 0; i < n; i++) s->direction[i] = vec3_add_scaled(s->z[i], s->direction[i], beta);
        dp = beta * (dp + alpha * pp);
        pp = next + beta * beta * pp;
        rz = next;
    }
    *length = sqrt(fmax(0, dd));
    *iterations = k;
    return end;
}

/* The energy at the place that a part of the step leads to; none where something is in between. */
static double try_step(ruga_embedded_shell *shell, shell_solver *s, double part) {
    shell_carry_step(shell, shell->carry, shell->x, s->step, part, s->trial);
    restore(shell, s, s->trial);
    s->reached = shell_contact_limit(shell, shell->x, s->trial);
    return s->reached < 1 ? INFINITY : shell_energy(shell, s->trial);
}

/* Moves x along the step by a factor that lowers the energy, which becomes `now`; 0 if there is none. Along negative
 * curvature the step grows as long as the energy falls. */
static double search(ruga_embedded_shell *shell, shell_solver *s, double energy, double slope, int end, double *now) {
    const size_t size = shell->count * sizeof *shell->x;
    double factor = 1;
    int halvings = 0;
    *now = try_step(shell, s, factor);
    while (!(*now <= energy + ARMIJO * factor * slope + ROUNDING * fabs(energy)) && halvings++ < MOST_HALVINGS) {
        /* Up to the contact, or to the minimum of the parabola through both energies and the slope, within limits. */
        double next = isfinite(*now) ? -slope * factor * factor / (2 * (*now - energy - slope * factor)) : 0;
        if (s->reached < 1)
            factor *= fmax(LEAST_CUT, SAFE * s->reached);
        else
            factor = fmin(fmax(next, 0.2 * factor), 0.5 * factor);
        *now = try_step(shell, s, factor);
    }
    if (halvings > MOST_HALVINGS) return 0;
    memcpy(s->direction, s->trial, size);
    for (int k = 0; end && halvings == 0 && k < MOST_DOUBLINGS; k++) {
        double more = try_step(shell, s, 2 * factor);
        if (!(more < *now + ARMIJO * factor * slope)) break;
        memcpy(s->direction, s->trial, size);
        *now = more;
        factor *= 2;
    }
    memcpy(shell->x, s->direction, size);
    return factor;
}

/* ---- The solve. */

/* The gradient, and the residual that is left of it with the best multipliers; N. */
static double project(ruga_embedded_shell *shell, shell_solver *s, double *energy) {
    *energy = shell_gradient(shell, shell->x, s->gradient);
    s->contacts = shell_contact_count(shell);
    if (shell->watch) shell->watch(shell->watcher, *energy);
    for (size_t i = 0; i < shell->count; i++) s->residual[i] = vec3_scale(s->gradient[i], -1);
    precondition(shell, s, s->residual, s->z);
    return sqrt(cg_dot(shell->context, shell->count, s->residual, s->residual));
}

/* One Newton step from the projected residual. Returns the factor that was taken, 0 if none lowers the energy. */
static double newton_step(ruga_embedded_shell *shell, shell_solver *s, double energy) {
    double length = 0, now = energy;
    int iterations = 0;
    const double tolerance = fmin(LOOSEST, fmax(TIGHTEST, sqrt(shell->report.residual)));
    const int end = conjugate_gradients(shell, s, tolerance, &length, &iterations);
    const double slope = cg_dot(shell->context, shell->count, s->gradient, s->step);
    shell_multiply(shell, s->step, s->product);
    const double curvature = cg_dot(shell->context, shell->count, s->step, s->product);
    const double taken = search(shell, s, energy, slope, end, &now);
    const double promised = taken * (slope + taken * curvature / 2);
    if (taken < 1)
        s->radius = taken * length;
    else if (now - energy <= GOOD * promised)
        s->radius = end ? 3 * taken * length : fmax(s->radius, 4 * length);
    s->poor_steps += end != 0 || taken < 1;
    s->is_slow = iterations > SLOW_ITERATIONS || s->poor_steps >= POOR_STEPS;
    shell->report.linear_iterations += iterations;
    return taken;
}

/* Leaves a saddle: forces vanish on a compressed skin that is still flat, too, but there some direction has negative
 * curvature. Conjugate gradients from noise find it. Returns 0 if there is none, so that x is a minimum. */
static int leave_saddle(ruga_embedded_shell *shell, shell_solver *s, double energy) {
    double length = 0, longest = 0, now = energy;
    int iterations = 0;
    s->radius = INFINITY;
    for (size_t i = 0; i < shell->count; i++) {
        const uint32_t v = 3 * (uint32_t)i;
        s->residual[i] = (vec3){shell_noise(v), shell_noise(v + 1), shell_noise(v + 2)};
    }
    precondition(shell, s, s->residual, s->z);
    const int end = conjugate_gradients(shell, s, TIGHTEST, &length, &iterations);
    shell->report.linear_iterations += iterations;
    if (end != 2) return 0; /* a minimum */
    const double slope = cg_dot(shell->context, shell->count, s->gradient, s->direction);
    for (size_t i = 0; i < shell->count; i++) longest = fmax(longest, vec3_length(s->direction[i]));
    if (!(longest > 0)) return 0; /* everything is held */
    const double scale = (slope > 0 ? -1 : 1) * FIRST_STEP * shell->mean_edge / longest;
    for (size_t i = 0; i < shell->count; i++) s->step[i] = vec3_scale(s->direction[i], scale);
    return search(shell, s, energy, scale * slope, end, &now) > 0 && now < energy;
}

/* The start: x with its clusters where the carrier wants them, or the skin as the carrier moves it, whichever has the
 * lower energy. The latter is far from rest where the carrier is compressed, but never worse than its compression.
 * Returns 0 if both intersect. */
static int begin(ruga_embedded_shell *shell, shell_solver *s) {
    const size_t size = shell->count * sizeof *s->trial;
    s->radius = INFINITY;
    restore(shell, s, shell->x);
    memcpy(s->trial, shell->moved, size);
    restore(shell, s, s->trial);
    if (!(shell_energy(shell, shell->x) <= shell_energy(shell, s->trial))) {
        memcpy(s->direction, shell->x, size);
        memcpy(shell->x, s->trial, size);
        memcpy(s->trial, s->direction, size);
    }
    if (shell_contact_is_free(shell, shell->x)) return 1;
    if (shell_contact_is_free(shell, s->trial)) {
        memcpy(shell->x, s->trial, size);
        return 1;
    }
    /* The rest pose is no frame before: a body that intersects in its first frame is taken as it is. */
    if (shell->is_fresh) shell->report.passing_vertices = shell_contact_ignore_penetrating(shell, shell->x);
    return shell->is_fresh && shell_contact_is_free(shell, shell->x);
}

static int factor_here(ruga_embedded_shell *shell, shell_solver *s, ruga_status *status) {
    *status = shell_linearise(shell, shell->x);
    return !RUGA_FAILED(*status) && factor(shell, s, shell->x, status);
}

static const char *const indefinite = "the Hessian could not be made definite";
static const char *const at_limit = "Newton's method reached its limit";
static const char *const no_descent = "no step lowers the energy";

/* Newton steps until the residual is below a target and no direction has negative curvature. Returns why they ended
 * before; NULL: they did not. */
static const char *descend(ruga_embedded_shell *shell, shell_solver *s, double start, double target, int most,
                           ruga_status *status) {
    ruga_embedded_shell_report *report = &shell->report;
    if (shell->watch) shell->watch(shell->watcher, NAN);
    int escapes = 0;
    for (int k = 0;; k++, report->newton_steps++) {
        double energy, residual = project(shell, s, &energy);
        report->residual = residual / start;
        const int is_last = k >= most;
        const int is_done = residual <= target;
        if (is_done && (is_last || escapes == MOST_ESCAPES)) return NULL;
        if (is_last) return at_limit;
        *status = shell_linearise(shell, shell->x);
        if (RUGA_FAILED(*status)) return at_limit;
        if (is_done) {
            escapes++;
            if (leave_saddle(shell, s, energy)) continue;
            project(shell, s, &energy); /* the multipliers */
            return NULL;
        }
        if (s->is_slow) {
            if (!factor(shell, s, shell->x, status)) return indefinite;
            residual = project(shell, s, &energy);
        }
        if (newton_step(shell, s, energy) > 0) continue;
        /* Near the end rounding hides what is left to gain. */
        return residual <= NEARLY * target ? NULL : no_descent;
    }
}

/* Puts the clusters that yield where the carrier wants them, except those that would intersect on their path. If that
 * leads to ever new contacts, more and more clusters around them yield: all of them would change the wrinkles of the
 * whole skin, from one frame to the next, for a contact in one place. */
static ruga_status harden(ruga_embedded_shell *shell, shell_solver *s) {
    ruga_status status;
    memset(s->marks, 0, shell->count);
    for (int k = 0; k < HARDEN_ROUNDS + WIDEN_ROUNDS; k++) {
        if (k >= HARDEN_ROUNDS) shell_yield_mark(shell, s->marks);
        shell_yield_at(shell, s->marks);
        if (!factor_here(shell, s, &status)) return status;
        memcpy(s->trial, shell->x, shell->count * sizeof *s->trial);
        restore(shell, s, s->trial);
        if (!(shell_contact_limit(shell, shell->x, s->trial) < 1)) {
            memcpy(shell->x, s->trial, shell->count * sizeof *s->trial);
            return RUGA_OK;
        }
        shell_contact_mark_blocked(shell, shell->x, s->trial, s->marks);
    }
    shell_yield_all(shell);
    factor_here(shell, s, &status);
    return status;
}

/* From the skin before, with springs for clusters, as near to the carrier as nothing intersects. */
static ruga_status approach(ruga_embedded_shell *shell, shell_solver *s, double start) {
    ruga_status status = RUGA_OK;
    const double part = SAFE * shell_contact_limit(shell, shell->last, shell->x);
    for (size_t i = 0; i < shell->count; i++)
        shell->x[i] = vec3_add_scaled(shell->last[i], vec3_sub(shell->x[i], shell->last[i]), part);
    if (!shell->rows) return RUGA_OK;
    shell_yield_all(shell);
    if (!factor_here(shell, s, &status)) return status;
    descend(shell, s, start, APPROACH_TOLERANCE * shell->target,
            shell->most_steps < APPROACH_STEPS ? shell->most_steps : APPROACH_STEPS, &status);
    TRY(status);
    return harden(shell, s);
}

ruga_status shell_solve(ruga_embedded_shell *shell, double start) {
    shell_solver *s = shell->solver;
    ruga_status status = RUGA_OK;
    shell_yield_none(shell);
    if ((!s->has_factor || s->is_slow) && !factor_here(shell, s, &status)) {
        shell->report.stalled = indefinite;
        shell->report.residual = 1;
        return status;
    }
    if (!begin(shell, s)) TRY(approach(shell, s, start));
    shell->report.stalled =
        s->has_factor ? descend(shell, s, start, shell->target, shell->most_steps, &status) : indefinite;
    TRY(status);
    TRY(shell_contact_status(shell));
    shell->report.contacts = s->contacts;
    if (s->contacts || s->had_contacts || shell->soft_count) s->has_factor = 0;
    if (shell->report.stalled) return RUGA_OK;
    for (size_t k = 0; k < cluster_count(shell); k++) shell->multipliers[k] = vec3_scale(s->y[k], -1);
    memcpy(s->trial, shell->x, shell->count * sizeof *s->trial);
    restore(shell, s, s->trial);
    if (!(shell_contact_limit(shell, shell->x, s->trial) < 1))
        memcpy(shell->x, s->trial, shell->count * sizeof *s->trial);
    return RUGA_OK;
}

/* ---- State: what the factors were made of, so that a run that was stopped continues with the same bits. */

void shell_solver_save(const ruga_embedded_shell *shell, state_writer *writer) {
    const shell_solver *s = shell->solver;
    const uint32_t flags[4] = {(uint32_t)s->has_factor, (uint32_t)s->is_slow, (uint32_t)s->poor_steps,
                               (uint32_t)s->is_definite};
    state_put_u32(writer, flags, 4);
    state_put_f64(writer, &s->shift, 1);
    state_put_f64(writer, &s->made_at->x, 3 * shell->count);
}

ruga_status shell_solver_load(ruga_embedded_shell *shell, state_reader *reader) {
    shell_solver *s = shell->solver;
    uint32_t flags[4];
    TRY(state_get_u32(reader, flags, 4));
    TRY(state_get_f64(reader, &s->shift, 1));
    TRY(state_get_f64(reader, &s->made_at->x, 3 * shell->count));
    s->has_factor = 0;
    s->is_slow = flags[1] != 0;
    s->poor_steps = flags[2] < POOR_STEPS ? (int)flags[2] : POOR_STEPS;
    s->is_definite = flags[3] != 0;
    if (!flags[0]) return RUGA_OK;
    if (s->is_definite)
        TRY(factor_definite(shell, s, s->made_at));
    else {
        TRY(shell_linearise(shell, s->made_at));
        s->has_factor = shell_factor_make(shell, s->factor, s->shift);
    }
    return s->has_factor ? RUGA_OK : fail_input(shell->context, "shell: the saved state is damaged");
}
