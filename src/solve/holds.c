/* Conjugate gradients with points that something holds; the header has the idea. */
#include "solve/holds.h"

#include "solve/integrators.h"

#define FRICTION_OFF 0.05 /* of Coulomb's: friction that is off by less stays as it is */
#define STUCK 10.0        /* of what resists an impulse: with more drag than this a point as good as sticks */
#define MOST_DRAG 1e3     /* of the same */
#define ROUGH 3.0 /* of the tolerance: of rounds that another follows. At 10 the press is not known well enough */

/* Returns how many points are held. */
static size_t mark_holds(integrator *self, vec3 *out) {
    const integrator_step *step = self->step;
    size_t count = 0;
    for (size_t i = 0; step->holds && i < self->network->point_count; i++) {
        step->hold_impulses[i] = (vec3){0, 0, 0};
        if (self->held[i] == HOLD_PINNED) continue;
        hold_state state = hold_begin(&step->holds[i]);
        self->held[i] = (unsigned char)state;
        self->drags[i] = 0;
        out[i] = hold_velocity(state, &step->holds[i], out[i]);
        count += state != HOLD_NOT;
    }
    return count;
}

/* What a round tells of a held point. */
typedef struct held_point {
    const contact_hold *hold;
    hold_state state;
    double mass, drag; /* kg; what resists an impulse along the surface without the drag, and this */
    double press;      /* N s */
    vec3 slip;         /* m/s */
    vec3 rub;          /* N s, the impulse along the surface */
} held_point;

/* The drag that makes friction what it may be at most, N s: as the slip was in this round, or as it will be if the point's mass
 * is all that resists what it stuck by. */
static double drag_for(const held_point *p, double most) {
    double wanted =
        p->state == HOLD_STICKS ? most * p->mass / (vec3_length(p->rub) - most) : most / vec3_length(p->slip);
    return fmin(wanted, MOST_DRAG * p->mass);
}

/* How it is held from now on; says whether that is another way than before. */
static int hold_on(held_point *p) {
    double most = p->hold->grip * p->press, rub = vec3_length(p->rub);
    if (p->press < 0) {
        p->state = HOLD_NOT;
        p->drag = 0;
        return 1;
    }
    if (p->state == HOLD_STICKS && rub <= most) return 0;
    if (p->state == HOLD_SLIDES && fabs(rub - most) <= FRICTION_OFF * most) return 0;
    int sticks = p->state == HOLD_SLIDES && rub < most && p->drag > STUCK * p->mass;
    p->drag = sticks ? 0 : drag_for(p, most);
    p->state = sticks ? HOLD_STICKS : HOLD_SLIDES;
    return 1;
}

/* A point that was let go and would go in slides. */
static int hold_again(held_point *p, vec3 v) {
    if (!(vec3_dot(p->hold->normal, vec3_sub(v, p->hold->velocity)) < 0)) return 0;
    p->state = HOLD_SLIDES;
    return 1;
}

/* At first the mass is the point's own, as when all around it slides with it; then what it is as its neighbours stay. */
static held_point held_point_of(const integrator *self, size_t i, int round, vec3 v) {
    const contact_hold *hold = &self->step->holds[i];
    vec3 r = self->scratch.residual[i];
    held_point p = {.hold = hold, .state = (hold_state)self->held[i], .drag = self->drags[i]};
    p.mass = round > 0 ? 1 / integrator_answer_along(self, i) : self->masses[i];
    p.press = -vec3_dot(hold->normal, r);
    if (p.state == HOLD_SLIDES) p.slip = hold_along(hold, vec3_sub(v, hold->velocity));
    p.rub = p.state == HOLD_STICKS ? vec3_scale(hold_along(hold, r), -1) : vec3_scale(p.slip, -p.drag);
    return p;
}

/* Changes what can't be held as it is, and with it the residual; how many points that were. */
static size_t change_holds(integrator *self, int round, const vec3 *v) {
    const integrator_step *step = self->step;
    size_t count = 0;
    for (size_t i = 0; i < self->network->point_count; i++) {
        if (self->held[i] == HOLD_PINNED || vec3_length2(step->holds[i].normal) == 0) continue;
        held_point p = held_point_of(self, i, round, v[i]);
        int changes = p.state == HOLD_NOT ? hold_again(&p, v[i]) : hold_on(&p);
        if (!changes) continue;
        vec3 *r = &self->scratch.residual[i];
        *r = vec3_add_scaled(*r, p.slip, self->drags[i] - p.drag);
        self->held[i] = (unsigned char)p.state;
        self->drags[i] = p.drag;
        count++;
    }
    return count;
}

/* Points go where their holds let them. */
static void obey_holds(const integrator *self, vec3 *v) {
    for (size_t i = 0; i < self->network->point_count; i++)
        if (self->held[i] >= HOLD_SLIDES) v[i] = hold_velocity((hold_state)self->held[i], &self->step->holds[i], v[i]);
}

/* The residual of A v' = b becomes b again. */
static ruga_status restore_right_side(integrator *self, const cg_system *system, const vec3 *v) {
    vec3 *r = self->scratch.residual, *product = self->scratch.product;
    TRY(system->apply(system->user, v, product));
    for (size_t i = 0; i < system->count; i++) r[i] = vec3_add(r[i], product[i]);
    return RUGA_OK;
}

/* Solves, changes what can't be held as it is, and solves again, to the same residual at last. */
static ruga_status solve_rounds(integrator *self, const cg_system *system, double scale, int rounds, vec3 *out,
                                integrator_report *report) {
    for (int round = 0;; round++) {
        int is_last = round >= rounds;
        double tolerance = self->def.tolerance * (is_last ? 1 : ROUGH);
        cg_report gradients;
        TRY(cg_solve(system, &self->scratch, scale, tolerance, self->def.most_iterations, out, &gradients));
        report->iterations += gradients.iterations;
        report->residual = gradients.residual;
        report->converged = gradients.converged;
        if (is_last) return RUGA_OK;
        if (round == 0) scale = gradients.whole;
        if (change_holds(self, round, out) == 0) round = rounds - 1;
        TRY(restore_right_side(self, system, out));
        obey_holds(self, out);
    }
}

/* The impulses of what holds at the end; and no marks are left. */
static void finish_holds(integrator *self, const vec3 *v) {
    const integrator_step *step = self->step;
    for (size_t i = 0; step->holds && i < self->network->point_count; i++) {
        const contact_hold *hold = &step->holds[i];
        hold_state state = (hold_state)self->held[i];
        vec3 impulse = {0, 0, 0};
        if (state >= HOLD_SLIDES) {
            held_point p = held_point_of(self, i, 0, v[i]);
            impulse = vec3_add_scaled(p.rub, hold->normal, p.press);
        }
        step->hold_impulses[i] = impulse;
        self->held[i] = HOLD_NOT;
        self->drags[i] = 0;
    }
    integrator_mark_pins(self, step, HOLD_NOT);
}

ruga_status integrator_solve_held(integrator *self, const cg_system *system, double scale, vec3 *out,
                                  integrator_report *report) {
    integrator_mark_pins(self, self->step, HOLD_PINNED);
    int rounds = mark_holds(self, out) > 0 ? HOLD_ROUNDS : 0;
    ruga_status status = solve_rounds(self, system, scale, rounds, out, report);
    finish_holds(self, out);
    return status;
}
