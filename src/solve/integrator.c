/* Choosing, making and calling integrators; the explicit one. */
#include "solve/integrator.h"

#include <math.h>

#include "solve/integrators.h"

static const char *const names[INTEGRATOR_COUNT] = {"approximate_implicit", "explicit", "semi_implicit", "implicit",
                                                    "filter"};

const char *integrator_name(integrator_kind kind) { return names[kind]; }

integrator_kind integrator_resolve(integrator_kind kind, int is_bound_or_stiff) {
    if (kind != INTEGRATOR_AUTO) return kind;
    return is_bound_or_stiff ? INTEGRATOR_IMPLICIT : INTEGRATOR_APPROXIMATE_IMPLICIT;
}

int integrator_holds(integrator_kind kind) { return kind == INTEGRATOR_IMPLICIT || kind == INTEGRATOR_SEMI_IMPLICIT; }

integrator_def integrator_def_default(void) {
    return (integrator_def){
        .kind = INTEGRATOR_APPROXIMATE_IMPLICIT, .sweeps = 2, .tolerance = 1e-3, .most_iterations = 500, .newton = 1};
}

/* ---- Making. */

static ruga_status check(const integrator_def *def, const integrator_system *system) {
    ruga_context *context = system->context;
    if (def->sweeps < 2 || def->sweeps % 2 != 0)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "the number of sweeps is %d; use an even number, 2 or more: an odd one is not stable",
                         def->sweeps);
    if (!(def->tolerance > 0 && def->tolerance < 1) || def->most_iterations < 1)
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "the tolerance is %g with at most %d iterations; it must be between 0 and 1, with at least one "
            "iteration",
            def->tolerance, def->most_iterations);
    for (size_t i = 0; i < system->point_count; i++)
        if (!(system->masses[i] > 0) || !isfinite(system->masses[i]))
            return fail_with(context, RUGA_ERROR_INPUT, "point %zu has a mass of %g kg; it must be positive and finite",
                             i, system->masses[i]);
    for (size_t k = 0; k < system->energy_count; k++)
        if (system->energies[k]->point_count != system->point_count)
            return fail_with(context, RUGA_ERROR_INPUT, "the energy \"%s\" is over %zu points, but there are %zu",
                             system->energies[k]->interface->name, system->energies[k]->point_count,
                             system->point_count);
    if (system->bound && system->bound->rows != system->point_count)
        return fail_with(context, RUGA_ERROR_INPUT, "a binding of %zu points can't bind %zu", system->bound->rows,
                         system->point_count);
    if (system->bound && def->kind == INTEGRATOR_APPROXIMATE_IMPLICIT)
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "the integrator approximate_implicit can't be used on a bound body: its rest state would depend "
            "on the step; use implicit");
    return RUGA_OK;
}

/* Takes the first network of springs as the one with the fused path, all else as further energies. */
static ruga_status take_energies(integrator *self, const integrator_system *system) {
    TRY(NEW(self->context, &self->energies, system->energy_count));
    for (size_t k = 0; k < system->energy_count; k++) {
        spring_network *network = spring_network_of(system->energies[k]);
        if (network && !self->network)
            self->network = network;
        else
            self->energies[self->energy_count++] = system->energies[k];
    }
    if (!self->network) {
        TRY(spring_network_create(self->context, self->point_count, NULL, 0, (spring_phases){1, 1, 0}, NULL, 0,
                                  &self->own_network));
        self->network = self->own_network;
    }
    integrator_kind kind = self->def.kind;
    if (self->energy_count > 0 && (kind == INTEGRATOR_APPROXIMATE_IMPLICIT || kind == INTEGRATOR_FILTER))
        return fail_with(self->context, RUGA_ERROR_INPUT,
                         "the integrator %s works on one network of springs alone, and there is the energy \"%s\" too; "
                         "use implicit, semi_implicit or explicit",
                         names[kind], self->energies[0]->interface->name);
    return RUGA_OK;
}

static ruga_status make(integrator *self, const integrator_system *system) {
    TRY(take_energies(self, system));
    if (system->bound) TRY(bound_step_make(self, system->bound));
    switch (self->def.kind) {
        case INTEGRATOR_APPROXIMATE_IMPLICIT: return approximate_make(self);
        case INTEGRATOR_SEMI_IMPLICIT:
        case INTEGRATOR_IMPLICIT: return gradients_make(self);
        case INTEGRATOR_FILTER: return filter_make(self);
        default: return RUGA_OK;
    }
}

ruga_status integrator_create(const integrator_def *def, const integrator_system *system, integrator **out) {
    integrator_def resolved = *def;
    resolved.kind = integrator_resolve(def->kind, system->bound != NULL);
    TRY(check(&resolved, system));
    integrator *self;
    TRY(NEW_ZEROED(system->context, &self, 1));
    self->context = system->context;
    self->def = resolved;
    self->point_count = system->point_count;
    self->masses = system->masses;
    ruga_status status = make(self, system);
    if (RUGA_FAILED(status))
        integrator_destroy(self);
    else
        *out = self;
    return status;
}

void integrator_destroy(integrator *self) {
    if (!self) return;
    void *arrays[] = {self->pieces, self->piece_values,   self->held,           self->values,   self->diagonal,
                      self->drags,  self->scratch_points, self->further_blocks, self->energies, self->moved,
                      self->kept};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) memory_release(self->context, arrays[k]);
    memory_release_aligned(self->context, self->first);
    memory_release_aligned(self->context, self->inverse_blocks);
    for (int k = 0; k < 2; k++) memory_release_aligned(self->context, self->sweeps[k]);
    cg_scratch_release(self->context, &self->scratch);
    two_level_destroy(self->levels);
    block_matrix_destroy(self->matrix);
    spring_hessian_release(&self->hessian);
    ldl_destroy(self->factor);
    bound_step_release(self);
    spring_network_destroy(self->own_network);
    memory_release(self->context, self);
}

