/* The common parts of steps that are bound to a subspace, for every integrator. */
#include <string.h>

#include "solve/integrators.h"

static int has_projection(const integrator *self) {
    return self->def.kind == INTEGRATOR_EXPLICIT || self->def.kind == INTEGRATOR_SEMI_IMPLICIT;
}

ruga_status bound_step_make(integrator *self, const ruga_map *map) {
    bound_step *b = &self->bound;
    ruga_context *context = self->context;
    TRY(bound_create(context, map, &b->space));
    TRY(bound_fit_make(b->space, &b->fit));
    TRY(NEW(context, &b->pins, map->columns));
    TRY(NEW(context, &b->locks, map->columns));
    TRY(NEW(context, &b->pin_velocities, map->columns));
    TRY(NEW(context, &b->changes, map->columns));
    for (int k = 0; k < 2; k++) TRY(NEW(context, &b->points[k], map->rows));
    if (has_projection(self)) TRY(bound_projection_make(b->space, &b->fit, &b->projection));
    if (!integrator_holds(self->def.kind)) return RUGA_OK;
    TRY(NEW(context, &b->holds, map->columns));
    return NEW(context, &b->hold_impulses, map->columns);
}

void bound_step_release(integrator *self) {
    bound_step *b = &self->bound;
    RELEASE_ALL(self->context, b->locks, b->pins, b->pin_velocities, b->holds, b->hold_impulses, b->changes,
                b->points[0], b->points[1], b->places, b->pin_places);
    bound_levels_destroy(b->levels);
    bound_projection_release(self->context, &b->projection);
    bound_fit_release(self->context, &b->fit);
    bound_matrix_release(self->context, &b->stiffness);
    bound_destroy(b->space);
}

ruga_status bound_step_begin(integrator *self, const integrator_step *step) {
    bound_step *b = &self->bound;
    TRY(bound_find_pins(b->space, step->pin_count, step->pins, b->pins));
    for (size_t k = 0; k < step->pin_count; k++)
        b->pin_velocities[k] = step->pin_velocities
                                   ? vec3_sub(step->pin_velocities[k], bound_step_velocities(step)[step->pins[k]])
                                   : (vec3){0, 0, 0};
    b->pin_count = step->pin_count;
    for (size_t k = 0; k < b->lock_count; k++) {
        b->pins[b->pin_count] = b->locks[k];
        b->pin_velocities[b->pin_count++] = (vec3){0, 0, 0};
    }
    uint64_t pins = integrator_pins_hash(b->pin_count, b->pins);
    if (b->is_factored && b->factored_masses == self->mass_revision && b->factored_pins == pins) return RUGA_OK;
    b->is_factored = 0;
    TRY(bound_fit_factor(b->space, &b->fit, self->masses, b->pin_count, b->pins));
    if (has_projection(self)) bound_projection_factor(b->space, &b->fit, self->masses, &b->projection);
    b->is_factored = 1;
    b->factored_masses = self->mass_revision;
    b->factored_pins = pins;
    return RUGA_OK;
}

void bound_step_answer(integrator *self, const vec3 *impulses, vec3 *changes) {
    bound_step *b = &self->bound;
    bound_gather(b->space, impulses, changes);
    bound_fit_solve(b->space, &b->fit, b->pin_count, b->pins, b->pin_velocities, changes, changes);
}

/* Adds what the changes of held unknowns add to near points, or with `masses` takes away the impulses for that. */
static void add_held(const bound_step *b, const double *masses, vec3 *near) {
    const ruga_map *t = b->space->transpose;
    for (size_t k = 0; k < b->pin_count; k++) {
        uint32_t j = b->pins[k];
        if (bound_moves_alone(b->space, j)) continue;
        for (size_t e = t->offsets[j]; e < t->offsets[j + 1]; e++) {
            uint32_t i = t->indices[e];
            near[i] =
                vec3_add_scaled(near[i], b->pin_velocities[k], masses ? -masses[i] * t->weights[e] : t->weights[e]);
        }
    }
}

/* v + T h + P M (u - v - T h), with u of the free step, v before it, h of held unknowns and the projection P. */
void bound_step_project(integrator *self, const integrator_step *step, vec3 *velocities) {
    bound_step *b = &self->bound;
    const bound_projection *p = &b->projection;
    const vec3 *before = bound_step_velocities(step);
    vec3 *changes = b->points[0];
    for (size_t k = 0; k < p->near_count; k++) {
        uint32_t i = p->near[k];
        changes[i] = vec3_scale(vec3_sub(velocities[i], before[i]), self->masses[i]);
    }
    add_held(b, self->masses, changes);
    bound_project_near(b->space, &b->fit, p, changes, changes);
    add_held(b, NULL, changes);
    for (size_t k = 0; k < p->near_count; k++)
        velocities[p->near[k]] = vec3_add(before[p->near[k]], changes[p->near[k]]);
    for (size_t k = 0; k < b->lock_count; k++)
        if (bound_moves_alone(b->space, b->locks[k]))
            velocities[b->space->point_of[b->locks[k]]] = before[b->space->point_of[b->locks[k]]];
}

void bound_step_find_places(integrator *self, const integrator_step *step) {
    bound_step *b = &self->bound;
    vec3 *momenta = b->points[0];
    for (size_t i = 0; i < self->point_count; i++) momenta[i] = vec3_scale(step->positions[i], self->masses[i]);
    for (size_t k = 0; k < b->pin_count; k++)
        b->pin_places[k] = k < step->pin_count ? step->positions[step->pins[k]] : (vec3){0, 0, 0};
    bound_gather(b->space, momenta, b->places);
    bound_fit_solve(b->space, &b->fit, b->pin_count, b->pins, b->pin_places, b->places, b->places);
}

void bound_step_finish(const integrator *self, const integrator_step *step, const vec3 *changes, vec3 *out) {
    const vec3 *before = bound_step_velocities(step);
    bound_spread(self->bound.space, changes, out);
    for (size_t i = 0; i < self->point_count; i++) out[i] = vec3_add(before[i], out[i]);
}
