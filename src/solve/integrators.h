/* The common parts of the integrators. */
#ifndef SOLVE_INTEGRATORS_H
#define SOLVE_INTEGRATORS_H

#include "energy/spring_hessian.h"
#include "linalg/cg.h"
#include "linalg/two_level.h"
#include "solve/bound_fit.h"
#include "solve/bound_levels.h"
#include "solve/bound_project.h"
#include "solve/holds.h"
#include "solve/integrator.h"

#define CHEBYSHEV_DAMPING 100.0
enum { INVERSE_NUMBERS = 12 };

/* The unknowns of a step: the points, or those of a binding. In the first case velocities are v', in the second their
 * changes Δw, with pins and holds likewise. */
typedef struct step_unknowns {
    size_t count;
    const double *masses; /* (count) kg */
    size_t pin_count;
    const uint32_t *pins;       /* (pin_count) */
    const vec3 *pin_velocities; /* (pin_count) */
    const contact_hold *holds;  /* (count) each, or both NULL */
    vec3 *hold_impulses;
} step_unknowns;

/* The data of bound steps. */
typedef struct bound_step {
    bound *space;                            /* NULL: the step is not bound */
    bound_fit fit;                           /* (TᵀMT)⁻¹ */
    bound_matrix stiffness;                  /* filter: TᵀAT */
    uint64_t factored_masses, factored_pins; /* of the fit */
    int is_factored;
    size_t lock_count, pin_count; /* pins of the step and locks */
    uint32_t *locks;              /* (unknowns) */
    uint32_t *pins;               /* (unknowns) those that are pinned, then locks */
    vec3 *pin_velocities;         /* (unknowns) their changes */
    contact_hold *holds;          /* (unknowns) semi_implicit, implicit */
    vec3 *hold_impulses;          /* (unknowns) */
    vec3 *changes;                /* (unknowns) Δw */
    vec3 *points[2];              /* (points) scratch */
    bound_projection projection;  /* explicit, semi_implicit */
    bound_levels *levels;         /* implicit; NULL: not needed yet */
    vec3 *places;                 /* (unknowns) y at the start of the step; the same */
    vec3 *pin_places;             /* (unknowns) of pins and locks; the same */
} bound_step;

struct integrator {
    ruga_context *context;
    integrator_def def;
    size_t point_count;
    const double *masses;
    uint64_t mass_revision;
    spring_network *network;     /* the springs with the fused path; without any in the list an empty one */
    spring_network *own_network; /* that empty one, or NULL */
    size_t energy_count;
    energy_term **energies; /* (energy_count) all others */
    unsigned char *held;    /* (unknowns) hold_state during a step, else 0; explicit has none */
    double *drags;          /* (unknowns) kg, that resist sliding, in semi_implicit and implicit; else 0 */
    bound_step bound;
    vec3 *scratch_points; /* (points) of further energies and outer products; NULL: not needed yet */
    mat3 *further_blocks; /* (points) the same */

    /* approximate_implicit */
    spring_value *first, *sweeps[2]; /* (points) D⁻¹ b, and the last two sweeps when there are more than two */
    uint32_t *pieces;                /* (points) which piece a point belongs to, with `conserve` */
    size_t piece_count;
    double *piece_values; /* (5 piece_count) mass, missing momentum, whether it is pinned */

