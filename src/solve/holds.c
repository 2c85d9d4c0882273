/* Conjugate gradients with held unknowns; the header has the method. */
#include "solve/holds.h"

#include "solve/integrators.h"

#define FRICTION_ERROR 0.05 /* of Coulomb's friction: a smaller error is accepted */
#define STUCK 10.0          /* of the mass that resists an impulse: a point with more drag sticks */
#define MOST_DRAG 1e3       /* of the same */

size_t holds_mark(integrator *self, vec3 *out) {
    const step_unknowns *unknowns = &self->unknowns;
    size_t count = 0;
    integrator_mark_pins(self, unknowns->pin_count, unknowns->pins, HOLD_PINNED);
    for (size_t i = 0; unknowns->holds && i < self->unknowns.count; i++) {
        unknowns->hold_impulses[i] = (vec3){0, 0, 0};
        if (self->held[i] == HOLD_PINNED) continue;
        hold_state state = hold_begin(&unknowns->holds[i]);
        self->held[i] = (unsigned char)state;
        self->drags[i] = 0;
        out[i] = hold_velocity(state, &unknowns->holds[i], out[i]);
        count += state != HOLD_NOT;
    }
    return count;
}

/* A held unknown after a round. */
typedef struct held_point {
    const contact_hold *hold;
    hold_state state;
    double mass, drag; /* kg; the mass that resists an impulse along the surface, and the drag */
    double press;      /* N s */
    vec3 slip;         /* m/s */
    vec3 rub;          /* N s, the impulse along the surface */
} held_point;

/* The drag that gives the greatest friction allowed, N s: by the slip of this round, or by the slip to expect of a
 * point that stuck, if only its mass resists the impulse. */
static double drag_for(const held_point *p, double most) {
    double wanted =
        p->state == HOLD_STICKS ? most * p->mass / (vec3_length(p->rub) - most) : most / vec3_length(p->slip);
    return fmin(wanted, MOST_DRAG * p->mass);
}

/* Chooses the state for the next round; returns whether it changes. */
static int update_hold(held_point *p) {
    double most = p->hold->grip * p->press, rub = vec3_length(p->rub);
    if (p->press < 0) {
        p->state = HOLD_NOT;
        p->drag = 0;
        return 1;
    }
    if (p->state == HOLD_STICKS && rub <= most) return 0;
    if (p->state == HOLD_SLIDES && fabs(rub - most) <= FRICTION_ERROR * most) return 0;
    int sticks = p->state == HOLD_SLIDES && rub < most && p->drag > STUCK * p->mass;
    p->drag = sticks ? 0 : drag_for(p, most);
    p->state = sticks ? HOLD_STICKS : HOLD_SLIDES;
    return 1;
}

/* A released point that would move in slides. */
static int hold_again(held_point *p, vec3 v) {
    if (!(vec3_dot(p->hold->normal, vec3_sub(v, p->hold->velocity)) < 0)) return 0;
    p->state = HOLD_SLIDES;
    return 1;
}

/* In the first round the mass is the point's own, as if its neighbours slide with it; later the mass that it has while
 * they stay. */
static held_point held_point_of(const integrator *self, size_t i, int round, vec3 v) {
    const contact_hold *hold = &self->unknowns.holds[i];
    vec3 r = self->scratch.residual[i];
    held_point p = {.hold = hold, .state = (hold_state)self->held[i], .drag = self->drags[i]};
    p.mass = round > 0 ? 1 / integrator_answer_along(self, i) : self->unknowns.masses[i];
    p.press = -vec3_dot(hold->normal, r);
    if (p.state == HOLD_SLIDES) p.slip = hold_along(hold, vec3_sub(v, hold->velocity));
    p.rub = p.state == HOLD_STICKS ? vec3_scale(hold_along(hold, r), -1) : vec3_scale(p.slip, -p.drag);
    return p;
}

size_t holds_change(integrator *self, int round, const vec3 *v) {
    const step_unknowns *unknowns = &self->unknowns;
    size_t count = 0;
    for (size_t i = 0; unknowns->holds && i < self->unknowns.count; i++) {
        if (self->held[i] == HOLD_PINNED || vec3_length2(unknowns->holds[i].normal) == 0) continue;
        held_point p = held_point_of(self, i, round, v[i]);
        int changes = p.state == HOLD_NOT ? hold_again(&p, v[i]) : update_hold(&p);
        if (!changes) continue;
        vec3 *r = &self->scratch.residual[i];
        *r = vec3_add_scaled(*r, p.slip, self->drags[i] - p.drag);
        self->held[i] = (unsigned char)p.state;
        self->drags[i] = p.drag;
        count++;
    }
    return count;
}

void holds_apply(const integrator *self, vec3 *v) {
    for (size_t i = 0; i < self->unknowns.count; i++)
        if (self->held[i] >= HOLD_SLIDES)
            v[i] = hold_velocity((hold_state)self->held[i], &self->unknowns.holds[i], v[i]);
}

/* The residual of A v' = b becomes b again. */
static ruga_status restore_right_side(integrator *self, const cg_system *system, const vec3 *v) {
    vec3 *r = self->scratch.residual, *product = self->scratch.product;
    TRY(system->apply(system->user, v, product));
    for (size_t i = 0; i < system->count; i++) r[i] = vec3_add(r[i], product[i]);
    return RUGA_OK;
}

/* Solves, changes states that are wrong, and solves again; the last round has the full tolerance. After a round without
 * iterations it is next: velocities have not changed, to the tolerance, and would not in rounds like it. */
static ruga_status solve_rounds(integrator *self, const cg_system *system, double scale, int rounds, vec3 *out,
                                integrator_report *report) {
    for (int round = 0;; round++) {
        int is_last = round >= rounds;
        double tolerance = integrator_tolerance(self) * (is_last ? 1 : HOLDS_ROUGH);
        cg_report gradients;
        gradients_begin_round(self, round, 0);
        TRY(cg_solve(system, &self->scratch, scale, tolerance, self->def.most_iterations, out, &gradients));
        report->iterations += gradients.iterations;
        report->residual = gradients.residual;
        report->converged = gradients.converged;
        report->is_two_level = self->is_two_level;
        if (is_last) return RUGA_OK;
        if (round == 0) scale = gradients.whole;
        int is_settled = round > 0 && gradients.iterations == 0;
        if (holds_change(self, round, out) == 0 || is_settled) round = rounds - 1;
        TRY(restore_right_side(self, system, out));
        holds_apply(self, out);
    }
}

void holds_finish(integrator *self, const vec3 *v) {
    const step_unknowns *unknowns = &self->unknowns;
    for (size_t i = 0; unknowns->holds && i < self->unknowns.count; i++) {
        const contact_hold *hold = &unknowns->holds[i];
        hold_state state = (hold_state)self->held[i];
        vec3 impulse = {0, 0, 0};
        if (state >= HOLD_SLIDES) {
            held_point p = held_point_of(self, i, 0, v[i]);
            impulse = vec3_add_scaled(p.rub, hold->normal, p.press);
        }
        unknowns->hold_impulses[i] = impulse;
        self->held[i] = HOLD_NOT;
        self->drags[i] = 0;
    }
    integrator_mark_pins(self, unknowns->pin_count, unknowns->pins, HOLD_NOT);
}

ruga_status integrator_solve_held(integrator *self, const cg_system *system, double scale, vec3 *out,
                                  integrator_report *report) {
    int rounds = holds_mark(self, out) > 0 ? HOLD_ROUNDS : 0;
    ruga_status status = solve_rounds(self, system, scale, rounds, out, report);
    holds_finish(self, out);
    return status;
}
