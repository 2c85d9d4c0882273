/* Choosing, making and calling integrators; the explicit one. */
#include "solve/integrator.h"

#include <math.h>
#include <string.h>

#include "solve/integrators.h"

static const char *const names[INTEGRATOR_COUNT] = {"approximate_implicit", "explicit", "semi_implicit", "implicit",
                                                    "filter"};

const char *integrator_name(integrator_kind kind) { return names[kind]; }

ruga_status integrator_find(ruga_context *context, const char *name, integrator_kind *out) {
    for (int k = 0; k < INTEGRATOR_COUNT; k++)
        if (strcmp(names[k], name) == 0) {
            *out = (integrator_kind)k;
            return RUGA_OK;
        }
    return fail_with(context, RUGA_ERROR_ARGUMENT, "there is no integrator \"%s\"; there are %s, %s, %s, %s and %s",
                     name, names[0], names[1], names[2], names[3], names[4]);
}

int integrator_holds(integrator_kind kind) { return kind == INTEGRATOR_IMPLICIT || kind == INTEGRATOR_SEMI_IMPLICIT; }

integrator_def integrator_def_default(void) {
    return (integrator_def){
        .kind = INTEGRATOR_APPROXIMATE_IMPLICIT, .sweeps = 2, .tolerance = 1e-3, .most_iterations = 500};
}

static ruga_status check(const integrator_def *def, const spring_network *network, const double *masses) {
    ruga_context *context = network->context;
    if (def->sweeps < 2 || def->sweeps % 2 != 0)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "%d sweeps are asked for; it must be an even number, 2 or more: an odd one is not stable",
                         def->sweeps);
    if (!(def->tolerance > 0 && def->tolerance < 1) || def->most_iterations < 1)
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "a tolerance of %g within %d iterations is asked for; it must be within 0 and 1, and at least one "
            "iteration",
            def->tolerance, def->most_iterations);
    for (size_t i = 0; i < network->point_count; i++)
        if (!(masses[i] > 0) || !isfinite(masses[i]))
            return fail_with(context, RUGA_ERROR_INPUT, "point %zu has a mass of %g kg; it must be positive and finite",
                             i, masses[i]);
    return RUGA_OK;
}

static ruga_status make(integrator *self) {
    switch (self->def.kind) {
        case INTEGRATOR_APPROXIMATE_IMPLICIT: return approximate_make(self);
        case INTEGRATOR_SEMI_IMPLICIT:
        case INTEGRATOR_IMPLICIT: return gradients_make(self);
        case INTEGRATOR_FILTER: return filter_make(self);
        default: return RUGA_OK;
    }
}

ruga_status integrator_create(const integrator_def *def, const spring_network *network, const double *masses,
                              integrator **out) {
    TRY(check(def, network, masses));
    integrator *self = ALLOCATE_ZEROED(network->context, integrator, 1);
    if (!self) return fail_memory(network->context, sizeof *self);
    self->context = network->context;
    self->def = *def;
    self->network = network;
    self->masses = masses;
    ruga_status status = make(self);
    if (RUGA_FAILED(status))
        integrator_destroy(self);
    else
        *out = self;
    return status;
}

void integrator_destroy(integrator *self) {
    if (!self) return;
    void *arrays[] = {self->pieces,         self->piece_values,    self->held,
                      self->axial_rank_one, self->values,          self->diagonal,
                      self->axial_products, self->axial_isotropic, self->drags};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) memory_release(self->context, arrays[k]);
    memory_release_aligned(self->context, self->first);
    memory_release_aligned(self->context, self->blocks);
    memory_release_aligned(self->context, self->inverse_blocks);
    for (int k = 0; k < 2; k++) memory_release_aligned(self->context, self->sweeps[k]);
    cg_scratch_release(self->context, &self->scratch);
    ldl_destroy(self->factor);
    memory_release(self->context, self);
}

void integrator_masses_changed(integrator *self) { self->mass_revision++; }

static ruga_status explicit_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    spring_force_pass pass = integrator_force_pass(step);
    pass.masses = self->masses;
    pass.base = step->velocities;
    pass.shift = vec3_scale(step->gravity, step->dt);
    pass.out = out;
    report->elastic_energy = spring_network_forces(self->network, &pass);
    integrator_set_pins(step, out);
    return RUGA_OK;
}

ruga_status integrator_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    if (!(step->dt > 0) || !isfinite(step->dt))
        return fail_with(self->context, RUGA_ERROR_ARGUMENT, "a step of %g s is asked for; it must be positive",
                         step->dt);
    *report = (integrator_report){.converged = 1};
    switch (self->def.kind) {
        case INTEGRATOR_APPROXIMATE_IMPLICIT: return approximate_solve(self, step, out, report);
        case INTEGRATOR_SEMI_IMPLICIT:
        case INTEGRATOR_IMPLICIT: return gradients_solve(self, step, out, report);
        case INTEGRATOR_FILTER: return filter_solve(self, step, out, report);
        default: return explicit_solve(self, step, out, report);
    }
}