    /* semi_implicit, implicit */
    spring_hessian hessian; /* h² H + h C of the springs */
    int is_common;          /* the current step began by itself, so that others can be solved with it */
    double *
        inverse_blocks; /* (INVERSE_NUMBERS unknowns) of the diagonal, 1/kg: three columns, each with a zero after it */
    cg_scratch scratch; /* (unknowns) */
    block_matrix *matrix;        /* M + h² H + h C of all energies; NULL: not needed yet */
    two_level *levels;           /* of it */
    int is_assembled;            /* in the current step the matrix holds its numbers */
    int has_weak_bending;        /* the matrix is without the bending springs */
    int has_squares;             /* the matrix has the parts' forces */
    int is_two_level;            /* in the current step the levels precondition */
    int is_fitted;               /* in the current step the fit of the binding preconditions */
    const integrator_step *step; /* the current one */
    step_unknowns unknowns;      /* of it */
    vec3 *answer;                /* (points) where its velocities go */
    vec3 *guess;                 /* (unknowns) the first guess of them, then the solution; `answer` if not bound */
    double scale;                /* of its residual, for the tolerance */
    double start_energy;         /* J, elastic, at the start of the step */
    vec3 *moved;            /* (points) m, where the answer leads, for gradients_begin_again; NULL: not needed yet */
    vec3 *kept;             /* (points) m/s, the answer before that; NULL: not needed yet */
    integrator_step again;  /* the step with these positions */
    const vec3 *again_from; /* (points) m, the step's own positions */

    /* filter */
    ldl *factor;
    double *values, *diagonal; /* (entries, points) of the matrix */
    double factored_dt;        /* s, of the factor; 0: none */
    uint64_t factored_network, factored_masses, factored_pins;
};

/* Set-up and a step of each kind. */
ruga_status approximate_make(integrator *self);
ruga_status approximate_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);
ruga_status gradients_make(integrator *self);
ruga_status gradients_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);
/* The same in two parts; scratch.residual has the right-hand side in between. */
ruga_status gradients_begin(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);
ruga_status gradients_finish(integrator *self, integrator_report *report);
/* J, of a step that was solved and is not bound: elastic and kinetic energy at its start; the same at its end, less the
 * work of gravity; and what backward Euler minimises without damping, M |v' - v - h g|² / 2 + the elastic energy at
 * x + h v' + half of h² v'. (-df/dx) v' of stiff outer forces f, which v has at the start. */
typedef struct step_energies {
    double before, after, merit;
} step_energies;
ruga_status gradients_energies(integrator *self, step_energies *out);
/* J, after it, of the first solve: the elastic energy at the end of the step beyond the solve's quadratic model.
 * scratch.residual still has the right-hand side, as coupled.c leaves it. */
double gradients_model_error(integrator *self);
/* After gradients_energies: begins the step once more with the energies linearised where the answer leads, as in
 * Newton's second iteration. Not of bound steps. */
ruga_status gradients_begin_again(integrator *self);
void gradients_end(integrator *self); /* of a bound step: velocities and hold impulses of points, from `guess` */
/* out = A in, with the drags of holds; out = P in, in free directions. */
ruga_status gradients_apply(void *integrator, const vec3 *in, vec3 *out);
void gradients_precondition(void *integrator, const vec3 *in, vec3 *out);
ruga_status gradients_respond(integrator *self, const integrator_step *step, const vec3 *impulses, vec3 *out);
ruga_status filter_make(integrator *self);
ruga_status filter_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);

/* The two levels for the pins, holds and drags of the coming round; block Jacobi for the rest of the step where they
 * can't be had. iterations: of the longest round before. */
void gradients_begin_round(integrator *self, int round, int iterations);
/* The same with further blocks on the diagonal of some unknowns, kg, which only the preconditioner gets. */
void gradients_take_blocks(const integrator *self, point_block *blocks, size_t count); /* `base` of them */
void gradients_begin_round_with(integrator *self, int round, int iterations, point_block *blocks, size_t count);

/* A number that changes with the pins, whatever their order. */
uint64_t integrator_pins_hash(size_t count, const uint32_t *pins);

/* ---- Bound steps (integrate_bound.c). */

