/* The approximate implicit integrator of Kang et al. 2001, and its continuation to convergence.
 *
 * With e = Δv - h g the system A e = h F̃ has no gravity in it. Jacobi's first sweep from zero is D⁻¹ h F̃ (equation
 * 9), the second D⁻¹ (h F̃ + W e), W the entries beside the diagonal (equation 10). Later sweeps x ← S(x) are
 * accelerated by
 *
 *     x_(k+1) = x_(k-1) + ω_(k+1) (S(x_k) - x_(k-1)),   ω_2 = 1 / (1 - ρ²/2),   ω_(k+1) = 1 / (1 - ρ² ω_k / 4)
 *
 * (Golub and Varga 1961), whose error is T_s(μ/ρ) / T_s(1/ρ) for the eigenvalue μ of the iteration matrix D⁻¹W. By
 * Gershgorin |μ| <= max S_i / (m_i + S_i) < 1. With a ρ so near 1 that s sweeps can't resolve it, T_s(1/ρ) is near 1
 * and nothing is damped at all: so ρ is the smaller of that bound and of the ρ with T_s(1/ρ) = CHEBYSHEV_DAMPING.
 * Eigenvalues beyond ρ are then damped less, by a factor within (0, 1) as s is even, so h² P L stays below 1 +
 * 1/CHEBYSHEV_DAMPING, and the step is stable below 4/3.
 */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "solve/integrators.h"

#define RESIDUAL_BLOCK 2048

/* ---- Connected pieces. */

static uint32_t root_of(uint32_t *parents, uint32_t i) {
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
}

/* Numbers the pieces by their least points. */
static void find_pieces(integrator *self) {
    const spring_network *n = self->network;
    uint32_t *pieces = self->pieces;
    for (size_t i = 0; i < n->point_count; i++) pieces[i] = (uint32_t)i;
    for (size_t i = 0; i < n->point_count; i++)
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            uint32_t a = root_of(pieces, (uint32_t)i), b = root_of(pieces, n->others[e]);
            if (a < b)
                pieces[b] = a;
            else
                pieces[a] = b;
        }
    for (size_t i = 0; i < n->point_count; i++) pieces[i] = root_of(pieces, (uint32_t)i);
    for (size_t i = 0; i < n->point_count; i++)
        pieces[i] = pieces[i] == i ? (uint32_t)self->piece_count++ : pieces[pieces[i]];
}

ruga_status approximate_make(integrator *self) {
    ruga_context *context = self->context;
    size_t count = self->point_count;
    TRY(NEW_ALIGNED(context, &self->first, count));
    TRY(NEW_ZEROED(context, &self->held, count));
    for (int k = 0; k < 2 && self->def.sweeps > 2; k++) TRY(NEW_ALIGNED(context, &self->sweeps[k], count));
    if (!self->def.conserve) return RUGA_OK;
    TRY(NEW(context, &self->pieces, count));
    find_pieces(self);
    return NEW(context, &self->piece_values, 5 * self->piece_count);
}

/* ---- Momentum. */

/* Adds to each piece without pins the one velocity that gives it the momentum it has to have: inner forces give it
 * none. */
static void conserve_momentum(integrator *self, const integrator_step *step, vec3 *out) {
    double *values = self->piece_values;
    memset(values, 0, 5 * self->piece_count * sizeof *values);
    for (size_t k = 0; k < step->pin_count; k++) values[5 * self->pieces[step->pins[k]] + 4] = 1;
    for (size_t i = 0; i < self->network->point_count; i++) {
        double *piece = values + 5 * self->pieces[i], m = self->masses[i];
        vec3 change = vec3_sub(vec3_add_scaled(step->velocities[i], step->gravity, step->dt), out[i]);
        vec3 lacks = vec3_scale(change, m);
        piece[0] += m;
        piece[1] += lacks.x;
        piece[2] += lacks.y;
        piece[3] += lacks.z;
    }
    for (size_t i = 0; i < self->network->point_count; i++) {
        const double *piece = values + 5 * self->pieces[i];
        if (piece[4] == 0) out[i] = vec3_add_scaled(out[i], (vec3){piece[1], piece[2], piece[3]}, 1 / piece[0]);
    }
}

/* ---- Sweeps. */

static double spectral_radius(const integrator *self, spring_weights weights) {
    const spring_network *n = self->network;
    double most = 0;
    for (size_t i = 0; i < n->point_count; i++) {
        double sum = weights.stiffness * n->stiffness_sums[i];
        if (n->damping_sums) sum += weights.damping * n->damping_sums[i];
        most = fmax(most, sum / (self->masses[i] + sum));
    }
    return fmin(most, 1 / cosh(acosh(CHEBYSHEV_DAMPING) / self->def.sweeps));
}

