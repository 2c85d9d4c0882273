/* Integrators: from the velocities at the start of a step to those at its end.
 *
 *     approximate_implicit   Kang et al. 2001, equation 10, with a stiffness per spring and a mass per point; more
 *                            sweeps with Chebyshev's acceleration converge to `filter`
 *     explicit               v' = v + h M⁻¹ F: stable for steps below √(2 m / Σk), and little beyond
 *     semi_implicit          elastic forces explicit, damping implicit by conjugate gradients (Bridson et al. 2003 in
 *                            the form of Patkar et al. 2015, section 3): stable as `explicit`, whatever the damping
 *     implicit               backward Euler, linearised once a step (Baraff and Witkin 1998) or iterated by Newton's
 *                            method (`newton`), with the true Hessian made definite, by conjugate gradients with a
 *                            block-Jacobi preconditioner, or for large and stiff systems one of two levels
 *                            (linalg/two_level.h)
 *     filter                 Desbrun et al. 1999, equation 5 of Kang: backward Euler with a constant matrix that is
 *                            factored once
 *
 * All except `explicit` and `semi_implicit` solve A Δv = b. All work on masses and a list of energies
 * (energy/energy.h). `implicit` has
 *
 *     A = M + h² Σ H + h Σ C   with definite H, of all energies, and of parts' forces with a product.
 *
 * The first network of springs in the list has a fused path. With the springs' constant matrix L (network->bounds) and
 * damping C,
 *
 *     A = M + h² L + h C,   b = h (F + h H v)   with H = -L: the viscosity of equation 4,
 *
 * for `filter`, and `approximate_implicit` does sweeps of Jacobi's iteration on it. These two know springs only and
 * refuse other energies: an explicit treatment would take away the stability that they are chosen for.
 *
 * Outer forces f, such as gravity and air, are part of the velocity that a step starts with, u = v + h M⁻¹ f, from
 * which M (v' - u) = h F(x + h v') follows: the same equation, in which b has inner forces only, as in the paper. So
 * bodies fall freely and feel the full wind with any number of sweeps. Inside b, springs would hold these forces back.
 * Two sweeps are equation 10; the effective stiffness k / (1 + k h² / m)² of two masses then *falls* with k beyond m /
 * h², and a hanging cloth stretches with the number of its points. With s sweeps Chebyshev's polynomial damps all parts
 * of the error that s sweeps can reach by CHEBYSHEV_DAMPING. The number is even, because an odd one overshoots the
 * stiffest part.
 *
 * Pinned points get their given velocity; their neighbours take the change into account from the second sweep on.
 *
 * Bound steps. With a map T the points stay in the subspace x = T y (solve/bound.h), and a step solves for the change
 * Δw of the unknowns' velocities, v' = v + T Δw. Equilibrium is then Tᵀ F = 0, whatever the step:
 *
 *     implicit, semi_implicit   TᵀAT Δw = Tᵀ (b - A v) by conjugate gradients, preconditioned by the blocks of TᵀAT;
 *                               semi_implicit without holds by the fit (TᵀMT)⁻¹
 *     filter                    the same with its constant matrix, factored
 *     explicit                  TᵀMT Δw = Tᵀ (h F): the free step, projected with the masses as weights
 *     approximate_implicit      refuses: its sweeps work on the springs between points, not on TᵀAT
 *
 * Projecting the result of an implicit solve instead has the wrong rest state TᵀM A⁻¹ F = 0, which depends on the step.
 * That holds for semi_implicit too, whose A = M + h C: so its damping is solved in the bound space. Only for
 * `explicit`, A = M, both agree.
 */
#ifndef SOLVE_INTEGRATOR_H
#define SOLVE_INTEGRATOR_H

#include "contact/surface.h"
#include "energy/energy.h"
#include "linalg/block_congruence.h"

typedef enum integrator_kind {
    INTEGRATOR_APPROXIMATE_IMPLICIT,
    INTEGRATOR_EXPLICIT,
    INTEGRATOR_SEMI_IMPLICIT,
    INTEGRATOR_IMPLICIT,
    INTEGRATOR_FILTER,
    INTEGRATOR_COUNT,
    INTEGRATOR_AUTO = INTEGRATOR_COUNT /* approximate_implicit; implicit for bound steps and stiff outer forces */
} integrator_kind;
const char *integrator_name(integrator_kind kind); /* "approximate_implicit" …; not of INTEGRATOR_AUTO */
/* The kind that INTEGRATOR_AUTO stands for, for a step that is bound or has stiff outer forces, or for any other. Other
 * kinds stay. */
integrator_kind integrator_resolve(integrator_kind kind, int is_bound_or_stiff);
/* Whether the solve keeps points out of obstacles that they rest on (solve/holds.h): `implicit` and `semi_implicit`.
 * `explicit` has no need, as its points do not depend on each other. The constant matrix of the other two resists
 * relative motion in all directions, so that whatever holds some points would hold all near them: a cloth would stick
 * out flat over the edge of a table. */
int integrator_holds(integrator_kind kind);

/* The preconditioner of `implicit`. */
typedef enum integrator_preconditioner {
    PRECONDITION_AUTO,     /* two_level for large and stiff systems, where it pays and can be had; else blocks */
    PRECONDITION_BLOCKS,   /* the inverse 3 x 3 blocks on the diagonal: the reference */
    PRECONDITION_TWO_LEVEL /* linalg/two_level.h, wherever it can be had */
} integrator_preconditioner;