void integrator_masses_changed(integrator *self) { self->mass_revision++; }

void integrator_unlock(integrator *self) { self->bound.lock_count = 0; }

void integrator_lock(integrator *self, uint32_t unknown) { self->bound.locks[self->bound.lock_count++] = unknown; }

uint64_t integrator_pins_hash(size_t count, const uint32_t *pins) {
    uint64_t hash = count;
    for (size_t k = 0; k < count; k++) {
        uint64_t x = (pins[k] + 1) * 0x9e3779b97f4a7c15u;
        hash += (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    }
    return hash;
}

/* ---- Steps. */

ruga_status integrator_add_further_forces(integrator *self, const integrator_step *step, double scale, int over_masses,
                                          int damped, vec3 *out, integrator_report *report) {
    if (self->energy_count == 0) return RUGA_OK;
    if (!self->scratch_points) TRY(NEW(self->context, &self->scratch_points, self->point_count));
    vec3 *gradient = self->scratch_points;
    memset(gradient, 0, self->point_count * sizeof *gradient);
    for (size_t k = 0; k < self->energy_count; k++) {
        energy_term *term = self->energies[k];
        report->elastic_energy += term->interface->add_gradient(term, step->positions, 1, gradient);
        if (!damped || !term->is_damped) continue;
        TRY(term->interface->linearise(term, step->positions, (energy_weights){0, 1}, 1));
        term->interface->add_product(term, 1, step->velocities, gradient);
    }
    for (size_t i = 0; i < self->point_count; i++)
        out[i] = vec3_add_scaled(out[i], gradient[i], over_masses ? -scale / self->masses[i] : -scale);
    return RUGA_OK;
}

/* The free step, then the binding where points depend on each other. Velocities that changed since the binding held
 * them are projected with the forces. */
static ruga_status explicit_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    spring_force_pass pass = integrator_force_pass(step);
    pass.masses = self->masses;
    pass.base = step->velocities;
    pass.shift = vec3_scale(step->gravity, step->dt);
    pass.out = out;
    report->elastic_energy = spring_network_forces(self->network, &pass);
    TRY(integrator_add_further_forces(self, step, step->dt, 1, 1, out, report));
    if (self->bound.space) bound_step_project(self, step, out);
    integrator_set_pins(step, out);
    return RUGA_OK;
}

static ruga_status check_length(const integrator *self, const integrator_step *step) {
    if (step->dt > 0 && isfinite(step->dt)) return RUGA_OK;
    return fail_argument(self->context, "the step is %g s; it must be positive and finite", step->dt);
}

/* Of the tolerance, in bound steps: folds are moved by forces that are far weaker than those of membranes. At 1 the
 * corner of a page that lies on a book folds 20 degrees too late. */
#define BOUND_TOLERANCE 0.1

double integrator_tolerance(const integrator *self) {
    return self->def.tolerance * (self->bound.space ? BOUND_TOLERANCE : 1);
}

int integrator_can_couple(const integrator *self) {
    return self->def.kind == INTEGRATOR_IMPLICIT && !self->def.from_zero;
}

ruga_status integrator_begin(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    TRY(check_length(self, step));
    *report = (integrator_report){.converged = 1};
    if (self->bound.space) TRY(bound_step_begin(self, step));
    self->is_common = 1;
    return gradients_begin(self, step, out, report);
}

ruga_status integrator_finish(integrator *self, integrator_report *report) { return gradients_finish(self, report); }

ruga_status integrator_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    TRY(check_length(self, step));
    *report = (integrator_report){.converged = 1};
    if (self->bound.space) TRY(bound_step_begin(self, step));
    switch (self->def.kind) {
        case INTEGRATOR_APPROXIMATE_IMPLICIT: return approximate_solve(self, step, out, report);
        case INTEGRATOR_SEMI_IMPLICIT:
        case INTEGRATOR_IMPLICIT: return gradients_solve(self, step, out, report);
        case INTEGRATOR_FILTER: return filter_solve(self, step, out, report);
        default: return explicit_solve(self, step, out, report);
    }
}

ruga_status integrator_respond(integrator *self, const integrator_step *step, const vec3 *impulses, vec3 *out) {
    if (self->def.kind != INTEGRATOR_IMPLICIT)
        return fail_with(self->context, RUGA_ERROR_UNSUPPORTED,
                         "only cloth with the integrator \"implicit\" can be pulled by an attachment");
    if (self->bound.space) TRY(bound_step_begin(self, step));
    return gradients_respond(self, step, impulses, out);
}

ruga_status integrator_answer(integrator *self, size_t pin_count, const uint32_t *pins, const vec3 *impulses,
                              vec3 *out) {
    if (self->bound.space) {
        integrator_step step = {.dt = 1, .pin_count = pin_count, .pins = pins};
        TRY(bound_step_begin(self, &step));
        bound_step_answer(self, impulses, self->bound.changes);
        bound_spread(self->bound.space, self->bound.changes, out);
        return RUGA_OK;
    }
    for (size_t i = 0; i < self->point_count; i++) out[i] = vec3_scale(impulses[i], 1 / self->masses[i]);
    for (size_t k = 0; k < pin_count; k++) out[pins[k]] = (vec3){0, 0, 0};
    return RUGA_OK;
}