ruga_status bound_step_make(integrator *self, const ruga_map *map);
void bound_step_release(integrator *self);
/* Finds the pinned unknowns and their changes, and factors the fit where masses or pins have changed. */
ruga_status bound_step_begin(integrator *self, const integrator_step *step);
/* The unknowns at the step's positions, which are within T's range, into `places`; locked ones count as 0. */
void bound_step_find_places(integrator *self, const integrator_step *step);
/* changes = (TᵀMT)⁻¹ Tᵀ impulses, (points) N s, but those given of pinned unknowns. */
void bound_step_answer(integrator *self, const vec3 *impulses, vec3 *changes);
/* explicit: velocities of the free step become the bound ones where points depend on each other. */
void bound_step_project(integrator *self, const integrator_step *step, vec3 *velocities);
/* out = v + T changes. */
void bound_step_finish(const integrator *self, const integrator_step *step, const vec3 *changes, vec3 *out);
static inline const vec3 *bound_step_velocities(const integrator_step *step) {
    return step->bound_velocities ? step->bound_velocities : step->velocities;
}

/* ---- Pins and holds. */

static inline void integrator_mark_pins(integrator *self, size_t count, const uint32_t *pins, hold_state state) {
    for (size_t k = 0; k < count; k++) self->held[pins[k]] = (unsigned char)state;
}

/* The free part of a change of an unknown's velocity, or of an impulse on it. */
static inline vec3 integrator_free_part(const integrator *self, size_t i, vec3 change) {
    if (self->held[i] == HOLD_NOT) return change;
    if (self->held[i] == HOLD_PINNED) return (vec3){0, 0, 0};
    return hold_change((hold_state)self->held[i], &self->unknowns.holds[i], change);
}

/* A held unknown's answer to an impulse along the surface while its neighbours stay, 1/kg, as the mean of two
 * directions. */
static inline double integrator_answer_along(const integrator *self, size_t i) {
    const double *b = self->inverse_blocks + INVERSE_NUMBERS * i;
    vec3 n = self->unknowns.holds[i].normal;
    double across = b[0] * n.x * n.x + b[5] * n.y * n.y + b[10] * n.z * n.z +
                    2 * (b[1] * n.x * n.y + b[2] * n.x * n.z + b[6] * n.y * n.z);
    return (b[0] + b[5] + b[10] - across) / 2;
}

/* The steps of a solve with holds: marks pins and holds, returns how many unknowns are held; changes states that are
 * wrong, with the residual; moves velocities to where the holds allow them; finds the impulses and clears all marks. */
size_t holds_mark(integrator *self, vec3 *v);
size_t holds_change(integrator *self, int round, const vec3 *v);
void holds_apply(const integrator *self, vec3 *v);
void holds_finish(integrator *self, const vec3 *v);
#define HOLDS_ROUGH 3.0 /* of the tolerance, in all rounds but the last. At 10 the pressing impulse is too inaccurate */

/* Conjugate gradients for self->unknowns, from `out`, with the right-hand side in the scratch's residual: pinned
 * unknowns keep their velocity, holds hold. The system's preconditioner gives only the free part, by
 * integrator_free_part. */
ruga_status integrator_solve_held(integrator *self, const cg_system *system, double scale, vec3 *out,
                                  integrator_report *report);

/* A pass of spring forces at the step's start, with all that is the same for every kind. */
static inline spring_force_pass integrator_force_pass(const integrator_step *step) {
    return (spring_force_pass){
        .positions = step->positions, .velocities = step->velocities, .damped = 1, .gain = step->dt};
}
/* out_i += scale F_i, or scale F_i / m_i with `over_masses`, of the energies beside the springs, with their damping if
 * `damped`; adds their value to the report. */
ruga_status integrator_add_further_forces(integrator *self, const integrator_step *step, double scale, int over_masses,
                                          int damped, vec3 *out, integrator_report *report);

static inline void integrator_set_pins(const integrator_step *step, vec3 *out) {
    for (size_t k = 0; k < step->pin_count; k++) out[step->pins[k]] = step->pin_velocities[k];
}
/* A pinned point's change beyond gravity's. */
static inline vec3 integrator_pin_change(const integrator_step *step, size_t k) {
    vec3 change = vec3_sub(step->pin_velocities[k], step->velocities[step->pins[k]]);
    return vec3_add_scaled(change, step->gravity, -step->dt);
}

#endif
