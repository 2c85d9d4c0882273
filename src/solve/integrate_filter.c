/* The filter of Desbrun et al. 1999: (M + h² L + h C) Δv = h F̃ with a constant matrix, whose sparse factor is kept
 * until step, stiffness, masses or pins change. Pinned points have rows of their own, and are known to the others. */
#include "solve/integrators.h"

ruga_status filter_make(integrator *self) {
    const spring_network *n = self->network;
    TRY(NEW(self->context, &self->values, n->entry_count));
    TRY(NEW(self->context, &self->diagonal, n->point_count));
    TRY(NEW_ZEROED(self->context, &self->held, n->point_count));
    if (self->bound.space) return bound_matrix_make(self->bound.space, n->offsets, n->others, &self->bound.stiffness);
    return ldl_create(self->context, n->point_count, n->offsets, n->others, &self->factor);
}

static double entry_weight(const spring_network *n, spring_weights weights, size_t e) {
    return weights.stiffness * n->bounds[e] + (n->damping ? weights.damping * n->damping[e] : 0);
}

/* Bound steps hold unknowns, not points. */
static ruga_status factor_matrix(integrator *self, double dt) {
    const spring_network *n = self->network;
    spring_weights weights = spring_network_weights(n, dt);
    for (size_t i = 0; i < n->point_count; i++) {
        double sum = 0;
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            double weight = entry_weight(n, weights, e);
            sum += n->others[e] == i ? 0 : weight;
            self->values[e] = self->held[i] || self->held[n->others[e]] ? 0 : -weight;
        }
        self->diagonal[i] = self->held[i] ? 1 : self->masses[i] + sum;
    }
    if (!self->bound.space) return ldl_factor(self->factor, self->values, self->diagonal);
    return bound_matrix_factor(self->bound.space, &self->bound.stiffness, self->values, self->diagonal,
                               self->bound.pin_count, self->bound.pins);
}

static ruga_status refresh(integrator *self, const integrator_step *step) {
    uint64_t pins = self->bound.space ? integrator_pins_hash(self->bound.pin_count, self->bound.pins)
                                      : integrator_pins_hash(step->pin_count, step->pins);
    if (self->factored_dt == step->dt && self->factored_network == self->network->base.revision &&
        self->factored_masses == self->mass_revision && self->factored_pins == pins)
        return RUGA_OK;
    self->factored_dt = 0;
    if (!self->bound.space) integrator_mark_pins(self, step->pin_count, step->pins, HOLD_PINNED);
    ruga_status status = factor_matrix(self, step->dt);
    integrator_mark_pins(self, step->pin_count, step->pins, HOLD_NOT);
    TRY(status);
    self->factored_dt = step->dt;
    self->factored_network = self->network->base.revision;
    self->factored_masses = self->mass_revision;
    self->factored_pins = pins;
    return RUGA_OK;
}

/* The effect of pinned points on their neighbours. */
static void add_pinned(const integrator *self, const integrator_step *step, vec3 *out) {
    const spring_network *n = self->network;
    spring_weights weights = spring_network_weights(n, step->dt);
    for (size_t k = 0; k < step->pin_count; k++) {
        uint32_t i = step->pins[k];
        vec3 change = integrator_pin_change(step, k);
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
            out[n->others[e]] = vec3_add_scaled(out[n->others[e]], change, entry_weight(n, weights, e));
    }
    for (size_t k = 0; k < step->pin_count; k++) out[step->pins[k]] = integrator_pin_change(step, k);
}

/* TᵀAT Δw = Tᵀ (b + A (u + h g - v)), from A (v' - u - h g) = b with v' = v + T Δw; `out` holds b. self->values and
 * diagonal are A's. */
static void bound_solve(integrator *self, const integrator_step *step, vec3 *out) {
    bound_step *b = &self->bound;
    const spring_network *n = self->network;
    const vec3 *before = bound_step_velocities(step);
    vec3 *added = b->points[0], fall = vec3_scale(step->gravity, step->dt);
    for (size_t i = 0; i < n->point_count; i++) added[i] = vec3_sub(vec3_add(step->velocities[i], fall), before[i]);
    for (size_t i = 0; i < n->point_count; i++) {
        out[i] = vec3_add_scaled(out[i], added[i], self->diagonal[i]);
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
            out[i] = vec3_add_scaled(out[i], added[n->others[e]], self->values[e]);
    }
    ruga_map_apply(b->space->transpose, out, b->changes);
    bound_matrix_solve(&b->stiffness, b->pin_count, b->pins, b->pin_velocities, b->changes);
    bound_step_finish(self, step, b->changes, out);
}

ruga_status filter_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    TRY(refresh(self, step));
    spring_force_pass pass = integrator_force_pass(step);
    pass.viscosity = step->dt;
    pass.out = out;
    report->elastic_energy = spring_network_forces(self->network, &pass);
    if (self->bound.space) {
        bound_solve(self, step, out);
    } else {
        add_pinned(self, step, out);
        ldl_solve(self->factor, out);
        vec3 fall = vec3_scale(step->gravity, step->dt);
        for (size_t i = 0; i < self->network->point_count; i++)
            out[i] = vec3_add(vec3_add(step->velocities[i], fall), out[i]);
    }
    integrator_set_pins(step, out);
    return RUGA_OK;
}
