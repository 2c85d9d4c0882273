/* The filter of Desbrun et al. 1999: (M + h² L + h C) Δv = h F̃ with a constant matrix, whose sparse factor is kept until
 * step, stiffness, masses or pins change. Pinned points have rows of their own, and are known to the others. */
#include "solve/integrators.h"

ruga_status filter_make(integrator *self) {
    const spring_network *n = self->network;
    self->values = ALLOCATE(self->context, double, n->entry_count);
    self->diagonal = ALLOCATE(self->context, double, n->point_count);
    self->held = ALLOCATE_ZEROED(self->context, unsigned char, n->point_count);
    if (!self->values || !self->diagonal || !self->held)
        return fail_memory(self->context, n->entry_count * sizeof(double));
    return ldl_create(self->context, n->point_count, n->offsets, n->others, &self->factor);
}

static double entry_weight(const spring_network *n, spring_weights weights, size_t e) {
    return weights.stiffness * n->bounds[e] + (n->damping ? weights.damping * n->damping[e] : 0);
}

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
    return ldl_factor(self->factor, self->values, self->diagonal);
}

/* A number that changes with the pins, whatever their order. */
static uint64_t pins_hash(const integrator_step *step) {
    uint64_t hash = step->pin_count;
    for (size_t k = 0; k < step->pin_count; k++) {
        uint64_t x = (step->pins[k] + 1) * 0x9e3779b97f4a7c15u;
        hash += (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    }
    return hash;
}

static ruga_status refresh(integrator *self, const integrator_step *step) {
    uint64_t pins = pins_hash(step);
    if (self->factored_dt == step->dt && self->factored_network == self->network->revision &&
        self->factored_masses == self->mass_revision && self->factored_pins == pins)
        return RUGA_OK;
    self->factored_dt = 0;
    integrator_mark_pins(self, step, HOLD_PINNED);
    ruga_status status = factor_matrix(self, step->dt);
    integrator_mark_pins(self, step, HOLD_NOT);
    TRY(status);
    self->factored_dt = step->dt;
    self->factored_network = self->network->revision;
    self->factored_masses = self->mass_revision;
    self->factored_pins = pins;
    return RUGA_OK;
}

/* What pinned points do to their neighbours. */
static void add_pinned(const integrator *self, const integrator_step *step, vec3 *out) {
    const spring_network *n = self->network;
    spring_weights weights = spring_network_weights(n, step->dt);
    for (size_t k = 0; k < step->pin_count; k++) {
        uint32_t i = step->pins[k];
        vec3 change = vec3_sub(step->pin_velocities[k], step->velocities[i]);
        change = vec3_add_scaled(change, step->gravity, -step->dt);
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
            out[n->others[e]] = vec3_add_scaled(out[n->others[e]], change, entry_weight(n, weights, e));
    }
}

ruga_status filter_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    TRY(refresh(self, step));
    spring_force_pass pass = integrator_force_pass(step);
    pass.viscosity = step->dt;
    pass.out = out;
    report->elastic_energy = spring_network_forces(self->network, &pass);
    add_pinned(self, step, out);
    integrator_set_pin_changes(step, out);
    ldl_solve(self->factor, out);
    vec3 fall = vec3_scale(step->gravity, step->dt);
    for (size_t i = 0; i < self->network->point_count; i++)
        out[i] = vec3_add(vec3_add(step->velocities[i], fall), out[i]);
    integrator_set_pins(step, out);
    return RUGA_OK;
}