typedef struct integrator_def {
    integrator_kind kind;
    int sweeps;          /* approximate_implicit: even, at least 2 */
    int conserve;        /* approximate_implicit: each piece without pins gets the momentum that the forces give it */
    double tolerance;    /* semi_implicit, implicit: relative residual at which conjugate gradients stop */
    int most_iterations; /* semi_implicit, implicit: of conjugate gradients */
    int newton;          /* implicit, not bound: Newton iterations in a step, at most; 1: linearised once */
    integrator_preconditioner preconditioner; /* implicit */
    /* For measurements, in semi_implicit and implicit: conjugate gradients start from zero, and stop when the 2-norm of
     * the residual is below the tolerance times that of the right-hand side. */
    int from_zero;
} integrator_def;
integrator_def integrator_def_default(void); /* equation 10; 1e-3, 500, 1 */

/* The points and energies that an integrator works on. */
typedef struct integrator_system {
    ruga_context *context;
    size_t point_count;
    const double *masses; /* (points) kg, positive */
    size_t energy_count;
    energy_term *const *energies; /* (energy_count) over these points */
    const ruga_map *bound;        /* T, points from unknowns; NULL: the points are the unknowns */
} integrator_system;

/* One step, as an integrator sees it. */
typedef struct integrator_step {
    double dt;              /* s, positive */
    vec3 gravity;           /* m/s²: the same acceleration of all points */
    const vec3 *positions;  /* (points) m, at the start */
    const vec3 *velocities; /* (points) m/s, at the start, with the effect of outer forces f: v + h M⁻¹ f */
    const vec3
        *bound_velocities; /* (points) m/s, for bound steps: v itself, which is within T's range; NULL: `velocities` */
    size_t pin_count;
    const uint32_t *pins;       /* (pin_count) points, each once; in a bound step each an unknown of its own */
    const vec3 *pin_velocities; /* (pin_count) m/s, at the end of the step */
    /* Obstacles that points may not move into (solve/holds.h), and the impulses that this took, N s: (points) each, or
     * both NULL. Only for integrators that hold. In a bound step only points that are unknowns of their own are
     * held. */
    const contact_hold *holds;
    vec3 *hold_impulses;
    /* For `implicit`: the derivative of outer forces, so that stiff ones are stable: product += (df/dx) direction, N/m
     * m, and blocks += the 3 x 3 blocks on the diagonal of df/dx, N/m, for the preconditioner. NULL: none. -df/dx must
     * be positive semidefinite, or not exceed M / h² where it is not. */
    ruga_status (*force_product)(void *user, const vec3 *direction, vec3 *product);
    ruga_status (*force_blocks)(void *user, mat3 *blocks);
    /* As much of -df/dx as is a sum of squares, N/m, for two levels; their points are the same in every step. NULL:
     * none. Steps that are not bound have two levels only where the squares are all of -df/dx. */
    ruga_status (*force_squares)(void *user, block_squares *out);
    int squares_are_whole;
    void *user;
} integrator_step;

typedef struct integrator_report {
    int iterations; /* sweeps, or iterations of conjugate gradients; 0: none */
    int newton;     /* Newton iterations, of steps that are not solved with others; 0 elsewhere */
    /* 1, √(rᵀPr) over that of forces and gravity, with the preconditioner P or D⁻¹: of conjugate gradients, and before
     * the last of more than two sweeps; 0 elsewhere */
    double residual;
    int converged;         /* conjugate gradients reached their tolerance; 1 elsewhere */
    int is_two_level;      /* implicit: the two-level preconditioner was used to the end of the step */
    double elastic_energy; /* J, of all energies at the start of the step */
} integrator_report;

typedef struct integrator integrator;

/* Energies, masses and map are the owner's; the system and its list are copied. Masses and energies may change between
 * steps: the next step sees an energy's revision; call integrator_masses_changed for the masses. RUGA_ERROR_INPUT names
 * the mass or setting that is not allowed, and the energy or binding that the integrator does not support. */
ruga_status integrator_create(const integrator_def *def, const integrator_system *system, integrator **out);
void integrator_destroy(integrator *self); /* NULL is fine */
void integrator_masses_changed(integrator *self);

/* 1, the relative residual at which conjugate gradients stop: bound steps are solved more finely than the def says. */
double integrator_tolerance(const integrator *self);

/* Bound steps: unknowns that keep their velocity in the next steps and answers; each once, and none that is pinned. */
void integrator_unlock(integrator *self); /* all of them */
void integrator_lock(integrator *self, uint32_t unknown);

/* Velocities at the end of the step, (points); `out` may not be an array of the step. In the steady state it allocates
 * nothing. */
ruga_status integrator_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);

/* The same in two parts, so that steps of bodies that touch can be solved together in between (solve/coupled.h): only
 * where integrator_can_couple. Step and `out` must live until the end. */
int integrator_can_couple(const integrator *self);
ruga_status integrator_begin(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);
ruga_status integrator_finish(integrator *self, integrator_report *report);

/* The changes of velocity, m/s, that impulses on points lead to, N s: M⁻¹ I, and T (TᵀMT)⁻¹ Tᵀ I when bound; pinned
 * points get none. `out` may be `impulses`. */
ruga_status integrator_answer(integrator *self, size_t pin_count, const uint32_t *pins, const vec3 *impulses,
                              vec3 *out);
/* The changes of velocity at the end of an implicit step that further impulses during it lead to: A⁻¹ I, with A of
 * integrate_gradients.c; pinned points get none, holds are ignored. Only of the integrator `implicit` without a
 * binding: RUGA_ERROR_UNSUPPORTED for others. Of the step dt, positions, pins and products are used. */
ruga_status integrator_respond(integrator *self, const integrator_step *step, const vec3 *impulses, vec3 *out);

#endif