static void set_pin_changes(const integrator_step *step, spring_value *values) {
    for (size_t k = 0; k < step->pin_count; k++) values[step->pins[k]].v = integrator_pin_change(step, k);
}

/* All sweeps but the first and the last, which gets the values that it continues from. */
static void inner_sweeps(integrator *self, const integrator_step *step, spring_sweep_pass *last) {
    double rho = spectral_radius(self, last->weights), over = 1 / (1 - rho * rho / 2);
    const spring_value *present = self->first, *before = NULL;
    spring_sweep_pass pass = {.first = self->first, .weights = last->weights};
    for (int k = 1; k < self->def.sweeps - 1; k++) {
        /* Zero is the sweep before the first. */
        spring_value *next = self->sweeps[k % 2];
        if (k == 1) memset(next, 0, self->network->point_count * sizeof *next);
        pass.in = present;
        pass.over = over;
        pass.previous = k == 2 ? self->first : next;
        pass.values = next;
        spring_network_sweep(self->network, &pass);
        set_pin_changes(step, next);
        over = 1 / (1 - rho * rho * over / 4);
        before = present;
        present = next;
    }
    last->in = present;
    last->previous = before;
    last->over = over;
}

/* ---- The residual. */

typedef struct residual_task {
    const integrator *self;
    const spring_sweep_pass *last;
} residual_task;

static double diagonal_of(const residual_task *task, size_t i) {
    const spring_network *n = task->self->network;
    spring_weights weights = task->last->weights;
    return task->self->masses[i] + weights.stiffness * n->stiffness_sums[i] +
           (n->damping_sums ? weights.damping * n->damping_sums[i] : 0);
}

/* rᵀ D⁻¹ r of the sweep before the last: r = D (y - x), with y as it was before Chebyshev's factor. */
static double residual_block(void *argument, size_t begin, size_t end) {
    const residual_task *task = argument;
    const spring_sweep_pass *last = task->last;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        if (task->self->held[i]) continue;
        vec3 x = vec3_sub(vec3_sub(last->out[i], last->base[i]), last->shift);
        vec3 before = last->previous[i].v, y = vec3_add_scaled(before, vec3_sub(x, before), 1 / last->over);
        sum += diagonal_of(task, i) * vec3_length2(vec3_sub(y, last->in[i].v));
    }
    return sum;
}

/* bᵀ D⁻¹ b, and the same of gravity. */
static double scale_block(void *argument, size_t begin, size_t end) {
    const residual_task *task = argument;
    double sum = 0, fall = vec3_length2(task->last->shift);
    for (size_t i = begin; i < end; i++)
        if (!task->self->held[i])
            sum += diagonal_of(task, i) * vec3_length2(task->self->first[i].v) + task->self->masses[i] * fall;
    return sum;
}

static double relative_residual(const integrator *self, const spring_sweep_pass *last) {
    residual_task task = {self, last};
    size_t count = self->network->point_count;
    double scale = parallel_sum(self->context, count, RESIDUAL_BLOCK, scale_block, &task);
    double square = parallel_sum(self->context, count, RESIDUAL_BLOCK, residual_block, &task);
    return scale > 0 ? sqrt(square / scale) : 0;
}

ruga_status approximate_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    const spring_network *n = self->network;
    spring_force_pass forces = integrator_force_pass(step);
    forces.viscosity = step->dt;
    forces.masses = self->masses;
    forces.weights = spring_network_weights(n, step->dt);
    forces.held = self->held;
    forces.values = self->first;
    spring_sweep_pass last = {.in = self->first,
                              .first = self->first,
                              .weights = forces.weights,
                              .over = 1,
                              .base = step->velocities,
                              .shift = vec3_scale(step->gravity, step->dt),
                              .out = out};

    /* Pinned points have their change from the beginning. */
    set_pin_changes(step, self->first);
    integrator_mark_pins(self, step->pin_count, step->pins, HOLD_PINNED);
    if (self->def.sweeps == 2) {
        report->elastic_energy = spring_network_forces_and_sweep(n, &forces, &last);
    } else {
        report->elastic_energy = spring_network_forces(n, &forces);
        inner_sweeps(self, step, &last);
        spring_network_sweep(n, &last);
        report->residual = relative_residual(self, &last);
    }
    integrator_mark_pins(self, step->pin_count, step->pins, HOLD_NOT);

    if (self->def.conserve) conserve_momentum(self, step, out);
    integrator_set_pins(step, out);
    report->iterations = self->def.sweeps;
    return RUGA_OK;
}
