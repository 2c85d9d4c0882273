/* What the kinds of integrators share. */
#ifndef SOLVE_INTEGRATORS_H
#define SOLVE_INTEGRATORS_H

#include "linalg/cg.h"
#include "linalg/ldl.h"
#include "solve/holds.h"
#include "solve/integrator.h"

#define CHEBYSHEV_DAMPING 100.0
enum { BLOCK_NUMBERS = 4, INVERSE_NUMBERS = 12 };

struct integrator {
    ruga_context *context;
    integrator_def def;
    const spring_network *network;
    const double *masses;
    uint64_t mass_revision;
    unsigned char *held; /* (points) hold_state during a step, else 0; explicit has none */
    double *drags;       /* (points) kg, that resist sliding, in semi_implicit and implicit; else 0 */

    /* approximate_implicit */
    spring_value *first, *sweeps[2]; /* (points) D⁻¹ b, and the last two sweeps when there are more than two */
    uint32_t *pieces;                /* (points) which piece a point belongs to, with `conserve` */
    size_t piece_count;
    double *piece_values; /* (5 piece_count) mass, momentum that is lacking, whether it is pinned */

    /* semi_implicit, implicit: h² K + h C as blocks a I + g gᵀ, one per entry of the network's lists (integrate_gradients.c) */
    double *blocks; /* (BLOCK_NUMBERS entries) of four entries each: g, √kg, coordinate by coordinate, and a, kg */
    double
        *inverse_blocks;  /* (INVERSE_NUMBERS points) of the diagonal, 1/kg: three columns, each with a zero after it */
    vec3 *axial_rank_one; /* (axial) and the same for axial springs */
    double *axial_isotropic;
    vec3 *axial_products; /* (axial) */
    cg_scratch scratch;
    const integrator_step *step; /* the present one */

    /* filter */
    ldl *factor;
    double *values, *diagonal; /* (entries, points) of the matrix */
    double factored_dt;        /* s, what the factor was made for; 0: none */
    uint64_t factored_network, factored_masses, factored_pins;
};

/* Set-up and a step of each kind. */
ruga_status approximate_make(integrator *self);
ruga_status approximate_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);
ruga_status gradients_make(integrator *self);
ruga_status gradients_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);
ruga_status filter_make(integrator *self);
ruga_status filter_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);

static inline void integrator_mark_pins(integrator *self, const integrator_step *step, hold_state state) {
    for (size_t k = 0; k < step->pin_count; k++) self->held[step->pins[k]] = (unsigned char)state;
}

/* What nothing holds of a change of a point's velocity, or of an impulse on it. */
static inline vec3 integrator_free_part(const integrator *self, size_t i, vec3 change) {
    if (self->held[i] == HOLD_NOT) return change;
    if (self->held[i] == HOLD_PINNED) return (vec3){0, 0, 0};
    return hold_change((hold_state)self->held[i], &self->step->holds[i], change);
}

/* A held point's answer to an impulse along the surface while its neighbours stay, 1/kg, as the mean of two directions. */
static inline double integrator_answer_along(const integrator *self, size_t i) {
    const double *b = self->inverse_blocks + INVERSE_NUMBERS * i;
    vec3 n = self->step->holds[i].normal;
    double across = b[0] * n.x * n.x + b[5] * n.y * n.y + b[10] * n.z * n.z +
                    2 * (b[1] * n.x * n.y + b[2] * n.x * n.z + b[6] * n.y * n.z);
    return (b[0] + b[5] + b[10] - across) / 2;
}

/* Conjugate gradients for self->step, from `out`, with the right-hand side in the scratch's residual: pinned points keep their
 * velocity, holds hold. The system's preconditioner gives only what is free, by integrator_free_part. */
ruga_status integrator_solve_held(integrator *self, const cg_system *system, double scale, vec3 *out,
                                  integrator_report *report);

/* A pass of forces at the step's begin, with all that is the same for every kind. */
static inline spring_force_pass integrator_force_pass(const integrator_step *step) {
    return (spring_force_pass){
        .positions = step->positions, .velocities = step->velocities, .damped = 1, .gain = step->dt};
}

/* The pinned points' velocities, less what `out` leaves away. */
static inline void integrator_set_pins(const integrator_step *step, vec3 *out) {
    for (size_t k = 0; k < step->pin_count; k++) out[step->pins[k]] = step->pin_velocities[k];
}
/* Their changes beyond gravity's. */
static inline vec3 integrator_pin_change(const integrator_step *step, size_t k) {
    vec3 change = vec3_sub(step->pin_velocities[k], step->velocities[step->pins[k]]);
    return vec3_add_scaled(change, step->gravity, -step->dt);
}
static inline void integrator_set_pin_changes(const integrator_step *step, vec3 *out) {
    for (size_t k = 0; k < step->pin_count; k++) out[step->pins[k]] = integrator_pin_change(step, k);
}

#endif
