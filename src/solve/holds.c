/* Conjugate gradients with points that something holds; the header has the idea. */
#include "solve/holds.h"

#include "solve/integrators.h"

static void mark_holds(integrator *self, vec3 *out) {
    const integrator_step *step = self->step;
    for (size_t i = 0; step->holds && i < self->network->point_count; i++) {
        step->hold_impulses[i] = (vec3){0, 0, 0};
        if (self->held[i] == HOLD_PINNED) continue;
        hold_state state = hold_begin(&step->holds[i]);
        self->held[i] = (unsigned char)state;
        out[i] = hold_velocity(state, &step->holds[i], out[i]);
    }
}

/* How a point is held from now on, with the residual r = b - A v' = -J; and the friction that its sliding meets. */
static hold_state hold_after(hold_state state, const contact_hold *h, vec3 r, vec3 *friction) {
    double press = -vec3_dot(h->normal, r), most = h->grip * press;
    vec3 along = state == HOLD_STICKS ? vec3_add_scaled(vec3_scale(r, -1), h->normal, -press) : *friction;
    double size = vec3_length(along);
    if (press < 0) {
        *friction = (vec3){0, 0, 0};
        return HOLD_NOT;
    }
    if (state == HOLD_STICKS && size <= most) return HOLD_STICKS;
    *friction = size > 0 ? vec3_scale(along, most / size) : (vec3){0, 0, 0};
    return HOLD_SLIDES;
}

/* Changes what can't be held as it is, and with it the residual; how many points that were. While they slide, their impulses hold
 * friction, which is part of the right-hand side. */
static size_t change_holds(integrator *self) {
    const integrator_step *step = self->step;
    vec3 *r = self->scratch.residual;
    size_t count = 0;
    for (size_t i = 0; i < self->network->point_count; i++) {
        hold_state state = (hold_state)self->held[i];
        if (state < HOLD_SLIDES) continue;
        vec3 friction = step->hold_impulses[i];
        hold_state after = hold_after(state, &step->holds[i], r[i], &step->hold_impulses[i]);
        r[i] = vec3_add(r[i], vec3_sub(step->hold_impulses[i], friction));
        self->held[i] = (unsigned char)after;
        count += after != state;
    }
    return count;
}

/* The residual of A v' = b becomes b again. */
static ruga_status restore_right_side(integrator *self, const cg_system *system, const vec3 *v) {
    vec3 *r = self->scratch.residual, *product = self->scratch.product;
    TRY(system->apply(system->user, v, product));
    for (size_t i = 0; i < system->count; i++) r[i] = vec3_add(r[i], product[i]);
    return RUGA_OK;
}

/* Solves, changes what can't be held as it is, and solves again, to the same residual. */
static ruga_status solve_rounds(integrator *self, const cg_system *system, double scale, vec3 *out,
                                integrator_report *report) {
    for (int round = 0;; round++) {
        cg_report gradients;
        TRY(cg_solve(system, &self->scratch, scale, self->def.tolerance, self->def.most_iterations, out, &gradients));
        report->iterations += gradients.iterations;
        report->residual = gradients.residual;
        report->converged = gradients.converged;
        if (round == 0) scale = gradients.whole;
        if (round == HOLD_ROUNDS || !self->step->holds || change_holds(self) == 0) return RUGA_OK;
        TRY(restore_right_side(self, system, out));
    }
}

/* All of the impulses of what is still held; and no marks are left. */
static void finish_holds(integrator *self) {
    const integrator_step *step = self->step;
    for (size_t i = 0; step->holds && i < self->network->point_count; i++) {
        hold_state state = (hold_state)self->held[i];
        vec3 impulse = vec3_scale(self->scratch.residual[i], -1);
        if (state >= HOLD_SLIDES && vec3_dot(impulse, step->holds[i].normal) >= 0)
            step->hold_impulses[i] =
                vec3_add(step->hold_impulses[i], vec3_sub(impulse, hold_change(state, &step->holds[i], impulse)));
        self->held[i] = HOLD_NOT;
    }
    integrator_mark_pins(self, step, HOLD_NOT);
}

ruga_status integrator_solve_held(integrator *self, const cg_system *system, double scale, vec3 *out,
                                  integrator_report *report) {
    integrator_mark_pins(self, self->step, HOLD_PINNED);
    mark_holds(self, out);
    ruga_status status = solve_rounds(self, system, scale, out, report);
    finish_holds(self);
    return status;
}
